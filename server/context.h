/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every interface needs of the server as a whole: its parts, its settings,
 * the cases that it knows by their ids, and what it counts.
 *
 * app/ creates the context, opens the parts and closes them; interfaces only
 * use them.  A thread that does not belong to a part enters the server before
 * it uses a part and leaves it afterwards:
 *
 *   OPEN ──wf_server_close_entrance()──► CLOSING ──last one has left──► EMPTY
 *    │ wf_server_enter() is true            │ wf_server_enter() is false
 *
 * Parts are closed when the server is empty.
 */
#ifndef WF_SERVER_CONTEXT_H
#define WF_SERVER_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/spread.h"
#include "history/statistics/statistics.h"
#include "http/gate.h"
#include "http/http_server.h"
#include "http/thread_pool.h"
#include "identity/account.h"
#include "identity/federation/federation.h"
#include "identity/session.h"
#include "runtime/engine.h"
#include "server/live_events.h"
#include "server/log.h"
#include "server/retention.h"
#include "tracing/tracer.h"
#include "work/mail/mailer.h"
#include "work/sender.h"
#include "work/service.h"
#include "work/subscription/notifier.h"
#include "worklist/absences.h"
#include "worklist/audiences.h"
#include "worklist/departures.h"
#include "worklist/deputies.h"
#include "worklist/org_cache.h"
#include "worklist/piles.h"

/* A setting in force, without what is secret; both change by a reload. */
struct wf_setting_shown {
	const char *key;
	const char *meaning;
	bool is_reloaded; /* by SIGHUP; else it needs a restart */
	_Atomic(const char *) value;
	_Atomic(const char *) source; /* default, option, or where it stands */
};

struct wf_server_settings {
	struct wf_http_settings http;
	struct wf_engine_settings engine;
	unsigned readers;     /* threads of the pool, which read the store */
	size_t readers_queue; /* requests that may wait for these threads */
	struct wf_streams_settings streams;
	struct wf_sender_settings sender;
	struct wf_mail_settings mail;
	struct wf_notifier_settings notifier;
	/* Whose pages may use REST, separated by blanks; "*": any; "": none. */
	const char *cors_origins;
	struct wf_log *log; /* NULL: no log */
	/* An item without a service is an incident after it; 0: never. */
	int64_t unserved_ms;
	/* Items of tasks that are done by hand are for people. */
	bool people;
	/* They wait until what they need beside who does them is free. */
	bool blocks;
	/* Files: of one, of all of a case, and their types ("": any). */
	size_t document_bytes;
	size_t case_documents_bytes;
	const char *document_types;
	struct wf_session_settings sessions;
	int64_t audit_kept_ms;
	struct wf_retention_settings retention;
	struct wf_statistics_settings statistics;
	struct wf_federation_settings federation;
	struct wf_tracer_settings traces;
	/* As they were read, for administrators. */
	const struct wf_setting_shown *shown;
	size_t shown_count;
	bool test; /* test mode: the clock can be moved (server/test_clock.h) */
};

void wf_server_settings_init(struct wf_server_settings *settings);

/*
 * What is known of a case by its id.  After a migration elsewhere the
 * specification is that of before for some seconds: whoever gives a command
 * names it (wf_request.specification).
 */
struct wf_known_case {
	uint64_t number;
	uint64_t specification;
};

#define WF_STATUSES 600U

/* What a server counts. */
struct wf_server_counts {
	uint64_t statuses[WF_STATUSES]; /* answers, by HTTP status */
	struct wf_spread times;		/* of requests, microseconds */
	/* The queues of the store, as they were read last. */
	struct wf_store_backlog backlog;
	bool has_backlog; /* false: the store did not answer */
};

/* Threads that wait for directories and providers. */
#define WF_ASKERS 4U

/* More interfaces than a server has. */
#define WF_INTERFACES 4U

/* An interface that is registered with wf_dispatch_add(). */
struct wf_interface;
struct wf_interface_row {
	const struct wf_interface *interface;
	void *context;
};

/* Posts to listeners (yawl/listening/). */
struct wf_listening_counts {
	atomic_ullong sent;
	atomic_ullong refused;	/* passed over */
	atomic_ullong failed;	/* attempts that are repeated */
	atomic_ullong given_up; /* times that a listener missed some */
};

struct wf_audit;	/* in identity/audit.h */
struct wf_claims;	/* in work/claims.h */
struct wf_operations;	/* in operation/operation.h */
struct wf_fair_queue;	/* in identity/fair_queue.h */
struct wf_decisions;	/* in worklist/decisions.h */
struct wf_fact_fold;	/* in worklist/facts.h */
struct wf_index_fill;	/* in server/index_fill.h */
struct wf_answer_cache; /* in server/answer_cache.h */
struct wf_met_case;

struct wf_server {
	struct wf_server_settings settings;
	struct wf_engine *engine;
	struct wf_accounts *accounts;
	struct wf_audit *audit;
	struct wf_services *services;
	struct wf_subscriptions *subscriptions;
	struct wf_org_cache *organisation;
	struct wf_audiences *audiences;
	struct wf_absences *absences;
	struct wf_deputies *deputies;
	struct wf_piles *piles;
	struct wf_departures *departures;
	struct wf_decisions *decisions; /* NULL: no item is for people */
	struct wf_retention *retention;
	_Atomic(struct wf_statistics *) statistics; /* NULL until it is made */
	struct wf_fact_fold *facts; /* of allocators; NULL likewise */
	struct wf_index_fill *index_fill;
	struct wf_answer_cache *answers;
	struct wf_tracer *tracer;		/* NULL: nothing is traced */
	_Atomic(struct wf_sender *) sender;	/* NULL until it is open */
	_Atomic(struct wf_mailer *) mailer;	/* NULL: there is no mail */
	_Atomic(struct wf_notifier *) notifier; /* NULL until it is open */
	/* That which does operations on many cases; NULL until it is open. */
	_Atomic(struct wf_operations *) operations;
	_Atomic(struct wf_claims *) claims; /* NULL until they are open */
	struct wf_pool *pool;
	struct wf_fair_queue *passwords; /* that are to be checked */
	/* For those who ask other servers; NULL: none is asked. */
	struct wf_fair_queue *askers[WF_ASKERS];
	struct wf_federation *federation; /* NULL: accounts are Weft's own */
	struct wf_fair_queue *turns;	  /* of operations WF_IN_TURN */
	struct wf_streams *streams;
	struct wf_interface_row interfaces[WF_INTERFACES];
	size_t interface_count;
	struct wf_http *http;
	atomic_ullong unserved;	  /* announcements without a service */
	atomic_llong unserved_ms; /* of the settings, or reloaded */
	struct wf_listening_counts listening;
	struct wf_gate gate;  /* that threads enter the server through */
	atomic_bool previews; /* one that takes long is made */
	bool records_fail; /* reading them failed; of the refreshing thread */

	pthread_mutex_t lock;	 /* of what follows */
	struct wf_met_case *met; /* by the hash of their ids */
	struct wf_server_counts counts;
	int64_t backlog_at; /* when it was read; 0: never */
	int64_t items_at;   /* when items were counted; likewise */
};

/* Without parts: app/ opens them. */
struct wf_server *wf_server_new(const struct wf_server_settings *settings);
/* All parts are closed. */
void wf_server_free(struct wf_server **server);

/*
 * False while the server closes: then the caller may use nothing of it but
 * wf_server_leave(), which follows in either case.
 */
bool wf_server_enter(struct wf_server *server);
void wf_server_leave(struct wf_server *server);
/* No thread enters from now on. */
void wf_server_close_entrance(struct wf_server *server);
/* Waits until all threads that have entered have left. */
void wf_server_await_empty(struct wf_server *server);

/* False when the server does not know the case yet. */
bool wf_server_known_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out);
/* The same; reads the store if the case is not known yet.  WF_NOT_FOUND. */
enum wf_rc wf_server_find_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Remembers a case, for wf_server_known_case(). */
void wf_server_know_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, const struct wf_known_case *known);

/* The case was erased, or is to be read again. */
void wf_server_forget_case(
    struct wf_server *server, uint32_t namespace_id, const char *id);

/* --- counts.c ------------------------------------------------------------ */

/* A request was answered with that status; 0: it never was. */
void wf_server_count_answer(
    struct wf_server *server, unsigned status, int64_t microseconds);
void wf_server_read_counts(
    struct wf_server *server, struct wf_server_counts *counts_out);
/* Whether the threads that read have time to count what takes long. */
bool wf_server_has_readers(struct wf_server *server);
/* Whether the queues of the store should be counted anew; reads no store. */
bool wf_server_backlog_is_stale(struct wf_server *server);
/* Counts them; waits for the store. */
void wf_server_read_backlog(struct wf_server *server);

/* --- server_log.c -------------------------------------------------------- */

void wf_server_log_start(struct wf_server *server);
void wf_server_log_event(struct wf_log *log, const char *event);
/* Logs that others may read or write a file of the store, if they may. */
void wf_server_log_exposed(struct wf_log *log, struct wf_store *store);
/* The files of the certificate have changed; rc: whether they are used. */
void wf_server_log_certificate(
    struct wf_server *server, enum wf_rc rc, const struct wf_error *err);
/* Logs whether accounts and services could be read, when that changes. */
void wf_server_log_records(
    struct wf_server *server, enum wf_rc rc, const struct wf_error *err);
/* Logs that a record of the store is left out because it is damaged. */
void wf_server_log_damaged(
    struct wf_log *log, const char *kind, const char *name);
/* Logs that an attempt to reach a service failed. */
void wf_server_log_attempt(
    struct wf_server *server, const struct wf_failed_attempt *attempt);
/* Logs that a subscriber or an observer could not be notified of events. */
void wf_server_log_notification(struct wf_server *server, const char *to,
    unsigned attempt, const char *reason, bool is_last);
/* Logs what became of a directory, or of an account of one. */
void wf_server_log_federation(
    struct wf_server *server, const struct wf_federation_notice *notice);
/* Logs why no spans can be exported, or (NULL) that they are again. */
void wf_server_log_traces(struct wf_server *server, const char *failure);
/* Logs that an ended case could not be exported, and so was not dropped. */
void wf_server_log_export(
    struct wf_server *server, const char *name, const struct wf_error *err);
/* Logs a notice of the engine. */
void wf_server_log_notice(
    struct wf_server *server, const struct wf_notice *notice);

#endif
