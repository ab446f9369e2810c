/* What an attribute of a class's objects may stand for ("self.k"), by the text of files that make and use them. */
#ifndef PIEPROF_ANALYZER_CLASS_ATTRIBUTE_H
#define PIEPROF_ANALYZER_CLASS_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/given.h"
#include "python/words.h"

#define CLASS_VALUES_MAX 16u

/* Texts that stand in functions: values, or arguments of calls. */
struct class_values {
    struct class_value {
        const struct source *code;
        struct word text;
        int32_t def; /* the row of the function's "def"; 0: in none */
    } values[CLASS_VALUES_MAX];
    size_t count;
};

/* The name of the class in whose suite the row stands; empty: it stands in none. */
struct word class_around(const struct source *code, int32_t row);

/* Is it the file's only class of that name, and one that inherits no methods that give attributes by their names? */
bool class_is_plain(const struct source *code, struct word class_name);

/* Adds what the class's methods give "self.NAME". False where they may give it something else. */
bool class_attribute_given(const struct source *code, struct word class_name, struct word attribute,
                           struct class_values *values);

/* May the file give attributes of that name by another name than "self": "model.k = 9", setattr()? */
bool class_attribute_is_reached(const struct source *code, struct word attribute);

/* Adds the arguments of the class's calls. False where the file does anything else with the class than to define, import and call it. */
bool class_calls(const struct source *code, struct word class_name, struct class_values *calls);

#endif
