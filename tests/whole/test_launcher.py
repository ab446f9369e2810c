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


def start(code, directory):
    process = subprocess.Popen(
        [whole.LAUNCHER, "--", whole.PYTHON, "-c", code], cwd=directory, env=whole.environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # nohup's children would ignore it
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
