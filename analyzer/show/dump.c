#include "show/dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *const kind_names[DB_KIND_END] = {"none",
#define X(name, type) #name,
                                                    DB_KINDS(X)
#undef X
};
static const char *const frame_names[] = {"?", "root", "python", "native", "access", "gap"};
static const char *const access_names[] = {"none", "load", "store"};
static const char *const scope_names[] = {"?", "within", "across", "unknown"};
static const char *const relation_names[] = {"?", "same", "recycled", "unknown"};
static const char *const class_names[] = {"?", "object", "other_heap", "module_data", "stack", "arena", "other"};
static const char *const end_names[] = {"running", "exit", "exec", "signal"};

/* " key=text" with what the terminal must not see escaped. */
static void dump_bytes(FILE *out, const char *key, const void *bytes, size_t length_bytes)
{
    char *text = text_printable(bytes != NULL ? bytes : "", length_bytes);
    fprintf(out, " %s=\"%s\"", key, text);
    free(text);
}

static void dump_blob(FILE *out, const char *key, const struct run_process *process, uint32_t reference)
{
    struct run_blob blob = run_blob(process, reference);
    dump_bytes(out, key, blob.bytes, blob.length_bytes);
}

static void dump_header(FILE *out, const struct run *run)
{
    const struct db_header *header = run->header;
    fprintf(out, "header version=%u machine=%u extents_limit=%u extents_claimed=%" PRIu64 " processes=%" PRIu64,
            header->version, header->machine, header->extents_limit, header->extents_claimed, header->processes);
    fprintf(out, " created_unix_ns=%" PRIu64 " dropped_joins=%" PRIu64 " file_bytes=%" PRIu64 " damaged=%" PRIu64,
            header->created_unix_ns, header->dropped_joins, run->file_bytes, run->damaged);
    dump_bytes(out, "run", header->run_name, strlen(header->run_name));
    dump_bytes(out, "host", header->host_name, strlen(header->host_name));
    fputc('\n', out);
    for (size_t i = 0; i < run->used_extents; i++)
        fprintf(out, "extent offset=0x%" PRIx64 " process=%u kind=%s first_id=%" PRIu64 "\n", run->extents[i].offset,
                run->extents[i].process, kind_names[run->extents[i].kind], run->extents[i].first_id);
}

static void dump_PROCESS(FILE *out, const struct run_process *process, const struct db_process *record)
{
    fprintf(out, " pid=%u parent=%u rank=%d python=0x%08x free_threaded=%u ended=%s detail=%d", record->pid,
            record->parent_pid, record->rank, record->python_version, record->python_free_threaded,
            end_names[record->ended], record->end_detail);
    fprintf(out,
            " start_ticks=%" PRIu64 " elapsed_ns=%" PRIu64 " cpu_ns=%" PRIu64 " import_cpu_ns=%" PRIu64
            " rate_hz=%u budget=%g",
            record->start_ticks, record->last_monotonic_ns - record->start_monotonic_ns, record->cpu_ns,
            record->import_cpu_ns, record->rate_hz, (double)record->budget_percent);
    dump_blob(out, "arguments", process, record->arguments_blob);
    dump_blob(out, "directory", process, record->directory_blob);
    dump_blob(out, "executable", process, record->executable_blob);
    dump_blob(out, "trigger", process, record->trigger_blob);
    fprintf(out, " samples=%" PRIu64 " native=%" PRIu64 " call_ended=%" PRIu64 " resolved=%" PRIu64 " armed=%" PRIu64,
            record->samples, record->native, record->call_ended, record->resolved, record->armed);
    fprintf(out, " finished=%" PRIu64 " traps=%" PRIu64 " shim_cpu_ns=%" PRIu64 " shim_memory=%" PRIu64,
            record->finished, record->traps, record->shim_cpu_ns, record->shim_memory_bytes);
    fprintf(out, " threads=%" PRIu64 " objects=%" PRIu64, record->threads, record->objects);
#define X(name, text, meaning) fprintf(out, " dropped." text "=%" PRIu64, record->dropped[DB_DROP_##name]);
    DB_DROPS(X)
#undef X
#define X(name, text)                                                                                                  \
    fprintf(out, " engine." text "=%s", record->engines[DB_ENGINE_##name].state == DB_ENGINE_ON ? "on" : "off");       \
    dump_bytes(out, "why", record->engines[DB_ENGINE_##name].why_off,                                                  \
               strlen(record->engines[DB_ENGINE_##name].why_off));
    DB_ENGINES(X)
#undef X
    for (size_t i = 0; i < DB_EVENTS_MAX; i++)
        if (record->events[i][0] != '\0')
            dump_bytes(out, "event", record->events[i], strlen(record->events[i]));
}

static void dump_CODE(FILE *out, const struct run_process *process, const struct db_code *record)
{
    fprintf(out, " first_line=%d source=%u lines_bytes=%zu lines_parts=%u", record->first_line, record->source,
            run_blob(process, record->lines_blob).length_bytes, record->lines_parts);
    dump_blob(out, "name", process, record->name_blob);
    dump_blob(out, "file", process, record->file_blob);
}

static void dump_MODULE(FILE *out, const struct run_process *process, const struct db_module *record)
{
    fprintf(out, " flags=%u bias=0x%" PRIx64 " low=0x%" PRIx64 " high=0x%" PRIx64 " build_id=", record->flags,
            record->load_bias, record->low_address, record->high_address);
    for (uint32_t i = 0; i < record->build_id_bytes; i++)
        fprintf(out, "%02x", record->build_id[i]);
    dump_blob(out, "path", process, record->path_blob);
}

static void dump_SOURCE(FILE *out, const struct run_process *process, const struct db_source *record)
{
    fprintf(out, " part=%u/%u size=%" PRIu64 " modified_unix_ns=%" PRId64 " compression=%u stored_bytes=%zu",
            record->part, record->parts, record->file_size_bytes, record->modified_unix_ns, record->compression,
            run_blob(process, record->text_blob).length_bytes);
    dump_blob(out, "path", process, record->path_blob);
}

static void dump_NODE(FILE *out, const struct run_process *process, const struct db_node *record)
{
    fprintf(out, " parent=%u %s", record->parent, frame_names[record->frame]);
    if (record->frame == DB_FRAME_PYTHON) {
        const struct db_code *code = run_record(process, DB_KIND_CODE, record->value >> 32);
        fprintf(out, " code=%u offset=%d", (uint32_t)(record->value >> 32), (int32_t)(uint32_t)record->value);
        if (code != NULL)
            dump_blob(out, "name", process, code->name_blob);
    } else {
        fprintf(out, " value=0x%" PRIx64, record->value);
    }
    fprintf(out, " samples=%" PRIu64 " cpu_ns=%" PRIu64 " native_cpu_ns=%" PRIu64, record->samples, record->cpu_ns,
            record->native_cpu_ns);
}

static void dump_PAIR(FILE *out, const struct run_process *process, const struct db_pair *record)
{
    (void)process;
    fprintf(out, " first=%u:%s second=%u:%s scope=%s relation=%s class=%s", record->first_node,
            access_names[record->first_access], record->second_node, access_names[record->second_access],
            scope_names[record->scope], relation_names[record->relation], class_names[record->address_class]);
    fprintf(out, "%s%s%s%s%s%s%s bytes=%u site=%u count=%" PRIu64 " weight_ns=%" PRIu64 " scale=%" PRIu64,
            record->flags & DB_PAIR_SAME_VALUE ? " same_value" : "", record->flags & DB_PAIR_ZERO ? " zero" : "",
            record->flags & DB_PAIR_UNPROVED ? " unproved" : "", record->flags & DB_PAIR_SLEPT ? " slept" : "",
            record->flags & DB_PAIR_USED ? " used" : "", record->flags & DB_PAIR_FIRST ? " first" : "",
            record->flags & DB_PAIR_UNSEEN ? " unseen" : "", record->size_bytes, record->site, record->count,
            record->weight_ns, record->scale);
}

static void dump_COUNTER(FILE *out, const struct run_process *process, const struct db_counter *record)
{
    fprintf(out, " node=%u value=%" PRIu64, record->node, record->value);
    dump_bytes(out, "event", process->record->events[record->event], strlen(process->record->events[record->event]));
}

static void dump_SITE(FILE *out, const struct run_process *process, const struct db_site *record)
{
    (void)process;
    fprintf(out, " node=%u bytes=%" PRIu64 " ordinal=%u births=%" PRIu64 " workspaces=%" PRIu64, record->node,
            record->size_bytes, record->ordinal, record->births, record->workspaces);
    fprintf(out, " unfilled=%" PRIu64 " examined=%" PRIu64 " constant=%" PRIu64 " zero=%" PRIu64, record->unfilled,
            record->examined, record->constant, record->zero);
    fprintf(out, " replicas=%" PRIu64 " period=%u period_replicas=%" PRIu64 " copies=%" PRIu64, record->replicas,
            record->period, record->period_replicas, record->copies);
    fprintf(out, " live_at_end=%u looked_at=%" PRIu64 " recurring=%u recurring_digits=%u last_known=%u",
            record->live_at_end, record->looked_at, record->recurring, record->recurring_digits, record->last_known);
    fprintf(out, " ended=%" PRIu64 " lifetime_ns=%" PRIu64 " most_alive=%u peak_objects=%u", record->ended,
            record->lifetime_ns, record->most_alive, record->peak_objects);
    fprintf(out, " far_births=%" PRIu64 " far_contents=%" PRIu64 " far_examined=%" PRIu64 " far_squares=%" PRIu64,
            record->far_births, record->far_contents, record->far_examined, record->far_squares);
    fprintf(out,
            " far_spans=%" PRIu64 " far_period_replicas=%" PRIu64
            " far_period=%u far_bits=%u changed_beyond=%u changed_offset=%d unlike=%u",
            record->far_spans, record->far_period_replicas, record->far_period, record->far_bits,
            record->changed_beyond, record->changed_offset, record->unlike);
    fprintf(out, " pages_asked=%u fresh_bytes=%" PRIu64 " untouched_bytes=%" PRIu64 " huge_bytes=%" PRIu64,
            record->pages_asked, record->fresh_bytes, record->untouched_bytes, record->huge_bytes);
    fprintf(out,
            " new_step=%u new_bursts=%u new_digits=%u new_first=%u new_last=%u new_growing=%u new_other=%u alike=%u "
            "undecided=%u",
            record->new_step, record->new_bursts, record->new_digits, record->new_first, record->new_last,
            record->new_growing, record->new_other, record->alike, record->undecided);
}

static void dump_LINK(FILE *out, const struct run_process *process, const struct db_link *record)
{
    (void)process;
    fprintf(out, " first=%u second=%u objects=%" PRIu64, record->first_site, record->second_site, record->objects);
}

static void dump_LIVE(FILE *out, const struct run_process *process, const struct db_live *record)
{
    (void)process;
    fprintf(out, " bytes=%" PRId64 " small=%" PRId64 " siteless=%" PRId64 " peak=%" PRIu64 " peak_at_ns=%" PRIu64,
            record->bytes, record->small_bytes, record->siteless_bytes, record->peak_bytes, record->peak_at_ns);
    fprintf(
        out, " snapshot=%" PRIu64 " snapshot_at_ns=%" PRIu64 " snapshot_small=%" PRIu64 " snapshot_siteless=%" PRIu64,
        record->snapshot_bytes, record->snapshot_at_ns, record->snapshot_small_bytes, record->snapshot_siteless_bytes);
    fprintf(out, " page_ns=%" PRIu64 " huge_page_ns=%" PRIu64, record->page_ns, record->huge_page_ns);
    fprintf(out, " bin_ns=%" PRIu64 " max_bytes=", record->bin_ns);
    for (uint32_t i = 0; i < record->bins; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? "," : "", record->max_bytes[i]);
}

static void dump_range(FILE *out, const char *name, const struct db_range *range)
{
    fprintf(out,
            " %s=nan:%" PRIu64 ",infinite:%" PRIu64 ",-0:%" PRIu64 ",lowest:%" PRIx64 ",highest:%" PRIx64
            ",repeated:%" PRIu64,
            name, range->nan, range->infinite, range->negative_zeros, range->lowest, range->highest, range->repeated);
}

static void dump_CONTENT(FILE *out, const struct run_process *process, const struct db_content *record)
{
    (void)process;
    fprintf(out, " site=%u objects=%" PRIu64 " words=%" PRIu64 " zero_words=%" PRIu64, record->site, record->objects,
            record->words, record->zero_words);
    for (size_t i = 0; i < 2; i++)
        fprintf(out, " half%zu=zero:%" PRIu64 ",floats:%" PRIu64 ",shorts:%" PRIu64 "", i, record->zero_halves[i],
                record->floats[i], record->shorts[i]);
    fprintf(out, " fractions=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, record->fractions, record->fraction_bits[0],
            record->fraction_bits[1], record->fraction_bits[2]);
    fprintf(out, " doubles=%" PRIu64 " whole=%" PRIu64 " flags=%" PRIu64 ",%" PRIu64, record->doubles, record->whole,
            record->flags[0], record->flags[1]);
    dump_range(out, "float32", &record->float32);
    dump_range(out, "float64", &record->float64);
    for (size_t i = 0; i < DB_CONTENT_SAMPLES; i++) /* their bytes are the program's own */
        fprintf(out, "%s%zu", i > 0 ? "," : " sample_bytes=", run_blob(process, record->samples[i]).length_bytes);
}

static void dump_HEAT(FILE *out, const struct run_process *process, const struct db_heat *record)
{
    (void)process;
    fprintf(out, " site=%u accesses=%" PRIu64 " forgotten=%" PRIu64 " objects=%" PRIu64 " lives_ns=%" PRIu64 " parts=",
            record->site, record->accesses, record->forgotten, record->objects, record->lives_ns);
    for (size_t i = 0; i < DB_HEAT_PARTS; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? "," : "", record->parts[i]);
    for (size_t i = 0; i < DB_HEAT_PARTS; i++)
        fprintf(out, "%s%u", i > 0 ? "," : " nodes=", record->nodes[i]);
}

static void dump_NEIGHBOUR(FILE *out, const struct run_process *process, const struct db_neighbour *record)
{
    (void)process;
    fprintf(out, " site=%u neighbour=%u accesses=%" PRIu64 " bytes=%" PRIu64 " neighbour_bytes=%" PRIu64, record->site,
            record->neighbour, record->accesses, record->bytes, record->neighbour_bytes);
}

/* One table: "kind PROCESS.ID ..." a line, with the phase of what has a context. */
#define DUMP_TABLE(kind, type)                                                                                         \
    static void dump_table_##kind(FILE *out, const struct process *process, enum phase asked)                          \
    {                                                                                                                  \
        struct run_cursor cursor = {0};                                                                                \
        for (type * record; (record = run_next(&process->run->tables[DB_KIND_##kind], &cursor)) != NULL;) {            \
            enum phase phase = dump_phase(process, DB_KIND_##kind, cursor.id, record);                                 \
            if (asked != PHASE_COUNT && phase != PHASE_COUNT && phase != asked)                                        \
                continue;                                                                                              \
            fprintf(out, "%s %u.%" PRIu64, kind_names[DB_KIND_##kind], process->run->ordinal, cursor.id);              \
            dump_##kind(out, process->run, record);                                                                    \
            fprintf(out, "%s%s\n", phase != PHASE_COUNT ? " phase=" : "",                                              \
                    phase != PHASE_COUNT ? phase_names[phase] : "");                                                   \
        }                                                                                                              \
    }
DUMP_TABLE(PROCESS, struct db_process)
DUMP_TABLE(CODE, struct db_code)
DUMP_TABLE(MODULE, struct db_module)
DUMP_TABLE(SOURCE, struct db_source)
DUMP_TABLE(NODE, struct db_node)
DUMP_TABLE(PAIR, struct db_pair)
DUMP_TABLE(COUNTER, struct db_counter)
DUMP_TABLE(SITE, struct db_site)
DUMP_TABLE(LINK, struct db_link)
DUMP_TABLE(LIVE, struct db_live)
DUMP_TABLE(CONTENT, struct db_content)
DUMP_TABLE(HEAT, struct db_heat)
DUMP_TABLE(NEIGHBOUR, struct db_neighbour)

void dump_show(FILE *out, const struct model *model, enum phase phase)
{
    dump_header(out, model->run);
    for (size_t i = 0; i < model->process_count; i++) {
        dump_table_PROCESS(out, &model->processes[i], phase);
        dump_table_CODE(out, &model->processes[i], phase);
        dump_table_MODULE(out, &model->processes[i], phase);
        dump_table_SOURCE(out, &model->processes[i], phase);
        dump_table_NODE(out, &model->processes[i], phase);
        dump_table_PAIR(out, &model->processes[i], phase);
        dump_table_COUNTER(out, &model->processes[i], phase);
        dump_table_SITE(out, &model->processes[i], phase);
        dump_table_LINK(out, &model->processes[i], phase);
        dump_table_LIVE(out, &model->processes[i], phase);
        dump_table_CONTENT(out, &model->processes[i], phase);
        dump_table_HEAT(out, &model->processes[i], phase);
        dump_table_NEIGHBOUR(out, &model->processes[i], phase);
    }
}
