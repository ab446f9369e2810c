"""The phase as a column and a filter of every verb: figures of one phase, findings as they are without it, what must not be compared."""
import json
import re
import textwrap

import jsonschema
import pytest

import whole
from gating import ADDRESS, SCHEMAS, Program, export, failing, gate, make_db, refused, verdict, words
from reports import report, report_json

PHASES = ["data_loading", "forward", "backward", "optimizer", "other"]
RECOGNISED = PHASES[:-1]
SAMPLE_S = 0.004
TEXT = """import numpy as np

def scale(x):
    return np.ones(512) * x

def forward(x):
    mask = np.tri(512)
    return scale(x) + mask

def backward(x):
    slope = np.tri(256)
    return scale(x) * slope

def load_batch(i):
    return np.arange(i)

def update_weights(w):
    w -= np.full(512, 3.0)

def main(steps):
    for i in range(steps):
        x = load_batch(i)
        y = forward(x)
        backward(y)
        update_weights(x)
        log = np.zeros(300)

main(20)
"""
MIB = 2**20


class Training(Program):
    """Where each phase has a way through main() of its own, and scale() is called in two."""

    WAYS = {"data_loading": [("main", "x = load"), ("load_batch", "np.arange")], "forward": [("main", "y = "), ("forward", "np.tri(512)")],
            "backward": [("main", "    backward(y)"), ("backward", "np.tri(256)")], "optimizer": [("main", "update_weights(x)"), ("update_weights", "np.full")],
            "other": [("main", "log = ")], "scale forward": [("main", "y = "), ("forward", "scale(x) + mask"), ("scale", "np.ones")],
            "scale backward": [("main", "    backward(y)"), ("backward", "scale(x) * slope"), ("scale", "np.ones")]}

    def __init__(self, text=TEXT, **facts):
        super().__init__(text, **facts)
        self.process.events = ["PAPI_TOT_INS"]

    def way(self, name, **time):
        steps = self.WAYS[name] if isinstance(name, str) else name
        node = self.frame(self.process.root(), "<module>", self.text.splitlines()[-1])
        for function, line in steps:
            node = self.frame(node, function, line)
        return self.process.node(node, make_db.NATIVE, ADDRESS, **time)

    def made(self, name, size, births, replicas=0, samples=10, **counters):
        node = self.way(name, samples=samples)
        return node, self.process.site(node, size, births=births, replicas=replicas, period=1 if replicas else 0, **counters)


def training(births=260, forward=None, backward=0, size=MIB, text=TEXT, **facts):
    """Forward makes its mask again each time, and scale() its ones, where backward makes new ones."""
    program, process = Training(text, **facts), None
    process = program.process
    replicas = births - 1 if forward is None else forward
    ends = [program.made("data_loading", 65536, births, samples=7), program.made("forward", size, births, replicas, samples=40, peak_objects=2),
            program.made("backward", 2 * MIB, births, backward, samples=30, workspaces=5, peak_objects=1), program.made("optimizer", 4096, births, samples=5),
            program.made("other", 32768, births, samples=3, peak_objects=1), program.made("scale forward", MIB // 2, births, replicas, samples=20),
            program.made("scale backward", MIB // 2, births, samples=11)]
    for number, (node, site) in enumerate(ends):
        process.pair(node, node, (make_db.STORE, make_db.STORE), flags=make_db.USED, count=20 + number, site=site)
        process.pair(node, node, flags=make_db.SAME_VALUE, count=30 + number)
        process.pair(node, node, klass=2, count=3 + number)
        process.stores(node, 4 + number, 9)
        process.counter(node, 0, 1000 * (number + 1))
    process.node(process.root(2), make_db.NATIVE, ADDRESS, samples=6)
    process.frame(program.frame(process.root(), "<module>", "main(20)"), program.numbers["load_batch"], samples=2)
    process.cpu_seconds = 1
    process.live([8 * MIB])
    return program


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


# The gate.


def test_a_phase_alone_decides(tmp_path):
    base = training(backward=0).write(tmp_path / "base.db")
    now = training(backward=254).write(tmp_path / "now.db")
    assert failing(verdict(now, "--baseline", base, status=1)) == [("new", "replica", 11)]
    for phase in PHASES:
        data = verdict(now, "--baseline", base, "--phase", phase, status=1 if phase == "backward" else 0)
        assert failing(data) == ([("new", "replica", 11)] if phase == "backward" else [])
        assert all(item["phase"] == phase for item in data["items"])
        baseline = export(base, "--phase", phase)
        assert failing(verdict(now, "--baseline", baseline, "--phase", phase, status=None)) == failing(data)
    assert "gate failed" in gate(now, "--baseline", base, "--phase", "backward").stdout
    assert "base.db, phase backward: 1 new" in words(gate(now, "--baseline", base, "--phase", "backward").stdout)


def test_limits_are_of_the_phase(run):
    assert failing(verdict(run, "--max", "findings=0", status=1))
    for phase in PHASES:
        verdict(run, "--max", "findings=0", "--max", "replicas=1MiB", "--phase", phase, status=1 if phase == "forward" else 0)
    (item,) = [item for item in verdict(run, "--max", "findings=1", "--phase", "forward", status=1)["items"] if item["fails"]]
    assert item["why"].startswith("findings is 2") and item["phase"] == "forward"


def test_exceptions_of_other_phases_are_not_called_unused(tmp_path):
    """A comment and an id that forward needs, and none of either that anybody does."""
    text = TEXT.replace("mask = np.tri(512)", "mask = np.tri(512)  # pieprof: ignore[replica] a test")
    path = training(text=text).write(tmp_path / "run.db")
    (scale,) = [item["id"] for item in verdict(path, "--max", "findings=9", status=0)["items"] if item["line"] == 4]
    for phase in ("forward", "backward"):
        data = verdict(path, "--max", "findings=0", "--allow", scale, "--phase", phase, status=None)
        assert not data["notes"] and data["counts"]["suppressed"] == (phase == "forward")
    assert len(verdict(path, "--max", "findings=9", "--allow", "0" * 16, status=0)["notes"]) == 1
    path = training(text=text.replace("[replica] a test", "[bogus]")).write(tmp_path / "run.db")
    (note,) = verdict(path, "--max", "findings=9", "--phase", "forward", status=0)["notes"]
    assert "there is no such kind of finding" in note


def test_only_one_phase_is_compared_with_itself(run, tmp_path):
    copy = tmp_path / "copy.db"
    copy.write_bytes(run.read_bytes())
    of_run = export(copy).rename(tmp_path / "run.json")
    forward = export(copy, "--phase", "forward").rename(tmp_path / "forward.json")
    backward = export(copy, "--phase", "backward").rename(tmp_path / "backward.json")
    both = "compare the same phase of both (--phase)"
    line = refused(run, "--baseline", forward)
    assert "the run is of all phases, and the baseline of phase forward: " in line and both in line
    for base, asked, told in ((of_run, "forward", "all phases"), (backward, "forward", "phase backward"), (forward, "other", "phase forward")):
        line = refused(run, "--baseline", base, "--phase", asked)
        assert f"{base.name} is a baseline of {told}, and --phase asks for phase {asked}; " in line and f"export --phase {asked}" in line
        for arguments in (["diff", base, run], ["diff", run, base], ["export", base]):
            done = report(*arguments, "--phase", asked)
            assert (done.returncode, done.stdout, done.stderr.splitlines()) == (2, "", [line])
    for base, now, told in ((run, forward, ("all phases", "phase forward")), (backward, forward, ("phase backward", "phase forward")), (forward, of_run, ("phase forward", "all phases"))):
        done = report("diff", base, now)
        (line,) = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (2, "") and f"{base.name} is of {told[0]}, and " in line and f"{now.name} of {told[1]}: " in line and both in line
    assert "now are of" not in refused(run, copy, "--baseline", of_run, forward)
    assert f"{tmp_path}/run.json is of all phases, and {tmp_path}/forward.json of phase forward" in refused(of_run, forward, "--max", "findings=9")
    verdict(run, "--baseline", forward, "--phase", "forward", status=0)
    verdict(forward, "--baseline", forward, status=0)
    assert report("diff", forward, forward).returncode == 0


def test_a_baseline_that_is_written_says_its_phase(run, tmp_path):
    baseline = tmp_path / "new.json"
    verdict(run, "--baseline", baseline, "--update-baseline", "--phase", "forward", status=0)
    assert json.loads(baseline.read_text())["phase"] == "forward"
    verdict(run, "--baseline", baseline, "--phase", "forward", status=0)
    before = baseline.read_bytes()
    refused(run, "--baseline", baseline, "--update-baseline")
    refused(run, "--baseline", baseline, "--update-baseline", "--phase", "other")
    assert baseline.read_bytes() == before


def test_a_baseline_of_a_phase_is_the_same_bytes_for_the_same_counts(run, tmp_path):
    other = training()
    other.process.node(other.way("forward", samples=90), make_db.NATIVE, ADDRESS, samples=20)
    assert export(other.write(tmp_path / "other.db"), "--phase", "forward").read_text() == \
        report("export", run, "--phase", "forward").stdout


RENAMED = TEXT.replace("forward", "apply_all")


@pytest.mark.parametrize("exported", [False, True])
def test_what_another_phase_did_is_not_held_against_this_one(tmp_path, exported):
    """The function got a name that tells its phase: no line of it is new, nor has it begun to repeat."""
    class Renamed(Training):
        WAYS = {name: [(function.replace("forward", "apply_all"), line) for function, line in way] for name, way in Training.WAYS.items()}
    program = Renamed(RENAMED)
    program.made("forward", MIB, 260, 259, samples=40)
    program.made("backward", MIB, 260)
    base = program.write(tmp_path / "base.db")
    program = Training()
    program.made("forward", MIB, 260, 259, samples=40)
    program.made("backward", MIB, 260)
    now = program.write(tmp_path / "now.db")
    assert failing(verdict(now, "--baseline", base, status=0)) == []
    base = export(base, "--phase", "forward") if exported else base
    (item,) = verdict(now, "--baseline", base, "--phase", "forward", status=0)["items"]
    assert item["verdict"] == "cannot tell" and "In the baseline this line worked in other phases alone" in item["why"]


@pytest.mark.parametrize("exported", [False, True])
def test_a_new_line_is_new_in_its_phase(tmp_path, exported):
    program = Training(TEXT.replace("    mask = np.tri(512)\n", "").replace(" + mask", ""))
    program.made("data_loading", 4096, 20)
    base = program.write(tmp_path / "base.db")
    program = Training()
    program.made("forward", MIB, 260, 259, samples=40)
    now = program.write(tmp_path / "now.db")
    base = export(base, "--phase", "forward") if exported else base
    assert failing(verdict(now, "--baseline", base, "--phase", "forward", status=1)) == [("new", "replica", 7)]


@pytest.mark.parametrize("exported", [False, True])
def test_lines_of_other_phases_tell_how_large_the_data_is(tmp_path, exported):
    """Buffers of four times the size: where another line's are, too, that is the data; where none is, it is more waste."""
    def of(name, size, beside):
        program = Training()
        program.made("forward", size, 260, 259, samples=40)
        program.made("data_loading", beside, 260)
        return program.write(tmp_path / f"{name}.db")
    now = of("now", 4 * MIB, 256 * 1024)
    for beside, status in ((65536, 0), (256 * 1024, 1)):
        base = of("base", MIB, beside)
        verdict(now, "--baseline", base, status=status)
        base = export(base, "--phase", "forward") if exported else base
        (item,) = verdict(now, "--baseline", base, "--phase", "forward", status=status)["items"]
        assert item["verdict"] == ("increased" if status else "known")


@pytest.mark.parametrize("exported", [False, True])
def test_lines_of_other_phases_tell_how_long_the_run_is(tmp_path, exported):
    """What came once in a run of one epoch, and comes in each of 25: a line of another phase grew as the run did."""
    def of(name, epochs, beside):
        program = Training()
        program.made("forward", MIB, epochs, epochs - 1, samples=40)
        program.made("other", 65536, beside)
        return program.write(tmp_path / f"{name}.db")
    now = of("now", 25, 25)
    for beside, status, told in ((1, 0, "cannot tell"), (25, 1, "new")):
        base = of("base", 1, beside)
        verdict(now, "--baseline", base, status=status)
        base = export(base, "--phase", "forward") if exported else base
        (item,) = verdict(now, "--baseline", base, "--phase", "forward", status=status)["items"]
        assert item["verdict"] == told


@pytest.mark.parametrize("phase, status", [("backward", 1), ("forward", 0), (None, 1)])
def test_times_of_a_phase(tmp_path, phase, status):
    """scale() became slower where backward() calls it; of forward nothing did."""
    def runs(side, samples):
        for number in range(3):
            program = Training()
            program.way("forward", samples=1000 + number)
            program.way("scale forward", samples=500 - number)
            program.way("scale backward", samples=samples + number)
            yield program.write(tmp_path / f"{side}{number}.db")
    now, base = list(runs("now", 900)), list(runs("base", 500))
    data = verdict(*now, "--baseline", *base, "--time", "20%", *(["--phase", phase] if phase else []), status=status)
    assert {item["line"] for item in data["items"] if item["fails"]} == ({4} if status and not phase else {4, None} if status else set())


def test_every_output_of_the_gate_names_phases(tmp_path):
    base = training(forward=0).write(tmp_path / "base.db")
    now = training().write(tmp_path / "now.db")
    for form in ("text", "md", "github", "junit", "codeclimate", "sarif"):
        text = gate(now, "--baseline", base, "--format", form).stdout
        assert "Phase: forward" in words(text).replace("&#58;", ":").replace("&colon;", ":"), form
    sarif = json.loads(gate(now, "--baseline", base, "--format", "sarif", "--phase", "forward").stdout)
    jsonschema.validate(sarif, json.loads((whole.ROOT / "tests/schema/sarif-2.1.0-subset.schema.json").read_text()))
    assert sarif["runs"][0]["properties"] == {"phase": "forward"}
    assert {result["properties"]["phase"] for result in sarif["runs"][0]["results"]} == {"forward"}
    junit = gate(now, "--baseline", base, "--format", "junit", "--phase", "forward").stdout
    assert '<properties><property name="phase" value="forward"/></properties>' in junit
    for form in ("text", "md"):
        text = report("diff", base, now, "--format", form).stdout
        assert re.search(r"in forward", text), form


def test_one_name_makes_no_training(tmp_path):
    """As on the report's page: the column stays in JSON, but is not told to people."""
    def of(replicas):
        program = Training()
        program.made("forward", MIB, 260, replicas, samples=40)
        return program
    base, now = of(0).write(tmp_path / "base.db"), of(259).write(tmp_path / "now.db")
    assert "hase" not in gate(now, "--baseline", base).stdout
    assert {item["phase"] for item in verdict(now, "--baseline", base, status=1)["items"]} == {"forward"}


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
        interpreter, LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(directory / "out.db"), PIEPROF_RATE="1000", OMP_NUM_THREADS="1"))
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
    for phase in RECOGNISED:
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
