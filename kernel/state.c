/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups in a case: net instances, instances, and items by their ids. */
#include "kernel/or_join/or_join_state.h"

const struct wf_limits wf_limits_default = {
#define WF_LIMIT_ROW(name, number, greatest, meaning) .name = number,
#include "kernel/limits.def"
#undef WF_LIMIT_ROW
};

uint32_t wf_net_position(const struct wf_case *c, uint32_t serial)
{
	uint32_t low = 0;
	uint32_t high = c->net_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->nets[middle]->serial < serial)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct net_instance *wf_subnet_by_serial(
    const struct wf_case *c, uint32_t serial)
{
	uint32_t at = wf_net_position(c, serial);

	if (at == c->net_count || c->nets[at]->serial != serial)
		return NULL;
	return c->nets[at];
}

struct instance *wf_activity_instance(
    const struct activity *activity, uint32_t number)
{
	uint32_t low = 0;
	uint32_t high = activity->instance_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (activity->instances[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == activity->instance_count ||
	    activity->instances[low].number != number)
		return NULL;
	return &activity->instances[low];
}

/* The subnet with that number among the busy composites of a net. */
static struct net_instance *find_subnet(const struct net_instance *n,
    uint32_t number, struct activity **activity_out,
    struct instance **instance_out)
{
	for (uint32_t task = 0; task < n->net->task_count; task++) {
		struct activity *activity = n->activities[task];
		struct instance *instance;

		if (activity == NULL || !activity->busy ||
		    n->net->tasks[task].kind != WF_COMPOSITE_TASK)
			continue;
		instance = wf_activity_instance(activity, number);
		if (instance == NULL || instance->subnet == NULL)
			continue;
		*activity_out = activity;
		*instance_out = instance;
		return instance->subnet;
	}
	return NULL;
}

struct net_instance *wf_net_by_path(
    const struct wf_case *c, const char *path, bool around, uint32_t *last_out)
{
	struct net_instance *n = c->root;
	struct activity *activity;
	struct instance *instance;

	*last_out = 0;
	while (n != NULL && *path != '\0') {
		uint64_t number = 0;

		for (; *path >= '0' && *path <= '9'; path++) {
			number = number * 10 + (uint64_t)(*path - '0');
			if (number > UINT32_MAX)
				return NULL;
		}
		if (number == 0 || (*path != '\0' && *path != '.'))
			return NULL;
		*last_out = (uint32_t)number;
		if (*path == '\0' && around)
			return n;
		path += *path == '.';
		n = find_subnet(n, *last_out, &activity, &instance);
	}
	return n;
}

struct net_instance *wf_net_by_id(const struct wf_case *c, const char *id)
{
	uint32_t last;

	if (strncmp(id, c->id, c->id_length) != 0)
		return NULL;
	id += c->id_length;
	if (*id != '\0' && *id++ != '.')
		return NULL;
	return wf_net_by_path(c, id, false, &last);
}

/* ".number" at the end of an id; returns the new end. */
static char *put_part(char *end, uint32_t number)
{
	char digits[10];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	*end++ = '.';
	while (count > 0)
		*end++ = digits[--count];
	return end;
}

static char *put_path(const struct net_instance *n, char *end)
{
	if (n->parent == NULL)
		return end;
	return put_part(put_path(n->parent, end), n->number);
}

void wf_net_case_id(const struct wf_case *c, const struct net_instance *n,
    uint32_t instance, char id_out[WF_CASE_ID_SIZE])
{
	char *end;

	/* The id of the case, and a part for each of depth + 1 levels. */
	wf_assert(n->depth < (WF_CASE_ID_BYTES - WF_CASE_NAME_BYTES) /
				     WF_CASE_ID_PART_BYTES -
				 1);
	wf_assert(c->id_length <= WF_CASE_NAME_BYTES);
	memcpy(id_out, c->id, c->id_length);
	end = put_path(n, id_out + c->id_length);
	if (instance != 0)
		end = put_part(end, instance);
	*end = '\0';
	wf_assert(end < id_out + WF_CASE_ID_SIZE);
}

bool wf_task_passes(const struct net_instance *n, uint32_t task)
{
	if (n->lost != NULL && wf_bitset_has(n->lost, task))
		return false;
	return n->net->tasks[task].join != WF_OR || n->missing[task] == 0 ||
	       wf_or_verdict_of(n, task) == WF_OR_ENABLED;
}

/* Reads one ".number" of an id; 0 when there is none. */
static const char *read_part(const char *at, uint32_t *number_out)
{
	uint64_t number = 0;

	*number_out = 0;
	if (*at != '.' || at[1] < '1' || at[1] > '9')
		return at;
	for (at++; *at >= '0' && *at <= '9'; at++) {
		number = number * 10 + (uint64_t)(*at - '0');
		if (number > UINT32_MAX)
			return at;
	}
	*number_out = (uint32_t)number;
	return at;
}

static enum wf_rc not_found(struct wf_error *err, const char *id)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no work item '%s'", id);
}

/* The enabled item of a task (also of a busy task), or an instance. */
static inline __attribute__((always_inline)) bool find_in_net(
    struct net_instance *n, const char *task, uint32_t number, bool any,
    struct target *target)
{
	uint32_t at = wf_net_task_number(n->net, task, strlen(task));
	struct activity *activity;

	if (at == UINT32_MAX)
		return false;
	activity = n->activities[at];
	if (activity == NULL ||
	    (activity->busy != (number != 0) && !(any && number == 0)))
		return false;
	target->net = n;
	target->task = &n->net->tasks[at];
	target->activity = activity;
	target->instance = NULL;
	if (number == 0)
		return true;
	target->instance = wf_activity_instance(activity, number);
	return target->instance != NULL &&
	       target->instance->status <= WF_ITEM_SUSPENDED;
}

enum wf_rc wf_find_item(const struct wf_case *c, const char *id, bool any,
    struct target *target_out, struct wf_error *err)
{
	struct net_instance *n = c->root;
	const char *at = id;
	uint32_t number;

	if (id == NULL)
		return wf_fail(err, WF_INVALID, "no work item was named");
	/* Ids of cases are short, so a loop is faster than a call. */
	for (uint32_t i = 0; i < c->id_length; i++)
		if (*at++ != c->id[i])
			return not_found(err, id);
	at = read_part(at, &number);
	/*
	 * Each part but the last names a sub-net; the last may name a sub-net,
	 * too.
	 */
	while (number != 0) {
		struct activity *activity;
		struct instance *instance;
		struct net_instance *subnet;

		if (*at == ':' &&
		    find_in_net(n, at + 1, number, any, target_out) &&
		    target_out->instance->subnet == NULL)
			return WF_OK;
		subnet = find_subnet(n, number, &activity, &instance);
		if (subnet == NULL)
			return not_found(err, id);
		if (*at == ':' &&
		    !find_in_net(subnet, at + 1, 0, any, target_out))
			break;
		n = subnet;
		at = read_part(at, &number);
	}
	if (*at != ':' || !find_in_net(n, at + 1, number, any, target_out))
		return not_found(err, id);
	return WF_OK;
}
