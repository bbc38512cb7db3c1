/* SPDX-License-Identifier: Apache-2.0 */
#include "people/work_log.h"

#include <string.h>

#include "base/map.h"
#include "base/panic.h"

/* RiskAssessment: times of at most so many ms are short. */
#define QUICK_MS 6000

struct person {
	struct person *next; /* of all */
	struct wf_work_facts facts;
};

/* What an item adds to the facts of somebody. */
struct share {
	struct person *person; /* NULL: nothing */
	int64_t time;
};

struct item {
	struct item *next; /* of all */
	struct item **self;
	struct person *who[WF_WORK_EVENTS]; /* NULL: not yet */
	int64_t at[WF_WORK_EVENTS];
	struct share shares[WF_WORK_SPANS];
};

struct wf_work_log {
	struct wf_map *people; /* by id */
	struct wf_map *items;
	struct person *first_person;
	struct item *first_item;
	uint64_t events;
};

struct wf_work_log *wf_work_log_new(void)
{
	struct wf_work_log *log = wf_calloc(1, sizeof(*log));

	log->people = wf_map_new();
	log->items = wf_map_new();
	return log;
}

void wf_work_log_free(struct wf_work_log **log)
{
	struct wf_work_log *old = *log;

	*log = NULL;
	if (old == NULL)
		return;
	while (old->first_person != NULL) {
		struct person *person = old->first_person;

		old->first_person = person->next;
		wf_free(person);
	}
	while (old->first_item != NULL) {
		struct item *item = old->first_item;

		old->first_item = item->next;
		wf_free(item);
	}
	wf_map_free(&old->people);
	wf_map_free(&old->items);
	wf_free(old);
}

static struct person *person_of(struct wf_work_log *log, const char *id)
{
	struct person *person = wf_map_get(log->people, id);

	if (person == NULL) {
		person = wf_calloc(1, sizeof(*person));
		person->next = log->first_person;
		log->first_person = person;
		wf_map_add(log->people, id, person);
	}
	return person;
}

static struct item *item_of(struct wf_work_log *log, const char *id)
{
	struct item *item = wf_map_get(log->items, id);

	if (item == NULL) {
		item = wf_calloc(1, sizeof(*item));
		item->self = &log->first_item;
		item->next = log->first_item;
		if (item->next != NULL)
			item->next->self = &item->next;
		log->first_item = item;
		wf_map_add(log->items, id, item);
	}
	return item;
}

void wf_work_log_forget(struct wf_work_log *log, const char *item)
{
	struct item *old = wf_map_remove(log->items, item);

	if (old == NULL)
		return;
	*old->self = old->next;
	if (old->next != NULL)
		old->next->self = old->self;
	wf_free(old);
}

/* --- times ---------------------------------------------------------------- */

static bool has(const struct item *item, enum wf_work_event event)
{
	return item->who[event] != NULL;
}

static enum wf_work_event first_of(
    const struct item *item, enum wf_work_span span)
{
	switch (span) {
	case WF_OFFER_TO_ALLOCATE:
		return WF_WORK_OFFERED;
	case WF_ALLOCATE_TO_START:
	case WF_ALLOCATE_TO_COMPLETE:
		return WF_WORK_ALLOCATED;
	case WF_START_TO_COMPLETE:
		return WF_WORK_STARTED;
	case WF_FIRST_TO_COMPLETE:
		return has(item, WF_WORK_OFFERED)     ? WF_WORK_OFFERED
		       : has(item, WF_WORK_ALLOCATED) ? WF_WORK_ALLOCATED
						      : WF_WORK_STARTED;
	case WF_WORK_SPANS:
		break;
	}
	wf_panic(__FILE__, __LINE__, "no span");
}

static enum wf_work_event last_of(enum wf_work_span span)
{
	return span == WF_OFFER_TO_ALLOCATE   ? WF_WORK_ALLOCATED
	       : span == WF_ALLOCATE_TO_START ? WF_WORK_STARTED
					      : WF_WORK_COMPLETED;
}

static void count(const struct share *share, enum wf_work_span span, int sign)
{
	struct wf_work_facts *facts;

	if (share->person == NULL)
		return;
	facts = &share->person->facts;
	facts->times[span].sum += sign * share->time;
	facts->times[span].count += (uint64_t)sign;
	if (span == WF_ALLOCATE_TO_COMPLETE && share->time <= QUICK_MS)
		facts->quick += (uint64_t)sign;
}

static void measure(struct item *item, enum wf_work_span span)
{
	struct share *share = &item->shares[span];
	enum wf_work_event first = first_of(item, span);
	enum wf_work_event last = last_of(span);

	count(share, span, -1);
	share->person = NULL;
	if (!has(item, first) || !has(item, last))
		return;
	share->person = item->who[first];
	share->time = item->at[last] - item->at[first];
	count(share, span, 1);
}

/* The latest time counts, and of equal times the last one added. */
static void note(struct wf_work_moment *moment, int64_t at, uint64_t order)
{
	if (moment->order == 0 || at >= moment->at)
		*moment = (struct wf_work_moment){ at, order };
}

void wf_work_log_add(struct wf_work_log *log, const char *item,
    const char *participant, enum wf_work_event event, int64_t at)
{
	struct person *person = person_of(log, participant);
	struct item *about = item_of(log, item);

	wf_assert(event < WF_WORK_EVENTS);
	log->events++;
	about->who[event] = person;
	about->at[event] = at;
	for (unsigned span = 0; span < WF_WORK_SPANS; span++)
		measure(about, span);
	if (event == WF_WORK_ALLOCATED)
		note(&person->facts.allocated, at, log->events);
	if (event == WF_WORK_COMPLETED) {
		note(&person->facts.completed, at, log->events);
		person->facts.completions++;
	}
}

bool wf_work_log_has(const struct wf_work_log *log, const char *participant)
{
	return wf_map_get(log->people, participant) != NULL;
}

void wf_work_log_get(const struct wf_work_log *log, const char *participant,
    struct wf_work_facts *facts)
{
	const struct person *person = wf_map_get(log->people, participant);
	struct wf_work_facts before = *facts;

	if (person == NULL)
		return;
	*facts = person->facts;
	facts->waiting = before.waiting;
	facts->cost = before.cost;
}
