/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with an organisation, or with records of one kind:
 *
 *   YBKP  a backup file of YAWL (people/backup.h)
 *   JSON  {"people": [RECORD..], "roles": [RECORD..], ..}
 *   CSV   of one kind: a line with the names of members, and one for each
 *         record (RFC 4180); several values are separated by ";"
 *
 * In JSON and CSV a record needs no id, and links may be names: of records in
 * the file or in the organisation.
 */
#ifndef WF_PEOPLE_ORG_FILE_H
#define WF_PEOPLE_ORG_FILE_H

#include "people/backup.h"

enum wf_org_format { WF_ORG_YBKP, WF_ORG_JSON, WF_ORG_CSV, WF_ORG_FORMATS };

/* WF_ORG_FORMATS: there is none with that name. */
enum wf_org_format wf_org_format_find(const char *name);

/*
 * Reads the records into the arena.  A record without an id gets that of the
 * record of the organisation with its name, else one that follows from its
 * name, so that the same file is read again as the same records.  kind: of a
 * CSV file.  WF_INVALID, with the place and what was expected.
 */
enum wf_rc wf_org_file_read(struct wf_arena *arena,
    const struct wf_organisation *organisation, enum wf_org_format format,
    enum wf_org_kind kind, const char *text, size_t length,
    struct wf_org_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* Appends the organisation, or with CSV the records of one kind. */
void wf_org_file_write(const struct wf_organisation *organisation,
    enum wf_org_format format, enum wf_org_kind kind, struct wf_buffer *text);

#endif
