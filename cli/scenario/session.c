/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One case in memory, driven by commands, and the checks of careful sessions.
 */
#include "cli/scenario/session.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/run/reference.h"
#include "kernel/assignment/assignment.h"

#define STATE_MAXIMUM ((size_t)1 << 30)

void wf_session_init(
    struct wf_session *session, const struct wf_spec *spec, bool careful)
{
	memset(session, 0, sizeof(*session));
	session->spec = spec;
	session->limits = wf_limits_default;
	session->now = WF_SESSION_START;
	session->careful = careful;
	wf_step_init(&session->step);
	wf_record_init(&session->record, spec, &session->limits);
}

void wf_session_free(struct wf_session *session)
{
	wf_case_free(&session->instance);
	wf_organisation_unref(&session->organisation);
	wf_session_facts_free(&session->facts);
	wf_step_free(&session->step);
	wf_record_free(&session->record);
}

/* Whether text has the form "1:Task" or "1.2:Task". */
static bool is_item_id(const char *text)
{
	size_t length = strlen(WF_SESSION_CASE);

	if (strncmp(text, WF_SESSION_CASE, length) != 0)
		return false;
	text += length;
	while (*text == '.') {
		size_t digits = strspn(text + 1, "0123456789");

		if (digits == 0)
			return false;
		text += 1 + digits;
	}
	return *text == ':';
}

static bool first_item(const struct wf_session *session, const char *task,
    char id_out[WF_ITEM_ID_SIZE])
{
	struct wf_item *items;
	size_t count = wf_case_items(session->instance, &items);
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		if (strcmp(items[i].task->id, task) != 0)
			continue;
		wf_item_id(&items[i], id_out);
		found = true;
	}
	wf_free(items);
	return found;
}

enum wf_rc wf_session_item(const struct wf_session *session, const char *item,
    char id_out[WF_ITEM_ID_SIZE], struct wf_error *err)
{
	if (session->instance == NULL)
		return wf_fail(err, WF_CONFLICT, "no case is launched");
	if (is_item_id(item)) {
		snprintf(id_out, WF_ITEM_ID_SIZE, "%s", item);
		return WF_OK;
	}
	if (!first_item(session, item, id_out))
		return wf_fail(
		    err, WF_NOT_FOUND, "task %s has no live item", item);
	return WF_OK;
}

static enum wf_rc step(struct wf_session *session,
    const struct wf_command *command, struct wf_error *err)
{
	if (command->kind == WF_COMMAND_LAUNCH && session->instance == NULL)
		return wf_case_launch(&session->instance, session->spec,
		    WF_SESSION_CASE, &session->limits, command, &session->step,
		    err);
	if (command->kind == WF_COMMAND_LAUNCH)
		return wf_fail(
		    err, WF_CONFLICT, "the case is launched already");
	if (session->instance == NULL)
		return wf_fail(err, WF_CONFLICT, "no case is launched");
	return wf_case_step(session->instance, command, &session->step, err);
}

static enum wf_rc execute(struct wf_session *session,
    const struct wf_command *command, struct wf_error *err)
{
	enum wf_rc rc = step(session, command, err);

	if (rc == WF_OK && wf_reference_deadlock(&session->step))
		session->saw_deadlock = true;
	if (rc == WF_OK && session->facts != NULL)
		wf_session_facts_add(
		    session->facts, &session->step, command->now);
	return rc;
}

/* After an accepted command: continues with the decoded copy of the case. */
static enum wf_rc prove_accepted(
    struct wf_session *session, struct wf_error *err)
{
	struct wf_case *decoded;
	enum wf_rc rc;

	wf_record_add(&session->record, &session->step, session->now);
	rc =
	    wf_record_prove(&session->record, session->instance, &decoded, err);
	if (rc == WF_OK) {
		wf_case_free(&session->instance);
		session->instance = decoded;
	}
	return rc;
}

/* After a refused command the encoded case must be the same as before. */
static bool is_unchanged(
    const struct wf_session *session, const struct wf_buffer *before)
{
	struct wf_buffer after;
	bool same;

	if (session->instance == NULL)
		return before->length == 0;
	wf_buffer_init(&after, STATE_MAXIMUM);
	same = wf_case_encode(session->instance, &after, NULL) == WF_OK &&
	       wf_case_check(session->instance, NULL) == WF_OK &&
	       after.length == before->length &&
	       (after.length == 0 ||
		   memcmp(after.data, before->data, after.length) == 0);
	wf_buffer_free(&after);
	return same;
}

static enum wf_rc execute_carefully(struct wf_session *session,
    const struct wf_command *command, struct wf_error *err)
{
	struct wf_buffer before;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&before, STATE_MAXIMUM);
	if (session->instance != NULL)
		rc = wf_case_encode(session->instance, &before, err);
	if (rc == WF_OK) {
		rc = execute(session, command, err);
		if (rc == WF_OK) {
			rc = prove_accepted(session, err);
		} else if (!is_unchanged(session, &before)) {
			wf_error_clear(err);
			rc = wf_fail(err, WF_BUG,
			    "the refused command changed the case");
		}
	}
	wf_buffer_free(&before);
	return rc;
}

static void keep_first(void *argument, const char *item)
{
	char **first = argument;

	if (*first == NULL)
		*first = wf_strdup(item);
}

/* Decides OR-joins that exceeded the budget of the step, with its people. */
static enum wf_rc decide_or_joins(struct wf_session *session,
    const struct wf_command *step, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK) {
		struct wf_command command = { .kind = WF_COMMAND_DECIDE,
			.now = step->now,
			.calendar = step->calendar,
			.people = step->people };
		struct wf_buffer answer;
		char *item = NULL;

		wf_case_undecided(session->instance, keep_first, &item);
		if (item == NULL)
			break;
		wf_buffer_init(&answer, STATE_MAXIMUM);
		rc = wf_case_search(session->instance, item, &answer, err);
		command.item = item;
		command.data = answer.data;
		command.length = answer.length;
		if (rc == WF_OK)
			rc = session->careful
				 ? execute_carefully(session, &command, err)
				 : execute(session, &command, err);
		wf_buffer_free(&answer);
		wf_free(item);
	}
	return rc;
}

enum wf_rc wf_session_choose(struct wf_session *session,
    const struct wf_choice *choice, struct wf_error *err)
{
	size_t at = 0;

	while (at < session->choice_count &&
	       strcmp(session->choices[at].task, choice->task) != 0)
		at++;
	if (at == WF_SESSION_CHOICES)
		return wf_fail(err, WF_LIMIT,
		    "more than %d choices before a command",
		    WF_SESSION_CHOICES);
	session->choices[at] = *choice;
	if (at == session->choice_count)
		session->choice_count++;
	return WF_OK;
}

/* Whether the shadow run can be given the command: LAUNCH first, and once. */
static bool reaches_case(
    const struct wf_session *session, enum wf_command_kind kind)
{
	return (kind == WF_COMMAND_LAUNCH) == (session->instance == NULL);
}

enum wf_rc wf_session_command(struct wf_session *session,
    enum wf_command_kind kind, const char *item, const char *data,
    size_t length, struct wf_error *err)
{
	static const struct wf_session_people nobody;

	return wf_session_command_of(
	    session, &nobody, kind, item, data, length, err);
}

/* Decisions know what was done in the case before this command. */
static void begin_facts(
    struct wf_session *session, struct wf_deciding *deciding)
{
	if (session->organisation == NULL)
		return;
	if (session->facts == NULL)
		session->facts = wf_session_facts_new();
	wf_session_facts_begin(session->facts, session->instance);
	wf_session_facts_use(session->facts, deciding);
}

enum wf_rc wf_session_command_of(struct wf_session *session,
    const struct wf_session_people *people, enum wf_command_kind kind,
    const char *item, const char *data, size_t length, struct wf_error *err)
{
	struct wf_deciding deciding = { .organisation = session->organisation };
	struct wf_people_calls calls = wf_deciding_calls(&deciding);
	char id[WF_ITEM_ID_SIZE];
	struct wf_command command = { .kind = kind,
		.data = data,
		.length = length,
		.now = session->now,
		.calendar = session->calendar,
		.choices = session->choices,
		.choice_count = session->choice_count,
		.people = session->organisation == NULL ? NULL : &calls,
		.participant = people->participant,
		.deputy = people->deputy,
		.targets = people->targets,
		.is_forced = people->is_forced,
		.is_administrator = people->participant == NULL };
	struct wf_error refusal = { .rc = WF_OK };
	bool has_shadow_run =
	    session->shadow != NULL && reaches_case(session, kind);
	enum wf_rc rc;

	if (item != NULL) {
		rc = wf_session_item(session, item, id, err);
		if (rc != WF_OK)
			return rc;
		command.item = id;
	}
	begin_facts(session, &deciding);
	rc = session->careful ? execute_carefully(session, &command, &refusal)
			      : execute(session, &command, &refusal);
	if (rc == WF_OK) {
		session->choice_count = 0;
		rc = decide_or_joins(session, &command, err);
	}
	if (session->facts != NULL)
		wf_session_facts_again(session->facts);
	if (has_shadow_run && refusal.rc != WF_BUG &&
	    wf_shadow_run_follow(session->shadow, &command, &refusal,
		session->instance, err) != WF_OK)
		return WF_BUG;
	if (session->facts != NULL &&
	    wf_session_facts_fold(session->facts, session->spec, err) != WF_OK)
		return WF_BUG;
	if (refusal.rc != WF_OK && err != NULL && err->rc == WF_OK)
		*err = refusal;
	return rc;
}

/* A timer, or an alarm of an item. */
struct next_timer {
	char item[WF_ITEM_ID_SIZE];
	char number[16]; /* of an alarm; "": it is a timer */
	int64_t at;
};

static bool keep_earliest(struct next_timer *next, const char *item, int64_t at)
{
	if (at >= next->at)
		return false;
	next->at = at;
	snprintf(next->item, sizeof(next->item), "%s", item);
	next->number[0] = '\0';
	return true;
}

static void keep_timer(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	(void)number;
	(void)keep_earliest(argument, item, at);
}

static void keep_alarm(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	struct next_timer *next = argument;

	if (keep_earliest(next, item, at))
		snprintf(next->number, sizeof(next->number), "%u", number);
}

static enum wf_rc expire(struct wf_session *session,
    const struct next_timer *next, struct wf_error *err)
{
	enum wf_rc rc;

	if (next->number[0] == '\0')
		rc = wf_session_command(
		    session, WF_COMMAND_EXPIRE, next->item, NULL, 0, err);
	else
		rc = wf_session_command(session, WF_COMMAND_ALARM, next->item,
		    next->number, strlen(next->number), err);
	if (rc != WF_OK)
		wf_error_prefix(err, "%s of %s",
		    next->number[0] == '\0' ? "timer" : "alarm", next->item);
	return rc;
}

enum wf_rc wf_session_advance(
    struct wf_session *session, int64_t now, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && session->instance != NULL) {
		struct next_timer next = { .at = INT64_MAX };

		wf_case_timers(session->instance, keep_timer, &next);
		wf_case_alarms(session->instance, keep_alarm, &next);
		if (next.at > now)
			break;
		if (next.at > session->now)
			session->now = next.at;
		rc = expire(session, &next, err);
	}
	if (rc == WF_OK)
		session->now = now;
	return rc;
}
