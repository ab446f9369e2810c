"""Files that are read again and again: programs that do, whose contents are few and small; and what is ordinary."""
import pytest
from marked import NUMPY, TORCH, found, marks
from replicas import FEATURES, Program, call_of, findings

FILES = NUMPY + """
        import pathlib, pickle, tempfile
        directory = pathlib.Path(tempfile.mkdtemp())
        def write(count, rows=64):
            for i in range(count):
                np.save(directory / f"{i}.npy", random.normal(size=(rows, 40)))
        weights = np.zeros((40, 40))
        def train(example):
            global weights
            weights = weights - example.T @ (example @ weights - example) * 1e-4
"""

AGAIN = {
    "one of few shards for each item": (6, FILES + """
        for i in range(6):
            np.savez(directory / f"{i}.npz", x=random.normal(size=(64, 40)), y=random.integers(0, 3, 64))
        for epoch in range(10):
            for i in random.permutation(6 * 20):
                shard = np.load(directory / f"{i % 6}.npz")
                train(shard["x"])  # recomputed
        """),
    "a data set of many files, shuffled": (200, FILES + """
        write(200)
        for epoch in range(12):
            for i in random.permutation(200):
                train(np.load(directory / f"{i}.npy"))  # recomputed
        """),
    "the same files in the same order": (8, FILES + """
        write(8)
        for epoch in range(40):
            for i in range(8):
                example = np.load(directory / f"{i}.npy")  # recomputed
                train(example)
        """),
    "pickles": (8, FILES + """
        for i in range(8):
            (directory / f"{i}.pickle").write_bytes(pickle.dumps(random.normal(size=(300, 40))))
        for epoch in range(40):
            for i in random.permutation(8):
                with open(directory / f"{i}.pickle", "rb") as file:
                    example = pickle.load(file)  # recomputed
                train(example)
        """),
    "raw numbers": (8, FILES + """
        for i in range(8):
            random.normal(size=(64, 40)).tofile(directory / f"{i}.raw")
        for epoch in range(40):
            for i in random.permutation(8):
                example = np.fromfile(directory / f"{i}.raw").reshape(64, 40)  # recomputed
                train(example)
        """),
    "features that a data set loads": (100, TORCH + """
        import pathlib, tempfile
        directory = pathlib.Path(tempfile.mkdtemp())
        for i in range(100):
            torch.save({"x": torch.randn(64, 80), "y": i % 3}, directory / f"{i}.pt")
        class Saved(torch.utils.data.Dataset):
            def __len__(self):
                return 100
            def __getitem__(self, i):
                saved = torch.load(directory / f"{i}.pt")  # recomputed
                return saved["x"], saved["y"]
        network = nn.Sequential(nn.Flatten(), nn.Linear(5120, 3))
        optimizer = torch.optim.SGD(network.parameters(), 0.01)
        for epoch in range(15):
            for x, y in torch.utils.data.DataLoader(Saved(), 20, shuffle=True):
                loss = functional.cross_entropy(network(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """),
}

ORDINARY = {
    "few epochs": FILES + """
        write(200)
        for epoch in range(8):
            for i in random.permutation(200):
                train(np.load(directory / f"{i}.npy"))
        """,
    "files that are written anew": FILES + """
        for epoch in range(40):
            write(8)
            for i in range(8):
                train(np.load(directory / f"{i}.npy"))
        """,
    "each once, and kept": FILES + """
        write(8)
        kept = [np.load(directory / f"{i}.npy") for i in range(8)]
        for epoch in range(40):
            for i in random.permutation(8):
                train(kept[i])
        """,
    "noise on what is read": FILES + """
        write(8)
        for epoch in range(40):
            for i in random.permutation(8):
                example = np.load(directory / f"{i}.npy")
                example += 0.1 * random.normal(size=example.shape)
                train(example)
        """,
}


@pytest.mark.parametrize("name", AGAIN)
def test_files_that_are_read_again_are_named(tmp_path, name):
    contents, source = AGAIN[name]
    path, report = found(tmp_path, source)
    assert {(finding["line"], finding["category"]) for finding in report["findings"]} == marks(path)
    (finding,) = report["findings"]
    assert "Read each file once, and keep what it gives" in finding["advice"]
    assert abs(said_contents(finding) - contents) <= contents // 10


def said_contents(finding):
    return int(finding["advice"].split("about ")[1].split(" contents")[0])


@pytest.mark.parametrize("name", ORDINARY)
def test_what_is_read_for_good_reason_is_not(tmp_path, name):
    _, report = found(tmp_path, ORDINARY[name])
    assert report["findings"] == []


@pytest.mark.parametrize("why, rounds, size_bytes, told", [
    ("ten epochs", 10, 2**17, True),
    ("a few epochs are ordinary", 9, 2**17, False),
    ("255 MiB of them are kept with ease", 10, 2**18 * 255 // 100, True),
    ("more than memory may hold", 10, 2**18 * 265 // 100, False),
])
def test_how_often_and_how_large(tmp_path, why, rounds, size_bytes, told):
    program = Program()
    program.process.far_site(call_of(program, "array_fromfile", tmp_path, *FEATURES), size_bytes, 400 * rounds, 50, rounds, period=400)
    assert findings(program.report(tmp_path)) == ([("replica", 11)] if told else []), why
