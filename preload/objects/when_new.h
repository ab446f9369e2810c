/* When contents were new to a site, and of what kind: db_site.new_first to new_last. */
#ifndef PIEPROF_PRELOAD_WHEN_NEW_H
#define PIEPROF_PRELOAD_WHEN_NEW_H

#include "objects/content.h"
#include "objects/sites.h"

/* The content of this birth is. `is_late`: that of some births before it may have been the same. The caller has locked the site. */
void when_new_note(struct site *site, uint32_t birth, const struct content_sample *sample, bool is_late);

/* The content of birth `from` was that of birth `to`, too, which was before it and ended after it. The caller has locked the site. */
void when_new_move(struct site *site, uint32_t from, uint32_t to);

/* The content that seemed new at this birth was that of an earlier one, which is not examined. The caller has locked the site. */
void when_new_drop(struct site *site, uint32_t birth);

/* So many replicas were none, as far as is known: they are counted no more. The caller has locked the site. */
void when_new_take_back(struct site *site, uint64_t replicas);

/* It is not known when, or no more: one moved that others have followed, or nothing was ever proved. */
void when_new_forget(struct db_site *record);

#endif
