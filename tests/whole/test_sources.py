"""The text that ran is in the file, whoever ran it and however that process ended."""
import json

import whole

FORKED = """
import os, time
def burn():
    end, total = time.process_time() + 0.3, 0
    while time.process_time() < end:
        total += 1
if os.fork() == 0:
    burn()
    os._exit(0)
os.wait()
os._exit(0)
"""


def test_a_child_that_only_computes_and_exits_stores_its_text(tmp_path):
    """It calls nothing of the shim's between its first sample and its end."""
    program, database = tmp_path / "program.py", tmp_path / "out.db"
    program.write_text(FORKED)
    done = whole.execute([whole.PYTHON, program], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert done.returncode == 0 and not done.stderr
    program.unlink()
    lines = json.loads(whole.read_report(database, "--format", "json"))["lines"]
    assert {"burn"} <= {line["function"] for line in lines if "total" in (line["text"] or "") or "while" in (line["text"] or "")}


def test_a_carriage_return_ends_a_line(tmp_path):
    program, database = tmp_path / "program.py", tmp_path / "out.db"
    program.write_bytes(FORKED.encode().replace(b"\n", b"\r"))
    done = whole.execute([whole.PYTHON, program], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert done.returncode == 0 and not done.stderr
    lines = json.loads(whole.read_report(database, "--format", "json"))["lines"]
    assert {line["text"].strip() for line in lines if line["function"] == "burn"} <= {
        "while time.process_time() < end:", "total += 1", "end, total = time.process_time() + 0.3, 0"}
