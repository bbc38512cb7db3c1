/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of parameters, tasks and specifications for clients. */
#ifndef WF_YAWL_PARAMETER_H
#define WF_YAWL_PARAMETER_H

#include "base/buffer.h"
#include "base/memory.h"
#include "spec/spec.h"

/*
 * Fills order_out with the numbers 0 to count - 1 in the order in which YAWL
 * lists things with these names: that of a hash table of Java, which clients
 * that do not sort show to people.
 */
void wf_yawl_order(const char *const *names, size_t count, size_t *order_out,
    struct wf_arena *arena);

/*
 * What a version lacks to be two numbers, as clients expect: ".0" of "1", else
 * "".
 */
const char *wf_yawl_minor(const char *version);
void wf_yawl_put_version(
    struct wf_buffer *xml, const char *name, const char *version);
/* Each as an attribute, for a tag that is open. */
void wf_yawl_put_attributes(
    struct wf_buffer *xml, const struct wf_attribute *attributes, size_t count);
/* The specificationData element. */
void wf_yawl_put_specification(
    struct wf_buffer *xml, const struct wf_spec *spec, struct wf_arena *arena);
/* The same as the resource service lists it, which has it less exactly. */
void wf_yawl_put_listed_specification(
    struct wf_buffer *xml, const struct wf_spec *spec);
/* The params element of a task. */
void wf_yawl_put_task_parameters(
    struct wf_buffer *xml, const struct wf_task *task, struct wf_arena *arena);
/* The outputs that are no inputs, as the resource service lists them. */
void wf_yawl_put_output_only(
    struct wf_buffer *xml, const struct wf_decomposition *work);
/* The taskInfo element. */
void wf_yawl_put_task(
    struct wf_buffer *xml, const struct wf_task *task, struct wf_arena *arena);
/* The answer to getMITaskAttributes for a multiple-instance task. */
void wf_yawl_put_multi_instance(
    struct wf_buffer *xml, const struct wf_task *task);
/* The start and completion of a log predicate; nothing when it has none. */
void wf_yawl_put_log(struct wf_buffer *xml, const struct wf_log_predicate *log);

#endif
