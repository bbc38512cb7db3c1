/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server program: opens all parts of a server in order, connects them with
 * each other, and closes them in the opposite order.
 */
#ifndef WF_APP_APP_H
#define WF_APP_APP_H

#include "server/context.h"
#include "yawl/yawl.h"

struct wf_app; /* opaque */

/*
 * Opens the store, creates the account "admin" if there is no account yet, and
 * serves.  token_file: the file that receives the token of that account; NULL:
 * the token is not written.  The texts in both settings and the log
 * must outlive the app.
 */
enum wf_rc wf_app_open(struct wf_app **app_out,
    const struct wf_server_settings *settings,
    const struct wf_yawl_settings *yawl, const char *token_file,
    struct wf_error *err) WF_MUSTCHECK;
/* The TCP port on which it listens. */
uint16_t wf_app_port(const struct wf_app *app);
/* Whether wf_app_open() created the account "admin", with a new token. */
bool wf_app_made_token(const struct wf_app *app);
/*
 * Takes over, while the server runs, those settings that are
 * WF_RELOADED_SETTING in cli/admin/settings.def; nothing is kept of them.
 */
void wf_app_reload(
    struct wf_app *app, const struct wf_server_settings *settings);
/* Accepts no further request, answers all accepted ones, and closes. */
void wf_app_close(struct wf_app **app);

#endif
