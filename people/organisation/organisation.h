/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An organisation: its records, and who belongs to what.
 *
 * A snapshot that never changes; a change makes a new snapshot, which shares
 * the records that are as before.  Records of a kind are numbered by their ids,
 * bytewise; sets of participants are bit sets of their numbers.
 */
#ifndef WF_PEOPLE_ORGANISATION_H
#define WF_PEOPLE_ORGANISATION_H

#include "base/bitset.h"
#include "people/organisation/record.h"

#define WF_ORG_NOBODY UINT32_MAX

struct wf_organisation; /* opaque; safe for all threads */

/* A record that comes, or the removal of one. */
struct wf_org_change {
	enum wf_org_kind kind;
	const char *id;
	const struct wf_org_record *record; /* NULL: removed */
};

/*
 * A new snapshot, with one reference: before (NULL: nothing) with the changes,
 * of which the last of each record counts.  Records that are not shared yet are
 * copied.  Links to records that do not exist, and links that close a circle,
 * are passed over.  version: see wf_organisation_version().
 */
struct wf_organisation *wf_organisation_new(
    const struct wf_organisation *before, const struct wf_org_change *changes,
    size_t count, uint64_t version);
struct wf_organisation *wf_organisation_ref(
    const struct wf_organisation *organisation);
void wf_organisation_unref(struct wf_organisation **organisation);

/* The number of the last change. */
uint64_t wf_organisation_version(const struct wf_organisation *organisation);

/*
 * Whether a change may be made: names and ids are unique, links lead to
 * records, and no circle is closed.  WF_INVALID, WF_CONFLICT (a name is used),
 * WF_NOT_FOUND (the removed record).
 */
enum wf_rc wf_organisation_check(const struct wf_organisation *organisation,
    const struct wf_org_change *change, struct wf_error *err) WF_MUSTCHECK;

/* --- records -------------------------------------------------------------- */

size_t wf_org_count(
    const struct wf_organisation *organisation, enum wf_org_kind kind);
/* By number, which is less than the count. */
const struct wf_org_record *wf_org_at(
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    uint32_t number);
/* WF_ORG_NOBODY: there is none. */
uint32_t wf_org_find(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *id);
uint32_t wf_org_find_name(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *name);
/*
 * What the record with the id is called: the user id of a participant, the name
 * of all else; of one that is gone, the id itself.
 */
const char *wf_org_name_of(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *id);
/* By id, else by name: as rules and users may write. */
uint32_t wf_org_find_any(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *text);
static inline const struct wf_participant *wf_participant_at(
    const struct wf_organisation *organisation, uint32_t number)
{
	return (const struct wf_participant *)wf_org_at(
	    organisation, WF_ORG_PARTICIPANT, number);
}

/* --- links ---------------------------------------------------------------- */

/* Every field that is a LINK or LINKS, in the order of organisation.def. */
enum wf_org_relation {
#define WF_ORG_RELATION(kind, type, name) WF_ORG_RELATION_##type(kind, name)
#define WF_ORG_RELATION_TEXT(kind, name)
#define WF_ORG_RELATION_FLAG(kind, name)
#define WF_ORG_RELATION_TEXTS(kind, name)
#define WF_ORG_RELATION_BITS(kind, name)
#define WF_ORG_RELATION_AMOUNT(kind, name)
#define WF_ORG_RELATION_OBJECT(kind, name)
#define WF_ORG_RELATION_LINK(kind, name) WF_##kind##_##name,
#define WF_ORG_RELATION_LINKS(kind, name) WF_##kind##_##name,
#define WF_CALENDAR_FIELD(type, name, xml, json, kind)                         \
	WF_ORG_RELATION(CALENDAR, type, name)
#define WF_CAPABILITY_FIELD(type, name, xml, json, kind)                       \
	WF_ORG_RELATION(CAPABILITY, type, name)
#define WF_ROLE_FIELD(type, name, xml, json, kind)                             \
	WF_ORG_RELATION(ROLE, type, name)
#define WF_GROUP_FIELD(type, name, xml, json, kind)                            \
	WF_ORG_RELATION(GROUP, type, name)
#define WF_POSITION_FIELD(type, name, xml, json, kind)                         \
	WF_ORG_RELATION(POSITION, type, name)
#define WF_PARTICIPANT_FIELD(type, name, xml, json, kind)                      \
	WF_ORG_RELATION(PARTICIPANT, type, name)
#define WF_CATEGORY_FIELD(type, name, xml, json, kind)                         \
	WF_ORG_RELATION(CATEGORY, type, name)
#define WF_THING_FIELD(type, name, xml, json, kind)                            \
	WF_ORG_RELATION(THING, type, name)
#define WF_RATE_FIELD(type, name, xml, json, kind)                             \
	WF_ORG_RELATION(RATE, type, name)
#include "people/organisation/organisation.def"
	WF_ORG_RELATIONS
};

struct wf_numbers {
	const uint32_t *rows;
	size_t count;
};

/* What a record links to, and which records link to it, ascending. */
struct wf_numbers wf_org_targets(const struct wf_organisation *organisation,
    enum wf_org_relation relation, uint32_t source);
struct wf_numbers wf_org_sources(const struct wf_organisation *organisation,
    enum wf_org_relation relation, uint32_t target);

/*
 * A set of the members of a role and of those below it that the snapshot keeps,
 * or NULL; and a set for it to keep, which is freed if there is one already.
 */
const uint64_t *wf_org_role_set(
    const struct wf_organisation *organisation, uint32_t role);
void wf_org_keep_role_set(
    const struct wf_organisation *organisation, uint32_t role, uint64_t **set);

/* --- working calendars ---------------------------------------------------- */

struct wf_calendar;

/*
 * The calendar with that id or name, as long as the organisation lives; NULL:
 * there is none, or it cannot be read.
 */
const struct wf_calendar *wf_org_calendar(
    const struct wf_organisation *organisation, const char *name);
/*
 * That of a participant, or of the first group of a position that has one, or
 * of a group above that; NULL: there is none.
 */
const struct wf_calendar *wf_org_calendar_of(
    const struct wf_organisation *organisation, uint32_t participant);

/* --- sets of participants ------------------------------------------------- */

/* A set in the arena, empty. */
uint64_t *wf_people_new(
    const struct wf_organisation *organisation, struct wf_arena *arena);
size_t wf_people_words(const struct wf_organisation *organisation);
void wf_people_add_all(
    const struct wf_organisation *organisation, uint64_t *set);

/* Adds the members of a role and of all roles below it. */
void wf_people_add_role(
    const struct wf_organisation *organisation, uint64_t *set, uint32_t role);
void wf_people_add_position(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t position);
/* Adds the holders of positions in a group or in a group below it. */
void wf_people_add_group(
    const struct wf_organisation *organisation, uint64_t *set, uint32_t group);
void wf_people_add_capability(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t capability);
/* Adds those who report to a participant, at any depth. */
void wf_people_add_reports(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t participant);
/* Adds the members of the groups in which a participant has a position. */
void wf_people_add_colleagues(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t participant);
/* Whether it has the privilege, or all, or is an administrator. */
bool wf_has_user_privilege(const struct wf_organisation *organisation,
    uint32_t participant, enum wf_user_privilege privilege);

#endif
