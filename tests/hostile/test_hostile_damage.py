"""Damaged files through pieprof-report: exit status and message as promised, never a crash, a hang or a mad figure."""

import concurrent.futures
import json
import os
import random
import re
import signal
import struct

import pytest

from hostile_ring import Ring, assert_figures_possible, report, report_json

HEADER_BYTES, EXTENT_BYTES, EXTENT_HEADER_BYTES = 4096, 16384, 32
VERBS = (["report"], ["report", "--format", "json"], ["dump"])
SEEDS = int(os.environ.get("PIEPROF_SEEDS", "120"))


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A sound file with samples, pairs, modules, sources and a forked child."""
    ring = Ring(tmp_path_factory.mktemp("good"))
    run = ring.run(ring.program("""
        import os
        import numpy as np
        a = np.arange(100_000, dtype=np.float64); b = np.empty_like(a)
        def train(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                np.multiply(a, 2.0, out=b); np.add(a, b, out=b); b.fill(0)
        train(1.0); busy(0.2)
        if os.fork() == 0: train(0.3); os._exit(0)
        os.wait()
        """), env={"PIEPROF_RATE": "1000", "PIEPROF_BUDGET": "50"})
    assert run.returncode == 0
    document = report_json(run.db)
    assert document["run"]["health"]["samples"] > 500
    return run.db.read_bytes()


def run_report(arguments):
    return report(*arguments, timeout=30)


def assert_answered(result, allowed):
    assert result.returncode in allowed, (result.returncode, result.args, result.stderr)
    assert b"Sanitizer" not in result.stderr and b"runtime error" not in result.stderr, result.stderr
    if result.returncode == 2:
        assert len(result.stderr.splitlines()) == 1, result.stderr
    if result.returncode == 0 and "json" in result.args:
        document = json.loads(result.stdout)
        assert_figures_possible(document)
        assert {"schema", "run", "totals", "lines", "findings"} <= set(document)


def assert_structural(result, path):
    assert_answered(result, (2,))
    message = result.stderr.decode(errors="replace")
    assert str(path) in message, message
    assert re.search(r"offset (0x[0-9a-f]+|\d+)|at (0x[0-9a-f]+|\d+)|byte (0x[0-9a-f]+|\d+)", message), message
    assert result.stdout == b""


def write(tmp_path, content, name="damaged.db"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def changed(content, offset, replacement):
    return content[:offset] + replacement + content[offset + len(replacement):]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_zero_length(tmp_path, verb):
    path = write(tmp_path, b"")
    result = report(*verb, path)
    assert_answered(result, (2,))
    assert str(path).encode() in result.stderr


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("content", [b"x", b"SQLite format 3\0" + bytes(5000), b"\x7fELF" + bytes(100_000),
                                     b"PIEPROF", b"PIEPROF\x1a", bytes(300_000), os.urandom(300_000),
                                     b"epoch 1 loss 0.5\n" * 1000],
                         ids=["byte", "sqlite", "elf", "short-magic", "magic", "zeros", "noise", "text"])
def test_not_a_profile(tmp_path, verb, content):
    path = write(tmp_path, content)
    assert_structural(report(*verb, path), path)


@pytest.mark.parametrize("offset,replacement,word", [
    (8, struct.pack("<I", 2), b"version"), (8, struct.pack("<I", 0xFFFFFFFF), b"version"),
    (12, struct.pack("<I", 8192), b"header"), (16, struct.pack("<I", 0), b"extent"),
    (16, struct.pack("<I", 12345), b"extent"), (20, struct.pack(">I", 0x01020304), b"order"),
    (0, b"PIEPROG", b"profile")], ids=["version-2", "version-max", "header-size", "extent-0", "extent-odd", "order", "magic"])
def test_wrong_header(tmp_path, good, offset, replacement, word):
    path = write(tmp_path, changed(good, offset, replacement))
    for verb in VERBS:
        result = report(*verb, path)
        assert_structural(result, path)
        assert word in result.stderr.lower() or b"offset" in result.stderr.lower(), result.stderr


def extents(content):
    """(offset, kind) of each used extent."""
    for offset in range(HEADER_BYTES, len(content) - EXTENT_HEADER_BYTES, EXTENT_BYTES):
        magic, kind = struct.unpack_from("<II", content, offset)
        if magic == 0x54584550:
            yield offset, kind


@pytest.mark.parametrize("field,value", [(0, 0x12345678), (4, 0xFFFF), (8, 0), (12, 1), (16, 1 << 62)],
                         ids=["magic", "kind", "process", "record-size", "first-id"])
def test_wrong_extent(tmp_path, good, field, value):
    for offset, kind in list(extents(good))[:12]:
        packed = struct.pack("<Q" if field == 16 else "<I", value)
        path = write(tmp_path, changed(good, offset + field, packed), f"extent{offset}.db")
        result = report("--format", "json", path)
        assert_answered(result, (0, 2))
        if field in (0, 4) or (field == 12 and kind != 2):
            assert_structural(result, path)


def test_truncated_anywhere(tmp_path, good):
    chance = random.Random(5)
    used_end = max(offset for offset, _ in extents(good)) + EXTENT_BYTES
    lengths = [used_end - 1, used_end - EXTENT_BYTES, HEADER_BYTES, HEADER_BYTES + 1, HEADER_BYTES + EXTENT_BYTES, HEADER_BYTES + EXTENT_BYTES + 17,
               len(good) - 1, len(good) - EXTENT_BYTES] + [chance.randrange(HEADER_BYTES, len(good)) for _ in range(30)]
    for length in lengths:
        path = write(tmp_path, good[:length], f"cut{length}.db")
        result = report("--format", "json", path)
        assert_answered(result, (0,))
        if length < used_end:
            assert json.loads(result.stdout)["run"]["health"]["damaged"], length
            assert len(result.stderr.splitlines()) == 1 and str(path).encode() in result.stderr, result.stderr
    for length in (1, 7, 8, 100, HEADER_BYTES - 1):
        path = write(tmp_path, good[:length], f"cut{length}.db")
        assert_structural(report("--format", "json", path), path)


def test_a_sound_file_is_not_called_damaged(tmp_path, good):
    result = report("--format", "json", write(tmp_path, good))
    assert result.stderr == b"" and not json.loads(result.stdout)["run"]["health"]["damaged"]


def damage(content, seed):
    """One of several manners of damage, chosen by the seed; used parts of the file are preferred."""
    chance = random.Random(seed)
    used = [HEADER_BYTES // 8] + [offset for offset, _ in extents(content)]
    data = bytearray(content)

    def place():
        start = chance.choice(used)
        spread = chance.choice((EXTENT_HEADER_BYTES, 256, 4096, EXTENT_BYTES))
        return min(len(data) - 8, max(0, start + chance.randrange(spread)))

    manner = seed % 5
    for _ in range(chance.choice((1, 1, 1, 4, 64))):
        at = place()
        if manner == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif manner == 1:
            data[at] = chance.choice((0, 0xFF, 0x7F, 0x80))
        elif manner == 2:
            at &= ~7
            data[at:at + 8] = struct.pack("<Q", chance.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)))
        elif manner == 3:
            at &= ~3
            data[at:at + 4] = struct.pack("<I", chance.choice((0, 1, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1)))
        else:
            length = chance.randrange(1, 512)
            source = place()
            data[at:at + length] = data[source:source + length]
            del data[len(content):]
    return bytes(data)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_flipped(tmp_path, good, verb):
    seeds = range(SEEDS if "json" in verb else SEEDS // 4)

    def one(seed):
        path = write(tmp_path, damage(good, seed), f"seed{seed}.db")
        result = report(*verb, path, timeout=30)
        path.unlink()
        return seed, result

    wrong = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for seed, result in pool.map(one, seeds):
            try:
                assert_answered(result, (0, 2))
            except AssertionError as error:
                wrong.append((seed, str(error)[:300]))
    assert not wrong, wrong


@pytest.mark.parametrize("path", ["/no/such/file.db", "/tmp", "/dev/null", "/dev/zero", "/proc/self/mem"])
def test_no_regular_file(path):
    result = report("--format", "json", path, timeout=20)
    assert_answered(result, (2,))
    assert path.encode() in result.stderr


def test_fifo_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe.db")
    assert_answered(report(tmp_path / "pipe.db", timeout=10), (2,))


def test_closed_output_is_no_crash(tmp_path, good):
    import subprocess
    from hostile_ring import REPORT, base_environment
    path = write(tmp_path, good)
    process = subprocess.Popen([REPORT, "dump", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=base_environment())
    process.stdout.close()
    _, stderr = process.communicate(timeout=30)
    assert process.returncode in (0, 1, 2, 141, -signal.SIGPIPE), (process.returncode, stderr)


def test_full_output_is_an_error(tmp_path, good):
    import subprocess
    from hostile_ring import REPORT, base_environment
    with open("/dev/full", "wb") as full:
        done = subprocess.run([REPORT, write(tmp_path, good), "--format", "json"], stdout=full, stderr=subprocess.PIPE,
                              env=base_environment(), timeout=30)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done
