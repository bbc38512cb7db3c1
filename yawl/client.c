/* SPDX-License-Identifier: Apache-2.0 */
/* The value of the record: format, hash, text. */
#include "yawl/client.h"

#include <string.h>

#include "base/codec.h"

#define FORMAT 1
#define VALUE_MAXIMUM 32768U

static const struct wf_yawl_client defaults[] = {
	{ WF_YAWL_ADMIN, "Se4tMaQCi9gr0Q2usp7P56Sk5vM=", "generic admin user" },
	{ "editor", "VfrZ/SW35S1ytFXq9Giw7+A05wA=", "YAWL editor" },
	{ "documentStore", "vgcCyr3KC4nbyTbQe1ow+RwV1ds=", "document store" },
	{ "yawlUI", "y+28RJQyGizJ1Xzz6pqVMxr85oU=", "user interface" },
};

#define DEFAULT_COUNT (sizeof(defaults) / sizeof(defaults[0]))

enum wf_rc wf_yawl_client_put(struct wf_store *store,
    const struct wf_yawl_client *client, struct wf_error *err)
{
	struct wf_record_row row = { .kind = WF_YAWL_CLIENT_KIND,
		.name = client->name };
	struct wf_buffer value;
	enum wf_rc rc;

	row.namespace_id = WF_NAMESPACE_DEFAULT;
	wf_buffer_init(&value, VALUE_MAXIMUM);
	wf_put_number(&value, FORMAT);
	wf_put_string(&value, client->password);
	wf_put_string(&value, client->documentation);
	row.value.data = value.data;
	row.value.size = value.length;
	rc = wf_store_put_record(store, &row, err);
	wf_buffer_free(&value);
	return rc;
}

static enum wf_rc decode(const struct wf_record_row *row,
    struct wf_arena *arena, struct wf_yawl_client *client, struct wf_error *err)
{
	struct wf_reader reader;
	uint64_t format;

	wf_reader_init(&reader, row->value.data, row->value.size);
	format = wf_get_number(&reader);
	client->name = row->name;
	client->password = wf_get_string(&reader, arena);
	client->documentation = wf_get_string(&reader, arena);
	if (reader.bad || format != FORMAT)
		return wf_fail(err, WF_CORRUPT,
		    "the record of client %.100s is damaged", row->name);
	return WF_OK;
}

enum wf_rc wf_yawl_client_find(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_yawl_client *client_out,
    struct wf_error *err)
{
	struct wf_record_row row;
	enum wf_rc rc = wf_store_record(store, WF_NAMESPACE_DEFAULT,
	    WF_YAWL_CLIENT_KIND, name, arena, &row, err);

	return rc == WF_OK ? decode(&row, arena, client_out, err) : rc;
}

enum wf_rc wf_yawl_client_list(struct wf_store *store, struct wf_arena *arena,
    struct wf_yawl_clients *clients_out, struct wf_error *err)
{
	struct wf_record_list list;
	enum wf_rc rc =
	    wf_store_records(store, WF_YAWL_CLIENT_KIND, 0, arena, &list, err);

	*clients_out = (struct wf_yawl_clients){ .count = 0 };
	if (rc != WF_OK)
		return rc;
	clients_out->rows =
	    wf_arena_array(arena, list.count, sizeof(*clients_out->rows));
	clients_out->damaged =
	    wf_arena_array(arena, list.count, sizeof(*clients_out->damaged));
	for (size_t i = 0; i < list.count; i++)
		if (decode(&list.rows[i], arena,
			&clients_out->rows[clients_out->count], NULL) == WF_OK)
			clients_out->count++;
		else
			clients_out->damaged[clients_out->damaged_count++] =
			    list.rows[i].name;
	return WF_OK;
}

enum wf_rc wf_yawl_client_remove(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	struct wf_record_row row = { .kind = WF_YAWL_CLIENT_KIND,
		.name = name };

	row.namespace_id = WF_NAMESPACE_DEFAULT;
	return wf_store_put_record(store, &row, err);
}

bool wf_yawl_is_well_known(const char *password)
{
	/* Of the default worklist, the worklet and the mail service. */
	static const char *const services[] = { "ehBHOJc1c7Y/E73HodgW4JtgFq0=",
		"UMmCkMt6LZo2d0/aThXvTWrTiKA=",
		"iH2HgTZHFwlTk3SFQVQNZykH13g=" };
	bool found = false;

	for (size_t i = 0; i < DEFAULT_COUNT; i++)
		found |= strcmp(defaults[i].password, password) == 0;
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++)
		found |= strcmp(services[i], password) == 0;
	return found;
}

enum wf_rc wf_yawl_clients_begin(struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_yawl_clients clients;
	enum wf_rc rc = wf_yawl_client_list(store, arena, &clients, err);
	/* One that is damaged is one, too. */
	bool any = clients.count + clients.damaged_count > 0;

	for (size_t i = 0; rc == WF_OK && !any && i < DEFAULT_COUNT; i++)
		rc = wf_yawl_client_put(store, &defaults[i], err);
	wf_arena_free(&arena);
	return rc;
}
