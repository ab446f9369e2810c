#include <string.h>

#include "ledger/map.h"
#include "process.h"
#include "stack/guard.h"

#define RECORDS_PAYLOAD_BYTES (DB_EXTENT_BYTES - sizeof(struct db_extent))

static const uint32_t records_bytes[DB_KIND_END] = {
#define X(name, type) [DB_KIND_##name] = sizeof(type),
    DB_KINDS(X)
#undef X
};

static uint64_t records_per_extent(enum db_kind kind)
{
    return kind == DB_KIND_BLOB ? RECORDS_PAYLOAD_BYTES : RECORDS_PAYLOAD_BYTES / records_bytes[kind];
}

static void records_count_shortage(void)
{
    switch (atomic_load(&ledger_map.shortage)) {
    case LEDGER_SHORTAGE_FILE:
        atomic_store(&ledger_map.full, true);
        process_drop(DB_DROP_FILE_FULL);
        break;
    case LEDGER_SHORTAGE_DISK:
        atomic_store(&ledger_map.refused, true);
        process_drop(DB_DROP_DISK_FULL);
        break;
    default:
        process_drop(DB_DROP_NO_RESERVE);
    }
}

/*
 * The payload of the kind's extent number `ordinal`, taken from the reserve when it is the first use; NULL when there is
 * none. A handler may come in between any two steps: the loser of the race puts its extent back.
 */
static unsigned char *records_payload(enum db_kind kind, uint64_t ordinal)
{
    if (ledger_map.header == NULL || ordinal >= ledger_map.extents_limit) {
        return NULL;
    }
    _Atomic uint32_t *place = &ledger_map.extents[kind][ordinal];
    uint32_t index_plus_one = atomic_load_explicit(place, memory_order_acquire);
    if (index_plus_one == 0) {
        uint32_t taken = ledger_extent_take();
        if (taken == 0) {
            return NULL;
        }
        if (atomic_compare_exchange_strong(place, &index_plus_one, taken)) {
            struct db_extent *extent = ledger_extent(taken - 1);
            extent->kind = kind;
            extent->process = ledger_map.process;
            extent->record_bytes = kind == DB_KIND_BLOB ? 0 : records_bytes[kind];
            extent->first_id = ordinal * records_per_extent(kind) + (kind == DB_KIND_BLOB ? 0 : 1);
            __atomic_store_n(&extent->magic, DB_EXTENT_MAGIC, __ATOMIC_RELEASE);
            index_plus_one = taken;
        } else {
            ledger_extent_put_back(taken);
        }
    }
    return (unsigned char *)(ledger_extent(index_plus_one - 1) + 1);
}

void *ledger_claim(enum db_kind kind, uint32_t *id)
{
    const uint64_t per_extent = records_per_extent(kind);
    uint64_t ordinal = atomic_load_explicit(&ledger_map.claimed[kind], memory_order_relaxed);
    unsigned char *payload;
    do {
        payload = records_payload(kind, ordinal / per_extent);
        if (payload == NULL || ordinal >= UINT32_MAX) {
            records_count_shortage();
            *id = 0;
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&ledger_map.claimed[kind], &ordinal, ordinal + 1));
    *id = (uint32_t)(ordinal + 1);
    return payload + ordinal % per_extent * records_bytes[kind];
}

void ledger_publish(void *record)
{
    __atomic_store_n((uint32_t *)record, 1u, __ATOMIC_RELEASE);
}

void *ledger_record(enum db_kind kind, uint32_t id)
{
    if (id == 0 || id > atomic_load_explicit(&ledger_map.claimed[kind], memory_order_relaxed)) {
        return NULL;
    }
    const uint64_t per_extent = records_per_extent(kind);
    uint64_t ordinal = id - 1;
    uint32_t index_plus_one =
        atomic_load_explicit(&ledger_map.extents[kind][ordinal / per_extent], memory_order_acquire);
    if (index_plus_one == 0) {
        return NULL;
    }
    return (unsigned char *)(ledger_extent(index_plus_one - 1) + 1) + ordinal % per_extent * records_bytes[kind];
}

/* Room for a blob of that length, its header filled but not published; NULL (counted) when there is none. */
static struct db_blob *records_claim_blob(size_t length_bytes, uint32_t *reference)
{
    if (length_bytes > DB_BLOB_MAX_BYTES) {
        process_drop(DB_DROP_BLOB_TOO_LARGE);
        return NULL;
    }
    const uint64_t needed = sizeof(struct db_blob) + ((length_bytes + 7) & ~(size_t)7);
    uint64_t end = atomic_load_explicit(&ledger_map.claimed[DB_KIND_BLOB], memory_order_relaxed);
    uint64_t start;
    unsigned char *payload;
    do {
        uint64_t used = end % RECORDS_PAYLOAD_BYTES;
        start = used + needed > RECORDS_PAYLOAD_BYTES ? end - used + RECORDS_PAYLOAD_BYTES : end;
        payload = records_payload(DB_KIND_BLOB, start / RECORDS_PAYLOAD_BYTES);
        if (payload == NULL || start >= UINT32_MAX) {
            records_count_shortage();
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&ledger_map.claimed[DB_KIND_BLOB], &end, start + needed));
    struct db_blob *blob = (struct db_blob *)(payload + start % RECORDS_PAYLOAD_BYTES);
    blob->length_bytes = (uint32_t)length_bytes;
    *reference = (uint32_t)(start + 1);
    return blob;
}

uint32_t ledger_blob(const void *data, size_t length_bytes)
{
    uint32_t reference;
    struct db_blob *blob = records_claim_blob(length_bytes, &reference);
    if (blob == NULL) {
        return 0;
    }
    memcpy(blob + 1, data, length_bytes);
    ledger_publish(blob);
    return reference;
}

uint32_t ledger_blob_string(const char *text)
{
    return ledger_blob(text, strlen(text));
}

uint32_t ledger_blob_guarded(const void *data, size_t length_bytes)
{
    uint32_t reference;
    struct db_blob *blob = records_claim_blob(length_bytes, &reference);
    if (blob == NULL || !guard_copy(blob + 1, data, length_bytes)) {
        return 0;
    }
    ledger_publish(blob);
    return reference;
}
