/* SPDX-License-Identifier: Apache-2.0 */
#include "work/subscription/event.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/clip.h"
#include "base/codec.h"
#include "base/panic.h"
#include "data/json_fields.h"
#include "work/handler.h"
#include "work/subscription/call.h"

/* The first number of what an interface keeps with a case; 1 is of yawl/. */
#define EXTRA_FORMAT 2U
#define TEXT_BYTES 2000U
/* Of the message of a test; those of observed.def are greater. */
#define TEST_KIND 100U
#define EXTRA_BYTES 4096U

/* --- queues --------------------------------------------------------------- */

static const char *behind(const char *text, const char *beginning)
{
	size_t length = strlen(beginning);

	return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

bool wf_is_event_queue(const char *destination)
{
	return behind(destination, WF_SUBSCRIPTION_QUEUES) != NULL ||
	       behind(destination, WF_OBSERVER_QUEUES) != NULL;
}

const char *wf_event_queue_id(const char *destination)
{
	return behind(destination, WF_SUBSCRIPTION_QUEUES);
}

const char *wf_event_queue(const char *id, struct wf_arena *arena)
{
	return wf_arena_printf(arena, WF_SUBSCRIPTION_QUEUES "%s", id);
}

/* Observers of one server share a queue, so that a dead one waits once. */
static const char *observer_queue(const char *observer, struct wf_arena *arena)
{
	const char *origin = wf_url_origin(observer, arena);

	return wf_arena_printf(
	    arena, WF_OBSERVER_QUEUES "%s", origin == NULL ? observer : origin);
}

/* --- payloads ------------------------------------------------------------- */

/* At most TEXT_BYTES, in whole characters. */
static json_t *clipped(const char *text)
{
	return json_stringn(text, wf_clipped_length(text, TEXT_BYTES));
}

static json_t *incident_json(const struct wf_incident_row *row)
{
	json_t *object = json_object();

	json_object_set_new(
	    object, "incident", json_integer((json_int_t)row->id));
	json_object_set_new(object, "code", json_string(row->code));
	json_object_set_new(
	    object, "text", clipped(row->text == NULL ? "" : row->text));
	json_object_set_new(object, "attempts", json_integer(row->attempts));
	return object;
}

/* The task of an item: "7.1:Task". */
static const char *task_of(const char *item)
{
	const char *colon = strchr(item, ':');

	return colon == NULL ? "" : colon + 1;
}

static struct wf_bytes dump(json_t *object, struct wf_arena *arena)
{
	char *text = json_dumps(object, JSON_COMPACT);
	struct wf_bytes bytes;

	json_decref(object);
	/* Texts of a case may be no UTF-8 only by a bug. */
	if (text == NULL)
		text = strdup("{}");
	bytes.size = strlen(text);
	bytes.data = wf_arena_strndup(arena, text, bytes.size);
	free(text);
	return bytes;
}

struct wf_bytes wf_event_payload(const struct wf_observed *what,
    const char *observer, struct wf_arena *arena)
{
	json_t *object = json_object();

	wf_assert(what->uri != NULL && what->item != NULL);
	wf_assert(what->worker != NULL && observer != NULL);
	json_object_set_new(
	    object, "event", json_string(wf_observed_row_of(what->kind)->name));
	if (what->row != NULL) {
		json_object_set_new(
		    object, "case", json_string(what->row->name));
		wf_json_put_text(object, "title", what->row->title);
	}
	if (what->specification != 0)
		wf_json_put_key(object, "specification", what->specification);
	wf_json_put_text(object, "uri", what->uri);
	wf_json_put_text(object, "item", what->item);
	wf_json_put_text(object, "task", task_of(what->item));
	wf_json_put_text(object, "worker", what->worker);
	if (what->incident != NULL)
		json_object_set_new(
		    object, "incident", incident_json(what->incident));
	wf_json_put_text(object, "observer", observer);
	return dump(object, arena);
}

json_t *wf_event_read(const struct wf_message_row *row, const char *identity,
    const char **observer_out, struct wf_arena *arena)
{
	json_t *object =
	    json_loadb(row->payload.data, row->payload.size, 0, NULL);
	const char *observer =
	    json_string_value(json_object_get(object, "observer"));
	const char *id = wf_arena_printf(arena, "%.8s-%" PRIu64 "-%" PRIu64,
	    identity, row->number, row->message);

	*observer_out =
	    observer == NULL ? "" : wf_arena_strdup(arena, observer);
	if (!json_is_object(object)) {
		json_decref(object);
		return NULL;
	}
	json_object_del(object, "observer");
	json_object_set_new(object, "id", json_string(id));
	wf_json_put_time(object, "at", row->at);
	return object;
}

/* --- observing ------------------------------------------------------------ */

/* The observer of a case; "": it names none. */
static const char *observer_of(struct wf_bytes extra, struct wf_arena *arena)
{
	struct wf_reader reader;
	const char *observer;

	wf_reader_init(&reader, extra.data, extra.size);
	if (extra.size == 0 || wf_get_number(&reader) != EXTRA_FORMAT)
		return "";
	observer = wf_get_string(&reader, arena);
	return reader.bad ? "" : observer;
}

static void notify_observer(const struct wf_observed *what,
    struct wf_observers *observers, struct wf_arena *arena)
{
	const char *observer;

	if (what->row == NULL || what->row->extra.size == 0 ||
	    !wf_observed_row_of(what->kind)->is_for_observer)
		return;
	observer = observer_of(what->row->extra, arena);
	if (observer[0] != '\0')
		wf_observer_add(observers, observer_queue(observer, arena),
		    wf_event_payload(what, observer, arena));
}

void wf_subscriptions_observe(struct wf_subscriptions *subscriptions,
    const struct wf_observed *what, struct wf_observers *observers)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_subscription_list list =
	    wf_subscriptions_notified(subscriptions, what, arena);
	struct wf_bytes payload = { .data = NULL };

	if (list.count > 0)
		payload = wf_event_payload(what, "", arena);
	for (size_t i = 0; i < list.count; i++)
		wf_observer_add(
		    observers, wf_event_queue(list.rows[i].id, arena), payload);
	notify_observer(what, observers, arena);
	wf_arena_free(&arena);
}

enum wf_rc wf_events_commit(struct wf_store *store, struct wf_message_row *rows,
    size_t count, const struct wf_incident_write *incident,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_batch none = { .take_count = 0 };
	struct wf_writes writes = { .incidents = incident,
		.incident_count = incident == NULL ? 0 : 1,
		.messages = rows,
		.message_count = count };
	uint64_t first = 0;
	enum wf_rc rc = WF_OK;

	if (count > 0)
		rc = wf_store_reserve(
		    store, WF_COUNTER_MESSAGE, count, &first, err);
	for (size_t i = 0; i < count; i++) {
		rows[i].message = first + i;
		rows[i].subject =
		    wf_arena_printf(arena, "%" PRIu64, rows[i].message);
	}
	if (rc == WF_OK)
		rc = wf_store_begin(store, &none, arena, err);
	if (rc == WF_OK)
		rc = wf_store_commit(store, &writes, NULL, err);
	return rc;
}

enum wf_rc wf_event_test(struct wf_store *store,
    const struct wf_subscription *subscription, int64_t now,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_message_row row = { .namespace_id =
					  subscription->namespace_id,
		.destination = wf_event_queue(subscription->id, arena),
		.kind = TEST_KIND,
		.at = now,
		.payload =
		    dump(json_pack("{s:s}", "event", WF_TEST_EVENT), arena) };
	enum wf_rc rc = wf_events_commit(store, &row, 1, NULL, arena, err);

	wf_arena_free(&arena);
	return rc;
}

/* --- addresses ------------------------------------------------------------ */

/* The host of an origin, in the arena, without the brackets of IPv6. */
static const char *host_of(const char *origin, struct wf_arena *arena)
{
	const char *host = strstr(origin, "://") + 3;
	size_t length = (size_t)(strrchr(host, ':') - host);

	if (host[0] == '[') {
		host++;
		length -= 2;
	}
	return wf_arena_strndup(arena, host, length);
}

bool wf_url_is_allowed(const char *url, const struct wf_address_ranges *allowed)
{
	const struct addrinfo numeric = { .ai_flags = AI_NUMERICHOST };
	struct wf_arena *arena = wf_arena_new();
	const char *origin = wf_url_origin(url, arena);
	struct addrinfo *found = NULL;
	bool is = true;

	if (origin != NULL &&
	    getaddrinfo(host_of(origin, arena), NULL, &numeric, &found) == 0) {
		is = wf_address_is_allowed(found->ai_addr, allowed);
		freeaddrinfo(found);
	}
	wf_arena_free(&arena);
	return is;
}

/* --- observers of cases --------------------------------------------------- */

bool wf_is_notified_service(
    struct wf_services *services, uint32_t namespace_id, const char *name)
{
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_name(set, namespace_id, name);
	bool is = service != NULL && service->kind->signs;

	wf_services_let_go(services, set);
	return is;
}

enum wf_rc wf_observer_check(struct wf_services *services,
    uint32_t namespace_id, const char *observer, struct wf_error *err)
{
	if (strlen(observer) > WF_SERVICE_URI_BYTES)
		return wf_fail(err, WF_INVALID, "expected at most %u bytes",
		    WF_SERVICE_URI_BYTES);
	if (wf_url_is_called(observer) ||
	    wf_is_notified_service(services, namespace_id, observer))
		return WF_OK;
	return wf_fail(err, WF_INVALID,
	    "expected a URL of http or https, or the name of a service of the "
	    "kind push");
}

struct wf_bytes wf_observer_extra(const char *observer, struct wf_arena *arena)
{
	struct wf_buffer buffer;
	struct wf_bytes extra;

	wf_buffer_init(&buffer, EXTRA_BYTES);
	wf_put_number(&buffer, EXTRA_FORMAT);
	wf_put_string(&buffer, observer);
	wf_assert(!buffer.full); /* its length was checked */
	extra.size = buffer.length;
	extra.data =
	    wf_arena_strndup(arena, wf_buffer_text(&buffer), buffer.length);
	wf_buffer_free(&buffer);
	return extra;
}
