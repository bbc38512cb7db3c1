/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a store keeps: one struct per kind of row.
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

/*
 * A case as it is listed.  What stands in the first group is written when the
 * case is launched and never again.
 */
struct wf_case_row {
	uint64_t number;
	uint32_t namespace_id;
	const char *name;	/* 1 to 64 bytes, unique in the namespace */
	uint64_t specification; /* its key */
	const char *title;	/* the caller's name for it */
	const char *owner;	/* the account that launched it */
	struct wf_bytes extra;	/* what the layers above want to know */
	int64_t launched_at;

	uint64_t version; /* steps done; the sequence of the last history row */
	/* The version that the snapshot shows; not read when a row is written.
	 */
	uint64_t snapshot_version;
	uint64_t messages;  /* announcements made; the caller counts them */
	uint32_t status;    /* enum wf_case_status */
	int64_t changed_at; /* time of the last step */
	bool set_aside;
};

/* One step: append only. */
struct wf_history_row {
	uint64_t number;
	uint64_t sequence; /* 1 for the launch, then without a gap */
	int64_t at;
	const char *actor;   /* the account, or "" */
	const char *origin;  /* how the command came: "rest", "timer", .. */
	uint32_t format;     /* of the events */
	const char *command; /* its id, or "" */
	struct wf_bytes events;

	/* The store's, not read when a row is written. */
	uint64_t position;
	uint32_t namespace_id;
	uint64_t specification;
};

/*
 * A place in the stream of all history: rows are in the order of position,
 * then number, then sequence.  Zeros: before the first row that is held.
 */
struct wf_cursor {
	uint64_t position;
	uint64_t number;
	uint64_t sequence;
	uint64_t retirements; /* how many there had been: what is known gone */
};

/* A value of a case that is too large to be repeated; written once. */
struct wf_value_row {
	uint64_t number;
	uint32_t value; /* its number in the case */
	struct wf_bytes text;
};

/* The columns of an item have three writers. */
enum {
	WF_ITEM_KERNEL = 1,   /* steps */
	WF_ITEM_LEASE = 2,    /* whoever hands work over */
	WF_ITEM_RESOURCE = 4, /* the worklist */
	WF_ITEM_ALL = 7
};

/* A live work item; its key is the case's number and its id. */
struct wf_item_row {
	uint64_t number;
	const char *id; /* "7.1:Task" */

	/* WF_ITEM_KERNEL; a row that is not there needs it. */
	uint32_t namespace_id;
	uint64_t specification;
	const char *task;
	const char *service; /* who does the work; "": the default worklist */
	uint32_t status;     /* enum wf_item_status */
	uint32_t choice;
	int64_t enabled_at;
	int64_t fired_at;
	int64_t started_at;

	/* WF_ITEM_LEASE */
	const char *lease_owner;
	int64_t lease_until; /* 0: nobody has it */
	uint64_t fence;	     /* grows with each lease */
	uint32_t attempt;
	int64_t not_before; /* it is not handed over before */

	/* WF_ITEM_RESOURCE */
	const char *resource_status;
	const char *participant;
};

/* A command that is to be given later; its key is number and name. */
struct wf_due_row {
	uint64_t number;  /* 0: of no case */
	const char *name; /* such as "timer 7.1:Task" */
	uint32_t namespace_id;
	int64_t at;
	uint32_t kind;
	struct wf_bytes payload;
	uint32_t attempts; /* the store's: how often it was claimed */
};

/*
 * An announcement.  Its key, number and message, is the idempotency key that
 * the receiver sees.  Those of one case to one destination about one subject
 * are a stream, delivered in the order of message.
 */
struct wf_message_row {
	uint64_t number;
	uint64_t message; /* from wf_case_row.messages; 0: from a counter */
	uint32_t namespace_id;
	const char *destination;
	const char *subject; /* the item, or "" */
	uint32_t kind;
	int64_t at; /* when it was made */
	struct wf_bytes payload;
	uint32_t attempts; /* the store's: how often it was claimed */
};

/* What became of a command, for when it comes again. */
struct wf_answer_row {
	const char *id;	  /* account and key of the caller, 1 to 256 bytes */
	uint64_t request; /* hash of what was asked */
	uint64_t number;  /* the case; 0: none */
	uint64_t sequence;
	int64_t at;
	uint32_t code; /* enum wf_rc */
	struct wf_bytes body;
};

/* Something that went wrong and waits for a person, or was dropped by one. */
struct wf_incident_row {
	uint64_t id; /* from WF_COUNTER_INCIDENT */
	uint32_t namespace_id;
	uint64_t number; /* 0: of no case; the case need not be live */
	const char *item;
	const char *code;
	const char *text;
	uint32_t attempts;
	int64_t first_at;
	int64_t last_at;
	uint32_t kind;		 /* of the command to retry */
	struct wf_bytes payload; /* and all that it needs */
	int64_t dropped_at;	 /* 0: it waits */
	const char *dropped_by;
	const char *reason; /* why it was dropped */
};

struct wf_specification_row {
	uint32_t namespace_id;
	uint64_t key; /* hash of the content */
	const char *identifier;
	const char *version;
	const char *uri;
	const char *title;
	int64_t loaded_at;
	struct wf_bytes source;	   /* the XML */
	struct wf_bytes numbering; /* of its elements, frozen */

	/* The store's, not read when a row is written. */
	bool removed; /* no new cases; kept while a case or history needs it */
	uint64_t change;
};

/*
 * Anything else that is small, seldom changes and concerns all nodes:
 * settings, accounts, services.  Its key is namespace, kind and name.
 */
struct wf_record_row {
	uint32_t namespace_id; /* 0: of the whole store */
	const char *kind;
	const char *name;
	struct wf_bytes value;
	uint64_t change; /* the store's */
};

#ifdef __cplusplus
}
#endif

#endif
