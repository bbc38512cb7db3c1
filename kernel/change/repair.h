/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs: what an operator changes in a case by hand.
 *
 * A repair is a list of changes, the data of a command REPAIR.  They are made
 * in their order, as one step; then the case goes on as after any step.  A
 * deadlocked case is running again.  A repair is refused, and changes nothing,
 * when one of its changes is impossible, or when nothing could happen any more
 * in a net that it has changed.
 */
#ifndef WF_KERNEL_CHANGE_REPAIR_H
#define WF_KERNEL_CHANGE_REPAIR_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum wf_repair_kind {
#define WF_REPAIR(code, name, word, meaning) WF_REPAIR_##name = code,
#include "kernel/change/repair.def"
#undef WF_REPAIR
};

#define WF_REPAIR_LAST WF_REPAIR_FINISH

/* Texts that are NULL mean "". */
struct wf_repair_change {
	enum wf_repair_kind kind;
	const char *net;  /* id of a net of the case, "7.1"; "": the root net */
	const char *name; /* of a task or condition */
	uint32_t number;  /* of tokens, at least 1 */
	const char *data; /* XML, as for the command UPDATE_CASE; or NULL */
	size_t length;	  /* of data */
};

/* Appends a change to the data of a command REPAIR. */
void wf_repair_put(
    struct wf_buffer *data, const struct wf_repair_change *change);
/* The kind with that word; 0: there is none. */
enum wf_repair_kind wf_repair_kind(const char *word);

#ifdef __cplusplus
}
#endif

#endif
