/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/audiences.h"

#include <jansson.h>
#include <pthread.h>
#include <string.h>

#include "base/bitset.h"
#include "base/map.h"
#include "base/panic.h"
#include "worklist/entry_priv.h"

#define RECORD_KIND "audience"
/* Half a day: nodes whose clocks differ by hours still agree. */
#define KEPT_MS (INT64_C(12) * 3600 * 1000)
#define UNUSED_MS (INT64_C(24) * 3600 * 1000)
/* Audiences that are examined when some are removed. */
#define CLEANED 100U
/* Damaged records that are remembered until somebody asks for them. */
#define DAMAGED 100U

struct member;

/* One audience. */
struct kept {
	struct kept *next; /* of all */
	struct kept **self;
	char *queue;
	int64_t at;	 /* when it was written */
	uint64_t change; /* of its record */
	bool seen;	 /* in a reading of all */
	bool all;
	struct wf_arena *arena; /* of what follows */
	struct wf_texts roles;
	struct member **people; /* a short list, or NULL */
	size_t people_count;
	uint64_t *set; /* members of a set, by their numbers, or NULL */
	size_t words;
};

/* Somebody who is in an audience. */
struct member {
	uint32_t number;
	char *id;
	/* The audiences that name the participant. */
	struct kept **named;
	size_t named_count;
	size_t named_capacity;
};

struct wf_audiences {
	pthread_mutex_t reading; /* one thread reads at a time; of change */
	pthread_mutex_t lock;	 /* of what follows */
	struct wf_map *by_queue;
	struct kept *first;
	/* Those with a set or roles, and everybody: members do not name them.
	 */
	struct kept **open;
	size_t open_count;
	size_t open_capacity;
	struct wf_map *members; /* by id */
	struct member **by_number;
	size_t member_count;
	size_t member_capacity;
	uint64_t change;
	struct wf_arena *damage;    /* of what follows */
	struct wf_texts damaged;    /* that was not asked for yet */
	const struct kept *cleaned; /* the last one that was examined */
};

struct wf_audiences *wf_audiences_new(void)
{
	struct wf_audiences *a = wf_calloc(1, sizeof(*a));

	pthread_mutex_init(&a->reading, NULL);
	pthread_mutex_init(&a->lock, NULL);
	a->by_queue = wf_map_new();
	a->members = wf_map_new();
	a->damage = wf_arena_new();
	return a;
}

static void free_kept(struct kept *kept)
{
	wf_arena_free(&kept->arena);
	wf_free(kept->queue);
	wf_free(kept);
}

void wf_audiences_free(struct wf_audiences **audiences)
{
	struct wf_audiences *a = *audiences;

	*audiences = NULL;
	if (a == NULL)
		return;
	while (a->first != NULL) {
		struct kept *kept = a->first;

		a->first = kept->next;
		free_kept(kept);
	}
	for (size_t i = 0; i < a->member_count; i++) {
		wf_free(a->by_number[i]->named);
		wf_free(a->by_number[i]->id);
		wf_free(a->by_number[i]);
	}
	wf_free(a->by_number);
	wf_free(a->open);
	wf_map_free(&a->by_queue);
	wf_map_free(&a->members);
	wf_arena_free(&a->damage);
	pthread_mutex_destroy(&a->lock);
	pthread_mutex_destroy(&a->reading);
	wf_free(a);
}

/* --- in memory ------------------------------------------------------------ */

static struct member *member_of(struct wf_audiences *a, const char *id)
{
	struct member *member = wf_map_get(a->members, id);

	if (member != NULL)
		return member;
	member = wf_calloc(1, sizeof(*member));
	member->number = (uint32_t)a->member_count;
	member->id = wf_strdup(id);
	wf_map_add(a->members, id, member);
	if (a->member_count == a->member_capacity) {
		a->member_capacity = 2 * a->member_capacity + 64;
		a->by_number = wf_realloc(
		    a->by_number, a->member_capacity * sizeof(struct member *));
	}
	a->by_number[a->member_count++] = member;
	return member;
}

static void put_in(
    struct kept ***rows, size_t *count, size_t *capacity, struct kept *kept)
{
	if (*count == *capacity) {
		*capacity = 2 * *capacity + 4;
		*rows = wf_realloc(*rows, *capacity * sizeof(struct kept *));
	}
	(*rows)[(*count)++] = kept;
}

/* The order of the rows does not matter. */
static void take_out(struct kept **rows, size_t *count, const struct kept *kept)
{
	for (size_t i = 0; i < *count; i++)
		if (rows[i] == kept) {
			rows[i] = rows[--*count];
			return;
		}
	wf_panic(__FILE__, __LINE__, "an audience is not where it belongs");
}

static bool is_open(const struct kept *kept)
{
	return kept->people_count == 0;
}

static void forget(struct wf_audiences *a, struct kept *kept)
{
	for (size_t i = 0; i < kept->people_count; i++)
		take_out(kept->people[i]->named, &kept->people[i]->named_count,
		    kept);
	if (is_open(kept))
		take_out(a->open, &a->open_count, kept);
	if (a->cleaned == kept)
		a->cleaned = NULL;
	*kept->self = kept->next;
	if (kept->next != NULL)
		kept->next->self = kept->self;
	wf_map_remove(a->by_queue, kept->queue);
	free_kept(kept);
}

static void copy_texts(
    struct kept *kept, struct wf_texts *to, const struct wf_texts *from)
{
	for (size_t i = 0; i < from->count; i++)
		wf_org_texts_add(kept->arena, to,
		    wf_arena_strdup(kept->arena, from->rows[i]));
}

static void fill_people(
    struct wf_audiences *a, struct kept *kept, const struct wf_texts *people)
{
	kept->people_count = people->count;
	kept->people =
	    wf_arena_array(kept->arena, people->count, sizeof(struct member *));
	for (size_t i = 0; i < people->count; i++) {
		struct member *member = member_of(a, people->rows[i]);

		kept->people[i] = member;
		put_in(&member->named, &member->named_count,
		    &member->named_capacity, kept);
	}
}

static void fill_set(
    struct wf_audiences *a, struct kept *kept, const struct wf_texts *members)
{
	for (size_t i = 0; i < members->count; i++)
		member_of(a, members->rows[i]);
	kept->words = wf_bitset_words(a->member_count);
	kept->set = wf_arena_array(kept->arena, kept->words, sizeof(uint64_t));
	for (size_t i = 0; i < members->count; i++)
		wf_bitset_add(
		    kept->set, member_of(a, members->rows[i])->number);
}

/* Adds an audience, or notes that it was written again. */
static void put(struct wf_audiences *a, const struct wf_audience_note *note,
    int64_t at, uint64_t change)
{
	struct kept *kept = wf_map_get(a->by_queue, note->queue);

	if (kept == NULL) {
		kept = wf_calloc(1, sizeof(*kept));
		kept->arena = wf_arena_new();
		kept->queue = wf_strdup(note->queue);
		kept->all = note->audience.all;
		copy_texts(kept, &kept->roles, &note->audience.roles);
		fill_people(a, kept, &note->audience.people);
		if (note->audience.set != NULL)
			fill_set(a, kept, &note->members);
		if (is_open(kept))
			put_in(
			    &a->open, &a->open_count, &a->open_capacity, kept);
		kept->self = &a->first;
		kept->next = a->first;
		if (kept->next != NULL)
			kept->next->self = &kept->next;
		a->first = kept;
		wf_map_add(a->by_queue, note->queue, kept);
	}
	kept->seen = true;
	if (at > kept->at)
		kept->at = at;
	if (change > kept->change)
		kept->change = change;
}

/* --- records -------------------------------------------------------------- */

static json_t *write_texts(const struct wf_texts *texts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->rows[i]));
	return array;
}

/* {"at": MS, "audience": .., "members": [ID..]} */
static struct wf_bytes write_record(
    const struct wf_audience_note *note, int64_t at, struct wf_arena *arena)
{
	struct wf_audience base = note->audience;
	json_t *object;

	base.except = (struct wf_texts){ NULL, 0 };
	object = json_pack("{s:I,s:s,s:o}", "at", (json_int_t)at, "audience",
	    wf_audience_write(&base, arena), "members",
	    write_texts(&note->members));
	return wf_entry_value(object, arena);
}

static enum wf_rc read_record(const struct wf_record_row *row,
    struct wf_audience_note *note, int64_t *at_out, struct wf_arena *arena,
    struct wf_error *err)
{
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	const char *text =
	    json_string_value(json_object_get(object, "audience"));
	const json_t *id;
	size_t i;
	enum wf_rc rc;

	*note = (struct wf_audience_note){ .queue = row->name };
	*at_out = json_integer_value(json_object_get(object, "at"));
	rc = wf_audience_read(
	    text == NULL ? "" : text, arena, &note->audience, err);
	json_array_foreach(json_object_get(object, "members"), i, id)
	{
		if (rc == WF_OK && json_is_string(id))
			wf_org_texts_add(arena, &note->members,
			    wf_arena_strdup(arena, json_string_value(id)));
	}
	json_decref(object);
	return rc;
}

/* A record that is damaged is left out: the others can be used. */
static void note_damage(struct wf_audiences *a, const char *queue)
{
	struct kept *kept = wf_map_get(a->by_queue, queue);

	/* As it was read before. */
	if (kept != NULL)
		kept->seen = true;
	if (a->damaged.count < DAMAGED)
		wf_org_texts_add(
		    a->damage, &a->damaged, wf_arena_strdup(a->damage, queue));
}

static void take(struct wf_audiences *a, const struct wf_record_row *row,
    struct wf_arena *arena)
{
	struct kept *kept = wf_map_get(a->by_queue, row->name);
	struct wf_audience_note note;
	int64_t at;

	if (row->value.data == NULL) {
		/* Unless this node has written it again since. */
		if (kept != NULL && kept->change < row->change)
			forget(a, kept);
	} else if (read_record(row, &note, &at, arena, NULL) == WF_OK) {
		put(a, &note, at, row->change);
	} else {
		note_damage(a, row->name);
	}
}

/* What was there before a reading of all, and is not any more. */
static void forget_unseen(struct wf_audiences *a, uint64_t change)
{
	struct kept *kept = a->first;

	while (kept != NULL) {
		struct kept *next = kept->next;

		if (!kept->seen && kept->change <= change)
			forget(a, kept);
		kept = next;
	}
}

enum wf_rc wf_audiences_refresh(
    struct wf_audiences *a, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list = { .count = 0 };
	enum wf_rc rc;

	pthread_mutex_lock(&a->reading);
	rc = wf_store_records(store, RECORD_KIND, a->change, arena, &list, err);
	pthread_mutex_lock(&a->lock);
	for (struct kept *kept = a->first; kept != NULL && list.whole;
	     kept = kept->next)
		kept->seen = false;
	for (size_t i = 0; i < list.count && rc == WF_OK; i++)
		take(a, &list.rows[i], arena);
	if (rc == WF_OK && list.whole)
		forget_unseen(a, list.change);
	if (rc == WF_OK)
		a->change = list.change;
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_unlock(&a->reading);
	wf_arena_free(&arena);
	return rc;
}

struct wf_texts wf_audiences_damaged(
    struct wf_audiences *a, struct wf_arena *arena)
{
	struct wf_texts damaged = { NULL, 0 };

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < a->damaged.count; i++)
		wf_org_texts_add(arena, &damaged,
		    wf_arena_strdup(arena, a->damaged.rows[i]));
	a->damaged = (struct wf_texts){ NULL, 0 };
	wf_arena_reset(a->damage);
	pthread_mutex_unlock(&a->lock);
	return damaged;
}

bool wf_audiences_have(struct wf_audiences *a, const char *queue, int64_t now)
{
	const struct kept *kept;
	bool have;

	pthread_mutex_lock(&a->lock);
	kept = wf_map_get(a->by_queue, queue);
	have = kept != NULL && now - kept->at < KEPT_MS;
	pthread_mutex_unlock(&a->lock);
	return have;
}

enum wf_rc wf_audiences_keep(struct wf_audiences *a, struct wf_store *store,
    const struct wf_audience_note *notes, size_t count, int64_t now,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_row *rows =
	    wf_arena_array(arena, count, sizeof(*rows));
	uint64_t change = 0;
	enum wf_rc rc;

	for (size_t i = 0; i < count; i++) {
		rows[i].kind = RECORD_KIND;
		rows[i].name = notes[i].queue;
		rows[i].value = write_record(&notes[i], now, arena);
	}
	rc = wf_store_put_records(store, rows, count, 0, &change, err);
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		put(a, &notes[i], now, change);
	pthread_mutex_unlock(&a->lock);
	wf_arena_free(&arena);
	return rc;
}

/* --- who is in what ------------------------------------------------------- */

static bool has_member(const struct kept *kept, const struct member *member)
{
	return kept->set != NULL && member != NULL &&
	       member->number / 64 < kept->words &&
	       wf_bitset_has(kept->set, member->number);
}

bool wf_audiences_have_member(
    struct wf_audiences *a, const char *set, const char *participant)
{
	const struct kept *kept;
	bool have;

	pthread_mutex_lock(&a->lock);
	kept = wf_map_get(a->by_queue, set);
	have = kept != NULL &&
	       has_member(kept, wf_map_get(a->members, participant));
	pthread_mutex_unlock(&a->lock);
	return have;
}

static bool keeps_member(
    void *context, const char *set, const char *participant)
{
	return wf_audiences_have_member(context, set, participant);
}

struct wf_set_keeper wf_audiences_keeper(struct wf_audiences *a)
{
	return (struct wf_set_keeper){ a, keeps_member };
}

size_t wf_audiences_set_members(struct wf_audiences *a, const char *set,
    size_t limit, struct wf_arena *arena, struct wf_texts *ids_out)
{
	const struct kept *kept;
	size_t count = 0;

	*ids_out = (struct wf_texts){ .count = 0 };
	pthread_mutex_lock(&a->lock);
	kept = wf_map_get(a->by_queue, set);
	for (size_t i = 0; kept != NULL && i < a->member_count; i++) {
		if (!has_member(kept, a->by_number[i]))
			continue;
		if (count++ < limit)
			wf_org_texts_add(arena, ids_out,
			    wf_arena_strdup(arena, a->by_number[i]->id));
	}
	pthread_mutex_unlock(&a->lock);
	return count;
}

/* Under the lock: whether the participant is in an audience that is kept. */
static bool sees(const struct kept *kept, const struct member *member,
    const struct wf_organisation *organisation, const char *participant)
{
	const struct wf_audience open = { .all = kept->all,
		.roles = kept->roles };

	for (size_t i = 0; i < kept->people_count; i++)
		if (kept->people[i] == member)
			return true;
	return has_member(kept, member) ||
	       wf_audience_has(organisation, NULL, &open, participant);
}

bool wf_audiences_see(struct wf_audiences *a,
    const struct wf_organisation *organisation, const char *queue,
    const char *participant)
{
	const struct kept *kept;
	bool is_seen;

	if (strncmp(queue, "P:", 2) == 0)
		return strcmp(queue + 2, participant) == 0;
	pthread_mutex_lock(&a->lock);
	kept = wf_map_get(a->by_queue, queue);
	is_seen =
	    kept != NULL && sees(kept, wf_map_get(a->members, participant),
				organisation, participant);
	pthread_mutex_unlock(&a->lock);
	return is_seen;
}

bool wf_audiences_know(struct wf_audiences *a, const char *queue)
{
	bool known;

	if (queue[0] != 'A')
		return true;
	pthread_mutex_lock(&a->lock);
	known = wf_map_get(a->by_queue, queue) != NULL;
	pthread_mutex_unlock(&a->lock);
	return known;
}

struct wf_texts wf_audiences_queues(struct wf_audiences *a,
    const struct wf_organisation *organisation, const char *participant,
    struct wf_arena *arena)
{
	struct wf_texts queues = { NULL, 0 };
	const struct member *member;

	wf_org_texts_add(
	    arena, &queues, wf_participant_queue(participant, arena));
	pthread_mutex_lock(&a->lock);
	member = wf_map_get(a->members, participant);
	for (size_t i = 0; member != NULL && i < member->named_count; i++)
		wf_org_texts_add(arena, &queues,
		    wf_arena_strdup(arena, member->named[i]->queue));
	for (size_t i = 0; i < a->open_count; i++) {
		const struct kept *kept = a->open[i];
		const struct wf_audience open = { .all = kept->all,
			.roles = kept->roles };

		if (has_member(kept, member) ||
		    wf_audience_has(organisation, NULL, &open, participant))
			wf_org_texts_add(arena, &queues,
			    wf_arena_strdup(arena, kept->queue));
	}
	pthread_mutex_unlock(&a->lock);
	return queues;
}

/* Whoever has one of the roles now, in the arena. */
static uint64_t *add_roles(const struct wf_texts *roles,
    const struct wf_organisation *organisation, struct wf_arena *arena)
{
	uint64_t *set = wf_people_new(organisation, arena);

	for (size_t i = 0; i < roles->count; i++) {
		uint32_t role =
		    wf_org_find(organisation, WF_ORG_ROLE, roles->rows[i]);

		if (role != WF_ORG_NOBODY)
			wf_people_add_role(organisation, set, role);
	}
	return set;
}

static bool is_of_few(
    const struct kept *kept, const struct wf_organisation *organisation)
{
	struct wf_arena *arena;
	bool is;

	if (kept->roles.count == 0)
		return false;
	arena = wf_arena_new();
	is = wf_bitset_count(add_roles(&kept->roles, organisation, arena),
		 wf_people_words(organisation)) <= WF_AUDIENCE_NAMES;
	wf_arena_free(&arena);
	return is;
}

struct wf_texts wf_audiences_of_few(struct wf_audiences *a,
    const struct wf_organisation *organisation, size_t limit,
    struct wf_arena *arena)
{
	struct wf_texts queues = { NULL, 0 };

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < a->open_count && queues.count < limit; i++)
		if (is_of_few(a->open[i], organisation))
			wf_org_texts_add(arena, &queues,
			    wf_arena_strdup(arena, a->open[i]->queue));
	pthread_mutex_unlock(&a->lock);
	return queues;
}

/* What an audience has beside all and roles. */
struct seeing {
	bool all;
	struct wf_texts roles;
	struct wf_texts named; /* and those of the set who are in its own set */
};

/* Under the lock: copies what stands there; roles are looked up later. */
static void copy_seeing(struct wf_audiences *a, const struct kept *kept,
    const struct wf_organisation *organisation, const uint64_t *set,
    struct wf_arena *arena, struct seeing *seeing_out)
{
	struct wf_texts *named = &seeing_out->named;

	seeing_out->all = kept->all;
	for (size_t i = 0; i < kept->roles.count; i++)
		wf_org_texts_add(arena, &seeing_out->roles,
		    wf_arena_strdup(arena, kept->roles.rows[i]));
	for (size_t i = 0; i < kept->people_count; i++)
		wf_org_texts_add(
		    arena, named, wf_arena_strdup(arena, kept->people[i]->id));
	if (kept->set == NULL)
		return;
	WF_BITSET_EACH (i, set, wf_people_words(organisation)) {
		const char *id =
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
			->id;

		if (has_member(kept, wf_map_get(a->members, id)))
			wf_org_texts_add(arena, named, id);
	}
}

/* Whoever sees it now, in the arena. */
static uint64_t *people_of(const struct seeing *seeing,
    const struct wf_organisation *organisation, struct wf_arena *arena)
{
	uint64_t *people = add_roles(&seeing->roles, organisation, arena);

	for (size_t i = 0; i < seeing->named.count; i++) {
		uint32_t number = wf_org_find(
		    organisation, WF_ORG_PARTICIPANT, seeing->named.rows[i]);

		if (number != WF_ORG_NOBODY)
			wf_bitset_add(people, number);
	}
	return people;
}

static void add_members(struct wf_audiences *a, const char *queue,
    const struct wf_organisation *organisation, const uint64_t *set,
    struct wf_arena *arena, struct wf_texts *members_out)
{
	struct seeing seeing = { .all = false };
	struct wf_arena *own = wf_arena_new();
	const struct kept *kept;
	const uint64_t *people;

	pthread_mutex_lock(&a->lock);
	kept = wf_map_get(a->by_queue, queue);
	if (kept != NULL)
		copy_seeing(a, kept, organisation, set, own, &seeing);
	pthread_mutex_unlock(&a->lock);
	people = people_of(&seeing, organisation, own);
	for (size_t i = 0; i < wf_people_words(organisation); i++) {
		uint64_t both = set[i] & (seeing.all ? UINT64_MAX : people[i]);

		WF_BITSET_EACH (bit, &both, 1)
			wf_org_texts_add(arena, members_out,
			    wf_org_at(organisation, WF_ORG_PARTICIPANT,
				(uint32_t)(64 * i + bit))
				->id);
	}
	wf_arena_free(&own);
}

struct wf_texts wf_audiences_members(struct wf_audiences *a,
    const struct wf_organisation *organisation, const char *queue,
    const uint64_t *set, struct wf_arena *arena)
{
	struct wf_texts members = { NULL, 0 };
	uint32_t owner;

	if (strncmp(queue, "P:", 2) != 0) {
		add_members(a, queue, organisation, set, arena, &members);
		return members;
	}
	owner = wf_org_find(organisation, WF_ORG_PARTICIPANT, queue + 2);
	if (owner != WF_ORG_NOBODY && wf_bitset_has(set, owner))
		wf_org_texts_add(arena, &members,
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, owner)->id);
	return members;
}

/*
 * Whether it is all, or a set: beside these, an audience has neither people nor
 * roles, as a set alone gives its queue the name.
 */
static bool is_whole(const struct kept *kept)
{
	return kept->all || kept->set != NULL;
}

static size_t whole_count(
    const struct kept *kept, const struct wf_organisation *organisation)
{
	return kept->all ? wf_org_count(organisation, WF_ORG_PARTICIPANT)
			 : wf_bitset_count(kept->set, kept->words);
}

size_t wf_audiences_count(struct wf_audiences *a,
    const struct wf_organisation *organisation, const char *queue)
{
	struct wf_arena *arena = wf_arena_new();
	uint64_t *nobody = wf_people_new(organisation, arena);
	struct seeing seeing = { .all = false };
	const struct kept *kept;
	bool copied = false;
	size_t count = 0;

	pthread_mutex_lock(&a->lock);
	kept = wf_map_get(a->by_queue, queue);
	if (kept != NULL && is_whole(kept)) {
		count = whole_count(kept, organisation);
	} else if (kept != NULL) {
		copy_seeing(a, kept, organisation, nobody, arena, &seeing);
		copied = true;
	}
	pthread_mutex_unlock(&a->lock);
	if (copied)
		count = wf_bitset_count(people_of(&seeing, organisation, arena),
		    wf_people_words(organisation));
	wf_arena_free(&arena);
	return count;
}

/* Adds the member if it is a participant; false: there are too many. */
static bool add_left(const struct wf_organisation *organisation,
    const struct member *member, struct wf_arena *arena,
    struct wf_texts *left_out)
{
	if (wf_org_find(organisation, WF_ORG_PARTICIPANT, member->id) ==
	    WF_ORG_NOBODY)
		return true;
	if (left_out->count == WF_AUDIENCE_NAMES)
		return false;
	wf_org_texts_add(arena, left_out, wf_arena_strdup(arena, member->id));
	return true;
}

static bool find_left(struct wf_audiences *a, const struct kept *kept,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_texts *left_out)
{
	bool few = kept != NULL && !kept->all && kept->roles.count == 0;

	for (size_t i = 0; few && i < kept->people_count; i++)
		few = add_left(organisation, kept->people[i], arena, left_out);
	if (!few || kept->set == NULL)
		return few;
	WF_BITSET_EACH (i, kept->set, kept->words)
		if (!add_left(organisation, a->by_number[i], arena, left_out))
			return false;
	return true;
}

bool wf_audiences_are_left(struct wf_audiences *a,
    const struct wf_organisation *organisation, const char *queue,
    struct wf_arena *arena, struct wf_texts *left_out)
{
	bool few;

	*left_out = (struct wf_texts){ NULL, 0 };
	if (strncmp(queue, "P:", 2) == 0)
		return wf_org_find(organisation, WF_ORG_PARTICIPANT,
			   queue + 2) == WF_ORG_NOBODY;
	pthread_mutex_lock(&a->lock);
	few = find_left(
	    a, wf_map_get(a->by_queue, queue), organisation, arena, left_out);
	pthread_mutex_unlock(&a->lock);
	return few;
}

/* --- cleaning ------------------------------------------------------------- */

/* The next audiences that were not written for long, in the arena. */
static struct wf_record_row *find_old(struct wf_audiences *a, int64_t now,
    struct wf_arena *arena, size_t *count_out)
{
	struct wf_record_row *rows =
	    wf_arena_array(arena, CLEANED, sizeof(*rows));
	const struct kept *kept;
	size_t count = 0;

	pthread_mutex_lock(&a->lock);
	kept = a->cleaned == NULL ? a->first : a->cleaned->next;
	for (size_t i = 0; i < CLEANED && kept != NULL; i++) {
		if (now - kept->at > UNUSED_MS) {
			rows[count].kind = RECORD_KIND;
			rows[count].name = wf_arena_strdup(arena, kept->queue);
			rows[count++].change = kept->change;
		}
		a->cleaned = kept;
		kept = kept->next;
	}
	if (kept == NULL)
		a->cleaned = NULL;
	pthread_mutex_unlock(&a->lock);
	*count_out = count;
	return rows;
}

enum wf_rc wf_audiences_clean(struct wf_audiences *a, struct wf_store *store,
    int64_t now, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc = WF_OK;
	size_t count;
	struct wf_record_row *rows = find_old(a, now, arena, &count);

	for (size_t i = 0; i < count && rc == WF_OK; i++) {
		const char *const queue = rows[i].name;
		const struct wf_queue_filter filter = { .queues = &queue,
			.queue_count = 1,
			.order = WF_QUEUE_BY_AGE,
			.limit = 1 };
		struct wf_item_list items;

		rc = wf_store_queued_items(store, &filter, arena, &items, err);
		if (rc != WF_OK || items.count > 0)
			continue;
		/* One that was written again meanwhile stays. */
		rc = wf_store_put_record(store, &rows[i], err);
		if (rc == WF_CONFLICT) {
			wf_error_clear(err);
			rc = WF_OK;
		}
	}
	wf_arena_free(&arena);
	return rc;
}
