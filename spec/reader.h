/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the passes of the reader share; private to spec/.
 *
 *   read.c --> content*.c    the file against the schema of its version
 *          --> read_*.c      read: elements become structs
 *          --> compile_*.c   compile: types, values, queries, timers, texts
 *          --> check_*.c     check: the rules of the language; loops.c
 *                     |
 *                     +-->  reader.c, spec.c   used by all of them
 *
 * A pass calls no later pass.  A pass does not stop at an error: it reports
 * the error, leaves out what is missing or wrong, and later passes accept
 * that.
 */
#ifndef WF_SPEC_READER_H
#define WF_SPEC_READER_H

#include "spec/content.h"
#include "spec/markup.h"
#include "spec/spec.h"

struct wf_spec_reader {
	struct wf_arena *arena;	  /* of the file, freed with the file */
	struct wf_arena *scratch; /* freed at the end of reading */
	struct wf_diagnostics *diagnostics;
	struct wf_spec_file *file;
	enum wf_schema_version version;
	/*
	 * YAWL accepted files of the Beta versions with undeclared types and
	 * values of the wrong type; they get warnings where later versions get
	 * errors.
	 */
	bool is_beta;
	/* The specification being read. */
	struct wf_spec *spec;
	bool types_failed; /* the schema does not compile, as reported */
	/* The net being read: "from\nto" -> number + 1 of the condition. */
	struct wf_map *flow_conditions;
	struct wf_map *timer_tasks; /* name -> task with a timer */
	/* Of the specification: id or name -> a task; NULL: not made yet. */
	struct wf_map *task_names;
};

#define WF_SPEC_ERROR(reader, line, element, ...)                              \
	wf_diagnostics_add(                                                    \
	    (reader)->diagnostics, WF_ERROR, line, element, __VA_ARGS__)
#define WF_SPEC_WARN(reader, line, element, ...)                               \
	wf_diagnostics_add(                                                    \
	    (reader)->diagnostics, WF_WARNING, line, element, __VA_ARGS__)
/* Adds an error, or for a Beta version a warning. */
#define WF_SPEC_FAULT(reader, line, element, ...)                              \
	wf_diagnostics_add((reader)->diagnostics,                              \
	    (reader)->is_beta ? WF_WARNING : WF_ERROR, line, element,          \
	    __VA_ARGS__)

/* Things that a file owns outside its arena; freed with the file. */
struct wf_spec_owned {
	struct wf_query **queries;
	size_t query_count;
	size_t query_capacity;
	struct wf_value **values;
	size_t value_count;
	size_t value_capacity;
	struct wf_map **maps;
	size_t map_count;
	size_t map_capacity;
};

/* --- reader.c --- */

/* Pass ownership to the file, and return the argument; a value is permanent. */
struct wf_value *wf_spec_own_value(
    struct wf_spec_reader *reader, struct wf_value *value);
struct wf_map *wf_spec_own_map(
    struct wf_spec_reader *reader, struct wf_map *map);

/* Labels for diagnostics, in the scratch arena: "task Pay". */
const char *wf_spec_label_net(
    struct wf_spec_reader *reader, const struct wf_net *net);
const char *wf_spec_label_task(
    struct wf_spec_reader *reader, const struct wf_task *task);
const char *wf_spec_label_decomposition(struct wf_spec_reader *reader,
    const struct wf_decomposition *decomposition);
const char *wf_spec_label_flow(
    struct wf_spec_reader *reader, const char *from, const char *to);

/* Texts of child elements, kept in the arena; NULL when there is none. */
const char *wf_spec_child_text(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name);
/* A copy in the arena of an attribute's value; NULL when there is none. */
const char *wf_spec_attribute(struct wf_spec_reader *reader,
    const struct wf_markup *node, const char *name);
/* A copy in the arena without surrounding white space; NULL for NULL. */
const char *wf_spec_token(struct wf_spec_reader *reader, const char *text);
const char *wf_spec_child_token(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name);
/* All attributes except xsi:* and those in except (ended by NULL). */
struct wf_attribute *wf_spec_attributes(struct wf_spec_reader *reader,
    const struct wf_markup *node, const char *const *except, size_t *count_out);
/*
 * read_variable.c: an integer, clamped to int; fallback if text is no integer.
 */
int wf_spec_integer(const char *text, int fallback);

/*
 * The query, owned by the file; NULL and *failure_out when it does not compile.
 */
struct wf_query *wf_spec_compile(
    struct wf_spec_reader *reader, const char *text, const char **failure_out);
/* The same, where the query has these variables. */
struct wf_query *wf_spec_compile_with(struct wf_spec_reader *reader,
    const char *text, const char *const *variables, size_t variable_count,
    const char **failure_out);

/* --- read --- */

/* read_specification.c: all of reader->spec but what needs compiling. */
void wf_spec_read_specification(
    struct wf_spec_reader *reader, const struct wf_markup *markup);
/* read_variable.c: inputs, outputs, enablements or local variables. */
struct wf_variable *wf_spec_read_variables(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name, enum wf_usage usage,
    size_t *count_out);
struct wf_log_predicate wf_spec_read_log(
    struct wf_spec_reader *reader, const struct wf_markup *parent);

/* check_names.c: the lengths of names, of a node and all below it. */
void wf_spec_check_names(
    struct wf_spec_reader *reader, const struct wf_markup *node);

/* read_net.c: the elements of a net, their numbers, and the flows. */
void wf_spec_read_net(struct wf_spec_reader *reader, struct wf_net *net,
    const struct wf_markup *decomposition);
/* read_task.c: the content of a task except flows, join and split. */
void wf_spec_read_task(struct wf_spec_reader *reader, struct wf_net *net,
    struct wf_task *task, const struct wf_markup *markup);

/* read_hand_over.c: the attributes of the hand-over of work. */
void wf_spec_read_hand_over(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition);
/* read_timing.c: the attributes about people and time (spec/timing.h). */
void wf_spec_read_timing(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition);
/* Of a net: who may withdraw a case, and what worklists show of it. */
void wf_spec_read_net_people(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition);

/* --- compile --- */

/* compile_variables.c: types and initial values; the variables of nets. */
void wf_spec_compile_variables(struct wf_spec_reader *reader);
/* compile_queries.c: mappings, predicates, multiple instances. */
void wf_spec_compile_people(struct wf_spec_reader *reader);
void wf_spec_compile_queries(struct wf_spec_reader *reader);
/* compile_texts.c: documentation of tasks, and log predicates. */
void wf_spec_compile_texts(struct wf_spec_reader *reader);
/* compile_timers.c: the timers of a net, then the predicates about them. */
void wf_spec_compile_timers(struct wf_spec_reader *reader, struct wf_net *net);
/* False: the predicate of the flow is not about a timer. */
bool wf_spec_compile_timer_predicate(struct wf_spec_reader *reader,
    const char *label, const struct wf_flow *flow);

/*
 * compile_costs.c: compiles a predicate that asks for costs.  *query_text_out:
 * the text of its query, NULL when it does not compile.  False: it asks for
 * none.
 */
bool wf_spec_compile_costs(struct wf_spec_reader *reader, const char *label,
    const struct wf_flow *flow, const char **query_text_out);

/* spec.c: looks a name up in a map of numbers + 1; UINT32_MAX: not found. */
uint32_t wf_spec_number(
    const struct wf_map *map, const char *id, size_t length);

/* --- check: check_net.c, check_data.c, loops.c --- */

void wf_spec_check_nets(struct wf_spec_reader *reader);
void wf_spec_check_data(struct wf_spec_reader *reader);
void wf_spec_check_loops(struct wf_spec_reader *reader);

#endif
