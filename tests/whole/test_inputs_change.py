"""Results that stay equal while the program changes what they are made from: a comparison, an order, a rounding. Kept, they would be wrong one day."""
import json
import textwrap

import pytest
import whole
from changing import CHANGED
from changing_elsewhere import CHANGED_ELSEWHERE
from changing_handed_on import CHANGED_HANDED_ON, STAYS_HANDED_ON
from staying import STAYS

HEAD = "import functools\nimport numpy as np\nrng = np.random.default_rng(0)\n"

STEPPED = """
import torch
from torch import nn
torch.manual_seed(0)
class Gate(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.logits, self.seen = nn.Parameter(torch.randn(size)), torch.randn(size)
    def forward(self, x):
        with torch.no_grad():
            hard = (self.{of} > 0).float()  # made
        return (x * (hard + torch.sigmoid(self.logits))).sum()
gate, x = Gate(50000), torch.randn(50000)
optimizer = torch.optim.SGD([p for p in gate.parameters() if p.requires_grad], lr=1e-7)
for step in range(600):
    loss = gate(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

LAYERED = """
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = nn.Linear(8, 64), nn.Linear(64, 1)
    def forward(self, x):
        return self.head(torch.tanh(self.encoder(x)))
net, probe = Net(), torch.randn(2000, 8) * 50
optimizer = torch.optim.SGD(net.parameters(), lr=1e-7)
for step in range(300):
    with torch.no_grad():
        fired = net.encoder(probe) > 0  # made
    optimizer.zero_grad()
    net(probe[:64]).mean().backward()
    optimizer.step()
"""

CHANGED_IN_ONE_ROW = """
    def run(h, steps):
        total = 0
        for i in range(steps): s = np.sign(h); h = h * 1.0001 + np.float64(i) * 1e-9 * s; total += s[0]  # made
        return total
    run(rng.normal(size=60000), 3000)
    """


def findings_of(tmp_path, text):
    lines = text.strip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip())
    source = HEAD + "".join(line[margin:] + "\n" for line in lines)
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(source)
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    number = next(at for at, line in enumerate(source.splitlines(), 1) if line.endswith("# made"))
    (made,) = [line for line in report["lines"] if line["line"] == number]
    assert made["replicas"]["objects"] > 100, "this run shows nothing"
    return [finding for finding in report["findings"] if finding["line"] == number]


CHANGES = {**CHANGED, **CHANGED_ELSEWHERE, **CHANGED_HANDED_ON}
STAYING = {**STAYS, **STAYS_HANDED_ON}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_made_of_what_changes_is_no_finding(tmp_path, name):
    assert findings_of(tmp_path, CHANGES[name]) == []


def test_a_loop_in_one_row_carries_what_it_gives(tmp_path):
    assert findings_of(tmp_path, CHANGED_IN_ONE_ROW) == []


@pytest.mark.parametrize("of, told", [("logits", False), ("seen", True)])
def test_what_an_optimizer_steps_changes(tmp_path, of, told):
    """A weight's sign stays for many small steps."""
    assert [finding["category"] for finding in findings_of(tmp_path, STEPPED.format(of=of))] == \
        ["loop-invariant computation"] * told


def test_what_a_stepped_layer_decides_changes(tmp_path):
    assert findings_of(tmp_path, LAYERED) == []


ROUND = """
    X = rng.integers(0, 255, size=(3000, 784), dtype=np.uint8)
    for step in range(900):
        at = step % 30 * 100
        batch = X[at:at + 100] / 255.0  # made
    """


COUNTED = """
    X, at = rng.integers(0, 255, size=(3000, 784), dtype=np.uint8), 0
    def more():
        global at
        at = (at + 100) % 3000
    for step in range(900):
        batch = X[at:at + 100] / 255.0  # made
        more()
    """


@pytest.mark.parametrize("source", [ROUND, COUNTED], ids=["loop", "function"])
def test_counters_go_round_as_well(tmp_path, source):
    assert [finding["category"] for finding in findings_of(tmp_path, source)] == ["recomputed input"]


@pytest.mark.parametrize("name", STAYING)
def test_what_is_made_of_what_stays_is(tmp_path, name):
    assert [finding["category"] for finding in findings_of(tmp_path, STAYING[name])] == ["loop-invariant computation"]


DRIFT = """
    def drift(part):
        part *= 1 + 1e-12
    """
IMPORTS = {
    "a module": ("ops.py", "import ops", "ops.drift(w)"),
    "a module by another name": ("ops.py", "import os, ops as tools", "tools.drift(w)"),
    "a member": ("ops.py", "from ops import (drift,\n                 )", "drift(w)"),
    "a package's module": ("parts/ops.py", "from parts import ops", "ops.drift(w)"),
    "a package's member": ("parts/ops.py", "from parts.ops import drift", "drift(w)"),
    "a package": ("parts/__init__.py", "import parts", "parts.drift(w)"),
}


@pytest.mark.parametrize("name", IMPORTS)
def test_what_changes_it_may_stand_in_another_file(tmp_path, name):
    """It makes nothing itself there, and is rarely sampled."""
    file, statement, change = IMPORTS[name]
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(textwrap.dedent(DRIFT))
    program = f"""
        {statement}
        w = rng.normal(size=(3000, 20))
        for step in range(300):
            order = np.argsort(w, axis=0)  # made
            {change}
        """
    assert findings_of(tmp_path, program) == []


PART = """
    w = np.abs(rng.normal(size=60000)) + 0.2
    for step in range(8000):
        level = 0.04 * 0.9999 ** step
        mask = np.abs(w) > level  # made
    """


def test_the_part_that_stays_is_told_alone(tmp_path):
    (finding,) = findings_of(tmp_path, PART)
    assert (finding["columns"][0], "other size" in finding["claim"]) == (len("    mask = "), False)
    assert finding["columns"][1] == len("    mask = np.abs(w)")
