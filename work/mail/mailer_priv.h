/* SPDX-License-Identifier: Apache-2.0 */
/* The mailer and its digests (digest.c), of one thread but for what says so. */
#ifndef WF_WORK_MAIL_MAILER_PRIV_H
#define WF_WORK_MAIL_MAILER_PRIV_H

#include <jansson.h>
#include <stdatomic.h>

#include "history/steps.h"
#include "work/follower.h"
#include "work/mail/digest_time.h"
#include "work/mail/mail_text.h"
#include "work/mail/mailer.h"
#include "work/mail/smtp.h"

#define WF_MAILER_USER_BYTES 4096U

/* Up to where mail was sent: the steps before, and people of an event. */
struct wf_mailer_place {
	struct wf_cursor cursor;
	size_t event;			    /* of the step behind the cursor */
	char person[WF_ORG_NAME_BYTES + 1]; /* the last one, or "" */
};

/* The last digest: what it reported, and how far one is that is being sent. */
struct wf_mailer_digest {
	struct wf_cursor cursor; /* what happened before was reported */
	int64_t at;		 /* when it was due; 0: none is kept yet */
	bool runs;
	char person[WF_ORG_NAME_BYTES + 1]; /* the last one of it, or "" */
};

struct wf_mailer {
	struct wf_mail_settings settings;
	struct wf_digest_time digest_time;
	struct wf_engine *engine;
	struct wf_org_cache *organisation;
	struct wf_audiences *audiences;
	struct wf_arena *arena; /* of the templates */
	struct wf_mail_template templates[WF_MAIL_KINDS];
	char user[WF_MAILER_USER_BYTES];
	struct wf_follower *follower;
	struct wf_steps *steps;
	struct wf_smtp_account account;
	struct wf_smtp *smtp;
	struct wf_mailer_place place;
	struct wf_mailer_digest digest;
	/* Of all threads. */
	atomic_uint_fast64_t sent;
	atomic_uint_fast64_t refused;
	atomic_uint_fast64_t failed;
};

/*
 * Sends a mail, or passes it over when it is refused for good.  key: of the
 * mail, for the Message-ID.  False: the rest is for later, or for another
 * server.
 */
bool wf_mailer_send(struct wf_mailer *mailer, struct wf_store *store,
    enum wf_mail_kind kind, const struct wf_participant *person,
    const struct wf_mail_words *words, const char *key);

/* An event of a case, as history/steps.h describes it; false: no further one.
 */
typedef bool (*wf_mailer_event_f)(void *context, const json_t *event,
    size_t index, uint64_t number, const char *case_id);
/* Visits the events of a step that may lead to mail; false as visit, or when
 * the store cannot be read now. */
bool wf_mailer_each_event(struct wf_mailer *mailer, struct wf_store *store,
    const struct wf_history_row *row, uint64_t retirements,
    wf_mailer_event_f visit, void *context);

/* Whether the person hears of such events in digests, not at once. */
bool wf_mailer_waits(const struct wf_mailer *mailer,
    const struct wf_participant *person, enum wf_mail_kind kind);
/* Sends the digests that are due; false as wf_mailer_send(). */
bool wf_mailer_digest(struct wf_mailer *mailer, struct wf_store *store);

#endif
