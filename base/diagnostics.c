/* SPDX-License-Identifier: Apache-2.0 */
/* A list of diagnostics in an arena of its own. */
#include "base/diagnostics.h"

#include "base/memory.h"
#include "base/panic.h"

#define KEPT_MAXIMUM 1000

struct wf_diagnostics {
	struct wf_arena *arena;
	const char *file;
	struct wf_diagnostic *entries;
	size_t count;
	size_t capacity;
	size_t errors;
	size_t dropped;
};

struct wf_diagnostics *wf_diagnostics_new(const char *file)
{
	struct wf_diagnostics *list = wf_calloc(1, sizeof(*list));

	list->arena = wf_arena_new();
	list->file = wf_arena_strdup(list->arena, file);
	return list;
}

void wf_diagnostics_free(struct wf_diagnostics **list)
{
	if (*list == NULL)
		return;
	wf_arena_free(&(*list)->arena);
	wf_free(*list);
	*list = NULL;
}

void wf_diagnostics_add(struct wf_diagnostics *list, enum wf_severity severity,
    int line, const char *element, const char *format, ...)
{
	struct wf_diagnostic *entry;
	char message[1024];
	va_list arguments;

	if (severity == WF_ERROR)
		list->errors++;
	if (list->count == KEPT_MAXIMUM) {
		list->dropped++;
		return;
	}
	va_start(arguments, format);
	wf_write_sentence(message, sizeof(message), format, arguments);
	va_end(arguments);
	list->entries = wf_arena_grow(list->arena, list->entries, list->count,
	    &list->capacity, sizeof(*list->entries));
	entry = &list->entries[list->count++];
	entry->severity = severity;
	entry->line = line;
	entry->element =
	    wf_arena_strdup(list->arena, element == NULL ? "" : element);
	entry->message = wf_arena_strdup(list->arena, message);
}

size_t wf_diagnostics_count(const struct wf_diagnostics *list)
{
	return list->count;
}

size_t wf_diagnostics_errors(const struct wf_diagnostics *list)
{
	return list->errors;
}

const struct wf_diagnostic *wf_diagnostics_at(
    const struct wf_diagnostics *list, size_t i)
{
	wf_assert(i < list->count);
	return &list->entries[i];
}

const struct wf_diagnostic *wf_diagnostics_first_error(
    const struct wf_diagnostics *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].severity == WF_ERROR)
			return &list->entries[i];
	return NULL;
}

void wf_diagnostics_print(const struct wf_diagnostics *list, FILE *out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct wf_diagnostic *entry = &list->entries[i];

		fprintf(out, "weft: %s:", list->file);
		if (entry->line > 0)
			fprintf(out, "%d:", entry->line);
		fprintf(out, " %s%s%s%s\n",
		    entry->severity == WF_WARNING ? "warning: " : "",
		    entry->element, entry->element[0] != '\0' ? ": " : "",
		    entry->message);
	}
	if (list->dropped > 0)
		fprintf(
		    out, "weft: %s: and %zu more\n", list->file, list->dropped);
}
