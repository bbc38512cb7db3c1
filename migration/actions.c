/* SPDX-License-Identifier: Apache-2.0 */
/* The table of migration/actions.def. */
#include "migration/actions.h"

static const struct wf_yawl_action actions[] = {
#define WF_YAWL_ACTION WF_YAWL_ACTION_ROW
#include "migration/actions.def"
#undef WF_YAWL_ACTION
};

void wf_migration_add_actions(struct wf_yawl *yawl)
{
	wf_yawl_add_actions(
	    yawl, actions, sizeof(actions) / sizeof(actions[0]));
}
