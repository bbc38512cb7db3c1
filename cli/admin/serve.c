/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft serve: reads the settings, opens the server, waits for a signal, and
 * closes the server; or, if that was SIGHUP, reads the settings again.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/systemd.h"
#include "base/memory.h"
#include "cli/admin/settings.h"
#include "cli/commands.h"

/* File descriptors for the store, calls of services and the program. */
#define OTHER_FILES 500

/* The command line, and the signals that are waited for. */
struct line {
	int argc;
	char **argv;
	sigset_t signals;
};

/* weft.token beside the file of an SQLite store, else in this folder. */
static char *token_file(const char *url)
{
	static const char name[] = "weft.token";
	const char *path = strncmp(url, "sqlite:", 7) == 0 ? url + 7 : "";
	const char *slash = strrchr(path, '/');
	size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
	char *file = wf_calloc(1, length + sizeof(name));

	memcpy(file, path, length);
	memcpy(file + length, name, sizeof(name));
	return file;
}

static void say_where(const struct wf_app *app,
    const struct wf_settings *settings, const char *token_file)
{
	const char *address = settings->server.http.address;
	bool is_v6 = strchr(address, ':') != NULL;

	printf("weft: listening on %s://%s%s%s:%u\n",
	    settings->server.http.tls_certificate[0] == '\0' ? "http" : "https",
	    is_v6 ? "[" : "", address, is_v6 ? "]" : "", wf_app_port(app));
	if (wf_app_made_token(app))
		printf("weft: the token of its first account, admin, is in "
		       "%s\n",
		    token_file);
	fflush(stdout);
}

/*
 * Limits the connections to what the limit of open files allows: connections
 * must not use up the descriptors that the store and services need.
 */
static unsigned connections(unsigned wanted)
{
	struct rlimit files;
	rlim_t needed = (rlim_t)wanted + OTHER_FILES;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return wanted;
	if (files.rlim_cur < needed) {
		files.rlim_cur =
		    files.rlim_max < needed ? files.rlim_max : needed;
		(void)setrlimit(RLIMIT_NOFILE, &files);
		(void)getrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur >= needed)
		return wanted;
	return files.rlim_cur < 2 * OTHER_FILES
		   ? (unsigned)files.rlim_cur / 2
		   : (unsigned)files.rlim_cur - OTHER_FILES;
}

/* --- SIGHUP --------------------------------------------------------------- */

/* Names of settings in a line of the log. */
#define KEYS_BYTES 4000U

static void log_refusal(struct wf_log *log, const struct wf_error *err)
{
	struct wf_log_line line;

	if (!wf_log_begin(&line, log, WF_LOG_ERROR, "reload_refused"))
		return;
	wf_log_text(&line, "file", err->place.file);
	if (err->place.line > 0)
		wf_log_number(&line, "line", (uint64_t)err->place.line);
	wf_log_text(&line, "text", err->message);
	wf_log_end(&line);
}

/* A warning, so that it is seen at the default level. */
static void log_changes(
    struct wf_log *log, const struct wf_settings_changes *changes)
{
	struct wf_log_line line;

	if (!wf_log_begin(&line, log, WF_LOG_WARNING, "reloaded"))
		return;
	wf_log_text(&line, "changed", wf_buffer_text(&changes->reloaded));
	wf_log_text(&line, "needs_restart", wf_buffer_text(&changes->kept));
	wf_log_end(&line);
}

static void use(
    struct wf_settings *settings, struct wf_settings *fresh, struct wf_app *app)
{
	struct wf_log *log = settings->server.log;
	struct wf_settings_changes changes;

	/* The reload is logged as the old or the new level wants. */
	if (fresh->log_level > settings->log_level)
		wf_log_set_level(log, fresh->log_level);
	wf_buffer_init(&changes.reloaded, KEYS_BYTES);
	wf_buffer_init(&changes.kept, KEYS_BYTES);
	wf_settings_merge(settings, fresh, &changes);
	wf_app_reload(app, &fresh->server);
	log_changes(log, &changes);
	wf_log_set_level(log, fresh->log_level);
	wf_buffer_free(&changes.reloaded);
	wf_buffer_free(&changes.kept);
}

/* Reads all sources again; if one is wrong, everything stays as it is. */
static void reload(
    const struct line *line, struct wf_settings *settings, struct wf_app *app)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_settings fresh;

	if (wf_settings_read(&fresh, line->argc, line->argv, &err) == WF_OK)
		use(settings, &fresh, app);
	else
		log_refusal(settings->server.log, &err);
	wf_settings_free(&fresh);
}

/* Until a signal says that the server ends. */
static void await_end(
    const struct line *line, struct wf_settings *settings, struct wf_app *app)
{
	int number;

	while (sigwait(&line->signals, &number) != 0 || number == SIGHUP)
		if (number == SIGHUP)
			reload(line, settings, app);
}

/* --- serving -------------------------------------------------------------- */

/* Serves until a signal comes.  No restart mends a setting that is wrong. */
static int serve(const struct line *line, struct wf_settings *settings,
    const char *token_file, struct wf_error *err)
{
	struct wf_app *app;
	int code;

	if (wf_app_open(&app, &settings->server, &settings->yawl, token_file,
		err) != WF_OK) {
		code = wf_cli_report(err);
		return err->rc == WF_INVALID ? WF_EXIT_USAGE : code;
	}
	say_where(app, settings, token_file);
	wf_notify("READY=1");
	await_end(line, settings, app);
	wf_notify("STOPPING=1");
	wf_app_close(&app);
	return WF_EXIT_DONE;
}

static int run(struct line *line, struct wf_settings *settings)
{
	struct wf_error err = { .rc = WF_OK };
	char *token = token_file(settings->server.engine.url);
	int code;

	sigemptyset(&line->signals);
	sigaddset(&line->signals, SIGINT);
	sigaddset(&line->signals, SIGTERM);
	sigaddset(&line->signals, SIGHUP);
	/* Threads inherit the mask, so only sigwait() takes the signals. */
	pthread_sigmask(SIG_BLOCK, &line->signals, NULL);
	/* nohup has it ignored. */
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	settings->server.http.connections =
	    connections(settings->server.http.connections);
	settings->server.log = wf_log_new(STDERR_FILENO, settings->log_level);
	code = serve(line, settings,
	    settings->token_file[0] == '\0' ? token : settings->token_file,
	    &err);
	wf_log_free(&settings->server.log);
	wf_free(token);
	return code;
}

/* A wrong setting is wrong usage, whichever source it is from. */
static int refuse(
    const struct wf_settings *settings, const struct wf_error *err)
{
	if (settings->is_usage)
		return wf_cli_usage("serve", "%s", err->message);
	(void)wf_cli_report(err);
	return WF_EXIT_USAGE;
}

int wf_cli_serve(int argc, char **argv)
{
	struct wf_error err = { .rc = WF_OK };
	struct line line = { .argc = argc, .argv = argv };
	struct wf_settings settings;
	int code = WF_EXIT_DONE;

	if (wf_settings_read(&settings, argc, argv, &err) != WF_OK)
		code = refuse(&settings, &err);
	else if (!settings.show)
		code = run(&line, &settings);
	wf_settings_free(&settings);
	return code;
}
