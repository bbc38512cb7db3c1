/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of one case, held in memory: the same that a store keeps, the
 * events of each step with its time, and the large values that they name.  The
 * case can be rebuilt from the history, and compared with it.
 */
#ifndef WF_KERNEL_RECORD_H
#define WF_KERNEL_RECORD_H

#include "kernel/step.h"

struct wf_record_step {
	int64_t now;
	size_t end; /* of its events; they begin at the previous end */
};

struct wf_record {
	const struct wf_spec *spec;
	const struct wf_limits *limits;
	struct wf_record_step *steps;
	size_t step_count;
	size_t step_capacity;
	struct wf_buffer events;
	char **values; /* texts by number; NULL where there is none */
	size_t value_capacity;
	/* The case that wf_record_prove() has replayed up to now. */
	struct wf_case *replayed;
	size_t replayed_count;
};

/* spec and limits (NULL: the defaults) must outlive the record. */
void wf_record_init(struct wf_record *record, const struct wf_spec *spec,
    const struct wf_limits *limits);
void wf_record_free(struct wf_record *record);

/* Adds the step of a command that was accepted. */
void wf_record_add(
    struct wf_record *record, const struct wf_step *step, int64_t now);

/* Makes a case by replaying all events. */
enum wf_rc wf_record_rebuild(const struct wf_record *record,
    struct wf_case **case_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Checks that the case passes wf_case_check(), that the decoded case encodes to
 * the same bytes, and that a replay of its events does too (only events added
 * since the last call are replayed).  WF_BUG if not.  On success *decoded_out
 * is the decoded case, which the caller frees.
 */
enum wf_rc wf_record_prove(struct wf_record *record,
    const struct wf_case *instance, struct wf_case **decoded_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * The checksum at the end of an encoded case.  (A CRC over bytes that include
 * their own CRC is constant.)
 */
uint32_t wf_case_checksum(const struct wf_buffer *bytes);

#endif
