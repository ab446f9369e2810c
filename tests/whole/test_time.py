"""Seconds: all of a program's CPU time is told, by the right line, as the right kind."""
import json
import math
import textwrap
from pathlib import Path

import pytest
import whole

CLOCK = """
import sys, time
def during(name, seconds, step):
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        step()
    print(name, time.thread_time() - began)
"""


def profiled(directory, program, python=whole.PYTHON, **environment):
    """Runs `program` under the shim: what its clock measured by name, the report, and its lines by text."""
    path, database = directory / "program.py", directory / "out.db"
    path.write_text(CLOCK + textwrap.dedent(program))
    done = whole.execute(
        [python, path], cwd=directory,
        env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **environment),
    )
    assert done.returncode == 0, done.stderr
    measured = {name: float(seconds) for name, seconds in (line.split() for line in done.stdout.splitlines())}
    report = json.loads(whole.read_report(database, "--format", "json"))
    return measured, report, {line["text"].strip(): line for line in report["lines"] if line["text"]}


DEEP = """
    import random
    def expression(r, depth):
        kind = r.random()
        if depth == 0 or kind < .1: return r.random()
        return plus(r, depth) if kind < .4 else times(r, depth) if kind < .7 else minus(r, depth)
    def plus(r, depth): return expression(r, depth - 1) + expression(r, depth - 1)
    def times(r, depth):
        left = expression(r, depth - 1)
        return left * expression(r, depth - 1)
    def minus(r, depth): return -expression(r, depth - 1)
    r = random.Random(1)
    during("all", 4, lambda: expression(r, 25))
"""


@pytest.mark.parametrize("changes", [{}, {"PIEPROF_MAX_SIZE": "1M", "PIEPROF_RATE": "1000", "PIEPROF_BUDGET": "100"}],
                         ids=["default", "no-space"])
def test_ever_new_stacks_lose_no_time(tmp_path, changes):
    """Pure Python that calls no allocator for seconds, and makes a new stack at each sample: folded at worst, not lost."""
    measured, report, _ = profiled(tmp_path, DEEP, **changes)
    assert report["totals"]["time_s"]["total"] == pytest.approx(measured["all"], rel=0.1)
    if changes:
        assert report["run"]["health"]["dropped"]["file_full"] > 0
    else:
        assert report["run"]["health"]["dropped"]["no_reserve"] == 0


def test_lines_and_kinds(tmp_path):
    """A loop of the interpreter's own, one long native call, and many tiny ones whose arguments must be converted."""
    measured, report, lines = profiled(tmp_path, """
        import zlib
        text = bytes(range(256)) * 4000
        def own():
            total = 0
            for i in range(50000): total += i * i
        def long_call():
            zlib.compress(text, 6)
        import numpy as np
        one = np.ones(1)
        def tiny_calls():
            for i in range(1000): np.add(one, i, one)
        during("python", 1.5, own)
        during("native", 1.5, long_call)
        during("mixed", 1.5, tiny_calls)
        """)
    assert report["totals"]["time_s"]["total"] == pytest.approx(sum(measured.values()), rel=0.1, abs=0.2)
    own, long_call = lines["for i in range(50000): total += i * i"], lines["zlib.compress(text, 6)"]
    tiny = lines["for i in range(1000): np.add(one, i, one)"]
    assert own["time_s"] == pytest.approx(measured["python"], rel=0.1)
    assert own["python_s"] > 0.95 * own["time_s"]
    assert long_call["time_s"] == pytest.approx(measured["native"], rel=0.1)
    assert long_call["native_s"] > 0.95 * long_call["time_s"]
    assert tiny["time_s"] == pytest.approx(measured["mixed"], rel=0.1)
    assert tiny["boundary_s"] > 0.03 * tiny["time_s"] and tiny["native_s"] > 0.3 * tiny["time_s"]


def test_built_in_functions_over_python_objects_are_no_boundary(tmp_path):
    """They are reached by a call and then stay in the interpreter: the call that led there says nothing of the time."""
    measured, _, lines = profiled(tmp_path, """
        numbers = [float(i) for i in range(100000)]
        def add():
            return sum(numbers)
        def order():
            return sorted(numbers, key=abs)
        during("sum", 1, add)
        during("sorted", 1, order)
        """)
    for name, text in ("sum", "return sum(numbers)"), ("sorted", "return sorted(numbers, key=abs)"):
        assert lines[text]["time_s"] == pytest.approx(measured[name], rel=0.15)
        assert lines[text]["python_s"] > 0.8 * lines[text]["time_s"], lines[text]


def test_the_interpreters_own_time_is_no_contradiction(tmp_path):
    """A program that ends at once: all its time counts as Python's, none of it is a Python line's, and the page says why."""
    database = tmp_path / "out.db"
    environment = whole.environment(
        LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE="10000", PIEPROF_BUDGET="100")
    assert whole.execute([whole.PYTHON, "-c", "pass"], env=environment).returncode == 0
    totals = json.loads(whole.read_report(database, "--format", "json"))["totals"]
    assert totals["elsewhere_s"] > 0.5 * totals["time_s"]["total"] > 0 and totals["time_s"]["python"] > 0
    text = " ".join(whole.read_report(database).split())
    assert "outside every Python line:" in text and "the interpreter's own start and end, above among Python (" in text


SUB_INTERPRETERS = """
    import importlib, importlib.util
    name = "_interpreters" if importlib.util.find_spec("_interpreters") else "_xxsubinterpreters"
    interpreters = importlib.import_module(name)
    other = interpreters.create()
    code = "total = 0\\nfor i in range(8000000): total += i"
    def inside():
        interpreters.run_string(other, code)
    during("sub", 1, inside)
    """


@pytest.mark.parametrize("python", [whole.PYTHON, *whole.other_pythons()])
def test_a_sub_interpreter_is_no_boundary(tmp_path, python):
    """The module that runs it calls the interpreter at its own work: four fifths, beyond what chance explains (two standard deviations)."""
    measured, report, _ = profiled(tmp_path, SUB_INTERPRETERS, python=python)
    seconds, samples = report["totals"]["time_s"], report["run"]["health"]["samples"]
    assert seconds["total"] == pytest.approx(measured["sub"], rel=0.15, abs=0.1)
    assert samples >= 60
    assert seconds["python"] > (0.8 - 2 * math.sqrt(0.8 * 0.2 / samples)) * seconds["total"]


def test_greenlets_are_told_by_their_own_stacks(tmp_path):
    """Each has Python frames of its own, on a C stack whose outer part is another's."""
    interpreter = whole.INTERPRETERS["venv"]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    measured, report, lines = profiled(tmp_path, """
        import greenlet, zlib
        data, main = bytes(range(256)) * 4096, greenlet.getcurrent()
        def add():
            total = 0
            for i in range(20000):
                total += i
        def first():
            while True:
                during("python", 0.2, add)
                main.switch()
        def second():
            while True:
                during("native", 0.2, lambda: zlib.crc32(data))
                one.switch()
        one, two = greenlet.greenlet(first), greenlet.greenlet(second)
        for _ in range(5):
            two.switch()
        """, python=interpreter.command[0])
    added, summed = lines["total += i"], lines['during("native", 0.2, lambda: zlib.crc32(data))']
    loop = lines.get("for i in range(20000):", {"time_s": 0, "python_s": 0})
    assert added["time_s"] + loop["time_s"] == pytest.approx(1.0, rel=0.1)
    assert added["python_s"] + loop["python_s"] > 0.95 * (added["time_s"] + loop["time_s"])
    assert summed["native_s"] == pytest.approx(1.0, rel=0.1) and report["totals"]["time_s"]["boundary"] < 0.05
    assert report["run"]["health"]["dropped"]["merge_mismatch"] == 0
    measured, report, lines = profiled(tmp_path, """
        import greenlet
        def add():
            total = 0
            for i in range(20000):
                total += i
        greenlet.greenlet(lambda: during("python", 1, add)).switch()
        """, python=interpreter.command[0])
    assert report["totals"]["time_s"]["python"] > 0.95 * measured["python"]


def test_kernel_time_counts(tmp_path):
    """Pages of fresh buffers are faulted in by the kernel: where the clock sees only user code they would look free."""
    measured, report, lines = profiled(tmp_path, """
        import mmap
        def touch():
            with mmap.mmap(-1, 1 << 26) as memory:
                memory.write(bytes(1 << 26))
        during("faults", 2, touch)
        """)
    told = sum(line["time_s"] for text, line in lines.items() if "mmap.mmap" in text or "memory.write" in text)
    assert told == pytest.approx(measured["faults"], rel=0.15)
