"""Whose memory becomes objects: C++, NumPy's, PyTorch's, mapped memory; and other allocators beside the shim."""
import glob
import json
import re
import subprocess

import pytest

import whole

CPLUSPLUS = """
#include <vector>
#include <sys/mman.h>
extern "C" double sum_vector(int count)
{
    std::vector<double> values(count);
    for (int i = 0; i < count; i++)
        values[i] = i * 0.5;
    double sum = 0;
    for (double value : values)
        sum += value;
    return sum;
}
static std::vector<double> *kept;
extern "C" void keep_vector(int count)
{
    kept = new std::vector<double>();
    for (int i = 0; i < count; i++)
        kept->push_back(i);
}
extern "C" void drop_vector() { delete kept; }
static double *mapped;
extern "C" void map_buffer(size_t count)
{
    mapped = (double *)mmap(nullptr, count * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < count; i++)
        mapped[i] = i;
}
extern "C" void unmap_buffer(size_t count) { munmap(mapped, count * 8); }
"""

# Name: what comes before the loop, what is in it, the size that is asked for there, and what is counted; None: nothing is.
LIBRARY = """
import ctypes
library = ctypes.CDLL("./library.so")
library.map_buffer.argtypes = library.unmap_buffer.argtypes = [ctypes.c_size_t]
"""
PROGRAMS = {
    "vector in a call": (LIBRARY, "library.sum_vector(20000)", 160000, {"births": 20, "workspaces": 20}),
    "vector that lives on": (LIBRARY, "library.keep_vector(20000); library.drop_vector()", 131072 * 2, {"births": 20, "replicas": 19}),
    "mapped memory": (LIBRARY, "library.map_buffer(20000); library.unmap_buffer(20000)", 160000, {"births": 20, "replicas": 19}),
    "numpy array": ("import numpy as np", "array = np.arange(20000.0)", 160000, {"births": 20, "replicas": 19}),
    "zeroed numpy array": ("import numpy as np", "array = np.zeros(20000)", 160000, {"births": 20, "zero": 20}),
    "torch tensor": ("import torch\ndata = torch.arange(40000.0)", "tensor = data * 0.5", 160000, {"births": 20, "replicas": 19}),
    "large bytes": ("head = bytes(range(250)) * 1200", "text = head + b'x'", 300034, {"births": 20, "replicas": 19}),
    "python's mmap": (
        "import mmap\ntext = bytes(range(250)) * 640",
        "m = mmap.mmap(-1, 160000, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS); m[:] = text; m.close()",
        160000,
        {"births": 20, "replicas": 19},
    ),
    "python's shared mmap": ("import mmap", "m = mmap.mmap(-1, 160000); m[:5] = b'hello'; m.close()", 160000, None),
}
TRAINING = """
import numpy as np, torch
rng = np.random.default_rng(3)
torch.manual_seed(1)
weights = rng.normal(size=(128, 128)); x = rng.normal(size=(64, 128))
model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters())
data = torch.randn(64, 128); target = data.argmax(1) % 10
for step in range(60):
    scaled = x * 0.5  # A
    weights -= 0.001 * (x.T @ (np.tanh(scaled @ weights) - 0.5))
    wide = data * 2.0  # B
    loss = torch.nn.functional.cross_entropy(model(wide), target)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
print("%.9f %.9f" % (weights.sum(), loss.item()))
"""
ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2*"}


def busiest_site(database, size_bytes):
    """The counts of the site of that size with most births, {} when there is none."""
    most = {}
    for fields in re.findall(r"^SITE \S+ (.*)$", whole.execute([whole.REPORT, "dump", database]).stdout, re.M):
        site = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", fields)}
        if site["bytes"] == size_bytes and site["births"] > most.get("births", 0):
            most = site
    return most


def profile(directory, interpreter, source, preload=str(whole.SHIM)):
    path = directory / "program.py"
    path.write_text(source)
    changes = {"LD_PRELOAD": preload, "PIEPROF_OUT": str(directory / "out.db")}
    done = whole.execute([*interpreter.command, path], env=whole.environment(interpreter, **changes), cwd=directory)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    directory = tmp_path_factory.mktemp("library")
    (directory / "library.cpp").write_text(CPLUSPLUS)
    build = ["g++", "-O1", "-shared", "-fPIC", "-o", "library.so", "library.cpp"]
    subprocess.run(build, cwd=directory, check=True)
    return directory


@pytest.mark.parametrize("interpreter", ["debian", "venv"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_becomes_objects(library, interpreter, name):
    interpreter = whole.INTERPRETERS[interpreter]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    head, line, size_bytes, expected = PROGRAMS[name]
    # With a birth between: alone in its loop, a call that CPython specialises in the second round looks like two of one round.
    done = profile(library, interpreter, f"{head}\nfor step in range(20):\n    bytes(70000)\n    {line}\n")
    assert (done.stdout, done.stderr) == ("", "")
    found = busiest_site(library / "out.db", size_bytes)
    if expected is None:
        assert found == {}
        return
    assert {key: found.get(key) for key in expected} == expected, found


def find_allocator(name):
    found = sorted(glob.glob(f"/usr/lib/*/{ALLOCATORS[name]}") + glob.glob(f"/usr/lib/{ALLOCATORS[name]}"))
    if not found:
        pytest.skip(f"{name} is not installed")
    return found[0]


def marks_of(directory):
    """What the report counts on the marked lines."""
    report = json.loads(whole.read_report(directory / "out.db", "--format", "json"))
    text = (directory / "program.py").read_text().splitlines()
    numbers = {number: line[-1] for number, line in enumerate(text, 1) if line[:-1].endswith("# ")}
    own = [line for line in report["lines"] if line["file"] == str(directory / "program.py") and line["line"] in numbers]
    return report, {numbers[line["line"]]: line["replicas"]["objects"] for line in own if line["replicas"]}


@pytest.mark.parametrize("interpreter", ["debian", "venv"])
@pytest.mark.parametrize("name", ALLOCATORS)
def test_an_allocator_behind_the_shim(tmp_path, name, interpreter):
    interpreter = whole.INTERPRETERS[interpreter]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    path = find_allocator(name)
    plain = profile(tmp_path, interpreter, TRAINING, path)
    done = profile(tmp_path, interpreter, TRAINING, f"{whole.SHIM}:{path}")
    assert (done.stdout, done.stderr) == (plain.stdout, plain.stderr)
    report, marks = marks_of(tmp_path)
    assert report["run"]["engines"]["replica"]["on"]
    assert marks == {"A": 59, "B": 59}


@pytest.mark.parametrize("name", ALLOCATORS)
def test_an_allocator_before_the_shim(tmp_path, name):
    """What it serves never comes by: the engine says so rather than find nothing, and the program runs as it does."""
    path = find_allocator(name)
    interpreter = whole.INTERPRETERS["debian"]
    plain = profile(tmp_path, interpreter, TRAINING, path)
    done = profile(tmp_path, interpreter, TRAINING, f"{path}:{whole.SHIM}")
    assert done.stdout == plain.stdout
    why = f"the malloc of {path.rsplit('/', 1)[1]} hides what is allocated: name libpieprof.so before it in LD_PRELOAD"
    assert done.stderr == f"pieprof: the replica engine is off: {why}\n"
    report, _ = marks_of(tmp_path)
    assert report["run"]["engines"]["replica"] == {"on": False, "why_off": why, "object_min_bytes": 1024}
    assert report["run"]["engines"]["time"]["on"]


def test_the_launcher_puts_the_shim_before_an_allocator(tmp_path):
    path = find_allocator("jemalloc")
    (tmp_path / "program.py").write_text(TRAINING)
    command = [whole.LAUNCHER, "--", whole.PYTHON, tmp_path / "program.py"]
    done = whole.execute(command, env=whole.environment(LD_PRELOAD=path), cwd=tmp_path)
    assert done.returncode == 0 and marks_of(tmp_path)[1] == {"A": 59, "B": 59}


# Initialised before the shim, as it stands behind it; with blocks of every function that outlive that time.
EARLY = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { KINDS = 9, BYTES = 5000 };
static char *blocks[KINDS], *mapped;
__attribute__((constructor)) static void begin(void)
{
    blocks[0] = malloc(BYTES);
    blocks[1] = calloc(1, BYTES);
    blocks[2] = realloc(malloc(10), BYTES);
    blocks[3] = reallocarray(NULL, 5, BYTES / 5);
    blocks[4] = memalign(64, BYTES);
    blocks[5] = aligned_alloc(64, 5120);
    blocks[6] = valloc(BYTES);
    blocks[7] = memalign(4096, BYTES); /* not pvalloc: jemalloc has none, and libc's is not its own */
    if (posix_memalign((void **)&blocks[8], 256, BYTES) != 0)
        abort();
    mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped = mremap(mapped, 8192, 16384, MREMAP_MAYMOVE);
    memset(mapped, 7, 16384);
    for (int i = 0; i < KINDS; i++)
        memset(blocks[i], i, BYTES);
}
/* Frees them by every way there is; a way that libc lacks is the shim's own. */
int end(void)
{
    void (*free_sized)(void *, size_t) = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, "free_sized");
    int good = mapped[16383] == 7 && munmap(mapped, 16384) == 0;
    for (int i = 0; i < KINDS; i++) {
        blocks[i] = realloc(blocks[i], 2 * BYTES);
        good += blocks[i][BYTES - 1] == i;
        if (i % 2 && free_sized)
            free_sized(blocks[i], 2 * BYTES);
        else
            free(blocks[i]);
    }
    return good;
}
"""
ENDS = """
import ctypes
print(ctypes.CDLL("./early.so").end())
for name in ("malloc", "calloc", "no_such_function"):
    print(hasattr(ctypes.CDLL(None), name))
"""


@pytest.mark.parametrize("allocator", [None, *ALLOCATORS])
def test_calls_before_the_shim_has_started(tmp_path, allocator):
    (tmp_path / "early.c").write_text(EARLY)
    subprocess.run(["gcc", "-w", "-O1", "-shared", "-fPIC", "-o", "early.so", "early.c"], cwd=tmp_path, check=True)
    libraries = f"{tmp_path}/early.so" + (f":{find_allocator(allocator)}" if allocator else "")
    plain = profile(tmp_path, whole.INTERPRETERS["debian"], ENDS, libraries)
    done = profile(tmp_path, whole.INTERPRETERS["debian"], ENDS, f"{whole.SHIM}:{libraries}")
    assert plain.stdout == done.stdout == "10\nTrue\nTrue\nFalse\n"
    assert done.stderr == ""


HANDLER = """
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
static volatile long mapped;
static void handle(int number)
{
    int kept = errno;
    char *start = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    start[70] = 1;
    munmap(start, 8192);
    start = mremap(start + 8192, 57344, 131072, MREMAP_MAYMOVE);
    munmap(start, 131072);
    mapped++;
    errno = kept;
}
static void *churn(void *unused)
{
    for (int i = 0; i < 200000; i++) {
        char *block = malloc(1000 + i % 5000);
        block[i % 900] = 3;
        block = realloc(block, 9000);
        free(block);
        if (i % 16 == 0) {
            void *start = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            munmap(start, 16384);
        }
        if (i % 5000 == 0 && vfork() == 0)
            _exit(munmap(mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 16384));
    }
    return unused;
}
long run(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    pthread_t threads[3];
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, churn, NULL);
    churn(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    return mapped;
}
"""


def test_mapping_in_signal_handlers_and_vfork_children(tmp_path):
    """While every thread allocates: whatever the handler has interrupted, nothing waits and nothing is lost."""
    (tmp_path / "handler.c").write_text(HANDLER)
    subprocess.run(["gcc", "-w", "-O1", "-shared", "-fPIC", "-o", "handler.so", "handler.c"], cwd=tmp_path, check=True)
    done = profile(tmp_path, whole.INTERPRETERS["debian"], 'import ctypes\nprint(ctypes.CDLL("./handler.so").run() > 100)')
    assert (done.stdout, done.stderr) == ("True\n", "")


BARE = """
/* One region for each power of two; a block's size follows from its address, and nobody else is told. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#define CLASSES 40
#define REGION ((size_t)1 << 36)
static char *base, *next_of[CLASSES];
static void *free_of[CLASSES];
static volatile int busy;
static void *take(size_t bytes)
{
    int class = 6;
    while (((size_t)1 << class) < bytes)
        class++;
    while (__sync_lock_test_and_set(&busy, 1))
        ;
    if (base == NULL) {
        base = mmap(0, REGION * CLASSES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        for (int i = 0; i < CLASSES; i++)
            next_of[i] = base + REGION * i;
    }
    void *block = free_of[class];
    if (block != NULL) {
        free_of[class] = *(void **)block;
    } else {
        block = next_of[class];
        next_of[class] += (size_t)1 << class;
    }
    __sync_lock_release(&busy);
    return block;
}
static int class_of(void *block) { return (int)(((char *)block - base) / REGION); }
void *malloc(size_t bytes) { return take(bytes); }
void free(void *block)
{
    if (block == NULL)
        return;
    while (__sync_lock_test_and_set(&busy, 1))
        ;
    *(void **)block = free_of[class_of(block)];
    free_of[class_of(block)] = block;
    __sync_lock_release(&busy);
}
void *calloc(size_t count, size_t size)
{
    void *block = take(count * size);
    return memset(block, 0, count * size);
}
void *realloc(void *block, size_t bytes)
{
    void *fresh = take(bytes);
    if (block != NULL) {
        size_t before = (size_t)1 << class_of(block);
        memcpy(fresh, block, before < bytes ? before : bytes);
        free(block);
    }
    return fresh;
}
static void *aligned(size_t alignment, size_t bytes) { return take(bytes < alignment ? alignment : bytes); }
void *memalign(size_t alignment, size_t bytes) { return aligned(alignment, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return aligned(alignment, bytes); }
int posix_memalign(void **to, size_t alignment, size_t bytes)
{
    *to = aligned(alignment, bytes);
    return 0;
}
"""

RESIZING = """
import ctypes
import numpy as np
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.reallocarray.restype = ctypes.c_void_p
libc.reallocarray.argtypes, libc.free.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t], [ctypes.c_void_p]
block = libc.malloc(100)
for count in range(1, 30):
    block = libc.reallocarray(block, 1000 * count, 3)
libc.free(block)
print(sum(np.arange(10000.0).sum() for _ in range(30)))
"""


@pytest.mark.parametrize("order", ["before", "behind"])
def test_an_allocator_that_tells_no_sizes(tmp_path, order):
    """It has neither malloc_usable_size nor reallocarray: nobody else's may be asked of its blocks."""
    (tmp_path / "bare.c").write_text(BARE)
    subprocess.run(["gcc", "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", "bare.so", "bare.c"], cwd=tmp_path, check=True)
    libraries = [str(whole.SHIM), str(tmp_path / "bare.so")]
    done = profile(tmp_path, whole.INTERPRETERS["debian"], RESIZING, ":".join(libraries[:: -1 if order == "before" else 1]))
    assert done.stdout == "1499850000.0\n" and done.returncode == 0
    why = "hides what is allocated" if order == "before" else "does not tell how large its blocks are"
    assert len(done.stderr.splitlines()) == 1 and why in done.stderr


def test_a_foreign_block_is_resized_by_its_own_allocator(tmp_path):
    """jemalloc has no reallocarray: its user meets the shim's."""
    done = profile(tmp_path, whole.INTERPRETERS["debian"], RESIZING, f"{find_allocator('jemalloc')}:{whole.SHIM}")
    assert done.stdout == "1499850000.0\n" and done.returncode == 0
