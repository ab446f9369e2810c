"""Other libraries in the process: allocators, exceptions, odd instructions, interpreters inside interpreters."""

import glob

import pytest

from hostile_ring import SHIM, assert_recorded, needs, report_json, samples

NUMPY = """
import numpy as np
rng = np.random.default_rng(3)
w = rng.normal(size=(256, 256)); x = rng.normal(size=(64, 256))
for step in range({steps}):
    y = np.tanh(x @ w); g = x.T @ (y - 0.5); w -= 0.001 * g
print("%.9f" % w.sum())
"""


@pytest.mark.parametrize("order", ["before", "after"])
def test_malloc_wrapper_preloaded_too(ring, native, order):
    library = native("malloc_wrapper.c")
    preload = f"{library}:{SHIM}" if order == "before" else f"{SHIM}:{library}"
    says = 1 if order == "before" else 0  # the replica engine is off: who allocates is not seen
    run = ring.same(ring.program(NUMPY.format(steps=300) + f"""
import ctypes
lib = ctypes.CDLL({library!r})
print(lib.wrapper_calls() > 1000, lib.wrapper_balance_is_sound())
busy(0.5)
"""), says=says, preload=preload, plain_preload=library)
    assert run.stdout.endswith(b"True 1\n")
    assert_recorded(run.db, 0.5)


@pytest.mark.parametrize("order", ["before", "after"])
def test_free_that_binds_at_its_first_call(ring, native, order):
    """What the shim looks for in vain leaves no error behind that such a free() would be called for within its own look-up."""
    library = native("lazy_free.c")
    preload = f"{library}:{SHIM}" if order == "before" else f"{SHIM}:{library}"
    run = ring.same(ring.program(f"""
import ctypes
own = ctypes.CDLL(None)
own.dlerror.restype = ctypes.c_char_p
print(own.dlerror(), ctypes.CDLL({library!r}).lazy_free_calls() > 10)
busy(0.5)
"""), preload=preload, plain_preload=library)
    assert run.stdout == b"None True\n"
    assert_recorded(run.db, 0.5)


@pytest.mark.parametrize("order", ["before", "after"])
def test_jemalloc_preloaded_too(ring, order):
    found = glob.glob("/usr/lib/*/libjemalloc.so.2")
    needs(found, "libjemalloc2 is not installed")
    preload = f"{found[0]}:{SHIM}" if order == "before" else f"{SHIM}:{found[0]}"
    says = 1 if order == "before" else 0  # the replica engine is off: allocations are not seen
    run = ring.same(ring.program(NUMPY.format(steps=300) + "busy(0.5)\n"), says=says, preload=preload, plain_preload=found[0])
    assert_recorded(run.db, 0.5)


def test_preload_by_a_name_that_is_missing(ring):
    """The loader complains by itself and goes on; the shim beside it still works."""
    preload = f"/no/such/lib.so:{SHIM}"
    run = ring.same(ring.program("busy(0.3)"), preload=preload, plain_preload="/no/such/lib.so")
    assert_recorded(run.db, 0.3)


def test_exceptions_stay_with_libgcc(ring, native):
    """An unwinder linked into the shim would take over every C++ exception of the process."""
    run = ring.same(ring.program(f"""
        import ctypes, os
        lib = ctypes.CDLL({native("throw.cpp")!r})
        lib.unwinder.restype = ctypes.c_char_p
        busy(0.3)
        print(os.path.basename(lib.unwinder()).decode(), lib.throw_many(20000), lib.throw_across_malloc(2000))
        """), env={"PIEPROF_RATE": "4000", "PIEPROF_BUDGET": "100"})
    assert run.stdout == b"libgcc_s.so.1 20000 2000\n"
    assert_recorded(run.db, 0.3, 500)


def test_string_instructions_over_watched_words(ring, native):
    """movs reads one watched word and writes another in one instruction; rep forms touch thousands; push meets the slot."""
    run = ring.same(ring.program(f"""
        import ctypes
        import numpy as np
        lib = ctypes.CDLL({native("movs.c")!r})
        a = np.arange(4096, dtype=np.int64); b = np.zeros_like(a)
        pa, pb = ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data)
        end = time.thread_time() + 1.5
        wrong = 0
        while time.thread_time() < end:
            for function in (lib.copy_rep, lib.copy_movsq, lib.copy_push_pop, lib.copy_vector, lib.exchange_twice):
                function(pb, pa, 4096)
                wrong += int(b[17] != 17) + int(b[4095] != 4095)
                function(pb, pa, 64)
        print(wrong, int(b.sum()), int(a.sum()))
        """), env={"PIEPROF_RATE": "2000", "PIEPROF_BUDGET": "60"})
    assert run.stdout == b"0 8386560 8386560\n"
    document = assert_recorded(run.db, 1.5, 400)
    health = document["run"]["health"]
    assert health["native"] > 100 and health["resolved"] >= 0.9, health
    assert document["totals"]["redundant_loads"]["pairs"] > 0
    assert document["totals"]["redundant_stores"]["pairs"] > 0


def test_memory_that_goes_away_while_watched(ring, native):
    run = ring.same(ring.program(f"""
        import ctypes
        lib = ctypes.CDLL({native("movs.c")!r})
        end = time.thread_time() + 1.5
        total = 0
        while time.thread_time() < end: total += lib.map_use_unmap(64) == 64
        print(total > 0)
        """), env={"PIEPROF_RATE": "4000", "PIEPROF_BUDGET": "100"})
    assert_recorded(run.db, 1.5, 400)


def test_code_that_goes_away_while_sampled(ring, native):
    """Generated code, run and unmapped, and a library closed: addresses whose bytes and unwind tables are gone."""
    library = native("contexts.c")
    run = ring.same(ring.program(f"""
        import ctypes, _ctypes
        lib = ctypes.CDLL({native("movs.c")!r})
        for _ in range(400):
            assert lib.run_generated(20000) == 20000
        for _ in range(50):
            handle = _ctypes.dlopen({library!r}, 2)
            assert ctypes.CDLL(None, handle=handle).jump_back(300) == 300
            _ctypes.dlclose(handle)
        busy(0.2); print("done")
        """), env={"PIEPROF_RATE": "4000", "PIEPROF_BUDGET": "100"})
    assert_recorded(run.db, 0.2, 500)


def test_program_prints_what_it_prints(ring):
    run = ring.same(ring.program(NUMPY.format(steps=600) + """
import torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters())
for step in range(3000):
    data = torch.randn(64, 64); target = data.argmax(1) % 10
    loss = torch.nn.functional.cross_entropy(model(data), target)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
print("%.9f" % loss.item())
"""))
    assert samples(report_json(run.db)) > 100


def test_what_the_program_can_see_of_its_surroundings(ring):
    run = ring.same(ring.program("""
        import os, resource, signal, sys, threading
        busy(0.3)
        print(sorted(name for name in os.environ if not name.startswith(("PIEPROF", "LD_PRELOAD"))))
        print([signal.getsignal(n) for n in range(1, 65)], signal.getitimer(0), signal.getitimer(1), signal.getitimer(2))
        print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), signal.sigpending(), threading.active_count())
        print([resource.getrlimit(n) for n in range(15)], os.getpriority(0, 0), os.getcwd() != "", os.umask(0))
        print(len(os.listdir("/proc/self/task")), os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid())
        print(os.times().children_user, sys.flags, sys.getswitchinterval(), sys.gettrace(), sys.getprofile())
        """))
    assert_recorded(run.db, 0.3)


def test_finalisation_with_threads_and_native_objects(ring):
    run = ring.same(ring.program("""
        import gc, threading, weakref
        import numpy as np
        class Held:
            def __del__(self): busy(0.05); print("gone", flush=True)
        held = Held(); cycle = [held]; cycle.append(cycle)
        threading.Thread(target=lambda: [np.zeros(1000).sum() for _ in iter(int, 1)], daemon=True).start()
        busy(0.3); print("end", flush=True)
        """), env={"PIEPROF_RATE": "2000"})
    assert run.returncode == 0
    assert_recorded(run.db, 0.3)


def test_embedded_interpreter_loaded_late(ring, native):
    """A C program that opens libpython by itself: nothing at start says that Python will run."""
    found = sorted(glob.glob("/root/.pyenv/versions/3.11*/lib/libpython3.11.so.1.0"))
    needs(found, "no shared libpython 3.11")
    home = found[0].split("/lib/")[0]
    run = ring.same([native("embed.c", shared=False), found[0]], env={"PYTHONHOME": home})
    assert run.stdout == b"embedded 4950\nafter 42\n"


def test_interpreter_finalised_and_initialised_again(ring, native):
    found = sorted(glob.glob("/root/.pyenv/versions/3.11*/lib/libpython3.11.so.1.0"))
    needs(found, "no shared libpython 3.11")
    home = found[0].split("/lib/")[0]
    run = ring.same([native("embed.c", shared=False), found[0], "5"], env={"PYTHONHOME": home})
    assert run.stdout == b"embedded 4950\n" * 5 + b"after 42\n"


def test_a_library_with_parallel_regions_is_unloaded(ring, native):
    """Who called OpenMP's runtime is found by looking at the caller's library: it must not be held by that."""
    run = ring.same(ring.program(f"""
        import _ctypes, ctypes
        ctypes.CDLL("libgomp.so.1")  # its threads must not be unloaded under their feet
        for _ in range(3):
            plugin = ctypes.CDLL({native("plugin.c", flags=("-fopenmp",))!r})
            print(plugin.threads_that_ran(), plugin.threads_that_ran(), flush=True)
            _ctypes.dlclose(plugin._handle)
        busy(0.3)
        """))
    assert run.stdout == b"loaded\n2 2\nunloaded after 2\n" * 3
    assert_recorded(run.db, 0.3)
