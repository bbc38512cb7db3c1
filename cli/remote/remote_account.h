/* SPDX-License-Identifier: Apache-2.0 */
/* weft account --server: the accounts of a server, over its REST interface. */
#ifndef WF_CLI_REMOTE_REMOTE_ACCOUNT_H
#define WF_CLI_REMOTE_REMOTE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/commands.h"

struct wf_account_order {
	const char *server;
	const char *ca;		      /* NULL: that of WEFT_CA, or the system */
	const struct wf_cli_row *row; /* of the verb, in the table */
	const char *name;
	const char *token;	   /* its name; of add: of the one it gets */
	const char *const *grants; /* of an account, or the scope of a token */
	size_t grant_count;
	const char *const *removed; /* of the grants that it has */
	size_t removed_count;
	bool replaces;	       /* all grants that it has */
	uint32_t namespace_id; /* 0: that of whoever asks */
	int64_t expires_ms;    /* from now; 0: never */
	const char *password;  /* NULL: none is given */
	bool json;
};

/*
 * Does what the verb says and prints the answer.  secret_out, size bytes: of a
 * token that was made, else "".  Returns the exit code.
 */
int wf_remote_account(
    const struct wf_account_order *order, char *secret_out, size_t size);

#endif
