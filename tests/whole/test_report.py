"""The report's outputs and the reader's manners, on files that tests/tools/make_db.py writes."""
import json
import os
import struct
import subprocess
import sys
import time

import jsonschema
import pytest

import whole

sys.path.insert(0, str(whole.ROOT / "tests/tools"))
import make_db  # noqa: E402

SCHEMA = json.loads(whole.SCHEMA.read_text())


def report(*arguments, **how):
    how.setdefault("env", {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "DEBUGINFOD_URLS")})
    return subprocess.run([whole.REPORT, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=60, **how)


def report_json(path, *arguments):
    done = report(path, "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    return data


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("golden") / "small.db"
    make_db.golden_small().write(path)
    return path


def line_at(data, number):
    return next(line for line in data["lines"] if line["line"] == number)


def test_json_says_what_was_recorded(small):
    data = report_json(small)
    assert [line["line"] for line in data["lines"]] == [4, 9, 5]
    fill = data["lines"][0]
    assert (fill["file"], fill["function"], fill["text"]) == ("/nowhere/train.py", "fill", "    out[:] = 0.0")
    assert fill["dead_stores"]["fraction"] == pytest.approx(0.97)
    assert fill["dead_stores"]["across"]["pairs"] == 100
    assert fill["waste_s"] == pytest.approx(0.8 * 0.97)
    assert fill["source"] == "gone"
    assert line_at(data, 9)["redundant_loads"]["fraction"] == pytest.approx(0.6)
    assert line_at(data, 9)["redundant_loads"]["across"]["fraction"] == 1
    assert line_at(data, 5)["redundant_stores"]["pairs"] == 197
    assert data["totals"]["time_s"] == {"total": 3.84, "python": 0.08, "native": 3.76, "boundary": 0}
    assert data["totals"]["import_s"] == pytest.approx(0.16)
    assert data["totals"]["elsewhere_s"] == pytest.approx(0.12)
    assert data["totals"]["other_pairs"] == 50
    health = data["run"]["health"]
    assert (health["lost"], health["resolved"]) == (10, pytest.approx(840 / 850))
    assert data["run"]["engines"]["replica"] == {"on": False, "why_off": "not built into this version"}
    assert data["run"]["command"] == ["python", "train.py"]
    assert data["run"]["processes"][0]["state"] == "exit"


def test_text_quotes_and_advises(small):
    text = report(small).stdout
    assert "out[:] = 0.0" in text and "^^^^^^" in text
    assert "overwritten by train.py:5 before anything reads it" in text
    assert "replica, transfer: not built into this version" in text
    assert "train.py:4 first" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_text_keeps_to_the_width(small, width):
    rows = report(small, "--width", width).stdout.splitlines()
    assert max(len(row) for row in rows) <= width


def test_colour_only_when_wanted(small):
    assert "\x1b[" in report(small, "--color", "always").stdout
    assert "\x1b[" not in report(small).stdout


def test_options_select(small, tmp_path):
    assert len(report_json(small, "--top", "1")["lines"]) == 1
    assert report_json(small, "--file", "other.py")["lines"] == []
    assert [line["line"] for line in report_json(small, "--file", "train.py", "--kind", "dead_store")["lines"]] == [4]
    assert report_json(small, "--kind", "transfer")["lines"] == []
    assert "Drop" not in report(small, "--min-waste", "50").stdout
    out = tmp_path / "report.txt"
    assert report(small, "-o", out).stdout == ""
    assert "train.py:4" in out.read_text()


@pytest.mark.parametrize("wrong", [["--top", "x"], ["--format", "html"], ["--width", "3"], ["--kind", "odd"], ["--nonsense"],
                                   ["a.db", "b.db"], ["frobnicate"], ["--color", "red"], ["--min-waste", "101"]])
def test_wrong_usage_is_said_and_ends_with_2(wrong):
    done = report(*wrong)
    assert done.returncode == 2 and done.stderr and not done.stdout


def test_unknown_verb_lists_the_verbs():
    done = report("gates")
    assert done.returncode == 2
    assert all(verb in done.stderr for verb in ("report", "dump", "doctor"))


@pytest.mark.parametrize("verb", [[], ["report"], ["dump"], ["doctor"]])
def test_help_and_version(verb):
    for option in ("--help", "--version"):
        done = report(*verb, option)
        assert done.returncode == 0 and done.stdout and not done.stderr


def test_doctor_ends_well():
    done = report("doctor")
    assert done.returncode == 0 and "debug registers" in done.stdout


def test_dump_shows_every_record(small):
    rows = report("dump", small).stdout.splitlines()
    kinds = {row.split()[0] for row in rows}
    assert {"header", "extent", "PROCESS", "CODE", "MODULE", "SOURCE", "NODE", "PAIR"} <= kinds
    assert sum(row.startswith("PAIR ") for row in rows) == 8


def test_source_changed_since(tmp_path):
    script = tmp_path / "train.py"
    database = make_db.golden_small()
    process = make_db.Db().process(directory=str(tmp_path), python=sys.hexversion)
    database.processes = [process]
    code = make_db.text_codes(make_db.TRAIN, str(script))["fill"]
    number = process.code_of(code, process.source(str(script), make_db.TRAIN, part_bytes=50))
    process.frame(process.root(), number, make_db.offset_of(code, 4), samples=100)
    path = tmp_path / "out.db"
    database.write(path)
    for text, state in ((make_db.TRAIN, "same"), (make_db.TRAIN.replace("0.0", "9.9"), "changed")):
        script.write_text(text)
        line = report_json(path)["lines"][0]
        assert (line["source"], line["text"]) == (state, "    out[:] = 0.0")
    assert "another by now" in report(path).stdout


def test_entrance_to_a_package_leads_with_the_package(tmp_path):
    database = make_db.Db()
    process = database.process(python=sys.hexversion)
    main = process.code("<module>", "/nowhere/run.py", first_line=3)
    package = process.code("Trainer.fit", "/v/lib/python3.11/site-packages/trainer/loop.py", first_line=40)
    foundation = process.code("Linear.forward", "/v/lib/python3.11/site-packages/torch/nn/linear.py", first_line=9)
    fit = process.frame(process.frame(process.root(), main, -1), package, -1)
    process.frame(fit, foundation, -1, samples=90)
    process.frame(process.frame(process.root(), main, -1), foundation, -1, samples=10)
    path = tmp_path / "out.db"
    database.write(path)
    leading = report_json(path)["lines"][0]
    assert (leading["file"][-7:], leading["line"], leading["own"]) == ("loop.py", 40, False)
    assert leading["caller"] == {"file": "/nowhere/run.py", "line": 3, "function": "<module>"}
    owned = report_json(path, "--own", "trainer")["lines"][0]
    assert (owned["line"], owned["own"], owned["caller"]) == (40, True, None)


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


def test_events_of_lines(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.events = ["PAPI_TOT_INS", "PAPI_L1_DCM"]
    process.counter(12, 1, 5000)
    process.counter(14, 0, 70)
    path = tmp_path / "out.db"
    database.write(path)
    data = report_json(path)
    assert data["totals"]["events"] == {"PAPI_L1_DCM": 5000, "PAPI_TOT_INS": 70}
    assert line_at(data, 4)["events"]["PAPI_L1_DCM"] == 5000
    assert "PAPI_L1_DCM 5e+03" in report(path).stdout


def test_comprehension_counts_with_its_line(tmp_path):
    database = make_db.Db()
    process = database.process(python=sys.hexversion)
    outer = process.frame(process.root(), process.code("mask", "/nowhere/train.py", first_line=7), -1, samples=5)
    process.frame(outer, process.code("mask.<locals>.<listcomp>", "/nowhere/train.py", first_line=7), -1, samples=10)
    path = tmp_path / "out.db"
    database.write(path)
    assert [(line["line"], line["function"], line["samples"]) for line in report_json(path)["lines"]] == [(7, "mask", 15)]


def test_hostile_text_cannot_reach_the_terminal(tmp_path):
    database = make_db.Db()
    process = database.process(arguments=("python", "\x1b]0;evil\x07\x1b[2J"), python=sys.hexversion)
    code = process.code("f\x1b[31m\udc80".encode("utf-8", "surrogateescape"), "/nowhere/\x9b31m\n.py".encode(), first_line=1)
    process.frame(process.root(), code, -1, samples=100)
    path = tmp_path / "out.db"
    database.write(path)
    for arguments in ([path], ["dump", path]):
        done = subprocess.run([whole.REPORT, *arguments], capture_output=True, timeout=60)
        assert done.returncode == 0
        assert not set(done.stdout.decode()) & {chr(i) for i in [*range(10), *range(11, 32), *range(127, 160)]}
    report_json(path)


def test_big_file_within_a_second(tmp_path):
    path = tmp_path / "big.db"
    make_db.golden_big().write(path)
    start = time.monotonic()
    assert report(path).returncode == 0
    elapsed = time.monotonic() - start
    assert elapsed <= 1 or os.environ.get("PIEPROF_SAN"), f"{elapsed:.2f} s"
    assert elapsed <= 15


def refused(path, *words):
    done = report(path)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and str(path) in done.stderr, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


def test_files_that_are_no_runs(tmp_path, small):
    cases = {"empty": b"", "text": b"not a profile\n" * 500, "short": b"PIEPROF\x1a" + bytes(100),
             "elf": open(sys.executable, "rb").read(100000)}
    for name, content in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        refused(path, "offset")
    refused(tmp_path, "directory")
    refused(tmp_path / "missing.db", "No such file")
    version = tmp_path / "version.db"
    make_db.golden_small().write(version, version=2)
    refused(version, "version 2", "offset 0x8")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "regular")


def test_structural_damage_is_one_line(tmp_path, small):
    good = small.read_bytes()
    extent = 4096 + 16384
    for offset, value, words in ((4096, 0x12345678, ["0x1000"]), (extent + 4, 99, ["kind"]), (extent + 12, 7, ["records of 7"]),
                                 (20, 5, ["byte order"]), (16, 4096, ["extents of"])):
        damaged = bytearray(good)
        struct.pack_into("<I", damaged, offset, value)
        path = tmp_path / "damaged.db"
        path.write_bytes(damaged)
        refused(path, "offset", *words)


def test_reference_out_of_range_is_refused(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.node(len(process.records["NODE"]) + 1, make_db.NATIVE, 1)
    path = tmp_path / "parent.db"
    database.write(path)
    refused(path, "not before it")
    database = make_db.golden_small()
    database.processes[0].pair(1, 100000)
    database.write(path)
    refused(path, "out of range")


def test_cut_short_is_read_as_far_as_it_goes(tmp_path, small):
    good = small.read_bytes()
    path = tmp_path / "cut.db"
    for length in range(4096, len(good), 20011):
        path.write_bytes(good[:length])
        done = report(path, "--format", "json")
        assert done.returncode == 0 and len(done.stderr.splitlines()) == 1, (length, done.stderr)
        data = json.loads(done.stdout)
        jsonschema.validate(data, SCHEMA)
        assert data["run"]["health"]["damaged"] > 0


def test_impossible_counters_make_no_impossible_figures(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.node(1, make_db.NATIVE, 0x7f0000000300, samples=1, cpu_ns=2**63)
    process.pair(6, 6, count=1)
    process.records["PAIR"][-1] = make_db.PAIR.pack(1, 6, 6, 1, 1, 2, 1, 1, 1, 0, 8, 2**63, 2**64 - 1, 0, 2**63)
    path = tmp_path / "impossible.db"
    database.write(path)
    data = report_json(path)
    assert data["totals"]["time_s"]["total"] == 3.84
    assert data["run"]["health"]["damaged"] == 4
    assert "left out" in report(path).stderr


def test_report_to_a_full_disk_says_so(small):
    with open("/dev/full", "w") as full:
        done = subprocess.run([whole.REPORT, small], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "could not be written" in done.stderr


def test_unproved_pairs_decide_redundant_but_not_dead_stores(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=make_db.UNPROVED | make_db.SAME_VALUE, count=50)
    process.stores(14, 50, 0)
    path = tmp_path / "out.db"
    database.write(path)
    data = report_json(path)
    dead, redundant = line_at(data, 4)["dead_stores"], line_at(data, 5)["redundant_stores"]
    assert (dead["pairs"], dead["unproved"]) == (100, 50)
    assert (redundant["pairs"], redundant["unproved"], redundant["fraction"]) == (247, 50, pytest.approx(50 / 247))


def test_a_pair_counts_as_those_it_stands_for(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.pair(12, 14, (make_db.STORE, make_db.STORE), count=50, scale=4)
    path = tmp_path / "out.db"
    database.write(path)
    share = line_at(report_json(path), 4)["dead_stores"]
    assert (share["pairs"], share["fraction"]) == (150, pytest.approx(297 / 300))
    plain = 50 / 150  # what counts as 200 of 300 is 50 of 150: the interval is wider than that of 300 equal pairs
    assert plain < share["fraction"] and share["ci95"][1] - share["ci95"][0] > 3.92 * (0.01 * 0.99 / 300) ** 0.5


def test_the_share_of_redundant_stores_is_that_of_the_sampled_stores(tmp_path):
    """Whatever the stores meet next: here the second fill is read, its own stores pair with loads."""
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.stores(14, 90, 10)
    process.pair(14, 13, (make_db.STORE, make_db.LOAD), count=100)
    process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=make_db.SAME_VALUE, count=40)
    process.pair(12, 14, (make_db.STORE, make_db.STORE), count=10)
    path = tmp_path / "out.db"
    database.write(path)
    share = line_at(report_json(path), 5)["redundant_stores"]
    assert (share["pairs"], share["fraction"]) == (100, 0.9)
    assert (share["across"]["pairs"], share["across"]["fraction"]) == (50, 0.8)


def test_a_share_counts_each_sampled_access_once(tmp_path):
    """A watch that goes on after its call gives a second pair: of calls it tells, of the sampled accesses not."""
    database = make_db.golden_small()
    process = database.processes[0]
    process.records["PAIR"].clear()
    process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.WITHIN, flags=make_db.SAME_VALUE, count=90)
    process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.ACROSS, count=90, continued=True)
    process.pair(13, 13, (make_db.LOAD, make_db.LOAD), make_db.ACROSS, count=10)
    path = tmp_path / "out.db"
    database.write(path)
    share = report_json(path)["totals"]["redundant_loads"]
    assert (share["pairs"], share["fraction"]) == (100, 0.9)
    assert (share["across"]["pairs"], share["across"]["fraction"]) == (100, 0)


def test_undecided_stores_widen_the_interval_and_many_leave_no_share(tmp_path):
    for undecided, known in ((0, True), (50, True), (101, False)):
        database = make_db.golden_small()
        process = database.processes[0]
        process.records["PAIR"].clear()
        process.pair(12, 13, (make_db.STORE, make_db.LOAD), make_db.WITHIN, count=100)
        process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=make_db.UNPROVED, count=undecided)
        path = tmp_path / "out.db"
        database.write(path)
        dead = line_at(report_json(path), 4)["dead_stores"]
        assert (dead["fraction"] is not None) == known
        if known:
            assert dead["fraction"] == 0 and dead["ci95"][0] == pytest.approx(0, abs=1e-9)
            assert dead["ci95"][1] == pytest.approx((0.037 * 100 + undecided) / (100 + undecided), abs=0.01)


def test_a_watch_that_slept_says_nothing_of_dead_stores_unless_a_load_was_seen(tmp_path):
    for flags, expected in ((make_db.SLEPT, (100, 50)), (make_db.SLEPT | make_db.USED, (150, 0)), (make_db.USED, (150, 0))):
        database = make_db.golden_small()
        process = database.processes[0]
        process.pair(12, 14, (make_db.STORE, make_db.STORE), flags=flags, count=50)
        path = tmp_path / "out.db"
        database.write(path)
        dead = line_at(report_json(path), 4)["dead_stores"]
        assert (dead["pairs"], dead["unproved"]) == expected
        assert dead["fraction"] == pytest.approx(97 / dead["pairs"])


def test_waste_needs_pairs_between_calls(tmp_path):
    path = tmp_path / "out.db"
    for scope, relation, wasteful in ((make_db.ACROSS, 1, True), (make_db.WITHIN, 1, False), (make_db.ACROSS, 2, False)):
        database = make_db.golden_small()
        process = database.processes[0]
        process.records["PAIR"].clear()
        process.stores(14, 50, 0)
        process.pair(12, 14, (make_db.STORE, make_db.STORE), scope, relation, flags=make_db.SAME_VALUE | make_db.SLEPT, count=50)
        database.write(path)
        line = line_at(report_json(path), 5)
        assert line["redundant_stores"]["fraction"] == 1
        assert (line["waste_s"] > 0) == wasteful
