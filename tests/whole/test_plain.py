"""The programs of examples/plain do nothing for nothing: no finding, and they print what they print without the shim."""
import functools
import json
import tempfile
from pathlib import Path

import pytest
import whole

PLAIN = whole.ROOT / "examples/plain"
NAMES = ("boosting", "cnn", "gan", "gru", "kmeans", "loader", "mlp", "subspace", "transformer")

programs = pytest.mark.parametrize("name", NAMES)


def command(name, interpreter):
    interpreter = whole.INTERPRETERS[interpreter]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    return [*interpreter.command, PLAIN / f"{name}.py"]


@functools.lru_cache(maxsize=None)
def profiled(name, interpreter):
    """What it printed, and where the run is."""
    database = Path(tempfile.mkdtemp(prefix=f"plain-{name}-{interpreter}-", dir=whole.profiles)) / "out.db"
    changes = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database), "PIEPROF_RATE": "1000", "PIEPROF_BUDGET": "100"}
    done = whole.execute(command(name, interpreter), env=whole.environment(**changes))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout, database


def findings(name, interpreter, *options):
    report = json.loads(whole.read_report(profiled(name, interpreter)[1], "--format", "json", *options))
    assert report["totals"]["replicas"]["of_objects"] > 0 and report["run"]["health"]["samples"] > 100
    return [(finding["path"], finding["line"], finding["kind"], finding["claim"]) for finding in report["findings"]]


@pytest.mark.parametrize("interpreter", ("debian", "venv"))
@programs
def test_nothing_is_found(name, interpreter):
    assert findings(name, interpreter) == []


@pytest.mark.parametrize("interpreter", ("debian", "venv"))
@programs
def test_nothing_is_found_in_their_own_lines_of_any_weight(name, interpreter):
    """Scikit-learn's boosting does invert one mask three times, in less than a thousandth of the time."""
    assert findings(name, interpreter, "--min-waste", "0", "--file", f"*/examples/plain/{name}.py") == []


@programs
def test_they_print_what_they_print_without_the_shim(name):
    plain = whole.execute(command(name, "debian"))
    assert (plain.returncode, plain.stderr) == (0, "") and plain.stdout
    assert plain.stdout == profiled(name, "debian")[0]


def test_every_program_is_tested():
    assert sorted(path.stem for path in PLAIN.glob("*.py")) == sorted(NAMES)
