/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/scenario/people_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MILLION 1000000

const char *wf_people_line_id(
    struct wf_arena *arena, enum wf_org_kind kind, const char *name)
{
	return wf_arena_printf(
	    arena, "%s-%s", wf_org_layouts[kind].prefix, name);
}

bool wf_people_line_is(const struct wf_words *words)
{
	return wf_org_kind_find(words->words[0]) != WF_ORG_NONE;
}

/* The field that a word in front of a name fills; NULL: none. */
static const struct wf_org_field *field_of(
    const struct wf_org_record *record, const char *word)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	enum wf_org_kind target = strcmp(word, "below") == 0 ? record->kind
				  : strcmp(word, "in") == 0
				      ? WF_ORG_GROUP
				      : wf_org_kind_find(word);

	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if ((field->type == WF_ORG_LINK ||
			field->type == WF_ORG_LINKS) &&
		    field->target == target)
			return field;
		if ((record->kind == WF_ORG_CALENDAR ||
			record->kind == WF_ORG_RATE) &&
		    strcmp(field->json, word) == 0)
			return field;
	}
	return NULL;
}

/* A number, in millionths. */
static bool read_amount(const char *text, int64_t *amount_out)
{
	char *end;
	double amount = strtod(text, &end) * MILLION;

	if (end == text || *end != '\0' || !(amount >= 0) ||
	    amount > (double)WF_ORG_AMOUNT_MILLIONTHS)
		return false;
	*amount_out = llround(amount);
	return true;
}

enum wf_rc wf_people_line_read(struct wf_org_list *list,
    const struct wf_lines *lines, const struct wf_words *words,
    struct wf_error *err)
{
	enum wf_org_kind kind = wf_org_kind_find(words->words[0]);
	struct wf_org_record *record;
	const char *name;

	if (words->count < 2)
		return wf_lines_fail(lines, words->line, err,
		    "a name is missing behind \"%s\"", words->words[0]);
	name = wf_word_unquote(lines->arena, words->words[1]);
	record = wf_org_record_new(
	    lines->arena, kind, wf_people_line_id(lines->arena, kind, name));
	*wf_org_text(record, wf_org_layouts[kind].fields) = name;
	for (size_t i = 2; i < words->count; i++) {
		const char *word = words->words[i];
		const struct wf_org_field *field = field_of(record, word);
		const char *id;

		if (kind == WF_ORG_PARTICIPANT &&
		    strcmp(word, "administrator") == 0) {
			((struct wf_participant *)record)->is_administrator =
			    true;
			continue;
		}
		if (field == NULL || i + 1 == words->count)
			return wf_lines_fail(lines, words->line, err,
			    "\"%s\" is not expected here", word);
		id = wf_word_unquote(lines->arena, words->words[++i]);
		if (field->type == WF_ORG_AMOUNT) {
			if (!read_amount(id, wf_org_amount(record, field)))
				return wf_lines_fail(lines, words->line, err,
				    "\"%s\": expected a number", id);
			continue;
		}
		if (field->target != WF_ORG_NONE)
			id = wf_people_line_id(lines->arena, field->target, id);
		if (field->type == WF_ORG_LINKS || field->type == WF_ORG_TEXTS)
			wf_org_texts_add(
			    lines->arena, wf_org_texts(record, field), id);
		else
			*wf_org_text(record, field) = id;
	}
	wf_org_list_add(lines->arena, list, record);
	return WF_OK;
}
