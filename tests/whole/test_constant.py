"""Buffers of one value, whose making costs: told where one would do, and not where they hold something else in between."""
import pytest

from marked import NUMPY, found

FUNCTIONS = """
        def scale(buffer, factor):
            np.multiply(buffer, factor, out=buffer)

        class Holder:
            def work(self):
                before = np.ones(3000)
                self.buffer *= 2
                return np.ones(3000)

        holder, total = Holder(), 0.0
        for step in range(2500):
"""


def told(directory, body):
    path, report = found(directory, NUMPY + FUNCTIONS + body)
    numbers = {number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")}
    return [finding for finding in report["findings"] if finding["line"] in numbers]


def test_one_buffer_would_do(tmp_path):
    (finding,) = told(tmp_path, """
            ones = np.ones(2**20)  # A
            total += float((ones * 2)[5])
        """)
    assert finding["kind"] == "constant" and "each full of one and the same value at its end" in finding["claim"]
    assert finding["advice"].endswith(" would do where nothing stores into it in between.")


@pytest.mark.parametrize("body", [
    """
            ones = np.ones(2**20)  # A
            ones *= 3
            ones += 1
            total += float(ones[5])
        """,
    """
            todo = np.full(2**20, -1)  # A
            total += int((todo == -1).sum())
            todo[:] = 7
        """,
    """
            ones = np.ones(2**20)  # A
            scale(ones, 0.5)
            total += float(ones[5])
        """,
    """
            holder.buffer = np.ones(2**20)  # A
            before = np.zeros(4000)
            total += holder.work()[0] + float(holder.buffer[5])
        """,
], ids=["augmented", "refilled", "handed on", "by a method"])
def test_what_is_stored_into_in_between_is_no_finding(tmp_path, body):
    assert told(tmp_path, body) == []


def test_a_batch_flipped_at_random_is_no_invariant(tmp_path):
    """Two contents, either as often: half of the results are not the one before."""
    path, report = found(tmp_path, NUMPY + """
        images, weights = random.normal(size=(16, 32, 32)), np.zeros((32, 8))
        for step in range(1500):
            batch = np.flip(images, 2) if random.random() < 0.5 else images
            scaled = batch * 0.5 + 0.25
            weights += 1e-9 * (scaled.reshape(-1, 32).T @ np.tanh(scaled.reshape(-1, 32) @ weights + step))
        """)
    assert report["totals"]["replicas"]["objects"] > 0
    assert [finding["claim"] for finding in report["findings"] if finding["kind"] == "replica"] == []


WAYS = """
            def leaf(rows, value):
                return np.full(rows, VALUE)  # A
            total += float(leaf(2**18, 0.25)[1])
            total += float(leaf(2**18, 0.75)[2])
        """


@pytest.mark.parametrize("value, count", [("value", 0), ("2 * value", 0), ("3.0 if value > 0.5 else -3.0", 0), ("-0.5", 1), ("1e-3", 1)])
def test_on_two_ways_the_value_may_be_another(tmp_path, value, count):
    """Each call has one of its own, or both that of the text."""
    assert len(told(tmp_path, WAYS.replace("VALUE", value))) == count
