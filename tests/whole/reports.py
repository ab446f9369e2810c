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
    """What `call` gives, and the CPU time of the process that it ran."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


ROUNDS_MIN, ROUNDS_MAX = 3, 10
WORK_S = 0.15  # of a core of 2024, as the figures of the design are
WORK = """
words = {}
for number in range(150_000):
    words[f"{number * 7919 % 1_000_003}"] = [number]
print(sum(len(words[word]) for word in sorted(words)))
"""


def work():
    return subprocess.run([whole.PYTHON, "-S", "-c", WORK], stdout=subprocess.DEVNULL, check=True)


def within(limit_s, call):
    """What `call` gives, which takes no longer on a core of 2024; a slower one may, as it does for work of the same kind: strings, a hash
    table, a sort. In turns, and the least of three of each, or of more where these do not do: caches differ, and what a neighbour leaves
    of a core does for seconds."""
    rounds, is_sanitized = [], bool(os.environ.get("PIEPROF_SAN"))
    while len(rounds) < ROUNDS_MAX:
        rounds.append((cpu_seconds(work)[1], *cpu_seconds(call)))
        slowness = max(1, min(work_s for work_s, _, _ in rounds) / WORK_S)
        elapsed_s = min(elapsed_s for _, _, elapsed_s in rounds)
        if len(rounds) >= ROUNDS_MIN and (is_sanitized or elapsed_s <= limit_s * slowness):
            break
    if not is_sanitized:
        assert elapsed_s <= limit_s * slowness, f"{elapsed_s:.2f} s on a machine {slowness:.2f} times as slow"
    return rounds[-1][1]


def line_at(data, number):
    return next(line for line in data["lines"] if line["line"] == number)
