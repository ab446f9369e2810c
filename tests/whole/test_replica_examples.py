"""What the objects of the examples say: the planted lines, and nothing else."""
import ast
import json
import re
from pathlib import Path

import jsonschema
import pytest

import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())
DEBIAN = whole.INTERPRETERS["debian"]


def functions_of(example, version):
    """Line number to name of the function it is in, of an example's program."""
    tree = ast.parse(whole.EXAMPLES[example].path(version).read_text())
    return {line: node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
            for line in range(node.lineno, node.end_lineno + 1)}


@pytest.mark.parametrize("example, function", [("transformer", {"causal_mask", "position_encoding"}), ("mlp_numpy", {"standardise"}),
                                               ("cnn_digits", {"prepare"}), ("conv_loops", set())])
def test_planted_functions_of_the_examples_are_the_replica_findings(example, function):
    run = whole.profiled_run(whole.EXAMPLES[example], "wasteful", DEBIAN)
    functions, path = functions_of(example, "wasteful"), str(whole.EXAMPLES[example].path("wasteful"))
    everything = json.loads(whole.read_report(run.database, "--format", "json", "--min-waste", "0"))
    for report in (run.report, everything):
        jsonschema.validate(report, SCHEMA)
        found = [finding for finding in report["findings"] if finding["kind"] == "replica"]
        assert {finding["file"] for finding in found} <= {path}
        assert {functions.get(finding["line"]) for finding in found} <= function
        assert bool(found) == bool(function)
        for finding in found:
            (loop,) = re.findall(r"outside the loop at wasteful.py:(\d+)", finding["advice"])
            assert Path(path).read_text().splitlines()[int(loop) - 1].startswith("    for ")
    if function:
        assert f" 1  wasteful.py:{run.report['findings'][0]['line']} " in run.text


@pytest.mark.parametrize("example", whole.EXAMPLES)
def test_fixed_examples_have_no_replica_findings(example):
    run = whole.profiled_run(whole.EXAMPLES[example], "fixed", DEBIAN)
    report = json.loads(whole.read_report(run.database, "--format", "json", "--min-waste", "0"))
    assert [finding for finding in report["findings"] if finding["kind"] in ("replica", "constant")] == []
    assert report["totals"]["replicas"]["examined"] > 0
