"""Whether what was found in public packages is found still: runs each driver and compares its findings with expected.txt.

    found.py [--recorded] [DRIVER...]

Prints what is lost, new, false and as expected; the status is 1 where something is lost, new or false, or a driver fails.
--recorded compares the runs that an earlier call left in --directory.
"""

import argparse
import sys
from pathlib import Path

import expectation
import profiled

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAMES = {
    "lost": "LOST",
    "new": "NEW",
    "false": "FALSE",
    "told": "as expected",
    "near": "near --min-waste",
    "may": "may be told",
}
BAD = ("lost", "new", "false")


def compare(expected, build, database):
    """[(options, found, verdict)]: as the user sees the run, and with the package as the user's own."""
    compared = []
    for report, options in (("plain", ()), ("own", expected.options)):
        if report == "plain" or options:
            found = profiled.findings(build, database, *options)
            compared.append((options, found, expectation.judge(expected, report, found)))
    return compared


def show(driver, options, found, verdict):
    print(f"{driver}, {' '.join(options) or 'as it is'}")
    for field, name in NAMES.items():
        for finding in getattr(verdict, field):
            share = f"{found.all[finding]:5.1f} %" if finding in found.all else ""
            print(f"  {name:16} {share:>7}  {finding}")
    for finding in verdict.beside if verdict.lost else ():  # what is lost may have come to stand elsewhere
        print(f"  {'not expected':16} {found.all[finding]:5.1f} %  {finding}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drivers", nargs="*", metavar="DRIVER", help="all of expected.txt, if none is named")
    parser.add_argument("--python", type=Path, default=ROOT / ".venv-found/bin/python", help="the interpreter that has the packages")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="where libpieprof.so and pieprof-report are")
    parser.add_argument("--directory", type=Path, help="where the runs are kept (BUILD/found)")
    parser.add_argument("--expected", type=Path, default=HERE / "expected.txt")
    parser.add_argument("--recorded", action="store_true", help="run nothing")
    options = parser.parse_args()
    build, python = options.build.resolve(), options.python.absolute()  # a link into the environment names it
    directory = (options.directory or build / "found").resolve()
    directory.mkdir(parents=True, exist_ok=True)
    expected = expectation.read(options.expected)
    unknown = set(options.drivers) - set(expected)
    if unknown:
        parser.error(f"not in {options.expected}: {' '.join(sorted(unknown))}")

    counts = dict.fromkeys(NAMES, 0)
    failures = []
    for driver in options.drivers or expected:
        database = directory / f"{driver}.db"
        try:
            if not options.recorded:
                profiled.record(driver, python, build, database)
            compared = compare(expected[driver], build, database)
        except profiled.Failed as failure:
            failures.append(failure)
            print(f"FAILED {failure}", flush=True)
            continue
        for way in compared:
            show(driver, *way)
            for field in counts:
                counts[field] += len(getattr(way[-1], field))
        sys.stdout.flush()
    print(
        f"{counts['told']} findings as expected, {counts['near']} near --min-waste, {counts['may']} that may be told; "
        f"{counts['lost']} lost, {counts['new']} new, {counts['false']} false; {len(failures)} drivers failed"
    )
    sys.exit(1 if failures or any(counts[field] for field in BAD) else 0)


if __name__ == "__main__":
    main()
