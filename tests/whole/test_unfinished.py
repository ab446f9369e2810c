"""Buffers that are used in one state and end in another: their ends are equal, and what was used of them need not be."""
import json
import textwrap

import pytest
import whole

USED = {
    "by the text": """
        def penalty(step, base):
            work = np.full(base.shape, 1.0 / (step + 1))  # made
            work *= base
            size = float(np.dot(work, work))
            work[:] = base
            return size + float(work.sum())
        for step in range(1500):
            total += penalty(step, base)
        """,
    "in a loop that changes it": """
        def descend(step, base):
            w = base * (1.0 / (step + 1))  # made
            lost = 0.0
            for _ in range(3):
                lost += float(np.dot(w, w))
                w[:] = base
            return lost
        for step in range(800):
            total += descend(step, base)
        """,
    "in a function that is handed it": """
        def finish(h):
            size = float(np.dot(h, h))
            h.fill(2.5)
            h[::2] = base[::2]
            return size
        for step in range(1500):
            h = base * step  # made
            total += finish(h)
        """,
    "an order that is drawn, and sorted in the end": """
        rng = np.random.default_rng(1)
        def epoch():
            order = rng.permutation(len(base))  # made
            lost = 0.0
            for rows in np.array_split(order, 4):
                lost += float((base[rows] * rows).sum())
            order.sort()
            return lost + float(base[order[:100]].sum())
        for step in range(60):
            total += epoch()
        """,
    "where the text does not show what changes it": """
        def put_back(arrays):
            for array in arrays:
                array[:] = base
        for step in range(300):
            h = base + step  # made
            kept = [h]
            part = h[:60000] * 3.0
            put_back(kept)
            total += float(part[5])
        """,
    "memory as it is, stored into and read by another name": """
        for step in range(400):
            work = np.empty((1000, 100))  # made
            all_of_it = work[:, :]
            all_of_it[:] = step
            total += float((all_of_it * 2.0)[5, 7])
            all_of_it[:] = base.reshape(1000, 100)
            total += float(work[3, 4])
        """,
    "an attribute, which a method reads between": """
        class Image:
            def fill(self, gain):
                self.held = np.empty(100000)  # made
                self.held[:50000] = gain * base[:50000]
                self.held[50000:] = gain * base[50000:]
                self.look()
                self.held[:50000] = 2.0 * base[:50000]
                self.held[50000:] = base[50000:]
            def look(self):
                self.seen = float(self.held[::7].sum())
        image = Image()
        for step in range(300):
            image.fill(1.0 + step)
            total += image.seen
        """,
    "a name of the module's, which a function reads between": """
        def watch():
            return float(held[::7].sum())
        def fill(gain):
            global held
            held = np.empty(100000)  # made
            held[:50000] = gain * base[:50000]
            held[50000:] = gain * base[50000:]
            seen = watch()
            held[:50000] = 2.0 * base[:50000]
            held[50000:] = base[50000:]
            return seen
        for step in range(300):
            total += fill(1.0 + step)
        """,
    "memory as it is, read by the function that stores into it": """
        def tell(step, out):
            np.multiply(base[:500], step, out=out[:500])
            return float((out[:500] * 2.0)[5])
        def finish(out):
            np.multiply(base, 2.0, out=out)
        for step in range(1500):
            out = np.empty(100000)  # made
            total += tell(step, out)
            finish(out)
        """,
}


def findings_at(tmp_path, source):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text("import numpy as np\nbase = np.random.default_rng(0).random(100000)\ntotal = 0.0\n" + textwrap.dedent(source))
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    (made,) = [number for number, line in enumerate(path.read_text().splitlines(), 1) if "# made" in line]
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    (line,) = [line for line in report["lines"] if line["line"] == made]
    assert line["replicas"]["objects"] > 20, line["replicas"]  # they do end equal
    return [finding for finding in report["findings"] if finding["line"] == made]


@pytest.mark.parametrize("name", USED)
def test_what_is_used_before_it_is_finished_is_not_told_as_made_again(tmp_path, name):
    assert findings_at(tmp_path, USED[name]) == []


def test_what_is_made_of_what_never_changes_is(tmp_path):
    """Then each state is the same each time, and the lines that finish it move along."""
    (finding,) = findings_at(tmp_path, """
        for step in range(300):
            h = np.sqrt(base * 2.0)  # made
            total += float(np.dot(h, h))
            h[::3] = 1.0
            total += h.sum() * step
        """)
    assert "must move along" in finding["advice"]


FILLED = """
        def expand(x):
            out = np.empty((len(x), 300))  # made
            for k in range(10):
                STORED
            return out
        def main():
            total, x = 0.0, base[:60000].reshape(2000, 30)
            for again in range(120):
                table = expand(x)
                total += table[again].sum()
            return total
        main()
        """


@pytest.mark.parametrize("stored", ["np.multiply(x, x[:, k:k + 1], out=out[:, 30 * k:30 * k + 30])", "out[:, 30 * k:30 * k + 30] = x * x[:, k:k + 1]"])
def test_memory_as_it_is_that_is_filled_part_by_part_is_told(tmp_path, stored):
    """What it held when it was looked at are leftovers of the one before, which the caller still has, or a part of what it ends as."""
    (finding,) = findings_at(tmp_path, FILLED.replace("STORED", stored))
    assert finding["kind"] == "replica" and "made 120 times, 119 times equal to the one before" in finding["claim"]
    assert "What is to be kept is the finished buffer: program.py:8, which stores into it" in finding["advice"]
