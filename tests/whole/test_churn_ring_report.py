"""Buffers that are offered in turn, on files that make_db.py writes: what is made has to be let go in the order in which it is made."""
import pytest

from churning import ADDRESS, COUNTERS, MIB, Run, make_db, needs_columns

RING = """import numpy as np

def main(self, data, target):
    for number in range(100):
{body}

main(np.ones(3))
"""


def in_turn(tmp_path, body, line="made = data * number", text=RING, function="main", way=(), alive=3):
    """The findings of a loop whose line makes several that are alive at once."""
    text = text.format(body="\n".join("        " + row for row in body.splitlines()))
    run = Run(text=text)
    numbers = {row.strip(): number for number, row in enumerate(text.splitlines(), 1)}
    outer = [("<module>", len(text.splitlines())), *((name, numbers[call]) for name, call in way)]
    node = run.process.node(run.frame(*outer, (function, numbers[line])), make_db.NATIVE, ADDRESS, samples=1000)
    run.process.site(node, 4 * MIB, **{**COUNTERS, "most_alive": alive})
    return run.findings(tmp_path)


IN_TURN = {
    "read": "made = data * number\nif made.sum() > 3:\n    total = made[3] + 1",
    "the one before": "made = data * number\nif number > 0:\n    total = (made - before).mean()\nbefore = made",
    "moved on": "made = data * number\nloss = ((made - target) ** 2).mean()\ndata = made",
    "two steps": "made = data * number\nolder, old = old, made",
    "stored into": "made = data * number\nif number > 3:\n    made[3] = 0\n    np.maximum(made, 0.0, out=made)",
    "a list": "made = data * number\nlines.append(made)\ntotal = lines[-1].sum()",
    "a copy": "made = data * number\nif made.sum() > best:\n    kept = made.copy()",
    "another's attribute": "made = data * number\nif made.sum() > best:\n    kept = target.made",
}
NOT_IN_TURN = {
    "the best so far": "made = data * number\nif made.sum() > best:\n    best = made.sum()\n    kept = made",
    "on one row": "made = data * number\nif made.sum() > best: kept = made",
    "every twentieth": "made = data * number\ndata = made\nif number % 20 == 0:\n    kept = made",
    "by its other name": "made = data * number\nnewest = made\nif newest.sum() > best:\n    kept = newest",
    "in an expression": "made = data * number\nkept = made if made.sum() > best else kept",
    "a view": "made = data * number\nif made.sum() > best:\n    kept = made[:9]",
    "an attribute": "made = data * number\nif made.sum() > best:\n    self.kept = made",
    "an element": "made = data * number\nkept[number % 7] = made",
    "a list on a condition": "made = data * number\nif number % 20 == 0:\n    kept.append(made)",
    "out of a list": "made = data * number\nlines.append(made)\nif number % 20 == 0:\n    kept = lines[-1]",
    "handed out": "made = data * number\nif number % 20 == 0:\n    self.keep(made)",
    "handed to what may keep it": "made = data * number\nself.keep(made)",
    "a step that is taken back": "made = data * number\nif made.sum() > best:\n    continue\ndata = made",
    "after the loop of a loop": "for step in range(5):\n    made = data * number\nif number > 3:\n    kept = made",
    "after each of a loop": "for step in range(5):\n    made = data * number\nkept = made",
    "a generator": "made = data * number\nyield made",
    "a function that keeps it": "made = data * number\ndef keep():\n    self.kept = made",
    "a keyword": "made = data * number\nif number > 3:\n    target = dict(kept=made)",
}


@needs_columns
@pytest.mark.parametrize("name", IN_TURN)
def test_what_is_let_go_in_turn(tmp_path, name):
    (finding,) = in_turn(tmp_path, IN_TURN[name])
    assert "Make 3 buffers outside the loop at train.py:4, and write into them in turn" in finding["advice"]


@needs_columns
@pytest.mark.parametrize("name", NOT_IN_TURN)
def test_one_that_is_kept_beyond_later_ones(tmp_path, name):
    """A buffer that comes round is written over while it is kept."""
    assert in_turn(tmp_path, NOT_IN_TURN[name]) == []


RETURNED = """import numpy as np

def step(data, number):
    made = data * number
    return made

def main(self, data):
    for number in range(100):
{body}

main(np.ones(3))
"""


@needs_columns
@pytest.mark.parametrize("rest, is_found", [
    ("total += made.sum()", True),
    ("before = made", True),
    ("if made.sum() > best:\n    best, kept = made.sum(), made", False),
    ("kept = made if number == 3 else kept", False),
    ("self.keep(made)", False),
])
def test_what_the_caller_keeps(tmp_path, rest, is_found):
    call = "made = step(data, number)"
    found = in_turn(tmp_path, f"{call}\n{rest}", text=RETURNED, function="step", way=[("main", call)])
    assert bool(found) == is_found


SOME = """import numpy as np

def steps(data):
    for number in range(5):
        made = data * number
        if number > 2:
            return made

def main(data):
    for number in range(100):
{body}

main(np.ones(3))
"""


@needs_columns
@pytest.mark.parametrize("call, is_found", [("total += steps(data).sum()", True), ("data = steps(data)", False)])
def test_one_of_several_that_is_returned(tmp_path, call, is_found):
    """The caller has it while the next call makes several."""
    assert bool(in_turn(tmp_path, call, text=SOME, function="steps", way=[("main", call)])) == is_found


@needs_columns
@pytest.mark.parametrize("alive, is_found", [(1, True), (2, False)])
def test_an_attribute_anybody_may_keep(tmp_path, alive, is_found):
    found = in_turn(tmp_path, "self.made = data * number", line="self.made = data * number", alive=alive)
    assert bool(found) == is_found
