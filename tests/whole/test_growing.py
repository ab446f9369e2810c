"""Arrays that are grown by copying them: `x = np.concatenate([x, y])` in a loop."""
import sys

import pytest
from marked import NUMPY, TORCH, found

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")

GROWN = {
    "rows, in several passes": NUMPY + """
        for epoch in range(4):
            rows = np.empty((0, 128))
            for step in range(1500):  # loop
                rows = np.concatenate([rows, random.normal(size=(1, 128))])  # grown
        """,
    "an attribute of an object": TORCH + """
        class Store:
            def __init__(self):
                self.seen = torch.empty(0, 64)
            def add(self, x):
                self.seen = torch.cat((self.seen, x), dim=0)  # grown
        store = Store()
        for step in range(3000):  # loop
            store.add(torch.randn(4, 64))
        """,
    "a name of a function that a loop around runs once": NUMPY + """
        def apart():
            return np.linalg.svd(random.normal(size=(200, 200)), compute_uv=False).sum()
        def collect():
            rows = np.empty((0, 200))
            for step in range(2000):  # loop
                rows = np.concatenate([rows, random.normal(size=(1, 200))])  # grown
            return rows.mean()
        for step in [apart, collect]:
            step()
        """,
    "in a loop of one row, which one around runs again": NUMPY + """
        def collect():
            rows = np.empty((0, 200))
            for step in range(400): rows = np.concatenate([rows, random.normal(size=(1, 200))])  # grown
            return rows.mean()
        for again in range(8):
            collect()
        """,
    "values at an end": NUMPY + """
        losses = np.ones(20000)
        for step in range(3000):  # loop
            losses = np.append(losses, random.normal(size=100))  # grown
        """,
}

GROWN_READ = {
    "two of a list of targets": (2, NUMPY + """
        keys, values, total = np.zeros((0, 96)), np.zeros((0, 96)), 0.0
        rows = random.normal(size=(1500, 96))
        for step in range(1500):  # loop
            keys, values = np.concatenate([keys, rows[step : step + 1]]), np.concatenate([values, rows[step : step + 1]])  # grown
            total += keys[-1, 0] + values[-1, 1]
        """),
    "two statements of a row": (2, NUMPY + """
        keys, values, total = np.zeros((0, 96)), np.zeros((0, 96)), 0.0
        rows = random.normal(size=(1500, 96))
        for step in range(1500):  # loop
            keys = np.concatenate([keys, rows[step : step + 1]]); values = np.concatenate([values, rows[step : step + 1]])  # grown
            total += keys[-1, 0] + values[-1, 1]
        """),
    "an item of a dictionary": (1, NUMPY + """
        state = {"seen": np.zeros((0, 128))}
        for step in range(2000):  # loop
            state["seen"] = np.concatenate([state["seen"], random.normal(size=(1, 128))])  # grown
        """),
    "from the second on": (1, NUMPY + """
        class Store:
            seen = None
        store = Store()
        for step in range(2000):  # loop
            row = random.normal(size=(1, 128))
            store.seen = row if store.seen is None else np.concatenate([store.seen, row])  # grown
            row += store.seen[-1]
        """),
}

OTHER = {
    "two that change places, of one length": NUMPY + """
        first, second = np.zeros((3000, 16)), np.zeros((3000, 16))
        for step in range(2000):
            first, second = np.concatenate([second[1:], first[:1]]), np.concatenate([first[1:], second[:1]])
        """,
    "pieces of all lengths, of a table": NUMPY + """
        parts = {"all": random.normal(size=(3000, 16))}
        for length in range(100, 3000):
            parts["piece"] = np.concatenate([parts["all"][:length], parts["all"][:1]])
        """,
    "sentences that are joined in the order of their lengths": NUMPY + """
        for length in range(200, 3000):
            sentence = random.normal(size=(length, 8))
            joined = np.concatenate([sentence, sentence])
        """,
    "a window that slides": NUMPY + """
        window = np.zeros((3000, 8))
        for step in range(3000):
            window = np.concatenate([window, random.normal(size=(1, 8))])[1:]
        """,
    "a window that slides once it is full": NUMPY + """
        rows = np.zeros((1, 64))
        for step in range(4000):
            rows = np.concatenate([rows, random.normal(size=(1, 64))], axis=0)
            rows = rows[-1500:]
        """,
    "parts of a few": NUMPY + """
        for step in range(400):
            whole = random.normal(size=(1000, 8))
            for part in range(6):
                whole = np.concatenate([whole, random.normal(size=(1000, 8))])
        """,
    "a list that is joined once": NUMPY + """
        for epoch in range(3):
            rows = []
            for step in range(3000):
                rows.append(random.normal(size=(1, 128)))
            rows = np.concatenate(rows)
        """,
}


@pytest.mark.parametrize("name", GROWN)
def test_the_line_is_named_with_its_loop(tmp_path, name):
    path, report = found(tmp_path, GROWN[name])
    lines = {line.split("  # ")[1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    finding = report["findings"][0]
    assert (finding["line"], finding["kind"], finding["category"]) == (lines["grown"], "churn", "API misuse")
    assert "each time a little larger" in finding["claim"]
    assert f"join them once behind the loop at program.py:{lines.get('loop', lines['grown'])}" in finding["advice"]


@pytest.mark.parametrize("name", GROWN_READ)
def test_whatever_it_is_given_to(tmp_path, name):
    arrays, source = GROWN_READ[name]
    path, report = found(tmp_path, source)
    lines = {line.split("  # ")[1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "churn"]
    assert finding["line"] == lines["grown"] and "each time a little larger" in finding["claim"]
    assert ("It speaks of 2 parts of the line" in finding["claim"]) == (arrays == 2), finding["claim"]
    assert f"may be read in the loop at program.py:{lines['loop']}" in finding["advice"]


@pytest.mark.parametrize("place, source", [
    ("the loop at program.py:6", """
        state = {}
        for step in range(1500):
            for name in "a":
                state[name] = np.append(state[name], random.normal(size=100)) if name in state else random.normal(size=100)
        """),
    ("the loops around", """
        state = {}
        for step in range(700):
            for name in "abc":
                state[name] = np.append(state[name], random.normal(size=100)) if name in state else random.normal(size=100)
        """)])
def test_the_loop_is_that_through_which_it_grows(tmp_path, place, source):
    _, report = found(tmp_path, NUMPY + source)
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "churn"]
    assert f"What is joined so far may be read in {place}: " in finding["advice"]


USED = {
    "what each round reads": NUMPY + """
        rows = np.zeros((1, 128))
        for step in range(3000):  # loop
            rows = np.concatenate([rows, random.normal(size=(1, 128))])
            if step % 100 == 0:
                random.normal(size=len(rows)) @ rows
        """,
    "what the loop's end hangs on": NUMPY + """
        rows = np.zeros((1, 128))
        while rows.shape[0] < 3000:  # loop
            rows = np.concatenate([rows, random.normal(size=(1, 128))])
        """,
    "an attribute that another method reads": NUMPY + """
        class Store:
            def __init__(self):
                self.seen = np.empty((0, 256))
            def add(self, x):
                self.seen = np.concatenate((self.seen, x), axis=0)
            def last(self):
                return self.seen[-1]
        store = Store()
        for step in range(2000):  # loop
            store.add(random.normal(size=(1, 256)))
            store.last()
        """,
}


@pytest.mark.parametrize("name", USED)
def test_what_the_loop_reads_is_not_joined_behind_it(tmp_path, name):
    path, report = found(tmp_path, USED[name])
    loop = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# loop"))
    advice = report["findings"][0]["advice"]
    assert f"may be read in the loop at program.py:{loop}" in advice and "behind" not in advice


def test_figures_are_those_of_the_program(tmp_path):
    """From the first of 64 KiB on: smaller ones that have a size of their own are described at their second birth."""
    _, report = found(tmp_path, GROWN["values at an end"])
    sizes = range(20100 * 8, 320001 * 8, 800)
    assert report["findings"][0]["exact"] and report["findings"][0]["object"]["made"] == len(sizes)
    assert report["findings"][0]["waste_bytes"] == sum(sizes) - (sizes[-1] - sizes[0])


def test_beyond_so_many_sizes_it_is_said_to_be_the_least(tmp_path):
    _, report = found(tmp_path, NUMPY + """
        rows = np.zeros((1, 64))
        for step in range(6000):
            rows = np.vstack((rows, random.normal(size=(1, 64))))
        """)
    finding = report["findings"][0]
    assert not finding["exact"] and "Made at least 3," in finding["claim"] and " or more: at least " in finding["claim"]


@pytest.mark.parametrize("name", OTHER)
def test_what_is_joined_otherwise_is_no_finding(tmp_path, name):
    _, report = found(tmp_path, OTHER[name])
    assert not [finding for finding in report["findings"] if "larger" in finding["claim"]]
