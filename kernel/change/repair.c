/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/change/repair.h"

#include "kernel/kernel.h"

#define FORMAT 1

static const struct {
	const char *word;
	enum wf_repair_kind kind;
} words[] = {
#define WF_REPAIR(code, name, word, meaning) { word, WF_REPAIR_##name },
#include "kernel/change/repair.def"
#undef WF_REPAIR
};

enum wf_repair_kind wf_repair_kind(const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0)
			return words[i].kind;
	return (enum wf_repair_kind)0;
}

/* --- bytes ---------------------------------------------------------------- */

void wf_repair_put(struct wf_buffer *data, const struct wf_repair_change *c)
{
	wf_assert(c->kind > 0 && c->kind <= WF_REPAIR_LAST);
	if (data->length == 0)
		wf_put_number(data, FORMAT);
	wf_put_number(data, c->kind);
	wf_put_string(data, c->net == NULL ? "" : c->net);
	wf_put_string(data, c->name == NULL ? "" : c->name);
	wf_put_number(data, c->number);
	wf_put_bytes(data, c->data, c->data == NULL ? 0 : c->length);
}

static char *get_text(struct step *s, struct wf_reader *reader, size_t *length)
{
	const char *bytes = wf_get_bytes(reader, length);
	char *text = wf_step_alloc(s, *length + 1);

	if (bytes != NULL)
		memcpy(text, bytes, *length);
	text[*length] = '\0';
	return text;
}

static bool get_change(
    struct step *s, struct wf_reader *reader, struct wf_repair_change *c)
{
	size_t length;

	c->kind = (enum wf_repair_kind)wf_get_bounded(reader, WF_REPAIR_LAST);
	c->net = get_text(s, reader, &length);
	c->name = get_text(s, reader, &length);
	c->number = wf_get_bounded(reader, UINT32_MAX);
	c->data = get_text(s, reader, &c->length);
	return !reader->bad && c->kind != 0;
}

/* --- changes -------------------------------------------------------------- */

/* One change, and what it names. */
struct change {
	struct step *s;
	struct wf_repair_change what;
	struct net_instance *net;
	uint32_t number; /* of the condition or task */
};

static const char *net_id(const struct change *c)
{
	return c->what.net[0] == '\0' ? c->s->c->id : c->what.net;
}

static enum wf_rc find_condition(struct change *c)
{
	const struct wf_net *net = c->net->net;

	c->number =
	    wf_net_condition_number(net, c->what.name, strlen(c->what.name));
	if (c->number != UINT32_MAX)
		return WF_OK;
	return wf_fail(c->s->err, WF_NOT_FOUND,
	    "there is no condition '%.200s' in net %s", c->what.name,
	    net->decomposition->id);
}

static enum wf_rc find_task(struct change *c)
{
	const struct wf_net *net = c->net->net;

	c->number = wf_net_task_number(net, c->what.name, strlen(c->what.name));
	if (c->number != UINT32_MAX)
		return WF_OK;
	return wf_fail(c->s->err, WF_NOT_FOUND,
	    "there is no task '%.200s' in net %s", c->what.name,
	    net->decomposition->id);
}

static enum wf_rc mark(struct change *c, uint32_t condition, uint64_t tokens)
{
	struct wf_event event = { .kind = WF_EVENT_CONDITION_MARKED };

	if (tokens > c->s->c->limits->tokens)
		return wf_fail(c->s->err, WF_LIMIT,
		    "condition %s: more than %u tokens",
		    c->net->net->conditions[condition].id,
		    c->s->c->limits->tokens);
	event.net = c->net->serial;
	event.task = condition;
	event.number = (uint32_t)tokens;
	wf_emit(c->s, &event);
	return WF_OK;
}

static enum wf_rc add_tokens(struct change *c)
{
	enum wf_rc rc = find_condition(c);

	if (rc != WF_OK)
		return rc;
	return mark(
	    c, c->number, (uint64_t)c->net->tokens[c->number] + c->what.number);
}

static enum wf_rc remove_tokens(struct change *c)
{
	enum wf_rc rc = find_condition(c);
	uint32_t tokens;

	if (rc != WF_OK)
		return rc;
	tokens = c->net->tokens[c->number];
	if (tokens < c->what.number)
		return wf_fail(c->s->err, WF_CONFLICT,
		    "condition %s has %u tokens, not %u", c->what.name, tokens,
		    c->what.number);
	return mark(c, c->number, tokens - c->what.number);
}

static enum wf_rc cancel_task(struct change *c)
{
	enum wf_rc rc = find_task(c);
	struct activity *activity;

	if (rc != WF_OK)
		return rc;
	activity = c->net->activities[c->number];
	if (activity == NULL || !activity->busy)
		return wf_fail(c->s->err, WF_CONFLICT,
		    "task %s is not busy: nothing of it can be cancelled",
		    c->what.name);
	wf_cancel_task(c->s, c->net, activity, WF_ITEM_CANCELLED);
	return WF_OK;
}

static enum wf_rc empty_net(struct change *c)
{
	wf_cancel_items(c->s, c->net, WF_ITEM_CANCELLED);
	for (uint32_t i = 0; i < c->net->net->condition_count; i++)
		if (c->net->tokens[i] != 0)
			wf_emit_task(
			    c->s, WF_EVENT_CONDITION_EMPTIED, c->net, i);
	return WF_OK;
}

static enum wf_rc enter_task(struct change *c)
{
	enum wf_rc rc = find_task(c);
	const struct wf_task *task;

	if (rc != WF_OK)
		return rc;
	task = wf_task_of(c->net, c->number);
	if (c->net->activities[c->number] != NULL)
		return wf_fail(c->s->err, WF_CONFLICT, "task %s is %s already",
		    task->id,
		    c->net->activities[c->number]->busy ? "busy" : "enabled");
	for (uint32_t i = 0; i < task->preset_count && rc == WF_OK; i++) {
		if (task->join != WF_AND &&
		    c->net->missing[c->number] < task->preset_count)
			break;
		if (c->net->tokens[task->preset[i]] == 0)
			rc = mark(c, task->preset[i], 1);
	}
	return rc;
}

static enum wf_rc set_variables(struct change *c)
{
	struct wf_event event = { .kind = WF_EVENT_VARIABLES_SET };
	const struct wf_command *command = c->s->command;
	struct wf_command own = *command;
	struct wf_binding *bindings;
	enum wf_rc rc;

	own.data = c->what.data;
	own.length = c->what.length;
	c->s->command = &own;
	rc = wf_read_variables(
	    c->s, c->net->net, false, &bindings, &event.value_count);
	c->s->command = command;
	if (rc != WF_OK)
		return rc;
	event.net = c->net->serial;
	event.values = bindings;
	if (event.value_count > 0)
		wf_emit(c->s, &event);
	return WF_OK;
}

static enum wf_rc finish_net(struct change *c)
{
	uint32_t output = c->net->net->output_condition;

	if (c->s->c->status == WF_CASE_SUSPENDED)
		return wf_fail(c->s->err, WF_CONFLICT,
		    "the case is suspended, so no net of it completes: resume "
		    "it first");
	return mark(c, output, (uint64_t)c->net->tokens[output] + 1);
}

static enum wf_rc (*const changes[WF_REPAIR_LAST + 1])(struct change *c) = {
	[WF_REPAIR_ADD] = add_tokens,
	[WF_REPAIR_REMOVE] = remove_tokens,
	[WF_REPAIR_CANCEL] = cancel_task,
	[WF_REPAIR_EMPTY] = empty_net,
	[WF_REPAIR_ENTER] = enter_task,
	[WF_REPAIR_SET] = set_variables,
	[WF_REPAIR_FINISH] = finish_net,
};

static enum wf_rc make_change(struct change *c)
{
	wf_assert(c->what.kind > 0 && c->what.kind <= WF_REPAIR_LAST);
	c->net = c->what.net[0] == '\0' ? c->s->c->root
					: wf_net_by_id(c->s->c, c->what.net);
	if (c->net == NULL || c->net->ended)
		return wf_fail(c->s->err, WF_NOT_FOUND,
		    "there is no net '%.100s' in the case", net_id(c));
	if (c->what.number == 0 && c->what.kind <= WF_REPAIR_REMOVE)
		return wf_fail(c->s->err, WF_INVALID,
		    "a change of tokens needs a number of at least 1");
	return changes[c->what.kind](c);
}

/* --- what is left --------------------------------------------------------- */

/* Nets that were changed, by serial number. */
struct changed {
	uint32_t *serials;
	uint32_t count;
};

enum wf_rc wf_check_is_marked(
    const struct step *s, const struct net_instance *n)
{
	char id[WF_CASE_ID_SIZE];

	wf_assert(!n->ended);
	if (n->busy_count > 0)
		return WF_OK;
	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (n->tokens[i] != 0)
			return WF_OK;
	wf_net_case_id(s->c, n, 0, id);
	return wf_fail(s->err, WF_CONFLICT,
	    "net %s would have no token and no busy task: nothing could happen "
	    "in it",
	    id);
}

static enum wf_rc go_on(struct step *s, struct changed *changed)
{
	char id[WF_CASE_ID_SIZE];
	enum wf_rc rc;

	if (s->c->status == WF_CASE_SUSPENDED) {
		wf_withdraw_disabled(s);
		return WF_OK;
	}
	rc = wf_advance_all(s);
	if (rc == WF_OK && s->c->status == WF_CASE_DEADLOCKED)
		return wf_fail(s->err, WF_CONFLICT,
		    "the case would be deadlocked: nothing could happen in it");
	for (uint32_t i = 0; i < changed->count && rc == WF_OK; i++) {
		const struct net_instance *n =
		    wf_net_instance(s->c, changed->serials[i]);

		if (n == NULL || !n->stuck)
			continue;
		wf_net_case_id(s->c, n, 0, id);
		rc = wf_fail(s->err, WF_CONFLICT,
		    "net %s would be stuck: nothing could happen in it", id);
	}
	return rc;
}

enum wf_rc wf_repair(struct step *s)
{
	struct wf_event revived = { .kind = WF_EVENT_CASE_REVIVED };
	struct change c = { .s = s };
	struct changed changed = { NULL, 0 };
	struct wf_reader reader;
	enum wf_rc rc = WF_OK;

	wf_reader_init(&reader, s->command->data,
	    s->command->data == NULL ? 0 : s->command->length);
	if (wf_get_number(&reader) != FORMAT || reader.next == reader.end)
		return wf_fail(
		    s->err, WF_INVALID, "a repair needs at least one change");
	/* Each change takes at least five bytes. */
	changed.serials = wf_step_alloc(
	    s, (size_t)(reader.end - reader.next) * sizeof(uint32_t));
	if (s->c->status == WF_CASE_DEADLOCKED)
		wf_emit(s, &revived);
	while (rc == WF_OK && reader.next < reader.end) {
		if (!get_change(s, &reader, &c.what))
			return wf_fail(
			    s->err, WF_INVALID, "the repair is damaged");
		rc = make_change(&c);
		if (rc == WF_OK)
			changed.serials[changed.count++] = c.net->serial;
	}
	for (uint32_t i = 0; i < changed.count && rc == WF_OK; i++) {
		const struct net_instance *n =
		    wf_net_instance(s->c, changed.serials[i]);

		if (n != NULL)
			rc = wf_check_is_marked(s, n);
	}
	return rc == WF_OK ? go_on(s, &changed) : rc;
}
