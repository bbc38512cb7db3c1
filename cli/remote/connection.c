/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/remote/connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/commands.h"

#define TOKEN_FILE "weft.token"
#define TOKEN_MAXIMUM 4096U
#define DEFAULT_SERVER "http://127.0.0.1:8090"

char *wf_remote_token(void)
{
	const char *given = getenv("WEFT_TOKEN");
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer text;

	if (given != NULL && given[0] != '\0')
		return wf_strdup(given);
	wf_buffer_init(&text, TOKEN_MAXIMUM);
	errno = 0;
	if (wf_buffer_read_line(&text, TOKEN_FILE, &err) == WF_OK &&
	    text.length > 0)
		return wf_buffer_take(&text);
	wf_buffer_free(&text);
	if (err.rc == WF_OK)
		fputs("weft: " TOKEN_FILE " is empty: \"weft account reset\" "
		      "gives a new token\n",
		    stderr);
	else if (errno != ENOENT)
		(void)wf_cli_report(&err);
	else
		fputs("weft: there is no token: set WEFT_TOKEN, or go where "
		      "the server has left " TOKEN_FILE "\n",
		    stderr);
	return NULL;
}

const char *wf_remote_server(void)
{
	const char *given = getenv("WEFT_SERVER");

	return given == NULL || given[0] == '\0' ? DEFAULT_SERVER : given;
}

const char *wf_remote_ca(void)
{
	const char *given = getenv("WEFT_CA");

	return given == NULL || given[0] == '\0' ? NULL : given;
}
