/* SPDX-License-Identifier: Apache-2.0 */
/* Where the server of a command is, and the token that it asks for. */
#ifndef WF_CLI_REMOTE_CONNECTION_H
#define WF_CLI_REMOTE_CONNECTION_H

/* WEFT_SERVER, or the address that a server listens on by default. */
const char *wf_remote_server(void);
/*
 * WEFT_TOKEN, or what the file weft.token holds; NULL: neither, and standard
 * error says why.  The caller frees it.
 */
char *wf_remote_token(void);

#endif
