"""What an expression that is the same each time calls packages for counts with it, at the program's own line; what is new there does not."""
import pytest
from marked import NUMPY, TORCH, at_a, found

FOREST = NUMPY + """
        from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
        X = random.normal(size=(4000, 8))
        y = X[:, 0] * X[:, 1] + random.normal(size=4000)
        models = [RandomForestRegressor(20, max_depth=6, random_state=0).fit(X[:500], y[:500]),
                  GradientBoostingRegressor(n_estimators=60).fit(X[:500], y[:500])]
        total = 0.0
        for step in range(40):
            weights = random.normal(size=4000)
            EXPRESSION  # A
            total += (weights * rest).sum()
        """
CALLED = {
    "a boosted model's prediction": FOREST.replace("EXPRESSION", "rest = y - models[1].predict(X)"),
    "a forest's prediction": FOREST.replace("EXPRESSION", "rest = y - models[0].predict(X)"),
    "the mean of two, by a comprehension": FOREST.replace("EXPRESSION", "rest = np.mean([model.predict(X) for model in models], axis=0)"),
    "one of two, by a generator": FOREST.replace("EXPRESSION", "rest = y - sum(model.predict(X) for model in models) / 2"),
}


@pytest.mark.parametrize("name", CALLED)
def test_what_packages_do_for_it_counts(tmp_path, name):
    path, report = found(tmp_path, CALLED[name])
    marks, findings = at_a(path, report)
    (finding,) = [finding for finding in findings if finding["kind"] == "replica"]
    below = [line for line in report["lines"] if line["line"] == marks["A"] or (line["caller"] or {}).get("line") == marks["A"]]
    time_s = sum(line["time_s"] for line in below)
    assert 0.8 * time_s < finding["waste_s"] <= time_s
    assert sum(line["waste_s"] for line in below) == pytest.approx(finding["waste_s"], abs=0.05 * time_s)
    assert [other for other in report["findings"] if (other["caller"] or {}).get("line") == marks["A"]] == []


def test_what_is_new_does_not_count(tmp_path):
    path, report = found(tmp_path, NUMPY + """
        base, noise, total = random.normal(size=20000), random.normal(size=20000), 0.0
        for step in range(1200):
            noise = noise * 0.999 + 0.001
            kept = base * 2.0 + 0.0 * np.tanh(np.exp(np.sin(np.arctan(np.cosh(noise)))))  # A
            total += (kept * noise).sum()
        """)
    marks, findings = at_a(path, report)
    (line,) = [line for line in report["lines"] if line["line"] == marks["A"]]
    assert all(finding["waste_s"] < 0.3 * line["time_s"] for finding in findings)


BESIDE = TORCH + """
        class Bag(nn.Module):
            def __init__(self):
                super().__init__()
                self.bag, self.head = nn.EmbeddingBag(2000, 24, mode="mean"), nn.Linear(24, 4)
            def forward(self, x):
                return self.head(self.bag(x))  # A
        model = Bag()
        optimizer = torch.optim.SGD(model.parameters(), 0.5)
        docs, labels = torch.randint(0, 2000, (1280, 200)), torch.randint(0, 4, (1280,))
        for epoch in range(8):
            for i in torch.randperm(1280).split(128):
                loss = functional.cross_entropy(model(docs[i]), labels[i])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """


def test_what_a_call_makes_beside_its_result_is_not_told(tmp_path):
    """Which bag each word is in: the same for all documents of one length, and made by the call that makes the result."""
    path, report = found(tmp_path, BESIDE)
    assert [finding for finding in at_a(path, report)[1] if finding["waste_s"] > 0.001] == []


USED_UP = NUMPY + """
        import json, queue
        base, messages, total = random.normal(size=20000), queue.Queue(), 0.0
        for step in range(300):
            messages.put(json.dumps({"values": list(range(3000)), "step": step}))
        for step in range(300):
            total += (base * len(json.loads(TAKEN)["values"]))[0]  # A
        """


@pytest.mark.parametrize("taken, claim, advice, part", [
    ("messages.get()", "whatever messages.get() gave", "messages.get() is still to be called as often as now.", (0, 0.3)),
    ("messages.queue[-1]", "from inputs that did not change", "Build it once, outside the loop at program.py:", (0.7, 1)),
])
def test_what_is_used_up_for_it_does_not_count(tmp_path, taken, claim, advice, part):
    """The product is the same each time. What its factor is made of is another, and has to be taken from the queue."""
    path, report = found(tmp_path, USED_UP.replace("TAKEN", taken))
    marks, findings = at_a(path, report)
    (finding,) = [finding for finding in findings if finding["kind"] == "replica"]
    (line,) = [line for line in report["lines"] if line["line"] == marks["A"]]
    assert claim in finding["claim"] and advice in finding["advice"]
    assert part[0] * line["time_s"] <= finding["waste_s"] <= part[1] * line["time_s"]
