/* SPDX-License-Identifier: Apache-2.0 */
/* Reads nets in the short notation: flows and variables. */
#include "cli/scenario/notation.h"

#include <ctype.h>
#include <string.h>

struct wf_notation_element *wf_notation_element(
    struct wf_notation_reader *reader, const char *id)
{
	struct wf_notation_net *net = reader->net;
	struct wf_notation_element *element;

	for (size_t i = 0; i < net->element_count; i++)
		if (strcmp(net->elements[i].id, id) == 0)
			return &net->elements[i];
	net->elements = wf_arena_grow(reader->arena, net->elements,
	    net->element_count, &net->element_capacity, sizeof(*net->elements));
	element = &net->elements[net->element_count++];
	memset(element, 0, sizeof(*element));
	element->id = wf_arena_strdup(reader->arena, id);
	element->kind = isupper((unsigned char)id[0]) ? WF_NOTATION_TASK
						      : WF_NOTATION_CONDITION;
	element->line = reader->line;
	return element;
}

const struct wf_notation_variable *wf_notation_variable(
    const struct wf_notation_net *net, const char *name)
{
	for (size_t i = 0; i < net->variable_count; i++)
		if (strcmp(net->variables[i].name, name) == 0)
			return &net->variables[i];
	return NULL;
}

struct arrow {
	const char *text;
	bool plain;
	enum wf_control control;
};

static const struct arrow arrows[] = {
	{ "->", true, WF_AND },
	{ "-and>", false, WF_AND },
	{ "-xor>", false, WF_XOR },
	{ "-or>", false, WF_OR },
};

static const struct arrow *find_arrow(const char *word)
{
	for (size_t i = 0; i < sizeof(arrows) / sizeof(arrows[0]); i++)
		if (strcmp(arrows[i].text, word) == 0)
			return &arrows[i];
	return NULL;
}

/* An element of a flow line, with what stands behind its id. */
struct mention {
	const char *id;
	const char *predicate;
	bool is_default;
};

struct group {
	struct mention *mentions;
	size_t count;
};

/* "p1", "p1[/n/x > 2]", "p1[..]*" */
static enum wf_rc read_mention(struct wf_notation_reader *reader,
    const char *word, struct mention *mention_out)
{
	size_t length = strcspn(word, "[*");
	const char *rest = word + length;
	const char *close = strrchr(rest, ']');

	memset(mention_out, 0, sizeof(*mention_out));
	mention_out->id = wf_arena_strndup(reader->arena, word, length);
	if (*rest == '[' && close != NULL) {
		mention_out->predicate = wf_arena_strndup(
		    reader->arena, rest + 1, (size_t)(close - rest - 1));
		rest = close + 1;
	}
	if (*rest == '*') {
		mention_out->is_default = true;
		rest++;
	}
	if (length == 0 || *rest != '\0' ||
	    !(isalpha((unsigned char)word[0]) || word[0] == '_'))
		return WF_NOTATION_FAIL(
		    reader, "\"%s\" is neither a name nor an arrow", word);
	return WF_OK;
}

/* The words up to the next arrow. */
static enum wf_rc read_group(
    struct wf_notation_reader *reader, struct group *group_out)
{
	size_t capacity = 0;

	group_out->count = 0;
	group_out->mentions = NULL;
	while (reader->count > 0 && find_arrow(reader->words[0]) == NULL) {
		enum wf_rc rc;

		group_out->mentions =
		    wf_arena_grow(reader->arena, group_out->mentions,
			group_out->count, &capacity, sizeof(struct mention));
		rc = read_mention(reader, reader->words[0],
		    &group_out->mentions[group_out->count++]);
		if (rc != WF_OK)
			return rc;
		reader->words++;
		reader->count--;
	}
	if (group_out->count == 0)
		return WF_NOTATION_FAIL(
		    reader, "an arrow has no name on one of its sides");
	return WF_OK;
}

static bool is_task(const struct mention *mention)
{
	return isupper((unsigned char)mention->id[0]);
}

static enum wf_rc set_control(struct wf_notation_reader *reader,
    struct wf_notation_element *task, enum wf_control control, bool join)
{
	bool *has = join ? &task->has_join : &task->has_split;
	enum wf_control *code = join ? &task->join : &task->split;

	if (*has && *code != control)
		return WF_NOTATION_FAIL(reader,
		    "the %s of %s was another before", join ? "join" : "split",
		    task->id);
	*has = true;
	*code = control;
	return WF_OK;
}

/* Whose join or split an arrow like -and> gives. */
static enum wf_rc apply_arrow(struct wf_notation_reader *reader,
    const struct group *left, const struct arrow *arrow,
    const struct group *right)
{
	bool split = left->count == 1 && is_task(&left->mentions[0]);
	bool join = right->count == 1 && is_task(&right->mentions[0]);

	if (split && join) {
		if (left->mentions[0].predicate == NULL &&
		    right->mentions[0].predicate != NULL)
			join = false;
		else
			return WF_NOTATION_FAIL(reader,
			    "%s between two tasks can be a split or a join; "
			    "say \"task %s split ..\" or \"task %s join ..\"",
			    arrow->text, left->mentions[0].id,
			    right->mentions[0].id);
	}
	if (!split && !join)
		return WF_NOTATION_FAIL(reader,
		    "%s needs one task on its left (a split) or on its "
		    "right (a join)",
		    arrow->text);
	return set_control(reader,
	    wf_notation_element(
		reader, split ? left->mentions[0].id : right->mentions[0].id),
	    arrow->control, join);
}

static enum wf_rc add_flow(struct wf_notation_reader *reader, const char *from,
    const struct mention *to)
{
	struct wf_notation_element *element;
	struct wf_notation_flow *flow;

	wf_notation_element(reader, to->id);
	element = wf_notation_element(reader, from);
	for (size_t i = 0; i < element->flow_count; i++)
		if (strcmp(element->flows[i].target, to->id) == 0)
			return WF_NOTATION_FAIL(reader,
			    "the flow from %s to %s is there already", from,
			    to->id);
	element->flows =
	    wf_arena_grow(reader->arena, element->flows, element->flow_count,
		&element->flow_capacity, sizeof(*element->flows));
	flow = &element->flows[element->flow_count++];
	flow->target = to->id;
	flow->predicate = to->predicate;
	flow->is_default = to->is_default;
	return WF_OK;
}

static enum wf_rc connect(struct wf_notation_reader *reader,
    const struct group *left, const struct arrow *arrow,
    const struct group *right)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < left->count && rc == WF_OK; i++)
		for (size_t k = 0; k < right->count && rc == WF_OK; k++)
			rc = add_flow(
			    reader, left->mentions[i].id, &right->mentions[k]);
	if (rc == WF_OK && !arrow->plain)
		rc = apply_arrow(reader, left, arrow, right);
	return rc;
}

static enum wf_rc read_flows(struct wf_notation_reader *reader)
{
	struct group left;
	struct group right;
	enum wf_rc rc = read_group(reader, &left);

	if (rc == WF_OK && reader->count == 0)
		return WF_NOTATION_FAIL(reader,
		    "\"%s\" is neither a flow nor a declaration",
		    left.mentions[0].id);
	while (rc == WF_OK && reader->count > 0) {
		const struct arrow *arrow = find_arrow(reader->words[0]);

		reader->words++;
		reader->count--;
		rc = read_group(reader, &right);
		if (rc == WF_OK)
			rc = connect(reader, &left, arrow, &right);
		left = right;
	}
	return rc;
}

/* "x : integer = 3", "x : integer mandatory" */
static enum wf_rc read_variable(
    struct wf_notation_reader *reader, bool is_input, bool is_output)
{
	struct wf_notation_net *net = reader->net;
	struct wf_notation_variable *variable;

	if (reader->count < 3 || strcmp(reader->words[1], ":") != 0)
		return WF_NOTATION_FAIL(
		    reader, "expected NAME : TYPE, and = VALUE or nothing");
	if (wf_notation_variable(net, reader->words[0]) != NULL)
		return WF_NOTATION_FAIL(
		    reader, "variable %s is there already", reader->words[0]);
	net->variables =
	    wf_arena_grow(reader->arena, net->variables, net->variable_count,
		&net->variable_capacity, sizeof(*net->variables));
	variable = &net->variables[net->variable_count++];
	memset(variable, 0, sizeof(*variable));
	variable->name = reader->words[0];
	variable->type = reader->words[2];
	variable->is_input = is_input;
	variable->is_output = is_output;
	reader->words += 3;
	reader->count -= 3;
	if (reader->count == 1 && is_input) {
		variable->is_mandatory =
		    strcmp(reader->words[0], "mandatory") == 0;
		variable->is_optional =
		    strcmp(reader->words[0], "optional") == 0;
		if (variable->is_mandatory || variable->is_optional)
			return WF_OK;
	}
	if (reader->count == 2 && strcmp(reader->words[0], "=") == 0) {
		variable->initial =
		    wf_word_unquote(reader->arena, reader->words[1]);
		return WF_OK;
	}
	if (reader->count > 0)
		return WF_NOTATION_FAIL(
		    reader, "\"%s\" is not expected here", reader->words[0]);
	return WF_OK;
}

static enum wf_rc read_line(struct wf_notation_reader *reader)
{
	static const struct {
		const char *word;
		bool is_input, is_output;
	} variables[] = {
		{ "var", false, false },
		{ "in", true, false },
		{ "out", false, true },
		{ "inout", true, true },
	};
	const char *word = reader->words[0];

	if (reader->count > 1 && find_arrow(reader->words[1]) == NULL) {
		for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]);
		     i++) {
			if (strcmp(variables[i].word, word) != 0)
				continue;
			reader->words++;
			reader->count--;
			return read_variable(reader, variables[i].is_input,
			    variables[i].is_output);
		}
		if (strcmp(word, "task") == 0) {
			reader->words++;
			reader->count--;
			return wf_notation_read_task(reader);
		}
	}
	return read_flows(reader);
}

static enum wf_rc begin_net(struct wf_notation *notation,
    const struct wf_lines *lines, const struct wf_words *header,
    struct wf_error *err)
{
	struct wf_notation_net *net;

	if (header->count != 3 || strcmp(header->words[2], "{") != 0)
		return wf_lines_fail(
		    lines, header->line, err, "expected: net NAME {");
	for (size_t i = 0; i < notation->net_count; i++)
		if (strcmp(notation->nets[i].name, header->words[1]) == 0)
			return wf_lines_fail(lines, header->line, err,
			    "there is a net %s already", header->words[1]);
	notation->nets =
	    wf_arena_grow(notation->arena, notation->nets, notation->net_count,
		&notation->net_capacity, sizeof(*notation->nets));
	net = &notation->nets[notation->net_count++];
	memset(net, 0, sizeof(*net));
	net->name = header->words[1];
	net->line = header->line;
	return WF_OK;
}

enum wf_rc wf_notation_read_net(struct wf_notation *notation,
    struct wf_lines *lines, const struct wf_words *header, struct wf_error *err)
{
	struct wf_notation_reader reader = {
		.arena = notation->arena, .lines = lines, .err = err
	};
	struct wf_words words;
	enum wf_rc rc;

	rc = begin_net(notation, lines, header, err);
	if (rc != WF_OK)
		return rc;
	reader.net = &notation->nets[notation->net_count - 1];
	for (;;) {
		rc = wf_lines_next(lines, &words, err);
		if (rc != WF_OK)
			return rc;
		if (words.count == 0)
			return wf_lines_fail(lines, header->line, err,
			    "net %s has no }", reader.net->name);
		if (words.count == 1 && strcmp(words.words[0], "}") == 0)
			return WF_OK;
		reader.line = words.line;
		reader.words = words.words;
		reader.count = words.count;
		rc = read_line(&reader);
		if (rc != WF_OK)
			return rc;
	}
}
