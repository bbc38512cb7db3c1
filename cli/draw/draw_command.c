/* SPDX-License-Identifier: Apache-2.0 */
/* weft draw: reads a specification and draws its nets. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "draw/draw.h"

static int fail(const char *path, const char *what)
{
	fprintf(stderr, "weft: %s: %s\n", path, what);
	return 1;
}

static int write_svg(const char *path, const struct wf_buffer *svg)
{
	FILE *out = path == NULL ? stdout : fopen(path, "w");
	int failed;

	if (out == NULL)
		return fail(path, strerror(errno));
	failed = fwrite(svg->data, 1, svg->length, out) != svg->length;
	if (path == NULL)
		failed |= fflush(out) != 0;
	else
		failed |= fclose(out) != 0;
	if (failed)
		return fail(
		    path == NULL ? "standard output" : path, strerror(errno));
	return 0;
}

struct drawing {
	const char *target; /* NULL: standard output */
	const char *net;    /* NULL: all */
};

static int draw_file(const char *path, const struct drawing *drawing)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new(path);
	struct wf_spec_file *file = NULL;
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer svg;
	int status;

	if (wf_spec_read_file(&file, path, diagnostics) != WF_OK) {
		wf_diagnostics_print(diagnostics, stderr);
		wf_diagnostics_free(&diagnostics);
		return 1;
	}
	wf_buffer_init(&svg, WF_DRAW_BYTES);
	status = wf_draw_specs(file->specs, file->spec_count, drawing->net,
		     &svg, &err) == WF_OK
		     ? write_svg(drawing->target, &svg)
		     : fail(path, err.message);
	wf_buffer_free(&svg);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
	return status;
}

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct drawing *drawing = context;

	if (option->option == WF_OPTION_DRAW_NET)
		drawing->net = value;
	else
		drawing->target = value;
	return WF_EXIT_DONE;
}

int wf_cli_draw(int argc, char **argv)
{
	struct drawing drawing = { NULL, NULL };
	int code = wf_cli_options("draw", argc, argv, take_option, &drawing);

	if (code != WF_EXIT_DONE)
		return code;
	if (optind != argc - 1)
		return wf_cli_usage(
		    "draw", "expected the file of a specification");
	return draw_file(argv[optind], &drawing);
}
