/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves specifications, clients, services and cases; see migration/yawl_move.h.
 */
#include "migration/yawl_move_priv.h"

#include <string.h>

#include "server/catalogue.h"
#include "work/service.h"
#include "yawl/announcement.h"
#include "yawl/client.h"

void wf_move_report(const struct moving *m, const char *what, const char *name,
    enum wf_yawl_moved moved, const char *text)
{
	m->move->report(m->move->context, what, name, moved, text);
}

void wf_move_report_error(const struct moving *m, const char *what,
    const char *name, struct wf_error *err)
{
	wf_move_report(m, what, name, WF_YAWL_NOT_MOVED, err->message);
	wf_error_clear(err);
}

void wf_move_show(
    const struct moving *m, const char *what, uint64_t done, uint64_t total)
{
	m->move->progress(m->move->context, what, done, total);
}

static const char *text_of(const struct wf_xml *parent, const char *name)
{
	const struct wf_xml *child = wf_xml_child(parent, name);

	return child == NULL ? "" : child->text;
}

size_t wf_move_count(const struct wf_xml *parent)
{
	size_t count = 0;

	for (const struct wf_xml *c = parent->children; c != NULL; c = c->next)
		count++;
	return count;
}

enum wf_rc wf_move_ask(struct moving *m, enum wf_yawl_gate gate,
    const char *action, const char *const *parameters,
    const struct wf_xml **answer_out, struct wf_error *err)
{
	return wf_yawl_remote_ask(
	    m->remote, gate, action, parameters, m->arena, answer_out, err);
}

/* --- specifications ------------------------------------------------------- */

static const char *spec_name(struct moving *m, const struct moved_spec *spec)
{
	return wf_arena_printf(m->arena, "%s %s", spec->uri, spec->version);
}

/* The key by which two specifications are versions of one. */
static const char *spec_key(const char *identifier, const char *uri)
{
	return identifier[0] != '\0' ? identifier : uri;
}

bool wf_move_is_spec(const char *identifier, const char *uri,
    const char *version, const struct moved_spec *spec)
{
	return strcmp(spec_key(identifier, uri),
		   spec_key(spec->identifier, spec->uri)) == 0 &&
	       wf_compare_versions(version, spec->version) == 0;
}

/*
 * The existing specification with that name and version; its key is 0 if there
 * is none.
 */
static enum wf_rc find_stored(struct moving *m, const struct moved_spec *spec,
    uint64_t *key_out, struct wf_error *err)
{
	struct wf_specification_filter filter = { .namespace_id =
						      WF_NAMESPACE_DEFAULT };
	struct wf_specification_list list;
	enum wf_rc rc =
	    wf_store_specifications(m->store, &filter, m->arena, &list, err);

	*key_out = 0;
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		if (wf_move_is_spec(list.rows[i].identifier, list.rows[i].uri,
			list.rows[i].version, spec))
			*key_out = list.rows[i].key;
	return rc;
}

static enum wf_rc fail_diagnosed(
    const struct wf_diagnostics *diagnostics, struct wf_error *err)
{
	const struct wf_diagnostic *first =
	    wf_diagnostics_first_error(diagnostics);

	if (first == NULL)
		return wf_fail(err, WF_INVALID, "it is not valid");
	return wf_fail(err, WF_INVALID, "line %d: %s%s%s", first->line,
	    first->element, first->element[0] == '\0' ? "" : ": ",
	    first->message);
}

static enum wf_rc read_spec(struct moved_spec *spec, const char *xml,
    size_t length, struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	enum wf_rc rc = wf_spec_read(&spec->file, xml, length, diagnostics);

	if (rc != WF_OK)
		rc = fail_diagnosed(diagnostics, err);
	wf_diagnostics_free(&diagnostics);
	return rc;
}

/* Whether both have the same content, even if written differently. */
static bool is_equal(
    const struct wf_spec_file *one, const struct wf_spec_file *other)
{
	struct wf_buffer a;
	struct wf_buffer b;
	bool equal;

	wf_buffer_init(&a, WF_SPEC_BYTES);
	wf_buffer_init(&b, WF_SPEC_BYTES);
	wf_spec_write(one, &a);
	wf_spec_write(other, &b);
	equal = strcmp(wf_buffer_text(&a), wf_buffer_text(&b)) == 0;
	wf_buffer_free(&a);
	wf_buffer_free(&b);
	return equal;
}

/* Uses the existing specification instead of the one from the engine. */
static enum wf_rc use_stored(struct moving *m, struct moved_spec *spec,
    uint64_t key, struct wf_error *err)
{
	struct moved_spec stored = *spec;
	struct wf_specification_row row;
	enum wf_rc rc = wf_store_specification(
	    m->store, WF_NAMESPACE_DEFAULT, key, m->arena, &row, err);

	if (rc == WF_OK)
		rc = read_spec(&stored, row.source.data, row.source.size, err);
	if (rc != WF_OK)
		return rc;
	if (is_equal(spec->file, stored.file)) {
		wf_spec_file_free(&spec->file);
		*spec = stored;
		return WF_OK;
	}
	wf_spec_file_free(&stored.file);
	return wf_fail(err, WF_CONFLICT,
	    "there is another one with this name and version");
}

static enum wf_rc store_spec(struct moving *m, struct moved_spec *spec,
    const char *xml, size_t length, enum wf_yawl_moved *moved_out,
    struct wf_error *err)
{
	uint64_t key;
	enum wf_rc rc = find_stored(m, spec, &key, err);

	*moved_out = key == 0 ? WF_YAWL_MOVED : WF_YAWL_WAS_THERE;
	if (rc != WF_OK || key == spec->file->specs[0]->key)
		return rc;
	if (key != 0)
		return use_stored(m, spec, key, err);
	if (m->engine == NULL)
		return WF_OK;
	return wf_engine_load(m->engine, WF_NAMESPACE_DEFAULT, xml, length,
	    NULL, NULL, 0, NULL, err);
}

static enum wf_rc take_spec(struct moving *m, struct moved_spec *spec,
    enum wf_yawl_moved *moved_out, struct wf_error *err)
{
	const char *parameters[] = { "specidentifier", spec->identifier,
		"specversion", spec->version, "specuri", spec->uri, NULL };
	const struct wf_xml *answer;
	const char *xml;
	size_t length;
	enum wf_rc rc = wf_move_ask(m, WF_YAWL_GATE_B, "getSpecification",
	    spec->identifier[0] == '\0' ? parameters + 2 : parameters, &answer,
	    err);

	if (rc != WF_OK)
		return rc;
	xml =
	    answer->children == NULL ? answer->text : answer->children->source;
	length = answer->children == NULL ? strlen(xml)
					  : answer->children->source_length;
	rc = read_spec(spec, xml, length, err);
	if (rc == WF_OK)
		rc = store_spec(m, spec, xml, length, moved_out, err);
	if (rc != WF_OK)
		wf_spec_file_free(&spec->file);
	return rc;
}

static enum wf_rc take_specs(struct moving *m, struct wf_error *err)
{
	const struct wf_xml *answer;
	enum wf_yawl_moved moved;
	enum wf_rc rc =
	    wf_move_ask(m, WF_YAWL_GATE_A, "getList", NULL, &answer, err);
	size_t count;

	if (rc != WF_OK)
		return rc;
	count = wf_move_count(answer);
	m->specs = wf_arena_array(m->arena, count, sizeof(*m->specs));
	for (const struct wf_xml *c = answer->children; c != NULL;
	     c = c->next) {
		struct moved_spec *spec = &m->specs[m->spec_count++];

		wf_move_show(m, "specifications", m->spec_count, count);
		spec->identifier = text_of(c, "id");
		spec->version = text_of(c, "specversion");
		spec->uri = text_of(c, "uri");
		if (take_spec(m, spec, &moved, err) == WF_OK)
			wf_move_report(
			    m, "specification", spec_name(m, spec), moved, "");
		else
			wf_move_report_error(
			    m, "specification", spec_name(m, spec), err);
	}
	return WF_OK;
}

/* --- clients -------------------------------------------------------------- */

/* A client with a password that YAWL ships is replaced. */
static enum wf_rc take_client(struct moving *m,
    const struct wf_yawl_client *client, enum wf_yawl_moved *moved_out,
    struct wf_error *err)
{
	struct wf_yawl_client old;
	struct wf_error none = { .rc = WF_OK };
	enum wf_rc rc =
	    wf_yawl_client_find(m->store, client->name, m->arena, &old, &none);

	*moved_out = WF_YAWL_MOVED;
	if (rc != WF_OK && rc != WF_NOT_FOUND)
		return wf_fail(err, rc, "%s", none.message);
	if (rc == WF_OK && strcmp(old.password, client->password) == 0)
		*moved_out = WF_YAWL_WAS_THERE;
	else if (rc == WF_OK && !wf_yawl_is_well_known(old.password))
		return wf_fail(err, WF_CONFLICT,
		    "there is one with another password, which is kept");
	if (*moved_out == WF_YAWL_WAS_THERE || m->engine == NULL)
		return WF_OK;
	return wf_yawl_client_put(m->store, client, err);
}

static enum wf_rc take_clients(struct moving *m, struct wf_error *err)
{
	const struct wf_xml *answer;
	enum wf_yawl_moved moved;
	enum wf_rc rc =
	    wf_move_ask(m, WF_YAWL_GATE_A, "getAccounts", NULL, &answer, err);

	for (const struct wf_xml *c = rc == WF_OK ? answer->children : NULL;
	     c != NULL; c = c->next) {
		struct wf_yawl_client client = { text_of(c, "username"),
			text_of(c, "password"), text_of(c, "documentation") };

		if (take_client(m, &client, &moved, err) == WF_OK)
			wf_move_report(m, "client", client.name, moved, "");
		else
			wf_move_report_error(m, "client", client.name, err);
	}
	return rc;
}

/* --- services ------------------------------------------------------------- */

static enum wf_rc take_service(struct moving *m, struct wf_services *services,
    const struct wf_service *service, enum wf_yawl_moved *moved_out,
    struct wf_error *err)
{
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *old =
	    wf_service_by_name(set, WF_NAMESPACE_DEFAULT, service->name);
	bool is_other =
	    old != NULL && (strcmp(old->uri, service->uri) != 0 ||
			       strcmp(old->secret, service->secret) != 0);

	*moved_out = old != NULL ? WF_YAWL_WAS_THERE : WF_YAWL_MOVED;
	wf_services_let_go(services, set);
	if (is_other)
		return wf_fail(err, WF_CONFLICT,
		    "there is one with another address or password, which is "
		    "kept");
	if (*moved_out == WF_YAWL_WAS_THERE || m->engine == NULL)
		return WF_OK;
	return wf_service_put(m->store, service, err);
}

static enum wf_rc take_services(struct moving *m, struct wf_error *err)
{
	struct wf_services *services;
	const struct wf_xml *answer;
	enum wf_yawl_moved moved;
	enum wf_rc rc = wf_move_ask(
	    m, WF_YAWL_GATE_A, "getYAWLServices", NULL, &answer, err);

	if (rc == WF_OK)
		rc = wf_services_open(&services, m->store, err);
	if (rc != WF_OK)
		return rc;
	for (const struct wf_xml *c = answer->children; c != NULL;
	     c = c->next) {
		const char *uri = wf_xml_attribute(c, "id");
		struct wf_service service = {
			.namespace_id = WF_NAMESPACE_DEFAULT,
			.name = text_of(c, "servicename"),
			.uri = uri == NULL ? "" : uri,
			.kind = &wf_yawl_service_handler,
			.secret = text_of(c, "servicepassword"),
			.address = "",
			.documentation = text_of(c, "documentation"),
			.assignable =
			    strcmp(text_of(c, "assignable"), "false") != 0,
			.policy = wf_service_policy_default,
		};

		if (service.name[0] == '\0')
			service.name = service.uri;
		if (take_service(m, services, &service, &moved, err) == WF_OK)
			wf_move_report(m, "service", service.name, moved, "");
		else
			wf_move_report_error(m, "service", service.name, err);
	}
	wf_services_close(&services);
	return WF_OK;
}

/* --- the whole ------------------------------------------------------------ */

static enum wf_rc open_store(struct moving *m, struct wf_error *err)
{
	struct wf_engine_settings settings;
	enum wf_rc rc;

	if (m->move->dry_run)
		return wf_store_open(
		    &m->store, m->move->url, m->move->flags, err);
	wf_engine_settings_init(&settings);
	settings.url = m->move->url;
	settings.flags = m->move->flags | WF_STORE_CREATE;
	settings.threads = false;
	settings.requests_only = true;
	settings.shards = 1;
	rc = wf_engine_open(&m->engine, &settings, err);
	return rc != WF_OK ? rc : wf_engine_borrow(m->engine, &m->store, err);
}

static void close_store(struct moving *m)
{
	if (m->engine != NULL && m->store != NULL)
		wf_engine_give_back(m->engine, m->store);
	else
		wf_store_close(&m->store);
	if (m->engine != NULL)
		wf_engine_close(&m->engine);
}

/* A kind of object that cannot be read does not stop the others. */
static void take_all(struct moving *m)
{
	static const struct {
		const char *what;
		enum wf_rc (*take)(struct moving *m, struct wf_error *err);
	} stages[] = {
		{ "specifications", take_specs },
		{ "clients", take_clients },
		{ "services", take_services },
		{ "cases", wf_move_cases },
	};

	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		struct wf_error err = { .rc = WF_OK };

		if (stages[i].take(m, &err) != WF_OK)
			wf_move_report_error(m, stages[i].what, "in all", &err);
	}
}

enum wf_rc wf_yawl_move(const struct wf_yawl_move *move, struct wf_error *err)
{
	struct moving m = { .move = move, .arena = wf_arena_new() };
	enum wf_rc rc = wf_yawl_remote_open(
	    &m.remote, move->engine, move->user, move->password, err);

	wf_service_kinds_add_own();
	wf_yawl_service_kinds_add();
	if (rc == WF_OK)
		rc = open_store(&m, err);
	if (rc == WF_OK)
		take_all(&m);
	for (size_t i = 0; i < m.spec_count; i++)
		wf_spec_file_free(&m.specs[i].file);
	close_store(&m);
	wf_yawl_remote_close(&m.remote);
	wf_arena_free(&m.arena);
	return rc;
}
