"""The programs of examples/zoo: what each plants, and (run as a program) what PieProf says of it and what its fix wins.

Prints a table: the first finding of the wasteful version, with its share of the run's time, and the speed-up of the fixed
version: CPU time of the program without its imports, unprofiled, in alternating pairs; the median of their ratios with a
bootstrap interval (95 %). Exit status 1 when a first finding is not the planted one, or a fixed version has a finding.
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import allocation
import bench

ZOO = bench.ROOT / "examples/zoo"
MARK = "  # waste"
# A run of a second follows too few stores, and a percent of it are two samples, at the defaults.
SETTINGS = {"PIEPROF_RATE": "1000", "PIEPROF_BUDGET": "100"}
HEAD = ("program", "line", "kind", "category", "share", "speed-up", "95 %", "as planted", "fixed version")

INVARIANT = "loop-invariant computation"
REPEATED = "repeated native call with the same arguments"
RECOMPUTED = "recomputed input"
MISUSE = "API misuse"
SLICE = "slice under-utilisation"

# Name of the directory: kind and category of the finding at the marked line.
PLANTED = {
    "accuracy_report": ("replica", REPEATED),
    "anchor_detector": ("replica", INVARIANT),
    "autoencoder": ("replica", INVARIANT),
    "batch_scaling": ("redundant_load", INVARIANT),
    "boosted_stumps": ("replica", RECOMPUTED),
    "counted_hits": ("tiny_calls", SLICE),
    "deblur": ("replica", INVARIANT),
    "deep_relu": ("churn", MISUSE),
    "filled_batches": ("dead_store", "dead initialisation"),
    "frozen_backbone": ("replica", RECOMPUTED),
    "gaussian_process": ("replica", INVARIANT),
    "gradient_clearing": ("redundant_store", REPEATED),
    "graph_conv": ("replica", INVARIANT),
    "held_out": ("tiny_calls", SLICE),
    "hinge_loop": ("tiny_calls", SLICE),
    "kernel_svm": ("replica", INVARIANT),
    "keyword_spotting": ("replica", INVARIANT),
    "kmeans": ("replica", INVARIANT),
    "lasso": ("replica", INVARIANT),
    "logistic_cg": ("replica", REPEATED),
    "mixture": ("replica", REPEATED),
    "nearest_words": ("dead_store", "inefficient algorithm"),
    "neural_field": ("replica", INVARIANT),
    "policy_gradient": ("replica", INVARIANT),
    "polynomial": ("replica", INVARIANT),
    "random_features": ("replica", RECOMPUTED),
    "ratings": ("replica", INVARIANT),
    "sample_weights": ("constant", INVARIANT),
    "softmax_digits": ("replica", INVARIANT),
    "sound_kinds": ("replica", RECOMPUTED),
    "word2vec": ("replica", INVARIANT),
    "word_gru": ("replica", RECOMPUTED),
}

# Runs a program with what it imports imported before; the last line of stderr is the CPU time it took.
TIMER = """
import ast, importlib, runpy, sys, time
for node in ast.parse(open(sys.argv[1]).read()).body:
    for name in [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []:
        importlib.import_module(name)
sys.argv = sys.argv[1:]
started = time.process_time()
runpy.run_path(sys.argv[0], run_name="__main__")
print(time.process_time() - started, file=sys.stderr)
"""


@dataclass(frozen=True)
class Program:
    name: str

    def path(self, version):
        return ZOO / self.name / f"{version}.py"

    @property
    def line(self):
        lines = self.path("wasteful").read_text().splitlines()
        (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(MARK)]
        return number

    @property
    def expected(self):
        return (str(self.path("wasteful")), self.line, *PLANTED[self.name])


PROGRAMS = [Program(name) for name in PLANTED]


def place_of(finding):
    return (finding["file"], finding["line"], finding["kind"], finding["category"])


def profile(options, program, version):
    """The report, findings of no weight included."""
    with tempfile.TemporaryDirectory(prefix="pieprof-zoo-") as directory:
        database = Path(directory) / "out.db"
        _, environment = bench.environments(options, database)
        bench.measures_of([options.python, str(program.path(version))], [environment | SETTINGS], options.threads)
        words = [options.build / "pieprof-report", "--format", "json", "--min-waste", "0", database]
        return json.loads(subprocess.run(words, capture_output=True, check=True).stdout)


def time_s(options, program, version):
    plain, _ = bench.environments(options, "")
    command = [options.python, "-c", TIMER, program.path(version)]
    done = subprocess.run(command, env=plain, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return float(done.stderr.splitlines()[-1])


def speed_ups(options, program):
    ratios = []
    for number in range(options.pairs):
        order = ("wasteful", "fixed") if number % 2 == 0 else ("fixed", "wasteful")
        taken = {version: time_s(options, program, version) for version in order}
        ratios.append(taken["wasteful"] / taken["fixed"])
    return ratios


def row(options, program):
    """The cells, and whether all is as it should be."""
    report = profile(options, program, "wasteful")
    left = profile(options, program, "fixed")["findings"]
    first = next(iter(report["findings"]), None)
    named = first is not None and place_of(first) == program.expected
    cells = [program.name, *(str(part) for part in place_of(first)[1:])] if first else [program.name, "-", "-", "-"]
    cells.append(f"{100 * first['waste_s'] / report['totals']['time_s']['total']:.0f} %" if first else "-")
    ratios = speed_ups(options, program)
    low, high = allocation.interval(ratios)
    cells += [f"{statistics.median(ratios):.2f}x", f"{low:.2f}-{high:.2f}", "yes" if named else "NO"]
    return cells + [f"{len(left)} findings" if left else "clean"], named and not left


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=bench.ROOT / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("names", nargs="*", metavar="PROGRAM", help="only these")
    options = parser.parse_args()
    options.threads, options.set, options.build = 1, [], options.build.resolve()
    unknown = [name for name in options.names if name not in PLANTED]
    if unknown:
        parser.error(f"no such program in examples/zoo: {' '.join(unknown)}")
    good = True
    print("| " + " | ".join(HEAD) + " |\n|" + " --- |" * len(HEAD), flush=True)
    for program in PROGRAMS:
        if not options.names or program.name in options.names:
            cells, as_planted = row(options, program)
            good = good and as_planted
            print("| " + " | ".join(cells) + " |", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
