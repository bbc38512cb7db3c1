/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What requests add to the audit (identity/audit.h) when they are answered:
 * sign-ins, and acts that change what people or processes may do.  An action is
 * such an act by its name: a verb, and what is changed.
 */
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "identity/audit.h"
#include "yawl/yawl.h"

static const char *const verbs[] = { "add", "create", "delete", "import", "new",
	"register", "remove", "save", "set", "update" };
static const char *const things[] = { "Account", "Capability", "Entry",
	"ExternalClient", "Listener", "NonHuman", "OrgData", "OrgGroup",
	"Participant", "Password", "Position", "Reservation", "Role",
	"Service" };
static const char *const whole[] = { "upload", "unload", "uploadSpecification",
	"unloadSpecification" };

/* Parameters that name what an act is about. */
static const char *const subjects[] = { "userID", "userid", "serviceURI",
	"serviceid", "listenerURI", "participantid", "roleid", "capabilityid",
	"positionid", "posid", "groupid", "resourceid", "categoryid", "entryid",
	"id", "name", "category", "subcategory", "uri", "specidentifier",
	"specuri" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_act(const char *name)
{
	bool has_verb = false;
	bool has_thing = false;

	for (size_t i = 0; i < COUNT(whole); i++)
		if (strcasecmp(name, whole[i]) == 0)
			return true;
	for (size_t i = 0; i < COUNT(verbs); i++)
		has_verb |= strncmp(name, verbs[i], strlen(verbs[i])) == 0;
	for (size_t i = 0; i < COUNT(things); i++)
		has_thing |= strstr(name, things[i]) != NULL;
	return has_verb && has_thing;
}

/* At most two of its parameters, in the arena of the exchange. */
static const char *subject_of(const struct wf_yawl_call *call)
{
	struct wf_arena *arena = wf_exchange_arena(call->exchange);
	const char *first = call->subject;

	for (size_t i = 0; i < COUNT(subjects); i++) {
		const char *value = wf_yawl_parameter(call, subjects[i]);

		if (value == NULL || *value == '\0')
			continue;
		if (first != NULL)
			return wf_arena_printf(
			    arena, "%.200s %.200s", first, value);
		first = value;
	}
	return first == NULL ? "" : first;
}

/* A failure stands at the beginning, perhaps in an element "response". */
static bool is_failure(const char *answer)
{
	const char *found = strstr(answer, "<failure");

	return found != NULL &&
	       found - answer <= (ptrdiff_t)sizeof("<response>");
}

void wf_yawl_audit(
    struct wf_yawl_call *call, unsigned status, const char *answer)
{
	const struct wf_operation *operation = call->invocation.operation;
	struct wf_audit_row act;

	if (call->user == NULL || operation == NULL || !is_act(operation->name))
		return;
	act = (struct wf_audit_row){ .at = wf_time_ms(),
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.account = call->user,
		.address = wf_exchange_peer(call->exchange),
		.kind = operation->name,
		.subject = subject_of(call),
		.result = status >= 400 || is_failure(answer) ? "failed"
							      : WF_AUDIT_DONE,
		.detail = WF_YAWL_ORIGIN };
	wf_audit_add(call->server->audit, &act);
}

void wf_yawl_audit_sign_in(
    struct wf_yawl_call *call, const char *account, const char *result)
{
	const struct wf_audit_row act = { .at = wf_time_ms(),
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.account = account,
		.address = wf_exchange_peer(call->exchange),
		.kind = WF_AUDIT_SIGN_IN,
		.subject = "",
		.result = result,
		.detail = WF_YAWL_ORIGIN };

	wf_audit_sign_in(call->server->audit, &act);
}
