/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread:
 *
 *   WAITING ──lead()──► LEADING ──follow()──► a page of the history
 *      ▲                   │                      │ each event: each person
 *      └── another leads ──┘ ◄───── save() ───────┘
 */
#include "work/mail/mailer.h"

#include <curl/curl.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/codec.h"
#include "base/panic.h"
#include "history/case_reader.h"
#include "work/mail/mail_format.h"
#include "work/mail/mailer_priv.h"
#include "work/mail/recipients.h"
#include "work/mail/wording.h"

#define RECORD_KIND "mail"
#define RECORD_NAME "position"
/* For how long the record is a server's, and how often it is written. */
#define LEASE_MS 90000
#define SAVE_INTERVAL_MS 1000
/* The same while no mail is sent. */
#define KEEP_INTERVAL_MS 20000
#define WAIT_MS 1000
/* Attempts of a mail that the server of mail refuses for now. */
#define ATTEMPTS 6U
#define PAUSE_MAXIMUM_MS 60000
#define CASES 64U
#define MAIL_MAXIMUM_BYTES ((size_t)1 << 20)

/* --- the record ----------------------------------------------------------- */

static void put_cursor(
    json_t *object, const char *name, const struct wf_cursor *cursor)
{
	char text[WF_CURSOR_TEXT];

	wf_cursor_text(cursor, text);
	json_object_set_new(object, name, json_string(text));
}

static json_t *digest_json(const struct wf_mailer_digest *digest)
{
	json_t *object = json_object();

	put_cursor(object, "cursor", &digest->cursor);
	json_object_set_new(object, "at", json_integer(digest->at));
	json_object_set_new(object, "runs", json_boolean(digest->runs));
	json_object_set_new(object, "person", json_string(digest->person));
	return object;
}

static enum wf_rc write_record(struct wf_mailer *mailer, struct wf_store *store,
    uint64_t before, int64_t lease)
{
	int64_t now = wf_engine_now(mailer->engine);
	struct wf_record_row row = {
		.kind = RECORD_KIND, .name = RECORD_NAME, .change = before
	};
	json_t *object = json_object();
	char *text;
	enum wf_rc rc;

	json_object_set_new(object, "owner", json_string(mailer->owner));
	json_object_set_new(object, "until", json_integer(now + lease));
	put_cursor(object, "cursor", &mailer->place.cursor);
	json_object_set_new(
	    object, "event", json_integer((json_int_t)mailer->place.event));
	json_object_set_new(
	    object, "person", json_string(mailer->place.person));
	if (mailer->digest.at != 0)
		json_object_set_new(
		    object, "digest", digest_json(&mailer->digest));
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	row.value = (struct wf_bytes){ text, strlen(text) };
	wf_assert(lease >= 0 && before != 0);
	rc = wf_store_put_records(store, &row, 1, 0, &mailer->change, NULL);
	free(text);
	if (rc == WF_OK)
		mailer->saved_at = now;
	mailer->has_sent &= rc != WF_OK;
	return rc;
}

static const char *member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "" : text;
}

static void read_digest(
    const json_t *object, struct wf_mailer_digest *digest_out)
{
	memset(digest_out, 0, sizeof(*digest_out));
	if (!wf_cursor_parse(member(object, "cursor"), &digest_out->cursor))
		return;
	digest_out->at = json_integer_value(json_object_get(object, "at"));
	digest_out->runs = json_is_true(json_object_get(object, "runs"));
	snprintf(digest_out->person, sizeof(digest_out->person), "%s",
	    member(object, "person"));
}

/* False: another server has the record. */
static bool read_record(
    struct wf_mailer *mailer, const struct wf_record_row *row)
{
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	int64_t until = json_integer_value(json_object_get(object, "until"));
	bool is_free = strcmp(member(object, "owner"), mailer->owner) == 0 ||
		       until <= wf_engine_now(mailer->engine);
	struct wf_mailer_place *place = &mailer->place;

	memset(place, 0, sizeof(*place));
	if (is_free &&
	    wf_cursor_parse(member(object, "cursor"), &place->cursor)) {
		place->event = (size_t)json_integer_value(
		    json_object_get(object, "event"));
		snprintf(place->person, sizeof(place->person), "%s",
		    member(object, "person"));
	}
	read_digest(json_object_get(object, "digest"), &mailer->digest);
	json_decref(object);
	return is_free;
}

/* Digests that are new begin with what happens from now on. */
static void prepare_digest(struct wf_mailer *mailer)
{
	if (mailer->digest_time.period_ms == 0)
		memset(&mailer->digest, 0, sizeof(mailer->digest));
	else if (mailer->digest.at == 0)
		mailer->digest =
		    (struct wf_mailer_digest){ .cursor = mailer->place.cursor,
			    .at = wf_digest_time_before(&mailer->digest_time,
				wf_engine_now(mailer->engine)) };
}

/* Without a record mail begins with what happens from now on. */
static bool take_record(
    struct wf_mailer *mailer, struct wf_store *store, struct wf_arena *arena)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_record_row row;
	enum wf_rc rc = wf_store_record(
	    store, 0, RECORD_KIND, RECORD_NAME, arena, &row, &err);

	if (rc == WF_OK && !read_record(mailer, &row))
		return false;
	if (rc == WF_OK) {
		prepare_digest(mailer);
		return write_record(mailer, store, row.change, LEASE_MS) ==
		       WF_OK;
	}
	if (rc != WF_NOT_FOUND)
		return false;
	memset(&mailer->place, 0, sizeof(mailer->place));
	if (wf_store_history_end(store, &mailer->place.cursor, NULL) != WF_OK)
		return false;
	memset(&mailer->digest, 0, sizeof(mailer->digest));
	prepare_digest(mailer);
	return write_record(mailer, store, WF_RECORD_NEW, LEASE_MS) == WF_OK;
}

bool wf_mailer_save(
    struct wf_mailer *mailer, struct wf_store *store, bool at_once)
{
	int64_t since = wf_engine_now(mailer->engine) - mailer->saved_at;

	if (!at_once && since >= 0 &&
	    since < (mailer->has_sent ? SAVE_INTERVAL_MS : KEEP_INTERVAL_MS))
		return true;
	if (write_record(mailer, store, mailer->change, LEASE_MS) == WF_OK)
		return true;
	/* It is lost only if somebody else has written it. */
	mailer->leads = false;
	return false;
}

/* --- waiting -------------------------------------------------------------- */

/* Until something is new, or that time has passed. */
static void pause_for(struct wf_mailer *mailer, int64_t ms, bool for_news)
{
	int64_t end = wf_monotonic_ms() + ms;

	pthread_mutex_lock(&mailer->lock);
	while (!atomic_load(&mailer->stopping) &&
	       !(for_news && mailer->woken) &&
	       wf_wait_until(&mailer->changed, &mailer->lock, end))
		;
	mailer->woken = false;
	pthread_mutex_unlock(&mailer->lock);
}

/* --- one mail ------------------------------------------------------------- */

/* Tried until it is sent or refused; false: the mailer stops. */
static bool deliver(struct wf_mailer *mailer, struct wf_store *store,
    const char *to, const struct wf_buffer *mail)
{
	int64_t pause = 1000;

	for (unsigned attempt = 1; !atomic_load(&mailer->stopping); attempt++) {
		enum wf_smtp_outcome outcome =
		    wf_smtp_send(mailer->smtp, mailer->settings.from, to, mail);

		if (outcome == WF_SMTP_SENT) {
			atomic_fetch_add(&mailer->sent, 1);
			return true;
		}
		if (outcome == WF_SMTP_REFUSED ||
		    (outcome == WF_SMTP_LATER && attempt >= ATTEMPTS)) {
			atomic_fetch_add(&mailer->refused, 1);
			return true;
		}
		atomic_fetch_add(&mailer->failed, 1);
		for (int64_t left = pause; left > 0; left -= 5000) {
			pause_for(mailer, left < 5000 ? left : 5000, false);
			if (!wf_mailer_save(mailer, store, false))
				return false;
		}
		pause =
		    pause * 2 < PAUSE_MAXIMUM_MS ? pause * 2 : PAUSE_MAXIMUM_MS;
	}
	return false;
}

bool wf_mailer_send(struct wf_mailer *mailer, struct wf_store *store,
    enum wf_mail_kind kind, const struct wf_participant *person,
    const struct wf_mail_words *words, const char *key)
{
	const struct wf_mail_template *texts = &mailer->templates[kind];
	const char *to[2] = { person->email, NULL };
	char id[2 * WF_CURSOR_TEXT];
	struct wf_buffer subject;
	struct wf_buffer text;
	struct wf_buffer mail;
	bool done;

	wf_buffer_init(&subject, MAIL_MAXIMUM_BYTES);
	wf_buffer_init(&text, MAIL_MAXIMUM_BYTES);
	wf_buffer_init(&mail, 2 * MAIL_MAXIMUM_BYTES);
	wf_mail_fill(&subject, texts->subject, words);
	wf_mail_fill(&text, texts->text, words);
	snprintf(id, sizeof(id), "%s.%llx", key,
	    (unsigned long long)wf_hash(
		0, person->record.id, strlen(person->record.id)));
	wf_mail_write(&mail, mailer->settings.from, to,
	    wf_buffer_text(&subject), wf_buffer_text(&text), id,
	    wf_engine_now(mailer->engine));
	done = deliver(mailer, store, person->email, &mail);
	mailer->has_sent |= done;
	wf_buffer_free(&mail);
	wf_buffer_free(&text);
	wf_buffer_free(&subject);
	return done;
}

static bool mail_one(struct wf_mailer *mailer, struct wf_store *store,
    const struct wf_mail_task *task, const char *case_id,
    const struct wf_participant *person)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_mail_words words = wf_mail_words_of(person, arena);
	char cursor[WF_CURSOR_TEXT];
	bool done;

	wf_mail_words_item(&words, mailer->engine, &task->item,
	    mailer->settings.public_url, arena);
	words.case_id = case_id;
	words.action = task->action;
	wf_cursor_text(&mailer->place.cursor, cursor);
	done = wf_mailer_send(mailer, store, task->kind, person, &words,
	    wf_arena_printf(arena, "%s.%zu", cursor, mailer->place.event));
	wf_arena_free(&arena);
	return done;
}

/* --- events --------------------------------------------------------------- */

/* False: the rest is for later, or for another server. */
static bool mail_event(struct wf_mailer *mailer, struct wf_store *store,
    const json_t *event, uint64_t number, const char *case_id)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(mailer->organisation);
	struct wf_arena *arena = wf_arena_new();
	struct wf_error err = { .rc = WF_OK };
	struct wf_mail_task task;
	bool any;
	bool good = wf_mail_recipients(event, number, store, organisation,
			mailer->audiences, arena, &task, &any, &err) == WF_OK;

	if (good && any)
		WF_BITSET_EACH (i, task.people, wf_people_words(organisation)) {
			const struct wf_participant *person =
			    wf_participant_at(organisation, (uint32_t)i);

			/* Sets are in the order of the ids. */
			if (!good ||
			    strcmp(person->record.id, mailer->place.person) <=
				0 ||
			    wf_mailer_waits(mailer, person, task.kind))
				continue;
			good = mail_one(mailer, store, &task, case_id, person);
			if (!good)
				continue;
			snprintf(mailer->place.person,
			    sizeof(mailer->place.person), "%s",
			    person->record.id);
			good = wf_mailer_save(mailer, store, false);
		}
	wf_arena_free(&arena);
	wf_organisation_unref(&organisation);
	return good;
}

static void note_kind(void *context, const struct wf_event *event)
{
	*(bool *)context |= wf_mail_hears(wf_event_name(event->kind));
}

bool wf_mailer_each_event(struct wf_mailer *mailer, struct wf_store *store,
    const struct wf_history_row *row, uint64_t retirements,
    wf_mailer_event_f visit, void *context)
{
	struct wf_error err = { .rc = WF_OK };
	bool wanted = false;
	bool good = true;
	json_t *step;
	const json_t *event;
	size_t i;

	if (wf_history_decode(row, NULL, note_kind, &wanted, NULL) != WF_OK ||
	    !wanted)
		return true;
	step = wf_steps_describe(mailer->steps, store, row, retirements, &err);
	if (step == NULL)
		return false;
	json_array_foreach(json_object_get(step, "events"), i, event)
	{
		if (good)
			good = visit(context, event, i, row->number,
			    member(step, "case"));
	}
	json_decref(step);
	return good;
}

struct following {
	struct wf_mailer *mailer;
	struct wf_store *store;
};

static bool follow_event(void *context, const json_t *event, size_t index,
    uint64_t number, const char *case_id)
{
	const struct following *following = context;
	struct wf_mailer_place *place = &following->mailer->place;

	if (index < place->event)
		return true;
	if (index > place->event) {
		place->event = index;
		place->person[0] = '\0';
	}
	return mail_event(
	    following->mailer, following->store, event, number, case_id);
}

/* What was retired cannot be read any more: mail goes on at the end. */
static enum wf_rc read_page(struct wf_mailer *mailer, struct wf_store *store,
    struct wf_arena *arena, struct wf_history_list *list_out)
{
	struct wf_history_filter filter = { .after = mailer->place.cursor,
		.limit = WF_MAILER_PAGE_ROWS };
	enum wf_rc rc = wf_store_history(store, &filter, arena, list_out, NULL);

	if (rc != WF_GONE)
		return rc;
	memset(&mailer->place, 0, sizeof(mailer->place));
	list_out->count = 0;
	return wf_store_history_end(store, &list_out->next, NULL);
}

static struct wf_cursor behind(
    const struct wf_history_row *row, uint64_t retirements)
{
	return (struct wf_cursor){ row->position, row->number, row->sequence,
		retirements };
}

/* False: nothing is new, or the rest is for later. */
static bool follow(struct wf_mailer *mailer, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_list list;
	struct following following = { mailer, store };
	bool good =
	    wf_audiences_refresh(mailer->audiences, store, NULL) == WF_OK &&
	    read_page(mailer, store, arena, &list) == WF_OK;
	bool more = good && list.count > 0;

	for (size_t i = 0; good && i < list.count; i++) {
		good = wf_mailer_each_event(mailer, store, &list.rows[i],
		    list.next.retirements, follow_event, &following);
		if (!good)
			continue;
		memset(&mailer->place, 0, sizeof(mailer->place));
		mailer->place.cursor =
		    behind(&list.rows[i], list.next.retirements);
	}
	if (good)
		mailer->place.cursor = list.next;
	if (mailer->leads)
		good = wf_mailer_save(mailer, store, false) && good;
	wf_arena_free(&arena);
	return good && more;
}

/* --- the thread ----------------------------------------------------------- */

static bool run_round(struct wf_mailer *mailer)
{
	struct wf_arena *arena;
	struct wf_store *store;
	bool more = false;

	if (wf_engine_borrow(mailer->engine, &store, NULL) != WF_OK)
		return false;
	arena = wf_arena_new();
	if (!mailer->leads)
		mailer->leads = take_record(mailer, store, arena);
	wf_arena_free(&arena);
	if (mailer->leads && wf_mailer_digest(mailer, store))
		more = follow(mailer, store);
	wf_engine_give_back(mailer->engine, store);
	return more;
}

/* So that another server need not wait until the claim ends. */
static void release(struct wf_mailer *mailer)
{
	struct wf_store *store;

	if (!mailer->leads ||
	    wf_engine_borrow(mailer->engine, &store, NULL) != WF_OK)
		return;
	(void)(write_record(mailer, store, mailer->change, 0) == WF_OK);
	wf_engine_give_back(mailer->engine, store);
	mailer->leads = false;
}

static void *run(void *argument)
{
	struct wf_mailer *mailer = argument;

	while (!atomic_load(&mailer->stopping))
		if (!run_round(mailer))
			pause_for(mailer, WAIT_MS, mailer->leads);
	release(mailer);
	return NULL;
}

void wf_mailer_wake(struct wf_mailer *mailer)
{
	if (mailer == NULL)
		return;
	pthread_mutex_lock(&mailer->lock);
	mailer->woken = true;
	pthread_cond_signal(&mailer->changed);
	pthread_mutex_unlock(&mailer->lock);
}

/* --- opening and closing -------------------------------------------------- */

static enum wf_rc check_settings(
    const struct wf_mail_settings *settings, struct wf_error *err)
{
	if (strncmp(settings->server, "smtp://", 7) != 0 &&
	    strncmp(settings->server, "smtps://", 8) != 0)
		return wf_fail(err, WF_INVALID,
		    "mail-server: expected smtp:// or smtps:// and a host");
	if (!wf_mail_is_address(settings->from))
		return wf_fail(
		    err, WF_INVALID, "mail-from: expected an address of mail");
	if (settings->ca[0] != '\0' && access(settings->ca, R_OK) != 0)
		return wf_fail(err, WF_INVALID, "mail-ca: %.500s: %s",
		    settings->ca, strerror(errno));
	return WF_OK;
}

/* "USER:PASSWORD", the first line of the file. */
static enum wf_rc read_user(struct wf_mailer *mailer, struct wf_error *err)
{
	const char *path = mailer->settings.password_file;
	struct wf_error mine = { .rc = WF_OK };
	struct wf_buffer line;
	enum wf_rc rc = WF_OK;

	if (path[0] == '\0')
		return WF_OK;
	wf_buffer_init(&line, WF_MAILER_USER_BYTES - 1);
	if (wf_buffer_read_line(&line, path, &mine) != WF_OK)
		rc = wf_fail(
		    err, WF_INVALID, "mail-password-file: %s", mine.message);
	else if (strchr(wf_buffer_text(&line), ':') == NULL)
		rc = wf_fail(err, WF_INVALID,
		    "mail-password-file: %.500s: expected a line "
		    "USER:PASSWORD",
		    path);
	else
		strcpy(mailer->user, wf_buffer_text(&line));
	sodium_memzero(line.data, line.capacity);
	wf_buffer_free(&line);
	return rc;
}

static enum wf_rc start(struct wf_mailer *mailer, struct wf_error *err)
{
	unsigned char random[WF_MAILER_OWNER_BYTES];

	if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(
	    mailer->owner, sizeof(mailer->owner), random, sizeof(random));
	mailer->smtp = wf_smtp_new(mailer->settings.server, mailer->user,
	    mailer->settings.ca, &mailer->stopping);
	mailer->steps = wf_steps_new(mailer->engine, CASES);
	if (pthread_create(&mailer->thread, NULL, run, mailer) != 0)
		return wf_fail(err, WF_IO, "no thread can be started");
	mailer->has_thread = true;
	return WF_OK;
}

enum wf_rc wf_mailer_open(struct wf_mailer **mailer_out,
    const struct wf_mail_settings *settings, struct wf_engine *engine,
    struct wf_org_cache *organisation, struct wf_audiences *audiences,
    struct wf_error *err)
{
	struct wf_mailer *mailer;
	enum wf_rc rc;

	*mailer_out = NULL;
	if (settings->server == NULL || settings->server[0] == '\0')
		return WF_OK;
	rc = check_settings(settings, err);
	if (rc != WF_OK)
		return rc;
	mailer = wf_calloc(1, sizeof(*mailer));
	mailer->settings = *settings;
	mailer->engine = engine;
	mailer->organisation = organisation;
	mailer->audiences = audiences;
	mailer->arena = wf_arena_new();
	pthread_mutex_init(&mailer->lock, NULL);
	wf_condition_init(&mailer->changed);
	rc = wf_mail_templates_read(
	    mailer->arena, settings->templates, mailer->templates, err);
	if (rc == WF_OK)
		rc = wf_digest_time_parse(settings->digest,
		    wf_engine_timezone(engine), &mailer->digest_time, err);
	if (rc == WF_OK)
		rc = read_user(mailer, err);
	if (rc == WF_OK)
		rc = start(mailer, err);
	*mailer_out = mailer;
	if (rc != WF_OK)
		wf_mailer_close(mailer_out);
	return rc;
}

void wf_mailer_stop(struct wf_mailer *mailer)
{
	if (mailer == NULL || !mailer->has_thread)
		return;
	atomic_store(&mailer->stopping, true);
	pthread_mutex_lock(&mailer->lock);
	pthread_cond_signal(&mailer->changed);
	pthread_mutex_unlock(&mailer->lock);
	pthread_join(mailer->thread, NULL);
	mailer->has_thread = false;
}

void wf_mailer_close(struct wf_mailer **mailer)
{
	struct wf_mailer *old = *mailer;

	*mailer = NULL;
	if (old == NULL)
		return;
	wf_mailer_stop(old);
	wf_smtp_free(&old->smtp);
	wf_steps_free(&old->steps);
	pthread_cond_destroy(&old->changed);
	pthread_mutex_destroy(&old->lock);
	wf_arena_free(&old->arena);
	sodium_memzero(old->user, sizeof(old->user));
	wf_free(old);
}

void wf_mailer_counts(
    struct wf_mailer *mailer, struct wf_mailer_counts *counts_out)
{
	memset(counts_out, 0, sizeof(*counts_out));
	if (mailer == NULL)
		return;
	counts_out->sent = atomic_load(&mailer->sent);
	counts_out->refused = atomic_load(&mailer->refused);
	counts_out->failed = atomic_load(&mailer->failed);
}
