"""Every example under the shim: it prints what it printed before, and the report names the lines."""
import functools
import json
import math

import jsonschema
import pytest
import whole

RUNS = [(example, "wasteful", interpreter) for interpreter in ("debian", "shared") for example in whole.EXAMPLES]
RUNS += [("transformer", "wasteful", "venv")]
RUNS += [(example, "fixed", "debian") for example in whole.EXAMPLES]


def parametrize(runs):
    return pytest.mark.parametrize("example, version, interpreter", runs, ids=["-".join(run) for run in runs])


all_runs = parametrize(RUNS)
wasteful_runs = parametrize([run for run in RUNS if run[1] == "wasteful"])


def of(example, version, interpreter):
    interpreter = whole.INTERPRETERS[interpreter]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    return whole.EXAMPLES[example], version, interpreter


def allowed(share, count):
    return share * count + 2 * math.sqrt(share * (1 - share) * count)


@functools.lru_cache(maxsize=None)
def schema():
    return json.loads(whole.SCHEMA.read_text())


def user_lines(example, run):
    """Ranked line numbers of the training program's own file, with the other files' lines between as None."""
    path = str(example.path("wasteful"))
    return [line["line"] if line["file"] == path else None for line in run.report["lines"]]


@pytest.mark.parametrize("example", whole.EXAMPLES)
def test_wasteful_and_fixed_print_the_same(example):
    debian = whole.INTERPRETERS["debian"]
    wasteful, fixed = (whole.plain_run(whole.EXAMPLES[example], version, debian) for version in ("wasteful", "fixed"))
    assert wasteful.status == 0, wasteful.stderr
    assert wasteful.stdout == fixed.stdout


@all_runs
def test_program_behaves_as_without_the_shim(example, version, interpreter):
    plain = whole.plain_run(*of(example, version, interpreter))
    profiled = whole.profiled_run(*of(example, version, interpreter))
    assert (profiled.status, profiled.stdout, profiled.stderr) == (plain.status, plain.stdout, plain.stderr)
    assert plain.status == 0


@all_runs
def test_json_follows_its_schema(example, version, interpreter):
    jsonschema.validate(whole.profiled_run(*of(example, version, interpreter)).report, schema())


@all_runs
def test_run_is_described(example, version, interpreter):
    example, version, interpreter = of(example, version, interpreter)
    report = whole.profiled_run(example, version, interpreter).report
    assert [process["python"] for process in report["run"]["processes"]] == [interpreter.version]
    assert str(example.path(version)) in report["run"]["command"]
    assert report["run"]["engines"]["time"]["on"]
    assert report["run"]["engines"]["access"]["on"], report["run"]["engines"]["access"]["why_off"]
    assert report["run"]["duration_s"] > 0


@all_runs
def test_samples_resolve(example, version, interpreter):
    """95 % resolved, 15 % ended: beyond what chance explains in a short run (two standard deviations)."""
    health = whole.profiled_run(*of(example, version, interpreter)).health
    tried = health["native"] - health["call_ended"]
    assert (1 - health["resolved"]) * tried <= allowed(0.05, tried), health
    assert health["call_ended"] <= allowed(0.15, health["native"]), health


@pytest.mark.parametrize("example", whole.EXAMPLES)
def test_enough_samples_look_for_an_access(example):
    """How many one run of some seconds can afford is the machine's matter: they are counted over an example's runs."""
    runs = [whole.profiled_run(*of(*run)) for run in RUNS if run[0] == example]
    assert sum(run.health["native"] for run in runs) >= 60, [run.health for run in runs]


@all_runs
def test_seconds_add_up(example, version, interpreter):
    report = whole.profiled_run(*of(example, version, interpreter)).report
    time_s = report["totals"]["time_s"]
    parts = time_s["python"] + time_s["native"] + time_s["boundary"]
    assert parts == pytest.approx(time_s["total"], rel=0.01, abs=0.01)
    for line in report["lines"]:
        assert line["time_s"] <= time_s["total"] * 1.001
        assert line["python_s"] + line["native_s"] + line["boundary_s"] == pytest.approx(line["time_s"], abs=0.01)


@wasteful_runs
def test_planted_lines_are_named(example, version, interpreter):
    example, version, interpreter = of(example, version, interpreter)
    lines = user_lines(example, whole.profiled_run(example, version, interpreter))
    assert [text for text in example.planted if example.line_of(text) not in lines] == []


@wasteful_runs
def test_costly_planted_line_leads(example, version, interpreter):
    example, version, interpreter = of(example, version, interpreter)
    run = whole.profiled_run(example, version, interpreter)
    first_three = user_lines(example, run)[:3]
    assert [text for text in example.leading if example.line_of(text) not in first_three] == [], first_three
    assert [text for text in example.leading if text not in run.text] == [], "source text is not quoted"


@all_runs
def test_top_lines_are_the_users(example, version, interpreter):
    example, version, interpreter = of(example, version, interpreter)
    run = whole.profiled_run(example, version, interpreter)
    top = run.report["lines"][0]
    assert top["file"] == str(example.path(version))
    assert top["function"]
