"""Sorts and shuffles of which a few are taken, in real programs; and those whose whole result may be used."""
import json
import textwrap

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())

NUMPY = """
import numpy as np
rng = np.random.default_rng(0)
x, data = rng.random((150, 1000)), rng.random(200000)
few, most, total = 5, 990, 0.0
"""
TORCH = """
import torch
torch.set_num_threads(1)
torch.manual_seed(0)
x, data = torch.rand(150, 1000), torch.rand(200000)
few, most, total = 5, 990, 0.0
"""

SHUFFLED = {
    "a batch of all": NUMPY + """
        n = len(data)
        for step in range(60):
            total += data[rng.permutation(n)[:50]].sum()  # A
        """,
    "by names": NUMPY + """
        def batch(size):
            order = rng.permutation(len(data))  # A
            rows = order[:size]
            return data[rows]
        for step in range(60):
            total += batch(40).sum()
        """,
    "PyTorch's": TORCH + """
        for step in range(60):
            total += data[torch.randperm(data.shape[0])[:50]].sum()  # A
        """,
    "by a function that shuffles all by itself": NUMPY + """
        for step in range(60):
            total += data[np.random.choice(200000, 50, replace=False)].sum()  # A
        """,
}
ALL_DRAWN = {
    "batches of an epoch": NUMPY + """
        for epoch in range(10):
            order = rng.permutation(len(data))  # A
            for start in range(0, len(data), 20000):
                total += data[order[start : start + 20000]].sum()
        """,
    "one part to train, one to test": NUMPY + """
        for fold in range(20):
            order = rng.permutation(len(data))  # A
            total += data[order[:50]].sum() - data[order[50:]].sum()
        """,
    "most of them": NUMPY + """
        kept = 150000
        for step in range(20):
            total += data[rng.permutation(len(data))[:kept]].sum()  # A
        """,
    "rows that are shuffled themselves": NUMPY + """
        rows = rng.random((600, 300))
        for step in range(60):
            total += rng.permutation(rows)[:400].sum()  # A
        """,
    "rows that are made by a shape": NUMPY + """
        rows = np.zeros((600, 300))
        noise = rng.normal(size=rows.shape)
        for step in range(60):
            total += rng.permutation(noise)[:400].sum()  # A
        """,
    "of a Generator, which draws no more": NUMPY + """
        for step in range(600):
            total += data[rng.choice(200000, 50, replace=False)].sum()  # A
        """,
    "each may come again": NUMPY + """
        for step in range(600):
            total += data[np.random.choice(200000, 50)].sum()  # A
        """,
    "all in another order": NUMPY + """
        for step in range(20):
            total += data[np.random.choice(200000, 200000, replace=False)].sum()  # A
        """,
}

FEW = {
    "a slice of an expression": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += np.sort(x, axis=1)[:, -few:].sum()  # A
        """,
    "the first, as a number": NUMPY + """
        flat = x.reshape(150000)
        for step in range(60):
            x[:, 7] += 0.1
            order = np.argsort(flat)  # A
            total += int(order[0]) - float(flat[order[-1]])
        """,
    "the last of an array": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += np.argsort(x.ravel())[-1]  # A
        """,
    "the middle one": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += np.sort(x.ravel())[x.size // 2]  # A
        """,
    "the middle one of each row": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += np.sort(x, axis=1)[:, int(0.5 * 1000)].sum()  # A
        """,
    "the first and the last by a name": NUMPY + """
        def ends(x):
            values = np.sort(x, axis=1)  # A
            return values[:, -1] - values[:, 0]
        for step in range(60):
            x[:, 7] += 0.1
            total += ends(x).sum()
        """,
    "the second of PyTorch's values": TORCH + """
        for step in range(60):
            x[:, 7] += 0.1
            values, order = torch.sort(x.reshape(-1))  # A
            total += values[1]
        """,
    "from the other end, backwards": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += x[step].sum() + np.argsort(x.ravel())[::-1][:few].sum()  # A
        """,
    "a name of which a few are taken": NUMPY + """
        def best(x):
            order = np.argsort(x, axis=1)  # A
            return order[:, :few]  # not order[few:]
        for step in range(60):
            x[:, 7] += 0.1
            total += best(x).sum()
        """,
    "a name that is another function's, too": NUMPY + """
        def shuffled(x):
            order = rng.permutation(len(x))
            return x[order]
        def best(x):
            order = np.argsort(x, axis=1)  # A
            return order[:, :few]
        for step in range(60):
            x[:, 7] += 0.1
            total += best(shuffled(x)).sum()
        """,
    "the input's own name": NUMPY + """
        def hardest(losses):
            losses = np.sort(losses, axis=1)  # A
            losses = losses[:, -few:]
            return losses.mean() + losses.max()
        for step in range(60):
            x[:, 7] += 0.1
            total += hardest(x * 2)
        """,
    "one of two results, the other unnamed": TORCH + """
        def largest(losses):
            for _ in range(1):
                ranked, _ = torch.sort(losses, dim=1, descending=True)  # A
                total = float(ranked[:, :few].sum())
            return total
        for step in range(60):
            x[:, 7] += 0.1
            total += largest(x)
        """,
    "the two results of PyTorch's": TORCH + """
        for step in range(60):
            x[:, 7] += 0.1
            values, order = torch.sort(x, dim=1, descending=True)  # A
            total += float(values[:, :10].sum()) + float(order[:, :few].sum())
        """,
    "beside a model that is evaluated": TORCH + """
        def work(model):
            global total
            model.eval()
            worst, where = model(x).sort(descending=True)  # A
            total += float(worst[:, :few].sum())
        model = torch.nn.Identity()
        for step in range(60):
            x[:, 7] += 0.1
            work(model)
        """,
    "a few that objects tell of": NUMPY + """
        labels, few = rng.random(1000), len(x) // 30
        for step in range(60):
            x = rng.random(x.shape)
            total += labels[np.argsort(x, axis=1)[:, :few]].sum()  # A
        """,
    "a few of a parameter": NUMPY + """
        def best(x, count):
            return np.argsort(x, axis=1)[:, :count].sum()  # A
        for step in range(60):
            x[:, 7] += 0.1
            total += best(x, few)
        """,
    "a tensor's own": TORCH + """
        for step in range(60):
            x[:, 7] += 0.1
            total += float(x.argsort(dim=1)[:, :few].sum())  # A
        """,
}

WHOLE = {
    "all values of PyTorch's, and the first of them": TORCH + """
        for step in range(60):
            x[:, 7] += 0.1
            values = torch.sort(x.reshape(-1))[0]  # A
            total += values[0] + values.diff().max()
        """,
    "the only row": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            order = np.argsort(x.reshape(1, -1))[0]  # A
            total += x.ravel()[order].std()
        """,
    "some that data tell": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            order = np.argsort(x.ravel())  # A
            total += int(order[0]) + order[int(total) % 9000]
        """,
    "several quantiles": NUMPY + """
        flat = x.reshape(150000)
        for step in range(60):
            x[:, 7] += 0.1
            order = np.argsort(flat)  # A
            total += sum(flat[order[int(part * 150000)]] for part in (0.1, 0.5, 0.9))
        """,
    "the rest is used": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            order = np.argsort(x, axis=1)  # A
            total += order[:, :few].sum() - order[:, few:].mean()
        """,
    "all of it": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += (np.sort(x, axis=1) * x)[:, :few].sum()  # A
        """,
    "a half": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += np.sort(x, axis=1)[:, : x.shape[1] // 2].sum()  # A
        """,
    "all but a few": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += np.sort(x, axis=1)[:, few:-few].sum()  # A
        """,
    "told in a string": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            ranked = np.sort(x, axis=1)  # A
            total += ranked[:, :few].sum()
            text = f"median {ranked[:, 500].mean()}"
        """,
    "rows of what is sorted along them": TORCH + """
        for step in range(60):
            x[:, 7] += 0.1
            total += float(torch.sort(x, dim=1).values[:few].sum())  # A
        """,
    "equal ones in their order": NUMPY + """
        for step in range(60):
            x[:, 7] += 0.1
            total += np.argsort(x, axis=1, kind="stable")[:, :few].sum()  # A
        """,
    "in a later round": NUMPY + """
        order = None
        for step in range(60):
            x[:, 7] += 0.1
            total += order.sum() if order is not None else 0.0
            order = np.argsort(x, axis=1)  # A
            total += order[:, :few].sum()
        """,
    "handed to a function": NUMPY + """
        def spread(ordered):
            return ordered.std()
        for step in range(60):
            x[:, 7] += 0.1
            ordered = np.sort(x, axis=1)  # A
            total += ordered[:, :few].sum() + spread(ordered)
        """,
    "nearly all, by a name": NUMPY + """
        for step in range(150):
            x[:, 7] += 0.1
            total += (np.sort(x.ravel())[: most * 150] if step < 0 else np.sort(x, axis=1)[:, :most]).sum()  # A
        """,
    "a partition": NUMPY + """
        for step in range(300):
            x[:, 7] += 0.1
            total += np.partition(x, few, axis=1)[:, :few].sum()  # A
        """,
}


DEFAULT_RATE = {
    "nearly all, in order": NUMPY + """
        def spacing(losses, keep):
            s = np.sort(losses, axis=1)[:, :keep]  # A
            gaps = s[:, 1:] - s[:, :-1]
            return np.sqrt(gaps).mean()
        for step in range(150):
            x[:, 7] += 0.1
            total += spacing(x, most)
        """,
    "nearly all, computed": NUMPY + """
        keep = int(0.98 * x.shape[1])
        for step in range(150):
            x[:, 7] += 0.1
            total += np.sort(x, axis=1)[:, :keep].mean()  # A
        """,
}


def profile(tmp_path, source, **settings):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    head, body = source.split("0.0\n", 1)
    path.write_text(head + "0.0\n" + textwrap.dedent(body))
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **(settings or {"PIEPROF_RATE": "1000", "PIEPROF_BUDGET": "100"}))
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, SCHEMA)
    (number,) = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")]
    line = next(line for line in report["lines"] if line["line"] == number)
    assert line["time_s"] > 0.02 * report["totals"]["time_s"]["total"], "enough to be a finding"
    return report, number


@pytest.mark.parametrize("name", FEW)
def test_the_line_is_named(tmp_path, name):
    report, number = profile(tmp_path, FEW[name])
    (finding,) = report["findings"]
    assert (finding["kind"], finding["category"], finding["line"]) == ("dead_store", "inefficient algorithm", number)
    assert "by sorting" in finding["claim"] and "need not sort the rest" in finding["advice"]
    assert finding["waste_s"] > 0.02 * report["totals"]["time_s"]["total"]


@pytest.mark.parametrize("name", SHUFFLED)
def test_shuffling_all_for_a_few_is_named(tmp_path, name):
    report, number = profile(tmp_path, SHUFFLED[name])
    (finding,) = report["findings"]
    assert (finding["kind"], finding["category"], finding["line"]) == ("dead_store", "inefficient algorithm", number)
    assert "by shuffling all" in finding["claim"] and "choice(n, k, replace=False)" in finding["advice"]
    assert finding["waste_s"] > 0.1 * report["totals"]["time_s"]["total"]


@pytest.mark.parametrize("name", ALL_DRAWN)
def test_what_is_drawn_and_used_is_none(tmp_path, name):
    report, _ = profile(tmp_path, ALL_DRAWN[name])
    assert report["findings"] == []


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_used_is_none(tmp_path, name):
    report, _ = profile(tmp_path, WHOLE[name])
    assert report["findings"] == []


@pytest.mark.parametrize("name", DEFAULT_RATE)
def test_where_hardly_a_store_is_sampled_the_name_is_no_proof(tmp_path, name):
    report, number = profile(tmp_path, DEFAULT_RATE[name], PIEPROF_ENGINES="time,access,replica")
    assert [finding for finding in report["findings"] if finding["line"] == number] == []


PACKAGE = """
import numpy as np
def nearest(x):
    order = np.argsort(x)[:, :3]
    return order
def fit(x):
    order = [nearest(x + i) for i in range(5)]
    for step in range(60000):
        y = np.dot(x, x.T); x = x + 1e-6
    return order, x
def more(x):
    for step in range(90000):
        y = np.dot(x, x.T); x = x + 1e-6
    return y
"""


def test_a_sort_deep_in_a_call_is_little_of_it(tmp_path):
    """The seconds are the sort's, and not those of the call into a package that sorts, too."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "fitting.py").write_text(PACKAGE)
    report, number = profile(tmp_path, f"""
import sys
sys.path.insert(0, {str(tmp_path / "site-packages")!r})
import fitting
""" + NUMPY + """
        order, y = fitting.fit(x[:40, :40] * 1e-3)  # A
        total += fitting.more(y).sum()
        total += fitting.more(y).sum()
        """)
    line = next(line for line in report["lines"] if line["line"] == number)
    for finding in report["findings"]:
        assert finding["category"] != "inefficient algorithm" or finding["waste_s"] < 0.2 * line["time_s"], finding


def test_a_sort_is_told_beside_what_another_call_of_its_line_repeats(tmp_path):
    """Each by its own way to the line, with the seconds of that."""
    report, number = profile(tmp_path, NUMPY + """
        def nearest(table):
            return np.argsort(table, axis=1)[:, :5]  # A
        for step in range(40):
            total += nearest(x)[0, 0]
            total += nearest(rng.random((150, 1000)))[0, 0]
        """)
    found = {finding["category"]: finding for finding in report["findings"] if finding["line"] == number}
    assert set(found) == {"loop-invariant computation", "inefficient algorithm"}
    line = next(line for line in report["lines"] if line["line"] == number)
    assert 0.6 * line["time_s"] < sum(finding["waste_s"] for finding in found.values()) < 1.001 * line["time_s"]
