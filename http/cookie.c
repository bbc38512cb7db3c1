/* SPDX-License-Identifier: Apache-2.0 */
#include "http/cookie.h"

#include <string.h>

#include "base/panic.h"

/* A part of the header, without the blanks around it. */
struct part {
	const char *text;
	size_t length;
};

static void trim(struct part *part)
{
	while (part->length > 0 &&
	       (part->text[0] == ' ' || part->text[0] == '\t')) {
		part->text++;
		part->length--;
	}
	while (part->length > 0 && (part->text[part->length - 1] == ' ' ||
				       part->text[part->length - 1] == '\t'))
		part->length--;
}

/* Takes the value of a part "name=value".  False: it has another name. */
static bool take_value(struct part *part, const char *name)
{
	size_t length = strlen(name);

	if (part->length <= length || memcmp(part->text, name, length) != 0 ||
	    part->text[length] != '=')
		return false;
	part->text += length + 1;
	part->length -= length + 1;
	if (part->length >= 2 && part->text[0] == '"' &&
	    part->text[part->length - 1] == '"') {
		part->text++;
		part->length -= 2;
	}
	return true;
}

/* As RFC 6265 has them. */
static bool is_value(const struct part *part)
{
	for (size_t i = 0; i < part->length; i++) {
		unsigned char c = (unsigned char)part->text[i];

		if (c <= 0x20 || c >= 0x7f || c == '"' || c == ',' || c == '\\')
			return false;
	}
	return true;
}

bool wf_cookie_find(
    const char *header, const char *name, char *value_out, size_t size)
{
	struct part found = { .text = NULL };

	wf_assert(size > 0);
	value_out[0] = '\0';
	while (header != NULL && *header != '\0') {
		struct part part = { header, strcspn(header, ";") };

		header += part.length;
		header += *header == ';';
		trim(&part);
		if (!take_value(&part, name))
			continue;
		if (found.text != NULL &&
		    (found.length != part.length ||
			memcmp(found.text, part.text, part.length) != 0))
			return false;
		found = part;
	}
	if (found.text == NULL || found.length >= size || !is_value(&found))
		return false;
	memcpy(value_out, found.text, found.length);
	value_out[found.length] = '\0';
	wf_assert(strlen(value_out) == found.length);
	return true;
}
