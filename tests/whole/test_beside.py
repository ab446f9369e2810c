"""Parts of one line that come again in loops of their own: each is told where it is to be built, and none before what it depends on."""
import re

import pytest
from marked import NUMPY, found

BESIDE = {
    "what comes round, and what stays within each round": (
        "loop-invariant computation", "once in 40 times", "np.tanh(S * biases[k])", "before or in the first pass of the loop at # outer", NUMPY + """
        S, biases = random.normal(size=(90, 90)), random.normal(size=40)
        def energy(k, heat):
            return (np.exp(S / heat) * np.tanh(S * biases[k])).sum()  # finding
        total = 0.0
        for heat in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10):  # outer
            for k in range(40):
                total += energy(k, heat)
        """),
    "what stays, and little that comes round": (
        "loop-invariant computation", "Build it once, outside the loop at # outer", "np.abs(X[b])", "before or in the first pass of the loop at # outer", NUMPY + """
        X, S = random.normal(size=(8, 50, 40)), random.normal(size=(200, 150))
        def one(b):
            return np.sinh(S * 0.01)[0, 0] + np.abs(X[b]).sum()  # finding
        total = 0.0
        for epoch in range(20):  # outer
            for b in range(8):
                total += one(b)
        """),
    "what stays, and what is new in each round": (
        "loop-invariant computation", "Build it once, outside the loop at # inner", "np.eye(len(G))", "Build it once, outside the loop at # outer", NUMPY + """
        X = random.normal(size=(300, 60))
        G, Y = X.T @ X, random.normal(size=(60, 12))
        total, weights = 0.0, []
        for strength in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0):  # outer
            weights.append(np.full(300, strength))
            for j in range(12):  # inner
                total += np.linalg.solve(G + strength * np.eye(len(G)), Y[:, j])[0]  # finding
        """),
}


def named(text, lines):
    """The rows that a text names, as their marks."""
    rows = {str(number): mark for mark, number in lines.items()}
    return re.sub(r"program\.py:(\d+)", lambda place: rows.get(place[1], place[0]), text)


@pytest.mark.parametrize("name", BESIDE)
def test_each_part_is_told_its_own_loop(tmp_path, name):
    category, advice, part, other, source = BESIDE[name]
    path, report = found(tmp_path, source)
    lines = {line.split("  ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    (finding,) = [finding for finding in report["findings"] if finding["line"] == lines["# finding"] and finding["kind"] == "replica"]
    first, _, second = named(finding["advice"], lines).partition(f" Of {part}: ")
    assert finding["category"] == category
    assert advice in first and other in second, finding["advice"]
    assert f" Beside it {part}: " in finding["claim"]


def test_parts_that_ask_for_the_same_are_told_together(tmp_path):
    path, report = found(tmp_path, NUMPY + """
        S = random.normal(size=(90, 90))
        total = 0.0
        for epoch in range(20):
            total += (np.exp(S) @ np.cos(S)).sum() * epoch
        """)
    (finding,) = [finding for finding in report["findings"] if finding["line"] == 8]
    assert "Beside it" not in finding["claim"] and "It speaks of" not in finding["claim"], finding["claim"]
    assert "outside the loop at program.py:7" in finding["advice"]


def told_of(report, lines, mark="# finding"):
    (finding,) = [finding for finding in report["findings"] if finding["line"] == lines[mark] and finding["kind"] == "replica"]
    return finding


def test_what_one_way_alone_makes_again_is_told_apart_from_what_all_do(tmp_path):
    """Built once for all ways, what moves on one of them would be right on none."""
    path, report = found(tmp_path, NUMPY + """
        ys, xs = np.mgrid[:84, :84].astype(float)
        class Ball:
            def reset(self):
                self.at = 0.0
                return self.render()  # reset
            def step(self, a):
                self.at += a
                return self.render()  # step
            def render(self):
                return np.exp(-((xs - self.at) ** 2 + (ys - 42) ** 2) / 18)  # finding
        ball, total = Ball(), 0.0
        for episode in range(60):  # episodes
            total += ball.reset().sum()
            for t in range(40):
                total += ball.step(random.normal()).sum()
        """)
    lines = {line.split("  ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    finding = told_of(report, lines)
    first, _, second = finding["claim"].partition(" Beside it ")
    columns = path.read_text().splitlines()[lines["# finding"] - 1][slice(*finding["columns"])]
    assert columns == "(ys - 42) ** 2"
    assert "reached in 2 ways (program.py:" in first and "alone" not in first
    assert f"That is so by program.py:{lines['# reset']} alone: by program.py:{lines['# step']} the line's results are new." in second
    assert finding["advice"].startswith(f"Build it once, for each way, outside the loop at program.py:{lines['# episodes']}.")


def test_of_two_calls_on_a_line_that_one_is_named_which_makes_the_same(tmp_path):
    path, report = found(tmp_path, NUMPY + """
        W, bank = random.normal(size=(64, 200)), random.normal(size=(100, 64))
        def code(x):
            return np.tanh(x @ W)  # finding
        total = 0.0
        for step in range(200):
            batch = random.normal(size=(100, 64))
            total += np.vdot(code(bank), code(batch))  # calls
        """)
    lines = {line.split("  ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    at = f"at program.py:{lines['# calls']}"
    assert f"That is so by code(bank) {at} alone: by code(batch) {at} the line's results are new." in told_of(report, lines)["claim"]


def test_a_way_that_makes_something_new_is_told_beside_two_that_do_not(tmp_path):
    path, report = found(tmp_path, NUMPY + """
        X, V, total = random.normal(size=(90, 20)), random.normal(size=(90, 20)), 0.0
        def kernel(a, b):
            return np.tanh(a @ b.T)  # finding
        for epoch in range(60):
            total += kernel(X, V).sum()
            total += kernel(V, V).sum()
            total += kernel(X + epoch, V).sum()  # new
        """)
    lines = {line.split("  ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    claim = told_of(report, lines)["claim"]
    assert "reached in 2 ways" in claim and f"By program.py:{lines['# new']} the line's results are new." in claim


@pytest.mark.parametrize("rounds, stays", [(3, True), (60, False)])
def test_little_that_comes_round_on_one_way_does_not_speak_for_another(tmp_path, rounds, stays):
    """Where it is much, it does: what is built once of a line would not be right there."""
    path, report = found(tmp_path, NUMPY + """
        table, parts = random.normal(size=(2000, 30)), random.normal(size=(2, 2000, 30))
        def warped(x):
            return np.tanh(x)  # finding
        total = 0.0
        for step in range(40):  # steps
            total += step * warped(table)[:, step % 30].sum()
        for epoch in range(ROUNDS):  # epochs
            for k in range(2):
                total += warped(parts[k])[:, epoch % 30].sum()
        """.replace("ROUNDS", str(rounds)))
    lines = {line.split("  ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    finding = told_of(report, lines)
    assert (finding["category"] == "loop-invariant computation") == stays
    assert ("equal to the one before" in finding["claim"]) == stays
    assert f"program.py:{lines['# epochs']}" not in finding["advice"] or not stays
