/* SPDX-License-Identifier: Apache-2.0 */
#include "people/organisation/record.h"

#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "people/organisation/working_calendar.h"
#include "xquery/text/unicode.h"

/* --- layouts -------------------------------------------------------------- */

#define FIELD_OF(structure, type, name, xml, json, kind)                       \
	{ xml, json, WF_ORG_##type, WF_ORG_##kind,                             \
		offsetof(struct structure, name) },

static const struct wf_org_field working_calendar_fields[] = {
#define WF_CALENDAR_FIELD(type, name, xml, json, kind)                         \
	FIELD_OF(wf_working_calendar, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field capability_fields[] = {
#define WF_CAPABILITY_FIELD(type, name, xml, json, kind)                       \
	FIELD_OF(wf_capability, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field org_role_fields[] = {
#define WF_ROLE_FIELD(type, name, xml, json, kind)                             \
	FIELD_OF(wf_org_role, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field group_fields[] = {
#define WF_GROUP_FIELD(type, name, xml, json, kind)                            \
	FIELD_OF(wf_group, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field position_fields[] = {
#define WF_POSITION_FIELD(type, name, xml, json, kind)                         \
	FIELD_OF(wf_position, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field participant_fields[] = {
#define WF_PARTICIPANT_FIELD(type, name, xml, json, kind)                      \
	FIELD_OF(wf_participant, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field category_fields[] = {
#define WF_CATEGORY_FIELD(type, name, xml, json, kind)                         \
	FIELD_OF(wf_category, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field thing_fields[] = {
#define WF_THING_FIELD(type, name, xml, json, kind)                            \
	FIELD_OF(wf_thing, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

static const struct wf_org_field rate_fields[] = {
#define WF_RATE_FIELD(type, name, xml, json, kind)                             \
	FIELD_OF(wf_rate, type, name, xml, json, kind)
#include "people/organisation/organisation.def"
};

#define EXACT false
#define FOLDED true

const struct wf_org_layout wf_org_layouts[] = {
#define WF_ORG_KIND(                                                           \
    name, type, prefix, plural, singular, word, words, compared, meaning)      \
	{ prefix, plural, singular, word, words, meaning, compared,            \
		sizeof(struct wf_##type), type##_fields,                       \
		sizeof(type##_fields) / sizeof(type##_fields[0]) },
#include "people/organisation/organisation.def"
};

enum wf_org_kind wf_org_kind_find(const char *word)
{
	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
		if (strcmp(wf_org_layouts[kind].word, word) == 0 ||
		    strcmp(wf_org_layouts[kind].words, word) == 0 ||
		    strcmp(wf_org_layouts[kind].singular, word) == 0 ||
		    strcmp(wf_org_layouts[kind].plural, word) == 0)
			return kind;
	return WF_ORG_NONE;
}

const struct wf_org_field *wf_org_field_find(
    enum wf_org_kind kind, const char *json)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];

	for (size_t i = 0; i < layout->field_count; i++)
		if (layout->fields[i].json[0] != '\0' &&
		    strcmp(layout->fields[i].json, json) == 0)
			return &layout->fields[i];
	return NULL;
}

/* --- fields --------------------------------------------------------------- */

static void *member(
    const struct wf_org_record *record, const struct wf_org_field *field)
{
	return (char *)(uintptr_t)record + field->offset;
}

const char **wf_org_text(
    const struct wf_org_record *record, const struct wf_org_field *field)
{
	wf_assert(field->type == WF_ORG_TEXT || field->type == WF_ORG_LINK ||
		  field->type == WF_ORG_OBJECT);
	return member(record, field);
}

bool *wf_org_flag(
    const struct wf_org_record *record, const struct wf_org_field *field)
{
	wf_assert(field->type == WF_ORG_FLAG);
	return member(record, field);
}

struct wf_texts *wf_org_texts(
    const struct wf_org_record *record, const struct wf_org_field *field)
{
	wf_assert(field->type == WF_ORG_TEXTS || field->type == WF_ORG_LINKS);
	return member(record, field);
}

uint32_t *wf_org_bits(
    const struct wf_org_record *record, const struct wf_org_field *field)
{
	wf_assert(field->type == WF_ORG_BITS);
	return member(record, field);
}

int64_t *wf_org_amount(
    const struct wf_org_record *record, const struct wf_org_field *field)
{
	wf_assert(field->type == WF_ORG_AMOUNT);
	return member(record, field);
}

const char *wf_org_name(const struct wf_org_record *record)
{
	return *wf_org_text(record, wf_org_layouts[record->kind].fields);
}

void wf_org_key(enum wf_org_kind kind, const char *name, struct wf_buffer *key)
{
	if (wf_org_layouts[kind].is_folded)
		wf_unicode_lower(key, name, strlen(name));
	else
		wf_buffer_puts(key, name);
}

static bool is_text(const struct wf_org_field *field)
{
	return field->type == WF_ORG_TEXT || field->type == WF_ORG_LINK ||
	       field->type == WF_ORG_OBJECT;
}

static bool has_texts(const struct wf_org_field *field)
{
	return field->type == WF_ORG_TEXTS || field->type == WF_ORG_LINKS;
}

/* --- records -------------------------------------------------------------- */

struct wf_org_record *wf_org_record_new(
    struct wf_arena *arena, enum wf_org_kind kind, const char *id)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];
	struct wf_org_record *record = wf_arena_alloc(arena, layout->size);

	record->kind = kind;
	record->id = wf_arena_strdup(arena, id);
	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if (is_text(field))
			*wf_org_text(record, field) = "";
	}
	return record;
}

/* The arrays of texts double, so their capacity follows from the count. */
void wf_org_texts_add(
    struct wf_arena *arena, struct wf_texts *texts, const char *text)
{
	size_t count = texts->count;

	if ((count & (count - 1)) == 0) {
		const char **rows = wf_arena_array(
		    arena, count == 0 ? 1 : 2 * count, sizeof(*rows));

		if (count > 0)
			memcpy(rows, texts->rows, count * sizeof(*rows));
		texts->rows = rows;
	}
	texts->rows[texts->count++] = text;
}

bool wf_org_texts_have(const struct wf_texts *texts, const char *text)
{
	for (size_t i = 0; i < texts->count; i++)
		if (strcmp(texts->rows[i], text) == 0)
			return true;
	return false;
}

struct wf_org_record *wf_org_record_copy(
    struct wf_arena *arena, const struct wf_org_record *record)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	struct wf_org_record *copy = wf_arena_alloc(arena, layout->size);

	memcpy(copy, record, layout->size);
	copy->references = 0;
	for (size_t i = 0; i < layout->field_count; i++)
		if (has_texts(&layout->fields[i])) {
			struct wf_texts texts =
			    *wf_org_texts(copy, &layout->fields[i]);
			struct wf_texts *copied =
			    wf_org_texts(copy, &layout->fields[i]);

			copied->count = 0;
			for (size_t k = 0; k < texts.count; k++)
				wf_org_texts_add(arena, copied, texts.rows[k]);
		}
	return copy;
}

/* --- shared records ------------------------------------------------------- */

/* A shared record is one block: the struct, the arrays of texts, the texts. */
static size_t size_of(const struct wf_org_record *record)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	size_t size = layout->size + strlen(record->id) + 1;

	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if (is_text(field))
			size += strlen(*wf_org_text(record, field)) + 1;
		if (!has_texts(field))
			continue;
		const struct wf_texts *texts = wf_org_texts(record, field);

		size += texts->count * sizeof(*texts->rows);
		for (size_t k = 0; k < texts->count; k++)
			size += strlen(texts->rows[k]) + 1;
	}
	return size;
}

/* Copies bytes to *end, and moves it. */
static void *put(char **end, const void *bytes, size_t size)
{
	void *at = *end;

	if (size > 0)
		memcpy(at, bytes, size);
	*end += size;
	return at;
}

static const char *put_text(char **end, const char *text)
{
	return put(end, text, strlen(text) + 1);
}

struct wf_org_record *wf_org_record_share(const struct wf_org_record *record)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	size_t size = size_of(record);
	struct wf_org_record *copy;
	struct wf_buffer key;
	char *end;

	wf_buffer_init(&key, WF_ORG_TEXT_BYTES * 4);
	wf_org_key(record->kind, wf_org_name(record), &key);
	copy = wf_malloc(size + key.length + 1);
	end = (char *)copy;
	put(&end, record, layout->size);
	for (size_t i = 0; i < layout->field_count; i++)
		if (has_texts(&layout->fields[i])) {
			struct wf_texts *texts =
			    wf_org_texts(copy, &layout->fields[i]);

			texts->rows = put(&end, texts->rows,
			    texts->count * sizeof(*texts->rows));
		}
	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if (is_text(field)) {
			const char **text = wf_org_text(copy, field);

			*text = put_text(&end, *text);
		} else if (has_texts(field)) {
			struct wf_texts *texts = wf_org_texts(copy, field);

			for (size_t k = 0; k < texts->count; k++)
				texts->rows[k] = put_text(&end, texts->rows[k]);
		}
	}
	copy->id = put_text(&end, record->id);
	copy->key = put_text(&end, wf_buffer_text(&key));
	wf_assert(end == (char *)copy + size + key.length + 1);
	wf_buffer_free(&key);
	copy->references = 1;
	return copy;
}

void wf_org_record_ref(const struct wf_org_record *record)
{
	struct wf_org_record *shared = (struct wf_org_record *)record;

	wf_assert(record->references > 0);
	__atomic_add_fetch(&shared->references, 1, __ATOMIC_RELAXED);
}

void wf_org_record_unref(const struct wf_org_record *record)
{
	struct wf_org_record *shared = (struct wf_org_record *)record;

	wf_assert(record->references > 0);
	if (__atomic_sub_fetch(&shared->references, 1, __ATOMIC_ACQ_REL) == 0)
		wf_free(shared);
}

/* --- comparing and checking ----------------------------------------------- */

static bool equal_texts(const struct wf_texts *a, const struct wf_texts *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->rows[i], b->rows[i]) != 0)
			return false;
	return true;
}

static bool equal_fields(const struct wf_org_record *a,
    const struct wf_org_record *b, const struct wf_org_field *field)
{
	switch (field->type) {
	case WF_ORG_TEXT:
	case WF_ORG_LINK:
	case WF_ORG_OBJECT:
		return strcmp(*wf_org_text(a, field), *wf_org_text(b, field)) ==
		       0;
	case WF_ORG_FLAG:
		return *wf_org_flag(a, field) == *wf_org_flag(b, field);
	case WF_ORG_LINKS:
	case WF_ORG_TEXTS:
		return equal_texts(
		    wf_org_texts(a, field), wf_org_texts(b, field));
	case WF_ORG_BITS:
		return *wf_org_bits(a, field) == *wf_org_bits(b, field);
	case WF_ORG_AMOUNT:
		return *wf_org_amount(a, field) == *wf_org_amount(b, field);
	}
	wf_panic(__FILE__, __LINE__, "no type of a field");
}

bool wf_org_record_equal(
    const struct wf_org_record *a, const struct wf_org_record *b)
{
	const struct wf_org_layout *layout = &wf_org_layouts[a->kind];

	if (a->kind != b->kind || strcmp(a->id, b->id) != 0)
		return false;
	for (size_t i = 0; i < layout->field_count; i++)
		if (!equal_fields(a, b, &layout->fields[i]))
			return false;
	return true;
}

static enum wf_rc check_text(const struct wf_org_record *record,
    const char *field, const char *text, size_t most, struct wf_error *err)
{
	const char *word = wf_org_layouts[record->kind].word;
	size_t length = strlen(text);
	const char *end = text + length;

	if (length > most)
		return wf_fail(err, WF_INVALID,
		    "%s '%.60s': \"%s\" has %zu bytes; %zu are allowed", word,
		    record->id, field, length, most);
	for (const char *at = text; at < end;)
		if (!wf_is_xml_char(wf_utf8_next(&at, end)))
			return wf_fail(err, WF_INVALID,
			    "%s '%.60s': \"%s\" has a control character", word,
			    record->id, field);
	return WF_OK;
}

static enum wf_rc check_field(const struct wf_org_record *record,
    const struct wf_org_field *field, struct wf_error *err)
{
	const struct wf_texts *texts;
	enum wf_rc rc = WF_OK;

	if (is_text(field))
		return check_text(record, field->json,
		    *wf_org_text(record, field),
		    field->type == WF_ORG_OBJECT ? WF_CALENDAR_BYTES
						 : WF_ORG_TEXT_BYTES,
		    err);
	if (!has_texts(field))
		return WF_OK;
	texts = wf_org_texts(record, field);
	if (texts->count > WF_ORG_LINKS_COUNT)
		return wf_fail(err, WF_INVALID,
		    "%s '%.60s': \"%s\" has %zu entries; %u are allowed",
		    wf_org_layouts[record->kind].word, record->id, field->json,
		    texts->count, WF_ORG_LINKS_COUNT);
	for (size_t i = 0; rc == WF_OK && i < texts->count; i++)
		rc = check_text(record, field->json, texts->rows[i],
		    WF_ORG_NAME_BYTES, err);
	return rc;
}

/* Of a rate: words is a list of texts that ends with NULL. */
static enum wf_rc check_word(const struct wf_org_record *record,
    const char *field, const char *text, const char *const *words,
    struct wf_error *err)
{
	struct wf_buffer all;
	enum wf_rc rc = WF_INVALID;

	wf_buffer_init(&all, 1000);
	for (size_t i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], text) == 0)
			rc = WF_OK;
		wf_buffer_printf(&all, "%s\"%s\"", i > 0 ? ", " : "", words[i]);
	}
	if (rc != WF_OK)
		wf_fail(err, rc, "rate '%.60s': \"%s\": expected one of %s",
		    record->id, field, wf_buffer_text(&all));
	wf_buffer_free(&all);
	return rc;
}

static enum wf_rc check_rate(const struct wf_rate *rate, struct wf_error *err)
{
	static const char *const units[] = { "", "minute", "hour", "day",
		"item", NULL };
	static const char *const states[] = { "", "assigned", "allocated",
		"busy", NULL };
	enum wf_rc rc =
	    check_word(&rate->record, "per", rate->unit, units, err);

	if (rc == WF_OK)
		rc = check_word(
		    &rate->record, "while", rate->state, states, err);
	if (rc == WF_OK &&
	    (rate->amount < 0 || rate->amount > WF_ORG_AMOUNT_MILLIONTHS))
		rc = wf_fail(err, WF_INVALID,
		    "rate '%.60s': \"amount\": expected 0 to %lld",
		    rate->record.id,
		    (long long)(WF_ORG_AMOUNT_MILLIONTHS / 1000000));
	return rc;
}

enum wf_rc wf_org_record_check(
    const struct wf_org_record *record, struct wf_error *err)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	const char *name = wf_org_name(record);
	enum wf_rc rc =
	    check_text(record, "id", record->id, WF_ORG_NAME_BYTES, err);

	if (rc == WF_OK && record->id[0] == '\0')
		return wf_fail(err, WF_INVALID, "a %s has no id", layout->word);
	/* Lists of participants have commas between their ids. */
	if (rc == WF_OK && record->kind == WF_ORG_PARTICIPANT &&
	    strchr(record->id, ',') != NULL)
		return wf_fail(err, WF_INVALID,
		    "participant '%.60s': \"id\" has a comma", record->id);
	if (rc == WF_OK && name[0] == '\0')
		return wf_fail(err, WF_INVALID, "%s '%.60s' has no \"%s\"",
		    layout->word, record->id, layout->fields[0].json);
	if (rc == WF_OK)
		rc = check_text(record, layout->fields[0].json, name,
		    WF_ORG_NAME_BYTES, err);
	for (size_t i = 1; rc == WF_OK && i < layout->field_count; i++)
		rc = check_field(record, &layout->fields[i], err);
	if (rc == WF_OK && record->kind == WF_ORG_RATE)
		rc = check_rate((const struct wf_rate *)record, err);
	if (rc == WF_OK && record->kind == WF_ORG_CALENDAR)
		rc = wf_org_calendar_check(
		    (const struct wf_working_calendar *)record, err);
	return rc;
}

bool wf_is_account_name(const char *text)
{
	size_t length =
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789_.@-");

	/* No browser keeps "." and ".." in an address. */
	return length >= 1 && length <= WF_ACCOUNT_NAME_BYTES &&
	       text[length] == '\0' && strcmp(text, ".") != 0 &&
	       strcmp(text, "..") != 0;
}

const char *wf_org_shown(struct wf_arena *arena, const char *text)
{
	size_t length = strlen(text);
	size_t shown = wf_utf8_offset(text, length, WF_ORG_SHOWN);

	return shown == length
		   ? text
		   : wf_arena_printf(arena, "%.*s..", (int)shown, text);
}
