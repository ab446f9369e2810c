/* embed LIBPYTHON [TIMES]: opens it, runs some code, ends it, TIMES times over; then goes on without Python. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const program = "import time, zlib\n"
                                   "end = time.thread_time() + 0.3\n"
                                   "while time.thread_time() < end: zlib.crc32(bytes(1000000))\n"
                                   "print('embedded', sum(range(100)), flush=True)\n";

int main(int count, char **arguments)
{
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
    int times = count > 2 ? atoi(arguments[2]) : 1;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    void (*begin)(void) = (void (*)(void))dlsym(library, "Py_Initialize");
    int (*run)(const char *) = (int (*)(const char *))dlsym(library, "PyRun_SimpleString");
    int (*finish)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
    for (int i = 0; i < times; i++) {
        begin();
        if (run(program) != 0 || finish() != 0) {
            return 3;
        }
    }
    for (volatile long i = 0; i < 100000000; i++) {
    }
    free(malloc(100000));
    printf("after 42\n");
    return 0;
}
