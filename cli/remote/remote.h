/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that talk to a server: weft spec, case, item, work, service,
 * subscription, incident, document, audit, and those of the organisation
 * (people, role, ..).
 *
 * Most verbs are a row of a table (cli/remote/remote.def): a method, a path
 * with the id from the command line, and how the answer is shown.  The others
 * have a function of their own.
 */
#ifndef WF_CLI_REMOTE_REMOTE_H
#define WF_CLI_REMOTE_REMOTE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cli/commands.h"
#include "http/http_client.h"

/* The command line, parsed, and the connection. */
struct wf_remote {
	struct wf_client *client;
	const struct wf_verb *verb;
	const char *server;
	const char *ca;		      /* NULL: the certificates of the system */
	const struct wf_cli_row *row; /* of the verb, in the table */
	char **words;		      /* the arguments of the verb */
	size_t word_count;
	bool json;
	bool quiet;
	bool wait;
	bool all;
	bool data;
	bool oldest;
	bool mine;
	bool quarantined;
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
	const char *code; /* of incidents */
	const char *fence;
	bool override;
	const char *reason;
	bool cancel;
	bool replace;
	const char *key;
	const char *remove; /* the number of a comment */
	const char *output;
	/* Of a file that is sent. */
	const char *name;
	const char *type;
	const char *parameter;
	/* Of a worklist. */
	const char *view;
	const char *state;
	const char *input; /* --data NAME=VALUE */
	const char *user;  /* --for */
	const char *priority;
	const char *older;
	const char *due;
	/* Of cases. */
	const char *newer;
	const char *unchanged;
	const char *incident;
	const char *where;
	const char *order;
	bool descending;
	bool without_data;
	/* Of operations. */
	const char *into;
	const char *rate;
	const char *result;
	/* Of the organisation. */
	const char *find;
	const char *format;
	const char *kind;
	bool update;
	bool dry_run;
	/* Of a repair or a migration, with dry_run and to. */
	const char *net;
	const char *plan;
	const char *steps;
	bool force;
	/* Of an absence or a deputy. */
	const char *from;
	const char *to;
	const char *workload;
	const char *process;
	const char *comment;
	/* Of subscriptions, and who is notified of a case. */
	const char *events;
	const char *window;
	const char *observer;
	/* Of the audit, with kind, from and to. */
	const char *account;
	const char *per; /* of statistics */
};

/* What cli/remote/remote.def says about a verb. */
struct wf_verb {
	const char *noun;
	const char *name;
	const char *method; /* NULL: run() knows the requests */
	const char *path;   /* % stands for the first word, then the second */
	/* Sends the request and shows the answer; returns the exit code. */
	int (*run)(struct wf_remote *remote);
	/*
	 * Of a list: the member that holds the rows, and their columns; of the
	 * organisation: the kind of records.
	 */
	const char *list;
	const char *columns;
};

/*
 * remote_data.c: appends the argument DATA to text: the text itself, the
 * content of FILE for "@FILE", or standard input for "-".  False, after a
 * message.
 */
bool wf_remote_read(const char *given, struct wf_buffer *text);

/* remote_print.c: prints JSON, a table, or lines of "name value". */
void wf_remote_print_json(const json_t *json);
void wf_remote_print_list(const json_t *rows, const char *columns);
void wf_remote_print_object(const json_t *object);
/* A line, without what a terminal would obey. */
void wf_remote_print_line(const char *text);
/*
 * remote_names.c: replaces the keys in the members "specification" of the rows
 * (or of one row) by "URI VERSION", for people.  A key that the server does
 * not know stays.
 */
void wf_remote_name_specifications(struct wf_remote *remote, json_t *rows);

/* remote_options.c: takes an option of the command line; the exit code. */
int wf_remote_take_option(
    void *remote, const struct wf_cli_row *option, const char *value);
/*
 * remote_options.c: prints why a request was refused, as the user gave it: a
 * member of the request is named by its option.  Returns the exit code.
 */
int wf_remote_report(const struct wf_remote *remote, struct wf_error *err);

/* remote.c: connects, runs the verb, and closes; returns the exit code. */
int wf_remote_connect(struct wf_remote *remote);
/* remote.c: runs "weft NOUN VERB ..", argv[1] is the verb; the exit code. */
int wf_remote_run(const char *noun, int argc, char **argv);

/* remote_organisation.c */
int wf_remote_put_record(struct wf_remote *remote);
int wf_remote_import(struct wf_remote *remote);
int wf_remote_export(struct wf_remote *remote);

/* remote_verbs.c */
/* Appends the path of the verb, with its words in place of each %. */
void wf_remote_put_path(const struct wf_remote *remote, struct wf_buffer *path);
/* Appends "NAME=VALUE" to the query; value NULL: nothing. */
void wf_remote_put_argument(
    struct wf_buffer *path, const char *name, const char *value);
/*
 * Gets a text, and writes it to the file of --output, else to standard output.
 * Frees the path; returns the exit code.
 */
int wf_remote_get_text(struct wf_remote *remote, struct wf_buffer *path);
/* Sends a request, body NULL: without one, and shows the answer; the same. */
int wf_remote_ask(struct wf_remote *remote, const char *method,
    struct wf_buffer *path, json_t *body);
/* Sends a call and shows the answer, which is JSON. */
enum wf_rc wf_remote_send(struct wf_remote *remote, const struct wf_call *call,
    struct wf_error *err) WF_MUSTCHECK;
/* Prints the answer in the format that the options choose; NULL: nothing. */
void wf_remote_show_answer(struct wf_remote *remote, json_t *answer);
int wf_remote_list(struct wf_remote *remote);
/* What the verb reads: of its first word, and of the second as a task. */
enum wf_rc wf_remote_get(struct wf_remote *remote, json_t **answer_out,
    struct wf_error *err) WF_MUSTCHECK;
int wf_remote_show(struct wf_remote *remote);
int wf_remote_why(struct wf_remote *remote);
int wf_remote_add_index(struct wf_remote *remote);
int wf_remote_remove_index(struct wf_remote *remote);
int wf_remote_erase(struct wf_remote *remote);
int wf_remote_retain(struct wf_remote *remote);
int wf_remote_text(struct wf_remote *remote);
int wf_remote_log(struct wf_remote *remote);
int wf_remote_command(struct wf_remote *remote);
int wf_remote_assign(struct wf_remote *remote);
int wf_remote_load(struct wf_remote *remote);
int wf_remote_start(struct wf_remote *remote);
int wf_remote_watch(struct wf_remote *remote);
int wf_remote_history(struct wf_remote *remote);
int wf_remote_comment(struct wf_remote *remote);
int wf_remote_withdraw(struct wf_remote *remote);
int wf_remote_retry(struct wf_remote *remote);
/* remote_change.c */
/* Sends the body to the path of the verb, with --key. */
enum wf_rc wf_remote_send_body(struct wf_remote *remote, const json_t *body,
    json_t **answer_out, struct wf_error *err) WF_MUSTCHECK;
/* The changes behind the first word; NULL: after a message. */
json_t *wf_remote_read_changes(const struct wf_remote *remote);
/* Puts the file of --plan into the body; false: after a message. */
bool wf_remote_read_plan(const struct wf_remote *remote, json_t *body);
void wf_remote_print_problems(const json_t *problems);
void wf_remote_print_prospects(const json_t *prospects);
int wf_remote_repair(struct wf_remote *remote);
int wf_remote_migrate(struct wf_remote *remote);
int wf_remote_prospects(struct wf_remote *remote);
/* remote_operation.c */
int wf_remote_start_operation(struct wf_remote *remote);
int wf_remote_set_operation(struct wf_remote *remote);
/* remote_document.c */
int wf_remote_document_list(struct wf_remote *remote);
int wf_remote_document_get(struct wf_remote *remote);
int wf_remote_document_put(struct wf_remote *remote);
int wf_remote_document_update(struct wf_remote *remote);
int wf_remote_document_remove(struct wf_remote *remote);
/* remote_subscription.c */
int wf_remote_subscribe(struct wf_remote *remote);
/* remote_entry.c */
int wf_remote_enter(struct wf_remote *remote);

#endif
