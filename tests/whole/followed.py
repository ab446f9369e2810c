"""Programs that are run again, longer each time, until enough stores of their marked line were followed.

How many are followed in a second depends on the machine and on what else it does, so a program's loop says
`for step in range(9000 * longer)`.
"""
import json

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())
LENGTHS = (1, 4, 16)


def profile(directory, source, longer=1):
    """The report of a program, and the lines of its marks ("# A" at the end of a line)."""
    directory.mkdir()
    path, database = directory / "program.py", directory / "out.db"
    path.write_text(f"longer = {longer}\n" + source)
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE="1000", PIEPROF_BUDGET="100")
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, SCHEMA)
    return report, {line.split("# ")[1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "# " in line}


def followed(tmp_path, source, verdict, count_min, mark="A"):
    """A run in which enough stores of the marked line had that verdict or could have had it (`verdict` is the report's key)."""
    for longer in LENGTHS:
        report, marks = profile(tmp_path / str(longer), source, longer)
        if report["run"]["engines"]["access"]["on"] is False:
            pytest.skip("no access engine here: " + report["run"]["engines"]["access"]["why_off"])
        line = next(line for line in report["lines"] if line["line"] == marks[mark])
        if line[verdict]["pairs"] >= count_min:
            return report, marks
    pytest.fail(f"of runs up to {LENGTHS[-1]} times as long none followed {count_min} stores of the line")
