/* SPDX-License-Identifier: Apache-2.0 */
#include "data/xml_writer.h"

#include <string.h>

#include "xquery/text/unicode.h"

/* Moves *next behind a character; false: XML does not allow it. */
static bool is_allowed(const char **next, const char *end)
{
	const char *start = *next;
	uint32_t character = wf_utf8_next(next, end);

	/* A text that was cut may end inside a character. */
	return wf_is_xml_char(character) &&
	       (character != 0xFFFD || *next != start + 1);
}

static void escape(struct wf_buffer *xml, const char *text, bool attribute)
{
	const char *end = text + strlen(text);

	while (text < end) {
		const char *good = text;
		const char *next = text;

		while (good < end && is_allowed(&next, end))
			good = next;
		wf_buffer_escape(xml, text, (size_t)(good - text), attribute);
		if (good < end)
			wf_buffer_putc(xml, '?');
		text = next;
	}
}

void wf_xml_put_text(struct wf_buffer *xml, const char *text)
{
	if (text != NULL)
		escape(xml, text, false);
}

void wf_xml_put_element(
    struct wf_buffer *xml, const char *name, const char *text)
{
	if (text == NULL || *text == '\0') {
		wf_buffer_printf(xml, "<%s/>", name);
		return;
	}
	wf_buffer_printf(xml, "<%s>", name);
	escape(xml, text, false);
	wf_buffer_printf(xml, "</%s>", name);
}

void wf_xml_put_optional(
    struct wf_buffer *xml, const char *name, const char *text)
{
	if (text != NULL && *text != '\0')
		wf_xml_put_element(xml, name, text);
}

void wf_xml_put_number(struct wf_buffer *xml, const char *name, int64_t number)
{
	wf_buffer_printf(xml, "<%s>%lld</%s>", name, (long long)number, name);
}

void wf_xml_put_attribute(
    struct wf_buffer *xml, const char *name, const char *value)
{
	wf_buffer_printf(xml, " %s=\"", name);
	escape(xml, value, true);
	wf_buffer_putc(xml, '"');
}
