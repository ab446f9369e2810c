"""What the report says of sorts of which a few are taken, on files of make_db.py: the claim, and how much of a result may be loaded."""
import sys

import pytest

from gating import ADDRESS, Program, make_db
from reports import report_json

PROGRAM = '''import numpy as np

def nearest(distances):
    order = np.argsort(distances, axis=1)
    return order[:, :5]

def first(distances):
    rows = np.argsort(distances)
    return rows[:5]

def farthest(distances):
    ranks = np.argsort(distances, axis=1)
    return ranks[:, 5:]

def main(data):
    for step in range(100):
        nearest(data)
        farthest(data)
        first(data)
        other = np.sqrt(data)

main(np.ones((9, 9)))
'''
WORDS = {"nearest": "order = np.argsort", "farthest": "ranks = np.argsort", "first": "rows = np.argsort"}
ALONE, LOADED = (make_db.STORE, 0), (make_db.STORE, make_db.LOAD)

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")


def found(tmp_path, function="nearest", births=100, samples=500, stores=0, loaded=0, scope=make_db.ACROSS, by_sort=False):
    """The findings of a run of 10 s in which a sort made so many results; of its sampled stores so many were loaded."""
    program = Program(PROGRAM)
    outer = program.frame(program.frame(program.process.root(), "<module>", "main(np.ones"), "main", f"{function}(data)")
    sort = program.process.node(program.frame(outer, function, WORDS[function]), make_db.NATIVE, ADDRESS, samples=samples)
    use = program.node("main", "other = np.sqrt", samples=1500)
    site = program.process.site(sort, 65536, births=births)
    if stores:
        program.process.pair(sort, sort, ALONE, make_db.UNKNOWN, 3, count=stores, site=site)
    if loaded:
        program.process.pair(sort, sort if by_sort else use, LOADED, scope, count=loaded, site=site)
    return report_json(program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]


def test_the_claim(tmp_path):
    (finding,) = found(tmp_path)
    assert (finding["kind"], finding["category"], finding["line"]) == ("dead_store", "inefficient algorithm", 4)
    assert finding["claim"] == "64 KiB made 100 times by sorting, and of each only [:, :5] is taken."
    assert "topk() of PyTorch, argpartition()" in finding["advice"] and "Of equal ones they may take others" in finding["advice"]
    assert (finding["waste_s"], finding["exact"]) == (2.0, True)
    assert "takes whole rows" not in finding["advice"]


def test_a_slice_without_a_comma_may_take_rows(tmp_path):
    (finding,) = found(tmp_path, function="first")
    assert "[:5] takes whole rows: sort these alone." in finding["advice"]


@pytest.mark.parametrize("stores, loaded, is_found", [
    (96, 3, True),   # too few to say
    (96, 4, True),   # one in twenty-four
    (95, 4, False),
    (1000, 41, True),
    (1000, 42, False),
    (4, 4, False),
])
def test_one_store_in_twenty_four_may_be_loaded(tmp_path, stores, loaded, is_found):
    assert bool(found(tmp_path, stores=stores, loaded=loaded)) == is_found


def test_what_the_sort_itself_loads_is_no_use(tmp_path):
    """Nor what it copies first, in a native call of its own."""
    assert len(found(tmp_path, stores=100, loaded=90, scope=make_db.WITHIN)) == 1
    assert len(found(tmp_path, stores=100, loaded=90, by_sort=True)) == 1


@pytest.mark.parametrize("why, how", [
    ("the rest is taken", {"function": "farthest"}),
    ("made three times", {"births": 3}),
    ("not worth it", {"samples": 8}),
])
def test_what_is_no_finding(tmp_path, why, how):
    assert found(tmp_path, **how) == [], why
