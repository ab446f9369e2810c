"""The report on files that are damaged, cut short or no runs at all: refused in one line, or read as far as they go."""
import json
import os
import re
import struct
import sys

import jsonschema

from reports import SCHEMA, make_db, report, report_json


def refused(path, *words):
    done = report(path)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and str(path) in done.stderr, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


def test_files_that_are_no_runs(tmp_path, small):
    cases = {"empty": b"", "text": b"not a profile\n" * 500, "short": b"PIEPROF\x1a" + bytes(100),
             "elf": open(sys.executable, "rb").read(100000)}
    for name, content in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        refused(path, "offset")
    refused(tmp_path, "directory")
    refused(tmp_path / "missing.db", "No such file")
    version = tmp_path / "version.db"
    make_db.golden_small().write(version, version=2)
    refused(version, "version 2", "offset 0x8")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "regular")


def test_structural_damage_is_one_line(tmp_path, small):
    good = small.read_bytes()
    extent = 4096 + 16384
    for offset, value, words in ((4096, 0x12345678, ["0x1000"]), (extent + 4, 99, ["kind"]), (extent + 12, 7, ["records of 7"]),
                                 (20, 5, ["byte order"]), (16, 4096, ["extents of"])):
        damaged = bytearray(good)
        struct.pack_into("<I", damaged, offset, value)
        path = tmp_path / "damaged.db"
        path.write_bytes(damaged)
        refused(path, "offset", *words)


def test_more_threads_than_a_process_can_have_are_read_as_so_many(tmp_path):
    for threads in (2**64 - 1, 2**63, 2**32 - 1):
        database = make_db.golden_small()
        database.processes[0].threads = threads
        database.write(tmp_path / "threads.db")
        assert report_json(tmp_path / "threads.db")["run"]["health"]["samples"] > 0


def test_reference_out_of_range_is_refused(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.node(len(process.records["NODE"]) + 1, make_db.NATIVE, 1)
    path = tmp_path / "parent.db"
    database.write(path)
    refused(path, "not before it")
    database = make_db.golden_small()
    database.processes[0].pair(1, 100000)
    database.write(path)
    refused(path, "out of range")


def test_cut_short_is_read_as_far_as_it_goes(tmp_path, small):
    good = small.read_bytes()
    path = tmp_path / "cut.db"
    for length in range(4096, len(good), 20011):
        path.write_bytes(good[:length])
        done = report(path, "--format", "json")
        assert done.returncode == 0 and len(done.stderr.splitlines()) == 1, (length, done.stderr)
        data = json.loads(done.stdout)
        jsonschema.validate(data, SCHEMA)
        assert data["run"]["health"]["damaged"] > 0


def test_claims_beyond_a_full_file_system_are_no_damage(tmp_path):
    """Processes that start at once claim, and find no space: who gives back first leaves the others' claims behind the file's end."""
    database = make_db.golden_small()
    path = tmp_path / "full.db"
    for joins, damaged in ((0, 1), (3, 0)):
        database.dropped_joins = joins
        path.write_bytes(database.bytes(claimed_beyond=4))
        done = report(path, "--format", "json")
        assert done.returncode == 0 and json.loads(done.stdout)["run"]["health"]["damaged"] == damaged
        assert ("ends before its contents" in done.stderr) == bool(damaged), done.stderr
    path.write_bytes(database.bytes(claimed_beyond=4)[:-1000])
    assert "ends before its contents" in report(path).stderr


def test_impossible_counters_make_no_impossible_figures(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.node(1, make_db.NATIVE, 0x7f0000000300, samples=1, cpu_ns=2**63)
    process.pair(6, 6, count=1)
    process.records["PAIR"][-1] = make_db.PAIR.pack(1, 6, 6, 1, 1, 2, 1, 1, 1, 0, 8, 0, 0, 2**63, 2**64 - 1, 0, 2**63)
    path = tmp_path / "impossible.db"
    database.write(path)
    data = report_json(path)
    assert data["totals"]["time_s"]["total"] == 3.84
    assert data["run"]["health"]["damaged"] == 4
    told = re.search(r"impossible.db: offset 0x([0-9a-f]+): 4 unfinished or impossible entries were left out, the first one here", report(path).stderr)
    content = path.read_bytes()
    assert struct.pack("<Q", 2**63) in content[int(told[1], 16):int(told[1], 16) + 64], "it is the node's record"


def test_where_a_process_says_what_cannot_be(tmp_path):
    database = make_db.golden_small()
    database.processes[0].threads = 2**63
    database.write(tmp_path / "threads.db")
    assert re.search(r"offset 0x[1-9a-f][0-9a-f]*: 1 unfinished or impossible entry was left out$", report(tmp_path / "threads.db").stderr.strip())


def test_no_node_and_no_sum_of_nodes_exceeds_the_cpu_time(tmp_path):
    database = make_db.Db()
    process = database.process(python=sys.hexversion, seconds=5.6)
    frame = process.frame(process.root(), process.code("main", "/nowhere/train.py"), -1, samples=250)
    path = tmp_path / "out.db"
    process.node(frame, make_db.NATIVE, 0x7f0000000300, cpu_ns=2**33, samples=1)
    database.write(path)
    data = report_json(path)
    assert (data["totals"]["time_s"]["total"], data["run"]["health"]["damaged"]) == (1.0, 1)
    for number in range(40):
        process.node(frame, make_db.NATIVE, 0x7f0000000400 + number, cpu_ns=2 * 10**9, samples=1)
    process.pair(frame, frame)
    process.records["PAIR"][-1] = make_db.PAIR.pack(1, frame, frame, 1, 1, 2, 1, 1, 1, 0, 8, 0, 0, 1, 10**12, 1, 1)
    database.write(path)
    data = report_json(path)
    assert (data["totals"]["time_s"]["total"], data["run"]["health"]["damaged"]) == (5.0, 1 + 38 + 1)
    assert data["pairs"][0]["weight_s"] == 0


def test_cpu_time_before_an_exec_is_not_the_next_programs(tmp_path):
    database = make_db.Db()
    for cpu_seconds, ended, samples in ((90, 2, 22000), (170, 2, 19500), (171, 1, 200)):
        process = database.process(python=sys.hexversion, seconds=100 if ended == 2 else 1, ended=ended)
        process.cpu_seconds = cpu_seconds
        process.frame(process.root(), process.code("main", "/nowhere/train.py"), -1, samples=samples)
    path = tmp_path / "out.db"
    database.write(path)
    data = report_json(path)
    assert [process["cpu_s"] for process in data["run"]["processes"]] == [90, 80, 1]
    assert data["run"]["health"]["damaged"] == 0
    assert "in no sample" not in report(path).stdout
