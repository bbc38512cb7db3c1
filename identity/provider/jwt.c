/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/provider/jwt.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/panic.h"
#include "identity/provider/base64url.h"

/* Seconds since 1970 up to which times are times: the year 9999. */
#define TIME_MAXIMUM 253402300799.0

bool wf_jwt_is(const char *text)
{
	const char *dot = strchr(text, '.');

	return strncmp(text, "eyJ", 3) == 0 && dot != NULL &&
	       strchr(dot + 1, '.') != NULL;
}

/* --- reading -------------------------------------------------------------- */

/* A part of a token: base64url of a JSON object. */
static json_t *read_part(const char *text, size_t length)
{
	unsigned char *bytes = wf_malloc(length + 1);
	json_t *json = NULL;
	size_t size;

	if (wf_base64url_decode(text, length, bytes, length, &size))
		json = json_loadb(
		    (const char *)bytes, size, JSON_REJECT_DUPLICATES, NULL);
	wf_free(bytes);
	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

static bool is_type(const char *type)
{
	if (strncasecmp(type, "application/", 12) == 0)
		type += 12;
	return strcasecmp(type, "JWT") == 0 || strcasecmp(type, "at+jwt") == 0;
}

static enum wf_rc read_header(
    struct wf_jwt *jwt, const json_t *header, struct wf_error *err)
{
	const char *algorithm =
	    json_string_value(json_object_get(header, "alg"));
	const json_t *type = json_object_get(header, "typ");
	const json_t *key = json_object_get(header, "kid");

	if (algorithm == NULL ||
	    !wf_jwt_algorithm_find(algorithm, &jwt->algorithm))
		return wf_fail(err, WF_INVALID,
		    "its algorithm is not accepted: expected RS256, ES256 or "
		    "EdDSA");
	if (json_object_get(header, "crit") != NULL)
		return wf_fail(err, WF_INVALID,
		    "it has a critical header, which is not understood");
	if (type != NULL &&
	    (!json_is_string(type) || !is_type(json_string_value(type))))
		return wf_fail(
		    err, WF_INVALID, "its type is none of JWT and at+jwt");
	if (key == NULL)
		return WF_OK;
	if (!json_is_string(key) || json_string_length(key) > WF_JWK_ID_BYTES ||
	    json_string_length(key) == 0)
		return wf_fail(err, WF_INVALID,
		    "the id of its key is no text of 1 to %u bytes",
		    WF_JWK_ID_BYTES);
	strcpy(jwt->key_id, json_string_value(key));
	jwt->has_key_id = true;
	return WF_OK;
}

enum wf_rc wf_jwt_read(
    struct wf_jwt *jwt_out, const char *text, struct wf_error *err)
{
	size_t length = strnlen(text, WF_JWT_BYTES + 1);
	const char *payload = memchr(text, '.', length);
	const char *signature = NULL;
	json_t *header;
	enum wf_rc rc;

	jwt_out->claims = NULL;
	jwt_out->has_key_id = false;
	jwt_out->text = text;
	if (length > WF_JWT_BYTES)
		return wf_fail(
		    err, WF_INVALID, "it has more than %u bytes", WF_JWT_BYTES);
	if (payload != NULL)
		signature = strchr(++payload, '.');
	if (signature == NULL ||
	    !wf_base64url_decode(signature + 1, strlen(signature + 1),
		jwt_out->signature, sizeof(jwt_out->signature),
		&jwt_out->signature_size))
		return wf_fail(err, WF_INVALID, "it is no signed token");
	jwt_out->signed_length = (size_t)(signature - text);
	wf_assert(jwt_out->signed_length < length && payload < signature + 1);
	header = read_part(text, (size_t)(payload - text) - 1);
	jwt_out->claims = read_part(payload, (size_t)(signature - payload));
	if (header == NULL || jwt_out->claims == NULL)
		rc = wf_fail(err, WF_INVALID, "it is no signed token");
	else
		rc = read_header(jwt_out, header, err);
	json_decref(header);
	return rc;
}

void wf_jwt_free(struct wf_jwt *jwt)
{
	json_decref(jwt->claims);
	jwt->claims = NULL;
}

enum wf_rc wf_jwt_verify(const struct wf_jwt *jwt, const struct wf_jwk_set *set,
    struct wf_error *err)
{
	struct wf_jwk_signature signature = {
		.algorithm = jwt->algorithm,
		.key_id = jwt->has_key_id ? jwt->key_id : NULL,
		.text = jwt->text,
		.length = jwt->signed_length,
		.bytes = jwt->signature,
		.size = jwt->signature_size,
	};

	return wf_jwk_verify(set, &signature, err);
}

/* --- claims --------------------------------------------------------------- */

const char *wf_jwt_text(const struct wf_jwt *jwt, const char *name)
{
	return json_string_value(json_object_get(jwt->claims, name));
}

static bool is_text(const struct wf_jwt *jwt, const char *name, const char *is)
{
	const char *text = wf_jwt_text(jwt, name);

	return text != NULL && strcmp(text, is) == 0;
}

/* False: there is no such time. */
static bool read_time(
    const struct wf_jwt *jwt, const char *name, int64_t *time_out)
{
	const json_t *json = json_object_get(jwt->claims, name);
	double number = json_number_value(json);

	if (!json_is_number(json) || !(number >= 0) || number > TIME_MAXIMUM)
		return false;
	*time_out = (int64_t)number;
	return true;
}

static bool is_for(const struct wf_jwt *jwt, const char *audience)
{
	const json_t *list = json_object_get(jwt->claims, "aud");
	const json_t *entry;
	size_t i;

	if (json_is_string(list))
		return strcmp(json_string_value(list), audience) == 0;
	json_array_foreach(list, i, entry)
	{
		const char *text = json_string_value(entry);

		if (text != NULL && strcmp(text, audience) == 0)
			return true;
	}
	return false;
}

static enum wf_rc check_times(const struct wf_jwt *jwt,
    const struct wf_jwt_rules *rules, int64_t *expires_out,
    struct wf_error *err)
{
	bool has_before = json_object_get(jwt->claims, "nbf") != NULL;
	bool has_issued = json_object_get(jwt->claims, "iat") != NULL;
	int64_t before = 0;
	int64_t issued = 0;

	if (!read_time(jwt, "exp", expires_out))
		return wf_fail(err, WF_DENIED, "it does not say when it ends");
	if (rules->now >= *expires_out + WF_JWT_SKEW_S)
		return wf_fail(err, WF_DENIED, "it has expired");
	if (has_before && (!read_time(jwt, "nbf", &before) ||
			      rules->now < before - WF_JWT_SKEW_S))
		return wf_fail(err, WF_DENIED, "it is not valid yet");
	if ((rules->is_id_token || has_issued) &&
	    (!read_time(jwt, "iat", &issued) ||
		rules->now < issued - WF_JWT_SKEW_S))
		return wf_fail(err, WF_DENIED, "it was issued in the future");
	return WF_OK;
}

/* OpenID Connect Core, 3.1.3.7. */
static enum wf_rc check_id_token(const struct wf_jwt *jwt,
    const struct wf_jwt_rules *rules, struct wf_error *err)
{
	const char *subject = wf_jwt_text(jwt, "sub");
	bool has_party = json_object_get(jwt->claims, "azp") != NULL;

	if (subject == NULL || *subject == '\0' || strlen(subject) > 255)
		return wf_fail(err, WF_DENIED, "it names no subject");
	if ((has_party ||
		json_array_size(json_object_get(jwt->claims, "aud")) > 1) &&
	    !is_text(jwt, "azp", rules->audience))
		return wf_fail(
		    err, WF_DENIED, "it was issued to another client");
	if (rules->nonce != NULL && !is_text(jwt, "nonce", rules->nonce))
		return wf_fail(
		    err, WF_DENIED, "it is not the answer to this sign-in");
	return WF_OK;
}

enum wf_rc wf_jwt_check(const struct wf_jwt *jwt,
    const struct wf_jwt_rules *rules, int64_t *expires_out,
    struct wf_error *err)
{
	enum wf_rc rc;

	wf_assert(rules->issuer[0] != '\0' && rules->audience[0] != '\0');
	wf_assert(rules->now > 0);
	if (!is_text(jwt, "iss", rules->issuer))
		return wf_fail(err, WF_DENIED, "another issuer made it");
	if (!is_for(jwt, rules->audience))
		return wf_fail(err, WF_DENIED, "it is for another audience");
	rc = check_times(jwt, rules, expires_out, err);
	if (rc == WF_OK && rules->is_id_token)
		rc = check_id_token(jwt, rules, err);
	return rc;
}
