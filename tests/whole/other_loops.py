"""Programs with loops that only look like ones over elements: nothing is to be told of them."""
from element_loops import NUMPY, TORCH

NONE = {
    "data say which of two is next": NUMPY + """
a, b = np.sort(x), np.sort(rng.random(150000))
def work():
    out, i, j, k = np.empty(300000), 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
        k += 1
    return out
for again in range(3):
    work()
""",
    "data say how far it goes": NUMPY + """
a, b = np.sort(x), np.sort(rng.random(150000))
def work():
    out, j, k = np.empty(300000), 0, 0
    for i in range(len(a)):
        while j < len(b) and b[j] < a[i]:
            out[k] = b[j]
            j += 1
            k += 1
        out[k] = a[i]
        k += 1
    return out
for again in range(3):
    work()
""",
    "data say what is passed over": NUMPY + """
def work():
    i, n, y = 0, len(x), np.zeros_like(x)
    while i < n:
        if x[i] < 0.2:
            i += 1
        y[i - 1] = x[i - 1] * 2
        i += 1
    return y
for again in range(4):
    work()
""",
    "data say where it ends": NUMPY + """
def work():
    i, n, total = 0, 100000, 0.0
    while i < n:
        if x[i] > 0.5 and n < len(x):
            n += 1
        total += x[i] * x[i]
        i += 1
    return total
for again in range(6):
    work()
""",
    "a greatest that is counted, and one that what is made depends on": NUMPY + """
def work():
    best, records = -1.0, 0
    for i in range(len(x)):
        value = x[i] * 2
        if value > best:
            best = value
            records += 1
    top = -1.0
    for i in range(len(x)):
        value = x[i] - top * 0.5
        if value > top:
            top = value
    return best, records, top
for again in range(12):
    work()
""",
    "a greatest that falls with each round, and one that is only kept where a switch is on": NUMPY + """
def work(on=True):
    best, last = -1.0, 0.0
    for i in range(len(x)):
        value = x[i] * 2
        best = max(best * 0.999, value)
    for i in range(len(x)):
        value = x[i] * 2
        if value > last:
            on = not on
            last = value
    return best, last
for again in range(12):
    work()
""",
    "a sum that starts anew where it is too large": NUMPY + """
def work():
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] if total < 100 else 0.0
    return total
for again in range(12):
    work()
""",
    "what is added depends on the sum": NUMPY + """
def work():
    total = 0.0
    for i in range(len(x)):
        total = total + 0.1 * (x[i] - total)
    return total
for again in range(12):
    work()
""",
    "one element that each round goes on with": NUMPY + """
def work():
    y = np.zeros(60)
    for i in range(1500):
        y[7] = 0.9 * y[7] + X[i, 0, 7]
    return y
for again in range(240):
    work()
""",
    "one element that each round multiplies and adds to": NUMPY + """
def work():
    y = np.zeros(60)
    for i in range(1500):
        y[7] *= 0.9
        y[7] += X[i, 0, 7]
    return y
for again in range(240):
    work()
""",
    "an element that two rounds have": NUMPY + """
def work():
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i // 2] = np.tanh(y[i // 2] + x[i])
    return y
for again in range(3):
    work()
""",
    "pairs that overlap": NUMPY + """
def work():
    for i in range(30000):
        x[[i, i + 1]] = np.sort(x[[i, i + 1]])
for again in range(2):
    work()
""",
    "what an earlier round stored, by a name that the file gives it": NUMPY + """
grid = x[:90000].reshape(300, 300)
flat = grid.ravel()
def work():
    for i in range(1, 299):
        for j in range(1, 299):
            grid[i, j] = 0.5 * (flat[(i - 1) * 300 + j] + flat[i * 300 + j - 1])
for again in range(4):
    work()
""",
    "what an earlier round stored, by an attribute": NUMPY + """
class Filter:
    def __init__(self):
        signal = x.copy()
        before = signal[:-1]
        self.signal = signal
        self.before = before
    def work(self):
        for i in range(len(x) - 1):
            self.signal[i + 1] = 0.9 * self.before[i] + 0.1 * self.signal[i + 1]
filtered = Filter()
for again in range(4):
    filtered.work()
""",
    "drawn one after the other": NUMPY + """
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        value = x[i] / 2
        y[i] = rng.gamma(value) if value > 0.2 else rng.normal(value)
    return y
for again in range(4):
    work()
""",
    "a heap that each round changes": NUMPY + """
import heapq
def work():
    heap, y = [0.0], np.empty_like(x)
    for i in range(len(x)):
        value = x[i] / 2
        y[i] = np.maximum(heapq.heappushpop(heap, value), value)
    return y
for again in range(4):
    work()
""",
    "batches": NUMPY + """
for again in range(10):
    for i in range(len(X)):
        hidden = X[i] @ W
        loss = np.tanh(hidden).mean()
""",
    "sums of long rows": NUMPY + """
long, sums = rng.random((100, 60000)), np.empty(100)
for again in range(300):
    for i in range(len(long)):
        sums[i] = long[i].sum()
""",
    "slices of an epoch": NUMPY + """
for epoch in range(30):
    for start in range(0, len(x), 64):
        batch = x[start:start + 64]
        loss = (batch * batch).mean()
""",
    "a comprehension over a list of arrays": NUMPY + """
for again in range(200):
    sums = [part.sum() for part in parts]
    tops = [parts[i].max() for i in range(len(parts))]
""",
    "a comprehension of calls of the program's own": NUMPY + """
def bend(value):
    for step in range(40):
        value = value - (value * value - 2) / (2 * value + 1)
    return value
found = [bend(float(x[i])) for i in range(60000)]
""",
    "a comprehension of three": NUMPY + """
position = np.zeros(3)
for again in range(150000):
    total = sum([position[axis] * position[axis] for axis in range(3)])
""",
    "a comprehension of what an earlier round made": NUMPY + """
for again in range(12):
    total = 0.0
    sums = [total := 0.5 * total + x[i] for i in range(len(x))]
""",
    "a comprehension over a list": NUMPY + """
values = x.tolist()
for again in range(60):
    twice = [value * 2 for value in values]
""",
    "a list of arrays, stepped one by one": NUMPY + """
weights = [rng.random((n, 7)) for n in range(3, 43)]
slopes = [rng.random((n, 7)) for n in range(3, 43)]
means = [np.zeros_like(w) for w in weights]
for again in range(3000):
    for i in range(len(weights)):
        means[i] = 0.9 * means[i] + 0.1 * slopes[i]
        weights[i] -= 0.01 * means[i]
""",
    "a recurrence by out": NUMPY + """
h = np.zeros((4000, 8))
small = W[:8, :8] * 0.1
for again in range(20):
    for t in range(1, len(h)):
        np.tanh(h[t - 1] @ small + 1.0, out=h[t])
""",
    "a recurrence through views that go together": NUMPY + """
h = np.zeros((4000, 8))
small = W[:8, :8] * 0.1
for again in range(20):
    for before, here in zip(h, h[1:]):
        here[:] = np.tanh(before @ small + 1.0)
""",
    "a recurrence in a list": NUMPY + """
for again in range(10):
    smooth = [x[0]]
    for i in range(1, 30000):
        smooth.append(0.9 * smooth[-1] + 0.1 * x[i])
""",
    "a recurrence of tensors, in place": TORCH + """
h = torch.zeros(3000, 8)
small = W[:8, :8] * 0.1
for again in range(6):
    for t in range(1, len(h)):
        h[t].copy_(torch.tanh(h[t - 1] @ small + 1.0))
""",
    "means that data choose": NUMPY + """
where = rng.integers(0, 50, len(x))
means = np.zeros(50)
for again in range(6):
    for i in range(60000):
        k = where[i]
        means[k] += 0.1 * (x[i] - means[k])
""",
    "the first that is large": NUMPY + """
for again in range(300):
    place = next(i for i in range(len(x)) if x[i] > 0.9995)
    some = any(x[i] > 0.9995 for i in range(len(x)))
""",
    "a search that raises": NUMPY + """
def work(limit):
    for i in range(len(x)):
        if x[i] * x[i] > limit:
            raise LookupError(i)
places = set()
for again in range(60):
    try:
        work(0.9999)
    except LookupError as found:
        places.add(found.args[0])
""",
    "pieces of unlike lengths": NUMPY + """
ends = np.sort(rng.integers(0, len(x), 3000))
for again in range(60):
    for i in range(len(ends) - 1):
        total = x[ends[i]:ends[i + 1]].sum()
""",
    "batches of a loader": TORCH + """
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(X.reshape(-1, 60), torch.rand(60000, 50))
total = 0.0
for epoch in range(3):
    for batch, target in DataLoader(data, batch_size=8):
        total += ((batch @ W - target) ** 2).mean()
""",
    "a loop over a list of arrays": NUMPY + """
for again in range(150):
    total = 0.0
    for part in parts:
        total += part.sum()
    for i in range(len(parts)):
        total += parts[i].sum()
""",
    "a recurrence": NUMPY + """
def work():
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + x[i]
for again in range(8):
    work()
""",
    "a recurrence on the line of the loop": NUMPY + """
def work():
    y = x.copy()
    for i in range(1, len(x)): y[i] = 0.9 * y[i - 1] + y[i]
for again in range(8):
    work()
""",
    "a recurrence along rows, by two subscripts": NUMPY + """
M = rng.random((200, 400))
for again in range(4):
    for i in range(200):
        for j in range(1, 400):
            M[i][j] = 0.5 * M[i][j - 1] + 0.5 * M[i][j]
""",
    "a table of lists": NUMPY + """
table = [[float(i * j) for j in range(300)] for i in range(300)]
for again in range(8):
    for i in range(300):
        for j in range(300):
            table[i][j] = table[i][j] * 0.5 + 1.0
    np.sort(x)
""",
    "a recurrence by another name": NUMPY + """
def work(a):
    b = a
    for i in range(1, len(a)):
        b[i] = b[i] + 0.5 * a[i - 1]
for again in range(8):
    work(x.copy())
""",
    "a recurrence through views": NUMPY + """
def work(a):
    before = a[:-1]; here = a[1:].reshape(-1)
    for i in range(len(here)):
        here[i] = here[i] * 0.5 + before[i]
for again in range(8):
    work(x.copy())
""",
    "a chain, on the line of the loop": NUMPY + """
after = rng.permutation(len(x))
def work():
    place = 0
    for again in range(len(after)): place = int(after[place])
for again in range(12):
    work()
""",
    "a recurrence through what is enumerated": NUMPY + """
def work():
    y = x.copy()
    for i, a in enumerate(y[:-1]):
        y[i + 1] += 0.5 * a  # A
for again in range(6):
    work()
""",
    "a recurrence through an attribute that is enumerated from one": NUMPY + """
class Reservoir:
    def __init__(self):
        self.level = x.copy()
    def route(self):
        for i, a in enumerate(self.level[:-1], 1):
            self.level[i] = 0.5 * self.level[i] + a  # A
reservoir = Reservoir()
for again in range(6):
    reservoir.route()
""",
    "a recurrence through attributes that are views of one array": NUMPY + """
class Series:
    def __init__(self):
        self.buffer = x.copy()
        self.past, self.future = self.buffer[:-1], self.buffer[1:]
    def run(self):
        for i, (p, e) in enumerate(zip(self.past, x)):
            self.future[i] = 0.7 * p + e  # A
series = Series()
for again in range(6):
    series.run()
""",
    "a recurrence through a view, beside counted places": NUMPY + """
def work():
    y = x.copy()
    low, high = y[:-1], y[1:]
    for a, i in zip(low, range(len(high))):
        high[i] += 0.5 * a  # A
for again in range(6):
    work()
""",
    "a search that ends": NUMPY + """
def work(limit):
    for i in range(len(x)):
        if x[i] > limit: return i
for again in range(20):
    work(2.0)
""",
    "a file is written": NUMPY + """
def work():
    with open("/dev/null", "w") as file:
        for i in range(len(x)): file.write("%f" % x[i])
for again in range(8):
    work()
""",
    "one example a step": NUMPY + """
flat = X.reshape(-1, 60)
weights = np.zeros(60)
for i in range(len(flat)):
    error = flat[i] @ weights - x[i]
    weights -= 0.01 * error * flat[i]
""",
    "three coordinates": NUMPY + """
position = np.zeros(3)
def length(position):
    total = 0.0
    for axis in range(3):
        total += position[axis] * position[axis]
    return total
for again in range(250000):
    length(position)
""",
    "a list": NUMPY + """
values = x.tolist()
def work():
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[i]
    return total
for again in range(60):
    work()
""",
    "a function of each": NUMPY + """
def bend(value):
    for step in range(40):
        value = value - (value * value - 2) / (2 * value + 1)
    return value
found = []
for i in range(60000):
    found.append(bend(float(x[i])))
""",
    "batches of a network": TORCH + """
network = torch.nn.Sequential(torch.nn.Linear(60, 30), torch.nn.ReLU(), torch.nn.Linear(30, 1))
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
for i in range(1500):
    batch = X[i]
    loss = (network(batch) - batch[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "a recurrent cell": TORCH + """
hidden = torch.zeros(1, 50)
steps = X.reshape(-1, 60)
with torch.no_grad():
    for i in range(len(steps)):
        hidden = torch.tanh(steps[i] @ W + hidden)
""",
    "a function that remembers what it was given": NUMPY + """
seen = []
remember = seen.append
def smooth(value):
    remember(value)
    return seen[-2] if len(seen) > 1 else value
def work():
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 0.5 * smooth(x[i]) + 0.25 * x[i] + 0.25 * x[i] * x[i] - x[i] * x[i] * x[i]
    return y
for again in range(8):
    work()
""",
}
