"""Of results beyond 64 KiB samples are compared: that is said wherever a figure rests on it."""
import pytest

from marked import NUMPY, found

BODY = """
        source = random.normal(size={elements})
        for i in range(64):
            result = np.sin(source)
            if i in (40, 41, 42):
                result[{elements} * 3 // 5 + i] = i
        """


def told(directory, elements, **changes):
    path, report = found(directory, NUMPY + BODY.format(elements=elements), **changes)
    return [(finding["exact"], finding["by_samples"], finding["ci95"], finding["object"]["equal"]) for finding in report["findings"]
            if finding["kind"] == "replica"]


def test_results_that_differ_between_the_samples_are_not_told_as_exact(tmp_path):
    """Read whole they are seen to differ, and are no finding."""
    assert told(tmp_path, 2**21) == [(False, True, None, 63)]
    assert told(tmp_path, 2**21, PIEPROF_DIGEST="full") == []


@pytest.mark.parametrize("elements, changes", [(4096, {}), (2**16, {"PIEPROF_DIGEST": "full"})])
def test_what_is_read_whole_is_exact(tmp_path, elements, changes):
    body = BODY.format(elements=elements).replace("in (40, 41, 42)", "< 0").replace("range(64)", "range(400)")
    path, report = found(tmp_path, NUMPY + body, **changes)
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "replica"]
    assert finding["exact"] and not finding["by_samples"]
