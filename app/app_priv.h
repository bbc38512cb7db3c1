/* SPDX-License-Identifier: Apache-2.0 */
/* The app from inside; private to app/. */
#ifndef WF_APP_APP_PRIV_H
#define WF_APP_APP_PRIV_H

#include "app/app.h"
#include "yawl/listening/listening.h"

struct wf_app {
	struct wf_server *server;
	struct wf_yawl *yawl;	      /* NULL: its interfaces are not served */
	struct wf_gateways *gateways; /* NULL likewise */
	const char *token_file;
	int socket; /* that listens; -1: none, or it is the HTTP server's */
	bool made_token;
	struct wf_refresh *refresh;
	_Atomic(struct wf_listening *) listening; /* NULL: nobody can listen */
};

/* --- first_account.c ------------------------------------------------------ */

/*
 * Creates the account "admin" in a store that has no account, and writes its
 * token to path (NULL: nowhere).  WF_CONFLICT: that file has something else
 * than a token of this store.
 */
enum wf_rc wf_first_account(struct wf_store *store, const char *path,
    bool *made_out, struct wf_error *err) WF_MUSTCHECK;

/* --- refresh.c ------------------------------------------------------------ */

/*
 * The thread that reads accounts and services anew each second, because other
 * nodes and the command line change them too.
 */
enum wf_rc wf_refresh_start(struct wf_refresh **refresh_out, struct wf_app *app,
    struct wf_error *err) WF_MUSTCHECK;
void wf_refresh_stop(struct wf_refresh **refresh);

#endif
