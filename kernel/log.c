/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log predicates: texts that a specification logs when an item or a net starts
 * or completes, for the item or net and for each of its parameters.  A text is
 * filled in just before the event to which it belongs is emitted, from that
 * event and the state before it.  It becomes an event before that event, so
 * that a replay does not evaluate it again.
 */
#include "kernel/kernel.h"
#include "kernel/places.h"

/* What is about to start or complete. */
struct logged {
	struct step *s;
	const struct wf_event *event;
	struct wf_known known;
	bool starts;
};

static void emit(struct logged *logged, const struct wf_log_predicate *log,
    const struct wf_variable *parameter, uint32_t number)
{
	const struct wf_pattern *pattern =
	    logged->starts ? &log->start : &log->completion;
	struct wf_event event = { .kind = WF_EVENT_PREDICATE_LOGGED };
	struct wf_buffer text;

	if (pattern->text == NULL)
		return;
	logged->known.parameter = parameter;
	wf_buffer_init(&text, logged->s->c->limits->value_bytes);
	wf_fill_in(pattern, &logged->known, &text);
	event.net = logged->event->net;
	event.task = logged->event->task;
	event.instance = logged->event->instance;
	event.status = logged->starts ? WF_ITEM_EXECUTING : WF_ITEM_COMPLETE;
	event.number = number;
	event.text = wf_buffer_text(&text);
	event.text_length = text.length;
	if (text.length > 0)
		wf_emit(logged->s, &event);
	wf_buffer_free(&text);
}

/* The text of the decomposition, then the texts of parameters with a value. */
static void emit_all(struct logged *logged, const struct values *values,
    const struct wf_variable *parameters, size_t count)
{
	const struct wf_decomposition *d = logged->known.decomposition;

	emit(logged, &d->log, NULL, 0);
	for (size_t i = 0; i < count; i++) {
		if (i < values->count && values->values[i] != NULL)
			emit(logged, &parameters[i].log, &parameters[i],
			    (uint32_t)i + 1);
	}
}

/* Earlier values, replaced by those of the event. */
static struct values spread(struct step *s, const struct wf_event *event,
    struct wf_value *const *before, size_t count)
{
	struct values values = { NULL, count };

	values.values = wf_step_alloc(s, (count + 1) * sizeof(*values.values));
	for (size_t i = 0; before != NULL && i < count; i++)
		values.values[i] = before[i];
	for (uint32_t i = 0; i < event->value_count; i++) {
		if (event->values[i].variable < count)
			values.values[event->values[i].variable] =
			    event->values[i].value;
	}
	return values;
}

static void log_item(struct logged *logged, const struct net_instance *n)
{
	const struct wf_event *event = logged->event;
	const struct wf_task *task = wf_task_of(n, event->task);
	const struct wf_decomposition *d = task->decomposition;
	const struct activity *activity = n->activities[event->task];
	const struct instance *instance;
	struct values values;
	struct wf_item item;

	if (task->kind != WF_ATOMIC_TASK || d == NULL || activity == NULL ||
	    event->instance == 0)
		return;
	wf_assert(activity->task == event->task);
	instance = wf_activity_instance(activity, event->instance);
	wf_describe_item(logged->s->c, n, activity, instance, &item);
	wf_net_case_id(logged->s->c, n, event->instance, item.case_id);
	if (logged->starts) {
		item.status = WF_ITEM_EXECUTING;
		item.started_at = logged->s->c->now;
		if (event->kind == WF_EVENT_TASK_FIRED)
			item.fired_at = logged->s->c->now;
		values = spread(logged->s, event,
		    instance == NULL ? NULL : instance->inputs, d->input_count);
	} else {
		item.status = (enum wf_item_status)event->status;
		values = spread(logged->s, event, NULL, d->output_count);
	}
	logged->known.decomposition = d;
	logged->known.item = &item;
	if (task->timer != NULL)
		logged->known.timer = wf_timer_state_name(
		    (enum wf_timer_state)n->timers[task->number]);
	logged->known.document.root = d->root_name;
	logged->known.document.values = values.values;
	logged->known.document.count = values.count;
	emit_all(logged, &values, logged->starts ? d->inputs : d->outputs,
	    logged->starts ? d->input_count : d->output_count);
}

/* variables: of the net, at its start or at its end. */
static void log_net(struct logged *logged, const struct wf_net *net,
    const struct values *variables)
{
	const struct wf_decomposition *d = net->decomposition;
	struct values results = { NULL, d->output_count };

	logged->known.decomposition = d;
	logged->known.document.root = net->root_name;
	logged->known.document.values = variables->values;
	logged->known.document.count = variables->count;
	if (logged->starts) {
		emit_all(logged, variables, d->inputs, d->input_count);
		return;
	}
	results.values = wf_step_alloc(
	    logged->s, (results.count + 1) * sizeof(*results.values));
	for (size_t i = 0; i < results.count; i++)
		results.values[i] = variables->values[net->output_variables[i]];
	emit_all(logged, &results, d->outputs, d->output_count);
}

static void log_net_start(struct logged *logged)
{
	const struct wf_event *event = logged->event;
	struct step *s = logged->s;
	const struct wf_net *net = s->c->spec->root;
	struct wf_value **initial;
	struct values variables;

	if (event->net != 0)
		net = wf_task_of(wf_net_instance(s->c, event->net), event->task)
			  ->decomposition->net;
	initial =
	    wf_step_alloc(s, (net->variable_count + 1) * sizeof(*initial));
	for (uint32_t i = 0; i < net->variable_count; i++)
		initial[i] = net->variables[i].initial;
	variables = spread(s, event, initial, net->variable_count);
	log_net(logged, net, &variables);
}

void wf_log(struct step *s, const struct wf_event *event)
{
	struct logged logged = { .s = s, .event = event };
	const struct net_instance *n = wf_net_instance(s->c, event->net);

	/* Only the start of the root net names no net. */
	wf_assert(n != NULL || event->net == 0);
	logged.known.how = &s->how;
	logged.known.spec = s->c->spec;
	switch (event->kind) {
	case WF_EVENT_TASK_FIRED:
	case WF_EVENT_INSTANCE_STARTED:
		logged.starts = true;
		log_item(&logged, n);
		break;
	case WF_EVENT_NET_STARTED:
		logged.starts = true;
		log_net_start(&logged);
		break;
	case WF_EVENT_TASK_EXITED:
	case WF_EVENT_INSTANCE_ENDED:
		if (event->status == WF_ITEM_COMPLETE ||
		    event->status == WF_ITEM_FORCED_COMPLETE)
			log_item(&logged, n);
		break;
	case WF_EVENT_NET_ENDED:
		if (event->status == WF_ITEM_COMPLETE) {
			struct values variables = { n->variables,
				n->net->variable_count };

			log_net(&logged, n->net, &variables);
		}
		break;
	default:
		break;
	}
}
