#include "stack/python_trampoline.h"

#include <dlfcn.h>
#include <string.h>

#define PYTHON_3_13 0x30du

_Atomic uintptr_t python_trampoline_code;

void python_trampoline_start(void)
{
    atomic_store(&python_trampoline_code, (uintptr_t)dlsym(RTLD_DEFAULT, "_Py_InitCleanup"));
}

/* What is compiled has a first line, and a table of lines. */
void python_trampoline_meet(uint32_t version, uintptr_t code, int32_t first_line, const char *name, size_t name_bytes,
                            size_t lines_bytes)
{
    static const char own_name[] = "__init__";
    if (version >= PYTHON_3_13 && first_line == 0 && lines_bytes <= 1 && name_bytes == sizeof own_name - 1 &&
        memcmp(name, own_name, name_bytes) == 0) {
        atomic_store_explicit(&python_trampoline_code, code, memory_order_relaxed);
    }
}
