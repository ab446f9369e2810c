/* Which program ran: arguments, interpreter and directory may differ from run to run, the program may not. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

/* As JSON can hold it, so that it stays the same in a baseline. */
static const char *valid_name(const char *name)
{
    char *valid = text_valid(name, strlen(name));
    const char *kept = intern_string(valid);
    free(valid);
    return kept;
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
            profile->program = value != NULL ? valid_name(value) : "?";
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

bool profile_is_text(const struct run_process *process)
{
    struct profile named = {0};
    struct words words = {.blob = run_blob(process, process->record->arguments_blob)};
    words_next(&words); /* the interpreter */
    for (const char *word; (word = words_next(&words)) != NULL && word[0] == '-' && word[1] != '\0';)
        if (option_word(&named, word, &words))
            return named.program_kind == NULL;
    return false;
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
    profile->root = script != NULL ? profile_root_of(script, profile->program) : NULL;
    return script;
}

const char *profile_root_of(const char *absolute, const char *path)
{
    size_t length = strlen(absolute), below = strlen(path);
    if (below >= length || strcmp(absolute + length - below, path) != 0)
        return NULL;
    return intern_bytes(absolute, length - below);
}

/* Does a path, without `ending`, say the same as a module's name? Outside of repositories a path is a file's name alone. */
static bool ends_as(const char *path, const char *module, const char *ending)
{
    size_t length = strlen(path), last = strlen(ending), name = strlen(module);
    if (length < last || strcmp(path + length - last, ending) != 0)
        return false;
    const char *a = path + length - last, *b = module + name;
    for (; a > path && b > module; a--, b--)
        if (a[-1] != (b[-1] == '.' ? '/' : b[-1]))
            return false;
    return (a == path || (b == module && a[-1] == '/')) && (b == module || b[-1] == '.');
}

bool profile_is_program_file(const struct profile *profile, const char *path)
{
    if (strcmp(profile->program_kind, "module") != 0)
        return strcmp(path, profile->program) == 0;
    return ends_as(path, profile->program, ".py") || ends_as(path, profile->program, "/__main__.py");
}
