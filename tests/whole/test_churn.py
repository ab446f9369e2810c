"""Memory that is got again and again, in real programs: what was fresh is counted, and the line that could do without is named."""
import json
import re
import textwrap

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())
MIB = 2**20

NUMPY = """
import numpy as np
random = np.random.default_rng(0)
large = random.random(40 * 2**17)  # 40 MiB: malloc gives that back to the kernel at once
total = 0.0
"""


def profile(tmp_path, source, **changes):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(source)
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **changes)
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, SCHEMA)
    marks = {line.split("  # ")[1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    return report, database, marks


def numpy_program(source):
    return NUMPY + textwrap.dedent(source)


def churned(report):
    return [finding["line"] for finding in report["findings"] if finding["kind"] == "churn"]


def memory_of(report, number):
    return next(line["memory"] for line in report["lines"] if line["line"] == number)


def test_the_line_is_named_and_told_where_to_write(tmp_path):
    report, database, marks = profile(tmp_path, numpy_program("""
        for step in range(40):
            scaled = large * step  # A
            total += scaled[step]
        """))
    (finding,) = report["findings"]
    assert (finding["kind"], finding["category"], finding["line"]) == ("churn", "API misuse", marks["A"])
    assert finding["object"] == {"size_bytes": 40 * MIB, "sizes": 1, "made": 40, "examined": 40, "equal": 38, "period": None}
    assert finding["exact"] and finding["waste_bytes"] == 38 * 40 * MIB
    assert "Make 2 buffers outside the loop at program.py:7" in finding["advice"]
    assert "np.multiply(..., out=buffer)" in finding["advice"]
    line = next(line for line in report["lines"] if line["line"] == marks["A"])
    assert 0 < finding["waste_s"] <= min(line["time_s"], line["waste_s"])
    assert 40 * (40 * MIB - 2 * 4096) <= line["memory"]["fresh_bytes"] <= 40 * 40 * MIB
    text = " ".join(whole.read_report(database).split())
    assert "page faults on 1.6 GiB of fresh memory" in text and "allocated again" in text


def test_what_malloc_gives_back_at_the_end_of_a_step(tmp_path):
    """Each array is small enough for malloc to keep; all together they are not."""
    report, _, marks = profile(tmp_path, numpy_program("""
        part = large[:2**18]

        def step(number):
            first = part * number  # A
            second = first + part  # B
            third = second - 1.0  # C
            fourth = np.square(third)  # D
            fifth = fourth * first  # E
            return fifth[number]

        for number in range(600):
            total += step(number)
        """), PIEPROF_RATE="1000")
    assert sorted(churned(report)) == [marks[mark] for mark in "ABCDE"]
    assert all("outside the loop at program.py:17" in finding["advice"] for finding in report["findings"])
    assert [finding["category"] for finding in report["findings"]] == ["API misuse"] * 5


MADE = 300
TRIED = 128 + 3 * 256 + 3 * 4  # faults: three rounds of small pages, and of huge ones


def test_pages_of_arrays_that_begin_anywhere(tmp_path):
    """
    4.5 MiB have room for one or two huge pages, the rest comes in small ones: as many faults as the kernel counts. They come
    at births that are looked at as at others: a page that is read before its owner asks for huge ones would stay small.
    """
    _, database, marks = profile(tmp_path, f"""
import json
import resource
import numpy as np
x = np.ones(4608 * 128)


def step():
    y = x * 2.0  # A
    return y[0]


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def fallbacks():
    with open("/proc/vmstat") as file:
        return int(dict(line.split() for line in file)["thp_fault_fallback"])


def faults_of_step():
    before = faults()
    step()
    return faults() - before


before = fallbacks()
step()
seen = [faults_of_step() for _ in range({MADE})]
with open("{tmp_path}/faults", "w") as file:
    json.dump([seen, fallbacks() - before], file)
""", MALLOC_MMAP_THRESHOLD_="131072", PIEPROF_ENGINES="time,replica")
    faults, fallbacks = json.loads((tmp_path / "faults").read_text())
    dump = whole.execute([whole.REPORT, "dump", database]).stdout
    records = [dict(re.findall(r"(\w+)=(\d+)", line)) for line in dump.splitlines() if line.startswith("SITE ")]
    (site,) = (site for site in records if site["births"] == str(MADE))
    if "huge_page_ns=0" in dump or fallbacks != 0:
        pytest.skip("the kernel gives no huge pages, or not always")
    *usual, a, b, c = sorted(faults)
    assert max(usual) < min(faults) + 128, faults
    assert max(a, b, c) < min(faults) + TRIED, "what a page costs is tried out in three of the steps: after 64 MiB, 256 MiB and 1 GiB"
    fresh, huge = (int(site[name]) / int(site["pages_asked"]) for name in ("fresh_bytes", "huge_bytes"))
    assert huge > 0 and (fresh - huge) / 4096 + huge / 2**21 == pytest.approx(sum(faults) / MADE, rel=0.1)


TRAPS = {
    "one buffer, made once": numpy_program("""
        buffer = np.empty_like(large)
        for step in range(40):
            np.multiply(large, step, out=buffer)
            total += buffer[step]
        """),
    "a result is kept": numpy_program("""
        kept = []
        for step in range(20):
            scaled = large[: 2**19] * step
            kept.append(scaled)
        """),
    "malloc keeps the memory": numpy_program("""
        part = large[: 2**13]
        for step in range(20000):
            scaled = part * step
            total += scaled[3]
        """),
    "a temporary within an expression": numpy_program("""
        for step in range(30):
            total += (large * step).sum()
        """),
    "what is returned, and given on": numpy_program("""
        def scaled(step):
            return large * step
        for step in range(30):
            total += scaled(step)[step]
        """),
    "a gather, which is another array each time": numpy_program("""
        rows = large.reshape(-1, 64)
        for step in range(30):
            batch = rows[random.integers(0, len(rows), len(rows))]
            total += batch[0, 0]
        """),
    "made a few times": numpy_program("""
        for step in range(4):
            scaled = large * step
            total += scaled[step]
        for step in range(200):
            total += np.sqrt(large[: 2**17]).sum()
        """),
    "in no loop": numpy_program("""
        scaled = large * 2.0
        scaled = large * 3.0
        """),
}


@pytest.mark.parametrize("name", TRAPS)
def test_what_is_no_finding(tmp_path, name):
    report, _, _ = profile(tmp_path, TRAPS[name])
    assert churned(report) == []


def test_what_is_never_touched_costs_nothing(tmp_path):
    report, _, marks = profile(tmp_path, numpy_program("""
        for step in range(20):
            sparse = np.zeros(2**23)  # A
            sparse[step] = 1.0
            empty = np.empty(2**23)  # B
        """))
    assert churned(report) == []
    assert memory_of(report, marks["A"])["fresh_bytes"] <= 20 * 2 * 2**21  # huge pages, at most those of both ends
    assert memory_of(report, marks["B"])["fresh_bytes"] <= 20 * 2 * 2**21


def test_pytorchs_buffers_are_facts(tmp_path):
    """What autograd keeps for backward cannot be written into a buffer of one's own."""
    report, _, marks = profile(tmp_path, textwrap.dedent("""
        import torch
        torch.manual_seed(0)
        torch.set_num_threads(1)
        data = torch.randn(4096, 512)
        first = torch.randn(512, 2048, requires_grad=True)
        second = torch.zeros(2048, requires_grad=True)
        for step in range(12):
            hidden = data @ first  # A
            active = torch.relu(hidden)  # B
            loss = (active @ second - 1.0).square().mean()
            loss.backward()
            second.data -= 1e-4 * second.grad
            first.grad = second.grad = None
        """))
    assert churned(report) == []
    assert memory_of(report, marks["A"])["again"] >= 10 and memory_of(report, marks["A"])["fault_s"] > 0


def test_layers_of_unlike_widths_take_no_one_buffer(tmp_path):
    """What is made of what it was before, in another size: one buffer would not do, nor would it be made less often."""
    report, _, _ = profile(tmp_path, numpy_program("""
        batch = large.reshape(2**17, 40)
        layers = [random.random((40, 50)), random.random((50, 45)), random.random((45, 42))]
        def forward(x, scale):
            for w in layers:
                x = x @ (w * scale)
            return x[0, 0]
        for step in range(12):
            total += forward(batch, step)
        """))
    assert churned(report) == []


def test_layers_of_unlike_widths_are_named_with_the_callers_loop(tmp_path):
    """Each is made once in each call: a buffer before their loop would be, too."""
    report, _, marks = profile(tmp_path, numpy_program("""
        batch = large.reshape(2**17, 40)
        layers = [random.random((40, 44)), random.random((44, 42)), random.random((42, 36))]
        def forward(x, scale):
            for w in layers:
                product = x @ w  # A
                x = np.maximum(product, scale)  # B
            return x[0, 0]
        for step in range(12):  # outer
            total += forward(batch, step)
        """))
    assert sorted(churned(report)) == [marks["A"], marks["B"]]
    for finding in report["findings"]:
        assert f"for each size outside the loop at program.py:{marks['outer']}, hand them in, and write into them" in finding["advice"]


def test_the_passes_of_an_own_loop_are_named_with_it(tmp_path):
    """Two of a size are alive where one pass follows another: the loop does not end at once."""
    report, _, marks = profile(tmp_path, numpy_program("""
        def search(points, number):
            for step in range(10):  # inner
                scaled = points * (step + number)  # A
            return scaled[step]
        for number in range(4):
            total += search(large, 0.3 * number)
        """))
    (finding,) = report["findings"]
    assert finding["line"] == marks["A"] and f"outside the loop at program.py:{marks['inner']}," in finding["advice"]
    report, _, marks = profile(tmp_path, numpy_program("""
        def search(points, number):
            while True:
                scaled = points * number  # A
                if scaled[0] < 1e9:
                    return scaled[number]
        for number in range(30):  # outer
            total += search(large, number)
        """))
    (finding,) = report["findings"]
    assert finding["line"] == marks["A"] and f"outside the loop at program.py:{marks['outer']}, hand it in," in finding["advice"]


TRACER = '''
import numpy as plain


class Box:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return add(self, other)


def primitive(function):
    def wrapped(*arguments):
        values = [argument.value if isinstance(argument, Box) else argument for argument in arguments]
        result = function(*values)
        return Box(result) if any(isinstance(argument, Box) for argument in arguments) else result
    return wrapped


add, dot = primitive(plain.add), primitive(plain.dot)
'''
TRACED = """
        def predict(layers, x):
            for w, b in layers:
                x = np.dot(x, w)
                out = x + b  # A
            return out
        layers = [(random.random((40, 40)), random.random(40))]
        batch = large.reshape(2**17, 40)
        for step in range(60):
            layers[0][1][:] += 1.0
            total += predict(layers, batch)[step, 0]
        """
TRACE = """
        from tracing.numpy import Box
        predict(layers, Box(batch))
        """


def traced(tmp_path, module, trace):
    package = tmp_path / "site-packages/tracing"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "numpy.py").write_text(TRACER)
    text = numpy_program(TRACED) + textwrap.dedent(trace)
    return profile(tmp_path, text.replace("np.dot", f"{module}.dot").replace("import numpy as np", "import numpy as np\nimport tracing.numpy as tnp"),
                   PYTHONPATH=str(package.parent))


def test_operators_that_a_tracer_runs_take_no_out(tmp_path):
    """What is a plain array in one call is one of the tracer's boxes in another, at the same line."""
    report, _, _ = traced(tmp_path, "tnp", TRACE)
    assert churned(report) == []


def test_operators_that_no_tracer_runs(tmp_path):
    report, _, marks = traced(tmp_path, "np", "")
    assert marks["A"] in churned(report)


def test_calls_of_a_package_take_no_out(tmp_path):
    package = tmp_path / "site-packages/distances"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def products(a, b):\n    result = a @ b\n    return result\n")
    report, _, marks = profile(tmp_path, numpy_program("""
        from distances import products
        batch, square = large.reshape(2**17, 40), random.random((40, 40))
        for step in range(60):
            square += 1.0
            made = products(batch, square)
            scaled = batch * step  # A
            total += np.sqrt(np.abs(np.sin(batch))).sum()  # other work
        """), PYTHONPATH=str(package.parent))
    assert churned(report) == [marks["A"]]
