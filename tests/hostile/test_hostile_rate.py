"""1,000 Hz with the whole budget through PyTorch training: 10 CPU-seconds here, 60 with PIEPROF_SLOW=1."""

import os

import pytest

from hostile_ring import SLOW, assert_recorded, samples

TRAINING = """
import os, torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                            torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(),
                            torch.nn.Linear(32 * 4 * 4, 10))
optimizer = torch.optim.Adam(model.parameters())
data = torch.rand(1024, 1, 8, 8); target = (data.sum((1, 2, 3)) * 3).long() % 10
end = time.process_time() + {seconds}
steps = 0
while time.process_time() < end:
    batch = torch.randperm(1024)[:64]
    loss = torch.nn.functional.cross_entropy(model(data[batch]), target[batch])
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    steps += 1
times = os.times()
print(steps > 20, times.user + times.system)
"""


@pytest.mark.alone
def test_1000_hz_with_the_whole_budget(ring):
    seconds = 60 if SLOW else 10
    run = ring.run(ring.program(TRAINING.format(seconds=seconds)), timeout=seconds * 3 + 60,
                   env={"PIEPROF_RATE": "1000", "PIEPROF_BUDGET": "100"})
    assert (run.returncode, run.stderr) == (0, b"")
    trained, cpu_seconds = run.stdout.split()
    assert trained == b"True"
    document = assert_recorded(run.db, float(cpu_seconds), 55_000 / 60)
    assert os.path.getsize(run.db) < 16 << 20
    assert document["run"]["health"]["native"] > 0.3 * samples(document)


def test_10000_hz_does_not_stop_the_program(ring):
    """Four at once: where a processor is shared, ticks come so late that the next are due before the handlers return."""
    command = ring.program(TRAINING.format(seconds=2))
    started = [ring.start(command, env={"PIEPROF_RATE": "10000", "PIEPROF_BUDGET": "100"}) for _ in range(4)]
    try:
        finished = [ring.finish(process, timeout=150) for process in started]
    finally:
        for process in started:
            process.kill()
    for run in finished:
        assert (run.returncode, run.stderr) == (0, b"")
        assert run.stdout.startswith(b"True")
        assert_recorded(run.db, 2, 900)
