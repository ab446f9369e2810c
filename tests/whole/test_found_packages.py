"""Small public packages of examples/found, as they are on PyPI: what was found in them is found still, and nothing else is.
`make found` does the same with all of them."""
import subprocess
import sys

import pytest
import whole

FOUND = whole.ROOT / "examples/found"
LAYER = whole.ROOT / ".venv-found"
REQUIREMENTS = FOUND / "check-requirements.txt"
DRIVERS = ("geometric_gcn", "hmmlearn_gmm", "nimfa_nmf", "pygam_models", "sklearn_som_digits")


def missing():
    """Why the packages are not here; None when they are."""
    stamp, failed = LAYER / f".complete-{REQUIREMENTS.stem}", LAYER / ".failed"
    if stamp.exists() and stamp.read_text() == REQUIREMENTS.read_text():
        return None
    return failed.read_text().strip() if failed.exists() else f"{LAYER.name} lacks the packages of {REQUIREMENTS.name}: make check"


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_was_found_is_found_still(driver, tmp_path):
    if missing():
        pytest.skip(missing())
    options = ("--python", LAYER / "bin/python", "--build", whole.BUILD, "--directory", tmp_path, driver)
    command = [sys.executable, FOUND / "found.py", *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * whole.TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "as expected  " in done.stdout
