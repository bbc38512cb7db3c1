/* SPDX-License-Identifier: Apache-2.0 */
/* The specifications that can be started, by name and version. */
#ifndef WF_SERVER_CATALOGUE_H
#define WF_SERVER_CATALOGUE_H

#include "runtime/engine.h"

/* Number by number: "10.2" after "9.1", "1" as "1.0". */
int wf_compare_versions(const char *a, const char *b);

/* All of a namespace by URI, then version, then when they were loaded. */
enum wf_rc wf_catalogue_list(struct wf_engine *engine, uint32_t namespace_id,
    struct wf_arena *arena, struct wf_specification_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
