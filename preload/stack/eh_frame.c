#include "stack/eh_frame.h"

#include <string.h>

#include "stack/eh_cursor.h"
#include "stack/guard.h"

#define REMEMBERED_MAX 5u
#define ENTRY_BYTES_MAX (1u << 20)

struct entry_pair { /* one line of .eh_frame_hdr's search table: both relative to the header */
    int32_t location, description;
};

struct common { /* CIE */
    uint64_t code_align;
    int64_t data_align;
    uint8_t pointer_encoding;
    bool augmented, signal_frame;
    uintptr_t program, program_end;
};

struct description { /* FDE */
    struct common common;
    uintptr_t low, high;
    uintptr_t program, program_end;
};

/* Address of the FDE that may hold `address`, by the sorted table. 0: no table, or below its first line. */
static uintptr_t search_table(const struct module *module, uintptr_t address)
{
    enum { TABLE_ENCODING = 0x3b }; /* datarel sdata4: what every linker writes */
    uintptr_t base = (uintptr_t)module->unwind_header;
    if (base == 0) {
        return 0;
    }
    struct eh_cursor cursor;
    eh_cursor_open(&cursor, base, base + module->unwind_header_bytes);
    uint8_t version = eh_cursor_byte(&cursor);
    uint8_t frame_encoding = eh_cursor_byte(&cursor);
    uint8_t count_encoding = eh_cursor_byte(&cursor);
    uint8_t table_encoding = eh_cursor_byte(&cursor);
    eh_cursor_pointer(&cursor, frame_encoding, base);
    uintptr_t count = eh_cursor_pointer(&cursor, count_encoding, base);
    uintptr_t table = cursor.at;
    if (cursor.bad || version != 1 || table_encoding != TABLE_ENCODING ||
        count > (cursor.end - table) / sizeof(struct entry_pair)) {
        return 0;
    }
    uintptr_t low = 0;
    uintptr_t found = 0;
    while (low < count) {
        uintptr_t middle = (low + count) / 2;
        struct entry_pair pair;
        if (!guard_copy(&pair, (const void *)(table + middle * sizeof pair), sizeof pair)) {
            return 0;
        }
        if (address < base + (uintptr_t)(intptr_t)pair.location) {
            count = middle;
        } else {
            found = base + (uintptr_t)(intptr_t)pair.description;
            low = middle + 1;
        }
    }
    return found;
}

/* Opens a cursor on the body of a CIE or FDE (behind its length). False on nonsense. */
static bool open_entry(struct eh_cursor *cursor, uintptr_t at)
{
    eh_cursor_open(cursor, at, at + 12);
    uint64_t bytes = eh_cursor_fixed(cursor, 4);
    if (bytes == UINT32_MAX) {
        bytes = eh_cursor_fixed(cursor, 8);
    }
    if (cursor->bad || bytes == 0 || bytes > ENTRY_BYTES_MAX) {
        return false;
    }
    eh_cursor_open(cursor, cursor->at, cursor->at + bytes);
    return true;
}

static void read_augmentation(struct eh_cursor *cursor, const char *letters, struct common *common)
{
    for (; *letters != '\0' && !cursor->bad; letters++) {
        switch (*letters) {
        case 'R':
            common->pointer_encoding = eh_cursor_byte(cursor);
            break;
        case 'P': {
            uint8_t encoding = eh_cursor_byte(cursor);
            eh_cursor_pointer(cursor, encoding, 0);
            break;
        }
        case 'L':
            eh_cursor_byte(cursor);
            break;
        case 'S':
            common->signal_frame = true;
            break;
        default:
            break;
        }
    }
}

static bool read_common(uintptr_t at, struct common *common)
{
    struct eh_cursor cursor;
    *common = (struct common){.code_align = 1};
    if (!open_entry(&cursor, at) || eh_cursor_fixed(&cursor, 4) != 0) {
        return false;
    }
    uint8_t version = eh_cursor_byte(&cursor);
    char letters[8] = "";
    for (unsigned i = 0; i < sizeof letters; i++) {
        letters[i] = (char)eh_cursor_byte(&cursor);
        if (letters[i] == '\0') {
            break;
        }
    }
    if ((version != 1 && version != 3) || letters[sizeof letters - 1] != '\0') {
        return false;
    }
    common->code_align = eh_cursor_uleb(&cursor);
    common->data_align = eh_cursor_sleb(&cursor);
    uint64_t return_register = version == 1 ? eh_cursor_byte(&cursor) : eh_cursor_uleb(&cursor);
    common->augmented = letters[0] == 'z';
    if (common->augmented) {
        uint64_t bytes = eh_cursor_uleb(&cursor);
        uintptr_t behind = cursor.at + bytes;
        read_augmentation(&cursor, letters + 1, common);
        cursor.at = behind <= cursor.end ? behind : cursor.end;
    }
    common->program = cursor.at;
    common->program_end = cursor.end;
    return !cursor.bad && return_register == EH_FRAME_RETURN && (common->augmented || letters[0] == '\0');
}

static bool read_description(const struct module *module, uintptr_t address, struct description *description)
{
    struct eh_cursor cursor;
    uintptr_t at = search_table(module, address);
    if (at == 0 || !open_entry(&cursor, at)) {
        return false;
    }
    uintptr_t back_from = cursor.at;
    uintptr_t back = (uintptr_t)eh_cursor_fixed(&cursor, 4);
    if (back == 0 || !read_common(back_from - back, &description->common)) {
        return false;
    }
    uint8_t encoding = description->common.pointer_encoding;
    description->low = eh_cursor_pointer(&cursor, encoding, 0);
    description->high = description->low + eh_cursor_pointer(&cursor, encoding & 0x0f, 0);
    if (description->common.augmented) {
        eh_cursor_skip(&cursor, eh_cursor_uleb(&cursor));
    }
    description->program = cursor.at;
    description->program_end = cursor.end;
    return !cursor.bad && address >= description->low && address < description->high;
}

bool eh_frame_find_function(const struct module *module, uintptr_t address, struct eh_frame_function *function)
{
    struct description description;
    if (!read_description(module, address, &description)) {
        return false;
    }
    function->low = description.low;
    function->high = description.high;
    return true;
}

/* The call frame machine. */
struct machine {
    const struct common *common;
    struct eh_cursor cursor;
    uintptr_t location, target;
    struct eh_frame_row row;
    const struct eh_frame_row *initial; /* NULL while the CIE's own program runs */
    struct eh_frame_row remembered[REMEMBERED_MAX];
    unsigned remembered_count;
    bool done;
};

static void advance(struct machine *machine, uint64_t units)
{
    uintptr_t next = machine->location + (uintptr_t)(units * machine->common->code_align);
    machine->done = next > machine->target;
    machine->location = next;
}

static void set_rule(struct machine *machine, uint64_t number, enum eh_frame_rule rule, int64_t value)
{
    if (number < EH_FRAME_REGISTERS) {
        machine->row.registers[number] = (struct eh_frame_register){.value = value, .rule = (uint8_t)rule};
    }
}

static void restore_rule(struct machine *machine, uint64_t number)
{
    if (number < EH_FRAME_REGISTERS) {
        machine->row.registers[number] =
            machine->initial != NULL ? machine->initial->registers[number] : (struct eh_frame_register){0};
    }
}

static void set_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
    machine->row.cfa_register = (uint8_t)number;
    machine->row.cfa_offset = offset;
    machine->row.cfa_expression = 0;
    machine->cursor.bad |= number >= EH_FRAME_RETURN;
}

/* Remembers the block that starts here (its length first) and steps over it. */
static uintptr_t skip_block(struct machine *machine)
{
    uintptr_t block = machine->cursor.at;
    eh_cursor_skip(&machine->cursor, eh_cursor_uleb(&machine->cursor));
    return block;
}

static void remember(struct machine *machine)
{
    if (machine->remembered_count == REMEMBERED_MAX) {
        machine->cursor.bad = true;
        return;
    }
    machine->remembered[machine->remembered_count++] = machine->row;
}

static void recall(struct machine *machine)
{
    if (machine->remembered_count == 0) {
        machine->cursor.bad = true;
        return;
    }
    machine->row = machine->remembered[--machine->remembered_count];
}

/* Operations that give a register its rule: DWARF 5, 6.4.2.3. */
static void run_register_rule(struct machine *machine, uint8_t operation)
{
    struct eh_cursor *cursor = &machine->cursor;
    int64_t align = machine->common->data_align;
    uint64_t number = eh_cursor_uleb(cursor);
    switch (operation) {
    case 0x05: /* offset_extended */
        set_rule(machine, number, EH_FRAME_OFFSET, (int64_t)eh_cursor_uleb(cursor) * align);
        break;
    case 0x11: /* offset_extended_sf */
        set_rule(machine, number, EH_FRAME_OFFSET, eh_cursor_sleb(cursor) * align);
        break;
    case 0x2f: /* GNU_negative_offset_extended */
        set_rule(machine, number, EH_FRAME_OFFSET, -(int64_t)eh_cursor_uleb(cursor) * align);
        break;
    case 0x06: /* restore_extended */
        restore_rule(machine, number);
        break;
    case 0x07: /* undefined */
        set_rule(machine, number, EH_FRAME_UNDEFINED, 0);
        break;
    case 0x08: /* same_value */
        set_rule(machine, number, EH_FRAME_SAME, 0);
        break;
    case 0x09: /* register */
        set_rule(machine, number, EH_FRAME_REGISTER, (int64_t)eh_cursor_uleb(cursor));
        break;
    case 0x14: /* val_offset */
        set_rule(machine, number, EH_FRAME_VALUE_OFFSET, (int64_t)eh_cursor_uleb(cursor) * align);
        break;
    case 0x15: /* val_offset_sf */
        set_rule(machine, number, EH_FRAME_VALUE_OFFSET, eh_cursor_sleb(cursor) * align);
        break;
    case 0x10: /* expression */
        set_rule(machine, number, EH_FRAME_EXPRESSION, (int64_t)skip_block(machine));
        break;
    case 0x16: /* val_expression */
        set_rule(machine, number, EH_FRAME_VALUE_EXPRESSION, (int64_t)skip_block(machine));
        break;
    default:
        cursor->bad = true;
    }
}

/* Rows and the CFA: DWARF 5, 6.4.2.1, 6.4.2.2 and 6.4.2.4. */
static void run_extended(struct machine *machine, uint8_t operation)
{
    struct eh_cursor *cursor = &machine->cursor;
    uint64_t number = 0;
    switch (operation) {
    case 0x00: /* nop */
        break;
    case 0x01: /* set_loc */
        machine->location = eh_cursor_pointer(cursor, machine->common->pointer_encoding, 0);
        machine->done = machine->location > machine->target;
        break;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        advance(machine, eh_cursor_fixed(cursor, 1u << (operation - 2)));
        break;
    case 0x0a:
        remember(machine);
        break;
    case 0x0b:
        recall(machine);
        break;
    case 0x0c: /* def_cfa */
        number = eh_cursor_uleb(cursor);
        set_cfa(machine, number, (int64_t)eh_cursor_uleb(cursor));
        break;
    case 0x12: /* def_cfa_sf */
        number = eh_cursor_uleb(cursor);
        set_cfa(machine, number, eh_cursor_sleb(cursor) * machine->common->data_align);
        break;
    case 0x0d: /* def_cfa_register */
        set_cfa(machine, eh_cursor_uleb(cursor), machine->row.cfa_offset);
        break;
    case 0x0e: /* def_cfa_offset */
        machine->row.cfa_offset = (int64_t)eh_cursor_uleb(cursor);
        break;
    case 0x13: /* def_cfa_offset_sf */
        machine->row.cfa_offset = eh_cursor_sleb(cursor) * machine->common->data_align;
        break;
    case 0x0f: /* def_cfa_expression */
        machine->row.cfa_expression = skip_block(machine);
        break;
    case 0x2e: /* GNU_args_size */
        eh_cursor_uleb(cursor);
        break;
    default:
        run_register_rule(machine, operation);
    }
}

static bool run_program(struct machine *machine, uintptr_t low, uintptr_t high)
{
    eh_cursor_open(&machine->cursor, low, high);
    while (machine->cursor.at < machine->cursor.end && !machine->done) {
        uint8_t code = eh_cursor_byte(&machine->cursor);
        uint8_t low_bits = code & 0x3f;
        switch (code & 0xc0) {
        case 0x40:
            advance(machine, low_bits);
            break;
        case 0x80:
            set_rule(machine, low_bits, EH_FRAME_OFFSET,
                     (int64_t)eh_cursor_uleb(&machine->cursor) * machine->common->data_align);
            break;
        case 0xc0:
            restore_rule(machine, low_bits);
            break;
        default:
            run_extended(machine, code);
        }
    }
    return !machine->cursor.bad;
}

bool eh_frame_find_row(const struct module *module, uintptr_t address, struct eh_frame_row *row)
{
    struct description description;
    if (!read_description(module, address, &description)) {
        return false;
    }
    struct machine machine;
    memset(&machine.row, 0, sizeof machine.row);
    machine.common = &description.common;
    machine.initial = NULL;
    machine.remembered_count = 0;
    machine.done = false;
    machine.location = description.low;
    machine.target = address;
    if (!run_program(&machine, description.common.program, description.common.program_end)) {
        return false;
    }
    struct eh_frame_row initial = machine.row;
    machine.initial = &initial;
    if (!run_program(&machine, description.program, description.program_end)) {
        return false;
    }
    *row = machine.row;
    row->signal_frame = description.common.signal_frame;
    return true;
}
