"""Runs of a program whose lines get memory again and again, as make_db.py writes them."""
import sys

import pytest

from reports import make_db, report_json

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
        self.process.node(self.frame(("<module>", len(text.splitlines()))), make_db.NATIVE, ADDRESS, samples=100)

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
