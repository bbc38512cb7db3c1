/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a case without a person: a generator of pseudo-random numbers picks one
 * of the live items, which is started and completed with its default output.
 */
#ifndef WF_CLI_RUN_DRIVE_H
#define WF_CLI_RUN_DRIVE_H

#include "cli/scenario/session.h"

/* How a run ended. */
enum wf_outcome {
	WF_OUTCOME_COMPLETED,
	WF_OUTCOME_DEADLOCK,
	WF_OUTCOME_STUCK,
	WF_OUTCOME_STEP_LIMIT,
	WF_OUTCOME_CANCELLED,
	WF_OUTCOME_OPEN /* live items are left; only after a script */
};

/* Functions that are called for each event of a run; each gets watcher. */
struct wf_watcher {
	/* Before each step: the count items, and the picked one. */
	void (*step)(struct wf_watcher *watcher,
	    const struct wf_session *session, uint32_t number,
	    const struct wf_item *items, size_t count, size_t pick);
	/* The item was started, with this input. */
	void (*started)(struct wf_watcher *watcher, const char *item,
	    const struct wf_buffer *input);
	/* The item is about to complete, with this output. */
	void (*completing)(struct wf_watcher *watcher, const char *item,
	    const struct wf_buffer *output);
	/* After each step, and once after the launch. */
	void (*done)(
	    struct wf_watcher *watcher, const struct wf_session *session);
	void (*ended)(struct wf_watcher *watcher,
	    const struct wf_session *session, enum wf_outcome outcome,
	    uint32_t steps);
};

struct wf_drive {
	bool split; /* starting is a step, completing another */
	uint64_t seed;
	uint32_t maximum; /* maximum number of steps */
};

/* The state of a launched case. */
enum wf_outcome wf_outcome_of(const struct wf_session *session);
/* The exit code of weft run for the outcome. */
int wf_outcome_exit(enum wf_outcome outcome);

/*
 * Drives the launched case of session to its end.  A refused start or
 * completion ends the run with that error.
 */
enum wf_rc wf_drive_run(const struct wf_drive *drive,
    struct wf_session *session, struct wf_watcher *watcher,
    enum wf_outcome *outcome_out, struct wf_error *err) WF_MUSTCHECK;

#endif
