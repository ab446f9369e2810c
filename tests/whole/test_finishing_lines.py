"""What the lines that finish a buffer take is told as the waste of the line that makes it again: all that is for that, and nothing else."""
import textwrap

import pytest

from finishing import measured, row_of

FILLED = """
    class Graph:
        def __init__(self):
            self.edges = np.random.default_rng(1).integers(0, 400, (2, 30000))
        def adjacency(self):
            a = np.zeros((400, 400))  # made
            np.add.at(a, (self.edges[0], self.edges[1]), 1.0)  # changes
            return a
        def moved(self, by):
            a = np.zeros((400, 400))
            np.add.at(a, (self.edges[0], self.edges[1]), by)  # other
            return a
    graph = Graph()
    for i in range(80):
        total += graph.adjacency()[i, 3] + graph.moved(1.0 + i)[3, i]
    """


def test_what_the_finishing_lines_take_is_waste(tmp_path):
    lines, report = measured(tmp_path, FILLED)
    made, changes, other = ({line["line"]: line for line in report["lines"]}[row_of(lines, mark)] for mark in ("made", "changes", "other"))
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "replica"]
    assert finding["line"] == made["line"] and "counted above)" in finding["advice"]
    assert changes["waste_s"] == pytest.approx(changes["time_s"], rel=0.05)
    assert finding["waste_s"] == pytest.approx(made["waste_s"] + changes["waste_s"], abs=2e-6)
    assert other["waste_s"] == 0 < other["time_s"]


def test_a_line_that_finishes_another_buffer_as_well_is_not_charged(tmp_path):
    lines, report = measured(tmp_path, """
        def build(t):
            fixed, moving = np.zeros((2000, 40)), np.zeros((2000, 40))  # made
            for k in range(40):
                fixed[:, k], moving[:, k] = np.cos(k * base[:2000]), np.cos(k * base[:2000] + t)  # both
            return fixed @ np.ones(40) + moving @ np.ones(40)
        for i in range(4000):
            total += build(i).sum()
        """, "--min-waste", "0")
    (both,) = [line for line in report["lines"] if line["line"] == row_of(lines, "both")]
    for finding in report["findings"]:
        if finding["line"] == row_of(lines, "made"):
            assert finding["waste_s"] < 0.3 * both["time_s"]


@pytest.mark.parametrize("row, charged", [
    ("fixed[:, k] = 0.5 * k; fixed[:, 20 + k] = 0.25 * k", True),
    ("fixed[:, k] = 0.5 * k; moving[:, 20 + k] = 0.25 * k", False),
    ("at = k; np.multiply(base[:2000], 0.5 * k, out=fixed[:, at]); at += 20", True),
    ("at = k; np.multiply(base[:2000], 0.5 * k, out=fixed[:, at]); np.multiply(base[:2000], k, out=moving[:, at])", False),
    ("at = float(base.sum()); np.multiply(base[:2000], 0.5 * k, out=fixed[:, k])", False),
])
def test_several_statements_of_a_row_finish_one_buffer_or_more(tmp_path, row, charged):
    lines, report = measured(tmp_path, f"""
        moving = np.zeros((2000, 40))
        def build(t):
            fixed = np.zeros((2000, 40))  # made
            for k in range(20):
                {row}  # row
            return fixed @ np.ones(40)
        for i in range(4000):
            total += build(i).sum()
        """, "--min-waste", "0")
    (row,) = [line for line in report["lines"] if line["line"] == row_of(lines, "row")]
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "replica" and finding["line"] == row_of(lines, "made")]
    assert (finding["waste_s"] > 0.7 * row["time_s"]) == charged, (finding["waste_s"], row["time_s"])


def advantages(tmp_path, last_rows):
    """What a function computes element by element, again in each of six passes: its lines, and the finding of the one that makes it."""
    lines, report = measured(tmp_path, """
        log = []
        def advantages(rewards, values):
            out = np.zeros_like(rewards)  # made
            last = 0.0
            for t in range(len(rewards) - 2, -1, -1):
                delta = rewards[t] + 0.99 * values[t + 1] - values[t]
                last = delta + 0.94 * last
                out[t] = last
""" + textwrap.indent(last_rows, " " * 12) + """
        for step in range(200):
            rewards, values = np.roll(base[:2048], step), np.roll(base[2048:4096], step)
            for _ in range(6):
                result = advantages(rewards, values)
                total += float(np.sum(result))
        """, "--top", "0", "--min-waste", "0")
    of_function = [line for line in report["lines"] if line["function"] == "advantages"]
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "replica" and finding["line"] == row_of(lines, "made")]
    return sum(line["time_s"] for line in of_function), finding


def test_a_function_that_makes_the_buffer_alone_is_charged_whole(tmp_path):
    function_s, finding = advantages(tmp_path, "return out")
    assert finding["waste_s"] == pytest.approx(function_s * 5 / 6, rel=0.02)
    assert "The rest of advantages(), which returns that buffer, took" in finding["advice"]


@pytest.mark.parametrize("rows", ["return out, out + last", "log.append(last); return out", "if last > 1e9:\n    return last\nreturn out",
                                  "if last > 1e9:\n    out = rewards * last\nreturn out"])
def test_a_function_that_does_more_is_charged_with_what_is_stored(tmp_path, rows):
    function_s, finding = advantages(tmp_path, rows)
    assert finding["waste_s"] < 0.4 * function_s
    assert "advantages()" not in finding["advice"]


@pytest.mark.parametrize("between", ["\n            ", "; "], ids=["two rows", "one row"])
def test_buffers_that_are_made_one_after_the_other(tmp_path, between):
    """What the first holds when the second is made are leftovers; and each has lines of its own that fill it."""
    lines, report = measured(tmp_path, f"""
        def windows(s, w):
            X = np.empty((len(s) - w, w)){between}y = np.empty(len(s) - w)
            for i in range(len(s) - w):
                X[i] = s[i:i + w]  # first
                y[i] = s[i + w]  # second
            return X, y
        for i in range(150):
            X, y = windows(base[:6000], 48)
            total += (X[i] * y[i]).sum() + i
        """, "--min-waste", "0")
    findings = [finding for finding in report["findings"] if finding["kind"] == "replica"]
    advice = {finding["object"]["size_bytes"]: finding["advice"] for finding in findings}
    first = f"program.py:{row_of(lines, 'first')}, which stores into it"
    assert first in advice[(6000 - 48) * 48 * 8], "the larger one"
    assert first not in advice.get((6000 - 48) * 8, "")
