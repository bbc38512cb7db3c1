/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as bytes, and the maps that it makes of two specifications. */
#include "base/bitset.h"
#include "base/codec.h"
#include "base/panic.h"
#include "kernel/change/migrate_priv.h"

#include <string.h>

#define FORMAT 1

/* --- bytes ---------------------------------------------------------------- */

void wf_migration_begin(struct wf_buffer *data, uint64_t target, bool reoffers)
{
	wf_put_number(data, FORMAT);
	wf_put_number(data, target);
	wf_put_number(data, reoffers);
}

void wf_migration_put(
    struct wf_buffer *data, const struct wf_migration_row *row)
{
	wf_assert(row->kind > 0 && row->kind <= WF_MIGRATION_LAST);
	wf_assert(data->length > 0);
	wf_put_number(data, row->kind);
	wf_put_string(data, row->net == NULL ? "" : row->net);
	wf_put_string(data, row->from);
	wf_put_number(data, row->to != NULL);
	wf_put_string(data, row->to == NULL ? "" : row->to);
}

uint64_t wf_migration_target_key(const char *data, size_t length)
{
	struct wf_reader reader;
	uint64_t key;

	wf_reader_init(&reader, data, data == NULL ? 0 : length);
	if (wf_get_number(&reader) != FORMAT)
		return 0;
	key = wf_get_number(&reader);
	return reader.bad ? 0 : key;
}

static bool get_row(struct wf_reader *reader, struct wf_arena *arena,
    struct wf_migration_row *row)
{
	bool goes;

	row->kind =
	    (enum wf_migration_kind)wf_get_bounded(reader, WF_MIGRATION_LAST);
	row->net = wf_get_string(reader, arena);
	row->from = wf_get_string(reader, arena);
	goes = wf_get_bounded(reader, 1) != 0;
	row->to = wf_get_string(reader, arena);
	if (!goes)
		row->to = NULL;
	return !reader->bad && row->kind != 0;
}

/* --- elements with the same id -------------------------------------------- */

static uint32_t variable_number(const struct wf_net *net, const char *name)
{
	for (uint32_t i = 0; i < net->variable_count; i++)
		if (strcmp(net->variables[i].name, name) == 0)
			return i;
	return NOWHERE;
}

static uint32_t *numbers(struct wf_migration *m, uint32_t count)
{
	uint32_t *array = wf_arena_array(m->arena, count + 1, sizeof(*array));

	for (uint32_t i = 0; i < count; i++)
		array[i] = NOWHERE;
	return array;
}

static uint64_t *set(struct wf_migration *m, uint32_t count)
{
	return wf_arena_array(
	    m->arena, wf_bitset_words(count) + 1, sizeof(uint64_t));
}

/* Tasks, variables and explicit conditions. */
static void match(struct wf_migration *m, struct net_map *map)
{
	const struct wf_net *from = map->from;
	const struct wf_net *to = map->to;

	map->tasks = numbers(m, from->task_count);
	map->conditions = numbers(m, from->condition_count);
	map->variables = numbers(m, from->variable_count);
	map->sources = numbers(m, to->variable_count);
	map->checked = set(m, from->variable_count);
	map->kept = set(m, from->task_count);
	for (uint32_t i = 0; i < from->task_count; i++)
		map->tasks[i] = wf_net_task_number(
		    to, from->tasks[i].id, strlen(from->tasks[i].id));
	for (uint32_t i = 0; i < from->variable_count; i++)
		map->variables[i] =
		    variable_number(to, from->variables[i].name);
	for (uint32_t i = 0; i < from->condition_count; i++) {
		const char *id = from->conditions[i].id;

		if (from->conditions[i].kind != WF_IMPLICIT)
			map->conditions[i] =
			    wf_net_condition_number(to, id, strlen(id));
	}
	/* Whatever they are called. */
	map->conditions[from->input_condition] = to->input_condition;
	map->conditions[from->output_condition] = to->output_condition;
}

/* The implicit condition between two tasks; NOWHERE: there is none. */
static uint32_t implicit_between(
    const struct wf_net *net, uint32_t before, uint32_t behind)
{
	const struct wf_task *task = &net->tasks[before];

	for (uint32_t i = 0; i < task->postset_count; i++) {
		const struct wf_condition *c =
		    &net->conditions[task->postset[i]];

		if (c->kind == WF_IMPLICIT && c->postset[0] == behind)
			return c->number;
	}
	return NOWHERE;
}

/* Behind the rows of the plan about tasks. */
static void match_implicit(struct net_map *map)
{
	for (uint32_t i = 0; i < map->from->condition_count; i++) {
		const struct wf_condition *c = &map->from->conditions[i];
		uint32_t before;
		uint32_t behind;

		if (c->kind != WF_IMPLICIT || map->conditions[i] != NOWHERE)
			continue;
		before = map->tasks[c->preset[0]];
		behind = map->tasks[c->postset[0]];
		if (wf_goes(before) && wf_goes(behind))
			map->conditions[i] =
			    implicit_between(map->to, before, behind);
	}
}

/* --- rows ----------------------------------------------------------------- */

static const struct wf_decomposition *net_called(
    const struct wf_spec *spec, const char *id)
{
	const struct wf_decomposition *d =
	    wf_map_get(spec->decomposition_ids, id);

	return d == NULL || d->net == NULL ? NULL : d;
}

static enum wf_rc unknown(const struct wf_spec *spec, const char *what,
    const char *id, const char *net, struct wf_error *err)
{
	return wf_fail(err, WF_INVALID,
	    "the plan names the %s '%.200s'%s%.200s, which version %s of %s "
	    "does not have",
	    what, id, net == NULL ? "" : " of net ", net == NULL ? "" : net,
	    spec->metadata.version, spec->uri);
}

static const char *word_of(enum wf_migration_kind kind)
{
	static const char *const kind_words[] = { "", "net", "task",
		"condition", "variable" };

	return kind_words[kind];
}

static uint32_t number_of(
    const struct wf_net *net, enum wf_migration_kind kind, const char *id)
{
	if (kind == WF_MIGRATION_TASK)
		return wf_net_task_number(net, id, strlen(id));
	if (kind == WF_MIGRATION_CONDITION)
		return wf_net_condition_number(net, id, strlen(id));
	return variable_number(net, id);
}

static enum wf_rc place_element(struct wf_migration *m,
    const struct wf_migration_row *row, struct wf_error *err)
{
	const struct wf_decomposition *d = net_called(m->from, row->net);
	uint32_t *places;
	struct net_map *map;
	uint32_t from;
	uint32_t to = LEFT_BEHIND;

	if (d == NULL)
		return unknown(m->from, "net", row->net, NULL, err);
	map = &m->nets[d - m->from->decompositions];
	from = number_of(d->net, row->kind, row->from);
	if (from == NOWHERE)
		return unknown(
		    m->from, word_of(row->kind), row->from, row->net, err);
	if (map->to == NULL)
		return wf_fail(err, WF_INVALID,
		    "the plan names the %s '%.200s' of net %s, which goes "
		    "nowhere itself",
		    word_of(row->kind), row->from, row->net);
	if (row->to != NULL) {
		to = number_of(map->to, row->kind, row->to);
		if (to == NOWHERE)
			return unknown(m->to, word_of(row->kind), row->to,
			    map->to->decomposition->id, err);
	}
	places = row->kind == WF_MIGRATION_TASK	       ? map->tasks
		 : row->kind == WF_MIGRATION_CONDITION ? map->conditions
						       : map->variables;
	places[from] = to;
	return WF_OK;
}

static enum wf_rc place_net(struct wf_migration *m,
    const struct wf_migration_row *row, struct wf_error *err)
{
	const struct wf_decomposition *from = net_called(m->from, row->from);
	const struct wf_decomposition *to =
	    row->to == NULL ? NULL : net_called(m->to, row->to);
	struct net_map *map;

	if (from == NULL)
		return unknown(m->from, "net", row->from, NULL, err);
	if (row->to != NULL && to == NULL)
		return unknown(m->to, "net", row->to, NULL, err);
	map = &m->nets[from - m->from->decompositions];
	map->to = to == NULL ? NULL : to->net;
	map->is_left_behind = to == NULL;
	if (from->net == m->from->root && map->to != m->to->root)
		return wf_fail(err, WF_INVALID,
		    "the plan: the root net %s can only go to the root net %s",
		    from->id, m->to->root->decomposition->id);
	return WF_OK;
}

/* Nets first, then tasks, on which implicit conditions depend. */
static enum wf_rc read_rows(struct wf_migration *m, struct wf_reader plan,
    bool nets, struct wf_error *err)
{
	struct wf_migration_row row;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && plan.next < plan.end) {
		if (!get_row(&plan, m->arena, &row))
			return wf_fail(err, WF_INVALID, "the plan is damaged");
		if (nets && row.kind == WF_MIGRATION_NET)
			rc = place_net(m, &row, err);
		else if (!nets && row.kind != WF_MIGRATION_NET)
			rc = place_element(m, &row, err);
	}
	return rc;
}

/* --- what is the same ----------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
	return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

/* Whether each value of one type is one of the other, as far as is known. */
static bool is_same_type(
    const struct wf_net_variable *a, const struct wf_net_variable *b)
{
	return wf_type_is_builtin(a->type) && wf_type_is_builtin(b->type) &&
	       strcmp(wf_type_name(a->type), wf_type_name(b->type)) == 0;
}

static bool has_same_enablement(
    const struct wf_decomposition *a, const struct wf_decomposition *b)
{
	if (a->enablement_count != b->enablement_count)
		return false;
	for (size_t i = 0; i < a->enablement_count; i++)
		if (strcmp(a->enablements[i].name, b->enablements[i].name) != 0)
			return false;
	return true;
}

/* Whether it is the same work, for whoever does it. */
static bool is_same_work(
    const struct wf_task *a, const struct wf_task *b, bool reoffers)
{
	if (a->kind != WF_ATOMIC_TASK || b->kind != WF_ATOMIC_TASK ||
	    a->is_for_people != b->is_for_people ||
	    (reoffers && a->is_for_people) ||
	    (a->timer != NULL) != (b->timer != NULL) ||
	    !is_same_text(wf_task_service(a), wf_task_service(b)))
		return false;
	return (a->decomposition == NULL && b->decomposition == NULL) ||
	       (a->decomposition != NULL && b->decomposition != NULL &&
		   has_same_enablement(a->decomposition, b->decomposition));
}

static enum wf_rc compare_nets(
    struct wf_migration *m, struct net_map *map, struct wf_error *err)
{
	for (uint32_t i = 0; i < map->from->variable_count; i++) {
		uint32_t to = map->variables[i];

		if (!wf_goes(to))
			continue;
		if (map->sources[to] != NOWHERE)
			return wf_fail(err, WF_INVALID,
			    "the plan: the variables '%.200s' and '%.200s' of "
			    "net %s both go to '%.200s'; expected one of them "
			    "to go elsewhere, or to be left behind (null)",
			    map->from->variables[map->sources[to]].name,
			    map->from->variables[i].name,
			    map->from->decomposition->id,
			    map->to->variables[to].name);
		map->sources[to] = i;
		if (!is_same_type(
			&map->from->variables[i], &map->to->variables[to]))
			wf_bitset_add(map->checked, i);
	}
	for (uint32_t i = 0; i < map->from->task_count; i++)
		if (wf_goes(map->tasks[i]) &&
		    is_same_work(&map->from->tasks[i],
			&map->to->tasks[map->tasks[i]], m->reoffers))
			wf_bitset_add(map->kept, i);
	return WF_OK;
}

/* --- the whole ------------------------------------------------------------ */

static void match_nets(struct wf_migration *m)
{
	m->nets = wf_arena_array(
	    m->arena, m->from->decomposition_count + 1, sizeof(*m->nets));
	for (uint32_t i = 0; i < m->from->decomposition_count; i++) {
		const struct wf_decomposition *d = &m->from->decompositions[i];
		const struct wf_decomposition *to;

		if (d->net == NULL)
			continue;
		to = net_called(m->to, d->id);
		m->nets[i].from = d->net;
		m->nets[i].to = d->net == m->from->root ? m->to->root
				: to == NULL		? NULL
							: to->net;
	}
}

static enum wf_rc make_maps(
    struct wf_migration *m, struct wf_reader plan, struct wf_error *err)
{
	enum wf_rc rc;

	match_nets(m);
	rc = read_rows(m, plan, true, err);
	for (uint32_t i = 0; i < m->from->decomposition_count; i++)
		if (rc == WF_OK && m->nets[i].to != NULL)
			match(m, &m->nets[i]);
	if (rc == WF_OK)
		rc = read_rows(m, plan, false, err);
	for (uint32_t i = 0; i < m->from->decomposition_count; i++) {
		if (rc != WF_OK || m->nets[i].to == NULL)
			continue;
		match_implicit(&m->nets[i]);
		rc = compare_nets(m, &m->nets[i], err);
	}
	return rc;
}

enum wf_rc wf_migration_new(struct wf_migration **migration_out,
    const struct wf_spec *from, const struct wf_spec *to, const char *data,
    size_t length, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_migration *m = wf_arena_alloc(arena, sizeof(*m));
	struct wf_reader plan;
	enum wf_rc rc;

	m->arena = arena;
	m->from = from;
	m->to = to;
	wf_reader_init(&plan, data, data == NULL ? 0 : length);
	if (wf_migration_target_key(data, length) != to->key) {
		rc = wf_fail(err, WF_INVALID,
		    "the plan is damaged, or of another specification");
	} else {
		(void)wf_get_number(&plan);
		(void)wf_get_number(&plan);
		m->reoffers = wf_get_bounded(&plan, 1) != 0;
		rc = make_maps(m, plan, err);
	}
	*migration_out = m;
	if (rc != WF_OK)
		wf_migration_free(migration_out);
	return rc;
}

void wf_migration_free(struct wf_migration **migration)
{
	struct wf_arena *arena;

	if (*migration == NULL)
		return;
	arena = (*migration)->arena;
	wf_arena_free(&arena);
	*migration = NULL;
}
