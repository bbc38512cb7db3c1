/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a query, evaluated over a small document with little time and
 * memory.  A result that is an element must be a value that parses to itself.
 */
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wf_value *parse(const char *xml)
{
	struct wf_value *value = NULL;

	wf_assert(wf_value_parse(&value, xml, strlen(xml), NULL) == WF_OK);
	return value;
}

static void check_element(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how)
{
	struct wf_value *value = NULL;
	struct wf_value *again = NULL;

	if (wf_query_element(query, document, how, &value, NULL) != WF_OK ||
	    value == NULL)
		return;
	wf_assert(wf_value_from_canonical(&again, wf_value_text(value),
		      value->length, NULL) == WF_OK);
	wf_value_unref(&again);
	wf_value_unref(&value);
}

static void check(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how)
{
	struct wf_value_list list;
	struct wf_buffer text;
	bool holds;

	check_element(query, document, how);
	if (wf_query_elements(query, document, how, 100, &list, NULL) == WF_OK)
		wf_value_list_free(&list);
	(void)!wf_query_boolean(query, document, how, &holds, NULL);
	wf_buffer_init(&text, 1U << 20);
	(void)!wf_query_string(query, document, how, &text, NULL);
	(void)!wf_query_run(query, NULL, how, &text, NULL);
	wf_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "v" };
	static const char *const contents[] = { "12" };
	struct wf_evaluation how = {
		.variables = contents, .steps = 20000, .memory = 4U << 20
	};
	struct wf_value *values[2] = { parse("<x>1 &amp; 2</x>"),
		parse("<y><z a='1'>3</z><z/>t<u xmlns='n'>5</u></y>") };
	struct wf_document document = { "r", values, 2 };
	char *text = wf_strndup((const char *)data, size);
	struct wf_query *query = NULL;

	if (wf_query_compile(&query, text, names, 1, NULL) == WF_OK)
		check(query, &document, &how);
	wf_query_free(&query);
	wf_free(text);
	wf_value_unref(&values[0]);
	wf_value_unref(&values[1]);
	return 0;
}
