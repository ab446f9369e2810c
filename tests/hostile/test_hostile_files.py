"""The file: killed writers, full disks, bad places, other runs, and a file that vanishes under the run."""

import os
import signal
import subprocess
import time

import pytest

from hostile_ring import (SHIM, assert_recorded, assert_same, needs, pids, report, report_json, samples,
                          unshare_works)

LOAD = """
import numpy as np
a = np.arange(200_000, dtype=np.float64)
def train(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        b = np.exp(a * 1e-6)
        b += a
busy(0.4); train(0.8)
print("trained", float(a.sum()))
"""


def wait_for(path, seconds=20):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.01)


def killed_run(ring, cpu_seconds):
    """Kills a busy program once it has spent that much CPU time; gives its run and the CPU time it had reached."""
    command = ring.program(f"""
        import os
        while True:
            busy(0.05)
            with open("spent.new", "w") as spent:
                spent.write(str(time.process_time()))
            os.replace("spent.new", "spent")
            if time.process_time() > {cpu_seconds} and not os.path.exists("ready"):
                open("ready", "w").close()
        """)
    process = ring.start(command, env={"PIEPROF_BUDGET": "50"})  # what is lost is asked, and not what is spared
    wait_for(process.directory / "ready")
    process.send_signal(signal.SIGKILL)
    run = ring.finish(process)
    assert run.returncode == -signal.SIGKILL
    return run, float((run.directory / "spent").read_text())


def test_kill_9_loses_nothing(ring):
    run, spent = killed_run(ring, 1.5)
    document = assert_recorded(run.db, spent)
    assert pids(document) == {run.pid}
    assert [process["state"] for process in document["run"]["processes"]] == ["killed"]
    assert document["run"]["duration_s"] >= 0.9 * spent
    assert document["totals"]["time_s"]["total"] == pytest.approx(spent, rel=0.25)
    assert document["totals"]["time_s"]["native"] >= 0.7 * document["totals"]["time_s"]["total"]
    busiest = max(document["lines"], key=lambda line: line["time_s"])
    assert busiest["file"].endswith("program.py")
    assert busiest["line"] == 7, busiest


def test_kill_9_at_any_moment_of_the_start_leaves_a_readable_file_or_none(ring):
    command = ring.program("busy(5)")
    for milliseconds in range(0, 150, 10):
        process = ring.start(command)
        time.sleep(milliseconds / 1000)
        process.kill()
        run = ring.finish(process)
        assert run.stderr == b""
        if run.db.exists():
            result = report(run.db, "--format", "json")
            assert result.returncode in (0, 2), result
            assert len(result.stderr.splitlines()) == (1 if result.returncode else len(result.stderr.splitlines()))


def test_a_live_run_can_be_read(ring):
    command = ring.program("""
        busy(0.8)
        print("ready", flush=True)
        input()
        """)
    process = ring.start(command, stdin=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    document = assert_recorded(process.directory / "out.db", 0.8)
    assert [(p["pid"], p["state"]) for p in document["run"]["processes"]] == [(process.pid, "running")]
    run = ring.finish(process, input=b"\n")
    assert report_json(run.db)["run"]["processes"][0]["state"] == "exit"
    assert (run.returncode, run.stderr) == (0, b"")


def in_small_file_system(size, command, before="true", options=""):
    """The command in the current directory, mounted over by a tmpfs; what lies there is copied to ../kept after."""
    quoted = " ".join(command)
    return ["unshare", "-m", "sh", "-c",
            f'kept=$PWD/kept; mkdir "$kept"; here=$PWD/small; mkdir "$here"; mount -t tmpfs -o size={size} t "$here"; '
            f'cd "$here"; {before}; mount -o remount,{options or "rw"} "$here"; '
            f'env LD_PRELOAD="$SHIM" {quoted}; status=$?; cp -a . "$kept"; exit $status']


def small_file_system_runs(ring, command, **how):
    """(plain, profiled) in small file systems; the preload is set for the program alone."""
    needs(unshare_works(), "needs root and mount namespaces")
    wrapped = in_small_file_system(how.pop("size", "1m"), command, **how)
    plain = ring.run(wrapped, profiled=False, env={"SHIM": ""})
    profiled = ring.run(wrapped, profiled=False, env={"SHIM": str(SHIM)})
    profiled.db = profiled.directory / "kept" / "out.db"
    return plain, profiled


# Many files of code with a source text each that does not compress: more than 1 MiB of records by themselves.
FILLER = """
import os, random, shutil, tempfile
random.seed(7)
directory = tempfile.mkdtemp()
for number in range(90):
    path = os.path.join(directory, "m%d.py" % number)
    lines = ["x%d = %r" % (i, random.getrandbits(512)) for i in range(250)]
    body = "\\n".join(lines) + "\\ndef work(busy):\\n    busy(0.02)\\n"
    with open(path, "w") as file: file.write(body)
    scope = {}
    exec(compile(body, path, "exec"), scope)
    scope["work"](busy)
shutil.rmtree(directory)
print("filled")
"""


def test_file_system_full_while_recording(ring):
    plain, profiled = small_file_system_runs(ring, ring.program(FILLER), size="512k")
    assert_same(plain, profiled, says=1)
    assert b"out.db" in profiled.said[0] or b"space" in profiled.said[0] or b"full" in profiled.said[0]
    document = report_json(profiled.db)
    assert samples(document) > 50
    assert document["run"]["health"]["dropped"]["disk_full"] > 0


def test_native_time_that_finds_no_room_is_no_python(ring):
    """Its samples' contexts cannot be stored: their time is in no sample, and no line is told to be the interpreter's."""
    command = ring.program(FILLER + """
import hashlib, time
def digest():
    block, end = bytes(1 << 20), time.process_time() + 3
    while time.process_time() < end:
        hashlib.sha256(block).digest()
digest()
""")
    _, profiled = small_file_system_runs(ring, command, size="512k")
    document = report_json(profiled.db)
    dropped, seconds = document["run"]["health"]["dropped"], document["totals"]["time_s"]
    assert dropped["disk_full"] > 0 and seconds["python"] < 3, (dropped, seconds)
    page = " ".join(report("--width", "200", profiled.db).stdout.decode().split())
    assert "is in no sample: the file had no room for it" in page


def test_processes_that_find_no_room_are_said(ring):
    command = ring.program("""
        import os
        for child in range(40):
            if (pid := os.fork()) == 0: busy(0.01); os._exit(0)
            os.waitpid(pid, 0)
        print("done")
        """)
    run = ring.run(command, env={"PIEPROF_MAX_SIZE": "1M"})
    assert (run.returncode, run.stdout, len(run.said)) == (0, b"done\n", 1)
    assert b"PIEPROF_MAX_SIZE" in run.said[0]
    missing = report_json(run.db)["run"]["health"]["dropped_joins"]
    assert missing > 20 and f"and {missing} more that found no room in the file" in report("--width", "200", run.db).stdout.decode()
    refused = report("gate", run.db, "--max", "findings=50")
    assert refused.returncode == 2 and b"its file was full" in refused.stderr


def test_file_system_filled_by_the_program_itself(ring):
    command = ring.program("""
        import os
        filler = os.open("filler", os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(filler, bytes(65536)) == 65536:
                pass
            os.write(filler, bytes(65536))
        except OSError as error:
            print(error.errno)
        """ + LOAD.replace("\n", "\n        "))
    plain, profiled = small_file_system_runs(ring, command)
    assert profiled.facts[:2] == plain.facts[:2]
    assert profiled.stderr_of_program == plain.stderr
    assert len(profiled.said) <= 1, profiled.said
    document = report_json(profiled.db)
    dropped = document["run"]["health"]["dropped"]["disk_full"]
    assert dropped == 0 or len(profiled.said) == 1, "dropped without a word"


def test_file_system_full_at_start(ring):
    command = ring.program(LOAD)
    plain, profiled = small_file_system_runs(ring, command, before="cat /dev/zero > filler 2>/dev/null")
    assert_same(plain, profiled, says=1)


def test_read_only_file_system(ring):
    plain, profiled = small_file_system_runs(ring, ring.program(LOAD), options="ro")
    assert_same(plain, profiled, says=1)
    assert b"out.db" in profiled.said[0]
    assert not profiled.db.exists()


def test_directory_that_the_user_may_not_write(open_ring):
    needs(os.geteuid() == 0, "needs root, to become another user")

    def become_nobody():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    run = open_ring.same(open_ring.program("busy(0.2); print('done')"), says=1, preexec_fn=become_nobody)
    assert b"out.db" in run.said[0] and b"ermission" in run.said[0]
    assert list(run.directory.iterdir()) == []


def test_missing_directory(ring):
    run = ring.same(ring.program("busy(0.2); print('done')"), says=1, env={"PIEPROF_OUT": "no/such/place.db"})
    assert b"no/such/place.db" in run.said[0]
    assert list(run.directory.iterdir()) == []


def test_a_directory_as_the_file(ring):
    directory = ring.directory()
    (directory / "out.db").mkdir()
    (directory / "out.db" / "mine").write_text("mine")
    run = ring.run(ring.program("busy(0.2); print('done')"), directory=directory)
    assert (run.returncode, run.stdout) == (0, b"done\n")
    assert [path.read_text() for path in directory.rglob("mine")] == ["mine"]
    assert run.db.is_file() or len(run.said) == 1


@pytest.mark.parametrize("exists", [True, False], ids=["to-a-file", "dangling"])
def test_symlink_is_not_followed(ring, exists):
    directory = ring.directory()
    victim = directory / "victim"
    if exists:
        victim.write_text("somebody's file\n")
    (directory / "out.db").symlink_to(victim)
    run = ring.run(ring.program("busy(0.5); print('done')"), directory=directory)
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"done\n", b"")
    assert victim.exists() == exists
    if exists:
        assert victim.read_text() == "somebody's file\n"
    if run.db.is_symlink():
        assert len(run.said) == 1
    else:
        assert_recorded(run.db, 0.5)


def test_the_file_is_its_owners_alone(ring):
    run = ring.run(ring.program("busy(0.2)"), preexec_fn=lambda: os.umask(0))
    assert run.db.stat().st_mode & 0o777 == 0o600


def test_an_existing_file_is_kept_as_old(ring):
    directory = ring.directory()
    command = ring.program("busy(0.5)")
    first, second, third = (ring.run(command, directory=directory) for _ in range(3))
    for run in (first, second, third):
        assert run.facts == (0, b"", b"")
    assert pids(assert_recorded(directory / "out.db", 0.5)) == {third.pid}
    assert pids(assert_recorded(directory / "out.db.old", 0.5)) == {second.pid}
    assert sorted(path.name for path in directory.iterdir()) == ["out.db", "out.db.old"]


def test_runs_of_one_name_join(ring):
    directory = ring.directory()
    command = ring.program("busy(0.3)")
    runs = [ring.run(command, directory=directory, env={"PIEPROF_RUN": "one"}) for _ in range(2)]
    assert pids(assert_recorded(directory / "out.db", 0.6)) == {run.pid for run in runs}
    other = ring.run(command, directory=directory, env={"PIEPROF_RUN": "two"})
    assert pids(report_json(directory / "out.db")) == {other.pid}
    assert pids(report_json(directory / "out.db.old")) == {run.pid for run in runs}


def test_processes_of_one_name_started_at_once_share_the_file(ring):
    directory = ring.directory()
    command = ring.program("busy(0.3); print('done')")
    processes = [ring.start(command, directory=directory, env={"PIEPROF_RUN": "ranks"}) for _ in range(8)]
    runs = [ring.finish(process) for process in processes]
    assert [run.facts for run in runs] == [(0, b"done\n", b"")] * 8
    assert pids(assert_recorded(directory / "out.db", 8 * 0.3)) == {run.pid for run in runs}
    assert [path.name for path in directory.iterdir()] == ["out.db"]


def test_a_held_file_is_not_touched(ring):
    directory = ring.directory()
    holder = ring.start(ring.program("busy(0.5); print('ready', flush=True); input(); busy(0.5)", "holder.py"),
                        directory=directory, stdin=subprocess.PIPE)
    assert holder.stdout.readline() == b"ready\n"
    inode = (directory / "out.db").stat().st_ino
    other = ring.run(ring.program("busy(0.5); print('done')"), directory=directory)
    aside = directory / f"out.{other.pid}.db"
    assert (other.returncode, other.stdout, other.stderr_of_program) == (0, b"done\n", b"")
    assert len(other.said) == 1 and aside.name.encode() in other.said[0]
    held = ring.finish(holder, input=b"\n")
    assert held.facts[::2] == (0, b"")
    assert (directory / "out.db").stat().st_ino == inode
    assert pids(assert_recorded(directory / "out.db", 1.0)) == {holder.pid}
    assert pids(assert_recorded(aside, 0.5)) == {other.pid}
    assert not (directory / "out.db.old").exists()


@pytest.mark.parametrize("content", [b"my only copy\n", b"", b"PIEPROF\x1a", os.urandom(200_000)],
                         ids=["text", "empty", "magic-only", "noise"])
def test_a_foreign_file_is_not_lost(ring, content):
    directory = ring.directory()
    (directory / "out.db").write_bytes(content)
    run = ring.run(ring.program("busy(0.3); print('done')"), directory=directory)
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"done\n", b"")
    assert content in [path.read_bytes() for path in directory.iterdir()]
    if (directory / "out.db").read_bytes() != content:
        assert_recorded(directory / "out.db", 0.3)
    else:
        assert len(run.said) == 1


@pytest.mark.parametrize("kind", ["fifo", "socket"])
def test_something_that_is_no_file_does_not_hang_the_run(ring, kind):
    directory = ring.directory()
    if kind == "fifo":
        os.mkfifo(directory / "out.db")
    else:
        import socket
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(directory / "out.db"))
    run = ring.run(ring.program("busy(0.2); print('done')"), directory=directory, timeout=15)
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"done\n", b"")
    assert len(run.said) <= 1


VANISH = """
import os, threading
busy(0.5)
{action}
busy(0.5)
threads = [threading.Thread(target=busy, args=(0.3,)) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
{load}
print("survived", os.path.exists("out.db"))
"""


@pytest.mark.parametrize("action", ["open('out.db', 'r+').truncate(0) if os.path.exists('out.db') else None",
                                    "os.truncate('out.db', 65536 + 4096) if os.path.exists('out.db') else None",
                                    "os.system(': > out.db') if os.path.exists('out.db') else None"],
                         ids=["truncate-0", "truncate-middle", "shell"])
def test_truncated_mid_run(ring, action):
    command = ring.program(VANISH.format(action=action, load=LOAD))
    run = ring.run(command)
    assert (run.returncode, run.stderr_of_program) == (0, b"")
    assert run.stdout.splitlines()[-1].startswith(b"survived")
    assert run.stdout.splitlines()[0] == b"trained 19999900000.0"
    assert len(run.said) == 1 and b"out.db" in run.said[0], run.stderr
    assert report(run.db).returncode in (0, 2)


def test_removed_mid_run(ring):
    run = ring.run(ring.program(VANISH.format(action="os.remove('out.db')", load=LOAD)))
    assert (run.returncode, run.stderr_of_program) == (0, b"")
    assert run.stdout == b"trained 19999900000.0\nsurvived False\n"
    assert len(run.said) == 1 and b"out.db" in run.said[0], run.stderr


def test_the_programs_own_sigbus_is_its_own(ring):
    """A mapping of the program's, cut short: the same death as without the shim, not a repaired ledger."""
    run = ring.same(ring.program("""
        import mmap, sys
        with open("mine", "wb") as file:
            file.write(bytes(8192))
        with open("mine", "r+b") as file:
            mapping = mmap.mmap(file.fileno(), 8192)
        busy(0.2)
        print("mapped", flush=True)
        open("mine", "w").close()
        print(mapping[5000])
        """))
    assert run.returncode == -signal.SIGBUS
    assert run.stdout == b"mapped\n"


def test_size_limit_is_kept(ring):
    run = ring.run(ring.program(FILLER), env={"PIEPROF_MAX_SIZE": "1M"})
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"filled\n", b"")
    assert len(run.said) == 1, run.said
    assert run.db.stat().st_size <= 1 << 20
    document = report_json(run.db)
    assert document["run"]["health"]["dropped"]["file_full"] > 0
    assert samples(document) > 50


def test_small_file_size_limit_raises_no_signal(ring):
    """RLIMIT_FSIZE: a write beyond it is EFBIG and SIGXFSZ, which kills a process that has not ignored it yet."""
    import resource
    run = ring.same(ring.program("busy(0.4); print('done')"), says=1,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (32768, 32768)))
    assert run.returncode == 0 and b"limit of file size (ulimit -f)" in run.said[0]


def test_standard_input_reaches_the_program(ring):
    run = ring.same(ring.program("import sys; busy(0.3); data = sys.stdin.buffer.read(); print(len(data), data[-5:])"),
                    input=b"x" * 300_000 + b"end.\n")
    assert run.stdout == b"300005 b'end.\\n'\n"
    assert_recorded(run.db, 0.3)
