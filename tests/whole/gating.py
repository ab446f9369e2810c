"""Runs that the gate compares: written by tests/tools/make_db.py, so that every count is known."""
import json
import os
import sys
from pathlib import Path

import jsonschema

import reports
import whole
from reports import make_db

ADDRESS = 0x7f0000000200
SCHEMAS = {name: json.loads((whole.ROOT / f"tests/schema/{name}.schema.json").read_text()) for name in ("baseline", "gate", "diff")}
PROGRAM = '''import numpy as np

def mask(n):
    i = np.arange(n)
    return np.where(i[:, None] >= i[None, :], 0.0, -1e9)

def step(x):
    return x + mask(len(x))

def features(batch):
    return np.tanh(batch)

def main(batches):
    for epoch in range(20):
        for batch in batches:
            step(features(batch))

main([np.ones(3)] * 14)
'''


def words(text):
    """A page's words, wherever the names in it broke its lines."""
    return " ".join(text.split())


class Program:
    """A run of a text: `site` counts objects that the line with these words makes, called by the module's last line."""

    def __init__(self, text=PROGRAM, path="/nowhere/train.py", arguments=("python", "/nowhere/train.py"), engines=("time", "access", "replica"), **facts):
        self.database = make_db.Db()
        self.process = self.database.process(python=sys.hexversion, engines=engines, arguments=arguments, **facts)
        self.source = self.process.source(path, text)
        self.text, self.codes = text, make_db.text_codes(text, path)
        self.process.module("/nowhere/lib/_multiarray.so", ADDRESS & ~0xfffff, (ADDRESS & ~0xfffff) + 0x100000)
        self.numbers = {name: self.process.code_of(code, self.source) for name, code in self.codes.items()}

    def line(self, words):
        (number,) = [number for number, line in enumerate(self.text.splitlines(), 1) if words in line]
        return number

    def frame(self, parent, function, words):
        return self.process.frame(parent, self.numbers[function], make_db.offset_of(self.codes[function], self.line(words)))

    def node(self, function, words, **time):
        outer = self.frame(self.process.root(), "<module>", self.text.splitlines()[-1])
        return self.process.node(self.frame(outer, function, words), make_db.NATIVE, ADDRESS, **time)

    def site(self, function, words, size, samples=100, **counters):
        return self.process.site(self.node(function, words, samples=samples), size, **counters)

    def write(self, path):
        self.database.write(path)
        return path


def wasteful(births=260, size=524288, replicas=None, text=PROGRAM, **facts):
    """The mask is made again each time; the features differ."""
    program = Program(text, **facts)
    replicas = births - 1 if replicas is None else replicas
    program.site("mask", "np.where(", size, births=births, replicas=replicas, period=1 if replicas else 0)
    program.site("features", "np.tanh(", 65536, births=births)
    return program


def clean(births=260, **facts):
    return wasteful(births, replicas=0, **facts)


def gate(*arguments, **how):
    """Wherever the tests run: on GitHub Actions too, unless they say so."""
    how.setdefault("env", {name: value for name, value in os.environ.items() if name != "NO_COLOR" and not name.startswith("GITHUB_")})
    return reports.report("gate", *arguments, **how)


def verdict(*arguments, status):
    """`status` None: whether it passes is what is asked."""
    done = gate(*arguments, "--format", "json")
    assert done.returncode == status or (status is None and done.returncode < 2), done.stdout + done.stderr
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMAS["gate"])
    assert data["passed"] == (done.returncode == 0)
    return data


def failing(data):
    return [(item["verdict"], item["kind"], item["line"]) for item in data["items"] if item["fails"]]


def export(path, *arguments):
    """Written beside it, as JSON."""
    output = Path(path).with_suffix(".json")
    done = reports.report("export", path, "--format", "baseline", "-o", output, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    jsonschema.validate(json.loads(output.read_text()), SCHEMAS["baseline"])
    return output


def refused(*arguments):
    """Its one line on stderr."""
    done = gate(*arguments)
    assert done.returncode == 2 and done.stdout == "", done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("pieprof-report: ")
    return line
