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
# Longer than their defaults: trainings of a few seconds are mostly imports.
LENGTHS = {"mlp_numpy": "--steps 15000", "cnn_digits": "--epochs 50", "transformer": "--steps 500", "conv_loops": "--steps 3000"}
PROGRAMS = [f"examples/{name}/{version}.py {length}" for name, length in LENGTHS.items() for version in ("wasteful", "fixed")]
# What a process does first, by the name of its example: a training of hours does that once, too.
STARTS = {
    "mlp_numpy": "import sklearn.datasets",
    "cnn_digits": "import torch, sklearn.datasets",
    "transformer": "import torch",
    "conv_loops": "import numpy",
}
START_PAIRS = 10
HEAD = ("program", "CPU s", "CPU ratio", "95 %", "after imports", "wall ratio", "95 %", "memory MiB", "samples/s", "pairs/s", "objects/s")


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
    """Pairs of a process that does nothing more."""
    with tempfile.TemporaryDirectory(prefix="pieprof-bench-") as directory:
        both = environments(options, Path(directory) / "out.db")
        return [measures_of([options.python, "-c", statement], both, options.threads) for _ in range(START_PAIRS)]


def start_line(statement, pairs):
    added = sorted(1000 * (profiled.cpu_s - plain.cpu_s) for plain, profiled in pairs)
    plain_ms = 1000 * statistics.median(plain.cpu_s for plain, _ in pairs)
    return f"- `{statement}`: {plain_ms:.0f} ms, {statistics.median(added):+.0f} ms ({added[0]:+.0f} to {added[-1]:+.0f}) with the shim"


def ratio_after_imports(start_pairs, pairs):
    """Of what a program uses beyond what its start does."""
    plain, profiled = (statistics.fmean(pair[side].cpu_s for pair in pairs) - statistics.median(pair[side].cpu_s for pair in start_pairs) for side in (0, 1))
    return profiled / plain


def row(program, pairs, starts, rates):
    """The cells, and the two ratios: of all, and after the imports (None: which these are is unknown)."""
    name = program.removeprefix("examples/").replace(".py", "")
    start_pairs = starts.get(STARTS.get(name.split("/")[0]))
    after = ratio_after_imports(start_pairs, pairs) if start_pairs else None
    cells = [name, f"{statistics.median(pair[0].cpu_s for pair in pairs):.1f}", *ratios.cells_of(pairs)]
    cells.insert(4, f"{after:.3f}" if after else "-")
    return cells + rates, (ratios.ratio_of_sums(pairs, "cpu_s"), after)


def means_of(all_ratios):
    """Geometric means of both, as text."""
    return [f"{ratios.geometric_mean(known):.3f}" if known else "-" for known in ([pair[i] for pair in all_ratios if pair[i]] for i in (0, 1))]


def page(options, rows, means, starts, small):
    versions = "import platform, numpy, torch; print(platform.python_version(), numpy.__version__, torch.__version__)"
    done = subprocess.run([options.python, "-c", versions], capture_output=True, text=True)
    python, numpy, torch = done.stdout.split() if done.returncode == 0 else ("?", "?", "?")
    settings = ", ".join(options.set) or "the defaults"
    return f"""# What the shim costs

Written by `make bench` on {datetime.date.today()}: {platform.system()} {platform.release()}, {os.cpu_count()} cores, CPython {python},
NumPy {numpy}, PyTorch {torch}, {options.threads} thread a library, {options.pairs} pairs of runs side by side, settings: {settings}.

{ratios.markdown(HEAD, rows)}

Geometric mean of the CPU ratios: **{means[0]}**; after the imports, which a training of hours does once, too: **{means[1]}**.

Once a process, CPU time of its start and end ({START_PAIRS} pairs):

{starts}

Below the size of an object, in a process that records:

{small}

Both runs of a pair go in turns of 50 ms on one core, so that what slows the machine down slows both; each run's environment has
another size, which alone shifts a program by up to 2 %. CPU is the time of the process tree, user and system, start-up included;
after imports: less that of a process that imports as much and ends. Wall is that of the turns. A ratio is that of the sums over
the pairs, with a bootstrap interval. Memory is the difference in peak resident memory. Samples and objects are per CPU-second,
finished pairs per CPU-second of native code.
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for the shim")
    parser.add_argument("--write", type=Path, help="write the table there, as markdown")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def main():
    options = arguments()
    starts = {statement: start(options, statement) for statement in ("pass", *sorted(set(STARTS.values())))}
    rows, all_ratios = [], []
    for program in options.programs:
        pairs, rates = measure(options, program)
        cells, both = row(program, pairs, starts, rates)
        rows.append(cells)
        all_ratios.append(both)
        print("  ".join(f"{name} {cell}" for name, cell in zip(HEAD, cells)), flush=True)
    means = means_of(all_ratios)
    start_lines = "\n".join(start_line(statement, pairs) for statement, pairs in starts.items())
    small = "\n".join(f"- {allocation.measure(options.build, options.python, size_bytes)}" for size_bytes in (64, 900))
    print(f"\n{ratios.markdown(HEAD, rows)}\n\ngeometric mean: {means[0]}, after imports {means[1]}\n\n{start_lines}\n\n{small}")
    if options.write:
        options.write.write_text(page(options, rows, means, start_lines, small))


if __name__ == "__main__":
    main()
