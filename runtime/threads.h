/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of an engine; private to runtime/. */
#ifndef WF_RUNTIME_THREADS_H
#define WF_RUNTIME_THREADS_H

#include "runtime/shard.h"

enum wf_rc wf_threads_start(
    struct wf_engine *engine, struct wf_error *err) WF_MUSTCHECK;
/* Waits until the queues are empty, unless the engine is abandoned. */
void wf_threads_stop(struct wf_engine *engine);

#endif
