"""Programs with loops that work on one element at a time, their lines marked "# A"."""
NUMPY = """
import numpy as np
rng = np.random.default_rng(0)
x = rng.random(150000)
X = rng.random((1500, 40, 60))
W = rng.random((60, 50))
parts = [rng.random(3000) for _ in range(400)]
"""
TORCH = """
import torch
torch.set_num_threads(1)
x = torch.rand(40000)
X = torch.rand(1500, 40, 60)
W = torch.rand(60, 50)
"""

TINY = {
    "an array is filled": NUMPY + """
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = x[i] * 2 + 1  # A
for again in range(12):
    work()
""",
    "a name for what is made of an element": NUMPY + """
def work():
    flat, y = x.ravel(), np.empty_like(x)
    for i in range(flat.size):
        value = flat[i] / 0.125
        y[i] = min(max(np.floor(value) * 0.125, 0.1), 0.9)  # A
    return y
for again in range(8):
    work()
""",
    "a sum, counted by while": NUMPY + """
def work():
    total, i = 0.0, 0
    while i < len(x):
        total += x[i] * x[i]  # A
        i += 1
    return total
for again in range(12):
    work()
""",
    "the greatest, and where it is": NUMPY + """
def work():
    best, at = -np.inf, 0
    for i in range(len(x)):
        value = x[i] * 2 - 1  # A
        if value > best:
            best, at = value, i
    return best, at
for again in range(12):
    work()
""",
    "the greatest, taken twice where it is one": NUMPY + """
def work():
    best, at = x[0], 0
    for i in range(1, len(x)):
        if x[i] >= best:  # A
            best = x[i]
            at = i
    return best, at
for again in range(24):
    work()
""",
    "each in place": NUMPY + """
def work():
    for i in range(len(x)):
        x[i] *= 0.999  # A
for again in range(24):
    work()
""",
    "how many are large enough": NUMPY + """
def work():
    count = 0
    for i in range(len(x)):
        if x[i] >= 0.5:  # A
            count += 1
    return count
for again in range(24):
    work()
""",
    "a lambda by its name, for each": NUMPY + """
def work():
    bend = lambda v: v if v > 0.5 else 0.1 * v
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = bend(x[i])  # A
    return y
for again in range(12):
    work()
""",
    "the smallest, by a call": NUMPY + """
def work():
    least = np.inf
    for i in range(len(x)):
        least = min(least, x[i])  # A
    return least
for again in range(12):
    work()
""",
    "the nearest, on a row of its own": NUMPY + """
def work():
    near, nearest = np.inf, None
    for i in range(len(x)):
        far = abs(x[i] - 0.5)  # A
        if near > far: near = far; nearest = i
    return near, nearest
for again in range(12):
    work()
""",
    "a sum that is written out": NUMPY + """
def work():
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * x[i]  # A
    return total
for again in range(12):
    work()
""",
    "distances by a function of NumPy's own, from one row to another": NUMPY + """
rows, others = rng.random((150, 8)), rng.random((100, 8))
def work():
    distances = np.zeros((150, 100))
    for i in range(len(rows)):
        for j in range(len(others)):
            distances[i, j] = np.sum((rows[i] - others[j]) ** 2)  # A
    return distances
for again in range(24):
    work()
""",
    "attributes that are two arrays, whatever other functions call theirs": NUMPY + """
class Grid:
    def __init__(self):
        self.old, self.new = x[:10000].reshape(100, 100), np.zeros((100, 100))
    def other(self):
        old = self.new
        return old
    def work(self):
        for i in range(1, 99):
            for j in range(1, 99):
                self.new[i, j] = 0.5 * (self.old[i - 1, j] + self.old[i + 1, j])  # A
grid = Grid()
for again in range(40):
    grid.work()
""",
    "the next element, and the one that is there": NUMPY + """
def work():
    y = np.zeros(len(x) + 1)
    for i in range(len(x)):
        y[i + 1] = y[i + 1] * 0.5 + x[i]  # A
    return y
for again in range(6):
    work()
""",
    "the array itself is iterated over": NUMPY + """
def work():
    total = 0.0
    for value in x:
        total += value * value  # A
    return total
for again in range(20):
    work()
""",
    "rows, enumerated": NUMPY + """
flat = X.reshape(-1, 60)
def work():
    scores = np.empty(len(flat))
    for i, row in enumerate(flat):
        scores[i] = row @ W[:, 0]  # A
for again in range(14):
    work()
""",
    "pairs of both indices": NUMPY + """
image = x[:90000].reshape(300, 300)
def work():
    counts = np.zeros(300)
    for row in range(300):
        for column in range(300):
            counts[row] += image[row, column] > 0.5  # A
for again in range(12):
    work()
""",
    "on the line of the loop": NUMPY + """
y = np.empty_like(x)
def work():
    for i in range(len(x)): y[i] = 2 * x[i]  # A
for again in range(12):
    work()
""",
    "from views of another array": NUMPY + """
y = np.zeros_like(x)
def work():
    before, here = x[:-1], x[1:]
    old, new = x, y
    old, new = new, old
    for i in range(len(here)):
        y[i] = before[i] * 0.5 + here[i]  # A
for again in range(10):
    work()
""",
    "rows of four, beside a column that data choose": NUMPY + """
table, order, first, second = rng.random((4, 10)), rng.integers(0, 10, 20000), rng.random((20000, 4)), rng.random((20000, 4))
def work(step):
    made = np.zeros((19999, 4, 4))
    for t in range(19999):
        made[t] = first[t][:, None] * step * (table[:, order[t + 1]] * second[t + 1])[None, :]  # A
    return made.sum(axis=0)
for again in range(12):
    work(table[:, :4])
""",
    "two elements that are unpacked": NUMPY + """
def work():
    flat, y = x[::-1], np.empty_like(x)
    for i in range(len(x)):
        a, b = x[i], flat[i]
        y[i] = a * b + 1  # A
for again in range(8):
    work()
""",
    "elements whose types stand beside their names": NUMPY + """
def work(x: np.ndarray, scale: float = 2.0) -> np.ndarray:
    y: np.ndarray = np.empty_like(x)
    for i in range(len(x)):
        a: float = x[i]
        y[i] = a * scale + 1  # A
    return y
for again in range(12):
    work(x)
""",
    "rows that are unpacked": NUMPY + """
def work():
    points, total = x.reshape(-1, 2), 0.0
    for i in range(len(points)):
        a, b = points[i]  # A
        total += a * b
    return total
for again in range(12):
    work()
""",
    "both indices, one behind the other": NUMPY + """
M = rng.random((300, 400))
def work():
    total = 0.0
    for i in range(300):
        for j in range(400):
            total += M[i][j] ** 2  # A
    return total
for again in range(6):
    work()
""",
    "an array is changed as it is enumerated": NUMPY + """
def work():
    y = x.copy()
    for i, a in enumerate(y):
        y[i] = a * 2 + 1  # A
for again in range(8):
    work()
""",
    "a tensor": TORCH + """
def work():
    above = 0
    for i in range(len(x)):
        if x[i] > 0.5:  # A
            above += 1
    return above
for again in range(12):
    work()
""",
    "a tensor's items": TORCH + """
def work():
    total = 0.0
    for i in range(len(x)):
        value = x[i]
        total += float(value * value)  # A
    return total
for again in range(10):
    work()
""",
    "a tensor says which": TORCH + """
labels = torch.randint(0, 10, (4000,))
def work():
    encoded = torch.zeros(len(labels), 10)
    for i in range(len(labels)):
        encoded[i, labels[i]] = 1.0  # A
    return encoded
for again in range(12):
    work()
""",
    "an image by numbers": NUMPY + """
image = x[:784].reshape(28, 28)
def work():
    out = np.empty((28, 28))
    for row in range(28):
        for column in range(28):
            out[row, column] = image[row, column] / 255.0  # A
for again in range(1500):
    work()
""",
    "a tensor itself is iterated over, with another": TORCH + """
target = (x > 0.5).float()
def work():
    total = 0.0
    for value, label in zip(x, target):
        total += (1 - label) * torch.log(value + 1) + label  # A
    return total
for again in range(3):
    work()
""",
    "through a wrapper of PyTorch's alone": TORCH + """
target = (x > 0.5).float()
def work():
    total = 0.0
    for label in target:
        total = 1 - label  # A
    return total
for again in range(6):
    work()
""",
    "a function of the program's own for each": NUMPY + """
def relu(value):
    return value if value > 0.5 else 0.0
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = relu(x[i])  # A
    return y
for again in range(12):
    work()
""",
    "a function that calls another, of several rows": NUMPY + """
import math
def bend(value):
    return math.exp(-value)
def cost(value, goal):
    \"\"\"Of one.\"\"\"
    far = value - goal
    if far < 0:
        return bend(far)
    return 2 * far
def work():
    total, goals = 0.0, x * 0.5
    for i in range(len(x)):
        total += cost(x[i], goals[i])  # A
    return total
for again in range(5):
    work()
""",
    "a method for each, its result by a name": NUMPY + """
class Layer:
    slope = 0.01
    def bend(self, value):
        return max(value, self.slope * value)
    def forward(self, values):
        out = np.zeros(len(values))
        for i in range(len(values)):
            y = self.bend(values[i])  # A
            out[i] = y
        return out
layer = Layer()
for again in range(8):
    layer.forward(x - 0.5)
""",
    "a method of an object that is handed in": NUMPY + """
class Bend:
    slope = 0.01
    def __call__(self, value):
        return value
    def of(self, value):
        return max(value, self.slope * value)
def work(layer):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = layer.of(x[i] - 0.5)  # A
    return y
for again in range(8):
    work(Bend())
""",
    "a function of what the loop counts, which takes most of it": NUMPY + """
def work():
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] / np.log2(i + 2)  # A
    return y
for again in range(3):
    work()
""",
    "backwards": NUMPY + """
def work():
    y = np.empty_like(x)
    for i in reversed(range(len(x))):
        y[i] = x[i] * 2 + 1  # A
for again in range(10):
    work()
""",
    "with a bar that shows how far it is": NUMPY + """
def tqdm(rounds, desc=""):
    return rounds
def work():
    y = np.empty_like(x)
    for i in tqdm(range(len(x)), desc="rows"):
        y[i] = x[i] * 2 + 1  # A
for again in range(10):
    work()
""",
    "arrays of a dictionary": NUMPY + """
columns = {"a": x, "b": rng.random(150000)}
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = columns["a"][i] - columns["b"][i]  # A
for again in range(8):
    work()
""",
    "what each round gives, whichever way it goes": NUMPY + """
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        if x[i] > 0.5:
            factor = 1.0
        else:
            factor = 0.5
        y[i] = factor * x[i] * x[i] + x[i] * x[i] - factor * x[i]  # A
    return y
for again in range(8):
    work()
""",
}

COMPREHENSIONS = {
    "by index": NUMPY + """
y = x[::-1].copy()
def work():
    return [x[i] * 2 + y[i] for i in range(len(x))]  # A
for again in range(12):
    work()
""",
    "items, with a condition": NUMPY + """
def work():
    return [value * 2
            for value in x
            if value > 0.5]  # A
for again in range(16):
    work()
""",
    "a generator of pairs": NUMPY + """
y = x[::-1].copy()
def work():
    return sum(a * b for a, b in zip(x, y))  # A
for again in range(16):
    work()
""",
    "within a call within a loop": NUMPY + """
import math
def work():
    kept = []
    for again in range(12):
        kept.append(np.array([math.sqrt(value * again) for value in x]).sum())  # A
work()
""",
    "of tensors": TORCH + """
def work():
    return [float(x[i] * x[i]) for i in range(len(x))]  # A
for again in range(6):
    work()
""",
}
