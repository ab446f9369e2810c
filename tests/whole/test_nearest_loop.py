"""The loop outside of which something is to be built never is the one in which its inputs change."""
import textwrap

import pytest
from marked import NUMPY, TORCH, at_a, found

BANK = """
bank = random.normal(size=(600, 16))
def score(query):
    scaled = np.tanh(bank)  # A
    return float((scaled @ query).max())
for part in range(6):
    bank += 0.01
    queries, total = random.normal(size=(60, 16)), 0.0
"""
LOOPS = {
    "a generator expression": "    total = sum(score(query) for query in queries)  # inner",
    "one that max() goes through": "    total = max(score(query) for query in queries)  # inner",
    "a list": "    total = sum([score(query) for query in queries])  # inner",
    "a loop on one line": "    for query in queries: total += score(query)  # inner",
    "a block": "    for query in queries:  # inner\n        total += score(query)",
    "a block beside a comprehension": "    for query in queries:  # inner\n        total += score(query) + sum(part for part in (1, 2))",
    "while": "    while len(queries):  # inner\n        total += score(queries[0])\n        queries = queries[1:]",
}
UNSEEN = {
    "map()": "    total = sum(map(score, queries))",
    "a key": "    best = min(queries, key=score)",
    "a function that is handed over": "    np.apply_along_axis(score, 1, queries)",
}


def the_finding(tmp_path, source):
    marks, (finding,) = at_a(*found(tmp_path, source))
    return finding, marks


def indented(text):
    return textwrap.indent(text, "        ")


@pytest.mark.parametrize("name", LOOPS)
def test_the_innermost_loop_is_named(tmp_path, name):
    finding, marks = the_finding(tmp_path, NUMPY + indented(BANK + LOOPS[name] + "\n"))
    assert "did not change in between" in finding["claim"]
    kind = "loop" if "for query in queries:" in LOOPS[name] or "while" in name else "comprehension"
    assert finding["advice"] == f"Build it once, outside the {kind} at program.py:{marks['inner']}."


@pytest.mark.parametrize("name", UNSEEN)
def test_no_loop_is_named_where_none_is_seen(tmp_path, name):
    """What calls it may do so in a loop of its own."""
    path, report = found(tmp_path, NUMPY + indented(BANK + UNSEEN[name] + "\n"))
    for finding in report["findings"]:
        assert "outside the loop" not in finding["advice"], finding["advice"]


def test_an_evaluation_between_epochs_has_no_gradient(tmp_path):
    finding, marks = the_finding(tmp_path, TORCH + """
        class Standard(nn.Linear):
            def forward(self, x):
                weight = self.weight - self.weight.mean(1, keepdim=True)  # A
                return functional.linear(x, weight, self.bias)
        network = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), Standard(128, 64), nn.ReLU(), nn.Linear(64, 3))
        data, labels = torch.randn(1200, 32), torch.randint(0, 3, (1200,))
        optimizer = torch.optim.SGD(network.parameters(), 0.01)
        @torch.no_grad()
        def evaluate():
            return sum((network(batch).argmax(1) == 0).sum().item() for batch in data.split(20))  # inner
        for epoch in range(6):
            for rows in torch.randperm(1200).split(100):
                loss = functional.cross_entropy(network(data[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            evaluate()
        """)
    assert f"outside the comprehension at program.py:{marks['inner']}" in finding["advice"]
    assert "backward()" not in finding["advice"]


def test_what_grows_has_no_loop_outside_of_which_all_sizes_are_there(tmp_path):
    finding, _ = the_finding(tmp_path, NUMPY + """
        def kernel(points):
            return np.exp(-points @ points.T)  # A
        def predict(points, query):
            return float(kernel(points)[0] @ points @ query)
        points = random.normal(size=(90, 8))
        for part in range(10):
            best = -1e9
            for again in range(25):
                best = max(best, predict(points, random.normal(size=8)))
            points = np.vstack([points, random.normal(size=(1, 8))])
        """)
    assert finding["advice"] == "Build it once, for each size, and keep it."


PARTS = """
def of_norms(rows):
    total = 0.0
    for step in range(80):  # own
        total += float((np.sqrt(rows * rows + 1.0) * step).sum())  # A
    return total
def of_draws(rows):
    return float(random.normal(size=90000).sum())
def timed(part, rows):
    return part(rows)
data, total = random.normal(size=90000), 0.0
"""
DISPATCHED = {
    "called there": "for part in [of_norms, of_draws]:\n    total += part(data)",
    "handed on": "for part in (of_norms, of_draws):\n    total += timed(part, data)",
    "handed on by its keyword": "for part in (of_norms, of_draws):\n    total += timed(rows=data, part=part)",
    "of a table": "for name, part in {'norms': of_norms, 'draws': of_draws}.items():\n    total += timed(part, data)",
    "on one row": "for part in [of_norms, of_draws]: total += part(data)",
}
AROUND = {
    "a function's own name": "for part in range(3):  # outer\n    total += of_norms(data)",
    "a loop around the dispatcher": "for again in range(3):  # outer\n    for part in [of_norms, of_draws]:\n        total += timed(part, data)",
    "lambdas, which may be one": "for part in [lambda rows: float(np.sqrt(rows * rows + 1.0).sum())] * 80:  # outer A\n    total += part(data)",
}


@pytest.mark.parametrize("name", DISPATCHED)
def test_a_loop_over_functions_calls_none_of_them_again(tmp_path, name):
    finding, marks = the_finding(tmp_path, NUMPY + indented(PARTS + DISPATCHED[name] + "\n"))
    assert finding["advice"] == f"Build it once, outside the loop at program.py:{marks['own']}."


@pytest.mark.parametrize("name", AROUND)
def test_a_loop_that_calls_one_again_is_named(tmp_path, name):
    source = PARTS + AROUND[name] + "\n"
    if "outer A" in source:
        source = source.replace("  # A", "").replace("# outer A", "# A")
    finding, marks = the_finding(tmp_path, NUMPY + indented(source))
    assert finding["advice"] == f"Build it once, outside the loop at program.py:{marks.get('outer', marks['A'])}."


FOLDS = """
data = random.normal(size=(4000, 40))
w = np.zeros(40)
"""
OF_SEVERAL_ROWS = FOLDS + """
for fold in range(4):
    keep = random.random(4000) > 0.1 * (fold + 1)
    for step in range(30):  # inner
        for part in np.array_split(
            data[keep] * 2.0,  # A
            4,
        ):
            w -= 1e-4 * (part @ w - 1) @ part
"""


def test_what_a_header_of_several_rows_goes_through_is_made_outside_of_its_loop(tmp_path):
    finding, marks = the_finding(tmp_path, NUMPY + indented(OF_SEVERAL_ROWS))
    assert finding["advice"] == f"Build it once, outside the loop at program.py:{marks['inner']}."


ALL_PARTS = "    parts = [part * 2.0 for part in np.array_split(data, 4)]  # A\n"
USED = "    for part in parts:\n        w -= 1e-4 * (part @ w - 1) @ part\n"
AROUND_ALL = {
    "the block's loop": ("for fold in range(6):\n    data += 0.1\n    for step in range(30):  # inner\n" + textwrap.indent(ALL_PARTS + USED, "    "), True),
    "the caller's": ("def prepare(data):\n    return [part * 2.0 for part in np.array_split(data, 4)]  # A\n"
                     "def fit(data, w):\n    for step in range(30):  # inner\n        for part in prepare(data):\n"
                     "            w -= 1e-4 * (part @ w - 1) @ part\n"
                     "for fold in range(6):\n    data += 0.1\n    fit(data, w)\n", True),
    "one that changes them": ("for step in range(180):  # inner\n    if step % 30 == 0:\n        data += 0.1\n" + ALL_PARTS + USED, False),
    "one that calls what does": ("def move(data):\n    data += 0.1\nfor step in range(180):  # inner\n    if step % 30 == 0:\n        move(data)\n"
                                 + ALL_PARTS + USED, False),
}


@pytest.mark.parametrize("name", AROUND_ALL)
def test_a_comprehension_that_makes_all_parts_makes_none_again(tmp_path, name):
    source, stays = AROUND_ALL[name]
    finding, marks = the_finding(tmp_path, NUMPY + indented(FOLDS + source))
    assert "equal to the one 4 before, from inputs that did not change in between" in finding["claim"]
    again = f"Build them once, outside the loop at program.py:{marks['inner']}."
    assert finding["advice"] == (again if stays else "Build them where their inputs change, and keep them until then.")


@pytest.mark.parametrize("made", ["batches(data, 64)", "list(batches(data, 64))"])
def test_the_loop_that_a_generator_feeds_makes_nothing_again(tmp_path, made):
    """It goes round with the generator's own; where its header makes a list, it has not begun."""
    marks, findings = at_a(*found(tmp_path, NUMPY + f"""
        data, head = random.normal(size=(20 * 64, 300)), np.zeros(300)
        def batches(x, count):
            for start in range(0, len(x), count):
                yield x[start:start + count] * 0.5  # A
        for epoch in range(30):  # epochs
            for half in {made}:
                head = head - 1e-5 * (half @ head - 1) @ half
        """))
    (finding,) = findings
    assert f"before or in the first pass of the loop at program.py:{marks['epochs']}, and keep them" in finding["advice"]


def test_a_loop_whose_header_asks_for_the_next_goes_round(tmp_path):
    marks, findings = at_a(*found(tmp_path, NUMPY + """
        data, head = random.normal(size=(20 * 64, 300)), np.zeros(300)
        class Batches:
            at = 0
            def __iter__(self):
                return self
            def __next__(self):
                self.at += 1
                halves = []
                for k in range(2):
                    halves.append(data[self.at % 20 * 64:][k * 32:k * 32 + 32] * 0.5)  # A
                return np.concatenate(halves)
        batches = Batches()
        for half in batches:  # batches
            head = head - 1e-5 * (half @ head - 1) @ half
            if batches.at > 600:
                break
        """))
    assert all(f"program.py:{marks['batches']}" in finding["advice"] for finding in findings)
    assert findings


def test_what_never_changes_is_built_outside_of_a_comprehension_around_its_loops(tmp_path):
    marks, (finding,) = at_a(*found(tmp_path, NUMPY + """
        data = random.normal(size=(400, 300))
        def fit(rate):
            head = np.zeros(300)
            for step in range(20):
                scaled = np.tanh(data)  # A
                head = head - rate * (scaled @ head - 1) @ scaled
            return head
        best = {rate: fit(rate).sum() for rate in (1e-5, 2e-5, 3e-5, 4e-5)}  # best
        """))
    assert "80 times, 79 times equal" in finding["claim"]
    assert finding["advice"].startswith(f"Build it once, outside the comprehension at program.py:{marks['best']}.")


def test_what_a_comprehension_within_a_loop_makes_is_built_outside_of_the_loop(tmp_path):
    marks, (finding,) = at_a(*found(tmp_path, NUMPY + """
        data = random.normal(size=(400, 300))
        def score(weight):
            return float((np.tanh(data) * weight).sum())  # A
        total = 0.0
        for step in range(20):  # steps
            total += sum([score(weight * step) for weight in (0.1, 0.2, 0.3, 0.4)])
        """))
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{marks['steps']}.")
