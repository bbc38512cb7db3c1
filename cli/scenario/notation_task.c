/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a line "task A ...": a row of clauses, each a word with what it
 * takes behind it.  The table at the end lists them.
 */
#include <string.h>

#include "cli/scenario/notation.h"
#include "cli/scenario/people_lines.h"
#include "people/resourcing.h"

static const char *take(struct wf_notation_reader *reader)
{
	reader->count--;
	return *reader->words++;
}

static bool next_is(const struct wf_notation_reader *reader, const char *word)
{
	return reader->count > 0 && strcmp(reader->words[0], word) == 0;
}

/* A name or number, or "..." without its quotes. */
static enum wf_rc take_text(struct wf_notation_reader *reader,
    const char *clause, const char **text_out)
{
	if (reader->count == 0)
		return WF_NOTATION_FAIL(
		    reader, "something is missing behind \"%s\"", clause);
	*text_out = wf_word_unquote(reader->arena, take(reader));
	return WF_OK;
}

static struct wf_notation_parameter *find_parameter(
    struct wf_notation_element *task, const char *name,
    enum wf_notation_use use)
{
	for (size_t i = 0; i < task->parameter_count; i++)
		if (task->parameters[i].use == use &&
		    strcmp(task->parameters[i].name, name) == 0)
			return &task->parameters[i];
	return NULL;
}

/* Declares a parameter, once; type NULL: string. */
static struct wf_notation_parameter *declare(struct wf_notation_reader *reader,
    struct wf_notation_element *task, const char *name, const char *type,
    enum wf_notation_use use)
{
	struct wf_notation_parameter *parameter =
	    find_parameter(task, name, use);

	if (parameter != NULL)
		return parameter;
	task->parameters = wf_arena_grow(reader->arena, task->parameters,
	    task->parameter_count, &task->parameter_capacity,
	    sizeof(*task->parameters));
	parameter = &task->parameters[task->parameter_count++];
	memset(parameter, 0, sizeof(*parameter));
	parameter->name = name;
	parameter->type = type != NULL ? type : "string";
	parameter->use = use;
	return parameter;
}

static void add_mapping(struct wf_notation_reader *reader,
    struct wf_notation_element *task, const struct wf_notation_mapping *mapping)
{
	task->mappings =
	    wf_arena_grow(reader->arena, task->mappings, task->mapping_count,
		&task->mapping_capacity, sizeof(*task->mappings));
	task->mappings[task->mapping_count++] = *mapping;
}

/* NAME, NAME:TYPE, NAME=SOURCE, NAME:TYPE=SOURCE, NAME="QUERY" */
struct binding {
	const char *name;
	const char *type;   /* NULL: not given */
	const char *source; /* NULL: not given */
	bool is_query;	    /* source is quoted */
};

static enum wf_rc take_binding(struct wf_notation_reader *reader,
    const char *clause, struct binding *binding_out)
{
	const char *word;
	size_t name_length;
	size_t length;

	memset(binding_out, 0, sizeof(*binding_out));
	if (reader->count == 0)
		return WF_NOTATION_FAIL(
		    reader, "a name is missing behind \"%s\"", clause);
	word = take(reader);
	name_length = strcspn(word, ":=");
	length = strcspn(word, "=");
	binding_out->name = wf_arena_strndup(reader->arena, word, name_length);
	if (length > name_length + 1)
		binding_out->type = wf_arena_strndup(reader->arena,
		    word + name_length + 1, length - name_length - 1);
	if (word[length] == '=') {
		binding_out->is_query = word[length + 1] == '"';
		binding_out->source =
		    wf_word_unquote(reader->arena, word + length + 1);
	}
	if (name_length == 0)
		return WF_NOTATION_FAIL(reader, "\"%s\" has no name", word);
	return WF_OK;
}

static const char *type_of(
    const struct wf_notation_reader *reader, const char *variable)
{
	const struct wf_notation_variable *found =
	    wf_notation_variable(reader->net, variable);

	return found != NULL ? found->type : NULL;
}

/* P, P=V, P="QUERY": a parameter, and how it is filled. */
static enum wf_rc read_filled(struct wf_notation_reader *reader,
    struct wf_notation_element *task, const char *clause,
    enum wf_notation_use use)
{
	struct binding in;
	struct wf_notation_mapping mapping = { .use = use };
	enum wf_rc rc = take_binding(reader, clause, &in);

	if (rc != WF_OK)
		return rc;
	mapping.target = in.name;
	if (in.is_query)
		mapping.query = in.source;
	else
		mapping.source = in.source != NULL ? in.source : in.name;
	if (in.type == NULL && mapping.source != NULL)
		in.type = type_of(reader, mapping.source);
	declare(reader, task, in.name, in.type, use);
	add_mapping(reader, task, &mapping);
	return WF_OK;
}

/* in P...: an input parameter. */
static enum wf_rc read_in(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return read_filled(reader, task, "in", WF_NOTATION_IN);
}

/* show P...: what the enabled item shows. */
static enum wf_rc read_show(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return read_filled(reader, task, "show", WF_NOTATION_SHOW);
}

/* out V, out V=P, out V="QUERY": what variable V gets. */
static enum wf_rc read_out(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct binding out;
	struct wf_notation_mapping mapping = { .use = WF_NOTATION_OUT };
	enum wf_rc rc = take_binding(reader, "out", &out);

	if (rc != WF_OK)
		return rc;
	mapping.target = out.name;
	if (out.is_query) {
		mapping.query = out.source;
	} else {
		mapping.source = out.source != NULL ? out.source : out.name;
		declare(reader, task, mapping.source,
		    out.type != NULL ? out.type : type_of(reader, out.name),
		    WF_NOTATION_OUT);
	}
	add_mapping(reader, task, &mapping);
	return WF_OK;
}

/* give P, give P:TYPE=DEFAULT: an output parameter that is not mapped. */
static enum wf_rc read_give(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct binding give;
	enum wf_rc rc = take_binding(reader, "give", &give);

	if (rc != WF_OK)
		return rc;
	if (give.type == NULL)
		give.type = type_of(reader, give.name);
	declare(reader, task, give.name, give.type, WF_NOTATION_OUT)->fallback =
	    give.source;
	return WF_OK;
}

static enum wf_rc read_empty(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	(void)reader;
	task->is_empty = true;
	return WF_OK;
}

/* doc "TEXT": what is to be done, in words. */
static enum wf_rc read_documentation(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(reader, "doc", &task->documentation);
}

static enum wf_rc read_net(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(reader, "net", &task->subnet);
}

static enum wf_rc read_cancels(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	if (reader->count == 0)
		return WF_NOTATION_FAIL(
		    reader, "what does %s cancel?", task->id);
	while (reader->count > 0) {
		task->cancels = wf_arena_grow(reader->arena, task->cancels,
		    task->cancel_count, &task->cancel_capacity,
		    sizeof(*task->cancels));
		task->cancels[task->cancel_count++] = take(reader);
	}
	return WF_OK;
}

static enum wf_rc take_control(struct wf_notation_reader *reader,
    const char *clause, enum wf_control *control_out)
{
	static const char *const words[] = {
		[WF_AND] = "and", [WF_XOR] = "xor", [WF_OR] = "or"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (next_is(reader, words[i])) {
			take(reader);
			*control_out = (enum wf_control)i;
			return WF_OK;
		}
	return WF_NOTATION_FAIL(
	    reader, "expected and, xor or or behind \"%s\"", clause);
}

static enum wf_rc read_join(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	task->has_join = true;
	return take_control(reader, "join", &task->join);
}

static enum wf_rc read_split(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	/* Of a task with multiple instances it is the splitter. */
	if (task->multiple != NULL && !next_is(reader, "and") &&
	    !next_is(reader, "xor") && !next_is(reader, "or"))
		return take_text(reader, "split", &task->multiple->split);
	task->has_split = true;
	return take_control(reader, "split", &task->split);
}

/* multiple 3, multiple 2..5, multiple 1..*, multiple "QUERY".."QUERY" */
static enum wf_rc read_multiple(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct wf_notation_multiple *multiple =
	    wf_arena_alloc(reader->arena, sizeof(*multiple));
	const char *word;
	const char *dots;

	task->multiple = multiple;
	if (reader->count == 0)
		return WF_NOTATION_FAIL(
		    reader, "the number of instances is missing");
	word = take(reader);
	dots = strstr(word, "..");
	if (dots == NULL) {
		multiple->minimum = wf_word_unquote(reader->arena, word);
		multiple->maximum = multiple->minimum;
		return WF_OK;
	}
	multiple->minimum = wf_word_unquote(reader->arena,
	    wf_arena_strndup(reader->arena, word, (size_t)(dots - word)));
	multiple->maximum = wf_word_unquote(reader->arena, dots + 2);
	if (strcmp(multiple->maximum, "*") == 0)
		multiple->maximum = "2147483647";
	return WF_OK;
}

static enum wf_rc read_threshold(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(reader, "threshold", &task->multiple->threshold);
}

static enum wf_rc read_create(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(reader, "create", &task->multiple->create);
}

static enum wf_rc read_dynamic(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	(void)reader;
	task->multiple->is_dynamic = true;
	return WF_OK;
}

/* from V, from "QUERY" */
static enum wf_rc read_from(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	const char *word = reader->count > 0 ? reader->words[0] : "";

	if (word[0] != '"' && word[0] != '\0') {
		take(reader);
		task->multiple->from = wf_arena_printf(
		    reader->arena, "/%s/%s", reader->net->name, word);
		return WF_OK;
	}
	return take_text(reader, "from", &task->multiple->from);
}

static enum wf_rc read_into(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct binding into;
	enum wf_rc rc = take_binding(reader, "into", &into);

	task->multiple->into = into.name;
	task->multiple->type = into.type;
	return rc;
}

static enum wf_rc read_collect(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(reader, "collect", &task->multiple->collect);
}

/* "join and" is a control, join "QUERY" what makes one value of many. */
static enum wf_rc read_join_or_joiner(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	if (task->multiple == NULL || next_is(reader, "and") ||
	    next_is(reader, "xor") || next_is(reader, "or"))
		return read_join(reader, task);
	return take_text(reader, "join", &task->multiple->join);
}

static enum wf_rc read_to(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(reader, "to", &task->multiple->result);
}

/* timer "PT5M", timer executing "PT5M", timer VARIABLE; workdays behind it */
static enum wf_rc read_timer(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct wf_notation_timer *timer =
	    wf_arena_alloc(reader->arena, sizeof(*timer));
	const char *word;

	task->timer = timer;
	timer->on_executing = next_is(reader, "executing");
	if (timer->on_executing || next_is(reader, "enabled"))
		take(reader);
	if (reader->count == 0)
		return WF_NOTATION_FAIL(reader,
		    "a duration or a variable is missing behind "
		    "\"timer\"");
	word = take(reader);
	if (word[0] == '"')
		timer->time = wf_word_unquote(reader->arena, word);
	else
		timer->variable = word;
	timer->work_days = next_is(reader, "workdays");
	if (timer->work_days)
		take(reader);
	return WF_OK;
}

static enum wf_rc read_automated(
    __attribute__((unused)) struct wf_notation_reader *reader,
    struct wf_notation_element *task)
{
	task->is_automated = true;
	return WF_OK;
}

/* --- who does it ---------------------------------------------------------- */

static struct wf_notation_rule *rule_of(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	if (task->rule == NULL) {
		task->rule = wf_arena_alloc(reader->arena, sizeof(*task->rule));
		task->rule->set = "";
		task->rule->filters = "";
		task->rule->constraints = "";
		task->rule->privileges = "";
		task->rule->needs = "";
	}
	return task->rule;
}

/* The text with its XML characters escaped. */
static const char *escaped(struct wf_notation_reader *reader, const char *text)
{
	struct wf_buffer xml;
	const char *copy;

	wf_buffer_init(&xml, WF_SPEC_BYTES);
	wf_buffer_escape(&xml, text, strlen(text), true);
	copy = wf_arena_strdup(reader->arena, wf_buffer_text(&xml));
	wf_buffer_free(&xml);
	return copy;
}

/* for role NAME, for participant NAME, for roles V, for participants V */
static enum wf_rc read_for(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	static const char *const forms[] = { "role", "<role>RO-%s</role>",
		"participant", "<participant>PA-%s</participant>", "roles",
		"<param><name>%s</name><refers>role</refers></param>",
		"participants",
		"<param><name>%s</name><refers>participant</refers></param>" };
	struct wf_notation_rule *rule = rule_of(reader, task);
	const char *word = reader->count > 0 ? take(reader) : "";
	const char *name;
	enum wf_rc rc = take_text(reader, "for", &name);

	for (size_t i = 0; rc == WF_OK && i < 4; i++) {
		char *sign;

		if (strcmp(word, forms[2 * i]) != 0)
			continue;
		sign = strstr(forms[2 * i + 1], "%s");
		rule->set = wf_arena_printf(reader->arena, "%s%.*s%s%s",
		    rule->set, (int)(sign - forms[2 * i + 1]), forms[2 * i + 1],
		    escaped(reader, name), sign + 2);
		return WF_OK;
	}
	return rc != WF_OK
		   ? rc
		   : WF_NOTATION_FAIL(reader,
			 "expected role, participant, roles or participants "
			 "behind \"for\", not \"%s\"",
			 word);
}

/* filter Capability "EXPRESSION"; also Position and OrgGroup */
static enum wf_rc read_filter(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct wf_notation_rule *rule = rule_of(reader, task);
	const char *key;
	const char *value;
	enum wf_rc rc = take_text(reader, "filter", &key);

	if (rc == WF_OK)
		rc = take_text(reader, key, &value);
	if (rc == WF_OK)
		rule->filters = wf_arena_printf(reader->arena,
		    "%s<filter><name>%s</name><params><param><key>%s</key>"
		    "<value>%s</value></param></params></filter>",
		    rule->filters,
		    strcmp(key, "Capability") == 0 ? "CapabilityFilter"
						   : "OrgFilter",
		    key, escaped(reader, value));
	return rc;
}

/* separate TASK: whoever completed an item of that task may not. */
static enum wf_rc read_separate(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct wf_notation_rule *rule = rule_of(reader, task);
	const char *other;
	enum wf_rc rc = take_text(reader, "separate", &other);

	if (rc == WF_OK)
		rule->constraints = wf_arena_printf(reader->arena,
		    "%s<constraint><name>SeparationOfDuties</name><params>"
		    "<param><key>familiarTask</key><value>%s</value></param>"
		    "</params></constraint>",
		    rule->constraints, escaped(reader, other));
	return rc;
}

static enum wf_rc read_familiar(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(reader, "familiar", &rule_of(reader, task)->familiar);
}

static enum wf_rc read_allocator(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	return take_text(
	    reader, "allocator", &rule_of(reader, task)->allocator);
}

static enum wf_rc read_starts(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	rule_of(reader, task)->starts = true;
	return WF_OK;
}

/* may PRIVILEGE: everybody */
static enum wf_rc read_may(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct wf_notation_rule *rule = rule_of(reader, task);
	const char *name;
	enum wf_rc rc = take_text(reader, "may", &name);

	if (rc == WF_OK)
		rule->privileges = wf_arena_printf(reader->arena,
		    "%s<privilege><name>%s</name><allowall>true</allowall>"
		    "</privilege>",
		    rule->privileges, escaped(reader, name));
	return rc;
}

/* needs participant NAME, needs role NAME, needs thing NAME, needs category
 * NAME */
static enum wf_rc read_needs(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct wf_notation_rule *rule = rule_of(reader, task);
	const char *word = reader->count > 0 ? take(reader) : "";
	const char *name;
	enum wf_rc rc = take_text(reader, "needs", &name);

	for (size_t i = 0; rc == WF_OK && i < WF_SECONDARY_ELEMENTS; i++) {
		const struct wf_secondary_element *row =
		    &wf_secondary_elements[i];
		const char *id;

		if (strcmp(word, wf_org_layouts[row->kind].word) != 0)
			continue;
		id = wf_people_line_id(reader->arena, row->kind, name);
		rule->needs =
		    wf_arena_printf(reader->arena, "%s<%s>%s</%s>", rule->needs,
			row->element, escaped(reader, id), row->element);
		return WF_OK;
	}
	return rc != WF_OK
		   ? rc
		   : WF_NOTATION_FAIL(reader,
			 "expected participant, role, thing or category behind "
			 "\"needs\", not \"%s\"",
			 word);
}

/* unoffered: an administrator offers its items. */
static enum wf_rc read_unoffered(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	(void)rule_of(reader, task);
	return WF_OK;
}

struct clause {
	const char *word;
	bool of_multiple; /* only behind "multiple" */
	/* NULL: an attribute of the decomposition about urgency */
	enum wf_rc (*read)(struct wf_notation_reader *reader,
	    struct wf_notation_element *task);
};

static const struct clause clauses[] = {
	{ "empty", false, read_empty },
	{ "net", false, read_net },
	{ "doc", false, read_documentation },
	{ "in", false, read_in },
	{ "out", false, read_out },
	{ "show", false, read_show },
	{ "give", false, read_give },
	{ "cancels", false, read_cancels },
	{ "join", false, read_join_or_joiner },
	{ "split", false, read_split },
	{ "multiple", false, read_multiple },
	{ "threshold", true, read_threshold },
	{ "create", true, read_create },
	{ "dynamic", true, read_dynamic },
	{ "from", true, read_from },
	{ "into", true, read_into },
	{ "collect", true, read_collect },
	{ "to", true, read_to },
	{ "timer", false, read_timer },
	{ "automated", false, read_automated },
	{ "for", false, read_for },
	{ "filter", false, read_filter },
	{ "separate", false, read_separate },
	{ "familiar", false, read_familiar },
	{ "allocator", false, read_allocator },
	{ "starts", false, read_starts },
	{ "may", false, read_may },
	{ "needs", false, read_needs },
	{ "unoffered", false, read_unoffered },
	{ "priority", false, NULL },
	{ "due", false, NULL },
	{ "calendar", false, NULL },
	{ "remind", false, NULL },
	{ "escalate", false, NULL },
};

static const struct clause *find_clause(const char *word)
{
	for (size_t i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++)
		if (strcmp(clauses[i].word, word) == 0)
			return &clauses[i];
	return NULL;
}

static enum wf_rc add_timing(struct wf_notation_reader *reader,
    struct wf_notation_element *task, const char *name)
{
	const char *value = NULL;
	enum wf_rc rc = take_text(reader, name, &value);

	if (rc == WF_OK)
		task->timing = wf_arena_printf(reader->arena, "%s p:%s=\"%s\"",
		    task->timing == NULL ? "" : task->timing, name,
		    escaped(reader, value));
	return rc;
}

/* What follows from all clauses: the parameter of each instance. */
static void complete_task(
    struct wf_notation_reader *reader, struct wf_notation_element *task)
{
	struct wf_notation_multiple *multiple = task->multiple;

	if (multiple == NULL)
		return;
	if (multiple->into == NULL)
		multiple->into = "item";
	if (multiple->type == NULL)
		multiple->type = multiple->split != NULL ? "string" : "integer";
	declare(reader, task, multiple->into, multiple->type, false);
}

enum wf_rc wf_notation_read_task(struct wf_notation_reader *reader)
{
	struct wf_notation_element *task;
	enum wf_rc rc = WF_OK;

	task = wf_notation_element(reader, take(reader));
	if (task->kind != WF_NOTATION_TASK)
		return WF_NOTATION_FAIL(reader,
		    "the name of a task begins with a capital letter, "
		    "unlike \"%s\"",
		    task->id);
	while (rc == WF_OK && reader->count > 0) {
		const char *word = take(reader);
		const struct clause *clause = find_clause(word);

		if (clause == NULL)
			return WF_NOTATION_FAIL(
			    reader, "a task has no \"%s\"", word);
		if (clause->of_multiple && task->multiple == NULL)
			return WF_NOTATION_FAIL(reader,
			    "\"%s\" has to stand behind \"multiple\"", word);
		rc = clause->read != NULL
			 ? clause->read(reader, task)
			 : add_timing(reader, task, clause->word);
	}
	if (rc == WF_OK)
		complete_task(reader, task);
	return rc;
}
