/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a prefix at one place of a query. */
#include <string.h>

#include "xquery/parse/expr.h"

const char *wf_namespaces_find(
    const struct wf_namespaces *namespaces, const char *prefix)
{
	for (; namespaces != NULL; namespaces = namespaces->outer) {
		const struct wf_namespace *one = namespaces->list;

		for (; one != NULL; one = one->next) {
			if (strcmp(one->prefix, prefix) != 0)
				continue;
			if (one->uri[0] == '\0' && prefix[0] != '\0')
				return NULL;
			return one->uri;
		}
	}
	return NULL;
}
