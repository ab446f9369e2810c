"""PIEPROF_EVENTS through real PAPI. Where no PMU exists one kernel event is swapped: see swap_event.c for what that proves."""
import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("PIEPROF_BUILD", HERE.parents[1] / "build")).resolve()
PYTHON = os.environ.get("PIEPROF_PYTHON", "/usr/bin/python3")
SPIN = """
import sys, threading, time
def work(seconds):
    start, total = time.thread_time(), 0
    while time.thread_time() - start < seconds:
        for i in range(1000):
            total += i
thread = threading.Thread(target=work, args=(0.5,))
thread.start()
thread.join()
work(0.5)
print("done")
"""


@pytest.fixture(scope="session")
def swap(tmp_path_factory):
    library = tmp_path_factory.mktemp("papi") / "swap_event.so"
    compiler = os.environ.get("CC", "gcc")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "swap_event.c"], check=True)
    return library


def run(directory, events, *preloads, program=SPIN, **environment):
    """The process's stderr and its dump; its output must be that of the program alone."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_")}
    settings.update(PIEPROF_EVENTS=events, LD_PRELOAD=" ".join(map(str, [BUILD / "libpieprof.so", *preloads])))
    for name in ("PIEPROF_RUN", "PIEPROF_OUT", "LIBPFM_FORCE_PMU"):
        settings.pop(name, None)
    settings.update(environment)
    done = subprocess.run([PYTHON, "-c", program], cwd=directory, env=settings, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    dump = subprocess.run([BUILD / "pieprof-report", "dump", "out.db"], cwd=directory, capture_output=True, text=True)
    assert dump.returncode == 0, dump.stderr
    return done.stderr, dump.stdout


def number(dump, name):
    return int(re.search(rf"^PROCESS .*?\b{name}=(\d+)", dump, re.M).group(1))


def counted(dump, event):
    return sum(int(value) for value in re.findall(rf'^COUNTER .* value=(\d+) event="{event}"', dump, re.M))


def forced(tmp_path, events, swap):
    """With a budget that passes no tick over, whatever an interrupt costs on this machine."""
    stderr, dump = run(tmp_path, events, swap, LIBPFM_FORCE_PMU="skl", PIEPROF_BUDGET="100")
    if "is not installed" in stderr or "does not start" in stderr:
        pytest.skip(stderr.strip())
    assert stderr == ""
    return dump


def test_events_are_charged_to_contexts(tmp_path, swap):
    dump = forced(tmp_path, "PAPI_TOT_INS,PAPI_TOT_CYC", swap)
    assert 'event="PAPI_TOT_INS" event="PAPI_TOT_CYC"' in dump
    assert 'trigger="papi' not in dump
    for event in ("PAPI_TOT_INS", "PAPI_TOT_CYC"):  # the swapped event counts nanoseconds of user time
        assert 0.6e9 < counted(dump, event) <= number(dump, "cpu_ns")


def test_overflow_is_the_trigger(tmp_path, swap):
    dump = forced(tmp_path, "PAPI_TOT_INS@1000000,PAPI_TOT_CYC", swap)
    assert 'trigger="papi:PAPI_TOT_INS"' in dump
    assert 0.6e9 < counted(dump, "PAPI_TOT_INS") <= number(dump, "cpu_ns")
    assert 600 < number(dump, "samples") < 1.1 * number(dump, "cpu_ns") / 1e6


def test_a_forked_child_goes_on_with_the_clock(tmp_path, swap):
    program = SPIN.replace('print("done")', "import os\npid = os.fork()\nwork(0.5)\nif pid: os.waitpid(pid, 0); print('done')")
    stderr, dump = run(tmp_path, "PAPI_TOT_INS@1000000", swap, program=program, LIBPFM_FORCE_PMU="skl")
    if stderr:
        pytest.skip(stderr.strip())
    processes = re.findall(r'^PROCESS .*trigger="([^"]*)" samples=(\d+)', dump, re.M)
    assert [trigger.split(":")[0] for trigger, _ in processes] in (["papi", "perf-task-clock"], ["papi", "timer"])
    assert int(processes[1][1]) > 50


@pytest.mark.parametrize("events", ["NO_SUCH_EVENT", "NO_SUCH_EVENT@1000000", "PAPI_TOT_INS@12", "PAPI_TOT_INS@x"])
def test_what_cannot_be_counted_is_one_line_and_the_clock_samples(tmp_path, events):
    stderr, dump = run(tmp_path, events)
    assert re.fullmatch(r"pieprof: PIEPROF_EVENTS: .* is not counted: .*\n", stderr)
    assert number(dump, "samples") > 50 and 'trigger="papi' not in dump and "COUNTER" not in dump
