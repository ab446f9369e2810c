"""Figures of what is made again, on files whose counts are known: periods among constants, what stays beside what comes round, intervals."""
import pytest
from gating import ADDRESS, make_db
from replicas import FEATURES, MAIN, MASK, OTHER, Program, call_of, line_at


@pytest.mark.parametrize("constant, replicas, period", [(340, 57, 20), (0, 397, 3)])
def test_constants_come_round_too(tmp_path, constant, replicas, period):
    """Three contents of twenty, beside seventeen of one value; or three in all, each several times in a row of twenty."""
    program = Program()
    program.process.site(program.way(*FEATURES, samples=500), 65536, period=20, births=400, constant=constant, replicas=replicas)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["object"]["period"] == period and f"equal to the one {period} before" in finding["claim"]


@pytest.mark.parametrize("why, counters, told", [
    ("two contents drawn at random: a flip of one picture", dict(births=1200, replicas=1198, period_replicas=590), False),
    ("the rarer of two comes once in a hundred", dict(births=1200, replicas=1198, period_replicas=1174), False),
    ("half of the steps nothing passes a gate", dict(births=1500, constant=750, replicas=749, period_replicas=370), False),
    ("a step in ten nothing does", dict(births=300, constant=30, replicas=269, period_replicas=242), False),
    ("one new content in the middle", dict(births=1200, replicas=1198, period_replicas=1197), True),
    ("zeros at first", dict(births=300, constant=1, replicas=298), True),
])
def test_equal_to_the_one_before_is_no_word_for_contents_that_alternate(tmp_path, why, counters, told):
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 65536, period=1, **counters)
    assert [finding["kind"] for finding in program.report(tmp_path)["findings"]] == (["replica"] if told else []), why


@pytest.mark.parametrize("why, counters, told", [
    ("one new content in the middle", dict(births=1200, replicas=1198, period_replicas=1197), True),
    ("zeros at first", dict(births=300, constant=1, replicas=298), True),
    ("another among those passed over, which stays as well", dict(births=3000, examined=1088, replicas=1087, unlike=2), True),
    ("a beginning that was read otherwise is none", dict(births=1200, replicas=1199, unlike=1), False),
    ("each of those passed over is new", dict(births=2000, examined=1024, replicas=1023, unlike=6), False),
    ("others come round among those passed over", dict(births=3000, examined=1088, period=5, replicas=1083, unlike=2), False),
    ("one is new beside those that come round", dict(births=3000, period=5, replicas=2994), False),
])
def test_what_hardly_ever_changes_is_not_kept_for_good(tmp_path, why, counters, told):
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 65536, **{"period": 1, **counters})
    findings = program.report(tmp_path)["findings"]
    assert [finding["advice"] for finding in findings] == (["Build it where its inputs change, and keep it until then."] if told else []), why
    assert all("equal to the one before, from inputs that hardly ever change." in finding["claim"] for finding in findings)


@pytest.mark.parametrize("in_turn", [True, False])
def test_as_many_contents_as_rounds_come_one_after_the_other(tmp_path, in_turn):
    """Ten pictures drawn at random in ten epochs: within none of them is one equal to the one before."""
    program = Program()
    text_node = program.way(*MASK, samples=500)
    program.process.site(text_node, 65536, period=1, births=1000, replicas=990, period_replicas=990 if in_turn else 99,
                         new_first=1, new_last=901, new_step=100)
    assert [finding["kind"] for finding in program.report(tmp_path)["findings"]] == (["replica"] if in_turn else [])


@pytest.mark.parametrize("why, counters, told", [
    ("in each round another", dict(replicas=1045, new_step=25, new_last=2151), True),
    ("whenever it happens", dict(replicas=1045, new_step=1, new_last=2151), False),
    ("too few to have a rhythm", dict(replicas=1083, new_step=25, new_last=2151), False),
])
def test_rounds_of_which_many_are_passed_over(tmp_path, why, counters, told):
    """What a function of NumPy's makes in an inner loop, of 3,000 births those looked at: of the new contents not all are seen."""
    program = Program()
    program.process.site(call_of(program, "einsum", tmp_path, *MASK), 65536, period=1, births=3000, examined=1088, looked_at=1088, new_first=1, **counters)
    assert [finding["kind"] for finding in program.report(tmp_path)["findings"]] == (["replica"] if told else []), why


def test_none_of_what_comes_in_a_varying_order_is_the_one_to_build(tmp_path):
    """Three contents, made by a function of NumPy's in one loop: less than half of the equal ones lie one distance apart."""
    program = Program()
    program.process.site(call_of(program, "multiply", tmp_path, *MASK), 65536, period=5, births=100, replicas=97, period_replicas=40)
    program.way(*MASK, samples=500)
    (finding,) = program.report(tmp_path, "--min-waste", "0")["findings"]
    assert "in another order" in finding["claim"] and finding["advice"].startswith("Build them once")


ROUND = "to the one 5 before: the same 5 contents come round again; of 400 more 399 equal to an earlier one."
STAYS = "to the one before, from inputs that did not change."


@pytest.mark.parametrize("period, replicas, made, end", [(5, 395, 400, ROUND), (1, 399, 800, STAYS)])
def test_what_stays_and_what_comes_round_are_not_summed(tmp_path, period, replicas, made, end):
    """Two buffers of one size at one line. Built once for all passes, what comes round would be right in none: that is told."""
    program = Program()
    node = program.way(*MASK, samples=500)
    program.process.site(node, 65536, period=1, births=400, replicas=399)
    program.process.site(node, 65536, ordinal=1, period=period, births=400, replicas=replicas)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["object"]["made"], finding["object"]["period"]) == (made, period)
    assert finding["claim"].endswith(end)
    assert finding["waste_bytes"] == (399 + replicas) * 65536


@pytest.mark.parametrize("caller, sizes", [(16, 2), (17, 1)])
def test_what_is_of_one_value_joins_what_the_same_caller_has_made(tmp_path, caller, sizes):
    """`i[:, None]` beside the mask itself: another caller's may be of one value by chance."""
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 65536, period=5, births=400, replicas=395)
    above = program.way(MAIN, ("main", caller), *MASK[2:]) - 2
    offset = make_db.offset_of(program.codes["mask"], 5) - 50
    part = program.process.node(program.process.frame(above, program.numbers["mask"], offset), make_db.NATIVE, ADDRESS, samples=500)
    program.process.site(part, 2**20, births=400, constant=400, zero=400)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["object"]["sizes"], "other size" in finding["claim"]) == (sizes, sizes == 2)


@pytest.mark.parametrize("undecided", [0, 31])
def test_what_is_undecided_is_in_the_interval(tmp_path, undecided):
    """All were looked at, and of some it is not known whether they were new: anything from none to all."""
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 65536, period=16, births=640, skipped=undecided, replicas=498, undecided=undecided)
    report = program.report(tmp_path)
    for counts in (report["totals"]["replicas"], line_at(report, 5)["replicas"]):
        assert (counts["objects"], counts["examined"]) == (498, 640 - undecided)
        if undecided == 0:
            assert counts["estimate"] is None
        else:
            low, high = counts["estimate"]["ci95"]
            assert low == 498 and high >= 498 + undecided and 498 < counts["estimate"]["objects"] < 498 + undecided


def test_what_is_mostly_open_is_no_finding(tmp_path):
    """Eleven of forty are known, and look as if two contents came round."""
    program = Program()
    program.process.site(program.way(*FEATURES, samples=500), 65536, period=2, births=40, skipped=29, replicas=9, undecided=29)
    assert program.report(tmp_path)["findings"] == []


def test_what_is_open_is_in_a_findings_interval(tmp_path):
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 65536, period=1, births=400, skipped=20, replicas=379, undecided=20)
    (finding,) = program.report(tmp_path)["findings"]
    low, high = finding["ci95"]
    assert not finding["exact"] and 0.93 < low < 379 / 400 and high > 0.99
    assert "made 400 times, 380 of them known for sure, 379 times equal to the one before" in finding["claim"]


def test_a_period_that_one_object_tells_is_none(tmp_path):
    """Found at a distance that was hardly ever looked at: it says nothing of those that were not."""
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 4096, period=640, period_replicas=1, births=3000, skipped=2576, replicas=1)
    estimate = program.report(tmp_path)["totals"]["replicas"]["estimate"]
    assert estimate["objects"] < 20 and estimate["ci95"][1] < 100


def test_two_lines_that_each_make_what_the_other_made_are_not_sent_to_each_other(tmp_path):
    program = Program()
    first = program.process.site(program.way(*FEATURES, samples=200), 65536, births=450)
    second = program.process.site(program.way(*OTHER, samples=100), 65536, births=450)
    program.process.link(first, second, 450)
    program.process.link(second, first, 450)
    advice = {finding["advice"] for finding in program.report(tmp_path)["findings"]}
    assert advice == {"Each of the two makes again what the other had just made: compute it once for both."}


def test_one_object_alone_is_compared_with_nothing(tmp_path):
    """Whether a library's own structure, made once, is examined may be chance: the figures are the same in every run."""
    program = Program()
    node = program.way(*MASK, samples=500)
    program.process.site(node, 65536, births=400, replicas=399, period=1)
    for examined in (0, 1):
        program.process.site(node, 4096 + examined, births=1, examined=examined)
    linked = program.process.site(program.way(*OTHER, samples=5), 8192, births=1, examined=1)
    program.process.link(1, linked, 1)
    report = program.report(tmp_path)
    assert report["totals"]["replicas"]["examined"] == 401
    assert line_at(report, 5)["replicas"]["examined"] == 400


def test_the_part_of_a_call_is_named_in_the_package_that_makes_it(tmp_path):
    """And not where SciPy, which it calls, allocates."""
    program = Program()
    process = program.process
    packages = "/v/lib/python3.11/site-packages/"
    fit = process.code("Trees.fit", packages + "trees/fit.py", first_line=40)
    dense = process.code("toarray", packages + "scipy/sparse/_base.py", first_line=90)
    user = make_db.NODE.unpack(process.records["NODE"][program.way(*FEATURES, samples=10) - 1])[1]
    called = process.frame(user, fit, -1)
    inside = process.node(process.frame(called, dense, -1), make_db.NATIVE, ADDRESS, samples=200)
    outside = process.node(called, make_db.NATIVE, ADDRESS, samples=200)
    program.way(*OTHER, samples=2000)
    process.site(inside, 65536, period=1, births=260, replicas=259)
    process.site(outside, 4096, births=260)
    claims = " ".join(finding["claim"] for finding in program.report(tmp_path)["findings"])
    assert "times by Trees.fit at" in claims and "fit.py:40" in claims and "_base.py" not in claims


@pytest.mark.parametrize("library, told", [("solver/_als.so", False), ("numpy/_core/_multiarray_umath.so", True), ("numpy.libs/libopenblas.so", True)])
def test_what_compiled_code_does_besides_is_not_the_time_of_a_part(tmp_path, library, told):
    """A package's compiled solver works in place, and calls np.eye() on its way: the solver's time is not the matrix's. NumPy's is."""
    program, address = Program(), 0x7f2000000000
    process = program.process
    process.module(f"/v/lib/python3.11/site-packages/{library}", address, address + 0x100000)
    solver = process.node(program.way(*MASK[:-1]), make_db.NATIVE, address + 16, samples=490)
    eye = process.frame(solver, process.code("eye", "/v/lib/python3.11/site-packages/numpy/lib/twodim.py", first_line=9), -1)
    process.site(process.node(eye, make_db.NATIVE, ADDRESS, samples=10), 8192, period=1, births=300, replicas=299)
    program.way(*FEATURES, samples=500)
    found = program.report(tmp_path, "--min-waste", "0")["findings"]
    assert [round(finding["waste_s"], 2) for finding in found] == [1.99 if told else 0.04]


@pytest.mark.parametrize("made_by, linked, part", [
    ("both by one instruction", 0, 1),
    ("each by its own", 0, 1 / 3),
    ("each by its own, and the other is equal elsewhere", 300, 1),
])
def test_what_a_call_makes_anew_is_no_part_of_what_it_wastes(tmp_path, made_by, linked, part):
    """A layer's weights, made from a parametrization's parameters at each call of the network: the layer's own time is needed."""
    program = Program()
    network = program.way(*MASK) - 1
    def native(function, samples):
        code = program.process.code(function, "/v/lib/python3.11/site-packages/torch/nn/modules/module.py", first_line=7)
        return program.process.node(program.process.frame(network, code, -1), make_db.NATIVE, ADDRESS, samples=samples)
    again, layer = native("Norm.forward", 100), native("Norm.forward" if made_by == "both by one instruction" else "Linear.forward", 200)
    program.process.site(again, 65536, period=1, births=400, replicas=399)
    other = program.process.site(layer, 4096, births=400)
    if linked:
        program.process.link(program.process.site(program.way(*OTHER), 4096, births=400), other, linked)
    (finding,) = (finding for finding in program.report(tmp_path)["findings"] if finding["line"] == 5)
    line = line_at(program.report(tmp_path), 5)
    assert finding["advice"].startswith("Not all results of the call")
    assert finding["waste_s"] == pytest.approx(line["time_s"] * part * 399 / 400, rel=0.01)
