/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of an account's record, as JSON:
 *
 *   {"namespace": 1, "epoch": "0123456789abcdef", "created": MS,
 *    "grants": ["operator", ..], "password": "$argon2id..", "legacy": true,
 *    "disabled": true,
 *    "source": "directory", "subject": "uid=anna,..", "gone": true,
 *    "tokens": [{"name": "first", "hash": "HEX", "scope": [..],
 *                "created": MS, "expires": MS}, ..]}
 *
 * Members that are empty are left out.  Before roles became grants, the value
 * was: format 1, namespace, role, hash of the only token, password; such values
 * are still read.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "data/json.h"
#include "identity/account_priv.h"

#define OLD_FORMAT 1
#define HEX "0123456789abcdef"

enum wf_rc wf_grants_read(const struct wf_grant_texts *texts,
    struct wf_rights *rights_out, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	memset(rights_out, 0, sizeof(*rights_out));
	for (size_t i = 0; rc == WF_OK && i < texts->count; i++)
		rc = wf_rights_add(rights_out, texts->texts[i], err);
	return rc;
}

/* --- writing -------------------------------------------------------------- */

static void put_texts(
    json_t *json, const char *name, const struct wf_grant_texts *texts)
{
	json_t *array;

	if (texts->count == 0)
		return;
	array = json_array();
	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->texts[i]));
	json_object_set_new(json, name, array);
}

static json_t *token_json(const struct wf_token_row *token)
{
	char hash[WF_HASH_TEXT];
	json_t *json = json_object();

	wf_hash_text(token->hash, hash);
	json_object_set_new(json, "name", json_string(token->name));
	json_object_set_new(json, "hash", json_string(hash));
	put_texts(json, "scope", &token->scope);
	json_object_set_new(json, "created", json_integer(token->created_at));
	if (token->expires_at != 0)
		json_object_set_new(
		    json, "expires", json_integer(token->expires_at));
	return json;
}

static void put_source(json_t *json, const struct wf_account_row *account)
{
	if (account->source[0] == '\0')
		return;
	json_object_set_new(json, "source", json_string(account->source));
	json_object_set_new(json, "subject", json_string(account->subject));
	if (account->is_gone)
		json_object_set_new(json, "gone", json_true());
}

const char *wf_account_encode(
    const struct wf_account_row *account, struct wf_arena *arena)
{
	json_t *json = json_object();
	json_t *tokens = json_array();
	const char *kept;
	char epoch[17];
	char *text;

	wf_assert(account->token_count <= WF_TOKENS);
	wf_assert(account->namespace_id != 0);
	snprintf(epoch, sizeof(epoch), "%016llx",
	    (unsigned long long)account->epoch);
	json_object_set_new(
	    json, "namespace", json_integer(account->namespace_id));
	json_object_set_new(json, "epoch", json_string(epoch));
	json_object_set_new(json, "created", json_integer(account->created_at));
	put_texts(json, "grants", &account->grants);
	if (account->password[0] != '\0')
		json_object_set_new(
		    json, "password", json_string(account->password));
	if (account->is_legacy)
		json_object_set_new(json, "legacy", json_true());
	if (account->is_disabled)
		json_object_set_new(json, "disabled", json_true());
	put_source(json, account);
	for (size_t i = 0; i < account->token_count; i++)
		json_array_append_new(tokens, token_json(&account->tokens[i]));
	if (account->token_count > 0)
		json_object_set_new(json, "tokens", tokens);
	else
		json_decref(tokens);
	text = wf_json_dump(json, JSON_COMPACT);
	wf_assert(text != NULL); /* names and grants are UTF-8 */
	kept = wf_arena_strdup(arena, text);
	free(text);
	json_decref(json);
	return kept;
}

/* --- reading -------------------------------------------------------------- */

static bool read_texts(const json_t *json, const char *name,
    struct wf_arena *arena, struct wf_grant_texts *texts_out,
    struct wf_rights *rights_out)
{
	const json_t *array = json_object_get(json, name);
	size_t count = json_array_size(array);

	texts_out->texts =
	    wf_arena_array(arena, count, sizeof(*texts_out->texts));
	texts_out->count = count;
	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (text == NULL)
			return false;
		texts_out->texts[i] = wf_arena_strdup(arena, text);
	}
	return wf_grants_read(texts_out, rights_out, NULL) == WF_OK;
}

static bool read_token(
    const json_t *json, struct wf_arena *arena, struct wf_token_row *token_out)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	const char *hash = json_string_value(json_object_get(json, "hash"));
	size_t length;

	if (name == NULL || hash == NULL ||
	    sodium_hex2bin(token_out->hash, WF_TOKEN_HASH, hash, strlen(hash),
		NULL, &length, NULL) != 0 ||
	    length != WF_TOKEN_HASH)
		return false;
	token_out->name = wf_arena_strdup(arena, name);
	token_out->created_at =
	    json_integer_value(json_object_get(json, "created"));
	token_out->expires_at =
	    json_integer_value(json_object_get(json, "expires"));
	return read_texts(
	    json, "scope", arena, &token_out->scope, &token_out->rights);
}

static const char *copy_member(
    const json_t *json, const char *name, struct wf_arena *arena)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text == NULL ? "" : wf_arena_strdup(arena, text);
}

static bool read_json(
    const json_t *json, struct wf_arena *arena, struct wf_account_row *account)
{
	const char *epoch = json_string_value(json_object_get(json, "epoch"));
	json_int_t space =
	    json_integer_value(json_object_get(json, "namespace"));
	const json_t *tokens = json_object_get(json, "tokens");
	size_t count = json_array_size(tokens);
	bool good = space >= 1 && space <= UINT32_MAX && epoch != NULL &&
		    strlen(epoch) == 16 && strspn(epoch, HEX) == 16 &&
		    count <= WF_TOKENS;

	if (!good)
		return false;
	account->namespace_id = (uint32_t)space;
	account->epoch = strtoull(epoch, NULL, 16);
	account->created_at =
	    json_integer_value(json_object_get(json, "created"));
	account->password = copy_member(json, "password", arena);
	account->source = copy_member(json, "source", arena);
	account->subject = copy_member(json, "subject", arena);
	account->is_gone = json_is_true(json_object_get(json, "gone"));
	account->is_legacy = json_is_true(json_object_get(json, "legacy"));
	account->is_disabled = json_is_true(json_object_get(json, "disabled"));
	account->tokens =
	    wf_arena_array(arena, count, sizeof(*account->tokens));
	account->token_count = count;
	good = strlen(account->password) < crypto_pwhash_STRBYTES &&
	       read_texts(
		   json, "grants", arena, &account->grants, &account->rights);
	for (size_t i = 0; good && i < count; i++)
		good = read_token(
		    json_array_get(tokens, i), arena, &account->tokens[i]);
	return good;
}

static bool read_old(const struct wf_record_row *row, struct wf_arena *arena,
    struct wf_account_row *account)
{
	static const char *roles[] = { "reader", "worker", "operator",
		"admin" };
	struct wf_token_row *token = wf_arena_alloc(arena, sizeof(*token));
	struct wf_reader reader;
	const char *hash;
	const char *password;
	size_t hash_length;
	size_t length;
	uint64_t role;

	wf_reader_init(&reader, row->value.data, row->value.size);
	if (wf_get_number(&reader) != OLD_FORMAT)
		return false;
	account->namespace_id = wf_get_bounded(&reader, UINT32_MAX);
	role = wf_get_bounded(&reader, sizeof(roles) / sizeof(roles[0]) - 1);
	hash = wf_get_bytes(&reader, &hash_length);
	password = wf_get_bytes(&reader, &length);
	if (reader.bad || hash_length != WF_TOKEN_HASH ||
	    length >= crypto_pwhash_STRBYTES || account->namespace_id == 0)
		return false;
	account->password = wf_arena_strndup(arena, password, length);
	account->source = "";
	account->subject = "";
	account->grants.texts = &roles[role];
	account->grants.count = 1;
	memcpy(&account->epoch, hash, sizeof(account->epoch));
	memcpy(token->hash, hash, WF_TOKEN_HASH);
	token->name = WF_FIRST_TOKEN;
	account->tokens = token;
	account->token_count = 1;
	return wf_grants_read(&account->grants, &account->rights, NULL) ==
	       WF_OK;
}

enum wf_rc wf_account_decode(const struct wf_record_row *row,
    struct wf_arena *arena, struct wf_account_row *account_out,
    struct wf_error *err)
{
	bool is_json =
	    row->value.size > 0 && *(const char *)row->value.data == '{';
	json_t *json = is_json ? json_loadb(row->value.data, row->value.size,
				     JSON_REJECT_DUPLICATES, NULL)
			       : NULL;
	bool good;

	memset(account_out, 0, sizeof(*account_out));
	account_out->name = wf_arena_strdup(arena, row->name);
	account_out->change = row->change;
	good = strlen(row->name) <= WF_ACCOUNT_NAME_BYTES &&
	       (is_json ? json != NULL && read_json(json, arena, account_out)
			: read_old(row, arena, account_out));
	json_decref(json);
	return good ? WF_OK
		    : wf_fail(err, WF_CORRUPT,
			  "the stored account %.64s is damaged", row->name);
}
