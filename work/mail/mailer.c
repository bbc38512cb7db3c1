/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round of the follower: the digests that are due, then a page of the
 * history, event by event, person by person.
 */
#include "work/mail/mailer.h"

#include <curl/curl.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/codec.h"
#include "history/case_reader.h"
#include "work/mail/mail_format.h"
#include "work/mail/mailer_priv.h"
#include "work/mail/recipients.h"
#include "work/mail/wording.h"

#define RECORD_KIND "mail"
#define RECORD_NAME "position"
/* Attempts of a mail that the server of mail refuses for now. */
#define ATTEMPTS 6U
#define PAUSE_MAXIMUM_MS 60000
#define CASES 64U
#define MAIL_MAXIMUM_BYTES ((size_t)1 << 20)

/* --- the record ----------------------------------------------------------- */

static json_t *digest_json(const struct wf_mailer_digest *digest)
{
	json_t *object = json_object();

	wf_follower_put_cursor(object, "cursor", &digest->cursor);
	json_object_set_new(object, "at", json_integer(digest->at));
	json_object_set_new(object, "runs", json_boolean(digest->runs));
	json_object_set_new(object, "person", json_string(digest->person));
	return object;
}

static void write_record(void *context, json_t *object)
{
	const struct wf_mailer *mailer = context;

	wf_follower_put_cursor(object, "cursor", &mailer->place.cursor);
	json_object_set_new(
	    object, "event", json_integer((json_int_t)mailer->place.event));
	json_object_set_new(
	    object, "person", json_string(mailer->place.person));
	if (mailer->digest.at != 0)
		json_object_set_new(
		    object, "digest", digest_json(&mailer->digest));
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
	if (!wf_follower_read_cursor(object, "cursor", &digest_out->cursor))
		return;
	digest_out->at = json_integer_value(json_object_get(object, "at"));
	digest_out->runs = json_is_true(json_object_get(object, "runs"));
	snprintf(digest_out->person, sizeof(digest_out->person), "%s",
	    member(object, "person"));
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
static bool read_record(
    void *context, struct wf_store *store, const json_t *object)
{
	struct wf_mailer *mailer = context;
	struct wf_mailer_place *place = &mailer->place;

	memset(place, 0, sizeof(*place));
	if (object == NULL) {
		if (wf_store_history_end(store, &place->cursor, NULL) != WF_OK)
			return false;
	} else if (wf_follower_read_cursor(object, "cursor", &place->cursor)) {
		place->event = (size_t)json_integer_value(
		    json_object_get(object, "event"));
		snprintf(place->person, sizeof(place->person), "%s",
		    member(object, "person"));
	}
	read_digest(json_object_get(object, "digest"), &mailer->digest);
	prepare_digest(mailer);
	return true;
}

/* --- one mail ------------------------------------------------------------- */

/* Tried until it is sent or refused; false: the mailer stops. */
static bool deliver(struct wf_mailer *mailer, struct wf_store *store,
    const char *to, const struct wf_buffer *mail)
{
	int64_t pause = 1000;

	for (unsigned attempt = 1;
	     !atomic_load(wf_follower_stopping(mailer->follower)); attempt++) {
		enum wf_smtp_outcome outcome =
		    wf_smtp_send(mailer->smtp, to, mail);

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
			wf_follower_pause(
			    mailer->follower, left < 5000 ? left : 5000, false);
			if (!wf_follower_save(mailer->follower, store, false))
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
	if (done)
		wf_follower_note(mailer->follower);
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
			good = wf_follower_save(mailer->follower, store, false);
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

/* False: nothing is new, or the rest is for later. */
static bool follow(struct wf_mailer *mailer, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_list list;
	struct following following = { mailer, store };
	/* Whoever the steps offer to was stored before them. */
	bool good =
	    wf_follower_page(store, &mailer->place.cursor, arena, &list) ==
		WF_OK &&
	    wf_audiences_refresh(mailer->audiences, store, NULL) == WF_OK;
	bool more = good && list.count > 0;

	for (size_t i = 0; good && i < list.count; i++) {
		good = wf_mailer_each_event(mailer, store, &list.rows[i],
		    list.next.retirements, follow_event, &following);
		if (!good)
			continue;
		memset(&mailer->place, 0, sizeof(mailer->place));
		mailer->place.cursor =
		    wf_follower_behind(&list.rows[i], list.next.retirements);
	}
	if (good && list.count == 0)
		memset(&mailer->place, 0, sizeof(mailer->place));
	if (good)
		mailer->place.cursor = list.next;
	if (wf_follower_leads(mailer->follower))
		good = wf_follower_save(mailer->follower, store, false) && good;
	wf_arena_free(&arena);
	return good && more;
}

static bool run_round(void *context, struct wf_store *store)
{
	struct wf_mailer *mailer = context;

	return wf_mailer_digest(mailer, store) && follow(mailer, store);
}

void wf_mailer_wake(struct wf_mailer *mailer)
{
	if (mailer != NULL)
		wf_follower_wake(mailer->follower);
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
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	mailer->account = (struct wf_smtp_account){ mailer->settings.server,
		mailer->user, mailer->settings.ca, mailer->settings.from };
	mailer->smtp = wf_smtp_new(
	    &mailer->account, wf_follower_stopping(mailer->follower));
	mailer->steps = wf_steps_new(mailer->engine, CASES);
	return wf_follower_start(mailer->follower, err);
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
	mailer->follower =
	    wf_follower_new(engine, &(struct wf_following){ .kind = RECORD_KIND,
					.name = RECORD_NAME,
					.read = read_record,
					.write = write_record,
					.round = run_round,
					.context = mailer });
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
	if (mailer != NULL)
		wf_follower_stop(mailer->follower);
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
	wf_follower_free(&old->follower);
	wf_arena_free(&old->arena);
	sodium_memzero(old->user, sizeof(old->user));
	wf_free(old);
}

const struct wf_smtp_account *wf_mailer_account(const struct wf_mailer *mailer)
{
	return mailer == NULL ? NULL : &mailer->account;
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
