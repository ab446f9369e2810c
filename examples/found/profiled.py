"""One run of a driver under the profiler, and what the report finds in it."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

DRIVERS = Path(__file__).resolve().parent / "drivers"
TIMEOUT_S = 600


class Finding(NamedTuple):
    """What of a finding is the same in each run."""

    place: str  # file below site-packages, or a driver's name, and the line
    kind: str
    category: str

    def __str__(self):
        return f"{self.place}  {self.kind}  {self.category}"


class Failed(Exception):
    pass


def place_of(file, line):
    """Files that torch-geometric generates have a name of their own in each run."""
    name = file.split("site-packages/")[-1] if "site-packages/" in file else Path(file).name
    return f"{re.sub(r'_[a-z0-9_]{8}[.]py$', '.py', name) if file.startswith('/tmp/') else name}:{line}"


def complaint(done):
    return (done.stderr.strip().splitlines() or ["nothing on stderr"])[-1]


def record(driver, python, build, database):
    """Runs a driver on one thread, in the database's directory."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIEPROF_")}
    environment.update(
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONWARNINGS="ignore",
        LD_PRELOAD=str(build / "libpieprof.so"),
        PIEPROF_OUT=str(database),
    )
    for old in (database, Path(f"{database}.old")):
        old.unlink(missing_ok=True)
    done = subprocess.run(
        [python, DRIVERS / f"{driver}.py"],
        cwd=database.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    if done.returncode or not database.exists():
        raise Failed(f"{driver}: status {done.returncode}, {complaint(done)}")


def shares(build, database, *options):
    """{Finding: percent of the time} of those that the report lists."""
    command = [build / "pieprof-report", "--format", "json", *options, database]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{database.stem}: {complaint(done)}")
    report = json.loads(done.stdout)
    total = report["totals"]["time_s"]["total"]
    found = {}
    for one in report["findings"]:
        finding = Finding(place_of(one["file"], one["line"]), one["kind"], one["category"])
        found[finding] = found.get(finding, 0) + 100 * one["waste_s"] / total
    return found


class Found(NamedTuple):
    """The findings of a run: those of --min-waste as it is by default, and those below it, too."""

    listed: dict
    all: dict


def findings(build, database, *options):
    return Found(shares(build, database, *options), shares(build, database, "--min-waste", "0", *options))
