/* SPDX-License-Identifier: Apache-2.0 */
#include "people/organisation/record_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

#define MILLION 1000000

static const char *const privilege_words[] = {
#define WF_USER_PRIVILEGE(name, word, meaning) word,
#include "people/organisation/user_privileges.def"
#undef WF_USER_PRIVILEGE
};

/* --- writing -------------------------------------------------------------- */

static json_t *texts_json(const struct wf_texts *texts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->rows[i]));
	return array;
}

static json_t *privileges_json(uint32_t privileges)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < WF_USER_PRIVILEGES; i++)
		if ((privileges >> i & 1) != 0)
			json_array_append_new(
			    array, json_string(privilege_words[i]));
	return array;
}

/* NULL: an empty text. */
static json_t *field_json(
    const struct wf_org_record *record, const struct wf_org_field *field)
{
	const char *text;
	int64_t amount;

	switch (field->type) {
	case WF_ORG_TEXT:
	case WF_ORG_LINK:
		text = *wf_org_text(record, field);
		return text[0] == '\0' ? NULL : json_string(text);
	case WF_ORG_OBJECT:
		text = *wf_org_text(record, field);
		return text[0] == '\0' ? NULL : json_loads(text, 0, NULL);
	case WF_ORG_FLAG:
		return json_boolean(*wf_org_flag(record, field));
	case WF_ORG_LINKS:
	case WF_ORG_TEXTS:
		return texts_json(wf_org_texts(record, field));
	case WF_ORG_BITS:
		return privileges_json(*wf_org_bits(record, field));
	case WF_ORG_AMOUNT:
		amount = *wf_org_amount(record, field);
		return amount % MILLION == 0
			   ? json_integer(amount / MILLION)
			   : json_real((double)amount / MILLION);
	}
	wf_panic(__FILE__, __LINE__, "no type of a field");
}

json_t *wf_org_record_json(const struct wf_org_record *record)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	json_t *object = json_object();

	json_object_set_new(object, "id", json_string(record->id));
	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];
		json_t *value =
		    field->json[0] == '\0' ? NULL : field_json(record, field);

		if (value != NULL)
			json_object_set_new(object, field->json, value);
	}
	return object;
}

/* --- reading -------------------------------------------------------------- */

static enum wf_rc fail(
    struct wf_error *err, const char *member, const char *expected)
{
	return wf_fail(
	    err, WF_INVALID, "\"%.60s\": expected %s", member, expected);
}

/* NULL: it is no text, or has a NUL in it. */
static const char *get_text(struct wf_arena *arena, const json_t *json)
{
	const char *text = json_string_value(json);

	if (json_is_null(json))
		return "";
	if (text == NULL || strlen(text) != json_string_length(json))
		return NULL;
	return wf_arena_strdup(arena, text);
}

static enum wf_rc read_texts(struct wf_arena *arena, const json_t *json,
    const char *member, struct wf_texts *texts, struct wf_error *err)
{
	texts->count = 0;
	if (json_is_null(json))
		return WF_OK;
	if (!json_is_array(json))
		return fail(err, member, "an array of strings");
	for (size_t i = 0; i < json_array_size(json); i++) {
		const char *text = get_text(arena, json_array_get(json, i));

		if (text == NULL || text[0] == '\0')
			return fail(err, member,
			    "an array of strings that are not empty");
		if (!wf_org_texts_have(texts, text))
			wf_org_texts_add(arena, texts, text);
		if (texts->count > WF_ORG_LINKS_COUNT)
			return wf_fail(err, WF_INVALID,
			    "\"%.60s\": %u entries are allowed", member,
			    WF_ORG_LINKS_COUNT);
	}
	return WF_OK;
}

static enum wf_rc read_privileges(const json_t *json, const char *member,
    uint32_t *bits_out, struct wf_error *err)
{
	uint32_t bits = 0;

	if (!json_is_array(json) && !json_is_null(json))
		return fail(err, member, "an array of privileges");
	for (size_t i = 0; i < json_array_size(json); i++) {
		const char *word = json_string_value(json_array_get(json, i));
		unsigned k = 0;

		while (word != NULL && k < WF_USER_PRIVILEGES &&
		       strcmp(word, privilege_words[k]) != 0)
			k++;
		if (word == NULL || k == WF_USER_PRIVILEGES)
			return wf_fail(err, WF_INVALID,
			    "\"%.60s\": '%.60s' is no privilege: expected "
			    "such as %s or %s",
			    member, word == NULL ? "" : word,
			    privilege_words[WF_USER_CHOOSE],
			    privilege_words[WF_USER_ALL]);
		bits |= UINT32_C(1) << k;
	}
	*bits_out = bits;
	return WF_OK;
}

static enum wf_rc read_amount(const json_t *json, const char *member,
    int64_t *amount_out, struct wf_error *err)
{
	double most = (double)WF_ORG_AMOUNT_MILLIONTHS / MILLION;
	double value = json_is_null(json) ? 0 : json_number_value(json);

	if ((!json_is_number(json) && !json_is_null(json)) || value < 0 ||
	    value > most)
		return wf_fail(err, WF_INVALID,
		    "\"%.60s\": expected a number from 0 to %.0f", member,
		    most);
	*amount_out = llround(value * MILLION);
	return WF_OK;
}

/* As text, in which members stand in the order that they came. */
static enum wf_rc read_object(struct wf_arena *arena, const json_t *json,
    const char *member, const char **text_out, struct wf_error *err)
{
	char *text;

	if (!json_is_object(json) && !json_is_null(json))
		return fail(err, member, "an object");
	text = json_is_null(json) ? NULL : json_dumps(json, JSON_COMPACT);
	*text_out = text == NULL ? "" : wf_arena_strdup(arena, text);
	free(text);
	return WF_OK;
}

static enum wf_rc read_field(struct wf_arena *arena, const json_t *json,
    const struct wf_org_field *field, struct wf_org_record *record,
    struct wf_error *err)
{
	const char *text;

	switch (field->type) {
	case WF_ORG_TEXT:
	case WF_ORG_LINK:
		text = get_text(arena, json);
		if (text == NULL)
			return fail(err, field->json, "a string");
		*wf_org_text(record, field) = text;
		return WF_OK;
	case WF_ORG_OBJECT:
		return read_object(
		    arena, json, field->json, wf_org_text(record, field), err);
	case WF_ORG_FLAG:
		if (!json_is_boolean(json) && !json_is_null(json))
			return fail(err, field->json, "true or false");
		*wf_org_flag(record, field) = json_is_true(json);
		return WF_OK;
	case WF_ORG_LINKS:
	case WF_ORG_TEXTS:
		return read_texts(
		    arena, json, field->json, wf_org_texts(record, field), err);
	case WF_ORG_BITS:
		return read_privileges(
		    json, field->json, wf_org_bits(record, field), err);
	case WF_ORG_AMOUNT:
		return read_amount(
		    json, field->json, wf_org_amount(record, field), err);
	}
	wf_panic(__FILE__, __LINE__, "no type of a field");
}

static enum wf_rc fail_unknown(
    enum wf_org_kind kind, const char *member, struct wf_error *err)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];
	struct wf_buffer names;
	enum wf_rc rc;

	wf_buffer_init(&names, 1000);
	for (size_t i = 0; i < layout->field_count; i++)
		if (layout->fields[i].json[0] != '\0')
			wf_buffer_printf(&names, "%s%s", i > 0 ? ", " : "",
			    layout->fields[i].json);
	rc = wf_fail(err, WF_INVALID,
	    "\"%.60s\": a %s has no such member; expected: %s", member,
	    layout->word, wf_buffer_text(&names));
	wf_buffer_free(&names);
	return rc;
}

enum wf_rc wf_org_record_read_json(struct wf_arena *arena, const json_t *json,
    bool strict, struct wf_org_record *record, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;
	const char *name;
	json_t *value;

	if (!json_is_object(json))
		return wf_fail(err, WF_INVALID, "a %s: expected an object",
		    wf_org_layouts[record->kind].word);
	json_object_foreach((json_t *)json, name, value)
	{
		const struct wf_org_field *field =
		    wf_org_field_find(record->kind, name);

		if (rc != WF_OK)
			break;
		if (field != NULL)
			rc = read_field(arena, value, field, record, err);
		else if (strcmp(name, "id") == 0)
			rc = json_is_string(value) &&
				     strcmp(json_string_value(value),
					 record->id) == 0
				 ? WF_OK
				 : fail(err, name, "the id of the record");
		else if (strict)
			rc = fail_unknown(record->kind, name, err);
	}
	return rc;
}
