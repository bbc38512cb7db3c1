/* SPDX-License-Identifier: Apache-2.0 */
/* XQuery: limits on the cost of a query, and memory that runs out. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/query.h"
#include "xquery/atomic/atomic.h"
#include "xquery/functions/functions.h"

extern CU_TestInfo wf_tests_query_limits[];

static enum wf_rc cost(const char *text, uint64_t steps, size_t memory)
{
	struct wf_evaluation how = { .steps = steps, .memory = memory };
	struct wf_query *query = NULL;
	struct wf_buffer result;
	enum wf_rc rc = wf_query_compile(&query, text, NULL, 0, NULL);

	wf_buffer_init(&result, 1024);
	if (rc == WF_OK)
		rc = wf_query_run(query, NULL, &how, &result, NULL);
	wf_buffer_free(&result);
	wf_query_free(&query);
	return rc;
}

/* The steps that a query takes. */
static enum wf_rc steps_of(const char *text, uint64_t *steps_out)
{
	uint64_t budget = UINT64_C(1) << 40;
	struct wf_evaluation how = { .budget = &budget };
	struct wf_query *query = NULL;
	struct wf_buffer result;
	enum wf_rc rc = wf_query_compile(&query, text, NULL, 0, NULL);

	wf_buffer_init(&result, 1U << 20);
	if (rc == WF_OK)
		rc = wf_query_run(query, NULL, &how, &result, NULL);
	*steps_out = (UINT64_C(1) << 40) - budget;
	wf_buffer_free(&result);
	wf_query_free(&query);
	return rc;
}

static enum wf_rc compile_repeated(
    const char *part, size_t count, const char *end)
{
	struct wf_query *query = NULL;
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, SIZE_MAX / 4);
	for (size_t i = 0; i < count; i++)
		wf_buffer_puts(&text, part);
	wf_buffer_puts(&text, end);
	rc = wf_query_compile(&query, wf_buffer_text(&text), NULL, 0, NULL);
	wf_buffer_free(&text);
	wf_query_free(&query);
	return rc;
}

static void has_limits(void)
{
	CU_ASSERT_EQUAL(cost("count(1 to 1000)", 100000, 0), WF_OK);
	CU_ASSERT_EQUAL(
	    cost("count(for $a in 1 to 1000, $b in 1 to 1000 return 1)", 100000,
		0),
	    WF_LIMIT);
	CU_ASSERT_EQUAL(cost("count(1 to 1000000)", 0, 1 << 20), WF_LIMIT);
	CU_ASSERT_EQUAL(
	    cost("declare function local:f($n) { 1 + local:f($n + 1) }; "
		 "local:f(1)",
		0, 0),
	    WF_LIMIT);
	CU_ASSERT_EQUAL(
	    cost("try { for $a in 1 to 100000 return 1 } catch * { 2 }", 1000,
		0),
	    WF_LIMIT);
	CU_ASSERT_EQUAL(compile_repeated("(", 500000, ""), WF_LIMIT);
	CU_ASSERT_EQUAL(compile_repeated("(", 100 << 20, ""), WF_LIMIT);
	CU_ASSERT_EQUAL(compile_repeated("<a>", 100000, ""), WF_LIMIT);
	CU_ASSERT_EQUAL(
	    compile_repeated("declare option local:x '';", 1001, "1"),
	    WF_LIMIT);
	CU_ASSERT_EQUAL(compile_repeated("-", 100000, "1"), WF_OK);
	CU_ASSERT_EQUAL(compile_repeated("1+", 100000, "1"), WF_LIMIT);
	CU_ASSERT_EQUAL(compile_repeated("1 or ", 10000, "1"), WF_OK);
	CU_ASSERT_EQUAL(
	    compile_repeated("if (1) then 1 else ", 10000, "1"), WF_LIMIT);
}

/*
 * Few steps, each over a text of 400 kilobytes or over many items: the amount
 * of data that they inspect counts.
 */
static const char *const hostile[] = {
	"count(for $i in 1 to 20000 return $s = $t)",
	"count(for $i in 1 to 20000 return $s lt $t)",
	"count(for $i in 1 to 20000 return compare($s, $t))",
	"count(for $i in 1 to 20000 return contains($s, 'y'))",
	"count(for $i in 1 to 20000 return matches($s, 'y'))",
	"count(for $i in 1 to 20000 return string-length($s))",
	"count(for $i in 1 to 20000 return $s castable as xs:integer)",
	"count(for $i in 1 to 20000 return number($s))",
	"count(for $i in 1 to 20000 order by ($s, $t)[$i mod 2 + 1] return $i)",
	"count(for $i in 1 to 20000 group by $k := ($s, $t)[$i mod 2 + 1] "
	"return $i)",
	"count(distinct-values(for $i in 1 to 20000 return $s))",
	"index-of(for $i in 1 to 20000 return $s, $t)",
	"max(for $i in 1 to 20000 return ($s, $t)[$i mod 2 + 1])",
	"(for $i in 1 to 20000 return $s) = $t",
	"(for $i in 1 to 20000 return $t) != $t",
	"count(for $i in 1 to 20000 return switch ($s) case $t return 1 "
	"default return 2)",
	"count(for $i in 1 to 20000 return deep-equal($s, $t))",
	"count(for $i in 1 to 20000 return deep-equal($n, $m))",
	"count(for $i in 1 to 20000 return starts-with($s, $t))",
	"count(for $i in 1 to 20000 return $n/text() = $s)",
	"count(for $i in 1 to 20000 return translate('x', $s, ''))",
	"count(for $i in 1 to 20000 return substring($s, 400000))",
	"count(for $i in 1 to 20000 return substring-before($s, 'y'))",
};

static void counts_text(void)
{
	static const char prolog[] =
	    "declare variable $s := string-join((1 to 100000) ! 'abcd', '');"
	    "declare variable $t := concat($s, 'z');"
	    "declare variable $n := <n>{$s}</n>;"
	    "declare variable $m := <n>{$s}</n>;";

	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		char text[1024];
		enum wf_rc rc;

		snprintf(text, sizeof(text), "%s %s", prolog, hostile[i]);
		rc = cost(text, 2000000, (size_t)200 << 20);
		if (rc != WF_LIMIT)
			printf("\n%s\n", hostile[i]);
		CU_ASSERT_EQUAL(rc, WF_LIMIT);
	}
}

static const struct {
	unsigned large;
	const char *expression;
} rows[] = {
#define WF_COST(large, expression) { large, expression },
#include "bench/query_costs.def"
#undef WF_COST
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What the rows use, by the kinds of expressions and of functions. */
struct uses {
	uint64_t operators[WF_EXPR_KIND_COUNT]; /* a bit each */
	const struct wf_function *functions[1000];
	size_t function_count;
};

static void find_uses(struct uses *uses, const struct wf_expr *expr)
{
	uses->operators[expr->kind] |= UINT64_C(1) << (expr->op % 64);
	if (expr->kind == WF_EXPR_CALL && uses->function_count < 1000)
		uses->functions[uses->function_count++] = expr->u.call->builtin;
	for (unsigned i = 0; i < expr->count; i++)
		find_uses(uses, expr->kids[i]);
}

static bool uses_function(
    const struct uses *uses, const struct wf_function *function)
{
	for (size_t i = 0; i < uses->function_count; i++)
		if (uses->functions[i] == function)
			return true;
	printf("\nquery_costs.def has no %s:%s()\n", function->space,
	    function->name);
	return false;
}

static void uses_all(
    const struct uses *uses, const struct wf_function *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		CU_ASSERT(uses_function(uses, &table[i]));
}

static void has_costs_of_all(void)
{
	static const struct {
		enum wf_expr_kind kind;
		unsigned count; /* of operators */
	} operators[] = { { WF_EXPR_ARITHMETIC, WF_MODULO + 1 },
		{ WF_EXPR_STEP, WF_AXIS_ANCESTOR_OR_SELF + 1 },
		{ WF_EXPR_COMBINE, WF_EXCEPT + 1 },
		{ WF_EXPR_NODE_COMPARE, WF_NODE_AFTER + 1 } };
	static struct uses uses;

	memset(&uses, 0, sizeof(uses));
	for (size_t i = 0; i < ROWS; i++) {
		struct wf_query *query = NULL;
		char text[4096];

		snprintf(text, sizeof(text), "%s for $i in 1 to 2 return %s",
		    WF_COST_PROLOG, rows[i].expression);
		CU_ASSERT_EQUAL_FATAL(
		    wf_query_compile(&query, text, NULL, 0, NULL), WF_OK);
		find_uses(&uses, query->body);
		wf_query_free(&query);
	}
	uses_all(&uses, wf_sequence_functions, wf_sequence_function_count);
	uses_all(&uses, wf_node_functions, wf_node_function_count);
	uses_all(&uses, wf_atomic_functions, wf_atomic_function_count);
	for (size_t i = 0; i < WF_EXPR_KIND_COUNT; i++) {
		if (uses.operators[i] == 0)
			printf("\nno expression of kind %zu\n", i);
		CU_ASSERT(uses.operators[i] != 0);
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		CU_ASSERT_EQUAL(uses.operators[operators[i].kind],
		    (UINT64_C(1) << operators[i].count) - 1);
}

/* Each reads much in one step of the query: it is charged for that. */
static void charges_what_it_reads(void)
{
	for (size_t i = 0; i < ROWS; i++) {
		const char *all = "count(($s, $t, $u, $q, $w, $n, $m, $e, $d, "
				  "$big))";
		uint64_t steps[2];
		enum wf_rc rc[2];

		for (int j = 0; j < 2; j++) {
			char text[4096];

			snprintf(text, sizeof(text),
			    "%s let $a := %s for $i in 1 to 2 return count(%s)",
			    WF_COST_PROLOG, all,
			    j == 0 ? "()" : rows[i].expression);
			rc[j] = steps_of(text, &steps[j]);
		}
		if (rc[1] != WF_OK || steps[1] - steps[0] < rows[i].large / 32)
			printf("\n%s: %u steps\n", rows[i].expression,
			    (unsigned)(steps[1] - steps[0]));
		CU_ASSERT_EQUAL(rc[1], WF_OK);
		/* Two iterations. */
		CU_ASSERT(steps[1] - steps[0] >= rows[i].large / 32);
	}
}

/* Regular expressions are charged for what they did. */
static void bounds_matches(void)
{
	static const char *const queries[] = {
		"count(for $i in 1 to 1000000 return "
		"matches('aaaaaaaaaaaaaaaaaab','(a+)+$'))",
		"count(for $i in 1 to 1000000 return "
		"replace('aaaaaaaaaaaaaaaaaab','(a+)+$', 'x'))",
		"count(for $i in 1 to 1000000 return "
		"tokenize('aaaaaaaaaaaaaaaaaab','(a+)+$'))",
		"count(for $i in 1 to 1000000 return "
		"matches(string($i),concat('a', $i)))",
	};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		CU_ASSERT_EQUAL(cost(queries[i], 0, 0), WF_LIMIT);
	/* A single match takes more than this. */
	CU_ASSERT_EQUAL(
	    cost("matches('aaaaaaaaaaaaaaaaaab','(a+)+$')", 100000, 0),
	    WF_LIMIT);
}

/* Little in a query, but much more than an expression. */
static void charges_what_it_takes(void)
{
	static const char *const queries[] = {
		"count(for $i in 1 to 100000 return $i + 0.5 + 1e0)",
		"count(for $i in 1 to 100000 return $i + 0.5 = 1e0)",
		"count(for $i in 1 to 100000 return string(1.5e-77))",
		"count(for $i in 1 to 100000 return xs:decimal(1.5e7))",
		"let $e := <e><f/></e> return "
		"count(for $i in 1 to 100000 return path($e/f))",
		"let $e := <e>{(1 to 1000) ! <f/>}</e> return "
		"count(for $i in 1 to 300 return $e/* | $e/*)",
		"let $s := string-join((1 to 1000) ! 'abcd', '') return "
		"count(for $i in 1 to 5000 return matches($s, '[xyz]'))",
	};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		CU_ASSERT_EQUAL(cost(queries[i], 1200000, 0), WF_LIMIT);
}

/* Queries that would take quadratic time if they were evaluated literally. */
static void many_are_no_problem(void)
{
	static const char *const queries[] = {
		"count(distinct-values(1 to 100000))",
		"count(distinct-values((1 to 100000) ! string()))",
		"count(distinct-values((1 to 100000) ! xs:float(.)))",
		"count(for $i in 1 to 100000 group by $k := $i return $k)",
		"count(for $i in 1 to 100000 group by $k := 1 return $k)",
		"count(for $i in 1 to 100000 order by -$i return $i)",
		"count(outermost(<a>{(1 to 10000) ! <b/>}</a>//b))",
	};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		CU_ASSERT_EQUAL(cost(queries[i], 5000000, 0), WF_OK);
}

static void shares_a_budget(void)
{
	uint64_t budget = 5500;
	struct wf_evaluation how = { .budget = &budget };
	struct wf_query *query = NULL;
	bool holds;

	CU_ASSERT_EQUAL(
	    wf_query_compile(&query, "count(1 to 900) = 900", NULL, 0, NULL),
	    WF_OK);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(
		    wf_query_boolean(query, NULL, &how, &holds, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_query_boolean(query, NULL, &how, &holds, NULL), WF_LIMIT);
	wf_query_free(&query);
}

/* ---- memory that runs out: nothing is lost ---- */

struct attempt {
	const char *text;
	struct wf_query *query;
	struct wf_value_list list;
	enum wf_rc rc;
};

static void compile(void *argument)
{
	struct attempt *attempt = argument;

	attempt->rc =
	    wf_query_compile(&attempt->query, attempt->text, NULL, 0, NULL);
}

static void evaluate(void *argument)
{
	struct attempt *attempt = argument;
	struct wf_evaluation how = { .now = 0 };

	attempt->rc = wf_query_elements(
	    attempt->query, NULL, &how, 100, &attempt->list, NULL);
}

/* Fails the n-th allocation for every n until all succeeds. */
static void fail_each(void (*function)(void *), struct attempt *attempt)
{
	struct wf_guard guard;
	uint64_t n = 1;
	bool done = false;

	for (; !done && n < 2000; n++) {
		wf_memory_fail_after(n);
		done = wf_guard_run(&guard, function, attempt);
		wf_memory_fail_after(0);
	}
	CU_ASSERT(done);
	CU_ASSERT(n > 2);
}

/* The address sanitizer checks that nothing leaks. */
static void runs_out_of_memory(void)
{
	static const char *const queries[] = {
		"<a>{(1 to 2000) ! <b>{.}</b>}</a>",
		"<a>{matches('abc', '[a-z-[aeiou]]+')}</a>",
		"<a>{replace('abc', '[^b]', 'xxxxxxxxxx')}</a>",
		"parse-xml('<a><b>1</b><c/></a>')/*/*",
		"<a>{upper-case('abc'), serialize(<b/>)}</a>",
		"for $i in 1 to 50 return <a>{$i}</a>",
		"<a>{distinct-values((1, 2, 1)), for $i in (3, 1, 2) "
		"order by $i return $i}</a>",
	};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct attempt attempt = { .text = queries[i] };

		fail_each(compile, &attempt);
		CU_ASSERT_EQUAL_FATAL(attempt.rc, WF_OK);
		fail_each(evaluate, &attempt);
		CU_ASSERT_EQUAL(attempt.rc, WF_OK);
		wf_value_list_free(&attempt.list);
		wf_query_free(&attempt.query);
	}
}

CU_TestInfo wf_tests_query_limits[] = {
	{ "has limits", has_limits },
	{ "counts the text that is inspected", counts_text },
	{ "all functions and operators are measured", has_costs_of_all },
	{ "charges what is read", charges_what_it_reads },
	{ "charges what regular expressions do", bounds_matches },
	{ "what takes long is charged for it", charges_what_it_takes },
	{ "many values are no problem", many_are_no_problem },
	{ "several evaluations share a budget", shares_a_budget },
	{ "running out of memory loses nothing", runs_out_of_memory },
	CU_TEST_INFO_NULL,
};
