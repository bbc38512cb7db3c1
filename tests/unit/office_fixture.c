/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/office_fixture.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/seed.h"

#define MOST 24U

struct rate {
	const char *participant;
	const char *state;
	int64_t amount;
};

static struct wf_organisation *organisation_of(void *context)
{
	const struct office_node *node = context;

	return wf_organisation_ref(node->organisation);
}

static struct wf_organisation *make_organisation(struct wf_arena *arena)
{
	static const char *const people[] = { "PA-anna", "PA-ben", "PA-cara" };
	static const char *const vans[] = { "NH-van1", "NH-van2" };
	static const struct rate rates[] = { { "PA-anna", "assigned", 1000 },
		{ "PA-anna", "allocated", 1000 }, { "PA-anna", "busy", 1000 },
		{ "PA-ben", "assigned", 10000 },
		{ "PA-ben", "allocated", 1000 }, { "PA-ben", "busy", 10000 },
		{ "PA-cara", "busy", 2000 } };
	struct wf_org_change changes[MOST];
	size_t count = 0;
	struct wf_category *category;
	struct wf_org_role *clerk = (struct wf_org_role *)wf_org_record_new(
	    arena, WF_ORG_ROLE, "RO-clerk");

	clerk->name = "Clerk";
	changes[count++] =
	    (struct wf_org_change){ WF_ORG_ROLE, "RO-clerk", &clerk->record };
	for (size_t i = 0; i < 3; i++) {
		struct wf_participant *p =
		    (struct wf_participant *)wf_org_record_new(
			arena, WF_ORG_PARTICIPANT, people[i]);

		p->user = people[i];
		if (i < 2)
			wf_org_texts_add(arena, &p->roles, "RO-clerk");
		changes[count++] = (struct wf_org_change){ WF_ORG_PARTICIPANT,
			people[i], &p->record };
	}
	category = (struct wf_category *)wf_org_record_new(
	    arena, WF_ORG_CATEGORY, "NC-car");
	category->name = "Cars";
	changes[count++] = (struct wf_org_change){ WF_ORG_CATEGORY, "NC-car",
		&category->record };
	for (size_t i = 0; i < 2; i++) {
		struct wf_thing *thing = (struct wf_thing *)wf_org_record_new(
		    arena, WF_ORG_THING, vans[i]);

		thing->name = vans[i];
		thing->category = "NC-car";
		changes[count++] = (struct wf_org_change){ WF_ORG_THING,
			vans[i], &thing->record };
	}
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const char *id = wf_arena_printf(arena, "RA-%zu", i);
		struct wf_rate *rate =
		    (struct wf_rate *)wf_org_record_new(arena, WF_ORG_RATE, id);

		rate->name = id;
		rate->participant = rates[i].participant;
		rate->amount = rates[i].amount;
		rate->unit = "hour";
		rate->state = rates[i].state;
		changes[count++] =
		    (struct wf_org_change){ WF_ORG_RATE, id, &rate->record };
	}
	return wf_organisation_new(NULL, changes, count, 1);
}

void office_open_node(struct office *office, struct office_node *node)
{
	const struct wf_engine_settings before = office->f.settings;
	struct wf_decisions_settings settings = { .context = node,
		.organisation = organisation_of,
		.blocks = office->blocks };

	node->organisation = make_organisation(office->f.arena);
	settings.audiences = node->audiences = wf_audiences_new();
	settings.piles = node->piles = wf_piles_new();
	settings.facts = node->facts = wf_fact_fold_new();
	node->decisions = wf_decisions_new(&settings);
	office->f.settings.people = wf_decisions_people(node->decisions);
	if (office->f.store == NULL) {
		wf_fixture_open(&office->f);
		node->engine = office->f.engine;
	} else {
		CU_ASSERT_EQUAL_FATAL(wf_engine_open(&node->engine,
					  &office->f.settings, &office->f.err),
		    WF_OK);
	}
	office->f.settings.people = before.people;
}

void office_close_node(struct office_node *node)
{
	wf_engine_close(&node->engine);
	wf_decisions_free(&node->decisions);
	wf_fact_fold_free(&node->facts);
	wf_piles_free(&node->piles);
	wf_audiences_free(&node->audiences);
	wf_organisation_unref(&node->organisation);
}

/* Each test is on the first store, and on one of the others; in soak on all. */
static void on_each(const char *const *kinds, size_t count, bool blocks,
    void (*test)(struct office *office))
{
	static size_t turn;

	turn++;
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && !test_soaks() && (turn + i) % (count - 1) != 0)
			continue;
		struct office office = { .blocks = blocks };

		wf_fixture_init_on(&office.f, kinds[i]);
		office_open_node(&office, &office.nodes[0]);
		test(&office);
		office_close_node(&office.nodes[0]);
		office_close_node(&office.nodes[1]);
		office.f.engine = NULL;
		wf_fixture_free(&office.f);
	}
}

void office_on_all(bool blocks, void (*test)(struct office *office))
{
	static const char *const kinds[] = { "memory", "sqlite", "postgresql" };

	on_each(kinds, store_kind_sample(), blocks, test);
}

/* On stores that several engines can have. */
void office_on_shared(bool blocks, void (*test)(struct office *office))
{
	static const char *const kinds[] = { "memory", "postgresql" };

	on_each(kinds, store_kind_sample() - 1, blocks, test);
}

#define EVERYBODY                                                              \
	"<participant>PA-anna</participant><participant>PA-ben</participant>"  \
	"<participant>PA-cara</participant>"

/* What differs between the processes. */
struct office_net {
	const char *attributes; /* of the task A */
	const char *instances;	/* what is behind its decomposition */
	const char *input;	/* parameters of the decomposition */
	const char *next;	/* what is behind the task A */
	const char *more;	/* further tasks */
};

static void office_load_net(struct office *office, const char *name,
    const char *rule, const char *timing, const struct office_net *net)
{
	char *xml = wf_arena_printf(office->f.arena,
	    "<specificationSet version='4.0' "
	    "xmlns='http://www.yawlfoundation.org/yawlschema' "
	    "xmlns:p='urn:weft:people' "
	    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
	    "<specification uri='%s'><metaData><version>0.1</version>"
	    "<identifier>UID_%s</identifier></metaData>"
	    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
	    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
	    "<processControlElements><inputCondition id='i'><flowsInto>"
	    "<nextElementRef id='A'/></flowsInto></inputCondition>"
	    "<task id='A'%s><flowsInto><nextElementRef id='%s'/></flowsInto>"
	    "<join code='xor'/><split code='and'/><resourcing>"
	    "<offer initiator='system'><distributionSet><initialSet>" EVERYBODY
	    "</initialSet></distributionSet></offer>%s</resourcing>"
	    "<decomposesTo id='W'/>%s</task>%s<outputCondition id='o'/>"
	    "</processControlElements></decomposition>"
	    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType' %s>%s"
	    "<externalInteraction>manual</externalInteraction>"
	    "</decomposition></specification></specificationSet>",
	    name, name, net->attributes, net->next, rule, net->instances,
	    net->more, timing, net->input);

	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(&office->f, xml, strlen(xml)), WF_OK);
}

void office_load(struct office *office, const char *name, const char *rule)
{
	office_load_timed(office, name, rule, "");
}

void office_load_timed(struct office *office, const char *name,
    const char *rule, const char *timing)
{
	const struct office_net net = { .attributes = "",
		.instances = "",
		.input = "",
		.next = "o",
		.more = "" };

	office_load_net(office, name, rule, timing, &net);
}

void office_load_multiple(
    struct office *office, const char *name, const char *rule)
{
	const struct office_net net = {
		.attributes =
		    " xsi:type='MultipleInstanceExternalTaskFactsType'",
		.instances =
		    "<minimum>3</minimum><maximum>3</maximum>"
		    "<threshold>3</threshold><creationMode code='static'/>"
		    "<miDataInput><expression query='&lt;all/&gt;'/>"
		    "<splittingExpression query='for $i in 1 to 3 return "
		    "&lt;n&gt;{$i}&lt;/n&gt;'/>"
		    "<formalInputParam>n</formalInputParam></miDataInput>",
		.input = "<inputParam><index>0</index><name>n</name>"
			 "<type>string</type><namespace>"
			 "http://www.w3.org/2001/XMLSchema</namespace>"
			 "</inputParam>",
		.next = "o",
		.more = ""
	};

	office_load_net(office, name, rule, "", &net);
}

void office_load_sequence(
    struct office *office, const char *name, const char *rule)
{
	const struct office_net net = { .attributes = "",
		.instances = "",
		.input = "",
		.next = "B",
		.more = wf_arena_printf(office->f.arena,
		    "<task id='B'><flowsInto><nextElementRef id='o'/>"
		    "</flowsInto><join code='xor'/><split code='and'/>"
		    "<resourcing><offer initiator='system'><distributionSet>"
		    "<initialSet>" EVERYBODY
		    "</initialSet></distributionSet></offer>%s</resourcing>"
		    "<decomposesTo id='W'/></task>",
		    rule) };

	office_load_net(office, name, rule, "", &net);
}

uint64_t office_launch(struct office *office, struct office_node *node)
{
	uint64_t number;

	office->f.engine = node->engine;
	number = wf_fixture_launch(&office->f);
	CU_ASSERT_NOT_EQUAL_FATAL(number, 0);
	return number;
}

enum wf_rc office_act(struct office_node *node, uint64_t number,
    enum wf_command_kind kind, const char *instance, const char *participant,
    const char *targets, struct wf_error *err)
{
	char item[64];
	struct wf_request request = { .number = number,
		.command = { .kind = kind,
		    .item = item,
		    .participant = participant,
		    .targets = targets,
		    .is_forced = participant == ADMINISTRATOR &&
				 kind != WF_COMMAND_SET_NEEDS,
		    .is_administrator = participant == ADMINISTRATOR } };
	struct wf_answer answer;

	snprintf(item, sizeof(item), "%llu%s:A", (unsigned long long)number,
	    instance);
	return wf_engine_call(node->engine, &request, &answer, err);
}

/* The item of a case; its texts live in the arena. */
struct wf_item_row office_item(struct office *office, uint64_t number)
{
	struct wf_item_filter filter = { .number = number, .limit = 2 };
	struct wf_item_list list;

	CU_ASSERT_EQUAL_FATAL(wf_store_items(office->f.store, &filter,
				  office->f.arena, &list, &office->f.err),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	return list.rows[0];
}
