/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request for a worklist: what it asks for, whose queues are read, and how
 * rows are shown.  Private to rest/worklist/.
 */
#ifndef WF_REST_WORKLIST_WORKLIST_PRIV_H
#define WF_REST_WORKLIST_WORKLIST_PRIV_H

#include "people/decision.h"
#include "rest/rest_item.h"
#include "rest/rest_people.h"
#include "worklist/list.h"

#define WF_FROM(status) (1U << WF_RESOURCE_##status)

enum wf_whose { WF_OWN, WF_TEAM, WF_GROUPS, WF_NOBODYS };

struct wf_worklist_view {
	const char *name;
	enum wf_whose whose;
	uint32_t assignments;
	uint32_t statuses;
};

/* Somebody whose own list is read. */
struct wf_list_person {
	const char *id;
	const struct wf_deputy *entry; /* NULL: it is for oneself */
	struct wf_texts queues;	       /* sorted */
	struct wf_workload workload;
};

#define WF_LIST_PEOPLE (1U + WF_DEPUTIES)

/* A case whose items are read. */
struct wf_list_case {
	uint64_t number;
	const char *title;
	bool is_suspended;
};

/* Which words stand in the texts of a process and one of its tasks. */
struct wf_list_texts {
	uint64_t specification;
	const char *task; /* its id; NULL: of none yet */
	uint32_t found;	  /* a bit for each word */
};

/* What is read for one request. */
struct wf_worklist {
	struct wf_rest *rest;
	struct wf_organisation *organisation;
	struct wf_rest_actor actor;
	const struct wf_worklist_view *view;
	struct wf_list_query query;
	struct wf_queue_key after;
	/* Whose lists are asked; with those of them who see each queue of the
	 * query, NULL: not asked yet.  Not of own views. */
	const uint64_t *set;
	struct wf_texts **members;
	struct wf_list_person people[WF_LIST_PEOPLE]; /* of own views */
	size_t person_count;
	struct wf_workload workload; /* of the actor; of other views */
	bool only_suspended;	     /* of those that are started */
	/* An item beside that; NULL: all fit. */
	bool (*fits)(void *context, const struct wf_item_row *row);
	void *context;
	/* Of "q"; none: all. */
	struct wf_word_set words;
	struct wf_list_texts last; /* of the row that was searched last */
	/* The cases of the rows that are read, by number. */
	struct wf_list_case *cases;
	size_t case_count;
	/* What was asked last of those that rows are offered to. */
	const char *counted;
	size_t offered_count;
};

/* --- worklist_queues.c ---------------------------------------------------- */

/* The queues of the query.  False: answered. */
bool wf_worklist_add_queues(struct wf_worklist *reading);
/* On whose list the item is; NULL: on nobody's. */
const struct wf_list_person *wf_worklist_person(
    const struct wf_worklist *reading, const struct wf_item_row *row);
/* Whether the row is one of the list; context: the struct wf_worklist. */
bool wf_worklist_fits(void *context, const struct wf_item_row *row);

/* --- worklist_query.c ----------------------------------------------------- */

/* All items of the own list. */
void wf_worklist_begin(struct wf_worklist *reading);
/* The arguments.  False: answered, or sent to the pool. */
bool wf_worklist_read_query(struct wf_worklist *reading);

/* --- worklist_words.c ----------------------------------------------------- */

/*
 * Reads the titles of the cases of these items; context: the struct
 * wf_worklist.
 */
enum wf_rc wf_worklist_read_titles(void *context, struct wf_store *store,
    const struct wf_item_list *items, struct wf_error *err) WF_MUSTCHECK;
/* One that was read; NULL: it is gone. */
const struct wf_list_case *wf_worklist_case(
    const struct wf_worklist *reading, uint64_t number);
/* The title of a case that was read; "": it has none. */
const char *wf_worklist_title(
    const struct wf_worklist *reading, uint64_t number);
/* The argument "q".  False: answered. */
bool wf_worklist_read_words(struct wf_worklist *reading);
/* Has the list only items with these words; false: there is none in them. */
bool wf_worklist_set_words(struct wf_worklist *reading, const char *text);
/* Whether the item has all words. */
bool wf_worklist_has_words(
    struct wf_worklist *reading, const struct wf_item_row *row);

/* --- worklist_row.c ------------------------------------------------------- */

/* The rows of a page, an array; a new reference. */
json_t *wf_worklist_rows(
    struct wf_worklist *reading, const struct wf_list_page *page);

#endif
