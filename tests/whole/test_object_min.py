"""PIEPROF_OBJECT_MIN: the smallest buffer that is an object."""
import json

import jsonschema
import pytest
import whole

PROGRAM = """
import numpy as np
x, y = np.arange(300.0), np.arange(1000.0)
for step in range(200):
    a = x * 3.0  # 2,400 bytes
    b = y * 3.0  # 8,000 bytes
"""


def report_of(tmp_path, **changes):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    database = tmp_path / "out.db"
    done = whole.execute([whole.PYTHON, program], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **changes))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, json.loads(whole.SCHEMA.read_text()))
    lines = {line["line"]: line["replicas"] for line in report["lines"]}
    return database, report, [lines.get(number, {}).get("of_objects", 0) for number in (5, 6)]


@pytest.mark.parametrize("least, of_objects", [(None, [200, 200]), ("4K", [0, 200]), ("8000", [0, 200]), ("8001", [0, 0])])
def test_smaller_buffers_are_no_objects(tmp_path, least, of_objects):
    changes = {} if least is None else {"PIEPROF_OBJECT_MIN": least}
    database, report, seen = report_of(tmp_path, **changes)
    assert seen == of_objects
    bytes_least = {None: 1024, "4K": 4096}.get(least) or int(least)
    assert report["run"]["engines"]["replica"]["object_min_bytes"] == bytes_least
    page = whole.read_report(database)
    assert ("were no objects (PIEPROF_OBJECT_MIN)" in page) == (least is not None)
    assert ("200 times" in json.dumps([finding["claim"] for finding in report["findings"]])) == any(of_objects)


def test_a_size_that_is_none_is_refused(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("print('ran')")
    done = whole.execute([whole.PYTHON, program], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OBJECT_MIN="100"))
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert done.stderr == ('pieprof: PIEPROF_OBJECT_MIN="100" is not a size from 1K to 64K (a whole number, alone or with K or KiB); '
                           "the program runs unprofiled\n")
