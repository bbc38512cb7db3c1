/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/resource/org_record.h"

#include <stdlib.h>
#include <string.h>

#include "data/xml_writer.h"
#include "people/organisation/backup.h"

/* --- names ---------------------------------------------------------------- */

const char *wf_gateway_full_name(
    const struct wf_participant *participant, struct wf_arena *arena)
{
	return wf_arena_printf(
	    arena, "%s %s", participant->first_name, participant->last_name);
}

const char *wf_gateway_record_name(
    const struct wf_org_record *record, struct wf_arena *arena)
{
	return record->kind == WF_ORG_PARTICIPANT
		   ? wf_gateway_full_name(
			 (const struct wf_participant *)record, arena)
		   : wf_org_name(record);
}

/* --- records -------------------------------------------------------------- */

static void put_flag(struct wf_buffer *xml, const char *name, bool is)
{
	wf_xml_put_element(xml, name, is ? "true" : "false");
}

/* The records with these ids, in one element. */
static void put_linked(struct wf_buffer *xml, const char *name,
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const struct wf_texts *ids)
{
	wf_buffer_printf(xml, "<%s>", name);
	for (size_t i = 0; i < ids->count; i++) {
		uint32_t number = wf_org_find(organisation, kind, ids->rows[i]);

		if (number != WF_ORG_NOBODY)
			wf_backup_write_record(
			    wf_org_at(organisation, kind, number), xml);
	}
	wf_buffer_printf(xml, "</%s>", name);
}

/* Without password and privileges. */
static void put_participant(struct wf_buffer *xml,
    const struct wf_organisation *organisation, const struct wf_participant *p)
{
	wf_buffer_puts(xml, "<participant");
	wf_xml_put_attribute(xml, "id", p->record.id);
	wf_buffer_putc(xml, '>');
	wf_xml_put_element(xml, "userid", p->user);
	wf_xml_put_element(xml, "firstname", p->first_name);
	wf_xml_put_element(xml, "lastname", p->last_name);
	wf_xml_put_element(xml, "email", p->email);
	put_flag(xml, "isEmailOnAllocation", p->mail_on_allocation);
	put_flag(xml, "isEmailOnOffer", p->mail_on_offer);
	put_flag(xml, "isAdministrator", p->is_administrator);
	wf_xml_put_element(xml, "description", p->description);
	wf_xml_put_element(xml, "notes", p->notes);
	put_linked(xml, "roles", organisation, WF_ORG_ROLE, &p->roles);
	put_linked(
	    xml, "positions", organisation, WF_ORG_POSITION, &p->positions);
	put_linked(xml, "capabilities", organisation, WF_ORG_CAPABILITY,
	    &p->capabilities);
	wf_buffer_puts(xml, "</participant>");
}

/* A part of a category has no id; its number in the category is unique there.
 */
static void put_part(struct wf_buffer *xml, size_t number, const char *name)
{
	wf_buffer_printf(xml, "<nonHumanSubCategory id=\"%zu\">", number);
	wf_xml_put_element(xml, "name", name);
	wf_buffer_puts(xml, "</nonHumanSubCategory>");
}

static void put_category(struct wf_buffer *xml, const struct wf_category *c)
{
	wf_buffer_puts(xml, "<nonHumanCategory");
	wf_xml_put_attribute(xml, "id", c->record.id);
	wf_buffer_putc(xml, '>');
	wf_xml_put_element(xml, "name", c->name);
	wf_xml_put_element(xml, "description", c->description);
	wf_xml_put_element(xml, "notes", c->notes);
	wf_buffer_puts(xml, "<subCategories>");
	for (size_t i = 0; i < c->parts.count; i++)
		put_part(xml, i + 1, c->parts.rows[i]);
	wf_buffer_puts(xml, "</subCategories></nonHumanCategory>");
}

static void put_thing(struct wf_buffer *xml,
    const struct wf_organisation *organisation, const struct wf_thing *thing)
{
	uint32_t number =
	    wf_org_find(organisation, WF_ORG_CATEGORY, thing->category);
	const struct wf_category *category;

	wf_buffer_puts(xml, "<nonhumanresource");
	wf_xml_put_attribute(xml, "id", thing->record.id);
	wf_buffer_putc(xml, '>');
	wf_xml_put_element(xml, "name", thing->name);
	wf_xml_put_element(xml, "description", thing->description);
	wf_xml_put_element(xml, "notes", thing->notes);
	if (number != WF_ORG_NOBODY) {
		category = (const struct wf_category *)wf_org_at(
		    organisation, WF_ORG_CATEGORY, number);
		put_category(xml, category);
		for (size_t i = 0; i < category->parts.count; i++)
			if (strcmp(category->parts.rows[i], thing->part) == 0)
				put_part(xml, i + 1, thing->part);
	}
	wf_buffer_puts(xml, "</nonhumanresource>");
}

void wf_gateway_put_record(struct wf_buffer *xml,
    const struct wf_organisation *organisation,
    const struct wf_org_record *record)
{
	if (record->kind == WF_ORG_PARTICIPANT)
		put_participant(
		    xml, organisation, (const struct wf_participant *)record);
	else if (record->kind == WF_ORG_CATEGORY)
		put_category(xml, (const struct wf_category *)record);
	else if (record->kind == WF_ORG_THING)
		put_thing(xml, organisation, (const struct wf_thing *)record);
	else
		wf_backup_write_record(record, xml);
}

/* --- order ---------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	const struct wf_org_record *a =
	    *(const struct wf_org_record *const *)left;
	const struct wf_org_record *b =
	    *(const struct wf_org_record *const *)right;
	const struct wf_participant *p = (const struct wf_participant *)a;
	const struct wf_participant *q = (const struct wf_participant *)b;
	int order;

	if (a->kind != WF_ORG_PARTICIPANT)
		return strcmp(wf_org_name(a), wf_org_name(b));
	order = strcmp(p->last_name, q->last_name);
	return order != 0 ? order : strcmp(p->first_name, q->first_name);
}

const struct wf_org_record **wf_gateway_records(
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const uint64_t *set, size_t *count_out, struct wf_arena *arena)
{
	size_t all = wf_org_count(organisation, kind);
	const struct wf_org_record **rows =
	    wf_arena_array(arena, all, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < all; i++)
		if (set == NULL || wf_bitset_has(set, i))
			rows[count++] =
			    wf_org_at(organisation, kind, (uint32_t)i);
	if (count > 1)
		qsort(rows, count, sizeof(*rows), compare);
	*count_out = count;
	return rows;
}

void wf_gateway_put_records(struct wf_buffer *xml,
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const uint64_t *set, struct wf_arena *arena)
{
	size_t count;
	const struct wf_org_record **rows =
	    wf_gateway_records(organisation, kind, set, &count, arena);

	for (size_t i = 0; i < count; i++)
		wf_gateway_put_record(xml, organisation, rows[i]);
}
