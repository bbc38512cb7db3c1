/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A running engine over a store: the interface for embedders and services.
 *
 * A request is submitted, done in a batch with others, committed, and only
 * then answered.  An engine runs threads of its own, or none: then the caller
 * calls wf_engine_turn() repeatedly, and no function of the engine sleeps.
 * Any number of engines can work on one shared store.
 *
 *   submit ──► queue of a shard ──► turn: begin, step, commit ──► reply
 *                     ▲
 *   due commands ─────┘
 *
 * All functions may be called by any thread unless they say otherwise.  Times
 * are milliseconds since 1970, UTC.  A text or struct that a callback receives
 * is valid during the call.
 */
#ifndef WF_RUNTIME_ENGINE_H
#define WF_RUNTIME_ENGINE_H

#include "base/diagnostics.h"
#include "base/limits.h"
#include "base/pause.h"
#include "base/spread.h"
#include "data/calendar/calendar.h"
#include "kernel/command.h"
#include "persistence/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_migration_problem;
struct wf_indexes; /* persistence/indexes.h */
struct wf_node;	   /* persistence/nodes.h */
struct wf_spec;
struct wf_spec_file;
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
 * fence and attempt of the claim.  From then on each command that names the
 * item, but ADD, START and those of the engine itself (EXPIRE, DECIDE), is
 * refused with the code "lease", unless it names the lease that is held.
 * ROLLBACK ends it.
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
	bool is_forgotten;  /* ROLLBACK: it does not count as an attempt */
	const char *answer; /* why the last attempt failed; NULL or "": none */
	/*
	 * The command is done although another has the lease; the origin of
	 * its step says so then: see WF_ORIGIN_OVERRIDE.
	 */
	bool is_overridden;
};

/* The answer of a ROLLBACK that ends the lease of a worker that was lost. */
#define WF_LEASE_OVER "the lease was over before it was done"

/* Behind the origin of a step that the retry of an incident did: its number. */
#define WF_ORIGIN_INCIDENT " incident "
/* Behind the origin of a step that was done against a lease. */
#define WF_ORIGIN_OVERRIDE " override"

/* The code of the incident that a deadlocked case has. */
#define WF_DEADLOCK_CODE "deadlock"

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
	/* Of the attempts, JSON; "" or NULL: none; not kept in a due row. */
	const char *detail;
};

/*
 * What is asked before a case that was migrated is kept: at once, in a thread
 * of the engine.  Not WF_OK: the migration is refused with that error.  It must
 * live until the reply.
 */
struct wf_judge {
	enum wf_rc (*judge)(
	    void *context, const struct wf_case *made, struct wf_error *err);
	void *context;
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
	 * The case.  Ignored by LAUNCH, whose reply has the number that the
	 * engine assigned, by WITHDRAW, and by RETRY and DROP of an incident.
	 */
	uint64_t number;
	const char *actor;  /* the account that asks */
	const char *origin; /* the interface by which the request came */
	/*
	 * COMMAND: refused with WF_CONFLICT unless the case has made so many
	 * steps; 0: any.  Not stored.
	 */
	uint64_t version;
	/*
	 * COMMAND: the specification by which its data was made and its right
	 * was judged; refused with WF_CONFLICT and the code "migrated" if the
	 * case is of another one by now; 0: of any.  Not stored.
	 */
	uint64_t specification;
	const struct wf_judge *judge; /* MIGRATE; or NULL.  Not stored. */
	/*
	 * The caller's idempotency key.  A request with the same actor and key
	 * as an earlier one is not done again; its reply is the earlier one's.
	 */
	const char *key;
	/*
	 * The context of the trace that it belongs to (tracing/), not
	 * interpreted; NULL or "": none.  Messages and items that its step
	 * makes have it, too.  Not stored with a request that is due later.
	 */
	const char *trace;

	WF_UNNAMED union {
		WF_UNNAMED struct { /* COMMAND and SCHEDULE */
			/*
			 * The engine sets now, timezone and calendar, and
			 * ignores choices.
			 */
			struct wf_command command;
			struct wf_launch launch; /* LAUNCH */
			struct wf_lease lease; /* commands that name an item */
			/* SCHEDULE: when; milliseconds since 1970. */
			int64_t at;
			/*
			 * SCHEDULE: the words from which at was computed, or
			 * NULL.  With a key they are compared instead of at,
			 * which differs at each attempt.
			 */
			const char *delay;
		};
		struct wf_incident_request incident; /* RETRY and DROP */
		struct wf_announce_request announce;
		struct wf_report_request report;
		/*
		 * WITHDRAW: the number that the reply to the scheduled launch
		 * named.
		 */
		uint64_t start;
	};
};

struct wf_reply {
	enum wf_rc rc;
	struct wf_error error; /* unless rc is WF_OK */
	uint64_t number;       /* the case */
	uint64_t sequence;     /* of the step; 0: the request made no step */
	const char *name;      /* of the case */
	const char *item; /* START, SKIP, ADD: the instance's id; else "" */
	uint32_t status;  /* enum wf_case_status, after the step */
	bool repeated;	  /* an earlier request with the key did it */
	bool no_case;	  /* WF_NOT_FOUND: no live case has the number */
	/* FAIL: what that means for the task and the case, in words; or NULL.
	 */
	const char *effect;
};

/* reply and what it points to are valid during the call.  Must not wait. */
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
	bool is_for_people;	    /* the item is of no service */
	/* The URI of the service of the item; "": none is named. */
	const char *service;
	const char *item; /* "" */
	int64_t at;	  /* the time of the batch */
	/*
	 * Of the item or the case; for SUSPENDED the status before it.
	 */
	uint32_t status;
	bool again;    /* made by ANNOUNCE: nothing has happened */
	bool rejected; /* .. because a service refused the item */
};

struct wf_destinations;
/* Sends the announcement to that destination as well. */
void wf_destination_add(
    struct wf_destinations *destinations, const char *destination);
/* The same, as an announcement of another kind and about that item. */
void wf_destination_add_as(struct wf_destinations *destinations,
    const char *destination, enum wf_announcement_kind kind, const char *item);

/*
 * Makes an incident of the announced item in that many milliseconds, unless it
 * has been started or has ended, or the callback "serves" knows its service, by
 * then.
 */
void wf_destination_report_later(
    struct wf_destinations *destinations, int64_t delay_ms);
/* The code of such an incident, and its text up to the service. */
#define WF_UNSERVED_CODE "unserved"
#define WF_UNSERVED_TEXT "no service is registered for "

/* The payload of an outbox row.  Texts are the arena's. */
struct wf_announced {
	uint64_t specification;
	const char *name; /* of the case */
	const char *task; /* "" */
	uint32_t status;
	const char *data;  /* of a completed case: its output; else "" */
	const char *trace; /* of the request that made the step; "": none */
};
void wf_announced_encode(
    const struct wf_announced *announced, struct wf_buffer *payload);
enum wf_rc wf_announced_decode(struct wf_announced *announced,
    struct wf_bytes payload, struct wf_arena *arena,
    struct wf_error *err) WF_MUSTCHECK;

/* --- observing ------------------------------------------------------------ */

enum wf_observed_kind {
#define WF_OBSERVED(code, name, text, observer, words)                         \
	WF_OBSERVED_##name = code,
#include "runtime/observing/observed.def"
#undef WF_OBSERVED
};

/* What has happened in a batch that is about to be committed. */
struct wf_observed {
	enum wf_observed_kind kind;
	uint32_t namespace_id;
	uint64_t number;	       /* the case; 0: it is about none */
	const struct wf_case_row *row; /* of it; NULL: of none, or not read */
	uint64_t specification;	       /* its key, or 0 */
	const char *uri;	       /* of the specification, or "" */
	const char *item;	       /* "" */
	const char *worker;	       /* WORKER_LOST; else "" */
	const struct wf_incident_row *incident; /* INCIDENT_OPENED; or NULL */
	int64_t at;
};

/* What is observed is sent to so many destinations at most. */
#define WF_OBSERVERS 128U

struct wf_observers;
/* Sends a message with that payload, which is copied, to the destination. */
void wf_observer_add(struct wf_observers *observers, const char *destination,
    struct wf_bytes payload);

/* --- notices -------------------------------------------------------------- */

/* What an engine reports about itself, for a log. */
enum wf_notice_kind {
	WF_NOTICE_INCIDENT,    /* a new one, or one that failed again */
	WF_NOTICE_QUARANTINED, /* a case */
	WF_NOTICE_DEADLOCKED,  /* a case, which has ended by it */
	WF_NOTICE_STORE_FAILS, /* from now on; one notice until it works again
				*/
	WF_NOTICE_STORE_WORKS,
	WF_NOTICE_SLOW_BATCH,
	/*
	 * A later version of the store's tables than this program knows is
	 * finished: the engine takes no more requests, and is to be closed.
	 */
	WF_NOTICE_SUPERSEDED
};

/* Members that do not belong to the kind are 0 or NULL. */
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

/* --- traces --------------------------------------------------------------- */

/* A request with a trace that was done, or refused, in a batch. */
struct wf_traced_request {
	const char *trace; /* of the request */
	enum wf_request_kind kind;
	enum wf_command_kind command; /* of COMMAND and SCHEDULE */
	int64_t submitted;	      /* by wf_monotonic_us() */
	const char *name;	      /* of the case; "": unknown */
	const char *item;	      /* that it names; "" */
	uint64_t specification;	      /* of the case; 0: unknown */
	enum wf_rc rc;		      /* of its reply */
};

/* A batch that was committed, with at least one such request. */
struct wf_traced_batch {
	unsigned shard;
	int64_t began; /* by wf_monotonic_us() */
	int64_t ended;
	size_t requests; /* all of the batch */
	size_t steps;
	uint64_t statements; /* sent to the store */
	const struct wf_traced_request *rows;
	size_t count;
};

/* --- the engine ----------------------------------------------------------- */

/* Decisions about people, made by a layer above. */
struct wf_people_calls;
struct wf_engine_people {
	void *context;
	/*
	 * Begins the decisions of a batch, or of a step that is made outside of
	 * one: from what is known at that time.  Called by threads of the
	 * engine; must not wait.
	 */
	struct wf_people_calls *(*begin)(
	    void *context, struct wf_engine *engine, int64_t now);
	/*
	 * Whether what a step outside of a batch has taken for an item of the
	 * case (the text of RESOURCES_TAKEN) can be the item's: called in a
	 * batch that has the case, before that step is kept.  NULL: always.
	 */
	bool (*holds)(
	    struct wf_people_calls *calls, uint64_t number, const char *busy);
	/*
	 * The steps that were decided are to be stored: keeps what they refer
	 * to, in the store of the engine.  May wait for it; a failure is that
	 * of the batch.
	 */
	enum wf_rc (*keep)(struct wf_people_calls *calls,
	    struct wf_engine *engine, struct wf_error *err);
	void (*end)(struct wf_people_calls *calls);
	/*
	 * The id of the participant that the account is, in the arena; NULL: it
	 * is none.  Must not wait.  NULL: not known of any account.
	 */
	const char *(*participant)(
	    void *context, const char *account, struct wf_arena *arena);
};

/* The codes of incidents of items that are for people. */
#define WF_UNOFFERED_CODE "unoffered"
#define WF_NOT_STARTED_CODE "not_started"
#define WF_LATE_CODE "late"	  /* the rule for late items says so */
#define WF_URGENCY_CODE "urgency" /* no priority or due time was found */

struct wf_engine_settings {
	const char *url; /* of the store */
	unsigned flags;	 /* WF_STORE_.. */
	bool threads;	 /* false: the caller calls wf_engine_turn() */
	/* Without threads: due commands are left to later engines. */
	bool requests_only;
	/* A store that is not shared gets one whatever this says. */
	unsigned shards;
	size_t cache_bytes; /* of cases, in all shards together */
	size_t queue_bytes; /* of requests, in each shard */
	size_t batch;	    /* requests in one batch, at most */
	/*
	 * Work in steps of queries (40 ns): of the steps of one batch together,
	 * and the least that each may do.  What takes more is a long step, made
	 * outside the batches.
	 */
	uint64_t batch_work;
	uint64_t step_work;
	size_t spec_bytes; /* of compiled specifications, estimated */
	/*
	 * A state of at most snapshot_bytes is stored at each step, a larger
	 * one every snapshot_events events; the steps since then are replayed
	 * when it is read.
	 */
	size_t snapshot_bytes;
	uint64_t snapshot_events;
	int32_t timezone; /* implicit, minutes east */
	/* Days off, for timers; NULL: weekends only.  Must outlive the engine.
	 */
	const struct wf_calendar *calendar;
	const struct wf_limits *limits; /* NULL: the defaults */
	int64_t answers_kept_ms;	/* how long a key is remembered */
	/*
	 * A case that deadlocks ends at once; else it stays live, with an
	 * incident, until it is cancelled.
	 */
	bool end_deadlocked;
	/* For tests of a specification: data may name any document. */
	bool unchecked_documents;
	/*
	 * Whether there is a service for items of that URI; NULL: there is
	 * none.  Called during a step: must not wait.
	 */
	bool (*serves)(
	    void *context, uint32_t namespace_id, const char *service);
	/* Must outlive the engine; NULL: no item is for people. */
	const struct wf_engine_people *people;
	/* The clock, milliseconds since 1970; NULL: the machine's. */
	int64_t (*now)(void *context);
	/*
	 * Called by wf_engine_open() before any command is done, so that the
	 * caller can read what its callbacks need; a failure ends the opening.
	 * May be NULL.
	 */
	enum wf_rc (*prepare)(
	    void *context, struct wf_store *store, struct wf_error *err);
	/*
	 * Adds the destinations of an announcement.  Called by a shard within a
	 * batch; must not wait.  NULL: nothing is announced.
	 */
	void (*announce)(void *context, const struct wf_announcement *what,
	    struct wf_destinations *destinations);
	/*
	 * Adds those who are notified of it.  Called by a shard within a batch;
	 * must not wait.  NULL: nobody observes.
	 */
	void (*observe)(void *context, const struct wf_observed *what,
	    struct wf_observers *observers);
	/*
	 * There may be new steps in the history: of this engine, or, after some
	 * delay, of another engine on the same store.  Must not wait.  May be
	 * NULL.
	 */
	void (*committed)(void *context);
	/* notice is valid during the call, which must not wait.  May be NULL.
	 */
	void (*notice)(void *context, const struct wf_notice *notice);
	/*
	 * Called by a shard before the requests are answered; must not wait.
	 * NULL: nothing is traced.
	 */
	void (*traced)(void *context, const struct wf_traced_batch *batch);
	int64_t slow_batch_ms; /* a slower batch is noticed; 0: none */
	/*
	 * For tests: called before each step, where a failing assertion ends
	 * only the step; may change the command.  NULL otherwise.
	 */
	void (*probe)(void *context, const struct wf_request *request,
	    struct wf_command *command);
	void *context;
};

void wf_engine_settings_init(struct wf_engine_settings *settings);

/*
 * Opens the store and starts the engine.  Cases are read when they are needed.
 * The URL is copied.  Closed with wf_engine_close() or wf_engine_abandon(),
 * which only one thread may call, when no other uses the engine.
 */
enum wf_rc wf_engine_open(struct wf_engine **engine_out,
    const struct wf_engine_settings *settings,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Takes over, while the engine runs, answers_kept_ms, slow_batch_ms and the
 * limits; of these not what is WF_LIMIT_OF_STATE in kernel/limits.def.  The
 * limits are copied.
 */
void wf_engine_reload(
    struct wf_engine *engine, const struct wf_engine_settings *settings);
/* Refuses new requests, does those that wait, and frees the engine. */
void wf_engine_close(struct wf_engine **engine);
/* Frees the engine; requests that wait are answered with WF_UNAVAILABLE. */
void wf_engine_abandon(struct wf_engine **engine);

/*
 * Reads, checks and stores the specifications of a file.  keys_out receives
 * their keys, at most count; *count_out (may be NULL) says how many.  All
 * errors and warnings are added to diagnostics; if that is NULL, err has the
 * first error.  WF_INVALID when the file is not valid.
 */
enum wf_rc wf_engine_load(struct wf_engine *engine, uint32_t namespace_id,
    const char *xml, size_t length, struct wf_diagnostics *diagnostics,
    uint64_t *keys_out, size_t count, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Whether the specifications of a file may be stored, as others are now; it is
 * asked again when those were changed before all are stored.  Of the file, some
 * may be stored already then.
 */
typedef enum wf_rc (*wf_judge_load_f)(void *context,
    const struct wf_spec_file *file, struct wf_store *store,
    struct wf_error *err);
/* The same for specifications that are judged, by their file, before. */
enum wf_rc wf_engine_load_judged(struct wf_engine *engine,
    uint32_t namespace_id, const char *xml, size_t length,
    wf_judge_load_f judge, void *context, struct wf_diagnostics *diagnostics,
    uint64_t *keys_out, size_t count, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;
/* The same for a file with that path. */
enum wf_rc wf_engine_load_file(struct wf_engine *engine, uint32_t namespace_id,
    const char *path, struct wf_diagnostics *diagnostics, uint64_t *keys_out,
    size_t count, size_t *count_out, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_engine_unload(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, struct wf_error *err) WF_MUSTCHECK;

/* The code of what is refused because its specification is suspended. */
#define WF_SUSPENDED_CODE "suspended"
/* Of a request for a case that has made other steps than the caller says. */
#define WF_CHANGED_CODE "changed"
/* Of one for a case that is of another specification than the caller says. */
#define WF_MIGRATED_CODE "migrated"
/*
 * Suspends a specification, which has no new cases then: LAUNCH and its
 * SCHEDULE are refused, with the code "suspended", and launches that are
 * scheduled wait when they are due.  Running cases go on.  pause NULL: resumes
 * it.  WF_NOT_FOUND; WF_CONFLICT: it is suspended already, or is not; WF_LIMIT:
 * the reason is longer than WF_PAUSE_REASON_BYTES.
 */
enum wf_rc wf_engine_suspend(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, const struct wf_pause *pause,
    struct wf_error *err) WF_MUSTCHECK;
/* Whether it is suspended, as far as this engine knows; reads no store. */
bool wf_engine_suspension(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_pause *pause_out);

/*
 * Queues a request.  On WF_OK reply (may be NULL) is called exactly once, by a
 * thread of the engine or in a turn, perhaps before this function returns.
 * Otherwise it is not called: WF_UNAVAILABLE when the queue is full or the
 * engine is closing, WF_INVALID for a malformed request, WF_LIMIT for one that
 * is too large.
 */
enum wf_rc wf_engine_submit(struct wf_engine *engine,
    const struct wf_request *request, wf_reply_f reply, void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* A copy of a reply. */
struct wf_answer {
	uint64_t number;
	uint64_t sequence;
	uint32_t status;
	bool repeated;
	char name[WF_CASE_NAME_BYTES + 1];
	char item[WF_ITEM_ID_SIZE];
};
/*
 * Submits a request and waits for its reply; without threads it takes turns.
 * The result is the reply's.
 */
enum wf_rc wf_engine_call(struct wf_engine *engine,
    const struct wf_request *request, struct wf_answer *answer_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Without threads, from one thread only: does what can be done now.  False when
 * nothing could be done.
 */
bool wf_engine_turn(struct wf_engine *engine);
/* When the next command is due; INT64_MAX: never, or it cannot be read. */
int64_t wf_engine_next_due(struct wf_engine *engine);

/* Which variables its cases are found by; read anew once a second. */
struct wf_indexes *wf_engine_indexes(struct wf_engine *engine);
/*
 * Whether no request waits or is being done, and no due command that was
 * claimed.  What is due but not yet claimed: wf_engine_next_due().
 */
bool wf_engine_is_idle(struct wf_engine *engine);
/* The clock was moved: what is due now is claimed at once. */
void wf_engine_clock_moved(struct wf_engine *engine);

/* The number of this node, as wf_store_nodes() has it. */
uint64_t wf_engine_node(const struct wf_engine *engine);
/* The record of this node; host has room for the name of its host. */
#define WF_HOST_NAME_BYTES 256U
void wf_engine_describe_node(
    const struct wf_engine *engine, char *host, struct wf_node *node_out);
/* The engine's clock, milliseconds since 1970. */
int64_t wf_engine_now(const struct wf_engine *engine);
/* Its implicit time zone, minutes east. */
int32_t wf_engine_timezone(const struct wf_engine *engine);

/*
 * The version of the store's tables that brought operations on many cases,
 * indexes, pauses, erased cases, subscriptions and traces.
 */
#define WF_OPERATIONS_TABLES 6U
/*
 * Whether what is new in that version of the store's tables may be written:
 * only when the version is finished (weft db migrate --finish).  WF_CONFLICT.
 * Commands are checked by the engine (kernel/commands.def).
 */
enum wf_rc wf_engine_may_write(struct wf_engine *engine, uint32_t version,
    struct wf_error *err) WF_MUSTCHECK;

/* --- reading -------------------------------------------------------------- */

/*
 * A handle on the store for reading (and for leases, the outbox, records), for
 * one thread; given back with wf_engine_give_back(), or closed.
 */
enum wf_rc wf_engine_borrow(struct wf_engine *engine,
    struct wf_store **store_out, struct wf_error *err) WF_MUSTCHECK;
void wf_engine_give_back(struct wf_engine *engine, struct wf_store *store);

/* A launch that is scheduled. */
struct wf_start {
	uint64_t number; /* of the future case */
	int64_t at;	 /* when it is, or was, due */
	uint64_t specification;
	const char *name; /* of the case */
	const char *title;
	const char *owner; /* the account that asked for it */
};

struct wf_starts {
	struct wf_start *rows; /* by number */
	size_t count;
};

/* At most limit of them with numbers above after; in the arena. */
enum wf_rc wf_starts_read(struct wf_store *store, uint32_t namespace_id,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_starts *starts_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Calls inspect with a case as it is stored, live or ended.  Both arguments
 * are valid during the call.  WF_NOT_FOUND, WF_CORRUPT.
 */
typedef void (*wf_inspect_f)(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored);
enum wf_rc wf_engine_inspect(struct wf_engine *engine, uint64_t number,
    wf_inspect_f inspect, void *context, struct wf_error *err) WF_MUSTCHECK;

/*
 * The same with the case as it was after its step of that number, from 1; what
 * of stored depends on steps is as it was then.  Costs the steps since an
 * earlier state that the engine still has, or all of them up to that one: the
 * step after one that was shown is one.  WF_NOT_FOUND, also when the case has
 * made fewer steps; WF_GONE: its steps are not kept any more; WF_UNAVAILABLE
 * while another long history is read.
 */
enum wf_rc wf_engine_inspect_step(struct wf_engine *engine, uint64_t number,
    uint64_t sequence, wf_inspect_f inspect, void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* How much work an inspection may be, in steps of queries. */
struct wf_inspection {
	uint64_t maximum; /* UINT64_MAX: as much as a step */
	uint64_t work;	  /* of this one, about */
	/* Where all mistakes in the data of the command go; or NULL. */
	struct wf_mistakes *mistakes;
	/* Called with the case before the command; or NULL. */
	wf_inspect_f before;
	/*
	 * MIGRATE: called for each thing that has nowhere to go, before the
	 * command is refused (kernel/change/migrate.h); or NULL.
	 */
	void (*problem)(
	    void *context, const struct wf_migration_problem *problem);
	void *context; /* of these two */
};

/*
 * The same with the case as it would be after that command.  Nothing is
 * stored.  item_out: the instance's id for START, SKIP and ADD; else "".  The
 * result is the command's when that is refused.  how: NULL where others wait
 * for the thread; then what is more work than WF_INSPECTION_WORK is WF_LIMIT.
 */
enum wf_rc wf_engine_inspect_after(struct wf_engine *engine,
    const struct wf_request *request, struct wf_inspection *how,
    char item_out[WF_ITEM_ID_SIZE], wf_inspect_f inspect, void *context,
    struct wf_error *err) WF_MUSTCHECK;
/* A command that is tried; its texts as in a request. */
struct wf_trial {
	struct wf_command command;
	/* It lacks data, or whom it is about: saying so is no refusal. */
	bool is_incomplete;
	struct wf_error refusal; /* rc WF_OK: it would be done */
};
/*
 * Whether commands to a live case would be refused now, each for itself: by the
 * case, by the rules for people, by a lease.  Nothing is stored.  Reads no more
 * than the case and the rows of the items.  WF_NOT_FOUND: there is no such
 * case.
 */
enum wf_rc wf_engine_try(struct wf_engine *engine, uint64_t number,
    struct wf_trial *trials, size_t count, struct wf_error *err) WF_MUSTCHECK;

/*
 * Launches a case of a specification, of which nothing is kept: the result is
 * that of the command.
 */
enum wf_rc wf_engine_try_launch(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, const char *data, size_t length, struct wf_inspection *how,
    struct wf_error *err) WF_MUSTCHECK;
/* Before the engine is closed: such an inspection soon ends, WF_UNAVAILABLE. */
void wf_engine_end_inspections(struct wf_engine *engine);

/*
 * Calls inspect with a specification, also with a removed one that cases still
 * use.  cached: only if it is in memory, else WF_UNAVAILABLE.  inspect: NULL to
 * know whether there is one.  WF_NOT_FOUND.
 */
typedef void (*wf_inspect_spec_f)(void *context, const struct wf_spec *spec);
enum wf_rc wf_engine_inspect_spec(struct wf_engine *engine,
    uint32_t namespace_id, uint64_t key, bool cached, wf_inspect_spec_f inspect,
    void *context, struct wf_error *err) WF_MUSTCHECK;

/* Counted since the engine was opened. */
struct wf_engine_counts {
	uint64_t requests;
	uint64_t refused; /* including requests that were not queued */
	uint64_t refusals[WF_RC_COUNT]; /* by enum wf_rc */
	/*
	 * Requests that were answered, with refusals and due commands, by kind;
	 * those of kind COMMAND also by enum wf_command_kind.
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
	uint64_t deadlocks;	     /* cases that deadlocked */
	uint64_t long_steps;	     /* made outside the batches */
	uint64_t long_steps_waiting; /* now, with the one that is made */
	size_t cached_bytes;
	size_t cached_cases;
	size_t queued_bytes;
	size_t queued;	   /* requests in the queues now */
	size_t queue_room; /* bytes that the queues can hold */
	/* Decisions of OR-joins: E0, W0, E1, W1, E2, basis, search, undecided.
	 */
	uint64_t or_stages[8];
};
void wf_engine_counts(
    struct wf_engine *engine, struct wf_engine_counts *counts_out);

/*
 * Counts and reports an incident that was committed outside the batches, like
 * those of a batch.
 */
void wf_engine_report_incident(
    struct wf_engine *engine, const struct wf_incident_row *row);

/*
 * For how many milliseconds the turn of a shard runs that began first; 0: none
 * runs.  *shard_out is the number of the shard, from 0.  A turn ends after two
 * seconds or so, unless the store is slow.
 */
int64_t wf_engine_busy_ms(struct wf_engine *engine, unsigned *shard_out);

/* For tests: the handle with which a shard commits. */
struct wf_store *wf_engine_shard_store(
    struct wf_engine *engine, unsigned shard);

#ifdef __cplusplus
}
#endif

#endif
