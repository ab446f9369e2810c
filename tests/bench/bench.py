"""Times every example with and without the shim, in alternating pairs, and prints a table.

CPU time is that of the process tree, user and system, start-up included. A ratio is the median over the pairs, with a
bootstrap interval (95 %) of that median. The quiet ratio is that of the means of the least third of the runs with and
without: what else happens on a machine only ever adds, and on a shared one it adds more than the shim. Memory is the difference of the medians of peak resident memory. Fails nothing.
"""
import argparse
import datetime
import json
import math
import os
import platform
import random
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
HEAD = ("program", "CPU s", "quiet ratio", "CPU ratio", "95 %", "wall ratio", "95 %", "memory MiB", "samples/s", "pairs/s", "objects/s")


@dataclass
class Measure:
    cpu_s: float
    wall_s: float
    peak_mib: float


def run(command, environment):
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall_s = time.monotonic() - started
    if process.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with status {process.returncode}")
    return Measure(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss / 1024)


def environments(options, database):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_")}
    plain.pop("LD_PRELOAD", None)
    plain.update(OMP_NUM_THREADS=str(options.threads), OPENBLAS_NUM_THREADS=str(options.threads))
    settings = dict(setting.split("=", 1) for setting in options.set)
    shim = options.build / "libpieprof.so"
    return plain, dict(plain, LD_PRELOAD=str(shim), PIEPROF_OUT=str(database), **settings)


def median_interval(values):
    """A bootstrap interval of the median; its ends are the extremes when there are few values."""
    generator = random.Random(0)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES)]


def least_third(values):
    return statistics.fmean(sorted(values)[: max(1, len(values) // 3)])


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
        run(command, plain)
        for number in range(options.pairs):
            order = (plain, profiled) if number % 2 == 0 else (profiled, plain)
            measures = [run(command, environment) for environment in order]
            pairs.append(measures if number % 2 == 0 else measures[::-1])
        rates = yields(options, database)
    return pairs, rates


def row(program, pairs, rates):
    cpu = [with_shim.cpu_s / without.cpu_s for without, with_shim in pairs]
    wall = [with_shim.wall_s / without.wall_s for without, with_shim in pairs]
    memory = [statistics.median(pair[side].peak_mib for pair in pairs) for side in (0, 1)]
    quiet = least_third([pair[1].cpu_s for pair in pairs]) / least_third([pair[0].cpu_s for pair in pairs])
    cells = [program.removeprefix("examples/").replace(".py", ""), f"{statistics.median(pair[0].cpu_s for pair in pairs):.1f}", f"{quiet:.3f}"]
    for ratios in (cpu, wall):
        low, high = median_interval(ratios)
        cells += [f"{statistics.median(ratios):.3f}", f"{low:.3f}-{high:.3f}"]
    cells.append(f"{memory[1] - memory[0]:+.1f}")
    return cells + [f"{rate:.0f}" for rate in rates], quiet, statistics.median(cpu)


def markdown(rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in (HEAD, ["---"] + ["---:"] * (len(HEAD) - 1), *rows)]
    return "\n".join(lines)


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def page(options, rows, quiet_mean, mean, small):
    versions = "import platform, numpy, torch; print(platform.python_version(), numpy.__version__, torch.__version__)"
    done = subprocess.run([options.python, "-c", versions], capture_output=True, text=True)
    python, numpy, torch = done.stdout.split() if done.returncode == 0 else ("?", "?", "?")
    settings = ", ".join(options.set) or "the defaults"
    return f"""# What the shim costs

Written by `make bench` on {datetime.date.today()}: {platform.system()} {platform.release()}, {os.cpu_count()} cores, CPython {python},
NumPy {numpy}, PyTorch {torch}, {options.threads} thread a library, {options.pairs} alternating pairs of runs, settings: {settings}.

{markdown(rows)}

Geometric mean of the quiet ratios: **{quiet_mean:.3f}**; of the CPU ratios: {mean:.3f}.

Below the size of an object, in a process that records:

{small}

CPU is the time of the process tree, user and system, start-up included; a ratio is the median over the pairs with a
bootstrap interval of that median. The quiet ratio is that of the means of the least third of the runs with and without:
what else happens on a machine only adds, and on a shared one it adds more than the shim. Memory is the difference in peak resident memory. Samples and objects are per
CPU-second, finished pairs per CPU-second of native code. A busy machine blurs the ratios: see their intervals.
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for the shim")
    parser.add_argument("--write", type=Path, help="write the table there, as markdown")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def main():
    options = arguments()
    rows, quiets, ratios = [], [], []
    for program in options.programs:
        pairs, rates = measure(options, program)
        cells, quiet, ratio = row(program, pairs, rates)
        rows.append(cells)
        quiets.append(quiet)
        ratios.append(ratio)
        print("  ".join(f"{name} {cell}" for name, cell in zip(HEAD, cells)), flush=True)
    quiet_mean, mean = geometric_mean(quiets), geometric_mean(ratios)
    small = "\n".join(f"- {allocation.measure(options.build, options.python, size_bytes)}" for size_bytes in (64, 900))
    print("\n" + markdown(rows) + f"\n\ngeometric mean: {quiet_mean:.3f} quiet, {mean:.3f} median\n\n{small}")
    if options.write:
        options.write.write_text(page(options, rows, quiet_mean, mean, small))


if __name__ == "__main__":
    main()
