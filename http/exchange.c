/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a request, and whose share of the budgets it uses. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <string.h>
#include <strings.h>

#include "base/panic.h"
#include "http/forwarded.h"
#include "http/http_server_priv.h"

const char *wf_exchange_method(const struct wf_exchange *exchange)
{
	return exchange->method;
}

const char *wf_exchange_target(const struct wf_exchange *exchange)
{
	return exchange->target;
}

const char *wf_exchange_header(
    const struct wf_exchange *exchange, const char *name)
{
	return MHD_lookup_connection_value(
	    exchange->connection, MHD_HEADER_KIND, name);
}

const char *wf_exchange_body(
    const struct wf_exchange *exchange, size_t *length_out)
{
	if (length_out != NULL)
		*length_out = exchange->body.length;
	return wf_buffer_text(&exchange->body);
}

/* All fields of one name, joined by commas. */
struct joined {
	const char *name;
	struct wf_buffer text;
	bool any;
};

static enum MHD_Result join_field(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct joined *joined = context;

	(void)kind;
	if (strcasecmp(name, joined->name) == 0) {
		wf_buffer_puts(&joined->text, joined->any ? "," : "");
		wf_buffer_puts(&joined->text, value == NULL ? "" : value);
		joined->any = true;
	}
	return MHD_YES;
}

/* NULL: there is none.  The caller frees the buffer. */
static const char *join_fields(
    const struct wf_exchange *exchange, struct joined *joined)
{
	wf_buffer_init(&joined->text, WF_CONNECTION_BYTES);
	(void)MHD_get_connection_values(
	    exchange->connection, MHD_HEADER_KIND, join_field, joined);
	return joined->any ? wf_buffer_text(&joined->text) : NULL;
}

const char *wf_exchange_joined_header(
    struct wf_exchange *exchange, const char *name)
{
	struct joined joined = { .name = name };
	const char *text = join_fields(exchange, &joined);

	if (text != NULL)
		text = wf_arena_strdup(exchange->arena, text);
	wf_buffer_free(&joined.text);
	return text;
}

/* The other end of the connection; false: unknown. */
bool wf_exchange_find_peer(
    const struct wf_exchange *exchange, struct wf_address_range *address_out)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info != NULL && info->client_addr != NULL &&
	       wf_address_of(info->client_addr, address_out);
}

const char *wf_exchange_peer(struct wf_exchange *exchange)
{
	const struct wf_address_ranges *proxies =
	    &exchange->http->settings.proxies;
	struct joined addresses = { .name = "X-Forwarded-For" };
	struct joined elements = { .name = "Forwarded" };
	struct wf_forwarded forwarded = { .addresses = NULL };
	char text[INET6_ADDRSTRLEN] = "";
	struct wf_address_range peer;

	if (!wf_exchange_find_peer(exchange, &peer))
		return "";
	if (wf_address_is_in(&peer, proxies)) {
		forwarded.addresses = join_fields(exchange, &addresses);
		forwarded.elements = join_fields(exchange, &elements);
	}
	wf_forwarded_client(&forwarded, &peer, proxies, text);
	wf_buffer_free(&addresses.text);
	wf_buffer_free(&elements.text);
	return wf_arena_strdup(exchange->arena, text);
}

bool wf_exchange_is_local(const struct wf_exchange *exchange)
{
	struct wf_address_range peer;

	return wf_exchange_find_peer(exchange, &peer) &&
	       wf_address_is_loopback(&peer) &&
	       wf_exchange_header(exchange, "X-Forwarded-For") == NULL &&
	       wf_exchange_header(exchange, "Forwarded") == NULL;
}

bool wf_exchange_is_https(const struct wf_exchange *exchange)
{
	const char *scheme = wf_exchange_header(exchange, "X-Forwarded-Proto");
	struct wf_address_range peer;

	return exchange->http->tls != NULL ||
	       (scheme != NULL && strcasecmp(scheme, "https") == 0 &&
		   wf_exchange_find_peer(exchange, &peer) &&
		   wf_address_is_in(&peer, &exchange->http->settings.proxies));
}

/*
 * A client that has closed its connection, or one direction of it, is gone,
 * whatever bytes are still there: at the end of a TLS session there are some.
 */
bool wf_exchange_is_alive(const struct wf_exchange *exchange)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd file = { .events = POLLRDHUP };

	if (info == NULL)
		return true;
	file.fd = info->connect_fd;
	if (poll(&file, 1, 0) > 0)
		return false;
	return exchange->http->tls == NULL || !wf_tls_is_ending(file.fd);
}

struct wf_arena *wf_exchange_arena(struct wf_exchange *exchange)
{
	return exchange->arena;
}

struct wf_arena *wf_exchange_scratch(struct wf_exchange *exchange)
{
	return exchange->scratch;
}

uint64_t wf_exchange_number(const struct wf_exchange *exchange)
{
	return exchange->number;
}

void wf_exchange_set_data(struct wf_exchange *exchange, void *data)
{
	exchange->data = data;
}

void *wf_exchange_data(const struct wf_exchange *exchange)
{
	return exchange->data;
}

unsigned wf_exchange_status(const struct wf_exchange *exchange)
{
	return exchange->status;
}

uint64_t wf_exchange_size(const struct wf_exchange *exchange)
{
	return exchange->size;
}

int64_t wf_exchange_duration(const struct wf_exchange *exchange)
{
	return exchange->took;
}

/* --- memory --------------------------------------------------------------- */

/* A name of an account has no blank. */
struct wf_member *wf_exchange_join(struct wf_exchange *exchange)
{
	if (exchange->member == NULL)
		exchange->member = wf_budget_join(exchange->http->budget,
		    wf_arena_printf(exchange->arena, "address %s",
			wf_exchange_peer(exchange)),
		    true);
	return exchange->member;
}

void wf_exchange_set_owner(struct wf_exchange *exchange, const char *owner)
{
	struct wf_budget *budget = exchange->http->budget;
	struct wf_member *old = exchange->member;

	wf_assert(exchange->held == 0 && !exchange->has_part);
	exchange->member = wf_budget_join(budget, owner, false);
	if (old != NULL)
		wf_member_pass(budget, old, exchange->member, WF_BUDGET_BODIES,
		    exchange->body.length);
	wf_budget_leave(budget, &old);
}

bool wf_exchange_hold(struct wf_exchange *exchange, size_t bytes)
{
	bool has_room = wf_member_take(exchange->http->budget,
	    wf_exchange_join(exchange), WF_BUDGET_ANSWERS, bytes);

	if (has_room)
		exchange->held += bytes;
	return has_room;
}

void wf_exchange_release(struct wf_exchange *exchange, size_t bytes)
{
	wf_assert(exchange->held >= bytes);
	exchange->held -= bytes;
	if (bytes > 0)
		wf_member_give_back(exchange->http->budget, exchange->member,
		    WF_BUDGET_ANSWERS, bytes);
}
