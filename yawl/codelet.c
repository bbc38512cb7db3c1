/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/codelet.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "data/json.h"
#include "data/query.h"
#include "history/case_reader.h"
#include "people/organisation/organisation.h"
#include "spec/spec.h"
#include "work/case_data.h"
#include "work/item_data.h"
#include "xquery/text/unicode.h"
#include "yawl/program.h"

/* RandomWait waits at most so many units. */
#define WAIT_MAXIMUM 10000

/* The item that a codelet works on. */
struct work {
	struct wf_message *message;
	json_t *item;	/* as wf_item_data_describe() has it */
	json_t *output; /* of the codelet */
	const struct wf_organisation *organisation;
	const char *codelet; /* NULL: none */
	const char *root;    /* of the document that a query sees */
	const char *uri;
	const char *version;
	bool is_own; /* the task names no service */
};

/* NULL: the task does no work. */
static const struct wf_decomposition *find_work(
    const struct wf_spec *spec, const struct work *work)
{
	uint32_t at = 0;
	const struct wf_task *task =
	    wf_spec_next_task(spec, work->message->announced.task, &at);

	return task == NULL ? NULL : task->decomposition;
}

/* --- input and output ----------------------------------------------------- */

static json_t *input(const struct work *work, const char *name)
{
	return json_object_get(json_object_get(work->item, "data"), name);
}

/* "": there is none. */
static const char *text(const struct work *work, const char *name)
{
	const char *value = json_string_value(input(work, name));

	return value == NULL ? "" : value;
}

static json_int_t number(const struct work *work, const char *name)
{
	const json_t *value = input(work, name);

	return json_is_integer(value) ? json_integer_value(value)
				      : strtoll(text(work, name), NULL, 10);
}

static void put(struct work *work, const char *name, const char *value)
{
	json_object_set_new(work->output, name, json_string(value));
}

static void put_flag(struct work *work, const char *name, bool value)
{
	json_object_set_new(work->output, name, json_boolean(value));
}

/* Each output is that of the codelet, else the input of the same name. */
static enum wf_verdict complete(struct work *work)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *output = json_object();
	const json_t *name;
	enum wf_rc rc;
	size_t i;

	json_array_foreach(json_object_get(work->item, "outputs"), i, name)
	{
		const char *key = json_string_value(name);
		json_t *value = json_object_get(work->output, key);

		if (value == NULL)
			value = input(work, key);
		if (value != NULL)
			json_object_set(output, key, value);
	}
	rc = wf_item_data_output(work->message, output, &err);
	json_decref(output);
	return rc == WF_OK ? WF_VERDICT_COMPLETE
			   : wf_message_fail(work->message, WF_VERDICT_REFUSED,
				 "the output of codelet %s: %s",
				 work->codelet == NULL ? "" : work->codelet,
				 err.message);
}

/* --- codelets: false: it goes on later ------------------------------------ */

static bool add(struct work *work)
{
	json_object_set_new(work->output, "c",
	    json_integer((json_int_t)((uint64_t)number(work, "a") +
				      (uint64_t)number(work, "b"))));
	return true;
}

/* The same time at each attempt: it follows from the key of the message. */
static bool wait_at_random(struct work *work)
{
	const struct wf_message *message = work->message;
	const char *unit = text(work, "interval");
	int64_t second = 1000;
	int64_t unit_ms = unit[0] == 'H'   ? 3600 * second
			  : unit[0] == 'M' ? 60 * second
					   : second;
	json_int_t most = number(work, "max");
	uint64_t hash = wf_hash(0, message->key, strlen(message->key));
	int64_t wait;

	if (most <= 0)
		return true;
	if (most > WAIT_MAXIMUM)
		most = WAIT_MAXIMUM;
	wait = (int64_t)(hash % ((uint64_t)most + 1)) * unit_ms;
	json_object_set_new(work->output, "waitTime", json_integer(wait));
	work->message->at = message->row.at + wait;
	return work->message->at <= message->now;
}

/* The inputs, as elements. */
struct inputs {
	const struct work *work;
	struct wf_buffer xml;
	enum wf_rc rc;
};

static void put_inputs(void *context, const struct wf_spec *spec)
{
	struct inputs *inputs = context;
	const struct wf_decomposition *about = find_work(spec, inputs->work);

	wf_buffer_printf(&inputs->xml, "<%s>", about->root_name);
	for (size_t i = 0; i < about->input_count && inputs->rc == WF_OK; i++) {
		const struct wf_variable *variable = &about->inputs[i];
		const json_t *value = input(inputs->work, variable->name);

		if (value != NULL)
			inputs->rc = wf_json_put_xml(variable->type,
			    variable->name, value, &inputs->xml, NULL);
	}
	wf_buffer_printf(&inputs->xml, "</%s>", about->root_name);
}

/* Without a result where there is none. */
static bool evaluate(struct work *work)
{
	const struct wf_message *message = work->message;
	const struct wf_evaluation how = { .now = message->now,
		.steps = WF_INSPECTION_WORK };
	struct inputs inputs = { .work = work, .rc = WF_OK };
	struct wf_value_list list = { NULL, NULL, 0 };
	struct wf_query *query = NULL;
	struct wf_buffer result;

	wf_buffer_init(&inputs.xml, WF_DATA_MAXIMUM_BYTES);
	wf_buffer_init(&result, WF_ORG_TEXT_BYTES * 1024);
	if (wf_engine_inspect_spec(message->engine, message->row.namespace_id,
		message->announced.specification, false, put_inputs, &inputs,
		NULL) == WF_OK &&
	    inputs.rc == WF_OK &&
	    wf_value_list_parse(&list, wf_buffer_text(&inputs.xml),
		inputs.xml.length, NULL) == WF_OK) {
		const struct wf_document document = { work->root, list.values,
			list.count };

		if (wf_query_compile(
			&query, text(work, "query"), NULL, 0, NULL) == WF_OK &&
		    wf_query_string(query, &document, &how, &result, NULL) ==
			WF_OK)
			put(work, "result", wf_buffer_text(&result));
	}
	wf_query_free(&query);
	wf_value_list_free(&list);
	wf_buffer_free(&result);
	wf_buffer_free(&inputs.xml);
	return true;
}

static bool describe_item(struct work *work)
{
	const char *item = work->message->row.subject;

	put(work, "specificationName", work->uri);
	put(work, "specificationVersion", work->version);
	put(work, "caseID",
	    wf_arena_strndup(work->message->arena, item, strcspn(item, ":")));
	return true;
}

/* --- about people --------------------------------------------------------- */

static const struct wf_participant *find_user(const struct work *work)
{
	uint32_t number = wf_org_find_name(
	    work->organisation, WF_ORG_PARTICIPANT, text(work, "userid"));

	return number == WF_ORG_NOBODY
		   ? NULL
		   : wf_participant_at(work->organisation, number);
}

static void put_names(struct work *work, const char *output,
    enum wf_org_kind kind, const struct wf_texts *ids)
{
	const char *between = text(work, "delimiter");
	struct wf_arena *arena = work->message->arena;
	const char *names = "";

	for (size_t i = 0; i < ids->count; i++) {
		uint32_t number =
		    wf_org_find(work->organisation, kind, ids->rows[i]);

		if (number != WF_ORG_NOBODY)
			names = wf_arena_printf(arena, "%s%s%s", names,
			    names[0] == '\0'	 ? ""
			    : between[0] == '\0' ? ","
						 : between,
			    wf_org_name(
				wf_org_at(work->organisation, kind, number)));
	}
	put(work, output, names);
}

static bool describe_participant(struct work *work)
{
	static const struct wf_participant nobody = { .user = "",
		.first_name = "",
		.last_name = "",
		.email = "",
		.description = "",
		.notes = "" };
	const struct wf_participant *p = find_user(work);

	if (p == NULL)
		p = &nobody;
	put(work, "userid", p->user);
	put(work, "firstname", p->first_name);
	put(work, "lastname", p->last_name);
	put(work, "fullname",
	    p == &nobody ? ""
			 : wf_arena_printf(work->message->arena, "%s %s",
			       p->first_name, p->last_name));
	put(work, "email", p->email);
	put_flag(work, "emailOnAllocation", p->mail_on_allocation);
	put_flag(work, "emailOnOffer", p->mail_on_offer);
	put_flag(work, "isAdministrator", p->is_administrator);
	put(work, "description", p->description);
	put(work, "notes", p->notes);
	put_names(work, "positions", WF_ORG_POSITION, &p->positions);
	put_names(work, "roles", WF_ORG_ROLE, &p->roles);
	put_names(work, "capabilities", WF_ORG_CAPABILITY, &p->capabilities);
	return true;
}

/* The user ids of those who link to the record, with commas between. */
static void put_users(struct work *work, const char *output,
    enum wf_org_relation relation, uint32_t target)
{
	struct wf_numbers people = { NULL, 0 };
	const char *users = "";

	if (target != WF_ORG_NOBODY)
		people = wf_org_sources(work->organisation, relation, target);
	for (size_t i = 0; i < people.count; i++)
		users = wf_arena_printf(work->message->arena, "%s%s%s", users,
		    i == 0 ? "" : ",",
		    wf_participant_at(work->organisation, people.rows[i])
			->user);
	put(work, output, users);
}

static bool list_role(struct work *work)
{
	put_users(work, "userids", WF_PARTICIPANT_roles,
	    wf_org_find_name(
		work->organisation, WF_ORG_ROLE, text(work, "rolename")));
	return true;
}

static bool list_position(struct work *work)
{
	put_users(work, "userids", WF_PARTICIPANT_positions,
	    wf_org_find_name(work->organisation, WF_ORG_POSITION,
		text(work, "positionname")));
	return true;
}

/* The holders of the positions that report to the position. */
static bool list_reports(struct work *work)
{
	uint32_t position = wf_org_find_name(
	    work->organisation, WF_ORG_POSITION, text(work, "positionname"));
	struct wf_numbers below = { NULL, 0 };
	const char *users = "";

	if (position != WF_ORG_NOBODY)
		below = wf_org_sources(
		    work->organisation, WF_POSITION_reports_to, position);
	for (size_t i = 0; i < below.count; i++) {
		const char *more;

		put_users(work, "directreportids", WF_PARTICIPANT_positions,
		    below.rows[i]);
		more = json_string_value(
		    json_object_get(work->output, "directreportids"));
		users = wf_arena_printf(work->message->arena, "%s%s%s", users,
		    users[0] == '\0' || more[0] == '\0' ? "" : ",", more);
	}
	put(work, "directreportids", users);
	return true;
}

/* Whoever holds the position that one of the positions reports to. */
static bool find_supervisor(struct work *work)
{
	const struct wf_participant *p = find_user(work);

	for (size_t i = 0; p != NULL && i < p->positions.count; i++) {
		uint32_t number = wf_org_find(
		    work->organisation, WF_ORG_POSITION, p->positions.rows[i]);
		struct wf_numbers above = wf_org_targets(
		    work->organisation, WF_POSITION_reports_to, number);
		struct wf_numbers people = { NULL, 0 };

		if (above.count > 0)
			people = wf_org_sources(work->organisation,
			    WF_PARTICIPANT_positions, above.rows[0]);
		if (people.count == 0)
			continue;
		put(work, "supervisorid",
		    wf_participant_at(work->organisation, people.rows[0])
			->user);
		break;
	}
	return true;
}

/* --- who completed a task ------------------------------------------------- */

/* The history of the case is searched. */
struct completer_search {
	struct work *work;
	struct wf_store *store;
	const char *task;
	const char *participant; /* who completed it last; NULL: nobody */
};

static void note_completer(void *context, const struct wf_case_event *from)
{
	struct completer_search *search = context;
	const struct wf_event *event = from->event;

	if (event->kind == WF_EVENT_ITEM_DONE_BY && event->number == 0 &&
	    from->task != NULL && strcmp(from->task->id, search->task) == 0)
		search->participant =
		    wf_arena_strndup(search->work->message->arena, event->text,
			event->text_length);
}

static void search_history(void *context, const struct wf_spec *spec)
{
	struct completer_search *search = context;
	const struct wf_case_reading how = { .store = search->store,
		.spec = spec,
		.engine = search->work->message->engine,
		.visit = note_completer,
		.context = search };
	struct wf_case_reader *reader =
	    wf_case_reader_new(search->work->message->row.number, "");
	bool more = true;

	while (more && wf_case_reader_page(
			   reader, &how, UINT64_MAX, &more, NULL) == WF_OK)
		;
	wf_case_reader_free(&reader);
}

/* Of several the last one; nobody: there is no output. */
static bool find_completer(struct work *work)
{
	struct wf_message *message = work->message;
	struct completer_search search = { .work = work,
		.task = text(work, "taskName") };
	const struct wf_participant *p;
	uint32_t number = WF_ORG_NOBODY;

	if (wf_engine_borrow(message->engine, &search.store, NULL) != WF_OK)
		return true;
	(void)(wf_engine_inspect_spec(message->engine,
		   message->row.namespace_id, message->announced.specification,
		   false, search_history, &search, NULL) == WF_OK);
	wf_engine_give_back(message->engine, search.store);
	if (search.participant != NULL)
		number = wf_org_find(
		    work->organisation, WF_ORG_PARTICIPANT, search.participant);
	if (number == WF_ORG_NOBODY)
		return true;
	p = wf_participant_at(work->organisation, number);
	put(work, "userid", p->user);
	put(work, "name",
	    wf_arena_printf(
		message->arena, "%s %s", p->first_name, p->last_name));
	return true;
}

/* --- programs ------------------------------------------------------------- */

static struct {
	const char *programs; /* NULL or "": none */
	int64_t milliseconds;
	atomic_bool ends; /* the server does */
} allowed;

void wf_codelet_allow(const char *programs, int64_t milliseconds)
{
	allowed.programs = programs;
	allowed.milliseconds = milliseconds;
	atomic_store(&allowed.ends, false);
}

void wf_codelet_end_programs(void)
{
	atomic_store(&allowed.ends, true);
}

/* A text for XML: without the last ends of lines, "?" for what is no text. */
static char *text_of(struct wf_buffer *output, struct wf_arena *arena)
{
	size_t length = output->length;
	char *text = wf_arena_strndup(arena, wf_buffer_text(output), length);
	bool is_text = wf_is_utf8(text, length);

	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];

		if ((byte >= 0x80 && !is_text) ||
		    (byte < ' ' && strchr("\t\r\n", byte) == NULL) ||
		    byte == '\0')
			text[i] = '?';
	}
	while (length > 0 && strchr("\r\n", text[length - 1]) != NULL)
		length--;
	text[length] = '\0';
	return text;
}

/*
 * Without programs that are allowed it does nothing, like a codelet that is not
 * known.
 */
static enum wf_verdict execute(struct work *work)
{
	struct wf_message *message = work->message;
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer output;
	char **words;
	enum wf_rc rc;

	if (allowed.programs == NULL || allowed.programs[0] == '\0')
		return complete(work);
	if (!message->is_long)
		return WF_VERDICT_LONG;
	wf_buffer_init(&output, WF_PROGRAM_OUTPUT_BYTES);
	rc = wf_program_read(text(work, "command"), allowed.programs,
	    message->arena, &words, &err);
	if (rc == WF_OK)
		rc = wf_program_run(
		    words, allowed.milliseconds, &allowed.ends, &output, &err);
	if (rc == WF_OK)
		put(work, "result", text_of(&output, message->arena));
	wf_buffer_free(&output);
	if (rc == WF_UNAVAILABLE) {
		message->at = message->now;
		return WF_VERDICT_LATER;
	}
	return rc == WF_OK ? complete(work)
			   : wf_message_fail(message, WF_VERDICT_REFUSED,
				 "ShellExecution: %s", err.message);
}

/* --- running -------------------------------------------------------------- */

static const struct {
	const char *name;
	bool (*run)(struct work *work);
	bool needs_people;
} codelets[] = {
	{ "ExampleCodelet", add, false },
	{ "RandomWait", wait_at_random, false },
	{ "XQueryEvaluator", evaluate, false },
	{ "ItemMetaData", describe_item, false },
	{ "ParticipantInfo", describe_participant, true },
	{ "SupervisorInfo", find_supervisor, true },
	{ "DirectReports", list_reports, true },
	{ "UsersWithRole", list_role, true },
	{ "UsersWithPosition", list_position, true },
	{ "TaskCompleterInfo", find_completer, true },
};

static struct wf_org_cache *people; /* of the server */

void wf_codelet_set_people(struct wf_org_cache *cache)
{
	people = cache;
}

static bool run_with_people(struct work *work, bool (*run)(struct work *work))
{
	struct wf_organisation *organisation;
	bool done;

	wf_assert(people != NULL);
	organisation = wf_org_cache_get(people);

	work->organisation = organisation;
	done = run(work);
	wf_organisation_unref(&organisation);
	return done;
}

static enum wf_verdict run(struct work *work)
{
	const char *last =
	    work->codelet == NULL ? NULL : strrchr(work->codelet, '.');
	const char *name = last == NULL ? work->codelet : last + 1;
	bool done = true;

	if (name != NULL && strcmp(name, "ShellExecution") == 0)
		return execute(work);
	for (size_t i = 0;
	     name != NULL && i < sizeof(codelets) / sizeof(codelets[0]); i++) {
		if (strcmp(codelets[i].name, name) != 0)
			continue;
		done = codelets[i].needs_people
			   ? run_with_people(work, codelets[i].run)
			   : codelets[i].run(work);
	}
	return done ? complete(work) : WF_VERDICT_LATER;
}

static void read_task(void *context, const struct wf_spec *spec)
{
	struct work *work = context;
	struct wf_arena *arena = work->message->arena;
	const struct wf_decomposition *about = find_work(spec, work);

	if (about == NULL)
		return;
	work->is_own = about->is_automated && about->service_uri == NULL;
	if (about->codelet != NULL && about->codelet[0] != '\0')
		work->codelet = wf_arena_strdup(arena, about->codelet);
	work->root = wf_arena_strdup(arena, about->root_name);
	work->uri = wf_arena_strdup(arena, spec->uri);
	work->version = wf_arena_strdup(arena, spec->metadata.version);
}

static bool hears(enum wf_announcement_kind kind)
{
	return wf_message_hands_over(kind);
}

static enum wf_verdict render(struct wf_message *message)
{
	struct work work = { .message = message };
	struct wf_error err = { .rc = WF_OK };
	enum wf_verdict verdict;

	if (wf_engine_inspect_spec(message->engine, message->row.namespace_id,
		message->announced.specification, false, read_task, &work,
		&err) != WF_OK)
		return wf_item_data_verdict(message, &err);
	if (!work.is_own)
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "no service of that address is registered");
	work.item = json_object();
	work.output = json_object();
	verdict = wf_item_data_describe(message, work.item, &err) == WF_OK
		      ? run(&work)
		      : wf_item_data_verdict(message, &err);
	json_decref(work.item);
	json_decref(work.output);
	return verdict;
}

/* Nothing is called. */
static enum wf_verdict judge(struct wf_message *message)
{
	return wf_message_fail_with_answer(message);
}

static const char *uncalled(const struct wf_service *service)
{
	(void)service;
	return "the server does its work itself";
}

const struct wf_service_handler wf_codelet_handler = {
	.number = 5,
	.name = "codelet",
	.hears = hears,
	.render = render,
	.uncalled = uncalled,
	.judge = judge,
};
