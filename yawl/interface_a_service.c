/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/interface_a_service.h"

#include <string.h>

#include "base/codec.h"
#include "data/xml_writer.h"
#include "http/probe.h"
#include "spec/markup.h"
#include "work/reannounce.h"
#include "work/service.h"
#include "yawl/announcement.h"
#include "yawl/codelet.h"

/* Time-out for the answer of a service that is being registered, seconds. */
#define PING_SECONDS 1U

enum wf_rc wf_yawl_services_begin(
    struct wf_yawl *yawl, struct wf_store *store, struct wf_error *err)
{
	const struct wf_service worklist = { .namespace_id =
						 WF_NAMESPACE_DEFAULT,
		.name = WF_DEFAULT_WORKLIST,
		.uri = yawl->worklist,
		.kind = &wf_yawl_service_handler,
		.secret = yawl->worklist_password,
		.address = "",
		.documentation = "",
		.policy = wf_service_policy_default };
	const struct wf_service codelets = { .namespace_id =
						 WF_NAMESPACE_DEFAULT,
		.name = WF_DEFAULT_WORKLIST,
		.uri = WF_CODELET_URI,
		.kind = &wf_codelet_handler,
		.secret = "",
		.address = "",
		.documentation = "",
		.policy = wf_service_policy_default };
	struct wf_services *services = yawl->server->services;
	const struct wf_service_set *set;
	enum wf_rc rc;

	/* People are no service; automated tasks are the server's then. */
	rc = wf_services_put(services, store,
	    yawl->server->settings.people ? &codelets : &worklist, err);
	if (rc != WF_OK)
		return rc;
	set = wf_services_hold(services);
	rc = wf_yawl_announce_start(store, set, yawl->started_at, err);
	wf_services_let_go(services, set);
	return rc;
}

bool wf_yawl_service_password(
    struct wf_yawl_call *call, const char *name, const char **hash_out)
{
	const struct wf_service_set *set =
	    wf_services_hold(call->server->services);
	const struct wf_service *service =
	    wf_service_by_name(set, WF_NAMESPACE_DEFAULT, name);
	bool found = service != NULL &&
		     service->kind == &wf_yawl_service_handler &&
		     service->secret[0] != '\0';

	if (found)
		*hash_out = wf_arena_strdup(call->arena, service->secret);
	wf_services_let_go(call->server->services, set);
	return found;
}

/* --- listing -------------------------------------------------------------- */

static void put_service(struct wf_buffer *xml, const struct wf_service *service)
{
	bool is_yawl = service->kind == &wf_yawl_service_handler;

	wf_buffer_puts(xml, "<yawlService");
	wf_xml_put_attribute(xml, "id", service->uri);
	wf_buffer_putc(xml, '>');
	wf_xml_put_element(xml, "documentation", service->documentation);
	wf_xml_put_element(xml, "servicename", service->name);
	/* Other kinds have secrets that are not hashes, so they are not shown.
	 */
	wf_xml_put_element(
	    xml, "servicepassword", is_yawl ? service->secret : NULL);
	wf_xml_put_element(
	    xml, "assignable", service->assignable ? "true" : "false");
	wf_buffer_puts(xml, "</yawlService>");
}

void wf_yawl_get_services(struct wf_yawl_call *call)
{
	const struct wf_service_set *set =
	    wf_services_hold(call->server->services);

	for (size_t i = 0; i < set->count; i++)
		if (set->rows[i].namespace_id == WF_NAMESPACE_DEFAULT &&
		    set->rows[i].kind != &wf_yawl_listener_handler &&
		    set->rows[i].kind != &wf_codelet_handler)
			put_service(&call->out, &set->rows[i]);
	wf_services_let_go(call->server->services, set);
	wf_yawl_answer(call);
}

/* --- registering ---------------------------------------------------------- */

static const char *child_text(
    struct wf_yawl_call *call, const struct wf_markup *parent, const char *name)
{
	return wf_markup_text(call->arena, wf_markup_child(parent, name));
}

/* Reads a yawlService element; false: it is not one. */
static bool read_service(
    struct wf_yawl_call *call, const char *xml, struct wf_service *service)
{
	const struct wf_markup *root = wf_yawl_parse(call, xml);

	if (root == NULL || strcmp(root->name, "yawlService") != 0)
		return false;
	service->uri = wf_markup_attribute(root, "id");
	service->name = child_text(call, root, "servicename");
	service->secret = child_text(call, root, "servicepassword");
	service->documentation = child_text(call, root, "documentation");
	/* The default is true. */
	service->assignable =
	    strcmp(child_text(call, root, "assignable"), "false") != 0;
	if (service->name[0] == '\0')
		service->name = service->uri;
	return service->uri != NULL && service->uri[0] != '\0';
}

static bool has_uri(struct wf_yawl_call *call, const char *uri)
{
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	bool found = wf_service_by_uri(set, WF_NAMESPACE_DEFAULT, uri) != NULL;

	wf_services_let_go(services, set);
	return found;
}

/* Unlike in YAWL, a service replaces another with the same name. */
static bool has_name(struct wf_yawl_call *call, const char *name)
{
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	bool found =
	    wf_service_by_name(set, WF_NAMESPACE_DEFAULT, name) != NULL;

	wf_services_let_go(services, set);
	return found;
}

/* Writes the registry and has this node read it. */
static enum wf_rc change(struct wf_yawl_call *call,
    const struct wf_service *add, const char *remove, struct wf_error *err)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = add != NULL
		 ? wf_services_put(call->server->services, store, add, err)
		 : wf_service_remove(store, WF_NAMESPACE_DEFAULT, remove, err);
	if (rc == WF_OK && add == NULL)
		rc = wf_services_refresh(call->server->services, store, err);
	wf_engine_give_back(engine, store);
	return rc;
}

enum wf_rc wf_yawl_service_set_password(struct wf_yawl_call *call,
    const char *name, const char *hash, struct wf_error *err)
{
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_name(set, WF_NAMESPACE_DEFAULT, name);
	struct wf_service changed;
	enum wf_rc rc;

	if (service == NULL || service->kind != &wf_yawl_service_handler) {
		rc = wf_fail(err, WF_NOT_FOUND, "there is no such service");
	} else {
		changed = *service;
		changed.secret = hash;
		rc = change(call, &changed, NULL, err);
	}
	wf_services_let_go(services, set);
	return rc;
}

static void change_and_answer(
    struct wf_yawl_call *call, const struct wf_service *add, const char *remove)
{
	struct wf_error err = { .rc = WF_OK };

	if (change(call, add, remove, &err) == WF_OK)
		wf_yawl_succeed(call);
	else
		wf_yawl_fail_error(call, &err);
}

/*
 * Registers a service, also one that does not answer yet: it may need its
 * account before it starts, and what it misses is sent again.
 */
static void take_service(
    struct wf_yawl_call *call, const struct wf_service *service)
{
	const char *silence = wf_http_probe(
	    service->uri, &call->server->settings.sender.allowed, PING_SECONDS);
	struct wf_error err = { .rc = WF_OK };

	if (silence == NULL) {
		change_and_answer(call, service, NULL);
	} else if (change(call, service, NULL, &err) == WF_OK) {
		wf_buffer_puts(&call->out, "<success><warning>");
		wf_xml_put_text(&call->out,
		    wf_arena_printf(call->arena, "Service unresponsive: %s: %s",
			service->uri, silence));
		wf_buffer_puts(&call->out, "</warning></success>");
		wf_yawl_answer(call);
	} else {
		wf_yawl_fail_error(call, &err);
	}
}

void wf_yawl_new_service(struct wf_yawl_call *call)
{
	struct wf_service service = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.kind = &wf_yawl_service_handler,
		.address = "",
		.policy = wf_service_policy_default };
	const char *xml = wf_yawl_parameter(call, "service");

	if (xml == NULL || !read_service(call, xml, &service)) {
		wf_yawl_fail(call, "Failed to parse yawl service from [%s]",
		    xml == NULL ? "null" : xml);
		return;
	}
	call->subject = service.uri;
	if (has_uri(call, service.uri))
		wf_yawl_fail(call,
		    "Engine has already registered a service with the same "
		    "URI [%s]",
		    service.uri);
	else if (!wf_service_is_called(service.uri))
		wf_yawl_fail(call, "Service unresponsive: %s", service.uri);
	else if (has_name(call, service.name))
		wf_yawl_fail(call,
		    "Engine has already registered a service with the same "
		    "name [%s]",
		    service.name);
	else
		take_service(call, &service);
}

/* The name of the service, in the arena; NULL: there is none of that kind. */
static const char *find_name(
    struct wf_yawl_call *call, const char *uri, bool is_listener)
{
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    uri == NULL ? NULL
			: wf_service_by_uri(set, WF_NAMESPACE_DEFAULT, uri);
	const char *name = NULL;

	if (service != NULL &&
	    (service->kind == &wf_yawl_listener_handler) == is_listener)
		name = wf_arena_strdup(call->arena, service->name);
	wf_services_let_go(services, set);
	return name;
}

/* Items that wait for it are announced: to the worklist, or as unserved. */
void wf_yawl_remove_service(struct wf_yawl_call *call)
{
	const char *uri = wf_yawl_parameter(call, "serviceURI");
	const char *name = find_name(call, uri, false);
	struct wf_error err = { .rc = WF_OK };

	if (name == NULL)
		wf_yawl_fail(call,
		    "Engine does not contain this YAWL service [ %s ]",
		    uri == NULL ? "null" : uri);
	else if (change(call, NULL, name, &err) == WF_OK &&
		 wf_reannounce_waiting(call->server->engine,
		     WF_NAMESPACE_DEFAULT, uri, WF_REANNOUNCE_REMOVED_MAXIMUM,
		     call->user, WF_YAWL_ORIGIN, &err) == WF_OK)
		wf_yawl_succeed(call);
	else
		wf_yawl_fail_error(call, &err);
}

/* --- listeners of interface X --------------------------------------------- */

/* YAWL needs no session here; Weft needs one from other machines. */
static bool may_listen(struct wf_yawl_call *call)
{
	return call->user != NULL || wf_exchange_is_local(call->exchange);
}

void wf_yawl_add_listener(struct wf_yawl_call *call)
{
	const char *uri = wf_yawl_parameter(call, "listenerURI");
	struct wf_service listener = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.kind = &wf_yawl_listener_handler,
		.uri = uri,
		.secret = "",
		.address = "",
		.documentation = "",
		.policy = wf_service_policy_default };
	struct wf_error err = { .rc = WF_OK };
	bool is_there = find_name(call, uri, true) != NULL;

	if (uri != NULL)
		listener.name = wf_arena_printf(call->arena, "listener %016llx",
		    (unsigned long long)wf_hash(0, uri, strlen(uri)));
	if (is_there && may_listen(call))
		wf_yawl_succeed(call);
	else if (uri == NULL || !may_listen(call) ||
		 change(call, &listener, NULL, &err) != WF_OK)
		wf_yawl_fail(call, "Add InterfaceX Listener failed.");
	else
		wf_yawl_succeed(call);
}

void wf_yawl_remove_listener(struct wf_yawl_call *call)
{
	const char *name =
	    find_name(call, wf_yawl_parameter(call, "listenerURI"), true);

	if (name == NULL || !may_listen(call))
		wf_yawl_fail(call, "Remove InterfaceX Listener failed - "
				   "unknown or invalid URI.");
	else
		change_and_answer(call, NULL, name);
}
