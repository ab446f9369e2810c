"""Two calls that make the same in these data: only where they are made of the same is one of them for nothing."""
import re

import pytest
from marked import NUMPY, at_a, found

PROGRAM = NUMPY + """
        valid, weight = np.ones((512, 256)), (random.normal(size=(512, 256)) > -99) * 1.0
        top, limit = 8.0, 10.0
        for step in range(200):
            x = random.normal(size=(512, 256))
            first = {first}
            second = {second}
            x[0, 0] = first[1, 1] + second[2, 2]
        """
CATEGORY = "repeated native call with the same arguments"


def categories(tmp_path, first, second):
    _, report = found(tmp_path, PROGRAM.format(first=first, second=second))
    return [finding["category"] for finding in report["findings"]]


@pytest.mark.parametrize("first, second", [
    ("x * valid", "x * weight"),
    ("np.minimum(x, top)", "np.minimum(x, limit)"),
    ("np.minimum(x, 8.0)", "np.minimum(x, 10.0)"),
    ("np.where(x > -9, x, 0.0)", "np.where(x < 9, x, 0.0)"),
    ("np.clip(x, -top, top)", "np.clip(x, -limit, limit)"),
], ids=lambda text: text)
def test_other_arguments_are_other_work(tmp_path, first, second):
    assert CATEGORY not in categories(tmp_path, first, second)


@pytest.mark.parametrize("first, second", [
    ("np.tanh(x)", "np.tanh(x)"),
    ("np.minimum(x, top)", "np.minimum(x, top)"),
    ("np.sort(x, 1)", "np.sort(x, axis=1)"),
], ids=lambda text: text)
def test_the_same_arguments_are_not(tmp_path, first, second):
    assert CATEGORY in categories(tmp_path, first, second)


IN_FUNCTIONS = NUMPY + """
        top, limit = 8.0, 10.0
        class Scaled:
            def __init__(self, scale): self.scale = scale
            def tanh(self, x, limit):
                scaled = np.tanh(x * self.scale)
                return np.minimum(scaled, limit)
            def squared(self, x):
                y = np.square(x)
                return y * self.scale
        one, two = Scaled(2.0), Scaled(2.0)
        both, named = [one, two], {{"one": one, "two": two}}
        def inner(x):
            return np.tanh(x)
        {function}
        for step in range(100):
            x = random.normal(size=(512, 256))
            {calls}
            x[0, 0] = first[1, 1] + second[2, 2]
        """
BOTH = "first = f(x, top)\n            second = f(x, limit)"


def lines_found(tmp_path, function, calls):
    path, report = found(tmp_path, IN_FUNCTIONS.format(function=function.replace("\n", "\n        "), calls=calls))
    lines = path.read_text().splitlines()
    return {lines[finding["line"] - 1].strip(): finding["advice"] for finding in report["findings"] if finding["category"] == CATEGORY}


@pytest.mark.parametrize("function, calls, line", [
    ("def f(x, most):\n    y = np.tanh(x)\n    return np.minimum(y, most)", BOTH, "y = np.tanh(x)"),
    ("def f(x, most):\n    half = x / 2\n    y = np.tanh(half)\n    return np.minimum(y, most)", BOTH, "y = np.tanh(half)"),
    ("def f(x, most):\n    y = x\n    for part in (x, x):\n        y = np.tanh(y + part)\n    return np.minimum(y, most)", BOTH, "y = np.tanh(y + part)"),
    ("def f(x, most):\n    return np.minimum(inner(x), most)", BOTH, "return np.tanh(x)"),
    ("def f(x, most=10.0):\n    y = np.tanh(x)\n    return np.minimum(y, most)", "first = f(x)\n            second = f(x, most=top)", "y = np.tanh(x)"),
    ("def make():\n    def f(x, most):\n        y = np.tanh(x)\n        return np.minimum(y, most)\n    return f\nf = make()", BOTH, "y = np.tanh(x)"),
    ("", "first = one.tanh(x, top)\n            second = one.tanh(x, limit)", "scaled = np.tanh(x * self.scale)"),
    ("", "first = both[0].squared(x)\n            second = both[1].squared(x)", "y = np.square(x)"),
    ("", "first = named['one'].squared(x)\n            second = named['two'].squared(x)", "y = np.square(x)"),
], ids=lambda text: text.split("\n")[-1].strip())
def test_calls_that_differ_elsewhere_make_the_same(tmp_path, function, calls, line):
    findings = lines_found(tmp_path, function, calls)
    assert line in findings
    assert re.fullmatch(r"The calls at program.py:\d+ and program.py:\d+ hand in the same for it: make it once, before them, and hand that in.", findings[line])


@pytest.mark.parametrize("function, calls", [
    ("def f(x, most):\n    return np.minimum(x, most)", BOTH),
    ("def f(x, most):\n    bound = most * 1.0\n    return np.minimum(x, bound)", BOTH),
    ("def f(x, most):\n    y = np.abs(x)\n    y[y > most] = most\n    return np.tanh(y)", BOTH),
    ("def f(x, most):\n    y = np.tanh(x)\n    y += most - most\n    return y", BOTH),
    ("def f(x, most):\n    if most > 9:\n        bound = 11.0\n    else:\n        bound = 12.0\n    return np.minimum(x, bound)", BOTH),
    ("def f(x, most):\n    bound = 10.0\n    for _ in range(int(most)):\n        bound = bound + 1\n    return np.minimum(x, bound)", BOTH),
    ("def f(x, most):\n    def bounded(x): return np.minimum(x, most)\n    return bounded(x)", BOTH),
    ("def make(bound):\n    def f(x, most):\n        y = np.minimum(x, bound)\n        return y\n    return f\nf = make(9.0)", BOTH),
    ("def f(x, *most):\n    return np.minimum(x, *most)", BOTH),
    ("", "first = one.tanh(x, top)\n            second = two.tanh(x, top)"),
    ("", "first = both[0].tanh(x, top)\n            second = both[1].tanh(x, top)"),
    ("def f(x, with_it):\n    return np.minimum(x, with_it.scale * 6)", "first = f(x, one)\n            second = f(x, two)"),
], ids=lambda text: text.split("\n")[-1].strip())
def test_calls_that_differ_in_what_it_takes_are_other_work(tmp_path, function, calls):
    assert lines_found(tmp_path, function, calls) == {}


def test_two_calls_on_one_row_are_named_by_it(tmp_path):
    function = "def f(x):\n    return np.tanh(x)"
    (advice,) = lines_found(tmp_path, function, "first, second = f(x), f(x)").values()
    assert re.fullmatch(r"program.py:\d+ calls it more than once: keep the first result and use it again.", advice)


SAMPLER = NUMPY + """
        X = random.normal(size=(3000, 8))
        def residuals(w):
            made = {made}
            return made
        state, moves = np.zeros(8), 0
        for step in range(800):
            proposal = state + 0.01 * random.normal(size=8)
            gain = residuals(proposal).sum() - residuals(state).sum()
            if gain * 0 + random.random() < 0.4:
                state, moves = proposal, moves + 1
        """


def test_a_sampler_that_turns_most_down_keeps_what_its_state_gave(tmp_path):
    """What the proposal gave is the state's only where it was taken: nearly all of the state's equal the state's own one before."""
    path, report = found(tmp_path, NUMPY + """
        X = random.normal(size=(3000, 8))
        def likelihood(w):
            return np.tanh(X @ w)
        def sample(count):
            state, moves = np.zeros(8), 0
            for step in range(count):
                proposal = state + 0.01 * random.normal(size=8)
                old = likelihood(state)  # old
                new = likelihood(proposal)  # new
                if (new - old).sum() * 0 + random.random() < 0.03:
                    state, moves = proposal, moves + 1
            return moves
        print(sample(1500))
        """)
    lines = {line.split("# ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    told = [finding for finding in report["findings"] if finding["category"] == CATEGORY]
    assert told
    for finding in told:
        assert "or to the one before" in finding["claim"]
        assert finding["advice"].startswith(
            f"The calls at program.py:{lines['new']} and program.py:{lines['old']} make it: "
            "keep each result with what it is made of, and use it while that is the same.")


def test_a_sampler_knows_what_its_state_gives(tmp_path):
    """It is what was proposed, or what was there: each of the second call's results equals one of the two."""
    path, report = found(tmp_path, SAMPLER.format(made="np.tanh(X @ w)"))
    (finding,) = report["findings"]
    assert finding["category"] == CATEGORY
    assert re.search(r"[\d,]+ times equal to what this line itself had just made by the same native function, or to the one before", finding["claim"])
    assert finding["object"]["equal"] >= 0.98 * finding["object"]["examined"]
    assert re.fullmatch(r"program.py:\d+ calls it more than once: keep each result with what it is made of, and use it while that is the same\.", finding["advice"])


def test_what_a_sampler_chooses_may_stay_by_chance(tmp_path):
    """Most signs stay while the state moves: of these only what equals the proposal's is counted."""
    path, report = found(tmp_path, SAMPLER.format(made="X @ (w + 50)\n            made = np.sign(made)"))
    text = path.read_text().splitlines()
    told = {text[finding["line"] - 1].strip(): finding["claim"] for finding in report["findings"]}
    assert "or to the one before" in told["made = X @ (w + 50)"]
    assert "or to the one before" not in told.get("made = np.sign(made)", "")


LISTED = NUMPY + """
        P, W = random.random((300, 300)) / 150, [random.normal(size=(64, 64)) / 8 for _ in range(3)]
        copies, total = [w.copy() for w in W], 0.0
        for step in range(60):
            h = random.normal(size=(300, 64))
            acts, pairs, items = [h], [], {{0: h}}
            for i, w in enumerate(W):
                spread = {first}  # first
                pairs.append((h, i))
                h = np.tanh(spread @ w)
                acts.append(h)
                items[i + 1] = h
            {loop}
                again = {second}  # A
                total += again[0, 0]
        """


@pytest.mark.parametrize("first, loop, second", [
    ("P @ h", "for i in reversed(range(3)):", "P @ acts[i]"),
    ("P @ h", "for i in reversed(range(3)):", "P @ items[i]"),
    ("P @ h", "for a, w in zip(reversed(acts[:-1]), reversed(W)):", "P @ a"),
    ("P @ h", "for before, i in reversed(pairs):", "P @ before"),
    ("P @ acts[-1]", "for a in acts[:-1]:", "P @ a"),
    ("P @ acts[i]", "for k in range(3):", "P @ acts[k]"),
], ids=lambda text: text)
def test_what_a_list_holds_is_the_same(tmp_path, first, loop, second):
    path, report = found(tmp_path, LISTED.format(first=first, loop=loop, second=second))
    marks, (finding,) = at_a(path, report)
    assert finding["category"] == CATEGORY
    assert finding["advice"] == f"Keep the result from program.py:{marks['first']} and use it at program.py:{marks['A']}."


@pytest.mark.parametrize("first, loop, second", [
    ("acts[0] @ w", "for k in range(3):", "acts[0] @ copies[k]"),
    ("acts[0] @ W[i]", "for k, w in enumerate(copies):", "acts[0] @ w"),
    ("acts[0] @ W[0]", "for k in range(3):", "acts[0] @ copies[0]"),
], ids=lambda text: text)
def test_what_two_lists_hold_is_not(tmp_path, first, loop, second):
    _, report = found(tmp_path, LISTED.format(first=first, loop=loop, second=second))
    assert CATEGORY not in [finding["category"] for finding in report["findings"]]


def test_two_lines_that_make_it_are_both_named(tmp_path):
    """The last layer's is that of the pass forward, the others are those that the next row makes for the layer above."""
    path, report = found(tmp_path, NUMPY + """
        W, total = [random.normal(size=(64, 64)) / 8 for _ in range(3)], 0.0
        for step in range(60):
            h = random.normal(size=(500, 64))
            acts = [h]
            for w in W:
                z = h @ w
                h = np.tanh(z)  # forward
                acts.append(z)
            for i in (2, 1, 0):
                z = acts[i + 1]
                slope = 1.0 - np.tanh(z) ** 2  # A
                total += slope[0, 0] * np.tanh(acts[i])[0, 0]  # other
        """)
    marks, (finding,) = at_a(path, report)
    first, second = sorted((marks["forward"], marks["other"]), key=lambda row: finding["claim"].index(f"program.py:{row} "))
    assert f"equal to what program.py:{first} or program.py:{second} had just made" in finding["claim"]
    assert finding["advice"] == (f"Keep the results from program.py:{first} and program.py:{second}, each for what it is made of, "
                                 f"and use them at program.py:{marks['A']}.")
