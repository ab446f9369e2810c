"""The launcher: what it passes on, what it sets, what it says."""
import json
import os
import shutil
import subprocess
import time

import pytest

import whole
from launching import launch, python, start


def test_last_line_names_file_and_command(tmp_path):
    done = python("print(sum(i * i for i in range(3000000)))", directory=tmp_path)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "pieprof: profile in out.db; read it with: pieprof-report out.db"
    assert (tmp_path / "out.db").exists()
    assert whole.read_report(tmp_path / "out.db")


def test_file_whose_name_looks_like_an_option(tmp_path):
    done = launch("-o", "-o.db", "--", whole.PYTHON, "-c", "print(1)", directory=tmp_path)
    said = done.stderr.splitlines()[-1]
    assert said == "pieprof: profile in -o.db; read it with: pieprof-report ./-o.db"
    assert whole.execute([whole.REPORT, said.split()[-1]], cwd=tmp_path).returncode == 0


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


@pytest.mark.parametrize(
    "option, value, allowed",
    [
        ("--rate", "0", "1 to 10000"), ("--budget", "200", "0.1 to 100"), ("--engines", "foo", "comma list"),
        ("--max-size", "3", "1M"), ("--log", "loud", "quiet"), ("--events", ",", "event names"), ("-o", "dir/", "path"),
    ],
)
def test_a_wrong_value_is_told_as_typed_and_nothing_runs(tmp_path, option, value, allowed):
    done = launch(option, value, "--", "touch", "ran", directory=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f'{option} "{value}" is not ' in done.stderr and allowed in done.stderr
    assert "PIEPROF_" not in done.stderr and not list(tmp_path.iterdir())


@pytest.mark.parametrize("option, word", [("--help", "usage: pieprof"), ("--version", "pieprof ")])
def test_help_and_version(tmp_path, option, word):
    done = launch(option, directory=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(word)

NOTHING = "pieprof: nothing was recorded: a line above says why, or no Python started under the profiler"


def test_nothing_recorded_is_said(tmp_path):
    assert launch("true", directory=tmp_path).stderr.splitlines() == [NOTHING]


def test_a_file_that_no_process_found_room_in_is_no_profile(tmp_path):
    """Its header is there, and the record of a process that could not join."""
    limit = ["prlimit", "--fsize=8192", whole.BUILD / "pieprof", "--", whole.PYTHON, "-c", "print(1)"]
    done = whole.execute(limit, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n") and (tmp_path / "out.db").stat().st_size == 4096
    assert "has no space left" in done.stderr.splitlines()[0] and done.stderr.splitlines()[1:] == [NOTHING]


@pytest.mark.parametrize("out", ["missing/x.db", "file/x.db", "../{name}"])
def test_a_directory_that_takes_no_file_is_said_once(tmp_path, out):
    (tmp_path / "file").write_text("")
    three = f"{whole.PYTHON} -c 1; {whole.PYTHON} -c 1; {whole.PYTHON} -c 'print(1)'"
    out = out.format(name=tmp_path.name)  # the directory itself
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


@pytest.mark.parametrize("launched", [True, False])
def test_a_variable_that_is_none_is_told_once(tmp_path, launched):
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1)'])"
    before = ["--"] if launched else []
    for name, told in ("PIEPROF_RAET", 1), ("PIEPROF_RATE", 0):
        variables = {name: "500"} if launched else {name: "500", "LD_PRELOAD": str(whole.SHIM)}
        words = [*([whole.LAUNCHER] if launched else []), *before, whole.PYTHON, "-c", code]
        done = whole.execute(words, cwd=tmp_path, env=whole.environment(**variables))
        lines = [line for line in done.stderr.splitlines() if "profile in" not in line]
        assert (done.returncode, done.stdout, len(lines)) == (0, "1\n", told), done.stderr
        assert not told or "there is no variable PIEPROF_RAET" in lines[0]
        assert (tmp_path / "out.db").exists()


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
