"""Lines that make several results of one size by turns, of which some are the same in each round, and the others new."""
import pytest
from marked import NUMPY, TORCH, at_a, found

LAYERS = NUMPY + """
        P, X = random.random((400, 400)), random.normal(size=(400, 64))
        W = [random.normal(size=(64, 64)) * 0.01, random.normal(size=(64, 64)) * 0.01, random.normal(size=(64, LAST)) * 0.01]
        def forward(h):
            for w in W:
                h = P @ h  # A
                h = np.tanh(h @ w)
            return h
        for epoch in range(60):  # epochs
            out = forward(X)
            for w in W:
                w *= 0.999
            CHANGED
        """
SETS = NUMPY + """
        P, kept, total = random.random((300, 300)), [random.normal(size=(300, 90)) for i in range(2)], 0.0
        def spread(x):
            return P @ x  # A
        for epoch in range(60):  # epochs
            fresh = random.normal(size=(300, 90))
            for x in (kept[0], fresh, kept[1]):
                total += spread(x).sum()
            CHANGED
        """
NETWORK = TORCH + """
        class Layer(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.linear = nn.Linear(width, width)
            def forward(self, P, h):
                spread = P @ h  # A
                return torch.relu(self.linear(spread))
        P, X = torch.rand(400, 400) / 200, torch.randn(400, 64)
        network = nn.ModuleList([Layer(64), Layer(64)])
        optimizer = torch.optim.SGD(network.parameters(), 1e-2)
        for epoch in range(60):  # epochs
            optimizer.zero_grad()
            h = X
            for layer in network:
                h = layer(P, h)
            h.square().mean().backward()
            optimizer.step()
        """
LONG = NUMPY + """
        class Data:
            def __init__(self):
                self.kept = random.normal(size=(60, 40))
            def batches(self):
                yield self.kept
                yield random.normal(size=(60, 40))
            def refresh(self):
                self.kept = random.normal(size=(60, 40))
        data, Q, total = Data(), random.normal(size=(40, 40)), 0.0
        for step in range(1500):  # epochs
            for batch in data.batches():
                z = np.exp(-np.square(batch @ Q))  # A
                total += z.sum()
            if step == LATE:
                data.refresh()
        """
AGAIN = {
    "layers": (LAYERS.replace("LAST", "5").replace("CHANGED", "pass"), 180, 180, 59, 3, "", "one is", "the one that stays", "it"),
    "layers, of which the last has another size": (
        LAYERS.replace("LAST", "16) ) * 0.01, random.normal(size=(16, 5").replace("CHANGED", "pass"), 180, 180, 59, 3, " of this size", "one is",
        "the one that stays", "it"),
    "a network of PyTorch's": (NETWORK, 120, 120, 59, 2, "", "one is", "the one that stays", "it"),
    "four layers in many epochs, most of whose births are passed over": (
        LAYERS.replace("400, 400", "200, 200").replace("400, 64", "200, 64").replace("range(60)", "range(600)").replace(
            "(64, LAST", "(64, 64)) * 0.01, random.normal(size=(64, 64").replace("CHANGED", "pass"),
        2400, 1088, 271, 4, "", "one is", "the one that stays", "it"),
    "a network of PyTorch's of four layers, half of whose numbers are 0": (
        NETWORK.replace("Layer(64), Layer(64)", "Layer(64), Layer(64), Layer(64), Layer(64)"),
        240, 240, 59, 4, "", "one is", "the one that stays", "it"),
    "two sets of three": (SETS.replace("CHANGED", "pass"), 180, 180, 118, 3, "", "2 are", "those that stay", "them"),
}
SIZES = NUMPY + """
        total = 0.0
        def spread(P, h):
            return P @ h  # A
        for n in (200, 260, 320):
            P, X = random.random((n, n)) / n, random.random((n, 40))
            W = [random.normal(size=(40, 40)) / 6 for _ in range(3)]
            for epoch in range(60):  # epochs
                h = X
                for w in W:
                    h = np.tanh(spread(P, h) @ w)
                W = [w + 0.01 * random.normal(size=w.shape) for w in W]
                total += h.sum()
        """
CHANGES = {
    "what is spread by": LAYERS.replace("LAST", "5").replace("CHANGED", "P *= 1 + 1e-12"),
    "the data, late": LAYERS.replace("LAST", "5").replace("CHANGED", "X[0, 0] += 1e-3 if epoch == 50 else 0.0"),
    "one of two sets": SETS.replace("CHANGED", "kept[0][0, 0] += 1e-3 if epoch in (20, 40) else 0.0"),
    "two layers, which change every other time": NUMPY + """
        x, W, total = random.normal(size=(300, 60)), [random.normal(size=(60, 60)) / 8 for _ in range(2)], 0.0
        for step in range(121):
            h = x
            for w in W:
                h = np.tanh(h @ w)  # A
            total += h.sum()
            if step % 2 == 1:
                W = [w * 0.999 for w in W]
        """,
    "four workers, one of which is given new weights each time": NUMPY + """
        class Worker:
            def __init__(self):
                self.weights = random.normal(size=(60, 60))
        x, total, workers = random.normal(size=(300, 60)), 0.0, [Worker() for _ in range(4)]
        for step in range(500):
            workers[random.integers(4)].weights = random.normal(size=(60, 60))
            for worker in workers:
                scores = np.tanh(x @ worker.weights)  # A
                total += scores.sum()
        """,
    "data that are drawn anew between two stretches that are looked at": LONG.replace("LATE", "800"),
    "data that are drawn anew within the last one": LONG.replace("LATE", "1040"),
    "data that are drawn anew late, where most births are passed over": LONG.replace("LATE", "1200"),
    "a last phase on other data": LONG.replace("LATE", "1460"),
    "one that nothing is taken from, though it is drawn": NUMPY + """
        x, shares, total = random.normal(size=(300, 64)), (1.0, 0.8, 0.5), 0.0
        def thinned(h, share):
            return h * (random.random(h.shape) < share)
        for epoch in range(120):
            for share in shares:
                kept = np.tanh(thinned(x, share))  # A
                total += kept.sum()
        """,
    "labels that stay": NUMPY + """
        x, total = random.normal(size=(4, 4000)), 0
        for epoch in range(200):
            for k in range(4):
                signs = np.copysign(1.0, x[k])  # A
                total += signs.sum()
            x[1:] = random.normal(size=(3, 4000))
        """,
    "models, of which one made no mistake": NUMPY + """
        x = random.normal(size=(4000, 60)) + 9.0
        y = [np.ones(4000), np.sign(random.normal(size=4000)), np.sign(random.normal(size=4000))]
        W = [np.full(60, 0.1), random.normal(size=60), random.normal(size=60)]
        for epoch in range(60):
            for k in range(3):
                score = x @ W[k]  # A
                for i in np.flatnonzero(score * y[k] <= 0)[:20]:
                    W[k] += 0.01 * y[k][i] * x[i]
        """,
    "masks that nothing has moved": NUMPY + """
        x, level, total = random.normal(size=(3, 60000)), np.array([9.0, 0.0, 0.5]), 0
        for epoch in range(60):
            for k in range(3):
                mask = x[k] > level[k]  # A
                total += mask.sum()
            level = level - np.array([1e-3, 1e-3, 1e-3])
        """,
    "batches, the first of which is kept": NUMPY + """
        data, total = random.normal(size=(3000, 40)), 0.0
        for epoch in range(60):
            for rows in (np.arange(500), random.permutation(3000)[:500], random.permutation(3000)[:500]):
                batch = data[rows]  # A
                total += batch.sum()
        """,
}


@pytest.mark.parametrize("name", AGAIN)
def test_what_stays_of_a_round_is_told(tmp_path, name):
    program, made, looked, equal, period, size, same, which, it = AGAIN[name]
    path, report = found(tmp_path, program)
    marks, (finding,) = at_a(path, report)
    (line,) = [line for line in report["lines"] if line["line"] == marks["A"]]
    assert (finding["kind"], finding["category"]) == ("replica", "loop-invariant computation")
    known = f", {looked:,} of them looked at" if looked < made else ""
    assert f"made {made:,} times{known}, {equal} times equal to the one {period} before{size}, from inputs that did not change" in finding["claim"]
    assert f"Of each {period} in a row {same} the same each time; what else it makes is new." in finding["claim"]
    assert finding["advice"].startswith(
        f"Build {which} once, before or in the first pass of the loop at program.py:{marks['epochs']}, and keep {it}.")
    assert finding["waste_s"] <= line["time_s"] * equal / looked + 1e-6, "what is new is no waste"


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_is_not(tmp_path, name):
    _, findings = at_a(*found(tmp_path, CHANGES[name]))
    assert [finding for finding in findings if finding["kind"] == "replica"] == []


def test_what_changes_by_turns_is_not_told_to_stay(tmp_path):
    """Each of two is new in every other round, and the same in the next: to be built where its own input changes."""
    _, (finding,) = at_a(*found(tmp_path, NUMPY + """
        x, parts, total = random.normal(size=(300, 60)), [random.normal(size=60) for _ in range(2)], 0.0
        for step in range(121):
            parts[step % 2] = parts[step % 2] + 1e-3
            for part in parts:
                shape = np.exp(-((x - part) ** 2))  # A
                total += shape.sum()
        """))
    assert "in a row" not in finding["claim"] and "from inputs that did not change in between" in finding["claim"]
    assert finding["advice"] == "Build the 2 of them where their inputs change, and keep them until then."


def test_a_loop_that_brings_the_sizes_is_around_the_one_that_is_named(tmp_path):
    path, report = found(tmp_path, SIZES)
    marks, (finding,) = at_a(path, report)
    assert "2 other sizes likewise" in finding["claim"] and "Of each 3 in a row one is the same" in finding["claim"]
    assert finding["advice"].startswith(f"Build the one that stays once, before or in the first pass of the loop at program.py:{marks['epochs']},")
