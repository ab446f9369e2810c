"""What is said of contents that are new every so many rounds of a loop: each claim, and each trap, on files whose counts are known."""
import pytest

from gating import ADDRESS, Program, make_db
from reports import report_json

PROGRAM = '''import numpy as np

def values(batch, table):
    scaled = np.tanh(table)
    return batch @ scaled

def project(row, table):
    return row @ np.sqrt(table)

def main(data, table):
    for step in range(400):
        batch = np.exp(data[step])
        error = values(batch, table)
        rows = np.apply_along_axis(project, 1, batch, table)
        if step % 20 == 19:
            table = table + 1.0

main(np.ones((400, 30)), np.ones((30, 30)))
'''
VALUES = ("main", "error = values("), ("values", "np.tanh(")
PROJECT = ("main", "np.apply_along_axis"), ("project", "np.sqrt(")


def found(tmp_path, way, rounds=400, library=None, **counters):
    """The findings of a run whose loop has so many rounds, and a site at the end of `way`, below a function of the library's."""
    program = Program(PROGRAM)
    outer = program.frame(program.process.root(), "<module>", "main(np.ones")
    for steps, size, facts in (((("main", "np.exp("),), 65536, {"births": rounds}), (way, 4096, counters)):
        node = outer
        for function, words in steps:
            node = program.frame(node, function, words)
        if library and size == 4096:
            node = program.process.frame(node, program.process.code(library, "/v/lib/python3.11/site-packages/numpy/lib/shape.py"), -1)
        program.process.site(program.process.node(node, make_db.NATIVE, ADDRESS, samples=50), size, **facts)
    return report_json(program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]


def test_what_changes_every_so_many_rounds(tmp_path):
    (finding,) = found(tmp_path, VALUES, births=400, replicas=380, period=1, new_step=20, new_first=1, new_last=381)
    assert (finding["kind"], finding["category"], finding["line"]) == ("replica", "loop-invariant computation", 4)
    assert finding["claim"] == "4 KiB made 400 times, 380 times equal to the one before, from inputs that change only once in 20 times."
    assert finding["advice"] == "Build it where its inputs change, once in 20 rounds of the loop at train.py:11, and keep it until then."


def test_what_changes_at_some_of_these(tmp_path):
    """New contents are those of the births that are looked at: some lie further apart."""
    (finding,) = found(tmp_path, VALUES, births=400, skipped=100, replicas=288, period=1, new_step=20, new_first=1, new_last=361)
    assert "380 times" not in finding["claim"] and "change only once in 20 times or more" in finding["claim"]
    assert "once in 20 rounds or more of the loop at train.py:11" in finding["advice"]


def test_what_each_round_makes_several_times(tmp_path):
    (finding,) = found(tmp_path, PROJECT, births=2400, replicas=2000, period=1, new_step=6, new_first=1, new_last=2395)
    assert (finding["category"], finding["line"]) == ("loop-invariant computation", 8)
    assert "2,000 times equal to the one before, from inputs that change only once in 6 times" in finding["claim"]
    assert finding["advice"] == "Build it once in each round of the loop at train.py:11, which makes it 6 times, and hand it on."


@pytest.mark.parametrize("why, way, how", [
    ("a plateau changes when it happens to", VALUES, {"new_step": 1, "new_last": 385}),
    ("not known when", VALUES, {"new_step": 20, "new_first": 0, "new_last": 2**32 - 1}),
    ("a step that does not fit", VALUES, {"new_step": 21, "new_last": 381}),
    ("few contents", VALUES, {"replicas": 393, "new_step": 60, "new_last": 361}),
    ("hardly any come again", VALUES, {"replicas": 266, "new_step": 3, "new_last": 400}),
    ("each round makes several, of which some are new", PROJECT, {"births": 2400, "replicas": 2280, "new_step": 20, "new_last": 2381}),
    ("nobody knows how many rounds there are", VALUES, {"rounds": 100, "new_step": 20, "new_last": 381}),
    ("a library's own affair in each round", PROJECT,
     {"births": 2400, "replicas": 2000, "new_step": 6, "new_last": 2395, "library": "apply_along_axis"}),
])
def test_what_is_no_rhythm(tmp_path, why, way, how):
    facts = {"births": 400, "replicas": 380, "period": 1, "new_first": 1, **how}
    assert found(tmp_path, way, **facts) == [], why
