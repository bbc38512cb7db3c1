/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine without threads on a new store, with a clock that the test moves,
 * and a process to run: A, then B and C in parallel, then D.
 * WEFT_TEST_STORE=KIND chooses the kind of store: memory, sqlite, ..
 */
#ifndef WF_TESTS_UNIT_ENGINE_FIXTURE_H
#define WF_TESTS_UNIT_ENGINE_FIXTURE_H

#include "runtime/engine.h"
#include "tests/unit/store_fixture.h"

#define WF_FIXTURE_START INT64_C(1767225600000)
#define WF_FIXTURE_DEATH 9 /* exit status */

struct wf_fixture {
	struct wf_engine *engine;
	struct wf_engine_settings settings;
	const struct store_kind *kind;
	struct store_fixture place;
	struct wf_store *store; /* a handle to inspect it */
	struct wf_arena *arena;
	int64_t now;
	uint64_t key; /* of the process */
	/* For the probe: a step on this item fails like a bug, .. */
	const char *broken_item;
	/* .. and one on this ends the process. */
	const char *deadly_item;
	/* The error of the last call. */
	struct wf_error err;
};

/* Opens nothing yet; settings may be changed. */
void wf_fixture_init(struct wf_fixture *fixture);
/* The same on a store of that kind. */
void wf_fixture_init_on(struct wf_fixture *fixture, const char *kind);
/* Opens the engine, and the first time the store, and loads the process. */
void wf_fixture_open(struct wf_fixture *fixture);
void wf_fixture_free(struct wf_fixture *fixture);

enum wf_rc wf_fixture_load(
    struct wf_fixture *fixture, const char *xml, size_t length);
/* Loads the process, as opening does. */
enum wf_rc wf_fixture_load_process(struct wf_fixture *fixture);
/* A composite task A, whose net has an atomic task A. */
enum wf_rc wf_fixture_load_nested(struct wf_fixture *fixture);
/* Up to nine other processes that differ only in their version. */
enum wf_rc wf_fixture_load_variant(
    struct wf_fixture *fixture, unsigned variant);
/* 0 when it was refused. */
uint64_t wf_fixture_launch(struct wf_fixture *fixture);
enum wf_rc wf_fixture_do(struct wf_fixture *fixture, uint64_t number,
    enum wf_command_kind kind, const char *item, const char *data,
    struct wf_answer *answer_out);
/* Schedules a command for later. */
enum wf_rc wf_fixture_schedule(struct wf_fixture *fixture, uint64_t number,
    enum wf_command_kind kind, const char *item, int64_t at);
/* Schedules a launch of the process, by "ann"; returns the case's number. */
uint64_t wf_fixture_put_off(
    struct wf_fixture *fixture, const char *name, int64_t at);
/* Turns until nothing can be done now. */
void wf_fixture_turn(struct wf_fixture *fixture);
/* A reply of a request; context: two counters, of successes and of failures. */
void wf_fixture_count_reply(void *context, const struct wf_reply *reply);
/* Retries an incident. */
enum wf_rc wf_fixture_retry(struct wf_fixture *fixture, uint64_t incident);
/* All incidents, by id; the fixture owns them. */
struct wf_incident_list wf_fixture_incidents(struct wf_fixture *fixture);
/* The version of a live case; 0: it is not live. */
uint64_t wf_fixture_version(struct wf_fixture *fixture, uint64_t number);
bool wf_fixture_is_quarantined(struct wf_fixture *fixture, uint64_t number);
/* The items of a case, as the store has them: "A=0 B=2 ". */
const char *wf_fixture_items(struct wf_fixture *fixture, uint64_t number);
/* Whether the rows of items agree with the case, state and history. */
bool wf_fixture_agrees(struct wf_fixture *fixture, uint64_t number);
/* Whether the check of the store finds nothing; prints its findings. */
bool wf_fixture_is_whole(struct wf_fixture *fixture);

#endif
