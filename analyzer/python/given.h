/*
 * What the statements of a function, or of a module, give a name: "k = 5", "few, most = 5, 990". Read from the text: what is not
 * understood leaves open what the name stands for.
 */
#ifndef PIEPROF_ANALYZER_GIVEN_H
#define PIEPROF_ANALYZER_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

#define GIVEN_MAX 16u

/* The values that a name is given. */
struct given {
    struct word values[GIVEN_MAX];
    size_t count;
    bool open; /* it may be given others as well */
};

/* In the body of the function whose "def" stands in row `definition` of a source's code (source_code()), functions within it included. */
void given_in_function(const struct source *code, int32_t definition, struct word name, struct given *given);

/* Outside of the module's functions and classes, and by "global" in them. */
void given_in_module(const struct source *code, struct word name, struct given *given);

#define PARAMETERS_MAX 32u

/* Of a function's parameters the one by a name. */
struct parameter {
    size_t place;              /* among those that are handed by place; SIZE_MAX: by its keyword alone */
    struct word default_value; /* empty: there is none */
    bool of_object;            /* the first one is "self" or "cls" */
};

/* False where the function in that row has none by that name, or is not understood. */
bool given_parameter(const struct source *code, int32_t definition, struct word name, struct parameter *parameter);

/* Is the parameter's default a number ("count=32")? Then "count //= 2" gives the name another, and changes nothing that was handed in. */
bool given_is_number(const struct source *code, int32_t definition, struct word name);

/*
 * What a call with these arguments hands in for the parameter by that name, whose object, if it is a method's, is handed in otherwise: empty
 * where that is nothing, of length SIZE_MAX where it is not known.
 */
struct word given_argument(struct word arguments, const struct parameter *parameter, struct word name);

/* The row of the innermost "def" around row `line`, classes passed over; 0: none. */
int32_t given_definition_around(const struct source *code, int32_t line);

/* The name that the row's "def" defines; empty where it is none. */
struct word given_definition_name(const struct source *code, int32_t row);

#endif
