/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of content.def, turned into particles, and a matcher for them.
 *
 * The language is deterministic: the next element says which way to go, so
 * the matcher is greedy and never needs to go back.  It remembers the first
 * child that fitted nowhere, and what would have fitted there: that is the
 * diagnostic.
 */
#include "spec/content.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "spec/content_text.h"
#include "spec/timing.h"

struct complex_row {
	const char *type;
	const char *attributes;
	const char *content;
};

struct simple_row {
	const char *type;
	enum wf_text_form form;
	const char *values;
};

struct derived_row {
	const char *type;
	const char *name;
	const char *actual;
};

struct unique_row {
	const char *type;
	const char *elements;
	const char *field;
};

#define WF_COMPLEX(type, attributes, content) { #type, attributes, content },
#define WF_SIMPLE(type, form, values)
#define WF_DERIVED(type, name, actual)
#define WF_UNIQUE(type, elements, field)
static const struct complex_row complex_rows[] = {
#include "spec/content.def"
};
#undef WF_COMPLEX
#undef WF_SIMPLE
#define WF_COMPLEX(type, attributes, content)
#define WF_SIMPLE(type, form, values) { #type, WF_TEXT_##form, values },
static const struct simple_row simple_rows[] = {
#include "spec/content.def"
};
#undef WF_SIMPLE
#undef WF_DERIVED
#define WF_SIMPLE(type, form, values)
#define WF_DERIVED(type, name, actual) { #type, name, #actual },
static const struct derived_row derived_rows[] = {
#include "spec/content.def"
};
#undef WF_DERIVED
#undef WF_UNIQUE
#define WF_DERIVED(type, name, actual)
#define WF_UNIQUE(type, elements, field) { #type, elements, field },
static const struct unique_row unique_rows[] = {
#include "spec/content.def"
};
#undef WF_COMPLEX
#undef WF_SIMPLE
#undef WF_DERIVED
#undef WF_UNIQUE

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

enum particle_kind { ELEMENT, SEQUENCE, CHOICE, EVERYTHING };

/* A particle of a content model; attributes are particles too. */
struct particle {
	enum particle_kind kind;
	const char *name;		 /* of an element or attribute */
	const char *type;		 /* name of its type */
	const struct simple_row *simple; /* of an attribute */
	bool optional;
	bool repeated;
	struct particle *first; /* of a sequence or choice */
	struct particle *next;
};

struct type {
	const struct complex_row *complex; /* NULL: text only */
	const struct simple_row *simple;   /* of the text, or NULL */
	struct particle *attributes;	   /* a sequence */
	struct particle *content;	   /* a sequence; NULL: anything */
	bool has_unique;		   /* children with keys */
};

struct checker {
	struct wf_arena *arena;
	struct wf_diagnostics *diagnostics;
	enum wf_schema_version version;
	const char *space; /* the namespace of the language */
	struct wf_map *types;
	/* The furthest child that did not fit, and what was expected there. */
	const struct wf_markup *stopped;
	const char *expected[24];
	size_t expected_count;
};

static const char *const version_codes[] = {
	[WF_BETA_2] = "b2",
	[WF_BETA_3] = "b3",
	[WF_BETA_4] = "b4",
	[WF_BETA_6] = "b6",
	[WF_BETA_7_1] = "b7",
	[WF_YAWL_2_0] = "20",
	[WF_YAWL_2_1] = "21",
	[WF_YAWL_2_2] = "22",
	[WF_YAWL_3_0] = "30",
	[WF_YAWL_4_0] = "40",
};

/* --- From the table to particles --- */

static enum wf_schema_version version_of_code(const char *code)
{
	for (size_t i = 0; i < COUNT(version_codes); i++)
		if (strncmp(version_codes[i], code, 2) == 0)
			return (enum wf_schema_version)i;
	wf_panic(__FILE__, __LINE__, "a version code that does not exist");
}

/* Parses "{FROM-TO}", either side optional; whether version is in the range. */
static bool parse_versions(const char **at, enum wf_schema_version version)
{
	bool within = true;

	if (**at != '{')
		return true;
	++*at;
	if (**at != '-') {
		within = version >= version_of_code(*at);
		*at += 2;
	}
	++*at;
	if (**at != '}') {
		within = within && version <= version_of_code(*at);
		*at += 2;
	}
	++*at;
	return within;
}

static void parse_occurrence(const char **at, struct particle *particle)
{
	char c = **at;

	particle->optional = c == '?' || c == '*';
	particle->repeated = c == '*' || c == '+';
	if (particle->optional || particle->repeated)
		++*at;
}

static const char *parse_word(struct checker *checker, const char **at)
{
	size_t length = strcspn(*at, ":?*+{}()| ");
	const char *word = wf_arena_strndup(checker->arena, *at, length);

	*at += length;
	return word;
}

static struct particle *parse_choice(struct checker *checker, const char **at);

static struct particle *parse_particle(struct checker *checker, const char **at)
{
	struct particle *particle;

	if (**at == '(') {
		++*at;
		particle = parse_choice(checker, at);
		wf_assert(**at == ')');
		++*at;
		parse_occurrence(at, particle);
		return particle;
	}
	particle = wf_arena_alloc(checker->arena, sizeof(*particle));
	if (**at == '*' || **at == '~') {
		++*at;
		particle->kind = EVERYTHING;
		return particle;
	}
	particle->kind = ELEMENT;
	particle->name = parse_word(checker, at);
	wf_assert(**at == ':');
	++*at;
	particle->type = parse_word(checker, at);
	parse_occurrence(at, particle);
	return particle;
}

static struct particle *parse_sequence(struct checker *checker, const char **at)
{
	struct particle *sequence =
	    wf_arena_alloc(checker->arena, sizeof(*sequence));
	struct particle **link = &sequence->first;

	sequence->kind = SEQUENCE;
	for (;;) {
		struct particle *particle;

		while (**at == ' ')
			++*at;
		if (**at == '\0' || **at == '|' || **at == ')')
			return sequence;
		particle = parse_particle(checker, at);
		if (parse_versions(at, checker->version)) {
			*link = particle;
			link = &particle->next;
		}
	}
}

static struct particle *parse_choice(struct checker *checker, const char **at)
{
	struct particle *choice =
	    wf_arena_alloc(checker->arena, sizeof(*choice));
	struct particle **link = &choice->first;

	choice->kind = CHOICE;
	for (;;) {
		*link = parse_sequence(checker, at);
		link = &(*link)->next;
		if (**at != '|')
			return choice;
		++*at;
	}
}

static const struct simple_row *find_simple(const char *name)
{
	for (size_t i = 0; i < COUNT(simple_rows); i++)
		if (strcmp(simple_rows[i].type, name) == 0)
			return &simple_rows[i];
	return NULL;
}

static const struct complex_row *find_complex(const char *name)
{
	for (size_t i = 0; i < COUNT(complex_rows); i++)
		if (strcmp(complex_rows[i].type, name) == 0)
			return &complex_rows[i];
	return NULL;
}

/* A type is made when a document first uses it. */
static struct type *find_type(struct checker *checker, const char *name)
{
	struct type *type = wf_map_get(checker->types, name);

	if (type != NULL)
		return type;
	type = wf_arena_alloc(checker->arena, sizeof(*type));
	type->complex = find_complex(name);
	if (type->complex == NULL) {
		type->simple = find_simple(name);
		wf_assert(type->simple != NULL);
	} else {
		const char *content = type->complex->content;
		const char *attributes = type->complex->attributes;

		if (content[0] == '#') {
			type->simple = find_simple(content + 1);
			wf_assert(type->simple != NULL);
		} else if (content[0] != '~') {
			type->content = parse_sequence(checker, &content);
		}
		type->attributes = parse_sequence(checker, &attributes);
		for (struct particle *p = type->attributes->first; p != NULL;
		     p = p->next)
			if (p->kind == ELEMENT)
				p->simple = find_simple(p->type);
	}
	for (size_t i = 0; i < COUNT(unique_rows); i++)
		type->has_unique |= strcmp(unique_rows[i].type, name) == 0;
	wf_map_add(checker->types, name, type);
	return type;
}

/* --- Matching --- */

static const struct wf_markup *element_after(const struct wf_markup *node)
{
	for (node = node->next; node != NULL && node->name == NULL;)
		node = node->next;
	return node;
}

static const struct wf_markup *first_element(const struct wf_markup *node)
{
	for (node = node->first; node != NULL && node->name == NULL;)
		node = node->next;
	return node;
}

/* "xs.schema" is the one element of another namespace. */
static bool is_named(const struct checker *checker,
    const struct wf_markup *node, const char *name)
{
	if (strcmp(name, "xs.schema") == 0)
		return wf_markup_is(node, "schema") &&
		       strcmp(node->space, WF_XSD) == 0;
	return wf_markup_is(node, name) &&
	       strcmp(node->space, checker->space) == 0;
}

static void expect(
    struct checker *checker, const struct wf_markup *at, const char *name)
{
	if (checker->stopped != at) {
		checker->stopped = at;
		checker->expected_count = 0;
	}
	for (size_t i = 0; i < checker->expected_count; i++)
		if (strcmp(checker->expected[i], name) == 0)
			return;
	if (checker->expected_count < COUNT(checker->expected))
		checker->expected[checker->expected_count++] = name;
}

static bool match(struct checker *checker, const struct particle *particle,
    const struct wf_markup **at);

/*
 * An alternative that accepts an element is better than one that accepts none.
 */
static bool match_choice(struct checker *checker, const struct particle *choice,
    const struct wf_markup **at)
{
	bool empty = false;

	for (const struct particle *p = choice->first; p != NULL; p = p->next) {
		const struct wf_markup *start = *at;

		if (match(checker, p, at)) {
			if (*at != start)
				return true;
			empty = true;
		} else if (*at != start) {
			return false;
		}
	}
	return empty;
}

static bool match_once(struct checker *checker, const struct particle *particle,
    const struct wf_markup **at)
{
	switch (particle->kind) {
	case ELEMENT:
		if (*at != NULL && is_named(checker, *at, particle->name)) {
			*at = element_after(*at);
			return true;
		}
		expect(checker, *at, particle->name);
		return false;
	case SEQUENCE:
		for (const struct particle *p = particle->first; p != NULL;
		     p = p->next)
			if (!match(checker, p, at))
				return false;
		return true;
	case CHOICE:
		return match_choice(checker, particle, at);
	case EVERYTHING:
	default:
		*at = NULL;
		return true;
	}
}

static bool match(struct checker *checker, const struct particle *particle,
    const struct wf_markup **at)
{
	const struct wf_markup *start = *at;

	if (!match_once(checker, particle, at))
		return particle->optional && *at == start;
	while (particle->repeated && *at != start) {
		start = *at;
		if (!match_once(checker, particle, at))
			return *at == start;
	}
	return true;
}

/* --- Diagnostics --- */

static const char *label_of_id(struct wf_arena *arena,
    const struct wf_markup *node, const char *kind, const char *attribute)
{
	const char *id = wf_markup_attribute(node, attribute);

	return id == NULL ? kind : wf_arena_printf(arena, "%s %s", kind, id);
}

static bool is_net(const struct wf_markup *node)
{
	const char *type = wf_markup_attribute_in(node, WF_XSI, "type");

	return wf_markup_is(node, "decomposition") && type != NULL &&
	       strstr(type, "NetFactsType") != NULL;
}

const char *wf_content_label(
    struct wf_arena *arena, const struct wf_markup *node)
{
	static const struct {
		const char *name;
		const char *kind;
		const char *attribute;
	} labels[] = {
		{ "task", "task", "id" },
		{ "condition", "condition", "id" },
		{ "inputCondition", "input condition", "id" },
		{ "outputCondition", "output condition", "id" },
		{ "rootNet", "net", "id" },
		{ "decomposition", "decomposition", "id" },
		{ "layout", "layout", "id" },
		{ "specification", "specification", "uri" },
	};

	for (; node != NULL; node = node->parent) {
		if (is_net(node))
			return label_of_id(arena, node, "net", "id");
		for (size_t i = 0; i < COUNT(labels); i++)
			if (wf_markup_is(node, labels[i].name))
				return label_of_id(arena, node, labels[i].kind,
				    labels[i].attribute);
	}
	return "";
}

#define FAULT(checker, node, ...)                                              \
	wf_diagnostics_add((checker)->diagnostics, WF_ERROR, (node)->line,     \
	    wf_content_label((checker)->arena, node), __VA_ARGS__)

static const char *expected_list(struct checker *checker)
{
	const char *list = "";

	for (size_t i = 0; i < checker->expected_count; i++) {
		const char *name = checker->expected[i];

		if (strcmp(name, "xs.schema") == 0)
			name = "xs:schema";
		list = wf_arena_printf(checker->arena, "%s%s<%s>", list,
		    i == 0			       ? ""
		    : i + 1 == checker->expected_count ? " or "
						       : ", ",
		    name);
	}
	return list[0] == '\0' ? "nothing more" : list;
}

static void report_mismatch(
    struct checker *checker, const struct wf_markup *node)
{
	const struct wf_markup *at = checker->stopped;

	if (at == NULL)
		FAULT(checker, node, "<%s> is not complete: expected %s",
		    node->name, expected_list(checker));
	else if (strcmp(at->space, checker->space) != 0)
		FAULT(checker, at,
		    "<%s> of the namespace \"%s\" is not allowed in <%s>: "
		    "expected %s of \"%s\"",
		    at->name, at->space, node->name, expected_list(checker),
		    checker->space);
	else
		FAULT(checker, at,
		    "<%s> is not allowed here in <%s>: expected %s", at->name,
		    node->name, expected_list(checker));
}

/* --- The parts of one element --- */

/* attribute: the name; NULL for the text of the element. */
static void check_text(struct checker *checker, const struct wf_markup *node,
    const struct simple_row *simple, const char *attribute, const char *text)
{
	const char *expected =
	    wf_text_expected(simple->form, simple->values, text);
	const char *what;

	if (expected == NULL)
		return;
	what = attribute == NULL
		   ? wf_arena_printf(checker->arena, "<%s>", node->name)
		   : wf_arena_printf(checker->arena, "attribute %s of <%s>",
			 attribute, node->name);
	FAULT(checker, node, "%s is \"%.80s\": expected %s%s", what, text,
	    expected == simple->values ? "one of " : "", expected);
}

static const struct particle *find_attribute(
    const struct type *type, const char *name, bool *any_out)
{
	*any_out = false;
	for (const struct particle *p = type->attributes->first; p != NULL;
	     p = p->next) {
		if (p->kind == EVERYTHING)
			*any_out = true;
		else if (strcmp(p->name, name) == 0)
			return p;
	}
	return NULL;
}

static void check_attribute(struct checker *checker,
    const struct wf_markup *node, const struct type *type,
    const struct wf_markup_attribute *attribute)
{
	const struct particle *declared = NULL;
	bool any = false;

	if (strcmp(attribute->space, WF_XSI) == 0)
		return;
	/* Whose names and values the reader of decompositions checks. */
	if (strcmp(attribute->space, WF_PEOPLE_SPACE) == 0 &&
	    strcmp(node->name, "decomposition") == 0)
		return;
	if (type->attributes != NULL)
		declared = find_attribute(type, attribute->name, &any);
	if (attribute->space[0] != '\0')
		declared = NULL;
	if (declared != NULL)
		check_text(checker, node, declared->simple, attribute->name,
		    attribute->value);
	else if (!any)
		FAULT(checker, node, "<%s> has no attribute %s", node->name,
		    attribute->name);
}

static void check_attributes(struct checker *checker,
    const struct wf_markup *node, const struct type *type)
{
	for (size_t i = 0; i < node->attribute_count; i++)
		check_attribute(checker, node, type, &node->attributes[i]);
	if (type->attributes == NULL)
		return;
	for (const struct particle *p = type->attributes->first; p != NULL;
	     p = p->next)
		if (p->kind == ELEMENT && !p->optional &&
		    wf_markup_attribute(node, p->name) == NULL)
			FAULT(checker, node, "<%s> lacks its attribute %s",
			    node->name, p->name);
}

static const char *field_of(
    struct checker *checker, const struct wf_markup *node, const char *field)
{
	const char *at = strchr(field, '@');
	const char *child;

	if (at == field)
		return wf_markup_attribute(node, field + 1);
	child = wf_arena_strndup(checker->arena, field,
	    at == NULL ? strlen(field) : (size_t)(at - field));
	node = wf_markup_child(node, child);
	if (node == NULL)
		return NULL;
	return at == NULL ? wf_markup_text(checker->arena, node)
			  : wf_markup_attribute(node, at + 1);
}

/* Whether name is one of the words, with | between them. */
static bool is_selected(const char *words, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = words; at != NULL; at = strchr(at, '|')) {
		at += *at == '|';
		if (strncmp(at, name, length) == 0 &&
		    (at[length] == '|' || at[length] == '\0'))
			return true;
	}
	return false;
}

static void check_unique(struct checker *checker, const struct wf_markup *node,
    const struct unique_row *row)
{
	struct wf_map *seen = wf_map_new();

	for (const struct wf_markup *c = first_element(node); c != NULL;
	     c = element_after(c)) {
		const char *value;

		if (!is_selected(row->elements, c->name))
			continue;
		value = field_of(checker, c, row->field);
		if (value != NULL && !wf_map_add(seen, value, seen))
			FAULT(checker, c,
			    "\"%.120s\" is the %s of two elements of <%s>: "
			    "expected a different one for each",
			    value, row->field, node->name);
	}
	wf_map_free(&seen);
}

static const struct particle *find_child(const struct checker *checker,
    const struct particle *model, const struct wf_markup *child)
{
	for (const struct particle *p = model->first; p != NULL; p = p->next) {
		const struct particle *found = NULL;

		if (p->kind == ELEMENT && is_named(checker, child, p->name))
			return p;
		if (p->kind == SEQUENCE || p->kind == CHOICE)
			found = find_child(checker, p, child);
		if (found != NULL)
			return found;
	}
	return NULL;
}

static void check_element(struct checker *checker, const struct wf_markup *node,
    const char *type_name);

static void check_children(struct checker *checker,
    const struct wf_markup *node, const struct type *type)
{
	const struct wf_markup *at = first_element(node);

	for (const struct wf_markup *c = node->first; c != NULL; c = c->next)
		if (c->name == NULL && c->text[strspn(c->text, " \t\r\n")])
			FAULT(checker, node,
			    "text \"%.40s\" is not allowed in <%s>", c->text,
			    node->name);
	/*
	 * node is no child of itself, so the list of expected elements starts
	 * empty.
	 */
	checker->stopped = node;
	checker->expected_count = 0;
	if (!match(checker, type->content, &at) || at != NULL) {
		if (checker->stopped == node || checker->stopped != at) {
			checker->stopped = at;
			checker->expected_count = 0;
		}
		report_mismatch(checker, node);
	}
	for (const struct wf_markup *c = first_element(node); c != NULL;
	     c = element_after(c)) {
		const struct particle *known =
		    find_child(checker, type->content, c);

		if (known != NULL)
			check_element(checker, c, known->type);
	}
}

/* The type that xsi:type names; NULL, with a diagnostic, if not allowed. */
static const char *actual_type(struct checker *checker,
    const struct wf_markup *node, const char *type_name)
{
	const char *asked = wf_markup_attribute_in(node, WF_XSI, "type");
	const char *colon;
	const char *wanted = NULL;

	if (asked != NULL && (colon = strchr(asked, ':')) != NULL)
		asked = colon + 1;
	for (size_t i = 0; i < COUNT(derived_rows); i++) {
		const struct derived_row *row = &derived_rows[i];

		if (strcmp(row->type, type_name) != 0)
			continue;
		if (asked != NULL && strcmp(row->name, asked) == 0)
			return row->actual;
		wanted = wanted == NULL ? row->name
					: wf_arena_printf(checker->arena,
					      "%s or %s", wanted, row->name);
	}
	if (wanted == NULL || (asked == NULL && strcmp(type_name, "Task") == 0))
		return type_name;
	FAULT(checker, node, "<%s> has %s%s: expected xsi:type %s", node->name,
	    asked == NULL ? "no xsi:type" : "xsi:type ",
	    asked == NULL ? "" : asked, wanted);
	return NULL;
}

static void check_element(struct checker *checker, const struct wf_markup *node,
    const char *type_name)
{
	const struct type *type;

	type_name = actual_type(checker, node, type_name);
	if (type_name == NULL)
		return;
	type = find_type(checker, type_name);
	check_attributes(checker, node, type);
	if (type->simple != NULL) {
		if (first_element(node) != NULL)
			FAULT(checker, node,
			    "<%s> holds <%s>: expected text only", node->name,
			    first_element(node)->name);
		else
			check_text(checker, node, type->simple, NULL,
			    wf_markup_text(checker->arena, node));
	} else if (type->content != NULL) {
		check_children(checker, node, type);
	}
	for (size_t i = 0; type->has_unique && i < COUNT(unique_rows); i++)
		if (strcmp(unique_rows[i].type, type_name) == 0)
			check_unique(checker, node, &unique_rows[i]);
}

void wf_content_check(struct wf_arena *scratch, const struct wf_markup *root,
    enum wf_schema_version version, struct wf_diagnostics *diagnostics)
{
	struct checker checker = {
		.arena = scratch,
		.diagnostics = diagnostics,
		.version = version,
		.space = root->space,
		.types = wf_map_new(),
	};

	check_element(&checker, root, "SpecificationSet");
	wf_map_free(&checker.types);
}
