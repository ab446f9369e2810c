"""Sampled accesses to objects as files tell them: where an idle part begins to be one, shared pages, and what no writer can have recorded."""
import json

import jsonschema
import pytest

from reports import SCHEMA, make_db, report

MIB = 2**20


def write(path, births=100, most_alive=2, peak_objects=0, size=MIB, parts=(), forgotten=0, **site):
    """One site on line 4, and what was sampled of its objects; a peak of 100 MiB."""
    db = make_db.golden_small()
    process = db.processes[0]
    process.engines = ("time", "access", "replica")
    first = process.site(12, size, births=births, most_alive=most_alive, peak_objects=peak_objects, ended=births, lifetime_ns=births * 10**8, **site)
    process.heat(first, parts, objects=min(births, max(1, sum(parts))), life_ns=10**8, forgotten=forgotten)
    process.live([100 * MIB], bytes=0)
    db.write(path)
    return db


def read(path):
    done = report("--format", "json", "--min-waste", "0", path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    for arguments in ([path], ["dump", path]):
        assert report(*arguments).returncode == 0
    return document


def idle(document):
    found = [line["memory"]["idle"] for line in document["lines"] if line["memory"] and line["memory"]["idle"]]
    return found[0] if found else None


def gap(accesses, first, last, inside=0):
    """Half of the accesses in the first part, half in the last, `inside` of them in part 8."""
    parts = [0] * 16
    parts[first], parts[last] = accesses - accesses // 2, accesses // 2 - inside
    parts[8] += inside
    return parts


EDGES = [
    (gap(22, 0, 15), None),  # 14 of 16 parts: 19.25 expected, and the bound of none is 9.64
    (gap(23, 0, 15), (1 / 16, 15 / 16)),
    (gap(30, 0, 15, inside=1), (1 / 16, 15 / 16)),
    (gap(30, 0, 15, inside=4), None),
    (gap(400, 5, 8), (9 / 16, 1.0)),
    (gap(400, 2, 9), (3 / 16, 9 / 16)),  # of two alike the first
    ([25] * 16, None),
    ([25] * 12 + [0] * 4, (12 / 16, 1.0)),
    ([0] * 4 + [25] * 12, (0.0, 4 / 16)),  # made long before it is used
    ([0] * 3 + [25] * 13, None),
    ([25] * 13 + [0] * 3, None),  # three parts are no window; of four one is dense, and two halves of that are left
    ([300] + [10] * 15, (1 / 16, 1.0)),
    ([], None),
]


@pytest.mark.parametrize("parts, window", EDGES, ids=[str(i) for i in range(len(EDGES))])
def test_where_an_idle_part_begins(tmp_path, parts, window):
    write(tmp_path / "out.db", parts=parts)
    found = idle(read(tmp_path / "out.db"))
    assert (found and (found["from"], found["to"])) == window


@pytest.mark.parametrize("births, most_alive, told", [(16, 4, True), (15, 3, False), (16, 5, False), (100, 26, False), (100, 25, True)])
def test_only_of_what_is_made_again(tmp_path, births, most_alive, told):
    write(tmp_path / "out.db", births=births, most_alive=most_alive, parts=gap(400, 0, 15))
    assert (idle(read(tmp_path / "out.db")) is not None) == told


KEPT = [300, 100] + [0] * 14


@pytest.mark.parametrize("facts, found", [
    ({}, True),
    ({"peak_objects": 19}, True),  # 14 of 16 of them: 16 MiB, the least
    ({"peak_objects": 18}, False),
    ({"peak_objects": 1}, False),
    ({"peak_objects": 0}, False),
    ({"parts": [200, 99] + [0] * 14}, False),  # so few that a short use at the end may be missed
    ({"parts": [200, 100] + [0] * 14}, True),
    ({"parts": [500, 99] + [0] * 13 + [1]}, True),
    ({"parts": [500, 98] + [0] * 13 + [1]}, False),  # some uses at the end
    ({"parts": [300] + [0] * 12 + [100, 0, 0]}, False),
    ({"parts": [100] * 9 + [0] * 7}, False),  # less than half of their lives
    ({"most_alive": 80}, False),
])
def test_when_it_is_a_finding(tmp_path, facts, found):
    write(tmp_path / "out.db", **{"births": 200, "most_alive": 40, "peak_objects": 40, "parts": KEPT, **facts})
    document = read(tmp_path / "out.db")
    findings = [finding for finding in document["findings"] if finding["kind"] == "idle"]
    assert len(findings) == found
    if found:
        assert findings[0]["line"] == 4 and findings[0]["category"] == "idle activation" and findings[0]["waste_bytes"] >= 16 * MIB


def test_a_tenth_of_the_peak_is_asked_for(tmp_path):
    for size, found in ((2 * MIB, True), (9 * MIB // 10, False)):
        db = make_db.golden_small()
        process = db.processes[0]
        process.engines = ("time", "access", "replica")
        site = process.site(12, size, births=200, most_alive=40, peak_objects=40, ended=200)
        process.heat(site, KEPT, objects=200, life_ns=10**8)
        process.live([400 * MIB])
        db.write(tmp_path / "out.db")
        assert bool(read(tmp_path / "out.db")["findings"]) == found
    shown = report("--min-waste", "20", tmp_path / "out.db").stdout
    assert "idle activation" not in shown


HOSTILE = {
    "vast": [2**64 - 1] * 16,
    "one vast": [2**64 - 1] + [0] * 15,
    "sum beyond": [2**47] * 16,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_is_made_possible(tmp_path, name):
    db = write(tmp_path / "out.db", parts=gap(400, 0, 15))
    process = db.processes[0]
    process.records["HEAT"] = [make_db.HEAT.pack(1, 1, 2**64 - 1, 2**64 - 1, 2**64 - 1, 2**64 - 1, *HOSTILE[name], *[0] * 16)]
    process.neighbour(1, 1, 2**60, 2**3, 2**3)
    db.write(tmp_path / "out.db")
    document = read(tmp_path / "out.db")
    found = idle(document)
    assert found is None or found["seen"] <= found["accesses"] and found["idle_s"] < 100
    assert document["totals"]["pages"]["accesses"] < 2**49


def pages(tmp_path, *records):
    db = write(tmp_path / "out.db", parts=[30] * 16)
    process = db.processes[0]
    process.site(10, 2048, births=50)
    for record in records:
        process.neighbour(*record)
    db.write(tmp_path / "out.db")
    return read(tmp_path / "out.db")["totals"]["pages"]


def test_the_heat_of_neighbours_is_compared_by_byte(tmp_path):
    (pair,) = pages(tmp_path, (1, 2, 100, 1024, 3072), (2, 1, 1, 3072, 1024))["mixed"]
    assert (pair["hot"]["line"], pair["cold"]["line"], pair["hot_accesses"], pair["cold_accesses"]) == (4, 9, 100, 1)
    assert (pair["hot_bytes"], pair["cold_bytes"]) == (1024, 3072) and pair["times_hotter_at_least"] > 3 * 10
    assert pages(tmp_path, (1, 2, 100, 3600, 100), (2, 1, 1, 100, 3600))["mixed"] == []  # 36 times the bytes
    assert pages(tmp_path, (1, 2, 60), (2, 1, 40))["mixed"] == []
    assert pages(tmp_path, (1, 2, 9))["mixed"] == []  # too few
    assert pages(tmp_path, (1, 1, 900))["mixed"] == []  # its own


def test_references_that_lead_nowhere(tmp_path):
    lost_context = make_db.HEAT.pack(1, 1, *[0] * 35, 999)
    for kind, record in (("HEAT", make_db.HEAT.pack(1, 999, *[0] * 36)), ("HEAT", lost_context), ("NEIGHBOUR", make_db.NEIGHBOUR.pack(1, 1, 999, 0, 1, 1, 1))):
        db = write(tmp_path / "out.db", parts=[30] * 16)
        db.processes[0].records[kind].append(record)
        db.write(tmp_path / "out.db")
        done = report(tmp_path / "out.db")
        assert done.returncode == 2 and kind.lower() in done.stderr and len(done.stderr.splitlines()) == 1
