/*
 * Did the program come to its end? By its process that was recorded first, those that were started beside it (the ranks of a
 * job, the commands of a shell's script, but for `python -c`, which asks what is installed), and what these became by exec.
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

/* `python -c TEXT`: in a script a question, whose answer may be no. */
static bool is_question(const struct run_process *process)
{
    struct run_blob words = run_blob(process, process->record->arguments_blob);
    size_t interpreter = words.bytes != NULL ? strnlen((const char *)words.bytes, words.length_bytes) : 0;
    return words.bytes != NULL && words.length_bytes - interpreter > 2 &&
           memcmp(words.bytes + interpreter, "\0-c", 3) == 0;
}

/* Was it started beside the first, by the same? A shell may become the last command of its script. */
static bool is_sibling(const struct run *run, size_t index)
{
    const struct db_process *first = run->processes[0].record, *other = run->processes[index].record;
    if (other->parent_pid != first->parent_pid && other->pid != first->parent_pid)
        return false;
    return is_same_command(run, index) || !is_question(&run->processes[index]);
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

/* Of several commands, which one. */
static const char *why_command(const struct run *run, size_t index)
{
    const char *why = why_unfinished(run, index);
    if (why == NULL || is_same_command(run, index))
        return why;
    char *command = process_command(&run->processes[index], COMMAND_BYTES);
    char *text = memory_print("%s (%s)", why, command);
    const char *kept = intern_string(text);
    free(command);
    free(text);
    return kept;
}

const char *profile_why_partial(const struct run *run)
{
    if (run->process_count == 0)
        return "no process of it reached Python code";
    if (run->cut_short || run->damaged > 0)
        return "the file is damaged or cut short";
    const char *why = NULL;
    for (size_t i = 0; i < run->process_count && why == NULL; i++)
        if (i == 0 || is_same_process(run->processes[i].record, run->processes[0].record) || is_sibling(run, i))
            why = why_command(run, i);
    return why;
}
