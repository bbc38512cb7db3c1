/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thompson's construction: a pattern becomes a program of states, and a text is
 * read once while the set of states that it can have led to is kept. Counted
 * repetitions are written out, so the number of states is bounded.
 *
 * A state that reads a character goes on to the state behind it. Classes are
 * decided by PCRE2, one character at a time, because it knows the properties of
 * Unicode; those of ASCII are decided once.
 *
 *   A|B      alternatives   SPLIT A, next; A; JUMP end; JUMP B; B; end
 *   A?       optional       SPLIT A, end; A; end
 *   A*       repeated       SPLIT A, end; A; JUMP to the SPLIT; end
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "xquery/pattern/automaton.h"

#include <pcre2.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/panic.h"
#include "xquery/pattern/regex_priv.h"
#include "xquery/text/unicode.h"

#define STATES_MAXIMUM 100000U
#define CLASSES_MAXIMUM 1000U
#define CLASS_BYTES ((size_t)1 << 16)
#define DEPTH 100
#define UNBOUNDED UINT32_MAX
#define ASCII 0x80U
/* Asking PCRE2 for one character costs as much as so many states. */
#define CLASS_COST 16U

enum kind { CHARACTER, CLASS, JUMP, SPLIT, MATCH };

struct state {
	enum kind kind;
	uint32_t to;	/* the character, the class, or the next state */
	uint32_t other; /* SPLIT: the other next state */
};

struct class
{
	pcre2_code *code;
	bool ascii[ASCII];
};

struct wf_automaton {
	struct wf_arena *arena;
	struct state *states;
	size_t count;
	size_t capacity;
	struct class **classes;
	size_t class_count;
	size_t class_capacity;
};

/* ---- from a pattern to states ---- */

struct builder {
	struct wf_automaton *automaton;
	struct wf_regex_scan scan;
	struct wf_buffer class;	      /* the class that is read, for PCRE2 */
	struct wf_map *class_numbers; /* by that text: number + 1 */
	uint32_t pieces;	      /* read, again for each repetition */
	bool too_large;
};

static bool alternatives(struct builder *builder);

static bool too_large(struct builder *builder)
{
	builder->too_large = true;
	return false;
}

static char peek(const struct builder *builder)
{
	return builder->scan.next < builder->scan.end ? *builder->scan.next
						      : '\0';
}

/* Appends a state; returns its number. */
static uint32_t add_state(
    struct builder *builder, enum kind kind, uint32_t to, uint32_t other)
{
	struct wf_automaton *automaton = builder->automaton;

	automaton->states = wf_arena_grow(automaton->arena, automaton->states,
	    automaton->count, &automaton->capacity, sizeof(*automaton->states));
	automaton->states[automaton->count] =
	    (struct state){ .kind = kind, .to = to, .other = other };
	return (uint32_t)automaton->count++;
}

static bool class_has(
    const struct class *class, uint32_t character, pcre2_match_data *data)
{
	char text[8];
	size_t length = wf_utf8_put(character, text);

	return pcre2_match(class->code, (PCRE2_SPTR)text, length, 0,
		   PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, data, NULL) > 0;
}

static bool compile_class(struct builder *builder, uint32_t *number_out)
{
	struct wf_automaton *automaton = builder->automaton;
	struct class *class = wf_arena_alloc(automaton->arena, sizeof(*class));
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	size_t offset;
	int code;

	if (data == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	class->code = pcre2_compile((PCRE2_SPTR)wf_buffer_text(&builder->class),
	    builder->class.length, PCRE2_UTF, &code, &offset, NULL);
	if (class->code != NULL) {
		automaton->classes = wf_arena_grow(automaton->arena,
		    automaton->classes, automaton->class_count,
		    &automaton->class_capacity, sizeof(class));
		*number_out = (uint32_t)automaton->class_count;
		automaton->classes[automaton->class_count++] = class;
		for (uint32_t i = 0; i < ASCII; i++)
			class->ascii[i] = class_has(class, i, data);
	}
	pcre2_match_data_free(data);
	return class->code != NULL ||
	       wf_regex_problem(&builder->scan, "a class is not valid");
}

/* The state of the class whose text for PCRE2 was read. */
static bool add_class(struct builder *builder)
{
	const char *text = wf_buffer_text(&builder->class);
	uintptr_t known = (uintptr_t)wf_map_get(builder->class_numbers, text);
	uint32_t number = 0;

	if (builder->class.full ||
	    builder->automaton->class_count == CLASSES_MAXIMUM)
		return too_large(builder);
	if (known != 0)
		number = (uint32_t)(known - 1);
	else if (!compile_class(builder, &number))
		return false;
	else
		wf_map_add(builder->class_numbers, text,
		    (void *)((uintptr_t)number + 1));
	add_state(builder, CLASS, number, 0);
	return true;
}

static bool group(struct builder *builder)
{
	if (++builder->scan.depth > DEPTH)
		return wf_regex_problem(
		    &builder->scan, "it is nested too deeply");
	if (!alternatives(builder))
		return false;
	builder->scan.depth--;
	if (peek(builder) != ')')
		return wf_regex_problem(
		    &builder->scan, "a group is not closed");
	builder->scan.next++;
	return true;
}

static bool escape(struct builder *builder)
{
	bool known;
	char c;

	wf_buffer_putc(&builder->class, '[');
	if (!wf_regex_class_escape(&builder->scan, &known))
		return false;
	if (known) {
		wf_buffer_putc(&builder->class, ']');
		return add_class(builder);
	}
	c = wf_regex_single_escape(peek(builder));
	if (c == '\0' || c == '$')
		return wf_regex_problem(
		    &builder->scan, "there is no such escape");
	builder->scan.next++;
	add_state(builder, CHARACTER, (unsigned char)c, 0);
	return true;
}

/* What a quantifier can follow; next is at its start. */
static bool atom(struct builder *builder)
{
	char c = peek(builder);

	if (++builder->pieces > STATES_MAXIMUM ||
	    builder->automaton->count > STATES_MAXIMUM)
		return too_large(builder);
	if (c != '\0' && strchr("?*+{}])|", c) != NULL)
		return wf_regex_problem(
		    &builder->scan, "a special character where none may stand");
	if (c == '\0' || strchr(".\\([", c) == NULL) {
		add_state(builder, CHARACTER,
		    wf_utf8_next(&builder->scan.next, builder->scan.end), 0);
		return true;
	}
	builder->scan.next++;
	wf_buffer_reset(&builder->class);
	if (c == '(')
		return group(builder);
	if (c == '\\')
		return escape(builder);
	if (c == '.')
		wf_buffer_puts(&builder->class, "[^\\n\\r]");
	else if (!wf_regex_class(&builder->scan))
		return false;
	return add_class(builder);
}

static bool number(struct builder *builder, uint32_t *number_out)
{
	uint32_t value = 0;
	bool any = false;

	for (; peek(builder) >= '0' && peek(builder) <= '9'; any = true) {
		value = value * 10 + (uint32_t)(*builder->scan.next++ - '0');
		if (value > STATES_MAXIMUM)
			return too_large(builder);
	}
	*number_out = value;
	return any ||
	       wf_regex_problem(&builder->scan, "a quantity is not a number");
}

/* {n}, {n,} or {n,m}; next is behind the brace. */
static bool quantity(
    struct builder *builder, uint32_t *least_out, uint32_t *most_out)
{
	if (!number(builder, least_out))
		return false;
	*most_out = *least_out;
	if (peek(builder) == ',') {
		builder->scan.next++;
		*most_out = UNBOUNDED;
		if (peek(builder) != '}' && !number(builder, most_out))
			return false;
		if (*most_out < *least_out)
			return wf_regex_problem(&builder->scan,
			    "a quantity is the wrong way round");
	}
	if (peek(builder) != '}')
		return wf_regex_problem(
		    &builder->scan, "a quantity is not closed");
	builder->scan.next++;
	return true;
}

static bool quantifier(
    struct builder *builder, uint32_t *least_out, uint32_t *most_out)
{
	char c = peek(builder);

	*least_out = c == '?' || c == '*' ? 0 : 1;
	*most_out = c == '*' || c == '+' ? UNBOUNDED : 1;
	if (c == '\0' || strchr("?*+{", c) == NULL)
		return true;
	builder->scan.next++;
	return c != '{' || quantity(builder, least_out, most_out);
}

/*
 * An atom as often as its quantifier says.  Each copy begins with a state that
 * leads into it; those of copies that may be left out lead to the end, too, and
 * are linked by "other" until the end is known.
 */
static bool piece(struct builder *builder)
{
	struct wf_automaton *automaton = builder->automaton;
	const char *start = builder->scan.next;
	uint32_t first = add_state(builder, JUMP, 0, 0);
	uint32_t entry = first; /* of the last copy */
	uint32_t last = UNBOUNDED;
	const char *behind;
	uint32_t least;
	uint32_t most;
	uint32_t copies;

	automaton->states[first].to = first + 1;
	if (!atom(builder) || !quantifier(builder, &least, &most))
		return false;
	behind = builder->scan.next;
	copies = most != UNBOUNDED ? most : least == 0 ? 1 : least;
	for (uint32_t i = 0; i < copies; i++) {
		if (i > 0) {
			entry = add_state(
			    builder, JUMP, (uint32_t)automaton->count + 1, 0);
			builder->scan.next = start;
			if (!atom(builder))
				return false;
		}
		if (i < least)
			continue;
		automaton->states[entry].kind = SPLIT;
		automaton->states[entry].other = last;
		last = entry;
	}
	builder->scan.next = behind;
	if (most == UNBOUNDED)
		add_state(
		    builder, SPLIT, entry, (uint32_t)automaton->count + 1);
	if (most == 0)
		automaton->states[first].to = (uint32_t)automaton->count;
	while (last != UNBOUNDED) {
		uint32_t next = automaton->states[last].other;

		automaton->states[last].other = (uint32_t)automaton->count;
		last = next;
	}
	return true;
}

/* Up to the end, or to the parenthesis that closes the group. */
static bool alternatives(struct builder *builder)
{
	struct wf_automaton *automaton = builder->automaton;
	uint32_t branch = add_state(builder, JUMP, 0, 0);
	uint32_t last = UNBOUNDED; /* the ends of branches, linked by "other" */

	automaton->states[branch].to = branch + 1;
	while (builder->scan.next < builder->scan.end && peek(builder) != ')') {
		if (peek(builder) != '|') {
			if (!piece(builder))
				return false;
			continue;
		}
		builder->scan.next++;
		last = add_state(builder, JUMP, 0, last);
		automaton->states[branch].kind = SPLIT;
		automaton->states[branch].other = (uint32_t)automaton->count;
		branch = add_state(builder, JUMP, last + 2, 0);
		if (++builder->pieces > STATES_MAXIMUM)
			return too_large(builder);
	}
	while (last != UNBOUNDED) {
		automaton->states[last].to = (uint32_t)automaton->count;
		last = automaton->states[last].other;
	}
	return true;
}

static enum wf_rc build(struct builder *builder, struct wf_error *err)
{
	bool good = alternatives(builder);

	if (good && builder->scan.next < builder->scan.end)
		good =
		    wf_regex_problem(&builder->scan, "a parenthesis too many");
	if (good)
		add_state(builder, MATCH, 0, 0);
	if (builder->too_large)
		return wf_fail(err, WF_LIMIT,
		    "with its repetitions written out it has more than %u "
		    "states",
		    STATES_MAXIMUM);
	return good ? WF_OK
		    : wf_fail(err, WF_DATA, "%s", builder->scan.problem);
}

enum wf_rc wf_automaton_new(struct wf_automaton **automaton_out,
    const char *pattern, struct wf_error *err)
{
	struct wf_automaton *automaton = wf_calloc(1, sizeof(*automaton));
	struct builder builder = { .automaton = automaton };
	enum wf_rc rc;

	automaton->arena = wf_arena_new();
	builder.scan.next = pattern;
	builder.scan.end = pattern + strlen(pattern);
	builder.scan.out = &builder.class;
	wf_buffer_init(&builder.class, CLASS_BYTES);
	builder.class_numbers = wf_map_new();
	rc = build(&builder, err);
	wf_map_free(&builder.class_numbers);
	wf_buffer_free(&builder.class);
	if (rc != WF_OK)
		wf_automaton_free(&automaton);
	*automaton_out = automaton;
	return rc;
}

void wf_automaton_free(struct wf_automaton **automaton)
{
	struct wf_automaton *old = *automaton;

	*automaton = NULL;
	if (old == NULL)
		return;
	for (size_t i = 0; i < old->class_count; i++)
		pcre2_code_free(old->classes[i]->code);
	wf_arena_free(&old->arena);
	wf_free(old);
}

size_t wf_automaton_states(const struct wf_automaton *automaton)
{
	return automaton->count;
}

/* ---- from a text to an answer ---- */

/* The states that a prefix of the text leads to. */
struct set {
	uint32_t *states;
	size_t count;
};

struct run {
	const struct wf_automaton *automaton;
	pcre2_match_data *data;
	struct set now;
	struct set next;
	size_t *marks;	 /* by state: the position that it was added for */
	uint32_t *stack; /* states to be added */
	uint64_t cost;
};

/* Adds a state and all that it leads to without reading. */
static void add(struct run *run, struct set *set, uint32_t state, size_t mark)
{
	const struct state *states = run->automaton->states;
	size_t open = 0;

	run->stack[open++] = state;
	while (open > 0) {
		state = run->stack[--open];
		if (run->marks[state] == mark)
			continue;
		run->marks[state] = mark;
		run->cost++;
		if (states[state].kind == SPLIT)
			run->stack[open++] = states[state].other;
		if (states[state].kind == SPLIT || states[state].kind == JUMP)
			run->stack[open++] = states[state].to;
		else
			set->states[set->count++] = state;
	}
}

static bool reads(
    struct run *run, const struct state *state, uint32_t character)
{
	const struct class *class;

	if (state->kind == CHARACTER)
		return state->to == character;
	if (state->kind != CLASS)
		return false;
	class = run->automaton->classes[state->to];
	if (character < ASCII)
		return class->ascii[character];
	run->cost += CLASS_COST;
	return class_has(class, character, run->data);
}

/* Reads one character; mark: its position from 1, plus 1. */
static void read_character(struct run *run, uint32_t character, size_t mark)
{
	struct set read = run->now;

	run->next.count = 0;
	for (size_t i = 0; i < read.count; i++) {
		uint32_t state = read.states[i];

		run->cost++;
		if (reads(run, &run->automaton->states[state], character))
			add(run, &run->next, state + 1, mark);
	}
	run->now = run->next;
	run->next = read;
}

static enum wf_rc simulate(struct run *run, const char *text, size_t length,
    uint64_t budget, bool *matches_out, size_t *read_out)
{
	const char *next = text;
	const char *before = text;
	const char *end = text + length;
	size_t mark = 1;

	add(run, &run->now, 0, mark);
	while (next < end && run->now.count > 0 && run->cost < budget) {
		before = next;
		read_character(run, wf_utf8_next(&next, end), ++mark);
	}
	if (read_out != NULL)
		*read_out =
		    (size_t)((run->now.count > 0 ? next : before) - text);
	for (size_t i = 0; i < run->now.count; i++)
		*matches_out |=
		    next == end &&
		    run->automaton->states[run->now.states[i]].kind == MATCH;
	return run->cost < budget ? WF_OK : WF_LIMIT;
}

enum wf_rc wf_automaton_match(const struct wf_automaton *automaton,
    const char *text, size_t length, uint64_t *budget, bool *matches_out,
    size_t *read_out, struct wf_error *err)
{
	size_t count = automaton->count;
	/* A state is pushed at most once by each of two that lead to it. */
	uint32_t *numbers = wf_calloc(4 * count + 2, sizeof(*numbers));
	struct run run = {
		.automaton = automaton,
		.data = pcre2_match_data_create(1, NULL),
		.now = { .states = numbers },
		.next = { .states = numbers + count },
		.marks = wf_calloc(count, sizeof(*run.marks)),
		.stack = numbers + 2 * count,
		.cost = 1 + count / 8, /* the memory */
	};
	enum wf_rc rc;

	if (run.data == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	*matches_out = false;
	rc = simulate(&run, text, length, *budget, matches_out, read_out);
	*budget = rc == WF_OK ? *budget - run.cost : 0;
	pcre2_match_data_free(run.data);
	wf_free(run.marks);
	wf_free(numbers);
	if (rc != WF_OK)
		return wf_fail(
		    err, WF_LIMIT, "the pattern takes too long to match");
	return WF_OK;
}
