/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/request.h"

#define PAGE 200U
#define HOUR INT64_C(3600000)
#define SECOND INT64_C(1000)
/* The clock goes on after it was read this often. */
#define READS 200U
/* The check ends after this many complaints. */
#define MANY 100U
/* At most this many complaints are printed. */
#define PRINTED 25U
/* Requests that are sent at once when they are repeated. */
#define BURST 128U
/* One request in this many is repeated with other content, too. */
#define OTHERS 8U
/* The client that finishes cases, and the most commands for one case. */
#define FINISHER 255U
#define ENOUGH 2000U

void check_complain(struct check *check, const char *format, ...)
{
	va_list arguments;

	if (check->complaints++ >= PRINTED)
		return;
	va_start(arguments, format);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

void check_need(enum wf_rc rc, const struct wf_error *err)
{
	if (rc == WF_OK)
		return;
	printf("the store cannot be read: %s\n", err->message);
	puts("nothing more can be said: 1 complaints");
	exit(1);
}

/* Ends with the complaints so far: more of them would show nothing new. */
static void give_up(const struct check *check, const char *why)
{
	printf("%s: %" PRIu64 " complaints\n", why,
	    (uint64_t)check->complaints + 1);
	exit(1);
}

/* Turns until the engine is idle, or there are too many complaints. */
static void turn(struct check *check)
{
	while (wf_engine_turn(check->engine))
		if (check->complaints > MANY)
			give_up(check, "that is enough");
}

/* --- requests and the store ----------------------------------------------- */

static bool is_live(struct check *check, uint64_t number)
{
	struct wf_stored_case stored;

	wf_arena_reset(check->arena);
	return wf_store_case(check->store, number, false, check->arena, &stored,
		   NULL) == WF_OK &&
	       !stored.ended;
}

/* The time when all that is due has been done. */
static void check_scheduled(struct check *check, const struct fact *fact)
{
	unsigned done = fact->steps + fact->incidents;
	uint64_t number = fact->request.number;

	if (done > 1)
		check_complain(
		    check, "%s: was due once, done %u times", fact->id, done);
	else if (done == 1 && fact->withdrawn)
		check_complain(check, "%s: was withdrawn and done", fact->id);
	else if (done == 0 && fact->acknowledged && !fact->withdrawn &&
		 !fact->perhaps && (number == 0 || is_live(check, number)))
		check_complain(check, "%s: was due and never done", fact->id);
	if (done == 1 && fact->acknowledged && number == 0 &&
	    fact->number != fact->answer.number)
		check_complain(check, "%s: is another case", fact->id);
}

static void check_command(struct check *check, const struct fact *fact)
{
	if (fact->steps > 1)
		check_complain(
		    check, "%s: was done %u times", fact->id, fact->steps);
	if (fact->acknowledged && fact->steps == 0)
		check_complain(
		    check, "%s: was acknowledged and is lost", fact->id);
	else if (fact->acknowledged &&
		 (fact->number != fact->answer.number ||
		     fact->sequence != fact->answer.sequence))
		check_complain(check,
		    "%s: was acknowledged as step %" PRIu64 " of case %" PRIu64
		    ", but is step %" PRIu64 " of case %" PRIu64,
		    fact->id, fact->answer.sequence, fact->answer.number,
		    fact->sequence, fact->number);
	if (!fact->acknowledged && !fact->maybe && fact->open == 0 &&
	    fact->steps > 0)
		check_complain(
		    check, "%s: was not done, but is there", fact->id);
}

/* --- withdrawn starts ----------------------------------------------------- */

static void name_start(char key[24], uint64_t number)
{
	snprintf(key, 24, "%" PRIu64, number);
}

static bool is_put_off(const struct fact *fact)
{
	return fact->request.kind == WF_REQUEST_SCHEDULE &&
	       fact->request.command == WF_COMMAND_LAUNCH && fact->acknowledged;
}

/* A delayed start whose client got no answer has no number here. */
static void note_withdrawals(struct check *check)
{
	struct wf_map *starts = wf_map_new();
	char key[24];

	for (size_t i = 0; i < check->facts.count; i++) {
		struct fact *fact = check->facts.list[i];

		name_start(key, fact->answer.number);
		if (is_put_off(fact))
			wf_map_add(starts, key, fact);
	}
	for (size_t i = 0; i < check->facts.count; i++) {
		const struct fact *fact = check->facts.list[i];
		struct fact *start;

		if (fact->request.kind != WF_REQUEST_WITHDRAW)
			continue;
		name_start(key, fact->request.number);
		start = wf_map_get(starts, key);
		check->withdrawn += fact->acknowledged;
		if (start == NULL)
			continue;
		start->withdrawn |= fact->acknowledged;
		start->perhaps |= fact->maybe || fact->open > 0;
	}
	wf_map_free(&starts);
}

/* Whichever client sent it. */
static void check_withdrawal(struct check *check, const struct fact *fact)
{
	struct wf_stored_case stored;

	wf_arena_reset(check->arena);
	if (fact->acknowledged &&
	    wf_store_case(check->store, fact->request.number, false,
		check->arena, &stored, NULL) != WF_NOT_FOUND)
		check_complain(check,
		    "%s: has withdrawn case %" PRIu64 ", which is there",
		    fact->id, fact->request.number);
}

static void check_requests(struct check *check, bool nothing_due)
{
	for (size_t i = 0; i < check->facts.count; i++) {
		const struct fact *fact = check->facts.list[i];

		if (fact->differs || fact->first_time > 1)
			check_complain(
			    check, "%s: was answered in two ways", fact->id);
		if (fact->request.kind == WF_REQUEST_COMMAND)
			check_command(check, fact);
		else if (fact->request.kind == WF_REQUEST_WITHDRAW)
			check_withdrawal(check, fact);
		else if (nothing_due)
			check_scheduled(check, fact);
	}
}

/* --- due rows and incidents ----------------------------------------------- */

/* Moves the clock until nothing is due any more. */
static void do_due(struct check *check)
{
	for (unsigned i = 0; i < ENOUGH; i++) {
		int64_t next;

		turn(check);
		next = wf_engine_next_due(check->engine);
		if (next == INT64_MAX)
			return;
		if (next > check->now)
			check->now = next;
	}
	check_complain(check, "something that is due is not done");
}

/*
 * A command during which an engine died three times may be the cause, and waits
 * for a person; where engines were killed that often it may be chance.
 */
static bool is_suspected(
    const struct check *check, const struct wf_incident_row *row)
{
	return check->facts.begun > WF_DUE_COMMAND_ISOLATED_MAXIMUM &&
	       strcmp(row->code, "BUG") == 0 &&
	       strstr(row->text, "ended with the death of the engine") != NULL;
}

static void retry(struct check *check, uint64_t incident)
{
	struct wf_request request = { .kind = WF_REQUEST_RETRY,
		.incident = { .id = incident } };
	struct wf_error err = { 0 };
	struct wf_answer answer;

	if (wf_engine_call(check->engine, &request, &answer, &err) != WF_OK)
		check_complain(check,
		    "incident %" PRIu64 " cannot be retried: %s", incident,
		    err.message);
}

static void retry_suspects(struct check *check)
{
	struct wf_incident_filter filter = { .limit = PAGE };
	struct wf_incident_list list;
	struct wf_error err = { 0 };
	struct wf_arena *arena = wf_arena_new();

	do {
		wf_arena_reset(arena);
		check_need(wf_store_incidents(
			       check->store, &filter, arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++) {
			filter.after = list.rows[i].id;
			if (is_suspected(check, &list.rows[i]))
				retry(check, list.rows[i].id);
		}
	} while (list.count == PAGE);
	wf_arena_free(&arena);
}

static void check_incident(
    struct check *check, const struct wf_incident_row *row)
{
	struct wf_request request;
	struct wf_due_attempts earlier;
	struct wf_bytes body;
	struct fact *fact = NULL;

	/* The case itself says that it is deadlocked: check_cases.c. */
	if (strcmp(row->code, WF_DEADLOCK_CODE) == 0)
		return;
	/* All who fit have done what separates them from it. */
	if (strcmp(row->code, WF_UNOFFERED_CODE) == 0)
		return;
	if (row->payload.data != NULL &&
	    wf_due_command_decode(row->payload, &earlier, &body, NULL) ==
		WF_OK &&
	    wf_request_decode(&request, body, check->arena, NULL) == WF_OK)
		fact = facts_find(&check->facts, request.origin);
	if (fact == NULL || fact->request.kind != WF_REQUEST_SCHEDULE ||
	    (strcmp(row->code, "NOT_FOUND") != 0 &&
		strcmp(row->code, "CONFLICT") != 0 &&
		strcmp(row->code, "DENIED") != 0 &&
		strcmp(row->code, "DATA") != 0))
		check_complain(check, "incident of case %" PRIu64 ": %s, %s",
		    row->number, row->code, row->text);
	else
		fact->incidents++;
}

static void check_incidents(struct check *check)
{
	/* Also those that were closed with their item or case. */
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_ALL,
		.limit = PAGE };
	struct wf_incident_list list;
	struct wf_error err = { 0 };

	for (size_t i = 0; i < check->facts.count; i++)
		check->facts.list[i]->incidents = 0;
	do {
		wf_arena_reset(check->arena);
		check_need(wf_store_incidents(check->store, &filter,
			       check->arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++) {
			filter.after = list.rows[i].id;
			check_incident(check, &list.rows[i]);
		}
	} while (list.count == PAGE);
}

/* --- repeated requests ---------------------------------------------------- */

struct asked {
	struct check *check;
	const struct fact *fact;
	bool other; /* with other content */
	bool answered;
};

static void compare_answer(void *context, const struct wf_reply *reply)
{
	struct asked *asked = context;
	const struct crash_answer *answer = &asked->fact->answer;
	const char *id = asked->fact->id;
	/* Withdrawals have no keys of their own: the start no longer exists. */
	enum wf_rc refusal = asked->fact->request.kind == WF_REQUEST_WITHDRAW
				 ? WF_NOT_FOUND
				 : WF_CONFLICT;

	asked->answered = true;
	if (asked->other && reply->rc != refusal)
		check_complain(asked->check, "%s: another with its key: %s", id,
		    wf_rc_name(reply->rc));
	else if (!asked->other && (reply->rc != WF_OK || !reply->repeated ||
				      reply->number != answer->number ||
				      reply->sequence != answer->sequence ||
				      reply->status != answer->status ||
				      strcmp(reply->item, answer->item) != 0 ||
				      strcmp(reply->name, answer->name) != 0))
		check_complain(asked->check,
		    "%s: is answered otherwise when asked again (%s)", id,
		    wf_rc_name(reply->rc));
}

static void ask(
    struct check *check, struct asked *asked, const struct fact *fact)
{
	struct crash_texts texts;
	struct wf_request request;
	struct wf_error err = { 0 };

	asked->check = check;
	asked->fact = fact;
	asked->answered = false;
	crash_request_fill(&fact->request, fact->client,
	    crash_mix_net(&check->mix, fact->request.specification), &request,
	    &texts);
	if (asked->other && request.kind == WF_REQUEST_WITHDRAW)
		request.actor = "another";
	else if (asked->other && wf_request_launches(&request))
		request.launch.title = "another";
	else if (asked->other)
		request.command.reason = "another";
	check_need(wf_engine_submit(
		       check->engine, &request, compare_answer, asked, &err),
	    &err);
	wf_free(texts.data);
}

static void ask_burst(struct check *check, size_t first)
{
	struct asked asked[2 * BURST];
	size_t count = 0;

	for (size_t i = first; i < check->facts.count && i < first + BURST;
	     i++) {
		const struct fact *fact = check->facts.list[i];

		if (!fact->acknowledged)
			continue;
		asked[count].other = false;
		ask(check, &asked[count++], fact);
		if (i % OTHERS != 0)
			continue;
		asked[count].other = true;
		ask(check, &asked[count++], fact);
	}
	turn(check);
	for (size_t i = 0; i < count; i++)
		if (!asked[i].answered)
			check_complain(
			    check, "%s: is not answered", asked[i].fact->id);
}

/* --- finishing ------------------------------------------------------------ */

static enum wf_rc command(
    struct check *check, struct crash_request *request, uint32_t *status_out)
{
	static uint64_t serial;
	struct crash_answer answer = { 0 };
	struct crash_texts texts;
	struct wf_request whole;
	struct wf_answer reply;
	struct fact *fact;

	request->serial = ++serial;
	fact = facts_add_request(&check->facts, FINISHER, request);
	crash_request_fill(request, FINISHER, "", &whole, &texts);
	answer.rc = wf_engine_call(check->engine, &whole, &reply, NULL);
	answer.number = reply.number;
	answer.sequence = reply.sequence;
	answer.status = reply.status;
	answer.repeated = reply.repeated;
	snprintf(answer.item, sizeof(answer.item), "%.*s",
	    (int)sizeof(answer.item) - 1, reply.item);
	snprintf(answer.name, sizeof(answer.name), "%s", reply.name);
	facts_add_answer(fact, &answer);
	*status_out = reply.status;
	return answer.rc;
}

/* Chooses the next command; false when there is none. */
static bool choose_next(
    struct check *check, uint32_t status, struct crash_request *request)
{
	struct wf_item_filter filter = { .number = request->number,
		.limit = 1 };
	struct wf_item_list list;
	struct wf_error err = { 0 };

	request->command = WF_COMMAND_RESUME_CASE;
	request->item[0] = '\0';
	if (status == WF_CASE_SUSPENDED)
		return true;
	wf_arena_reset(check->arena);
	check_need(
	    wf_store_items(check->store, &filter, check->arena, &list, &err),
	    &err);
	if (list.count == 0)
		return false;
	snprintf(request->item, sizeof(request->item), "%s", list.rows[0].id);
	request->command = list.rows[0].status == WF_ITEM_SUSPENDED
			       ? WF_COMMAND_RESUME_ITEM
			       : WF_COMMAND_FINISH;
	return true;
}

static void finish_case(struct check *check, const struct wf_case_row *row)
{
	struct crash_request request = { .kind = WF_REQUEST_COMMAND,
		.number = row->number };
	uint64_t number = row->number;
	uint32_t status = row->status;

	for (unsigned i = 0; i < ENOUGH; i++) {
		enum wf_rc rc;

		if (status > WF_CASE_SUSPENDED)
			return;
		if (!choose_next(check, status, &request))
			break;
		rc = command(check, &request, &status);
		if (rc != WF_OK) {
			check_complain(check,
			    "case %" PRIu64
			    " cannot be finished: %s is refused (%s)",
			    number, request.item, wf_rc_name(rc));
			return;
		}
	}
	check_complain(check, "case %" PRIu64 " cannot be finished", number);
}

/* A case of people, after all that went wrong. */
static void launch_piled(struct check *check)
{
	struct crash_request request = { .kind = WF_REQUEST_COMMAND,
		.command = WF_COMMAND_LAUNCH };
	uint32_t status;

	for (size_t i = 0; i < check->mix.count; i++)
		if (check->mix.nets[i].is_for_people)
			request.specification = check->mix.nets[i].key;
	if (command(check, &request, &status) != WF_OK)
		check_complain(check, "no case of people can be launched");
	else
		check_piled_item(check,
		    check->facts.list[check->facts.count - 1]->answer.number);
}

static void finish_cases(struct check *check)
{
	struct wf_case_filter filter = { .live = true, .limit = PAGE };
	struct wf_arena *arena = wf_arena_new();
	struct wf_error err = { 0 };
	struct wf_case_list list;

	do {
		wf_arena_reset(arena);
		check_need(
		    wf_store_cases(check->store, &filter, arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++) {
			filter.after = list.rows[i].row.number;
			finish_case(check, &list.rows[i].row);
		}
	} while (list.count == PAGE);
	wf_arena_free(&arena);
}

/* --- all ------------------------------------------------------------------ */

/*
 * An engine retries failures in a damaged store for some seconds; they have to
 * pass.
 */
static int64_t clock_of(void *context)
{
	struct check *check = context;

	if (++check->reads % READS == 0)
		check->now += SECOND;
	return check->now;
}

static void open_all(struct check *check, const char *url, const char *mix)
{
	struct wf_engine_settings settings;
	struct wf_error err = { 0 };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	/* All leases have ended, and all is due. */
	check->now = (int64_t)now.tv_sec * 1000 + HOUR;
	wf_engine_settings_init(&settings);
	settings.url = url;
	settings.now = clock_of;
	settings.answers_kept_ms = INT64_MAX / 4;
	check->people = crash_people_new(mix, false);
	settings.people = crash_people_calls(check->people);
	settings.context = check;
	check_need(wf_engine_open(&check->engine, &settings, &err), &err);
	check_need(wf_engine_borrow(check->engine, &check->store, &err), &err);
	check_need(crash_mix_load(&check->mix, mix, check->engine, &err), &err);
	check->arena = wf_arena_new();
}

static void report(const struct check *check)
{
	size_t acknowledged = 0;
	size_t seen = 0;

	for (size_t i = 0; i < check->facts.count; i++)
		acknowledged += check->facts.list[i]->acknowledged;
	for (size_t i = 0; i < check->facts.row_count; i++)
		seen += check->facts.rows[i].position != 0;
	printf("%zu requests, %zu acknowledged, %u of them withdrew a start; "
	       "%u cases, %u steps, %u acts of people, %u of piling; %zu rows "
	       "seen, %zu "
	       "announcements: "
	       "%u complaints\n",
	    check->facts.count, acknowledged, check->withdrawn, check->cases,
	    check->steps, check->acts, check->facts.piling, seen,
	    wf_map_count(check->facts.messages), check->complaints);
}

unsigned crash_check(const char *url, const char *folder, const char *mix)
{
	struct check check = { .url = url };

	facts_read(&check.facts, folder);
	open_all(&check, url, mix);
	check_piles(&check);
	note_withdrawals(&check);
	check_cases(&check);
	check_requests(&check, false);
	do_due(&check);
	retry_suspects(&check);
	do_due(&check);
	check_cases(&check);
	check_incidents(&check);
	check_requests(&check, true);
	for (size_t i = 0; i < check.facts.count; i += BURST)
		ask_burst(&check, i);
	launch_piled(&check);
	finish_cases(&check);
	check_cases(&check);
	check_requests(&check, false);
	check_history(&check);
	check_messages(&check);
	check_numbers(&check);
	report(&check);
	wf_engine_give_back(check.engine, check.store);
	wf_engine_close(&check.engine);
	crash_people_free(&check.people);
	wf_arena_free(&check.arena);
	facts_free(&check.facts);
	return check.complaints;
}
