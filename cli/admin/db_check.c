/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft db check: prints each finding of the integrity check as a line, and a
 * summary.  With --json the output is one object, written finding by finding,
 * so that memory does not limit how large or how damaged a store is.
 */
#include <stdio.h>

#include "base/buffer.h"
#include "cli/admin/db.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/remote/progress.h"
#include "runtime/integrity/integrity.h"

#define TEXT_MAXIMUM ((size_t)1 << 20)

struct check {
	const struct wf_db_options *options;
	struct wf_progress progress;
	uint64_t findings; /* of any kind, so far */
	struct wf_integrity_counts counts;
};

/* --- findings ------------------------------------------------------------- */

static void print_text(const struct wf_finding *finding)
{
	if (finding->number != 0)
		printf("case %llu", (unsigned long long)finding->number);
	else if (finding->specification != 0)
		printf("specification %016llx",
		    (unsigned long long)finding->specification);
	else
		printf("store");
	if (finding->kind == WF_FINDING_QUARANTINED)
		printf(" is quarantined (incident %llu)",
		    (unsigned long long)finding->incident);
	else if (finding->kind == WF_FINDING_QUARANTINE)
		printf(" is quarantined now (incident %llu)",
		    (unsigned long long)finding->incident);
	fputs(": ", stdout);
	/* Damaged bytes must not break the line. */
	for (const char *at = finding->text; *at != '\0'; at++)
		putchar((unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at);
	putchar('\n');
}

static void print_json(const struct wf_finding *finding, bool first)
{
	static const char *const kinds[] = { "damage", "aside", "putAside" };
	json_t *json = json_object();
	char key[20];

	json_object_set_new(json, "kind", json_string(kinds[finding->kind]));
	if (finding->number != 0)
		json_object_set_new(
		    json, "case", json_integer((json_int_t)finding->number));
	if (finding->specification != 0) {
		snprintf(key, sizeof(key), "%016llx",
		    (unsigned long long)finding->specification);
		json_object_set_new(json, "specification", json_string(key));
	}
	if (finding->incident != 0)
		json_object_set_new(json, "incident",
		    json_integer((json_int_t)finding->incident));
	json_object_set_new(json, "text", wf_json_text(finding->text));
	fputs(first ? "\n    " : ",\n    ", stdout);
	wf_json_print(json, 0);
}

static void report(void *context, const struct wf_finding *finding)
{
	struct check *check = context;

	wf_progress_hide(&check->progress);
	if (check->options->json)
		print_json(finding, check->findings == 0);
	else
		print_text(finding);
	check->findings++;
}

static void show(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct check *check = context;

	wf_progress_show(&check->progress, what, done, total);
}

/* --- summary -------------------------------------------------------------- */

#define LONG(number) ((unsigned long long)(number))

/* The findings follow as they come. */
static void print_head(const struct wf_store *store)
{
	fputs("{\n  \"store\": ", stdout);
	wf_json_print(wf_json_text(wf_store_url(store)), 0);
	fputs(",\n  \"identity\": ", stdout);
	wf_json_print(wf_json_text(wf_store_identity(store)), 0);
	fputs(",\n  \"findings\": [", stdout);
}

static void print_tail(const struct check *check, bool complete, double seconds)
{
	const struct wf_integrity_counts *c = &check->counts;

	printf("%s],\n", check->findings == 0 ? "" : "\n  ");
	printf("  \"complete\": %s,\n", complete ? "true" : "false");
	printf("  \"live\": %llu,\n", LONG(c->live));
	printf("  \"ended\": %llu,\n", LONG(c->ended));
	printf("  \"steps\": %llu,\n", LONG(c->steps));
	printf("  \"specifications\": %llu,\n", LONG(c->specifications));
	printf("  \"damage\": %llu,\n", LONG(c->damage));
	printf("  \"damagedCases\": %llu,\n", LONG(c->damaged_cases));
	printf("  \"damagedSpecifications\": %llu,\n",
	    LONG(c->damaged_specifications));
	printf("  \"setAside\": %llu,\n", LONG(c->set_aside));
	printf("  \"putAside\": %llu,\n", LONG(c->quarantine));
	printf("  \"seconds\": %.3f\n}\n", seconds);
}

static void print_summary(const struct check *check, double seconds)
{
	const struct wf_integrity_counts *c = &check->counts;

	printf("checked: %llu cases that are live, %llu that have ended, %llu "
	       "steps, %llu specifications, in %.1f s\n",
	    LONG(c->live), LONG(c->ended), LONG(c->steps),
	    LONG(c->specifications), seconds);
	if (c->set_aside + c->quarantine > 0)
		printf("quarantined: %llu cases, %llu of them now\n",
		    LONG(c->set_aside + c->quarantine), LONG(c->quarantine));
	if (c->damage == 0)
		printf("nothing is damaged\n");
	else
		printf("damaged: %llu findings; %llu cases and %llu "
		       "specifications\n",
		    LONG(c->damage), LONG(c->damaged_cases),
		    LONG(c->damaged_specifications));
}

/* --- checking ------------------------------------------------------------- */

static enum wf_rc run(
    struct check *check, struct wf_store *store, struct wf_error *err)
{
	struct wf_integrity_settings settings;
	int64_t began = wf_db_now();
	double seconds;
	enum wf_rc rc;

	wf_integrity_settings_init(&settings);
	settings.set_aside = check->options->set_aside;
	settings.now = began;
	settings.report = report;
	settings.progress = show;
	settings.context = check;
	if (check->options->json)
		print_head(store);
	rc = wf_integrity_check(store, &settings, &check->counts, err);
	seconds = (double)(wf_db_now() - began) / 1000;
	wf_progress_hide(&check->progress);
	if (check->options->json)
		print_tail(check, rc == WF_OK, seconds);
	else if (rc == WF_OK && !check->options->quiet)
		print_summary(check, seconds);
	return rc;
}

int wf_db_check(const struct wf_db_options *options)
{
	struct check check = { .options = options };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc =
	    wf_store_open(&store, options->url, options->flags, &err);

	wf_progress_init(&check.progress, options->quiet);
	if (rc == WF_OK)
		rc = run(&check, store, &err);
	wf_store_close(&store);
	if (rc != WF_OK)
		return wf_cli_report(&err);
	return check.counts.damage == 0 ? WF_EXIT_DONE : WF_EXIT_REFUSED;
}
