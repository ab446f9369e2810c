/*
 * Phases by the names that people give: the words of a function's name, then its class, then its file. Only plain words
 * count, for a phase that is missing misleads less than one that is wrong.
 */
#include <ctype.h>
#include <string.h>

#include "model/model.h"
#include "model/phase.h"

#define NAME_BYTES_MAX 64
#define WORDS_MAX 12

/* Words in lower case, and the class: "get_nextBatch" of "Reader.get_nextBatch" is "get", "next", "batch" of "reader". */
struct name {
    char text[2 * NAME_BYTES_MAX];
    const char *words[WORDS_MAX];
    size_t count;
    char class[NAME_BYTES_MAX]; /* "": none, or not known (before CPython 3.11) */
};

/* Lists of words are strings, words apart by one blank; "" asks for nothing. */
static const struct name_rule {
    const char *first, *final; /* its first word, and its last, are one of these */
    const char *any, *with;    /* one of these is among its words, and one of these */
    const char *without;       /* none of these is */
    bool packages;             /* holds in installed packages, too */
    struct phase_sign sign;    /* PHASE_UNKNOWN: such a name says nothing */
} rules[] = {
#define NAMED(id)                                                                                                      \
    {                                                                                                                  \
        .phase = PHASE_##id, .strength = PHASE_BY_NAME                                                                 \
    }
#define SEARCHES "elimination selection stepwise" /* of features: forward and backward are directions there */
#define GRADIENTS "grad grads gradient gradients"
    {"load read fetch get next make sample draw iter iterate generate create build prepare preprocess shuffle data",
     "data dataset datasets batch batches minibatch minibatches loader loaders dataloader dataloaders", "", "", "",
     false, NAMED(DATA)},
    {"load read fetch next preprocess augment", "image images sample samples example examples inputs", "", "", "",
     false, NAMED(DATA)},
    {"",
     "",
     "train training trainer fit epoch epochs main run test tests eval evaluate evaluation validate validation",
     "",
     "",
     true,
     {0}},
    {"", "", "dataloader dataloaders collate augment augmentation", "", "", false, NAMED(DATA)},
    {"", "", "zero", GRADIENTS, "", true, NAMED(OPTIMIZER)},
    {"", "", "clip apply", GRADIENTS, "", true, NAMED(OPTIMIZER)},
    {"", "", "update apply", "weight weights param params parameter parameters biases", "", true, NAMED(OPTIMIZER)},
    {"", "", "optimizer optimiser optim sgd adam adamw rmsprop adagrad momentum", "step update", "", false,
     NAMED(OPTIMIZER)},
    {"", "", "loss losses cost value forward", GRADIENTS " backward", "", true, {0}}, /* both in one: neither */
    {"", "", "backward backprop backpropagate backpropagation", "", SEARCHES " compatible compatibility fill", true,
     NAMED(BACKWARD)},
    {"", "", "back", "prop propagate propagation", "", true, NAMED(BACKWARD)},
    {"", "", GRADIENTS, "", "no requires enable disable descent ascent step norm norms check", false, NAMED(BACKWARD)},
    {"", "", "forward feedforward", "", SEARCHES " fast fill port", true, NAMED(FORWARD)},
    {"", "", "predict logits loss entropy crossentropy likelihood objective criterion", "",
     "plot print save show history", false, NAMED(FORWARD)},
};

/* Classes and files, by what is part of their names. */
static const char *const loaders[] = {"dataset", "dataloader", "data_loader", "dataiter", "batchiter", NULL};
static const char *const optimizers[] = {"optim",    "sgd",      "adam",  "rmsprop",   "adagrad",
                                         "momentum", "nesterov", "lbfgs", "scheduler", NULL};
static const char *const not_models[] = {"meter",    "metric", "average", "stat",   "progress", "bar",   "env",
                                         "game",     "agent",  "buffer",  "memory", "callback", "cache", "monitor",
                                         "count",    "log",    "plot",    "queue",  "timer",    "track", "confusion",
                                         "accuracy", "score",  "hist",    "record", "result",   "eval",  NULL};

static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool name_has(const struct name *name, const char *list)
{
    for (size_t i = 0; i < name->count; i++)
        if (list_has(list, name->words[i]))
            return true;
    return false;
}

static bool name_is(const struct name *name, const char *list)
{
    return name->count == 1 && list_has(list, name->words[0]);
}

static bool has_part(const char *text, const char *const *parts)
{
    for (; *parts != NULL; parts++)
        if (strstr(text, *parts) != NULL)
            return true;
    return false;
}

/* A word begins behind what is no letter or digit, and where a capital follows a small letter or precedes one. */
static bool word_begins(const char *text, size_t at, size_t length)
{
    if (at == 0 || !isalnum((unsigned char)text[at - 1]))
        return true;
    if (!isupper((unsigned char)text[at]))
        return false;
    return !isupper((unsigned char)text[at - 1]) || (at + 1 < length && islower((unsigned char)text[at + 1]));
}

static void split_words(struct name *name, const char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]))
            continue;
        if (word_begins(text, i, length)) {
            if (name->count == WORDS_MAX)
                return;
            used += used > 0;
            name->words[name->count++] = &name->text[used];
        }
        name->text[used++] = (char)tolower((unsigned char)text[i]);
    }
}

static void lower_copy(char *lower, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    lower[length] = '\0';
}

/* Where the part of a qualified name that ends at `end` begins. */
static size_t part_begin(const char *function, size_t end)
{
    while (end > 0 && function[end - 1] != '.')
        end--;
    return end;
}

/* A generator expression is its function; a lambda, a module and what is too long for a word have no name: false. */
static bool name_split(struct name *name, const char *function)
{
    static const char inner[] = ".<locals>.<genexpr>";
    size_t end = strlen(function), part = sizeof(inner) - 1;
    if (end > part && strcmp(function + end - part, inner) == 0)
        end -= part;
    size_t begin = part_begin(function, end);
    *name = (struct name){0};
    if (begin == end || end - begin >= NAME_BYTES_MAX || function[begin] == '<')
        return false;
    split_words(name, function + begin, end - begin);
    if (begin < 2)
        return name->count > 0;
    size_t class = part_begin(function, begin - 1);
    if (function[class] != '<' && begin - 1 - class < NAME_BYTES_MAX)
        lower_copy(name->class, function + class, begin - 1 - class);
    return name->count > 0;
}

static bool rule_holds(const struct name_rule *rule, const struct name *name)
{
    return (*rule->first == '\0' || list_has(rule->first, name->words[0])) &&
           (*rule->final == '\0' || (name->count > 1 && list_has(rule->final, name->words[name->count - 1]))) &&
           (*rule->any == '\0' || name_has(name, rule->any)) && (*rule->with == '\0' || name_has(name, rule->with)) &&
           !name_has(name, rule->without);
}

static struct phase_sign by_class(const struct name *name, bool own)
{
    bool iterates = name_is(name, "getitem iter next");
    if (has_part(name->class, loaders) && (own || iterates))
        return (struct phase_sign)NAMED(DATA);
    if (has_part(name->class, optimizers) && name_is(name, "step update call"))
        return (struct phase_sign)NAMED(OPTIMIZER);
    return (struct phase_sign){0};
}

/* Names of one word mean most things to most people: only a user's own count, and not all of them. */
static struct phase_sign by_whole_name(const struct name *name)
{
    if (name_is(name, "batch batches minibatch minibatches"))
        return (struct phase_sign)NAMED(DATA);
    if (name_is(name, "closure"))
        return (struct phase_sign){.phase = PHASE_FORWARD, .strength = PHASE_BY_LIBRARY};
    if (name_is(name, "update") && !has_part(name->class, not_models))
        return (struct phase_sign){.phase = PHASE_OPTIMIZER, .strength = PHASE_BY_NAME, .may_be_step = true};
    return (struct phase_sign){0};
}

static struct phase_sign by_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    char lower[NAME_BYTES_MAX];
    if (strlen(file) >= sizeof(lower))
        return (struct phase_sign){0};
    lower_copy(lower, file, strlen(file));
    if (list_has("dataset.py datasets.py dataloader.py dataloaders.py data_loader.py data_loading.py", lower))
        return (struct phase_sign){.phase = PHASE_DATA, .strength = PHASE_BY_FILE};
    if (list_has("optimizer.py optimizers.py optim.py", lower))
        return (struct phase_sign){.phase = PHASE_OPTIMIZER, .strength = PHASE_BY_FILE};
    return (struct phase_sign){0};
}

struct phase_sign phase_of_name(const struct code *code)
{
    struct name name;
    bool own = code->owner == OWNER_USER || code->pseudo;
    if ((!own && code->owner != OWNER_PACKAGE) || !name_split(&name, code->function))
        return (struct phase_sign){0};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if ((own || rules[i].packages) && rule_holds(&rules[i], &name))
            return rules[i].sign;
    struct phase_sign sign = by_class(&name, own);
    if (sign.strength == PHASE_UNKNOWN && own)
        sign = by_whole_name(&name);
    if (sign.strength == PHASE_UNKNOWN && own)
        sign = by_file(code->file);
    return sign;
}
