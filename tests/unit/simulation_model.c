/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expected content of the store, computed from the clients' own records.
 *
 *   due         the timers that run in live cases, delayed commands that are
 *               not done, retries; nothing else
 *   delayed     done once, and not before its time; or waits; or failed; or
 *               was withdrawn; or its case ended before
 *   incidents   a dropped one stays dropped; a quarantined case has one
 *   leases      given and ended by the last step with a lease
 *   announced   each live item as live, each other item as ended
 *
 * All is compared when the engines are idle: nothing is under way then.
 */
#include "tests/unit/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "kernel/step.h"
#include "runtime/checksum.h"
#include "runtime/due_command.h"
#include "runtime/request.h"
#include "tests/message_queues.h"

#define MANY 100000U
#define HOUR 3600000

/* The last announcement of a subject: an item, or "" for the case. */
struct announced {
	uint64_t number;
	uint64_t message;
	uint64_t count;
	uint32_t kind;
	char subject[WF_ITEM_ID_SIZE];
};

/* The outcome of a delayed command. */
struct tally {
	unsigned waits;
	unsigned done;
	unsigned failed;
	bool withdrawn;
};

/* A due command, or one that an incident can retry. */
struct due_seen {
	struct wf_due_row row;
	struct wf_request request;
	bool is_incident;
	bool expected; /* by a timer that runs */
};

/* The last step that gave or ended the lease of an item. */
struct lease_seen {
	const struct record *record;
	uint32_t attempt;
};

struct model {
	struct simulation *s;
	struct wf_arena *arena;
	struct wf_case_list cases;
	struct wf_incident_list incidents;
	struct tally *tallies; /* of the records */
	struct due_seen *due_commands;
	size_t due_count;
	size_t due_capacity;
	struct wf_map *live;   /* numbers of cases */
	struct wf_map *leases; /* of items */
	bool good;
};

static bool must(struct model *m, bool condition, const char *what,
    const char *format, uint64_t number, const char *name)
{
	char which[WF_ITEM_ID_SIZE + 64];

	if (condition)
		return true;
	snprintf(which, sizeof(which), format, (unsigned long long)number,
	    name == NULL ? "" : name);
	m->good = false;
	return simulation_hold(m->s, false, what, which);
}

static bool is_live(const struct model *m, uint64_t number)
{
	char key[24];

	snprintf(key, sizeof(key), "%llu", (unsigned long long)number);
	return wf_map_get(m->live, key) != NULL;
}

/* --- reading -------------------------------------------------------------- */

static void read_cases(struct model *m)
{
	struct wf_case_filter filter = { .limit = MANY };
	char key[24];

	if (wf_store_cases(m->s->fixture.store, &filter, m->arena, &m->cases,
		NULL) != WF_OK)
		m->cases.count = 0;
	for (size_t i = 0; i < m->cases.count; i++) {
		struct wf_stored_case *row = &m->cases.rows[i];

		snprintf(key, sizeof(key), "%llu",
		    (unsigned long long)row->row.number);
		if (!row->ended)
			wf_map_add(m->live, key, row);
	}
}

static void add_due_command(
    struct model *m, const struct wf_due_row *row, bool is_incident)
{
	struct due_seen *seen;
	struct wf_bytes body;
	struct wf_due_attempts earlier;

	m->due_commands = wf_arena_grow(m->arena, m->due_commands, m->due_count,
	    &m->due_capacity, sizeof(*m->due_commands));
	seen = &m->due_commands[m->due_count++];
	*seen = (struct due_seen){ .row = *row, .is_incident = is_incident };
	must(m,
	    row->kind == WF_DUE_REQUEST &&
		wf_due_command_decode(row->payload, &earlier, &body, NULL) ==
		    WF_OK &&
		wf_request_decode(&seen->request, body, m->arena, NULL) ==
		    WF_OK,
	    "an due_command cannot be read", "%llu %s", row->number, row->name);
}

static void read_due(struct model *m, uint64_t number)
{
	struct wf_due_list list = { NULL, 0 };

	must(m,
	    wf_store_due_of(m->s->fixture.store, number, "", SIZE_MAX, m->arena,
		&list, NULL) == WF_OK,
	    "what is due cannot be read", "%llu%s", number, "");
	for (size_t i = 0; i < list.count; i++)
		add_due_command(m, &list.rows[i], false);
}

static void read_incidents(struct model *m)
{
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_ALL,
		.limit = MANY };

	if (wf_store_incidents(m->s->fixture.store, &filter, m->arena,
		&m->incidents, NULL) != WF_OK)
		m->incidents.count = 0;
	for (size_t i = 0; i < m->incidents.count; i++) {
		const struct wf_incident_row *incident = &m->incidents.rows[i];
		struct wf_due_row row = { .number = incident->number,
			.name = incident->item,
			.kind = incident->kind,
			.payload = incident->payload };

		if (incident->payload.data != NULL)
			add_due_command(m, &row, true);
	}
}

static void read_all(struct model *m)
{
	read_cases(m);
	read_incidents(m);
	read_due(m, 0);
	for (size_t i = 0; i < m->cases.count; i++)
		read_due(m, m->cases.rows[i].row.number);
}

/* --- history: what was done, and leases ----------------------------------- */

static void count_done(struct model *m, const struct wf_history_row *row)
{
	const struct record *record = simulation_record(m->s, row->origin);

	if (record == NULL || record->request.kind != WF_REQUEST_SCHEDULE)
		return;
	m->tallies[record - m->s->records].done++;
	/* A retry is done at once, even if the clock was set back since. */
	must(m,
	    row->at >= record->request.at ||
		strstr(row->command, "/retry ") != NULL,
	    "what was put off was done too early", "case %llu, %s", row->number,
	    record->key);
}

static struct lease_seen *lease_of(
    struct model *m, uint64_t number, const char *item)
{
	struct lease_seen *lease;
	char key[WF_ITEM_ID_SIZE + 24];

	snprintf(key, sizeof(key), "%llu %s", (unsigned long long)number, item);
	lease = wf_map_get(m->leases, key);
	if (lease != NULL)
		return lease;
	lease = wf_arena_alloc(m->arena, sizeof(*lease));
	lease->record = NULL;
	lease->attempt = 0;
	wf_map_add(m->leases, key, lease);
	return lease;
}

/* Checks a command with a lease that was done: the lease was held then. */
static void follow_lease(struct model *m, const struct wf_history_row *row)
{
	const struct record *record = simulation_record(m->s, row->origin);
	const struct wf_lease *lease;
	const struct wf_lease *given;
	struct lease_seen *seen;

	if (record == NULL || !wf_request_commands(&record->request))
		return;
	lease = &record->request.lease;
	if (lease->owner == NULL) {
		/* A command without a lease makes the item claimable. */
		if (wf_request_is(&record->request, WF_COMMAND_ROLLBACK))
			*lease_of(m, row->number, record->item) =
			    (struct lease_seen){ .record = NULL };
		return;
	}
	if (wf_request_is(&record->request, WF_COMMAND_START)) {
		seen = lease_of(m, row->number, record->started);
		seen->record = record;
		seen->attempt = lease->attempt;
		m->s->counts->leases_given++;
		return;
	}
	seen = lease_of(m, row->number, record->item);
	given = seen->record == NULL ? NULL : &seen->record->request.lease;
	must(m,
	    given == NULL || given->fence < lease->fence ||
		(wf_request_is(&seen->record->request, WF_COMMAND_START) &&
		    given->fence == lease->fence &&
		    strcmp(given->owner, lease->owner) == 0),
	    "a step was done with a lease that was over", "case %llu, %s",
	    row->number, record->key);
	m->s->counts->leases_used++;
	if (wf_request_is(&record->request, WF_COMMAND_ROLLBACK)) {
		seen->record = record;
		if (lease->is_forgotten && seen->attempt > 0)
			seen->attempt--;
		m->s->counts->leases_ended++;
	}
}

static void read_history(struct model *m)
{
	struct wf_history_filter filter = { .limit = 500 };
	struct wf_history_list list = { .count = 1 };

	while (m->good && list.count > 0) {
		if (!must(m,
			wf_store_history(m->s->fixture.store, &filter, m->arena,
			    &list, NULL) == WF_OK,
			"the history cannot be read", "%llu%s", 0, ""))
			return;
		for (size_t i = 0; i < list.count; i++) {
			count_done(m, &list.rows[i]);
			follow_lease(m, &list.rows[i]);
		}
		filter.after = list.next;
	}
}

/* --- delayed commands ----------------------------------------------------- */

/* A due row has the command and the time of its request. */
static void compare_request(struct model *m, const struct due_seen *due_command,
    const struct record *record)
{
	const struct wf_request *asked = &record->request;
	const struct wf_request *due = &due_command->request;
	bool is_launch = wf_request_launches(asked);
	bool is_retry = strncmp(due_command->row.name, "retry ", 6) == 0;

	must(m,
	    due->kind == WF_REQUEST_COMMAND &&
		due->command.kind == asked->command.kind &&
		due->number == record->number &&
		strcmp(due->command.item, asked->command.item) == 0 &&
		(is_launch ||
		    (due->command.length == asked->command.length &&
			(due->command.length == 0 ||
			    memcmp(due->command.data, asked->command.data,
				due->command.length) == 0))),
	    "what was put off is another command", "case %llu, %s",
	    record->number, record->key);
	if (due_command->is_incident)
		return;
	must(m, due_command->row.number == (is_launch ? 0 : record->number),
	    "what was put off is another case's", "%llu, %s",
	    due_command->row.number, record->key);
	/* A claimed row may be delayed once more. */
	must(m,
	    is_retry || due_command->row.at == asked->at ||
		(due_command->row.at > asked->at && m->s->latest >= asked->at),
	    "what was put off is due at another time", "case %llu, %s",
	    record->number, record->key);
}

static void count_due_commands(struct model *m)
{
	for (size_t i = 0; i < m->due_count; i++) {
		const struct due_seen *due_command = &m->due_commands[i];
		const struct record *record =
		    simulation_record(m->s, due_command->request.origin);
		struct tally *tally;

		if (record == NULL)
			continue;
		tally = &m->tallies[record - m->s->records];
		if (due_command->is_incident)
			tally->failed++;
		else
			tally->waits++;
		compare_request(m, due_command, record);
	}
}

static void count_withdrawals(struct model *m)
{
	for (size_t i = 0; i < m->s->record_count; i++) {
		const struct record *record = &m->s->records[i];

		if (record->request.kind != WF_REQUEST_WITHDRAW ||
		    record->outcome != ACKNOWLEDGED)
			continue;
		for (size_t k = 0; k < m->s->record_count; k++) {
			const struct record *start = &m->s->records[k];

			if (start->request.kind == WF_REQUEST_SCHEDULE &&
			    wf_request_is(&start->request, WF_COMMAND_LAUNCH) &&
			    start->outcome == ACKNOWLEDGED &&
			    start->number == record->request.start)
				m->tallies[k].withdrawn = true;
		}
	}
}

static void count_put_off(
    struct model *m, const struct record *record, const struct tally *tally)
{
	struct simulation_counts *counts = m->s->counts;

	counts->put_off_and_waiting += tally->waits;
	counts->put_off_and_failed += tally->failed;
	counts->starts_withdrawn += tally->withdrawn;
	if (wf_request_is(&record->request, WF_COMMAND_LAUNCH))
		counts->starts_put_off_and_done += tally->done;
	else
		counts->put_off_and_done += tally->done;
}

static void check_put_off(struct model *m, size_t index)
{
	const struct record *record = &m->s->records[index];
	const struct tally *tally = &m->tallies[index];
	unsigned sum = tally->waits + tally->done + tally->failed;
	bool is_command = !wf_request_is(&record->request, WF_COMMAND_LAUNCH);
	bool ended = is_command && !is_live(m, record->number);

	if (record->request.kind != WF_REQUEST_SCHEDULE)
		return;
	must(m, record->outcome == ACKNOWLEDGED || sum == 0,
	    "what was refused was put off", "case %llu, %s", record->number,
	    record->key);
	if (record->outcome != ACKNOWLEDGED)
		return;
	count_put_off(m, record, tally);
	must(m, sum <= 1, "what was put off is there twice", "case %llu, %s",
	    record->number, record->key);
	must(m, !tally->withdrawn || sum == 0,
	    "what was withdrawn was done, or is still there", "case %llu, %s",
	    record->number, record->key);
	must(m, sum == 1 || ended || tally->withdrawn,
	    "what was put off is lost", "case %llu, %s", record->number,
	    record->key);
	must(m, !ended || tally->waits == 0, "what is due of an ended case",
	    "case %llu, %s", record->number, record->key);
}

/* --- timers --------------------------------------------------------------- */

struct timer_check {
	struct model *m;
	uint64_t number;
};

static bool is_expiry(
    const struct due_seen *due_command, uint64_t case_number, uint32_t timer)
{
	char text[16];
	size_t length =
	    (size_t)snprintf(text, sizeof(text), "%u", (unsigned)timer);

	return wf_request_is(&due_command->request, WF_COMMAND_EXPIRE) &&
	       due_command->request.number == case_number &&
	       due_command->request.command.length == length &&
	       memcmp(due_command->request.command.data, text, length) == 0;
}

static void check_timer(
    void *argument, const char *item, uint32_t timer, int64_t at)
{
	const struct timer_check *check = argument;
	struct model *m = check->m;
	unsigned found = 0;

	for (size_t i = 0; i < m->due_count; i++) {
		struct due_seen *due_command = &m->due_commands[i];

		if (!is_expiry(due_command, check->number, timer))
			continue;
		found++;
		due_command->expected = true;
		m->s->counts->timers_running += !due_command->is_incident;
		m->s->counts->timers_failed += due_command->is_incident;
		must(m, strcmp(due_command->request.command.item, item) == 0,
		    "a timer is another item's", "case %llu, %s", check->number,
		    item);
		must(m,
		    due_command->is_incident || due_command->row.at == at ||
			(due_command->row.at > at && m->s->latest >= at),
		    "a timer is due at another time", "case %llu, %s",
		    check->number, item);
	}
	must(m, found == 1,
	    found == 0 ? "a timer runs, and nothing is due"
		       : "a timer is due twice",
	    "case %llu, %s", check->number, item);
}

static void check_timers_of(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	(void)stored;
	wf_case_timers(instance, check_timer, context);
}

static void check_timers(struct model *m)
{
	for (size_t i = 0; i < m->cases.count; i++) {
		struct timer_check check = { m, m->cases.rows[i].row.number };

		if (!m->cases.rows[i].ended)
			must(m,
			    wf_engine_inspect(m->s->engines[0], check.number,
				check_timers_of, &check, NULL) == WF_OK,
			    "a case cannot be read", "%llu%s", check.number,
			    "");
	}
}

static bool has_timer_started(
    const struct wf_history_row *row, const char *name, int64_t at)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_bytes events;
	char timer[32];
	bool found = false;

	if (wf_checksum_check_history(row, &events, NULL) != WF_OK)
		return false;
	wf_event_reader_init(&reader, events.data, events.size, NULL);
	while (!found && (event = wf_event_next(&reader, NULL)) != NULL) {
		snprintf(timer, sizeof(timer), "timer %u", event->number);
		found = event->kind == WF_EVENT_TIMER_STARTED &&
			event->time == at && strcmp(timer, name) == 0;
	}
	wf_event_reader_free(&reader);
	return found;
}

/*
 * A timer was claimed, then stopped, then its case was quarantined: its row
 * becomes due once more, later, and then has no effect.
 */
static bool was_put_off(struct model *m, const struct due_seen *due_command)
{
	const struct wf_due_row *due = &due_command->row;
	struct wf_history_list list = { .count = 0 };

	if (!wf_request_is(&due_command->request, WF_COMMAND_EXPIRE) ||
	    wf_store_case_history(m->s->fixture.store, due->number, 0, MANY,
		m->arena, &list, NULL) != WF_OK)
		return false;
	for (size_t i = 0; i < list.count; i++)
		if (has_timer_started(&list.rows[i], due->name, due->at))
			return false;
	return true;
}

/* Every other due row must have a reason. */
static void check_rest(struct model *m)
{
	for (size_t i = 0; i < m->due_count; i++) {
		const struct due_seen *due_command = &m->due_commands[i];
		const char *name = due_command->row.name;

		if (due_command->is_incident || due_command->expected ||
		    strncmp(name, "retry ", 6) == 0 ||
		    simulation_record(m->s, due_command->request.origin) !=
			NULL ||
		    was_put_off(m, due_command))
			continue;
		must(m, false, "something is due that nobody wants",
		    "case %llu, %s", due_command->row.number, name);
	}
}

/* --- incidents ------------------------------------------------------------ */

static bool has_incident(const struct model *m, uint64_t number)
{
	for (size_t i = 0; i < m->incidents.count; i++)
		if (m->incidents.rows[i].number == number)
			return true;
	return false;
}

static bool was_retried(const struct model *m, uint64_t incident)
{
	if (m->s->all_retried)
		return true;
	for (size_t i = 0; i < m->s->record_count; i++) {
		const struct record *record = &m->s->records[i];

		if (record->request.kind == WF_REQUEST_RETRY &&
		    record->request.incident.id == incident &&
		    record->outcome == ACKNOWLEDGED)
			return true;
	}
	return false;
}

static const struct wf_incident_row *find_incident(
    const struct model *m, uint64_t id)
{
	for (size_t i = 0; i < m->incidents.count; i++)
		if (m->incidents.rows[i].id == id)
			return &m->incidents.rows[i];
	return NULL;
}

/* A dropped incident stays dropped, unless it is retried. */
static void check_dropped(struct model *m)
{
	for (size_t i = 0; i < m->s->record_count; i++) {
		const struct record *record = &m->s->records[i];
		uint64_t id = record->request.incident.id;
		const struct wf_incident_row *row;

		if (record->request.kind != WF_REQUEST_DROP ||
		    record->outcome != ACKNOWLEDGED || was_retried(m, id))
			continue;
		row = find_incident(m, id);
		m->s->counts->incidents_dropped++;
		must(m,
		    row != NULL && row->dropped_at != 0 &&
			strcmp(row->dropped_by, SIMULATION_ACTOR) == 0 &&
			strcmp(row->reason, record->key) == 0,
		    "what was dropped does not say so", "incident %llu, %s", id,
		    record->key);
	}
}

static bool was_put_back(const struct model *m, uint64_t number)
{
	for (size_t i = 0; i < m->s->record_count; i++) {
		const struct record *record = &m->s->records[i];

		if (record->request.kind == WF_REQUEST_RETRY &&
		    record->outcome == ACKNOWLEDGED && record->number == number)
			return true;
	}
	return m->s->all_retried;
}

/* A quarantined case makes no step. */
static void check_still(struct model *m, const struct wf_case_row *row)
{
	uintptr_t version = (uintptr_t)row->version;
	char key[24];

	snprintf(key, sizeof(key), "%llu", (unsigned long long)row->number);
	if (!wf_map_add(m->s->quarantined, key, (void *)version))
		must(m,
		    (uintptr_t)wf_map_get(m->s->quarantined, key) == version ||
			was_put_back(m, row->number),
		    "a step of a quarantined case", "case %llu%s", row->number,
		    "");
}

static void check_quarantined(struct model *m)
{
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct wf_case_row *row = &m->cases.rows[i].row;

		m->s->counts->cases_ended += m->cases.rows[i].ended;
		if (!row->set_aside)
			continue;
		m->s->counts->cases_quarantined++;
		check_still(m, row);
		must(m, has_incident(m, row->number),
		    "a case is quarantined without an incident", "%llu%s",
		    row->number, "");
	}
}

/* --- items: leases -------------------------------------------------------- */

static void check_lease(struct model *m, const struct wf_item_row *row)
{
	const struct lease_seen *seen = lease_of(m, row->number, row->id);
	const struct wf_lease *lease;

	if (seen->record == NULL)
		return;
	lease = &seen->record->request.lease;
	if (row->fence > lease->fence) {
		/* Claimed by another worker, or announced again, since. */
		must(m,
		    row->status != WF_ITEM_EXECUTING ||
			!wf_request_is(
			    &seen->record->request, WF_COMMAND_START),
		    "the lease of an executing item has changed",
		    "case %llu, %s", row->number, row->id);
		return;
	}
	must(m, row->fence == lease->fence, "the fence of an item has fallen",
	    "case %llu, %s", row->number, row->id);
	if (wf_request_is(&seen->record->request, WF_COMMAND_START))
		must(m,
		    row->lease_until >= lease->until &&
			row->attempt == seen->attempt &&
			strcmp(row->lease_owner, lease->owner) == 0,
		    "a lease that was given is not there", "case %llu, %s",
		    row->number, row->id);
	else
		must(m,
		    row->lease_until == 0 && row->lease_owner[0] == '\0' &&
			row->attempt == seen->attempt &&
			row->not_before == lease->until,
		    "a lease that has ended is there", "case %llu, %s",
		    row->number, row->id);
}

static void check_leases(struct model *m)
{
	struct wf_item_filter filter = { .limit = MANY };
	struct wf_item_list list = { NULL, 0 };

	must(m,
	    wf_store_items(
		m->s->fixture.store, &filter, m->arena, &list, NULL) == WF_OK,
	    "the items cannot be read", "%llu%s", 0, "");
	for (size_t i = 0; i < list.count; i++)
		check_lease(m, &list.rows[i]);
}

/* --- announcements -------------------------------------------------------- */

static struct announced *announced_of(
    struct simulation *s, uint64_t number, const char *subject)
{
	char key[WF_ITEM_ID_SIZE + 24];
	uintptr_t at;

	snprintf(
	    key, sizeof(key), "%llu %s", (unsigned long long)number, subject);
	at = (uintptr_t)wf_map_get(s->announced_by_subject, key);
	if (at != 0)
		return &s->announced[at - 1];
	if (s->announced_count == s->announced_capacity) {
		s->announced_capacity = s->announced_capacity * 2 + 64;
		s->announced = wf_realloc(s->announced,
		    s->announced_capacity * sizeof(s->announced[0]));
	}
	s->announced[s->announced_count] =
	    (struct announced){ .number = number };
	snprintf(s->announced[s->announced_count].subject, WF_ITEM_ID_SIZE,
	    "%s", subject);
	wf_map_add(s->announced_by_subject, key,
	    (void *)(uintptr_t)++s->announced_count);
	return &s->announced[s->announced_count - 1];
}

static bool hear(struct simulation *s, const struct wf_message_row *row)
{
	struct announced *announced =
	    announced_of(s, row->number, row->subject);
	bool good = simulation_hold(s, row->message > announced->message,
	    "an announcement came twice, or too late", row->subject);

	announced->message = row->message;
	announced->count++;
	announced->kind = row->kind;
	return good;
}

bool simulation_listen(struct simulation *s)
{
	struct wf_fixture *f = &s->fixture;
	struct wf_message_list list = { .count = 1 };
	struct wf_arena *arena = wf_arena_new();
	int64_t later = f->now + HOUR; /* the clock may have been set back */
	bool good = true;

	while (good && list.count > 0) {
		wf_arena_reset(arena);
		if (claim_messages(f->store, NULL, later, later + 1, 500, arena,
			&list, NULL) != WF_OK)
			break;
		for (size_t i = 0; i < list.count && good; i++) {
			struct wf_message_key key = { list.rows[i].number,
				list.rows[i].message };

			good = hear(s, &list.rows[i]) &&
			       simulation_hold(s,
				   wf_store_acknowledge(
				       f->store, &key, 1, NULL) == WF_OK,
				   "an announcement is not acknowledged", "");
		}
	}
	wf_arena_free(&arena);
	return good;
}

static bool is_end(uint32_t kind)
{
	return kind == WF_ANNOUNCE_ITEM_ENDED ||
	       kind == WF_ANNOUNCE_ITEM_FIRED ||
	       kind == WF_ANNOUNCE_TIMER_EXPIRED ||
	       kind == WF_ANNOUNCE_CASE_COMPLETED ||
	       kind == WF_ANNOUNCE_CASE_DEADLOCKED ||
	       kind == WF_ANNOUNCE_CASE_CANCELLED;
}

/* Whether the item exists, or for "" the case. */
static bool is_there(const struct model *m, const struct announced *announced)
{
	struct wf_item_row row;

	if (announced->subject[0] == '\0')
		return is_live(m, announced->number);
	return wf_store_item(m->s->fixture.store, announced->number,
		   announced->subject, m->arena, &row, NULL) == WF_OK;
}

/* No announcement is missing. */
static void check_numbers(struct model *m, const struct wf_case_row *row)
{
	uint64_t count = 0;

	for (size_t i = 0; i < m->s->announced_count; i++)
		if (m->s->announced[i].number == row->number)
			count += m->s->announced[i].count;
	must(m, count == row->messages, "an announcement is missing",
	    "case %llu%s", row->number, "");
}

static void check_announced(struct model *m)
{
	struct wf_item_filter filter = { .limit = MANY };
	struct wf_item_list list = { NULL, 0 };
	enum wf_rc rc =
	    wf_store_items(m->s->fixture.store, &filter, m->arena, &list, NULL);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		must(m,
		    announced_of(m->s, list.rows[i].number, list.rows[i].id)
			    ->message != 0,
		    "an item was not announced", "case %llu, %s",
		    list.rows[i].number, list.rows[i].id);
	for (size_t i = 0; i < m->cases.count; i++)
		check_numbers(m, &m->cases.rows[i].row);
	for (size_t i = 0; i < m->s->announced_count; i++) {
		const struct announced *announced = &m->s->announced[i];
		bool there = is_there(m, announced);

		m->s->counts->timers_expired +=
		    announced->kind == WF_ANNOUNCE_TIMER_EXPIRED;
		must(m, there || is_end(announced->kind),
		    "the end of an item was not announced", "case %llu, %s",
		    announced->number, announced->subject);
		must(m,
		    !there || !is_end(announced->kind) ||
			announced->kind == WF_ANNOUNCE_TIMER_EXPIRED ||
			announced->kind == WF_ANNOUNCE_CASE_DEADLOCKED,
		    "what was announced as ended is there", "case %llu, %s",
		    announced->number, announced->subject);
	}
}

/* --- all ------------------------------------------------------------------ */

bool simulation_is_model(struct simulation *s)
{
	struct model m = { .s = s,
		.arena = wf_arena_new(),
		.live = wf_map_new(),
		.leases = wf_map_new(),
		.good = true };

	m.tallies =
	    wf_arena_array(m.arena, s->record_count + 1, sizeof(*m.tallies));
	read_all(&m);
	read_history(&m);
	count_due_commands(&m);
	count_withdrawals(&m);
	for (size_t i = 0; i < s->record_count; i++)
		check_put_off(&m, i);
	check_timers(&m);
	check_rest(&m);
	check_dropped(&m);
	check_quarantined(&m);
	check_leases(&m);
	check_announced(&m);
	wf_map_free(&m.live);
	wf_map_free(&m.leases);
	wf_arena_free(&m.arena);
	return m.good;
}
