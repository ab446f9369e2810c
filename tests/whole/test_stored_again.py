"""Lines that store what another call has just stored there, in real programs; and those that only look like it."""
import textwrap

import followed
import pytest

FOLLOWED_MIN = 30  # stores of the line

HEAD = """
import numpy as np
rng = np.random.default_rng(0)
table = rng.random(40000)
sparse = np.where(rng.random(40000) < 0.004, table, 0.0)
buffer = np.empty(40000)
total = 0.0
def clear(buffer):
    buffer.fill(0.0)  # helper
"""

AGAIN = {
    "filled twice": """
        for step in range(20000 * longer):
            buffer.fill(0.0)  # first
            buffer.fill(0.0)  # A
            np.add(buffer, table, out=buffer)
        """,
    "by a slice, the second one": """
        for step in range(20000 * longer):
            np.ndarray.fill(buffer, 0.0)  # first
            buffer[:] = 0.0  # A
            buffer += table
        """,
    "copied twice": """
        for step in range(20000 * longer):
            np.copyto(buffer, table)  # first
            np.copyto(buffer, table)  # A
            buffer += 1.0
        """,
}

USED = {
    "read in between": """
        for step in range(12000 * longer):
            buffer.fill(0.0)
            total += buffer.sum()
            buffer.fill(0.0)  # A
            buffer += table
        """,
    "changed in between": """
        for step in range(12000 * longer):
            buffer.fill(0.0)
            np.add(buffer, table, out=buffer)
            buffer.fill(0.0)  # A
            buffer += table
        """,
    "a sparse result over a cleared buffer": """
        for step in range(16000 * longer):
            buffer.fill(0.0)
            np.multiply(sparse, 2.0, out=buffer)  # A
            total += buffer[step % 40000]
        """,
    "one fill, over what sparse updates left alone": """
        places = np.flatnonzero(sparse)
        for step in range(20000 * longer):
            buffer.fill(0.0)  # A
            buffer[places] = step
            total += buffer[places[3]]
        """,
}
SPARSE = {
    "by functions": """
        def tally(at):
            np.add.at(counts, at, 1)
        def some(at):
            return counts[at].sum()
        for step in range(1000 * longer):
            places = rng.integers(0, 1_000_000, 200)
            clear(counts)
            tally(places)
            total += some(places)
            clear(counts)
            tally(places)
            total += counts.sum()
        """,
    "by another name": """
        same = counts
        for step in range(1000 * longer):
            places = rng.integers(0, 1_000_000, 200)
            counts.fill(0.0)
            same[places] += 1.0
            total += same[places].sum()
            counts.fill(0.0)
            same[places] -= 1.0
            total += same.sum()
        """,
}


def profile(tmp_path, source, mark="A"):
    return followed.followed(tmp_path, HEAD + textwrap.dedent(source), "redundant_stores", FOLLOWED_MIN, mark)


def stored_again(report):
    return [finding for finding in report["findings"] if finding["kind"] == "redundant_store"]


@pytest.mark.parametrize("name", AGAIN)
def test_the_line_is_named(tmp_path, name):
    report, marks = profile(tmp_path, AGAIN[name])
    (finding,) = stored_again(report)
    assert (finding["line"], finding["category"]) == (marks["A"], "repeated native call with the same arguments")
    assert f"what program.py:{marks['first']} had stored" in finding["claim"] and finding["fraction"] > 0.97
    assert f"program.py:{marks['first']}" in finding["advice"]


ENDS = "; see that neither the first round nor what follows the last needs it"


@pytest.mark.parametrize("source, ends", [("""
        for step in range(20000 * longer):
            clear(buffer)  # first
            clear(buffer)  # A
            np.add(buffer, table, out=buffer)
        """, ""), ("""
        def advance():
            np.subtract(buffer, table, out=buffer)
            clear(buffer)  # first
        for step in range(16000 * longer):
            clear(buffer)  # A
            np.add(buffer, table, out=buffer)
            advance()
        """, ENDS)], ids=["in one round", "in the next"])
def test_a_function_that_is_called_twice(tmp_path, source, ends):
    """The stores are of one line: the calls of it tell the two ways apart, and nothing else that a call further out does."""
    report, marks = profile(tmp_path, source, "helper")
    (finding,) = stored_again(report)
    assert finding["line"] == marks["helper"]
    assert finding["advice"] in {f"Leave one of the two out, program.py:{one} or program.py:{other}{ends}."
                                 for one, other in ((marks["A"], marks["first"]), (marks["first"], marks["A"]))}
    assert [frame["line"] for frame in finding["second"]["frames"] if frame.get("line")][-1] == marks["helper"]


@pytest.mark.parametrize("name", USED)
def test_what_is_used_or_changed_is_none(tmp_path, name):
    report, _ = profile(tmp_path, USED[name])
    assert stored_again(report) == []


@pytest.mark.parametrize("name", SPARSE)
def test_a_few_elements_that_change_in_between_are_none(tmp_path, name):
    """None of them is among those that are followed: the text alone shows that they do."""
    source = HEAD + "counts = np.zeros(1_000_000)\n" + textwrap.dedent(SPARSE[name])
    report, _ = followed.profile(tmp_path / "sparse", source, 4)
    assert stored_again(report) == []
