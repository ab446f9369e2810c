"""Times every example with and without the shim, side by side in turns, and prints a table.

Both runs of a pair go through to their end in turns (turns.py), where runs one after the other differed by a fifth on a shared host.
A ratio is that of the sums over the pairs, with a bootstrap interval (95 %) over them. Memory is the difference of the medians
of peak resident memory. Fails nothing.
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
from pathlib import Path

import allocation
import ratios
import turns

ROOT = Path(__file__).resolve().parents[2]
# Half a minute each: much of what a run of seconds costs is its start, which is measured by itself.
LENGTHS = {
    "mlp_numpy/wasteful": "--steps 64000",
    "mlp_numpy/fixed": "--steps 240000",
    "cnn_digits/wasteful": "--epochs 200",
    "cnn_digits/fixed": "--epochs 300",
    "transformer/wasteful": "--steps 1600",
    "transformer/fixed": "--steps 1600",
    "conv_loops/wasteful": "--steps 9000",
    "conv_loops/fixed": "--steps 36000",
}
PROGRAMS = [f"examples/{name}.py {length}" for name, length in LENGTHS.items()]
STARTS = ("pass", "import numpy", "import torch")
START_PAIRS = 10
HEAD = ("program", "CPU s", "CPU ratio", "95 %", "wall ratio", "95 %", "memory MiB", "samples/s", "pairs/s", "objects/s")


def measures_of(command, all_environments, threads):
    """One run in each environment, side by side."""
    measures = turns.run_side_by_side([turns.Run(command, environment) for environment in all_environments], threads)
    for measure in measures:
        if isinstance(measure, turns.Failure):
            sys.exit(f"bench: {' '.join(map(str, command))} {measure.why}")
    return measures


def environments(options, database):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_")}
    plain.pop("LD_PRELOAD", None)
    plain.update(OMP_NUM_THREADS=str(options.threads), OPENBLAS_NUM_THREADS=str(options.threads))
    settings = dict(setting.split("=", 1) for setting in options.set)
    shim = options.build / "libpieprof.so"
    return plain, dict(plain, LD_PRELOAD=str(shim), PIEPROF_OUT=str(database), **settings)


def per_second(count, seconds):
    return f"{count / seconds:.0f}" if seconds else "-"


def yields(options, database):
    """Samples per CPU-second, finished pairs per native CPU-second, digested objects per CPU-second: where the time engine tells these."""
    words = [str(options.build / "pieprof-report"), "--format", "json", str(database)]
    report = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    health, time_s = report["run"]["health"], report["totals"]["time_s"]
    objects = (report["totals"].get("replicas") or {}).get("examined", 0)
    return [per_second(health["samples"], time_s["total"]), per_second(health["finished"], time_s["native"]), per_second(objects, time_s["total"])]


def measure(options, program):
    script, *words = program.split()
    command = [options.python, str(ROOT / script), *words]
    pairs = []
    with tempfile.TemporaryDirectory(prefix="pieprof-bench-") as directory:
        database = Path(directory) / "out.db"
        plain, profiled = environments(options, database)
        for number in range(options.pairs):
            order = (plain, profiled) if number % 2 == 0 else (profiled, plain)
            measures = measures_of(command, order, options.threads)
            pairs.append(measures if number % 2 == 0 else measures[::-1])
        rates = yields(options, database)
    return pairs, rates


def start(options, statement):
    """A line: what a process costs that does nothing more."""
    command = [options.python, "-c", statement]
    with tempfile.TemporaryDirectory(prefix="pieprof-bench-") as directory:
        both = environments(options, Path(directory) / "out.db")
        pairs = [measures_of(command, both, options.threads) for _ in range(START_PAIRS)]
    added = sorted(1000 * (profiled.cpu_s - plain.cpu_s) for plain, profiled in pairs)
    plain_ms = 1000 * statistics.median(plain.cpu_s for plain, _ in pairs)
    return f"`{statement}`: {plain_ms:.0f} ms, {statistics.median(added):+.0f} ms ({added[0]:+.0f} to {added[-1]:+.0f}) with the shim"


def row(program, pairs, rates):
    cells = [program.removeprefix("examples/").replace(".py", ""), f"{statistics.median(pair[0].cpu_s for pair in pairs):.1f}"]
    cells += ratios.cells_of(pairs)
    return cells + rates, ratios.ratio_of_sums(pairs, "cpu_s")


def page(options, rows, mean, starts, small):
    versions = "import platform, numpy, torch; print(platform.python_version(), numpy.__version__, torch.__version__)"
    done = subprocess.run([options.python, "-c", versions], capture_output=True, text=True)
    python, numpy, torch = done.stdout.split() if done.returncode == 0 else ("?", "?", "?")
    settings = ", ".join(options.set) or "the defaults"
    return f"""# What the shim costs

Written by `make bench` on {datetime.date.today()}: {platform.system()} {platform.release()}, {os.cpu_count()} cores, CPython {python},
NumPy {numpy}, PyTorch {torch}, {options.threads} thread a library, {options.pairs} pairs of runs side by side, settings: {settings}.

{ratios.markdown(HEAD, rows)}

Geometric mean of the CPU ratios: **{mean:.3f}**.

Once a process, CPU time of start and end ({START_PAIRS} pairs):

{starts}

Below the size of an object, in a process that records:

{small}

Both runs of a pair go in turns of 50 ms on one core, so that what slows the machine down slows both; each run's environment has
another size, which alone shifts a program by up to 2 %. CPU is the time of
the process tree, user and system, start-up included; wall that of the turns. A ratio is that of the sums over the pairs, with
a bootstrap interval. Memory is the difference in peak resident memory. Samples and objects are per CPU-second, finished pairs
per CPU-second of native code.
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for the shim")
    parser.add_argument("--write", type=Path, help="write the table there, as markdown")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def main():
    options = arguments()
    rows, all_ratios = [], []
    for program in options.programs:
        pairs, rates = measure(options, program)
        cells, ratio = row(program, pairs, rates)
        rows.append(cells)
        all_ratios.append(ratio)
        print("  ".join(f"{name} {cell}" for name, cell in zip(HEAD, cells)), flush=True)
    mean = ratios.geometric_mean(all_ratios)
    starts = "\n".join(f"- {start(options, statement)}" for statement in STARTS)
    small = "\n".join(f"- {allocation.measure(options.build, options.python, size_bytes)}" for size_bytes in (64, 900))
    print("\n" + ratios.markdown(HEAD, rows) + f"\n\ngeometric mean: {mean:.3f}\n\n{starts}\n\n{small}")
    if options.write:
        options.write.write_text(page(options, rows, mean, starts, small))


if __name__ == "__main__":
    main()
