#include "stack/native_rule.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "memory.h"
#include "stack/eh_cursor.h"
#include "stack/eh_frame.h"
#include "stack/module.h"

#define CACHE_BITS 14u
#define RULE_WORDS 3u
#define ADDRESS_BITS 48u

_Static_assert(sizeof(struct native_rule) == RULE_WORDS * sizeof(uint64_t), "a rule is copied by words");

/*
 * Direct-mapped. Writers do not exclude each other: an entry torn between two of them fails its check word and is
 * looked up again. The key holds the generation of the module table, so that an unload empties the cache.
 */
struct entry {
    _Atomic uint64_t key;
    _Atomic uint64_t words[RULE_WORDS];
};

const uint8_t native_rule_registers[NATIVE_RULE_SAVED] = {EH_FRAME_RBX, EH_FRAME_RBP, 12, 13, 14, 15};

static struct entry *cache;

bool native_rule_start(void)
{
    if (cache == NULL) {
        cache = memory_map(sizeof(struct entry) << CACHE_BITS);
    }
    return cache != NULL;
}

static uint64_t mix(uint64_t value)
{
    value *= UINT64_C(0x9E3779B97F4A7C15);
    return value ^ (value >> 32);
}

static uint32_t check_of(uint64_t key, const struct native_rule *rule)
{
    uint64_t words[RULE_WORDS];
    struct native_rule plain = *rule;
    plain.check = 0;
    memcpy(words, &plain, sizeof words);
    return (uint32_t)mix(mix(mix(mix(key) ^ words[0]) ^ words[1]) ^ words[2]);
}

static bool load(uint64_t key, struct native_rule *rule)
{
    struct entry *entry = &cache[mix(key) & ((1u << CACHE_BITS) - 1)];
    if (atomic_load_explicit(&entry->key, memory_order_relaxed) != key) {
        return false;
    }
    uint64_t words[RULE_WORDS];
    for (unsigned i = 0; i < RULE_WORDS; i++) {
        words[i] = atomic_load_explicit(&entry->words[i], memory_order_relaxed);
    }
    memcpy(rule, words, sizeof words);
    return check_of(key, rule) == rule->check;
}

static void store(uint64_t key, struct native_rule *rule)
{
    struct entry *entry = &cache[mix(key) & ((1u << CACHE_BITS) - 1)];
    uint64_t words[RULE_WORDS];
    rule->check = check_of(key, rule);
    memcpy(words, rule, sizeof words);
    atomic_store_explicit(&entry->key, key, memory_order_relaxed);
    for (unsigned i = 0; i < RULE_WORDS; i++) {
        atomic_store_explicit(&entry->words[i], words[i], memory_order_relaxed);
    }
}

/* `DW_OP_breg<n> offset; DW_OP_deref` is what gcc writes for a function that realigned its stack. */
static bool read_deref(uintptr_t block, struct native_rule *rule)
{
    enum { BREG0 = 0x70, BREG15 = 0x7f, DEREF = 0x06 };
    struct eh_cursor cursor;
    eh_cursor_open(&cursor, block, block + 10);
    uint64_t bytes = eh_cursor_uleb(&cursor);
    eh_cursor_open(&cursor, cursor.at, cursor.at + bytes);
    uint8_t operation = eh_cursor_byte(&cursor);
    int64_t offset = eh_cursor_sleb(&cursor);
    if (operation < BREG0 || operation > BREG15 || eh_cursor_byte(&cursor) != DEREF || cursor.at != cursor.end ||
        cursor.bad || offset != (int32_t)offset) {
        return false;
    }
    rule->kind = NATIVE_RULE_DEREF;
    rule->cfa_register = (uint8_t)(operation - BREG0);
    rule->cfa_offset = (int32_t)offset;
    return true;
}

static bool shorten_saved(const struct eh_frame_row *row, struct native_rule *rule)
{
    for (unsigned i = 0; i < NATIVE_RULE_SAVED; i++) {
        const struct eh_frame_register *from = &row->registers[native_rule_registers[i]];
        rule->saved[i] = NATIVE_RULE_UNSAVED;
        if (from->rule == EH_FRAME_SAME) {
            continue;
        }
        if (from->rule != EH_FRAME_OFFSET || from->value % 8 != 0 || from->value / 8 <= INT16_MIN ||
            from->value / 8 > INT16_MAX) {
            return false;
        }
        rule->saved[i] = (int16_t)(from->value / 8);
    }
    return true;
}

static void shorten(const struct eh_frame_row *row, struct native_rule *rule)
{
    const struct eh_frame_register *back = &row->registers[EH_FRAME_RETURN];
    if (back->rule == EH_FRAME_UNDEFINED) {
        rule->kind = NATIVE_RULE_END;
        return;
    }
    rule->kind = NATIVE_RULE_COMPLEX;
    if (row->signal_frame || back->rule != EH_FRAME_OFFSET || back->value != -8 || !shorten_saved(row, rule)) {
        return;
    }
    if (row->cfa_expression != 0) {
        read_deref(row->cfa_expression, rule);
    } else if (row->cfa_offset == (int32_t)row->cfa_offset) {
        rule->kind = NATIVE_RULE_REGISTER;
        rule->cfa_register = row->cfa_register;
        rule->cfa_offset = (int32_t)row->cfa_offset;
    }
}

void native_rule_find(uintptr_t address, struct native_rule *rule)
{
    uint64_t key = address | (uint64_t)module_generation() << ADDRESS_BITS;
    if (cache != NULL && load(key, rule)) {
        return;
    }
    *rule = (struct native_rule){.kind = NATIVE_RULE_NONE};
    const struct module *module = module_find(address);
    if (module == NULL) { /* generated code, or an object loaded since the last scan */
        rule->returnable = module_is_behind_call(address + 1);
        return;
    }
    if (address < module->text_low || address >= module->text_high) {
        return;
    }
    struct eh_frame_row row;
    bool described = eh_frame_find_row(module, address, &row);
    if (described) {
        shorten(&row, rule);
    }
    rule->returnable = module_is_behind_call(address + 1) || (described && row.signal_frame);
    if (cache != NULL) {
        store(key, rule);
    }
}
