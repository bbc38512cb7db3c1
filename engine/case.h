/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A running case.
 *
 * wf_case_step() reads no clock, no file and no random source: it turns a
 * command into events, or refuses; a refused command changes nothing.
 * wf_case_apply() is the only way events change a case, in a step and when a
 * case is rebuilt from its history.
 *
 * A case belongs to one thread at a time.  Net instances have YAWL's
 * identifiers ("7", "7.1", "7.1.2"), work items "7.1:Task".
 */
#ifndef WF_ENGINE_CASE_H
#define WF_ENGINE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "engine/event.h"
#include "spec/spec.h"

struct wf_case; /* opaque; the struct is in engine/state.h */

struct wf_limits {
#define WF_LIMIT_ROW(name, number, meaning) uint32_t name;
#include "engine/limits.def"
#undef WF_LIMIT_ROW
	/*
	 * As the engine has it that golden traces are recorded with: a task
	 * that a cancellation set has cancelled counts as busy for ever.  For
	 * comparing traces only.
	 */
	bool cancelled_stays_busy;
};

extern const struct wf_limits wf_limits_default;

enum wf_command_kind {
#define WF_COMMAND(name, word, item, meaning) WF_COMMAND_##name,
#include "engine/commands.def"
#undef WF_COMMAND
};

/*
 * Where a split goes, whatever its predicates say: for exploring a process
 * (a script, the witness of an analysis), not for real work.
 */
struct wf_choice {
	const char *task;
	/* Ids of elements behind it: one for an XOR-split, any for an OR. */
	const char *const *targets;
	size_t target_count;
};

struct wf_command {
	enum wf_command_kind kind;
	const char *item; /* "7.1:Task" where the command names an item */
	const char *data; /* XML, or NULL */
	size_t length;	  /* of data */
	int64_t now;	  /* milliseconds since 1970, UTC */
	int32_t timezone; /* the implicit time zone, minutes east */
	const struct wf_choice *choices; /* NULL: predicates decide */
	size_t choice_count;
};

/* The longest case id in full, with its NUL: "7.1.2..." */
#define WF_CASE_ID_SIZE 640
/* The longest id of a work item, with its NUL. */
#define WF_ITEM_ID_SIZE 1024

/* What a command did.  Made by wf_step_init(), used for many commands. */
struct wf_step {
	struct wf_buffer events; /* encoded */
	uint32_t event_count;
	struct wf_arena *arena; /* working memory, emptied at each command */
	struct wf_or_memory *or_memory;
	struct wf_undo *undo; /* what takes a refused command back */
	/* Large values that got their number in this step, ascending. */
	struct wf_value **large;
	size_t large_count;
	size_t large_capacity;
	/* START, SKIP, ADD: the instance's item; else "". */
	char item[WF_ITEM_ID_SIZE];
};

void wf_step_init(struct wf_step *step);
void wf_step_free(struct wf_step *step);

/*
 * Launches a case of spec's root net.  id: 1 to 64 of [A-Za-z0-9_-].
 * command->data: the case data, its root named after the net or the
 * specification.  spec and limits (NULL: the defaults) must outlive the
 * case.  WF_DATA when the data does not fit; WF_LIMIT.  *case_out is freed
 * with wf_case_free(), also when it completed at once.
 */
enum wf_rc wf_case_launch(struct wf_case **case_out, const struct wf_spec *spec,
    const char *id, const struct wf_limits *limits,
    const struct wf_command *command, struct wf_step *step,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Does what command says, or refuses: WF_NOT_FOUND (no such item),
 * WF_CONFLICT (not in this state), WF_INVALID (malformed), WF_DATA (does not
 * fit its type, a query failed), WF_LIMIT, WF_BUG (an assertion failed).
 */
enum wf_rc wf_case_step(struct wf_case *instance,
    const struct wf_command *command, struct wf_step *step,
    struct wf_error *err) WF_MUSTCHECK;

void wf_case_free(struct wf_case **instance);

enum wf_case_status {
	WF_CASE_RUNNING,
	WF_CASE_SUSPENDED,
	WF_CASE_COMPLETED,
	WF_CASE_DEADLOCKED,
	WF_CASE_CANCELLED
};

enum wf_case_status wf_case_status(const struct wf_case *instance);
const char *wf_case_id(const struct wf_case *instance);
const struct wf_spec *wf_case_spec(const struct wf_case *instance);
/*
 * Running, but no item is live: a sub-net ran empty or deadlocked.  It can
 * be dealt with by FORCE, FAIL or CANCEL_ITEM on the composite's instance
 * (wf_case_stuck()), or by cancelling the case.
 */
bool wf_case_is_stuck(const struct wf_case *instance);
/* Bytes of memory that the case holds. */
size_t wf_case_memory(const struct wf_case *instance);

enum wf_item_status {
#define WF_STATUS(name, word, live) WF_ITEM_##name,
#include "engine/statuses.def"
#undef WF_STATUS
};

const char *wf_item_status_name(enum wf_item_status status);

/* A live work item, as it can be seen from outside. */
struct wf_item {
	const struct wf_net *net;
	const struct wf_task *task;
	char case_id[WF_CASE_ID_SIZE]; /* the net's, or the instance's */
	enum wf_item_status status;
	enum wf_item_status suspended_from; /* when status is SUSPENDED */
	uint32_t choice; /* items of one deferred choice share it; 0: none */
	int64_t enabled_at;
	int64_t fired_at;
	int64_t started_at;
};

/*
 * The live items, sorted by task id (bytewise), then by case id (number by
 * number).  *items_out is freed with wf_free(); returns their number.
 */
size_t wf_case_items(
    const struct wf_case *instance, struct wf_item **items_out);
/* "7.1:Task" for an item. */
void wf_item_id(const struct wf_item *item, char id_out[WF_ITEM_ID_SIZE]);
/* The item with that id; WF_NOT_FOUND. */
enum wf_rc wf_case_item(const struct wf_case *instance, const char *id,
    struct wf_item *item_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Appends the item's data as XML: its input while it is Fired or Executing
 * ("<Task><x>..</x></Task>", the root being the decomposition's).
 */
enum wf_rc wf_case_item_input(const struct wf_case *instance, const char *id,
    struct wf_buffer *xml, struct wf_error *err) WF_MUSTCHECK;
/*
 * Appends the output that the item gets when nobody gives one: for each
 * output parameter the input of the same name, else its default value, else
 * false for a boolean, nothing for a string or a type of the user's, 0 for
 * any other built-in type.
 */
enum wf_rc wf_case_item_default_output(const struct wf_case *instance,
    const char *id, struct wf_buffer *xml, struct wf_error *err) WF_MUSTCHECK;

/*
 * Calls visit for each live net instance, in the order of their ids number
 * by number, the root first.
 */
#define WF_ROOT_NET 1 /* its serial number */

struct wf_net_view {
	const struct wf_net *net;
	char case_id[WF_CASE_ID_SIZE];
	const uint32_t *tokens;		   /* per condition */
	struct wf_value *const *variables; /* per net variable; NULL: unset */
	uint32_t serial;		   /* as in events */
	bool stuck;
	const void *state; /* for wf_net_view_is_busy() */
};

void wf_case_nets(const struct wf_case *instance,
    void (*visit)(void *argument, const struct wf_net_view *view),
    void *argument);
bool wf_net_view_is_busy(const struct wf_net_view *view, uint32_t task);

/* Appends the net data of the root net as XML; after completion its output. */
void wf_case_data(const struct wf_case *instance, struct wf_buffer *xml);

/*
 * The case as bytes: versioned, checksummed, the same for equal cases.
 * WF_LIMIT when it is too large.
 */
enum wf_rc wf_case_encode(const struct wf_case *instance,
    struct wf_buffer *bytes, struct wf_error *err) WF_MUSTCHECK;
/* WF_CORRUPT when the bytes are damaged or not of this specification. */
enum wf_rc wf_case_decode(struct wf_case **case_out, const struct wf_spec *spec,
    const struct wf_limits *limits, const void *bytes, size_t size,
    const struct wf_value_source *source, struct wf_error *err) WF_MUSTCHECK;

/*
 * Applies the events of one step to a case; *instance is NULL before the
 * first (which launches it).  now: the command's time.  On WF_CORRUPT the
 * case may be changed in part and is only good for wf_case_free().
 */
enum wf_rc wf_case_replay(struct wf_case **instance, const struct wf_spec *spec,
    const struct wf_limits *limits, int64_t now, const void *events,
    size_t size, const struct wf_value_source *source,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Calls visit with the id ("7.1:Task") of each OR-join that waits because it
 * could not be decided within a step.
 */
void wf_case_undecided(const struct wf_case *instance,
    void (*visit)(void *argument, const char *item), void *argument);
/*
 * Searches longer for the verdict on such an OR-join, outside any step, for
 * up to minutes, and appends what the command DECIDE takes as its data.
 * WF_LIMIT when even that does not decide it.
 */
enum wf_rc wf_case_search(const struct wf_case *instance, const char *item,
    struct wf_buffer *answer, struct wf_error *err) WF_MUSTCHECK;

/*
 * Checks what must hold always: derived counts equal recounted ones, an item
 * is enabled exactly when a full scan of its net says so.  WF_BUG.  For tests.
 */
enum wf_rc wf_case_check(
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;

#endif
