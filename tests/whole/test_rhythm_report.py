"""What is said of contents that are new once in so many times: each claim, and each trap, on files whose counts are known."""
import pytest

from gating import ADDRESS, Program, make_db
from reports import report_json

PROGRAM = '''import numpy as np

def values(batch, table):
    scaled = np.tanh(table)
    return batch @ scaled

def main(data, table):
    for step in range(400):
        batch = np.exp(data[step])
        error = values(batch, table)
        if step % 20 == 19:
            table = table + 1.0

main(np.ones((400, 30)), np.ones((30, 30)))
'''
VALUES = ("main", "error = values("), ("values", "np.tanh(")
FACTS = {"births": 400, "replicas": 380, "period": 1, "new_step": 20, "new_first": 1, "new_last": 381, "new_digits": 8}


def found(tmp_path, library=None, file="numpy/lib/shape.py", **counters):
    """The findings of a run with a site of these counters, below a function of the library's."""
    program = Program(PROGRAM)
    node = program.frame(program.process.root(), "<module>", "main(np.ones")
    for function, words in VALUES:
        node = program.frame(node, function, words)
    if library:
        node = program.process.frame(node, program.process.code(library, f"/v/lib/python3.11/site-packages/{file}"), -1)
    program.process.site(program.process.node(node, make_db.NATIVE, ADDRESS, samples=50), 4096, **counters)
    return report_json(program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]


@pytest.mark.parametrize("first", [1, 7, 20], ids=lambda first: f"first round of {first}")
def test_what_changes_once_in_so_many_times(tmp_path, first):
    (finding,) = found(tmp_path, **dict(FACTS, new_last=361 + first))
    assert (finding["kind"], finding["category"], finding["line"]) == ("replica", "loop-invariant computation", 4)
    assert finding["claim"] == "4 KiB made 400 times, 380 times equal to the one before, from inputs that change only once in 20 times."
    assert finding["advice"] == "Build it where its inputs change, once in 20 times, and keep it until then."


def test_what_changes_at_some_of_these(tmp_path):
    """New contents are those of the births that are looked at: some lie further apart."""
    (finding,) = found(tmp_path, **dict(FACTS, skipped=100, replicas=288, new_last=361))
    assert "change only once in 20 times or more seldom" in finding["claim"] and "once in 20 times or more seldom, and keep" in finding["advice"]


def test_one_in_fifty_may_equal_another(tmp_path):
    assert len(found(tmp_path, **FACTS, period_replicas=373)) == 1
    assert found(tmp_path, **FACTS, period_replicas=372) == []


LONG = {"births": 1000, "replicas": 995, "new_step": 200, "new_last": 801, "new_digits": 5}


@pytest.mark.parametrize("how", [{}, {"births": 700, "replicas": 696, "new_last": 601, "new_digits": 4}, {"library": "Linear.forward", "file": "torch/nn/modules/linear.py"}])
def test_few_contents_are_enough_where_each_stays_for_hundreds_of_times(tmp_path, how):
    (finding,) = found(tmp_path, **{**FACTS, **LONG, **how})
    assert "from inputs that change only once in 200 times." in finding["claim"]


@pytest.mark.parametrize("why, how", [
    ("three tell no distance", {"births": 600, "replicas": 597, "new_last": 401, "new_digits": 3}),
    ("nor do they where it is shorter", {"new_step": 199, "new_last": 797}),
    ("one of them may have stayed equal by what it is", {"new_digits": 4}),
    ("it changed for a while, and never again", {"births": 1400, "replicas": 1395}),
    ("PyTorch's own affair", {"library": "step", "file": "torch/optim/sgd.py"}),
])
def test_few_contents_are_not_enough(tmp_path, why, how):
    assert found(tmp_path, **{**FACTS, **LONG, **how}) == [], why


@pytest.mark.parametrize("why, how", [
    ("a plateau changes when it happens to", {"new_step": 1}),
    ("not known when", {"new_first": 0, "new_last": 2**32 - 1}),
    ("a step that does not fit", {"new_step": 22}),
    ("few contents", {"replicas": 393, "new_step": 60, "new_last": 361}),
    ("hardly any come again", {"replicas": 266, "new_step": 3, "new_last": 400}),
    ("what is chosen or counted may stay equal while its inputs change", {"new_digits": 6}),
    ("items that are replayed", {"period": 7}),
    ("it changed for a while, and never again", {"births": 2400, "replicas": 2380}),
    ("a library's own affair", {"library": "apply_along_axis"}),
    ("a package's", {"library": "fit", "file": "learner/core.py"}),
])
def test_what_is_no_rhythm(tmp_path, why, how):
    assert found(tmp_path, **{**FACTS, **how}) == [], why
