"""What the report says of contents that come again after long, or in another order: each claim, and each trap."""
import pytest
from replicas import FEATURES, MAIN, OTHER, Program, below_torch, call_of, findings, line_at, make_db

BIG = 2**17


def test_a_long_epoch_is_named(tmp_path):
    program = Program()
    program.process.far_site(program.way(*FEATURES, samples=500), BIG, 4000, 60, 8, period=500)
    data = program.report(tmp_path)
    (finding,) = data["findings"]
    assert (finding["line"], finding["kind"], finding["category"]) == (11, "replica", "recomputed input")
    assert finding["object"] == {"size_bytes": BIG, "sizes": 1, "made": 4000, "examined": 480, "equal": 420, "period": 500}
    assert not finding["exact"] and finding["ci95"][0] < 7 / 8 < finding["ci95"][1]
    assert "420 times equal to the one 500 before: the same 500 contents come round again" in finding["claim"]
    assert "train.py:14" in finding["advice"], "the epochs' loop, not the batches'"
    assert finding["waste_s"] == pytest.approx(2.0 * 7 / 8)
    assert (line_at(data, 11)["replicas"]["far_objects"], line_at(data, 11)["replicas"]["far_examined"]) == (420, 480)


def test_another_order_is_said(tmp_path):
    program = Program()
    program.process.far_site(program.way(*FEATURES, samples=500), BIG, 4000, 60, 8, period=179, far_period_replicas=3)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["category"], finding["object"]["period"]) == ("recomputed input", None)
    assert "the same contents come again, in another order" in finding["claim"]
    assert finding["advice"].endswith("and keep them, each by what it is made from: they come in another order.")
    assert "another order" in " ".join(program.text(tmp_path).split())


def test_rounds_of_unlike_length_by_turns_are_said(tmp_path):
    """The 10 batches of one set, seven times, then the 8 of another, and so on: counted from the 17th birth on."""
    program = Program()
    counters = {"far_births": 488, "far_squares": 13244, "far_spans": 7628, "far_examined": 488}
    program.process.far_site(program.way(*FEATURES, samples=500), BIG, 504, 18, 27, period=10, far_period_replicas=224, **counters)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["line"], finding["category"], finding["object"]["period"]) == (11, "recomputed input", None)
    assert "470 times equal to an earlier one: the same contents come again, after more or fewer others" in finding["claim"]
    assert finding["advice"].endswith("and keep them, each by what it is made from.")


def test_workspaces_between_results_make_no_longer_period(tmp_path):
    program = Program()
    program.process.far_site(program.way(*FEATURES, samples=500), BIG, 8000, 60, 8, period=1000, workspaces=50)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["object"]["period"], finding["object"]["made"]) == (500, 4000)


def test_what_one_execution_makes_again_in_the_same_order_is_hoisted(tmp_path):
    program = Program()
    inner = next((name for name in program.codes if name.endswith("<listcomp>")), None)
    steps = (MAIN, ("main", 17), *([(inner, 17)] if inner else []))
    program.process.far_site(program.way(*steps, samples=500), BIG, 4000, 60, 8, period=500)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["line"], finding["category"]) == (17, "loop-invariant computation")


@pytest.mark.parametrize("why, contents, rounds, counters", [
    ("few contents agree by chance", 7, 40, {}),
    ("twice is not often enough", 60, 2, {}),
    ("the plateau: one after the other, none spans the run", 60, 8, {"far_spans": 60 * 7 * 8}),
    ("a settled plateau: the last content stays", 15, 30, {"far_squares": 14 * 4 + 422**2, "far_spans": 14 + 3600}),
    ("drawn at random: some come more often than others", 60, 8, {"far_squares": 60 * (64 + 8)}),
    ("drawn at random from few, often", 18, 200, {"far_squares": 18 * (200**2 + 100)}),
    ("copies equal their source by design", 60, 8, {"copies": 90}),
    ("the beginning of the run alone", 60, 8, {"far_births": 1900, "far_spans": 60 * 1650}),
])
def test_what_is_no_result_of_long_ago(tmp_path, why, contents, rounds, counters):
    program = Program()
    program.process.far_site(program.way(*FEATURES, samples=500), BIG, 4000, contents, rounds, **counters)
    assert findings(program.report(tmp_path, "--min-waste", "0")) == [], why


def test_what_the_near_history_goes_on_with_is_of_the_whole_run(tmp_path):
    """Twenty contents in another order each time: the far history leaves them when the near one has them all."""
    program = Program()
    program.process.far_site(program.way(*FEATURES, samples=500), BIG, 4000, 20, 12, bits=0, far_births=240, far_spans=20 * 220,
                             looked_at=1000, replicas=980, period_replicas=60, far_period=17, far_period_replicas=13)
    program.process.records["SITE"][-1] = with_period(program.process.records["SITE"][-1], 18)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["category"], finding["object"]["period"]) == ("recomputed input", None)


@pytest.mark.parametrize("replicas, last, told", [(988, 12, True), (976, 24, False), (976, 2900, True)])
def test_what_came_to_rest_gave_others_before(tmp_path, replicas, last, told):
    """A network that does not learn any more: the batches of its first epoch gave other results, which the far history has not seen."""
    program = Program()
    program.process.far_site(program.way(*FEATURES, samples=500), BIG, 4000, 12, 20, bits=0, far_births=240, far_spans=12 * 228, looked_at=1000,
                             replicas=replicas, period_replicas=replicas, far_period=12, far_period_replicas=228, new_first=1, new_last=last, new_step=1)
    program.process.records["SITE"][-1] = with_period(program.process.records["SITE"][-1], 12)
    assert [kind for kind, _ in findings(program.report(tmp_path))] == (["replica"] if told else [])


@pytest.mark.parametrize("replicas, told", [(26, True), (360, False)])
def test_the_near_history_that_saw_little_of_the_round_tells_no_rest(tmp_path, replicas, told):
    """Images in order, 200 of them: looked at until the far history took over, few were equal to one of the last."""
    program = Program()
    program.process.far_site(program.way(*FEATURES, samples=500), 24576, 6000, 39, 30, period=200, looked_at=718, replicas=replicas,
                             period_replicas=replicas, new_first=1, new_last=2175)
    program.process.records["SITE"][-1] = with_period(program.process.records["SITE"][-1], 200)
    assert [kind for kind, _ in findings(program.report(tmp_path))] == (["replica"] if told else [])


@pytest.mark.parametrize("size, category", [(BIG, "recomputed input"), (BIG + 4096, "loop-invariant computation")])
def test_the_first_results_of_a_call_are_nothing_else_beside_it(tmp_path, size, category):
    """Eight of eight rounds, by another instruction before CPython specialised it: of the same size they are the same call's."""
    program = Program()
    methods = {"file": "numpy/_core/_methods.py"}
    program.process.far_site(below_torch(program, 11, "_mean", **methods), BIG, 4000, 60, 8, period=500)
    program.process.site(below_torch(program, 11, "_mean", **methods), size, births=8)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["category"] == category


@pytest.mark.parametrize("function, expected", [("stack", []), ("multiply", [None])])
def test_few_contents_in_another_order_have_no_period(tmp_path, function, expected):
    """All within reach of the near history, whose commonest distance is that of few."""
    program = Program()
    node = call_of(program, function, tmp_path, *FEATURES)
    program.process.site(node, 8192, births=1000, replicas=980, period=20, period_replicas=60)
    found = program.report(tmp_path)["findings"]
    assert [finding["object"]["period"] for finding in found] == expected
    assert all("in another order" in finding["advice"] for finding in found)


def with_period(record, period):
    values = list(make_db.SITE.unpack(record))
    values[5] = period
    return make_db.SITE.pack(*values)


@pytest.mark.parametrize("function, expected", [("stack", []), ("index_select", []), ("array_fromfile", []), ("multiply", [("replica", 11)])])
def test_data_gathered_or_read_again_is_ordinary(tmp_path, function, expected):
    program = Program()
    program.process.far_site(call_of(program, function, tmp_path, *FEATURES), BIG, 4000, 60, 8, period=500)
    assert findings(program.report(tmp_path)) == expected


def test_smaller_results_of_the_call_do_not_speak_against_it(tmp_path):
    """Whether they come again after so long nobody knows; as large ones, that differ, do."""
    for size, expected in ((8192, [("replica", 11)]), (BIG, [])):
        program = Program()
        node = program.way(*FEATURES, samples=500)
        program.process.far_site(node, BIG, 4000, 60, 8, period=500)
        program.process.site(node, size, ordinal=1, births=4000, skipped=3000)
        assert findings(program.report(tmp_path)) == expected


@pytest.mark.parametrize("looked_at", [100, 4000])
def test_the_estimate_of_all_replicas_counts_them(tmp_path, looked_at):
    """Also where each object was compared with the nearest before it."""
    program = Program()
    program.process.far_site(program.way(*OTHER, samples=500), BIG, 4000, 60, 8, period=500, looked_at=looked_at)
    replicas = program.report(tmp_path)["totals"]["replicas"]
    low, high = replicas["estimate"]["ci95"]
    assert replicas["objects"] == 0 and replicas["estimate"]["objects"] == 3500
    assert 3300 < low < 3500 < high < 3700
    assert program.text(tmp_path).count(f"3,500 ({low:,}-{high:,}) of all equal to an earlier one") == 2, "of the run, and of the line"
