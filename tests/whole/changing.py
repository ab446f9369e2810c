"""Loops whose line marked "made" gives the same again and again, though what it is made of changes: nothing to be kept."""

CHANGED = {
    "by one of two methods of a name": """
        class Sgd:
            def apply(self, w, g):
                w -= 1e-9 * g
        class Momentum:
            def __init__(self):
                self.v = 0.0
            def apply(self, w, g):
                self.v = 0.9 * self.v + g
                w -= 1e-9 * self.v
        def train(optimizer, steps):
            w = rng.choice([-0.5, 1.5], size=(300, 300))
            for step in range(steps):
                gate = np.where(w > 0, 1.0, 0.0)  # made
                optimizer.apply(w, gate)
        train(Momentum(), 800)
        """,
    "an attribute that another method hands to a function": """
        def learn(table, state, action):
            table[state, action] += 1e-6
        class Agent:
            def __init__(self):
                self.table = rng.normal(size=(2000, 30))
            def greedy(self):
                return np.argmax(self.table, axis=1)  # made
            def observe(self, state, action):
                learn(self.table, state, action)
        agent = Agent()
        for step in range(2000):
            policy = agent.greedy()
            agent.observe(step, step % 30)
        """,
    "what closures share": """
        def trainer():
            w = rng.normal(size=100000)
            def forward():
                return np.sign(w)  # made
            def backward(g):
                nonlocal w
                w = w - 1e-9 * g
            return forward, backward
        ahead, back = trainer()
        for step in range(1000):
            back(ahead())
        """,
    "a view, by a function": """
        w = rng.choice([0.5, 1.5], size=(300, 300))
        row = w.ravel()
        def push(by):
            row[::3] -= by
        for step in range(1000):
            high = np.floor_divide(w, 1.0)  # made
            push(1e-6)
        """,
    "what it is a view of": """
        both = rng.choice([-1.0, 1.0], size=200000)
        first, second = both[:150000].reshape(300, 500), both[150000:]
        for step in range(1000):
            keep = np.where(first > 0, 1.0, 0.0)  # made
            both -= 1e-7 * both
        """,
    "what a thread changes": """
        import queue, threading
        w, asked, done = rng.choice([0.5, 1.5], size=(300, 300)), queue.Queue(), queue.Queue()
        def work():
            while (by := asked.get()) is not None:
                np.subtract(w, by, out=w)
                done.put(1)
        thread = threading.Thread(target=work)
        thread.start()
        for step in range(1000):
            high = np.where(w > 0.8, 1.0, 0.0)  # made
            asked.put(1e-6)
            done.get()
        asked.put(None)
        thread.join()
        """,
    "by a method that has another name": """
        class Cells:
            def __init__(self):
                self.x = np.floor(rng.uniform(0, 100, size=(50000, 2))) + 0.5
            def move(self, by):
                self.x += by
            def at(self):
                return np.fix(self.x)  # made
        cells = Cells()
        advance, at = cells.move, cells.at
        for step in range(1000):
            at()
            advance(1e-6)
        """,
    "by a function that an object was handed": """
        class Trainer:
            def __init__(self):
                self.hooks, self.w = [], rng.choice([0.5, 1.5], size=150000)
            def on(self, hook):
                self.hooks.append(hook)
                return hook
            def run(self, steps):
                for step in range(steps):
                    keep = np.around(self.w)  # made
                    for hook in self.hooks:
                        hook(self)
        trainer = Trainer()
        @trainer.on
        def decay(it):
            it.w *= 1 - 1e-9
        trainer.run(1000)
        """,
    "what another coroutine changes": """
        import asyncio
        state = {"w": rng.uniform(1, 2, size=(100, 400))}
        async def learn(steps):
            for step in range(steps):
                state["w"] *= 1 - 1e-9
                await asyncio.sleep(0)
        async def act(steps):
            for step in range(steps):
                order = np.argsort(state["w"], axis=1)  # made
                await asyncio.sleep(0)
        async def main():
            await asyncio.gather(learn(500), act(500))
        asyncio.run(main())
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
    "what a coroutine changes": """
        import asyncio
        w = rng.normal(size=(300, 200))
        async def decay():
            global w
            w = w * (1 - 1e-12)
        async def train():
            for step in range(1500):
                active = np.where(w > 0, 1.0, 0.0)  # made
                await decay()
        asyncio.run(train())
        """,
    "a buffer that another line fills by what changes": """
        w = rng.normal(size=(300, 300))
        for step in range(1500):
            active = np.zeros((300, 300))  # made
            active[w > 0.5] = 1.0
            w = w * (1 - 1e-9)
        """,
    "what is computed of such a buffer, by a function": """
        def ranks(f):
            r = np.empty(len(f))
            r[np.argsort(f)] = np.arange(len(f)) * 0.5
            return r / (len(f) - 1)  # made
        x, drift = rng.normal(size=5000), rng.normal(size=5000) * 1e-12
        for step in range(2500):
            u = ranks(x)
            x = x + drift * u
        """,
    "the last of a list that grows": """
        xs = [rng.normal(size=20000)]
        for step in range(800):
            order = np.argsort(xs[-1])  # made
            xs.append(xs[-1] * (1 - 1e-9))
            del xs[0]
        """,
    "an object that is called": """
        class Schedule:
            def __init__(self, t):
                self.t = t
            def __call__(self):
                self.t *= 1 - 1e-9
                return self.t
        level, d = Schedule(0.3), rng.random(100000)
        for step in range(3000):
            keep = d > level()  # made
        """,
    "what a with statement enters with": """
        class Temperature:
            def __init__(self):
                self.t = 1.0
            def __enter__(self):
                return self.t
            def __exit__(self, *error):
                self.t *= 1 - 1e-9
        temperature, E = Temperature(), rng.normal(size=(300, 200))
        for sweep in range(2000):
            with temperature as t:
                accept = np.where(E < t, 1.0, 0.0)  # made
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
    "a network that is handed to a function": """
        import torch
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        policy, X, Z = torch.nn.Linear(64, 32), torch.randn(2000, 64), torch.randn(2000, 64)
        optimizer = torch.optim.SGD(policy.parameters(), lr=1e-9)
        def decide(net, x):
            return torch.nn.functional.one_hot(net(x).argmax(1), 32).double()  # made
        for step in range(300):
            loss = -(policy(Z) * decide(policy, X)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
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
    "an attribute that another method stores into": """
        class Agent:
            def __init__(self):
                self.Q = rng.normal(size=(400, 64)) * 5
            def policy(self):
                return np.argmax(self.Q, axis=1)  # made
            def learn(self, s, a):
                self.Q[s, a] += 1e-6
        agent = Agent()
        for step in range(15000):
            agent.learn(step % 400, int(agent.policy()[3]))
        """,
    "an attribute that its property reads": """
        class World:
            def __init__(self):
                self.health = rng.random(100000) + 1e6
            def hit(self, i):
                self.health[i] -= 1
            @property
            def alive(self):
                return np.flatnonzero(self.health > 9e5)  # made
        world = World()
        for step in range(2000):
            world.hit(world.alive[step])
        """,
    "a number made of the loop's counter": """
        w = np.abs(rng.normal(size=200000))
        w[w < 0.3] = 0
        for step in range(6000):
            level = 0.04 * 0.9999 ** step
            mask = w > level  # made
        """,
    "a number that a call is handed": """
        def keep(w, level):
            return w > level  # made
        def main():
            w = np.abs(rng.normal(size=200000))
            w[w < 0.3] = 0
            for step in range(6000):
                keep(w, level=0.01 + 1e-5 * step)
        main()
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
    "an attribute that makes itself anew": """
        class Clip:
            def __init__(self):
                self.limit = 6.0
            def anneal(self):
                self.limit = self.limit * 1.0001
            def __call__(self, g):
                return np.clip(g, -self.limit, self.limit)  # made
        g, clip = rng.normal(size=50000), Clip()
        for epoch in range(8000):
            clip(g)
            clip.anneal()
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
    "a name that a closure changes": """
        def make():
            w, level = np.abs(rng.normal(size=100000)), 1e-4
            w[w < 0.1] = 0
            def raise_level():
                nonlocal level
                level *= 1.00001
            def select():
                return w > level  # made
            return raise_level, select
        raise_level, select = make()
        for step in range(8000):
            select()
            raise_level()
        """,
    "what it is stored into by out": """
        x, speed, edges = (rng.integers(0, 8, size=20000) + 0.5) / 8, rng.normal(size=20000) * 1e-7, np.linspace(0, 1, 9)
        for step in range(1500):
            np.add(x, speed, out=x)
            cells = np.digitize(x, edges)  # made
        """,
    "an argument that a function changes": """
        def credit(scores, i):
            scores[i] += 1e-5
        scores = np.arange(3000.0)
        for game in range(6000):
            order = np.argsort(scores)  # made
            credit(scores, order[-1 - game % 50])
        """,
    "one of a list that a function goes through": """
        def descend(params, grads):
            for p, g in zip(params, grads):
                p -= 1e-9 * g
        params = [rng.choice([-1.0, 1.0], size=(400, 300)), rng.normal(size=(300, 10))]
        grads = [rng.normal(size=p.shape) for p in params]
        for step in range(1500):
            signs = np.sign(params[0])  # made
            descend(params, grads)
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
    "what another hands a function": """
        x = np.abs(rng.normal(size=100000)) + 1
        def keep(t):
            return np.where(x > 1 / (1 + t), x, 0)  # made
        total = sum(kept[3] for kept in map(keep, range(4000)))
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
    "an attribute, by functions on a line each": """
        class Field:
            def __init__(self):
                self.level = rng.choice([-1.0, 1.0], size=200000)
            def active(self): return np.where(self.level > 0, 1.0, 0.0)  # made
            def walk(self): self.level *= 1.000001
            def run(self):
                for step in range(800):
                    self.active()
                    self.walk()
        Field().run()
        """,
    "what a lambda is handed": """
        sides = lambda level: np.sign(level)  # made
        level = rng.choice([-1.0, 1.0], size=200000)
        for step in range(800):
            sides(level)
            level = level * 1.000001
        """,
    "an object that the loop makes anew": """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class State:
            level: np.ndarray
            def active(self):
                return np.where(self.level > 0, 1.0, 0.0)  # made
        def moved(state):
            return State(state.level * 1.000001)
        state = State(rng.choice([-1.0, 1.0], size=200000))
        for step in range(800):
            state.active()
            state = moved(state)
        """,
    "an attribute that is replaced by its name": """
        import dataclasses
        @dataclasses.dataclass
        class State:
            level: np.ndarray
        class Run:
            def __init__(self):
                self.state = State(rng.choice([-1.0, 1.0], size=200000))
            def active(self):
                return np.where(self.state.level > 0, 1.0, 0.0)  # made
            def step(self):
                setattr(self.state, "level", self.state.level * 1.000001)
        run = Run()
        for step in range(800):
            run.active()
            run.step()
        """,
    "an array of a list that an optimizer of the program's own holds": """
        class Net:
            def __init__(self):
                self.w, self.b = rng.choice([-1.0, 1.0], size=(400, 500)), np.zeros(3)
            def parameters(self):
                return [self.w, self.b]
            def signs(self):
                return np.sign(self.w)  # made
        class Sgd:
            def __init__(self, params):
                self.params = params
            def step(self, grads):
                for p, g in zip(self.params, grads):
                    p -= 1e-9 * g
        net = Net()
        optimizer, grads = Sgd(net.parameters()), [np.ones((400, 500)), np.ones(3)]
        for step in range(800):
            net.signs()
            optimizer.step(grads)
        """,
    "an array that a class keeps, and hands on in a list": """
        class Sgd:
            def __init__(self, params):
                self.params = params
            def step(self, g):
                for p in self.params:
                    p -= 1e-9 * g
        class Net:
            def __init__(self, w):
                self.weight_of_net = w
            def parameters(self):
                return [self.weight_of_net]
        class Penalty:
            def __init__(self, w):
                self.w = w
            def signs(self):
                return np.sign(self.w)  # made
        w = rng.choice([-1.0, 1.0], size=200000)
        net, penalty = Net(w), Penalty(w)
        optimizer = Sgd(net.parameters())
        for step in range(800):
            penalty.signs()
            optimizer.step(np.ones(200000))
        """,
    "an array of a dictionary that an optimizer of the program's own holds": """
        class Sgd:
            def __init__(self, params):
                self.params = params
            def step(self, grads):
                for key, g in grads.items():
                    p = self.params[key]
                    p -= 1e-9 * g
        params = {"w": rng.choice([-1.0, 1.0], size=200000)}
        optimizer = Sgd(params)
        for step in range(800):
            signs = np.sign(params["w"])  # made
            optimizer.step({"w": np.ones(200000)})
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
    "an object that a function is handed, made anew": """
        class Belief:
            def __init__(self, table):
                self.table = table
            def blended(self, by):
                return Belief(self.table + by)
            def best(self):
                return self.table.argmax(axis=1)  # made
        def vote(belief):
            return belief.best()
        belief = Belief(rng.normal(size=(20000, 8)) * 5)
        for step in range(400):
            vote(belief)
            belief = belief.blended(1e-9)
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
