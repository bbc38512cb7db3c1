/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILES 256U

static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity * 2 + 64;
	return wf_realloc(array, *capacity * size);
}

/* --- requests ------------------------------------------------------------- */

static struct fact *fact_of(struct facts *facts, uint64_t serial)
{
	struct fact *fact;
	char id[32];

	snprintf(id, sizeof(id), "c%u/k%" PRIu64, facts->reader, serial);
	fact = wf_map_get(facts->ids, id);
	if (fact != NULL)
		return fact;
	fact = wf_calloc(1, sizeof(*fact));
	snprintf(fact->id, sizeof(fact->id), "%s", id);
	fact->client = facts->reader;
	wf_map_add(facts->ids, id, fact);
	facts->list = grow(
	    facts->list, facts->count, &facts->capacity, sizeof(struct fact *));
	facts->list[facts->count++] = fact;
	return fact;
}

struct fact *facts_add_request(
    struct facts *facts, unsigned client, const struct crash_request *request)
{
	struct fact *fact;

	facts->reader = client;
	fact = fact_of(facts, request->serial);

	fact->request = *request;
	if (fact->open++ == 0) {
		fact->copies = 0;
		fact->known = fact->acknowledged;
	}
	fact->copies++;
	facts->last = fact;
	return fact;
}

static bool is_same(const struct crash_answer *a, const struct crash_answer *b)
{
	return a->number == b->number && a->sequence == b->sequence &&
	       a->status == b->status && strcmp(a->item, b->item) == 0 &&
	       strcmp(a->name, b->name) == 0;
}

static void add_success(struct fact *fact, const struct crash_answer *answer)
{
	fact->first_time += !answer->repeated;
	if (fact->acknowledged)
		fact->differs |= !is_same(&fact->answer, answer);
	else
		fact->answer = *answer;
	fact->differs |= fact->known && !answer->repeated;
	fact->acknowledged = true;
}

/* The store did not know the request; a copy that runs now may still do it. */
static void add_refusal(struct fact *fact)
{
	fact->differs |= fact->known;
	if (fact->copies == 1)
		fact->maybe = false;
}

void facts_add_answer(struct fact *fact, const struct crash_answer *answer)
{
	if (fact->open == 0)
		crash_fail("%s: an answer to nothing", fact->id);
	fact->open--;
	if (answer->rc == WF_OK)
		add_success(fact, answer);
	else if (answer->rc == WF_LOST)
		fact->maybe = true;
	else if (answer->rc != WF_IO && answer->rc != WF_UNAVAILABLE)
		add_refusal(fact);
}

/* A process is gone: a request without an answer may be done or not. */
static void end_process(struct facts *facts)
{
	if (facts->last == NULL || facts->last->open == 0)
		return;
	facts->last->maybe = true;
	facts->last->open = 0;
}

static void begin_process(struct facts *facts)
{
	end_process(facts);
	if (++facts->begun_here > facts->begun)
		facts->begun = facts->begun_here;
}

static void read_client(void *context, const struct crash_line *line)
{
	struct facts *facts = context;

	if (line->kind == 'I')
		facts_add_request(facts, facts->reader, &line->request);
	else if (line->kind == 'A')
		facts_add_answer(
		    fact_of(facts, line->answer.serial), &line->answer);
	else
		begin_process(facts);
}

/* --- observers ------------------------------------------------------------ */

static void add_row(struct facts *facts, const struct wf_cursor *row)
{
	facts->rows = grow(facts->rows, facts->row_count, &facts->row_capacity,
	    sizeof(facts->rows[0]));
	facts->rows[facts->row_count++] = *row;
}

static void add_numbers(struct facts *facts, const uint64_t numbers[2])
{
	facts->numbers = grow(facts->numbers, facts->number_count + 1,
	    &facts->number_capacity, sizeof(facts->numbers[0]));
	memcpy(&facts->numbers[facts->number_count], numbers,
	    2 * sizeof(numbers[0]));
	facts->number_count += 2;
}

static void name_message(char key[48], uint64_t number, uint64_t message)
{
	snprintf(key, 48, "%" PRIu64 " %" PRIu64, number, message);
}

void facts_add_message(struct facts *facts, uint64_t number, uint64_t message)
{
	char key[48];

	name_message(key, number, message);
	wf_map_add(facts->messages, key, facts);
}

bool facts_has_message(
    const struct facts *facts, uint64_t number, uint64_t message)
{
	char key[48];

	name_message(key, number, message);
	return wf_map_get(facts->messages, key) != NULL;
}

/* --- piles ---------------------------------------------------------------- */

/*
 * One observer changes all piles, one after the other.  A task is piled to who
 * has it already, or when it is free; what is not known, may be either.
 */
static void end_piling(struct facts *facts, enum wf_rc rc)
{
	unsigned *may = &facts->piled[facts->pile_task];
	unsigned wanted = 1U << facts->pile_person;
	/* From where it comes to be as wanted. */
	unsigned from = facts->pile_person == 0 ? ~1U : 1U | wanted;

	if (!facts->is_piling)
		return;
	facts->is_piling = false;
	if (rc == WF_OK) {
		*may = (*may & from) != 0 ? wanted : 0;
		facts->piling++;
	} else if (rc == WF_CONFLICT || rc == WF_NOT_FOUND) {
		*may &= ~from;
	} else if ((*may & from) != 0) {
		*may |= wanted;
	}
}

static void begin_piling(struct facts *facts, const uint64_t numbers[2])
{
	end_piling(facts, WF_LOST); /* of a process that was killed */
	if (numbers[0] >= CRASH_PILED || numbers[1] > CRASH_PEOPLE)
		crash_fail("no task, or no person");
	facts->is_piling = true;
	facts->pile_task = numbers[0];
	facts->pile_person = numbers[1];
}

static void read_seer(void *context, const struct crash_line *line)
{
	struct facts *facts = context;
	struct wf_cursor row = { .position = line->numbers[0],
		.number = line->numbers[1],
		.sequence = line->numbers[2] };

	if (line->kind == 'H')
		add_row(facts, &row);
	else if (line->kind == 'M')
		facts_add_message(facts, line->numbers[0], line->numbers[1]);
	else if (line->kind == 'R')
		add_numbers(facts, line->numbers);
	else if (line->kind == 'P')
		begin_piling(facts, line->numbers);
	else if (line->kind == 'Q')
		end_piling(facts, (enum wf_rc)line->numbers[0]);
}

/* --- all ------------------------------------------------------------------ */

void facts_read(struct facts *facts, const char *folder)
{
	memset(facts, 0, sizeof(*facts));
	facts->ids = wf_map_new();
	facts->messages = wf_map_new();
	for (unsigned task = 0; task < CRASH_PILED; task++)
		facts->piled[task] = 1;
	for (facts->reader = 0; facts->reader < FILES; facts->reader++) {
		struct wf_cursor none = { 0 };

		facts->last = NULL;
		facts->begun_here = 0;
		crash_records_read(
		    folder, 'c', facts->reader, read_client, facts);
		end_process(facts);
		add_row(facts, &none);
		crash_records_read(
		    folder, 's', facts->reader, read_seer, facts);
		end_piling(facts, WF_LOST);
	}
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		wf_free(facts->list[i]);
	wf_free(facts->list);
	wf_free(facts->rows);
	wf_free(facts->numbers);
	wf_map_free(&facts->ids);
	wf_map_free(&facts->messages);
}

struct fact *facts_find(const struct facts *facts, const char *id)
{
	return wf_map_get(facts->ids, id);
}
