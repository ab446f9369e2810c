"""Measures kernels whose redundancy is known with the profiler, and prints how far its shares are from the truth.

The truth is counted (counter.h) over some steps of the same program, or follows from the kernel's text. The profiler runs at a
high rate until it has the wanted number of pairs of the kernel, or has run for long enough. Fails nothing.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cases import CASES, DEAD, LOADS, STORES, VERDICTS_KNOWN

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STEPS, STEPS_STEPPED = 40, 12
PILOT_S = 1.0
FULL_PAIRS, FULL_MOST_S = 20000, 40
VERDICTS = {LOADS: "redundant_load", STORES: "redundant_store", DEAD: "dead_store"}
NAMES = {LOADS: "loads", STORES: "stores", DEAD: "dead"}
UNTOLD = {"fraction": None, "ci95": None, "pairs": 0, "across": {"fraction": None, "ci95": None, "pairs": 0}}
HEAD = ("kernel", "line", "share", "truth %", "estimate %", "95 %", "error", "pairs", "between calls: truth %", "estimate %", "95 %", "error", "pairs")


class EngineOff(Exception):
    """The access engine cannot run here; says why."""


@dataclass(frozen=True)
class Known:
    """A share as it is: of all, of pairs between two calls (None: not known), and of the wasted the part in another object's place."""

    all: float
    across: float = None
    recycled: float = None


@dataclass(frozen=True)
class Row:
    case: str
    line: str
    kind: str
    known: Known
    share: dict
    recycled: float = None
    scopes: dict = None  # of its wasted pairs, so many within a call and so many between two

    def told(self, across=False):
        share, truth = (self.share["across"], self.known.across) if across else (self.share, self.known.all)
        return (truth, share) if truth is not None and share["fraction"] is not None else None

    def error(self, across=False):
        told = self.told(across)
        return None if told is None else 100 * (told[1]["fraction"] - told[0])

    def covers(self, across=False):
        told = self.told(across)
        return None if told is None else told[1]["ci95"][0] - 1e-9 <= told[0] <= told[1]["ci95"][1] + 1e-9


def told_recycled(report, number, kind):
    """Of the line's wasted pairs between calls the part in another object's place; None when there are none."""
    end = "first" if kind == DEAD else "second"
    counts = {"same": 0, "recycled": 0}
    for pair in report["pairs"]:
        if pair["verdict"] == VERDICTS[kind] and pair["scope"] == "across" and pair[end]["line"] == number and pair["relation"] in counts:
            counts[pair["relation"]] += pair["count"]
    return counts["recycled"] / sum(counts.values()) if any(counts.values()) else None


def told_scopes(report, number, kind):
    end = "first" if kind == DEAD else "second"
    counts = {"within": 0, "across": 0}
    for pair in report["pairs"]:
        if pair["verdict"] == VERDICTS[kind] and pair[end]["line"] == number and pair["scope"] in counts:
            counts[pair["scope"]] += pair["count"]
    return counts


class Bench:
    """Runs cases with a build's libraries."""

    def __init__(self, build, python="/usr/bin/python3", rate=3000, budget=100):
        self.build, self.python = Path(build).resolve(), python
        self.settings = {"PIEPROF_RATE": str(rate), "PIEPROF_BUDGET": str(budget), "PIEPROF_ENGINES": "time,access"}

    def execute(self, case, library, *arguments, directory, **variables):
        program = Path(directory) / "program.py"
        program.write_text(case.text(HERE))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_") and name != "LD_PRELOAD"}
        done = subprocess.run([self.python, program, self.build / "truth" / library, *map(str, arguments)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env=dict(environment, PYTHONDONTWRITEBYTECODE="1", **variables))
        if done.returncode != 0:
            raise RuntimeError(f"{case.name}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def known(self, case, steps=STEPS):
        """{(line number, kind): Known} of what is known of the case's lines."""
        numbers = case.line_numbers()
        if case.truth:
            return {(numbers[line], kind): Known(share) for line, kinds in case.truth.items() for kind, share in kinds.items()}
        library, steps = ("libstepped.so", min(steps, STEPS_STEPPED)) if case.stepped else ("libcounted.so", steps)
        with tempfile.TemporaryDirectory(prefix="pieprof-truth-") as directory:
            counts = json.loads(self.execute(case, library, "count", steps, directory=directory))
        found = {}
        for number in numbers:
            for kind in NAMES:
                (whole, part, _), (whole_across, part_across, recycled) = counts[str(number)][kind], counts[str(number)][kind + "_across"]
                if whole:
                    across = part_across / whole_across if whole_across else None
                    found[number, kind] = Known(part / whole, across, recycled / part_across if recycled else None)
        return found

    def record(self, case, seconds, database):
        """Profiles so much CPU time of it."""
        with tempfile.TemporaryDirectory(prefix="pieprof-truth-") as directory:
            self.execute(case, "libplain.so", "run", seconds, directory=directory, LD_PRELOAD=str(self.build / "libpieprof.so"),
                         PIEPROF_OUT=str(database), **self.settings)

    def read(self, database):
        done = subprocess.run([self.build / "pieprof-report", "--format", "json", "--top", "0", database], capture_output=True, text=True, check=True)
        report = json.loads(done.stdout)
        engine = report["run"]["engines"]["access"]
        if not engine["on"]:
            raise EngineOff(engine["why_off"])
        return report

    def rows_of(self, case, known, report):
        """One of each share that is known; of a line that the report lacks it is not told."""
        numbers = case.line_numbers()
        lines = {line["line"]: line for line in report["lines"] if line["file"].endswith("program.py")}
        return [Row(case.name, case.lines[number - numbers[0]], kind, truth, lines.get(number, {}).get(kind, UNTOLD), told_recycled(report, number, kind),
                    told_scopes(report, number, kind))
                for (number, kind), truth in known.items()]

    def rows(self, case, seconds):
        with tempfile.TemporaryDirectory(prefix="pieprof-truth-") as directory:
            database = Path(directory) / "out.db"
            self.record(case, seconds, database)
            return self.rows_of(case, self.known(case), self.read(database))


def missing(case):
    """A processor's feature that the case needs and this one lacks."""
    flags = Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split()
    return case.needs if case.needs and case.needs not in flags else None


def pairs_of(rows):
    """Watched accesses of a kernel that ended in a pair: each store has its pair among the dead ones or those that are not."""
    return sum(row.share["pairs"] for row in rows if row.kind != STORES)


def measure(bench, case, pairs, most_s):
    """Rows after a first short run has told how long it takes."""
    rows = bench.rows(case, PILOT_S)
    seconds = min(most_s, PILOT_S * pairs / max(pairs_of(rows), 1) * 1.1)
    return bench.rows(case, seconds) if seconds > PILOT_S else rows


def percent(value):
    return "-" if value is None else f"{100 * value:.1f}"


def cells(row, across=False):
    truth, share = (row.known.across, row.share["across"]) if across else (row.known.all, row.share)
    interval = "-" if share["ci95"] is None else f"{percent(share['ci95'][0])}-{percent(share['ci95'][1])}"
    error = row.error(across)
    marked = "-" if error is None else f"{error:+.1f}" + ("" if row.covers(across) else " *")
    return [percent(truth), percent(share["fraction"]), interval, marked, f"{share['pairs']}"]


def table(rows):
    body = [[row.case, f"`{row.line}`", NAMES[row.kind], *cells(row), *cells(row, across=True)] for row in rows]
    return "\n".join("| " + " | ".join(cell) + " |" for cell in (HEAD, ["---"] * 3 + ["---:"] * (len(HEAD) - 3), *body))


def summary(rows, across):
    errors = [abs(row.error(across)) for row in rows if row.error(across) is not None]
    covers = [row.covers(across) for row in rows if row.error(across) is not None]
    between = [row for row in rows if row.error(across) is not None and 0 < row.told(across)[0] < 1]
    partial, partial_errors = [row.covers(across) for row in between], [abs(row.error(across)) for row in between]
    silent = sum(1 for row in rows if (row.known.across if across else row.known.all) is not None and row.error(across) is None)
    if not errors:
        return f"no share told, {silent} not told"
    middle = f"median {statistics.median(errors):.2f} ({statistics.median(partial_errors or [0]):.2f} of those between 0 and 1)"
    return (f"{len(errors)} shares: |error| {middle}, worst {max(errors):.1f} points; the interval covers the truth of "
            f"{sum(covers)} ({100 * statistics.fmean(covers):.1f} %), of {sum(partial)} of the {len(partial)} shares between 0 and 1; {silent} not told")


def recycled(rows):
    """Of the wasted pairs between calls the part in another object's place, as known and as told."""
    told = [row for row in rows if row.recycled is not None and (row.known.recycled is not None or row.recycled > 0)]
    return "\n".join(f"- {row.case}, {NAMES[row.kind]}: known {percent(row.known.recycled or 0)} %, told {percent(row.recycled)} %" for row in told) or "- none"


def scopes(rows):
    """Where all wasted pairs of a line are of one scope: how many were told to be."""
    told = [(row, VERDICTS_KNOWN[row.case]) for row in rows if row.case in VERDICTS_KNOWN and row.kind == LOADS]
    return "\n".join(f"- {row.case}: {row.scopes[scope]:,} of {sum(row.scopes.values()):,} wasted pairs told to be {scope}"
                     for row, scope in told if sum(row.scopes.values())) or "- none"


def fewer(rows, pairs):
    """Kernels that ended with fewer pairs than were wanted, and how many: of stores where nothing else of them is known."""
    by_case = {}
    for row in rows:
        by_case.setdefault(row.case, []).append(row)
    counts = {case: pairs_of(own) or sum(row.share["pairs"] for row in own) for case, own in by_case.items()}
    below = [f"{case} ({count:,})" for case, count in counts.items() if count < pairs]
    return f"{len(below)} of the kernels ended with fewer pairs: {', '.join(below)}." if below else "None of the kernels ended with fewer pairs."


def both(rows):
    return f"""All: {summary(rows, False)}.

Between calls: {summary(rows, True)}."""


def page(options, rows, minutes, load):
    kernels = len({row.case for row in rows})
    return f"""# How true the shares are

Written by `make truth{' TRUTH=--full' if options.full else ''}` on {datetime.date.today()}, in {minutes:.0f} minutes: {platform.system()} {platform.release()}, {os.cpu_count()} cores, which others used too (load
{load[0]:.1f} at first, {load[1]:.1f} at last), CPython {platform.python_version()}; {kernels} kernels, {options.jobs} at a time, at {options.rate} Hz, budget {options.budget} %,
until {options.pairs:,} pairs of a kernel, its loads and stores together, or {options.most:g} s of its CPU time. {fewer(rows, options.pairs)}

{both(rows)}

Scope:

{scopes(rows)}

In the place of another object:

{recycled(rows)}

How often the intervals cover the truth in repeated runs is in `COVERAGE.md`.

The truth is counted (`counter.h`; of NumPy's and PyTorch's code by stepping through each instruction, `stepper.h`), or follows from
the kernel's text (`cases.py`). *loads* and *stores* are the redundant part of the line's, *dead* its
stores that were overwritten before any load. An error is the estimate less the truth, in points; a star: the interval does not cover it. Between calls a pair of the last access of one call and
the first of a later one counts as often as its bytes were loaded (stored to) in the first.

Not all errors are chance. Samples come by the clock, so slow instructions are met more often than fast ones. Where the same bytes are accessed
by both, what follows what tells how often each is (`analyzer/model/balance.h`; *updated fast, summed slowly*, *scatter of one value*). What remains: loops of unlike speed within one call that share no
bytes, of which the share told is that of the time and may be as far from that of the accesses as their speeds are apart (*equal fast, changed slowly*,
by much; *three kinds on a line*, by little), and one instruction that is slow where the bytes are not in the cache (*strided loads*).

{table(rows)}
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--rate", type=int, default=3000, help="Hz (default 3000: at more, samples meet the handlers of those before)")
    parser.add_argument("--budget", type=float, default=100)
    parser.add_argument("--pairs", type=int, default=2000, help="wanted of a kernel, its loads and stores together (default 2000)")
    parser.add_argument("--most", type=float, default=2, help="CPU seconds at most for a kernel (default 2)")
    parser.add_argument("--full", action="store_true", help=f"{FULL_PAIRS} pairs, {FULL_MOST_S} s at most, of each kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="kernels at a time (default: as many as processors)")
    parser.add_argument("--write", type=Path, help="write the table there, as markdown")
    parser.add_argument("words", nargs="*", help="only kernels whose name contains one of them")
    options = parser.parse_args()
    if options.full:
        options.pairs, options.most = FULL_PAIRS, FULL_MOST_S
    return options


def measure_case(options, bench, case):
    rows = measure(bench, case, options.pairs, options.most)
    for row in rows:
        print(" | ".join((row.case, row.line, NAMES[row.kind], *cells(row), *cells(row, across=True))), flush=True)
    return rows


def main():
    options, began, load = arguments(), time.monotonic(), [os.getloadavg()[0]]
    bench = Bench(options.build, options.python, options.rate, options.budget)
    chosen = [case for case in CASES if not options.words or any(word in case.name for word in options.words)]
    for case in filter(missing, chosen):
        print(f"{case.name}: the processor has no {case.needs}")
    with ThreadPoolExecutor(options.jobs) as jobs:
        found = jobs.map(lambda case: measure_case(options, bench, case), [case for case in chosen if not missing(case)])
        rows = [row for rows in found for row in rows]
    load.append(os.getloadavg()[0])
    text = page(options, rows, (time.monotonic() - began) / 60, load) if rows else "no kernel has such a name\n"
    print("\n" + text)
    if options.write:
        options.write.write_text(text)


if __name__ == "__main__":
    try:
        main()
    except EngineOff as off:
        sys.exit(f"truth: the access engine is off: {off}")
