/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft bench: starts the program of the benchmarks, which is not part of weft.
 * In a build folder it is in bench/ beside weft.  Installed it is in
 * libexec/weft/ beside the folder of weft, wherever the tree was moved to, or
 * in the folder that ./configure was given.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"

#define INSTALLED PKGLIBEXECDIR "/weft-bench"

/* From the folder of weft. */
static const char *const places[] = { "bench/weft-bench",
	"../libexec/weft/weft-bench" };

int wf_cli_bench(int argc, char **argv)
{
	char path[PATH_MAX + 64];
	ssize_t folder = readlink("/proc/self/exe", path, PATH_MAX);

	(void)argc;
	while (folder > 0 && path[folder - 1] != '/')
		folder--;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		strcpy(path + (folder > 0 ? folder : 0), places[i]);
		execv(path, argv);
	}
	execv(INSTALLED, argv);
	fprintf(stderr,
	    "weft: the benchmarks cannot be started: neither %s nor " INSTALLED
	    ": %s\n",
	    path, strerror(errno));
	return WF_EXIT_REFUSED;
}
