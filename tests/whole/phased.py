"""A training whose every count is known, phase by phase; written by tests/tools/make_db.py."""
from gating import ADDRESS, Program, make_db

PHASES = ["data_loading", "forward", "backward", "optimizer", "other"]
SAMPLE_S = 0.004
TEXT = """import numpy as np

def scale(x):
    return np.ones(512) * x

def forward(x):
    mask = np.tri(512)
    return scale(x) + mask

def backward(x):
    slope = np.tri(256)
    return scale(x) * slope

def load_batch(i):
    return np.arange(i)

def update_weights(w):
    w -= np.full(512, 3.0)

def main(steps):
    for i in range(steps):
        x = load_batch(i)
        y = forward(x)
        backward(y)
        update_weights(x)
        log = np.zeros(300)

main(20)
"""
MIB = 2**20


class Training(Program):
    """Where each phase has a way through main() of its own, and scale() is called in two."""

    WAYS = {"data_loading": [("main", "x = load"), ("load_batch", "np.arange")], "forward": [("main", "y = "), ("forward", "np.tri(512)")],
            "backward": [("main", "    backward(y)"), ("backward", "np.tri(256)")], "optimizer": [("main", "update_weights(x)"), ("update_weights", "np.full")],
            "other": [("main", "log = ")], "scale forward": [("main", "y = "), ("forward", "scale(x) + mask"), ("scale", "np.ones")],
            "scale backward": [("main", "    backward(y)"), ("backward", "scale(x) * slope"), ("scale", "np.ones")]}

    def __init__(self, text=TEXT, **facts):
        super().__init__(text, **facts)
        self.process.events = ["PAPI_TOT_INS"]

    def way(self, name, **time):
        steps = self.WAYS[name] if isinstance(name, str) else name
        node = self.frame(self.process.root(), "<module>", self.text.splitlines()[-1])
        for function, line in steps:
            node = self.frame(node, function, line)
        return self.process.node(node, make_db.NATIVE, ADDRESS, **time)

    def made(self, name, size, births, replicas=0, samples=10, **counters):
        node = self.way(name, samples=samples)
        return node, self.process.site(node, size, births=births, replicas=replicas, period=1 if replicas else 0, **counters)


def training(births=260, forward=None, backward=0, size=MIB, text=TEXT, **facts):
    """Forward makes its mask again each time, and scale() its ones, where backward makes new ones."""
    program, process = Training(text, **facts), None
    process = program.process
    replicas = births - 1 if forward is None else forward
    ends = [program.made("data_loading", 65536, births, samples=7), program.made("forward", size, births, replicas, samples=40, peak_objects=2),
            program.made("backward", 2 * MIB, births, backward, samples=30, workspaces=5, peak_objects=1), program.made("optimizer", 4096, births, samples=5),
            program.made("other", 32768, births, samples=3, peak_objects=1), program.made("scale forward", MIB // 2, births, replicas, samples=20),
            program.made("scale backward", MIB // 2, births, samples=11)]
    for number, (node, site) in enumerate(ends):
        process.pair(node, node, (make_db.STORE, make_db.STORE), flags=make_db.USED, count=20 + number, site=site)
        process.pair(node, node, flags=make_db.SAME_VALUE, count=30 + number)
        process.pair(node, node, klass=2, count=3 + number)
        process.stores(node, 4 + number, 9)
        process.counter(node, 0, 1000 * (number + 1))
    process.node(process.root(2), make_db.NATIVE, ADDRESS, samples=6)
    process.frame(program.frame(process.root(), "<module>", "main(20)"), program.numbers["load_batch"], samples=2)
    process.cpu_seconds = 1
    process.live([8 * MIB])
    return program
