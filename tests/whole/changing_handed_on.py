"""Likewise, where it is handed on in other ways than to a function by its name: each program is a way to change `w` in each step."""

SETUP = """
    def drift(part):
        part *= 1 + 1e-12
    {before}
    for step in range(300):
        order = np.argsort({taken}, axis=0)  # made
        {change}
    """
ARRAY = "w = rng.normal(size=(3000, 20))"
LIST = "ws = [rng.normal(size=(3000, 20)), rng.normal(size=50)]"
HANDED_ON = {
    "a comprehension": (LIST, "ws[0]", "[drift(part) for part in ws]"),
    "a comprehension over a list of it alone": (ARRAY, "w", "[drift(part) for part in (w,)]"),
    "a generator": (ARRAY, "w", "any(drift(part) for part in [w])"),
    "map()": (LIST, "ws[0]", "list(map(drift, ws))"),
    "a thread's target": (ARRAY, "w", "import threading; t = threading.Thread(target=drift, args=(w,)); t.start(); t.join()"),
    "a table of functions": (ARRAY + "; table = {'drift': drift}", "w", "table['drift'](w)"),
    "another name of the function": (ARRAY + "; f = drift", "w", "f(w)"),
    "a loop over functions": (ARRAY, "w", "for f in (drift,): f(w)"),
    "a dictionary's values": ("ws = {'w': rng.normal(size=(3000, 20))}", "ws['w']", "for part in ws.values(): drift(part)"),
    "a dictionary's items": ("ws = {'w': rng.normal(size=(3000, 20))}", "ws['w']", "for name, part in ws.items(): drift(part)"),
    "names for the items": (LIST, "ws[0]", "first, second = ws; drift(first)"),
    "another shape, made before": (ARRAY + "; flat = w.reshape(-1)", "w", "drift(flat)"),
    "parts, made before": (ARRAY + "; parts = np.split(w, 4)", "w", "for part in parts: drift(part)"),
    "parts, made in the loop": (ARRAY, "w", "for part in np.split(w, 4): drift(part)"),
}
CHANGED_HANDED_ON = {name: SETUP.format(before=before, taken=taken, change=change)
                     for name, (before, taken, change) in HANDED_ON.items()} | {
    "an optimizer that hands it to a method": """
        class Sgd:
            def __init__(self, params):
                self.params = params
            def step(self):
                for part in self.params:
                    self.update(part)
            def update(self, part):
                part *= 1 + 1e-12
        w = rng.normal(size=(3000, 20))
        optimizer = Sgd([w])
        for step in range(300):
            order = np.argsort(w, axis=0)  # made
            optimizer.step()
        """,
    "a property that adds what it is given": """
        class State:
            def __init__(self):
                self._w = rng.normal(size=(3000, 20))
            @property
            def w(self):
                return self._w
            @w.setter
            def w(self, by):
                self._w *= by
        state = State()
        for step in range(300):
            order = np.argsort(state.w, axis=0)  # made
            state.w = 1 + 1e-12
        """,
}

MODEL = """
    class Model:
        def __init__(self):
            self.table, self.head = rng.normal(size=(50, 64)), rng.normal(size=64)
        def forward(self, ids):
            self.hidden = np.sign(self.table[ids] - 0.1)  # made
            return self.hidden @ self.head
        def update(self, by):
            self.{changed} = self.{changed} * (1 - by)
    class Trainer:
        def __init__(self):
            self.model, self.ids = Model(), rng.integers(0, 50, size=2000)
        def fit(self):
            for step in range(300):
                self.model.forward(self.ids)
                self.model.update(1e-12)
    Trainer().fit()
    """
CHANGED_HANDED_ON["by a method that is called update()"] = MODEL.format(changed="table")

HOOKED = """
    def drift(part):
        part *= 1 + 1e-12
    class Watch:
        def drift(self, part):
            return part.min()
    def fit(w, callback):
        for step in range(300):
            order = np.argsort(w, axis=0)  # made
            {change}
    fit(rng.normal(size=(3000, 20)), np.min)
    """

STAYS_HANDED_ON = {name: SETUP.format(before=before, taken="w", change=change) for name, (before, change) in {
    "handed to what only looks": (ARRAY + "; low = lambda part: part.min()", "low_ = [low(part) for part in (w,)]"),
    "its copy is handed on": (ARRAY, "drift(w.copy())"),
    "another array of the same list": (ARRAY + "; ws = [rng.normal(size=50)]", "[drift(part) for part in ws]"),
    "what a function of NumPy's makes looks at it": (ARRAY, "np.vectorize(abs)(w[:5, 0])"),
    "a callback that there is none of": (ARRAY + "\n    callback = None", "if callback is not None: callback(w)"),
    "a lambda": (ARRAY + "\n    look = lambda part: part.min()", "look(w)"),
    "an object that is called": (ARRAY + "\n    class Timer:\n        def __call__(self, part): return part.min()\n    timer = Timer()", "timer(w)"),
    "an object that only asks for its shape": (ARRAY + "\n    class Net:\n        def __init__(self, x): self.v = np.zeros(x.shape[1])\n    net = Net(w)", "net.v += 1"),
    "what is computed of another shape of it": (ARRAY, "part = w.T @ w[:, 0]; drift(part)"),
    "rows by an order, which are copies": (ARRAY + "; order = np.arange(9)", "rows = w[order]; drift(rows)"),
    "a part, by a name that the loop gives anew": (ARRAY + "; rows = [row for row in w]", "row = rng.normal(size=20); row *= 2"),
}.items()} | {
    "what a method called update() leaves alone": MODEL.format(changed="head"),
    "a callback that is handed in": HOOKED.format(change="callback(w)"),
    "a method of a function's name": HOOKED.format(change="Watch().drift(w)"),
}
