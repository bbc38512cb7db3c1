/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A running engine over a store: what an embedder and the services call.
 *
 * A request is submitted, done in a batch with others, committed, and only
 * then answered.  An engine runs its own threads, or none: then someone calls
 * wf_engine_turn() again and again, and nothing ever sleeps.  Any number of
 * engines can work on one store that is shared.
 *
 *   submit ──► queue of a shard ──► turn: begin, step, commit ──► reply
 *                     ▲
 *   due commands ─────┘
 */
#ifndef WF_RUNTIME_ENGINE_H
#define WF_RUNTIME_ENGINE_H

#include "base/diagnostics.h"
#include "base/spread.h"
#include "data/calendar.h"
#include "kernel/command.h"
#include "persistence/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_spec;
struct wf_engine; /* opaque; the struct is in runtime/shard.h */

/* --- requests ------------------------------------------------------------- */

enum wf_request_kind {
#define WF_REQUEST(code, name, meaning) WF_REQUEST_##name = code,
#include "runtime/requests.def"
#undef WF_REQUEST
	WF_REQUEST_COUNT /* codes are below */
};

/* What a command LAUNCH needs beside the case data. */
struct wf_launch {
	uint64_t specification; /* its key */
	/* Of the case: 1 to 64 of A-Z a-z 0-9 _ -; NULL or "": its number. */
	const char *name;
	const char *title; /* for people, or NULL */
	/* Kept with the case for the interface that launches it; may be empty.
	 */
	struct wf_bytes extra;
};

/*
 * The right of a worker to an item that was claimed.  START gives it, with the
 * fence and attempt of the claim; other commands that name it are refused, with
 * the code "lease", unless it is held.  ROLLBACK ends it.
 */
struct wf_lease {
	const char *owner; /* NULL or "": none */
	uint64_t fence;
	uint32_t attempt;
	/*
	 * Milliseconds since 1970.  START: when the lease ends.  ROLLBACK: the
	 * item is not handed over earlier.
	 */
	int64_t until;
	bool is_forgotten; /* ROLLBACK: it does not count as an attempt */
};

/* RETRY and DROP. */
struct wf_incident_request {
	uint64_t id; /* 0 for RETRY: the case itself is meant, by its number */
	const char *reason; /* DROP: why, or NULL */
};

/* ANNOUNCE. */
struct wf_announce_request {
	const char *item;
	/*
	 * Why the service that was notified of the item does not take it; NULL
	 * or "": the item is only announced again.
	 */
	const char *reason;
};

/* REPORT. */
struct wf_report_request {
	const char *item;
	const char *code;  /* of the incident */
	const char *text;  /* of the incident */
	uint32_t attempts; /* that failed */
};

/*
 * A request to an engine: members that all kinds have, and one member of the
 * union, which kind selects.  Members that do not belong to the kind are
 * ignored.  Texts may be NULL, which means "".  Submitting copies the request
 * and all that it points to.
 */
struct wf_request {
	enum wf_request_kind kind; /* 0: COMMAND */
	uint32_t namespace_id;	   /* 0: the default one */
	/*
	 * The case.  LAUNCH: ignored, the engine assigns the number and
	 * returns it in the reply.  WITHDRAW: the number that the reply to the
	 * scheduled launch named.  RETRY and DROP of an incident: ignored.
	 */
	uint64_t number;
	const char *actor;  /* the account that asks */
	const char *origin; /* the interface by which the request came */
	/*
	 * The caller's idempotency key.  A request with the same actor and key
	 * as an earlier one is not done again; its reply is the earlier one's.
	 */
	const char *key;

	WF_UNNAMED union {
		/*
		 * COMMAND and SCHEDULE.  The engine sets now, timezone and
		 * calendar, and ignores choices.
		 */
		struct wf_command command;
		struct wf_incident_request incident; /* RETRY and DROP */
		struct wf_announce_request announce;
		struct wf_report_request report;
	};

	/* COMMAND and SCHEDULE only, like command. */
	struct wf_launch launch; /* LAUNCH */
	struct wf_lease lease;	 /* commands that name an item */
	int64_t at;		 /* SCHEDULE: when; milliseconds since 1970 */
	/*
	 * SCHEDULE: the words from which at was computed, or NULL.  With a key
	 * they are compared instead of at, which differs at each attempt.
	 */
	const char *delay;
};

struct wf_reply {
	enum wf_rc rc;
	struct wf_error error; /* unless rc is WF_OK */
	uint64_t number;       /* the case */
	uint64_t sequence;     /* of the step; 0: there was none */
	const char *name;      /* the case's */
	const char *item;      /* of START, SKIP, ADD: the instance's; or "" */
	uint32_t status;       /* enum wf_case_status, after the step */
	bool repeated;	       /* it was done before */
};

/* reply and what it points to are valid during the call. */
typedef void (*wf_reply_f)(void *context, const struct wf_reply *reply);

/* --- announcements -------------------------------------------------------- */

enum wf_announcement_kind {
#define WF_ANNOUNCEMENT(code, name, item) WF_ANNOUNCE_##name = code,
#include "runtime/announcements.def"
#undef WF_ANNOUNCEMENT
};

struct wf_announcement {
	enum wf_announcement_kind kind;
	uint32_t namespace_id;
	uint64_t number;
	uint64_t specification;
	const struct wf_task *task; /* NULL: about the case */
	const char *item;	    /* "" */
	/* Of the item or the case, now; of SUSPENDED: before that. */
	uint32_t status;
	bool again;    /* it was asked for, nothing has happened */
	bool rejected; /* and: whoever was told does not take it */
};

struct wf_destinations;
/* It is to be told to that destination as well. */
void wf_destination_add(
    struct wf_destinations *destinations, const char *destination);
/* The same as an announcement of another kind, of that item. */
void wf_destination_add_as(struct wf_destinations *destinations,
    const char *destination, enum wf_announcement_kind kind, const char *item);

/* The payload of an outbox row.  Texts are the arena's. */
struct wf_announced {
	uint64_t specification;
	const char *name; /* of the case */
	const char *task; /* "" */
	uint32_t status;
	const char *data; /* of a completed case: its output; else "" */
};
void wf_announced_encode(
    const struct wf_announced *announced, struct wf_buffer *payload);
enum wf_rc wf_announced_decode(struct wf_announced *announced,
    struct wf_bytes payload, struct wf_arena *arena,
    struct wf_error *err) WF_MUSTCHECK;

/* --- notes ---------------------------------------------------------------- */

/* What an engine tells of itself, for a log. */
enum wf_notice_kind {
	WF_NOTICE_INCIDENT,    /* there is one, or it failed once more */
	WF_NOTICE_QUARANTINED, /* a case */
	WF_NOTICE_STORE_FAILS, /* since now; told once until it works again */
	WF_NOTICE_STORE_WORKS,
	WF_NOTICE_SLOW_BATCH
};

/* What does not belong to its kind is 0 or NULL. */
struct wf_notice {
	enum wf_notice_kind kind;
	uint64_t incident;
	uint64_t number; /* the case */
	const char *name;
	const char *item;
	const char *code; /* the name of an enum wf_rc */
	const char *text;
	uint64_t requests; /* in the batch */
	uint64_t microseconds;
};

/* --- the engine ----------------------------------------------------------- */

struct wf_engine_settings {
	const char *url; /* of the store */
	unsigned flags;	 /* WF_STORE_.. */
	bool threads;	 /* false: someone calls wf_engine_turn() */
	/* Without threads: what is due is left to the engines that come. */
	bool requests_only;
	/* A store that is not shared gets one. */
	unsigned shards;
	size_t cache_bytes; /* of cases, in all shards together */
	size_t queue_bytes; /* of requests, in each shard */
	size_t batch;	    /* requests in one */
	size_t spec_bytes;  /* of specifications kept compiled, about */
	/*
	 * A state of at most so many bytes is stored at each step, a larger
	 * one after so many events; until then the steps tell what it is.
	 */
	size_t snapshot_bytes;
	uint64_t snapshot_events;
	int32_t timezone; /* implicit, minutes east */
	/* Days off, for timers; NULL: weekends only.  It outlives the engine.
	 */
	const struct wf_calendar *calendar;
	const struct wf_limits *limits; /* NULL: the defaults */
	int64_t answers_kept; /* milliseconds, for when a key comes again */
	/* Milliseconds since 1970; NULL: the clock of the machine. */
	int64_t (*now)(void *context);
	/*
	 * Reads what the callers need before any command is done; a failure
	 * ends the opening.  NULL: nothing.
	 */
	enum wf_rc (*prepare)(
	    void *context, struct wf_store *store, struct wf_error *err);
	/* To whom an announcement goes; NULL: nobody.  Called in a batch. */
	void (*announce)(void *context, const struct wf_announcement *what,
	    struct wf_destinations *destinations);
	/*
	 * There may be new steps in the history, of this engine or, sooner or
	 * later, of another on the same store; must not wait.
	 */
	void (*committed)(void *context);
	/* note is valid during the call, which must not wait; NULL: nobody. */
	void (*note)(void *context, const struct wf_notice *note);
	int64_t
	    slow_batch; /* milliseconds, from which one is noted; 0: never */
	/*
	 * For tests: called in the guard before each step; may add to the
	 * command.
	 */
	void (*probe)(void *context, const struct wf_request *request,
	    struct wf_command *command);
	void *context;
};

void wf_engine_settings_init(struct wf_engine_settings *settings);

/*
 * Opens the store and starts.  Cases are read when they are needed.  texts
 * of settings are copied.
 */
enum wf_rc wf_engine_open(struct wf_engine **engine_out,
    const struct wf_engine_settings *settings,
    struct wf_error *err) WF_MUSTCHECK;
/* Takes no more requests, does those that wait, and ends. */
void wf_engine_close(struct wf_engine **engine);
/* Ends without doing what waits: it is answered with WF_UNAVAILABLE. */
void wf_engine_abandon(struct wf_engine **engine);

/*
 * Reads, checks and stores the specifications of a file, and gives their
 * keys: at most count; *count_out (may be NULL) are there.  All that is wrong
 * is added to diagnostics; when that is NULL, err says the first of it.
 */
enum wf_rc wf_engine_load(struct wf_engine *engine, uint32_t namespace_id,
    const char *xml, size_t length, struct wf_diagnostics *diagnostics,
    uint64_t *keys_out, size_t count, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;
/* The same with the name of the file. */
enum wf_rc wf_engine_load_file(struct wf_engine *engine, uint32_t namespace_id,
    const char *path, struct wf_diagnostics *diagnostics, uint64_t *keys_out,
    size_t count, size_t *count_out, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_engine_unload(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, struct wf_error *err) WF_MUSTCHECK;

/*
 * Takes a request; reply is called once, from a thread of the engine or from
 * a turn.  WF_UNAVAILABLE when the queue is full, and WF_INVALID for a
 * request that makes no sense: then reply is not called.
 */
enum wf_rc wf_engine_submit(struct wf_engine *engine,
    const struct wf_request *request, wf_reply_f reply, void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* An answer to keep. */
struct wf_answer {
	uint64_t number;
	uint64_t sequence;
	uint32_t status;
	bool repeated;
	char name[65];
	char item[WF_ITEM_ID_SIZE];
};
/* Submits and waits, or takes turns, until it is answered. */
enum wf_rc wf_engine_call(struct wf_engine *engine,
    const struct wf_request *request, struct wf_answer *answer_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Without threads: does what can be done now; false when there was nothing.
 */
bool wf_engine_turn(struct wf_engine *engine);
/* When something will be due; INT64_MAX: nothing, or nobody knows. */
int64_t wf_engine_next_due(struct wf_engine *engine);

/* The engine's clock, milliseconds since 1970. */
int64_t wf_engine_now(const struct wf_engine *engine);
/* Its implicit time zone, minutes east. */
int32_t wf_engine_timezone(const struct wf_engine *engine);

/* --- reading -------------------------------------------------------------- */

/*
 * A handle on the store for reading (and for leases, the outbox, records),
 * given back with wf_engine_give_back().
 */
enum wf_rc wf_engine_borrow(struct wf_engine *engine,
    struct wf_store **store_out, struct wf_error *err) WF_MUSTCHECK;
void wf_engine_give_back(struct wf_engine *engine, struct wf_store *store);

/* A launch that was put off. */
struct wf_start {
	uint64_t number; /* that its case will have */
	int64_t at;
	uint64_t specification;
	const char *name; /* of the case */
	const char *title;
	const char *owner; /* the account that asked for it */
};

struct wf_starts {
	struct wf_start *rows; /* by number */
	size_t count;
};

/* At most so many of them, behind that number; the arena's. */
enum wf_rc wf_starts_read(struct wf_store *store, uint32_t namespace_id,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_starts *starts_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Shows a case as it is stored, live or ended, to look at.  WF_NOT_FOUND.
 */
typedef void (*wf_inspect_f)(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored);
enum wf_rc wf_engine_inspect(struct wf_engine *engine, uint64_t number,
    wf_inspect_f look, void *context, struct wf_error *err) WF_MUSTCHECK;

/*
 * The same as it would be after that command, which is not kept.  item_out: of
 * START, the instance's.
 */
enum wf_rc wf_engine_inspect_after(struct wf_engine *engine,
    const struct wf_request *request, char item_out[WF_ITEM_ID_SIZE],
    wf_inspect_f look, void *context, struct wf_error *err) WF_MUSTCHECK;

/*
 * Shows a specification, also one that was removed and is still needed.
 * cached: only if it is in memory; else WF_UNAVAILABLE.  WF_NOT_FOUND.
 */
typedef void (*wf_inspect_spec_f)(void *context, const struct wf_spec *spec);
enum wf_rc wf_engine_inspect_spec(struct wf_engine *engine,
    uint32_t namespace_id, uint64_t key, bool cached, wf_inspect_spec_f look,
    void *context, struct wf_error *err) WF_MUSTCHECK;

/* Counted since the engine was opened. */
struct wf_engine_counts {
	uint64_t requests;
	uint64_t refused; /* of them; and those that were not taken */
	uint64_t refusals[WF_RC_COUNT]; /* by enum wf_rc */
	/*
	 * What was answered, refusals among it, by kind; of the first, by
	 * enum wf_command_kind.  What was due is answered, too.
	 */
	uint64_t answered[WF_REQUEST_COUNT];
	uint64_t commands[WF_COMMAND_COUNT];
	uint64_t batches;
	struct wf_spread batch_sizes; /* requests */
	struct wf_spread batch_times; /* microseconds, until the commit */
	uint64_t statements;	      /* of the batches */
	uint64_t steps;
	uint64_t loads;	   /* cases read from the store */
	uint64_t searches; /* for OR-joins */
	uint64_t incidents;
	size_t cached_bytes;
	size_t cached_cases;
	size_t queued_bytes;
	size_t queued;	   /* requests that wait now */
	size_t queue_room; /* bytes that may wait */
	/* Decisions of OR-joins: E0, W0, E1, W1, E2, basis, search, undecided.
	 */
	uint64_t or_stages[8];
};
void wf_engine_counts(
    struct wf_engine *engine, struct wf_engine_counts *counts_out);

/* For tests: the handle that a shard commits with. */
struct wf_store *wf_engine_shard_store(
    struct wf_engine *engine, unsigned shard);

#ifdef __cplusplus
}
#endif

#endif
