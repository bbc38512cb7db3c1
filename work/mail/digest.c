/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests: one mail about all that waits for a person, instead of a mail about
 * each offer and allocation.
 *
 *   ──a digest is due──► RUNS ──each person with news──► ended, up to there
 *
 * Nothing is collected between digests.  Who has news is read again from the
 * history since the last digest, what waits from the lists of the items; so
 * the record need only keep how far the history was reported, and the last
 * person of a digest that is being sent.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/assignment/assignment.h"
#include "work/mail/mail_format.h"
#include "work/mail/mailer_priv.h"
#include "work/mail/recipients.h"
#include "work/mail/wording.h"
#include "worklist/list.h"

/* A digest lists at most so many items. */
#define ITEMS 50U
#define ITEMS_MAXIMUM_BYTES 262144U

bool wf_mailer_waits(const struct wf_mailer *mailer,
    const struct wf_participant *person, enum wf_mail_kind kind)
{
	return mailer->digest_time.period_ms != 0 && person->mail_digest &&
	       (kind == WF_MAIL_OFFER || kind == WF_MAIL_ALLOCATION);
}

/* --- who has news --------------------------------------------------------- */

struct reading {
	struct wf_mailer *mailer;
	struct wf_store *store;
	struct wf_organisation *organisation;
	uint64_t *people; /* those who have news */
};

static bool note_event(void *context, const json_t *event, size_t index,
    uint64_t number, const char *case_id)
{
	struct reading *reading = context;
	struct wf_arena *arena = wf_arena_new();
	struct wf_error err = { .rc = WF_OK };
	struct wf_mail_task task;
	bool any;
	bool good = wf_mail_recipients(event, number, reading->store,
			reading->organisation, reading->mailer->audiences,
			arena, &task, &any, &err) == WF_OK;

	(void)index;
	(void)case_id;
	if (good && any)
		WF_BITSET_EACH (
		    i, task.people, wf_people_words(reading->organisation))
			if (wf_mailer_waits(reading->mailer,
				wf_participant_at(
				    reading->organisation, (uint32_t)i),
				task.kind))
				wf_bitset_add(reading->people, i);
	wf_arena_free(&arena);
	return good;
}

/* Whether anybody wants digests. */
static bool add_everybody(struct reading *reading)
{
	const struct wf_organisation *o = reading->organisation;
	size_t count = wf_org_count(o, WF_ORG_PARTICIPANT);
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct wf_participant *p = wf_participant_at(o, i);

		if (!wf_mailer_waits(reading->mailer, p, WF_MAIL_OFFER) ||
		    !wf_mail_is_address(p->email))
			continue;
		wf_bitset_add(reading->people, i);
		any = true;
	}
	return any;
}

/* A page of the history since the last digest; *more_out: there are more. */
static enum wf_rc read_page(
    struct reading *reading, struct wf_cursor *cursor, bool *more_out)
{
	struct wf_mailer *mailer = reading->mailer;
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_filter filter = { .after = *cursor,
		.limit = WF_FOLLOWER_PAGE_ROWS };
	struct wf_history_list list;
	enum wf_rc rc =
	    wf_store_history(reading->store, &filter, arena, &list, NULL);

	*more_out = rc == WF_OK && list.count > 0;
	for (size_t i = 0; rc == WF_OK && *more_out && i < list.count; i++) {
		const struct wf_history_row *row = &list.rows[i];
		const struct wf_cursor at = { row->position, row->number,
			row->sequence, list.next.retirements };

		if (wf_cursor_is_before(&mailer->place.cursor, &at))
			*more_out = false;
		else if (!wf_mailer_each_event(mailer, reading->store, row,
			     list.next.retirements, note_event, reading))
			rc = WF_UNAVAILABLE;
	}
	if (rc == WF_OK)
		*cursor = list.next;
	wf_arena_free(&arena);
	return rc;
}

/*
 * Who has news.  What was retired meanwhile cannot be read: then everybody may
 * have some.
 */
static bool find_news(struct reading *reading, struct wf_arena *arena)
{
	struct wf_mailer *mailer = reading->mailer;
	struct wf_cursor cursor = mailer->digest.cursor;
	bool more = true;
	enum wf_rc rc = WF_OK;

	reading->people = wf_people_new(reading->organisation, arena);
	if (!add_everybody(reading))
		return true;
	reading->people = wf_people_new(reading->organisation, arena);
	while (rc == WF_OK && more) {
		rc = read_page(reading, &cursor, &more);
		if (rc == WF_OK &&
		    !wf_follower_save(mailer->follower, reading->store, false))
			return false;
		if (atomic_load(wf_follower_stopping(mailer->follower)))
			return false;
	}
	if (rc == WF_GONE)
		add_everybody(reading);
	return rc == WF_OK || rc == WF_GONE;
}

/* --- one digest ----------------------------------------------------------- */

static void put_item(struct wf_buffer *out, struct wf_mailer *mailer,
    const struct wf_item_row *row, struct wf_arena *arena)
{
	struct wf_mail_words words = { .name = "" };

	wf_mail_words_item(
	    &words, mailer->engine, row, mailer->settings.public_url, arena);
	wf_buffer_printf(out, "- %s (%s), %s: %s, priority %s, due %s\n  %s\n",
	    words.label, words.item, words.process,
	    row->assignment == WF_RESOURCE_OFFERED ? "offered" : "allocated",
	    words.priority, words.due, words.link);
}

static enum wf_rc read_items(struct reading *reading,
    const struct wf_participant *person, struct wf_arena *arena,
    struct wf_list_page *page_out)
{
	struct wf_list_query query = {
		.queues = wf_audiences_queues(reading->mailer->audiences,
		    reading->organisation, person->record.id, arena),
		.participant = person->record.id,
		.greatest_rank = UINT32_MAX,
		.order = WF_QUEUE_BY_RANK,
		.limit = ITEMS
	};

	memset(page_out, 0, sizeof(*page_out));
	if (person->mail_on_offer)
		query.assignments |= 1U << WF_RESOURCE_OFFERED;
	if (person->mail_on_allocation)
		query.assignments |= 1U << WF_RESOURCE_ALLOCATED;
	return query.assignments == 0 ? WF_OK
				      : wf_list_read(reading->store, &query,
					    arena, page_out, NULL);
}

static bool send_one(
    struct reading *reading, const struct wf_participant *person)
{
	struct wf_mailer *mailer = reading->mailer;
	struct wf_arena *arena = wf_arena_new();
	struct wf_mail_words words = wf_mail_words_of(person, arena);
	struct wf_list_page page;
	struct wf_buffer items;
	bool good = read_items(reading, person, arena, &page) == WF_OK;

	wf_buffer_init(&items, ITEMS_MAXIMUM_BYTES);
	for (size_t i = 0; good && i < page.count; i++)
		put_item(&items, mailer, &page.rows[i], arena);
	words.count = wf_arena_printf(
	    arena, "%zu%s", page.count, page.has_more ? " or more" : "");
	words.items = wf_buffer_text(&items);
	words.link = wf_mail_link(
	    mailer->settings.public_url, "/v1/worklist", "", arena);
	if (good && page.count > 0)
		good = wf_mailer_send(mailer, reading->store, WF_MAIL_DIGEST,
		    person, &words,
		    wf_arena_printf(
			arena, "digest.%lld", (long long)mailer->digest.at));
	wf_buffer_free(&items);
	wf_arena_free(&arena);
	return good;
}

/* --- all of them ---------------------------------------------------------- */

static bool send_all(struct reading *reading)
{
	struct wf_mailer *mailer = reading->mailer;
	struct wf_mailer_digest *digest = &mailer->digest;
	bool good = true;

	WF_BITSET_EACH (
	    i, reading->people, wf_people_words(reading->organisation)) {
		const struct wf_participant *person =
		    wf_participant_at(reading->organisation, (uint32_t)i);

		/* Sets are in the order of the ids. */
		if (!good || strcmp(person->record.id, digest->person) <= 0)
			continue;
		good = send_one(reading, person);
		if (!good)
			continue;
		snprintf(digest->person, sizeof(digest->person), "%s",
		    person->record.id);
		good =
		    wf_follower_save(mailer->follower, reading->store, false);
	}
	return good;
}

/* Whether one is to be sent now: none is in the middle of a step. */
static bool begin(struct wf_mailer *mailer, struct wf_store *store)
{
	struct wf_mailer_digest *digest = &mailer->digest;
	int64_t due;

	if (digest->at == 0 || digest->runs)
		return digest->runs;
	due = wf_digest_time_before(
	    &mailer->digest_time, wf_engine_now(mailer->engine));
	if (due <= digest->at || mailer->place.event != 0 ||
	    mailer->place.person[0] != '\0')
		return false;
	digest->at = due;
	digest->runs = true;
	digest->person[0] = '\0';
	return wf_follower_save(mailer->follower, store, true);
}

bool wf_mailer_digest(struct wf_mailer *mailer, struct wf_store *store)
{
	struct reading reading = { mailer, store, NULL, NULL };
	struct wf_arena *arena;
	bool good;

	if (!begin(mailer, store))
		return wf_follower_leads(mailer->follower);
	if (wf_audiences_refresh(mailer->audiences, store, NULL) != WF_OK)
		return false;
	arena = wf_arena_new();
	reading.organisation = wf_org_cache_get(mailer->organisation);
	good = find_news(&reading, arena) && send_all(&reading);
	wf_organisation_unref(&reading.organisation);
	wf_arena_free(&arena);
	if (!good)
		return false;
	mailer->digest.cursor = mailer->place.cursor;
	mailer->digest.runs = false;
	mailer->digest.person[0] = '\0';
	return wf_follower_save(mailer->follower, store, true);
}
