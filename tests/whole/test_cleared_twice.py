"""Gradients that are cleared twice, at the default settings: found by the text and by where the backward passes were sampled."""
import json
import textwrap

import pytest
import whole

MADE = """
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    def make():
        return torch.nn.Sequential(torch.nn.Linear(300, 1500), torch.nn.ReLU(), torch.nn.Linear(1500, 1500))
    net = make()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.randn(1000, 300)
"""
STEP = """
        batch = x[torch.randint(0, 1000, (2,))]
        loss = net(batch).square().mean()
"""

TWICE = {
    "one behind the other": MADE + """
    for step in range(300):
        net.zero_grad(set_to_none=False)""" + STEP + """
        opt.zero_grad(set_to_none=False)  # A
        loss.backward()
        opt.step()
    """,
    "round the end of a step": MADE + """
    def train():
        opt.zero_grad(set_to_none=False)""" + STEP + """
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=False)  # A
    for step in range(300):
        train()
    """,
    "the passes in functions": MADE + """
    def passes(loss):
        loss.backward()
    def train():
        net.zero_grad(set_to_none=False)""" + STEP + """
        opt.zero_grad(set_to_none=False)  # A
        passes(loss)
        opt.step()
    for step in range(300):
        train()
    """,
}
NOT_TWICE = {
    "a second loss in between": MADE + """
    for step in range(300):
        opt.zero_grad(set_to_none=False)""" + STEP + """
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=False)
        net(x[:8]).mean().backward()
        opt.step()
    """,
    "a pass too rare to be sampled": MADE + """
    def penalty(step):
        if step % 100 == 0:
            net[0].weight.square().mean().backward()
    for step in range(300):
        net.zero_grad(set_to_none=False)""" + STEP + """
        penalty(step)
        opt.zero_grad(set_to_none=False)
        loss.backward()
        opt.step()
    """,
    "a step in between": MADE + """
    for step in range(300):""" + STEP + """
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=False)
        opt.step()
        opt.zero_grad(set_to_none=False)
    """,
    "other parameters": MADE + """
    opt = torch.optim.SGD(list(net.parameters())[1:], lr=0.01)
    for step in range(300):
        net.zero_grad(set_to_none=False)""" + STEP + """
        opt.zero_grad(set_to_none=False)
        loss.backward()
        opt.step()
    """,
    "gradients looked at behind": MADE + """
    for step in range(300):
        opt.zero_grad(set_to_none=False)""" + STEP + """
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=False)
        assert all(p.grad.abs().max() == 0 for p in net.parameters())
    """,
}


def profile(tmp_path, source):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(textwrap.dedent(source))
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_ENGINES="time"))
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    return path, report, database


@pytest.mark.parametrize("name", TWICE)
def test_the_second_is_named(tmp_path, name):
    path, report, database = profile(tmp_path, TWICE[name])
    (number,) = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")]
    finding = report["findings"][0]
    assert (finding["line"], finding["kind"], finding["category"]) == (number, "redundant_store", "repeated native call with the same arguments")
    line = next(line for line in report["lines"] if line["line"] == number)
    other = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if "zero_grad" in line)
    cheaper = min(line["time_s"] for line in report["lines"] if line["line"] in (number, other))
    assert finding["waste_s"] == pytest.approx(cheaper) and line["waste_s"] == pytest.approx(cheaper)
    assert finding["ci95"] is None and "by the text" in whole.read_report(database)
    assert f"Leave one of the two out, this one or program.py:{other}, where no other code" in finding["advice"]


@pytest.mark.parametrize("name", NOT_TWICE)
def test_what_only_looks_like_it(tmp_path, name):
    path, report, database = profile(tmp_path, NOT_TWICE[name])
    clears = {number for number, line in enumerate(path.read_text().splitlines(), 1) if "zero_grad" in line}
    heavy = [line for line in report["lines"] if line["line"] in clears and line["time_s"] > 0.005 * report["totals"]["time_s"]["total"]]
    assert len(heavy) == 2, "both cost enough to be told"
    assert not [finding for finding in report["findings"] if finding["line"] in clears]
