/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads PNML: first the nodes of all pages, then the arcs between them.
 * Reference nodes are replaced by the nodes that they refer to.
 */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "petri/problem.h"
#include "petri/xml.h"

/* The maximum length of a chain of references. */
#define REFERENCES_MAXIMUM 100
#define PAGES_MAXIMUM 100

enum node_kind { PLACE, TRANSITION, REFERENCE };

struct node {
	enum node_kind kind;
	uint32_t number;
	const char *id; /* of a reference: what it refers to */
	/* Of a transition: the arcs that become its parts at the end. */
	struct wf_arc *inputs;
	struct wf_arc *outputs;
	uint32_t *resets;
	size_t input_count, input_capacity;
	size_t output_count, output_capacity;
	size_t reset_count, reset_capacity;
};

struct reader {
	struct wf_arena *arena; /* freed when the net is complete */
	struct wf_problem *problem;
	struct wf_map *nodes; /* id -> struct node */
	struct node **transitions;
	uint32_t place_count;
	uint32_t transition_count;
	size_t place_capacity;
	size_t initial_capacity;
	size_t transition_capacity;
	size_t name_capacity;
	size_t target_capacity;
	struct wf_error *err;
};

static enum wf_rc fail(struct reader *r, enum wf_rc rc, const struct wf_xml *at,
    const char *expected)
{
	rc = wf_fail(r->err, rc, "expected %s", expected);
	if (r->err != NULL && r->err->place.line == 0) {
		const char *id = wf_xml_attribute(at, "id");

		r->err->place.line = at->line;
		snprintf(r->err->place.element, sizeof(r->err->place.element),
		    "%.40s %.80s", at->name, id == NULL ? "" : id);
	}
	return rc;
}

/* --- Labels --- */

/* <name><text>N</text></name>; fallback when there is no such child. */
static enum wf_rc read_count(struct reader *r, const struct wf_xml *element,
    const char *name, uint32_t fallback, uint32_t *count_out)
{
	const struct wf_xml *label =
	    name == NULL ? element : wf_xml_child(element, name);
	const struct wf_xml *text;
	uint64_t count = 0;

	*count_out = fallback;
	if (label == NULL)
		return WF_OK;
	text = wf_xml_child(label, "text");
	if (text == NULL || text->text[0] == '\0')
		return fail(r, WF_INVALID, label, "<text>, a number");
	for (const char *at = text->text; *at != '\0'; at++) {
		if (*at < '0' || *at > '9')
			return fail(r, WF_INVALID, label, "a whole number");
		count = count * 10 + (uint64_t)(*at - '0');
		if (count >= WF_MANY_FROM)
			return fail(
			    r, WF_INVALID, label, "a number below 2^30");
	}
	*count_out = (uint32_t)count;
	return WF_OK;
}

/* --- Nodes --- */

static enum wf_rc add_node(struct reader *r, const struct wf_xml *element,
    enum node_kind kind, struct node **node_out)
{
	const char *id = wf_xml_attribute(element, "id");
	struct node *node = wf_arena_alloc(r->arena, sizeof(*node));

	*node_out = node;
	node->kind = kind;
	node->id = id;
	if (id == NULL || !wf_map_add(r->nodes, id, node))
		return fail(
		    r, WF_INVALID, element, "an id that no other node has");
	return WF_OK;
}

static enum wf_rc add_place(struct reader *r, const struct wf_xml *element)
{
	struct wf_problem *p = r->problem;
	struct wf_arena *arena = p->net->arena;
	uint32_t number = r->place_count;
	struct node *node;
	uint32_t tokens;
	enum wf_rc rc = add_node(r, element, PLACE, &node);

	if (rc == WF_OK)
		rc = read_count(r, element, "initialMarking", 0, &tokens);
	if (rc != WF_OK)
		return rc;
	node->number = r->place_count++;
	p->places = wf_arena_grow(
	    arena, p->places, number, &r->place_capacity, sizeof(*p->places));
	p->places[number] = wf_arena_strdup(arena, node->id);
	p->initial = wf_arena_grow(arena, p->initial, number,
	    &r->initial_capacity, sizeof(*p->initial));
	p->initial[number] = tokens;
	return WF_OK;
}

static enum wf_rc add_transition(struct reader *r, const struct wf_xml *element)
{
	struct wf_problem *p = r->problem;
	struct wf_arena *arena = p->net->arena;
	uint32_t number = r->transition_count;
	struct node *node;
	enum wf_rc rc = add_node(r, element, TRANSITION, &node);

	if (rc != WF_OK)
		return rc;
	node->number = r->transition_count++;
	r->transitions = wf_arena_grow(r->arena, r->transitions, number,
	    &r->transition_capacity, sizeof(*r->transitions));
	r->transitions[number] = node;
	p->transitions = wf_arena_grow(arena, p->transitions, number,
	    &r->name_capacity, sizeof(*p->transitions));
	p->transitions[number] = wf_arena_strdup(arena, node->id);
	return WF_OK;
}

static enum wf_rc add_reference(struct reader *r, const struct wf_xml *element)
{
	const char *to = wf_xml_attribute(element, "ref");
	struct node *node;
	enum wf_rc rc = add_node(r, element, REFERENCE, &node);

	if (rc == WF_OK && to == NULL)
		rc = fail(r, WF_INVALID, element, "an attribute ref");
	node->id = to;
	return rc;
}

/* Calls on_element for the elements of the net and its pages. */
static enum wf_rc each_element(struct reader *r, const struct wf_xml *parent,
    enum wf_rc (*on_element)(struct reader *, const struct wf_xml *), int depth)
{
	enum wf_rc rc = WF_OK;

	if (depth == PAGES_MAXIMUM)
		return fail(r, WF_INVALID, parent, "fewer pages in pages");
	for (const struct wf_xml *e = parent->children;
	     e != NULL && rc == WF_OK; e = e->next) {
		if (strcmp(e->name, "page") == 0)
			rc = each_element(r, e, on_element, depth + 1);
		else
			rc = on_element(r, e);
	}
	return rc;
}

static enum wf_rc read_node(struct reader *r, const struct wf_xml *element)
{
	if (strcmp(element->name, "place") == 0)
		return add_place(r, element);
	if (strcmp(element->name, "transition") == 0)
		return add_transition(r, element);
	if (strcmp(element->name, "referencePlace") == 0 ||
	    strcmp(element->name, "referenceTransition") == 0)
		return add_reference(r, element);
	return WF_OK;
}

/* --- Arcs --- */

static struct node *find_node(const struct reader *r, const char *id)
{
	for (int i = 0; id != NULL && i < REFERENCES_MAXIMUM; i++) {
		struct node *node = wf_map_get(r->nodes, id);

		if (node == NULL || node->kind != REFERENCE)
			return node;
		id = node->id;
	}
	return NULL;
}

/* The type of the arc as written; NULL: a plain arc. */
static const char *arc_type(const struct wf_xml *arc)
{
	const struct wf_xml *label = wf_xml_child(arc, "arctype");
	const struct wf_xml *text;

	if (label != NULL) {
		text = wf_xml_child(label, "text");
		return text == NULL ? "" : text->text;
	}
	label = wf_xml_child(arc, "type");
	if (label != NULL)
		return wf_xml_attribute(label, "value");
	for (const struct wf_xml *e = arc->children; e != NULL; e = e->next)
		if (strcmp(e->name, "toolspecific") == 0 &&
		    wf_xml_child(e, "reset") != NULL)
			return "reset";
	return NULL;
}

static void add_arc(struct reader *r, struct wf_arc **arcs, size_t *count,
    size_t *capacity, uint32_t place, uint32_t weight)
{
	*arcs = wf_arena_grow(
	    r->arena, *arcs, *count, capacity, sizeof(struct wf_arc));
	(*arcs)[(*count)++] = (struct wf_arc){ place, weight };
}

static void add_reset(struct reader *r, struct node *t, uint32_t place)
{
	t->resets = wf_arena_grow(r->arena, t->resets, t->reset_count,
	    &t->reset_capacity, sizeof(*t->resets));
	t->resets[t->reset_count++] = place;
}

static enum wf_rc read_arc(struct reader *r, const struct wf_xml *element)
{
	struct node *from;
	struct node *to;
	const char *type;
	uint32_t weight;
	enum wf_rc rc;

	if (strcmp(element->name, "arc") != 0)
		return WF_OK;
	from = find_node(r, wf_xml_attribute(element, "source"));
	to = find_node(r, wf_xml_attribute(element, "target"));
	if (from == NULL || to == NULL || from->kind == to->kind)
		return fail(r, WF_INVALID, element,
		    "a place and a transition as source and target");
	rc = read_count(r, element, "inscription", 1, &weight);
	if (rc != WF_OK)
		return rc;
	if (weight == 0)
		return fail(r, WF_INVALID, element, "a weight of at least 1");
	type = arc_type(element);
	if (type != NULL && strcmp(type, "reset") == 0 && from->kind == PLACE)
		add_reset(r, to, from->number);
	else if (type != NULL && strcmp(type, "normal") != 0)
		return fail(r, WF_UNSUPPORTED, element,
		    "an ordinary arc, or a reset arc from a place");
	else if (from->kind == PLACE)
		add_arc(r, &to->inputs, &to->input_count, &to->input_capacity,
		    from->number, weight);
	else
		add_arc(r, &from->outputs, &from->output_count,
		    &from->output_capacity, to->number, weight);
	return WF_OK;
}

static void make_net(struct reader *r)
{
	struct wf_petri *net = r->problem->net;

	net->place_count = r->place_count;
	for (uint32_t i = 0; i < r->transition_count; i++) {
		const struct node *t = r->transitions[i];
		struct wf_transition_parts parts = { .inputs = t->inputs,
			.input_count = (uint32_t)t->input_count,
			.outputs = t->outputs,
			.output_count = (uint32_t)t->output_count,
			.resets = t->resets,
			.reset_count = (uint32_t)t->reset_count,
			.label = i };

		wf_petri_add(net, &parts);
	}
}

/* --- Targets --- */

static enum wf_rc read_target(struct reader *r, const struct wf_xml *marking)
{
	struct wf_problem *p = r->problem;
	struct wf_target target = { NULL, 0 };
	struct wf_arc *arcs = NULL;
	size_t capacity = 0;

	for (const struct wf_xml *e = marking->children; e != NULL;
	     e = e->next) {
		const struct node *node =
		    find_node(r, wf_xml_attribute(e, "idref"));
		uint32_t tokens;
		enum wf_rc rc;

		if (strcmp(e->name, "place") != 0)
			continue;
		if (node == NULL || node->kind != PLACE)
			return fail(r, WF_INVALID, e, "idref, of a place");
		rc = read_count(r, e, NULL, 0, &tokens);
		if (rc != WF_OK)
			return rc;
		if (tokens == 0)
			continue;
		arcs = wf_arena_grow(p->net->arena, arcs, target.count,
		    &capacity, sizeof(*arcs));
		arcs[target.count++] = (struct wf_arc){ node->number, tokens };
	}
	target.arcs = arcs;
	if (target.count > 0)
		target.count = wf_arcs_normalise(arcs, target.count);
	p->targets = wf_arena_grow(p->net->arena, p->targets, p->target_count,
	    &r->target_capacity, sizeof(target));
	p->targets[p->target_count++] = target;
	return WF_OK;
}

static enum wf_rc read_targets(struct reader *r, const struct wf_xml *net)
{
	const struct wf_xml *all = wf_xml_child(net, "finalmarkings");
	enum wf_rc rc = WF_OK;

	for (const struct wf_xml *e = all == NULL ? NULL : all->children;
	     e != NULL && rc == WF_OK; e = e->next)
		if (strcmp(e->name, "marking") == 0)
			rc = read_target(r, e);
	if (rc == WF_OK && r->problem->target_count == 0)
		rc = fail(r, WF_INVALID, net,
		    "<finalmarkings>, with what is to be covered");
	return rc;
}

/* --- The file --- */

static enum wf_rc read_net(struct reader *r, const struct wf_xml *root)
{
	const struct wf_xml *net = wf_xml_child(root, "net");
	const char *type;
	enum wf_rc rc;

	if (strcmp(root->name, "pnml") != 0 || net == NULL)
		return fail(r, WF_INVALID, root, "<pnml> with a <net>");
	type = wf_xml_attribute(net, "type");
	if (type != NULL && (strstr(type, "symmetric") != NULL ||
				strstr(type, "highlevel") != NULL ||
				strstr(type, "hlpn") != NULL))
		return fail(r, WF_UNSUPPORTED, net, "a place/transition net");
	rc = each_element(r, net, read_node, 0);
	if (rc == WF_OK)
		rc = each_element(r, net, read_arc, 0);
	if (rc != WF_OK)
		return rc;
	make_net(r);
	return read_targets(r, net);
}

enum wf_rc wf_problem_read_pnml(struct wf_problem *problem_out,
    const char *text, size_t length, struct wf_error *err)
{
	struct reader r = { .problem = problem_out, .err = err };
	struct wf_xml *root;
	enum wf_rc rc;

	*problem_out = (struct wf_problem){ .net = wf_petri_new(0) };
	r.arena = wf_arena_new();
	r.nodes = wf_map_new();
	rc = wf_xml_read(&root, r.arena, text, length, err);
	if (rc == WF_OK)
		rc = read_net(&r, root);
	wf_map_free(&r.nodes);
	wf_arena_free(&r.arena);
	if (rc != WF_OK)
		wf_problem_free(problem_out);
	return rc;
}
