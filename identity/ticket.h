/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets: who can write to the store makes one for an account, and a browser
 * of this machine signs in with it, once and within an hour.
 *
 *   (none) ──wf_ticket_make()──► made ──wf_ticket_use(), old──► (none)
 *
 * A ticket is a row of the table of sessions, under a hash that no session can
 * have; so all nodes share it, whoever ends the sessions of the account ends
 * its tickets, and it is void when the account is in another epoch.  Its use
 * removes the row: of several that use it at once, one succeeds.
 */
#ifndef WF_IDENTITY_TICKET_H
#define WF_IDENTITY_TICKET_H

#include "identity/account.h"

/* A ticket as text, with its NUL: 43 characters of base64url. */
#define WF_TICKET_SIZE 44U
#define WF_TICKET_MS INT64_C(3600000)

/*
 * Makes a ticket for an account.  now: ms since 1970, as below.  WF_NOT_FOUND:
 * there is no such account; WF_CONFLICT: nobody may use it.
 */
enum wf_rc wf_ticket_make(struct wf_store *store, const char *account,
    int64_t now, char ticket_out[WF_TICKET_SIZE],
    struct wf_error *err) WF_MUSTCHECK;
/*
 * The account of a ticket, which is void afterwards.  WF_NOT_FOUND: it was
 * used, is too old, or was never made, or its account has changed.
 */
enum wf_rc wf_ticket_use(struct wf_accounts *accounts, struct wf_store *store,
    const char *ticket, int64_t now, struct wf_account *account_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
