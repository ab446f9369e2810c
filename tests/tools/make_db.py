#!/usr/bin/env python3
"""Writes valid out.db files without the shim: for tests of the reader and the report.

As a module: `Db` holds the file, `Process` its records. As a program: make_db.py NAME FILE writes one of the
golden files (see GOLDEN), make_db.py --list names them.
"""
import os
import re
import struct
import sys
import zlib

HEADER_BYTES, EXTENT_BYTES = 4096, 16384
EXTENT_HEADER = struct.Struct("<IIIIQQ")
PAYLOAD = EXTENT_BYTES - EXTENT_HEADER.size
KINDS = {"PROCESS": 1, "BLOB": 2, "CODE": 3, "MODULE": 4, "SOURCE": 5, "NODE": 6, "PAIR": 7, "COUNTER": 8, "SITE": 9, "LINK": 10,
         "LIVE": 11, "CONTENT": 12, "HEAT": 13, "NEIGHBOUR": 14}
ENGINES = ["time", "access", "replica", "transfer"]
CONTRACT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include", "pieprof", "db_drops.h")
DROP_NAMES = re.findall(r'^ +X\(\w+, "(\w+)"', open(CONTRACT).read(), re.M)
DROPS = len(DROP_NAMES)

HEADER = struct.Struct("<8sIIIIIIQQQQQ16s128s64s")
PROCESS_HEAD = struct.Struct("<IIIiIIIiQQQQQQIfIIII")
ENGINE = struct.Struct("<If184sII")
HEALTH = struct.Struct("<11Q%dQ" % DROPS)
CODE = struct.Struct("<IiIIIII")
MODULE = struct.Struct("<IIQQQII32s")
SOURCE = struct.Struct("<IIQqIIII")
NODE = struct.Struct("<IIIIQQQQ")
PAIR = struct.Struct("<IIIBBBBBBHIIIQQQQ")
COUNTER = struct.Struct("<IIIIQ")
SITE = struct.Struct("<IIQHHI9Q2I3QIi2I6QIBBBB2I2Q5I2HQ")
LINK = struct.Struct("<IIIIQ")
LIVE = struct.Struct("<IIQqqqQQQQQQQQ128Q")
CONTENT = struct.Struct("<II29Q4I")
HEAT = struct.Struct("<II4Q16Q16I")
NEIGHBOUR = struct.Struct("<IIIIQQQ")
SITE_COUNTERS = ("births", "workspaces", "unfilled", "examined", "constant", "zero", "replicas", "period_replicas", "copies",
                 "live_at_end", "recurring", "looked_at", "ended", "lifetime_ns", "most_alive", "changed_offset", "peak_objects", "new_bursts", "far_births", "far_contents",
                 "far_examined", "far_squares", "far_spans", "far_period_replicas", "far_period", "far_bits", "changed_beyond", "new_digits", "unlike",
                 "pages_asked", "last_known", "fresh_bytes", "untouched_bytes", "new_step", "undecided", "new_first", "new_last", "alike", "new_growing", "new_other",
                 "huge_bytes")
LIVE_COUNTERS = ("bytes", "small", "siteless", "peak", "peak_at_ns", "snapshot", "snapshot_at_ns", "snapshot_small", "snapshot_siteless",
                 "page_ns", "huge_page_ns")
CONTENT_COUNTERS = ("objects", "words", "zero_words", "low_zero", "high_zero", "low_floats", "high_floats", "low_shorts", "high_shorts",
                    "fractions", "bit15", "bit14", "bit7", "doubles", "whole", "flags", "spread_flags",
                    "nan32", "infinite32", "minus32", "lowest32", "highest32", "repeated32",
                    "nan64", "infinite64", "minus64", "lowest64", "highest64", "repeated64")
PROCESS_BYTES = PROCESS_HEAD.size + 4 * ENGINE.size + 8 * 64 + HEALTH.size

ROOT, PYTHON, NATIVE, ACCESS, GAP = 1, 2, 3, 4, 5
LOAD, STORE = 1, 2
WITHIN, ACROSS, UNKNOWN = 1, 2, 3
OBJECT, OTHER_HEAP = 1, 2
SAME_VALUE, ZERO, UNPROVED, SLEPT, USED, FIRST, UNSEEN, STORED = 1, 2, 4, 8, 16, 32, 64, 128
INTERPRETER = 2


class Db:
    def __init__(self):
        self.processes = []
        self.dropped_joins = 0

    def process(self, **facts):
        process = Process(len(self.processes) + 1, **facts)
        self.processes.append(process)
        return process

    def bytes(self, version=1, claimed_beyond=0):
        extents = [extent for process in self.processes for extent in process.extents()]
        header = HEADER.pack(b"PIEPROF\x1a", version, HEADER_BYTES, EXTENT_BYTES, 0x01020304, 62, 4096,
                             len(extents) + claimed_beyond, len(self.processes), 1700000000 * 10**9, 0, self.dropped_joins, bytes(16),
                             b"golden", b"golden-host")
        return header.ljust(HEADER_BYTES, b"\0") + b"".join(extents)

    def write(self, path, **how):
        with open(path, "wb") as file:
            file.write(self.bytes(**how))


class Process:
    def __init__(self, ordinal, arguments=("python", "train.py"), directory="/nowhere", python=0x030B02F0, seconds=10.0,
                 pid=4242, engines=("time", "access"), ended=1, status=0, fp_tolerance=0.0, sampled_beyond_bytes=0, object_min_bytes=1024, **health):
        self.ordinal, self.python, self.seconds, self.pid = ordinal, python, seconds, pid
        self.engines, self.ended, self.status, self.fp_tolerance, self.health = engines, ended, status, fp_tolerance, health
        self.sampled_beyond_bytes = sampled_beyond_bytes
        self.object_min_bytes = object_min_bytes
        self.records = {kind: [] for kind in KINDS}
        self.blobs = bytearray()
        self.blob_ids = {}
        self.drops = [0] * DROPS
        self.threads = 1
        self.events = []
        self.cpu_seconds = seconds
        self.head_blobs = [self.blob("\0".join(arguments) + "\0"), self.blob(directory), self.blob("/usr/bin/python3"),
                           self.blob("perf-task-clock")]

    def blob(self, data):
        data = data.encode() if isinstance(data, str) else bytes(data)
        if data in self.blob_ids:
            return self.blob_ids[data]
        padded = struct.pack("<II", 1, len(data)) + data + bytes(-len(data) % 8)
        if len(self.blobs) % PAYLOAD + len(padded) > PAYLOAD:
            self.blobs += bytes(PAYLOAD - len(self.blobs) % PAYLOAD)
        self.blob_ids[data] = len(self.blobs) + 1
        self.blobs += padded
        return self.blob_ids[data]

    def add(self, kind, record):
        self.records[kind].append(record)
        return len(self.records[kind])

    def code(self, function, file, lines=b"", first_line=1, source=0, parts=0):
        return self.add("CODE", CODE.pack(1, first_line, self.blob(file), self.blob(function), self.blob(lines), parts, source))

    def code_of(self, code, source=0):
        """A real code object of this interpreter, which must be the version the process says."""
        return self.code(code.co_qualname if hasattr(code, "co_qualname") else code.co_name, code.co_filename,
                         code.co_linetable, code.co_firstlineno, source)

    def module(self, path, low, high, bias=None, flags=0, build_id=b""):
        bias = low if bias is None else bias
        return self.add("MODULE", MODULE.pack(1, flags, bias, low, high, self.blob(path), len(build_id), build_id))

    def source(self, path, text, part_bytes=60000, modified_ns=1700000000 * 10**9):
        packed = zlib.compress(text.encode())
        parts = [packed[i:i + part_bytes] for i in range(0, len(packed), part_bytes)] or [b""]
        first = None
        for number, part in enumerate(parts):
            record = SOURCE.pack(1, self.blob(path), len(text.encode()), modified_ns, number, len(parts),
                                 self.blob(part), 1)
            first = first or self.add("SOURCE", record)
            if number:
                self.add("SOURCE", record)
        return first

    def node(self, parent, frame, value=0, samples=0, cpu_ns=None, native_cpu_ns=0):
        cpu_ns = samples * 4000000 if cpu_ns is None else cpu_ns
        return self.add("NODE", NODE.pack(1, parent, frame, 0, value, samples, cpu_ns, native_cpu_ns))

    def root(self, thread=0):
        return self.node(0, ROOT, thread)

    def frame(self, parent, code, offset=0, **time):
        return self.node(parent, PYTHON, code << 32 | (offset & 0xffffffff), **time)

    def pair(self, first, second, accesses=(LOAD, LOAD), scope=ACROSS, relation=1, klass=OBJECT, flags=0, size=8, count=1, scale=1,
             continued=False, site=0):
        flags |= 0 if continued else FIRST
        return self.add("PAIR", PAIR.pack(1, first, second, accesses[0], accesses[1], scope, relation, klass, flags, 0, size, site, 0,
                                          count, count * 4000000, count * scale, count * scale**2))

    def stores(self, node, same, different):
        """Sampled stores of their own: so many wrote what was there, so many did not."""
        for flags, count in ((SAME_VALUE, same), (0, different)):
            if count:
                self.pair(node, node, (STORE, 0), UNKNOWN, 3, flags=flags, count=count)

    def counter(self, node, event, value):
        return self.add("COUNTER", COUNTER.pack(1, node, event, 0, value))

    def site(self, node, size=4096, ordinal=0, period=0, recurring_digits=0, **counters):
        """All births are examined unless the counters say otherwise; all replicas lie at the period; one is alive at a time."""
        if size >= 16384:
            counters.setdefault("ended", counters.get("births", 0))
            counters.setdefault("most_alive", min(1, counters.get("births", 0)))
        counters.setdefault("looked_at", counters.get("births", 0) - counters.pop("skipped", 0))
        counters.setdefault("examined", counters["looked_at"] - counters.get("workspaces", 0))
        counters.setdefault("period_replicas", counters.get("replicas", 0))
        counters.setdefault("alike", counters.get("constant", 0))
        counters.setdefault("huge_bytes", counters.get("fresh_bytes", 0) // 2**21 * 2**21)
        new = counters["examined"] - counters.get("constant", 0) - counters.get("replicas", 0)
        counters.setdefault("new_bursts", new if "new_first" in counters else 0)
        counters.setdefault("new_last", 0 if "new_first" in counters else 2**32 - 1)
        values = [counters.pop(name, 0) for name in SITE_COUNTERS]
        assert not counters, counters
        return self.add("SITE", SITE.pack(1, node, size, ordinal, recurring_digits, period, *values))

    def far_site(self, node, size, births, contents, rounds, bits=3, period=0, **counters):
        """Contents that come once in each round of the births, of whose objects the near history has seen a hundred."""
        facts = {"far_births": births, "far_contents": contents, "far_examined": contents * rounds, "far_squares": contents * rounds**2,
                 "far_spans": contents * (births - births // rounds), "far_period": period,
                 "far_period_replicas": contents * (rounds - 1) if period else 0, "far_bits": bits, "births": births, "looked_at": 100}
        return self.site(node, size, **{**facts, **counters})

    def link(self, first, second, objects):
        return self.add("LINK", LINK.pack(1, first, second, 0, objects))

    def live(self, max_bytes=(), bin_ns=2**26, **counters):
        """The snapshot is of the peak unless the counters say otherwise."""
        counters.setdefault("peak", max(max_bytes, default=0))
        counters.setdefault("snapshot", counters["peak"])
        values = [counters.pop(name, 0) for name in LIVE_COUNTERS]
        assert not counters, counters
        bins = [*max_bytes, *[0] * (128 - len(max_bytes))]
        return self.add("LIVE", LIVE.pack(1, len(max_bytes), bin_ns, *values, *bins))

    def content(self, site, samples=(), **counters):
        """No range unless the counters say one; `samples`: bytes."""
        for width in ("32", "64"):
            counters.setdefault("lowest" + width, 2**64 - 1)
        values = [counters.pop(name, 0) for name in CONTENT_COUNTERS]
        assert not counters, counters
        blobs = [self.blob(sample) for sample in samples] + [0] * (4 - len(samples))
        return self.add("CONTENT", CONTENT.pack(1, site, *values, *blobs))

    def heat(self, site, parts=(), objects=0, life_ns=0, accesses=None, forgotten=0, nodes=()):
        """Accesses kept by the part of the objects' lives; each object lived so long."""
        parts = [*parts, *[0] * (16 - len(parts))]
        accesses = sum(parts) + forgotten if accesses is None else accesses
        nodes = [*nodes, *[0] * (16 - len(nodes))]
        return self.add("HEAT", HEAT.pack(1, site, accesses, forgotten, objects, objects * life_ns, *parts, *nodes))

    def neighbour(self, site, other, accesses, bytes=2048, other_bytes=2048):
        """Of so many bytes each time."""
        return self.add("NEIGHBOUR", NEIGHBOUR.pack(1, site, other, 0, accesses, accesses * bytes, accesses * other_bytes))

    def head(self):
        start = 1000 * 10**9
        samples = sum(NODE.unpack(record)[5] for record in self.records["NODE"])
        health = {"samples": samples, "native": 0, "call_ended": 0, "resolved": 0, "armed": 0, "finished": 0, "traps": 0,
                  "shim_cpu_ns": 10**7, "shim_memory_bytes": 2**22, "threads": self.threads, "objects": 0, **self.health}
        head = PROCESS_HEAD.pack(1, self.pid, 1, -1, self.python, 0, self.ended, self.status, 12345, 1700000000 * 10**9, start,
                                 start + int(self.seconds * 10**9), int(self.cpu_seconds * 10**9), 0, 250, 2.0, *self.head_blobs)
        engines = b"".join(ENGINE.pack(name in self.engines, self.fp_tolerance if name == "access" else 0, b"" if name in self.engines else b"not built into this version",
                                       *((self.object_min_bytes, self.sampled_beyond_bytes) if name == "replica" else (0, 0)))
                           for name in ENGINES)
        events = b"".join(name.encode().ljust(64, b"\0") for name in self.events).ljust(8 * 64, b"\0")
        return head + engines + events + HEALTH.pack(*health.values(), *self.drops)

    def extents(self):
        yield EXTENT_HEADER.pack(0x54584550, 1, self.ordinal, PROCESS_BYTES, 1, 0) + self.head().ljust(PAYLOAD, b"\0")
        for at in range(0, len(self.blobs), PAYLOAD):
            part = bytes(self.blobs[at:at + PAYLOAD])
            yield EXTENT_HEADER.pack(0x54584550, KINDS["BLOB"], self.ordinal, 0, at, 0) + part.ljust(PAYLOAD, b"\0")
        for kind, records in self.records.items():
            if not records:
                continue
            room = PAYLOAD // len(records[0])
            for at in range(0, len(records), room):
                part = b"".join(records[at:at + room])
                yield (EXTENT_HEADER.pack(0x54584550, KINDS[kind], self.ordinal, len(records[0]), at + 1, 0) +
                       part.ljust(PAYLOAD, b"\0"))


TRAIN = '''import numpy as np

def fill(out):
    out[:] = 0.0
    out[:] = 1.0

def step(out, x):
    fill(out)
    return (out * x).sum()

def main():
    out, x = np.empty(100000), np.ones(100000)
    for _ in range(1000):
        step(out, x)

main()
'''


def text_codes(text, path):
    """The code objects of a source text by qualified name."""
    found = {}

    def walk(code):
        found[getattr(code, "co_qualname", code.co_name)] = code
        for constant in code.co_consts:
            if hasattr(constant, "co_code"):
                walk(constant)
    walk(compile(text, path, "exec"))
    return found


def offset_of(code, line):
    """Byte offset of the last instruction of `line`: the call on it, usually."""
    positions = list(code.co_positions())
    calls = [i for i, position in enumerate(positions) if position[0] == line]
    return 2 * max(calls, key=lambda i: (positions[i][3] or 0) - (positions[i][2] or 0))


def golden_small():
    """One process: a fill overwritten at once, a product, imports, a native thread."""
    db = Db()
    version = sys.hexversion
    process = db.process(directory="/nowhere", python=version, native=900, call_ended=50, resolved=840, armed=700, finished=400)
    source = process.source("/nowhere/train.py", TRAIN)
    codes = {name: (process.code_of(code, source), code) for name, code in text_codes(TRAIN, "/nowhere/train.py").items()}
    boot = process.code("_find_and_load", "<frozen importlib._bootstrap>")
    process.module("/usr/bin/python3.nowhere", 0x400000, 0x800000, 0, INTERPRETER)
    process.module("/nowhere/lib/_multiarray.so", 0x7f0000000000, 0x7f0000100000)

    def at(parent, name, line, **time):
        number, code = codes[name]
        return process.frame(parent, number, offset_of(code, line), **time)
    root = process.root()
    module = at(root, "<module>", 16)
    importing = at(root, "<module>", 1)
    process.node(process.frame(importing, boot), NATIVE, 0x7f0000000100, samples=40)
    step = at(at(module, "main", 14), "step", 8)
    product = process.node(at(at(module, "main", 14), "step", 9, samples=20), NATIVE, 0x7f0000000200, samples=500)
    first = process.node(at(step, "fill", 4), NATIVE, 0x7f0000000300, samples=200)
    second = process.node(at(step, "fill", 5), NATIVE, 0x7f0000000310, samples=210)
    process.node(process.root(2), NATIVE, 0x7f0000000400, samples=30)
    process.stores(first, 0, 100)
    process.stores(second, 0, 197)
    process.pair(first, second, (STORE, STORE), ACROSS, flags=0, count=97)
    process.pair(first, product, (STORE, LOAD), ACROSS, count=3)
    process.pair(second, product, (STORE, LOAD), ACROSS, count=100)
    process.pair(product, product, (LOAD, LOAD), ACROSS, flags=SAME_VALUE, count=120)
    process.pair(product, product, (LOAD, LOAD), WITHIN, flags=0, count=80)
    process.pair(product, product, (LOAD, LOAD), WITHIN, klass=OTHER_HEAP, count=50)
    return db


def golden_objects():
    """golden_small with objects: a result made again on two ways, a repeated call, a plateau, constants, workspaces."""
    db = golden_small()
    process = db.processes[0]
    process.engines = ("time", "access", "replica")
    process.site(12, 524288, period=1, births=260, replicas=259)
    process.site(12, 65536, period=14, births=280, replicas=266, skipped=0)
    first = process.site(14, 8192, births=450)
    second = process.site(10, 8192, births=450, workspaces=50, constant=3, zero=2, copies=1)
    process.link(first, second, 390)
    process.site(9, 4096, ordinal=1, period=1, births=443, replicas=429)
    process.site(14, 4096, births=20, constant=20, zero=20)
    process.site(0, 4096, births=1000, workspaces=900, unfilled=30, skipped=70, live_at_end=3)
    process.site(10, 2**20, births=40, ended=10, lifetime_ns=3 * 10**9, most_alive=35, peak_objects=32)
    process.far_site(10, 2**17, 4000, 60, 8, period=500)
    process.content(first, words=65536, objects=400, zero_words=0, low_zero=32768, high_zero=32768, low_floats=32768, high_floats=32768,
                    fractions=60000, bit15=30000, bit14=31000, bit7=29000, doubles=30000, lowest32=0x35000000, highest32=0x40490fdb,
                    repeated32=0, nan32=7, infinite32=3, samples=[b"\x00\x00\x80\x3f\xdb\x0f\x49\x40" * 64])
    process.heat(1, [70, 20] + [0] * 12 + [3, 40], objects=90, life_ns=2 * 10**7, forgotten=5, nodes=[12] * 16)
    process.neighbour(first, second, 80, 1500, 2000)
    process.neighbour(second, first, 2, 2000, 1500)
    process.live([2**20, 2**25, 2**25 + 9000, 2**24], bytes=2**24, small=2000, peak_at_ns=180 * 10**6, snapshot=2**25, snapshot_small=5000,
                 snapshot_at_ns=10**8)
    return db


def golden_phases():
    """A training: stacks whose names and files tell the phase, a worker that loads, a thread of PyTorch's own."""
    db = Db()
    process, worker = db.process(python=sys.hexversion), db.process(python=0x030900F0, pid=4243)
    module = ("Module._call_impl", "/usr/lib/python3/dist-packages/torch/nn/modules/module.py")
    step = ("LBFGS.step", "/usr/lib/python3/dist-packages/torch/optim/lbfgs.py")
    stacks = [[module, ("Net.forward", "/home/me/model.py")], [step, ("misfit", "/home/me/train.py"), module],
              [("Pictures_Dataset.getNextBatch.<locals>.<genexpr>", "/home/me/data_loader.py")], [("sgd_step", "/home/me/optim.py")],
              [("Tensor.backward", "/usr/lib/python3/dist-packages/torch/_tensor.py"), module], [("AverageMeter.update", "/home/me/m.py")]]
    root = process.root()
    for stack in stacks:
        node = root
        for function, file in stack:
            node = process.frame(node, process.code(function, file), samples=2)
    process.site(node, 4096, births=20)
    process.module("/nowhere/libtorch_cpu.so", 0x7f0000000000, 0x7f0000100000)
    process.node(process.root(2), NATIVE, 0x7f0000000100, samples=3)
    worker.frame(worker.root(), worker.code("_worker_loop", "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py"), samples=1)
    worker.node(worker.root(1), NATIVE, 0x7f0000000100, samples=1)
    return db


def golden_big(nodes=200000, pairs=100000):
    """As large as ten minutes of a program with many contexts."""
    db = Db()
    process = db.process(python=sys.hexversion, seconds=600, native=140000, call_ended=5000, resolved=130000)
    source = process.source("/nowhere/train.py", TRAIN)
    codes = [(process.code_of(code, source), code) for code in text_codes(TRAIN, "/nowhere/train.py").values()]
    for number in range(1000):
        codes.append((process.code("f%d" % number, "/usr/lib/python3/dist-packages/torch/m%d.py" % (number % 50),
                                   codes[0][1].co_linetable, 1), codes[0][1]))
    process.module("/usr/bin/python3.nowhere", 0x400000, 0x800000, 0, INTERPRETER)
    for number in range(200):
        low = 0x7f0000000000 + number * 0x1000000
        process.module("/nowhere/lib/lib%d.so" % number, low, low + 0x800000)
    root = process.root()
    top = process.frame(root, codes[0][0], 2)
    leaves, state, parents = [], 12345, [top]
    while len(process.records["NODE"]) < nodes:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        parent = parents[(state >> 33) % len(parents)]
        number, code = codes[(state >> 20) % len(codes)]
        frame = process.frame(parent, number, (state >> 40) % len(code.co_code) // 2 * 2)
        if len(parents) < 5000:
            parents.append(frame)
        address = 0x7f0000000000 + (state >> 24) % 200 * 0x1000000 + (state >> 44) % 0x100000
        leaves.append(process.node(frame, NATIVE, address, samples=1))
    for number in range(pairs):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        first, second = leaves[(state >> 33) % len(leaves)], leaves[(state >> 13) % len(leaves)]
        process.pair(first, second, (LOAD, LOAD) if state & 4096 else (STORE, STORE), flags=(state >> 50) % 2)
    return db


def golden_wide(files=150, functions=8, rows=10, sites=4096, pairs=60000, samples_per_second=250, seconds=600):
    """Ten minutes of a large program: 12,000 lines of 150 files, nearly 3,000 of which are findings, and as many places as there can be."""
    db = Db()
    process = db.process(python=sys.hexversion, seconds=float(seconds), engines=("time", "access", "replica"), arguments=("python", "/nowhere/part0.py"),
                         native=140000, call_ended=5000, resolved=130000)
    process.module("/nowhere/lib/_multiarray.so", 0x7f0000000000, 0x7f0000800000)
    state, leaves, samples = 12345, [], samples_per_second * seconds // (files * functions * rows)
    for number in range(files):
        path, body = "/nowhere/part%d.py" % number, ""
        for function in range(functions):
            body += "def f%d(x):\n" % function + "".join("    y%d = np.sin(x * %d)\n" % (row, number * 97 + function * 11 + row) for row in range(rows)) + "\n"
        text = "import numpy as np\n\n" + body + "for epoch in range(100):\n    f0(np.ones(3))\n"
        source, codes = process.source(path, text), text_codes(text, path)
        numbers = {name: process.code_of(code, source) for name, code in codes.items()}
        caller = process.frame(process.root(), numbers["<module>"], offset_of(codes["<module>"], len(text.splitlines())))
        for function in range(functions):
            for row in range(rows):
                name = "f%d" % function
                frame = process.frame(caller, numbers[name], offset_of(codes[name], 4 + function * (rows + 2) + row))
                leaves.append(process.node(frame, NATIVE, 0x7f0000000200 + len(leaves) % 64 * 16, samples=samples))
    for number in range(sites):
        again = number % 3 > 0
        process.site(leaves[number * 7919 % len(leaves)], 2048 + 16 * (number % 97), births=1000, replicas=999 * again, period=int(again))
    for _ in range(pairs):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        first, second = leaves[(state >> 33) % len(leaves)], leaves[(state >> 13) % len(leaves)]
        process.pair(first, second, (LOAD, LOAD) if state & 4096 else (STORE, STORE), flags=(state >> 50) % 2)
    return db


def compact(data):
    """The short form that tests/fuzz/fuzz_reader.c reads: each part's length and bytes, without its zeros at the end."""
    parts = [data[:HEADER_BYTES]] + [data[at:at + EXTENT_BYTES] for at in range(HEADER_BYTES, len(data), EXTENT_BYTES)]
    stripped = [part.rstrip(b"\0") for part in parts]
    return b"".join(struct.pack("<I", len(part)) + part for part in stripped)


GOLDEN = {"small": golden_small, "objects": golden_objects, "phases": golden_phases, "big": golden_big, "wide": golden_wide, "empty": Db}


def main():
    if sys.argv[1:] == ["--list"]:
        print(*GOLDEN, sep="\n")
    elif len(sys.argv) == 4 and sys.argv[1] == "--compact" and sys.argv[2] in GOLDEN:
        with open(sys.argv[3], "wb") as file:
            file.write(compact(GOLDEN[sys.argv[2]]().bytes()))
    elif len(sys.argv) == 3 and sys.argv[1] in GOLDEN:
        GOLDEN[sys.argv[1]]().write(sys.argv[2])
    else:
        sys.exit("usage: make_db.py --list | [--compact] %s FILE" % "|".join(GOLDEN))


if __name__ == "__main__":
    main()
