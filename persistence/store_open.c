/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a store by its URL.  This file and case_export.c are the top of
 * persistence/: only this one knows every implementation.
 */
#include <string.h>

#include "persistence/backend.h"

static const struct scheme {
	const char *name;
	enum wf_rc (*open)(struct wf_store **store_out, const char *url,
	    const char *rest, unsigned flags, struct wf_error *err);
} schemes[] = {
	{ "memory:", wf_memory_open },
	{ "sqlite:", wf_sqlite_open },
	{ "postgresql://", wf_postgresql_open },
};

enum wf_rc wf_store_open(struct wf_store **store_out, const char *url,
    unsigned flags, struct wf_error *err)
{
	*store_out = NULL;
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t length = strlen(schemes[i].name);

		if (strncmp(url, schemes[i].name, length) == 0)
			return schemes[i].open(
			    store_out, url, url + length, flags, err);
	}
	return wf_fail(err, WF_INVALID,
	    "\"%.100s\" is not the URL of a store: expected sqlite:PATH, "
	    "postgresql://.. or memory:",
	    url);
}
