"""What the report says of objects, on files that tests/tools/make_db.py writes: each claim, and each trap of its rule."""
import json
import subprocess

import gating
import jsonschema
import pytest
import whole
from replicas import FEATURES, MAIN, MASK, OTHER, PROGRAM, SCHEMA, Program, below_torch, call_of, findings, line_at, make_db


@pytest.fixture
def program():
    """A mask made 260 times, in a run of 5 s of which its line took 2."""
    made = Program()
    made.process.site(made.way(*MASK, samples=500), 524288, period=1, births=260, replicas=259)
    made.way(*FEATURES, samples=750)
    return made


def test_totals_and_lines_are_exact_integers(program, tmp_path):
    program.process.site(program.way(*FEATURES), 4096, births=20, workspaces=5, constant=4, zero=3, copies=2,
                         skipped=1, live_at_end=2)
    data = program.report(tmp_path)
    for replicas in (data["totals"]["replicas"], *(line["replicas"] for line in data["lines"])):
        assert all(type(value) is int for key, value in replicas.items() if key not in ("estimate", "of_objects_ci95"))
        assert replicas["of_objects_ci95"] is None or replicas["of_objects_ci95"][0] <= replicas["of_objects"] <= replicas["of_objects_ci95"][1]
    totals, mask, features = data["totals"]["replicas"], line_at(data, 5)["replicas"], line_at(data, 11)["replicas"]
    assert (mask["objects"], mask["bytes"], mask["of_objects"], mask["examined"]) == (259, 259 * 524288, 260, 260)
    assert mask["estimate"] is None
    assert (features["of_objects"], features["examined"], features["constant"], features["zero"]) == (15, 14, 4, 3)
    assert (features["copies"], features["workspaces"], features["workspace_bytes"]) == (2, 5, 5 * 4096)
    assert totals == {key: (mask[key] + features[key] if key not in ("estimate", "of_objects_ci95") else totals[key]) for key in mask}


def test_an_invariant_is_a_finding_with_its_time(program, tmp_path):
    data = program.report(tmp_path)
    (finding,) = data["findings"]
    assert (finding["kind"], finding["category"]) == ("replica", "loop-invariant computation")
    assert (finding["file"], finding["line"], finding["function"]) == ("/nowhere/train.py", 5, "mask")
    assert finding["waste_s"] == pytest.approx(2.0 * 259 / 260)
    assert finding["waste_bytes"] == 259 * 524288
    assert (finding["fraction"], finding["ci95"], finding["exact"]) == (259 / 260, None, True)
    assert finding["object"] == {"size_bytes": 524288, "sizes": 1, "made": 260, "examined": 260, "equal": 259, "period": 1}
    assert finding["second"] == finding["first"] and finding["second"]["line"] == 5
    assert line_at(data, 5)["waste_s"] == finding["waste_s"] and data["lines"][0]["line"] == 5
    text = PROGRAM.splitlines()[4]
    assert "np.where(i[:, None] >= i[None, :], 0.0, -1e9)" in text[slice(*finding["columns"])]


def test_the_page_says_what_to_do(program, tmp_path):
    text = program.text(tmp_path)
    flowing = " ".join(text.split())
    assert "computed again 1.99 s (40 %)" in flowing
    assert "1 train.py:5 mask 1.99 s (40 %) loop-invariant computation, exact" in flowing
    assert "512 KiB made 260 times, 259 times equal to the one before, from inputs that did not change." in flowing
    assert "Build it once, outside the loop at train.py:14." in flowing
    assert "train.py:16 main > train.py:8 step > train.py:5 mask" in flowing
    assert "next train.py:5 first: Build it once" in flowing
    assert "finding 1 above" in text
    for width in (40, 60, 80, 120):
        assert max(len(row) for row in program.text(tmp_path, "--width", str(width)).splitlines()) <= width


def test_batches_of_every_epoch_have_their_period(tmp_path):
    program = Program()
    program.process.site(program.way(*FEATURES, samples=500), 65536, period=14, births=280, replicas=266)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["category"], finding["object"]["period"]) == ("recomputed input", 14)
    assert "266 times equal to the one 14 before" in finding["claim"]
    assert "train.py:14" in finding["advice"], "the epochs' loop, not the batches'"


def test_workspaces_between_results_make_no_period(tmp_path):
    program = Program()
    program.process.site(program.way(*FEATURES, samples=500), 65536, period=2, births=200, workspaces=100, replicas=99)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["category"], finding["object"]["period"]) == ("loop-invariant computation", 1)


def test_a_comprehension_is_no_epoch(tmp_path):
    program = Program()
    inner = next((name for name in program.codes if name.endswith("<listcomp>")), None)
    way = (MAIN, ("main", 17), *([(inner, 17)] if inner else []))
    program.process.site(program.way(*way, samples=500), 65536, period=4, births=400, replicas=396)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["category"] == "loop-invariant computation"
    assert (finding["line"], finding["function"]) == (17, "main")


OTHER_SIZES = 8  # DB_UNLIKE_SIZES


@pytest.mark.parametrize("why, others, expected", [
    ("the batches of an epoch", [], "recomputed input"),
    ("so with a smaller last batch", [("_conv_forward", 2048, 20, 1)], "recomputed input"),
    ("so with structures of the library's own", [("cache", 2048, 20, 0)], "recomputed input"),
    ("so with structures that are looked at: their instruction makes other sizes between", [("cache", 3592, 20, 0, OTHER_SIZES)], "recomputed input"),
    ("a library's loop: what stands outside of it is made once for all of a period", [("embedding", 1024, 20, 1)], "loop-invariant computation"),
])
def test_what_a_library_makes_comes_round_with_the_users_loops(tmp_path, why, others, expected):
    program = Program()
    inside = below_torch(program, 11, "_call_impl", "_conv_forward")
    program.process.site(inside, 65536, period=14, births=280, replicas=266)
    for function, size, births, period, *unlike in others:
        node = inside if function == "_conv_forward" else below_torch(program, 11, "_call_impl", function)
        compared = {"period": period, "replicas": births - 1} if period > 0 else {"examined": 1, "unlike": unlike[0]} if unlike else {"examined": 0}
        program.process.site(node, size, births=births, **compared)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["category"] == expected, why
    assert "train.py:14" in finding["advice"] if expected == "recomputed input" else "train.py:15" in finding["advice"]


def test_sizes_that_settle_are_a_plateau(tmp_path):
    """The members of clusters in the passes of several starts: of sizes of their own, until all arrive at the same."""
    program = Program()
    way = program.way(*FEATURES, samples=500)
    for size in range(100):
        program.process.site(way, 5000 + 16 * size, births=1)
    program.process.site(way, 6000, period=1, births=20, replicas=19)
    assert findings(program.report(tmp_path, "--min-waste", "0")) == []


def test_the_same_call_elsewhere_is_the_second_lines_finding(tmp_path):
    program = Program()
    first = program.process.site(program.way(*FEATURES, samples=200), 65536, births=450)
    second = program.process.site(program.way(*OTHER, samples=100), 65536, births=450)
    program.process.link(first, second, 450)
    data = program.report(tmp_path)
    (finding,) = data["findings"]
    assert finding["category"] == "repeated native call with the same arguments"
    assert (finding["first"]["line"], finding["second"]["line"], finding["line"]) == (11, 8, 8)
    assert finding["waste_s"] == pytest.approx(0.4)
    assert "train.py:11" in finding["claim"] and "train.py:11" in finding["advice"]
    assert data["totals"]["replicas"]["elsewhere"] == 450 and data["totals"]["replicas"]["objects"] == 0
    assert "first: " in program.text(tmp_path) and "again: " in program.text(tmp_path)


@pytest.mark.parametrize("library, found", [("libopenblas.so.0", 0), ("libscipy_openblas64_-ff651d7f.so", 0), ("libtorch_cpu.so", 1)])
def test_work_buffers_of_openblas_are_no_results(tmp_path, library, found):
    program = Program()
    program.process.module(f"/usr/lib/{library}", 0x7e0000000000, 0x7e0000100000)
    node = program.process.node(program.way(*MASK, samples=100) - 1, make_db.NATIVE, 0x7e0000000801)
    program.process.site(node, 2**27, period=1, births=50, replicas=49)
    assert len(findings(program.report(tmp_path, "--min-waste", "0"))) == found


def test_a_copy_by_name_is_no_repeated_call(tmp_path):
    program = Program()
    first = program.process.site(program.way(*FEATURES, samples=200), 65536, births=450)
    second = program.process.site(call_of(program, "array_copy", tmp_path, *OTHER), 65536, births=450)
    program.process.link(first, second, 450)
    data = program.report(tmp_path)
    assert findings(data) == [] and line_at(data, 8)["replicas"]["elsewhere"] == 450


@pytest.mark.parametrize("function, period, expected", [("stack", 14, []), ("stack", 1, [("replica", 11)]),
                                                        ("multiply", 14, [("replica", 11)])])
def test_batches_gathered_anew_each_epoch_are_ordinary(tmp_path, function, period, expected):
    program = Program()
    program.process.site(call_of(program, function, tmp_path, *FEATURES), 65536, period=period, births=280, replicas=280 - period)
    assert findings(program.report(tmp_path)) == expected


@pytest.mark.parametrize("why, counters", [
    ("the plateau: equal for a while", dict(births=443, replicas=429, period=1)),
    ("constant contents are a class of their own", dict(births=260, constant=260)),
    ("workspaces are no results", dict(births=260, workspaces=260)),
    ("nothing was stored into them", dict(births=260, unfilled=260, replicas=259, period=1)),
    ("copies equal their source by design", dict(births=260, copies=260)),
    ("a few alike", dict(births=4, replicas=3, period=1)),
    ("a few alike among constants", dict(births=600, constant=593, replicas=6, period=1)),
    ("all differ", dict(births=260)),
])
def test_what_is_no_result_made_again(tmp_path, why, counters):
    program = Program()
    period = counters.pop("period", 0)
    program.process.site(program.way(*MASK), 4096, period=period, **counters)
    program.way(*MASK[:3], samples=500)
    assert findings(program.report(tmp_path, "--min-waste", "0")) == [], why


def test_what_is_made_again_among_constants(tmp_path):
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 4096, period=1, births=600, constant=500, replicas=99)
    assert [kind for kind, _ in findings(program.report(tmp_path, "--min-waste", "0"))] == ["replica"]


SQUASHING = """import numpy as np

def step(x):
    y = np.tanh(x)
    return y

for number in range(260):
    step(np.ones(1024))
"""


@pytest.mark.parametrize("library, found", [
    ("/usr/lib/python3/dist-packages/numpy/core/_multiarray_umath.so", True),
    ("/home/me/.venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so", True),
    ("/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13", True),
    ("/lib/x86_64-linux-gnu/libc10.so.1.13", True),
    ("/lib/x86_64-linux-gnu/libmine.so", False),
])
def test_calls_of_the_foundations_fill_what_they_make(tmp_path, library, found):
    """An equal result was freed where each new one came: no content changed, but the call is one that stores it."""
    program = Program(text=SQUASHING, library=library)
    program.process.site(program.way(("<module>", 8), ("step", 4), samples=500), 8192, period=1, births=260, unfilled=260, replicas=259)
    assert findings(program.report(tmp_path)) == ([("replica", 4)] if found else [])


@pytest.mark.parametrize("counters, links, results, examined", [
    (dict(births=260, unfilled=260), 0, 0, 0),
    (dict(births=260, unfilled=260, replicas=259, period=1), 0, 260, 260),
    (dict(births=260, unfilled=260), 200, 260, 260),
    (dict(births=260), 0, 260, 260),
    (dict(births=260, workspaces=259), 0, 1, 0),
    (dict(births=260, workspaces=259), 1, 1, 1),
    (dict(births=260, workspaces=258), 0, 2, 2),
], ids=["leftovers, all new", "equal ones", "made elsewhere before", "filled", "one beside workspaces", "one made elsewhere before",
        "two beside workspaces"])
def test_what_is_left_as_it_was_differs_from_run_to_run_and_is_nothing_examined(tmp_path, counters, links, results, examined):
    """A call may fill one of the buffers that it makes and leave another to what lay there; one content is compared with nothing."""
    program = Program(text=SQUASHING, library="/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13")
    there = program.process.site(program.way(("<module>", 8)), 8192, births=300)
    site = program.process.site(program.way(("<module>", 8), ("step", 4), samples=500), 8192, **counters)
    if links:
        program.process.link(there, site, links)
    replicas = line_at(program.report(tmp_path), 4)["replicas"]
    assert (replicas["of_objects"], replicas["examined"]) == (results, examined)


def test_a_single_object_beside_workspaces_is_told_as_a_structure_is(tmp_path):
    """Whether a library's own structure is examined is a matter of chance: no figure may show which."""
    told = []
    for examined in (0, 1):
        program = Program(text=SQUASHING)
        program.process.site(program.way(("<module>", 8)), 8192, births=300, replicas=100, skipped=100)
        program.process.site(program.way(("<module>", 8), ("step", 4), samples=500), 8192, births=604, workspaces=81, skipped=522, examined=examined)
        told.append(program.report(tmp_path)["totals"]["replicas"])
    assert told[0] == told[1] and told[0]["estimate"] is not None


def test_what_comes_again_after_long_is_examined_though_none_was_seen_to_be_filled(tmp_path):
    """An array that is nearly equal was freed where each comes."""
    program = Program(text=SQUASHING, library="/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13")
    program.process.far_site(program.way(("<module>", 8), ("step", 4), samples=500), 24000, 2100, 42, 3, unfilled=100)
    replicas = line_at(program.report(tmp_path), 4)["replicas"]
    assert (replicas["of_objects"], replicas["examined"], replicas["far_examined"]) == (2100, 100, 126)


def test_one_results_parts_inside_a_library_are_not_the_users(tmp_path):
    """The instruction's other object differs each time: only a part of what the library does repeats."""
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 4096, period=1, births=260, replicas=259)
    program.process.site(program.way(*MASK), 4096, births=260)
    assert findings(program.report(tmp_path)) == []


def test_sites_of_a_line_are_one_finding(tmp_path):
    program = Program()
    ways = [program.way(*MASK, samples=100), program.way(MAIN, ("main", 17), ("mask", 5), samples=100)]
    for size, births in ((8192, 300), (4096, 500)):
        for way in ways:
            program.process.site(way, size, period=1, births=births, replicas=births - 1)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["object"] == {"size_bytes": 8192, "sizes": 2, "made": 600, "examined": 600, "equal": 598, "period": 1}
    assert finding["waste_bytes"] == 598 * 8192 + 998 * 4096
    assert finding["waste_s"] == pytest.approx(0.8 * 1596 / 1600)


def test_sizes_that_vary_by_batch_are_one_line(tmp_path):
    program = Program()
    way = program.way(*MASK, samples=100)
    for length in range(1, 40):
        births = 1 + length % 3
        program.process.site(way, 4096 * length, period=int(births > 1), births=births, replicas=births - 1)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["object"]["sizes"] == 26 and finding["category"] == "loop-invariant computation"


def test_a_count_from_a_part_carries_an_interval(tmp_path):
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 4096, period=1, births=1000, skipped=800, replicas=199)
    data = program.report(tmp_path)
    (finding,) = data["findings"]
    assert not finding["exact"] and finding["ci95"][0] < 0.995 < finding["ci95"][1] <= 1
    estimate = data["totals"]["replicas"]["estimate"]
    assert estimate["objects"] == 999 and estimate["ci95"][0] < 999 < estimate["ci95"][1] <= 1000


def test_results_among_workspaces_are_told_as_a_part_says(tmp_path):
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 4096, period=1, births=1000, skipped=800, workspaces=100, replicas=99)
    data = program.report(tmp_path)
    replicas = line_at(data, 5)["replicas"]
    low, high = replicas["of_objects_ci95"]
    assert replicas["of_objects"] == replicas["workspaces"] == 500 and 400 < low < 500 < high < 600
    assert replicas["estimate"]["objects"] <= 500 and replicas["estimate"]["ci95"][1] <= high
    text = program.text(tmp_path)
    assert f"objects about 500 made ({low}-{high})" in text and "500 or so workspaces" in text
    assert "made about 500 times" in text


def test_constant_content_only_where_it_costs(tmp_path):
    for samples, expected in ((500, [("constant", 5)]), (5, []), (0, [])):  # 5 of 505: 1 %, but perhaps by chance
        program = Program()
        program.process.site(program.way(*MASK, samples=samples), 4096, births=260, constant=260, zero=260)
        program.way(*FEATURES, samples=500)
        assert findings(program.report(tmp_path, "--min-waste", "0")) == expected


@pytest.mark.parametrize("why, facts, expected", [
    ("one value, each in the place of the one before", dict(alike=50), [("constant", 5)]),
    ("another value at times", dict(alike=49), []),
    ("alive together", dict(alike=50, most_alive=50), []),
])
def test_one_buffer_would_do_for_one_value_at_a_time(tmp_path, why, facts, expected):
    program = Program()
    program.process.site(program.way(*MASK, samples=500), 2**20, births=50, constant=50, **facts)
    program.way(*FEATURES, samples=500)
    assert findings(program.report(tmp_path, "--min-waste", "0")) == expected, why


def test_constants_join_the_finding_of_their_line(tmp_path):
    """`np.triu(np.ones((n, n)))`: the ones are constant, what becomes of them repeats."""
    text = "def f(n):\n    return triu(ones(n))\nf(1)\n"
    program = Program(text=text)
    code = program.codes["f"]
    calls = sorted({position[1:] for position in code.co_positions() if position[0] == 2}, key=str)
    offsets = [2 * i for i, position in enumerate(code.co_positions()) if position[0] == 2]
    frames = [program.process.frame(program.process.frame(program.process.root(), program.numbers["<module>"], 8),
                                    program.numbers["f"], offset) for offset in (offsets[0], offsets[-1])]
    assert len(calls) > 1
    for frame, counters in zip(frames, (dict(constant=50), dict(replicas=49, period=1))):
        node = program.process.node(frame, make_db.NATIVE, gating.ADDRESS, samples=100)
        program.process.site(node, 4096, births=50, **counters)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["kind"], finding["waste_s"]) == ("replica", pytest.approx(0.8 * 98 / 100)), "the first of each equals none"


def test_nothing_below_an_import(tmp_path):
    program = Program()
    boot = program.process.code("_find_and_load", "<frozen importlib._bootstrap>")
    number = program.numbers["<module>"]
    importing = program.process.frame(program.process.frame(program.process.root(), number, 0), boot)
    inside = program.process.frame(importing, program.numbers["mask"], make_db.offset_of(program.codes["mask"], 5))
    program.process.site(inside, 4096, period=1, births=260, replicas=259)
    data = program.report(tmp_path, "--min-waste", "0")
    assert findings(data) == [] and data["totals"]["replicas"]["of_objects"] == 0


def test_options_select_findings(program, tmp_path):
    assert findings(program.report(tmp_path, "--kind", "replica")) == [("replica", 5)]
    assert findings(program.report(tmp_path, "--kind", "constant")) == []
    assert findings(program.report(tmp_path, "--file", "other.py")) == []
    assert findings(program.report(tmp_path, "--min-waste", "41")) == []
    assert [line["line"] for line in program.report(tmp_path, "--kind", "replica")["lines"]] == [5]


def test_waste_never_exceeds_the_lines_time(program, tmp_path):
    program.process.site(program.way(*MASK[:3], ("mask", 4), samples=10), 4096, period=1, births=260, replicas=259)
    for line in program.report(tmp_path)["lines"]:
        assert line["waste_s"] <= line["native_s"] + line["boundary_s"]


def test_ids_hold_over_edits_elsewhere_and_tell_lines_apart(tmp_path):
    def ids(path, text, *lines):
        program = Program(path, text)
        for line in lines:
            program.process.site(program.way(("<module>", text.count("\n")), ("f", line), samples=100), 4096, period=1, births=9,
                                 replicas=8)
        return {finding["line"]: finding["id"] for finding in program.report(tmp_path)["findings"]}

    twice = "def f(x):\n    y = g(x)\n    y = g(x)\n    y = h(x)\nf(1)\n"
    before = ids("/nowhere/a.py", twice, 2, 3, 4)
    after = ids("/elsewhere/b.py", "import os\n\n" + twice.replace("g(x)", "g( x )", 1), 4, 5, 6)
    assert len(set(before.values())) == 3
    assert list(before.values()).sort() == list(after.values()).sort()
    assert [before[2], before[3], before[4]] == [after[4], after[5], after[6]]


def test_engine_off_has_no_replicas(tmp_path):
    program = Program()
    program.process.engines = ("time", "access")
    program.way(*MASK, samples=10)
    data = program.report(tmp_path)
    assert data["totals"]["replicas"] is None and data["lines"][0]["replicas"] is None


def test_library_line_leads_where_the_user_line_is_an_entrance(tmp_path):
    program = Program()
    package = program.process.code("Trainer.rotary", "/v/lib/python3.11/site-packages/trainer/model.py", first_line=40)
    main = program.process.frame(program.process.root(), program.numbers["<module>"], make_db.offset_of(program.codes["<module>"], 19))
    frame = program.process.frame(main, package, -1, samples=0)
    program.process.site(program.process.node(frame, make_db.NATIVE, gating.ADDRESS, samples=90), 4096, period=1, births=50, replicas=49)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["file"][-8:], finding["line"], finding["caller"]["line"]) == ("model.py", 40, 19)
    assert finding["waste_s"] == pytest.approx(0.36 * 49 / 50)
    assert "train.py:19 <module>" in " ".join(program.text(tmp_path).split())


def test_hostile_sites_are_refused_or_made_possible(tmp_path):
    program = Program()
    node = program.way(*MASK, samples=100)
    program.process.records["SITE"].append(
        make_db.SITE.pack(1, node, 2**60, 0, 2**16 - 1, 2**32 - 1, *[2**64 - 1] * 9, *[2**32 - 1] * 2, *[2**64 - 1] * 3, 2**32 - 1, 2**31 - 1,
                          *[2**32 - 1] * 2, *[2**64 - 1] * 6, 2**32 - 1, *[2**8 - 1] * 4, *[2**32 - 1] * 2, *[2**64 - 1] * 2, *[2**32 - 1] * 5, *[2**16 - 1] * 2, 2**64 - 1))
    program.process.records["SITE"].append(make_db.SITE.pack(1, node, 4096, 0, 3, 1, *range(10, 110, 10), 105, *range(110, 150, 10), 145, 150, 155, *range(160, 240, 10), 255, 240, 250, 255, 265, 270, *range(275, 335, 10), 330, 331, 335))
    program.process.link(2, 2, 2**63)
    path = tmp_path / "out.db"
    program.database.write(path)
    done = subprocess.run([whole.REPORT, path, "--format", "json"], capture_output=True, text=True, timeout=60)
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    replicas = data["totals"]["replicas"]
    assert done.returncode == 0 and data["run"]["health"]["damaged"] == 21
    assert (replicas["workspaces"], replicas["examined"], replicas["objects"], replicas["of_objects"]) == (10, 0, 0, 0)
    assert (replicas["far_examined"], replicas["far_objects"]) == (10, 0)
    for bad in (("SITE", make_db.SITE.pack(1, 10**6, 4096, 0, 0, 1, *[0] * 41)), ("LINK", make_db.LINK.pack(1, 1, 10**6, 0, 1))):
        program = Program()
        program.process.site(program.way(*MASK), 4096, births=1)
        program.process.records[bad[0]].append(bad[1])
        program.database.write(path)
        done = subprocess.run([whole.REPORT, path], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and "out of range" in done.stderr


def test_dump_shows_sites_and_links(program, tmp_path):
    program.process.link(1, 1, 7)
    path = tmp_path / "out.db"
    program.database.write(path)
    rows = subprocess.run([whole.REPORT, "dump", path], capture_output=True, text=True, check=True).stdout.splitlines()
    assert any(row.startswith("SITE 1.1 ") and "births=260" in row and "replicas=259" in row for row in rows)
    assert any(row.startswith("LINK 1.1 ") and "objects=7" in row for row in rows)
