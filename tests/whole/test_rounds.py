"""What comes round is to be built before the loop that brings it round, and where several may, all are named: no other would be right."""
import re

import pytest
from marked import NUMPY, TORCH, found

LATER = """
def scaled(x):
    return (x - x.mean(0)) / (x.std(0) + 1e-9)  # finding
data = random.normal(size=(512, 64))
"""

ROUNDS = {
    "a run of a function with loops of its own": ("recomputed input", "the same 24", ("# epochs", "# rates"), NUMPY + LATER + """
        def train(rate):
            order, total = np.random.default_rng(5), 0.0
            for epoch in range(3):  # epochs
                rows = order.permutation(512)
                for start in range(0, 512, 64):
                    total += rate * float(scaled(data[rows[start : start + 64]])[3, 4])
            return total
        for rate in range(12):  # rates
            train(rate)
        """),
    "batches, through a generator": ("recomputed input", "the same 24", ("# batches", "# epochs"), NUMPY + """
        layers = [random.normal(size=(64, 64)) for _ in range(3)]
        data = random.normal(size=(512, 64))
        def views(x):
            mean = x.mean(axis=1, keepdims=True) + np.zeros((64, 64))
            a, b, c = (np.tanh(x @ layer) for layer in layers)  # finding
            return a + b + c + mean
        for epoch in range(12):  # epochs
            for start in range(0, 512, 64):  # batches
                views(data[start : start + 64])
        """),
    "folds, for each of a generator's": ("recomputed input", None, ("# grid",), NUMPY + LATER + """
        folds = np.split(np.arange(512), 8)
        def score(rate):
            total = 0.0
            for rows in folds:
                total += rate * float(scaled(data[rows])[3, 4])
            return total
        print(min(score(rate) for rate in range(12)) < 1e9)  # grid
        """),
    "epochs that no loop of Python makes": ("recomputed input", None, (), NUMPY + LATER + """
        def epoch(_):
            for start in range(0, 512, 64):
                scaled(data[start : start + 64])
        list(map(epoch, range(12)))
        """),
    "epochs": ("recomputed input", None, ("# epochs",), NUMPY + LATER + """
        for epoch in range(12):  # epochs
            for start in range(0, 512, 64):
                scaled(data[start : start + 64])
        """),
    "a list in each step, in a call that makes all again": ("loop-invariant computation", None, ("# steps", "# with it", "# call"), NUMPY + """
        decay = random.normal(size=(64, 64))
        def masks():
            base = np.abs(decay)  # with it
            return sum(base) + np.stack([np.exp(decay * head) for head in range(1, 5)])  # finding
        for step in range(4000):  # steps
            masks()  # call
        """),
}


def program(tmp_path, source):
    path, report = found(tmp_path, source)
    lines = {line.split("  ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    (finding,) = [finding for finding in report["findings"] if finding["line"] == lines["# finding"] and finding["kind"] == "replica"]
    return finding, lines


@pytest.mark.parametrize("name", ROUNDS)
def test_the_loops_that_may_bring_them_round_are_named(tmp_path, name):
    category, contents, marks, source = ROUNDS[name]
    finding, lines = program(tmp_path, source)
    assert finding["category"] == category
    named = sorted({int(number) for number in re.findall(r"program\.py:(\d+)", finding["advice"])})
    assert named == sorted(lines[mark] for mark in marks), finding["advice"]
    assert ("the loop that makes " + (contents or "")) in finding["advice"] or contents is None


def test_what_has_several_lengths_is_told_for_each(tmp_path):
    finding, lines = program(tmp_path, NUMPY + """
        lengths = [40 + 8 * k for k in range(12)]
        def bias(length):
            return np.log1p(np.abs(np.subtract.outer(np.arange(length), np.arange(length))))  # finding
        for epoch in range(20):  # epochs
            for length in lengths:
                bias(length)
        """)
    assert "equal to the one before of this size" in finding["claim"]
    assert f"Build it once, for each size, outside the loop at program.py:{lines['# epochs']}" in finding["advice"]


@pytest.mark.parametrize("other, told, advice", [(3.0, "each compared with its own results", "for each way"),
                                                 (2.0, "which made the same", "for all ways")])
def test_a_line_that_is_reached_in_several_ways_is_told_so(tmp_path, other, told, advice):
    finding, lines = program(tmp_path, NUMPY + f"""
        def mask(value):
            return np.log1p(np.triu(np.full((100, 100), value)) + np.eye(100))  # finding
        def encode():
            return mask(2.0)  # encode
        def decode():
            return mask({other})  # decode
        first = mask(2.0)
        for step in range(60):  # steps
            encode(); decode()
        """)
    ways = f"(program.py:{lines['# encode']} and program.py:{lines['# decode']})"
    assert f"The line is reached in 2 ways {ways}, {told}." in finding["claim"]
    assert f"Build it once, {advice}, outside the loop at program.py:{lines['# steps']}" in finding["advice"]


def test_one_way_that_follows_a_third_says_nothing_of_the_other(tmp_path):
    finding, lines = program(tmp_path, NUMPY + """
        kernel = random.normal(size=(128, 128))
        def spectrum(k):
            return np.fft.rfft2(k)  # finding
        first = spectrum(kernel)
        total = 0.0
        for step in range(60):  # steps
            total += spectrum(kernel)[3, 4].real  # one
            total -= spectrum(kernel.T)[3, 4].real  # other
        """)
    ways = f"(program.py:{lines['# one']} and program.py:{lines['# other']})"
    assert f"The line is reached in 2 ways {ways}, each compared with its own results." in finding["claim"]
    assert f"Build it once, for each way, outside the loop at program.py:{lines['# steps']}" in finding["advice"]


@pytest.mark.parametrize("second, ways", [("mask(3.0)", 2), ("mask(3.0); mask(4.0)", 3)])
def test_no_loop_is_named_where_the_ways_have_loops_of_their_own(tmp_path, second, ways):
    finding, _ = program(tmp_path, NUMPY + f"""
        def mask(value):
            return np.log1p(np.triu(np.full((100, 100), value)) + np.eye(100))  # finding
        for step in range(60):
            mask(2.0)
        for step in range(60):
            {second}
        """)
    assert f"The line is reached in {ways} ways" in finding["claim"]
    assert "Build it once, for each way, and keep it." in finding["advice"]


def test_a_way_that_alone_makes_the_same_is_named(tmp_path):
    finding, lines = program(tmp_path, NUMPY + """
        start, state = random.normal(size=(64, 64)), [None]
        def picture(x):
            return np.tanh(x)  # finding
        def reset():
            state[0] = start
            return picture(state[0])  # same
        def step():
            state[0] = state[0] + random.normal(size=(64, 64))
            return picture(state[0])  # new
        for episode in range(60):
            reset()
            step()
        """)
    same, new = lines["# same"], lines["# new"]
    assert f"That is so by program.py:{same} alone: by program.py:{new} the line's results are new." in finding["claim"]


def test_where_three_ways_lead_their_number_is_told(tmp_path):
    finding, _ = program(tmp_path, NUMPY + """
        def deep(depth):
            np.log1p(np.triu(np.full((100, 100), depth + 1.0)) + np.eye(100))  # finding
            if depth:
                deep(depth - 1)
        for step in range(60):
            deep(2)
        """)
    assert "The line is reached in 3 ways, each compared with its own results." in finding["claim"]


IN_TWO_LOOPS = """
        data, scale = random.normal(size=(64, 64)), random.normal(size=(64, 64))
        for seed in range(12):  # seeds
            {changes}
            for step in range(40):  # steps
                mask = np.log1p(np.abs(scale))  # finding
                data = data + mask * random.normal(size=(64, 64))
        """


@pytest.mark.parametrize("changes, loop", [("other = np.sort(scale)", "# seeds"), ("scale = random.normal(size=(64, 64))", "# steps")])
def test_only_what_never_changes_is_built_before_the_outermost_loop(tmp_path, changes, loop):
    """What the outer loop changes is built in each of its passes."""
    finding, lines = program(tmp_path, NUMPY + IN_TWO_LOOPS.format(changes=changes))
    assert f"Build it once, outside the loop at program.py:{lines[loop]}." in finding["advice"]


def test_a_comprehension_is_the_loop_where_there_is_no_other(tmp_path):
    finding, lines = program(tmp_path, NUMPY + """
        data = random.normal(size=(200, 300))
        def window(size):
            return np.sqrt(np.hanning(size) + np.arange(size))  # finding
        def energy(row):
            return float((row * window(300)).sum())
        energies = [energy(row) for row in data]  # rows
        """)
    assert f"Build it once, outside the comprehension at program.py:{lines['# rows']}." in finding["advice"]


SELDOM = {
    "a schedule, by steps": NUMPY + """
        distances = np.abs(random.normal(size=(64, 64)))
        class Annealed:
            beta = 0.1
            def kernel(self):
                return np.exp(-self.beta * distances)  # finding
        model, total = Annealed(), 0.0
        for step in range(3000):
            if step in (700, 1500, 2300):
                model.beta *= 3
            total += float(model.kernel()[3, 4])
        """,
    "stages of more steps than are looked at": NUMPY + """
        class Coder:
            def __init__(self, basis):
                self.basis = basis
            def grams(self):
                return self.basis.T @ self.basis  # finding
        coder, total = Coder(random.normal(size=(40, 64))), 0.0
        for stage in range(3):
            for step in range(1100):
                total += float(coder.grams()[3, 4])
            coder.basis = np.tanh(coder.basis)
        """,
    "weights that are zero at first, and settle at once": NUMPY + """
        signs = random.choice([-1.0, 1.0], 500)
        data = random.normal(size=(500, 60)) + 3 * signs[:, None]
        class Perceptron:
            def __init__(self):
                self.weights = np.zeros(60)
            def margins(self):
                return signs * (data @ self.weights)  # finding
            def epoch(self):
                wrong = np.flatnonzero(self.margins() <= 0)
                if len(wrong):
                    self.weights += signs[wrong] @ data[wrong]
        model = Perceptron()
        for epoch in range(1200):
            model.epoch()
        """,
}


@pytest.mark.parametrize("name", SELDOM)
def test_what_changes_now_and_then_is_built_where_it_does(tmp_path, name):
    finding, _ = program(tmp_path, SELDOM[name])
    assert finding["advice"].startswith("Build it where its inputs change, and keep it until then.")
    assert "from inputs that hardly ever change" in finding["claim"]


def test_what_is_new_each_time_after_long_is_none_to_keep(tmp_path):
    """The angles move after the first thousand results, which were all looked at."""
    _, report = found(tmp_path, NUMPY + """
        angles = random.normal(size=(64, 64))
        class Rotation:
            speed = turned = 0.0
            def cosines(self):
                return np.cos(angles + self.turned)
        rotation, total = Rotation(), 0.0
        for step in range(2000):
            rotation.speed = 0.1 if step > 1100 else 0.0
            rotation.turned += rotation.speed
            total += float(rotation.cosines()[3, 4])
        """)
    assert report["findings"] == []


ENCODER = NUMPY + """
        layers = [(random.normal(size=(64, 64)) / 9, random.normal(size=(64, 64)) / 9) for _ in range(LAYERS)]
        def encode(x):
            for w, u in layers:
                hidden = np.maximum(x @ w, 0.0)  # also
                x = x + hidden @ u  # finding
            return x
        for sentence in range(12):
            words, state = random.normal(size=(50, 64)), np.zeros(64)
            for word in range(20):  # words
                memory = encode(words)
                state = np.tanh(state + memory.mean(axis=0))
        """

LAYERED = {
    "an encoder of layers, anew for each word": (
        "loop-invariant computation", "Build the 2 of them once, before or in the first pass of the loop at program.py:{}", ENCODER.replace("LAYERS", "2")),
    "an encoder of one layer, in a loop": (
        "loop-invariant computation", "Build it once, outside the loop at program.py:{}", ENCODER.replace("LAYERS", "1")),
    "PyTorch's encoder of two layers, anew for each word": ("loop-invariant computation", "Build it once, outside the loop at program.py:{}", TORCH + """
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 2, 64, batch_first=True), 2).eval()
        cell = nn.GRUCell(32, 32)
        with torch.no_grad():
            for batch in range(20):
                words, state = torch.randn(4, 20, 32), torch.zeros(4, 32)
                for word in range(10):  # words
                    memory = encoder(words)  # finding
                    state = cell(memory.mean(dim=1), state)
        """),
    "three layers, of four batches that come round within each task": (
        "loop-invariant computation", "Build the 12 of them once, before or in the first pass of the loop at program.py:{}", NUMPY + """
        layers = [random.normal(size=(64, 64)) / 9 for _ in range(3)]
        def features(x):
            for layer in layers:
                x = np.maximum(x @ layer, 0.0)  # finding
            return x
        for task in range(6):
            batches, head = random.normal(size=(4, 50, 64)), random.normal(size=64)
            for epoch in range(10):  # words
                for x in batches:
                    head = head - 0.01 * (features(x) * head).mean(axis=0)
        """),
    "one, whose inputs the outermost of three loops brings": (
        "loop-invariant computation", "Build it once, outside the loop at program.py:{}", NUMPY + """
        total = 0.0
        for sentence in range(10):
            words = random.normal(size=(60, 64))
            for word in range(8):  # words
                state = random.normal(size=(3, 64))
                for beam in range(3):
                    memory = np.tanh(words)  # finding
                    total += float((memory @ state[beam]).sum())
        """),
    "batches that come round within each fold": ("loop-invariant computation", "Build the 8 of them once, before or in the first pass of the loop at program.py:{}",
                                                 NUMPY + LATER + """
        for fold in range(6):
            rows = random.permutation(512)[:480]
            for epoch in range(10):  # words
                for start in range(0, 480, 60):
                    scaled(data[rows[start : start + 60]])
        """),
}


@pytest.mark.parametrize("name", LAYERED)
def test_what_comes_round_within_each_round_is_told_with_its_loop(tmp_path, name):
    category, advice, source = LAYERED[name]
    finding, lines = program(tmp_path, source)
    assert finding["category"] == category
    assert "from inputs that did not change in between" in finding["claim"]
    assert advice.format(lines["# words"]) in finding["advice"], finding["advice"]


def test_of_a_function_that_runs_once_in_a_loop_the_loop_in_it_is_named(tmp_path):
    """What it is made from is made in that run."""
    finding, lines = program(tmp_path, NUMPY + """
        def by_kernel(n):
            X, a = random.normal(size=(n, 60)), np.zeros(n)
            for step in range(60):  # steps
                K = X @ X.T  # finding
                a += 1e-4 * (1.0 - K @ a)
            return a.sum()
        def by_lines(n):
            return np.linalg.lstsq(random.normal(size=(n, 60)), random.normal(size=n), rcond=None)[0].sum()
        for fit in [by_lines, by_kernel]:
            fit(500)
        """)
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{lines['# steps']}.")


def test_what_a_function_is_handed_anew_is_built_before_the_loop_in_it(tmp_path):
    """Most of its births are passed over: that nothing but what is handed in changes it, the text says."""
    finding, lines = program(tmp_path, NUMPY + """
        class Als:
            def half(self, fixed, rows):
                out = np.zeros((len(rows), 40))
                for user, items in enumerate(rows):  # users
                    gram = fixed.T @ fixed  # finding
                    chosen = fixed[items]
                    out[user] = np.linalg.solve(gram + 20 * chosen.T @ chosen, 21 * chosen.sum(0))
                return out
            def fit(self, rows, columns):
                self.V = random.normal(0, 0.1, (len(columns), 40))
                for epoch in range(8):
                    self.U = self.half(self.V, rows)
                    self.V = self.half(self.U, columns)
        rows = [random.choice(900, 5, replace=False) for _ in range(1000)]
        columns = [random.choice(1000, 5, replace=False) for _ in range(900)]
        Als().fit(rows, columns)
        """)
    assert finding["category"] == "loop-invariant computation"
    assert finding["advice"].startswith(f"Build it once, for each way, outside the loop at program.py:{lines['# users']}.")
    assert "from inputs that hardly ever change" in finding["claim"]


def test_of_one_loop_nothing_is_built_once_that_may_come_round(tmp_path):
    """Whether a package makes all in each call, or the program hands it one after the other, is not known."""
    finding, _ = program(tmp_path, NUMPY + """
        batches, total = random.normal(size=(4, 300, 40)), 0.0
        for i in range(240):
            ordered = np.sort(batches[i % 4], axis=0)  # finding
            total += ordered[3, 4] * i
        """)
    assert "equal to the one 4 before: the same 4 contents come round again" in finding["claim"]
    assert finding["advice"].startswith("Build them once and keep them.")


STAYING = {
    "which units of two layers are on, of a batch that is used eight times, while they learn": NUMPY + """
        layers, data = [random.normal(size=(48, 48)) / 7 for _ in range(2)], random.normal(size=(40, 64, 48))
        for batch in range(40):
            for use in range(8):
                x = data[batch]
                for k in range(2):
                    before = x @ layers[k]
                    is_on = before > 0
                    layers[k] = layers[k] - 1e-9 * (x.T @ is_on)
                    x = before * is_on
        """,
    "two roots that have settled, within each of some rounds": NUMPY + """
        for round in range(12):
            squares, roots = random.random((2, 400)) + 1, [np.ones(400), np.ones(400)]
            for step in range(30):
                for k in range(2):
                    roots[k] = 0.5 * (roots[k] + squares[k] / roots[k])
        """,
    "labels by three members that learn slowly, of a batch that is used eight times": NUMPY + """
        class Member:
            def __init__(self):
                self.weights = random.normal(size=(48, 6))
            def scores(self, x):
                return x @ self.weights
            def learn(self, labels):
                self.weights = self.weights - 1e-9 * labels.mean() * random.normal(size=(48, 6))
        members, data = [Member() for _ in range(3)], random.normal(size=(40, 400, 48))
        for batch in range(40):
            for use in range(8):
                for member in members:
                    labels = member.scores(data[batch]).argmax(axis=1)
                    member.learn(labels)
        """,
    "three points that have converged with their first step, in each round": NUMPY + """
        for round in range(12):
            held, points = random.normal(size=(3, 900)), [np.zeros(900) for _ in range(3)]
            for step in range(30):
                for i in range(3):
                    points[i] = 0.0 * points[i] + held[i]
        """,
    "levels of two signals, which change when it happens to": NUMPY + """
        changes = sorted(random.choice(600, 24, replace=False).tolist())
        for step in range(600):
            level = sum(step >= change for change in changes)
            drawn = random.normal(size=(2, 300))
            for k in range(2):
                steps = np.full(300, float(level + k)).cumsum()
                drawn[k] = drawn[k] * steps
        """,
}


@pytest.mark.parametrize("name", STAYING)
def test_what_stays_for_other_reasons_is_no_finding(tmp_path, name):
    _, report = found(tmp_path, STAYING[name])
    assert [(finding["line"], finding["claim"]) for finding in report["findings"] if finding["kind"] == "replica"] == []
