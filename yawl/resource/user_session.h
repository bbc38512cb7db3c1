/* SPDX-License-Identifier: Apache-2.0 */
/* The handles of users; private to yawl/resource/. */
#ifndef WF_YAWL_RESOURCE_USER_SESSION_H
#define WF_YAWL_RESOURCE_USER_SESSION_H

#include "yawl/resource/gateway.h"

/* The other interfaces of YAWL in this server. */
struct wf_yawl *wf_gateways_yawl(const struct wf_gateways *gateways);
/*
 * Sets user and participant of the call if the handle is that of a user whose
 * participant there still is.
 */
void wf_user_session_use(struct wf_gateway_call *call, const char *handle);
/*
 * Checks user and password of a request.  WF_UNAVAILABLE: the thread may take
 * 100 ms only if slowly is true; the turn of the invocation is set.
 */
enum wf_rc wf_user_session_check(
    struct wf_gateway_call *call, bool slowly) WF_MUSTCHECK;
/*
 * Adds the account of a participant, with a password as YAWL hashes it.
 * WF_CONFLICT: there is one; WF_INVALID: the user id is no name of an account.
 */
enum wf_rc wf_user_account_add(struct wf_store *store, const char *user,
    const char *hash, struct wf_error *err) WF_MUSTCHECK;
/* Calls visit for the user of each session of a user. */
void wf_user_sessions_visit(struct wf_gateways *gateways,
    void (*visit)(void *context, const char *user), void *context);

#endif
