/* SPDX-License-Identifier: Apache-2.0 */
#include "people/filter.h"

#include <string.h>

#include "base/limits.h"

#define BLANKS " \t\r\n"

/* What the names of an expression are names of. */
struct names {
	enum wf_org_kind kind;
	void (*add)(const struct wf_organisation *organisation, uint64_t *set,
	    uint32_t number);
};

static const struct names capabilities = { WF_ORG_CAPABILITY,
	wf_people_add_capability };
static const struct names positions = { WF_ORG_POSITION,
	wf_people_add_position };
static const struct names groups = { WF_ORG_GROUP, wf_people_add_group };

struct evaluation {
	const struct wf_organisation *organisation;
	const struct wf_resource_case *about;
	const struct names *names;
	struct wf_arena *arena;
};

const char *wf_filter_trimmed(
    struct wf_arena *arena, const char *text, size_t length)
{
	while (length > 0 && strchr(BLANKS, text[0]) != NULL) {
		text++;
		length--;
	}
	while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
		length--;
	return wf_arena_strndup(arena, text, length);
}

/* The name that an operand stands for; NULL: none. */
static const char *resolve(
    const struct evaluation *evaluation, const char *operand)
{
	size_t length = strlen(operand);
	const char *value;

	if (strncmp(operand, "${", 2) != 0)
		return operand;
	if (operand[length - 1] != '}')
		return NULL;
	value = evaluation->about->variable(evaluation->about->context,
	    wf_arena_strndup(evaluation->arena, operand + 2, length - 3),
	    evaluation->arena);
	return value == NULL
		   ? NULL
		   : wf_filter_trimmed(evaluation->arena, value, strlen(value));
}

static uint64_t *operand_set(
    const struct evaluation *evaluation, const char *text, size_t length)
{
	uint64_t *set =
	    wf_people_new(evaluation->organisation, evaluation->arena);
	const char *name = resolve(
	    evaluation, wf_filter_trimmed(evaluation->arena, text, length));
	uint32_t number = WF_ORG_NOBODY;

	if (name != NULL && name[0] != '\0')
		number = wf_org_find_name(
		    evaluation->organisation, evaluation->names->kind, name);
	if (number != WF_ORG_NOBODY)
		evaluation->names->add(evaluation->organisation, set, number);
	return set;
}

/*
 * The length of the operand that text begins with: up to an operator, or the
 * longest name that there is, which may have operators in it ("R&D").
 */
static size_t operand_length(
    const struct evaluation *evaluation, const char *text)
{
	size_t blanks = strspn(text, BLANKS);
	size_t longest = blanks + strcspn(text + blanks, "&|");
	char name[WF_ORG_NAME_BYTES + 1];

	for (size_t end = longest; text[end] != '\0';) {
		size_t length;

		end += 1 + strcspn(text + end + 1, "&|");
		length = end - blanks;
		while (length > 0 &&
		       strchr(BLANKS, text[blanks + length - 1]) != NULL)
			length--;
		if (length > WF_ORG_NAME_BYTES)
			break;
		memcpy(name, text + blanks, length);
		name[length] = '\0';
		if (wf_org_find_name(evaluation->organisation,
			evaluation->names->kind, name) != WF_ORG_NOBODY)
			longest = end;
	}
	return longest;
}

static void combine(uint64_t *set, const uint64_t *with, size_t words, char how)
{
	for (size_t i = 0; i < words; i++)
		set[i] = how == '&' ? set[i] & with[i] : set[i] | with[i];
}

static uint64_t *expression_set(
    const struct evaluation *evaluation, const char *text)
{
	size_t words = wf_people_words(evaluation->organisation);
	size_t length = operand_length(evaluation, text);
	uint64_t *set = operand_set(evaluation, text, length);

	for (text += length; *text != '\0'; text += length) {
		char how = *text++;

		length = operand_length(evaluation, text);
		if (text[length] == '\0' && text[strspn(text, BLANKS)] == '\0')
			break;
		combine(set, operand_set(evaluation, text, length), words, how);
	}
	return set;
}

void wf_filter_apply(const struct wf_organisation *organisation,
    const struct wf_resource_filter *filter,
    const struct wf_resource_case *about, uint64_t *set, struct wf_arena *arena)
{
	const struct {
		const char *text;
		const struct names *names;
	} parts[] = { { filter->capability, &capabilities },
		{ filter->position, &positions }, { filter->group, &groups } };
	struct evaluation evaluation = { organisation, about, NULL, arena };
	size_t words = wf_people_words(organisation);
	bool is_empty = true;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].text == NULL)
			continue;
		evaluation.names = parts[i].names;
		combine(set, expression_set(&evaluation, parts[i].text), words,
		    '&');
		is_empty = false;
	}
	if (is_empty)
		memset(set, 0, words * sizeof(*set));
}
