/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases that were begun elsewhere: a case that is described, and launched from
 * the description, is the same case, and goes on like the original.
 *
 * WEFT_SEED sets the seed, which is printed; WEFT_SOAK=1 tries many more.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/import.h"
#include "kernel/record.h"
#include "kernel/state.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"

#define TEXT_MAXIMUM ((size_t)4 << 20)
#define DEFAULT_SEED 20260101U
#define STEPS 12U
#define CHOICES 1000U

/* --- description of a case ------------------------------------------------ */

struct describing {
	const struct wf_case *c;
	const struct net_instance *n;
	struct wf_buffer *rows;
	char path[WF_CASE_ID_SIZE];
	/* Choices in the order in which they occur. */
	uint32_t choices[CHOICES];
	uint32_t choice_count;
};

static void put_row(struct describing *d, struct wf_import_row row)
{
	row.net = d->path;
	wf_import_put(d->rows, &row);
}

static char *values_text(
    const char *root, struct wf_value *const *values, size_t count)
{
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_buffer_printf(&text, "<%s>", root);
	for (size_t i = 0; values != NULL && i < count; i++)
		if (values[i] != NULL)
			wf_buffer_puts(&text, wf_value_text(values[i]));
	wf_buffer_printf(&text, "</%s>", root);
	return wf_buffer_take(&text);
}

static void describe_net(struct describing *d)
{
	const struct net_instance *n = d->n;
	struct wf_import_row row = { .kind = WF_IMPORT_NET };
	char *data = values_text(
	    n->net->root_name, n->variables, n->net->variable_count);

	if (n->parent != NULL)
		row.name = wf_task_of(n->parent, n->parent_task)->id;
	row.data = data;
	row.length = strlen(data);
	put_row(d, row);
	wf_free(data);
	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (n->tokens[i] > 0)
			put_row(
			    d, (struct wf_import_row){ .kind = WF_IMPORT_TOKENS,
				   .name = n->net->conditions[i].id,
				   .number = n->tokens[i] });
}

static void describe_instance(struct describing *d, const struct wf_task *task,
    const struct instance *instance)
{
	struct wf_import_row row = { .kind = WF_IMPORT_INSTANCE,
		.name = task->id,
		.instance = instance->number,
		.status = instance->status };
	char *data = NULL;

	if (row.status == WF_ITEM_SUSPENDED)
		row.status = instance->suspended_from;
	if (instance->inputs != NULL) {
		data = values_text(
		    "data", instance->inputs, task->decomposition->input_count);
		row.data = data;
		row.length = strlen(data);
	}
	put_row(d, row);
	wf_free(data);
}

/* Ascending by number, for all tasks. */
static void describe_instances(struct describing *d)
{
	const struct net_instance *n = d->n;

	for (uint32_t number = 1; number <= n->last_child; number++)
		for (uint32_t t = 0; t < n->net->task_count; t++) {
			const struct activity *activity = n->activities[t];
			const struct instance *instance =
			    activity == NULL
				? NULL
				: wf_activity_instance(activity, number);

			if (instance != NULL)
				describe_instance(
				    d, wf_task_of(n, t), instance);
		}
	put_row(d, (struct wf_import_row){
		       .kind = WF_IMPORT_COUNT, .number = n->last_child });
}

static uint32_t choice_of(struct describing *d, uint32_t choice)
{
	uint32_t i = 0;

	if (choice == 0)
		return 0;
	while (i < d->choice_count && d->choices[i] != choice)
		i++;
	if (i == d->choice_count && i < CHOICES)
		d->choices[d->choice_count++] = choice;
	return i + 1;
}

static void put_item(struct describing *d, enum wf_import_kind kind,
    const struct wf_task *task, uint32_t instance, uint32_t status,
    int64_t time)
{
	if (kind != WF_IMPORT_DATED || time != 0)
		put_row(d, (struct wf_import_row){ .kind = kind,
			       .name = task->id,
			       .instance = instance,
			       .status = status,
			       .time = time });
}

static void describe_timer(struct describing *d, const struct wf_task *task,
    uint32_t instance, const struct timer *timer)
{
	if (timer->at != 0)
		put_row(d, (struct wf_import_row){ .kind = WF_IMPORT_TIMER,
			       .name = task->id,
			       .instance = instance,
			       .number = timer->due,
			       .time = timer->at });
}

static void describe_activity(
    struct describing *d, const struct activity *activity)
{
	const struct wf_task *task = wf_task_of(d->n, activity->task);

	if (!activity->busy)
		put_row(d, (struct wf_import_row){ .kind = WF_IMPORT_OFFERED,
			       .name = task->id,
			       .number = choice_of(d, activity->choice) });
	put_item(
	    d, WF_IMPORT_DATED, task, 0, WF_ITEM_ENABLED, activity->enabled_at);
	put_item(
	    d, WF_IMPORT_DATED, task, 0, WF_ITEM_FIRED, activity->fired_at);
	if (activity->suspended && !activity->busy)
		put_item(d, WF_IMPORT_SUSPENDED, task, 0, 0, 0);
	describe_timer(d, task, 0, &activity->timer);
	for (uint32_t i = 0; i < activity->instance_count; i++) {
		const struct instance *instance = &activity->instances[i];

		if (instance->status > WF_ITEM_SUSPENDED)
			continue;
		put_item(d, WF_IMPORT_DATED, task, instance->number,
		    WF_ITEM_EXECUTING, instance->started_at);
		if (instance->status == WF_ITEM_SUSPENDED)
			put_item(d, WF_IMPORT_SUSPENDED, task, instance->number,
			    0, 0);
		describe_timer(d, task, instance->number, &instance->timer);
	}
	for (uint32_t i = 0; i < activity->result_count; i++)
		put_row(d,
		    (struct wf_import_row){ .kind = WF_IMPORT_RESULT,
			.name = task->id,
			.number = activity->results[i].variable == WF_COLLECTED,
			.data = wf_value_text(activity->results[i].value),
			.length = activity->results[i].value->length });
}

/* The same for equal cases, but for numbers that are not visible. */
static void describe(const struct wf_case *c, struct wf_buffer *rows)
{
	struct describing d = { .c = c, .rows = rows };

	wf_buffer_init(rows, TEXT_MAXIMUM);
	for (uint32_t i = 0; i < c->net_count; i++) {
		char id[WF_CASE_ID_SIZE];

		d.n = c->nets[i];
		wf_net_case_id(c, d.n, 0, id);
		snprintf(d.path, sizeof(d.path), "%s",
		    d.n->parent == NULL ? "" : id + c->id_length + 1);
		describe_net(&d);
		describe_instances(&d);
		for (uint32_t t = 0; t < d.n->net->task_count; t++)
			if (d.n->activities[t] != NULL)
				describe_activity(&d, d.n->activities[t]);
		for (uint32_t t = 0;
		     d.n->timers != NULL && t < d.n->net->task_count; t++)
			if (wf_task_of(d.n, t)->timer != NULL &&
			    wf_task_of(d.n, t)->kind == WF_ATOMIC_TASK)
				put_row(&d, (struct wf_import_row){
						.kind = WF_IMPORT_TIMER_STATE,
						.name = wf_task_of(d.n, t)->id,
						.number = d.n->timers[t] });
	}
	if (wf_case_status(c) == WF_CASE_SUSPENDED)
		wf_import_put(rows, &(struct wf_import_row){
					.kind = WF_IMPORT_CASE_SUSPENDED });
}

static bool is_alike(const struct wf_case *a, const struct wf_case *b)
{
	struct wf_buffer x;
	struct wf_buffer y;
	bool alike;

	describe(a, &x);
	describe(b, &y);
	alike = wf_case_status(a) == wf_case_status(b) &&
		x.length == y.length && memcmp(x.data, y.data, x.length) == 0;
	wf_buffer_free(&x);
	wf_buffer_free(&y);
	return alike;
}

/* --- a process with timers ----------------------------------------------- */

static const char process[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='moved'><metaData><title>moved</title>"
    "<version>0.1</version><identifier>UID_moved</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<localVariable><index>0</index><name>n</name><type>integer</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
    "<initialValue>1</initialValue></localVariable>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='C'/></flowsInto>"
    "<flowsInto><nextElementRef id='p'/></flowsInto>"
    "<join code='xor'/><split code='and'/>"
    "<startingMappings><mapping><expression "
    "query='&lt;n&gt;{/N/n/text()}&lt;/n&gt;'/><mapsTo>n</mapsTo>"
    "</mapping></startingMappings>"
    "<timer><trigger>OnEnabled</trigger><duration>PT1H</duration></timer>"
    "<decomposesTo id='W'/></task>"
    "<condition id='p'><flowsInto><nextElementRef id='E'/></flowsInto>"
    "</condition>"
    "<task id='C'><flowsInto><nextElementRef id='E'/></flowsInto>"
    "<join code='xor'/><split code='and'/>"
    "<timer><trigger>OnEnabled</trigger><duration>PT1H</duration></timer>"
    "<decomposesTo id='S'/></task>"
    "<task id='E'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='and'/><split code='and'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='S' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='B'/></flowsInto>"
    "</inputCondition>"
    "<task id='B'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/>"
    "<timer><trigger>OnExecuting</trigger><duration>PT1H</duration></timer>"
    "<decomposesTo id='M'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"
    "<inputParam><index>0</index><name>n</name><type>integer</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>"
    "<externalInteraction>manual</externalInteraction></decomposition>"
    "<decomposition id='M' xsi:type='WebServiceGatewayFactsType'>"
    "<externalInteraction>manual</externalInteraction></decomposition>"
    "</specification></specificationSet>";

/* --- random cases --------------------------------------------------------- */

struct run {
	struct wf_random random;
	uint64_t seed; /* of the net, for messages */
	struct wf_spec_file *file;
	struct wf_case *original;
	struct wf_case *imported;
	struct wf_step step;
	struct wf_record record; /* of the imported one */
	int64_t now;
};

static bool hold(const struct run *run, bool condition, const char *what,
    const struct wf_error *err)
{
	CU_ASSERT(condition);
	if (!condition)
		printf("import: net %llu: %s: %s\n",
		    (unsigned long long)run->seed, what,
		    err != NULL ? err->message : "");
	return condition;
}

static enum wf_command_kind choose(struct run *run, const struct wf_item *item)
{
	static const enum wf_command_kind rare[] = { WF_COMMAND_SUSPEND_ITEM,
		WF_COMMAND_SUSPEND_CASE, WF_COMMAND_ROLLBACK, WF_COMMAND_FAIL,
		WF_COMMAND_SKIP, WF_COMMAND_ADD, WF_COMMAND_CANCEL_ITEM };

	if (wf_case_status(run->original) == WF_CASE_SUSPENDED &&
	    wf_random_below(&run->random, 2) == 0)
		return WF_COMMAND_RESUME_CASE;
	if (wf_random_below(&run->random, 4) == 0)
		return rare[wf_random_below(
		    &run->random, sizeof(rare) / sizeof(rare[0]))];
	if (item->status == WF_ITEM_SUSPENDED)
		return WF_COMMAND_RESUME_ITEM;
	return item->status == WF_ITEM_EXECUTING ? WF_COMMAND_FORCE
						 : WF_COMMAND_START;
}

struct found {
	char item[WF_ITEM_ID_SIZE];
	int64_t at; /* 0: none */
};

static void find_timer(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	struct found *found = argument;

	(void)number;
	snprintf(found->item, sizeof(found->item), "%s", item);
	found->at = at;
}

/* The last of the running timers has expired. */
static bool choose_timer(
    struct run *run, struct wf_command *command, char item_id[WF_ITEM_ID_SIZE])
{
	struct found found = { .at = 0 };

	if (wf_random_below(&run->random, 5) > 0)
		return false;
	wf_case_timers(run->original, find_timer, &found);
	if (found.at == 0)
		return false;
	if (found.at > run->now)
		run->now = found.at;
	memcpy(item_id, found.item, WF_ITEM_ID_SIZE);
	*command = (struct wf_command){
		.kind = WF_COMMAND_EXPIRE, .item = item_id, .now = run->now
	};
	return true;
}

/* False when the case has no item. */
static bool choose_command(
    struct run *run, struct wf_command *command, char item_id[WF_ITEM_ID_SIZE])
{
	struct wf_item *items;
	size_t count;
	const struct wf_item *item;

	if (choose_timer(run, command, item_id))
		return true;
	count = wf_case_items(run->original, &items);
	if (count > 0) {
		item = &items[wf_random_below(&run->random, (uint32_t)count)];
		wf_item_id(item, item_id);
		run->now += 1 + wf_random_below(&run->random, 1000);
		*command = (struct wf_command){ .kind = choose(run, item),
			.item = item_id,
			.now = run->now };
		if (command->kind == WF_COMMAND_ADD) {
			command->data = "<n>3</n>";
			command->length = strlen(command->data);
		}
	}
	wf_free(items);
	return count > 0;
}

static bool begin(struct run *run, uint64_t seed)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("random");
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH };
	struct wf_buffer text;
	enum wf_rc rc;

	memset(run, 0, sizeof(*run));
	run->random.state = seed;
	run->seed = seed;
	run->now = command.now = 1000;
	wf_step_init(&run->step);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	if (seed % 8 == 0)
		wf_buffer_puts(&text, process);
	else
		wf_random_net(&run->random, &text);
	rc = wf_spec_read(
	    &run->file, wf_buffer_text(&text), text.length, diagnostics);
	wf_buffer_free(&text);
	wf_diagnostics_free(&diagnostics);
	if (rc != WF_OK)
		return false;
	wf_record_init(&run->record, run->file->specs[0], &wf_random_limits);
	return wf_case_launch(&run->original, run->file->specs[0], "7",
		   &wf_random_limits, &command, &run->step, NULL) == WF_OK;
}

static void end(struct run *run)
{
	wf_case_free(&run->original);
	wf_case_free(&run->imported);
	wf_record_free(&run->record);
	wf_step_free(&run->step);
	wf_spec_file_free(&run->file);
}

static void step_original(struct run *run, unsigned steps)
{
	char item[WF_ITEM_ID_SIZE];
	struct wf_command command;

	while (steps-- > 0 &&
	       wf_case_status(run->original) <= WF_CASE_SUSPENDED &&
	       choose_command(run, &command, item)) {
		enum wf_rc rc =
		    wf_case_step(run->original, &command, &run->step, NULL);

		(void)rc; /* some are refused */
	}
}

static bool prove(struct run *run)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_case *decoded;
	enum wf_rc rc;

	wf_record_add(&run->record, &run->step, run->now);
	rc = wf_record_prove(&run->record, run->imported, &decoded, &err);
	wf_case_free(&decoded);
	return hold(run, rc == WF_OK, "a proof fails", &err);
}

static bool import(struct run *run)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_command command = {
		.kind = WF_COMMAND_LAUNCH, .described = true, .now = run->now
	};
	struct wf_buffer rows;
	enum wf_rc rc;

	describe(run->original, &rows);
	command.data = rows.data;
	command.length = rows.length;
	rc = wf_case_launch(&run->imported, run->file->specs[0], "7",
	    &wf_random_limits, &command, &run->step, &err);
	wf_buffer_free(&rows);
	return hold(run, rc == WF_OK, "the import is refused", &err) &&
	       prove(run) &&
	       hold(run, is_alike(run->original, run->imported),
		   "the imported case differs", NULL);
}

static void go_on(struct run *run)
{
	char item[WF_ITEM_ID_SIZE];
	struct wf_command command;
	struct wf_error err = { .rc = WF_OK };

	for (unsigned i = 0; i < STEPS; i++) {
		enum wf_rc first;
		enum wf_rc second;

		if (wf_case_status(run->original) > WF_CASE_SUSPENDED ||
		    !choose_command(run, &command, item))
			return;
		wf_error_clear(&err);
		first = wf_case_step(run->original, &command, &run->step, NULL);
		second =
		    wf_case_step(run->imported, &command, &run->step, &err);
		if (!hold(run, first == second, "another result", &err) ||
		    !hold(run, is_alike(run->original, run->imported),
			"it goes on otherwise", NULL) ||
		    (second == WF_OK && !prove(run)))
			return;
	}
}

/*
 * In a suspended case an item may be offered that is no longer enabled: it is
 * withdrawn at resume. A description with such an item is refused.
 */
static bool awaits_withdrawal(const struct wf_case *c)
{
	for (uint32_t i = 0; i < c->net_count; i++)
		for (uint32_t t = 0; t < c->nets[i]->net->task_count; t++) {
			const struct activity *activity =
			    c->nets[i]->activities[t];

			if (activity != NULL && !activity->busy &&
			    !wf_task_is_enabled(c->nets[i], t))
				return true;
		}
	return false;
}

static void test_random(void)
{
	uint64_t seed = test_seed("import", DEFAULT_SEED);
	unsigned imported = 0;

	for (unsigned i = 0; i < test_rounds(1500); i++) {
		struct run run;

		if (begin(&run, seed + i)) {
			step_original(
			    &run, wf_random_below(&run.random, 2 * STEPS));
			if (wf_case_status(run.original) <= WF_CASE_SUSPENDED &&
			    !awaits_withdrawal(run.original) && import(&run)) {
				imported++;
				go_on(&run);
			}
		}
		end(&run);
	}
	CU_ASSERT(imported > test_rounds(1500) / 10);
	printf("import: %u cases\n", imported);
}

/* --- row by row ---------------------------------------------------------- */

#define ROW(...)                                                               \
	{                                                                      \
		__VA_ARGS__                                                    \
	}
#define XML(text) .data = (text), .length = sizeof(text) - 1
#define NET_N ROW(.kind = WF_IMPORT_NET)
#define TOKEN(net_, place)                                                     \
	ROW(.kind = WF_IMPORT_TOKENS, .net = (net_), .name = (place),          \
	    .number = 1)
#define BUSY(net_, task, number_, status_)                                     \
	ROW(.kind = WF_IMPORT_INSTANCE, .net = (net_), .name = (task),         \
	    .instance = (number_), .status = WF_ITEM_##status_)
#define NET_S ROW(.kind = WF_IMPORT_NET, .net = "2", .name = "C")
#define MOST 8

/* Faulty descriptions; rows of kind 0 end the list. */
static const struct {
	struct wf_import_row rows[MOST];
	enum wf_rc rc;
	const char *message;
} bad[] = {
	{ { { 0 } }, WF_INVALID,
	    "the description of a case has an unknown "
	    "format" },
	{ { TOKEN("", "i") }, WF_DATA, "net 7: there is no such net" },
	{ { ROW(.kind = WF_IMPORT_CASE_SUSPENDED) }, WF_DATA,
	    "net 7: there is no such net" },
	{ { NET_N, NET_N }, WF_DATA, "net 7: the net is there twice" },
	{ { NET_N }, WF_DATA,
	    "the case would be over at once: no item is "
	    "live in it, and nothing else can happen" },
	{ { NET_N, TOKEN("", "q") }, WF_DATA,
	    "net 7: there is no condition q in net N" },
	{ { NET_N, TOKEN("2", "i") }, WF_DATA,
	    "net 7.2: there is no such net" },
	{ { NET_N, TOKEN("x", "i") }, WF_DATA,
	    "net 7.x: there is no such net" },
	{ { NET_N, ROW(.kind = WF_IMPORT_TOKENS, .name = "p", .number = 21) },
	    WF_LIMIT, "net 7: condition p: more than 20 tokens" },
	{ { ROW(.kind = WF_IMPORT_NET, XML("<N><n>one</n></N>")) }, WF_DATA,
	    "net 7: n: element <n>: 'one' is not a valid integer" },
	{ { ROW(.kind = WF_IMPORT_NET, XML("<N><m>1</m></N>")) }, WF_DATA,
	    "net 7: <m> is no variable" },
	{ { ROW(.kind = WF_IMPORT_NET, XML("<N><n>1</n><n>2</n></N>")) },
	    WF_DATA, "net 7: <n> is there twice" },
	{ { ROW(.kind = WF_IMPORT_NET, XML("<N><n>1</N>")) }, WF_INVALID,
	    NULL },
	{ { NET_N, BUSY("", "Z", 1, EXECUTING) }, WF_DATA,
	    "net 7: there is no task Z in net N" },
	{ { NET_N, BUSY("", "E", 1, EXECUTING) }, WF_DATA,
	    "net 7: task E has no work: it cannot be busy" },
	{ { NET_N, BUSY("", "A", 0, EXECUTING) }, WF_DATA,
	    "net 7: task A: instance 0 does not come behind instance 0" },
	{ { NET_N, BUSY("", "A", 1, EXECUTING), BUSY("", "A", 2, FIRED) },
	    WF_DATA, "net 7: task A has one instance at a time" },
	{ { NET_N, BUSY("", "A", 2, EXECUTING), BUSY("", "C", 1, EXECUTING) },
	    WF_DATA,
	    "net 7: task C: instance 1 does not come behind instance 2" },
	{ { NET_N, BUSY("", "A", 4294967295, FIRED) }, WF_DATA,
	    "a number is larger than 2147483647" },
	{ { NET_N, ROW(.kind = WF_IMPORT_COUNT, .number = 2147483648) },
	    WF_DATA, "a number is larger than 2147483647" },
	{ { NET_N, BUSY("", "A", 1, SUSPENDED) }, WF_DATA,
	    "net 7: task A: an instance cannot be Suspended" },
	{ { NET_N, BUSY("", "C", 1, FIRED) }, WF_DATA,
	    "net 7: task C: an instance cannot be Fired" },
	{ { NET_N, BUSY("", "A", 1, COMPLETE) }, WF_DATA,
	    "task A is busy, but all its instances have ended" },
	{ { NET_N, BUSY("", "C", 2, EXECUTING) }, WF_DATA,
	    "the net of instance 2 of task C is missing" },
	{ { NET_N, BUSY("", "A", 2, EXECUTING),
	      ROW(.kind = WF_IMPORT_NET, .net = "2", .name = "A") },
	    WF_DATA, "net 7.2: task A has no net" },
	{ { NET_N, NET_S }, WF_DATA,
	    "net 7.2: task C has no instance that waits for it" },
	{ { NET_N, BUSY("", "C", 2, EXECUTING), NET_S, NET_S }, WF_DATA,
	    "net 7.2: task C has no instance that waits for it" },
	{ { NET_N, ROW(.kind = WF_IMPORT_INSTANCE, .name = "A", .instance = 1,
		       .status = WF_ITEM_EXECUTING, XML("<W><n>two</n></W>")) },
	    WF_DATA, "net 7: n: element <n>: 'two' is not a valid integer" },
	{ { NET_N, ROW(.kind = WF_IMPORT_INSTANCE, .name = "A", .instance = 1,
		       .status = WF_ITEM_EXECUTING, XML("<W><m/></W>")) },
	    WF_DATA, "net 7: <m> is no input parameter" },
	{ { NET_N,
	      ROW(.kind = WF_IMPORT_RESULT, .name = "A", XML("<n>1</n>")) },
	    WF_DATA, "net 7: task A is not busy" },
	{ { NET_N, BUSY("", "A", 1, FIRED),
	      ROW(.kind = WF_IMPORT_RESULT, .name = "A", XML("<n>1</n>")) },
	    WF_DATA, "net 7: task A keeps no results" },
	{ { NET_N, ROW(.kind = WF_IMPORT_OFFERED, .name = "C") }, WF_DATA,
	    "net 7: task C is never offered" },
	{ { NET_N, TOKEN("", "i"), ROW(.kind = WF_IMPORT_OFFERED, .name = "A"),
	      ROW(.kind = WF_IMPORT_OFFERED, .name = "A") },
	    WF_DATA, "net 7: task A is offered or busy already" },
	{ { NET_N, TOKEN("", "i"), ROW(.kind = WF_IMPORT_OFFERED, .name = "A"),
	      BUSY("", "A", 1, FIRED) },
	    WF_DATA, "net 7: task A is offered and busy" },
	{ { NET_N, ROW(.kind = WF_IMPORT_DATED, .name = "A", .instance = 1,
		       .status = WF_ITEM_EXECUTING, .time = 5) },
	    WF_DATA, "net 7: task A has no instance 1" },
	{ { NET_N, BUSY("", "A", 1, FIRED),
	      ROW(.kind = WF_IMPORT_DATED, .name = "A", .instance = 1,
		  .status = WF_ITEM_ENABLED, .time = 5) },
	    WF_DATA, "net 7: task A: a time of no status" },
	{ { NET_N, BUSY("", "A", 1, FIRED),
	      ROW(.kind = WF_IMPORT_SUSPENDED, .name = "A", .instance = 1),
	      ROW(.kind = WF_IMPORT_SUSPENDED, .name = "A", .instance = 1) },
	    WF_DATA, "net 7: task A cannot be suspended" },
	{ { NET_N, ROW(.kind = WF_IMPORT_TIMER, .name = "C", .time = 5) },
	    WF_DATA, "net 7: task C has no timer" },
	{ { NET_N, ROW(.kind = WF_IMPORT_TIMER, .name = "A") }, WF_DATA,
	    "net 7: the timer of task A has no time" },
	{ { NET_N,
	      ROW(.kind = WF_IMPORT_TIMER_STATE, .name = "A", .number = 4) },
	    WF_DATA, "net 7: the timer of task A has no such state" },
};

static struct wf_spec_file *read_process(void)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("process");
	struct wf_spec_file *file;

	CU_ASSERT_EQUAL_FATAL(
	    wf_spec_read(&file, process, sizeof(process) - 1, diagnostics),
	    WF_OK);
	wf_diagnostics_free(&diagnostics);
	return file;
}

static enum wf_rc launch_rows(struct wf_case **case_out,
    const struct wf_spec_file *file, const void *rows, size_t length,
    struct wf_step *step, struct wf_error *err)
{
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH,
		.data = rows,
		.length = length,
		.described = true,
		.now = 1000 };

	return wf_case_launch(case_out, file->specs[0], "7", &wf_random_limits,
	    &command, step, err);
}

static void put_rows(struct wf_buffer *bytes, const struct wf_import_row *rows)
{
	wf_buffer_init(bytes, TEXT_MAXIMUM);
	for (size_t i = 0; i < MOST && rows[i].kind != 0; i++)
		wf_import_put(bytes, &rows[i]);
}

static void test_bad(void)
{
	struct wf_spec_file *file = read_process();
	struct wf_step step;

	wf_step_init(&step);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_case *c;
		struct wf_buffer bytes;

		put_rows(&bytes, bad[i].rows);
		CU_ASSERT_EQUAL(launch_rows(&c, file, bytes.data, bytes.length,
				    &step, &err),
		    bad[i].rc);
		CU_ASSERT_PTR_NULL(c);
		if (bad[i].message != NULL &&
		    strcmp(err.message, bad[i].message) != 0)
			CU_FAIL(bad[i].message);
		if (bad[i].message != NULL &&
		    strcmp(err.message, bad[i].message) != 0)
			printf("import: row %zu: %s\n", i, err.message);
		wf_buffer_free(&bytes);
		wf_case_free(&c);
	}
	wf_step_free(&step);
	wf_spec_file_free(&file);
}

/* A composite's net with a timer, and a task that is offered with one. */
static const struct wf_import_row good[MOST * 2] = {
	ROW(.kind = WF_IMPORT_NET, XML("<N><n>5</n></N>")),
	TOKEN("", "i"),
	ROW(.kind = WF_IMPORT_TOKENS, .name = "p", .number = 20),
	BUSY("", "C", 2, EXECUTING),
	ROW(.kind = WF_IMPORT_COUNT, .number = 6),
	ROW(.kind = WF_IMPORT_OFFERED, .name = "A"),
	ROW(.kind = WF_IMPORT_DATED, .name = "A", .status = WF_ITEM_ENABLED,
	    .time = 77),
	ROW(.kind = WF_IMPORT_TIMER, .name = "A", .time = 5000),
	NET_S,
	BUSY("2", "B", 1, EXECUTING),
	ROW(.kind = WF_IMPORT_DATED, .net = "2", .name = "B", .instance = 1,
	    .status = WF_ITEM_EXECUTING, .time = 88),
	ROW(.kind = WF_IMPORT_TIMER, .net = "2", .name = "B", .instance = 1,
	    .time = 900),
};

struct timers {
	char text[200];
	size_t length;
};

static void note_timer(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	struct timers *timers = argument;

	timers->length += (size_t)snprintf(timers->text + timers->length,
	    sizeof(timers->text) - timers->length, "%s=%u@%lld ", item, number,
	    (long long)at);
}

static void check_good(struct wf_case *c, struct wf_step *step)
{
	struct wf_command command = {
		.kind = WF_COMMAND_EXPIRE, .item = "7.2.1:B", .now = 1000
	};
	struct timers timers = { .length = 0 };
	struct wf_item *items;
	char id[WF_ITEM_ID_SIZE];

	CU_ASSERT_EQUAL_FATAL(wf_case_items(c, &items), 2);
	wf_item_id(&items[0], id);
	CU_ASSERT_STRING_EQUAL(id, "7:A");
	CU_ASSERT_EQUAL(items[0].enabled_at, 77);
	wf_item_id(&items[1], id);
	CU_ASSERT_STRING_EQUAL(id, "7.2.1:B");
	CU_ASSERT_EQUAL(items[1].started_at, 88);
	wf_free(items);
	wf_case_timers(c, note_timer, &timers);
	CU_ASSERT_STRING_EQUAL(timers.text, "7:A=1@5000 7.2.1:B=2@900 ");
	CU_ASSERT_EQUAL(wf_case_check(c, NULL), WF_OK);
	/* It has expired meanwhile, and completes its item and the sub-net. */
	CU_ASSERT_EQUAL(wf_case_step(c, &command, step, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_case_status(c), WF_CASE_COMPLETED);
}

static void put_good(struct wf_buffer *bytes)
{
	wf_buffer_init(bytes, TEXT_MAXIMUM);
	for (size_t i = 0; i < MOST * 2 && good[i].kind != 0; i++)
		wf_import_put(bytes, &good[i]);
}

static void test_good(void)
{
	struct wf_spec_file *file = read_process();
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer bytes;
	struct wf_step step;
	struct wf_case *c;

	wf_step_init(&step);
	put_good(&bytes);
	CU_ASSERT_EQUAL_FATAL(
	    launch_rows(&c, file, bytes.data, bytes.length, &step, &err),
	    WF_OK);
	check_good(c, &step);
	wf_case_free(&c);
	wf_buffer_free(&bytes);
	wf_step_free(&step);
	wf_spec_file_free(&file);
}

/* Any bytes: refused, or a case in which everything holds. */
static void test_damaged(void)
{
	struct wf_spec_file *file = read_process();
	struct wf_random random = { .state =
					test_seed("import", DEFAULT_SEED) };
	struct wf_buffer bytes;
	struct wf_step step;

	wf_step_init(&step);
	put_good(&bytes);
	for (unsigned i = 0; i < test_rounds(5000); i++) {
		char *copy = wf_strndup(bytes.data, bytes.length);
		size_t length = bytes.length;
		struct wf_case *c;

		for (unsigned k = wf_random_below(&random, 4); k-- > 0;)
			copy[wf_random_below(&random, (uint32_t)length)] =
			    (char)wf_random_below(&random, 256);
		if (wf_random_below(&random, 4) == 0)
			length = wf_random_below(&random, (uint32_t)length);
		if (launch_rows(&c, file, copy, length, &step, NULL) == WF_OK)
			CU_ASSERT_EQUAL(wf_case_check(c, NULL), WF_OK);
		wf_case_free(&c);
		wf_free(copy);
	}
	wf_buffer_free(&bytes);
	wf_step_free(&step);
	wf_spec_file_free(&file);
}

CU_TestInfo wf_tests_import[] = {
	{ "random cases", test_random },
	{ "a composite and timers", test_good },
	{ "what is wrong with a description", test_bad },
	{ "damaged descriptions", test_damaged },
	CU_TEST_INFO_NULL,
};
