/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unit tests of identity/provider/: tokens and keys, the discovery document,
 * the encrypted state of a sign-in, filters of directories.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "identity/federation/group_map.h"
#include "identity/provider/base64url.h"
#include "identity/provider/issuer.h"
#include "identity/provider/jwt.h"
#include "identity/provider/ldap_filter.h"
#include "identity/provider/oidc.h"
#include "identity/provider/oidc_state.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define NOW INT64_C(1800000000)

#ifdef HAVE_GNUTLS

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>

/* --- an issuer ------------------------------------------------------------ */

struct signer {
	const char *algorithm;
	const char *id;
	gnutls_pk_algorithm_t kind;
	unsigned bits;
	gnutls_sign_algorithm_t sign;
	gnutls_privkey_t key;
};

static struct signer signers[] = {
	{ "RS256", "r", GNUTLS_PK_RSA, 2048, GNUTLS_SIGN_RSA_SHA256, NULL },
	{ "ES256", "e", GNUTLS_PK_ECDSA,
	    GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
	    GNUTLS_SIGN_ECDSA_SHA256, NULL },
	{ "EdDSA", "d", GNUTLS_PK_EDDSA_ED25519, 0, GNUTLS_SIGN_EDDSA_ED25519,
	    NULL },
};

static void make_keys(void)
{
	for (size_t i = 0; i < COUNT(signers); i++) {
		gnutls_privkey_init(&signers[i].key);
		CU_ASSERT_EQUAL_FATAL(gnutls_privkey_generate(signers[i].key,
					  signers[i].kind, signers[i].bits, 0),
		    0);
	}
}

static void free_keys(void)
{
	for (size_t i = 0; i < COUNT(signers); i++)
		gnutls_privkey_deinit(signers[i].key);
}

static void put_encoded(struct wf_buffer *out, const void *bytes, size_t size)
{
	size_t room = WF_BASE64URL_SIZE(size);
	char *text = wf_malloc(room);

	wf_base64url_encode(text, room, bytes, size);
	wf_buffer_puts(out, text);
	wf_free(text);
}

static void put_number(
    struct wf_buffer *out, const char *name, const gnutls_datum_t *number)
{
	wf_buffer_printf(out, ",\"%s\":\"", name);
	put_encoded(out, number->data, number->size);
	wf_buffer_puts(out, "\"");
}

/* The public key as an entry of a set; more: further members. */
static void put_key(
    struct wf_buffer *out, const struct signer *signer, const char *more)
{
	const unsigned flags = GNUTLS_EXPORT_FLAG_NO_LZ;
	gnutls_datum_t x = { NULL, 0 };
	gnutls_datum_t y = { NULL, 0 };
	gnutls_ecc_curve_t curve;
	gnutls_pubkey_t public;

	gnutls_pubkey_init(&public);
	gnutls_pubkey_import_privkey(public, signer->key, 0, 0);
	wf_buffer_printf(out, "{\"kid\":\"%s\"%s", signer->id, more);
	if (signer->kind == GNUTLS_PK_RSA) {
		gnutls_pubkey_export_rsa_raw2(public, &x, &y, flags);
		wf_buffer_puts(out, ",\"kty\":\"RSA\"");
		put_number(out, "n", &x);
		put_number(out, "e", &y);
	} else {
		bool is_ec = signer->kind == GNUTLS_PK_ECDSA;

		/* With its leading zeros, as a curve's numbers are written. */
		gnutls_pubkey_export_ecc_raw2(public, &curve, &x, &y, 0);
		wf_buffer_printf(out, ",\"kty\":\"%s\",\"crv\":\"%s\"",
		    is_ec ? "EC" : "OKP", is_ec ? "P-256" : "Ed25519");
		x.data += x.size - 32;
		put_number(out, "x", &(gnutls_datum_t){ x.data, 32 });
		x.data -= x.size - 32;
		if (is_ec) {
			y.data += y.size - 32;
			put_number(out, "y", &(gnutls_datum_t){ y.data, 32 });
			y.data -= y.size - 32;
		}
	}
	wf_buffer_puts(out, "}");
	gnutls_free(x.data);
	gnutls_free(y.data);
	gnutls_pubkey_deinit(public);
}

static struct wf_jwk_set *make_set(const char *more)
{
	struct wf_jwk_set *set = NULL;
	struct wf_buffer text;

	wf_buffer_init(&text, 100000);
	wf_buffer_puts(&text, "{\"keys\":[");
	for (size_t i = 0; i < COUNT(signers); i++) {
		wf_buffer_puts(&text, i == 0 ? "" : ",");
		put_key(&text, &signers[i], more);
	}
	wf_buffer_puts(&text, "]}");
	(void)!wf_jwk_set_read(&set, text.data, text.length, NULL);
	wf_buffer_free(&text);
	return set;
}

/* The caller frees the token. */
static char *make_token(
    const struct signer *signer, const char *header, const char *claims)
{
	struct wf_buffer token;
	gnutls_datum_t text;
	gnutls_datum_t signature;

	wf_buffer_init(&token, 100000);
	put_encoded(&token, header, strlen(header));
	wf_buffer_putc(&token, '.');
	put_encoded(&token, claims, strlen(claims));
	text.data = (unsigned char *)token.data;
	text.size = (unsigned)token.length;
	CU_ASSERT_EQUAL_FATAL(gnutls_privkey_sign_data2(signer->key,
				  signer->sign, 0, &text, &signature),
	    0);
	if (signer->kind == GNUTLS_PK_ECDSA) {
		unsigned char numbers[64] = { 0 };
		gnutls_datum_t r;
		gnutls_datum_t s;

		gnutls_decode_rs_value(&signature, &r, &s);
		for (unsigned i = 0; i < 32 && i < r.size; i++)
			numbers[31 - i] = r.data[r.size - 1 - i];
		for (unsigned i = 0; i < 32 && i < s.size; i++)
			numbers[63 - i] = s.data[s.size - 1 - i];
		gnutls_free(r.data);
		gnutls_free(s.data);
		wf_buffer_putc(&token, '.');
		put_encoded(&token, numbers, sizeof(numbers));
	} else {
		wf_buffer_putc(&token, '.');
		put_encoded(&token, signature.data, signature.size);
	}
	gnutls_free(signature.data);
	return wf_buffer_take(&token);
}

/* WF_OK, or where it ends. */
static enum wf_rc try_token(const struct wf_jwk_set *set, const char *token)
{
	struct wf_jwt jwt;
	enum wf_rc rc = wf_jwt_read(&jwt, token, NULL);

	if (rc == WF_OK)
		rc = wf_jwt_verify(&jwt, set, NULL);
	wf_jwt_free(&jwt);
	return rc;
}

static enum wf_rc try_header(
    const struct wf_jwk_set *set, size_t signer, const char *header)
{
	char *token = make_token(&signers[signer], header, "{}");
	enum wf_rc rc = try_token(set, token);

	wf_free(token);
	return rc;
}

/* --- signatures ----------------------------------------------------------- */

static void test_signatures(void)
{
	struct wf_jwk_set *set;

	make_keys();
	set = make_set("");
	CU_ASSERT_PTR_NOT_NULL_FATAL(set);
	for (size_t i = 0; i < COUNT(signers); i++) {
		char header[100];
		char *token;
		char *end;

		snprintf(header, sizeof(header),
		    "{\"alg\":\"%s\",\"kid\":\"%s\"}", signers[i].algorithm,
		    signers[i].id);
		CU_ASSERT_EQUAL(try_header(set, i, header), WF_OK);
		/* One key has that algorithm. */
		snprintf(header, sizeof(header),
		    "{\"alg\":\"%s\",\"typ\":\"at+jwt\"}",
		    signers[i].algorithm);
		CU_ASSERT_EQUAL(try_header(set, i, header), WF_OK);
		snprintf(header, sizeof(header),
		    "{\"alg\":\"%s\",\"kid\":\"other\"}", signers[i].algorithm);
		CU_ASSERT_EQUAL(try_header(set, i, header), WF_NOT_FOUND);
		/* The key of another algorithm. */
		snprintf(header, sizeof(header),
		    "{\"alg\":\"%s\",\"kid\":\"%s\"}", signers[i].algorithm,
		    signers[(i + 1) % 3].id);
		CU_ASSERT_EQUAL(try_header(set, i, header), WF_NOT_FOUND);
		/* Signed by another key than the one that it names. */
		snprintf(header, sizeof(header),
		    "{\"alg\":\"%s\",\"kid\":\"%s\"}",
		    signers[(i + 1) % 3].algorithm, signers[(i + 1) % 3].id);
		CU_ASSERT_EQUAL(try_header(set, i, header), WF_DENIED);

		/*
		 * Every byte counts, but for the last character, some of whose
		 * bits may be padding.
		 */
		snprintf(header, sizeof(header), "{\"alg\":\"%s\"}",
		    signers[i].algorithm);
		token = make_token(&signers[i], header, "{\"sub\":\"maria\"}");
		CU_ASSERT_EQUAL(try_token(set, token), WF_OK);
		for (char *at = token, *last = token + strlen(token) - 1;
		     at < last; at += 7) {
			char was = *at;

			*at = was == 'A' ? 'B' : 'A';
			CU_ASSERT_NOT_EQUAL(try_token(set, token), WF_OK);
			*at = was;
		}
		end = strrchr(token, '.');
		end[1] = '\0';
		CU_ASSERT_EQUAL(try_token(set, token), WF_DENIED);
		end[0] = '\0';
		CU_ASSERT_EQUAL(try_token(set, token), WF_INVALID);
		wf_free(token);
	}
	wf_jwk_set_free(&set);
	free_keys();
}

static void test_headers(void)
{
	static const char *const refused[] = {
		"{\"alg\":\"none\"}",
		"{\"alg\":\"None\"}",
		"{\"alg\":\"\"}",
		"{\"alg\":\"HS256\",\"kid\":\"r\"}",
		"{\"alg\":\"RS384\"}",
		"{\"alg\":[\"RS256\"]}",
		"{}",
		"[]",
		"{\"alg\":\"RS256\",\"crit\":[\"exp\"]}",
		"{\"alg\":\"RS256\",\"kid\":7}",
		"{\"alg\":\"RS256\",\"kid\":\"\"}",
		"{\"alg\":\"RS256\",\"typ\":\"dpop+jwt\"}",
		"{\"alg\":\"RS256\",\"alg\":\"RS256\"}",
	};
	struct wf_jwk_set *set;

	make_keys();
	set = make_set("");
	for (size_t i = 0; i < COUNT(refused); i++)
		CU_ASSERT_EQUAL(try_header(set, 0, refused[i]), WF_INVALID);
	wf_jwk_set_free(&set);
	/* Keys for something else are not used. */
	set = make_set(",\"use\":\"enc\"");
	CU_ASSERT_PTR_NULL(set);
	set = make_set(",\"key_ops\":[\"sign\"]");
	CU_ASSERT_PTR_NULL(set);
	set = make_set(",\"use\":\"sig\",\"key_ops\":[\"verify\"]");
	CU_ASSERT_EQUAL(try_header(set, 1, "{\"alg\":\"ES256\"}"), WF_OK);
	wf_jwk_set_free(&set);
	set = make_set(",\"alg\":\"ES256\"");
	CU_ASSERT_EQUAL(try_header(set, 1, "{\"alg\":\"ES256\"}"), WF_OK);
	CU_ASSERT_EQUAL(
	    try_header(set, 0, "{\"alg\":\"RS256\"}"), WF_NOT_FOUND);
	wf_jwk_set_free(&set);
	free_keys();
}

static void test_key_sets(void)
{
	static const char *const refused[] = {
		"",
		"[]",
		"{\"keys\":{}}",
		"{\"keys\":[]}",
		"{\"keys\":[7,null,{}]}",
		"{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}]}",
		/* Too short, and not on its curve. */
		"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
		"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AQ\","
		"\"y\":\"AQ\"}]}",
		"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
		"\"x\":\"AQ==\"}]}",
	};

	for (size_t i = 0; i < COUNT(refused); i++) {
		struct wf_jwk_set *set;

		CU_ASSERT_EQUAL(
		    wf_jwk_set_read(&set, refused[i], strlen(refused[i]), NULL),
		    WF_INVALID);
		CU_ASSERT_PTR_NULL(set);
	}
}

#endif

/* --- claims --------------------------------------------------------------- */

static enum wf_rc check_claims(const char *text, bool is_id_token)
{
	struct wf_jwt_rules rules = { .issuer = "https://i",
		.audience = "weft",
		.is_id_token = is_id_token,
		.nonce = is_id_token ? "n" : NULL,
		.now = NOW };
	struct wf_jwt jwt = { .claims = json_loads(text, 0, NULL) };
	int64_t expires = 0;
	enum wf_rc rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(jwt.claims);
	rc = wf_jwt_check(&jwt, &rules, &expires, NULL);
	if (rc == WF_OK)
		CU_ASSERT_EQUAL(expires, 1800000100);
	wf_jwt_free(&jwt);
	return rc;
}

#define GOOD "\"iss\":\"https://i\",\"aud\":\"weft\",\"exp\":1800000100"
#define PERSON GOOD ",\"iat\":1800000000,\"sub\":\"s\",\"nonce\":\"n\""

static void test_claims(void)
{
	static const struct {
		const char *text;
		bool is_id_token;
		enum wf_rc rc;
	} rows[] = {
		{ "{" GOOD "}", false, WF_OK },
		{ "{" GOOD "}", true, WF_DENIED },
		{ "{" PERSON "}", true, WF_OK },
		{ "{" GOOD ",\"nbf\":1800000059}", false, WF_OK },
		{ "{" GOOD ",\"nbf\":1800000061}", false, WF_DENIED },
		{ "{" GOOD ",\"nbf\":\"1\"}", false, WF_DENIED },
		{ "{" GOOD ",\"iat\":1800000061}", false, WF_DENIED },
		{ "{\"iss\":\"https://i/"
		  "\",\"aud\":\"weft\",\"exp\":1800000100}",
		    false, WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":\"web\",\"exp\":1800000100}",
		    false, WF_DENIED },
		{ "{\"iss\":\"https://i\",\"exp\":1800000100}", false,
		    WF_DENIED },
		{ "{\"aud\":\"weft\",\"exp\":1800000100}", false, WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":[\"a\",\"weft\"],"
		  "\"exp\":1800000100}",
		    false, WF_OK },
		{ "{\"iss\":\"https://i\",\"aud\":[\"a\",7],"
		  "\"exp\":1800000100}",
		    false, WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":\"weft\"}", false,
		    WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":\"weft\",\"exp\":\"never\"}",
		    false, WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":\"weft\",\"exp\":1e300}",
		    false, WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":\"weft\",\"exp\":-1}", false,
		    WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":\"weft\",\"exp\":1799999940}",
		    false, WF_DENIED },
		{ "{" PERSON ",\"azp\":\"weft\"}", true, WF_OK },
		{ "{" PERSON ",\"azp\":\"web\"}", true, WF_DENIED },
		{ "{\"iss\":\"https://i\",\"aud\":[\"weft\",\"b\"],"
		  "\"exp\":1800000100,\"iat\":1800000000,\"sub\":\"s\","
		  "\"nonce\":\"n\"}",
		    true, WF_DENIED },
		{ "{" GOOD ",\"iat\":1800000000,\"sub\":\"s\",\"nonce\":\"m\"}",
		    true, WF_DENIED },
		{ "{" GOOD ",\"iat\":1800000000,\"sub\":\"s\"}", true,
		    WF_DENIED },
		{ "{" GOOD ",\"iat\":1800000000,\"sub\":\"\",\"nonce\":\"n\"}",
		    true, WF_DENIED },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CU_ASSERT_EQUAL(check_claims(rows[i].text, rows[i].is_id_token),
		    rows[i].rc);
}

/* --- the discovery document ----------------------------------------------- */

static void test_urls(void)
{
	static const char *const safe[] = { "https://i.example",
		"https://i.example:8443/realms/a", "http://127.0.0.1:8080/",
		"http://[::1]:8080", "http://localhost/x" };
	static const char *const unsafe[] = { "", "https://", "ftp://i",
		"http://i.example", "http://127.0.0.1.example/",
		"http://localhost.example", "http://localhost@i.example",
		"https://u:p@i.example", "https://i\r\nX: y", "https://i#x",
		"file:///etc/passwd" };

	for (size_t i = 0; i < COUNT(safe); i++)
		CU_ASSERT_TRUE(wf_issuer_is_safe_url(safe[i]));
	for (size_t i = 0; i < COUNT(unsafe); i++)
		CU_ASSERT_FALSE(wf_issuer_is_safe_url(unsafe[i]));
}

static void test_discovery(void)
{
	static const char good[] =
	    "{\"issuer\":\"https://i\",\"jwks_uri\":\"https://k/keys\","
	    "\"token_endpoint\":\"https://i/t\","
	    "\"token_endpoint_auth_methods_supported\":"
	    "[\"client_secret_post\"]}";
	static const char *const refused[] = { "", "[]", "{}", "null",
		"{\"issuer\":\"https://i\"}",
		"{\"issuer\":\"https://j\",\"jwks_uri\":\"https://k\"}",
		"{\"issuer\":\"https://i\",\"jwks_uri\":\"http://k\"}",
		"{\"issuer\":\"https://i\",\"jwks_uri\":\"https://k\","
		"\"token_endpoint\":\"http://10.0.0.1/\"}" };
	struct wf_arena *arena = wf_arena_new();
	struct wf_endpoints endpoints;
	const char *keys;

	CU_ASSERT_EQUAL(wf_issuer_read_discovery("https://i", good,
			    strlen(good), arena, &endpoints, &keys, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(keys, "https://k/keys");
	CU_ASSERT_STRING_EQUAL(endpoints.token, "https://i/t");
	CU_ASSERT_STRING_EQUAL(endpoints.userinfo, "");
	CU_ASSERT_TRUE(endpoints.secret_in_body);
	for (size_t i = 0; i < COUNT(refused); i++)
		CU_ASSERT_EQUAL(
		    wf_issuer_read_discovery("https://i", refused[i],
			strlen(refused[i]), arena, &endpoints, &keys, NULL),
		    WF_INVALID);
	wf_arena_free(&arena);
}

/* --- the state of a sign-in ----------------------------------------------- */

static void test_state(void)
{
	unsigned char key[WF_OIDC_KEY_BYTES] = { 1 };
	char path[WF_OIDC_PATH_BYTES + 1];
	char text[WF_OIDC_STATE_SIZE];
	struct wf_oidc_state state;
	struct wf_oidc_state back;

	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	CU_ASSERT_EQUAL_FATAL(sodium_init() < 0, false);
	wf_oidc_state_make(&state, path, NOW);
	wf_oidc_state_encrypt(&state, key, text);
	CU_ASSERT_TRUE(wf_oidc_state_decrypt(&back, key, text));
	CU_ASSERT_STRING_EQUAL(back.state, state.state);
	CU_ASSERT_STRING_EQUAL(back.nonce, state.nonce);
	CU_ASSERT_STRING_EQUAL(back.verifier, state.verifier);
	CU_ASSERT_STRING_EQUAL(back.path, path);
	CU_ASSERT_EQUAL(back.expires, NOW);
	CU_ASSERT_STRING_NOT_EQUAL(state.state, state.nonce);
	CU_ASSERT_PTR_NULL(strstr(text, state.verifier));
	for (size_t i = 0; text[i] != '\0'; i += 5) {
		char was = text[i];

		text[i] = was == 'A' ? 'B' : 'A';
		CU_ASSERT_FALSE(wf_oidc_state_decrypt(&back, key, text));
		text[i] = was;
	}
	key[0] = 2;
	CU_ASSERT_FALSE(wf_oidc_state_decrypt(&back, key, text));
	CU_ASSERT_FALSE(wf_oidc_state_decrypt(&back, key, ""));
	CU_ASSERT_FALSE(wf_oidc_state_decrypt(&back, key, "AAAA"));
}

static void test_paths(void)
{
	static const char *const good[] = { "/", "/console/items?a=b&c=%20" };
	static const char *const bad[] = { "", "x", "//evil", "/\\evil",
		"https://evil", "/a\nb", "/a b", "/\"><script>", "/\xc3\xa4" };

	for (size_t i = 0; i < COUNT(good); i++)
		CU_ASSERT_TRUE(wf_oidc_is_path(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(wf_oidc_is_path(bad[i]));
}

/* --- directories ---------------------------------------------------------- */

static void test_filters(void)
{
	static const struct {
		const char *pattern;
		bool is_group;
		bool good;
	} patterns[] = {
		{ "(uid=%u)", false, true },
		{ "(&(objectClass=person)(|(uid=%u)))", false, true },
		{ "(uid=%d)", false, false },
		{ "(member=%d)", true, true },
		{ "(memberUid=%u)", true, true },
		{ "(uid=x)", false, false },
		{ "(uid=%u)(cn=%u)", false, false },
		{ "(|(uid=%u)(mail=%u))", false, true },
		{ "(|(uid=%u)(member=%d))", true, false },
		{ "(uid=%u)x", false, false },
		{ "(uid=%u", false, false },
		{ "(uid=%u))(", false, false },
		{ "uid=%u", false, false },
		{ "(uid=%s)", false, false },
		{ "(uid=%u%", false, false },
		{ "(&(uid=%u)(x=100%%))", false, true },
	};
	static const struct {
		const char *name;
		const char *filter;
	} names[] = {
		{ "maria", "(uid=maria)" },
		{ "*", "(uid=\\2a)" },
		{ "a)(uid=*", "(uid=a\\29\\28uid\\3d\\2a)" },
		{ "\\", "(uid=\\5c)" },
		{ "\xc3\xa4", "(uid=\\c3\\a4)" },
		{ "%u%d", "(uid=\\25u\\25d)" },
		{ NULL, "(uid=*)" },
	};

	for (size_t i = 0; i < COUNT(patterns); i++)
		CU_ASSERT_EQUAL(wf_ldap_filter_check(
				    patterns[i].pattern, patterns[i].is_group),
		    patterns[i].good);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct wf_buffer out;

		wf_buffer_init(&out, 1000);
		wf_ldap_filter_put(&out, "(uid=%u)", names[i].name, NULL);
		CU_ASSERT_STRING_EQUAL(wf_buffer_text(&out), names[i].filter);
		wf_buffer_free(&out);
	}
}

/* --- groups --------------------------------------------------------------- */

static void test_groups(void)
{
	static const char issuer[] = "https://i.example";
	static const struct {
		const char *map;
		const char *issuer;
		const char *group;
		const char *gives; /* NULL: nothing */
	} rows[] = {
		{ "Clerks=Clerk", "", "Clerks", "Clerk" },
		{ " Clerks = Clerk ;", "", "Clerks", "Clerk" },
		{ "Clerks=Clerk", "", "clerks", NULL },
		{ "Clerks=Clerk", "", "", NULL },
		{ "cn=Clerks,dc=x=Clerk", "", "cn=Clerks,dc=x", "Clerk" },
		{ "*=reader", issuer, "any", "reader" },
		{ "*=*", "", "any", "any" },
		{ "https://i.example a=b", issuer, "a", "b" },
		{ "https://j.example a=b", issuer, "a", NULL },
		{ "https://i.example/ a=b", issuer, "a", NULL },
		/* No name stands for an issuer and a name. */
		{ "https://i.example a=b", "https://j.example",
		    "https://i.example a", NULL },
		{ "https://i.example a=b", "", "https://i.example a", NULL },
	};
	static const char *const bad[] = { "a", "=b", "a=", "a=*", "a=b;c",
		"a=b; =" };
	struct wf_arena *arena = wf_arena_new();
	struct wf_group_map map;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *gives;

		CU_ASSERT_TRUE_FATAL(
		    wf_group_map_read(rows[i].map, arena, &map));
		CU_ASSERT_EQUAL_FATAL(map.count, 1);
		gives = wf_group_rule_gives(
		    &map.rules[0], rows[i].issuer, rows[i].group);
		CU_ASSERT_EQUAL(gives == NULL, rows[i].gives == NULL);
		if (gives != NULL && rows[i].gives != NULL)
			CU_ASSERT_STRING_EQUAL(gives, rows[i].gives);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(wf_group_map_read(bad[i], arena, &map));
	wf_arena_free(&arena);
}

CU_TestInfo wf_tests_provider[] = {
#ifdef HAVE_GNUTLS
	{ "signatures", test_signatures },
	{ "headers of tokens", test_headers },
	{ "sets of keys", test_key_sets },
#endif
	{ "claims", test_claims },
	{ "safe URLs", test_urls },
	{ "discovery documents", test_discovery },
	{ "the encrypted state", test_state },
	{ "paths to return to", test_paths },
	{ "filters of directories", test_filters },
	{ "what groups give", test_groups },
	CU_TEST_INFO_NULL,
};
