/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mapping over a document of a megabyte costs, and what a program
 * written by hand costs that does the same: libxml2 reads the text, the tree is
 * walked by its pointers, the wanted nodes are copied.
 *
 * usage: mapping NAME weft|plain|list
 *
 * Does it once, in measured(), whose instructions bench/mapping.sh counts; the
 * two results must be the same, which "mapping NAME check" makes sure of.
 */
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/query.h"

#define ORDERS 9000

static const struct wf_evaluation how = { .now = 0 };

/* ---- the document ---- */

static struct wf_value *make_orders(void)
{
	struct wf_value *value = NULL;
	struct wf_buffer text;

	wf_buffer_init(&text, SIZE_MAX / 4);
	wf_buffer_puts(&text, "<orders>");
	for (unsigned i = 0; i < ORDERS; i++)
		wf_buffer_printf(&text,
		    "<order><id>%u</id><name>customer %u</name>"
		    "<price>%u.%02u</price>"
		    "<note>to be delivered to the back door</note></order>",
		    i, i * 7919 % 1000, i * 104729 % 1000, i % 100);
	wf_buffer_puts(&text, "</orders>");
	if (wf_value_parse(&value, wf_buffer_text(&text), text.length, NULL) !=
	    WF_OK)
		abort();
	wf_buffer_free(&text);
	return value;
}

/* ---- by hand ---- */

static xmlNode *child(xmlNode *node, const char *name)
{
	for (node = node->children; node != NULL; node = node->next) {
		if (strcmp((const char *)node->name, name) == 0)
			return node;
	}
	return NULL;
}

static const char *text_of(xmlNode *element)
{
	return element == NULL || element->children == NULL
		   ? ""
		   : (const char *)element->children->content;
}

static void copy(struct wf_buffer *out, const xmlNode *node)
{
	const char *name = (const char *)node->name;

	if (node->type == XML_TEXT_NODE) {
		const char *text = (const char *)node->content;

		wf_buffer_escape(out, text, strlen(text), false);
		return;
	}
	wf_buffer_putc(out, '<');
	wf_buffer_puts(out, name);
	if (node->children == NULL) {
		wf_buffer_puts(out, "/>");
		return;
	}
	wf_buffer_putc(out, '>');
	for (node = node->children; node != NULL; node = node->next)
		copy(out, node);
	wf_buffer_puts(out, "</");
	wf_buffer_puts(out, name);
	wf_buffer_putc(out, '>');
}

static void all(struct wf_buffer *out, xmlNode *orders)
{
	for (xmlNode *one = orders->children; one != NULL; one = one->next)
		copy(out, one);
}

static void expensive(struct wf_buffer *out, xmlNode *orders)
{
	for (xmlNode *one = orders->children; one != NULL; one = one->next) {
		if (strtod(text_of(child(one, "price")), NULL) > 900)
			copy(out, one);
	}
}

static void names(struct wf_buffer *out, xmlNode *orders)
{
	for (xmlNode *one = orders->children; one != NULL; one = one->next) {
		const char *text = text_of(child(one, "name"));

		wf_buffer_puts(out, "<n>");
		wf_buffer_escape(out, text, strlen(text), false);
		wf_buffer_puts(out, "</n>");
	}
}

static void count(struct wf_buffer *out, xmlNode *orders)
{
	unsigned number = 0;

	for (xmlNode *one = orders->children; one != NULL; one = one->next)
		number += strcmp((const char *)one->name, "order") == 0;
	wf_buffer_printf(out, "%u", number);
}

static void total(struct wf_buffer *out, xmlNode *orders)
{
	double sum = 0;

	for (xmlNode *one = orders->children; one != NULL; one = one->next)
		sum += strtod(text_of(child(one, "id")), NULL);
	wf_buffer_printf(out, "%.8gE7", sum / 1e7);
}

static void last(struct wf_buffer *out, xmlNode *orders)
{
	wf_buffer_puts(out, text_of(child(orders->last, "name")));
}

static void anywhere_below(struct wf_buffer *out, xmlNode *node)
{
	for (node = node->children; node != NULL; node = node->next) {
		if (strcmp((const char *)node->name, "price") == 0 &&
		    strcmp(text_of(node), "103.07") == 0)
			copy(out, node);
		anywhere_below(out, node);
	}
}

static const struct {
	const char *name;
	const char *query;
	void (*plain)(struct wf_buffer *out, xmlNode *orders);
} mappings[] = {
	{ "all", "<x>{/net/orders/*}</x>", all },
	{ "expensive", "<x>{/net/orders/order[price > 900]}</x>", expensive },
	{ "names",
	    "<x>{for $o in /net/orders/order return <n>{$o/name/text()}</n>}"
	    "</x>",
	    names },
	{ "count", "<x>{count(/net/orders/order)}</x>", count },
	{ "total", "<x>{sum(/net/orders/order/id)}</x>", total },
	{ "last", "<x>{/net/orders/order[last()]/name/text()}</x>", last },
	{ "anywhere", "<x>{//price[. = '103.07']}</x>", anywhere_below },
};

#define MAPPINGS (sizeof(mappings) / sizeof(mappings[0]))

/* ---- both ---- */

struct run {
	size_t mapping;
	bool by_hand;
	struct wf_query *query;
	struct wf_value *orders;
};

/* Named by bench/mapping.sh. */
struct wf_value *measured(const struct run *run);

__attribute__((noinline)) struct wf_value *measured(const struct run *run)
{
	struct wf_value *values[1] = { run->orders };
	struct wf_document document = { "net", values, 1 };
	struct wf_value *result = NULL;
	struct wf_buffer out;
	xmlDoc *tree;

	if (!run->by_hand) {
		if (wf_query_element(
			run->query, &document, &how, &result, NULL) != WF_OK)
			abort();
		return result;
	}
	tree = xmlReadMemory(wf_value_text(run->orders),
	    (int)run->orders->length, NULL, NULL, XML_PARSE_HUGE);
	wf_buffer_init(&out, SIZE_MAX / 4);
	wf_buffer_puts(&out, "<x>");
	mappings[run->mapping].plain(&out, xmlDocGetRootElement(tree));
	wf_buffer_puts(&out, "</x>");
	if (wf_value_from_canonical(
		&result, wf_buffer_text(&out), out.length, NULL) != WF_OK)
		abort();
	wf_buffer_free(&out);
	xmlFreeDoc(tree);
	return result;
}

static int check(struct run *run)
{
	struct wf_value *value = measured(run);
	struct wf_value *other;
	bool same;

	run->by_hand = true;
	other = measured(run);
	same = wf_value_equal(value, other);
	if (!same)
		fprintf(stderr, "%s: %.100s\n%.100s\n",
		    mappings[run->mapping].name, wf_value_text(value),
		    wf_value_text(other));
	wf_value_unref(&value);
	wf_value_unref(&other);
	return same ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct run run = { .mapping = 0 };
	struct wf_value *value;
	int status = 0;

	if (argc == 2 && strcmp(argv[1], "list") == 0) {
		for (size_t i = 0; i < MAPPINGS; i++)
			printf("%s\n", mappings[i].name);
		return 0;
	}
	while (argc == 3 && run.mapping < MAPPINGS &&
	       strcmp(mappings[run.mapping].name, argv[1]) != 0)
		run.mapping++;
	if (argc != 3 || run.mapping == MAPPINGS) {
		fputs("usage: mapping list | NAME weft|plain|check\n", stderr);
		return 2;
	}
	run.orders = make_orders();
	run.by_hand = strcmp(argv[2], "plain") == 0;
	if (wf_query_compile(&run.query, mappings[run.mapping].query, NULL, 0,
		NULL) != WF_OK)
		abort();
	if (strcmp(argv[2], "check") == 0) {
		status = check(&run);
	} else {
		value = measured(&run);
		printf("%u bytes of %u\n", (unsigned)value->length,
		    (unsigned)run.orders->length);
		wf_value_unref(&value);
	}
	wf_value_unref(&run.orders);
	wf_query_free(&run.query);
	return status;
}
