"""Products that a refactoring joins to one, or parts: as many bytes are made again, in other numbers of buffers."""
import itertools

import pytest

import whole
from gating import export, failing, verdict
from test_gate_runs import bench

TEXT = """
import sys
import numpy as np

def project(x, parts, fused):
    PROJECT
    return q, k, v

def main(steps):
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((64, 64)) for _ in range(3)]
    fused = np.concatenate(parts, axis=1)
    probe = rng.standard_normal((512, 64))
    total = 0.0
    for step in range(steps):
        x = rng.standard_normal((512, 64))
        q, k, v = project(x, parts, fused)
        total += float((q * k).sum() + v.sum())
        q, k, v = project(probe, parts, fused)
        total += float(q.sum() + k.sum() * v.sum())
        MORE
    print(total)

main(STEPS)
"""
WAYS = {
    "comprehended": "q, k, v = (x @ w for w in parts)",
    "joined": "q, k, v = np.split(x @ fused, 3, axis=1)",
    "parted": "q = x @ parts[0]\n    k = x @ parts[1]\n    v = x @ parts[2]",
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Of each way runs of two lengths; of the joined one also with a waste beside it, and with each product made twice."""
    runs = bench.Gate(whole.BUILD, whole.PYTHON, tmp_path_factory.mktemp("joined"))
    twice = WAYS["joined"].replace("x @ fused", "(x @ fused) + 0 * (x @ fused)")
    versions = {**{(way, False): (text, "pass") for way, text in WAYS.items()},
                ("joined", True): (WAYS["joined"], "total += np.tril(probe).sum()"), ("twice", False): (twice, "pass")}
    return {(way, planted, steps): runs.record(TEXT.replace("PROJECT", text).replace("MORE", more).replace("STEPS", str(steps)), f"{way}-{planted}-{steps}.db")
            for (way, planted), (text, more) in versions.items() for steps in (100, 250)}


@pytest.mark.parametrize("ways", itertools.permutations(WAYS, 2), ids=" after ".join)
@pytest.mark.parametrize("steps, steps_before", [(100, 100), (100, 250), (250, 100)])
def test_products_that_are_joined_or_parted_are_no_news(recorded, ways, steps, steps_before):
    way, other = ways
    base = recorded[other, False, steps_before]
    for baseline in (base, export(base)):
        assert failing(verdict(recorded[way, False, steps], "--baseline", baseline, status=0)) == []


@pytest.mark.parametrize("steps, steps_before", [(100, 100), (250, 100)])
@pytest.mark.parametrize("other", ["comprehended", "parted"])
def test_waste_that_comes_with_it_is_named(recorded, other, steps, steps_before):
    found = failing(verdict(recorded["joined", True, steps], "--baseline", recorded[other, False, steps_before], status=1))
    assert ("new", "replica", TEXT.replace("PROJECT", WAYS["joined"]).split("\n").index("        MORE") + 1) in found
    found = failing(verdict(recorded["twice", False, steps], "--baseline", recorded[other, False, steps_before], status=1))
    assert [line for _, _, line in found] == [6]
