/* SPDX-License-Identifier: Apache-2.0 */
/* A client of a running YAWL engine, for its interfaces A, B and E. */
#ifndef WF_MIGRATION_YAWL_REMOTE_H
#define WF_MIGRATION_YAWL_REMOTE_H

#include "base/memory.h"
#include "petri/xml.h"

struct wf_yawl_remote; /* opaque */

enum wf_yawl_gate { WF_YAWL_GATE_A, WF_YAWL_GATE_B, WF_YAWL_GATE_E };

/*
 * Connects as that client to the engine at the address
 * ("http://localhost:8080/yawl"). WF_UNAVAILABLE: no server responds;
 * WF_INVALID with its message: it refuses the connection.
 */
enum wf_rc wf_yawl_remote_open(struct wf_yawl_remote **remote_out,
    const char *address, const char *user, const char *password,
    struct wf_error *err) WF_MUSTCHECK;
void wf_yawl_remote_close(struct wf_yawl_remote **remote);

/*
 * Sends an action; parameters are names and values in turn, ended by NULL.
 * *answer_out is the element <response>, in the arena with the text it was read
 * from. WF_INVALID: the engine reports a failure, or the answer is no XML.
 */
enum wf_rc wf_yawl_remote_ask(struct wf_yawl_remote *remote,
    enum wf_yawl_gate gate, const char *action, const char *const *parameters,
    struct wf_arena *arena, const struct wf_xml **answer_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
