"""The programs of examples/zoo: the planted line is the first finding, and the fixed version has none."""
import ast
import functools
import json
import sys
import tempfile
from pathlib import Path

import pytest
import whole

sys.path.insert(0, str(whole.ROOT / "tests/bench"))
import zoo  # noqa: E402

COMPARED = ("kmeans", "word2vec", "frozen_backbone", "graph_conv")  # one thread each: what they print is the same each time

RUNS_MAX = 4
FOLLOWED_MIN = 40  # stores, or loads, of the planted line, of kinds that are found by them; a busy machine may let a run end with fewer

programs = pytest.mark.parametrize("program", zoo.PROGRAMS, ids=zoo.PLANTED)


def is_telling(program, report):
    """Was enough of the waste there to be seen? malloc may keep memory that another run gets afresh."""
    kind, category = zoo.PLANTED[program.name]
    line = next(line for line in report["lines"] if (line["file"], line["line"]) == program.expected[:2])
    if kind == "churn":
        return line["memory"]["fresh_bytes"] > 0.6 * line["memory"]["again_bytes"] and line["memory"]["fault_s"] > 0
    if kind == "redundant_load":
        return line["redundant_loads"]["across"]["pairs"] >= FOLLOWED_MIN
    if kind == "redundant_store":
        return line["redundant_stores"]["across"]["pairs"] >= FOLLOWED_MIN
    return category != "dead initialisation" or line["dead_stores"]["pairs"] >= FOLLOWED_MIN


@functools.lru_cache(maxsize=None)
def profiled(program, version):
    """What it printed, and the report with findings of any weight."""
    for _ in range(RUNS_MAX):
        directory = Path(tempfile.mkdtemp(prefix=f"zoo-{program.name}-{version}-", dir=whole.profiles))
        changes = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(directory / "out.db")}
        done = whole.execute([whole.PYTHON, program.path(version)], env=whole.environment(**changes, **zoo.SETTINGS))
        assert (done.returncode, done.stderr) == (0, "")
        report = json.loads(whole.read_report(directory / "out.db", "--format", "json", "--min-waste", "0"))
        if version == "fixed" or is_telling(program, report):
            break
    return done.stdout, report


def named(report):
    return [zoo.place_of(finding) for finding in report["findings"]]


@programs
def test_the_planted_line_is_the_first_finding(program):
    _, report = profiled(program, "wasteful")
    assert named(report)[:1] == [program.expected], named(report)
    assert report["findings"][0]["waste_s"] >= 0.01 * report["totals"]["time_s"]["total"]


@programs
def test_the_fixed_version_has_no_finding(program):
    _, report = profiled(program, "fixed")
    assert report["totals"]["replicas"]["of_objects"] > 0
    assert named(report) == []


@programs
def test_both_versions_print_the_same(program):
    printed = {profiled(program, version)[0] for version in ("wasteful", "fixed")}
    assert len(printed) == 1 and printed != {""}


@pytest.mark.parametrize("name", COMPARED)
def test_they_print_what_they_print_without_the_shim(name):
    program = zoo.Program(name)
    plain = whole.execute([whole.PYTHON, program.path("wasteful")])
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout == profiled(program, "wasteful")[0]


def test_every_program_is_in_the_table():
    """And its two versions differ, but say what they train in the same words."""
    assert sorted(path.name for path in zoo.ZOO.iterdir() if path.is_dir()) == sorted(zoo.PLANTED)
    for program in zoo.PROGRAMS:
        texts = [program.path(version).read_text() for version in ("wasteful", "fixed")]
        first_lines = {ast.get_docstring(ast.parse(text)).splitlines()[0] for text in texts}
        assert len(first_lines) == 1 and zoo.MARK not in texts[1]


@pytest.mark.parametrize("name, period", [("frozen_backbone", 10), ("random_features", 150), ("sound_kinds", None)])
def test_the_period_is_the_number_of_batches(name, period):
    """None where they come in another order."""
    _, report = profiled(zoo.Program(name), "wasteful")
    assert report["findings"][0]["object"]["period"] == period


def test_the_advice_names_the_loop_to_leave():
    """For what comes round with the batches, the loop over the epochs; else the nearest around."""
    loops = {"boosted_stumps": "for number in", "frozen_backbone": "for epoch in", "lasso": "for _ in", "graph_conv": "for epoch in"}
    for name, loop in loops.items():
        program = zoo.Program(name)
        lines = program.path("wasteful").read_text().splitlines()
        (number,) = [number for number, line in enumerate(lines, 1) if line.strip().startswith(loop)]
        _, report = profiled(program, "wasteful")
        assert f"loop at wasteful.py:{number}" in report["findings"][0]["advice"]
