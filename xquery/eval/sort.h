/* SPDX-License-Identifier: Apache-2.0 */
/* A stable sort whose comparisons may fail, and that counts its steps. */
#ifndef WF_XQUERY_EVAL_SORT_H
#define WF_XQUERY_EVAL_SORT_H

#include "xquery/item/item.h"

/* order_out: negative, 0 or positive as a comes before, with, or after b. */
typedef enum wf_rc (*wf_order_f)(
    void *context, const void *a, const void *b, int *order_out);

/* Sorts count elements of the given size; stops at the first failure. */
enum wf_rc wf_sort(struct wf_dynamic *dynamic, void *elements, size_t count,
    size_t size, wf_order_f order, void *context) WF_MUSTCHECK;

#endif
