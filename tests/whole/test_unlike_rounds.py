"""What comes again in rounds of unlike length: all of the round before and more, or a part of what the first one made; and what only seems to."""
import pytest
from marked import NUMPY, at_a, found

ENSEMBLE = NUMPY + """
        X, y = random.normal(size=(3000, 8)), random.normal(size=3000)
        stumps = []
        def predict(X):
            out = np.zeros(len(X))
            for column, level, left, right in stumps:
                out += np.where(np.tanh(X[:, column]) < level, left, right)  # A
            return out
        for member in range(40):  # rounds
            rest = y - predict(X)
            column, level = CHOICE
            below = np.tanh(X[:, column]) < level
            stumps.append((column, level, rest[below].mean(), rest[~below].mean()))
        """
VOTE = ENSEMBLE.replace("            out = np.zeros(len(X))\n", "").replace("            for column, level, left, right in stumps:\n", "").replace(
    "    out += np.where(np.tanh(X[:, column]) < level, left, right)  # A\n            return out\n",
    "return sum(np.where(np.tanh(X[:, column]) < level, left, right) for column, level, left, right in stumps)  # A\n")
GROWING = {
    "an ensemble that is evaluated for each member that comes": ENSEMBLE.replace("CHOICE", "member % 8, random.uniform(-0.5, 0.5)"),
    "one whose members a generator goes through": VOTE.replace("CHOICE", "member % 8, random.uniform(-0.5, 0.5)"),
    "one that chooses a member again at times": ENSEMBLE.replace("CHOICE", "(member - member // 4) % 8, 0.02 * (member - member // 4)").replace(
        "rest[below].mean(), rest[~below].mean()", "1.0, -1.0"),
    "a sequence gone through from its start for each of its steps, twice": NUMPY + """
        x, W, U = random.normal(size=(30, 40, 16)), random.normal(size=(64, 64)) / 9, random.normal(size=(16, 64))
        for epoch in range(2):
            for step in range(30):  # rounds
                h = np.zeros((40, 64))
                for past in range(step + 1):
                    h = np.tanh(h @ W + x[past] @ U)  # A
            W = W * 0.99
        """,
    "five examples more for each query of an active learner": NUMPY + """
        pool, known = random.normal(size=(80, 50, 40)), []
        for query in range(12):  # rounds
            known += [*range(5 * query, 5 * query + 5)]
            features = []
            for i in known:
                features.append(np.abs(np.fft.fft2(pool[i])).mean(0))  # A
            level = np.array(features).mean(0)
        """,
}


@pytest.mark.parametrize("name", GROWING)
def test_what_a_growing_round_makes_again_is_told(tmp_path, name):
    path, report = found(tmp_path, GROWING[name])
    marks, findings = at_a(path, report)
    (finding,) = [finding for finding in findings if finding["kind"] == "replica"]
    assert finding["category"] == "recomputed input"
    assert "equal to an earlier one: each round makes all again that the round before had made, and more" in finding["claim"]
    assert finding["advice"] == (
        f"In each pass of the loop at program.py:{marks['rounds']} make only what is new, and keep what the rounds before made, or what is made of it.")


PARTS = {
    "each pair once": NUMPY + """
        X, total = random.normal(size=(40, 40, 40)), 0.0
        for one in range(40):
            held = X[one]
            for other in range(one + 1, 40):
                total += (held * np.abs(np.fft.fft2(X[other]))).sum()  # A
        """,
    "all, in another order each time": NUMPY + """
        X, w = random.normal(size=(24, 30, 30)), np.zeros((30, 30))
        for epoch in range(20):
            for i in random.permutation(24):
                f = np.abs(np.fft.fft2(X[i]))  # A
                w += 0.01 * (f - w)
        """,
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_what_the_first_round_made_are_told(tmp_path, name):
    path, report = found(tmp_path, PARTS[name])
    _, findings = at_a(path, report)
    (finding,) = [finding for finding in findings if finding["kind"] == "replica"]
    assert finding["category"] == "recomputed input"
    assert "equal to an earlier one: the same contents come again, fewer at a time or in another order" in finding["claim"]
    assert "and keep them, each by what it is made from." in finding["advice"]


FEW = {
    "the features of a task that is chosen for each step": NUMPY + """
        class Task:
            def __init__(self):
                self.X, self.y = random.normal(size=(300, 2)), random.normal(size=300)
            def features(self, W):
                return np.cos(self.X @ W)  # A
        tasks, W, w = [Task() for _ in range(10)], random.normal(size=(2, 60)), np.zeros(60)
        for step in range(400):  # loop
            task = tasks[random.integers(10)]
            F = task.features(W)
            w = w + 0.001 * F.T @ (task.y - F @ w)
        """,
    "what each of some clients standardises when it is asked": NUMPY + """
        clients, w = [random.normal(size=(500, 12)) + i for i in range(9)], np.zeros(12)
        for step in range(150):  # loop
            for i in random.choice(9, 4, replace=False):
                X = clients[i]
                Z = (X - X.mean(0)) / X.std(0)  # A
                w = w - 0.01 * Z.T @ (Z @ w - 1.0) / 500
        """,
}


@pytest.mark.parametrize("name", FEW)
def test_a_few_contents_in_no_order_are_told(tmp_path, name):
    path, report = found(tmp_path, FEW[name])
    _, findings = at_a(path, report)
    (finding,) = [finding for finding in findings if finding["kind"] == "replica"]
    assert finding["category"] == "recomputed input"
    assert "equal to an earlier one: the same contents come again, in another order" in finding["claim"]
    assert "each by what it is made from: they come in another order." in finding["advice"]


NONE = {
    "one of eight strengths, drawn by the line": NUMPY + """
        x = random.normal(size=(80, 60))
        for step in range(300):
            z = np.tanh(x * random.choice(np.arange(1, 9) / 4))  # A
        """,
    "a state of few, whose numbers are stored into": NUMPY + """
        W, state = random.normal(size=(600, 3)), np.ones(3)
        for step in range(600):
            state[random.integers(3)] *= -1.0
            z = W @ state  # A
        """,
    "scores of labels that a few change": NUMPY + """
        x = random.normal(size=(40, 60))
        for step in range(600):
            z = (x > random.integers(4) - 1.5)  # A
        """,
    "a growing memory whose weights change late": NUMPY + """
        W, memory = random.normal(size=(60, 40)), []
        for step in range(60):
            memory.append(random.normal(size=(20, 60)))
            for past in memory:
                z = np.tanh(past @ W)  # A
            if step > 50:
                W = W + 0.001 * random.normal(size=(60, 40))
        """,
    "... beyond what is looked at": NUMPY + """
        W, memory = random.normal(size=(60, 40)), []
        for step in range(90):
            memory.append(random.normal(size=(20, 60)))
            for past in memory:
                z = np.tanh(past @ W)  # A
            if step > 65:
                W = W + 0.001 * random.normal(size=(60, 40))
        """,
    "tasks of a network that learns for a while": NUMPY + """
        class Network:
            def __init__(self):
                self.W = random.normal(size=(60, 50))
        def learn(network, step):
            if 2000 <= step < 2020:
                network.W = network.W * 1.01
        tasks, network = [random.normal(size=(50, 60)) for _ in range(8)], Network()
        for step in range(4000):
            task = tasks[random.integers(8)]
            z = np.cos(task @ network.W)  # A
            learn(network, step)
        """,
    "... of small ones, all of which are looked at": NUMPY + """
        class Network:
            def __init__(self):
                self.W = random.normal(size=(60, 20))
        def learn(network, step):
            if step == 500:
                network.W = network.W * 1.01
        tasks, network = [random.normal(size=(50, 60)) for _ in range(8)], Network()
        for step in range(700):
            task = tasks[random.integers(8)]
            z = np.cos(task @ network.W)  # A
            learn(network, step)
        """,
    "what may be stored into": NUMPY + """
        def refresh(x, step):
            if step % 5000 == 4999:
                x += 0.01
        rows = [random.normal(size=(60, 50)) for _ in range(8)]
        for step in range(700):
            i = random.integers(8)
            z = np.cos(rows[i] * 2.0)  # A
            refresh(rows[i], step)
        """,
    "what stays for a while": NUMPY + """
        x, w = random.normal(size=(80, 60)), random.normal(size=60)
        for step in range(600):
            z = np.tanh(x * w)  # A
            if random.random() < 0.02:
                w = w * 0.9
        """,
    "a network that the first epoch has taught all": NUMPY + """
        X, w = random.normal(size=(24, 40, 40)), random.normal(size=(40, 40))
        Y = np.sign(X @ w)
        for epoch in range(20):
            for i in random.permutation(24):
                z = X[i] @ w  # A
                w = w - 0.1 * X[i].T @ (np.sign(z) - Y[i])
        """,
    "rows that are gathered": NUMPY + """
        X, w = random.normal(size=(40, 30, 30)), np.zeros((1, 30, 30))
        for step in range(40):
            for past in range(step + 1):
                w += 0.01 * (X[[past]] - w)  # A
        """,
    "projections on all that is known, each of another vector": NUMPY + """
        known = []
        for step in range(40):
            v = random.normal(size=900)
            for q in known:
                v = v - (q @ v) * q  # A
            known.append(v / np.linalg.norm(v))
        """,
    "an ensemble whose members are all taught again": NUMPY + """
        X, members = random.normal(size=(300, 20)), []
        for round in range(40):
            members.append(np.zeros(20))
            for i, w in enumerate(members):
                z = np.tanh(X @ w)  # A
                members[i] = w + 0.01 * X.T @ (X[:, 0] - z) / 300 + 0.001
        """,
    "masks of a level that nothing has reached, by choice": NUMPY + """
        X, level = random.normal(size=(40, 4000)), 3.0
        for step in range(40):
            for past in range(step + 1):
                mask = X[past] > level  # A
                level += 1e-9
        """,
}


@pytest.mark.parametrize("name", NONE)
def test_other_rounds_of_unlike_length_are_not_told(tmp_path, name):
    path, report = found(tmp_path, NONE[name])
    assert at_a(path, report)[1] == []
