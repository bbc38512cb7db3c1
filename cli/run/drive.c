/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a case without a person; see cli/run/drive.h. */
#include "cli/run/drive.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/random.h"

enum { EXIT_STOPPED = 3, EXIT_STEP_LIMIT = 4 };

static const int exits[] = {
	[WF_OUTCOME_COMPLETED] = 0,
	[WF_OUTCOME_DEADLOCK] = EXIT_STOPPED,
	[WF_OUTCOME_STUCK] = EXIT_STOPPED,
	[WF_OUTCOME_STEP_LIMIT] = EXIT_STEP_LIMIT,
	[WF_OUTCOME_CANCELLED] = 0,
	[WF_OUTCOME_OPEN] = 0,
};

int wf_outcome_exit(enum wf_outcome outcome)
{
	return exits[outcome];
}

enum wf_outcome wf_outcome_of(const struct wf_session *session)
{
	switch (wf_case_status(session->instance)) {
	case WF_CASE_COMPLETED:
		return WF_OUTCOME_COMPLETED;
	case WF_CASE_DEADLOCKED:
		return WF_OUTCOME_DEADLOCK;
	case WF_CASE_CANCELLED:
		return WF_OUTCOME_CANCELLED;
	case WF_CASE_RUNNING:
	case WF_CASE_SUSPENDED:
		break;
	}
	return wf_case_is_stuck(session->instance) ? WF_OUTCOME_STUCK
						   : WF_OUTCOME_OPEN;
}

static enum wf_rc start(struct wf_session *session, struct wf_watcher *watcher,
    char id[WF_ITEM_ID_SIZE], struct wf_error *err)
{
	struct wf_buffer input;
	enum wf_rc rc;

	rc = wf_session_command(session, WF_COMMAND_START, id, NULL, 0, err);
	if (rc != WF_OK)
		return rc;
	snprintf(id, WF_ITEM_ID_SIZE, "%s", session->step.item);
	wf_buffer_init(&input, WF_VALUE_BYTES);
	rc = wf_case_item_input(session->instance, id, &input, err);
	if (rc == WF_OK)
		watcher->started(watcher, id, &input);
	wf_buffer_free(&input);
	return rc;
}

static enum wf_rc complete(struct wf_session *session,
    struct wf_watcher *watcher, const char *id, struct wf_error *err)
{
	struct wf_buffer output;
	enum wf_rc rc;

	wf_buffer_init(&output, WF_VALUE_BYTES);
	rc = wf_case_item_default_output(session->instance, id, &output, err);
	if (rc == WF_OK) {
		watcher->completing(watcher, id, &output);
		rc = wf_session_command(session, WF_COMMAND_COMPLETE, id,
		    wf_buffer_text(&output), output.length, err);
	}
	wf_buffer_free(&output);
	return rc;
}

static enum wf_rc work(const struct wf_drive *drive, struct wf_session *session,
    struct wf_watcher *watcher, const struct wf_item *item,
    struct wf_error *err)
{
	char id[WF_ITEM_ID_SIZE];
	bool executing = item->status == WF_ITEM_EXECUTING;
	enum wf_rc rc = WF_OK;

	wf_item_id(item, id);
	if (!executing)
		rc = start(session, watcher, id, err);
	if (rc == WF_OK && (executing || !drive->split))
		rc = complete(session, watcher, id, err);
	if (rc != WF_OK)
		wf_error_prefix(err, "work item %s", id);
	else
		watcher->done(watcher, session);
	return rc;
}

static enum wf_rc step(const struct wf_drive *drive, struct wf_session *session,
    struct wf_watcher *watcher, struct wf_random *random, uint32_t number,
    struct wf_error *err)
{
	struct wf_item *items;
	size_t count = wf_case_items(session->instance, &items);
	size_t pick = wf_random_below(random, (uint32_t)count);
	enum wf_rc rc;

	watcher->step(watcher, session, number, items, count, pick);
	rc = work(drive, session, watcher, &items[pick], err);
	wf_free(items);
	return rc;
}

enum wf_rc wf_drive_run(const struct wf_drive *drive,
    struct wf_session *session, struct wf_watcher *watcher,
    enum wf_outcome *outcome_out, struct wf_error *err)
{
	struct wf_random random = { drive->seed };
	enum wf_outcome outcome;
	uint32_t number = 0;

	watcher->done(watcher, session);
	while ((outcome = wf_outcome_of(session)) == WF_OUTCOME_OPEN) {
		enum wf_rc rc;

		if (number == drive->maximum) {
			outcome = WF_OUTCOME_STEP_LIMIT;
			break;
		}
		rc = step(drive, session, watcher, &random, number, err);
		if (rc != WF_OK)
			return rc;
		number++;
	}
	watcher->ended(watcher, session, outcome, number);
	*outcome_out = outcome;
	return WF_OK;
}
