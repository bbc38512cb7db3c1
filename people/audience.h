/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audience of an item: who it was offered to, as it was decided.
 *
 * Its text is JSON, the same for equal decisions, and part of the history:
 *
 *   {"all":true}          everybody
 *   {"people":[ID..]}     these participants
 *   {"roles":[ID..]}      whoever is a member of one of the roles, or of a role
 *                         below it, when the audience is asked
 *   {"set":NAME}          a set of participants, which is kept under that name
 *   and "except":[ID..]   but not these
 *
 * Items with the same audience but for the exceptions stand in one queue, so
 * that a rule such as four eyes does not make a queue for each item.
 */
#ifndef WF_PEOPLE_AUDIENCE_H
#define WF_PEOPLE_AUDIENCE_H

#include "people/organisation/organisation.h"

/* An audience names at most so many participants. */
#define WF_AUDIENCE_NAMES 100U

/* The name of a set, or of a queue, with its NUL. */
#define WF_AUDIENCE_NAME_SIZE (2U + 32U + 1U)

struct wf_audience {
	bool all;
	struct wf_texts people;
	struct wf_texts roles;
	const char *set; /* NULL: none */
	struct wf_texts except;
};

/* The canonical text, in the arena. */
const char *wf_audience_write(
    const struct wf_audience *audience, struct wf_arena *arena);
/* The texts are in the arena.  WF_CORRUPT: the text is no audience. */
enum wf_rc wf_audience_read(const char *text, struct wf_arena *arena,
    struct wf_audience *audience_out, struct wf_error *err) WF_MUSTCHECK;

/* The name of a set: a hash of its members. */
void wf_people_set_name(const struct wf_organisation *organisation,
    const uint64_t *set, char name_out[WF_AUDIENCE_NAME_SIZE]);
/*
 * The queue in which items of the audience stand: "A:" and a hash of the
 * audience without its exceptions; of one participant, that of what the
 * participant has.  In the arena.
 */
const char *wf_audience_queue(
    const struct wf_audience *audience, struct wf_arena *arena);
/* The queue of what a participant has, "P:ID", in the arena. */
const char *wf_participant_queue(
    const char *participant, struct wf_arena *arena);
/* The queue of items that are offered to nobody. */
#define WF_UNOFFERED_QUEUE "U"

/* Who knows the sets that are kept. */
struct wf_set_keeper {
	void *context;
	/* Whether the participant is in the set; false: or it is unknown. */
	bool (*has)(void *context, const char *set, const char *participant);
};

/* Whether the participant is in the audience.  keeper NULL: it has no set. */
bool wf_audience_has(const struct wf_organisation *organisation,
    const struct wf_set_keeper *keeper, const struct wf_audience *audience,
    const char *participant);

#endif
