/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/item_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/codec.h"
#include "data/query.h"
#include "data/xml_writer.h"
#include "kernel/view.h"
#include "yawl/parameter.h"

#define DATA_MAXIMUM ((size_t)64 << 20)
#define DOCUMENTATION_MAXIMUM ((size_t)1 << 20)
/* Of all items of a case. */
#define DOCUMENTATIONS_MAXIMUM ((size_t)16 << 20)

/* --- ids ------------------------------------------------------------------ */

void wf_yawl_item_id(
    const struct wf_yawl_item *item, char id_out[WF_ITEM_ID_SIZE])
{
	snprintf(
	    id_out, WF_ITEM_ID_SIZE, "%s:%s", item->case_id, item->task->id);
}

void wf_yawl_unique_id(
    const struct wf_yawl_item *item, char text_out[WF_YAWL_UNIQUE_SIZE])
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char id[WF_ITEM_ID_SIZE];
	int64_t since = item->is_child ? item->fired_at : item->enabled_at;
	uint64_t hash = wf_hash(0, &since, sizeof(since));
	uint64_t number = item->number;

	wf_yawl_item_id(item, id);
	hash = wf_hash(hash, id, strlen(id));
	for (int i = 24; i >= 12; i--, hash /= 36)
		text_out[i] = digits[hash % 36];
	for (int i = 11; i >= 0; i--, number /= 36)
		text_out[i] = digits[number % 36];
	text_out[25] = '\0';
}

const char *wf_yawl_item_starter(struct wf_item_starters *starters,
    struct wf_engine *engine, const struct wf_yawl_item *item, uint64_t version,
    struct wf_arena *arena)
{
	const struct wf_started_item started = { .number = item->number,
		.version = version,
		.case_id = item->case_id,
		.task = item->task,
		.started_at = item->started_at };

	return item->is_child && item->started_at != 0
		   ? wf_item_starter(starters, engine, &started, arena)
		   : NULL;
}

/* --- the net of an item --------------------------------------------------- */

struct net_search {
	const char *case_id;
	struct wf_net_view found; /* net NULL: there is none */
};

static void match_net(void *argument, const struct wf_net_view *view)
{
	struct net_search *search = argument;

	if (strcmp(view->case_id, search->case_id) == 0)
		search->found = *view;
}

/* The net that contains an item. */
static struct wf_net_view net_of(
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	char case_id[WF_CASE_ID_SIZE];
	struct net_search search = { .case_id = case_id };

	memcpy(case_id, item->case_id, sizeof(case_id));
	if (item->is_child)
		*strrchr(case_id, '.') = '\0';
	wf_case_nets(instance, match_net, &search);
	return search.found;
}

static struct wf_document document_of(const struct wf_net_view *view)
{
	return (struct wf_document){ view->net->root_name, view->variables,
		view->net->variable_count };
}

static void count_instance(
    void *argument, uint32_t number, enum wf_item_status status)
{
	uint32_t *count = argument;

	(void)number;
	(void)status;
	++*count;
}

uint32_t wf_yawl_instances(
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_net_view view = net_of(instance, item);
	uint32_t count = 0;

	if (view.net != NULL)
		wf_net_view_instances(
		    &view, item->task->number, count_instance, &count);
	return count;
}

/* --- the data an item would start with ------------------------------------ */

enum wf_rc wf_yawl_starting_data(const struct wf_case *instance,
    const struct wf_yawl_item *item, int64_t now, int32_t timezone,
    struct wf_buffer *xml, struct wf_error *err)
{
	struct wf_net_view view = net_of(instance, item);
	struct wf_evaluation how = { .now = now, .timezone = timezone };
	const char *root = item->task->decomposition->root_name;
	struct wf_document document;
	size_t empty;
	enum wf_rc rc = WF_OK;

	if (view.net == NULL)
		return wf_fail(err, WF_NOT_FOUND, "its net has ended");
	document = document_of(&view);
	wf_buffer_printf(xml, "<%s>", root);
	empty = xml->length;
	for (uint32_t i = 0; i < item->task->starting_count; i++) {
		const struct wf_query *query =
		    item->task->starting[i].expression.query;
		struct wf_value *value = NULL;

		if (query == NULL)
			rc = wf_fail(err, WF_DATA, "%s",
			    item->task->starting[i].expression.failure);
		else
			rc = wf_query_element(
			    query, &document, &how, &value, err);
		if (rc != WF_OK)
			return rc;
		if (value != NULL)
			wf_buffer_append(
			    xml, wf_value_text(value), value->length);
		wf_value_unref(&value);
	}
	if (xml->length > empty) {
		wf_buffer_printf(xml, "</%s>", root);
	} else if (!xml->full) {
		xml->length--; /* the bracket */
		wf_buffer_puts(xml, "/>");
	}
	return WF_OK;
}

/* --- the items of a case -------------------------------------------------- */

static bool is_child(const struct wf_item *item)
{
	return item->status != WF_ITEM_ENABLED &&
	       (item->status != WF_ITEM_SUSPENDED ||
		   item->suspended_from != WF_ITEM_ENABLED);
}

static const char *read_data(const struct wf_case *instance,
    const struct wf_item *item, struct wf_arena *arena)
{
	char id[WF_ITEM_ID_SIZE];
	const char *data = NULL;
	struct wf_buffer xml;

	wf_item_id(item, id);
	wf_buffer_init(&xml, DATA_MAXIMUM);
	if (wf_case_item_input(instance, id, &xml, NULL) == WF_OK)
		data =
		    wf_arena_strndup(arena, wf_buffer_text(&xml), xml.length);
	wf_buffer_free(&xml);
	return data;
}

static void take_item(
    const struct wf_item *from, uint64_t number, struct wf_yawl_item *item)
{
	item->task = from->task;
	item->number = number;
	memcpy(item->case_id, from->case_id, sizeof(item->case_id));
	item->status = wf_item_status_name(from->status);
	item->previous = from->status == WF_ITEM_SUSPENDED
			     ? wf_item_status_name(from->suspended_from)
			     : "";
	item->enabled_at = from->enabled_at;
	item->timer_at = from->timer_at;
	item->timer_is_own = from->timer_is_own;
	item->assignment = from->assignment;
	item->service = from->service;
	item->is_child = is_child(from);
	if (item->is_child) {
		item->fired_at = from->fired_at;
		item->started_at = from->started_at;
	} else {
		item->choice = from->choice;
	}
}

static void take_parent(
    const struct wf_item *from, uint64_t number, struct wf_yawl_item *item)
{
	take_item(from, number, item);
	*strrchr(item->case_id, '.') = '\0';
	item->status = WF_YAWL_PARENT;
	item->previous = "";
	item->choice = from->choice;
	item->is_child = false;
	item->assignment = NULL;
	if (item->timer_is_own)
		item->timer_at = 0;
	item->fired_at = 0;
	item->started_at = 0;
}

/* Whether both are instances of the same enabling of a task. */
static bool is_sibling(const struct wf_item *a, const struct wf_item *b)
{
	size_t length = (size_t)(strrchr(b->case_id, '.') - b->case_id);

	return is_child(a) && a->task == b->task &&
	       (size_t)(strrchr(a->case_id, '.') - a->case_id) == length &&
	       memcmp(a->case_id, b->case_id, length) == 0;
}

/* How placeholders are filled in, and what all items have left for it. */
struct filling {
	int64_t now;
	int32_t timezone;
	struct wf_arena *arena;
	uint64_t *work;
	size_t bytes;
};

static const char *read_documentation(const struct wf_case *instance,
    const struct wf_item *item, struct filling *filling)
{
	size_t maximum = filling->bytes < DOCUMENTATION_MAXIMUM
			     ? filling->bytes
			     : DOCUMENTATION_MAXIMUM;
	char id[WF_ITEM_ID_SIZE];
	const char *result = NULL;
	struct wf_buffer text;

	if (item->task->described.pieces == NULL)
		return item->task->documentation;
	wf_item_id(item, id);
	wf_buffer_init(&text, maximum);
	if (maximum > 0 &&
	    wf_case_item_documentation(instance, id, filling->now,
		filling->timezone, filling->work, &text, NULL) == WF_OK) {
		result = wf_arena_strdup(filling->arena, wf_buffer_text(&text));
		filling->bytes -= text.length;
	}
	wf_buffer_free(&text);
	return result;
}

/* Fills in a live item, with its data and documentation. */
static void fill(const struct wf_case *instance, const struct wf_item *live,
    uint64_t number, struct filling *filling, struct wf_yawl_item *item)
{
	take_item(live, number, item);
	item->data = read_data(instance, live, filling->arena);
	item->documentation = read_documentation(instance, live, filling);
}

size_t wf_yawl_items(const struct wf_case *instance, uint64_t number,
    int64_t now, int32_t timezone, uint64_t *work, struct wf_arena *arena,
    struct wf_yawl_item **items_out)
{
	struct filling filling = { now, timezone, arena, work,
		DOCUMENTATIONS_MAXIMUM };
	struct wf_item *live;
	size_t live_count = wf_case_items(instance, &live);
	struct wf_yawl_item *items =
	    wf_arena_array(arena, 2 * live_count, sizeof(*items));
	size_t count = 0;

	for (size_t i = 0; i < live_count; i++) {
		bool begins = is_child(&live[i]) &&
			      (i == 0 || !is_sibling(&live[i - 1], &live[i]));
		struct wf_yawl_item *item = &items[count + begins];

		fill(instance, &live[i], number, &filling, item);
		if (begins) {
			take_parent(&live[i], number, &items[count]);
			items[count].documentation = item->documentation;
		}
		count += 1 + begins;
	}
	wf_free(live);
	*items_out = items;
	return count;
}

static bool is_named(const struct wf_yawl_item *item, const char *id)
{
	char name[WF_ITEM_ID_SIZE];

	wf_yawl_item_id(item, name);
	return strcmp(name, id) == 0;
}

/* A parent is derived from its children. */
static bool find_parent(const struct wf_case *instance, uint64_t number,
    const char *id, struct filling *filling, struct wf_yawl_item *item_out)
{
	struct wf_item *live;
	size_t count = wf_case_items(instance, &live);
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		if (!is_child(&live[i]))
			continue;
		take_parent(&live[i], number, item_out);
		found = is_named(item_out, id);
		if (found)
			item_out->documentation =
			    read_documentation(instance, &live[i], filling);
	}
	wf_free(live);
	return found;
}

bool wf_yawl_item(const struct wf_case *instance, uint64_t number,
    const char *id, int64_t now, int32_t timezone, struct wf_arena *arena,
    struct wf_yawl_item *item_out)
{
	uint64_t work = WF_INSPECTION_WORK;
	struct filling filling = { now, timezone, arena, &work,
		DOCUMENTATION_MAXIMUM };
	struct wf_item live;

	memset(item_out, 0, sizeof(*item_out));
	if (wf_case_item(instance, id, &live, NULL) != WF_OK)
		return find_parent(instance, number, id, &filling, item_out);
	if (live.task->kind != WF_ATOMIC_TASK ||
	    live.status > WF_ITEM_SUSPENDED)
		return false;
	fill(instance, &live, number, &filling, item_out);
	return true;
}

/* --- writing -------------------------------------------------------------- */

/* A time as text ("Nov:20, 2026 9:05:13") and as a number; nothing for 0. */
static void put_time(
    struct wf_buffer *xml, const char *name, int64_t at, int32_t timezone)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May",
		"Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t seconds = (time_t)(at / 1000 + timezone * 60);
	struct tm when;

	if (at == 0 || gmtime_r(&seconds, &when) == NULL)
		return;
	wf_buffer_printf(xml,
	    "<%s>%s:%02d, %d %d:%02d:%02d</%s><%sMs>%lld</%sMs>", name,
	    months[when.tm_mon], when.tm_mday, when.tm_year + 1900,
	    when.tm_hour, when.tm_min, when.tm_sec, name, name, (long long)at,
	    name);
}

void wf_yawl_choice_id(
    const struct wf_yawl_item *item, char text_out[WF_YAWL_CHOICE_SIZE])
{
	unsigned long long number = item->number;

	text_out[0] = '\0';
	if (item->choice != 0)
		snprintf(text_out, WF_YAWL_CHOICE_SIZE,
		    "%08x-%04llx-4%03llx-8%03llx-%012llx", item->choice,
		    number >> 48, number >> 36 & 0xfff, number >> 24 & 0xfff,
		    number & 0xffffff);
}

/* A tag with attributes after its name, which takes so many bytes. */
static void put_tag(struct wf_buffer *xml, const char *text, size_t length,
    size_t name, const struct wf_attribute *attributes, size_t count)
{
	wf_buffer_append(xml, text, 1 + name);
	wf_yawl_put_attributes(xml, attributes, count);
	wf_buffer_append(xml, text + 1 + name, length - 1 - name);
}

static void put_input(struct wf_buffer *xml,
    const struct wf_decomposition *work, const struct wf_value *value)
{
	size_t i = 0;

	while (i < work->input_count &&
	       !wf_value_is_named(value, work->inputs[i].name))
		i++;
	if (i < work->input_count)
		put_tag(xml, wf_value_text(value), value->length,
		    value->name_length, work->inputs[i].attributes,
		    work->inputs[i].attribute_count);
	else
		wf_buffer_append(xml, wf_value_text(value), value->length);
}

static bool has_attributes(const struct wf_decomposition *work)
{
	for (size_t i = 0; i < work->input_count; i++)
		if (work->inputs[i].attribute_count > 0)
			return true;
	return false;
}

void wf_yawl_put_input(struct wf_buffer *xml,
    const struct wf_decomposition *work, const char *data)
{
	size_t name = strlen(work->root_name);
	struct wf_value_list list;

	if (!has_attributes(work) ||
	    wf_value_list_parse(&list, data, strlen(data), NULL) != WF_OK) {
		put_tag(xml, data, strlen(data), name, work->attributes,
		    work->attribute_count);
		return;
	}
	wf_buffer_printf(xml, "<%s", work->root_name);
	wf_yawl_put_attributes(xml, work->attributes, work->attribute_count);
	wf_buffer_putc(xml, '>');
	for (size_t i = 0; i < list.count; i++)
		put_input(xml, work, list.values[i]);
	wf_buffer_printf(xml, "</%s>", work->root_name);
	wf_value_list_free(&list);
}

static void put_data(struct wf_buffer *xml, const struct wf_yawl_item *item)
{
	if (item->data == NULL)
		return;
	wf_buffer_puts(xml, "<data>");
	wf_yawl_put_input(xml, item->task->decomposition, item->data);
	wf_buffer_puts(xml, "</data>");
}

/* A timer that a variable sets is shown once it runs, like any other. */
static void put_timer(struct wf_buffer *xml, const struct wf_yawl_item *item)
{
	if (item->timer_at <= 0)
		return;
	wf_xml_put_element(xml, "timertrigger",
	    item->timer_is_own ? "OnExecuting" : "OnEnabled");
	wf_xml_put_number(xml, "timerexpiry", item->timer_at);
}

static void put_spec(struct wf_buffer *xml, const struct wf_spec *spec)
{
	wf_xml_put_optional(xml, "specidentifier", spec->metadata.identifier);
	wf_yawl_put_version(xml, "specversion", spec->metadata.version);
	wf_xml_put_element(xml, "specuri", spec->uri);
}

const char *wf_yawl_true(bool is_so)
{
	return is_so ? "true" : "false";
}

void wf_yawl_put_item(
    struct wf_buffer *xml, const struct wf_yawl_item *item, int32_t timezone)
{
	const struct wf_task *task = item->task;
	const struct wf_decomposition *work = task->decomposition;
	char text[WF_YAWL_CHOICE_SIZE];

	wf_buffer_puts(xml, "<workItem");
	wf_yawl_put_attributes(xml, work->attributes, work->attribute_count);
	wf_buffer_putc(xml, '>');
	wf_xml_put_element(xml, "taskid", task->id);
	wf_xml_put_element(xml, "caseid", item->case_id);
	wf_yawl_unique_id(item, text);
	wf_xml_put_element(xml, "uniqueid", text);
	wf_xml_put_element(xml, "taskname", task->name);
	wf_xml_put_element(xml, "documentation", item->documentation);
	put_spec(xml, task->net->spec);
	wf_xml_put_element(xml, "status", item->status);
	wf_xml_put_element(xml, "allowsdynamiccreation",
	    wf_yawl_true(task->multi != NULL && task->multi->is_dynamic));
	wf_xml_put_element(
	    xml, "requiresmanualresourcing", wf_yawl_true(!work->is_automated));
	wf_xml_put_element(xml, "codelet", work->codelet);
	wf_yawl_choice_id(item, text);
	wf_xml_put_optional(xml, "deferredChoiceGroupID", text);
	put_data(xml, item);
	put_time(xml, "enablementTime", item->enabled_at, timezone);
	put_time(xml, "firingTime", item->fired_at, timezone);
	put_time(xml, "startTime", item->started_at, timezone);
	wf_xml_put_optional(xml, "startedBy", item->started_by);
	put_timer(xml, item);
	wf_xml_put_optional(xml, "customform", task->custom_form);
	wf_yawl_put_log(xml, &work->log);
	wf_buffer_puts(xml, "</workItem>");
}
