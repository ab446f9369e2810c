"""Every example under the shim: it prints what it printed before, and the report names the lines; of objects the planted ones alone."""
import ast
import functools
import json
import math
import re
from pathlib import Path

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


def functions_of(example, version):
    """Line number to name of the function it is in, of an example's program."""
    tree = ast.parse(whole.EXAMPLES[example].path(version).read_text())
    return {line: node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
            for line in range(node.lineno, node.end_lineno + 1)}


@pytest.mark.parametrize("example, function", [("transformer", {"causal_mask", "position_encoding"}), ("mlp_numpy", {"standardise"}),
                                               ("cnn_digits", {"prepare"}), ("conv_loops", set())])
def test_planted_functions_of_the_examples_are_the_replica_findings(example, function):
    run = whole.profiled_run(whole.EXAMPLES[example], "wasteful", whole.INTERPRETERS["debian"])
    functions, path = functions_of(example, "wasteful"), str(whole.EXAMPLES[example].path("wasteful"))
    everything = json.loads(whole.read_report(run.database, "--format", "json", "--min-waste", "0"))
    for report in (run.report, everything):
        jsonschema.validate(report, schema())
        found = [finding for finding in report["findings"] if finding["kind"] == "replica"]
        assert {finding["file"] for finding in found} <= {path}
        assert {functions.get(finding["line"]) for finding in found} <= function
        assert bool(found) == bool(function)
        for finding in found:
            (loop,) = re.findall(r"outside the loop at wasteful.py:(\d+)", finding["advice"])
            assert Path(path).read_text().splitlines()[int(loop) - 1].startswith("    for ")
    if function:
        assert f" 1  wasteful.py:{run.report['findings'][0]['line']} " in run.text


@pytest.mark.parametrize("example", whole.EXAMPLES)
def test_fixed_examples_have_no_replica_findings(example):
    run = whole.profiled_run(whole.EXAMPLES[example], "fixed", whole.INTERPRETERS["debian"])
    report = json.loads(whole.read_report(run.database, "--format", "json", "--min-waste", "0"))
    assert [finding for finding in report["findings"] if finding["kind"] in ("replica", "constant")] == []
    assert report["totals"]["replicas"]["examined"] > 0
