/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The organisation of a store, in memory.
 *
 * It is a kind of record: one for each record of the organisation, and the
 * head, which every edit writes.  The change of the head is the version: the
 * same version is the same organisation, on all nodes.
 *
 *   wf_org_cache_refresh() ──► snapshot ──► replaced by a newer one
 *                                │ wf_org_cache_get(): a reference
 *                                ▼ the last reference is given back: freed
 */
#ifndef WF_WORKLIST_ORG_CACHE_H
#define WF_WORKLIST_ORG_CACHE_H

#include "people/organisation/organisation.h"
#include "persistence/store.h"

struct wf_org_cache; /* opaque; safe for all threads */

/* Reads all of it. */
enum wf_rc wf_org_cache_open(struct wf_org_cache **cache_out,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
void wf_org_cache_close(struct wf_org_cache **cache);

/* Reads what was changed by this node or another; to be called each second. */
enum wf_rc wf_org_cache_refresh(struct wf_org_cache *cache,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;

/* A new reference to the newest snapshot; does not wait for a store. */
struct wf_organisation *wf_org_cache_get(struct wf_org_cache *cache);

#endif
