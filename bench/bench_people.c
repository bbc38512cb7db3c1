/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft bench people: what an item costs that is offered to a role, by the size
 * of the role; and how long a person's list takes among items that wait.
 *
 * The roles take turns, so that what else the machine does falls on all of
 * them.  A launch enables ten tasks, and the processor time of the engine is
 * what is compared; in memory nothing else is in it.
 *
 * With --allocate each case has one task, whose item goes to whoever of the
 * role has the fewest items (ShortestQueue), and one client launches: each
 * batch counts the items of all candidates for one item.
 *
 * The waiting items are written to the store without steps, 1,000 at a time, as
 * offers to AUDIENCES audiences.  The first reader is in all of these, the
 * second in 30, the third in one.
 */
#include "bench/bench_people.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/diagnostics.h"
#include "base/random.h"
#include "bench/bench.h"
#include "bench/bench_clients.h"
#include "bench/bench_latency.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "people/organisation/organisation.h"
#include "worklist/decisions.h"
#include "worklist/list.h"
#include "worklist/piles.h"

#define TASKS 10U /* that a launch enables */
#define ROUNDS 5U /* in which the roles take turns */
#define ROLES 3U
#define AUDIENCES 1000U
#define PAGE 50U    /* items of a list */
#define BATCH 1000U /* items that are written at once */

static const uint32_t seen_by[] = { AUDIENCES, 30, 1 };

#define READERS (sizeof(seen_by) / sizeof(seen_by[0]))

struct role {
	uint32_t people;
	uint64_t specification;
	uint64_t offers;
	double seconds;
	double processor; /* seconds of it */
};

struct bench {
	const char *url;
	uint32_t people;
	uint32_t cases; /* of each role */
	uint32_t items; /* that wait */
	uint32_t lists; /* that each reader reads */
	bool open;	/* the items are there */
	bool allocates;

	struct wf_arena *arena;
	struct wf_organisation *organisation;
	struct wf_audiences *audiences;
	struct wf_piles *piles;
	struct wf_decisions *decisions;
	struct wf_engine *engine;
	struct role roles[ROLES];
	struct wf_latency latency;
};

/* --- options -------------------------------------------------------------- */

static const struct wf_bench_place places[] = {
	{ WF_OPTION_BENCH_DB, WF_BENCH_TEXT, offsetof(struct bench, url) },
	{ WF_OPTION_BENCH_OPEN, WF_BENCH_FLAG, offsetof(struct bench, open) },
	{ WF_OPTION_BENCH_ALLOCATE, WF_BENCH_FLAG,
	    offsetof(struct bench, allocates) },
	{ WF_OPTION_BENCH_PEOPLE, WF_BENCH_NUMBER,
	    offsetof(struct bench, people) },
	{ WF_OPTION_BENCH_CASES, WF_BENCH_NUMBER,
	    offsetof(struct bench, cases) },
	{ WF_OPTION_BENCH_ITEMS, WF_BENCH_NUMBER,
	    offsetof(struct bench, items) },
	{ WF_OPTION_BENCH_LISTS, WF_BENCH_NUMBER,
	    offsetof(struct bench, lists) },
};

#define PLACES (sizeof(places) / sizeof(places[0]))

/* --- the organisation ----------------------------------------------------- */

static struct wf_org_change *put_record(
    struct wf_org_change *at, struct wf_org_record *record)
{
	*at = (struct wf_org_change){ record->kind, record->id, record };
	return at + 1;
}

/* Participant 7 is in each role of more than 7 people. */
static struct wf_org_record *make_participant(struct bench *bench, uint32_t i)
{
	struct wf_org_record *record = wf_org_record_new(bench->arena,
	    WF_ORG_PARTICIPANT, wf_arena_printf(bench->arena, "PA-%06u", i));
	struct wf_participant *participant = (struct wf_participant *)record;

	participant->user = wf_arena_printf(bench->arena, "user%u", i);
	for (uint32_t r = 0; r < ROLES; r++)
		if (i < bench->roles[r].people)
			wf_org_texts_add(bench->arena, &participant->roles,
			    wf_arena_printf(bench->arena, "RO-%u", r));
	return record;
}

static const char *reader_id(struct bench *bench, uint32_t reader)
{
	return wf_arena_printf(bench->arena, "PA-reader%u", reader);
}

static void make_organisation(struct bench *bench)
{
	struct wf_org_change *changes = wf_arena_array(bench->arena,
	    (size_t)bench->people + ROLES + READERS, sizeof(*changes));
	struct wf_org_change *at = changes;

	for (uint32_t r = 0; r < ROLES; r++) {
		struct wf_org_record *record = wf_org_record_new(bench->arena,
		    WF_ORG_ROLE, wf_arena_printf(bench->arena, "RO-%u", r));

		((struct wf_org_role *)record)->name =
		    wf_arena_printf(bench->arena, "role%u", r);
		at = put_record(at, record);
	}
	for (uint32_t i = 0; i < bench->people; i++)
		at = put_record(at, make_participant(bench, i));
	for (uint32_t i = 0; i < READERS; i++) {
		struct wf_org_record *record = wf_org_record_new(
		    bench->arena, WF_ORG_PARTICIPANT, reader_id(bench, i));

		((struct wf_participant *)record)->user = record->id;
		at = put_record(at, record);
	}
	bench->organisation =
	    wf_organisation_new(NULL, changes, (size_t)(at - changes), 1);
}

static struct wf_organisation *organisation_of(void *context)
{
	struct bench *bench = context;

	return wf_organisation_ref(bench->organisation);
}

/* --- the engine ----------------------------------------------------------- */

static enum wf_rc read_audiences(
    void *context, struct wf_store *store, struct wf_error *err)
{
	struct bench *bench = context;

	return wf_audiences_refresh(bench->audiences, store, err);
}

static enum wf_rc open_engine(struct bench *bench, struct wf_error *err)
{
	struct wf_decisions_settings decisions = { .context = bench,
		.organisation = organisation_of,
		.audiences = bench->audiences,
		.piles = bench->piles };
	struct wf_engine_settings settings;

	bench->decisions = wf_decisions_new(&decisions);
	wf_engine_settings_init(&settings);
	settings.url = bench->url;
	settings.flags |= WF_STORE_MIGRATE;
	settings.threads = true;
	settings.people = wf_decisions_people(bench->decisions);
	settings.context = bench;
	settings.prepare = read_audiences;
	return wf_engine_open(&bench->engine, &settings, err);
}

static uint32_t tasks_of(const struct bench *bench)
{
	return bench->allocates ? 1 : TASKS;
}

/*
 * A net whose launch enables the tasks, each offered to the role, or allocated
 * to one of it.
 */
static void write_net(
    const struct bench *bench, struct wf_buffer *text, uint32_t role)
{
	const char *allocate =
	    bench->allocates
		? "<allocate initiator=\"system\"><allocator>"
		  "<name>ShortestQueue</name></allocator></allocate>"
		: "<allocate initiator=\"user\"/>";

	wf_buffer_printf(text,
	    "<specificationSet version=\"4.0\" "
	    "xmlns=\"http://www.yawlfoundation.org/yawlschema\" "
	    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
	    "<specification uri=\"bench-people-%u\"><metaData>"
	    "<title>bench-people-%u</title><creator>weft</creator>"
	    "<version>0.1</version><identifier>UID_people_%u</identifier>"
	    "</metaData>"
	    "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>"
	    "<decomposition id=\"Net\" isRootNet=\"true\" "
	    "xsi:type=\"NetFactsType\"><processControlElements>"
	    "<inputCondition id=\"i\">",
	    role, role, role);
	for (uint32_t i = 1; i <= tasks_of(bench); i++)
		wf_buffer_printf(text,
		    "<flowsInto><nextElementRef id=\"T%u\"/></flowsInto>", i);
	wf_buffer_puts(text, "</inputCondition>");
	for (uint32_t i = 1; i <= tasks_of(bench); i++)
		wf_buffer_printf(text,
		    "<task id=\"T%u\"><flowsInto><nextElementRef id=\"o\"/>"
		    "</flowsInto><join code=\"xor\"/><split code=\"and\"/>"
		    "<resourcing><offer initiator=\"system\"><distributionSet>"
		    "<initialSet><role>RO-%u</role></initialSet>"
		    "</distributionSet></offer>%s"
		    "<start initiator=\"user\"/></resourcing>"
		    "<decomposesTo id=\"W\"/></task>",
		    i, role, allocate);
	wf_buffer_puts(text, "<outputCondition id=\"o\"/>"
			     "</processControlElements></decomposition>"
			     "<decomposition id=\"W\" "
			     "xsi:type=\"WebServiceGatewayFactsType\"/>"
			     "</specification></specificationSet>");
}

static enum wf_rc load_nets(struct bench *bench, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (uint32_t r = 0; rc == WF_OK && r < ROLES; r++) {
		struct wf_diagnostics *diagnostics =
		    wf_diagnostics_new("bench");
		struct wf_buffer text;
		size_t count;

		wf_buffer_init(&text, WF_SPEC_BYTES);
		write_net(bench, &text, r);
		rc = wf_engine_load(bench->engine, 0, wf_buffer_text(&text),
		    text.length, diagnostics, &bench->roles[r].specification, 1,
		    &count, err);
		if (rc != WF_OK)
			wf_diagnostics_print(diagnostics, stderr);
		wf_diagnostics_free(&diagnostics);
		wf_buffer_free(&text);
	}
	return rc;
}

/* --- offers --------------------------------------------------------------- */

/* Seconds of the processor that this process has used. */
static double processor_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static enum wf_rc launch(struct bench *bench, struct role *role, uint32_t cases,
    struct wf_error *err)
{
	struct wf_bench_load load = { .engine = bench->engine,
		.specification = role->specification,
		.launch_only = true,
		.clients = bench->allocates ? 1
			   : cases < 16	    ? cases
					    : 16,
		.cases = cases,
		.items = UINT64_MAX };
	struct wf_bench_outcome *outcome = wf_calloc(1, sizeof(*outcome));
	double before = processor_now();
	enum wf_rc rc = wf_bench_clients(&load, outcome, err);

	role->offers += outcome->launches * tasks_of(bench);
	role->seconds += outcome->seconds;
	role->processor += processor_now() - before;
	wf_free(outcome);
	return rc;
}

static double cost_of(const struct role *role)
{
	return role->processor / (double)role->offers;
}

static void print_offers(const struct bench *bench)
{
	const struct role *last = &bench->roles[ROLES - 1];

	for (uint32_t r = 0; r < ROLES; r++) {
		const struct role *role = &bench->roles[r];

		printf("role of %u: %.0f items %s per second, %.1f "
		       "microseconds of the processor each\n",
		    role->people, (double)role->offers / role->seconds,
		    bench->allocates ? "allocated" : "offered",
		    cost_of(role) * 1e6);
	}
	printf("an %s %u costs %.0f percent of one %s %u\n",
	    bench->allocates ? "allocation among" : "offer to", last->people,
	    100 * cost_of(last) / cost_of(&bench->roles[0]),
	    bench->allocates ? "among" : "to", bench->roles[0].people);
}

static enum wf_rc offer(struct bench *bench, struct wf_error *err)
{
	enum wf_rc rc = load_nets(bench, err);

	/* The first case writes the audience. */
	for (uint32_t r = 0; rc == WF_OK && r < ROLES; r++) {
		struct role first = bench->roles[r];

		rc = launch(bench, &first, 1, err);
	}
	for (uint32_t i = 0; rc == WF_OK && i < ROUNDS * ROLES; i++)
		rc = launch(bench, &bench->roles[i % ROLES],
		    (bench->cases + ROUNDS - 1) / ROUNDS, err);
	if (rc == WF_OK)
		print_offers(bench);
	return rc;
}

/* --- items that wait ------------------------------------------------------ */

/* Named like the hash that real ones are named by. */
static const char *queue_of(struct wf_arena *arena, uint32_t audience)
{
	uint64_t hash = wf_hash(1, &audience, sizeof(audience));

	return wf_arena_printf(arena, "A:%016" PRIx64 "%08x", hash, audience);
}

static enum wf_rc keep_audiences(
    struct bench *bench, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = bench->arena;
	struct wf_audience_note *notes =
	    wf_arena_array(arena, AUDIENCES, sizeof(*notes));

	for (uint32_t i = 0; i < AUDIENCES; i++) {
		notes[i].queue = queue_of(arena, i);
		for (uint32_t k = 0; k < READERS; k++)
			if (i < seen_by[k])
				wf_org_texts_add(arena,
				    &notes[i].audience.people,
				    reader_id(bench, k));
	}
	return wf_audiences_keep(bench->audiences, store, notes, AUDIENCES,
	    wf_engine_now(bench->engine), err);
}

static struct wf_item_row waiting_row(struct bench *bench,
    struct wf_random *random, uint64_t number, uint32_t i,
    struct wf_arena *arena)
{
	static const int64_t begin = INT64_C(1700000000000);

	return (struct wf_item_row){ .number = number,
		.id = wf_arena_printf(arena, "w%u:T", i),
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.specification = bench->roles[0].specification,
		.task = wf_arena_printf(arena, "T%u", 1 + i % TASKS),
		.service = "weft:people",
		.status = WF_ITEM_ENABLED,
		.assignment = WF_RESOURCE_OFFERED,
		.queue = queue_of(arena, wf_random_below(random, AUDIENCES)),
		.left_out = "",
		.rank = 45 + wf_random_below(random, 6),
		.enabled_at = begin + wf_random_below(random, 1000000000),
		.due_at = i % 2 == 0
			      ? WF_ITEM_NOT_DUE
			      : begin + wf_random_below(random, 2000000000) };
}

/* Writes some items, of that case. */
static enum wf_rc write_items(struct bench *bench, struct wf_store *store,
    struct wf_random *random, uint64_t number, uint32_t first, uint32_t count,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_write *items =
	    wf_arena_array(arena, count, sizeof(*items));
	struct wf_writes writes = { .items = items, .item_count = count };
	struct wf_take take = { .number = number };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	enum wf_rc rc = wf_store_begin(store, &batch, arena, err);

	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct wf_item_write){ .groups = WF_ITEM_KERNEL,
			.fresh = true,
			.row = waiting_row(
			    bench, random, number, first + i, arena) };
	if (rc == WF_OK && take.state != WF_TAKE_TAKEN) {
		wf_store_abort(store);
		rc = wf_fail(err, WF_UNAVAILABLE, "a case cannot be taken");
	}
	if (rc == WF_OK)
		rc = wf_store_commit(store, &writes, NULL, err);
	wf_arena_free(&arena);
	return rc;
}

/* A case that items are of. */
static enum wf_rc find_case(struct bench *bench, struct wf_store *store,
    uint64_t *number_out, struct wf_error *err)
{
	struct wf_case_filter filter = { .specifications = wf_one_specification(
					     &bench->roles[0].specification),
		.live = true,
		.limit = 1 };
	struct wf_case_list list;
	enum wf_rc rc =
	    wf_store_cases(store, &filter, bench->arena, &list, err);

	if (rc == WF_OK && list.count == 0)
		return wf_fail(err, WF_NOT_FOUND, "no case is open");
	if (rc == WF_OK)
		*number_out = list.rows[0].row.number;
	return rc;
}

static enum wf_rc fill(
    struct bench *bench, struct wf_store *store, struct wf_error *err)
{
	struct wf_random random = { 1 };
	uint64_t number = 0;
	enum wf_rc rc = find_case(bench, store, &number, err);

	if (rc == WF_OK)
		rc = keep_audiences(bench, store, err);
	for (uint32_t i = 0; rc == WF_OK && i < bench->items; i += BATCH)
		rc = write_items(bench, store, &random, number, i,
		    bench->items - i < BATCH ? bench->items - i : BATCH, err);
	return rc;
}

/* --- lists ---------------------------------------------------------------- */

static const struct kind_of_list {
	const char *name;
	enum wf_queue_order order;
	const char *task; /* NULL: of all */
} kinds_of_lists[] = {
	{ "by priority", WF_QUEUE_BY_RANK, NULL },
	{ "by age", WF_QUEUE_BY_AGE, NULL },
	{ "by due time", WF_QUEUE_BY_DUE, NULL },
	{ "of one task in ten, by priority", WF_QUEUE_BY_RANK, "T3" },
};

#define KINDS (sizeof(kinds_of_lists) / sizeof(kinds_of_lists[0]))

/* One page, as /v1/worklist reads it. */
static enum wf_rc read_list(struct bench *bench, struct wf_store *store,
    uint32_t reader, const struct kind_of_list *kind, size_t *count_out,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_list_query query = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.participant = reader_id(bench, reader),
		.greatest_rank = UINT32_MAX,
		.task = kind->task,
		.order = kind->order,
		.limit = PAGE };
	struct wf_list_page page = { .count = 0 };
	enum wf_rc rc;

	query.queues = wf_audiences_queues(
	    bench->audiences, bench->organisation, query.participant, arena);
	rc = wf_list_read(store, &query, arena, &page, err);
	*count_out = page.count;
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc time_lists(struct bench *bench, struct wf_store *store,
    uint32_t reader, const struct kind_of_list *kind, struct wf_error *err)
{
	double processor = processor_now();
	enum wf_rc rc = WF_OK;
	size_t count = 0;

	memset(&bench->latency, 0, sizeof(bench->latency));
	for (uint32_t i = 0; rc == WF_OK && i < bench->lists; i++) {
		double before = wf_bench_now();

		rc = read_list(bench, store, reader, kind, &count, err);
		wf_latency_add(&bench->latency, wf_bench_now() - before);
	}
	if (rc == WF_OK)
		printf("%zu items %s, of %u audiences: microseconds p50 %llu "
		       "p99 %llu, of the processor %.0f\n",
		    count, kind->name, seen_by[reader],
		    (unsigned long long)wf_latency_quantile(
			&bench->latency, 0.5),
		    (unsigned long long)wf_latency_quantile(
			&bench->latency, 0.99),
		    (processor_now() - processor) * 1e6 / bench->lists);
	return rc;
}

static enum wf_rc read_lists(
    struct bench *bench, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (uint32_t reader = 0; reader < READERS; reader++)
		for (size_t k = 0; rc == WF_OK && k < KINDS; k++)
			rc = time_lists(
			    bench, store, reader, &kinds_of_lists[k], err);
	return rc;
}

/* --- all ------------------------------------------------------------------ */

static enum wf_rc with_store(struct bench *bench,
    enum wf_rc (*call)(
	struct bench *bench, struct wf_store *store, struct wf_error *err),
    struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(bench->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = call(bench, store, err);
	wf_engine_give_back(bench->engine, store);
	return rc;
}

static enum wf_rc run(struct bench *bench, struct wf_error *err)
{
	enum wf_rc rc = open_engine(bench, err);
	uint64_t offers = 0;
	double seconds = 0;

	if (rc == WF_OK && !bench->open)
		rc = offer(bench, err);
	if (rc == WF_OK && !bench->open && bench->items > 0)
		rc = with_store(bench, fill, err);
	if (rc == WF_OK && bench->lists > 0)
		rc = with_store(bench, read_lists, err);
	for (uint32_t r = 0; r < ROLES; r++) {
		offers += bench->roles[r].offers;
		seconds += bench->roles[r].seconds;
	}
	if (rc == WF_OK)
		printf("items %llu seconds %.6f\n", (unsigned long long)offers,
		    seconds);
	return rc;
}

static void free_bench(struct bench *bench)
{
	wf_engine_close(&bench->engine);
	wf_decisions_free(&bench->decisions);
	wf_piles_free(&bench->piles);
	wf_audiences_free(&bench->audiences);
	wf_organisation_unref(&bench->organisation);
	wf_arena_free(&bench->arena);
}

int wf_bench_people(int argc, char **argv)
{
	static const uint32_t sizes[ROLES] = { 10, 1000, UINT32_MAX };
	struct bench *bench = wf_calloc(1, sizeof(*bench));
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = WF_OK;
	int code;

	bench->url = "memory:";
	bench->people = 100000;
	bench->cases = 1000;
	code = wf_bench_read(argc, argv, places, PLACES, bench);
	if (code == 0) {
		bench->arena = wf_arena_new();
		bench->audiences = wf_audiences_new();
		bench->piles = wf_piles_new();
		for (uint32_t r = 0; r < ROLES; r++)
			bench->roles[r].people =
			    sizes[r] < bench->people ? sizes[r] : bench->people;
		make_organisation(bench);
		rc = run(bench, &err);
		free_bench(bench);
	}
	wf_free(bench);
	if (code != 0)
		return code;
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}
