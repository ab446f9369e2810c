"""The gate on real programs: the same code passes, planted waste fails and is named, refactoring is neither."""
import json
import os
import re
import sys
import textwrap
from pathlib import Path

import pytest

import plateaus
import whole
from gating import export, failing, gate, make_db, verdict
from reports import within

sys.path.insert(0, str(whole.ROOT / "tests/bench"))
import gate as bench  # noqa: E402
import zoo  # noqa: E402


@pytest.fixture
def runs(tmp_path):
    return bench.Gate(whole.BUILD, whole.PYTHON, tmp_path)


def text_of(name, version):
    return zoo.Program(name).path(version).read_text()


@pytest.mark.parametrize("name", plateaus.TRAINERS)
def test_unseeded_programs_with_a_plateau_pass(runs, name):
    """One thread and two, one of each pair beside busy neighbours, each against the other."""
    for threads in (1, 2):
        text = plateaus.source(name, threads)
        quiet, loaded = runs.record(text, "a.db", threads), runs.record(text, "b.db", threads, busy=True)
        for new, base in ((quiet, loaded), (loaded, export(quiet))):
            assert verdict(new, "--baseline", base, status=0)["counts"]["gone"] == 0


BROADCAST = """
import numpy as np
rows = np.arange(256)
for step in range(200):
    mask = np.where(rows[:, None] >= rows[None, :], 0.0, -1e9)
"""


def test_a_run_passes_against_itself_where_a_call_makes_several_sizes_and_workspaces(runs):
    """What a line makes again is weighed alike in both: results of two sizes, and the smaller workspaces between them."""
    run = runs.record(BROADCAST, "a.db")
    for base in (run, export(run)):
        assert [item["verdict"] for item in verdict(run, "--baseline", base, status=0)["items"]] == ["known"]


SETTLING = {
    "lasso": """
        rng = np.random.default_rng(int(os.environ["SEED"]))
        a = rng.normal(size=(400, 3000)) / 20
        x = np.zeros(3000)
        x[rng.choice(3000, 15)] = rng.normal(size=15)
        b = a @ x
        penalty = np.abs(a.T @ b).max() * 10 ** rng.uniform(-1.0, 0.05)
        steep = np.linalg.norm(a, 2) ** 2
        w = np.zeros(3000)
        for step in range(600):
            z = w - a.T @ (a @ w - b) / steep
            w = np.sign(z) * np.maximum(np.abs(z) - penalty / steep, 0)
            support = w != 0
        """,
    "clusters": """
        rng = np.random.default_rng(int(os.environ["SEED"]))
        centres = rng.normal(size=(3, 4)) * rng.choice([0.3, 6])
        points = centres[rng.integers(0, 3, 6000)] + rng.normal(size=(6000, 4))
        c = points[rng.choice(6000, 3, replace=False)]
        for step in range(400):
            near = (points @ (-2 * c.T) + (c * c).sum(1)).argmin(1)
            one = np.eye(3)[near]
            c = one.T @ points / np.maximum(one.sum(0), 1)[:, None]
        """,
}


@pytest.mark.parametrize("name, seeds", [("lasso", (0, 4)), ("clusters", (8, 6))])
def test_seeds_that_settle_late_and_at_once_pass(runs, monkeypatch, name, seeds):
    """What the first run repeats in part, or not at all, the other repeats from the first steps to the last."""
    recorded = []
    for seed in seeds:
        monkeypatch.setenv("SEED", str(seed))
        recorded.append(runs.record("import os\nimport numpy as np\n" + textwrap.dedent(SETTLING[name]), f"{seed}.db"))
    verdict(recorded[1], "--baseline", recorded[0], status=0)
    verdict(recorded[1], "--baseline", export(recorded[0]), status=0)


EPOCHS = """
import numpy as np
random = np.random.default_rng(0)
data, frozen = random.normal(size=(14 * 50, 300)), random.normal(size=(300, 400))
head = np.zeros(400)
for epoch in range(EPOCHS):
    for start in range(0, len(data), 50):
        features = data[start : start + 50] @ frozen
        head = head - 1e-6 * (features @ head - 1) @ features
"""


def test_one_epoch_is_too_short_a_baseline_for_what_comes_round_in_each(runs):
    """What a run of one epoch had but once is said, and does not fail; a loop-invariant result, which one epoch would repeat, does."""
    base = runs.record(EPOCHS.replace("EPOCHS", "1"), "base.db", 1)
    longer = runs.record(EPOCHS.replace("EPOCHS", "12"), "longer.db", 1)
    wasteful = runs.record(EPOCHS.replace("EPOCHS", "12").replace("@ frozen", "@ np.exp(frozen)"), "wasteful.db", 1)
    for baseline in (base, export(base)):
        result = verdict(longer, "--baseline", baseline, status=0)
        assert result["counts"]["cannot tell"] == 1 and result["counts"]["new"] == 0
        assert "The baseline's run was shorter" in result["items"][0]["why"]
        assert failing(verdict(wasteful, "--baseline", baseline, status=1)) == [("new", "replica", 8)]


def test_set_up_that_is_moved_into_the_loop_fails_in_a_longer_run_too(runs):
    """Its line is not edited, blanks aside, and was executed once: but nothing else came so many times more."""
    moved = "weights = np.outer(data[0], data[1])"
    outside = EPOCHS.replace("for epoch", moved + "\nfor epoch")
    inside = EPOCHS.replace("        features", f"        {moved}\n        features", 1)
    base = runs.record(outside.replace("EPOCHS", "3"), "base.db", 1)
    result = verdict(runs.record(inside.replace("EPOCHS", "12"), "new.db", 1), "--baseline", base, status=1)
    assert failing(result) == [("new", "replica", 8)]


@pytest.mark.parametrize("name", ["kmeans", "softmax_digits", "lasso", "sample_weights", "logistic_cg", "frozen_backbone", "random_features", "nearest_words"])
def test_planted_waste_fails_and_is_named(runs, name):
    base = runs.record(text_of(name, "fixed"), "base.db")
    new = runs.record(text_of(name, "wasteful"), "new.db")
    for baseline in (base, export(base)):
        verdict(base, "--baseline", baseline, status=0)
        data = verdict(new, "--baseline", baseline, status=1)
        assert zoo.Program(name).line in [item["line"] for item in data["items"] if item["fails"]]


def test_waste_planted_in_an_unseeded_program_is_named(runs):
    text = plateaus.source("perceptron")
    planted = text.replace("for epoch in range(250):\n", "for epoch in range(250):\n        squares = (x * x).sum(axis=1)\n")
    assert planted != text
    base, new = runs.record(text, "base.db"), runs.record(planted, "new.db")
    data = verdict(new, "--baseline", export(base), status=1)
    assert [item["text"] for item in data["items"] if item["fails"]] == ["squares = (x * x).sum(axis=1)"]


@pytest.mark.parametrize("name", ["kmeans", "softmax_digits"])
def test_two_runs_export_the_same_bytes(runs, name):
    baselines = [export(runs.record(text_of(name, "wasteful"), f"{number}.db")).read_bytes() for number in range(2)]
    assert baselines[0] == baselines[1] and len(baselines[0]) < 20000


@pytest.mark.parametrize("plant", ["ramp", "copied", "bent"])
def test_a_waste_of_a_small_part_of_the_time_is_named(runs, plant):
    """Of the sizes and programs that tests/bench/gate.md has: a replica of 0.5 %, a store and tiny calls of 5 %."""
    access = json.loads(whole.read_report(runs.record("import sys\n", "access.db"), "--format", "json"))["run"]["engines"]["access"]
    if plant == "copied" and not access["on"]:
        pytest.skip("no access engine here: " + access["why_off"])
    summary, rows = bench.measure_plants(runs, 1, names=("classifier",), chosen=(plant,))
    assert summary == "1 of 1 wastes of plants.py were named, 0 of them beside another line; of 1 pairs of runs without a plant 0 raised an alarm", rows


def refactored(text):
    """A function is the last one, 40 lines stand above, and a name has changed."""
    function = re.search(r"^def distances_to\(.*?\n\n\n", text, re.M | re.S).group(0)
    moved = text.replace(function, "").replace('if __name__ == "__main__":', function + 'if __name__ == "__main__":')
    head, rest = moved.split("import argparse\n", 1)
    above = "".join(f"STEP_{number} = {number}\n" for number in range(40))
    return (head + "import argparse\n" + above + rest).replace("cluster(", "one_start(")


def test_a_refactored_program_has_no_new_finding(runs, tmp_path):
    text = text_of("kmeans", "wasteful")
    base = runs.record(text, "base.db")
    (tmp_path / "train.py").unlink()
    new = runs.record(refactored(text), "new.db", script="fit.py")
    for baseline in (base, export(base)):
        data = verdict(new, "--baseline", baseline, status=0)
        # that its arrays come in fresh memory is told of both, or of neither: a slow machine's page faults are dear
        assert {item["verdict"] for item in data["items"]} == {"known"}, data["items"]
        assert sum(item["category"] == "loop-invariant computation" for item in data["items"]) == 1


WRITTEN = """import numpy as np
random = np.random.default_rng(0)
data, weights = random.normal(size=(2000, 64)), np.zeros(64)

def lengths_of(x):
    squares = x * x
    lengths = squares.sum(axis=1)
    return lengths

for step in range(100):
    BODY
    weights = weights - 1e-6 * (scaled.T @ (scaled @ weights - lengths))
"""
WAYS = {
    "rows": "scaled = (data\n              - data.mean(axis=0)\n              + 0.5 * data)\n    lengths = lengths_of(scaled)",
    "one row": "scaled = (data - data.mean(axis=0) + 0.5 * data)\n    lengths = lengths_of(scaled)",
    "one line": "scaled = (data - data.mean(axis=0) + 0.5 * data); lengths = lengths_of(scaled)",
    "names": "centred = data - data.mean(axis=0)\n    scaled = (centred + 0.5 * data)\n    lengths = lengths_of(scaled)",
    "inlined": "scaled = (data - data.mean(axis=0) + 0.5 * data)\n    squares = scaled * scaled\n    lengths = squares.sum(axis=1)",
}


def test_one_computation_written_in_other_ways_is_no_news(runs):
    """Wrapped, at a semicolon, in steps with names, its function inlined: each against the row, and the reverse. Waste beside it is new."""
    recorded = {name: runs.record(WRITTEN.replace("BODY", body), f"{name.replace(' ', '_')}.db") for name, body in WAYS.items()}
    more = runs.record(WRITTEN.replace("BODY", WAYS["one row"] + "\n    grown = np.exp(data)"), "more.db")
    for name, base in recorded.items():
        for one, other in ((base, recorded["one row"]), (recorded["one row"], base)):
            assert failing(verdict(one, "--baseline", other, status=0)) == [], name
        named = failing(verdict(more, "--baseline", base, status=1))
        assert {("new", "replica", 13), ("increased", "replica", 13)} & set(named), (name, named)


def test_waste_that_is_accepted_beside_a_wrapped_statement(runs):
    """What was wrapped is none the less where it was."""
    base = runs.record(WRITTEN.replace("BODY", WAYS["one row"]), "base.db")
    meant = "\n    grown = np.exp(data)  # pieprof: ignore[replica] meant"
    new = runs.record(WRITTEN.replace("BODY", WAYS["rows"] + meant), "new.db")
    counts = verdict(new, "--baseline", base, status=0)["counts"]
    assert (counts["suppressed"], counts["new"]) == (1, 0)


WAVE = """import numpy as np
data = np.random.default_rng(0).normal(size=20000)
for step in range(STEPS):
    wave = np.sin(np.linspace(0, 9, 20000))
    data = data * 0.999 + wave * step
"""


@pytest.mark.parametrize("steps", [100, 60, 150])
def test_an_edit_that_adds_to_a_known_waste_fails_whatever_the_length_of_the_run(runs, steps):
    """The line that is not edited says how long the run is; a line that is written in another way adds nothing."""
    base = runs.record(WAVE.replace("STEPS", "100"), "base.db")
    text = WAVE.replace("STEPS", str(steps))
    written = runs.record(text.replace("20000))", "num=20000))"), "same.db")
    edited = runs.record(text.replace("    wave = np.sin(np.linspace", "    wave = np.cumsum(np.sin(np.linspace").replace("20000))\n", "20000)))\n"), "more.db")
    for baseline in (base, export(base)):
        assert failing(verdict(written, "--baseline", baseline, status=0)) == []
        assert failing(verdict(edited, "--baseline", baseline, status=1)) == [("increased", "replica", 4)]


CALLED = """import numpy as np
data = np.random.default_rng(0).normal(size=20000)

def window(count):
    return np.hanning(count)

for step in range(STEPS):
    wave = window(20000)
    data = data * 0.999 + wave * step
"""
TWICE = CALLED.replace("    data = ", "    least = window(20000).min()\n    data = ")
CALL_MOVED = CALLED.replace("for step", "def wide():\n    return window(20000)\n\nfor step").replace("wave = window(20000)", "wave = wide()")
BOTH = CALL_MOVED.replace("    data = ", "    least = window(20000).min()\n    data = ")


@pytest.mark.parametrize("steps", [100, 60, 150])
def test_a_new_row_that_calls_for_a_known_waste_fails_whatever_the_length_of_the_run(runs, steps):
    """Its line is what it was; where the call alone was moved, nothing is called for more."""
    base = runs.record(CALLED.replace("STEPS", "100"), "base.db")
    moved, twice, both = (runs.record(text.replace("STEPS", str(steps)), name) for text, name in ((CALL_MOVED, "moved.db"), (TWICE, "twice.db"), (BOTH, "both.db")))
    births = 6 * steps  # hanning's arrays
    for baseline in (base, export(base)):
        assert failing(verdict(moved, "--baseline", baseline, status=0)) == []
        for new, anew, row in ((twice, births, "9."), (both, 2 * births, "")):
            data = verdict(new, "--baseline", baseline, status=1)
            assert failing(data) == [("increased", "replica", 5)]
            assert f"; but {anew:,} of {2 * births:,} births are for rows that are new, such as train.py:{row}" in data["items"][0]["why"]


CALLED_ONCE = CALLED.replace("for step in", "kept = window(20000)\nfor step in").replace("wave = window(20000)", "wave = kept.min()") + "again = window(20000)\n"
CALLED_IN_PLACE = CALLED_ONCE.replace("wave = kept.min()", "wave = window(20000).min()")
WRITTEN_IN_PLACE = CALLED_ONCE.replace("wave = kept.min()", "wave = min(kept[0], kept.min())")


@pytest.mark.parametrize("steps", [100, 150])
def test_a_row_that_calls_for_a_known_waste_since_it_was_edited_fails(runs, steps):
    base = runs.record(CALLED_ONCE.replace("STEPS", "100"), "base.db")
    called, written = (runs.record(text.replace("STEPS", str(steps)), name)
                       for text, name in ((CALLED_IN_PLACE, "called.db"), (WRITTEN_IN_PLACE, "written.db")))
    for baseline in (base, export(base)):
        assert failing(verdict(written, "--baseline", baseline, status=0)) == []
        data = verdict(called, "--baseline", baseline, status=1)
        assert failing(data) == [("increased", "replica", 5)]
        assert " births are for rows that did not call for it there, such as train.py:9." in data["items"][0]["why"]


NORMALISED = """import numpy as np
random = np.random.default_rng(0)
held, weights = random.normal(size=20000), random.normal(size=20000)

def score(data, weights):
    ready = np.exp(data)
    return ready @ weights

for step in range(STEPS):
    weights = weights * 0.999 + random.normal(size=20000) * score(held, weights)
"""


def expect_again_alone_fails(runs, base, text):
    """A last row in the loop that calls for what is known of fresh data, and one that does of the data that stay."""
    fresh = runs.record(text + "    shaken = score(random.normal(size=20000), weights)\n", "fresh.db")
    again = runs.record(text + "    shaken = score(held, 2 * weights)\n", "again.db")
    for baseline in (base, export(base)):
        assert failing(verdict(fresh, "--baseline", baseline, status=0)) == []
        assert failing(verdict(again, "--baseline", baseline, status=1)) == [("increased", "replica", 6)]


@pytest.mark.parametrize("steps", [100, 150])
def test_a_new_row_that_calls_for_something_else_each_time_is_no_news(runs, steps):
    """A robustness check on fresh data calls what is known to be computed again for the data that stay: nothing more is made again."""
    base = runs.record(NORMALISED.replace("STEPS", "100"), "base.db")
    text = NORMALISED.replace("STEPS", str(steps))
    expect_again_alone_fails(runs, base, text)


SCORED = """import numpy as np
random = np.random.default_rng(0)
points = random.normal(size=(6000, 16))

def cross(centres):
    return points @ centres.T

for fit in range(6):
    centres = random.normal(size=(8, 16))
    for step in range(STEPS):
        centres = centres + random.normal(size=(8, 16))
        found = cross(centres)
    last = cross(centres)
"""


def test_what_a_long_run_of_the_baseline_looked_at_in_part_is_no_news(runs):
    """Each fit ends with what its last step had made: of a thousand objects before, the profiler compares ever fewer."""
    base = runs.record(SCORED.replace("STEPS", "300"), "base.db")
    text = SCORED.replace("STEPS", "10")
    new, more = runs.record(text, "new.db"), runs.record(text + "    last = cross(centres)\n", "more.db")
    for baseline in (base, export(base)):
        assert verdict(new, "--baseline", baseline, status=0)["counts"]["cannot tell"] == 1
        assert failing(verdict(more, "--baseline", baseline, status=1)) == [("new", "replica", 6)]


ALONE = """import os
import numpy as np
steps = int(os.environ["STEPS"])

def window(count):
    return np.hanning(count)

def score(step):
    return window(20000)[step]

for step in range(steps):
    least = score(step)
"""


@pytest.mark.parametrize("steps", [100, 150])
def test_a_new_row_that_calls_for_all_that_there_is_fails(runs, monkeypatch, steps):
    """No line is beside what it calls for: the old rows, which are all still there and call as often as before, tell the run's length."""
    monkeypatch.setenv("STEPS", "100")
    base = runs.record(ALONE, "base.db")
    monkeypatch.setenv("STEPS", str(steps))
    twice = runs.record(ALONE + "    most = score(-step)\n", "twice.db")
    moved = runs.record(ALONE.replace("for step", "def first(step):\n    return score(step)\n\nfor step").replace("= score", "= first"), "moved.db")
    for baseline in (base, export(base)):
        assert failing(verdict(moved, "--baseline", baseline, status=0)) == []
        assert failing(verdict(twice, "--baseline", baseline, status=1)) == [("increased", "replica", 6)]


@pytest.mark.parametrize("epochs", [20, 30])
def test_a_new_row_that_calls_for_what_is_known_beside_many_batches_fails(runs, epochs):
    """What its line makes of batches, something else each time, is no measure of what it makes again."""
    text = NORMALISED.replace("\nfor step in range(STEPS):", "\nfor epoch in range(EPOCHS):\n    for step in range(20):\n"
                              "        score(random.normal(size=20000), weights)")
    base = runs.record(text.replace("EPOCHS", "20"), "base.db")
    other = text.replace("EPOCHS", str(epochs))
    expect_again_alone_fails(runs, base, other)


def test_a_copy_beside_the_program_is_another_program(runs):
    base = runs.record(text_of("kmeans", "wasteful"), "base.db")
    new = runs.record(text_of("kmeans", "wasteful") + "\n", "new.db", script="fit.py")
    done = gate(new, "--baseline", base)
    assert done.returncode == 2 and "another program: script fit.py, and the baseline is of script train.py" in done.stderr


def here_and_there(tmp_path, python):
    """One that records by whole.PYTHON, and one by another interpreter in another directory."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    return bench.Gate(whole.BUILD, whole.PYTHON, tmp_path / "here"), bench.Gate(whole.BUILD, python, tmp_path / "there")


UNPACKING = """import zlib
packed = zlib.compress(bytes(range(256)) * 2000)

def whole():
    return zlib.decompress(packed)

def main():
    {before}
    for step in range(60):
        {inside}

main()
"""
OTHERS = whole.other_pythons(10)


@pytest.mark.skipif(not OTHERS, reason="no other Python from 3.10 on in ~/.pyenv or .pythons")
@pytest.mark.parametrize("python", OTHERS)
def test_a_baseline_of_another_minor_version_of_python_works(tmp_path, python):
    """Made by whole.PYTHON in another directory; without NumPy, which not every interpreter has."""
    here, there = here_and_there(tmp_path, python)
    texts = {"clean": UNPACKING.format(before="whole()", inside="pass"), "wasteful": UNPACKING.format(before="pass", inside="whole()")}
    bases = {name: export(here.record(text, f"{name}.db")) for name, text in texts.items()}
    runs = {name: there.record(text, f"{name}.db") for name, text in texts.items()}
    assert verdict(runs["clean"], "--baseline", bases["clean"], status=0)["items"] == []
    assert [item["verdict"] for item in verdict(runs["wasteful"], "--baseline", bases["wasteful"], status=0)["items"]] == ["known"]
    (item,) = verdict(runs["wasteful"], "--baseline", bases["clean"], status=1)["items"]
    assert (item["verdict"], item["line"]) == ("new", 5)


CHAIN = """packed = bytes(range(256)) * 2000

def whole():
    return (packed
            .replace(b"\\x01", b"\\x02"){more}
            .upper())

for step in range({steps}):
    whole()
"""
OLD = whole.other_pythons(8, 9)


@pytest.mark.skipif(not OLD, reason="no Python of 3.8 or 3.9 in ~/.pyenv")
@pytest.mark.parametrize("python", OLD)
def test_a_chain_of_methods_counts_at_other_rows_in_old_pythons(tmp_path, python):
    """All of it at the first row up to 3.9, each call at its own later: whichever side, however long the runs. Another row is new."""
    here, there = here_and_there(tmp_path, python)
    for one, other in ((here, there), (there, here)):
        base = one.record(CHAIN.format(more="", steps=60), "base.db")
        for steps in (60, 90):
            new = other.record(CHAIN.format(more="", steps=steps), f"{steps}.db")
            items = verdict(new, "--baseline", export(base), status=0)["items"]
            assert items and {item["verdict"] for item in items} == {"known"}
    nothing = CHAIN.format(more="\n            .strip()", steps=60)
    base, edited = here.record(nothing, "base.db"), here.record(nothing.replace(".strip()", ".lower()"), "edited.db")
    assert failing(verdict(edited, "--baseline", base, status=1)) == [("new", "replica", 6)]
    base = here.record(CHAIN.format(more="", steps=60), "base.db")
    more = here.record(CHAIN.format(more="\n            .lower()", steps=60), "more.db")
    assert failing(verdict(more, "--baseline", base, status=1)) == [("new", "replica", 6)]


def big():
    """Many contexts at few lines, as many places as there can be, and the 50 pairs a second that the default budget follows at most."""
    database = make_db.golden_big(pairs=30_000)
    (process,) = database.processes
    process.engines = ("time", "access", "replica")
    nodes = len(process.records["NODE"])
    for number in range(4096):
        process.site(1 + number * 47 % nodes, 2048 + 16 * number, births=1000, replicas=999 if number % 3 else 0, period=1 if number % 3 else 0)
    return database


def sizes():
    """What comes in another size each time, at one instruction."""
    database = make_db.golden_big()
    (process,) = database.processes
    process.engines = ("time", "access", "replica")
    for number in range(8192):
        process.site(7, 2048 + 16 * number, births=100 + number % 7, replicas=99, period=1)
    return database


@pytest.mark.alone
@pytest.mark.parametrize("database", [big, make_db.golden_wide, sizes], ids=["contexts", "lines", "sizes"])
def test_ten_minutes_are_gated_within_a_second(tmp_path, database):
    """Against a run and what it exports."""
    path = tmp_path / "big.db"
    database().write(path)
    for baseline in (path, export(path)):
        done = within(1, lambda: gate(path, "--baseline", baseline))
        assert done.returncode == 0, done.stdout + done.stderr
