"""What the gate and the diff say: where the line is called from, files by one name, numbers that agree, what is not comparable."""
import html
import json
import os
import sys
import textwrap

import jsonschema
import pytest

import reports
import whole
from gating import ADDRESS, PROGRAM, SCHEMAS, Program, clean, export, failing, gate, make_db, verdict, wasteful, words

sys.path.insert(0, str(whole.ROOT / "tests/bench"))
import gate as bench  # noqa: E402

WAY = "src/train.py:18 <module> > src/train.py:16 main > src/train.py:8 step > src/train.py:5 mask"
LIBRARY, MIB = ADDRESS + 0x10000000, 2**20


def called(program, name, replicas):
    """step() calls mask(), which makes it again."""
    main = program.frame(program.frame(program.process.root(), "<module>", "main([np"), "main", "step(features")
    step = program.frame(main, "step", "x + mask")
    node = program.process.node(program.frame(step, "mask", "np.where("), make_db.NATIVE, ADDRESS, samples=100)
    program.process.site(node, 524288, births=260, replicas=replicas, period=1 if replicas else 0)
    return program.write(name)


@pytest.fixture
def repository(tmp_path):
    """A script below a repository's root, and how a run of it is written."""
    (tmp_path / ".git").mkdir()
    path = tmp_path / "src" / "train.py"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    return lambda name, replicas: called(Program(path=str(path), arguments=("python", str(path))), tmp_path / name, replicas)


def test_a_finding_names_the_calls_that_lead_to_it(repository, tmp_path):
    base, new = repository("base.db", 0), repository("new.db", 259)
    (item,) = verdict(new, "--baseline", base, status=1)["items"]
    assert item["way"] == WAY
    assert f"The way there: {WAY}." in words(gate(new, "--baseline", base).stdout)
    for form in ("md", "github", "junit", "sarif", "codeclimate"):
        assert "src/train.py:8 step" in html.unescape(gate(new, "--baseline", base, "--format", form).stdout), form
    (gone,) = verdict(base, "--baseline", export(new), status=0)["items"]
    assert gone["verdict"] == "gone" and gone["way"] is None, "a baseline holds no contexts"


def test_heading_and_advice_name_a_file_alike(repository):
    """Relative to the repository, as annotations need it."""
    base, new = repository("base.db", 0), repository("new.db", 259)
    (item,) = verdict(new, "--baseline", base, status=1)["items"]
    assert item["path"] == "src/train.py" and item["advice"] == "Build it once, outside the loop at src/train.py:14."


def distances(again, linked, births=400, examined=None):
    """mask() makes what step() had just made, and some of what it made itself."""
    program = Program()
    first = program.site("mask", "np.where(", 524288, births=births, replicas=again, period=1)
    step = program.frame(program.frame(program.process.root(), "<module>", "main([np"), "step", "x + mask(")
    call = program.process.node(program.frame(step, "mask", "np.where("), make_db.NATIVE, ADDRESS, samples=100)
    facts = {} if examined is None else {"examined": examined}
    program.process.link(first, program.process.site(call, 524288, births=births, replicas=again, period=1, **facts), linked)
    return program


def test_the_sum_of_a_call_made_twice_agrees_with_its_claim(tmp_path):
    new = distances(240, 160).write(tmp_path / "new.db")
    (item,) = [item for item in verdict(new, "--max", "findings=0", status=1)["items"] if item["verdict"] == "found"]
    assert "made 400 times, 400 times equal to what" in item["claim"], "where both are what they were, each is what the other is"
    assert item["why"] == "200 MiB in 400 objects made again, 240 of them equal to an earlier one of this line itself."


def test_a_sum_of_what_was_looked_at_in_part_is_said_to_be_one(tmp_path):
    program = Program()
    program.site("mask", "np.where(", 524288, births=400, looked_at=100, examined=100, replicas=99, period=1)
    (item,) = [item for item in verdict(program.write(tmp_path / "new.db"), "--max", "findings=0", status=1)["items"] if item["verdict"] == "found"]
    assert "100 of them looked at, 99 times equal" in item["claim"] and item["why"] == "About 198 MiB in 396 objects made again."


def renewed(program):
    """tanh's result is named and got again in fresh memory each time: what a page was tried to cost makes it a finding."""
    process = program.process
    process.live([500 * MIB], page_ns=2000, huge_page_ns=0)
    process.module("/nowhere/lib/_multiarray_umath.cpython-311.so", LIBRARY, LIBRARY + 0x100000)
    outer = program.frame(program.frame(process.root(), "<module>", "main([np"), "main", "step(features")
    node = process.node(program.frame(outer, "features", "t = np.tanh("), make_db.NATIVE, LIBRARY + 0x200, samples=1000)
    process.site(node, 4 * MIB, births=260, pages_asked=260, fresh_bytes=260 * 4 * MIB, skipped=0)
    return program


NAMED = PROGRAM.replace("    return np.tanh(batch)", "    t = np.tanh(batch)\n    return t + 1")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="no columns before CPython 3.11")
def test_what_sampled_time_makes_a_finding_is_noted_and_never_decides(tmp_path):
    new, base = renewed(Program(NAMED)).write(tmp_path / "new.db"), Program(NAMED).write(tmp_path / "base.db")
    (item,) = verdict(new, "--baseline", base, status=0)["items"]
    assert (item["verdict"], item["kind"], item["line"]) == ("noted", "churn", 11)
    assert item["why"] == "What this costs was sampled: it never decides."
    assert verdict(new, "--max", "findings=0", status=0)["counts"]["noted"] == 1
    assert "1 noted" in words(gate(new, "--baseline", base).stdout)
    data = json.loads(reports.report("diff", base, new, "--format", "json").stdout)
    jsonschema.validate(data, SCHEMAS["diff"])
    assert [finding["verdict"] for finding in data["findings"]] == ["noted"]


def diff(*arguments):
    data = json.loads(reports.report("diff", *arguments, "--format", "json").stdout)
    jsonschema.validate(data, SCHEMAS["diff"])
    text, page = words(reports.report("diff", *arguments).stdout), reports.report("diff", *arguments, "--format", "md").stdout
    page = html.unescape(page.replace("\\", ""))
    assert all(words(note) in text and note in page for note in data["notes"])
    return data["notes"]


def test_the_diff_of_two_programs_says_so(tmp_path):
    other = "import numpy as np\n\ndef features(batch):\n    return np.tanh(batch)\n\nfor k in range(9):\n    features(k)\n"
    program = Program(other, path="/nowhere/other.py", arguments=("python", "/nowhere/other.py"))
    base, new = clean().write(tmp_path / "base.db"), program.write(tmp_path / "new.db")
    for first in (base, export(base)):
        (note,) = diff(first, new)
        assert note == "these are two programs: script train.py and script other.py; lines that happen to be alike are compared"
    assert diff(base, base) == []


def test_the_diff_says_where_other_values_count_as_equal(tmp_path):
    base, new = clean().write(tmp_path / "base.db"), clean(fp_tolerance=0.5).write(tmp_path / "new.db")
    assert diff(base, new) == ["PIEPROF_FP_TOLERANCE was 0 in the run before, and 0.5 in the run after: other values count as equal; record both with one"]
    assert diff(export(base), new) == diff(new, new) == []


def test_the_diff_says_where_contents_were_compared_in_another_way(tmp_path):
    base, new = clean().write(tmp_path / "base.db"), clean(sampled_beyond_bytes=65536).write(tmp_path / "new.db")
    for first in (base, export(base)):
        assert diff(first, new) == ["PIEPROF_DIGEST was full in the run before, and sampled in the run after: other buffers count as equal; record both with one"]


def test_the_diff_says_which_run_is_not_whole(tmp_path):
    killed, complete = clean(ended=0).write(tmp_path / "killed.db"), clean().write(tmp_path / "whole.db")
    for sides in ((killed, complete), (complete, killed)):
        (note,) = diff(*sides)
        assert note == f"only a part of the program's run is in {killed}: the program was killed before its end"


def test_a_script_whose_name_is_not_utf_8_is_compared(tmp_path):
    """Its bytes stand in Python's strings as surrogates; a baseline holds valid UTF-8."""
    runs = bench.Gate(whole.BUILD, whole.PYTHON, tmp_path)
    script = os.fsdecode(b"tr\xe4in\xff.py")
    loop = textwrap.dedent("""
        import numpy as np
        x = np.random.default_rng(0).normal(size=(400, 64))
        for i in range(100):
            z = x + i
    """)
    edited = "import os\n" * 30 + loop.replace("z = x + i", "y = (x * x).sum(axis=1)\n    z = x + i")
    base, new = runs.record(loop, "base.db", script=script), runs.record(edited, "new.db", script=script)
    for baseline in (base, export(base)):
        verdict(base, "--baseline", baseline, status=0)
        data = verdict(new, "--baseline", baseline, status=1)
        assert failing(data) == [("new", "replica", 35)]
        assert data["items"][0]["text"] == "y = (x * x).sum(axis=1)" and data["items"][0]["path"] == "tr\ufffdin\ufffd.py"
    export(base).read_text(encoding="utf-8")


def test_a_module_whose_name_is_not_utf_8_is_compared(tmp_path):
    name = os.fsdecode(b"m\xe4")
    (tmp_path / f"{name}.py").write_text("x = 1\n")
    base = tmp_path / "base.db"
    done = whole.execute([whole.PYTHON, "-m", name], cwd=tmp_path, env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(base)))
    assert done.returncode == 0
    verdict(base, "--baseline", export(base), status=0)
