/* SPDX-License-Identifier: Apache-2.0 */
/* Where the elements of each net go; private to kernel/change/. */
#ifndef WF_KERNEL_CHANGE_MIGRATE_PRIV_H
#define WF_KERNEL_CHANGE_MIGRATE_PRIV_H

#include "kernel/change/migrate.h"

/* In the place of a number. */
#define NOWHERE UINT32_MAX
#define LEFT_BEHIND (UINT32_MAX - 1U)

static inline bool wf_goes(uint32_t to)
{
	return to < LEFT_BEHIND;
}

/* One net of the old specification. */
struct net_map {
	const struct wf_net *from;
	const struct wf_net *to; /* NULL: nowhere */
	bool is_left_behind;
	uint32_t *tasks; /* per task: its number in to, or one of the above */
	uint32_t *conditions;
	uint32_t *variables;
	uint32_t *sources; /* per variable of to: that of from, or NOWHERE */
	uint64_t *checked; /* set of variables of from with another type */
	uint64_t *kept;	   /* set of tasks whose enabled items are kept */
};

struct wf_migration {
	struct wf_arena *arena;
	const struct wf_spec *from;
	const struct wf_spec *to;
	bool reoffers;
	struct net_map *nets; /* per decomposition of from; to NULL: no net */
};

static inline const struct net_map *wf_map_of(
    const struct wf_migration *m, const struct wf_net *net)
{
	return &m->nets[net->decomposition - m->from->decompositions];
}

#endif
