"""Files that tests/tools/make_db.py writes, and what the report makes of them."""
import json
import os
import resource
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


def cpu_seconds(call):
    """What `call` gives, and the CPU time of the process that it ran: the least of three, for caches differ."""
    least_s = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = call()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least_s = min(least_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return result, least_s


WORK_S = 0.15  # of a core of 2024, as the figures of the design are
WORK = """
words = {}
for number in range(150_000):
    words[f"{number * 7919 % 1_000_003}"] = [number]
print(sum(len(words[word]) for word in sorted(words)))
"""


def assert_within(elapsed_s, limit_s):
    """On a core of 2024; a slower one may take longer, as it does for work of the same kind: strings, a hash table, a sort."""
    if os.environ.get("PIEPROF_SAN"):
        return
    _, work_s = cpu_seconds(lambda: subprocess.run([whole.PYTHON, "-S", "-c", WORK], stdout=subprocess.DEVNULL, check=True))
    slowness = max(1, work_s / WORK_S)
    assert elapsed_s <= limit_s * slowness, f"{elapsed_s:.2f} s on a machine {slowness:.2f} times as slow"


def line_at(data, number):
    return next(line for line in data["lines"] if line["line"] == number)
