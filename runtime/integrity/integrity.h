/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of a whole store: whether all that is stored is consistent.
 *
 * Every case, live or ended, is rebuilt from the first step of its history,
 * and compared byte by byte with its stored state, and with the rows of its
 * work items, of what is due for it, and of the case itself.  Specifications
 * are read and compiled; what the database can check, it checks.
 *
 * Nothing is changed, unless damaged cases are to be quarantined.  A case that
 * an engine changes meanwhile is checked again.
 */
#ifndef WF_RUNTIME_INTEGRITY_INTEGRITY_H
#define WF_RUNTIME_INTEGRITY_INTEGRITY_H

#include "kernel/case.h"
#include "persistence/store.h"

enum wf_finding_kind {
	WF_FINDING_DAMAGE,
	WF_FINDING_QUARANTINED, /* a quarantined case; text: its incident's */
	WF_FINDING_QUARANTINE	/* a case that this check has quarantined */
};

struct wf_finding {
	enum wf_finding_kind kind;
	uint64_t number;	/* the case; 0: none */
	uint64_t specification; /* its key, when it is about one; else 0 */
	uint64_t incident;	/* of a quarantined case; else 0 */
	const char *text;
};

struct wf_integrity_settings {
	/* Quarantines damaged live cases, each with an incident. */
	bool set_aside;
	int64_t now;			/* the time of these incidents */
	const struct wf_limits *limits; /* NULL: the defaults */
	size_t spec_bytes; /* of compiled specifications, estimated */
	void (*report)(void *context, const struct wf_finding *finding);
	/* what: "cases" and the like; total 0: unknown.  May be NULL. */
	void (*progress)(
	    void *context, const char *what, uint64_t done, uint64_t total);
	void *context;
};

struct wf_integrity_counts {
	uint64_t live;
	uint64_t ended;
	uint64_t steps; /* that were replayed */
	uint64_t specifications;
	uint64_t damage;	/* findings */
	uint64_t damaged_cases; /* of those that were rebuilt */
	uint64_t damaged_specifications;
	uint64_t set_aside;  /* cases that were quarantined before */
	uint64_t quarantine; /* cases that this check has quarantined */
};

void wf_integrity_settings_init(struct wf_integrity_settings *settings);

/*
 * Checks the store, calling report for each finding.  WF_OK even if much is
 * damaged: counts_out->damage counts that.  Another result: the check could
 * not be completed.
 */
enum wf_rc wf_integrity_check(struct wf_store *store,
    const struct wf_integrity_settings *settings,
    struct wf_integrity_counts *counts_out, struct wf_error *err) WF_MUSTCHECK;

#endif
