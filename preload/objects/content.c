#include "objects/content.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config.h"
#include "kernel.h"
#include "objects/binary_float.h"
#include "objects/digest.h"
#include "objects/pages.h"
#include "stack/guard.h"
#include "stack/module.h"

#define XXH_INLINE_ALL /* of a few words a few instructions are left; digest_bytes() is for more */
#include <xxhash.h>

#define WORD_BYTES 8u
#define CHUNK_BYTES 4096u
#define PAGE_BYTES 4096u
#define HEAP_REACH_BYTES (UINT64_C(1) << 36)
#define MAPPINGS_REACH_BYTES (UINT64_C(1) << 41)
#define USER_BITS 47u
#define MARK_BITS 4u
#define OFFSET_MOST 65536                             /* of a base in its object */
#define REFERENCES_MOST 1000000u                      /* more is a number: 1.0f for one */
#define OWN_ADDRESSES 4u                              /* of one buffer, into it: no numbers happen to be that */
#define DIGESTED_BYTES 65536u                         /* unless PIEPROF_DIGEST=full: always whole, ... */
#define WHOLE_LIMIT_BYTES ((size_t)16 << 20)          /* ... where that may be of use, ... */
#define PROOF_LIMIT_BYTES ((size_t)256 << 20)         /* ... where much speaks for it; beyond, samples must do */
#define BORDER_LINES (1u | 1u << (CONTENT_LINES - 1)) /* they may lie on pages that are not the buffer's alone */
#define MALLOC_BYTES 32u /* of a free chunk, where malloc keeps its lists: glibc's largest take four words */
#define SELECTOR_WORDS 8u
#define DISTINCT_SHIFT 12u
#define DISTINCT_BITS (1u << DISTINCT_SHIFT)
#define MARK_MASK ((UINT64_C(1) << MARK_BITS) - 1)

/* Of line `i` of `bytes` bytes: the first begins at the start, the last ends at the end. */
static size_t line_offset(size_t bytes, unsigned i)
{
    size_t room = bytes - CONTENT_LINE_BYTES;
    return i + 1 == CONTENT_LINES ? room : room / (CONTENT_LINES - 1) / WORD_BYTES * WORD_BYTES * i;
}

static bool take_line(uint8_t *to, uintptr_t line, bool keeps_absent)
{
    struct pages_answer answer;
    answer.first = answer.end = 0;
    if (keeps_absent && pages_are_empty(&answer, line, CONTENT_LINE_BYTES, line + CONTENT_LINE_BYTES)) {
        memset(to, 0, CONTENT_LINE_BYTES);
        return true;
    }
    return guard_copy(to, (const void *)line, CONTENT_LINE_BYTES);
}

/* `asked_lines` (bit n: line n): before these are read it is asked whether their pages are there. */
static bool take(struct content_sample *sample, uintptr_t start, size_t size_bytes, uint32_t asked_lines)
{
    sample->size_bytes = size_bytes;
    if (size_bytes <= CONTENT_WHOLE_BYTES) {
        sample->bytes = size_bytes;
        return guard_copy(sample->data, (const void *)start, size_bytes);
    }
    sample->bytes = CONTENT_LINES * CONTENT_LINE_BYTES;
    for (unsigned i = 0; i < CONTENT_LINES; i++) {
        uint8_t *to = sample->data + (size_t)i * CONTENT_LINE_BYTES;
        if (!take_line(to, start + line_offset(size_bytes, i), (asked_lines >> i & 1) != 0)) {
            return false;
        }
    }
    return true;
}

bool content_sample_take(struct content_sample *sample, uintptr_t start, size_t size_bytes)
{
    return take(sample, start, size_bytes, 0);
}

bool content_sample_take_newborn(struct content_sample *sample, uintptr_t start, size_t size_bytes, bool lacks_pages)
{
    bool lacks = lacks_pages || size_bytes > PAGES_ASKED_WHOLE_BYTES;
    uint32_t asked_lines = lacks ? CONTENT_ALL_LINES : BORDER_LINES;
    return take(sample, start, size_bytes, size_bytes >= DB_PAGES_MIN_BYTES ? asked_lines : 0);
}

uint64_t content_sample_digest(const struct content_sample *sample)
{
    uint64_t digest = digest_bytes(sample->data, sample->bytes, sample->size_bytes);
    return digest != 0 ? digest : 1;
}

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Elements are at most a word, so a buffer of one value repeats each word; a tail that is none repeats the word's start. */
static bool repeats(const uint8_t *data, size_t bytes, uint64_t word)
{
    size_t at = 0;
    for (; at + WORD_BYTES <= bytes; at += WORD_BYTES) {
        if (word_at(data + at) != word) {
            return false;
        }
    }
    return memcmp(data + at, &word, bytes - at) == 0;
}

bool content_sample_is_constant(const struct content_sample *sample, uint64_t *word)
{
    if (sample->bytes < WORD_BYTES) {
        return false;
    }
    *word = word_at(sample->data);
    if (sample->size_bytes <= CONTENT_WHOLE_BYTES) {
        return repeats(sample->data, sample->bytes, *word);
    }
    /* Lines begin at words, but the last, which ends where the buffer does: the check of the whole looks at that. */
    return repeats(sample->data, sample->bytes - CONTENT_LINE_BYTES, *word);
}

/* A bit is set among the last 16, or in both halves among the last 8. */
static bool is_number_with_digits(uint64_t word)
{
    uint32_t low = (uint32_t)word & BINARY32_SIZE, high = (uint32_t)(word >> 32) & BINARY32_SIZE;
    bool is_one = binary64_is_usual(word & BINARY64_SIZE) && (word & 0xffff) != 0;
    return is_one || (binary32_is_usual(low) && binary32_is_usual(high) && (low & 0xff) != 0 && (high & 0xff) != 0);
}

bool content_sample_has_digits(const struct content_sample *sample)
{
    uint64_t seen[DISTINCT_BITS / 64] = {0};
    size_t words = sample->bytes / WORD_BYTES, found = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t word = word_at(sample->data + i * WORD_BYTES);
        uint64_t place = word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - DISTINCT_SHIFT);
        found += is_number_with_digits(word) && (seen[place / 64] >> place % 64 & 1) == 0 ? 1 : 0;
        seen[place / 64] |= UINT64_C(1) << place % 64;
    }
    return found * 2 > words;
}

static uint64_t break_start;

void content_start(void)
{
    break_start = kernel_break_start();
    digest_start();
}

/*
 * In the program's own image, or in the heap that grows by brk(2). Between them the kernel leaves up to 1 GiB: of an executable
 * that is not relocated both lie where a program's numbers do, offsets in a file for instance.
 */
static bool in_break_heap(uint64_t word)
{
    static _Atomic uint64_t high;
    uint64_t low = getauxval(AT_PHDR);
    if (word < low || word - low >= HEAP_REACH_BYTES) {
        return false;
    }
    if (word < break_start) {
        return module_find((uintptr_t)word) != NULL;
    }
    if (word >= atomic_load_explicit(&high, memory_order_relaxed)) {
        atomic_store_explicit(&high, (uint64_t)syscall(SYS_brk, 0UL), memory_order_relaxed);
    }
    return word < atomic_load_explicit(&high, memory_order_relaxed);
}

/* Eight truth values, a mask's: read as one number they can lie in the low break of an executable that is not relocated. */
static bool is_truth(uint64_t word)
{
    return (word & ~UINT64_C(0x0101010101010101)) == 0;
}

/*
 * One 32-bit number in a word, whose lower half is zero: 1.0f, 0.5f and their like beside a zero. The low break of an executable
 * that is not relocated, placed at random and grown large, often holds that address, yet hardly a block begins there.
 */
static bool is_short_float(uint64_t word)
{
    return word >> 32 == 0 && (word & 0xffff) == 0;
}

/*
 * Near this library, as all mappings and libraries are, and stacks above them: the kernel puts them at a random place within 1
 * TiB, most often in the last of the 128 TiB that user space has, yet below that in a run of a hundred, and in the middle where
 * the stack has no limit (mmap_base() in the kernel's arch/x86/mm/mmap.c).
 */
static bool in_mappings(uint64_t word)
{
    return word >> USER_BITS == 0 && word - ((uintptr_t)&in_mappings - MAPPINGS_REACH_BYTES) < 2 * MAPPINGS_REACH_BYTES;
}

/* A border of 4 GiB is none: a number in the upper half beside a zero, which by chance has a library in this run and none in the next. */
static bool is_address(uint64_t word)
{
    return word % WORD_BYTES == 0 && (uint32_t)word != 0 && !is_truth(word) && !is_short_float(word) &&
           (in_mappings(word) || in_break_heap(word));
}

/* Not the allocator's own: what malloc leaves at the start of free memory points there, and lies in a result whose first words nobody wrote. */
static const struct module *module_at(uint64_t word)
{
    const struct module *module =
        word % WORD_BYTES == 0 && (uint32_t)word != 0 && in_mappings(word) ? module_find((uintptr_t)word) : NULL;
    return module != NULL && (module->flags & DB_MODULE_ALLOCATOR) == 0 ? module : NULL;
}

/* Does it point into a library or the program? */
static bool is_in_module(uint64_t word)
{
    return module_find((uintptr_t)word) != NULL;
}

/*
 * Its table as the C++ ABI of Itanium has it: the offset to the top, 0 but for second bases, what tells the type, unless that is left
 * out, and functions. A number of 32 bits beside the upper half of what malloc left there may point into a library, too, but not at that.
 */
static bool has_virtual_functions(const struct content_sample *sample)
{
    struct {
        int64_t to_top;
        uint64_t type, function;
    } table;
    uint64_t address = sample->bytes >= WORD_BYTES ? word_at(sample->data) : 0;
    const void *begin = (const void *)(uintptr_t)(address - offsetof(__typeof__(table), function));
    return module_at(address) != NULL && guard_copy(&table, begin, sizeof table) && table.to_top <= 0 &&
           table.to_top > -OFFSET_MOST && (table.type == 0 || is_in_module(table.type)) && is_in_module(table.function);
}

/*
 * Of a type that a library defines: a count of references, 0 at its end, and the type, which has one itself. As NumPy's iterators
 * are. Results are objects of the interpreter's own types, too: bytes for one.
 */
static bool is_python_object(const struct content_sample *sample)
{
    if (sample->bytes < 2 * WORD_BYTES || word_at(sample->data) > REFERENCES_MOST) {
        return false;
    }
    uint64_t type = word_at(sample->data + WORD_BYTES), type_of_type;
    const struct module *module = module_at(type);
    return module != NULL && (module->flags & DB_MODULE_INTERPRETER) == 0 &&
           guard_copy(&type_of_type, (const void *)(uintptr_t)(type + WORD_BYTES), sizeof type_of_type) &&
           is_in_module(type_of_type);
}

/* Where line `i` lies in the sample. */
static const uint8_t *line_in(const struct content_sample *sample, unsigned i)
{
    bool whole = sample->size_bytes <= CONTENT_WHOLE_BYTES;
    return sample->data + (whole ? line_offset(sample->bytes, i) : (size_t)i * CONTENT_LINE_BYTES);
}

/* What malloc left at the start counts for nothing: a result of which nobody wrote the first numbers is none. */
bool content_sample_is_structure(const struct content_sample *sample, uint32_t lines, uintptr_t start)
{
    unsigned set = 0, addresses = 0, own = 0;
    uint64_t first = 0, last_own = 0;
    bool differ = false; /* one word of 32 bits again and again is a number: a mask times a factor */
    for (unsigned i = 0; i < CONTENT_LINES && sample->bytes >= CONTENT_LINE_BYTES; i++) {
        const uint8_t *line = line_in(sample, i);
        for (unsigned at = 0; (lines >> i & 1) != 0 && at < CONTENT_LINE_BYTES; at += WORD_BYTES) {
            uint64_t word = i == 0 && at < MALLOC_BYTES ? 0 : word_at(line + at);
            set += word != 0 ? 1 : 0;
            if (word == 0 || !is_address(word)) {
                continue;
            }
            addresses++;
            first = addresses == 1 ? word : first;
            differ |= word != first || word >> 32 != 0;
            if (word - start < sample->size_bytes && word != last_own) {
                own++;
                last_own = word;
            }
        }
    }
    return (content_is_filled(lines) && (own >= OWN_ADDRESSES || (differ && addresses * 4 >= set))) ||
           has_virtual_functions(sample) || is_python_object(sample);
}

/* All addresses are one: they differ from run to run, and so would the changes that 4 bits of a hash miss. */
static uint64_t line_hash(const uint8_t *line, uint64_t seed)
{
    uint64_t words[CONTENT_LINE_BYTES / WORD_BYTES];
    for (unsigned i = 0; i < CONTENT_LINE_BYTES / WORD_BYTES; i++) {
        uint64_t word = word_at(line + i * WORD_BYTES);
        words[i] = is_address(word) ? 1 : word;
    }
    return XXH3_64bits_withSeed(words, sizeof words, seed);
}

uint64_t content_sample_marks(const struct content_sample *sample)
{
    uint64_t marks = 0;
    if (sample->bytes < CONTENT_LINE_BYTES) {
        return 0;
    }
    for (unsigned i = 0; i < CONTENT_LINES; i++) {
        /* A seed each: equal lines that turn into other equal lines must not all escape by one coincidence. */
        marks = marks << MARK_BITS | (line_hash(line_in(sample, i), i) & MARK_MASK);
    }
    return marks;
}

uint32_t content_marks_differ(uint64_t marks, uint64_t others)
{
    uint32_t lines = 0;
    for (unsigned i = CONTENT_LINES; i-- > 0; marks >>= MARK_BITS, others >>= MARK_BITS) {
        lines |= ((marks ^ others) & MARK_MASK) != 0 ? UINT32_C(1) << i : 0;
    }
    return lines;
}

bool content_selector(uintptr_t start, size_t size_bytes, uint32_t *selector)
{
    uint64_t words[SELECTOR_WORDS];
    size_t step = size_bytes / (SELECTOR_WORDS + 1) / WORD_BYTES * WORD_BYTES;
    for (unsigned i = 0; i < SELECTOR_WORDS; i++) {
        if (!guard_read(&words[i], (const void *)(start + step * (i + 1)))) {
            return false;
        }
    }
    *selector = (uint32_t)XXH3_64bits(words, sizeof words);
    return true;
}

bool content_is_digested_whole(size_t size_bytes)
{
    return size_bytes <= DIGESTED_BYTES || config.digest_full;
}

uint32_t content_sampled_beyond_bytes(void)
{
    return config.digest_full ? 0 : DIGESTED_BYTES;
}

bool content_may_read_whole(size_t size_bytes)
{
    return size_bytes <= WHOLE_LIMIT_BYTES || config.digest_full;
}

bool content_may_prove(size_t size_bytes)
{
    return config.digest_full || size_bytes <= PROOF_LIMIT_BYTES;
}

/* A buffer that is read from its start to its end. */
struct reading {
    uintptr_t at, end;
    bool asks;  /* is it large enough for some of it to have no memory? */
    bool empty; /* the chunk has none, and was not read */
    size_t bytes;
    uint8_t chunk[CHUNK_BYTES];
    struct pages_answer pages;
};

static void start_reading(struct reading *reading, uintptr_t start, size_t size_bytes)
{
    reading->at = start;
    reading->end = start + size_bytes;
    reading->asks = size_bytes >= DB_PAGES_MIN_BYTES;
    reading->pages.first = reading->pages.end = 0;
}

static bool is_empty(struct reading *reading, uintptr_t start, size_t bytes)
{
    return bytes == 0 || (reading->asks && pages_are_empty(&reading->pages, start, bytes, reading->end));
}

/* What lies on one page. */
static bool read_part(uint8_t *to, uintptr_t from, size_t bytes, bool empty)
{
    if (empty) {
        memset(to, 0, bytes);
        return true;
    }
    return guard_copy(to, (const void *)from, bytes);
}

/* False when it could not be read. A chunk lies on two pages, most often: one that is empty is not touched for the other's sake. */
static bool read_chunk(struct reading *reading)
{
    uintptr_t at = reading->at;
    size_t left = reading->end - at, on_page = PAGE_BYTES - at % PAGE_BYTES;
    size_t bytes = left < CHUNK_BYTES ? left : CHUNK_BYTES, first = on_page < bytes ? on_page : bytes;
    bool first_empty = is_empty(reading, at, first), rest_empty = is_empty(reading, at + first, bytes - first);
    reading->at += bytes;
    reading->bytes = bytes;
    reading->empty = first_empty && rest_empty;
    return reading->empty || (read_part(reading->chunk, at, first, first_empty) &&
                              read_part(reading->chunk + first, at + first, bytes - first, rest_empty));
}

/* Zeros go into the digest as a number of chunks: so those that nobody ever stored cost nothing, and count like all others. */
static uint64_t add_zeros(uint64_t digest, uint64_t chunks)
{
    return chunks == 0 ? digest : XXH3_64bits_withSeed(&chunks, sizeof chunks, ~digest);
}

bool content_digest(uintptr_t start, size_t size_bytes, uint64_t *digest)
{
    struct reading reading;
    uint64_t zeros = 0;
    *digest = size_bytes;
    start_reading(&reading, start, size_bytes);
    while (reading.at < reading.end) {
        if (!read_chunk(&reading)) {
            return false;
        }
        if (reading.empty || repeats(reading.chunk, reading.bytes, 0)) {
            zeros++;
            continue;
        }
        *digest = digest_bytes(reading.chunk, reading.bytes, add_zeros(*digest, zeros));
        zeros = 0;
    }
    *digest = add_zeros(*digest, zeros);
    return true;
}

bool content_is_constant(uintptr_t start, size_t size_bytes, uint64_t word)
{
    struct reading reading;
    start_reading(&reading, start, size_bytes);
    while (reading.at < reading.end) {
        if (!read_chunk(&reading) || (reading.empty ? word != 0 : !repeats(reading.chunk, reading.bytes, word))) {
            return false;
        }
    }
    return true;
}
