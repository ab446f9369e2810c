"""Programs that live from memory give the same results with and without the shim: NumPy's own tests of its allocator and its
arrays, and a PyTorch training by several processes in shared memory."""
import json
import os
import subprocess
import xml.etree.ElementTree as xml

import pytest

import whole

SLOW = os.environ.get("PIEPROF_SLOW") == "1"
PACKAGE = "import numpy; print('numpy._core' if numpy.__version__ >= '2' else 'numpy.core')"
# What pytest's -k takes, unless PIEPROF_SLOW: one of these tests runs all of NumPy's again, others want 16 GiB.
SHORT = {
    "test_mem_policy": "not test_new_policy",
    "test_multiarray": "(TestFlags or TestResize or TestCreation or TestNewBufferProtocol or TestIO or TestTake or TestDot)"
    " and not huge and not large",
}


def outcomes(directory, module, preload):
    """The outcome of each test of the module. NumPy's tests build an extension and write files where they stand."""
    directory.mkdir()
    changes = {"LD_PRELOAD": preload, "PIEPROF_OUT": str(directory / "out.db")}
    package = whole.execute([whole.PYTHON, "-c", PACKAGE]).stdout.strip()
    command = [whole.PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=results.xml"]
    selection = [] if SLOW else ["-m", "not slow", "-k", SHORT[module]]
    done = subprocess.run(
        [*command, "--pyargs", f"{package}.tests.{module}", *selection], env=whole.environment(**changes), cwd=directory,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=None if SLOW else whole.TIMEOUT_S,
    )
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    cases = xml.parse(directory / "results.xml").iter("testcase")
    said = ("system-out", "system-err")
    return {f"{case.get('classname')}.{case.get('name')}": [part.tag for part in case if part.tag not in said] for case in cases}


@pytest.mark.parametrize("module", SHORT)
def test_numpys_own_tests(tmp_path, module):
    pytest.importorskip("hypothesis", reason="NumPy's tests need hypothesis")
    plain = outcomes(tmp_path / "plain", module, "")
    profiled = outcomes(tmp_path / "profiled", module, str(whole.SHIM))
    assert profiled == plain and len(plain) >= 9
    report = json.loads(whole.read_report(tmp_path / "profiled/out.db", "--format", "json"))
    assert report["totals"]["replicas"]["of_objects"] > 0


TRAINING = """
import sys
import torch, torch.multiprocessing

def work(rank, model, data, target, gradients, losses, barrier, queue):
    torch.set_num_threads(1)
    for step in range(losses.shape[1]):
        loss = torch.nn.functional.cross_entropy(model(data[rank]), target[rank])
        for kept, fresh in zip(gradients[rank], torch.autograd.grad(loss, list(model.parameters()))):
            kept.copy_(fresh)
        losses[rank, step] = loss.item()
        barrier.wait()
        if rank == 0:
            with torch.no_grad():
                for parameter, *parts in zip(model.parameters(), *gradients):
                    parameter -= 0.1 * sum(parts)
        barrier.wait()
    queue.put((rank, torch.full((3000,), float(rank)) * losses[rank, -1]))
    barrier.wait()

def main(method, strategy, ranks=2, steps=25):
    torch.manual_seed(5)
    torch.set_num_threads(1)
    torch.multiprocessing.set_sharing_strategy(strategy)
    context = torch.multiprocessing.get_context(method)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.Tanh(), torch.nn.Linear(128, 10)).share_memory()
    data = torch.randn(ranks, 200, 64).share_memory_()
    target = data.argmax(2) % 10
    gradients = [[torch.zeros_like(p.data).share_memory_() for p in model.parameters()] for _ in range(ranks)]
    losses = torch.zeros(ranks, steps).share_memory_()
    barrier, queue = context.Barrier(ranks + 1), context.Queue()
    arguments = (model, data, target, gradients, losses, barrier, queue)
    processes = [context.Process(target=work, args=(rank, *arguments)) for rank in range(ranks)]
    for process in processes: process.start()
    for _ in range(2 * steps): barrier.wait(100)
    for rank, tensor in sorted((queue.get() for _ in range(ranks)), key=lambda pair: pair[0]):
        print(rank, "%.9f" % tensor.sum().item())
    barrier.wait(100)
    for process in processes: process.join()
    print([process.exitcode for process in processes], "%.9f" % sum(p.sum().item() for p in model.parameters()))
    for row in losses.tolist(): print(" ".join("%.7f" % loss for loss in row))

if __name__ == "__main__":
    main(*sys.argv[1:3])
"""


@pytest.mark.parametrize(
    "interpreter, method, strategy",
    [("debian", "fork", "file_descriptor"), ("debian", "spawn", "file_system"), ("venv", "forkserver", "file_descriptor")],
)
def test_training_in_shared_memory(tmp_path, interpreter, method, strategy):
    interpreter = whole.INTERPRETERS[interpreter]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    (tmp_path / "program.py").write_text(TRAINING)
    command = [*interpreter.command, tmp_path / "program.py", method, strategy]
    plain = whole.execute(command, env=whole.environment(interpreter), cwd=tmp_path)
    changes = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(tmp_path / "out.db")}
    done = whole.execute(command, env=whole.environment(interpreter, **changes), cwd=tmp_path)
    assert plain.returncode == 0 and plain.stdout.count("\n") == 5, plain.stderr
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)
    report = json.loads(whole.read_report(tmp_path / "out.db", "--format", "json"))
    assert len(report["run"]["processes"]) >= 3
    own = [line for line in report["lines"] if line["function"] == "work" and line["replicas"] and line["replicas"]["of_objects"]]
    assert own
