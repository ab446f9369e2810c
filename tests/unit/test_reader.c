/* link: analyzer */
/* A valid file (tests/fuzz/corpus/objects) with one bit wrong, at every byte that matters; and cut at every kind of place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "findings/finding.h"
#include "model/model.h"
#include "read/run.h"

#define FILE_MAX (DB_HEADER_BYTES + 16u * DB_EXTENT_BYTES)
#define PARTS_MAX 16u

/* Written out whole, and how many bytes of each part are not the zeros at its end. */
static struct {
    uint8_t bytes[FILE_MAX];
    size_t size, starts[PARTS_MAX], lengths[PARTS_MAX], parts;
} golden;

static int expand(void **state)
{
    (void)state;
    FILE *file = fopen("tests/fuzz/corpus/objects", "re");
    uint32_t length;
    if (file == NULL)
        return -1;
    while (golden.parts < PARTS_MAX && fread(&length, sizeof(length), 1, file) == 1) {
        size_t part = golden.parts++;
        golden.starts[part] = golden.size;
        golden.lengths[part] = fread(golden.bytes + golden.size, 1, length, file);
        golden.size += part == 0 ? DB_HEADER_BYTES : DB_EXTENT_BYTES;
    }
    fclose(file);
    return golden.parts > 1 ? 0 : -1;
}

static void assert_objects_possible(const struct objects *objects)
{
    assert_true(objects->workspaces + objects->unfilled + objects->examined <= objects->births &&
                objects->skipped <= objects->births);
    assert_true(objects->constant + objects->replicas + objects->copies <= objects->examined);
    assert_true(objects->zero <= objects->constant && objects->linked <= objects->examined);
}

/* Of the whole run each phase counts, of a restricted model the one asked for. */
static bool phase_counts(const struct model *model, enum phase phase)
{
    return model->phase == PHASE_COUNT || model->phase == phase;
}

/* The phases that count are the run, and the line, parted: nothing is in two of them or in none. */
static void assert_phases_possible(const struct model *model)
{
    uint64_t kinds_ns[TIME_KINDS] = {0}, samples = 0, births = 0, linked = 0, elsewhere_ns = 0;
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        const struct phase_totals *totals = &model->totals.phases[phase];
        if (!phase_counts(model, phase))
            continue;
        for (size_t kind = 0; kind < TIME_KINDS; kind++)
            kinds_ns[kind] += totals->times.ns[kind];
        samples += totals->times.samples;
        elsewhere_ns += totals->elsewhere_ns;
        assert_true(totals->elsewhere_ns <= times_total(&totals->times));
        births += totals->objects.births;
        linked += totals->objects.linked;
        assert_objects_possible(&totals->objects);
    }
    assert_memory_equal(kinds_ns, model->totals.times.ns, sizeof(kinds_ns));
    assert_true(samples == model->totals.times.samples && elsewhere_ns == model->totals.elsewhere_ns);
    assert_true(births == model->totals.objects.births && linked == model->totals.objects.linked);
    for (size_t i = 0; i < model->line_count; i++) {
        uint64_t sum_ns = 0;
        for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
            sum_ns += phase_counts(model, phase) ? model->lines[i]->phase_ns[phase] : 0;
        assert_true(sum_ns == times_total(&model->lines[i]->times) && model->lines[i]->phases >> PHASE_COUNT == 0);
    }
}

/* What holds of every report, whatever the file: no share above one, no part above its whole. */
static void assert_possible(const struct model *model)
{
    const struct health *health = &model->health;
    uint64_t sum = model->totals.elsewhere_ns;
    assert_true(health->call_ended <= health->native);
    assert_true(health->resolved <= health->native - health->call_ended);
    assert_true(model->duration_s >= 0);
    for (size_t i = 0; i < model->line_count; i++) {
        const struct line *line = model->lines[i];
        sum += times_total(&line->times);
        uint64_t fixable_ns = line->times.ns[TIME_NATIVE] + line->times.ns[TIME_BOUNDARY];
        assert_true(line->waste_s >= 0 && line->waste_s <= (double)fixable_ns * 1e-9);
        assert_true(line->stored_s <= (double)line->times.ns[TIME_NATIVE] * 1e-9);
        assert_objects_possible(&line->objects);
        assert_true(line->number >= 0);
        for (size_t kind = 0; kind < SHARE_KINDS; kind++) {
            assert_true(line->shares[kind].wasted <= line->shares[kind].pairs);
            assert_true(line->shares[kind].across_wasted <= line->shares[kind].across_pairs);
            assert_true(kind == SHARE_STORES || line->shares[kind].across_pairs <= line->shares[kind].pairs);
        }
    }
    assert_true(sum == times_total(&model->totals.times));
    assert_objects_possible(&model->totals.objects);
    assert_phases_possible(model);
    for (size_t i = 0; i < model->finding_count; i++) {
        const struct finding *finding = model->findings[i];
        assert_true(finding->waste_s >= 0 && finding->waste_s <= finding->line->waste_s);
        assert_true(finding->part <= finding->whole && finding->object.equal <= finding->object.examined);
        assert_non_null(finding->advice);
    }
}

/* True when the bytes could be read; then its model was looked at. */
static bool try_bytes(const uint8_t *bytes, size_t size)
{
    static unsigned round; /* each time of another phase */
    struct run run;
    bool read = run_read_bytes(&run, "test.db", bytes, size);
    if (read) {
        struct model model;
        model_build(&model, &run, NULL, 0);
        findings_say(&model);
        assert_possible(&model);
        model_restrict(&model, (enum phase)(round++ % PHASE_COUNT));
        assert_possible(&model);
        model_free(&model);
    } else {
        assert_non_null(strstr(run.error, "test.db: offset 0x"));
        assert_null(strchr(run.error, '\n'));
    }
    run_free(&run);
    intern_free_all();
    return read;
}

static void the_whole_file_is_read(void **state)
{
    (void)state;
    struct run run;
    assert_true(run_read_bytes(&run, "test.db", golden.bytes, golden.size));
    assert_int_equal(run.damaged, 0);
    assert_int_equal(run.process_count, 1);
    assert_non_null(run_record(&run.processes[0], DB_KIND_NODE, 1));
    assert_null(run_record(&run.processes[0], DB_KIND_NODE, 0));
    assert_null(run_record(&run.processes[0], DB_KIND_NODE, 1000000));
    run_free(&run);
    assert_true(try_bytes(golden.bytes, golden.size));
}

static void a_wrong_bit_is_no_crash_and_no_impossible_figure(void **state)
{
    (void)state;
    size_t read = 0, refused = 0;
    for (size_t part = 0; part < golden.parts; part++) {
        for (size_t i = 0; i < golden.lengths[part]; i++) {
            uint8_t *byte = &golden.bytes[golden.starts[part] + i];
            uint8_t bit = (uint8_t)(1u << (i * 5 + part) % 8);
            *byte ^= bit;
            if (try_bytes(golden.bytes, golden.size))
                read++;
            else
                refused++;
            *byte ^= bit;
        }
    }
    assert_true(read > 100 && refused > 100);
}

static void a_cut_file_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    for (size_t part = 1; part < golden.parts; part++) {
        for (size_t i = 0; i <= golden.lengths[part]; i += 13) {
            struct run run;
            uint8_t *copy = malloc(golden.starts[part] + i); /* its end is where the sanitizer sees it */
            memcpy(copy, golden.bytes, golden.starts[part] + i);
            assert_true(run_read_bytes(&run, "test.db", copy, golden.starts[part] + i));
            assert_true(run.damaged > 0 && run.cut_short);
            run_free(&run);
            assert_true(try_bytes(copy, golden.starts[part] + i));
            free(copy);
        }
    }
}

static void a_cut_header_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < DB_HEADER_BYTES; size += 7)
        assert_false(try_bytes(golden.bytes, size));
}

/* Sparse, so that it takes no space: the largest file that PIEPROF_MAX_SIZE allows, and one byte more. */
static void the_largest_file_is_read_and_no_larger(void **state)
{
    (void)state;
    char path[] = "/tmp/pieprof-reader-XXXXXX";
    const off_t most = (off_t)DB_FILE_MAX_GIB << 30;
    struct run run;
    int descriptor = mkstemp(path);
    assert_true(write(descriptor, golden.bytes, golden.size) == (ssize_t)golden.size);
    assert_int_equal(ftruncate(descriptor, most), 0);
    assert_true(run_read(&run, path));
    run_free(&run);
    assert_int_equal(ftruncate(descriptor, most + 1), 0);
    assert_false(run_read(&run, path));
    assert_non_null(strstr(run.error, "larger than any run's (8589934593 bytes; at most 8 GiB)"));
    run_free(&run);
    close(descriptor);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_file_is_read),
        cmocka_unit_test(a_wrong_bit_is_no_crash_and_no_impossible_figure),
        cmocka_unit_test(a_cut_file_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_cut_header_is_refused),
        cmocka_unit_test(the_largest_file_is_read_and_no_larger),
    };
    return cmocka_run_group_tests(tests, expand, NULL);
}
