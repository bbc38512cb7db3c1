/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short notation for nets in scenario files.
 *
 * A net is translated to the text of a YAWL 4.0 specification, which is read
 * like any other.  docs/SCENARIOS.md describes the notation.
 */
#ifndef WF_CLI_SCENARIO_NOTATION_H
#define WF_CLI_SCENARIO_NOTATION_H

#include "base/buffer.h"
#include "cli/scenario/words.h"
#include "spec/spec.h"

enum wf_notation_element_kind { WF_NOTATION_CONDITION, WF_NOTATION_TASK };

struct wf_notation_flow {
	const char *target;
	const char *predicate; /* NULL: none */
	bool is_default;
};

/* What a parameter is for, and the mapping that fills it, or is filled by it.
 */
enum wf_notation_use { WF_NOTATION_IN, WF_NOTATION_OUT, WF_NOTATION_SHOW };

/* A parameter of a task's decomposition. */
struct wf_notation_parameter {
	const char *name;
	const char *type;
	const char *fallback; /* default value of an output; NULL: none */
	enum wf_notation_use use;
};

/* query: XQuery; or, when NULL, source is a variable or a parameter. */
struct wf_notation_mapping {
	const char *target;
	const char *source;
	const char *query;
	enum wf_notation_use use;
};

struct wf_notation_multiple {
	const char *minimum;
	const char *maximum;
	const char *threshold; /* NULL: all */
	const char *create;    /* how many, without a splitter; NULL: minimum */
	bool is_dynamic;
	const char *from;  /* query or variable; NULL: nothing */
	const char *split; /* query; NULL: so many numbers */
	const char *into;  /* the formal parameter */
	const char *type;  /* its type */
	const char *collect;
	const char *join;
	const char *result;
};

/* "PT5M", "5 MIN", or milliseconds since 1970; or a variable. */
struct wf_notation_timer {
	const char *variable; /* NULL: none */
	const char *time;
	bool on_executing;
	bool work_days;
};

/* Who does the items of a task. */
struct wf_notation_rule {
	const char *set;     /* XML; "": an administrator offers the items */
	const char *filters; /* XML, as the next two */
	const char *constraints;
	const char *privileges;
	const char *needs;     /* XML, as well */
	const char *familiar;  /* a task; NULL: none */
	const char *allocator; /* NULL: the participants accept */
	bool starts;
};

struct wf_notation_element {
	const char *id;
	enum wf_notation_element_kind kind;
	int line;
	struct wf_notation_flow *flows;
	size_t flow_count, flow_capacity;
	/* A task. */
	bool has_join, has_split;
	enum wf_control join, split;
	bool is_empty;
	const char *subnet;	   /* NULL: not composite */
	const char *documentation; /* NULL: none */
	const char **cancels;
	size_t cancel_count, cancel_capacity;
	struct wf_notation_parameter *parameters;
	size_t parameter_count, parameter_capacity;
	struct wf_notation_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	struct wf_notation_multiple *multiple; /* NULL: a single instance */
	struct wf_notation_timer *timer;       /* NULL: none */
	struct wf_notation_rule *rule;	       /* NULL: none */
	/* Attributes in the namespace of people, as XML. */
	const char *timing; /* NULL: none */
	bool is_automated;
};

struct wf_notation_variable {
	const char *name;
	const char *type;
	const char *initial; /* NULL: none */
	bool is_input, is_output;
	bool is_mandatory;
	bool is_optional;
};

struct wf_notation_net {
	const char *name;
	int line;
	struct wf_notation_element *elements;
	size_t element_count, element_capacity;
	struct wf_notation_variable *variables;
	size_t variable_count, variable_capacity;
};

struct wf_notation {
	struct wf_arena *arena;
	const char *schema;	      /* an xs:schema element; NULL: none */
	struct wf_notation_net *nets; /* the first is the root net */
	size_t net_count, net_capacity;
};

/*
 * Reads a net: header is its first line ("net NAME {"), the rest comes from
 * lines, up to the "}".
 */
enum wf_rc wf_notation_read_net(struct wf_notation *notation,
    struct wf_lines *lines, const struct wf_words *header,
    struct wf_error *err) WF_MUSTCHECK;

/* Appends the specification as text of YAWL 4.0; title names it. */
void wf_notation_write(const struct wf_notation *notation, const char *title,
    struct wf_buffer *text);

/* For cli/scenario/notation*.c: the net being read. */
struct wf_notation_reader {
	struct wf_arena *arena;
	const struct wf_lines *lines;
	struct wf_notation_net *net;
	int line;
	char **words; /* those of the line that are not read yet */
	size_t count;
	struct wf_error *err;
};

#define WF_NOTATION_FAIL(reader, ...)                                          \
	wf_lines_fail(                                                         \
	    (reader)->lines, (reader)->line, (reader)->err, __VA_ARGS__)

/* The element with this id, made when it is not there. */
struct wf_notation_element *wf_notation_element(
    struct wf_notation_reader *reader, const char *id);
/* NULL when the net has no such variable. */
const struct wf_notation_variable *wf_notation_variable(
    const struct wf_notation_net *net, const char *name);
/* notation_task.c: the words behind "task". */
enum wf_rc wf_notation_read_task(
    struct wf_notation_reader *reader) WF_MUSTCHECK;

#endif
