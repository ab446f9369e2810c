"""Loops that hand a model one row at a time; and those that have to, or gain nothing by more."""
import re

import pytest
import whole
from test_tiny_calls import profile, tiny

NETWORK = """
import numpy as np
import torch
import torch.nn as nn
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(2500, 16)
y = (X.sum(1) > 0).long()
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).eval()
torch.set_grad_enabled(False)
"""

ESTIMATOR = """
import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
rng = np.random.default_rng(0)
X = rng.standard_normal((5000, 20))
y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
"""


def marked(path):
    return [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")]


def assert_all_told(path, report):
    found = tiny(report)
    assert sorted(finding["line"] for finding in found) == marked(path)
    assert all(finding["category"] == "slice under-utilisation" and finding["object"] is None for finding in found)
    assert all(0 < finding["fraction"] < 1 and finding["ci95"][0] >= 0.1 for finding in found), "the part of Python code"
    return found


@pytest.mark.parametrize("interpreter", ["debian", "venv"])
def test_networks(tmp_path, interpreter):
    path, report, database = profile(tmp_path, NETWORK + """
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = net
    def forward(self, x):
        return self.layers(x)

class Judge:
    def __init__(self, net):
        self.net = net
    @torch.no_grad()
    def score(self, x):
        x = x.float().unsqueeze(0)
        return self.net(x)[0, 1].item()

def predict(model, x):
    model.eval()
    with torch.no_grad():
        out = model(x.unsqueeze(0))
    return out.argmax(1).item()

classifier, judge = Classifier(), Judge(net)

def work():
    right = 0
    for i in range(len(X)):
        out = classifier(X[i:i + 1])  # A
        if out.argmax(1).item() == y[i].item():
            right += 1
    for i in range(len(X)):
        right += predict(net, X[i])  # A
    outputs = torch.cat([net(X[i][None]) for i in range(len(X))])  # A
    scores = [judge.score(X[k]) for k in range(len(X))]  # A
    for k in range(len(X)):
        one = X[k:k + 1]
        right += net(one)[0, 0].item()  # A
    return right, outputs, scores
for again in range(4):
    work()
""", whole.INTERPRETERS[interpreter])
    found = assert_all_told(path, report)
    by_line = {finding["line"]: finding for finding in found}
    advice = [by_line[number]["advice"] for number in marked(path)]
    names = ["classifier", "model", "net", "self.net", "net"]
    assert all(text.startswith(f"Hand {name}() all rows in one call") and "eval mode" in text for text, name in zip(advice, names))
    text = " ".join(whole.read_report(database, "--kind", "tiny_calls").split())
    header = marked(path)[0] - 1
    assert f"Calls classifier() for one row of X in each round of the loop at program.py:{header}:" in text
    assert "Calls judge.score(), which calls self.net(), for one row of X in each round of the comprehension at" in text
    below = sum(line["waste_s"] for line in report["lines"])
    assert abs(below - sum(finding["waste_s"] for finding in found)) < 1e-4, "the lines of forward() go with the loop"


def test_what_a_network_gives_may_be_taken_apart(tmp_path):
    path, report, _ = profile(tmp_path, NETWORK + """
encoder = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8)).eval()
def work():
    errors = []
    for i in range(len(X)):
        mean, spread = encoder(X[i:i + 1]).chunk(2, -1)  # A
        errors.append((mean + spread.contiguous().sign()).sum().item())
    for i in range(len(X)):
        code = encoder(X[i:i + 1]).unbind(0)[0]  # A
        errors.append(code.log_softmax(-1)[0].item())
    return errors
for again in range(5):
    work()
""")
    assert_all_told(path, report)


def test_estimators(tmp_path):
    path, report, _ = profile(tmp_path, ESTIMATOR + """
clf = LogisticRegression().fit(X, y)
def classify(row):
    return clf.predict(row.reshape(1, -1))[0]
def work():
    labels, chances = [], np.zeros(len(X))
    for i in range(len(X)):
        labels.append(clf.predict(X[i].reshape(1, -1))[0])  # A
    for k, row in enumerate(X):
        chances[k] = clf.predict_proba([row])[0, 1]  # A
    for row in X:
        labels.append(classify(row))  # A
    return labels, chances
for again in range(3):
    work()
""")
    found = assert_all_told(path, report)
    assert all(re.match(r"Hand clf\.predict(_proba)?\(\) all rows", finding["advice"]) for finding in found)
    assert not any("eval mode" in finding["advice"] for finding in found)


def test_all_rows_at_once_is_no_finding(tmp_path):
    _, report, _ = profile(tmp_path, NETWORK + """
def work():
    right = (net(X).argmax(1) == y).sum()
    for i in range(0, len(X), 64):
        right += (net(X[i:i + 64]).argmax(1) == y[i:i + 64]).sum()
    return right
for again in range(200):
    work()
""")
    assert tiny(report) == []


def test_networks_that_take_rows_one_by_one(tmp_path):
    """What a round needs of the one before, keeps, trains, or may be of another shape; and what takes its time for arithmetic."""
    _, report, _ = profile(tmp_path, NETWORK + """
class Remembers(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.last = nn.Linear(16, 16), torch.zeros(1, 16)
    def forward(self, x):
        self.last = torch.tanh(self.linear(x) + self.last)
        return self.last
class Keeps(Remembers):
    def __init__(self):
        super().__init__()
        self.kept, self.h = [torch.zeros(1, 16)], torch.zeros(1, 16)
class InItem(Keeps):
    def forward(self, x):
        h = torch.tanh(self.linear(x) + self.kept[0])
        self.kept[0].copy_(h)
        return h
class InAnotherName(Keeps):
    def forward(self, x):
        state = self.h
        h = torch.tanh(self.linear(x) + state)
        state.mul_(0.9).add_(h)
        return h
remembers, cell, step = Remembers(), nn.GRUCell(16, 16), nn.Linear(16, 16)
in_item, in_another_name = InItem(), InAnotherName()
ragged = [torch.randn(1 + k % 7, 16) for k in range(1500)]
sequence = nn.GRU(16, 16, batch_first=True)
large = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
images = torch.randn(20, 3, 96, 96)
seen = []
watched = nn.Sequential(nn.Linear(16, 16))
watched[0].register_forward_hook(lambda module, inputs, output: seen.append(float(output.sum())))

def keeps():
    return torch.cat([remembers(X[i:i + 1]) for i in range(len(X))])
def keeps_in_item():
    return torch.cat([in_item(X[i:i + 1]) for i in range(len(X))])
def keeps_by_another_name():
    return torch.cat([in_another_name(X[i:i + 1]) for i in range(len(X))])
def carries():
    h = torch.zeros(1, 16)
    for t in range(len(X)):
        h = cell(X[t:t + 1], h)
    return h
def feeds_itself():
    Z = torch.zeros(len(X) + 1, 16)
    for t in range(len(X)):
        Z[t + 1] = torch.tanh(step(Z[t:t + 1]))[0]
    return Z
def unlike():
    return torch.stack([sequence(rows.unsqueeze(0))[1].mean() for rows in ragged])
def unlike_by_index():
    total = 0.0
    for i in range(len(ragged)):
        total += sequence(ragged[i].unsqueeze(0))[1].sum().item()
    return total
def arithmetic():
    out = torch.zeros(len(images), 32)
    for i in range(len(images)):
        out[i] = large(images[i:i + 1])[0]
    return out
def hooked():
    total = 0.0
    for i in range(len(X)):
        total += watched(X[i:i + 1])[0, 0].item()
    return total
def ends_early():
    for i in range(len(X)):
        if net(X[i:i + 1]).max() > 100:
            break
def trains():
    optimizer = torch.optim.SGD(net.parameters(), 1e-3)
    with torch.enable_grad():
        for i in range(500):
            loss = nn.functional.cross_entropy(net(X[i:i + 1]), y[i:i + 1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
for work in (keeps, keeps_in_item, keeps_by_another_name, carries, feeds_itself, unlike, unlike_by_index, arithmetic, hooked, ends_early, trains):
    work()
    work()
""")
    assert tiny(report) == []


def test_estimators_that_take_rows_one_by_one(tmp_path):
    _, report, _ = profile(tmp_path, ESTIMATOR + """
class World:
    def __init__(self):
        self.state = np.zeros(20)
    def step(self, action):
        self.state = 0.9 * self.state + action
        return self.state
clf = LogisticRegression().fit(X, y)
def learns():
    model = SGDClassifier().partial_fit(X[:10], y[:10], classes=[0, 1])
    right = 0
    for i in range(10, 1000):
        right += int(model.predict(X[i:i + 1])[0] == y[i])
        model.partial_fit(X[i:i + 1], y[i:i + 1])
    return right
def walks_forward():
    guesses = np.zeros(600)
    for i in range(100, 600):
        model = Ridge().fit(X[i - 100:i], y[i - 100:i])
        guesses[i] = model.predict(X[i:i + 1])[0]
    return guesses
def plays():
    world, seen = World(), np.zeros((3001, 20))
    for t in range(3000):
        action = clf.predict(seen[t].reshape(1, -1))[0]
        seen[t + 1] = world.step(action)
    return seen
for work in (learns, walks_forward, plays):
    work()
    work()
""")
    assert tiny(report) == []
