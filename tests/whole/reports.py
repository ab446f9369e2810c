"""Files that tests/tools/make_db.py writes, and what the report makes of them."""
import json
import os
import subprocess
import sys

import jsonschema

import whole

sys.path.insert(0, str(whole.ROOT / "tests/tools"))
import make_db  # noqa: E402, F401

SCHEMA = json.loads(whole.SCHEMA.read_text())


def report(*arguments, **how):
    how.setdefault("env", {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "DEBUGINFOD_URLS")})
    return subprocess.run([whole.REPORT, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=60, **how)


def report_json(path, *arguments):
    done = report(path, "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    return data


def line_at(data, number):
    return next(line for line in data["lines"] if line["line"] == number)
