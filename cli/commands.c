/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: usage errors, numbers, reports of failures. */
#include "cli/commands.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *find_synopsis(const char *name)
{
	static const struct {
		const char *name;
		const char *synopsis;
	} commands[] = {
#define WF_NAMED_COMMAND(identifier, name, synopsis, summary, options)         \
	{ name, synopsis },
#include "cli/commands.def"
#undef WF_NAMED_COMMAND
	};

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].synopsis;
	return NULL;
}

int wf_cli_usage(const char *name, const char *format, ...)
{
	const char *synopsis = find_synopsis(name);
	va_list arguments;

	if (format != NULL) {
		fprintf(stderr, "weft: ");
		va_start(arguments, format);
		vfprintf(stderr, format, arguments);
		va_end(arguments);
		fputc('\n', stderr);
	}
	if (synopsis != NULL)
		fprintf(stderr,
		    "usage: weft %s %s\n\"weft %s --help\" tells more.\n", name,
		    synopsis, name);
	return WF_EXIT_USAGE;
}

bool wf_cli_number(const char *text, uint64_t maximum, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
	       *out <= maximum;
}

int wf_cli_report(const struct wf_error *err)
{
	const struct wf_place *place = &err->place;

	fputs("weft: ", stderr);
	if (place->file[0] != '\0')
		fprintf(stderr, "%s:", place->file);
	if (place->line > 0)
		fprintf(stderr, "%d:", place->line);
	if (place->line > 0 && place->column > 0)
		fprintf(stderr, "%d:", place->column);
	if (place->file[0] != '\0' || place->line > 0)
		fputc(' ', stderr);
	if (place->element[0] != '\0')
		fprintf(stderr, "%s: ", place->element);
	if (err->code[0] != '\0')
		fprintf(stderr, "err:%s: ", err->code);
	fprintf(stderr, "%s\n", err->message);
	return wf_rc_exit(err->rc);
}
