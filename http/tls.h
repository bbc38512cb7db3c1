/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of a server, read from files again when they change.
 *
 *   read ──► offered to handshakes ──wf_tls_check(): files have changed──► read
 *                    ▲                                                      │
 *                    └────────────── refused: the old one stays ────────────┘
 */
#ifndef WF_HTTP_TLS_H
#define WF_HTTP_TLS_H

#include <stdbool.h>

#include "base/error.h"

/* TLS 1.3 and 1.2, with forward secrecy and authenticated encryption. */
#define WF_TLS_PRIORITIES                                                      \
	"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:"     \
	"+ECDHE-RSA:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:"                    \
	"+CHACHA20-POLY1305:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:"        \
	"+GROUP-SECP384R1:%SERVER_PRECEDENCE"

struct wf_tls; /* opaque; any thread */

/*
 * Reads a certificate, followed by its chain, and its key, both PEM.
 * WF_INVALID: the files hold none, or do not fit each other, or this was built
 * without GnuTLS; WF_IO: they cannot be read.
 */
enum wf_rc wf_tls_open(struct wf_tls **tls_out, const char *certificate,
    const char *key, struct wf_error *err) WF_MUSTCHECK;
void wf_tls_close(struct wf_tls **tls);

/*
 * Reads the files again if one of them has changed since they were read last.
 * *changed_out: whether one had.  An error, as of wf_tls_open(), is reported
 * once for each change; the certificate before it stays.
 */
enum wf_rc wf_tls_check(
    struct wf_tls *tls, bool *changed_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * For MHD_OPTION_HTTPS_CERT_CALLBACK2, a gnutls_certificate_retrieve_function3;
 * NULL: built without GnuTLS.
 */
void *wf_tls_callback(void);
/* Has a session, a gnutls_session_t, use this certificate. */
void wf_tls_begin(struct wf_tls *tls, void *session);

/*
 * Whether the next bytes of the socket are an alert: the peer ends the session
 * or has failed.  For a connection whose peer waits for an answer.
 */
bool wf_tls_is_ending(int socket);

#endif
