/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the list from the store and sorts it by version numbers. */
#include "server/catalogue.h"

#include <stdlib.h>
#include <string.h>

static const char *behind_number(const char *text, unsigned long *number_out)
{
	char *end;

	*number_out = strtoul(text, &end, 10);
	return end;
}

int wf_compare_versions(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		unsigned long x;
		unsigned long y;

		a = behind_number(a, &x);
		b = behind_number(b, &y);
		if (x != y)
			return x < y ? -1 : 1;
		if ((*a != '\0' && *a != '.') || (*b != '\0' && *b != '.'))
			return strcmp(a, b);
		a += *a == '.';
		b += *b == '.';
	}
	return 0;
}

static int compare_rows(const void *one, const void *other)
{
	const struct wf_specification_row *a = one;
	const struct wf_specification_row *b = other;
	int order = strcmp(a->uri, b->uri);

	if (order == 0)
		order = wf_compare_versions(a->version, b->version);
	return order != 0 ? order
			  : (a->change > b->change) - (a->change < b->change);
}

enum wf_rc wf_catalogue_list(struct wf_engine *engine, uint32_t namespace_id,
    struct wf_arena *arena, struct wf_specification_list *list_out,
    struct wf_error *err)
{
	struct wf_specification_filter filter = { .namespace_id =
						      namespace_id };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_specifications(store, &filter, arena, list_out, err);
	wf_engine_give_back(engine, store);
	if (rc == WF_OK && list_out->count > 0)
		qsort(list_out->rows, list_out->count, sizeof(*list_out->rows),
		    compare_rows);
	return rc;
}
