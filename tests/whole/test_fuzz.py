"""The analyzer on damaged files, for some seconds, under the address and undefined-behaviour sanitizers."""
import whole

SECONDS = 15


def test_reader_survives_damage():
    seeds = sorted((whole.ROOT / "tests/fuzz/corpus").iterdir())
    assert seeds
    done = whole.execute([whole.BUILD / "fuzz/standalone", SECONDS, *seeds])
    assert done.returncode == 0, done.stderr[-4000:]
