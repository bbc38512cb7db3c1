/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The REST interface; schemas/openapi.yaml describes every operation.
 *
 * routes.def is the table of routes and their handlers.  A handler that gives a
 * command to the engine runs in the thread of its connection; the request is
 * answered when the engine has committed.  A handler that reads the store runs
 * in the pool.  A handler answers exactly once, or sends the request to the
 * pool and returns.
 */
#ifndef WF_REST_REST_H
#define WF_REST_REST_H

#include <jansson.h>

#include "base/limits.h"
#include "data/json_fields.h"
#include "http/http_server.h"
#include "http/target.h"
#include "identity/account.h"
#include "runtime/engine.h"
#include "server/context.h"
#include "server/dispatch.h"
#include "spec/spec.h"

#define WF_PATH_PARTS 2

struct wf_rest_refusal; /* rest_taken.c */

/* One request to REST; lives in the arena of the exchange. */
struct wf_rest;

/* What a handler did before it gives a request to the engine. */
struct wf_rest_undo {
	/* Undoes it, in a thread that may wait; does not answer. */
	void (*undo)(struct wf_rest *rest, void *context);
	void *context;
	struct wf_error refusal; /* that is answered afterwards */
};

struct wf_rest {
	struct wf_invocation invocation; /* first */
	struct wf_server *server; /* of the invocation, as the next two */
	struct wf_exchange *exchange;
	struct wf_arena *arena;
	const struct wf_route *route; /* NULL: there is none */
	struct wf_account account;    /* of the client, once it is checked */
	const char *session;	      /* the id of its session; NULL: none */
	uint32_t verbs;	 /* the account needs one of them: see rest_right.c */
	bool is_allowed; /* the account may do it: likewise */
	bool serves;	 /* it has the right itself: wf_rest_may_take_part() */
	/* The key of the specification of the item of the path; 0: none. */
	uint64_t specification;
	uint64_t fence; /* of the lease that a command names; 0: none */
	bool is_again;	/* see wf_rest_fail_known() */
	struct wf_error refused; /* likewise: what is answered in the end */
	/* The processes that a list is of; none: of all. */
	struct wf_specification_keys listed;
	const char *process; /* the name of the one of the body, or NULL */
	/* Whose items the account sees by a privilege; NULL: not known yet. */
	const uint64_t *colleagues;
	uint64_t colleagues_version; /* of the organisation */
	/* What is said if another has taken the item; NULL: nothing. */
	struct wf_rest_refusal *refusal;
	/* For the audit, in the arena of the exchange; NULL: by the path. */
	const char *subject;
	const char *detail; /* likewise: why it was done; NULL: not said */
	/* How the account was proved, or not; result NULL: it was before. */
	struct {
		const char *account; /* "": of nobody */
		const char *method;
		const char *result;
	} sign_in;
	/* For when the engine refuses the request; NULL: nothing is undone. */
	struct wf_rest_undo *undo;
	/* More members of the answer when the engine has done it; or NULL. */
	json_t *foreseen;
	/* The problem that is answered when it has not; NULL: its own. */
	json_t *objection;
	const char *problem; /* the code of the answer; NULL: none */
	const char *failure; /* the detail of a status from 500; NULL: none */
	/* The segments of the path that match {}, in order. */
	const char *parts[WF_PATH_PARTS];
};

typedef void (*wf_rest_f)(struct wf_rest *rest);

struct wf_route {
	const char *method;
	const char *path;
	struct wf_operation operation; /* its name: operationId */
	const char *arguments;	       /* of the query, separated by spaces */
	const char *members;	       /* of the body, likewise; "*": any */
	wf_rest_f handle;
	/* What the operation gives to the engine; 0: nothing. */
	enum wf_request_kind request;
	enum wf_command_kind command; /* of WF_REQUEST_COMMAND */
};

/* The route of that operationId; NULL: there is none. */
const struct wf_route *wf_rest_route(const char *operation);

/* For wf_dispatch_add(), without a context; takes any request. */
extern const struct wf_interface wf_rest_interface;

/* --- browsers (rest_browser.c) ------------------------------------------- */

/*
 * Whether a page that a browser shows may send this request; answers the
 * preflights of CORS.  False: answered.
 */
bool wf_rest_check_browser(struct wf_rest *rest);

/* --- the audit (rest_audit.c) -------------------------------------------- */

/* The request is over: adds to the audit what belongs there. */
void wf_rest_audit(struct wf_rest *rest);
/* It belongs there whatever its route is; reason: or NULL. */
void wf_rest_note_act(struct wf_rest *rest, const char *reason);

/* --- answers (rest.c) ---------------------------------------------------- */

/* Takes the reference to json. */
void wf_rest_answer(struct wf_rest *rest, unsigned status, json_t *json);
/*
 * A page of a list, as the member of that name.  next: the argument "after" of
 * the next page; 0: there is none.  Takes the reference to rows.
 */
void wf_rest_answer_page(
    struct wf_rest *rest, const char *name, json_t *rows, uint64_t next);
/* A problem with the status and code of err. */
void wf_rest_fail(struct wf_rest *rest, const struct wf_error *err);
/* The same with these members; detail may be NULL. */
void wf_rest_problem(struct wf_rest *rest, unsigned status, const char *code,
    const char *title, const char *detail);

/* The same in two steps, for a problem with more members. */
json_t *wf_rest_make_failure(const struct wf_error *err);
json_t *wf_rest_make_problem(
    unsigned status, const char *code, const char *title, const char *detail);
/* Takes the reference; the status is that of the problem. */
void wf_rest_answer_failure(struct wf_rest *rest, json_t *problem);
void wf_rest_answer_problem(
    struct wf_rest *rest, unsigned status, json_t *problem);

/* --- the store (rest.c): false: the request was answered ----------------- */

/* Only in the pool; to be given back. */
bool wf_rest_borrow(struct wf_rest *rest, struct wf_store **store_out);
/* rc, err: how its use ended; a failure is answered. */
bool wf_rest_give_back(struct wf_rest *rest, struct wf_store *store,
    enum wf_rc rc, const struct wf_error *err);

/* --- changes (rest.c) ---------------------------------------------------- */

/* Whether the method is one that changes something. */
bool wf_rest_is_change(const struct wf_rest *rest);
/* The header ETag of a record, by its change. */
void wf_rest_put_version(struct wf_rest *rest, uint64_t change);
/* Whether the client has what has that tag (If-None-Match). */
bool wf_rest_has_tag(const struct wf_rest *rest, const char *tag);
/*
 * The change in the header If-Match; 0: any.  what: the record, in the answer.
 * False: answered.
 */
bool wf_rest_read_version(
    struct wf_rest *rest, const char *what, uint64_t *change_out);

/* --- arguments (rest.c): false: the request was answered ----------------- */

/* 400, with this sentence as its detail. */
void wf_rest_refuse(struct wf_rest *rest, const char *format, ...)
    WF_PRINTF(2, 3);
/* An argument of the query; NULL: missing. */
const char *wf_rest_argument(const struct wf_rest *rest, const char *name);
bool wf_rest_key(struct wf_rest *rest, const char *text, uint64_t *key_out);
/* A key, or a URI, which names the newest version.  Reads the store: only in
 * the pool. */
bool wf_rest_specification(
    struct wf_rest *rest, const char *text, uint64_t *key_out);
/*
 * The arguments "specification" and "version" of a list: a key; a URI, for all
 * versions, also those that were removed, or for one.  Neither: none, for all.
 * Only in the pool.
 */
bool wf_rest_specifications(
    struct wf_rest *rest, struct wf_specification_keys *keys_out);
/* A number; name: of the argument. */
bool wf_rest_number(struct wf_rest *rest, const char *name, const char *text,
    uint64_t *number_out);
/* One of two words; the second is the default. */
bool wf_rest_choice(struct wf_rest *rest, const char *name, const char *yes,
    const char *no, bool *yes_out);
/* "true" or "false", the default. */
bool wf_rest_switch(struct wf_rest *rest, const char *name, bool *on_out);
/* The argument "limit", or its default. */
bool wf_rest_limit(struct wf_rest *rest, size_t *limit_out);
/*
 * The body as a JSON object, a new reference; it has only members of the route.
 * *json_out is NULL: there is no body.
 */
bool wf_rest_body(struct wf_rest *rest, json_t **json_out);
/* The time of an attempt (work/state/attempts.h) as REST shows times. */
void wf_rest_time_of_call(json_t *call);
/* Whether names, which are separated by spaces, contain name. */
bool wf_rest_is_listed(const char *names, const char *name);
/* A member that is a text of at most so many bytes; NULL: missing. */
bool wf_rest_text(struct wf_rest *rest, json_t *object, const char *name,
    size_t maximum, const char **text_out);
/*
 * A member that is a time such as 2026-01-31T12:00:00Z, or a duration from now;
 * missing: *at_out stays.
 */
bool wf_rest_instant(
    struct wf_rest *rest, json_t *object, const char *name, int64_t *at_out);
/* The same for a text; false: it is neither, and nothing is answered. */
bool wf_rest_read_instant(
    const struct wf_rest *rest, const char *text, int64_t *at_out);
/* A member that is true or false, the default. */
bool wf_rest_boolean(
    struct wf_rest *rest, json_t *object, const char *name, bool *on_out);
/* A member that is a number from 0 to 2^31 - 1; missing: *count_out stays. */
bool wf_rest_count(struct wf_rest *rest, json_t *object, const char *name,
    uint32_t *count_out);
/* A member that is a duration such as "PT30S"; missing: *time_out stays. */
bool wf_rest_duration(
    struct wf_rest *rest, json_t *object, const char *name, int64_t *time_out);
/* The same for an answer: "PT1.500S". */
json_t *wf_rest_duration_json(int64_t milliseconds);
/* Whether the client prefers XML; whether it sends XML. */
bool wf_rest_wants_xml(const struct wf_rest *rest);
bool wf_rest_sends_xml(const struct wf_rest *rest);
/* The member "reason", in the arena; NULL: missing, unless needed. */
bool wf_rest_reason(struct wf_rest *rest, bool needed, const char **reason_out);

/*
 * Finds a case by its id.  False: the store must be read, and the request was
 * sent to the pool, where the handler runs again; or the request was answered
 * because there is no such case.
 */
bool wf_rest_known_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known_out);
/*
 * As wf_rest_fail(); but if the case was erased, 410 with what is left of it.
 * Only in the pool.
 */
void wf_rest_fail_case(
    struct wf_rest *rest, const char *id, const struct wf_error *err);
/* Likewise: there is no such case (any more). */
void wf_rest_refuse_case(struct wf_rest *rest, const char *id);
/* The same, whatever the account may do: the handler checks it. */
bool wf_rest_find_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known_out);
/* The same for the case of an item: "7.1:Task". */
bool wf_rest_known_case_of_item(
    struct wf_rest *rest, const char *item, struct wf_known_case *known_out);
/*
 * As wf_rest_fail(), for a command to a case; but if the case was migrated
 * since the server has read it, or the item of the path and its lease has
 * another id now, the handler runs again, once, in the pool.
 */
void wf_rest_fail_known(struct wf_rest *rest, const struct wf_error *err);
/*
 * The row of an item; if a worker has it, also by an id that it had before its
 * case was migrated.  WF_NOT_FOUND.
 */
enum wf_rc wf_rest_item_row(struct wf_rest *rest, struct wf_store *store,
    uint64_t number, const char *id, struct wf_item_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Has the handler run again in the pool; answers if the pool is full. */
void wf_rest_go_to_pool(struct wf_rest *rest);

/* --- rights (rest_right.c): false: the request was answered -------------- */

/* The code of refusals for a missing right. */
#define WF_LACKS_RIGHT "right"
/* The account lacks one of the verbs; what: on which objects.  WF_DENIED. */
void wf_rest_say_right(const struct wf_rest *rest, uint32_t verbs,
    const char *what, struct wf_error *err);
/* Answers that. */
void wf_rest_refuse_right(
    struct wf_rest *rest, uint32_t verbs, const char *what);
/* Whether it has one of the verbs in the whole namespace; answers nothing. */
bool wf_rest_may_everywhere(const struct wf_rest *rest, uint32_t verbs);
/*
 * The id of the participant that the account is, in the organisation; NULL: it
 * is none.
 */
const char *wf_rest_own_participant(
    const struct wf_rest *rest, const struct wf_organisation *organisation);
/* Whether the account may use the route, at least for some object. */
bool wf_rest_authorize(struct wf_rest *rest);
/* Asks for one of these verbs of the operation, instead of for any of it. */
void wf_rest_need(struct wf_rest *rest, uint32_t verbs);
/*
 * Whether the account is a participant with the privilege canManageCases, who
 * sees, starts and cancels all cases.
 */
bool wf_rest_manages_cases(const struct wf_rest *rest);
/* Whether the account may do it, as far as was checked. */
bool wf_rest_is_allowed(struct wf_rest *rest);
/* Whether it may do it for that process, that service, or either; or NULL. */
bool wf_rest_may(
    struct wf_rest *rest, const char *process, const char *service);
/* The same for each process of a file (rest_load.c). */
bool wf_rest_may_file(struct wf_rest *rest, const struct wf_spec_file *file);
/* The same for a specification; also false when it goes to the pool. */
bool wf_rest_may_process(struct wf_rest *rest, uint64_t key);
/* The same for an item of a case; also for other verbs. */
bool wf_rest_may_item(struct wf_rest *rest, uint32_t verbs, const char *item,
    const struct wf_known_case *known);
/*
 * Whether it has one of the verbs for an item of a case; nothing is answered,
 * except when it is false, as above.
 */
bool wf_rest_has_right(struct wf_rest *rest, uint32_t verbs, const char *item,
    const struct wf_known_case *known, bool *has_out);
/*
 * The same in the whole namespace or, where the request names an item or
 * processes, for its process or all of these.
 */
bool wf_rest_may_here(struct wf_rest *rest, uint32_t verbs, bool *has_out);
/* The same for a specification; 0: for none. */
bool wf_rest_has_right_for(struct wf_rest *rest, uint32_t verbs,
    uint64_t specification, bool *has_out);
/* The same as wf_rest_may_process() for that of a case, in the pool; 0: of no
 * case. */
bool wf_rest_may_case(struct wf_rest *rest, uint32_t verbs,
    struct wf_store *store, uint64_t number);
/*
 * The name by which grants mean the service that has the items of that URI: a
 * URI of no service is of the default worklist; in the arena.
 */
const char *wf_rest_service_name(struct wf_rest *rest, const char *uri);

/* --- starts (rest_start.c) ------------------------------------------------ */

/* Whether the account may withdraw the case of the path: it has started it. */
enum wf_rc wf_rest_check_withdrawal(
    struct wf_rest *rest, uint64_t number, struct wf_error *err) WF_MUSTCHECK;

/* --- own cases (rest_own_case.c) ----------------------------------------- */

/*
 * The id, in the arena, of the participant that the account is; NULL: none, or
 * the server has no people.
 */
const char *wf_rest_participant(struct wf_rest *rest);
/*
 * The same, if the account may take part in the process with that key.  False:
 * answered, or sent to the pool.
 */
bool wf_rest_taking_part(
    struct wf_rest *rest, uint64_t specification, const char **participant_out);
/*
 * Finds a case that the account may see: it has the right to read, or is a
 * participant who has started or worked on the case, and then *is_own_out.
 * Only in the pool.  False: answered.
 */
bool wf_rest_visible_case(struct wf_rest *rest, const char *id,
    struct wf_known_case *known_out, bool *is_own_out);
/*
 * Remove what such a participant does not see: of items, which service does
 * them and what it said; of steps, what may have data of the case or of people,
 * such as values, reasons and costs.
 */
void wf_rest_hide_services(json_t *items);
void wf_rest_hide_data(json_t *steps);

/* --- commands (rest_command.c) ------------------------------------------- */

/*
 * Gives the request to the engine, with the account as its actor and the header
 * Idempotency-Key as its key, and answers with its reply.  status: of success.
 * If it is not done, rest->undo is called before that is answered.
 */
void wf_rest_submit(
    struct wf_rest *rest, struct wf_request *request, unsigned status);

/* --- specifications (rest_find.c) ------------------------------- */

/*
 * A key, or a URI and its version (NULL: the latest).  False: answered, or sent
 * to the pool.
 */
bool wf_rest_version(struct wf_rest *rest, const char *name,
    const char *version, uint64_t *key_out);

/* Without its nets; a new reference. */
json_t *wf_rest_describe_specification(
    const struct wf_rest *rest, const struct wf_specification_row *row);
/* What was said of a file that was read; a new reference. */
json_t *wf_rest_list_diagnostics(const struct wf_diagnostics *diagnostics);
/* The name and type of a variable; a new reference. */
json_t *wf_rest_parameter(const struct wf_variable *variable);

/* --- services (rest_service.c, overview/rest_service_state.c) ------------- */

/* The service of a held set that the path names.  WF_NOT_FOUND. */
enum wf_rc wf_rest_find_service(const struct wf_rest *rest,
    const struct wf_service_set *set, const struct wf_service **service_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Adds the member "state": what waits for the service, and what this node has
 * seen of it.
 */
enum wf_rc wf_rest_put_service_state(struct wf_rest *rest,
    struct wf_store *store, const struct wf_service *service, json_t *object,
    struct wf_error *err) WF_MUSTCHECK;

/* --- pauses (rest_pause.c) ----------------------------------------------- */

/* Adds the member, unless nothing is paused. */
void wf_rest_put_pause(
    json_t *object, const char *name, const struct wf_pause *pause);
/*
 * A pause that begins now, with the reason of the body, which goes into the
 * audit.  False: answered.
 */
bool wf_rest_read_pause(struct wf_rest *rest, struct wf_pause *pause_out);

/* --- handlers ------------------------------------------------------------ */

#define WF_ROUTE(method, path, operation, access, where, arguments, members,   \
    handler, gives)                                                            \
	void handler(struct wf_rest *rest);
#include "rest/routes.def"
#undef WF_ROUTE

#endif
