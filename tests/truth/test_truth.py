"""The counter on kernels whose text forces each share, and the profiler where truth leaves chance no room.

The table of all kernels is `make truth`'s. What a share of samples is held to here lies six standard deviations off.
"""
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import coverage
import truth
from cases import CASES, DEAD, LOADS, STORES

BUILD = Path(os.environ.get("PIEPROF_BUILD", truth.ROOT / "build"))
PYTHON = os.environ.get("PIEPROF_PYTHON", "/usr/bin/python3")
BY_NAME = {case.name: case for case in CASES}
STEPS = 5
MEASURED_S = (2, 8, 32)  # longer where a busy machine left too few pairs
PAIRS_LEAST = 300

# Of the lines by ordinal: all, and between calls (None: no such pair).
EXPECTED = {
    **{f"stores, {part} % equal": {(0, STORES): (Fraction(part, 100), Fraction(part, 100)), (0, DEAD): (1, 1)} for part in (0, 1, 10, 50, 90, 99, 100)},
    **{f"increment in place, {bits} bits": {(0, LOADS): (0, 0), (0, STORES): (0, None), (0, DEAD): (0, 0)} for bits in (8, 16, 32, 64)},
    **{f"half-equal stores, {bits} bits": {(0, STORES): (Fraction(1, 2), None), (0, DEAD): (0, 0), (1, LOADS): (Fraction(1, 2), Fraction(1, 2))}
       for bits in (8, 16, 32, 64)},
    "filled, filled, summed": {(0, STORES): (0, None), (0, DEAD): (1, 1), (1, STORES): (0, 0), (1, DEAD): (0, 0), (2, LOADS): (0, 0)},
    "filled, half again, summed": {(0, STORES): (0, None), (0, DEAD): (Fraction(1, 2),) * 2, (1, STORES): (1, 1), (1, DEAD): (0, 0), (2, LOADS): (0, 0)},
    **{f"equal at the front, {count} elements": {(0, STORES): (Fraction(3, 10),) * 2, (0, DEAD): (1, 1)} for count in (500, 2000, 8000)},
    **{f"changed at the front, {count} elements": {(0, STORES): (0, None), (0, DEAD): (0, 0), (1, LOADS): (Fraction(7, 10),) * 2} for count in (500, 2000, 8000)},
    "equal fast, changed slowly": {(0, STORES): (Fraction(1, 2),) * 2, (0, DEAD): (1, 1)},
    "flips between two": {(0, STORES): (0, None), (0, DEAD): (0, 0), (1, LOADS): (0, 0)},
    "flips, seen each second time": {(0, STORES): (0, None), (0, DEAD): (1, 1), (1, STORES): (0, 0), (1, DEAD): (0, 0), (2, LOADS): (1, 1)},
    "flips in a call": {(0, STORES): (0, 0), (0, DEAD): (1, 1)},
    "ten fills in a call": {(0, STORES): (0, 0), (0, DEAD): (1, 1)},
    "dead initialisation of sums": {(0, LOADS): (1, 1), (0, STORES): (1, 1), (0, DEAD): (Fraction(1, 9), 1)},
    "stencil on a line": {(0, LOADS): None, (0, STORES): None, (0, DEAD): (1, 1), (1, STORES): (Fraction(7, 10), None), (1, DEAD): (0, 0)},
    "axpy": {(0, LOADS): (Fraction(1, 2), Fraction(1, 2)), (0, STORES): (0, None), (0, DEAD): (0, 0)},
    "updated fast, summed slowly": {(0, STORES): (0, None), (0, DEAD): (0, 0), (1, LOADS): (Fraction(1, 2), Fraction(1, 2)), (1, STORES): (0, None),
                                    (1, DEAD): (0, 0), (2, LOADS): (0, 0)},
    "linked ring": {(0, LOADS): (1, 1)},
    "three kinds on a line": {(0, LOADS): (Fraction(1, 2),) * 2, (0, STORES): (Fraction(1, 4), Fraction(1, 2)), (0, DEAD): (Fraction(1, 2),) * 2},
    "equal within, other across": {(0, LOADS): (Fraction(1, 2), 0), (1, STORES): (0, None), (1, DEAD): (0, 0)},
    "other within, equal across": {(0, LOADS): (Fraction(1, 2), 1), (0, STORES): (0, None), (0, DEAD): (0, 0)},
    "loaded twice, half changed": {(0, LOADS): (Fraction(3, 4), Fraction(1, 2)), (0, STORES): (Fraction(1, 2), None), (0, DEAD): (0, 0)},
    "equal where fresh, other where kept": {(0, LOADS): (Fraction(1, 2),) * 2, (0, STORES): (Fraction(1, 2),) * 2, (0, DEAD): (0, 0)},
}
# What is stepped through: NumPy's and PyTorch's code, whose text forces the shares as well; a kernel that the other counter counts, too.
STEPPED = [
    (BY_NAME["NumPy's add in place"], {(0, LOADS): Fraction(5, 8), (0, STORES): Fraction(1, 4), (0, DEAD): 0}),
    (BY_NAME["NumPy's maximum"], {(0, STORES): 0, (0, DEAD): 0, (1, LOADS): Fraction(9, 10), (1, STORES): Fraction(9, 10), (1, DEAD): 1}),
    (BY_NAME["PyTorch's add"], {(0, LOADS): 1, (0, STORES): 0, (0, DEAD): 0, (1, LOADS): Fraction(17, 20), (1, STORES): Fraction(7, 10), (1, DEAD): 1}),
    (replace(BY_NAME["increment in place, 32 bits"], stepped=True), {(0, LOADS): 0, (0, STORES): 0, (0, DEAD): 0}),
    (replace(BY_NAME["AVX-512 loads, a fifth changed"], truth={}, stepped=True), {(0, LOADS): Fraction(4, 5), (1, STORES): Fraction(4, 5), (1, DEAD): 0}),
    (replace(BY_NAME["rep stosq"], truth={}, stepped=True), {(0, STORES): Fraction(1, 2), (0, DEAD): 1}),
]
STEPS_STEPPED = 2
RECYCLED = {"equal where fresh, other where kept": 1, "other where fresh, equal where kept": 0}


@pytest.fixture(scope="module")
def bench():
    return truth.Bench(BUILD, PYTHON)


def needs_built(case):
    missing = truth.missing(case)
    if missing:
        pytest.skip(f"the processor has no {missing}")


@pytest.mark.parametrize("name", EXPECTED)
def test_the_counter_on_known_kernels(bench, name):
    case = BY_NAME[name]
    numbers = case.line_numbers()
    known = {(numbers.index(number), kind): share for (number, kind), share in bench.known(case, STEPS).items()}
    assert set(known) == set(EXPECTED[name])
    for place, expected in EXPECTED[name].items():
        if expected is not None:
            assert known[place].all == float(expected[0]), place
            assert known[place].across == (None if expected[1] is None else float(expected[1])), place


@pytest.mark.parametrize(("case", "expected"), STEPPED, ids=[case.name for case, _ in STEPPED])
def test_the_stepper(bench, case, expected):
    needs_built(case)
    numbers = case.line_numbers()
    known = {(numbers.index(number), kind): share.all for (number, kind), share in bench.known(case, STEPS_STEPPED).items()}
    assert known == {place: float(share) for place, share in expected.items()}


def test_the_stepper_says_what_it_does_not_understand(bench):
    case = replace(BY_NAME["AVX2 gather"], truth={}, stepped=True)
    needs_built(case)
    with pytest.raises(RuntimeError, match="accesses were not understood"):
        bench.known(case, 1)


@pytest.mark.parametrize("name", RECYCLED)
def test_the_counter_tells_recycled_places(bench, name):
    case = BY_NAME[name]
    assert (bench.known(case, STEPS)[case.line_numbers()[0], LOADS].recycled or 0) == RECYCLED[name]


@pytest.fixture(scope="module")
def measured():
    """measured(name): the case's rows by line and kind."""

    def run(name, rate=3000, pairs=3 * PAIRS_LEAST):
        case = BY_NAME[name]
        needs_built(case)
        for seconds in MEASURED_S:
            try:
                rows = truth.Bench(BUILD, PYTHON, rate).rows(case, seconds)
            except truth.EngineOff as off:
                pytest.skip(str(off))
            if truth.pairs_of(rows) >= pairs:
                break
        return {(case.lines.index(row.line), row.kind): row for row in rows}

    return run


def expect_near(row, off, across=False):
    """A share that is not told has no pairs."""
    share = row.share["across"] if across else row.share
    assert row.told(across) is not None, row
    assert share["pairs"] >= PAIRS_LEAST and abs(row.error(across)) <= 100 * off, row


# Of the lines by ordinal: shares of nothing and of all.
EXTREME = {
    "reversed in place": {(0, LOADS): 0, (0, STORES): 0, (0, DEAD): 0},
    "flips between two": {(0, STORES): 0, (0, DEAD): 0, (1, LOADS): 0},
    "flips in a call": {(0, STORES): 0, (0, DEAD): 1},
    "rectified in place": {(0, STORES): 0, (0, DEAD): 0, (1, LOADS): 0, (1, DEAD): 1},
    "rep stosb": {(0, DEAD): 1},
    "increment in place, 32 bits": {(0, LOADS): 0, (0, STORES): 0, (0, DEAD): 0},
}


@pytest.mark.parametrize("name", EXTREME)
def test_shares_of_nothing_and_of_all(measured, name):
    """At ten thousand samples a second ticks come while watches are hit, and swallow their signals."""
    rows = measured(name, 10000)
    assert {place: row.known.all for place, row in rows.items() if row.known.all in (0, 1)} == EXTREME[name]
    for place in EXTREME[name]:
        expect_near(rows[place], 0.005)


def test_a_load_that_overwrites_its_own_base(measured):
    """What its address was cannot be told behind it, only that it is the instruction that ran: its module must be known."""
    expect_near(measured("linked ring")[0, LOADS], 0.005)


def test_a_repeated_instruction_that_is_its_functions_first(measured):
    """On its way the thread stands at the function's start, where a call through memory would have led, too."""
    row = measured("rep movsq")[1, DEAD]
    assert row.share["pairs"] >= 30 and row.error(False) >= -2, row


def test_all_accesses_of_a_loop_are_sampled_alike(measured):
    expect_near(measured("axpy")[0, LOADS], 0.08)
    expect_near(measured("struct fields")[0, STORES], 0.08)
    expect_near(measured("updated fast, summed slowly", pairs=5000)[1, LOADS], 0.08)


def test_a_slow_store_before_it_does_not_count_for_more(measured):
    expect_near(measured("scatter of one value")[1, STORES], 0.12, across=True)


@pytest.mark.parametrize("name", ["equal within, other across", "other within, equal across"])
def test_within_and_across(measured, name):
    row = measured(name)[0, LOADS]
    expect_near(row, 0.08)
    expect_near(row, 0.005, across=True)


@pytest.mark.parametrize("name, off", [("loaded twice, half changed", 0.15), ("product kept in memory", 0.1)])
def test_the_last_load_of_a_call_is_seen(measured, name, off):
    """Though its bytes change behind it: of watches that slept until then only those would tell whose bytes did not."""
    row = measured(name)[0, LOADS]
    expect_near(row, off, across=True)
    low, high = row.share["across"]["ci95"]
    assert high - low <= 0.2, row


@pytest.mark.parametrize("name", RECYCLED)
def test_same_and_recycled(measured, name):
    row = measured(name)[0, LOADS]
    assert row.share["pairs"] >= PAIRS_LEAST and abs(row.recycled - RECYCLED[name]) <= 0.01, row


NO_REPORT = {"lines": [], "pairs": []}
SUM = BY_NAME["half-equal stores, 64 bits"]


def of_share(number, kind, fraction):
    share = {"fraction": fraction, "ci95": [fraction, fraction], "pairs": 900}
    return {"file": "/nowhere/program.py", "line": number, **{name: dict(truth.UNTOLD) for name in truth.NAMES}, kind: dict(share, across=share)}


def test_a_line_that_the_report_lacks_is_not_told(bench):
    """In no table and no test as if nothing had been asked."""
    numbers = SUM.line_numbers()
    known = {(numbers[0], STORES): truth.Known(0.5, 0.5), (numbers[1], LOADS): truth.Known(0.5, 0.5)}
    rows = bench.rows_of(SUM, known, {"lines": [of_share(numbers[0], STORES, 0.5)], "pairs": []})
    assert [(row.line, row.kind, row.error()) for row in rows] == [(SUM.lines[0], STORES, 0), (SUM.lines[1], LOADS, None)]
    for across in (False, True):
        assert "1 shares: " in truth.summary(rows, across) and truth.summary(rows, across).endswith("; 1 not told")
        assert truth.cells(rows[1], across) == ["50.0", "-", "-", "-", "0"]
    assert coverage.silent(rows) == 2


def test_where_no_line_is_told_the_tables_say_so(bench):
    rows = bench.rows_of(SUM, {(number, LOADS): truth.Known(0.5) for number in SUM.line_numbers()}, NO_REPORT)
    assert truth.summary(rows, False) == "no share told, 2 not told" and len(truth.table(rows).splitlines()) == 4
    with pytest.raises(AssertionError):
        expect_near(rows[0], 1)


def test_a_kernel_with_fewer_pairs_than_wanted_is_named(bench):
    number = SUM.line_numbers()[0]
    rows = bench.rows_of(SUM, {(number, DEAD): truth.Known(0)}, {"lines": [of_share(number, DEAD, 0)], "pairs": []})
    assert truth.fewer(rows, 900) == "None of the kernels ended with fewer pairs."
    assert truth.fewer(rows, 901) == f"1 of the kernels ended with fewer pairs: {SUM.name} (900)."
