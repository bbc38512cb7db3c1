/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check changes in a store on request: damaged cases are quarantined,
 * each with an incident, and a damaged specification gets an incident.
 */
#include <string.h>

#include "base/panic.h"
#include "runtime/integrity/integrity_priv.h"

#define PAGE_ROWS 500U
/* Attempts to take a case that is in another batch. */
#define TAKE_TRIES 1000U

/* A quarantined case may have other incidents, from the time before. */
static bool is_of_damage(const struct wf_incident_row *row)
{
	return strcmp(row->code, wf_rc_name(WF_CORRUPT)) == 0 ||
	       strcmp(row->code, wf_rc_name(WF_BUG)) == 0 ||
	       strcmp(row->code, wf_rc_name(WF_NOT_FOUND)) == 0;
}

enum wf_rc wf_report_quarantined(
    struct checker *checker, bool *found_out, struct wf_error *err)
{
	struct wf_finding finding = { .kind = WF_FINDING_QUARANTINED,
		.number = checker->exported->stored.row.number };
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_ALL,
		.number = finding.number,
		.limit = PAGE_ROWS };
	struct wf_incident_list list;
	enum wf_rc rc;

	wf_arena_reset(checker->of_page);
	rc = wf_store_incidents(
	    checker->store, &filter, checker->of_page, &list, err);
	*found_out = false;
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		if (!is_of_damage(&list.rows[i]))
			continue;
		*found_out = true;
		finding.incident = list.rows[i].id;
		finding.text = list.rows[i].text;
		wf_checker_report(checker, &finding);
	}
	return rc;
}

static enum wf_rc make_incident(struct checker *checker, uint32_t namespace_id,
    uint64_t number, const char *text, struct wf_incident_write *write,
    struct wf_error *err)
{
	memset(write, 0, sizeof(*write));
	write->row.namespace_id = namespace_id;
	write->row.number = number;
	write->row.code = wf_rc_name(WF_CORRUPT);
	write->row.text = text;
	write->row.attempts = 1;
	write->row.first_at = checker->settings->now;
	write->row.last_at = checker->settings->now;
	return wf_store_reserve(
	    checker->store, WF_COUNTER_INCIDENT, 1, &write->row.id, err);
}

/* --- cases ---------------------------------------------------------------- */

/* Begins a batch with the case, as soon as no engine has it. */
static enum wf_rc take_case(
    struct checker *checker, struct wf_take *take, struct wf_error *err)
{
	struct wf_batch batch = { .takes = take, .take_count = 1 };
	enum wf_rc rc;

	for (unsigned i = 0; i < TAKE_TRIES; i++) {
		wf_arena_reset(checker->of_page);
		rc = wf_store_begin(
		    checker->store, &batch, checker->of_page, err);
		if (rc != WF_OK || take->state != WF_TAKE_SKIPPED)
			return rc;
		wf_store_abort(checker->store);
	}
	return wf_fail(err, WF_UNAVAILABLE,
	    "case %llu is in use all the time and cannot be quarantined",
	    (unsigned long long)take->number);
}

enum wf_rc wf_quarantine(struct checker *checker, struct wf_error *err)
{
	const struct wf_case_row *row = &checker->exported->stored.row;
	struct wf_take take = { .number = row->number, .known = row->version };
	struct wf_incident_write incident;
	struct wf_case_write write = { .change = WF_CASE_QUARANTINE };
	struct wf_writes writes = {
		.cases = &write, .incidents = &incident, .incident_count = 1
	};
	struct wf_finding finding = { .kind = WF_FINDING_QUARANTINE,
		.number = row->number,
		.text = checker->texts[0] };
	enum wf_rc rc;

	wf_assert(checker->settings->set_aside && checker->text_count > 0);
	rc = make_incident(checker, row->namespace_id, row->number,
	    finding.text, &incident, err);
	if (rc == WF_OK)
		rc = take_case(checker, &take, err);
	if (rc != WF_OK)
		return rc;
	if (take.state == WF_TAKE_MISSING) {
		wf_store_abort(checker->store);
		return WF_OK;
	}
	write.row = take.stored.row;
	write.expected = take.stored.row.version;
	/* A quarantined case only lacks its incident. */
	writes.case_count = take.state == WF_TAKE_TAKEN;
	rc = wf_store_commit(checker->store, &writes, NULL, err);
	if (rc != WF_OK)
		return rc;
	checker->counts->quarantine++;
	finding.incident = incident.row.id;
	wf_checker_report(checker, &finding);
	return WF_OK;
}

/* --- specifications ------------------------------------------------------- */

/* Whether there is one of no case in these words. */
static enum wf_rc find_incident(struct checker *checker, const char *text,
    bool *found_out, struct wf_error *err)
{
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_ALL,
		.code = wf_rc_name(WF_CORRUPT),
		.limit = PAGE_ROWS };
	struct wf_incident_list list;
	enum wf_rc rc;

	do {
		wf_arena_reset(checker->of_page);
		rc = wf_store_incidents(
		    checker->store, &filter, checker->of_page, &list, err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			*found_out |= list.rows[i].number == 0 &&
				      strcmp(list.rows[i].text, text) == 0;
			filter.after = list.rows[i].id;
		}
	} while (rc == WF_OK && list.count == PAGE_ROWS);
	return rc;
}

enum wf_rc wf_open_incident(struct checker *checker, uint32_t namespace_id,
    const char *text, struct wf_error *err)
{
	struct wf_batch batch = { 0 };
	struct wf_incident_write incident;
	struct wf_writes writes = { .incidents = &incident,
		.incident_count = 1 };
	bool found = false;
	enum wf_rc rc = find_incident(checker, text, &found, err);

	if (rc != WF_OK || found)
		return rc;
	rc = make_incident(checker, namespace_id, 0, text, &incident, err);
	if (rc == WF_OK)
		rc = wf_store_begin(
		    checker->store, &batch, checker->of_page, err);
	if (rc == WF_OK)
		rc = wf_store_commit(checker->store, &writes, NULL, err);
	return rc;
}
