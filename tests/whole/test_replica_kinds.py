"""The kinds of programs in which results are made again, each a program of its own: the marked lines are findings of that
category, and no other line is, whatever its weight."""
import pytest

from marked import NUMPY, TORCH, found, marks

def kept(features):
    """Every hundredth of its results outlives the next hundred."""
    return NUMPY + f"""
        data, kept = random.normal(size=(100, 50)), None
        weights = random.normal(size=50)
        for step in range(900):
            features = {features}
            weights -= 1e-5 * (features.T @ (features @ weights))
            if step % 100 == 7:
                kept = features
        """


def checkpointed(block):
    """A block of a network that is run twice behind checkpoints."""
    return TORCH + """
        from torch.utils.checkpoint import checkpoint
        """ + block + """
        optimizer = torch.optim.SGD(project.parameters(), 1e-4)
        for step in range(60):
            x = data[torch.randint(200, (8,))].requires_grad_()
            loss = checkpoint(block, checkpoint(block, x, use_reentrant=True), use_reentrant=True).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """


PROGRAMS = {
    "rotary tables": NUMPY + """
        def rotate(x):
            angles = np.outer(np.arange(x.shape[0]), 1e4 ** (-np.arange(32) / 32))  # invariant
            cosine, sine = np.cos(angles), np.sin(angles)  # invariant
            left, right = x[:, :32], x[:, 32:]
            return np.concatenate([left * cosine - right * sine, left * sine + right * cosine], axis=1)
        weights = random.normal(size=(64, 64))
        for step in range(60):
            x = random.normal(size=(50, 64))
            weights -= 1e-6 * x.T @ rotate(x @ weights)
        """,
    "data standardised, labels one-hot, distances between all points": NUMPY + """
        data, labels = random.normal(size=(400, 20)), random.integers(0, 10, 400)
        weights = np.zeros((20, 10))
        for step in range(50):
            x = (data - data.mean(axis=0)) / data.std(axis=0)  # invariant
            targets = np.eye(10)[labels]  # invariant
            near = np.exp(-((data[:, None, :] - data[None, :, :]) ** 2).sum(axis=2))  # invariant
            weights -= x.T @ (near @ (x @ weights - targets)) / 1000
        """,
    "columns sorted, which copies them first": NUMPY + """
        data, weights = random.normal(size=(3000, 3)), np.zeros(3)
        for step in range(60):
            ordered = [np.sort(data[:, k]) for k in range(3)]  # invariant
            weights = weights - 1e-4 * (data.T @ (data @ weights - ordered[step % 3]))
        """,
    "coordinates of a grid, which are copies of ranges": NUMPY + """
        weights = np.zeros((60, 60))
        for step in range(200):
            rows, columns = np.meshgrid(np.arange(60), np.arange(60))  # invariant
            distances = np.hypot(rows, columns)  # invariant
            weights = weights + distances * step
        """,
    "features of a frozen backbone, one buffer for each batch": NUMPY + """
        data, frozen = random.normal(size=(14 * 50, 30)), random.normal(size=(30, 40))
        head = np.zeros(40)
        for epoch in range(24):
            for start in range(0, len(data), 50):
                features = data[start : start + 50] @ frozen  # recomputed
                head -= 1e-4 * (features @ head - 1) @ features
        """,
    "features of a frozen backbone, two buffers for each batch": NUMPY + """
        data, frozen = random.normal(size=(14 * 50, 30)), random.normal(size=(30, 40))
        head = np.zeros(40)
        for epoch in range(24):
            for start in range(0, len(data), 50):
                features = np.tanh(data[start : start + 50] @ frozen)  # recomputed
                head -= 1e-4 * (features @ head - 1) @ features
        """,
    "features of a frozen backbone, three buffers of one size in one call": TORCH + """
        backbone = nn.Sequential(nn.Linear(30, 40), nn.Tanh(), nn.Linear(40, 40)).requires_grad_(False)
        data, head = torch.randn(14 * 50, 30), torch.zeros(40)
        for epoch in range(24):
            for batch in data.split(50):
                features = backbone(batch)  # recomputed
                head -= 1e-4 * (features @ head - 1) @ features
        """,
    "the same product for an accuracy report": NUMPY + """
        data, labels = random.normal(size=(600, 30)), random.integers(0, 5, 600)
        weights = random.normal(size=(30, 5))
        for step in range(150):
            scores = data @ weights
            error = scores - (labels[:, None] == step % 5)
            accuracy = ((data @ weights).argmax(axis=1) == labels).mean()  # repeated
            weights = weights - 1e-4 * (data.T @ error)
        """,
    "factors that Python takes first": NUMPY + """
        data, targets = random.normal(size=(500, 20)), random.normal(size=(500, 4))
        weights, metric = random.normal(size=(20, 4)), np.zeros((20, 20))
        for step in range(60):
            scores = data @ weights
            slope = 0.5 * data.T @ (scores - targets)  # invariant
            metric = metric + slope @ slope.T + 0.5 * np.eye(20)  # invariant
            best = scores.argmax(axis=1) == targets.argmax(axis=1)  # invariant
            weights = weights - 1e-4 * slope * best.mean()
        """,
    "the plateau: a mask that is equal for a while": NUMPY + """
        data, labels = random.normal(size=(2000, 8)), random.integers(0, 2, 2000)
        weights = random.normal(size=8)
        for step in range(443):
            if step % 30 == 1:
                weights = weights + random.normal(size=8)
            right = (data @ weights > 0) == labels
            total = right.mean() + step
            weights = weights * (1 + 1e-3)
        """,
    "the same call of an image of which one pixel was changed": NUMPY + """
        weights = random.normal(size=(3000, 30))
        for step in range(120):
            image = random.normal(size=3000)
            before = np.tanh(image)
            image[1501] += 1
            after = np.tanh(image)
            gain = (after - before) @ weights
        """,
    "the best results are kept for a while": kept("np.exp(-data)  # invariant"),
    "new results are kept for a while": kept("np.tanh(data / (1 + step))"),
    "activations that are made again instead of kept, and a mask that need not be": checkpointed("""
        def block(x):
            mask = torch.triu(torch.full((50, 50), -1e9), 1)  # invariant
            query, key, value = project(x).chunk(3, -1)
            return x + (query @ key.transpose(1, 2) / 6 + mask).softmax(-1) @ value
        project, data = nn.Linear(32, 96), torch.randn(200, 50, 32)
        """),
    "work that is done twice, and made again behind a checkpoint": checkpointed("""
        def block(x):
            scores = (x @ key) @ x.transpose(1, 2)
            weights = scores.softmax(-1)
            entropy = (scores.softmax(-1) * scores).sum()  # repeated
            return x + weights @ project(x) + 1e-9 * entropy
        project, data, key = nn.Linear(32, 32), torch.randn(200, 50, 32), torch.randn(32, 32)
        """),
    "checkpoints within a checkpoint": TORCH + """
        import warnings
        from torch.utils.checkpoint import checkpoint
        warnings.simplefilter("ignore")
        def inner(x):
            return x + torch.tanh(project(x)) @ key
        def outer(x):
            return checkpoint(inner, checkpoint(inner, x, use_reentrant=True), use_reentrant=True)
        project, data, key = nn.Linear(32, 32), torch.randn(200, 50, 32), torch.randn(32, 32)
        optimizer = torch.optim.SGD(project.parameters(), 1e-4)
        for step in range(60):
            x = data[torch.randint(200, (8,))].requires_grad_()
            loss = checkpoint(outer, x, use_reentrant=True).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "rows of which few are not zero": NUMPY + """
        batches, total = [np.zeros((40, 10)) for _ in range(20)], 0.0
        for number in (5, 9, 13):
            batches[number][number % 7] = random.normal(size=10)
        for epoch in range(20):
            for batch in batches:
                total += np.tanh(batch).sum()  # recomputed
        """,
    "the zeros a recurrent network begins with": TORCH + """
        cell = nn.GRU(10, 32, batch_first=True)
        for step in range(120):
            state = torch.zeros(1, 40, 32)
            output, _ = cell(torch.randn(40, 5, 10), state)
            output.square().mean().backward()
            with torch.no_grad():
                for parameter in cell.parameters():
                    parameter -= 0.01 * parameter.grad
        """,
    "gradients and what autograd keeps": TORCH + """
        network = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 20))
        optimizer = torch.optim.Adam(network.parameters())
        for step in range(100):
            x = torch.randn(50, 20)
            loss = functional.mse_loss(network(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "all support vectors gathered for each example": NUMPY + """
        data, weights = random.normal(size=(200, 10)), random.normal(size=200)
        support = weights > -0.5
        for step in range(60):
            vectors = data[support]  # invariant
            pull = np.exp(-((vectors - data[step]) ** 2).sum(axis=1))
            weights[step] -= 0.1 * pull.mean()
        """,
    "an activation computed again by its own gradient, on the same line": NUMPY + """
        class Sigmoid:
            def value(self, x):
                return 1 / (1 + np.exp(-x))  # repeated
            def gradient(self, x):
                return self.value(x) * (1 - self.value(x))
        layer, weights = Sigmoid(), random.normal(size=(20, 30))
        for step in range(100):
            x = random.normal(size=(40, 20)) @ weights
            y = layer.value(x)
            weights = weights - 1e-3 * (y * layer.gradient(x)).mean()
        """,
    "an input normalised again on the way back, on another line": NUMPY + """
        def forward(x, scale):
            return scale * ((x - x.mean(axis=0)) / x.std(axis=0))
        def backward(x, slope):
            return (slope * ((x - x.mean(axis=0)) / x.std(axis=0))).sum(axis=0)  # repeated
        scale = np.ones(30)
        for step in range(100):
            x = random.normal(size=(50, 30))
            scale = scale - 1e-3 * backward(x, forward(x, scale) - x)
        """,
    "unshuffled batches unfolded in each epoch": NUMPY + """
        images, kernel = random.normal(size=(12 * 20, 12, 12)), random.normal(size=9)
        def unfold(batch):
            columns = np.empty((len(batch), 9, 100))  # recomputed
            for i in range(9):
                columns[:, i] = batch[:, i // 3 : i // 3 + 10, i % 3 : i % 3 + 10].reshape(len(batch), 100)
            return columns
        for epoch in range(20):
            for start in range(0, len(images), 20):
                columns = unfold(images[start : start + 20])
                kernel = kernel - 1e-3 * np.tanh(kernel @ columns[0]).mean()
        """,
    "the copy: flatten, clone, contiguous, of what changes": TORCH + """
        x = torch.randn(64, 50)
        for step in range(100):
            x = x * 1.01 + 0.01
            a, b, c = x.clone(), x.t().contiguous(), x.unfold(1, 10, 10).flatten()
            x = x + (a.mean() + b.mean() + c.mean()) * 1e-3
        """,
    "batches gathered from the data in the same order, epoch after epoch": NUMPY + """
        data, order = random.normal(size=(600, 30)), random.permutation(600)
        weights = np.zeros(30)
        for epoch in range(30):
            for start in range(0, 600, 60):
                batch = data[order[start : start + 60]]
                weights = weights - 1e-3 * (batch @ weights - 1) @ batch
        """,
    "weights put together again for each mode, new ones in each step": NUMPY + """
        real, imaginary = random.normal(size=(40, 40)), random.normal(size=(40, 40))
        def layer(x):
            spectrum, output = np.fft.rfft(x, axis=0), np.zeros((17, 40), dtype=complex)
            for mode in range(16):
                weights = real + 1j * imaginary  # invariant
                output[mode] = spectrum[mode] @ weights
            return np.fft.irfft(output, n=32, axis=0)
        for step in range(80):
            y = layer(random.normal(size=(32, 40)))
            real, imaginary = real - 1e-4 * y[0], imaginary - 1e-4 * y[1]
        """,
    "position codes made again for each part of a batch, learned once in each step": NUMPY + """
        places, table = random.normal(size=(50, 20)), random.normal(size=(20, 30))
        for step in range(60):
            slope = np.zeros((20, 30))
            for part in range(8):
                codes = places @ table  # invariant
                slope += places.T @ (codes - random.normal(size=(50, 30)))
            table = table - 1e-4 * slope
        """,
    "a mask that settles while epochs go by": NUMPY + """
        data, labels = random.normal(size=(2000, 8)), random.integers(0, 2, 2000)
        weights = random.normal(size=8)
        for epoch in range(20):
            data = data[random.permutation(2000)]
            for part in range(20):
                right = (data @ weights > 0) == labels
                if part < 14 - epoch:
                    weights = weights + random.normal(size=8)
                weights = weights * (1 + 1e-3 * right.mean())
        """,
    "loops are code: not the word in a comment or a string": NUMPY + """
        data = random.normal(size=(20, 64, 64))
        def stable(batch):
            return np.log1p(np.abs(batch))  # good for stability  # recomputed
        def robust(batch):
            '''Robust:
        for outliers, as they come
            '''
            return np.sqrt(np.abs(batch)), " for "  # recomputed
        def kernel():
            return np.tanh(data[0])  # for the model  # invariant
        weights = np.zeros(64)
        for epoch in range(30):
            for i in range(20):
                weights += 1e-6 * stable(data[i]).sum(axis=0)
                weights += 1e-6 * (robust(data[i])[0] * kernel()).sum(axis=0)  # recomputed
        """,
    "a kernel made again for each strength, in each of a few folds": NUMPY + """
        data, target = random.normal(size=(600, 32)), random.normal(size=600)
        strengths = np.logspace(-3, 0, 20)
        for fold in range(4):
            train = np.arange(600) % 4 != fold
            points = data[train]
            for strength in strengths:
                kernel = np.tanh(points @ points.T)  # invariant
                error = kernel[0] @ target[train] / strength  # invariant
        """,
    "the same for two halves": NUMPY + """
        data = random.normal(size=(2, 200, 32))
        for half in range(2):
            points = data[half] + 1.0
            for strength in range(40):
                kernel = np.tanh(points @ points.T)  # invariant
                error = (kernel * random.normal()).sum()
        """,
    "the features of three rates, of which one loop takes all settings": NUMPY + """
        from itertools import product
        data, target = random.normal(size=(600, 32)), random.normal(size=600)
        def error(rate, strength):
            total = 0.0
            for fold in range(4):
                features = np.tanh(rate * data)  # invariant
                rows = np.arange(600) % 4 == fold  # invariant
                total += np.abs(features[rows].mean(1) * strength - target[rows]).mean()  # invariant
            return total
        print(min(error(*setting) for setting in product((0.1, 0.2, 0.3), (1, 2, 3, 4, 5, 6))) < 9)
        """,
    "what a recurrent layer makes of one sentence, for each word of its translation": TORCH + """
        layer, decoder = nn.GRU(16, 64, batch_first=True), nn.GRUCell(64, 64)
        with torch.no_grad():
            for sentence in torch.randn(12, 1, 30, 16):
                hidden = torch.zeros(1, 64)
                for word in range(25):
                    states, last = layer(sentence)  # invariant
                    hidden = decoder((states * hidden).sum(1), hidden)
        """,
    "what settles within each of a few folds": NUMPY + """
        data = random.normal(size=(5, 2000, 4))
        for fold in range(5):
            points = data[fold] * 1.5
            settled = random.integers(2, 6)
            for step in range(30):
                centre = points[min(step, settled)] + 0.1 * (step < settled)
                near = np.sqrt(((points - centre) ** 2).sum(axis=1))
        """,
    "what changes three times, in three passes, when it happens to": NUMPY + """
        data = random.normal(size=(3, 2000))
        for epoch in range(3):
            passed = data[epoch] * random.normal()
            for step in range(30):
                level = (epoch * 30 + step >= 7) + (epoch * 30 + step >= 31)
                shifted = data[0] + level
                passed = passed + shifted * random.normal()
        """,
    "the same product in the memory of the one just freed": NUMPY + """
        activity = np.empty((1024, 256), np.float32)
        def loss():
            return np.tanh(activity).mean()
        def accuracy():
            return (np.tanh(activity) > 0).mean()  # repeated
        for step in range(100):
            activity[:] = random.normal(size=activity.shape)
            total = loss() + accuracy()
        """,
    "leftovers, with a little stored into them": NUMPY + """
        for step in range(200):
            scratch = np.empty(40000)
            scratch[:4] = step
            other = np.empty(40000)
            other[5] = 1.0
            del scratch, other
        """,
    "one value throughout, another each time": NUMPY + """
        data = random.normal(size=2**19)
        for step in range(300):
            time = np.full(2**19, step / 300)
            total = (data * time).sum()
        """,
    "one value throughout, of buffers alive together that are written later": NUMPY + """
        kept = [np.full(2**18, 0.5) for _ in range(100)]
        for step in range(30):
            kept[step] += random.normal(size=2**18)
            kept[step].fill(0.5)
        """,
    "copies of what does not change": TORCH + """
        table, values = torch.randn(256, 256), torch.randn(256, 256).numpy()
        total = 0.0
        for step in range(100):
            total += table.clone()[0, 0].item()  # copied
            total += torch.tensor(values)[0, 0].item()  # copied
            total += values.copy()[0, 0]  # copied
            total += (table * 2.0)[0, 0].item()  # invariant
            total += torch.tensor([0.5, 1.5, 2.5] * 200)[1].item()  # invariant
        """,
    "a loop of small arrays": NUMPY + """
        x = random.normal(size=200)
        for step in range(20000):
            x = x * 1.0001 + 1e-4
        """,
}


CONSTANT = NUMPY + """
        data = random.normal(size=2**19)
        for step in range(300):
            rate = np.full(2**19, 0.5)  # invariant
            total = (data * step + rate).sum()
        """


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_marked_lines_are_the_findings(tmp_path, name):
    path, report = found(tmp_path, PROGRAMS[name])
    assert {finding["file"] for finding in report["findings"]} <= {str(path)}
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)


def test_one_value_the_same_each_time_is_a_finding(tmp_path):
    """Which its time decides: many samples, whatever else the machine does."""
    path, report = found(tmp_path, CONSTANT, PIEPROF_RATE="1000", PIEPROF_BUDGET="100")
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)


@pytest.mark.parametrize("value", [1.0, 0.5, 1.0000019073486328])
def test_numbers_are_no_addresses_of_a_large_heap(tmp_path, value):
    """
    Beside zeros a 32-bit number is a word that may lie between an executable that is not relocated and its break, which the kernel
    places at random and programs grow: what is found must not depend on it. Here the break always lies above.
    """
    source = """
        import ctypes
        import numpy as np
        move = ctypes.CDLL(None).sbrk
        move.restype, move.argtypes = ctypes.c_void_p, [ctypes.c_ssize_t]
        move(1 << 30)
        edges = (np.random.default_rng(0).random((400, 400)) < 0.02).astype(np.float32) * np.float32(VALUE)
        weights = np.zeros((400, 8), np.float32)
        for step in range(200):
            both = np.maximum(edges, edges.T)  # invariant
            weights = weights + both[:, :8] * np.float32(step)
        """.replace("VALUE", repr(value))
    path, report = found(tmp_path, source)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)


def test_numbers_between_the_executable_and_its_heap_are_no_addresses(tmp_path):
    """Up to 1 GiB lies between them, as much as the kernel draws: in six runs what is found must not depend on it."""
    source = """
        import numpy as np
        random = np.random.default_rng(0)
        numbers = np.sort(random.choice(200000, 3000, replace=False))
        data = random.random(3000)
        for step in range(200):
            offsets = numbers * 4096  # invariant
            data = data * 1.01 + offsets[step]
        """
    for _ in range(6):
        path, report = found(tmp_path, source)
        assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)


def test_both_results_of_a_line_are_counted_where_a_call_beside_it_needs_workspaces(tmp_path):
    """`data` is an operand of the difference; a workspace of the call that made it is none that changed."""
    path, report = found(tmp_path, NUMPY + """
        data = random.normal(size=(900, 64))
        weights = random.normal(size=(64, 10))
        for epoch in range(12):
            order = random.permutation(len(data))
            mean, deviation = data.mean(0), data.std(0) + 1e-6  # invariant
            for start in range(0, len(data), 60):
                scaled = (data - mean) / deviation  # invariant
                batch = scaled[order[start : start + 60]]
                weights = weights - 1e-6 * batch.T @ np.tanh(batch @ weights)
        """)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)
    both = 2 * 12 * 15 - 2
    assert max(finding["waste_bytes"] for finding in report["findings"]) == both * 900 * 64 * 8


@pytest.mark.parametrize("ids", ["np.array([words[word] for word in text])", "np.fromiter((words[word] for word in text), np.int64)"])
def test_the_list_that_an_array_is_made_of_is_made_again_as_well(tmp_path, ids):
    path, report = found(tmp_path, NUMPY + f"""
        words = {{str(number): number for number in range(3000)}}
        texts = [[str(number) for number in random.integers(0, 3000, 2500)] for _ in range(8)]
        weights = random.normal(size=(3000, 4))
        for epoch in range(1500):
            for text in texts:
                ids = {ids}  # recomputed
                weights[ids] *= 0.999
        """)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)
    (line,) = [line for line in report["lines"] if (line["line"], "recomputed input") in marks(path)]
    assert line["python_s"] > 0.3 * line["time_s"], "the list is most of it"
    assert report["findings"][0]["waste_s"] > 0.9 * line["time_s"]
