/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that talk to a server: weft spec, case, item, service,
 * incident.
 *
 * Most verbs are a row of a table: a method, a path with the id that the
 * command line gives, and how the answer is shown.  The others have a function.
 */
#ifndef WF_CLI_REMOTE_REMOTE_H
#define WF_CLI_REMOTE_REMOTE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "http/http_client.h"

/* What the command line says. */
struct wf_remote {
	struct wf_client *client;
	const struct wf_verb *verb;
	char **words; /* behind the verb, without options */
	size_t word_count;
	bool json;
	bool quiet;
	bool wait;
	bool all;
	bool data;
	bool oldest;
	const char *each;
	const char *id;
	const char *title;
	const char *version;
	const char *at;
	const char *delay;
	const char *status;
	const char *specification;
	const char *case_id;
	const char *task;
	const char *limit;
	const char *reason;
	const char *key;
	const char *output;
};

struct wf_verb {
	const char *noun;
	const char *verb;
	const char *arguments; /* as its help shows them */
	size_t words;	       /* so many at least */
	size_t most;
	const char *method;  /* NULL: run() does all */
	const char *path;    /* % stands for the first word */
	const char *options; /* their names, with blanks around each */
	/* What to do with the answer, or the whole verb. */
	int (*run)(struct wf_remote *remote);
	/* Of a list: the member that holds it, and its columns. */
	const char *list;
	const char *columns;
};

extern const struct wf_verb wf_verbs[];
extern const size_t wf_verb_count;

/* Text, "@FILE", or "-" for standard input, appended; false: it said why. */
bool wf_remote_read(const char *given, struct wf_buffer *text);

/* remote_print.c: the answer as JSON, a table, or lines of "name value". */
void wf_remote_print_json(const json_t *json);
void wf_remote_print_list(const json_t *rows, const char *columns);
void wf_remote_print_object(const json_t *object);
/*
 * remote_names.c: "URI VERSION" for the keys in the members "specification" of
 * the rows, or of one, for people; a key that the server does not know stays.
 */
void wf_remote_name_specifications(struct wf_remote *remote, json_t *rows);

/* remote_verbs.c */
/* The answer as the options want it; NULL: nothing. */
void wf_remote_show_answer(struct wf_remote *remote, json_t *answer);
int wf_remote_list(struct wf_remote *remote);
int wf_remote_show(struct wf_remote *remote);
int wf_remote_text(struct wf_remote *remote);
int wf_remote_log(struct wf_remote *remote);
int wf_remote_command(struct wf_remote *remote);
int wf_remote_load(struct wf_remote *remote);
int wf_remote_start(struct wf_remote *remote);
int wf_remote_watch(struct wf_remote *remote);
int wf_remote_history(struct wf_remote *remote);
int wf_remote_retry(struct wf_remote *remote);

#endif
