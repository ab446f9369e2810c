"""What to do about results that are made again, where keeping them is not all there is to say."""
import re

import pytest
from marked import NUMPY, TORCH, found


def the_finding(directory, source):
    """That of the line marked so."""
    path, report = found(directory, source)
    number = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A"))
    (finding,) = [finding for finding in report["findings"] if finding["line"] == number]
    return finding


def test_a_draw_from_a_covariance_is_not_kept(tmp_path):
    """What is the same each time is the covariance's decomposition; the numbers drawn are not."""
    finding = the_finding(tmp_path, NUMPY + """
        np.random.seed(0)
        mean, scale = np.zeros(24), np.diag(np.arange(1.0, 25))
        state, path = np.zeros(24), []
        for step in range(6000):
            state = 0.9 * state + np.random.multivariate_normal(mean, scale)  # A
            path.append(state)
        """)
    assert re.search(" times by svd at numpy/linalg/_?linalg.py:", finding["claim"])
    assert "decompose the covariance once" in finding["advice"] and "Build it" not in finding["advice"]


def test_what_comes_round_says_how_much_it_would_take_to_keep(tmp_path):
    finding = the_finding(tmp_path, NUMPY + """
        points, queries, near = random.normal(size=(20000, 16)), random.normal(size=(120, 16)), 0
        for count in (1, 3, 5, 7):
            for query in queries:
                offsets = points - query  # A
                near += int(np.partition((offsets * offsets).sum(1), count)[:count].sum() < 9)
        """)
    assert finding["category"] == "recomputed input"
    assert finding["advice"].endswith("All of them take 293 MiB: where that is too much, keep what is made from them.")


def test_the_loop_over_what_has_a_size_each_is_not_the_one(tmp_path):
    """Each size stays the same in it, of which it makes one a pass: what brings them again is the loop around."""
    finding = the_finding(tmp_path, NUMPY + """
        total = 0.0
        for outer in range(12):
            groups = [random.random((200 + 40 * i, 60)) for i in range(8)]
            for again in range(10):
                for n in range(8):
                    width = groups[n].shape[1]
                    part = np.exp(groups[n] * width)  # A
                    total += float(part.sum()) * again
        """)
    assert "Build it once, for each size, outside the loop at program.py:8." in finding["advice"], finding["advice"]


@pytest.mark.parametrize("change", [
    "flat = h.ravel(); flat *= 1.5",
    "for row in h[1:]: row *= 1.5",
    "for i, (row, other) in enumerate(zip(h, data)): row *= 1.5",
    "rows = list(h); rows[0] *= 1.5",
    "parts = {'h': h}; parts['h'] *= 1.5",
])
def test_what_is_changed_by_another_name_must_move_along(tmp_path, change):
    finding = the_finding(tmp_path, NUMPY + f"""
        data, total = random.normal(size=(50, 60)), 0.0
        for step in range(300):
            h = np.exp(data)  # A
            {change}
            total += h.sum()
        """)
    assert "Build it once" in finding["advice"]
    assert re.search("See that nothing stores into it|It is changed in place after this line|must move along", finding["advice"]), finding["advice"]


def test_where_nothing_is_stored_nothing_is_said_of_it(tmp_path):
    finding = the_finding(tmp_path, NUMPY + """
        data, total = random.normal(size=(50, 60)), 0.0
        for step in range(300):
            h = np.exp(data)  # A
            flat = h.ravel()
            total += flat.sum()
        """)
    assert finding["advice"] == "Build it once, outside the loop at program.py:6."


SCALED = {
    "PyTorch": TORCH + """
        data, total = torch.randn(20000, 30), 0.0
        for step in range(60):
            fresh = torch.randn(20000, 30)
            scaled = (data - data.mean(0)) / data.std(0)  # A
            total += float((scaled * fresh).sum())
        """,
    "NumPy": NUMPY + """
        data, total = random.normal(size=(20000, 30)), 0.0
        for step in range(60):
            fresh = random.normal(size=(20000, 30))
            scaled = (data - data.mean(0)) / data.std(0)  # A
            total += float((scaled * fresh).sum())
        """,
}


@pytest.mark.parametrize("name", SCALED)
def test_what_the_operands_take_counts_where_all_is_the_same(tmp_path, name):
    """What std() makes is too small to be an object; most of the line's time is its."""
    path, report = found(tmp_path, SCALED[name])
    number = next(at for at, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A"))
    (finding,) = [finding for finding in report["findings"] if finding["line"] == number]
    (line,) = [line for line in report["lines"] if line["line"] == number]
    assert 0.9 * line["time_s"] < finding["waste_s"] <= line["time_s"]
