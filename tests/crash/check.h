/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves, from the records of the clients, that a store lost nothing and did
 * nothing twice.
 *
 *   each case       its history has no gap, and its state, its items and its
 *                   large values are what the history says; the variable that
 *                   counts has counted each command once
 *   each request    that was acknowledged is in the history, with that number
 *                   and key, once; a refused one is not; any other at most
 *                   once; and the answers to it agree
 *   asked again     each acknowledged request is answered as before, and
 *                   another with its key is refused
 *   what is due     happens, or is an incident, or its case has ended; or it
 *                   is a start that was withdrawn, which never happens
 *   the store       is whole (runtime/integrity.h), before and after: what
 *                   runs in a case is due, or an incident
 *   the end         every case can be finished, and ends in a deadlock only
 *                   when its net does
 *   what was seen   of the history is its beginning, in that order; each
 *                   announcement has arrived or can be fetched
 *   numbers         were given out once
 */
#ifndef WF_TESTS_CRASH_CHECK_H
#define WF_TESTS_CRASH_CHECK_H

#include "tests/crash/facts.h"
#include "tests/crash/mix.h"

struct check {
	const char *url;
	struct facts facts;
	struct crash_mix mix;
	struct wf_engine *engine;
	struct wf_store *store;
	struct wf_arena *arena; /* of a case, or a page of rows */
	int64_t now;
	unsigned cases;
	unsigned steps;
	unsigned withdrawn;
	unsigned complaints;
	unsigned reads; /* of the clock */
};

/*
 * Makes all checks, and finishes all cases; returns the number of complaints.
 * Prints each complaint; the last line says how much was checked.
 */
unsigned crash_check(const char *url, const char *folder, const char *mix);

/* Adds a complaint. */
void check_complain(struct check *check, const char *format, ...)
    WF_PRINTF(2, 3);
/* Ends the program, with a complaint, when the store cannot be read. */
void check_need(enum wf_rc rc, const struct wf_error *err);

/* --- check_cases.c --- */

/* All cases, and what the store knows of each request. */
void check_cases(struct check *check);

/* --- check_streams.c --- */

/* What observers have seen of the history, and announcements. */
void check_history(struct check *check);
void check_messages(struct check *check);
void check_numbers(struct check *check);

#endif
