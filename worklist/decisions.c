/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/decisions.h"

#include <pthread.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "people/needs.h"
#include "worklist/busy.h"

/* Names of sets that are remembered; a hash of the set says where. */
#define NAMES 256U
/*
 * The items of a participant that are inspected, so that those of all
 * candidates are not more than COUNTED_IN_ALL as a rule; more items are as
 * many.
 */
#define COUNTED_MOST UINT64_C(10000)
#define COUNTED_LEAST UINT64_C(100)
#define COUNTED_IN_ALL UINT64_C(1000000)

/* The name of a set of participants of one version of the organisation. */
struct set_name {
	uint64_t version;
	uint64_t *set; /* NULL: the place is free */
	size_t words;
	char name[WF_AUDIENCE_NAME_SIZE];
};

struct wf_decisions {
	struct wf_decisions_settings settings;
	struct wf_engine_people people;
	pthread_mutex_t lock; /* of the names */
	struct set_name names[NAMES];
};

/* The decisions of one batch. */
struct deciding_batch {
	struct wf_people_calls calls; /* first: the engine knows only these */
	struct wf_decisions *decisions;
	struct wf_engine *engine;
	struct wf_map *waiting; /* struct waiting by participant; or NULL */
	struct wf_deciding deciding;
	bool knows_deputies;
	struct wf_deputy_list deputies; /* of who is absent; they are present */
	struct wf_set_keeper keeper;
	struct wf_arena *arena;
	int64_t now;
	struct wf_audience_note *notes;
	size_t note_count;
	size_t note_capacity;
};

/* --- sets ----------------------------------------------------------------- */

/* By words, because a set may have thousands. */
static size_t place_of(const uint64_t *set, size_t words)
{
	uint64_t hash = words;

	for (size_t i = 0; i < words; i++)
		hash = (hash ^ set[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(hash >> 32) % NAMES;
}

/* Naming a set takes a hash of each id, so the names of sets are remembered. */
static void name_set(struct deciding_batch *batch, const uint64_t *set,
    char name_out[WF_AUDIENCE_NAME_SIZE])
{
	struct wf_decisions *d = batch->decisions;
	const struct wf_organisation *organisation =
	    batch->deciding.organisation;
	uint64_t version = wf_organisation_version(organisation);
	size_t words = wf_people_words(organisation);
	struct set_name *slot = &d->names[place_of(set, words)];
	bool known;

	pthread_mutex_lock(&d->lock);
	known = slot->set != NULL && slot->version == version &&
		slot->words == words &&
		memcmp(slot->set, set, words * sizeof(*set)) == 0;
	if (known)
		memcpy(name_out, slot->name, sizeof(slot->name));
	pthread_mutex_unlock(&d->lock);
	if (known)
		return;
	wf_people_set_name(organisation, set, name_out);
	pthread_mutex_lock(&d->lock);
	slot->set = wf_realloc(slot->set, (words + 1) * sizeof(*set));
	memcpy(slot->set, set, words * sizeof(*set));
	slot->words = words;
	slot->version = version;
	memcpy(slot->name, name_out, sizeof(slot->name));
	pthread_mutex_unlock(&d->lock);
}

static bool is_noted(const struct deciding_batch *batch, const char *queue)
{
	for (size_t i = 0; i < batch->note_count; i++)
		if (strcmp(batch->notes[i].queue, queue) == 0)
			return true;
	return wf_audiences_have(
	    batch->decisions->settings.audiences, queue, batch->now);
}

static struct wf_audience_note *add_note(
    struct deciding_batch *batch, const char *queue)
{
	struct wf_audience_note *note;

	batch->notes = wf_arena_grow(batch->arena, batch->notes,
	    batch->note_count, &batch->note_capacity, sizeof(*batch->notes));
	note = &batch->notes[batch->note_count++];
	*note = (struct wf_audience_note){ .queue = wf_arena_strdup(
					       batch->arena, queue) };
	return note;
}

static const char *use_set(
    void *context, const uint64_t *set, struct wf_arena *arena)
{
	struct deciding_batch *batch = context;
	const struct wf_organisation *organisation =
	    batch->deciding.organisation;
	struct wf_audience_note *note;
	char name[WF_AUDIENCE_NAME_SIZE];

	name_set(batch, set, name);
	if (!is_noted(batch, name)) {
		note = add_note(batch, name);
		note->audience.set = note->queue;
		WF_BITSET_EACH (i, set, wf_people_words(organisation))
			wf_org_texts_add(batch->arena, &note->members,
			    wf_org_at(
				organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
				->id);
	}
	return wf_arena_strdup(arena, name);
}

static void copy_texts(struct deciding_batch *batch, struct wf_texts *to,
    const struct wf_texts *from)
{
	for (size_t i = 0; i < from->count; i++)
		wf_org_texts_add(batch->arena, to,
		    wf_arena_strdup(batch->arena, from->rows[i]));
}

/* Sets are noted when they are named; one participant needs no audience. */
static void note_offer(void *context, const struct wf_audience *audience)
{
	struct deciding_batch *batch = context;
	const char *queue = wf_audience_queue(audience, batch->arena);
	struct wf_audience_note *note;

	if (audience->set != NULL || queue[0] != 'A' || is_noted(batch, queue))
		return;
	note = add_note(batch, queue);
	note->audience.all = audience->all;
	copy_texts(batch, &note->audience.people, &audience->people);
	copy_texts(batch, &note->audience.roles, &audience->roles);
}

static bool has_member(void *context, const char *set, const char *participant)
{
	const struct deciding_batch *batch = context;

	/* Of this batch: it is not kept yet. */
	for (size_t i = 0; i < batch->note_count; i++)
		if (strcmp(batch->notes[i].queue, set) == 0)
			return wf_org_texts_have(
			    &batch->notes[i].members, participant);
	return wf_audiences_have_member(
	    batch->decisions->settings.audiences, set, participant);
}

static const char *piled(void *context, const struct wf_task *task)
{
	struct deciding_batch *batch = context;

	return wf_piles_find(
	    batch->decisions->settings.piles, task, batch->arena);
}

/* --- who is absent -------------------------------------------------------- */

static bool is_present(const struct deciding_batch *batch, const char *id)
{
	uint32_t number =
	    wf_org_find(batch->deciding.organisation, WF_ORG_PARTICIPANT, id);

	return number != WF_ORG_NOBODY &&
	       !wf_bitset_has(batch->deciding.absent, number);
}

/* Those of who is absent; read by the first decision of a batch. */
static void find_deputies(struct deciding_batch *batch)
{
	struct wf_deputies *deputies = batch->decisions->settings.deputies;
	struct wf_deputy_list *list = &batch->deputies;
	size_t count = 0;

	batch->knows_deputies = true;
	if (deputies != NULL)
		*list = wf_deputies_at(deputies, batch->now, batch->arena);
	for (size_t i = 0; i < list->count; i++)
		if (is_present(batch, list->rows[i].deputy) &&
		    !is_present(batch, list->rows[i].person))
			list->rows[count++] = list->rows[i];
	list->count = count;
}

static void stand_in(
    void *context, const struct wf_task *task, uint64_t *absent)
{
	struct deciding_batch *batch = context;
	const struct wf_spec *spec = task->net->spec;

	if (!batch->knows_deputies)
		find_deputies(batch);
	for (size_t i = 0; i < batch->deputies.count; i++) {
		const struct wf_deputy *entry = &batch->deputies.rows[i];
		uint32_t person = wf_org_find(batch->deciding.organisation,
		    WF_ORG_PARTICIPANT, entry->person);

		if (person != WF_ORG_NOBODY &&
		    wf_deputy_is_for(
			entry, spec->metadata.identifier, spec->uri))
			wf_bitset_remove(absent, person);
	}
}

/* --- facts for allocators ------------------------------------------------- */

/* The items that a participant has, with those that this batch gives. */
struct waiting {
	uint64_t items;
};

/* Those that are committed. */
static bool count_items(struct deciding_batch *batch, const char *const *queues,
    size_t count, uint64_t maximum, uint64_t *items)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(batch->engine, &store, NULL);

	if (rc != WF_OK)
		return false;
	for (size_t i = 0; rc == WF_OK && i < count; i += WF_LIST_QUEUES) {
		size_t rest = count - i;

		rc = wf_store_count_each_queued(store, &queues[i],
		    rest < WF_LIST_QUEUES ? rest : WF_LIST_QUEUES,
		    1U << WF_RESOURCE_ALLOCATED | 1U << WF_RESOURCE_STARTED,
		    maximum, &items[i], NULL);
	}
	wf_engine_give_back(batch->engine, store);
	return rc == WF_OK;
}

static uint64_t counted_most(size_t participants)
{
	if (participants <= COUNTED_IN_ALL / COUNTED_MOST)
		return COUNTED_MOST;
	if (participants >= COUNTED_IN_ALL / COUNTED_LEAST)
		return COUNTED_LEAST;
	return COUNTED_IN_ALL / participants;
}

/*
 * Counts the items of all of them at once, because the batch waits for the
 * store meanwhile; who is counted stays so until the batch ends.
 */
static bool gather(
    void *context, enum wf_allocator allocator, const uint64_t *participants)
{
	struct deciding_batch *batch = context;
	const struct wf_organisation *organisation =
	    batch->deciding.organisation;
	size_t words = wf_people_words(organisation);
	size_t all = wf_bitset_count(participants, words);
	const char **ids;
	const char **queues;
	uint64_t *items;
	size_t count = 0;

	if (allocator != WF_ALLOCATOR_SHORTEST_QUEUE)
		return true;
	if (batch->waiting == NULL)
		batch->waiting = wf_map_new();
	ids = wf_arena_array(batch->arena, all, sizeof(*ids));
	queues = wf_arena_array(batch->arena, all, sizeof(*queues));
	items = wf_arena_array(batch->arena, all, sizeof(*items));
	WF_BITSET_EACH (i, participants, words) {
		const char *id =
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
			->id;

		if (wf_map_get(batch->waiting, id) != NULL)
			continue;
		ids[count] = id;
		queues[count++] = wf_participant_queue(id, batch->arena);
	}
	if (count > 0 &&
	    !count_items(batch, queues, count, counted_most(all), items))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct waiting *waiting =
		    wf_arena_alloc(batch->arena, sizeof(*waiting));

		waiting->items = items[i];
		wf_map_add(batch->waiting, ids[i], waiting);
	}
	return true;
}

/* Of somebody who was counted for this choice. */
static struct waiting *waiting_of(
    struct deciding_batch *batch, const char *participant)
{
	struct waiting *waiting = wf_map_get(batch->waiting, participant);

	wf_assert(waiting != NULL);
	return waiting;
}

static void get_facts(void *context, const struct wf_task *task,
    enum wf_allocator allocator, const char *participant,
    struct wf_work_facts *facts_out)
{
	struct deciding_batch *batch = context;
	struct wf_fact_fold *facts = batch->decisions->settings.facts;

	if (allocator == WF_ALLOCATOR_SHORTEST_QUEUE)
		facts_out->waiting = waiting_of(batch, participant)->items;
	else if (facts != NULL && wf_fact_fold_are_needed(allocator))
		wf_fact_fold_get(facts, task, participant, facts_out);
}

static const char *note_choice(void *context,
    const struct wf_people_question *question, enum wf_allocator allocator,
    const char *participant, struct wf_arena *arena)
{
	struct deciding_batch *batch = context;
	struct wf_fact_fold *facts = batch->decisions->settings.facts;
	const struct wf_given given = { .task = question->item->task,
		.number = question->key,
		.net = question->net,
		.instance = question->number,
		.participant = participant,
		.at = question->now };
	uint64_t position;
	size_t own;

	if (allocator == WF_ALLOCATOR_SHORTEST_QUEUE)
		waiting_of(batch, participant)->items++;
	if (facts == NULL || !wf_fact_fold_are_needed(allocator))
		return NULL;
	position = wf_fact_fold_position(facts, &own);
	wf_fact_fold_note(facts, &given);
	return wf_arena_printf(arena,
	    "{\"allocator\":\"%s\",\"position\":%llu,\"own\":%zu}",
	    wf_allocator_words[allocator], (unsigned long long)position, own);
}

/*
 * What somebody needs is taken for the case.  Of a step outside of a batch it
 * is taken again in the batch that keeps the step: until then another case may
 * take it.
 */
static bool take(
    void *context, uint64_t key, enum wf_org_kind kind, const char *id)
{
	struct deciding_batch *batch = context;
	const struct wf_decisions_settings *s = &batch->decisions->settings;

	if (kind == WF_ORG_THING && s->is_away != NULL &&
	    s->is_away(s->context, id, batch->now))
		return false;
	return wf_busy_take(batch->engine, key, id, batch->now);
}

static bool holds(
    struct wf_people_calls *calls, uint64_t number, const char *busy)
{
	struct deciding_batch *batch = (struct deciding_batch *)calls;
	struct wf_texts ids = wf_busy_read(busy, batch->arena);
	bool hold = true;

	for (size_t i = 0; hold && i < ids.count; i++)
		hold = wf_busy_take(
		    batch->engine, number, ids.rows[i], batch->now);
	return hold;
}

/* --- batches -------------------------------------------------------------- */

static struct wf_people_calls *begin(
    void *context, struct wf_engine *engine, int64_t now)
{
	struct wf_decisions *decisions = context;
	const struct wf_decisions_settings *s = &decisions->settings;
	struct deciding_batch *batch = wf_calloc(1, sizeof(*batch));

	batch->decisions = decisions;
	batch->engine = engine;
	batch->arena = wf_arena_new();
	batch->now = now;
	batch->keeper = (struct wf_set_keeper){ batch, has_member };
	batch->deciding =
	    (struct wf_deciding){ .organisation = s->organisation(s->context),
		    .stand_in = stand_in,
		    .piled = piled,
		    .name_set = use_set,
		    .offered = note_offer,
		    .take = take,
		    .facts = get_facts,
		    .gather = gather,
		    .chosen = note_choice,
		    .blocks = s->blocks,
		    .keeper = &batch->keeper,
		    .context = batch };
	if (s->absent != NULL)
		batch->deciding.absent = s->absent(s->context,
		    batch->deciding.organisation, now, batch->arena);
	batch->calls = wf_deciding_calls(&batch->deciding);
	return &batch->calls;
}

static enum wf_rc keep(struct wf_people_calls *calls, struct wf_engine *engine,
    struct wf_error *err)
{
	struct deciding_batch *batch = (struct deciding_batch *)calls;
	const struct wf_decisions_settings *s = &batch->decisions->settings;
	struct wf_store *store;
	enum wf_rc rc;

	if (batch->note_count == 0)
		return WF_OK;
	rc = wf_engine_borrow(engine, &store, err);
	if (rc != WF_OK)
		return rc;
	rc = wf_audiences_keep(s->audiences, store, batch->notes,
	    batch->note_count, batch->now, err);
	wf_engine_give_back(engine, store);
	batch->note_count = 0;
	return rc;
}

static void end(struct wf_people_calls *calls)
{
	struct deciding_batch *batch = (struct deciding_batch *)calls;
	struct wf_organisation *organisation =
	    (struct wf_organisation *)batch->deciding.organisation;

	wf_organisation_unref(&organisation);
	wf_map_free(&batch->waiting);
	wf_arena_free(&batch->arena);
	wf_free(batch);
}

static const char *participant(
    void *context, const char *account, struct wf_arena *arena)
{
	const struct wf_decisions *decisions = context;
	struct wf_organisation *organisation =
	    decisions->settings.organisation(decisions->settings.context);
	uint32_t number =
	    wf_org_find_name(organisation, WF_ORG_PARTICIPANT, account);
	const char *id = NULL;

	if (number != WF_ORG_NOBODY)
		id = wf_arena_strdup(arena,
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, number)->id);
	wf_organisation_unref(&organisation);
	return id;
}

struct wf_decisions *wf_decisions_new(
    const struct wf_decisions_settings *settings)
{
	struct wf_decisions *decisions = wf_calloc(1, sizeof(*decisions));

	wf_assert(settings->audiences != NULL && settings->piles != NULL);
	pthread_mutex_init(&decisions->lock, NULL);
	decisions->settings = *settings;
	decisions->people = (struct wf_engine_people){ .context = decisions,
		.begin = begin,
		.holds = holds,
		.keep = keep,
		.end = end,
		.participant = participant };
	return decisions;
}

void wf_decisions_free(struct wf_decisions **decisions)
{
	struct wf_decisions *old = *decisions;

	*decisions = NULL;
	if (old == NULL)
		return;
	for (size_t i = 0; i < NAMES; i++)
		wf_free(old->names[i].set);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

const struct wf_engine_people *wf_decisions_people(
    const struct wf_decisions *decisions)
{
	return &decisions->people;
}
