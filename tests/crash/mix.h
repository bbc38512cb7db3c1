/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The specifications of mix.wfs, and the choice of a client's next request for
 * their cases.
 */
#ifndef WF_TESTS_CRASH_MIX_H
#define WF_TESTS_CRASH_MIX_H

#include "base/random.h"
#include "tests/crash/records.h"

#define CRASH_NETS 16U
/* Items of this task are counted. */
#define CRASH_COUNTED "Count"
/* The variable that counts them. */
#define CRASH_COUNT "count"
/* Cases of this net end in a deadlock, others never do. */
#define CRASH_DEAD "dead"

struct crash_net {
	uint64_t key; /* of the specification */
	bool is_for_people;
	char name[32];
};

struct crash_mix {
	struct crash_net nets[CRASH_NETS];
	size_t count;
};

/*
 * Reads the scenario file and loads the specifications into the engine; returns
 * the engine's result.
 */
enum wf_rc crash_mix_load(struct crash_mix *mix, const char *path,
    struct wf_engine *engine, struct wf_error *err);
/* The people of the file; it has one reference. */
struct wf_organisation *crash_mix_people(const char *path);
/* Whether all items of the net are for people; false: it is not of the mix. */
bool crash_mix_is_for_people(const struct crash_mix *mix, uint64_t key);
/* The root net's name; "" for a key that is not of the mix. */
const char *crash_mix_net(const struct crash_mix *mix, uint64_t key);

/* Whether an accepted command adds one to the count of its case. */
bool crash_is_counted(const struct crash_request *request);

/* The facts on which a client bases its choice. */
struct crash_sight {
	struct wf_store *store;
	struct wf_random *random;
	struct wf_arena *arena;
	const struct wf_case_list *cases; /* that are live */
	size_t wanted;			  /* that many should be */
	bool for_people;		  /* nothing else is launched */
	int64_t now;
};

/* Chooses a request, without its serial; false: the store cannot be read. */
bool crash_choose(const struct crash_mix *mix, const struct crash_sight *sight,
    struct crash_request *request_out);

#endif
