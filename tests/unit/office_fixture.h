/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines that decide about people, on a new store, without threads: anna, ben
 * and cara, two vans, and rates of costs; anna and ben are clerks.
 */
#ifndef WF_TESTS_UNIT_OFFICE_FIXTURE_H
#define WF_TESTS_UNIT_OFFICE_FIXTURE_H

#include "tests/unit/engine_fixture.h"
#include "worklist/decisions.h"

/* A node: an engine with its decisions. */
struct office_node {
	struct wf_engine *engine;
	struct wf_organisation *organisation;
	struct wf_audiences *audiences;
	struct wf_piles *piles;
	struct wf_fact_fold *facts;
	struct wf_decisions *decisions;
};

struct office {
	struct wf_fixture f;
	struct office_node nodes[2];
	bool blocks;
};

void office_open_node(struct office *office, struct office_node *node);
/* Does nothing with one that is not open. */
void office_close_node(struct office_node *node);
/* Runs a test on a new store of each kind, with the first node open. */
void office_on_all(bool blocks, void (*test)(struct office *office));
/* The same on stores that several engines can have. */
void office_on_shared(bool blocks, void (*test)(struct office *office));

/*
 * Loads a process of one task A, which everybody may do; rule: what follows its
 * offer in <resourcing>.
 */
void office_load(struct office *office, const char *name, const char *rule);
/* timing: attributes of the decomposition in the namespace p, of people. */
void office_load_timed(struct office *office, const char *name,
    const char *rule, const char *timing);
/* The task has three instances. */
void office_load_multiple(
    struct office *office, const char *name, const char *rule);
/* Behind it is a task B, with the same rule. */
void office_load_sequence(
    struct office *office, const char *name, const char *rule);
uint64_t office_launch(struct office *office, struct office_node *node);
/* The participant gives the command; ADMINISTRATOR: an administrator does. */
#define ADMINISTRATOR NULL
enum wf_rc office_act(struct office_node *node, uint64_t number,
    enum wf_command_kind kind, const char *instance, const char *participant,
    const char *targets, struct wf_error *err) WF_MUSTCHECK;
/* The item of a case; its texts live in the arena. */
struct wf_item_row office_item(struct office *office, uint64_t number);

#endif
