"""Programs with loops over elements that carry something on, whatever it is called: nothing is to be told of them."""
from element_loops import NUMPY

CARRYING = {
    "a property of what is stored, and a default that is kept": NUMPY + """
class Filter:
    def __init__(self):
        self._last = 0.0
    @property
    def last(self):
        return self._last
    def run(self):
        y = np.empty_like(x)
        for i in range(len(x)):
            y[i] = x[i] - self.last
            self._last = x[i]
        return y
def rank(value, seen=set()):
    return seen.add(value) or len(seen)
def ranks():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = rank(x[i])
    return y
smooth = Filter()
for again in range(6):
    smooth.run(), ranks()
""",
    "records that are counted, and a level that the next element sets": NUMPY + """
def records():
    best, count = -1.0, 0
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
            count = count + 1
    return count
def level():
    best = -1.0
    for i in range(len(x) - 1):
        if x[i] > best:
            best = x[i + 1]
    return best
for again in range(12):
    records(), level()
""",
    "a function of each that remembers": NUMPY + """
class Filter:
    def __init__(self):
        self.state = 0.0
    def step(self, value):
        self.state = 0.9 * self.state + 0.1 * value
        return self.state
smooth = Filter()
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = smooth.step(x[i])
    return y
for again in range(6):
    work()
""",
    "a function of what it gave before": NUMPY + """
def decay(before, value):
    return 0.9 * before + 0.1 * value
def work():
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = decay(y[i - 1], x[i])
    return y
for again in range(6):
    work()
""",
    "a function that draws for each": NUMPY + """
def kept(value):
    return 1.0 if rng.random() < value else 0.0
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = kept(x[i])
    return y
for again in range(4):
    work()
""",
    "a function that counts its calls": NUMPY + """
calls = [0]
def counted(value):
    calls[0] += 1
    return value * 2
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = counted(x[i])
    return y
for again in range(8):
    work()
""",
    "a function of a whole batch": NUMPY + """
def cost(batch, weights):
    return np.log(1 + np.exp(-(batch @ weights))).mean()
batches, weights = rng.random((40, 400, 300)), rng.random((300, 200))
def work():
    return [cost(batches[i], weights) for i in range(len(batches))]
for again in range(6):
    work()
""",
    "rows of what came before, each by a name": NUMPY + """
rows = rng.random((100000, 4))
def work():
    y = rows.copy()
    for i in range(1, len(y)):
        before, row = y[i - 1], y[i]
        row += 0.5 * before
    return y
for again in range(6):
    work()
""",
    "rows of what came before, gone through": NUMPY + """
rows = rng.random((100000, 4))
def work():
    y = rows.copy()
    for i, row in enumerate(y[1:]):
        row += 0.5 * y[i]
    return y
for again in range(6):
    work()
""",
    "rows that functions of NumPy's store into, by their place": NUMPY + """
rows = rng.random((100000, 4))
def work():
    y = rows.copy()
    for i in range(1, len(y)):
        np.add(y[i], 0.5 * y[i - 1], y[i])
    return y
def copied():
    y = rows.copy()
    for i in range(1, len(y)):
        np.copyto(y[i], 0.5 * y[i - 1])
    return y
for again in range(3):
    work(), copied()
""",
    "two views that a function returns": NUMPY + """
def ends(values):
    return values[:-1], values[1:]
def work():
    y = x.copy()
    before, behind = ends(y)
    for i in range(len(before)):
        behind[i] = 0.5 * before[i] + behind[i]
    return y
for again in range(6):
    work()
""",
    "two views out of a list": NUMPY + """
def work():
    y = x.copy()
    pair = [y, y[1:]]
    before, behind = pair
    for i in range(len(behind)):
        behind[i] = 0.5 * before[i]
    return y
for again in range(6):
    work()
""",
    "a method that takes the array which the loop stores into": NUMPY + """
class Filter:
    def __init__(self):
        self.y = np.zeros(len(x))
    def before(self, i):
        return self.y[i - 1]
    def work(self):
        for i in range(1, len(x)):
            self.y[i] = 0.9 * self.before(i) + x[i]
        return self.y
for again in range(6):
    Filter().work()
""",
    "a function that calls one that remembers": NUMPY + """
class Mean:
    def __init__(self):
        self.seen = []
    def keep(self, value):
        self.seen.append(value)
        return self.seen[-2:][0]
    def of(self, value):
        return 0.5 * (value + self.keep(value))
mean = Mean()
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = mean.of(x[i])
    return y
for again in range(5):
    work()
""",
    "advantages, backwards": NUMPY + """
def work():
    advantages, last = np.zeros(len(x)), 0.0
    for t in reversed(range(len(x) - 1)):
        advantages[t] = last = x[t] + 0.99 * x[t + 1] + 0.95 * last
    return advantages
for again in range(6):
    work()
""",
    "an array of a dictionary, from what came before": NUMPY + """
columns = {"a": x, "b": rng.random(150000)}
def work():
    for i in range(1, len(x)):
        columns["a"][i] = 0.9 * columns["a"][i - 1] + columns["b"][i]
for again in range(6):
    work()
""",
    "neighbours, by a header of another name": NUMPY + """
from itertools import pairwise
rows = rng.random((60000, 4))
def pairs():
    y = rows.copy()
    for before, row in pairwise(y):
        row += 0.5 * before
def zipped():
    y = rows.copy()
    later = y[1:]
    for i, (before, row) in enumerate(zip(y, later)):
        row += 0.5 * before
for again in range(4):
    pairs(), zipped()
""",
    "rows by other names": NUMPY + """
rows = rng.random((60000, 4))
class State:
    pass
state = State()
def pair(y, i):
    return y[i - 1], y[i]
def returned():
    y = rows.copy()
    for i in range(1, len(y)):
        before, row = pair(y, i)
        row[:] = 0.5 * before + row
def chained():
    y = state.y = rows.copy()
    for i in range(1, len(y)):
        y[i] = 0.5 * state.y[i - 1] + y[i]
def listed():
    y = rows.copy()
    each = list(y)
    for i in range(1, len(each)):
        y[i] = 0.5 * each[i - 1] + y[i]
for again in range(3):
    returned(), chained(), listed()
""",
    "what a function of NumPy's stores by its place": NUMPY + """
rows = rng.random((60000, 4))
ends = rng.integers(0, 60000, 60000)
def longest():
    y = np.zeros(60000)
    for i in range(60000):
        np.maximum.at(y, ends[i], y[i] + x[i])
def clipped():
    y = rows.copy()
    for i in range(1, len(y)):
        np.clip(y[i - 1] + y[i], -1, 1, y[i])
for again in range(2):
    longest(), clipped()
""",
    "functions that remember by a name of their own": NUMPY + """
state = [0.0]
class Ema:
    def __init__(self):
        self.level = [0.0]
    @property
    def gain(self):
        self.level[0] += 1e-6
        return self.level[0]
    def add(self, value):
        self.level[0] = 0.9 * self.level[0] + 0.1 * value
        return self.level[0]
ema = Ema()
def step(value):
    held = state
    held[0] = 0.9 * held[0] + 0.1 * value
    return held[0]
def work():
    y = np.empty_like(x)
    for i in range(50000):
        y[i] = step(x[i])
    for i in range(50000):
        y[i] = x[i] * ema.gain
    for i in range(50000):
        y[i] = ema.add(x[i])
    return y
for again in range(4):
    work()
""",
    "the whole array beside one element of it": NUMPY + """
z = x[:2500]
def work():
    y = np.zeros(len(z))
    for i in range(len(z)):
        far = np.abs(z - z[i])
        near = np.argpartition(far, 40)[:40]
        y[i] = z[near].mean()
    return y
for again in range(4):
    work()
""",
    "what a condition selects of each row": NUMPY + """
rated = rng.random((3000, 400)) > 0.9
factors = rng.random((400, 8))
def work():
    y = np.zeros((len(rated), 8))
    for i in range(len(rated)):
        some = factors[np.flatnonzero(rated[i])]
        y[i] = some.sum(0) + factors[rated[i] > 0].mean(0)
    return y
for again in range(6):
    work()
""",
    "what only some rounds give, and the others keep": NUMPY + """
def switched():
    on, y = 0.0, np.empty_like(x)
    for i in range(len(x)):
        if x[i] > 0.9:
            on = 1.0
        elif x[i] < 0.1:
            on = 0.0
        y[i] = on
    return y
def held():
    position, gain = 0.0, 0.0
    for i in range(1, len(x)):
        if x[i - 1] > 0.9: position = 1.0
        gain += position * (x[i] - x[i - 1])
    return gain
def tried():
    gain, y = 1.0, np.empty_like(x)
    for i in range(len(x)):
        try:
            gain = 1.0 / int(x[i] * 4)
        except ZeroDivisionError:
            pass
        y[i] = gain * x[i]
    return y
for again in range(3):
    switched(), held(), tried()
""",
    "what is only multiplied and added to": NUMPY + """
class Mean:
    value = 0.0
    def follow(self, x):
        for i in range(len(x)):
            self.value *= 0.99
            self.value += 0.01 * x[i]
        return self.value
def tally(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.99:
            total = 0.0
        total += x[i]
    return total
for again in range(4):
    Mean().follow(x), tally(x)
""",
    "the same object by two names": NUMPY + """
class State:
    last = 0.0
def work():
    state, y = State(), np.empty_like(x)
    also = state
    for i in range(len(x)):
        y[i] = x[i] - also.last
        state.last = x[i]
    return y
for again in range(6):
    work()
""",
    "what a mask lets through, and targets in brackets": NUMPY + """
rows, given = rng.random((20000, 4)), rng.random(20000) > 0.5
def work():
    y, last, before = np.empty_like(rows), np.zeros(4), np.zeros(4)
    for i in range(len(rows)):
        np.copyto(last, rows[i], where=given[i])
        y[i] = last
    for i in range(len(rows)):
        y[i] = rows[i] - before
        (before, other) = (rows[i], i)
    return y
for again in range(6):
    work()
""",
    "a filter in an expression": NUMPY + """
def work():
    value, y = 0.0, np.empty_like(x)
    for i in range(len(x)):
        y[i] = (value := 0.9 * value + 0.1 * x[i])
    return y
for again in range(6):
    work()
""",
    "a set of what came before": NUMPY + """
def work():
    seen, first = set(), {}
    kept = [value for value in x if not (int(value * 500) in seen or seen.add(int(value * 500)))]
    return kept, [first.setdefault(int(value * 500), value) for value in x]
for again in range(6):
    work()
""",
}
