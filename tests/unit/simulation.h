/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole engines from one seed in one thread: the declarations that the parts of
 * the simulation share. See test_simulation.c.
 */
#ifndef WF_TESTS_UNIT_SIMULATION_H
#define WF_TESTS_UNIT_SIMULATION_H

#include "base/map.h"
#include "base/random.h"
#include "tests/unit/engine_fixture.h"

#define SIMULATION_CLIENTS 10U
#define SIMULATION_ENGINES 2U
#define SIMULATION_SPECS 3U
#define SIMULATION_CASES 6U
#define SIMULATION_REQUESTS 4000U
#define SIMULATION_ACTOR "ann"

/* What a client knows of one request. */
struct record {
	struct wf_request request;
	char key[16]; /* also its origin, by which its effects are recognised */
	char item[WF_ITEM_ID_SIZE];
	char owner[8]; /* of its lease */
	char name[8];  /* the name of its case */
	bool waiting;  /* submitted, not answered */
	enum { OPEN, ACKNOWLEDGED, REFUSED } outcome;
	uint64_t number;
	uint64_t sequence;
	char started[WF_ITEM_ID_SIZE]; /* as in the answer */
	bool differs; /* the answer is not the one given before */
};

/* An item that a worker has, or had. */
struct holding {
	uint64_t number;
	char item[WF_ITEM_ID_SIZE];
	struct wf_lease lease;
	const struct record *start; /* NULL: there was none */
};

struct client {
	struct record *current;
	struct holding holding;
	char owner[8];
};

/*
 * What happened, over many seeds: a simulation in which an event never happens
 * proves nothing about it.
 */
struct simulation_counts {
#define WF_COUNT(name) unsigned name;
#include "tests/unit/simulation_counts.def"
#undef WF_COUNT
};

struct simulation {
	struct wf_random random;
	uint64_t seed;
	struct wf_fixture fixture; /* its engine is one of these */
	struct wf_engine *engines[SIMULATION_ENGINES];
	uint64_t specs[SIMULATION_SPECS + 1];
	uint64_t wide; /* the specification with many timers */
	size_t spec_count;
	struct record *records;
	size_t record_count;
	struct client clients[SIMULATION_CLIENTS];
	uint64_t cases[SIMULATION_CASES]; /* that the clients work on */
	int64_t latest;	  /* time of the clock, which is also set back */
	bool holds;	  /* the test has a batch */
	bool all_retried; /* incidents, at the end */
	char broken[WF_ITEM_ID_SIZE];
	struct simulation_counts *counts;
	struct wf_map *quarantined; /* cases, with their versions then */
	/* Announcements of each item and case; see simulation_model.c. */
	struct wf_map *announced_by_subject;
	struct announced *announced;
	size_t announced_count;
	size_t announced_capacity;
};

/* Prints a violation, with the seed. */
bool simulation_hold(const struct simulation *s, bool condition,
    const char *what, const char *which);

/* --- simulation_clients.c --- */

/* A client sends a request, or waits. */
void simulation_act(struct simulation *s, struct client *client);
/* Many clients send to one engine at once. */
void simulation_rush(struct simulation *s);
/* Sends a request to one of the engines, once more. */
void simulation_submit(struct simulation *s, struct record *record);
/* The record with that key; NULL: there is none. */
struct record *simulation_record(const struct simulation *s, const char *key);

/* --- simulation_model.c --- */

/* Takes announcements and acknowledges them. */
bool simulation_listen(struct simulation *s);
/* Whether the store agrees with the clients' records; all engines are idle. */
bool simulation_is_model(struct simulation *s);

#endif
