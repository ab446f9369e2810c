"""Runs of one program whose sites are known: frames by function and line, and what was made below them."""
import json
import subprocess
import sys

import gating
import jsonschema
import whole
from gating import make_db

SCHEMA = json.loads(whole.SCHEMA.read_text())
ROUND = "            step(features(batch))\n"
PROGRAM = gating.PROGRAM.replace(ROUND, ROUND + "            total = [np.sqrt(part) for part in batch]\n")


class Program:
    """A run of PROGRAM: frames by function and line, sites below them."""

    def __init__(self, path="/nowhere/train.py", text=PROGRAM, library="/nowhere/lib/_multiarray.so", **facts):
        self.database = make_db.Db()
        self.process = self.database.process(python=sys.hexversion, engines=("time", "access", "replica"), **facts)
        self.source = self.process.source(path, text)
        self.path, self.codes = path, make_db.text_codes(text, path)
        self.numbers = {name: self.process.code_of(code, self.source) for name, code in self.codes.items()}
        self.process.module(library, gating.ADDRESS & ~0xfffff, (gating.ADDRESS & ~0xfffff) + 0x100000)

    def way(self, *steps, thread=0, **time):
        """("main", 16), ("step", 8), ...: the node of the native call that the innermost of these lines makes."""
        node = self.process.root(thread)
        for name, line in steps:
            code = self.codes[name]
            node = self.process.frame(node, self.numbers[name], make_db.offset_of(code, line))
        return self.process.node(node, make_db.NATIVE, gating.ADDRESS, **time)

    def report(self, tmp_path, *options):
        path = tmp_path / "out.db"
        self.database.write(path)
        done = subprocess.run([whole.REPORT, path, "--format", "json", *options], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and not done.stderr, done.stderr
        data = json.loads(done.stdout)
        jsonschema.validate(data, SCHEMA)
        return data

    def text(self, tmp_path, *options):
        path = tmp_path / "out.db"
        self.database.write(path)
        return subprocess.run([whole.REPORT, path, *options], capture_output=True, text=True, check=True, timeout=60).stdout


MAIN, STEP = ("<module>", 19), ("main", 16)
MASK = (MAIN, STEP, ("step", 8), ("mask", 5))
FEATURES = (MAIN, STEP, ("features", 11))
OTHER = (MAIN, STEP, ("step", 8))


def line_at(data, number):
    return next(line for line in data["lines"] if line["line"] == number)


def findings(data):
    return [(finding["kind"], finding["line"]) for finding in data["findings"]]


def below_torch(program, line, *functions, file="torch/nn/modules/module.py"):
    """The way from the features' line through functions of PyTorch: what nn.Module does around a backbone."""
    node = program.process.root()
    for name, at in (MAIN, STEP, ("features", line)):
        node = program.process.frame(node, program.numbers[name], make_db.offset_of(program.codes[name], at))
    for function in functions:
        number = program.process.code(function, f"/v/lib/python3.11/site-packages/{file}", first_line=7)
        node = program.process.frame(node, number, -1)
    return program.process.node(node, make_db.NATIVE, gating.ADDRESS, samples=200)


def call_of(program, function, tmp_path, *way):
    """A native call of `function`, by name, from the innermost of these lines."""
    (tmp_path / "moves.c").write_text(f"void *{function}(void *from) {{ return from; }}\n")
    library = tmp_path / "libmoves.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-g", tmp_path / "moves.c", "-o", library], check=True)
    symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout.splitlines()
    start = next(int(row.split()[0], 16) for row in symbols if row.endswith(function))
    program.process.module(str(library), 0x7e0000000000, 0x7e0000100000)
    return program.process.node(program.way(*way, samples=100) - 1, make_db.NATIVE, 0x7e0000000000 + start + 1)
