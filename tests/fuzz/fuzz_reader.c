/*
 * The reader, the model and every output on hostile bytes; shared by libFuzzer and by standalone.c. Real files are mostly
 * zeros, so an input is a file in short: 4 bytes of length and the bytes of the header, then of each extent, the rest of
 * each being zeros; what is left over at the end is a cut extent. The input is also tried as a file as it is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "findings/finding.h"
#include "model/select.h"
#include "model/source.h"
#include "show/dump.h"
#include "show/json.h"
#include "show/text.h"
#include "show/verdict.h"
#include "symbols/binary.h"

#define EXTENTS_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes one length-prefixed part, at most `room` bytes; 0 at the end. */
static size_t take_part(const uint8_t **data, size_t *size, uint8_t *into, size_t room)
{
    uint32_t length;
    if (*size < sizeof(length))
        return 0;
    memcpy(&length, *data, sizeof(length));
    *data += sizeof(length);
    *size -= sizeof(length);
    length = length < *size ? length : (uint32_t)*size;
    length = length < room ? length : (uint32_t)room;
    memcpy(into, *data, length);
    *data += length;
    *size -= length;
    return room;
}

/* What a comparison makes of it: exported, and judged against itself. */
static void compare(FILE *out, const struct profile *profile)
{
    struct options options = {.width = 80};
    struct match match;
    struct judgement judgement;
    struct difference difference;
    gate_options_default(&options.gate);
    match_make(&match, profile, profile);
    judge(&judgement, profile, profile, &match, &options.gate);
    difference_make(&difference, profile, profile, &match);
    const struct verdict verdict = {profile, profile, 1, 1, &judgement, &options};
    profile_write(out, profile);
    verdict_show_github(out, &verdict);
    verdict_show_markdown(out, &verdict);
    verdict_show_sarif(out, &verdict);
    verdict_show_junit(out, &verdict);
    difference_show_text(out, &difference, &options);
    difference_free(&difference);
    judgement_free(&judgement);
    match_free(&match);
}

static void compare_model(FILE *out, struct model *model)
{
    struct profile profile = {.name = "fuzz.db"};
    profile_take(&profile, model);
    compare(out, &profile);
    profile_free(&profile);
}

static void try_baseline(const uint8_t *bytes, size_t size)
{
    struct profile profile = {.name = "fuzz.json"};
    char *error = NULL;
    FILE *out = fopen("/dev/null", "we");
    if (profile_read(&profile, (const char *)bytes, size, &error))
        compare(out, &profile);
    free(error);
    fclose(out);
    profile_free(&profile);
    intern_free_all();
}

static void show_model(FILE *out, struct model *model)
{
    struct options options = {.top = (size_t)-1, .width = 80, .color = COLOR_ALWAYS};
    struct selection_limits limits = {.lines = 10, .pairs = 5};
    struct selection selection;
    selection_make(&selection, model, &options, &limits);
    dump_show(out, model, model->phase);
    text_show(out, model, &selection, &options);
    json_show(out, model, &selection);
    compare_model(out, model);
    selection_free(&selection);
}

/* Of the whole run, then of one phase. */
static void show(struct run *run)
{
    FILE *out = fopen("/dev/null", "we");
    struct model model;
    model_build(&model, run, NULL, 0);
    findings_say(&model);
    show_model(out, &model);
    model_restrict(&model, (enum phase)(run->file_bytes % PHASE_COUNT));
    show_model(out, &model);
    source_free_all();
    binary_free_all();
    model_free(&model);
    fclose(out);
}

static void try_file(const uint8_t *bytes, size_t size)
{
    struct run run;
    if (run_read_bytes(&run, "fuzz.db", bytes, size))
        show(&run);
    run_free(&run);
    intern_free_all();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *file = calloc(1, DB_HEADER_BYTES + EXTENTS_MAX * DB_EXTENT_BYTES);
    if (file == NULL)
        return 0;
    try_file(data, size);
    try_baseline(data, size);
    size_t length = take_part(&data, &size, file, DB_HEADER_BYTES);
    for (unsigned i = 0; i < EXTENTS_MAX && size > 4; i++)
        length += take_part(&data, &size, file + length, DB_EXTENT_BYTES);
    length -= length > DB_EXTENT_BYTES ? size % 8 * 8000u : 0;
    try_file(file, length);
    free(file);
    return 0;
}
