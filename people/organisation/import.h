/* SPDX-License-Identifier: Apache-2.0 */
/* Taking records from a file into an organisation. */
#ifndef WF_PEOPLE_IMPORT_H
#define WF_PEOPLE_IMPORT_H

#include "people/organisation/backup.h"

/* What became of a record of the file. */
enum wf_org_fate {
	WF_ORG_ADDED,
	WF_ORG_CHANGED,
	WF_ORG_UNCHANGED,
	WF_ORG_SKIPPED,
	WF_ORG_FATES
};

struct wf_org_note {
	const struct wf_org_record *record;
	enum wf_org_fate fate;
	const char *text; /* why it was skipped, what was left out; "" */
};

struct wf_org_import {
	/* How many of each kind. */
	size_t counts[WF_ORG_KINDS][WF_ORG_FATES];
	struct wf_org_note
	    *notes; /* of each record, in the order of the file */
	size_t note_count;
	struct wf_org_change *changes; /* to be made */
	size_t change_count;
	struct wf_organisation *after; /* with the changes; owned */
};

/*
 * Decides what becomes of the records: those with new ids and names are added;
 * one with a known id replaces that record if updates is true, else it is
 * skipped, as in YAWL; one whose name belongs to another id is skipped.  Links
 * to records that exist nowhere, and links that would close a circle, are left
 * out.  The records may be changed.  All but after is in the arena.
 */
void wf_org_import(const struct wf_organisation *organisation,
    struct wf_org_list *list, bool updates, struct wf_arena *arena,
    struct wf_org_import *import_out);

#endif
