"""The overhead study: programs without a profiler, under PieProf in several settings, and under other profilers, side by side.

In each round a program runs plain and under each of a group of profilers at once, in turns (turns.py); every profiled run is paired
with the plain one of its group and round. Profilers that sample by the wall clock run alone, after it. What cannot be run, or goes beyond the limits, is said in its row. Fails nothing.
"""
import argparse
import datetime
import os
import platform
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import bench
import ratios
import tools
import turns
from workloads import WORKLOADS

HEAD = ("program", "threads", "profiler", "CPU ratio", "95 %", "wall ratio", "95 %", "memory MiB", "what it recorded")
SUMMARY = ("profiler", "threads", "programs", "geometric mean", "worst", "not run to the end")


@dataclass
class Row:
    workload: str
    threads: int
    tool: str
    pairs: list
    note: str  # what it recorded, or why it could not be run

    @property
    def ratio(self):
        return ratios.ratio_of_sums(self.pairs, "cpu_s") if self.pairs else None

    @property
    def cells(self):
        measured = ratios.cells_of(self.pairs) if self.pairs else ["-"] * 5
        return [self.workload, str(self.threads), self.tool, *measured, self.note]


def run_of(options, tool, workload, directory, threads):
    """The command of one run, and where its files lie."""
    place = tools.Place(options.build, options.tools_python, directory)
    directory.mkdir()
    settings = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_") and name != "LD_PRELOAD"}
    words = (workload.quick if options.quick else workload.full).split()
    if tool is None:
        return turns.Run(tools.plain(place, workload.path, words), environment | settings, place.log), place
    if tool.ours:
        settings |= {"LD_PRELOAD": str(options.build / "libpieprof.so"), "PIEPROF_OUT": str(place.out)}
    command = [str(word) for word in tool.prefix(place, workload.path, words)]
    return turns.Run(command, environment | settings | tool.settings, place.log), place


def note_of(tool, place, result):
    try:
        return tool.delivered(place, result)
    except Exception as error:  # whatever a profiler wrote instead of what it should
        return f"nothing readable: {type(error).__name__}: {error}".replace("|", "/").splitlines()[0][:150]


def run_round(options, group, runs, threads):
    """The plain run's result, and those of the group."""
    together = [number for number, tool in enumerate(group, 1) if not tool.by_wall]
    base, *results = turns.run_side_by_side([runs[0], *(runs[number] for number in together)], threads, options.limits)
    found = dict(zip(together, results))
    for number in range(1, len(runs)):
        if number not in found and isinstance(base, turns.Measure):
            (found[number],) = turns.run_side_by_side([runs[number]], threads, options.limits, base)
    return [base, *(found.get(number) for number in range(1, len(runs)))]


def measure_group(options, group, workload, threads, rounds):
    """A row for each profiler of the group."""
    rows = [Row(workload.name, threads, tool.name, [], "") for tool in group]
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="pieprof-study-") as directory:
            runs = [run_of(options, tool, workload, Path(directory) / str(number), threads) for number, tool in enumerate((None, *group))]
            base, *results = run_round(options, group, [run for run, _ in runs], threads)
            if isinstance(base, turns.Failure):
                return [Row(workload.name, threads, tool.name, [], f"could not be run: the program {base.why}") for tool in group]
            for row, tool, (_, place), result in zip(rows, group, runs[1:], results):
                if isinstance(result, turns.Failure):
                    row.note = f"could not be run to its end: {result.why}".replace("|", "/")
                    continue
                row.pairs.append((base, result))
                row.note = note_of(tool, place, result)
    return rows


def groups_of(options, workload):
    """Each with the number of its rounds: other profilers are slower, and their ratios larger."""
    others = [tool for tool in tools.OTHERS if workload.torch or not tool.torch]
    chosen = [[tool for tool in group if not options.tools or any(word in tool.name for word in options.tools)] for group in (tools.OURS, others)]
    return [(group, rounds) for group, rounds in zip(chosen, (options.pairs, options.other_pairs)) if group]


def study(options):
    rows = []
    for workload in WORKLOADS:
        if (options.quick and not workload.quick) or (options.only and not any(word in workload.name for word in options.only)):
            continue
        for threads in options.threads:
            if options.quick and threads > 1 and not workload.public:
                continue
            for group, rounds in groups_of(options, workload):
                for row in measure_group(options, group, workload, threads, rounds):
                    rows.append(row)
                    print("  ".join(row.cells), flush=True)
    return rows


def summary(rows):
    lines = []
    for tool in dict.fromkeys(row.tool for row in rows):
        for threads in sorted({row.threads for row in rows}):
            mine = [row for row in rows if (row.tool, row.threads) == (tool, threads)]
            known = [row.ratio for row in mine if row.pairs]
            if mine:
                values = [f"{ratios.geometric_mean(known):.3f}", f"{max(known):.3f}"] if known else ["-", "-"]
                lines.append([tool, str(threads), str(len(mine)), *values, str(len(mine) - len(known))])
    return lines


def versions(python):
    text = "import platform, numpy, sklearn, torch; print(platform.python_version(), numpy.__version__, sklearn.__version__, torch.__version__)"
    done = subprocess.run([python, "-c", text], capture_output=True, text=True)
    found = done.stdout.split() if done.returncode == 0 else ["?"] * 4
    return "CPython {}, NumPy {}, scikit-learn {}, PyTorch {}".format(*found)


def page(options, rows, minutes):
    others = ", ".join((tools.HERE / "study-requirements.txt").read_text().split())
    pairs = f"{options.pairs} rounds for PieProf, {options.other_pairs} for the others"
    return f"""# The overhead study

Written by `make study{' STUDY=--quick' if options.quick else ''}` on {datetime.date.today()} in {minutes:.0f} minutes: {platform.system()} {platform.release()},
{os.cpu_count()} cores (load {os.getloadavg()[2]:.1f} beside), {versions(options.tools_python)}; {others}; {pairs}.

CPU ratios over the programs that ran to their end:

{ratios.markdown(SUMMARY, summary(rows), left=1)}

PieProf without a setting is as it comes: 250 Hz, all engines, a budget of 2 %. The others are as they come too.

{ratios.markdown(HEAD, [row.cells for row in rows], left=3)}

In a round the program runs plain and under all profilers of a group at once, in turns of 50 ms, with one thread all on one core: what
slows the machine down slows all of them; py-spy and Scalene, whose clocks go on while a program is stopped, run alone after it. CPU is the time of the process tree, user and system, start-up included, a profiler in a
process of its own too; wall that of the turns. A ratio is that of the sums over the rounds, with a bootstrap interval. Memory is the difference in
peak resident memory. What was recorded is told per CPU-second of the profiled run, of the last round. A run is stopped beyond
{options.limits.ratio:g} times the plain run's wall time and {options.limits.memory_mib / 1024:g} GiB of memory: such rows are in no mean.
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=bench.ROOT / "build")
    parser.add_argument("--python", type=Path, default="/usr/bin/python3", help="where BUILD/study-venv has none")
    parser.add_argument("--quick", action="store_true", help="short runs of six programs, with two threads of four of them")
    parser.add_argument("--pairs", type=int, default=2, help="rounds of PieProf's settings")
    parser.add_argument("--other-pairs", type=int, default=1, help="rounds of the other profilers")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", nargs="+", metavar="WORD", help="only programs whose name contains one of these")
    parser.add_argument("--tools", nargs="+", metavar="WORD", help="only profilers whose name contains one of these")
    parser.add_argument("--ratio", type=float, help="stop a run beyond so many times the plain run (default: 20; 4 with --quick)")
    parser.add_argument("--memory", type=float, default=4, metavar="GIB", help="stop a run beyond so much resident memory")
    parser.add_argument("--write", type=Path, help="write the tables there, as markdown")
    options = parser.parse_args()
    options.build = options.build.resolve()
    own = options.build / "study-venv/bin/python"
    options.tools_python = own if own.exists() else options.python
    options.limits = turns.Limits(options.ratio or (4 if options.quick else 20), options.memory * 1024)
    return options


def main():
    options = arguments()
    started = time.monotonic()
    rows = study(options)
    minutes = (time.monotonic() - started) / 60
    print("\n" + ratios.markdown(SUMMARY, summary(rows)) + f"\n\n{minutes:.1f} minutes")
    if options.write:
        options.write.write_text(page(options, rows, minutes))


if __name__ == "__main__":
    main()
