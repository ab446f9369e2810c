"""Loops whose line marked "made" gives the same again and again, and what it is made of stays, beside what changes."""

STAYS = {
    "drawn by a generator that each round makes anew": """
        X, total = rng.normal(size=(30000, 20)), 0.0
        for step in range(200):
            own = np.random.default_rng(0)
            order = own.permutation(len(X))
            rows = X[order]  # made
            total += rows[0, 0]
        """,
    "of one of a list, and of what is made of what stays": """
        class Tree:
            def __init__(self, w):
                self.w = w
            def best(self):
                return np.argsort(self.w, axis=0)  # made
        w, total = rng.normal(size=(3000, 20)), 0.0
        trees = [Tree(w)]
        for step in range(150):
            total += Tree(w).best()[0, 0] + trees[0].best()[0, 0]
            if (trees[0].w <= 0).all():
                break
        """,
    "by a method of what was just made": """
        class Tree:
            def fit(self, X, y):
                order = np.argsort(X, axis=0)  # made
                self.level = y[order].mean()
                return self
        class Forest:
            def __init__(self, count):
                self.trees = [Tree() for _ in range(count)]
        X, forest, total = rng.normal(size=(3000, 20)), Forest(3), 0.0
        for step in range(150):
            total += Tree().fit(X, X[:, 0] * step).level
            total += forest.trees[step % 3].fit(X, X[:, 0] * step).level
        """,
    "beside what threads, closures and hooks change": """
        import queue, threading
        x, w, asked = rng.choice([0.5, 1.5], size=(300, 300)), np.ones(500), queue.Queue()
        def work():
            while (by := asked.get()) is not None:
                np.subtract(w, by, out=w)
        def counter():
            count = 0
            def more():
                nonlocal count
                count += 1
            return more
        thread, more = threading.Thread(target=work), counter()
        thread.start()
        for step in range(1000):
            high = np.where(x > 0.8, 1.0, 0.0)  # made
            asked.put(1e-6)
            more()
        asked.put(None)
        thread.join()
        """,
    "an array beside a view that is changed": """
        u, v = rng.normal(size=(300, 300)), rng.normal(size=(300, 300))
        inner, other = u[1:-1, 1:-1], v[0]
        for step in range(1500):
            wet = np.where(u > 0.1, 1.0, 0.0)  # made
            other *= 1 - 1e-12
        """,
    "in a coroutine": """
        import asyncio
        w, v = rng.normal(size=(300, 200)), 1.0
        async def decay():
            global v
            v = v * (1 - 1e-12)
        async def train():
            for step in range(1500):
                active = np.where(w > 0, 1.0, 0.0)  # made
                await decay()
        asyncio.run(train())
        """,
    "a buffer that another line fills by what stays": """
        w, v = rng.normal(size=(300, 300)), rng.normal(size=(300, 300))
        for step in range(1000):
            active = np.zeros((300, 300))  # made
            active[w > 0.5] = 1.0
            v = v - 1e-6 * active * v
        """,
    "a parameter that its function gives another value": """
        def signs(x, at):
            x = x[at > 0]
            return np.sign(x)  # made
        X, at = rng.normal(size=200000), rng.normal(size=200000)
        for step in range(400):
            signs(X, at)
        """,
    "a name whose type stands beside it": """
        def signs(X: np.ndarray, level: float = 0.5) -> np.ndarray:
            if X.ndim > 1:
                low: np.ndarray = X - level
            else:
                low = X * level
            return np.sign(low)  # made
        X = rng.normal(size=200000)
        for step in range(600):
            mask: np.ndarray = signs(X)
        """,
    "what is returned beside another, by a function that makes it anew": """
        def pair(x):
            mask = x > 0
            signs = np.sign(x * mask)  # made
            return mask, signs
        X, w = rng.normal(size=200000), [np.zeros(2)]
        for step in range(600):
            mask, signs = pair(X)
            w[0] -= 1e-3 * signs[:2]
        """,
    "an attribute, where others are looked up by their names": """
        class Model:
            def __init__(self):
                self.X, self.seen = rng.normal(size=200000), 0
            def step(self):
                self.seen += len(vars(self)) + ("X" in self.__dict__) + len(self.__dict__.items())
                return np.sign(self.X)  # made
        model = Model()
        for step in range(1000):
            model.step()
        """,
    "an attribute that the constructor alone stores into": """
        class Model:
            def __init__(self):
                self.X = rng.normal(size=(400, 300))
                self.X -= self.X.mean(axis=0)
                self.seen = 0
            def gram(self):
                return self.X @ self.X.T  # made
            def step(self):
                self.seen += 1
                return self.gram()
        model = Model()
        for step in range(300):
            model.step()
        """,
    "what is changed before the loop": """
        X = rng.normal(size=(400, 300))
        X -= X.mean(axis=0)
        level = 0.5
        level *= 2
        for step in range(2000):
            mask = np.abs(X) > level  # made
        """,
    "what another array's shape tells": """
        batches = [rng.normal(size=(4, 500)) for _ in range(200)]
        for batch in batches:
            length = batch.shape[1]
            mask = np.triu(np.full((length, length), -np.inf), 1)  # made
        """,
    "a buffer that is filled anew": """
        source, buffer = rng.normal(size=(400, 300)), np.empty((400, 300))
        for step in range(1500):
            buffer[:] = source
            signs = np.sign(buffer)  # made
        """,
    "an argument that a function reads": """
        def train(w, order, step):
            w += 1e-3 * order[step % 3000]
            return w
        scores, w = rng.normal(size=3000), np.zeros(50)
        for step in range(4000):
            order = np.argsort(scores)  # made
            w = train(w, order, step)
        """,
    "an attribute that is a number, of which a function takes half": """
        class Bias:
            def __init__(self):
                self.count = 32
            @staticmethod
            def bucket(at, both=True, count=32):
                found = 0
                if both:
                    count //= 2
                    found += (at > 0) * count
                    at = np.abs(at)
                return found + np.minimum(at, count - 1)  # made
            def compute(self, size):
                at = np.arange(size)[None, :] - np.arange(size)[:, None]
                return self.bucket(at, both=True, count=self.count)
        bias = Bias()
        for step in range(400):
            bias.compute(256)
        """,
    "what is cached": """
        class Layer:
            def __init__(self):
                self.grid = None
            def __call__(self, x):
                if self.grid is None:
                    self.grid = np.linspace(-1, 1, 100000)
                return np.floor(self.grid * 8)  # made
        layer = Layer()
        for step in range(2000):
            layer(step)
        """,
    "what a class keeps as it is, beside an optimizer of the program's own": """
        class Sgd:
            def __init__(self, params, lr):
                self.params, self.lr = list(params), lr
            def step(self, grads):
                for p, g in zip(self.params, grads):
                    p -= self.lr * g
        class Net:
            def __init__(self, links, inputs, outputs):
                self.links, self.w = links, rng.normal(size=(inputs, outputs)) * 0.1
            def scaled(self):
                scale = 1 / np.sqrt(np.maximum(self.links.sum(1), 1))
                return scale[:, None] * self.links  # made
            def grads(self, X):
                N = self.scaled()
                return [X.T @ (N.T @ (N @ (X @ self.w))) / len(X)]
        links, X = (rng.random((400, 400)) < 0.05) * 1.0, rng.normal(size=(400, 8))
        net = Net(links, 8, 4)
        optimizer = Sgd([net.w], 1e-3)
        for step in range(400):
            optimizer.step(net.grads(X))
        """,
    "numbers in shapes, beside an optimizer of the program's own": """
        class Sgd:
            def __init__(self, params):
                self.params = params
            def step(self, grads):
                for p, g in zip(self.params, grads):
                    p -= 1e-3 * g
        class Softmax:
            def __init__(self, X, y, k):
                self.X, self.y, self.k = X, y, k
                self.w = np.zeros((X.shape[1], k))
            def targets(self):
                return (self.y[:, None] == np.arange(self.k)).astype(float)  # made
        model = Softmax(rng.normal(size=(5000, 4)), rng.integers(0, 30, 5000), 30)
        optimizer = Sgd([model.w])
        for step in range(500):
            optimizer.step([model.X.T @ (model.targets() - 0.1)])
        """,
    "an array of no list, beside an optimizer of the program's own": """
        class Sgd:
            def __init__(self, params):
                self.params = params
            def step(self, grads):
                for p, g in zip(self.params, grads):
                    p -= 1e-9 * g
        lengths, w = rng.integers(1, 500, size=400), rng.normal(size=(400, 500))
        optimizer, grads = Sgd([w]), [np.ones((400, 500))]
        def masked(w):
            mask = np.arange(500) < lengths[:, None]  # made
            return np.where(mask, w, 0.0)
        for step in range(800):
            masked(w)
            optimizer.step(grads)
        """,
    "a mask, by a function on a line": """
        w, level = rng.normal(size=200000), 0.5
        def mask(): return w > level  # made
        for step in range(2000):
            mask()
        """,
    "a constant of another function's name": """
        def schedule(step):
            level = 0.1
            level *= 0.99 ** step
            return level
        level, w = 0.5, rng.normal(size=200000)
        def mask():
            return w > level  # made
        for step in range(4000):
            rate = schedule(step)
            mask()
        """,
}
