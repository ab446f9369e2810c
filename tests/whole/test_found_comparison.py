"""What examples/found/found.py says of a recorded run, by what was expected: lost, new, false, or as it should be."""
import subprocess
import sys

import pytest
import whole
from reports import make_db

FOUND = whole.ROOT / "examples/found"


ONE = "train.py:9 replica recomputed input"


@pytest.fixture
def compared(tmp_path):
    """Compares a file of one finding."""
    make_db.golden_objects().write(tmp_path / "made.db")

    def compare(*lines, driver="made"):
        (tmp_path / "expected.txt").write_text("\n    ".join([driver, *lines]) + "\n")
        options = ("--recorded", "--build", whole.BUILD, "--directory", tmp_path, "--expected", tmp_path / "expected.txt")
        command = [sys.executable, FOUND / "found.py", *options]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    return compare


def test_all_as_expected(compared):
    done = compared(f"told plain {ONE}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 findings as expected, 0 near --min-waste, 0 that may be told; 0 lost, 0 new, 0 false" in done.stdout


def test_a_finding_that_is_gone_is_lost(compared):
    done = compared(f"told plain {ONE}", "told plain gone.py:1 replica loop-invariant computation")
    assert done.returncode == 1
    assert "LOST" in done.stdout and "1 lost, 0 new, 0 false" in done.stdout
    assert "not expected" not in done.stdout


@pytest.mark.parametrize("other", ["train.py:8 replica recomputed input", "train.py:9 replica constant", "train.py:9 churn recomputed input"])
def test_another_line_kind_or_category_is_new_and_the_old_one_lost(compared, other):
    done = compared(f"told plain {other}")
    assert done.returncode == 1
    assert "1 lost, 1 new, 0 false" in done.stdout


def test_one_that_nobody_expected_is_new(compared):
    done = compared()
    assert done.returncode == 1
    assert "NEW" in done.stdout and "0 lost, 1 new, 0 false" in done.stdout


def test_what_may_be_told_may_be_missing(compared):
    done = compared(f"may plain {ONE}", "may plain gone.py:1 churn API misuse")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 findings as expected, 0 near --min-waste, 1 that may be told; 0 lost, 0 new, 0 false" in done.stdout


def test_a_false_one_must_not_be_told(compared):
    done = compared(f"false plain {ONE}")
    assert done.returncode == 1
    assert "FALSE" in done.stdout and "0 lost, 0 new, 1 false" in done.stdout


def test_a_false_one_that_is_gone_is_no_loss(compared):
    done = compared(f"told plain {ONE}", "false plain gone.py:1 churn API misuse")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_report_has_its_own_expectation(compared):
    done = compared(f"told plain {ONE}", driver="made --own nothing")
    assert done.returncode == 1 and "1 findings as expected, 0 near --min-waste, 0 that may be told; 0 lost, 1 new" in done.stdout
    done = compared(f"told both {ONE}", driver="made --own nothing")
    assert done.returncode == 0 and "2 findings as expected" in done.stdout


def test_a_run_that_is_missing_fails(compared):
    done = compared(f"told plain {ONE}", driver="absent")
    assert done.returncode == 1 and "FAILED absent" in done.stdout


def test_a_bad_line_is_named(compared):
    done = compared("often plain some.py:1 churn API misuse")
    assert done.returncode != 0 and "expected.txt:2" in done.stderr


def test_every_driver_is_compared():
    compared = {line.split()[0] for line in (FOUND / "expected.txt").read_text().splitlines() if line[0] not in " #"}
    helpers = {"outcome", "old_collections"}
    assert compared == {path.stem for path in (FOUND / "drivers").glob("*.py")} - helpers


def test_what_stands_below_the_bound_beside_a_lost_one_is_told(monkeypatch):
    """It may be the lost one, by another line or category."""
    monkeypatch.syspath_prepend(FOUND)
    import expectation
    import profiled
    gone, other = (profiled.Finding(place, "replica", "recomputed input") for place in ("train.py:1", "train.py:2"))
    expected = expectation.Expected((), {("plain", gone): "near"})
    verdict = expectation.judge(expected, "plain", profiled.Found({}, {other: 0.1}))
    assert (verdict.lost, verdict.beside) == ([gone], [other])
