/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft bench store: clients of the running engine on a store; and weft bench
 * fill, which launches cases and leaves them open.
 *
 * bench/store.sh queries the database for the rest (its log, dead rows).
 */
#include "bench/bench_store.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/panic.h"
#include "base/random.h"
#include "bench/bench.h"
#include "bench/bench_clients.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "history/statistics/statistics.h"

#define BALLAST_MAXIMUM (16U << 20)

struct bench {
	bool fill;
	bool open;
	const char *url;
	enum wf_bench_kind kind;
	uint32_t size;
	uint32_t cases; /* 0: as many as are wanted */
	uint32_t clients;
	uint32_t items;
	uint32_t seconds;
	uint32_t rate;
	uint32_t shards;
	uint32_t batch;
	uint32_t ballast;
	bool statistics;

	double start; /* of the program, nearly */
	struct wf_engine *engine;
	uint64_t specification;
	struct wf_bench_work work;
	char *data;
	struct wf_bench_open *there; /* the open cases */
	uint64_t there_count;
	uint64_t written; /* bytes, before the clients came */
};

/* --- options -------------------------------------------------------------- */

static const struct wf_bench_place places[] = {
	{ WF_OPTION_BENCH_DB, WF_BENCH_TEXT, offsetof(struct bench, url) },
	{ WF_OPTION_BENCH_NET, WF_BENCH_NET, offsetof(struct bench, kind) },
	{ WF_OPTION_BENCH_OPEN, WF_BENCH_FLAG, offsetof(struct bench, open) },
	{ WF_OPTION_BENCH_SIZE, WF_BENCH_NUMBER, offsetof(struct bench, size) },
	{ WF_OPTION_BENCH_CASES, WF_BENCH_NUMBER,
	    offsetof(struct bench, cases) },
	{ WF_OPTION_BENCH_CLIENTS, WF_BENCH_NUMBER,
	    offsetof(struct bench, clients) },
	{ WF_OPTION_BENCH_ITEMS, WF_BENCH_NUMBER,
	    offsetof(struct bench, items) },
	{ WF_OPTION_BENCH_SECONDS, WF_BENCH_NUMBER,
	    offsetof(struct bench, seconds) },
	{ WF_OPTION_BENCH_RATE, WF_BENCH_NUMBER, offsetof(struct bench, rate) },
	{ WF_OPTION_BENCH_SHARDS, WF_BENCH_NUMBER,
	    offsetof(struct bench, shards) },
	{ WF_OPTION_BENCH_BATCH, WF_BENCH_NUMBER,
	    offsetof(struct bench, batch) },
	{ WF_OPTION_BENCH_BALLAST, WF_BENCH_NUMBER,
	    offsetof(struct bench, ballast) },
	{ WF_OPTION_BENCH_STATISTICS, WF_BENCH_FLAG,
	    offsetof(struct bench, statistics) },
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static int check_options(const struct bench *bench)
{
	if (bench->ballast > BALLAST_MAXIMUM)
		return wf_cli_usage(
		    "bench", "a ballast has at most %u bytes", BALLAST_MAXIMUM);
	if (bench->fill && (bench->open || bench->items > 0 ||
			       bench->seconds > 0 || bench->rate > 0))
		return wf_cli_usage("bench",
		    "filling only launches cases: --cases says how many");
	return wf_bench_check_size(bench->kind, bench->size);
}

static int parse_options(struct bench *bench, int argc, char **argv)
{
	int code = wf_bench_read(argc, argv, places, PLACES, bench);

	if (code != 0)
		return code;
	/* Something has to end it. */
	if (bench->cases == 0 && bench->items == 0 && bench->seconds == 0)
		bench->cases = 1000;
	return check_options(bench);
}

/* --- preparing ------------------------------------------------------------ */

static enum wf_rc open_engine(struct bench *bench, struct wf_error *err)
{
	struct wf_engine_settings settings;

	wf_engine_settings_init(&settings);
	settings.url = bench->url;
	settings.flags |= WF_STORE_MIGRATE;
	settings.threads = true;
	settings.shards = bench->shards;
	if (bench->batch > 0)
		settings.batch = bench->batch;
	settings.queue_bytes += (size_t)bench->clients * bench->ballast;
	return wf_engine_open(&bench->engine, &settings, err);
}

static enum wf_rc load_net(struct bench *bench, struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("bench");
	struct wf_buffer text;
	size_t count;
	enum wf_rc rc;

	wf_buffer_init(&text, WF_SPEC_BYTES);
	wf_bench_write(bench->kind, bench->size, bench->ballast > 0, &text);
	rc = wf_engine_load(bench->engine, 0, wf_buffer_text(&text),
	    text.length, diagnostics, &bench->specification, 1, &count, err);
	if (rc != WF_OK)
		wf_diagnostics_print(diagnostics, stderr);
	wf_diagnostics_free(&diagnostics);
	wf_buffer_free(&text);
	return rc;
}

/* The data of a case; its ballast can hardly be compressed. */
static void make_data(struct bench *bench)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				      "opqrstuvwxyz0123456789-_";
	struct wf_random random = { 1 };
	struct wf_buffer text;

	if (bench->ballast == 0)
		return;
	wf_buffer_init(&text, 2 * BALLAST_MAXIMUM);
	wf_buffer_puts(&text, "<Net><" WF_BENCH_BALLAST ">");
	for (uint32_t i = 0; i < bench->ballast; i++)
		wf_buffer_putc(&text,
		    letters[wf_random_below(&random, sizeof(letters) - 1)]);
	wf_buffer_puts(&text, "</" WF_BENCH_BALLAST "></Net>");
	bench->data = wf_buffer_take(&text);
}

static enum wf_rc read_page(struct bench *bench, struct wf_store *store,
    struct wf_case_filter *filter, bool *more, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_case_list list;
	enum wf_rc rc = wf_store_cases(store, filter, arena, &list, err);

	*more = rc == WF_OK && list.count == filter->limit;
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		const struct wf_case_row *row = &list.rows[i].row;

		filter->after = row->number;
		/* Each step after the launch was an item. */
		bench->there[bench->there_count++] =
		    (struct wf_bench_open){ row->number, row->version - 1 };
	}
	wf_arena_free(&arena);
	return rc;
}

/* The open cases of this net, as many as are wanted. */
static enum wf_rc find_open(struct bench *bench, struct wf_error *err)
{
	struct wf_case_filter filter = { .specifications = wf_one_specification(
					     &bench->specification),
		.live = true };
	uint64_t wanted = bench->cases > 0 ? bench->cases : bench->items;
	struct wf_store *store;
	bool more = true;
	enum wf_rc rc;

	if (wanted == 0)
		return wf_fail(err, WF_INVALID,
		    "of how many open cases? give --cases or --items");
	bench->there = wf_calloc(wanted, sizeof(*bench->there));
	rc = wf_engine_borrow(bench->engine, &store, err);
	if (rc != WF_OK)
		return rc;
	while (rc == WF_OK && more && bench->there_count < wanted) {
		uint64_t left = wanted - bench->there_count;

		filter.limit = left < 1000 ? (size_t)left : 1000;
		rc = read_page(bench, store, &filter, &more, err);
	}
	wf_engine_give_back(bench->engine, store);
	if (rc == WF_OK && bench->there_count == 0)
		rc = wf_fail(err, WF_NOT_FOUND,
		    "no case of this net is open: fill the store first");
	return rc;
}

/* --- what the machine says ------------------------------------------------ */

/* Bytes that this process wrote to files; 0 when they are not known. */
static uint64_t bytes_written(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	unsigned long long bytes = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "rchar: %*u wchar: %llu", &bytes) != 1)
		bytes = 0;
	fclose(file);
	return bytes;
}

/* In KiB. */
static long peak_memory(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

/* Seconds that all threads of this process have worked. */
static double worked(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return 0;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* --- measuring ------------------------------------------------------------ */

static void print_results(
    const struct bench *bench, const struct wf_bench_outcome *outcome)
{
	uint64_t steps = outcome->items + outcome->launches;
	struct wf_engine_counts counts;
	double batches;

	wf_engine_counts(bench->engine, &counts);
	batches = counts.batches > 0 ? (double)counts.batches : 1;
	printf("items per second %.0f\n",
	    (double)outcome->items / outcome->seconds);
	printf("launches %llu, %.0f per second\n",
	    (unsigned long long)outcome->launches,
	    (double)outcome->launches / outcome->seconds);
	printf("microseconds per item p50 %llu p99 %llu max %llu\n",
	    (unsigned long long)wf_latency_quantile(&outcome->latency, 0.5),
	    (unsigned long long)wf_latency_quantile(&outcome->latency, 0.99),
	    (unsigned long long)atomic_load(&outcome->latency.maximum));
	printf("batches %llu, of %.1f steps, of %.1f statements\n",
	    (unsigned long long)counts.batches, (double)steps / batches,
	    (double)counts.statements / batches);
	printf("cases read %llu\n", (unsigned long long)counts.loads);
	printf("bytes written to files per step %.0f\n",
	    (double)(bytes_written() - bench->written) / (double)steps);
	printf("first answer after %.0f ms, peak memory %ld KiB\n",
	    (outcome->first_answer - bench->start) * 1e3, peak_memory());
	printf("items %llu seconds %.6f\n", (unsigned long long)outcome->items,
	    outcome->seconds);
}

/* What counting all steps costs; made: the seconds that making one took. */
static enum wf_rc count_steps(
    const struct bench *bench, double made, struct wf_error *err)
{
	const struct wf_statistics_settings settings = { .keep_ms = 86400000,
		.labels = 200 };
	struct wf_statistics *statistics =
	    wf_statistics_new(bench->engine, &settings);
	double before = worked();
	struct wf_store *store;
	bool more = true;
	enum wf_rc rc = wf_engine_borrow(bench->engine, &store, err);

	if (rc == WF_OK) {
		uint64_t sent = wf_store_statements(store);
		uint64_t steps;

		while (rc == WF_OK && more)
			rc = wf_statistics_read(statistics, store, &more, err);
		sent = wf_store_statements(store) - sent;
		steps = wf_statistics_steps(statistics);
		if (rc == WF_OK && steps > 0)
			printf("statistics of %llu steps: %.2f statements and "
			       "%.1f microseconds a step, %.1f %% of making "
			       "it\n",
			    (unsigned long long)steps,
			    (double)sent / (double)steps,
			    (worked() - before) * 1e6 / (double)steps,
			    (worked() - before) / (double)steps / made * 100);
		wf_engine_give_back(bench->engine, store);
	}
	wf_statistics_free(&statistics);
	return rc;
}

static enum wf_rc measure(struct bench *bench, struct wf_error *err)
{
	struct wf_bench_load load = { .engine = bench->engine,
		.specification = bench->specification,
		.work = &bench->work,
		.data = bench->data,
		.launch_only = bench->fill,
		.open = bench->there,
		.clients = bench->clients,
		.cases = bench->cases > 0 ? bench->cases : UINT64_MAX,
		.items = bench->items > 0 ? bench->items : UINT64_MAX,
		.seconds = bench->seconds,
		.rate = bench->rate };
	struct wf_bench_outcome *outcome = wf_calloc(1, sizeof(*outcome));
	double before = worked();
	enum wf_rc rc;

	if (bench->open)
		load.cases = bench->there_count;
	bench->written = bytes_written();
	rc = wf_bench_clients(&load, outcome, err);
	if (rc == WF_OK && bench->statistics)
		rc = count_steps(bench,
		    (worked() - before) /
			(double)(outcome->items + outcome->launches),
		    err);
	if (rc == WF_OK)
		print_results(bench, outcome);
	wf_free(outcome);
	return rc;
}

static enum wf_rc run(struct bench *bench, struct wf_error *err)
{
	enum wf_rc rc = open_engine(bench, err);

	if (rc == WF_OK)
		rc = load_net(bench, err);
	if (rc == WF_OK && bench->open)
		rc = find_open(bench, err);
	if (rc == WF_OK)
		rc = measure(bench, err);
	return rc;
}

int wf_bench_store(int argc, char **argv)
{
	struct bench bench = { .fill = strcmp(argv[0], "fill") == 0,
		.url = "memory:",
		.size = 10,
		.shards = 1,
		.start = wf_bench_now() };
	struct wf_error err = { 0 };
	enum wf_rc rc;
	int code;

	/* Filling has large batches. */
	bench.clients = bench.fill ? 1000 : 64;
	bench.batch = bench.fill ? 1000 : 0;
	code = parse_options(&bench, argc, argv);
	if (code != 0)
		return code;
	wf_bench_work_init(&bench.work, bench.kind, bench.size);
	make_data(&bench);
	rc = run(&bench, &err);
	wf_engine_close(&bench.engine);
	wf_bench_work_free(&bench.work);
	wf_free(bench.there);
	wf_free(bench.data);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}
