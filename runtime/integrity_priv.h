/* SPDX-License-Identifier: Apache-2.0 */
/* A check in progress; private to runtime/integrity*.c. */
#ifndef WF_RUNTIME_INTEGRITY_PRIV_H
#define WF_RUNTIME_INTEGRITY_PRIV_H

#include "runtime/integrity.h"
#include "runtime/specs.h"

/* So many texts of one case are told. */
#define WF_CASE_TEXTS 10U
/* So many large values of the case at hand are kept in memory. */
#define WF_KEPT_VALUES 16U

struct kept_value {
	uint32_t number;
	struct wf_value *value;
};

struct checker {
	struct wf_store *store;
	const struct wf_integrity_settings *settings;
	struct wf_integrity_counts *counts;
	struct specs *specs;
	struct wf_arena *arena; /* for all of the check */
	/* Keys and namespaces of specifications that are damaged. */
	struct wf_specification_row *damaged;
	size_t damaged_count;
	size_t damaged_capacity;

	/* Of the case at hand. */
	struct wf_arena *of_case;
	struct wf_arena *of_page;  /* of a list that is read in pages */
	struct wf_arena *of_value; /* that is fetched */
	struct wf_stored_case stored;
	struct kept_value values[WF_KEPT_VALUES];
	size_t value_count;
	size_t value_bytes;
	const char *texts[WF_CASE_TEXTS];
	size_t text_count; /* of those that are not kept, too */
	uint64_t steps;
};

/* --- integrity.c --- */

/* Notes what is wrong with the case at hand. */
void wf_note(struct checker *checker, const char *format, ...) WF_PRINTF(2, 3);
bool wf_is_damaged_spec(
    const struct checker *checker, uint32_t namespace_id, uint64_t key);
/* Whether it is about what is stored, not about the way to it. */
bool wf_is_damage(enum wf_rc rc);

/* --- integrity_case.c --- */

/*
 * Looks at one case, and fills checker->stored; ended: it was listed so.
 * WF_NOT_FOUND: it is gone; other failures are the store's.
 */
enum wf_rc wf_check_case(struct checker *checker, uint64_t number, bool ended,
    struct wf_error *err) WF_MUSTCHECK;

/* --- integrity_rows.c: what is listed for a case --- */

enum wf_rc wf_check_items(struct checker *checker,
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;
/* instance: NULL when there is none, as for number 0. */
enum wf_rc wf_check_due(struct checker *checker, uint64_t number,
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;

#endif
