/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OR-joins that a step could not decide within its budget.  The search runs
 * here, outside any step and in a thread of its own, because it may take
 * seconds.  Its verdict is the command DECIDE to the case.
 */
#include "base/panic.h"
#include "runtime/shard.h"

#define ANSWER_MAXIMUM_BYTES ((size_t)16 << 20)

/* --- searching ------------------------------------------------------------ */

struct searching {
	const char *item;
	struct wf_buffer answer;
	struct wf_error err;
	enum wf_rc rc;
};

static void search(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct searching *searching = context;

	(void)stored;
	searching->rc = wf_case_search(
	    instance, searching->item, &searching->answer, &searching->err);
}

/*
 * The command is submitted even without a verdict: the step reports what is
 * wrong with the case, and refuses a search that is outdated.
 */
static void submit(struct wf_engine *engine, struct due_command *due,
    const struct searching *searching)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_DECIDE,
		    .item = searching->item },
		.namespace_id = due->row.namespace_id,
		.number = due->row.number,
		.origin = "search" };

	if (searching->rc == WF_LIMIT || searching->rc == WF_BUG)
		due->refusal = searching->err;
	if (searching->rc == WF_OK) {
		request.command.data = wf_buffer_text(&searching->answer);
		request.command.length = searching->answer.length;
	}
	wf_due_submit(engine, due, &request);
}

static void do_search(struct wf_engine *engine, struct due_command *due)
{
	struct searching searching = { .rc = WF_OK };
	char *item = wf_strndup(due->body.data, due->body.size);
	enum wf_rc rc;

	wf_assert(due->state == DUE_SEARCHED && due->body.data != NULL);
	atomic_fetch_add(&engine->searches, 1);
	searching.item = item;
	wf_buffer_init(&searching.answer, ANSWER_MAXIMUM_BYTES);
	rc = wf_engine_inspect(
	    engine, due->row.number, search, &searching, &searching.err);
	if (rc != WF_OK)
		searching.rc = rc;
	/* The store is away: the search is claimed again later. */
	if (rc == WF_IO || rc == WF_UNAVAILABLE)
		wf_due_over(engine, due, rc);
	else
		submit(engine, due, &searching);
	wf_buffer_free(&searching.answer);
	wf_free(item);
}

/* --- turns ---------------------------------------------------------------- */

bool wf_search_waits(const struct wf_engine *engine)
{
	return wf_due_first_searched(engine) != NULL;
}

bool wf_search_turn(struct wf_engine *engine)
{
	struct due_command *due;

	pthread_mutex_lock(&engine->lock);
	due = wf_due_first_searched(engine);
	pthread_mutex_unlock(&engine->lock);
	if (due == NULL)
		return false;
	do_search(engine, due);
	return true;
}
