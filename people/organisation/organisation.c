/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot: for each kind its records sorted by id and by name, and for each
 * relation both directions as arrays of numbers.
 */
#include "people/organisation/organisation.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "people/organisation/working_calendar.h"

#define MAGIC UINT32_C(0x4f524741)

/* The numbers linked from record i are rows[first[i]] .. rows[first[i + 1]]. */
struct links {
	uint32_t *first;
	uint32_t *rows;
};

struct table {
	const struct wf_org_record **rows; /* by id */
	uint32_t *by_name;
	size_t count;
};

struct wf_organisation {
	uint32_t magic;
	uint32_t references;
	uint64_t version;
	struct wf_arena *arena;
	struct table tables[WF_ORG_KINDS];
	struct links targets[WF_ORG_RELATIONS];
	struct links sources[WF_ORG_RELATIONS];
	const struct wf_calendar **calendars; /* by number; NULL: unreadable */
	/* By number of a role, all its members; NULL: not made, or few. */
	uint64_t **role_sets;
};

/* --- relations ------------------------------------------------------------ */

struct relation {
	enum wf_org_kind source;
	enum wf_org_kind target;
	size_t field; /* of the layout of the source */
};

/* In the order of enum wf_org_relation. */
static void list_relations(struct relation relations[WF_ORG_RELATIONS])
{
	size_t count = 0;

	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
		for (size_t i = 0; i < wf_org_layouts[kind].field_count; i++) {
			const struct wf_org_field *field =
			    &wf_org_layouts[kind].fields[i];

			if (field->type != WF_ORG_LINK &&
			    field->type != WF_ORG_LINKS)
				continue;
			wf_assert(count < WF_ORG_RELATIONS);
			relations[count++] =
			    (struct relation){ kind, field->target, i };
		}
	wf_assert(count == WF_ORG_RELATIONS);
}

/* The ids that a record names in a field; one is room for a single link. */
static struct wf_texts ids_of(const struct wf_org_record *record,
    const struct wf_org_field *field, const char **one)
{
	if (field->type == WF_ORG_LINKS)
		return *wf_org_texts(record, field);
	*one = *wf_org_text(record, field);
	return (struct wf_texts){ one, **one != '\0' };
}

/* --- records -------------------------------------------------------------- */

size_t wf_org_count(
    const struct wf_organisation *organisation, enum wf_org_kind kind)
{
	wf_assert(organisation->magic == MAGIC && kind < WF_ORG_KINDS);
	return organisation->tables[kind].count;
}

const struct wf_org_record *wf_org_at(
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    uint32_t number)
{
	wf_assert(number < wf_org_count(organisation, kind));
	return organisation->tables[kind].rows[number];
}

static uint32_t find_id(const struct table *table, const char *id)
{
	size_t low = 0;
	size_t high = table->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(id, table->rows[middle]->id);

		if (order == 0)
			return (uint32_t)middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return WF_ORG_NOBODY;
}

uint32_t wf_org_find(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *id)
{
	wf_assert(organisation->magic == MAGIC && kind < WF_ORG_KINDS);
	return find_id(&organisation->tables[kind], id);
}

static uint32_t find_key(const struct table *table, const char *key)
{
	size_t low = 0;
	size_t high = table->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		uint32_t number = table->by_name[middle];
		int order = strcmp(key, table->rows[number]->key);

		if (order == 0)
			return number;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return WF_ORG_NOBODY;
}

uint32_t wf_org_find_name(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *name)
{
	struct wf_buffer key;
	uint32_t number;

	wf_assert(organisation->magic == MAGIC && kind < WF_ORG_KINDS);
	wf_buffer_init(&key, WF_ORG_TEXT_BYTES * 4);
	wf_org_key(kind, name, &key);
	number = find_key(&organisation->tables[kind], wf_buffer_text(&key));
	wf_buffer_free(&key);
	return number;
}

const char *wf_org_name_of(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *id)
{
	uint32_t number = wf_org_find(organisation, kind, id);

	return number == WF_ORG_NOBODY
		   ? id
		   : wf_org_name(wf_org_at(organisation, kind, number));
}

uint32_t wf_org_find_any(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *text)
{
	uint32_t number = wf_org_find(organisation, kind, text);

	return number != WF_ORG_NOBODY
		   ? number
		   : wf_org_find_name(organisation, kind, text);
}

/* --- making a snapshot ---------------------------------------------------- */

struct numbered_change {
	const struct wf_org_change *change;
	size_t number; /* in the order of the caller */
};

static int compare_changes(const void *a, const void *b)
{
	const struct numbered_change *x = a;
	const struct numbered_change *y = b;
	int order = strcmp(x->change->id, y->change->id);

	if (order == 0)
		order = x->number < y->number ? -1 : 1;
	return order;
}

/* The changes of one kind by id, the last of each; returns their number. */
static size_t sort_changes(const struct wf_org_change *changes, size_t count,
    enum wf_org_kind kind, struct numbered_change *sorted)
{
	size_t of_kind = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (changes[i].kind == kind)
			sorted[of_kind++] =
			    (struct numbered_change){ &changes[i], i };
	qsort(sorted, of_kind, sizeof(*sorted), compare_changes);
	for (size_t i = 0; i < of_kind; i++)
		if (i + 1 == of_kind ||
		    strcmp(sorted[i].change->id, sorted[i + 1].change->id) != 0)
			sorted[kept++] = sorted[i];
	return kept;
}

static const struct wf_org_record *shared(const struct wf_org_record *record)
{
	if (record->references == 0)
		return wf_org_record_share(record);
	wf_org_record_ref(record);
	return record;
}

/* The records of before with the sorted changes, by id. */
static void merge(struct wf_organisation *o, struct table *table,
    const struct table *before, const struct numbered_change *changes,
    size_t count)
{
	size_t i = 0;
	size_t k = 0;

	table->rows = wf_arena_array(
	    o->arena, before->count + count, sizeof(*table->rows));
	while (i < before->count || k < count) {
		int order = 1;

		if (k == count)
			order = -1;
		else if (i < before->count)
			order =
			    strcmp(before->rows[i]->id, changes[k].change->id);
		if (order < 0) {
			table->rows[table->count++] = shared(before->rows[i++]);
			continue;
		}
		if (changes[k].change->record != NULL)
			table->rows[table->count++] =
			    shared(changes[k].change->record);
		k++;
		i += order == 0;
	}
}

static _Thread_local const struct table *sorted_table;

static int compare_names(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;
	int order =
	    strcmp(sorted_table->rows[*x]->key, sorted_table->rows[*y]->key);

	return order != 0 ? order : *x < *y ? -1 : 1;
}

static void sort_names(struct wf_organisation *o, struct table *table)
{
	table->by_name =
	    wf_arena_array(o->arena, table->count, sizeof(*table->by_name));
	for (uint32_t i = 0; i < table->count; i++)
		table->by_name[i] = i;
	sorted_table = table;
	qsort(table->by_name, table->count, sizeof(*table->by_name),
	    compare_names);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorts numbers and drops those that occur again; returns how many are left. */
static size_t sort_numbers(uint32_t *rows, size_t count)
{
	size_t kept = 0;

	qsort(rows, count, sizeof(*rows), compare_numbers);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || rows[i] != rows[i - 1])
			rows[kept++] = rows[i];
	return kept;
}

static void link_targets(
    struct wf_organisation *o, const struct relation *r, struct links *links)
{
	const struct table *sources = &o->tables[r->source];
	const struct wf_org_field *field =
	    &wf_org_layouts[r->source].fields[r->field];
	const char *one;
	size_t most = 0;
	size_t used = 0;

	for (size_t i = 0; i < sources->count; i++)
		most += ids_of(sources->rows[i], field, &one).count;
	links->first =
	    wf_arena_array(o->arena, sources->count + 1, sizeof(*links->first));
	links->rows = wf_arena_array(o->arena, most, sizeof(*links->rows));
	for (size_t i = 0; i < sources->count; i++) {
		struct wf_texts ids = ids_of(sources->rows[i], field, &one);
		size_t first = used;

		for (size_t k = 0; k < ids.count; k++) {
			uint32_t target =
			    find_id(&o->tables[r->target], ids.rows[k]);

			if (target != WF_ORG_NOBODY)
				links->rows[used++] = target;
		}
		used = first + sort_numbers(links->rows + first, used - first);
		links->first[i + 1] = (uint32_t)used;
	}
}

static void link_sources(struct wf_organisation *o, const struct relation *r,
    const struct links *targets, struct links *links)
{
	size_t source_count = o->tables[r->source].count;
	size_t target_count = o->tables[r->target].count;
	uint32_t total = targets->first[source_count];
	uint32_t *next;

	links->first =
	    wf_arena_array(o->arena, target_count + 1, sizeof(*links->first));
	links->rows = wf_arena_array(o->arena, total, sizeof(*links->rows));
	next = wf_calloc(target_count + 1, sizeof(*next));
	for (uint32_t i = 0; i < total; i++)
		links->first[targets->rows[i] + 1]++;
	for (size_t i = 0; i < target_count; i++)
		links->first[i + 1] += links->first[i];
	memcpy(next, links->first, target_count * sizeof(*next));
	for (uint32_t i = 0; i < source_count; i++)
		for (uint32_t k = targets->first[i]; k < targets->first[i + 1];
		     k++)
			links->rows[next[targets->rows[k]]++] = i;
	wf_free(next);
}

/* The record above; WF_ORG_NOBODY: there is none. */
static uint32_t above(const struct links *up, uint32_t number)
{
	return up->first[number] < up->first[number + 1]
		   ? up->rows[up->first[number]]
		   : WF_ORG_NOBODY;
}

/* Marks the links that close a circle. */
static void open_circles(const struct table *table, struct links *up)
{
	enum { NEW, ON_THE_WAY, DONE };
	uint8_t *state = wf_calloc(table->count + 1, sizeof(*state));

	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t last = WF_ORG_NOBODY;
		uint32_t at = i;

		while (at != WF_ORG_NOBODY && state[at] == NEW) {
			state[at] = ON_THE_WAY;
			last = at;
			at = above(up, at);
		}
		if (at != WF_ORG_NOBODY && state[at] == ON_THE_WAY)
			up->rows[up->first[last]] = WF_ORG_NOBODY;
		for (at = i; at != WF_ORG_NOBODY && state[at] == ON_THE_WAY;
		     at = above(up, at))
			state[at] = DONE;
	}
	wf_free(state);
}

/* Removes the links that open_circles() has marked. */
static void drop_nobody(size_t count, struct links *links)
{
	uint32_t used = 0;
	uint32_t first = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t end = links->first[i + 1];

		for (uint32_t k = first; k < end; k++)
			if (links->rows[k] != WF_ORG_NOBODY)
				links->rows[used++] = links->rows[k];
		first = end;
		links->first[i + 1] = used;
	}
}

/* Reads calendars, included ones first; one in a circle cannot be read. */
struct calendar_reading {
	struct wf_organisation *o;
	bool *begun; /* by number */
};

static void read_calendar(struct calendar_reading *reading, uint32_t number);

static const struct wf_calendar *find_calendar(void *context, const char *id)
{
	struct calendar_reading *reading = context;
	uint32_t number = find_id(&reading->o->tables[WF_ORG_CALENDAR], id);

	if (number == WF_ORG_NOBODY)
		return NULL;
	if (!reading->begun[number])
		read_calendar(reading, number);
	return reading->o->calendars[number];
}

static void read_calendar(struct calendar_reading *reading, uint32_t number)
{
	struct wf_organisation *o = reading->o;
	const struct wf_org_record *record =
	    o->tables[WF_ORG_CALENDAR].rows[number];

	reading->begun[number] = true;
	if (wf_org_calendar_read((const struct wf_working_calendar *)record,
		o->arena, find_calendar, reading, &o->calendars[number],
		NULL) != WF_OK)
		o->calendars[number] = NULL;
}

static void read_calendars(struct wf_organisation *o)
{
	size_t count = o->tables[WF_ORG_CALENDAR].count;
	struct calendar_reading reading = { o,
		wf_calloc(count + 1, sizeof(*reading.begun)) };

	o->calendars =
	    wf_arena_array(o->arena, count + 1, sizeof(*o->calendars));
	for (uint32_t i = 0; i < count; i++)
		if (!reading.begun[i])
			read_calendar(&reading, i);
	wf_free(reading.begun);
}

struct wf_organisation *wf_organisation_new(
    const struct wf_organisation *before, const struct wf_org_change *changes,
    size_t count, uint64_t version)
{
	static const struct table nothing;
	struct wf_arena *arena = wf_arena_new();
	struct wf_organisation *o = wf_arena_alloc(arena, sizeof(*o));
	struct numbered_change *sorted = wf_calloc(count + 1, sizeof(*sorted));
	struct relation relations[WF_ORG_RELATIONS];

	o->magic = MAGIC;
	o->references = 1;
	o->version = version;
	o->arena = arena;
	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++) {
		merge(o, &o->tables[kind],
		    before == NULL ? &nothing : &before->tables[kind], sorted,
		    sort_changes(changes, count, kind, sorted));
		sort_names(o, &o->tables[kind]);
	}
	wf_free(sorted);
	list_relations(relations);
	for (unsigned i = 0; i < WF_ORG_RELATIONS; i++) {
		const struct relation *r = &relations[i];

		link_targets(o, r, &o->targets[i]);
		if (r->source == r->target &&
		    wf_org_layouts[r->source].fields[r->field].type ==
			WF_ORG_LINK) {
			open_circles(&o->tables[r->source], &o->targets[i]);
			drop_nobody(o->tables[r->source].count, &o->targets[i]);
		}
		link_sources(o, r, &o->targets[i], &o->sources[i]);
	}
	read_calendars(o);
	o->role_sets = wf_arena_array(
	    arena, o->tables[WF_ORG_ROLE].count + 1, sizeof(*o->role_sets));
	return o;
}

struct wf_organisation *wf_organisation_ref(
    const struct wf_organisation *organisation)
{
	struct wf_organisation *o = (struct wf_organisation *)organisation;

	wf_assert(o->magic == MAGIC && o->references > 0);
	__atomic_add_fetch(&o->references, 1, __ATOMIC_RELAXED);
	return o;
}

void wf_organisation_unref(struct wf_organisation **organisation)
{
	struct wf_organisation *old = *organisation;
	struct wf_arena *arena;

	*organisation = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC && old->references > 0);
	if (__atomic_sub_fetch(&old->references, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	old->magic = 0;
	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
		for (size_t i = 0; i < old->tables[kind].count; i++)
			wf_org_record_unref(old->tables[kind].rows[i]);
	for (size_t i = 0; i < old->tables[WF_ORG_ROLE].count; i++)
		wf_free(old->role_sets[i]);
	arena = old->arena;
	wf_arena_free(&arena);
}

const uint64_t *wf_org_role_set(
    const struct wf_organisation *organisation, uint32_t role)
{
	wf_assert(role < organisation->tables[WF_ORG_ROLE].count);
	return __atomic_load_n(
	    &organisation->role_sets[role], __ATOMIC_ACQUIRE);
}

void wf_org_keep_role_set(
    const struct wf_organisation *organisation, uint32_t role, uint64_t **set)
{
	uint64_t *nothing = NULL;

	wf_assert(role < organisation->tables[WF_ORG_ROLE].count);
	if (!__atomic_compare_exchange_n(&organisation->role_sets[role],
		&nothing, *set, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		wf_free(*set);
	*set = NULL;
}

uint64_t wf_organisation_version(const struct wf_organisation *organisation)
{
	wf_assert(organisation->magic == MAGIC);
	return organisation->version;
}

/* --- checking a change ---------------------------------------------------- */

static enum wf_rc check_links(const struct wf_organisation *o,
    const struct wf_org_record *record, const struct wf_org_field *field,
    struct wf_error *err)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	const char *one;
	struct wf_texts ids = ids_of(record, field, &one);

	for (size_t i = 0; i < ids.count; i++)
		if (strcmp(ids.rows[i], record->id) != 0 &&
		    find_id(&o->tables[field->target], ids.rows[i]) ==
			WF_ORG_NOBODY)
			return wf_fail(err, WF_INVALID,
			    "%s '%.60s': \"%s\" names '%.60s', which is no %s",
			    layout->word, record->id, field->json, ids.rows[i],
			    wf_org_layouts[field->target].word);
	return WF_OK;
}

/* Whether a way along links of the field leads from a record to an id. */
static bool leads_to(const struct wf_organisation *o, enum wf_org_kind kind,
    const struct wf_org_field *field, uint32_t from, const char *id,
    uint64_t *seen)
{
	const struct table *table = &o->tables[kind];
	const struct wf_texts *texts = wf_org_texts(table->rows[from], field);

	wf_bitset_add(seen, from);
	for (size_t i = 0; i < texts->count; i++) {
		uint32_t next = find_id(table, texts->rows[i]);

		if (strcmp(texts->rows[i], id) == 0 ||
		    (next != WF_ORG_NOBODY && !wf_bitset_has(seen, next) &&
			leads_to(o, kind, field, next, id, seen)))
			return true;
	}
	return false;
}

static enum wf_rc check_circles(const struct wf_organisation *o,
    const struct wf_org_record *record, const struct wf_org_field *field,
    struct wf_error *err)
{
	const struct table *table = &o->tables[record->kind];
	const struct wf_texts *texts = wf_org_texts(record, field);
	uint64_t *seen = wf_calloc(table->count / 64 + 1, sizeof(*seen));
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < texts->count && rc == WF_OK; i++) {
		uint32_t next = find_id(table, texts->rows[i]);

		if (strcmp(texts->rows[i], record->id) == 0 ||
		    (next != WF_ORG_NOBODY && leads_to(o, record->kind, field,
						  next, record->id, seen)))
			rc = wf_fail(err, WF_INVALID,
			    "%s '%.60s': \"%s\" would close a circle: it is "
			    "in '%.60s'",
			    wf_org_layouts[record->kind].word, record->id,
			    field->json, texts->rows[i]);
	}
	wf_free(seen);
	return rc;
}

/* Whether the way up from the record comes back to it. */
static enum wf_rc check_circle(const struct wf_organisation *o,
    const struct wf_org_record *record, const struct wf_org_field *field,
    struct wf_error *err)
{
	const struct wf_org_record *at = record;
	size_t steps = 0;

	if (field->target != record->kind)
		return WF_OK;
	if (field->type == WF_ORG_LINKS)
		return check_circles(o, record, field, err);
	while (*wf_org_text(at, field)[0] != '\0') {
		uint32_t next;

		if (strcmp(*wf_org_text(at, field), record->id) == 0 ||
		    steps++ > o->tables[record->kind].count)
			return wf_fail(err, WF_INVALID,
			    "%s '%.60s': \"%s\" would close a circle: '%.60s' "
			    "is below it",
			    wf_org_layouts[record->kind].word, record->id,
			    field->json, at->id);
		next =
		    find_id(&o->tables[record->kind], *wf_org_text(at, field));
		if (next == WF_ORG_NOBODY)
			break;
		at = o->tables[record->kind].rows[next];
	}
	return WF_OK;
}

static enum wf_rc check_name(const struct wf_organisation *o,
    const struct wf_org_record *record, struct wf_error *err)
{
	uint32_t other = wf_org_find_name(o, record->kind, wf_org_name(record));

	if (other == WF_ORG_NOBODY ||
	    strcmp(o->tables[record->kind].rows[other]->id, record->id) == 0)
		return WF_OK;
	return wf_fail(err, WF_CONFLICT,
	    "%s '%.60s': the %s '%.60s' belongs to '%.60s'",
	    wf_org_layouts[record->kind].word, record->id,
	    wf_org_layouts[record->kind].fields[0].json, wf_org_name(record),
	    o->tables[record->kind].rows[other]->id);
}

enum wf_rc wf_organisation_check(const struct wf_organisation *organisation,
    const struct wf_org_change *change, struct wf_error *err)
{
	const struct wf_org_record *record = change->record;
	const struct wf_org_layout *layout = &wf_org_layouts[change->kind];
	enum wf_rc rc;

	wf_assert(organisation->magic == MAGIC);
	if (record == NULL) {
		if (wf_org_find(organisation, change->kind, change->id) ==
		    WF_ORG_NOBODY)
			return wf_fail(err, WF_NOT_FOUND,
			    "there is no %s '%.60s'", layout->word, change->id);
		return WF_OK;
	}
	wf_assert(record->kind == change->kind);
	rc = wf_org_record_check(record, err);
	if (rc == WF_OK)
		rc = check_name(organisation, record, err);
	for (size_t i = 0; rc == WF_OK && i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if (field->type != WF_ORG_LINK && field->type != WF_ORG_LINKS)
			continue;
		rc = check_links(organisation, record, field, err);
		if (rc == WF_OK)
			rc = check_circle(organisation, record, field, err);
	}
	return rc;
}

/* --- links ---------------------------------------------------------------- */

static struct wf_numbers numbers_at(const struct links *links, uint32_t number)
{
	uint32_t first = links->first[number];

	return (struct wf_numbers){ links->rows + first,
		links->first[number + 1] - first };
}

struct wf_numbers wf_org_targets(const struct wf_organisation *organisation,
    enum wf_org_relation relation, uint32_t source)
{
	wf_assert(organisation->magic == MAGIC && relation < WF_ORG_RELATIONS);
	return numbers_at(&organisation->targets[relation], source);
}

struct wf_numbers wf_org_sources(const struct wf_organisation *organisation,
    enum wf_org_relation relation, uint32_t target)
{
	wf_assert(organisation->magic == MAGIC && relation < WF_ORG_RELATIONS);
	return numbers_at(&organisation->sources[relation], target);
}

/* --- working calendars ---------------------------------------------------- */

const struct wf_calendar *wf_org_calendar(
    const struct wf_organisation *organisation, const char *name)
{
	uint32_t number = wf_org_find_any(organisation, WF_ORG_CALENDAR, name);

	return number == WF_ORG_NOBODY ? NULL : organisation->calendars[number];
}

static const struct wf_calendar *linked_calendar(
    const struct wf_organisation *o, enum wf_org_relation relation,
    uint32_t source)
{
	struct wf_numbers found = wf_org_targets(o, relation, source);

	return found.count == 0 ? NULL : o->calendars[found.rows[0]];
}

/* Circles of groups are open, so the way up ends. */
static const struct wf_calendar *calendar_of_group(
    const struct wf_organisation *o, uint32_t group)
{
	const struct wf_calendar *calendar = NULL;
	struct wf_numbers above = { &group, 1 };

	while (calendar == NULL && above.count > 0) {
		calendar = linked_calendar(o, WF_GROUP_calendar, above.rows[0]);
		above = wf_org_targets(o, WF_GROUP_belongs_to, above.rows[0]);
	}
	return calendar;
}

const struct wf_calendar *wf_org_calendar_of(
    const struct wf_organisation *organisation, uint32_t participant)
{
	const struct wf_calendar *calendar =
	    linked_calendar(organisation, WF_PARTICIPANT_calendar, participant);
	struct wf_numbers positions =
	    wf_org_targets(organisation, WF_PARTICIPANT_positions, participant);

	for (size_t i = 0; calendar == NULL && i < positions.count; i++) {
		struct wf_numbers groups = wf_org_targets(
		    organisation, WF_POSITION_group, positions.rows[i]);

		if (groups.count > 0)
			calendar =
			    calendar_of_group(organisation, groups.rows[0]);
	}
	return calendar;
}
