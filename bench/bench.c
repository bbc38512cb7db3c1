/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft bench kernel: how fast the kernel is, and how much a case weighs.
 *
 * It uses the public calls only.  The last case is recorded; replaying its
 * events must give the same final state, whose checksum is printed.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/panic.h"
#include "bench/bench.h"
#include "bench/bench_http.h"
#include "bench/bench_or_join.h"
#include "bench/bench_people.h"
#include "bench/bench_store.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "kernel/record.h"

#define STATE_MAXIMUM ((size_t)1 << 30)

struct bench {
	enum wf_bench_kind kind;
	uint32_t size;
	uint32_t cases;
	bool live;
	const char *write; /* NULL: a file that is removed again */
	struct wf_spec_file *file;
	const struct wf_spec *spec;
	struct wf_bench_work work;
	struct wf_step step;
	struct wf_record record; /* of the last case */
	struct wf_case **kept;	 /* the live cases */
	/* Results. */
	uint64_t items;
	uint64_t events;
	uint64_t bytes; /* of all kept cases, or of one case half way */
	double seconds;
	uint32_t checksum;
};

int wf_bench_options(int argc, char **argv, wf_take_option *take, void *context)
{
	const struct wf_cli_row *command = wf_cli_find_command("bench");
	struct wf_cli_line line = { .command = command,
		.verb = wf_cli_find_verb(command, argv[0]),
		.refusal = "unknown option",
		.argc = argc,
		.argv = argv };
	int code = wf_cli_parse(&line, take, context);

	if (code == 0 && optind != argc)
		code = wf_cli_usage("bench", "unexpected \"%s\"", argv[optind]);
	return code;
}

int wf_bench_take_count(const char *text, uint32_t maximum, uint32_t *out)
{
	uint64_t number;

	if (!wf_cli_number(text, maximum, &number) || number < 1)
		return wf_cli_usage(
		    "bench", "\"%s\" is no number from 1 to %u", text, maximum);
	*out = (uint32_t)number;
	return 0;
}

static int take_kind(const char *name, enum wf_bench_kind *out)
{
	*out = wf_bench_kind(name);
	if (*out != WF_BENCH_KINDS)
		return 0;
	return wf_cli_usage("bench", "there is no net \"%s\"", name);
}

/* The places of a call of wf_bench_read(). */
struct reading {
	const struct wf_bench_place *places;
	size_t count;
	char *options;
};

static int take_place(
    void *context, const struct wf_cli_row *option, const char *value)
{
	const struct reading *reading = context;
	size_t i = 0;
	void *to;

	while (
	    i < reading->count && reading->places[i].option != option->option)
		i++;
	wf_assert(i < reading->count);
	to = reading->options + reading->places[i].offset;
	switch (reading->places[i].type) {
	case WF_BENCH_NUMBER:
		return wf_bench_take_count(value, UINT32_MAX, to);
	case WF_BENCH_NET:
		return take_kind(value, to);
	case WF_BENCH_TEXT:
		*(const char **)to = value;
		return 0;
	case WF_BENCH_FLAG:
		*(bool *)to = true;
		return 0;
	}
	return 0;
}

int wf_bench_read(int argc, char **argv, const struct wf_bench_place *places,
    size_t count, void *options)
{
	struct reading reading = { places, count, options };

	return wf_bench_options(argc, argv, take_place, &reading);
}

int wf_bench_check_size(enum wf_bench_kind kind, uint32_t size)
{
	if (size <= wf_bench_maximum(kind))
		return 0;
	return wf_cli_usage("bench",
	    "a net of this kind has a size of at most %u",
	    wf_bench_maximum(kind));
}

static const struct wf_bench_place places[] = {
	{ WF_OPTION_BENCH_NET, WF_BENCH_NET, offsetof(struct bench, kind) },
	{ WF_OPTION_BENCH_SIZE, WF_BENCH_NUMBER, offsetof(struct bench, size) },
	{ WF_OPTION_BENCH_CASES, WF_BENCH_NUMBER,
	    offsetof(struct bench, cases) },
	{ WF_OPTION_BENCH_LIVE, WF_BENCH_FLAG, offsetof(struct bench, live) },
	{ WF_OPTION_BENCH_WRITE, WF_BENCH_TEXT, offsetof(struct bench, write) },
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static int parse_options(struct bench *bench, int argc, char **argv)
{
	int code;

	bench->size = 10;
	bench->cases = 1000;
	code = wf_bench_read(argc, argv, places, PLACES, bench);
	if (code != 0)
		return code;
	return wf_bench_check_size(bench->kind, bench->size);
}

static enum wf_rc write_file(
    const struct bench *bench, FILE *file, struct wf_error *err)
{
	struct wf_buffer text;
	size_t written;

	wf_buffer_init(&text, WF_SPEC_BYTES);
	wf_bench_write(bench->kind, bench->size, false, &text);
	written = fwrite(wf_buffer_text(&text), 1, text.length, file);
	wf_buffer_free(&text);
	if (fclose(file) != 0 || written == 0)
		return wf_fail(err, WF_IO, "the specification is not written");
	return WF_OK;
}

static enum wf_rc read_file(
    struct bench *bench, const char *path, struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new(path);
	enum wf_rc rc;

	rc = wf_spec_read_file(&bench->file, path, diagnostics);
	if (rc != WF_OK) {
		wf_diagnostics_print(diagnostics, stderr);
		wf_fail(err, rc, "the specification is refused");
	} else {
		bench->spec = bench->file->specs[0];
	}
	wf_diagnostics_free(&diagnostics);
	return rc;
}

/* Writes the net and reads it again, as any other specification. */
static enum wf_rc load(struct bench *bench, struct wf_error *err)
{
	char path[] = "/tmp/weft-bench-XXXXXX";
	const char *name = bench->write;
	FILE *file;
	enum wf_rc rc;
	int fd;

	if (name != NULL) {
		file = fopen(name, "w");
	} else {
		name = path;
		fd = mkstemp(path);
		file = fd >= 0 ? fdopen(fd, "w") : NULL;
	}
	if (file == NULL)
		return wf_fail(err, WF_IO, "%s: %s", name, strerror(errno));
	rc = write_file(bench, file, err);
	if (rc == WF_OK)
		rc = read_file(bench, name, err);
	if (bench->write == NULL)
		unlink(path);
	return rc;
}

double wf_bench_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void count_step(struct bench *bench, bool last)
{
	bench->events += bench->step.event_count;
	if (last)
		wf_record_add(&bench->record, &bench->step, 0);
}

/* Launches a case and does count of its work items. */
static enum wf_rc run_case(struct bench *bench, struct wf_case **case_out,
    size_t count, bool last, struct wf_error *err)
{
	struct wf_command launch = { .kind = WF_COMMAND_LAUNCH };
	enum wf_rc rc;

	rc = wf_case_launch(case_out, bench->spec, WF_BENCH_CASE, NULL, &launch,
	    &bench->step, err);
	if (rc != WF_OK)
		return rc;
	count_step(bench, last);
	for (size_t i = 0; i < count && rc == WF_OK; i++) {
		rc = wf_case_step(
		    *case_out, &bench->work.commands[i], &bench->step, err);
		if (rc == WF_OK)
			count_step(bench, last);
		if (last && !bench->live && i == count / 2)
			bench->bytes = wf_case_memory(*case_out);
	}
	bench->items += count;
	return rc;
}

/* The checksum of the final state, which the events must lead to as well. */
static enum wf_rc verify(
    struct bench *bench, const struct wf_case *instance, struct wf_error *err)
{
	struct wf_case *rebuilt = NULL;
	struct wf_buffer bytes;
	struct wf_buffer again;
	enum wf_rc rc;

	wf_buffer_init(&bytes, STATE_MAXIMUM);
	wf_buffer_init(&again, STATE_MAXIMUM);
	rc = wf_case_encode(instance, &bytes, err);
	if (rc == WF_OK)
		rc = wf_record_rebuild(&bench->record, &rebuilt, err);
	if (rc == WF_OK)
		rc = wf_case_encode(rebuilt, &again, err);
	if (rc == WF_OK) {
		bench->checksum = wf_case_checksum(&bytes);
		if (bytes.length != again.length ||
		    memcmp(bytes.data, again.data, bytes.length) != 0)
			rc = wf_fail(err, WF_BUG,
			    "replaying the events gives another state");
	}
	if (rc == WF_OK && !bench->live &&
	    wf_case_status(instance) != WF_CASE_COMPLETED)
		rc = wf_fail(err, WF_BUG, "the case is not completed");
	wf_case_free(&rebuilt);
	wf_buffer_free(&bytes);
	wf_buffer_free(&again);
	return rc;
}

/* Live cases have done all their work but one item. */
static enum wf_rc run_cases(struct bench *bench, struct wf_error *err)
{
	size_t count = bench->work.count - (bench->live ? 1 : 0);
	enum wf_rc rc = WF_OK;

	for (uint32_t i = 0; i < bench->cases && rc == WF_OK; i++) {
		bool last = i + 1 == bench->cases;
		struct wf_case *instance = NULL;
		double start = wf_bench_now();

		rc = run_case(bench, &instance, count, last, err);
		bench->seconds += wf_bench_now() - start;
		if (rc == WF_OK && last)
			rc = verify(bench, instance, err);
		if (bench->live)
			bench->kept[i] = instance;
		else
			wf_case_free(&instance);
	}
	return rc;
}

/* The process' resident memory in bytes; 0 when it is not known. */
static uint64_t resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void print_results(const struct bench *bench, uint64_t growth)
{
	double seconds = bench->seconds > 0 ? bench->seconds : 1e-9;
	double items = bench->items > 0 ? (double)bench->items : 1;

	printf("cases %u, %.0f per second\n", bench->cases,
	    bench->cases / seconds);
	printf("items per second %.0f\n", (double)bench->items / seconds);
	printf("events per item %.2f\n", (double)bench->events / items);
	if (bench->live) {
		printf("bytes per live case %.0f\n",
		    (double)bench->bytes / bench->cases);
		printf("resident bytes per live case %.0f\n",
		    (double)growth / bench->cases);
	} else {
		printf("bytes of a case half way %llu\n",
		    (unsigned long long)bench->bytes);
	}
	printf("checksum %08x, reproduced by replay\n", bench->checksum);
	printf("items %llu seconds %.6f\n", (unsigned long long)bench->items,
	    bench->seconds);
}

static enum wf_rc measure(struct bench *bench, struct wf_error *err)
{
	uint64_t before;
	enum wf_rc rc;

	wf_step_init(&bench->step);
	wf_record_init(&bench->record, bench->spec, NULL);
	wf_bench_work_init(&bench->work, bench->kind, bench->size);
	if (bench->live)
		bench->kept = wf_calloc(bench->cases, sizeof(*bench->kept));
	before = resident();
	rc = run_cases(bench, err);
	if (bench->live)
		for (uint32_t i = 0; i < bench->cases; i++)
			if (bench->kept[i] != NULL)
				bench->bytes += wf_case_memory(bench->kept[i]);
	if (rc == WF_OK)
		print_results(bench, resident() - before);
	if (bench->live)
		for (uint32_t i = 0; i < bench->cases; i++)
			wf_case_free(&bench->kept[i]);
	wf_free(bench->kept);
	wf_bench_work_free(&bench->work);
	wf_record_free(&bench->record);
	wf_step_free(&bench->step);
	return rc;
}

static int bench_kernel(int argc, char **argv)
{
	struct bench bench = { 0 };
	struct wf_error err = { 0 };
	enum wf_rc rc;
	int code;

	code = parse_options(&bench, argc, argv);
	if (code != 0)
		return code;
	rc = load(&bench, &err);
	if (rc == WF_OK)
		rc = measure(&bench, &err);
	wf_spec_file_free(&bench.file);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "kernel") == 0)
		return bench_kernel(argc - 1, argv + 1);
	if (argc >= 2 && strcmp(argv[1], "orjoin") == 0)
		return wf_bench_or_join(argc - 1, argv + 1);
	if (argc >= 2 &&
	    (strcmp(argv[1], "store") == 0 || strcmp(argv[1], "fill") == 0))
		return wf_bench_store(argc - 1, argv + 1);
	if (argc >= 2 && strcmp(argv[1], "people") == 0)
		return wf_bench_people(argc - 1, argv + 1);
	if (argc >= 2 && strcmp(argv[1], "http") == 0)
		return wf_bench_http(argc - 1, argv + 1);
	return wf_cli_no_verb("bench", argc > 1 ? argv[1] : NULL);
}
