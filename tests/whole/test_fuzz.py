"""The analyzer on damaged files and sources, for some seconds, under the address and undefined-behaviour sanitizers."""
import struct

import whole

SECONDS = 15
HEADER_BYTES, EXTENT_BYTES = 4096, 16384


def test_reader_survives_damage():
    seeds = sorted((whole.ROOT / "tests/fuzz/corpus").iterdir())
    assert seeds
    done = whole.execute([whole.BUILD / "fuzz/standalone-reader", SECONDS, *seeds])
    assert done.returncode == 0, done.stderr[-4000:]


def test_rules_survive_damaged_sources():
    seeds = sorted((whole.ROOT / "examples").rglob("*.py"))
    assert len(seeds) > 30
    done = whole.execute([whole.BUILD / "fuzz/standalone-source", SECONDS, *seeds])
    assert done.returncode == 0, done.stderr[-4000:]


def test_seeds_are_files_of_this_format(tmp_path):
    """In short form (fuzz_reader.c). One of another format's sizes would be refused at once, and try nothing."""
    for seed in (whole.ROOT / "tests/fuzz/corpus").iterdir():
        data, file = seed.read_bytes(), b""
        while len(data) >= 4:
            length = struct.unpack_from("<I", data)[0]
            file += data[4:4 + length].ljust(EXTENT_BYTES if file else HEADER_BYTES, b"\0")
            data = data[4 + length:]
        (tmp_path / seed.name).write_bytes(file)
        whole.read_report(tmp_path / seed.name)
