/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "cli/commands.h"

int wf_cli_options(const char *command, int argc, char **argv,
    const struct option *options, wf_take_option *take, void *context)
{
	int code = WF_EXIT_DONE;
	int index = 0;
	int option;

	optind = 1;
	opterr = 0;
	while (code == WF_EXIT_DONE &&
	       (option = getopt_long(argc, argv, ":", options, &index)) != -1) {
		const char *word = argv[optind - 1];

		if (option == ':')
			code = wf_cli_usage(command, "%s needs a value", word);
		else if (option == '?')
			code = wf_cli_usage(command, "unknown option %s", word);
		else
			code = take(context, &options[index], optarg);
	}
	return code;
}
