/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/document_limits.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BETWEEN " ,\t\r\n"

bool wf_variable_is_document(const struct wf_variable *variable)
{
	return variable->type_name != NULL &&
	       strcmp(variable->type_name, "YDocumentType") == 0;
}

enum wf_rc wf_document_reference(
    const struct wf_value *value, uint64_t *document_out, struct wf_error *err)
{
	size_t length;
	const char *content = wf_value_content(value, &length, NULL);
	long long number;

	*document_out = 0;
	if (length == 0 || strncmp(content, "<name>", 6) == 0 ||
	    strncmp(content, "<name/>", 7) == 0)
		return WF_OK;
	if (strncmp(content, "<id>", 4) != 0)
		return wf_fail(err, WF_DATA,
		    "expected the elements <id> and <name>, in no namespace");
	number = strtoll(content + 4, NULL, 10);
	if (number <= 0)
		return wf_fail(err, WF_DATA,
		    "expected the number of a document, from 1 on");
	*document_out = (uint64_t)number;
	return WF_OK;
}

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

void wf_document_limits_of(
    const struct wf_variable *variable, struct wf_document_limits *limits_out)
{
	const char *types = find(variable, "documentTypes");
	const char *size = find(variable, "documentSize");

	limits_out->types = types == NULL ? "" : types;
	limits_out->bytes = size == NULL ? UINT64_MAX : read_size(size);
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

bool wf_document_type_is_in(const char *type, const char *list)
{
	size_t count = 0;

	for (list += strspn(list, BETWEEN); *list != '\0'; count++) {
		size_t length = strcspn(list, BETWEEN);

		if (fits(type, list, length))
			return true;
		list += length;
		list += strspn(list, BETWEEN);
	}
	return count == 0;
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
