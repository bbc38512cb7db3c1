/* SPDX-License-Identifier: Apache-2.0 */
/* Who has an item; private to yawl/resource/. */
#ifndef WF_YAWL_RESOURCE_ITEM_READ_H
#define WF_YAWL_RESOURCE_ITEM_READ_H

#include "yawl/resource/gateway.h"

/* The participants who have an item, or whom it is offered to, in the arena. */
uint64_t *wf_item_people(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, const char *holder,
    const char *audience_text, struct wf_arena *arena);

#endif
