/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The REST interface: what schemas/openapi.yaml describes.
 *
 * routes.def names the handlers (see rest_route.c).  A handler that only gives
 * a command to the engine runs in the thread of its connection and answers when
 * the engine has committed; whatever reads the store runs in the pool.
 */
#ifndef WF_REST_REST_H
#define WF_REST_REST_H

#include <jansson.h>

#include "data/json_fields.h"
#include "http/http_server.h"
#include "http/target.h"
#include "runtime/engine.h"
#include "server/account.h"
#include "server/context.h"
#include "server/dispatch.h"
#include "spec/spec.h"

#define WF_PATH_PARTS 2

/* A request to REST on its way; lives in the exchange's arena. */
struct wf_rest {
	struct wf_invocation invocation; /* first */
	struct wf_server *server; /* of the invocation, as the next two */
	struct wf_exchange *exchange;
	struct wf_arena *arena;
	const struct wf_route *route; /* NULL: there is none */
	struct wf_account account;    /* who asks, once that is checked */
	const char *problem;	      /* the code of the answer; NULL: none */
	const char *failure; /* what the server did wrong; NULL: nothing */
	/* What stands in the path for {..}, in order. */
	const char *parts[WF_PATH_PARTS];
};

typedef void (*wf_rest_f)(struct wf_rest *rest);

struct wf_route {
	const char *method;
	const char *path;
	struct wf_operation operation; /* its name: operationId */
	const char *arguments;	       /* names, with spaces between */
	const char *members;	       /* of its body */
	wf_rest_f handle;
	/* What it gives to the engine; 0: nothing. */
	enum wf_request_kind request;
	enum wf_command_kind command; /* of WF_REQUEST_COMMAND */
};

/* For wf_dispatch_add(); takes any request.  No context. */
extern const struct wf_interface wf_rest_interface;

/* --- answers (rest.c) -------------------------------------------------------
 */

/* json: the reference is taken. */
void wf_rest_answer(struct wf_rest *rest, unsigned status, json_t *json);
/*
 * A page of a list, as the member of that name; next: the number behind which
 * the next page begins, 0: there is none.  The reference to rows is taken.
 */
void wf_rest_answer_page(
    struct wf_rest *rest, const char *name, json_t *rows, uint64_t next);
/* Problem details with the code of err->rc. */
void wf_rest_fail(struct wf_rest *rest, const struct wf_error *err);
/* The same with another status, code and sentence. */
void wf_rest_problem(struct wf_rest *rest, unsigned status, const char *code,
    const char *title, const char *detail);

/* In two steps, for one with more members. */
json_t *wf_rest_make_problem(
    unsigned status, const char *code, const char *title, const char *detail);
void wf_rest_answer_problem(
    struct wf_rest *rest, unsigned status, json_t *problem);

/* --- arguments (rest.c): on failure the request is answered -----------------
 */

/* 400, with this sentence. */
void wf_rest_refuse(struct wf_rest *rest, const char *format, ...)
    WF_PRINTF(2, 3);
/* An argument of the query; NULL: it is not there. */
const char *wf_rest_argument(const struct wf_rest *rest, const char *name);
bool wf_rest_key(struct wf_rest *rest, const char *text, uint64_t *key_out);
/* A key, or a URI, which means the newest version; only in the pool. */
bool wf_rest_specification(
    struct wf_rest *rest, const char *text, uint64_t *key_out);
/* A number; name: of the argument. */
bool wf_rest_number(struct wf_rest *rest, const char *name, const char *text,
    uint64_t *number_out);
/* One of two words; the second when it is not given.  False: refused. */
bool wf_rest_choice(struct wf_rest *rest, const char *name, const char *yes,
    const char *no, bool *yes_out);
/* true or false. */
bool wf_rest_switch(struct wf_rest *rest, const char *name, bool *on_out);
/* limit=; the default when it is not given. */
bool wf_rest_limit(struct wf_rest *rest, size_t *limit_out);
/*
 * The body as an object of JSON, with no members but those of the route;
 * *json_out is NULL when there is no body.
 */
bool wf_rest_body(struct wf_rest *rest, json_t **json_out);
/* Whether name is one of these names, which have spaces between them. */
bool wf_rest_is_listed(const char *names, const char *name);
/* A member that is a text of at most so many bytes; NULL: it is not there. */
bool wf_rest_text(struct wf_rest *rest, json_t *object, const char *name,
    size_t maximum, const char **text_out);
/* A member that is a number from 0 to 2^31 - 1; *count_out stays without. */
bool wf_rest_count(struct wf_rest *rest, json_t *object, const char *name,
    uint32_t *count_out);
/* A duration in milliseconds, the same. */
bool wf_rest_duration(
    struct wf_rest *rest, json_t *object, const char *name, int64_t *time_out);
/* Whether the client would rather have XML; whether it sends XML. */
bool wf_rest_wants_xml(const struct wf_rest *rest);
bool wf_rest_sends_xml(const struct wf_rest *rest);
/* Why, as the body says; in the arena; NULL, unless it is needed. */
bool wf_rest_reason(struct wf_rest *rest, bool needed, const char **reason_out);

/*
 * What is known of a case by its id.  False when that has to be looked up
 * first: then the request is on its way to the pool, where the handler runs
 * anew, or it was answered because there is no such case.
 */
bool wf_rest_known_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known_out);
/* The same for the case of an item: "7.1:Task". */
bool wf_rest_known_case_of_item(
    struct wf_rest *rest, const char *item, struct wf_known_case *known_out);
/* The handler runs anew, in the pool; or the request is answered. */
void wf_rest_go_to_pool(struct wf_rest *rest);

/* --- commands (rest_command.c) ----------------------------------------------
 */

/*
 * Gives the request to the engine, and answers with what became of it.
 * Who asks and the key are filled in.  status: of success.
 */
void wf_rest_submit(
    struct wf_rest *rest, struct wf_request *request, unsigned status);

/* "running"; "" for an unknown one. */
const char *wf_rest_case_status(uint32_t status);

/* --- specifications (rest_specification.c) ----------------------------------
 */

/* By URI; version NULL: the latest.  WF_NOT_FOUND. */
enum wf_rc wf_rest_find_specification(struct wf_rest *rest, const char *uri,
    const char *version, uint64_t *key_out, struct wf_error *err) WF_MUSTCHECK;

/* Name and type; a new reference. */
json_t *wf_rest_parameter(const struct wf_variable *variable);

/* --- handlers ---------------------------------------------------------------
 */

#define WF_ROUTE(method, path, operation, access, where, arguments, members,   \
    handler, gives)                                                            \
	void handler(struct wf_rest *rest);
#include "rest/routes.def"
#undef WF_ROUTE

#endif
