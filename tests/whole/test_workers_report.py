"""Roots of workers in a file, and what the report makes of them."""
import sys

import pytest
from reports import line_at, make_db, report, report_json

MAIN, PYTHON, NATIVE, WORKER, ADOPTED = range(5)


def write(path, build):
    database = make_db.Db()
    process = database.process(python=sys.hexversion, seconds=20)
    code = process.code("main", "/nowhere/train.py")
    build(process, code)
    database.write(path)
    return path


def line_of(process, code):
    return process.frame(process.root(MAIN), code, -1, samples=100)


def kernel(process, parent, **time):
    return process.node(parent, make_db.NATIVE, 0x7F0000000100, **time)


def test_workers_are_told_at_their_lines(tmp_path):
    def build(process, code):
        line_of(process, code)
        kernel(process, process.frame(process.root(WORKER), code, -1), samples=50)
        kernel(process, process.frame(process.root(ADOPTED), code, -1), samples=25)
        kernel(process, process.root(WORKER), samples=10)
        kernel(process, process.root(NATIVE), samples=5)

    path = write(tmp_path / "out.db", build)
    data = report_json(path)
    line = line_at(data, 1)
    assert (line["time_s"], line["worker_s"]) == (pytest.approx(0.7), pytest.approx(0.3))
    assert data["totals"]["workers"] == pytest.approx({"at_lines_s": 0.3, "adopted_s": 0.1, "waiting_s": 0.04})
    assert data["totals"]["elsewhere_s"] == pytest.approx(0.06)
    text = " ".join(report(path).stdout.split())
    assert "0.30 s of it (39 %) on worker threads, at the lines that launched their work" in text
    assert "outside every Python line: native threads, start and end (20 ms), workers that wait for work (40 ms)" in text
    assert "on worker threads 43 %" in text


def test_a_pool_of_python_threads_is_told_at_the_line_that_started_it(tmp_path):
    def build(process, code):
        starter = process.frame(process.root(WORKER), code, -1)
        line_of(process, code)
        pool = process.code("_worker", "/usr/lib/python3.11/concurrent/futures/thread.py")
        own = process.code("own", "/nowhere/own.py")
        idle = process.frame(process.root(PYTHON | starter << 32), pool, -1)
        kernel(process, idle, samples=50)
        kernel(process, process.frame(idle, own, -1), samples=75)

    data = report_json(write(tmp_path / "out.db", build))
    started = next(line for line in data["lines"] if line["file"] == "/nowhere/train.py")
    own = next(line for line in data["lines"] if line["file"] == "/nowhere/own.py")
    assert (started["time_s"], started["worker_s"]) == (pytest.approx(0.6), pytest.approx(0.2))
    assert (own["time_s"], own["worker_s"]) == (pytest.approx(0.3), 0)


@pytest.mark.parametrize("root", [5, 2**31, MAIN | 1 << 32, WORKER | 1 << 32, PYTHON | 3 << 32, PYTHON | 99 << 32])
def test_roots_that_cannot_be_are_refused(tmp_path, root):
    def build(process, code):
        line_of(process, code)
        process.root(root)

    done = report(write(tmp_path / "out.db", build))
    assert done.returncode == 2
    assert "root" in done.stderr and len(done.stderr.splitlines()) == 1
