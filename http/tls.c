/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each handshake gets a copy of the certificate and the key, which GnuTLS frees
 * after it: so the files may change while handshakes are under way.
 */
#include "http/tls.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#ifdef HAVE_GNUTLS
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#endif

#include "base/buffer.h"
#include "base/memory.h"
#include "base/panic.h"

#ifdef HAVE_GNUTLS

#define FILE_BYTES ((size_t)1 << 20)
#define CHAIN_LENGTH 16U

/* What a file is known by. */
struct mark {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
	struct timespec changed;
};

/* A certificate with its chain, or its key. */
struct file {
	char *path;
	struct mark mark; /* all zero: it is not there */
	struct wf_buffer pem;
};

struct wf_tls {
	struct file files[2];
	pthread_mutex_t lock; /* of the PEM of both files */
};

enum { CERTIFICATE, KEY };

static struct mark take_mark(const char *path)
{
	struct mark mark;
	struct stat is;

	memset(&mark, 0, sizeof(mark));
	if (stat(path, &is) != 0)
		return mark;
	mark.device = is.st_dev;
	mark.inode = is.st_ino;
	mark.size = is.st_size;
	mark.modified = is.st_mtim;
	mark.changed = is.st_ctim;
	return mark;
}

static bool is_same(const struct mark *a, const struct mark *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->size == b->size && a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec &&
	       a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

/* --- certificates and keys ------------------------------------------------ */

static gnutls_datum_t datum_of(const struct wf_buffer *pem)
{
	return (gnutls_datum_t){
		.data = (unsigned char *)(uintptr_t)wf_buffer_text(pem),
		.size = (unsigned)pem->length
	};
}

/* The caller frees what both point to; NULL after an error of GnuTLS. */
static int read_chain(const struct wf_buffer *pem, gnutls_pcert_st **chain_out,
    unsigned *count_out)
{
	gnutls_datum_t datum = datum_of(pem);
	gnutls_pcert_st *chain = gnutls_calloc(CHAIN_LENGTH, sizeof(chain[0]));
	int code = GNUTLS_E_MEMORY_ERROR;

	*count_out = CHAIN_LENGTH;
	if (chain != NULL)
		code = gnutls_pcert_list_import_x509_raw(chain, count_out,
		    &datum, GNUTLS_X509_FMT_PEM,
		    GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED);
	if (code < 0) {
		gnutls_free(chain);
		chain = NULL;
	}
	*chain_out = chain;
	return code;
}

static int read_key(const struct wf_buffer *pem, gnutls_privkey_t *key_out)
{
	gnutls_datum_t datum = datum_of(pem);
	int code = gnutls_privkey_init(key_out);

	if (code < 0)
		return code;
	code = gnutls_privkey_import_x509_raw(
	    *key_out, &datum, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (code < 0)
		gnutls_privkey_deinit(*key_out);
	return code;
}

static void free_chain(gnutls_pcert_st *chain, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		gnutls_pcert_deinit(&chain[i]);
	gnutls_free(chain);
}

/* Whether the key is that of the certificate. */
static bool fits(const gnutls_pcert_st *certificate, gnutls_privkey_t key)
{
	unsigned char ids[2][64];
	size_t sizes[2] = { sizeof(ids[0]), sizeof(ids[1]) };
	gnutls_pubkey_t public;
	bool equal;

	if (gnutls_pubkey_init(&public) < 0)
		return false;
	equal = gnutls_pubkey_import_privkey(public, key, 0, 0) >= 0 &&
		gnutls_pubkey_get_key_id(
		    public, GNUTLS_KEYID_USE_SHA256, ids[0], &sizes[0]) >= 0 &&
		gnutls_pubkey_get_key_id(certificate->pubkey,
		    GNUTLS_KEYID_USE_SHA256, ids[1], &sizes[1]) >= 0 &&
		sizes[0] == sizes[1] && memcmp(ids[0], ids[1], sizes[0]) == 0;
	gnutls_pubkey_deinit(public);
	return equal;
}

static enum wf_rc check_files(const struct file files[2], struct wf_error *err)
{
	gnutls_pcert_st *chain;
	gnutls_privkey_t key;
	unsigned count;
	int code = read_chain(&files[CERTIFICATE].pem, &chain, &count);
	enum wf_rc rc = WF_OK;

	if (code < 0)
		return wf_fail(err, WF_INVALID,
		    "%.200s: expected a certificate in PEM: %s",
		    files[CERTIFICATE].path, gnutls_strerror(code));
	code = read_key(&files[KEY].pem, &key);
	if (code < 0)
		rc = wf_fail(err, WF_INVALID,
		    "%.200s: expected a key in PEM, without a password: %s",
		    files[KEY].path, gnutls_strerror(code));
	else if (!fits(&chain[0], key))
		rc = wf_fail(err, WF_INVALID,
		    "%.200s is not the key of the first certificate in %.200s",
		    files[KEY].path, files[CERTIFICATE].path);
	if (code >= 0)
		gnutls_privkey_deinit(key);
	free_chain(chain, count);
	return rc;
}

/* Marks are taken first: what changes while it is read is read again. */
static enum wf_rc read_files(struct wf_tls *tls, struct wf_error *err)
{
	struct file fresh[2];
	enum wf_rc rc = WF_OK;

	for (int i = 0; i < 2; i++) {
		fresh[i].path = tls->files[i].path;
		tls->files[i].mark = take_mark(fresh[i].path);
		wf_buffer_init(&fresh[i].pem, FILE_BYTES);
		if (rc == WF_OK)
			rc = wf_buffer_read_file(
			    &fresh[i].pem, fresh[i].path, err);
	}
	if (rc == WF_OK)
		rc = check_files(fresh, err);
	pthread_mutex_lock(&tls->lock);
	for (int i = 0; rc == WF_OK && i < 2; i++) {
		struct wf_buffer old = tls->files[i].pem;

		tls->files[i].pem = fresh[i].pem;
		fresh[i].pem = old;
	}
	pthread_mutex_unlock(&tls->lock);
	for (int i = 0; i < 2; i++)
		wf_buffer_free(&fresh[i].pem);
	return rc;
}

enum wf_rc wf_tls_open(struct wf_tls **tls_out, const char *certificate,
    const char *key, struct wf_error *err)
{
	struct wf_tls *tls = wf_calloc(1, sizeof(*tls));
	enum wf_rc rc;

	*tls_out = tls;
	pthread_mutex_init(&tls->lock, NULL);
	tls->files[CERTIFICATE].path = wf_strdup(certificate);
	tls->files[KEY].path = wf_strdup(key);
	for (int i = 0; i < 2; i++)
		wf_buffer_init(&tls->files[i].pem, FILE_BYTES);
	rc = read_files(tls, err);
	if (rc != WF_OK)
		wf_tls_close(tls_out);
	return rc;
}

void wf_tls_close(struct wf_tls **tls)
{
	struct wf_tls *old = *tls;

	*tls = NULL;
	if (old == NULL)
		return;
	for (int i = 0; i < 2; i++) {
		wf_buffer_free(&old->files[i].pem);
		wf_free(old->files[i].path);
	}
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

enum wf_rc wf_tls_check(
    struct wf_tls *tls, bool *changed_out, struct wf_error *err)
{
	*changed_out = false;
	for (int i = 0; i < 2; i++) {
		struct mark now = take_mark(tls->files[i].path);

		*changed_out |= !is_same(&now, &tls->files[i].mark);
	}
	return *changed_out ? read_files(tls, err) : WF_OK;
}

/* --- handshakes ----------------------------------------------------------- */

static int give_certificate(gnutls_session_t session,
    const struct gnutls_cert_retr_st *info, gnutls_pcert_st **chain_out,
    unsigned *count_out, gnutls_ocsp_data_st **ocsp_out,
    unsigned *ocsp_count_out, gnutls_privkey_t *key_out, unsigned *flags_out)
{
	struct wf_tls *tls = gnutls_session_get_ptr(session);
	int code;

	(void)info;
	wf_assert(tls != NULL);
	*ocsp_out = NULL;
	*ocsp_count_out = 0;
	*flags_out = GNUTLS_CERT_RETR_DEINIT_ALL;
	pthread_mutex_lock(&tls->lock);
	code = read_chain(&tls->files[CERTIFICATE].pem, chain_out, count_out);
	if (code >= 0)
		code = read_key(&tls->files[KEY].pem, key_out);
	pthread_mutex_unlock(&tls->lock);
	if (code >= 0)
		return 0;
	if (*chain_out != NULL)
		free_chain(*chain_out, *count_out);
	return -1;
}

void *wf_tls_callback(void)
{
	gnutls_certificate_retrieve_function3 *callback = give_certificate;
	void *pointer;

	memcpy(&pointer, &callback, sizeof(pointer));
	return pointer;
}

/* libmicrohttpd needs this pointer of a session for pre-shared keys only. */
void wf_tls_begin(struct wf_tls *tls, void *session)
{
	gnutls_session_set_ptr(session, tls);
}

#else

enum wf_rc wf_tls_open(struct wf_tls **tls_out, const char *certificate,
    const char *key, struct wf_error *err)
{
	(void)certificate;
	(void)key;
	*tls_out = NULL;
	return wf_fail(err, WF_INVALID,
	    "tls-certificate: this weft was built without TLS (without "
	    "GnuTLS)");
}

void wf_tls_close(struct wf_tls **tls)
{
	wf_assert(*tls == NULL);
}

enum wf_rc wf_tls_check(
    struct wf_tls *tls, bool *changed_out, struct wf_error *err)
{
	(void)tls;
	(void)err;
	*changed_out = false;
	return WF_OK;
}

void *wf_tls_callback(void)
{
	return NULL;
}

void wf_tls_begin(struct wf_tls *tls, void *session)
{
	(void)tls;
	(void)session;
}

#endif

/* --- alerts --------------------------------------------------------------- */

#define ALERT 21U
#define APPLICATION_DATA 23U
/*
 * TLS 1.3 encrypts alerts as data: two bytes, one for the type, and a tag of 16
 * bytes.  No request begins with a record of two bytes.
 */
#define ENCRYPTED_ALERT_BYTES (2U + 1U + 16U)

bool wf_tls_is_ending(int socket)
{
	unsigned char head[5]; /* of a record: type, version, length */
	ssize_t got = recv(socket, head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);

	if (got != (ssize_t)sizeof(head))
		return false;
	return head[0] == ALERT ||
	       (head[0] == APPLICATION_DATA &&
		   head[3] * 256U + head[4] <= ENCRYPTED_ALERT_BYTES);
}
