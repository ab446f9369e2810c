"""Machines that allow less: no perf events, little memory, and values nobody should have set."""

import pathlib
import resource
import subprocess

import pytest

from hostile_ring import PYTHON, SHIM, assert_recorded, base_environment, engine, needs, profiled_environment, report_json, samples

EPERM, ENOSYS, EACCES, EINVAL = 1, 38, 13, 22


@pytest.mark.parametrize("refusal", [EPERM, ENOSYS, EACCES], ids=["EPERM", "ENOSYS", "EACCES"])
def test_perf_events_refused(ring, native, refusal):
    command = ring.program("""
        import os, threading
        busy(0.6)
        thread = threading.Thread(target=busy, args=(0.4,)); thread.start(); thread.join()
        child = os.fork()
        if child == 0: busy(0.4); os._exit(0)
        print(os.waitpid(child, 0)[1])
        """)
    run = ring.same([native("refuse.c", shared=False), str(refusal), "298", *command], says=1)
    assert b"access" in run.said[0] and b"perf_event" in run.said[0], run.said
    document = assert_recorded(run.db, 1.4)
    assert engine(document, "time")["on"]
    access = engine(document, "access")
    assert not access["on"] and "perf_event" in access["why_off"]
    assert len(document["run"]["processes"]) == 2


def test_perf_events_and_timers_refused(ring, native):
    """Without any clock nothing can be sampled: one line for each engine, its reason in the file, and the program runs."""
    command = ring.program("busy(0.4); print('done')")
    run = ring.same([native("refuse.c", shared=False), str(EPERM), "298,222", *command], says=2)
    assert b"access" in run.said[0] and b"time" in run.said[1]
    time_engine = engine(report_json(run.db), "time")
    assert not time_engine["on"] and time_engine["why_off"]


@pytest.mark.parametrize("calls", ["285", "319", "310", "73"], ids=["fallocate", "memfd", "readv", "flock"])
def test_other_calls_refused(ring, native, calls):
    command = ring.program("busy(0.5); print('done')")
    run = ring.run([native("refuse.c", shared=False), str(EPERM), calls, *command])
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"done\n", b"")
    assert len(run.said) <= 1, run.said
    if not run.said:
        assert_recorded(run.db, 0.5)


@pytest.mark.parametrize("refusal", [EPERM, EINVAL, ENOSYS])
def test_where_no_space_can_be_reserved_zeros_are_written(ring, native, refusal):
    run = ring.same([native("refuse.c", shared=False), str(refusal), "285", *ring.program("busy(0.5); print('done')")])
    assert_recorded(run.db, 0.5)


def test_seccomp_that_kills_on_unusual_calls_started_later(ring, native):
    """A sandboxing program forbids perf events, files and timers after its start: recording goes on or stops quietly."""
    run = ring.run(ring.program(f"""
        import ctypes, threading
        lib = ctypes.CDLL({native("refuse.c")!r})
        busy(0.4)
        print(lib.refuse_calls(b"298,222,2,257,85,319", 1))
        busy(0.4)
        thread = threading.Thread(target=busy, args=(0.3,)); thread.start(); thread.join()
        print("done")
        """))
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"0\ndone\n", b"")
    assert len(run.said) <= 1
    assert_recorded(run.db, 0.8, 80)


def test_little_address_space(ring):
    """The shim may take 32 MiB and a little; what it reserves without using counts here too."""
    mib = 1 << 20
    run = ring.same(ring.program("""
        blocks = [bytearray(50 << 20) for _ in range(6)]
        busy(0.4)
        print(sum(map(len, blocks)))
        """), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (450 * mib, 450 * mib)))
    assert run.returncode == 0
    assert_recorded(run.db, 0.4)


def test_out_of_memory_is_the_programs_own_error(ring):
    mib = 1 << 20
    run = ring.same(ring.program("""
        blocks = []
        try:
            while True: blocks.append(bytearray(20 << 20))
        except MemoryError: print("MemoryError")
        del blocks[:]
        busy(0.3); print("done")
        """), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (500 * mib, 500 * mib)))
    assert run.stdout == b"MemoryError\ndone\n"


def test_cpu_limit_signal_arrives(ring):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (1, 30))
    run = ring.same(ring.program("""
        import signal
        signal.signal(signal.SIGXCPU, lambda *a: (print("XCPU"), exit(6)))
        busy(5)
        """), preexec_fn=limit)
    assert run.returncode == 6
    assert_recorded(run.db, 0.9)


BAD = [("PIEPROF_RATE", value) for value in ("banana", "0", "10001", "-5", "250x", "1e3000", "9" * 40)]
BAD += [("PIEPROF_BUDGET", value) for value in ("banana", "0", "101", "-1", "nan", "inf", "2%x")]
BAD += [("PIEPROF_ENGINES", value) for value in ("banana", "time,banana", "time;access")]
BAD += [("PIEPROF_MAX_SIZE", value) for value in ("banana", "-1", "0", "1Q", "9" * 30 + "G")]
BAD += [("PIEPROF_LOG", "shouting"), ("PIEPROF_OUT", "x" * 5000), ("PIEPROF_RUN", "y" * 5000)]


@pytest.mark.parametrize("name,value", BAD, ids=[f"{name[8:]}={value[:12]}" for name, value in BAD])
def test_bad_value(ring, name, value):
    run = ring.same(ring.program("import sys; print('ran'); sys.exit(4)"), says=1, env={name: value})
    assert run.returncode == 4
    line = run.said[0].decode()
    assert name in line and value[:100] in line, line
    assert len(line) > len(name) + min(len(value), 100) + 15, "what is allowed is not said"
    assert not list(run.directory.iterdir()), "runs on unprofiled"


def test_allowed_values_are_named(ring):
    rate = ring.run(ring.program("pass"), env={"PIEPROF_RATE": "banana"}).said[0]
    assert b"1" in rate and b"10000" in rate.replace(b",", b"")
    budget = ring.run(ring.program("pass"), env={"PIEPROF_BUDGET": "banana"}).said[0]
    assert b"0.1" in budget and b"100" in budget
    engines = ring.run(ring.program("pass"), env={"PIEPROF_ENGINES": "banana"}).said[0]
    assert all(name in engines for name in (b"time", b"access", b"replica", b"transfer"))


def test_a_line_that_a_files_limit_cuts_off_ends_nothing(ring, tmp_path):
    """Beyond the limit a write sends SIGXFSZ, which the interpreter ignores, but not before it has started."""
    log = tmp_path / "log"
    log.write_bytes(b"x" * 4096)
    with open(log, "ab") as stderr:
        done = subprocess.run(ring.program("print('ran')"), env=profiled_environment({"PIEPROF_RATE": "banana"}), stdout=subprocess.PIPE, stderr=stderr,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)), timeout=60)
    assert (done.returncode, done.stdout, log.stat().st_size) == (0, b"ran\n", 4096)


BACKGROUND = """
import os, pty, subprocess, sys, termios
child, _ = pty.fork()
if child == 0:
    settings = termios.tcgetattr(0)
    settings[3] |= termios.TOSTOP
    termios.tcsetattr(0, termios.TCSANOW, settings)
    program = os.fork()
    if program == 0:
        os.setpgid(0, 0)
        os.execve(sys.argv[1], sys.argv[1:], os.environ | {"LD_PRELOAD": os.environ["SHIM"], "PIEPROF_RATE": "banana"})
    _, status = os.waitpid(program, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        os.kill(program, 9)
    os._exit(9 if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_line_to_a_terminal_of_others_does_not_stop_the_program(ring, tmp_path):
    """A background program that writes there is stopped where the terminal is set so (stty tostop)."""
    (tmp_path / "background.py").write_text(BACKGROUND)
    done = subprocess.run([PYTHON, tmp_path / "background.py", *ring.program("import sys; sys.exit(4)")], env={**base_environment(), "SHIM": str(SHIM)},
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60, start_new_session=True)
    assert done.returncode == 4, done.stderr


def test_bad_value_is_said_once_a_run(ring):
    run = ring.run(ring.program("""
        import os, subprocess, sys
        subprocess.run([sys.executable, "-c", "pass"])
        child = os.fork()
        if child == 0: os._exit(0)
        os.waitpid(child, 0)
        """), env={"PIEPROF_RATE": "banana"})
    assert run.returncode == 0 and len(run.said) == 1, run.said


def test_a_working_directory_that_is_gone_is_said(ring):
    directory = ring.directory()
    run = ring.run(["sh", "-c", f"rmdir {directory} && exec \"$@\"", "sh", *ring.program("print('done')")],
                   directory=directory)
    assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"done\n", b"")
    assert len(run.said) == 1 and b"working directory is gone" in run.said[0], run.said


def old_pythons():
    versions = pathlib.Path.home() / ".pyenv/versions"
    return sorted(path for path in versions.glob("*/bin/python") if path.parts[-3].startswith(("2.", "3.6.", "3.7.")))


def test_a_python_that_is_not_supported_leaves_the_last_profile(ring):
    needs(old_pythons(), "no Python before 3.8 in ~/.pyenv")
    for python in old_pythons():
        directory = ring.directory()
        (directory / "out.db").write_bytes(b"the last one")
        run = ring.run([str(python), "-c", "print(1)"], directory=directory)
        assert (run.returncode, run.stdout, run.stderr_of_program) == (0, b"1\n", b"")
        assert len(run.said) == 1 and b"not supported" in run.said[0], run.said
        assert [(path.name, path.read_bytes()) for path in directory.iterdir()] == [("out.db", b"the last one")]


@pytest.mark.parametrize("name,value", [("PIEPROF_RATE", "1"), ("PIEPROF_RATE", "10000"), ("PIEPROF_BUDGET", "0.1"),
                                        ("PIEPROF_BUDGET", "100"), ("PIEPROF_ENGINES", "time"),
                                        ("PIEPROF_ENGINES", "all"), ("PIEPROF_ENGINES", "access"),
                                        ("PIEPROF_MAX_SIZE", "4M"), ("PIEPROF_OUT", "elsewhere.db")])
def test_good_value_at_the_edge(ring, name, value):
    all_of_it = {"PIEPROF_BUDGET": "100"} if (name, value) == ("PIEPROF_RATE", "10000") else {}  # at 2 % it slows down
    run = ring.same(ring.program("busy(0.3); print('done')"), env={name: value, **all_of_it})
    document = report_json(run.directory / ("elsewhere.db" if name == "PIEPROF_OUT" else "out.db"))
    if (name, value) == ("PIEPROF_ENGINES", "time"):
        assert engine(document, "time")["on"] and not engine(document, "access")["on"]
    elif (name, value) == ("PIEPROF_RATE", "10000"):
        assert samples(document) > 500


def test_quiet_is_quiet(ring):
    run = ring.run(ring.program("busy(0.1)"), env={"PIEPROF_OUT": "no/such/dir/x.db", "PIEPROF_LOG": "quiet"})
    assert run.facts == (0, b"", b"")


NO_PYTHON = {"ls": ["/bin/ls", "-la", "/usr/lib"], "perl": ["perl", "-e", "print 6*7; exit 3"],
             "sh": ["sh", "-c", "echo $0; ls / | wc -l; kill -TERM $$"], "bash": ["bash", "-c", "echo ${BASH_VERSION%%.*}"],
             "true": ["/bin/true"], "gcc": ["gcc", "--version"], "git": ["git", "--version"], "missing": ["env", "no-such"]}


@pytest.mark.parametrize("name", NO_PYTHON)
@pytest.mark.parametrize("env", [{}, {"PIEPROF_RATE": "banana"}], ids=["", "banana"])
def test_no_python_in_the_process(ring, name, env):
    run = ring.same(NO_PYTHON[name], env=env)
    assert list(run.directory.iterdir()) == []


def test_no_python_in_a_threaded_forking_program(ring, native):
    run = ring.same([native("plain.c", shared=False)])
    assert run.stdout.startswith(b"descriptors 3 ")
    assert list(run.directory.iterdir()) == []


def test_an_existing_file_survives_programs_without_python(ring):
    run = ring.run(ring.program("busy(0.2)"))
    content = run.db.read_bytes()
    ring.run(["sh", "-c", "ls >/dev/null; perl -e 1; true"], directory=run.directory)
    assert run.db.read_bytes() == content
    assert [path.name for path in run.directory.iterdir()] == ["out.db"]


def test_shim_needs_libc_alone():
    dynamic = subprocess.run(["readelf", "-dW", SHIM], capture_output=True, text=True, check=True).stdout
    needed = [line for line in dynamic.splitlines() if "(NEEDED)" in line]
    assert len(needed) == 1 and "libc.so.6" in needed[0], needed
    assert "TEXTREL" not in dynamic


def test_shim_exports_nothing_of_an_unwinder():
    symbols = subprocess.run(["nm", "-D", "--defined-only", SHIM], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in symbols.splitlines()}
    assert "malloc" in exported and "sigaction" in exported
    foreign = {name for name in exported if name.startswith(("_Unwind", "unw_", "Zydis", "PAPI", "pieprof"))}
    assert not foreign
