"""Times a small allocation and its release in a Python process that records: the shim's functions against libc's own.

Prints one line: the median of each in nanoseconds, of their difference in alternating rounds, and its 95 % interval.
"""
import argparse
import ctypes
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROUNDS = 400_000
REPEATS = 61
RESAMPLES = 2000


def build(directory):
    library = Path(directory) / "allocation.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, HERE / "allocation.c"], check=True)
    return library


def interval(values):
    generator = random.Random(0)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES)]


def time_here(library, size_bytes):
    """In this very process: pairs of (libc's, the program's) nanoseconds, alternating which comes first."""
    function = ctypes.CDLL(library).allocation_ns
    function.argtypes, function.restype = [ctypes.c_size_t, ctypes.c_long, ctypes.c_int], ctypes.c_double
    pairs = []
    for number in range(REPEATS):
        order = (1, 0) if number % 2 == 0 else (0, 1)
        times = {libcs: function(size_bytes, ROUNDS, libcs) for libcs in order}
        pairs.append((times[1], times[0]))
    return pairs


def line(size_bytes, pairs):
    added = [hooked - bare for bare, hooked in pairs]
    low, high = interval(added)
    return (
        f"malloc and free of {size_bytes} bytes: {statistics.median(pair[0] for pair in pairs):.1f} ns by libc, "
        f"{statistics.median(added):+.1f} ns ({low:+.1f} to {high:+.1f}) with the shim"
    )


def measure(build_directory, python, size_bytes=64):
    """The line, from a process of `python` that records."""
    with tempfile.TemporaryDirectory(prefix="pieprof-bench-") as directory:
        library = build(directory)
        shim = Path(build_directory) / "libpieprof.so"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_")}
        environment = dict(kept, LD_PRELOAD=str(shim), PIEPROF_OUT=f"{directory}/out.db")
        command = [python, __file__, "--here", str(library), "--bytes", str(size_bytes)]
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
        if not Path(f"{directory}/out.db").exists():
            sys.exit(f"bench: nothing was recorded: {done.stderr}")
        return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--bytes", type=int, default=64)
    parser.add_argument("--here", type=Path, help="time in this process, with that library")
    options = parser.parse_args()
    if options.here:
        print(line(options.bytes, time_here(options.here, options.bytes)))
    else:
        print(measure(options.build.resolve(), options.python, options.bytes))


if __name__ == "__main__":
    main()
