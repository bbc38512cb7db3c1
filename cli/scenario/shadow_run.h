/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shadow run: a case in a store that is given the commands of a case in
 * memory, and must be equal to it after each command, byte for byte.
 *
 * Two engines on the store take turns with it: each finds it in another
 * version than it remembers, so it is loaded for every command.
 */
#ifndef WF_CLI_SCENARIO_SHADOW_RUN_H
#define WF_CLI_SCENARIO_SHADOW_RUN_H

#include "kernel/step.h"

struct wf_shadow_run; /* opaque */

/*
 * Makes a shadow, not launched yet, for a case of the first specification in
 * xml, with the id name.  url: of a store, where the tables are made if there
 * are none, and what the shadow was is left.  limits must outlive it.
 */
enum wf_rc wf_shadow_run_open(struct wf_shadow_run **shadow_run_out,
    const char *url, const char *name, const struct wf_limits *limits,
    const char *xml, size_t length, struct wf_error *err) WF_MUSTCHECK;
void wf_shadow_run_close(struct wf_shadow_run **shadow);

/*
 * Gives the shadow the command that instance (NULL: there is none) has accepted
 * or refused, as refusal->rc says.  WF_BUG when the shadow does otherwise,
 * refuses it for another reason, or differs from instance now.
 */
enum wf_rc wf_shadow_run_follow(struct wf_shadow_run *shadow,
    const struct wf_command *command, const struct wf_error *refusal,
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;

#endif
