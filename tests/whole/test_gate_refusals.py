"""What the gate must not decide: one line with the reason and the remedy, and exit status 2; never a silent pass."""
import copy
import json
import os

import pytest

import whole
from gating import PROGRAM, clean, export, gate, refused, verdict, wasteful
from reports import report


@pytest.fixture
def base(tmp_path):
    return clean().write(tmp_path / "base.db")


def new(tmp_path, **facts):
    return clean(**facts).write(tmp_path / "new.db")


def refuses(tmp_path, base, *arguments, words, **facts):
    for baseline in (base, export(base)):
        line = refused(new(tmp_path, **facts), "--baseline", baseline, *arguments)
        assert all(word in line for word in words), line


def test_another_script(tmp_path, base):
    other = "import numpy as np\n\ndef mask(n):\n    y = n * 3\n    return np.where(y, 1)\n\ndef features(b):\n    return np.tanh(b)\n\nmask(1)\n"
    refuses(tmp_path, base, text=other, path="/nowhere/other.py", arguments=("python", "/nowhere/other.py"),
            words=["another program: script other.py", "baseline is of script train.py", "make a baseline of this program"])


def test_a_refusal_is_annotated_on_github(tmp_path, base):
    done = gate(new(tmp_path, engines=("time", "access")), "--baseline", base, env={**os.environ, "GITHUB_ACTIONS": "true"})
    line, command = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert command.startswith("::error title=PieProf gate cannot tell::the replica engine is off") and command.split("::")[2] in line


def test_usage_errors_print_no_control_characters(base):
    done = gate(base, "--max", "a\n::error::x")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "\\x0a" in done.stderr


def test_another_module(tmp_path):
    old = clean(arguments=("python", "-X", "dev", "-m", "pkg.train", "--steps", "3")).write(tmp_path / "old.db")
    refuses(tmp_path, old, arguments=("python", "-Bmpkg.score"), words=["module pkg.score", "module pkg.train"])
    verdict(new(tmp_path, arguments=("python3.12", "-W", "ignore", "-mpkg.train")), "--baseline", old, status=0)


def test_another_text_of_a_command_line(tmp_path):
    command = ("python", "-c", "the text is in the record")
    old = clean(path="<string>", arguments=command).write(tmp_path / "old.db")
    refuses(tmp_path, old, text="import numpy as np\nprint(3)\ndef mask():\n    np.where(1)\ndef features():\n    np.tanh(2)\nstart = 1\n",
            path="<string>", arguments=command, words=["another program: text -"])
    verdict(new(tmp_path, text=PROGRAM.replace("def main", "# a comment more\ndef main"), path="<string>", arguments=command), "--baseline", old, status=0)


def test_a_text_that_nobody_knows_is_the_same(tmp_path):
    """CPython keeps none of what it takes from a command line or a pipe."""
    path, source = tmp_path / "run.db", "import numpy as np\nfor step in range(300): np.exp(np.arange(4000.0))\n"
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(path))
    assert whole.execute([whole.PYTHON, "-c", source], env=environment).returncode == 0
    verdict(path, "--baseline", path, status=0)


def test_a_renamed_script_is_followed(tmp_path, base):
    moved = clean(path="/nowhere/src/fit.py", arguments=("python", "/nowhere/src/fit.py")).write(tmp_path / "new.db")
    for baseline in (base, export(base)):
        verdict(moved, "--baseline", baseline, status=0)


@pytest.mark.parametrize("name", ["pkg.fit", "fit"])
def test_a_renamed_module_is_followed(tmp_path, name):
    old = clean(path="/nowhere/pkg/train.py", arguments=("python", "-m", "pkg.train")).write(tmp_path / "old.db")
    path = f"/nowhere/{name.replace('.', '/')}.py"
    moved = clean(path=path, arguments=("python", "-m", name)).write(tmp_path / "new.db")
    for baseline in (old, export(old)):
        verdict(moved, "--baseline", baseline, status=0)


def test_a_module_beside_the_old_one_is_another(tmp_path):
    def program(name):
        return clean(path=str(tmp_path / "pkg" / f"{name}.py"), directory=str(tmp_path), arguments=("python", "-m", f"pkg.{name}"))
    old = program("train").write(tmp_path / "old.db")
    (tmp_path / "pkg").mkdir()
    new = program("score").write(tmp_path / "new.db")
    verdict(new, "--baseline", old, status=0)
    (tmp_path / "pkg" / "train.py").write_text(PROGRAM)
    assert "another program: module pkg.score" in refused(new, "--baseline", old)


def test_arguments_interpreter_and_directory_do_not_refuse(tmp_path, base):
    program = clean(path="/elsewhere/train.py", directory="/elsewhere", arguments=("/opt/python3.12", "-u", "train.py", "--steps", "9"))
    verdict(program.write(tmp_path / "new.db"), "--baseline", base, status=0)


def test_an_exact_engine_that_is_off(tmp_path, base):
    refuses(tmp_path, base, engines=("time", "access"), words=["the replica engine is off (not built into this version)", "PIEPROF_ENGINES=all"])


def test_an_exact_engine_that_the_baseline_lacks(tmp_path):
    old = clean(engines=("time", "access")).write(tmp_path / "old.db")
    refuses(tmp_path, old, words=["the replica engine was off in the baseline", "make the baseline again"])
    refuses(tmp_path, old, engines=("time",), words=["no engine with exact counts was on in either run"])


def test_a_sampled_engine_that_is_off_is_a_note(tmp_path, base):
    path = new(tmp_path, engines=("time", "replica"))
    (note,) = verdict(path, "--baseline", base, status=0)["notes"]
    assert "the access engine was on in the baseline and is off now" in note
    refuses(tmp_path, base, "--require", "access", engines=("time", "replica"), words=["--require access", "pieprof-report doctor"])
    verdict(path, "--baseline", base, "--require", "replica", "--require", "time", status=0)


def test_other_values_that_count_as_equal(tmp_path, base):
    """A share of accesses by another tolerance is another share; counts of buffers are of their bits in both."""
    widely = new(tmp_path, fp_tolerance=0.125)
    line = refused(widely, "--baseline", base)
    assert "PIEPROF_FP_TOLERANCE was 0.125 in the run, and 0 in the baseline" in line and "record both with one" in line
    verdict(widely, "--baseline", export(base), status=0)
    verdict(widely, "--baseline", widely, status=0)
    assert "PIEPROF_FP_TOLERANCE was 0" in refused(base, widely, "--max", "findings=0")
    verdict(new(tmp_path, fp_tolerance=0.125, engines=("time", "replica")), "--baseline", base, status=0)


def test_contents_compared_in_another_way(tmp_path, base):
    """What samples take for equal, the whole may not: of buffers, whose counts an exported baseline holds, too."""
    refuses(tmp_path, base, sampled_beyond_bytes=65536,
            words=["PIEPROF_DIGEST was sampled in the run, and full in the baseline", "record both with one"])
    by_samples = new(tmp_path, sampled_beyond_bytes=65536)
    assert "PIEPROF_DIGEST was full in the run, and sampled" in refused(base, "--baseline", by_samples)
    for baseline in (by_samples, export(by_samples)):
        verdict(by_samples, "--baseline", baseline, status=0)
    assert "PIEPROF_DIGEST was full in " in refused(base, by_samples, "--max", "findings=0")


def test_objects_of_another_least_size(tmp_path, base):
    """What was no object in one of them would look new, or gone. Files and baselines of before know one size."""
    refuses(tmp_path, base, object_min_bytes=4096, words=["PIEPROF_OBJECT_MIN was 4096 bytes in the run, and 1024 in the baseline", "record both with one"])
    large = new(tmp_path, object_min_bytes=4096)
    for baseline in (large, export(large)):
        assert "PIEPROF_OBJECT_MIN was 1024 bytes in the run, and 4096" in refused(base, "--baseline", baseline)
        verdict(large, "--baseline", baseline, status=0)
    path = export(new(tmp_path, object_min_bytes=0))
    assert "object_min_bytes" not in json.loads(path.read_text())
    verdict(base, "--baseline", path, status=0)
    for wrong in (512, 2**32, "4K", None):
        path.write_text(json.dumps({**json.loads(path.read_text()), "object_min_bytes": wrong}))
        assert "object_min_bytes" in refused(base, "--baseline", path)


def test_a_baseline_that_says_nothing_of_it_is_taken(tmp_path, base):
    path = export(base)
    data = json.loads(path.read_text())
    assert data.pop("sampled_beyond_bytes") == 0
    path.write_text(json.dumps(data))
    verdict(new(tmp_path, sampled_beyond_bytes=65536), "--baseline", path, status=0)
    for wrong in (-1, 2**32, "full", None):
        path.write_text(json.dumps({**data, "sampled_beyond_bytes": wrong}))
        assert "sampled_beyond_bytes" in refused(base, "--baseline", path)


@pytest.mark.parametrize("ended", [0, 3], ids=["no last word", "by a signal"])
def test_a_run_that_died_early(tmp_path, base, ended):
    refuses(tmp_path, base, ended=ended, words=["the run is not whole", "--partial"])
    path = new(tmp_path, ended=ended)
    (note,) = verdict(path, "--baseline", base, "--partial", status=0)["notes"]
    assert note.startswith("only a part of the program's run is in ")
    assert "the baseline is not whole" in refused(base, "--baseline", path)


def test_a_run_that_is_cut_short(tmp_path, base):
    path = new(tmp_path)
    path.write_bytes(path.read_bytes()[:-20000])
    done = gate(path, "--baseline", base)
    assert done.returncode == 2 and "the file is damaged or cut short" in done.stderr.splitlines()[-1]


def test_export_refuses_what_is_not_whole(tmp_path):
    path = new(tmp_path, ended=3)
    done = report("export", path)
    assert (done.returncode, done.stdout) == (2, "") and "--partial" in done.stderr
    data = json.loads(report("export", path, "--partial").stdout)
    assert data["partial"] == "the program was killed before its end"


@pytest.mark.parametrize("limit, words", [
    ("dead_stores=5%", ["dead_stores has too few samples", "PIEPROF_RATE"]),
    ("redundant_stores=5%", ["redundant_stores has too few samples"]),
    ("transfers=1MiB", ["transfers cannot be limited", "the transfer engine is off", "not built into this version"]),
])
def test_a_limit_on_what_was_not_measured(tmp_path, base, limit, words):
    line = refused(new(tmp_path), "--max", limit)
    assert all(word in line for word in words), line


@pytest.mark.parametrize("same, limit, status", [(0, "0%", 0), (1, "1%", 2), (1, "10%", 0), (16, "1%", 1)])
def test_a_limit_on_a_share_of_few_samples(tmp_path, same, limit, status):
    """Above it for certain, or not told above it; in between is no verdict."""
    program = clean()
    program.process.stores(program.node("features", "np.tanh("), same, 20 - same)
    done = gate(program.write(tmp_path / "few.db"), "--max", f"redundant_stores={limit}")
    assert done.returncode == status, done.stdout + done.stderr
    if status == 2:
        assert "redundant_stores is 5 % (0.9 % to 24 %): too few samples to tell whether it is above 1 %; let the program run longer" in done.stderr


def test_a_limit_on_replicas_without_the_engine(tmp_path):
    assert "replicas needs the replica engine" in refused(new(tmp_path, engines=("time",)), "--max", "replicas=1MiB")


def test_a_limit_on_samples_of_an_exported_run(tmp_path, base):
    assert "which holds none; give the run's own file" in refused(export(base), "--max", "dead_stores=5%")


def test_nothing_to_compare_with(tmp_path, base):
    assert "name a --baseline, or a limit with --max" in refused(base)
    assert "needs --baseline" in refused(base, "--max", "findings=0", "--max-increase", "replicas=5%")


@pytest.mark.parametrize("arguments", [
    ("--max", "replicas"), ("--max", "replicas=1MB"), ("--max", "bytes=3"), ("--max", "findings=1.5"), ("--max", "findings=-1"),
    ("--max", "dead_stores=101%"), ("--max", "replicas=nan"), ("--max", "replicas=0x10"), ("--max-increase", "5"),
    ("--max-increase", "churn=5%"), ("--max-new", "-1"), ("--allow", "xyz"), ("--require", "gpu"), ("--format", "html"),
])
def test_wrong_options_name_what_is_allowed(base, arguments):
    done = gate(base, *arguments)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and line.startswith(f"pieprof-report: {arguments[0]} {arguments[1]}: expected ")


def test_operands_are_needed():
    assert refused() == "pieprof-report: gate: needs NEW..."


def test_unreadable_baselines(tmp_path, base):
    none = tmp_path / "none\x1b\n::error::.json"
    message = refused(base, "--baseline", none)
    assert "there is no such baseline; --update-baseline makes" in message and "\x1b" not in message
    verdict(base, "--baseline", none, "--update-baseline", status=0)
    verdict(base, "--baseline", none, status=0)
    for name, data in (("empty.json", b""), ("text.json", b"hello"), ("list.json", b"[]")):
        (tmp_path / name).write_bytes(data)
        assert name in refused(base, "--baseline", tmp_path / name)


def damaged(document, path, value):
    document = copy.deepcopy(document)
    *parents, last = path
    inner = document
    for step in parents:
        inner = inner[step]
    if value is KeyError:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(document)


DAMAGE = [
    (("version",), 3, "of version 3, and this pieprof-report reads up to version 2"), (("version",), 0, '"version"'), (("version",), "1", '"version"'),
    (("format",), "other", "not a baseline"), (("format",), 3, "not a baseline"), (("engines",), [], '"engines"'),
    (("engines", "replica"), 1, '"engines"'), (("program",), None, '"kind" must be a string'), (("program", "kind"), "binary", '"program"'),
    (("phase",), "warmup", '"phase" must be data_loading, forward, backward, optimizer or other'), (("phase",), None, '"phase"'), (("phase",), 1, '"phase"'),
    (("lines", 0, "phases"), "forward", 'lines, entry 1: "phases" must be an array'), (("lines", 0, "phases"), ["other"] * 6, '"phases"'),
    (("lines", 0, "phases"), ["other", "warmup"], '"phase"'), (("findings", 0, "phase"), 7, 'findings, entry 1: "phase"'),
    (("partial",), 3, '"partial" must be a string or null'), (("files",), {}, '"files" must be an array'),
    (("files", 0), 7, "files, entry 1: must be an object"), (("files", 0, "digests"), "123", "files, entry 1: \"digests\""),
    (("files", 0, "digests"), "zzzzzzzz", "\"digests\""), (("lines", 1, "path"), "none.py", 'lines, entry 2: "path" must be one of "files"'),
    (("lines", 0, "callers"), "x", 'lines, entry 1: "callers" must be an array'), (("lines", 0, "callers"), [3], '"callers" must be an array of objects'),
    (("lines", 0, "callers"), [{"path": "none.py", "line": 1}], '"path" must be one of "files"'), (("lines", 0, "callers"), [{"path": "train.py", "line": 0}], '"line" must be a whole number'),
    (("lines", 0, "line"), -1, 'lines, entry 1: "line" must be a whole number'), (("lines", 0, "line"), 2**40, '"line"'),
    (("lines", 0, "line"), 1.5, '"line"'), (("lines", 0, "objects"), "x", '"objects" must be an array'),
    (("lines", 0, "objects", 0), 3, '"objects" must be an array of objects'), (("lines", 0, "objects", 0, "births"), -5, '"births"'),
    (("lines", 0, "objects", 0, "births"), 1e30, '"births"'), (("lines", 0, "objects", 0, "births"), KeyError, '"births"'),
    (("lines", 0, "objects", 0, "replicas"), 10**6, "counts that can be"), (("lines", 0, "objects", 0, "again_bytes"), 2**62, "counts that can be"),
    (("findings", 0, "id"), "::error::", '"id" must be 16'), (("findings", 0, "kind"), "<b>", '"kind"'), (("findings", 0, "line"), 99, '"line" must be one of "lines"'),
]


@pytest.mark.parametrize("path, value, words", DAMAGE, ids=[f"{'.'.join(map(str, path))}={value}" for path, value, _ in DAMAGE])
def test_hostile_baselines(tmp_path, path, value, words):
    document = json.loads(export(wasteful().write(tmp_path / "base.db")).read_text())
    baseline = tmp_path / "hostile.json"
    baseline.write_text(damaged(document, path, value))
    line = refused(new(tmp_path), "--baseline", baseline)
    assert "hostile.json: " in line and words in line, line


def test_truncated_baselines(tmp_path, base):
    text = export(base).read_text()
    baseline = tmp_path / "cut.json"
    for length in range(1, len(text) - 2, 37):
        baseline.write_text(text[:length])
        assert "cut.json: line " in refused(base, "--baseline", baseline)


@pytest.mark.parametrize("text", ['{"a": 99999999999999999999999}', "{" * 100000, '{"format": "pieprof-baseline", "format": 1}', '{"\\u0000": 1}', '{"a": "\ud800"}'])
def test_no_json(tmp_path, base, text):
    baseline = tmp_path / "wrong.json"
    baseline.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert "wrong.json: line 1: no JSON: " in refused(base, "--baseline", baseline)


def test_the_largest_counts_do_not_overflow(tmp_path, base):
    document = json.loads(export(base).read_text())
    for line in document["lines"]:
        line["objects"] = [{name: 2**63 - 1 if name not in ("elsewhere", "constant", "constant_bytes") else 0 for name in line["objects"][0]}] * 3
    baseline = tmp_path / "large.json"
    baseline.write_text(json.dumps(document))
    for pair in ((base, baseline), (baseline, base)):
        done = gate(pair[0], "--baseline", pair[1])
        assert done.returncode == 0 and not done.stderr
