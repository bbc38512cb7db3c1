/* SPDX-License-Identifier: Apache-2.0 */
/* Values as objects: references, names, content.  Parsing is elsewhere. */
#include "data/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/canonical.h"

#define PERMANENT UINT32_MAX

/* Every element takes at least "<x/>". */
#define SHORTEST 4

static struct wf_value *allocate(size_t length, size_t name_length)
{
	struct wf_value *value;

	wf_assert(length >= SHORTEST && length <= WF_VALUE_BYTES);
	value = wf_malloc(sizeof(*value) + length + 1);
	value->references = 1;
	value->number = 0;
	value->length = (uint32_t)length;
	value->name_length = (uint32_t)name_length;
	value->text[length] = '\0';
	return value;
}

struct wf_value *wf_value_new_canonical(
    const char *text, size_t length, size_t name_length)
{
	struct wf_value *value = allocate(length, name_length);

	wf_assert(text[0] == '<' && text[length - 1] == '>' &&
		  name_length + strlen("</>") <= length);
	memcpy(value->text, text, length);
	return value;
}

bool wf_value_is_named(const struct wf_value *value, const char *name)
{
	size_t length = strlen(name);

	return value->name_length == length &&
	       memcmp(wf_value_name(value), name, length) == 0;
}

bool wf_value_is_in_namespace(const struct wf_value *value)
{
	static const char declaration[] = " xmlns=\"";

	return strncmp(wf_value_name(value) + value->name_length, declaration,
		   sizeof(declaration) - 1) == 0;
}

bool wf_value_is_empty(const struct wf_value *value)
{
	return value->text[value->length - 2] == '/';
}

bool wf_value_equal(const struct wf_value *a, const struct wf_value *b)
{
	return a == b || (a->length == b->length &&
			     memcmp(a->text, b->text, a->length) == 0);
}

const char *wf_value_content(
    const struct wf_value *value, size_t *length_out, bool *markup_out)
{
	const char *end = value->text + value->length;
	const char *start;

	if (markup_out != NULL)
		*markup_out = false;
	if (wf_value_is_empty(value)) {
		*length_out = 0;
		return end;
	}
	/* A namespace declaration contains no '>': it is escaped there. */
	start = memchr(value->text, '>', value->length);
	wf_assert(start != NULL);
	start++;
	end -= value->name_length + strlen("</>");
	wf_assert(start <= end);
	*length_out = (size_t)(end - start);
	if (markup_out != NULL)
		*markup_out = memchr(start, '<', *length_out) != NULL;
	return start;
}

struct wf_value *wf_value_ref(struct wf_value *value)
{
	if (value == NULL || value->references == PERMANENT)
		return value;
	wf_assert(value->references > 0 && value->references < PERMANENT - 1);
	value->references++;
	return value;
}

void wf_value_unref(struct wf_value **value)
{
	struct wf_value *old = *value;

	*value = NULL;
	if (old == NULL || old->references == PERMANENT)
		return;
	wf_assert(old->references > 0);
	if (--old->references == 0)
		wf_free(old);
}

void wf_value_make_permanent(struct wf_value *value)
{
	/* More references would overflow the counter. */
	wf_assert(value->references == 1 || value->references == PERMANENT);
	value->references = PERMANENT;
}

void wf_value_free_permanent(struct wf_value **value)
{
	if (*value == NULL)
		return;
	wf_assert((*value)->references == PERMANENT);
	wf_free(*value);
	*value = NULL;
}

struct wf_value *wf_value_new_text(
    const char *name, const char *text, size_t length)
{
	size_t name_length = strlen(name);
	struct wf_buffer buffer;
	struct wf_value *value = NULL;

	if (length == 0)
		return wf_value_new_empty(name);
	wf_buffer_init(&buffer, WF_VALUE_BYTES);
	wf_buffer_reserve(&buffer, length + 2 * name_length + strlen("<></>"));
	wf_buffer_putc(&buffer, '<');
	wf_buffer_append(&buffer, name, name_length);
	wf_buffer_putc(&buffer, '>');
	wf_buffer_escape(&buffer, text, length, false);
	wf_buffer_puts(&buffer, "</");
	wf_buffer_append(&buffer, name, name_length);
	wf_buffer_putc(&buffer, '>');
	if (!buffer.full)
		value = wf_value_new_canonical(
		    buffer.data, buffer.length, name_length);
	wf_buffer_free(&buffer);
	return value;
}

struct wf_value *wf_value_new_empty(const char *name)
{
	size_t name_length = strlen(name);
	struct wf_value *value = allocate(name_length + 3, name_length);

	value->text[0] = '<';
	memcpy(value->text + 1, name, name_length);
	memcpy(value->text + 1 + name_length, "/>", 2);
	return value;
}

struct wf_value *wf_value_copy(const struct wf_value *value)
{
	return wf_value_new_canonical(
	    value->text, value->length, value->name_length);
}

enum wf_rc wf_value_from_canonical(struct wf_value **value_out,
    const char *text, size_t length, struct wf_error *err)
{
	struct wf_value *value;

	*value_out = NULL;
	if (wf_value_parse(&value, text, length, NULL) != WF_OK ||
	    value->length != length || memcmp(value->text, text, length) != 0) {
		wf_value_unref(&value);
		return wf_fail(
		    err, WF_CORRUPT, "a stored value is not an element");
	}
	*value_out = value;
	return WF_OK;
}

bool wf_value_list_add(struct wf_value_list *list, struct wf_value *value)
{
	size_t count = list->count;

	if (count == WF_VALUE_CHILDREN)
		return false;
	/* The capacity is the next power of two. */
	if ((count & (count - 1)) == 0)
		list->values = wf_realloc(list->values,
		    (count == 0 ? 1 : 2 * count) * sizeof(*list->values));
	list->values[list->count++] = value;
	return true;
}

void wf_value_list_free(struct wf_value_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		wf_value_unref(&list->values[i]);
	wf_free(list->values);
	wf_free(list->root);
	memset(list, 0, sizeof(*list));
}
