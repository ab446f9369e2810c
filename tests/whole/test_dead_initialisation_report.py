"""What the report says of buffers that are filled for nothing, and of the objects that pairs were seen on, on files of make_db.py."""
import sys

import pytest

from gating import Program
from reports import line_at, make_db, report, report_json

MIB = 2**20
ADDRESS = 0x7f0000000200

PROGRAM = '''import numpy as np

def step(data, number):
    buffer = np.zeros_like(data)
    np.multiply(data, number, out=buffer) if number else None
    buffer[:] = data * number
    buffer[1:-1] = data
    np.add(data, 1.0, out=buffer[1:])
    total = buffer.sum()
    other = np.sqrt(data)
    return total

def main(data):
    for number in range(100):
        step(data, number)

main(np.ones(3))
'''
STORES = (make_db.STORE, make_db.STORE)
USES = (make_db.STORE, make_db.LOAD)

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")


class Run:
    """Line 4 (or another) makes 100 objects and takes 2 s."""

    def __init__(self, line=4, samples=500, program=PROGRAM, size=4 * MIB, **site):
        self.database = make_db.Db()
        self.process = self.database.process(python=sys.hexversion, engines=("time", "access", "replica"))
        source = self.process.source("/nowhere/train.py", program)
        self.codes = make_db.text_codes(program, "/nowhere/train.py")
        self.numbers = {name: self.process.code_of(code, source) for name, code in self.codes.items()}
        self.process.module("/nowhere/lib/_multiarray_umath.so", ADDRESS & ~0xfffff, (ADDRESS & ~0xfffff) + 0x100000)
        self.process.live([500 * MIB], page_ns=2000)
        self.first = self.way(line, samples=samples)
        self.site = self.process.site(self.first, size, births=100, **site)

    def way(self, line, **time):
        node = self.process.root()
        for name, number in (("<module>", 17), ("main", 15), ("step", line)):
            node = self.process.frame(node, self.numbers[name], make_db.offset_of(self.codes[name], number))
        return self.process.node(node, make_db.NATIVE, ADDRESS, **time)

    def overwritten(self, count, by=5, accesses=STORES, **facts):
        facts.setdefault("site", self.site)
        self.process.pair(self.first, self.way(by), accesses, count=count, **facts)
        return self

    def findings(self, tmp_path):
        self.database.write(tmp_path / "out.db")
        return report_json(tmp_path / "out.db", "--min-waste", "0")["findings"]


def test_the_claim(tmp_path):
    (finding,) = Run().overwritten(40).findings(tmp_path)
    assert (finding["kind"], finding["category"], finding["line"]) == ("dead_store", "dead initialisation", 4)
    assert (finding["waste_s"], finding["fraction"], finding["exact"]) == (2.0, 1.0, False)
    assert finding["ci95"][0] > 0.9
    assert finding["claim"] == ("4 MiB made 100 times and filled; of 40 stores that were followed, 40 were overwritten by "
                                "train.py:5 before anybody read them.")
    assert "empty_like()" in finding["advice"] and "train.py:5 writes all of it" in finding["advice"]
    assert line_at(report_json(tmp_path / "out.db"), 4)["waste_s"] == 2.0


def test_a_whole_slice_is_all_of_it(tmp_path):
    (finding,) = Run().overwritten(40, by=6).findings(tmp_path)
    assert "train.py:6" in finding["claim"]


def test_another_line_is_another_call(tmp_path):
    """The end of a call that a library's Python function makes may not be seen: numpy's ones_like()."""
    run = Run().overwritten(40).overwritten(60, scope=make_db.WITHIN)
    run.process.node(run.way(10), make_db.NATIVE, ADDRESS, samples=1500)
    (finding,) = run.findings(tmp_path)
    assert finding["line"] == 4 and "of 100 stores that were followed, 100 were overwritten" in finding["claim"]


PARTS = """import numpy as np

def put(target, data):
    target[:] = data

def step(data, number):
    buffer = np.ones((data.shape[0], 9))
    {between}
    {covering}  # by
    return buffer.sum()

def main(data):
    for number in range(100): step(data, number)

main(np.ones(3))
"""


@pytest.mark.parametrize("between, covering, by, is_found", [
    ("inner = buffer[1:-1, 1:-1]", "inner[:] = data", "# by", False),
    ("inner = buffer[1:-1].T", "inner[...] = data", "# by", False),
    ("inner = buffer[1:-1]", "np.add(data, 1, out=inner)", "# by", False),
    ("inner = buffer[1:-1]", "np.copyto(inner, data)", "# by", False),
    ("inner = buffer.narrow(0, 1, 7)", "inner.copy_(data)", "# by", False),
    ("first, last = buffer[:1], buffer[1:]", "last[:] = data", "# by", False),
    ("for row in buffer:", "    row[:] = data", "# by", False),
    ("pass", "put(buffer[1:-1], data)", "target[:] = data", False),
    ("pass", "put(buffer, data)", "target[:] = data", True),
    ("inner = data[1:-1] * 2", "buffer[:] = inner", "# by", True),
    ("inner = data[1:-1] * 2", "np.add(inner, 1, out=buffer)", "# by", True),
    ("inner = np.zeros(data.shape[0])", "np.copyto(buffer, inner)", "# by", True),
])
def test_all_of_a_part_is_a_part(tmp_path, between, covering, by, is_found):
    text = PARTS.format(between=between, covering=covering)
    program = Program(text)
    outer = program.frame(program.frame(program.process.root(), "<module>", "main(np.ones"), "main", ": step(data, number)")
    fill = program.process.node(program.frame(outer, "step", "np.ones((data"), make_db.NATIVE, ADDRESS, samples=500)
    frame = program.frame(outer, "step", "# by")
    if by != "# by":
        frame = program.frame(frame, "put", by)
    store = program.process.node(frame, make_db.NATIVE, ADDRESS, samples=1500)
    site = program.process.site(fill, 4 * MIB, births=100)
    program.process.pair(fill, store, STORES, count=40, site=site)
    findings = report_json(program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]
    assert [finding["kind"] for finding in findings] == (["dead_store"] if is_found else [])


def test_page_faults_remain(tmp_path):
    """Fresh memory costs whoever stores there first."""
    run = Run(pages_asked=100, fresh_bytes=400 * MIB).overwritten(40)
    (finding,) = run.findings(tmp_path)
    assert finding["waste_s"] == pytest.approx(2.0 - 100 * 1024 * 2e-6)


COVERED = """import numpy as np

def step(data, number):
    buffer = np.zeros(data.shape)
    np.multiply(data, number, out=buffer)
    parts = np.zeros((2, len(data)))
    for index in range(2):
        row = data * index
        parts[index] = row
    kept.fill(0.0)
    kept[:] = data
    left = np.zeros(data.shape)
    left[1:] = data[1:]
    return buffer.sum() + parts.sum() + left.sum()

def main(data):
    for number in range(100): step(data, number)

main(np.ones(3))
"""


class CoveredRun(Run):
    """By the text alone: what samples of stores say is nothing, or more."""

    def __init__(self, line=4, samples=500, size=4 * MIB):
        super().__init__(line, samples, program=COVERED, size=size)
        self.process.node(self.way(5), make_db.NATIVE, ADDRESS, samples=1500)

    def way(self, line, **time):
        node = self.process.root()
        for name, number in (("<module>", 19), ("main", 17), ("step", line)):
            node = self.process.frame(node, self.numbers[name], make_db.offset_of(self.codes[name], number))
        return self.process.node(node, make_db.NATIVE, ADDRESS, **time)


def test_what_the_text_overwrites(tmp_path):
    (finding,) = CoveredRun().findings(tmp_path)
    assert (finding["kind"], finding["category"], finding["line"]) == ("dead_store", "dead initialisation", 4)
    assert (finding["waste_s"], finding["exact"]) == (2.0, True)
    assert finding["claim"] == "4 MiB made 100 times and filled; train.py:5 stores into all of it before anybody reads it."
    assert finding["advice"] == "Make it without content: empty() or empty_like(), for train.py:5 writes all of it."


def test_what_the_text_overwrites_in_a_loop(tmp_path):
    (finding,) = CoveredRun(6).findings(tmp_path)
    assert finding["line"] == 6 and "train.py:9 stores into all of it" in finding["claim"]


def test_what_the_text_overwrites_of_a_kept_buffer(tmp_path):
    run = CoveredRun(10)
    run.process.records["SITE"].clear()
    (finding,) = run.findings(tmp_path)
    assert finding["claim"] == "Fills kept; train.py:11 stores into all of it before anybody reads it."
    assert finding["advice"] == "Leave it out: train.py:11 writes all of it." and finding["second"]["line"] == 10


def test_what_the_text_leaves(tmp_path):
    assert CoveredRun(12).findings(tmp_path) == []


READING = """import numpy as np

def other(data, x):
    x = data * 2
    return x

def main(data):
    x = np.zeros(data.shape)
    {covering}
    return x.sum()

{reader}

def run(data):
    for number in range(100): main(data)

run(np.ones(3))
"""
OF_MODULE = """import numpy as np
data = np.ones(9)
{reader}
while len(data) < 10:
    x = np.zeros(data.shape)
    {covering}
    np.sqrt(x)
"""


def covered(tmp_path, text, fill="x = np.zeros"):
    """The findings of a run in which the line that fills took 2 of 5 s."""
    run = Run.__new__(Run)
    run.database = make_db.Db()
    run.process = run.database.process(python=sys.hexversion, engines=("time", "access", "replica"))
    source = run.process.source("/nowhere/train.py", text)
    run.codes = make_db.text_codes(text, "/nowhere/train.py")
    run.process.module("/nowhere/lib/_multiarray_umath.so", ADDRESS & ~0xfffff, (ADDRESS & ~0xfffff) + 0x100000)
    function = "main" if "def main" in text else "<module>"
    number = next(i for i, line in enumerate(text.splitlines(), 1) if fill in line)
    code = run.process.code_of(run.codes[function], source)
    frame = run.process.frame(run.process.root(), code, make_db.offset_of(run.codes[function], number))
    node = run.process.node(frame, make_db.NATIVE, ADDRESS, samples=500)
    run.process.site(node, 4 * MIB, births=100)
    other = run.process.frame(run.process.root(), code, make_db.offset_of(run.codes[function], number + 1))
    run.process.node(other, make_db.NATIVE, ADDRESS, samples=750)
    return [finding for finding in run.findings(tmp_path) if finding["kind"] == "dead_store"]


@pytest.mark.parametrize("covering, reader, is_found", [
    ("x[:] = step()", "def step():\n    return x * 2", False),
    ("x[:] = step(x=3)", "def step():\n    return x * 2", False),
    ("for i in range(data.shape[0]): pass", "", False),
    ("x[:] = step()", "step = lambda: x * 2", False),
    ("x[:] = step()", "def step():\n    def inner():\n        return x[0]\n    return inner()", False),
    ("x[:] = step()", "def step():\n    x = data * 2\n    return x", True),
    ("x[:] = step()", "def step(x=3):\n    return x", True),
    ("x[:] = step()", "def step():\n    return data", True),
    ("np.multiply(data, 2, out=x)", "def step():\n    return x * 2", True),
])
def test_what_is_called_may_read_what_the_module_knows(tmp_path, covering, reader, is_found):
    assert bool(covered(tmp_path, OF_MODULE.format(covering=covering, reader=reader))) == is_found


def test_a_loop_whose_rounds_call_what_reads_the_rounds_before(tmp_path):
    text = OF_MODULE.replace("data.shape", "len(data)").format(covering="for i in range(len(data)):\n        x[i] = {}", reader="def before(i):\n    return x[i - 1]")
    assert covered(tmp_path, text.format("before(i)")) == []
    assert len(covered(tmp_path, text.format("data[i] * 2"))) == 1


def test_what_no_function_can_know_is_read_by_none(tmp_path):
    """A function's own name, where no function within it has it."""
    assert len(covered(tmp_path, READING.format(covering="x[:] = step(data)", reader="def step(a):\n    return x"))) == 1
    nested = READING.replace("    {covering}", "    def step():\n        return x\n    {covering}")
    above = READING.replace("    x = np.zeros", "    def step():\n        return x\n    x = np.zeros")
    for text in (nested, above):
        assert covered(tmp_path, text.format(covering="x[:] = step()", reader="")) == []


def test_of_small_buffers_the_call_is_all(tmp_path):
    """Which empty() has, too."""
    assert CoveredRun(size=16384).findings(tmp_path) != []
    assert CoveredRun(size=16383).findings(tmp_path) == []


def test_what_other_calls_of_the_line_take_is_not_won(tmp_path):
    run = CoveredRun(samples=100)
    node = run.process.root()
    for name, number in (("<module>", 19), ("main", 17)):
        node = run.process.frame(node, run.numbers[name], make_db.offset_of(run.codes[name], number))
    argument = run.process.frame(node, run.numbers["step"], make_db.offset_of(run.codes["step"], 4) - 20)
    run.process.node(argument, make_db.NATIVE, ADDRESS, samples=400)
    (finding,) = run.findings(tmp_path)
    assert finding["line"] == 4 and finding["waste_s"] == pytest.approx(0.4)
    assert line_at(report_json(tmp_path / "out.db", "--min-waste", "0"), 4)["time_s"] == pytest.approx(2.0)


def test_a_store_that_was_read_says_otherwise(tmp_path):
    assert CoveredRun().overwritten(1, by=14, accesses=USES).findings(tmp_path) == []
    assert CoveredRun(samples=3).findings(tmp_path) == []


UNMADE = {
    "read before": lambda: Run().overwritten(40).overwritten(2, by=9, accesses=USES),
    "read in between": lambda: Run().overwritten(40, flags=make_db.USED),
    "padding": lambda: Run().overwritten(40, by=7),
    "a part by out": lambda: Run().overwritten(40, by=8),
    "within the call": lambda: Run().overwritten(40, by=4, scope=make_db.WITHIN),
    "another thread ran": lambda: Run().overwritten(40, flags=make_db.UNPROVED),
    "mostly unseen": lambda: Run().overwritten(40).overwritten(60, flags=make_db.SLEPT),
    "a few": lambda: Run().overwritten(15),
    "not the sampled store": lambda: Run().overwritten(40, continued=True),
    "a computed result": lambda: Run(line=10).overwritten(40),
    "another's object": lambda: Run().overwritten(40, site=0),
    "not worth it": lambda: Run(samples=5).overwritten(40),
    "other heap": lambda: Run().overwritten(40, klass=make_db.OTHER_HEAP),
    "by itself": lambda: Run().overwritten(40, by=4),
}


@pytest.mark.parametrize("name", UNMADE)
def test_what_unmakes_it(tmp_path, name):
    run = UNMADE[name]()
    run.process.node(run.way(10), make_db.NATIVE, ADDRESS, samples=1500)
    assert run.findings(tmp_path) == []


def kept(fill, *behind, by=5, above=""):
    """Line 4 fills a buffer that line 10 made, and what stands behind it overwrites that. `above`: what the file begins with."""
    lines = PROGRAM.splitlines(keepends=True)
    lines[1] = above + "\n"
    lines[3:4 + len(behind)] = [f"    {line}\n" for line in (fill, *behind)]
    run = Run(program="".join(lines))
    run.site = run.process.site(run.way(10), 4 * MIB, births=1)
    return run.overwritten(40, by=by)


OUT, SLICE = "np.multiply(data, number, out=buffer)", "buffer[:] = data"


@pytest.mark.parametrize("fill", ["buffer.fill(0.0)", "buffer.zero_()", "buffer[:] = 0", "buffer[...] = -1.5e3"])
@pytest.mark.parametrize("behind", [OUT, SLICE])
def test_a_kept_buffer_need_not_be_filled(tmp_path, fill, behind):
    (finding,) = kept(fill, behind).findings(tmp_path)
    assert (finding["kind"], finding["category"], finding["line"]) == ("dead_store", "dead initialisation", 4)
    assert finding["claim"] == "Fills buffer; train.py:5 stores into all of it before anybody reads it."
    assert finding["advice"] == "Leave it out: train.py:5 writes all of it."


READ = "np.multiply(row, number, out=buffer)"


@pytest.mark.parametrize("above", ["row = np.sqrt(buffer)", "row = buffer[0].copy()", "row = buffer * 2", "row = np.ones(3)"])
def test_what_overwrites_it_reads_another_array(tmp_path, above):
    (finding,) = kept("buffer.fill(0.0)", READ, above=above).findings(tmp_path)
    assert finding["line"] == 4


ALIASES = ["row = buffer[0]", "row = buffer.reshape(-1)[:9]", "row = np.asarray(buffer)", "row, other = window(buffer)", "row = buffer.T",
           "rows = [buffer[0]]; row = rows[0]", "from views import row, buffer"]


@pytest.mark.parametrize("above", ALIASES)
def test_what_overwrites_it_may_read_it_by_another_name(tmp_path, above):
    assert kept("buffer.fill(0.0)", READ, above=above).findings(tmp_path) == []


NEEDED = {
    "a view is read on its line": lambda: kept("buffer.fill(0.0); total = row[5]", OUT),
    "a view is read between": lambda: kept("buffer.fill(0.0)", "total = row[5]", SLICE, by=6),
    "overwritten under a condition": lambda: kept("buffer.fill(0.0)", "if number:", "    " + OUT, by=6),
    "overwritten under a condition, on one row": lambda: kept("buffer.fill(0.0)", "if number: " + OUT),
    "overwritten in part": lambda: kept("buffer.fill(0.0)", OUT[:-1] + ", where=data > 0)"),
    "overwritten in part, as its next row says": lambda: kept("buffer.fill(0.0)", OUT[:-1] + ",", "            where=data > 0)"),
    "filled with what was computed": lambda: kept("buffer[:] = other", OUT),
}


@pytest.mark.parametrize("name", NEEDED)
def test_what_a_kept_buffer_is_filled_for(tmp_path, name):
    assert NEEDED[name]().findings(tmp_path) == []


def test_pairs_tell_their_object(tmp_path):
    Run().overwritten(40).findings(tmp_path)
    (pair,) = report_json(tmp_path / "out.db")["pairs"]
    assert pair["object"] == {"size_bytes": 4 * MIB, "file": "/nowhere/train.py", "line": 4, "function": "step"}
    assert "object 4 MiB, allocated at train.py:4 step" in " ".join(report(tmp_path / "out.db").stdout.split())


def test_an_object_that_is_not_known(tmp_path):
    Run().overwritten(40, site=0).findings(tmp_path)
    assert report_json(tmp_path / "out.db")["pairs"][0]["object"] is None
    assert "allocated at" not in report(tmp_path / "out.db").stdout


def test_a_site_that_is_not_there_is_damage(tmp_path):
    Run().overwritten(40, site=10**6).database.write(tmp_path / "out.db")
    done = report(tmp_path / "out.db")
    assert done.returncode == 2 and "pair" in done.stderr


def test_a_site_that_was_not_finished_is_unknown(tmp_path):
    Run().overwritten(40, site=7).database.write(tmp_path / "out.db")
    done = report(tmp_path / "out.db")
    assert done.returncode == 0 and "store overwritten before any load" in done.stdout and "allocated at" not in done.stdout
