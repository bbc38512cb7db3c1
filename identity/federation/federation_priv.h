/* SPDX-License-Identifier: Apache-2.0 */
/* Private to identity/federation/. */
#ifndef WF_IDENTITY_FEDERATION_FEDERATION_PRIV_H
#define WF_IDENTITY_FEDERATION_FEDERATION_PRIV_H

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/map.h"
#include "identity/federation/federation.h"
#include "identity/provider/person.h"

struct wf_federation {
	struct wf_federation_settings settings;
	struct wf_arena *arena;	  /* of secrets and what settings say */
	struct wf_engine *engine; /* NULL: not started */
	struct wf_accounts *accounts;
	struct wf_org_cache *organisation;
	atomic_bool stop;
	/* Counts. */
	atomic_ullong passed;
	atomic_ullong refused;
	atomic_ullong failed;
	atomic_ullong refreshes;
	atomic_ullong tokens;
	atomic_ullong tokens_refused;
	/* The directory. */
	pthread_t thread;
	bool has_thread;
	atomic_bool is_down;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	int64_t down_until;   /* monotonic ms: it is not asked before */
	struct wf_oidc *oidc; /* NULL: none */
	/* Machines. */
	struct wf_issuer_settings issuer_settings[WF_MACHINE_ISSUERS];
	struct wf_issuer *issuers[WF_MACHINE_ISSUERS];
	size_t issuer_count;
	struct wf_map *verified; /* struct wf_machine, by the token's hash */
	struct wf_arena *verified_arena;
	unsigned char key[crypto_generichash_KEYBYTES];
};

void wf_federation_report(struct wf_federation *federation,
    const struct wf_federation_notice *notice);

/* --- external.c ----------------------------------------------------------- */

/* Where people come from, and what their groups give. */
struct wf_external {
	const char *source;
	const char *issuer; /* ""; of a provider: its URL */
	const struct wf_group_map *roles;
	const struct wf_group_map *grants;
};

/*
 * Makes the account and the participant of a person, or brings them up to
 * date, and reads the accounts; what fails is reported as a sign-in that is not
 * accepted.  WF_CONFLICT: the name belongs to another account.
 */
enum wf_rc wf_external_put(struct wf_federation *federation,
    const struct wf_external *external, const struct wf_person *person,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * All people of a directory: the accounts of those who are not among them are
 * disabled, and their participants lose their roles; all others get
 * participants.  An account of that name that is not of the directory keeps its
 * participant as it is.
 */
enum wf_rc wf_external_put_all(struct wf_federation *federation,
    const struct wf_external *external, const struct wf_person *people,
    size_t count, struct wf_error *err) WF_MUSTCHECK;
/* Whether a map gives grants that exist. */
enum wf_rc wf_external_check_grants(const char *setting,
    const struct wf_group_map *grants, struct wf_error *err) WF_MUSTCHECK;

/* --- browser.c, directory.c, machines.c ----------------------------------- */

enum wf_rc wf_browsers_open(
    struct wf_federation *federation, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_browsers_start(
    struct wf_federation *federation, struct wf_error *err) WF_MUSTCHECK;
void wf_browsers_close(struct wf_federation *federation);
enum wf_rc wf_directory_open(
    struct wf_federation *federation, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_directory_start(
    struct wf_federation *federation, struct wf_error *err) WF_MUSTCHECK;
void wf_directory_stop(struct wf_federation *federation);
enum wf_rc wf_machines_open(
    struct wf_federation *federation, struct wf_error *err) WF_MUSTCHECK;
void wf_machines_close(struct wf_federation *federation);

#endif
