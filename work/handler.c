/* SPDX-License-Identifier: Apache-2.0 */
#include "work/handler.h"

#include "spec/spec.h"

bool wf_handlers_announce(const struct wf_service_handlers *handlers,
    struct wf_services *services, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service_handler *handler;
	const struct wf_service *service = NULL;
	bool is_pulled;

	for (size_t i = 0; i < WF_SERVICE_KIND_COUNT; i++) {
		handler = handlers->of[i];
		if (handler != NULL && handler->announce != NULL)
			handler->announce(set, what, destinations);
	}
	if (what->task != NULL)
		service = wf_service_for(
		    set, what->namespace_id, wf_task_service(what->task));
	handler = service == NULL ? NULL : handlers->of[service->kind];
	if (handler != NULL && handler->hears != NULL &&
	    handler->hears(what->kind))
		wf_destination_add(destinations, service->uri);
	is_pulled = wf_message_hands_over(what->kind) &&
		    (service == NULL || service->kind == WF_SERVICE_PULL);
	wf_services_let_go(services, set);
	return is_pulled;
}

bool wf_handlers_hear_refusals(const struct wf_service_handlers *handlers,
    const struct wf_service_set *set, uint32_t namespace_id)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct wf_service *service = &set->rows[i];
		const struct wf_service_handler *handler =
		    handlers->of[service->kind];

		if (service->namespace_id == namespace_id && handler != NULL &&
		    handler->hears_refusals)
			return true;
	}
	return false;
}
