/* Names of a file, and which of them may be had from which: what origins.c asks, and origins_read.c and origins_value.c write down. */
#ifndef PIEPROF_ANALYZER_ORIGINS_GRAPH_H
#define PIEPROF_ANALYZER_ORIGINS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

#define ORIGIN_NAMES_MAX 2048u
#define ORIGIN_EDGES_MAX 16384u
#define ORIGIN_FUNCTIONS_MAX 512u

enum origin_kind { ORIGIN_VALUE, ORIGIN_RESULT }; /* RESULT: of calls of the function of that name */

enum {
    ORIGIN_FOREIGN, /* what other files keep */
    ORIGIN_CALLERS  /* what other files hand over, which may be anything that they can reach */
};

/* "x"; ".x" of "self.x" and any other's: attributes of one name are one. */
struct origin_name {
    struct word name;
    enum origin_kind kind;
    bool bound; /* the file gives it a value... */
    bool holds; /* ... that is not just a number */
    bool lists; /* ... a list, of which "+" makes no new content */
};

struct origin_edge {
    uint32_t name, from;
};

struct origin_function {
    struct word name, parameters;
    bool is_class, called, known; /* known: all its calls are */
};

struct origins {
    struct word buffer; /* an array: what is stored into parts of it is copied */
    struct origin_name names[ORIGIN_NAMES_MAX];
    struct origin_edge edges[ORIGIN_EDGES_MAX];
    struct origin_function functions[ORIGIN_FUNCTIONS_MAX];
    size_t name_count, edge_count, function_count;
    bool again;   /* read for the second time: what is bound anywhere is known */
    bool unclear; /* too much, or beyond understanding */
};

uint32_t origins_name(struct origins *origins, struct word name, enum origin_kind kind);
void origins_add(struct origins *origins, uint32_t name, uint32_t from);

/* A function or class that the file defines; NULL: none. `from`: 0, or behind the one found before, for there may be several. */
struct origin_function *origins_function(struct origins *origins, struct word name, size_t *from);

/* "x" of "x.T", ".w" of "self.w"; length 0 of "x.shape" and "np.pi", which are no arrays of the file's. */
struct word origins_base(struct word name);

static inline bool origins_opens(char c)
{
    return c == '(' || c == '[' || c == '{';
}

/* "x" of "x.reshape", which is called. */
struct word origins_owner(struct word function);

/* The names in the text, one by one; with the dot those behind a bracket (".T"). False at the end. `behind`: text.text at first. */
bool origins_next_name(struct word text, const char **behind, struct word *name, bool *is_called);

/* That a name stands for what the value may be. */
void origins_add_name(struct origins *origins, uint32_t to, struct word name);
void origins_add_value(struct origins *origins, uint32_t to, struct word value);

/* What the calls in a statement hand over to whom. */
void origins_add_calls(struct origins *origins, struct word statement);

/* All of a file's text. */
void origins_read(struct origins *origins, struct word text);

#endif
