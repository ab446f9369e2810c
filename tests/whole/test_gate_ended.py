"""Runs of programs that did not come to their end: the gate decides nothing about them, and says why."""
import json
import textwrap

import pytest

import whole
from gating import clean, export, gate, refused, verdict

TRAINING = """
    import os, signal, sys
    import numpy as np
    points = np.random.default_rng(0).normal(size=(2000, 32))
    for step in range(60):
        scaled = points / points.std(axis=0) + step
        if step == 20:
            {middle}
    {end}
    """
FAILED = {
    "exception": ("raise ValueError(step)", 1),
    "sys.exit": ("sys.exit(3)", 3),
    "_exit": ("os._exit(1)", 1),
    "thread": ("import threading; threading.Thread(target=os._exit, args=(7,)).start(); signal.pause()", 7),
    "import": ("import no_such_module", 1),
    "abort": ("os.abort()", -6),
    "killed": ("os.kill(os.getpid(), 9)", -9),
}


def record(tmp_path, name, middle="pass", end="pass", text=None, **variables):
    """Its exit status, and the run."""
    script, database = tmp_path / "train.py", tmp_path / f"{name}.db"
    script.unlink(missing_ok=True)
    if text != "":
        script.write_text(textwrap.dedent(TRAINING).format(middle=middle, end=end) if text is None else text)
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **variables)
    return whole.execute([whole.PYTHON, "train.py"], cwd=tmp_path, env=environment).returncode, database


@pytest.fixture
def base(tmp_path):
    status, database = record(tmp_path, "base")
    assert status == 0
    return export(database)


@pytest.mark.parametrize("name", FAILED)
def test_a_program_that_failed_is_refused(tmp_path, base, name):
    middle, expected = FAILED[name]
    status, database = record(tmp_path, "new", middle)
    assert status == expected
    words = f"exit status {expected}" if expected > 0 else "killed before its end"
    before = base.read_bytes()
    for arguments in (["--baseline", base], ["--max", "findings=0"], ["--baseline", base, "--update-baseline"]):
        message = refused(database, *arguments)
        assert words in message and "--partial" in message
    assert base.read_bytes() == before
    assert gate(database, "--baseline", base, "--partial").returncode == 0


@pytest.mark.parametrize("text, expected", [("x = = 1\n", 1), ("import no_such_module\n", 1), ("", 2)], ids=["syntax", "import", "missing"])
def test_a_program_that_did_not_begin_is_refused(tmp_path, base, text, expected):
    status, database = record(tmp_path, "new", text=text)
    assert status == expected
    assert f"it ended with exit status {expected}" in refused(database, "--max", "findings=0")


@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)", "sys.exit()", "sys.stdout.flush()"])
def test_a_program_that_came_to_its_end_is_judged(tmp_path, base, end):
    status, database = record(tmp_path, "new", end=end)
    assert status == 0
    verdict(database, "--baseline", base, status=0)


def test_helpers_may_fail_and_children_may_be_killed(tmp_path, base):
    middle = "child = os.fork() or os._exit(5); os.waitpid(child, 0); child = os.fork() or os.kill(os.getpid(), 9); os.waitpid(child, 0)"
    status, database = record(tmp_path, "new", middle)
    assert status == 0
    verdict(database, "--baseline", base, status=0)


SCRIPTS = {  # what the shell does, and why the run is not whole
    "last": ("$PYTHON prepare.py; $PYTHON train.py", "exit status 3 ("),
    "middle": ("$PYTHON prepare.py; $PYTHON train.py; $PYTHON prepare.py", "exit status 3 ("),
    "first": ("$PYTHON train.py; $PYTHON prepare.py", "exit status 3 ("),
    "killed": ("$PYTHON prepare.py; $PYTHON kill.py", "killed before its end ("),
    "question": ("$PYTHON prepare.py; $PYTHON -c 'import no_such_module' || $PYTHON prepare.py", None),
    "question first": ("$PYTHON -Wignore -c 'import no_such_module' || $PYTHON prepare.py; $PYTHON -I -c 'import no_such_module'; true", None),
    "text only": ("$PYTHON -c 'import no_such_module'", "exit status 1;"),
    "well": ("$PYTHON prepare.py; $PYTHON prepare.py", None),
}


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_commands_of_a_shells_script_count_one_by_one(tmp_path, name, shell):
    script, words = SCRIPTS[name]
    for file, end in (("prepare.py", "pass"), ("train.py", "sys.exit(3)"), ("kill.py", "os.kill(os.getpid(), 9)")):
        (tmp_path / file).write_text(textwrap.dedent(TRAINING).format(middle="pass", end=end))
    database = tmp_path / "out.db"
    environment = whole.environment(PIEPROF_OUT=str(database), PYTHON=str(whole.PYTHON))
    whole.execute([whole.BUILD / "pieprof", "--", shell, "-c", script], cwd=tmp_path, env=environment)
    if words is None:
        notes = verdict(database, "--max", "findings=9", status=0)["notes"]
        assert len(notes) == ("question" in name) and all("got a no: the program failed: it ended with exit status 1 (" in note for note in notes)
    else:
        assert words in refused(database, "--max", "findings=9")


def test_exec_of_a_program_that_is_not_recorded_is_refused(tmp_path, base):
    status, database = record(tmp_path, "new", 'os.execv("/bin/true", ["true"])')
    assert status == 0 and "(exec), and was not recorded" in refused(database, "--baseline", base)


@pytest.mark.parametrize("status", [0, 4])
def test_a_program_that_starts_itself_again_by_exec_counts_by_its_end(tmp_path, base, status):
    middle = 'os.environ.get("AGAIN") or os.execve(sys.executable, [sys.executable, "train.py"], {**os.environ, "AGAIN": "1"})'
    ended, database = record(tmp_path, "new", middle, end=f"sys.exit({status})")
    assert ended == status
    assert gate(database, "--baseline", base).returncode == (2 if status else 0)


def test_the_report_names_the_status(tmp_path):
    _, database = record(tmp_path, "new", "sys.exit(259)")
    (process,) = json.loads(whole.read_report(database, "--format", "json"))["run"]["processes"]
    assert (process["state"], process["status"], process["signal"]) == ("exit", 259 % 256, None)


@pytest.mark.parametrize("status, words", [(3, "exit status 3"), (-1, "damaged"), (1 << 20, "damaged")])
def test_statuses_that_cannot_be_are_damage(tmp_path, status, words):
    path = clean(status=status).write(tmp_path / "new.db")
    done = gate(path, "--max", "findings=0")
    assert done.returncode == 2 and words in done.stderr


def test_a_run_whose_file_was_full_is_not_whole(tmp_path):
    """The lines that came later are not in it: what they made again would be told as gone, or pass."""
    _, whole_run = record(tmp_path, "whole")
    many = "\n".join(["import numpy as np", "x = np.ones(1000)"] + ["y = np.tanh(x)"] * 8000 + ["points = np.zeros(9999)"])
    status, full = record(tmp_path, "full", text=many, PIEPROF_MAX_SIZE="1M")
    assert status == 0
    for arguments in ((full, "--max", "findings=0"), (full, "--baseline", whole_run), (whole_run, "--baseline", full)):
        assert "its file was full" in (message := refused(*arguments)) and "larger PIEPROF_MAX_SIZE" in message
    notes = verdict(full, "--max", "findings=9", "--partial", status=0)["notes"]
    assert any("its file was full" in note for note in notes)
