"""Phases of a training: which one a stack of Python frames is in, of made files and of real programs; the column, the filter."""
import json
import sys
import textwrap

import jsonschema
import pytest
import whole
from phase_stacks import BACKWARD, LIBRARIES, MODULE, NAMES

sys.path.insert(0, str(whole.ROOT / "tests/tools"))
import make_db

SCHEMA = json.loads(whole.SCHEMA.read_text())
PHASES = ["data_loading", "forward", "backward", "optimizer", "other"]
PACKAGES = "/usr/lib/python3/dist-packages/"
SAMPLE_S = 0.004
NATIVE = 0x7f0000000200
FOLDERS = {"torch": PACKAGES, "torchvision": PACKAGES, "sklearn": PACKAGES, "lightning": PACKAGES, "autograd": PACKAGES,
           "numpy": PACKAGES, "threading.py": "/usr/lib/python3.11/"}


def report_of(database, *options):
    data = json.loads(whole.read_report(database, "--format", "json", *options))
    jsonschema.validate(data, SCHEMA)
    assert list(data["totals"]["phases"]) == PHASES
    return data


def seconds_of(data):
    return {name: phase["time_s"] for name, phase in data["totals"]["phases"].items() if phase["time_s"] > 0}


def frames_of(stack):
    """(function, absolute file) of each "function@file"; without a file it is /home/me/train.py."""
    for step in stack.split(" > "):
        function, _, file = step.partition("@")
        folder = "" if file.startswith("<") else FOLDERS.get(file.split("/")[0], "/home/me/")
        yield function, folder + (file or "train.py")


def add_stack(process, root, stack):
    """The native leaf below the frames."""
    node = root
    for function, file in frames_of(stack):
        node = process.frame(node, process.code(function, file))
    return process.node(node, make_db.NATIVE, NATIVE, samples=1)


def made(path, *stacks, **facts):
    database = make_db.Db()
    process = database.process(python=sys.hexversion, engines=("time", "access", "replica"), **facts)
    process.module("/nowhere/lib/_native.so", NATIVE & ~0xfff, NATIVE + 0x1000)
    root = process.root()
    leaves = [add_stack(process, root, stack) for stack in stacks]
    return database, process, leaves, path / "made.db"


@pytest.mark.parametrize("stack, phase", [*LIBRARIES.items(), *NAMES.items()])
def test_a_stack_is_in_its_phase(tmp_path, stack, phase):
    database, _, _, path = made(tmp_path, "<module> > " + stack if not stack.startswith("<module>") else stack)
    database.write(path)
    assert seconds_of(report_of(path)) == {phase: SAMPLE_S}


@pytest.mark.parametrize("below, others", [
    (f"{MODULE} > Actor.forward", {"forward": SAMPLE_S}), (BACKWARD, {"backward": SAMPLE_S}), ("policy_loss", {"forward": SAMPLE_S}),
    ("mse_loss@torch/nn/functional.py", {"forward": SAMPLE_S}), ("helper > Agent.update > backward", {"backward": SAMPLE_S}),
    ("step@torch/optim/adam.py", None), ("clip_gradients", None), ("advantages", None)])
def test_an_update_that_is_a_whole_step_is_no_optimizer(tmp_path, below, others):
    """Which only what it calls elsewhere tells: PPO's update makes advantages, passes forward and backward, and steps."""
    stack = "<module> > train > PPO.update"
    database, _, _, path = made(tmp_path, stack, f"{stack} > {below}", f"{stack} > advantages")
    database.write(path)
    phases = seconds_of(report_of(path))
    assert phases == ({"other": 2 * SAMPLE_S, **others} if others else {"optimizer": 3 * SAMPLE_S})


def test_without_qualified_names(tmp_path):
    """Before CPython 3.11 the class is not known: the library's files are."""
    stacks = ["<module> > train > _call_impl@torch/nn/modules/module.py", "<module> > train > step@torch/optim/sgd.py",
              "<module> > train > backward@torch/_tensor.py", "<module> > train > forward", "<module> > train > <genexpr>"]
    database, _, _, path = made(tmp_path, *stacks)
    database.processes[0].python = 0x030900F0
    database.write(path)
    assert seconds_of(report_of(path)) == {"forward": 2 * SAMPLE_S, "optimizer": SAMPLE_S, "backward": SAMPLE_S, "other": SAMPLE_S}


def test_a_worker_loads_data_whatever_its_threads_do(tmp_path):
    database, _, _, path = made(tmp_path, f"<module> > train > {MODULE}")
    worker = database.process(python=sys.hexversion, pid=4243)
    add_stack(worker, worker.root(), "<module> > train > _worker_loop@torch/utils/data/_utils/worker.py")
    add_stack(worker, worker.root(1), "Thread._bootstrap@threading.py > Queue._feed@threading.py")
    worker.node(worker.root(2), make_db.NATIVE, NATIVE, samples=1)
    database.write(path)
    assert seconds_of(report_of(path)) == {"forward": SAMPLE_S, "data_loading": 3 * SAMPLE_S}


def test_threads_without_python_are_told_apart(tmp_path):
    database, process, _, path = made(tmp_path, f"<module> > train > {MODULE}", f"<module> > train > {BACKWARD}", "<module> > train")
    process.node(process.root(2), make_db.NATIVE, NATIVE, samples=7)
    database.write(path)
    other = report_of(path)["totals"]["phases"]["other"]
    assert (other["time_s"], other["elsewhere_s"]) == (8 * SAMPLE_S, 7 * SAMPLE_S)
    assert "phases  forward 10 %, backward 10 %, other 10 %, outside Python 70 %\n" in whole.read_report(path)


def test_imports_are_in_no_phase(tmp_path):
    stacks = ["<module> > forward > _find_and_load@<frozen importlib._bootstrap>", f"<module> > train > {MODULE}"]
    database, _, _, path = made(tmp_path, *stacks)
    database.write(path)
    report = report_of(path)
    assert seconds_of(report) == {"forward": SAMPLE_S}
    assert report["totals"]["import_s"] == SAMPLE_S


HOSTILE = ["", ".", "..", "<", ">", "<>", "<locals>", ".<locals>.", "a.<locals>.<genexpr>", ".<locals>.<genexpr>", "\0", "\x1b[31m",
           "\u00e9", "_" * 500, "A" * 63, "A" * 64, "aB" * 40, "a_" * 40, "." * 4000, "forward" * 2000, "x" * 63 + ".forward",
           "x" * 64 + ".step", "forward.", ".forward", " forward ", "f\u00f6rward", "load_", "_batch", "0", "9forward"]


@pytest.mark.parametrize("file", ["", "/", "x", "/torch/utils/data/", "torch/utils/data/x.py", "/" + "optim.py" * 30, "<string>",
                                  PACKAGES, PACKAGES + "torch", PACKAGES + "sklearn/x.py", "/dataset.py"])
def test_odd_names_do_no_harm(tmp_path, file):
    database, process, _, path = made(tmp_path, f"<module> > train > {MODULE}")
    for name in HOSTILE:
        node = process.frame(process.root(), process.code(name, file))
        node = process.frame(process.frame(node, process.code(name, "/home/me/a.py")), process.code("Net." + name, file))
        process.node(node, make_db.NATIVE, NATIVE, samples=1)
    database.write(path)
    report = report_of(path)
    assert sum(seconds_of(report).values()) == pytest.approx((len(HOSTILE) + 1) * SAMPLE_S)
    assert whole.read_report(path, "--top", "0")


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    """A forward that makes its mask again and stores over it, a backward, an optimizer, a loader; each in a file of its own."""
    stacks = [f"<module> > train > {MODULE} > Net.forward@model.py", f"<module> > train > {BACKWARD} > Clip.backward@clip.py",
              "<module> > train > sgd_step@descent.py", "<module> > train > next_batch@reader.py", "<module> > train"]
    database, process, leaves, path = made(tmp_path_factory.mktemp("training"), *stacks)
    forward, backward, _, loading, _ = leaves
    model = make_db.NODE.unpack(process.records["NODE"][forward - 1])[1]
    mask = process.node(model, make_db.NATIVE, NATIVE + 16, samples=40)
    process.site(mask, 524288, period=1, births=260, replicas=259)
    process.site(loading, 4096, births=20)
    process.site(backward, 4096, births=10, workspaces=3)
    process.pair(mask, forward, (make_db.STORE, make_db.STORE), count=97)
    process.pair(loading, loading, (make_db.LOAD, make_db.LOAD), flags=make_db.SAME_VALUE, count=30)
    database.write(path)
    return path


def test_phases_part_the_totals(training):
    totals = report_of(training)["totals"]
    assert seconds_of(report_of(training)) == pytest.approx(
        {"data_loading": SAMPLE_S, "forward": 41 * SAMPLE_S, "backward": SAMPLE_S, "optimizer": SAMPLE_S, "other": SAMPLE_S})
    wholes = {**totals["time_s"], "elsewhere": totals["elsewhere_s"]}
    for part in ("python", "native", "boundary", "elsewhere"):
        assert sum(phase[part + "_s"] for phase in totals["phases"].values()) == pytest.approx(wholes[part])
    assert {name: phase["replicas"]["of_objects"] for name, phase in totals["phases"].items()} == {
        "data_loading": 20, "forward": 260, "backward": 7, "optimizer": 0, "other": 0}
    assert totals["phases"]["forward"]["replicas"]["bytes"] == totals["replicas"]["bytes"] == 259 * 524288


def files_of(places):
    return [place["file"].rsplit("/", 1)[1] for place in places]


def test_lines_pairs_and_findings_name_their_phase(training):
    report = report_of(training)
    phases = {line["file"].rsplit("/", 1)[1]: {name for name, seconds in line["phases"].items() if seconds} for line in report["lines"]}
    assert phases == {"model.py": {"forward"}, "clip.py": {"backward"}, "descent.py": {"optimizer"}, "reader.py": {"data_loading"},
                      "train.py": {"other"}}
    assert [(finding["phase"], finding["second"]["phase"]) for finding in report["findings"]] == [("forward", "forward")]
    assert {(pair["verdict"], pair["phase"], pair["first"]["phase"]) for pair in report["pairs"]} == {
        ("dead_store", "forward", "forward"), ("redundant_load", "data_loading", "data_loading")}


@pytest.mark.parametrize("phase, files, findings, pairs", [
    ("forward", ["model.py"], 1, ["dead_store"]), ("data_loading", ["reader.py"], 0, ["redundant_load"]),
    ("backward", ["clip.py"], 0, []), ("optimizer", ["descent.py"], 0, []), ("other", ["train.py"], 0, [])])
def test_the_filter_leaves_one_phase(training, phase, files, findings, pairs):
    report = report_of(training, "--phase", phase)
    assert files_of(report["lines"]) == files
    assert len(report["findings"]) == findings
    assert [pair["verdict"] for pair in report["pairs"]] == pairs
    totals, of_run = report["totals"], report_of(training)["totals"]
    assert (report["phase"], report_of(training)["phase"]) == (phase, None)
    assert totals["phases"] == of_run["phases"], "the table of phases is the run's"
    assert (totals["time_s"]["total"], totals["elsewhere_s"]) == (of_run["phases"][phase]["time_s"], of_run["phases"][phase]["elsewhere_s"])
    assert totals["replicas"] == of_run["phases"][phase]["replicas"]
    text = whole.read_report(training, "--phase", phase)
    assert files[0] in text and not any(file in text.split("phases")[1] for file in {"model.py", "clip.py", "descent.py"} - set(files))


def test_an_unknown_phase_is_refused_with_the_list(training):
    done = whole.execute([whole.REPORT, "--phase", "warmup", training])
    assert (done.returncode, done.stdout) == (2, "")
    assert "warmup" in done.stderr and done.stderr.count("\n") == 1
    assert all(phase in done.stderr for phase in PHASES)
    described = whole.execute([whole.REPORT, "report", "--help"]).stdout
    assert "--phase " + "|".join(PHASES) in described


def test_the_page_tells_phases_of_a_training_alone(training, tmp_path):
    page = whole.read_report(training)
    assert "phases  data loading 2 %, forward 91 %, backward 2 %, optimizer 2 %, other 2 %\n" in page
    assert "exact; in forward" in page
    assert "all in data loading" in page
    database, process, _, path = made(tmp_path, "<module> > main > filter_gradient", "<module> > main")
    process.cpu_seconds = 0.008  # what its samples stand for
    database.write(path)
    page = whole.read_report(path)
    assert "phases" not in page and "backward" not in page, "one name makes no training"
    filtered = whole.read_report(path, "--phase", "forward")
    assert "phases" not in filtered and "nothing to report for these options" in filtered


def measured(directory, interpreter, *command):
    """The report of a real run, at a rate that gives even a short line's shares a hundred samples."""
    database = directory / "out.db"
    done = whole.execute([*interpreter.command, *command], cwd=directory, env=whole.environment(
        interpreter, LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE="1000", PIEPROF_BUDGET="100"))
    assert done.returncode == 0, done.stderr
    report = report_of(database)
    total = report["totals"]["time_s"]["total"]
    assert sum(seconds_of(report).values()) == pytest.approx(total, abs=1e-5)
    for line in report["lines"]:
        assert sum(line["phases"].values()) == pytest.approx(line["time_s"], abs=1e-5)
    return report


def profiled(directory, interpreter, program, *arguments):
    """Own lines by their text, and the report, of a real run of a program's text."""
    interpreter = whole.INTERPRETERS[interpreter]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    path = directory / "program.py"
    path.write_text(textwrap.dedent(program))
    report = measured(directory, interpreter, path, *arguments)
    return {line["text"].strip(): line for line in report["lines"] if line["text"] and line["own"]}, report


def assert_phases(lines, expected):
    """Nine tenths of each line's seconds lie in its phase; what stands beside the call on the line is other."""
    for text, phase in expected.items():
        line = lines[text]
        assert line["time_s"] > 0, text
        assert line["phases"][phase] >= 0.9 * line["time_s"], (text, line["phases"])


LOADER = """
    import sys
    import numpy as np
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Pictures(Dataset):
        shrink = nn.AvgPool2d(2)
        def __len__(self):
            return 384
        def __getitem__(self, index):
            picture = np.random.default_rng(index).normal(size=(1, 128, 128))
            return self.shrink(torch.from_numpy(picture)).float(), index % 10

    model = nn.Sequential(nn.Conv2d(1, 16, 5, 2), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12544, 64),
                          nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(5):
        for pictures, labels in DataLoader(Pictures(), 32, num_workers=int(sys.argv[1])):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(pictures), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
"""


@pytest.mark.parametrize("interpreter, workers", [("debian", 0), ("debian", 2), ("venv", 2)])
def test_a_training_with_a_loader(tmp_path, interpreter, workers):
    lines, report = profiled(tmp_path, interpreter, LOADER, workers)
    assert_phases(lines, {
        "loss = nn.functional.cross_entropy(model(pictures), labels)": "forward", "loss.backward()": "backward",
        "optimizer.step()": "optimizer", "picture = np.random.default_rng(index).normal(size=(1, 128, 128))": "data_loading",
        "return self.shrink(torch.from_numpy(picture)).float(), index % 10": "data_loading"})
    assert len(report["run"]["processes"]) == (11 if workers else 1)


CLOSURE = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    x, y = torch.randn(3000, 64), torch.randn(3000, 1)
    net = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 1))
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=20, history_size=50)
    def misfit():
        optimizer.zero_grad()
        scores = torch.sin(x) + torch.cos(x)
        loss = ((net(scores) - y) ** 2).mean()
        loss.backward()
        return loss
    for _ in range(20):
        optimizer.step(misfit)
"""


@pytest.mark.parametrize("interpreter", ["debian", "venv"])
def test_a_closure_is_no_optimizer(tmp_path, interpreter):
    lines, _ = profiled(tmp_path, interpreter, CLOSURE)
    assert_phases(lines, {"scores = torch.sin(x) + torch.cos(x)": "forward", "loss = ((net(scores) - y) ** 2).mean()": "forward",
                          "loss.backward()": "backward", "optimizer.step(misfit)": "optimizer"})


CHECKPOINT = """
    import sys
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint
    torch.manual_seed(0)
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)) for _ in range(4))
        def forward(self, x):
            for block in self.blocks:
                x = checkpoint(self.again, block, x, use_reentrant=sys.argv[1] == "reentrant")
            return x
        def again(self, block, x):
            return block(x)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(40):
        loss = net(torch.randn(256, 256, requires_grad=True)).square().mean()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("interpreter, way", [("debian", "reentrant"), ("venv", "other")])
def test_what_a_checkpoint_computes_again_is_backward(tmp_path, interpreter, way):
    lines, _ = profiled(tmp_path, interpreter, CHECKPOINT, way)
    again = lines["return block(x)"]
    assert again["phases"]["forward"] > 0.25 * again["time_s"] and again["phases"]["backward"] > 0.25 * again["time_s"]
    assert again["phases"]["forward"] + again["phases"]["backward"] == pytest.approx(again["time_s"], abs=1e-5)
    assert_phases(lines, {"loss.backward()": "backward"})


DEEP = """
    import time
    import torch
    matrix = torch.randn(300, 300)
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x.clone()
        @staticmethod
        def backward(ctx, slope):
            with torch.enable_grad():
                if ctx.depth == 0:
                    y = x = matrix.clone().requires_grad_()
                    for _ in range(40):
                        y = torch.tanh(y @ x)
                else:
                    y = Deep.apply(torch.ones(1, requires_grad=True), ctx.depth - 1)
                torch.autograd.backward(y.sum())
            return slope, None
    for _ in range(10):
        Deep.apply(torch.ones(1, requires_grad=True), 60).backward()
    # The engine's thread lets go of the last pass's graph after backward() has returned, and wants the interpreter for it. Where
    # that has ended by then, the process is aborted, profiled or not: https://github.com/pytorch/pytorch/issues/38228.
    time.sleep(0.5)
"""


@pytest.mark.parametrize("interpreter", ["debian", "venv"])
def test_autograds_own_threads_are_backward(tmp_path, interpreter):
    """Beyond 60 passes within each other the engine goes on in a thread of its own: told at the line that waits for it."""
    _, report = profiled(tmp_path, interpreter, DEEP)
    line = next(line for line in report["lines"] if "torch.autograd.backward(y.sum())" in (line["text"] or ""))
    assert line["worker_s"] > 0.1
    assert line["phases"]["backward"] == pytest.approx(line["time_s"], abs=0.01)


EXAMPLE_LINES = {
    "mlp_numpy": {"self.hidden = np.maximum(": "forward", "hidden_error = (error @": "backward", "weight -= RATE * gradient": "optimizer",
                  whole.STANDARDISE: "other"},
    "cnn_digits": {"fine = functional.interpolate(": "forward", "loss.backward()": "backward", "optimizer.step()": "optimizer"},
    "transformer": {"decay = torch.stack(": "forward", "loss.backward()": "backward", "optimizer.step()": "optimizer"},
    "conv_loops": {"gradient += window": "backward"},
}


@pytest.mark.parametrize("example", whole.EXAMPLES)
def test_examples(tmp_path, example):
    command = whole.command_of(whole.EXAMPLES[example], "wasteful", whole.INTERPRETERS["debian"])
    report = measured(tmp_path, whole.INTERPRETERS["debian"], *command[1:])
    lines = {line["text"]: line for line in report["lines"] if line["text"]}
    found = {text: next(line for full, line in lines.items() if text in full) for text in EXAMPLE_LINES[example]}
    assert_phases(found, EXAMPLE_LINES[example])
