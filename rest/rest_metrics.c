/* SPDX-License-Identifier: Apache-2.0 */
/* What a server counts, in the text format of Prometheus. */
#include <ctype.h>
#include <string.h>

#include "kernel/or_join/or_join.h"
#include "rest/rest.h"
#include "rest/statistics/process_metrics.h"
#include "server/context.h"

struct facts {
	struct wf_server *server;
	struct wf_http_counts http;
	struct wf_streams_counts streams;
	struct wf_engine_counts engine;
	struct wf_sender_counts delivery;
	struct wf_mailer_counts mail;
	struct wf_server_counts own;
	struct wf_federation_counts federation;
	struct wf_tracer_counts traces;
	int64_t now;
	bool of_processes; /* they are many series */
};

/* --- values --------------------------------------------------------------- */

static void put_head(struct wf_buffer *text, const char *name, const char *type,
    const char *help)
{
	wf_buffer_printf(
	    text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put(struct wf_buffer *text, const char *name, double value)
{
	wf_buffer_printf(text, "%s %.17g\n", name, value);
}

static void put_labelled(struct wf_buffer *text, const char *name,
    const char *label, const char *value, uint64_t count)
{
	wf_buffer_printf(text, "%s{%s=\"%s\"} %llu\n", name, label, value,
	    (unsigned long long)count);
}

/* scale: of the buckets' bounds and the sum. */
static void put_spread(struct wf_buffer *text, const char *name,
    const struct wf_spread *spread, double scale)
{
	unsigned long long total = 0;

	for (unsigned i = 0; i < WF_SPREAD_STEPS; i++) {
		total += spread->counts[i];
		wf_buffer_printf(text, "%s_bucket{le=\"%.9g\"} %llu\n", name,
		    (double)(spread->unit << i) * scale, total);
	}
	total += spread->counts[WF_SPREAD_STEPS];
	wf_buffer_printf(text, "%s_bucket{le=\"+Inf\"} %llu\n", name, total);
	wf_buffer_printf(
	    text, "%s_sum %.17g\n", name, (double)spread->sum * scale);
	wf_buffer_printf(text, "%s_count %llu\n", name, total);
}

/* Seconds since that time; 0: it is in the future. */
static double busy(const struct facts *facts)
{
	unsigned shard;

	return (double)wf_engine_busy_ms(facts->server->engine, &shard) / 1000;
}

static double lag(const struct facts *facts, int64_t at)
{
	return at < facts->now ? (double)(facts->now - at) / 1000 : 0;
}

/* --- values with labels --------------------------------------------------- */

static void put_info(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	(void)facts;
	put_labelled(text, name, "version", PACKAGE_VERSION, 1);
}

static void put_statuses(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	char status[8];

	for (unsigned i = 0; i < WF_STATUSES; i++) {
		if (facts->own.statuses[i] == 0)
			continue;
		snprintf(status, sizeof(status), "%u", i);
		put_labelled(
		    text, name, "status", status, facts->own.statuses[i]);
	}
}

static void put_request_times(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	put_spread(text, name, &facts->own.times, 1e-6);
}

static void put_batch_sizes(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	put_spread(text, name, &facts->engine.batch_sizes, 1);
}

static void put_batch_times(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	put_spread(text, name, &facts->engine.batch_times, 1e-6);
}

/* value: the name of an enumerator; written in lower case. */
static void put_named(struct wf_buffer *text, const char *name,
    const char *label, const char *value, uint64_t count)
{
	char small[32] = "";

	for (size_t i = 0; value[i] != '\0' && i + 1 < sizeof(small); i++)
		small[i] = (char)tolower((unsigned char)value[i]);
	put_labelled(text, name, label, small, count);
}

static void put_commands(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
#define WF_COMMAND(command, word, item, since, meaning)                        \
	put_named(text, name, "command", #command,                             \
	    facts->engine.commands[WF_COMMAND_##command]);
#include "kernel/commands.def"
#undef WF_COMMAND
#define WF_REQUEST(code, kind, meaning)                                        \
	if (code != WF_REQUEST_COMMAND)                                        \
		put_named(text, name, "command", #kind,                        \
		    facts->engine.answered[code]);
#include "runtime/requests.def"
#undef WF_REQUEST
}

static void put_refusals(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
#define WF_RC(rc, http, exit, meaning)                                         \
	if (WF_##rc != WF_OK)                                                  \
		put_named(                                                     \
		    text, name, "code", #rc, facts->engine.refusals[WF_##rc]);
#include "base/rc.def"
#undef WF_RC
}

static void put_stages(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	for (unsigned i = 0; i < WF_OR_STAGES; i++)
		put_labelled(text, name, "stage",
		    wf_or_stage_name((enum wf_or_stage)i),
		    facts->engine.or_stages[i]);
}

static void put_deliveries(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	put_labelled(text, name, "result", "arrived", facts->delivery.arrived);
	put_labelled(text, name, "result", "failed", facts->delivery.failed);
	put_labelled(text, name, "result", "refused", facts->delivery.refused);
}

static void put_retention(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	struct wf_retention_counts counts;

	wf_retention_counts(facts->server->retention, &counts);
	put_labelled(text, name, "result", "dropped", counts.dropped);
	put_labelled(text, name, "result", "exported", counts.exported);
	put_labelled(text, name, "result", "failed", counts.failed);
}

static void put_mails(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	put_labelled(text, name, "result", "sent", facts->mail.sent);
	put_labelled(text, name, "result", "failed", facts->mail.failed);
	put_labelled(text, name, "result", "refused", facts->mail.refused);
}

static void put_notifications(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	struct wf_notifier_counts counts;

	wf_notifier_counts(atomic_load(&facts->server->notifier), &counts);
	put_labelled(text, name, "result", "sent", counts.sent);
	put_labelled(text, name, "result", "failed", counts.failed);
	put_labelled(text, name, "result", "given_up", counts.given_up);
}

static void put_posts(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	struct wf_listening_counts *counts = &facts->server->listening;

	put_labelled(text, name, "result", "sent", atomic_load(&counts->sent));
	put_labelled(
	    text, name, "result", "failed", atomic_load(&counts->failed));
	put_labelled(
	    text, name, "result", "refused", atomic_load(&counts->refused));
	put_labelled(
	    text, name, "result", "given_up", atomic_load(&counts->given_up));
}

static void put_sign_ins(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	put_labelled(text, name, "result", "passed", facts->federation.passed);
	put_labelled(
	    text, name, "result", "refused", facts->federation.refused);
	put_labelled(text, name, "result", "failed", facts->federation.failed);
}

static void put_tokens(
    struct wf_buffer *text, const char *name, const struct facts *facts)
{
	put_labelled(text, name, "result", "passed", facts->federation.tokens);
	put_labelled(
	    text, name, "result", "refused", facts->federation.tokens_refused);
}

static size_t askers_waiting(const struct facts *facts)
{
	size_t count = 0;

	for (size_t i = 0; i < WF_ASKERS; i++)
		if (facts->server->askers[i] != NULL)
			count +=
			    wf_fair_queue_waiting(facts->server->askers[i]);
	return count;
}

#define OF_PROCESSES(function)                                                 \
	static void function(struct wf_buffer *text, const char *name,         \
	    const struct facts *facts)                                         \
	{                                                                      \
		if (facts->of_processes)                                       \
			wf_##function(text, name,                              \
			    wf_statistics_counts(facts->server->statistics),   \
			    facts->now);                                       \
	}

OF_PROCESSES(put_case_events)
OF_PROCESSES(put_case_times)
OF_PROCESSES(put_item_events)
OF_PROCESSES(put_item_waits)
OF_PROCESSES(put_item_times)
OF_PROCESSES(put_open_items)
OF_PROCESSES(put_oldest_items)

static void put_all(struct wf_buffer *text, const struct facts *facts)
{
#define WF_METRICS(name, type, help, put_several)                              \
	put_head(text, name, #type, help);                                     \
	put_several(text, name, facts);
#define WF_METRIC(name, type, help, value)                                     \
	put_head(text, name, #type, help);                                     \
	put(text, name, (double)(value));
#define WF_METRIC_OF_STORE(name, type, help, value)                            \
	if (facts->own.has_backlog) {                                          \
		put_head(text, name, #type, help);                             \
		put(text, name, (double)(value));                              \
	}
#define WF_METRICS_OF_STORE(name, type, help, put_several)                     \
	if (facts->own.has_backlog) {                                          \
		put_head(text, name, #type, help);                             \
		put_several(text, name, facts);                                \
	}
#include "server/metrics.def"
#undef WF_METRICS
#undef WF_METRICS_OF_STORE
#undef WF_METRIC
#undef WF_METRIC_OF_STORE
}

/* --- collecting ----------------------------------------------------------- */

static void collect(struct wf_server *server, struct facts *facts)
{
	facts->server = server;
	wf_http_counts(server->http, &facts->http);
	wf_streams_counts(server->streams, &facts->streams);
	wf_sender_counts(atomic_load(&server->sender), &facts->delivery);
	wf_mailer_counts(atomic_load(&server->mailer), &facts->mail);
	wf_engine_counts(server->engine, &facts->engine);
	wf_federation_read_counts(server->federation, &facts->federation);
	wf_tracer_read_counts(server->tracer, &facts->traces);
	facts->now = wf_engine_now(server->engine);
	wf_server_read_counts(server, &facts->own);
}

void wf_rest_metrics(struct wf_rest *rest)
{
	struct wf_server *server = rest->server;
	struct wf_buffer text;
	struct facts facts = { .of_processes = rest->invocation.in_pool };

	if (!rest->invocation.in_pool && wf_server_has_readers(server)) {
		wf_rest_go_to_pool(rest);
		return;
	}
	if (rest->invocation.in_pool && wf_server_backlog_is_stale(server))
		wf_server_read_backlog(server);
	collect(server, &facts);
	wf_buffer_init(&text, SIZE_MAX / 2);
	put_all(&text, &facts);
	wf_exchange_answer(rest->exchange, 200,
	    "text/plain; version=0.0.4; charset=utf-8", text.data, text.length);
	wf_buffer_free(&text);
}
