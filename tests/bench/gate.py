"""Does the gate cry wolf, and does it miss any? Pairs of runs of the same code, one of them beside a busy neighbour, must pass;
the planted wastes of examples/zoo, and those of plants.py from 0.5 % to 5 % of the run's time, must fail and be named. Writes a
table in Markdown.

    gate.py --build build --write tests/bench/gate.md [--pairs 52] [--runs 1] [--part pairs|zoo|plants|times ...] [--kept DIR]

With `--kept` the recordings stay in DIR, and one that is there is not made again: to judge them anew by other rules.
"""
import argparse
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/bench"), str(ROOT / "tests/whole")]
import plants  # noqa: E402
import plateaus  # noqa: E402
import zoo  # noqa: E402

SIZES = (200, 1000, 5000, 25000, 125000)
PARTS = (0.005, 0.01, 0.02, 0.03, 0.05)
TURNS = 2000  # of what stands beside the training, in a run
# Of each kind of plant: how its programs are recorded, and how many seconds they take unprofiled.
RECORDED = {"replica": ({}, 3), "tiny": ({"PIEPROF_RATE": "2000", "PIEPROF_BUDGET": "10", "PIEPROF_ENGINES": "time,replica"}, 3),
            "store": ({"PIEPROF_RATE": "4000", "PIEPROF_BUDGET": "100"}, 3)}
SAMPLED = ("dead_store", "redundant_store")  # kinds that the defaults do not find in short runs
HEAD = """# The gate, measured

Written by `tests/bench/gate.py`. Pairs of the same code are gated in both directions, one run of each beside two busy processes, recorded with
the defaults. Wastes of `examples/zoo` are found with one run of the defaults on each side, of stores with
`PIEPROF_RATE=1000 PIEPROF_BUDGET=100`; those of `plants.py`, fitted to be 0.5 % to 5 % of
a program's time, in programs without a seed, with {runs} run on each side: replicas in 3 s and with the defaults; tiny calls in 3 s and with
`PIEPROF_RATE=2000 PIEPROF_BUDGET=10 PIEPROF_ENGINES=time,replica`; stores in 3 s and with `PIEPROF_RATE=4000 PIEPROF_BUDGET=100`, which makes a
program take several times as long. A further run without a plant is gated against the first, in both directions. For `--time`, runs of one program with `PIEPROF_RATE=1000
PIEPROF_ENGINES=time,replica`: the same code quiet and beside two busy processes, and a line that sorts a fifth more; each try draws its runs.

"""
BUSY = "while True:\n    sum(range(1000000))\n"


class Gate:
    def __init__(self, build, python, directory, kept=False):
        self.build, self.python, self.directory, self.kept = Path(build).resolve(), python, Path(directory), kept

    def record(self, text, name, threads=1, busy=False, script="train.py", more=()):
        """The program always has the same name: only its text differs, as after an edit."""
        script, database = self.directory / script, self.directory / name
        if self.kept and database.exists():
            return database
        script.write_text(text)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PIEPROF_")}
        kept.update(LD_PRELOAD=str(self.build / "libpieprof.so"), PIEPROF_OUT=str(database), OMP_NUM_THREADS=str(threads),
                    OPENBLAS_NUM_THREADS=str(threads), PYTHONDONTWRITEBYTECODE="1", **dict(more))
        neighbours = [subprocess.Popen([self.python, "-c", BUSY]) for _ in range(2 if busy else 0)]
        try:
            done = subprocess.run([self.python, script], env=kept, capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                database.unlink(missing_ok=True)
                raise RuntimeError(done.stderr)
        finally:
            for neighbour in neighbours:
                neighbour.kill()
                neighbour.wait()
        return database

    def plain(self, text):
        """The numbers it prints, unprofiled."""
        done = subprocess.run([self.python, "-c", text], capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
        assert done.returncode == 0, done.stderr
        return [float(word) for word in done.stdout.split()]

    def failures(self, new, base, how=None, time=None):
        """Places that fail the gate, by kind, or those of another verdict; the gate's own words where it refuses. Each side one run or a list of them."""
        new, base = ([side] if isinstance(side, (str, Path)) else side for side in (new, base))
        done = subprocess.run([self.build / "pieprof-report", "gate", *new, "--baseline", *base, *(["--time", time] if time else []), "--format", "json"], capture_output=True, text=True)
        if done.returncode == 2:
            return [done.stderr.strip()]
        return [f"{item['kind']} at line {item['line']}" for item in json.loads(done.stdout)["items"] if (item["verdict"] == how if how else item["fails"])]


def file_name(*words):
    return re.sub(r"[^a-z0-9._]+", "_", ".".join(map(str, words))) + ".db"


def same_code(pairs):
    """(name, text, threads) of each pair: unseeded programs and the fixed ones of the zoo in turn, on one thread and on two."""
    programs = [(f"{name} (no seed)", lambda threads, name=name: plateaus.source(name, threads)) for name in plateaus.TRAINERS]
    programs += [(program.name, lambda threads, program=program: program.path("fixed").read_text()) for program in zoo.PROGRAMS]
    for number in range(pairs):
        name, text = programs[number % len(programs)]
        threads = 1 + number // len(programs) % 2
        yield name, text(threads), threads


def measure_pairs(gate, pairs):
    rows = ["| program | threads | false alarms |", "|---|---:|---|"]
    alarms = 0
    for name, text, threads in same_code(pairs):
        quiet, loaded = (gate.record(text, file_name("pair", name, threads, side), threads, busy=side == "loaded") for side in ("quiet", "loaded"))
        found = gate.failures(loaded, quiet) + gate.failures(quiet, loaded)
        alarms += bool(found)
        rows.append(f"| {name} | {threads} | {'; '.join(found) or 'none'} |")
        print(rows[-1], flush=True)
    return f"{alarms} of {pairs} pairs of the same code raised an alarm", rows


def measure_zoo(gate):
    caught, noted, deciding = 0, 0, 0
    rows = ["| planted in | line | the gate names |", "|---|---:|---|"]
    for program in zoo.PROGRAMS:
        wasteful = program.path("wasteful").read_text()
        more = zoo.SETTINGS if zoo.PLANTED[program.name][0] in SAMPLED else {}
        base = gate.record(program.path("fixed").read_text(), file_name("zoo", program.name, "fixed"), more=more)
        new = gate.record(wasteful, file_name("zoo", program.name, "wasteful"), more=more)
        (line,) = [number for number, row in enumerate(wasteful.splitlines(), 1) if row.endswith(zoo.MARK)]
        found = gate.failures(new, base)
        is_noted = zoo.PLANTED[program.name][0] == "churn"
        found += [entry + " (noted)" for entry in gate.failures(new, base, how="noted")] if is_noted else []
        named = any(re.search(rf"at line {line}( \(noted\))?$", entry) for entry in found)
        caught, noted, deciding = caught + (named and not is_noted), noted + (named and is_noted), deciding + (not is_noted)
        rows.append(f"| {program.name} | {line} | {'; '.join(found) or 'nothing'} |")
        print(rows[-1], flush=True)
    rest = len(zoo.PROGRAMS) - deciding
    return f"{caught} of {deciding} wastes planted in examples/zoo were named, and {noted} of {rest} by churn, which never decides, noted", rows


def costs(gate, chosen):
    """Of each plant: (size, seconds a turn) for some sizes."""
    return {plant: [(size, max(gate.plain(plants.cost(plant, size))[0], 1e-7)) for size in SIZES] for plant in chosen}


def size_of(points, seconds):
    """The size that takes so long, on a line through the logarithms of the two nearest points."""
    lower = max([index for index, (_, cost) in enumerate(points[:-1]) if cost <= seconds], default=0)
    (a, cost_a), (b, cost_b) = points[lower], points[lower + 1]
    slope = max(math.log(cost_b / cost_a) / math.log(b / a), 0.2)
    return max(64, min(400000, round(a * (seconds / cost_a) ** (1 / slope))))


def planted_programs(gate, names, chosen):
    """(program, plant, part of the time, base text, text with the plant), the sizes fitted to how long a run takes."""
    points = costs(gate, chosen)
    for name in names:
        number = list(plants.LOOPS).index(name)
        ticks, second = gate.plain(plants.count(name, 4))
        parts = {plant: PARTS[(number + index) % len(PARTS)] for index, plant in enumerate(plants.PLANTS) if plant in chosen}
        for plant in chosen:
            seconds = RECORDED[plants.PLANTS[plant].kind][1]
            steps = max(1, round(4 * seconds / second))
            every = max(1, round(ticks * steps / 4 / TURNS))
            turn_s = seconds / (ticks * steps / 4 / every)
            sizes = {plant: size_of(points[plant], part * turn_s) for plant, part in parts.items()}
            yield name, plant, parts[plant], plants.program(name, sizes, steps, every), plants.program(name, sizes, steps, every, plant)


def measure_plants(gate, runs, names=tuple(plants.LOOPS), chosen=tuple(plants.PLANTS)):
    """Each side `runs` runs; the bases once for each program and way of recording, and gated against one more."""
    rows = ["| planted in | waste | kind | of the time | line | the gate names |", "|---|---|---|---:|---:|---|"]
    caught, wrong, total, alarms, gated, bases = 0, 0, 0, 0, 0, {}
    for name, plant, part, base, text in planted_programs(gate, names, chosen):
        more, _ = RECORDED[plants.PLANTS[plant].kind]
        key = (base, plants.PLANTS[plant].kind)
        if key not in bases:
            *bases[key], further = (gate.record(base, file_name("base", name, plants.PLANTS[plant].kind, run), more=more) for run in range(runs + 1))
            alarms, gated = alarms + bool(gate.failures(further, bases[key]) + gate.failures(bases[key], further)), gated + 1
        line = plants.marked_line(text)
        found = gate.failures([gate.record(text, file_name("plant", name, plant, run), more=more) for run in range(runs)], bases[key])
        named = [entry for entry in found if entry.endswith(f"at line {line}")]
        header = f"at line {line - 1}"  # of the loop that a tiny call stands in
        others = [entry for entry in found if entry not in named and not (plants.PLANTS[plant].kind == "tiny" and entry.endswith(header))]
        total, caught, wrong = total + 1, caught + bool(named), wrong + bool(others)
        rows.append(f"| {name} | {plant} | {plants.PLANTS[plant].kind} | {100 * part:.1f} % | {line} | {'; '.join(found) or 'nothing'} |")
        print(rows[-1], flush=True)
    again = f"of {gated} pairs of runs without a plant {alarms} raised an alarm"
    return f"{caught} of {total} wastes of plants.py were named, {wrong} of them beside another line; {again}", rows


TIMED = """import numpy as np
rng = np.random.default_rng(3)
x = rng.normal(size=(300, 300))
rows = rng.normal(size={rows})
few = rng.normal(size=200000)

def product(k):
    return x @ (x + k)

def ordered(k):
    return np.sort(rows + k)

def curve(k):
    return np.exp(few * 0.01 * k)

def counted(k):
    total = 0
    for i in range(60000):
        total += i * k
    return total

for k in range(60):
    product(k), ordered(k), curve(k), counted(k)
"""
TIMED_LINE = TIMED.splitlines().index("    return np.sort(rows + k)") + 1
TIMED_RUNS = {"quiet": (10, 200000, False), "busy": (5, 200000, True), "slower": (5, 240000, False)}  # recorded, rows to sort, neighbours?


def measure_times(gate):
    """--time on runs of one program: the same code by draws from more runs than are compared; and one line a fifth slower."""
    rows, sides = ["| --time | runs a side | new side | tries | named | another line named | refused |", "|---|---:|---|---:|---:|---:|---:|"], {}
    for name, (count, size, busy) in TIMED_RUNS.items():
        more = {"PIEPROF_RATE": "1000", "PIEPROF_ENGINES": "time,replica"}
        sides[name] = [gate.record(TIMED.format(rows=size), file_name("timed", name, number), busy=busy, more=more) for number in range(count)]
    draw, alarms, caught, slower = random.Random(6), 0, 0, 0
    for percent in (5, 10, 30):
        for name, runs in itertools.product(TIMED_RUNS, (3, 5)):
            named = other = refused = 0
            for _ in range(10):
                mixed = draw.sample(sides["quiet"], 2 * runs)
                found = gate.failures(draw.sample(sides[name], runs) if name != "quiet" else mixed[runs:], mixed[:runs], time=f"{percent}%")
                is_refusal = any("--time" in entry for entry in found)
                is_named = f"time at line {TIMED_LINE}" in found
                named, refused, other = named + is_named, refused + is_refusal, other + (bool(found) and not is_named and not is_refusal)
            alarms += other + (named if name != "slower" else 0)
            caught, slower = (caught + named, slower + 10) if name == "slower" and percent < 20 and runs == 5 else (caught, slower)
            rows.append(f"| {percent} % | {runs} | {name} | 10 | {named} | {other} | {refused} |")
            print(rows[-1], flush=True)
    return f"with --time {alarms} alarms on the same code, and a line a fifth slower was named in {caught} of {slower} tries of five runs a side", rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=52)
    parser.add_argument("--runs", type=int, default=1, help="on each side, of those")
    parser.add_argument("--part", action="append", choices=("pairs", "zoo", "plants", "times"), help="only this; may be repeated")
    parser.add_argument("--kept", metavar="DIR", help="where recordings stay; those that are there are not made again")
    parser.add_argument("--write")
    options = parser.parse_args()
    parts = {"pairs": lambda gate: measure_pairs(gate, options.pairs), "zoo": measure_zoo,
             "plants": lambda gate: measure_plants(gate, options.runs), "times": measure_times}
    with tempfile.TemporaryDirectory(prefix="pieprof-gate-") as directory:
        kept = Path(options.kept or directory).resolve()
        kept.mkdir(parents=True, exist_ok=True)
        gate = Gate(options.build, options.python, kept, kept=options.kept is not None)
        measured = {part: measure(gate) for part, measure in parts.items() if part in (options.part or parts)}
    text = HEAD.format(runs=options.runs)
    text += "; ".join(summary for summary, _ in measured.values()) + ".\n"
    for _, rows in measured.values():
        text += "\n" + "\n".join(rows) + "\n"
    print(text)
    if options.write:
        Path(options.write).write_text(text)


if __name__ == "__main__":
    main()
