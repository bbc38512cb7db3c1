/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of weft cover: a net, a marking, an OR-join, as JSON has them. */
#ifndef WF_CLI_CHECK_COVER_NET_H
#define WF_CLI_CHECK_COVER_NET_H

#include <jansson.h>

#include "spec/spec.h"

struct wf_cover_case {
	const char *id;
	struct wf_net *net; /* as far as its control flow goes */
	uint32_t task;	    /* the OR-join */
	uint32_t *tokens;   /* per condition */
	uint64_t *busy;	    /* set of tasks */
};

/*
 * In the arena, with texts of json, which must live as long.  WF_INVALID when
 * it is no such case.
 */
enum wf_rc wf_cover_read_case(struct wf_cover_case *case_out,
    struct wf_arena *arena, const json_t *json,
    struct wf_error *err) WF_MUSTCHECK;

#endif
