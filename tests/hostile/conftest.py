"""Fixtures of the hostile ring. PIEPROF_BUILD names the build directory, PIEPROF_PYTHON the interpreter under test."""

import tempfile
import pathlib

import pytest

import hostile_ring


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: it measures time, and runs when no other test does")


@pytest.fixture
def ring(tmp_path):
    return hostile_ring.Ring(tmp_path)


@pytest.fixture
def open_ring():
    """As `ring`, in a directory that every user may enter (pytest's own are closed to others)."""
    with tempfile.TemporaryDirectory(prefix="pieprof-hostile-") as name:
        directory = pathlib.Path(name)
        directory.chmod(0o755)
        yield hostile_ring.Ring(directory)


@pytest.fixture(scope="session")
def native(tmp_path_factory):
    """native("signals.c") is the shared library, native("plain.c", shared=False) the program; `flags` are the compiler's."""
    built = {}
    directory = tmp_path_factory.mktemp("native")
    directory.chmod(0o755)

    def build(source, shared=True, flags=()):
        key = source, shared, flags
        if key not in built:
            stem = source.rsplit(".", 1)[0]
            output = directory / (f"lib{stem}.so" if shared else stem)
            kind = ("-shared", "-fPIC", "-ldl") if shared else ("-ldl",)
            built[key] = str(hostile_ring.compile_native(source, output, *kind, *flags))
        return built[key]

    return build


def pytest_collection_modifyitems(items):
    here = pathlib.Path(__file__).parent
    missing = [str(path) for path in (hostile_ring.SHIM, hostile_ring.REPORT) if not path.exists()]
    if missing and any(pathlib.Path(item.path).parent == here for item in items):
        raise pytest.UsageError(f"not built: {', '.join(missing)}; run make, or set PIEPROF_BUILD")
