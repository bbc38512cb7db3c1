/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that are tried: how many it would be done to, and what it would
 * do. */
#include <string.h>

#include "base/map.h"
#include "data/json_fields.h"
#include "operation/operation_priv.h"

/* What a preview counts, how many it tries, and how long markings are examined.
 */
#define COUNTED 100000U
#define TRIED 1000U
#define SAMPLE 10U
#define TRIED_US 2000000
#define PAGE 1000U
#define KEY_BYTES ((size_t)1 << 20)

struct preview {
	struct commander commander;
	struct wf_arena *arena;
	json_t *sample;
	json_t *groups;		/* of a migration or repair; else NULL */
	struct wf_map *by_text; /* groups, by what is said of them */
	size_t tried;
};

/* A text without the ids of the case, of its nets and of its items. */
static void add_neutral(
    struct wf_buffer *out, const char *text, const char *name)
{
	static const char *const nouns[] = { "case ", "net ", "item " };
	size_t length = strlen(name);

	while (*text != '\0') {
		for (size_t i = 0; i < sizeof(nouns) / sizeof(nouns[0]); i++) {
			size_t before = strlen(nouns[i]);

			if (strncmp(text, nouns[i], before) == 0 &&
			    strncmp(text + before, name, length) == 0)
				text += before + length +
					strcspn(text + before + length, " ,");
		}
		if (*text != '\0')
			wf_buffer_putc(out, *text++);
	}
	wf_buffer_putc(out, '\n');
}

static void add_members(struct wf_buffer *out, json_t *rows,
    const char *const *members, const char *name)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		for (size_t n = 0; members[n] != NULL; n++) {
			const char *text =
			    json_string_value(json_object_get(row, members[n]));

			add_neutral(out, text == NULL ? "" : text, name);
		}
	}
}

/* All that is said of a case, and would be said of others that stand alike. */
static char *make_key(const struct preview *p, const struct subject *subject,
    const struct forecast *forecast, enum wf_rc rc, const struct wf_error *err)
{
	static const char *const problem[] = { "kind", "element", "text",
		NULL };
	static const char *const prospect[] = { "name", "possible",
		"endangered", "ending", "failing", NULL };
	struct wf_buffer key;
	char *copy;

	wf_buffer_init(&key, KEY_BYTES);
	wf_buffer_printf(&key, "%016llx %d\n",
	    (unsigned long long)subject->specification, (int)rc);
	add_neutral(&key, rc == WF_OK ? "" : err->message, subject->name);
	add_members(&key, forecast->problems, problem, subject->name);
	add_members(&key, forecast->prospects, prospect, subject->name);
	copy = wf_arena_strdup(p->arena, wf_buffer_text(&key));
	wf_buffer_free(&key);
	return copy;
}

/* Cases of one specification of which the same is said. */
static void add_to_group(struct preview *p, const struct subject *subject,
    const struct forecast *forecast, enum wf_rc rc, const struct wf_error *err)
{
	char *key = make_key(p, subject, forecast, rc, err);
	json_t *group = wf_map_get(p->by_text, key);

	if (group == NULL) {
		group = json_pack("{s:i,s:s,s:b}", "count", 0, "example",
		    subject->name, "allowed", rc == WF_OK);
		wf_json_put_key(group, "specification", subject->specification);
		if (rc != WF_OK)
			json_object_set_new(
			    group, "refusal", json_string(err->message));
		json_object_set(group, "problems", forecast->problems);
		if (forecast->prospects != NULL)
			json_object_set(
			    group, "prospects", forecast->prospects);
		json_array_append_new(p->groups, group);
		wf_map_add(p->by_text, key, group);
	}
	json_object_set_new(group, "count",
	    json_integer(
		json_integer_value(json_object_get(group, "count")) + 1));
}

static void try_subject(struct preview *p, const struct subject *subject)
{
	struct forecast forecast = { json_array(), NULL };
	struct wf_error err = { .rc = WF_OK };
	struct wf_request request;
	json_t *row;
	enum wf_rc rc = wf_command_make(
	    &p->commander, subject, p->arena, &request, &forecast, &err);

	p->tried++;
	if (p->groups != NULL)
		add_to_group(p, subject, &forecast, rc, &err);
	if (json_array_size(p->sample) < SAMPLE) {
		row = json_pack(
		    "{s:s,s:b}", "case", subject->name, "allowed", rc == WF_OK);
		wf_json_put_text(row, "subject", subject->subject);
		wf_json_put_key(row, "specification", subject->specification);
		if (rc != WF_OK)
			json_object_set_new(
			    row, "refusal", json_string(err.message));
		json_array_append_new(p->sample, row);
	}
	json_decref(forecast.problems);
	json_decref(forecast.prospects);
}

/* Counts on with the operation's record as the place. */
static enum wf_rc count_all(struct preview *p, struct wf_store *store,
    struct operation *o, json_t *out, struct wf_error *err)
{
	struct subjects subjects = { .is_last = false };
	struct wf_arena *arena = wf_arena_new();
	size_t count = 0;
	size_t examined = 0;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && !subjects.is_last && examined < COUNTED) {
		wf_arena_reset(arena);
		rc = wf_operation_select(
		    p->commander.engine, store, o, PAGE, arena, &subjects, err);
		if (rc != WF_OK)
			break;
		for (size_t i = 0; i < subjects.count; i++)
			if (p->tried < (p->groups != NULL ? TRIED : SAMPLE) &&
			    wf_prospects_spent(p->commander.prospects) <
				TRIED_US)
				try_subject(p, &subjects.rows[i]);
		count += subjects.count;
		/* A page may be empty although there is another one. */
		examined += subjects.examined + PAGE / 10;
		json_object_set_new(
		    o->json, "after", json_integer((json_int_t)subjects.after));
		json_object_set_new(o->json, "after_subject",
		    json_string(subjects.after_subject == NULL
				    ? ""
				    : subjects.after_subject));
	}
	json_object_set_new(out, "count", json_integer((json_int_t)count));
	json_object_set_new(out, "more", json_boolean(!subjects.is_last));
	json_object_set_new(out, "tried", json_integer((json_int_t)p->tried));
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc make_preview(struct wf_engine *engine, struct operation *o,
    json_t *out, struct wf_error *err)
{
	struct preview p = { .arena = wf_arena_new(), .sample = json_array() };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (o->kind == WF_OPERATION_MIGRATE || o->kind == WF_OPERATION_REPAIR)
		p.groups = json_array();
	p.by_text = wf_map_new();
	wf_commander_init(&p.commander, engine, o);
	if (rc == WF_OK) {
		rc = count_all(&p, store, o, out, err);
		wf_engine_give_back(engine, store);
	}
	json_object_set_new(out, "sample", p.sample);
	if (p.groups != NULL) {
		json_object_set_new(out, "groups", p.groups);
		json_object_set_new(out, "markings",
		    json_integer(
			(json_int_t)wf_prospects_count(p.commander.prospects)));
	}
	wf_commander_free(&p.commander);
	wf_map_free(&p.by_text);
	wf_arena_free(&p.arena);
	return rc;
}

enum wf_rc wf_operation_try(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, json_t *body, json_t **preview_out,
    struct wf_error *err)
{
	struct operation o;
	json_t *out = json_object();
	enum wf_rc rc =
	    wf_operation_request(engine, namespace_id, account, body, &o, err);

	if (rc == WF_OK)
		rc = make_preview(engine, &o, out, err);
	wf_operation_drop(&o);
	if (rc == WF_OK)
		*preview_out = out;
	else
		json_decref(out);
	return rc;
}
