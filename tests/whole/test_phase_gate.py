"""The gate and the diff of one phase: what decides, what must not be compared, and what other phases tell all the same."""
import json
import re

import jsonschema
import pytest

import whole
from gating import ADDRESS, export, failing, gate, make_db, refused, verdict, words
from phased import MIB, PHASES, TEXT, Training, training
from reports import report


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return training().write(tmp_path_factory.mktemp("run") / "run.db")


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


def test_a_phase_that_the_run_does_not_have_does_not_pass(tmp_path):
    program = Training()
    program.made("backward", MIB, 20)
    path = program.write(tmp_path / "run.db")
    line = refused(path, "--max", "findings=0", "--phase", "forward")
    assert "the run has neither a sample nor a buffer of phase forward" in line
    refused(path, "--baseline", path, "--phase", "forward")
    verdict(path, "--max", "findings=0", "--phase", "backward", status=0)


def test_a_phase_of_buffers_without_a_sample_is_judged(tmp_path):
    program = Training()
    program.made("forward", MIB, 20, samples=0)
    program.made("backward", MIB, 20)
    verdict(program.write(tmp_path / "run.db"), "--max", "findings=0", "--phase", "forward", status=0)


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
