/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which incidents: those that a choice selects, page by page; and groups of
 * those that have one cause.
 *
 * A group is of one process, task, code and reason.  The reason is the text
 * without what differs from case to case: ids and numbers.  A group has a key,
 * by which it can be chosen, on each node and as long as there are incidents of
 * it.
 *
 * The store finds incidents by their id, case and code only; the rest is
 * compared here, so a page examines at most WF_INCIDENTS_EXAMINED incidents.
 */
#ifndef WF_OPERATION_INCIDENTS_H
#define WF_OPERATION_INCIDENTS_H

#include <jansson.h>

#include "runtime/engine.h"

#define WF_INCIDENTS_EXAMINED 10000U

/* Zeros and NULL choose everything. */
struct wf_incident_choice {
	enum wf_incidents which;
	uint32_t namespace_id;
	uint64_t number;			     /* of that case */
	struct wf_specification_keys specifications; /* of their cases */
	const char *task;
	const char *code;
	const char *service; /* its URI */
	const char *text;    /* is in the text; upper and lower case are one */
	uint64_t group;
	int64_t failed_before; /* the last time */
	uint64_t after;	       /* the last id of the page before */
	size_t limit;	       /* at least 1 */
};

struct wf_chosen_incident {
	struct wf_incident_row row; /* without its payload */
	const char *name;	    /* of the case; "": of none */
	uint64_t specification;	    /* likewise; 0 */
	bool set_aside;		    /* the case is quarantined */
	const char *process;	    /* the URI; "" */
	const char *task;	    /* "" */
	const char *service;	    /* the URI, if the text names it; "" */
	const char *reason;
	uint64_t group;
};

struct wf_chosen_incidents {
	struct wf_chosen_incident *rows; /* by id */
	size_t count;
	size_t examined;
	uint64_t next; /* the "after" of the next page; 0: there is none */
};

/* A page may have fewer rows than limit although there is a next one. */
enum wf_rc wf_incidents_choose(struct wf_store *store,
    const struct wf_incident_choice *choice, struct wf_arena *arena,
    struct wf_chosen_incidents *chosen_out, struct wf_error *err) WF_MUSTCHECK;

/* Hours of the past that a group is counted for. */
#define WF_INCIDENT_HOURS 24U

struct wf_incident_group {
	uint64_t group;
	const char *process; /* as above, and the next four */
	const char *task;
	const char *code;
	const char *service;
	const char *reason;
	uint64_t count;
	uint64_t retryable;
	int64_t first;
	int64_t last;
	/* The one that failed last. */
	uint64_t example;
	const char *name; /* of its case */
	const char *text;
	uint64_t specification;
};

struct wf_incident_groups {
	struct wf_incident_group *rows; /* the largest first */
	size_t count;
	uint64_t incidents; /* that were counted */
	bool more;	    /* there are others, which were not examined */
	/* How many of these there were at the end of each hour up to now. */
	uint64_t hours[WF_INCIDENT_HOURS];
};

/* Those that the choice selects, from the first on; its limit is not read. */
enum wf_rc wf_incidents_group(struct wf_store *store,
    const struct wf_incident_choice *choice, int64_t now,
    struct wf_arena *arena, struct wf_incident_groups *groups_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Whether the text is the key of a group, 16 hexadecimal digits. */
bool wf_incident_group_key(const char *text, uint64_t *group_out);
/*
 * A choice from a JSON object with the members specification, version, task,
 * code, service (a URI), text, group and case, each a text: those of the
 * namespace that are open.  WF_INVALID: a member is not as expected;
 * WF_NOT_FOUND: there is no such specification or case; WF_LIMIT: the
 * specification has more than WF_LIST_VERSIONS versions.
 */
enum wf_rc wf_incident_choice_decode(struct wf_engine *engine,
    struct wf_store *store, uint32_t namespace_id, json_t *object,
    struct wf_arena *arena, struct wf_incident_choice *choice_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
