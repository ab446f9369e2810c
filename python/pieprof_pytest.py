"""A pytest plugin: tests that fail when what they run computes again what it already had.

    pytest -p pieprof_pytest --pieprof

    @pytest.mark.pieprof(max_findings=0, max_replicas="1MiB")
    def test_training(): ...

With --pieprof each marked test runs in a process of its own under PieProf, with the options of the whole run, and `pieprof-report gate` judges it; its failure
message is the finding. Without the option marked tests are tests like all others. The marker takes the gate's metrics with
`max_` before them - findings, replicas, replica_objects, transfers, dead_stores, redundant_stores - `baseline`, a file, and
`phase`, the only one of the training that is judged; neither limit nor baseline means `max_findings=0`. PieProf's programs are found on the PATH, or where --pieprof-programs says.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

CHILD = "PIEPROF_PYTEST_CHILD"
UNUSED = "is not used: no such finding on its line"  # as the gate notes it
METRICS = ("findings", "replicas", "replica_objects", "transfers", "dead_stores", "redundant_stores")


def pytest_addoption(parser):
    group = parser.getgroup("pieprof")
    group.addoption("--pieprof", action="store_true", help="run tests marked `pieprof` under PieProf and gate them")
    group.addoption("--pieprof-programs", metavar="DIR", help="where pieprof and pieprof-report are (default: on the PATH)")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "pieprof(max_findings=0, max_replicas='1MiB', ..., baseline=None, phase=None): gated under --pieprof; see pieprof_pytest")


def gate_arguments(marker):
    """The marker as the gate's options; raises UsageError where it is none of them."""
    if marker.args:
        raise pytest.UsageError(f"pieprof marker: {marker.args[0]!r} has no name; say which limit it is, as in max_findings=0")
    limits = dict(marker.kwargs)
    baseline, phase = limits.pop("baseline", None), limits.pop("phase", None)
    arguments = ["--baseline", str(baseline)] if baseline is not None else []
    for name, value in limits.items() if limits or arguments else [("max_findings", 0)]:
        metric = name.removeprefix("max_") if hasattr(name, "removeprefix") else name[len("max_"):]
        if not name.startswith("max_") or metric not in METRICS:
            raise pytest.UsageError(f"pieprof marker: {name}: allowed are baseline, {', '.join('max_' + metric for metric in METRICS)}, phase")
        arguments += ["--max", f"{metric}={value}"]
    return arguments + (["--phase", str(phase)] if phase is not None else [])


def find_program(config, name):
    directory = config.getoption("--pieprof-programs")
    path = shutil.which(name, path=directory)
    if path is None:
        raise pytest.UsageError(f"--pieprof: no program {name} {'in ' + directory if directory else 'on the PATH'}; see --pieprof-programs")
    return os.path.abspath(path)


def child_command(item, database):
    """The parent's own command line, so that conftest files, options and ini files say the same; which tests, the child decides."""
    config = item.config
    arguments = [str(argument) for argument in config.invocation_params.args]
    # A cache of its own: without the plugin its options (--lf, --cache-clear) would be unknown.
    cache = ["-o", f"cache_dir={database}.cache"] if config.pluginmanager.hasplugin("cacheprovider") else []
    return [find_program(config, "pieprof"), "-o", database, "--", sys.executable, "-m", "pytest", "-p", __name__,
            f"--rootdir={config.rootpath}", *arguments, *cache]


def without_file(text, database):
    """What a program said, but for the file that is gone when somebody reads it."""
    rows = [row for row in text.splitlines(keepends=True) if not row.startswith(f"pieprof: profile in {database}")]
    return "".join(rows).replace(database, "the test's run")


def run_child(item, directory):
    """The test alone, profiled: the run, what its reports say, phase by phase, and its output."""
    database, results = os.path.join(directory, "out.db"), os.path.join(directory, "results.json")
    selected = {"test": os.path.join(str(item.config.rootpath), item.nodeid), "results": results}
    done = subprocess.run(
        child_command(item, database), cwd=str(item.config.invocation_params.dir), env={**os.environ, CHILD: json.dumps(selected)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        with open(results) as file:
            reports = json.load(file)
    except (OSError, ValueError):
        reports = []
    output = without_file(done.stdout, database)
    if not any(report["when"] == "teardown" for report in reports):
        pytest.fail(f"its process ended, with exit status {done.returncode}, before the test had\n{output}", pytrace=False)
    if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        pytest.fail(f"its process ended with exit status {done.returncode}\n{output}", pytrace=False)
    return database, reports, output


def judge_reports(reports, output):
    """Ends the test where it failed or was skipped; else the reason of an xfail mark that it carries, None without one."""
    expected = None
    for report in reports:
        if report["xfail"] is not None and report["outcome"] == "skipped":
            pytest.xfail(report["xfail"])
        if report["outcome"] == "skipped":
            pytest.skip(report["reason"] or "skipped")
        if report["outcome"] == "failed" and report["strict"] is None:
            pytest.fail(f"{report['reason']}\n{output}", pytrace=False)
        expected = report["xfail"] if report["xfail"] is not None else report["strict"] if report["strict"] is not None else expected
    return expected


def first_finding(item, database, arguments):
    """One line, for pytest's summary."""
    done = subprocess.run([find_program(item.config, "pieprof-report"), "gate", database, "--format", "json", *arguments],
                          cwd=str(item.config.rootpath), capture_output=True, text=True, errors="replace")
    items = json.loads(done.stdout)["items"]
    told = [entry for entry in items if entry["fails"] and entry["path"]] or [entry for entry in items if entry["path"]] or items
    entry = told[0]
    place = f"{entry['path']}:{entry['line']} {entry['function']}: " if entry["path"] else ""
    return f"{place}{entry['kind']}: {entry['claim'] or entry['why']}"


def check_baseline(item, marker):
    baseline = marker.kwargs.get("baseline")
    if baseline is not None and not os.path.exists(os.path.join(str(item.config.rootpath), str(baseline))):
        raise pytest.UsageError(f"pieprof marker: there is no baseline {baseline}; make one: pieprof -- {os.path.basename(sys.executable)} -m pytest "
                                f"{item.nodeid}, then pieprof-report export --format baseline out.db -o {baseline}")


def without_unused(text):
    """A test runs a part of its file: that a comment beside another test's line is not needed cannot be told from it."""
    return re.sub(r"^note .*\n(?: {12}\S.*\n)*", lambda note: "" if UNUSED in " ".join(note[0].split()) else note[0], text, flags=re.MULTILINE)


def gate_test(item, marker):
    arguments = gate_arguments(marker)
    check_baseline(item, marker)
    with tempfile.TemporaryDirectory(prefix="pieprof-pytest-") as directory:
        database, reports, output = run_child(item, directory)
        expected = judge_reports(reports, output)
        passed_strictly = any(report["strict"] is not None for report in reports)
        arguments += ["--partial"] if passed_strictly else []  # pytest's exit status is 1 then, but the test came to its end
        done = subprocess.run([find_program(item.config, "pieprof-report"), "gate", database, "--format", "text", *arguments],
                              cwd=str(item.config.rootpath), capture_output=True, text=True, errors="replace")
        if done.returncode == 1 and expected is not None:
            pytest.xfail(expected)
        if done.returncode != 0:
            first = first_finding(item, database, arguments) + "\n" if done.returncode == 1 else ""  # a refusal says it by itself
            text = f"{first}{done.stderr}{without_unused(done.stdout)}"
            pytest.fail(without_file(text, database), pytrace=False)
        if passed_strictly:
            pytest.fail(f"[XPASS(strict)] {expected}", pytrace=False)


def run_gated(item, marker):
    wrong = None
    try:
        gate_test(item, marker)
    except pytest.UsageError as error:
        wrong = str(error)
    if wrong is not None:
        pytest.fail(wrong, pytrace=False)


def failure(text, location):
    """What pytest tells of an exception, here of a text alone; its first line is what the summary shows. xdist can hand it on."""
    path, line, _ = location
    crash = ReprFileLocation(path, (line or 0) + 1, text.splitlines()[0] if text else "")
    return ReprExceptionInfo(reprcrash=crash, reprtraceback=ReprTraceback([ReprEntryNative([text + "\n"])], None, style="native"))


def tear_down(item, nextitem):
    """What the tests before left set up for this one and the next test does not need: pytest asks that after every test."""
    call = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), when="teardown",
                                     reraise=(KeyboardInterrupt, pytest.exit.Exception))
    if call.excinfo is not None:
        item.ihook.pytest_runtest_logreport(report=item.ihook.pytest_runtest_makereport(item=item, call=call))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """In place of setup, call and teardown, which the child does."""
    marker = item.get_closest_marker("pieprof")
    if marker is None or not item.config.getoption("--pieprof") or CHILD in os.environ:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    call = pytest.CallInfo.from_call(lambda: run_gated(item, marker), when="call", reraise=(KeyboardInterrupt, pytest.exit.Exception))
    report = item.ihook.pytest_runtest_makereport(item=item, call=call)
    if report.failed and isinstance(call.excinfo.value, pytest.fail.Exception):
        report.longrepr = failure(str(call.excinfo.value), item.location)
    item.ihook.pytest_runtest_logreport(report=report)
    tear_down(item, nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


# In the child.

WITHOUT = {"markexpr": "", "keyword": "", "deselect": None, "ignore": None, "ignore_glob": None, "collectonly": False, "setuponly": False,
           "setupplan": False, "stepwise": False, "lf": False, "failedfirst": False, "newfirst": False, "usepdb": False, "trace": False,
           "numprocesses": None, "dist": "no", "tx": [], "xmlpath": None, "pyargs": False, "looponfail": False,
           "cacheclear": False, "cacheshow": None, "basetemp": None, "log_file": os.devnull}  # the parent's: pytest empties each at its start


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_cmdline_main(config):
    """Before anybody acts upon them: of the parent's options those that choose tests or write files, and its operands."""
    if CHILD in os.environ:
        for name, value in WITHOUT.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        config.args = config.option.file_or_dir = [json.loads(os.environ[CHILD])["test"]]
        config.pieprof_reports = []
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """What became of each phase, in a file that the parent reads."""
    report = (yield).get_result()
    if CHILD not in os.environ:
        return
    strict = "[XPASS(strict)]"
    text = str(report.longrepr or "")
    crash = getattr(report.longrepr, "reprcrash", None)
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else crash.message if crash is not None else text
    item.config.pieprof_reports.append({
        "when": report.when, "outcome": report.outcome, "reason": reason.splitlines()[0] if reason else "",
        "xfail": getattr(report, "wasxfail", None), "strict": text[len(strict):].strip() if text.startswith(strict) else None})
    with open(json.loads(os.environ[CHILD])["results"], "w") as file:
        json.dump(item.config.pieprof_reports, file)
