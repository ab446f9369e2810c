#include "counter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u
#define PAGES 4096u /* a power of two, several times what the kernels use */
#define OBJECTS 64u
#define ACCESS_BYTES_MAX 64u
#define PENDING_MAX 9u /* stores of one instruction, each of eight bytes: of 64 bytes that begin anywhere */

/* The last load and the last store of one byte. A call of 0: there was none. */
struct shadow {
    uint64_t store;                              /* serial */
    uint32_t load_call, load_object, load_times; /* in that call */
    uint32_t store_call, store_object, store_line, store_times;
    uint8_t store_offset, store_bytes; /* the byte's place in that store */
    uint8_t loaded;                    /* value */
    bool followed;                     /* the store's next access was met */
    bool used;                         /* loaded since */
    bool left_call;                    /* the first access of a later call was met */
};

struct page {
    uintptr_t number;
    struct shadow *bytes;
};

struct object {
    uintptr_t low, high;
    uint32_t serial;
};

/* A store is announced before it happens: what it wrote is looked at when the next access is. */
struct pending {
    uintptr_t address;
    size_t bytes;
    uint8_t before[ACCESS_BYTES_MAX];
    uint32_t serial;
};

static struct page pages[PAGES];
static struct object objects[OBJECTS];
static struct pending pending[PENDING_MAX];
static size_t pending_count;
static struct counter_line lines[COUNTER_LINES];
static uint32_t call_now, line_now, serials;
static uint64_t stores;
static bool counting;

static struct shadow *shadow_of(uintptr_t address)
{
    uintptr_t number = address / PAGE_BYTES;
    size_t slot = (size_t)(number * 0x9e3779b97f4a7c15u >> 40) % PAGES;
    while (pages[slot].number != number && pages[slot].number != 0) {
        slot = (slot + 1) % PAGES;
    }
    if (pages[slot].number == 0) {
        void *bytes =
            mmap(NULL, PAGE_BYTES * sizeof(struct shadow), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (bytes == MAP_FAILED) {
            abort();
        }
        pages[slot] = (struct page){number, bytes};
    }
    return &pages[slot].bytes[address % PAGE_BYTES];
}

/* Serial of the object that holds the bytes; 0: none does. */
static uint32_t object_at(uintptr_t address, size_t bytes)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        if (objects[i].serial != 0 && objects[i].low <= address && address + bytes <= objects[i].high) {
            return objects[i].serial;
        }
    }
    return 0;
}

static void count(struct counter_share *share, bool part, bool recycled, uint32_t times)
{
    share->whole += times;
    share->part += part ? times : 0;
    share->recycled += part && recycled ? times : 0;
}

/* What an access says of one store before it, and notes that it came. */
static void follow_store(uintptr_t address, const struct shadow *byte, uint32_t serial, bool is_store, bool same)
{
    struct shadow last = *byte;
    bool recycled = last.store_object != serial, leaves = last.store_call < call_now && !last.left_call;
    if (!last.followed) {
        count(&lines[last.store_line].dead, is_store, recycled, 1);
    }
    if (leaves) {
        count(&lines[last.store_line].dead_across, is_store && !last.used, recycled, last.store_times);
    }
    if (leaves && is_store) {
        count(&lines[line_now].stores_across, same, recycled, last.store_times);
    }
    for (size_t i = 0; i < last.store_bytes; i++) {
        struct shadow *mate = shadow_of(address - last.store_offset + i);
        if (mate->store == last.store) {
            mate->followed = true;
            mate->left_call |= leaves;
            mate->used |= !is_store;
        }
    }
}

static void follow_stores(uintptr_t address, size_t bytes, uint32_t serial, bool is_store, bool same)
{
    uint64_t done = 0;
    for (size_t i = 0; i < bytes; i++) {
        const struct shadow *byte = shadow_of(address + i);
        if (byte->store_call != 0 && byte->store != done) {
            done = byte->store;
            follow_store(address + i, byte, serial, is_store, same);
        }
    }
}

static void settle(const struct pending *store)
{
    bool same = memcmp(store->before, (const void *)store->address, store->bytes) == 0;
    count(&lines[line_now].stores, same, false, 1);
    follow_stores(store->address, store->bytes, store->serial, true, same);
    stores++;
    for (size_t i = 0; i < store->bytes; i++) {
        struct shadow *byte = shadow_of(store->address + i);
        byte->store = stores;
        byte->store_times = byte->store_call == call_now ? byte->store_times + 1 : 1;
        byte->store_call = call_now;
        byte->store_object = store->serial;
        byte->store_line = line_now;
        byte->store_offset = (uint8_t)i;
        byte->store_bytes = (uint8_t)store->bytes;
        byte->followed = byte->used = byte->left_call = false;
    }
}

void counter_settle(void)
{
    for (size_t i = 0; i < pending_count; i++) {
        settle(&pending[i]);
    }
    pending_count = 0;
}

static void load(uintptr_t address, size_t bytes, uint32_t serial)
{
    uint32_t before_call = 0, before_object = 0, before_times = 0;
    bool known = true, same = true;
    for (size_t i = 0; i < bytes; i++) {
        struct shadow *byte = shadow_of(address + i);
        uint8_t value = *(const volatile uint8_t *)(address + i);
        known &= byte->load_call != 0;
        same &= byte->loaded == value;
        if (byte->load_call >= before_call) {
            before_call = byte->load_call;
            before_object = byte->load_object;
            before_times = byte->load_times;
        }
        byte->loaded = value;
        byte->load_times = byte->load_call == call_now ? byte->load_times + 1 : 1;
        byte->load_call = call_now;
        byte->load_object = serial;
    }
    if (known) {
        count(&lines[line_now].loads, same, before_object != serial, 1);
        if (before_call < call_now) {
            count(&lines[line_now].loads_across, same, before_object != serial, before_times);
        }
    }
    follow_stores(address, bytes, serial, false, false);
}

void counter_access(const void *place, size_t bytes, bool is_store)
{
    uintptr_t address = (uintptr_t)place;
    uint32_t serial = counting ? object_at(address, bytes) : 0;
    if (serial == 0) {
        return;
    }
    if (!is_store) {
        load(address, bytes, serial);
        return;
    }
    if (bytes > ACCESS_BYTES_MAX || pending_count == PENDING_MAX) {
        abort(); /* nothing that is counted stores more at once */
    }
    struct pending *store = &pending[pending_count++];
    *store = (struct pending){.address = address, .bytes = bytes, .serial = serial};
    memcpy(store->before, place, bytes);
}

bool counter_knows(const void *place)
{
    return counting && object_at((uintptr_t)place, 1) != 0;
}

void counter_call(uint32_t line)
{
    line_now = line % COUNTER_LINES;
    call_now++;
    counting = true;
}

void counter_return(void)
{
    counter_settle();
    counting = false;
}

void counter_forget(void)
{
    memset(lines, 0, sizeof lines);
}

const struct counter_line *counter_line(uint32_t line)
{
    return &lines[line % COUNTER_LINES];
}

void counter_born(const void *object, size_t bytes)
{
    size_t slot = 0;
    while (slot < OBJECTS && objects[slot].serial != 0) {
        slot++;
    }
    if (slot == OBJECTS) {
        abort();
    }
    objects[slot] = (struct object){(uintptr_t)object, (uintptr_t)object + bytes, ++serials};
}

void counter_died(const void *object)
{
    counter_settle();
    for (size_t i = 0; i < OBJECTS; i++) {
        if (objects[i].low == (uintptr_t)object) {
            objects[i].serial = 0;
        }
    }
}

static void access_announced(const void *place, size_t bytes, bool is_store)
{
    counter_settle();
    counter_access(place, bytes, is_store);
}

/* What -fsanitize=thread calls: GCC's gcc/sanitizer.def lists them. */
#define ANNOUNCED(bytes)                                                                                               \
    void __tsan_read##bytes(void *place);                                                                              \
    void __tsan_read##bytes(void *place)                                                                               \
    {                                                                                                                  \
        access_announced(place, bytes, false);                                                                         \
    }                                                                                                                  \
    void __tsan_write##bytes(void *place);                                                                             \
    void __tsan_write##bytes(void *place)                                                                              \
    {                                                                                                                  \
        access_announced(place, bytes, true);                                                                          \
    }                                                                                                                  \
    void __tsan_unaligned_read##bytes(void *place) __attribute__((alias("__tsan_read" #bytes)));                       \
    void __tsan_unaligned_write##bytes(void *place) __attribute__((alias("__tsan_write" #bytes)));

ANNOUNCED(1)
ANNOUNCED(2)
ANNOUNCED(4)
ANNOUNCED(8)
ANNOUNCED(16)

void __tsan_read_range(void *place, size_t bytes);
void __tsan_read_range(void *place, size_t bytes)
{
    access_announced(place, bytes, false);
}

void __tsan_write_range(void *place, size_t bytes);
void __tsan_write_range(void *place, size_t bytes)
{
    access_announced(place, bytes, true);
}

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}
void __tsan_func_exit(void *caller);
void __tsan_func_exit(void *caller)
{
    (void)caller;
}
