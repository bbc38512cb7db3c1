/* SPDX-License-Identifier: Apache-2.0 */
/* What the actions of the log gateway share. */
#ifndef WF_YAWL_RESOURCE_LOG_READ_H
#define WF_YAWL_RESOURCE_LOG_READ_H

#include "yawl/resource/gateway.h"

struct wf_log_specs {
	struct wf_specification_row *rows;
	size_t count;
};

/*
 * The specifications that the parameters name: "identifier", "version" and
 * "uri", of which each that is given must fit, or "setxml", the same as
 * elements.  Those that were unloaded are among them.  False: answered, with a
 * failure, because there is none.
 */
bool wf_log_choose_specs(
    struct wf_gateway_call *call, struct wf_log_specs *specs_out);

#endif
