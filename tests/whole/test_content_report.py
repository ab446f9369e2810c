"""The contents of buffers as files tell them: how a type is decided at its edges, and what no writer can have recorded."""
import json

import jsonschema
import pytest

from reports import SCHEMA, make_db, report

# 10,000 words of random float32.
FLOATS = {"objects": 20, "words": 10000, "low_floats": 10000, "high_floats": 10000, "fractions": 20000, "bit15": 10000, "bit14": 10000,
          "bit7": 10000, "doubles": 9000, "lowest32": 0x3f000000, "highest32": 0x40000000}
FEWER = {"fractions": 11000, "bit15": 5500, "bit14": 5500, "bit7": 5500}
# ... of random float64, of small int64, of small int32, of flags.
DOUBLES = {"objects": 20, "words": 10000, "low_floats": 5000, "high_floats": 10000, "fractions": 20000, "bit15": 10000, "bit14": 10000,
           "bit7": 10000, "doubles": 10000, "lowest64": 0x3f00000000000000, "highest64": 0x4000000000000000}
LONGS = {"objects": 20, "words": 10000, "high_zero": 10000, "low_shorts": 10000, "whole": 10000, "fractions": 10000}
INTS = {"objects": 20, "words": 10000, "low_shorts": 10000, "high_shorts": 10000, "fractions": 20000}
FLAGS = {"objects": 20, "words": 10000, "flags": 10000, "spread_flags": 9000, "fractions": 10000}

TYPES = [
    ("float32", FLOATS, {}),
    ("float32", FLOATS, {"low_floats": 9901}),
    ("unknown", FLOATS, {"low_floats": 9899, "doubles": 0}),
    ("unknown", FLOATS, {"bit14": 15001, "doubles": 0}),
    ("unknown", FLOATS, {"bit15": 0, "doubles": 0}),
    ("float32", FLOATS, {"fractions": 0, "bit15": 0, "bit14": 0, "bit7": 0}),
    ("float32", FLOATS, {"low_zero": 8000, "low_floats": 2000, **FEWER}),
    ("unknown", FLOATS, {"low_zero": 9000, "low_floats": 1000, **FEWER}),
    ("unknown", FLOATS, {"zero_words": 9950, "low_zero": 9950, "high_zero": 9950}),
    ("float64", DOUBLES, {}),
    ("unknown", DOUBLES, {"doubles": 9899}),
    ("unknown", DOUBLES, {"low_floats": 8000}),
    ("float64", DOUBLES, {"low_zero": 10000, "fractions": 0, "bit15": 0, "bit14": 0, "bit7": 0, "low_floats": 0}),
    ("unknown", DOUBLES, {"low_zero": 10000, "low_floats": 0}),
    ("int64", LONGS, {}),
    ("unknown", LONGS, {"low_floats": 200, "low_shorts": 9000}),
    ("int32", INTS, {}),
    ("unknown", INTS, {"high_shorts": 9000}),
    ("bool", FLAGS, {}),
    ("unknown", FLAGS, {"spread_flags": 2000}),
]


def write(path, counters, samples=()):
    db = make_db.golden_objects()
    process = db.processes[0]
    process.records["CONTENT"].clear()
    process.content(3, samples=samples, **counters)
    db.write(path)


def content_of(path):
    done = report("--format", "json", path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    return document["totals"]["content"], document


@pytest.mark.parametrize("name, counters, changes", TYPES)
def test_a_type_needs_99_of_100(tmp_path, name, counters, changes):
    write(tmp_path / "out.db", {**counters, **changes})
    (content,), _ = content_of(tmp_path / "out.db")
    assert content["type"] == name


def test_sums_of_a_line(tmp_path):
    write(tmp_path / "out.db", {**FLOATS, "low_zero": 4000, "high_zero": 4000, "low_floats": 6000, "high_floats": 6000, "zero_words": 3000, **FEWER,
                                "minus32": 1000, "repeated32": 2000, "nan32": 5, "infinite32": 6})
    (content,), document = content_of(tmp_path / "out.db")
    assert (content["elements"], content["zero_fraction"], content["repeated_fraction"]) == (20000, 0.45, 0.1)
    assert (content["lowest"], content["highest"], content["nan"], content["infinite"]) == (0.5, 2.0, 5, 6)
    assert [line["content"] for line in document["lines"] if line["content"]] == [[content]]
    page = " ".join(report(tmp_path / "out.db").stdout.split())
    assert "content float32 (20,000 looked at): 45 % zeros, 10 % or more one other value, sizes from 0.5 to 2, 5 NaN, 6 infinite" in page


HOSTILE = {
    "vast": dict.fromkeys(make_db.CONTENT_COUNTERS, 2**64 - 1),
    "more than the whole": {**FLOATS, "zero_words": 2**40, "low_zero": 2**50, "high_floats": 2**60, "fractions": 2**33, "bit7": 2**34,
                            "nan32": 2**63, "infinite32": 2**63, "minus32": 2**62, "repeated32": 2**62},
    "no objects": {**FLOATS, "objects": 0},
    "not finite": {**FLOATS, "lowest32": 0, "highest32": 0x7fffffff},
    "lowest alone": {**FLOATS, "lowest32": 0, "highest32": 0},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_is_made_possible(tmp_path, name):
    write(tmp_path / "out.db", HOSTILE[name], samples=[b"\xff" * 4096, b"", b"\x00\x00\x80\x3f", b"abc"])
    contents, _ = content_of(tmp_path / "out.db")
    for content in contents or []:
        assert 0 <= (content["zero_fraction"] or 0) <= 1 and 0 <= (content["repeated_fraction"] or 0) <= 1
        assert content["lowest"] is None or 0 < content["lowest"] <= content["highest"] < 3.5e38
    for arguments in ([tmp_path / "out.db"], ["dump", tmp_path / "out.db"]):
        assert report(*arguments).returncode == 0


def test_samples_that_zfp_cannot_take_are_left_out(tmp_path):
    one, nan = b"\x00\x00\x80\x3f", b"\x00\x00\xc0\x7f"
    write(tmp_path / "out.db", FLOATS, samples=[one * 64, one * 63 + nan, one * 3, b"\x00" * 4096])
    (content,), _ = content_of(tmp_path / "out.db")
    assert content["compression"]["samples"] == 2 and content["compression"]["ratio"] > 10


def test_references_that_lead_nowhere(tmp_path):
    write(tmp_path / "out.db", FLOATS)
    data = bytearray((tmp_path / "out.db").read_bytes())
    db = make_db.golden_objects()
    db.processes[0].content(3, **FLOATS)
    record = db.processes[0].records["CONTENT"][-1]
    for changed in (record[:4] + (999).to_bytes(4, "little") + record[8:], record[:-4] + (2**31).to_bytes(4, "little")):
        at = data.index(make_db.CONTENT.pack(*make_db.CONTENT.unpack(record)))
        damaged = data[:at] + changed + data[at + len(changed):]
        (tmp_path / "damaged.db").write_bytes(damaged)
        done = report(tmp_path / "damaged.db")
        assert done.returncode == 2 and "content" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
