"""Signals: the program's handlers, masks and deaths are what they are without the shim."""

import shutil
import signal
import subprocess

import pytest

from hostile_ring import SHIM, assert_recorded, base_environment, engine, needs, report_json, samples

FAST = {"PIEPROF_RATE": "2000", "PIEPROF_BUDGET": "50"}

# Every handler the shim also wants, from C, in each way a signal can come.
OWN = """
import ctypes, signal, threading
lib = ctypes.CDLL({library!r})
busy(0.3)
print("before", [lib.own_reported(n) for n in (5, 7, 11, 27)])
for flags in (0, lib.flag_onstack(), lib.flag_nodefer()):
    for number in (5, 7, 11, 27):
        assert lib.own_install(number, flags) == 0
        print(number, lib.own_reported(number), end=" ")
        for how in (lib.own_raise, lib.own_kill, lib.own_queue):
            how(number)
            print(lib.own_count(number), lib.own_code(number), lib.own_value(number), lib.own_sender_is_me(),
                  hex(lib.own_mask()), lib.own_on_alternate(), end=" | ")
        print()
    lib.own_breakpoint(); print("int3", lib.own_count(5), lib.own_code(5))
    lib.own_single_step(); print("step", lib.own_count(5) > 3, lib.own_code(5))
    print("fault", lib.own_fault_recovered(8), lib.own_code(11), lib.own_address())
    print("write", lib.own_fault_recovered(-1), lib.own_code(11))
    busy(0.2)
    for number in (5, 7, 11, 27): lib.own_restore(number)
print("barrier", lib.own_write_barrier(256))
lib.own_install(27, 0)
print("itimer", lib.own_profile_timer(400) >= 20)
print("after", [lib.own_reported(n) for n in (5, 7, 11, 27)])
threads = [threading.Thread(target=lambda: (lib.own_install(11, 0), busy(0.1))) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("faults", sum(lib.own_fault_recovered(8) for _ in range(2000)))
busy(0.2)
"""


def test_own_handlers_in_c(ring, native):
    run = ring.same(ring.program(OWN.format(library=native("signals.c"))), env=FAST)
    assert run.returncode == 0
    document = assert_recorded(run.db, 0.9)
    assert samples(document) > 500


def test_own_handlers_in_python(ring):
    run = ring.same(ring.program("""
        import os, signal, threading
        seen = []
        busy(0.2)
        wanted = (signal.SIGTRAP, signal.SIGPROF, signal.SIGSEGV, signal.SIGBUS)
        print([signal.getsignal(n) for n in wanted])
        for number in wanted:
            print(signal.signal(number, lambda n, frame: seen.append(n)))
        for number in wanted:
            os.kill(os.getpid(), number); signal.raise_signal(number)
            signal.pthread_kill(threading.get_ident(), number)
        busy(0.3)
        print(seen)
        seen.clear()
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
        busy(0.5)
        print(signal.getitimer(signal.ITIMER_PROF)[1])
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(set(seen), len(seen) > 2)
        for number in wanted: print(signal.signal(number, signal.SIG_DFL) is not None)
        """), env=FAST)
    assert_recorded(run.db, 1.0, 500)


BLOCKED = """
import os, signal, threading
wanted = set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}
busy(0.3)
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
busy(0.5)
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())) == sorted(wanted))
print("pending", signal.sigpending())
print("taken", signal.sigtimedwait(wanted, 0.05))
os.kill(os.getpid(), signal.SIGTRAP); os.kill(os.getpid(), signal.SIGSEGV)
busy(0.2)
print("pending", sorted(signal.sigpending()))
print("taken", [int(signal.sigwait({signal.SIGTRAP})), int(signal.sigwait({signal.SIGSEGV}))])
thread = threading.Thread(target=busy, args=(0.4,)); thread.start(); thread.join()
print("pending", sorted(signal.sigpending()))
signal.pthread_sigmask(signal.SIG_SETMASK, ())
busy(0.5)
print("alive")
"""


def test_all_signals_blocked(ring):
    run = ring.same(ring.program(BLOCKED), env=FAST)
    assert run.stdout.endswith(b"alive\n")
    assert_recorded(run.db, 0.8)


@pytest.mark.parametrize("signals", ["{signal.SIGSEGV}", "{signal.SIGSEGV, signal.SIGBUS, signal.SIGTRAP}"], ids=["one", "all"])
def test_memory_without_access_goes_while_faults_are_blocked(ring, signals):
    """What is unmapped is looked at, and here it was protected behind the hooks' back: that fault must not kill."""
    run = ring.same(ring.program(f"""
        import ctypes, signal
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        libc.munmap.argtypes = libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        signal.pthread_sigmask(signal.SIG_BLOCK, {signals})
        for i in range(20):
            start = libc.mmap(None, 1 << 16, 3, 0x22, -1, 0)
            ctypes.memset(start, i + 1, 1 << 16)
            print(libc.syscall(329, ctypes.c_void_p(start), ctypes.c_size_t(1 << 16), 0, ctypes.c_long(-1)))
            print(libc.munmap(start, 1 << 16))
        """))
    assert run.returncode == 0 and set(run.stdout.split()) == {b"0"}


def test_started_with_all_signals_blocked(ring):
    def block():
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    run = ring.same(ring.program("""
        import signal
        print(len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
        busy(0.5)
        print(signal.sigpending())
        """), preexec_fn=block)
    assert report_json(run.db)["run"]["processes"]


@pytest.mark.parametrize("number", [signal.SIGTRAP, signal.SIGPROF, signal.SIGSEGV, signal.SIGBUS],
                         ids=lambda number: number.name)
def test_default_action_kills(ring, number):
    run = ring.same(ring.program(f"import os, time; busy(0.2); os.kill(os.getpid(), {int(number)}); time.sleep(5)"),
                    env=FAST)
    assert run.returncode == -number


DEATHS = {
    "int3": ("lib.own_breakpoint()", signal.SIGTRAP),
    "int3 ignored": ("signal.signal(5, signal.SIG_IGN); lib.own_breakpoint()", signal.SIGTRAP),
    "int3 blocked": ("signal.pthread_sigmask(0, [5]); lib.own_breakpoint()", signal.SIGTRAP),
    "null": ("lib.null_write()", signal.SIGSEGV),
    "null ignored": ("signal.signal(11, signal.SIG_IGN); lib.null_write()", signal.SIGSEGV),
    "null blocked": ("signal.pthread_sigmask(0, [11]); lib.null_write()", signal.SIGSEGV),
    "null in a handler": ("lib.install_faulting(); signal.raise_signal(5)", signal.SIGSEGV),
    "second after reset": ("lib.install_once(5); lib.own_raise(5); print(lib.own_count(5), flush=True); lib.own_raise(5)",
                           signal.SIGTRAP),
    "jump to nowhere": ("lib.call_address(ctypes.c_void_p(16))", signal.SIGSEGV),
    "stack overflow in C": ("lib.overflow(1)", signal.SIGSEGV),
}


@pytest.mark.parametrize("death", DEATHS, ids=lambda death: death.replace(" ", "-"))
def test_real_deaths(ring, native, death):
    source, number = DEATHS[death]
    run = ring.same(ring.program(f"""
        import ctypes, signal
        lib = ctypes.CDLL({native("signals.c")!r})
        busy(0.2); print("before", flush=True)
        {source}
        """), env=FAST)
    assert run.returncode == -number
    assert_recorded(run.db, 0.2)


def test_ignored_signals(ring):
    run = ring.same(ring.program("""
        import os, signal
        for number in (5, 7, 11, 27): signal.signal(number, signal.SIG_IGN)
        busy(0.3)
        for number in (5, 7, 11, 27): os.kill(os.getpid(), number)
        busy(0.2)
        print([signal.getsignal(n) for n in (5, 7, 11, 27)])
        """), env=FAST)
    assert_recorded(run.db, 0.5, 500)


def test_ignored_signals_pass_through_exec(ring):
    """SIG_IGN is inherited by what is executed; a handler of the shim's in its place would become SIG_DFL. Of what posix_spawn()
    starts, as newer CPythons do where they can, LIMITS.md tells."""
    show = "import signal; print([signal.getsignal(n) for n in (5, 7, 11, 27)])"
    run = ring.same(ring.program(f"""
        import os, signal, subprocess, sys
        for number in (5, 7, 11, 27): signal.signal(number, signal.SIG_IGN)
        busy(0.2)
        subprocess._USE_POSIX_SPAWN = False
        subprocess.run([sys.executable, "-c", {show!r}], env={{"PATH": os.environ["PATH"]}})
        os.execve(sys.executable, [sys.executable, "-c", {show!r}], {{"PATH": os.environ["PATH"]}})
        """), env=FAST)
    assert run.stdout.count(b"SIG_IGN") == 8


def test_started_with_signals_ignored(ring):
    def ignore():
        for number in (signal.SIGTRAP, signal.SIGPROF, signal.SIGSEGV, signal.SIGBUS):
            signal.signal(number, signal.SIG_IGN)
    run = ring.same(ring.program("""
        import os, signal
        print([signal.getsignal(n) for n in (5, 7, 11, 27)])
        busy(0.4)
        for number in (5, 7, 11, 27): os.kill(os.getpid(), number)
        print("alive")
        """), preexec_fn=ignore, env=FAST)
    assert_recorded(run.db, 0.4, 500)


FAULTHANDLER = {
    "fatal signal": ("faulthandler.enable(); ctypes.string_at(8)", -signal.SIGSEGV),
    "stack overflow": ("faulthandler.enable(); lib.overflow(1)", -signal.SIGSEGV),
    "abort": ("faulthandler.enable(); os.abort()", -signal.SIGABRT),
    "registered": ("faulthandler.register(signal.SIGUSR1, all_threads=False); os.kill(os.getpid(), signal.SIGUSR1); "
                   "faulthandler.register(signal.SIGTRAP, all_threads=False); os.kill(os.getpid(), signal.SIGTRAP)", 0),
    "registered, chained": ("signal.signal(signal.SIGPROF, lambda *a: print('mine')); "
                            "faulthandler.register(signal.SIGPROF, all_threads=False, chain=True); "
                            "os.kill(os.getpid(), signal.SIGPROF); busy(0.1)", 0),
    "dump later": ("faulthandler.dump_traceback_later(0.3, exit=True); lib.spin()", 1),
    "enabled, disabled": ("faulthandler.enable(); faulthandler.disable(); ctypes.string_at(8)", -signal.SIGSEGV),
}


@pytest.mark.parametrize("case", FAULTHANDLER, ids=lambda case: case.replace(" ", "-").replace(",", ""))
def test_faulthandler(ring, native, case):
    source, returncode = FAULTHANDLER[case]
    run = ring.same(ring.program(f"""
        import ctypes, faulthandler, os, signal, sys
        lib = ctypes.CDLL({native("signals.c")!r})
        busy(0.3); print("before", flush=True)
        {source}
        """), env=FAST)
    assert run.returncode == returncode
    if "disabled" not in case:
        assert b'program.py"' in run.stderr_of_program, run.stderr
    assert_recorded(run.db, 0.3, 500)


def test_faulthandler_lives_through_sampling(ring):
    """Its alternate stack is a few KiB; a handler that ran there would overflow it."""
    run = ring.same(ring.program("""
        import faulthandler
        import numpy as np
        faulthandler.enable()
        a = np.arange(100_000, dtype=np.float64)
        end = time.thread_time() + 1.0
        while time.thread_time() < end: a = np.sqrt(a * a + 1) - 0.5
        print("done")
        """), env={"PIEPROF_RATE": "4000", "PIEPROF_BUDGET": "100"})
    assert_recorded(run.db, 1.0, 500)


def test_no_system_call_is_cut_short(ring, native):
    run = ring.same(ring.program(f"""
        import ctypes, threading
        lib = ctypes.CDLL({native("eintr.c")!r})
        results = []
        threads = [threading.Thread(target=lambda: results.append(lib.interrupted(600))) for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("EINTR", results)
        """), env={"PIEPROF_RATE": "4000", "PIEPROF_BUDGET": "100"})
    assert run.stdout == b"EINTR [0, 0, 0]\n"
    assert samples(report_json(run.db)) > 100


def test_under_a_debugger(ring):
    needs(shutil.which("gdb"), "gdb is not installed")
    command = ring.program("import sys; busy(0.5); print('profiled below gdb'); sys.exit(5)")
    directory = ring.directory()
    # gdb itself embeds Python: the shim is for its child alone.
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-ex", f"set environment LD_PRELOAD {SHIM}",
                           "-ex", "set startup-with-shell off", "-ex", "run", "-ex", "bt 3", "--args", *command],
                          cwd=directory, env=base_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60)
    assert b"profiled below gdb" in done.stdout
    assert b"exited with code 05" in done.stdout, done.stdout
    assert b"SIGTRAP" not in done.stdout and b"SIGSEGV" not in done.stdout
    said = [line for line in done.stderr.splitlines() if line.startswith(b"pieprof")]
    assert len(said) == 1 and b"access" in said[0], done.stderr
    document = report_json(directory / "out.db")
    access = engine(document, "access")
    assert not access["on"] and "debug" in access["why_off"]


@pytest.mark.parametrize("bytes_", [4096, 8192, 12288, 65536])
def test_handlers_on_a_small_alternate_stack(ring, native, bytes_):
    run = ring.same(ring.program(f"""
        import ctypes
        lib = ctypes.CDLL({native("alternate.c")!r})
        print(lib.bytes_overwritten({bytes_}, ctypes.c_double(1.0)))
        """), env=FAST)
    assert run.stdout == b"0\n"
    document = report_json(run.db)  # a tick that comes during the handler is late
    assert samples(document) > 100 and samples(document) + document["run"]["health"]["dropped"]["async_trap"] > 500


@pytest.mark.parametrize("engines", ["time", "all"])
def test_a_fault_that_was_sent_keeps_the_mask(ring, native, engines):
    """Sent faults meet ticks: the program's handler must not leave with the mask of the shim's."""
    run = ring.same(ring.program(f"""
        import ctypes
        lib = ctypes.CDLL({native("sent_fault.c")!r})
        print(lib.masks_wrong(ctypes.c_double(2.0)))
        """), env=dict(FAST, PIEPROF_ENGINES=engines))
    assert run.stdout == b"0\n"
    assert samples(report_json(run.db)) > 1000


def test_an_alarm_ends_a_blocked_read(ring):
    """Of a tick and an alarm that are delivered together the kernel starts the call again for the tick. A child feeds the pipe, or it would hang."""
    run = ring.same(ring.program("""
        import os, signal, time
        class Late(Exception): pass
        def ring(number, frame): raise Late
        signal.signal(signal.SIGALRM, ring)
        there, here = os.pipe()
        child = os.fork()
        if child == 0:
            while True:
                time.sleep(0.5)
                os.write(here, b"x")
        late = 0
        for turn in range(300):
            began = time.monotonic()
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.004)
                sum(range(3000))
                os.read(there, 10)
                time.sleep(0.1)
            except Late:
                late += time.monotonic() - began > 0.3
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.kill(child, signal.SIGKILL)
        os.wait()
        print("late", late)
        """), env={"PIEPROF_RATE": "10000", "PIEPROF_BUDGET": "100"})
    assert run.stdout == b"late 0\n"
