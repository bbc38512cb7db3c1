/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory: sign-ins with it, and the thread that brings its people up to
 * date.
 *
 *   UP ──no answer──► DOWN, not asked for 5 s ──► tried once ──► UP, or DOWN
 *
 * So a directory that is dead costs a time-out each few seconds, not one for
 * each sign-in.
 */
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/federation/federation_priv.h"

#define DOWN_MS 5000

static const struct wf_external *external_of(
    const struct wf_federation *federation, struct wf_external *external)
{
	*external = (struct wf_external){ WF_SOURCE_DIRECTORY, "",
		&federation->settings.ldap_roles,
		&federation->settings.ldap_grants };
	return external;
}

bool wf_federation_has_directory(const struct wf_federation *federation)
{
	return federation != NULL && federation->settings.ldap.url[0] != '\0';
}

int64_t wf_federation_cache_ms(const struct wf_federation *federation)
{
	return federation->settings.ldap_cache_ms;
}

/* --- whether it answers --------------------------------------------------- */

static enum wf_rc check_up(
    struct wf_federation *federation, struct wf_error *err)
{
	bool down;

	if (atomic_load(&federation->stop))
		return wf_fail(err, WF_UNAVAILABLE, "the server is ending");
	pthread_mutex_lock(&federation->lock);
	down = wf_monotonic_ms() < federation->down_until;
	pthread_mutex_unlock(&federation->lock);
	if (down)
		return wf_fail(err, WF_UNAVAILABLE,
		    "the directory did not answer a moment ago: try again in "
		    "some seconds");
	return WF_OK;
}

static void set_up(
    struct wf_federation *federation, enum wf_rc rc, const struct wf_error *err)
{
	bool is_down = rc == WF_UNAVAILABLE;

	pthread_mutex_lock(&federation->lock);
	federation->down_until = is_down ? wf_monotonic_ms() + DOWN_MS : 0;
	pthread_mutex_unlock(&federation->lock);
	if (atomic_exchange(&federation->is_down, is_down) == is_down)
		return;
	wf_federation_report(federation,
	    &(struct wf_federation_notice){
		.event = is_down ? "directory_fails" : "directory_works",
		.is_fault = is_down,
		.text = is_down ? err->message : NULL });
}

/* --- sign-in -------------------------------------------------------------- */

static enum wf_rc sign_in(struct wf_federation *federation, const char *name,
    const char *password, struct wf_arena *arena, struct wf_person *person,
    struct wf_error *err)
{
	struct wf_external external;
	struct wf_error mine = { .rc = WF_OK };
	enum wf_rc rc = check_up(federation, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_ldap_sign_in(
	    &federation->settings.ldap, name, password, arena, person, &mine);
	set_up(federation, rc, &mine);
	/* The reason names the directory: it is for the log only. */
	if (rc == WF_UNAVAILABLE)
		return wf_fail(
		    err, rc, "the directory does not answer: try again later");
	if (rc != WF_OK)
		return wf_fail(err, rc, "%s", mine.message);
	return wf_external_put(
	    federation, external_of(federation, &external), person, err);
}

enum wf_rc wf_federation_sign_in(struct wf_federation *federation,
    const char *name, const char *password,
    char account_out[WF_ACCOUNT_NAME_BYTES + 1], struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_person person;
	enum wf_rc rc;

	wf_assert(wf_federation_has_directory(federation));
	/* To a directory it is a bind without a name, which succeeds. */
	if (name[0] == '\0' || password[0] == '\0')
		return wf_fail(err, WF_NOT_FOUND, "no name or no password");
	arena = wf_arena_new();
	rc = sign_in(federation, name, password, arena, &person, err);
	if (rc == WF_OK) {
		wf_assert(strlen(person.name) <= WF_ACCOUNT_NAME_BYTES);
		strcpy(account_out, person.name);
	}
	wf_arena_free(&arena);
	atomic_fetch_add(rc == WF_OK		? &federation->passed
			 : rc == WF_UNAVAILABLE ? &federation->failed
						: &federation->refused,
	    1);
	return rc;
}

/* --- the thread ----------------------------------------------------------- */

static enum wf_rc refresh(struct wf_federation *federation,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_external external;
	struct wf_person *people;
	size_t count;
	enum wf_rc rc = wf_ldap_list(
	    &federation->settings.ldap, arena, &people, &count, err);

	set_up(federation, rc, err);
	/* More likely somebody may not read any more than all have left. */
	if (rc == WF_OK && count == 0)
		rc = wf_fail(err, WF_NOT_FOUND,
		    "the directory lists nobody: nothing is changed");
	if (rc != WF_OK)
		return rc;
	atomic_fetch_add(&federation->refreshes, 1);
	return wf_external_put_all(
	    federation, external_of(federation, &external), people, count, err);
}

static void refresh_once(struct wf_federation *federation)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = refresh(federation, arena, &err);

	/* That it does not answer is reported already. */
	if (rc != WF_OK && rc != WF_UNAVAILABLE)
		wf_federation_report(
		    federation, &(struct wf_federation_notice){
				    .event = "directory_not_read",
				    .is_fault = true,
				    .text = err.message });
	wf_arena_free(&arena);
}

static void *run(void *argument)
{
	struct wf_federation *federation = argument;

	pthread_mutex_lock(&federation->lock);
	while (!atomic_load(&federation->stop)) {
		int64_t next =
		    wf_monotonic_ms() + federation->settings.ldap_refresh_ms;

		pthread_mutex_unlock(&federation->lock);
		refresh_once(federation);
		pthread_mutex_lock(&federation->lock);
		while (
		    !atomic_load(&federation->stop) && wf_monotonic_ms() < next)
			(void)wf_wait_until(
			    &federation->wake, &federation->lock, next);
	}
	pthread_mutex_unlock(&federation->lock);
	return NULL;
}

enum wf_rc wf_directory_start(
    struct wf_federation *federation, struct wf_error *err)
{
	if (!wf_federation_has_directory(federation) ||
	    federation->settings.ldap_refresh_ms == 0)
		return WF_OK;
	wf_assert(federation->engine != NULL && !federation->has_thread);
	if (pthread_create(&federation->thread, NULL, run, federation) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	federation->has_thread = true;
	return WF_OK;
}

void wf_directory_stop(struct wf_federation *federation)
{
	pthread_mutex_lock(&federation->lock);
	atomic_store(&federation->stop, true);
	pthread_cond_signal(&federation->wake);
	pthread_mutex_unlock(&federation->lock);
	if (federation->has_thread)
		pthread_join(federation->thread, NULL);
	federation->has_thread = false;
}

/* --- settings ------------------------------------------------------------- */

/* "name=uid first-name=givenName ..": those that are not said are not read. */
static enum wf_rc read_attributes(
    struct wf_federation *federation, struct wf_error *err)
{
	struct wf_ldap_settings *ldap = &federation->settings.ldap;
	const struct {
		const char *key;
		const char **member;
	} rows[] = {
		{ "name", &ldap->name },
		{ "first-name", &ldap->first_name },
		{ "last-name", &ldap->last_name },
		{ "mail", &ldap->mail },
		{ "group", &ldap->group_name },
	};
	const char *text = federation->settings.ldap_attributes;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		*rows[i].member = "";
	while (*(text += strspn(text, " ")) != '\0') {
		size_t length = strcspn(text, " ");
		const char *equals = memchr(text, '=', length);
		size_t i = 0;

		while (equals != NULL && i < sizeof(rows) / sizeof(rows[0]) &&
		       (strlen(rows[i].key) != (size_t)(equals - text) ||
			   strncmp(rows[i].key, text,
			       (size_t)(equals - text)) != 0))
			i++;
		if (equals == NULL || i == sizeof(rows) / sizeof(rows[0]))
			return wf_fail(err, WF_INVALID,
			    "ldap-attributes: expected name, first-name, "
			    "last-name, mail or group, = and an attribute, not "
			    "\"%.*s\"",
			    (int)(length > 60 ? 60 : length), text);
		*rows[i].member = wf_arena_strndup(federation->arena,
		    equals + 1, length - (size_t)(equals + 1 - text));
		text += length;
	}
	return WF_OK;
}

enum wf_rc wf_directory_open(
    struct wf_federation *federation, struct wf_error *err)
{
	struct wf_ldap_settings *ldap = &federation->settings.ldap;
	enum wf_rc rc;

	if (!wf_federation_has_directory(federation))
		return WF_OK;
	rc = read_attributes(federation, err);
	if (rc == WF_OK)
		rc = wf_ldap_check(ldap, err);
	if (rc == WF_OK && ldap->group_base[0] != '\0' &&
	    ldap->group_name[0] == '\0')
		rc = wf_fail(err, WF_INVALID,
		    "ldap-attributes: expected group=ATTRIBUTE, the name of "
		    "groups");
	if (rc == WF_OK)
		rc = wf_external_check_grants(
		    "ldap-grants", &federation->settings.ldap_grants, err);
	return rc;
}
