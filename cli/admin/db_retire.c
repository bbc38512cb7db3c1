/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft db retire: drops cases that ended before a time, with their history.
 * It counts them first, then drops them in portions, one transaction each.
 */
#include <stdio.h>

#include "base/memory.h"
#include "base/time_text.h"
#include "cli/admin/db.h"
#include "cli/commands.h"
#include "cli/remote/progress.h"

#define PAGE 1000U
#define PORTION 500U

struct retiring {
	const struct wf_db_options *options;
	struct wf_store *store;
	struct wf_progress progress;
	uint64_t old;  /* cases that ended before the time */
	uint64_t done; /* of them */
};

static enum wf_rc count_old(struct retiring *retiring, struct wf_error *err)
{
	struct wf_case_filter filter = { .ended = true, .limit = PAGE };
	struct wf_arena *arena = wf_arena_new();
	struct wf_case_list list;
	enum wf_rc rc;

	do {
		wf_arena_reset(arena);
		rc =
		    wf_store_cases(retiring->store, &filter, arena, &list, err);
		if (rc != WF_OK)
			break;
		for (size_t i = 0; i < list.count; i++) {
			const struct wf_case_row *row = &list.rows[i].row;

			retiring->old +=
			    row->changed_at < retiring->options->before;
			filter.after = row->number;
		}
		wf_progress_show(
		    &retiring->progress, "counting", retiring->old, 0);
	} while (list.count == PAGE);
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc retire(struct retiring *retiring, struct wf_error *err)
{
	size_t count;
	enum wf_rc rc;

	do {
		rc = wf_store_retire(retiring->store, retiring->options->before,
		    PORTION, &count, err);
		if (rc != WF_OK)
			break;
		retiring->done += count;
		wf_progress_show(&retiring->progress, "retiring",
		    retiring->done, retiring->old);
	} while (count > 0);
	return rc;
}

/* SQLite keeps the freed pages in the file: prints how much room they are. */
static enum wf_rc print_result(
    const struct retiring *retiring, struct wf_error *err)
{
	bool dry = retiring->options->dry_run;
	struct wf_store_facts facts;
	char before[WF_TIME_TEXT_BYTES];
	enum wf_rc rc = wf_store_facts(retiring->store, &facts, err);

	if (rc != WF_OK)
		return rc;
	wf_time_text_seconds(retiring->options->before, before);
	printf("%llu cases that ended before %s %s\n",
	    (unsigned long long)(dry ? retiring->old : retiring->done), before,
	    dry ? "would be retired" : "are retired");
	printf("%llu that have ended, and %llu that are live, stay\n",
	    (unsigned long long)(facts.ended - (dry ? retiring->old : 0)),
	    (unsigned long long)facts.live);
	if (!dry && facts.spare > 0)
		printf("%.1f of %.1f MB of the store are free for new cases; "
		       "VACUUM would make it smaller\n",
		    (double)facts.spare / 1e6, (double)facts.bytes / 1e6);
	return WF_OK;
}

int wf_db_retire(const struct wf_db_options *options)
{
	struct retiring retiring = { .options = options };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc =
	    wf_store_open(&retiring.store, options->url, options->flags, &err);

	wf_progress_init(&retiring.progress, options->quiet);
	if (rc == WF_OK)
		rc = count_old(&retiring, &err);
	if (rc == WF_OK && !options->dry_run)
		rc = retire(&retiring, &err);
	wf_progress_hide(&retiring.progress);
	if (rc == WF_OK && !options->quiet)
		rc = print_result(&retiring, &err);
	wf_store_close(&retiring.store);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}
