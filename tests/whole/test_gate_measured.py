"""Findings that are measured, not counted: which of them a run has depends on chance; what makes one new for the gate does not."""
import dis

import pytest

from gating import ADDRESS, Program, export, failing, gate, make_db, verdict, words

LOOP = '''import numpy as np

def total_of(row):
    total = 0.0
    for i in range(len(row)):
        total += row[i] * row[i]
    return total

def main(rows):
    for row in rows:
        np.tanh(row)
        total_of(row)

main([np.ones(999)] * 14)
'''
WHERE = 6
WHOLE = LOOP.replace("    total = 0.0\n    for i in range(len(row)):\n        total += row[i] * row[i]\n    return total", "    return row @ row")
IN_PLACE = LOOP.replace("row[i] * row[i]", "0.5 * row[i]")
LIBRARY = ADDRESS + 0x10000000


def run(path, text, native, interpreter, others=2000, arrays=True):
    """So many samples of the loop's line in the array's library (or a list's, which is the interpreter's), and between."""
    program = Program(text, seconds=100.0)
    process = program.process
    process.module("/nowhere/lib/_multiarray_umath.so" if arrays else "/nowhere/lib/other.so", LIBRARY, LIBRARY + 0x100000)
    main = program.frame(program.frame(process.root(), "<module>", "main([np"), "main", "np.tanh(")
    process.node(main, make_db.NATIVE, ADDRESS, samples=others)
    if "row[i]" in text:
        at = next(step.offset for step in dis.get_instructions(program.codes["total_of"]) if step.opname.startswith("BINARY_SUBSCR"))
        called = program.frame(program.frame(process.root(), "<module>", "main([np"), "main", "        total_of(row)")
        frame = process.frame(called, program.numbers["total_of"], at, samples=interpreter)
        process.node(frame, make_db.NATIVE, LIBRARY + 0x200, samples=native)
    return program.write(path)


@pytest.fixture
def slow(tmp_path):
    return run(tmp_path / "slow.db", LOOP, 300, 100)


@pytest.mark.parametrize("exported", [False, True])
def test_a_loop_that_the_baseline_has_not_is_new(tmp_path, slow, exported):
    base = run(tmp_path / "base.db", WHOLE, 0, 0)
    base = export(base) if exported else base
    data = verdict(slow, "--baseline", base, status=1)
    assert failing(data) == [("new", "tiny_calls", WHERE)]
    item = data["items"][0]
    assert item["why"] == "The baseline has no such line." and "one element or short row" in item["claim"] and "tolist()" in item["advice"]
    assert verdict(slow, "--baseline", base, "--allow", item["id"], status=0)["counts"]["allowed"] == 1
    ignored = run(tmp_path / "ignored.db", LOOP.replace("row[i]\n", "row[i]  # pieprof: ignore[tiny_calls] meant\n"), 300, 100)
    assert verdict(ignored, "--baseline", base, status=0)["counts"]["suppressed"] == 1


def test_a_loop_that_was_there_is_known(tmp_path, slow):
    """Much less of it too, and where the baseline had too few samples to find it: chance."""
    for native, interpreter, others in ((300, 100, 2000), (30, 10, 200), (9, 4, 80), (250, 90, 2600)):
        base = run(tmp_path / "base.db", LOOP, native, interpreter, others)
        assert failing(verdict(slow, "--baseline", base, status=0)) == []
        assert failing(verdict(slow, "--baseline", export(base), status=0)) == []


def test_a_loop_over_what_was_a_list_is_new(tmp_path, slow):
    """The same line, which took far less of the run and was no finding."""
    base = run(tmp_path / "base.db", LOOP, 0, 60)
    data = verdict(slow, "--baseline", base, status=1)
    assert failing(data) == [("new", "tiny_calls", WHERE)] and "less than half as much of the run" in data["items"][0]["why"]
    assert failing(verdict(slow, "--baseline", run(tmp_path / "much.db", LOOP, 0, 300), status=0)) == [], "not of one that took as much"


def test_a_line_edited_in_place_is_new_unless_its_samples_tell(tmp_path, slow):
    """A committed baseline holds none, and no such finding: the edit may have made it one."""
    base = run(tmp_path / "base.db", IN_PLACE, 290, 100)
    assert failing(verdict(slow, "--baseline", base, status=0)) == [], "it took as long before"
    data = verdict(slow, "--baseline", export(base), status=1)
    assert failing(data) == [("new", "tiny_calls", WHERE)] and "In the baseline the line was another" in data["items"][0]["why"]


def test_a_baseline_of_few_samples_tells_what_they_can(tmp_path):
    """Edited in place against a run of a part of a second: what none of its samples fell on took less than most of it; without any it is open."""
    for others, most, verdicts in ((12, 800, {"new"}), (12, 300, {"known"}), (0, 800, {"cannot tell"})):
        base = run(tmp_path / "base.db", LOOP.replace("total += row[i] * row[i]", "print(i)"), 0, 0, others)
        new = run(tmp_path / "new.db", LOOP, most * 3 // 4, most // 4, 1000 - most)
        items = verdict(new, "--baseline", base, status=int(verdicts == {"new"}))["items"]
        assert {item["verdict"] for item in items} == verdicts and all(item["why"] for item in items), (others, most, items)


def test_a_line_that_is_not_edited_cannot_be_told_without_samples(tmp_path, slow):
    """The page says so: it took far less of the baseline's run, which a committed baseline does not know."""
    base = export(run(tmp_path / "base.db", LOOP, 0, 60))
    (item,) = verdict(slow, "--baseline", base, status=0)["items"]
    assert item["verdict"] == "cannot tell"
    assert "holds no samples to compare with: give a run as --baseline" in words(gate(slow, "--baseline", base).stdout)


def test_a_run_that_has_too_little_of_it_finds_it_with_others(tmp_path, slow):
    """In the second of two runs alone: what is measured is looked for in all."""
    short, base = run(tmp_path / "short.db", LOOP, 5, 4, 80), run(tmp_path / "base.db", WHOLE, 0, 0)
    assert failing(verdict(short, "--baseline", base, status=0)) == []
    assert failing(verdict(short, slow, "--baseline", base, status=1)) == [("new", "tiny_calls", WHERE)]


def test_a_library_that_is_no_arrays_makes_no_finding(tmp_path):
    other = run(tmp_path / "other.db", LOOP, 300, 100, arrays=False)
    assert failing(verdict(other, "--baseline", run(tmp_path / "base.db", WHOLE, 0, 0), status=0)) == []
    assert "no findings" in words(gate(other, "--baseline", run(tmp_path / "base.db", WHOLE, 0, 0)).stdout)


def test_without_a_baseline_no_limit_counts_it(slow):
    """Nor is it called known: who set a limit of none is told of it."""
    data = verdict(slow, "--max", "findings=0", status=0)
    assert [(item["verdict"], item["kind"]) for item in data["items"]] == [("found", "tiny_calls")]
    (note,) = data["notes"]
    assert note.startswith("1 finding is not among those that the limit counts: what it rests on was sampled")
    assert verdict(slow, "--max", "replicas=1MiB", status=0)["notes"] == []
    assert verdict(slow, "--max", "findings=0", "--baseline", slow, status=0)["notes"] == []
