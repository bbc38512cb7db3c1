/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading one item: its record, its children, its parameters, who may do what.
 * A user sees the items that the user has or may take.
 */
#include <string.h>

#include "data/xml_writer.h"
#include "kernel/assignment/assignment.h"
#include "people/task_rule.h"
#include "yawl/parameter.h"
#include "yawl/resource/item_draft.h"
#include "yawl/resource/item_read.h"
#include "yawl/resource/org_find.h"
#include "yawl/resource/org_record.h"
#include "yawl/resource/work_record.h"

static const char *item_id(const struct wf_gateway_call *call)
{
	return wf_gateway_text(call, "workitemid");
}

/* --- whether the handle allows it ----------------------------------------- */

uint64_t *wf_item_people(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, const char *holder,
    const char *audience_text, struct wf_arena *arena)
{
	const struct wf_set_keeper keeper = wf_audiences_keeper(audiences);
	uint64_t *set = wf_people_new(organisation, arena);
	size_t count = wf_org_count(organisation, WF_ORG_PARTICIPANT);
	uint32_t number = wf_org_find(organisation, WF_ORG_PARTICIPANT, holder);
	struct wf_audience audience;

	if (number != WF_ORG_NOBODY)
		wf_bitset_add(set, number);
	if (audience_text[0] == '\0' ||
	    wf_audience_read(audience_text, arena, &audience, NULL) != WF_OK)
		return set;
	for (size_t i = 0; i < count; i++)
		if (wf_audience_has(organisation, &keeper, &audience,
			wf_org_at(organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
			    ->id))
			wf_bitset_add(set, i);
	return set;
}

static bool is_seen(
    struct wf_gateway_call *call, const struct wf_yawl_item *item)
{
	const struct wf_assignment *assignment = item->assignment;
	const struct wf_set_keeper keeper =
	    wf_audiences_keeper(call->yawl.server->audiences);
	struct wf_organisation *organisation;
	struct wf_audience audience;
	bool is;

	if (call->is_service || call->is_administrator)
		return true;
	if (assignment == NULL || call->participant == NULL)
		return false;
	if (assignment->status != WF_RESOURCE_OFFERED)
		return strcmp(assignment->holder, call->participant) == 0;
	organisation = wf_gateway_organisation(call);
	is = wf_audience_read(assignment->audience, call->yawl.arena, &audience,
		 NULL) == WF_OK &&
	     wf_audience_has(
		 organisation, &keeper, &audience, call->participant);
	wf_organisation_unref(&organisation);
	return is;
}

/* What is read of an item, if the handle allows it. */
struct reading {
	wf_yawl_item_f read;
	bool is_refused;
};

static void read_if_seen(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct reading *reading = call->found;

	reading->is_refused = !is_seen(call, item);
	if (!reading->is_refused)
		reading->read(yawl, instance, item);
}

/* Answers with what read wrote; unknown: with %s for the id. */
static void answer_item(
    struct wf_gateway_call *call, wf_yawl_item_f read, const char *unknown)
{
	struct reading reading = { .read = read };
	struct wf_error err = { .rc = WF_OK };
	bool found;

	call->found = &reading;
	found = wf_yawl_inspect_item(
	    &call->yawl, item_id(call), read_if_seen, &err);
	if (err.rc != WF_OK)
		wf_gateway_fail_error(call, &err);
	else if (!found)
		wf_gateway_fail(call, "%s",
		    wf_arena_printf(
			call->yawl.arena, "%s%s", unknown, item_id(call)));
	else if (reading.is_refused)
		wf_gateway_fail(call, "The user neither has the item nor may "
				      "take it.");
	else
		wf_gateway_answer(call);
}

/* --- records -------------------------------------------------------------- */

void wf_gateway_get_item(struct wf_gateway_call *call)
{
	json_t *draft = wf_item_draft_show(call, item_id(call));

	/* The call does not exist after its answer. */
	call->draft = draft;
	answer_item(call, wf_work_put_record, "Unknown workitem: ");
	json_decref(draft);
}

/* The ids of the children of an item. */
static void note_children(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct wf_gateway_call *call = context;
	const char *parent = item_id(call);
	size_t length = strcspn(parent, ":");
	struct wf_item *items;
	size_t count;

	if (stored->ended)
		return;
	count = wf_case_items(instance, &items);
	for (size_t i = 0; i < count; i++) {
		const char *last = strrchr(items[i].case_id, '.');
		char id[WF_ITEM_ID_SIZE];

		if (items[i].status == WF_ITEM_ENABLED || last == NULL ||
		    (size_t)(last - items[i].case_id) != length ||
		    memcmp(items[i].case_id, parent, length) != 0 ||
		    parent[length] != ':' ||
		    strcmp(parent + length + 1, items[i].task->id) != 0)
			continue;
		wf_item_id(&items[i], id);
		wf_org_texts_add(call->yawl.arena, call->found,
		    wf_arena_strdup(call->yawl.arena, id));
	}
	wf_free(items);
}

void wf_gateway_get_children(struct wf_gateway_call *call)
{
	struct wf_texts ids = { NULL, 0 };
	struct wf_error err = { .rc = WF_OK };

	call->found = &ids;
	if (wf_yawl_find_case_of(&call->yawl, item_id(call)))
		(void)(wf_engine_inspect(call->yawl.server->engine,
			   call->yawl.known.number, note_children, call,
			   &err) == WF_OK);
	wf_buffer_puts(&call->yawl.out, "<workitemrecords>");
	for (size_t i = 0; i < ids.count; i++)
		(void)wf_work_show(call, ids.rows[i], &err);
	wf_buffer_puts(&call->yawl.out, "</workitemrecords>");
	wf_gateway_answer(call);
}

/* --- parameters ----------------------------------------------------------- */

static void put_parameters(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	(void)instance;
	wf_yawl_put_task_parameters(&yawl->out, item->task, yawl->arena);
}

void wf_gateway_get_parameters(struct wf_gateway_call *call)
{
	answer_item(call, put_parameters, "Unknown workitem: ");
}

static void put_outputs(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	(void)instance;
	wf_buffer_puts(&yawl->out, "<outputOnlyParameters>");
	wf_yawl_put_output_only(&yawl->out, item->task->decomposition);
	wf_buffer_puts(&yawl->out, "</outputOnlyParameters>");
}

void wf_gateway_get_outputs(struct wf_gateway_call *call)
{
	answer_item(call, put_outputs, "Unknown workitem ");
}

static void put_decomposition(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	(void)instance;
	wf_xml_put_text(&yawl->out, item->task->decomposition->id);
}

void wf_gateway_get_decomposition(struct wf_gateway_call *call)
{
	answer_item(call, put_decomposition, "Unknown workitem: ");
}

/* --- data schemas --------------------------------------------------------- */

static void put_schema_begin(
    struct wf_yawl_call *yawl, const struct wf_spec *spec, const char *name)
{
	struct wf_buffer *xml = &yawl->out;

	wf_buffer_puts(xml,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<xsd:schema xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" "
	    "elementFormDefault=\"qualified\">");
	for (const struct wf_markup *child =
		 spec->schema == NULL ? NULL
				      : wf_markup_child(spec->schema, NULL);
	     child != NULL; child = wf_markup_next(child, NULL))
		wf_markup_write(
		    wf_markup_copy(yawl->arena, child), 0, NULL, xml);
	wf_buffer_puts(xml, "<xsd:element");
	wf_xml_put_attribute(xml, "name", name);
	wf_buffer_puts(xml, "><xsd:complexType><xsd:sequence>");
}

static void put_schema_end(struct wf_yawl_call *yawl)
{
	wf_buffer_puts(&yawl->out, "</xsd:sequence></xsd:complexType>"
				   "</xsd:element></xsd:schema>");
}

static void put_element(
    struct wf_yawl_call *yawl, const struct wf_variable *variable)
{
	struct wf_buffer *xml = &yawl->out;
	bool is_own =
	    variable->type_name != NULL && !wf_type_is_builtin(variable->type);

	wf_buffer_puts(xml, "<xsd:element");
	wf_xml_put_attribute(xml, "name", variable->name);
	if (variable->type_name != NULL)
		wf_xml_put_attribute(xml, "type",
		    wf_arena_printf(yawl->arena, "%s%s",
			is_own ? "" : "xsd:", variable->type_name));
	wf_xml_put_attribute(xml, "minOccurs", variable->optional ? "0" : "1");
	wf_buffer_puts(xml, " maxOccurs=\"1\"/>");
}

static bool is_input(const struct wf_decomposition *work, const char *name)
{
	for (size_t i = 0; i < work->input_count; i++)
		if (strcmp(work->inputs[i].name, name) == 0)
			return true;
	return false;
}

static void put_item_schema(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	const struct wf_decomposition *work = item->task->decomposition;

	(void)instance;
	put_schema_begin(yawl, item->task->net->spec, work->root_name);
	for (size_t i = 0; i < work->input_count; i++)
		put_element(yawl, &work->inputs[i]);
	for (size_t i = 0; i < work->output_count; i++)
		if (!is_input(work, work->outputs[i].name))
			put_element(yawl, &work->outputs[i]);
	put_schema_end(yawl);
}

void wf_gateway_get_item_schema(struct wf_gateway_call *call)
{
	answer_item(call, put_item_schema, "Unknown workitem: ");
}

static void put_case_schema(void *context, const struct wf_spec *spec)
{
	struct wf_gateway_call *call = context;
	const struct wf_decomposition *root = spec->root->decomposition;

	put_schema_begin(&call->yawl, spec, spec->uri);
	for (size_t i = 0; i < root->input_count; i++)
		put_element(&call->yawl, &root->inputs[i]);
	put_schema_end(&call->yawl);
}

void wf_gateway_get_case_schema(struct wf_gateway_call *call)
{
	struct wf_yawl_call *yawl = &call->yawl;
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;

	if (wf_yawl_find_spec(yawl, &row, &err) &&
	    wf_engine_inspect_spec(yawl->server->engine, WF_NAMESPACE_DEFAULT,
		row.key, false, put_case_schema, call, &err) == WF_OK)
		wf_gateway_answer(call);
	else
		wf_gateway_fail_error(call, &err);
}

/* --- who may do what ------------------------------------------------------ */

static void put_texts(
    struct wf_buffer *xml, const char *name, const struct wf_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		wf_xml_put_element(xml, name, texts->rows[i]);
}

static void put_privilege(struct wf_buffer *xml,
    const struct wf_privilege_holders *holders, const char *word)
{
	if (!holders->all && holders->participants.count == 0 &&
	    holders->roles.count == 0)
		return;
	wf_buffer_puts(xml, "<privilege>");
	wf_xml_put_element(xml, "name", word);
	if (holders->all) {
		wf_xml_put_element(xml, "allowall", "true");
	} else {
		wf_buffer_puts(xml, "<set>");
		put_texts(xml, "participant", &holders->participants);
		put_texts(xml, "role", &holders->roles);
		wf_buffer_puts(xml, "</set>");
	}
	wf_buffer_puts(xml, "</privilege>");
}

static void put_privileges(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_buffer *xml = &yawl->out;
	const struct wf_spec *spec = item->task->net->spec;
	const struct wf_task_rule *rule = wf_task_rule(item->task);

	(void)instance;
	wf_buffer_puts(xml, "<taskprivileges><specid>");
	wf_xml_put_optional(xml, "identifier", spec->metadata.identifier);
	wf_xml_put_element(xml, "uri", spec->uri);
	wf_yawl_put_version(xml, "version", spec->metadata.version);
	wf_buffer_puts(xml, "</specid>");
	wf_xml_put_element(xml, "taskid", item->task->id);
	wf_buffer_puts(xml, "<privileges>");
	for (unsigned i = 0; rule->resourcing != NULL && i < WF_TASK_PRIVILEGES;
	     i++)
		put_privilege(xml, &rule->resourcing->privileges[i],
		    wf_task_privilege_words[i]);
	wf_buffer_puts(xml, "</privileges></taskprivileges>");
}

void wf_gateway_get_task_privileges(struct wf_gateway_call *call)
{
	answer_item(call, put_privileges, "Unknown workitem id: ");
}

static void put_distribution(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	const struct wf_assignment *assignment = item->assignment;

	(void)instance;
	wf_buffer_puts(&yawl->out, "<participants>");
	if (assignment != NULL)
		wf_gateway_put_records(&yawl->out, organisation,
		    WF_ORG_PARTICIPANT,
		    wf_item_people(yawl->server->audiences, organisation,
			assignment->holder, assignment->audience, yawl->arena),
		    yawl->arena);
	wf_buffer_puts(&yawl->out, "</participants>");
	wf_organisation_unref(&organisation);
}

/* Who the item is offered to, or who has it. */
void wf_gateway_get_distribution(struct wf_gateway_call *call)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_yawl_inspect_item(
		&call->yawl, item_id(call), put_distribution, &err))
		wf_gateway_answer(call);
	else if (err.rc == WF_OK)
		wf_gateway_fail(call, "No distribution set found");
	else
		wf_gateway_fail_error(call, &err);
}
