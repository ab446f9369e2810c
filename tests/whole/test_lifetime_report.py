"""Live bytes in the report: what the page and JSON say of a recorded curve, and of one that cannot be."""
import json
import sys

import jsonschema
import pytest

from reports import SCHEMA, line_at, make_db, report, report_json

MIB = 2**20


def database(ended=1, **live):
    """Lines 4 and 8 make objects; one below an import, one without context."""
    db = make_db.Db()
    process = db.process(python=sys.hexversion, engines=("time", "access", "replica"), seconds=4.0, ended=ended)
    source = process.source("/nowhere/train.py", make_db.TRAIN)
    codes = {name: (process.code_of(code, source), code) for name, code in make_db.text_codes(make_db.TRAIN, "/nowhere/train.py").items()}
    boot = process.code("_find_and_load", "<frozen importlib._bootstrap>")

    def at(parent, name, line):
        number, code = codes[name]
        return process.node(process.frame(parent, number, make_db.offset_of(code, line), samples=50), make_db.NATIVE, 0x7f0000000100)
    root = process.root()
    imports = process.node(process.frame(root, boot), make_db.NATIVE, 0x7f0000000100)
    process.site(at(root, "fill", 4), MIB, births=100, ended=90, lifetime_ns=180 * 10**9 // 10, most_alive=40, peak_objects=30)
    process.site(at(root, "step", 8), 2 * MIB, births=8, ended=0, most_alive=8, peak_objects=8)
    process.site(at(root, "step", 9), MIB, births=1000, lifetime_ns=10**8)
    process.site(imports, 3 * MIB, births=2, ended=0, most_alive=2, peak_objects=2)
    process.site(0, 4 * MIB, births=1, ended=0, most_alive=1, peak_objects=1)
    facts = {"peak": 60 * MIB, "peak_at_ns": 2 * 10**9, "snapshot": 57 * MIB, "snapshot_small": MIB // 2, "snapshot_siteless": MIB, "bytes": 20 * MIB, **live}
    process.live(facts.pop("max_bytes", [MIB, 30 * MIB, 60 * MIB, 59 * MIB, 20 * MIB]), bin_ns=facts.pop("bin_ns", 2**29), **facts)
    return db


@pytest.fixture
def path(tmp_path):
    database().write(tmp_path / "out.db")
    return tmp_path / "out.db"


def test_memory_in_json(path):
    data = report_json(path)
    memory = data["totals"]["memory"]
    assert (memory["peak_bytes"], memory["peak_at_s"], memory["snapshot_fraction"]) == (60 * MIB, 2.0, 0.95)
    assert (memory["small_bytes"], memory["import_bytes"], memory["other_bytes"]) == (MIB // 2, 6 * MIB, 57 * MIB - 52 * MIB - MIB // 2 - MIB)
    assert memory["siteless_bytes"] == MIB
    assert [(part["line"], part["bytes"], part["objects"], part["mean_lifetime_s"]) for part in memory["at_peak"]] == \
        [(4, 30 * MIB, 30, 0.2), (8, 16 * MIB, 8, None)]
    assert (memory["births"], memory["again"]) == (100 + 8 + 1000 + 1, 60 + 999)
    assert line_at(data, 9)["memory"] == {"peak_bytes": 0, "peak_objects": 0, "births": 1000, "again": 999, "again_bytes": 999 * MIB, "fresh_bytes": 0, "fault_s": 0.0,
                                          "unfilled": 0, "unfilled_bytes": 0, "mean_lifetime_s": 0.0001, "accesses": 0, "idle": None}
    assert line_at(data, 8)["memory"]["mean_lifetime_s"] is None
    assert memory["curve"]["bin_s"] == pytest.approx(2**29 * 1e-9, abs=1e-6)
    assert memory["curve"]["max_bytes"] == [MIB, 30 * MIB, 60 * MIB, 59 * MIB] + [20 * MIB] * 4, "as it was, to the end"


def test_memory_on_the_page(path):
    text = report(path).stdout
    flowing = " ".join(text.split())
    assert "memory peak 60 MiB alive at 2.00 s; below: what stood at 95 % of it" in flowing
    assert "train.py:4 fill: 30 objects, alive for 0.20 s in the mean, or to the end" in flowing
    assert "train.py:8 step: 8 objects, kept to the end" in flowing
    assert "made by imports" in flowing and "objects below 16 KiB" not in flowing
    assert "999 freed and allocated again (999 MiB)" in flowing
    for width in (40, 60, 80, 120):
        assert max(len(row) for row in report(path, "--width", width).stdout.splitlines()) <= width


def test_what_the_full_map_left_out_is_told_beside_the_peak(tmp_path, path):
    assert "object map" not in report(path).stdout
    for process in (0, 1):
        db = database()
        db.process(python=sys.hexversion, engines=("replica",), pid=4243, seconds=4.0).live([MIB])
        db.processes[process].drops[make_db.DROP_NAMES.index("object_table_full")] = 160376
        db.write(tmp_path / "full.db")
        memory = report_json(tmp_path / "full.db")["totals"]["memory"]
        assert memory["uncounted_objects"] == (0 if process else 160376), "of the process whose peak it is"
        text = " ".join(report(tmp_path / "full.db").stdout.split())
        told = "160,376 objects made while the object map was full are not counted: the peak was higher, if they stood then"
        assert (told in text.split(" note ")[0]) == (not process)


@pytest.mark.parametrize("locale, bars", [("C", "_=##::::"), ("C.UTF-8", "▁▅██▃▃▃▃"), ("", "_=##::::")])
def test_the_curve_is_drawn_in_what_the_terminal_takes(path, locale, bars):
    text = report(path, env={"LC_ALL": locale, "PATH": "/usr/bin"}).stdout
    assert bars in text


def test_the_curve_keeps_to_the_width(tmp_path):
    path = tmp_path / "out.db"
    database(max_bytes=[(i + 1) * MIB // 2 for i in range(120)], bin_ns=2**25).write(path)
    for width, bars in ((40, 32), (50, 42), (56, 48), (100, 48)):
        rows = report(path, "--width", str(width), env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin"}).stdout.splitlines()
        assert max(len(row) for row in rows) <= width
        assert sum(row.count(bar) for row in rows for bar in "▁▂▃▄▅▆▇█") == bars


def test_a_long_quiet_life_keeps_few_bins(tmp_path):
    path = tmp_path / "out.db"
    db = database(bin_ns=2**22)
    db.processes[0].seconds = 600
    db.write(path)
    curve = report_json(path)["totals"]["memory"]["curve"]
    assert len(curve["max_bytes"]) <= 128 and max(curve["max_bytes"]) == 60 * MIB
    assert abs(len(curve["max_bytes"]) * curve["bin_s"] - 600) <= curve["bin_s"]


def test_the_highest_process_is_told(tmp_path):
    path = tmp_path / "out.db"
    db = database()
    child = db.process(python=sys.hexversion, engines=("replica",), pid=4243, seconds=4.0)
    child.live([70 * MIB], small=0, snapshot=0)
    db.write(path)
    memory = report_json(path)["totals"]["memory"]
    assert (memory["pid"], memory["processes"], memory["peak_bytes"], memory["at_peak"]) == (4243, 2, 70 * MIB, [])
    assert "in process 4243, the highest of 2" in " ".join(report(path).stdout.split())


HOSTILE = {
    "negative": {"bytes": -5, "small": -7, "siteless": -9},
    "vast": {"bytes": 2**63 - 1, "small": -2**63, "peak": 2**64 - 1, "snapshot": 2**64 - 1, "snapshot_small": 2**64 - 1},
    "late": {"peak_at_ns": 2**64 - 1, "snapshot_at_ns": 2**63},
    "more than the whole": {"snapshot": 2**50, "snapshot_small": 2**49, "snapshot_siteless": 2**49},
    "less than any site": {"peak": 26},
    "less than all sites": {"peak": 40 * MIB},
    "no bins": {"bin_ns": 0},
    "long bins": {"bin_ns": 2**64 - 1},
    "high bins": {"max_bytes": [2**64 - 1] * 128},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_is_made_possible(tmp_path, name):
    path = tmp_path / "out.db"
    database(**HOSTILE[name]).write(path)
    done = report(path, "--format", "json")
    assert done.returncode == 0
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    memory = data["totals"]["memory"]
    assert memory["snapshot_bytes"] <= memory["peak_bytes"] < 2**58
    assert memory["small_bytes"] + memory["other_bytes"] <= memory["snapshot_bytes"] or memory["at_peak"]
    assert sum(site["bytes"] for site in memory["at_peak"]) + memory["import_bytes"] <= memory["snapshot_bytes"]
    assert memory["peak_at_s"] <= 4 + 2
    assert all(0 <= level <= memory["peak_bytes"] for level in memory["curve"]["max_bytes"])
    assert report(path).returncode == 0 and report("dump", path).returncode == 0


def test_more_bins_than_there_are(tmp_path):
    db = database()
    (record,) = db.processes[0].records["LIVE"]
    db.processes[0].records["LIVE"] = [record[:4] + (2**32 - 1).to_bytes(4, "little") + record[8:]]
    db.write(tmp_path / "out.db")
    assert report_json_damaged(tmp_path / "out.db")["totals"]["memory"]["curve"]["max_bytes"] == []


def report_json_damaged(path):
    return json.loads(report(path, "--format", "json").stdout)


def test_dump_shows_it(path):
    text = report("dump", path).stdout
    assert "LIVE 1.1 bytes=20971520" in text and "most_alive=40 peak_objects=30" in text
