"""The pytest plugin: marked tests run profiled and gated; their failure is the finding."""
import os
import re
import textwrap

import pytest

import whole

TESTS = '''
    import numpy as np
    import pytest

    points = np.random.default_rng(0).normal(size=(4000, 64))

    def wasteful():
        for step in range(50):
            lengths = (points**2).sum(axis=1) ** 0.5
            centred = (points + step) / lengths[:, None]

    @pytest.mark.pieprof(max_findings=0)
    def test_wasteful():
        wasteful()

    @pytest.mark.pieprof(max_replicas="1GiB", max_replica_objects=1000)
    def test_within_limits():
        wasteful()

    @pytest.mark.pieprof
    def test_clean():
        lengths = (points**2).sum(axis=1) ** 0.5
        for step in range(50):
            centred = (points + step) / lengths[:, None]

    @pytest.mark.pieprof
    def test_wrong():
        assert points.shape == (3, 3), "it is not"

    @pytest.mark.pieprof
    @pytest.mark.skip(reason="not today")
    def test_skipped():
        raise AssertionError

    @pytest.mark.pieprof(max_bytes=3)
    def test_marker():
        pass

    def test_unmarked(capsys):
        assert "LD_PRELOAD" not in __import__("os").environ
    '''


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "test_training.py").write_text(textwrap.dedent(TESTS))
    return tmp_path


def run(directory, *arguments):
    environment = whole.environment(PYTHONPATH=str(whole.ROOT / "python"), COLUMNS="200")
    environment = {name: value for name, value in environment.items() if not name.startswith(("GITHUB", "PYTEST"))}
    done = whole.execute([whole.PYTHON, "-m", "pytest", "-p", "pieprof_pytest", "-p", "no:cacheprovider", "-v", *arguments], cwd=directory, env=environment)
    outcomes = dict(re.findall(r"^test_training\.py::(\w+) ([A-Z]+)\b", done.stdout, re.M))
    return done, outcomes


def test_marked_tests_are_gated(suite):
    done, outcomes = run(suite, "--pieprof", f"--pieprof-programs={whole.BUILD}")
    assert outcomes == {"test_wasteful": "FAILED", "test_within_limits": "PASSED", "test_clean": "PASSED", "test_wrong": "FAILED",
                        "test_skipped": "SKIPPED", "test_marker": "FAILED", "test_unmarked": "PASSED"}, done.stdout
    assert "findings is " in done.stdout and "lengths = (points**2).sum(axis=1) ** 0.5" in done.stdout
    assert "Build it once, outside the loop" in " ".join(done.stdout.split())
    assert "gate failed the test's run: 1 limit" in done.stdout and "out.db" not in done.stdout, "which is gone by then"
    assert "it is not" in done.stdout and "max_bytes: allowed are baseline, max_findings" in done.stdout


def test_a_phase_alone_is_judged(tmp_path):
    """The waste lies in forward()."""
    (tmp_path / "test_training.py").write_text(textwrap.dedent("""
        import numpy as np
        import pytest

        points = np.random.default_rng(0).normal(size=(4000, 64))

        def forward(step):
            lengths = (points**2).sum(axis=1) ** 0.5
            return (points + step) / lengths[:, None]

        def update_weights(scaled):
            return 0.5 * scaled

        def train():
            for step in range(50):
                update_weights(forward(step))

        @pytest.mark.pieprof(phase="forward")
        def test_forward():
            train()

        @pytest.mark.pieprof(max_findings=0, phase="optimizer")
        def test_optimizer():
            train()

        @pytest.mark.pieprof(phase="warmup")
        def test_unknown():
            pass
        """))
    done, outcomes = run(tmp_path, "--pieprof", f"--pieprof-programs={whole.BUILD}")
    assert outcomes == {"test_forward": "FAILED", "test_optimizer": "PASSED", "test_unknown": "FAILED"}, done.stdout
    assert "gate failed the test's run, phase forward: 1 limit" in done.stdout
    assert "--phase warmup: expected data_loading|forward|backward|optimizer|other" in done.stdout


def test_a_comment_that_another_test_needs_is_not_told_as_unused(tmp_path):
    """Each runs a part of the file alone; a comment that can never be used is told."""
    (tmp_path / "test_training.py").write_text(textwrap.dedent("""
        import numpy as np
        import pytest

        points = np.random.default_rng(0).normal(size=(4000, 64))

        @pytest.mark.pieprof(max_findings=0)
        def test_ignored():
            for step in range(50):
                lengths = (points**2).sum(axis=1)  # pieprof: ignore[replica] as it is in the paper

        @pytest.mark.pieprof(max_findings=0)
        def test_wasteful():
            for step in range(50):
                lengths = np.sqrt((points**2).sum(axis=1))  # pieprof: ignore[replicas]
        """))
    done, outcomes = run(tmp_path, "--pieprof", f"--pieprof-programs={whole.BUILD}")
    assert outcomes == {"test_ignored": "PASSED", "test_wasteful": "FAILED"}, done.stdout
    told = " ".join(done.stdout.split())
    assert "no such finding on its line" not in told and "there is no such kind of finding" in told, done.stdout


def test_a_baseline_that_is_not_there_is_told_how_to_make(tmp_path):
    """And made so it serves; of another program it is refused, once."""
    (tmp_path / "test_training.py").write_text(textwrap.dedent("""
        import pytest

        @pytest.mark.pieprof(baseline="base.json")
        def test_training():
            packed = bytes(range(256)) * 2000
            for step in range(60):
                packed.upper()
        """))
    options = "--pieprof", f"--pieprof-programs={whole.BUILD}"
    done, outcomes = run(tmp_path, *options)
    assert outcomes == {"test_training": "FAILED"}
    told = re.search(r"there is no baseline base.json; make one: pieprof -- \S+ (-m pytest \S+), then pieprof-report (export .* -o base.json)", done.stdout)
    assert told is not None, done.stdout
    whole.execute([whole.BUILD / "pieprof", "--", whole.PYTHON, *told.group(1).split()], cwd=tmp_path)
    whole.execute([whole.BUILD / "pieprof-report", *told.group(2).split()], cwd=tmp_path)
    assert run(tmp_path, *options)[1] == {"test_training": "PASSED"}
    text = (tmp_path / "base.json").read_text()
    (tmp_path / "base.json").write_text(text.replace('"name":"pytest"', '"name":"unittest"'))
    done, outcomes = run(tmp_path, *options)
    assert outcomes == {"test_training": "FAILED"}
    assert len(re.findall(r"^pieprof-report: gate: .* or name the right one$", done.stdout, re.M)) == 1, done.stdout


def test_without_the_option_they_are_plain_tests(suite):
    done, outcomes = run(suite)
    assert outcomes["test_wasteful"] == outcomes["test_clean"] == outcomes["test_marker"] == "PASSED" and outcomes["test_wrong"] == "FAILED"


def test_programs_that_are_missing_are_named(suite):
    done, outcomes = run(suite, "--pieprof", f"--pieprof-programs={os.devnull}", "-k", "test_clean")
    assert outcomes == {"test_clean": "FAILED"} and "no program pieprof in /dev/null" in done.stdout


MANY = '''
    import unittest
    import numpy as np
    import pytest
    points = np.random.default_rng(0).normal(size=(4000, 64))

    def work(rounds):
        for step in range(rounds):
            again = np.cos(points)

    @pytest.mark.pieprof
    @pytest.mark.parametrize("rounds", [1, 60], ids=["once", "a [b]/c::d"])
    def test_each(rounds):
        work(rounds)

    @pytest.mark.parametrize("rounds", [59, pytest.param(60, marks=pytest.mark.pieprof(max_replicas="1GiB")), pytest.param(61, marks=pytest.mark.pieprof)])
    def test_marked_by_parameter(rounds):
        work(rounds)

    @pytest.mark.pieprof
    class TestClass:
        rounds = 1

        @pytest.fixture(autouse=True)
        def more(self):
            self.rounds = 60
            yield

        def test_fixture(self):
            work(self.rounds)

        def test_clean(self):
            work(1)

        @pytest.mark.pieprof(max_findings=1)
        def test_own_limit(self):
            work(self.rounds)

    @pytest.mark.pieprof
    class TestCase(unittest.TestCase):
        def setUp(self):
            self.rounds = 60

        def test_set_up(self):
            work(self.rounds)

        def test_fails(self):
            self.assertEqual(1, 2)

    @pytest.fixture
    def broken():
        raise RuntimeError("no set-up")

    @pytest.fixture
    def broken_after():
        yield
        raise RuntimeError("no tear-down")

    @pytest.mark.pieprof
    def test_broken(broken):
        pass

    @pytest.mark.pieprof
    def test_broken_after(broken_after):
        pass

    @pytest.mark.pieprof
    def test_wrong_and_wasteful():
        work(60)
        assert points is None, "and wrong"
    '''
GATED = ("--pieprof", f"--pieprof-programs={whole.BUILD}")
FOUND = "test_training.py:9 work: findings: 2.0 MiB made "
OUTCOMES = {
    "test_each[once]": "", "test_each[a [b]/c::d]": FOUND, "test_marked_by_parameter[59]": "", "test_marked_by_parameter[60]": "",
    "test_marked_by_parameter[61]": FOUND, "TestClass::test_fixture": FOUND, "TestClass::test_clean": "", "TestClass::test_own_limit": "",
    "TestCase::test_set_up": FOUND, "TestCase::test_fails": "AssertionError: 1 != 2", "test_broken": "RuntimeError: no set-up",
    "test_broken_after": "RuntimeError: no tear-down", "test_wrong_and_wasteful": "AssertionError: and wrong",
}


@pytest.mark.parametrize("workers", [0, 2])
def test_parameters_classes_and_failures_here_and_on_workers(tmp_path, workers):
    """The summary names each test, and in the same row the finding, or why it failed: nothing is gated that failed by itself."""
    if workers and whole.execute([whole.PYTHON, "-c", "import xdist"]).returncode:
        pytest.skip(f"{whole.PYTHON} has no xdist")
    (tmp_path / "test_training.py").write_text(textwrap.dedent(MANY))
    some = ["test_each", "TestCase", "test_broken_after"]
    done, _ = run(tmp_path, *GATED, *(["-n", str(workers)] if workers else ["-k", " or ".join(some)]), "-rA")
    wanted = {name: why for name, why in OUTCOMES.items() if workers or name.startswith(tuple(some))}
    summary = re.findall(r"^(PASSED|FAILED) test_training\.py::(.*?)(?: - (.*))?$", done.stdout.rsplit("short test summary info", 1)[1], re.M)
    assert {name: outcome for outcome, name, _ in summary} == {name: "FAILED" if why else "PASSED" for name, why in wanted.items()}
    assert all(OUTCOMES[name] in why for _, name, why in summary), done.stdout


OPTIONS = {
    "conftest.py": """
        def pytest_addoption(parser):
            parser.addoption("--rounds", type=int, default=1)
        """,
    "test_training.py": """
        import os
        import numpy as np
        import pytest
        points = np.random.default_rng(0).normal(size=(4000, 64))

        def wasteful(rounds):
            for step in range(rounds):
                again = np.cos(points)

        @pytest.mark.pieprof
        def test_option(request):
            wasteful(request.config.getoption("--rounds"))

        @pytest.mark.slow
        @pytest.mark.pieprof
        def test_slow():
            wasteful(60)

        @pytest.mark.pieprof
        @pytest.mark.xfail(reason="not mended yet", strict=True)
        def test_expected():
            wasteful(60)

        @pytest.mark.pieprof
        @pytest.mark.xfail(reason="mended", strict=True)
        def test_unexpected():
            pass

        @pytest.mark.pieprof
        @pytest.mark.xfail(reason="wrong")
        def test_wrong_as_expected():
            assert False

        @pytest.mark.pieprof
        def test_left():
            os._exit(0)

        @pytest.mark.pieprof(0)
        def test_nameless():
            pass
        """,
}


@pytest.fixture
def options(tmp_path):
    for name, text in OPTIONS.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    return tmp_path




@pytest.mark.parametrize("ini, arguments", [
    ("", ["--rounds", "60"]), ("addopts = --rounds=60", []), ("", ["-o", "addopts=--rounds=60", "test_training.py"]),
    ("addopts = -m 'not slow'", ["-m", "slow or not slow", "--rounds=60"]),
], ids=["option", "ini", "override", "marks"])
def test_the_child_has_the_options_of_the_run(options, ini, arguments):
    (options / "pytest.ini").write_text(f"[pytest]\nmarkers = slow\n{ini}\n")
    done, outcomes = run(options, *GATED, *arguments, "-k", "option or slow")
    assert set(outcomes.values()) == {"FAILED"} and set(outcomes) >= {"test_option"}, done.stdout
    assert re.search(r"^FAILED test_training\.py::test_option - \S*test_training\.py:9 wasteful: ", done.stdout, re.M)


def test_marks_and_ends_in_the_child(options):
    (options / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    done, outcomes = run(options, *GATED, "-k", "not option and not slow")
    assert outcomes == {"test_expected": "XFAIL", "test_unexpected": "FAILED", "test_wrong_as_expected": "XFAIL", "test_left": "FAILED",
                        "test_nameless": "FAILED"}, done.stdout
    assert "test_left - its process ended, with exit status 0, before the test had" in done.stdout
    assert "0 has no name; say which limit it is, as in max_findings=0" in done.stdout and "[XPASS(strict)] mended" in done.stdout


SHARED = {
    "conftest.py": """
        import pytest

        @pytest.fixture(scope="session")
        def shared(tmp_path_factory):
            path = tmp_path_factory.mktemp("shared") / "data"
            path.write_text("x")
            return path
        """,
    "test_first.py": """
        import logging
        import os
        import pytest

        @pytest.fixture(scope="module")
        def module():
            yield
            if "TORN" in os.environ:
                raise RuntimeError("no tear-down")

        def test_plain(shared, module):
            logging.getLogger().warning("said here")

        @pytest.mark.pieprof
        def test_marked(shared, tmp_path):
            pass
        """,
    "test_second.py": """
        def test_plain(shared):
            assert shared.exists()
        """,
}


@pytest.fixture
def shared(tmp_path):
    for name, text in SHARED.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    return tmp_path


def test_tests_of_other_modules_may_follow(shared, monkeypatch):
    """What plain tests set up before a marked one is torn down where it would be without the plugin, and its failure told."""
    done, _ = run(shared, *GATED)
    assert "3 passed" in done.stdout and "error" not in done.stdout, done.stdout
    monkeypatch.setenv("TORN", "1")
    done, _ = run(shared, *GATED)
    assert "3 passed, 1 error" in done.stdout and "RuntimeError: no tear-down" in done.stdout, done.stdout


CACHE = ["-p", "cacheprovider"]


@pytest.mark.parametrize("options", [["--basetemp=base"], ["--log-file=all.log"], [*CACHE, "--lf"], [*CACHE, "--cache-clear"]],
                         ids=lambda options: options[-1].split("=")[0])
def test_the_childs_files_are_its_own(shared, options):
    done, _ = run(shared, *GATED, *options)
    assert "3 passed" in done.stdout, done.stdout
    if options[0].startswith("--log-file"):
        assert "said here" in (shared / "all.log").read_text()
