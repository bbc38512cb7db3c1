/* SPDX-License-Identifier: Apache-2.0 */
#include "people/organisation/import.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"

struct importing {
	const struct wf_organisation *organisation;
	struct wf_arena *arena;
	struct wf_org_import *import;
	struct wf_map *ids;   /* of the file: "kind/id" */
	struct wf_map *names; /* of the file: "kind/key" */
	bool updates;
};

/* The text is followed by its NUL; it is valid until the next call. */
static const char *map_key(struct wf_buffer *buffer, enum wf_org_kind kind,
    const char *text, bool is_name)
{
	wf_buffer_reset(buffer);
	wf_buffer_printf(buffer, "%u/", (unsigned)kind);
	if (is_name)
		wf_org_key(kind, text, buffer);
	else
		wf_buffer_puts(buffer, text);
	return wf_buffer_text(buffer);
}

/* False: the file has it already. */
static bool take(struct wf_map *map, const struct wf_org_record *record,
    const char *text, bool is_name)
{
	struct wf_buffer key;
	bool is_new;

	wf_buffer_init(&key, WF_ORG_TEXT_BYTES * 8);
	is_new = wf_map_add(
	    map, map_key(&key, record->kind, text, is_name), (void *)record);
	wf_buffer_free(&key);
	return is_new;
}

static bool is_in_file(
    const struct importing *importing, enum wf_org_kind kind, const char *id)
{
	struct wf_buffer key;
	bool is;

	wf_buffer_init(&key, WF_ORG_TEXT_BYTES * 8);
	is = wf_map_get(importing->ids, map_key(&key, kind, id, false)) != NULL;
	wf_buffer_free(&key);
	return is;
}

/* --- which records -------------------------------------------------------- */

/* In YAWL a user id has no blanks. */
static void mend_user(struct wf_arena *arena, struct wf_org_record *record)
{
	struct wf_participant *participant = (struct wf_participant *)record;
	char *user;

	if (record->kind != WF_ORG_PARTICIPANT ||
	    strchr(participant->user, ' ') == NULL)
		return;
	user = wf_arena_strdup(arena, participant->user);
	for (char *at = user; *at != '\0'; at++)
		if (*at == ' ')
			*at = '_';
	participant->user = user;
}

/* Why a record is skipped that is there, and is nothing but that. */
static const char KNOWN[] = "its id is known already";

/* Why the record is skipped; NULL: it is not. */
static const char *refusal(
    struct importing *importing, const struct wf_org_record *record)
{
	const struct wf_organisation *o = importing->organisation;
	uint32_t same = wf_org_find(o, record->kind, record->id);
	uint32_t name = wf_org_find_name(o, record->kind, wf_org_name(record));
	struct wf_error err = { .rc = WF_OK };

	if (wf_org_record_check(record, &err) != WF_OK)
		return wf_arena_strdup(importing->arena, err.message);
	if (same != WF_ORG_NOBODY && !importing->updates)
		return KNOWN;
	if (name != WF_ORG_NOBODY && name != same)
		return wf_arena_printf(importing->arena,
		    "its name belongs to '%.60s'",
		    wf_org_at(o, record->kind, name)->id);
	if (!take(importing->names, record, wf_org_name(record), true))
		return "the file has its name twice";
	if (!take(importing->ids, record, record->id, false))
		return "the file has its id twice";
	return NULL;
}

/*
 * A participant whom services act for needs no account, so it is taken from a
 * file with whatever user id it has there, but not without a word.
 */
static const char *warning(
    struct wf_arena *arena, const struct wf_org_record *record)
{
	const char *user = wf_org_name(record);

	if (record->kind != WF_ORG_PARTICIPANT || wf_is_account_name(user))
		return "";
	return wf_arena_printf(arena,
	    "nobody can sign in as '%s': the name of an account has 1 to %u of "
	    "A-Z a-z 0-9 _ . @ -",
	    wf_org_shown(arena, user), WF_ACCOUNT_NAME_BYTES);
}

static void add_note(
    struct wf_org_note *note, struct wf_arena *arena, const char *text)
{
	note->text = note->text[0] == '\0'
			 ? text
			 : wf_arena_printf(arena, "%s; %s", note->text, text);
}

/* --- links ---------------------------------------------------------------- */

static bool is_known(const struct importing *importing,
    const struct wf_org_field *field, const char *id)
{
	return wf_org_find(importing->organisation, field->target, id) !=
		   WF_ORG_NOBODY ||
	       is_in_file(importing, field->target, id);
}

static void note_unknown(const struct importing *importing,
    struct wf_org_note *note, const struct wf_org_field *field, const char *id)
{
	add_note(note, importing->arena,
	    wf_arena_printf(importing->arena, "there is no %s '%.60s'",
		wf_org_layouts[field->target].word, id));
}

static void mend_links(const struct importing *importing,
    struct wf_org_record *record, const struct wf_org_field *field,
    struct wf_org_note *note)
{
	if (field->type == WF_ORG_LINK) {
		const char **id = wf_org_text(record, field);

		if (**id == '\0' || is_known(importing, field, *id))
			return;
		note_unknown(importing, note, field, *id);
		*id = "";
	} else if (field->type == WF_ORG_LINKS) {
		struct wf_texts *ids = wf_org_texts(record, field);
		size_t kept = 0;

		for (size_t i = 0; i < ids->count; i++)
			if (is_known(importing, field, ids->rows[i]))
				ids->rows[kept++] = ids->rows[i];
			else
				note_unknown(
				    importing, note, field, ids->rows[i]);
		ids->count = kept;
	}
}

/*
 * A participant who is known keeps the own record, but gets the links of the
 * file to what the file adds: a role that was removed comes back with its
 * members.
 */
static void join_added(struct importing *importing, struct wf_org_note *note)
{
	const struct wf_organisation *o = importing->organisation;
	struct wf_org_record *file = (struct wf_org_record *)note->record;
	const struct wf_org_layout *layout = &wf_org_layouts[file->kind];
	uint32_t known = wf_org_find(o, file->kind, file->id);
	struct wf_org_record *joined;
	bool more = false;

	if (file->kind != WF_ORG_PARTICIPANT || known == WF_ORG_NOBODY ||
	    !take(importing->ids, file, file->id, false))
		return;
	joined = wf_org_record_copy(
	    importing->arena, wf_org_at(o, file->kind, known));
	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];
		const struct wf_texts *ids;

		if (field->type != WF_ORG_LINKS)
			continue;
		ids = wf_org_texts(file, field);
		for (size_t k = 0; k < ids->count; k++) {
			const char *id = ids->rows[k];
			struct wf_texts *links = wf_org_texts(joined, field);

			if (wf_org_find(o, field->target, id) ==
				WF_ORG_NOBODY &&
			    is_in_file(importing, field->target, id) &&
			    !wf_org_texts_have(links, id)) {
				wf_org_texts_add(importing->arena, links, id);
				more = true;
			}
		}
	}
	if (!more || wf_org_record_check(joined, NULL) != WF_OK)
		return;
	note->record = joined;
	note->fate = WF_ORG_CHANGED;
	note->text = "it is known; it gets what the file adds";
}

/* A link that the snapshot has passed over closes a circle. */
static bool mend_circles(const struct importing *importing,
    struct wf_org_record *record, struct wf_org_note *note)
{
	static const struct {
		enum wf_org_kind kind;
		enum wf_org_relation relation;
	} rows[] = { { WF_ORG_ROLE, WF_ROLE_belongs_to },
		{ WF_ORG_GROUP, WF_GROUP_belongs_to },
		{ WF_ORG_POSITION, WF_POSITION_reports_to } };
	const struct wf_organisation *after = importing->import->after;
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	bool mended = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t number = wf_org_find(after, record->kind, record->id);

		if (rows[i].kind != record->kind || number == WF_ORG_NOBODY ||
		    wf_org_targets(after, rows[i].relation, number).count > 0)
			continue;
		for (size_t k = 0; k < layout->field_count; k++) {
			const struct wf_org_field *field = &layout->fields[k];

			if (field->type != WF_ORG_LINK ||
			    field->target != record->kind ||
			    *wf_org_text(record, field)[0] == '\0')
				continue;
			add_note(note, importing->arena,
			    wf_arena_printf(importing->arena,
				"\"%s\" would close a circle", field->json));
			*wf_org_text(record, field) = "";
			mended = true;
		}
	}
	return mended;
}

/* --- all of it ------------------------------------------------------------ */

static void decide(struct importing *importing, struct wf_org_note *note,
    struct wf_org_record *record)
{
	const struct wf_organisation *o = importing->organisation;
	const char *text;

	mend_user(importing->arena, record);
	text = refusal(importing, record);
	note->record = record;
	note->text = text == NULL ? warning(importing->arena, record) : text;
	note->fate = text != NULL ? WF_ORG_SKIPPED
		     : wf_org_find(o, record->kind, record->id) == WF_ORG_NOBODY
			 ? WF_ORG_ADDED
			 : WF_ORG_CHANGED;
}

/* Whether nothing changes, other than was thought. */
static bool compare(struct importing *importing, struct wf_org_note *note)
{
	const struct wf_organisation *o = importing->organisation;
	const struct wf_org_record *record = note->record;

	if (note->fate != WF_ORG_CHANGED ||
	    !wf_org_record_equal(
		record, wf_org_at(o, record->kind,
			    wf_org_find(o, record->kind, record->id))))
		return false;
	note->fate = WF_ORG_UNCHANGED;
	return true;
}

static void list_changes(struct importing *importing)
{
	struct wf_org_import *import = importing->import;

	import->change_count = 0;
	for (size_t i = 0; i < import->note_count; i++) {
		const struct wf_org_note *note = &import->notes[i];

		if (note->fate == WF_ORG_ADDED || note->fate == WF_ORG_CHANGED)
			import->changes[import->change_count++] =
			    (struct wf_org_change){ note->record->kind,
				    note->record->id, note->record };
	}
	wf_organisation_unref(&import->after);
	import->after = wf_organisation_new(importing->organisation,
	    import->changes, import->change_count,
	    wf_organisation_version(importing->organisation) + 1);
}

void wf_org_import(const struct wf_organisation *organisation,
    struct wf_org_list *list, bool updates, struct wf_arena *arena,
    struct wf_org_import *import_out)
{
	struct importing importing = { organisation, arena, import_out,
		wf_map_new(), wf_map_new(), updates };
	bool mended = false;

	memset(import_out, 0, sizeof(*import_out));
	import_out->note_count = list->count;
	import_out->notes =
	    wf_arena_array(arena, list->count, sizeof(*import_out->notes));
	import_out->changes =
	    wf_arena_array(arena, list->count, sizeof(*import_out->changes));
	for (size_t i = 0; i < list->count; i++)
		decide(&importing, &import_out->notes[i], list->rows[i]);
	for (size_t i = 0; i < list->count; i++) {
		struct wf_org_record *record = list->rows[i];
		const struct wf_org_layout *layout =
		    &wf_org_layouts[record->kind];

		if (import_out->notes[i].fate == WF_ORG_SKIPPED) {
			if (import_out->notes[i].text == KNOWN)
				join_added(&importing, &import_out->notes[i]);
			continue;
		}
		for (size_t k = 0; k < layout->field_count; k++)
			mend_links(&importing, record, &layout->fields[k],
			    &import_out->notes[i]);
	}
	list_changes(&importing);
	for (size_t i = 0; i < list->count; i++)
		if (import_out->notes[i].fate != WF_ORG_SKIPPED)
			mended |= mend_circles(
			    &importing, list->rows[i], &import_out->notes[i]);
	for (size_t i = 0; i < list->count; i++)
		mended |= compare(&importing, &import_out->notes[i]);
	if (mended)
		list_changes(&importing);
	for (size_t i = 0; i < list->count; i++)
		import_out
		    ->counts[list->rows[i]->kind][import_out->notes[i].fate]++;
	wf_map_free(&importing.ids);
	wf_map_free(&importing.names);
}
