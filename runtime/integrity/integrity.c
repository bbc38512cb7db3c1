/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a whole store: what is checked, and in which order. */
#include "runtime/integrity/integrity.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "runtime/integrity/integrity_priv.h"
#include "runtime/request.h"

#define PAGE_ROWS 500U
/* Cases that are read at once. */
#define CASES_AT_ONCE 64U
/* Checks of one case that engines keep changing meanwhile. */
#define INSPECTIONS_MAXIMUM 100U

void wf_integrity_settings_init(struct wf_integrity_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->spec_bytes = (size_t)64 << 20;
}

bool wf_is_damage(enum wf_rc rc)
{
	return rc != WF_OK && rc != WF_IO && rc != WF_UNAVAILABLE &&
	       rc != WF_LOST;
}

/* --- reporting ------------------------------------------------------------ */

void wf_begin_case(struct checker *checker)
{
	wf_arena_reset(checker->of_case);
	checker->text_count = 0;
	checker->steps = 0;
}

void wf_add_finding(struct checker *checker, const char *format, ...)
{
	char text[768];
	va_list arguments;

	va_start(arguments, format);
	wf_write_sentence(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (checker->text_count < WF_CASE_TEXTS)
		checker->texts[checker->text_count] =
		    wf_arena_strdup(checker->of_case, text);
	checker->text_count++;
}

void wf_checker_report(
    struct checker *checker, const struct wf_finding *finding)
{
	checker->counts->damage += finding->kind == WF_FINDING_DAMAGE;
	checker->settings->report(checker->settings->context, finding);
}

static void report_damage(struct checker *checker, uint64_t number,
    uint64_t specification, const char *text)
{
	struct wf_finding finding = { .kind = WF_FINDING_DAMAGE,
		.number = number,
		.specification = specification,
		.text = text };

	wf_checker_report(checker, &finding);
}

/* The findings about a case, up to a bound. */
static void report_findings(struct checker *checker, uint64_t number)
{
	char more[64];

	for (size_t i = 0; i < checker->text_count && i < WF_CASE_TEXTS; i++)
		report_damage(checker, number, 0, checker->texts[i]);
	if (checker->text_count <= WF_CASE_TEXTS)
		return;
	snprintf(more, sizeof(more), "and %zu more of the kind",
	    checker->text_count - WF_CASE_TEXTS);
	report_damage(checker, number, 0, more);
}

static void progress(const struct checker *checker, const char *what,
    uint64_t done, uint64_t total)
{
	if (checker->settings->progress != NULL)
		checker->settings->progress(
		    checker->settings->context, what, done, total);
}

/* --- the database --------------------------------------------------------- */

static void note_row(void *context, uint64_t number, const char *what)
{
	report_damage(context, number, 0, what);
}

static enum wf_rc check_database(struct checker *checker, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	enum wf_rc rc;

	progress(checker, "the database", 0, 0);
	rc = wf_store_verify(checker->store, note_row, checker, &own);
	if (rc != WF_CORRUPT) {
		if (rc != WF_OK)
			*err = own;
		return rc;
	}
	report_damage(checker, 0, 0, own.message);
	return WF_OK;
}

/* --- specifications ------------------------------------------------------- */

bool wf_is_damaged_spec(
    const struct checker *checker, uint32_t namespace_id, uint64_t key)
{
	for (size_t i = 0; i < checker->damaged_count; i++)
		if (checker->damaged[i].key == key &&
		    checker->damaged[i].namespace_id == namespace_id)
			return true;
	return false;
}

static bool is_text(const char *stored, const char *text)
{
	return strcmp(stored, text == NULL ? "" : text) == 0;
}

/* Whether the columns agree with the specification. */
static bool is_listed_well(
    const struct wf_specification_row *row, const struct wf_spec *spec)
{
	const char *identifier = spec->metadata.identifier;

	return is_text(row->uri, spec->uri) &&
	       is_text(row->version, spec->metadata.version) &&
	       is_text(row->title, spec->metadata.title) &&
	       is_text(row->identifier,
		   identifier == NULL ? spec->uri : identifier);
}

static enum wf_rc damaged_spec(struct checker *checker,
    const struct wf_specification_row *row, const char *what,
    struct wf_error *err)
{
	struct wf_error text = { .rc = WF_OK };

	checker->counts->damaged_specifications++;
	report_damage(checker, 0, row->key, what);
	if (!checker->settings->set_aside)
		return WF_OK;
	wf_fail(&text, WF_CORRUPT, "specification %016llx (%.200s): %s",
	    (unsigned long long)row->key, row->uri, what);
	return wf_open_incident(checker, row->namespace_id, text.message, err);
}

static enum wf_rc check_spec(struct checker *checker,
    const struct wf_specification_row *row, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	struct kept_spec *spec = NULL;
	enum wf_rc rc = wf_specs_use(checker->specs, checker->store,
	    row->namespace_id, row->key, &spec, &own);

	checker->counts->specifications++;
	if (rc == WF_OK && !is_listed_well(row, spec->spec))
		rc = damaged_spec(
		    checker, row, "it is not listed as what it is", err);
	else if (wf_is_damage(rc)) {
		checker->damaged = wf_arena_grow(checker->arena,
		    checker->damaged, checker->damaged_count,
		    &checker->damaged_capacity, sizeof(*checker->damaged));
		checker->damaged[checker->damaged_count].key = row->key;
		checker->damaged[checker->damaged_count].namespace_id =
		    row->namespace_id;
		checker->damaged_count++;
		rc = damaged_spec(checker, row, own.message, err);
	} else if (rc != WF_OK) {
		*err = own;
	}
	wf_specs_drop(checker->specs, &spec);
	return rc;
}

/* removed: those that no case can be launched of, else the others. */
static enum wf_rc check_specs(
    struct checker *checker, bool removed, struct wf_error *err)
{
	struct wf_specification_filter filter = { .removed = removed };
	struct wf_arena *arena = wf_arena_new();
	struct wf_specification_list list;
	enum wf_rc rc =
	    wf_store_specifications(checker->store, &filter, arena, &list, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		progress(checker, "specifications", i, list.count);
		if (list.rows[i].removed == removed)
			rc = check_spec(checker, &list.rows[i], err);
	}
	wf_arena_free(&arena);
	return rc;
}

/* --- cases ---------------------------------------------------------------- */

/* Counts and reports a case that was checked. */
static enum wf_rc settle(struct checker *checker, struct wf_error *err)
{
	const struct wf_stored_case *stored = &checker->exported->stored;
	bool known = false;
	enum wf_rc rc = WF_OK;

	wf_assert(checker->exported != NULL);
	checker->counts->live += !stored->ended;
	checker->counts->ended += stored->ended;
	checker->counts->steps += checker->steps;
	if (stored->row.set_aside) {
		checker->counts->set_aside++;
		rc = wf_report_quarantined(checker, &known, err);
		if (rc == WF_OK && !known)
			wf_add_finding(checker,
			    "it is quarantined, but no incident says why");
	}
	if (rc != WF_OK || checker->text_count == 0)
		return rc;
	checker->counts->damaged_cases++;
	report_findings(checker, stored->row.number);
	if (checker->settings->set_aside && !stored->ended && !known)
		rc = wf_quarantine(checker, err);
	return rc;
}

/*
 * Reads a case anew: whether an engine has worked on it since it was read.
 * checker->exported is then what was read; NULL: the case is gone.
 */
static bool has_changed(struct checker *checker)
{
	const struct wf_stored_case before = checker->exported->stored;
	struct wf_case_export_list list;
	const struct wf_stored_case *now;

	wf_arena_reset(checker->of_reread);
	/* What cannot be read has not been worked on. */
	if (wf_store_case_exports(checker->store, before.row.number - 1, 1,
		checker->of_reread, &list, NULL) != WF_OK)
		return false;
	checker->exported = NULL;
	if (list.count == 0 ||
	    list.rows[0].stored.row.number != before.row.number)
		return true;
	checker->exported = &list.rows[0];
	now = &list.rows[0].stored;
	return now->ended != before.ended ||
	       now->row.version != before.row.version;
}

static enum wf_rc check_case(struct checker *checker,
    const struct wf_case_export *exported, struct wf_error *err)
{
	unsigned inspections = 0;
	enum wf_rc rc;

	checker->exported = exported;
	do {
		rc = wf_check_case(checker, err);
		if (rc != WF_OK)
			return rc;
		/* A case that engines keep changing is not damaged. */
		if (++inspections == INSPECTIONS_MAXIMUM)
			checker->text_count = 0;
	} while (checker->text_count > 0 && has_changed(checker) &&
		 checker->exported != NULL);
	return checker->exported == NULL ? WF_OK : settle(checker, err);
}

/* The next case cannot be read, but perhaps its row can. */
static enum wf_rc lose_case(struct checker *checker, uint64_t after,
    const struct wf_error *why, uint64_t *number_out, struct wf_error *err)
{
	struct wf_case_filter filter = { .after = after, .limit = 1 };
	struct wf_case_export exported = { 0 };
	struct wf_case_list list;
	enum wf_rc rc;

	wf_arena_reset(checker->of_reread);
	rc = wf_store_cases(
	    checker->store, &filter, checker->of_reread, &list, err);
	if (rc != WF_OK || list.count == 0)
		return rc;
	exported.stored = list.rows[0];
	*number_out = list.rows[0].row.number;
	checker->exported = &exported;
	wf_begin_case(checker);
	wf_add_finding(checker, "it cannot be read: %s", why->message);
	return settle(checker, err);
}

/* Some cases; *after moves behind them, and does not when there are none. */
static enum wf_rc check_page(struct checker *checker, struct wf_arena *arena,
    uint64_t *after, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	struct wf_case_export_list list;
	enum wf_rc rc;

	wf_arena_reset(arena);
	rc = wf_store_case_exports(
	    checker->store, *after, CASES_AT_ONCE, arena, &list, &own);
	if (wf_is_damage(rc)) {
		/* One of them is damaged, the others need not be. */
		wf_error_clear(&own);
		wf_arena_reset(arena);
		rc = wf_store_case_exports(
		    checker->store, *after, 1, arena, &list, &own);
	}
	if (wf_is_damage(rc))
		return lose_case(checker, *after, &own, after, err);
	if (rc != WF_OK)
		*err = own;
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		rc = check_case(checker, &list.rows[i], err);
		*after = list.rows[i].stored.row.number;
		progress(checker, "cases", ++checker->done, checker->total);
	}
	return rc;
}

static enum wf_rc check_cases(struct checker *checker, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_store_facts facts;
	uint64_t before;
	uint64_t after = 0;
	enum wf_rc rc = wf_store_facts(checker->store, &facts, err);

	checker->total = facts.live + facts.ended;
	do {
		before = after;
		if (rc == WF_OK)
			rc = check_page(checker, arena, &after, err);
	} while (rc == WF_OK && after > before);
	wf_arena_free(&arena);
	/* It would go on for ever. */
	if (rc == WF_OK && after < before)
		rc = wf_fail(err, WF_CORRUPT,
		    "case %llu comes behind case %llu: their table is damaged",
		    (unsigned long long)after, (unsigned long long)before);
	return rc;
}

/* --- due rows of no case, and incidents ----------------------------------- */

static enum wf_rc check_due(struct checker *checker, struct wf_error *err)
{
	struct wf_due_list due;
	enum wf_rc rc;

	wf_begin_case(checker);
	rc = wf_store_due_of(
	    checker->store, 0, "", SIZE_MAX, checker->of_case, &due, err);
	if (rc == WF_OK)
		rc = wf_check_due(checker, &due, NULL, err);
	if (rc == WF_OK)
		report_findings(checker, 0);
	return rc;
}

static void check_incident(
    struct checker *checker, const struct wf_incident_row *row)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_bytes body;
	struct wf_due_attempts earlier;
	char text[768];

	if (row->payload.data == NULL ||
	    wf_due_command_decode(row->payload, &earlier, &body, &err) == WF_OK)
		return;
	snprintf(text, sizeof(text), "the command of incident %llu: %s",
	    (unsigned long long)row->id, err.message);
	report_damage(checker, row->number, 0, text);
}

static enum wf_rc check_incidents(struct checker *checker, struct wf_error *err)
{
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_ALL,
		.limit = PAGE_ROWS };
	struct wf_incident_list list;
	enum wf_rc rc;

	do {
		wf_arena_reset(checker->of_page);
		rc = wf_store_incidents(
		    checker->store, &filter, checker->of_page, &list, err);
		if (rc != WF_OK)
			return rc;
		for (size_t i = 0; i < list.count; i++) {
			filter.after = list.rows[i].id;
			check_incident(checker, &list.rows[i]);
		}
	} while (list.count == PAGE_ROWS);
	return WF_OK;
}

/* --- all of it ------------------------------------------------------------ */

/* A list that is damaged ends its part of the check, not all of it. */
static enum wf_rc go_on(struct checker *checker, enum wf_rc rc,
    const char *part, struct wf_error *err)
{
	char text[768];

	if (!wf_is_damage(rc))
		return rc;
	snprintf(text, sizeof(text), "%s cannot be read to the end: %s", part,
	    err->message);
	wf_error_clear(err);
	report_damage(checker, 0, 0, text);
	return WF_OK;
}

static enum wf_rc check_all(struct checker *checker, struct wf_error *err)
{
	enum wf_rc rc = check_database(checker, err);

	if (rc == WF_OK)
		rc = go_on(checker, check_specs(checker, false, err),
		    "the list of specifications", err);
	if (rc == WF_OK)
		rc = go_on(checker, check_specs(checker, true, err),
		    "the list of removed specifications", err);
	if (rc == WF_OK)
		rc = go_on(checker, check_cases(checker, err),
		    "the list of cases", err);
	if (rc == WF_OK)
		rc = go_on(checker, check_due(checker, err),
		    "the list of what is due", err);
	if (rc == WF_OK)
		rc = go_on(checker, check_incidents(checker, err),
		    "the list of incidents", err);
	return rc;
}

enum wf_rc wf_integrity_check(struct wf_store *store,
    const struct wf_integrity_settings *settings,
    struct wf_integrity_counts *counts_out, struct wf_error *err)
{
	struct checker checker = { .store = store,
		.settings = settings,
		.counts = counts_out,
		.specs = wf_specs_new(settings->spec_bytes),
		.indexes = wf_indexes_new(),
		.arena = wf_arena_new(),
		.of_case = wf_arena_new(),
		.of_page = wf_arena_new(),
		.of_reread = wf_arena_new(),
		.of_value = wf_arena_new() };
	struct wf_error own = { .rc = WF_OK };
	enum wf_rc rc;

	memset(counts_out, 0, sizeof(*counts_out));
	checker.terms = wf_terms_new(checker.indexes, true);
	rc = wf_indexes_refresh(checker.indexes, store, &own);
	wf_terms_refresh(checker.terms);
	if (rc == WF_OK)
		rc = check_all(&checker, &own);
	if (rc != WF_OK && err != NULL && err->rc == WF_OK)
		*err = own;
	wf_terms_free(&checker.terms);
	wf_indexes_free(&checker.indexes);
	wf_specs_free(&checker.specs);
	wf_arena_free(&checker.arena);
	wf_arena_free(&checker.of_case);
	wf_arena_free(&checker.of_page);
	wf_arena_free(&checker.of_reread);
	wf_arena_free(&checker.of_value);
	return rc;
}
