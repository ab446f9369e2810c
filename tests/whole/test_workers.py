"""Time of threads without Python belongs to the Python line that launched their work."""
import json
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
import whole

HERE = Path(__file__).resolve().parent
CLANG = shutil.which("clang")
LLVM_OPENMP = subprocess.run(
    ["sh", "-c", "echo 'int main(void){return 0;}' | clang -fopenmp -x c -o /dev/null -"], capture_output=True,
).returncode == 0

PRELUDE = """
import array, ctypes, sys
kernels = ctypes.CDLL(sys.argv[1])
arguments = [ctypes.c_void_p, ctypes.c_long, ctypes.c_int]
for name, result in ("region", ctypes.c_double), ("nested", ctypes.c_double), ("joined", ctypes.c_int), ("leave", ctypes.c_int):
    getattr(kernels, name).argtypes, getattr(kernels, name).restype = arguments, result
count = 100000
values = array.array("d", [1.0]) * count
place = values.buffer_info()[0]
"""


def build(directory, compiler="gcc", schedule="static", openmp="-fopenmp", link=()):
    library = directory / f"kernels-{compiler}-{schedule}.so"
    flags = ["-O1", "-g", "-Wall", "-fPIC", "-shared", f"-DSCHEDULE={schedule}", openmp]
    subprocess.run([compiler, *flags, "-o", library, HERE / "worker_kernels.c", *link, "-lm", "-lpthread"], check=True)
    return library


def run(directory, program, *arguments, interpreter=whole.INTERPRETERS["debian"], profiled=True, **changes):
    """The program's output; when profiled its report, too, and that report's lines by text."""
    path, database = directory / "program.py", directory / "out.db"
    path.write_text(textwrap.dedent(program))
    shim = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database)} if profiled else {}
    done = whole.execute(
        [*interpreter.command, path, *arguments], cwd=directory,
        env=whole.environment(interpreter, **{"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", **changes, **shim}),
    )
    assert done.returncode == 0, done.stderr
    if not profiled:
        return done.stdout
    report = json.loads(whole.read_report(database, "--format", "json"))
    lines = {line["text"].strip(): line for line in report["lines"] if line["text"]}
    return done.stdout, report, lines


def compilers():
    lacks = pytest.mark.skipif(not LLVM_OPENMP, reason="clang -fopenmp does not link: no libomp-dev")
    rows = [("gcc", name) for name in ("static", "dynamic", "guided", "runtime")]
    return [*rows, pytest.param("clang", "static", marks=lacks), pytest.param("clang", "dynamic", marks=lacks)]


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.skipif(
    not LLVM_OPENMP, reason="clang -fopenmp does not link: no libomp-dev"))])
def test_two_launchers_at_once(tmp_path, compiler):
    """Two to one, at the same time: each line gets the worker that served it, and a third call what it launches alone."""
    program = PRELUDE + """
import threading
for _ in range(2):  # each leaves its worker to the pool, which gives it to others
    first = threading.Thread(target=kernels.region, args=(place, count, 1))
    first.start()
    kernels.nested(place, count, 1)
    first.join()
other = array.array("d", [1.0]) * count
elsewhere = other.buffer_info()[0]
start = threading.Barrier(2)
def twice():
    start.wait()
    for i in range(12): kernels.region(place, count, 20)
def once():
    start.wait()
    for i in range(12): kernels.region(elsewhere, count, 10)
threads = [threading.Thread(target=one) for one in (twice, once)]
for one in threads: one.start()
for one in threads: one.join()
alone = kernels.region(place, count, 60)
"""
    library = build(tmp_path, compiler)
    _, report, lines = run(tmp_path, program, library, KMP_BLOCKTIME="0", OMP_WAIT_POLICY="passive",
                                 OMP_MAX_ACTIVE_LEVELS="2")
    twice = lines["for i in range(12): kernels.region(place, count, 20)"]
    once = lines["for i in range(12): kernels.region(elsewhere, count, 10)"]
    for line in twice, once, lines["alone = kernels.region(place, count, 60)"]:
        assert 0.35 < line["worker_s"] / line["time_s"] < 0.65
    assert twice["time_s"] / once["time_s"] == pytest.approx(2, rel=0.25)
    assert report["totals"]["elsewhere_s"] < 0.1 * report["totals"]["time_s"]["total"]


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.skipif(
    not LLVM_OPENMP, reason="clang -fopenmp does not link: no libomp-dev"))])
def test_a_region_at_the_end_of_a_region(tmp_path, compiler):
    program = PRELUDE + """
kernels.nested_last.argtypes = arguments
kernels.nested_last(place, count, 60)
print(sum(values))
"""
    library = build(tmp_path, compiler)
    changes = {"OMP_MAX_ACTIVE_LEVELS": "2", "OMP_WAIT_POLICY": "passive"}
    printed, _, lines = run(tmp_path, program, library, **changes)
    assert printed == run(tmp_path, program, library, profiled=False, **changes)
    line = lines["kernels.nested_last(place, count, 60)"]
    assert 0.6 < line["worker_s"] / line["time_s"] < 0.9


@pytest.mark.parametrize("compiler, schedule", compilers())
def test_openmp_is_told_at_the_lines_that_launched_it(tmp_path, compiler, schedule):
    """Three to one, and half of each on the other thread; the same result as without the shim."""
    program = PRELUDE + """
for i in range(6):
    first = kernels.region(place, count, 30)
    second = kernels.region(place, count, 10)
print(second)
"""
    library = build(tmp_path, compiler, schedule)
    printed, report, lines = run(tmp_path, program, library)
    if schedule == "static":
        assert printed == run(tmp_path, program, library, profiled=False)
    first, second = lines["first = kernels.region(place, count, 30)"], lines["second = kernels.region(place, count, 10)"]
    total = report["totals"]["time_s"]["total"]
    assert first["time_s"] + second["time_s"] > 0.93 * total
    assert first["time_s"] / second["time_s"] == pytest.approx(3, rel=0.25)
    for line in first, second:
        assert 0.35 < line["worker_s"] / line["time_s"] < 0.65
    assert report["totals"]["workers"]["at_lines_s"] == pytest.approx(first["worker_s"] + second["worker_s"], abs=0.01)
    assert report["totals"]["workers"]["adopted_s"] == 0


def test_waiting_workers_belong_to_nobody(tmp_path):
    """Told to spin between regions, a worker does nothing for the lines that run meanwhile."""
    program = PRELUDE + """
def alone(total=0):
    for i in range(3000000): total += i
kernels.region(place, count, 1)
alone()
"""
    _, report, lines = run(tmp_path, program, build(tmp_path), OMP_WAIT_POLICY="active")
    own = lines["for i in range(3000000): total += i"]
    assert own["worker_s"] == 0
    workers = report["totals"]["workers"]
    assert workers["waiting_s"] > 0.3 * own["time_s"]
    assert workers["waiting_s"] <= report["totals"]["elsewhere_s"]
    assert "workers that wait" in " ".join(whole.read_report(tmp_path / "out.db").split())


def test_nested_regions(tmp_path):
    """The workers of a worker, too, work for the Python line."""
    program = PRELUDE + """
for i in range(8):
    kernels.nested(place, count, 20)
"""
    _, report, lines = run(tmp_path, program, build(tmp_path), OMP_MAX_ACTIVE_LEVELS="2")
    line = lines["kernels.nested(place, count, 20)"]
    assert line["time_s"] > 0.93 * report["totals"]["time_s"]["total"]
    assert line["worker_s"] > 0.6 * line["time_s"]


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.skipif(
    not LLVM_OPENMP, reason="clang -fopenmp does not link: no libomp-dev"))])
def test_variables_arrive(tmp_path, compiler):
    """LLVM passes a region's variables as arguments, as many as there are."""
    program = PRELUDE + """
kernels.many_variables.argtypes, kernels.many_variables.restype = [ctypes.c_long] * 8, ctypes.c_long
print(kernels.many_variables(*range(1, 9)), kernels.members())
"""
    printed, _, _ = run(tmp_path, program, build(tmp_path, compiler))
    assert printed.split() == [str(2 * 87654321), "2"]


def renamed_openmp(directory, name):
    """A copy of GNU's OpenMP library under another name of the same length, as wheels bring theirs."""
    found = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True)
    data = Path(found.stdout.strip()).resolve().read_bytes()
    assert len(name) == len("libgomp.so.1")
    copy = directory / name
    copy.write_bytes(data.replace(b"libgomp.so.1\0", name.encode() + b"\0"))
    return copy


@pytest.mark.parametrize("order", ["local", "global", "global-last"])
def test_each_caller_reaches_its_own_copy(tmp_path, order):
    """Two copies of one OpenMP library, each with a user that asks it for its thread's number."""
    libraries = []
    for name in "libgomp-A.so", "libgomp-B.so":
        copy = renamed_openmp(tmp_path, name)
        user = tmp_path / f"user-{name}"
        subprocess.run(["gcc", "-O1", "-fPIC", "-fopenmp", "-DSCHEDULE=static", "-c", "-o", f"{user}.o",
                        HERE / "worker_kernels.c"], check=True)
        subprocess.run(["gcc", "-shared", "-o", user, f"{user}.o", copy, f"-Wl,-rpath,{tmp_path}", "-lm", "-lpthread"], check=True)
        libraries.append(user)
    program = """
        import ctypes, sys
        mode = {"local": (0, 0), "global": (ctypes.RTLD_GLOBAL, 0), "global-last": (0, ctypes.RTLD_GLOBAL)}[sys.argv[3]]
        users = [ctypes.CDLL(path, mode=how) for path, how in zip(sys.argv[1:3], mode)]
        maps = open("/proc/self/maps").read()
        print([user.members() for user in users], [user.members() for user in users], "libgomp-A" in maps, "libgomp-B" in maps)
        """
    printed, _, _ = run(tmp_path, program, *libraries, order)
    assert printed == "[2, 2] [2, 2] True True\n"


def test_threads_of_a_call(tmp_path):
    """Started and joined within a native call they work for its line; one that outlives it does not work for the next."""
    program = PRELUDE + """
for i in range(4):
    kernels.joined(place, count, 20)
def alone(total=0):
    for i in range(3000000): total += i
kernels.leave(place, count, 60)
alone()
kernels.wait_for_it()
"""
    _, report, lines = run(tmp_path, program, build(tmp_path))
    line = lines["kernels.joined(place, count, 20)"]
    assert line["worker_s"] > 0.9 * line["time_s"] > 0.5
    assert lines["for i in range(3000000): total += i"]["worker_s"] == 0
    assert report["totals"]["elsewhere_s"] > 0.2
    assert report["run"]["health"]["dropped"]["no_python_state"] > 0
    assert report["totals"]["workers"]["at_lines_s"] == pytest.approx(line["worker_s"], abs=0.1)


def test_a_child_forked_within_a_region(tmp_path):
    """It has no region, and no workers: its own come when it launches one (LLVM's runtime can; GNU's hangs without the shim)."""
    if not LLVM_OPENMP:
        pytest.skip("clang -fopenmp does not link: no libomp-dev")
    program = PRELUDE + """
import os
kernels.region(place, count, 5)
child = os.fork()
total = kernels.region(place, count, 30)
if child == 0:
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    printed, report, lines = run(tmp_path, program, build(tmp_path, "clang"))
    assert printed == "0\n"
    assert len(report["run"]["processes"]) == 2
    line = lines["total = kernels.region(place, count, 30)"]
    assert line["worker_s"] > 0.3 * line["time_s"]


NUMPY = """
    import threading, time
    import numpy as np
    for _ in range({idle}):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    a, b = np.random.rand(700, 700), np.random.rand(700, 700)
    def alone(total=0):
        for i in range(200000): total += i
    for step in range(40):
        c = a @ b
        alone()
    print(float(c[0, 0]) > 0)
    """


@pytest.mark.parametrize("name, idle", [("debian", 0), ("debian", 2), ("venv", 0), ("venv", 2)])
def test_openblas(tmp_path, name, idle):
    """The pool serves whoever calls: the only thread with Python, or the only one of them that ran of late.

    Half of the product's samples are the worker's. At the default rate there are some 50, and a tenth more is chance; so there are 600."""
    interpreter = whole.INTERPRETERS[name]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    if name == "debian" and "pthread" not in str(next(Path("/usr/lib").glob("*/libblas.so.3"), Path()).resolve()):
        pytest.skip("Debian's BLAS here has no pool of its own")
    printed, report, lines = run(tmp_path, NUMPY.format(idle=idle), interpreter=interpreter, PIEPROF_RATE="1000", PIEPROF_BUDGET="100")
    assert printed == "True\n"
    product = lines["c = a @ b"]
    assert 0.3 < product["worker_s"] / product["time_s"] < 0.6
    assert lines["for i in range(200000): total += i"]["worker_s"] == 0
    workers = report["totals"]["workers"]
    assert workers["adopted_s"] == workers["at_lines_s"] == pytest.approx(product["worker_s"], abs=0.01)
    assert report["totals"]["elsewhere_s"] - workers["waiting_s"] < 0.1 * report["totals"]["time_s"]["total"]


TORCH = """
    import torch
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.Sigmoid(), torch.nn.Linear(512, 512))
    data = torch.rand(1024, 512)
    for step in range(40):
        out = net(data).exp().sum()
        out.backward()
    print(torch.get_num_threads())
    """


@pytest.mark.parametrize("name", ["debian", "venv"])
def test_torch(tmp_path, name):
    """Forward and backward run on both threads; backward, too, in the thread that called it."""
    interpreter = whole.INTERPRETERS[name]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    printed, report, lines = run(tmp_path, TORCH, interpreter=interpreter, OMP_WAIT_POLICY="passive")
    assert printed == "2\n"
    forward, backward = lines["out = net(data).exp().sum()"], lines["out.backward()"]
    for line in forward, backward:
        assert 0.3 < line["worker_s"] / line["time_s"] < 0.6
    assert report["totals"]["phases"]["backward"]["time_s"] > 0.8 * backward["time_s"]


def test_torch_and_sklearn_bring_two_copies(tmp_path):
    """Of libgomp, under two names; whichever comes first, both compute what they compute without the shim."""
    interpreter = whole.INTERPRETERS["venv"]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    program = """
        import sys
        for name in sys.argv[1:]: __import__(name)
        import numpy as np, torch
        from sklearn.ensemble import HistGradientBoostingRegressor
        random = np.random.default_rng(0)
        x = random.random((4000, 10)); y = x[:, 0] * 3 + x[:, 1]
        for i in range(3):
            model = HistGradientBoostingRegressor(max_iter=30, random_state=0).fit(x, y)
            total = torch.arange(400000, dtype=torch.float64).sqrt().sum()
        print(model.predict(x[:3]).round(6).tolist(), round(float(total), 3))
        """
    for order in ("sklearn.ensemble", "torch"), ("torch", "sklearn.ensemble"):
        plain = run(tmp_path, program, *order, interpreter=interpreter, profiled=False, OMP_WAIT_POLICY="passive")
        printed, report, _ = run(tmp_path, program, *order, interpreter=interpreter, OMP_WAIT_POLICY="passive")
        assert printed == plain
        assert report["totals"]["workers"]["at_lines_s"] > 0


def test_a_thread_pool_of_python(tmp_path):
    """Threads whose frames are the pool's alone work for the line that started them; others for the lines they run."""
    _, report, lines = run(tmp_path, """
        import hashlib
        from concurrent.futures import ThreadPoolExecutor
        blocks = [bytes(1 << 22)] * 300
        def own(block):
            return hashlib.sha256(block).digest()
        with ThreadPoolExecutor(2) as pool:
            first = list(pool.map(hashlib.sha256, blocks))
        with ThreadPoolExecutor(2) as pool:
            second = list(pool.map(own, blocks))
        """)
    direct, mapped = lines["first = list(pool.map(hashlib.sha256, blocks))"], lines["return hashlib.sha256(block).digest()"]
    assert direct["worker_s"] > 0.9 * direct["time_s"] > 0.2
    assert mapped["worker_s"] == 0 and mapped["time_s"] == pytest.approx(direct["time_s"], rel=0.4)
    assert report["totals"]["workers"]["adopted_s"] == pytest.approx(direct["worker_s"], abs=0.05)


ACCESSES = PRELUDE + """
for name in "store_same", "store_new":
    getattr(kernels, name).argtypes = arguments
kernels.exchange.argtypes, kernels.exchange.restype = arguments, ctypes.c_double
few = 20000
"""


def accesses(directory, program):
    """With budget enough, and a worker that sleeps while it waits, so that its time is that of its stores."""
    return run(directory, ACCESSES + program, build(directory), OMP_WAIT_POLICY="passive", PIEPROF_BUDGET="40", PIEPROF_RATE="1000")


def test_accesses_of_workers_are_followed(tmp_path):
    """All that these lines store is stored by the worker."""
    _, report, lines = accesses(tmp_path, """
for i in range(80):
    kernels.store_same(place, few, 200)
for i in range(80):
    kernels.store_new(place, few, 200)
""")
    same, new = lines["kernels.store_same(place, few, 200)"], lines["kernels.store_new(place, few, 200)"]
    assert same["redundant_stores"]["pairs"] > 30 and new["redundant_stores"]["pairs"] > 30
    assert same["redundant_stores"]["fraction"] > 0.9
    assert new["redundant_stores"]["fraction"] < 0.1
    assert any(
        pair["second"]["thread"] == "worker" and pair["second"]["line"] == same["line"]
        for pair in report["pairs"] if pair["verdict"] == "redundant_store"
    )
    assert report["run"]["health"]["dropped"]["no_return_slot"] == 0


def test_what_another_thread_could_change_is_unproved(tmp_path):
    """Each thread stores again what only the other has loaded: to a watch on one thread that looks dead."""
    _, report, lines = accesses(tmp_path, """
for i in range(100):
    kernels.exchange(place, few, 100)
""")
    line = lines["kernels.exchange(place, few, 100)"]
    assert line["dead_stores"]["unproved"] > 20
    assert line["dead_stores"]["pairs"] < 0.1 * line["dead_stores"]["unproved"]
    assert not [finding for finding in report["findings"] if finding["kind"] == "dead_store"]


def test_what_a_thread_that_is_gone_could_change_is_unproved(tmp_path):
    """It began behind the one access and had ended before the other."""
    _, report, lines = accesses(tmp_path, """
kernels.load_elsewhere.argtypes = arguments
for i in range(20000):
    kernels.load_elsewhere(place, few, 1)
""")
    line = lines["kernels.load_elsewhere(place, few, 1)"]
    assert line["dead_stores"]["unproved"] > 20
    assert line["dead_stores"]["pairs"] < 0.1 * line["dead_stores"]["unproved"]
