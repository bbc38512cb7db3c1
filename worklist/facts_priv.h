/* SPDX-License-Identifier: Apache-2.0 */
/* The fold of the history, private to worklist/: see worklist/facts.h. */
#ifndef WF_WORKLIST_FACTS_PRIV_H
#define WF_WORKLIST_FACTS_PRIV_H

#include <pthread.h>

#include "history/case_reader.h"
#include "people/work_log.h"
#include "worklist/facts.h"

/* An item that is open. */
struct wf_open_item {
	struct wf_open_item *next; /* of all */
	struct wf_open_item **self;
	int64_t offered_at; /* 0: it is not offered */
	uint32_t first;	    /* the instance that goes on; 0: none yet */
	bool is_allocated;
};

/* Of one task of one version of a specification. */
struct wf_task_facts {
	struct wf_task_facts *next; /* of all */
	struct wf_work_log *log;
};

/* A decision of this node that the fold has not read yet. */
struct wf_own_decision {
	struct wf_task_facts *task;
	char *participant;
	uint64_t number;
	uint32_t net;
	uint32_t task_number;
	uint32_t instance;
	int64_t at;
};

/* Decisions that are remembered at a time; older ones are forgotten. */
#define WF_OWN_DECISIONS 10000U

struct wf_fact_fold {
	pthread_mutex_t reading; /* one thread reads at a time */
	struct wf_cursor cursor; /* up to which all that is known is read */
	uint64_t change;	 /* of the specifications that are known */
	struct wf_map *known;	 /* specifications by key: they are folded */
	uint64_t *keys;		 /* of them */
	size_t key_count;
	size_t key_capacity;
	uint64_t learning;	  /* the specification that was learned last */
	struct wf_cursor learned; /* up to which it is read */
	struct wf_map *readers;	  /* of cases, by number */
	struct wf_map *items; /* that are open, by case, net, task, instance */
	struct wf_open_item *first_item;
	struct wf_case_reader **all_readers;
	size_t reader_count;

	pthread_mutex_t lock; /* of what follows */
	struct wf_map *tasks; /* struct wf_task_facts by name */
	struct wf_task_facts *first_task;
	size_t people; /* of all tasks */
	uint64_t position;
	bool is_ready;	  /* all that there was has been read once */
	bool was_awaited; /* in vain: decisions wait no longer */
	struct wf_own_decision *own;
	size_t own_count;

	pthread_t thread;
	pthread_cond_t wake;
	pthread_cond_t ready;
	struct wf_engine *engine; /* of the thread; NULL: none runs */
	bool woken;
	bool ending;
};

/* The facts of a task; made if there are none.  The lock is held. */
struct wf_task_facts *wf_fact_fold_of(
    struct wf_fact_fold *facts, const struct wf_task *task);
/* Frees the readers of cases; they are made again when they are needed. */
void wf_fact_fold_forget_cases(struct wf_fact_fold *facts);
void wf_fact_fold_forget_items(struct wf_fact_fold *facts);
/* The fold has read that an item was given.  The lock is held. */
void wf_fact_fold_have_read(struct wf_fact_fold *facts, uint64_t number,
    uint32_t net, uint32_t task_number, uint32_t instance);

#endif
