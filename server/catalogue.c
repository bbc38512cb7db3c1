/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the list from the store and sorts it by version numbers. */
#include "server/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

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

static int compare_version_rows(const void *one, const void *other)
{
	const struct wf_specification_row *a = one;
	const struct wf_specification_row *b = other;
	int order = wf_compare_versions(a->version, b->version);

	return order != 0 ? order
			  : (a->change > b->change) - (a->change < b->change);
}

static int compare_rows(const void *one, const void *other)
{
	const struct wf_specification_row *a = one;
	const struct wf_specification_row *b = other;
	int order = strcmp(a->uri, b->uri);

	return order != 0 ? order : compare_version_rows(one, other);
}

static enum wf_rc list(struct wf_engine *engine,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_specifications(store, filter, arena, list_out, err);
	wf_engine_give_back(engine, store);
	if (rc == WF_OK && list_out->count > 0)
		qsort(list_out->rows, list_out->count, sizeof(*list_out->rows),
		    compare_rows);
	return rc;
}

enum wf_rc wf_catalogue_list(struct wf_engine *engine, uint32_t namespace_id,
    struct wf_arena *arena, struct wf_specification_list *list_out,
    struct wf_error *err)
{
	struct wf_specification_filter filter = { .namespace_id =
						      namespace_id };

	return list(engine, &filter, arena, list_out, err);
}

/* --- one process ---------------------------------------------------------- */

/* The versions that there are, the latest first, as far as a message goes. */
#define SHOWN_BYTES 200U

static enum wf_rc fail_unknown(const struct wf_specification_list *versions,
    const char *uri, const char *version, struct wf_error *err)
{
	struct wf_buffer text;
	enum wf_rc rc;

	if (versions->count == 0)
		return wf_fail(err, WF_NOT_FOUND,
		    "no specification has the URI or the identifier %.200s",
		    uri);
	wf_buffer_init(&text, SHOWN_BYTES + WF_SPEC_NAME_BYTES);
	for (size_t i = versions->count; i-- > 0;) {
		const char *other = versions->rows[i].version;

		if (i + 1 < versions->count &&
		    strcmp(other, versions->rows[i + 1].version) == 0)
			continue;
		if (text.length + strlen(other) > SHOWN_BYTES) {
			wf_buffer_puts(&text, ", ..");
			break;
		}
		wf_buffer_puts(&text, text.length > 0 ? ", " : "");
		wf_buffer_puts(&text, other);
	}
	rc =
	    wf_fail(err, WF_NOT_FOUND, "%.100s has no version %.20s: it has %s",
		uri, version, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return rc;
}

static size_t keep_uri(struct wf_specification_list *versions, const char *uri)
{
	size_t kept = 0;

	for (size_t i = 0; i < versions->count; i++)
		if (strcmp(versions->rows[i].uri, uri) == 0)
			versions->rows[kept++] = versions->rows[i];
	return kept;
}

/* Their URIs may differ. */
static size_t keep_identifier(
    struct wf_specification_list *versions, const char *identifier)
{
	struct wf_specification_row *rows = versions->rows;
	size_t kept = 0;

	for (size_t i = 0; i < versions->count && identifier[0] != '\0'; i++)
		if (strcmp(rows[i].identifier, identifier) == 0)
			rows[kept++] = rows[i];
	if (kept > 0)
		qsort(rows, kept, sizeof(*rows), compare_version_rows);
	return kept;
}

/* Keeps the versions with that URI; if there is none, with that identifier. */
static void keep_process(
    struct wf_specification_list *versions, const char *name)
{
	size_t kept = keep_uri(versions, name);

	versions->count = kept > 0 ? kept : keep_identifier(versions, name);
}

enum wf_rc wf_catalogue_find(struct wf_engine *engine,
    const struct wf_specification_filter *filter, const char *uri,
    const char *version, struct wf_arena *arena,
    struct wf_specification_keys *keys_out, struct wf_error *err)
{
	struct wf_specification_list versions;
	uint64_t *keys;
	enum wf_rc rc = list(engine, filter, arena, &versions, err);

	if (rc != WF_OK)
		return rc;
	keep_process(&versions, uri);
	keys = wf_arena_array(arena, versions.count, sizeof(*keys));
	*keys_out = (struct wf_specification_keys){ keys, 0 };
	for (size_t i = 0; i < versions.count; i++)
		if (version == NULL ||
		    strcmp(versions.rows[i].version, version) == 0)
			keys[keys_out->count++] = versions.rows[i].key;
	return keys_out->count > 0 ? WF_OK
				   : fail_unknown(&versions, uri, version, err);
}

bool wf_specification_key(const char *text, uint64_t *key_out)
{
	if (strspn(text, "0123456789abcdef") != 16 || text[16] != '\0')
		return false;
	*key_out = strtoull(text, NULL, 16);
	return true;
}

enum wf_rc wf_catalogue_choose(struct wf_engine *engine, uint32_t namespace_id,
    const char *text, const char *version, struct wf_arena *arena,
    struct wf_specification_keys *keys_out, struct wf_error *err)
{
	const struct wf_specification_filter filter = {
		.namespace_id = namespace_id, .removed = true
	};
	uint64_t *key = wf_arena_array(arena, 1, sizeof(*key));
	enum wf_rc rc;

	*keys_out = (struct wf_specification_keys){ NULL, 0 };
	if (text == NULL)
		return version == NULL
			   ? WF_OK
			   : wf_fail(err, WF_INVALID,
				 "version: expected with specification, the "
				 "URI whose version it is");
	if (version == NULL && wf_specification_key(text, key)) {
		*keys_out = wf_one_specification(key);
		return WF_OK;
	}
	rc = wf_catalogue_find(
	    engine, &filter, text, version, arena, keys_out, err);
	if (rc == WF_OK && keys_out->count > WF_LIST_VERSIONS)
		rc = wf_fail(err, WF_LIMIT,
		    "%.100s has %zu versions, more than the %u that a list can "
		    "be of: name one (version)",
		    text, keys_out->count, WF_LIST_VERSIONS);
	return rc;
}
