"""Programs under valgrind and the sanitizers: they run as without the shim, which says in one line that it keeps out."""
import re
import shutil
import subprocess

import pytest

import whole

# A program of C that embeds the interpreter, and one without Python that makes the mistake the tool is there for.
EMBEDS = """
#include <Python.h>
int main(void)
{
    Py_Initialize();
    PyRun_SimpleString("import threading; threading.Thread(target=print, args=[sum(range(1000))]).start()");
    Py_Finalize();
    return 3;
}
"""
MISTAKEN = """
#include <stdlib.h>
#include <string.h>
int main(int count, char **words)
{
    char *volatile block = malloc(100);
    memset(block, 1, 100);
    free(block);
    return block[count];
}
"""
PYTHON_PROGRAM = "blocks = [bytearray(i * 10) for i in range(2000)]; print(sum(map(len, blocks)))"
RUNTIMES = {"address": ("libasan", "AddressSanitizer"), "thread": ("libtsan", "ThreadSanitizer"), "leak": ("liblsan", "LeakSanitizer")}
# What the interpreter leaves at its end is no concern here.
QUIET = {"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0"}


def refusal(tool):
    return f"pieprof: {tool} runs in this process, and PieProf cannot share it: to profile, run the program without; it runs unprofiled\n"


def run(command, directory, preload="", **changes):
    return whole.execute(command, env=whole.environment(LD_PRELOAD=preload, **QUIET, **changes), cwd=directory)


def assert_refused(command, directory, tool, preload, plain_preload=""):
    plain = run(command, directory, plain_preload)
    done = run(command, directory, preload)
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert done.stderr.replace(refusal(tool), "", 1) == plain.stderr and refusal(tool) in done.stderr
    assert not list(directory.glob("*.db"))
    return done


def compile_with(directory, source, compiler, sanitizer, *flags):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (directory / "program.c").write_text(source)
    command = [compiler, "-w", f"-fsanitize={sanitizer}", "program.c", "-o", "program", *flags]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if done.returncode != 0:
        why = (done.stderr.splitlines() or ["no message"])[0]
        pytest.skip(f"{compiler} has no runtime of -fsanitize={sanitizer} here: {why}")
    return [directory / "program"]


def python_flags():
    config = f"{whole.PYTHON}-config"
    if shutil.which(config) is None:
        pytest.skip(f"{config} is missing")
    return subprocess.run([config, "--embed", "--cflags", "--ldflags"], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("compiler, sanitizer", [("gcc", name) for name in RUNTIMES] + [("clang", "address"), ("clang", "thread")])
def test_a_sanitized_program_that_embeds_python(tmp_path, compiler, sanitizer):
    command = compile_with(tmp_path, EMBEDS, compiler, sanitizer, *python_flags())
    done = assert_refused(command, tmp_path, RUNTIMES[sanitizer][1], str(whole.SHIM))
    assert (done.returncode, done.stdout) == (3, "499500\n")


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("sanitizer", RUNTIMES)
def test_a_runtime_preloaded_into_python(tmp_path, sanitizer, order):
    library, tool = RUNTIMES[sanitizer]
    path = subprocess.run(["gcc", f"-print-file-name={library}.so"], capture_output=True, text=True).stdout.strip()
    if not path.startswith("/"):
        pytest.skip(f"gcc has no {library} here")
    both = f"{path}:{whole.SHIM}" if order == "before" else f"{whole.SHIM}:{path}"
    # Alone it comes first in line, and nothing is asked about the order.
    done = assert_refused([whole.PYTHON, "-c", PYTHON_PROGRAM], tmp_path, tool, both, path)
    assert done.stdout == "19990000\n"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_mistake_is_still_found(tmp_path, compiler):
    command = compile_with(tmp_path, MISTAKEN, compiler, "address")
    plain, done = run(command, tmp_path), run(command, tmp_path, str(whole.SHIM))
    assert done.returncode == plain.returncode != 0
    assert "heap-use-after-free" in plain.stderr and "heap-use-after-free" in done.stderr
    assert "pieprof" not in done.stderr.splitlines()[0]  # there is no Python: nothing is said


def test_options_of_the_program_and_the_user_are_kept(tmp_path):
    options = MISTAKEN + 'const char *__asan_default_options(void) { return "exitcode=41:verify_asan_link_order=0"; }\n'
    command = compile_with(tmp_path, options, "gcc", "address", "-rdynamic")
    assert run(command, tmp_path, str(whole.SHIM)).returncode == 41
    command = compile_with(tmp_path, MISTAKEN, "gcc", "address")
    done = whole.execute(command, env=whole.environment(LD_PRELOAD=str(whole.SHIM), ASAN_OPTIONS="exitcode=42"), cwd=tmp_path)
    assert done.returncode == 42


def errors_of(text):
    return re.findall(r"ERROR SUMMARY: (\d+ errors)|definitely lost: (.*)", text)


def valgrind():
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    return ["valgrind", "--leak-check=summary"]


@pytest.mark.parametrize("way", ["client", "through env"])
def test_valgrind(tmp_path, way):
    """It finds what it finds without the shim: in Python, and in a program of C that makes a mistake."""
    program = [whole.PYTHON, "-c", PYTHON_PROGRAM]
    plain = run([*valgrind(), *program], tmp_path)
    if way == "client":
        done = run([*valgrind(), *program], tmp_path, str(whole.SHIM))
    else:
        done = run([*valgrind(), "--trace-children=yes", "env", f"LD_PRELOAD={whole.SHIM}", *program], tmp_path)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert done.stderr.count(refusal("Valgrind")) == done.stderr.count("pieprof: ") == 1
    assert errors_of(done.stderr[done.stderr.index("pieprof: "):]) == errors_of(plain.stderr)
    assert not list(tmp_path.glob("*.db"))


def test_valgrind_still_finds_a_mistake(tmp_path):
    (tmp_path / "program.c").write_text(MISTAKEN)
    subprocess.run(["gcc", "-w", "program.c", "-o", "program"], cwd=tmp_path, check=True)
    plain, done = (run([*valgrind(), tmp_path / "program"], tmp_path, preload) for preload in ("", str(whole.SHIM)))
    assert errors_of(done.stderr) == errors_of(plain.stderr) and "Invalid read" in done.stderr
