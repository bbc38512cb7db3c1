/* SPDX-License-Identifier: Apache-2.0 */
/* Timers of tasks, and the predicates that ask for them. */
#include <string.h>

#include "spec/reader.h"

/* --- Predicates --- */

static const char *const states[] = {
	[WF_TIMER_DORMANT] = "dormant",
	[WF_TIMER_ACTIVE] = "active",
	[WF_TIMER_CLOSED] = "closed",
	[WF_TIMER_EXPIRED] = "expired",
};

#define STATE_COUNT (sizeof(states) / sizeof(states[0]))

const char *wf_timer_state_name(enum wf_timer_state state)
{
	return (size_t)state < STATE_COUNT ? states[state] : "";
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static enum wf_timer_state find_state(const char *name, size_t length)
{
	size_t i = 0;

	while (i < STATE_COUNT && (strlen(states[i]) != length ||
				      memcmp(states[i], name, length) != 0))
		i++;
	return (enum wf_timer_state)i;
}

/* Parses timer(NAME) = 'state' or !=; false: the predicate is another. */
static bool parse_predicate(
    struct wf_spec_reader *reader, struct wf_predicate *predicate)
{
	const char *at = skip_blanks(predicate->text);
	const char *close = strchr(at, ')');
	const char *state;
	char quote;
	size_t length;

	if (strncmp(at, "timer(", 6) != 0 || close == NULL)
		return false;
	predicate->timer_task =
	    wf_spec_token(reader, wf_arena_strndup(reader->scratch, at + 6,
				      (size_t)(close - at) - 6));
	at = skip_blanks(close + 1);
	predicate->timer_negated = *at == '!';
	at += *at == '!';
	if (*at != '=')
		return false;
	at = skip_blanks(at + 1);
	quote = *at;
	if (quote != '\'' && quote != '"')
		return false;
	state = at + 1;
	length = strcspn(state, quote == '"' ? "\"" : "'");
	if (state[length] == '\0' || *skip_blanks(state + length + 1) != '\0')
		return false;
	predicate->timer_state = find_state(state, length);
	return true;
}

bool wf_spec_compile_timer_predicate(struct wf_spec_reader *reader,
    const char *label, const struct wf_flow *flow)
{
	struct wf_predicate *predicate = flow->predicate;

	if (!parse_predicate(reader, predicate))
		return false;
	predicate->kind = WF_PREDICATE_TIMER;
	predicate->timed =
	    wf_map_get(reader->timer_tasks, predicate->timer_task);
	if (predicate->timer_state == STATE_COUNT)
		WF_SPEC_WARN(reader, flow->line, label,
		    "%s: a timer is never in such a state: expected dormant, "
		    "active, closed or expired",
		    predicate->text);
	if (predicate->timed == NULL)
		WF_SPEC_WARN(reader, flow->line, label,
		    "asks for the timer of \"%s\": no task with a timer has "
		    "that name",
		    predicate->timer_task);
	return true;
}

/* --- Timers --- */

static bool read_deadline(struct wf_timer *timer)
{
	const char *text =
	    timer->expiry != NULL ? timer->expiry : timer->duration;

	if (timer->ticks != NULL && timer->interval != NULL)
		return wf_deadline_of_ticks(
		    timer->ticks, timer->interval, &timer->deadline);
	return text == NULL ||
	       wf_deadline_parse(text, strlen(text), 0, &timer->deadline);
}

static void compile_timer(struct wf_spec_reader *reader, struct wf_net *net,
    const struct wf_task *task, const char *label)
{
	struct wf_timer *timer = task->timer;
	const char *name = timer->net_variable;

	timer->variable = UINT32_MAX;
	if (name != NULL) {
		timer->variable =
		    wf_spec_number(net->variable_numbers, name, strlen(name));
		if (timer->variable == UINT32_MAX)
			WF_SPEC_WARN(reader, timer->line, label,
			    "its timer is set by %s, which is no variable of "
			    "net %s: it will never start",
			    name, net->decomposition->id);
		else if (wf_type_is_builtin(
			     net->variables[timer->variable].type))
			WF_SPEC_WARN(reader, timer->line, label,
			    "its timer is set by %s, whose type is %s, not "
			    "YTimerType: it will never start",
			    name,
			    wf_type_name(net->variables[timer->variable].type));
	} else if (!read_deadline(timer)) {
		WF_SPEC_ERROR(reader, timer->line, label,
		    "its timer has an expiry, duration or number of ticks "
		    "that is too large");
	}
}

void wf_spec_compile_timers(struct wf_spec_reader *reader, struct wf_net *net)
{
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct wf_task *task = &net->tasks[i];

		if (task->timer == NULL)
			continue;
		if (task->kind == WF_ATOMIC_TASK)
			net->has_timer = reader->spec->has_timer = true;
		/*
		 * Predicates name a task by its name; without one, by its id.
		 */
		wf_map_add(reader->timer_tasks,
		    task->name == NULL ? task->id : task->name, task);
		compile_timer(
		    reader, net, task, wf_spec_label_task(reader, task));
	}
}
