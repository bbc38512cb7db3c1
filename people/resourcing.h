/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element <resourcing> of a task: who does its items, and who decides that.
 *
 * An element with an error gives no rule: its items are unoffered, and the
 * error says which part is wrong and what was expected.
 */
#ifndef WF_PEOPLE_RESOURCING_H
#define WF_PEOPLE_RESOURCING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "people/organisation/record.h"
#include "spec/markup.h"

/* What may be done with an item of a task, beside doing it. */
enum wf_task_privilege {
#define WF_TASK_PRIVILEGE(name, word, meaning) WF_TASK_##name,
#include "people/task_privileges.def"
#undef WF_TASK_PRIVILEGE
	WF_TASK_PRIVILEGES
};

extern const char *const wf_task_privilege_words[];

enum wf_allocator {
#define WF_ALLOCATOR(name, word, meaning) WF_ALLOCATOR_##name,
#include "people/allocators.def"
#undef WF_ALLOCATOR
	WF_ALLOCATORS
};

extern const char *const wf_allocator_words[];
/* WF_ALLOCATORS: there is none with that name. */
enum wf_allocator wf_allocator_find(const char *name);

/* A variable of the net with user ids, or with names of roles. */
struct wf_resource_variable {
	const char *name;
	bool has_roles;
};

/*
 * Names with operators, and what they are names of: see people/filter.c.
 * NULL: the filter does not ask for that.
 */
struct wf_resource_filter {
	const char *capability;
	const char *position;
	const char *group;
};

/* Who has a task privilege. */
struct wf_privilege_holders {
	bool all;
	struct wf_texts participants; /* ids */
	struct wf_texts roles;
};

/* A person or thing that is needed beside the one who does the item. */
struct wf_secondary {
	enum wf_org_kind kind; /* a role or category: one of its members */
	const char *id;
	const char *part; /* of a category; "": any */
};

/* The elements below <secondary>. */
#define WF_SECONDARY_ELEMENTS 4U
extern const struct wf_secondary_element {
	const char *element;
	enum wf_org_kind kind;
} wf_secondary_elements[WF_SECONDARY_ELEMENTS];

struct wf_resourcing {
	bool offers;	/* by the system; else an administrator does */
	bool allocates; /* by the system */
	bool starts;	/* by the system */
	bool is_closed; /* has an error: its distribution set is empty */
	struct wf_texts participants;
	struct wf_texts roles;
	struct wf_resource_variable *variables;
	size_t variable_count;
	struct wf_resource_filter *filters;
	size_t filter_count;
	struct wf_texts separated; /* tasks: who completed one is left out */
	const char *familiar;	   /* task: who completed it; NULL: none */
	enum wf_allocator allocator;
	struct wf_privilege_holders privileges[WF_TASK_PRIVILEGES];
	struct wf_secondary *secondary;
	size_t secondary_count;
};

/*
 * Reads the element into the arena.  WF_INVALID: it has an error;
 * err->place.line is its line, and *rule_out has what was read before.
 */
enum wf_rc wf_resourcing_read(struct wf_arena *arena,
    const struct wf_markup *resourcing, struct wf_resourcing **rule_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
