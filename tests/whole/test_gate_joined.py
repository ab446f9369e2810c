"""What a refactoring joins, parts or moves to a function of its own: in all as many bytes are made again, at other lines or in other numbers of buffers."""
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
    assert [line for _, _, line in found] == [6, 6]  # the probe's in each step, and each step's second product


STEPS = """
import numpy as np

rng = np.random.default_rng(0)
design = rng.normal(size=(600, 60))
labels = (rng.random(600) < 0.5).astype(float)
HELPER
def gradient(w):
    GRADIENT

def loss(w):
    logits = design @ w
    return (np.logaddexp(0, logits) - labels * logits).sum()

w = np.zeros(60)
for step in range(300):
    direction = gradient(w)
    size = np.sqrt((gradient(w) ** 2).sum())
    w = w - 1e-3 * direction / (1 + size)
    MORE
print(loss(w))
"""
HELPER = "\ndef sigmoid(x):\n    return 1 / (1 + np.exp(-x))\n"
GRADIENTS = {
    "by rows": ("", "logits = design @ w\n    probs = 1 / (1 + np.exp(-logits))\n    return design.T @ (probs - labels)"),
    "by a function": (HELPER, "logits = design @ w\n    residual = sigmoid(logits) - labels\n    return design.T @ residual"),
    "in one row": ("", "return design.T @ (1 / (1 + np.exp(-(design @ w))) - labels)"),
}


@pytest.fixture(scope="module")
def gradients(tmp_path_factory):
    runs = bench.Gate(whole.BUILD, whole.PYTHON, tmp_path_factory.mktemp("gradients"))
    more = "w = w + 0 * np.tanh(design).sum()"
    return {(way, planted): runs.record(STEPS.replace("HELPER", helper).replace("GRADIENT", text).replace("MORE", more if planted else ""), f"{way}-{planted}.db")
            for way, (helper, text) in GRADIENTS.items() for planted in (False, True)}


@pytest.mark.parametrize("ways", itertools.permutations(GRADIENTS, 2), ids=" after ".join)
def test_a_part_that_goes_to_another_line_is_no_news_and_waste_beside_it_is(gradients, ways):
    """A gradient that is computed twice each step, before and after: a line that made a part of it is not gone."""
    new, base, planted = gradients[ways[0], False], gradients[ways[1], False], gradients[ways[0], True]
    for baseline in (base, export(base)):
        assert failing(verdict(new, "--baseline", baseline, status=0)) == []
    data = verdict(planted, "--baseline", base, status=1)
    assert any("np.tanh(design)" in item["text"] for item in data["items"] if item["verdict"] == "new")
