/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/federation/group_map.h"

#include <string.h>

#include "base/panic.h"

#define BLANK " \t"

/* Without the blanks around it, in the arena. */
static const char *trim(struct wf_arena *arena, const char *text, size_t length)
{
	while (length > 0 && strchr(BLANK, *text) != NULL) {
		text++;
		length--;
	}
	while (length > 0 && strchr(BLANK, text[length - 1]) != NULL)
		length--;
	return wf_arena_strndup(arena, text, length);
}

/* The last "=" divides, because the names of groups may have some. */
static bool read_rule(struct wf_arena *arena, const char *text, size_t length,
    struct wf_group_rule *rule)
{
	const char *equals = memrchr(text, '=', length);

	if (equals == NULL)
		return false;
	rule->group = trim(arena, text, (size_t)(equals - text));
	rule->gives =
	    trim(arena, equals + 1, length - (size_t)(equals - text) - 1);
	return rule->group[0] != '\0' && rule->gives[0] != '\0' &&
	       (strcmp(rule->gives, "*") != 0 || strcmp(rule->group, "*") == 0);
}

bool wf_group_map_read(
    const char *text, struct wf_arena *arena, struct wf_group_map *map_out)
{
	struct wf_group_rule *rules = NULL;
	size_t count = 0;
	size_t room = 0;

	*map_out = (struct wf_group_map){ NULL, 0 };
	while (*(text += strspn(text, BLANK ";")) != '\0') {
		size_t length = strcspn(text, ";");

		if (count == WF_GROUP_RULES)
			return false;
		rules =
		    wf_arena_grow(arena, rules, count, &room, sizeof(*rules));
		if (!read_rule(arena, text, length, &rules[count++]))
			return false;
		text += length;
	}
	wf_assert(count <= WF_GROUP_RULES);
	*map_out = (struct wf_group_map){ rules, count };
	return true;
}

static bool names_issuer(const char *group)
{
	return strncmp(group, "https://", 8) == 0 ||
	       strncmp(group, "http://", 7) == 0;
}

static bool is_meant(const char *group, const char *issuer, const char *name)
{
	size_t length = strlen(issuer);

	if (strcmp(group, "*") == 0)
		return true;
	/* A name never stands for an issuer and a name. */
	if (!names_issuer(group))
		return strcmp(group, name) == 0;
	return strncmp(group, issuer, length) == 0 && group[length] == ' ' &&
	       strcmp(group + length + 1, name) == 0;
}

const char *wf_group_rule_gives(
    const struct wf_group_rule *rule, const char *issuer, const char *group)
{
	wf_assert(rule->group[0] != '\0' && rule->gives[0] != '\0');
	if (group[0] == '\0' || !is_meant(rule->group, issuer, group))
		return NULL;
	return strcmp(rule->gives, "*") == 0 ? group : rule->gives;
}
