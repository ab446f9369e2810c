"""Two calls that make the same in these data: only where they are made of the same is one of them for nothing."""
import pytest
from marked import NUMPY, found

PROGRAM = NUMPY + """
        valid, weight = np.ones((512, 256)), (random.normal(size=(512, 256)) > -99) * 1.0
        top, limit = 8.0, 10.0
        for step in range(200):
            x = random.normal(size=(512, 256))
            first = {first}
            second = {second}
            x[0, 0] = first[1, 1] + second[2, 2]
        """
CATEGORY = "repeated native call with the same arguments"


def categories(tmp_path, first, second):
    _, report = found(tmp_path, PROGRAM.format(first=first, second=second))
    return [finding["category"] for finding in report["findings"]]


@pytest.mark.parametrize("first, second", [
    ("x * valid", "x * weight"),
    ("np.minimum(x, top)", "np.minimum(x, limit)"),
    ("np.minimum(x, 8.0)", "np.minimum(x, 10.0)"),
    ("np.where(x > -9, x, 0.0)", "np.where(x < 9, x, 0.0)"),
    ("np.clip(x, -top, top)", "np.clip(x, -limit, limit)"),
], ids=lambda text: text)
def test_other_arguments_are_other_work(tmp_path, first, second):
    assert CATEGORY not in categories(tmp_path, first, second)


@pytest.mark.parametrize("first, second", [
    ("np.tanh(x)", "np.tanh(x)"),
    ("np.minimum(x, top)", "np.minimum(x, top)"),
    ("np.sort(x, 1)", "np.sort(x, axis=1)"),
], ids=lambda text: text)
def test_the_same_arguments_are_not(tmp_path, first, second):
    assert CATEGORY in categories(tmp_path, first, second)
