"""What the report says of memory that is got again and again, on files that make_db.py writes: the claim, and each trap."""
import sys

import pytest

from reports import make_db, report, report_json, line_at

MIB = 2**20
ADDRESS = 0x7f0000000200

PROGRAM = '''import numpy as np

def step(data, number):
    first = data * number
    second = (data + number)
    self.third = np.exp(data)  # kept
    total = (data - number).sum()
    fourth = np.sort(data)
    first += data / number
    fifth, sixth = data * 2, data
    return data + 1

def main(data):
    for number in range(100):
        step(data, number)

main(np.ones(3))
'''
COUNTERS = {"births": 100, "pages_asked": 100, "fresh_bytes": 100 * 4 * MIB, "skipped": 0}


class Run:
    def __init__(self, library="_multiarray_umath.cpython-311.so", page_ns=2000, huge_page_ns=0, text=PROGRAM):
        self.database = make_db.Db()
        self.process = self.database.process(python=sys.hexversion, engines=("time", "replica"))
        source = self.process.source("/nowhere/train.py", text)
        self.codes = make_db.text_codes(text, "/nowhere/train.py")
        self.numbers = {name: self.process.code_of(code, source) for name, code in self.codes.items()}
        self.process.module(f"/nowhere/lib/{library}", ADDRESS & ~0xfffff, (ADDRESS & ~0xfffff) + 0x100000)
        self.process.live([500 * MIB], page_ns=page_ns, huge_page_ns=huge_page_ns)
        self.process.node(self.frame(("<module>", 17)), make_db.NATIVE, ADDRESS, samples=100)

    def frame(self, *steps):
        node = self.process.root()
        for name, line in steps:
            node = self.process.frame(node, self.numbers[name], make_db.offset_of(self.codes[name], line))
        return node

    def made(self, line, samples=1000, size=4 * MIB, called_at=17, **counters):
        """Objects of a line of step(), of which samples at 4 ms each tell."""
        place = self.frame(("<module>", called_at), ("main", 15), ("step", line))
        node = self.process.node(place, make_db.NATIVE, ADDRESS, samples=samples)
        self.process.site(node, size, **{**COUNTERS, **counters})
        return self

    def findings(self, tmp_path):
        self.database.write(tmp_path / "out.db")
        return report_json(tmp_path / "out.db", "--min-waste", "0")["findings"]


needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")


@needs_columns
def test_the_loop_of_a_caller_may_end_with_each_call(tmp_path):
    """"for layer in layers": a buffer that is made before it is made again in the next call."""
    epochs = PROGRAM.replace("main(np.ones(3))", "for epoch in range(20):\n    main(np.ones(3))")
    (finding,) = Run(text=epochs).made(4, called_at=18).findings(tmp_path)
    assert finding["advice"].startswith("Make one buffer outside the loop at train.py:17, and write into it")
    own = PROGRAM.replace("    fifth, sixth = data * 2, data\n    return data + 1", "    while data is not None:\n        data = data + 1")
    (finding,) = Run(text=own).made(11).findings(tmp_path)
    assert "outside the loop at train.py:10," in finding["advice"]


@needs_columns
def test_the_claim(tmp_path):
    (finding,) = Run().made(4).findings(tmp_path)
    assert (finding["kind"], finding["category"], finding["line"], finding["exact"]) == ("churn", "API misuse", 4, True)
    assert finding["waste_s"] == pytest.approx(100 * 1024 * 2e-6 * 0.99)
    assert finding["waste_bytes"] == 99 * 4 * MIB and finding["fraction"] == 0.99
    assert finding["claim"].startswith("4 MiB made 100 times, 99 times after the one before had been freed")
    assert finding["advice"] == "Make one buffer outside the loop at train.py:14, and write into it: np.multiply(..., out=buffer)."
    memory = line_at(report_json(tmp_path / "out.db"), 4)["memory"]
    assert (memory["fresh_bytes"], memory["fault_s"]) == (400 * MIB, pytest.approx(0.2048))
    text = " ".join(report(tmp_path / "out.db").stdout.split())
    assert "page faults on 400 MiB of fresh memory, about 0.20 s" in text and "allocated again 0.20 s" in text


@needs_columns
@pytest.mark.parametrize("line, taker", [(5, "np.add"), (6, "np.exp")])
def test_whole_values_of_assignments(tmp_path, line, taker):
    (finding,) = Run().made(line).findings(tmp_path)
    assert finding["line"] == line and f"{taker}(..., out=buffer)" in finding["advice"]


@pytest.mark.parametrize("line", [7, 8, 9, 10, 11])
def test_what_cannot_be_told_where_to_write(tmp_path, line):
    """Temporaries, functions without `out`, one of several values, what is returned."""
    assert Run().made(line).findings(tmp_path) == []


UNMADE = {
    "malloc had the memory": {"fresh_bytes": 40 * 4 * MIB},
    "never touched": {"untouched_bytes": 60 * 4 * MIB},
    "kept": {"most_alive": 60},
    "many at once": {"most_alive": 17},
    "a few": {"births": 8, "pages_asked": 8, "fresh_bytes": 8 * 4 * MIB},
    "scratch of a library": {"workspaces": 60},
    "nobody asked": {"pages_asked": 0, "fresh_bytes": 0},
}


@pytest.mark.parametrize("name", UNMADE)
def test_what_unmakes_it(tmp_path, name):
    assert Run().made(4, **UNMADE[name]).findings(tmp_path) == []


def test_other_libraries_take_no_out(tmp_path):
    assert Run(library="libtorch_cpu.so").made(4).findings(tmp_path) == []


def test_what_costs_nothing(tmp_path):
    assert Run(page_ns=50).made(4).findings(tmp_path) == []


@needs_columns
def test_no_more_than_the_lines_own_time(tmp_path):
    (finding,) = Run(page_ns=100000).made(4, samples=400).findings(tmp_path)
    assert finding["waste_s"] == pytest.approx(1.6)


def test_a_sample_or_two_are_chance(tmp_path):
    assert Run(page_ns=100000).made(4, samples=4).findings(tmp_path) == []


@needs_columns
def test_huge_pages_cost_less(tmp_path):
    """Where the kernel has them, large objects are taken to lie in them."""
    (finding,) = Run(huge_page_ns=200000).made(4).findings(tmp_path)
    assert finding["waste_s"] == pytest.approx(200 * 200e-6 * 0.99)
    (finding,) = Run(huge_page_ns=200000).made(4, size=2 * MIB, fresh_bytes=100 * 2 * MIB).findings(tmp_path)
    assert finding["waste_s"] == pytest.approx(100 * 512 * 2e-6 * 0.99)


@needs_columns
def test_only_as_far_as_huge_pages_fit_in(tmp_path):
    """Of 4 MiB that begin anywhere, one huge page comes for the half, and 512 small ones for the rest."""
    (finding,) = Run(huge_page_ns=200000).made(4, huge_bytes=100 * 2 * MIB).findings(tmp_path)
    assert finding["waste_s"] == pytest.approx((100 * 200e-6 + 100 * 512 * 2e-6) * 0.99)


@needs_columns
def test_several_alive_at_once_take_a_buffer_each(tmp_path):
    (finding,) = Run().made(4, most_alive=2).findings(tmp_path)
    assert "Make 2 buffers outside the loop at train.py:14, and write into them in turn" in finding["advice"]


@needs_columns
def test_births_that_were_not_asked_are_as_the_others(tmp_path):
    (finding,) = Run().made(4, pages_asked=25, fresh_bytes=25 * 4 * MIB).findings(tmp_path)
    assert finding["waste_s"] == pytest.approx(100 * 1024 * 2e-6 * 0.99) and not finding["exact"]


@needs_columns
def test_several_ways_and_sizes_are_one_finding(tmp_path):
    run = Run().made(4)
    node = run.process.node(run.frame(("<module>", 17), ("main", 15), ("main", 15), ("step", 4)), make_db.NATIVE, ADDRESS,
                            samples=1000)
    run.process.site(node, 4 * MIB, **COUNTERS)
    run.process.site(node, 2 * MIB, **{**COUNTERS, "fresh_bytes": 200 * MIB})
    (finding,) = run.findings(tmp_path)
    assert finding["object"] == {"size_bytes": 4 * MIB, "sizes": 2, "made": 200, "examined": 200, "equal": 198, "period": None}
    assert "1 other size likewise" in finding["claim"] and finding["waste_bytes"] == 99 * 10 * MIB


HOSTILE = {
    "more asked than born": {"pages_asked": 2**60},
    "more fresh than made": {"fresh_bytes": 2**63},
    "more untouched than fresh": {"untouched_bytes": 2**63},
    "more huge than fresh": {"huge_bytes": 2**63},
    "vast": {"births": 2**47, "pages_asked": 1, "fresh_bytes": 4 * MIB},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_is_made_possible(tmp_path, name):
    run = Run(page_ns=2**63, huge_page_ns=2**62).made(4, **HOSTILE[name])
    for finding in run.findings(tmp_path):
        assert 0 <= finding["waste_s"] <= 10
    memory = line_at(report_json(tmp_path / "out.db"), 4)["memory"]
    assert memory["fault_s"] >= 0 and memory["fresh_bytes"] <= 2**62
    assert report(tmp_path / "out.db").returncode == 0 and report("dump", tmp_path / "out.db").returncode == 0
