"""Findings that speak of several expressions of one line: each is underlined, on files of make_db.py."""
import sys

import pytest

from reports import make_db, report, report_json

ADDRESS = 0x7f0000000200
PROGRAM = '''import numpy as np

def main(data, scale):
    for number in range(80):
        kernel = number * np.exp(-0.5 * data / (1 + number)) + (number + 1.) * np.eye(700)
        joined = np.add(np.sqrt(data) * scale, np.cos(np.sin(data)))
        over = np.add(np.sqrt(data),
                      np.sin(data))

main(np.ones(3), 1)
'''
LINES = PROGRAM.splitlines()
SIZE = 4 << 20

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")


class Run:
    """Expressions of main(), made 80 times each, of which all but the first equal the one before."""

    def __init__(self):
        self.database = make_db.Db()
        self.process = self.database.process(python=sys.hexversion, engines=("time", "access", "replica"))
        source = self.process.source("/nowhere/train.py", PROGRAM)
        self.codes = make_db.text_codes(PROGRAM, "/nowhere/train.py")
        self.numbers = {name: self.process.code_of(code, source) for name, code in self.codes.items()}
        self.process.module("/nowhere/lib/_multiarray.so", ADDRESS & ~0xfffff, (ADDRESS & ~0xfffff) + 0x100000)

    def makes(self, expression, samples, replicas=79, line=None, rows=1):
        """`rows`: of the whole expression, which begins with the text."""
        line = line or next(number for number, text in enumerate(LINES, 1) if expression in text)
        column = LINES[line - 1].index(expression)
        offset = 2 * max(index for index, (first, last, start, end) in enumerate(self.codes["main"].co_positions())
                         if (first, start, last) == (line, column, line + rows - 1) and (rows > 1 or end == column + len(expression)))
        node = self.process.frame(self.process.root(), self.numbers["<module>"], make_db.offset_of(self.codes["<module>"], 10))
        node = self.process.frame(node, self.numbers["main"], offset)
        self.process.site(self.process.node(node, make_db.NATIVE, ADDRESS, samples=samples), SIZE, period=1, births=80, replicas=replicas)
        return self

    def makes_new(self, expression):
        """Something else, that the same call makes."""
        records = self.process.records["NODE"]
        self.makes(expression, 0)
        self.process.records["SITE"].pop()
        self.process.site(len(records), 4096, births=80)
        return self

    def finding(self, tmp_path):
        self.database.write(tmp_path / "out.db")
        (finding,) = report_json(tmp_path / "out.db")["findings"]
        return finding

    def underlined(self, tmp_path, width=120):
        """The texts above the carets."""
        self.finding(tmp_path)
        rows = report(tmp_path / "out.db", "--width", str(width)).stdout.splitlines()
        assert all(len(row) <= width for row in rows)
        index = next(index for index, row in enumerate(rows) if row.strip(" |^") == "" and "^" in row)
        carets, text = rows[index], rows[index - 1]
        parts = "".join(letter if caret == "^" else "\0" for letter, caret in zip(text, carets.ljust(len(text))))
        return [part for part in parts.split("\0") if part]


def text_of(finding):
    return LINES[finding["line"] - 1][slice(*finding["columns"])]


def test_each_part_is_underlined(tmp_path):
    run = Run().makes("-0.5 * data", 400).makes("np.eye(700)", 100)
    assert run.underlined(tmp_path) == ["-0.5 * data", "np.eye(700)"]


@pytest.mark.parametrize("width, part", [(60, "np.eye(700)"), (60, "-0.5 * data"), (100, "np.eye(700)")])
def test_a_part_beyond_the_page_is_shown(tmp_path, width, part):
    assert Run().makes(part, 400).underlined(tmp_path, width) == [part]


def test_the_claim_names_the_parts(tmp_path):
    finding = Run().makes("np.eye(700)", 100).makes("-0.5 * data", 400).finding(tmp_path)
    assert finding["claim"].endswith(
        "from inputs that did not change. It speaks of 2 parts of the line, each by itself: -0.5 * data and np.eye(700).")


@pytest.mark.parametrize("seconds", [(100, 400), (400, 100)])
def test_the_columns_are_those_of_the_part_that_takes_longest(tmp_path, seconds):
    finding = Run().makes("-0.5 * data", seconds[0]).makes("np.eye(700)", seconds[1]).finding(tmp_path)
    assert text_of(finding) == ("-0.5 * data" if seconds[0] > seconds[1] else "np.eye(700)")


def test_what_differs_is_not_underlined(tmp_path):
    run = Run().makes("-0.5 * data", 400).makes("np.exp(-0.5 * data / (1 + number))", 100, replicas=0)
    assert run.underlined(tmp_path) == ["-0.5 * data"]
    assert "parts" not in run.finding(tmp_path)["claim"]


def test_an_expression_within_another_is_of_that(tmp_path):
    run = Run().makes("np.sin(data)", 100, line=6).makes("np.cos(np.sin(data))", 400).makes("np.sqrt(data)", 50, line=6)
    assert run.underlined(tmp_path) == ["np.sqrt(data)", "np.cos(np.sin(data))"]
    run.makes("np.add(np.sqrt(data) * scale, np.cos(np.sin(data)))", 10)
    assert run.underlined(tmp_path) == ["np.add(np.sqrt(data) * scale, np.cos(np.sin(data)))"]
    assert "parts" not in run.finding(tmp_path)["claim"]
    assert text_of(run.finding(tmp_path)).startswith("np.add")


def test_parts_of_several_rows_have_no_columns(tmp_path):
    run = Run().makes("np.sqrt(data)", 100, line=7).makes("np.add(np.sqrt(data),", 400, line=7, rows=2)
    assert run.finding(tmp_path)["columns"] is None and "parts" not in run.finding(tmp_path)["claim"]


WHOLE, PART = "np.exp(-0.5 * data / (1 + number))", "np.eye(700)"


def test_the_whole_of_one_call_is_told_rather_than_a_part_of_another(tmp_path):
    """They ask for different mends. Which takes longer does not decide: it varies between runs."""
    run = Run().makes(WHOLE, 100).makes(PART, 150).makes_new(PART)
    finding = run.finding(tmp_path)
    assert "parts" not in finding["claim"] and "Build it once" in finding["advice"]
    assert finding["waste_s"] == pytest.approx(0.4 * 79 / 80) and run.underlined(tmp_path) == [WHOLE]


def test_a_part_that_is_more_is_told(tmp_path):
    run = Run().makes(WHOLE, 100).makes(PART, 10).makes(PART, 10).makes(PART, 10).makes_new(PART)
    assert run.underlined(tmp_path) == [PART]
