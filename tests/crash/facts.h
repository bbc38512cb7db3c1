/* SPDX-License-Identifier: Apache-2.0 */
/* The records of all clients, combined, to be compared with a store. */
#ifndef WF_TESTS_CRASH_FACTS_H
#define WF_TESTS_CRASH_FACTS_H

#include "base/map.h"
#include "tests/crash/people.h"
#include "tests/crash/records.h"

/* One request, however often it was sent. */
struct fact {
	char id[32]; /* of the command: "c1/k7" */
	unsigned client;
	struct crash_request request;
	unsigned open;	     /* sent, and not answered yet */
	unsigned copies;     /* sent at the same time, the last time */
	bool known;	     /* it was acknowledged before that */
	bool acknowledged;   /* answer is the one it was given */
	bool maybe;	     /* some attempt has an unknown outcome */
	unsigned first_time; /* answers that said it was done just now */
	bool differs;	     /* answers that do not agree */
	struct crash_answer answer;

	/* What the store knows of it. */
	unsigned steps;
	uint64_t number;
	uint64_t sequence;
	unsigned incidents;
	bool withdrawn; /* a start: that was acknowledged, .. */
	bool perhaps;	/* .. or whose answer is unknown */
};

struct facts {
	struct fact **list; /* in the order in which they were made */
	size_t count;
	size_t capacity;
	struct wf_map *ids; /* id -> struct fact */
	/* H of each observer behind each other, zeros between. */
	struct wf_cursor *rows;
	size_t row_count;
	size_t row_capacity;
	struct wf_map *messages; /* "NUMBER MESSAGE" -> anything */
	/* R: first and count, by turns. */
	uint64_t *numbers;
	size_t number_count;
	size_t number_capacity;
	/* To whom each task can be piled: a bit for each person, 1: nobody. */
	unsigned piled[CRASH_PILED];
	unsigned piling;    /* acknowledged, of all tasks */
	bool is_piling;	    /* what follows has no answer yet */
	uint64_t pile_task; /* P */
	uint64_t pile_person;
	unsigned reader;     /* the file that is being read */
	struct fact *last;   /* of that client */
	unsigned begun_here; /* processes, as it saw them */
	unsigned begun;	     /* as the client that saw the most of them */
};

void facts_read(struct facts *facts, const char *folder);
void facts_free(struct facts *facts);

/* NULL: no client has sent it. */
struct fact *facts_find(const struct facts *facts, const char *id);
/* A request that the checker makes itself, as that client; it is open. */
struct fact *facts_add_request(
    struct facts *facts, unsigned client, const struct crash_request *request);
/* Adds the answer to the last copy of it. */
void facts_add_answer(struct fact *fact, const struct crash_answer *answer);
void facts_add_message(struct facts *facts, uint64_t number, uint64_t message);
bool facts_has_message(
    const struct facts *facts, uint64_t number, uint64_t message);

#endif
