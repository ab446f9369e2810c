"""What numbers buffers hold (PIEPROF_CONTENT): the type that is told, shares and ranges against the arrays themselves, the ratio against
zfp of whole arrays; nothing where it is not asked for, and no contents in the file but for `samples`."""
import ctypes
import json
import math
import struct
import textwrap

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())
HEAD = """
import numpy as np
random = np.random.default_rng(1)
"""

# Each marked line makes elements of that type; where it could be something else, none is told. `f` has no type: its bytes are no numbers
# of one kind.
TYPES = {
    "numpy": """
        order = random.permutation(20000)
        table = np.arange(20000) * 0.25
        names = np.array([b"acgt" * 8] * 2000)
        for step in range(20):
            a = random.normal(size=20000)  # float64
            b = a.astype(np.float32)  # float32
            c = np.maximum(b, 0)  # float32
            d = order + step  # int64
            e = a > step * 0.01 - 1  # bool
            f = (b * 100).astype(np.int32)  # float32 int32
            g = order - 10000  # int64
            h = (order + step) % 200 - 100  # int64
            i = b.astype(np.float16)  # unknown
            j = (a * 20 + 128 + step).astype(np.uint8)  # float64 unknown
            k = b.astype(np.float64)  # float64
            l = (b * 300).astype(np.int16)  # float32 unknown
            m = random.integers(0, 2**31, 20000, dtype=np.int32)  # unknown
            n = np.where(b > step, 0.5, 0.25)  # bool float64
            o = np.char.add(names, b"tgca")  # unknown
            p = a + 1j  # float64
            q = b * np.float32(1e-5)  # float32
            r = np.sqrt(b)  # float32
        """,
    "torch": """
        import torch
        torch.manual_seed(0)
        for step in range(20):
            a = torch.randn(20000)  # float32
            b = a.to(torch.bfloat16)  # unknown
            c = a.half()  # unknown
            d = a.double()  # float64
            e = (a * 1000).long()  # float32 int64
            f = a > 0  # bool
            g = torch.relu(a)  # float32
            h = torch.randn(20000, dtype=torch.complex64)  # float32
            i = (a * 30).to(torch.int8)  # float32 unknown
        """,
}


def profile(tmp_path, source, content="1", **changes):
    path, database = tmp_path / "program.py", tmp_path / ("out-%s.db" % content)
    path.write_text(HEAD + textwrap.dedent(source))
    changes = {**changes, "LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database)}
    if content is not None:
        changes["PIEPROF_CONTENT"] = content
    done = whole.execute([whole.PYTHON, "-W", "ignore", path], env=whole.environment(**changes))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(whole.read_report(database, "--format", "json", "--top", "200"))
    jsonschema.validate(report, SCHEMA)
    lines = {line["line"]: line for line in report["lines"] if line["file"] == str(path)}
    return path, database, report, lines


def contents_of(path, lines, code):
    """Of the line that begins with this."""
    (number,) = [number for number, text in enumerate(path.read_text().splitlines(), 1) if text.strip().startswith(code)]
    return {content["type"]: content for content in lines[number]["content"]}


@pytest.mark.parametrize("source", TYPES.values(), ids=TYPES)
def test_types_are_told_or_left_open(tmp_path, source):
    path, _, _, lines = profile(tmp_path, source)
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if "  # " in text:
            told = {content["type"] for content in lines[number]["content"]}
            assert told == set(text.split("  # ")[1].split()), text


SHARES = """
    a = random.normal(size=400000)
    for step in range(40):
        b = a * (1.0 + step / 100)
        half = np.maximum(b, 0.0)  # zeros where nothing is positive
        masked = np.where(b > 0.8, b, -1e9)
        rooted = np.sqrt(np.where(random.random(400000) < 0.75, b, 4.0))
        floats = b.astype(np.float32)
        minus = np.minimum(floats, 0) * np.float32(-1)
        far = np.divide(b, b > 0)
    """


def test_shares_and_ranges_are_those_of_the_arrays(tmp_path):
    path, _, _, lines = profile(tmp_path, SHARES)

    def near(share, truth, content):
        assert share == pytest.approx(truth, abs=4.5 * math.sqrt(truth * (1 - truth) / content["elements"])), (share, truth)

    half = contents_of(path, lines, "half")["float64"]
    near(half["zero_fraction"], 0.5, half)
    assert half["repeated_fraction"] == 0 and half["nan"] == half["infinite"] == 0 and 3 < half["highest"] < 8
    masked = contents_of(path, lines, "masked")["float64"]
    assert 0.71 < masked["repeated_fraction"] < 0.79  # by the step: the normal distribution below 0.8 to 0.8 / 1.39
    assert masked["zero_fraction"] == 0 and masked["highest"] == 1e9
    rooted = contents_of(path, lines, "rooted")["float64"]  # with the two buffers that it is made of
    assert rooted["nan"] / rooted["elements"] == pytest.approx(0.375 / 3, abs=0.01)
    floats = contents_of(path, lines, "floats")["float32"]
    assert floats["zero_fraction"] == 0 and 0 < floats["lowest"] < 1e-3 and 3 < floats["highest"] < 8
    minus = contents_of(path, lines, "minus")["float32"]  # zeros, and zeros with a sign
    near(minus["zero_fraction"], 0.5, minus)
    assert minus["repeated_fraction"] == 0
    far = contents_of(path, lines, "far")["float64"]
    near(far["infinite"] / far["elements"], 0.5, far)


def test_counts_are_the_same_in_every_run(tmp_path):
    found = set()
    for rate in ("250", "2000", "250"):
        lines = profile(tmp_path, SHARES, PIEPROF_RATE=rate)[3]
        found.add(json.dumps({number: line["content"] for number, line in lines.items() if line["content"]}, sort_keys=True))
    assert len(found) == 1


SMOOTH = """
    for step in range(70):
        wave = np.sin(np.arange(2**18) * (1e-4 + 1e-6 * step)).astype(np.float32)
        noise = random.random(2**18, dtype=np.float32)
    secret = np.full(4096, 1234567.890625) + np.arange(4096) % 4
    np.save("WAVE", wave); np.save("NOISE", noise)
    """


def smooth(wave, noise):
    return SMOOTH.replace("WAVE", str(wave)).replace("NOISE", str(noise))


def whole_ratio(path):
    """zfp of the whole array as one dimension, at the same tolerance."""
    library = ctypes.CDLL("libzfp.so.1")
    data = path.read_bytes()
    header = 10 + struct.unpack_from("<H", data, 8)[0]
    single, payload = b"<f4" in data[:header], data[header:]
    values = struct.unpack("<%d%s" % (len(payload) // (4 if single else 8), "f" if single else "d"), payload)
    for name in ("zfp_field_1d", "zfp_stream_open", "stream_open"):
        getattr(library, name).restype = ctypes.c_void_p
    library.zfp_stream_set_accuracy.argtypes = [ctypes.c_void_p, ctypes.c_double]
    library.zfp_compress.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.zfp_compress.restype = ctypes.c_size_t
    library.stream_open.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.zfp_stream_open.argtypes = [ctypes.c_void_p]
    library.zfp_field_1d.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    room = ctypes.create_string_buffer(2 * len(payload))
    stream = library.zfp_stream_open(library.stream_open(room, len(room)))
    library.zfp_stream_set_accuracy(stream, 1e-3 * max(map(abs, values)))
    field = library.zfp_field_1d(ctypes.cast(ctypes.create_string_buffer(payload, len(payload)), ctypes.c_void_p), 3 if single else 4,
                                 len(values))
    return len(payload) / library.zfp_compress(stream, field)


def test_the_ratio_is_that_of_the_whole_array(tmp_path):
    wave, noise = tmp_path / "wave.npy", tmp_path / "noise.npy"
    path, database, _, lines = profile(tmp_path, smooth(wave, noise), content="samples")
    ratio = contents_of(path, lines, "wave")["float32"]["compression"]
    # Of the greatest in the sample, not in the whole: of noise it is smaller, so less error is allowed.
    assert ratio["samples"] == 4 and ratio["ratio"] == pytest.approx(whole_ratio(wave), rel=0.15)
    noisy = contents_of(path, lines, "noise")["float32"]["compression"]
    assert noisy["ratio"] == pytest.approx(whole_ratio(noise), rel=0.15) and noisy["ratio"] < ratio["ratio"]
    assert "times smaller (error up to 0.001 of the greatest" in " ".join(whole.read_report(database, "--top", "50").split())


def test_no_contents_are_in_the_file_unless_asked_for(tmp_path):
    secret = struct.pack("<dd", 1234568.890625, 1234569.890625)  # neighbours, and neither the lowest nor the highest
    for content, stored in (("0", False), ("1", False), ("samples", True)):
        directory = tmp_path / content
        directory.mkdir()
        path, database, report, lines = profile(directory, smooth(tmp_path / "a.npy", tmp_path / "b.npy"), content=content)
        assert (secret in database.read_bytes()) == stored, content
        if content != "0":
            compression = contents_of(path, lines, "wave")["float32"]["compression"]
            assert (compression is not None) == stored


@pytest.mark.parametrize("content", [None, "0"])
def test_nothing_is_told_where_it_is_not_asked_for(tmp_path, content):
    _, database, report, lines = profile(tmp_path, "a = np.cumsum(random.normal(size=40000))", content=content)
    assert report["totals"]["content"] is None and all(line["content"] is None for line in lines.values())
    assert "content" not in whole.read_report(database)


def test_a_bad_value_is_refused(tmp_path):
    done = whole.execute([whole.PYTHON, "-c", "print(7)"], cwd=tmp_path,
                         env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_CONTENT="yes"))
    assert (done.returncode, done.stdout) == (0, "7\n") and not (tmp_path / "out.db").exists()
    assert done.stderr == 'pieprof: PIEPROF_CONTENT="yes" is not 0, 1 or samples; the program runs unprofiled\n'
