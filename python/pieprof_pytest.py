"""A pytest plugin: tests that fail when what they run computes again what it already had.

    pytest -p pieprof_pytest --pieprof

    @pytest.mark.pieprof(max_findings=0, max_replicas="1MiB")
    def test_training(): ...

With --pieprof each marked test runs in a process of its own under PieProf, and `pieprof-report gate` judges it; its failure
message is the finding. Without the option marked tests are tests like all others. The marker takes the gate's metrics with
`max_` before them - findings, replicas, replica_objects, transfers, dead_stores, redundant_stores - and `baseline`, a file;
nothing at all means `max_findings=0`. PieProf's programs are found on the PATH, or where --pieprof-programs says.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import pytest

CHILD = "PIEPROF_PYTEST_CHILD"
METRICS = ("findings", "replicas", "replica_objects", "transfers", "dead_stores", "redundant_stores")


def pytest_addoption(parser):
    group = parser.getgroup("pieprof")
    group.addoption("--pieprof", action="store_true", help="run tests marked `pieprof` under PieProf and gate them")
    group.addoption("--pieprof-programs", metavar="DIR", help="where pieprof and pieprof-report are (default: on the PATH)")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "pieprof(max_findings=0, max_replicas='1MiB', ..., baseline=None): gated under --pieprof; see pieprof_pytest")


def gate_arguments(marker):
    """The marker as the gate's options; raises UsageError where it is none of them."""
    limits = dict(marker.kwargs)
    baseline = limits.pop("baseline", None)
    arguments = ["--baseline", str(baseline)] if baseline is not None else []
    for name, value in limits.items() if limits or arguments else [("max_findings", 0)]:
        metric = name.removeprefix("max_") if hasattr(name, "removeprefix") else name[len("max_"):]
        if not name.startswith("max_") or metric not in METRICS:
            raise pytest.UsageError(f"pieprof marker: {name}: allowed are baseline, {', '.join('max_' + metric for metric in METRICS)}")
        arguments += ["--max", f"{metric}={value}"]
    return arguments


def find_program(config, name):
    directory = config.getoption("--pieprof-programs")
    path = shutil.which(name, path=directory)
    if path is None:
        raise pytest.UsageError(f"--pieprof: no program {name} {'in ' + directory if directory else 'on the PATH'}; see --pieprof-programs")
    return os.path.abspath(path)


def run_child(item, directory):
    """The test alone, profiled; its output where it failed, and skipped where it is."""
    database, results = os.path.join(directory, "out.db"), os.path.join(directory, "results.xml")
    done = subprocess.run(
        [find_program(item.config, "pieprof"), "-o", database, "--", sys.executable, "-m", "pytest", "-q", "-p", __name__,
         "-p", "no:cacheprovider", f"--rootdir={item.config.rootpath}", f"--junitxml={results}", item.nodeid],
        cwd=item.config.rootpath, env={**os.environ, CHILD: "1"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        pytest.fail(done.stdout, pytrace=False)
    skipped = xml.parse(results).find(".//skipped")
    if skipped is not None:
        pytest.skip(skipped.get("message") or "skipped")
    return database


def run_gated(item, marker):
    arguments = gate_arguments(marker)
    with tempfile.TemporaryDirectory(prefix="pieprof-pytest-") as directory:
        database = run_child(item, directory)
        done = subprocess.run(
            [find_program(item.config, "pieprof-report"), "gate", database, "--format", "text", *arguments],
            cwd=item.config.rootpath, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            pytest.fail(done.stdout + done.stderr, pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """In place of setup, call and teardown, which the child does."""
    marker = item.get_closest_marker("pieprof")
    if marker is None or not item.config.getoption("--pieprof") or CHILD in os.environ:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    call = pytest.CallInfo.from_call(lambda: run_gated(item, marker), when="call", reraise=(KeyboardInterrupt, pytest.exit.Exception))
    report = item.ihook.pytest_runtest_makereport(item=item, call=call)
    item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
