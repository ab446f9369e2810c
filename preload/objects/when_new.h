/* When contents were new to a site, and of what kind: db_site.new_first to new_last. */
#ifndef PIEPROF_PRELOAD_WHEN_NEW_H
#define PIEPROF_PRELOAD_WHEN_NEW_H

#include "objects/content.h"
#include "objects/sites.h"

/* The content of this birth is. The caller has locked the site. */
void when_new_note(struct site *site, uint32_t birth, const struct content_sample *sample);

/* It is not known when, or no more: objects ended in another order than they were born, or what was said is taken back. */
void when_new_forget(struct db_site *record);

#endif
