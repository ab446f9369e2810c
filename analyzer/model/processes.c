#include "model/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"

const char *process_python(const struct db_process *record)
{
    uint32_t hex = record->python_version;
    if (hex == 0)
        return NULL;
    char *text = memory_print("%u.%u.%u%s", hex >> 24, (hex >> 16) & 255, (hex >> 8) & 255,
                              record->python_free_threaded ? "t" : "");
    const char *kept = intern_string(text);
    free(text);
    return kept;
}

static bool recorded_here(const struct run *run)
{
    char text[64] = "";
    uint8_t id[16] = {0};
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL)
        return false;
    bool got = fgets(text, sizeof(text), file) != NULL;
    fclose(file);
    size_t digits = 0;
    for (const char *at = text; got && *at != '\0' && digits < 32; at++) {
        const char *hex = "0123456789abcdef", *found = *at != '\0' ? strchr(hex, *at) : NULL;
        if (found == NULL)
            continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | (uint8_t)(found - hex));
        digits++;
    }
    return digits == 32 && memcmp(id, run->header->boot_id, sizeof(id)) == 0;
}

/* Is the process with this pid still the one that started then (field 22 of its stat)? */
static bool is_alive(const struct db_process *record)
{
    char path[64], stat[1024];
    snprintf(path, sizeof(path), "/proc/%u/stat", record->pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(stat, 1, sizeof(stat) - 1, file);
    fclose(file);
    stat[length] = '\0';
    char *at = strrchr(stat, ')'), *rest;
    if (at == NULL || at[1] == '\0' || at[2] == 'Z' || at[2] == 'X')
        return false;
    at += 2;
    for (unsigned field = 3; field < 22 && at != NULL; field++) {
        at = strchr(at, ' ');
        at += at != NULL;
    }
    return at != NULL && strtoull(at, &rest, 10) == record->start_ticks;
}

const char *process_state(const struct run *run, const struct db_process *record)
{
    static const char *const names[] = {NULL, "exit", "exec", "signal"};
    if (record->ended != DB_END_RUNNING)
        return names[record->ended];
    if (!recorded_here(run))
        return "unknown";
    return is_alive(record) ? "running" : "killed";
}

double process_duration_s(const struct db_process *record)
{
    return (double)(record->last_monotonic_ns - record->start_monotonic_ns) * 1e-9;
}

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=+:,@%";
    return *word != '\0' && strspn(word, plain) == strlen(word);
}

/* A command line being written; what is beyond its room is left out. */
struct command {
    char *text;
    size_t used, room;
};

static void command_add(struct command *command, const char *text, size_t length)
{
    if (length > command->room - command->used)
        length = command->room - command->used;
    memcpy(command->text + command->used, text, length);
    command->used += length;
}

/* As a shell reads it back: between apostrophes, each of its own outside them. */
static void command_add_quoted(struct command *command, const char *word)
{
    command_add(command, "'", 1);
    for (size_t length; (length = strcspn(word, "'")), word[length] != '\0'; word += length + 1) {
        command_add(command, word, length);
        command_add(command, "'\\''", 4);
    }
    command_add(command, word, strlen(word));
    command_add(command, "'", 1);
}

char *process_command(const struct run_process *process, size_t limit_bytes)
{
    struct run_blob blob = run_blob(process, process->record->arguments_blob);
    struct command command = {.text = memory_zeroed(limit_bytes + 1, 1), .room = limit_bytes};
    for (size_t at = 0; at < blob.length_bytes && command.used < limit_bytes;) {
        const char *word = intern_bytes(blob.bytes + at, blob.length_bytes - at);
        at += strlen(word) + 1;
        if (command.used > 0)
            command_add(&command, " ", 1);
        if (is_plain(word))
            command_add(&command, word, strlen(word));
        else
            command_add_quoted(&command, word);
    }
    return command.text;
}

bool process_is_crowded(const struct run_process *process)
{
    struct run_cursor cursor = {0};
    size_t count = 0;
    while (count < DB_SITES_CROWDED && run_next(&process->tables[DB_KIND_SITE], &cursor) != NULL)
        count++;
    return count >= DB_SITES_CROWDED;
}
