/* SPDX-License-Identifier: Apache-2.0 */
#include "work/handler.h"

#include <string.h>

#include "spec/spec.h"

static const char *uncalled(const struct wf_service *service)
{
	(void)service;
	return "workers claim its items";
}

const struct wf_service_handler wf_pull_handler = {
	.number = 2,
	.name = "pull",
	.uncalled = uncalled,
};

const char *wf_service_uncalled(const struct wf_service *service)
{
	return service->kind->uncalled == NULL
		   ? NULL
		   : service->kind->uncalled(service);
}

void wf_service_kinds_add_own(void)
{
	wf_service_kind_add(&wf_push_handler);
	wf_service_kind_add(&wf_pull_handler);
	wf_service_kind_add(&wf_built_in_handler);
}

/* As give_up() in delivery_outcome.c. */
static bool is_missed(
    const struct wf_service *service, enum wf_announcement_kind kind)
{
	return wf_message_hands_over(kind) &&
	       !(service->kind->has_worklist &&
		   strcmp(service->name, WF_DEFAULT_WORKLIST) == 0);
}

void wf_handler_send_as(const struct wf_service *service,
    const struct wf_announcement *what, struct wf_destinations *destinations,
    enum wf_announcement_kind kind, const char *item)
{
	if (!wf_service_is_forbidden(service, what->at) ||
	    is_missed(service, kind))
		wf_destination_add_as(destinations, service->uri, kind, item);
}

void wf_handler_send(const struct wf_service *service,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	wf_handler_send_as(service, what, destinations, what->kind, what->item);
}

bool wf_handlers_announce(struct wf_services *services,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service = NULL;
	bool is_pulled;

	for (uint32_t i = 0; i < WF_SERVICE_KINDS_MAXIMUM; i++) {
		const struct wf_service_handler *kind = wf_service_kind(i);

		if (kind != NULL && kind->announce != NULL)
			kind->announce(set, what, destinations);
	}
	if (what->task != NULL && !what->is_for_people)
		service =
		    wf_service_for(set, what->namespace_id, what->service);
	if (service != NULL && service->kind->hears != NULL &&
	    service->kind->hears(what->kind))
		wf_handler_send(service, what, destinations);
	is_pulled = wf_message_hands_over(what->kind) && !what->is_for_people &&
		    (service == NULL || service->kind == &wf_pull_handler);
	wf_services_let_go(services, set);
	return is_pulled;
}

bool wf_handlers_hear_refusals(
    const struct wf_service_set *set, uint32_t namespace_id)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->rows[i].namespace_id == namespace_id &&
		    set->rows[i].kind->hears_refusals)
			return true;
	return false;
}
