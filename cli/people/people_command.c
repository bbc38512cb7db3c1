/* SPDX-License-Identifier: Apache-2.0 */
/* weft people: the organisation, and who gets what. */
#include <string.h>

#include "cli/commands.h"
#include "cli/people/people.h"
#include "cli/remote/remote.h"

int wf_cli_people(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "answer") != 0)
		return wf_remote_run("people", argc, argv);
	if (argc != 3)
		return wf_cli_usage("people", "expected one FILE");
	return wf_people_answer(argv[2]);
}
