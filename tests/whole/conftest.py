"""What lives as long as the session: the directory of the cached profiled runs, and a small file that nobody changes."""
import os
import tempfile

import pytest

import whole
from reports import make_db


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: it measures time, and runs when no other test does")
    os.environ.pop("COLUMNS", None)  # or pages are as wide as the terminal that the tests are run from


@pytest.fixture(scope="session", autouse=True)
def profiles():
    with tempfile.TemporaryDirectory(prefix="pieprof-whole-") as directory:
        whole.profiles = directory
        yield directory


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("golden") / "small.db"
    make_db.golden_small().write(path)
    return path
