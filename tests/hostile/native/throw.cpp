// Exceptions thrown and caught, and the library that serves them.
#include <dlfcn.h>
#include <stdexcept>
#include <string>

static volatile int depth_reached;

static void descend(int depth)
{
    std::string held(64, 'x');
    depth_reached = depth;
    if (depth == 0) {
        throw std::runtime_error(held);
    }
    descend(depth - 1);
    depth_reached = static_cast<int>(held.size());
}

extern "C" int throw_many(int count)
{
    int caught = 0;
    for (int i = 0; i < count; i++) {
        try {
            descend(8);
        } catch (const std::runtime_error &error) {
            caught += error.what()[0] == 'x';
        }
    }
    return caught;
}

extern "C" int throw_across_malloc(int count)
{
    int caught = 0;
    for (int i = 0; i < count; i++) {
        try {
            std::string huge;
            huge.reserve(huge.max_size() + 1UL);
        } catch (const std::length_error &) {
            caught++;
        }
    }
    return caught;
}

extern "C" const char *unwinder()
{
    Dl_info info;
    void *raise = dlsym(RTLD_DEFAULT, "_Unwind_RaiseException");
    if (raise == nullptr) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
        raise = library != nullptr ? dlsym(library, "_Unwind_RaiseException") : nullptr;
    }
    return raise != nullptr && dladdr(raise, &info) != 0 ? info.dli_fname : "none";
}
