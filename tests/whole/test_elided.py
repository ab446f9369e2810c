"""From 256 KiB on NumPy works in the buffer of an operand that nobody else refers to: what its line had made is compared before."""
import json

import pytest
import whole
from gating import ADDRESS, make_db
from marked import found
from replicas import FEATURES, OTHER, Program

HEAD = """
import numpy as np
random = np.random.default_rng(0)
x, total = random.normal(size=(256, 256)), 0.0

def mask(n):
    rows = np.arange(n)
    return np.where(rows[:, None] >= rows, 0.0, -1e9)  # made

def noise():
    return random.normal(size=(256, 256))

for step in range(300):
    x = x * 0.999 + step * 1e-6
    total += float(({}).sum())
print(total)
"""
AGAIN = {
    "on the right": "x + mask(256)",
    "on the left": "mask(256) * x",
    "behind another": "noise() + mask(256)",
    "before another": "mask(256) + noise()",
    "before what something else was made in": "mask(256) + 2.0 * noise()",
    "twice": "mask(256) + x + 1.0",
    "alone": "-mask(256) - x",
}


def run(directory, source, name):
    """What the program prints, which is the same without the shim, and the report."""
    interpreter = whole.INTERPRETERS[name]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    path, database = directory / "program.py", directory / "out.db"
    path.write_text(source)
    plain = whole.execute([*interpreter.command, path], env=whole.environment(interpreter))
    environment = whole.environment(interpreter, LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database))
    done = whole.execute([*interpreter.command, path], env=environment)
    assert (plain.returncode, done.returncode, done.stdout, done.stderr) == (0, 0, plain.stdout, ""), done.stderr
    return done.stdout, json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))


def of_line(rows, source, words):
    (number,) = [number for number, line in enumerate(source.splitlines(), 1) if words in line]
    return [row for row in rows if row["line"] == number]


@pytest.mark.parametrize("name", ["debian", "venv"])
@pytest.mark.parametrize("expression", AGAIN.values(), ids=AGAIN.keys())
def test_what_was_made_again_is_told(tmp_path, expression, name):
    source = HEAD.format(expression)
    (finding,) = of_line(run(tmp_path, source, name)[1]["findings"], source, "# made")
    assert finding["kind"] == "replica" and finding["category"] == "loop-invariant computation", finding
    assert "512 KiB made 300 times, 299 times equal to the one before" in finding["claim"]


def test_what_is_made_of_it_in_place_is_changed_later(tmp_path):
    """The buffer is another's from then on: what is stored into that by a name is told, and what NumPy stored itself is not."""
    source = HEAD.format("train([np.cos(mask(256)) * 0.5])").replace("for step", """def train(held):
    w = held[0]
    for i in range(3):
        w -= 0.1 * np.sin(w)
    return w

for step""")
    made = run(tmp_path, source, "debian")[1]["findings"]
    (cosines,) = of_line(made, source, "np.cos(")
    (masks,) = of_line(made, source, "# made")
    assert "It is changed in place after this line" in cosines["advice"] and "changed" not in masks["advice"]


def test_what_is_made_of_it_in_place_is_another_each_time(tmp_path):
    """Then the operand is what is kept, and nobody changes that."""
    source = HEAD.format("shifted(mask(256) + x)").replace("for step", """def shifted(scores):
    scores -= scores.max(axis=1, keepdims=True)
    return scores

for step""")
    (masks,) = of_line(run(tmp_path, source, "debian")[1]["findings"], source, "# made")
    assert masks["advice"].startswith("Build it once") and "changed" not in masks["advice"] and "finished" not in masks["advice"]


def test_a_named_buffer_that_is_being_filled_is_asked_at_its_end(tmp_path):
    """One reference holds it, too, and the stack may still have it from the last row's store."""
    source = HEAD.format("fill(np.empty((4, 256, 256)))").replace("for step", """def fill(buffer):
    for row in range(4):
        buffer[row] = row
        buffer[row] = noise() * 2.0 + x
    return buffer

for step""")
    assert run(tmp_path, source, "debian")[1]["findings"] == []


def test_a_named_buffer_that_lies_before_the_values_is_none_of_them(tmp_path):
    """The function's last name, right before the sum's operand."""
    source = HEAD.format("fill(np.empty((3, 256, 256)))").replace("for step", """ramp = np.arange(256.0)
def fill(buffer):
    buffer[...] = ramp
    buffer[0] = noise() * 2.0 + x
    buffer[1] = noise() * 2.0 + x
    buffer[2] = noise() * 2.0 + x
    return buffer

for step""")
    assert run(tmp_path, source, "debian")[1]["findings"] == []


def test_what_differs_is_no_finding(tmp_path):
    """The sum of two that differ is constant; one is made of what changes, into the other's buffer."""
    source = HEAD.format("np.round(noise() - x) * 0.0 + x")
    assert run(tmp_path, source, "debian")[1]["findings"] == []


def test_a_buffer_of_one_value_is_asked_at_its_end(tmp_path):
    """What stands there then is the sum, which its line would have made in a buffer of its own."""
    source = HEAD.format("np.zeros((256, 256)) + x")
    assert run(tmp_path, source, "debian")[1]["findings"] == []


@pytest.mark.parametrize("name", ["debian", "venv"])
def test_numpy_still_works_in_place(tmp_path, name):
    """It does so only where it knows every caller, and the shim's hook is not one of them."""
    output, report = run(tmp_path, """
import tracemalloc
import numpy as np
x = np.arange(65536.0)
(x * 2.0 + 1.0)[0]
tracemalloc.start()
y = x * 2.0 + 1.0
print(tracemalloc.get_traced_memory()[1])
""", name)
    assert 524288 <= int(output) < 1.5 * 524288, output


def test_a_stack_is_told_as_it_is(tmp_path):
    """By backtrace(), of any length; -1 and 0 are taken, too."""
    source = """
import ctypes
class Info(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("at", ctypes.c_void_p)]
libc, info = ctypes.CDLL(None), Info()
def deeper(depth):
    return deeper(depth - 1) if depth else sorted([0], key=lambda _: ask())
def ask():
    for size in (-1, 0, 1, 2, 5, 40, 127, 128, 2000):
        frames = (ctypes.c_void_p * 2000)()
        count = libc.backtrace(frames, size)
        names = []
        for frame in frames[:max(count, 0)]:
            found = libc.dladdr(ctypes.c_void_p(frame), ctypes.byref(info))
            names.append((info.file.decode().split("/")[-1], frame - info.base) if found else None)
        print(size, count, names)
deeper(3)
"""
    output, _ = run(tmp_path, source, "debian")
    counts = [int(line.split()[1]) for line in output.splitlines()]
    assert counts[:5] == [0, 0, 1, 2, 5] and counts[-1] > 5 and "pieprof" not in output

KERNEL = """
import numpy as np
random = np.random.default_rng(0)
x, total = random.normal(size=(400, 200)), 0.0

def kernel(gamma):
    scaled = np.tanh(x)
    return (scaled @ x.T){}  # product

for step in range(80):
    total += float(kernel(0.1 * step)[3, 4])
print(total)
"""


@pytest.mark.parametrize("finish, whole_call", [("", True), (" * gamma", False)])
def test_what_comes_of_it_is_not_known_to_be_the_same(tmp_path, finish, whole_call):
    """The first product is one as well: OpenBLAS maps its own buffer behind it."""
    source = KERNEL.format(finish)
    (finding,) = of_line(run(tmp_path, source, "debian")[1]["findings"], source, "# product")
    assert "1.2 MiB made 80 times, 79 times equal to the one before" in finding["claim"]
    assert ("All larger arrays that the call of kernel()" in finding["advice"]) == whole_call, finding["advice"]


PACKAGE = """
import numpy as np

def products(x):
    return x @ x.T

def kernel(x, gamma):
    k = {}products(x)
    k *= gamma
    np.exp(k, k)
    return k
"""


@pytest.mark.parametrize("negated", [False, True])
def test_a_package_works_in_place(tmp_path, negated):
    """Where it does so behind the product, what it gives was looked at, and the steps to it count; where NumPy does, it was not."""
    package = tmp_path / "site-packages/kernels"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PACKAGE.format("-2.0 * " if negated else ""))
    path, report = found(tmp_path, """
        import numpy as np
        from kernels import kernel
        random = np.random.default_rng(0)
        def score():
            x, other, total = random.normal(size=(550, 4)), np.abs(random.normal(size=(9000, 42))), 0.0
            for step in range(120):
                total += float(kernel(x, -0.001)[3, 4])  # kernel
                other = np.power(other, 0.999)
                other = np.arctan2(other, total) + 1
                other = np.arctan2(total, other)
            return total
        print(score() > 0)
        """, PYTHONPATH=str(package.parent))
    source = path.read_text()
    (finding,) = [finding for finding in of_line(report["findings"], source, "# kernel") if finding["kind"] == "replica"]
    (line,) = of_line(report["lines"], source, "# kernel")
    line_s = line["native_s"] + line["python_s"] + line["boundary_s"]
    part = "Not all results of the call were seen to be equal" in finding["advice"]
    assert part == negated, finding["advice"]
    assert (0 if negated else 0.7 * line_s) <= finding["waste_s"] <= line_s, (finding["waste_s"], line_s)


@pytest.mark.parametrize("beyond, waste_s", [(0, 0.8 + 1.2), (1, 0.8), (2, 0.8), (3, 0.8 + 1.2)])
def test_what_finishes_what_was_not_looked_at_is_no_waste(tmp_path, beyond, waste_s):
    """The product took 200 samples, what the package does in place with it 300: frames that had moved on when NumPy stored over it."""
    path = "/v/lib/python3.11/site-packages/kernels/rbf.py"
    package = PACKAGE.format("")
    program, codes = Program(), make_db.text_codes(package, path)
    process = program.process
    stored = process.source(path, package)
    numbers = {name: process.code_of(codes[name], stored) for name in ("products", "kernel")}
    rows = {row: number for number, row in enumerate(package.splitlines(), 1)}
    user = make_db.NODE.unpack(process.records["NODE"][program.way(*FEATURES) - 1])[1]

    def inside(row):
        return process.frame(user, numbers["kernel"], make_db.offset_of(codes["kernel"], rows[row]))

    product = process.frame(inside("    k = products(x)"), numbers["products"], make_db.offset_of(codes["products"], rows["    return x @ x.T"]))
    process.node(inside("    k *= gamma"), make_db.NATIVE, ADDRESS, samples=100)
    process.node(inside("    np.exp(k, k)"), make_db.NATIVE, ADDRESS, samples=200)
    process.site(process.node(product, make_db.NATIVE, ADDRESS, samples=200), 524288, period=1, births=1000, replicas=999, unlike=beyond << 4)
    program.way(*OTHER, samples=1500)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["waste_s"] == pytest.approx(waste_s * 999 / 1000)
    assert ("Not all results of the call were seen to be equal" in finding["advice"]) == (beyond in (1, 2))


@pytest.mark.parametrize("nan, told", [("0.0", True), ("1e-9 * step", False)])
def test_what_numpys_own_function_makes_in_place_is_kept_with_what_it_returns(tmp_path, nan, told):
    """isposinf(), which it calls, negates signs in place."""
    source = f"""
import numpy as np
random = np.random.default_rng(0)
ratings, total = random.normal(size=(600, 600)), 0.0
ratings[::7, 0] = np.nan
for step in range(60):  # steps
    filled = np.nan_to_num(ratings, nan={nan})  # filled
    total += filled[step].sum() * step
print(total)
"""
    found = [finding for finding in of_line(run(tmp_path, source, "debian")[1]["findings"], source, "# filled") if finding["kind"] == "replica"]
    assert len(found) == told
    for finding in found:
        assert finding["advice"].startswith("What the call made of it in place was not looked at. Where nothing else that it takes changes, "
                                            "keep what it returns: Build it once, outside the loop at ")
