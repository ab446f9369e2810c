"""Lines are found again after edits: by the text around them, in files that moved and functions that were renamed."""
import json
import textwrap

import jsonschema
import pytest

import reports
from gating import PROGRAM, SCHEMAS, Program, clean, export, failing, gate, make_db, verdict, wasteful, words

LINES = PROGRAM.splitlines()


def lines(*parts):
    return "\n".join(line for part in parts for line in ([part] if isinstance(part, str) else part)) + "\n"


INSERTED = [f"NUMBER_{number} = {number} * 7" for number in range(40)]
REFACTORED = {
    "40 lines above": lines(INSERTED, LINES),
    "function renamed": PROGRAM.replace("def mask(", "def causal_mask(").replace("mask(len", "causal_mask(len"),
    "function moved": lines(LINES[:2], LINES[6:12], LINES[2:6], LINES[12:]),
    "indented": lines(LINES[:2], "if True:", ["    " + line for line in LINES[2:5]], LINES[5:]),
    "neighbour edited": PROGRAM.replace("i = np.arange(n)", "index = i = np.arange(0, n, 1)"),
    "the line edited": PROGRAM.replace("-1e9)", "float('-inf'))"),
    "comment added": PROGRAM.replace("-1e9)", "-1e9)  # future positions"),
}


def site_function(text):
    return "causal_mask" if "causal_mask" in text else "mask"


def run(text, **facts):
    program = Program(text, **facts)
    program.site(site_function(text), "np.where(", 524288, births=260, replicas=259, period=1)
    program.site("features", "np.tanh(", 65536, births=260)
    return program


@pytest.mark.parametrize("change", REFACTORED)
@pytest.mark.parametrize("renamed", [False, True])
def test_a_refactored_program_has_no_new_finding(tmp_path, change, renamed):
    old = wasteful().write(tmp_path / "old.db")
    facts = {"path": "/nowhere/lib/fit.py", "arguments": ("python", "/nowhere/lib/fit.py")} if renamed else {}
    new = run(REFACTORED[change], **facts).write(tmp_path / "new.db")
    for baseline in (old, export(old)):
        data = verdict(new, "--baseline", baseline, status=0)
        assert [item["verdict"] for item in data["items"]] == ["known"]


@pytest.mark.parametrize("change", REFACTORED)
def test_waste_in_a_refactored_program_is_still_new(tmp_path, change):
    """The line is found again, and it repeated nothing before."""
    old = clean().write(tmp_path / "old.db")
    new = run(REFACTORED[change]).write(tmp_path / "new.db")
    (item,) = verdict(new, "--baseline", export(old), status=1)["items"]
    assert item["verdict"] == "new" and item["why"].endswith("In the baseline this line repeated nothing.")


def test_a_line_that_the_baseline_lacks_is_told_so(tmp_path):
    text = PROGRAM.replace("    return np.tanh(batch)", "    scale = np.linspace(0, 1, 65536)\n    unit = scale / scale.max()\n    return np.tanh(batch) * unit")
    program = Program(text)
    program.site("mask", "np.where(", 524288, births=260)
    program.site("features", "np.tanh(", 65536, births=260)
    program.site("features", "np.linspace(", 524288, births=260, replicas=259, period=1)
    data = verdict(program.write(tmp_path / "new.db"), "--baseline", clean().write(tmp_path / "old.db"), status=1)
    assert failing(data) == [("new", "replica", 11)] and data["items"][0]["why"].endswith("The baseline has no such line.")


def test_a_function_that_went_to_another_file_is_found(tmp_path):
    old = wasteful().write(tmp_path / "old.db")
    program = Program(lines(LINES[:2], LINES[6:]))
    helper = lines("import numpy as np", "", LINES[2:6], "mask(3)")
    program.source = program.process.source("/nowhere/masks.py", helper)
    code = make_db.text_codes(helper, "/nowhere/masks.py")["mask"]
    number = program.process.code_of(code, program.source)
    outer = program.frame(program.frame(program.process.root(), "<module>", "main([np"), "step", "return x")
    node = program.process.node(program.process.frame(outer, number, make_db.offset_of(code, 5)), make_db.NATIVE, 0x7f0000000200, samples=100)
    program.process.site(node, 524288, births=260, replicas=259, period=1)
    program.site("features", "np.tanh(", 65536, births=260)
    data = verdict(program.write(tmp_path / "new.db"), "--baseline", export(old), status=0)
    assert [(item["verdict"], item["path"]) for item in data["items"]] == [("known", "masks.py")]


def test_of_equal_lines_each_is_found_by_its_neighbours(tmp_path):
    """One of two equal lines was wasteful before; now the other is, which is new."""
    text = textwrap.dedent('''
        import numpy as np

        def first(x):
            x = x + 1
            return np.tanh(x)

        def second(x):
            x = x * 2
            return np.tanh(x)

        def main():
            return [f(np.ones(9)) for f in (first, second)]

        print(main())
        ''')

    def program(wasted, source=text):
        made = Program(source)
        made.line = lambda words, plain=made.line: {"first": plain("x + 1") + 1, "second": plain("x * 2") + 1}.get(words) or plain(words)
        for name in ("first", "second"):
            made.site(name, name, 524288, births=100, replicas=99 if name == wasted else 0, period=1 if name == wasted else 0)
        return made

    old = program("first").write(tmp_path / "old.db")
    verdict(program("first", INSERTED[0] + text).write(tmp_path / "new.db"), "--baseline", old, status=0)
    data = verdict(program("second", INSERTED[0] + text).write(tmp_path / "new.db"), "--baseline", old, status=1)
    assert sorted((item["verdict"], item["function"]) for item in data["items"]) == [("gone", "first"), ("new", "second")]


def test_comments_suppress_and_unused_ones_are_told(tmp_path):
    base = clean().write(tmp_path / "base.db")
    text = PROGRAM.replace("-1e9)", "-1e9)  # pieprof: ignore[replica] the length varies in production")
    text = text.replace("np.tanh(batch)", "np.tanh(batch)  # pieprof: ignore[dead_store]")
    new = wasteful(text=text).write(tmp_path / "new.db")
    data = verdict(new, "--baseline", base, status=0)
    (item,) = data["items"]
    assert (item["verdict"], item["why"]) == ("suppressed", "ignored by a comment: the length varies in production")
    assert data["notes"] == ["train.py:11: the comment that ignores [dead_store] is not used: no such finding on its line"]
    page = words(gate(new, "--baseline", base).stdout)
    assert "the length varies" not in page and "1 suppressed" in page
    assert "the length varies" in words(gate(new, "--baseline", base, "--show-suppressed").stdout)
    verdict(new, "--max", "findings=0", status=0)


@pytest.mark.parametrize("comment", ["# pieprof: ignore[churn] no", "# pieprof ignore[replica]", "# pieprof: ignore[replica", "pieprof = 'ignore[replica]'"])
def test_other_comments_do_not_suppress(tmp_path, comment):
    text = PROGRAM.replace("-1e9)", "-1e9)  " + comment) if comment[0] == "#" else PROGRAM.replace("-1e9)", "-1e9); " + comment)
    verdict(wasteful(text=text).write(tmp_path / "new.db"), "--baseline", clean().write(tmp_path / "base.db"), status=1)


def ignoring(tmp_path, comment, status):
    text = PROGRAM.replace("-1e9)", "-1e9)" + comment)
    return verdict(wasteful(text=text).write(tmp_path / "new.db"), "--baseline", clean().write(tmp_path / "base.db"), status=status)


@pytest.mark.parametrize("comment", ["  #pieprof:ignore[replica] meant", "  # pieprof : ignore [ churn, replica ] meant", "  # noqa  # pieprof: ignore[replica] meant",
                                     "  # PieProf: Ignore[replica] meant"])
def test_comments_may_be_spaced_otherwise_and_name_several_kinds(tmp_path, comment):
    (item,) = ignoring(tmp_path, comment, 0)["items"]
    assert (item["verdict"], item["why"]) == ("suppressed", "ignored by a comment: meant")


def test_a_string_is_no_comment(tmp_path):
    assert ignoring(tmp_path, "; note = '# pieprof: ignore[replica] in a string'", 1)["notes"] == []
    assert ignoring(tmp_path, '; note = """\n# pieprof: ignore[replica] in a long one\n"""', 1)["notes"] == []


def test_a_comment_behind_the_closing_bracket_is_the_statements(tmp_path):
    """As formatters put it; not one behind the next statement."""
    for ends, counts in (("", ("suppressed", 0)), ("\n    return None", ("new", 1))):
        text = PROGRAM.replace("return np.where(i[:, None] >= i[None, :], 0.0, -1e9)", "chosen = np.where(i[:, None] >= i[None, :],"
                               f"\n                      0.0, -1e9){ends}  # pieprof: ignore[replica] meant")
        text = text.replace("np.arange(n)", "np.arange(64)")  # of no argument: no call of the function is on record
        new = wasteful(text=text).write(tmp_path / "new.db")
        base = clean().write(tmp_path / "base.db")
        assert verdict(new, "--baseline", base, status=counts[1])["counts"][counts[0]] == 1


@pytest.mark.parametrize("comment, why", [("  # pieprof: ignore", "names no kind"), ("  # pieprof: ignore[bogus]", "no such kind of finding"),
                                          ("  # pieprof: ignore[churn]", "no such finding on its line")])
def test_a_comment_that_ignores_nothing_says_why(tmp_path, comment, why):
    (note,) = ignoring(tmp_path, comment, 1)["notes"]
    assert why in note and note.startswith("train.py:")


def diff(*arguments):
    done = reports.report("diff", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_diff_says_the_biggest_change_first(tmp_path):
    old = wasteful().write(tmp_path / "old.db")
    new = clean()
    new.site("step", "x + mask", 4096, births=260)
    new = new.write(tmp_path / "new.db")
    data = json.loads(diff(old, new, "--format", "json"))
    jsonschema.validate(data, SCHEMAS["diff"])
    assert [(finding["verdict"], finding["line"]) for finding in data["findings"]] == [("gone", 5)]
    assert [(line["state"], (line["now"] or line["base"])["line"]) for line in data["lines"]] == [("changed", 5), ("only now", 8)]
    assert (data["lines"][0]["base"]["again_bytes"], data["lines"][0]["now"]["again_bytes"]) == (259 * 524288, 0)
    assert data["base"]["findings"] == 1 and data["now"]["findings"] == 0
    text = diff(old, new)
    assert text.index("train.py:5 mask    replica") < text.index("made again 130 MiB -> 0 bytes") < text.index("train.py:8 step")
    assert len(text.splitlines()) <= 24
    exported = json.loads(diff(export(old), export(new), "--format", "json"))
    assert exported["lines"][0]["base"]["time_s"] is None and [line["state"] for line in exported["lines"]] == ["changed", "only now"]


def test_the_diff_of_a_run_with_itself_is_empty(tmp_path):
    old = wasteful().write(tmp_path / "old.db")
    data = json.loads(diff(old, old, "--format", "json"))
    assert data["lines"] == [] and [finding["verdict"] for finding in data["findings"]] == ["known"]


def test_the_diff_says_what_it_could_not_match(tmp_path):
    old = clean().write(tmp_path / "old.db")
    text = PROGRAM.replace("    return np.tanh(batch)", "    a = np.sin(batch)\n    b = np.cos(batch)\n    return a + b")
    program = Program(text)
    for words in ("np.sin", "np.cos", "a + b"):
        program.site("features", words, 65536, births=260)
    program.site("mask", "np.where(", 524288, births=260)
    data = json.loads(diff(old, program.write(tmp_path / "new.db"), "--format", "json"))
    assert data["unmatched"] == 3 and sorted(line["state"] for line in data["lines"]) == ["no match"] * 3 + ["only before"]
    assert "3 of the changed lines could not be matched" in diff(old, tmp_path / "new.db")


def test_the_diff_needs_two():
    done = reports.report("diff", "one.db")
    assert (done.returncode, done.stderr) == (2, "pieprof-report: diff: needs BASE NEW\n")


def through_package(samples, replicas=259, rows=0):
    """The mask is made in a package, and rows above it; its line leads where the user line that calls it carries half of the time."""
    program = Program()
    inside = program.process.code("build", "/usr/lib/python3/dist-packages/maskers/core.py", program.codes["mask"].co_linetable, 3)
    caller = program.frame(program.frame(program.process.root(), "<module>", "main([np"), "step", "x + mask")
    offset = make_db.offset_of(program.codes["mask"], 5)
    if rows:
        above = program.process.frame(caller, inside, make_db.offset_of(program.codes["mask"], 4))
        program.process.site(program.process.node(above, make_db.NATIVE, 0x7f0000000200, samples=5), rows, births=260, replicas=259, period=1)
    node = program.process.node(program.process.frame(caller, inside, offset), make_db.NATIVE, 0x7f0000000200, samples=samples)
    program.process.site(node, 524288, births=260, replicas=replicas, period=1 if replicas else 0)
    program.site("features", "np.tanh(", 65536, samples=300, births=260)
    return program


def test_which_line_leads_is_a_matter_of_time_and_no_news(tmp_path):
    """Whether the package's line or the user's has the finding: it was there before."""
    package, user = through_package(900).write(tmp_path / "package.db"), through_package(100).write(tmp_path / "user.db")
    places = {}
    for path in (package, user):
        (item,) = verdict(path, "--baseline", path, status=0)["items"]
        places[path] = item["path"]
    assert places == {package: "maskers/core.py", user: "train.py"}
    for new, base in ((package, user), (user, package), (package, export(user)), (user, export(package))):
        assert verdict(new, "--baseline", base, status=0)["counts"]["known"] == 1
    for samples in (900, 100):
        clean_before = through_package(1000 - samples, replicas=0).write(tmp_path / "clean.db")
        for new in (package, user):
            assert [item["verdict"] for item in verdict(new, "--baseline", export(clean_before), status=1)["items"] if item["fails"]] == ["new"]


def test_all_lines_of_the_package_are_the_users_one(tmp_path):
    """Small rows and large masks, each with a finding of its own where the package leads."""
    package, user = through_package(900, rows=4096).write(tmp_path / "package.db"), through_package(100, rows=4096).write(tmp_path / "user.db")
    for base in (package, export(package)):
        assert verdict(user, "--baseline", base, status=0)["counts"]["known"] == 1
    for base in (user, export(user)):
        assert verdict(package, "--baseline", base, status=0)["counts"]["known"] == 2


def test_the_program_behind_a_launcher_is_compared(tmp_path):
    def launched(path, name):
        program = Program(path=path, arguments=("python", "-m", "torch.distributed.run", "--nproc-per-node", "1", path))
        worker = Program(path=path, arguments=("python", "-u", path), pid=4243)
        worker.site("features", "np.tanh(", 65536, births=260)
        worker.process.ordinal = 2
        program.database.processes.append(worker.process)
        return program.write(tmp_path / name)

    base = launched("/nowhere/train.py", "base.db")
    assert json.loads(export(base).read_text())["program"] == {"kind": "script", "name": "train.py"}
    verdict(launched("/nowhere/train.py", "new.db"), "--baseline", base, status=0)


WRAPPED = PROGRAM.replace("    i = np.arange(n)\n    return np.where(i[:, None] >= i[None, :], 0.0, -1e9)\n",
                          "    rows = np.arange(n)\n    below = compare_rows(rows)\n    return choose_value(below)\n")


def split(*sites):
    """The line's waste, of so many sizes and births, at these lines of a text that has none of the old words."""
    text = PROGRAM if sites[0][0] == "np.where(" else WRAPPED
    program = Program(text)
    for words, size, births in sites:
        program.site("mask", words, size, births=births, replicas=births - 1, period=1)
    return program


@pytest.mark.parametrize("sites, verdicts", [
    ([("below =", 262144, 260), ("return choose", 524288, 260)], ["moved", "moved"]),
    ([("below =", 262144, 260), ("return choose", 524288, 300)], ["gone", "new", "new"]),
    ([("below =", 262144, 260), ("return choose", 1048576, 260)], ["gone", "new", "new"]),
    ([("below =", 262144, 260)], ["gone", "new"]),
], ids=["split", "more objects", "larger objects", "half of it mended"])
def test_what_is_new_and_what_is_gone_may_be_the_same(tmp_path, sites, verdicts):
    """By the counts of both, where no text tells."""
    old = split(("np.where(", 262144, 260), ("np.where(", 524288, 260)).write(tmp_path / "old.db")
    new = split(*sites).write(tmp_path / "new.db")
    for baseline in (old, export(old)):
        items = verdict(new, "--baseline", baseline, status=1 if "new" in verdicts else 0)["items"]
        assert sorted(item["verdict"] for item in items) == verdicts
    if verdicts[0] == "moved":
        assert all("what stood here in the baseline, from train.py:4 to 5, made as many bytes again" in item["why"] for item in items)


@pytest.mark.parametrize("sizes, births, features, expected", [
    ((262144, 524288), 519, 520, ["moved", "moved"]), ((262144, 524288), 130, 130, ["moved", "moved"]), ((524288,), 519, 520, ["gone", "new"]),
    ((1048576, 524288), 519, 520, ["gone", "new", "new"]), ((262144, 524288), 519, 260, ["gone", "new", "new"]),
    ((262144, 524288), 1040, 520, ["gone", "new", "new"]), ((262144, 524288), 519, 130, ["gone", "new", "new"])],
    ids=["longer", "shorter", "larger in the mean", "larger", "more in a run as long", "more in a longer run", "more in a shorter run"])
def test_a_statement_that_was_wrapped_is_known_in_a_run_of_another_length(tmp_path, sizes, births, features, expected):
    """As a formatter does it, or another split: as long as it stands between the same lines, and is made as often as the rest."""
    old = split(("np.where(", 262144, 260), ("np.where(", 524288, 260))
    new = split(*[(words, size, births) for words, size in zip(("return choose", "below ="), reversed(sizes))])
    old.site("features", "np.tanh(", 65536, births=260)
    new.site("features", "np.tanh(", 65536, births=features)
    old = old.write(tmp_path / "old.db")
    for baseline in (old, export(old)):
        items = verdict(new.write(tmp_path / "new.db"), "--baseline", baseline, status=1 if "new" in expected else 0)["items"]
        assert sorted(item["verdict"] for item in items) == expected
        assert all("as much for each time or more, in a run of another length, again" in item["why"] for item in items if item["verdict"] == "moved")


JOINED = PROGRAM.replace("    i = np.arange(n)\n    return np.where(i[:, None] >= i[None, :], 0.0, -1e9)\n", "    return np.where(np.arange(n)[:, None] >= np.arange(n), 0.0, -1e9)\n")
EXTRACTED = PROGRAM.replace("    return np.where(i[:, None] >= i[None, :], 0.0, -1e9)\n", "    return choose(i)\n").replace(
    "def features", "def choose(i):\n    return np.where(i[:, None] >= i[None, :], 0.0, float('-inf'))\n\ndef features")


@pytest.mark.parametrize("text, function", [(JOINED, "mask"), (EXTRACTED, "choose")], ids=["joined", "extracted"])
@pytest.mark.parametrize("births, features, size, expected", [(520, 520, 524288, "moved"), (130, 130, 524288, "moved"), (540, 520, 524288, "new"),
                                                              (520, 520, 786432, "new"), (520, 260, 524288, "new")],
                         ids=["longer", "shorter", "more", "larger", "more in a run as long"])
def test_a_refactored_line_is_known_in_a_run_of_another_length(tmp_path, text, function, births, features, size, expected):
    """Two lines joined to one, or one that went to a function of its own, made again as often as the rest is executed."""
    old, new = Program(), Program(text)
    for words, part in (("i = np.arange", 262144), ("np.where(", 524288)) if text == JOINED else (("np.where(", 524288),):
        old.site("mask", words, part, births=260, replicas=259, period=1)
        new.site(function, "np.where(", size if part == 524288 else part, births=births, replicas=births - 1, period=1)
    old.site("features", "np.tanh(", 65536, births=260)
    new.site("features", "np.tanh(", 65536, births=features)
    old = old.write(tmp_path / "old.db")
    for baseline in (old, export(old)):
        items = verdict(new.write(tmp_path / "new.db"), "--baseline", baseline, status=1 if expected == "new" else 0)["items"]
        assert expected in {item["verdict"] for item in items}
        assert expected == "new" or "in a run of another length" in items[0]["why"]


def test_a_refactored_line_that_is_called_twice_as_often_is_new(tmp_path):
    """As is another that was not edited, but not all: no run twice as long."""
    old, new = Program(), Program(EXTRACTED)
    for program, function, births in ((old, "mask", 260), (new, "choose", 520)):
        program.site("mask", "i = np.arange", 65536, births=births)
        program.site(function, "np.where(", 524288, births=births, replicas=births - 1, period=1)
        program.site("features", "np.tanh(", 65536, births=260)
    old = old.write(tmp_path / "old.db")
    for baseline in (old, export(old)):
        items = verdict(new.write(tmp_path / "new.db"), "--baseline", baseline, status=1)["items"]
        assert sorted(item["verdict"] for item in items) == ["gone", "new"]


@pytest.mark.parametrize("words, births, expected", [("return np.where(np.tri", 260, ["moved"]), ("return np.where(np.tri", 300, ["gone", "new"]),
                                                     ("return np.tanh(batch)", 260, ["gone", "new"])], ids=["inlined", "more", "unedited"])
def test_waste_may_move_into_a_line_that_made_objects_before(tmp_path, words, births, expected):
    """Where its text is another now: a function was inlined there."""
    old, new = Program(), Program(PROGRAM.replace("return x + mask(len(x))", "return np.where(np.tri(len(x)), x, -1e9)"))
    old.site("mask", "np.where(", 524288, births=260, replicas=259, period=1)
    new.site("features" if "tanh" in words else "step", words, 524288, births=births, replicas=births - 1, period=1)
    for program, step in ((old, "return x + mask"), (new, "return np.where(np.tri")):
        program.site("step", step, 65536, births=20)
        program.site("features", "np.tanh(", 65536, births=20)
    old = old.write(tmp_path / "old.db")
    for baseline in (old, export(old)):
        items = verdict(new.write(tmp_path / "new.db"), "--baseline", baseline, status=1 if "new" in expected else 0)["items"]
        assert sorted(item["verdict"] for item in items) == expected
