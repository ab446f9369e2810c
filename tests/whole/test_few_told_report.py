"""Whether few of a sort's result are taken, on files of make_db.py: a slice to a name needs the text, or objects, to tell that it is few."""
import sys
import textwrap

import pytest

from gating import ADDRESS, Program, make_db
from reports import report_json

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")

SIZE = 65536  # of what is sorted: 8,192 elements of 8 bytes
FEW_BYTES = SIZE // 32  # of an object that may have a byte for each element that is taken


def instruction_at(program, function, operation):
    """The instruction that does what `operation` says in the text, the last one where there are several."""
    code, lines, found = program.codes[function], program.text.splitlines(), None
    for place, (first, last, start, end) in enumerate(code.co_positions()):
        if first is not None and first == last and start is not None and lines[first - 1].encode()[start:end].decode() == operation:
            found = 2 * place
    assert found is not None, operation
    return found


def found(tmp_path, text, sort, made=(), function="work", call="work(data)", way=(), births=100):
    """The findings of a run of which `sort` in `function` makes most; `made`: (operation, size, births) of others there."""
    program = Program(textwrap.dedent(text).lstrip())
    parent = program.process.frame(program.process.root(), program.numbers["<module>"], instruction_at(program, "<module>", call))
    for outer, inner_call in way:
        parent = program.process.frame(parent, program.numbers[outer], instruction_at(program, outer, inner_call))

    def site(operation, size, made_births, samples):
        frame = program.process.frame(parent, program.numbers[function], instruction_at(program, function, operation))
        program.process.site(program.process.node(frame, make_db.NATIVE, ADDRESS, samples=samples), size, births=made_births)

    site(sort, SIZE, births, 500)
    for operation, size, made_births in made:
        site(operation, size, made_births, 5)
    findings = report_json(program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]
    return [finding for finding in findings if finding["category"] == "inefficient algorithm"]


HEAD = "import numpy as np\nfrom settings import args, data, labels\n"
SORT = "np.sort(x, axis=1)"

# (text above the function, its parameters, its body before the sort, the slice's count, the call)
TOLD = {
    "a number": ("", "x", "", "5", "work(data)"),
    "a name of the module": ("FEW = 5", "x", "", "FEW", "work(data)"),
    "one of two names": ("most, few = 990, 5", "x", "", "few", "work(data)"),
    "a name for a name": ("first = 1_0\nfew = first", "x", "", "few", "work(data)"),
    "numbers, whichever it is": ("few = 5\nif args.many:\n    few = 20", "x", "", "few", "work(data)"),
    "a name of the function": ("", "x", "k = 5", "k", "work(data)"),
    "each of a loop": ("", "x", "for k in (1, 3, 5):\n    print(k)", "k", "work(data)"),
    "each of a list": ("", "x", "for k in [1, top]: pass", "k", "work(data)"),
    "each of a range": ("", "x", "for k in range(1, 9):\n    print(k)", "k", "work(data)"),
    "one more": ("", "x", "k = 5", "k + 1", "work(data)"),
    "a parameter by place": ("", "x, k", "", "k", "work(data, 5)"),
    "a parameter by keyword": ("", "x, *, k", "", "k", "work(data, k=5)"),
    "a parameter that is handed a name": ("", "x, k", "", "k", "work(data, top)"),
    "a default": ("", "x, k=5", "", "k", "work(data)"),
    "a default that is a name": ("FEW = 5", "x, k: int = FEW", "", "k", "work(data)"),
    "another function's name is another": ("FEW = 5\ndef other(FEW):\n    FEW = 990", "x", "", "FEW", "work(data)"),
    "what uses the name gives it nothing": ("few = 5\nprint(few, few == 6)\nargs.few = 7\nargs.table[few] = 990", "x", "", "few", "work(data, few=few)"),
}
OPEN = {
    "nearly all, by place": ("", "x, k", "", "k", "work(data, 990)"),
    "a large number": ("", "x", "", "990", "work(data)"),
    "a large name": ("MOST = 990", "x", "", "MOST", "work(data)"),
    "an attribute": ("", "x", "", "args.top", "work(data)"),
    "once many": ("few = 5\nif args.many:\n    few = 990", "x", "", "few", "work(data)"),
    "a calculation": ("few = 5 * args.rows", "x", "", "few", "work(data)"),
    "one that grows": ("few = 5\nfew += 1000", "x", "", "few", "work(data)"),
    "one of a loop": ("few = 5\nfor few in args.counts:\n    pass", "x", "", "few", "work(data)"),
    "one of a loop that is large": ("", "x", "for k in (1, 3, 990): pass", "k", "work(data)"),
    "one of a loop that is not known": ("", "x", "for k in (1, *args.counts): pass", "k", "work(data)"),
    "one of pairs": ("", "x", "for k in ((1, 990), (3, 990)): pass", "k", "work(data)"),
    "one of a range that is large": ("", "x", "for k in range(1, 991): pass", "k", "work(data)"),
    "one of a range that is not known": ("", "x", "for k in range(len(x)): pass", "k", "work(data)"),
    "one of a range that goes down": ("", "x", "for k in range(990, 1, -1): pass", "k", "work(data)"),
    "one of a loop that grows": ("", "x", "for k in (1, 3):\n    k += 990", "k", "work(data)"),
    "one that is assigned on the way": ("few = 5\nif (few := args.few):\n    pass", "x", "", "few", "work(data)"),
    "one of many": ("few, *rest = 5, 6", "x", "", "few", "work(data)"),
    "one that is annotated": ("few: int = 990\nfew = 5", "x", "", "few", "work(data)"),
    "one that is imported": ("few = 5\nfrom settings import few", "x", "", "few", "work(data)"),
    "one that a function changes": ("few = 5\ndef other():\n    global few\n    few = 990", "x", "", "few", "work(data)"),
    "a parameter that is given another value": ("", "x, k", "k = k * 100", "k", "work(data, 5)"),
    "a parameter that is handed more": ("", "x, k", "", "k", "work(data, *args.rest)"),
    "a parameter that is handed a result": ("", "x, k", "", "k", "work(data, len(labels))"),
    "a parameter behind those of another name": ("", "x, *rest, k=5", "", "k", "work(data, 5, k=990)"),
    "a local that hides the module's": ("k = 5", "x", "k = args.k", "k", "work(data)"),
    "a name that nothing gives": ("", "x", "", "few", "work(data)"),
}


def program_of(above, parameters, before, count, call):
    rows = [*HEAD.splitlines(), "top = 7", *above.splitlines(), f"def work({parameters}):", *(f"    {row}" for row in before.splitlines()),
            f"    return {SORT}[:, :{count}].mean()", call]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("name", TOLD)
def test_the_text_tells_that_it_is_few(tmp_path, name):
    (finding,) = found(tmp_path, program_of(*TOLD[name]), SORT, call=TOLD[name][-1])
    assert f"of each only [:, :{TOLD[name][3]}] is taken" in finding["claim"]


@pytest.mark.parametrize("name", OPEN)
def test_the_text_leaves_it_open(tmp_path, name):
    assert found(tmp_path, program_of(*OPEN[name]), SORT, call=OPEN[name][-1]) == []


@pytest.mark.parametrize("count, is_found", [("5", True), ("2048", True), ("2049", False)])
def test_of_a_result_of_one_axis_a_quarter_is_few(tmp_path, count, is_found):
    """Its elements have 8 bytes at most."""
    text = HEAD + f"def work(x):\n    return np.sort(x)[:{count}].mean()\nwork(data)\n"
    assert bool(found(tmp_path, text, "np.sort(x)")) == is_found


def test_of_a_row_only_what_is_small_is_few(tmp_path):
    for count, is_found in ((64, True), (65, False)):
        text = HEAD + f"def work(x):\n    return np.sort(x)[0][:{count}].mean()\nwork(data)\n"
        assert bool(found(tmp_path, text, "np.sort(x)")) == is_found


@pytest.mark.parametrize("sort", ["np.sort(x, axis=axis)", "np.sort(x, axis)", "x.argsort(axis)", "x.argsort(axis=-axis)", "np.abs(x).argsort(axis)"])
def test_an_axis_that_a_name_tells_may_be_another(tmp_path, sort):
    for slice_ in ("[:5]", "[:, :5]"):
        text = HEAD + f"axis = args.axis\ndef work(x):\n    best = {sort}{slice_}\n    return labels[best]\nwork(data)\n"
        assert found(tmp_path, text, sort, made=[("labels[best]", FEW_BYTES, 100)]) == []


@pytest.mark.parametrize("size, is_found", [(4096, True), (4095, False)])
def test_of_short_results_a_partition_is_no_quicker(tmp_path, size, is_found, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SIZE", size)
    text = HEAD + "def work(x):\n    return np.argsort(x)[:5].mean()\nwork(data)\n"
    assert bool(found(tmp_path, text, "np.argsort(x)")) == is_found


def test_one_axis_that_is_named_may_be_the_first_of_two(tmp_path):
    for count, is_found in ((64, True), (65, False)):
        text = HEAD + f"def work(x):\n    return np.sort(x, axis=0)[:{count}].mean()\nwork(data)\n"
        assert bool(found(tmp_path, text, "np.sort(x, axis=0)")) == is_found


METHOD = HEAD + """
class Memory:
    def pick(self, x, k):
        return np.sort(x, axis=1)[:, :k].mean()
memory = Memory()
{call}
"""


@pytest.mark.parametrize("call, is_found", [("memory.pick(data, 5)", True), ("memory.pick(5, 990)", False), ("Memory.pick(memory, 5, 990)", False)])
def test_the_object_of_a_method_is_its_first_parameter(tmp_path, call, is_found):
    name = next(name for name in Program(METHOD.format(call=call)).codes if name.endswith("pick"))
    assert bool(found(tmp_path, METHOD.format(call=call), SORT, function=name, call=call)) == is_found


def test_each_way_to_the_function_hands_its_own(tmp_path):
    text = HEAD + f"def work(x, k):\n    return {SORT}[:, :k].mean()\ndef some(x, k):\n    return work(x, k)\nsome(data, %s)\n"
    for count, is_found in ((5, True), (990, False)):
        calls = found(tmp_path, text % count, SORT, call=f"some(data, {count})", way=[("some", "work(x, k)")])
        assert bool(calls) == is_found


def test_a_function_that_is_given_anew_is_handed_more(tmp_path):
    text = HEAD + f"def work(x, k=5):\n    return {SORT}[:, :k].mean()\nwork = functools.partial(work, k=990)\nwork(data)\n"
    assert found(tmp_path, text, SORT) == []


def test_a_call_by_another_name_tells_nothing(tmp_path):
    text = HEAD + f"def work(x, k=5):\n    return {SORT}[:, :k].mean()\nf = work\nf(data, 990)\n"
    assert found(tmp_path, text, SORT, call="f(data, 990)") == []


CLASS = HEAD + """
{above}
class {header}:
    def __init__(self, x{parameters}):
        self.x = x
        {given}
    def pick(self, x):
        return np.sort(x, axis=1)[:, :self.k].mean()
    {method}
{make}
memory.pick(data)
"""
# (the constructor's parameters behind `x`, what it gives, how the object is made, and others of the text)
OBJECT_TOLD = {
    "a number": ("", "self.k = 5", "memory = Memory(data)", {}),
    "one of two": ("", "self.most, self.k = 990, 5", "memory = Memory(data)", {}),
    "a parameter by place": (", k", "self.k = k", "memory = Memory(data, 5)", {}),
    "a parameter by keyword": (", most=990, k=None", "self.most, self.k = most, k", "memory = Memory(data, k=top)", {"above": "top = 7"}),
    "a default": (", k=5", "self.k = k", "memory = Memory(data)", {}),
    "a default that is a name": (", k: int = FEW", "self.k = k", "memory = Memory(x=data)", {"above": "FEW = 5"}),
    "several": (", k", "self.k = k", "memory = Memory(data, 5)\nother = Memory(labels, k=7)", {}),
    "a name of the module": ("", "self.k = FEW", "memory = Memory(data)", {"above": "FEW = 5"}),
    "made in a function": (", k", "self.k = k", "def make():\n    k = 5\n    return Memory(data, k=k)\nmemory = make()", {}),
    "a method gives another": (", k", "self.k = k", "memory = Memory(data, 5)", {"method": "def more(self):\n        self.k = 9"}),
    "another class's is another": (", k", "self.k = k", "memory = Memory(data, 5)", {"above": "class Other:\n    def __init__(self, k):\n        self.k = k * 9"}),
    "made in a loop": (", k", "self.k = k", "for count in (1, 5, 9):\n    memory = Memory(data, k=count)", {}),
    "a base of no consequence": (", k", "self.k = k", "memory = Memory(data, 5)", {"header": "Memory(nn.Module)"}),
    "a comparison": (", k", "self.k = k", "memory = Memory(data, 5)\nprint(memory.k == 9, memory.k)", {}),
}
OBJECT_OPEN = {
    "a large number": ("", "self.k = 990", "memory = Memory(data)", {}),
    "a large parameter": (", k", "self.k = k", "memory = Memory(data, 990)", {}),
    "one of several": (", k", "self.k = k", "memory = Memory(data, 5)\nother = Memory(labels, 990)", {}),
    "a large default": (", k=990", "self.k = k", "memory = Memory(data, 5)\nother = Memory(data)", {}),
    "made of what is not known": (", k", "self.k = k", "memory = Memory(data, *args.rest)", {}),
    "made in a function of what it is handed": (", k", "self.k = k", "def make(k):\n    return Memory(data, k=k)\nmemory = make(5)", {}),
    "made by another name": (", k", "self.k = k", "memory = Memory(data, 5)\nmake = Memory", {}),
    "never made": (", k", "self.k = k", "memory = args.memory", {}),
    "a calculation": (", k", "self.k = len(x) // k", "memory = Memory(data, 5)", {}),
    "a parameter that is given anew": (", k", "k = k * 200; self.k = k", "memory = Memory(data, 5)", {}),
    "it grows": (", k", "self.k = k", "memory = Memory(data, 5)", {"method": "def more(self):\n        self.k += 900"}),
    "a method's parameter": (", k", "self.k = k", "memory = Memory(data, 5)", {"method": "def more(self, k):\n        self.k = k"}),
    "a method calculates": (", k", "self.k = k", "memory = Memory(data, 5)", {"method": "def more(self):\n        self.k = min(9, self.m)"}),
    "a loop gives it": (", k", "self.k = k", "memory = Memory(data, 5)", {"method": "def more(self):\n        for self.k in self.x:\n            pass"}),
    "given from outside": (", k", "self.k = k", "memory = Memory(data, 5)\nmemory.k = 990", {}),
    "given from outside with others": (", k", "self.k = k", "memory = Memory(data, 5)\nmemory.k, n = 990, 3", {}),
    "added to from outside": (", k", "self.k = k", "memory = Memory(data, 5)\nmemory.k += 990", {}),
    "a loop outside gives it": (", k", "self.k = k", "memory = Memory(data, 5)\nfor memory.k in args.counts:\n    pass", {}),
    "given by its name": (", k", "self.k = k", "memory = Memory(data, 5)\nsetattr(memory, args.name, 990)", {}),
    "a base that may give it": (", k", "self.k = k", "memory = Memory(data, 5)", {"header": "Memory(BaseEstimator)"}),
    "another inherits": (", k", "self.k = k", "class Larger(Memory):\n    pass\nmemory = Memory(data, 5)", {}),
    "two of the name": (", k", "self.k = k", "memory = Memory(data, 5)", {"above": "class Memory:\n    pass"}),
    "another attribute's": (", k", "self.m.k = k", "memory = Memory(data, 5)", {}),
    "annotated": ("", "self.k: int = 990", "memory = Memory(data)", {"method": "def more(self):\n        self.k = 5"}),
}


def of_object(parameters, given, make, others):
    parts = {"above": "", "header": "Memory", "method": "", **others}
    return CLASS.format(parameters=parameters, given=given, make=make, **parts)


def picked(tmp_path, text):
    name = next(name for name in Program(text).codes if name.endswith("pick"))
    return found(tmp_path, text, SORT, function=name, call="memory.pick(data)")


@pytest.mark.parametrize("name", OBJECT_TOLD)
def test_what_an_object_is_made_with_tells(tmp_path, name):
    (finding,) = picked(tmp_path, of_object(*OBJECT_TOLD[name]))
    assert "of each only [:, :self.k] is taken" in finding["claim"]


@pytest.mark.parametrize("name", OBJECT_OPEN)
def test_what_may_be_given_to_an_attribute_leaves_it_open(tmp_path, name):
    assert picked(tmp_path, of_object(*OBJECT_OPEN[name])) == []


def test_what_a_method_hands_on_is_its_objects(tmp_path):
    text = HEAD + """
class Memory:
    def __init__(self, k=%s):
        self.k = k
    def pick(self, x):
        return best(x, self.k)
def best(x, k):
    return np.sort(x, axis=1)[:, :k].mean()
memory = Memory()
memory.pick(data)
"""
    for count, is_found in ((5, True), (990, False)):
        method = next(name for name in Program(text % count).codes if name.endswith("pick"))
        calls = found(tmp_path, text % count, SORT, function="best", call="memory.pick(data)", way=[(method, "best(x, self.k)")])
        assert bool(calls) == is_found


BODIES = {
    "index": ("return labels[np.argsort(x, axis=1)[:, :args.k]]", "labels[np.argsort(x, axis=1)[:, :args.k]]"),
    "index by a name": ("order = np.argsort(x, axis=1)\n    return labels[order[:, :args.k]]", "labels[order[:, :args.k]]"),
    "index by a slice's name": ("order = np.argsort(x, axis=1)\n    best = order[:, :args.k]\n    return labels[best]", "labels[best]"),
    "index by a sliced sort's name": ("best = np.argsort(x, axis=1)[:, :args.k]\n    return labels[best]", "labels[best]"),
    "backwards": ("return labels[np.argsort(x, axis=1)[:, -args.k:][:, ::-1]]", "labels[np.argsort(x, axis=1)[:, -args.k:][:, ::-1]]"),
    "copied": ("return np.argsort(x, axis=1)[:, :args.k].copy()", "np.argsort(x, axis=1)[:, :args.k].copy()"),
    "compared": ("best = np.argsort(x, axis=1)[:, :args.k]\n    return (best == labels).any()", "best == labels"),
    "taken by it": ("best = np.argsort(x, axis=1)[:, :args.k]\n    return np.take(labels, best, axis=0)", "np.take(labels, best, axis=0)"),
}


def of_body(body):
    return HEAD + f"def work(x):\n    {body}\nwork(data)\n"


@pytest.mark.parametrize("name", BODIES)
def test_objects_tell(tmp_path, name):
    body, operation = BODIES[name]
    text, sort = of_body(body), "np.argsort(x, axis=1)"
    assert len(found(tmp_path, text, sort, made=[(operation, FEW_BYTES, 100)])) == 1
    assert found(tmp_path, text, sort, made=[(operation, FEW_BYTES + 8, 100)]) == [], "it may be a quarter"
    assert found(tmp_path, text, sort, made=[(operation, FEW_BYTES, 90), (operation, SIZE - 1000, 10)]) == [], "the largest counts"
    assert found(tmp_path, text, sort, made=[(operation, FEW_BYTES, 49)]) == [], "made of few of the results"
    assert found(tmp_path, text, sort) == [], "nothing tells"


SILENT = {
    "a part of a slice": ("s = np.argsort(x, axis=1)[:, :args.k]\n    return s[:, 1:] - s[:, :-1]", "s[:, 1:] - s[:, :-1]"),
    "a small part of a slice": ("s = np.argsort(x, axis=1)[:, :args.k]\n    return labels[s[:, 3:9]]", "labels[s[:, 3:9]]"),
    "one of a slice": ("return labels[np.argsort(x, axis=1)[:, :args.k][0]]", "labels[np.argsort(x, axis=1)[:, :args.k][0]]"),
    "a mean": ("return np.argsort(x, axis=1)[:, :args.k].mean(axis=1)", "np.argsort(x, axis=1)[:, :args.k].mean(axis=1)"),
    "a product": ("s = np.argsort(x, axis=1)[:, :args.k]\n    return s @ labels", "s @ labels"),
    "what is taken of it": ("s = np.argsort(x, axis=1)[:, :args.k]\n    return np.take(s, labels)", "np.take(s, labels)"),
    "its own rows": ("s = np.argsort(x, axis=1)[:, :args.k]\n    return s.take(labels)", "s.take(labels)"),
    "another's": ("s = np.argsort(x, axis=1)[:, :args.k]\n    return s.mean() + labels[x]", "labels[x]"),
    "a name that is given another value": ("s = np.argsort(x, axis=1)[:, :args.k]\n    t = s.mean()\n    s = x[:2]\n    return labels[s]", "labels[s]"),
}


@pytest.mark.parametrize("name", SILENT)
def test_other_objects_tell_nothing(tmp_path, name):
    body, operation = SILENT[name]
    assert found(tmp_path, of_body(body), "np.argsort(x, axis=1)", made=[(operation, 1024, 100)]) == []


def test_slices_to_one_name_are_of_one_size(tmp_path):
    body = "order = np.argsort(x, axis=1)\n    first = labels[order[:, :{one}]]\n    return first, order[:, :{other}].mean()"
    made = [("labels[order[:, :args.k]]", 1024, 100)]
    assert len(found(tmp_path, of_body(body.format(one="args.k", other="args.k")), "np.argsort(x, axis=1)", made=made)) == 1
    assert found(tmp_path, of_body(body.format(one="args.k", other="args.n")), "np.argsort(x, axis=1)", made=made) == []


def test_five_of_six_are_not_few(tmp_path):
    """How long the rows are is told by an object that holds as many elements."""
    body = "s = np.argsort(x, axis=1)[:, :5]\n    return np.sqrt({of})"
    for of, size, is_found in (("s", SIZE // 6 * 5, False), ("s[:, 1:]", SIZE // 6 * 4, False), ("s", SIZE // 8, True)):
        assert bool(found(tmp_path, of_body(body.format(of=of)), "np.argsort(x, axis=1)", made=[(f"np.sqrt({of})", size, 100)])) == is_found


def test_another_functions_objects_are_not_of_it(tmp_path):
    """The same text in the same function, reached on another way, is another execution."""
    program = Program(of_body(BODIES["index"][0]) + "work(labels)\n")
    for call, operation, size in (("work(data)", "np.argsort(x, axis=1)", SIZE), ("work(labels)", BODIES["index"][1], 1024)):
        outer = program.process.frame(program.process.root(), program.numbers["<module>"], instruction_at(program, "<module>", call))
        frame = program.process.frame(outer, program.numbers["work"], instruction_at(program, "work", operation))
        program.process.site(program.process.node(frame, make_db.NATIVE, ADDRESS, samples=500), size, births=100)
    findings = report_json(program.write(tmp_path / "out.db"), "--min-waste", "0")["findings"]
    assert [finding for finding in findings if finding["category"] == "inefficient algorithm"] == []


ROWS = SIZE // 80  # of ten elements


@pytest.mark.parametrize("operation, size, is_found", [
    ("best == labels", 5 * ROWS, False),  # a byte for each of five of ten
    ("best == labels", SIZE // 32, True),
    ("labels[best]", 5 * ROWS * 8, False),
    ("labels[best]", SIZE // 8, True),
])
def test_half_of_short_rows_is_not_few(tmp_path, operation, size, is_found):
    """Five are told as a number: how long the rows are is not."""
    body = f"best = np.argsort(x, axis=1)[:, :5]\n    return {operation}"
    assert bool(found(tmp_path, of_body(body), "np.argsort(x, axis=1)", made=[(operation, size, 100)])) == is_found


@pytest.mark.parametrize("sort, slice_, is_found", [
    ("np.argsort(x)", "[:, :5]", False),
    ("np.argsort(x, axis=-1)", "[:, :5]", False),
    ("np.sort(x, axis=-1)", "[:5]", False),
    ("np.sort(x, -1)", "[:5]", False),
    ("np.sort(x.ravel(), axis=-1)", "[:5]", True),
    ("np.sort(x)", "[:5]", True),
    ("np.argsort(x)", "[..., :5]", True),
    ("np.argsort(x, axis=-1)", "[..., :5]", True),
    ("np.argsort(x, axis=1)", "[:, :5]", True),
    ("np.sort(x, axis=0)", "[:5]", True),
    ("np.sort(x, axis=None)", "[:5]", True),
])
def test_the_last_axis_may_be_a_further_one(tmp_path, sort, slice_, is_found):
    """Of a result with more dimensions than the subscript names, whole rankings are taken: unless objects tell of few."""
    text = of_body(f"best = {sort}{slice_}\n    return labels[best]")
    assert bool(found(tmp_path, text, sort)) == is_found
    told = found(tmp_path, text, sort, made=[("labels[best]", FEW_BYTES, 100)])
    assert bool(told) == (is_found or slice_ != "[:5]"), "rows of what is sorted along them are few, and whole"
