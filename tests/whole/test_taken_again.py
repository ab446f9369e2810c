"""Rows that are gathered twice by the same text: programs whose marked lines are findings, and those that only look like it."""
import pytest

from gating import ADDRESS, make_db
from marked import NUMPY, TORCH, found, marks
from replicas import Program

DATA = NUMPY + """
        X, y = random.normal(size=(4000, 60)), random.normal(size=4000)
        w = np.zeros(60)
"""
PROGRAMS = {
    "for the scores and for the gradient": DATA + """
        for step in range(300):
            b = random.integers(0, 4000, 1000)
            error = X[b] @ w - y[b]
            w -= 1e-3 * X[b].T @ error / 1000  # repeated
        """,
    "twice in one expression": DATA + """
        ridge = np.eye(60)
        for step in range(300):
            b = random.integers(0, 4000, 1000)
            total = np.linalg.solve(X[b].T @ X[b] + ridge, w)  # repeated
        """,
    "of an object's data, by a slice of an order": DATA + """
        class Model:
            def __init__(self, data):
                self.data = data
            def step(self, order, at):
                error = self.data[order[at:at + 1000]] @ w
                return self.data[order[at:at + 1000]].T @ error  # repeated
        model = Model(X)
        for epoch in range(75):
            order = random.permutation(4000)
            for at in range(0, 4000, 1000):
                w -= 1e-6 * model.step(order, at)
        """,
    "of a tensor": TORCH + """
        X, w = torch.randn(4000, 60), torch.zeros(60)
        for step in range(300):
            b = torch.randint(0, 4000, (1000,))
            error = X[b] @ w - 1
            w -= 1e-3 * (X[b].T @ error) / 1000  # repeated
        """,
    "other rows": DATA + """
        for step in range(300):
            b, c = random.integers(0, 4000, (2, 1000))
            error = X[b] @ w - y[b]
            w -= 1e-3 * X[c].T @ error / 1000
        """,
    "rows that are stored into in between, if by what they hold": DATA + """
        for step in range(300):
            b = random.integers(0, 4000, 1000)
            error = X[b] @ w - y[b]
            X[b] = np.clip(X[b], -9, 9)  # repeated
            w -= 1e-3 * X[b].T @ error / 1000
        """,
    "data that is another in between, if of what it held": DATA + """
        for step in range(300):
            b = random.integers(0, 4000, 1000)
            error = X[b] @ w - y[b]
            X = np.clip(X, -9, 9)
            w -= 1e-3 * X[b].T @ error / 1000
        """,
    "one is there to be changed": DATA + """
        for step in range(300):
            b = random.integers(0, 4000, 1000)
            score = X[b] @ w
            moved = X[b]
            moved -= score[:, None]
            w += 1e-6 * moved.sum(axis=0)
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_marked_lines_are_the_findings(tmp_path, name):
    path, report = found(tmp_path, PROGRAMS[name])
    told = {(finding["line"], finding["category"]) for finding in report["findings"] if finding["kind"] == "replica"}
    assert told == marks(path)


BETWEEN = """
def main(data, buffer, w):
    view = data[-1]
    for step in range(9):
        b = np.random.permutation(99)
        first = data[b]
        score = first @ w
        {between}
        second = data[b]
main(np.zeros(9), [], 1)
"""


def told_of(tmp_path, between, size, linked, **facts):
    """The lines that are told of one execution of main() which takes the rows twice, a thousand times each."""
    program = Program(text=BETWEEN.format(between=between), **facts)
    def frame(around, function, row):
        return program.process.frame(around, program.numbers[function], make_db.offset_of(program.codes[function], row))
    module = frame(program.process.root(), "<module>", 10)
    natives = [program.process.node(frame(module, "main", row), make_db.NATIVE, ADDRESS, samples=200) for row in (6, 9)]
    first, second = (program.process.site(node, size, births=1000) for node in natives)
    program.process.link(first, second, linked)
    return [finding["line"] for finding in program.report(tmp_path)["findings"]]


@pytest.mark.parametrize("between, leaves_alone", [
    ("pass", True),
    ("score -= score.max()", True),
    ("score = buffer.predict(first)", True),
    ("if np.any(score > 1): print(len(score))", True),
    ("buffer.push(score)", False),
    ("buffer.last = score", False),
    ("buffer[step] = score", False),
    ("view += 1e-3", False),
    ("np.copyto(view, score)", False),
    ("with buffer: pass", False),
    ("data[b] = 0", False),
])
@pytest.mark.parametrize("beyond", [0, 65536])
def test_samples_do_not_tell_that_a_few_rows_were_stored_into(tmp_path, between, leaves_alone, beyond):
    """Where contents are compared whole, as equal ones of all runs say, what is called in between did not store into these."""
    is_told = leaves_alone or (beyond == 0 and between != "data[b] = 0")
    assert told_of(tmp_path, between, 204800, 1000, sampled_beyond_bytes=beyond) == ([9] if is_told else [])


@pytest.mark.parametrize("linked, told", [(1000, True), (999, True), (998, False)])
def test_all_that_were_looked_at_are_equal(tmp_path, linked, told):
    assert told_of(tmp_path, "pass", 4096, linked) == ([9] if told else [])
