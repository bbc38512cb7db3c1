/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log gateway: events of cases, items and participants, with limits of
 * time.  Both limits hold, and for the whole case.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "data/value.h"
#include "data/xml_writer.h"
#include "kernel/case.h"
#include "yawl/interface_e.h"
#include "yawl/resource/log_read.h"
#include "yawl/resource/work_history.h"

/* Which events are listed; NULL: any. */
struct wanted {
	const char *item;
	const char *resource;
	const char *type;
	const char *only; /* .. or this type of a case */
	int64_t from;
	int64_t to;
};

struct listing {
	struct wf_gateway_call *call;
	struct wanted wanted;
	uint64_t specification; /* 0: of all */
	size_t count;
	struct wf_error err;
	bool has_resource; /* the case has an event of it */
};

static bool is(const char *wanted, const char *text)
{
	return wanted == NULL || strcmp(wanted, text) == 0;
}

/* A deputy has taken part as well. */
static bool is_about(const char *wanted, const struct wf_work_event *event)
{
	return is(wanted, event->resource) ||
	       (event->deputy[0] != '\0' && is(wanted, event->deputy));
}

static bool is_wanted(
    const struct wanted *wanted, const struct wf_work_event *event)
{
	return is(wanted->item, event->item) &&
	       is_about(wanted->resource, event) &&
	       is(wanted->type, event->type) && event->at >= wanted->from &&
	       event->at <= wanted->to;
}

static void put_event(void *context, const struct wf_work_event *event)
{
	struct listing *listing = context;

	if (!is_wanted(&listing->wanted, event))
		return;
	listing->count++;
	wf_work_event_put(&listing->call->yawl.out, event);
}

/* --- parameters ----------------------------------------------------------- */

static int64_t read_time(
    const struct wf_gateway_call *call, const char *name, int64_t missing)
{
	const char *text = wf_gateway_parameter(call, name);
	char *end;
	long long at;

	if (text == NULL || *text == '\0')
		return missing;
	errno = 0;
	at = strtoll(text, &end, 10);
	return *end != '\0' || errno != 0 || at < 0 ? missing : at;
}

static struct listing new_listing(struct wf_gateway_call *call)
{
	return (struct listing){ .call = call,
		.wanted = { .from = read_time(call, "from", 0),
		    .to = read_time(call, "to", INT64_MAX) } };
}

static void answer(struct listing *listing, const char *around)
{
	struct wf_gateway_call *call = listing->call;

	if (listing->err.rc != WF_OK) {
		wf_gateway_fail_error(call, &listing->err);
	} else if (listing->count == 0) {
		wf_gateway_fail(call, "No rows returned.");
	} else {
		call->yawl.around = around;
		wf_gateway_answer(call);
	}
}

/* --- cases ---------------------------------------------------------------- */

/* The case that an id names, or that an item is of; live or ended. */
static void list_case(struct listing *listing, const char *id)
{
	struct wf_gateway_call *call = listing->call;
	struct wf_engine *engine = call->yawl.server->engine;
	struct wf_arena *arena = wf_arena_new();
	struct wf_stored_case stored;
	struct wf_store *store;
	enum wf_rc rc = WF_NOT_FOUND;

	if (wf_yawl_find_case_of(&call->yawl, id)) {
		rc = wf_engine_borrow(engine, &store, &listing->err);
		if (rc == WF_OK) {
			rc = wf_store_case(store, call->yawl.known.number,
			    false, arena, &stored, &listing->err);
			wf_engine_give_back(engine, store);
		}
	}
	if (rc == WF_OK)
		(void)(wf_work_history_read(call, &stored.row, put_event,
			   listing, &listing->err) == WF_OK);
	else if (rc == WF_NOT_FOUND)
		wf_error_clear(&listing->err);
	wf_arena_free(&arena);
}

static enum wf_rc list_row(void *context, const struct wf_case_row *row)
{
	struct listing *listing = context;

	return wf_work_history_read(
	    listing->call, row, put_event, listing, &listing->err);
}

static void list_all(struct listing *listing)
{
	enum wf_rc rc = wf_log_each_case(
	    &listing->call->yawl, listing->specification, list_row, listing);

	if (rc != WF_OK && listing->err.rc == WF_OK)
		wf_fail(&listing->err, rc, "the log cannot be read");
}

/* --- handlers ------------------------------------------------------------- */

void wf_gateway_log_case(struct wf_gateway_call *call)
{
	struct listing listing = new_listing(call);

	list_case(&listing, wf_gateway_parameter(call, "id"));
	answer(&listing, "events");
}

/* The launch, or else the cancellation, of a case. */
void wf_gateway_log_case_event(struct wf_gateway_call *call)
{
	struct listing listing = new_listing(call);

	listing.wanted.type =
	    wf_gateway_is_true(call, "launch") ? "launch_case" : "cancel_case";
	list_case(&listing, wf_gateway_parameter(call, "id"));
	answer(&listing, NULL);
}

void wf_gateway_log_starter(struct wf_gateway_call *call)
{
	wf_gateway_answer_text(call, "Unavailable");
}

static void log_item(struct wf_gateway_call *call, const char *type)
{
	struct listing listing = new_listing(call);

	listing.wanted.item = wf_gateway_parameter(call, "id");
	listing.wanted.type = type;
	list_case(&listing, listing.wanted.item);
	answer(&listing, "events");
}

void wf_gateway_log_item(struct wf_gateway_call *call)
{
	log_item(call, NULL);
}

void wf_gateway_log_offered(struct wf_gateway_call *call)
{
	log_item(call, "offer");
}

void wf_gateway_log_allocated(struct wf_gateway_call *call)
{
	log_item(call, "allocate");
}

void wf_gateway_log_started(struct wf_gateway_call *call)
{
	log_item(call, "start");
}

void wf_gateway_log_resource(struct wf_gateway_call *call)
{
	struct listing listing = new_listing(call);

	listing.wanted.resource = wf_gateway_text(call, "id");
	listing.wanted.type = wf_gateway_parameter(call, "eventType");
	list_all(&listing);
	answer(&listing, "events");
}

void wf_gateway_log_all(struct wf_gateway_call *call)
{
	struct listing listing = new_listing(call);

	list_all(&listing);
	answer(&listing, "events");
}

/* --- specifications ------------------------------------------------------- */

/* Elements of a specification's id, or the parameters. */
struct chosen {
	const char *identifier;
	const char *version;
	const char *uri;
};

static bool is_chosen(
    const struct chosen *chosen, const struct wf_specification_row *row)
{
	return (chosen->identifier != NULL || chosen->uri != NULL) &&
	       (chosen->identifier == NULL ||
		   strcmp(chosen->identifier, row->identifier) == 0) &&
	       (chosen->version == NULL ||
		   strcmp(chosen->version, row->version) == 0) &&
	       (chosen->uri == NULL || strcmp(chosen->uri, row->uri) == 0);
}

static const char *text_in(struct wf_arena *arena, const struct wf_value *value)
{
	size_t length;
	bool markup;
	const char *content = wf_value_content(value, &length, &markup);
	char *text = wf_arena_alloc(arena, length + 1);

	wf_unescape(text, content, length);
	return text;
}

static struct chosen read_chosen(
    struct wf_arena *arena, const struct wf_value *value)
{
	struct chosen chosen = { NULL, NULL, NULL };
	struct wf_value_list parts;

	if (wf_value_list_parse(
		&parts, wf_value_text(value), value->length, NULL) != WF_OK)
		return chosen;
	for (size_t i = 0; i < parts.count; i++) {
		const struct wf_value *part = parts.values[i];

		if (wf_value_is_named(part, "identifier"))
			chosen.identifier = text_in(arena, part);
		else if (wf_value_is_named(part, "version"))
			chosen.version = text_in(arena, part);
		else if (wf_value_is_named(part, "uri"))
			chosen.uri = text_in(arena, part);
	}
	wf_value_list_free(&parts);
	return chosen;
}

/* Their number, in the arena. */
static size_t read_set(
    struct wf_arena *arena, const char *xml, struct chosen **chosen_out)
{
	struct wf_value_list list;
	size_t count;

	if (wf_value_list_parse(&list, xml, strlen(xml), NULL) != WF_OK)
		return 0;
	count = list.count;
	*chosen_out = wf_arena_array(arena, count, sizeof(**chosen_out));
	for (size_t i = 0; i < count; i++)
		(*chosen_out)[i] = read_chosen(arena, list.values[i]);
	wf_value_list_free(&list);
	return count;
}

bool wf_log_choose_specs(
    struct wf_gateway_call *call, struct wf_log_specs *specs_out)
{
	struct wf_arena *arena = call->yawl.arena;
	const char *set = wf_gateway_parameter(call, "setxml");
	struct chosen one = { wf_gateway_parameter(call, "identifier"),
		wf_gateway_parameter(call, "version"),
		wf_gateway_parameter(call, "uri") };
	struct chosen *chosen = &one;
	size_t chosen_count = set == NULL ? 1 : read_set(arena, set, &chosen);
	size_t count = 0;

	if (!wf_log_list_specs(
		&call->yawl, &specs_out->rows, &specs_out->count))
		return false;
	for (size_t i = 0; i < specs_out->count; i++)
		for (size_t k = 0; k < chosen_count; k++)
			if (is_chosen(&chosen[k], &specs_out->rows[i])) {
				specs_out->rows[count++] = specs_out->rows[i];
				break;
			}
	specs_out->count = count;
	if (count > 0)
		return true;
	wf_gateway_fail(call, "Resource Log Gateway called with "
			      "invalid specification ID.");
	return false;
}

void wf_gateway_log_specification(struct wf_gateway_call *call)
{
	struct listing listing = new_listing(call);
	struct wf_log_specs specs;

	if (!wf_log_choose_specs(call, &specs))
		return;
	for (size_t i = 0; i < specs.count && listing.err.rc == WF_OK; i++) {
		listing.specification = specs.rows[i].key;
		list_all(&listing);
	}
	answer(&listing, "events");
}

/* The identifier, version and URI of the key of an event. */
void wf_gateway_log_spec_of_key(struct wf_gateway_call *call)
{
	struct wf_buffer *xml = &call->yawl.out;
	uint64_t key = wf_log_key_asked(&call->yawl);
	struct wf_specification_row *rows;
	size_t count;
	size_t i = 0;

	if (!wf_log_list_specs(&call->yawl, &rows, &count))
		return;
	while (i < count && wf_log_key_of_spec(rows[i].key) != key)
		i++;
	if (i == count) {
		wf_gateway_fail(call, "No rows returned.");
		return;
	}
	wf_xml_put_element(xml, "identifier", rows[i].identifier);
	wf_xml_put_element(xml, "version", rows[i].version);
	wf_xml_put_element(xml, "uri", rows[i].uri);
	call->yawl.around = "specificationid";
	wf_gateway_answer(call);
}

/* --- the cases of a participant ------------------------------------------- */

static void note_resource(void *context, const struct wf_work_event *event)
{
	struct listing *listing = context;

	listing->has_resource |= is_about(listing->wanted.resource, event);
}

static enum wf_rc list_if_involved(void *context, const struct wf_case_row *row)
{
	struct listing *listing = context;
	struct listing all = *listing;
	enum wf_rc rc;

	listing->has_resource = false;
	rc = wf_work_history_read(
	    listing->call, row, note_resource, listing, &listing->err);
	if (rc != WF_OK || !listing->has_resource)
		return rc;
	all.wanted.resource = NULL;
	rc = wf_work_history_read(
	    listing->call, row, put_event, &all, &listing->err);
	listing->count = all.count;
	return rc;
}

void wf_gateway_log_involving(struct wf_gateway_call *call)
{
	struct listing listing = new_listing(call);
	enum wf_rc rc;

	listing.wanted.resource = wf_gateway_text(call, "id");
	rc = wf_log_each_case(&call->yawl, 0, list_if_involved, &listing);
	if (rc != WF_OK && listing.err.rc == WF_OK)
		wf_fail(&listing.err, rc, "the log cannot be read");
	answer(&listing, "events");
}

/* --- how long items took -------------------------------------------------- */

/* Events of one answer. */
#define LASTING 100000U

/* An event of a participant and task. */
struct lasting {
	const char *item;
	const char *type;
	int64_t at;
	uint64_t key;
};

struct durations {
	struct listing listing; /* what is wanted */
	const char *task;
	struct lasting *rows;
	size_t room;
};

static void note_lasting(void *context, const struct wf_work_event *event)
{
	struct durations *all = context;
	struct listing *listing = &all->listing;
	struct wf_arena *arena = listing->call->yawl.arena;

	if (strcmp(event->task, all->task) != 0 ||
	    !is_wanted(&listing->wanted, event))
		return;
	if (listing->count == LASTING) {
		wf_fail(&listing->err, WF_LIMIT,
		    "there are more than %u events", LASTING);
		return;
	}
	all->rows = wf_arena_grow(
	    arena, all->rows, listing->count, &all->room, sizeof(*all->rows));
	all->rows[listing->count++] = (struct lasting){ wf_arena_strdup(
							    arena, event->item),
		wf_arena_strdup(arena, event->type), event->at, event->key };
}

static enum wf_rc read_lasting(void *context, const struct wf_case_row *row)
{
	struct durations *all = context;

	return wf_work_history_read(
	    all->listing.call, row, note_lasting, all, &all->listing.err);
}

static int compare_lasting(const void *a, const void *b)
{
	const struct lasting *one = a;
	const struct lasting *other = b;
	int order = strcmp(one->item, other->item);

	if (order != 0)
		return order;
	if (one->at != other->at)
		return one->at < other->at ? -1 : 1;
	return one->key < other->key ? -1 : one->key > other->key;
}

static void put_lasting(struct wf_buffer *xml, const struct durations *all)
{
	const char *item = NULL;

	for (size_t i = 0; i < all->listing.count; i++) {
		const struct lasting *row = &all->rows[i];

		if (item == NULL || strcmp(item, row->item) != 0) {
			wf_buffer_puts(xml, item == NULL
						? "<workitem"
						: "</workitem><workitem");
			wf_xml_put_attribute(xml, "ID", row->item);
			wf_buffer_putc(xml, '>');
			item = row->item;
		}
		wf_buffer_puts(xml, "<event>");
		wf_xml_put_element(xml, "type", row->type);
		wf_xml_put_number(xml, "time", row->at);
		wf_buffer_puts(xml, "</event>");
	}
	wf_buffer_puts(xml, "</workitem>");
}

/* What a participant did with the items of a task, item by item. */
void wf_gateway_log_durations(struct wf_gateway_call *call)
{
	struct wf_yawl_spec_id id = wf_yawl_spec_id(&call->yawl);
	struct durations all = { .listing = new_listing(call),
		.task = wf_gateway_text(call, "taskname") };
	struct wf_buffer *xml = &call->yawl.out;
	struct wf_specification_row row;
	struct wf_error *err = &all.listing.err;
	const char *person = wf_gateway_text(call, "participantid");

	all.listing.wanted.resource = person;
	if (wf_yawl_find_spec(&call->yawl, &row, err) &&
	    wf_log_each_case(&call->yawl, row.key, read_lasting, &all) !=
		WF_OK &&
	    err->rc == WF_OK)
		wf_fail(err, WF_UNAVAILABLE, "the log cannot be read");
	if (err->rc == WF_NOT_FOUND)
		wf_error_clear(err);
	if (err->rc == WF_OK && all.listing.count > 0) {
		qsort(all.rows, all.listing.count, sizeof(*all.rows),
		    compare_lasting);
		wf_buffer_puts(xml, "<workitems");
		wf_xml_put_attribute(
		    xml, "specID", wf_yawl_spec_text(&call->yawl, &id));
		wf_xml_put_attribute(xml, "taskName", all.task);
		wf_xml_put_attribute(xml, "resourceID", person);
		wf_buffer_putc(xml, '>');
		put_lasting(xml, &all);
		wf_buffer_puts(xml, "</workitems>");
	}
	answer(&all.listing, NULL);
}

/* --- XES ------------------------------------------------------------------ */

void wf_gateway_log_xes(struct wf_gateway_call *call)
{
	wf_gateway_set(
	    call, "specidentifier", wf_gateway_parameter(call, "identifier"));
	wf_gateway_set(
	    call, "specversion", wf_gateway_parameter(call, "version"));
	wf_gateway_set(call, "specuri", wf_gateway_parameter(call, "uri"));
	wf_gateway_forward(call, WF_YAWL_IE, wf_yawl_log_xes);
}
