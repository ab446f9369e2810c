"""What the report says of reductions that are computed again, on files of make_db.py: the claim, its edges, and every trap."""
import sys
import textwrap

import numpy as np
import pytest

from gating import ADDRESS, export, make_db, verdict
from reports import report_json

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")

HEAD = "import numpy as np\nimport torch\nrng = np.random.default_rng(0)\n"
HELPER = """
def normalised(data, rows):
    return (data[rows] - data.mean(axis=0)) / data.max()

def fit(data, target, steps):
    w = np.zeros(data.shape[1])
    for step in range(steps):
        rows = rng.integers(0, len(data), 64)
        x = normalised(data, rows)
        w -= 0.05 * x.T @ (x @ w - target[rows]) / 64
    return w

X = rng.normal(2, 3, (60000, 40))
print(fit(X, X[:, 0], 250))
"""
HELPER_WAY = ("fit(X, X[:, 0], 250)", "normalised(data, rows)", "data.mean(axis=0)")
SAME = make_db.SAME_VALUE


def position_of(code, text, words):
    """The offset of the instruction whose columns span these words, and no others."""
    lines = text.splitlines()
    for index, (line, end, column, end_column) in enumerate(code.co_positions()):
        if line is not None and line == end and lines[line - 1].encode()[column:end_column].decode() == words:
            found = 2 * index
            return found, line
    return None


class Run:
    """A run of 10 s, of which the last of the expressions on the way took 2 s; each of the others calls the next one's function."""

    def __init__(self, text=HELPER, way=HELPER_WAY, samples=500, dedent=True):
        self.text = HEAD + (textwrap.dedent(text) if dedent else text)
        self.database = make_db.Db()
        self.process = self.database.process(python=sys.hexversion, engines=("time", "access", "replica"), arguments=("python", "/nowhere/train.py"))
        self.codes = make_db.text_codes(self.text, "/nowhere/train.py")
        source = self.process.source("/nowhere/train.py", self.text)
        self.process.module("/nowhere/lib/_multiarray.so", ADDRESS & ~0xfffff, (ADDRESS & ~0xfffff) + 0x100000)
        self.numbers = {name: self.process.code_of(code, source) for name, code in self.codes.items()}
        parent = self.process.root()
        for words in way[:-1]:
            parent = self.frame(parent, words)
        self.parent = parent
        self.call = self.native(way[-1], samples=samples)
        self.other = self.process.node(self.frame(self.process.root(), "rng = ", "rng"), make_db.NATIVE, ADDRESS, samples=1600)
        self.site = self.process.site(self.other, 4 << 20, births=1)

    def frame(self, parent, words, target=None):
        if target:
            code = self.codes["<module>"]
            return self.process.frame(parent, self.numbers["<module>"], make_db.offset_of(code, 3))
        (found,) = {(name, position_of(code, self.text, words)) for name, code in self.codes.items() if position_of(code, self.text, words)}
        name, (offset, self.number) = found
        return self.process.frame(parent, self.numbers[name], offset)

    def native(self, words, **time):
        return self.process.node(self.frame(self.parent, words), make_db.NATIVE, ADDRESS, **time)

    def again(self, count=60, first=None, second=None, flags=SAME, site=None, **facts):
        """Loads of the call that follow those of an earlier execution."""
        self.process.pair(first or self.call, second or self.call, flags=flags, count=count, site=self.site if site is None else site, **facts)
        return self

    def pair_of(self, first, second, count):
        self.process.pair(self.call, self.call, (first, second), make_db.ACROSS if second else make_db.UNKNOWN, 1 if second else 3, flags=0, count=count, site=self.site)
        return self

    def makes(self, **counters):
        self.process.site(self.call, 2048, **counters)
        return self

    def findings(self, tmp_path):
        self.database.write(tmp_path / "out.db")
        return report_json(tmp_path / "out.db", "--min-waste", "0")["findings"]


def test_the_claim(tmp_path):
    run = Run().again()
    (finding,) = run.findings(tmp_path)
    assert (finding["kind"], finding["category"], finding["line"]) == ("redundant_load", "loop-invariant computation", 6)
    assert finding["claim"] == ("Computes the same of `data` each time: 60 of 60 sampled loads found what the line had loaded before, and by the "
                                "text nothing changes `data` while the loop runs.")
    assert finding["advice"] == "Compute it once, outside the loop at train.py:10, and keep the result."
    assert finding["waste_s"] == pytest.approx(2.0 * (1 - 1 / 60)) and (finding["fraction"], finding["exact"]) == (1.0, False)


def line_pairs(run):
    """Two reductions of one line: the second loads what the first has loaded, the first what the second had in the round before."""
    second = run.native("data.max()", samples=300)
    return run.again(30, first=run.call, second=second).again(30, first=second, second=run.call)


def test_two_reductions_of_one_line_are_one_finding(tmp_path):
    (finding,) = line_pairs(Run()).findings(tmp_path)
    assert finding["waste_s"] == pytest.approx(3.2 * (1 - 1 / 30)) and "30 of 30 sampled loads" in finding["claim"]


def test_it_is_measured_and_in_no_baseline(tmp_path):
    run = Run().again()
    assert run.findings(tmp_path)
    path = tmp_path / "out.db"
    assert "redundant_load" not in export(path).read_text()
    assert [item["verdict"] for item in verdict(path, "--baseline", path, status=0)["items"]] == ["known"]
    assert verdict(path, "--baseline", path.with_suffix(".json"), status=0)["passed"]


def other_line(run):
    return run.process.node(run.frame(run.process.root(), "rng.integers(0, len(data), 64)"), make_db.NATIVE, ADDRESS)


EDGES = {
    "as few loads as may be": (lambda run: run.again(16), True),
    "fewer": (lambda run: run.again(15), False),
    "one in twenty found something else": (lambda run: run.again(57).again(3, flags=0), True),
    "one in seven": (lambda run: run.again(60).again(10, flags=0), False),
    "nothing was loaded": (lambda run: run, False),
    "not worth it": (lambda run: run.again(), True),
}
UNMADE = {
    "in one call, as a window": lambda run: run.again(scope=make_db.WITHIN),
    "nobody can tell whether in one call": lambda run: run.again(scope=make_db.UNKNOWN),
    "in the place of another array": lambda run: run.again(relation=2),
    "no object": lambda run: run.again(klass=make_db.OTHER_HEAP),
    "the first load's value is not known": lambda run: run.again(flags=SAME | make_db.UNSEEN),
    "zeros that meet zeros": lambda run: run.again(flags=SAME | make_db.ZERO),
    "what another line had loaded": lambda run: run.again(first=other_line(run)),
    "as much of that as of its own": lambda run: run.again(30).again(30, first=other_line(run)),
    "within one execution": lambda run: run.again(first=run.call, second=run.native("data.max()", samples=300)),
    "the line stores into it": lambda run: run.again().pair_of(make_db.STORE, 0, 2),
    "somebody stores into it behind the line": lambda run: run.again().pair_of(make_db.LOAD, make_db.STORE, 2),
    "objects that differ are made": lambda run: run.again().makes(births=50),
}


@pytest.mark.parametrize("name", EDGES)
def test_how_much_evidence_it_takes(tmp_path, name):
    change, is_found = EDGES[name]
    assert bool(change(Run()).findings(tmp_path)) == is_found


@pytest.mark.parametrize("name", UNMADE)
def test_what_unmakes_it(tmp_path, name):
    assert UNMADE[name](Run()).findings(tmp_path) == []


def test_what_is_not_worth_it(tmp_path):
    assert Run(samples=14).again().findings(tmp_path) == []


LOOP = """
X = rng.normal(size=(60000, 40))
y = X[:, 0] > 2
{before}
w = np.zeros(40)
for step in range(100):
    rows = rng.integers(0, len(X), 64)
    {first}
    w += X[rows].T @ y[rows] / X.max()
    {last}
print(w)
"""
FUNCTION = """
def scaled(x):
    {body}

X = rng.normal(size=(60000, 40))
for step in range(100):
    part = scaled({handed})
    {last}
"""
CLASS = """
class Trainer:
    def __init__(self, data):
        self.data = data
        self.w = np.zeros(40)

    def step(self, rows):
        self.w += self.data[rows].mean(axis=0) / self.data.max()
        {step}

    def run(self):
        for number in range(100):
            self.step(rng.integers(0, 60000, 64))
            {round}

    {method}

X = rng.normal(size=(60000, 40))
trainer = Trainer(X)
trainer.run()
"""


def loop(before="", first="pass", last="pass"):
    return LOOP.format(before=textwrap.dedent(before), first=first, last=last), ("X.max()",)


def function(body="return x[0] / x.max()", handed="X", last="pass", call="x.max()"):
    return FUNCTION.format(body=body, handed=handed, last=last), (f"scaled({handed})", call)


def trainer(step="pass", round="pass", method="pass"):
    return CLASS.format(step=step, round=round, method=method), ("trainer.run()", "self.step(rng.integers(0, 60000, 64))", "self.data.max()")


def own_data(**changes):
    """The trainer makes its data itself."""
    text, way = trainer(**changes)
    for old, new in (("self, data):", "self):"), ("self.data = data", "self.data = rng.normal(size=(60000, 40))"), ("Trainer(X)", "Trainer()")):
        text = text.replace(old, new)
    return text, way


def call(text, words="X.max()"):
    """Another call in the plain loop."""
    return loop(first=f"scale = w / {text}")[0], (text,)


COUNTS = "np.bincount(X, minlength=k)"


def counts(last="pass", before="k = 3"):
    """A call with a name for a setting, in the plain loop."""
    return loop(before=before, first=f"scale = w / {COUNTS}", last=last)[0], (COUNTS,)


def counts_of(handed, body="pass", head="k = 3", define="def share(X, k):"):
    """The same in a function that the loop calls."""
    text = f"{define}\n    {body}\n    return w / {COUNTS}\n\n{head}\nX = rng.normal(size=(60000, 40))\nw = np.ones(40)\nfor step in range(100):\n    share({handed})\n"
    return text, (f"share({handed})", COUNTS)


KEPT = {
    "an attribute of new memory": own_data(),
    "an attribute of new memory, beside others": own_data(round="print(self.data.shape, self.data[3] * 2)", method="def other(self):\n        self.w[0] = 1"),
    "a loop of a module": loop(),
    "a setting that has a name": counts(),
    "one that is read in the loop": counts(last="w = w[:k] + k; total = len(range(k)); print(k == 3)"),
    "one that is handed in": counts_of("X, k"),
    "a number that is handed in": counts_of("X, 3"),
    "one of the module's": counts_of("X", define="def share(X):"),
    "one that a function makes before": ("def fit(X):\n    k = len(X)\n    for step in range(100):\n        print(2 / " + COUNTS + ")\n\nX = rng.normal(size=(60000, 40))\nfit(X)\n", ("fit(X)", COUNTS)),
    "what is made of it is named, to be read": loop(first="scale = X.mean(axis=0)", last="w = w / scale")[:1] + (("X.mean(axis=0)",),),
    "what is made of it is PyTorch's, to be read": loop(first="top = X.min()", last="w = w / top")[:1] + (("X.min()",),),
    "how often each label comes": loop(first="scale = w / np.bincount(X, minlength=3)")[:1] + (("np.bincount(X, minlength=3)",),),
    "a function that the loop calls": function(),
    "by a keyword": function(handed="x=X"),
    "a global name": ("def share():\n    return w / X.max()\n\nX = rng.normal(size=(60000, 40))\nw = np.ones(40)\nfor step in range(100):\n    share()\n", ("share()", "X.max()")),
    "changed before the loop": loop(before="X -= X.mean(axis=0)\nX[X > 3] = 3\nX.sort(axis=0)"),
    "changed behind it": loop(last="pass\nX *= 2"),
    "made by a function of the file": ("def make(n):\n    x = np.zeros((n, 40))\n    for i in range(n):\n        x[i] = i\n    return x\n\nX = make(60000)\nfor step in range(100):\n    print(2 * X.max())\n",
                                       ("X.max()",)),
    "one of two that a function makes": ("def make():\n    a = rng.normal(size=(60000, 40))\n    b = a[:, 0] > 0\n    return a, b\n\nX, y = make()\nfor step in range(100):\n    print(2 * X.max())\n", ("X.max()",)),
    "handed to NumPy's and Python's functions": loop(first="p = np.dot(X, w) + np.sum(X, axis=1) + len(X) + np.where(y, w[0], X[:, 1])"),
    "handed to a function of the file that reads": ("def loss(a, b):\n    return ((a @ b) ** 2).mean()\n\nX = rng.normal(size=(60000, 40))\nfor step in range(100):\n    loss(X, step)\n    print(2 * X.max())\n", ("X.max()",)),
    "views that are read": loop(first="head = X[:64]; top = head.T; total = top.sum()"),
    "a batch that is stored into is a copy": loop(first="batch = X[rows]; batch -= 1"),
    "in a list that is read": loop(first="both = [X, y]; p = np.concatenate(both[:1]); total = len(both)"),
    "added to a sum": loop(first="total = np.zeros((60000, 40)); total += X; total += (X - 1)"),
    "a default of something else": ("def scaled(x, by=(3, 4)):\n    return x.max() / by[0]\n\nX = rng.normal(size=9)\nfor step in range(100):\n    scaled(X)\n", ("scaled(X)", "x.max()")),
    "compared, and tested": loop(first="if X is None or 3 in X: print(X.shape)"),
    "the loop's header": ("X = rng.normal(size=(60000, 40))\nw = 0\nwhile w < X.max():\n    w += 1\n", ("X.max()",)),
    "a layer": ("X = torch.randn(60000, 40)\nnet = torch.nn.Linear(40, 1)\nloss = torch.nn.MSELoss()\nfor step in range(100):\n    loss(net(X), X[:, :1])\n    print(X.norm() / 2)\n", ("X.norm()",)),
    "a function": call("np.sum(X)"),
    "with its axis": call("X.mean(axis=(0, 1), keepdims=True)"),
    "of the norm": call("np.linalg.norm(X, 2)"),
    "of PyTorch": call("torch.std(X, dim=-1)"),
    "with a type": call("X.sum(0, dtype=np.float64)"),
    "with a string": call("np.linalg.norm(X, 'fro')"),
}

DRAW = "rng.choice(9, size=4, p=X)"
KEPT["what is drawn by it"] = loop(first=f"part = {DRAW}")[0], (DRAW,)
KEPT["what is drawn by it, in a function"] = function("return rng.choice(9, 4, p=x)", call="rng.choice(9, 4, p=x)")

CHANGED = {
    "an attribute of new memory that is given anew": own_data(step="self.data = self.data * 2"),
    "an attribute of new memory, stored into": own_data(round="self.data[number] = 0"),
    "an attribute of new memory, added to": own_data(round="self.data += 1"),
    "an attribute of new memory, stored into by a method": own_data(round="self.renew()", method="def renew(self):\n        self.data[0] = 1"),
    "an attribute of new memory, by a view": own_data(round="part = self.data[:9]; part += 1"),
    "an attribute of new memory that is handed on": own_data(round="work(self.data)"),
    "an attribute of new memory, by its name": own_data(round="setattr(self, 'data', X * number)"),
    "an attribute of new memory, in place": own_data(round="self.data.fill(number)"),
    "an attribute of new memory, by out": own_data(round="np.multiply(X, number, out=self.data)"),
    "an attribute of new memory, from outside": own_data(round="trainer.data = X * number"),
    "an attribute of new memory that a view is given": (own_data()[0].replace("self.w = np", "self.first = self.data[:9]; self.w = np").replace("            pass", "            self.first += 1"), own_data()[1]),
    "an attribute": trainer(),
    "drawn by what changes": (loop(first=f"part = {DRAW}; X *= 0.9")[0], (DRAW,)),
    "drawn by what is computed": call("rng.choice(9, p=X / 2)"),
    "drawn without putting back": call("rng.choice(9, 4, replace=False, p=X)"),
    "drawn from it": call("rng.choice(X, p=None)"),
    "a draw of the file's own": ("def choice(n, p):\n    p *= 2\n    return n\n\nX = rng.normal(size=9)\nclass Own:\n    pass\nown = Own()\nown.choice = choice\nfor step in range(100):\n    own.choice(9, p=X)\n", ("own.choice(9, p=X)",)),
    "a setting that is added to": counts(last="k += 1"),
    "a setting that is given anew": counts(last="k = step"),
    "a setting that is one of two given": counts(last="a, k = 1, step"),
    "a setting that is given in a chain": counts(last="a = k = step"),
    "a setting that is given in an expression": counts(last="print(k := step)"),
    "a setting that a loop gives": counts(last="for k in range(3): pass"),
    "a setting that a file stands for": counts(last="with open(path) as k: pass"),
    "a setting that is deleted": counts(last="del k"),
    "a setting that an import gives": counts(last="from numpy import k"),
    "the round's number, handed in": counts_of("X, step"),
    "a sum, handed in": counts_of("X, step + 1"),
    "a product, handed in": counts_of("X, 3 * step"),
    "a parameter that is given anew": counts_of("X, k", body="k = rng.integers(9)"),
    "a name of the function's own": counts_of("X", body="k = rng.integers(9)", define="def share(X):"),
    "a default": counts_of("X", define="def share(X, k=3):"),
    "a global that a function gives": counts_of("X", head="k = 3\ndef renew():\n    global k\n    k += 1", define="def share(X):"),
    "the loop's own": ("for k in range(100):\n    pass\nX = rng.normal(size=(60000, 40))\nfor k in range(100):\n    print(2 / " + COUNTS + ")\n", (COUNTS,)),
    "an attribute, as a setting": call("np.bincount(X, minlength=w.size)"),
    "a method of an object in a variable": ("class M:\n    def __init__(self, x):\n        self.x = x\n\n    def share(self, w):\n        return w / self.x.sum()\n\n"
                                            "X = rng.normal(size=(60000, 40))\nm = M(X)\nfor step in range(100):\n    m.share(step)\n", ("m.share(step)", "self.x.sum()")),
    "a model of the file": ("class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.first = torch.nn.Linear(40, 1)\n\n    def forward(self, x):\n        return torch.tanh(self.first(x))\n\n"
                            "X = torch.randn(60000, 40)\nnet = Net()\nfor step in range(100):\n    net(X[:64])\n    print(X.norm() / 2)\n", ("X.norm()",)),
    "in a round of another loop": ("def fit(a):\n    for step in range(10):\n        print(2 * a.max())\n\nfor seed in range(5):\n    X = rng.normal(size=(60000, 40))\n    fit(X)\n", ("fit(X)", "a.max()")),
    "what is made of it is named, and changed": loop(first="scale = X.mean(axis=0)", last="scale -= 1")[:1] + (("X.mean(axis=0)",),),
    "what is made of it has another name, too": loop(first="scale = X.mean(axis=0)", last="old = scale")[:1] + (("X.mean(axis=0)",),),
    "what is made of it is an attribute": loop(first="w.scale = X.mean(axis=0)")[:1] + (("X.mean(axis=0)",),),
    "what is made of it is kept": loop(first="many.append(X.max(0))")[:1] + (("X.max(0)",),),
    "what is made of it is PyTorch's, and changed": loop(first="top = X.min()", last="top.add_(1)")[:1] + (("X.min()",),),
    "drawn row by row": loop(first="row = X[rng.integers(0, high_size)]; row += 50"),
    "drawn without a size": loop(first="i = rng.integers(0, 60000, endpoint=True, dtype=int); X[i] += 1"),
    "drawn into": loop(first="rng.standard_normal(None, float, X)"),
    "in one round of a loop whose others change it": ("X = rng.normal(size=(60000, 40))\nfor step in range(100):\n    while True:\n        top = 2 * X.max()\n        break\n    X[step] = 0\n", ("X.max()",)),
    "given again beside another": loop(last="best, X = step, X * 0.9"),
    "by what a formatted string calls": loop(before="def work():\n    X[0] += 1\n    return 3", last="print(f'{work()}')"),
    "by a function that is imported over the file's": loop(before="def work(a):\n    return a[0]\n\nfrom data import work", last="work(X)"),
    "by a method of the name of a draw": loop(last="noise.normal(X, 3.0)"),
    "by name": loop(last="getattr(own, name)[0] = 1"),
    "by a thread": loop(before="import threading\nthreading.Timer(1, change).start()"),
    "a store of somebody's own": ("X = ring.array()\nfor step in range(10):\n    print(2 * X.max())\n", ("X.max()",)),
    "given another value": loop(last="X = X * 0.9"),
    "one of two that are given": loop(last="X, y = y, X"),
    "taken out of many": ("for X in (rng.normal(size=(600, 40)), rng.normal(size=(600, 40))):\n    for step in range(10):\n        print(2 * X.max())\n", ("X.max()",)),
    "the loop's own variable": ("many = [rng.normal(size=(600, 40))]\nfor X in many:\n    print(2 * X.max())\n", ("X.max()",)),
    "a comprehension's": loop(first="p = [X[0] for X in (w, w)]"),
    "imported": ("from data import X\nfor step in range(10):\n    print(2 * X.max())\n", ("X.max()",)),
    "made by something unknown": ("X = load()\nfor step in range(10):\n    print(2 * X.max())\n", ("X.max()",)),
    "an environment's own array": ("env = Env()\nX = env.reset()\nfor step in range(10):\n    env.step()\n    print(2 * X.max())\n", ("X.max()",)),
    "of a dictionary": ("many = load()\nX = many[0]\nfor step in range(10):\n    print(2 * X.max())\n", ("X.max()",)),
    "deleted and made": loop(last="del X"),
    "by what a formatted string calls, and the file elsewhere": loop(before="def work(a):\n    a[0] += 1\n    return 3\nwork(X)", last="print(f'{work(X)}')"),
    "by a global that a formatted string's call changes": loop(before="def work():\n    X[0] += 1\n    return 3\nwork()", last="print(f'{work()}')"),
    "by a method in a formatted string": loop(last="print(f'{X.sort()}')"),
    "by a list that is joined": loop(before="many = [X, y] + [w]", last="many[0][3] += 1"),
    "by a list that is joined to another": loop(before="many = [w] + [X]", last="many[1][3] += 1"),
    "by a tuple that is joined": loop(before="many = (X,) + (w,)", last="many[0][3] += 1"),
    "by a list of it twice": loop(before="many = [X] * 2", last="many[1][3] += 1"),
    "by a list that grows": loop(before="many = []\nmany += [X]", last="many[0][3] += 1"),
    "by a list that grows by a tuple": loop(before="many = []\nmany += X, y", last="many[0][3] += 1"),
    "by a list that grows by another": loop(before="both = [X, y]\nmany = []\nmany += both", last="many[0][0] = 1"),
    "by a list's copy": loop(before="both = [X, y]\nmany = both.copy()", last="many[0][0] = 1"),
    "by a named list that is joined": loop(before="both = [X, y]\nmany = both + [w]", last="many[0][0] = 1"),
    "by a named list, many times": loop(before="both = [X, y]\nmany = both[::-1]\nlong = many * 2", last="long[0][0] = 1"),
    "by a list that is handed on": loop(before="def join(a):\n    return a + [w]\nmany = join([X])", last="many[0][0] = 1"),
    "by a list of its rows": loop(before="many = list(X) + [w]", last="many[0][0] = 1"),
    "by a list of its parts": loop(before="many = np.array_split(X, 3) + [w]", last="many[0][0] = 1"),
    "by a named list of its rows": loop(before="own = list(X)\nmany = own + [w]", last="many[0][0] = 1"),
    "by a named list of its parts, by a method": loop(before="own = X.split(3)\nmany = own + [w]", last="many[0][0] = 1"),
    "behind starred arguments": loop(before="def work(a, b, c):\n    c[3] += 1\npair = (1, 2)", last="work(*pair, X)"),
    "a default that holds it": ("X = rng.normal(size=9)\ndef touch(i, many=[X]):\n    many[0][i] += 1\n\nfor step in range(100):\n    touch(step)\n    print(2 * X.max())\n", ("X.max()",)),
    "a default beside another": ("X = rng.normal(size=9)\ndef touch(i, many=(3, X)):\n    many[1][i] += 1\n\nfor step in range(100):\n    touch(step)\n    print(2 * X.max())\n", ("X.max()",)),
    "a default that is a view": ("X = rng.normal(size=9)\ndef touch(i, flat=np.ravel(X)):\n    flat[i] += 1\n\nfor step in range(100):\n    touch(step)\n    print(2 * X.max())\n", ("X.max()",)),
    "made with another name": ("X = state = rng.normal(size=9)\nfor step in range(100):\n    state[step] += 1\n    print(2 * X.max())\n", ("X.max()",)),
    "made with another name ahead": ("state = X = rng.normal(size=9)\nfor step in range(100):\n    state[step] += 1\n    print(2 * X.max())\n", ("X.max()",)),
    "a view that has no name": loop(last="np.ravel(X)[3] += 1"),
    "a view that has no name, to a power": loop(last="np.asarray(X)[3] **= 2"),
    "one of a list that has no name": loop(last="[X, w][step % 2][3] += 1"),
    "by its module": loop(before="import sys", last="sys.modules[__name__].X[0] += 1"),
    "stored into": loop(last="X[rows] = 0"),
    "a part": loop(last="X[0, 0] += 1"),
    "in place": loop(last="X *= 0.9"),
    "by a method": loop(last="X.sort()"),
    "by a method of PyTorch's": loop(last="X.mul_(0.9)"),
    "by out=": loop(last="np.multiply(X, 0.9, out=X)"),
    "by NumPy's third argument": loop(last="np.multiply(X, 0.9, X)"),
    "by copyto": loop(last="np.copyto(X, 1)"),
    "by shuffle": loop(last="rng.shuffle(X)"),
    "by an unknown function": loop(last="augment(X)"),
    "by an unknown method": loop(last="model.fit(X)"),
    "its own unknown method": loop(last="X.augment()"),
    "by a with": loop(last="with torch.no_grad(): X.add_(1)"),
    "a view made before": loop(before="flat = X.reshape(-1)", last="flat[0] = step"),
    "a view of a view": loop(before="flat = X.T; head = flat[:5]", last="head += 1"),
    "another name": loop(before="Z = X", last="Z += 1"),
    "a name in a list": loop(before="both = [X, y]", last="both[0][0] = 1"),
    "kept in a dictionary": loop(before="kept = {}\nkept['x'] = X", last="kept['x'][0] = 1"),
    "kept in a list": loop(before="kept = []\nkept.append(X)", last="kept[0][0] = 1"),
    "by np.asarray": loop(before="Z = np.asarray(X)", last="Z[0] = 1"),
    "of what it was made of": loop(before="raw = np.zeros((9, 9))\nX = raw.T", last="raw[0] = 1"),
    "of what it was made of, by a function": loop(before="def view(a):\n    return a.T\n\nraw = np.zeros((9, 9))\nX = view(raw)", last="raw[0] = 1"),
    "shared with PyTorch": loop(before="Z = torch.from_numpy(X)", last="Z.mul_(2)"),
    "rows that are walked through": loop(last="for row in X: row += 1"),
    "rows that are counted": loop(last="for i, row in enumerate(X): row += 1"),
    "by a comprehension": loop(last="p = [f(row) for row in X]"),
    "by a lambda": loop(before="clear = lambda: X.fill(0)", last="clear()"),
    "by a function that has it globally": loop(before="def clear():\n    X[0] = 1\n", last="clear()"),
    "given by a function": loop(before="def clear():\n    global X\n    X = w\n", last="clear()"),
    "by a function that is handed it": loop(before="def clear(a):\n    a[0] = 1\n", last="clear(X)"),
    "by one that hands it on": loop(before="def one(a):\n    a[0] = 1\n\ndef two(b):\n    one(b)\n", last="two(X)"),
    "by one whose result it is": loop(before="def same(a):\n    return a\n", last="same(X)[0] = 1"),
    "by a name for that": loop(before="def same(a):\n    return a\n\nZ = same(X)", last="Z += 1"),
    "by a class that keeps it": loop(before="class K:\n    def __init__(self, a):\n        self.a = a\n    def clear(self):\n        self.a[0] = 1\n\nk = K(X)", last="k.clear()"),
    "by a class that is not seen": loop(before="k = Keeper(X)", last="k.clear()"),
    "by its name in setattr": loop(last="exec('X[0] = 1')"),
    "a walrus": loop(last="print(Z := X)"),
    "either": loop(before="Z = X if step else y", last="Z[0] = 1"),
    "a line that goes on": loop(last="Z = X\\\n        .fill(0)"),
    "an annotation": loop(last="X: np.ndarray = w"),
    "of a function that makes it": function(body="x = x * 2; return x.max()"),
    "in place, in the function": function(body="x *= 2; return x.max()"),
    "another in each round": function(handed="X[step]"),
    "made for each call": function(handed="X * 2"),
    "of what is not handed": ("def scaled():\n    x = rng.normal(size=9)\n    return x.max()\n\nfor step in range(100):\n    scaled()\n", ("scaled()", "x.max()")),
    "a function without a loop": ("def scaled(x):\n    return x.max()\n\nX = rng.normal(size=9)\nscaled(X)\n", ("scaled(X)", "x.max()")),
    "a generator": ("def scaled(x):\n    while True:\n        yield x.max()\n\nX = rng.normal(size=9)\nfor top in scaled(X):\n    X += 1\n", ("scaled(X)", "x.max()")),
    "a generator's caller": ("def scaled(x):\n    for i in range(9):\n        yield x.max()\n\nX = rng.normal(size=9)\nfor top in scaled(X):\n    X += 1\n", ("scaled(X)", "x.max()")),
    "a default": ("X = rng.normal(size=9)\ndef scaled(x=X):\n    return x.max()\n\nfor step in range(100):\n    scaled()\n    X += 1\n", ("scaled()", "x.max()")),
    "star arguments": ("X = rng.normal(size=9)\nmany = (X,)\ndef scaled(x):\n    return x.max()\n\nfor step in range(100):\n    scaled(*many)\n", ("scaled(*many)", "x.max()")),
    "a decorator": ("@shuffled\ndef scaled(x):\n    return x.max()\n\nX = Load()\nfor step in range(100):\n    scaled(X)\n", ("scaled(X)", "x.max()")),
    "a header that is run once": ("X = rng.normal(size=9)\nfor step in range(int(X.max())):\n    w = step\n", ("X.max()",)),
    "an attribute that is given": trainer(step="self.data = self.data * 2"),
    "in the round": trainer(round="self.data = rng.normal(size=9)"),
    "by a method that is called": trainer(method="def renew(self):\n        self.data = rng.normal(size=9)"),
    "from outside": (trainer()[0].replace("trainer.run()", "trainer.data = X * 2\ntrainer.run()"), trainer()[1]),
    "stored into, in a method": trainer(method="def renew(self):\n        self.data[0] = 1", round="self.renew()"),
    "a property": trainer(method="@property\n    def data(self):\n        return X[self.at:]"),
    "one element by a loop's header": loop(last="for X[0] in range(3): pass"),
    "rows that are returned with stars": loop(before="def rows():\n    return *X, 1\n\nall = rows()", last="all[0] += 1"),
    "by PyTorch's function, in place": loop(last="torch.nn.functional.relu(X, True)"),
    "by what runs in another thread": loop(before="def work():\n    X[0] += 1\n\nthread = Thread(target=work)"),
    "by a generator that was made before": loop(before="def work():\n    while True:\n        X[0] += 1\n        yield\n\nstream = work()", last="next(stream)"),
    "a leaf that takes gradients": ("X = torch.randn(600, 40, requires_grad=True)\nfor step in range(100):\n    print(X.norm() / 2)\n", ("X.norm()",)),
    "made one later": ("X = torch.randn(600, 40)\nX.requires_grad_()\nfor step in range(100):\n    print(X.norm() / 2)\n", ("X.norm()",)),
    "made one by a function": ("def make():\n    return torch.randn(600, 40, requires_grad=True)\n\nX = make()\nfor step in range(100):\n    print(X.norm() / 2)\n", ("X.norm()",)),
    "in the caller's array": trainer(round="X[0] += 1"),
    "the objects of a list": (trainer()[0].replace("trainer.run()", "for trainer in [trainer]:\n    trainer.step(3)"), ("trainer.step(3)", "self.data.max()")),
    "data of each batch": loop(first="X[rows].max()")[0:1] + (("X[rows].max()",),),
    "a row that is named": call("X[step].max()"),
    "another argument": call("X.mean(axis=step)"),
    "a quantile that moves": call("np.quantile(X, step / 100)"),
    "two arrays": call("np.average(X, 0, w)"),
    "with weights": call("np.average(X, weights=w)"),
    "what stores": call("X.sum(0, out=w)"),
    "with where": call("X.sum(where=y)"),
    "random numbers": call("rng.choice(X)"),
    "no reduction": call("X.cumsum()"),
    "of what is computed": call("(X * 2).max()"),
    "Python's own": call("max(X)"),
    "an attribute of something": call("cfg.data.max()"),
}


def test_what_is_drawn_by_sums_is_drawn_by_kept_ones(tmp_path):
    """No number changes: that is what NumPy's generators do."""
    (finding,) = Run(*KEPT["what is drawn by it"]).again().findings(tmp_path)
    assert finding["claim"].startswith("Adds up the same `X` each time: 60 of 60 sampled loads")
    assert "(sums = X.cumsum(); sums /= sums[-1])" in finding["advice"] and 'sums.searchsorted(rng.random(size), side="right")' in finding["advice"]
    for generator in (np.random.default_rng, np.random.RandomState):
        weights = np.random.default_rng(1).random(1000)
        weights /= weights.sum()
        sums = weights.cumsum()
        sums /= sums[-1]
        for size in (None, 500, (20, 3)):
            assert np.array_equal(generator(3).choice(1000, size, p=weights), sums.searchsorted(generator(3).random(size), side="right"))


@pytest.mark.parametrize("name", KEPT)
def test_what_the_text_shows_to_stay(tmp_path, name):
    (finding,) = Run(*KEPT[name]).again().findings(tmp_path)
    assert finding["kind"] == "redundant_load"


@pytest.mark.parametrize("name", CHANGED)
def test_what_may_change_by_the_text(tmp_path, name):
    assert Run(*CHANGED[name]).again().findings(tmp_path) == []
