"""Rows that are gathered twice by the same text: programs whose marked lines are findings, and those that only look like it."""
import pytest

from marked import NUMPY, TORCH, found, marks

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
    "a buffer that something stores one row into in between, seldom one of those": NUMPY + """
        class Buffer:
            def __init__(self):
                self.rows, self.at = random.normal(size=(20000, 60)), 0
            def push(self, row):
                self.rows[self.at] = row
                self.at += 1
        buffer, w = Buffer(), np.zeros(60)
        for step in range(600):
            b = random.integers(0, 20000, 256)
            error = buffer.rows[b] @ w - 1
            buffer.push(random.normal(size=60))
            w -= 1e-3 * buffer.rows[b].T @ error / 256
        """,
    "data of which a view is added to in between": DATA + """
        last = X[-1]
        for step in range(300):
            b = random.integers(0, 4000, 1000)
            error = X[b] @ w - y[b]
            last += 1e-3
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
