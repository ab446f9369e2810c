"""What the shim asks of a process: libc alone, no name exported by accident, nothing unsafe called in a handler."""
import re
import subprocess

import pytest
import whole

HANDLER_MARK = "Runs in signal handlers."

# Functions a handler may call: async-signal-safe by POSIX (signal-safety(7)) or plain arithmetic on memory.
SAFE = set(
    """
    memcpy memmove memset memcmp strlen strnlen strcmp strncmp memchr strchr strrchr __errno_location
    syscall read pread pread64 write close ioctl fcntl fcntl64 open open64 openat fstat fstat64 lseek madvise
    mmap mmap64 munmap mprotect getpid gettid raise kill tgkill _exit sched_yield
    clock_gettime timer_settime timer_gettime timer_getoverrun
    sigaction sigprocmask sigemptyset sigaddset sigdelset sigfillset sigismember
    process_vm_readv __sigsetjmp siglongjmp _setjmp longjmp _longjmp
    __memcpy_chk __memset_chk __memmove_chk __stack_chk_fail
    _GLOBAL_OFFSET_TABLE_ __tls_get_addr
    """.split()
)


def tool(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def symbols(path, *options):
    return {line.split()[-1].split("@")[0] for line in tool("nm", *options, path).splitlines() if line.strip()}


def object_of(source):
    return whole.BUILD / source.relative_to(whole.ROOT).with_suffix(".o")


def handler_sources():
    return [path for path in sorted((whole.ROOT / "preload").rglob("*.c")) if HANDLER_MARK in path.read_text()[:2000]]


def test_needs_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", tool("readelf", "-d", whole.SHIM))
    assert needed == ["libc.so.6"]


def test_binds_at_load_time():
    assert re.search(r"\bNOW\b", tool("readelf", "-d", whole.SHIM))


def test_exports_only_what_it_interposes():
    """Every exported name is one that some other library defines, too, or that GNU OpenMP does."""
    ours = symbols(whole.SHIM, "-D", "--defined-only")
    libc = symbols("/lib/x86_64-linux-gnu/libc.so.6", "-D", "--defined-only")
    assert {name for name in ours - libc if not name.startswith("GOMP_")} == set()


def test_stack_is_not_executable():
    header = next(line for line in tool("readelf", "-lW", whole.SHIM).splitlines() if "GNU_STACK" in line)
    assert "RWE" not in header


def test_some_files_run_in_handlers():
    assert handler_sources()


@pytest.mark.parametrize("source", handler_sources(), ids=lambda path: path.stem)
def test_handlers_call_only_safe_functions(source):
    defined_by_handlers = set().union(*(symbols(object_of(path), "--defined-only") for path in handler_sources()))
    data = set()
    for path in sorted((whole.ROOT / "preload").rglob("*.c")):
        listing = tool("nm", "--defined-only", object_of(path)).splitlines()
        data |= {line.split()[-1] for line in listing if line.split()[-2] in "BDRCbdrV"}
    assert symbols(object_of(source), "--undefined-only") - SAFE - defined_by_handlers - data == set()
