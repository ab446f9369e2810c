"""What the report says of calls that store what another has just stored, on files of make_db.py: the claim, its edges, what unmakes it."""
import sys

import pytest

from gating import ADDRESS, Program, make_db
from reports import report_json

PROGRAM = '''import numpy as np

def step(gradient, data):
    np.multiply(data, 2.0, out=gradient)
    np.add(data, data, out=gradient)
    gradient.fill(0.0)
    gradient.fill(-0.0)
    other = np.sqrt(data)
    other.fill(0.0)

def main(data):
    for number in range(100):
        step(data, data)

main(np.ones(3))
'''
PRODUCT, SUM, CLEARED, CLEARED_AGAIN = "np.multiply(", "np.add(", "gradient.fill(0.0)", "gradient.fill(-0.0)"
ALONE, STORES = (make_db.STORE, 0), (make_db.STORE, make_db.STORE)
SAME, ZERO = make_db.SAME_VALUE, make_db.ZERO

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")


class Run:
    """A run of 10 s, of which the second of two calls took 2 s; both store into an object that lives on."""

    def __init__(self, first=PRODUCT, second=SUM, samples=500):
        self.program = Program(PROGRAM)
        self.step = self.program.frame(self.program.frame(self.program.process.root(), "<module>", "main(np.ones"), "main", "step(data, data)")
        self.first, self.second = self.way(first), self.way(second, samples=samples)
        self.way("np.sqrt", samples=1500)

    def way(self, words, **time):
        return self.program.process.node(self.program.frame(self.step, "step", words), make_db.NATIVE, ADDRESS, **time)

    def alone(self, count, flags=SAME):
        """Sampled stores of the second call, by whether they wrote what was there."""
        self.program.process.pair(self.second, self.second, ALONE, make_db.UNKNOWN, 3, flags=flags, count=count)
        return self

    def again(self, count, flags=SAME, **facts):
        """Stores of the first call that the second's came upon."""
        self.program.process.pair(self.first, self.second, STORES, flags=flags, count=count, **facts)
        return self

    def first_alone(self, count, flags=0):
        """Likewise of the first call."""
        self.program.process.pair(self.first, self.first, ALONE, make_db.UNKNOWN, 3, flags=flags, count=count)
        return self

    def first_met(self, accesses, count=1, words="np.sqrt", **facts):
        """Stores of the first call that yet another came upon."""
        self.program.process.pair(self.first, self.way(words), accesses, count=count, **facts)
        return self

    def findings(self, tmp_path):
        return report_json(self.program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]


def test_the_claim(tmp_path):
    (finding,) = Run().alone(60).again(40).findings(tmp_path)
    assert (finding["kind"], finding["category"], finding["line"]) == ("redundant_store", "repeated native call with the same arguments", 5)
    assert finding["claim"] == ("Of 100 stores that were followed, 100 wrote the value that was there, where they came after another: what "
                                "train.py:4 had stored, unread until then.")
    assert finding["advice"] == "Leave one of the two out, this one or train.py:4."
    assert (finding["waste_s"], finding["fraction"], finding["exact"]) == (2.0, 1.0, False)


def test_zeros_count_where_both_calls_clear(tmp_path):
    (finding,) = Run(CLEARED, CLEARED_AGAIN).alone(60, SAME | ZERO).again(40, SAME | ZERO).findings(tmp_path)
    assert finding["line"] == 7 and "train.py:6" in finding["advice"]


EDGES = {
    "as little evidence as may be": (lambda: Run().alone(12).again(4), True),
    "less": (lambda: Run().alone(11).again(4), False),
    "the call before seen four times": (lambda: Run().alone(100).again(4), True),
    "three times": (lambda: Run().alone(100).again(3), False),
    "one in fifty changed something": (lambda: Run().alone(60).again(40).alone(2, flags=0), True),
    "three in a hundred": (lambda: Run().alone(60).again(40).alone(3, flags=0), False),
    "as many undecided": (lambda: Run().alone(60).again(40).again(40, SAME | make_db.UNPROVED), True),
    "more": (lambda: Run().alone(60).again(40).again(41, SAME | make_db.UNPROVED), False),
}
CLEARINGS = {
    "as few as may be": (lambda: Run(CLEARED, CLEARED_AGAIN).alone(1, SAME | ZERO).again(2, SAME | ZERO), True),
    "one pair that names both": (lambda: Run(CLEARED, CLEARED_AGAIN).alone(9, SAME | ZERO).again(1, SAME | ZERO), False),
    "two stores": (lambda: Run(CLEARED, CLEARED_AGAIN).again(2, SAME | ZERO), False),
    "something else was cleared": (lambda: Run(CLEARED, CLEARED_AGAIN).alone(5, SAME | ZERO).again(5, SAME | ZERO).alone(1, flags=0), False),
    "something was read": (lambda: Run(CLEARED, CLEARED_AGAIN).alone(5, SAME | ZERO).again(5, SAME | ZERO).again(1, SAME | make_db.USED), False),
    "one is no clearing": (lambda: Run(CLEARED, SUM).alone(5, SAME | ZERO).again(5, SAME | ZERO), False),
}
UNPROVED = SAME | ZERO | make_db.UNPROVED


def cleared(second=CLEARED_AGAIN, first=CLEARED, alone=12, again=4, changed=4, kept=12, flags=UNPROVED):
    """Two clears between which other threads ran all the time; the least that says which one is needless."""
    return Run(first, second).alone(alone, SAME | ZERO).again(again, flags).first_alone(changed).first_alone(kept, SAME | ZERO)


FOUND = {
    "as little as may be": (cleared, True),
    "fewer stores": (lambda: cleared(alone=11), False),
    "the call before seen three times": (lambda: cleared(alone=20, again=3), False),
    "some of them proved": (lambda: cleared(again=3).again(1, SAME | ZERO), True),
    "one store changed what was there": (lambda: cleared(alone=200, again=200).alone(1, flags=0), False),
    "the first changes nothing: sparse updates between needed clears": (lambda: cleared(changed=0), False),
    "the first changes little": (lambda: cleared(changed=4, kept=13), False),
    "read by this thread": (lambda: cleared(alone=200, again=200).again(1, UNPROVED | make_db.USED), False),
    "read by this thread, proved": (lambda: cleared(alone=200, again=200).again(1, SAME | ZERO | make_db.USED), False),
    "read before anything else": (lambda: cleared(alone=200, again=200).first_met((make_db.STORE, make_db.LOAD)), False),
    "read, other threads ran": (lambda: cleared(alone=200, again=200).first_met((make_db.STORE, make_db.LOAD), flags=make_db.UNPROVED), False),
    "changed before that": (lambda: cleared(alone=200, again=200).first_met(STORES), False),
    "not looked at in between": (lambda: cleared(flags=UNPROVED | make_db.SLEPT), False),
    "another value than the first's": (lambda: cleared(alone=200, again=200).again(1, make_db.UNPROVED), False),
    "the second is no clear": (lambda: cleared(second=SUM, alone=200, again=200), False),
    "the first is no clear": (lambda: cleared(first=PRODUCT, alone=200, again=200), False),
    "in the place of another object": (lambda: Run(CLEARED, CLEARED_AGAIN).alone(60, SAME | ZERO).again(40, UNPROVED, relation=2).first_alone(9), False),
    "in one call": (lambda: Run(CLEARED, CLEARED_AGAIN).alone(60, SAME | ZERO).again(40, UNPROVED, scope=make_db.WITHIN).first_alone(9), False),
}
UNMADE = {
    "read in between": lambda: Run().alone(60).again(40).again(3, SAME | make_db.USED),
    "other values": lambda: Run().alone(60).again(40).again(3, flags=0),
    "zeros of a product over cleared ones": lambda: Run(CLEARED, SUM).alone(60, SAME | ZERO).again(40, SAME | ZERO),
    "zeros over a product's": lambda: Run(PRODUCT, CLEARED).alone(60, SAME | ZERO).again(40, SAME | ZERO),
    "in the place of another object": lambda: Run().alone(60).again(40, relation=2),
    "in one call": lambda: Run().alone(60).again(40, scope=make_db.WITHIN),
    "a loop's own fill": lambda: Run(SUM).alone(60).again(40),
    "other heap": lambda: Run().alone(60).again(40, klass=make_db.OTHER_HEAP),
    "not worth it": lambda: Run(samples=8).alone(60).again(40),
}


def in_turn(calls, again=40, **facts):
    """Each of the calls in turn clears what the one before it has cleared: what changes in between is too little to be followed."""
    run = Run(CLEARED, CLEARED_AGAIN).alone(60, SAME | ZERO)
    ways = [run.first, run.second] + [run.way(words, samples=500) for words in calls]
    for first, second in zip(ways, ways[1:] + ways[:1]):
        run.program.process.pair(second, second, ALONE, make_db.UNKNOWN, 3, flags=SAME | ZERO, count=60)
        run.program.process.pair(first, second, STORES, flags=SAME | ZERO, count=again, **facts)
    return run


@pytest.mark.parametrize("calls", [[], ["other.fill(0.0)"]])
def test_clears_that_repeat_each_other_in_turn_are_both_needed(tmp_path, calls):
    """A clear before each of several sparse phases."""
    assert in_turn(calls).findings(tmp_path) == []


def test_a_round_of_three_that_does_not_close_is_told(tmp_path):
    run = Run(CLEARED, CLEARED_AGAIN).alone(60, SAME | ZERO).again(40, SAME | ZERO)
    run.program.process.pair(run.way("other.fill(0.0)"), run.first, STORES, flags=SAME | ZERO, count=40)
    assert 7 in [finding["line"] for finding in run.findings(tmp_path)]


def clears(body, first, second):
    """Sampled stores of two calls in a program that clears gradients."""
    program = Program(f"""import torch
model = Net()
other = Net()
opt = SGD(model.parameters())
opt_b = SGD(chain(model.parameters(), other.parameters()))

def train(rows, buffer, more):
    y = torch.sin(rows)
{body}
for _ in range(9):
    train(1, 2, 3)
""")
    ways = [program.node("train", words, samples=500) for words in (first, second)]
    program.node("train", "torch.sin", samples=1500)
    program.process.pair(ways[1], ways[1], ALONE, make_db.UNKNOWN, 3, flags=SAME | ZERO, count=60)
    program.process.pair(ways[0], ways[1], STORES, flags=SAME | ZERO, count=40)
    return program


CLEARS = {
    "of one model, by its optimizer": ("    model.zero_grad()\n    opt.zero_grad()\n", "model.zero_grad", "opt.zero_grad", True),
    "of optimizers that share a model": ("    opt_b.zero_grad()\n    opt.zero_grad()\n", "opt_b.zero_grad", "opt.zero_grad", False),
    "of one optimizer, to two values": ("    opt.zero_grad(False)\n    opt.zero_grad(True)\n", "zero_grad(F", "zero_grad(T", False),
    "where one is left out at times": ("    if rows:\n        model.zero_grad()\n    opt.zero_grad()\n", "model.zero_grad", "opt.zero_grad", False),
    "of one array": ("    buffer.zero_()\n    buffer .zero_()\n", "buffer.zero_", "buffer .zero_", False),
    "of one array, alike": ("    buffer.zero_()\n    y = buffer.zero_()\n", "    buffer.zero_", "y = buffer.zero_", True),
    "of one array that is named in between": ("    buffer.fill(0.0)\n    np.add.at(buffer, rows, more)\n    _ = buffer.fill(0)\n", "    buffer.fill", "_ = buffer.fill", False),
    "of one array, by subscripts in between": ("    buffer[:] = 0\n    buffer[rows] += more\n    buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, by calls of a module": ("    np.ndarray.fill(buffer, 0)\n    more = np.exp(rows)\n    _ = np.ndarray.fill(buffer, 0)\n", "    np.ndarray", "_ = np.ndarray", True),
    "of one array, while another is changed": ("    buffer[:] = 0\n    more[rows] += 1\n    buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", True),
    "of one array, while a function is called": ("    buffer[:] = 0\n    tally(rows)\n    buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, while a function of the file is called": ("    buffer[:] = 0\n    y = torch.train(rows)\n    buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, while another name of it is changed": ("    alias = buffer\n    buffer[:] = 0\n    alias[rows] += 1\n    buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, while a view of it is read": ("    alias = buffer[3:]\n    buffer.zero_()\n    more = alias[0]\n    y = buffer.zero_()\n", "    buffer.zero_", "y = buffer.zero_", False),
    "of one array, while nothing is done": ("    buffer[:] = 0\n\n    more = rows * 2\n    buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", True),
    "of one array, in some rounds": ("    buffer[:] = 0\n    if rows:\n        buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, either": ("    if rows:\n        buffer[:] = 0\n    else:\n        buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, behind a condition": ("    buffer[:] = 0\n    if rows:\n        more = rows * 2\n    buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, in the next round": ("    for i in range(9):\n        buffer[:]  = 0\n        buffer[rows] += 1\n        y = buffer.sum()\n        buffer[:] = 0\n", "buffer[:] =", "buffer[:]  =", True),
    "of one array, in the next round of what is taken out of many": ("    for i in rows:\n        buffer[:]  = 0\n        buffer[i] += 1\n        buffer[:] = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, behind more of the next round": ("    for i in range(9):\n        tally(i)\n        buffer[:]  = 0\n        buffer[i] += 1\n        buffer[:] = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of one array, around an inner loop": ("    buffer[:] = 0\n    for i in range(9):\n        buffer[:]  = 0\n", "buffer[:] =", "buffer[:]  =", False),
    "of an array of that name": ("    buffer.zero_()\n    buffer = more\n    y = buffer.zero_()\n", "    buffer.zero_", "y = buffer.zero_", False),
    "of all parameters, twice": ("    opt.zero_grad(set_to_none=False)\n    for p in model.parameters():\n        p.grad.zero_()\n",
                                 "opt.zero_grad", "p.grad.zero_", True),
    "of two models' parameters": ("    for p in model.parameters():\n        p.grad.zero_()\n    for p in rows:\n        _ = p.grad.zero_()\n",
                                  "   p.grad.zero_", "_ = p.grad.zero_", False),
    "of two lists": ("    torch._foreach_zero_(rows)\n    torch._foreach_zero_(more)\n", "_foreach_zero_(rows", "_foreach_zero_(more", False),
}


HELPERS = '''import numpy as np
counts = np.zeros(90000)

def reset():
    {ahead}
    counts.fill(0.0)
    {behind}

def tally(at):
    counts[at] += 1

def train(rows, more):
    reset()  # first
    {between}
    reset()  # second
    tally(more)

def main():
    y = np.sin(counts)
    for _ in range(9):
        train(y, y)

main()  # run
'''


def helpers(ahead="pass", behind="pass", between="pass"):
    """One line, which two calls of its function lead to."""
    program = Program(HELPERS.format(ahead=ahead, behind=behind, between=between))
    outer = program.frame(program.frame(program.process.root(), "<module>", "# run"), "main", "train(y, y)")
    ways = [program.process.node(program.frame(program.frame(outer, "train", words), "reset", "counts.fill"), make_db.NATIVE, ADDRESS, samples=500)
            for words in ("reset()  # first", "reset()  # second")]
    program.process.node(program.frame(program.frame(program.process.root(), "<module>", "# run"), "main", "np.sin"), make_db.NATIVE, ADDRESS, samples=1500)
    program.process.pair(ways[1], ways[1], ALONE, make_db.UNKNOWN, 3, flags=SAME | ZERO, count=60)
    program.process.pair(ways[0], ways[1], STORES, flags=SAME | ZERO, count=40)
    return program


@pytest.mark.parametrize("texts, is_found", [
    ({}, True), ({"ahead": '"""Zeros, for tally()."""'}, True), ({"behind": "return"}, True), ({"between": "tally(rows)"}, False),
    ({"between": "more = counts[3]"}, False), ({"between": "rows[0] += 1"}, False), ({"ahead": "tally(3)"}, False), ({"behind": "counts[0] = 1"}, False),
    ({"ahead": "if counts[0]: return"}, False), ({"between": "if more[0]: return"}, False), ({"between": "pass; tally(rows)"}, False)])
def test_a_function_that_clears_and_what_stands_around_its_calls(tmp_path, texts, is_found):
    findings = report_json(helpers(**texts).write(tmp_path / "out.db"), "--min-waste", "0")["findings"]
    assert [finding["line"] for finding in findings] == ([6] if is_found else [])


@pytest.mark.parametrize("name", CLEARS)
def test_what_clears_gradients_clears_the_same_by_its_text(tmp_path, name):
    """Sampled elements are of what two optimizers share: what only one of them has is seen by neither."""
    body, first, second, is_found = CLEARS[name]
    findings = report_json(clears(body, first, second).write(tmp_path / "out.db"), "--min-waste", "0")["findings"]
    assert [finding["kind"] for finding in findings] == (["redundant_store"] if is_found else [])


@pytest.mark.parametrize("name", EDGES)
def test_how_much_evidence_it_takes(tmp_path, name):
    run, is_found = EDGES[name]
    assert bool(run().findings(tmp_path)) == is_found


@pytest.mark.parametrize("name", CLEARINGS)
def test_of_two_clearings_few_say_enough(tmp_path, name):
    run, is_found = CLEARINGS[name]
    assert bool(run().findings(tmp_path)) == is_found


@pytest.mark.parametrize("name", FOUND)
def test_what_other_threads_leave_open_is_judged_by_value(tmp_path, name):
    run, is_found = FOUND[name]
    assert bool(run().findings(tmp_path)) == is_found


def test_where_another_thread_may_have_read_the_later_clear_is_to_go(tmp_path):
    (finding,) = cleared(alone=40, again=10).again(2, SAME | ZERO).findings(tmp_path)
    assert finding["line"] == 7 and finding["fraction"] == 1.0
    assert finding["claim"] == ("Of 52 stores that were followed, 52 wrote the value that was there, where they came after another: what "
                                "train.py:6 had stored; whether other threads read it is open.")
    assert finding["advice"] == "Leave this one out and keep train.py:6: what it stores was there each time that it was looked at."


def test_one_way_alone_may_lead_to_it(tmp_path):
    """What another way's clear stored may be read, where nothing says that it is not."""
    run = cleared(alone=40, again=10)
    step = run.program.frame(run.program.frame(run.program.process.root(), "<module>", "main(np.ones"), "step", CLEARED)
    run.program.process.pair(run.program.process.node(step, make_db.NATIVE, ADDRESS), run.second, STORES, flags=UNPROVED)
    assert run.findings(tmp_path) == []


@pytest.mark.parametrize("name", UNMADE)
def test_what_unmakes_it(tmp_path, name):
    assert UNMADE[name]().findings(tmp_path) == []
