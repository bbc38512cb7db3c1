/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server over libmicrohttpd: it opens, serves, drains and closes. */
#include "http/http_server.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/http_server_priv.h"
#include "http/listening.h"

/* When clients have used so much less memory, the system gets it back. */
#define FALL_BYTES ((size_t)8 << 20)
/* Closing waits at most so long for answers that are being sent. */
#define CLOSING_MS 10000

/* How many of settings->connections a worker may have open. */
static unsigned share(const struct wf_http_settings *settings, unsigned number)
{
	return settings->connections / settings->threads +
	       (number < settings->connections % settings->threads);
}

/* NULL: failed.  The daemon closes the socket. */
static struct MHD_Daemon *start(
    struct wf_http_worker *worker, int socket, unsigned connections)
{
	struct wf_http *http = worker->http;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, wf_tls_callback() },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		    (void *)(uintptr_t)WF_TLS_PRIORITIES },
		{ MHD_OPTION_END, 0, NULL },
	};
	bool is_plain = http->tls == NULL;

	return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
				    MHD_USE_TURBO |
				    (is_plain ? 0U : MHD_USE_TLS),
	    0, NULL, NULL, wf_http_access, NULL, MHD_OPTION_LISTEN_SOCKET,
	    socket, MHD_OPTION_CONNECTION_LIMIT, connections,
	    MHD_OPTION_CONNECTION_TIMEOUT, http->settings.idle_seconds,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, WF_CONNECTION_BYTES,
	    MHD_OPTION_URI_LOG_CALLBACK, wf_http_begin_exchange, worker,
	    MHD_OPTION_NOTIFY_COMPLETED, wf_http_end_exchange, http,
	    MHD_OPTION_NOTIFY_CONNECTION, wf_http_count_connection, http,
	    MHD_OPTION_ARRAY, is_plain ? &tls[2] : tls, MHD_OPTION_END);
}

static enum wf_rc open_worker(
    struct wf_http *http, unsigned number, int socket, struct wf_error *err)
{
	struct wf_http_worker *worker = &http->workers[number];
	struct MHD_Daemon *daemon = NULL;
	int copy = fcntl(socket, F_DUPFD_CLOEXEC, 0);

	worker->http = http;
	if (copy >= 0)
		daemon = start(worker, copy, share(&http->settings, number));
	if (daemon == NULL)
		return wf_fail(err, WF_IO, "connections cannot be served");
	if (number == 0)
		http->port =
		    MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)
			->port;
	return wf_http_loop_open(&worker->loop, daemon, err);
}

static size_t at_least(size_t bytes, size_t least)
{
	return bytes < least ? least : bytes;
}

/* An owner can always send one body of the greatest size. */
static struct wf_budget *new_budget(const struct wf_http_settings *settings)
{
	struct wf_budget_limit limits[WF_BUDGET_KINDS] = {
		[WF_BUDGET_BODIES] = { .bytes = settings->bodies_bytes },
		[WF_BUDGET_ANSWERS] = { .bytes = settings->answers_bytes },
	};
	struct wf_budget_limit *bodies = &limits[WF_BUDGET_BODIES];

	wf_assert(settings->share >= 1 && settings->share <= 100);
	for (size_t i = 0; i < WF_BUDGET_KINDS; i++) {
		limits[i].share = limits[i].bytes / 100 * settings->share;
		limits[i].strangers = limits[i].bytes / 2;
	}
	bodies->share = at_least(bodies->share, settings->body_bytes);
	bodies->strangers = at_least(bodies->strangers, settings->body_bytes);
	return wf_budget_new(limits);
}

static void free_http(struct wf_http *http)
{
	for (unsigned i = 0; i < http->settings.threads; i++)
		wf_http_loop_close(&http->workers[i].loop);
	wf_assert(atomic_load(&http->connections) == 0);
	wf_budget_free(&http->budget);
	wf_request_timeouts_free(&http->timeouts);
	wf_tls_close(&http->tls);
	pthread_cond_destroy(&http->answered);
	pthread_mutex_destroy(&http->lock);
	wf_free(http->address);
	wf_free(http);
}

static enum wf_rc open_certificate(struct wf_tls **tls_out,
    const struct wf_http_settings *settings, struct wf_error *err)
{
	bool certificate = settings->tls_certificate != NULL &&
			   settings->tls_certificate[0] != '\0';
	bool key = settings->tls_key != NULL && settings->tls_key[0] != '\0';

	*tls_out = NULL;
	if (certificate != key)
		return wf_fail(err, WF_INVALID,
		    "%s needs %s: the certificate and its key are two files",
		    certificate ? "tls-certificate" : "tls-key",
		    certificate ? "tls-key" : "tls-certificate");
	return certificate ? wf_tls_open(tls_out, settings->tls_certificate,
				 settings->tls_key, err)
			   : WF_OK;
}

enum wf_rc wf_http_listen(int *socket_out,
    const struct wf_http_settings *settings, struct wf_error *err)
{
	struct wf_tls *tls;
	enum wf_rc rc = open_certificate(&tls, settings, err);
	bool is_plain = tls == NULL;

	wf_tls_close(&tls);
	if (rc == WF_OK)
		rc = wf_listen(
		    socket_out, settings->address, settings->port, err);
	if (rc != WF_OK || !is_plain || settings->insecure ||
	    settings->proxies.count > 0 || wf_listening_is_local(*socket_out))
		return rc;
	close(*socket_out);
	*socket_out = -1;
	return wf_fail(err, WF_INVALID,
	    "%s can be reached from other machines, and plain HTTP would show "
	    "them all tokens: name a certificate (--tls-certificate and "
	    "--tls-key), or the proxy in front of the server (--proxy), or "
	    "say --insecure",
	    settings->address);
}

enum wf_rc wf_http_open(struct wf_http **http_out, int socket,
    const struct wf_http_settings *settings, const struct wf_http_calls *calls,
    struct wf_error *err)
{
	struct wf_http *http;
	struct wf_tls *tls;
	enum wf_rc rc;

	wf_assert(settings->threads > 0 && socket >= 0);
	*http_out = NULL;
	rc = open_certificate(&tls, settings, err);
	if (rc != WF_OK) {
		close(socket);
		return rc;
	}
	http = wf_calloc(
	    1, sizeof(*http) + settings->threads * sizeof(http->workers[0]));
	http->settings = *settings;
	http->calls = *calls;
	http->address = wf_strdup(settings->address);
	http->settings.address = http->address;
	http->tls = tls;
	http->timeouts = wf_request_timeouts_new();
	http->budget = new_budget(settings);
	pthread_mutex_init(&http->lock, NULL);
	wf_condition_init(&http->answered);
	for (unsigned i = 0; i < settings->threads && rc == WF_OK; i++)
		rc = open_worker(http, i, socket, err);
	close(socket);
	if (rc != WF_OK) {
		free_http(http);
		return rc;
	}
	*http_out = http;
	return WF_OK;
}

void wf_http_serve(struct wf_http *http)
{
	for (unsigned i = 0; i < http->settings.threads; i++)
		wf_http_loop_serve(http->workers[i].loop);
}

uint16_t wf_http_port(const struct wf_http *http)
{
	return http->port;
}

void wf_http_counts(struct wf_http *http, struct wf_http_counts *counts_out)
{
	counts_out->connections = atomic_load(&http->connections);
	counts_out->body_bytes = wf_budget_used(http->budget, WF_BUDGET_BODIES);
	counts_out->answer_bytes =
	    wf_budget_used(http->budget, WF_BUDGET_ANSWERS);
}

/* How much less memory clients use than before; of what falls bit by bit, the
 * sum. */
static size_t fall(struct wf_http *http)
{
	unsigned now = atomic_load(&http->connections);
	size_t bytes = http->fallen + wf_budget_fall(http->budget);

	if (http->most_connections > now)
		bytes += (http->most_connections - now) * WF_CONNECTION_BYTES;
	http->most_connections = now;
	http->fallen = bytes < FALL_BYTES ? bytes : 0;
	return bytes;
}

enum wf_rc wf_http_check_certificate(
    struct wf_http *http, bool *changed_out, struct wf_error *err)
{
	*changed_out = false;
	return http->tls == NULL ? WF_OK
				 : wf_tls_check(http->tls, changed_out, err);
}

void wf_http_check(struct wf_http *http)
{
	wf_request_timeouts_check(
	    http->timeouts, (int64_t)http->settings.idle_seconds * 2 * 1000);
	if (fall(http) >= FALL_BYTES)
		wf_memory_trim();
}

void wf_http_drain(struct wf_http *http)
{
	if (atomic_exchange(&http->draining, true))
		return;
	for (unsigned i = 0; i < http->settings.threads; i++)
		wf_http_loop_drain(http->workers[i].loop);
}

static void await_answers(struct wf_http *http)
{
	int64_t until = wf_monotonic_ms() + CLOSING_MS;

	pthread_mutex_lock(&http->lock);
	while (http->answering > 0 &&
	       wf_wait_until(&http->answered, &http->lock, until))
		;
	pthread_mutex_unlock(&http->lock);
}

void wf_http_close(struct wf_http **http)
{
	struct wf_http *old = *http;

	*http = NULL;
	if (old == NULL)
		return;
	wf_http_drain(old);
	await_answers(old);
	free_http(old);
}

const char *wf_http_version(void)
{
	return MHD_get_version();
}
