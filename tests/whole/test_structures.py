"""Buffers that hold a library's structure are told from arrays by the addresses in them, and not compared."""
import json
import resource

import pytest
import whole
from test_replica import replicas_of, run


def test_a_mask_is_no_structure_full_of_addresses(tmp_path):
    """Eight truth values are a number that may lie in the break of a python that is not relocated, as an address does."""
    source = """
        numbers = np.arange(4000) % 64
        for step in range(50):
            mask = numbers == 3  # A
        """
    path, database = run(tmp_path, source, PIEPROF_DIGEST="full")
    assert replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")["examined"] == 50


def test_a_result_whose_first_numbers_nobody_wrote_is_compared(tmp_path):
    """What malloc left there may point into the C library, as the first word of a structure points into another one."""
    source = """
        x = random.random(5000)
        for step in range(50):
            other = bytes(70000)  # between: see test_allocators.py
            result = np.empty(5000)  # A
            result[2:] = x[2:]
        """
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert found["examined"] == 50 and found["objects"] > 40, found


@pytest.mark.parametrize(
    "words",
    [
        "words[::16] = [start + 128 * i + 8 for i in range(8)]",
        "words[0] = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(\"libstdc++.so.6\"), \"_ZTVSt9exception\")) + 16",
        "words[:2] = 0, id(np.ndarray)",
    ],
    ids=["short strings", "virtual functions", "Python objects"],
)
def test_a_structure_is_known_whatever_lies_between(tmp_path, words):
    """Words that point into the buffer itself, or a first or second one into a library, stored among leftovers."""
    source = """
        import ctypes
        library = ctypes.CDLL(None)
        library.malloc.restype, library.malloc.argtypes, library.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
        for step in range(10):
            start = library.malloc(1024)  # A
            words = random.random(128).view(np.uint64)
            WORDS
            ctypes.memmove(start, words.ctypes.data, 1024)
            library.free(start)
        """.replace("WORDS", words)
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (found["of_objects"], found["examined"]) == (10, 0), found


def test_one_number_among_leftover_addresses_is_no_structure(tmp_path):
    """As a loss is, stored at the start of a buffer of the size of what it is the mean of."""
    source = """
        import ctypes
        library = ctypes.CDLL(None)
        library.malloc.restype, library.malloc.argtypes, library.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
        addresses = np.full(12500, library.malloc(100000), np.uint64) + 8 * np.arange(12500, dtype=np.uint64)
        for step in range(50):
            before = library.malloc(100000)
            ctypes.memmove(before, addresses.ctypes.data, 100000)
            library.free(before)
            start = library.malloc(100000)  # A
            ctypes.memmove(start + 48, np.array([0.5 + step], np.float32).ctypes.data, 4)
            library.free(start)
        """
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (found["unfilled"], found["examined"]) == (50, 0), found


@pytest.mark.parametrize("order", ["structures + sorts", "sorts + structures"])
def test_workspaces_of_a_place_that_makes_structures_are_counted(tmp_path, order):
    """One instruction calls malloc(), whose buffer becomes a structure, and sorts, which take as much for the call."""
    source = """
        import ctypes
        library = ctypes.CDLL(None)
        library.malloc.restype, library.malloc.argtypes, library.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
        structures = [(library.malloc, (1024,), {})] * 3
        sorts = [(random.permutation(512).astype(np.int16).sort, (), {"kind": "stable"}) for step in range(9)]
        for call, arguments, options in ORDER:
            other = np.arange(1000)
            start = call(*arguments, **options)  # A
            if start is not None:
                words = start + 8 * np.arange(128)
                ctypes.memmove(start, words.ctypes.data, 1024)
                library.free(start)
        """.replace("ORDER", order)
    path, database = run(tmp_path, source)
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (found["of_objects"], found["examined"], found["skipped"]) == (3, 0, 0), found
    assert found["workspaces"] >= 9, found


@pytest.mark.parametrize("stack_bytes", [8 << 20, 1 << 40, resource.RLIM_INFINITY], ids=["8 MiB", "1 TiB", "unlimited"])
def test_addresses_are_known_wherever_the_kernel_maps(tmp_path, stack_bytes):
    """An array of the interpreter's objects is full of their addresses, in arenas that it maps. A large stack moves all mappings."""
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the stack's hard limit may not be raised")
    source = """
        objects = [object() for i in range(4000)]
        for step in range(50):
            names = np.array(objects)  # A
        """
    path, database = run(tmp_path, source, lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack_bytes, resource.RLIM_INFINITY)))
    found = replicas_of(json.loads(whole.read_report(database, "--format", "json")), path, "A")
    assert (found["objects"], found["examined"] - found["constant"]) == (0, 0), found  # NumPy 2 stores zeros as it frees it
