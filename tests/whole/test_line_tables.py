"""The decoder of location tables against each installed interpreter's own, on its standard library."""
import subprocess

import pytest

import whole

FILES = 120
INTERPRETERS = [whole.PYTHON, *whole.other_pythons()]


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    library = tmp_path_factory.mktemp("decoder") / "line_table.so"
    sources = [whole.ROOT / "analyzer/symbols/line_table.c", whole.ROOT / "analyzer/base/memory.c"]
    flags = ["-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", f"-I{whole.ROOT}/analyzer", f"-I{whole.ROOT}/include"]
    subprocess.run(["gcc", *flags, *sources, "-o", library], check=True)
    return library


@pytest.mark.parametrize("python", INTERPRETERS)
def test_decoder_agrees_with_the_interpreter(python, decoder):
    check = whole.ROOT / "tests/tools/line_table_check.py"
    done = subprocess.run([python, "-W", "ignore", check, decoder, str(FILES)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    units, mismatches = map(int, done.stdout.split())
    assert units > 100000 and mismatches == 0
