/* SPDX-License-Identifier: Apache-2.0 */
#include "work/subscription/subscription.h"

#include <inttypes.h>
#include <jansson.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "persistence/record_cache.h"
#include "work/mail/mail_format.h"
#include "work/subscription/call.h"

#define KIND "subscription"
#define ID_BYTES 8U
#define KEY_DIGITS 16U
/* The place of the key in the kind of records below. */
#define BY_ID 0U

struct wf_subscriptions {
	struct wf_record_cache *cache;
	atomic_bool exist;
};

#define WF_OBSERVED(code, name, text, observer, words)                         \
	{ code, text, observer, words },
const struct wf_observed_row wf_observed_rows[WF_OBSERVED_COUNT] = {
#include "runtime/observing/observed.def"
};
#undef WF_OBSERVED

static const char *const subscribers[WF_SUBSCRIBER_COUNT] = {
	[WF_SUBSCRIBER_URL] = "url",
	[WF_SUBSCRIBER_SERVICE] = "service",
	[WF_SUBSCRIBER_MAIL] = "mail",
	[WF_SUBSCRIBER_PERSON] = "participant",
};

static const struct wf_pause no_pause = { 0, "", "" };

static size_t place_of(enum wf_observed_kind kind)
{
	size_t i = 0;

	while (i < WF_OBSERVED_COUNT && wf_observed_rows[i].kind != kind)
		i++;
	wf_assert(i < WF_OBSERVED_COUNT);
	return i;
}

const struct wf_observed_row *wf_observed_row_of(enum wf_observed_kind kind)
{
	return &wf_observed_rows[place_of(kind)];
}

json_t *wf_observed_names(uint32_t kinds)
{
	json_t *array = json_array();

	for (size_t i = 0; i < WF_OBSERVED_COUNT; i++)
		if ((kinds & (UINT32_C(1) << i)) != 0)
			json_array_append_new(
			    array, json_string(wf_observed_rows[i].name));
	return array;
}

const char *wf_subscriber_name(enum wf_subscriber how)
{
	wf_assert(how < WF_SUBSCRIBER_COUNT);
	return subscribers[how];
}

/* --- records -------------------------------------------------------------- */

static json_t *pause_json(const struct wf_pause *pause)
{
	return json_pack("{s:I,s:s,s:s}", "since", (json_int_t)pause->since,
	    "by", pause->by, "reason", pause->reason);
}

static struct wf_bytes write_record(
    const struct wf_subscription *s, struct wf_arena *arena)
{
	json_t *object = json_pack("{s:s,s:s,s:s,s:s,s:o,s:I,s:s,s:s,s:I}",
	    "id", s->id, "how", subscribers[s->how], "to", s->to,
	    "specification", s->specification, "kinds",
	    wf_observed_names(s->kinds), "window", (json_int_t)s->window_ms,
	    "secret", s->secret, "by", s->by, "at", (json_int_t)s->at);
	struct wf_bytes bytes;
	char *text;

	if (s->pause.since != 0)
		json_object_set_new(object, "pause", pause_json(&s->pause));
	if (s->stopped.since != 0)
		json_object_set_new(object, "stopped", pause_json(&s->stopped));
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	wf_assert(text != NULL); /* its texts were checked */
	bytes.size = strlen(text);
	bytes.data = wf_arena_strndup(arena, text, bytes.size);
	free(text);
	return bytes;
}

static const char *text_of(
    const json_t *object, const char *name, struct wf_arena *arena)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "" : wf_arena_strdup(arena, text);
}

static void read_pause(const json_t *object, const char *name,
    struct wf_arena *arena, struct wf_pause *pause_out)
{
	const json_t *member = json_object_get(object, name);

	*pause_out = (struct wf_pause){ .since = json_integer_value(
					    json_object_get(member, "since")),
		.by = text_of(member, "by", arena),
		.reason = text_of(member, "reason", arena) };
}

/* A kind that this program does not know is left out. */
static uint32_t read_kinds(const json_t *array)
{
	uint32_t kinds = 0;
	const json_t *row;
	size_t at;

	json_array_foreach(array, at, row)
	{
		const char *name = json_string_value(row);

		for (size_t i = 0; name != NULL && i < WF_OBSERVED_COUNT; i++)
			if (strcmp(wf_observed_rows[i].name, name) == 0)
				kinds |= UINT32_C(1) << i;
	}
	return kinds;
}

static bool read_record(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct wf_subscription *s = entry;
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	const char *how = text_of(object, "how", arena);

	s->namespace_id = row->namespace_id;
	s->name = wf_arena_strdup(arena, row->name);
	s->id = text_of(object, "id", arena);
	while (s->how < WF_SUBSCRIBER_COUNT &&
	       strcmp(subscribers[s->how], how) != 0)
		s->how++;
	s->to = text_of(object, "to", arena);
	s->specification = text_of(object, "specification", arena);
	s->kinds = read_kinds(json_object_get(object, "kinds"));
	s->window_ms = json_integer_value(json_object_get(object, "window"));
	s->secret = text_of(object, "secret", arena);
	s->by = text_of(object, "by", arena);
	s->at = json_integer_value(json_object_get(object, "at"));
	read_pause(object, "pause", arena, &s->pause);
	read_pause(object, "stopped", arena, &s->stopped);
	json_decref(object);
	return s->how < WF_SUBSCRIBER_COUNT && s->id[0] != '\0' &&
	       s->to[0] != '\0';
}

static void copy(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_subscription *s = from;
	struct wf_subscription *copied = to;

	*copied = *s;
	copied->name = wf_arena_strdup(arena, s->name);
	copied->id = wf_arena_strdup(arena, s->id);
	copied->to = wf_arena_strdup(arena, s->to);
	copied->specification = wf_arena_strdup(arena, s->specification);
	copied->secret = wf_arena_strdup(arena, s->secret);
	copied->by = wf_arena_strdup(arena, s->by);
	wf_pause_copy(&s->pause, arena, &copied->pause);
	wf_pause_copy(&s->stopped, arena, &copied->stopped);
}

static const struct wf_record_kind records = { .kind = KIND,
	.size = sizeof(struct wf_subscription),
	.read = read_record,
	.copy = copy,
	.keys = { [BY_ID] = offsetof(struct wf_subscription, id) },
	.key_count = 1 };

/* --- in memory ------------------------------------------------------------ */

static void note_existence(struct wf_subscriptions *subscriptions)
{
	const struct wf_record_choice all = { .text = NULL };

	atomic_store(&subscriptions->exist,
	    wf_record_cache_count(subscriptions->cache, &all) > 0);
}

enum wf_rc wf_subscriptions_open(struct wf_subscriptions **subscriptions_out,
    struct wf_store *store, struct wf_error *err)
{
	struct wf_subscriptions *subscriptions =
	    wf_calloc(1, sizeof(*subscriptions));

	subscriptions->cache = wf_record_cache_new(&records);
	*subscriptions_out = subscriptions;
	if (sodium_init() < 0)
		return wf_fail(err, WF_IO, "libsodium cannot be used");
	return wf_subscriptions_refresh(subscriptions, store, err);
}

void wf_subscriptions_free(struct wf_subscriptions **subscriptions)
{
	struct wf_subscriptions *old = *subscriptions;

	*subscriptions = NULL;
	if (old == NULL)
		return;
	wf_record_cache_free(&old->cache);
	wf_free(old);
}

enum wf_rc wf_subscriptions_refresh(struct wf_subscriptions *subscriptions,
    struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc =
	    wf_record_cache_refresh(subscriptions->cache, store, err);

	note_existence(subscriptions);
	return rc;
}

bool wf_subscriptions_find(struct wf_subscriptions *subscriptions,
    uint32_t namespace_id, const char *name, struct wf_arena *arena,
    struct wf_subscription *subscription_out)
{
	return wf_record_cache_find(
	    subscriptions->cache, namespace_id, name, arena, subscription_out);
}

bool wf_subscriptions_by_id(struct wf_subscriptions *subscriptions,
    const char *id, struct wf_arena *arena,
    struct wf_subscription *subscription_out)
{
	const struct wf_record_choice choice = { .key = BY_ID, .text = id };
	size_t count;
	const struct wf_subscription *found = wf_record_cache_choose(
	    subscriptions->cache, &choice, arena, &count);

	if (count > 0)
		*subscription_out = found[0];
	return count > 0;
}

static bool is_of(void *context, const void *entry)
{
	return ((const struct wf_subscription *)entry)->namespace_id ==
	       *(const uint32_t *)context;
}

struct wf_subscription_list wf_subscriptions_of(
    struct wf_subscriptions *subscriptions, uint32_t namespace_id,
    struct wf_arena *arena)
{
	const struct wf_record_choice choice = { .fits = is_of,
		.context = &namespace_id };
	struct wf_subscription_list list;

	list.rows = wf_record_cache_choose(
	    subscriptions->cache, &choice, arena, &list.count);
	return list;
}

static bool is_of_specification(
    const struct wf_observed *what, const char *specification)
{
	char key[KEY_DIGITS + 1];

	if (specification[0] == '\0')
		return true;
	snprintf(key, sizeof(key), "%016" PRIx64, what->specification);
	return what->specification != 0 &&
	       (strcmp(specification, key) == 0 ||
		   strcmp(specification, what->uri) == 0);
}

static bool is_notified(void *context, const void *entry)
{
	const struct wf_observed *what = context;
	const struct wf_subscription *s = entry;

	return s->namespace_id == what->namespace_id &&
	       (s->kinds & (UINT32_C(1) << place_of(what->kind))) != 0 &&
	       s->stopped.since == 0 &&
	       is_of_specification(what, s->specification);
}

struct wf_subscription_list wf_subscriptions_notified(
    struct wf_subscriptions *subscriptions, const struct wf_observed *what,
    struct wf_arena *arena)
{
	const struct wf_record_choice choice = { .fits = is_notified,
		.context = (void *)what };
	struct wf_subscription_list list = { .count = 0 };

	/* Without subscriptions it costs nothing. */
	if (atomic_load(&subscriptions->exist))
		list.rows = wf_record_cache_choose(
		    subscriptions->cache, &choice, arena, &list.count);
	return list;
}

/* --- changing ------------------------------------------------------------- */

/* Decides what becomes of one; before: NULL: there is none. */
struct changing {
	struct wf_subscriptions *subscriptions;
	uint32_t namespace_id;
	const char *name;
	enum wf_rc (*change)(struct changing *changing,
	    const struct wf_subscription *before, struct wf_subscription *after,
	    struct wf_error *err);
	const struct wf_subscription *given;
	const struct wf_pause *pause;
	char *secret;
	char id[2 * ID_BYTES + 1]; /* of a new one */
	bool is_new;
};

static enum wf_rc decide(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	struct wf_record_cache *cache = changing->subscriptions->cache;
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));
	struct wf_subscription before;
	struct wf_subscription after = { .name = NULL };
	bool found;
	enum wf_rc rc;

	*row = (struct wf_record_row){ .namespace_id = changing->namespace_id,
		.kind = KIND,
		.name = changing->name,
		.change = wf_record_cache_change(
		    cache, changing->namespace_id, changing->name) };
	found = wf_record_cache_find(
	    cache, changing->namespace_id, changing->name, arena, &before);
	if (found)
		after = before;
	changing->is_new = !found;
	rc = changing->change(changing, found ? &before : NULL, &after, err);
	if (rc != WF_OK)
		return rc;
	if (after.name != NULL)
		row->value = write_record(&after, arena);
	*edit = (struct wf_record_edit){ .rows = row,
		.count = 1,
		.alone = !found /* for their number */ };
	return WF_OK;
}

static enum wf_rc run(
    struct changing *changing, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = wf_record_cache_edit(
	    changing->subscriptions->cache, store, decide, changing, err);

	note_existence(changing->subscriptions);
	return rc;
}

static enum wf_rc fail_missing(
    const struct changing *changing, struct wf_error *err)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no subscription %.100s",
	    changing->name);
}

static void make_secret(char secret_out[WF_SUBSCRIPTION_SECRET_SIZE])
{
	unsigned char random[(WF_SUBSCRIPTION_SECRET_SIZE - 1) / 2];

	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(
	    secret_out, WF_SUBSCRIPTION_SECRET_SIZE, random, sizeof(random));
}

/* --- adding --------------------------------------------------------------- */

static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && length <= WF_SERVICE_NAME_BYTES &&
	       strspn(name,
		   "abcdefghijklmnopqrstuvwxyz"
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == length;
}

static enum wf_rc check(const struct wf_subscription *s, struct wf_error *err)
{
	if (!is_name(s->name))
		return wf_fail(err, WF_INVALID,
		    "name: expected 1 to %u of A-Z a-z 0-9 _ . -",
		    WF_SERVICE_NAME_BYTES);
	if (s->how == WF_SUBSCRIBER_URL && !wf_url_is_called(s->to))
		return wf_fail(err, WF_INVALID,
		    "url: expected a URL of http or https, with a host and "
		    "without a password");
	if (s->how == WF_SUBSCRIBER_MAIL && !wf_mail_is_address(s->to))
		return wf_fail(
		    err, WF_INVALID, "mail: expected an address of mail");
	if (s->to[0] == '\0' || strlen(s->to) > WF_SERVICE_URI_BYTES)
		return wf_fail(err, WF_INVALID, "%s: expected 1 to %u bytes",
		    subscribers[s->how], WF_SERVICE_URI_BYTES);
	if (s->kinds == 0)
		return wf_fail(
		    err, WF_INVALID, "events: expected at least one event");
	if (s->window_ms < 0 ||
	    s->window_ms > WF_SUBSCRIPTION_WINDOW_MAXIMUM_MS)
		return wf_fail(
		    err, WF_INVALID, "window: expected at most 1 hour");
	return WF_OK;
}

static enum wf_rc change_put(struct changing *changing,
    const struct wf_subscription *before, struct wf_subscription *after,
    struct wf_error *err)
{
	const struct wf_subscription *given = changing->given;
	uint32_t namespace_id = given->namespace_id;
	const struct wf_record_choice choice = { .fits = is_of,
		.context = &namespace_id };
	unsigned char random[ID_BYTES];

	changing->secret[0] = '\0';
	if (before == NULL &&
	    wf_record_cache_count(changing->subscriptions->cache, &choice) >=
		WF_SUBSCRIPTIONS)
		return wf_fail(err, WF_LIMIT,
		    "there are %u subscriptions already; remove one",
		    WF_SUBSCRIPTIONS);
	*after = *given;
	after->stopped = no_pause;
	if (before == NULL) {
		randombytes_buf(random, sizeof(random));
		sodium_bin2hex(
		    changing->id, sizeof(changing->id), random, sizeof(random));
		after->id = changing->id;
		after->pause = no_pause;
	} else {
		after->id = before->id;
		after->pause = before->pause;
		after->at = before->at;
		after->by = before->by;
	}
	after->secret = before == NULL ? "" : before->secret;
	if (after->how != WF_SUBSCRIBER_URL) {
		after->secret = "";
	} else if (after->secret[0] == '\0') {
		make_secret(changing->secret);
		after->secret = changing->secret;
	}
	return WF_OK;
}

enum wf_rc wf_subscriptions_put(struct wf_subscriptions *subscriptions,
    struct wf_store *store, const struct wf_subscription *subscription,
    char secret_out[WF_SUBSCRIPTION_SECRET_SIZE], bool *is_new_out,
    struct wf_error *err)
{
	struct changing changing = { .subscriptions = subscriptions,
		.namespace_id = subscription->namespace_id,
		.name = subscription->name,
		.change = change_put,
		.given = subscription,
		.secret = secret_out };
	enum wf_rc rc = check(subscription, err);

	if (rc == WF_OK)
		rc = run(&changing, store, err);
	*is_new_out = changing.is_new;
	return rc;
}

/* --- the other changes ---------------------------------------------------- */

static enum wf_rc change_remove(struct changing *changing,
    const struct wf_subscription *before, struct wf_subscription *after,
    struct wf_error *err)
{
	after->name = NULL;
	return before == NULL ? fail_missing(changing, err) : WF_OK;
}

enum wf_rc wf_subscriptions_remove(struct wf_subscriptions *subscriptions,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    struct wf_error *err)
{
	struct changing changing = { .subscriptions = subscriptions,
		.namespace_id = namespace_id,
		.name = name,
		.change = change_remove };

	return run(&changing, store, err);
}

static enum wf_rc change_pause(struct changing *changing,
    const struct wf_subscription *before, struct wf_subscription *after,
    struct wf_error *err)
{
	const struct wf_pause *pause = changing->pause;
	bool is_paused;

	if (before == NULL)
		return fail_missing(changing, err);
	is_paused = before->pause.since != 0;
	if (pause != NULL && is_paused)
		return wf_fail(err, WF_CONFLICT,
		    "the subscription %s is paused already", before->name);
	if (pause == NULL && !is_paused && before->stopped.since == 0)
		return wf_fail(err, WF_CONFLICT,
		    "the subscription %s is neither paused nor stopped",
		    before->name);
	after->pause = no_pause;
	if (pause == NULL) {
		after->stopped = no_pause;
		return WF_OK;
	}
	after->pause.since = pause->since;
	after->pause.by = pause->by == NULL ? "" : pause->by;
	after->pause.reason = pause->reason == NULL ? "" : pause->reason;
	return WF_OK;
}

enum wf_rc wf_subscriptions_pause(struct wf_subscriptions *subscriptions,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    const struct wf_pause *pause, struct wf_error *err)
{
	struct changing changing = { .subscriptions = subscriptions,
		.namespace_id = namespace_id,
		.name = name,
		.change = change_pause,
		.pause = pause };

	return run(&changing, store, err);
}

static enum wf_rc change_secret(struct changing *changing,
    const struct wf_subscription *before, struct wf_subscription *after,
    struct wf_error *err)
{
	if (before == NULL)
		return fail_missing(changing, err);
	if (before->how != WF_SUBSCRIBER_URL)
		return wf_fail(err, WF_CONFLICT,
		    "the subscription %s has no secret: it is not of a URL",
		    before->name);
	make_secret(changing->secret);
	after->secret = changing->secret;
	return WF_OK;
}

enum wf_rc wf_subscriptions_rotate(struct wf_subscriptions *subscriptions,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    char secret_out[WF_SUBSCRIPTION_SECRET_SIZE], struct wf_error *err)
{
	struct changing changing = { .subscriptions = subscriptions,
		.namespace_id = namespace_id,
		.name = name,
		.change = change_secret,
		.secret = secret_out };

	return run(&changing, store, err);
}

static enum wf_rc change_stop(struct changing *changing,
    const struct wf_subscription *before, struct wf_subscription *after,
    struct wf_error *err)
{
	if (before == NULL || strcmp(before->id, changing->given->id) != 0)
		return fail_missing(changing, err);
	if (before->stopped.since != 0)
		return wf_fail(err, WF_CONFLICT,
		    "the subscription %s is stopped already", before->name);
	after->stopped = *changing->pause;
	return WF_OK;
}

enum wf_rc wf_subscriptions_stop(struct wf_subscriptions *subscriptions,
    struct wf_store *store, const struct wf_subscription *subscription,
    const struct wf_pause *stopped, struct wf_error *err)
{
	struct changing changing = { .subscriptions = subscriptions,
		.namespace_id = subscription->namespace_id,
		.name = subscription->name,
		.change = change_stop,
		.given = subscription,
		.pause = stopped };

	return run(&changing, store, err);
}
