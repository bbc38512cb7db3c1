/* SPDX-License-Identifier: Apache-2.0 */
/* weft serve: the server, until it is told to end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/draw.h"
#include "services/server.h"

struct options {
	const char *db;
	char *host;
	uint16_t port;
};

/* HOST:PORT, [HOST]:PORT or PORT. */
static bool parse_listen(const char *text, struct options *options)
{
	const char *colon = strrchr(text, ':');
	const char *port = colon == NULL ? text : colon + 1;
	char *end;
	unsigned long number = strtoul(port, &end, 10);

	if (*port < '0' || *port > '9' || *end != '\0' || number > 65535)
		return false;
	options->port = (uint16_t)number;
	if (colon == NULL || colon == text)
		return colon == NULL;
	wf_free(options->host);
	if (text[0] == '[' && colon[-1] == ']')
		options->host =
		    wf_strndup(text + 1, (size_t)(colon - text) - 2);
	else
		options->host = wf_strndup(text, (size_t)(colon - text));
	return true;
}

/* -1: go on; else the exit code. */
static int parse(int argc, char **argv, struct options *options)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (strcmp(word, "--db") != 0 && strcmp(word, "--listen") != 0)
			return wf_command_usage(
			    "serve", "unknown option %s", word);
		if (++i == argc)
			return wf_command_usage(
			    "serve", "%s needs a value", word);
		if (strcmp(word, "--db") == 0)
			options->db = argv[i];
		else if (!parse_listen(argv[i], options))
			return wf_command_usage(
			    "serve", "\"%s\" is no HOST:PORT", argv[i]);
	}
	return -1;
}

/* "weft.token" beside the file of an SQLite store, else here. */
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

static void say_where(
    const struct wf_server *server, const struct wf_server_settings *settings)
{
	bool is_v6 = strchr(settings->http.address, ':') != NULL;

	printf("weft: listening on http://%s%s%s:%u\n", is_v6 ? "[" : "",
	    settings->http.address, is_v6 ? "]" : "", wf_server_port(server));
	fflush(stdout);
}

static enum wf_rc draw(const struct wf_spec *spec,
    const struct wf_case *instance, struct wf_buffer *svg, struct wf_error *err)
{
	if (instance != NULL)
		wf_draw_case(instance, svg);
	else
		wf_draw_spec(spec, svg);
	return svg->full ? wf_fail(err, WF_LIMIT, "the picture is too large")
			 : WF_OK;
}

static int serve(const struct options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_server_settings settings;
	struct wf_server *server;
	char *token;
	sigset_t signals;
	int signal_number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	/* Threads that are made from now on leave them to us. */
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	wf_server_settings_init(&settings);
	settings.engine.url = options->db;
	settings.http.address = options->host;
	settings.http.port = options->port;
	token = token_file(options->db);
	settings.token_file = token;
	settings.draw = draw;
	if (wf_server_open(&server, &settings, &err) != WF_OK) {
		wf_free(token);
		return wf_command_report(&err);
	}
	say_where(server, &settings);
	sigwait(&signals, &signal_number);
	wf_server_close(&server);
	wf_free(token);
	return WF_EXIT_DONE;
}

int wf_command_serve(int argc, char **argv)
{
	struct options options = { .db = "sqlite:weft.db",
		.host = wf_strdup("127.0.0.1"),
		.port = 8090 };
	int code = parse(argc, argv, &options);

	if (code < 0)
		code = serve(&options);
	wf_free(options.host);
	return code;
}
