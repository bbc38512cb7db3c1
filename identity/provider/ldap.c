/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/provider/ldap.h"

#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "identity/provider/ldap_filter.h"

#ifdef HAVE_LDAP

#include <ldap.h>
#include <sys/time.h>

#include "base/map.h"
#include "base/panic.h"

#define FILTER_BYTES 8192U
#define DN_BYTES 4096U

/* A connection while a call lasts. */
struct session {
	const struct wf_ldap_settings *settings;
	struct wf_arena *arena; /* of the caller */
	LDAP *ldap;
	const char *attributes[6];
	struct wf_error *err;
};

/* --- settings ------------------------------------------------------------- */

static bool is_ldaps(const struct wf_ldap_settings *settings)
{
	return strncasecmp(settings->url, "ldaps://", 8) == 0;
}

enum wf_rc wf_ldap_check(
    const struct wf_ldap_settings *settings, struct wf_error *err)
{
	if (!is_ldaps(settings) &&
	    strncasecmp(settings->url, "ldap://", 7) != 0)
		return wf_fail(err, WF_INVALID,
		    "ldap-url: expected ldaps://HOST or ldap://HOST");
	if (settings->bases[0] == '\0')
		return wf_fail(err, WF_INVALID,
		    "ldap-base: expected the DN below which people are");
	if (!wf_ldap_filter_check(settings->filter, false))
		return wf_fail(err, WF_INVALID,
		    "ldap-filter: expected a filter with %%u, such as "
		    "(uid=%%u)");
	if (!wf_ldap_filter_check(settings->group_filter, true))
		return wf_fail(err, WF_INVALID,
		    "ldap-group-filter: expected a filter with %%d or %%u "
		    "once, such as (member=%%d)");
	if (settings->name[0] == '\0')
		return wf_fail(err, WF_INVALID,
		    "ldap-attributes: expected name=ATTRIBUTE");
	if (settings->bind[0] != '\0' && settings->password[0] == '\0')
		return wf_fail(err, WF_INVALID,
		    "ldap-password-file: expected a file with the password of "
		    "ldap-bind");
	return WF_OK;
}

/* --- connecting ----------------------------------------------------------- */

static enum wf_rc fail(struct session *session, const char *what, int code)
{
	return wf_fail(session->err, WF_UNAVAILABLE,
	    "the directory cannot be used: %s: %s", what,
	    ldap_err2string(code));
}

static bool set_options(struct session *session)
{
	const struct wf_ldap_settings *settings = session->settings;
	struct timeval timeout = {
		.tv_sec = settings->timeout_ms / 1000,
		.tv_usec = settings->timeout_ms % 1000 * 1000,
	};
	int version = LDAP_VERSION3;
	int never = LDAP_DEREF_NEVER;
	int demand = LDAP_OPT_X_TLS_DEMAND;
	int client = 0;
	LDAP *ldap = session->ldap;

	if (settings->ca[0] != '\0' &&
	    ldap_set_option(ldap, LDAP_OPT_X_TLS_CACERTFILE, settings->ca) != 0)
		return false;
	return ldap_set_option(ldap, LDAP_OPT_PROTOCOL_VERSION, &version) ==
		   0 &&
	       ldap_set_option(ldap, LDAP_OPT_REFERRALS, LDAP_OPT_OFF) == 0 &&
	       ldap_set_option(ldap, LDAP_OPT_RESTART, LDAP_OPT_OFF) == 0 &&
	       ldap_set_option(ldap, LDAP_OPT_DEREF, &never) == 0 &&
	       ldap_set_option(ldap, LDAP_OPT_NETWORK_TIMEOUT, &timeout) == 0 &&
	       ldap_set_option(ldap, LDAP_OPT_TIMEOUT, &timeout) == 0 &&
	       ldap_set_option(ldap, LDAP_OPT_X_TLS_REQUIRE_CERT, &demand) ==
		   0 &&
	       ldap_set_option(ldap, LDAP_OPT_X_TLS_NEWCTX, &client) == 0;
}

static int bind_as(LDAP *ldap, const char *dn, const char *password)
{
	struct berval secret = {
		.bv_len = strlen(password),
		.bv_val = (char *)(uintptr_t)password,
	};

	return ldap_sasl_bind_s(
	    ldap, dn, LDAP_SASL_SIMPLE, &secret, NULL, NULL, NULL);
}

static void close_session(struct session *session)
{
	if (session->ldap != NULL)
		ldap_unbind_ext_s(session->ldap, NULL, NULL);
	session->ldap = NULL;
}

static enum wf_rc open_session(struct session *session)
{
	const struct wf_ldap_settings *settings = session->settings;
	int code = ldap_initialize(&session->ldap, settings->url);

	if (code != LDAP_SUCCESS)
		return fail(session, "its address", code);
	if (!set_options(session))
		return fail(session, "its certificates", LDAP_PARAM_ERROR);
	if (!is_ldaps(settings) && !settings->plain) {
		code = ldap_start_tls_s(session->ldap, NULL, NULL);
		if (code != LDAP_SUCCESS)
			return fail(session, "StartTLS", code);
	}
	code = bind_as(session->ldap, settings->bind, settings->password);
	return code == LDAP_SUCCESS ? WF_OK
				    : fail(session, "the bind of Weft", code);
}

/* --- entries -------------------------------------------------------------- */

/* The first value, in the arena; "": none, or one that is no short text. */
static const char *get_text(
    struct session *session, LDAPMessage *entry, const char *attribute)
{
	struct berval **values =
	    attribute[0] == '\0'
		? NULL
		: ldap_get_values_len(session->ldap, entry, attribute);
	const char *text = "";

	if (values != NULL && values[0] != NULL &&
	    values[0]->bv_len <= WF_ORG_NAME_BYTES &&
	    memchr(values[0]->bv_val, '\0', values[0]->bv_len) == NULL)
		text = wf_arena_strndup(
		    session->arena, values[0]->bv_val, values[0]->bv_len);
	if (values != NULL)
		ldap_value_free_len(values);
	return text;
}

/* In the arena; "": it is too long to be used. */
static const char *get_dn(struct session *session, LDAPMessage *entry)
{
	char *dn = ldap_get_dn(session->ldap, entry);
	const char *copy = "";

	if (dn != NULL && strlen(dn) <= DN_BYTES)
		copy = wf_arena_strdup(session->arena, dn);
	ldap_memfree(dn);
	return copy;
}

static void add_group(
    struct session *session, struct wf_person *person, const char *name)
{
	if (name[0] == '\0' || person->group_count == WF_PERSON_GROUPS)
		return;
	person->groups = wf_arena_grow(session->arena, person->groups,
	    person->group_count, &person->group_room, sizeof(char *));
	person->groups[person->group_count++] = name;
}

/* The value of the first part of a DN: "cn=Clerks,dc=x" -> "Clerks". */
static const char *first_part(struct session *session, struct berval *text)
{
	const char *name = "";
	LDAPDN dn = NULL;

	if (ldap_bv2dn(text, &dn, LDAP_DN_FORMAT_LDAPV3) == LDAP_SUCCESS &&
	    dn != NULL && dn[0] != NULL && dn[0][0] != NULL) {
		const struct berval *value = &dn[0][0]->la_value;

		if (value->bv_len <= WF_ORG_NAME_BYTES &&
		    memchr(value->bv_val, '\0', value->bv_len) == NULL)
			name = wf_arena_strndup(
			    session->arena, value->bv_val, value->bv_len);
	}
	if (dn != NULL)
		ldap_dnfree(dn);
	return name;
}

static void add_member_of(
    struct session *session, LDAPMessage *entry, struct wf_person *person)
{
	struct berval **values =
	    ldap_get_values_len(session->ldap, entry, "memberOf");

	for (size_t i = 0; values != NULL && values[i] != NULL; i++)
		if (values[i]->bv_len <= DN_BYTES)
			add_group(
			    session, person, first_part(session, values[i]));
	if (values != NULL)
		ldap_value_free_len(values);
}

static void read_person(
    struct session *session, LDAPMessage *entry, struct wf_person *person)
{
	const struct wf_ldap_settings *settings = session->settings;

	memset(person, 0, sizeof(*person));
	person->name = get_text(session, entry, settings->name);
	person->subject = get_dn(session, entry);
	person->first_name = get_text(session, entry, settings->first_name);
	person->last_name = get_text(session, entry, settings->last_name);
	person->mail = get_text(session, entry, settings->mail);
	if (settings->group_base[0] == '\0')
		add_member_of(session, entry, person);
}

/* Whether an account and a bind can have what was read. */
static bool is_usable(const struct wf_person *person)
{
	size_t length = strspn(person->name,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_.@-");

	return length > 0 && length <= WF_ACCOUNT_NAME_BYTES &&
	       person->name[length] == '\0' && person->subject[0] != '\0';
}

/* --- searches ------------------------------------------------------------- */

/* What is done with each entry; false ends the search. */
typedef bool (*entry_f)(
    struct session *session, LDAPMessage *entry, void *context);

struct search {
	const char *base;
	const char *filter;
	const char *const *attributes; /* NULL behind the last */
	int maximum;		       /* entries; 0: read in pages */
	entry_f take;
	void *context;
};

static int ask(struct session *session, const struct search *search,
    LDAPControl *page, LDAPMessage **answer_out)
{
	const struct wf_ldap_settings *settings = session->settings;
	LDAPControl *controls[] = { page, NULL };
	struct timeval timeout = {
		.tv_sec = settings->timeout_ms / 1000,
		.tv_usec = settings->timeout_ms % 1000 * 1000,
	};

	return ldap_search_ext_s(session->ldap, search->base,
	    LDAP_SCOPE_SUBTREE, search->filter,
	    (char **)(uintptr_t)search->attributes, 0,
	    page == NULL ? NULL : controls, NULL, &timeout, search->maximum,
	    answer_out);
}

static bool take_all(
    struct session *session, const struct search *search, LDAPMessage *answer)
{
	LDAPMessage *entry = ldap_first_entry(session->ldap, answer);

	while (entry != NULL) {
		if (!search->take(session, entry, search->context))
			return false;
		entry = ldap_next_entry(session->ldap, entry);
	}
	return true;
}

static enum wf_rc search_once(
    struct session *session, const struct search *search)
{
	LDAPMessage *answer = NULL;
	int code = ask(session, search, NULL, &answer);
	enum wf_rc rc = WF_OK;

	if (code == LDAP_SUCCESS || code == LDAP_SIZELIMIT_EXCEEDED)
		(void)take_all(session, search, answer);
	else
		rc = fail(session, "a search", code);
	ldap_msgfree(answer);
	return rc;
}

/* The next page begins where the cookie says; empty: there is none. */
static int read_cookie(
    struct session *session, LDAPMessage *answer, struct berval *cookie)
{
	LDAPControl **controls = NULL;
	LDAPControl *page;
	ber_int_t estimate;
	int code = ldap_parse_result(
	    session->ldap, answer, NULL, NULL, NULL, NULL, &controls, 0);

	ber_memfree(cookie->bv_val);
	*cookie = (struct berval){ .bv_len = 0 };
	page =
	    code == LDAP_SUCCESS
		? ldap_control_find(LDAP_CONTROL_PAGEDRESULTS, controls, NULL)
		: NULL;
	if (page != NULL)
		code = ldap_parse_pageresponse_control(
		    session->ldap, page, &estimate, cookie);
	ldap_controls_free(controls);
	return code;
}

static enum wf_rc search_page(struct session *session,
    const struct search *search, struct berval *cookie, bool *more_out)
{
	LDAPMessage *answer = NULL;
	LDAPControl *page = NULL;
	int code = ldap_create_page_control(
	    session->ldap, WF_LDAP_PAGE, cookie, 0, &page);

	if (code == LDAP_SUCCESS)
		code = ask(session, search, page, &answer);
	*more_out = code == LDAP_SUCCESS && take_all(session, search, answer);
	if (code == LDAP_SUCCESS)
		code = read_cookie(session, answer, cookie);
	*more_out = *more_out && cookie->bv_len > 0;
	ldap_msgfree(answer);
	if (page != NULL)
		ldap_control_free(page);
	return code == LDAP_SUCCESS ? WF_OK : fail(session, "a search", code);
}

static enum wf_rc search_pages(
    struct session *session, const struct search *search)
{
	struct berval cookie = { .bv_len = 0 };
	bool more = true;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && more)
		rc = search_page(session, search, &cookie, &more);
	ber_memfree(cookie.bv_val);
	return rc;
}

/* The search in each base of the settings. */
static enum wf_rc search_bases(struct session *session, struct search *search)
{
	const char *bases = session->settings->bases;
	enum wf_rc rc = WF_OK;

	for (unsigned i = 0; rc == WF_OK && i < WF_LDAP_BASES && *bases != '\0';
	     i++) {
		size_t length = strcspn(bases, ";");

		search->base = wf_arena_strndup(session->arena,
		    bases + strspn(bases, " "), length - strspn(bases, " "));
		wf_assert(search->filter != NULL && search->take != NULL);
		rc = search->maximum > 0 ? search_once(session, search)
					 : search_pages(session, search);
		bases += length + (bases[length] == ';');
	}
	return rc;
}

static const char *make_filter(struct session *session, const char *pattern,
    const char *name, const char *dn)
{
	struct wf_buffer filter;
	const char *text = NULL;

	wf_buffer_init(&filter, FILTER_BYTES);
	wf_ldap_filter_put(&filter, pattern, name, dn);
	if (!filter.full)
		text = wf_arena_strdup(session->arena, wf_buffer_text(&filter));
	wf_buffer_free(&filter);
	return text;
}

/* --- sign-in -------------------------------------------------------------- */

struct found_person {
	struct wf_person *person;
	unsigned count;
};

static bool take_person(
    struct session *session, LDAPMessage *entry, void *context)
{
	struct found_person *found = context;

	if (found->count++ == 0)
		read_person(session, entry, found->person);
	return found->count < 2;
}

static bool take_group(
    struct session *session, LDAPMessage *entry, void *context)
{
	struct wf_person *person = context;

	add_group(session, person,
	    get_text(session, entry, session->settings->group_name));
	return person->group_count < WF_PERSON_GROUPS;
}

static enum wf_rc find_groups(struct session *session, struct wf_person *person)
{
	const struct wf_ldap_settings *settings = session->settings;
	const char *attributes[] = { settings->group_name, NULL };
	struct search search = { .base = settings->group_base,
		.attributes = attributes,
		.maximum = WF_PERSON_GROUPS,
		.take = take_group,
		.context = person };

	if (settings->group_base[0] == '\0')
		return WF_OK;
	search.filter = make_filter(
	    session, settings->group_filter, person->name, person->subject);
	if (search.filter == NULL)
		return wf_fail(session->err, WF_UNAVAILABLE,
		    "the DN of %.64s is too long", person->name);
	return search_once(session, &search);
}

static enum wf_rc find_person(
    struct session *session, const char *name, struct wf_person *person)
{
	struct found_person found = { .person = person };
	struct search search = { .attributes = session->attributes,
		.maximum = 2,
		.take = take_person,
		.context = &found };
	enum wf_rc rc;

	search.filter =
	    make_filter(session, session->settings->filter, name, NULL);
	if (search.filter == NULL)
		return wf_fail(session->err, WF_NOT_FOUND, "no such name");
	rc = search_bases(session, &search);
	/* Two people with one name: neither can be meant. */
	if (rc == WF_OK && (found.count != 1 || !is_usable(person)))
		rc = wf_fail(session->err, WF_NOT_FOUND, "no such name");
	return rc;
}

/* What a directory answers when the password is wrong or may not be used. */
static bool is_refusal(int code)
{
	return code == LDAP_INVALID_CREDENTIALS ||
	       code == LDAP_INAPPROPRIATE_AUTH || code == LDAP_NO_SUCH_OBJECT ||
	       code == LDAP_INSUFFICIENT_ACCESS ||
	       code == LDAP_UNWILLING_TO_PERFORM ||
	       code == LDAP_CONSTRAINT_VIOLATION;
}

static enum wf_rc prove(struct session *session, const struct wf_person *person,
    const char *password)
{
	int code;

	/* Either would be a bind without a name, which is no proof. */
	wf_assert(password[0] != '\0' && person->subject[0] != '\0');
	code = bind_as(session->ldap, person->subject, password);
	if (code == LDAP_SUCCESS)
		return WF_OK;
	if (is_refusal(code))
		return wf_fail(
		    session->err, WF_NOT_FOUND, "the password is wrong");
	return fail(session, "the bind of the user", code);
}

static void name_attributes(struct session *session)
{
	const struct wf_ldap_settings *settings = session->settings;
	const char *const names[] = { settings->name, settings->first_name,
		settings->last_name, settings->mail, "memberOf" };
	size_t count = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][0] != '\0')
			session->attributes[count++] = names[i];
	wf_assert(count <
		  sizeof(session->attributes) / sizeof(session->attributes[0]));
}

enum wf_rc wf_ldap_sign_in(const struct wf_ldap_settings *settings,
    const char *name, const char *password, struct wf_arena *arena,
    struct wf_person *person_out, struct wf_error *err)
{
	struct session session = {
		.settings = settings, .arena = arena, .err = err
	};
	enum wf_rc rc;

	memset(person_out, 0, sizeof(*person_out));
	wf_assert(settings->timeout_ms > 0);
	if (name[0] == '\0' || password[0] == '\0')
		return wf_fail(err, WF_NOT_FOUND, "no name or no password");
	name_attributes(&session);
	rc = open_session(&session);
	if (rc == WF_OK)
		rc = find_person(&session, name, person_out);
	if (rc == WF_OK)
		rc = find_groups(&session, person_out);
	if (rc == WF_OK)
		rc = prove(&session, person_out, password);
	close_session(&session);
	return rc;
}

/* --- the list ------------------------------------------------------------- */

struct listing {
	struct wf_person *people;
	size_t count;
	size_t room;
	size_t groups;	       /* that were read */
	struct wf_map *by_key; /* DNs and names, as groups name their members */
	bool full;
};

/*
 * DNs are compared without regard to case and to blanks around commas.  The
 * caller frees the key.
 */
static char *make_key(const char *dn, size_t length)
{
	char *text = wf_strndup(dn, length);
	char *normal = NULL;
	char *key = text;

	if (ldap_dn_normalize(text, LDAP_DN_FORMAT_LDAPV3, &normal,
		LDAP_DN_FORMAT_LDAPV3) == LDAP_SUCCESS &&
	    normal != NULL) {
		key = wf_strdup(normal);
		wf_free(text);
	}
	ldap_memfree(normal);
	for (char *at = key; *at != '\0'; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at - 'A' + 'a');
	return key;
}

static bool take_listed(
    struct session *session, LDAPMessage *entry, void *context)
{
	struct listing *listing = context;
	struct wf_person person;

	read_person(session, entry, &person);
	if (!is_usable(&person))
		return true;
	listing->full = listing->count == session->settings->maximum;
	if (listing->full)
		return false;
	listing->people = wf_arena_grow(session->arena, listing->people,
	    listing->count, &listing->room, sizeof(person));
	listing->people[listing->count++] = person;
	return true;
}

/* Values of the attribute that the filter of groups compares. */
static const char *member_attribute(struct session *session)
{
	const char *filter = session->settings->group_filter;
	const char *value = strstr(filter, "=%d");
	const char *begin;

	if (value == NULL)
		value = strstr(filter, "=%u");
	if (value == NULL)
		return "member";
	for (begin = value; begin > filter && begin[-1] != '('; begin--)
		continue;
	return wf_arena_strndup(session->arena, begin, strcspn(begin, ":="));
}

struct membership {
	struct listing *listing;
	const char *attribute;
};

static bool take_members(
    struct session *session, LDAPMessage *entry, void *context)
{
	struct membership *membership = context;
	struct listing *listing = membership->listing;
	const char *name =
	    get_text(session, entry, session->settings->group_name);
	struct berval **values =
	    ldap_get_values_len(session->ldap, entry, membership->attribute);

	for (size_t i = 0; values != NULL && values[i] != NULL; i++) {
		const uint32_t *number;
		char *key;

		if (values[i]->bv_len > DN_BYTES)
			continue;
		key = make_key(values[i]->bv_val, values[i]->bv_len);
		number = wf_map_get(listing->by_key, key);
		wf_assert(number == NULL || *number < listing->count);
		if (number != NULL)
			add_group(session, &listing->people[*number], name);
		wf_free(key);
	}
	if (values != NULL)
		ldap_value_free_len(values);
	listing->full = ++listing->groups > session->settings->maximum;
	return !listing->full;
}

static void index_people(struct session *session, struct listing *listing)
{
	bool by_name = strstr(session->settings->group_filter, "%u") != NULL;

	for (size_t i = 0; i < listing->count; i++) {
		const struct wf_person *person = &listing->people[i];
		const char *text = by_name ? person->name : person->subject;
		uint32_t *number =
		    wf_arena_alloc(session->arena, sizeof(*number));
		char *key = make_key(text, strlen(text));

		*number = (uint32_t)i;
		(void)wf_map_add(listing->by_key, key, number);
		wf_free(key);
	}
}

static enum wf_rc list_groups(struct session *session, struct listing *listing)
{
	const struct wf_ldap_settings *settings = session->settings;
	struct membership membership = { listing, member_attribute(session) };
	const char *attributes[] = { settings->group_name, membership.attribute,
		NULL };
	struct search search = { .base = settings->group_base,
		.attributes = attributes,
		.take = take_members,
		.context = &membership };
	enum wf_rc rc;

	if (settings->group_base[0] == '\0')
		return WF_OK;
	listing->by_key = wf_map_new();
	index_people(session, listing);
	search.filter =
	    make_filter(session, settings->group_filter, NULL, NULL);
	wf_assert(search.filter != NULL);
	rc = search_pages(session, &search);
	wf_map_free(&listing->by_key);
	return rc;
}

enum wf_rc wf_ldap_list(const struct wf_ldap_settings *settings,
    struct wf_arena *arena, struct wf_person **people_out, size_t *count_out,
    struct wf_error *err)
{
	struct session session = {
		.settings = settings, .arena = arena, .err = err
	};
	struct listing listing = { .count = 0 };
	struct search search = { .attributes = session.attributes,
		.take = take_listed,
		.context = &listing };
	enum wf_rc rc;

	*people_out = NULL;
	*count_out = 0;
	name_attributes(&session);
	search.filter = make_filter(&session, settings->filter, NULL, NULL);
	rc = search.filter == NULL
		 ? wf_fail(err, WF_INVALID, "ldap-filter: it is too long")
		 : open_session(&session);
	wf_assert(settings->maximum > 0);
	if (rc == WF_OK)
		rc = search_bases(&session, &search);
	if (rc == WF_OK && !listing.full)
		rc = list_groups(&session, &listing);
	close_session(&session);
	if (rc == WF_OK && listing.full)
		rc = wf_fail(err, WF_LIMIT,
		    "the directory has more than %u people or groups "
		    "(--ldap-size)",
		    settings->maximum);
	if (rc != WF_OK)
		return rc;
	*people_out = listing.people;
	*count_out = listing.count;
	return WF_OK;
}

#else /* without libldap */

enum wf_rc wf_ldap_check(
    const struct wf_ldap_settings *settings, struct wf_error *err)
{
	(void)settings;
	return wf_fail(
	    err, WF_UNSUPPORTED, "ldap-url: Weft was built without libldap");
}

enum wf_rc wf_ldap_sign_in(const struct wf_ldap_settings *settings,
    const char *name, const char *password, struct wf_arena *arena,
    struct wf_person *person_out, struct wf_error *err)
{
	(void)settings;
	(void)name;
	(void)password;
	(void)arena;
	memset(person_out, 0, sizeof(*person_out));
	return wf_fail(err, WF_UNSUPPORTED, "Weft was built without libldap");
}

enum wf_rc wf_ldap_list(const struct wf_ldap_settings *settings,
    struct wf_arena *arena, struct wf_person **people_out, size_t *count_out,
    struct wf_error *err)
{
	(void)settings;
	(void)arena;
	*people_out = NULL;
	*count_out = 0;
	return wf_fail(err, WF_UNSUPPORTED, "Weft was built without libldap");
}

#endif
