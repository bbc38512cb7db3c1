/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of one case.  It is rebuilt from its history, and loaded as an
 * engine loads it; both are compared with each other and with its rows.
 */
#include <string.h>

#include "base/panic.h"
#include "runtime/cache.h"
#include "runtime/change/row_specs.h"
#include "runtime/checksum.h"
#include "runtime/integrity/integrity_priv.h"
#include "runtime/value_source.h"

#define PAGE_ROWS 512U
#define STATE_MAXIMUM_BYTES ((size_t)1 << 30)
#define KEPT_VALUES_BYTES ((size_t)64 << 20)

/* --- large values --------------------------------------------------------- */

static void drop_values(struct checker *checker)
{
	while (checker->value_count > 0)
		wf_value_unref(&checker->values[--checker->value_count].value);
	checker->value_bytes = 0;
}

static void keep_value(
    struct checker *checker, uint32_t number, struct wf_value *value)
{
	if (checker->value_count == WF_KEPT_VALUES ||
	    checker->value_bytes + value->length > KEPT_VALUES_BYTES)
		drop_values(checker);
	wf_assert(checker->value_count < WF_KEPT_VALUES);
	checker->values[checker->value_count++] =
	    (struct kept_value){ number, wf_value_ref(value) };
	checker->value_bytes += value->length;
}

/* A history refers to the same value repeatedly, so some are kept. */
static enum wf_rc fetch(void *context, uint32_t number,
    struct wf_value **value_out, struct wf_error *err)
{
	struct checker *checker = context;
	struct wf_value_place place = { checker->store, checker->of_value,
		checker->exported->stored.row.number };
	struct wf_value_source source = wf_value_source(&place);
	enum wf_rc rc;

	for (size_t i = 0; i < checker->value_count; i++)
		if (checker->values[i].number == number) {
			*value_out = wf_value_ref(checker->values[i].value);
			return WF_OK;
		}
	rc = source.fetch(source.context, number, value_out, err);
	if (rc == WF_OK)
		keep_value(checker, number, *value_out);
	wf_arena_reset(checker->of_value);
	return rc;
}

static const char other_state[] =
    "its stored state is not what its history leads to";

/* --- rebuilding ----------------------------------------------------------- */

/* A case on its way from its first step to its last. */
struct rebuilding {
	struct checker *checker;
	const struct wf_case_row *listed;
	struct row_specs specs; /* of its steps */
	struct wf_case *instance;
	uint64_t sequence; /* of the last step */
	uint64_t position;
	int64_t at;
};

/* Whether two cases encode to the same bytes. */
static void compare_cases(struct checker *checker, const struct wf_case *one,
    const struct wf_case *other, const char *what)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer a;
	struct wf_buffer b;

	wf_buffer_init(&a, STATE_MAXIMUM_BYTES);
	wf_buffer_init(&b, STATE_MAXIMUM_BYTES);
	if (wf_case_encode(one, &a, &err) != WF_OK ||
	    wf_case_encode(other, &b, &err) != WF_OK)
		wf_add_finding(checker, "%s", err.message);
	else if (a.length != b.length || memcmp(a.data, b.data, a.length) != 0)
		wf_add_finding(checker, "%s", what);
	wf_buffer_free(&a);
	wf_buffer_free(&b);
}

/*
 * The stored state and the case at the same step.  Their bytes may differ if
 * they were stored by an earlier Weft; what they stand for may not.
 */
static void compare_snapshot(struct checker *checker,
    const struct wf_case *rebuilt, struct wf_bytes snapshot)
{
	struct wf_value_source source = { checker, fetch };
	struct wf_case *stored = NULL;

	/* load() reports a state that cannot be decoded. */
	if (wf_case_decode(&stored, wf_case_spec(rebuilt),
		checker->settings->limits, snapshot.data, snapshot.size,
		&source, NULL) == WF_OK)
		compare_cases(checker, rebuilt, stored, other_state);
	wf_case_free(&stored);
}

static void check_launch(
    const struct rebuilding *r, const struct wf_history_row *row)
{
	if (r->listed->launched_at != row->at)
		wf_add_finding(r->checker,
		    "it is listed as launched at %lld, but its history begins "
		    "at %lld",
		    (long long)r->listed->launched_at, (long long)row->at);
	if (strcmp(r->listed->owner, row->actor) != 0)
		wf_add_finding(r->checker,
		    "it is listed as owned by '%.100s', but '%.100s' launched "
		    "it",
		    r->listed->owner, row->actor);
}

/* Whether the row can be the next step. */
static bool check_place(
    const struct rebuilding *r, const struct wf_history_row *row)
{
	unsigned long long sequence = row->sequence;

	if (sequence > r->listed->version) {
		wf_add_finding(r->checker,
		    "its history has a step %llu, but it is listed with %llu",
		    sequence, (unsigned long long)r->listed->version);
		return false;
	}
	if (sequence != r->sequence + 1) {
		wf_add_finding(r->checker,
		    "its history has no step %llu: step %llu comes next",
		    (unsigned long long)r->sequence + 1, sequence);
		return false;
	}
	if (row->format != 1) {
		wf_add_finding(r->checker,
		    "step %llu of its history has the format %u, expected 1",
		    sequence, row->format);
		return false;
	}
	if (row->position < r->position)
		wf_add_finding(r->checker,
		    "step %llu of its history stands before step %llu in the "
		    "stream of all",
		    sequence, sequence - 1);
	if (sequence == 1)
		check_launch(r, row);
	return true;
}

static enum wf_rc replay(struct rebuilding *r, const struct wf_history_row *row,
    struct wf_error *err)
{
	struct wf_value_source source = { r->checker, fetch };
	const struct wf_spec *spec;
	struct wf_bytes events;
	enum wf_rc rc = wf_checksum_check_history(row, &events, err);

	if (rc == WF_OK)
		rc = wf_row_spec(&r->specs, row->specification, &spec, err);
	if (rc != WF_OK)
		return rc;
	rc = wf_case_replay(&r->instance, spec, r->checker->settings->limits,
	    row->at, events.data, events.size, &source, err);
	if (rc == WF_OK && r->instance == NULL)
		rc = wf_fail(err, WF_CORRUPT, "there is no launch");
	if (rc != WF_OK)
		wf_error_prefix(err, "step %llu of its history",
		    (unsigned long long)row->sequence);
	return rc;
}

/* One step; false: the case cannot be rebuilt, or the store failed (err). */
static bool take_step(struct rebuilding *r, const struct wf_history_row *row,
    struct wf_error *err)
{
	struct checker *checker = r->checker;
	struct wf_error own = { .rc = WF_OK };

	if (!check_place(r, row))
		return false;
	if (replay(r, row, &own) != WF_OK) {
		if (wf_is_damage(own.rc))
			wf_add_finding(checker, "%s", own.message);
		else
			*err = own;
		return false;
	}
	r->sequence = row->sequence;
	r->position = row->position;
	r->at = row->at;
	checker->steps++;
	/* The state of the last step is compared as it is loaded. */
	if (row->sequence == r->listed->snapshot_version &&
	    row->sequence < r->listed->version &&
	    checker->exported->stored.snapshot.data != NULL)
		compare_snapshot(
		    checker, r->instance, checker->exported->stored.snapshot);
	return true;
}

/* r->instance: the case, or NULL where it cannot be rebuilt. */
static enum wf_rc rebuild(struct rebuilding *r, struct wf_error *err)
{
	struct checker *checker = r->checker;
	struct wf_history_list list = checker->exported->history;
	bool good = true;
	bool more;

	do {
		enum wf_rc rc;

		for (size_t i = 0; good && i < list.count; i++)
			good = take_step(r, &list.rows[i], err);
		/* The first page holds all of nearly every case. */
		more = good && list.count > 0 &&
		       (r->sequence < r->listed->version ||
			   list.count >= WF_CASE_EXPORT_ROWS);
		if (!more)
			break;
		wf_arena_reset(checker->of_page);
		rc = wf_store_case_history(checker->store, r->listed->number,
		    r->sequence, PAGE_ROWS, checker->of_page, &list, err);
		if (rc != WF_OK)
			return rc;
	} while (more);
	if (good && r->sequence != r->listed->version)
		wf_add_finding(checker,
		    "its history ends with step %llu, but it is listed with "
		    "%llu",
		    (unsigned long long)r->sequence,
		    (unsigned long long)r->listed->version);
	if (!good || r->sequence != r->listed->version)
		wf_case_free(&r->instance);
	return err->rc;
}

/* --- comparing ------------------------------------------------------------ */

static void check_row(struct checker *checker, const struct wf_case *instance)
{
	const struct wf_case_row *listed = &checker->exported->stored.row;
	enum wf_case_status status = wf_case_status(instance);
	struct wf_error err = { .rc = WF_OK };

	if (listed->status != (uint32_t)status)
		wf_add_finding(checker,
		    "it is listed with status %u, expected %u", listed->status,
		    (unsigned)status);
	/* A deadlocked case is either, as the setting said then. */
	if (status != WF_CASE_DEADLOCKED &&
	    checker->exported->stored.ended != (status > WF_CASE_SUSPENDED))
		wf_add_finding(checker,
		    "it is listed as %s, but it has%s ended",
		    checker->exported->stored.ended ? "ended" : "running",
		    checker->exported->stored.ended ? " not" : "");
	if (strcmp(listed->name, wf_case_id(instance)) != 0)
		wf_add_finding(checker,
		    "it is listed as '%s', but its name is '%s'", listed->name,
		    wf_case_id(instance));
	if (wf_case_check(instance, &err) != WF_OK)
		wf_add_finding(checker, "%s", err.message);
}

/* Loads the case as an engine does. */
static enum wf_rc load(
    struct checker *checker, struct cached *cached, struct wf_error *err)
{
	const struct wf_stored_case *stored = &checker->exported->stored;
	struct wf_error own = { .rc = WF_OK };
	enum wf_rc rc = WF_CORRUPT;

	if (stored->row.snapshot_version > 0 && stored->snapshot.data == NULL)
		rc = wf_fail(&own, WF_CORRUPT, "there is none");
	else
		rc = wf_cached_load(cached, checker->specs,
		    checker->settings->limits, stored, checker->store,
		    checker->store, checker->of_value, &own);
	wf_arena_reset(checker->of_value);
	if (rc == WF_OK)
		return WF_OK;
	wf_case_free(&cached->instance);
	if (wf_is_damage(rc)) {
		wf_add_finding(checker, "its stored state: %s", own.message);
		return WF_OK;
	}
	*err = own;
	return rc;
}

/* A live case, as far as it can be loaded. */
static enum wf_rc check_live(struct checker *checker, struct cached *cached,
    const struct rebuilding *r, struct wf_error *err)
{
	const struct wf_case *instance;
	enum wf_rc rc = load(checker, cached, err);

	if (rc != WF_OK)
		return rc;
	if (r->instance != NULL && cached->instance != NULL &&
	    checker->text_count == 0)
		compare_cases(checker, r->instance, cached->instance,
		    r->listed->snapshot_version == r->listed->version
			? other_state
			: "its stored state and the steps after it do not lead "
			  "to what all its steps lead to");
	instance = r->instance != NULL ? r->instance : cached->instance;
	if (instance == NULL)
		return WF_OK;
	check_row(checker, instance);
	rc = wf_check_items(checker, instance, err);
	if (rc == WF_OK)
		rc = wf_check_due(
		    checker, &checker->exported->due, instance, err);
	return rc;
}

/* --- one case ------------------------------------------------------------- */

struct inspection {
	struct checker *checker;
	struct wf_error *err;
	enum wf_rc rc;
};

static void inspect(void *argument)
{
	struct inspection *inspection = argument;
	struct checker *checker = inspection->checker;
	const struct wf_stored_case *stored = &checker->exported->stored;
	struct rebuilding r = { .checker = checker,
		.listed = &stored->row,
		.specs = { .specs = checker->specs,
		    .store = checker->store,
		    .namespace_id = stored->row.namespace_id } };
	struct cache none = { .specs = checker->specs };
	struct cached *cached = wf_cached_new(stored->row.number);

	inspection->rc = rebuild(&r, inspection->err);
	if (inspection->rc == WF_OK && r.instance != NULL &&
	    r.at != stored->row.changed_at)
		wf_add_finding(checker,
		    "it is listed as changed at %lld, but its last step was at "
		    "%lld",
		    (long long)stored->row.changed_at, (long long)r.at);
	if (inspection->rc == WF_OK && !stored->ended)
		inspection->rc =
		    check_live(checker, cached, &r, inspection->err);
	else if (inspection->rc == WF_OK && r.instance != NULL)
		check_row(checker, r.instance);
	if (inspection->rc == WF_OK && r.instance != NULL)
		inspection->rc =
		    wf_check_terms(checker, r.instance, inspection->err);
	wf_case_free(&r.instance);
	wf_row_specs_free(&r.specs);
	wf_cached_free(&none, &cached);
}

static enum wf_rc inspect_with_spec(
    struct checker *checker, struct wf_error *err)
{
	const struct wf_case_row *row = &checker->exported->stored.row;
	struct inspection inspection = { .checker = checker, .err = err };
	struct wf_error own = { .rc = WF_OK };
	struct kept_spec *spec = NULL;
	struct wf_guard guard;
	enum wf_rc rc = wf_specs_use(checker->specs, checker->store,
	    row->namespace_id, row->specification, &spec, &own);

	if (rc != WF_OK && !wf_is_damage(rc)) {
		*err = own;
		return rc;
	}
	if (rc != WF_OK) {
		wf_add_finding(checker, "its specification: %s", own.message);
		return WF_OK;
	}
	/* Damage may violate assertions: that ends the check of this case only.
	 */
	if (!wf_guard_run(&guard, inspect, &inspection))
		wf_add_finding(checker, "checking it failed: %s", guard.reason);
	wf_specs_drop(checker->specs, &spec);
	return inspection.rc;
}

enum wf_rc wf_check_case(struct checker *checker, struct wf_error *err)
{
	const struct wf_case_row *row = &checker->exported->stored.row;
	enum wf_rc rc = WF_OK;

	wf_begin_case(checker);
	if (row->snapshot_version > row->version)
		wf_add_finding(checker,
		    "its state is of step %llu, but it has %llu",
		    (unsigned long long)row->snapshot_version,
		    (unsigned long long)row->version);
	if (wf_is_damaged_spec(checker, row->namespace_id, row->specification))
		wf_add_finding(checker, "its specification %016llx is damaged",
		    (unsigned long long)row->specification);
	else
		rc = inspect_with_spec(checker, err);
	drop_values(checker);
	return rc;
}
