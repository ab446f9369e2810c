"""Processes: workers, subprocesses, wrappers, every way to be born and every way to end."""

import os
import signal
import time

import pytest

from hostile_ring import PYTHON, assert_recorded, engine, pids, report_json, samples

WORKERS = """
import multiprocessing, os
def work(number):
    busy(0.5)
    with open("pid.%d" % number, "w") as file:
        file.write(str(os.getpid()))
    return number * number
def main():
    context = multiprocessing.get_context({method!r})
    queue = context.Queue()
    workers = [context.Process(target=put, args=(queue, n)) for n in range(4)]
    for worker in workers: worker.start()
    print(sorted(queue.get() for _ in workers))
    for worker in workers: worker.join()
    print([worker.exitcode for worker in workers])
def put(queue, number):
    queue.put(work(number))
if __name__ == "__main__":
    main()
"""

POOL = """
import concurrent.futures, multiprocessing, os
def work(number):
    busy(0.5)
    with open("pid.%d" % number, "w") as file:
        file.write(str(os.getpid()))
    return number * number
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(4, multiprocessing.get_context({method!r})) as pool:
        print(list(pool.map(work, range(8))))
"""


def pids_written(directory):
    return {int(path.read_text()) for path in directory.glob("pid.*")}


def names(directory):
    """The files of the shim there."""
    return sorted(path.name for path in directory.iterdir() if ".db" in path.name)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_four_workers_are_in_one_file(ring, method):
    run = ring.same(ring.program(WORKERS.format(method=method)))
    workers = pids_written(run.directory)
    assert len(workers) == 4
    assert workers | {run.pid} <= pids(assert_recorded(run.db, 4 * 0.5))
    assert names(run.directory) == ["out.db"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_process_pool_is_in_one_file(ring, method):
    run = ring.same(ring.program(POOL.format(method=method)))
    assert pids_written(run.directory) | {run.pid} <= pids(assert_recorded(run.db, 8 * 0.5))
    assert names(run.directory) == ["out.db"]


def test_data_loader_workers(ring):
    run = ring.same(ring.program("""
        import os, torch
        class Data(torch.utils.data.Dataset):
            def __len__(self): return 16
            def __getitem__(self, i):
                busy(0.05)
                open("pid.%d" % i, "w").write(str(os.getpid()))
                return torch.full((8,), float(i))
        loader = torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=4)
        for epoch in range(2):
            print([batch.sum().item() for batch in loader])
        """))
    document = assert_recorded(run.db, 16 * 0.05 * 2)
    assert pids_written(run.directory) | {run.pid} <= pids(document)
    assert len(pids(document)) == 9, "one process and two epochs of four workers"


def test_fork_child_lives_on_while_the_parent_arms_watches(ring):
    """A child that held the parent's events would keep the four debug registers taken."""
    source = """
        import os, sys
        import numpy as np
        a = np.arange(200_000, dtype=np.float64); b = np.empty_like(a)
        def train(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                np.multiply(a, 2.0, out=b); np.add(a, b, out=b)
        train(0.5)
        read_end, write_end = os.pipe()
        children = []
        for _ in range(3 if {forks} else 0):
            child = os.fork()
            if child == 0:
                os.close(write_end); os.read(read_end, 1); os._exit(4)
            children.append(child)
            train(0.2)
        train(1.5)
        os.close(write_end)
        print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children], float(b[-1]))
        """
    alone = ring.same(ring.program(source.format(forks=0)), env={"PIEPROF_BUDGET": "20"})
    forked = ring.same(ring.program(source.format(forks=1)), env={"PIEPROF_BUDGET": "20"})
    expected, got = report_json(alone.db), assert_recorded(forked.db, 2.0)
    assert engine(got, "access")["on"]
    assert got["run"]["health"]["dropped"]["no_register"] <= expected["run"]["health"]["dropped"]["no_register"] + 5
    for kind in ("redundant_loads", "redundant_stores"):
        assert got["totals"][kind]["pairs"] >= 0.5 * expected["totals"][kind]["pairs"] > 0, kind


def test_forked_child_records_as_itself_and_so_does_its_child(ring):
    run = ring.same(ring.program("""
        import os
        def generation(depth):
            busy(0.3)
            open("pid.%d" % depth, "w").write(str(os.getpid()))
            if depth < 3:
                child = os.fork()
                if child == 0:
                    os._exit(generation(depth + 1))
                return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) + 1
            return 1
        print(generation(0))
        """))
    assert pids(assert_recorded(run.db, 4 * 0.3)) == pids_written(run.directory)


def test_raw_fork(ring):
    """SYS_fork: no atfork handler runs, nothing but a wiped page tells the child from its parent."""
    run = ring.same(ring.program("""
        import ctypes, os
        libc = ctypes.PyDLL(None)
        busy(0.3)
        child = libc.syscall(57)
        if child == 0:
            total = sum(len(bytes(n)) for n in range(3000))
            busy(0.5)
            open("pid.0", "w").write(os.readlink("/proc/self"))
            os._exit(total % 251)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        busy(0.5)
        """))
    assert run.stdout == b"%d\n" % (sum(range(3000)) % 251)
    assert pids(assert_recorded(run.db, 1.3)) == pids_written(run.directory) | {run.pid}


def test_a_forest_of_forks_while_threads_allocate(ring):
    """A lock held across fork, by the shim or under it, hangs a child sooner or later."""
    run = ring.same(ring.program("""
        import os, threading
        stop = False
        def churn():
            while not stop:
                bytes(100_000); zlib.compress(DATA[:20_000], 1)
        threads = [threading.Thread(target=churn) for _ in range(3)]
        for thread in threads: thread.start()
        good = 0
        for number in range(60):
            child = os.fork()
            if child == 0:
                total = sum(len(bytes(n)) for n in range(2000))
                os._exit(11 if total == sum(range(2000)) else 1)
            good += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 11
        stop = True
        for thread in threads: thread.join()
        print(good)
        """), env={"PIEPROF_RATE": "4000", "PIEPROF_BUDGET": "100"})
    assert run.stdout == b"60\n"
    assert samples(report_json(run.db)) > 0


def test_hooks_in_a_vfork_child(ring, native):
    """Its memory is the parent's: it must neither be adopted nor change what the shim knows."""
    run = ring.same(ring.program(f"""
        import ctypes, os
        lib = ctypes.PyDLL({native("vfork.c")!r})
        for _ in range(100):
            assert lib.vfork_allocates() == 7
        print("allocated")
        print(lib.vfork_changes_signals(), lib.handler_still_mine())
        busy(0.6)
        print(lib.vfork_execs(b"/bin/echo", b"from the child"))
        """))
    document = assert_recorded(run.db, 0.6)
    assert pids(document) == {run.pid}


@pytest.mark.parametrize("how", ["preloaded before", "preloaded after", "loaded later"])
def test_atfork_handler_of_another_library_allocates(ring, native, how):
    from hostile_ring import SHIM
    library = native("atfork.c")
    preload = {"preloaded before": f"{library} {SHIM}", "preloaded after": f"{SHIM}:{library}"}.get(how)
    run = ring.same(ring.program(f"""
        import ctypes, os
        lib = ctypes.CDLL({library!r})
        busy(0.3)
        for number in range(30):
            child = os.fork()
            if child == 0:
                busy(0.02)
                os._exit(lib.atfork_runs_in_child())
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == number + 1, number
        busy(0.3)
        print(lib.atfork_runs_in_parent())
        """), preload=preload, plain_preload=None if how == "loaded later" else library)
    assert run.stdout == b"30\n"
    assert len(pids(assert_recorded(run.db, 0.6 + 30 * 0.02, 80))) == 31


def test_program_that_is_no_python(ring):
    run = ring.same(ring.program("""
        import subprocess, sys
        busy(0.3)
        for command in (["/bin/ls", "/"], ["perl", "-e", "print 6 * 7"], ["/bin/sh", "-c", "echo a; exit 9"]):
            done = subprocess.run(command, capture_output=True)
            print(done.returncode, done.stdout, done.stderr)
        print(subprocess.getoutput("cat /dev/null; uname -s"))
        """))
    assert pids(assert_recorded(run.db, 0.3)) == {run.pid}
    assert names(run.directory) == ["out.db"]


@pytest.mark.parametrize("start", ["subprocess.run(command)", "os.spawnv(os.P_WAIT, command[0], command)",
                                   "os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)",
                                   "os.system(' '.join(command))",
                                   "subprocess.run(command, close_fds=False, start_new_session=True)",
                                   "subprocess.run(command, preexec_fn=lambda: None)"],
                         ids=["subprocess", "spawnv", "posix_spawn", "system", "session", "preexec"])
def test_python_subprocess_joins(ring, start):
    child = ring.program("""
        import os
        open("pid.0", "w").write(str(os.getpid()))
        busy(0.4); print("child", flush=True)
        """, "child.py")
    run = ring.same(ring.program(f"""
        import os, subprocess
        command = {child!r}
        busy(0.3); print("parent", flush=True)
        {start}
        busy(0.3); print("parent", flush=True)
        """))
    assert pids(assert_recorded(run.db, 1.0)) == pids_written(run.directory) | {run.pid}
    assert names(run.directory) == ["out.db"]


@pytest.mark.parametrize("wrapper", [["env"], ["timeout", "50"], ["nice"], ["sh", "-c", "\"$@\"; exit $?", "sh"],
                                     ["setsid", "-w"], ["env", "timeout", "50", "nohup"]],
                         ids=lambda wrapper: wrapper[-1] if wrapper[0] != "sh" else "sh")
def test_wrapper_in_front_of_python(ring, wrapper):
    run = ring.same(wrapper + ring.program("""
        import os, sys
        open("pid.0", "w").write(str(os.getpid()))
        busy(0.4); print("done"); sys.exit(3)
        """))
    assert run.returncode == 3
    assert pids(assert_recorded(run.db, 0.4)) == pids_written(run.directory)
    assert names(run.directory) == ["out.db"]


def test_two_runs_from_one_shell_are_two_runs(ring):
    command = " ".join(ring.program("import os; print(os.getpid(), flush=True); busy(0.3)"))
    run = ring.run(["sh", "-c", f"{command}; {command}"])
    first, second = map(int, run.stdout.split())
    assert pids(report_json(run.db)) == {second}
    assert pids(report_json(run.directory / "out.db.old")) == {first}


ENDINGS = {
    "exit": ("import sys; sys.exit(3)", 3),
    "exit with text": ("import sys; sys.exit('the reason')", 1),
    "_exit": ("import os; os._exit(7)", 7),
    "exception": ("raise ValueError('nobody catches me')", 1),
    "abort": ("import os; os.abort()", -signal.SIGABRT),
    "SIGTERM": ("import os, signal; os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", -signal.SIGTERM),
    "SIGKILL": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    "SIGINT": ("import os, signal; os.kill(os.getpid(), signal.SIGINT); time.sleep(9)", -signal.SIGINT),
    "SIGQUIT": ("import os, signal; os.kill(os.getpid(), signal.SIGQUIT); time.sleep(9)", -signal.SIGQUIT),
    "real SIGSEGV": ("import ctypes; ctypes.string_at(8)", -signal.SIGSEGV),
    "SystemExit in a thread": ("import threading, sys\nt = threading.Thread(target=sys.exit, args=(5,))\n"
                               "t.start(); t.join()", 0),
    "_exit in a thread": ("import threading, os\nt = threading.Thread(target=os._exit, args=(6,))\n"
                          "t.start(); time.sleep(9)", 6),
    "exit_group raw": ("import ctypes; ctypes.CDLL(None).syscall(231, 12)", 12),
    "quick_exit": ("import ctypes; ctypes.CDLL(None).quick_exit(13)", 13),
    "daemon thread left": ("import threading; threading.Thread(target=busy, args=(60,), daemon=True).start()\n"
                           "time.sleep(0.2)", 0),
    "atexit work": ("import atexit; atexit.register(lambda: (busy(0.1), print('late')))", 0),
    "exec of true": ("import os; os.execv('/bin/true', ['true'])", 0),
    "exec of false": ("import os; os.execvp('false', ['false'])", 1),
    "exec of nothing": ("import os\ntry: os.execv('/no/such', ['x'])\nexcept OSError as e: print(e.errno)\n"
                        "busy(0.2)", 0),
    "execl": ("import ctypes; ctypes.CDLL(None).execl(b'/bin/echo', b'echo', b'a', b'b', None)", 0),
    "execlp": ("import ctypes; ctypes.CDLL(None).execlp(b'sh', b'sh', b'-c', b'exit 9', None)", 9),
    "execle": ("import ctypes\nwords = (ctypes.c_char_p * 2)(b'WORD=seen', None)\n"
               "ctypes.CDLL(None).execle(b'/bin/sh', b'sh', b'-c', b'echo $WORD', None, words)", 0),
    "execveat": ("import ctypes\nwords = (ctypes.c_char_p * 3)(b'echo', b'seen', None)\n"
                 "ctypes.CDLL(None).execveat(-100, b'/bin/echo', words, None, 0)", 0),
    "execl of nothing": ("import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                         "print(libc.execl(b'/no/such', b'x', None), ctypes.get_errno())\nbusy(0.2)", 0),
    "syntax error": ("compile('(', 'x', 'exec')", 1),
    "out of recursion": ("def f(): f()\ntry: f()\nexcept RecursionError as e: print(e)", 0),
}

# The record tells a fault and an exec from the rest; of these it says only that the process is gone.
STATES = {ending: "killed" for ending in ("abort", "SIGTERM", "SIGKILL", "SIGINT", "SIGQUIT", "exit_group raw", "quick_exit")}
STATES |= {ending: "exec" for ending in ("exec of true", "exec of false", "execl", "execlp", "execle", "execveat")}
STATES["real SIGSEGV"] = "signal"


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.replace(" ", "-"))
def test_every_ending(ring, ending):
    source, returncode = ENDINGS[ending]
    path = ring.program("busy(0.3)\nprint('before', flush=True)\n")
    with open(path[1], "a") as file:
        file.write(source + "\n")
    run = ring.same(path)
    assert run.returncode == returncode
    assert run.stdout.startswith(b"before\n")
    document = assert_recorded(run.db, 0.3)
    assert pids(document) == {run.pid}
    assert [process["state"] for process in document["run"]["processes"]] == [STATES.get(ending, "exit")]


def test_exec_of_another_python_records_both(ring):
    second = ring.program("busy(0.5); print('second', flush=True); raise SystemExit(4)", "second.py")
    run = ring.same(ring.program(f"import os; busy(0.5); print('first', flush=True); os.execv({PYTHON!r}, {second!r})"))
    assert (run.returncode, run.stdout) == (4, b"first\nsecond\n")
    document = assert_recorded(run.db, 1.0)
    assert pids(document) == {run.pid}
    assert {os.path.basename(line["file"]) for line in document["lines"]} == {"program.py", "second.py"}


@pytest.mark.parametrize("function", ["execve(b'/bin/true', words, None)", "execveat(-100, b'/bin/true', words, None, 0)"],
                         ids=["execve", "execveat"])
def test_no_tick_reaches_the_next_program(ring, function):
    """Much memory makes exec long: a clock that still ran would ring within it, and the new program has no handler."""
    command = ring.program(f"""
        import ctypes, mmap
        memory = mmap.mmap(-1, 1 << 27, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
        words = (ctypes.c_char_p * 2)(b"true", None)
        busy(0.1)
        ctypes.CDLL(None).{function}
        """)
    assert [ring.run(command).returncode for _ in range(8)] == [0] * 8


def test_daemon_by_double_fork(ring):
    run = ring.same(ring.program("""
        import os, sys
        busy(0.2)
        print("parent", flush=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 4096)
                busy(0.8)
                open("pid.new", "w").write(str(os.getpid()))
                os.rename("pid.new", "pid.daemon")
                os._exit(0)
            os._exit(0)
        os.wait()
        """))
    end = time.monotonic() + 20
    while not (run.directory / "pid.daemon").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.1)
    document = assert_recorded(run.db, 1.0)
    assert pids_written(run.directory) | {run.pid} <= pids(document)
    assert names(run.directory) == ["out.db"]


def test_setuid_after_start(open_ring):
    if os.geteuid() != 0:
        pytest.skip("needs root, to become another user")
    run = open_ring.same(open_ring.program("""
        import os, threading
        busy(0.3)
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        thread = threading.Thread(target=busy, args=(0.4,))
        thread.start(); busy(0.4); thread.join()
        child = os.fork()
        if child == 0:
            busy(0.3); os._exit(8)
        print(os.getuid(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """))
    assert run.stdout == b"65534 8\n"
    document = assert_recorded(run.db, 1.1)
    assert document["run"]["health"]["dropped"]["thread_without_clock"] == 0


def test_children_the_program_did_not_start_are_unseen(ring):
    """Whatever the shim tries out in a child at start: no child to wait for, no SIGCHLD pending."""
    def block():
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    run = ring.same(ring.program("""
        import os, signal
        print(signal.sigpending())
        try: print(os.wait())
        except ChildProcessError as error: print(error)
        busy(0.3)
        """), preexec_fn=block)
    assert_recorded(run.db, 0.3)


def test_sigchld_ignored_by_inheritance(ring):
    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    source = ring.program("import signal; busy(0.4); print(signal.getsignal(signal.SIGCHLD))")
    usual = report_json(ring.run(source).db)
    run = ring.same(source, preexec_fn=ignore)
    assert engine(assert_recorded(run.db, 0.4), "access") == engine(usual, "access")


def test_thread_is_sampled_after_a_subprocess(ring):
    """A vfork child restores its signal mask on its parent's memory: the parent's clock must not be taken for the child's."""
    run = ring.run(ring.program("""
        import subprocess
        busy(0.3)
        subprocess.run(["/bin/true"])
        def after(): busy(1.0)
        after()
        """))
    assert run.returncode == 0
    assert report_json(run.db)["totals"]["time_s"]["total"] > 1.1


def test_fork_while_threads_end(ring):
    run = ring.same(ring.program("""
        import os, threading
        going = True
        def churn():
            while going:
                threads = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(4)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
        churners = [threading.Thread(target=churn) for _ in range(3)]
        for churner in churners: churner.start()
        endings = set()
        for _ in range(200):
            child = os.fork()
            if child == 0:
                thread = threading.Thread(target=int); thread.start(); thread.join()
                os._exit(3)
            endings.add(os.waitpid(child, 0)[1])
        going = False
        print(endings)
        """), timeout=90)
    assert run.stdout == b"{768}\n"
