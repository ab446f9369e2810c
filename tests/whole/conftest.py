"""The directory of the cached profiled runs lives as long as the session."""
import tempfile

import pytest

import whole


@pytest.fixture(scope="session", autouse=True)
def profiles():
    with tempfile.TemporaryDirectory(prefix="pieprof-whole-") as directory:
        whole.profiles = directory
        yield directory
