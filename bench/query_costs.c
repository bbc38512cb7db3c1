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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "data/query.h"

/* Steps that each expression may take. */
#define STEPS 2000000U

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

/*
 * Runs a million iterations within budget; returns the time, and takes the
 * steps from *budget.
 */
static enum wf_rc run(
    const char *expression, uint64_t *budget, double *nanoseconds_out)
{
	struct wf_query *query = NULL;
	struct wf_error err = { .rc = WF_OK };
	struct wf_evaluation how = { .budget = budget };
	struct wf_buffer text;
	double start;

	/* The variables have their values before the first iteration. */
	wf_buffer_init(&text, 1U << 20);
	wf_buffer_printf(&text,
	    "%s let $all := count(($s, $t, $u, $q, $w, $n, $m, $e, $d, $big)) "
	    "return count(for $i in $all to 1000000 return (%s))",
	    WF_COST_PROLOG, expression);
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

/* What the variables take. */
struct base {
	double nanoseconds;
	uint64_t steps;
};

static void measure(struct cost *cost, const struct base *base)
{
	uint64_t budget = base->steps + STEPS;
	double time;

	cost->rc = run(cost->expression, &budget, &time);
	cost->nanoseconds =
	    (time - base->nanoseconds) / (double)(base->steps + STEPS - budget);
}

int main(int argc, char **argv)
{
	size_t count = sizeof(costs) / sizeof(costs[0]);
	struct base base = { .nanoseconds = 0 };
	uint64_t budget = UINT64_C(1) << 40;
	double worst = 0;

	for (int i = 1; i < argc && (size_t)i <= count; i++)
		costs[i - 1].expression = argv[i];
	if (argc > 1 && (size_t)argc <= count)
		count = (size_t)argc - 1;
	(void)!run("error()", &budget, &base.nanoseconds);
	base.steps = (UINT64_C(1) << 40) - budget;
	for (size_t i = 0; i < count; i++) {
		measure(&costs[i], &base);
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
