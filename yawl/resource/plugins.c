/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of selectors and codelets that editors ask for. */
#include <string.h>

#include "data/xml_writer.h"
#include "yawl/resource/gateway.h"

#define CLASS "org.yawlfoundation.yawl.resourcing."

enum list { CONSTRAINTS, FILTERS, ALLOCATORS, LISTS };

/* By enum list: the element around the list, and that of an entry. */
static const char *const words[LISTS][2] = { { "constraints", "constraint" },
	{ "filters", "filter" }, { "allocators", "allocator" } };

static const struct selector {
	enum list list;
	const char *name;
	const char *class;
	const char *displayed;
	const char *keys;
	const char *meaning;
} selectors[] = {
#define WF_SELECTOR(list, name, folder, displayed, keys, meaning)              \
	{ list, name, CLASS folder "." name, displayed, keys, meaning },
#include "yawl/resource/plugins.def"
};

#define SELECTOR_COUNT (sizeof(selectors) / sizeof(selectors[0]))

/* A row: a codelet, or a parameter of one. */
static const struct codelet {
	const char *codelet;
	const char *element; /* of a parameter; NULL: the codelet itself */
	const char *name;
	const char *type;
	const char *meaning;
} codelets[] = {
#define WF_CODELET(name, meaning) { name, NULL, name, NULL, meaning },
#define WF_CODELET_INPUT(codelet, name, type, meaning)                         \
	{ codelet, "inputParam", name, type, meaning },
#define WF_CODELET_OUTPUT(codelet, name, type, meaning)                        \
	{ codelet, "outputParam", name, type, meaning },
#include "yawl/resource/plugins.def"
};

#define CODELET_COUNT (sizeof(codelets) / sizeof(codelets[0]))

/* --- selectors ------------------------------------------------------------ */

static void put_keys(struct wf_gateway_call *call, const char *keys)
{
	wf_buffer_puts(&call->yawl.out, "<keys>");
	while (*keys != '\0') {
		size_t length = strcspn(keys, " ");

		wf_xml_put_element(&call->yawl.out, "key",
		    wf_arena_strndup(call->yawl.arena, keys, length));
		keys += length + (keys[length] == ' ');
	}
	wf_buffer_puts(&call->yawl.out, "</keys>");
}

static void put_list(struct wf_gateway_call *call, enum list list)
{
	struct wf_buffer *xml = &call->yawl.out;

	wf_buffer_printf(xml, "<%s>", words[list][0]);
	for (size_t i = 0; i < SELECTOR_COUNT; i++) {
		const struct selector *selector = &selectors[i];

		if (selector->list != list)
			continue;
		wf_buffer_printf(xml, "<%s>", words[list][1]);
		wf_xml_put_element(xml, "name", selector->name);
		wf_xml_put_element(xml, "canonicalname", selector->class);
		wf_xml_put_element(xml, "displayname", selector->displayed);
		wf_xml_put_element(xml, "description", selector->meaning);
		put_keys(call, selector->keys);
		wf_buffer_printf(xml, "</%s>", words[list][1]);
	}
	wf_buffer_printf(xml, "</%s>", words[list][0]);
}

void wf_gateway_get_constraints(struct wf_gateway_call *call)
{
	put_list(call, CONSTRAINTS);
	wf_gateway_answer(call);
}

void wf_gateway_get_filters(struct wf_gateway_call *call)
{
	put_list(call, FILTERS);
	wf_gateway_answer(call);
}

void wf_gateway_get_allocators(struct wf_gateway_call *call)
{
	put_list(call, ALLOCATORS);
	wf_gateway_answer(call);
}

void wf_gateway_get_selectors(struct wf_gateway_call *call)
{
	wf_buffer_puts(&call->yawl.out, "<selectors>");
	put_list(call, CONSTRAINTS);
	put_list(call, FILTERS);
	put_list(call, ALLOCATORS);
	wf_buffer_puts(&call->yawl.out, "</selectors>");
	wf_gateway_answer(call);
}

/* --- codelets ------------------------------------------------------------- */

static void put_parameters(struct wf_buffer *xml, const char *codelet)
{
	wf_buffer_puts(xml, "<requiredparams>");
	for (size_t i = 0; i < CODELET_COUNT; i++) {
		const struct codelet *row = &codelets[i];

		if (row->element == NULL || strcmp(row->codelet, codelet) != 0)
			continue;
		wf_buffer_printf(xml, "<%s>", row->element);
		wf_xml_put_element(xml, "name", row->name);
		wf_xml_put_element(xml, "datatype", row->type);
		wf_xml_put_element(
		    xml, "namespace", "http://www.w3.org/2001/XMLSchema");
		wf_xml_put_element(xml, "documentation", row->meaning);
		wf_buffer_printf(xml, "</%s>", row->element);
	}
	wf_buffer_puts(xml, "</requiredparams>");
}

void wf_gateway_get_codelets(struct wf_gateway_call *call)
{
	struct wf_buffer *xml = &call->yawl.out;

	wf_buffer_puts(xml, "<codelets>");
	for (size_t i = 0; i < CODELET_COUNT; i++) {
		const struct codelet *row = &codelets[i];

		if (row->element != NULL)
			continue;
		wf_buffer_puts(xml, "<codelet>");
		wf_xml_put_element(xml, "name", row->name);
		wf_xml_put_element(xml, "canonicalname",
		    wf_arena_printf(
			call->yawl.arena, CLASS "codelets.%s", row->name));
		wf_xml_put_element(xml, "description", row->meaning);
		put_parameters(xml, row->name);
		wf_buffer_puts(xml, "</codelet>");
	}
	wf_buffer_puts(xml, "</codelets>");
	wf_gateway_answer(call);
}

/* By its name, or by its class. */
void wf_gateway_get_codelet(struct wf_gateway_call *call)
{
	const char *name = wf_gateway_text(call, "name");
	const char *last = strrchr(name, '.');

	for (size_t i = 0; i < CODELET_COUNT; i++)
		if (codelets[i].element == NULL &&
		    strcmp(codelets[i].name, last == NULL ? name : last + 1) ==
			0) {
			put_parameters(&call->yawl.out, codelets[i].name);
			wf_gateway_answer(call);
			return;
		}
	wf_gateway_fail(call, "Could not locate codelet: '%s'.", name);
}
