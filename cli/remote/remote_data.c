/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the argument DATA of a verb. */
#include <string.h>

#include "cli/commands.h"
#include "cli/remote/remote.h"

bool wf_remote_read(const char *given, struct wf_buffer *text)
{
	struct wf_error err = { .rc = WF_OK };

	if (given[0] != '@' && strcmp(given, "-") != 0) {
		wf_buffer_puts(text, given);
		return true;
	}
	if (wf_buffer_read_file(text,
		given[0] == '@' ? given + 1 : "/dev/stdin", &err) == WF_OK)
		return true;
	(void)wf_cli_report(&err);
	return false;
}
