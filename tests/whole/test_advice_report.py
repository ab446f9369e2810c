"""What findings on objects tell a reader beside their counts, on files that tests/tools/make_db.py writes."""
import gating
import pytest
from replicas import FEATURES, OTHER, Program, findings, make_db

DRAWS = """import numpy as np


def fit(data, rate, rng):
    weights = np.zeros(data.shape[1])
    for epoch in range(20):
        order = rng.permutation(len(data))
        noisy = data[order] + rng.normal(size=data.shape)
        fixed = np.random.default_rng(3).normal(size=data.shape)
        rows = data[order] * special.gamma(2.0)
        weights -= rate * noisy.mean(axis=0)


def main(data):
    for rate in (0.1, 0.2, 0.3):
        fit(data, rate, np.random.default_rng(0))


main(np.ones((4000, 20)))
"""


@pytest.mark.parametrize("line, drawn", [(7, True), (8, True), (9, False), (10, False)])
def test_draws_leave_their_generator_elsewhere(tmp_path, line, drawn):
    program = Program(text=DRAWS)
    node = program.way(("<module>", 19), ("main", 16), ("fit", line), samples=500)
    program.process.site(node, 32000, births=60, period=20, period_replicas=40, replicas=40)
    (finding,) = program.report(tmp_path)["findings"]
    assert finding["line"] == line
    assert ("the generator has to be left where they left it" in finding["advice"]) == drawn


@pytest.mark.parametrize("samples, listed", [(1, False), (3, False), (12, True)])
def test_what_few_samples_say_of_the_time_may_be_chance(tmp_path, samples, listed):
    """Of 1,000 samples: 3 are more than half a percent by chance, often; the counts are as exact as they were."""
    program = Program(text=DRAWS)
    program.way(("<module>", 19), ("main", 16), ("fit", 11), samples=1000 - samples)
    node = program.way(("<module>", 19), ("main", 16), ("fit", 10), samples=samples, cpu_ns=9 * 4_000_000)
    program.process.site(node, 32000, births=60, period=1, replicas=59)
    assert bool(findings(program.report(tmp_path))) == listed
    assert findings(program.report(tmp_path, "--min-waste", "0")) == [("replica", 10)]


PACKAGE = """def gradient(x, w):
    return x.T @ (x @ w)


def search(x, w):
    step = gradient(x, w)
    return abs(gradient(x, w)).sum() - step
"""


@pytest.mark.parametrize("equal, settled, always", [(98, 0, True), (97, 0, False), (60, 0, False), (60, 38, True)])
def test_a_package_s_own_calls_are_told_apart(tmp_path, equal, settled, always):
    """Its line leads where the user's is only the entrance: which of its calls came first its own lines say. Where the
    second is often what it was itself, it is the first then only if that is what it was, too."""
    path = "/v/lib/python3.11/site-packages/solver/fista.py"
    program, codes = Program(text=DRAWS), make_db.text_codes(PACKAGE, path)
    process = program.process
    number = {name: process.code_of(codes[name], 0) for name in ("search", "gradient")}
    user = process.frame(process.root(), program.numbers["<module>"], make_db.offset_of(program.codes["<module>"], 19))

    def call(line):
        search = process.frame(user, number["search"], make_db.offset_of(codes["search"], line))
        gradient = process.frame(search, number["gradient"], make_db.offset_of(codes["gradient"], 2))
        again = {"period": 1, "replicas": 98 - equal if line == 7 else settled}
        return process.site(process.node(gradient, make_db.NATIVE, gating.ADDRESS, samples=200), 65536, births=100, **again)

    process.link(call(6), call(7), equal)
    (finding,) = program.report(tmp_path)["findings"]
    assert (finding["file"], finding["line"], finding["caller"]["line"]) == (path, 2, 19)
    advice = ("Keep the result from solver/fista.py:6 and use it at solver/fista.py:7."
              " That is a package's to do: is there a function of its own that gives both at once?")
    assert finding["advice"] == advice + ("" if always else " Only where what it is computed from is the same: not each one looked at had its equal.")
    assert f"{equal + settled} times equal to what the call at solver/fista.py:6 had just made" in finding["claim"]


@pytest.mark.parametrize("samples, named", [(1440, True), (480, False)])
def test_where_nothing_is_found_the_package_that_has_the_time_is_named(tmp_path, samples, named):
    program, codes = Program(text=DRAWS), make_db.text_codes(PACKAGE, "/v/lib/python3.11/site-packages/solver/fista.py")
    process = program.process
    for line, below in ((7, samples), (8, 2400 - samples)):
        node = process.root()
        for name, number in (("<module>", 19), ("main", 16), ("fit", line)):
            node = process.frame(node, program.numbers[name], make_db.offset_of(program.codes[name], number))
        if line == 7:
            node = process.frame(node, process.code_of(codes["gradient"], 0), make_db.offset_of(codes["gradient"], 2))
        process.node(node, make_db.NATIVE, gating.ADDRESS, samples=below)
    last = " ".join(program.text(tmp_path).split()).rpartition(" next ")[2]
    assert last.startswith("no line was found that computes again")
    assert ("60 % of the time is spent in solver and what it calls: --own solver looks at its lines, too." in last) == named
    assert "--own" not in program.text(tmp_path, "--own", "solver").rpartition("next")[2]


@pytest.mark.parametrize("replicas, samples, told", [(700, 500, True), (300, 500, False), (700, 20, False)])
def test_where_nothing_is_found_the_line_that_repeats_most_is_named(tmp_path, replicas, samples, told):
    """Contents that come in no order that is understood: they are counted, and no finding."""
    program = Program()
    program.process.site(program.way(*FEATURES, samples=samples), 8192, births=1000, replicas=replicas, period=7, period_replicas=60)
    program.way(*OTHER, samples=1500)
    assert findings(program.report(tmp_path, "--min-waste", "0")) == []
    last = " ".join(program.text(tmp_path).split()).rpartition(" next ")[2]
    assert last.startswith("no line was found that computes again")
    assert ("Most of what train.py:11 made equals an earlier one" in last) == told


def test_the_way_goes_through_the_packages_calls(tmp_path):
    """Of six functions of a package the four innermost, then the innermost of the foundation below."""
    program = Program()
    node = program.process.frame(program.process.root(), program.numbers["<module>"], make_db.offset_of(program.codes["<module>"], 19))
    for level in range(6):
        node = program.process.frame(node, program.process.code(f"level{level}", "/v/lib/python3.11/site-packages/trainer/model.py", first_line=40 + level), -1, samples=0)
    for name in ("outer", "inner"):
        node = program.process.frame(node, program.process.code(name, "/v/lib/python3.11/site-packages/numpy/linalg.py", first_line=9), -1, samples=0)
    program.process.site(program.process.node(node, make_db.NATIVE, gating.ADDRESS, samples=90), 4096, period=1, births=50, replicas=49)
    program.report(tmp_path)
    way = [f"trainer/model.py:{line} level{line - 40}" for line in range(42, 46)]
    assert " > ".join(["train.py:19 <module>", "...", *way, "numpy/linalg.py:9 inner"]) in " ".join(program.text(tmp_path).split())


FOLDS = """def fit(x, y):
    classes, coded = np.unique(y, return_inverse=True)


def run(folds):
    return Parallel()(delayed(fit)(x, y) for x, y in folds)
"""
STAYS = {"births": 1000, "period": 1, "replicas": 999}
CHANGES = {"births": 168, "period": 1, "replicas": 162}
ROUND = {"births": 80, "period": 4, "replicas": 76}
ONCE_A_CALL = {"births": 20, "period": 1, "replicas": 19, "ordinal": 1}


@pytest.mark.parametrize("sites, told, advice", [
    ([STAYS], "from inputs that did not change", "Build it once, outside the loop at /nowhere/train.py:15."),
    ([STAYS, CHANGES], "from inputs that hardly ever change", "Build it where its inputs change, and keep it until then."),
    ([STAYS, {"births": 10}], "from inputs that did not change", "Build it once, outside the loop at /nowhere/train.py:15."),
    ([ROUND], "the same 4 contents come round again", "Build them once and keep them."),
    ([ROUND, ONCE_A_CALL], "to the one 4 before, from inputs that did not change", "Build it once, outside the loop at /nowhere/train.py:15."),
])
def test_a_package_s_loops_are_not_all_seen(tmp_path, sites, told, advice):
    """A generator that another object takes from stands on no stack: what comes round does in one of those, the user's loop is around them."""
    path = "/v/lib/python3.11/site-packages/solver/folds.py"
    program, codes = Program(text=DRAWS), make_db.text_codes(FOLDS, path)
    process = program.process
    user = process.frame(process.root(), program.process.code_of(program.codes["main"], 0), make_db.offset_of(program.codes["main"], 16))
    fit = process.frame(user, process.code_of(codes["fit"], 0), make_db.offset_of(codes["fit"], 2))
    unique = process.frame(fit, process.code("unique", "/v/lib/python3.11/site-packages/numpy/lib/arraysetops.py", first_line=9), -1, samples=0)
    for number, counters in enumerate(sites):
        process.site(process.node(unique, make_db.NATIVE, gating.ADDRESS + 16 * number, samples=200), 18000, **counters)
    (finding,) = [finding for finding in program.report(tmp_path)["findings"] if finding["kind"] == "replica"]
    assert (finding["file"], finding["line"]) == (path, 2)
    assert told in finding["claim"] and finding["advice"] == advice


@pytest.mark.parametrize("places, beside, looped, named", [(4, 300, True, True), (2, 300, True, False), (4, 900, True, False), (4, 300, False, False)])
def test_a_line_that_calls_most_of_what_is_made_again_is_named_once(tmp_path, places, beside, looped, named):
    """The packages' lines are findings each; what the user's one line makes of all of them may be what to keep."""
    program = Program(text=DRAWS)
    process = program.process
    function, line = ("main", 16) if looped else ("<module>", 19)
    user = process.frame(process.root(), program.numbers[function], make_db.offset_of(program.codes[function], line))
    for place in range(places):
        number = process.code("transform", "/v/lib/python3.11/site-packages/solver/scale.py", first_line=40 + place)
        process.site(process.node(process.frame(user, number, -1), make_db.NATIVE, gating.ADDRESS, samples=480 // places), 8192, period=1, births=200, replicas=199)
    process.frame(user, process.code("check", "/v/lib/python3.11/site-packages/solver/check.py", first_line=9), -1, samples=beside)
    assert len(program.report(tmp_path)["findings"]) == places
    page = " ".join(program.text(tmp_path).split())
    told = f"1.91 s of it in {places} places of the packages that /nowhere/train.py:{line} calls, which takes 3.12 s in all: look there first"
    assert (told in page) == named and ("places of the packages" in page) == named
