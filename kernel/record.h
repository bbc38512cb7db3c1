/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of one case, held in memory.
 *
 * What a store keeps of a case: the events of each step with its time, and
 * the large values that they refer to.  From it the case can be rebuilt, and
 * proved to be what it should be.
 */
#ifndef WF_KERNEL_RECORD_H
#define WF_KERNEL_RECORD_H

#include "kernel/step.h"

struct wf_record_step {
	int64_t now;
	size_t end; /* of its events; they begin where the last step's end */
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
	/* What wf_record_prove() has replayed so far. */
	struct wf_case *replayed;
	size_t replayed_count;
};

/* spec and limits (NULL: the defaults) must outlive the record. */
void wf_record_init(struct wf_record *record, const struct wf_spec *spec,
    const struct wf_limits *limits);
void wf_record_free(struct wf_record *record);

/* Adds what an accepted command did. */
void wf_record_add(
    struct wf_record *record, const struct wf_step *step, int64_t now);

/* A case made by replaying all events. */
enum wf_rc wf_record_rebuild(const struct wf_record *record,
    struct wf_case **case_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Proves that the case passes wf_case_check(), that decoding its bytes gives
 * the same bytes again, and that replaying its events does (those added since
 * the last proof, upon what that had replayed).  WF_BUG if not.  On success
 * *decoded_out is the decoded case, to go on with.
 */
enum wf_rc wf_record_prove(struct wf_record *record,
    const struct wf_case *instance, struct wf_case **decoded_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * A checksum of an encoded case: the one that its bytes end with, because a
 * checksum of everything, that one included, would always be the same.
 */
uint32_t wf_case_checksum(const struct wf_buffer *bytes);

#endif
