"""The launcher: what it passes on, what it sets, what it says."""
import json
import os
import pty
import shutil
import signal
import subprocess
import time

import pytest
import whole

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


def launch(*words, directory, **options):
    return whole.execute([whole.LAUNCHER, *words], cwd=directory, **options)


def python(code, *words, directory, **options):
    return launch("--", whole.PYTHON, "-c", code, *words, directory=directory, **options)


def test_last_line_names_file_and_command(tmp_path):
    done = python("print(sum(i * i for i in range(3000000)))", directory=tmp_path)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "pieprof: profile in out.db; read it with: pieprof-report out.db"
    assert (tmp_path / "out.db").exists()
    assert whole.read_report(tmp_path / "out.db")


def test_second_run_keeps_the_first(tmp_path):
    for _ in range(2):
        assert python("print(sum(i * i for i in range(2000000)))", directory=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.db", "out.db.old"]


def test_live_run_is_not_touched(tmp_path):
    busy = "import time; print('ready', flush=True)\nend = time.time() + 4\nwhile time.time() < end: pass"
    first = subprocess.Popen(
        [whole.LAUNCHER, "--", whole.PYTHON, "-c", busy], cwd=tmp_path, env=whole.environment(),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )
    first.stdout.readline()
    done = python("import os; print(os.getpid(), sum(i * i for i in range(2000000)))", directory=tmp_path)
    first.communicate()
    pid = done.stdout.split()[0]
    assert done.stderr.splitlines()[-1].endswith(f"read it with: pieprof-report out.{pid}.db")
    assert (tmp_path / f"out.{pid}.db").exists()


def test_quiet_says_nothing(tmp_path):
    assert launch("--log", "quiet", "--", whole.PYTHON, "-c", "pass", directory=tmp_path).stderr == ""


def test_options_become_variables(tmp_path):
    done = launch(
        "-o", "here.db", "--rate", "500", "--budget", "5", "--engines", "time", "--max-size", "8M", "--log", "info",
        "env", directory=tmp_path,
    )
    variables = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert variables["PIEPROF_OUT"] == str(tmp_path / "here.db")
    assert variables["PIEPROF_RATE"] == "500"
    assert variables["PIEPROF_BUDGET"] == "5"
    assert variables["PIEPROF_ENGINES"] == "time"
    assert variables["PIEPROF_MAX_SIZE"] == "8M"
    assert variables["PIEPROF_LOG"] == "info"
    assert variables["LD_PRELOAD"] == str(whole.SHIM)
    assert variables["PIEPROF_RUN"]


def test_adds_to_preloaded_libraries(tmp_path):
    done = launch("env", directory=tmp_path, env=whole.environment(LD_PRELOAD="libm.so.6"))
    assert f"LD_PRELOAD={whole.SHIM}:libm.so.6" in done.stdout.splitlines()


@pytest.mark.parametrize(
    "job",
    [
        {"PMIX_NAMESPACE": "job.1"},
        {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"},
        {"TORCHELASTIC_RUN_ID": "elastic"},
    ],
    ids=lambda job: next(iter(job)),
)
def test_a_job_names_the_run(tmp_path, job):
    done = launch("env", directory=tmp_path, env=whole.environment(**job))
    assert "PIEPROF_RUN=" not in done.stdout


def test_a_given_run_name_is_kept(tmp_path):
    done = launch("env", directory=tmp_path, env=whole.environment(PIEPROF_RUN="mine"))
    assert "PIEPROF_RUN=mine" in done.stdout.splitlines()


def test_arguments_and_input_pass(tmp_path):
    code = "import sys; print(sys.argv[1:], sys.stdin.read())"
    (tmp_path / "input").write_text("hello")
    with open(tmp_path / "input") as stdin:
        done = python(code, "--rate", "a b", "", directory=tmp_path, stdin=stdin)
    assert done.stdout == "['--rate', 'a b', ''] hello\n"


def test_exit_status_passes(tmp_path):
    assert python("raise SystemExit(7)", directory=tmp_path).returncode == 7


def test_missing_program(tmp_path):
    done = launch("--", "./nowhere", directory=tmp_path)
    assert done.returncode == 127
    assert "cannot run ./nowhere" in done.stderr


@pytest.mark.parametrize("words", [("--no-such-option",), ()])
def test_usage(tmp_path, words):
    assert launch(*words, directory=tmp_path).returncode == 2


@pytest.mark.parametrize("option, word", [("--help", "usage: pieprof"), ("--version", "pieprof ")])
def test_help_and_version(tmp_path, option, word):
    done = launch(option, directory=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(word)


def start(code, directory, **options):
    process = subprocess.Popen(
        [whole.LAUNCHER, "--", whole.PYTHON, "-c", code], cwd=directory, env=whole.environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # nohup's children would ignore it
        **options,
    )
    assert process.stdout.readline() == "ready\n"
    return process


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


NOTHING = "pieprof: nothing was recorded: a line above says why, or no Python started under the profiler"


def test_nothing_recorded_is_said(tmp_path):
    assert launch("true", directory=tmp_path).stderr.splitlines() == [NOTHING]


@pytest.mark.parametrize("out", ["missing/x.db", "file/x.db"])
def test_a_directory_that_takes_no_file_is_said_once(tmp_path, out):
    (tmp_path / "file").write_text("")
    three = f"{whole.PYTHON} -c 1; {whole.PYTHON} -c 1; {whole.PYTHON} -c 'print(1)'"
    done = launch("-o", out, "--", "sh", "-c", three, directory=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert len(done.stderr.splitlines()) == 1 and "cannot record to" in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("run", [{}, {"PIEPROF_RUN": "mine"}, {"PMIX_NAMESPACE": "job.1"}], ids=str)
def test_stale_file_is_not_announced(tmp_path, run):
    environment = whole.environment(**run)
    assert python("pass", directory=tmp_path, env=environment).returncode == 0
    time.sleep(0.1)
    assert launch("true", directory=tmp_path, env=environment).stderr.splitlines() == [NOTHING]
    joined = python("pass", directory=tmp_path, env=environment)
    assert joined.stderr.splitlines()[-1] == "pieprof: profile in out.db; read it with: pieprof-report out.db"


@pytest.mark.parametrize("run", [{}, {"PIEPROF_RUN": "mine"}], ids=str)
@pytest.mark.parametrize("shell", [False, True], ids=["direct", "shell"])
def test_file_beside_a_live_run_is_found(tmp_path, run, shell):
    first = start("print('ready', flush=True); input()", tmp_path, stdin=subprocess.PIPE)
    words = [whole.PYTHON, "-c", "import os; print(os.getpid())"]
    if shell:
        words = ["/bin/sh", "-c", f"{words[0]} -c '{words[2]}'; true"]
    done = launch("--", *words, directory=tmp_path, env=whole.environment(**run))
    first.communicate("\n")
    assert done.stderr.splitlines()[-1].endswith(f"pieprof-report out.{done.stdout.strip()}.db")


@pytest.mark.parametrize("name, value", [("PIEPROF_OUT", ""), ("PIEPROF_RATE", "banana"), ("PIEPROF_RUN", "")])
def test_refuses_as_the_shim_does(tmp_path, name, value):
    words = [whole.PYTHON, "-c", "print(1)"]
    alone = whole.execute(words, cwd=tmp_path, env=whole.environment(LD_PRELOAD=str(whole.SHIM), **{name: value}))
    launched = launch("--", *words, directory=tmp_path, env=whole.environment(**{name: value}))
    assert alone.stderr.count("\n") == 1 and name in alone.stderr
    assert (launched.returncode, launched.stdout, launched.stderr) == (0, "1\n", alone.stderr)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mpirun", ["mpirun.openmpi", "mpirun.mpich"])
def test_ranks_refuse_once(tmp_path, mpirun):
    if not shutil.which(mpirun):
        pytest.skip(f"{mpirun} is not installed")
    options = ["--allow-run-as-root", "--oversubscribe"] if "openmpi" in mpirun else []
    words = [mpirun, *options, "-np", "3", whole.LAUNCHER, "--", whole.PYTHON, "-c", "pass"]
    done = whole.execute(words, cwd=tmp_path, env=whole.environment(PIEPROF_RATE="banana"))
    assert (done.returncode, done.stderr.count("banana")) == (0, 1), done.stderr


def test_one_version():
    launcher = whole.execute([whole.LAUNCHER, "--version"]).stdout.split()
    assert whole.execute([whole.REPORT, "--version"]).stdout.split()[1:] == launcher[1:]


@pytest.mark.parametrize("option", ["--help", "--version"])
@pytest.mark.parametrize("program", [whole.LAUNCHER, whole.REPORT], ids=lambda path: path.name)
def test_full_output_is_said(program, option):
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, option], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("kind", ["pipe", "directory", "/dev/zero"])
def test_report_refuses_what_is_no_file(tmp_path, kind):
    if kind == "pipe":
        os.mkfifo(tmp_path / kind)
    elif kind == "directory":
        (tmp_path / kind).mkdir()
    done = subprocess.run([whole.REPORT, kind], cwd=tmp_path, capture_output=True, text=True, timeout=10)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert kind in done.stderr


def test_report_never_overwrites_a_run(tmp_path):
    assert python("pass", directory=tmp_path).returncode == 0
    os.link(tmp_path / "out.db", tmp_path / "linked")
    shutil.copy(tmp_path / "out.db", tmp_path / "copy.db")
    before = (tmp_path / "out.db").read_bytes()
    for output in ("out.db", "linked", "copy.db"):
        done = whole.execute([whole.REPORT, "-o", output, "out.db"], cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert (tmp_path / output).read_bytes() == before
    for _ in range(2):
        assert whole.execute([whole.REPORT, "-o", "page.txt", "out.db"], cwd=tmp_path).returncode == 0
    assert (tmp_path / "page.txt").read_text()


@pytest.mark.parametrize("mpirun", ["mpirun.openmpi", "mpirun.mpich"])
def test_ranks_join_one_file(tmp_path, mpirun):
    if not shutil.which(mpirun):
        pytest.skip(f"{mpirun} is not installed")
    options = ["--allow-run-as-root", "--oversubscribe"] if "openmpi" in mpirun else []
    code = "print(sum(i * i for i in range(4000000)))"
    words = [mpirun, *options, "-np", "2", whole.LAUNCHER, "--", whole.PYTHON, "-c", code]
    done = whole.execute(words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["out.db"]
    assert done.stderr.count("pieprof-report out.db") == 1
    report = json.loads(whole.read_report(tmp_path / "out.db", "--format", "json"))
    assert sorted(process["rank"] for process in report["run"]["processes"]) == [0, 1]


def test_torchrun_workers_join_one_file(tmp_path):
    torchrun = whole.VENV / "bin/torchrun"
    if whole.INTERPRETERS["venv"].missing() or not torchrun.exists():
        pytest.skip("no .venv with torch==2.13.0: make deps")
    (tmp_path / "train.py").write_text("print(sum(i * i for i in range(4000000)))\n")
    words = [torchrun, "--nproc-per-node", "2", "--no-python", whole.LAUNCHER, "--", whole.VENV / "bin/python"]
    done = whole.execute([*words, tmp_path / "train.py"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.glob("*.db*")] == ["out.db"]
    report = json.loads(whole.read_report(tmp_path / "out.db", "--format", "json"))
    assert sorted(process["rank"] for process in report["run"]["processes"]) == [0, 1]
