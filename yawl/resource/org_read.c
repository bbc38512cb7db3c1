/* SPDX-License-Identifier: Apache-2.0 */
/* Reading records, by id and by name, one and all. */
#include <string.h>

#include "data/xml_writer.h"
#include "people/organisation/backup.h"
#include "yawl/resource/org_find.h"
#include "yawl/resource/org_record.h"
#include "yawl/resource/user_session.h"

static struct wf_buffer *out_of(struct wf_gateway_call *call)
{
	return &call->yawl.out;
}

static const struct wf_participant *participant_of(
    const struct wf_gateway_call *call,
    const struct wf_organisation *organisation, const char *id)
{
	uint32_t number =
	    id == NULL ? WF_ORG_NOBODY
		       : wf_org_find(organisation, WF_ORG_PARTICIPANT, id);

	(void)call;
	return number == WF_ORG_NOBODY
		   ? NULL
		   : wf_participant_at(organisation, number);
}

/* --- all of a kind -------------------------------------------------------- */

static bool read_all(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	enum wf_org_kind kind = call->action->kind;
	const char *plural = wf_org_layouts[kind].plural;

	wf_buffer_printf(out_of(call), "<%s>", plural);
	wf_gateway_put_records(
	    out_of(call), organisation, kind, NULL, call->yawl.arena);
	wf_buffer_printf(out_of(call), "</%s>", plural);
	return true;
}

void wf_gateway_get_records(struct wf_gateway_call *call)
{
	const char *format = wf_gateway_parameter(call, "format");

	if (format != NULL && strcasecmp(format, "JSON") == 0)
		wf_gateway_get_identifiers(call);
	else
		wf_gateway_read(call, read_all);
}

static bool read_categories(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	struct wf_buffer *xml = out_of(call);
	size_t count = wf_org_count(organisation, WF_ORG_CATEGORY);

	wf_buffer_puts(xml, "<nonHumanCategorySet>");
	for (size_t i = 0; i < count; i++) {
		const struct wf_category *category =
		    (const struct wf_category *)wf_org_at(
			organisation, WF_ORG_CATEGORY, (uint32_t)i);

		wf_buffer_puts(xml, "<category");
		wf_xml_put_attribute(xml, "name", category->name);
		wf_buffer_putc(xml, '>');
		for (size_t k = 0; k < category->parts.count; k++)
			wf_xml_put_element(
			    xml, "subcategory", category->parts.rows[k]);
		wf_buffer_puts(xml, "</category>");
	}
	wf_buffer_puts(xml, "</nonHumanCategorySet>");
	return true;
}

void wf_gateway_get_categories(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_categories);
}

/* --- one ------------------------------------------------------------------ */

/* NULL: the call is answered. */
static const struct wf_org_record *find_id(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	enum wf_org_kind kind = call->action->kind;
	const char *id = wf_gateway_id(call);
	uint32_t number =
	    id == NULL ? WF_ORG_NOBODY : wf_org_find(organisation, kind, id);

	if (number != WF_ORG_NOBODY)
		return wf_org_at(organisation, kind, number);
	wf_gateway_fail(call, "Unknown %s id: %s",
	    wf_gateway_words[kind].unknown, id == NULL ? "null" : id);
	return NULL;
}

static bool read_one(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const struct wf_org_record *record = find_id(call, organisation);

	if (record != NULL)
		wf_gateway_put_record(out_of(call), organisation, record);
	return record != NULL;
}

void wf_gateway_get_record(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_one);
}

/* NULL: there is none. */
static const struct wf_org_record *find_named(
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const char *name)
{
	uint32_t number = name == NULL
			      ? WF_ORG_NOBODY
			      : wf_org_find_name(organisation, kind, name);

	return number == WF_ORG_NOBODY ? NULL
				       : wf_org_at(organisation, kind, number);
}

static bool read_named(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	enum wf_org_kind kind = call->action->kind;
	const char *name = wf_gateway_text(call, "name");
	const struct wf_org_record *record =
	    find_named(organisation, kind, name);

	if (record != NULL)
		wf_gateway_put_record(out_of(call), organisation, record);
	else
		wf_gateway_fail(call, "Unknown %s name: %s",
		    wf_gateway_words[kind].unknown, name);
	return record != NULL;
}

void wf_gateway_get_named(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_named);
}

/* The user id is called "userid" or "id". NULL: the call is answered. */
static const struct wf_participant *find_user(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const char *user = wf_gateway_parameter(call, "userid");
	const struct wf_org_record *record;

	if (user == NULL)
		user = wf_gateway_text(call, "id");
	record = find_named(organisation, WF_ORG_PARTICIPANT, user);
	if (record == NULL)
		wf_gateway_fail(call, "Unknown userid: %s", user);
	return (const struct wf_participant *)record;
}

static bool read_user(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const struct wf_participant *user = find_user(call, organisation);

	if (user != NULL)
		wf_gateway_put_record(
		    out_of(call), organisation, &user->record);
	return user != NULL;
}

void wf_gateway_get_user(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_user);
}

static bool read_full_name(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const struct wf_participant *user = find_user(call, organisation);

	if (user != NULL)
		wf_xml_put_text(
		    out_of(call), wf_gateway_full_name(user, call->yawl.arena));
	return user != NULL;
}

void wf_gateway_get_full_name(struct wf_gateway_call *call)
{
	if (strcmp(wf_gateway_text(call, "userid"), WF_YAWL_ADMIN) == 0)
		wf_gateway_answer_text(call, "Administrator");
	else
		wf_gateway_read(call, read_full_name);
}

static bool read_known(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const char *id = wf_gateway_id(call);

	if (id == NULL)
		wf_gateway_fail(call, "Invalid ID: null");
	else
		wf_buffer_puts(out_of(call),
		    wf_org_find(organisation, call->action->kind, id) !=
			    WF_ORG_NOBODY
			? "true"
			: "false");
	return id != NULL;
}

void wf_gateway_is_known(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_known);
}

/* --- privileges ----------------------------------------------------------- */

static bool read_privileges(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	static const char *const words[] = {
#define WF_USER_PRIVILEGE(name, word, meaning) word,
#include "people/organisation/user_privileges.def"
#undef WF_USER_PRIVILEGE
	};
	struct wf_buffer *xml = out_of(call);
	const struct wf_participant *participant =
	    (const struct wf_participant *)find_id(call, organisation);
	uint32_t bits;

	if (participant == NULL)
		return false;
	bits = participant->privileges;
	if ((bits >> WF_USER_ALL & 1) != 0)
		bits = UINT32_MAX;
	wf_buffer_puts(xml, "<UserPrivileges");
	wf_xml_put_attribute(xml, "participantid", participant->record.id);
	wf_buffer_putc(xml, '>');
	for (unsigned i = 0; i < WF_USER_ALL; i++)
		wf_xml_put_element(
		    xml, words[i], (bits >> i & 1) != 0 ? "true" : "false");
	wf_buffer_puts(xml, "</UserPrivileges>");
	return true;
}

void wf_gateway_get_privileges(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_privileges);
}

/* --- what a participant has, and who has it ------------------------------- */

static const struct wf_texts *held(
    const struct wf_participant *participant, enum wf_org_kind kind)
{
	return kind == WF_ORG_ROLE	 ? &participant->roles
	       : kind == WF_ORG_POSITION ? &participant->positions
					 : &participant->capabilities;
}

static bool read_held(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	enum wf_org_kind kind = call->action->kind;
	const char *plural = wf_org_layouts[kind].plural;
	const char *id = wf_gateway_text(call, "id");
	struct wf_buffer *xml = out_of(call);
	const struct wf_participant *participant =
	    participant_of(call, organisation, id);
	const struct wf_texts *ids;

	if (participant == NULL) {
		wf_gateway_fail(call, "Unknown participant id: %s", id);
		return false;
	}
	ids = held(participant, kind);
	wf_buffer_printf(xml, "<%s", plural);
	wf_xml_put_attribute(xml, "participantid", id);
	wf_buffer_putc(xml, '>');
	for (size_t i = 0; i < ids->count; i++) {
		uint32_t number = wf_org_find(organisation, kind, ids->rows[i]);

		if (number != WF_ORG_NOBODY)
			wf_gateway_put_record(xml, organisation,
			    wf_org_at(organisation, kind, number));
	}
	wf_buffer_printf(xml, "</%s>", plural);
	return true;
}

void wf_gateway_get_held(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_held);
}

/* Those who have the role, position or capability themselves. */
static uint64_t *holders_of(const struct wf_organisation *organisation,
    const struct wf_org_record *record, struct wf_arena *arena)
{
	uint64_t *set = wf_people_new(organisation, arena);
	uint32_t number = wf_org_find(organisation, record->kind, record->id);
	struct wf_numbers sources;

	switch (record->kind) {
	case WF_ORG_ROLE:
		sources =
		    wf_org_sources(organisation, WF_PARTICIPANT_roles, number);
		for (size_t i = 0; i < sources.count; i++)
			wf_bitset_add(set, sources.rows[i]);
		break;
	case WF_ORG_POSITION:
		wf_people_add_position(organisation, set, number);
		break;
	case WF_ORG_CAPABILITY:
		wf_people_add_capability(organisation, set, number);
		break;
	case WF_ORG_GROUP:
		wf_people_add_group(organisation, set, number);
		break;
	default:
		wf_bitset_add(set, number);
		break;
	}
	return set;
}

static void put_holders(struct wf_gateway_call *call,
    const struct wf_organisation *organisation,
    const struct wf_org_record *record)
{
	struct wf_buffer *xml = out_of(call);

	wf_buffer_puts(xml, "<participants");
	if (record->kind != WF_ORG_GROUP)
		wf_xml_put_attribute(
		    xml, wf_gateway_words[record->kind].id, record->id);
	wf_buffer_putc(xml, '>');
	wf_gateway_put_records(xml, organisation, WF_ORG_PARTICIPANT,
	    holders_of(organisation, record, call->yawl.arena),
	    call->yawl.arena);
	wf_buffer_puts(xml, "</participants>");
}

static bool read_holders(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const struct wf_org_record *record = find_named(organisation,
	    call->action->kind, wf_gateway_parameter(call, "name"));

	if (record != NULL)
		put_holders(call, organisation, record);
	else
		wf_buffer_puts(out_of(call), "<participants/>");
	return true;
}

void wf_gateway_get_holders(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_holders);
}

static bool read_members(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	enum wf_org_kind kind = call->action->kind;
	const char *id = wf_gateway_id(call);
	uint32_t number =
	    id == NULL ? WF_ORG_NOBODY : wf_org_find(organisation, kind, id);

	if (number != WF_ORG_NOBODY)
		put_holders(
		    call, organisation, wf_org_at(organisation, kind, number));
	else
		wf_gateway_fail(call, "Unknown %s id: %s",
		    wf_gateway_words[kind].null, id == NULL ? "null" : id);
	return number != WF_ORG_NOBODY;
}

void wf_gateway_get_members(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_members);
}

static bool read_reports(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const char *id = wf_gateway_text(call, "participantid");
	uint32_t number = wf_org_find(organisation, WF_ORG_PARTICIPANT, id);
	uint64_t *set = wf_people_new(organisation, call->yawl.arena);

	if (number != WF_ORG_NOBODY)
		wf_people_add_reports(organisation, set, number);
	if (wf_bitset_empty(set, wf_people_words(organisation))) {
		wf_gateway_fail(call,
		    "Invalid participant id or no participants reporting to: "
		    "%s",
		    id);
		return false;
	}
	wf_buffer_puts(out_of(call), "<participants>");
	wf_gateway_put_records(out_of(call), organisation, WF_ORG_PARTICIPANT,
	    set, call->yawl.arena);
	wf_buffer_puts(out_of(call), "</participants>");
	return true;
}

void wf_gateway_get_reports(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_reports);
}

struct active {
	const struct wf_organisation *organisation;
	uint64_t *set;
};

static void add_active(void *context, const char *user)
{
	struct active *active = context;
	uint32_t number =
	    wf_org_find_name(active->organisation, WF_ORG_PARTICIPANT, user);

	if (number != WF_ORG_NOBODY)
		wf_bitset_add(active->set, number);
}

static bool read_active(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	struct active active = { organisation,
		wf_people_new(organisation, call->yawl.arena) };

	wf_user_sessions_visit(call->gateways, add_active, &active);
	wf_buffer_puts(out_of(call), "<participants>");
	wf_gateway_put_records(out_of(call), organisation, WF_ORG_PARTICIPANT,
	    active.set, call->yawl.arena);
	wf_buffer_puts(out_of(call), "</participants>");
	return true;
}

void wf_gateway_get_active(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_active);
}

/* --- references ----------------------------------------------------------- */

/* What an id or a name means, in YAWL's order. */
static const struct wf_org_record *find_reference(
    const struct wf_organisation *organisation, const char *text)
{
	static const enum wf_org_kind kinds[] = { WF_ORG_PARTICIPANT,
		WF_ORG_ROLE, WF_ORG_POSITION, WF_ORG_GROUP, WF_ORG_CAPABILITY };
	size_t count = sizeof(kinds) / sizeof(kinds[0]);
	const struct wf_org_record *record = NULL;

	for (size_t i = 0; i < count && record == NULL; i++) {
		uint32_t number = wf_org_find(organisation, kinds[i], text);

		if (number != WF_ORG_NOBODY)
			record = wf_org_at(organisation, kinds[i], number);
	}
	for (size_t i = 0; i < count && record == NULL; i++)
		record = find_named(organisation, kinds[i], text);
	return record;
}

static bool read_referenced(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	struct wf_buffer *xml = out_of(call);
	const struct wf_org_record *record =
	    find_reference(organisation, wf_gateway_text(call, "id"));
	const struct wf_org_record **people;
	size_t count = 0;

	wf_buffer_puts(xml, "<participantids>");
	if (record != NULL) {
		people = wf_gateway_records(organisation, WF_ORG_PARTICIPANT,
		    holders_of(organisation, record, call->yawl.arena), &count,
		    call->yawl.arena);
		for (size_t i = 0; i < count; i++)
			wf_xml_put_element(xml, "id", people[i]->id);
	}
	wf_buffer_puts(xml, "</participantids>");
	return true;
}

void wf_gateway_get_referenced(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_referenced);
}

/* --- the data set --------------------------------------------------------- */

void wf_gateway_is_modifiable(struct wf_gateway_call *call)
{
	wf_gateway_answer_text(call, "true");
}

/* Participants of a directory sign in as accounts, which it keeps. */
void wf_gateway_is_external(struct wf_gateway_call *call)
{
	wf_gateway_answer_text(call, "false");
}

void wf_gateway_get_build(struct wf_gateway_call *call)
{
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_get_build);
}
