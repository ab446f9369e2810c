"""Libraries a program brings along, and runs of several processes: how their accesses, names and ends are told."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import whole

sys.path.insert(0, str(whole.ROOT / "tests/tools"))
import make_db  # noqa: E402

KERNELS = """
#include <stddef.h>
struct big { int pad[2048]; int status; };
static __thread struct big local;
void store_thread_local(double *buffer, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *(volatile int *)&local.status = 7;
}
void store_buffer(double *buffer, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile double *)buffer)[i % 100000] = 7;
}
"""
CALLER = """
import ctypes, sys
kernel = getattr(ctypes.CDLL("./libkernels.so"), sys.argv[1])
kernel.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
buffer = (ctypes.c_double * 100000)()
for _ in range(500):
    kernel(ctypes.addressof(buffer), 2000000)
"""
POOL = """
import multiprocessing, time
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(time.sleep, [0.2] * 4)
"""


def profile(directory, *command, **changes):
    database = directory / "out.db"
    changes = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database), "PIEPROF_RATE": "500", **changes}
    done = whole.execute(command, env=whole.environment(**changes), cwd=directory)
    assert done.returncode == 0, done.stderr
    return database


def dump(database):
    return whole.execute([whole.REPORT, "dump", database]).stdout


@pytest.fixture
def kernels(tmp_path):
    (tmp_path / "kernels.c").write_text(KERNELS)
    (tmp_path / "caller.py").write_text(CALLER)
    build = [os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", "libkernels.so", "kernels.c"]
    subprocess.run(build, cwd=tmp_path, check=True)
    return lambda name: profile(tmp_path, whole.PYTHON, "caller.py", name, PIEPROF_BUDGET="50")


def object_pairs(database):
    """Pairs on objects whose first access was in the library."""
    text = dump(database)
    low, high = re.search(r"^MODULE .* low=(\w+) high=(\w+) .*libkernels", text, re.MULTILINE).groups()
    inside = {
        node for node, address in re.findall(r"^NODE 1\.(\d+) .*\baccess value=(\w+)", text, re.MULTILINE)
        if int(low, 16) <= int(address, 16) < int(high, 16)
    }
    firsts = re.findall(r"^PAIR .* first=(\d+):.*class=object", text, re.MULTILINE)
    return [first for first in firsts if first in inside]


def test_thread_local_data_is_no_object(kernels):
    assert not object_pairs(kernels("store_thread_local"))


def test_a_library_loaded_by_a_relative_path_has_symbols(kernels):
    database = kernels("store_buffer")
    library = database.parent / "libkernels.so"
    assert object_pairs(database)
    assert f'path="{library}"' in dump(database)
    assert "store_buffer [libkernels]" in whole.read_report(database)
    library.unlink()
    assert f"{library}: not on this machine" in " ".join(whole.read_report(database).split())


def test_the_end_of_a_run_is_that_of_its_first_process(tmp_path):
    (tmp_path / "pool.py").write_text(POOL)
    head = whole.read_report(profile(tmp_path, whole.PYTHON, "pool.py")).splitlines()[1]
    assert re.match(r"[\d.]+ m?s, \d processes \(\d ended without notice\), CPython", head), head


def test_an_old_python_is_said_to_be_unsupported(tmp_path):
    old = Path.home() / ".pyenv/versions/2.7.18/bin/python2.7"
    if not old.exists():
        pytest.skip(f"{old} is missing")
    done = whole.execute([old, "-c", "print(1)"], env=whole.environment(LD_PRELOAD=str(whole.SHIM)), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "this version of Python is not supported" in done.stderr


@pytest.mark.parametrize("gap_first", [True, False])
def test_a_gap_is_shown_and_what_lies_behind_it_is_no_entry(tmp_path, gap_first):
    database = make_db.golden_small()
    process = database.processes[0]
    process.module("./nothing.so", 0x7E0000000000, 0x7E0000001000)
    code = process.code("kernel_caller", "/nowhere/train.py")
    above = process.frame(process.root(), code)
    for frame in (make_db.GAP, make_db.NATIVE) if gap_first else (make_db.NATIVE, make_db.GAP):
        above = process.node(above, frame, 0x7E0000000200 if frame == make_db.NATIVE else 0)
    leaf = process.node(above, make_db.NATIVE, 0x7E0000000400)
    process.pair(leaf, leaf, accesses=(make_db.STORE, make_db.STORE), flags=1, count=5000)
    database.write(tmp_path / "gap.db")
    text = " ".join(whole.read_report(tmp_path / "gap.db").split())
    assert "kernel_caller > ... > [nothing]" in text
    assert "/nowhere/nothing.so: not on this machine" in text
