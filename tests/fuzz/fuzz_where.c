/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a condition on variables: one that is accepted is XQuery, and it
 * is evaluated; of one that is not, the place is said.  The text is also read
 * as values of each type and as words.
 */
#include <stdint.h>
#include <string.h>

#include "base/panic.h"
#include "data/query.h"
#include "persistence/where.h"
#include "xquery/text/unicode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct wf_where_variable variables[] = {
	{ "amount", WF_TERM_NUMBER },
	{ "order/customer", WF_TERM_TEXT },
	{ "due", WF_TERM_DATE },
	{ "due", WF_TERM_TEXT },
	{ "paid", WF_TERM_BOOLEAN },
	{ "not", WF_TERM_NUMBER },
	{ "or", WF_TERM_TEXT },
};

#define COUNT (sizeof(variables) / sizeof(variables[0]))

static void check_condition(const struct wf_where_node *where, const char *text)
{
	const struct wf_term_row terms[] = {
		{ 1, "amount", 1, "n1500011" },
		{ 1, "due", 1, "" },
		{ 1, "order/customer", 1, "tx" },
	};
	struct wf_error err = { .rc = WF_OK };
	struct wf_query *query;

	(void)wf_where_holds(where, terms, 3);
	(void)wf_where_holds(where, NULL, 0);
	/* In XQuery, "&" begins an entity. */
	if (strchr(text, '&') != NULL)
		return;
	if (wf_query_compile(&query, text, NULL, 0, &err) != WF_OK)
		wf_panic(__FILE__, __LINE__, err.message);
	wf_query_free(&query);
}

static void read_values(const char *text, size_t length)
{
	char out[WF_TERM_SIZE];
	struct wf_word_set words = { 0 };

	for (unsigned type = 0; type < WF_TERM_TYPES; type++)
		if (wf_term_write(type, text, length, out)) {
			wf_assert(out[0] == wf_term_mark(type));
			wf_assert(strlen(out) < sizeof(out));
			wf_assert(wf_is_utf8(out, strlen(out)));
		}
	wf_words_add(&words, text);
	wf_assert(words.count <= WF_WORDS);
	for (size_t i = 0; i < words.count; i++) {
		wf_assert(words.rows[i][0] != '\0');
		wf_assert(wf_is_utf8(words.rows[i], strlen(words.rows[i])));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	const char *text = wf_arena_strndup(arena, (const char *)data, size);
	struct wf_error err = { .rc = WF_OK };
	const struct wf_where_node *where;

	if (wf_where_parse(&where, text, variables, COUNT, arena, &err) ==
	    WF_OK)
		check_condition(where, text);
	else
		wf_assert(err.rc == WF_INVALID && err.message[0] != '\0');
	if (wf_is_utf8(text, strlen(text)))
		read_values(text, strlen(text));
	wf_arena_free(&arena);
	return 0;
}
