"""Times every example with and without the shim, side by side in turns, and prints a table.

Both runs of a pair go through to their end in turns of 50 ms on one core: what slows the machine down slows both, where runs
one after the other differed by a fifth on a shared host. CPU time is that of the process tree, user and system, start-up
included; wall time is that of its turns. A ratio is that of the sums over the pairs, with a bootstrap interval (95 %) over
them. Memory is the difference of the medians of peak resident memory. Fails nothing.
"""
import argparse
import datetime
import json
import math
import os
import platform
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import allocation

ROOT = Path(__file__).resolve().parents[2]
# Longer than their defaults: trainings of a few seconds are mostly imports.
LENGTHS = {"mlp_numpy": "--steps 15000", "cnn_digits": "--epochs 50", "transformer": "--steps 500", "conv_loops": "--steps 3000"}
PROGRAMS = [f"examples/{name}/{version}.py {length}" for name, length in LENGTHS.items() for version in ("wasteful", "fixed")]
RESAMPLES = 2000
TURN_S = 0.05
HEAD = ("program", "CPU s", "CPU ratio", "95 %", "wall ratio", "95 %", "memory MiB", "samples/s", "pairs/s", "objects/s")


@dataclass
class Measure:
    cpu_s: float
    wall_s: float
    peak_mib: float


def start(command, environment, threads):
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
    os.killpg(process.pid, signal.SIGSTOP)
    if threads == 1:
        os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
    return process


def take_turn(process):
    """How long the turn took, and once the process has ended its exit status and what it used."""
    started = time.monotonic()
    os.killpg(process.pid, signal.SIGCONT)
    time.sleep(TURN_S)
    os.killpg(process.pid, signal.SIGSTOP)
    _, status, usage = os.wait4(process.pid, os.WUNTRACED)
    return time.monotonic() - started, None if os.WIFSTOPPED(status) else status, usage


def run_side_by_side(command, environments, threads):
    """The measures of one run in each environment."""
    processes = [start(command, environment, threads) for environment in environments]
    walls, measures = [0.0] * len(processes), [None] * len(processes)
    while None in measures:
        for i, process in enumerate(processes):
            if measures[i] is not None:
                continue
            wall_s, status, usage = take_turn(process)
            walls[i] += wall_s
            if status is not None:
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode != 0:
                    sys.exit(f"bench: {' '.join(command)} ended with status {process.returncode}")
                measures[i] = Measure(usage.ru_utime + usage.ru_stime, walls[i], usage.ru_maxrss / 1024)
    return measures


def environments(options, database):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_")}
    plain.pop("LD_PRELOAD", None)
    plain.update(OMP_NUM_THREADS=str(options.threads), OPENBLAS_NUM_THREADS=str(options.threads))
    settings = dict(setting.split("=", 1) for setting in options.set)
    shim = options.build / "libpieprof.so"
    return plain, dict(plain, LD_PRELOAD=str(shim), PIEPROF_OUT=str(database), **settings)


def ratio_of_sums(pairs, quantity):
    return sum(getattr(pair[1], quantity) for pair in pairs) / sum(getattr(pair[0], quantity) for pair in pairs)


def ratio_interval(pairs, quantity):
    """A bootstrap interval; its ends are the extremes when there are few pairs."""
    generator = random.Random(0)
    ratios = sorted(ratio_of_sums(generator.choices(pairs, k=len(pairs)), quantity) for _ in range(RESAMPLES))
    return ratios[int(0.025 * RESAMPLES)], ratios[int(0.975 * RESAMPLES)]


def yields(options, database):
    """Samples and finished pairs per native CPU-second, digested objects per CPU-second."""
    words = [str(options.build / "pieprof-report"), "--format", "json", str(database)]
    report = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    health, time_s = report["run"]["health"], report["totals"]["time_s"]
    native_s = max(time_s["native"], 1e-9)
    objects = (report["totals"].get("replicas") or {}).get("examined", 0)
    return health["samples"] / max(time_s["total"], 1e-9), health["finished"] / native_s, objects / max(time_s["total"], 1e-9)


def measure(options, program):
    script, *words = program.split()
    command = [options.python, str(ROOT / script), *words]
    pairs = []
    with tempfile.TemporaryDirectory(prefix="pieprof-bench-") as directory:
        database = Path(directory) / "out.db"
        plain, profiled = environments(options, database)
        for number in range(options.pairs):
            order = (plain, profiled) if number % 2 == 0 else (profiled, plain)
            measures = run_side_by_side(command, order, options.threads)
            pairs.append(measures if number % 2 == 0 else measures[::-1])
        rates = yields(options, database)
    return pairs, rates


def row(program, pairs, rates):
    memory = [statistics.median(pair[side].peak_mib for pair in pairs) for side in (0, 1)]
    cells = [program.removeprefix("examples/").replace(".py", ""), f"{statistics.median(pair[0].cpu_s for pair in pairs):.1f}"]
    for quantity in ("cpu_s", "wall_s"):
        low, high = ratio_interval(pairs, quantity)
        cells += [f"{ratio_of_sums(pairs, quantity):.3f}", f"{low:.3f}-{high:.3f}"]
    cells.append(f"{memory[1] - memory[0]:+.1f}")
    return cells + [f"{rate:.0f}" for rate in rates], ratio_of_sums(pairs, "cpu_s")


def markdown(rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in (HEAD, ["---"] + ["---:"] * (len(HEAD) - 1), *rows)]
    return "\n".join(lines)


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def page(options, rows, mean, small):
    versions = "import platform, numpy, torch; print(platform.python_version(), numpy.__version__, torch.__version__)"
    done = subprocess.run([options.python, "-c", versions], capture_output=True, text=True)
    python, numpy, torch = done.stdout.split() if done.returncode == 0 else ("?", "?", "?")
    settings = ", ".join(options.set) or "the defaults"
    return f"""# What the shim costs

Written by `make bench` on {datetime.date.today()}: {platform.system()} {platform.release()}, {os.cpu_count()} cores, CPython {python},
NumPy {numpy}, PyTorch {torch}, {options.threads} thread a library, {options.pairs} pairs of runs side by side, settings: {settings}.

{markdown(rows)}

Geometric mean of the CPU ratios: **{mean:.3f}**.

Below the size of an object, in a process that records:

{small}

Both runs of a pair go in turns of 50 ms on one core, so that what slows the machine down slows both. CPU is the time of
the process tree, user and system, start-up included; wall that of the turns. A ratio is that of the sums over the pairs, with
a bootstrap interval. Memory is the difference in peak resident memory. Samples and objects are per CPU-second, finished pairs
per CPU-second of native code.
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for the shim")
    parser.add_argument("--write", type=Path, help="write the table there, as markdown")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def main():
    options = arguments()
    rows, ratios = [], []
    for program in options.programs:
        pairs, rates = measure(options, program)
        cells, ratio = row(program, pairs, rates)
        rows.append(cells)
        ratios.append(ratio)
        print("  ".join(f"{name} {cell}" for name, cell in zip(HEAD, cells)), flush=True)
    mean = geometric_mean(ratios)
    small = "\n".join(f"- {allocation.measure(options.build, options.python, size_bytes)}" for size_bytes in (64, 900))
    print("\n" + markdown(rows) + f"\n\ngeometric mean: {mean:.3f}\n\n{small}")
    if options.write:
        options.write.write_text(page(options, rows, mean, small))


if __name__ == "__main__":
    main()
