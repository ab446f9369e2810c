"""The report's outputs and options, on files that tests/tools/make_db.py writes."""
import errno
import os
import shlex
import subprocess
import sys

import pytest

import whole
from gating import ADDRESS, Program, words
from reports import line_at, make_db, report, report_json, within


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
    assert data["run"]["engines"]["replica"] == {"on": False, "why_off": "not built into this version", "object_min_bytes": 1024}
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


@pytest.mark.parametrize("columns, width", [("60", 60), ("150", 150), ("39", 100), ("wide", 100), ("-60", 100), ("60 ", 100), ("", 100)])
def test_without_a_terminal_columns_says_the_width(small, monkeypatch, columns, width):
    expected = report(small, "--width", str(width)).stdout
    monkeypatch.setenv("COLUMNS", columns)
    assert report(small).stdout == expected


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
    assert report(small, "-o", "-").stdout == report(small).stdout
    assert "train.py:4" in out.read_text()


def test_waste_that_is_not_shown_is_named(small):
    def wasted(*arguments):
        return next(row for row in report(small, *arguments).stdout.splitlines() if row.startswith("wasted"))

    assert wasted().endswith("%)")
    assert wasted("--min-waste", "50").endswith(", all of it below --min-waste)")


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


def test_a_wrong_kind_lists_the_kinds(small):
    done = report("--kind", "foo", small)
    said = " ".join(done.stderr.split())
    assert done.returncode == 2
    assert all(kind in said for kind in ("replica", "idle", "churn", "constant", "tiny_calls", "transfer")) and "..." not in said


def test_doctor_ends_well():
    done = report("doctor")
    assert done.returncode == 0 and "debug registers" in done.stdout


def doctor(directory, *before, **variables):
    done = whole.execute([*before, whole.REPORT, "doctor"], cwd=directory, env=whole.environment(**variables))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_doctor_tries_to_write(tmp_path):
    """In a directory that any user may write to by its mode, and that takes no file."""
    assert "ok   working directory    out.db can be written here" in doctor(tmp_path)
    assert not list(tmp_path.iterdir())
    (tmp_path / "taken").mkdir()
    for changes in ({"PIEPROF_OUT": "/proc/out.db"}, {"PIEPROF_OUT": "missing/out.db"}, {"PIEPROF_OUT": "taken"}):
        said = doctor(tmp_path, **changes)
        assert f"off  working directory    {changes['PIEPROF_OUT']} cannot be written" in said
    limited = doctor(tmp_path, "sh", "-c", 'ulimit -f 8; exec "$@"', "sh")
    assert "off  working directory    out.db cannot be written: File too large" in limited
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_doctor_knows_what_a_limit_of_open_files_turns_off(tmp_path):
    assert "ok   limit of open files" in doctor(tmp_path)
    assert "off  limit of open files  leaves no descriptors above 99" in doctor(tmp_path, "sh", "-c", 'ulimit -n 100; exec "$@"', "sh")


@pytest.mark.parametrize("error", [errno.EPERM, errno.EACCES, errno.ENOSYS])
def test_doctor_names_the_filter_once(tmp_path, error):
    """A real filter that refuses perf_event_open (call 298): the row of the filter has the remedy, no other one."""
    refuse = tmp_path / "refuse"
    subprocess.run(["gcc", "-o", refuse, whole.ROOT / "tests/hostile/native/refuse.c"], check=True)
    plain, said = doctor(tmp_path), doctor(tmp_path, refuse, error, "298")
    assert "off  system call filter" not in plain
    assert "off  system call filter" in said and said.count("--cap-add PERFMON") == 1
    assert "sysctl" not in said and said.count("the system call filter, above") == 3


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
    script.write_text("#" * (9 << 20))  # no source any more
    assert "another by now" in report(path).stdout
    script.unlink()
    script.mkdir()
    assert "another by now" in report(path).stdout
    script.rmdir()
    assert report_json(path)["lines"][0]["source"] == "gone"


def test_source_changed_while_the_program_ran(tmp_path):
    """It may have been changed after the interpreter read it and before its text was stored: nobody knows what ran."""
    script, path, start_ns = tmp_path / "train.py", tmp_path / "out.db", 1700000000 * 10**9
    script.write_text(make_db.TRAIN)
    code = make_db.text_codes(make_db.TRAIN, str(script))["fill"]
    for modified_ns, state in ((start_ns - 1, "same"), (start_ns + 1, "changed")):
        database = make_db.Db()
        process = database.process(directory=str(tmp_path), python=sys.hexversion)
        number = process.code_of(code, process.source(str(script), make_db.TRAIN, modified_ns=modified_ns))
        process.frame(process.root(), number, make_db.offset_of(code, 4), samples=100)
        database.write(path)
        line = report_json(path)["lines"][0]
        assert (line["source"], line["text"]) == (state, "    out[:] = 0.0")
        assert ("changed while the program ran" in report(path).stdout) == (state == "changed")
        assert max(map(len, report(path, "--width", "80").stdout.splitlines())) <= 80


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


@pytest.mark.parametrize("version, names, function", [
    (0x030B02F0, ("<listcomp>",), "<module>"),
    (0x030B02F0, ("<module>", "<listcomp>", "<lambda>"), "<module>"),
    (0x030900F0, ("<listcomp>", "mask", "<listcomp>"), "mask"),
    (0x030900F0, ("<listcomp>",), "<listcomp>"),
])
def test_a_comprehension_has_its_function_s_name_whichever_is_met_first(tmp_path, version, names, function):
    database = make_db.Db()
    process = database.process(python=version)
    for name in names:
        process.frame(process.root(), process.code(name, "/nowhere/train.py", first_line=7), -1, samples=10)
    path = tmp_path / "out.db"
    database.write(path)
    assert [(line["line"], line["function"]) for line in report_json(path)["lines"]] == [(7, function)]


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


@pytest.mark.alone
def test_big_file_within_a_second(tmp_path):
    path = tmp_path / "big.db"
    make_db.golden_big().write(path)
    assert within(1, lambda: report(path)).returncode == 0


@pytest.mark.parametrize("verb", ["report", "doctor"])
def test_to_a_full_disk_it_says_so(small, verb):
    with open("/dev/full", "w") as full:
        done = subprocess.run([whole.REPORT, *([small] if verb == "report" else ["doctor"])], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "could not be written" in done.stderr


def in_thread(arguments, file):
    """A program whose only samples are in a thread, below the standard library's threading.py."""
    database = make_db.Db()
    process = database.process(arguments=arguments, python=sys.hexversion)
    run = process.code("Thread.run", "/usr/lib/python3.11/threading.py")
    burn = process.code("burn", file, first_line=3)
    process.frame(process.frame(process.root(1), run, -1), burn, -1, samples=100)
    return database


@pytest.mark.parametrize("arguments, file, own", [
    (["python3", "-"], "<stdin>", True), (["python3"], "<stdin>", True), (["python3", "-W", "error", "-u"], "<stdin>", True),
    (["python3", "-Ic", "import a"], "<string>", True), (["python3", "-Wc", "-c", "import a", "b.py"], "<string>", True),
    (["python3", "train.py", "-c"], "<string>", False), (["python3", "-m", "train", "-"], "<stdin>", False),
    (["python3", "-"], "<string>", False)])
def test_a_program_without_a_file_is_the_users_in_its_threads_too(tmp_path, arguments, file, own):
    path = tmp_path / "out.db"
    in_thread(arguments, file).write(path)
    assert [line["function"] for line in report_json(path)["lines"]] == (["burn"] if own else [])


def test_a_program_without_a_file_is_known_by_its_outermost_frame(tmp_path):
    database = in_thread(["embedding"], "<string>")
    path = tmp_path / "out.db"
    process = database.processes[0]
    process.frame(process.root(), process.code("<module>", "<string>"), -1)
    database.write(path)
    assert [line["function"] for line in report_json(path)["lines"]] == ["burn"]


def test_samples_whose_place_found_no_room_are_of_no_kind(tmp_path):
    database = make_db.golden_small()
    process = database.processes[0]
    process.node(0, make_db.ROOT, 1, samples=100)
    process.node(0, make_db.ROOT, 2, samples=25)
    path = tmp_path / "out.db"
    database.write(path)
    totals = report_json(path)["totals"]
    assert totals["unplaced_s"] == 0.4
    assert totals["time_s"] == {"total": 3.94, "python": 0.08, "native": 3.86, "boundary": 0}
    assert totals["elsewhere_s"] == pytest.approx(0.22)
    assert "0.40 s more was sampled, but there was no room left to store where" in report(path).stdout


def test_time_that_a_full_table_lost_is_not_put_on_signals_alone(tmp_path):
    database = make_db.golden_small()
    database.processes[0].cpu_seconds = 20
    path = tmp_path / "out.db"
    for full in (0, 5):
        database.processes[0].drops[make_db.DROP_NAMES.index("table_full")] = full
        database.write(path)
        text = " ".join(report(path).stdout.split())
        assert ("in no sample: none is kept whose place stands in a table of the profiler's that was full" in text) == bool(full), text


def test_all_samples_without_a_place(tmp_path):
    database = make_db.Db()
    database.process().node(0, make_db.ROOT, 0, samples=100)
    path = tmp_path / "out.db"
    database.write(path)
    text = report(path).stdout
    assert "time    0.40 s was sampled, but there was no room" in text
    assert "no room to store where the time went" in text and "too short" not in text


def test_nothing_recorded_for_want_of_room_says_so(tmp_path):
    database = make_db.Db()
    path = tmp_path / "out.db"
    database.write(path)
    assert "preloaded into python" in " ".join(report(path).stdout.split())
    database.dropped_joins = 2
    database.write(path)
    text = " ".join(report(path).stdout.split())
    assert "there was no room for it" in text and "preloaded" not in text and "reached Python" not in text


def test_the_command_can_be_given_to_a_shell_again(tmp_path):
    words = ["python3", "my train.py", "it's 'all'", "", "'", "--lr=1e-3", "$HOME"]
    database = make_db.Db()
    database.process(arguments=words)
    path = tmp_path / "out.db"
    database.write(path)
    assert shlex.split(report(path).stdout.splitlines()[0]) == words


@pytest.mark.parametrize("sites, told", [(4080, False), (4100, True)])
def test_places_beyond_which_what_is_made_once_has_none_are_told(tmp_path, sites, told):
    database = make_db.golden_objects()
    for number in range(sites):
        database.processes[0].site(9, 1024 + 8 * number, births=2)
    database.write(tmp_path / "out.db")
    assert ("4,096 places of results and more" in " ".join(report(tmp_path / "out.db").stdout.split())) == told


def next_of(database, path, *options):
    database.write(path)
    text = " ".join(report(path, "--width", "200", *options).stdout.split())
    return text[text.rindex(" next "):]


def test_the_last_word_denies_nothing_that_was_found(tmp_path):
    path = tmp_path / "out.db"
    assert "what was found takes too little time to be listed; --min-waste 0 shows it" in next_of(make_db.golden_objects(), path, "--min-waste", "100")
    assert "what was found is of other kinds, or in other files" in next_of(make_db.golden_objects(), path, "--kind", "churn", "--min-waste", "0")
    quiet = make_db.golden_small()
    quiet.processes[0].engines = ("time", "access", "replica")
    quiet.processes[0].cpu_seconds = 4  # what its samples stand for
    quiet.processes[0].records["PAIR"].clear()
    quiet.processes[0].pair(12, 10, (make_db.STORE, make_db.LOAD))  # what the first fill stored was read, whatever its text says
    assert "no line was found that computes again what it had. The time" in next_of(quiet, path), "of stores nothing is known"
    for node in (12, 14):
        quiet.processes[0].stores(node, 0, 100)
    quiet.processes[0].pair(12, 10, (make_db.STORE, make_db.LOAD), count=100)
    assert "no line was found that computes again what it had, or stores for nothing. The time" in next_of(quiet, path)


@pytest.mark.parametrize("module, told", [("/nowhere/network.py", True), ("/usr/lib/python3/dist-packages/pack/train.py", False)])
def test_a_module_that_works_while_it_is_imported_is_pointed_at(tmp_path, module, told):
    """Not one of a package, whoever imports it; nor what a module of the program's own imports itself."""
    program = Program("import network\n", path="/nowhere/main.py")
    process, text = program.process, "import numpy\ntrain()\n"
    boot, code = process.code("_find_and_load", "<frozen importlib._bootstrap>"), make_db.text_codes(text, module)["<module>"]
    number = process.code_of(code, process.source(module, text))

    def below(parent, line, samples):
        return process.node(process.frame(parent, number, make_db.offset_of(code, line)), make_db.NATIVE, ADDRESS, samples=samples)
    imported = process.frame(program.frame(process.root(), "<module>", "import network"), boot)
    below(imported, 2, 300)
    process.node(process.frame(process.frame(imported, number, make_db.offset_of(code, 1)), boot), make_db.NATIVE, ADDRESS, samples=400)
    page = words(report(program.write(tmp_path / "run.db")).stdout)
    assert ("1.20 s of CPU time passed in modules of the program's own while they were imported" in page) == told


LONG = """
import numpy as np
x = np.random.default_rng(0).normal(size=(30, 30))
for step in range(8):
    a0 = x  # {comment}
{statements}
"""


@pytest.mark.alone
@pytest.mark.parametrize("comment, statements", [(300_000, 8), (10, 400)])
def test_long_sources_are_read_within_a_second(tmp_path, comment, statements):
    """Each statement takes what the one before has made, in a loop of hundreds; or a comment is longer than all of them."""
    source = LONG.format(comment="x" * comment, statements="\n".join(f"    a{i + 1} = a{i} + 1" for i in range(statements)))
    path, database = tmp_path / "long.py", tmp_path / "out.db"
    path.write_text(source)
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    assert within(1, lambda: report(database)).returncode == 0
