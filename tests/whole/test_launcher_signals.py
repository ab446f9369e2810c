"""The launcher between its caller, the terminal and the program: signals, stops, process groups."""
import os
import pty
import signal
import subprocess
import time

import pytest

import whole
from launching import start

WAIT = "import signal, time; print('ready', flush=True); time.sleep(60)"
COUNT_TERM = """
import signal, sys, time
got = []
signal.signal(signal.SIGTERM, lambda *_: got.append(1))
print('ready', flush=True)
end = time.monotonic() + 1
while time.monotonic() < end: time.sleep(0.05)
print(len(got))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1], ids=lambda number: number.name)
def test_dies_by_the_programs_signal(tmp_path, number):
    process = start(WAIT, tmp_path)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == -number


def test_interrupt_reaches_python(tmp_path):
    process = start(WAIT, tmp_path)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in stderr
    assert process.returncode == -signal.SIGINT


@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
def test_signal_arrives_once(tmp_path, to_group):
    process = start(COUNT_TERM, tmp_path)
    (os.killpg if to_group else os.kill)(process.pid, signal.SIGTERM)
    stdout, _ = process.communicate(timeout=20)
    assert stdout == "1\n"


def test_killed_launcher_takes_the_program_along(tmp_path):
    code = "import os, time; print('ready', flush=True); print(os.getpid(), flush=True); time.sleep(60)"
    process = start(code, tmp_path)
    pid = int(process.stdout.readline())
    process.kill()
    process.communicate(timeout=20)
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.05)
    pytest.fail("the program lives on")


def read_terminal(descriptor, until):
    seen = b""
    while until not in seen:
        try:
            part = os.read(descriptor, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    return seen


def test_control_c_on_a_terminal(tmp_path):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        words = [str(whole.LAUNCHER), "--", whole.PYTHON, "-c", WAIT]
        os.execve(words[0], words, whole.environment())
    assert b"ready" in read_terminal(terminal, b"ready")
    os.write(terminal, b"\x03")
    assert b"KeyboardInterrupt" in read_terminal(terminal, b"KeyboardInterrupt")
    read_terminal(terminal, b"pieprof-report")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.WTERMSIG(status) == signal.SIGINT

COUNT = """
import os, signal, sys, time
got = []
number = int(sys.argv[1])
signal.signal(number, lambda *_: got.append(1))
if len(sys.argv) > 2: os.setsid()
print('ready', flush=True)
end = time.monotonic() + 1
while time.monotonic() < end: time.sleep(0.05)
print(len(got), flush=True)
"""


def count_start(directory, *words):
    process = subprocess.Popen(
        [whole.LAUNCHER, "--log", "quiet", "--", whole.PYTHON, "-c", COUNT, *map(str, words)], cwd=directory,
        env=whole.environment(), stdout=subprocess.PIPE, text=True, start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process

FORWARDED = [
    "HUP", "INT", "QUIT", "TRAP", "ABRT", "USR1", "SEGV", "PIPE", "ALRM", "TERM", "CONT", "TSTP", "TTIN", "URG", "XCPU",
    "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS", "RTMIN", "RTMAX",
]


@pytest.mark.parametrize("name", FORWARDED)
def test_every_signal_is_passed_on_once(tmp_path, name):
    number = int(getattr(signal, f"SIG{name}"))
    process = count_start(tmp_path, number)
    process.send_signal(number)
    assert process.communicate(timeout=20)[0] == "1\n"


def test_signals_to_group_and_process_are_told_apart(tmp_path):
    process = count_start(tmp_path, int(signal.SIGTERM))
    for send in (os.killpg, os.kill, os.killpg, os.kill, os.kill):
        send(process.pid, signal.SIGTERM)
        time.sleep(0.1)
    assert process.communicate(timeout=20)[0] == "5\n"


def test_program_may_start_a_session(tmp_path):
    process = count_start(tmp_path, int(signal.SIGTERM), "setsid")
    os.killpg(process.pid, signal.SIGTERM)
    assert process.communicate(timeout=20) == ("1\n", None)
    assert process.returncode == 0


def test_killed_group_leaves_no_workers(tmp_path):
    code = """
import os, time
worker = os.fork()
if worker == 0:
    time.sleep(60)
    os._exit(0)
print('ready', flush=True)
print(worker, flush=True)
time.sleep(60)
"""
    process = start(code, tmp_path)
    worker = int(process.stdout.readline())
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    assert wait_for(lambda: state_of(worker) in (None, "Z"))


def state_of(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def wait_for(holds, seconds=10):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_program_that_stops_itself_stops_the_launcher_alone(tmp_path):
    """The caller, in the same group, goes on; a continued launcher continues the program."""
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); print('on', flush=True)"
    caller = f"""
import subprocess, sys, time, os, signal
launcher = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
_, status = os.waitpid(launcher.pid, os.WUNTRACED)
print(os.WIFSTOPPED(status), flush=True)
os.kill(launcher.pid, signal.SIGCONT)
print(launcher.stdout.read().strip(), flush=True)
"""
    words = [whole.PYTHON, "-c", caller, whole.LAUNCHER, "--log", "quiet", "--", whole.PYTHON, "-c", code]
    process = subprocess.Popen(
        [str(word) for word in words], cwd=tmp_path, env=whole.environment(), stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )
    try:
        assert process.communicate(timeout=20)[0] == "True\non\n"
    finally:
        process.kill()


@pytest.mark.parametrize("name", ["STOP"])
def test_program_that_is_stopped_and_continued_alone(tmp_path, name):
    """Who stops it by its pid, a limiter or a supervisor, knows of no launcher: that goes on with it, and adds no signal."""
    code = """
import os, signal, sys, time
continued = []
signal.signal(signal.SIGCONT, lambda *_: continued.append(1))
with open("pid", "w") as file: file.write(str(os.getpid()))
end = time.monotonic() + 20
while not continued and time.monotonic() < end: time.sleep(0.01)
time.sleep(0.3)
sys.exit(10 + len(continued))
"""
    process = subprocess.Popen([whole.LAUNCHER, "--log", "quiet", "--", whole.PYTHON, "-c", code], cwd=tmp_path, env=whole.environment())
    try:
        assert wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
        program = int((tmp_path / "pid").read_text())
        os.kill(program, getattr(signal, "SIG" + name))
        assert wait_for(lambda: state_of(process.pid) == "T" and state_of(program) == "T")
        os.kill(program, signal.SIGCONT)
        assert process.wait(timeout=20) == 11
    finally:
        process.kill()


def on_terminal(directory, *words):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(directory)
        os.execve(str(words[0]), [str(word) for word in words], whole.environment(PS1="$ ", HISTFILE=""))
    return pid, terminal


def test_control_c_arrives_once(tmp_path):
    words = [whole.LAUNCHER, "--log", "quiet", "--", whole.PYTHON, "-c", COUNT, str(int(signal.SIGINT))]
    pid, terminal = on_terminal(tmp_path, *words)
    read_terminal(terminal, b"ready")
    os.write(terminal, b"\x03")
    assert b"1\r\n" in read_terminal(terminal, b"\n1\r\n")
    os.waitpid(pid, 0)
    os.close(terminal)


def test_hangup_arrives_once(tmp_path):
    """The kernel tells a closed terminal to the session's leader, here the launcher, and to no other."""
    code = COUNT.replace("print(len(got), flush=True)", "open('count', 'w').write(str(len(got)))")
    words = [whole.LAUNCHER, "--log", "quiet", "--", whole.PYTHON, "-c", code, str(int(signal.SIGHUP))]
    pid, terminal = on_terminal(tmp_path, *words)
    read_terminal(terminal, b"ready\r\n")
    os.close(terminal)
    assert os.waitpid(pid, 0)[1] == 0
    assert (tmp_path / "count").read_text() == "1"


def test_pipeline_keeps_the_foreground(tmp_path):
    """In an interactive shell the pipeline's group holds the terminal: a pager may read from it."""
    (tmp_path / "pager.py").write_text(
        "import os\ntty = os.open('/dev/tty', os.O_RDWR)\n"
        "input()\nprint('held', os.tcgetpgrp(tty) == os.getpgrp(), end='!', flush=True)\n"
    )
    pid, terminal = on_terminal(tmp_path, "/bin/bash", "--norc", "--noprofile", "-i")
    code = "import time; print(1, flush=True); time.sleep(1)"
    command = f"{whole.LAUNCHER} -- {whole.PYTHON} -c '{code}' | {whole.PYTHON} pager.py\n"
    os.write(terminal, command.encode())
    try:
        assert b"held True!" in read_terminal(terminal, b"!")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def test_control_z_and_foreground(tmp_path):
    pid, terminal = on_terminal(tmp_path, "/bin/bash", "--norc", "--noprofile", "-i")
    code = "import time; print(\"rea\" + \"dy\", flush=True); time.sleep(2); print(\"wo\" + \"ke\", flush=True)"
    os.write(terminal, f"{whole.LAUNCHER} -- {whole.PYTHON} -c '{code}'\n".encode())
    try:
        assert b"ready" in read_terminal(terminal, b"ready")
        os.write(terminal, b"\x1a")
        assert b"Stopped" in read_terminal(terminal, b"Stopped")
        os.write(terminal, b"fg\n")
        assert b"pieprof-report out.db" in read_terminal(terminal, b"pieprof-report out.db")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
