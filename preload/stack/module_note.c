#include "stack/module_note.h"

#include <elf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pieprof/db.h"
#include "stack/guard.h"

/* "DIRECTORY/" where a name that has a slash but not at its start is from; the bytes written, 0 when nothing goes before
 * it. By system call: the C library's getcwd may allocate. */
static size_t put_directory(const char *loader_name, char *to, size_t room_bytes)
{
    if (loader_name[0] == '/' || strchr(loader_name, '/') == NULL) {
        return 0;
    }
    long used = syscall(SYS_getcwd, to, room_bytes); /* with the NUL */
    if (used <= 1 || to[0] != '/') {                 /* "(unreachable)..." where it is outside our root */
        return 0;
    }
    to[used - 1] = '/';
    return used == 2 ? 1 : (size_t)used;
}

size_t module_note_path(const char *loader_name, bool executable, char *to, size_t room_bytes)
{
    if (executable) {
        ssize_t length = room_bytes > 1 ? readlink("/proc/self/exe", to, room_bytes - 1) : -1;
        if (length <= 0) {
            return 0;
        }
        to[length] = '\0';
        return (size_t)length + 1;
    }
    if (loader_name == NULL || loader_name[0] == '\0') {
        loader_name = "linux-vdso.so.1"; /* besides the executable only the kernel's object comes without a name */
    }
    size_t before = put_directory(loader_name, to, room_bytes);
    loader_name += before > 0 && strncmp(loader_name, "./", 2) == 0 ? 2 : 0;
    size_t bytes = strlen(loader_name) + 1;
    if (bytes > room_bytes - before) {
        return 0;
    }
    memcpy(to + before, loader_name, bytes);
    return before + bytes;
}

static uint32_t scan_notes(const uint8_t *at, size_t bytes, uint8_t *to)
{
    ElfW(Nhdr) note;
    while (bytes >= sizeof note && guard_read(&note, at)) {
        size_t name_bytes = (note.n_namesz + 3u) & ~(size_t)3;
        size_t data_bytes = (note.n_descsz + 3u) & ~(size_t)3;
        size_t whole = sizeof note + name_bytes + data_bytes;
        if (whole > bytes) {
            return 0;
        }
        char name[4] = "";
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= DB_BUILD_ID_BYTES &&
            guard_copy(name, at + sizeof note, sizeof name) && memcmp(name, "GNU", 4) == 0) {
            return guard_copy(to, at + sizeof note + name_bytes, note.n_descsz) ? note.n_descsz : 0;
        }
        at += whole;
        bytes -= whole;
    }
    return 0;
}

uint32_t module_note_build_id(const struct dl_phdr_info *info, uint8_t *to)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_NOTE) {
            continue;
        }
        uint32_t found = scan_notes((const uint8_t *)(info->dlpi_addr + header->p_vaddr), header->p_memsz, to);
        if (found > 0) {
            return found;
        }
    }
    return 0;
}
