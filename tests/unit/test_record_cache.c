/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind of records in memory: it is as the store has it, edits that are not
 * the first, statements that fail, threads.
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

CU_TestInfo wf_tests_record_cache[] = {
	{ "as the store has them", test_alike },
	{ "choosing", test_choosing },
	{ "a reader that was away", test_behind },
	{ "an edit that is not the first", test_editing },
	{ "the head", test_head },
	{ "statements of an edit that fail", test_failures },
	{ "a reading that is shared", test_shared },
	{ "threads", test_threads },
	CU_TEST_INFO_NULL,
};
