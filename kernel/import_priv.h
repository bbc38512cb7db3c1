/* SPDX-License-Identifier: Apache-2.0 */
/* The running import; private to kernel/import*.c. */
#ifndef WF_KERNEL_IMPORT_PRIV_H
#define WF_KERNEL_IMPORT_PRIV_H

#include "kernel/import.h"
#include "kernel/kernel.h"

/* A row and the objects that it names; NULL for those it does not name. */
struct importer {
	struct step *s;
	struct wf_import_row row;
	struct net_instance *net;
	const struct wf_task *task;
	struct activity *activity;
	struct instance *instance; /* of the activity, live or ended */
	bool suspended;		   /* the case is suspended */
};

#define REFUSE(im, ...) wf_fail((im)->s->err, WF_DATA, __VA_ARGS__)

/* --- import.c --- */

/* A variable of the net, or an input parameter of the task. */
bool wf_import_place(const struct importer *im, const struct wf_value *value,
    uint32_t *at_out, const char **name_out, const struct wf_type **type_out);
/* The children of the row's data, by number of the variable or parameter. */
enum wf_rc wf_import_values(
    struct importer *im, struct values *places) WF_MUSTCHECK;

/* --- import_item.c: rows about a task --- */

enum wf_rc wf_import_instance(struct importer *im) WF_MUSTCHECK;
enum wf_rc wf_import_result(struct importer *im) WF_MUSTCHECK;
enum wf_rc wf_import_offered(struct importer *im) WF_MUSTCHECK;
enum wf_rc wf_import_dated(struct importer *im) WF_MUSTCHECK;
enum wf_rc wf_import_suspended(struct importer *im) WF_MUSTCHECK;
enum wf_rc wf_import_timer(struct importer *im) WF_MUSTCHECK;
enum wf_rc wf_import_timer_state(struct importer *im) WF_MUSTCHECK;

#endif
