"""Every CPython beside Debian's own: pyenv's, and the newer ones that `make deps` unpacks, with their NumPy."""
import json
import subprocess

import pytest

import whole

NEWER = whole.other_pythons(14)

CONSTRUCTED = """
class Padded:
    def __init__(self, count):
        self.data = bytes(range(256)) * count

def main():
    total = 0
    for i in range(300):
        total += len(Padded(400).data)
    print(total)

main()
"""

NUMPY = """
import numpy as np
rng = np.random.default_rng(0)
points, weights = rng.random((400, 300)), rng.random((300, 200))

class Layer:
    def __init__(self, size):
        self.weights = weights * size
    def __call__(self, inputs):
        return np.tanh(inputs @ self.weights)

def batches(count):
    for number in range(count):
        yield points * (number + 1)

total = 0.0
for batch in batches(180):
    total += float((points @ weights).sum())
    total += float(sum([Layer(1 / (1 + len(batch)))(batch + k) for k in range(3)]).sum())
    print(round(total, 3))
"""


ENDED = """
import weakref, zlib
data = bytes(range(256)) * 4000
references = []

class Held: pass

def compressed(reference):
    for i in range(4): zlib.compress(data)

def callback(reference):
    list(map(holding, [compressed]))

def holding(call):
    held = Held()
    references.append(weakref.ref(held, call))

for i in range(20):
    list(map(holding, [callback]))
print(len(references))
"""


FORKED = """
import os

def squares(count):
    total = 0
    for number in range(count): total += number * number
    return total

for child in range(2):
    if os.fork() == 0:
        squares(1500000)
        os._exit(0)
    os.wait()
"""


def profiled(directory, python, source):
    """What it prints is the same without the shim."""
    program, database = directory / "program.py", directory / "out.db"
    program.write_text(source)
    settings = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database), "PIEPROF_BUDGET": "100"}
    plain = whole.execute([python, program], cwd=directory)
    done = whole.execute([python, program], cwd=directory, env=whole.environment(**settings))
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    said = [line for line in done.stderr.splitlines() if not line.startswith("pieprof: the access engine is off")]
    assert said == plain.stderr.splitlines()
    return json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0")), database


@pytest.mark.parametrize("python", [whole.PYTHON, *whole.other_pythons()])
def test_a_class_is_called_alike_before_and_after_its_call_is_specialised(tmp_path, python):
    """From 3.13 on a frame of the interpreter's own comes between; it would be another way, and a file of the user's."""
    report, database = profiled(tmp_path, python, CONSTRUCTED)
    rows = subprocess.run([whole.REPORT, "dump", database], capture_output=True, text=True, check=True).stdout.splitlines()
    sites = [dict(word.split("=", 1) for word in row.split()[2:]) for row in rows if row.startswith("SITE ")]
    made = [int(site["births"]) for site in sites if 102400 <= int(site["bytes"]) < 102500]
    assert made == [300]
    (line,) = [line for line in report["lines"] if line["replicas"]["of_objects"] >= 299]
    assert (line["file"], line["line"], line["function"].split(".")[-1]) == (str(tmp_path / "program.py"), 4, "__init__")
    assert line["replicas"]["objects"] == 299
    assert not any("__init__" in line["file"] for line in report["lines"])


@pytest.mark.skipif(not NEWER, reason="no CPython 3.14 in .pythons: make deps")
@pytest.mark.parametrize("python", NEWER)
def test_numpy_on_newer_pythons(tmp_path, python):
    report, database = profiled(tmp_path, python, NUMPY)
    health = report["run"]["health"]
    findings = {(finding["line"], finding["category"]) for finding in report["findings"]}
    assert findings == {(18, "loop-invariant computation"), (8, "loop-invariant computation")}
    product = next(finding for finding in report["findings"] if finding["line"] == 18)
    assert "made 180 times, 179 times equal" in product["claim"] and "outside the loop at program.py:17" in product["advice"]
    assert health["samples"] > 20 and health["dropped"]["merge_mismatch"] == health["dropped"]["python_stack_fault"] == 0
    assert "program.py:18 <module> > " in whole.read_report(database)


@pytest.mark.parametrize("python", [whole.PYTHON, *whole.other_pythons()])
def test_what_an_ended_frame_frees_is_told_below_what_called_it(tmp_path, python):
    """holding() has returned, and its evaluation loop is about to: what its local held calls Python, within which that comes again."""
    report, database = profiled(tmp_path, python, ENDED)
    assert report["run"]["health"]["dropped"]["merge_mismatch"] == 0
    (line,) = [line for line in report["lines"] if line["function"] == "compressed"]
    assert line["samples"] > 20


@pytest.mark.parametrize("python", [whole.PYTHON, *whole.other_pythons()])
def test_a_forked_child_that_only_computes_is_there(tmp_path, python):
    """From 3.14 on nothing allocates behind fork()."""
    report, database = profiled(tmp_path, python, FORKED)
    rows = subprocess.run([whole.REPORT, "dump", database], capture_output=True, text=True, check=True).stdout.splitlines()
    processes = [dict(word.split("=", 1) for word in row.split(" arguments=")[0].split()[2:]) for row in rows if row.startswith("PROCESS ")]
    first, *children = processes
    assert [child["parent"] for child in children] == [first["pid"]] * 2
    computed_s = sum(line["time_s"] for line in report["lines"] if line["function"] == "squares")
    assert computed_s > 0.7 * sum(int(child["cpu_ns"]) for child in children) * 1e-9
