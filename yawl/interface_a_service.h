/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of services as interface A sees it. */
#ifndef WF_YAWL_INTERFACE_A_SERVICE_H
#define WF_YAWL_INTERFACE_A_SERVICE_H

#include "yawl/yawl.h"

/*
 * Registers the default worklist of the settings, and notifies all services
 * that the engine has started.
 */
enum wf_rc wf_yawl_services_begin(struct wf_yawl *yawl, struct wf_store *store,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * The hash of the password of the service with that name, in the arena; false:
 * there is none.
 */
bool wf_yawl_service_password(
    struct wf_yawl_call *call, const char *name, const char **hash_out);
/* Changes the password's hash.  WF_NOT_FOUND: no service has that name. */
enum wf_rc wf_yawl_service_set_password(struct wf_yawl_call *call,
    const char *name, const char *hash, struct wf_error *err) WF_MUSTCHECK;

#endif
