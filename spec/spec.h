/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A specification: what a YAWL file says, checked and compiled.
 *
 * Immutable once read, shared by all cases and threads, freed as a whole.
 * Conditions (implicit ones included) and tasks of a net have dense numbers:
 * their position in id order (bytewise).  These numbers are part of the
 * format of stored cases.
 */
#ifndef WF_SPEC_SPEC_H
#define WF_SPEC_SPEC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnostics.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/memory.h"
#include "data/deadline.h"
#include "data/query.h"
#include "data/type.h"
#include "data/value.h"

struct wf_markup_namespace;
struct wf_markup; /* XML kept as written, for writing back; spec/markup.h */

enum wf_schema_version {
	WF_BETA_2,
	WF_BETA_3,
	WF_BETA_4,
	WF_BETA_6,
	WF_BETA_7_1,
	WF_YAWL_2_0,
	WF_YAWL_2_1,
	WF_YAWL_2_2,
	WF_YAWL_3_0,
	WF_YAWL_4_0
};

struct wf_attribute {
	const char *name; /* qualified as in the file */
	const char *value;
};

/* A piece of a text: literal text, or a placeholder, "${...}". */
struct wf_piece {
	const char *text; /* of a placeholder: the text between its braces */
	bool is_place;
	struct wf_query *query; /* of a placeholder with a valid query */
};

/* Text whose placeholders are filled in when it is shown or logged. */
struct wf_pattern {
	const char *text;	 /* as written; NULL: none */
	struct wf_piece *pieces; /* NULL: no placeholder */
	uint32_t piece_count;
};

/* The log predicates of a start and of a completion. */
struct wf_log_predicate {
	struct wf_pattern start;
	struct wf_pattern completion;
};

enum wf_usage { WF_INPUT, WF_OUTPUT, WF_LOCAL, WF_ENABLEMENT };

/* A parameter of a decomposition, or a local variable of a net. */
struct wf_variable {
	enum wf_usage usage;
	const char *name;
	const char *type_name; /* as written, without prefix; NULL: untyped */
	const char *type_namespace; /* NULL: not given */
	const char *type_text;	    /* as written; NULL: untyped */
	bool by_element; /* declared by <element>, not <name> and <type> */
	const struct wf_type
	    *type;		   /* never NULL in an accepted specification */
	int index;		   /* -1: not given */
	struct wf_value *initial;  /* <name>...</name>, permanent; or NULL */
	struct wf_value *fallback; /* defaultValue, permanent; or NULL */
	const char *initial_text;  /* as written; NULL: no such element */
	const char *default_text;
	bool mandatory;	  /* <mandatory/> */
	bool optional;	  /* attribute optional="true" */
	bool cut_through; /* <isCutThroughParam/> */
	struct wf_log_predicate log;
	const char *documentation; /* NULL: none */
	struct wf_attribute *attributes;
	size_t attribute_count;
	int line;
};

/* A query with its text; query is NULL when it does not compile (failure). */
struct wf_expression {
	const char *text;
	struct wf_query *query;
	const char *failure;
	int line;
};

/* An attribute of the hand-over of work. */
#define WF_HAND_OVER_SPACE "urn:weft:hand-over"

/*
 * How the work of a gateway is handed over to its service; a missing member has
 * the value of the service.  Times are milliseconds.  The queries are about the
 * input that an item would start with; postcondition, about its output.
 */
struct wf_hand_over {
	uint32_t attempts; /* 0: not given */
	uint32_t backoff;
	int64_t delay_ms; /* -1: not given */
	int64_t cap_ms;
	int64_t timeout_ms;
	struct wf_expression start_delay; /* text NULL: none */
	struct wf_expression precondition;
	struct wf_expression postcondition;
};

struct wf_timing; /* in spec/timing.h */

enum wf_decomposition_kind { WF_NET, WF_GATEWAY };

/* A net, or the atomic work of a task. */
struct wf_decomposition {
	enum wf_decomposition_kind kind;
	const char *id;
	const char *name;	   /* NULL: none */
	const char *documentation; /* NULL: none */
	uint32_t number;	   /* position in the specification */
	struct wf_variable
	    *inputs; /* in the order of index, else of the file */
	size_t input_count;
	struct wf_variable *outputs;
	size_t output_count;
	struct wf_variable *enablements; /* gateway only */
	size_t enablement_count;
	struct wf_map *input_numbers; /* name -> number + 1, as a pointer */
	struct wf_map *output_numbers;
	struct wf_map *enablement_numbers;
	/* The name of the root element of its data: the id, or "data". */
	const char *root_name;
	struct wf_log_predicate log;
	struct wf_attribute *attributes; /* all but id and xsi:type */
	size_t attribute_count;
	bool skips_start_validation; /* skipOutboundSchemaValidation="TRUE" */
	/* Gateway. */
	const char *service_uri;	/* NULL: none */
	struct wf_markup *service;	/* the yawlService element */
	const char *codelet;		/* NULL: none */
	bool is_automated;		/* externalInteraction automated */
	bool has_interaction;		/* externalInteraction was given */
	struct wf_hand_over *hand_over; /* NULL: not given */
	const struct wf_timing *timing; /* NULL: not given */
	/* As written; attributes does not contain them. */
	struct wf_attribute *own_attributes;
	size_t own_attribute_count;
	const char **output_expressions; /* Beta 2 and 3 */
	size_t output_expression_count;
	/* Net. */
	const char *external_data_gateway; /* NULL: none; not supported */
	struct wf_net *net;		   /* NULL for a gateway */
	int line;
};

enum wf_condition_kind {
	WF_PLACE,
	WF_INPUT_CONDITION,
	WF_OUTPUT_CONDITION,
	WF_IMPLICIT
};

struct wf_condition {
	enum wf_condition_kind kind;
	const char *id;		   /* c{from_to} for an implicit one */
	const char *name;	   /* NULL: none */
	const char *documentation; /* NULL: none */
	uint32_t number;
	const uint32_t *preset; /* numbers of tasks, ascending */
	uint32_t preset_count;
	const uint32_t *postset;
	uint32_t postset_count;
	int line;
};

/* The state of a task's timer; reset each time the task is enabled. */
enum wf_timer_state {
	WF_TIMER_DORMANT, /* has not started */
	WF_TIMER_ACTIVE,
	WF_TIMER_CLOSED, /* was stopped before it ran out */
	WF_TIMER_EXPIRED
};

const char *wf_timer_state_name(enum wf_timer_state state);

enum wf_predicate_kind { WF_PREDICATE_QUERY, WF_PREDICATE_TIMER };

/* cost(case(), task(..), resource(..)), as a predicate asks for it. */
struct wf_cost {
	const char *text; /* as written */
	/* Ids or names of the tasks whose work counts; none: of all. */
	const char **tasks;
	size_t task_count;
	/* Participants and roles whose work counts; none: everybody's. */
	const char **resources;
	size_t resource_count;
};

struct wf_predicate {
	enum wf_predicate_kind kind;
	const char *text;
	struct wf_query *query; /* NULL: does not compile, or a timer's */
	const char *failure;	/* why it does not compile */
	/* timer(task) = 'state' */
	const char *timer_task;		 /* as written */
	const struct wf_task *timed;	 /* NULL: no task has that name */
	enum wf_timer_state timer_state; /* none of them for an unknown word */
	bool timer_negated;
	/* cost(..): the query has them as variables, in this order. */
	struct wf_cost *costs;
	size_t cost_count;
};

/* From a task (or a condition) to a condition of its postset. */
struct wf_flow {
	const char *target; /* id of the next element, as written */
	/*
	 * The number of the condition: the target; for a flow of a condition,
	 * the source.
	 */
	uint32_t condition;
	struct wf_predicate *predicate; /* NULL: none */
	int ordering;			/* of an XOR-split's flows */
	bool has_ordering;
	bool is_default;
	const char *documentation;
	int line;
};

enum wf_control { WF_AND, WF_XOR, WF_OR };

struct wf_mapping {
	struct wf_expression expression;
	const char *target; /* mapsTo */
	uint32_t variable;  /* starting: input parameter of the decomposition;
			       enablement: its enablement parameter;
			       completed: variable of the net */
};

/* A number, or a query over the net's data. */
struct wf_bound {
	uint32_t number;	    /* UINT32_MAX stands for "infinite" */
	struct wf_expression query; /* text NULL: it is the number */
	const char *text;	    /* as written */
};

struct wf_multi_instance {
	struct wf_bound minimum;
	struct wf_bound maximum;
	struct wf_bound threshold;
	bool is_dynamic;
	bool has_input;
	struct wf_expression input;    /* miDataInput/expression */
	struct wf_expression splitter; /* over the element input gives */
	uint32_t formal_input;	       /* input parameter of each instance */
	const char *input_name;	       /* its name */
	bool has_output;
	struct wf_expression formal_output; /* over one instance's output */
	struct wf_expression joiner;	    /* over the collected elements */
	uint32_t result;		    /* variable of the net */
	const char *result_name;	    /* its name */
};

enum wf_timer_trigger { WF_TIMER_ON_ENABLED, WF_TIMER_ON_EXECUTING };

struct wf_timer {
	enum wf_timer_trigger trigger;
	bool has_trigger;
	const char *net_variable;    /* NULL: the timer is fixed */
	uint32_t variable;	     /* of that name; UINT32_MAX: none */
	struct wf_deadline deadline; /* of a fixed timer */
	const char *expiry;	     /* as written; NULL: not given */
	const char *duration;	     /* xs:duration; NULL: not given */
	const char *ticks;	     /* durationparams; NULL: not given */
	const char *interval;
	bool work_days; /* days off do not count */
	int line;
};

enum wf_task_kind { WF_EMPTY_TASK, WF_ATOMIC_TASK, WF_COMPOSITE_TASK };

struct wf_task {
	enum wf_task_kind kind;
	struct wf_net *net; /* the net of the task */
	const char *id;
	const char *name;	     /* NULL: none */
	const char *documentation;   /* NULL: none */
	struct wf_pattern described; /* the documentation, with its places */
	uint32_t number;
	enum wf_control join;
	enum wf_control split;
	struct wf_decomposition *decomposition; /* NULL for an empty task */
	/* Conditions, by number, ascending. */
	const uint32_t *preset;
	uint32_t preset_count;
	const uint32_t *postset;
	uint32_t postset_count;
	/*
	 * In the order of evaluation by the split: XOR by ordering, the default
	 * last; OR as in the file, the default last; AND as in the file.
	 */
	struct wf_flow *flows;
	uint32_t flow_count;
	/* The cancellation set: numbers, ascending; flows are conditions. */
	const uint32_t *cancelled_tasks;
	uint32_t cancelled_task_count;
	const uint32_t *cancelled_conditions;
	uint32_t cancelled_condition_count;
	/* As written, for writing back. */
	const char **removes_tokens;
	size_t removes_tokens_count;
	const char *(*removes_flows)[2]; /* source, destination */
	size_t removes_flows_count;
	/* One per mapped input parameter, in the order of the parameters. */
	struct wf_mapping *starting;
	uint32_t starting_count;
	struct wf_mapping *completed; /* as in the file */
	uint32_t completed_count;
	struct wf_mapping *enablement;
	uint32_t enablement_count;
	struct wf_multi_instance *multi; /* NULL: a single instance */
	bool moves_data; /* it has starting or completed mappings, or multi */
	bool is_for_people;	      /* by hand, and of no service */
	bool is_named_by_rules;	      /* a rule asks who completed its items */
	struct wf_timer *timer;	      /* NULL: none */
	const char *custom_form;      /* NULL: none */
	struct wf_markup *resourcing; /* NULL: none */
	struct wf_markup *default_configuration;
	struct wf_markup *configuration;
	struct wf_attribute *attributes;
	size_t attribute_count;
	int line;
};

/* A variable of a net: input parameters in order, then local variables. */
struct wf_net_variable {
	const char *name;
	const struct wf_type *type;
	struct wf_value *initial; /* permanent, never NULL: <name/> at least */
	bool is_input;		  /* also an input parameter */
	bool is_flag;		  /* complex type without children */
	bool is_optional;	  /* attribute optional="true" */
	bool is_mandatory;	  /* an input with <mandatory/> */
	bool is_output_only;	  /* made for an output parameter only */
	const struct wf_variable *declared;
};

struct wf_net;

/* What higher layers compute from a net once, on first use. */
enum wf_net_derivation {
	WF_DERIVED_OR_JOINS, /* kernel/or_join/ */
	WF_DERIVED_RULES,    /* people/task_rule.c */
	WF_DERIVATIONS
};

struct wf_net_derived {
	_Atomic(void *) data;
	void (*free)(const struct wf_net *net, void *data);
};

struct wf_net {
	struct wf_decomposition *decomposition;
	struct wf_spec *spec;
	const char *root_name; /* of the net's data: its id, or "data" */
	struct wf_condition *conditions;
	uint32_t condition_count;
	struct wf_task *tasks;
	uint32_t task_count;
	uint32_t input_condition;
	uint32_t output_condition;
	struct wf_net_variable *variables;
	uint32_t variable_count;
	/* Per output parameter of the decomposition, its variable. */
	const uint32_t *output_variables;
	/* Of explicit and input conditions, by number. */
	struct wf_flow *condition_flows;
	uint32_t condition_flow_count;
	struct wf_variable *locals; /* by index, else as in the file */
	size_t local_count;
	struct wf_map *variable_numbers; /* name -> number + 1, as a pointer */
	struct wf_map *task_numbers;	 /* id -> number + 1, as a pointer */
	struct wf_map *condition_numbers;
	struct wf_net_derived *derived; /* by enum wf_net_derivation */
	struct wf_markup *layout; /* the net's part of the layout, or NULL */
	bool is_used;		  /* reached from the root net */
	bool has_timer;		  /* an atomic task has one */
	/* A task has a timer or enablement mappings, or is for people. */
	bool acts_on_enabling;
};

struct wf_metadata {
	const char *title;
	const char **creators;
	size_t creator_count;
	const char **subjects;
	size_t subject_count;
	const char *description;
	const char **contributors;
	size_t contributor_count;
	const char *coverage;
	const char *valid_from;
	const char *valid_until;
	const char *created;
	const char *version; /* "0.1" when not given */
	const char *status;
	const char *persistent;
	const char *identifier; /* NULL: none (before 2.0) */
	/* Beta 2 to 4: the whole element with the addresses of people. */
	struct wf_markup *others;
};

/* What a specification asks of each step of its cases: a set. */
enum {
	WF_ASKS_LOGS = 1, /* there is a log predicate */
	WF_ASKS_COSTS = 2 /* there is a predicate about costs */
};

struct wf_spec {
	uint32_t magic;
	struct wf_spec_file *file;
	const char *uri;
	const char *name;	   /* NULL: none */
	const char *documentation; /* NULL: none */
	struct wf_metadata metadata;
	struct wf_markup *schema; /* the user's types; NULL: none */
	struct wf_types *types;
	struct wf_decomposition *decompositions; /* in the order of the file */
	uint32_t decomposition_count;
	struct wf_map *decomposition_ids; /* id -> struct wf_decomposition */
	struct wf_net *root;		  /* the net that a case starts in */
	bool has_or_join;		  /* of a net that is used */
	bool has_timer;			  /* of any net */
	uint32_t asks;			  /* set of WF_ASKS_.. */
	uint64_t key;			  /* hash of the content */
	/* Whether values are validated: not in Beta 2. */
	bool validates_data;
	/* Whether task output is validated: not in Beta 2 and 3. */
	bool validates_output;
	const char **imported_nets; /* without meaning */
	size_t imported_net_count;
};

#define WF_SPEC_MAGIC 0x57665370U

/* One file; it may hold several specifications. */
struct wf_spec_file {
	struct wf_arena *arena;
	enum wf_schema_version version;
	struct wf_spec **specs;
	uint32_t spec_count;
	struct wf_markup *layout; /* NULL: none */
	/* Prefixes of attributes that are kept. */
	struct wf_markup_namespace *namespaces;
	size_t namespace_count;
	size_t namespace_capacity;
	/* Things that are not in the arena and are freed with the file. */
	struct wf_spec_owned *owned;
};

/*
 * Reads, checks and compiles the specifications in text.  Adds all errors and
 * warnings to diagnostics; with errors, returns WF_INVALID and sets *file_out
 * to NULL.  Reads no file and no network.
 */
enum wf_rc wf_spec_read(struct wf_spec_file **file_out, const char *text,
    size_t length, struct wf_diagnostics *diagnostics) WF_MUSTCHECK;

/* The same from a file; a file that cannot be read is a diagnostic. */
enum wf_rc wf_spec_read_file(struct wf_spec_file **file_out, const char *path,
    struct wf_diagnostics *diagnostics) WF_MUSTCHECK;

void wf_spec_file_free(struct wf_spec_file **file);

/*
 * Writes the file back as XML of its own schema version, equal in meaning
 * to what was read.
 */
void wf_spec_write(const struct wf_spec_file *file, struct wf_buffer *text);

/* UINT32_MAX when the net has no such element. */
uint32_t wf_net_task_number(
    const struct wf_net *net, const char *id, size_t length);
uint32_t wf_net_condition_number(
    const struct wf_net *net, const char *id, size_t length);
/*
 * The next task with that id, which several nets may have; NULL: there is no
 * further one.  *at: 0 for the first.
 */
const struct wf_task *wf_spec_next_task(
    const struct wf_spec *spec, const char *id, uint32_t *at);
/* Its identifier; its URI, if it has none. */
const char *wf_spec_identifier(const struct wf_spec *spec);
/* NULL when there is none. */
struct wf_decomposition *wf_spec_decomposition(
    const struct wf_spec *spec, const char *id);

/* "4.0", "Beta 2", ... */
const char *wf_schema_version_name(enum wf_schema_version version);
/* The namespace of the elements of that version. */
const char *wf_schema_version_space(enum wf_schema_version version);

#endif
