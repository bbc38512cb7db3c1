/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft bench: starts the program of the benchmarks, which is not part of weft.
 * It is in the folder bench/ beside weft in a build folder, else where
 * "make install" puts it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"

#define IN_BUILD "bench/weft-bench"
#define INSTALLED PKGLIBEXECDIR "/weft-bench"

int wf_cli_bench(int argc, char **argv)
{
	char path[PATH_MAX + sizeof(IN_BUILD)];
	ssize_t folder = readlink("/proc/self/exe", path, PATH_MAX);

	(void)argc;
	while (folder > 0 && path[folder - 1] != '/')
		folder--;
	strcpy(path + (folder > 0 ? folder : 0), IN_BUILD);
	execv(path, argv);
	execv(INSTALLED, argv);
	fprintf(stderr,
	    "weft: the benchmarks cannot be started: neither %s nor " INSTALLED
	    ": %s\n",
	    path, strerror(errno));
	return WF_EXIT_REFUSED;
}
