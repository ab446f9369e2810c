"""Loops whose line marked "made" gives the same again and again, though what it is made of changes in their own rows: nothing to be kept."""

CHANGED = {
    "what it is a view of": """
        both = rng.choice([-1.0, 1.0], size=200000)
        first, second = both[:150000].reshape(300, 500), both[150000:]
        for step in range(1000):
            keep = np.where(first > 0, 1.0, 0.0)  # made
            both -= 1e-7 * both
        """,
    "a tensor that is given other data": """
        import torch
        torch.set_num_threads(1)
        class Search:
            def __init__(self):
                self.mean = torch.randn(300000).sign() * 2
            def tell(self, by):
                self.mean.data = self.mean.data + by
            def ask(self):
                return torch.lt(self.mean, 0)  # made
        search = Search()
        for step in range(1000):
            search.ask()
            search.tell(1e-6)
        """,
    "the inside of an array, by a name that stood before the loop": """
        u = rng.normal(size=(300, 300))
        inner, outer = u[1:-1, 1:-1], u[0]
        for step in range(1500):
            wet = np.where(u > 0.1, 1.0, 0.0)  # made
            inner *= 1 - 1e-12
        """,
    "the last of a list that grows in a dictionary": """
        history = {"x": [rng.normal(size=20000)], "t": []}
        for step in range(800):
            order = np.argsort(history["x"][-1])  # made
            history["x"].append(history["x"][-1] * (1 - 1e-9))
            history["x"].pop(0)
        """,
    "a buffer that another line fills by what changes": """
        w = rng.normal(size=(300, 300))
        for step in range(1500):
            active = np.zeros((300, 300))  # made
            active[w > 0.5] = 1.0
            w = w * (1 - 1e-9)
        """,
    "the last of a list that grows": """
        xs = [rng.normal(size=20000)]
        for step in range(800):
            order = np.argsort(xs[-1])  # made
            xs.append(xs[-1] * (1 - 1e-9))
            del xs[0]
        """,
    "a network that is stepped by hand": """
        import torch
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        net, X, y = torch.nn.Linear(200, 16), torch.randn(300, 200), torch.randint(0, 16, (300,))
        def hits(logits):
            right = (logits.argmax(1) == y).double()
            return torch.exp(right[:, None].expand(-1, 100))  # made
        for step in range(500):
            logits = net(X)
            net.zero_grad()
            torch.nn.functional.cross_entropy(logits, y).backward()
            with torch.no_grad():
                for p in net.parameters():
                    p -= 1e-9 * p.grad
            hits(logits)
        """,
    "the sign of a gradient": """
        import torch
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        net, X, y = torch.nn.Linear(100, 5), torch.randn(500, 100), torch.randint(0, 5, (500,))
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-9)
        def attack(x):
            x = x.clone().requires_grad_()
            torch.nn.functional.cross_entropy(net(x), y).backward()
            return x.grad.sign()  # made
        for step in range(500):
            loss = torch.nn.functional.cross_entropy(net(X + 0.1 * attack(X)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "a number of fewer bits": """
        import torch
        torch.set_num_threads(1)
        master, X = torch.randn(400, 300, dtype=torch.float64), torch.randn(200, 400)
        def low(m):
            return m.to(torch.bfloat16).float()  # made
        for step in range(400):
            out = X @ low(master)
            master -= 1e-14 * (X.t() @ out).double()
        """,
    "a gradient of what a network decides": """
        import torch
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        class Binary(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.w = torch.nn.Parameter(torch.randn(300, 128))
            def forward(self, x):
                return x @ (self.w + (torch.sign(self.w) - self.w).detach())
        model, X, y = Binary(), torch.randn(64, 300), torch.randn(64, 128)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-10)
        for step in range(500):
            optimizer.zero_grad(set_to_none=True)
            loss = (model(X) - y).pow(2).mean()
            loss.backward()  # made
            optimizer.step()
        """,
    "some of it is stored into": """
        Q, s = rng.normal(size=(400, 64)) * 5, 0
        for step in range(20000):
            policy = Q.argmax(axis=1)  # made
            s = (s * 7 + int(policy[s])) % 400
            Q[s, policy[s]] += 1e-6
        """,
    "a number made of the loop's counter": """
        w = np.abs(rng.normal(size=200000))
        w[w < 0.3] = 0
        for step in range(6000):
            level = 0.04 * 0.9999 ** step
            mask = w > level  # made
        """,
    "a number that the loop goes through": """
        x = rng.normal(size=100000)
        for cap in np.linspace(6, 10, 4000):
            y = np.minimum(x, cap)  # made
        """,
    "numbers made of each other": """
        x, low, high = np.sort(rng.normal(size=50000)), 10.0, 20.0
        while low < 10.4:
            middle = (low + high) / 2
            above = np.where(x < middle, x, middle)  # made
            low = low + 1e-4
        """,
    "an attribute that the loop gives": """
        class Agent:
            def __init__(self):
                self.q, self.least = np.abs(rng.normal(size=100000)) + 1, 1.0
            def greedy(self):
                return np.where(self.q > self.least, self.q, 0.0)  # made
        agent = Agent()
        for step in range(4000):
            agent.least = max(0.05, 1 - step / 1000)
            agent.greedy()
        """,
    "what it is stored into by out": """
        x, speed, edges = (rng.integers(0, 8, size=20000) + 0.5) / 8, rng.normal(size=20000) * 1e-7, np.linspace(0, 1, 9)
        for step in range(1500):
            np.add(x, speed, out=x)
            cells = np.digitize(x, edges)  # made
        """,
    "one of a dictionary": """
        params, g = {"W": rng.choice([-1.0, 1.0], size=(400, 300))}, rng.normal(size=(400, 300))
        for step in range(1500):
            signs = np.sign(params["W"])  # made
            params["W"] -= 1e-9 * g
        """,
    "what those leave that are done": """
        class Games:
            def __init__(self, n):
                self.age, self.limit, self.done = 0, np.ones(n), np.zeros(n, bool)
                self.limit[::5] = 1e9
            def step(self):
                self.age += 1
                self.done = self.done | (self.limit <= self.age)
                return np.where(self.done, 0.0, self.limit)  # made
        games = Games(20000)
        for step in range(9500):
            games.step()
        """,
    "what a comprehension goes through": """
        def keep(x, t):
            return np.where(x > 1 / (1 + t), x, 0)  # made
        x = np.abs(rng.normal(size=100000)) + 1
        total = sum([keep(x, t)[3] for t in range(4000)])
        """,
    "what comes next": """
        x, clock, left = np.abs(rng.normal(size=100000)) + 1, iter(range(5000)), 4000
        while left > 0:
            now = next(clock)
            kept = np.where(x > now * 1e-5, x, 0)  # made
            left = left - 1
        """,
    "what a list ends in": """
        class Bag:
            def __init__(self):
                self.levels, self.x = list(np.linspace(0, 0.1, 4000)), np.abs(rng.normal(size=100000)) + 1
            def take(self):
                return self.levels.pop()
            def run(self):
                while self.levels:
                    level = self.take()
                    kept = np.where(self.x > level, self.x, 0)  # made
        Bag().run()
        """,
    "those of a round, which are stored into": """
        layers, g = [np.sign(rng.normal(size=(300, 300))) for _ in range(3)], rng.normal(size=(300, 300))
        for step in range(700):
            for i in range(len(layers)):
                signs = np.sign(layers[i])  # made
                layers[i] -= 1e-9 * g
        """,
    "a source of copies that is stored into": """
        a, b = np.linspace(0, 1, 600), np.linspace(1, 3, 600)
        for step in range(2500):
            k = np.outer(a, b)
            k[0], k[1] = k[1].copy(), k[0].copy()  # made
        """,
    "an index that was found": """
        X, y, w = rng.normal(size=(20000, 12)), rng.choice([-1.0, 1.0], 20000), np.full(20000, 1e-4)
        def best_of(w):
            return int(np.argmax(np.abs((y * w) @ X)))
        for step in range(600):
            j = best_of(w)
            side = np.sign(X[:, j])  # made
            w += 1e-9 * side
        """,
    "what is computed of a mask": """
        level, weight = rng.choice([-1.0, 1.0], size=200000), rng.random(200000)
        def active():
            return np.where(level > 0, 1.0, -1.0)
        for step in range(800):
            level *= 1.000001
            mask = active()
            local = mask * weight  # made
        """,
    "an array of a list, all of it stored anew": """
        class Lion:
            def __init__(self, params):
                self.params = list(params)
            def step(self, grads):
                for i, grad in enumerate(grads):
                    self.params[i][...] = self.params[i] - 1e-9 * grad
        w = rng.choice([-1.0, 1.0], size=200000)
        optimizer, grad = Lion([w]), np.ones(200000)
        for step in range(800):
            signs = np.sign(w)  # made
            optimizer.step([grad])
        """,
    "what the loop makes of the result itself": """
        X = np.concatenate([rng.normal(m, 0.3, (2000, 8)) for m in (-4, 0, 4)])
        class Means:
            def fit(self, X, rounds):
                self.centres = X[::2000].copy()
                for step in range(rounds):
                    nearest = self.assign(X)
                    self.centres = np.stack([X[nearest == j].mean(axis=0) for j in range(3)])
                return nearest
            def assign(self, X):
                d = ((X[:, None] - self.centres) ** 2).sum(axis=-1)
                return d.argmin(axis=1)  # made
        Means().fit(X, 300)
        """,
}
