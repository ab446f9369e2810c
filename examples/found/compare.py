"""What a fix is worth: runs a driver as it is and with the fix, by turns.

    compare.py DRIVER FIXED [--pairs N]

FIXED is a directory with a fixed copy of the package, which comes first in the module path, or a fixed driver. CPU time
is the process's after the driver's imports; on a busy machine the fastest of each side is the steadier figure. What the
driver prints must be equal.
"""

import argparse
import ast
import os
import statistics
import subprocess
import sys
from pathlib import Path

DRIVERS = Path(__file__).resolve().parent / "drivers"
RUN = """
import runpy, sys, time
for name in sys.argv[2:]:
    __import__(name)
start = time.process_time()
runpy.run_path(sys.argv[1], run_name="__main__")
print(time.process_time() - start, file=sys.stderr)
"""


def imports_of(driver):
    names = []
    for node in ast.parse(driver.read_text()).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module)
    return names


def run(driver, directory=None):
    """CPU seconds and output."""
    path = [directory] if directory else []
    environment = dict(
        os.environ,
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
        PYTHONWARNINGS="ignore",
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONPATH=os.pathsep.join(map(str, [*path, DRIVERS])),
    )
    command = [sys.executable, "-c", RUN, str(driver), *imports_of(driver)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return float(done.stderr.split()[-1]), done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("driver", type=lambda path: Path(path).resolve())
    parser.add_argument("fixed", type=lambda path: Path(path).resolve())
    parser.add_argument("--pairs", type=int, default=7)
    options = parser.parse_args()
    fixed = (options.driver, options.fixed) if options.fixed.is_dir() else (options.fixed,)
    before, after, outputs = [], [], (set(), set())
    for turn in range(options.pairs):
        sides = ((before, (options.driver,), outputs[0]), (after, fixed, outputs[1]))
        for times, program, seen in sides if turn % 2 == 0 else reversed(sides):
            seconds, output = run(*program)
            times.append(seconds)
            seen.add(output)
    ratios = [one / two for one, two in zip(before, after)]
    quartiles = statistics.quantiles(ratios, n=4)
    equal = "the same output" if outputs[0] == outputs[1] and len(outputs[0]) == 1 else "outputs differ"
    print(
        f"{options.driver.stem}: {statistics.median(before):.2f} s before, {statistics.median(after):.2f} s after, "
        f"{statistics.median(ratios):.2f} times faster "
        f"(quartiles {quartiles[0]:.2f} to {quartiles[2]:.2f} of {options.pairs} pairs), "
        f"{min(before) / min(after):.2f} by the fastest of each, {equal}"
    )


main()
