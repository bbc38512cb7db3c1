/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding cases: how values and words are kept, conditions, and pages of a
 * filter compared with a check of every case, in each store.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/unit/seed.h"
#include "tests/unit/store_fixture.h"

/* --- values --------------------------------------------------------------- */

static const char *written(
    struct wf_arena *arena, enum wf_term_type type, const char *text)
{
	char *out = wf_arena_alloc(arena, WF_TERM_SIZE);

	return wf_term_write(type, text, strlen(text), out) ? out : "none";
}

/* Each is less than the one behind it, but those that begin with "=". */
static void check_order(
    enum wf_term_type type, const char *const *texts, size_t count)
{
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 1; i < count; i++) {
		bool is_equal = texts[i][0] == '=';
		const char *a = texts[i - 1] + (texts[i - 1][0] == '=');
		const char *b = texts[i] + is_equal;
		int order =
		    strcmp(written(arena, type, a), written(arena, type, b));

		if (is_equal ? order != 0 : order >= 0)
			printf("%s and %s: %s and %s\n", a, b,
			    written(arena, type, a), written(arena, type, b));
		CU_ASSERT_TRUE(is_equal ? order == 0 : order < 0);
	}
	wf_arena_free(&arena);
}

#define ORDER(type, ...)                                                       \
	do {                                                                   \
		static const char *const texts[] = { __VA_ARGS__ };            \
		check_order(type, texts, sizeof texts / sizeof texts[0]);      \
	} while (0)

static void values_are_kept_in_their_order(void)
{
	ORDER(WF_TERM_NUMBER, "-INF", "-1E9000", "-100", "-99.5", "-99", "-10",
	    "=-1E1", "-9", "-1.5", "-1.05", "-1", "-0.5", "-0.05", "-1E-300",
	    "0", "=-0", "=+0.000", "=0E5", "1E-300", "0.05", "0.5", "=.5",
	    "=5e-1", "1", "=1.", "=01.0", "1.05", "1.5", "9", "10", "99",
	    "99.5", "100", "=1E2", "=\t100\n", "123456789012345678901",
	    "123456789012345678902", "1E9000", "INF");
	ORDER(WF_TERM_DATE, "-0044-03-15", "1969-12-31",
	    "1969-12-31T23:59:59.999Z", "1970-01-01", "=1970-01-01T00:00:00",
	    "=1970-01-01T02:00:00+02:00", "1970-01-01T00:00:00.001Z",
	    "2026-01-31", "2026-02-01Z", "2026-02-01-05:00", "12026-01-01");
	ORDER(WF_TERM_BOOLEAN, "false", "=0", "true", "=1");
	ORDER(WF_TERM_TEXT, "", "A", "a", "a b", "b", "\xc3\xa4");
}

static void other_texts_are_no_values(void)
{
	static const struct {
		enum wf_term_type type;
		const char *text;
	} rows[] = {
		{ WF_TERM_NUMBER, "" },
		{ WF_TERM_NUMBER, "." },
		{ WF_TERM_NUMBER, "1E" },
		{ WF_TERM_NUMBER, "1 2" },
		{ WF_TERM_NUMBER, "1.2.3" },
		{ WF_TERM_NUMBER, "NaN" },
		{ WF_TERM_NUMBER, "--1" },
		{ WF_TERM_DATE, "2026-02-30" },
		{ WF_TERM_DATE, "12:00:00" },
		{ WF_TERM_DATE, "" },
		{ WF_TERM_DATE, "999999999-01-01" },
		{ WF_TERM_BOOLEAN, "yes" },
		{ WF_TERM_BOOLEAN, "" },
	};
	char out[WF_TERM_SIZE];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		CU_ASSERT_FALSE(wf_term_write(
		    rows[i].type, rows[i].text, strlen(rows[i].text), out));
}

/* Long texts are cut between characters. */
static void long_texts_are_cut(void)
{
	char text[400];
	char out[WF_TERM_SIZE];

	memset(text, 'x', sizeof text);
	CU_ASSERT_TRUE(wf_term_write(WF_TERM_TEXT, text, sizeof text, out));
	CU_ASSERT_EQUAL(strlen(out), 1 + WF_TERM_TEXT_BYTES);
	for (size_t i = 0; i + 1 < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	CU_ASSERT_TRUE(
	    wf_term_write(WF_TERM_TEXT, text + 1, sizeof text - 1, out));
	CU_ASSERT_EQUAL(strlen(out), WF_TERM_TEXT_BYTES);
	memset(text, '9', sizeof text);
	CU_ASSERT_TRUE(wf_term_write(WF_TERM_NUMBER, text, sizeof text, out));
	CU_ASSERT_TRUE(strlen(out) <= WF_TERM_DIGITS + 8);
}

/* Any two numbers compare as their texts do. */
static void numbers_compare_as_texts(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_random random;

	random = (struct wf_random){ test_seed("find", 1) };
	for (unsigned i = 0; i < 20000; i++) {
		double number[2];
		char text[2][40];
		int order;

		for (unsigned k = 0; k < 2; k++) {
			int digits =
			    (int)wf_random_below(&random, 2000000) - 1000000;
			int exponent = (int)wf_random_below(&random, 9) - 4;

			snprintf(text[k], 40, "%dE%d", digits, exponent);
			number[k] = strtod(text[k], NULL);
		}
		order = strcmp(written(arena, WF_TERM_NUMBER, text[0]),
		    written(arena, WF_TERM_NUMBER, text[1]));
		CU_ASSERT_EQUAL_FATAL(
		    (number[0] > number[1]) - (number[0] < number[1]),
		    (order > 0) - (order < 0));
		wf_arena_reset(arena);
	}
	wf_arena_free(&arena);
}

/* --- words ---------------------------------------------------------------- */

static const char *words_of(
    struct wf_arena *arena, const char *title, const char *name)
{
	const struct wf_case_row row = { .title = title, .name = name };
	struct wf_word_set words;
	const char *text = "";

	wf_words_of_case(&words, &row);
	for (size_t i = 0; i < words.count; i++)
		text = wf_arena_printf(
		    arena, "%s%s%s", text, i > 0 ? " " : "", words.rows[i]);
	return text;
}

static void words_are_runs_of_letters_and_digits(void)
{
	struct wf_arena *arena = wf_arena_new();
	char many[1000] = "";

	CU_ASSERT_STRING_EQUAL(words_of(arena, "Trip to ROME, 2026-07", "17"),
	    "trip to rome 2026 07");
	CU_ASSERT_STRING_EQUAL(words_of(arena, "", "17"), "");
	CU_ASSERT_STRING_EQUAL(
	    words_of(arena, "a_b", "order-7.x"), "a b order 7 x");
	CU_ASSERT_STRING_EQUAL(words_of(arena, "One one ONE", "one"), "one");
	CU_ASSERT_STRING_EQUAL(
	    words_of(arena, "\xc3\x84rzte & B\xc3\xbcro!", "1"),
	    "\xc3\xa4rzte b\xc3\xbcro");
	CU_ASSERT_STRING_EQUAL(
	    words_of(arena, "12345678901234567890123456789012345", "1"),
	    "12345678901234567890123456789012");
	for (int i = 0; i < 99; i++)
		snprintf(many + strlen(many), 16, "w%d ", i);
	CU_ASSERT_STRING_EQUAL(words_of(arena, many, "1"),
	    "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15");
	wf_arena_free(&arena);
}

static void words_begin_words_of_a_text(void)
{
	struct wf_word_set words = { .count = 0 };
	char many[1000] = "";

	CU_ASSERT_EQUAL(wf_words_all(&words), 0);
	CU_ASSERT_EQUAL(wf_words_found(&words, "any text"), 0);
	wf_words_add(&words, "ROM trip w9");
	CU_ASSERT_EQUAL(wf_words_all(&words), 7);
	CU_ASSERT_EQUAL(wf_words_found(&words, NULL), 0);
	CU_ASSERT_EQUAL(wf_words_found(&words, "from a trap"), 0);
	CU_ASSERT_EQUAL(wf_words_found(&words, "to Rome"), 1);
	CU_ASSERT_EQUAL(wf_words_found(&words, "Trips.w99 to Rom"), 7);
	for (int i = 0; i < 99; i++)
		snprintf(many + strlen(many), 16, "v%d ", i);
	strcat(many, "rome");
	CU_ASSERT_EQUAL(wf_words_found(&words, many), 0);
}

/* --- conditions ----------------------------------------------------------- */

static const struct wf_where_variable variables[] = {
	{ "amount", WF_TERM_NUMBER },
	{ "order/customer", WF_TERM_TEXT },
	{ "due", WF_TERM_DATE },
	{ "paid", WF_TERM_BOOLEAN },
	{ "not", WF_TERM_NUMBER },
};

/* Of a case with amount 100, customer "O'Neil" and due on 2026-01-31. */
static bool holds(const char *text)
{
	static const char *const values[] = { "100", "2026-01-31", "O'Neil" };
	static const enum wf_term_type types[] = { WF_TERM_NUMBER, WF_TERM_DATE,
		WF_TERM_TEXT };
	static const char *const fields[] = { "amount", "due",
		"order/customer" };
	struct wf_arena *arena = wf_arena_new();
	const struct wf_where_node *where;
	struct wf_error err = { .rc = WF_OK };
	struct wf_term_row terms[3];
	bool result = false;

	for (size_t i = 0; i < 3; i++)
		terms[i] = (struct wf_term_row){ 1, fields[i], 1,
			written(arena, types[i], values[i]) };
	if (wf_where_parse(&where, text, variables, 5, arena, &err) == WF_OK)
		result = wf_where_holds(where, terms, 3);
	else
		CU_FAIL(err.message);
	wf_arena_free(&arena);
	return result;
}

static void conditions_hold(void)
{
	CU_ASSERT_TRUE(holds("amount = 100"));
	CU_ASSERT_TRUE(holds(" amount=1E2 "));
	CU_ASSERT_TRUE(holds("amount > 99.5 and amount < 100.5"));
	CU_ASSERT_FALSE(holds("amount > 100"));
	CU_ASSERT_TRUE(holds("amount >= 100 and amount <= 100"));
	CU_ASSERT_FALSE(holds("amount != 100"));
	CU_ASSERT_TRUE(holds("amount > -5"));
	CU_ASSERT_TRUE(holds("order/customer = \"O'Neil\""));
	CU_ASSERT_TRUE(holds("order/customer = 'O''Neil'"));
	CU_ASSERT_TRUE(holds("order/customer = \"O&apos;Neil\""));
	CU_ASSERT_FALSE(holds("order/customer < 'A'"));
	CU_ASSERT_TRUE(holds("due = '2026-01-31'"));
	CU_ASSERT_TRUE(holds("due > xs:date( \"2026-01-30\" )"));
	CU_ASSERT_TRUE(holds("due < xs:dateTime('2026-01-31T00:00:01Z') "));
	CU_ASSERT_TRUE(
	    holds("amount = 1 or amount = 100 and due > '2025-01-01'"));
	CU_ASSERT_FALSE(
	    holds("(amount = 100 or amount = 1) and due > '2027-01-01'"));
	CU_ASSERT_TRUE(holds("not(amount = 1)"));
	CU_ASSERT_TRUE(holds("not (not (amount = 100))"));
	/* Without a value nothing holds, and so not() does. */
	CU_ASSERT_FALSE(holds("paid = true()"));
	CU_ASSERT_FALSE(holds("paid != true()"));
	CU_ASSERT_TRUE(holds("not(paid = true( ))"));
	CU_ASSERT_FALSE(holds("not = 3"));
	CU_ASSERT_TRUE(holds("not(not = 3)"));
}

static void check_refused(const char *text, const char *why)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_where_node *where;
	struct wf_error err = { .rc = WF_OK };

	CU_ASSERT_EQUAL(wf_where_parse(&where, text, variables, 5, arena, &err),
	    WF_INVALID);
	CU_ASSERT_PTR_NULL(where);
	if (strstr(err.message, why) == NULL)
		CU_FAIL(err.message);
	wf_arena_free(&arena);
}

static void mistakes_are_located(void)
{
	char text[WF_WHERE_BYTES + 2];

	check_refused("", "at the end, expected a variable");
	check_refused("amount", "at the end, expected one of =");
	check_refused("amount ~ 3", "at character 8, expected one of =, !=");
	check_refused("amount =", "at the end, expected a number, a text");
	check_refused("amount = 1and amount = 2", "expected a number");
	check_refused("amount = x", "at character 10, expected a number");
	check_refused("amount = 1 2", "at character 12, expected and, or");
	check_refused("amount = 1 and", "at the end, expected a variable");
	check_refused("amount = 1.2.3", "at character 10, expected a number");
	check_refused("(amount = 1", "at the end, expected and, or, or ')'");
	check_refused(
	    "amount = \"x\"", "at character 10, expected a number such as 100");
	check_refused("order/customer = 1", "expected a text in quotes");
	check_refused("order/ = 1", "expected the name of an element");
	check_refused("due = '31.1.2026'", "expected a date such as");
	check_refused("due = xs:date(3)", "expected a text such as");
	check_refused("paid = 1", "expected true() or false()");
	check_refused("paid = true", "expected '('");
	check_refused("order/customer = \"x", "expected \" behind the text");
	check_refused("price > 1",
	    "the variable price is not indexed; these are: amount, "
	    "order/customer, due");
	check_refused("\xff", "expected UTF-8");
	memset(text, '(', WF_WHERE_BYTES);
	text[WF_WHERE_BYTES] = '\0';
	check_refused(text, "expected at most 16 parentheses");
	memset(text, ' ', WF_WHERE_BYTES + 1);
	text[WF_WHERE_BYTES + 1] = '\0';
	check_refused(text, "expected at most 2000 bytes");
	text[0] = '\0';
	for (unsigned i = 0; i <= WF_WHERE_COMPARISONS; i++)
		strcat(text, i == 0 ? "amount=1" : " or amount=1");
	check_refused(text, "expected at most 16 comparisons");
}

/* --- pages ---------------------------------------------------------------- */

#define CASES 200U

/* What is known of the cases. */
struct model {
	struct wf_stored_case cases[CASES + 1];
	struct wf_term_row terms[CASES + 1][2]; /* amount, order/customer */
	const char *incident[CASES + 1];	/* NULL: none */
};

static void make_case(struct store_fixture *f, struct model *model,
    struct wf_random *random, uint64_t number)
{
	static const char *const cities[] = { "Rome", "Romford", "Oslo" };
	struct wf_case_row *row = &model->cases[number].row;
	const char *amount =
	    wf_arena_printf(f->arena, "%u", wf_random_below(random, 50));
	const char *customer =
	    wf_arena_printf(f->arena, "c%u", wf_random_below(random, 5));

	*row = store_new_case(number, "").row;
	row->name = wf_arena_printf(f->arena,
	    number % 5 == 0 ? "trip-%llu" : "%llu", (unsigned long long)number);
	row->title = wf_random_below(random, 4) == 0
			 ? ""
			 : wf_arena_printf(f->arena, "Trip to %s %u",
			       cities[wf_random_below(random, 3)],
			       wf_random_below(random, 20));
	row->specification = 1 + wf_random_below(random, 3);
	row->launched_at = (int64_t)(1000 + number);
	row->changed_at = wf_random_below(random, 1000);
	row->status = wf_random_below(random, 3);
	model->cases[number].ended = wf_random_below(random, 3) == 0;
	model->terms[number][0] = (struct wf_term_row){ number, "amount", 1,
		written(f->arena, WF_TERM_NUMBER, amount) };
	model->terms[number][1] =
	    (struct wf_term_row){ number, "order/customer", 1,
		    wf_random_below(random, 3) == 0
			? ""
			: written(f->arena, WF_TERM_TEXT, customer) };
	if (wf_random_below(random, 10) == 0)
		model->incident[number] =
		    wf_random_below(random, 2) == 0 ? "a" : "b";
}

static void launch_case(
    struct store_fixture *f, const struct model *model, uint64_t number)
{
	const struct wf_stored_case *stored = &model->cases[number];
	struct wf_case_write write = { .row = stored->row,
		.change = stored->ended ? WF_CASE_END : WF_CASE_STEP };
	struct wf_history_row history = store_history_row(number, 1);
	struct wf_incident_write incident = {
		.row = { .id = number,
		    .namespace_id = 1,
		    .number = number,
		    .code = model->incident[number] }
	};
	struct wf_claim claim = { .namespace_id = 1, .name = stored->row.name };
	struct wf_batch batch = { .claims = &claim, .claim_count = 1 };
	struct wf_term_row terms[WF_WORDS + 2];
	struct wf_word_set words;
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = &history,
		.history_count = 1,
		.incidents = &incident,
		.incident_count = model->incident[number] != NULL,
		.terms = terms };

	wf_words_of_case(&words, &stored->row);
	for (size_t i = 0; i < words.count; i++)
		terms[writes.term_count++] = (struct wf_term_row){ number,
			wf_arena_printf(f->arena, ":%s", words.rows[i]), 1,
			"" };
	terms[writes.term_count++] = model->terms[number][0];
	terms[writes.term_count++] = model->terms[number][1];
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
}

static bool begins_word(const struct wf_case_row *row, const char *with)
{
	struct wf_word_set words;

	if (strcmp(row->name, with) == 0)
		return true;
	wf_words_of_case(&words, row);
	for (size_t i = 0; i < words.count; i++)
		if (strncmp(words.rows[i], with, strlen(with)) == 0)
			return true;
	return false;
}

static bool is_selected(const struct model *model,
    const struct wf_case_filter *filter, uint64_t number)
{
	const struct wf_stored_case *stored = &model->cases[number];
	const struct wf_case_row *row = &stored->row;
	const char *incident = model->incident[number];

	if (filter->live != filter->ended && filter->ended != stored->ended)
		return false;
	if (filter->words != NULL)
		for (size_t i = 0; i < filter->words->count; i++)
			if (!begins_word(row, filter->words->rows[i]))
				return false;
	return wf_is_specification(
		   &filter->specifications, row->specification) &&
	       (filter->statuses == 0 ||
		   (filter->statuses >> row->status & 1) != 0) &&
	       (filter->title == NULL ||
		   strcasecmp(filter->title, row->title) == 0) &&
	       row->launched_at >= filter->launched_from &&
	       (filter->launched_before == 0 ||
		   row->launched_at < filter->launched_before) &&
	       (filter->changed_before == 0 ||
		   row->changed_at < filter->changed_before) &&
	       (filter->ended_from == 0 ||
		   (stored->ended && row->changed_at >= filter->ended_from)) &&
	       (filter->incident == NULL ||
		   (incident != NULL &&
		       (filter->incident[0] == '\0' ||
			   strcmp(incident, filter->incident) == 0))) &&
	       (filter->where == NULL ||
		   wf_where_holds(filter->where, model->terms[number], 2));
}

static void make_filter(struct store_fixture *f, struct wf_random *random,
    struct wf_case_filter *filter)
{
	static const char *const texts[] = { "amount = %u", "amount >= %u",
		"amount < %u and order/customer = 'c1'",
		"amount = %u or amount = 7 or order/customer > 'c3'",
		"not(amount <= %u)", "order/customer != 'c2' and amount > %u",
		"(amount = %u or amount = 1) and not(order/customer = 'c0')" };
	static const char *const words[] = { "rom", "Trip oslo", "1", "5", "to",
		"trip-5", "nowhere" };
	static const uint64_t keys[] = { 3, 1 };
	struct wf_word_set *set = wf_arena_alloc(f->arena, sizeof(*set));
	char text[100];

	*filter = (struct wf_case_filter){ .namespace_id = 1,
		.live = wf_random_below(random, 4) == 0,
		.ended = wf_random_below(random, 4) == 0,
		.descending = wf_random_below(random, 2) == 0,
		.limit = 1 + wf_random_below(random, 30) };
	if (wf_random_below(random, 4) == 0)
		filter->specifications =
		    (struct wf_specification_keys){ keys, 2 };
	if (wf_random_below(random, 4) == 0)
		filter->statuses = 1 + wf_random_below(random, 7);
	if (wf_random_below(random, 3) == 0) {
		*set = (struct wf_word_set){ 0 };
		wf_words_add(set, words[wf_random_below(random, 7)]);
		filter->words = set;
	}
	if (wf_random_below(random, 8) == 0)
		filter->title = wf_arena_printf(
		    f->arena, "TRIP to Rome %u", wf_random_below(random, 20));
	if (wf_random_below(random, 6) == 0)
		filter->launched_from = 1000 + wf_random_below(random, CASES);
	if (wf_random_below(random, 6) == 0)
		filter->launched_before = 1000 + wf_random_below(random, CASES);
	if (wf_random_below(random, 6) == 0)
		filter->changed_before = wf_random_below(random, 1000);
	if (wf_random_below(random, 6) == 0)
		filter->ended_from = 1 + wf_random_below(random, 1000);
	if (wf_random_below(random, 5) == 0)
		filter->incident = wf_random_below(random, 2) == 0 ? "" : "b";
	if (wf_random_below(random, 2) == 0) {
		snprintf(text, sizeof text, texts[wf_random_below(random, 7)],
		    wf_random_below(random, 50));
		OK(wf_where_parse(
		    &filter->where, text, variables, 5, f->arena, &f->err));
	}
}

/* All pages of the filter have the cases that it selects, by number. */
static void check_filter(struct store_fixture *f, const struct model *model,
    struct wf_case_filter *filter)
{
	uint64_t number = filter->descending ? CASES : 1;
	uint64_t step = filter->descending ? UINT64_MAX : 1;
	unsigned pages = 0;

	do {
		struct wf_case_list list;

		OK(wf_store_cases(f->other, filter, f->arena, &list, &f->err));
		CU_ASSERT_TRUE_FATAL(list.count <= filter->limit);
		for (size_t i = 0; i < list.count; i++) {
			while (number >= 1 && number <= CASES &&
			       !is_selected(model, filter, number))
				number += step;
			CU_ASSERT_EQUAL_FATAL(list.rows[i].row.number, number);
			CU_ASSERT_STRING_EQUAL(list.rows[i].row.title,
			    model->cases[number].row.title);
			CU_ASSERT_EQUAL(
			    list.rows[i].ended, model->cases[number].ended);
			number += step;
		}
		filter->after = list.next;
		CU_ASSERT_TRUE_FATAL(++pages <= CASES + 1);
	} while (filter->after != 0);
	for (; number >= 1 && number <= CASES; number += step)
		CU_ASSERT_FALSE(is_selected(model, filter, number));
}

static void check_pages(struct store_fixture *f)
{
	struct model *model = wf_arena_alloc(f->arena, sizeof(*model));
	struct wf_random random;

	memset(model, 0, sizeof(*model));
	random = (struct wf_random){ test_seed("find", 1) };
	for (uint64_t number = 1; number <= CASES; number++) {
		make_case(f, model, &random, number);
		launch_case(f, model, number);
	}
	for (unsigned i = 0; i < 300; i++) {
		struct wf_case_filter filter;

		make_filter(f, &random, &filter);
		check_filter(f, model, &filter);
	}
}

static void pages_have_what_the_filter_selects(void)
{
	store_on_each(check_pages);
}

/* --- terms beside batches ------------------------------------------------- */

static const char *found(struct store_fixture *f, const char *amount)
{
	const struct wf_term_range range = { 1, "amount",
		written(f->arena, WF_TERM_NUMBER, amount), NULL, NULL };
	uint64_t numbers[9];
	size_t count;
	const char *text = "";

	OK(wf_store_find_terms(
	    f->other, &range, 0, false, 9, numbers, &count, &f->err));
	for (size_t i = 0; i < count; i++)
		text = wf_arena_printf(
		    f->arena, "%s %llu", text, (unsigned long long)numbers[i]);
	return text;
}

static bool put_amount(struct store_fixture *f, uint64_t number,
    uint64_t version, const char *amount)
{
	const struct wf_term_row row = { number, "amount", 1,
		written(f->arena, WF_TERM_NUMBER, amount) };
	bool is_written = true;

	OK(wf_store_put_terms(
	    f->store, number, version, &row, 1, &is_written, &f->err));
	return is_written;
}

static void check_put(struct store_fixture *f)
{
	struct wf_take take;
	size_t count;

	OK(store_launch(f, 1, "a", NULL));
	OK(store_launch(f, 2, "b", NULL));
	CU_ASSERT_TRUE(put_amount(f, 1, 1, "5"));
	CU_ASSERT_TRUE(put_amount(f, 2, 1, "5.0"));
	CU_ASSERT_STRING_EQUAL(found(f, "5"), " 1 2");
	CU_ASSERT_FALSE(put_amount(f, 1, 2, "6"));
	CU_ASSERT_FALSE(put_amount(f, 3, 1, "6"));
	CU_ASSERT_STRING_EQUAL(found(f, "6"), "");
	/* A case that a batch has taken is left to that. */
	CU_ASSERT_EQUAL(store_take(f, f->other, 1, 0, &take), WF_TAKE_TAKEN);
	CU_ASSERT_FALSE(put_amount(f, 1, 1, "6"));
	OK(store_step_to(f, f->other, &take, WF_CASE_END, 1, NULL));
	CU_ASSERT_FALSE(put_amount(f, 1, 1, "6"));
	CU_ASSERT_TRUE(put_amount(f, 1, 2, "6"));
	CU_ASSERT_STRING_EQUAL(found(f, "6"), " 1");
	CU_ASSERT_STRING_EQUAL(found(f, "5"), " 2");
	OK(wf_store_retire(f->store, 1000000, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_STRING_EQUAL(found(f, "6"), "");
	CU_ASSERT_FALSE(put_amount(f, 1, 2, "6"));
}

static void terms_are_put_beside_batches(void)
{
	store_on_each(check_put);
}

CU_TestInfo wf_tests_find[] = {
	{ "values are kept in their order", values_are_kept_in_their_order },
	{ "other texts are no values", other_texts_are_no_values },
	{ "long texts are cut", long_texts_are_cut },
	{ "numbers compare as texts", numbers_compare_as_texts },
	{ "words are runs of letters and digits",
	    words_are_runs_of_letters_and_digits },
	{ "words begin words of a text", words_begin_words_of_a_text },
	{ "conditions hold", conditions_hold },
	{ "mistakes are located", mistakes_are_located },
	{ "pages have what the filter selects",
	    pages_have_what_the_filter_selects },
	{ "terms are put beside batches", terms_are_put_beside_batches },
	CU_TEST_INFO_NULL,
};
