/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/document_limits.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BETWEEN " ,\t\r\n"

/* An attribute, without regard to its prefix and case; NULL: there is none. */
static const char *find(const struct wf_variable *variable, const char *name)
{
	for (size_t i = 0; i < variable->attribute_count; i++) {
		const char *own = variable->attributes[i].name;
		const char *colon = strchr(own, ':');

		if (strcasecmp(colon == NULL ? own : colon + 1, name) == 0)
			return variable->attributes[i].value;
	}
	return NULL;
}

/* "5M"; 0: it is no size. */
static uint64_t read_size(const char *text)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t size;
	char *end;

	text += strspn(text, BETWEEN);
	if (*text < '0' || *text > '9')
		return 0;
	size = strtoull(text, &end, 10);
	if (*end == '\0')
		return size;
	unit = strchr(units, *end);
	if (unit == NULL || end[1 + strspn(end + 1, BETWEEN)] != '\0' ||
	    size > UINT64_MAX >> 30)
		return 0;
	return size << (10 * (unit - units + 1));
}

static struct wf_document_hints hints_of(const struct wf_variable *variable)
{
	return (struct wf_document_hints){ find(variable, "documentTypes"),
		find(variable, "documentSize") };
}

void wf_document_limits_of(const struct wf_document_hints *hints,
    struct wf_document_limits *limits_out)
{
	limits_out->types = hints->types == NULL ? "" : hints->types;
	limits_out->bytes =
	    hints->bytes == NULL ? UINT64_MAX : read_size(hints->bytes);
}

enum wf_rc wf_variable_visit_documents(const struct wf_variable *variable,
    const struct wf_value *value, wf_document_visit_f *visit, void *context,
    struct wf_error *err)
{
	struct wf_document_hints own = hints_of(variable);

	return wf_type_visit_documents(
	    variable->type, value, &own, visit, context, err);
}

bool wf_variable_find_document(const struct wf_variable *variable,
    const char *path, struct wf_document_limits *limits_out)
{
	struct wf_document_hints own = hints_of(variable);
	size_t length = strlen(variable->name);
	struct wf_document_hints hints;

	if (strncmp(path, variable->name, length) != 0 ||
	    (path[length] != '\0' && path[length] != '/'))
		return false;
	path += length;
	path += *path == '/';
	if (!wf_type_find_document(variable->type, path, &own, &hints))
		return false;
	wf_document_limits_of(&hints, limits_out);
	return true;
}

static bool fits(const char *type, const char *pattern, size_t length)
{
	if (length == 3 && memcmp(pattern, "*/*", 3) == 0)
		return true;
	if (length > 2 && memcmp(pattern + length - 2, "/*", 2) == 0)
		return strncasecmp(type, pattern, length - 1) == 0;
	return strlen(type) == length &&
	       strncasecmp(type, pattern, length) == 0;
}

const char *wf_document_types_next(const char **list, size_t *length_out)
{
	const char *word = *list + strspn(*list, BETWEEN);

	*length_out = strcspn(word, BETWEEN);
	*list = word + *length_out;
	return *length_out == 0 ? NULL : word;
}

bool wf_document_type_is_in(const char *type, const char *list)
{
	bool is_empty = true;
	const char *word;
	size_t length;

	while ((word = wf_document_types_next(&list, &length)) != NULL) {
		if (fits(type, word, length))
			return true;
		is_empty = false;
	}
	return is_empty;
}

enum wf_rc wf_document_limits_check(const struct wf_document_limits *limits,
    const char *type, uint64_t size, struct wf_error *err)
{
	if (!wf_document_type_is_in(type, limits->types))
		return wf_fail(err, WF_UNSUPPORTED,
		    "the file is of type %s; allowed: %.300s", type,
		    limits->types);
	if (size > limits->bytes)
		return wf_fail(err, WF_LIMIT,
		    "the file has %llu bytes; allowed: %llu",
		    (unsigned long long)size,
		    (unsigned long long)limits->bytes);
	return WF_OK;
}
