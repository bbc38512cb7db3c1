/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One case in memory, driven by commands, with a clock of its own.
 *
 * What "weft run" and "weft test" share.  A careful session encodes and
 * decodes the case after each command, rebuilds it from its events, and
 * compares.  A session can have a shadow, which does the same in a store.
 */
#ifndef WF_CLI_SCENARIO_SESSION_H
#define WF_CLI_SCENARIO_SESSION_H

#include "cli/scenario/session_facts.h"
#include "cli/scenario/shadow_run.h"
#include "kernel/record.h"
#include "people/decision.h"

#define WF_SESSION_CHOICES 64

struct wf_session {
	const struct wf_spec *spec;
	struct wf_limits limits;
	struct wf_case *instance; /* NULL until it is launched */
	/* Choices for the next command that is accepted. */
	struct wf_choice choices[WF_SESSION_CHOICES];
	size_t choice_count;
	struct wf_step step;	 /* what the last accepted command did */
	struct wf_error refusal; /* of the last command; rc WF_OK: none */
	int64_t now;
	/* Days off; belongs to the caller; NULL: weekends only. */
	const struct wf_calendar *calendar;
	bool careful;
	/* NULL: no item is for people; belongs to the session. */
	struct wf_organisation *organisation;
	struct wf_session_facts *facts; /* with an organisation */
	struct wf_record record;	/* of a careful session */
	struct wf_shadow_run *shadow;	/* in a store; NULL: there is none */
	bool saw_deadlock; /* in the sense of cli/run/reference.h */
};

/* 2026-01-01T00:00:00Z, where virtual clocks start. */
#define WF_SESSION_START INT64_C(1767225600000)
/* The id of the only case. */
#define WF_SESSION_CASE "1"

/* spec and, when there is one, the shadow must outlive the session. */
void wf_session_init(
    struct wf_session *session, const struct wf_spec *spec, bool careful);
void wf_session_free(struct wf_session *session);

/*
 * The id of a work item: item itself when it is one ("1.2:D"), else that of
 * the first live item of the task with this id.  WF_NOT_FOUND.
 */
enum wf_rc wf_session_item(const struct wf_session *session, const char *item,
    char id_out[WF_ITEM_ID_SIZE], struct wf_error *err) WF_MUSTCHECK;

/* Sets a choice for the step of the next command; WF_LIMIT: too many. */
enum wf_rc wf_session_choose(struct wf_session *session,
    const struct wf_choice *choice, struct wf_error *err) WF_MUSTCHECK;

/*
 * Advances the clock.  Timers expire in their order, each at its own time; the
 * first that is refused ends the call.
 */
enum wf_rc wf_session_advance(
    struct wf_session *session, int64_t now, struct wf_error *err) WF_MUSTCHECK;

/*
 * Gives a command to the case; LAUNCH makes it.  item: NULL, or as for
 * wf_session_item().  data: XML or NULL.  WF_BUG too when a careful session
 * or a shadow finds that something does not agree.
 */
enum wf_rc wf_session_command(struct wf_session *session,
    enum wf_command_kind kind, const char *item, const char *data,
    size_t length, struct wf_error *err) WF_MUSTCHECK;

/* Who gives a command, and to whom an item goes: ids; NULL: nobody. */
struct wf_session_people {
	const char *participant;
	const char *deputy; /* who acts for that one; NULL: nobody */
	const char *targets;
	bool is_forced;
};

/* The same, for a participant. */
enum wf_rc wf_session_command_of(struct wf_session *session,
    const struct wf_session_people *people, enum wf_command_kind kind,
    const char *item, const char *data, size_t length,
    struct wf_error *err) WF_MUSTCHECK;

#endif
