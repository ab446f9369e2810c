#!/usr/bin/env python3
"""Does the gate cry wolf, and does it miss any? Pairs of runs of the same code, one of them beside a busy neighbour, must pass;
the planted wastes of examples/zoo must fail and be named. Writes a table in Markdown.

    gate.py --build build --write tests/bench/gate.md [--pairs 52]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/bench"), str(ROOT / "tests/whole")]
import plateaus  # noqa: E402
import zoo  # noqa: E402

BUSY = "while True:\n    sum(range(1000000))\n"


class Gate:
    def __init__(self, build, python, directory):
        self.build, self.python, self.directory = Path(build).resolve(), python, Path(directory)

    def record(self, text, name, threads=1, busy=False, script="train.py"):
        """The program always has the same name: only its text differs, as after an edit."""
        script, database = self.directory / script, self.directory / name
        script.write_text(text)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PIEPROF_")}
        kept.update(LD_PRELOAD=str(self.build / "libpieprof.so"), PIEPROF_OUT=str(database), OMP_NUM_THREADS=str(threads),
                    OPENBLAS_NUM_THREADS=str(threads), PYTHONDONTWRITEBYTECODE="1")
        neighbours = [subprocess.Popen([self.python, "-c", BUSY]) for _ in range(2 if busy else 0)]
        try:
            done = subprocess.run([self.python, script], env=kept, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
        finally:
            for neighbour in neighbours:
                neighbour.kill()
                neighbour.wait()
        return database

    def failures(self, new, base):
        """Places that fail the gate, by kind; the gate's own words where it refuses."""
        done = subprocess.run([self.build / "pieprof-report", "gate", new, "--baseline", base, "--format", "json"], capture_output=True, text=True)
        if done.returncode == 2:
            return [done.stderr.strip()]
        return [f"{item['kind']} at line {item['line']}" for item in json.loads(done.stdout)["items"] if item["fails"]]


def same_code(pairs):
    """(name, text, threads) of each pair: unseeded programs and the fixed ones of the zoo in turn, on one thread and on two."""
    programs = [(f"{name} (no seed)", lambda threads, name=name: plateaus.source(name, threads)) for name in plateaus.TRAINERS]
    programs += [(program.name, lambda threads, program=program: program.path("fixed").read_text()) for program in zoo.PROGRAMS]
    for number in range(pairs):
        name, text = programs[number % len(programs)]
        threads = 1 + number // len(programs) % 2
        yield name, text(threads), threads


def measure(gate, pairs):
    rows = ["| program | threads | false alarms |", "|---|---:|---|"]
    alarms = 0
    for name, text, threads in same_code(pairs):
        quiet, loaded = gate.record(text, "a.db", threads), gate.record(text, "b.db", threads, busy=True)
        found = gate.failures(loaded, quiet) + gate.failures(quiet, loaded)
        alarms += bool(found)
        rows.append(f"| {name} | {threads} | {'; '.join(found) or 'none'} |")
        print(rows[-1], flush=True)
    caught = 0
    rows += ["", "| planted in | line | the gate names |", "|---|---:|---|"]
    for program in zoo.PROGRAMS:
        wasteful = program.path("wasteful").read_text()
        base, new = gate.record(program.path("fixed").read_text(), "a.db"), gate.record(wasteful, "b.db")
        (line,) = [number for number, row in enumerate(wasteful.splitlines(), 1) if row.endswith(zoo.MARK)]
        found = gate.failures(new, base)
        caught += any(entry.endswith(f"at line {line}") for entry in found)
        rows.append(f"| {program.name} | {line} | {'; '.join(found) or 'nothing'} |")
        print(rows[-1], flush=True)
    summary = f"{alarms} of {pairs} pairs of the same code raised an alarm; {caught} of {len(zoo.PROGRAMS)} planted wastes were named."
    return summary, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=52)
    parser.add_argument("--write")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pieprof-gate-") as directory:
        summary, rows = measure(Gate(options.build, options.python, directory), options.pairs)
    print(summary)
    if options.write:
        head = "# The gate, measured\n\nWritten by `tests/bench/gate.py`: each pair is gated in both directions, one run of it beside two busy processes.\n"
        Path(options.write).write_text("\n".join([head, summary, "", *rows, ""]))


if __name__ == "__main__":
    main()
