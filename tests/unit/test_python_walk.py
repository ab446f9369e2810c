"""The walk of the shim's stack part against what Python itself says, on every interpreter there is, and under a clock."""
import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HARNESS = ROOT / "tests/unit/stack_harness.c"
FLAGS = ("-std=gnu11 -O2 -g -D_GNU_SOURCE -fPIC -shared -fvisibility=hidden -ftls-model=initial-exec "
         "-fno-omit-frame-pointer -Wl,-z,defs").split()


def interpreters():
    found = {"system": os.environ.get("PIEPROF_PYTHON", "/usr/bin/python3")}
    for path in sorted(glob.glob(str(Path.home() / ".pyenv/versions/3.*/bin/python3"))):
        version = path.split("/versions/")[1].split("/")[0]
        if int(version.split(".")[1]) >= 8:
            found[version] = path
    for path in sorted((ROOT / ".pythons").glob("3.*/usr/bin/python3.*")):
        found[path.name.removeprefix("python")] = str(path)
    return found


INTERPRETERS = interpreters()
NATIVE_PARTIAL = 3  # in DB_DROPS

PRELUDE = """
import ctypes, json, os, sys
lib = ctypes.PyDLL(os.environ["STACK_HARNESS"])
lib.harness_chores()
buffer = ctypes.create_string_buffer(1 << 20)
results = []

def truth(frame):
    names = []
    while frame is not None:
        code = frame.f_code
        names.append([getattr(code, "co_qualname", code.co_name), frame.f_lineno, code.co_firstlineno])
        frame = frame.f_back
    return names[::-1]

def capture():
    frame = sys._getframe(); lib.harness_capture(buffer, len(buffer)); line = frame.f_lineno
    results.append([buffer.value.decode(), truth(frame), [f.f_lasti for f in chain(frame)], lib.harness_slot_found()])

def chain(frame):
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames[::-1]
"""

PROGRAM = PRELUDE + """
def recurse(n):
    capture() if n == 0 else recurse(n - 1)

def generator():
    yield capture()
    yield from inner_generator()

def inner_generator():
    yield capture()

class Key:
    def __init__(self, value): self.value = value
    def __lt__(self, other):
        capture()
        return self.value < other.value
    def __del__(self): capture()
    @property
    def attribute(self): return capture()

async def coroutine(n):
    if n: await coroutine(n - 1)
    else: capture()

class Made:  # specialised: from 3.13 on there is a frame between, which tracebacks leave out
    def __init__(self, is_last):
        if is_last: capture()

def makes():
    for i in range(200): Made(i >= 198)

def \u00e9t\u00e9_\u6f22(): capture()

def raises():
    try: 1 / 0
    except ZeroDivisionError: capture()

recurse(0)
recurse(40)
list(generator())
sorted([Key(2), Key(1)], key=lambda key: key)
Key(0).attribute
try: coroutine(3).send(None)
except StopIteration: pass
raises()
makes()
\u00e9t\u00e9_\u6f22()
list(map(lambda x: recurse(1), [1]))
exec("capture()")
sys.setrecursionlimit(5000)
recurse(900)
json.dump({"results": results, "drops": [lib.harness_drops(i) for i in range(6)]}, sys.stdout)
"""

DEEP = PRELUDE + """
def recurse(n):
    capture() if n == 0 else recurse(n - 1)
sys.setrecursionlimit(5000)
recurse(1500)
json.dump({"results": results, "truncated": lib.harness_drops(2)}, sys.stdout)
"""

BUSY = """
import json, re, time
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def numbers(n):
    for i in range(n): yield i
def work():
    fib(12)
    sum(numbers(300))
    json.loads(json.dumps({str(i): [i, str(i)] for i in numbers(100)}))
    re.sub("a+", lambda match: "b", "caat" * 50)
    sorted(range(100), key=lambda value: -value)
    for i in range(50):
        try: raise ValueError(i)
        except ValueError: pass
    eval("fib(5)")
end = time.process_time() + 2
while time.process_time() < end: work()
"""

NUMPY = """
import numpy, time, ctypes, os
ctypes.PyDLL(os.environ["STACK_HARNESS"]).harness_chores()
x = numpy.random.rand(300, 300)
def step(x):
    y = numpy.exp(x @ x / 300) + numpy.sort(x, axis=0)
    numpy.apply_along_axis(lambda row: row.sum(), 0, x[:, :40])
    return y / y.sum()
end = time.process_time() + 2
while time.process_time() < end: step(x)
"""


@pytest.fixture(scope="module")
def harness(tmp_path_factory):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    target = tmp_path_factory.mktemp("harness") / "harness.so"
    sources = [path for path in sorted((ROOT / "preload/stack").glob("*.c")) if path.name != "dlopen_hook.c"]
    subprocess.run(["gcc", *FLAGS, f"-I{ROOT}/include", f"-I{ROOT}/preload", "-o", target, HARNESS, *sources], check=True)
    return target


def run(harness, python, program, tmp_path, **more):
    script = tmp_path / "script.py"
    script.write_text(program)
    environment = dict(os.environ, LD_PRELOAD=str(harness), STACK_HARNESS=str(harness), OMP_NUM_THREADS="1",
                       OPENBLAS_NUM_THREADS="1", PYTHONIOENCODING="utf-8", **more)
    done = subprocess.run([python, script], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def python_frames(context):
    """(name, offset, first line) of each Python frame, root first."""
    return [line[2:].rsplit(" ", 2) for line in context.splitlines() if line.startswith("P ")]


@pytest.mark.parametrize("version", INTERPRETERS)
def test_walk_equals_python(harness, version, tmp_path):
    told = json.loads(run(harness, INTERPRETERS[version], PROGRAM, tmp_path))
    assert len(told["results"]) >= 14
    for context, truth, instructions, slot in told["results"]:
        frames = python_frames(context)
        assert [frame[0] for frame in frames] == [frame[0] for frame in truth], context
        assert [int(frame[2]) for frame in frames] == [frame[2] for frame in truth]
        callers = [int(frame[1]) for frame in frames[:-1]]
        assert all(abs(mine - theirs) <= 24 for mine, theirs in zip(callers, instructions[:-1]))
        assert context.startswith("R 1\n")
        assert "G 0" not in context
        natives_behind = context.rsplit("P capture", 1)[1]
        assert "N harness_capture" in natives_behind and "N ffi_call" in natives_behind
        assert slot == 1
    told["drops"][NATIVE_PARTIAL] = 0  # before 3.11 the deepest recursion has more native frames than are kept
    assert told["drops"] == [0] * 6


@pytest.mark.parametrize("version", INTERPRETERS)
def test_deep_stack_keeps_the_leaf(harness, version, tmp_path):
    told = json.loads(run(harness, INTERPRETERS[version], DEEP, tmp_path))
    context, truth, _, _ = told["results"][0]
    frames = python_frames(context)
    assert told["truncated"] == 1
    assert len(frames) == 1024
    assert [frame[0] for frame in frames] == [frame[0] for frame in truth][-1024:]
    assert context.rstrip().splitlines()[-1].startswith("N ")


def report(path):
    return {name: float(value) for name, value in (line.split() for line in path.read_text().splitlines())}


@pytest.mark.parametrize("version", INTERPRETERS)
def test_under_a_clock(harness, version, tmp_path):
    figures = tmp_path / "report"
    run(harness, INTERPRETERS[version], BUSY, tmp_path, STACK_HARNESS_HZ="1000", STACK_HARNESS_REPORT=str(figures))
    told = report(figures)
    print(version, told)
    assert told["captures"] > 100
    lost = sum(told.get(name, 0) for name in ("python_stack_fault", "merge_mismatch", "native_stack_partial"))
    assert lost <= 0.03 * told["captures"], told


def test_numpy_slots_and_cost(harness, tmp_path):
    figures = tmp_path / "report"
    python = INTERPRETERS["system"]
    if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode != 0:
        pytest.skip("no numpy")
    run(harness, python, NUMPY, tmp_path, STACK_HARNESS_HZ="250", STACK_HARNESS_REPORT=str(figures))
    told = report(figures)
    print(told)
    assert told["slots_found"] >= 0.98 * told["slots_asked"] > 50
    assert told["capture_us"] < 100
