/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing the organisation of a store.
 *
 * An edit decides from a snapshot what is to be changed, and writes all of it
 * as one change of the store, if the snapshot is still the newest; else it
 * decides again.  So two edits never make a circle, or use a name twice,
 * together.
 */
#ifndef WF_WORKLIST_ORG_EDIT_H
#define WF_WORKLIST_ORG_EDIT_H

#include "people/organisation/import.h"
#include "worklist/org_cache.h"

struct wf_org_changes {
	struct wf_org_change *rows;
	size_t count; /* 0: nothing is to be written */
};

/*
 * Fills *changes_out, in the arena, which lives until the edit is done or
 * decides again.  A failure ends the edit.
 */
typedef enum wf_rc (*wf_org_decide_f)(void *context,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes_out, struct wf_error *err);

/*
 * Afterwards the cache has the changes.  *version_out (or NULL): of the
 * organisation then.  WF_UNAVAILABLE: others changed it all the time.
 */
enum wf_rc wf_org_edit(struct wf_org_cache *cache, struct wf_store *store,
    wf_org_decide_f decide, void *context, uint64_t *version_out,
    struct wf_error *err) WF_MUSTCHECK;

/* The expected change of a record that must not exist. */
#define WF_ORG_NEW WF_RECORD_NEW

/*
 * Changes one record, or removes it and all links to it.  read fills a record,
 * which is empty or a copy of the one there is; links may be names.  NULL: the
 * record is removed.
 */
struct wf_org_one {
	enum wf_org_kind kind;
	/* The id, or the name of a record there is; NULL: a new id. */
	const char *id;
	uint64_t expected; /* its change; WF_ORG_NEW; 0: any, also none */
	bool must_exist;
	bool from_empty; /* the fields that are not read are empty */
	/* A new user id must be a name that an account can have. */
	bool signs_in;
	enum wf_rc (*read)(void *context, struct wf_arena *arena,
	    struct wf_org_record *record, struct wf_error *err);
	void *context;
	struct wf_arena *arena; /* of the caller, for the id */
	/* Set. */
	const char *id_out;
	bool added;
	size_t unlinked; /* other records that linked to it */
};

/*
 * WF_INVALID, WF_NOT_FOUND; WF_CONFLICT: the name is used, or the record is not
 * the expected one.
 */
enum wf_rc wf_org_edit_one(struct wf_org_cache *cache, struct wf_store *store,
    struct wf_org_one *one, struct wf_error *err) WF_MUSTCHECK;

#endif
