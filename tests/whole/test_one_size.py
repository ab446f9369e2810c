"""Lines that go from one size to the next in each pass, of which one is the same in all passes: the layers of a network over a graph."""
import pytest
from marked import NUMPY, TORCH, at_a, found

LAYERS = NUMPY + """
        P, X, level = random.random((500, 500)), random.normal(size=(500, 300)), 0.5
        W = [random.normal(size=(300, 64)) * 0.01, random.normal(size=(64, 5)) * 0.01]
        def forward(h):
            for w in W:
                h = MADE  # A
                h = np.tanh(h @ w)
            return h
        for epoch in range(60):  # epochs
            out = forward(X)
            for w in W:
                w *= 0.999
            CHANGED
        """
NETWORK = TORCH + """
        class Layer(nn.Module):
            def __init__(self, before, behind):
                super().__init__()
                self.linear = nn.Linear(before, behind)
            def forward(self, P, h):
                spread = P @ h  # A
                return torch.relu(self.linear(spread))
        class Network(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([Layer(300, 64), Layer(64, 5)])
            def forward(self, P, h):
                for layer in self.layers:
                    h = layer(P, h)
                return h
        P, X, network = torch.rand(500, 500), torch.randn(500, 300), Network()
        optimizer = torch.optim.SGD(network.parameters(), 1e-6)
        for epoch in range(60):  # epochs
            optimizer.zero_grad()
            network(P, X).square().mean().backward()
            optimizer.step()
        """
SETS = NUMPY + """
        data, total = random.normal(size=(4000, 30)), 0.0
        def features(x):
            return np.tanh(x * 0.5)  # A
        for epoch in range(60):  # epochs
            for name, part in (("kept", data), ("fresh", random.normal(size=(900, 30)))):
                total += features(part)[:, epoch % 30].sum()
        """
AGAIN = {
    "layers": LAYERS.replace("MADE", "P @ h").replace("CHANGED", "pass"),
    "a network of PyTorch's": NETWORK,
    "two sets, of which one is new": SETS,
}
CHANGES = {
    "what is spread by": LAYERS.replace("MADE", "P @ h").replace("CHANGED", "P *= 1 + 1e-12"),
    "the data": LAYERS.replace("MADE", "P @ h").replace("CHANGED", "X[0, 0] += 1e-9"),
    "a level that nothing has reached": LAYERS.replace("MADE", "np.where(h > level, h, 0.0)").replace("CHANGED", "level -= 1e-13"),
    "members of clusters": NUMPY + """
        points = np.concatenate([random.normal(size=(400, 8)) + 40, random.normal(size=(900, 8)), random.normal(size=(700, 8)) + 0.5])
        centers = points[[0, 400, 1300]].copy()
        for step in range(40):
            labels = ((points[:, None] - centers) ** 2).sum(2).argmin(1)
            for k in range(3):
                members = points[labels == k]
                apart = members - centers[k]  # A
                centers[k] += 0.3 * apart.mean(0) + (1e-3 * random.normal(size=8) if k else 0)
        """,
}


@pytest.mark.parametrize("name", AGAIN)
def test_the_size_that_stays_is_told(tmp_path, name):
    path, report = found(tmp_path, AGAIN[name])
    marks, (finding,) = at_a(path, report)
    (line,) = [line for line in report["lines"] if line["line"] == marks["A"]]
    assert (finding["kind"], finding["category"]) == ("replica", "loop-invariant computation")
    made = 120 if "0.5" in line["text"] else 60
    assert f"made {made} times, {made * 59 // 60} times equal to the one before of this size, from inputs that did not change" in finding["claim"]
    assert "What it makes of other sizes is new." in finding["claim"]
    assert finding["advice"].startswith(f"Build that of this size once, outside the loop at program.py:{marks['epochs']}.")
    assert finding["waste_s"] <= 0.95 * line["time_s"], "what the other sizes take is none"


@pytest.mark.parametrize("name", CHANGES)
def test_a_size_that_may_change_is_not(tmp_path, name):
    _, findings = at_a(*found(tmp_path, CHANGES[name]))
    assert [finding for finding in findings if finding["kind"] == "replica"] == []
