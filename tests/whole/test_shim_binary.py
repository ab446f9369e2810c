"""What the shim asks of a process: libc alone, no name exported by accident, nothing unsafe called in a handler."""
import re
import subprocess

import pytest
import whole

# Functions of other libraries a handler may call: async-signal-safe by POSIX (signal-safety(7)), or plain arithmetic.
SAFE = set(
    """
    memcpy memmove memset memcmp memchr getauxval strlen strnlen strcmp strncmp strchr strrchr strstr __errno_location
    syscall ioctl madvise fstat clock_gettime sigaddset sigdelset sigemptyset sigfillset sigismember
    __memcpy_chk __memset_chk __memmove_chk __stack_chk_fail __popcountdi2
    """.split()
)

# Data of libc's that may be read at any time.
DATA = {"__libc_stack_end", "environ"}

# Allocation functions of C23, for a libc and programs newer than this one.
NEWER = {"free_sized", "free_aligned_sized"}

# Asked by AddressSanitizer.
SANITIZER = {"__asan_default_options"}

# LLVM's and Intel's OpenMP.
LLVM_OPENMP = {"__kmpc_fork_call", "__kmpc_fork_call_if"}

HANDLERS = "handle_trap handle_fault handle_timer signals_sample".split()


def tool(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def exported(path):
    return {line.split()[-1].split("@")[0] for line in tool("nm", "-D", "--defined-only", path).splitlines()}


class CallGraph:
    """Which functions of the shim's objects refer to which; functions have sections of their own."""

    def __init__(self, objects):
        self.references = {}
        self.functions = {}
        for path in objects:
            self.add(path)

    def add(self, path):
        symbols = tool("objdump", "-t", path)
        for section, name in re.findall(r"^\S+ [lg] +F (\.text\S*)\t\S+ (?:\.hidden )?(\S+)$", symbols, re.M):
            self.functions[name] = (path, section)
        section = None
        for line in tool("objdump", "-dr", "--no-show-raw-insn", path).splitlines():
            if line.startswith("Disassembly of section"):
                section = line.split()[-1].rstrip(":")
                self.references[path, section] = set()
            elif "R_X86_64_" in line:
                target = re.split(r"[+-]0x", line.split("\t")[-1])[0]
                self.references[path, section].add(target)

    def reached(self, roots):
        """Every name that the roots lead to, with the way there."""
        ways = {root: (root,) for root in roots}
        waiting = [(*self.functions[root], (root,)) for root in roots]
        seen = set()
        while waiting:
            path, section, way = waiting.pop()
            if (path, section) in seen:
                continue
            seen.add((path, section))
            for target in self.references.get((path, section), ()):
                name = re.sub(r"^\.text\.(unlikely\.)?", "", target)
                ways.setdefault(name, (*way, name))
                if target.startswith(".text"):
                    waiting.append((path, target, ways[name]))
                elif target in self.functions:
                    waiting.append((*self.functions[target], ways[name]))
        return ways


@pytest.fixture(scope="module")
def graph():
    return CallGraph(sorted((whole.BUILD / "preload").rglob("*.o")))


def test_needs_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", tool("readelf", "-d", whole.SHIM))
    assert needed == ["libc.so.6"]


def test_binds_at_load_time():
    assert re.search(r"\bNOW\b", tool("readelf", "-d", whole.SHIM))


def test_stack_is_not_executable():
    header = next(line for line in tool("readelf", "-lW", whole.SHIM).splitlines() if "GNU_STACK" in line)
    assert "RWE" not in header


def test_exports_only_what_it_interposes():
    """Every exported name is one that libc defines, too, or GNU OpenMP, or a sanitizer, or begins LLVM's parallel regions."""
    libc = exported(tool("gcc", "-print-file-name=libc.so.6").strip())
    others = exported(whole.SHIM) - libc - NEWER - SANITIZER - LLVM_OPENMP
    assert {name for name in others if not name.startswith("GOMP_")} == set()


@pytest.mark.parametrize("handler", HANDLERS)
def test_handlers_call_only_safe_functions(graph, handler):
    outside = set(re.findall(r" U (\S+)", tool("nm", "-D", "--undefined-only", whole.SHIM)))
    outside = {name.split("@")[0] for name in outside}
    unsafe = {name: " > ".join(way) for name, way in graph.reached([handler]).items() if name in outside - SAFE - DATA}
    assert unsafe == {}


@pytest.mark.parametrize("function", ["allocated", "note_death"])
def test_what_every_birth_and_death_passes_needs_little_stack(function):
    """All that nearly all of them do is compiled into these (preload/hot.h): what is rare must stay outside, or they need kilobytes."""
    listing = tool("objdump", "-d", "--no-show-raw-insn", whole.SHIM)
    (body,) = re.findall(rf"^\w+ <{function}(?:\.lto_priv\.\d+)?>:\n(.*?)\n\n", listing, re.M | re.S)
    frames = [int(size, 16) for size in re.findall(r"sub +\$0x(\w+),%rsp", body)]
    assert frames and max(frames) <= 512
