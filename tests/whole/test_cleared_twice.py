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
    "round the end of a step, by a loop over the parameters": MADE + """
    class Trainer:
        def __init__(self, net):
            self.net = net
            self.opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
        def step(self, batch):
            self.opt.zero_grad(set_to_none=False)
            loss = self.net(batch).square().mean()
            loss.backward()
            self.opt.step()
            for p in self.net.parameters():
                p.grad.zero_()  # A
            return loss
    trainer = Trainer(net)
    for step in range(900):  # enough for samples of both clears
        trainer.step(x[torch.randint(0, 1000, (2,))])
    """,
}
STEP_IN_CALL = """
        loss = net(batch).square().mean()
        loss.backward()
        opt.step()
        return loss.item()
"""
AHEAD = {
    "of a function": MADE + """
    def train(batch):
        opt.zero_grad(set_to_none=False)  # kept""" + STEP_IN_CALL + """
    seen = []
    for step in range(600):
        batch = x[torch.randint(0, 1000, (2,))]
        opt.zero_grad(set_to_none=False)  # A
        seen.append(train(batch))  # call
    """,
    "of a method, behind the forward pass in it": MADE + """
    class Trainer:
        def __init__(self, net):
            self.opt = torch.optim.SGD(net.parameters(), lr=0.01)
            self.net = net
            self.data = x
        def fit(self):
            for step in range(600):
                self.opt.zero_grad(set_to_none=False)  # A
                batch = self.data[step:step + 2]
                loss = self.advance(self.opt, batch)  # call
        def advance(self, opt, batch):
            y = self.net(batch)
            self.opt.zero_grad(set_to_none=False)  # kept
            y.square().mean().backward()
            opt.step()
    Trainer(net).fit()
    """,
    "of a function that is handed the optimizer": MADE + """
    def train(optimizer, batch):
        optimizer.zero_grad(set_to_none=False)  # kept""" + STEP_IN_CALL + """
    def run(optimizer):
        for step in range(600):
            optimizer.zero_grad(set_to_none=False)  # A
            train(optimizer, x[step:step + 2])  # call
    run(opt)
    """,
}
NOT_TWICE = {
    "a second loss, a loop over the parameters in between": MADE + """
    for step in range(300):
        opt.zero_grad(set_to_none=False)""" + STEP + """
        loss.backward()
        opt.step()
        for p in net.parameters():
            p.grad.zero_()
        net(x[:8]).mean().backward()
        opt.step()
    """,
    "a loop over some of the parameters": MADE + """
    for step in range(300):
        opt.zero_grad(set_to_none=False)""" + STEP + """
        loss.backward()
        opt.step()
        for p in net[2].parameters():
            p.grad.zero_()
    """,
    "a function that adds to the gradients first": MADE + """
    def train(batch):
        penalty(batch)
        opt.zero_grad(set_to_none=False)""" + STEP_IN_CALL + """
    def penalty(batch):
        net(batch).mean().backward()
        opt.step()
    for step in range(300):
        opt.zero_grad(set_to_none=False)
        train(x[step:step + 2])
    """,
    "a function that is another when it is called": MADE + """
    def train(batch):
        opt.zero_grad(set_to_none=False)
        return 0
    def other(batch):
        net(batch).mean().backward()
        opt.step()
    globals()["tra" "in"], first = other, globals()["train"]
    for step in range(300):
        opt.zero_grad(set_to_none=False)
        train(x[step:step + 2])
        first(x)
    """,

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
    "a function that adds to the gradients behind, unseen, and a step": MADE + """
    def add_penalty(parameters):
        for p in parameters:
            getattr(p, "gr" "ad").add_(torch.sign(p.detach()), alpha=1e-3)
    for step in range(300):
        opt.zero_grad(set_to_none=False)""" + STEP + """
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=False)
        add_penalty(net.parameters())
        opt.step()
    """,
    "gradients added to in between by another name": MADE + """
    net(x).mean().backward()
    kept = [p.grad for p in net.parameters()]
    data = [p.data for p in net.parameters()]
    for step in range(300):
        opt.zero_grad(set_to_none=False)
        torch._foreach_add_(kept, data, alpha=0.1)
        torch._foreach_add_(data, kept, alpha=-0.01)
        opt.zero_grad(set_to_none=False)""" + STEP + """
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
    assert report["findings"], whole.read_report(database, "--top", "0")
    finding = report["findings"][0]
    assert (finding["line"], finding["kind"], finding["category"]) == (number, "redundant_store", "repeated native call with the same arguments")
    line = next(line for line in report["lines"] if line["line"] == number)
    other = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if "zero_grad" in line)
    cheaper = min(line["time_s"] for line in report["lines"] if line["line"] in (number, other))
    assert finding["waste_s"] == pytest.approx(cheaper) and line["waste_s"] == pytest.approx(cheaper)
    assert finding["ci95"] is None and "by the text" in whole.read_report(database)
    assert f"Leave one of the two out, this one or program.py:{other}, where no other code" in finding["advice"]


@pytest.mark.parametrize("name", AHEAD)
def test_the_one_ahead_of_the_call_is_named(tmp_path, name):
    path, report, _ = profile(tmp_path, AHEAD[name])
    marks = {line.split("# ")[1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "# " in line}
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "redundant_store"]
    assert (finding["line"], finding["category"]) == (marks["A"], "repeated native call with the same arguments")
    times = {line["line"]: line["time_s"] for line in report["lines"]}
    assert finding["waste_s"] == pytest.approx(min(times[marks["A"]], times[marks["kept"]]))
    assert f"program.py:{marks['kept']} clears, too" in finding["claim"] and f"called at program.py:{marks['call']}" in finding["claim"]
    assert f"Leave this one out and keep program.py:{marks['kept']}, where no other code" in finding["advice"]


@pytest.mark.parametrize("name", AHEAD)
def test_the_fixed_version_has_none(tmp_path, name):
    source = "".join(line for line in AHEAD[name].splitlines(True) if not line.rstrip().endswith("# A"))
    _, report, _ = profile(tmp_path, source)
    assert [finding for finding in report["findings"] if finding["kind"] == "redundant_store"] == []


@pytest.mark.parametrize("name", NOT_TWICE)
def test_what_only_looks_like_it(tmp_path, name):
    path, report, database = profile(tmp_path, NOT_TWICE[name])
    clears = {number for number, line in enumerate(path.read_text().splitlines(), 1) if "zero_grad" in line or "grad.zero_()" in line}
    heavy = [line for line in report["lines"] if line["line"] in clears and line["time_s"] > 0.005 * report["totals"]["time_s"]["total"]]
    assert len(heavy) == 2, "both cost enough to be told"
    assert not [finding for finding in report["findings"] if finding["line"] in clears]
