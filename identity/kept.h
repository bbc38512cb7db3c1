/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What accounts keep in the store for the pages that show Weft: preferences,
 * and filters of lists, which they may share with their namespace.
 *
 * Nothing is in memory.  An account has one record of its preferences and one
 * of its own filters, which go with it; a namespace has one of those that are
 * shared, which stay.  A record names the account by the time when that was
 * added, so that another account of the same name never has them.
 */
#ifndef WF_IDENTITY_KEPT_H
#define WF_IDENTITY_KEPT_H

#include <jansson.h>

#include "identity/account.h"

/* Preferences as compact JSON, at most. */
#define WF_PREFERENCES_BYTES ((size_t)16 << 10)
/* Filters of an account, in all namespaces, and of those that share theirs. */
#define WF_FILTERS 200U
#define WF_SHARED_FILTERS 500U
/* A filter as compact JSON, at most. */
#define WF_FILTER_BYTES ((size_t)8 << 10)
#define WF_FILTER_ID_BYTES 64U

/* The kinds of records that are removed with their account. */
#define WF_PREFERENCES_KIND "preferences"
#define WF_FILTERS_KIND "filters"

/*
 * An object, a new reference; empty: nothing was kept.  WF_NOT_FOUND, for this
 * and all below: the store has no such account.
 */
enum wf_rc wf_preferences_read(struct wf_store *store,
    const struct wf_account *account, json_t **object_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Replaces all.  WF_LIMIT: more than WF_PREFERENCES_BYTES. */
enum wf_rc wf_preferences_write(struct wf_store *store,
    const struct wf_account *account, const json_t *object,
    struct wf_error *err) WF_MUSTCHECK;

/* Whether it may be the id of a filter. */
bool wf_is_filter_id(const char *id);

/*
 * The filters of the namespace that the account has and that others share: an
 * array of objects, a new reference.  Each is as it was put, with the members
 * filter (its id), shared, owner, and own.  view: those whose member view it
 * is; NULL: all.
 */
enum wf_rc wf_filters_read(struct wf_store *store,
    const struct wf_account *account, const char *view, json_t **array_out,
    struct wf_error *err) WF_MUSTCHECK;

/* One change of the filters of the account's namespace. */
struct wf_filter_change {
	const struct wf_account *account;
	const char *id;
	bool is_administrator; /* may change what others share */
	bool is_shared;	       /* of one that is put */
	const json_t *filter;  /* that is put */
	bool is_new;	       /* becomes: it was not there before */
};

/*
 * Adds a filter or replaces the one with its id, which then is shared, or not,
 * as the change says.  WF_DENIED: another account shares one with this id;
 * WF_LIMIT: there are as many as there may be, or it is too long.
 */
enum wf_rc wf_filter_put(struct wf_store *store,
    struct wf_filter_change *change, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND; WF_DENIED: another account shares it. */
enum wf_rc wf_filter_remove(struct wf_store *store,
    struct wf_filter_change *change, struct wf_error *err) WF_MUSTCHECK;

#endif
