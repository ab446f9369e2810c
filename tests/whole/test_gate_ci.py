"""The example of continuous integration: what its workflows call is run here, against the committed baseline."""
import json
import os
import shutil

import jsonschema
import pytest

import whole
from gating import SCHEMAS

CI = whole.ROOT / "examples/ci"
PLANT = "        chosen = rng.integers(0, len(images), BATCH)\n"


def run(root, *arguments, **changes):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIEPROF", "GITHUB"))}
    environment = {**kept, "PIEPROF": str(whole.BUILD), "PYTHON": whole.PYTHON, "OPENBLAS_NUM_THREADS": "1", **changes}
    return whole.execute([root / "examples/ci/gate.sh", *arguments], env=environment)


@pytest.fixture
def checkout(tmp_path):
    """The example alone, in a repository of its own."""
    for name in ("ci", "mlp_numpy"):
        shutil.copytree(whole.ROOT / "examples" / name, tmp_path / "examples" / name)
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_our_example_passes_its_committed_baseline():
    jsonschema.validate(json.loads((CI / "baseline.json").read_text()), SCHEMAS["baseline"])
    done = run(whole.ROOT)
    assert done.returncode == 0 and "gate passed " in done.stdout, done.stdout + done.stderr


def test_both_workflows_call_what_is_tested_here():
    for name in ("github.yml", "gitlab.yml"):
        assert "examples/ci/gate.sh" in (CI / name).read_text()


def test_waste_in_the_example_fails_with_an_annotation(checkout):
    program = checkout / "examples/mlp_numpy/fixed.py"
    text = program.read_text()
    planted = text.replace(PLANT, PLANT + "        spread = images.std(axis=0) + np.square(images).sum(axis=0)\n")
    assert text.count(PLANT) == 1
    program.write_text(planted)
    number = planted[: planted.index("        spread = ")].count("\n") + 1
    done = run(checkout, GITHUB_ACTIONS="true")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"::error file=examples/mlp_numpy/fixed.py,line={number}," in done.stdout
    quality = run(checkout, "--format", "codeclimate", "-o", checkout / "quality.json")
    assert quality.returncode == 1
    assert [issue["location"]["lines"]["begin"] for issue in json.loads((checkout / "quality.json").read_text())] == [number]


def test_a_training_that_fails_is_not_told_to_waste(checkout):
    (checkout / "examples/mlp_numpy/fixed.py").write_text("import no_such_module\n")
    done = run(checkout)
    assert done.returncode == 2 and "the training failed, with exit status 1" in done.stderr


def test_the_baseline_is_made_again_alike(checkout):
    committed = (checkout / "examples/ci/baseline.json").read_text()
    assert run(checkout, "--update-baseline").returncode == 0
    made = json.loads((checkout / "examples/ci/baseline.json").read_text())
    assert made["program"] == json.loads(committed)["program"] and [file["path"] for file in made["files"]] == ["examples/mlp_numpy/fixed.py"]
    assert run(checkout).returncode == 0
