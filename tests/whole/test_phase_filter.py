"""The phase as a column and a filter of every verb: figures of one phase, findings as they are without it."""
import json
import re
import textwrap

import jsonschema
import pytest

import whole
from gating import SCHEMAS, export, failing, verdict
from phased import MIB, PHASES, SAMPLE_S, Training, training
from reports import report, report_json


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return training().write(tmp_path_factory.mktemp("run") / "run.db")


@pytest.fixture(scope="module")
def by_phase(run):
    return {phase: report_json(run, "--phase", phase, "--top", "0") for phase in PHASES}


def summed(parts, pick):
    return sum(pick(part) for part in parts.values())


TOTALS = {
    "time": lambda totals: totals["time_s"]["total"], "python": lambda totals: totals["time_s"]["python"],
    "native": lambda totals: totals["time_s"]["native"], "elsewhere": lambda totals: totals["elsewhere_s"],
    "instructions": lambda totals: totals["events"]["PAPI_TOT_INS"], "objects": lambda totals: totals["replicas"]["of_objects"],
    "replicas": lambda totals: totals["replicas"]["objects"], "bytes": lambda totals: totals["replicas"]["bytes"],
    "workspaces": lambda totals: totals["replicas"]["workspaces"], "sites": lambda totals: totals["replicas"]["sites"],
    "loads": lambda totals: totals["redundant_loads"]["pairs"], "stores": lambda totals: totals["redundant_stores"]["pairs"],
    "dead": lambda totals: totals["dead_stores"]["pairs"], "across": lambda totals: totals["dead_stores"]["across"]["pairs"],
    "other pairs": lambda totals: totals["other_pairs"], "live births": lambda totals: totals["memory"]["births"],
    "again": lambda totals: totals["memory"]["again_bytes"],
    "at peak": lambda totals: sum(line["bytes"] for line in totals["memory"]["at_peak"])}


@pytest.mark.parametrize("what", TOTALS)
def test_phases_add_up_to_the_run(run, by_phase, what):
    of_run = report_json(run)["totals"]
    assert TOTALS[what](of_run) > 0
    assert summed(by_phase, lambda part: TOTALS[what](part["totals"])) == pytest.approx(TOTALS[what](of_run), abs=1e-6)


LINE = {"time": lambda line: line["time_s"], "native": lambda line: line["native_s"], "samples": lambda line: line["samples"],
        "objects": lambda line: line["replicas"]["of_objects"], "replicas": lambda line: line["replicas"]["objects"],
        "loads": lambda line: line["redundant_loads"]["pairs"], "dead": lambda line: line["dead_stores"]["pairs"],
        "instructions": lambda line: line["events"].get("PAPI_TOT_INS", 0), "alive": lambda line: line["memory"]["births"]}


@pytest.mark.parametrize("what", LINE)
def test_lines_have_their_part(run, by_phase, what):
    """That of a phase is the line's seconds there, as the whole report says; a line of two phases stands in both."""
    for line in report_json(run, "--top", "0")["lines"]:
        parts = {phase: part for phase in PHASES for part in by_phase[phase]["lines"] if part["line"] == line["line"]}
        assert {phase for phase, seconds in line["phases"].items() if seconds} == set(parts)
        assert sum(LINE[what](part) for part in parts.values()) == pytest.approx(LINE[what](line), abs=1e-6)
        for phase, part in parts.items():
            assert part["time_s"] == pytest.approx(line["phases"][phase]) and part["phases"] == line["phases"]
            assert part["waste_s"] <= part["time_s"]
    assert {phase for phase in PHASES if any("np.ones" in line["text"] for line in by_phase[phase]["lines"])} == {"forward", "backward"}


def test_findings_are_those_of_the_run(run, by_phase):
    """Told as without the filter, each in one phase."""
    found = report_json(run, "--min-waste", "0")["findings"]
    parts = {phase: report_json(run, "--min-waste", "0", "--phase", phase)["findings"] for phase in PHASES}
    assert {phase for phase in PHASES if parts[phase]} == {"forward"} and len(found) == 2
    assert [{**finding, "rank": 0} for finding in found] == [{**finding, "rank": 0} for phase in PHASES for finding in parts[phase]]
    wasted = {phase: sum(line["waste_s"] for line in by_phase[phase]["lines"]) for phase in PHASES}
    assert wasted["forward"] == pytest.approx(60 * SAMPLE_S, rel=0.01) and wasted["backward"] == 0


def test_pairs_are_those_of_the_run(run, by_phase):
    pairs = report_json(run)["pairs"]
    assert {pair["phase"] for pair in pairs} == set(PHASES)
    assert summed(by_phase, lambda part: sum(pair["count"] for pair in part["pairs"])) == sum(pair["count"] for pair in pairs)
    assert all(pair["phase"] == phase for phase in PHASES for pair in by_phase[phase]["pairs"])


def test_every_verb_counts_the_same(run, tmp_path):
    copy = tmp_path / "copy.db"
    copy.write_bytes(run.read_bytes())
    for phase in [None, *PHASES]:
        asked = ["--phase", phase] if phase else []
        totals = report_json(run, *asked)["totals"]
        objects = totals["replicas"]
        births = objects["of_objects"] + objects["workspaces"] + objects["unfilled"]
        compared = json.loads(report("diff", run, copy, "--format", "json", *asked).stdout)
        jsonschema.validate(compared, SCHEMAS["diff"])
        assert compared["phase"] == phase and (compared["base"]["births"], compared["now"]["births"]) == (births, births)
        assert compared["base"]["time_s"] == pytest.approx(totals["time_s"]["total"], abs=1e-6)
        baseline = json.loads(export(copy, *asked).read_text())
        groups = [group for line in baseline["lines"] for group in line["objects"]]
        assert baseline.get("phase") == phase and baseline["version"] == (2 if phase else 1)
        assert sum(group["births"] for group in groups) == births and sum(group["bytes"] for group in groups) == compared["base"]["bytes"]
        assert sum(group["replicas"] for group in groups) == objects["objects"]
        judged = verdict(run, "--baseline", copy, *asked, status=0)
        assert judged["phase"] == phase
        assert judged["counts"]["known"] == compared["base"]["findings"] == len(baseline["findings"]) == (2 if phase in (None, "forward") else 0)


def test_baselines_have_the_column(run, tmp_path):
    copy = tmp_path / "copy.db"
    copy.write_bytes(run.read_bytes())
    baseline = json.loads(export(copy).read_text())
    phases = {line["text"]: line["phases"] for line in baseline["lines"]}
    assert phases["return np.ones(512) * x"] == ["forward", "backward"]
    assert phases["return np.arange(i)"] == ["data_loading"] and phases["log = np.zeros(300)"] == ["other"]
    assert {finding["phase"] for finding in baseline["findings"]} == {"forward"}


def test_dump_has_the_column_and_the_filter(run):
    def rows(*asked):
        done = report("dump", run, *asked)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()
    contexts = re.compile(r"^(NODE|PAIR|SITE|COUNTER) .* phase=(\w+)$")
    everything = rows()
    assert all(contexts.match(row) for row in everything if row.split()[0] in ("NODE", "PAIR", "SITE", "COUNTER"))
    rest = [row for row in everything if not contexts.match(row)]
    assert any(row.startswith("CODE ") for row in rest) and not any("phase=" in row for row in rest)
    for phase in PHASES:
        assert rows("--phase", phase) == [row for row in everything if row in rest or row.endswith(f" phase={phase}")]
        assert any(row.startswith("SITE ") for row in rows("--phase", phase) if row not in rest)


def test_sites_without_a_context_are_of_no_recognised_phase(tmp_path):
    program = training()
    program.process.site(0, MIB, births=9)
    path = program.write(tmp_path / "run.db")
    assert report("dump", path).stdout.count("\nSITE ") == 8 and " node=0 " in report("dump", path, "--phase", "other").stdout
    births = {phase: report_json(path, "--phase", phase)["totals"]["memory"]["births"] for phase in PHASES}
    assert sum(births.values()) == report_json(path)["totals"]["memory"]["births"] and births["other"] == 260 + 9


@pytest.mark.parametrize("verb", [["report"], ["diff"], ["gate"], ["export"], ["dump"]])
def test_unknown_phases_and_help(run, verb):
    runs = [run, run] if verb == ["diff"] else [run]
    done = report(*verb, *runs, "--phase", "warmup")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "--phase warmup: expected " + "|".join(PHASES) in line
    assert "--phase " + "|".join(PHASES) in report(*verb, "--help").stdout


def test_doctor_has_no_phases():
    assert report("doctor", "--phase", "forward").returncode == 2


def test_the_page_of_one_phase(run):
    page = report(run, "--phase", "forward", "--width", "200").stdout
    assert "of 0.24 s CPU time in forward, which is 48 % of the run's 0.50 s" in page
    assert "phases  data loading 7 %, forward 48 %, backward 33 %, optimizer 4 %, other 2 %, outside Python 5 %\n" in page
    assert "; over the run forward 65 %, backward 35 %\n" in page, "where else the line's time is"
    assert "; in forward\n" in page and "np.zeros(300)" not in page and "np.tri(256)" not in page
    assert "other lines, and other phases" in page
    page = report(run, "--phase", "optimizer", "--width", "200").stdout
    assert "next    in optimizer no line was found that computes again what it had" in page


def test_a_phase_that_took_no_time(tmp_path):
    program = Training()
    program.way("forward", samples=4)
    program.way("backward", samples=4)
    program.process.cpu_seconds = 0.032
    path = program.write(tmp_path / "run.db")
    page = report(path, "--phase", "optimizer").stdout
    assert "0 s CPU time in optimizer, which is 0 % of the run's 32 ms" in page and "nothing to report for these options." in page
    assert report_json(path, "--phase", "optimizer")["lines"] == []


def test_percents_are_those_of_the_run(run):
    """A finding below --min-waste stays there."""
    listed = [finding["id"] for finding in report_json(run, "--min-waste", "30")["findings"]]
    assert [finding["id"] for finding in report_json(run, "--min-waste", "30", "--phase", "forward")["findings"]] == listed == []
    assert len(report_json(run, "--min-waste", "10", "--phase", "forward")["findings"]) == 2


# A real run.

REAL = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    size = 256
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(size, size), nn.Linear(size, 1)
        def forward(self, x):
            mask = torch.tril(torch.ones(size, size))
            return self.last(torch.relu(self.first(x)) @ mask)
    def next_batch():
        return torch.randn(128, size)
    def train(steps):
        net = Net()
        optimizer = torch.optim.Adam(net.parameters())
        for step in range(steps):
            loss = net(next_batch()).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    train(150)
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    interpreter = whole.INTERPRETERS["debian"]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    directory = tmp_path_factory.mktemp("real")
    (directory / "train.py").write_text(textwrap.dedent(REAL))
    done = whole.execute([*interpreter.command, directory / "train.py"], cwd=directory, env=whole.environment(
        interpreter, LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(directory / "out.db"), PIEPROF_RATE="1000", PIEPROF_BUDGET="100",
        OMP_NUM_THREADS="1"))
    assert done.returncode == 0, done.stderr
    return directory / "out.db"


def test_a_real_training_asked_by_every_verb(real, tmp_path):
    copy = tmp_path / "copy.db"
    copy.write_bytes(real.read_bytes())
    of_run = report_json(real, "--min-waste", "0")
    parts = {phase: report_json(real, "--min-waste", "0", "--phase", phase) for phase in PHASES}
    assert summed(parts, lambda part: part["totals"]["time_s"]["total"]) == pytest.approx(of_run["totals"]["time_s"]["total"], abs=1e-5)
    assert summed(parts, lambda part: part["totals"]["replicas"]["objects"]) == of_run["totals"]["replicas"]["objects"] > 100
    assert summed(parts, lambda part: len(part["findings"])) == len(of_run["findings"])
    for phase in PHASES[:-1]:
        assert parts[phase]["totals"]["time_s"]["total"] > 0, phase
    (found,) = [finding for finding in parts["forward"]["findings"] if "torch.tril" in finding["text"]]
    assert found["kind"] == "replica"
    for phase, part in parts.items():
        compared = json.loads(report("diff", real, copy, "--format", "json", "--phase", phase).stdout)
        assert compared["now"]["time_s"] == pytest.approx(part["totals"]["time_s"]["total"], abs=1e-5)
        groups = [group for line in json.loads(export(copy, "--phase", phase).read_text())["lines"] for group in line["objects"]]
        assert sum(group["births"] for group in groups) == compared["now"]["births"]
        verdict(real, "--baseline", copy, "--phase", phase, status=0)
        verdict(real, "--baseline", copy.with_suffix(".json"), "--phase", phase, status=0)
        assert f" phase={phase}\n" in report("dump", real, "--phase", phase).stdout
    assert failing(verdict(real, "--max", "findings=0", "--phase", "forward", status=1))
    verdict(real, "--max", "findings=0", "--phase", "optimizer", status=0)
