#include "findings/vectorized.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "findings/sites.h"
#include "findings/walks.h"
#include "model/source.h"
#include "show/page.h"

#define KIND "tiny_calls"
#define SAMPLES_MIN 10u
#define OWN_SHARE 0.8 /* of the samples below the call, as of a loop's */
#define CALLS_MAX 64u /* of np.vectorize() in a file: bounds what a hostile text costs */

bool vectorized_is(const struct code *code)
{
    const struct word function = word_last_part((struct word){code->function, strlen(code->function)});
    return code->owner == OWNER_FOUNDATION && word_is(function, "__call__") &&
           strstr(code->file, "/numpy/lib/") != NULL && strstr(code->file, "function_base") != NULL;
}

void vectorized_add(struct model *model, struct vectorized *vectorized, bool own, const struct known_formula *called,
                    struct process *process, uint32_t frame, uint32_t leaf, const struct db_node *record)
{
    vectorized->called = called != NULL ? called : vectorized->called;
    if (own)
        below_add(model, &vectorized->below, process, frame, leaf, record);
    else
        vectorized->others += record->samples;
}

/* By a signature what is handed in is no element; by types other than floating-point ones results are made others. */
static bool is_by_elements(struct word call)
{
    static const struct word signature = {"signature", 9}, excluded = {"excluded", 8}, otypes = {"otypes", 6};
    bool has_types = word_mentions(call, otypes) > 0;
    return word_mentions(call, signature) == 0 && word_mentions(call, excluded) == 0 &&
           (!has_types || memmem(call.text, call.length_bytes, "float", strlen("float")) != NULL);
}

/* So all calls of np.vectorize() in the file, as far as they are not too many to be looked at. */
static bool are_by_elements(const struct source *code)
{
    const struct word text = {code->text, code->length_bytes}, vectorize = {"vectorize", strlen("vectorize")};
    unsigned looked_at = 0;
    for (const char *at = code->text; at != NULL && (at = word_find(text, at, vectorize)) != NULL; at++) {
        const char *behind = at + vectorize.length_bytes;
        bool calls = behind < word_end(text) && *behind == '(';
        if (++looked_at > CALLS_MAX || (calls && !is_by_elements(word_in_bracket(behind, word_end(text)))))
            return false;
    }
    return true;
}

static void say(struct model *model, struct finding *finding)
{
    (void)model;
    char *samples = page_count(finding->part);
    finding->claim = memory_print("Works on one element at a time: np.vectorize() calls %s for each, as a loop does; "
                                  "%s samples lie in that.",
                                  finding->called, samples);
    finding->advice = memory_print("%s", finding->instead);
    free(samples);
}

static void claim(struct model *model, const struct vectorized *vectorized)
{
    const struct below *below = &vectorized->below;
    struct line *line = lines_get(model, below->process, below->frame);
    if (line == NULL || !are_by_elements(source_code(model, line->file)) ||
        finding_is_told_better(model, line, (double)below->ns * 1e-9))
        return;
    const struct formula *formula = &vectorized->called->formula;
    const char *name = vectorized->called->name, *chooses = formula->chooses ? "np.where() in place of `if`" : "",
               *math = formula->uses_math ? "NumPy's functions in place of math's" : "";
    struct finding *finding = finding_add(model, line, KIND, "slice under-utilisation");
    finding->process = below->process;
    finding->node = below->frame;
    finding->part = finding->whole = below->samples;
    finding->called = strcmp(name, "<lambda>") == 0 ? memory_print("the lambda") : memory_print("%s()", name);
    finding->instead = memory_print(
        "Call %s on the whole array, without np.vectorize(); it must then take arrays%s%s%s%s. Arrays of small "
        "integers wrap, as Python's numbers do not.",
        finding->called, *chooses != '\0' || *math != '\0' ? ": " : "", chooses,
        *chooses != '\0' && *math != '\0' ? ", " : "", math);
    finding->say = say;
    finding->waste_s = (double)below->ns * 1e-9;
    finding->beside_s = finding->waste_s - below_charge(below, line);
}

void vectorized_claim(struct model *model, const struct walks *walks)
{
    for (size_t i = 0; i < walks->spot_count; i++) {
        const struct vectorized *vectorized = &walks->spots[i]->vectorized;
        double all = (double)(vectorized->below.samples + vectorized->others);
        if (vectorized->called != NULL && vectorized->called->formula.computes &&
            vectorized->below.samples >= SAMPLES_MIN && (double)vectorized->below.samples >= OWN_SHARE * all)
            claim(model, vectorized);
    }
}
