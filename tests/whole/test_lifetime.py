"""Live bytes of real programs: the peak and what stood there, exactly; what is freed and allocated again; children."""
import json
import textwrap

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())
MIB = 2**20

PEAK = """
import numpy as np
import time

def keep(count):
    return [np.ones(MIB // 8) for _ in range(count)]  # A

def passing(kept):
    return (kept[0] + 1.0).sum()  # B

kept = keep(40)
for step in range(100):
    passing(kept)
large = np.zeros(64 * MIB // 8)  # C
large[:] = 1.0
pair = kept[0] * 2.0  # D
time.sleep(0.05)
del large, pair
for step in range(100):
    passing(kept)
small = [np.ones(1000) for _ in range(1000)]  # E
"""


def profile(tmp_path, source, **changes):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text("MIB = 2**20\n" + textwrap.dedent(source))
    # A seed, for large tables of the interpreter's own are among what is alive, and grow as hashes have it.
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PYTHONHASHSEED="0", **changes)
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json"))
    jsonschema.validate(report, SCHEMA)
    marks = {line[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if line[-5:-1] == "  # "}
    return report, database, marks


def standing(report):
    return {line["line"]: (line["bytes"], line["objects"]) for line in report["totals"]["memory"]["at_peak"]}


def memory_of(report, number):
    return next(line["memory"] for line in report["lines"] if line["line"] == number)


def test_the_peak_and_what_stood_there_are_exact(tmp_path):
    found = set()
    for engines, rate in (("all", "250"), ("all", "4000"), ("replica", "250"), ("replica,time", "1000")):
        report, _, marks = profile(tmp_path, PEAK, PIEPROF_ENGINES=engines, PIEPROF_RATE=rate)
        memory = report["totals"]["memory"]
        assert standing(report) == {marks["A"]: (40 * MIB, 40), marks["C"]: (64 * MIB, 1), marks["D"]: (MIB, 1)}
        told = sum(memory[part] for part in ("small_bytes", "siteless_bytes", "import_bytes", "other_bytes"))
        assert memory["peak_bytes"] == 105 * MIB + told
        assert memory["snapshot_fraction"] == 1.0
        again = {mark: memory_of(report, marks[mark])["again"] for mark in "ABCD"}
        assert again == {"A": 0, "B": 198, "C": 0, "D": 0}  # two ways to it
        assert max(memory["curve"]["max_bytes"]) == memory["peak_bytes"]
        found.add((memory["peak_bytes"], memory["import_bytes"], memory["small_bytes"], memory["again_bytes"]))
    assert len(found) == 1, found


def test_times_are_about_right(tmp_path):
    report, _, marks = profile(tmp_path, PEAK)
    memory = report["totals"]["memory"]
    duration = report["run"]["processes"][0]["duration_s"]
    assert 0 < memory["peak_at_s"] < duration
    lives = {mark: memory_of(report, marks[mark])["mean_lifetime_s"] for mark in "ABCD"}
    assert 0.05 <= lives["D"] <= lives["C"] + 0.004 <= lives["A"] + 0.008 <= duration
    assert lives["B"] < 0.01
    curve = memory["curve"]
    assert duration - 2 * curve["bin_s"] <= len(curve["max_bytes"]) * curve["bin_s"] <= duration + 2 * curve["bin_s"]
    peak_bin = int(memory["peak_at_s"] / curve["bin_s"])
    assert memory["peak_bytes"] in curve["max_bytes"][max(peak_bin - 1, 0):peak_bin + 2]


def test_a_list_that_grows_is_named_to_its_end(tmp_path):
    source = """
    import numpy as np
    history = []
    for step in range(300):
        history.append(np.full(MIB // 4, step))  # A
    """
    report, database, marks = profile(tmp_path, source)
    memory, line = report["totals"]["memory"], memory_of(report, marks["A"])
    assert standing(report)[marks["A"]] == (600 * MIB, 300) and memory["snapshot_fraction"] == 1.0
    assert (line["births"], line["again"]) == (300, 0)
    levels = memory["curve"]["max_bytes"]
    rise = levels[:levels.index(max(levels)) + 1]
    imported = memory["peak_bytes"] - 600 * MIB  # OpenBLAS may have mapped its buffer
    rise = [level - imported for level in rise if level > imported + 5 * MIB]
    assert rise == sorted(rise) and rise[0] < 100 * MIB
    text = " ".join(whole.read_report(database).split())
    assert "program.py:6 <module>: 300 objects" in text


def test_objects_that_the_map_has_no_room_for_are_told(tmp_path):
    source = """
    import numpy as np
    kept = [np.ones(130) for _ in range(125000)]
    """
    report, database, _ = profile(tmp_path, source, PIEPROF_ENGINES="replica")
    memory = report["totals"]["memory"]
    counted = memory["small_bytes"] / (130 * 8)
    assert memory["uncounted_objects"] > 9000
    assert counted + memory["uncounted_objects"] == pytest.approx(125000, rel=0.02)
    assert "objects made while the object map was full are not counted" in " ".join(whole.read_report(database).split())


@pytest.mark.parametrize("engines", ["all", "replica"])
def test_a_killed_program_has_most_of_its_peak(tmp_path, engines):
    source = """
    import numpy as np, os
    history = []
    for step in range(300):
        history.append(np.full(MIB // 4, step))  # A
    os.kill(os.getpid(), 9)
    """
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text("MIB = 2**20\n" + textwrap.dedent(source))
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_ENGINES=engines)
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.returncode == -9
    report = json.loads(whole.read_report(database, "--format", "json"))
    assert report["run"]["duration_s"] > 0.05
    memory = report["totals"]["memory"]
    assert memory["peak_bytes"] >= 600 * MIB and 15 / 17 < memory["snapshot_fraction"] <= 1
    assert standing(report)[6][0] > 15 / 17 * 600 * MIB
    assert ("what stood at 9" in whole.read_report(database)) == (memory["snapshot_fraction"] < 1)


def test_what_is_never_filled_is_told(tmp_path):
    source = """
    import numpy as np
    for step in range(50):
        scratch = np.empty(MIB // 8)  # A
        scratch[:4] = step
        result = np.sqrt(np.arange(MIB // 8))  # B
    """
    report, database, marks = profile(tmp_path, source)
    line = memory_of(report, marks["A"])
    assert (line["unfilled"], line["unfilled_bytes"]) == (50, 50 * MIB)
    assert memory_of(report, marks["B"])["unfilled"] == 0
    assert "50 unchanged at their end (50 MiB)" in " ".join(whole.read_report(database).split())


def test_what_was_carried_over_is_filled(tmp_path):
    """A list that grows takes what it held to its new place, where the list before had left the same."""
    source = """
    import numpy as np
    words = np.random.default_rng(1).integers(0, 200, 20000).tolist()
    for step in range(50):
        chosen = [word for word in words]  # A
    """
    report, database, marks = profile(tmp_path, source)
    lists = [line for line in report["lines"] if line["line"] == marks["A"]]
    assert all(line["memory"]["unfilled"] == 0 for line in lists if "memory" in line), lists
    assert "never seen" not in whole.read_report(database)


def test_a_forked_child_counts_from_nothing(tmp_path):
    source = """
    import numpy as np, os
    kept = [np.ones(MIB // 8) for _ in range(20)]  # A
    child = os.fork()
    if child == 0:
        kept.clear()
        own = [np.ones(MIB // 8) for _ in range(200)]  # B
        os._exit(0)
    os.waitpid(child, 0)
    more = np.ones(3 * MIB // 8)  # C
    """
    report, database, marks = profile(tmp_path, source)
    memory = report["totals"]["memory"]
    processes = report["run"]["processes"]
    assert memory["processes"] == len(processes) == 2 and memory["pid"] == processes[1]["pid"]
    assert standing(report) == {marks["B"]: (200 * MIB, 200)}
    assert memory["peak_bytes"] < 201 * MIB
    assert "the highest of 2" in " ".join(whole.read_report(database).split())


def test_threads_balance(tmp_path):
    source = """
    import numpy as np, threading
    def work():
        for step in range(200):
            part = np.ones(4000 + step) + step  # A
            large = np.ones(40000)  # B
    for _ in range(5):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """
    report, database, marks = profile(tmp_path, source)
    line = memory_of(report, marks["B"])
    assert line["births"] == 4000 and line["again"] >= 4000 - 5 * 4 * 2
    assert report["totals"]["memory"]["peak_bytes"] - report["totals"]["memory"]["import_bytes"] < 8 * MIB
    dump = whole.execute([whole.REPORT, "dump", database]).stdout
    (live,) = [row for row in dump.splitlines() if row.startswith("LIVE ")]
    fields = dict(field.split("=") for field in live.split()[2:])
    assert 0 <= int(fields["bytes"]) < report["totals"]["memory"]["import_bytes"] + MIB // 4, live


def test_a_training_names_its_activations(tmp_path):
    source = """
    import torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = torch.randn(256, 1024)  # A
    model = torch.nn.Sequential(torch.nn.Linear(1024, 2048), torch.nn.Tanh(), torch.nn.Linear(2048, 10))  # B
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(30):
        optimizer.zero_grad()
        loss = model(data).square().mean()  # C
        loss.backward()  # D
        optimizer.step()  # E
    """
    report, _, marks = profile(tmp_path, source)
    at = standing(report)
    weights = (1024 * 2048 + 2048 + 2048 * 10 + 0) * 4
    assert at[marks["A"]] == (256 * 1024 * 4, 1)
    assert at[marks["B"]][0] >= 1024 * 2048 * 4
    assert report["totals"]["memory"]["peak_bytes"] - report["totals"]["memory"]["import_bytes"] > 3 * weights
    assert memory_of(report, marks["C"])["again"] > 25
    repeated, _, _ = profile(tmp_path, source)
    assert standing(repeated) == at


def test_without_the_engine_nothing_is_known(tmp_path):
    report, _, _ = profile(tmp_path, PEAK, PIEPROF_ENGINES="time,access")
    assert report["totals"]["memory"] is None and all(line["memory"] is None for line in report["lines"])
