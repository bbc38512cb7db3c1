/* SPDX-License-Identifier: Apache-2.0 */
/* Sends forms, and reads the elements of the answers. */
#include "migration/yawl_remote.h"

#include <string.h>

#include "http/http_client.h"
#include "identity/sha1.h"

#define ANSWER_MAXIMUM ((size_t)1 << 30)
#define GATES 3

static const struct {
	const char *path;
	const char *user; /* the name of that parameter in the interface */
} gates[GATES] = {
	[WF_YAWL_GATE_A] = { "/ia", "userID" },
	[WF_YAWL_GATE_B] = { "/ib", "userid" },
	[WF_YAWL_GATE_E] = { "/logGateway", "userid" },
};

struct wf_yawl_remote {
	struct wf_client *client;
	struct wf_arena *arena;
	const char *user;
	char password[WF_SHA1_TEXT];
	const char *handles[GATES]; /* NULL: not connected yet */
};

static void put_parameter(
    struct wf_buffer *form, const char *name, const char *value)
{
	wf_buffer_printf(form, "%s%s=", form->length == 0 ? "" : "&", name);
	wf_client_escape(form, value);
}

/* The text of a failure: its reason, or the whole element. */
static enum wf_rc check_failure(
    const struct wf_xml *answer, const char *action, struct wf_error *err)
{
	const struct wf_xml *failure = wf_xml_child(answer, "failure");
	const struct wf_xml *reason;

	if (failure == NULL && strcmp(answer->name, "failure") == 0)
		failure = answer;
	if (failure == NULL)
		return WF_OK;
	reason = wf_xml_child(failure, "reason");
	return wf_fail(err, WF_INVALID, "the YAWL engine says to %s: %s",
	    action, reason == NULL ? failure->text : reason->text);
}

/* Interface E answers without an element around the answer. */
static enum wf_rc read_answer(const struct wf_buffer *body, const char *action,
    struct wf_arena *arena, const struct wf_xml **answer_out,
    struct wf_error *err)
{
	const char *text = wf_buffer_text(body);
	struct wf_xml *root;
	enum wf_rc rc;

	if (strncmp(text, "<response", 9) == 0)
		text = wf_arena_strndup(arena, text, body->length);
	else
		text = wf_arena_printf(arena, "<response>%s</response>", text);
	rc = wf_xml_read(&root, arena, text, strlen(text), err);
	*answer_out = root;
	if (rc == WF_OK)
		return check_failure(root, action, err);
	wf_error_prefix(err, "the YAWL engine's answer to %s", action);
	return rc;
}

static enum wf_rc call(struct wf_yawl_remote *remote, enum wf_yawl_gate gate,
    const char *action, const struct wf_buffer *form, struct wf_arena *arena,
    const struct wf_xml **answer_out, struct wf_error *err)
{
	struct wf_call post = { .method = "POST",
		.path = gates[gate].path,
		.type = "application/x-www-form-urlencoded",
		.body = wf_buffer_text(form),
		.length = form->length };
	struct wf_buffer body;
	enum wf_rc rc;

	wf_buffer_init(&body, ANSWER_MAXIMUM);
	rc = wf_client_call(remote->client, &post, &body, err);
	if (rc == WF_OK)
		rc = read_answer(&body, action, arena, answer_out, err);
	wf_buffer_free(&body);
	return rc;
}

static enum wf_rc connect(
    struct wf_yawl_remote *remote, enum wf_yawl_gate gate, struct wf_error *err)
{
	const struct wf_xml *answer;
	struct wf_buffer form;
	enum wf_rc rc;

	wf_buffer_init(&form, ANSWER_MAXIMUM);
	put_parameter(&form, "action", "connect");
	put_parameter(&form, gates[gate].user, remote->user);
	put_parameter(&form, "password", remote->password);
	rc = call(remote, gate, "connect", &form, remote->arena, &answer, err);
	wf_buffer_free(&form);
	if (rc == WF_OK && answer->text[0] == '\0')
		rc = wf_fail(err, WF_INVALID,
		    "what is there gives no session: it is no YAWL engine");
	if (rc == WF_OK)
		remote->handles[gate] = answer->text;
	return rc;
}

enum wf_rc wf_yawl_remote_ask(struct wf_yawl_remote *remote,
    enum wf_yawl_gate gate, const char *action, const char *const *parameters,
    struct wf_arena *arena, const struct wf_xml **answer_out,
    struct wf_error *err)
{
	struct wf_buffer form;
	enum wf_rc rc = WF_OK;

	if (remote->handles[gate] == NULL)
		rc = connect(remote, gate, err);
	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&form, ANSWER_MAXIMUM);
	put_parameter(&form, "action", action);
	put_parameter(&form, "sessionHandle", remote->handles[gate]);
	for (; parameters != NULL && *parameters != NULL; parameters += 2)
		put_parameter(&form, parameters[0], parameters[1]);
	rc = call(remote, gate, action, &form, arena, answer_out, err);
	wf_buffer_free(&form);
	return rc;
}

enum wf_rc wf_yawl_remote_open(struct wf_yawl_remote **remote_out,
    const char *address, const char *user, const char *password,
    struct wf_error *err)
{
	struct wf_yawl_remote *remote = wf_calloc(1, sizeof(*remote));
	enum wf_rc rc = wf_client_open(&remote->client, address, NULL, err);

	remote->arena = wf_arena_new();
	remote->user = wf_arena_strdup(remote->arena, user);
	wf_sha1_text(password, strlen(password), remote->password);
	if (rc == WF_OK)
		rc = connect(remote, WF_YAWL_GATE_A, err);
	*remote_out = remote;
	if (rc != WF_OK)
		wf_yawl_remote_close(remote_out);
	return rc;
}

void wf_yawl_remote_close(struct wf_yawl_remote **remote)
{
	struct wf_yawl_remote *old = *remote;
	const struct wf_xml *answer;

	*remote = NULL;
	if (old == NULL)
		return;
	/* Ends the session; a failure has no consequence. */
	for (enum wf_yawl_gate gate = 0; gate < WF_YAWL_GATE_E; gate++)
		if (old->handles[gate] != NULL &&
		    wf_yawl_remote_ask(old, gate, "disconnect", NULL,
			old->arena, &answer, NULL) != WF_OK)
			break;
	wf_client_close(&old->client);
	wf_arena_free(&old->arena);
	wf_free(old);
}
