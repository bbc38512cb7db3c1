/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAWL's interfaces A, B, E and X, as its clients and services call them
 * (docs/YAWL-COMPATIBILITY.md).
 *
 * A request is a form with an action; the table of actions names the handler.
 * A handler that only reads writes the answer.  A handler that changes a case
 * first inspects it, because clients expect refusals in the words of YAWL, then
 * gives a command to the engine; the commit answers the request:
 *
 *   form ──► session ──► [pool] handler ──► answer
 *                              │
 *                              └► engine ──► [pool] call->then ──► answer
 */
#ifndef WF_YAWL_YAWL_H
#define WF_YAWL_YAWL_H

#include "http/http_server.h"
#include "runtime/engine.h"
#include "server/context.h"
#include "server/dispatch.h"
#include "server/log.h"
#include "spec/markup.h"
#include "yawl/client.h"
#include "yawl/item_record.h"
#include "yawl/session.h"

#define WF_YAWL_ORIGIN "yawl"
/* The element around most answers. */
#define WF_YAWL_AROUND "response"

enum wf_yawl_interface {
	WF_YAWL_IA,
	WF_YAWL_IB,
	WF_YAWL_IX,
	WF_YAWL_IE,
	WF_YAWL_NONE
};

struct wf_yawl_settings {
	bool enabled;
	const char *path;      /* of these interfaces: "/yawl" */
	const char *worklist;  /* the default worklist: "URL#password" */
	unsigned idle_seconds; /* a session may be unused for so long */
	/* Of codelets, also where the interfaces are not served. */
	const char *programs; /* see wf_codelet_allow() */
	int64_t program_ms;
};

void wf_yawl_settings_init(struct wf_yawl_settings *settings);

/* The state of these interfaces in a server. */
struct wf_yawl {
	struct wf_server *server;
	const char *path; /* "/yawl" */
	struct wf_yawl_sessions *sessions;
	struct wf_sign_ins *sign_ins;
	struct wf_item_starters *starters;
	char worklist[WF_SERVICE_URI_BYTES + 1]; /* URI of the default one */
	char worklist_password[32];
	int64_t started_at;
	atomic_bool redundant;	/* takes no requests */
	atomic_bool statistics; /* as a client set it */
	uint64_t checked; /* change of the store, when sessions were checked */
	uint64_t damaged; /* which clients were reported as that, as a hash */
	const struct wf_yawl_action *more; /* beside yawl/actions.def */
	size_t more_count;
};

struct wf_yawl_action;
struct wf_yawl_call;
typedef void (*wf_yawl_f)(struct wf_yawl_call *call);

struct wf_yawl_action {
	enum wf_yawl_interface interface;
	struct wf_operation operation;
	wf_yawl_f handle;
};

/* A row of a table of actions. */
#define WF_YAWL_ACTION_ROW(interface, name, access, where, handler)            \
	{ WF_YAWL_##interface,                                                 \
		{ name, WF_ACCESS_##access, 0, false, WF_##where }, handler },

/* One request; lives in the arena of the exchange. */
struct wf_yawl_call {
	struct wf_invocation invocation; /* first */
	struct wf_yawl *yawl;
	struct wf_server *server; /* of the invocation, as the next two */
	struct wf_exchange *exchange;
	struct wf_arena *arena;
	enum wf_yawl_interface interface;
	const struct wf_yawl_action *action;
	const char *user;     /* of the session */
	const char *around;   /* the element around its answer; NULL: none */
	struct wf_buffer out; /* the answer so far */
	/* A case that a handler has found, and an item of it. */
	struct wf_known_case known;
	const char *status;
	bool is_child;
	/* The continuation of a command, and its result. */
	wf_yawl_f then;
	wf_yawl_f refused;
	bool undoes; /* refused takes something back, also of an overload */
	const char *words; /* that its answer needs */
	/* What it is about, for the audit; NULL: its parameters say so. */
	const char *subject;
	struct wf_error error;
	uint32_t case_status;	    /* after it */
	char item[WF_ITEM_ID_SIZE]; /* that it made */
	const char *name;	    /* of the case */
};

/* WF_INVALID: the worklist is not URL#password. */
enum wf_rc wf_yawl_open(struct wf_yawl **yawl_out, struct wf_server *server,
    const struct wf_yawl_settings *settings, struct wf_error *err) WF_MUSTCHECK;
void wf_yawl_close(struct wf_yawl **yawl);
/* Ends the sessions of accounts that another node has removed. */
enum wf_rc wf_yawl_check_accounts(struct wf_yawl *yawl, struct wf_store *store,
    struct wf_error *err) WF_MUSTCHECK;
/* For wf_dispatch_add(), with a struct wf_yawl as its context. */
extern const struct wf_interface wf_yawl_interface;
/*
 * Adds a table of actions of a later layer, before the first request. The table
 * is static.
 */
void wf_yawl_add_actions(
    struct wf_yawl *yawl, const struct wf_yawl_action *rows, size_t count);

/* --- for interfaces of later layers -------------------------------------- */

/*
 * The path of a target behind that of these interfaces: "/ib" of "/yawl/ib?x";
 * NULL: it is not one of theirs.
 */
const char *wf_yawl_path(
    const struct wf_yawl *yawl, const char *target, size_t *length_out);
/* For admit(): fills in the call.  False: answered. */
bool wf_yawl_begin(struct wf_yawl_call *call, struct wf_yawl *yawl);
/* For prepare(): reads query and form.  False: answered. */
bool wf_yawl_read_form(struct wf_yawl_call *call);
/* The path of a request whose action was found; else NULL. */
const char *wf_yawl_route(const struct wf_invocation *invocation);

/* --- answers: exactly one ends a call ------------------------------------ */

/* The longest answer. */
#define WF_YAWL_ANSWER_BYTES ((size_t)512 << 20)

/* Answers with call->out. */
void wf_yawl_answer(struct wf_yawl_call *call);
/* The same with another status and type, and nothing around it. */
void wf_yawl_answer_as(
    struct wf_yawl_call *call, unsigned status, const char *type);
/* <success/> */
void wf_yawl_succeed(struct wf_yawl_call *call);
/* <failure><reason>..</reason></failure> */
void wf_yawl_fail(struct wf_yawl_call *call, const char *format, ...)
    WF_PRINTF(2, 3);
/* The same with the message of an error. */
void wf_yawl_fail_error(struct wf_yawl_call *call, const struct wf_error *err);
/* The answer that YAWL gives after an exception. */
void wf_yawl_fail_action(struct wf_yawl_call *call);
/*
 * Gives a command to the engine, with the user of the session as its actor.
 * When it is done, calls then in the pool, or (NULL) wf_yawl_succeed(). When it
 * is refused, calls call->refused, if set, with call->error.
 */
void wf_yawl_submit(
    struct wf_yawl_call *call, struct wf_request *request, wf_yawl_f then);

/* --- the audit ----------------------------------------------------------- */

/* Adds what an administrator asks for, when it is answered. */
void wf_yawl_audit(
    struct wf_yawl_call *call, unsigned status, const char *answer);
/*
 * Adds a sign-in, or an attempt.  account: "" if nobody is called so; result:
 * WF_AUDIT_DONE, "refused" or "throttled".
 */
void wf_yawl_audit_sign_in(
    struct wf_yawl_call *call, const char *account, const char *result);

/* --- what handlers share ------------------------------------------------- */

/* A parameter; NULL: missing. */
const char *wf_yawl_parameter(
    const struct wf_yawl_call *call, const char *name);
/* The root of an XML text, in the arena; NULL: it is not well-formed. */
const struct wf_markup *wf_yawl_parse(
    struct wf_yawl_call *call, const char *xml);
/* Base64 of the hash of a password, in the arena. */
const char *wf_yawl_hash(struct wf_yawl_call *call, const char *password);

/*
 * Finds the case with that id, live or completed, and sets call->known. False:
 * there is none.
 */
bool wf_yawl_find_case(struct wf_yawl_call *call, const char *id);
/* The same for the case of an item, "7.1:Task", or of a net, "7.1". */
bool wf_yawl_find_case_of(struct wf_yawl_call *call, const char *id);

/* Calls visit for each running case, of one specification or (0) of all. */
enum wf_rc wf_yawl_each_case(struct wf_yawl_call *call, uint64_t specification,
    void (*visit)(void *context, const struct wf_case_row *row), void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* A specification as requests name it. */
struct wf_yawl_spec_id {
	const char *identifier; /* NULL: it has none */
	const char *version;
	const char *uri;
};

/* From the parameters specidentifier, specversion, specuri. */
struct wf_yawl_spec_id wf_yawl_spec_id(const struct wf_yawl_call *call);
bool wf_yawl_spec_is(
    const struct wf_specification_row *row, const struct wf_yawl_spec_id *id);
/* "uri - version v", in the arena. */
const char *wf_yawl_spec_text(
    struct wf_yawl_call *call, const struct wf_yawl_spec_id *id);
/* Appends the specificationid element; without an identifier: NULL or "". */
void wf_yawl_put_spec_id(struct wf_buffer *xml, const char *identifier,
    const char *version, const char *uri);
/*
 * The identifier of the specification; NULL: it has none, and its URI is its
 * key.
 */
const char *wf_yawl_identifier(
    struct wf_yawl_call *call, const struct wf_specification_row *row);
/* The specification that the request names; false: there is none (err). */
bool wf_yawl_find_spec(struct wf_yawl_call *call,
    struct wf_specification_row *row_out, struct wf_error *err);
/* The same, with its latest version, when there is a later one; else NULL. */
bool wf_yawl_find_spec_and_latest(struct wf_yawl_call *call,
    struct wf_specification_row *row_out, const char **latest_out,
    struct wf_error *err);
/* All rows; false: the call is answered. */
bool wf_yawl_list_specs(
    struct wf_yawl_call *call, struct wf_specification_list *list_out);
/* A whole specification as XML. */
void wf_yawl_put_spec(struct wf_buffer *xml, const struct wf_spec *spec);

/*
 * Calls inspect with the item of a running case that has that id, and with its
 * starter.  False: there is none, or (err) it cannot be read.
 */
typedef void (*wf_yawl_item_f)(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item);
bool wf_yawl_inspect_item(struct wf_yawl_call *call, const char *id,
    wf_yawl_item_f inspect, struct wf_error *err);
/*
 * The same; when it is false, the request is answered with a failure: unknown,
 * with %s in it for the id, when there is no such item.
 */
bool wf_yawl_find_item(struct wf_yawl_call *call, const char *id,
    wf_yawl_item_f inspect, const char *unknown);
/* Whether an item of that status can be started. */
bool wf_yawl_is_startable(const char *status);
/* Records its status, and whether it is a child, in the call. */
void wf_yawl_note_item(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item);
/* Appends the data of a net. */
struct wf_net_view;
void wf_yawl_put_net_data(
    struct wf_yawl_call *call, const struct wf_net_view *view);
/* Appends the item. */
void wf_yawl_show_item(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item);

/* --- handlers ------------------------------------------------------------ */

#define WF_YAWL_ACTION(interface, name, access, where, handler)                \
	void handler(struct wf_yawl_call *call);
#include "yawl/actions.def"
#undef WF_YAWL_ACTION

#endif
