/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts as they are stored; private to server/account*.c. */
#ifndef WF_SERVER_ACCOUNT_PRIV_H
#define WF_SERVER_ACCOUNT_PRIV_H

#include <sodium.h>

#include "server/account.h"

#define WF_ACCOUNT_KIND "account"
#define WF_TOKEN_HASH 32U

struct wf_stored_account {
	struct wf_account account;
	unsigned char token[WF_TOKEN_HASH];
	char password[crypto_pwhash_STRBYTES]; /* "": none */
};

void wf_hash_token(
    const char *token, size_t length, unsigned char hash[WF_TOKEN_HASH]);
enum wf_rc wf_account_decode(const struct wf_record_row *row,
    struct wf_stored_account *account_out, struct wf_error *err) WF_MUSTCHECK;

#endif
