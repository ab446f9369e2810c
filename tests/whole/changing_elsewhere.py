"""Likewise, where functions, methods, objects, threads or coroutines change it that the loop only calls."""

CHANGED_ELSEWHERE = {
    "by a function that each of a list is handed to": """
        def drift(part):
            part *= 1 + 1e-12
        parts, total = [rng.normal(size=(3000, 20)), rng.normal(size=50)], 0.0
        for step in range(300):
            order = np.argsort(parts[0], axis=0)  # made
            total += order[0, 0]
            for part in parts:
                drift(part)
        """,
    "by a function that an item is handed to": """
        def drift(part):
            part *= 1 + 1e-12
        parts, total = [rng.normal(size=(3000, 20)), rng.normal(size=50)], 0.0
        for step in range(300):
            order = np.argsort(parts[0], axis=0)  # made
            total += order[0, 0]
            drift(parts[0])
        """,
    "drawn anew, in the same order": """
        base, total = np.arange(60000.0), 0.0
        for step in range(300):
            times = base + rng.normal(size=60000) * 1e-3
            order = np.argsort(times)  # made
            total += order[0]
        """,
    "what an object is made of, that has no name": """
        class Tree:
            def __init__(self, w):
                self.w = w
            def best(self):
                return np.argsort(self.w, axis=0)  # made
        w, total = rng.normal(size=(3000, 20)), 0.0
        for step in range(300):
            w = w * (1 + 1e-12)
            total += Tree(w).best()[0, 0]
        """,
    "what an object is made of, whose name is new in each round": """
        class Tree:
            def __init__(self, w):
                self.w = w
            def best(self):
                return np.argsort(self.w, axis=0)  # made
        w, total = rng.normal(size=(3000, 20)), 0.0
        for step in range(300):
            w = w * (1 + 1e-12)
            tree = Tree(w)
            total += tree.best()[0, 0]
        """,
    "an attribute of one of a list": """
        class Tree:
            def __init__(self, w):
                self.w = w
            def best(self):
                return np.argsort(self.w, axis=0)  # made
        trees, total = [Tree(rng.normal(size=(3000, 20)))], 0.0
        for step in range(300):
            trees[0].w *= 1 + 1e-12
            total += trees[0].best()[0, 0]
        """,
    "what a method of what was just made is handed": """
        class Tree:
            def fit(self, X, y):
                order = np.argsort(X, axis=0)  # made
                self.level = y[order].mean()
                return self
        X, total = rng.normal(size=(3000, 20)), 0.0
        for step in range(300):
            X *= 1 + 1e-12
            total += Tree().fit(X, X[:, 0]).level
        """,
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
    "what another hands a function": """
        x = np.abs(rng.normal(size=100000)) + 1
        def keep(t):
            return np.where(x > 1 / (1 + t), x, 0)  # made
        total = sum(kept[3] for kept in map(keep, range(4000)))
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
}
