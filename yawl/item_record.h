/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work items as the clients of YAWL see them.
 *
 * Weft has an item for an enabled task, and one for each started instance. YAWL
 * keeps the first beside the others, as their parent; this file makes that
 * parent.
 */
#ifndef WF_YAWL_ITEM_RECORD_H
#define WF_YAWL_ITEM_RECORD_H

#include "base/buffer.h"
#include "base/memory.h"
#include "history/item_starter.h"
#include "kernel/case.h"
#include "spec/spec.h"

#define WF_YAWL_PARENT "Is parent"

struct wf_yawl_item {
	const struct wf_task *task;
	char case_id[WF_CASE_ID_SIZE];
	const char *status;   /* YAWL's name of it */
	const char *previous; /* status before it was suspended; else "" */
	uint64_t number;      /* of the case */
	bool is_child;	      /* an instance, not the enabled task */
	uint32_t choice;      /* of a deferred choice; 0: none */
	int64_t enabled_at;
	int64_t fired_at;
	int64_t started_at;
	int64_t timer_at;	   /* 0: none runs */
	bool timer_is_own;	   /* it started with the item */
	const char *documentation; /* with placeholders filled in */
	const char *data;	   /* XML; NULL: none */
	const char *started_by;	   /* NULL: nobody */
	/* NULL: it is not for people, or a parent; valid during an inspection.
	 */
	const struct wf_assignment *assignment;
	/* The URI of the service that does it; "": none, or people. */
	const char *service;
};

/*
 * The live items of a case, parents in front of their children, by task, then
 * case id; in the arena, valid as long as the case is.  started_by is NULL.
 * now, timezone: for queries in their documentation, as in a command.  Their
 * steps are taken from *work: when none are left, placeholders are "n/a".
 */
size_t wf_yawl_items(const struct wf_case *instance, uint64_t number,
    int64_t now, int32_t timezone, uint64_t *work, struct wf_arena *arena,
    struct wf_yawl_item **items_out);
/* "7.1:Task" */
void wf_yawl_item_id(
    const struct wf_yawl_item *item, char id_out[WF_ITEM_ID_SIZE]);
/* 25 letters and digits that no other item has had. */
#define WF_YAWL_UNIQUE_SIZE 26
void wf_yawl_unique_id(
    const struct wf_yawl_item *item, char text_out[WF_YAWL_UNIQUE_SIZE]);
/* "true" or "false", as YAWL writes them. */
const char *wf_yawl_true(bool is_so);
/* A UUID, the same for all items of one deferred choice; "": it has none. */
#define WF_YAWL_CHOICE_SIZE 64
void wf_yawl_choice_id(
    const struct wf_yawl_item *item, char text_out[WF_YAWL_CHOICE_SIZE]);
/* The item with that id; false: there is none. */
bool wf_yawl_item(const struct wf_case *instance, uint64_t number,
    const char *id, int64_t now, int32_t timezone, struct wf_arena *arena,
    struct wf_yawl_item *item_out);

/*
 * The account that started an item of a case that has that version, in arena;
 * NULL: none is known.  starters may be NULL.
 */
const char *wf_yawl_item_starter(struct wf_item_starters *starters,
    struct wf_engine *engine, const struct wf_yawl_item *item, uint64_t version,
    struct wf_arena *arena);

/* The number of instances of a child's task, including ended ones. */
uint32_t wf_yawl_instances(
    const struct wf_case *instance, const struct wf_yawl_item *item);

/* The workItem element; timezone: minutes east, for times as text. */
void wf_yawl_put_item(
    struct wf_buffer *xml, const struct wf_yawl_item *item, int32_t timezone);

/* The data of an item with the attributes of its decomposition and inputs. */
void wf_yawl_put_input(struct wf_buffer *xml,
    const struct wf_decomposition *work, const char *data);

/*
 * The data with which an enabled item would start.  WF_DATA: a mapping failed,
 * and the data is "".
 */
enum wf_rc wf_yawl_starting_data(const struct wf_case *instance,
    const struct wf_yawl_item *item, int64_t now, int32_t timezone,
    struct wf_buffer *xml, struct wf_error *err) WF_MUSTCHECK;

#endif
