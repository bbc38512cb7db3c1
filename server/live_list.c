/* SPDX-License-Identifier: Apache-2.0 */
#include "server/live_list.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "data/json.h"
#include "data/json_fields.h"
#include "kernel/assignment/assignment.h"
#include "spec/spec.h"
#include "worklist/list.h"

/* Items of one list, and of one case, that are known of at most. */
#define LIST_ITEMS 10000U
#define CASE_ITEMS 10000U
#define PAGE_ROWS 1000U
/* At the end of the id of an event: CURSOR.DIGEST */
#define DIGEST_MARK '.'
#define DIGEST_DIGITS 16U

/* An item that the reader knows of. */
struct known_item {
	uint64_t number; /* of its case */
	uint64_t state;	 /* a hash of what was reported */
	bool seen;
	char *id;
};

/* Somebody whose items are on the list. */
struct person {
	const char *id;
	const char *user;
	const struct wf_deputy *entry; /* NULL: the participant */
};

struct wf_live_list {
	struct wf_live_list_parts parts;
	uint32_t namespace_id;
	char *participant;
	uint64_t version; /* of what people is made of; 0: never read */
	bool stale;	  /* something was not known */
	struct wf_organisation *organisation;
	struct wf_arena *arena; /* of the people */
	struct person people[1 + WF_DEPUTIES];
	size_t person_count;
	struct known_item *known;
	size_t count;
	size_t capacity;
	uint64_t digest;  /* of what is known: the sum of mark_of() */
	bool resumes;	  /* the reader knows .. */
	uint64_t resumed; /* .. the items of this digest */
};

/* --- rows of a case ------------------------------------------------------- */

enum wf_rc wf_live_rows_read(struct wf_store *store, uint64_t number,
    struct wf_live_rows **rows_out, struct wf_error *err)
{
	struct wf_live_rows *rows = wf_calloc(1, sizeof(*rows));
	struct wf_item_filter filter = { .number = number, .limit = PAGE_ROWS };
	struct wf_item_list page = { .count = PAGE_ROWS };
	enum wf_rc rc = WF_OK;
	size_t capacity = 0;

	rows->number = number;
	rows->arena = wf_arena_new();
	while (rc == WF_OK && page.count == PAGE_ROWS &&
	       rows->list.count < CASE_ITEMS) {
		rc = wf_store_items(store, &filter, rows->arena, &page, err);
		for (size_t i = 0; rc == WF_OK && i < page.count; i++) {
			rows->list.rows = wf_arena_grow(rows->arena,
			    rows->list.rows, rows->list.count, &capacity,
			    sizeof(*rows->list.rows));
			rows->list.rows[rows->list.count++] = page.rows[i];
			filter.after_number = number;
			filter.after_id = page.rows[i].id;
		}
	}
	rows->partial = page.count == PAGE_ROWS;
	if (rc != WF_OK)
		wf_live_rows_free(&rows);
	*rows_out = rows;
	return rc;
}

void wf_live_rows_free(struct wf_live_rows **rows)
{
	struct wf_live_rows *old = *rows;

	*rows = NULL;
	if (old == NULL)
		return;
	wf_arena_free(&old->arena);
	wf_free(old);
}

/* --- the list ------------------------------------------------------------- */

/* The digest at the end of the id of an event. */
static void read_known(struct wf_live_list *list, const char *id)
{
	const char *text = id == NULL ? NULL : strchr(id, DIGEST_MARK);

	if (text == NULL || strlen(text + 1) != DIGEST_DIGITS ||
	    strspn(text + 1, "0123456789abcdef") != DIGEST_DIGITS)
		return;
	list->resumed = strtoull(text + 1, NULL, 16);
	list->resumes = true;
}

struct wf_live_list *wf_live_list_new(const struct wf_live_list_parts *parts,
    uint32_t namespace_id, const char *participant, const char *known)
{
	struct wf_live_list *list = wf_calloc(1, sizeof(*list));

	list->parts = *parts;
	list->namespace_id = namespace_id;
	list->participant = wf_strdup(participant);
	list->arena = wf_arena_new();
	list->stale = true;
	read_known(list, known);
	return list;
}

static void forget(struct wf_live_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		wf_free(list->known[i].id);
	list->count = 0;
	list->digest = 0;
}

void wf_live_list_free(struct wf_live_list **list)
{
	struct wf_live_list *old = *list;

	*list = NULL;
	if (old == NULL)
		return;
	forget(old);
	wf_free(old->known);
	wf_organisation_unref(&old->organisation);
	wf_arena_free(&old->arena);
	wf_free(old->participant);
	wf_free(old);
}

/* --- whose items ---------------------------------------------------------- */

/* Never 0. */
static uint64_t version_of(const struct wf_organisation *organisation,
    const struct wf_deputy_list *entries)
{
	uint64_t version = wf_organisation_version(organisation);

	version = wf_hash(1, &version, sizeof(version));
	for (size_t i = 0; i < entries->count; i++)
		version = wf_hash(
		    version, &entries->rows[i].id, sizeof(entries->rows[i].id));
	return version == 0 ? 1 : version;
}

static struct wf_deputy_list entries_of(
    const struct wf_live_list *list, struct wf_arena *arena)
{
	return wf_deputies_by(list->parts.deputies, list->participant,
	    wf_engine_now(list->parts.engine), false, arena);
}

bool wf_live_list_is_stale(struct wf_live_list *list)
{
	struct wf_organisation *organisation;
	struct wf_deputy_list entries;
	struct wf_arena *arena;

	if (list->stale)
		return true;
	arena = wf_arena_new();
	organisation = wf_org_cache_get(list->parts.organisation);
	entries = entries_of(list, arena);
	list->stale = version_of(organisation, &entries) != list->version;
	wf_organisation_unref(&organisation);
	wf_arena_free(&arena);
	return list->stale;
}

static void add_person(
    struct wf_live_list *list, const char *id, const struct wf_deputy *entry)
{
	uint32_t number =
	    wf_org_find(list->organisation, WF_ORG_PARTICIPANT, id);

	if (number == WF_ORG_NOBODY ||
	    list->person_count == sizeof(list->people) / sizeof(*list->people))
		return;
	list->people[list->person_count++] = (struct person){ id,
		wf_participant_at(list->organisation, number)->user, entry };
}

static void find_people(struct wf_live_list *list)
{
	struct wf_deputy_list entries;

	wf_arena_reset(list->arena);
	wf_organisation_unref(&list->organisation);
	list->organisation = wf_org_cache_get(list->parts.organisation);
	list->person_count = 0;
	add_person(list, list->participant, NULL);
	entries = entries_of(list, list->arena);
	for (size_t i = 0; i < entries.count; i++)
		add_person(list, entries.rows[i].person, &entries.rows[i]);
	list->version = version_of(list->organisation, &entries);
}

struct matching {
	const struct wf_deputy *deputy;
	bool matches;
};

static void match(void *context, const struct wf_spec *spec)
{
	struct matching *matching = context;

	matching->matches = wf_deputy_is_for(
	    matching->deputy, spec->metadata.identifier, spec->uri);
}

/* A specification that is not in memory makes the list stale. */
static bool is_for(struct wf_live_list *list, const struct wf_deputy *entry,
    uint64_t specification, bool may_wait)
{
	struct matching matching = { entry, entry->processes.count == 0 };
	struct wf_error err = { .rc = WF_OK };

	if (!matching.matches &&
	    wf_engine_inspect_spec(list->parts.engine, list->namespace_id,
		specification, !may_wait, match, &matching, &err) != WF_OK &&
	    !may_wait)
		list->stale = true;
	wf_error_clear(&err);
	return matching.matches;
}

/* On whose list the item is; NULL: on nobody's. */
static const struct person *person_of(
    struct wf_live_list *list, const struct wf_item_row *row, bool may_wait)
{
	for (size_t i = 0; i < list->person_count; i++) {
		const struct person *person = &list->people[i];

		if (row->queue[0] != '\0' &&
		    row->namespace_id == list->namespace_id &&
		    wf_audiences_see(list->parts.audiences, list->organisation,
			row->queue, person->id) &&
		    !wf_list_leaves_out(row, person->id) &&
		    (person->entry == NULL ||
			is_for(
			    list, person->entry, row->specification, may_wait)))
			return person;
	}
	return NULL;
}

/* --- what is reported ----------------------------------------------------- */

static uint64_t state_of(
    const struct wf_item_row *row, const struct person *person)
{
	const uint64_t numbers[] = { row->assignment, row->status, row->rank,
		(uint64_t)row->due_at };
	uint64_t hash = wf_hash(0, numbers, sizeof(numbers));

	hash = wf_hash(hash, row->queue, strlen(row->queue) + 1);
	hash = wf_hash(hash, person->id, strlen(person->id) + 1);
	return wf_hash(hash, person->user, strlen(person->user));
}

/* What an item adds to the digest. */
static uint64_t mark_of(const struct known_item *known)
{
	return wf_hash(known->state, known->id, strlen(known->id));
}

static void set_state(
    struct wf_live_list *list, struct known_item *known, uint64_t state)
{
	known->state = state;
	list->digest += mark_of(known);
}

static struct known_item *find_known(
    struct wf_live_list *list, uint64_t number, const char *id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->known[i].number == number &&
		    strcmp(list->known[i].id, id) == 0)
			return &list->known[i];
	return NULL;
}

/* NULL: it knows of too many. */
static struct known_item *add_known(
    struct wf_live_list *list, uint64_t number, const char *id)
{
	struct known_item *known;

	if (list->count == LIST_ITEMS)
		return NULL;
	if (list->count == list->capacity) {
		list->capacity = list->capacity == 0 ? 16 : list->capacity * 2;
		list->known = wf_realloc(
		    list->known, list->capacity * sizeof(*list->known));
	}
	known = &list->known[list->count++];
	*known = (struct known_item){ .number = number, .id = wf_strdup(id) };
	return known;
}

static void put_event(const struct wf_live_list *list, struct wf_buffer *text,
    const char *name, const char *id, json_t *data)
{
	char *json = wf_json_dump(data, JSON_COMPACT);

	wf_buffer_printf(text,
	    "event: %s\nid: %s%c%016" PRIx64 "\ndata: ", name, id, DIGEST_MARK,
	    list->digest);
	wf_buffer_puts(text, json);
	wf_buffer_puts(text, "\n\n");
	free(json);
	json_decref(data);
}

static json_t *describe(
    const struct wf_item_row *row, const struct person *person)
{
	json_t *object = json_object();

	json_object_set_new(object, "item", json_string(row->id));
	json_object_set_new(
	    object, "case", json_stringn(row->id, strcspn(row->id, ".:")));
	json_object_set_new(object, "task", json_string(row->task));
	json_object_set_new(object, "status",
	    wf_json_lower_case(
		wf_item_status_name((enum wf_item_status)row->status)));
	json_object_set_new(object, "assignment",
	    wf_json_lower_case(wf_resource_status_name(
		(enum wf_resource_status)row->assignment)));
	if (person->entry != NULL)
		json_object_set_new(object, "for", json_string(person->user));
	return object;
}

/* --- all of it ------------------------------------------------------------ */

/* The queues of all people, each once. */
static struct wf_texts queues_of(
    struct wf_live_list *list, struct wf_arena *arena)
{
	struct wf_texts queues = { NULL, 0 };

	for (size_t i = 0; i < list->person_count; i++) {
		struct wf_texts more =
		    wf_audiences_queues(list->parts.audiences,
			list->organisation, list->people[i].id, arena);

		for (size_t k = 0; k < more.count; k++)
			if (i == 0 || !wf_org_texts_have(&queues, more.rows[k]))
				wf_org_texts_add(arena, &queues, more.rows[k]);
	}
	if (queues.count > WF_LIST_QUEUES)
		queues.count = WF_LIST_QUEUES;
	return queues;
}

static void add_rows(
    struct wf_live_list *list, const struct wf_item_list *rows, json_t *items)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct wf_item_row *row = &rows->rows[i];
		const struct person *person = person_of(list, row, true);
		struct known_item *known;

		if (person == NULL)
			continue;
		known = add_known(list, row->number, row->id);
		if (known == NULL)
			return;
		set_state(list, known, state_of(row, person));
		json_array_append_new(items, describe(row, person));
	}
}

static enum wf_rc read_items(struct wf_live_list *list, struct wf_store *store,
    json_t *items, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_texts queues = queues_of(list, arena);
	struct wf_queue_filter filter = { .queues = queues.rows,
		.queue_count = queues.count,
		.order = WF_QUEUE_BY_AGE,
		.limit = WF_QUEUED_ROWS };
	struct wf_item_list page = { .count = WF_QUEUED_ROWS };
	struct wf_queue_key after;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && page.count == WF_QUEUED_ROWS &&
	       list->count < LIST_ITEMS) {
		rc = wf_store_queued_items(store, &filter, arena, &page, err);
		if (rc != WF_OK || page.count == 0)
			break;
		add_rows(list, &page, items);
		after =
		    wf_queue_key_of(filter.order, &page.rows[page.count - 1]);
		filter.after = &after;
	}
	wf_arena_free(&arena);
	return rc;
}

/* Whether the reader knows the list as it is; once. */
static bool take_resume(struct wf_live_list *list)
{
	bool same = list->resumes && list->count < LIST_ITEMS &&
		    list->resumed == list->digest;

	list->resumes = false;
	return same;
}

enum wf_rc wf_live_list_read(struct wf_live_list *list, struct wf_store *store,
    const char *id, struct wf_buffer *text, struct wf_error *err)
{
	json_t *items;
	json_t *data;
	enum wf_rc rc;

	forget(list);
	find_people(list);
	list->stale = false;
	if (list->person_count == 0 || list->people[0].entry != NULL)
		return wf_fail(err, WF_NOT_FOUND,
		    "there is no participant '%.60s'", list->participant);
	items = json_array();
	rc = read_items(list, store, items, err);
	data = json_pack("{s:o}", "items", items);
	if (list->count == LIST_ITEMS)
		json_object_set_new(data, "more", json_true());
	if (rc != WF_OK) {
		json_decref(data);
	} else if (take_resume(list)) {
		json_decref(data);
		put_event(list, text, "resumed", id, json_object());
	} else {
		put_event(list, text, "list", id, data);
	}
	return rc;
}

/* --- one case ------------------------------------------------------------- */

static void take_row(struct wf_live_list *list, const struct wf_item_row *row,
    const char *id, struct wf_buffer *text)
{
	const struct person *person = person_of(list, row, false);
	struct known_item *known;
	uint64_t state;
	bool is_new;

	if (person == NULL)
		return;
	known = find_known(list, row->number, row->id);
	is_new = known == NULL;
	if (is_new)
		known = add_known(list, row->number, row->id);
	if (known == NULL)
		return;
	known->seen = true;
	state = state_of(row, person);
	if (!is_new && known->state == state)
		return;
	if (!is_new)
		list->digest -= mark_of(known);
	set_state(list, known, state);
	put_event(list, text, is_new ? "appeared" : "changed", id,
	    describe(row, person));
}

/* Those of the case that were not seen are gone. */
static void take_gone(struct wf_live_list *list, uint64_t number,
    const char *id, struct wf_buffer *text)
{
	for (size_t i = 0; i < list->count;) {
		struct known_item *known = &list->known[i];

		if (known->number != number || known->seen) {
			known->seen = false;
			i++;
			continue;
		}
		list->digest -= mark_of(known);
		put_event(list, text, "left", id,
		    json_pack("{s:s}", "item", known->id));
		wf_free(known->id);
		*known = list->known[--list->count];
	}
}

void wf_live_list_take(struct wf_live_list *list,
    const struct wf_live_rows *rows, const char *id, struct wf_buffer *text)
{
	wf_assert(rows->number != 0);
	for (size_t i = 0; i < rows->list.count; i++)
		take_row(list, &rows->list.rows[i], id, text);
	if (!rows->partial)
		take_gone(list, rows->number, id, text);
}
