/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves, from the records of the clients, that a store lost nothing and did
 * nothing twice.
 *
 *   each case       its history has no gap, and its state, its items and its
 *                   large values are what the history says; the variable that
 *                   counts has counted each command once
 *   each request    is in the history, with its number and key, once, when it
 *                   was acknowledged; not, when it was refused; else at most
 *                   once; and all answers to it agree
 *   people          each item is with a service, unoffered, offered to somebody
 *                   or with one person, the lists of the people agree, and the
 *                   history names whoever the clients say did it
 *   repeated        each acknowledged request gets the same answer again, and
 *                   another request with its key is refused
 *   due rows        are done, or are an incident, or their case has ended; a
 *                   start that was withdrawn is never done
 *   the store       is whole (runtime/integrity/integrity.h), before and after:
 *                   timers of a case are due, or an incident
 *   piles           each task is piled to whom the last answer says, and a new
 *                   item of it is started for that person
 *   the end         every case can be finished, and ends in a deadlock only
 *                   when its net does
 *   observers       have seen the beginning of the history, in order; each
 *                   announcement was delivered or can be fetched
 *   numbers         were reserved once
 */
#ifndef WF_TESTS_CRASH_CHECK_H
#define WF_TESTS_CRASH_CHECK_H

#include "tests/crash/facts.h"
#include "tests/crash/mix.h"
#include "tests/crash/people.h"

struct check {
	const char *url;
	struct facts facts;
	struct crash_mix mix;
	struct crash_people *people;
	struct wf_engine *engine;
	struct wf_store *store;
	struct wf_arena *arena; /* of a case, or a page of rows */
	int64_t now;
	unsigned cases;
	unsigned steps;
	unsigned withdrawn;
	unsigned acts; /* of people */
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

/* --- check_people.c --- */

/* Where all items are, and the lists of all people. */
void check_places(struct check *check);
/* Tasks are piled to whom the records say. */
void check_piles(struct check *check);
/* A new item of a task that is piled is started. */
void check_piled_item(struct check *check, uint64_t number);
/* The events of a step say what the request asked of people. */
void check_act(struct check *check, const struct crash_request *request,
    struct wf_bytes events);

/* --- check_streams.c --- */

/* What observers have seen of the history, and announcements. */
void check_history(struct check *check);
void check_messages(struct check *check);
void check_numbers(struct check *check);

#endif
