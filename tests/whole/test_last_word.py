"""What the page ends with where samples are missing, or were not asked for; of real runs."""
import whole

WORK = """
import numpy as np
for i in range(4000):
    a = np.arange(20000.0)
    a += 1
"""

BLOCKED = """
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, {signals})
end = time.thread_time() + 1
while time.thread_time() < end:
    pass
"""


def page_of(tmp_path, source, **environment):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(source)
    done = whole.execute([whole.PYTHON, path], env=whole.environment(
        LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **environment))
    assert done.returncode == 0 and not done.stderr, done.stderr
    page = " ".join(whole.read_report(database).split())
    return page, page[page.rindex(" next ") + len(" next "):], database


def test_a_run_without_samples_is_not_said_to_be_where_its_lines_are(tmp_path):
    page, last, _ = page_of(tmp_path, BLOCKED.format(signals="[signal.SIGTRAP]"))
    assert "of CPU time is in no sample: none is taken of a thread that blocks SIGTRAP" in page
    assert last.startswith("most of the CPU time is in no sample")


def test_another_blocked_signal_takes_no_samples(tmp_path):
    page, last, _ = page_of(tmp_path, BLOCKED.format(signals="[signal.SIGUSR1]"))
    assert "in no sample" not in page and "program.py:" in last


def test_the_profilers_own_work_is_told_as_such(tmp_path):
    """Ten thousand samples a second, whatever they cost: much of the CPU time is the profiler's, and none of it was lost."""
    page, last, _ = page_of(tmp_path, WORK.replace("4000", "100000"), PIEPROF_RATE="10000", PIEPROF_BUDGET="100")
    assert "of CPU time is the profiler's own work" in page
    assert "in no sample" not in page and "in no sample" not in last


def test_no_rate_helps_where_time_was_not_asked_for(tmp_path):
    for engines, told in (("access", "no time was measured"), ("replica", "no time was measured"), ("transfer", "nothing was recorded")):
        page, last, _ = page_of(tmp_path, WORK, PIEPROF_ENGINES=engines)
        assert last.startswith(told) and "PIEPROF_ENGINES=all" in last, (engines, last)
        assert "too short" not in page and "in no sample" not in page


def test_what_was_found_without_time_is_not_kept_back(tmp_path):
    _, last, database = page_of(tmp_path, WORK, PIEPROF_ENGINES="replica")
    assert last.endswith("--min-waste 0 shows what was found all the same.")
    page = " ".join(whole.read_report(database, "--min-waste", "0").split())
    assert "next program.py:4 first: Build it once" in page


def test_the_same_work_with_time(tmp_path):
    _, last, _ = page_of(tmp_path, WORK, PIEPROF_ENGINES="time")
    assert last.startswith("little but time was measured")
