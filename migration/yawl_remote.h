/* SPDX-License-Identifier: Apache-2.0 */
/* A running YAWL engine, asked over its interfaces A, B and E. */
#ifndef WF_MIGRATION_YAWL_REMOTE_H
#define WF_MIGRATION_YAWL_REMOTE_H

#include "base/memory.h"
#include "petri/xml.h"

struct wf_yawl_remote; /* opaque */

enum wf_yawl_gate { WF_YAWL_GATE_A, WF_YAWL_GATE_B, WF_YAWL_GATE_E };

/*
 * Connects as that client of the engine at the address
 * ("http://localhost:8080/yawl").  WF_UNAVAILABLE: nobody is there; WF_INVALID
 * with what it says: it does not let us in.
 */
enum wf_rc wf_yawl_remote_open(struct wf_yawl_remote **remote_out,
    const char *address, const char *user, const char *password,
    struct wf_error *err) WF_MUSTCHECK;
void wf_yawl_remote_close(struct wf_yawl_remote **remote);

/*
 * Asks for an action; parameters are names and values by turns, ended by NULL.
 * *answer_out is the element <response>, in the arena with the text that it
 * was read of.  WF_INVALID: the engine says a failure, or what is no XML.
 */
enum wf_rc wf_yawl_remote_ask(struct wf_yawl_remote *remote,
    enum wf_yawl_gate gate, const char *action, const char *const *parameters,
    struct wf_arena *arena, const struct wf_xml **answer_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
