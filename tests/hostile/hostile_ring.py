"""What the hostile ring's tests share: running a program with and without the shim, and reading what was recorded."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PIEPROF_BUILD", ROOT / "build")).resolve()
SHIM = BUILD / "libpieprof.so"
REPORT = BUILD / "pieprof-report"
PYTHON = os.environ.get("PIEPROF_PYTHON", "/usr/bin/python3")
NATIVE = pathlib.Path(__file__).resolve().parent / "native"
SLOW = os.environ.get("PIEPROF_SLOW") == "1"

# At the default 250 Hz; the clock counts CPU time, so a busy machine does not lower it.
SAMPLES_PER_CPU_SECOND = 100

# Native work by CPU time, so that the samples it must give do not depend on who else runs.
BUSY = """
import time, zlib
DATA = bytes(range(256)) * 4096
def busy(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        zlib.crc32(DATA)
"""


class Run:
    """One finished run of a program."""

    def __init__(self, returncode, stdout, stderr, directory, pid):
        self.returncode = returncode
        self.stdout = stdout
        self.stderr = stderr
        self.directory = directory
        self.pid = pid
        self.db = directory / "out.db"

    @property
    def facts(self):
        return self.returncode, self.stdout, self.stderr

    @property
    def said(self):
        """The shim's lines on stderr."""
        return [line for line in self.stderr.splitlines() if line.startswith(b"pieprof")]

    @property
    def stderr_of_program(self):
        return b"".join(line for line in self.stderr.splitlines(True) if not line.startswith(b"pieprof"))


def base_environment():
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    kept.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")
    return kept


def profiled_environment(extra=None, preload=None):
    environment = base_environment()
    environment["LD_PRELOAD"] = preload or str(SHIM)
    environment.update(extra or {})
    return environment


class Ring:
    """Runs programs in fresh directories under one test's temporary directory."""

    def __init__(self, tmp_path):
        self.tmp_path = tmp_path
        self.count = 0

    def directory(self):
        self.count += 1
        fresh = self.tmp_path / f"run{self.count}"
        fresh.mkdir()
        return fresh

    def program(self, source, name="program.py"):
        """Writes a Python program, BUSY in front, and gives the command that runs it."""
        path = self.tmp_path / name
        path.write_text(BUSY + textwrap.dedent(source))
        return [PYTHON, str(path)]

    def start(self, command, *, profiled=True, env=None, directory=None, preload=None, **popen):
        directory = directory or self.directory()
        environment = profiled_environment(env, preload) if profiled else {**base_environment(), **(env or {})}
        popen.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen(command, env=environment, cwd=directory, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **popen)
        process.directory = directory
        return process

    def finish(self, process, timeout=60, input=None):
        try:
            stdout, stderr = process.communicate(input, timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            raise AssertionError(f"hung for {timeout} s; stdout {stdout!r}, stderr {stderr!r}") from None
        return Run(process.returncode, stdout, stderr, process.directory, process.pid)

    def run(self, command, *, timeout=60, input=None, **start):
        if input is not None:
            start["stdin"] = subprocess.PIPE
        return self.finish(self.start(command, **start), timeout, input)

    def same(self, command, *, says=0, env=None, preload=None, plain_preload=None, **run):
        """Runs it both ways. Everything but `says` lines of the shim's must be equal. Gives the profiled run."""
        plain_env = dict(env or {})
        if plain_preload:
            plain_env["LD_PRELOAD"] = plain_preload
        plain = self.run(command, profiled=False, env=plain_env, **run)
        profiled = self.run(command, env=env, preload=preload, **run)
        assert_same(plain, profiled, says)
        return profiled


def without_addresses(text):
    """Thread ids and the like in faulthandler's output, which address randomisation changes from run to run; process ids in
    the warnings of CPython 3.12 and newer that a process with threads forks."""
    return re.sub(rb"\(pid=\d+\)", b"(pid=?)", re.sub(rb"0x[0-9a-f]{8,}", b"0x?", text))


def assert_same(plain, profiled, says=0):
    assert profiled.returncode == plain.returncode, profiled.stderr[-3000:]
    assert profiled.stdout == plain.stdout
    assert without_addresses(profiled.stderr_of_program) == without_addresses(plain.stderr)
    assert len(profiled.said) == says, profiled.said


def report(*arguments, timeout=60):
    return subprocess.run([str(REPORT), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          env=base_environment(), timeout=timeout)


def report_json(db):
    result = report(db, "--format", "json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert_figures_possible(document)
    return document


def samples(document):
    return document["run"]["health"]["samples"]


def pids(document):
    return {process["pid"] for process in document["run"]["processes"]}


def engine(document, name):
    return document["run"]["engines"][name]


def assert_recorded(db, cpu_seconds, per_second=SAMPLES_PER_CPU_SECOND):
    """The report of a run that spent at least `cpu_seconds`; gives its JSON."""
    document = report_json(db)
    assert samples(document) >= per_second * cpu_seconds, document["run"]["health"]
    assert document["lines"], "samples without lines"
    return document


YEAR_S = 366 * 86400.0


def assert_figures_possible(value, path=""):
    """No figure is negative, infinite, a share above one, a time beyond a year, or an interval upside down."""
    if isinstance(value, dict):
        for key, inner in value.items():
            assert_figures_possible(inner, f"{path}.{key}")
    elif isinstance(value, list):
        if path.endswith(("estimate.ci95", "of_objects_ci95")):  # of a count of objects
            assert len(value) == 2 and 0 <= value[0] <= value[1], (path, value)
        elif path.endswith("ci95"):
            assert len(value) == 2 and 0 <= value[0] <= value[1] <= 1, (path, value)
        for number, inner in enumerate(value):
            assert_figures_possible(inner, f"{path}[{number}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        assert_number_possible(value, path)


def assert_number_possible(value, path):
    name = path.rsplit(".", 1)[-1]
    assert math.isfinite(value), (path, value)
    if name in ("rank", "first_line", "offset"):
        return
    assert value >= 0, (path, value)
    if name in ("fraction", "resolved"):
        assert value <= 1, (path, value)
    if (name.endswith("_s") or ".time_s." in path) and name != "started_unix_s":
        assert value < YEAR_S, (path, value)


def compile_native(source, output, *flags):
    compiler = "g++" if source.endswith(".cpp") else "gcc"
    subprocess.run([compiler, "-O1", "-g", "-pthread", "-o", str(output), str(NATIVE / source), *flags], check=True)
    return output


def needs(condition, reason):
    import pytest

    if not condition:
        pytest.skip(reason)


def unshare_works():
    return os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


if __name__ == "__main__":
    sys.exit("run by pytest")
