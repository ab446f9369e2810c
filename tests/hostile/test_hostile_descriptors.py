"""Descriptors: the program's numbers, the ones it closes, and the bytes that pass through those it opens next."""

import resource

import pytest

from hostile_ring import assert_recorded, engine, report_json, samples

# Opens socket pairs over every number the shim may have had, then sends and checks each byte under native load. From
# 100 up the shim may take numbers again, as it may in any program; below, each is what it would be without it.
SOCKETS = """
import os, socket, threading
import numpy as np
def load(seconds):
    a = np.arange(100_000, dtype=np.float64)
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        a = np.sqrt(a * a + 1.0) - 0.5
busy(0.3); load(0.3)
os.closerange(3, 4096)
pairs = [socket.socketpair() for _ in range(400)]
numbers = sorted(end.fileno() for pair in pairs for end in pair)
print(numbers[:97] == list(range(3, 100)), len(numbers))
def exchange(seconds):
    end = time.monotonic() + seconds
    turn = wrong = 0
    while time.monotonic() < end:
        for number, (left, right) in enumerate(pairs):
            message = b"%d:%d;" % (turn, number)
            left.sendall(message)
            right.sendall(message[::-1])
        for number, (left, right) in enumerate(pairs):
            message = b"%d:%d;" % (turn, number)
            wrong += right.recv(64) != message or left.recv(64) != message[::-1]
        turn += 1
    leftover = 0
    for pair in pairs:
        for end in pair:
            end.setblocking(False)
            try: leftover += len(end.recv(4096)) or 1
            except BlockingIOError: pass
    print("wrong", wrong, "leftover", leftover)
threads = [threading.Thread(target=load, args=(1.0,)) for _ in range(2)]
for thread in threads: thread.start()
exchange(3.0)
for thread in threads: thread.join()
if {fork}:
    child = os.fork()
    if child == 0:
        load(0.3); os._exit(0)
    print(os.waitpid(child, 0)[1])
print(numbers == sorted(end.fileno() for pair in pairs for end in pair))
for pair in pairs:
    pair[0].close(); pair[1].close()
busy(0.2)
"""


@pytest.mark.parametrize("fork", [False, True], ids=["alone", "with-fork"])
def test_all_descriptors_closed_and_reused_as_sockets(ring, fork):
    run = ring.same(ring.program(SOCKETS.format(fork=fork)), env={"PIEPROF_RATE": "1000", "PIEPROF_BUDGET": "20"},
                    timeout=90)
    assert run.stdout.startswith(b"True 800\nwrong 0 leftover 0\n")
    assert_recorded(run.db, 2.0)


def test_descriptors_closed_before_any_use(ring):
    """closefrom as a daemon does it, by the raw close_range, with descriptors 0-2 closed too; files come in their place."""
    run = ring.same(ring.program("""
        import ctypes, os
        libc = ctypes.CDLL(None)
        keep = os.dup2(1, 700)
        libc.syscall(436, 0, 699, 0)
        files = [os.open("file.%d" % n, os.O_RDWR | os.O_CREAT, 0o600) for n in range(300)]
        busy(0.6)
        print_to = lambda text: os.write(keep, text.encode())
        print_to("%r %r\\n" % (files[:100] == list(range(100)), len(files)))
        print_to("%d bytes strayed\\n" % sum(os.fstat(fd).st_size for fd in files))
        for fd in files: os.close(fd)
        busy(0.2)
        os._exit(0)
        """))
    assert run.stdout == b"True 300\n0 bytes strayed\n"


def test_standard_descriptors_closed_at_start(ring):
    """With 0-2 closed by the parent nothing of the shim's may land there, or the program's output ends up in it."""
    def close():
        import os
        os.closerange(0, 3)
    run = ring.run(ring.program("""
        import os
        first = os.open("facts", os.O_WRONLY | os.O_CREAT, 0o600)
        busy(0.3)
        os.write(first, b"%d" % first)
        """), preexec_fn=close)
    plain = ring.run([*run_command(ring)], profiled=False, preexec_fn=close)
    assert run.returncode == plain.returncode == 0
    assert (run.directory / "facts").read_bytes() == (plain.directory / "facts").read_bytes()
    assert_recorded(run.db, 0.3)


def run_command(ring):
    from hostile_ring import PYTHON
    return [PYTHON, str(ring.tmp_path / "program.py")]


def test_numbers_are_what_they_would_be(ring):
    run = ring.same(ring.program("""
        import os, subprocess, threading
        numbers = []
        def take(): numbers.append(os.open("/dev/null", os.O_RDONLY))
        take(); busy(0.2); take()
        threads = [threading.Thread(target=busy, args=(0.05,)) for _ in range(8)]
        for thread in threads: thread.start()
        take()
        for thread in threads: thread.join()
        take(); numbers.extend(os.pipe())
        numbers.append(os.dup(0))
        print(numbers)
        print(subprocess.check_output(["ls", "/proc/self/fd"], close_fds=False))
        print(sorted(n for n in map(int, os.listdir("/proc/self/fd")) if n < 100))
        """))
    assert run.stdout.startswith(b"[3, 4, 5, 6, 7, 8, 9]\n")
    assert_recorded(run.db, 0.6)


def test_few_descriptors_allowed(ring):
    """No number from 100 up can be had: the clock falls back or is gone, said once; the program has its 61."""
    run = ring.run(ring.program("""
        import os
        busy(0.5)
        opened = []
        try:
            while True: opened.append(os.open("/dev/null", os.O_RDONLY))
        except OSError as error: print(error.errno)
        print(opened[:40])
        for number in opened: os.close(number)
        busy(0.3); print("done")
        """), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
    assert run.returncode == 0
    assert run.stdout == b"24\n%r\ndone\n" % (list(range(3, 43)),)
    assert run.stderr_of_program == b"" and len(run.said) <= 1, run.stderr
    document = assert_recorded(run.db, 0.8)
    assert engine(document, "time")["on"]
    access = engine(document, "access")
    assert access["on"] or (access["why_off"] and len(run.said) == 1)


def test_many_threads_under_a_usual_limit(ring):
    """Four watches and a clock for each of 240 threads are more than 1,024: the program must not run dry."""
    run = ring.run(ring.program("""
        import os, threading
        gate = threading.Barrier(241)
        def work(): gate.wait(); busy(0.01); gate.wait()
        threads = [threading.Thread(target=work) for _ in range(240)]
        for thread in threads: thread.start()
        gate.wait(); gate.wait()
        for thread in threads: thread.join()
        opened = [os.open("/dev/null", os.O_RDONLY) for _ in range(300)]
        print(len(opened))
        """), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024)))
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"300\n", b"")
    assert len(run.said) <= 1
    assert samples(report_json(run.db)) >= 0.5 * 100


def test_threads_leave_the_program_its_descriptors(ring):
    """Of each thread's clock the mapping is enough: no more than an eighth of the descriptors is taken, and all are sampled."""
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    run = ring.run(ring.program("""
        import os, threading
        finish = threading.Event()
        def work():
            finish.wait()
            busy(0.02)
        threads = [threading.Thread(target=work) for _ in range(150)]
        for thread in threads: thread.start()
        opened = []
        try:
            while True: opened.append(os.open("/dev/null", os.O_RDONLY))
        except OSError: pass
        print(len(opened))
        for number in opened: os.close(number)
        finish.set()
        for thread in threads: thread.join()
        """), preexec_fn=few)
    assert run.returncode == 0 and int(run.stdout) >= 251 - 256 // 8 - 8, run.stdout
    document = report_json(run.db)
    assert document["run"]["health"]["dropped"]["thread_without_clock"] == 0
    assert samples(document) > 150 * 0.02 * 250 * 0.7
