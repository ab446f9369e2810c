"""Contents that come again after any number of others, or in another order: programs that make them, and what only looks so."""
import re

import pytest
import whole
from test_replica_kinds import NUMPY, TORCH, found, marks

# What the marked lines' objects are compared with: how many births before, or None where the order is another each time.
AGAIN = {
    "a frozen product, 100 batches an epoch": (100, NUMPY + """
        data, frozen = random.normal(size=(100 * 64, 30)), random.normal(size=(30, 40))
        head = np.zeros(40)
        for epoch in range(6):
            for start in range(0, len(data), 64):
                features = data[start : start + 64] @ frozen  # recomputed
                head = head - 1e-4 * (features @ head - 1) @ features
        """),
    "a frozen product, 500 batches an epoch, two buffers each": (500, NUMPY + """
        data, frozen = random.normal(size=(500 * 64, 30)), random.normal(size=(30, 40))
        head = np.zeros(40)
        for epoch in range(5):
            for start in range(0, len(data), 64):
                features = np.tanh(data[start : start + 64] @ frozen)  # recomputed
                head = head - 1e-4 * (features @ head - 1) @ features
        """),
    "a frozen backbone, 100 batches an epoch": (100, TORCH + """
        backbone = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 160), nn.Tanh()).requires_grad_(False)
        data, head = torch.randn(100 * 40, 30), nn.Linear(160, 1)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
        for epoch in range(5):
            for batch in data.split(40):
                features = backbone(batch)  # recomputed
                loss = head(features).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """),
    "a frozen backbone, 500 batches an epoch, the last one smaller": (500, TORCH + """
        backbone = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 160)).requires_grad_(False)
        data, head = torch.randn(500 * 40 + 7, 30), torch.zeros(160)
        for epoch in range(4):
            for batch in data.split(40):
                features = backbone(batch)  # recomputed
                head -= 1e-4 * (features @ head - 1) @ features
        """),
    "features of each example, shuffled": (None, NUMPY + """
        images, frozen, head = random.normal(size=(300, 64, 30)), random.normal(size=(30, 40)), np.zeros(40)
        for epoch in range(6):
            for i in random.permutation(300):
                features = np.maximum(images[i] @ frozen, 0)  # recomputed
                head = head - 1e-4 * (features @ head - 1) @ features
        """),
    "features of each example, shuffled, by a data set": (None, TORCH + """
        class Examples(torch.utils.data.Dataset):
            def __init__(self):
                self.images, self.filters = torch.randn(200, 3, 32, 32), torch.randn(4, 3, 3, 3)
            def __len__(self):
                return 200
            def __getitem__(self, i):
                return functional.conv2d(self.images[i], self.filters, padding=1)  # recomputed
        examples, head = Examples(), nn.Linear(4096, 1)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.001)
        for epoch in range(6):
            for batch in torch.utils.data.DataLoader(examples, batch_size=20, shuffle=True):
                loss = head(batch.flatten(1)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """),
    "few batches in another order each time": (None, NUMPY + """
        data, frozen, head = random.normal(size=(20, 64, 30)), random.normal(size=(30, 40)), np.zeros(40)
        for epoch in range(60):
            for i in random.permutation(20):
                features = data[i] @ frozen  # recomputed
                head = head - 1e-4 * (features @ head - 1) @ features
        """),
}

NEW = {
    "fresh random batches": NUMPY + """
        weights = random.normal(size=(30, 40))
        for step in range(3000):
            x = random.normal(size=(64, 30))
            y = np.tanh(x @ weights)
            weights = weights - 1e-4 * x.T @ y
        """,
    "augmented data: noise": NUMPY + """
        images, frozen = random.normal(size=(150, 64, 30)), random.normal(size=(30, 40))
        for epoch in range(6):
            for i in random.permutation(150):
                noisy = images[i] + 0.1 * random.normal(size=(64, 30))
                features = noisy @ frozen
        """,
    "augmented data: half of the pictures turned": NUMPY + """
        images = random.normal(size=(100, 50, 50))
        for epoch in range(8):
            for i in random.permutation(100):
                image = images[i] if random.random() < 0.5 else images[i, :, ::-1]
                scaled = image * 0.5 + 0.1
        """,
    "mini-batches gathered in another order each epoch": NUMPY + """
        data, weights = random.normal(size=(100 * 64, 40)), np.zeros((40, 40))
        for epoch in range(6):
            order = random.permutation(len(data))
            for start in range(0, len(data), 64):
                batch = data[order[start : start + 64]]
                error = batch @ weights - batch
                weights = weights - 1e-4 * batch.T @ error
        """,
    "batches copied from the data in the same order": TORCH + """
        data, weights = torch.randn(100 * 64, 80), torch.zeros(80, 80)
        for epoch in range(6):
            for start in range(0, len(data), 64):
                batch = data[start : start + 64].clone()
                weights -= batch.T @ (batch @ weights - batch) * 1e-4
        """,
    "examples read from files, in another order each epoch": NUMPY + """
        import pathlib, tempfile
        directory = pathlib.Path(tempfile.mkdtemp())
        for i in range(100):
            np.save(directory / f"{i}.npy", random.normal(size=(64, 40)))
        weights = np.zeros((40, 40))
        for epoch in range(5):
            for i in random.permutation(100):
                example = np.load(directory / f"{i}.npy")
                weights = weights - example.T @ (example @ weights - example) * 1e-4
        """,
    "examples drawn at random": NUMPY + """
        images, frozen = random.normal(size=(100, 64, 30)), random.normal(size=(30, 40))
        for step in range(900):
            features = images[random.integers(100)] @ frozen
        """,
    "the plateau: a long mask that is equal for a while": NUMPY + """
        data, labels = random.normal(size=(20000, 8)), random.integers(0, 2, 20000)
        weights = random.normal(size=8)
        for step in range(900):
            if step % 30 == 1:
                weights = weights + random.normal(size=8)
            right = (data @ weights > 0) == labels
            weights = weights * (1 + 1e-3)
        """,
    "the plateau: a long mask that settles": NUMPY + """
        data, labels = random.normal(size=(20000, 8)), random.integers(0, 2, 20000)
        weights = random.normal(size=8)
        for step in range(600):
            right = (data @ weights > 0) == labels
            weights = weights + random.normal(size=8) if step < 12 else weights * 1.001
        """,
    "the zeros a recurrent network begins with": TORCH + """
        cell = nn.GRU(10, 64, batch_first=True)
        for step in range(120):
            state = torch.zeros(1, 100, 64)
            output, _ = cell(torch.randn(100, 3, 10), state)
            output.square().mean().backward()
            with torch.no_grad():
                for parameter in cell.parameters():
                    parameter -= 0.01 * parameter.grad
        """,
    "a backbone that learns": TORCH + """
        network = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1))
        data, optimizer = torch.randn(100 * 40, 30), torch.optim.SGD(network.parameters(), lr=0.01)
        for epoch in range(5):
            for batch in data.split(40):
                loss = network(batch).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("name", AGAIN)
def test_what_comes_again_is_found_at_any_distance(tmp_path, name):
    period, source = AGAIN[name]
    path, report = found(tmp_path, source)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)
    for finding in report["findings"]:
        assert finding["object"]["period"] == period
        assert ("in another order" in finding["advice"]) == (period is None)
        assert finding["ci95"] is not None and finding["object"]["equal"] < finding["object"]["examined"] < finding["object"]["made"]


def test_rounds_of_unlike_length_by_turns_are_found(tmp_path):
    """The batches of two sets of unlike number."""
    path, report = found(tmp_path, NUMPY + """
        frozen, head = random.normal(size=(30, 40)), np.zeros(40)
        train, other = random.normal(size=(10 * 64, 30)), random.normal(size=(8 * 64, 30))
        for rate in [1e-5, 1e-4, 1e-3, 1e-2]:
            for data in [train, other]:
                for epoch in range(7):
                    for start in range(0, len(data), 64):
                        features = np.tanh(data[start : start + 64] @ frozen)  # recomputed
                        head = head - rate * (features @ head - 1) @ features
        """)
    (finding,) = report["findings"]
    assert {(finding["line"], finding["category"])} == marks(path)
    assert "the same contents come again, after more or fewer others" in finding["claim"] and finding["object"]["period"] is None


@pytest.mark.parametrize("count", [40, 60])
@pytest.mark.parametrize("kept", [False, True])
def test_a_list_of_results_comes_round_though_its_first_were_passed_over(tmp_path, count, kept):
    """The near history has forgotten them, or never seen: it takes them for new. The far one saw each from the beginning."""
    path, report = found(tmp_path, NUMPY + f"""
        columns, weights, last = random.normal(size=({count}, 3000)), np.ones(3000), []
        def smooth():
            return [np.convolve(column, weights[:91], "same") for column in columns]  # made
        for step in range(60):
            results = smooth()
            {"last = results" if kept else ""}
            total = sum(result[step] for result in results)
            results = None
        """)
    row = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# made"))
    findings = [finding for finding in report["findings"] if finding["line"] == row]
    assert len(findings) == 1 and findings[0]["object"]["period"] == count
    assert findings[0]["object"]["equal"] > 0.9 * findings[0]["object"]["examined"]


@pytest.mark.parametrize("name", NEW)
def test_what_is_new_each_time_is_not(tmp_path, name):
    _, report = found(tmp_path, NEW[name])
    assert report["findings"] == []
    assert report["totals"]["replicas"]["far_examined"] > 0 or "recurrent" in name


def test_every_run_counts_alike(tmp_path):
    """Ten runs: whatever else samples and watches the program meanwhile, at whatever addresses."""
    counts = set()
    for number in range(10):
        engines, rate = (("all", "250"), ("replica", "250"), ("all", "4000"))[number % 3]
        _, report = found(tmp_path, AGAIN["features of each example, shuffled"][1], PIEPROF_ENGINES=engines, PIEPROF_RATE=rate)
        rows = whole.execute([whole.REPORT, "dump", tmp_path / "out.db"]).stdout
        far = sorted(re.findall(r"^SITE .* births=(\d+) .*(far_births=[1-9].*)$", rows, re.M))
        claims = [(finding["line"], finding["claim"]) for finding in report["findings"]]
        counts.add((str(far), str(claims), str(report["totals"]["replicas"])))
        (tmp_path / "out.db").unlink()
    assert len(counts) == 1, counts


def test_a_forked_child_begins_anew(tmp_path):
    source = NUMPY + """
        import os
        images, frozen = random.normal(size=(100, 64, 30)), random.normal(size=(30, 40))
        def work(epochs):
            for epoch in range(epochs):
                for image in images:
                    features = image @ frozen  # recomputed
        work(2)
        child = os.fork()
        work(5)
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        """
    _, report = found(tmp_path, source)
    rows = whole.execute([whole.REPORT, "dump", tmp_path / "out.db"]).stdout
    far = re.findall(r"births=(\d+) .* far_births=(\d+) far_contents=\d+ far_examined=\d+ .* far_period=100 ", rows)
    assert sorted(far) == [("200", "184"), ("500", "484"), ("500", "484")]
    assert [finding["object"]["period"] for finding in report["findings"]] == [100]
