/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without a fuzzer: each file of a corpus, then rounds of
 * inputs made from them by a seeded generator.
 *
 * usage: replay-TARGET ROUNDS SEED FOLDER
 *
 * The inputs are run by a child process, so that one that kills it (or takes
 * more than 20 seconds of a processor, or ten minutes) is counted, kept in a
 * file, and the rest still runs.
 * Ends with "N passed, N failed", counted in inputs.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/random.h"

#define SECONDS 20 /* of processor time: other load does not count */
#define HANGS 600
#define LEAK 98 /* exit code of an input that leaked */
#define FILES 10000
#define SIZE (1U << 18) /* a larger file is not mutated */
#define FAILURES 20	/* then the rest is not run */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exists only in builds with the address sanitizer. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

struct corpus {
	char *names[FILES];
	struct wf_buffer contents[FILES];
	uint32_t count;
};

static struct corpus corpus;

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void load(const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;

	if (directory == NULL) {
		perror(folder);
		exit(2);
	}
	while ((entry = readdir(directory)) != NULL && corpus.count < FILES)
		if (entry->d_name[0] != '.')
			corpus.names[corpus.count++] = wf_strdup(entry->d_name);
	closedir(directory);
	/* The same inputs in the same order on every machine. */
	qsort(corpus.names, corpus.count, sizeof corpus.names[0], by_name);
	for (uint32_t i = 0; i < corpus.count; i++) {
		struct wf_error err = { .rc = WF_OK };
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, corpus.names[i]);
		wf_buffer_init(&corpus.contents[i], 64U << 20);
		if (wf_buffer_read_file(&corpus.contents[i], path, &err) !=
		    WF_OK) {
			fprintf(stderr, "replay: %s\n", err.message);
			exit(2);
		}
	}
}

/* A place from 0 to length. */
static size_t place(struct wf_random *random, size_t length)
{
	return wf_random_below(random, (uint32_t)length + 1);
}

/* Replaces the bytes from from to to. */
static void replace(struct wf_buffer *input, size_t from, size_t to,
    const char *bytes, size_t size)
{
	struct wf_buffer result;

	wf_buffer_init(&result, input->maximum);
	wf_buffer_append(&result, wf_buffer_text(input), from);
	wf_buffer_append(&result, bytes, size);
	wf_buffer_append(
	    &result, wf_buffer_text(input) + to, input->length - to);
	wf_buffer_free(input);
	*input = result;
}

static void mutate(struct wf_buffer *input, struct wf_random *random)
{
	const struct wf_buffer *other =
	    &corpus.contents[wf_random_below(random, corpus.count)];
	size_t from = place(random, input->length);
	size_t to = from + place(random, input->length - from);
	size_t near = to - from > 16 ? from + 16 : to;
	size_t start;
	char bytes[4];

	switch (wf_random_below(random, 6)) {
	case 0: /* a byte changes a bit */
		if (from < input->length)
			input->data[from] =
			    (char)(input->data[from] ^
				   (1 << wf_random_below(random, 8)));
		break;
	case 1: /* a few bytes go */
		replace(input, from, near, "", 0);
		break;
	case 2: /* many bytes go */
		replace(input, from, to, "", 0);
		break;
	case 3: /* bytes come */
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (char)wf_random_below(random, 256);
		replace(input, from, from, bytes,
		    1 + wf_random_below(random, sizeof bytes));
		break;
	case 4: /* a piece stands twice */
		replace(input, to, to, wf_buffer_text(input) + from, to - from);
		break;
	default: /* a piece of another file comes */
		if (other->length > SIZE)
			break;
		start = place(random, other->length);
		replace(input, from, near, wf_buffer_text(other) + start,
		    place(random, other->length - start));
	}
}

/* The input with that number: the files first, then inputs made from them. */
static void make_input(struct wf_buffer *input, uint32_t number, uint64_t seed)
{
	struct wf_random random = { .state = seed * 1000003 + number };
	const struct wf_buffer *source;
	uint32_t changes;

	wf_buffer_init(input, 64U << 20);
	if (number < corpus.count) {
		source = &corpus.contents[number];
		wf_buffer_append(input, source->data, source->length);
		return;
	}
	source = &corpus.contents[wf_random_below(&random, corpus.count)];
	wf_buffer_append(
	    input, source->data, source->length > SIZE ? SIZE : source->length);
	changes = 1 + wf_random_below(&random, 8);
	for (uint32_t i = 0; i < changes && input->length <= 4 * SIZE; i++)
		mutate(input, &random);
}

/* The child is killed when this does not end in time; 0: it has ended. */
static void limit(unsigned seconds)
{
	struct itimerval timer = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &timer, NULL);
	alarm(seconds == 0 ? 0 : HANGS);
}

/* In the child: runs the inputs, and stores the current number in *at. */
static void run_inputs(volatile uint32_t *at, uint32_t count, uint64_t seed)
{
	while (*at < count) {
		struct wf_buffer input;
		uint8_t *exact;

		make_input(&input, *at, seed);
		/* Exact size, so that reading past the end is detected. */
		exact = malloc(input.length == 0 ? 1 : input.length);
		if (exact == NULL)
			abort();
		if (input.length > 0)
			memcpy(exact, input.data, input.length);
		limit(SECONDS);
		LLVMFuzzerTestOneInput(exact, input.length);
		if (__lsan_do_recoverable_leak_check != NULL &&
		    __lsan_do_recoverable_leak_check() != 0)
			_exit(LEAK);
		limit(0);
		free(exact);
		wf_buffer_free(&input);
		++*at;
	}
}

static void forget(void)
{
	for (uint32_t i = 0; i < corpus.count; i++) {
		wf_free(corpus.names[i]);
		wf_buffer_free(&corpus.contents[i]);
	}
}

static void keep(
    const char *program, uint32_t number, uint64_t seed, int status)
{
	const char *folder = getenv("TMPDIR");
	const char *slash = strrchr(program, '/');
	struct wf_buffer input;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s-%llu-%u",
	    folder == NULL ? "/tmp" : folder,
	    slash == NULL ? program : slash + 1, (unsigned long long)seed,
	    number);
	make_input(&input, number, seed);
	file = fopen(path, "wb");
	if (file != NULL) {
		fwrite(wf_buffer_text(&input), 1, input.length, file);
		fclose(file);
	}
	printf("input %u (%s) ended with %s %d; it is kept in %s\n", number,
	    number < corpus.count ? corpus.names[number] : "made",
	    WIFSIGNALED(status) ? "signal" : "exit code",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), path);
	wf_buffer_free(&input);
}

/* Runs the inputs from *at on; returns how the child ended. */
static int run_child(volatile uint32_t *at, uint32_t count, uint64_t seed)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		run_inputs(at, count, seed);
		forget();
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("replay");
		exit(2);
	}
	return status;
}

int main(int argc, char **argv)
{
	volatile uint32_t *at;
	uint32_t count;
	uint32_t failed = 0;
	uint64_t seed;

	if (argc != 4) {
		fprintf(stderr, "usage: %s ROUNDS SEED FOLDER\n", argv[0]);
		return 2;
	}
	load(argv[3]);
	if (corpus.count == 0) {
		fprintf(stderr, "replay: %s: no files\n", argv[3]);
		return 2;
	}
	count = corpus.count + (uint32_t)strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		perror("replay");
		return 2;
	}
	for (;;) {
		int status = run_child(at, count, seed);

		if (status == 0)
			break;
		failed++;
		if (*at == count) {
			/* A leak is found when the process ends. */
			printf("the inputs were run, but something was wrong "
			       "at the end\n");
			break;
		}
		keep(argv[0], *at, seed, status);
		++*at;
		if (failed == FAILURES)
			break;
	}
	printf(
	    "%u passed, %u failed\n", *at < failed ? 0 : *at - failed, failed);
	forget();
	return failed == 0 ? 0 : 1;
}
