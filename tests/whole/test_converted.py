"""Batches that are converted to another type in each epoch are computed; those that are only copied there are not."""
import pytest
from marked import TORCH, at_a, found

EPOCHS = TORCH + """
        data, head = torch.randint(0, 255, (20 * 64, 300), dtype=torch.uint8), torch.zeros(300)
        for epoch in range(30):  # epochs
            for start in range(0, len(data), 64):
                batch = BATCH  # A
                head = head - 1e-9 * (batch @ head - 1) @ batch
        """


@pytest.mark.parametrize("batch", ["data[start:start + 64].float()", "torch.from_numpy(data.numpy()[start:start + 64]).float()",
                                   "torch.from_numpy(data.numpy()[start:start + 64].astype('f4'))"])
def test_converted_batches_are_kept(tmp_path, batch):
    marks, (finding,) = at_a(*found(tmp_path, EPOCHS.replace("BATCH", batch)))
    assert finding["category"] == "recomputed input"
    assert "580 times equal to the one 20 before: the same 20 contents come round again" in finding["claim"]
    assert f"before or in the first pass of the loop at program.py:{marks['epochs']}, and keep them" in finding["advice"]


@pytest.mark.parametrize("batch", ["data[start:start + 64].clone()", "data[start:start + 64].to('cpu', copy=True)",
                                   "data[torch.arange(start, start + 64)]"])
def test_copied_and_gathered_batches_are_ordinary(tmp_path, batch):
    source = EPOCHS.replace("torch.randint(0, 255, (20 * 64, 300), dtype=torch.uint8)", "torch.randn(20 * 64, 300)")
    _, findings = at_a(*found(tmp_path, source.replace("BATCH", batch)))
    assert [finding for finding in findings if finding["object"]["size_bytes"] > 50_000] == []


@pytest.mark.parametrize("batch", ["data[start:start + 64].float()", "torch.from_numpy(data.numpy()[start:start + 64].astype('f4'))"])
def test_batches_that_change_in_the_end_are_no_round(tmp_path, batch):
    """After the far history has left them to the near one, which looked at all of them."""
    source = EPOCHS.replace("BATCH", batch).replace("            for start", "            if epoch == 28:\n                data ^= 1\n            for start")
    _, findings = at_a(*found(tmp_path, source))
    assert findings == []
