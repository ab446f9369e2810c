"""Calls of which all that they make is the same, or a part: what is told of either, and what time is charged."""
import sys

import gating
import pytest
from replicas import FEATURES, MASK, OTHER, Program, below_torch, findings, make_db


def test_python_time_of_what_is_called_is_saved_too(tmp_path):
    """Not that of the line's own frame, which stands there after the fix as well."""
    program = Program()
    inside = below_torch(program, 11, "_call_impl")
    program.process.site(inside, 65536, period=1, births=260, replicas=259)
    records = program.process.records["NODE"]
    called = make_db.NODE.unpack(records[inside - 1])[1]
    number = program.process.code("_call_impl", "/v/lib/python3.11/site-packages/torch/nn/modules/module.py", first_line=7)
    user = make_db.NODE.unpack(records[called - 1])[1]
    program.process.frame(user, number, -1, samples=100)  # 0.4 s in the library's Python
    program.process.frame(make_db.NODE.unpack(records[user - 1])[1], program.numbers["features"],
                          make_db.offset_of(program.codes["features"], 11), samples=50)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["waste_s"] == pytest.approx(1.2 * 259 / 260)


@pytest.mark.parametrize("births, replicas, made", [(260, 259, "made once"), (2600, 2598, "made where its inputs change")])
def test_only_the_part_that_repeats_is_saved_where_the_result_differs(tmp_path, births, replicas, made):
    """A fit that converts the same data each time: its own time and the result's are not wasted."""
    program = Program()
    inside, outside = (below_torch(program, 11, *functions, file="trees/fit.py") for functions in (("fit", "convert"), ("fit",)))
    program.way(*OTHER, samples=1000)
    program.process.site(inside, 65536, period=1, births=births, replicas=replicas)
    program.process.site(outside, 4096, births=births)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["waste_s"] == pytest.approx(0.8 * replicas / births), "of 1.6 s below the line"
    assert f"{births:,} times by convert at" in finding["claim"] and "fit.py:7" in finding["claim"]
    assert f"Not all results of the call were seen to be equal: hand it what that part makes, {made}, or keep it" in finding["advice"]


def fitted(tmp_path, *results, converted=65536):
    """A fit that converts the same data for each of eight penalties, and whose result has these sizes, so many of each."""
    program = Program()
    inside, outside = (below_torch(program, 11, *functions, file="trees/fit.py") for functions in (("fit", "convert"), ("fit",)))
    program.way(*OTHER, samples=1000)
    program.process.site(inside, converted, period=1, births=8, replicas=7)
    for size, births in results:
        program.process.site(outside, size, births=births, period=1 if births > 1 else 0, replicas=births - 1)
    return program.report(tmp_path)["findings"]


def test_a_result_with_a_size_of_its_own_each_time_is_new(tmp_path):
    """The support vectors: all but the last two fits have another number of them. Of the fit's time only the conversion's is wasted."""
    sizes = [(4096 + 512 * number, 1) for number in range(6)] + [(2048, 2)]
    (finding,) = fitted(tmp_path, *sizes, converted=2**20)
    assert finding["waste_s"] == pytest.approx(0.8 * 7 / 8), "of 1.6 s below the line"
    assert "Not all results of the call were seen to be equal" in finding["advice"]
    assert fitted(tmp_path, *sizes, converted=8192) == [], "what is equal is not even ten times as much"


@pytest.mark.parametrize("why, results", [
    ("most are made again", [(4096, 3), (8192, 3), (2048, 1), (1024, 1)]),
    ("one is made once", [(4096, 1), (2048, 6)]),
])
def test_some_sizes_that_are_made_once_say_nothing(tmp_path, why, results):
    (finding,) = fitted(tmp_path, *results, converted=2**20)
    assert finding["waste_s"] > 1.2 and "Not all results" not in finding["advice"], why


GRID = """import numpy as np

def mean(x, days):
    return np.convolve(x, np.ones(days))

def score(x, fast, slow):
    return mean(x, fast) @ mean(x, slow)
"""


def offset_of_expression(code, row, text, expression):
    """Of the last instruction whose columns are the expression's."""
    start = text.splitlines()[row - 1].index(expression)
    return 2 * max(index for index, (first, _, column, end) in enumerate(code.co_positions())
                   if (first, column, end) == (row, start, start + len(expression)))


@pytest.mark.parametrize("found, expected", [
    ("{(fast, slow): score(np.ones(99), fast, slow) for fast in (1, 2, 3) for slow in (4, 5, 6, 7)}", "recomputed input"),
    ("[[score(np.ones(99), fast, slow) for slow in (4, 5, 6, 7)] for fast in (1, 2, 3)]", "recomputed input"),
    ("{(fast, slow): score(np.ones(99), fast, slow) for fast, slow in PAIRS}", "loop-invariant computation"),
])
@pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")
def test_a_comprehension_with_two_loops(tmp_path, found, expected):
    """What a library makes for each of the inner one comes round with the outer one, as it does in loops that are written out."""
    text = f"{GRID}\nfound = {found}\n"
    program = Program(text=text)
    inner = [name for name in program.codes if "comp>" in name]  # none from 3.12 on
    calls = [found, found[1:found.index("] for") + 1], "score(np.ones(99), fast, slow)"] if len(inner) == 2 else [found, "score(np.ones(99), fast, slow)"]
    node = program.process.root()
    for name, call in zip(["<module>", *inner], calls if inner else calls[-1:]):
        node = program.process.frame(node, program.numbers[name], offset_of_expression(program.codes[name], 9, text, call))
    for name, row in (("score", 7), ("mean", 4)):
        node = program.process.frame(node, program.numbers[name], make_db.offset_of(program.codes[name], row))
    library = program.process.code("_stack_arrays", "/v/lib/python3.11/site-packages/pandas/core/managers.py", first_line=7)
    place = program.process.node(program.process.frame(node, library, -1), make_db.NATIVE, gating.ADDRESS, samples=500)
    program.process.site(place, 24000, births=12, replicas=8, period=4, period_replicas=8)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["category"] == expected


TABLE = """import numpy as np

def main(sales):
    for window in range(9):
        frame = merge(sales, "store")
        frame["mean"] = roll(frame["amount"], window)
        total = np.sum(frame["mean"])
        frame['ratio'] = frame["amount"] / frame["mean"]

main([1])
"""


@pytest.mark.parametrize("row, now, told", [
    (None, None, " What train.py:6 and 8 set in it stays there: hand out copies, unless each pass sets it anew."),
    (8, "        last = frame['ratio'] = 1", " What train.py:6 sets in it stays there: hand out copies, unless each pass sets it anew."),
    (6, "        frame[window] = 1", " What is to be kept is the finished buffer: train.py:6, which stores into it, must move along."),
    (6, '        frame["mean"] += 1', " What is to be kept is the finished buffer: train.py:6, which stores into it, must move along."),
    (6, '        frame["mean"][2:] = 1', " What is to be kept is the finished buffer: train.py:6, which stores into it, must move along."),
    (6, '        frame.loc[:, "mean"] = 1', " What is to be kept is the finished buffer: train.py:6, which stores into it, must move along."),
])
def test_columns_are_set_beside_the_buffer(tmp_path, row, now, told):
    """A table's columns and a dictionary's values: what is kept has those that a pass before has set."""
    rows = TABLE.split("\n")
    if row is not None:
        rows[row - 1] = now
    program = Program(text="\n".join(rows))
    program.process.site(program.way(("<module>", 10), ("main", 5), samples=500), 65536, period=1, births=9, replicas=8)
    program.way(("<module>", 10), ("main", 7), samples=500)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["advice"] == "Build it once, outside the loop at train.py:4." + told


def test_a_part_of_a_call_is_not_charged_with_python_below_it(tmp_path):
    """What runs in Python around it does so still; where all of the call repeats, it would not."""
    def waste(differing):
        program = Program()
        inside, outside = (below_torch(program, 11, *functions, file="trees/fit.py") for functions in (("fit", "convert"), ("fit",)))
        records = program.process.records["NODE"]
        program.process.frame(make_db.NODE.unpack(records[outside - 1])[1], program.process.code("check", "/v/lib/python3.11/site-packages/trees/fit.py", first_line=9),
                              -1, samples=500)
        program.way(*OTHER, samples=1000)
        program.process.site(inside, 65536, period=1, births=260, replicas=259)
        program.process.site(outside, 4096, births=260, **({} if differing else {"period": 1, "replicas": 259}))
        (finding,) = program.report(tmp_path)["findings"]
        return finding["waste_s"]

    assert waste(differing=True) == pytest.approx(0.8 * 259 / 260)
    assert waste(differing=False) == pytest.approx((1.6 + 2) * 259 / 260)


def test_a_constant_part_of_a_call_joins_nothing(tmp_path):
    """"0.5 * y @ solve(c, y)": that all is finite stays so whatever c is, and asks for another mend than what stays beside it."""
    program = Program()
    code = program.codes["features"]
    widths = [((end or 0) - (start or 0), 2 * i) for i, (line, _, start, end) in enumerate(code.co_positions()) if line == 11]
    frame = make_db.NODE.unpack(program.process.records["NODE"][program.way(*FEATURES) - 1])[1]
    caller = make_db.NODE.unpack(program.process.records["NODE"][frame - 1])[1]
    beside = program.process.frame(caller, program.numbers["features"], min(widths)[1])
    program.process.site(program.process.node(beside, make_db.NATIVE, gating.ADDRESS, samples=100), 8192, period=1, births=260, replicas=259)
    inside, outside = (below_torch(program, 11, *functions, file="scipy/linalg/solve.py") for functions in (("solve", "check"), ("solve",)))
    program.process.site(inside, 200000, births=260, constant=260)
    program.process.site(outside, 4096, births=260)
    (finding,) = [finding for finding in program.report(tmp_path, "--min-waste", "0")["findings"] if finding["kind"] == "replica"]
    assert finding["object"]["size_bytes"] == 8192 and "Not all results" not in finding["advice"], finding


@pytest.mark.parametrize("why, beside, again", [
    ("each of its blocks is another buffer: the frame's index is made once with all of them", ("index", 9600), True),
    ("batches of two sizes", None, False),
])
def test_several_sizes_of_one_execution(tmp_path, why, beside, again):
    """Data that is only moved and stays, of several sizes: one call may make them all, or each of them a call of its own."""
    program = Program()
    inside = below_torch(program, 11, "merge", "take", file="pandas/core/take.py")
    for size in (1440000, 480000):
        program.process.site(inside, size, period=1, births=6, replicas=5)
    if beside is not None:
        program.process.site(below_torch(program, 11, "merge", beside[0], file="pandas/core/take.py"), beside[1], period=1, births=6, replicas=5)
    found = [(finding["line"], finding["category"]) for finding in program.report(tmp_path, "--min-waste", "0")["findings"]]
    assert found == ([(11, "loop-invariant computation")] if again else []), why


@pytest.mark.parametrize("library, found", [
    ("site-packages/pandas/_libs/hashtable.cpython-311-x86_64-linux-gnu.so", True),
    ("lib-dynload/array.cpython-311-x86_64-linux-gnu.so", True),
    ("site-packages/pandas/_libs/tree.cpython-311-x86_64-linux-gnu.so", False),
    ("site-packages/pandas/_libs/lib.cpython-311-x86_64-linux-gnu.so", False),
])
def test_what_is_only_filled_in_part_is_no_result(tmp_path, library, found):
    """It holds what was in the memory before: factorize() of the same column fills another hash table each time."""
    program = Program()
    tables = gating.ADDRESS + 0x1000000
    program.process.module(f"/v/lib/python3.11/{library}", tables & ~0xfffff, (tables & ~0xfffff) + 0x100000)
    frame = make_db.NODE.unpack(program.process.records["NODE"][program.way(*MASK, samples=500) - 1])[1]
    program.process.site(program.way(*MASK), 800000, period=1, births=40, replicas=39)
    program.process.site(program.process.node(frame, make_db.NATIVE, tables), 1048576, births=40)
    data = program.report(tmp_path)
    assert findings(data) == ([("replica", 5)] if found else [])
    assert not any("Not all results" in finding["advice"] for finding in data["findings"])
