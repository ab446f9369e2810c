"""Buffers that are filled for nothing, in real programs: the access engine follows the stores, and knows whose object it was."""
import textwrap

import followed
import pytest

FOLLOWED_MIN = 16  # stores of the line

NUMPY = """
import numpy as np
data = np.random.default_rng(0).random((400, 400))
total = 0.0
"""
TORCH = """
import torch
torch.set_num_threads(1)
data = torch.rand(400, 400)
total = 0.0
"""

DEAD = {
    "ones, then out": NUMPY + """
        for step in range(9000 * longer):
            scaled = np.ones(data.shape)  # A
            np.multiply(data, step, out=scaled)
            total += scaled[3, 4]
        """,
    "zeros_like, then all of it": NUMPY + """
        for step in range(9000 * longer):
            scaled = np.zeros_like(data)  # A
            scaled[:] = data * step
            total += scaled[3, step % 400]
        """,
    "ones_like, then all of it, without blanks": NUMPY + """
        for step in range(9000 * longer):
            scaled = np.ones_like(data)  # A
            scaled[:]=data * step
            total += scaled[3, step % 400]
        """,
    "zeros, which calloc stores before there is an object": NUMPY + """
        for step in range(9000 * longer):
            scaled = np.zeros((400, 400))  # A
            scaled[:] = data * step
            total += scaled[3, step % 400]
        """,
    "a kept buffer filled, then out": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(9000 * longer):
            kept.fill(0)  # A
            np.multiply(data,
                        step, out=kept)
            total += kept[3, 4]
        """,
    "a kept buffer filled, then filled again": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(9000 * longer):
            kept.fill(0)  # A
            kept.fill(step + 1)
            total += kept[3, 4]
        """,
    "a kept buffer scaled to nothing": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(9000 * longer):
            kept *= 0  # A
            np.multiply(data, step, out=kept)
            total += kept[3, 4]
        """,
    "a kept buffer set to zero": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(9000 * longer):
            kept[...] = 0.0  # A
            np.multiply(data, step, out=kept)
            total += kept[3, 4]
        """,
    "a kept buffer of PyTorch, all of it twice": TORCH + """
        kept = torch.ones(400, 400)
        for step in range(12000 * longer):
            kept.zero_()  # A
            kept.copy_(data)
            total += float(kept[3, 4])
        """,
    "zeros of PyTorch, then out": TORCH + """
        for step in range(12000 * longer):
            scaled = torch.zeros(400, 400)  # A
            torch.mul(data, step, out=scaled)
            total += float(scaled[3, 4])
        """,
}

USED = {
    "where a mask says, the rest stays": NUMPY + """
        for step in range(4000):
            kept = np.ones(data.shape)  # A
            np.divide(data, step + 1, out=kept, where=data > 1e-7)
            total += kept[3, 4]
        """,
    "kept and filled, where a mask says on another row": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(4000):
            kept.fill(0)  # A
            np.divide(data, step + 1,
                      out=kept, where=data > 1e-7)
            total += kept[3, 4]
        """,
    "kept and filled, and overwritten but now and then": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(6000):
            kept.fill(0)  # A
            if step % 200 != 7:
                np.multiply(data, step, out=kept)
            total += kept.sum()
        """,
    "kept and filled, and a view is read": NUMPY + """
        kept = np.ones(data.shape)
        row = kept[3]
        for step in range(6000):
            kept.fill(0)  # A
            total += row[5]
            np.multiply(data, step, out=kept)
        """,
    "kept and filled, and a view is read by what overwrites it": NUMPY + """
        def step(sheet, number):
            row = sheet.reshape(-1)[:400]
            sheet.fill(0.0)  # A
            np.copyto(sheet, row + number)
            return sheet[3, 4]

        kept = np.ones(data.shape)
        for step_number in range(6000):
            total += step(kept, step_number)
        """,
    "kept and filled, and a view of PyTorch's is read by what overwrites it": TORCH + """
        kept = torch.ones(400, 400)
        row = kept.view(-1)[:400]
        for step in range(6000):
            kept.zero_()  # A
            kept.copy_(row.expand(400, 400) + step)
            total += float(kept[3, 4])
        """,
    "kept and filled, and a view is read on its line": NUMPY + """
        kept = np.ones(data.shape)
        row = kept[3]
        for step in range(6000):
            kept.fill(0); total += row[5]  # A
            np.multiply(data, step, out=kept)
        """,
    "kept and scaled to nothing, then added to": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(4000):
            kept *= 0  # A
            kept += data
            total += kept.sum()
        """,
    "kept and filled, then filled from what it held": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(4000):
            kept.fill(step)  # A
            kept.fill(kept.max() + 1)
            total += kept.sum()
        """,
    "kept and filled, then added to": NUMPY + """
        kept = np.ones(data.shape)
        for step in range(4000):
            kept[...] = 0  # A
            np.add(kept, data, out=kept)
            total += kept.sum()
        """,
    "padding": NUMPY + """
        for step in range(4000):
            padded = np.ones((402, 402))  # A
            padded[1:-1, 1:-1] = data
            total += padded[3, 4]
        """,
    "padding with calloc's zeros": NUMPY + """
        for step in range(4000):
            padded = np.zeros((402, 402))  # A
            padded[1:-1, 1:-1] = data
            total += padded[3, 4]
        """,
    "calloc's zeros, added to": NUMPY + """
        for step in range(4000):
            summed = np.zeros(data.shape)  # A
            summed += data
            total += summed[3, 4]
        """,
    "a row of it": NUMPY + """
        for step in range(4000):
            padded = np.ones((400, 400))  # A
            padded[step % 400][:]=data[0]  # not padded[:]=data
            total += padded[3, 4]
        """,
    "added to": NUMPY + """
        for step in range(4000):
            summed = np.ones(data.shape)  # A
            np.add(summed, data, out=summed)
            total += summed[3, 4]
        """,
    "one-hot rows": TORCH + """
        labels = torch.arange(400)
        for step in range(4000):
            wanted = torch.zeros(400, 400)  # A
            wanted[labels, labels] = 1.0
            total += float((wanted * data).sum())
        """,
    "without content": NUMPY + """
        for step in range(4000):
            scaled = np.empty_like(data)  # A
            np.multiply(data, step, out=scaled)
            total += scaled[3, 4]
        """,
}


def program(source):
    head, body = source.split("total = 0.0\n")
    return head + "total = 0.0\n" + textwrap.dedent(body)


@pytest.mark.parametrize("name", DEAD)
def test_the_line_is_named(tmp_path, name):
    report, marks = followed.followed(tmp_path, program(DEAD[name]), "dead_stores", FOLLOWED_MIN)
    number = marks["A"]
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "dead_store"]
    assert (finding["category"], finding["line"]) == ("dead initialisation", number)
    assert f"program.py:{number + 1} writes all of it" in finding["advice"]
    pair = next(pair for pair in report["pairs"] if pair["verdict"] == "dead_store" and pair["first"]["line"] == number)
    size_bytes = 400 * 400 * (4 if "PyTorch" in name else 8)
    assert (pair["object"]["size_bytes"], pair["second"]["line"]) == (size_bytes, number + 1)
    if "kept" in name:
        assert "Leave it out" in finding["advice"]
    else:
        assert (pair["object"]["line"], finding["object"]["size_bytes"]) == (number, size_bytes)


@pytest.mark.parametrize("name", USED)
def test_what_is_no_finding(tmp_path, name):
    report, _ = followed.profile(tmp_path / "run", program(USED[name]))
    assert [finding for finding in report["findings"] if finding["kind"] == "dead_store"] == []
