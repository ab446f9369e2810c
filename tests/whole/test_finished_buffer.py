"""What is made equal again is the finished buffer: lines that change it behind the one that makes it are told with it."""
import re

import pytest

from finishing import measured, row_of


def advice_of(tmp_path, source):
    lines, report = measured(tmp_path, source, "--min-waste", "0")
    made = row_of(lines, "made")
    (finding,) = [finding for finding in report["findings"] if finding["line"] == made]
    assert finding["kind"] == "replica" and finding["advice"].startswith(("Build it once", "Copy it once")), finding
    changes = [number for number, line in enumerate(lines, 1) if "# changes" in line]
    return finding["advice"], changes


CHANGED = {
    "by a name of a part": """
        for i in range(300):
            h = base * 2.0  # made
            part = h[1:]
            part *= 0.5  # changes
            total += h.sum()
        """,
    "by a sum that begins with a number": """
        for i in range(300):
            h = 0
            h += base[:9000] * 2.0  # made
            h += base[:9000]  # changes
            total += h.sum()
        """,
    "row by row": """
        for i in range(300):
            h = base.reshape(100, -1) * 2.0  # made
            for k, row in enumerate(h):
                row -= k  # changes
            total += h.sum()
        """,
    "in a function that goes through it": """
        def settle(rows):
            for row in rows:
                row *= 0.5  # changes
        for i in range(300):
            h = base.reshape(100, -1) * 2.0  # made
            settle(h)
            total += h.sum()
        """,
    "by a method of the program's own that is called fill": """
        class Painter:
            def fill(self, rows):
                rows *= 0.5  # changes
        painter = Painter()
        for i in range(300):
            h = base * 2.0  # made
            painter.fill(h)
            total += h.sum()
        """,
    "in place": """
        for i in range(300):
            h = base * 2.0  # made
            h += 1.0  # changes
            h[::7] *= 3  # changes
            total += h.sum()
        """,
    "by calls": """
        def work():
            h = (base *
                 2.0)
            h.put(0, 2.0)  # changes
            s = h.sum()
            np.sqrt(h, out=h)  # changes
            np.put(h, 1, s)  # changes
            return h.sum()
        for i in range(300):
            total += work()
        """.replace("(base *\n", "(base *  # made\n"),
    "in forms that are rarer": """
        def work(i):
            h = base * 2.0  # made
            np.nan_to_num(h, copy=False)  # changes
            np.add(h, 1.0, h)  # changes
            s, h[:5] = h.sum(), 2.0  # changes
            if s < 0:
                h = h * 2
            np.put_along_axis(h, np.array([3, 4]), 1.0, 0)  # changes
            return s
        for i in range(300):
            total += work(i)
        """,
    "a copy": """
        for i in range(300):
            h = base.copy(); h.fill(i)  # left
            h = base.copy()  # made
            h[0] = 1.0  # changes
            total += h.sum()
        """,
    "by a function that is handed it": """
        def train(rate, w):
            for _ in range(3):
                g = np.sin(w)
                w -= rate * g  # changes
            return w.sum()
        for i in range(60):
            w = np.cos(base)  # made
            total += train(0.1, w)
        """,
    "by a function that allocates nothing, a step before": """
        class Model:
            def shift(self, by, array=None):
                array += by  # changes
        for i in range(60):
            w = np.cos(base * 0.5)  # made
            Model().shift(1.0, array=w)
            total += w.sum()
        """,
    "on its own line": """
        for i in range(300):
            h = base * 2.0; h += 1  # made # changes
            total += h.sum()
        """,
}

UNCHANGED = {
    "copies of parts": """
        order = np.arange(1000)
        for i in range(300):
            h = base * 2.0  # made
            part = h[order]
            part += 1.0
            some = h[1:] * 2
            some += 1.0
            total += h.sum() + part.sum()
        """,
    "a step whose statement makes something new of it": """
        for i in range(300):
            h = np.exp(np.sqrt(base) / (1 + i))  # made
            h[i] += i
            total += h.sum()
        """,
    "a condition": """
        for i in range(300):
            h = np.where(base * 3.0 > 1.0, i, -1.0)  # made
            h[i] = total
            total += h.sum()
        """,
    "read alone": """
        for i in range(300):
            h = base * 2.0  # made
            total += h[0] + h.sum() if h[1] == 1 else h.mean()
        """,
    "the third that is handed": """
        for i in range(300):
            h = base * 2.0  # made
            total += np.einsum("i,i->", base, h) + np.where(base > 0, base, h)[3]
        """,
    "another buffer of that name": """
        for i in range(300):
            h = base * 2.0  # made
            total += h.sum()
            h = np.full(10, float(i))
            h += 1
        """,
    "changed behind the loop": """
        for i in range(1500):
            h = base * 2.0  # made
            total += h.sum()
        h += 1
        """,
}


LATER = {
    "a step on the way to it": """
        def train(holder):
            w = holder[0]
            for _ in range(3):
                w -= 0.1 * np.sin(w)
            return w.sum()
        for i in range(60):
            w = np.cos(base) * 0.5  # made
            total += train([w])
        """,
    "many at once": """
        class Model:
            def __init__(self):
                self.a = np.cos(base[:2000])  # made
                self.b = np.sin(base[:2010])
                self.c = np.exp(base[:2020])
                self.d = np.log1p(base[:2030])
                self.e = np.cosh(base[:2040])
                self.f = np.sinh(base[:2050])
            def step(self):
                for w in (self.f, self.e, self.d, self.c, self.b, self.a):
                    w -= 0.1 * np.tanh(w)
        for i in range(60):
            model = Model()
            for step in range(5):
                model.step()
            total += model.a.sum()
        """,
    "by keywords": """
        def begin(seed):
            return dict(w=np.cos(base + seed), rounds=3)  # made
        def train(w, rounds):
            for _ in range(rounds):
                w -= 0.1 * np.sin(w)
            return w.sum()
        for i in range(60):
            total += train(**begin(3))
        """,
    "what a function returns": """
        def begin():
            return np.cos(base)  # made
        def train(w):
            for _ in range(3):
                np.subtract(w, np.sin(w), out=w)
            return w.sum()
        for i in range(60):
            total += train(begin())
        """,
    "by another name": """
        class Model:
            pass
        for i in range(60):
            model = Model()
            w = np.cos(base)  # made
            model.w = w
            other = model.w
            g = np.sin(w)
            other += g
            total += w.sum()
        """,
}

NOT_LATER = {
    "a step of arithmetic, over two lines": """
        def made():
            return np.cos(base)
        for i in range(60):
            h = (base * 2.0  # made
                 * 3.0 + np.sin(base)
                 + made())
            total += h.sum()
        """,
    "a step of arithmetic": """
        for i in range(60):
            h = (base * 2.0) * 3.0 + np.sin(base)  # made
            total += h.sum()
        """,
    "handed on, and only read": """
        def use(w):
            g = np.sin(w)
            return g.sum() + (w * 2.0).sum()
        for i in range(60):
            w = np.cos(base)  # made
            total += use(w)
        """,
    "finished by the call that returns it": """
        def begin():
            w = np.cos(base)
            g = np.sin(w)
            w[:] = g + 1
            return w
        for i in range(60):
            w = begin()
            h = w * 2.0  # made
            g = np.sin(h)
            total += g.sum()
        """,
}


ENDS_OTHERWISE = {
    "one of two values": "h, s = np.zeros(len(base)), 0  # made",
    "an item": "items = [np.zeros(len(base))]; h = items[0]  # made",
    "two names": "h = first = np.zeros(len(base))  # made",
    "annotated": "h: np.ndarray = np.zeros(len(base))  # made",
}
NOT_FOLLOWED = {
    "one of two values": "h, s = base * 2.0, 0  # made",
    "two names": "h = first = base * 2.0  # made",
    "annotated": "h: np.ndarray = base * 2.0  # made",
}
FINISHED = """
        def work():
            global total
            {}
            h += base
            total += h.sum()
        def main():
            for i in range(300):
                work()
        main()
"""


@pytest.mark.parametrize("name", ENDS_OTHERWISE)
def test_what_does_not_end_as_it_is_made_is_stored_into(tmp_path, name):
    advice, _ = advice_of(tmp_path, FINISHED.format(ENDS_OTHERWISE[name]))
    assert "What is to be kept is the finished buffer: what stores into it after this line must move along." in advice


@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_names_that_are_not_followed_are_to_be_looked_at(tmp_path, name):
    advice, _ = advice_of(tmp_path, FINISHED.format(NOT_FOLLOWED[name]))
    assert "See that nothing stores into it after this line, or move that along." in advice


def test_what_is_returned_is_to_be_looked_at(tmp_path):
    advice, _ = advice_of(tmp_path, """
        def made():
            return base * 2.0  # made
        for i in range(300):
            h = made()
            h += 1.0
            total += h.sum()
        """)
    assert "See that nothing stores into it after this line, or move that along." in advice


@pytest.mark.parametrize("name", CHANGED)
def test_later_stores_are_named(tmp_path, name):
    advice, changes = advice_of(tmp_path, CHANGED[name])
    told = re.search(r"finished buffer: program\.py:([\d, and]+?),? which stores? into it(?: and took [^,]+ in all(?: \((?:[^)]+ of it )?counted above\))?)?, must move along", advice)
    assert told, advice
    assert [int(number) for number in re.findall(r"\d+", told[1])] == changes
    assert "use the source itself" not in advice


@pytest.mark.parametrize("name", UNCHANGED)
def test_nothing_more_is_said_of_what_is_only_read(tmp_path, name):
    advice, _ = advice_of(tmp_path, UNCHANGED[name])
    assert "finished buffer" not in advice and "changed in place" not in advice and "See that" not in advice


@pytest.mark.parametrize("name", LATER)
def test_changes_that_the_text_does_not_show_are_told(tmp_path, name):
    advice, _ = advice_of(tmp_path, LATER[name])
    assert "It is changed in place after this line" in advice
    assert advice.count("finished buffer") == 0, "states in between may be used"
    assert "by another name: keep what this line makes, and hand out copies of it." in advice


@pytest.mark.parametrize("name", NOT_LATER)
def test_what_is_finished_by_its_line_is_not_said_to_be_changed(tmp_path, name):
    assert "changed in place" not in advice_of(tmp_path, NOT_LATER[name])[0]


def test_a_chain_that_changes_what_it_has_just_made_is_one_statement(tmp_path):
    advice, _ = advice_of(tmp_path, """
        import torch
        torch.set_num_threads(1)
        X = torch.rand(400, 300)
        for i in range(60):
            h = torch.exp(X).sub_(X.mean(0) * 2).div_(X.std(0))  # made
            total += float((h * 2).sum())
        """)
    assert "changed in place" not in advice


def test_what_is_handed_to_others_is_said_to_stay_as_it_is(tmp_path):
    """Whose text is not in the file; and nothing of what Python's, NumPy's and the file's own functions do with it."""
    advice, _ = advice_of(tmp_path, """
        import functools
        work = functools.partial(np.add, 1.0)
        def mean(array):
            return array.mean()
        for i in range(60):
            h = base * 2.0  # made
            total += np.median(h) + mean(h) + len(h)
            total += work(h).sum()
        """)
    assert re.search(r"work\(\) at program\.py:\d+, which is handed it, must not change it in place\.$", advice), advice


def test_what_finishing_lines_take_is_told_with_them(tmp_path):
    """Where the line that makes the buffer takes next to nothing."""
    advice, (changes,) = advice_of(tmp_path, """
        for i in range(2500):
            h = base + 1.0  # made
            np.arctan2(h, base, out=h)  # changes
            total += h.sum()
        """)
    told = re.search(r"finished buffer: program\.py:(\d+), which stores into it and took ([\d.]+) (m?s) in all \((?:[\d.]+ m?s of it )?counted above\), must move along", advice)
    assert told and int(told[1]) == changes, advice
    assert float(told[2]) / (1000 if told[3] == "ms" else 1) > 0.05


def test_what_is_finished_alike_on_one_way_alone_is_not_to_be_kept(tmp_path):
    """The picture of a reset has the agent in its place each time, that of a step does not: what both are painted into is to be kept."""
    advice, _ = advice_of(tmp_path, """
        walls, at = base[:144].reshape(12, 12), [0, 0]
        def render():
            image = np.kron(walls, np.ones((12, 12))).astype(np.float32)  # made
            image[at[0] * 12, at[1] * 12] = 9.0
            return image
        def reset():
            at[:] = 0, 0
            return render()
        def step(i):
            at[:] = i % 12, i // 12 % 12
            return render()
        for i in range(300):
            total += reset().sum() + step(i).sum()
        """)
    assert "finished buffer" not in advice and "must move along" not in advice


def test_what_is_finished_otherwise_now_and_then_is_not_to_be_kept(tmp_path):
    """The product stays; what is stored into the picture made of it moves every five rounds."""
    advice, _ = advice_of(tmp_path, """
        walls, at = base[:144].reshape(12, 12), [0, 0]
        for i in range(300):
            image = np.kron(walls, np.ones((12, 12))).astype(np.float32)  # made
            at[:] = i // 5 % 12, i // 60 % 12
            image[at[0] * 12, at[1] * 12] = 9.0
            total += image.sum()
        """)
    assert "finished buffer" not in advice and "must move along" not in advice


@pytest.mark.parametrize("made", ["np.zeros(len(base))", "base * 2.0"])
def test_one_of_two_statements_is_followed(tmp_path, made):
    advice, _ = advice_of(tmp_path, FINISHED.format(f"s = 0; h = {made}  # made"))
    assert "What is to be kept is the finished buffer: program.py:9, which stores into it" in advice and "must move along." in advice
