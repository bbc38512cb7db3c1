/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a store keeps: one struct per kind of row.  Its members are the columns
 * of rows.def, in that order; their meaning is described there.
 *
 * A case is known by its number, which is never used twice; 0 stands for no
 * case, and for what belongs to the store itself.  Times are milliseconds
 * since 1970, UTC.  Texts are UTF-8 and end with NUL; given as NULL they mean
 * "", which is what comes back.  Codes of the kernel (status, kind, format)
 * are numbers that a store does not interpret.
 */
#ifndef WF_PERSISTENCE_ROWS_H
#define WF_PERSISTENCE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WF_NAMESPACE_DEFAULT 1U

/* The parts that cases are spread over; each shard owns whole parts. */
#define WF_PARTS 256U

/* The part of a case: the same for ever, on every store. */
static inline uint32_t wf_part(uint64_t number)
{
	return (uint32_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
}

struct wf_bytes {
	const void *data; /* NULL: none, which is not the same as empty */
	size_t size;
};

/* The C types of the columns. */
#define WF_MEMBER_U64 uint64_t
#define WF_MEMBER_U32 uint32_t
#define WF_MEMBER_I64 int64_t
#define WF_MEMBER_BOOL bool
#define WF_MEMBER_TEXT const char *
#define WF_MEMBER_BYTES struct wf_bytes
#define WF_MEMBER(type, name, group) WF_MEMBER_##type name;

/* A case as it is listed. */
struct wf_case_row {
#define WF_CASE_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* One step: append only. */
struct wf_history_row {
#define WF_HISTORY_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/*
 * A place in the stream of all history: rows are in the order of position,
 * then number, then sequence.  Zeros: before the first row that is held.
 */
struct wf_cursor {
	uint64_t position;
	uint64_t number;
	uint64_t sequence;
	uint64_t retirements; /* the number of retirements so far */
};

/* Whether a is before b in the stream of history. */
static inline bool wf_cursor_is_before(
    const struct wf_cursor *a, const struct wf_cursor *b)
{
	if (a->position != b->position)
		return a->position < b->position;
	if (a->number != b->number)
		return a->number < b->number;
	return a->sequence < b->sequence;
}

/* A value of a case that is too large to be repeated; written once. */
struct wf_value_row {
#define WF_VALUE_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* The columns of an item have three writers. */
enum {
	WF_ITEM_KERNEL = 1, /* steps; a start ends a lease without START */
	WF_ITEM_LEASE = 2,  /* those that lease items to workers */
	WF_ITEM_DRAFT = 4,  /* those that save forms; steps remove it */
	WF_ITEM_ALL = 7
};

/* The rank of an item whose priority is not given. */
#define WF_ITEM_RANK 50U
/* Of an item that no time is set for; it comes behind the others. */
#define WF_ITEM_NOT_DUE INT64_MAX

/* A live work item.  Adding a row needs WF_ITEM_KERNEL. */
struct wf_item_row {
#define WF_ITEM_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* A command that is to be given later. */
struct wf_due_row {
#define WF_DUE_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/*
 * An announcement.  Its key, number and message, is the idempotency key that
 * the receiver sees.  Those of one case to one destination about one subject
 * are a stream, delivered in the order of message.
 */
struct wf_message_row {
#define WF_MESSAGE_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* The result of a command, which is returned when the command is repeated. */
struct wf_answer_row {
#define WF_ANSWER_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* An error that waits for a person, or was dropped by one. */
struct wf_incident_row {
#define WF_INCIDENT_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* A specification and where it comes from. */
struct wf_specification_row {
#define WF_SPECIFICATION_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/*
 * Anything else that is small, seldom changes and concerns all nodes:
 * settings, accounts, services.
 */
struct wf_record_row {
#define WF_RECORD_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* A version of a file that belongs to a case. */
struct wf_document_row {
#define WF_DOCUMENT_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* A part of it. */
struct wf_document_block_row {
#define WF_DOCUMENT_BLOCK_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* Somebody who is signed in. */
struct wf_session_row {
#define WF_SESSION_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* A sign-in, or an administrative act. */
struct wf_audit_row {
#define WF_AUDIT_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* That a participant has started or worked on a case. */
struct wf_involved_row {
#define WF_INVOLVED_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* What an operation on many cases did to one of them. */
struct wf_outcome_row {
#define WF_OUTCOME_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* That a case went on as one of another specification. */
struct wf_migrated_row {
#define WF_MIGRATED_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* What somebody wrote about a case. */
struct wf_comment_row {
#define WF_COMMENT_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* What a case is found by. */
struct wf_term_row {
#define WF_TERM_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* Events of an hour that were counted. */
struct wf_statistic_row {
#define WF_STATISTIC_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* How far a reader of the stream of all history has counted it. */
struct wf_fold_row {
#define WF_FOLD_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

/* What is left of a case that was erased. */
struct wf_erased_row {
#define WF_ERASED_COLUMN WF_MEMBER
#include "persistence/rows.def"
};

#undef WF_MEMBER
#undef WF_MEMBER_U64
#undef WF_MEMBER_U32
#undef WF_MEMBER_I64
#undef WF_MEMBER_BOOL
#undef WF_MEMBER_TEXT
#undef WF_MEMBER_BYTES

#ifdef __cplusplus
}
#endif

#endif
