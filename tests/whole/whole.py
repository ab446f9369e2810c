"""What the whole-run tests share: interpreters, examples, and one cached profiled run of each."""
import functools
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("PIEPROF_BUILD", ROOT / "build")).resolve()
SHIM = BUILD / "libpieprof.so"
REPORT = BUILD / "pieprof-report"
LAUNCHER = BUILD / "pieprof"
SCHEMA = ROOT / "tests/schema/report.schema.json"
PYTHON = os.environ.get("PIEPROF_PYTHON", "/usr/bin/python3")
VENV = ROOT / ".venv"
TIMEOUT_S = 300

profiles = None  # the session's directory for them: conftest.py


@dataclass(frozen=True)
class Example:
    """A program and the source text of its planted lines; `leading` must be among the three first of the report."""

    name: str
    length: tuple
    planted: tuple
    leading: tuple

    def path(self, version):
        return ROOT / "examples" / self.name / f"{version}.py"

    def line_of(self, text, version="wasteful"):
        lines = self.path(version).read_text().splitlines()
        numbers = [number for number, line in enumerate(lines, 1) if text in line]
        assert len(numbers) == 1, f"{text!r} is on lines {numbers} of {self.path(version)}"
        return numbers[0]


STANDARDISE = "scaled /= images.std(axis=0) + 1.0"
OVERWRITTEN = "np.sqrt(images, out=scaled)"
EXAMPLES = {
    example.name: example
    for example in (
        Example("mlp_numpy", ("--steps", "8000"), (STANDARDISE, OVERWRITTEN), (STANDARDISE, OVERWRITTEN)),
        Example("cnn_digits", ("--epochs", "15"), ("fine = functional.interpolate(",), ("fine = functional.interpolate(",)),
        Example("transformer", ("--steps", "240"), ("return torch.where(", "decay = torch.stack("), ("decay = torch.stack(",)),
        Example(
            "conv_loops",
            ("--steps", "1200"),
            ("result[:, row, column] = ", "gradient += window"),
            ("result[:, row, column] = ", "gradient += window"),
        ),
    )
}


def other_pythons(first_minor=8, last_minor=99):
    """CPython 3.first to 3.last beside PYTHON: those of pyenv, and those of Debian unstable that `make deps` unpacks."""
    found = [*Path.home().glob(".pyenv/versions/3.*/bin/python"), *(ROOT / ".pythons").glob("3.*/usr/bin/python3.*")]
    minor_of = {path: int(re.search(r"/3\.(\d+)[^/]*/(?:usr/)?bin/", str(path)).group(1)) for path in found}
    return [str(path) for path in sorted(found, key=lambda path: (minor_of[path], path)) if first_minor <= minor_of[path] <= last_minor]


@dataclass(frozen=True)
class Interpreter:
    name: str
    command: tuple
    packages: Path = None

    def missing(self):
        """Why tests on it cannot run here; None when they can."""
        if not Path(self.command[0]).exists():
            return f"{self.command[0]} is missing"
        if self.packages and not (VENV / ".complete").exists():
            return "no .venv with torch==2.13.0: make deps"
        return None

    @functools.cached_property
    def version(self):
        code = "import platform; print(platform.python_version())"
        return subprocess.run([*self.command, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def venv_packages():
    return next(iter(sorted((VENV / "lib").glob("python3*/site-packages"))), VENV)


INTERPRETERS = {
    "debian": Interpreter("debian", (PYTHON,)),
    "venv": Interpreter("venv", (str(VENV / "bin/python"),), venv_packages()),
    "shared": Interpreter("shared", (str(BUILD / "python-shared"),), venv_packages()),
}


@dataclass(frozen=True)
class Run:
    status: int
    stdout: str
    stderr: str
    database: Path = None
    text: str = ""
    report: dict = None

    @property
    def health(self):
        return self.report["run"]["health"]


def environment(interpreter=None, **changes):
    """One thread a library, so that what is computed and printed is the same each time; nothing of PieProf's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_")}
    kept.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    kept.pop("LD_PRELOAD", None)
    if interpreter and interpreter.name == "shared":
        kept["PYTHONPATH"] = str(interpreter.packages)
    kept.update(changes)
    return kept


def execute(command, **options):
    options.setdefault("env", environment())
    return subprocess.run(
        [str(word) for word in command], stdin=options.pop("stdin", subprocess.DEVNULL), capture_output=True,
        text=True, timeout=TIMEOUT_S, **options,
    )


def read_report(database, *options):
    done = execute([REPORT, *options, database])
    assert done.returncode == 0, f"pieprof-report: status {done.returncode}: {done.stderr}"
    return done.stdout


def command_of(example, version, interpreter):
    return [*interpreter.command, example.path(version), *example.length]


@functools.lru_cache(maxsize=None)
def plain_run(example, version, interpreter):
    done = execute(command_of(example, version, interpreter), env=environment(interpreter))
    return Run(done.returncode, done.stdout, done.stderr)


@functools.lru_cache(maxsize=None)
def profiled_run(example, version, interpreter):
    directory = Path(tempfile.mkdtemp(prefix=f"{example.name}-{version}-{interpreter.name}-", dir=profiles))
    database = directory / "out.db"
    changes = {"LD_PRELOAD": str(SHIM), "PIEPROF_OUT": str(database)}
    done = execute(command_of(example, version, interpreter), env=environment(interpreter, **changes))
    text = read_report(database)
    report = json.loads(read_report(database, "--format", "json"))
    return Run(done.returncode, done.stdout, done.stderr, database, text, report)

