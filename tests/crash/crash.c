/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of the crash tests:
 *
 *   crash work  URL FOLDER MIX NAME=NUMBER...   clients at work
 *   crash check URL FOLDER MIX                  proves that nothing was lost
 *   crash poison URL MIX                        one bad case among many, on new
 *                                               stores URL0, URL1 ..
 *
 * FOLDER has the records of the clients, MIX is mix.wfs.  The names are
 * those of the fields of struct crash_work, and of the faults:
 *
 *   kill-before=N kill-after=N   SIGKILL at the n-th statement
 *   stop=N kill-step=N           SIGSTOP, SIGKILL at the n-th step, when the
 *                                cases of its batch are held
 *   kill-commit=N                SIGKILL when the n-th batch is to be committed
 *   fail=N fails=COUNT           statements fail, COUNT from the n-th on
 *   lose=N                       the answer to the n-th is lost
 *   disk=1                       the disk that forgets, and on it, at the
 *                                n-th operation:
 *   cut=N                        the power goes off
 *   kill=N                       SIGKILL
 *   full=N fulls=COUNT           COUNT operations find the disk full
 *   break=N breaks=COUNT         COUNT syncs fail
 *   lie=1                        syncs do nothing
 *   people=1                     no fault: only cases of people
 *   forget=1                     audiences are not kept
 *
 * At the end it prints how many of them there were, and how many failed.
 *
 * Exit code: 0, or 1 when there were complaints, 2 when the program could not
 * run.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/crash/check.h"
#include "tests/crash/faults.h"
#include "tests/crash/poison.h"
#include "tests/crash/work.h"
#include "tests/unit/disk.h"

static uint64_t number_of(int count, char **words, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < count; i++)
		if (strncmp(words[i], name, length) == 0 &&
		    words[i][length] == '=')
			return strtoull(words[i] + length + 1, NULL, 10);
	return 0;
}

/* Sets the faults, from the first request on. */
struct wrongs {
	int count;
	char **words;
	/* The counts until then. */
	uint64_t statements;
	uint64_t operations;
	atomic_ullong steps;
};

static uint64_t wrong(const struct wrongs *wrongs, const char *name)
{
	return number_of(wrongs->count, wrongs->words, name);
}

static void begin_wrongs(void *context, struct wf_engine *engine)
{
	struct wrongs *w = context;

	(void)engine;
	puts("at work");
	fflush(stdout);
	w->statements = crash_statements();
	w->operations = disk_operations();
	if (wrong(w, "kill-before") > 0)
		crash_kill_at_statement(wrong(w, "kill-before"), false);
	if (wrong(w, "kill-after") > 0)
		crash_kill_at_statement(wrong(w, "kill-after"), true);
	if (wrong(w, "kill-commit") > 0)
		crash_kill_at_commit(wrong(w, "kill-commit"));
	if (wrong(w, "fail") > 0)
		crash_fail_statements(wrong(w, "fail"), wrong(w, "fails"));
	if (wrong(w, "lose") > 0)
		crash_lose_statement(wrong(w, "lose"));
	if (wrong(w, "cut") > 0)
		disk_cut(wrong(w, "cut"), wrong(w, "seed"));
	if (wrong(w, "kill") > 0)
		disk_kill(wrong(w, "kill"));
	if (wrong(w, "full") > 0)
		disk_full(wrong(w, "full"), wrong(w, "fulls"));
	if (wrong(w, "break") > 0)
		disk_break(wrong(w, "break"), wrong(w, "breaks"));
	if (wrong(w, "lie") > 0)
		disk_lie();
}

static void step(void *context)
{
	struct wrongs *w = context;
	uint64_t n = atomic_fetch_add(&w->steps, 1) + 1;

	if (n == wrong(w, "stop"))
		raise(SIGSTOP);
	if (n == wrong(w, "kill-step"))
		raise(SIGKILL);
}

static void set(unsigned *field, uint64_t number)
{
	if (number > 0)
		*field = (unsigned)number;
}

static int work(int count, char **words)
{
	struct wrongs wrongs = { .count = count - 3, .words = words + 3 };
	struct crash_work plan;

	crash_work_init(&plan);
	plan.url = words[0];
	plan.folder = words[1];
	plan.mix = words[2];
	plan.seed = wrong(&wrongs, "seed");
	plan.requests = wrong(&wrongs, "requests");
	plan.turns = wrong(&wrongs, "turns") != 0;
	set(&plan.first, wrong(&wrongs, "first"));
	set(&plan.clients, wrong(&wrongs, "clients"));
	set(&plan.engines, wrong(&wrongs, "engines"));
	set(&plan.shards, wrong(&wrongs, "shards"));
	set(&plan.round, wrong(&wrongs, "round"));
	plan.cache = wrong(&wrongs, "cache");
	plan.for_people = wrong(&wrongs, "people") != 0;
	plan.forgets = wrong(&wrongs, "forget") != 0;
	plan.opened = begin_wrongs;
	plan.step = step;
	plan.context = &wrongs;
	if (wrong(&wrongs, "disk") != 0)
		disk_use();
	crash_work(&plan);
	printf("%llu statements, %llu operations, %llu failures\n",
	    (unsigned long long)(crash_statements() - wrongs.statements),
	    (unsigned long long)(disk_operations() - wrongs.operations),
	    (unsigned long long)(crash_failures() + disk_failures()));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 5 && strcmp(argv[1], "work") == 0)
		return work(argc - 2, argv + 2);
	if (argc == 5 && strcmp(argv[1], "check") == 0)
		return crash_check(argv[2], argv[3], argv[4]) > 0;
	if (argc == 4 && strcmp(argv[1], "poison") == 0)
		return crash_poison(argv[2], argv[3]) > 0;
	fputs("usage: crash work|check URL FOLDER MIX [NAME=NUMBER]...\n"
	      "       crash poison URL MIX\n",
	    stderr);
	return 2;
}
