"""Programs without a seed: as they converge, some of their arrays stay equal for a while, in each run another while.

Each is a function `train()`; `source(name, threads)` is the whole program, which trains on so many threads at once.
"""
from textwrap import dedent

TRAINERS = {
    "classifier": """
        def train():
            rng = np.random.default_rng()
            x = rng.normal(size=(3000, 20))
            labels = (x @ rng.normal(size=20) > 0).astype(int)
            weights = np.zeros((20, 2))
            for step in range(400):
                scores = x @ weights
                odds = np.exp(scores - scores.max(axis=1, keepdims=True))
                odds /= odds.sum(axis=1, keepdims=True)
                hits = odds.argmax(axis=1) == labels
                missed = np.where(hits, 0.0, 1.0)
                odds[np.arange(len(x)), labels] -= 1
                weights -= 0.5 / len(x) * x.T @ odds
            return missed.mean()
        """,
    "perceptron": """
        def train():
            rng = np.random.default_rng()
            x = rng.normal(size=(4000, 10))
            sides = np.sign(x @ rng.normal(size=10))
            weights = np.zeros(10)
            for epoch in range(250):
                wrong = (x @ weights) * sides <= 0
                pushed = np.where(wrong, sides, 0.0)
                weights = weights + pushed @ x / len(x)
            return wrong.mean()
        """,
    "kmeans": """
        def train():
            rng = np.random.default_rng()
            points = rng.normal(size=(8, 4))[rng.integers(0, 8, 4000)] + 0.3 * rng.normal(size=(4000, 4))
            centres = points[:8].copy()
            for step in range(150):
                distances = ((points[:, None] - centres) ** 2).sum(axis=2)
                nearest = distances.argmin(axis=1)
                chosen = nearest[:, None] == np.arange(8)
                centres = (chosen.T.astype(float) @ points) / np.maximum(chosen.sum(axis=0), 1)[:, None]
            return distances.min(axis=1).sum()
        """,
    "clipping": """
        def train():
            rng = np.random.default_rng()
            weights = rng.normal(size=20000)
            goal = rng.normal(size=20000) * 3
            for step in range(500):
                gradient = np.clip(weights - goal, -1.0, 1.0)
                large = np.abs(gradient) >= 1.0
                rate = np.where(large, 0.02, 0.01)
                weights = weights - rate * gradient
            return np.abs(weights - goal).mean()
        """,
    "early stopping": """
        def train():
            rng = np.random.default_rng()
            for fold in range(int(rng.integers(4, 8))):
                x = rng.normal(size=(2000, 30))
                y = x @ rng.normal(size=30)
                weights = np.zeros(30)
                while np.abs(x @ weights - y).mean() > rng.uniform(0.3, 0.9):
                    error = x @ weights - y
                    kept = np.abs(error) < 100.0
                    used = np.where(kept, error, 0.0)
                    weights = weights - 0.1 / len(x) * x.T @ used
            return error.mean()
        """,
}


def source(name, threads=1):
    tail = """
        workers = [threading.Thread(target=train) for _ in range(%d)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        """ % (threads - 1)
    return "import threading\nimport numpy as np\n" + dedent(TRAINERS[name]) + dedent(tail) + "train()\n"
