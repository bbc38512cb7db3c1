/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of a case, read step by step.
 *
 * The store holds events as the kernel recorded them: they name net instances,
 * tasks and variables by number.  A reader loads the steps of one case, checks
 * and decodes them, and passes each event to a visitor together with what its
 * numbers stand for.  All that is made from histories is made by visitors.
 *
 * Net instances are numbered in the order in which they start, so an event can
 * be resolved only when the steps before it have been read:
 *
 *   step 0 ──wf_case_reader_page()──► step n ──wf_case_reader_step()──► step m
 *     ▲                                                                    │
 *     └────────────── damage, or going back to an earlier step ────────────┘
 *
 * Between two steps a reader keeps the ids of net instances only, and no
 * pointer into a specification, which may be freed and compiled again.
 */
#ifndef WF_HISTORY_CASE_READER_H
#define WF_HISTORY_CASE_READER_H

#include "kernel/case.h"
#include "kernel/event.h"
#include "persistence/store.h"
#include "runtime/engine.h"
#include "spec/spec.h"

struct wf_case_reader; /* opaque; for one thread at a time */

/* One event.  All pointers are valid during the visit, unless it is said. */
struct wf_case_event {
	const struct wf_event *event;	   /* as the kernel recorded it */
	const struct wf_history_row *step; /* its time, actor, origin, .. */
	struct wf_arena *arena;		   /* memory until the step ends */
	const struct wf_spec *spec;	   /* that the step was made as */
	/* CASE_MIGRATED: the case as it goes on, without large values. */
	const struct wf_case *migrated;
	/*
	 * The net instance that the event happened in; for an event of the
	 * whole case the root net.  The id ("7.2") is valid until the reader
	 * is freed or goes back.  Both are NULL when the specification has no
	 * such net.
	 */
	const char *case_id;
	const struct wf_net *net;
	/* What the event is about; NULL: not about a task, or a condition. */
	const struct wf_task *task;
	const struct wf_condition *condition;
	/* NET_STARTED: the instance that starts; else NULL. */
	const char *inner_id; /* as valid as case_id */
	const struct wf_net *inner;
};

typedef void (*wf_case_event_f)(
    void *context, const struct wf_case_event *event);

/* How steps are read. */
struct wf_case_reading {
	struct wf_store *store;
	const struct wf_spec *spec; /* the specification of the case */
	/*
	 * Knows the specifications of steps that were made before a migration,
	 * or after it; their elements are valid during the visit only.
	 */
	struct wf_engine *engine;
	bool large_values;     /* fetch them too; else they are NULL */
	wf_case_event_f visit; /* NULL: only find out the net instances */
	void *context;	       /* of visit */
};

/* A reader before the first step; name: the id of the case, is copied. */
struct wf_case_reader *wf_case_reader_new(uint64_t number, const char *name);
void wf_case_reader_free(struct wf_case_reader **reader);
uint64_t wf_case_reader_number(const struct wf_case_reader *reader);
const char *wf_case_reader_name(const struct wf_case_reader *reader);
/* The last step that was read; 0: none. */
uint64_t wf_case_reader_sequence(const struct wf_case_reader *reader);
/* Its memory, in bytes, about. */
size_t wf_case_reader_size(const struct wf_case_reader *reader);

/*
 * Loads and reads the next steps, up to the one numbered last (UINT64_MAX: to
 * the end).  *more_out: there may be further ones.  WF_GONE when the next step
 * was retired but later ones exist; WF_CORRUPT.
 */
enum wf_rc wf_case_reader_page(struct wf_case_reader *reader,
    const struct wf_case_reading *how, uint64_t last, bool *more_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Reads a step that the caller has loaded, after those before it that are
 * needed for its names, which are not visited.  After an error the reader is
 * at an earlier step; events before the damage have been visited.  WF_GONE
 * when steps before it were retired, WF_CORRUPT.
 */
enum wf_rc wf_case_reader_step(struct wf_case_reader *reader,
    const struct wf_case_reading *how, const struct wf_history_row *step,
    struct wf_error *err) WF_MUSTCHECK;

/* --- parts of an event ---------------------------------------------------- */

/* The case id of the item: "7.2.1", or the net's for instance 0. */
void wf_case_event_item(
    const struct wf_case_event *event, char case_id_out[WF_CASE_ID_SIZE]);

/* A value of an event, and the variable or parameter that has it. */
struct wf_named_value {
	const char *name;
	const struct wf_type *type;
	const struct wf_value *value; /* NULL: none (any more), or not read */
	bool is_input; /* of a net variable: also an input parameter */
};
/* event->event->values[i]; false: the specification has no such variable. */
bool wf_case_event_value(const struct wf_case_event *event, uint32_t i,
    struct wf_named_value *value_out);

/* --- without names -------------------------------------------------------- */

/*
 * Checks and decodes one step.  source: of large values; NULL: they are NULL.
 * WF_CORRUPT after the events before the damage.
 */
enum wf_rc wf_history_decode(const struct wf_history_row *step,
    const struct wf_value_source *source,
    void (*visit)(void *context, const struct wf_event *event), void *context,
    struct wf_error *err) WF_MUSTCHECK;

#endif
