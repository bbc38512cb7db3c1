/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registered kinds of services.  The table is filled when a program starts
 * and then only read, so it needs no lock.
 */
#include <string.h>

#include "base/panic.h"
#include "work/handler.h"

static const struct wf_service_handler *kinds[WF_SERVICE_KINDS_MAXIMUM];

void wf_service_kind_add(const struct wf_service_handler *kind)
{
	const struct wf_service_handler *old = wf_service_kind(kind->number);

	wf_assert(old == NULL || old == kind);
	/* An added kind is not written again: threads may read it. */
	if (old == NULL)
		kinds[kind->number] = kind;
}

const struct wf_service_handler *wf_service_kind(uint32_t number)
{
	wf_assert(number < WF_SERVICE_KINDS_MAXIMUM);
	return kinds[number];
}

const struct wf_service_handler *wf_service_kind_find(const char *name)
{
	for (size_t i = 0; i < WF_SERVICE_KINDS_MAXIMUM; i++)
		if (kinds[i] != NULL && strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}
