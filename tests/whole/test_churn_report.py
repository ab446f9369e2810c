"""What the report says of memory that is got again and again, on files that make_db.py writes: the claim, and each trap."""
import sys

import pytest

from churning import ADDRESS, COUNTERS, MIB, PROGRAM, Run, needs_columns
from reports import line_at, make_db, report, report_json


@needs_columns
def test_the_loop_of_a_caller_may_end_with_each_call(tmp_path):
    """"for layer in layers": a buffer that is made before it is made again in the next call."""
    epochs = PROGRAM.replace("main(np.ones(3))", "for epoch in range(20):\n    main(np.ones(3))")
    (finding,) = Run(text=epochs).made(4, called_at=18).findings(tmp_path)
    assert finding["advice"].startswith("Make one buffer outside the loop at train.py:17, and write into it")
    own = PROGRAM.replace("    fifth, sixth = data * 2, data\n    return data + 1", "    while data is not None:\n        data = data + 1")
    (finding,) = Run(text=own).made(11, most_alive=2).findings(tmp_path)  # while one is made, the one before has its name still
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


LAYERS = '''import numpy as np

def predict(layers, x):
    for weights, bias in layers:
        out = x @ weights
        x = np.tanh(out)
    return x

def main(layers, data):
    for number in range(100):
        predict(layers, data + number)

main(layers, np.ones(3))
'''


class Layers(Run):
    def made(self, *sizes, way=(("<module>", 13), ("main", 11)), where=("predict", 5), **counters):
        """Objects of one instruction, on a way to it."""
        node = self.process.node(self.frame(*way, where), make_db.NATIVE, ADDRESS, samples=1000)
        for size in sizes:
            births = {"births": 100, **counters}["births"]
            self.process.site(node, size, **{**COUNTERS, "fresh_bytes": births * size, "pages_asked": births, **counters})
        return self

    def advice(self, tmp_path, line=5):
        (finding,) = [finding for finding in self.findings(tmp_path) if finding["line"] == line]
        return finding["advice"]


def layers(old=None, new=None):
    assert old is None or old in LAYERS
    return Layers(text=LAYERS if old is None else LAYERS.replace(old, new))


@needs_columns
def test_layers_of_unlike_widths_are_made_once_in_each_call(tmp_path):
    """A buffer before their loop would be made in each call too."""
    assert layers().made(4 * MIB, 2 * MIB, MIB).advice(tmp_path) == (
        "Make a buffer for each size outside the loop at train.py:10, hand them in, and write into them: np.matmul(..., out=buffer).")
    epochs = layers("main(layers, np.ones(3))", "for epoch in range(9):\n    main(layers, np.ones(3))")
    assert "for each size outside the loop at train.py:13, hand them in" in epochs.made(
        4 * MIB, 2 * MIB, way=(("<module>", 14), ("main", 11))).advice(tmp_path)


@needs_columns
def test_other_layers_may_get_what_malloc_had(tmp_path):
    """They count for where the buffer belongs, if not for the claim."""
    run = layers().made(4 * MIB).made(MIB, fresh_bytes=0)
    assert run.advice(tmp_path).startswith("Make a buffer for each size outside the loop at train.py:10, hand them in,")


@needs_columns
def test_workspaces_are_no_layers(tmp_path):
    run = layers().made(4 * MIB, most_alive=2).made(MIB, workspaces=100)
    assert run.advice(tmp_path).startswith("Make 2 buffers outside the loop at train.py:4, and write into them in turn:")


@needs_columns
def test_several_layers_of_one_width(tmp_path):
    """Three made in each pass of the caller's loop, as what else is made there tells, and two of them needed at once."""
    run = layers().made(4 * MIB, births=300, most_alive=2).made(1024, way=(("<module>", 13),), where=("main", 11))
    assert run.advice(tmp_path).startswith("Make 2 buffers outside the loop at train.py:10, hand them in, and write into them in turn:")
    seldom = layers().made(4 * MIB, births=300, most_alive=2).made(1024, way=(("<module>", 13),), where=("main", 11), births=20)
    assert seldom.advice(tmp_path).startswith("Make 2 buffers outside the loop at train.py:4, and write into them in turn:")


@needs_columns
def test_a_loop_that_ends_with_its_first_pass(tmp_path):
    """Two of them would be alive where a second one was made."""
    assert layers().made(4 * MIB).advice(tmp_path).startswith("Make one buffer outside the loop at train.py:10, hand it in, and write into it:")
    assert "outside the loop at train.py:4," in layers().made(4 * MIB, most_alive=2).advice(tmp_path)
    freed = layers("x = np.tanh(out)", "x = np.tanh(out); del out")
    assert "outside the loop at train.py:4," in freed.made(4 * MIB).advice(tmp_path)


NO_LOOP_KNOWN = {
    "a function of others calls it": "    list(map(predict, [layers] * 100, data))",
    "a comprehension": "    [predict(layers, row) for row in data]",
    "by another name": "    forward(layers, data)",
}


@needs_columns
@pytest.mark.parametrize("name", NO_LOOP_KNOWN)
def test_where_no_loop_is_known_they_are_kept(tmp_path, name):
    text = "    for number in range(100):\n        predict(layers, data + number)", NO_LOOP_KNOWN[name]
    way = (("<module>", 12), ("main", 10))
    assert layers(*text).made(4 * MIB, 2 * MIB, way=way).advice(tmp_path) == (
        "Make a buffer for each size once, keep them, and write into them: np.matmul(..., out=buffer).")
    assert layers(*text).made(4 * MIB, way=way).advice(tmp_path) == (
        "Make one buffer once, keep it, and write into it: np.matmul(..., out=buffer).")


@needs_columns
def test_a_loop_of_a_function_that_is_called_once(tmp_path):
    run = layers("    for number in range(100):\n        predict(layers, data + number)", "    predict(layers, data)")
    assert run.made(4 * MIB, 2 * MIB, way=(("<module>", 12), ("main", 10))).advice(tmp_path).startswith(
        "Make a buffer for each size outside the loop at train.py:4, and write into them: ")


@needs_columns
def test_a_smaller_last_batch_and_batches_of_all_lengths(tmp_path):
    last = layers().made(4 * MIB, births=180, most_alive=2).made(MIB, births=20)
    assert last.advice(tmp_path).startswith("Make 2 buffers outside the loop at train.py:4, and write into them in turn:")
    lengths = layers().made(*[4 * MIB + 4096 * i for i in range(20)])
    assert lengths.advice(tmp_path) == (
        "Make one buffer outside the loop at train.py:10, hand it in, and write into it: np.matmul(..., out=buffer[:length]).")


@needs_columns
def test_ways_with_loops_of_their_own(tmp_path):
    """A buffer made before one of the two loops is none for the other."""
    two = PROGRAM.replace("        step(data, number)", "        step(data, number)\n    for number in range(9):\n        step(data, number)")
    run = Run(text=two).made(4, called_at=19)
    node = run.process.node(run.frame(("<module>", 19), ("main", 17), ("step", 4)), make_db.NATIVE, ADDRESS, samples=900)
    run.process.site(node, 4 * MIB, **COUNTERS)
    (finding,) = run.findings(tmp_path)
    assert finding["advice"].startswith("Make one buffer once, keep it, and write into it: ")
    epochs = two.replace("main(np.ones(3))", "for epoch in range(20):\n    main(np.ones(3))")
    run = Run(text=epochs).made(4, called_at=20)
    node = run.process.node(run.frame(("<module>", 20), ("main", 17), ("step", 4)), make_db.NATIVE, ADDRESS, samples=900)
    run.process.site(node, 4 * MIB, **COUNTERS)
    (finding,) = run.findings(tmp_path)
    assert finding["advice"].startswith("Make one buffer outside the loop at train.py:19, and write into it: ")


FUNCTION = "def function(a, b):\n    r = a @ b\n    return r\n"


class Calls(Run):
    """What line 6 calls before its object is made: functions in Python, or native ones of other libraries."""

    def called(self, *files, line=6, library=None, flags=0, **counters):
        node = self.frame(("<module>", 17), ("main", 15), ("step", line))
        for file in files:
            code = make_db.text_codes(FUNCTION, file)["function"]
            number = self.process.code_of(code, self.process.source(file, FUNCTION))
            node = self.process.frame(node, number, make_db.offset_of(code, 2))
        if library is not None:
            self.process.module(library, ADDRESS + 0xff00000, ADDRESS + 0x10100000, flags=flags)
            node = self.process.node(node, make_db.NATIVE, ADDRESS + 0x10000000)
        node = self.process.node(node, make_db.NATIVE, ADDRESS, samples=1000)
        self.process.site(node, 4 * MIB, **{**COUNTERS, **counters})
        return self

    def other_work(self):
        """Without it the line would be where the program enters the package, whose own line is told then."""
        self.process.node(self.frame(("<module>", 17), ("main", 14)), make_db.NATIVE, ADDRESS, samples=1200)
        return self


PACKAGES = "/nowhere/lib/python3/dist-packages"
OTHERS = {
    "a package": [f"{PACKAGES}/sklearn/utils/extmath.py"],
    "of two packages": [f"{PACKAGES}/sklearn/metrics/pairwise.py", f"{PACKAGES}/joblib/parallel.py"],
    "another foundation": [f"{PACKAGES}/scipy/sparse/_base.py"],
    "the program's own": ["/nowhere/tensors.py"],
}


@needs_columns
@pytest.mark.parametrize("name", OTHERS)
def test_the_call_of_a_package_is_not_numpys(tmp_path, name):
    findings = Calls().called(*OTHERS[name]).other_work().findings(tmp_path)
    assert [finding["file"] for finding in findings if finding["file"] != OTHERS["the program's own"][0]] == []


@needs_columns
@pytest.mark.parametrize("name", OTHERS)
def test_an_instruction_that_runs_others_at_times(tmp_path, name):
    """As where a tracer of automatic differentiation stands for an array: its operators take no `out`."""
    once = {"births": 1, "pages_asked": 0, "fresh_bytes": 0}
    (finding,) = Calls().called().called(*OTHERS[name], line=5, **once).findings(tmp_path)
    assert finding["line"] == 6
    assert Calls().called().called(*OTHERS[name], **once).findings(tmp_path) == []


@needs_columns
@pytest.mark.parametrize("file", [f"{PACKAGES}/numpy/core/memmap.py", "/nowhere/lib/python3.11/warnings.py"])
def test_what_numpy_calls_itself(tmp_path, file):
    (finding,) = Calls().called().called(file, births=1, pages_asked=0, fresh_bytes=0).findings(tmp_path)
    assert finding["line"] == 6


@needs_columns
def test_native_functions_between(tmp_path):
    assert Calls().called(library=f"{PACKAGES}/sklearn/_fast.cpython-311-x86_64-linux-gnu.so").findings(tmp_path) == []
    (finding,) = Calls().called(library="/usr/bin/python3.11", flags=make_db.INTERPRETER).findings(tmp_path)
    assert finding["line"] == 6


NOT_NUMPY = {
    "another module's numpy": "import autograd.numpy as np",
    "... among others": "import os, autograd.numpy as np",
    "... as a member": "from autograd import numpy as np",
    "... in brackets": "from jax import (\n    grad,\n    numpy as np,\n)",
    "... over two lines": "from autograd import \\\n    numpy as np",
    "... of the program's own": "from .backend import np",
    "another library": "import cupy as np",
    "one of two": "try:\n    import cupy as np\nexcept ImportError:\n    import numpy as np",
}


def imported(statements, value="np.exp(data)"):
    """A program that begins so, and makes the value in a loop."""
    text = f"{statements}\nfor number in range(100):\n    made = {value}\n"
    run = Run(text=text + PROGRAM)
    last = text.count("\n")
    node = run.process.node(run.frame(("<module>", last)), make_db.NATIVE, ADDRESS, samples=1000)
    run.process.site(node, 4 * MIB, **COUNTERS)
    return run


@needs_columns
@pytest.mark.parametrize("value", ["np.exp(data)", "data * 2", "data.dot(data)"])
@pytest.mark.parametrize("name", NOT_NUMPY)
def test_another_module_by_the_name_of_numpy(tmp_path, name, value):
    assert imported(NOT_NUMPY[name], value).findings(tmp_path) == []


NUMPY = {
    "as it is": ("import numpy as np", "np.exp(data)"),
    "by its own name": ("import numpy", "numpy.exp(data)"),
    "among others": ("import os, numpy as np", "np.exp(data)"),
    "beside another": ("import jax.numpy as jnp, numpy as np", "np.exp(data)"),
    "a member": ("from numpy import cos, exp", "exp(data)"),
    "all members": ("from numpy import *", "exp(data)"),
    "a method": ("import numpy as np", "data.dot(data)"),
    "a method of an expression": ("import numpy as np", "data[1:].dot(data)"),
    "an operator": ("import numpy as xp", "data * 2"),
}


@needs_columns
@pytest.mark.parametrize("name", NUMPY)
def test_numpy_however_it_is_imported(tmp_path, name):
    (finding,) = imported(*NUMPY[name]).findings(tmp_path)
    assert finding["kind"] == "churn"


UNKNOWN = {
    "of no known module": ("import numpy as np", "xp.exp(data)"),
    "of an object's": ("import numpy as np", "self.xp.exp(data)"),
    "a function of the program's own": ("import numpy as np", "exp(data)"),
    "another's member": ("from autograd.numpy import exp", "exp(data)"),
    "of another module": ("import numpy as np, jax.numpy as jnp", "jnp.exp(data)"),
    "in another package": ("import autograd.numpy", "autograd.numpy.exp(data)"),
}


@needs_columns
@pytest.mark.parametrize("name", UNKNOWN)
def test_functions_that_may_be_others(tmp_path, name):
    assert imported(*UNKNOWN[name]).findings(tmp_path) == []


HOSTILE = {
    "more asked than born": {"pages_asked": 2**31},
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


@needs_columns
@pytest.mark.parametrize("value, taker", [("-data", "np.negative"), ("+data", "np.positive"), ("~data", "np.invert"), ("-data - 1", "np.subtract"), ("data - -1", "np.subtract")])
def test_a_sign_is_no_difference(tmp_path, value, taker):
    (finding,) = imported("import numpy as np", value).findings(tmp_path)
    assert f"{taker}(..., out=buffer)" in finding["advice"]


@needs_columns
@pytest.mark.parametrize("value", ["data ** 2", "data ** 0.5", "data ** -1", "data ** other", "-data ** 2"])
def test_a_power_is_no_power(tmp_path, value):
    """NumPy's operator takes square() or sqrt() for some exponents: power() would be slower, and of other digits."""
    assert imported("import numpy as np", value).findings(tmp_path) == []
