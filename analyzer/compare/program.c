/* Which program ran: arguments, interpreter and directory may differ from run to run, the program may not. */
#include <string.h>

#include "compare/profile.h"

/* The words of a command line, one after the other. */
struct words {
    struct run_blob blob;
    size_t at;
};

static const char *words_next(struct words *words)
{
    if (words->at >= words->blob.length_bytes)
        return NULL;
    const char *word = intern_bytes(words->blob.bytes + words->at, words->blob.length_bytes - words->at);
    words->at += strlen(word) + 1;
    return word;
}

/* One word of the interpreter's options; true when it names the program. */
static bool option_word(struct profile *profile, const char *word, struct words *words)
{
    if (word[1] == '-') {
        if (strcmp(word, "--check-hash-based-pycs") == 0)
            words_next(words);
        return false;
    }
    for (const char *option = word + 1; *option != '\0'; option++) {
        if (*option == 'c')
            return true;
        const char *value = option[1] != '\0' ? intern_string(option + 1) : NULL;
        if (*option == 'm') {
            value = value != NULL ? value : words_next(words);
            profile->program_kind = "module";
            profile->program = value != NULL ? value : "?";
            return true;
        }
        if (*option == 'W' || *option == 'X') {
            if (value == NULL)
                words_next(words);
            return false;
        }
    }
    return false;
}

const char *profile_program(struct profile *profile, const struct model *model)
{
    profile->program_kind = "text";
    profile->program = "-";
    if (model->process_count == 0)
        return NULL;
    const struct run_process *process = model->processes[0].run;
    struct words words = {.blob = run_blob(process, process->record->arguments_blob)};
    words_next(&words); /* the interpreter */
    for (const char *word; (word = words_next(&words)) != NULL && strcmp(word, "-") != 0;) {
        if (word[0] == '-') {
            if (option_word(profile, word, &words))
                return NULL;
            continue;
        }
        const char *script = path_absolute(run_text(process, process->record->directory_blob), word);
        profile->program_kind = "script";
        profile->program = profile_path(model, script);
        size_t length = strlen(script), below = strlen(profile->program);
        if (below < length && strcmp(script + length - below, profile->program) == 0)
            profile->root = intern_bytes(script, length - below);
        return script;
    }
    return NULL;
}
