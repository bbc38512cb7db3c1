/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random operations on a store: batches with every kind of row, correct and
 * wrong, and all other calls, through two handles. All answers go into the
 * text.
 */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "tests/unit/store_dump.h"

#define CASES 400

struct life {
	struct wf_random random;
	struct wf_buffer *text;
	const char *url;
	struct wf_store *store;
	struct wf_store *other; /* holds cases at times */
	struct wf_arena *arena; /* of one operation */
	int64_t now;
	uint64_t versions[CASES + 1]; /* as known to this sequence */
	uint32_t highest;	      /* number of a case */
	uint64_t value;		      /* makes large values and rows differ */
};

static uint32_t any(struct life *life, uint32_t n)
{
	return wf_random_below(&life->random, n);
}

static bool chance(struct life *life, uint32_t percent)
{
	return any(life, 100) < percent;
}

/* The number of a case, mostly of one that was launched recently. */
static uint32_t any_case(struct life *life)
{
	uint32_t window =
	    life->highest > 20 && chance(life, 90) ? 20 : life->highest + 2;

	return life->highest + 2 - any(life, window);
}

static const char *word(struct life *life, const char *prefix, uint32_t n)
{
	return wf_arena_printf(life->arena, "%s%u", prefix, any(life, n));
}

static struct wf_bytes bytes(struct life *life)
{
	struct wf_bytes made = { NULL, 0 };
	const char *text;

	if (chance(life, 10))
		return made;
	text = chance(life, 10) ? "" : word(life, "<bytes>", 1000);
	made.data = text;
	made.size = strlen(text);
	return made;
}

static void put_answer(
    struct life *life, enum wf_rc rc, const struct wf_error *err)
{
	dump_result(life->text, rc, err);
}

/* --- batches -------------------------------------------------------------- */

#define ROWS 64

/* The rows that a batch writes, in arrays that are large enough. */
struct written {
	struct wf_case_write cases[ROWS];
	struct wf_item_rename renames[ROWS];
	struct wf_item_write items[ROWS];
	struct wf_value_row values[ROWS];
	struct wf_history_row history[ROWS];
	struct wf_due_write due[ROWS];
	struct wf_message_row messages[ROWS];
	struct wf_answer_row answers[ROWS];
	struct wf_incident_write incidents[ROWS];
	struct wf_migrated_row migrated[ROWS];
	struct wf_term_row terms[ROWS];
	struct wf_writes writes;
};

static struct written *new_written(struct life *life)
{
	struct written *w = wf_arena_alloc(life->arena, sizeof(*w));

	w->writes.cases = w->cases;
	w->writes.renames = w->renames;
	w->writes.items = w->items;
	w->writes.values = w->values;
	w->writes.history = w->history;
	w->writes.due = w->due;
	w->writes.messages = w->messages;
	w->writes.answers = w->answers;
	w->writes.incidents = w->incidents;
	w->writes.migrated = w->migrated;
	w->writes.terms = w->terms;
	return w;
}

static void add_history(
    struct life *life, struct written *w, uint64_t number, uint64_t sequence)
{
	w->history[w->writes.history_count++] = (struct wf_history_row){
		.number = number,
		.sequence = sequence,
		.at = life->now,
		.actor = word(life, "actor", 3),
		.origin = chance(life, 50) ? "rest" : NULL,
		.format = 1,
		.command = word(life, "id", 50),
		.events = bytes(life),
	};
}

/* Items have that of their case. */
static uint64_t specification_of(uint64_t number)
{
	return 1 + number % 4;
}

/* None, or up to three in any order. */
static struct wf_specification_keys any_specifications(struct life *life)
{
	struct wf_specification_keys keys = { .count = any(life, 4) };
	uint64_t *to = wf_arena_array(life->arena, 3, sizeof(*to));
	uint32_t first = any(life, 4);

	for (size_t i = 0; i < keys.count; i++)
		to[i] = 1 + (first + 3 * i) % 4;
	keys.keys = to;
	return keys;
}

/* Of items; NULL: they are not for people. */
static const char *any_queue(struct life *life)
{
	return chance(life, 30) ? NULL : word(life, "P:", 4);
}

static const char *item_id(struct life *life, uint64_t number, uint32_t task)
{
	return wf_arena_printf(life->arena, "%llu:T%u%u",
	    (unsigned long long)number, 1 + task / 2, task % 2);
}

/* Some of the ids of a case, in a circle or a chain. */
static void add_renames(struct life *life, struct written *w, uint64_t number)
{
	uint32_t first = any(life, 4);
	uint32_t count = any(life, 5);

	for (uint32_t i = 0; i < count; i++)
		w->renames[w->writes.rename_count++] = (struct wf_item_rename){
			.number = number,
			.id = item_id(life, number, (first + i) % 4),
			.new_id = item_id(life, number, (first + i + 1) % 4),
		};
}

/* fresh: the percentage of rows that are fresh; wrong at times. */
static void add_items(
    struct life *life, struct written *w, uint64_t number, uint32_t fresh)
{
	for (uint32_t i = any(life, 3); i > 0; i--)
		w->items[w->writes.item_count++] = (struct wf_item_write){
			.row = { .number = number,
			    .id = wf_arena_printf(life->arena, "%llu:T%u%u",
				(unsigned long long)number, i, any(life, 2)),
			    .namespace_id = 1 + any(life, 2),
			    .specification = specification_of(number),
			    .task = word(life, "T", 3),
			    .service = chance(life, 50) ? "echo" : NULL,
			    .status = any(life, 4),
			    .choice = any(life, 2),
			    .enabled_at = life->now,
			    .lease_owner = word(life, "worker", 2),
			    .lease_until = life->now + any(life, 50),
			    .fence = any(life, 3),
			    .attempt = any(life, 3),
			    .not_before = life->now - 5 + any(life, 10),
			    .last_answer = any(life, 2) ? "no" : NULL,
			    .queue = any_queue(life),
			    .assignment = any(life, 5),
			    .left_out = any(life, 2) ? ",a,b," : NULL,
			    .rank = any(life, 3),
			    .trace = any(life, 2) ? "00-1" : NULL,
			    .due_at = any(life, 2) ? life->now + any(life, 5)
						   : WF_ITEM_NOT_DUE },
			.groups = any(life, 4),
			.fresh = chance(life, fresh),
		};
}

static void add_due(struct life *life, struct written *w, uint64_t number)
{
	for (uint32_t i = any(life, 3); i > 0; i--)
		w->due[w->writes.due_count++] = (struct wf_due_write){
			.row = { .number = number,
			    .name = wf_arena_printf(
				life->arena, "timer%u%u", i, any(life, 2)),
			    .namespace_id = 1,
			    .at = life->now + any(life, 100),
			    .kind = any(life, 5),
			    .payload = bytes(life) },
			.remove = chance(life, 30),
		};
}

/*
 * message: the number to continue from; wrong at times, so that the row exists.
 */
static uint64_t add_messages(
    struct life *life, struct written *w, uint64_t number, uint64_t message)
{
	for (uint32_t i = any(life, 4); i > 0; i--)
		w->messages[w->writes.message_count++] =
		    (struct wf_message_row){
			    .number = number,
			    .message = ++message,
			    .namespace_id = 1,
			    .destination = word(life, "http://service", 3),
			    .subject = word(life, "item", 2),
			    .kind = any(life, 3),
			    .at = life->now,
			    .payload = bytes(life),
		    };
	return message;
}

/* Messages of no case; their numbers are the store's. */
static void add_announcements(struct life *life, struct written *w)
{
	struct wf_error err = { 0 };
	uint64_t first = 1;

	put_answer(life,
	    wf_store_reserve(life->other, WF_COUNTER_MESSAGE, 3, &first, &err),
	    &err);
	(void)add_messages(life, w, 0, first - 1);
}

/* An id that this batch does not write yet. */
static void add_incident(struct life *life, struct written *w, uint64_t number)
{
	uint64_t id = 1 + any(life, 20);

	for (size_t i = 0; i < w->writes.incident_count; i++)
		if (w->incidents[i].row.id == id)
			return;
	w->incidents[w->writes.incident_count++] = (struct wf_incident_write){
		.row = { .id = id,
		    .namespace_id = 1,
		    .number = number,
		    .item = "item",
		    .code = word(life, "code", 2),
		    .text = "went wrong",
		    .attempts = any(life, 4),
		    .first_at = life->now,
		    .last_at = life->now,
		    .payload = bytes(life),
		    .dropped_at = chance(life, 30) ? life->now : 0,
		    .dropped_by = word(life, "who", 2),
		    .reason = word(life, "why", 2) },
		.remove = chance(life, 30),
	};
}

static const char *any_value(struct life *life)
{
	const char *number = word(life, "", 30);
	char *text = wf_arena_alloc(life->arena, WF_TERM_SIZE);

	(void)wf_term_write(WF_TERM_NUMBER, number, strlen(number), text);
	return chance(life, 10) ? "" : text;
}

/* The words of a new case, and a variable. */
static size_t make_terms(struct life *life, const struct wf_case_row *row,
    bool is_new, struct wf_term_row *terms)
{
	struct wf_word_set words = { 0 };
	size_t count = 0;

	if (is_new)
		wf_words_of_case(&words, row);
	for (; count < words.count; count++)
		terms[count] = (struct wf_term_row){ row->number,
			wf_arena_printf(life->arena, ":%s", words.rows[count]),
			row->namespace_id, "" };
	if (chance(life, 70))
		terms[count++] = (struct wf_term_row){ row->number, "amount",
			row->namespace_id, any_value(life) };
	return count;
}

static void add_rows(
    struct life *life, struct written *w, struct wf_case_write *write)
{
	uint64_t number = write->row.number;
	struct wf_writes *writes = &w->writes;

	writes->term_count += make_terms(life, &write->row,
	    write->expected == 0, w->terms + writes->term_count);

	/* Rows of a case that ends are ignored. */
	if (write->expected == 0) {
		add_items(life, w, number, 50);
	} else if (chance(life, 10)) {
		add_renames(life, w, number);
		add_items(life, w, number, 0);
	} else {
		add_items(
		    life, w, number, write->change == WF_CASE_END ? 0 : 5);
	}
	add_due(life, w, number);
	write->row.messages =
	    add_messages(life, w, number, write->row.messages);
	if (chance(life, 20))
		w->values[w->writes.value_count++] = (struct wf_value_row){
			.number = number,
			.value = chance(life, 5) ? 1 : (uint32_t)++life->value,
			.text = bytes(life),
		};
	if (chance(life, 10))
		add_incident(life, w, chance(life, 30) ? 0 : number);
	if (chance(life, 20))
		add_announcements(life, w);
}

/* Steps a taken or new case, in one of the possible ways. */
static void add_case(
    struct life *life, struct written *w, const struct wf_case_row *row)
{
	struct wf_case_write *write = &w->cases[w->writes.case_count++];
	uint32_t steps = 1 + any(life, 3);

	write->row = *row;
	write->expected = row->version;
	write->row.changed_at = life->now;
	write->row.status = any(life, 3);
	if (row->version > 0 && chance(life, 10)) {
		write->change =
		    chance(life, 50) ? WF_CASE_QUARANTINE : WF_CASE_PUT_BACK;
		return;
	}
	write->change = chance(life, 6) ? WF_CASE_END : WF_CASE_STEP;
	for (uint32_t i = 1; i <= steps; i++)
		add_history(life, w, row->number, row->version + i);
	write->row.version += steps;
	/* A case that ends has no items that would have to follow it. */
	if (row->version > 0 && write->change == WF_CASE_END &&
	    chance(life, 50))
		w->migrated[w->writes.migrated_count++] =
		    (struct wf_migrated_row){ .number = row->number,
			    .sequence = row->version + 1 + any(life, steps),
			    .specification = row->specification,
			    .target = 1 + any(life, 3) };
	if (chance(life, 50))
		write->snapshot = bytes(life);
	if (row->version > 0 && chance(life, 3))
		write->expected += 1; /* a lost race */
	add_rows(life, w, write);
}

static struct wf_batch *new_batch(struct life *life)
{
	struct wf_batch *batch = wf_arena_alloc(life->arena, sizeof(*batch));
	uint64_t first = any_case(life);

	batch->take_count = any(life, 5);
	batch->takes = wf_arena_array(life->arena, 5, sizeof(batch->takes[0]));
	for (size_t i = 0; i < batch->take_count; i++) {
		struct wf_take *take = &batch->takes[i];

		take->number = first + i;
		take->known = chance(life, 50) && take->number <= CASES
				  ? life->versions[take->number]
				  : 0;
	}
	batch->claim_count = any(life, 2);
	batch->claims =
	    wf_arena_array(life->arena, 2, sizeof(batch->claims[0]));
	for (size_t i = 0; i < batch->claim_count; i++)
		batch->claims[i] = (struct wf_claim){
			.namespace_id = 1 + any(life, 2),
			.name = word(life, "case", 300),
		};
	batch->command_count = any(life, 2);
	batch->commands =
	    wf_arena_array(life->arena, 2, sizeof(batch->commands[0]));
	for (size_t i = 0; i < batch->command_count; i++)
		batch->commands[i].id = word(life, "command", 60);
	return batch;
}

static void add_new_case(
    struct life *life, struct written *w, const struct wf_claim *claim)
{
	struct wf_error err = { 0 };
	uint64_t number = 0;
	enum wf_rc rc;
	struct wf_case_row row = {
		.namespace_id = claim->namespace_id,
		.name = claim->name,
		.title = wf_arena_printf(
		    life->arena, "Title %u of %u", any(life, 9), any(life, 3)),
		.owner = "admin",
		.extra = bytes(life),
		.launched_at = life->now,
	};

	rc = wf_store_reserve(
	    life->other, WF_COUNTER_CASE, 1 + any(life, 2), &number, &err);
	put_answer(life, rc, &err);
	wf_buffer_printf(
	    life->text, "number %llu\n", (unsigned long long)number);
	row.number = number;
	row.specification = specification_of(number);
	if (number < CASES)
		life->highest = (uint32_t)number;
	add_case(life, w, &row);
}

static void add_answer(
    struct life *life, struct written *w, const struct wf_lookup *command)
{
	if (command->state == WF_COMMAND_BUSY)
		return;
	if (command->state == WF_COMMAND_DONE && chance(life, 80))
		return; /* else written twice, which is a conflict */
	w->answers[w->writes.answer_count++] = (struct wf_answer_row){
		.id = command->id,
		.request = any(life, 1000) * UINT64_C(0x9E3779B97F4A7C15),
		.number = any_case(life),
		.sequence = any(life, 9),
		.at = life->now,
		.code = any(life, 3),
		.body = bytes(life),
	};
}

static void fill(
    struct life *life, struct written *w, const struct wf_batch *batch)
{
	for (size_t i = 0; i < batch->take_count; i++) {
		const struct wf_take *take = &batch->takes[i];
		struct wf_case_row stranger = { .number = take->number,
			.version = 1 };

		if (take->state == WF_TAKE_TAKEN ||
		    take->state == WF_TAKE_QUARANTINED)
			add_case(life, w, &take->stored.row);
		else if (chance(life, 2))
			add_case(life, w, &stranger);
	}
	for (size_t i = 0; i < batch->claim_count; i++)
		if (batch->claims[i].state == WF_CLAIM_FREE || chance(life, 2))
			add_new_case(life, w, &batch->claims[i]);
	for (size_t i = 0; i < batch->command_count; i++)
		add_answer(life, w, &batch->commands[i]);
	if (chance(life, 10)) /* of no case */
		add_due(life, w, 0);
}

static void remember(struct life *life, const struct wf_writes *writes)
{
	for (size_t i = 0; i < writes->case_count; i++)
		if (writes->cases[i].row.number <= CASES)
			life->versions[writes->cases[i].row.number] =
			    writes->cases[i].row.version;
}

static void do_batch(struct life *life)
{
	struct wf_batch *batch = new_batch(life);
	struct written *w = new_written(life);
	struct wf_error err = { 0 };
	uint64_t cause = 0;
	enum wf_rc rc = wf_store_begin(life->store, batch, life->arena, &err);

	put_answer(life, rc, &err);
	dump_batch(life->text, batch);
	if (rc != WF_OK)
		return;
	if (chance(life, 10)) {
		wf_store_abort(life->store);
		return;
	}
	fill(life, w, batch);
	rc = wf_store_commit(life->store, &w->writes, &cause, &err);
	put_answer(life, rc, &err);
	wf_buffer_printf(life->text, "cause %llu\n", (unsigned long long)cause);
	if (rc == WF_OK)
		remember(life, &w->writes);
}

/* The other handle takes cases, and the next batch runs beside it. */
static void do_two_batches(struct life *life)
{
	struct wf_batch *batch = new_batch(life);
	struct wf_store *store = life->store;
	struct wf_error err = { 0 };
	enum wf_rc rc = wf_store_begin(store, batch, life->arena, &err);
	uint64_t number = batch->take_count > 0 ? batch->takes[0].number : 1;
	struct wf_take again = { .number = number };
	struct wf_claim claim = batch->claims[0];
	struct wf_batch second = { &again, 1, &claim, batch->claim_count,
		batch->commands, batch->command_count };

	put_answer(life, rc, &err);
	dump_batch(life->text, batch);
	rc = wf_store_begin(life->other, &second, life->arena, &err);
	put_answer(life, rc, &err);
	dump_batch(life->text, &second);
	wf_store_abort(life->other);
	wf_store_abort(store);
}

/* --- queues and leases ---------------------------------------------------- */

static void do_due(struct life *life)
{
	struct wf_due_list list = { 0 };
	struct wf_error err = { 0 };
	int64_t next = 0;

	put_answer(life,
	    wf_store_claim_due(life->store, life->now, life->now + 20,
		1 + any(life, 5), life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++)
		dump_row(life->text, &wf_layout_due, &list.rows[i]);
	put_answer(life, wf_store_next_due(life->store, &next, &err), &err);
	wf_buffer_printf(life->text, "next %lld\n", (long long)next);
}

static void do_messages(struct life *life)
{
	struct wf_message_list list = { 0 };
	struct wf_message_key keys[12];
	struct wf_error err = { 0 };
	struct wf_message_queue_list queues = { 0 };

	put_answer(life,
	    wf_store_message_queues(life->store, NULL, 1 + any(life, 4),
		life->arena, &queues, &err),
	    &err);
	for (size_t i = 0; i < queues.count; i++) {
		uint64_t count = 0;

		put_answer(life,
		    wf_store_count_messages(life->store,
			queues.rows[i].namespace_id, queues.rows[i].destination,
			3, &count, &err),
		    &err);
		wf_buffer_printf(life->text, "queue %u %s %llu\n",
		    queues.rows[i].namespace_id, queues.rows[i].destination,
		    (unsigned long long)count);
		queues.rows[i].at = life->now;
		queues.rows[i].most = any(life, 4);
	}
	put_answer(life,
	    wf_store_claim_messages(life->store, queues.rows, queues.count,
		life->now + 20, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++) {
		dump_row(life->text, &wf_layout_message, &list.rows[i]);
		keys[i].number = list.rows[i].number;
		keys[i].message = list.rows[i].message;
	}
	if (chance(life, 60))
		put_answer(life,
		    wf_store_acknowledge(life->store, keys, list.count, &err),
		    &err);
	else if (chance(life, 50))
		put_answer(life,
		    wf_store_postpone(life->store, keys, list.count,
			life->now + any(life, 30), chance(life, 50), &err),
		    &err);
	else
		put_answer(life,
		    wf_store_redirect(life->store, keys, list.count,
			word(life, "http://service", 3), &err),
		    &err);
}

static void do_leases(struct life *life)
{
	struct wf_item_filter filter = { .service = "echo",
		.statuses = 1 + any(life, 15),
		.limit = 1 + any(life, 4) };
	struct wf_item_list list = { 0 };
	struct wf_error err = { 0 };

	put_answer(life,
	    wf_store_claim_items(life->store, &filter, "me", life->now,
		life->now + 10, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++) {
		const struct wf_item_row *row = &list.rows[i];
		uint64_t fence = row->fence + any(life, 5) / 4;

		dump_row(life->text, &wf_layout_item, row);
		wf_error_clear(&err);
		if (chance(life, 50))
			put_answer(life,
			    wf_store_heartbeat(life->store, row->number,
				chance(life, 90) ? row->id : "none", "me",
				fence, life->now + 50, &err),
			    &err);
		else
			put_answer(life,
			    wf_store_release(life->store, row->number, row->id,
				chance(life, 90) ? "me" : "you", fence,
				life->now + 5, &err),
			    &err);
	}
	wf_error_clear(&err);
	put_answer(life,
	    wf_store_expired_items(
		life->store, life->now, 5, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++)
		dump_row(life->text, &wf_layout_item, &list.rows[i]);
}

static void do_drafts(struct life *life)
{
	struct wf_item_filter filter = { .limit = 1 + any(life, 9) };
	struct wf_item_list list = { 0 };
	struct wf_error err = { 0 };

	put_answer(life,
	    wf_store_items(life->store, &filter, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++) {
		const struct wf_item_row *row = &list.rows[i];
		struct wf_bytes now = { NULL, 0 };
		struct wf_draft_write write = { .number = row->number,
			.id = chance(life, 90) ? row->id : "none",
			.queue = chance(life, 50) ? NULL : row->queue };
		const char *draft = word(life, "draft", 3);

		wf_error_clear(&err);
		put_answer(life,
		    wf_store_draft(life->store, row->number, write.id,
			life->arena, &now, &err),
		    &err);
		wf_buffer_printf(life->text, "%.*s\n", (int)now.size,
		    now.data == NULL ? "none" : (const char *)now.data);
		if (chance(life, 80))
			write.draft = (struct wf_bytes){ draft, strlen(draft) };
		if (chance(life, 50))
			write.expected = chance(life, 70) ? &now : &write.draft;
		wf_error_clear(&err);
		put_answer(
		    life, wf_store_put_draft(life->store, &write, &err), &err);
	}
}

/* --- lists ---------------------------------------------------------------- */

/* One of few conditions. */
static const struct wf_where_node *any_where(struct life *life)
{
	static const struct wf_where_variable variable = { "amount",
		WF_TERM_NUMBER };
	static const char *const texts[] = { "amount = %u", "amount > %u",
		"amount <= %u or amount = 20", "not(amount < %u)",
		"amount != %u and amount >= 5" };
	const struct wf_where_node *where = NULL;
	char text[64];

	snprintf(text, sizeof text, texts[any(life, 5)], any(life, 30));
	if (wf_where_parse(&where, text, &variable, 1, life->arena, NULL) !=
	    WF_OK)
		wf_buffer_puts(life->text, "the condition is refused");
	return where;
}

static void add_conditions(struct life *life, struct wf_case_filter *filter)
{
	struct wf_word_set *words = wf_arena_alloc(life->arena, sizeof(*words));

	if (chance(life, 30)) {
		*words = (struct wf_word_set){ 0 };
		wf_words_add(words, word(life, "of ", 3));
		filter->words = words;
	}
	if (chance(life, 20))
		filter->title = "TITLE 1 of 2";
	if (chance(life, 30))
		filter->incident = chance(life, 50) ? "" : "code1";
	if (chance(life, 50))
		filter->where = any_where(life);
	if (chance(life, 10))
		filter->launched_before = life->now - any(life, 100);
	if (chance(life, 10))
		filter->changed_before = life->now - any(life, 100);
	if (chance(life, 8))
		filter->ended_from = life->now - any(life, 100);
}

/* What a batch or a change since then has made old is not written. */
static void do_terms(struct life *life)
{
	struct wf_term_row terms[ROWS];
	struct wf_stored_case stored;
	struct wf_error err = { 0 };
	bool written = false;
	uint64_t version;
	size_t count;
	enum wf_rc rc = wf_store_case(
	    life->store, any_case(life), false, life->arena, &stored, &err);

	put_answer(life, rc, &err);
	if (rc != WF_OK)
		return;
	version = stored.row.version - chance(life, 20);
	count = make_terms(life, &stored.row, chance(life, 50), terms);
	if (count > 0)
		put_answer(life,
		    wf_store_put_terms(life->store, stored.row.number, version,
			terms, count, &written, &err),
		    &err);
	wf_buffer_printf(life->text, "written %d\n", written);
}

static void do_cases(struct life *life)
{
	struct wf_case_filter filter = { .namespace_id = any(life, 3),
		.specifications = any_specifications(life),
		.statuses = any(life, 8),
		.live = chance(life, 40),
		.ended = chance(life, 40),
		.set_aside = chance(life, 10),
		.descending = chance(life, 50),
		.after = chance(life, 50) ? any_case(life) : 0,
		.limit = 1 + any(life, 9) };
	struct wf_stored_case stored;
	struct wf_case_list list = { 0 };
	struct wf_error err = { 0 };
	enum wf_rc rc;

	if (filter.namespace_id != 0 && chance(life, 60))
		add_conditions(life, &filter);
	put_answer(life,
	    wf_store_cases(life->store, &filter, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++)
		dump_case(life->text, &list.rows[i]);
	wf_buffer_printf(
	    life->text, "next %llu\n", (unsigned long long)list.next);
	rc = wf_store_case(
	    life->store, any_case(life), true, life->arena, &stored, &err);
	put_answer(life, rc, &err);
	if (rc == WF_OK)
		dump_case(life->text, &stored);
}

static void do_items(struct life *life)
{
	struct wf_item_filter filter = { .namespace_id = any(life, 3),
		.number = chance(life, 30) ? any_case(life) : 0,
		.specifications = any_specifications(life),
		.task = chance(life, 30) ? word(life, "T", 3) : NULL,
		.service = chance(life, 30) ? "" : NULL,
		.statuses = any(life, 16),
		.enabled_before =
		    chance(life, 10) ? life->now - any(life, 50) : 0,
		.after_number = chance(life, 50) ? any_case(life) : 0,
		.after_id = chance(life, 50) ? word(life, "1:T", 20) : NULL,
		.limit = 1 + any(life, 9) };
	struct wf_item_list list = { 0 };
	struct wf_error err = { 0 };

	put_answer(life,
	    wf_store_items(life->store, &filter, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++)
		dump_row(life->text, &wf_layout_item, &list.rows[i]);
}

/* A page of two queues, the next one, and counts. */
static void do_queues(struct life *life)
{
	const char *queues[2] = { "P:1", word(life, "P:", 4) };
	struct wf_queue_filter filter = { .queues = queues,
		.queue_count = strcmp(queues[0], queues[1]) == 0 ? 1 : 2,
		.order = any(life, 3),
		.descending = chance(life, 50),
		.limit = 1 + any(life, 5) };
	struct wf_queue_counts counts = { 0 };
	struct wf_item_list list = { 0 };
	struct wf_error err = { 0 };
	struct wf_queue_key key;
	uint64_t items[2] = { 0, 0 };

	for (int page = 0; page < 2; page++) {
		put_answer(life,
		    wf_store_queued_items(
			life->store, &filter, life->arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++)
			dump_row(life->text, &wf_layout_item, &list.rows[i]);
		if (list.count == 0)
			break;
		key = wf_queue_key_of(filter.order, &list.rows[list.count - 1]);
		filter.after = &key;
	}
	put_answer(life,
	    wf_store_count_queued(life->store, queues, filter.queue_count,
		chance(life, 50) ? "b" : NULL, 1 + any(life, 20), life->arena,
		&counts, &err),
	    &err);
	for (size_t i = 0; i < counts.count; i++)
		wf_buffer_printf(life->text, "assignment %u: %llu\n",
		    (unsigned)counts.rows[i].assignment,
		    (unsigned long long)counts.rows[i].items);
	wf_buffer_printf(life->text, "more %d\n", counts.more);
	put_answer(life,
	    wf_store_count_each_queued(life->store, queues, filter.queue_count,
		any(life, 32), 1 + any(life, 20), items, &err),
	    &err);
	for (size_t i = 0; i < filter.queue_count; i++)
		wf_buffer_printf(
		    life->text, "of each %llu\n", (unsigned long long)items[i]);
}

static void do_history(struct life *life)
{
	struct wf_history_filter filter = { .namespace_id = any(life, 3),
		.specifications = any_specifications(life),
		.limit = 1 + any(life, 20) };
	struct wf_history_list list = { 0 };
	struct wf_error err = { 0 };
	enum wf_rc rc;

	for (int page = 0; page < 3; page++) {
		rc = wf_store_history(
		    life->store, &filter, life->arena, &list, &err);
		put_answer(life, rc, &err);
		if (rc != WF_OK)
			return;
		for (size_t i = 0; i < list.count; i++)
			dump_row(life->text, &wf_layout_history, &list.rows[i]);
		filter.after = list.next;
	}
	rc = wf_store_case_history(life->store, any_case(life), any(life, 5),
	    1 + any(life, 5), life->arena, &list, &err);
	put_answer(life, rc, &err);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		dump_row(life->text, &wf_layout_history, &list.rows[i]);
}

static void do_incidents(struct life *life)
{
	struct wf_incident_filter filter = { .which = any(life, 3),
		.namespace_id = any(life, 2),
		.number = chance(life, 30) ? any_case(life) : 0,
		.code = chance(life, 30) ? "code1" : NULL,
		.after = any(life, 5),
		.limit = 1 + any(life, 9) };
	struct wf_incident_list list = { 0 };
	struct wf_incident_row row;
	struct wf_error err = { 0 };
	enum wf_rc rc;

	put_answer(life,
	    wf_store_incidents(life->store, &filter, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++)
		dump_row(life->text, &wf_layout_incident, &list.rows[i]);
	rc = wf_store_incident(
	    life->store, 1 + any(life, 20), life->arena, &row, &err);
	put_answer(life, rc, &err);
	if (rc == WF_OK)
		dump_row(life->text, &wf_layout_incident, &row);
}

/* --- other calls ---------------------------------------------------------- */

static void do_specifications(struct life *life)
{
	struct wf_specification_row row = { .namespace_id = 1 + any(life, 2),
		.key = any(life, 3),
		.identifier = "id",
		.version = word(life, "0.", 3),
		.uri = "uri",
		.loaded_at = life->now,
		.source = { "<xml/>", chance(life, 90) ? 6 : 5 },
		.numbering = bytes(life) };
	struct wf_specification_filter filter = { .namespace_id = any(life, 2),
		.changed_after = any(life, 5),
		.removed = chance(life, 50) };
	uint64_t change = 0;
	struct wf_specification_list list = { 0 };
	struct wf_specification_row found;
	struct wf_error err = { 0 };
	enum wf_rc rc;

	/* Often as if nothing, or one thing, had been changed since. */
	if (any(life, 2) == 0 &&
	    wf_store_change(life->store, &change, &err) == WF_OK && change > 1)
		row.change = change - any(life, 2);
	if (chance(life, 60))
		rc = wf_store_put_specification(life->store, &row, &err);
	else
		rc = wf_store_remove_specification(
		    life->store, row.namespace_id, row.key, &err);
	put_answer(life, rc, &err);
	wf_error_clear(&err);
	rc = wf_store_specification(life->store, 1 + any(life, 2), any(life, 3),
	    life->arena, &found, &err);
	put_answer(life, rc, &err);
	if (rc == WF_OK)
		dump_row(life->text, &wf_layout_specification, &found);
	wf_error_clear(&err);
	put_answer(life,
	    wf_store_specifications(
		life->store, &filter, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++)
		dump_row(life->text, &wf_layout_specification, &list.rows[i]);
}

static struct wf_record_row any_record(struct life *life, uint64_t change)
{
	struct wf_record_row row = { .namespace_id = any(life, 2),
		.kind = word(life, "kind", 2),
		.name = word(life, "name", 4),
		.value = bytes(life) };
	struct wf_record_row found;

	/* As the record is, as if it were new, as another one may be. */
	if (chance(life, 40))
		row.change =
		    wf_store_record(life->store, row.namespace_id, row.kind,
			row.name, life->arena, &found, NULL) == WF_OK
			? found.change
			: WF_RECORD_NEW;
	else if (chance(life, 10))
		row.change = WF_RECORD_NEW;
	else if (chance(life, 10))
		row.change = change;
	return row;
}

static bool is_same_record(
    const struct wf_record_row *a, const struct wf_record_row *b)
{
	return a->namespace_id == b->namespace_id &&
	       strcmp(a->kind, b->kind) == 0 && strcmp(a->name, b->name) == 0;
}

static void put_records(struct life *life, uint64_t change)
{
	struct wf_record_row rows[3];
	struct wf_error err = { 0 };
	uint64_t seen = 0;
	size_t wanted = 1 + any(life, 3);
	size_t count = 0;

	for (size_t i = 0; i < wanted; i++) {
		size_t k = 0;

		rows[count] = any_record(life, change);
		while (k < count && !is_same_record(&rows[k], &rows[count]))
			k++;
		count += k == count;
	}
	/* Sometimes as if nothing, or one thing, had been changed since. */
	if (chance(life, 20) && change > 1)
		seen = change - any(life, 2);
	put_answer(life,
	    wf_store_put_records(life->store, rows, count, seen, NULL, &err),
	    &err);
}

static void do_records(struct life *life)
{
	struct wf_record_list list = { 0 };
	struct wf_record_row found;
	struct wf_error err = { 0 };
	uint64_t change = 0;
	uint64_t back = any(life, 10);
	enum wf_rc rc = wf_store_change(life->store, &change, &err);

	put_answer(life, rc, &err);
	put_records(life, change);
	rc = wf_store_record(
	    life->store, 1, "kind1", "name1", life->arena, &found, &err);
	put_answer(life, rc, &err);
	if (rc == WF_OK)
		dump_row(life->text, &wf_layout_record, &found);
	wf_error_clear(&err);
	put_answer(life,
	    wf_store_records(life->store, "kind0",
		back > change ? 0 : change - back, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++)
		dump_row(life->text, &wf_layout_record, &list.rows[i]);
	wf_buffer_printf(life->text, "change %llu%s\n",
	    (unsigned long long)list.change, list.whole ? ", all" : "");
}

static void do_retire(struct life *life)
{
	struct wf_error err = { 0 };
	size_t count = 0;

	put_answer(life,
	    wf_store_retire(life->store, life->now - 300, 1000, &count, &err),
	    &err);
	wf_buffer_printf(life->text, "retired %zu\n", count);
	put_answer(life,
	    wf_store_forget_answers(
		life->store, life->now - 300, 1000, &count, &err),
	    &err);
	wf_buffer_printf(life->text, "forgotten %zu\n", count);
}

static void do_erase(struct life *life)
{
	const struct wf_erased_row row = { .number = any_case(life),
		.at = life->now,
		.actor = word(life, "actor", 3),
		.reason = word(life, "reason", 3) };
	struct wf_ended_filter filter = { .namespace_id = 1 + any(life, 2),
		.specification = specification_of(row.number),
		.before = life->now - 100,
		.after = any(life, 2) * (life->now - 1000),
		.after_number = any(life, 9),
		.limit = 1 + any(life, 5) };
	struct wf_case_list list;
	struct wf_erased_row left;
	struct wf_error err = { 0 };
	uint64_t numbers[5];
	size_t count = 0;
	enum wf_rc rc = wf_store_erase(life->store, &row, &err);

	put_answer(life, rc, &err);
	wf_error_clear(&err);
	rc = wf_store_erased(life->store, row.number, life->arena, &left, &err);
	put_answer(life, rc, &err);
	left.position = 0; /* stores count in other ways */
	if (rc == WF_OK)
		dump_row(life->text, &wf_layout_erased, &left);
	wf_error_clear(&err);
	put_answer(life,
	    wf_store_ended(life->store, &filter, life->arena, &list, &err),
	    &err);
	for (size_t i = 0; i < list.count; i++) {
		dump_case(life->text, &list.rows[i]);
		numbers[i] = list.rows[i].row.number;
	}
	put_answer(life,
	    wf_store_retire_cases(
		life->store, numbers, list.count, &count, &err),
	    &err);
	wf_buffer_printf(life->text, "retired %zu\n", count);
}

static void do_find(struct life *life)
{
	const char *names[3] = { word(life, "case", 300),
		word(life, "case", 300), "none" };
	uint64_t numbers[3] = { 0 };
	struct wf_bytes text = { NULL, 0 };
	struct wf_error err = { 0 };
	enum wf_rc rc;

	put_answer(life,
	    wf_store_find(
		life->store, 1 + any(life, 2), names, 3, numbers, &err),
	    &err);
	for (size_t i = 0; i < 3; i++)
		wf_buffer_printf(life->text, "%s is %llu\n", names[i],
		    (unsigned long long)numbers[i]);
	rc = wf_store_value(life->store, any_case(life), 1 + any(life, 20),
	    life->arena, &text, &err);
	put_answer(life, rc, &err);
	wf_buffer_printf(life->text, "%.*s\n", (int)text.size,
	    text.data == NULL ? "none" : (const char *)text.data);
}

/* The process dies in a batch, and restarts. */
static void do_reopen(struct life *life)
{
	struct wf_batch *batch = new_batch(life);
	struct wf_error err = { 0 };

	put_answer(
	    life, wf_store_begin(life->store, batch, life->arena, &err), &err);
	wf_store_close(&life->store);
	put_answer(life, wf_store_open(&life->store, life->url, 0, &err), &err);
}

static void do_something(struct life *life)
{
	static const struct {
		uint32_t weight;
		void (*action)(struct life *life);
	} actions[] = {
		{ 60, do_batch },
		{ 5, do_two_batches },
		{ 5, do_due },
		{ 8, do_messages },
		{ 5, do_leases },
		{ 3, do_drafts },
		{ 8, do_cases },
		{ 2, do_terms },
		{ 3, do_items },
		{ 3, do_queues },
		{ 3, do_history },
		{ 2, do_incidents },
		{ 2, do_specifications },
		{ 2, do_records },
		{ 2, do_find },
		{ 1, do_retire },
		{ 1, do_erase },
		{ 1, do_reopen },
	};
	uint32_t total = 0;
	uint32_t at;

	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		total += actions[i].weight;
	at = any(life, total);
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
		if (at < actions[i].weight) {
			actions[i].action(life);
			return;
		}
		at -= actions[i].weight;
	}
}

void random_life(
    struct wf_buffer *text, const char *url, uint64_t seed, unsigned steps)
{
	struct life life = { .random = { seed },
		.text = text,
		.url = url,
		.arena = wf_arena_new(),
		.now = 1000,
		.value = 1 };
	struct wf_error err = { 0 };

	put_answer(&life,
	    wf_store_open(&life.store, url, WF_STORE_CREATE, &err), &err);
	put_answer(&life, wf_store_open(&life.other, url, 0, &err), &err);
	for (unsigned i = 0;
	     life.store != NULL && life.other != NULL && i < steps; i++) {
		wf_buffer_printf(text, "-- %u\n", i);
		life.now += any(&life, 10);
		do_something(&life);
		wf_arena_reset(life.arena);
	}
	if (life.store != NULL)
		dump_store(text, life.store);
	wf_store_close(&life.store);
	wf_store_close(&life.other);
	wf_arena_free(&life.arena);
}
