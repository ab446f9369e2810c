/*
 * Did the program come to its end? By its process that was recorded first, those that were started beside it (the ranks of a
 * job, the commands of a shell's script), and what these became by exec. `python -c` beside other commands does not count: in
 * a script it asks what is installed, and the answer may be no.
 * Workers may be killed at the end, and helpers fail: what started them knows, unless it is a shell, which is not recorded. A
 * program that left by os._exit(0) before its end looks like one that was done.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/profile.h"
#include "model/processes.h"

#define COMMAND_BYTES 80u

static bool is_same_process(const struct db_process *a, const struct db_process *b)
{
    return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

static bool is_same_command(const struct run *run, size_t index)
{
    const struct run_process *first = &run->processes[0], *other = &run->processes[index];
    struct run_blob a = run_blob(first, first->record->arguments_blob),
                    b = run_blob(other, other->record->arguments_blob);
    return a.length_bytes == b.length_bytes && memcmp(a.bytes, b.bytes, a.length_bytes) == 0;
}

/* Was it started beside the first, by the same? A shell may become the last command of its script. */
static bool is_beside(const struct run *run, size_t index)
{
    const struct db_process *first = run->processes[0].record, *other = run->processes[index].record;
    return other->parent_pid == first->parent_pid || other->pid == first->parent_pid;
}

static bool is_sibling(const struct run *run, size_t index)
{
    return is_beside(run, index) && (is_same_command(run, index) || !profile_is_text(&run->processes[index]));
}

/* Of the first: does it only ask, for a command that follows? */
static bool is_question(const struct run *run)
{
    bool asks = false;
    for (size_t i = 1; i < run->process_count && !asks; i++)
        asks = profile_is_text(&run->processes[0]) && is_sibling(run, i) && !is_same_command(run, i) &&
               !is_same_process(run->processes[i].record, run->processes[0].record);
    return asks;
}

/* Does the end of this process say how the program ended? */
static bool counts(const struct run *run, size_t index)
{
    if (index == 0 || is_same_process(run->processes[index].record, run->processes[0].record))
        return !is_question(run);
    return is_sibling(run, index);
}

/* Did another program follow by exec that was recorded, whose end then counts? */
static bool is_followed(const struct run *run, size_t index)
{
    for (size_t i = index + 1; i < run->process_count; i++)
        if (is_same_process(run->processes[i].record, run->processes[index].record))
            return true;
    return false;
}

static const char *why_unfinished(const struct run *run, size_t index)
{
    const struct db_process *record = run->processes[index].record;
    const char *state = process_state(run, record);
    if (strcmp(state, "exec") == 0)
        return is_followed(run, index) ? NULL : "another program took the program's place (exec), and was not recorded";
    if (strcmp(state, "running") == 0)
        return "the program still runs";
    if (strcmp(state, "exit") != 0)
        return "the program was killed before its end";
    if (record->end_detail == 0)
        return NULL;
    char *text = memory_print("the program failed: it ended with exit status %d", record->end_detail);
    const char *kept = intern_string(text);
    free(text);
    return kept;
}

static const char *with_command(const struct run *run, size_t index, const char *why)
{
    char *command = process_command(&run->processes[index], COMMAND_BYTES);
    char *text = memory_print("%s (%s)", why, command);
    const char *kept = intern_string(text);
    free(command);
    free(text);
    return kept;
}

/* Of several commands, which one. */
static const char *why_command(const struct run *run, size_t index)
{
    const char *why = why_unfinished(run, index);
    bool several = false;
    for (size_t i = 1; i < run->process_count; i++)
        several = several || (is_sibling(run, i) && !is_same_command(run, i));
    return why != NULL && several ? with_command(run, index, why) : why;
}

const char *profile_question(const struct run *run)
{
    for (size_t i = 0; i < run->process_count; i++) {
        const char *why =
            profile_is_text(&run->processes[i]) && is_beside(run, i) && !counts(run, i) ? why_unfinished(run, i) : NULL;
        if (why != NULL)
            return with_command(run, i, why);
    }
    return NULL;
}

/* What came when there was no more room is missing, and looks like waste that was mended. */
static bool was_full(const struct run *run)
{
    bool full = run->header->dropped_joins > 0;
    for (size_t i = 0; i < run->process_count; i++)
        full = full || run->processes[i].record->dropped[DB_DROP_FILE_FULL] > 0 ||
               run->processes[i].record->dropped[DB_DROP_DISK_FULL] > 0;
    return full;
}

const char *profile_why_partial(const struct run *run)
{
    if (run->process_count == 0)
        return "no process of it reached Python code";
    if (run->cut_short || run->damaged > 0)
        return "the file is damaged or cut short";
    if (was_full(run))
        return "its file was full, so that lines or processes that came later are missing: record it with a larger "
               "PIEPROF_MAX_SIZE, "
               "or on a file system with more room";
    const char *why = NULL;
    for (size_t i = 0; i < run->process_count && why == NULL; i++)
        if (counts(run, i))
            why = why_command(run, i);
    return why;
}
