/* Which program ran: arguments, interpreter and directory may differ from run to run, the program may not. */
#include <string.h>

#include "compare/profile.h"
#include "model/path.h"

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

/* Programs that start the one that is meant, in processes of its own. */
static bool is_launcher(const char *program)
{
    static const char *const launchers[] = {"torch.distributed.run",
                                            "torch.distributed.launch",
                                            "accelerate.commands.launch",
                                            "torchrun",
                                            "accelerate",
                                            "deepspeed",
                                            "horovodrun"};
    const char *slash = strrchr(program, '/'), *name = slash != NULL ? slash + 1 : program;
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
        if (strcmp(name, launchers[i]) == 0)
            return true;
    return false;
}

/* What one process ran. */
static const char *read_program(struct profile *profile, const struct model *model, const struct run_process *process)
{
    struct words words = {.blob = run_blob(process, process->record->arguments_blob)};
    profile->program_kind = "text";
    profile->program = "-";
    words_next(&words); /* the interpreter */
    for (const char *word; (word = words_next(&words)) != NULL && strcmp(word, "-") != 0;) {
        if (word[0] == '-') {
            if (option_word(profile, word, &words))
                return NULL;
            continue;
        }
        const char *script = path_absolute(run_text(process, process->record->directory_blob), word);
        profile->program_kind = "script";
        profile->program = path_portable(model, script);
        return script;
    }
    return NULL;
}

const char *profile_program(struct profile *profile, const struct model *model)
{
    const char *script = NULL;
    profile->program_kind = "text";
    profile->program = "-";
    for (size_t i = 0; i < model->process_count; i++) {
        script = read_program(profile, model, model->processes[i].run);
        if (!is_launcher(profile->program))
            break;
    }
    size_t length = script != NULL ? strlen(script) : 0, below = strlen(profile->program);
    if (below < length && strcmp(script + length - below, profile->program) == 0)
        profile->root = intern_bytes(script, length - below);
    return script;
}
