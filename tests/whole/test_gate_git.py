"""Why the gate asks no git: runs carry the text that ran, and lines are found again in it at least as well as by git's own mapping.

Files are edited at random, so that where each kept line went is known. Each line makes objects again, each of another size: a
line that is matched to none, or to a smaller one, fails the gate. Beside it, what `git diff --unified=0` makes of the same two texts.
"""
import random
import re
import shutil
import subprocess

import pytest

from gating import ADDRESS, Program, failing, make_db, verdict

COMMON = ["loss = step(x)", "x = normalise(x)", "scores = model(x)", "total = total + 1", "x = x - rate", "hidden = relu(x)"]


def text_with(chance, same, lines=96):
    """Functions of twelve lines; `same`: the part of lines that stand in many places."""
    rows = []
    for i in range(lines):
        if i % 12 == 0:
            rows.append(f"def part{i // 12}(x, total, rate):")
        rows.append("    " + (chance.choice(COMMON) if chance.random() < same else f"v{i} = work{i}(x, {i})"))
    return rows + ["part0(1, 2, 3)"]


def edited(chance, rows, part):
    """The new text, and of each of its lines the old number, None for new ones. A third each deleted, changed, with new ones before."""
    new, origin = [], []
    for number, row in enumerate(rows, 1):
        what = chance.random() if row.startswith("    ") else 1
        if what < part / 3:
            continue
        if what < 2 * part / 3:
            new.append(f"    e{chance.randrange(10**6)} = edited(x)")
            origin.append(None)
            continue
        for _ in range(chance.randrange(1, 4) if what < part else 0):
            new.append("    " + chance.choice([*COMMON, f"n{chance.randrange(10**6)} = added(x)"]))
            origin.append(None)
        new.append(row)
        origin.append(number)
    return new, origin


def run(path, rows, sizes, file="/nowhere/train.py"):
    program = Program("\n".join(rows) + "\n", path=file, arguments=("python", file))
    outer = program.frame(program.process.root(), "<module>", rows[-1])
    for number, row in enumerate(rows, 1):
        function = row[4:row.index("(")] if row.startswith("def ") else function if number > 1 else None
        if number in sizes:
            place = make_db.offset_of(program.codes[function], number)
            frame = program.process.frame(outer, program.numbers[function], place)
            program.process.site(program.process.node(frame, make_db.NATIVE, ADDRESS, samples=1), sizes[number], births=100, replicas=99, period=1)
    return program.write(path)


def git_mapping(directory, old, new):
    """Old numbers by new ones, of lines that no hunk touches."""
    for name, rows in (("old.py", old), ("new.py", new)):
        (directory / name).write_text("\n".join(rows) + "\n")
    words = ["git", "diff", "--no-index", "--no-ext-diff", "-M", "--unified=0", "old.py", "new.py"]
    text = subprocess.run(words, cwd=directory, capture_output=True, text=True).stdout
    mapping, at_old, at_new = {}, 1, 1
    for first_old, count_old, first_new, count_new in re.findall(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", text, re.M):
        counts = [int(count) if count else 1 for count in (count_old, count_new)]
        starts = [int(first) + (count == 0) for first, count in zip((first_old, first_new), counts)]
        mapping.update(zip(range(at_new, starts[1]), range(at_old, starts[0])))
        at_old, at_new = starts[0] + counts[0], starts[1] + counts[1]
    mapping.update(zip(range(at_new, len(new) + 1), range(at_old, len(old) + 1)))
    return mapping


def misses(tmp_path, seed, same, part):
    """(lines kept, those that fail the gate, those that git maps to none or to a smaller one)"""
    chance = random.Random(seed)
    old = text_with(chance, same)
    new, origin = edited(chance, old, part)
    sizes = {number: 4096 * chance.randrange(1, 200) for number, row in enumerate(old, 1) if row.startswith("    ")}
    kept = {number: sizes[source] for number, source in enumerate(origin, 1) if source in sizes}
    runs = run(tmp_path / "new.db", new, kept), run(tmp_path / "old.db", old, sizes)
    mapping = git_mapping(tmp_path, old, new)
    of_git = {number for number, size in kept.items() if sizes.get(mapping.get(number), 0) < size}
    arguments = (runs[0], "--baseline", runs[1], "--max-increase", "0%")
    ours = {line for _, _, line in failing(verdict(*arguments, status=None))}
    return len(kept), len(ours), len(of_git)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
@pytest.mark.parametrize("same, part, most", [(0, 0.4, 0), (0.3, 0.2, 0.01), (0.3, 0.4, 0.02), (0.6, 0.2, 0.02)])
def test_lines_are_found_again_as_well_as_git_does(tmp_path, same, part, most):
    """Of a file six tenths of which are such lines, four tenths edited, either misses one in twenty."""
    kept, ours, of_git = (sum(column) for column in zip(*(misses(tmp_path, seed, same, part) for seed in range(12))))
    assert kept > 600
    assert ours <= of_git and ours <= most * kept, (kept, ours, of_git)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_functions_that_changed_places_are_found_where_git_finds_one_of_them(tmp_path):
    old = text_with(random.Random(1), 0)
    order = [old[i:i + 13] for i in range(0, 104, 13)]
    new = [row for function in (order[4], order[5], order[6], order[7], order[0], order[1], order[2], order[3]) for row in function] + old[-1:]
    sizes = {number: 65536 for number, row in enumerate(old, 1) if row.startswith("    ")}
    runs = run(tmp_path / "new.db", new, {n: 65536 for n, row in enumerate(new, 1) if row.startswith("    ")}, "/nowhere/renamed.py"), run(tmp_path / "old.db", old, sizes)
    assert failing(verdict(runs[0], "--baseline", runs[1], status=0)) == []
    mapping = git_mapping(tmp_path, old, new)
    assert sum(old[there - 1] == new[here - 1] for here, there in mapping.items()) < 60, "of 105 lines: git's mapping follows no moves"
