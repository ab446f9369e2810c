"""Of an import nothing is told but how long it took: no access is looked for meanwhile, and fewer samples will do."""
import json

import whole

HEAVY = """import time
import numpy
values = numpy.arange(300000.0)

def work():
    started = time.process_time()
    while time.process_time() < started + 1.5:
        numpy.add(values, 1.0, out=values)
"""
PERIODS = 1.5 * 250  # of the default rate, in what HEAVY works


def health_of(tmp_path, module, main, **settings):
    (tmp_path / "heavy.py").write_text(module)
    (tmp_path / "main.py").write_text(main)
    database = tmp_path / "out.db"
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **settings)
    done = whole.execute([whole.PYTHON, tmp_path / "main.py"], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads(whole.read_report(database, "--format", "json"))["run"]["health"]


def test_no_access_of_an_import_is_looked_for(tmp_path):
    health = health_of(tmp_path, HEAVY + "work()\n", "import heavy\n")
    assert (health["native"], health["armed"], health["traps"]) == (0, 0, 0)
    assert PERIODS * 0.2 < health["samples"] < PERIODS * 0.7


def test_what_was_imported_is_followed(tmp_path):
    health = health_of(tmp_path, HEAVY, "import heavy\nheavy.work()\n")
    assert health["native"] > 10 and health["finished"] > 10


def test_with_the_whole_budget_imports_are_sampled_as_all_else_is(tmp_path):
    health = health_of(tmp_path, HEAVY + "work()\n", "import heavy\n", PIEPROF_BUDGET="100")
    assert health["samples"] > PERIODS * 0.7 and health["native"] == 0
