/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record of an organisation: a participant, a role, a position, a group, a
 * capability, a thing, a category of things, a rate of costs or a calendar.
 *
 * organisation.def describes the fields; files, JSON and the store go through
 * the layouts that are made from it, so no field is named twice.  A record that
 * is shared is never changed.
 */
#ifndef WF_PEOPLE_RECORD_H
#define WF_PEOPLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"

enum wf_org_kind {
#define WF_ORG_KIND(                                                           \
    name, type, prefix, plural, singular, word, words, compared, meaning)      \
	WF_ORG_##name,
#include "people/organisation/organisation.def"
	WF_ORG_KINDS,
	WF_ORG_NONE = WF_ORG_KINDS
};

enum wf_user_privilege {
#define WF_USER_PRIVILEGE(name, word, meaning) WF_USER_##name,
#include "people/organisation/user_privileges.def"
#undef WF_USER_PRIVILEGE
	WF_USER_PRIVILEGES
};

struct wf_texts {
	const char **rows;
	size_t count;
};

/* What every record begins with. */
struct wf_org_record {
	enum wf_org_kind kind;
	uint32_t references; /* of a shared record; changed atomically */
	const char *id;
	const char *key; /* its name as names are compared; of a shared one */
	uint64_t change; /* of the store, by which it was written; 0: unknown */
};

#define WF_ORG_C_TEXT const char *
#define WF_ORG_C_FLAG bool
#define WF_ORG_C_LINK const char *
#define WF_ORG_C_LINKS struct wf_texts
#define WF_ORG_C_TEXTS struct wf_texts
#define WF_ORG_C_BITS uint32_t
#define WF_ORG_C_AMOUNT int64_t
#define WF_ORG_C_OBJECT const char *
#define WF_ORG_MEMBER(type, name, xml, json, kind) WF_ORG_C_##type name;

struct wf_working_calendar {
	struct wf_org_record record;
#define WF_CALENDAR_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_capability {
	struct wf_org_record record;
#define WF_CAPABILITY_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_org_role {
	struct wf_org_record record;
#define WF_ROLE_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_group {
	struct wf_org_record record;
#define WF_GROUP_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_position {
	struct wf_org_record record;
#define WF_POSITION_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_participant {
	struct wf_org_record record;
#define WF_PARTICIPANT_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_category {
	struct wf_org_record record;
#define WF_CATEGORY_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_thing {
	struct wf_org_record record;
#define WF_THING_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

struct wf_rate {
	struct wf_org_record record;
#define WF_RATE_FIELD WF_ORG_MEMBER
#include "people/organisation/organisation.def"
};

enum wf_org_field_type {
	WF_ORG_TEXT,
	WF_ORG_FLAG,
	WF_ORG_LINK,
	WF_ORG_LINKS,
	WF_ORG_TEXTS,
	WF_ORG_BITS,
	WF_ORG_AMOUNT,
	WF_ORG_OBJECT
};

struct wf_org_field {
	const char *xml;
	const char *json;
	enum wf_org_field_type type;
	enum wf_org_kind target; /* of LINK and LINKS */
	size_t offset;
};

struct wf_org_layout {
	const char *prefix;
	const char *plural;
	const char *singular;
	const char *word;  /* for users */
	const char *words; /* the same for several */
	const char *meaning;
	bool is_folded; /* names are compared without regard to case */
	size_t size;	/* of the struct */
	const struct wf_org_field *fields; /* the name first */
	size_t field_count;
};

/* By enum wf_org_kind. */
extern const struct wf_org_layout wf_org_layouts[];

/* The kind with that word, singular or plural; WF_ORG_NONE: there is none. */
enum wf_org_kind wf_org_kind_find(const char *word);

/* The fields by their type; a text is a TEXT, LINK or OBJECT. */
const char **wf_org_text(
    const struct wf_org_record *record, const struct wf_org_field *field);
bool *wf_org_flag(
    const struct wf_org_record *record, const struct wf_org_field *field);
struct wf_texts *wf_org_texts(
    const struct wf_org_record *record, const struct wf_org_field *field);
uint32_t *wf_org_bits(
    const struct wf_org_record *record, const struct wf_org_field *field);
int64_t *wf_org_amount(
    const struct wf_org_record *record, const struct wf_org_field *field);
/* The field with that member in JSON; NULL: there is none. */
const struct wf_org_field *wf_org_field_find(
    enum wf_org_kind kind, const char *json);

const char *wf_org_name(const struct wf_org_record *record);
/* Appends a name as names of that kind are compared, byte by byte. */
void wf_org_key(enum wf_org_kind kind, const char *name, struct wf_buffer *key);

/* An empty record in the arena: texts are "". */
struct wf_org_record *wf_org_record_new(
    struct wf_arena *arena, enum wf_org_kind kind, const char *id);
/* A copy in the arena that may be changed; its texts are not copied. */
struct wf_org_record *wf_org_record_copy(
    struct wf_arena *arena, const struct wf_org_record *record);
/* Appends a text; the text is not copied. */
void wf_org_texts_add(
    struct wf_arena *arena, struct wf_texts *texts, const char *text);
bool wf_org_texts_have(const struct wf_texts *texts, const char *text);

/* A copy that can be shared, with one reference. */
struct wf_org_record *wf_org_record_share(const struct wf_org_record *record);
void wf_org_record_ref(const struct wf_org_record *record);
void wf_org_record_unref(const struct wf_org_record *record);

/* Whether id and all fields are equal. */
bool wf_org_record_equal(
    const struct wf_org_record *a, const struct wf_org_record *b);

/*
 * Checks what can be checked without other records: that it has a name, the
 * lengths of texts, control characters, the type of a group.  WF_INVALID.
 */
enum wf_rc wf_org_record_check(
    const struct wf_org_record *record, struct wf_error *err) WF_MUSTCHECK;

/*
 * Whether an account can have that name: 1 to WF_ACCOUNT_NAME_BYTES of A-Z a-z
 * 0-9 _ . @ -.  Nobody can sign in as a participant with another user id.
 */
bool wf_is_account_name(const char *text);

/*
 * A text of a file as a message shows it: at most WF_ORG_SHOWN characters, then
 * "..".  In the arena, or the text itself.
 */
#define WF_ORG_SHOWN 80U
const char *wf_org_shown(struct wf_arena *arena, const char *text);

#endif
