/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of browsers: the id is in a cookie that pages cannot read and that
 * is not sent with requests of other sites; a request that changes something
 * must also send the value that the answer of the sign-in had.
 */
#ifndef WF_REST_REST_SESSION_H
#define WF_REST_REST_SESSION_H

#include "identity/session.h"
#include "rest/rest.h"

/* Of every request of a session but GET and HEAD. */
#define WF_FORGERY_HEADER "X-CSRF-Token"

/*
 * The id that the request has in its cookie; NULL: it has none, or proves its
 * account with the header Authorization.
 */
const char *wf_rest_session_id(struct wf_rest *rest);
/* Checks the session; WF_AWAITED: the store must be read. */
enum wf_authorization wf_rest_check_session(
    struct wf_rest *rest, const char *id);
/*
 * The name and password, or token, or in their place the ticket, in the body;
 * *ticket_out is NULL: there is none.  False: answered.
 */
bool wf_rest_read_sign_in(struct wf_rest *rest,
    struct wf_credentials *credentials_out, const char **ticket_out);
/* Uses a ticket; WF_AWAITED: the store must be written. */
enum wf_authorization wf_rest_check_ticket(
    struct wf_rest *rest, const char *ticket);

/*
 * Makes a session for an account that has been checked, and puts its cookie
 * into the answer, which the caller gives; the session that the request had is
 * ended.  In the pool.  False: answered.
 */
bool wf_rest_open_session(
    struct wf_rest *rest, const struct wf_account *account, const char *method);

/* Grants, or the scope of a token, as an array of texts. */
json_t *wf_rest_grants_json(const struct wf_grant_texts *texts);

#endif
