/* What a native call makes beside its result, as where each bag of embeddings begins. */
#ifndef PIEPROF_ANALYZER_BY_PRODUCT_H
#define PIEPROF_ANALYZER_BY_PRODUCT_H

#include "findings/own_sizes.h"

#define MAKERS_MAX 32u

/* Sites of a place that make new objects: the first few. */
struct makers {
    const struct site *sites[MAKERS_MAX];
    size_t count;
};

/* Those that do not carry the rule's claim, and speak against it. */
struct makers makers_of_new(const struct site_rule *rule, const struct own_sizes *sizes);

/* Is it made beside one of these by one native call of the foundations', so that it can neither be handed to that nor kept there? */
bool is_by_product(struct model *model, const struct makers *makers, const struct site *site);

#endif
