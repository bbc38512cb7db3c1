/* SPDX-License-Identifier: Apache-2.0 */
/* A check in progress; private to runtime/integrity/. */
#ifndef WF_RUNTIME_INTEGRITY_INTEGRITY_PRIV_H
#define WF_RUNTIME_INTEGRITY_INTEGRITY_PRIV_H

#include "runtime/integrity/integrity.h"
#include "runtime/specs.h"
#include "runtime/terms/terms.h"

/* Findings of one case that are reported in words; others are counted. */
#define WF_CASE_TEXTS 10U
/* Large values of the current case that are kept in memory. */
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
	struct wf_indexes *indexes;
	struct wf_terms *terms; /* of those that are ready */
	struct wf_arena *arena; /* for all of the check */
	/* Keys and namespaces of specifications that are damaged. */
	struct wf_specification_row *damaged;
	size_t damaged_count;
	size_t damaged_capacity;

	uint64_t done; /* cases, of total */
	uint64_t total;

	/* Of the current case. */
	const struct wf_case_export *exported;
	struct wf_arena *of_case;
	struct wf_arena *of_page;   /* of a list that is read in pages */
	struct wf_arena *of_value;  /* that is fetched */
	struct wf_arena *of_reread; /* of the case, when it is read again */
	struct kept_value values[WF_KEPT_VALUES];
	size_t value_count;
	size_t value_bytes;
	const char *texts[WF_CASE_TEXTS];
	size_t text_count; /* of those that are not kept, too */
	uint64_t steps;
};

/* --- integrity.c --- */

/* Forgets the findings of the case before. */
void wf_begin_case(struct checker *checker);
/* Adds a finding about the current case, a sentence. */
void wf_add_finding(struct checker *checker, const char *format, ...)
    WF_PRINTF(2, 3);
void wf_checker_report(
    struct checker *checker, const struct wf_finding *finding);
bool wf_is_damaged_spec(
    const struct checker *checker, uint32_t namespace_id, uint64_t key);
/* Whether the result is about what is stored, not about reaching it. */
bool wf_is_damage(enum wf_rc rc);

/* --- integrity_case.c --- */

/* Checks the current case; a failure is the store's. */
enum wf_rc wf_check_case(
    struct checker *checker, struct wf_error *err) WF_MUSTCHECK;

/* --- integrity_rows.c: what is listed for a case --- */

enum wf_rc wf_check_items(struct checker *checker,
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;
/* instance: NULL when it is due for no case. */
enum wf_rc wf_check_due(struct checker *checker, const struct wf_due_list *due,
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;

/* The variables by which the current case is found. */
enum wf_rc wf_check_terms(struct checker *checker,
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;

/* --- integrity_quarantine.c --- */

/* Reports why the current case is quarantined; *found_out: if it is known. */
enum wf_rc wf_report_quarantined(struct checker *checker, bool *found_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Quarantines it, if it is still live; the incident has the first finding. */
enum wf_rc wf_quarantine(
    struct checker *checker, struct wf_error *err) WF_MUSTCHECK;
/* An incident of no case, unless there is one with the same text. */
enum wf_rc wf_open_incident(struct checker *checker, uint32_t namespace_id,
    const char *text, struct wf_error *err) WF_MUSTCHECK;

#endif
