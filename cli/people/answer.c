/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft people answer: who gets an item, and whom an allocator chooses, for
 * questions in a file.
 *
 *   {"id", "kind": "distribution", "org", "specification", "resourcing",
 *    "caseData"?, "itemCase"?, "itemStatus"?, "history"?, "unavailable"?,
 *    "ignored"?}
 *   {"id", "kind": "allocation", "allocator", "participants", "log",
 *    "queues"?, "costs"?, "nullSet"?}
 */
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/people/people.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "people/distribution.h"
#include "people/organisation/import.h"
#include "people/work_log.h"

#define FILE_MAXIMUM ((size_t)256 << 20)
#define ORGANISATION_MAXIMUM ((size_t)256 << 20)
#define MILLIONTHS 1000000

struct question {
	const json_t *json;
	struct wf_arena *arena;
	struct wf_organisation *organisation;
};

static const char *text_of(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text == NULL ? "" : text;
}

/* --- facts for allocators ------------------------------------------------- */

static enum wf_work_event event_of(const char *word)
{
	static const char *const words[] = { "offer", "allocate", "start",
		"complete" };

	for (unsigned i = 0; i < WF_WORK_EVENTS; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return WF_WORK_EVENTS;
}

struct facts {
	const json_t *question;
	struct wf_work_log *log;
};

static int64_t millionths(const json_t *amount)
{
	return (int64_t)(json_number_value(amount) * MILLIONTHS);
}

static void get_cost(const json_t *drivers, struct wf_work_cost *cost)
{
	const json_t *driver;
	size_t i;

	cost->is_known = json_is_array(drivers);
	json_array_foreach(drivers, i, driver)
	{
		int64_t amount = millionths(json_object_get(driver, "amount"));
		const char *duration = text_of(driver, "duration");

		cost->all += amount;
		if (strcmp(duration, "assigned") == 0)
			cost->assigned += amount;
		if (strcmp(duration, "allocated") == 0)
			cost->allocated += amount;
		if (strcmp(duration, "busy") == 0)
			cost->busy += amount;
	}
}

static void get_facts(
    void *context, const char *participant, struct wf_work_facts *facts_out)
{
	const struct facts *facts = context;
	const json_t *queues = json_object_get(
	    json_object_get(facts->question, "queues"), participant);

	facts_out->waiting =
	    (uint64_t)(json_integer_value(json_array_get(queues, 1)) +
		       json_integer_value(json_array_get(queues, 2)));
	get_cost(json_object_get(
		     json_object_get(facts->question, "costs"), participant),
	    &facts_out->cost);
	wf_work_log_get(facts->log, participant, facts_out);
}

static struct wf_work_log *read_log(const json_t *rows)
{
	struct wf_work_log *log = wf_work_log_new();
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		enum wf_work_event event = event_of(text_of(row, "event"));

		if (event != WF_WORK_EVENTS &&
		    strcmp(text_of(row, "task"), "T") == 0)
			wf_work_log_add(log, text_of(row, "case"),
			    text_of(row, "participant"), event,
			    json_integer_value(json_object_get(row, "time")));
	}
	return log;
}

/* --- allocation ----------------------------------------------------------- */

/* An organisation of these people. */
static struct wf_organisation *people_of(
    const json_t *ids, struct wf_arena *arena)
{
	size_t count = json_array_size(ids);
	struct wf_org_change *changes =
	    wf_arena_array(arena, count, sizeof(*changes));

	for (size_t i = 0; i < count; i++) {
		const char *id = json_string_value(json_array_get(ids, i));
		struct wf_org_record *record = wf_org_record_new(
		    arena, WF_ORG_PARTICIPANT, id == NULL ? "" : id);

		((struct wf_participant *)record)->user = record->id;
		changes[i] = (struct wf_org_change){ WF_ORG_PARTICIPANT,
			record->id, record };
	}
	return wf_organisation_new(NULL, changes, count, 1);
}

static enum wf_rc answer_allocation(
    struct question *q, json_t *answer, struct wf_error *err)
{
	const char *name = text_of(q->json, "allocator");
	enum wf_allocator allocator = wf_allocator_find(name);
	struct facts about = { .question = q->json };
	struct wf_allocation_facts facts = { .context = &about,
		.get = get_facts };
	uint64_t *candidates;
	uint32_t chosen;

	if (allocator == WF_ALLOCATORS)
		return wf_fail(
		    err, WF_INVALID, "there is no allocator '%.60s'", name);
	q->organisation =
	    people_of(json_object_get(q->json, "participants"), q->arena);
	about.log = read_log(json_object_get(q->json, "log"));
	candidates = wf_people_new(q->organisation, q->arena);
	wf_people_add_all(q->organisation, candidates);
	chosen = wf_allocate(q->organisation, allocator, candidates, &facts);
	json_object_set_new(answer, "chosen",
	    chosen == WF_ORG_NOBODY ? json_null()
				    : wf_json_text(wf_org_at(q->organisation,
					  WF_ORG_PARTICIPANT, chosen)
						       ->id));
	wf_work_log_free(&about.log);
	return WF_OK;
}

/* --- a case --------------------------------------------------------------- */

struct running {
	struct wf_spec_file *file;
	struct wf_case *instance;
	const json_t *question;
	char net[WF_CASE_ID_SIZE]; /* the net that holds the task */
};

struct search {
	const struct running *running;
	const char *name;
	struct wf_arena *arena;
	const char *text;
};

static void find_variable(void *argument, const struct wf_net_view *view)
{
	struct search *search = argument;

	if (strcmp(view->case_id, search->running->net) == 0)
		search->text =
		    wf_net_view_text(view, search->name, search->arena);
}

static const char *get_variable(
    void *context, const char *name, struct wf_arena *arena)
{
	const struct running *running = context;
	struct search search = { running, name, arena, NULL };

	wf_case_nets(running->instance, find_variable, &search);
	return search.text;
}

static struct wf_texts get_completed(
    void *context, const char *task, struct wf_arena *arena)
{
	const struct running *running = context;
	const json_t *history = json_object_get(running->question, "history");
	struct wf_texts ids = { .count = 0 };
	const json_t *row;
	size_t i;

	json_array_foreach(
	    history, i, row) if (strcmp(text_of(row, "task"), task) == 0 &&
				 strcmp(text_of(row, "event"), "complete") == 0)
	    wf_org_texts_add(arena, &ids, text_of(row, "participant"));
	return ids;
}

/* The case data: the inputs of the root net; what is not given is empty. */
static void write_data(
    const struct wf_spec *spec, const json_t *data, struct wf_buffer *xml)
{
	const char *root = spec->root->decomposition->id;

	wf_buffer_printf(xml, "<%s>", root);
	for (uint32_t i = 0; i < spec->root->variable_count; i++) {
		const struct wf_net_variable *variable =
		    &spec->root->variables[i];
		const char *text = text_of(data, variable->name);

		if (!variable->is_input)
			continue;
		wf_buffer_printf(xml, "<%s>", variable->name);
		wf_buffer_escape(xml, text, strlen(text), false);
		wf_buffer_printf(xml, "</%s>", variable->name);
	}
	wf_buffer_printf(xml, "</%s>", root);
}

/*
 * "%" in the id of the case stands for the case itself.  A fired or executing
 * instance has a number of its own behind that of the net.
 */
static void find_net(struct running *running)
{
	const char *pattern = text_of(running->question, "itemCase");
	const char *status = text_of(running->question, "itemStatus");
	const char *sign = strchr(pattern, '%');
	char *point;

	if (pattern[0] == '\0')
		snprintf(running->net, sizeof(running->net), "C");
	else if (sign == NULL)
		snprintf(running->net, sizeof(running->net), "%s", pattern);
	else
		snprintf(running->net, sizeof(running->net), "%.*sC%s",
		    (int)(sign - pattern), pattern, sign + 1);
	point = strrchr(running->net, '.');
	if (point != NULL && status[0] != '\0' &&
	    strcmp(status, "Enabled") != 0 && strcmp(status, "Is parent") != 0)
		*point = '\0';
}

static enum wf_rc launch(struct running *running, struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH, .now = 1 };
	enum wf_rc rc = wf_spec_read_file(&running->file,
	    text_of(running->question, "specification"), diagnostics);
	struct wf_buffer xml;
	struct wf_step step;

	if (rc != WF_OK) {
		const struct wf_diagnostic *first =
		    wf_diagnostics_first_error(diagnostics);

		rc = wf_fail(err, rc, "the specification cannot be read: %s",
		    first == NULL ? "" : first->message);
	}
	wf_diagnostics_free(&diagnostics);
	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&xml, WF_VALUE_BYTES);
	write_data(running->file->specs[0],
	    json_object_get(running->question, "caseData"), &xml);
	command.data = wf_buffer_text(&xml);
	command.length = xml.length;
	wf_step_init(&step);
	rc = wf_case_launch(&running->instance, running->file->specs[0], "C",
	    NULL, &command, &step, err);
	wf_step_free(&step);
	wf_buffer_free(&xml);
	return rc;
}

/* --- distribution --------------------------------------------------------- */

static enum wf_rc read_organisation(struct question *q, struct wf_error *err)
{
	struct wf_organisation *nobody = wf_organisation_new(NULL, NULL, 0, 0);
	struct wf_org_import import;
	struct wf_org_list list;
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, ORGANISATION_MAXIMUM);
	rc = wf_buffer_read_file(&text, text_of(q->json, "org"), err);
	if (rc == WF_OK)
		rc = wf_backup_read(
		    q->arena, wf_buffer_text(&text), text.length, &list, err);
	if (rc == WF_OK) {
		wf_org_import(nobody, &list, false, q->arena, &import);
		q->organisation = import.after;
	}
	wf_buffer_free(&text);
	wf_organisation_unref(&nobody);
	return rc;
}

static void leave_out(
    const struct question *q, const char *member, uint64_t *set)
{
	const json_t *ids = json_object_get(q->json, member);
	const json_t *id;
	size_t i;

	json_array_foreach(ids, i, id)
	{
		const char *text = json_string_value(id);
		uint32_t number = wf_org_find(q->organisation,
		    WF_ORG_PARTICIPANT, text == NULL ? "" : text);

		if (number != WF_ORG_NOBODY)
			wf_bitset_add(set, number);
		else if (text != NULL && strcmp(text, "ALL_RESOURCES") == 0)
			wf_people_add_all(q->organisation, set);
		else if (text != NULL &&
			 strcmp(text, "ALL_HUMAN_RESOURCES") == 0)
			wf_people_add_all(q->organisation, set);
	}
}

static json_t *list_people(const struct question *q, const uint64_t *set)
{
	json_t *list = json_array();

	if (set == NULL)
		return list;
	WF_BITSET_EACH (i, set, wf_people_words(q->organisation))
		json_array_append_new(
		    list, wf_json_text(wf_org_at(
			      q->organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
					   ->id));
	return list;
}

static void put_distribution(const struct question *q,
    const struct wf_distribution *distribution, json_t *answer)
{
	json_t *allocated = json_array();

	if (distribution->participant != WF_ORG_NOBODY)
		json_array_append_new(allocated,
		    wf_json_text(wf_org_at(q->organisation, WF_ORG_PARTICIPANT,
			distribution->participant)
				     ->id));
	if (distribution->set != NULL)
		json_object_set_new(answer, "distributionSet",
		    list_people(q, distribution->set));
	json_object_set_new(answer, "resourceStatus",
	    json_string(wf_resource_status_name(distribution->status)));
	json_object_set_new(
	    answer, "offered", list_people(q, distribution->offered));
	json_object_set_new(answer, "allocated", allocated);
	json_object_set_new(answer, "unoffered",
	    json_boolean(distribution->status == WF_RESOURCE_UNOFFERED));
}

/* The rule of the item; NULL: it has none. */
static enum wf_rc read_rule(struct question *q, struct wf_resourcing **rule_out,
    json_t *answer, struct wf_error *err)
{
	struct wf_diagnostics *diagnostics;
	const char *text = text_of(q->json, "resourcing");
	struct wf_error error = { .rc = WF_OK };
	const struct wf_markup *markup;
	enum wf_rc rc = WF_OK;

	*rule_out = NULL;
	if (text[0] == '\0')
		return WF_OK;
	diagnostics = wf_diagnostics_new("");
	markup = wf_markup_parse(q->arena, text, strlen(text), diagnostics);
	if (markup == NULL)
		rc = wf_fail(err, WF_INVALID, "<resourcing>: %s",
		    wf_diagnostics_first_error(diagnostics)->message);
	else if (wf_resourcing_read(q->arena, markup, rule_out, &error) !=
		 WF_OK)
		json_object_set_new(
		    answer, "parseError", wf_json_text(error.message));
	wf_diagnostics_free(&diagnostics);
	return rc;
}

static enum wf_rc answer_distribution(
    struct question *q, json_t *answer, struct wf_error *err)
{
	struct running running = { .question = q->json };
	struct wf_resource_case about = { &running, get_variable,
		get_completed };
	struct facts log = { .question = q->json };
	struct wf_allocation_facts facts = { .context = &log,
		.get = get_facts };
	struct wf_resourcing *rule;
	uint64_t *left_out;
	enum wf_rc rc = read_organisation(q, err);

	if (rc == WF_OK)
		rc = read_rule(q, &rule, answer, err);
	if (rc == WF_OK)
		rc = launch(&running, err);
	if (rc == WF_OK) {
		struct wf_distribution distribution;

		find_net(&running);
		log.log = wf_work_log_new();
		left_out = wf_people_new(q->organisation, q->arena);
		leave_out(q, "unavailable", left_out);
		leave_out(q, "ignored", left_out);
		distribution = wf_distribute(
		    q->organisation, rule, &about, left_out, &facts, q->arena);
		put_distribution(q, &distribution, answer);
		wf_work_log_free(&log.log);
	}
	wf_case_free(&running.instance);
	wf_spec_file_free(&running.file);
	return rc;
}

/* --- the file ------------------------------------------------------------- */

static enum wf_rc answer_line(
    const char *line, size_t length, struct wf_error *err)
{
	struct question q = { .arena = wf_arena_new() };
	json_t *answer = json_object();
	json_error_t error;
	json_t *json = json_loadb(line, length, 0, &error);
	const char *kind;
	enum wf_rc rc;

	q.json = json;
	kind = text_of(json, "kind");
	if (json == NULL)
		rc = wf_fail(err, WF_INVALID, "%s", error.text);
	else if (strcmp(kind, "distribution") == 0)
		rc = answer_distribution(&q, answer, err);
	else if (strcmp(kind, "allocation") == 0)
		rc = answer_allocation(&q, answer, err);
	else
		rc = wf_fail(err, WF_INVALID,
		    "\"kind\" is '%.60s'; expected distribution or allocation",
		    kind);
	if (rc == WF_OK) {
		json_object_set(answer, "id", json_object_get(json, "id"));
		wf_json_print(json_incref(answer), JSON_COMPACT);
		putchar('\n');
	}
	json_decref(answer);
	json_decref(json);
	wf_organisation_unref(&q.organisation);
	wf_arena_free(&q.arena);
	return rc;
}

int wf_people_answer(const char *path)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer text;
	const char *line;
	enum wf_rc rc;
	int number = 0;

	wf_buffer_init(&text, FILE_MAXIMUM);
	rc = wf_buffer_read_file(&text, path, &err);
	line = wf_buffer_text(&text);
	while (rc == WF_OK && *line != '\0') {
		size_t length = strcspn(line, "\n");

		number++;
		if (line[strspn(line, " \t\r")] != '\n')
			rc = answer_line(line, length, &err);
		line += length + (line[length] == '\n');
	}
	if (rc != WF_OK && number > 0) {
		snprintf(err.place.file, sizeof(err.place.file), "%s", path);
		err.place.line = number;
	}
	wf_buffer_free(&text);
	fflush(stdout);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}
