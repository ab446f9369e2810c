#include "objects/allocator.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The object in which `address` lies, with its symbol there; NULL for none. */
static const struct link_map *find_object(const void *address, const ElfW(Sym) * *symbol)
{
    Dl_info info;
    struct link_map *object = NULL;
    *symbol = NULL;
    if (dladdr1(address, &info, (void **)symbol, RTLD_DL_SYMENT) == 0 ||
        dladdr1(address, &info, (void **)&object, RTLD_DL_LINKMAP) == 0) {
        return NULL;
    }
    return object;
}

/* Does the object itself define malloc? A program may have an entry of that name which only leads on: undefined, with an
 * address. What it depends on is looked into by dlsym(3), too. */
static bool defines_malloc(const struct link_map *object)
{
    const ElfW(Sym) *symbol = NULL;
    void *handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD); /* NULL for the kernel's */
    const void *address = handle != NULL ? dlsym(handle, "malloc") : NULL;
    bool is_own = address != NULL && find_object(address, &symbol) == object;
    if (handle != NULL) {
        dlclose(handle);
    }
    return is_own && symbol != NULL && symbol->st_shndx != SHN_UNDEF;
}

/* The first object in line before the shim that does, NULL for none. The list is in the order of search. */
static const struct link_map *find_malloc_before_shim(void)
{
    const ElfW(Sym) * symbol;
    const struct link_map *own = find_object(&allocator_is_seen, &symbol);
    const struct link_map *at = own;
    while (at != NULL && at->l_prev != NULL) {
        at = at->l_prev;
    }
    while (at != NULL && at != own && !defines_malloc(at)) {
        at = at->l_next;
    }
    return at != own ? at : NULL;
}

/*
 * Is a block of this malloc one of libc's, which another only passes on? Then the word before it is its chunk's size, 8 or 16
 * bytes more than can be used, with three flags (malloc/malloc.c of glibc). The kernel reads it: there may be nothing.
 */
static bool gives_libc_blocks(void *(*real_malloc)(size_t), size_t bytes)
{
    void (*real_free)(void *);
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
    char *block = real_malloc(bytes);
    size_t word = 0;
    struct iovec to = {&word, sizeof word}, from = {block - sizeof word, sizeof word};
    bool read = block != NULL && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof word;
    if (block != NULL && real_free != NULL) {
        real_free(block);
    }
    size_t chunk = word & ~(size_t)7;
    return read && chunk >= bytes + sizeof word && chunk < bytes + 64;
}

bool allocator_tells_sizes(void *(*real_malloc)(size_t))
{
    const ElfW(Sym) * symbol;
    const void *tells = dlsym(RTLD_NEXT, "malloc_usable_size");
    return tells != NULL && (find_object(tells, &symbol) == find_object((const void *)real_malloc, &symbol) ||
                             (gives_libc_blocks(real_malloc, 3000) && gives_libc_blocks(real_malloc, 7000)));
}

bool allocator_is_seen(char *why, size_t capacity)
{
    const struct link_map *other = find_malloc_before_shim();
    void *(*real_malloc)(size_t);
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
    if (other == NULL && !allocator_tells_sizes(real_malloc)) {
        const ElfW(Sym) * symbol;
        const struct link_map *object = find_object((const void *)real_malloc, &symbol);
        snprintf(why, capacity, "%s does not tell how large its blocks are (malloc_usable_size)",
                 object != NULL ? file_name(object->l_name) : "the allocator");
        return false;
    }
    if (other == NULL) {
        return true;
    }
    if (other->l_prev == NULL) { /* the first of the list */
        snprintf(why, capacity, "the program has a malloc of its own, and what it allocates cannot be seen");
    } else {
        snprintf(why, capacity, "the malloc of %s hides what is allocated: %s", file_name(other->l_name),
                 "name libpieprof.so before it in LD_PRELOAD");
    }
    return false;
}
