/* When contents were new to a site, and of what kind: db_site.new_first to new_last. */
#ifndef PIEPROF_PRELOAD_WHEN_NEW_H
#define PIEPROF_PRELOAD_WHEN_NEW_H

#include "objects/content.h"
#include "objects/sites.h"

/* The content of this birth is. The caller has locked the site. */
void when_new_note(struct site *site, uint32_t birth, const struct content_sample *sample);

/* The content of birth `from` was that of birth `to`, too, which was before it and ended after it. The caller has locked the site. */
void when_new_move(struct site *site, uint32_t from, uint32_t to);

/* It is not known when, or no more: one moved that others have followed, or what was said is taken back. */
void when_new_forget(struct db_site *record);

#endif
