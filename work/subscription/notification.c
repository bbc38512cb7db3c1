/* SPDX-License-Identifier: Apache-2.0 */
#include "work/subscription/notification.h"

#include <stdlib.h>
#include <string.h>

#include "work/mail/mail_format.h"

#define TEXT_MAXIMUM_BYTES ((size_t)1 << 20)

void wf_notification_put_json(
    struct wf_buffer *body, const struct wf_notification *notification)
{
	json_t *object = json_object();
	char *text;

	if (notification->subscription[0] != '\0')
		json_object_set_new(object, "subscription",
		    json_string(notification->subscription));
	if (notification->observer[0] != '\0')
		json_object_set_new(
		    object, "observer", json_string(notification->observer));
	json_object_set_new(
	    object, "attempt", json_integer(notification->attempt));
	json_object_set(object, "events", notification->events);
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	wf_buffer_puts(body, text == NULL ? "{}" : text);
	free(text);
}

/* --- mail ----------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "" : text;
}

/* What a kind of event is called by people. */
static const char *words_of(const char *event)
{
	for (size_t i = 0; i < WF_OBSERVED_COUNT; i++)
		if (strcmp(wf_observed_rows[i].name, event) == 0)
			return wf_observed_rows[i].words;
	return "a test of the subscription";
}

static void put_line(
    struct wf_buffer *text, const char *what, const char *value)
{
	if (value[0] != '\0')
		wf_buffer_printf(text, "  %s: %s\r\n", what, value);
}

static void put_incident(struct wf_buffer *text, const json_t *incident)
{
	if (incident == NULL)
		return;
	wf_buffer_printf(text, "  incident: %lld, %s\r\n",
	    (long long)json_integer_value(
		json_object_get(incident, "incident")),
	    text_of(incident, "code"));
	put_line(text, "text", text_of(incident, "text"));
}

static void put_event(struct wf_buffer *text, const json_t *event)
{
	wf_buffer_printf(text, "%s  %s\r\n", text_of(event, "at"),
	    words_of(text_of(event, "event")));
	put_line(text, "case", text_of(event, "case"));
	put_line(text, "title", text_of(event, "title"));
	put_line(text, "specification", text_of(event, "uri"));
	put_line(text, "item", text_of(event, "item"));
	put_line(text, "worker", text_of(event, "worker"));
	put_incident(text, json_object_get(event, "incident"));
	put_line(text, "id", text_of(event, "id"));
	wf_buffer_puts(text, "\r\n");
}

static void put_subject(struct wf_buffer *subject, const json_t *events)
{
	const json_t *first = json_array_get(events, 0);
	const char *case_id = text_of(first, "case");
	size_t others = json_array_size(events) - 1;

	wf_buffer_printf(
	    subject, "Weft: %s", words_of(text_of(first, "event")));
	if (case_id[0] != '\0')
		wf_buffer_printf(subject, " (case %s)", case_id);
	if (others > 0)
		wf_buffer_printf(subject, ", and %zu more", others);
}

void wf_notification_put_mail(struct wf_buffer *mail,
    const struct wf_notification *notification, const char *from,
    const char *to, const char *key, const char *public_url, int64_t now)
{
	const char *const recipients[] = { to, NULL };
	struct wf_buffer subject;
	struct wf_buffer text;
	const json_t *event;
	size_t i;

	wf_buffer_init(&subject, TEXT_MAXIMUM_BYTES);
	wf_buffer_init(&text, TEXT_MAXIMUM_BYTES);
	put_subject(&subject, notification->events);
	json_array_foreach(notification->events, i, event)
	{
		put_event(&text, event);
	}
	wf_buffer_printf(&text, "The subscription %s of %s sends this.\r\n",
	    notification->subscription,
	    public_url[0] == '\0' ? "Weft" : public_url);
	wf_mail_write(mail, from, recipients, wf_buffer_text(&subject),
	    wf_buffer_text(&text), key, now);
	wf_buffer_free(&text);
	wf_buffer_free(&subject);
}
