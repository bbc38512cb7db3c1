/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a step of a query costs: for each expression of query_costs.def the
 * nanoseconds of a charged step.
 * A limit of steps is a limit of time only if no expression takes much more
 * than the others.
 *
 * usage: query_costs [EXPRESSION]...
 *
 * The last line is "worst nanoseconds per step N".
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "data/query.h"

/* What each expression may take; the fastest of the runs counts. */
#define ITERATIONS 20000U
#define STEPS 200000U
#define RUNS 3

struct cost {
	const char *expression;
	double nanoseconds; /* of a step */
	enum wf_rc rc;
};

#define WF_COST(large, expression) { expression, 0, WF_OK },
static struct cost costs[] = {
#include "bench/query_costs.def"
};
#undef WF_COST

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Appends the variables that the expression names: they are made before. */
static void put_variables(struct wf_buffer *text, const char *expression)
{
	static const char *const names[] = { "$s", "$t", "$u", "$q", "$w", "$n",
		"$m", "$e", "$d", "$big" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(expression, names[i]) != NULL)
			wf_buffer_printf(text, "%s, ", names[i]);
}

/*
 * Makes the variables of expression, and evaluates it as often as *budget
 * allows, once for each of 1 to count; returns the processor time and takes the
 * steps from *budget.
 */
static enum wf_rc run(const char *expression, unsigned count, uint64_t *budget,
    double *nanoseconds_out)
{
	struct wf_query *query = NULL;
	struct wf_error err = { .rc = WF_OK };
	struct wf_evaluation how = { .budget = budget };
	struct wf_buffer text;
	double start;

	wf_buffer_init(&text, 1U << 20);
	wf_buffer_printf(&text, "%s let $all := count((", WF_COST_PROLOG);
	put_variables(&text, expression);
	wf_buffer_printf(&text,
	    "())) return count(for $i in $all + 1 to $all + %u return (%s))",
	    count, expression);
	if (wf_query_compile(&query, wf_buffer_text(&text), NULL, 0, &err) !=
	    WF_OK) {
		fprintf(stderr, "%s: %s\n", expression, err.message);
		exit(1);
	}
	wf_buffer_reset(&text);
	start = now();
	(void)!wf_query_run(query, NULL, &how, &text, &err);
	*nanoseconds_out = now() - start;
	wf_buffer_free(&text);
	wf_query_free(&query);
	return err.rc;
}

/* The same, with the least time of several runs; returns the steps. */
static uint64_t run_often(
    struct cost *cost, unsigned count, uint64_t budget, double *nanoseconds_out)
{
	uint64_t left = budget;

	*nanoseconds_out = INFINITY;
	for (int i = 0; i < RUNS; i++) {
		double nanoseconds;

		left = budget;
		cost->rc = run(cost->expression, count, &left, &nanoseconds);
		*nanoseconds_out = fmin(*nanoseconds_out, nanoseconds);
	}
	return budget - left;
}

static void measure(struct cost *cost)
{
	double nanoseconds[2];
	uint64_t steps[2];

	/* The variables alone, then with the iterations. */
	steps[0] = run_often(cost, 0, UINT64_C(1) << 40, &nanoseconds[0]);
	steps[1] =
	    run_often(cost, ITERATIONS, steps[0] + STEPS, &nanoseconds[1]);
	cost->nanoseconds =
	    (nanoseconds[1] - nanoseconds[0]) / (double)(steps[1] - steps[0]);
}

int main(int argc, char **argv)
{
	size_t count = sizeof(costs) / sizeof(costs[0]);
	double worst = 0;

	/* Memory that the system gives anew costs what the system costs. */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	for (int i = 1; i < argc && (size_t)i <= count; i++)
		costs[i - 1].expression = argv[i];
	if (argc > 1 && (size_t)argc <= count)
		count = (size_t)argc - 1;
	for (size_t i = 0; i < count; i++) {
		measure(&costs[i]);
		worst = fmax(worst, costs[i].nanoseconds);
		printf("%7.1f ns a step: %s%s\n", costs[i].nanoseconds,
		    costs[i].expression,
		    costs[i].rc == WF_OK || costs[i].rc == WF_LIMIT
			? ""
			: " (an error)");
		fflush(stdout);
	}
	printf("worst nanoseconds per step %.0f\n", worst);
	return 0;
}
