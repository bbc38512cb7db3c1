/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft import-yawl: copies what a YAWL engine has into a store.  It works on
 * the store itself; no server may have a store in SQLite open meanwhile.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/admin/db.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/remote/progress.h"
#include "migration/yawl_move.h"

#define PASSWORD_MAXIMUM 4096U

struct import {
	struct wf_yawl_move move;
	const char *password_file;
	bool quiet;
	struct wf_progress progress;
	uint64_t counts[WF_YAWL_REMARK + 1];
};

/* --- the report ----------------------------------------------------------- */

/* Text of the other engine must not break the line. */
static void print_plain(const char *text)
{
	for (; *text != '\0'; text++)
		putchar(
		    (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text);
}

static void report(void *context, const char *what, const char *name,
    enum wf_yawl_moved moved, const char *text)
{
	static const char *const words[] = { "taken", "is there already",
		"not taken", "note" };
	struct import *import = context;
	const char *word = words[moved];

	import->counts[moved]++;
	if (import->quiet && moved <= WF_YAWL_WAS_THERE)
		return;
	if (import->move.dry_run && moved == WF_YAWL_MOVED)
		word = "would be taken";
	wf_progress_hide(&import->progress);
	printf("%s ", what);
	print_plain(name);
	printf(": %s%s", word, text[0] == '\0' ? "" : ": ");
	print_plain(text);
	putchar('\n');
}

static void show(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct import *import = context;

	wf_progress_show(&import->progress, what, done, total);
}

static void print_summary(const struct import *import)
{
	const uint64_t *counts = import->counts;

	printf("%s: %llu; there already: %llu; not taken: %llu; notes: %llu\n",
	    import->move.dry_run ? "would be taken" : "taken",
	    (unsigned long long)counts[WF_YAWL_MOVED],
	    (unsigned long long)counts[WF_YAWL_WAS_THERE],
	    (unsigned long long)counts[WF_YAWL_NOT_MOVED],
	    (unsigned long long)counts[WF_YAWL_REMARK]);
}

/* --- the command line ----------------------------------------------------- */

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct import *import = context;

	switch (option->option) {
	case WF_OPTION_IMPORT_ENGINE:
		import->move.engine = value;
		break;
	case WF_OPTION_IMPORT_USER:
		import->move.user = value;
		break;
	case WF_OPTION_IMPORT_PASSWORD_FILE:
		import->password_file = value;
		break;
	case WF_OPTION_IMPORT_DB:
		import->move.url = value;
		break;
	case WF_OPTION_IMPORT_DRY_RUN:
		import->move.dry_run = true;
		break;
	case WF_OPTION_IMPORT_QUIET:
		import->quiet = true;
		break;
	default:
		import->move.flags |= WF_STORE_UNSAFE;
	}
	return WF_EXIT_DONE;
}

static int parse_options(struct import *import, int argc, char **argv)
{
	int code =
	    wf_cli_options("import-yawl", argc, argv, take_option, import);

	if (code != WF_EXIT_DONE)
		return code;
	if (optind != argc)
		return wf_cli_usage(
		    "import-yawl", "unexpected \"%s\"", argv[optind]);
	if (import->move.engine == NULL)
		return wf_cli_usage("import-yawl", "expected --engine URL");
	return WF_EXIT_DONE;
}

/* The password is the first line of the file. */
static enum wf_rc read_password(const struct import *import,
    struct wf_buffer *password, struct wf_error *err)
{
	if (import->password_file == NULL) {
		wf_buffer_puts(password, "YAWL");
		return WF_OK;
	}
	return wf_buffer_read_line(password, import->password_file, err);
}

static int run(struct import *import)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer password;
	enum wf_rc rc;

	wf_buffer_init(&password, PASSWORD_MAXIMUM);
	rc = read_password(import, &password, &err);
	import->move.password = wf_buffer_text(&password);
	if (rc == WF_OK)
		rc = wf_yawl_move(&import->move, &err);
	wf_progress_hide(&import->progress);
	if (password.data != NULL)
		explicit_bzero(password.data, password.capacity);
	wf_buffer_free(&password);
	if (rc != WF_OK)
		return wf_cli_report(&err);
	if (!import->quiet)
		print_summary(import);
	return import->counts[WF_YAWL_NOT_MOVED] == 0 ? WF_EXIT_DONE
						      : WF_EXIT_REFUSED;
}

int wf_cli_import_yawl(int argc, char **argv)
{
	struct import import = { .move = { .user = "admin",
				     .now = wf_db_now(),
				     .report = report,
				     .progress = show,
				     .context = &import } };
	int code = parse_options(&import, argc, argv);

	if (code != WF_EXIT_DONE)
		return code;
	import.move.url = wf_db_url(import.move.url);
	wf_progress_init(&import.progress, import.quiet);
	return run(&import);
}
