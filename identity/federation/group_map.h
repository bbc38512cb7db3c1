/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What groups of a directory, or values that a provider names, give here:
 *
 *   Clerks=Clerk; IT staff=operator; https://idp.example batch=mailer; *=reader
 *
 * "*" stands for any.  A group that begins with a URL and a blank is one of
 * that issuer only.  In "*=*" each group gives what has its name.
 */
#ifndef WF_IDENTITY_FEDERATION_GROUP_MAP_H
#define WF_IDENTITY_FEDERATION_GROUP_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

#define WF_GROUP_RULES 500U

struct wf_group_rule {
	const char *group;
	const char *gives;
};

struct wf_group_map {
	const struct wf_group_rule *rules;
	size_t count;
};

/* The texts are in the arena.  False: it is no such list. */
bool wf_group_map_read(
    const char *text, struct wf_arena *arena, struct wf_group_map *map_out);

/*
 * What the rule gives whoever has the group (of the issuer; "": a directory);
 * NULL: nothing.
 */
const char *wf_group_rule_gives(
    const struct wf_group_rule *rule, const char *issuer, const char *group);

#endif
