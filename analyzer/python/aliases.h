/* Which names of a function may stand for the same array, or for views of one: "b = a", "previous = a[:-1]", "flat = a.ravel()". */
#ifndef PIEPROF_ANALYZER_ALIASES_H
#define PIEPROF_ANALYZER_ALIASES_H

#include <stdbool.h>

#include "model/source.h"
#include "python/words.h"

#define ALIASES_MAX 128u

struct aliases {
    struct word names[ALIASES_MAX], sources[ALIASES_MAX];
    bool holds[ALIASES_MAX]; /* the name is that of a list or another container, of which the source is an item */
    size_t count;
    bool full; /* there are more */
};

/*
 * Of the assignments in `text`, whichever of them were run; what is assigned later takes nothing back. What arguments make the same is
 * not seen.
 */
void aliases_read(struct aliases *aliases, struct word text);

/*
 * Of the loop's names that its function has in common with others ("self.x", a global one), what all the file says. `function`: its
 * "def" and what stands above the loop.
 */
void aliases_add_shared(struct aliases *aliases, struct word file, struct word function, struct word loop);

/*
 * What functions of the source return that is a view of what they are handed ("def ends(v): return v[:-1], v[1:]"), where the text gives names
 * what one of them returns.
 */
void aliases_add_returned(struct aliases *aliases, const struct source *source, struct word text);

/*
 * Does the function whose "def" stands on the row (0: the module) store into what may be the name's array by another name, or into what a
 * loop takes out of one: "flat = h.ravel(); flat *= 2", "for row in h[1:]: row *= 2"?
 */
bool aliases_store(const struct source *source, int32_t def, struct word name);

/* Do the rows store into what the name at that index stands for, or into what it holds? */
bool alias_is_stored(const struct aliases *aliases, size_t index, struct word rows);

/* May two names stand for the same array? */
bool aliases_share(const struct aliases *aliases, struct word a, struct word b);

#endif
