/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/resource/org_find.h"

const struct wf_gateway_words wf_gateway_words[] = {
	[WF_ORG_CAPABILITY] = { "capabilityid", "capability", "Capability",
	    "capability", NULL },
	[WF_ORG_ROLE] = { "roleid", "role", "Role", "role",
	    "containingroleid" },
	[WF_ORG_GROUP] = { "groupid", "group", "OrgGroup", "org group",
	    "containinggroupid" },
	[WF_ORG_POSITION] = { "positionid", "position", "Position", "position",
	    "containingpositionid" },
	[WF_ORG_PARTICIPANT] = { "participantid", "participant", "Participant",
	    "participant", NULL },
	[WF_ORG_CATEGORY] = { "categoryid", "category", "NonHumanCategory",
	    "non-human category", NULL },
	[WF_ORG_THING] = { "resourceid", "NonHumanResource", "NonHumanResource",
	    "NonHumanResource", NULL },
};

const char *wf_gateway_id(const struct wf_gateway_call *call)
{
	const char *own = wf_gateway_words[call->action->kind].id;
	const char *id = wf_gateway_parameter(call, own);

	return id != NULL ? id : wf_gateway_parameter(call, "id");
}

void wf_gateway_read(struct wf_gateway_call *call, wf_gateway_read_f read)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool is_done = read(call, organisation);

	/* The call does not exist after its answer; the organisation does. */
	wf_organisation_unref(&organisation);
	if (is_done)
		wf_gateway_answer(call);
}
