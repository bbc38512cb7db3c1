/* SPDX-License-Identifier: Apache-2.0 */
/* The address of the server, and the token for it. */
#ifndef WF_CLI_REMOTE_CONNECTION_H
#define WF_CLI_REMOTE_CONNECTION_H

/* WEFT_SERVER, else the address that weft serve listens on by default. */
const char *wf_remote_server(void);
/* WEFT_CA, a file of certificates; NULL: those of the system. */
const char *wf_remote_ca(void);
/*
 * WEFT_TOKEN, else the first line of the file weft.token.  The caller frees
 * it.  NULL, after a message on standard error: there is neither.
 */
char *wf_remote_token(void);

#endif
