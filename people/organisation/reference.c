/* SPDX-License-Identifier: Apache-2.0 */
#include "people/organisation/reference.h"

#include <string.h>

/* --- names for ids -------------------------------------------------------- */

static const char *resolve(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *text)
{
	uint32_t number;

	if (text[0] == '\0' ||
	    wf_org_find(organisation, kind, text) != WF_ORG_NOBODY)
		return text;
	number = wf_org_find_name(organisation, kind, text);
	return number == WF_ORG_NOBODY
		   ? text
		   : wf_org_at(organisation, kind, number)->id;
}

/* The id that was found lives as long as the organisation only. */
static const char *resolve_copy(const struct wf_organisation *organisation,
    struct wf_arena *arena, enum wf_org_kind kind, const char *text)
{
	const char *id = resolve(organisation, kind, text);

	return id == text ? text : wf_arena_strdup(arena, id);
}

void wf_org_resolve(const struct wf_organisation *organisation,
    struct wf_arena *arena, struct wf_org_record *record)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];

	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if (field->type == WF_ORG_LINK) {
			const char **id = wf_org_text(record, field);

			*id = resolve_copy(
			    organisation, arena, field->target, *id);
		} else if (field->type == WF_ORG_LINKS) {
			struct wf_texts texts = *wf_org_texts(record, field);
			struct wf_texts *ids = wf_org_texts(record, field);

			*ids = (struct wf_texts){ .count = 0 };
			for (size_t k = 0; k < texts.count; k++) {
				const char *id = resolve_copy(organisation,
				    arena, field->target, texts.rows[k]);

				if (!wf_org_texts_have(ids, id))
					wf_org_texts_add(arena, ids, id);
			}
		}
	}
}

/* --- removal -------------------------------------------------------------- */

static void unlink_field(struct wf_org_record *record,
    const struct wf_org_field *field, const char *id)
{
	struct wf_texts *ids;
	size_t kept = 0;

	if (field->type == WF_ORG_LINK) {
		const char **text = wf_org_text(record, field);

		if (strcmp(*text, id) == 0)
			*text = "";
		return;
	}
	ids = wf_org_texts(record, field);
	for (size_t i = 0; i < ids->count; i++)
		if (strcmp(ids->rows[i], id) != 0)
			ids->rows[kept++] = ids->rows[i];
	ids->count = kept;
}

static bool links_to(const struct wf_org_record *record,
    const struct wf_org_field *field, const char *id)
{
	if (field->type == WF_ORG_LINK)
		return strcmp(*wf_org_text(record, field), id) == 0;
	return field->type == WF_ORG_LINKS &&
	       wf_org_texts_have(wf_org_texts(record, field), id);
}

/* A copy without its links to the record; NULL: it has none. */
static struct wf_org_record *without_links(struct wf_arena *arena,
    const struct wf_org_record *record, enum wf_org_kind kind, const char *id)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	struct wf_org_record *copy = NULL;

	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if (field->target != kind || !links_to(record, field, id))
			continue;
		if (copy == NULL)
			copy = wf_org_record_copy(arena, record);
		unlink_field(copy, field, id);
	}
	return copy;
}

enum wf_rc wf_org_removal(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *id, struct wf_arena *arena,
    struct wf_org_change **changes_out, size_t *count_out, struct wf_error *err)
{
	struct wf_org_change removal = { kind, id, NULL };
	struct wf_org_change *changes = NULL;
	size_t capacity = 0;
	size_t count = 0;
	enum wf_rc rc = wf_organisation_check(organisation, &removal, err);

	*changes_out = NULL;
	*count_out = 0;
	if (rc != WF_OK)
		return rc;
	changes =
	    wf_arena_grow(arena, changes, count, &capacity, sizeof(*changes));
	changes[count++] = removal;
	/* Also links that snapshots pass over, such as those of a circle. */
	for (unsigned from = kind; from < WF_ORG_KINDS; from++)
		for (uint32_t i = 0; i < wf_org_count(organisation, from);
		     i++) {
			const struct wf_org_record *record =
			    wf_org_at(organisation, from, i);
			struct wf_org_record *copy =
			    without_links(arena, record, kind, id);

			if (copy == NULL ||
			    (from == kind && strcmp(copy->id, id) == 0))
				continue;
			changes = wf_arena_grow(
			    arena, changes, count, &capacity, sizeof(*changes));
			changes[count++] =
			    (struct wf_org_change){ from, record->id, copy };
		}
	*changes_out = changes;
	*count_out = count;
	return WF_OK;
}
