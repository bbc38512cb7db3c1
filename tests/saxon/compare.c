/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the results of queries in Weft with those in Saxon.
 *
 * usage: compare FOLDER [SHOWN]
 *
 * Reads FOLDER/cases, as Differential.java wrote it.  Mappings, predicates and
 * splitters are evaluated as the engine does it, and Saxon's result is read as
 * YAWL reads it; plain queries are compared as text, or, when that differs, in
 * the canonical form of XML.  Queries that Saxon refuses or fails at must fail
 * here, except plain queries, where the order of evaluation decides which error
 * occurs.
 * Shows at most SHOWN differences (20); the last line is the sum.
 */
#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/query.h"

/* 2026-06-02T10:00:00Z */
#define NOW INT64_C(1780394400000)

enum verdict { SAME, DIFFERENT, SKIPPED };

struct example {
	char kind[16];
	char document[32];
	char status[16];
	char *query;
	char *wanted;
	size_t wanted_length;
	char *path; /* of the document */
	struct wf_buffer result;
	struct wf_error err;
};

static const struct wf_evaluation how = { .now = NOW };

static char *read_bytes(FILE *file, size_t length)
{
	char *text = wf_malloc(length + 2);

	if (fread(text, 1, length + 1, file) != length + 1)
		text[0] = '\0';
	text[length] = '\0';
	return text;
}

static bool next_example(FILE *file, const char *folder, struct example *one)
{
	size_t query_length;

	memset(one, 0, sizeof(*one));
	if (fscanf(file, "case %15s %31s %zu %zu %15s", one->kind,
		one->document, &query_length, &one->wanted_length,
		one->status) != 5 ||
	    fgetc(file) != '\n')
		return false;
	one->query = read_bytes(file, query_length);
	one->wanted = read_bytes(file, one->wanted_length);
	one->path = wf_malloc(strlen(folder) + strlen(one->document) + 2);
	sprintf(one->path, "%s/%s", folder, one->document);
	wf_buffer_init(&one->result, (size_t)64 << 20);
	return true;
}

static void free_example(struct example *one)
{
	wf_free(one->query);
	wf_free(one->wanted);
	wf_free(one->path);
	wf_buffer_free(&one->result);
}

/* ---- plain queries ---- */

/* The canonical form of text as the content of an element; NULL: not XML. */
static char *canonical(const char *text)
{
	struct wf_buffer whole;
	xmlChar *bytes = NULL;
	xmlDoc *document;
	char *result = NULL;

	wf_buffer_init(&whole, SIZE_MAX / 4);
	wf_buffer_printf(&whole, "<w>%s</w>", text);
	document = xmlReadMemory(wf_buffer_text(&whole), (int)whole.length,
	    NULL, NULL, XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	wf_buffer_free(&whole);
	if (document == NULL)
		return NULL;
	if (xmlC14NDocDumpMemory(
		document, NULL, XML_C14N_EXCLUSIVE_1_0, NULL, 1, &bytes) >= 0)
		result = wf_strdup((const char *)bytes);
	xmlFree(bytes);
	xmlFreeDoc(document);
	return result;
}

static bool same_xml(const char *a, const char *b)
{
	char *x = canonical(a);
	char *y = canonical(b);
	bool same = x != NULL && y != NULL && strcmp(x, y) == 0;

	wf_free(x);
	wf_free(y);
	return same;
}

static bool plain(struct example *one, const struct wf_query *query)
{
	if (wf_query_run(query, one->path, &how, &one->result, &one->err) !=
	    WF_OK)
		return false;
	return strcmp(wf_buffer_text(&one->result), one->wanted) == 0 ||
	       same_xml(wf_buffer_text(&one->result), one->wanted);
}

/* ---- evaluation as in the engine ----------------------------------------- */

/* Whether the values are the elements in text, which YAWL parses. */
static bool same_values(struct example *one, struct wf_value *const *values,
    size_t count, bool exactly_one)
{
	struct wf_value_list list = { NULL, NULL, 0 };
	struct wf_buffer text;
	bool same;

	for (size_t i = 0; i < count; i++)
		wf_buffer_puts(&one->result, wf_value_text(values[i]));
	wf_buffer_init(&text, SIZE_MAX / 4);
	wf_buffer_printf(&text, "<root>%s</root>", one->wanted);
	/* Weft must not return a result that YAWL cannot read as elements. */
	if (wf_value_list_parse(
		&list, wf_buffer_text(&text), text.length, NULL) != WF_OK ||
	    (exactly_one && list.count != 1)) {
		same = exactly_one && count == 0;
	} else {
		same = list.count == count;
		for (size_t i = 0; i < count && same; i++)
			same = wf_value_equal(list.values[i], values[i]);
	}
	wf_value_list_free(&list);
	wf_buffer_free(&text);
	return same;
}

static bool mapping(struct example *one, const struct wf_query *query,
    const struct wf_document *document)
{
	struct wf_value *value = NULL;
	bool same;

	if (wf_query_element(query, document, &how, &value, &one->err) ==
	    WF_OK) {
		same = same_values(one, &value, value == NULL ? 0 : 1, true);
		wf_value_unref(&value);
		return same;
	}
	/* YAWL fails as well where it does not get one element. */
	return same_values(one, NULL, 0, true);
}

static bool splitter(struct example *one, const struct wf_query *query,
    const struct wf_document *document)
{
	struct wf_value_list list;
	bool same;

	if (wf_query_elements(
		query, document, &how, 100000, &list, &one->err) != WF_OK)
		return false;
	same = same_values(one, list.values, list.count, false);
	wf_value_list_free(&list);
	return same;
}

static bool predicate(struct example *one, const struct wf_query *query,
    const struct wf_document *document)
{
	bool holds;

	if (wf_query_boolean(query, document, &how, &holds, &one->err) != WF_OK)
		return false;
	wf_buffer_puts(&one->result, holds ? "true" : "false");
	return strcmp(wf_buffer_text(&one->result), one->wanted) == 0;
}

static bool as_engine(struct example *one, const struct wf_query *query)
{
	struct wf_value_list list;
	struct wf_document document;
	struct wf_buffer xml;
	bool same = false;

	wf_buffer_init(&xml, SIZE_MAX / 4);
	if (wf_buffer_read_file(&xml, one->path, &one->err) == WF_OK &&
	    wf_value_list_parse(
		&list, wf_buffer_text(&xml), xml.length, &one->err) == WF_OK) {
		document =
		    (struct wf_document){ list.root, list.values, list.count };
		if (strcmp(one->kind, "mapping") == 0)
			same = mapping(one, query, &document);
		else if (strcmp(one->kind, "splitter") == 0)
			same = splitter(one, query, &document);
		else
			same = predicate(one, query, &document);
		wf_value_list_free(&list);
	}
	wf_buffer_free(&xml);
	return same;
}

/* ---- all ---- */

static enum verdict check(struct example *one)
{
	bool is_plain = strcmp(one->kind, "plain") == 0;
	struct wf_query *query = NULL;
	bool same = false;

	if (strcmp(one->status, "skip") == 0)
		return SKIPPED;
	if (wf_query_compile(&query, one->query, NULL, 0, &one->err) == WF_OK)
		same = is_plain ? plain(one, query) : as_engine(one, query);
	if (strcmp(one->status, "fails") == 0)
		same = one->err.rc == WF_DATA;
	/* A specification with such a mapping must not be loaded. */
	if (strcmp(one->status, "refused") == 0)
		same = is_plain ? one->err.rc == WF_DATA : query == NULL;
	wf_query_free(&query);
	if (same)
		return SAME;
	/* The order of evaluation decides whether an error occurs. */
	return is_plain && strcmp(one->status, "gives") != 0 ? SKIPPED
							     : DIFFERENT;
}

static void show(const struct example *one)
{
	printf("\n%s over %s: %s\n  Saxon %s: %s\n  Weft:  %s %s\n", one->kind,
	    one->document, one->query, one->status, one->wanted,
	    wf_buffer_text(&one->result), one->err.message);
}

int main(int argc, char **argv)
{
	unsigned long counts[3] = { 0, 0, 0 };
	unsigned long shown = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
	struct example one;
	char path[4096];
	FILE *file;

	if (argc < 2)
		return 2;
	snprintf(path, sizeof(path), "%s/cases", argv[1]);
	file = fopen(path, "rb");
	if (file == NULL)
		return 2;
	while (next_example(file, argv[1], &one)) {
		enum verdict verdict = check(&one);

		if (verdict == DIFFERENT && counts[DIFFERENT] < shown)
			show(&one);
		counts[verdict]++;
		free_example(&one);
	}
	fclose(file);
	printf("%lu passed, %lu failed, %lu skipped\n", counts[SAME],
	    counts[DIFFERENT], counts[SKIPPED]);
	return counts[DIFFERENT] == 0 && counts[SAME] > 0 ? 0 : 1;
}
