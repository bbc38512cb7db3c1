/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/rights.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

static const char *const verb_names[] = {
#define WF_VERB(name, text, meaning) [WF_VERB_##name] = text,
#include "identity/rights.def"
};

struct bundle {
	const char *name;
	uint32_t verbs; /* without those of the bundles before it */
};

static const struct bundle bundles[] = {
#define WF_BUNDLE(name, verbs) { name, verbs },
#include "identity/rights.def"
};

#define BUNDLE_COUNT (sizeof(bundles) / sizeof(bundles[0]))

/* --- names ---------------------------------------------------------------- */

const char *wf_verbs_text(uint32_t verbs, char text[WF_VERBS_TEXT])
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < WF_VERB_COUNT; i++)
		if ((verbs >> i & 1) != 0)
			length += (size_t)snprintf(text + length,
			    WF_VERBS_TEXT - length, "%s%s",
			    length == 0 ? "" : " or ", verb_names[i]);
	wf_assert(length < WF_VERBS_TEXT);
	return text;
}

/* The verbs of a verb or role; 0: it is neither. */
static uint32_t verbs_of(const char *name, size_t length)
{
	uint32_t verbs = 0;

	for (size_t i = 0; i < WF_VERB_COUNT; i++)
		if (strlen(verb_names[i]) == length &&
		    memcmp(verb_names[i], name, length) == 0)
			return 1U << i;
	for (size_t i = 0; i < BUNDLE_COUNT; i++) {
		verbs |= bundles[i].verbs;
		if (strlen(bundles[i].name) == length &&
		    memcmp(bundles[i].name, name, length) == 0)
			return verbs;
	}
	return 0;
}

bool wf_is_role(const char *name)
{
	for (size_t i = 0; i < BUNDLE_COUNT; i++)
		if (strcmp(bundles[i].name, name) == 0)
			return true;
	return false;
}

const char *wf_rights_role(const struct wf_rights *rights)
{
	uint32_t verbs = 0;

	for (size_t i = 0; i < BUNDLE_COUNT; i++) {
		verbs |= bundles[i].verbs;
		if ((rights->home | rights->everything) == verbs)
			return bundles[i].name;
	}
	return "";
}

/* --- grants --------------------------------------------------------------- */

static void hash_name(enum wf_object_kind kind, const char *name, size_t length,
    uint64_t object[2])
{
	const unsigned char key[crypto_generichash_KEYBYTES] = { kind };

	static_assert(2 * sizeof(uint64_t) >= crypto_generichash_BYTES_MIN,
	    "a hash of a name is as long as sodium wants");
	crypto_generichash((unsigned char *)object, 2 * sizeof(uint64_t),
	    (const unsigned char *)name, length, key, sizeof(key));
}

static enum wf_rc fail_object(const char *text, struct wf_error *err)
{
	return wf_fail(err, WF_INVALID,
	    "'%.100s' is no object of a grant: expected everything, "
	    "namespace:NUMBER, process:IDENTIFIER or service:NAME",
	    text);
}

static enum wf_rc read_number(
    const char *text, uint64_t *number_out, struct wf_error *err)
{
	char *end;

	errno = 0;
	*number_out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 &&
	    *number_out >= 1 && *number_out <= UINT32_MAX)
		return WF_OK;
	return wf_fail(err, WF_INVALID,
	    "'%.100s' is no namespace: expected a number from 1 to %u", text,
	    UINT32_MAX);
}

/* text: what follows the verb and a blank. */
static enum wf_rc read_object(
    const char *text, struct wf_grant *grant, struct wf_error *err)
{
	const char *name = strchr(text, ':');

	if (strcmp(text, "everything") == 0) {
		grant->kind = WF_OBJECT_EVERYTHING;
		return WF_OK;
	}
	if (name == NULL)
		return fail_object(text, err);
	name++;
	if (strncmp(text, "namespace:", 10) == 0) {
		grant->kind = WF_OBJECT_NAMESPACE;
		return read_number(name, &grant->object[0], err);
	}
	if (strncmp(text, "process:", 8) == 0)
		grant->kind = WF_OBJECT_PROCESS;
	else if (strncmp(text, "service:", 8) == 0)
		grant->kind = WF_OBJECT_SERVICE;
	else
		return fail_object(text, err);
	if (name[0] == '\0' || strlen(name) > WF_OBJECT_BYTES)
		return wf_fail(err, WF_INVALID,
		    "expected a name of 1 to %u bytes behind '%.*s'",
		    WF_OBJECT_BYTES, (int)(name - text), text);
	hash_name(grant->kind, name, strlen(name), grant->object);
	return WF_OK;
}

static enum wf_rc read_grant(
    const char *text, struct wf_grant *grant, struct wf_error *err)
{
	size_t length = strcspn(text, " ");

	memset(grant, 0, sizeof(*grant));
	grant->verbs = verbs_of(text, length);
	if (grant->verbs == 0)
		return wf_fail(err, WF_INVALID,
		    "'%.*s' is neither a role (participant, reader, worker, "
		    "operator, admin) nor a verb such as start, work or load",
		    length > 100 ? 100 : (int)length, text);
	if (text[length] == '\0')
		return WF_OK;
	return read_object(text + length + 1, grant, err);
}

/* What is asked for a process, and for a service. */
#define OF_PROCESS                                                             \
	(WF_MAY(PARTICIPATE) | WF_MAY(READ) | WF_MAY(WORK) | WF_MAY(START) |   \
	    WF_MAY(SUSPEND) | WF_MAY(CANCEL) | WF_MAY(LOAD) |                  \
	    WF_MAY(OPERATE) | WF_MAY(ACT))
#define OF_SERVICE                                                             \
	(WF_MAY(READ) | WF_MAY(WORK) | WF_MAY(CANCEL) | WF_MAY(OPERATE) |      \
	    WF_MAY(ADMINISTER))

enum wf_rc wf_grant_check(const char *text, struct wf_error *err)
{
	struct wf_grant grant;
	char names[WF_VERBS_TEXT];
	enum wf_rc rc = read_grant(text, &grant, err);
	bool is_process = grant.kind == WF_OBJECT_PROCESS;
	uint32_t useful = is_process ? OF_PROCESS : OF_SERVICE;

	if (rc != WF_OK || (!is_process && grant.kind != WF_OBJECT_SERVICE) ||
	    (grant.verbs & useful) != 0)
		return rc;
	return wf_fail(err, WF_INVALID,
	    "'%.100s' would allow nothing: of one %s, rights are %s; %.*s is "
	    "for a namespace or everything",
	    text, is_process ? "process" : "service",
	    wf_verbs_text(useful, names), (int)strcspn(text, " "), text);
}

static bool is_same_object(const struct wf_grant *a, const struct wf_grant *b)
{
	return a->kind == b->kind && a->object[0] == b->object[0] &&
	       a->object[1] == b->object[1];
}

enum wf_rc wf_rights_add(
    struct wf_rights *rights, const char *text, struct wf_error *err)
{
	struct wf_grant grant;
	enum wf_rc rc = read_grant(text, &grant, err);

	if (rc != WF_OK)
		return rc;
	if (grant.kind == WF_OBJECT_HOME) {
		rights->home |= grant.verbs;
		return WF_OK;
	}
	if (grant.kind == WF_OBJECT_EVERYTHING) {
		rights->everything |= grant.verbs;
		return WF_OK;
	}
	wf_assert(rights->count <= WF_GRANTS);
	for (uint32_t i = 0; i < rights->count; i++)
		if (is_same_object(&rights->grants[i], &grant)) {
			rights->grants[i].verbs |= grant.verbs;
			return WF_OK;
		}
	if (rights->count == WF_GRANTS)
		return wf_fail(err, WF_LIMIT,
		    "grants on more than %u objects: use the whole namespace, "
		    "or another account",
		    WF_GRANTS);
	rights->grants[rights->count++] = grant;
	return WF_OK;
}

/* --- checks --------------------------------------------------------------- */

/* A name that is asked for; hashed when a grant needs it. */
struct name {
	enum wf_object_kind kind;
	const char *text; /* NULL: none */
	uint64_t hash[2];
	bool is_hashed;
};

static bool is_named(const struct wf_grant *grant, struct name *name)
{
	if (name->text == NULL || grant->kind != name->kind)
		return false;
	if (!name->is_hashed)
		hash_name(
		    name->kind, name->text, strlen(name->text), name->hash);
	name->is_hashed = true;
	return memcmp(grant->object, name->hash, sizeof(name->hash)) == 0;
}

bool wf_rights_allow(const struct wf_rights *rights, uint32_t home,
    uint32_t verbs, const struct wf_object *object)
{
	bool is_home = object->namespace_id == home;
	uint32_t allowed = rights->everything | (is_home ? rights->home : 0);
	struct name process = { WF_OBJECT_PROCESS,
		is_home ? object->process : NULL, { 0, 0 }, false };
	struct name service = { WF_OBJECT_SERVICE,
		is_home ? object->service : NULL, { 0, 0 }, false };

	wf_assert(rights->count <= WF_GRANTS);
	for (uint32_t i = 0; (allowed & verbs) == 0 && i < rights->count; i++) {
		const struct wf_grant *grant = &rights->grants[i];

		if ((grant->kind == WF_OBJECT_NAMESPACE &&
			grant->object[0] == object->namespace_id) ||
		    is_named(grant, &process) || is_named(grant, &service))
			allowed |= grant->verbs;
	}
	return (allowed & verbs) != 0;
}

bool wf_rights_allow_some(const struct wf_rights *rights, uint32_t home,
    uint32_t verbs, uint32_t namespace_id)
{
	const struct wf_object object = { .namespace_id = namespace_id };
	bool found = wf_rights_allow(rights, home, verbs, &object);

	for (uint32_t i = 0; namespace_id == home && i < rights->count; i++)
		found |= rights->grants[i].kind != WF_OBJECT_NAMESPACE &&
			 (rights->grants[i].verbs & verbs) != 0;
	return found;
}

/* Whether the rights have all the verbs on all of a namespace; 0: on all. */
static bool have_all(const struct wf_rights *rights, uint32_t home,
    uint32_t verbs, uint32_t namespace_id)
{
	uint32_t have = rights->everything;

	if (namespace_id != 0 && namespace_id == home)
		have |= rights->home;
	for (uint32_t i = 0; namespace_id != 0 && i < rights->count; i++)
		if (rights->grants[i].kind == WF_OBJECT_NAMESPACE &&
		    rights->grants[i].object[0] == namespace_id)
			have |= rights->grants[i].verbs;
	return (verbs & ~have) == 0;
}

/* Whether they have the verbs of a grant on one process or service. */
static bool have_named(const struct wf_rights *rights, uint32_t home,
    const struct wf_grant *grant, uint32_t grants_home)
{
	uint32_t missing = grant->verbs;

	for (uint32_t i = 0; grants_home == home && i < rights->count; i++)
		if (is_same_object(&rights->grants[i], grant))
			missing &= ~rights->grants[i].verbs;
	return have_all(rights, home, missing, grants_home);
}

bool wf_rights_cover(const struct wf_rights *rights, uint32_t home,
    const struct wf_rights *others, uint32_t others_home)
{
	bool good = have_all(rights, home, others->everything, 0) &&
		    have_all(rights, home, others->home, others_home);

	for (uint32_t i = 0; good && i < others->count; i++) {
		const struct wf_grant *grant = &others->grants[i];

		good = grant->kind == WF_OBJECT_NAMESPACE
			   ? have_all(rights, home, grant->verbs,
				 (uint32_t)grant->object[0])
			   : have_named(rights, home, grant, others_home);
	}
	return good;
}

bool wf_rights_are_equal(const struct wf_rights *a, const struct wf_rights *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}
