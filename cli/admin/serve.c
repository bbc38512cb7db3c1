/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft serve: reads the settings, opens the server, waits for a signal, and
 * closes the server.
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

/* Serves until a signal comes.  No restart mends a setting that is wrong. */
static int serve(const struct wf_settings *settings, const char *token_file,
    const sigset_t *signals, struct wf_error *err)
{
	struct wf_app *app;
	int signal_number;
	int code;

	if (wf_app_open(&app, &settings->server, &settings->yawl, token_file,
		err) != WF_OK) {
		code = wf_cli_report(err);
		return err->rc == WF_INVALID ? WF_EXIT_USAGE : code;
	}
	say_where(app, settings, token_file);
	wf_notify("READY=1");
	sigwait(signals, &signal_number);
	wf_notify("STOPPING=1");
	wf_app_close(&app);
	return WF_EXIT_DONE;
}

static int run(struct wf_settings *settings)
{
	struct wf_error err = { .rc = WF_OK };
	char *token = token_file(settings->server.engine.url);
	struct sigaction hangup;
	sigset_t signals;
	int code;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	/* With nohup SIGHUP is ignored, and must not end the server. */
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN)
		sigaddset(&signals, SIGHUP);
	/* Threads inherit the mask, so only sigwait() takes the signals. */
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	settings->server.http.connections =
	    connections(settings->server.http.connections);
	settings->server.log = wf_log_new(STDERR_FILENO, settings->log_level);
	code = serve(settings,
	    settings->token_file[0] == '\0' ? token : settings->token_file,
	    &signals, &err);
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
	struct wf_settings settings;
	int code = WF_EXIT_DONE;

	if (wf_settings_read(&settings, argc, argv, &err) != WF_OK)
		code = refuse(&settings, &err);
	else if (!settings.show)
		code = run(&settings);
	wf_settings_free(&settings);
	return code;
}
