/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of records in memory: what a change costs to read, and what becomes of
 * two who write.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "persistence/record_cache.h"
#include "tests/unit/store_fixture.h"
#include "work/handler.h"
#include "work/service.h"
#include "worklist/absences.h"
#include "worklist/deputies.h"
#include "worklist/listeners.h"
#include "worklist/piles.h"

#define NOW INT64_C(1000000000000)
#define HOUR INT64_C(3600000)
#define MANY 10000U
/* Records that one change may cost: what is changed, and what belongs to it. */
#define FEW 3U

/* --- a kind of these tests ------------------------------------------------ */

/* The value of its record is "COLOUR SIZE". */
struct thing {
	const char *name;
	const char *colour;
	const char *size;
};

static bool read_thing(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct thing *thing = entry;
	char *text = wf_arena_strndup(arena, row->value.data, row->value.size);
	char *space = strchr(text, ' ');

	if (space == NULL)
		return false;
	*space = '\0';
	*thing = (struct thing){ wf_arena_strdup(arena, row->name), text,
		space + 1 };
	return true;
}

static void copy_thing(const void *from, void *to, struct wf_arena *arena)
{
	const struct thing *thing = from;

	*(struct thing *)to =
	    (struct thing){ wf_arena_strdup(arena, thing->name),
		    wf_arena_strdup(arena, thing->colour),
		    wf_arena_strdup(arena, thing->size) };
}

enum { BY_COLOUR, BY_SIZE };

static const struct wf_record_kind things = { .kind = "thing",
	.size = sizeof(struct thing),
	.read = read_thing,
	.copy = copy_thing,
	.keys = { [BY_COLOUR] = offsetof(struct thing, colour),
	    [BY_SIZE] = offsetof(struct thing, size) },
	.key_count = 2 };

/* text NULL: a removal. */
static struct wf_record_row row_of(
    const char *name, const char *text, uint64_t change)
{
	return (struct wf_record_row){ .kind = "thing",
		.name = name,
		.value = { text, text == NULL ? 0 : strlen(text) },
		.change = change };
}

static void write_thing(
    struct store_fixture *f, const char *name, const char *text)
{
	const struct wf_record_row row = row_of(name, text, 0);

	OK(wf_store_put_record(f->other, &row, &f->err));
}

/* --- as the store has them ------------------------------------------------ */

static void compare_choice(struct store_fixture *f,
    struct wf_record_cache *cache, struct wf_record_cache *fresh,
    const struct wf_record_choice *choice)
{
	size_t count;
	size_t expected;
	const struct thing *rows =
	    wf_record_cache_choose(cache, choice, f->arena, &count);
	const struct thing *others =
	    wf_record_cache_choose(fresh, choice, f->arena, &expected);

	CU_ASSERT_EQUAL_FATAL(count, expected);
	CU_ASSERT_EQUAL(wf_record_cache_count(cache, choice), count);
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_STRING_EQUAL(rows[i].name, others[i].name);
		CU_ASSERT_STRING_EQUAL(rows[i].colour, others[i].colour);
		CU_ASSERT_STRING_EQUAL(rows[i].size, others[i].size);
	}
}

/* With one that has read all. */
static void compare_with_store(
    struct store_fixture *f, struct wf_record_cache *cache)
{
	static const char *const texts[] = { "red", "blue", "small", "large" };
	struct wf_record_cache *fresh = wf_record_cache_new(&things);
	struct wf_record_choice choice = { .text = NULL };

	OK(wf_record_cache_refresh(cache, f->store, &f->err));
	OK(wf_record_cache_refresh(fresh, f->other, &f->err));
	compare_choice(f, cache, fresh, &choice);
	for (unsigned i = 0; i < 4; i++) {
		choice.key = i < 2 ? BY_COLOUR : BY_SIZE;
		choice.text = texts[i];
		compare_choice(f, cache, fresh, &choice);
	}
	wf_record_cache_free(&fresh);
	wf_arena_reset(f->arena);
}

/* Things come, change, go and are damaged. */
static void write_some(
    struct store_fixture *f, struct wf_random *random, unsigned names)
{
	static const char *const texts[] = { "red small", "red large",
		"blue small", "blue large", " small", "damaged", NULL };
	struct wf_record_row *rows =
	    wf_arena_array(f->arena, names, sizeof(*rows));
	size_t count = 0;

	for (unsigned i = 0; i < names; i++)
		if (wf_random_below(random, 2) == 0)
			rows[count++] =
			    row_of(wf_arena_printf(f->arena, "t%u", i),
				texts[wf_random_below(random, 7)], 0);
	if (count > 0)
		OK(wf_store_put_records(
		    f->other, rows, count, 0, NULL, &f->err));
}

static void check_alike(struct store_fixture *f)
{
	struct wf_record_cache *cache = wf_record_cache_new(&things);
	struct wf_random random = { 16 };
	uint64_t version;

	CU_ASSERT_EQUAL(wf_record_cache_version(cache), 0);
	compare_with_store(f, cache);
	/* So often that what is not in use any more goes, too. */
	for (unsigned i = 0; i < 20; i++) {
		write_some(f, &random, 300);
		compare_with_store(f, cache);
	}
	/* And so many at once that they are put into a copy. */
	for (unsigned i = 0; i < 3; i++) {
		write_some(f, &random, 4000);
		compare_with_store(f, cache);
	}
	version = wf_record_cache_version(cache);
	compare_with_store(f, cache);
	CU_ASSERT_EQUAL(wf_record_cache_version(cache), version);
	wf_record_cache_free(&cache);
}

static void test_alike(void)
{
	store_on_each(check_alike);
}

static bool count_call(void *context, const void *entry)
{
	(void)entry;
	++*(unsigned *)context;
	return true;
}

/* Whoever chooses examines each entry once. */
static void check_choosing(struct store_fixture *f)
{
	struct wf_record_cache *cache = wf_record_cache_new(&things);
	unsigned calls = 0;
	const struct wf_record_choice choice = { .fits = count_call,
		.context = &calls };
	size_t count;

	write_thing(f, "one", "red small");
	write_thing(f, "two", "red large");
	OK(wf_record_cache_refresh(cache, f->store, &f->err));
	(void)wf_record_cache_choose(cache, &choice, f->arena, &count);
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT_EQUAL(calls, 2);
	wf_record_cache_free(&cache);
}

static void test_choosing(void)
{
	store_on_each(check_choosing);
}

/* A reader that was away for long reads all: removals are not known then. */
static void check_behind(struct store_fixture *f)
{
	struct wf_record_cache *cache = wf_record_cache_new(&things);

	write_thing(f, "stays", "red small");
	write_thing(f, "goes", "red small");
	compare_with_store(f, cache);
	write_thing(f, "goes", NULL);
	for (unsigned i = 0; i <= WF_RECORD_CHANGES_KEPT; i++)
		write_thing(
		    f, "stays", i % 2 == 0 ? "blue large" : "red large");
	compare_with_store(f, cache);
	CU_ASSERT_EQUAL(
	    wf_record_cache_change(cache, 0, "goes"), WF_RECORD_NEW);
	wf_record_cache_free(&cache);
}

static void test_behind(void)
{
	store_on_each(check_behind);
}

/* --- editing -------------------------------------------------------------- */

/* Adds a mark to the colour; others write meanwhile. */
struct marking {
	struct store_fixture *f;
	struct wf_record_cache *cache;
	const char *name; /* of what others write */
	bool head;	  /* they write alone */
	uint64_t change;
	unsigned others; /* how often they are first */
	unsigned calls;
	bool alone;
};

/* As another node does; alone: with the head. */
static void write_other(
    struct store_fixture *f, const char *name, const char *text, bool alone)
{
	const struct wf_record_row rows[] = { row_of(name, text, 0),
		wf_record_head("thing") };

	OK(wf_store_put_records(
	    f->other, rows, alone ? 2 : 1, 0, NULL, &f->err));
}

static enum wf_rc mark(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct marking *marking = context;
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));
	struct thing thing = { .colour = "red", .size = "small" };

	(void)err;
	(void)wf_record_cache_find(marking->cache, 0, "one", arena, &thing);
	*row = row_of("one",
	    wf_arena_printf(arena, "%sx %s", thing.colour, thing.size),
	    wf_record_cache_change(marking->cache, 0, "one"));
	*edit =
	    (struct wf_record_edit){ row, 1, marking->alone, &marking->change };
	if (marking->calls++ < marking->others)
		write_other(marking->f, marking->name,
		    marking->calls % 2 == 0 ? "blue small" : "green large",
		    marking->head);
	return WF_OK;
}

static void expect_thing(struct store_fixture *f, struct marking *marking,
    unsigned calls, const char *colour)
{
	struct thing thing = { .colour = "" };

	CU_ASSERT_EQUAL(marking->calls, calls);
	CU_ASSERT_TRUE(
	    wf_record_cache_find(marking->cache, 0, "one", f->arena, &thing));
	CU_ASSERT_STRING_EQUAL(thing.colour, colour);
	CU_ASSERT_EQUAL(
	    wf_record_cache_change(marking->cache, 0, "one"), marking->change);
	marking->calls = 0;
}

static void check_editing(struct store_fixture *f)
{
	struct marking marking = { .f = f,
		.cache = wf_record_cache_new(&things),
		.name = "one",
		.others = 2 };

	/* What others wrote is changed, not replaced. */
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 3, "bluex");
	/* Another record does not matter, .. */
	marking.name = "two";
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 1, "bluexx");
	/* .. unless both decisions depend on others. */
	marking.alone = true;
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 1, "bluexxx");
	marking.head = true;
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 3, "bluexxxx");
	/* Not for ever. */
	marking.others = 1000;
	REFUSED(f, WF_UNAVAILABLE,
	    wf_record_cache_edit(
		marking.cache, f->store, mark, &marking, &f->err));
	CU_ASSERT_TRUE(marking.calls > 1 && marking.calls < 1000);
	/* A damaged record can be written, and is none before. */
	write_thing(f, "one", "damaged");
	marking.calls = marking.others = 0;
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 1, "redx");
	wf_record_cache_free(&marking.cache);
}

static void test_editing(void)
{
	store_on_each(check_editing);
}

/* The head is an entry of nobody. */
static void check_head(struct store_fixture *f)
{
	struct marking marking = {
		.f = f, .cache = wf_record_cache_new(&things), .alone = true
	};
	struct wf_record_cache *fresh = wf_record_cache_new(&things);
	const struct wf_record_choice all = { .text = NULL };
	struct thing thing;

	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	OK(wf_record_cache_refresh(fresh, f->other, &f->err));
	CU_ASSERT_EQUAL(wf_record_cache_count(marking.cache, &all), 1);
	CU_ASSERT_EQUAL(wf_record_cache_count(fresh, &all), 1);
	CU_ASSERT_FALSE(wf_record_cache_find(fresh, 0, "", f->arena, &thing));
	CU_ASSERT_EQUAL(wf_record_cache_change(fresh, 0, ""), marking.change);
	wf_record_cache_free(&marking.cache);
	wf_record_cache_free(&fresh);
}

static void test_head(void)
{
	store_on_each(check_head);
}

/* A statement of it fails, the n-th after it has decided. */
struct failing {
	struct marking marking;
	uint64_t n;
};

static enum wf_rc mark_and_fail(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct failing *failing = context;

	wf_store_fail_after(
	    failing->marking.f->store, failing->n, WF_FAULT_BEFORE);
	return mark(&failing->marking, arena, edit, err);
}

/* What was written is never said to have failed. */
static void check_failures(struct store_fixture *f)
{
	struct failing failing = { .marking = { .f = f,
				       .cache = wf_record_cache_new(&things),
				       .alone = true } };
	struct wf_record_row row;
	uint64_t faults = 0;
	uint64_t before;
	bool after_it = false;
	enum wf_rc rc;

	write_thing(f, "one", "red small");
	do {
		OK(wf_store_record(
		    f->other, 0, "thing", "one", f->arena, &row, &f->err));
		before = row.change;
		faults = wf_store_faults(f->store);
		failing.n++;
		rc = wf_record_cache_edit(failing.marking.cache, f->store,
		    mark_and_fail, &failing, &f->err);
		wf_store_fail_after(f->store, 0, WF_FAULT_BEFORE);
		OK(wf_store_record(
		    f->other, 0, "thing", "one", f->arena, &row, &f->err));
		CU_ASSERT_EQUAL(rc == WF_OK, row.change > before);
		faults = wf_store_faults(f->store) - faults;
		after_it |= rc == WF_OK && faults > 0;
		wf_error_clear(&f->err);
	} while (faults > 0);
	/* Also the reading that comes last has failed. */
	CU_ASSERT_TRUE(after_it);
	wf_record_cache_free(&failing.marking.cache);
}

static void test_failures(void)
{
	store_on_each(check_failures);
}

/* --- threads -------------------------------------------------------------- */

#define THREADS 4U

/* Who reads a record of things waits here. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool closed;
	bool reached;
} gate = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.opened = PTHREAD_COND_INITIALIZER };

static bool read_at_gate(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	pthread_mutex_lock(&gate.lock);
	gate.reached = true;
	while (gate.closed)
		pthread_cond_wait(&gate.opened, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
	return read_thing(row, entry, arena);
}

static bool gate_is_reached(void)
{
	bool reached;

	pthread_mutex_lock(&gate.lock);
	reached = gate.reached;
	pthread_mutex_unlock(&gate.lock);
	return reached;
}

static void set_gate(bool closed)
{
	pthread_mutex_lock(&gate.lock);
	gate.closed = closed;
	gate.reached = false;
	pthread_cond_broadcast(&gate.opened);
	pthread_mutex_unlock(&gate.lock);
}

/* One thread that refreshes, with its own handle. */
struct refreshing {
	struct wf_record_cache *cache;
	struct wf_store *store;
	struct wf_error err;
	enum wf_rc rc;
};

static void *refresh(void *argument)
{
	struct refreshing *one = argument;

	one->rc = wf_record_cache_refresh(one->cache, one->store, &one->err);
	return NULL;
}

/*
 * While one reads, the others ask; the reading that they share has begun after
 * that.  fails: that one does.
 */
static void check_turns(struct store_fixture *f, bool fails)
{
	static const struct wf_record_kind gated = { .kind = "thing",
		.size = sizeof(struct thing),
		.read = read_at_gate,
		.copy = copy_thing };
	struct wf_record_cache *cache = wf_record_cache_new(&gated);
	struct refreshing ones[THREADS + 1];
	pthread_t threads[THREADS + 1];
	struct thing thing;
	uint64_t statements = 0;
	uint64_t faults = 0;

	write_thing(f, "one", "red small");
	set_gate(true);
	for (unsigned i = 0; i <= THREADS; i++) {
		ones[i] = (struct refreshing){ .cache = cache,
			.store = store_open(f->url, 0) };
		if (i > 0 && fails)
			wf_store_fail_after(ones[i].store, 1, WF_FAULT_BEFORE);
		if (i > 0)
			statements -= wf_store_statements(ones[i].store);
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&threads[i], NULL, refresh, &ones[i]), 0);
		while (i == 0 && !gate_is_reached())
			sched_yield();
		/* It is not in what the first one reads. */
		if (i == 0)
			write_thing(f, "two", "blue small");
	}
	while (wf_record_cache_waiting(cache) < THREADS)
		sched_yield();
	set_gate(false);
	for (unsigned i = 0; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
	CU_ASSERT_EQUAL(ones[0].rc, WF_OK);
	for (unsigned i = 1; i <= THREADS; i++) {
		CU_ASSERT_EQUAL(ones[i].rc, fails ? WF_IO : WF_OK);
		CU_ASSERT_EQUAL(ones[i].err.message[0] != '\0', fails);
		statements += wf_store_statements(ones[i].store);
		faults += wf_store_faults(ones[i].store);
	}
	CU_ASSERT_EQUAL(faults, fails);
	CU_ASSERT_EQUAL(
	    wf_record_cache_find(cache, 0, "two", f->arena, &thing), !fails);
	/* Of one reading: as many as one more costs. */
	if (!fails) {
		write_thing(f, "three", "blue small");
		statements += wf_store_statements(f->store);
		OK(wf_record_cache_refresh(cache, f->store, &f->err));
		statements -= wf_store_statements(f->store);
		CU_ASSERT_EQUAL(statements, 0);
	}
	for (unsigned i = 0; i <= THREADS; i++)
		wf_store_close(&ones[i].store);
	wf_record_cache_free(&cache);
}

static void check_shared(struct store_fixture *f)
{
	check_turns(f, false);
}

static void check_shared_failure(struct store_fixture *f)
{
	check_turns(f, true);
}

static void test_shared(void)
{
	store_on_each(check_shared);
	store_on_each(check_shared_failure);
}

#define EDITS 40U

/* A thread that edits, refreshes or asks until the editors are done. */
struct worker {
	struct refreshing refreshing;
	atomic_uint *editors; /* that are at work */
	const char *name;     /* of its record; NULL: it does not edit */
	unsigned edits;
	bool bad;
};

/* Counts in the size; no two editors may see the same sum. */
static enum wf_rc count_up(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	const struct worker *worker = context;
	struct wf_record_cache *cache = worker->refreshing.cache;
	const struct wf_record_choice all = { .text = NULL };
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));
	size_t count;
	uint64_t change = wf_record_cache_change(cache, 0, worker->name);
	const struct thing *rows =
	    wf_record_cache_choose(cache, &all, arena, &count);
	unsigned long most = 0;

	(void)err;
	for (size_t i = 0; i < count; i++)
		if (strtoul(rows[i].size, NULL, 10) > most)
			most = strtoul(rows[i].size, NULL, 10);
	*row = row_of(
	    worker->name, wf_arena_printf(arena, "red %lu", most + 1), change);
	*edit =
	    (struct wf_record_edit){ .rows = row, .count = 1, .alone = true };
	return WF_OK;
}

static void *edit_often(void *argument)
{
	struct worker *worker = argument;
	struct refreshing *r = &worker->refreshing;

	for (unsigned i = 0; i < EDITS && r->rc == WF_OK; i++) {
		r->rc = wf_record_cache_edit(
		    r->cache, r->store, count_up, worker, &r->err);
		worker->edits += r->rc == WF_OK;
	}
	atomic_fetch_sub(worker->editors, 1);
	return NULL;
}

static void *refresh_often(void *argument)
{
	struct worker *worker = argument;
	struct refreshing *r = &worker->refreshing;

	while (atomic_load(worker->editors) > 0 && r->rc == WF_OK)
		r->rc = wf_record_cache_refresh(r->cache, r->store, &r->err);
	return NULL;
}

static void *ask_often(void *argument)
{
	struct worker *worker = argument;
	const struct wf_record_choice red = { BY_COLOUR, "red", NULL, NULL };
	struct wf_arena *arena = wf_arena_new();
	struct thing thing;
	size_t count;

	while (atomic_load(worker->editors) > 0) {
		(void)wf_record_cache_choose(
		    worker->refreshing.cache, &red, arena, &count);
		worker->bad |= count > 2;
		(void)wf_record_cache_find(
		    worker->refreshing.cache, 0, "a", arena, &thing);
		wf_arena_reset(arena);
	}
	wf_arena_free(&arena);
	return NULL;
}

static void check_threads(struct store_fixture *f)
{
	static void *(*const works[THREADS])(
	    void *) = { edit_often, edit_often, refresh_often, ask_often };
	static const char *const names[THREADS] = { "a", "b", NULL, NULL };
	struct wf_record_cache *cache = wf_record_cache_new(&things);
	atomic_uint editors = 2;
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	struct thing a = { .size = "" };
	struct thing b = { .size = "" };
	unsigned long sizes[2];

	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] =
		    (struct worker){ .refreshing = { .cache = cache,
					 .store = store_open(f->url, 0) },
			    .editors = &editors,
			    .name = names[i] };
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&threads[i], NULL, works[i], &workers[i]),
		    0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CU_ASSERT_EQUAL(workers[i].refreshing.rc, WF_OK);
		CU_ASSERT_FALSE(workers[i].bad);
		wf_store_close(&workers[i].refreshing.store);
	}
	CU_ASSERT_EQUAL(workers[0].edits + workers[1].edits, 2 * EDITS);
	/* Each edit has seen those before it: the last one is the sum. */
	CU_ASSERT_TRUE(wf_record_cache_find(cache, 0, "a", f->arena, &a));
	CU_ASSERT_TRUE(wf_record_cache_find(cache, 0, "b", f->arena, &b));
	sizes[0] = strtoul(a.size, NULL, 10);
	sizes[1] = strtoul(b.size, NULL, 10);
	CU_ASSERT_EQUAL(sizes[0] > sizes[1] ? sizes[0] : sizes[1], 2 * EDITS);
	compare_with_store(f, cache);
	wf_record_cache_free(&cache);
}

static void test_threads(void)
{
	store_on_each(check_threads);
}

/* --- what a change costs -------------------------------------------------- */

/* Writes MANY records of a kind; value: of the i-th, in the arena. */
static void fill(struct store_fixture *f, uint32_t namespace_id,
    const char *kind, struct wf_bytes (*value)(struct wf_arena *, unsigned))
{
	struct wf_record_row *rows =
	    wf_arena_array(f->arena, MANY, sizeof(*rows));

	for (unsigned i = 0; i < MANY; i++)
		rows[i] = (struct wf_record_row){ .namespace_id = namespace_id,
			.kind = kind,
			.name = wf_arena_printf(f->arena, "%u", i + 1),
			.value = value(f->arena, i) };
	OK(wf_store_put_records(f->store, rows, MANY, 0, NULL, &f->err));
}

static struct wf_bytes bytes_of(const char *text)
{
	return (struct wf_bytes){ text, strlen(text) };
}

static struct wf_bytes absence_value(struct wf_arena *arena, unsigned i)
{
	return bytes_of(wf_arena_printf(arena,
	    "{\"resource\":\"P%u\",\"from\":%u,\"to\":%u,\"workload\":60,"
	    "\"agent\":\"a\",\"comment\":\"\"}",
	    i / 2, 1000 * i, 1000 * i + 900));
}

static void check_absences(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct wf_absence one = { .resource = "P0",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 100,
		.agent = "x",
		.comment = "" };
	struct wf_absence found;
	uint64_t reads;

	fill(f, 0, "absence", absence_value);
	OK(wf_absences_refresh(here, f->store, &f->err));
	OK(wf_absences_refresh(there, f->other, &f->err));
	CU_ASSERT_EQUAL(wf_absences_reads(here), MANY);
	reads = wf_absences_reads(there);
	OK(wf_absence_put(there, f->other, &one, "x", &f->err));
	one.to += HOUR;
	OK(wf_absence_put(there, f->other, &one, "x", &f->err));
	OK(wf_absence_remove(there, f->other, 7, "x", &f->err));
	CU_ASSERT_TRUE(wf_absences_reads(there) <= reads + 3 * FEW);
	OK(wf_absences_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_absences_reads(here) <= MANY + FEW);
	CU_ASSERT_EQUAL(
	    wf_absences_of(here, "P0", 0, INT64_MAX, f->arena).count, 3);
	CU_ASSERT_TRUE(wf_absence_find(here, one.id, f->arena, &found));
	CU_ASSERT_EQUAL(found.to, NOW + 2 * HOUR);
	CU_ASSERT_EQUAL(
	    wf_absences_of(here, "P3", 0, INT64_MAX, f->arena).count, 1);
	wf_absences_free(&here);
	wf_absences_free(&there);
}

static struct wf_bytes deputy_value(struct wf_arena *arena, unsigned i)
{
	return bytes_of(wf_arena_printf(arena,
	    "{\"person\":\"P%u\",\"deputy\":\"D%u\",\"from\":%u,\"to\":"
	    "2000000000000,\"processes\":[],\"agent\":\"a\",\"comment\":\"\"}",
	    i / 2, i / 3, i));
}

static void check_deputies(struct store_fixture *f)
{
	struct wf_deputies *here = wf_deputies_new();
	struct wf_deputies *there = wf_deputies_new();
	struct wf_deputy one = { .person = "P0",
		.deputy = "D0",
		.from = NOW,
		.to = NOW + HOUR,
		.agent = "x",
		.comment = "" };
	uint64_t reads;

	fill(f, 0, "deputy", deputy_value);
	OK(wf_deputies_refresh(here, f->store, &f->err));
	OK(wf_deputies_refresh(there, f->other, &f->err));
	reads = wf_deputies_reads(there);
	OK(wf_deputy_put(there, f->other, &one, NOW, &f->err));
	OK(wf_deputy_remove(there, f->other, 7, &f->err));
	CU_ASSERT_TRUE(wf_deputies_reads(there) <= reads + 2 * FEW);
	OK(wf_deputies_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_deputies_reads(here) <= MANY + FEW);
	CU_ASSERT_EQUAL(wf_deputies_of(here, "P0", NOW, f->arena).count, 3);
	CU_ASSERT_EQUAL(wf_deputies_of(here, "P3", NOW, f->arena).count, 1);
	CU_ASSERT_EQUAL(
	    wf_deputies_by(here, "D0", NOW, false, f->arena).count, 4);
	CU_ASSERT_EQUAL(
	    wf_deputies_by(here, "D2", NOW, false, f->arena).count, 2);
	wf_deputies_free(&here);
	wf_deputies_free(&there);
}

static struct wf_bytes pile_value(struct wf_arena *arena, unsigned i)
{
	return bytes_of(wf_arena_printf(arena,
	    "{\"specification\":\"S%u\",\"version\":\"0.1\",\"task\":\"T\","
	    "\"participant\":\"P%u\"}",
	    i, i / 2));
}

static void check_piles(struct store_fixture *f)
{
	struct wf_piles *here = wf_piles_new();
	struct wf_piles *there = wf_piles_new();
	struct wf_pile pile = { "UID_1", "0.1", "T", "P0" };
	uint64_t reads;
	uint64_t added;

	fill(f, 0, "pile", pile_value);
	OK(wf_piles_refresh(here, f->store, &f->err));
	OK(wf_piles_refresh(there, f->other, &f->err));
	reads = wf_piles_reads(there);
	OK(wf_pile_put(there, f->other, &pile, &added, &f->err));
	OK(wf_piles_refresh(here, f->store, &f->err));
	CU_ASSERT_EQUAL(wf_piles_of(here, "P0", f->arena).count, 3);
	OK(wf_pile_remove(there, f->other, &pile, &f->err));
	CU_ASSERT_TRUE(wf_piles_reads(there) <= reads + 2 * FEW);
	OK(wf_piles_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_piles_reads(here) <= MANY + FEW);
	CU_ASSERT_EQUAL(wf_piles_of(here, "P0", f->arena).count, 2);
	wf_piles_free(&here);
	wf_piles_free(&there);
}

/* Of a service that was written as services are; all have its URI. */
static struct wf_bytes sample;

static struct wf_bytes sample_value(struct wf_arena *arena, unsigned i)
{
	(void)arena;
	(void)i;
	return sample;
}

static void read_sample(struct store_fixture *f, uint32_t namespace_id,
    const char *kind, const char *name)
{
	struct wf_record_row row;

	OK(wf_store_record(
	    f->store, namespace_id, kind, name, f->arena, &row, &f->err));
	sample = row.value;
}

static struct wf_service service_of(const char *name, const char *uri)
{
	return (struct wf_service){ .namespace_id = 1,
		.name = name,
		.uri = uri,
		.kind = &wf_pull_handler,
		.secret = "",
		.address = "",
		.documentation = "",
		.policy = WF_SERVICE_POLICY_DEFAULT };
}

static void check_services(struct store_fixture *f)
{
	const struct wf_service one = service_of("one", "urn:one");
	const struct wf_service other = service_of("other", "urn:other");
	const struct wf_service double_one = service_of("double", "urn:one");
	const struct wf_service_set *set;
	struct wf_services *here;
	struct wf_services *there;
	uint64_t opened;
	uint64_t reads;

	wf_service_kinds_add_own();
	OK(wf_service_put(f->store, &other, &f->err));
	read_sample(f, 1, "service", "other");
	OK(wf_service_remove(f->store, 1, "other", &f->err));
	fill(f, 1, "service", sample_value);
	OK(wf_services_open(&here, f->store, &f->err));
	OK(wf_services_open(&there, f->other, &f->err));
	opened = wf_services_reads(here);
	reads = wf_services_reads(there);
	OK(wf_services_put(there, f->other, &one, &f->err));
	OK(wf_service_remove(f->other, 1, "7", &f->err));
	/* The other node has not seen it yet, and still refuses. */
	REFUSED(f, WF_CONFLICT,
	    wf_services_put(here, f->store, &double_one, &f->err));
	OK(wf_services_refresh(here, f->store, &f->err));
	OK(wf_services_refresh(there, f->other, &f->err));
	CU_ASSERT_TRUE(wf_services_reads(there) <= reads + 2 * FEW);
	CU_ASSERT_TRUE(wf_services_reads(here) <= opened + FEW);
	set = wf_services_hold(here);
	CU_ASSERT_EQUAL(set->count, MANY);
	CU_ASSERT_PTR_NOT_NULL(wf_service_by_name(set, 1, "one"));
	CU_ASSERT_PTR_NULL(wf_service_by_name(set, 1, "7"));
	CU_ASSERT_PTR_NOT_NULL(wf_service_by_uri(set, 1, "urn:one"));
	wf_services_let_go(here, set);
	wf_services_close(&here);
	wf_services_close(&there);
}

/* There are few listeners, but a thousand news may wait. */
static void check_news(struct store_fixture *f)
{
	struct wf_listeners *here = wf_listeners_new();
	struct wf_absences *absences = wf_absences_new();
	struct wf_absence one = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 100,
		.agent = "x",
		.comment = "" };
	struct wf_status_news *news;
	size_t count;

	OK(wf_listener_add(
	    f->store, WF_LISTENER_OF_CALENDAR, "http://a/", "y", &f->err));
	OK(wf_absence_put(absences, f->store, &one, "x", &f->err));
	OK(wf_listeners_refresh(here, f->store, &f->err));
	news = wf_status_news_of(here, NULL, f->arena, &count);
	CU_ASSERT_EQUAL_FATAL(count, 1);
	read_sample(f, 0, "status-news", news[0].name);
	fill(f, 0, "status-news", sample_value);
	OK(wf_listeners_refresh(here, f->store, &f->err));
	OK(wf_status_news_remove(f->other, "7", &f->err));
	OK(wf_listener_add(
	    f->other, WF_LISTENER_OF_WORK, "http://b/", "y", &f->err));
	OK(wf_listeners_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_listeners_reads(here) <= MANY + 2 + 2 * FEW);
	CU_ASSERT_EQUAL(wf_listeners_all(here, f->arena).count, 2);
	(void)wf_status_news_of(here, news[0].listener, f->arena, &count);
	CU_ASSERT_EQUAL(count, MANY);
	wf_absences_free(&absences);
	wf_listeners_free(&here);
}

/* A service that is so already is not written again. */
static void check_same_service(struct store_fixture *f)
{
	struct wf_service one = service_of("one", "urn:one");
	uint64_t before;
	uint64_t change;

	wf_service_kinds_add_own();
	OK(wf_service_put(f->store, &one, &f->err));
	OK(wf_store_change(f->store, &before, &f->err));
	OK(wf_service_put(f->other, &one, &f->err));
	OK(wf_store_change(f->store, &change, &f->err));
	CU_ASSERT_EQUAL(change, before);
	one.documentation = "another";
	OK(wf_service_put(f->other, &one, &f->err));
	OK(wf_store_change(f->store, &change, &f->err));
	CU_ASSERT_TRUE(change > before);
}

static void test_same_service(void)
{
	store_on_each(check_same_service);
}

static void test_absences(void)
{
	store_on_each(check_absences);
}

static void test_deputies(void)
{
	store_on_each(check_deputies);
}

static void test_piles(void)
{
	store_on_each(check_piles);
}

static void test_services(void)
{
	store_on_each(check_services);
}

static void test_news(void)
{
	store_on_each(check_news);
}

/* --- two who write -------------------------------------------------------- */

/* Each adds its letter to the comment; the other one is first. */
struct commenting {
	struct store_fixture *f;
	struct wf_absences *other;
	struct wf_absences *here;
	uint64_t id;
	char text[8];
	unsigned calls;
};

static void add_letter(void *context, struct wf_absence *absence)
{
	char *text = context;

	snprintf(text, 8, "%.5sb", absence->comment);
	absence->comment = text;
}

static void add_late(void *context, struct wf_absence *absence)
{
	struct commenting *commenting = context;
	struct store_fixture *f = commenting->f;
	char text[8];

	snprintf(commenting->text, sizeof(commenting->text), "%.5sa",
	    absence->comment);
	absence->comment = commenting->text;
	if (commenting->calls++ == 0)
		OK(wf_absence_edit(commenting->other, f->other, commenting->id,
		    add_letter, text, "x", &f->err));
}

/* Others change it, and this node reads that before it writes. */
static void add_read_late(void *context, struct wf_absence *absence)
{
	struct commenting *commenting = context;
	struct store_fixture *f = commenting->f;
	bool first = commenting->calls == 0;

	add_late(context, absence);
	if (first)
		OK(wf_absences_refresh(commenting->here, f->store, &f->err));
}

static void check_read_meanwhile(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct commenting commenting = { .f = f, .other = there, .here = here };
	struct wf_absence one = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 60,
		.agent = "x",
		.comment = "" };

	OK(wf_absence_put(here, f->store, &one, "x", &f->err));
	commenting.id = one.id;
	OK(wf_absence_edit(
	    here, f->store, one.id, add_read_late, &commenting, "x", &f->err));
	CU_ASSERT_EQUAL(commenting.calls, 2);
	CU_ASSERT_TRUE(wf_absence_find(here, one.id, f->arena, &one));
	CU_ASSERT_STRING_EQUAL(one.comment, "ba");
	wf_absences_free(&here);
	wf_absences_free(&there);
}

static void test_read_meanwhile(void)
{
	store_on_each(check_read_meanwhile);
}

static uint64_t change_of_absences(struct store_fixture *f)
{
	struct wf_record_row row;

	OK(wf_store_record(
	    f->other, 0, "absence", "", f->arena, &row, &f->err));
	return row.change;
}

/* Entries that are being changed are decided again: somebody listens. */
static void check_new_listener(struct store_fixture *f)
{
	struct wf_absences *absences = wf_absences_new();
	struct wf_absence one = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 60,
		.agent = "x",
		.comment = "" };
	uint64_t before;

	OK(wf_absence_put(absences, f->store, &one, "x", &f->err));
	before = change_of_absences(f);
	OK(wf_listener_add(
	    f->other, WF_LISTENER_OF_WORK, "http://a/", "y", &f->err));
	CU_ASSERT_EQUAL(change_of_absences(f), before);
	OK(wf_listener_add(
	    f->other, WF_LISTENER_OF_CALENDAR, "http://a/", "y", &f->err));
	CU_ASSERT_TRUE(change_of_absences(f) > before);
	wf_absences_free(&absences);
}

static void test_new_listener(void)
{
	store_on_each(check_new_listener);
}

static void check_two_absences(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct commenting commenting = { .f = f, .other = there };
	struct wf_absence one = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 60,
		.agent = "x",
		.comment = "" };
	struct wf_absence old;
	struct wf_absence late;
	char text[8];

	OK(wf_absence_put(here, f->store, &one, "x", &f->err));
	OK(wf_absences_refresh(there, f->other, &f->err));
	/* Both are kept. */
	commenting.id = one.id;
	OK(wf_absence_edit(
	    here, f->store, one.id, add_late, &commenting, "x", &f->err));
	CU_ASSERT_EQUAL(commenting.calls, 2);
	CU_ASSERT_TRUE(wf_absence_find(here, one.id, f->arena, &one));
	CU_ASSERT_STRING_EQUAL(one.comment, "ba");
	/* One that was decided from an old version is not written. */
	CU_ASSERT_TRUE(wf_absence_find(there, one.id, f->arena, &old));
	CU_ASSERT_STRING_EQUAL(old.comment, "b");
	old.workload = 10;
	REFUSED(f, WF_CONFLICT,
	    wf_absence_put(there, f->other, &old, "x", &f->err));
	CU_ASSERT_TRUE(wf_absence_find(there, one.id, f->arena, &late));
	CU_ASSERT_STRING_EQUAL(late.comment, "ba");
	CU_ASSERT_EQUAL(late.workload, 60);
	late.workload = 10;
	OK(wf_absence_put(there, f->other, &late, "x", &f->err));
	/* Nor one of an entry that went. */
	OK(wf_absence_remove(there, f->other, one.id, "x", &f->err));
	REFUSED(
	    f, WF_CONFLICT, wf_absence_put(here, f->store, &one, "x", &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_absence_edit(
		here, f->store, one.id, add_letter, text, "x", &f->err));
	CU_ASSERT_EQUAL(
	    wf_absences_of(here, "ann", 0, INT64_MAX, f->arena).count, 0);
	wf_absences_free(&here);
	wf_absences_free(&there);
}

static void test_two_absences(void)
{
	store_on_each(check_two_absences);
}

/* The limits hold for both together, though neither has seen the other. */
static void check_two_limits(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct wf_absence half = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 60,
		.agent = "x",
		.comment = "" };
	struct wf_absence other = half;
	struct wf_deputies *one_node = wf_deputies_new();
	struct wf_deputies *other_node = wf_deputies_new();

	OK(wf_absence_put(here, f->store, &half, "x", &f->err));
	REFUSED(f, WF_CONFLICT,
	    wf_absence_put(there, f->other, &other, "x", &f->err));
	for (unsigned i = 0; i <= WF_DEPUTIES; i++) {
		struct wf_deputy row = { .person = "ann",
			.deputy = wf_arena_printf(f->arena, "d%u", i),
			.from = NOW,
			.to = NOW + HOUR,
			.agent = "x",
			.comment = "" };
		enum wf_rc rc =
		    wf_deputy_put(i % 2 == 0 ? one_node : other_node,
			i % 2 == 0 ? f->store : f->other, &row, NOW, &f->err);

		CU_ASSERT_EQUAL(rc, i < WF_DEPUTIES ? WF_OK : WF_LIMIT);
		wf_error_clear(&f->err);
	}
	wf_absences_free(&here);
	wf_absences_free(&there);
	wf_deputies_free(&one_node);
	wf_deputies_free(&other_node);
}

static void test_two_limits(void)
{
	store_on_each(check_two_limits);
}

static void check_two_deputies(struct store_fixture *f)
{
	struct wf_deputies *here = wf_deputies_new();
	struct wf_deputies *there = wf_deputies_new();
	struct wf_deputy one = { .person = "ann",
		.deputy = "ben",
		.from = NOW,
		.to = NOW + HOUR,
		.agent = "x",
		.comment = "" };
	struct wf_deputy old;
	struct wf_deputy_list list;

	OK(wf_deputy_put(here, f->store, &one, NOW, &f->err));
	OK(wf_deputies_refresh(there, f->other, &f->err));
	CU_ASSERT_TRUE(wf_deputy_find(there, one.id, f->arena, &old));
	one.to += HOUR;
	OK(wf_deputy_put(here, f->store, &one, NOW, &f->err));
	old.comment = "holidays";
	REFUSED(
	    f, WF_CONFLICT, wf_deputy_put(there, f->other, &old, NOW, &f->err));
	CU_ASSERT_TRUE(wf_deputy_find(there, one.id, f->arena, &old));
	old.comment = "holidays";
	OK(wf_deputy_put(there, f->other, &old, NOW, &f->err));
	OK(wf_deputies_refresh(here, f->store, &f->err));
	list = wf_deputies_of(here, "ann", NOW, f->arena);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].to, NOW + 2 * HOUR);
	CU_ASSERT_STRING_EQUAL(list.rows[0].comment, "holidays");
	/* What has ended goes with the next one, whoever has read it. */
	old = (struct wf_deputy){ .person = "ann",
		.deputy = "cara",
		.from = NOW + 3 * HOUR,
		.to = NOW + 5 * HOUR,
		.agent = "x",
		.comment = "" };
	OK(wf_deputy_put(there, f->other, &old, NOW + 4 * HOUR, &f->err));
	REFUSED(
	    f, WF_NOT_FOUND, wf_deputy_remove(here, f->store, one.id, &f->err));
	CU_ASSERT_EQUAL(
	    wf_deputies_of(here, "ann", INT64_MIN, f->arena).count, 1);
	wf_deputies_free(&here);
	wf_deputies_free(&there);
}

static void test_two_deputies(void)
{
	store_on_each(check_two_deputies);
}

CU_TestInfo wf_tests_record_cache[] = {
	{ "as the store has them", test_alike },
	{ "choosing", test_choosing },
	{ "a reader that was away", test_behind },
	{ "an edit that is not the first", test_editing },
	{ "the head", test_head },
	{ "statements of an edit that fail", test_failures },
	{ "a reading that is shared", test_shared },
	{ "threads", test_threads },
	{ "one of many absences", test_absences },
	{ "one of many deputies", test_deputies },
	{ "one of many piles", test_piles },
	{ "one of many services", test_services },
	{ "one of many news", test_news },
	{ "two who change an absence", test_two_absences },
	{ "one who reads meanwhile", test_read_meanwhile },
	{ "a listener that comes", test_new_listener },
	{ "a service as it is", test_same_service },
	{ "two who change a deputy", test_two_deputies },
	{ "limits that hold for both", test_two_limits },
	CU_TEST_INFO_NULL,
};
