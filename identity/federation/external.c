/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People of a directory or provider as accounts and participants.
 *
 * A participant keeps the roles that the map of groups does not name: those are
 * given here.  A participant that a directory or provider brought has an id
 * that says so.
 */
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "identity/federation/federation_priv.h"
#include "worklist/org_edit.h"

#define ID_PREFIX "PA-external-"
#define EVERYBODY "participant"

/* --- the account ---------------------------------------------------------- */

static bool has_text(const struct wf_grant_texts *texts, const char *text)
{
	for (size_t i = 0; i < texts->count; i++)
		if (strcmp(texts->texts[i], text) == 0)
			return true;
	return false;
}

/* What the groups of the person give, in the order of the map. */
static struct wf_grant_texts find_grants(const struct wf_external *external,
    const struct wf_person *person, struct wf_arena *arena)
{
	struct wf_grant_texts grants = { .count = 1 };

	grants.texts = wf_arena_array(arena, WF_GRANTS, sizeof(char *));
	grants.texts[0] = EVERYBODY;
	for (size_t i = 0; i < external->grants->count; i++)
		for (size_t j = 0; j < person->group_count; j++) {
			const char *grant =
			    wf_group_rule_gives(&external->grants->rules[i],
				external->issuer, person->groups[j]);

			if (grant == NULL || grants.count == WF_GRANTS ||
			    has_text(&grants, grant))
				continue;
			grants.texts[grants.count++] = grant;
		}
	wf_assert(grants.count <= WF_GRANTS);
	return grants;
}

enum wf_rc wf_external_check_grants(const char *setting,
    const struct wf_group_map *grants, struct wf_error *err)
{
	for (size_t i = 0; i < grants->count; i++) {
		struct wf_error mine = { .rc = WF_OK };
		struct wf_rights rights = { .count = 0 };

		/* Groups of any name would be grants. */
		if (strcmp(grants->rules[i].gives, "*") == 0)
			return wf_fail(err, WF_INVALID,
			    "%s: *=* is only for roles", setting);
		if (wf_rights_add(&rights, grants->rules[i].gives, &mine) !=
		    WF_OK)
			return wf_fail(
			    err, WF_INVALID, "%s: %s", setting, mine.message);
	}
	return WF_OK;
}

static enum wf_rc put_account(struct wf_store *store,
    const struct wf_external *external, const struct wf_person *person,
    struct wf_arena *arena, struct wf_error *err)
{
	const struct wf_account_row account = { .name = person->name,
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.grants = find_grants(external, person, arena),
		.source = external->source,
		.subject = person->subject };

	return wf_account_put_external(store, &account, err);
}

/* --- the participant ------------------------------------------------------ */

struct taking {
	const struct wf_external *external;
	const struct wf_person *people;
	size_t count;
	/* Of all people of a directory; NULL: of one person. */
	struct wf_map *names;  /* of these people */
	struct wf_map *gone;   /* users who have vanished */
	struct wf_map *others; /* users whose accounts have another source */
	const uint64_t *kept;  /* roles that the map gives and takes */
};

/* By its id, else by its name. */
static uint32_t find_role(
    const struct wf_organisation *organisation, const char *role)
{
	uint32_t number = wf_org_find(organisation, WF_ORG_ROLE, role);

	return number != WF_ORG_NOBODY
		   ? number
		   : wf_org_find_name(organisation, WF_ORG_ROLE, role);
}

/* The roles that the groups of the person give. */
static uint64_t *find_given(const struct wf_external *external,
    const struct wf_organisation *organisation, const struct wf_person *person,
    struct wf_arena *arena)
{
	size_t count = wf_org_count(organisation, WF_ORG_ROLE);
	uint64_t *given =
	    wf_arena_array(arena, wf_bitset_words(count) + 1, sizeof(uint64_t));

	for (size_t i = 0; i < external->roles->count; i++)
		for (size_t j = 0; j < person->group_count; j++) {
			const char *name =
			    wf_group_rule_gives(&external->roles->rules[i],
				external->issuer, person->groups[j]);
			uint32_t role = name == NULL
					    ? WF_ORG_NOBODY
					    : find_role(organisation, name);

			if (role != WF_ORG_NOBODY)
				wf_bitset_add(given, role);
		}
	return given;
}

/* The roles of which the map decides who has them. */
static uint64_t *find_kept(const struct wf_external *external,
    const struct wf_organisation *organisation, struct wf_arena *arena)
{
	size_t count = wf_org_count(organisation, WF_ORG_ROLE);
	uint64_t *kept =
	    wf_arena_array(arena, wf_bitset_words(count) + 1, sizeof(uint64_t));

	for (size_t i = 0; i < external->roles->count; i++) {
		const char *name = external->roles->rules[i].gives;
		bool is_any = strcmp(name, "*") == 0;
		uint32_t role =
		    is_any ? WF_ORG_NOBODY : find_role(organisation, name);

		if (role != WF_ORG_NOBODY)
			wf_bitset_add(kept, role);
		for (uint32_t j = 0; is_any && j < count; j++)
			wf_bitset_add(kept, j);
	}
	return kept;
}

static void put_roles(const struct taking *taking,
    const struct wf_organisation *organisation, const struct wf_person *person,
    struct wf_arena *arena, struct wf_participant *participant)
{
	const uint64_t *given =
	    find_given(taking->external, organisation, person, arena);
	size_t count = wf_org_count(organisation, WF_ORG_ROLE);
	struct wf_texts roles = { NULL, 0 };

	for (size_t i = 0; i < participant->roles.count; i++) {
		const char *id = participant->roles.rows[i];
		uint32_t role = wf_org_find(organisation, WF_ORG_ROLE, id);

		if (role != WF_ORG_NOBODY &&
		    (!wf_bitset_has(taking->kept, role) ||
			wf_bitset_has(given, role)))
			wf_org_texts_add(arena, &roles, id);
	}
	for (uint32_t role = 0; role < count; role++) {
		const char *id = wf_org_at(organisation, WF_ORG_ROLE, role)->id;

		if (wf_bitset_has(given, role) &&
		    !wf_org_texts_have(&roles, id) &&
		    roles.count < WF_ORG_LINKS_COUNT)
			wf_org_texts_add(arena, &roles, id);
	}
	participant->roles = roles;
}

static void put_text(const char **member, const char *text)
{
	if (text != NULL && text[0] != '\0')
		*member = text;
}

static void put_facts(
    struct wf_participant *participant, const struct wf_person *person)
{
	put_text(&participant->user, person->name);
	put_text(&participant->first_name, person->first_name);
	put_text(&participant->last_name, person->last_name);
	put_text(&participant->email, person->mail);
}

static void add_change(struct wf_org_changes *changes,
    const struct wf_organisation *organisation, struct wf_org_record *record,
    const struct wf_org_record *old)
{
	struct wf_org_change change = { record->kind, record->id, record };

	/* What the organisation cannot have stays as it was. */
	if ((old != NULL && wf_org_record_equal(record, old)) ||
	    wf_organisation_check(organisation, &change, NULL) != WF_OK)
		return;
	changes->rows[changes->count++] = change;
}

static void take_person(const struct taking *taking,
    const struct wf_organisation *organisation, const struct wf_person *person,
    struct wf_arena *arena, struct wf_org_changes *changes)
{
	uint32_t number =
	    wf_org_find_name(organisation, WF_ORG_PARTICIPANT, person->name);
	const struct wf_org_record *old =
	    number == WF_ORG_NOBODY
		? NULL
		: wf_org_at(organisation, WF_ORG_PARTICIPANT, number);
	struct wf_org_record *record =
	    old != NULL
		? wf_org_record_copy(arena, old)
		: wf_org_record_new(arena, WF_ORG_PARTICIPANT,
		      wf_arena_printf(arena, ID_PREFIX "%s", person->name));

	put_facts((struct wf_participant *)record, person);
	put_roles(taking, organisation, person, arena,
	    (struct wf_participant *)record);
	add_change(changes, organisation, record, old);
}

/* Whether the participant is that of an account of somebody else. */
static bool is_other(const struct taking *taking, const char *user)
{
	return taking->others != NULL &&
	       wf_map_get(taking->others, user) != NULL;
}

static bool is_gone(
    const struct taking *taking, const struct wf_participant *participant)
{
	bool is_external =
	    strncmp(participant->record.id, ID_PREFIX, strlen(ID_PREFIX)) == 0;

	return wf_map_get(taking->gone, participant->user) != NULL ||
	       (is_external && !is_other(taking, participant->user) &&
		   wf_map_get(taking->names, participant->user) == NULL);
}

/* Nobody is offered work any more through a role. */
static void drop_gone(const struct taking *taking,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes)
{
	size_t count = wf_org_count(organisation, WF_ORG_PARTICIPANT);

	for (uint32_t i = 0; i < count; i++) {
		const struct wf_org_record *old =
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, i);
		const struct wf_participant *participant =
		    (const struct wf_participant *)old;
		struct wf_org_record *record;

		if (participant->roles.count == 0 ||
		    !is_gone(taking, participant))
			continue;
		record = wf_org_record_copy(arena, old);
		((struct wf_participant *)record)->roles =
		    (struct wf_texts){ NULL, 0 };
		add_change(changes, organisation, record, old);
	}
}

static enum wf_rc decide(void *context,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes_out, struct wf_error *err)
{
	struct taking *taking = context;
	size_t most =
	    taking->count + wf_org_count(organisation, WF_ORG_PARTICIPANT);

	(void)err;
	taking->kept = find_kept(taking->external, organisation, arena);
	changes_out->count = 0;
	changes_out->rows =
	    wf_arena_array(arena, most, sizeof(*changes_out->rows));
	for (size_t i = 0; i < taking->count; i++)
		if (!is_other(taking, taking->people[i].name))
			take_person(taking, organisation, &taking->people[i],
			    arena, changes_out);
	if (taking->names != NULL)
		drop_gone(taking, organisation, arena, changes_out);
	wf_assert(changes_out->count <= most);
	return WF_OK;
}

/* --- one person ----------------------------------------------------------- */

static enum wf_rc put_person(struct wf_federation *federation,
    const struct wf_external *external, const struct wf_person *person,
    struct wf_error *err)
{
	struct taking taking = {
		.external = external, .people = person, .count = 1
	};
	struct wf_arena *arena;
	struct wf_store *store;
	enum wf_rc rc;

	wf_assert(federation->engine != NULL && external->source[0] != '\0');
	rc = wf_engine_borrow(federation->engine, &store, err);
	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	rc = put_account(store, external, person, arena, err);
	if (rc == WF_OK)
		rc = wf_org_edit(federation->organisation, store, decide,
		    &taking, NULL, err);
	if (rc == WF_OK)
		rc = wf_accounts_refresh(federation->accounts, store, err);
	wf_arena_free(&arena);
	wf_engine_give_back(federation->engine, store);
	return rc;
}

enum wf_rc wf_external_put(struct wf_federation *federation,
    const struct wf_external *external, const struct wf_person *person,
    struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	enum wf_rc rc = put_person(federation, external, person, &mine);

	if (rc == WF_OK)
		return rc;
	wf_federation_report(federation,
	    &(struct wf_federation_notice){ .event = "sign_in_not_accepted",
		.is_fault = true,
		.account = person->name,
		.text = mine.message });
	return wf_fail(err, rc, "%s", mine.message);
}

/* --- all people of a directory -------------------------------------------- */

struct renewal {
	struct wf_federation *federation;
	struct wf_store *store;
	struct wf_arena *arena;
	const struct wf_external *external;
	struct taking taking;
	struct wf_map *people; /* struct wf_person, by name */
};

static void report_account(struct renewal *renewal, const char *account,
    const char *event, const char *text)
{
	wf_federation_report(renewal->federation,
	    &(struct wf_federation_notice){
		.event = event, .account = account, .text = text });
}

/* One account that stays as it is does not keep the others back. */
static void renew_account(
    struct renewal *renewal, const struct wf_account_row *old)
{
	const struct wf_person *person = wf_map_get(renewal->people, old->name);
	struct wf_account_row account = *old;
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (person != NULL) {
		rc = put_account(renewal->store, renewal->external, person,
		    renewal->arena, &err);
	} else {
		account.is_gone = true;
		rc = wf_account_put_external(renewal->store, &account, &err);
		(void)wf_map_add(renewal->taking.gone, old->name, renewal);
	}
	if (rc != WF_OK)
		report_account(
		    renewal, old->name, "account_not_renewed", err.message);
	else if (person == NULL && !old->is_gone)
		report_account(renewal, old->name, "account_disabled", NULL);
}

static enum wf_rc renew(struct renewal *renewal, struct wf_error *err)
{
	struct wf_account_rows accounts;
	enum wf_rc rc =
	    wf_account_list(renewal->store, renewal->arena, &accounts, err);

	for (size_t i = 0; rc == WF_OK && i < accounts.count; i++)
		if (strcmp(accounts.rows[i].source,
			renewal->external->source) == 0)
			renew_account(renewal, &accounts.rows[i]);
		else
			(void)wf_map_add(renewal->taking.others,
			    accounts.rows[i].name, renewal);
	/* Whose account it is is not known. */
	for (size_t i = 0; rc == WF_OK && i < accounts.damaged_count; i++) {
		(void)wf_map_add(
		    renewal->taking.others, accounts.damaged[i], renewal);
		report_account(renewal, accounts.damaged[i],
		    "account_not_renewed", "the stored account is damaged");
	}
	if (rc == WF_OK)
		rc = wf_org_edit(renewal->federation->organisation,
		    renewal->store, decide, &renewal->taking, NULL, err);
	if (rc == WF_OK)
		rc = wf_accounts_refresh(
		    renewal->federation->accounts, renewal->store, err);
	return rc;
}

enum wf_rc wf_external_put_all(struct wf_federation *federation,
    const struct wf_external *external, const struct wf_person *people,
    size_t count, struct wf_error *err)
{
	struct renewal renewal = { .federation = federation,
		.external = external,
		.taking = {
		    .external = external, .people = people, .count = count } };
	enum wf_rc rc =
	    wf_engine_borrow(federation->engine, &renewal.store, err);

	wf_assert(count > 0); /* else all would be gone */
	if (rc != WF_OK)
		return rc;
	renewal.arena = wf_arena_new();
	renewal.people = wf_map_new();
	renewal.taking.names = renewal.people;
	renewal.taking.gone = wf_map_new();
	renewal.taking.others = wf_map_new();
	for (size_t i = 0; i < count; i++)
		(void)wf_map_add(renewal.people, people[i].name,
		    (void *)(uintptr_t)&people[i]);
	rc = renew(&renewal, err);
	wf_map_free(&renewal.taking.gone);
	wf_map_free(&renewal.taking.others);
	wf_map_free(&renewal.people);
	wf_arena_free(&renewal.arena);
	wf_engine_give_back(federation->engine, renewal.store);
	return rc;
}
