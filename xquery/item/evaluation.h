/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One evaluation: its state and limits, and the sequences made in it.
 *
 * Depth, steps and memory are bounded; reaching a bound is WF_LIMIT.
 */
#ifndef WF_XQUERY_ITEM_EVALUATION_H
#define WF_XQUERY_ITEM_EVALUATION_H

#include "xquery/item/item.h"

/* Returns from the calling function when a call fails. */
#define WF_TRY(call)                                                           \
	do {                                                                   \
		enum wf_rc rc_ = (call);                                       \
		if (rc_ != WF_OK)                                              \
			return rc_;                                            \
	} while (0)

#define WF_EVAL_DEPTH 6000U
#define WF_EVAL_STEPS UINT64_C(50000000)
#define WF_EVAL_MEMORY ((size_t)256 << 20)

/*
 * Numbers in document order: below 1 << 36 the nodes of the context, then a
 * range for each global variable, then the nodes of the body.
 */
#define WF_ORDER_SHIFT 36
#define WF_ORDER_BODY ((uintptr_t)1 << 60)

struct wf_focus {
	const struct wf_item *item; /* NULL: no context item */
	size_t position;
	size_t size;
};

enum wf_global_status { WF_GLOBAL_UNKNOWN, WF_GLOBAL_BUSY, WF_GLOBAL_KNOWN };

#define WF_FREE_CLASSES 40

struct wf_eval_state {
	const struct wf_query *query;
	const char *const *variables; /* of the caller */
	struct wf_sequence *slots;
	struct wf_sequence *globals;
	unsigned char *global_status;
	struct wf_focus focus;
	struct wf_focus initial; /* of the whole query */
	uintptr_t next_order;
	const char *base_uri; /* of the query */
	/* Released arrays of items, by the logarithm of their capacity. */
	struct wf_item *free_items[WF_FREE_CLASSES];
	/* The value of a global variable failed, which "try" does not catch. */
	bool global_failed;
	/* The arguments of the last fn:error(), for catch; local NULL: none. */
	struct wf_qname error_name;
	struct wf_sequence error_value;
};

/* A sequence whose first item needs no arena. */
struct wf_one {
	struct wf_sequence sequence;
	struct wf_item item;
};

static inline struct wf_sequence *wf_one_init(struct wf_one *one)
{
	one->sequence.items = &one->item;
	one->sequence.count = 0;
	one->sequence.capacity = 1;
	return &one->sequence;
}

/* Makes room for more items at once. */
enum wf_rc wf_sequence_reserve(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, size_t more) WF_MUSTCHECK;
/* Releases the array of items for reuse; the sequence is then empty. */
void wf_sequence_release(
    struct wf_dynamic *dynamic, struct wf_sequence *sequence);
static inline void wf_one_release(
    struct wf_dynamic *dynamic, struct wf_one *one)
{
	if (one->sequence.capacity > 1)
		wf_sequence_release(dynamic, &one->sequence);
}

/* Counts steps; WF_LIMIT when the steps or the memory are used up. */
enum wf_rc wf_spend(struct wf_dynamic *dynamic, uint64_t steps) WF_MUSTCHECK;

/* Appends; counts against the memory limit (WF_LIMIT). */
enum wf_rc wf_sequence_add(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, struct wf_item item) WF_MUSTCHECK;
enum wf_rc wf_sequence_add_atomic(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, struct wf_atomic atomic) WF_MUSTCHECK;
enum wf_rc wf_sequence_add_all(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, const struct wf_sequence *more) WF_MUSTCHECK;
enum wf_rc wf_sequence_add_node(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, xmlNode *node) WF_MUSTCHECK;

/*
 * Enters a nested expression or call; the caller leaves it (dynamic->depth--).
 */
enum wf_rc wf_enter(struct wf_dynamic *dynamic) WF_MUSTCHECK;

/*
 * The buffer for a string to return, empty, and bounded by the memory of the
 * evaluation. There is one per evaluation, so a function that fills it must not
 * call another one that does.
 */
struct wf_buffer *wf_text_begin(struct wf_dynamic *dynamic);

#endif
