"""The replica engine on real programs: what became of each line's objects, counted exactly and alike in every run."""
import json
import re
import textwrap

import pytest
import whole

HEAD = """
import numpy as np
random = np.random.default_rng(0)
np.ones((64, 100)) @ np.ones((100, 80))  # OpenBLAS takes memory to work in at its first product, on some processors
"""

# Name: the program, and what its marked lines must show ("A", "B" and so on at their ends).
PROGRAMS = {
    "invariant": (
        """
        x = np.arange(20000.0)
        for step in range(200):
            mask = np.where(x > 9000, x, 3.0)  # A
            y = mask * step  # B
        """,
        {"A": {"of_objects": 400, "examined": 400, "objects": 398}, "B": {"objects": 0}},
    ),
    "epochs": (
        """
        data = random.random((14 * 64, 100))
        weights = random.random((100, 80))
        for epoch in range(24):
            for batch in range(14):
                features = data[batch * 64 : batch * 64 + 64] @ weights  # A
                order = features.sum()
        """,
        {"A": {"of_objects": 336, "objects": 322}},
    ),
    "elsewhere": (
        """
        data = random.random((200, 50))
        weights = random.random((50, 40))
        for step in range(300):
            score = data @ weights  # A
            report = data @ weights  # B
            weights = weights * 1.001  # C
        """,
        {"A": {"objects": 0, "elsewhere": 0}, "B": {"objects": 0, "elsewhere": 300}, "C": {"objects": 0}},
    ),
    "leftovers": (
        """
        for step in range(100):
            buffer = np.empty(12000)  # A
            buffer[1:3] = step // 7
        """,
        {"A": {"objects": 0, "examined": 0}},
    ),
    "copies": (
        """
        x = random.random((300, 300))
        for step in range(100):
            x = x * 1.01  # A
            y = x.flatten()  # B
        """,
        {"A": {"objects": 0, "copies": 0}, "B": {"objects": 0, "copies": 100, "elsewhere": 0}},
    ),
    "workspaces": (
        """
        x = random.random((300, 300))
        for step in range(50):
            y = x.var(axis=0)  # A
            x = x + 0.01  # B
        """,
        {"A": {"workspaces": range(50, 500)}, "B": {"workspaces": 0, "objects": 0}},
    ),
    "constants": (
        """
        for step in range(50):
            zeros = np.zeros(30000)  # A
            ones = np.ones(3000)  # B
        """,
        {
            "A": {"constant": 50, "zero": 50, "objects": 0},
            "B": {"constant": 50, "zero": 0, "objects": 0},
        },
    ),
    "one element differs": (
        """
        x = random.random(200000)
        for step in range(100):
            x = x.copy()  # A
            x[step * 1000 + 77] = 0
        """,
        {"A": {"of_objects": 100, "objects": 0}},
    ),
    "moved by realloc": (
        """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.malloc.restype = libc.realloc.restype = ctypes.c_void_p
        libc.free.argtypes = [ctypes.c_void_p]
        libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        text = bytes(range(1, 251)) * 40
        for step in range(50):
            block = libc.malloc(10000)  # A
            ctypes.memmove(block, text, 10000)
            block = libc.realloc(block, 1000000)  # B
            libc.free(block)
        """,
        {"A": {"of_objects": 50, "examined": 50, "objects": 49}},
    ),
}


def run(directory, source, beforehand=None, **changes):
    path = directory / "program.py"
    path.write_text(HEAD + textwrap.dedent(source))
    database = directory / "out.db"
    database.unlink(missing_ok=True)
    changes = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database), **changes}
    done = whole.execute([whole.PYTHON, path], cwd=directory, env=whole.environment(**changes), preexec_fn=beforehand)
    assert (done.returncode, done.stderr) == (0, "")
    return path, database


def marked_line(path, mark):
    numbers = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith(f"  # {mark}")]
    assert len(numbers) == 1
    return numbers[0]


def replicas_of(report, path, mark):
    number = marked_line(path, mark)
    found = [line for line in report["lines"] if line["file"] == str(path) and line["line"] == number]
    assert len(found) == 1, f"line {number} of {[line['line'] for line in report['lines']]}"
    return found[0]["replicas"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_became_of_each_lines_objects(tmp_path, name):
    source, expected = PROGRAMS[name]
    path, database = run(tmp_path, source)
    report = json.loads(whole.read_report(database, "--format", "json"))
    assert report["run"]["engines"]["replica"] == {"on": True, "why_off": None, "object_min_bytes": 1024}
    for mark, counts in expected.items():
        found = replicas_of(report, path, mark)
        for key, count in counts.items():
            assert found[key] in (count if isinstance(count, range) else (count,)), f"{key} of line {mark}: {found}"


@pytest.mark.parametrize("name", ["epochs", "elsewhere"])
def test_every_run_counts_alike(tmp_path, name):
    """Whatever else samples and watches the program meanwhile, at whatever addresses."""
    counts = set()
    for engines, rate in (("all", "250"), ("all", "4000"), ("replica", "250"), ("replica,time", "1000")):
        _, database = run(tmp_path, PROGRAMS[name][0], PIEPROF_ENGINES=engines, PIEPROF_RATE=rate)
        report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
        lines = sorted((line["line"], json.dumps(line["replicas"])) for line in report["lines"] if line["replicas"]["of_objects"])
        counts.add(json.dumps([report["totals"]["replicas"], lines]))
    assert len(counts) == 1, counts


GRAPH = """
        import torch
        from torch import nn
        torch.manual_seed(1)
        edges = (torch.rand(700, 700) < 0.01).float()
        points, labels = torch.randn(700, 32), torch.randint(0, 7, (700,))
        class Layer(nn.Module):
            def __init__(self, inputs, outputs):
                super().__init__()
                self.linear = nn.Linear(inputs, outputs)
            def forward(self, x):
                loops = edges + torch.eye(700)
                scale = loops.sum(1).rsqrt()
                return (scale[:, None] * loops * scale[None, :]) @ self.linear(x)
        model = nn.Sequential(Layer(32, 16), nn.ReLU(), Layer(16, 7))
        optimizer = torch.optim.Adam(model.parameters())
        for epoch in range(40):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(points), labels).backward()
            optimizer.step()
"""


def test_ten_runs_of_a_seeded_training_are_told_alike(tmp_path):
    """Wherever the kernel puts heap and mappings, and whatever memory comes back to whom."""
    told = set()
    for _ in range(10):
        _, database = run(tmp_path, GRAPH)
        report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0", "--top", "0"))
        lines = [(line["line"], json.dumps(line["replicas"])) for line in report["lines"] if line["replicas"]["of_objects"]]
        found = [(finding["line"], finding["kind"], finding["category"]) for finding in report["findings"] if finding["kind"] == "replica"]
        told.add(json.dumps([report["totals"]["replicas"], sorted(lines), sorted(found)]))
    assert len(told) == 1 and len(found) >= 3, told


def sites(database):
    pattern = r"^SITE (\S+) (.*)$"
    done = whole.execute([whole.REPORT, "dump", database])
    assert done.returncode == 0
    for _, fields in re.findall(pattern, done.stdout, re.M):
        yield {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", fields)}


def test_an_instruction_of_many_is_not_taken_for_one_of_several_sizes(tmp_path):
    """Each of 150 lines makes one size, again and again: wherever the file lies, for what is counted is found by hashes of its name."""
    source = "\n".join(["for step in range(6):"] + [f"    x{i} = np.arange({256 + i})" for i in range(150)])
    for folder in ("a", "elsewhere"):
        (tmp_path / folder).mkdir()
        _, database = run(tmp_path / folder, "\n" + source + "\n")
        found = [site["unlike"] for site in sites(database) if site["births"] == 6]
        assert len(found) >= 150 and set(found) == {0}


def test_the_period_is_in_batches(tmp_path):
    _, database = run(tmp_path, PROGRAMS["epochs"][0])
    assert [(site["period"], site["period_replicas"]) for site in sites(database) if site["replicas"] > 1] == [(14, 322)]


def test_digests_of_whole_contents_on_request(tmp_path):
    """Then nothing is left out, however quiet the site."""
    source = """
        for step in range(500):
            x = random.random(2000)  # A
        """
    path, database = run(tmp_path, source)
    thinned = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert thinned["skipped"] > 0 and thinned["examined"] + thinned["skipped"] == 500
    path, database = run(tmp_path, source, PIEPROF_DIGEST="full")
    full = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (full["examined"], full["skipped"], full["objects"]) == (500, 0, 0)


def test_what_changed_before_it_stayed_is_not_told_as_made_again(tmp_path):
    """Large buffers that change for a while: of 40, the first 13 are new, wherever the far history begins."""
    source = """
        base = random.random(6000)
        for step in range(40):
            x = base * min(step + 1, 13)  # A
        """
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (found["of_objects"], found["examined"], found["objects"], found["estimate"]) == (40, 40, 27, None)


def test_where_samples_differ_contents_are_new(tmp_path):
    """Ten new rows, the last of which comes again, and then changes between the lines that are sampled: that one equal one alone is open."""
    source = """
        rows = random.random((10, 12000))
        for step in range(40):
            rows[9, 3001] += step == 11
            x = rows[min(step, 9)] * 2  # A
        """
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (found["examined"], found["objects"]) == (39, 28)
    assert found["of_objects"] == 40


LARGE = """
    table = random.random(2_600_000)
    held = [table]  # by this name the text does not tell whose number is changed
    for step in range(110):
        held[0][1_000_003] += {more}
        x = table * 2  # A
    """


@pytest.mark.parametrize("more, least, most", [("1", 0, 0), ("step >= 40", 0, 39), ("step % 8 == 7", 0, 96), ("0", 109, 109)])
def test_large_results_are_proved_now_and_then(tmp_path, more, least, most):
    """20 MiB, of which one number between those sampled changes: what is not known to be equal is not told as made again."""
    path, database = run(tmp_path, LARGE.format(more=more))
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    found = replicas_of(report, path, "A")
    assert found["of_objects"] == 110 and least <= found["objects"] <= most, found
    kinds = [finding["kind"] for finding in report["findings"] if finding["line"] == marked_line(path, "A")]
    assert kinds == ["replica"] * (least > 0)


def test_a_change_at_the_end_is_found(tmp_path):
    """Between the numbers that are sampled, when no proof follows but that of what lives at the end."""
    path, database = run(tmp_path, """
        table = random.random(9000)
        for step in range(200):
            table[3003] += step >= 197
            x = table * 2  # A
        """)
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    assert replicas_of(report, path, "A")["objects"] <= 196
    assert not report["findings"], report["findings"]


def test_counts_of_a_part_say_so(tmp_path):
    """Results and workspaces in one place: 3,600 of them and 7,200, where most births are not looked at."""
    source = """
        rows = random.random((300, 64)).astype(np.float32)
        for step in range(300):
            kept = [np.outer(rows[step], rows[i]) for i in range(12)]  # A
        """
    path, database = run(tmp_path, source)
    report = json.loads(whole.read_report(database, "--format", "json"))
    found = replicas_of(report, path, "A")
    low, high = found["of_objects_ci95"]
    assert low <= 3600 <= high < 3600 * 1.5 and low <= found["of_objects"] <= high
    total = report["totals"]["replicas"]
    row = "objects about {:,} made ({:,}-{:,})".format(total["of_objects"], *total["of_objects_ci95"])
    assert row in whole.read_report(database)
    (tmp_path / "full").mkdir()
    path, database = run(tmp_path / "full", source, PIEPROF_DIGEST="full")
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (found["of_objects"], found["workspaces"], found["of_objects_ci95"]) == (3600, 7200, None)


def test_a_forked_child_counts_for_itself(tmp_path):
    source = """
        import os
        x = np.arange(20000.0)
        def work(steps):
            for step in range(steps):
                mask = np.sqrt(x)  # A
        work(10)
        child = os.fork()
        work(30)
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        """
    path, database = run(tmp_path, source)
    counts = sorted((site["births"], site["replicas"]) for site in sites(database) if site["replicas"] > 1)
    assert counts == [(10, 9), (30, 29), (30, 29)]


def test_threads_have_sites(tmp_path):
    source = """
        import threading
        x = np.arange(20000.0)
        def work():
            for step in range(100):
                mask = np.sqrt(x)  # A
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    # A thread that waited long at its first object finds the history gone on: that one, and the others' first, miss a match.
    assert found["of_objects"] == found["examined"] == 400 and 390 <= found["objects"] <= 399


def test_without_the_engine_there_is_nothing(tmp_path):
    _, database = run(tmp_path, PROGRAMS["invariant"][0], PIEPROF_ENGINES="time,access")
    assert list(sites(database)) == []


def test_a_wrong_kind_of_digest_is_refused(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("print('ran')")
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(tmp_path / "out.db"), PIEPROF_DIGEST="half")
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.stdout == "ran\n" and done.returncode == 0
    assert done.stderr == 'pieprof: PIEPROF_DIGEST="half" is not sampled or full; the program runs unprofiled\n'


@pytest.mark.parametrize("name, lines", [("cell%d.py", "number"), ("c%d.py", "0"), ("a\u00e9/cell%d.py", "0"), ("\u03c9/c%d.py", "0"),
                                         ("\U0001f600%d.py", "0")], ids=["path", "short", "latin", "greek", "emoji"])
def test_cells_that_follow_each_other_at_one_address_are_told_apart(tmp_path, name, lines):
    """A notebook's cells: compiled, run, freed; the next one's code takes the same memory, down to its file's name."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    source = """
        import pathlib
        names = {"np": np}
        def run(number):
            path = pathlib.Path("NAME" % number)
            text = chr(10) * LINES + f"y = np.arange(5000.0) + {number}" + chr(10)
            path.write_text(text)
            exec(compile(text, str(path), "exec"), names)
        for round in range(100):
            for number in range(7):
                run(number)
        """.replace("NAME", name).replace("LINES", lines)
    path, database = run(tmp_path, source)
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    cells = [tmp_path / (name % number) for number in range(7)]
    objects = {(line["file"], line["line"]): line["replicas"]["objects"] for line in report["lines"] if line["replicas"]}
    assert all(objects.get((str(cell), 1 + (lines == "number") * number), 0) >= 99 for number, cell in enumerate(cells)), objects
    assert len(report["findings"]) == 7


@pytest.mark.parametrize("text, name", [("def f():\\n    return np.arange(NUMBER, 5000.0 + NUMBER)\\n", "made%d.py"),
                                        ("def f():\\n" + "    0\\n" * 40 + "LINES    return np.arange(NUMBER, 5000.0 + NUMBER)\\n" + "    0\\n" * 9, "made.py")],
                         ids=["files", "texts"])
def test_functions_that_follow_each_other_at_one_address_are_told_apart(tmp_path, text, name):
    """As exec() writes them: of files of their own, or of one whose text is changed in its middle."""
    source = """
        def made(number):
            path, text = "NAME", "TEXT".replace("LINES", chr(10) * number).replace("NUMBER", str(number))
            own = {"np": np}
            exec(compile(text, path % number if "%" in path else path, "exec"), own)
            return own["f"]
        def call(f, count):
            for _ in range(count):
                f()
        for number in range(6):
            f = made(number)
            call(f, 50 + number)
            del f
        """.replace("NAME", name).replace("TEXT", text)
    _, database = run(tmp_path, source)
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    births = {(line["file"], line["line"]): line["replicas"]["of_objects"] for line in report["lines"] if line["replicas"] and "made" in line["file"]}
    assert sorted(births.values()) == [50 + number for number in range(6)], births


def test_places_made_once_do_not_crowd_out_the_training(tmp_path):
    """As compilers do that work in the process: tens of thousands of sizes, each once."""
    source = """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        for size in range(2000, 42000):
            libc.free(libc.malloc(size))
        x = random.random((200, 200))
        for step in range(300):
            kernel = x @ x.T  # A
            total = kernel * step  # B
        """
    path, database = run(tmp_path, source)
    report = json.loads(whole.read_report(database, "--format", "json"))
    found = replicas_of(report, path, "A")
    assert found["objects"] == found["of_objects"] - 1 >= 297 and replicas_of(report, path, "B")["objects"] == 0
    assert report["run"]["health"]["dropped"]["sites_full"] == 0


def test_long_trainings_are_looked_at_in_stretches(tmp_path):
    """48 batches in each of 100 epochs: after the first, nothing of what is looked at is new."""
    source = """
        data = random.random((48 * 8, 60))
        weights = random.random((60, 40))
        for epoch in range(100):
            for batch in range(48):
                features = data[batch * 8 : batch * 8 + 8] @ weights  # A
        """
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert found["objects"] == found["examined"] - 48 and 1000 < found["examined"] < 2000
    assert found["estimate"]["ci95"][0] <= 4800 - 48 <= found["estimate"]["ci95"][1]
    assert {(site["period"], site["replicas"] - site["period_replicas"]) for site in sites(database) if site["replicas"] > 1} == {(48, 0)}
