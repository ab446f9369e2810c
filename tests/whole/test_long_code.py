"""Code whose table of lines is longer than a blob of the file: modules of many calls, functions of many lines, lines of many operations."""
import pytest

import whole
from marked import NUMPY, found

CALLS = "".join(f"value_{i} = compute(value_0, alpha=0.1 * {i}, beta=[{i}, {i + 1}], gamma='name')\n" for i in range(1600))

PROGRAMS = {
    "a module of many calls": NUMPY + f"""
def compute(value, alpha, beta, gamma):
    return alpha
value_0 = 1.0
{CALLS}
for step in range(300):
    np.sqrt(np.arange(4000.0) * 2 + 1)  # finding
""",
    "a function of many calls, and one that it calls": NUMPY + f"""
def compute(value, alpha, beta, gamma):
    return alpha
def step():
    return np.sqrt(np.arange(4000.0) * 2 + 1)  # finding
def train():
    value_0 = 1.0
{"".join("    " + line for line in CALLS.splitlines(True))}
    for _ in range(300):
        step()
train()
""",
    "a line of many operations": NUMPY + f"""
def train():
    small = np.arange(4)
    for _ in range(300):
        small = np.arange(4){" + 0" * 2500}
        np.sqrt(np.arange(4000.0) * 2 + 1)  # finding
train()
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_lines_behind_the_first_part_of_a_long_table_are_named(tmp_path, name):
    path, report = found(tmp_path, PROGRAMS[name])
    marked = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# finding")]
    assert [finding["line"] for finding in report["findings"] if finding["kind"] == "replica"] == marked
    assert report["run"]["health"]["dropped"]["blob_too_large"] == 0
    codes = whole.execute([whole.REPORT, "dump", tmp_path / "out.db"]).stdout.splitlines()
    assert any(line.startswith("CODE") and "lines_parts=0" not in line for line in codes)
