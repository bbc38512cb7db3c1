/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with an organisation, or with records of one kind:
 *
 *   YBKP  a backup file of YAWL (people/organisation/backup.h)
 *   JSON  {"people": [RECORD..], "roles": [RECORD..], ..}
 *   CSV   of one kind: a line with the names of members, and one for each
 *         record (RFC 4180); several values are separated by ";"
 *
 * In JSON and CSV a record needs no id, and links may be names: of records in
 * the file or in the organisation.  With a kind, JSON has records of that kind
 * only, and may be their array alone.  What the file does not say of a record
 * of the organisation stays as it is; null and an empty cell are empty.
 */
#ifndef WF_PEOPLE_ORG_FILE_H
#define WF_PEOPLE_ORG_FILE_H

#include "people/organisation/backup.h"

enum wf_org_format { WF_ORG_YBKP, WF_ORG_JSON, WF_ORG_CSV, WF_ORG_FORMATS };

/* WF_ORG_FORMATS: there is none with that name. */
enum wf_org_format wf_org_format_find(const char *name);
/* The format of a file, by its first byte that is no blank. */
enum wf_org_format wf_org_format_of(const char *text, size_t length);

/*
 * Reads the records into the arena.  A record without an id gets that of the
 * record of the organisation with its name, else one that follows from its
 * name, so that the same file is read again as the same records.  kind: of all
 * records; WF_ORG_NONE, but not with CSV: of any.  WF_INVALID, with the place
 * and what was expected.
 */
enum wf_rc wf_org_file_read(struct wf_arena *arena,
    const struct wf_organisation *organisation, enum wf_org_format format,
    enum wf_org_kind kind, const char *text, size_t length,
    struct wf_org_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* Appends the organisation, or with a kind its records, but not with YBKP. */
void wf_org_file_write(const struct wf_organisation *organisation,
    enum wf_org_format format, enum wf_org_kind kind, struct wf_buffer *text);

#endif
