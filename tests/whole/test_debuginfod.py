"""Debug information from a debuginfod server: asked for where DEBUGINFOD_URLS names one, and only there."""
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest
import whole

SOURCE = """
#include <stdlib.h>
void *take(size_t bytes) { return calloc(1, bytes); }
void fill_served(volatile long *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        a[i] = 7; /* line 7 */
    }
}
"""

PROGRAM = """
import ctypes, time
lib = ctypes.PyDLL({library!r})
lib.take.restype = ctypes.c_void_p
a = ctypes.c_void_p(lib.take(ctypes.c_size_t(1 << 16)))
end = time.thread_time() + 2
while time.thread_time() < end:
    lib.fill_served(a, ctypes.c_size_t(1 << 13))
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A run through a stripped library, and the directory with what was stripped off it."""
    directory = tmp_path_factory.mktemp("debuginfod")
    debug, library, program = directory / "debug", directory / "libserved.so", directory / "program.py"
    debug.mkdir()
    (directory / "served.c").write_text(SOURCE)
    subprocess.run(["gcc", "-g", "-O1", "-shared", "-fPIC", "-Wl,--build-id", "-o", library, "served.c"], cwd=directory, check=True)
    subprocess.run(["objcopy", "--only-keep-debug", library, debug / "anything.debug"], check=True)
    subprocess.run(["strip", "-s", library], check=True)
    program.write_text(PROGRAM.format(library=str(library)))
    database = directory / "out.db"
    done = whole.execute([whole.PYTHON, program], cwd=directory, env=whole.environment(
        LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE="1000", PIEPROF_BUDGET="50"))
    assert done.returncode == 0 and not done.stderr, done.stderr
    return database, debug


@pytest.fixture
def server(served, tmp_path):
    """A debuginfod of our own on the loopback, its scan finished."""
    if shutil.which("debuginfod") is None:
        pytest.skip("debuginfod is not installed")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = ["debuginfod", "-p", str(port), "-d", tmp_path / "index.sqlite", "-F", served[1]]
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=clean_environment(tmp_path))
    try:
        url = f"http://127.0.0.1:{port}"
        await_scan(url)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def await_scan(url):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            metrics = urllib.request.urlopen(f"{url}/metrics", timeout=5).read().decode()
            if "thread_work_total{role=\"traverse\"} 1" in metrics and "groom{statistic=\"file d/e\"}" in metrics:
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.2)
    raise AssertionError("debuginfod did not finish its scan")


def clean_environment(home, **changes):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DEBUGINFOD") and "proxy" not in name.lower()}
    return {**kept, "HOME": str(home), "DEBUGINFOD_CACHE_PATH": str(home / "cache"), **changes}


def native_frames(database, environment, *before):
    done = whole.execute([*before, whole.REPORT, "--format", "json", database], env=environment)
    assert done.returncode == 0, done.stderr
    contexts = [pair[end] for pair in json.loads(done.stdout)["pairs"] for end in ("first", "second")]
    frames = [frame for context in contexts for frame in context["frames"] if frame["kind"] == "native"]
    found = [frame for frame in frames if frame["library"].endswith("libserved.so")]
    assert found
    return found


def test_served_lines_are_shown(served, server, tmp_path):
    frames = native_frames(served[0], clean_environment(tmp_path, DEBUGINFOD_URLS=server))
    assert {(frame["function"], frame["file"].endswith("served.c"), frame["line"]) for frame in frames} == {("fill_served", True, 7)}


def test_not_asked_for_no_network(served, tmp_path):
    """Without the variable nothing is connected to (libcurl's start makes a local pair), and the frames have no line."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    frames = native_frames(served[0], clean_environment(tmp_path), "strace", "-f", "-e", "trace=network", "-o", trace)
    assert {frame["line"] for frame in frames} == {None}
    calls = trace.read_text()
    assert "AF_INET" not in calls and "connect(" not in calls and "sendto(" not in calls, calls


def test_a_server_that_is_away_is_no_error(served, tmp_path):
    environment = clean_environment(tmp_path, DEBUGINFOD_URLS="http://127.0.0.1:1/")
    assert {frame["line"] for frame in native_frames(served[0], environment)} == {None}
