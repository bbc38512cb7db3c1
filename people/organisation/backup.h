/* SPDX-License-Identifier: Apache-2.0 */
/* Organisations as backup files of YAWL (.ybkp). */
#ifndef WF_PEOPLE_BACKUP_H
#define WF_PEOPLE_BACKUP_H

#include "people/organisation/organisation.h"

struct wf_org_list {
	struct wf_org_record **rows;
	size_t count;
	size_t capacity;
	bool has[WF_ORG_KINDS]; /* the file has a section for that kind */
};

/* Adds a record; both are in the arena. */
void wf_org_list_add(struct wf_arena *arena, struct wf_org_list *list,
    struct wf_org_record *record);

/*
 * Reads a backup file into the arena, with the passwords as it has them.  What
 * a record lacks is empty.  WF_INVALID: it is no XML, or a record has no id;
 * err->place.line.
 */
enum wf_rc wf_backup_read(struct wf_arena *arena, const char *text,
    size_t length, struct wf_org_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Appends the element of one record. */
void wf_backup_write_record(
    const struct wf_org_record *record, struct wf_buffer *xml);
/* Appends a whole file. */
void wf_backup_write(
    const struct wf_organisation *organisation, struct wf_buffer *xml);

/* The set for "11100000"; what is no digit counts as 0. */
uint32_t wf_backup_read_bits(const char *text);

#endif
