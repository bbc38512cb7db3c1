/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Due commands: commands without a caller, from the due table.
 *
 *   armed     a due row, written in the batch of the step or request that
 *             wants the command
 *   claimed   by one engine for a time; the row's attempts have grown
 *   tried     as a command; the row is removed in the batch of its step
 *   refused   the row becomes an incident; retrying the incident makes a due
 *             row again
 *
 * The name of a due row is used once.  So a command that was claimed long ago
 * can neither do nor remove what was armed later, and the name is enough of
 * an id for the command.
 *
 * A row that was claimed before and is still there may have crashed its
 * engine: it may be deadly.  Such commands are tried in isolation, one at a
 * time, each attempt counted in the store before it is made.  So the deadly
 * one is found, and not all those that were claimed together with it.
 */
#ifndef WF_RUNTIME_DUE_COMMAND_H
#define WF_RUNTIME_DUE_COMMAND_H

#include "base/error.h"
#include "base/memory.h"
#include "persistence/rows.h"

/* How long a claim keeps other engines off. */
#define WF_DUE_COMMAND_LEASE_MS INT64_C(60000)
/*
 * Isolated attempts, after which the command is refused: with the first
 * attempt it can crash three engines.
 */
#define WF_DUE_COMMAND_ISOLATED_MAXIMUM 2U

/* Kinds of due rows, and of what an incident tries again. */
enum {
	WF_DUE_REQUEST = 1, /* a request */
	WF_DUE_SEARCH = 2   /* the id of an undecided OR-join */
};

/* The attempts before a claim; stored with the row. */
struct wf_due_attempts {
	uint64_t incident; /* from which it was retried; 0: none */
	uint32_t attempts;
	/*
	 * Of the first attempt; milliseconds since 1970.  Without attempts:
	 * when a launch was due that waits; 0: it does not.
	 */
	int64_t first_at;
	uint32_t isolated; /* how many of the attempts */
};

/* The diagram with the function of each edge is in due_claimed.c. */
enum due_state {
	DUE_WAITING,
	DUE_SEARCHED, /* its OR-join is being searched, or will be */
	DUE_TRIED,    /* a shard has the command */
	DUE_RETURNED  /* isolated, but the store failed: not tried at all */
};

struct due_command {
	struct due_command *next;
	enum due_state state;
	struct wf_due_row row; /* texts and payload are its own */
	int64_t until;	       /* end of the claim; milliseconds since 1970 */
	struct wf_due_attempts earlier;
	uint32_t attempts; /* including the one of this claim */
	struct wf_bytes body;
	size_t size; /* bytes of memory */
	/* If rc is not WF_OK, the command is refused with this error. */
	struct wf_error refusal;
};

/*
 * The payload of a due row or an incident, in the arena.  earlier: NULL for
 * none.
 */
struct wf_bytes wf_due_command_payload(const struct wf_due_attempts *earlier,
    struct wf_bytes body, struct wf_arena *arena);
/* *body_out points into payload.  WF_CORRUPT. */
enum wf_rc wf_due_command_decode(struct wf_bytes payload,
    struct wf_due_attempts *earlier_out, struct wf_bytes *body_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * A claimed row, copied.  until: when the claim ends, milliseconds since 1970.
 * A row that cannot be decoded has a refusal, so that trying it makes an
 * incident.  Freed with wf_due_command_free().
 */
struct due_command *wf_due_command_new(
    const struct wf_due_row *row, int64_t until);
void wf_due_command_free(struct due_command **due);
/* Whether an earlier attempt may have crashed its engine. */
bool wf_due_command_may_be_deadly(const struct due_command *due);

/*
 * The name of the due row of a launch that is put off; names are in the order
 * of the case numbers.
 */
#define WF_START_NAME_BYTES 28U
void wf_start_name(uint64_t number, char name[WF_START_NAME_BYTES]);
/* The number in such a name; 0: the name is not one of a launch. */
uint64_t wf_start_number(const char *name);

#endif
