/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_MIGRATION_ACTIONS_H
#define WF_MIGRATION_ACTIONS_H

#include "yawl/yawl.h"

/* Registers the actions of migration/actions.def. */
void wf_migration_add_actions(struct wf_yawl *yawl);

#define WF_YAWL_ACTION(interface, name, access, where, handler)                \
	void handler(struct wf_yawl_call *call);
#include "migration/actions.def"
#undef WF_YAWL_ACTION

#endif
