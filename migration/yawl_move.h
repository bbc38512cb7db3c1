/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves the whole state of a YAWL engine to a store.
 *
 *   specifications ─► clients ─► services ─► numbers of cases ─► running cases
 *
 * Each object is imported by itself or refused with a reason. Existing objects
 * are not changed, so the move can be repeated.
 */
#ifndef WF_MIGRATION_YAWL_MOVE_H
#define WF_MIGRATION_YAWL_MOVE_H

#include "persistence/store.h"

enum wf_yawl_moved {
	WF_YAWL_MOVED, /* or would be, in a dry run */
	WF_YAWL_WAS_THERE,
	WF_YAWL_NOT_MOVED,
	WF_YAWL_REMARK /* a difference in something that was moved */
};

struct wf_yawl_move {
	const char *engine; /* "http://localhost:8080/yawl" */
	const char *user;
	const char *password;
	const char *url; /* of the store */
	unsigned flags;	 /* WF_STORE_UNSAFE or 0 */
	bool dry_run;
	int64_t now;
	/* what: "specification"; text: the reason, or the remark; else "". */
	void (*report)(void *context, const char *what, const char *name,
	    enum wf_yawl_moved moved, const char *text);
	void (*progress)(
	    void *context, const char *what, uint64_t done, uint64_t total);
	void *context;
};

/* Fails only when nothing at all can be moved. */
enum wf_rc wf_yawl_move(
    const struct wf_yawl_move *move, struct wf_error *err) WF_MUSTCHECK;

#endif
