/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roundtrip FILE...: each specification is read, written, read again and
 * written again.  The two writings must be equal, and must have
 * the same elements, attributes and texts as the file, apart from their
 * order and from what has no meaning.  Files that are refused are skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/content.h"
#include "spec/markup.h"
#include "spec/spec.h"

/* --- Two trees, whatever the order of their elements --- */

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *join(struct wf_arena *arena, const char *before,
    const char **parts, size_t count)
{
	struct wf_buffer text;
	const char *joined;

	if (count > 0)
		qsort(parts, count, sizeof(*parts), compare_texts);
	wf_buffer_init(&text, (size_t)1 << 30);
	wf_buffer_puts(&text, before);
	for (size_t i = 0; i < count; i++)
		wf_buffer_puts(&text, parts[i]);
	joined = wf_arena_strdup(arena, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return joined;
}

/* Attributes that may be missing: their presence changes nothing. */
static bool is_dropped(const struct wf_markup *node)
{
	static const char *const names[] = { "startingMappings",
		"completedMappings", "enablementMappings", "logPredicate" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (wf_markup_is(node, names[i]) && node->first == NULL)
			return true;
	/* The value when it is missing is 0.1. */
	return wf_markup_is(node, "version") &&
	       wf_markup_is(node->parent, "metaData") && node->first != NULL &&
	       strcmp(node->first->text, "0.1") == 0;
}

static bool is_spaced(const struct wf_markup *node)
{
	return wf_markup_is(node, "predicate") ||
	       wf_markup_is(node, "documentation") ||
	       wf_markup_is(node, "initialValue") ||
	       wf_markup_is(node, "defaultValue");
}

/* A text without blanks at its ends where it is a token. */
static const char *text_of(struct wf_arena *arena, const struct wf_markup *node)
{
	const char *text = node->text;
	size_t length;

	if (is_spaced(node->parent))
		return text;
	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
		length--;
	return wf_arena_strndup(arena, text, length);
}

static bool is_kept(const struct wf_markup_attribute *attribute)
{
	if (strcmp(attribute->space, WF_XSI) == 0)
		return strcmp(attribute->name, "type") == 0 &&
		       strcmp(attribute->value, "ExternalTaskFactsType") != 0;
	return strcmp(attribute->name, "isRootNet") != 0 ||
	       strcmp(attribute->value, "false") != 0;
}

/* The tree as text, with all attributes and elements in one order. */
static const char *canonical(
    struct wf_arena *arena, const struct wf_markup *node)
{
	const char **parts = NULL;
	size_t count = 0;
	size_t capacity = 0;

#define ADD(part)                                                              \
	do {                                                                   \
		const char *added = (part);                                    \
		parts = wf_arena_grow(                                         \
		    arena, parts, count, &capacity, sizeof(*parts));           \
		parts[count++] = added;                                        \
	} while (0)
	for (size_t i = 0; i < node->attribute_count; i++)
		if (is_kept(&node->attributes[i]))
			ADD(wf_arena_printf(arena, "{%s}%s=\"%s\" ",
			    node->attributes[i].space, node->attributes[i].name,
			    node->attributes[i].value));
	for (const struct wf_markup *c = node->first; c != NULL; c = c->next) {
		if (c->name == NULL)
			ADD(text_of(arena, c));
		else if (!is_dropped(c))
			ADD(canonical(arena, c));
	}
#undef ADD
	return wf_arena_printf(arena, "%s\n</%s>\n",
	    join(arena,
		wf_arena_printf(arena, "<{%s}%s>\n", node->space, node->name),
		parts, count),
	    node->name);
}

static const char *canonical_text(
    struct wf_arena *arena, const char *text, size_t length)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	const struct wf_markup *root =
	    wf_markup_parse(arena, text, length, diagnostics);
	const char *result = root == NULL ? "" : canonical(arena, root);

	wf_diagnostics_free(&diagnostics);
	return result;
}

/* --- The round trip --- */

enum outcome { SAME, DIFFERENT, REFUSED };

static void complain(const char *path, const char *a, const char *b)
{
	size_t at = 0;

	while (a[at] != '\0' && a[at] == b[at])
		at++;
	while (at > 0 && a[at - 1] != '\n')
		at--;
	printf("%s: differs at\n  %.300s\n--- where it should be\n  %.300s\n",
	    path, b + at, a + at);
}

static bool read_text(struct wf_spec_file **file_out, const char *text,
    size_t length, const char *path, FILE *out)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new(path);
	bool ok = wf_spec_read(file_out, text, length, diagnostics) == WF_OK;

	if (!ok && out != NULL)
		wf_diagnostics_print(diagnostics, out);
	wf_diagnostics_free(&diagnostics);
	return ok;
}

static enum outcome check_text(const char *path, const struct wf_buffer *source,
    struct wf_buffer *first, struct wf_buffer *second)
{
	struct wf_spec_file *file;
	struct wf_arena *arena;
	enum outcome outcome = SAME;
	const char *expected;
	const char *found;

	if (!read_text(
		&file, wf_buffer_text(source), source->length, path, NULL))
		return REFUSED;
	wf_spec_write(file, first);
	wf_spec_file_free(&file);
	if (!read_text(
		&file, wf_buffer_text(first), first->length, path, stdout))
		return DIFFERENT;
	wf_spec_write(file, second);
	wf_spec_file_free(&file);
	if (strcmp(wf_buffer_text(first), wf_buffer_text(second)) != 0) {
		complain(path, wf_buffer_text(first), wf_buffer_text(second));
		return DIFFERENT;
	}
	arena = wf_arena_new();
	expected =
	    canonical_text(arena, wf_buffer_text(source), source->length);
	found = canonical_text(arena, wf_buffer_text(first), first->length);
	if (strcmp(expected, found) != 0) {
		complain(path, expected, found);
		outcome = DIFFERENT;
	}
	wf_arena_free(&arena);
	return outcome;
}

static enum outcome check_file(const char *path)
{
	struct wf_buffer source;
	struct wf_buffer first;
	struct wf_buffer second;
	struct wf_error err = { 0 };
	enum outcome outcome = REFUSED;

	wf_buffer_init(&source, WF_SPEC_BYTES);
	wf_buffer_init(&first, 4U * WF_SPEC_BYTES);
	wf_buffer_init(&second, 4U * WF_SPEC_BYTES);
	if (wf_buffer_read_file(&source, path, &err) == WF_OK)
		outcome = check_text(path, &source, &first, &second);
	wf_buffer_free(&source);
	wf_buffer_free(&first);
	wf_buffer_free(&second);
	return outcome;
}

int main(int argc, char **argv)
{
	int counts[3] = { 0 };

	for (int i = 1; i < argc; i++)
		counts[check_file(argv[i])]++;
	printf("%d passed, %d failed, %d skipped\n", counts[SAME],
	    counts[DIFFERENT], counts[REFUSED]);
	return counts[DIFFERENT] == 0 ? 0 : 1;
}
