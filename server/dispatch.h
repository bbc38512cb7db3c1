/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatches each request of the HTTP server to its operation, for all
 * interfaces.
 *
 * An interface (REST, YAWL's) registers a struct wf_interface.  A request to it
 * becomes an invocation:
 *
 *    head ──► ADMITTED ──► AUTHORIZED ──► PREPARED ──► operation ──► answer
 *      admit()     authorize()      prepare()      run()
 *
 * Where the path does not name the operation, prepare() finds it in the body,
 * and authorize() follows prepare().  Each function may answer instead, which
 * ends the invocation.
 *
 * The dispatcher decides in which thread each part runs: the connection's
 * thread while nothing waits; the pool for operations that read the store and
 * for large bodies; a thread of its own for passwords, whose check is slow on
 * purpose, another for operations that take long and much memory, and a few
 * that wait for the servers of directories and providers, all in fair turns
 * (identity/fair_queue.h).  A full queue is answered as WF_UNAVAILABLE.
 */
#ifndef WF_SERVER_DISPATCH_H
#define WF_SERVER_DISPATCH_H

#include "http/http_server.h"
#include "http/target.h"
#include "identity/account.h"
#include "identity/fair_queue.h"
#include "server/context.h"
#include "server/log.h"

/* Where an operation runs, which says how long it may take. */
enum wf_where {
	WF_INLINE,  /* in its connection's thread: it never waits */
	WF_IN_POOL, /* it may wait for the store, or compute for seconds */
	WF_IN_TURN, /* the same, with much memory: one such at a time */
	/* In the pool before the body has come, which it reads in parts. */
	WF_READING
};

/* Who may use an operation. */
enum wf_access {
	WF_ACCESS_OPEN,	   /* everybody */
	WF_ACCESS_ACCOUNT, /* an account with certain rights */
	WF_ACCESS_SESSION, /* the user of a session */
	WF_ACCESS_SIGN_IN  /* an account that the body of the request names */
};

/* A row of an interface's table. */
struct wf_operation {
	const char *name; /* in the log */
	enum wf_access access;
	uint32_t verbs;	 /* ACCOUNT: it needs one of them; 0: none */
	bool is_for_one; /* ACCOUNT: a right to its object is enough */
	enum wf_where where;
};

struct wf_interface;

/*
 * One request on its way.  The dispatcher makes it, in the exchange's arena;
 * an interface's own struct begins with it.
 */
struct wf_invocation {
	const struct wf_interface *interface;
	void *context; /* of the interface */
	struct wf_server *server;
	struct wf_exchange *exchange;
	/*
	 * The scratch of the exchange.  What the log needs is in the arena of
	 * the exchange: the next three, and what log() reads.
	 */
	struct wf_arena *arena;
	struct wf_target target;
	const struct wf_operation *operation; /* NULL: not found (yet) */
	const char *user;    /* of the request; NULL: unknown */
	const char *case_id; /* for the log; NULL: none */
	bool is_whole;	     /* its body has come */
	bool is_authorized;
	bool is_prepared;
	bool in_pool; /* it runs in the pool or in its turn, and may wait */
	/* Whose turn comes; authorize() sets it with WF_LATER. */
	struct wf_fair_job turn;
	/*
	 * authorize() sets it with WF_LATER, if another server is to be asked:
	 * the next call comes in a thread that may wait for one.
	 */
	bool asks;
	void (*work)(struct wf_invocation *call); /* of the pool */
	/* If the server has a tracer: see server/request_spans.h. */
	struct wf_trace_context trace;
	struct wf_span *span;	/* NULL: it is not sampled */
	uint64_t specification; /* of its case, for the span; 0: unknown */
};

typedef void (*wf_invocation_f)(struct wf_invocation *call);

enum wf_authorization {
	WF_GRANTED,
	WF_REFUSED, /* answered */
	WF_LATER,   /* a password must be computed, or another server asked */
	WF_AWAITED  /* the store must be read, or the body has not come */
};

/* What an interface does for its invocations. */
struct wf_interface {
	/* Of its struct, which begins with struct wf_invocation. */
	size_t invocation_size;
	/* Whether a request with that target is for it; NULL: any is. */
	bool (*takes)(const void *context, const char *target);
	/*
	 * The head has come.  Sets the operation if the head names it.  False:
	 * answered.
	 */
	bool (*admit)(struct wf_invocation *call);
	/*
	 * Finds the user and whether the operation is allowed.  slowly: the
	 * thread may take 100 ms, and with asks seconds; else WF_LATER if it
	 * would.  Outside the pool it may be WF_AWAITED: then it is called
	 * again there.
	 */
	enum wf_authorization (*authorize)(
	    struct wf_invocation *call, bool slowly);
	/*
	 * The request has come whole.  Reads what is common to all operations
	 * and sets the operation.  False: answered.
	 */
	bool (*prepare)(struct wf_invocation *call);
	/* Runs the operation, which answers now or later. */
	wf_invocation_f run;
	/* Answers with an error. */
	void (*fail)(struct wf_invocation *call, const struct wf_error *err);
	/* Adds members to the line of the log. */
	void (*log)(const struct wf_invocation *call, struct wf_log_line *line);
	/*
	 * Optional, for traces: the template of its path, such as
	 * "/v1/cases/{}"; NULL: not found.
	 */
	const char *(*route)(const struct wf_invocation *call);
	/* Optional: the answer was sent, or the connection is lost. */
	wf_invocation_f over;
};

/*
 * Requests go to the first interface that takes them, in the order of these
 * calls; the last one takes any.  Both must outlive the HTTP server.
 */
void wf_dispatch_add(struct wf_server *server,
    const struct wf_interface *interface, void *context);

/* What the HTTP server calls. */
void wf_dispatch_calls(
    struct wf_server *server, struct wf_http_calls *calls_out);

/* What the queue of passwords calls; the argument is the invocation. */
void wf_dispatch_check_password(void *argument);
void wf_dispatch_refuse_password(void *argument);
/* What the queue of operations that run WF_IN_TURN calls, likewise. */
void wf_dispatch_take_turn(void *argument);
void wf_dispatch_refuse_turn(void *argument);

/* --- for operations ------------------------------------------------------ */

/*
 * Has work done in the pool: at once if the invocation is there.  If too many
 * wait it is answered.  Either way the caller must not touch it any more.
 */
void wf_invocation_go_to_pool(struct wf_invocation *call, wf_invocation_f work);
/*
 * The same in a thread that may wait for another server, in the turn of the
 * client's address.
 */
void wf_invocation_ask(struct wf_invocation *call, wf_invocation_f work);
/*
 * The same for a thread outside the server, such as one of the engine's that
 * reports a commit, and never refused: what was begun comes to its end.  While
 * the server closes, work is done in that thread.
 */
void wf_invocation_resume(struct wf_invocation *call, wf_invocation_f work);

#endif
