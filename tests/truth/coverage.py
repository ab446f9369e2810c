"""Runs kernels of known redundancy again and again, and writes how often the intervals cover the truth. Fails nothing."""
import argparse
import datetime
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import truth
from cases import BIASED, CASES, REPEATED

HEAD = ("kernel", "line", "share", "truth %", "mean error", "varies by", "told", "pairs", "covered")


def database_of(directory, case, number):
    return directory / f"{case.name.replace(' ', '_').replace('%', 'p')}.{number}.db"


def run_all(bench, options, cases):
    """Runs what is not there yet, the kernels by turns: what else the machine does meanwhile troubles all alike."""
    wanted = [(case, number) for number in range(options.runs) for case in cases if not database_of(options.directory, case, number).exists()]
    with ThreadPoolExecutor(options.jobs) as jobs:
        list(jobs.map(lambda one: bench.record(one[0], options.seconds, database_of(options.directory, *one)), wanted))


def rows_of(bench, options, case):
    known = bench.known(case)
    return [row for number in range(options.runs) for row in bench.rows_of(case, known, bench.read(database_of(options.directory, case, number)))]


def groups(rows):
    """(kernel, line, kind, between calls?): its rows, of the shares that chance has room for."""
    found = {}
    for row in rows:
        for across in (False, True):
            told = row.told(across)
            if told is not None and 0 < told[0] < 1:
                found.setdefault((row.case, row.line, row.kind, across), []).append(row)
    return found


def cells(key, rows):
    case, line, kind, across = key
    errors, shares = [row.error(across) for row in rows], [row.told(across)[1] for row in rows]
    widths = [100 * (share["ci95"][1] - share["ci95"][0]) / 2 / 1.96 for share in shares]
    name = truth.NAMES[kind] + (", between calls" if across else "")
    return [case, f"`{line}`", name, truth.percent(rows[0].told(across)[0]), f"{statistics.fmean(errors):+.1f}", f"{statistics.pstdev(errors):.1f}",
            f"{statistics.fmean(widths):.1f}", f"{statistics.fmean(share['pairs'] for share in shares):.0f}", f"{sum(row.covers(across) for row in rows)} of {len(rows)}"]


def covered(found, across, kernels):
    covers = [row.covers(across) for key, rows in found.items() if key[3] == across and key[0] in kernels for row in rows]
    return f"{sum(covers)} of {len(covers)} ({100 * statistics.fmean(covers):.1f} %)" if covers else "none"


def both(found, kernels):
    return f"{covered(found, False, kernels)}; between calls {covered(found, True, kernels)}"


def silent(rows):
    """Shares of single runs that chance has room for and the report does not tell."""
    known = [(share, row.told(across)) for row in rows for across, share in ((False, row.known.all), (True, row.known.across))]
    return sum(1 for share, told in known if share is not None and 0 < share < 1 and told is None)


def page(options, rows, cases):
    found, names = groups(rows), [case.name for case in cases]
    biased = [case.name for case in cases if case.name in BIASED]
    body = [cells(key, rows) for key, rows in found.items()]
    text = "\n".join("| " + " | ".join(cell) + " |" for cell in (HEAD, ["---"] * 3 + ["---:"] * (len(HEAD) - 3), *body))
    return f"""# How often the intervals cover the truth

Written by `tests/truth/coverage.py` on {datetime.date.today()}: {len(cases)} kernels, {options.runs} runs of each ({options.runs * len(cases)} in all), {options.seconds:g} s of CPU
time a run at {options.rate} Hz, budget {options.budget:g} %, {options.jobs} at a time; a load of {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors at last. Shares between 0 and 1.

- {len(cases)} kernels: the 95 % interval covers {both(found, names)}.
- {len(biased)} of them ({', '.join(biased) or 'none'}), where the clock misleads in a way that is not mended (README.md): {both(found, biased)}.
- The other {len(cases) - len(biased)}: {both(found, [name for name in names if name not in biased])}.

{silent(rows)} not told.

An interval tells of chance alone. *varies by* is the standard deviation of the runs' errors, *told* half the mean interval over 1.96: what it
should be. A share that equals its share between calls is listed twice.

{text}
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=truth.ROOT / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--rate", type=int, default=3000, help="Hz (default 3000)")
    parser.add_argument("--budget", type=float, default=100)
    parser.add_argument("--runs", type=int, default=20, help="of each kernel (default 20)")
    parser.add_argument("--seconds", type=float, default=1, help="CPU time of a run (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: as many as processors)")
    parser.add_argument("--directory", type=Path, required=True, help="keeps the runs; those that are there already are read, not repeated")
    parser.add_argument("--write", type=Path, help="write the table there, as markdown")
    return parser.parse_args()


def main():
    options = arguments()
    options.directory.mkdir(parents=True, exist_ok=True)
    options.directory = options.directory.resolve()
    bench = truth.Bench(options.build, options.python, options.rate, options.budget)
    cases = [case for case in CASES if case.name in REPEATED and not truth.missing(case)]
    run_all(bench, options, cases)
    text = page(options, [row for case in cases for row in rows_of(bench, options, case)], cases)
    print(text)
    if options.write:
        options.write.write_text(text)


if __name__ == "__main__":
    try:
        main()
    except truth.EngineOff as off:
        sys.exit(f"coverage: the access engine is off: {off}")
