/* SPDX-License-Identifier: Apache-2.0 */
#include "people/organisation/backup.h"

#include <string.h>

#include "base/diagnostics.h"
#include "data/xml_writer.h"
#include "spec/markup.h"

void wf_org_list_add(struct wf_arena *arena, struct wf_org_list *list,
    struct wf_org_record *record)
{
	list->rows = wf_arena_grow(arena, list->rows, list->count,
	    &list->capacity, sizeof(*list->rows));
	list->rows[list->count++] = record;
}

/* "11100000" for a set of privileges, and back; what is no digit counts as 0.
 */
static void write_bits(uint32_t bits, char text_out[WF_USER_PRIVILEGES + 1])
{
	for (unsigned i = 0; i < WF_USER_PRIVILEGES; i++)
		text_out[i] = (bits >> i & 1) != 0 ? '1' : '0';
	text_out[WF_USER_PRIVILEGES] = '\0';
}

uint32_t wf_backup_read_bits(const char *text)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < WF_USER_PRIVILEGES && text[i] != '\0'; i++)
		bits |= (uint32_t)(text[i] == '1') << i;
	return bits;
}

/* --- reading -------------------------------------------------------------- */

static const struct {
	const char *name;
	char c;
} entities[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
	{ "&quot;", '"' }, { "&apos;", '\'' } };

/* YAWL escapes some texts twice. */
static const char *decode_again(struct wf_arena *arena, const char *text)
{
	char *copy;
	char *end;

	if (strchr(text, '&') == NULL)
		return text;
	copy = wf_arena_strdup(arena, text);
	end = copy;
	while (*text != '\0') {
		char c = *text;
		size_t length = 1;

		for (size_t i = 0; i < sizeof(entities) / sizeof(*entities);
		     i++)
			if (strncmp(text, entities[i].name,
				strlen(entities[i].name)) == 0) {
				c = entities[i].c;
				length = strlen(entities[i].name);
				break;
			}
		*end++ = c;
		text += length;
	}
	*end = '\0';
	return copy;
}

static const char *text_of(
    struct wf_arena *arena, const struct wf_markup *markup)
{
	const char *id =
	    markup == NULL ? NULL : wf_markup_attribute(markup, "id");

	return id != NULL ? id
			  : decode_again(arena, wf_markup_text(arena, markup));
}

static void read_field(struct wf_arena *arena, const struct wf_markup *markup,
    struct wf_org_record *record, const struct wf_org_field *field)
{
	const struct wf_markup *child = wf_markup_child(markup, field->xml);
	const char *text = text_of(arena, child);

	switch (field->type) {
	case WF_ORG_TEXT:
	case WF_ORG_LINK:
		*wf_org_text(record, field) = text;
		break;
	case WF_ORG_FLAG:
		*wf_org_flag(record, field) = strcmp(text, "true") == 0;
		break;
	case WF_ORG_BITS:
		*wf_org_bits(record, field) = wf_backup_read_bits(text);
		break;
	case WF_ORG_AMOUNT:
	case WF_ORG_OBJECT:
		break; /* YAWL has none */
	case WF_ORG_LINKS:
	case WF_ORG_TEXTS:
		for (child = wf_markup_child(child, NULL); child != NULL;
		     child = wf_markup_next(child, NULL)) {
			struct wf_texts *texts = wf_org_texts(record, field);

			text = text_of(arena, child);
			if (text[0] != '\0' && !wf_org_texts_have(texts, text))
				wf_org_texts_add(arena, texts, text);
		}
		break;
	}
}

static enum wf_rc read_record(struct wf_arena *arena,
    const struct wf_markup *markup, enum wf_org_kind kind,
    struct wf_org_list *list, struct wf_error *err)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];
	const char *id = wf_markup_attribute(markup, "id");
	struct wf_org_record *record;

	if (id == NULL || id[0] == '\0') {
		if (err != NULL)
			err->place.line = markup->line;
		return wf_fail(err, WF_INVALID, "<%s> has no attribute \"id\"",
		    markup->name);
	}
	record = wf_org_record_new(arena, kind, id);
	for (size_t i = 0; i < layout->field_count; i++)
		if (layout->fields[i].xml[0] != '\0')
			read_field(arena, markup, record, &layout->fields[i]);
	wf_org_list_add(arena, list, record);
	return WF_OK;
}

static bool has_section(const struct wf_markup *root)
{
	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
		if (wf_markup_child(root, wf_org_layouts[kind].plural) != NULL)
			return true;
	return false;
}

enum wf_rc wf_backup_read(struct wf_arena *arena, const char *text,
    size_t length, struct wf_org_list *list_out, struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	const struct wf_markup *root =
	    wf_markup_parse(arena, text, length, diagnostics);
	enum wf_rc rc = WF_OK;

	memset(list_out, 0, sizeof(*list_out));
	if (root == NULL) {
		const struct wf_diagnostic *first =
		    wf_diagnostics_first_error(diagnostics);

		if (err != NULL)
			err->place.line = first->line;
		rc = wf_fail(
		    err, WF_INVALID, "the file is no XML: %s", first->message);
	}
	/* The root has any name, as in YAWL, but something of it is known. */
	if (rc == WF_OK && !has_section(root) &&
	    strcmp(root->name, "orgdata") != 0)
		rc = wf_fail(err, WF_INVALID,
		    "expected <orgdata>, a backup of YAWL's resource service, "
		    "found <%s>",
		    root->name);
	for (unsigned kind = 0; rc == WF_OK && kind < WF_ORG_KINDS; kind++) {
		const struct wf_markup *section =
		    wf_markup_child(root, wf_org_layouts[kind].plural);
		const struct wf_markup *child = wf_markup_child(section, NULL);

		list_out->has[kind] = section != NULL;
		for (; rc == WF_OK && child != NULL;
		     child = wf_markup_next(child, NULL))
			rc = read_record(arena, child, kind, list_out, err);
	}
	wf_diagnostics_free(&diagnostics);
	return rc;
}

/* --- writing -------------------------------------------------------------- */

/* "participants" has entries <participant>, "subcategories" has <name>. */
static const char *entry_name(const struct wf_org_field *field)
{
	return field->type == WF_ORG_TEXTS
		   ? "name"
		   : wf_org_layouts[field->target].singular;
}

static void write_texts(const struct wf_org_record *record,
    const struct wf_org_field *field, struct wf_buffer *xml)
{
	const struct wf_texts *texts = wf_org_texts(record, field);

	if (texts->count == 0) {
		wf_xml_put_element(xml, field->xml, "");
		return;
	}
	wf_buffer_printf(xml, "<%s>", field->xml);
	for (size_t i = 0; i < texts->count; i++)
		wf_xml_put_element(xml, entry_name(field), texts->rows[i]);
	wf_buffer_printf(xml, "</%s>", field->xml);
}

/* A thing names its category in an attribute. */
static void write_link(const struct wf_org_record *record,
    const struct wf_org_field *field, struct wf_buffer *xml)
{
	const char *id = *wf_org_text(record, field);

	if (record->kind != WF_ORG_THING) {
		wf_xml_put_optional(xml, field->xml, id);
		return;
	}
	if (id[0] == '\0')
		return;
	wf_buffer_printf(xml, "<%s", field->xml);
	wf_xml_put_attribute(xml, "id", id);
	wf_buffer_puts(xml, "/>");
}

/* YAWL leaves out what a thing or a category does not have. */
static void write_text(const struct wf_org_record *record,
    const struct wf_org_field *field, struct wf_buffer *xml)
{
	const char *text = *wf_org_text(record, field);

	if (record->kind == WF_ORG_THING || record->kind == WF_ORG_CATEGORY)
		wf_xml_put_optional(xml, field->xml, text);
	else
		wf_xml_put_element(xml, field->xml, text);
}

static void write_field(const struct wf_org_record *record,
    const struct wf_org_field *field, struct wf_buffer *xml)
{
	char bits[WF_USER_PRIVILEGES + 1];

	switch (field->type) {
	case WF_ORG_TEXT:
		write_text(record, field, xml);
		break;
	case WF_ORG_LINK:
		write_link(record, field, xml);
		break;
	case WF_ORG_FLAG:
		wf_xml_put_element(xml, field->xml,
		    *wf_org_flag(record, field) ? "true" : "false");
		break;
	case WF_ORG_LINKS:
	case WF_ORG_TEXTS:
		write_texts(record, field, xml);
		break;
	case WF_ORG_BITS:
		write_bits(*wf_org_bits(record, field), bits);
		wf_xml_put_element(xml, field->xml, bits);
		break;
	case WF_ORG_AMOUNT:
	case WF_ORG_OBJECT:
		break; /* YAWL has none */
	}
}

void wf_backup_write_record(
    const struct wf_org_record *record, struct wf_buffer *xml)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];

	wf_buffer_printf(xml, "<%s", layout->singular);
	wf_xml_put_attribute(xml, "id", record->id);
	wf_buffer_putc(xml, '>');
	for (size_t i = 0; i < layout->field_count; i++)
		if (layout->fields[i].xml[0] != '\0')
			write_field(record, &layout->fields[i], xml);
	wf_buffer_printf(xml, "</%s>", layout->singular);
}

void wf_backup_write(
    const struct wf_organisation *organisation, struct wf_buffer *xml)
{
	static const enum wf_org_kind order[] = { WF_ORG_PARTICIPANT,
		WF_ORG_ROLE, WF_ORG_POSITION, WF_ORG_CAPABILITY, WF_ORG_GROUP,
		WF_ORG_THING, WF_ORG_CATEGORY };

	wf_buffer_puts(
	    xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<orgdata>\n");
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		const char *section = wf_org_layouts[order[i]].plural;

		wf_buffer_printf(xml, "<%s>\n", section);
		for (uint32_t k = 0; k < wf_org_count(organisation, order[i]);
		     k++) {
			wf_backup_write_record(
			    wf_org_at(organisation, order[i], k), xml);
			wf_buffer_putc(xml, '\n');
		}
		wf_buffer_printf(xml, "</%s>\n", section);
	}
	wf_buffer_puts(xml, "</orgdata>\n");
}
