"""When in their lives objects are accessed: real programs whose objects lie idle between two uses, or are kept after the last one; and
those that only look so."""
import json
import textwrap

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())

NUMPY = """
import numpy as np
random = np.random.default_rng(0)
"""

TORCH = """
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
layers = nn.ModuleList([nn.Linear(64, 64) for _ in range(12)])
"""

# What forward makes is used again in backward, after a long pause.
PAUSE = NUMPY + """
def forward(x):
    held = np.exp(x)  # idle
    total = 0.0
    for part in range(6):
        total += np.sqrt(x * x + part).sum()
    return held, total

def backward(held, total):
    return (held * total).sum() + np.log(held).sum()

for step in range(25):
    x = random.normal(size=2**20)
    backward(*forward(x))
"""

# Kept by autograd in the order of the layers, used in the reverse order.
TRAINING = TORCH + """
optimizer = torch.optim.SGD(layers.parameters(), 1e-3)

def forward(x):
    for layer in layers:
        x = torch.tanh(layer(x))  # idle
    return x

for step in range(25):
    loss = forward(torch.randn(16384, 64)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

# Kept by autograd for a backward pass that never comes.
EVALUATION = TORCH + """
def evaluate(x):
    for layer in layers:
        x = torch.tanh(layer(x))  # waste
    return x

for step in range(40):
    total = evaluate(torch.randn(16384, 64)).sum().item()
"""

FIXED = EVALUATION.replace("    total = evaluate", "    with torch.no_grad():\n        total = evaluate").replace("  # waste", "")

# Rows of tables, made once with much work, that are hardly ever read.
TABLES = TORCH + """
tables = nn.ModuleList([nn.Embedding(100000, 32) for _ in range(20)])
for step in range(150):
    rows = torch.randint(0, 100000, (4,))
    with torch.no_grad():
        x = torch.cat([table(rows) for table in tables], 1)
        y = torch.tanh(layers[0](x.repeat(2000, 1)[:, :64])).sum()
"""

# Made anew in each step with much work, then read here and there to its end.
SPARSE = NUMPY + """
for step in range(25):
    table = np.exp(random.normal(size=2**21))
    total = 0.0
    for part in range(300):
        total += table[random.integers(0, 2**21, 20000)].sum()
"""


def profile(tmp_path, source, name="program", **changes):
    path, database = tmp_path / (name + ".py"), tmp_path / (name + ".db")
    path.write_text(textwrap.dedent(source))
    facts = {"PIEPROF_RATE": "2000", "PIEPROF_BUDGET": "50", **changes}
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **facts))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, SCHEMA)
    marks = {text.split("  # ")[1]: number for number, text in enumerate(path.read_text().splitlines(), 1) if "  # " in text}
    return report, database, marks


def idle_of(report, number):
    return next(line["memory"]["idle"] for line in report["lines"] if line["line"] == number)


def idle_findings(report):
    return [finding for finding in report["findings"] if finding["kind"] == "idle"]


def test_a_pause_is_told_with_its_evidence(tmp_path):
    report, database, marks = profile(tmp_path, PAUSE)
    idle = idle_of(report, marks["idle"])
    assert 0 < idle["from"] <= 0.3 and 0.65 <= idle["to"] < 1, idle
    assert idle["seen"] < idle["expected"] / 4 and idle["at_most"] < 0.5 and idle["accesses"] >= 40
    assert idle["objects"] == 25 and idle["byte_seconds"] == pytest.approx(25 * 2**23 * idle["idle_s"], rel=0.01)
    assert (idle["before"], idle["after"]) == ("forward", "backward")
    assert idle_findings(report) == []
    text = " ".join(whole.read_report(database, "--top", "10").split())
    assert "idle between forward and backward from" in text and "of their lives (" in text and "sampled accesses lie there" in text


def test_what_autograd_keeps_is_a_fact_and_no_finding(tmp_path):
    report, _, marks = profile(tmp_path, TRAINING)
    idle = idle_of(report, marks["idle"])
    assert idle["to"] - idle["from"] >= 0.5 and idle["to"] < 1 and idle["objects"] >= 25 * 12 - 12, idle
    assert idle_findings(report) == []


def test_what_is_kept_for_nothing_is_a_finding(tmp_path):
    report, database, marks = profile(tmp_path, EVALUATION)
    (finding,) = report["findings"]
    assert (finding["kind"], finding["category"], finding["line"]) == ("idle", "idle activation", marks["waste"])
    assert finding["waste_s"] == 0 and 16 * 2**20 <= finding["waste_bytes"] <= report["totals"]["memory"]["peak_bytes"]
    assert "torch.no_grad()" in finding["advice"]
    text = whole.read_report(database)
    assert "of the peak    idle activation" in text
    assert "idle activation" in whole.read_report(database, "--kind", "idle")
    assert "idle activation" not in whole.read_report(database, "--kind", "replica")


def test_the_fixed_version_has_none(tmp_path):
    wasteful, _, _ = profile(tmp_path, EVALUATION, "wasteful", PIEPROF_ENGINES="replica")
    fixed, _, _ = profile(tmp_path, FIXED, "fixed")
    assert fixed["findings"] == []
    gain = wasteful["totals"]["memory"]["peak_bytes"] - fixed["totals"]["memory"]["peak_bytes"]
    assert gain > 0.1 * wasteful["totals"]["memory"]["peak_bytes"]


@pytest.mark.parametrize("source", [TABLES, SPARSE], ids=["tables", "sparse"])
def test_what_is_seldom_read_is_no_finding(tmp_path, source):
    report, _, _ = profile(tmp_path, source)
    assert idle_findings(report) == []
    if source is TABLES:
        tables = [line for line in report["lines"] if line["memory"] and line["memory"]["peak_bytes"] >= 20 * 100000 * 32 * 4]
        assert len(tables) == 1 and tables[0]["memory"]["accesses"] > 40 and tables[0]["memory"]["idle"] is None


def test_few_samples_say_nothing(tmp_path):
    report, _, _ = profile(tmp_path, PAUSE.replace("range(25)", "range(17)"), PIEPROF_RATE="20", PIEPROF_BUDGET="2")
    assert all(line["memory"]["idle"] is None for line in report["lines"])


MIXED = NUMPY + """
hot, cold = [], []
for i in range(200):
    hot.append(np.full(256, 1.0 + i))  # hot
    cold.append(np.full(256, 2.0 + i))  # cold
total = 0.0
for step in range(200000):
    h = hot[step % 200]
    np.sqrt(np.multiply(h, 1.0001, out=h), out=h)
    total += h.sum()
    if step % 2000 == 0:
        total += cold[step % 200].sum()
"""


def test_pages_of_hot_and_cold_objects(tmp_path):
    report, database, marks = profile(tmp_path, MIXED)
    pages = report["totals"]["pages"]
    (pair,) = pages["mixed"]
    assert (pair["hot"]["line"], pair["cold"]["line"], pages["matters"]) == (marks["hot"], marks["cold"], True)
    assert pair["hot_accesses"] > 20 * pair["cold_accesses"] and pair["times_hotter_at_least"] > 10
    assert 1024 < pair["hot_bytes"] < 3072 and 1024 < pair["cold_bytes"] < 3072 and pair["hot_bytes"] + pair["cold_bytes"] <= 4096
    text = " ".join(whole.read_report(database).split())
    assert "objects of program.py:%d share pages with those of program.py:%d" % (marks["hot"], marks["cold"]) in text


EQUAL = MIXED.replace("if step % 2000 == 0:\n        total += cold[step % 200].sum()",
                      "c = cold[step % 200]\n    np.sqrt(np.multiply(c, 1.0001, out=c), out=c)\n    total += c.sum()")
APART = MIXED.replace("    cold.append", "for i in range(200):\n    cold.append")


@pytest.mark.parametrize("source", [EQUAL, APART], ids=["equally hot", "pages of their own"])
def test_pages_where_nothing_mixes(tmp_path, source):
    assert source != MIXED
    report, database, _ = profile(tmp_path, source)
    assert report["totals"]["pages"]["mixed"] == [] and report["totals"]["pages"]["accesses"] > 50
    assert "share pages" not in whole.read_report(database)
