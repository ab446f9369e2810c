#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "gate.h"
#include "kernel.h"
#include "ledger/map.h"
#include "say.h"

void ledger_lose(void)
{
    if (atomic_exchange(&ledger_map.lost, true)) {
        return;
    }
    gate_set_phase(GATE_CLOSED);
    syscall(SYS_mmap, ledger_map.header, ledger_map.mapped_bytes, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0L);
}

bool ledger_repair(uintptr_t address)
{
    uintptr_t start = (uintptr_t)ledger_map.header;
    if (ledger_map.header == NULL || address < start || address - start >= ledger_map.mapped_bytes) {
        return false;
    }
    ledger_lose();
    return true;
}

/* What became of the file itself; NULL when it is where it was. */
static const char *ledger_fate(void)
{
    struct stat status;
    if (atomic_load(&ledger_map.lost)) {
        return "was cut short or overwritten by somebody while the program ran: what was recorded is lost";
    }
    /* By the descriptor: that the path leads nowhere any more (chroot, setuid, a renamed directory) loses nothing. */
    int descriptor = ledger_descriptor_borrow();
    bool known = descriptor >= 0 && fstat(descriptor, &status) == 0;
    ledger_descriptor_return(descriptor);
    if (!known) {
        return NULL;
    }
    if (status.st_nlink == 0) {
        return "was removed or replaced by somebody while the program ran: what was recorded is lost";
    }
    if ((uint64_t)status.st_size < ledger_map.backed_bytes ||
        memcmp(ledger_map.header->magic, DB_MAGIC, DB_MAGIC_BYTES) != 0) {
        ledger_lose();
        return "was cut short or overwritten by somebody while the program ran: what was recorded is lost";
    }
    return NULL;
}

void ledger_close(void)
{
    if (ledger_map.header == NULL) {
        return;
    }
    const char *fate = ledger_fate();
    if (fate != NULL) {
        if (ledger_first_to_say(LEDGER_TROUBLE_LOST)) {
            say(SAY_ERROR, "\"%s\" %s", ledger_map.path, fate);
        }
        return;
    }
    if (atomic_load(&ledger_map.refused) && ledger_first_to_say(LEDGER_TROUBLE_DISK)) {
        say(SAY_ERROR,
            "there was no space left for \"%s\" on its file system, or below a limit of file size (ulimit -f): it is "
            "incomplete, and its health says how much is missing",
            ledger_map.path);
    }
    if (atomic_load(&ledger_map.full) && ledger_first_to_say(LEDGER_TROUBLE_FULL)) {
        char limit[96];
        ledger_limit_text(limit, sizeof limit);
        say(SAY_ERROR, "\"%s\" reached %s: new contexts were dropped, and its health says how many", ledger_map.path,
            limit);
    }
    ledger_extents_release();
}
