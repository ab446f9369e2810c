"""Steps that are collected in a list: who appends to it stores into nothing that it holds."""
import pytest
from marked import NUMPY, at_a, found

HOPS = NUMPY + """
        P, X, total = random.random((400, 400)) / 200, random.normal(size=(400, 60)), 0.0
        def hops(x, count):
            out = [x]
            for k in range(count):
                out.append(P @ out[-1])  # A
                CHANGED
            return RESULT
        for epoch in range(80):  # epochs
            features = hops(X, 3)
            total += float((features * random.random()).sum())
        """
PLAIN = HOPS.replace("CHANGED", "pass")
AGAIN = {
    "joined": PLAIN.replace("RESULT", "np.concatenate(out, axis=1)"),
    "the last": PLAIN.replace("RESULT", "out[-1]"),
    "added": PLAIN.replace("RESULT", "out[-1] + 0.5"),
    "by another name": PLAIN.replace("RESULT", "out[-1]").replace("out = [x]", "first = x\n            out = [first]"),
    "a dictionary of lists": PLAIN.replace("RESULT", "out[-1]").replace("out = [x]", "names = {'x': x}\n            out = [names['x']]"),
}
CHANGES = {
    "what the list holds": HOPS.replace("CHANGED", "out[0] *= 1 + 1e-13").replace("RESULT", "out[-1]"),
    "what a loop takes out of it": HOPS.replace("CHANGED", "pass").replace("RESULT", "out[-1]").replace(
        "            return", "            for part in out[:1]:\n                part *= 1 + 1e-13\n            return"),
}


@pytest.mark.parametrize("name", AGAIN)
def test_steps_that_a_list_collects_are_told(tmp_path, name):
    marks, (finding,) = at_a(*found(tmp_path, AGAIN[name]))
    assert (finding["kind"], finding["category"], finding["object"]["period"]) == ("replica", "recomputed input", 3)
    assert "before or in the first pass of the loop at " f"program.py:{marks['epochs']}, and keep them" in finding["advice"]


def test_what_comes_of_the_steps_stays_though_they_differ(tmp_path):
    path, report = found(tmp_path, AGAIN["added"])
    row = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if "return" in line)
    (finding,) = [finding for finding in report["findings"] if finding["line"] == row]
    assert "80 times, 79 times equal to the one before, from inputs that did not change" in finding["claim"]


@pytest.mark.parametrize("name", CHANGES)
def test_items_that_are_stored_into_are_not(tmp_path, name):
    _, findings = at_a(*found(tmp_path, CHANGES[name]))
    assert findings == []


MASKS = NUMPY + """
        x, total = np.round(random.random((300, 200)) * 4), 0.0
        SHARED
        for step in range(200):
            total += np.where(x > 0.5, x, 0.0)[step].sum() * step  # A
            MOVED
        """
SHARED = {
    "an empty list": ("kept = []\n        kept.append(x)", "for part in kept:\n                part += 1e-13"),
    "by its place": ("kept = []\n        kept.append(x)", "kept[0] += 1e-13"),
    "of a dictionary": ("kept = {'a': []}\n        kept['a'].append(x)", "for part in kept['a']:\n                part += 1e-13"),
    "put first": ("kept = [None]\n        kept.insert(0, x)", "kept[0] += 1e-13"),
}


@pytest.mark.parametrize("name", SHARED)
def test_what_is_put_into_a_list_is_followed(tmp_path, name):
    shared, moved = SHARED[name]
    _, findings = at_a(*found(tmp_path, MASKS.replace("SHARED", shared).replace("MOVED", moved)))
    assert [finding for finding in findings if finding["kind"] == "replica"] == []
    if name == "an empty list":
        (tmp_path / "out.db").unlink()
        _, findings = at_a(*found(tmp_path, MASKS.replace("SHARED", shared).replace("MOVED", "pass")))
        assert [finding["kind"] for finding in findings] == ["replica"]
