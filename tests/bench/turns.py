"""Runs of programs side by side, in turns of 50 ms: what slows the machine down slows all of them.

On one thread they share one core. CPU time is that of the process tree, user and system, start-up included; wall time is that of its
turns. Memory is the greatest of its processes' peaks. Each run's environment is of another size: where it shifts the stack, a program is up to
2 % slower or quicker, profiled or not.
"""
import os
import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

TURN_S = 0.05
TURNS_PER_LOOK = 10  # at memory
PADDING_MAX = 4096  # bytes: a page, as far as an address shifts anything


@dataclass
class Run:
    """A command; `log` takes its stderr."""

    command: list
    environment: dict
    log: Path = None


@dataclass
class Limits:
    """A run that goes beyond is killed: so many times the wall time of the first run, and so much resident memory in all."""

    ratio: float = float("inf")
    memory_mib: float = float("inf")


@dataclass
class Measure:
    cpu_s: float
    wall_s: float
    peak_mib: float


@dataclass
class Failure:
    why: str


def start(run, threads):
    log = open(run.log, "wb") if run.log else None
    padded = run.environment | {"BENCH_PADDING": "." * random.randrange(PADDING_MAX)}
    process = subprocess.Popen(run.command, env=padded, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True)
    os.killpg(process.pid, signal.SIGSTOP)
    if threads == 1:
        os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
    if log:
        log.close()
    return process


def take_turn(process):
    """How long the turn took, and once the process has ended its exit status and what it used."""
    started = time.monotonic()
    os.killpg(process.pid, signal.SIGCONT)
    time.sleep(TURN_S)
    os.killpg(process.pid, signal.SIGSTOP)
    _, status, usage = os.wait4(process.pid, os.WUNTRACED)
    return time.monotonic() - started, None if os.WIFSTOPPED(status) else status, usage


def session(process):
    """Of each process of its session: the id, and the resident memory in MiB."""
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
        except OSError:  # it has ended
            continue
        if fields and int(fields[3]) == process.pid:
            yield int(entry.name), int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def kill(process):
    for pid, _ in list(session(process)):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def last_words(run):
    lines = run.log.read_text(errors="replace").strip().splitlines() if run.log else []
    return f": {lines[-1].strip()[:120]}" if lines else ""


class Turns:
    """A run on its way: `result` is set at its end."""

    def __init__(self, run, threads, limits):
        self.run, self.limits = run, limits
        self.wall_s, self.turns, self.result = 0.0, 0, None
        try:
            self.process = start(run, threads)
        except OSError as error:
            self.result = Failure(str(error))

    def take(self):
        wall_s, status, usage = take_turn(self.process)
        self.wall_s += wall_s
        self.turns += 1
        if status is not None:
            self.process.returncode = os.waitstatus_to_exitcode(status)
            measure = Measure(usage.ru_utime + usage.ru_stime, self.wall_s, usage.ru_maxrss / 1024)
            status = self.process.returncode
            self.result = measure if status == 0 else Failure(f"ended with status {status}{last_words(self.run)}")
        elif self.turns % TURNS_PER_LOOK == 0 and sum(mib for _, mib in session(self.process)) > self.limits.memory_mib:
            self.stop(f"stopped beyond {self.limits.memory_mib / 1024:g} GiB of memory, after {self.wall_s:.1f} s")

    def stop(self, why):
        kill(self.process)
        self.result = Failure(why)


def run_side_by_side(runs, threads, limits=Limits(), base=None):
    """The measure of each run, or its failure. `base`, or the first run, is what the others are limited by."""
    all_turns = [Turns(run, threads, limits) for run in runs]
    try:
        while any(turns.result is None for turns in all_turns):
            first = base or all_turns[0].result
            for turns in all_turns:
                if turns.result is None:
                    turns.take()
                if turns.result is None and isinstance(first, Measure) and turns.wall_s > limits.ratio * first.wall_s:
                    turns.stop(f"stopped at {limits.ratio:g} times the wall time")
    finally:
        for turns in all_turns:
            if turns.result is None:
                kill(turns.process)
    return [turns.result for turns in all_turns]
