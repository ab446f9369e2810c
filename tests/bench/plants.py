"""Wastes to plant into programs: each a line or a loop that a careless edit would bring, as large as it is told to be.

`program(name, plants, steps, every, planted)` is a trainer of tests/whole/plateaus.py (no seed, with a plateau) that runs `steps` times as long and does
something useful beside, every so often; with `planted` one of those things is done wastefully.
"""
import re
from textwrap import dedent, indent

import plateaus

MARK = "  # planted"


class Plant:
    """`setup` runs once; `good` is what the loop does, `bad` what it does instead, its wasteful line marked; {n}: elements."""

    def __init__(self, kind, setup, good, bad):
        self.kind, self.setup, self.good, self.bad = kind, setup, good, dedent(bad).strip("\n")


PLANTS = {
    # The same result, computed again.
    "ramp": Plant("replica", "ramp0 = np.linspace(0.0, 1.0, {n}); decay0 = np.exp(-ramp0)", "gathered += decay0[ticks % {n}]", f"""
        decay0 = np.exp(-ramp0){MARK}
        gathered += decay0[ticks % {{n}}]"""),
    "order": Plant("replica", "noise1 = rng.normal(size={n}); order1 = np.argsort(noise1)", "gathered += order1[ticks % {n}]", f"""
        order1 = np.argsort(noise1){MARK}
        gathered += order1[ticks % {{n}}]"""),
    "lengths": Plant("replica", "rows2 = rng.normal(size=({n}, 4)); lengths2 = np.sqrt((rows2 * rows2).sum(axis=1))", "gathered += lengths2[ticks % {n}]", f"""
        lengths2 = np.sqrt((rows2 * rows2).sum(axis=1)){MARK}
        gathered += lengths2[ticks % {{n}}]"""),
    # Stores that nobody needs.
    "filled": Plant("store", "noise3 = rng.normal(size={n})", "fresh3 = np.empty({n})\nnp.multiply(noise3, ticks, out=fresh3)\ngathered += fresh3[5]", f"""
        fresh3 = np.ones({{n}}){MARK}
        np.multiply(noise3, ticks, out=fresh3)
        gathered += fresh3[5]"""),
    "copied": Plant("store", "table4 = rng.normal(size={n}); buffer4 = table4.copy()", "gathered += buffer4[ticks % {n}]", f"""
        buffer4[:] = table4{MARK}
        gathered += buffer4[ticks % {{n}}]"""),
    "cleared": Plant("store", "noise5 = rng.normal(size={n}); buffer5 = np.empty({n})", "np.multiply(noise5, ticks, out=buffer5)\ngathered += buffer5[7]", f"""
        buffer5.fill(0.5){MARK}
        np.multiply(noise5, ticks, out=buffer5)
        gathered += buffer5[7]"""),
    "halved": Plant("store", "table6 = rng.normal(size={n}); half6 = np.empty({n})\nnp.multiply(table6, 0.5, out=half6)", "gathered += half6[ticks % {n}]", f"""
        np.multiply(table6, 0.5, out=half6){MARK}
        gathered += half6[ticks % {{n}}]"""),
    # One element at a time.
    "squares": Plant("tiny", "row7 = rng.normal(size={n})", "gathered += row7 @ row7", f"""
        for i in range(len(row7)):
            gathered += row7[i] * row7[i]{MARK}"""),
    "values": Plant("tiny", "row8 = rng.normal(size={n})", "gathered += row8.sum()", f"""
        for value in row8:
            gathered += value{MARK}"""),
    "bent": Plant("tiny", "row9 = rng.normal(size={n}); bent9 = np.empty({n})", "np.multiply(row9, 0.5, out=bent9)\ngathered += bent9[3]", f"""
        for i in range({{n}}):
            bent9[i] = row9[i] * 0.5{MARK}
        gathered += bent9[3]"""),
}
LOOPS = {"classifier": "for step in range(400):", "perceptron": "for epoch in range(250):", "kmeans": "for step in range(150):",
         "clipping": "for step in range(500):", "early stopping": "for fold in range(int(rng.integers(4, 8))):"}
INNER = {"early stopping": "while np.abs("}


def program(name, sizes, steps, every, planted=None):
    """`sizes`: of each plant; `planted`: the one that is bad, if any."""
    text = dedent(plateaus.TRAINERS[name]).strip("\n")
    header = LOOPS[name]
    longer = re.sub(r"range\((.*)\):", lambda found: f"range({steps} * {found[1]}):", header)
    lines = []
    for line in text.replace(header, longer).splitlines():
        margin = line[:len(line) - len(line.lstrip())]
        if line.strip() == longer:
            lines += [margin + "ticks, gathered = 0, 0.0"] + [margin + row for plant, size in sizes.items() for row in PLANTS[plant].setup.format(n=size).splitlines()]
        lines.append(line)
        if line.strip().startswith(INNER.get(name, longer)):
            body = margin + "    "
            lines += [body + "ticks += 1", body + f"if ticks % {every} == 0:"]
            for plant, size in sizes.items():
                chosen = PLANTS[plant].bad if plant == planted else PLANTS[plant].good
                lines += indent(chosen.format(n=size), body + "    ").splitlines()
    return "import numpy as np\n" + "\n".join(lines) + "\ntrain()\n"


COUNTED = """
import time
import numpy as np
started = time.process_time()
{text}
print(train.ticks, time.process_time() - started)
"""


def count(name, steps):
    """A program that says how often its loop turns, and how many seconds that takes."""
    text = program(name, {}, steps, 1).replace("import numpy as np\n", "").replace("ticks += 1", "ticks += 1; train.ticks = ticks")
    return COUNTED.format(text=re.sub(r"\n *if ticks % 1 == 0:(?=\n)", "", text))


COST = """
import time
import numpy as np
rng, ticks, gathered = np.random.default_rng(0), 7, 0.0
def cost(code):
    best = 1e9
    for again in range(7):
        started = time.perf_counter()
        for ticks in range(5):
            exec(code)
        best = min(best, (time.perf_counter() - started) / 5)
    return best
{setup}
def good():
    global gathered
{good}
def bad():
    global gathered
{bad}
print(cost("bad()") - cost("good()"))
"""


def cost(plant, size):
    """A program that says how many seconds a turn of the waste takes."""
    parts = {part: getattr(PLANTS[plant], part).format(n=size) for part in ("setup", "good", "bad")}
    globals_of = "    global " + ", ".join(sorted(set(re.findall(r"^ *([a-z]+\d)(?= =)", parts["setup"] + "\n" + parts["bad"], re.M)))) + "\n"
    globals_of = "" if globals_of.strip() == "global" else globals_of
    return COST.format(setup=parts["setup"], good=globals_of + indent(parts["good"], "    "), bad=globals_of + indent(parts["bad"], "    "))


def marked_line(text):
    (number,) = [number for number, row in enumerate(text.splitlines(), 1) if row.endswith(MARK)]
    return number
