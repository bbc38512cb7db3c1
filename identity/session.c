/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/session.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/session_priv.h"

/* How long what was read is good. */
#define KNOWN_MS 1000
/* A use is written after this time since the one before. */
#define USE_MS INT64_C(60000)
/* In one second, at most. */
#define SEEN_AT_ONCE 1000U
#define SWEPT_AT_ONCE 1000U
#define SWEEP_MS 10000

static_assert(WF_SESSION_IDLE_MS >= 2 * USE_MS,
    "a session that is in use must not end because the use was not written");

void wf_accounts_limit_sessions(
    struct wf_accounts *accounts, const struct wf_session_settings *settings)
{
	wf_assert(settings->idle_ms >= WF_SESSION_IDLE_MS);
	wf_assert(settings->total_ms > 0);
	accounts->sessions->settings = *settings;
}

/* --- ids ------------------------------------------------------------------ */

static void key_of(const char *id, char key[WF_HASH_TEXT])
{
	unsigned char hash[WF_TOKEN_HASH];

	wf_hash_token(id, strlen(id), hash);
	wf_hash_text(hash, key);
}

void wf_session_make_id(char id[WF_SESSION_ID_SIZE])
{
	unsigned char bytes[32];

	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2base64(id, WF_SESSION_ID_SIZE, bytes, sizeof(bytes),
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(bytes, sizeof(bytes));
	wf_assert(strlen(id) == WF_SESSION_ID_SIZE - 1);
}

void wf_session_forgery_value(
    const char *id, char value_out[WF_SESSION_ID_SIZE])
{
	static const unsigned char key[] = "weft: against forged requests";
	unsigned char hash[32];

	static_assert(sizeof(key) >= crypto_generichash_KEYBYTES_MIN,
	    "a key is as long as sodium wants");
	crypto_generichash(hash, sizeof(hash), (const unsigned char *)id,
	    strlen(id), key, sizeof(key));
	sodium_bin2base64(value_out, WF_SESSION_ID_SIZE, hash, sizeof(hash),
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool wf_session_is_answered(const char *id, const char *given)
{
	char value[WF_SESSION_ID_SIZE];

	wf_session_forgery_value(id, value);
	wf_assert(strlen(value) == WF_SESSION_ID_SIZE - 1);
	return given != NULL && strlen(given) == WF_SESSION_ID_SIZE - 1 &&
	       sodium_memcmp(value, given, WF_SESSION_ID_SIZE - 1) == 0;
}

/* --- rows ----------------------------------------------------------------- */

/* When a session that is used now ends. */
static int64_t end_of(
    const struct wf_session_settings *settings, int64_t opened_at, int64_t now)
{
	int64_t latest = opened_at + settings->total_ms;
	int64_t end = now + settings->idle_ms;

	return end < latest ? end : latest;
}

static bool read_token(
    const struct wf_session_row *row, struct wf_kept_session *kept)
{
	size_t length = 0;

	kept->has_token = row->token[0] != '\0';
	return !kept->has_token ||
	       (sodium_hex2bin(kept->token, WF_TOKEN_HASH, row->token,
		    strlen(row->token), NULL, &length, NULL) == 0 &&
		   length == WF_TOKEN_HASH);
}

/* The lock is held.  False: the row is damaged. */
static bool keep(
    struct wf_sessions *sessions, const struct wf_session_row *row, int64_t now)
{
	struct wf_kept_session *kept = wf_sessions_make(sessions, row->key);

	kept->is_ended = true;
	if (strlen(row->account) >= sizeof(kept->account) ||
	    strlen(row->method) >= sizeof(kept->facts.method) ||
	    !read_token(row, kept))
		return false;
	strcpy(kept->account, row->account);
	strcpy(kept->facts.method, row->method);
	kept->epoch = row->epoch;
	kept->facts.opened_at = row->opened_at;
	kept->facts.ends_at = row->ends_at;
	kept->read_at = now;
	kept->seen_at = now;
	kept->is_ended = false;
	return true;
}

/* --- beginning ------------------------------------------------------------ */

enum wf_rc wf_session_begin(struct wf_accounts *accounts,
    struct wf_store *store, const struct wf_session_start *start, int64_t now,
    char id_out[WF_SESSION_ID_SIZE], struct wf_error *err)
{
	const struct wf_account *account = start->account;
	char key[WF_HASH_TEXT];
	char token[WF_HASH_TEXT] = "";
	struct wf_session_row row = { .key = key,
		.account = account->name,
		.epoch = account->epoch,
		.token = token,
		.method = start->method,
		.address = start->address,
		.opened_at = now,
		.used_at = now };
	enum wf_rc rc;

	wf_assert(account->proof != WF_PROOF_SESSION);
	wf_assert(strlen(start->method) < WF_SESSION_METHOD_SIZE);
	wf_session_make_id(id_out);
	key_of(id_out, key);
	if (account->proof == WF_PROOF_TOKEN)
		wf_hash_text(account->key, token);
	row.ends_at = end_of(&accounts->sessions->settings, now, now);
	wf_assert(row.ends_at > now);
	rc = wf_store_add_session(store, &row, WF_SESSIONS_OF_ACCOUNT, err);
	if (rc != WF_OK) {
		sodium_memzero(id_out, WF_SESSION_ID_SIZE);
		return rc;
	}
	pthread_mutex_lock(&accounts->lock);
	(void)keep(accounts->sessions, &row, now);
	pthread_mutex_unlock(&accounts->lock);
	return WF_OK;
}

/* --- checking ------------------------------------------------------------- */

/* The lock is held. */
static bool find_account(struct wf_accounts *accounts,
    const struct wf_kept_session *kept, struct wf_account *account_out)
{
	struct wf_account account;

	if (!wf_accounts_begin_epoch(
		accounts, kept->account, kept->epoch, &account))
		return false;
	if (kept->has_token &&
	    (!wf_accounts_find_token(accounts, kept->token, &account) ||
		strcmp(account.name, kept->account) != 0))
		return false;
	*account_out = account;
	account_out->proof = WF_PROOF_SESSION;
	account_out->has_token = kept->has_token;
	memcpy(account_out->token, kept->token, WF_TOKEN_HASH);
	return true;
}

static enum wf_rc check(struct wf_accounts *accounts, const char *key,
    int64_t now, struct wf_account *account_out)
{
	struct wf_kept_session *kept =
	    wf_sessions_find(accounts->sessions, key);

	if (kept == NULL ||
	    (!kept->is_ended &&
		(kept->read_at > now || now - kept->read_at >= KNOWN_MS)))
		return WF_UNAVAILABLE;
	if (kept->is_ended || now >= kept->facts.ends_at ||
	    !find_account(accounts, kept, account_out))
		return WF_NOT_FOUND;
	return WF_OK;
}

static enum wf_rc fail_ended(struct wf_error *err)
{
	return wf_fail(
	    err, WF_NOT_FOUND, "the session has ended: sign in again");
}

enum wf_rc wf_session_check(struct wf_accounts *accounts, const char *id,
    int64_t now, struct wf_account *account_out, struct wf_error *err)
{
	unsigned char hash[WF_TOKEN_HASH];
	char key[WF_HASH_TEXT];
	enum wf_rc rc;

	wf_hash_token(id, strlen(id), hash);
	wf_hash_text(hash, key);
	pthread_mutex_lock(&accounts->lock);
	rc = check(accounts, key, now, account_out);
	pthread_mutex_unlock(&accounts->lock);
	if (rc == WF_OK)
		memcpy(account_out->key, hash, WF_TOKEN_HASH);
	return rc == WF_NOT_FOUND ? fail_ended(err) : rc;
}

/* Writes the use if the last one that is written is old. */
static enum wf_rc use(const struct wf_session_settings *settings,
    struct wf_store *store, struct wf_session_row *row, int64_t now,
    struct wf_error *err)
{
	int64_t end = end_of(settings, row->opened_at, now);

	if (now - row->used_at < USE_MS || end <= row->ends_at)
		return WF_OK;
	row->used_at = now;
	row->ends_at = end;
	return wf_store_use_session(store, row->key, now, end, err);
}

static void drop(struct wf_accounts *accounts, const char *key)
{
	struct wf_kept_session *kept;

	pthread_mutex_lock(&accounts->lock);
	kept = wf_sessions_find(accounts->sessions, key);
	if (kept != NULL)
		kept->is_ended = true;
	pthread_mutex_unlock(&accounts->lock);
}

enum wf_rc wf_session_read(struct wf_accounts *accounts, struct wf_store *store,
    const char *id, int64_t now, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_error mine = { .rc = WF_OK };
	struct wf_session_row row;
	char key[WF_HASH_TEXT];
	bool good = true;
	enum wf_rc rc;

	key_of(id, key);
	rc = wf_store_session(store, key, arena, &row, &mine);
	if (rc == WF_OK && now >= row.ends_at)
		rc = WF_NOT_FOUND;
	if (rc == WF_OK)
		rc =
		    use(&accounts->sessions->settings, store, &row, now, &mine);
	if (rc == WF_OK) {
		pthread_mutex_lock(&accounts->lock);
		good = keep(accounts->sessions, &row, now);
		pthread_mutex_unlock(&accounts->lock);
	} else if (rc == WF_NOT_FOUND) {
		drop(accounts, key);
	}
	wf_arena_free(&arena);
	if (rc == WF_NOT_FOUND || !good)
		return fail_ended(err);
	return rc == WF_OK ? rc : wf_fail(err, rc, "%s", mine.message);
}

bool wf_session_facts(struct wf_accounts *accounts, const char *id,
    struct wf_session_facts *facts_out)
{
	const struct wf_kept_session *kept;
	char key[WF_HASH_TEXT];
	bool good;

	key_of(id, key);
	pthread_mutex_lock(&accounts->lock);
	kept = wf_sessions_find(accounts->sessions, key);
	good = kept != NULL && kept->read_at != 0;
	if (good)
		*facts_out = kept->facts;
	pthread_mutex_unlock(&accounts->lock);
	return good;
}

bool wf_session_is_open(
    struct wf_sessions *sessions, const struct wf_account *account)
{
	struct wf_kept_session *kept;
	char key[WF_HASH_TEXT];

	wf_hash_text(account->key, key);
	kept = wf_sessions_make(sessions, key);
	kept->wanted_at = wf_time_ms();
	return !kept->is_ended;
}

/* --- ending --------------------------------------------------------------- */

enum wf_rc wf_session_end(struct wf_accounts *accounts, struct wf_store *store,
    const char *id, struct wf_error *err)
{
	char key[WF_HASH_TEXT];
	size_t count;
	enum wf_rc rc;

	key_of(id, key);
	rc = wf_store_remove_session(store, key, &count, err);
	if (rc == WF_OK)
		drop(accounts, key);
	return rc;
}

enum wf_rc wf_sessions_end(struct wf_accounts *accounts, struct wf_store *store,
    const char *account, size_t *count_out, struct wf_error *err)
{
	enum wf_rc rc =
	    wf_store_remove_sessions(store, account, count_out, err);
	struct wf_kept_session *kept;

	if (rc != WF_OK)
		return rc;
	pthread_mutex_lock(&accounts->lock);
	for (kept = accounts->sessions->newest; kept != NULL;
	     kept = kept->older)
		if (strcmp(kept->account, account) == 0)
			kept->is_ended = true;
	pthread_mutex_unlock(&accounts->lock);
	return WF_OK;
}

/* --- each second ---------------------------------------------------------- */

struct seeing {
	char keys[SEEN_AT_ONCE][WF_HASH_TEXT];
	const char *pointers[SEEN_AT_ONCE];
	bool live[SEEN_AT_ONCE];
	size_t count;
};

static bool is_wanted(const struct wf_kept_session *kept, int64_t now)
{
	return !kept->is_ended && kept->wanted_at >= now - 3 * KNOWN_MS;
}

/* Those that were seen longest ago.  The lock is held. */
static void choose(
    const struct wf_sessions *sessions, struct seeing *seeing, int64_t now)
{
	const struct wf_kept_session *kept;
	int64_t oldest = now;

	for (kept = sessions->newest; kept != NULL; kept = kept->older)
		if (is_wanted(kept, now) && kept->seen_at < oldest)
			oldest = kept->seen_at;
	for (kept = sessions->newest;
	     kept != NULL && seeing->count < SEEN_AT_ONCE; kept = kept->older) {
		if (!is_wanted(kept, now) ||
		    kept->seen_at >= oldest + KNOWN_MS / 2)
			continue;
		strcpy(seeing->keys[seeing->count], kept->key);
		seeing->pointers[seeing->count] = seeing->keys[seeing->count];
		seeing->count++;
	}
}

/* The lock is held. */
static void note(
    struct wf_sessions *sessions, const struct seeing *seeing, int64_t now)
{
	for (size_t i = 0; i < seeing->count; i++) {
		struct wf_kept_session *kept =
		    wf_map_get(sessions->by_key, seeing->keys[i]);

		if (kept == NULL)
			continue;
		kept->seen_at = now;
		if (!seeing->live[i])
			kept->is_ended = true;
	}
}

static enum wf_rc see(struct wf_accounts *accounts, struct wf_store *store,
    int64_t now, struct wf_error *err)
{
	struct seeing *seeing = wf_calloc(1, sizeof(*seeing));
	enum wf_rc rc = WF_OK;

	pthread_mutex_lock(&accounts->lock);
	choose(accounts->sessions, seeing, now);
	pthread_mutex_unlock(&accounts->lock);
	if (seeing->count > 0)
		rc = wf_store_live_sessions(store, seeing->pointers,
		    seeing->count, now, seeing->live, err);
	if (rc == WF_OK) {
		pthread_mutex_lock(&accounts->lock);
		note(accounts->sessions, seeing, now);
		pthread_mutex_unlock(&accounts->lock);
	}
	wf_free(seeing);
	return rc;
}

enum wf_rc wf_sessions_refresh(struct wf_accounts *accounts,
    struct wf_store *store, int64_t now, struct wf_error *err)
{
	struct wf_sessions *sessions = accounts->sessions;
	enum wf_rc rc = see(accounts, store, now, err);

	if (rc != WF_OK ||
	    (sessions->swept_at <= now && now - sessions->swept_at < SWEEP_MS))
		return rc;
	sessions->swept_at = now;
	return wf_store_sweep_sessions(store, now, SWEPT_AT_ONCE, err);
}
