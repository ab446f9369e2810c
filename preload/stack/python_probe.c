#include "stack/python_probe.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "pieprof/pythons.h"
#include "stack/code_deaths.h"
#include "stack/python.h"
#include "stack/python_code.h"
#include "stack/python_trampoline.h"
#include "stack/source.h"

static struct python_probe probe;
static const struct python_probe *_Atomic ready;
static const char *why = "no Python interpreter in this process";

const struct python_probe *python_probed(void)
{
    return atomic_load_explicit(&ready, memory_order_acquire);
}

const char *python_why(void)
{
    return why;
}

uint32_t python_version(void)
{
    return probe.version_hex;
}

/* "3.11.2 (main, ...)" as PY_VERSION_HEX; a text with a letter behind the number is a pre-release. */
static uint32_t parse_version(const char *text)
{
    uint32_t parts[3] = {0, 0, 0};
    for (unsigned i = 0; i < 3; i++) {
        char *end = NULL;
        parts[i] = (uint32_t)strtoul(text, &end, 10) & 0xff;
        if (*end != '.') {
            uint32_t level = *end == 'a' ? 0xa0 : *end == 'b' ? 0xb0 : *end == 'r' ? 0xc0 : 0xf0;
            return parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | level;
        }
        text = end + 1;
    }
    return 0;
}

/* Version and layout by the interpreter's own table, its version word, or the text every version has. */
static bool choose_layout(void)
{
    const void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (runtime != NULL && python_layout_from_runtime(runtime, &probe.layout, &probe.version_hex)) {
        return true;
    }
    const uint32_t *word = dlsym(RTLD_DEFAULT, "Py_Version");
    const char *(*text)(void) = __extension__(const char *(*)(void)) dlsym(RTLD_DEFAULT, "Py_GetVersion");
    probe.version_hex = word != NULL ? *word : text != NULL ? parse_version(text()) : 0;
    const struct python_layout *row = python_layout_row(probe.version_hex);
    if (row == NULL) {
        return false;
    }
    probe.layout = *row;
    return true;
}

static bool find_symbols(void)
{
    probe.this_thread_state = __extension__(void *(*)(void)) dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    probe.code_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyCode_Type");
    probe.string_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    probe.bytes_type = (uintptr_t)dlsym(RTLD_DEFAULT, "PyBytes_Type");
    return probe.this_thread_state != NULL && probe.code_type != 0 && probe.string_type != 0 && probe.bytes_type != 0;
}

static struct guard_chain_layout chain_of(const struct python_layout *layout)
{
    enum { NO_OWNER = 256 };
    struct guard_chain_layout chain = {.left = (uint64_t)layout->frame_code,
                                       .right = (uint64_t)layout->frame_instruction,
                                       .next = (uint64_t)layout->frame_previous,
                                       .kind = layout->frame_owner >= 0 ? (uint64_t)layout->frame_owner : 0,
                                       .kind_skipped = layout->frame_owner >= 0 ? PYTHON_OWNER_SHIM : NO_OWNER,
                                       .head_count = 1,
                                       .heads = {(uint64_t)layout->thread_frame}};
    if (layout->cframe_current >= 0) {
        chain.head_count = 2;
        chain.heads[0] = (uint64_t)layout->thread_cframe;
        chain.heads[1] = (uint64_t)layout->cframe_current;
    }
    return chain;
}

bool python_probe(void)
{
    enum { LEVEL_MASK = 0xf0, LEVEL_CANDIDATE = 0xc0 };
    if (python_probed() != NULL) {
        return true;
    }
    if (dlsym(RTLD_DEFAULT, "Py_GetVersion") == NULL) {
        return false;
    }
    if (!choose_layout() || dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault") == NULL || !find_symbols()) {
        why = "this version of Python is not supported (" PYTHON_KNOWN " are)";
        return false;
    }
    if ((probe.version_hex & LEVEL_MASK) < LEVEL_CANDIDATE) {
        why = "alpha and beta versions of Python are not supported";
        return false;
    }
    if (!python_code_start()) {
        why = "no memory for the table of code objects";
        return false;
    }
    source_start();
    python_trampoline_start();
    code_deaths_watch(&probe);
    probe.chain = chain_of(&probe.layout);
    why = "";
    atomic_store_explicit(&ready, &probe, memory_order_release);
    return true;
}
