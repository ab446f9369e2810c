"""Several runs a side: what is counted must fail in each, what is sampled is added up, and times may decide."""
import random
import statistics

import pytest

from gating import PROGRAM, Program, clean, export, failing, gate, make_db, refused, verdict, wasteful

WHERE, FEATURES = 5, 11
USED = 16  # enum db_pair_flag: a store that was read


def write(tmp_path, programs, name):
    return [program.write(tmp_path / f"{name}{number}.db") for number, program in enumerate(programs)]


def judged(new, base, *arguments, status):
    return verdict(*new, "--baseline", *base, *arguments, status=status)


def test_what_fails_in_each_run_fails(tmp_path):
    new = write(tmp_path, [wasteful(260), wasteful(200), wasteful(520)], "new")
    base = write(tmp_path, [clean(), clean(100)], "base")
    data = judged(new, base, status=1)
    assert failing(data) == [("new", "replica", WHERE)] and (data["runs"], data["baselines"]) == (3, 2)
    assert data["items"][0]["why"].startswith("99.5 MiB in 199 objects"), "the least of the three"
    head = " ".join(gate(*new, "--baseline", *base).stdout.split("\n\n")[0].split())
    assert "and 2 more against" in head and "and 1 more: 1 new" in head


@pytest.mark.parametrize("odd", [0, 1, 2])
def test_what_fails_in_some_runs_only_is_told_and_passes(tmp_path, odd):
    programs = [wasteful(), wasteful(), wasteful()]
    programs[odd] = wasteful(replicas=130)
    data = judged(write(tmp_path, programs, "new"), write(tmp_path, [clean()], "base"), status=0)
    wanted = [] if odd == 0 else [("not in every run", WHERE)]
    assert [(item["verdict"], item["line"]) for item in data["items"] if item["verdict"] != "small"] == wanted
    assert all("Fails in 2 of 3 comparisons" in item["why"] for item in data["items"] if item["verdict"] == "not in every run")


def test_a_baseline_that_has_it_too_is_enough_to_pass(tmp_path):
    new = write(tmp_path, [wasteful(), wasteful()], "new")
    data = judged(new, write(tmp_path, [clean(), wasteful()], "base"), status=0)
    assert data["counts"]["not in every run"] == 1
    bases = [export(path) for path in write(tmp_path, [clean(), clean(200)], "old")]
    assert failing(judged(new, bases, status=1)) == [("new", "replica", WHERE)]


def test_the_smallest_rise_is_the_one_that_counts(tmp_path):
    """By half in one run, by a tenth in another: a tenth is allowed."""
    base = write(tmp_path, [wasteful(size=1 << 19)], "base")
    for sizes, status in (((3 << 18, 9 << 16), 0), ((3 << 18, 5 << 17), 0), ((3 << 18, 11 << 16), 1)):
        data = judged(write(tmp_path, [wasteful(size=size) for size in sizes], "new"), base, status=status)
        assert failing(data) == ([("increased", "replica", WHERE)] if status else [])
    assert "(+37 %)" in data["items"][0]["why"] or "(+38 %)" in data["items"][0]["why"]


def test_limits_hold_in_every_run(tmp_path):
    new = write(tmp_path, [wasteful(260), wasteful(100)], "new")
    assert failing(verdict(*new, "--max", "replicas=40MiB", status=1)) == [("limit", "replicas", 5)]
    assert verdict(*new, "--max", "replicas=100MiB", status=0)["counts"]["not in every run"] == 1


def stores(program, same, different, words="np.tanh(", function="features"):
    program.process.stores(program.node(function, words), same, different)
    node = program.node(function, words)
    program.process.pair(node, node, (2, 2), flags=make_db.SAME_VALUE, count=max(same, 1))
    return program


def test_sampled_shares_are_added_up(tmp_path):
    new = write(tmp_path, [stores(clean(), 8, 0) for _ in range(4)], "new")
    base = write(tmp_path, [stores(clean(), 0, 8) for _ in range(4)], "base")
    assert failing(judged(new[:1], base[:1], status=0)) == []
    assert failing(judged(new, base, status=1)) == [("share rose", "redundant_store", FEATURES)]


EDITED = PROGRAM.replace("    return x + mask(len(x))", "    buffer = np.empty(9)\n    buffer[:] = last = kept\n    return x + mask(len(x))")


def with_buffer(same, different, samples=100, flags=make_db.SAME_VALUE):
    program = clean(text=EDITED)
    program.process.stores(program.node("step", "buffer[:] = last = kept", samples=samples), same, different)
    node = program.node("step", "buffer[:] = last = kept")
    program.process.pair(node, node, (2, 2), flags=flags | USED, count=max(same, 1))
    return program


@pytest.mark.parametrize("same, different, samples, flags, status", [
    (40, 0, 100, make_db.SAME_VALUE, 1), (8, 0, 100, make_db.SAME_VALUE, 1), (5, 0, 100, make_db.SAME_VALUE, 0), (7, 2, 100, make_db.SAME_VALUE, 0), (20, 20, 100, make_db.SAME_VALUE, 0), (4, 0, 100, make_db.SAME_VALUE, 0),
    (40, 0, 0, make_db.SAME_VALUE, 0), (0, 40, 100, 0, 0)])
def test_a_new_line_whose_stores_are_needless_fails(tmp_path, same, different, samples, flags, status):
    """Nearly all of them, enough of them, and worth it; against an exported baseline too, whose text does not have it."""
    new, base = write(tmp_path, [with_buffer(same, different, samples, flags)], "new"), write(tmp_path, [clean()], "base")
    for baseline in (base, [export(base[0])]):
        data = judged(new, baseline, status=status)
        assert failing(data) == ([("share rose", "redundant_store", 9)] if status else [])
        assert not status or "The baseline has no such line." in data["items"][0]["why"]


def test_zeros_over_zeros_in_a_new_line_do_not_fail(tmp_path):
    program = clean(text=EDITED)
    node = program.node("step", "buffer[:] = last = kept", samples=100)
    program.process.pair(node, node, (2, 0), 3, 3, flags=make_db.SAME_VALUE | make_db.ZERO, count=40)
    program.process.pair(node, node, (2, 2), flags=make_db.SAME_VALUE | make_db.ZERO, count=40)
    assert failing(judged(write(tmp_path, [program], "new"), write(tmp_path, [clean()], "base"), status=0)) == []


def filled(text, samples, dead):
    program = clean(text=text)
    node = program.node("step", "    buffer = np.", samples=samples)
    if dead:
        program.process.stores(node, 0, dead)
        program.process.pair(node, program.node("step", "buffer[:] = last = kept"), (2, 2), count=dead)
    return program


@pytest.mark.parametrize("before, text, status", [(0, EDITED, 1), (90, EDITED, 0), (0, EDITED.replace("np.empty", "np.ones"), 0)])
def test_a_line_edited_in_place_that_stores_now_fails(tmp_path, before, text, status):
    """What stood there took nearly nothing; not so where it took as much, nor where the line is the same."""
    new = write(tmp_path, [filled(EDITED.replace("np.empty", "np.ones"), 100, 40)], "new")
    base = write(tmp_path, [filled(text, before, 0)], "base")
    assert failing(judged(new, base, status=status)) == ([("share rose", "dead_store", 8)] if status else [])
    assert failing(judged(new, [export(path) for path in base], status=0)) == []


@pytest.mark.parametrize("text, before, expected", [("np.empty", 0, True), ("np.empty", 90, False), ("np.ones", 0, True), ("np.ones", 90, False)])
def test_a_fill_that_the_text_shows_fails_where_there_was_none(tmp_path, text, before, expected):
    """Without a store that was followed. Not where the line took as much of the run before."""
    shown = EDITED.replace("last = kept", "kept")

    def run(name, call, samples):
        program = clean(text=shown.replace("np.empty", call))
        node = program.node("step", "    buffer = np.", samples=samples)
        if samples:
            program.process.site(node, 65536, births=100)
        return write(tmp_path, [program], name)
    data = judged(run("new", "np.ones", 100), run("base", text, before), status=int(expected))
    assert failing(data) == ([("new", "dead_store", 8)] if expected else [])


def test_runs_stand_before_their_baselines_or_behind_one(tmp_path):
    new, other = write(tmp_path, [wasteful(), wasteful()], "new")
    base, more = write(tmp_path, [clean(), clean()], "base")
    for arguments, runs, baselines in (((new, other, "--baseline", base, more), 2, 2), (("--baseline", base, new, other), 2, 1),
                                       ((new, "--baseline", base, "--baseline", more), 1, 2)):
        data = verdict(*arguments, status=1)
        assert (data["runs"], data["baselines"]) == (runs, baselines)
    assert "one argument too many" in refused(*[new] * 65, "--baseline", base)
    done = gate(new, "--baseline", *[base] * 65)
    assert done.returncode == 2 and "one argument too many" in done.stderr


def test_runs_of_different_code_are_refused(tmp_path):
    new = write(tmp_path, [clean(), clean(text=EDITED)], "new")
    base = write(tmp_path, [clean()], "base")
    assert "the runs are of different code: train.py is not the same in" in refused(*new, "--baseline", *base)
    assert "the baselines are of different code" in refused(*base, "--baseline", *new)


def test_runs_of_two_programs_are_refused_with_and_without_a_baseline(tmp_path):
    """What only one of them makes again would else be told to vary, and pass."""
    first, base = write(tmp_path, [wasteful(), clean()], "new")
    other = Program("import numpy as np\n\nprint(np.ones(3))\n", path="/nowhere/other.py", arguments=("python", "/nowhere/other.py"))
    (second,) = write(tmp_path, [other], "other")
    for new in ((first, second), (second, first)):
        words = refused(*new, "--max", "findings=0")
        assert "the runs are of two programs: script " in words and "script other.py in" in words and "name runs of one" in words
    assert "another program" in refused(first, second, "--baseline", base)
    assert "another program" in refused(first, "--baseline", base, second)


def test_a_baseline_is_updated_from_one_run(tmp_path):
    new = write(tmp_path, [clean(), clean()], "new")
    assert "name one of each" in refused(*new, "--baseline", tmp_path / "baseline.json", "--update-baseline")


def timed(features, step, text=PROGRAM):
    """A run whose lines took so many samples of 4 ms."""
    program = Program(text, seconds=1000.0)
    program.site("features", "np.tanh(", 65536, samples=features, births=260)
    program.node("step", "x + mask", samples=step)
    return program


def times(tmp_path, new, base, *arguments, status):
    return judged(write(tmp_path, [timed(*pair) for pair in new], "new"), write(tmp_path, [timed(*pair) for pair in base], "base"), *arguments, status=status)


BASE = [(9900, 10100), (10000, 10000), (10100, 9900)]


def test_a_line_that_is_slower_fails_where_times_are_asked_for(tmp_path):
    slower = [(11900, 10100), (12000, 10000), (12100, 9900)]
    assert failing(times(tmp_path, slower, BASE, status=0)) == []
    data = times(tmp_path, slower, BASE, "--time", "15%", status=1)
    assert failing(data) == [("slower", "time", FEATURES)] and data["times_compared"] == 3
    assert "48.0 s of CPU time in the mean of 3 runs, 40.0 s in 3 of the baseline (+20 %); allowed is 15 % more." in data["items"][0]["why"]
    assert failing(times(tmp_path, slower, BASE, "--time", "21%", status=0)) == []
    assert failing(times(tmp_path, BASE, slower, "--time", "15%", status=0)) == [], "quicker is no failure"


def test_the_run_as_a_whole_is_compared_too(tmp_path):
    """A new line is in no baseline: what it takes shows there."""
    text = PROGRAM.replace("    return x + mask(len(x))", "    slow(x)\n    return x + mask(len(x))")
    programs = []
    for pair in BASE:
        program = timed(*pair, text=text)
        program.node("step", "slow(x)", samples=6000)
        programs.append(program)
    base = write(tmp_path, [timed(*pair) for pair in BASE], "base")
    data = judged(write(tmp_path, programs, "new"), base, "--time", "10%", status=1)
    assert failing(data) == [("slower", "time", None)] and "The run takes" in data["items"][0]["why"]
    text = " ".join(gate(*[tmp_path / f"new{i}.db" for i in range(3)], "--baseline", *base, "--time", "10%").stdout.split())
    assert "slower" in text and "The run takes" in text


def test_what_would_be_told_is_welchs_test(tmp_path):
    """By SciPy's distribution: the least mean of the new runs that is above (1 + P) times the baseline's, at 5 % over 3 comparisons."""
    student = pytest.importorskip("scipy.stats").t
    new, base = [(10000, 10000), (10600, 10300), (9800, 9700), (10100, 9900)], [(9900, 10000), (10100, 10150), (10000, 9800)]
    (note,) = times(tmp_path, new, base, "--time", "20%", status=0)["notes"]
    now, was = [sum(pair) * 0.004 for pair in new], [sum(pair) * 0.004 for pair in base]
    parts = [statistics.variance(now) / len(now), 1.2**2 * statistics.variance(was) / len(was)]
    freedom = sum(parts)**2 / (parts[0]**2 / (len(now) - 1) + parts[1]**2 / (len(was) - 1))
    least = 1.2 * statistics.mean(was) + student.isf(0.05 / 3, freedom) * sum(parts)**0.5
    assert note == f"--time: 3 times compared; of the run, a rise by {100 * (least / statistics.mean(was) - 1):.1f} % and more would be told"


def test_runs_of_the_same_code_hardly_ever_seem_slower(tmp_path):
    """Of a hundred pairs of sides that vary by a twentieth from run to run, no more than the level promises: 5 in 100, by chance 11."""
    chance = random.Random(6)
    failed = 0
    for _ in range(100):
        sides = [[tuple(round(3000 * pace * chance.gauss(1, 0.02)) for _ in range(2)) for pace in [chance.gauss(1, 0.05) for _ in range(5)]] for _ in range(2)]
        programs = [write(tmp_path, [timed(*pair) for pair in side], name) for side, name in zip(sides, ("new", "base"))]
        done = gate(*programs[0], "--baseline", *programs[1], "--time", "30%")
        assert done.returncode in (0, 1), done.stderr
        failed += done.returncode
    assert failed <= 11


@pytest.mark.parametrize("count, words", [(1, "there is 1 on the new side"), (2, "there are 2 on the new side")])
def test_too_few_runs_are_refused(tmp_path, count, words):
    new, base = write(tmp_path, [timed(*pair) for pair in BASE[:count]], "new"), write(tmp_path, [timed(*pair) for pair in BASE], "base")
    assert words in refused(*new, "--baseline", *base, "--time", "10%")
    assert "on the baseline's" in refused(*base, "--baseline", *new, "--time", "10%")


def test_a_run_that_is_named_twice_is_one(tmp_path):
    base = write(tmp_path, [timed(*pair) for pair in BASE], "base")
    assert "base0.db is named twice on the new side" in refused(base[0], base[0], base[1], "--baseline", *base, "--time", "10%")


def test_times_of_runs_of_other_length_are_told_not_to_compare(tmp_path):
    def half(pair):
        program = timed(*pair)
        program.site("features", "np.tanh(", 32768, births=200)
        return program
    base = write(tmp_path, [timed(*pair) for pair in BASE], "base")
    longer = write(tmp_path, [half(pair) for pair in BASE], "longer")
    for sides, words in (((longer, base), "makes 460 objects in the mean, 260 in the baseline"), ((base, longer), "makes 260 objects in the mean, 460")):
        (note,) = [note for note in judged(*sides, "--time", "15%", status=0)["notes"] if "length of the runs" in note]
        assert words in note
    assert not [note for note in judged(base, base, "--time", "15%", status=0)["notes"] if "length" in note]


def test_runs_that_vary_too_much_are_refused(tmp_path):
    wild = [(6000, 6000), (10000, 10000), (16000, 15000)]
    new, base = write(tmp_path, [timed(*pair) for pair in wild], "new"), write(tmp_path, [timed(*pair) for pair in BASE], "base")
    assert "these runs differ so much among themselves" in refused(*new, "--baseline", *base, "--time", "10%")


def test_what_runs_that_vary_show_all_the_same_fails(tmp_path):
    """The run's times hide a rise by 10 %, not the one of a line by half; nor do they hide what is counted."""
    wild = [(15000, 2000), (15100, 9000), (14900, 15000)]
    base = write(tmp_path, [timed(*pair) for pair in BASE], "base")
    new = write(tmp_path, [timed(*pair) for pair in wild], "new")
    assert failing(judged(new, base, "--time", "10%", status=1)) == [("slower", "time", FEATURES)]
    quiet = write(tmp_path, [timed(10000, step) for step in (2000, 9000, 15000)], "quiet")
    assert "these runs differ so much" in refused(*quiet, "--baseline", *base, "--time", "10%")
    programs = [timed(10000, step) for step in (2000, 9000, 15000)]
    for program in programs:
        program.site("mask", "np.where(", 524288, births=260, replicas=259, period=1)
    counted = write(tmp_path, programs, "counted")
    assert failing(judged(counted, base, "--time", "10%", status=1)) == [("new", "replica", WHERE)]


def test_times_need_runs(tmp_path):
    base = write(tmp_path, [timed(*pair) for pair in BASE], "base")
    assert "is an exported baseline, which holds no times" in refused(*base, "--baseline", *[export(path) for path in base], "--time", "10%")
    assert "--time needs --baseline" in refused(*base, "--max", "findings=0", "--time", "10%")
    blind = write(tmp_path, [clean(engines=("replica",)) for _ in range(3)], "blind")
    assert "has no times" in refused(*blind, "--baseline", *blind, "--time", "10%")
    for wrong in ("10", "0%", "-3%", "x"):
        assert "--time" in refused(*base, "--baseline", *base, "--time", wrong)
