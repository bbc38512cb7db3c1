/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a repair or a migration would do to a case, in JSON.  The command is
 * tried on a copy of the case; what it does there is answered, or decides
 * whether the command is given.
 */
#ifndef WF_REST_CHANGE_REST_CHANGE_H
#define WF_REST_CHANGE_REST_CHANGE_H

#include "rest/rest.h"
#include "verify/verify.h"

/* The members that both requests have. */
struct wf_rest_change {
	struct wf_request request; /* kind, number, command */
	uint32_t steps;		   /* that the case has made; 0: any */
	bool dry_run;
	bool is_forced; /* also if the case could not complete afterwards */
};

/*
 * Reads the members "reason", "steps", "dry_run" and "force".  False: answered.
 */
bool wf_rest_read_change(
    struct wf_rest *rest, json_t *body, struct wf_rest_change *change);
/*
 * Tries the command, and answers with what it would do, or gives it to the
 * engine for the case as it was tried on.  Waits for the store.
 */
void wf_rest_change_case(struct wf_rest *rest, struct wf_rest_change *change);

#endif
