/* SPDX-License-Identifier: Apache-2.0 */
#include "work/mail/recipients.h"

#include <string.h>

#include "kernel/assignment/assignment.h"
#include "people/audience.h"
#include "work/mail/mail_format.h"

struct choice {
	const json_t *event;
	const struct wf_organisation *organisation;
	struct wf_audiences *audiences;
	struct wf_arena *arena;
	struct wf_mail_task *task;
};

static const char *text_of(const struct choice *choice, const char *member)
{
	const char *text =
	    json_string_value(json_object_get(choice->event, member));

	return text == NULL ? "" : text;
}

/* The participant who has the item; "": nobody. */
static const char *holder_of(const struct choice *choice)
{
	const struct wf_item_row *item = &choice->task->item;

	return item->assignment >= WF_RESOURCE_ALLOCATED &&
		       strncmp(item->queue, "P:", 2) == 0
		   ? item->queue + 2
		   : "";
}

static void add_id(struct choice *choice, const char *id)
{
	uint32_t number =
	    wf_org_find(choice->organisation, WF_ORG_PARTICIPANT, id);

	if (number != WF_ORG_NOBODY)
		wf_bitset_add(choice->task->people, number);
}

/* Whether the item stands in the participant's list. */
static bool sees(const struct choice *choice, const char *id)
{
	const struct wf_item_row *item = &choice->task->item;
	const char *except = wf_arena_printf(choice->arena, ",%s,", id);
	struct wf_texts queues = wf_audiences_queues(
	    choice->audiences, choice->organisation, id, choice->arena);

	return strstr(item->left_out, except) == NULL &&
	       wf_org_texts_have(&queues, item->queue);
}

/* Those who are offered the item and want mail about offers. */
static void add_offered(struct choice *choice)
{
	const struct wf_organisation *o = choice->organisation;
	size_t count = wf_org_count(o, WF_ORG_PARTICIPANT);

	if (choice->task->item.assignment != WF_RESOURCE_OFFERED)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct wf_participant *p = wf_participant_at(o, i);

		if (p->mail_on_offer && wf_mail_is_address(p->email) &&
		    sees(choice, p->record.id))
			wf_bitset_add(choice->task->people, i);
	}
}

static void add_allocated(struct choice *choice)
{
	const char *id = text_of(choice, "participant");
	uint32_t number =
	    wf_org_find(choice->organisation, WF_ORG_PARTICIPANT, id);
	json_int_t cause =
	    json_integer_value(json_object_get(choice->event, "number"));

	/* What people took themselves they know, and what was lost again. */
	if (cause == WF_CAUSE_ACCEPTED || cause == WF_CAUSE_CHAINED ||
	    cause == WF_CAUSE_ROLLED_BACK || number == WF_ORG_NOBODY ||
	    strcmp(holder_of(choice), id) != 0)
		return;
	if (wf_participant_at(choice->organisation, number)->mail_on_allocation)
		wf_bitset_add(choice->task->people, number);
}

static void add_reminded(struct choice *choice)
{
	const char *holder = holder_of(choice);

	if (holder[0] != '\0')
		add_id(choice, holder);
	else
		add_offered(choice);
}

/* The holders of the positions that those of a participant report to. */
static void add_supervisors(struct choice *choice, const char *id)
{
	const struct wf_organisation *o = choice->organisation;
	uint32_t number = wf_org_find(o, WF_ORG_PARTICIPANT, id);
	struct wf_numbers held;

	if (number == WF_ORG_NOBODY)
		return;
	held = wf_org_targets(o, WF_PARTICIPANT_positions, number);
	for (size_t i = 0; i < held.count; i++) {
		struct wf_numbers above =
		    wf_org_targets(o, WF_POSITION_reports_to, held.rows[i]);

		for (size_t k = 0; k < above.count; k++)
			wf_people_add_position(
			    o, choice->task->people, above.rows[k]);
	}
}

/* "notify", "notify ROLE"; what else is done sends mail of its own, or none. */
static void add_notified(struct choice *choice)
{
	static const char word[] = "notify";
	const char *action = text_of(choice, "action");
	uint32_t role;

	if (strcmp(action, word) == 0) {
		add_supervisors(choice, holder_of(choice));
		return;
	}
	if (strncmp(action, "notify ", sizeof(word)) != 0)
		return;
	role = wf_org_find_any(
	    choice->organisation, WF_ORG_ROLE, action + sizeof(word));
	if (role != WF_ORG_NOBODY)
		wf_people_add_role(
		    choice->organisation, choice->task->people, role);
}

static const struct row {
	const char *event;
	enum wf_mail_kind kind;
	void (*add)(struct choice *choice);
} rows[] = { { "ITEM_OFFERED", WF_MAIL_OFFER, add_offered },
	{ "ITEM_ALLOCATED", WF_MAIL_ALLOCATION, add_allocated },
	{ "ITEM_TAKEN", WF_MAIL_ALLOCATION, add_allocated },
	{ "ITEM_REMINDED", WF_MAIL_REMINDER, add_reminded },
	{ "ITEM_ESCALATED", WF_MAIL_ESCALATION, add_notified } };

static const struct row *find_row(const char *event)
{
	for (size_t i = 0; event != NULL && i < sizeof(rows) / sizeof(*rows);
	     i++)
		if (strcmp(rows[i].event, event) == 0)
			return &rows[i];
	return NULL;
}

bool wf_mail_hears(const char *event)
{
	return find_row(event) != NULL;
}

/* Without those who have no address. */
static bool keep_reachable(struct choice *choice)
{
	uint64_t *people = choice->task->people;
	bool any = false;

	WF_BITSET_EACH (i, people, wf_people_words(choice->organisation)) {
		if (wf_mail_is_address(
			wf_participant_at(choice->organisation, (uint32_t)i)
			    ->email))
			any = true;
		else
			wf_bitset_remove(people, i);
	}
	return any;
}

enum wf_rc wf_mail_recipients(const json_t *event, uint64_t number,
    struct wf_store *store, const struct wf_organisation *organisation,
    struct wf_audiences *audiences, struct wf_arena *arena,
    struct wf_mail_task *task_out, bool *any_out, struct wf_error *err)
{
	struct choice choice = { event, organisation, audiences, arena,
		task_out };
	const struct row *row =
	    find_row(json_string_value(json_object_get(event, "event")));
	enum wf_rc rc;

	*any_out = false;
	if (row == NULL)
		return WF_OK;
	*task_out = (struct wf_mail_task){ .kind = row->kind,
		.people = wf_people_new(organisation, arena),
		.action = text_of(&choice, "action") };
	rc = wf_store_item(store, number, text_of(&choice, "item"), arena,
	    &task_out->item, err);
	/* An item that is started has another id; that event comes, too. */
	if (rc == WF_NOT_FOUND)
		return WF_OK;
	if (rc != WF_OK)
		return rc;
	row->add(&choice);
	*any_out = keep_reachable(&choice);
	return WF_OK;
}
