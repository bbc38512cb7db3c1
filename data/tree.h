/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libxml2 trees from canonical text.
 *
 * Canonical text is Weft's own, so no parser is needed: the builder only
 * splits it, and makes no checks but those that keep it inside the text.
 * Queries and the validation of types both build their trees here.
 */
#ifndef WF_DATA_TREE_H
#define WF_DATA_TREE_H

#include <libxml/tree.h>
#include <stddef.h>

#include "data/value.h"

/*
 * A document whose root element is named root and has the values as its
 * children, in this order; with root NULL the one value is itself the root
 * element.  Entries that are NULL are left out.  Nodes carry the line within
 * the text of their value (from 1).  The caller frees it with xmlFreeDoc().
 */
xmlDoc *wf_tree_build(
    struct wf_value *const *values, size_t count, const char *root);

#endif
