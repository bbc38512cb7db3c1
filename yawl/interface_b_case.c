/* SPDX-License-Identifier: Apache-2.0 */
/* Launching, cancelling and listing cases. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "data/deadline.h"
#include "data/xml_writer.h"
#include "spec/spec.h"
#include "work/service.h"
#include "yawl/announcement.h"
#include "yawl/parameter.h"
#include "yawl/yawl.h"

/* A shorter delay is ignored, in milliseconds. */
#define DELAY_MINIMUM 100
#define PAGE 1000U
/* Bytes of the URIs of services stored with a case, together. */
#define URI_MAXIMUM_BYTES 4096U

/* --- launching ------------------------------------------------------------ */

static bool read_number(const char *text, int64_t *number_out)
{
	char *end;

	errno = 0;
	*number_out = strtoll(text, &end, 10);
	return end != text && *end == '\0' && errno == 0;
}

/* "Fri Jan 01 00:00:00 UTC 2100"; the zone is in minutes. */
static const char *date_text(
    struct wf_yawl_call *call, int64_t at, int32_t zone)
{
	time_t seconds = (time_t)(at / 1000 + zone * 60);
	char name[32] = "UTC";
	char day[32] = "";
	struct tm when;

	if (zone != 0)
		snprintf(name, sizeof(name), "GMT%c%02d:%02d",
		    zone < 0 ? '-' : '+', abs(zone) / 60, abs(zone) % 60);
	if (gmtime_r(&seconds, &when) == NULL)
		return "";
	strftime(day, sizeof(day), "%a %b %d %H:%M:%S", &when);
	return wf_arena_printf(
	    call->arena, "%s %s %d", day, name, when.tm_year + 1900);
}

/*
 * When the case is to start (0: now), and the delay as text for the answer
 * (NULL: the request has none).  False: the call is answered.
 */
static bool read_start(
    struct wf_yawl_call *call, int64_t *at_out, const char **words_out)
{
	const char *delay = wf_yawl_parameter(call, "mSec");
	const char *start = wf_yawl_parameter(call, "start");
	const char *wait = wf_yawl_parameter(call, "wait");
	int32_t zone = call->server->settings.engine.timezone;
	int64_t now = wf_engine_now(call->server->engine);
	struct wf_deadline deadline;
	bool good = true;

	*at_out = 0;
	*words_out = NULL;
	if (delay != NULL) {
		good = read_number(delay, at_out) && *at_out <= INT64_MAX - now;
		*words_out = wf_arena_printf(
		    call->arena, "after a delay of %s milliseconds", delay);
		*at_out = !good || *at_out < DELAY_MINIMUM ? 0 : now + *at_out;
	} else if (start != NULL) {
		good = read_number(start, at_out);
		*at_out = *at_out <= now ? 0 : *at_out;
		*words_out = wf_arena_printf(
		    call->arena, "at %s", date_text(call, *at_out, zone));
	} else if (wait != NULL) {
		good = wf_deadline_parse(wait, strlen(wait), zone, &deadline) &&
		       !deadline.is_instant &&
		       wf_deadline_at(&deadline, now, zone, NULL, at_out);
		*words_out = wf_arena_printf(
		    call->arena, "after a duration of %s", wait);
	}
	if (!good)
		wf_yawl_fail(call, "Unable to start case: invalid delay '%s'.",
		    delay != NULL   ? delay
		    : start != NULL ? start
				    : wait);
	return good;
}

/* The names that the root element of the data may have. */
struct root_names {
	char *net;
	bool fits;
	const char *found;
	struct wf_arena *arena;
};

static void compare_root(void *context, const struct wf_spec *spec)
{
	struct root_names *names = context;

	names->net =
	    wf_arena_strdup(names->arena, spec->root->decomposition->id);
	names->fits = strcmp(names->found, spec->uri) == 0 ||
		      strcmp(names->found, names->net) == 0 ||
		      strcmp(names->found, spec->root->root_name) == 0;
}

/* *net_out: the root net's id.  False: the call is answered. */
static bool check_data(struct wf_yawl_call *call, const char *data,
    uint64_t specification, const char **net_out)
{
	struct root_names names = { .arena = call->arena };
	struct wf_error err = { .rc = WF_OK };
	struct wf_value *value = NULL;

	if (wf_value_parse(&value, data, strlen(data), NULL) != WF_OK) {
		wf_yawl_fail(call, "Invalid or malformed caseParams.");
		return false;
	}
	names.found = wf_arena_strndup(
	    call->arena, wf_value_name(value), value->name_length);
	wf_value_unref(&value);
	(void)(wf_engine_inspect_spec(call->server->engine,
		   WF_NAMESPACE_DEFAULT, specification, false, compare_root,
		   &names, &err) == WF_OK);
	/*
	 * Copied, because it may belong to the call, which ends when it is
	 * answered.
	 */
	*net_out = names.net;
	if (err.rc != WF_OK)
		wf_yawl_fail_error(call, &err);
	else if (!names.fits)
		wf_yawl_fail(call,
		    "Invalid caseParams: outermost element name must match "
		    "specification URI or root net name.");
	return err.rc == WF_OK && names.fits;
}

/* False: the call is answered. */
static bool check_log(struct wf_yawl_call *call)
{
	const char *log = wf_yawl_parameter(call, "logData");
	struct wf_error err = { .rc = WF_OK };
	struct wf_value_list list;

	if (log == NULL || *log == '\0')
		return true;
	if (strlen(log) > WF_REQUEST_LOG_BYTES)
		wf_fail(
		    &err, WF_DATA, "more than %u bytes.", WF_REQUEST_LOG_BYTES);
	else if (wf_value_list_parse(&list, log, strlen(log), &err) == WF_OK)
		wf_value_list_free(&list);
	/* The log belongs to the call, which ends when it is answered. */
	if (err.rc != WF_OK)
		wf_yawl_fail(call, "Invalid logData: %s", err.message);
	return err.rc == WF_OK;
}

/* YAWL's layout with Weft's message. */
static void answer_refused(struct wf_yawl_call *call)
{
	const char *data = wf_yawl_parameter(call, "caseParams");
	const char *name = wf_yawl_parameter(call, "caseid");

	if (call->error.rc == WF_DATA)
		wf_yawl_fail(call,
		    "Problem with process model.  Schema validation failed\n"
		    "Task [%s]\nBut received [%.1000s]\n"
		    "Validation error message [%s]",
		    call->name, data == NULL ? "" : data, call->error.message);
	else if (call->error.rc == WF_CONFLICT && name != NULL &&
		 call->words == NULL)
		wf_yawl_fail(call, "CaseID '%s' is already active.", name);
	else
		wf_yawl_fail_error(call, &call->error);
}

static void answer_launched(struct wf_yawl_call *call)
{
	const struct wf_known_case known = { call->known.number,
		call->known.specification };

	wf_server_know_case(
	    call->server, WF_NAMESPACE_DEFAULT, call->name, &known);
	wf_xml_put_text(&call->out, call->name);
	wf_yawl_answer(call);
}

static void answer_scheduled(struct wf_yawl_call *call)
{
	wf_buffer_puts(&call->out, "<success>Case scheduled to start ");
	wf_xml_put_text(&call->out, call->words);
	wf_buffer_puts(&call->out, "</success>");
	wf_yawl_answer(call);
}

/* Only registered services are notified. */
static const char *find_observer(struct wf_yawl_call *call)
{
	const char *uri = wf_yawl_parameter(call, "completionObserverURI");
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    uri == NULL ? NULL
			: wf_service_by_uri(set, WF_NAMESPACE_DEFAULT, uri);
	bool is_notified =
	    service != NULL && service->kind == &wf_yawl_service_handler;

	wf_services_let_go(services, set);
	return is_notified ? uri : "";
}

/* The URI of the service with this session; "": the user is a client. */
static const char *find_launcher(struct wf_yawl_call *call)
{
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_name(set, WF_NAMESPACE_DEFAULT, call->user);
	const char *uri = "";

	if (service != NULL && service->kind == &wf_yawl_service_handler)
		uri = wf_arena_strdup(call->arena, service->uri);
	wf_services_let_go(services, set);
	return uri;
}

/* Data for announcements of the case, for wf_yawl_launched_read(). */
static struct wf_bytes note_launch(struct wf_yawl_call *call, bool delayed)
{
	const char *log = wf_yawl_parameter(call, "logData");
	const struct wf_yawl_launched launched = { delayed, find_observer(call),
		log == NULL ? "" : log, find_launcher(call) };
	struct wf_bytes bytes;
	struct wf_buffer extra;

	wf_buffer_init(&extra, WF_REQUEST_LOG_BYTES + URI_MAXIMUM_BYTES);
	wf_yawl_launched_put(&extra, &launched);
	bytes.data = wf_arena_strndup(call->arena, extra.data, extra.length);
	bytes.size = extra.length;
	wf_buffer_free(&extra);
	return bytes;
}

static void launch(
    struct wf_yawl_call *call, const struct wf_specification_row *row)
{
	const char *data = wf_yawl_parameter(call, "caseParams");
	struct wf_request request = { .command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = row->key } };

	if (!read_start(call, &request.at, &call->words))
		return;
	call->name = row->uri;
	if (data != NULL && *data != '\0') {
		if (!check_data(call, data, row->key, &call->name))
			return;
		request.command.data = data;
		request.command.length = strlen(data);
	}
	if (!check_log(call))
		return;
	call->known.specification = row->key;
	call->refused = answer_refused;
	request.launch.extra = note_launch(call, request.at != 0);
	if (call->words == NULL)
		request.launch.name = wf_yawl_parameter(call, "caseid");
	if (request.at != 0)
		request.kind = WF_REQUEST_SCHEDULE;
	wf_yawl_submit(call, &request,
	    request.at == 0 ? answer_launched : answer_scheduled);
}

void wf_yawl_launch_case(struct wf_yawl_call *call)
{
	struct wf_yawl_spec_id id = wf_yawl_spec_id(call);
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;
	const char *latest = NULL;

	(void)wf_yawl_find_spec_and_latest(call, &row, &latest, &err);
	if (err.rc == WF_NOT_FOUND)
		wf_yawl_fail(call, "No specification found with ID [%s]",
		    wf_yawl_spec_text(call, &id));
	else if (err.rc != WF_OK)
		wf_yawl_fail_error(call, &err);
	else if (latest != NULL)
		wf_yawl_fail(call,
		    "Starting a new case for a superseded specification is "
		    "not allowed. The latest loaded version is %s%s",
		    latest, wf_yawl_minor(latest));
	else
		launch(call, &row);
}

/* --- cancelling ----------------------------------------------------------- */

static void answer_not_cancelled(struct wf_yawl_call *call)
{
	if (call->error.rc == WF_NOT_FOUND || call->error.rc == WF_CONFLICT)
		wf_yawl_fail(call, "Case [%s] not found.",
		    wf_yawl_parameter(call, "caseID"));
	else
		wf_yawl_fail_error(call, &call->error);
}

void wf_yawl_cancel_case(struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(call, "caseID");
	struct wf_request request = { .command = {
					  .kind = WF_COMMAND_CANCEL_CASE } };

	if (!wf_yawl_find_case(call, id)) {
		wf_yawl_fail(
		    call, "Case [%s] not found.", id == NULL ? "null" : id);
		return;
	}
	request.number = call->known.number;
	call->refused = answer_not_cancelled;
	wf_yawl_submit(call, &request, NULL);
}

/* --- lists ---------------------------------------------------------------- */

enum wf_rc wf_yawl_each_case(struct wf_yawl_call *call, uint64_t specification,
    void (*visit)(void *context, const struct wf_case_row *row), void *context,
    struct wf_error *err)
{
	struct wf_case_filter filter = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.specifications = wf_one_specification(&specification),
		/* To YAWL, a deadlocked case has ended. */
		.statuses = 1U << WF_CASE_RUNNING | 1U << WF_CASE_SUSPENDED,
		.live = true,
		.limit = PAGE };
	struct wf_arena *arena = wf_arena_new();
	struct wf_case_list list = { .next = 0 };
	struct wf_store *store = NULL;
	enum wf_rc rc = wf_engine_borrow(call->server->engine, &store, err);

	while (rc == WF_OK) {
		wf_arena_reset(arena);
		rc = wf_store_cases(store, &filter, arena, &list, err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++)
			visit(context, &list.rows[i].row);
		filter.after = list.next;
		if (list.next == 0)
			break;
	}
	if (store != NULL)
		wf_engine_give_back(call->server->engine, store);
	wf_arena_free(&arena);
	return rc;
}

static void put_case(void *context, const struct wf_case_row *row)
{
	wf_xml_put_element(context, "caseID", row->name);
}

static void put_cases_of(struct wf_yawl_call *call,
    const struct wf_specification_row *row, struct wf_error *err)
{
	const char *identifier;
	struct wf_buffer ids;

	wf_buffer_init(&ids, call->out.maximum);
	if (wf_yawl_each_case(call, row->key, put_case, &ids, err) == WF_OK &&
	    ids.length > 0) {
		wf_buffer_puts(&call->out, "<specificationID");
		identifier = wf_yawl_identifier(call, row);
		if (identifier != NULL)
			wf_xml_put_attribute(
			    &call->out, "identifier", identifier);
		wf_xml_put_attribute(&call->out, "version",
		    wf_arena_printf(call->arena, "%s%s", row->version,
			wf_yawl_minor(row->version)));
		wf_xml_put_attribute(&call->out, "uri", row->uri);
		wf_buffer_putc(&call->out, '>');
		wf_buffer_append(&call->out, ids.data, ids.length);
		wf_buffer_puts(&call->out, "</specificationID>");
	}
	wf_buffer_free(&ids);
}

void wf_yawl_get_running_cases(struct wf_yawl_call *call)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list specs;

	if (!wf_yawl_list_specs(call, &specs))
		return;
	wf_buffer_puts(&call->out, "<AllRunningCases>");
	for (size_t i = 0; i < specs.count && err.rc == WF_OK; i++)
		put_cases_of(call, &specs.rows[i], &err);
	wf_buffer_puts(&call->out, "</AllRunningCases>");
	if (err.rc == WF_OK)
		wf_yawl_answer(call);
	else
		wf_yawl_fail_error(call, &err);
}

void wf_yawl_get_cases(struct wf_yawl_call *call)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;

	if (wf_yawl_find_spec(call, &row, &err))
		(void)(wf_yawl_each_case(
			   call, row.key, put_case, &call->out, &err) == WF_OK);
	if (err.rc == WF_OK || err.rc == WF_NOT_FOUND)
		wf_yawl_answer(call);
	else
		wf_yawl_fail_error(call, &err);
}
