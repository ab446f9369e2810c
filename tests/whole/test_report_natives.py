"""Names, lines and inlined functions of native frames."""
import subprocess
import sys

import pytest

from reports import make_db, report, report_json

LIBRARY = """
namespace model {
__attribute__((always_inline)) inline int square(int value) { volatile int copy = value; return copy * copy; }
template <class Number> __attribute__((noinline)) int attend(Number value) { return square(static_cast<int>(value)) + 1; }
}
int enter(double value) { return model::attend(value); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    directory = tmp_path_factory.mktemp("library")
    (directory / "model.cpp").write_text(LIBRARY)
    flags = ["-shared", "-fPIC", "-O1", "-g", "-Wl,--build-id"]
    subprocess.run(["g++", *flags, "model.cpp", "-o", "libmodel.so"], cwd=directory, check=True)
    return directory / "libmodel.so"


def native_pair(library, path, build_id, recorded=None):
    """A file whose one pair lies in the library's inlined function."""
    symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout.splitlines()
    start = next(int(row.split()[0], 16) for row in symbols if "attend" in row)
    database = make_db.Db()
    process = database.process(python=sys.hexversion)
    process.module(str(recorded or library), 0x7f0000000000, 0x7f0000100000, build_id=build_id)
    code = process.code("main", "/nowhere/train.py")
    frame = process.frame(process.root(), code, -1, samples=10)
    leaf = process.node(frame, make_db.ACCESS, 0x7f0000000000 + start + 8)
    process.pair(leaf, leaf, flags=make_db.SAME_VALUE, count=20)
    database.write(path)
    return report_json(path)["pairs"][0]["second"]["frames"]


def build_id_of(library):
    notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(notes.split("Build ID:")[1].split()[0])


def test_native_frames_have_names_lines_and_inlined_functions(library, tmp_path):
    frames = native_pair(library, tmp_path / "out.db", build_id_of(library))
    outer, inner = frames[-2:]
    assert outer["function"].endswith("attend<double>(double)") and not outer["inlined"] and outer["library"] == "libmodel.so"
    assert inner["function"] == "model::square(int)" and inner["inlined"]
    assert inner["file"].endswith("model.cpp") and (outer["line"], inner["line"]) == (4, 3)
    assert "model::square [libmodel]" in report(tmp_path / "out.db").stdout


def test_stripped_library_has_symbols_only(library, tmp_path):
    stripped = tmp_path / "libmodel.so"
    for flag in ("--strip-debug", "--strip-all"):
        subprocess.run(["strip", flag, "-o", stripped, library], check=True)
        frames = native_pair(library, tmp_path / "out.db", build_id_of(library), stripped)
        assert frames[-1]["function"] == "int model::attend<double>(double)" and frames[-1]["line"] is None


def test_separate_debug_file_is_found(library, tmp_path):
    stripped, debug = tmp_path / "libmodel.so", tmp_path / "libmodel.so.debug"
    subprocess.run(["objcopy", "--only-keep-debug", library, debug], check=True)
    subprocess.run(["strip", "-o", stripped, library], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", stripped], check=True)
    frames = native_pair(library, tmp_path / "out.db", build_id_of(library), stripped)
    assert [frame["line"] for frame in frames[-2:]] == [4, 3]


def test_another_build_of_a_library_is_not_used(library, tmp_path):
    path = tmp_path / "out.db"
    frames = native_pair(library, path, b"another build id....")
    assert frames[-1]["function"] is None and "another build" in frames[-1]["trouble"]
    assert "another build by now" in report(path).stdout
