/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/bench_tls.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef HAVE_GNUTLS
#include <gnutls/gnutls.h>

/* For all connections; as long as the program runs. */
static gnutls_certificate_credentials_t trusted;

static bool trust(const char *ca)
{
	if (trusted != NULL)
		return true;
	return gnutls_certificate_allocate_credentials(&trusted) >= 0 &&
	       (ca == NULL ? gnutls_certificate_set_x509_system_trust(trusted)
			   : gnutls_certificate_set_x509_trust_file(
				 trusted, ca, GNUTLS_X509_FMT_PEM)) > 0;
}

bool wf_channel_secure(
    struct wf_channel *channel, const char *host, const char *ca)
{
	gnutls_session_t session = NULL;
	int code;

	if (!trust(ca) ||
	    gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL) < 0)
		return false;
	channel->session = session;
	gnutls_set_default_priority(session);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, trusted);
	gnutls_session_set_verify_cert(session, host, 0);
	gnutls_transport_set_int(session, channel->fd);
	do
		code = gnutls_handshake(session);
	while (code < 0 && gnutls_error_is_fatal(code) == 0);
	return code >= 0;
}

static ssize_t result(ssize_t count)
{
	if (count >= 0)
		return count;
	errno = gnutls_error_is_fatal((int)count) == 0 ? EAGAIN : EIO;
	return -1;
}

ssize_t wf_channel_send(
    struct wf_channel *channel, const char *bytes, size_t size)
{
	if (channel->session == NULL)
		return send(channel->fd, bytes, size, MSG_NOSIGNAL);
	return result(gnutls_record_send(channel->session, bytes, size));
}

ssize_t wf_channel_receive(struct wf_channel *channel, char *bytes, size_t size)
{
	if (channel->session == NULL)
		return recv(channel->fd, bytes, size, 0);
	return result(gnutls_record_recv(channel->session, bytes, size));
}

bool wf_channel_has_more(const struct wf_channel *channel)
{
	return channel->session != NULL &&
	       gnutls_record_check_pending(channel->session) > 0;
}

static void end(struct wf_channel *channel)
{
	if (channel->session != NULL)
		gnutls_deinit(channel->session);
}

#else

bool wf_channel_secure(
    struct wf_channel *channel, const char *host, const char *ca)
{
	(void)channel;
	(void)host;
	(void)ca;
	return false;
}

ssize_t wf_channel_send(
    struct wf_channel *channel, const char *bytes, size_t size)
{
	return send(channel->fd, bytes, size, MSG_NOSIGNAL);
}

ssize_t wf_channel_receive(struct wf_channel *channel, char *bytes, size_t size)
{
	return recv(channel->fd, bytes, size, 0);
}

bool wf_channel_has_more(const struct wf_channel *channel)
{
	(void)channel;
	return false;
}

static void end(struct wf_channel *channel)
{
	(void)channel;
}

#endif

void wf_channel_close(struct wf_channel *channel)
{
	end(channel);
	channel->session = NULL;
	if (channel->fd >= 0)
		close(channel->fd);
	channel->fd = -1;
}
