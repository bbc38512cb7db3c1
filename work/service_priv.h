/* SPDX-License-Identifier: Apache-2.0 */
/* Services as records; private to work/service*.c. */
#ifndef WF_WORK_SERVICE_PRIV_H
#define WF_WORK_SERVICE_PRIV_H

#include "persistence/record_cache.h"
#include "work/service.h"

/* Entries are struct wf_service, of which nothing is forbidden. */
extern const struct wf_record_kind wf_service_records;
enum { WF_SERVICES_BY_URI }; /* its key */

/* As wf_service_put(); the cache has those of the store. */
enum wf_rc wf_service_put_in(struct wf_record_cache *cache,
    struct wf_store *store, const struct wf_service *service,
    struct wf_error *err) WF_MUSTCHECK;
/* As wf_services_pause(). */
enum wf_rc wf_service_pause_in(struct wf_record_cache *cache,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    const struct wf_pause *pause, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;

#endif
