/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading mist's format.
 *
 *   vars    p q r
 *   rules   p >= 1, q >= 1 -> p' = p-1, q' = 0, r' = r+2;
 *   init    p = 1, q >= 1, r = 0
 *   target  r >= 3
 *           p >= 1, q >= 2
 *
 * A variable is a place, a rule is a transition.  Constraints without a comma
 * between them belong to different targets.  The section "invariants" is a hint
 * for the tool mist and is ignored.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "petri/problem.h"

#define NUMBER_MAXIMUM (WF_MANY_FROM - 1)

struct reader {
	const char *at;
	const char *end;
	const char *token; /* the current one */
	size_t length;	   /* 0 at the end */
	int line;
	struct wf_problem *problem;
	struct wf_map *places; /* name -> number + 1, as a pointer */
	uint32_t place_count;
	struct wf_error *err;
	/* The rule under construction, per place; and the places it names. */
	uint32_t *guard;
	int64_t *change;
	bool *sets; /* the new count is change, not a difference */
	bool *touched;
	uint32_t *touched_places;
	uint32_t touched_count;
	struct wf_arc *inputs;
	struct wf_arc *outputs;
	uint32_t *resets;
	size_t transition_capacity;
	size_t target_capacity;
};

/* --- Words --- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static void skip(struct reader *r)
{
	for (; r->at < r->end; r->at++) {
		if (*r->at == '#')
			while (r->at + 1 < r->end && r->at[1] != '\n')
				r->at++;
		else if (*r->at == '\n')
			r->line++;
		else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
			return;
	}
}

static void next(struct reader *r)
{
	skip(r);
	r->token = r->at;
	if (r->at < r->end && is_word(*r->at))
		while (r->at < r->end && is_word(*r->at))
			r->at++;
	else if (r->end - r->at >= 2 &&
		 (memcmp(r->at, ">=", 2) == 0 || memcmp(r->at, "->", 2) == 0))
		r->at += 2;
	else if (r->at < r->end)
		r->at++;
	r->length = (size_t)(r->at - r->token);
}

static bool is(const struct reader *r, const char *word)
{
	return r->length == strlen(word) &&
	       memcmp(r->token, word, r->length) == 0;
}

static bool accept(struct reader *r, const char *word)
{
	bool found = is(r, word);

	if (found)
		next(r);
	return found;
}

static enum wf_rc fail(struct reader *r, enum wf_rc rc, const char *expected)
{
	int length = r->length > 40 ? 40 : (int)r->length;

	if (length == 0)
		wf_fail(r->err, rc, "expected %s, not the end", expected);
	else
		wf_fail(r->err, rc, "expected %s, not \"%.*s\"", expected,
		    length, r->token);
	if (r->err != NULL && r->err->place.line == 0)
		r->err->place.line = r->line;
	return rc;
}

static enum wf_rc read_word(struct reader *r, const char *word)
{
	if (!accept(r, word)) {
		char expected[40];

		snprintf(expected, sizeof(expected), "\"%s\"", word);
		return fail(r, WF_INVALID, expected);
	}
	return WF_OK;
}

static enum wf_rc read_place(struct reader *r, uint32_t *place_out)
{
	void *number = NULL;

	if (r->length > 0)
		number = wf_map_get_n(r->places, r->token, r->length);
	if (number == NULL)
		return fail(r, WF_INVALID, "the name of a variable");
	*place_out = (uint32_t)(uintptr_t)number - 1;
	next(r);
	return WF_OK;
}

static bool is_number(const struct reader *r)
{
	return r->length > 0 && *r->token >= '0' && *r->token <= '9';
}

static enum wf_rc read_number(struct reader *r, uint32_t *number_out)
{
	uint64_t number = 0;

	for (size_t i = 0; i < r->length && number <= NUMBER_MAXIMUM; i++) {
		if (r->token[i] < '0' || r->token[i] > '9')
			return fail(r, WF_INVALID, "a number");
		number = number * 10 + (uint64_t)(r->token[i] - '0');
	}
	if (r->length == 0 || number > NUMBER_MAXIMUM)
		return fail(r, WF_INVALID, "a number below 2^30");
	*number_out = (uint32_t)number;
	next(r);
	return WF_OK;
}

/* --- Sections --- */

static enum wf_rc add_place(struct reader *r, size_t *capacity)
{
	struct wf_problem *p = r->problem;
	struct wf_arena *arena = p->net->arena;
	char *name = wf_arena_strndup(arena, r->token, r->length);

	if (r->place_count == WF_PROBLEM_MAXIMUM || !is_word(*name))
		return fail(r, WF_INVALID, "a name, of a million at most");
	if (!wf_map_add(
		r->places, name, (void *)(uintptr_t)(r->place_count + 1)))
		return fail(r, WF_INVALID, "a name not given before");
	p->places = wf_arena_grow(
	    arena, p->places, r->place_count, capacity, sizeof(*p->places));
	p->places[r->place_count++] = name;
	next(r);
	return WF_OK;
}

static enum wf_rc read_variables(struct reader *r)
{
	size_t capacity = 0;
	enum wf_rc rc = read_word(r, "vars");

	while (rc == WF_OK && r->length > 0 && !is(r, "rules"))
		rc = add_place(r, &capacity);
	return rc;
}

static void touch(struct reader *r, uint32_t place)
{
	if (!r->touched[place])
		r->touched_places[r->touched_count++] = place;
	r->touched[place] = true;
}

static enum wf_rc read_guard(struct reader *r)
{
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && !is(r, "->")) {
		uint32_t place = 0;
		uint32_t number = 0;

		rc = read_place(r, &place);
		if (rc == WF_OK && !accept(r, ">="))
			rc = fail(r, WF_UNSUPPORTED,
			    "\">=\" (others are no Petri net)");
		if (rc == WF_OK)
			rc = read_number(r, &number);
		if (rc != WF_OK)
			break;
		touch(r, place);
		if (number > r->guard[place])
			r->guard[place] = number;
		if (!accept(r, ","))
			break;
	}
	return rc == WF_OK ? read_word(r, "->") : rc;
}

/* p' = p, p' = p + 1, p' = p - 1, p' = 2. */
static enum wf_rc read_update(struct reader *r)
{
	uint32_t place = 0;
	uint32_t from = 0;
	uint32_t number = 0;
	bool minus;
	enum wf_rc rc = read_place(r, &place);

	if (rc == WF_OK)
		rc = read_word(r, "'");
	if (rc == WF_OK)
		rc = read_word(r, "=");
	if (rc != WF_OK)
		return rc;
	if (r->sets[place] || r->change[place] != 0)
		return fail(r, WF_INVALID, "one change of each variable");
	touch(r, place);
	if (is_number(r)) {
		r->sets[place] = true;
		rc = read_number(r, &number);
		r->change[place] = number;
		return rc;
	}
	rc = read_place(r, &from);
	if (rc == WF_OK && from != place)
		return fail(
		    r, WF_UNSUPPORTED, "the variable itself (no transfer)");
	minus = is(r, "-");
	if (rc != WF_OK || (!minus && !is(r, "+")))
		return rc;
	next(r);
	rc = read_number(r, &number);
	r->change[place] = minus ? -(int64_t)number : (int64_t)number;
	return rc;
}

static void add_rule(struct reader *r)
{
	struct wf_transition_parts parts = {
		.inputs = r->inputs, .outputs = r->outputs, .resets = r->resets
	};

	for (uint32_t i = 0; i < r->touched_count; i++) {
		uint32_t p = r->touched_places[i];
		int64_t taken = r->guard[p];
		int64_t left;

		if (!r->sets[p] && -r->change[p] > taken)
			taken = -r->change[p];
		left = r->change[p] + (r->sets[p] ? 0 : taken);
		if (taken > 0)
			r->inputs[parts.input_count++] =
			    (struct wf_arc){ p, (uint32_t)taken };
		if (left > 0)
			r->outputs[parts.output_count++] =
			    (struct wf_arc){ p, (uint32_t)left };
		if (r->sets[p])
			r->resets[parts.reset_count++] = p;
		r->guard[p] = 0;
		r->change[p] = 0;
		r->sets[p] = false;
		r->touched[p] = false;
	}
	r->touched_count = 0;
	parts.label = r->problem->net->transition_count;
	wf_petri_add(r->problem->net, &parts);
}

static enum wf_rc read_rule(struct reader *r)
{
	struct wf_problem *p = r->problem;
	uint32_t number = p->net->transition_count;
	enum wf_rc rc = read_guard(r);

	while (rc == WF_OK && !is(r, ";")) {
		rc = read_update(r);
		if (rc == WF_OK && !accept(r, ","))
			break;
	}
	if (rc == WF_OK)
		rc = read_word(r, ";");
	if (rc != WF_OK)
		return rc;
	if (number == WF_PROBLEM_MAXIMUM)
		return fail(r, WF_INVALID, "a million rules at most");
	add_rule(r);
	p->transitions = wf_arena_grow(p->net->arena, p->transitions, number,
	    &r->transition_capacity, sizeof(*p->transitions));
	p->transitions[number] =
	    wf_arena_printf(p->net->arena, "rule %u", number + 1);
	return WF_OK;
}

static enum wf_rc read_rules(struct reader *r)
{
	struct wf_arena *arena = r->problem->net->arena;
	uint32_t places = r->place_count;
	enum wf_rc rc = read_word(r, "rules");

	r->guard = wf_arena_array(arena, places, sizeof(*r->guard));
	r->change = wf_arena_array(arena, places, sizeof(*r->change));
	r->sets = wf_arena_array(arena, places, sizeof(*r->sets));
	r->touched = wf_arena_array(arena, places, sizeof(*r->touched));
	r->touched_places = wf_arena_array(arena, places, sizeof(uint32_t));
	r->inputs = wf_arena_array(arena, places, sizeof(*r->inputs));
	r->outputs = wf_arena_array(arena, places, sizeof(*r->outputs));
	r->resets = wf_arena_array(arena, places, sizeof(*r->resets));
	while (rc == WF_OK && r->length > 0 && !is(r, "init"))
		rc = read_rule(r);
	return rc;
}

static enum wf_rc read_initial(struct reader *r)
{
	struct wf_problem *p = r->problem;
	bool *given = r->touched;
	enum wf_rc rc = read_word(r, "init");

	p->initial =
	    wf_arena_array(p->net->arena, r->place_count, sizeof(uint32_t));
	while (rc == WF_OK && !is(r, "target")) {
		uint32_t place = 0;
		bool more;

		rc = read_place(r, &place);
		more = is(r, ">=");
		if (rc == WF_OK && !more && !is(r, "="))
			rc = fail(r, WF_UNSUPPORTED, "\"=\" or \">=\"");
		if (rc != WF_OK)
			break;
		next(r);
		rc = read_number(r, &p->initial[place]);
		if (more)
			p->initial[place] = WF_MANY;
		given[place] = true;
		if (rc == WF_OK && !accept(r, ","))
			break;
	}
	for (uint32_t i = 0; rc == WF_OK && i < r->place_count; i++)
		if (!given[i]) {
			char expected[100];

			snprintf(expected, sizeof(expected),
			    "a number for %.60s too", p->places[i]);
			rc = fail(r, WF_INVALID, expected);
		}
	return rc;
}

static enum wf_rc read_target(struct reader *r)
{
	struct wf_problem *p = r->problem;
	struct wf_target target = { NULL, 0 };
	struct wf_arc *arcs = NULL;
	size_t capacity = 0;
	enum wf_rc rc = WF_OK;

	do {
		uint32_t place = 0;
		uint32_t number = 0;

		rc = read_place(r, &place);
		if (rc == WF_OK && !accept(r, ">="))
			rc = fail(r, WF_UNSUPPORTED, "\">=\"");
		if (rc == WF_OK)
			rc = read_number(r, &number);
		if (rc != WF_OK || number == 0)
			continue;
		arcs = wf_arena_grow(p->net->arena, arcs, target.count,
		    &capacity, sizeof(*arcs));
		arcs[target.count++] = (struct wf_arc){ place, number };
	} while (rc == WF_OK && accept(r, ","));
	if (rc != WF_OK)
		return rc;
	target.arcs = arcs;
	target.count = wf_arcs_normalise(arcs, target.count);
	p->targets = wf_arena_grow(p->net->arena, p->targets, p->target_count,
	    &r->target_capacity, sizeof(target));
	p->targets[p->target_count++] = target;
	return WF_OK;
}

static enum wf_rc read_targets(struct reader *r)
{
	enum wf_rc rc = read_word(r, "target");

	do {
		if (rc == WF_OK)
			rc = read_target(r);
	} while (rc == WF_OK && r->length > 0 && !is(r, "invariants") &&
		 r->problem->target_count < WF_PROBLEM_MAXIMUM);
	return rc;
}

enum wf_rc wf_problem_read_mist(struct wf_problem *problem_out,
    const char *text, size_t length, struct wf_error *err)
{
	struct reader r = { .at = text,
		.end = text + length,
		.line = 1,
		.problem = problem_out,
		.err = err };
	enum wf_rc rc;

	*problem_out = (struct wf_problem){ .net = wf_petri_new(0) };
	r.places = wf_map_new();
	next(&r);
	rc = read_variables(&r);
	problem_out->net->place_count = r.place_count;
	if (rc == WF_OK)
		rc = read_rules(&r);
	if (rc == WF_OK)
		rc = read_initial(&r);
	if (rc == WF_OK)
		rc = read_targets(&r);
	wf_map_free(&r.places);
	if (rc != WF_OK)
		wf_problem_free(problem_out);
	return rc;
}

void wf_problem_free(struct wf_problem *problem)
{
	wf_petri_free(&problem->net);
	*problem = (struct wf_problem){ .net = NULL };
}
