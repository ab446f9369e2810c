"""Runs the unit tests and the Python tests; ends with the line "N passed, N failed, N skipped".

Usage: run.py [WORD...]: with words, only the test files whose path contains one of them. The environment names the
build directory (PIEPROF_BUILD), the interpreter (PIEPROF_PYTHON) and the sanitizer of the build (PIEPROF_SAN).
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("PIEPROF_BUILD", TESTS.parent / "build")).resolve()
UNIT_TIMEOUT_S = 300
JOBS = min(len(os.sched_getaffinity(0)), 4)  # files side by side: more would make the programs under test wait for each other


class Count:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []


def run_unit(binary):
    """What it printed, and its exit status."""
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
    try:
        done = subprocess.run(
            [binary], cwd=TESTS.parent, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", timeout=UNIT_TIMEOUT_S,
        )
        return done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as expired:
        return f"no end within {expired.timeout} s", -1


def judge_unit(binary, output, status, count):
    """A cmocka program prints TAP; one that dies on its way failed, whatever it printed before."""
    results = re.findall(r"^(ok|not ok) \d+ (?:- )?(# SKIP )?(\S+)", output, re.M)
    good = [name for verdict, skip, name in results if verdict == "ok" and not skip]
    skipped = [name for verdict, skip, name in results if skip]
    bad = [name for verdict, skip, name in results if verdict == "not ok" and not skip]
    count.passed += len(good)
    count.skipped += [(f"{binary.name}: {name}", "the test skipped itself") for name in skipped]
    if status != 0 and not bad:
        bad = [f"ended with status {status}"]
    if not good and not bad and not skipped:
        bad = ["printed no result"]
    count.failed += [f"{binary.name}: {name}" for name in bad]
    print(f"{binary.name}: {len(good)} passed" + (f", FAILED: {', '.join(bad)}" if bad else ""), flush=True)
    if bad:
        print(output, flush=True)


def run_python(files, count, *options):
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report.name}", *options, *files]
        status = subprocess.run(command, cwd=TESTS.parent, stdin=subprocess.DEVNULL).returncode
        try:
            cases = list(xml.parse(report.name).iter("testcase"))
        except xml.ParseError:
            count.failed.append(f"pytest ended with status {status}")
            return
    for case in cases:
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed.append(name)
        elif skipped is not None:
            count.skipped.append((name, skipped.get("message", "")))
        else:
            count.passed += 1
    if status not in (0, 1, 5):
        count.failed.append(f"pytest ended with status {status}")


def main(words):
    def wanted(path):
        return not words or any(word in str(path) for word in words)

    count = Count()
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # a background job ignores them, and so would the programs under test
    binaries = [BUILD / "tests/unit" / source.stem for source in sorted((TESTS / "unit").glob("test_*.c")) if wanted(source)]
    with ThreadPoolExecutor(JOBS) as pool:
        for binary, (output, status) in zip(binaries, pool.map(run_unit, binaries)):
            judge_unit(binary, output, status, count)
    longest_first = sorted(TESTS.glob("*/test_*.py"), key=lambda path: -path.stat().st_size)  # about: none is left to one process at the end
    files = [str(path) for path in longest_first if wanted(path)]
    if files:
        run_python(files, count, "-n", str(JOBS), "--dist", "loadfile", "-m", "not alone")
        run_python(files, count, "-m", "alone")
    print()
    for name in count.failed:
        print(f"failed: {name}")
    for name, reason in count.skipped:
        print(f"skipped: {name}: {reason}")
    print(f"{count.passed} passed, {len(count.failed)} failed, {len(count.skipped)} skipped")
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
