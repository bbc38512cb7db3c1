/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of atomic values, and making such values.
 */
#include "xquery/atomic/atomic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "xquery/atomic/atomic_priv.h"
#include "xquery/text/unicode.h"

static const struct type {
	const char *name;
	enum wf_atomic_type base;
	enum wf_atomic_type primitive;
} types[WF_ATOMIC_TYPE_COUNT] = {
#define WF_ATOMIC_TYPE(name, local, base, primitive)                           \
	{ local, WF_XS_##base, WF_XS_##primitive },
#include "xquery/item/atomic_types.def"
#undef WF_ATOMIC_TYPE
};

bool wf_atomic_derives(enum wf_atomic_type type, enum wf_atomic_type base)
{
	while (type != base && type != WF_XS_ANY_ATOMIC)
		type = types[type].base;
	return type == base;
}

enum wf_atomic_type wf_atomic_primitive(enum wf_atomic_type type)
{
	return types[type].primitive;
}

const char *wf_atomic_type_name(enum wf_atomic_type type)
{
	return types[type].name;
}

enum wf_atomic_type wf_atomic_type_by_name(const char *local)
{
	int type = 0;

	while (
	    type < WF_ATOMIC_TYPE_COUNT && strcmp(types[type].name, local) != 0)
		type++;
	return (enum wf_atomic_type)type;
}

bool wf_atomic_is_numeric(enum wf_atomic_type type)
{
	enum wf_atomic_type primitive = types[type].primitive;

	return primitive == WF_XS_DECIMAL || primitive == WF_XS_FLOAT ||
	       primitive == WF_XS_DOUBLE;
}

struct wf_atomic wf_atomic_boolean(bool boolean)
{
	return (struct wf_atomic){ WF_XS_BOOLEAN, { .boolean = boolean } };
}

struct wf_atomic wf_atomic_integer(int64_t integer)
{
	return wf_atomic_decimal(WF_XS_INTEGER, wf_decimal_from_int(integer));
}

struct wf_atomic wf_atomic_double(double number)
{
	return wf_atomic_number(WF_XS_DOUBLE, number);
}

struct wf_atomic wf_atomic_string(
    enum wf_atomic_type type, const char *text, size_t length)
{
	return (struct wf_atomic){ type, { .string = { text, length } } };
}

struct wf_atomic wf_atomic_decimal(
    enum wf_atomic_type type, struct wf_decimal decimal)
{
	return (struct wf_atomic){ type, { .decimal = decimal } };
}

struct wf_atomic wf_atomic_number(enum wf_atomic_type type, double number)
{
	if (type == WF_XS_FLOAT)
		number = (double)(float)number;
	return (struct wf_atomic){ type, { .number = number } };
}

struct wf_atomic wf_atomic_duration(
    enum wf_atomic_type type, struct wf_duration duration)
{
	return (struct wf_atomic){ type, { .duration = duration } };
}

struct wf_atomic wf_atomic_moment(
    enum wf_atomic_type type, struct wf_moment moment)
{
	return (struct wf_atomic){ type, { .moment = moment } };
}

char *wf_atomic_room(struct wf_dynamic *dynamic, size_t size)
{
	size_t held = wf_arena_size(dynamic->arena);

	if (held > dynamic->memory_limit ||
	    size > dynamic->memory_limit - held) {
		(void)wf_fail(dynamic->err, WF_LIMIT,
		    "the query needs more than %zu bytes of memory",
		    dynamic->memory_limit);
		return NULL;
	}
	return wf_arena_alloc(dynamic->arena, size + 1);
}

enum wf_rc wf_atomic_fail(
    struct wf_dynamic *dynamic, const char *code, const char *format, ...)
{
	char message[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return wf_fail_code(dynamic->err, WF_DATA, code, "%s", message);
}

struct wf_string wf_atomic_trim(const char *text, size_t length)
{
	while (length > 0 && wf_is_xml_space(text[0])) {
		text++;
		length--;
	}
	while (length > 0 && wf_is_xml_space(text[length - 1]))
		length--;
	return (struct wf_string){ text, length };
}

int wf_string_compare(struct wf_string a, struct wf_string b)
{
	size_t shorter = a.length < b.length ? a.length : b.length;
	int order = shorter == 0 ? 0 : memcmp(a.text, b.text, shorter);

	/* UTF-8 sorts as its code points do. */
	if (order == 0)
		return a.length == b.length ? 0 : a.length < b.length ? -1 : 1;
	return order < 0 ? -1 : 1;
}
