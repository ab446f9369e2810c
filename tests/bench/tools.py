"""The profilers of the overhead study: how each is put in front of a program, and what it then tells that it recorded."""
import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent


@dataclass
class Place:
    """Where a run's files lie, and what runs it."""

    build: Path
    python: Path  # of the environment that has the other profilers
    directory: Path

    @property
    def out(self):
        return self.directory / "out.json"  # Scalene wants the ending

    @property
    def log(self):
        return self.directory / "log"

    def tool(self, name):
        return str(self.python.parent / name)


@dataclass(frozen=True)
class Tool:
    name: str
    prefix: Callable  # (place, script, words) -> the command
    delivered: Callable  # (place, measure) -> what it recorded
    settings: dict = field(default_factory=dict)
    ours: bool = False
    by_wall: bool = False  # its clock goes on while the program is stopped: it would sample a stopped program, or catch up
    torch: bool = False  # for PyTorch's programs alone


def plain(place, script, words):
    return [place.python, script, *words]


def per_second(count, measure, what="samples"):
    return f"{count / measure.cpu_s:,.0f} {what}/s"


def from_report(place, measure):
    words = [place.build / "pieprof-report", "--format", "json", place.out]
    report = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    parts = [per_second(report["run"]["health"]["samples"], measure)]
    if report["run"]["engines"]["access"]["on"]:
        parts.append(per_second(report["run"]["health"]["finished"], measure, "pairs"))
    if report["run"]["engines"]["replica"]["on"]:
        parts.append(per_second(report["totals"]["replicas"]["examined"], measure, "objects"))
    return ", ".join(parts + [f"{len(report['findings'])} findings"])


def pieprof(name, **settings):
    return Tool(name, plain, from_report, settings, ours=True)


def py_spy(place, script, words, *options):
    return [place.tool("py-spy"), "record", *options, "-f", "raw", "-o", place.out, "--", place.python, script, *words]


def from_py_spy(place, measure):
    return per_second(sum(int(line.rpartition(" ")[2]) for line in place.out.read_text().splitlines()), measure)


def scalene(place, script, words, *options):
    return [place.python, "-m", "scalene", "run", *options, "-o", place.out, script, "---", *words]


def from_scalene(place, measure):
    profile = json.loads(place.out.read_text())
    return f"{sum(len(file['lines']) for file in profile['files'].values())} lines"


def memray(place, script, words, *options):
    return [place.python, "-m", "memray", "run", "-q", "-f", *options, "-o", place.out, script, *words]


def from_memray(place, measure):
    program = "import memray, sys; print(memray.FileReader(sys.argv[1]).metadata.total_allocations)"
    done = subprocess.run([place.python, "-c", program, place.out], capture_output=True, text=True, check=True)
    return f"{per_second(int(done.stdout), measure, 'allocations')}, {place.out.stat().st_size / 2**20:.0f} MiB"


def torch_profiler(place, script, words):
    return [place.python, HERE / "torch_profiled.py", script, *words]


def from_torch_profiler(place, measure):
    (count,) = re.findall(r"^(\d+) events$", place.log.read_text(), re.M)
    return per_second(int(count), measure, "events")


def with_options(command, *options):
    return lambda place, script, words: command(place, script, words, *options)


OURS = (
    pieprof("PieProf"),
    pieprof("PieProf, 100 Hz", PIEPROF_RATE="100"),
    pieprof("PieProf, 1000 Hz", PIEPROF_RATE="1000"),
    pieprof("PieProf, time only", PIEPROF_ENGINES="time"),
    pieprof("PieProf, access only", PIEPROF_ENGINES="access"),
    pieprof("PieProf, objects only", PIEPROF_ENGINES="replica"),
)
OTHERS = (
    Tool("py-spy", py_spy, from_py_spy, by_wall=True),
    Tool("py-spy --native", with_options(py_spy, "--native"), from_py_spy, by_wall=True),
    Tool("Scalene, CPU only", with_options(scalene, "--cpu-only"), from_scalene, by_wall=True),
    Tool("Scalene, full", scalene, from_scalene, by_wall=True),
    Tool("memray", memray, from_memray),
    Tool("memray --native", with_options(memray, "--native"), from_memray),
    Tool("torch.profiler with stacks", torch_profiler, from_torch_profiler, torch=True),
)
