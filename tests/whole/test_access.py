"""Verdicts on accesses that are known: each kernel of access_kernels.c runs from a line of its own, again and again.

Where the kernel's meaning forces a share to be all or nothing, exactly that is asked for. What sampling accesses is known
to fall into, and the test of it:
 1. loads misread as stores when decoding backwards     test_vector_loads_are_no_stores; test_machine.c: explains
 2. operands that are no access: hints, masked forms    test_hints_are_no_accesses; test_machine.c: passes over, masked
 3. memory goes away, reading under an armed watch      test_watch_life.c: memory that goes away, reading around
 4. loads of constants                                  test_constants_are_not_judged; test_machine.c: constants
 5. a library's workspace is packed again and again     test_packed_and_read_is_used
 6. no unwind information                               test_scope_without_unwind_information
 7. one watch at a time starves                         test_long_lived_watches_do_not_starve
 8. zeros over zeros                                    test_zeros_are_told
 9. small native structures                             test_small_structures_are_no_objects
10. sleeping through a call loses its loads             test_packed_and_read_is_used
11. two watches hit by one instruction                  test_watch_life.c: two watches
12. the kernel and the allocator touch the bytes        test_sent_..., test_refilled_..., test_heads_of_freed_chunks,
                                                        test_left_to_a_child, test_shared_memory_is_not_judged,
                                                        test_what_the_c_library_writes_out_by_itself
"""
import json
import subprocess
from pathlib import Path

import pytest
import whole

HERE = Path(__file__).resolve().parent
ENOUGH = 10

PROGRAM = """
import ctypes, os, sys, time
lib = ctypes.PyDLL({library!r})
SIZE = {size}
def take(size=SIZE):
    return ctypes.c_void_p(lib.take(size))
lib.take.restype = ctypes.c_void_p
lib.take.argtypes = [ctypes.c_size_t]
number = ctypes.c_uint64
size = ctypes.c_size_t(SIZE)
def repeat(step, seconds={seconds}):
    end, count = time.thread_time() + seconds, 0
    while time.thread_time() < end:
        count += 1
        step(count)
    return count
a, b = take(), take()
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    library = tmp_path_factory.mktemp("kernels") / "libkernels.so"
    flags = ["-O1", "-fno-tree-loop-distribute-patterns", "-fno-builtin", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
             "-fomit-frame-pointer", "-fPIC", "-shared"]
    subprocess.run(["gcc", *flags, "-o", library, HERE / "access_kernels.c", HERE / "access_bare.S"], check=True)
    return library


@pytest.fixture
def measured(kernels, tmp_path):
    """measured("repeat(...)"): runs these lines profiled; gives the report, and its lines by text."""

    def run(*statements, seconds=2, size=1 << 16, rate=1000, **changes):
        path, database = tmp_path / "program.py", tmp_path / "out.db"
        head = PROGRAM.format(library=str(kernels), seconds=seconds, size=size)
        path.write_text(head + "\n".join(statements) + "\n")
        done = whole.execute([whole.PYTHON, path], cwd=tmp_path, env=whole.environment(
            LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE=str(rate), PIEPROF_BUDGET="50", **changes))
        assert done.returncode == 0 and not done.stderr, done.stderr
        report = json.loads(whole.read_report(database, "--format", "json", "--top", "0"))
        if not report["run"]["engines"]["access"]["on"]:
            pytest.skip(report["run"]["engines"]["access"]["why_off"])
        report["printed"] = done.stdout
        return report, {line["text"].strip(): line for line in report["lines"] if line["text"]}

    return run


def expect(line, **shares):
    """Each share is exactly that, over enough pairs."""
    for kind, fraction in shares.items():
        share = line[kind]
        assert share["pairs"] >= ENOUGH, (kind, share)
        assert share["fraction"] == fraction, (kind, share)


ELEMENTS = [8, 16, 32, 64]


@pytest.mark.parametrize("bits", ELEMENTS)
def test_same_value_stored_again(measured, bits):
    text = f"repeat(lambda n: lib.fill{bits}(a, size, number(7)))"
    first = f"lib.fill{bits}(a, size, number(7))"  # which changes what is there
    expect(measured(first, text)[1][text], redundant_stores=1, dead_stores=1)


@pytest.mark.parametrize("bits", ELEMENTS)
def test_other_value_stored_before_any_load(measured, bits):
    text = f"repeat(lambda n: lib.fill{bits}(a, size, number(n)))"
    expect(measured(text)[1][text], redundant_stores=0, dead_stores=1)


@pytest.mark.parametrize("bits", ELEMENTS)
def test_same_value_loaded_again(measured, bits):
    text = f"repeat(lambda n: lib.sum{bits}(a, size))"
    line = measured(text)[1][text]
    expect(line, redundant_loads=1)
    assert line["redundant_stores"]["pairs"] == line["dead_stores"]["pairs"] == 0


@pytest.mark.parametrize("bits", ELEMENTS)
def test_incremented_in_place(measured, bits):
    text = f"repeat(lambda n: lib.increment{bits}(a, size))"
    expect(measured(text)[1][text], redundant_loads=0, redundant_stores=0, dead_stores=0)


def test_filled_and_summed(measured):
    _, lines = measured("def step(n):", "    lib.fill64(a, size, number(n))", "    lib.sum64(a, size)", "repeat(step)")
    expect(lines["lib.fill64(a, size, number(n))"], redundant_stores=0, dead_stores=0)
    expect(lines["lib.sum64(a, size)"], redundant_loads=0)


def test_first_of_two_fills_is_the_dead_one(measured):
    """The second fill's values are read: nothing of it is dead, and what it stores was there."""
    _, lines = measured("def step(n):", "    lib.fill64(a, size, number(n << 32 | n))", "    lib.fill32(a, size, number(0))",
                        "    lib.fill32(a, size, number(0) )", "    lib.sum64(a, size)", "repeat(step)")
    expect(lines["lib.fill64(a, size, number(n << 32 | n))"], dead_stores=1, redundant_stores=0)
    expect(lines["lib.fill32(a, size, number(0))"], dead_stores=1, redundant_stores=0)
    expect(lines["lib.fill32(a, size, number(0) )"], dead_stores=0, redundant_stores=1)


LIBC = "libc = ctypes.PyDLL(None)"


def test_libc_memset(measured):
    text = "repeat(lambda n: libc.memset(a, 7, size))"
    expect(measured(LIBC, "libc.memset(a, 7, size)", text)[1][text], redundant_stores=1, dead_stores=1)


def test_libc_memcpy(measured):
    text = "repeat(lambda n: libc.memcpy(a, b, size))"
    expect(measured(LIBC, text)[1][text], redundant_loads=1, redundant_stores=1, dead_stores=1)


def test_string_fill(measured):
    text = "repeat(lambda n: lib.string_fill(a, size, number(n)))"
    expect(measured(text)[1][text], redundant_stores=0, dead_stores=1)


def test_string_copy(measured):
    text = "repeat(lambda n: lib.string_copy(a, b, size))"
    expect(measured(text)[1][text], redundant_loads=1, redundant_stores=1, dead_stores=1)


def needs_processor(feature):
    if feature not in Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split():
        pytest.skip(f"the processor has no {feature}")


@pytest.mark.parametrize("name, feature", [("fill_avx2", "avx2"), ("fill_avx512", "avx512f")])
def test_vector_stores(measured, name, feature):
    needs_processor(feature)
    text = f"repeat(lambda n: lib.{name}(a, size, number(n)))"
    expect(measured(text)[1][text], redundant_stores=0, dead_stores=1)


def test_vector_loads_are_no_stores(measured):
    """Half of the loads meet their own value (w), none of the stores does, and each is read by the next call."""
    needs_processor("avx2")
    text = "repeat(lambda n: lib.add_avx2(a, b, size))"
    line = measured("lib.fill32(b, size, number(0x3f800000))", text)[1][text]
    expect(line, redundant_stores=0, dead_stores=0)
    assert line["redundant_loads"]["pairs"] >= ENOUGH and 0 < line["redundant_loads"]["fraction"] < 1


def test_hints_are_no_accesses(measured):
    text = "repeat(lambda n: lib.hint(b, a, size, number(n)))"
    line = measured(text)[1][text]
    expect(line, redundant_stores=0, dead_stores=1)
    assert line["redundant_loads"]["pairs"] == 0


def test_constants_are_not_judged(measured):
    text = "repeat(lambda n: lib.sum_table())"
    assert measured(text)[1][text]["redundant_loads"]["pairs"] == 0


def test_packed_and_read_is_used(measured):
    text = "repeat(lambda n: lib.pack(a, size, number(n)))"
    expect(measured(text)[1][text], redundant_stores=0, dead_stores=0)


def test_what_is_left_in_scratch_memory_is_no_waste_of_the_line(measured):
    """Each call finds its scratch memory where the one before had its own: dead, but the library's affair."""
    _, lines = measured("repeat(lambda i: lib.fill_scratch(size, number(i)))  # scratch")
    line = lines["repeat(lambda i: lib.fill_scratch(size, number(i)))  # scratch"]
    dead = line["dead_stores"]
    assert dead["pairs"] >= ENOUGH and dead["fraction"] == 1, dead
    assert line["replicas"]["workspaces"] > 0 and line["waste_s"] == 0


def test_a_result_that_nobody_reads_is_waste_in_recycled_memory_too(measured):
    _, lines = measured("def step(i):", "    made = take()  # unread", "    lib.drop(made)", "repeat(step)")
    line = lines["return ctypes.c_void_p(lib.take(size))"]
    assert line["dead_stores"]["pairs"] >= ENOUGH and line["dead_stores"]["fraction"] == 1
    assert line["replicas"]["workspaces"] == 0 and line["waste_s"] > 0.5 * line["time_s"]


@pytest.mark.parametrize("name", ["fill_bare", "fill64"])
def test_scope_without_unwind_information(measured, name):
    """Where calls' return addresses stand the first stacks teach. Until then it is unknown if earlier calls left others there."""
    text = f"repeat(lambda n: lib.{name}(a, size, number(n)))"
    report, lines = measured(text)
    expect(lines[text], dead_stores=1)
    dead = lines[text]["dead_stores"]
    assert dead["pairs"] - 3 <= dead["across"]["pairs"] <= dead["pairs"]
    assert "within" not in {pair["scope"] for pair in report["pairs"]}


def test_a_call_of_a_function_that_a_library_called_ends_with_it(measured):
    """
    Behind its last native call the inner function frees nothing and returns: its evaluation loop calls nobody any more, so the return
    slot is not written, and later lies in what is a hole of the next call's stack.
    """
    inner, outer = "lib.fill64(a, size, seven)", "lib.fill_deep(a, size, eight)"
    deep = ["seven, eight, one = number(7), number(8), [1]", "lib.fill64.restype = lib.fill_deep.restype = None", "def called_0(n):", f"    {inner}"]
    for level in range(1, 7):
        deep += [f"def called_{level}(n):", f"    list(map(called_{level - 1}, one))"]
    report, lines = measured(*deep, "def step(n):", "    called_6(n)", f"    {outer}", "repeat(step)")
    for text in (inner, outer):
        expect(lines[text], dead_stores=1)
        assert lines[text]["dead_stores"]["across"]["pairs"] == lines[text]["dead_stores"]["pairs"]
    assert {pair["scope"] for pair in report["pairs"]} == {"across"}


def test_long_lived_watches_do_not_starve(measured):
    """
    Each watch lives for a whole pass over the buffer: one at a time could finish one pair a pass, at most. A pass is made as long as
    some 2.6 ticks, however fast the machine is: with more of them than registers many watches are given up, which is as it should be.
    """
    text = "print(repeat(lambda n: lib.fill_thinking(a, part, number(n)), 3))"
    report, lines = measured("def pass_s():", "    begun = time.thread_time()", "    lib.fill_thinking(a, size, number(0))",
                             "    return time.thread_time() - begun",
                             "part = ctypes.c_size_t(int(min(1, 2.6 / 500 / min(pass_s() for _ in range(5))) * SIZE) // 8 * 8)",
                             text, size=1 << 22, rate=500)
    expect(lines[text], redundant_stores=0, dead_stores=1)
    assert lines[text]["redundant_stores"]["pairs"] > 1.1 * int(report["printed"])
    health = report["run"]["health"]
    assert health["finished"] > 0.5 * health["armed"], {**health, "dropped": {why: n for why, n in health["dropped"].items() if n}}


@pytest.mark.parametrize("value", [0, 7])
def test_zeros_are_told(measured, value):
    text = f"repeat(lambda n: lib.fill64(a, size, number({value})))"
    report, lines = measured(f"lib.fill64(a, size, number({value}))", text)
    expect(lines[text], redundant_stores=1)
    share, total = lines[text]["redundant_stores"], report["totals"]["redundant_stores"]
    assert share["zero"] == (share["pairs"] if value == 0 else 0)
    others = total["pairs"] - share["pairs"]  # of the interpreter's start
    assert share["zero"] <= total["zero"] <= share["zero"] + others
    of_line = [pair for pair in report["pairs"] if pair["second"]["line"] == lines[text]["line"]]
    assert of_line and all(pair["zero"] == (pair["count"] if value == 0 else 0) for pair in of_line)


def test_small_structures_are_no_objects(measured):
    text = "repeat(lambda n: lib.small_structures(number(n)))"
    report, lines = measured(text)
    assert all(lines[text][kind]["pairs"] == 0 for kind in ("redundant_loads", "redundant_stores", "dead_stores"))
    assert report["totals"]["other_pairs"] >= ENOUGH


def test_what_the_interpreter_asks_of_the_c_library_is_no_native_code(measured):
    report, lines = measured("zero = os.open('/dev/zero', os.O_RDONLY)", "repeat(lambda n: os.read(zero, SIZE))")
    health = report["run"]["health"]
    assert lines["repeat(lambda n: os.read(zero, SIZE))"]["samples"] >= 100
    assert health["native"] <= health["samples"] // 100, health


def test_sent_before_it_is_filled_again(measured):
    """write() read the buffer: the kernel's loads trap nowhere."""
    _, lines = measured("file = os.open('/dev/null', os.O_WRONLY)", "def step(n):", "    lib.fill64(a, size, number(n))",
                        "    lib.give(file, a, size)", "repeat(step)")
    expect(lines["lib.fill64(a, size, number(n))"], redundant_stores=0, dead_stores=0)


def test_sent_as_a_message(measured):
    _, lines = measured("import socket", "ends = socket.socketpair()", "ends[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)",
                        "view = (ctypes.c_char * SIZE).from_address(a.value)", "def step(n):", "    lib.fill64(a, size, number(n))",
                        "    ends[0].sendmsg([view])", "    ends[1].recv(2 * SIZE)", "repeat(step)")
    expect(lines["lib.fill64(a, size, number(n))"], redundant_stores=0, dead_stores=0)


def test_sent_but_for_its_head(measured):
    """Of a watched word the kernel may read a part."""
    _, lines = measured("file = os.open('/dev/null', os.O_WRONLY)", "def step(n):", "    lib.fill64(a, ctypes.c_size_t(1024), number(n))",
                        "    lib.give(file, ctypes.c_void_p(a.value + 4), ctypes.c_size_t(1020))", "repeat(step)", size=1024)
    expect(lines["lib.fill64(a, ctypes.c_size_t(1024), number(n))"], redundant_stores=0, dead_stores=0)


def test_left_to_a_child(measured):
    """A forked child reads its own copy, which no watch is on."""
    _, lines = measured("def step(n):", "    lib.fill64(a, size, number(n))", "    child = os.fork()", "    if child == 0:",
                        "        lib.sum64(a, size)", "        os._exit(0)", "    os.waitpid(child, 0)", "repeat(step)", size=1 << 20,
                        PIEPROF_MAX_SIZE="1G")
    expect(lines["lib.fill64(a, size, number(n))"], redundant_stores=0, dead_stores=0)


def test_shared_memory_is_not_judged(measured):
    """Another process may be the next to read it."""
    _, lines = measured("import mmap", "shared = mmap.mmap(-1, SIZE)", "place = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(shared)))",
                        "repeat(lambda n: lib.fill64(place, size, number(n)))")
    line = lines["repeat(lambda n: lib.fill64(place, size, number(n)))"]
    assert line["samples"] >= 100 and line["redundant_stores"]["pairs"] == line["dead_stores"]["pairs"] == 0


def test_what_the_c_library_writes_out_by_itself(measured):
    """fflush() writes a stream's buffer by a call within the C library: nobody could tell that what was stored there is used."""
    text = "c.fwrite(a, 1, 3000, stream)"
    report, lines = measured("c = ctypes.PyDLL(None)", "c.fopen.restype = ctypes.c_void_p",
                             "stream = ctypes.c_void_p(c.fopen(b'/dev/null', b'w'))", "def step(n):", f"    {text}", "    c.fflush(stream)",
                             "repeat(step)")
    assert lines[text]["samples"] >= 100 and report["totals"]["other_pairs"] >= ENOUGH
    assert all(lines[text][kind]["pairs"] == 0 for kind in ("redundant_stores", "dead_stores"))


def test_overwritten_ten_times_in_a_call(measured):
    """The watch sleeps through most rounds: what it did not see is not called used."""
    _, lines = measured("repeat(lambda n: lib.fill_rounds(a, size, number(1000 * n)))")
    expect(lines["repeat(lambda n: lib.fill_rounds(a, size, number(1000 * n)))"], redundant_stores=0, dead_stores=1)


def test_a_call_without_a_load_loses_no_samples(measured):
    """A second and more of nothing but stores: the samples that want a load wait for the first behind it."""
    report, _ = measured("repeat(lambda n: lib.fill_rounds(a, size, number(n)))", size=1 << 27)
    health = report["run"]["health"]
    assert health["native"] >= 500 and health["resolved"] >= 0.95, health
    assert not health["dropped"]["breakpoint_missed"], health


@pytest.mark.parametrize("tolerance, equal", [("0", 0), ("1e-6", 1), ("1e-12", 0)])
def test_numbers_that_hardly_differ(measured, tolerance, equal):
    text = "repeat(lambda n: lib.fill_numbers(a, size, ctypes.c_double(3 + 1e-9 * (n % 2))))"
    report, lines = measured(text, PIEPROF_FP_TOLERANCE=tolerance)
    expect(lines[text], redundant_stores=equal, dead_stores=1)
    assert report["run"]["engines"]["access"]["fp_tolerance"] == float(tolerance)


def test_a_recursion_loses_no_samples(measured):
    """NumPy sums halves of halves: whoever waits for a store behind one of these calls meets all the others first."""
    report, _ = measured("import numpy as np", "x = np.random.default_rng(0).random((2000, 256))", "repeat(lambda n: x.sum())")
    health = report["run"]["health"]
    assert health["native"] >= 200 and health["resolved"] >= 0.95, health


def test_stores_by_string_instructions_alone_are_watched(measured):
    """Each turn of one is a store of its own: told apart, the watch sleeps before it has eaten the budget."""
    report, _ = measured("repeat(lambda n: lib.string_rounds(a, size, number(n)))", rate=250)
    health = report["run"]["health"]
    assert health["resolved"] >= 0.95 and health["finished"] >= 30, health
    assert health["traps"] <= 40 * health["armed"], health


def test_unaligned_values_are_compared_whole(measured):
    _, lines = measured("odd = ctypes.c_void_p(a.value + 3)", "part = ctypes.c_size_t(SIZE - 64)",
                        "repeat(lambda n: lib.fill32(odd, part, number(n)))")
    expect(lines["repeat(lambda n: lib.fill32(odd, part, number(n)))"], redundant_stores=0, dead_stores=1)


def test_refilled_by_the_kernel(measured):
    """pread() put other bytes there: neither does a load meet its own value, nor is a value stored over itself."""
    _, lines = measured("file = os.memfd_create('parts')", "os.write(file, os.urandom(2 * SIZE))", "def step(n):",
                        "    lib.get(file, a, size, number(n))", "    lib.sum64(a, size)",
                        "    lib.get(file, b, size, number(n))", "    lib.fill64(b, size, number(7))", "repeat(step)")
    expect(lines["lib.sum64(a, size)"], redundant_loads=0)
    expect(lines["lib.fill64(b, size, number(7))"], redundant_stores=0)
    assert not lines["lib.fill64(b, size, number(7))"]["dead_stores"]["fraction"]


def test_heads_of_freed_chunks(measured):
    """Between the program's stores into a chunk's first words the allocator kept its links there: no verdict."""
    text = "repeat(lambda n: lib.chunk_heads(number(7)))"
    report, lines = measured(text, seconds=6)  # most of it runs in the allocator, where nothing is armed
    assert lines[text]["dead_stores"]["pairs"] == lines[text]["redundant_stores"]["across"]["pairs"] == 0
    assert not lines[text]["redundant_stores"]["fraction"]
    assert report["run"]["health"]["dropped"]["watch_allocator"] >= ENOUGH
