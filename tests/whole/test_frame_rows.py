"""Data frames that are gone through row by row; and those that are not."""
import re

import whole
from test_tiny_calls import profile, tiny

VENV = whole.INTERPRETERS["venv"]  # has pandas

FRAME = """
import numpy as np
import pandas as pd
rng = np.random.default_rng(0)
n = 12000
df = pd.DataFrame({"a": rng.random(n), "b": rng.random(n), "k": rng.integers(0, 5, n)})
"""


def marked(path):
    return [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")]


def test_rows_and_cells(tmp_path):
    path, report, database = profile(tmp_path, FRAME + """
def work():
    total, kept, other, a, b = 0.0, [], df.copy(), df["a"], df["b"]
    for i, row in df.iterrows():  # A
        total += row["a"] * row["b"]
    for i in range(len(df)):
        kept.append(df.loc[i, "a"] + df.at[i, "b"])  # A
    for i in range(len(df)):
        total += df.iloc[i]["a"]  # A
    kept += [a[i] * b.iloc[i] for i in df.index]  # A
    for i in df.index:
        other.loc[i, "a"] = i * 0.5  # A
    kept.append(df.apply(lambda row: row["a"] if row["k"] > 2 else row["b"], axis=1))  # A
    return total, kept, other
work()
""", VENV)
    found = sorted(tiny(report), key=lambda finding: finding["line"])
    assert [finding["line"] for finding in found] == marked(path)
    assert all(finding["category"] == "slice under-utilisation" and finding["fraction"] > 0.5 for finding in found)
    behind = ["df.itertuples().", "of each column once, before it.", "of each column once, before it.", "of each column once, before it.",
              "behind the loop.", "a comprehension over zip(df[\"a\"], df[\"b\"])."]
    assert all(finding["advice"].endswith(words) for finding, words in zip(found, behind))
    rows = next(line for line in report["lines"] if line["line"] == marked(path)[0] + 1)
    assert 0 < rows["waste_s"] <= rows["time_s"] + 1e-9, "what takes a row apart goes with the loop"
    text = " ".join(whole.read_report(database, "--kind", "tiny_calls").split())
    assert re.search(r"samples in the loop at program.py:\d+, \d+ % lie below iterrows\(\), which makes a Series of each row\.", text)


def test_what_takes_a_row_apart_goes_with_the_call(tmp_path):
    """By name, too, and in a function of the user's; what that does beside it is its own."""
    path, report, _ = profile(tmp_path, FRAME + """
def first(row):
    return row.iloc[0]
def score(row):
    total = first(row)
    for k in range(3):
        total += row.a * k + row.get("b")
    return total
print(df.apply(score, axis=1).sum())  # A
""", VENV)
    (finding,) = tiny(report)
    assert [finding["line"]] == marked(path)
    apart = next(line for line in report["lines"] if line["function"] == "score")
    assert finding["fraction"] > 0.8 and finding["waste_s"] > 0.5 * apart["time_s"]
    assert apart["waste_s"] > 0.5 * apart["time_s"]


def test_rows_of_several_types(tmp_path):
    """pandas gathers the columns in an array of Python objects for that, which NumPy empties before it frees it: full of zeros at its end."""
    path, report, _ = profile(tmp_path, FRAME + """
df["name"] = ["a", "b"] * (n // 2)
total = 0.0
for epoch in range(3):
    for _, row in df.iterrows():  # A
        total += row["a"]
""", VENV)
    assert [(finding["line"], finding["kind"]) for finding in report["findings"]] == [(marked(path)[0], "tiny_calls")]


def test_a_frame_that_grows(tmp_path):
    """By copies of all of it, or by a row each; parts that are joined to no more than each other are none."""
    path, report, _ = profile(tmp_path, FRAME + """
def joined(log):
    for step in range(3000):
        log = pd.concat([log, pd.DataFrame({"step": [step], "loss": [rng.random()]})], ignore_index=True)  # A
    return log
def by_rows(log):
    for step in range(3000):
        log.loc[len(log)] = [step, rng.random()]  # A
    return log
def pairs(log):
    parts = []
    for step in range(1000):
        part = pd.concat([log, pd.DataFrame({"step": [step]})])
        parts.append(part)
    return pd.concat(parts)
empty = pd.DataFrame({"step": [], "loss": []})
print(len(joined(empty)), len(by_rows(empty.copy())), len(pairs(empty)))
""", VENV)
    found = sorted(report["findings"], key=lambda finding: finding["line"])
    assert [finding["line"] for finding in found] == marked(path)
    assert [(finding["kind"], finding["category"]) for finding in found] == [("churn", "API misuse"), ("tiny_calls", "slice under-utilisation")]
    assert found[0]["advice"].startswith("Append the parts to a list, and join them once behind the loop")


def test_what_a_loop_stores_it_may_take_out_again(tmp_path):
    """Then a list that was made of the column before the loop is not to be kept apart from it."""
    path, report, _ = profile(tmp_path, FRAME + """
for i in range(1, 4000):
    df.at[i, "b"] = df.iloc[i - 1]["b"] * 0.5 + df.at[i, "a"]  # A
""", VENV)
    (finding,) = tiny(report)
    assert [finding["line"]] == marked(path)
    assert finding["advice"].endswith(" Of what it stores: Keep the values in a list or an array, and make that a column once, behind the loop.")


def test_an_item_of_a_data_set(tmp_path):
    path, report, database = profile(tmp_path, FRAME + """
import torch
from torch.utils.data import DataLoader, Dataset
class Table(Dataset):
    def __init__(self, df):
        self.df = df
    def __len__(self):
        return len(self.df)
    def __getitem__(self, idx):
        row = self.df.iloc[idx]  # A
        return torch.tensor(row.to_numpy(dtype=np.float32))
for batch in DataLoader(Table(df), batch_size=64):
    pass
""", VENV)
    (finding,) = tiny(report)
    assert [finding["line"]] == marked(path) and "where the data set is made" in finding["advice"]
    assert "for each item" in " ".join(whole.read_report(database).split())


def test_rows_of_itertuples_are_no_arrays(tmp_path):
    """Its header takes columns apart, in NumPy; they are what the advice on rows leads to."""
    _, report, _ = profile(tmp_path, FRAME + """
half, total = np.float64(0.5), 0.0
for again in range(25):
    for row in df.itertuples():
        total += half * row.a + half * row.b * half - row.a * half
print(total)
""", VENV)
    assert tiny(report) == []


def test_many_rows_at_once_are_no_finding(tmp_path):
    _, report, _ = profile(tmp_path, FRAME + """
indexed = df.set_index("k").sort_index()
class Some:
    def __getitem__(self, label):
        return df.loc[df.k == label]
def work():
    total = 0.0
    for k in range(5):
        total += df.loc[df.k == k, "a"].sum() + df[df.k == k].b.sum()
    for k in (0, 1, 2, 3, 4):
        total += indexed.loc[k].a.sum() + Some()[k].a.sum()
    for i in range(0, n, 64):
        total += df.iloc[i:i + 64].a.sum() + df.loc[i:i + 64, "b"].sum()
    for column in df.columns:
        total += df[column].sum() + df.loc[:, column].sum()
    for row in df.itertuples():
        total += row.a
    return total + df.apply(np.sum).a + df.apply(lambda column: column.max(), axis=0).a
for again in range(6):
    work()
""", VENV)
    assert tiny(report) == []
