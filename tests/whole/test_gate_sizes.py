"""Runs of data of other sizes, whose counts are known: larger buffers are no more waste, and what could not be seen cannot be told."""
import json

import pytest

from gating import ADDRESS, PROGRAM, Program, export, make_db, verdict


def masking(mask, features, births=260, feature_births=None, text=PROGRAM):
    """A program whose mask is the same each time; other data are not."""
    program = Program(text)
    program.site("mask", "np.where(", mask, births=births, replicas=births - 1, period=1)
    program.site("features", "np.tanh(", features, births=feature_births or births)
    return program


def written(directory, old, new):
    return old.write(directory / "old.db"), new.write(directory / "new.db")


def expect(old, new, verdict_of):
    """The only item's verdict, with the baseline as it was recorded and as it is exported; what is said with either."""
    status = int(verdict_of in ("increased", "new"))
    said = [verdict(new, "--baseline", baseline, status=status) for baseline in (old, export(old))]
    for data in said:
        assert [item["verdict"] for item in data["items"]] == [verdict_of]
    return said


@pytest.mark.parametrize("size, features, verdict_of", [(786432, 98304, "known"), (786432, 65536, "increased")])
def test_larger_data_is_no_more_waste(tmp_path, size, features, verdict_of):
    """Where other lines' buffers grew as much."""
    old, new = written(tmp_path, masking(524288, 65536), masking(size, features))
    for data in expect(old, new, verdict_of):
        assert any("Other lines' buffers grew as much" in note for note in data["notes"]) == (verdict_of == "known")


@pytest.mark.parametrize("size, verdict_of", [(3 * 524288, "known"), (4 * 524288, "increased")])
def test_data_that_is_larger_in_two_dimensions(tmp_path, size, verdict_of):
    """Distances of all points to all centres, of twice the points and half more centres."""
    old, new = masking(524288, 65536), masking(size, 98304)
    for program, rows in ((old, 4096), (new, 8192)):
        program.site("mask", "i = np.arange", rows, births=260)
    expect(*written(tmp_path, old, new), verdict_of)


@pytest.mark.parametrize("features, births, verdict_of", [(131072, 260, "known"), (65536, 260, "increased"), (131072, 600, "increased")],
                         ids=["larger data", "larger alone", "more places"])
def test_larger_data_beside_what_repeats_in_part(tmp_path, features, births, verdict_of):
    """What repeats in part at the line, and what a library takes once there, are not in the finding: nor are they in what it is held against."""
    old, new = masking(524288, 65536), masking(1048576, features, births, feature_births=260)
    for program, scale in ((old, 1), (new, 2)):
        step = program.frame(program.frame(program.process.root(), "<module>", "main([np"), "step", "x + mask")
        node = program.process.node(program.frame(step, "mask", "np.where("), make_db.NATIVE, ADDRESS)
        program.process.site(node, scale * 65536, births=300, replicas=60, period=1)
        program.process.site(node, 1 << 27, births=1)
    expect(*written(tmp_path, old, new), verdict_of)


@pytest.mark.parametrize("scale, verdict_of", [(2, "known"), (1, "increased")])
def test_data_beside_what_a_library_keeps(tmp_path, scale, verdict_of):
    """The line that makes the data calls a product for the first time, which takes 32 MiB to work in for good."""
    old, new = Program(), Program()
    for program, mask, data in ((old, 524288, 1), (new, 1048576, scale)):
        program.site("mask", "np.where(", mask, births=260, replicas=259, period=1)
        node = program.node("features", "np.tanh(")
        for size in (data * 65536, data * 786432, 32 << 20):
            program.process.site(node, size, births=1)
    expect(*written(tmp_path, old, new), verdict_of)


@pytest.mark.parametrize("features, verdict_of", [(131072, "known"), (65536, "increased")])
def test_a_line_that_was_renamed_in_larger_data(tmp_path, features, verdict_of):
    renamed = PROGRAM.replace("np.where(i[:, None]", "np.where(0 + i[:, None]")
    expect(*written(tmp_path, masking(524288, 65536), masking(1048576, features, text=renamed)), verdict_of)


def test_a_baseline_that_does_not_know_typical_sizes_has_means(tmp_path):
    old, new = written(tmp_path, masking(524288, 65536), masking(786432, 98304))
    baseline = export(old)
    rows = json.loads(baseline.read_text())
    assert all(line.pop("typical_bytes") > 0 for line in rows["lines"])
    baseline.write_text(json.dumps(rows))
    assert [item["verdict"] for item in verdict(new, "--baseline", baseline, status=0)["items"]] == ["known"]


@pytest.mark.parametrize("features, verdict_of", [(131072, "known"), (65536, "increased")])
def test_a_longer_run_of_larger_data(tmp_path, features, verdict_of):
    """Two epochs repeat half of what comes once in each, twelve all but the first."""
    old, new = (masking(size, other, births, 20 * births) for size, births, other in ((4 << 20, 2, 65536), (8 << 20, 12, features)))
    expect(*written(tmp_path, old, new), verdict_of)


@pytest.mark.parametrize("mask, verdict_of", [(131072, "known"), (65536, "increased")])
def test_an_edited_line_of_larger_data_beside_what_repeats_in_part(tmp_path, mask, verdict_of):
    """The edit makes a buffer more each time, some of which are equal; what it tells of both runs is one sum."""
    old, new = Program(), Program(PROGRAM.replace("return np.tanh(batch)", "return 1 * np.tanh(batch)"))
    for program, size, witness in ((old, 65536, 65536), (new, 131072, mask)):
        program.site("mask", "np.where(", witness, births=360)
        program.site("features", "np.tanh(", size, births=360, replicas=240, period=120)
    new.site("features", "np.tanh(", 65536, births=60, replicas=59, period=1)
    for data in expect(*written(tmp_path, old, new), verdict_of):
        why = data["items"][0]["why"]
        assert verdict_of == "known" or "33.7 MiB in 299 objects made again, 15 MiB in 240 objects in the baseline" in why


@pytest.mark.parametrize("before, verdict_of", [(786432, "cannot tell"), (204800, "new")], ids=["elided before", "as large"])
def test_what_numpy_wrote_over_cannot_be_told_again(tmp_path, before, verdict_of):
    """From 256 KiB on an expression's temporary operand is overwritten: of smaller data both are there to compare."""
    old, new = Program(), Program()
    for program, size in ((old, before), (new, 204800)):
        first = program.site("features", "np.tanh(", size, births=260)
        second = program.process.site(program.node("step", "x + mask"), size, births=260)
    new.process.link(first, second, 260)
    for data in expect(*written(tmp_path, old, new), verdict_of):
        assert verdict_of == "new" or "NumPy writes results of 256 KiB and more over" in data["items"][0]["why"]


@pytest.mark.parametrize("features, verdict_of", [(16384, "cannot tell"), (65536, "new")])
def test_buffers_that_were_too_small_to_be_seen(tmp_path, features, verdict_of):
    """Data four times as large brings a line's above 1 KiB; of data as large, there were none."""
    old, new = Program(), Program()
    old.site("features", "np.tanh(", features, births=1040)
    new.site("features", "np.tanh(", 65536, births=1040)
    new.site("mask", "np.where(", 2048, births=1040, replicas=1039, period=1)
    for data in expect(*written(tmp_path, old, new), verdict_of):
        (item,) = data["items"]
        assert ("buffers below 1 KiB are not looked at" in item["why"]) == (verdict_of == "cannot tell")
