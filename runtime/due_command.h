/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Due commands: commands without a caller, from the due table.
 *
 *   armed     a due row, in the batch of the step or request that wants it
 *   claimed   by one node for some time; the row's attempts have grown
 *   tried     as a command; the row is removed in the batch of its step
 *   refused   the row becomes an incident; retried, that is a due row again
 *
 * The name of a due row is given once: so an due that was claimed long ago
 * can neither do nor remove what was armed later, and its name is enough of
 * an id for its command.
 *
 * An due that was claimed before and is still there may be what killed its
 * engine: a suspect.  Suspects are tried one at a time, each trial counted in
 * the store before it; so the one that kills is found, and not all those that
 * were claimed together with it.
 */
#ifndef WF_RUNTIME_DUE_COMMAND_H
#define WF_RUNTIME_DUE_COMMAND_H

#include "base/error.h"
#include "base/memory.h"
#include "persistence/rows.h"

/* A claimed due is not given to others for so long. */
#define WF_DUE_COMMAND_LEASE_MS INT64_C(60000)
/* So often a suspect is tried: with the first time it may kill thrice. */
#define WF_DUE_COMMAND_TRIALS 2U

/* Kinds of due rows, and of what an incident tries again. */
enum {
	WF_DUE_REQUEST = 1, /* a request */
	WF_DUE_SEARCH = 2   /* the id of an undecided OR-join */
};

/* What has become of it so far; stored with it. */
struct wf_due_attempts {
	uint64_t incident; /* that it was before; 0: none */
	uint32_t attempts;
	int64_t first_at; /* of the attempts, if there were any */
	uint32_t trials;  /* attempts alone, as a suspect */
};

enum due_state {
	DUE_WAITS,
	DUE_SEARCHED, /* its OR-join is, or will be */
	DUE_TRIED,    /* it is a shard's */
	DUE_SPARED    /* its trial was none: nothing could be done */
};

struct due_command {
	struct due_command *next;
	enum due_state state;
	struct wf_due_row row; /* texts and payload are its own */
	int64_t until;	       /* it is this node's */
	struct wf_due_attempts past;
	uint32_t attempts; /* with this one */
	struct wf_bytes body;
	size_t size; /* bytes of memory */
	/* Unless rc is WF_OK it is not tried, but refused with that. */
	struct wf_error refusal;
};

/* The payload of a due row, or an incident.  past: NULL: it has none. */
struct wf_bytes wf_due_command_payload(const struct wf_due_attempts *past,
    struct wf_bytes body, struct wf_arena *arena);
/* The body stays in the payload.  WF_CORRUPT. */
enum wf_rc wf_due_command_decode(struct wf_bytes payload,
    struct wf_due_attempts *past_out, struct wf_bytes *body_out,
    struct wf_error *err) WF_MUSTCHECK;

/* A claimed row, copied.  A damaged one is refused. */
struct due_command *wf_due_command_new(
    const struct wf_due_row *row, int64_t until);
void wf_due_command_free(struct due_command **due);
bool wf_due_command_is_suspect(const struct due_command *due);

#endif
