"""Several lines of one function, all of whose results are made again: what its call returns is what to keep, and their waste is one."""
import pytest

from gating import ADDRESS, Program, make_db
from reports import report_json

PROGRAM = '''import numpy as np

def decay(size):
    at = np.arange(size)
    far = np.abs(at[:, None] - at)
    scale = np.sqrt(far)
    return np.exp(-scale)

def step(x):
    x = np.tanh(x)
    return x @ decay(100)

def main(x):
    for _ in range(400):
        x = step(x)

def grow(x):
    return decay(len(x))

main(np.ones((30, 100)))
'''
OUTER = ("main", "x = step(x)"), ("step", "x @ decay(")
LINES = {"far": "np.abs(", "scale": "np.sqrt(", "result": "np.exp("}
SAME = {"births": 400, "replicas": 399, "period": 1}
NEW = {"replicas": 0, "period": 0}
TOLD = (" All larger arrays that the call of decay() at train.py:11 makes are the same each time (train.py:{} likewise, {} in all): "
        "where nothing small changes, keep what it returns, and store nothing into it.")


def advice(tmp_path, text=PROGRAM, samples=(100, 200, 300), least="0", sizes_by=(), **others):
    """
    Of each finding by its line, where the lines of decay() take so many samples of 2,000. `others`: counters of some of them.
    `sizes_by`: a function that calls it with two sizes more, once each.
    """
    program = Program(text)
    node = program.frame(program.process.root(), "<module>", text.splitlines()[-1])
    for function, words in OUTER:
        node = program.frame(node, function, words)
    for (name, words), count in zip(LINES.items(), samples):
        way = program.process.node(program.frame(node, "decay", words), make_db.NATIVE, ADDRESS, samples=count)
        program.process.site(way, 80000, **{**SAME, **others.get(name, {})})
    for function, words in sizes_by:
        caller = node if function == "step" else program.frame(program.process.root(), function, words)
        way = program.process.node(program.frame(caller, "decay", LINES["far"]), make_db.NATIVE, ADDRESS)
        program.process.site(way, 20000, births=1)
        program.process.site(way, 40000, births=1)
    program.node("step", "np.tanh(", samples=2000 - sum(samples))
    data = report_json(program.write(tmp_path / "out.db"), "--min-waste", least)
    return {finding["line"]: finding["advice"] for finding in data["findings"]}


def test_what_the_call_returns_is_to_be_kept(tmp_path):
    once = "Build it once, outside the loop at train.py:14."
    told = advice(tmp_path)
    assert list(told) == [7, 6, 5]
    assert told[6] == told[5] == once
    assert told[7].startswith(once) and told[7].endswith(TOLD.format("5 and 6", "2.39 s"))


def test_two_lines_are_enough(tmp_path):
    assert advice(tmp_path, samples=(100, 200))[6].endswith(TOLD.format("5", "1.20 s"))


def test_their_waste_is_one(tmp_path):
    """Of each line too little would be told, 0.5 % less what may be chance; the three have 1.5 %."""
    assert list(advice(tmp_path, samples=(10, 10, 10), least="0.5")) == [5]
    assert advice(tmp_path, samples=(10, 10), least="0.8") == {}


@pytest.mark.parametrize("why, changed", [
    ("one of its results is new each time", {"result": NEW}),
    ("one of them hardly ever changes", {"result": {"births": 4000, "replicas": 3996, "period_replicas": 3996}}),
])
def test_not_all_are_the_same(tmp_path, why, changed):
    told = advice(tmp_path, **changed)
    assert len(told) >= 2 and not any("All larger arrays" in text for text in told.values()), why


def test_another_call_may_make_what_is_new(tmp_path):
    assert "All larger arrays" not in advice(tmp_path, sizes_by=[OUTER[1]])[7]
    assert "All larger arrays" in advice(tmp_path, sizes_by=[("grow", "return decay(")])[7]


@pytest.mark.parametrize("why, before, now", [
    ("it stores what it makes", "scale = np.sqrt(far)", "scale = decay.scale = np.sqrt(far)"),
    ("it is a generator", "return np.exp(-scale)", "yield np.exp(-scale)"),
    ("it returns nothing", "return np.exp(-scale)", "last = np.exp(-scale)"),
    ("it counts", "at = np.arange(size)", "global seen; at = np.arange(size); seen = at"),
    ("it keeps what it makes", "scale = np.sqrt(far)", "scale = np.sqrt(far); seen.append(scale)"),
    ("it stores into what it was handed", "scale = np.sqrt(far)", "scale = np.sqrt(far); size[0] = 1"),
    ("it changes what it was handed", "scale = np.sqrt(far)", "scale = np.sqrt(far); size += 1"),
    ("it prints", "scale = np.sqrt(far)", "scale = np.sqrt(far); print(scale)"),
    ("it fills another's", "scale = np.sqrt(far)", "scale = np.sqrt(far); np.copyto(seen, scale)"),
])
def test_a_function_that_does_more(tmp_path, why, before, now):
    assert before in PROGRAM
    told = advice(tmp_path, text=PROGRAM.replace(before, now))
    assert len(told) >= 2 and not any("All larger arrays" in text for text in told.values()), why


@pytest.mark.parametrize("now", [
    "scale = np.sqrt(far); scale[0] = 1", "scale = np.sqrt(far); scale += 1; np.fill_diagonal(scale, 0)", "scale = np.sqrt(far); scale.sort()",
    "scale, other = np.sqrt(far), 1", "if size > 9: scale = np.sqrt(far)",
])
def test_a_function_may_work_in_its_own(tmp_path, now):
    told = advice(tmp_path, text=PROGRAM.replace("scale = np.sqrt(far)", now))
    assert any("All larger arrays" in text for text in told.values())


COMPREHENSION = ["    scale = sum(far * 0.5**head for head in range(4))", "    scale = np.stack([far * 0.5**head for head in range(4)])"]


@pytest.mark.parametrize("row", COMPREHENSION)
@pytest.mark.parametrize("why, is_same, counters", [
    ("each call makes the same four", True, {"replicas": 1596, "period": 4, "period_replicas": 1596}),
    ("the same one", True, {"replicas": 1599, "period": 1, "period_replicas": 1599}),
    ("four, of which each call makes others", False, {"replicas": 1592, "period": 8, "period_replicas": 1592}),
    ("a call makes other four now and then", False, {"replicas": 1584, "period": 4, "period_replicas": 1580}),
])
def test_a_comprehension_of_its_own(tmp_path, row, why, is_same, counters):
    """It is a function of its own up to CPython 3.11, a generator still is: the call is that of the function around it."""
    text = PROGRAM.replace("    scale = np.sqrt(far)", row)
    program = Program(text)
    node = program.frame(program.process.root(), "<module>", text.splitlines()[-1])
    for function, words in OUTER:
        node = program.frame(node, function, words)
    for words in ("np.abs(", "np.exp("):
        way = program.process.node(program.frame(node, "decay", words), make_db.NATIVE, ADDRESS, samples=100)
        program.process.site(way, 80000, **SAME)
    inner = [name for name in program.numbers if name.startswith("decay.<locals>.")]
    node = program.frame(node, "decay", "0.5**head")
    node = program.frame(node, inner[0], "0.5**head") if inner else node
    way = program.process.node(node, make_db.NATIVE, ADDRESS, samples=300)
    program.process.site(way, 80000, births=1600, **counters)
    program.node("step", "np.tanh(", samples=1500)
    told = report_json(program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]
    assert len(told) >= 2
    assert any("All larger arrays that the call of decay() at train.py:11" in finding["advice"] for finding in told) == is_same, why


def test_a_loop_of_its_own(tmp_path):
    """What goes round is not the call."""
    text = PROGRAM.replace("    for _ in range(400):\n        x = step(x)", "    x = step(x)").replace(
        "    far =", "    for _ in range(400):\n      far =").replace("    scale =", "      scale =").replace("    return np.exp", "      result = np.exp") \
        .replace("\n\ndef step", "\n    return result\n\ndef step")
    told = advice(tmp_path, text=text)
    assert len(told) == 3 and not any("All larger arrays" in text for text in told.values())
