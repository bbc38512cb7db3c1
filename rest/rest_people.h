/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People in requests: who acts, and what is said of items that are for people.
 *
 * An account is the participant whose user id is its name.  An account that
 * operates acts as that participant, too, unless the request says
 * "override=true"; without a participant it is an administrator of the items.
 */
#ifndef WF_REST_REST_PEOPLE_H
#define WF_REST_REST_PEOPLE_H

#include "kernel/assignment/assignment.h"
#include "people/decision.h"
#include "people/organisation/organisation.h"
#include "rest/rest.h"

struct wf_rest_actor {
	const char *participant; /* an id, in the arena; NULL: none */
	/* Who acts as the deputy of the participant; NULL: nobody. */
	const char *deputy;
	bool is_administrator; /* of all items of people */
	bool is_forced;	       /* whoever has the item */
};

/*
 * Who acts, by the account and the arguments "for" and "override".  False:
 * answered, or sent to the pool.
 */
bool wf_rest_read_actor(struct wf_rest *rest, struct wf_rest_actor *actor_out);

/*
 * The item of the path, its case, and who gives the command.  False: answered,
 * or sent to the pool.
 */
struct wf_request;
bool wf_rest_read_item(struct wf_rest *rest, struct wf_request *request,
    struct wf_known_case *known);
/*
 * The number of a participant, by user id or by id.  False: there is none, and
 * the request is answered.
 */
bool wf_rest_find_person(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *name,
    uint32_t *number_out);
/*
 * By which entries the account acts for others now, in the arena; none if it is
 * no participant.
 */
struct wf_deputy_list wf_rest_acts_for(
    struct wf_rest *rest, const struct wf_organisation *organisation);
/* Whether an entry is for the specification; only in the pool. */
bool wf_rest_deputy_is_for(struct wf_rest *rest, const struct wf_deputy *deputy,
    uint64_t specification);
/* Whether an entry for the person names the process so, or is for all. */
bool wf_rest_is_deputy_in(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *person,
    const char *process);

/*
 * Before a command is given: if a participant takes an offered item with it,
 * and the engine refuses that, wf_rest_explain_taken() says who has taken it.
 */
void wf_rest_expect_taken(
    struct wf_rest *rest, const struct wf_request *request);
/*
 * Called with the error by a thread of the engine.  True: the pool answers,
 * with that error or a better one.
 */
bool wf_rest_explain_taken(struct wf_rest *rest, const struct wf_error *err);

/* The user id of a participant; the id of one that is gone. */
const char *wf_rest_user(
    const struct wf_organisation *organisation, const char *id);

/*
 * Adds the members that only items of people have: assignment, holder, priority
 * and due.
 */
void wf_rest_put_assignment(json_t *object,
    const struct wf_organisation *organisation, const struct wf_item_row *row);

/*
 * Whether the account may do the operation with the item of a case: it has the
 * right, on the whole namespace or for this process or service (rest->serves),
 * or it takes part in the work of people.  A participant reads what is on its
 * worklist, or what its privileges show; commands check the participant
 * themselves.  False: answered, or sent to the pool.
 */
bool wf_rest_may_take_part(
    struct wf_rest *rest, const char *item, const struct wf_known_case *known);

/* Whether the item is offered to the participant (NULL: nobody). */
bool wf_rest_is_offered(struct wf_rest *rest,
    const struct wf_organisation *organisation,
    const struct wf_assignment *assignment, const char *participant);

/* How the account sees an item, other than by a right to read. */
enum wf_rest_view {
	WF_REST_UNSEEN,
	WF_REST_SEEN, /* it is offered, or somebody has it whose items it sees
		       */
	WF_REST_HELD  /* by its participant, or by one whose deputy it is */
};
/* assignment: of an item of the case; NULL: it is for no people. */
enum wf_rest_view wf_rest_view_item(struct wf_rest *rest,
    const struct wf_organisation *organisation, const struct wf_case *instance,
    const struct wf_assignment *assignment);

/* Adds "offered_to": everybody, roles, or people, not all if they are many. */
void wf_rest_put_offer(json_t *object, struct wf_rest *rest,
    const struct wf_organisation *organisation,
    const struct wf_assignment *assignment);

/*
 * What the engine would ask about an item of the case if the actor gave a
 * command; valid as long as all three.
 */
struct wf_people_question wf_rest_people_question(
    const struct wf_case *instance, const struct wf_item *item,
    const struct wf_rest_actor *actor);

/* What a participant can do with an item. */
struct wf_rest_work {
	struct wf_rest *rest;
	const struct wf_organisation *organisation;
	const struct wf_task *task;
	enum wf_resource_status assignment;
	enum wf_item_status status;
	bool was_started;   /* it executes, or did when it was suspended */
	const char *holder; /* "": nobody */
	bool is_offered;    /* to the actor */
	bool operates;	    /* the account, by a right */
	/* With its case; NULL: what can be done does not depend on it. */
	const struct wf_people_question *question;
	const struct wf_rest_actor *actor;
	const char *item;		    /* its id */
	const struct wf_workload *workload; /* of the actor */
	const char *piled;   /* the participant the task is piled to, or NULL */
	const char *chained; /* the one the case is chained to; "" or NULL */
};

/*
 * What the participant has, of which user privileges depend; nothing if they do
 * not.  Only in the pool.
 */
void wf_rest_read_workload(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *participant,
    struct wf_workload *workload_out);
/*
 * Whether user privileges let the participant of the command start the item, or
 * chain the case.  False: answered, or sent to the pool.
 */
bool wf_rest_may_begin(struct wf_rest *rest, const struct wf_request *request);
/*
 * Gives the command what administrators have, if whoever gives it by that route
 * is one.  WF_DENIED: the route is for them only (rest_command.c).
 */
enum wf_rc wf_rest_administer(struct wf_rest *rest,
    const struct wf_route *route, struct wf_command *command,
    struct wf_error *err) WF_MUSTCHECK;
/* Whether whoever acts is an administrator of the items of people. */
bool wf_rest_is_administrator(
    struct wf_rest *rest, const struct wf_rest_actor *actor);
/* The same, in this organisation. */
bool wf_rest_is_administrator_in(const struct wf_organisation *organisation,
    const struct wf_rest_actor *actor);
/* The number of the participant who acts; WF_ORG_NOBODY: there is none. */
uint32_t wf_rest_actor_number(const struct wf_organisation *organisation,
    const struct wf_rest_actor *actor);

/* {"reason", "lacks"}: why an action is refused; as Refusal in openapi.yaml. */
json_t *wf_rest_describe_refusal(const struct wf_error *err);

/*
 * Whether the actor can pile the task of the item, which starts it.  WF_DENIED
 * and WF_CONFLICT say why not.
 */
enum wf_rc wf_rest_check_pile(
    const struct wf_rest_work *work, struct wf_error *err) WF_MUSTCHECK;
/*
 * Whether a command about people would be refused to the actor: what the engine
 * asks when it is given.
 */
enum wf_rc wf_rest_check_people(const struct wf_rest_work *work,
    enum wf_command_kind command, struct wf_error *err) WF_MUSTCHECK;

/*
 * Adds "actions": the words of what can be done now; with why, also "refused":
 * why the rest cannot, by word.
 */
void wf_rest_put_actions(
    json_t *object, const struct wf_rest_work *work, bool why);

#endif
