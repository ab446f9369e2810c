"""The gate's verdicts, on runs whose counts are known: what decides, what never does, and what it refuses to decide."""
import json
import random

import pytest

from gating import ADDRESS, PROGRAM, Program, clean, export, failing, gate, make_db, refused, verdict, wasteful

WHERE = 5


@pytest.fixture
def base(tmp_path):
    return clean().write(tmp_path / "base.db")


def write(tmp_path, program, name="new.db"):
    return program.write(tmp_path / name)


@pytest.mark.parametrize("exported", [False, True])
def test_a_new_finding_fails_and_names_its_line(tmp_path, base, exported):
    base = export(base) if exported else base
    data = verdict(write(tmp_path, wasteful()), "--baseline", base, status=1)
    assert failing(data) == [("new", "replica", WHERE)]
    item = data["items"][0]
    assert (item["path"], item["function"], item["text"]) == ("train.py", "mask", PROGRAM.splitlines()[WHERE - 1].strip())
    assert item["why"] == "130 MiB in 259 objects made again. In the baseline this line repeated nothing."
    assert "equal to the one before" in item["claim"] and "Build it once" in item["advice"]
    text = gate(tmp_path / "new.db", "--baseline", base).stdout
    assert text.startswith("gate failed ") and "train.py:5 mask" in text and item["id"] in text


def test_the_same_counts_pass(tmp_path):
    old = write(tmp_path, wasteful(), "old.db")
    new = write(tmp_path, wasteful())
    for baseline in (old, export(old)):
        assert [item["verdict"] for item in verdict(new, "--baseline", baseline, status=0)["items"]] == ["known"]


def test_a_longer_run_passes_and_is_told(tmp_path):
    """Made again in 519 of 520 births in place of 259 of 260: for each birth the same."""
    old = write(tmp_path, wasteful(260), "old.db")
    data = verdict(write(tmp_path, wasteful(520)), "--baseline", old, status=0)
    (item,), (note,) = data["items"], data["notes"]
    assert item["verdict"] == "known" and "births differ: 520, 260 in the baseline" in item["why"]
    assert note == f"train.py:5 replica: {item['why']}", "where a pass is all that is told"
    assert verdict(write(tmp_path, wasteful(270)), "--baseline", old, status=0)["notes"] == []


@pytest.mark.parametrize("option, status", [((), 1), (("--max-increase", "24.9%"), 1), (("--max-increase", "101%"), 0)])
def test_a_finding_that_grew_for_each_birth_fails(tmp_path, option, status):
    old = write(tmp_path, wasteful(), "old.db")
    data = verdict(write(tmp_path, wasteful(size=2 * 524288)), "--baseline", old, *option, status=status)
    assert failing(data) == ([("increased", "replica", WHERE)] if status else [])


@pytest.mark.parametrize("features, gone, verdict_of", [(260, False, "increased"), (520, False, "known"), (260, True, "known")], ids=["edit", "longer", "merged"])
def test_more_of_a_known_waste_at_an_edited_line(tmp_path, features, gone, verdict_of):
    """For each birth it is as much: what the run makes tells, where lines that were not edited make as much as before."""
    old = wasteful()
    if gone:
        old.site("step", "x + mask", 524288, births=260, replicas=259, period=1)
    text = PROGRAM.replace("-1e9)", "-1e9).copy()")
    text = text.replace("return x + mask(len(x))", "return mask(len(x))") if gone else text
    new = Program(text)
    for size in (524288, 500000):
        new.site("mask", "np.where(", size, births=260, replicas=259, period=1)
    new.site("features", "np.tanh(", 65536, births=features)
    old = write(tmp_path, old, "old.db")
    for baseline in (old, export(old)):
        items = verdict(write(tmp_path, new), "--baseline", baseline, status=int(verdict_of == "increased"))["items"]
        assert [item["verdict"] for item in items if item["line"] == WHERE] == [verdict_of]
    assert verdict_of == "known" or " in 518 objects made again, 130 MiB in 259 objects in the baseline, where the line was another" in items[0]["why"]


SUMMED = PROGRAM.replace("-1e9)", "-1e9).copy()").replace("return x + mask(len(x))", "return mask(len(x)) + x")


@pytest.mark.parametrize("old_step, new_step, features, births, verdict_of", [
    ((260, 259), (260, 0), 260, 520, "known"), ((260, 0), (260, 0), 260, 520, "increased"), ((260, 0), (520, 0), 260, 520, "known"),
    ((260, 0), (390, 0), 260, 520, "increased"), ((260, 0), (260, 0), 14, 520, "known")],
    ids=["its part stays fresh", "edit", "loops of both", "another edit", "set-up only"])
def test_what_an_edited_line_makes_more_of_may_have_another_cause(tmp_path, old_step, new_step, features, births, verdict_of):
    """Waste that another edited line made; a longer run of which only lines that prepare it were not edited."""
    old, new = Program(), Program(SUMMED)
    for program, mask, (step, again) in ((old, 260, old_step), (new, births, new_step)):
        program.site("mask", "np.where(", 524288, births=mask, replicas=mask - 1, period=1)
        program.site("step", "mask(len(x))", 524288, births=step, replicas=again, period=1 if again else 0)
        program.site("features", "np.tanh(", 65536, births=features)
    old = write(tmp_path, old, "old.db")
    for baseline in (old, export(old)):
        items = verdict(write(tmp_path, new), "--baseline", baseline, status=int(verdict_of == "increased"))["items"]
        assert [item["verdict"] for item in items if item["line"] == WHERE] == [verdict_of]


@pytest.mark.parametrize("before, now, features, verdict_of", [
    ((16384, 600, 300), (16384, 600, 300), 260, "known"), ((16384, 600, 300), (16384, 600, 300), 130, "known"),
    ((2097152, 600, 300), (2097152, 600, 599), 260, "known"), ((16384, 600, 599), None, 260, "known"), ((16384, 600, 599), None, 130, "increased")],
    ids=["the same", "longer", "a longer plateau", "the smaller mended", "perhaps"])
def test_a_line_of_unlike_places_is_known(tmp_path, before, now, features, verdict_of):
    """A place that is no finding lowers the mean, as does a small waste until it is mended."""
    old, new = Program(), Program(PROGRAM.replace("-1e9)", "-1.0e9)") if now is None else PROGRAM)
    for program, mixed, tanh in ((old, before, features), (new, now, 260)):
        program.site("mask", "np.where(", 524288, births=260, replicas=259, period=1)
        program.site("features", "np.tanh(", 65536, births=tanh)
        if mixed is not None:
            program.site("mask", "np.where(", mixed[0], births=mixed[1], replicas=mixed[2], period=1)
    old = write(tmp_path, old, "old.db")
    for baseline in (old, export(old)):
        items = verdict(write(tmp_path, new), "--baseline", baseline, status=int(verdict_of == "increased"))["items"]
        assert [item["verdict"] for item in items if item["line"] == WHERE] == [verdict_of]


def at_random(seed, length=1, data=None):
    """The same code of a seed: places that repeat never, in part - in which part is the data's doing - and throughout."""
    code, part, program = random.Random(seed), random.Random(data), Program()
    for function, words in (("mask", "np.where("), ("step", "return x + mask"), ("features", "np.tanh("), ("main", "step(features")):
        node = program.node(function, words, samples=100)
        for ordinal in range(code.randint(1, 4)):
            births, size = code.choice([20, 100, 260, 400, 520]) * length, code.choice([4096, 65536, 524288, 1048576]) + 8192 * ordinal
            share, looked_at = code.choice([0, 0, 0.005, 0.3, 0.6, 0.89, 0.95, 1]), code.choice([births, births // 3])
            share = part.choice([0.02, 0.2, 0.5, 0.8, 0.92, 1]) if data is not None and 0.01 < share < 0.9 else share
            replicas = int(share * (looked_at - 1))
            kind = {"constant": looked_at} if code.random() < 0.3 else {"replicas": replicas, "period": 1 if replicas else 0}
            program.process.site(node, size, ordinal=ordinal, births=births, looked_at=looked_at, **kind)
    return program


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_the_same_code_passes_whatever_its_places_repeat(tmp_path, first):
    for seed in range(first, first + 10):
        base = write(tmp_path, at_random(seed), "base.db")
        for new in (at_random(seed), at_random(seed, length=3), at_random(seed, data=seed), at_random(seed, length=2, data=seed + 1)):
            verdict(write(tmp_path, new), "--baseline", base, status=0)
        longer = write(tmp_path, at_random(seed, length=3), "longer.db")
        for baseline in (longer, export(longer)):
            verdict(base, "--baseline", baseline, status=0)


@pytest.mark.parametrize("features, size, verdict_of", [(260, 524288, "known"), (130, 524288, "known"), (520, 524288, "known"), (130, 750000, "increased")])
def test_what_is_constant_lowers_no_mean(tmp_path, features, size, verdict_of):
    """np.outer(np.ones(n), curve) in runs of other lengths: the ones are no replica, in neither run."""
    old, new = Program(), Program()
    for program, births, made in ((old, features, 524288), (new, 260, size)):
        program.site("mask", "np.where(", made, births=births, replicas=births - 1, period=1)
        program.site("mask", "np.where(", 2048, births=2 * births, looked_at=births, constant=births)
        program.site("features", "np.tanh(", 65536, births=births)
    old = write(tmp_path, old, "old.db")
    for baseline in (old, export(old)):
        (item,) = verdict(write(tmp_path, new), "--baseline", baseline, status=int(verdict_of == "increased"))["items"]
        assert item["verdict"] == verdict_of
        assert ("births differ" in item["why"]) == (features != 260)


@pytest.mark.parametrize("now, before", [(0, 260), (260, 0)])
def test_workspaces_of_another_version_are_no_waste(tmp_path, now, before):
    """A library takes one for each result, or none."""
    runs = []
    for name, workspaces in (("old.db", before), ("new.db", now)):
        program = Program()
        program.site("mask", "np.where(", 524288, births=260 + workspaces, workspaces=workspaces, replicas=259, period=1)
        program.site("features", "np.tanh(", 65536, births=260)
        runs.append(write(tmp_path, program, name))
    for baseline in (runs[0], export(runs[0])):
        assert [item["verdict"] for item in verdict(runs[1], "--baseline", baseline, status=0)["items"]] == ["known"]


@pytest.mark.parametrize("again, more, births, verdict_of", [
    (240, True, 360, "increased"), (320, False, 360, None), (240, False, 720, None)])
def test_waste_that_an_edit_adds_to_a_line_that_repeats_in_part(tmp_path, again, more, births, verdict_of):
    """The batches of three epochs repeat in part; an invariant beside them, on the same line, is no longer plateau."""
    old, new = Program(), Program(PROGRAM.replace("return np.tanh(batch)", "return np.tanh(batch) * np.hanning(64)"))
    times = births // 360
    for program, scale, replicas in ((old, 1, 240), (new, times, again * times)):
        program.site("mask", "np.where(", 65536, births=360 * scale)
        program.site("features", "np.tanh(", 65536, births=360 * scale, replicas=replicas, period=120)
    if more:
        new.site("features", "np.tanh(", 32768, births=births, replicas=births - 1, period=1)
    old = write(tmp_path, old, "old.db")
    for baseline in (old, export(old)):
        data = verdict(write(tmp_path, new), "--baseline", baseline, status=int(verdict_of is not None))
        assert failing(data) == ([(verdict_of, "replica", 11)] if verdict_of else [])


@pytest.mark.parametrize("before", [4, 60, 357, 360])
def test_a_plateau_never_decides(tmp_path, before):
    """Its mask was equal in so many of 400 births; this seed makes it equal in all but a first one."""
    old = write(tmp_path, wasteful(400, replicas=before), "old.db")
    assert failing(verdict(write(tmp_path, wasteful(400, replicas=363)), "--baseline", old, status=0)) == []
    data = verdict(write(tmp_path, wasteful(400)), "--baseline", old, status=0)
    assert failing(data) == []
    assert [("(+9875 %). It repeated in part there" in note) for note in data["notes"]] == {4: [True], 60: [False]}.get(before, []), data["notes"]


@pytest.mark.parametrize("before, status", [({"replicas": 3}, 1), ({"constant": 400}, 0)])
def test_what_another_seed_makes_constant_is_a_plateau_and_a_chance_equal_is_none(tmp_path, before, status):
    old = Program()
    old.site("mask", "np.where(", 524288, births=400, period=1, **before)
    verdict(write(tmp_path, wasteful(400)), "--baseline", write(tmp_path, old, "old.db"), status=status)


def shuffled(path, rounds, contents=60, **counters):
    """tanh's results come again in each round, in another order: none is near to its equal."""
    program = Program()
    program.process.far_site(program.node("features", "np.tanh(", samples=500), 2**17, 4000, contents, rounds, period=179, far_period_replicas=3, **counters)
    return program.write(path)


@pytest.mark.parametrize("rounds, status", [(12, 1), (8, 0)])
def test_what_comes_again_after_long_is_new_and_counts(tmp_path, base, rounds, status):
    """By the far history: eleven of twelve are more than nine tenths, seven of eight are less."""
    new = shuffled(tmp_path / "new.db", rounds)
    data = verdict(new, "--baseline", base, status=status)
    assert [(item["verdict"], item["line"]) for item in data["items"]] == [("new" if status else "small", 11)]
    assert not status or data["items"][0]["why"].startswith("About 458 MiB in 3,667 objects made again.")
    for baseline in (new, export(new)):
        assert [item["verdict"] for item in verdict(new, "--baseline", baseline, status=0)["items"]] == ["known" if status else "small"]
    assert verdict(new, "--max", "replicas=400MiB", status=status)["passed"] == (not status)


def test_what_came_again_by_chance_before_is_not_new(tmp_path):
    """Drawn at random, which makes no finding: another seed draws more evenly."""
    before = shuffled(tmp_path / "old.db", 12, far_squares=60 * (144 + 24))
    assert verdict(before, "--max", "findings=0", status=0)["items"] == []
    for baseline in (before, export(before)):
        assert failing(verdict(shuffled(tmp_path / "new.db", 12), "--baseline", baseline, status=0)) == []


def test_a_longer_plateau_is_no_increase(tmp_path):
    """Of two places of the line one was settled nearly at once in the baseline, the other only in the end."""
    def settled(small, large):
        program = Program()
        for size, replicas in ((2632, small), (144000, large)):
            program.site("mask", "np.where(", size, births=400, replicas=replicas, period=1)
        return program
    old = write(tmp_path, settled(387, 309), "old.db")
    for baseline in (old, export(old)):
        (item,) = verdict(write(tmp_path, settled(399, 399)), "--baseline", baseline, status=0)["items"]
        assert item["verdict"] == "known"


@pytest.mark.parametrize("births, verdict_of", [(400, "cannot tell"), (3, "new")])
def test_what_nobody_looked_at_is_not_taken_for_nothing(tmp_path, births, verdict_of):
    """Beside a place that was looked at; three objects in all were not what is made hundreds of times now."""
    old = Program()
    old.site("mask", "np.where(", 524288, births=births, looked_at=0, examined=0)
    old.site("mask", "np.where(", 2048, births=births)
    old = write(tmp_path, old, "old.db")
    for baseline in (old, export(old)):
        (item,) = verdict(write(tmp_path, wasteful(400)), "--baseline", baseline, status=1 if verdict_of == "new" else 0)["items"]
        assert item["verdict"] == verdict_of
    assert verdict_of == "new" or "made 400 objects at which nobody looked" in item["why"]


def test_a_call_again_on_a_plateau_is_new(tmp_path):
    """Half of the distances repeat, for the clusters settle; calling it twice a step is another matter."""
    def distances(twice):
        program = Program()
        first = program.site("mask", "np.where(", 524288, births=400, replicas=240, period=1)
        if twice:
            step = program.frame(program.frame(program.process.root(), "<module>", "main([np"), "step", "x + mask(")
            call = program.process.node(program.frame(step, "mask", "np.where("), make_db.NATIVE, ADDRESS, samples=100)
            program.process.link(first, program.process.site(call, 524288, births=400, replicas=240, period=1), 160)
        return program
    data = verdict(write(tmp_path, distances(True)), "--baseline", write(tmp_path, distances(False), "old.db"), status=1)
    assert failing(data) == [("new", "replica", WHERE)]
    verdict(tmp_path / "new.db", "--baseline", write(tmp_path, distances(True), "again.db"), status=0)


def test_the_share_of_time_does_not_decide(tmp_path, base):
    """Half a percent of the time or half of it: the counts are the same, and so is the verdict."""
    for samples in (1, 50, 5000):
        program = clean(seconds=100.0)
        program.site("step", "x + mask", 524288, samples=samples, births=260, replicas=259, period=1)
        assert failing(verdict(write(tmp_path, program), "--baseline", base, status=1)) == [("new", "replica", 8)]


@pytest.mark.parametrize("size, births, verdict_of", [(2048, 100, "small"), (2048, 600, "new"), (1 << 20, 11, "new"), (1 << 20, 9, "small")])
def test_what_decides_weighs_a_mebibyte_or_a_hundredth(tmp_path, size, births, verdict_of):
    """Of 256 MiB of objects."""
    def program():
        made = Program()
        made.site("features", "np.tanh(", 1 << 20, births=256)
        return made
    old, new = program(), program()
    new.site("mask", "np.where(", size, births=births, replicas=births - 1, period=1)
    data = verdict(write(tmp_path, new), "--baseline", write(tmp_path, old, "old.db"), status=1 if verdict_of == "new" else 0)
    assert [item["verdict"] for item in data["items"]] == [verdict_of]


def test_of_a_small_run_a_hundredth_decides(tmp_path):
    old, new = Program(), Program()
    for program in (old, new):
        program.site("features", "np.tanh(", 4096, births=250)
    new.site("mask", "np.where(", 2048, births=20, replicas=19, period=1)
    assert failing(verdict(write(tmp_path, new), "--baseline", write(tmp_path, old, "old.db"), status=1)) == [("new", "replica", WHERE)]


def test_what_is_gone_is_told_and_passes(tmp_path):
    old = write(tmp_path, wasteful(), "old.db")
    (item,) = verdict(write(tmp_path, clean()), "--baseline", old, status=0)["items"]
    assert (item["verdict"], item["line"]) == ("gone", WHERE)


def test_allowed_ids_pass_and_unused_ones_are_told(tmp_path, base):
    new = write(tmp_path, wasteful())
    (item,) = verdict(new, "--baseline", base, status=1)["items"]
    assert verdict(new, "--baseline", base, "--allow", item["id"], status=0)["counts"]["allowed"] == 1
    rows = tmp_path / "allowed.txt"
    rows.write_text(f"# of the mask\n\n{item['id']}  for now\n{'0' * 16} # another\n")
    data = verdict(new, "--baseline", base, "--allow-file", rows, status=0)
    assert data["counts"]["allowed"] == 1 and data["notes"] == [f"{'0' * 16} is allowed, but no finding has this id"]
    rows.write_text("\nnot-an-id\n")
    assert "allowed.txt: line 2: expected a finding's id" in refused(new, "--baseline", base, "--allow-file", rows)
    assert "--allow-file" in refused(new, "--baseline", base, "--allow-file", tmp_path / "none.txt")
    for path in (tmp_path, "/dev/zero"):
        assert f"--allow-file {path}: not a file" in refused(new, "--baseline", base, "--allow-file", path)


def test_new_findings_may_be_let_pass_by_number(tmp_path, base):
    new = write(tmp_path, wasteful())
    assert verdict(new, "--baseline", base, "--max-new", "1", status=0)["counts"]["new"] == 1


@pytest.mark.parametrize("limit, status", [
    ("findings=0", 1), ("findings=1", 0), ("replicas=129MiB", 1), ("replicas=130MiB", 0), ("replicas=135790591", 1),
    ("replicas=135790592", 0), ("replica_objects=258", 1), ("replica_objects=259", 0),
])
def test_limits_without_a_baseline(tmp_path, limit, status):
    data = verdict(write(tmp_path, wasteful()), "--max", limit, status=status)
    assert failing(data) == ([("limit", limit.split("=")[0], WHERE)] if status else [])
    assert data["baseline"] is None


@pytest.mark.parametrize("limit, status", [("replicas=99%", 1), ("replicas=110%", 0), ("findings=0%", 0)])
def test_the_runs_sums_may_be_limited_in_growth(tmp_path, limit, status):
    old = write(tmp_path, wasteful(260), "old.db")
    verdict(write(tmp_path, wasteful(520)), "--baseline", old, "--max-increase", limit, status=status)


def stores(program, words, function, same, different):
    program.process.stores(program.node(function, words), same, different)
    node = program.node(function, words)
    program.process.pair(node, node, (2, 2), flags=make_db.SAME_VALUE, count=max(same, 1))
    return program


@pytest.mark.parametrize("before, after, status", [((10, 990), (950, 50), 1), ((880, 120), (950, 50), 0), ((10, 990), (300, 700), 0),
                                                    ((4, 7), (10, 1), 0)])
def test_sampled_shares_decide_only_where_intervals_are_apart(tmp_path, before, after, status):
    """And nearly all stores are needless; not with few samples, nor within the width that many comparisons need."""
    old = write(tmp_path, stores(clean(), "np.tanh(", "features", *before), "old.db")
    new = write(tmp_path, stores(clean(), "np.tanh(", "features", *after))
    data = verdict(new, "--baseline", old, status=status)
    assert failing(data) == ([("share rose", "redundant_store", 11)] if status else [])
    assert data["shares_compared"] >= 1
    assert verdict(new, "--baseline", export(old), status=0)["shares_compared"] == 0, "a baseline holds no samples"


def test_an_exported_baseline_is_small_and_has_no_paths_or_times(tmp_path):
    text = export(write(tmp_path, wasteful())).read_text()
    data = json.loads(text)
    assert "/nowhere" not in text and str(tmp_path) not in text and "time_s" not in text and len(text) < 3000
    assert data["program"] == {"kind": "script", "name": "train.py"}
    assert [(line["line"], [group["births"] for group in line["objects"]]) for line in data["lines"]] == [(5, [260]), (11, [260])]
    assert [list(entry) for entry in data["lines"]] == [sorted(entry) for entry in data["lines"]] and list(data) == sorted(data)


def test_exporting_what_was_exported_changes_nothing(tmp_path):
    path = export(write(tmp_path, wasteful()))
    text = path.read_text()
    copy = tmp_path / "copy.db"
    copy.write_text(text)
    assert export(copy).read_text() == text


def test_a_baseline_is_updated(tmp_path):
    baseline = tmp_path / "baseline.json"
    new = write(tmp_path, wasteful())
    assert gate(new, "--baseline", baseline, "--update-baseline").returncode == 0
    assert baseline.read_text() == export(new).read_text()
    other = write(tmp_path, clean(), "other.db")
    verdict(other, "--baseline", baseline, "--update-baseline", status=0)
    assert failing(verdict(new, "--baseline", baseline, status=1)) == [("new", "replica", WHERE)]
    done = gate(new, "--baseline", baseline, "--update-baseline")
    assert (done.returncode, done.stdout.startswith("gate failed")) == (0, True)
    assert "that it was rewritten is why the exit status is 0: the gate failed" in done.stderr
    done = gate(new, "--baseline", baseline, "--update-baseline")
    assert (done.returncode, "now says what" in done.stderr, "exit status" in done.stderr) == (0, True, False)
    before = other.read_bytes()
    assert "a run is not rewritten" in refused(new, "--baseline", other, "--update-baseline")
    assert other.read_bytes() == before


def test_an_updated_baseline_keeps_its_place_and_mode(tmp_path):
    new, real, link = write(tmp_path, wasteful()), tmp_path / "real.json", tmp_path / "baseline.json"
    real.write_text(export(write(tmp_path, clean(), "other.db")).read_text())
    real.chmod(0o640)
    (tmp_path / "real.json.new").write_text("somebody's")
    link.symlink_to(real)
    done = gate(new, "--baseline", link, "--update-baseline")
    words = "that it was rewritten is why the exit status is 0: the gate failed against what it said before"
    assert (done.returncode, done.stderr) == (0, f"pieprof-report: gate: {link}: now says what {new} does; {words}\n")
    assert sorted(path.name for path in tmp_path.glob("real.json*")) == ["real.json", "real.json.new"]
    assert (tmp_path / "real.json.new").read_text() == "somebody's"
    assert link.is_symlink() and real.stat().st_mode & 0o7777 == 0o640
    assert real.read_text() == export(new).read_text()
    real.chmod(0o440)
    before = real.read_text()
    done = gate(write(tmp_path, clean(), "other.db"), "--baseline", link, "--update-baseline")
    assert (done.returncode, done.stdout) == (2, "") and "is read-only; nothing was written" in done.stderr
    assert real.read_text() == before


@pytest.mark.parametrize("options", [(), ("--format", "json"), ("-o", "verdict.txt")])
def test_nothing_has_passed_where_the_baseline_cannot_be_written(tmp_path, options):
    done = gate(write(tmp_path, wasteful()), "--baseline", tmp_path / "none/baseline.json", "--update-baseline", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"pieprof-report: gate: --baseline {tmp_path}/none/baseline.json: No such file or directory\n"
