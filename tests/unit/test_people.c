/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Organisations: snapshots against a model that searches all records, circles,
 * import, backup files; the expressions of filters; mistakes in rules.
 */
#include <CUnit/CUnit.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "people/filter.h"
#include "people/organisation/import.h"
#include "people/needs.h"
#include "people/organisation/org_file.h"
#include "people/resourcing_check.h"
#include "tests/unit/seed.h"

#define MOST 12U /* records of a kind */
#define ROUNDS 300U

/* --- a model: the records, and nothing else ------------------------------- */

struct model {
	const struct wf_org_record *records[WF_ORG_KINDS][MOST];
};

static const struct wf_org_record *model_find(
    const struct model *model, enum wf_org_kind kind, const char *id)
{
	for (unsigned i = 0; i < MOST; i++)
		if (model->records[kind][i] != NULL &&
		    strcmp(model->records[kind][i]->id, id) == 0)
			return model->records[kind][i];
	return NULL;
}

/* Whether the way up from the role reaches the other one. */
static bool is_below(
    const struct model *model, const char *role, const char *other)
{
	const struct wf_org_role *at =
	    (const struct wf_org_role *)model_find(model, WF_ORG_ROLE, role);

	for (unsigned i = 0; at != NULL && i <= MOST; i++) {
		if (strcmp(at->record.id, other) == 0)
			return true;
		at = (const struct wf_org_role *)model_find(
		    model, WF_ORG_ROLE, at->belongs_to);
	}
	return false;
}

static bool model_has_role(const struct model *model,
    const struct wf_participant *participant, const char *role)
{
	for (size_t i = 0; i < participant->roles.count; i++)
		if (is_below(model, participant->roles.rows[i], role))
			return true;
	return false;
}

/* --- random changes ------------------------------------------------------- */

static const char *random_id(
    struct wf_random *random, struct wf_arena *arena, enum wf_org_kind kind)
{
	return wf_arena_printf(arena, "%s-%u", wf_org_layouts[kind].prefix,
	    wf_random_below(random, MOST));
}

static struct wf_org_record *random_record(
    struct wf_random *random, struct wf_arena *arena, enum wf_org_kind kind)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];
	struct wf_org_record *record =
	    wf_org_record_new(arena, kind, random_id(random, arena, kind));

	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];
		uint64_t count = wf_random_below(random, 4);

		switch (field->type) {
		case WF_ORG_TEXT:
			*wf_org_text(record, field) = wf_arena_printf(arena,
			    "%c <&> %u", i == 0 ? 'N' : 't',
			    wf_random_below(random, 3 * MOST));
			break;
		case WF_ORG_OBJECT:
			break;
		case WF_ORG_FLAG:
			*wf_org_flag(record, field) = count < 2;
			break;
		case WF_ORG_LINK:
			if (count < 3)
				*wf_org_text(record, field) =
				    random_id(random, arena, field->target);
			break;
		case WF_ORG_LINKS:
			while (count-- > 0) {
				const char *id =
				    random_id(random, arena, field->target);

				if (!wf_org_texts_have(
					wf_org_texts(record, field), id))
					wf_org_texts_add(arena,
					    wf_org_texts(record, field), id);
			}
			break;
		case WF_ORG_TEXTS:
			while (count-- > 0)
				wf_org_texts_add(arena,
				    wf_org_texts(record, field),
				    wf_arena_printf(
					arena, "part %u", (unsigned)count));
			break;
		case WF_ORG_BITS:
			*wf_org_bits(record, field) = (uint32_t)count;
			break;
		case WF_ORG_AMOUNT:
			*wf_org_amount(record, field) = (int64_t)count;
			break;
		}
	}
	return record;
}

static unsigned number_of(const char *id)
{
	unsigned number = 0;

	sscanf(id, "%*2c-%u", &number);
	return number;
}

static void compare(
    const struct wf_organisation *organisation, const struct model *model)
{
	struct wf_arena *arena = wf_arena_new();

	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++) {
		size_t count = 0;

		for (unsigned i = 0; i < MOST; i++) {
			const struct wf_org_record *record =
			    model->records[kind][i];
			uint32_t number;

			if (record == NULL)
				continue;
			count++;
			number = wf_org_find(organisation, kind, record->id);
			CU_ASSERT_FATAL(number != WF_ORG_NOBODY);
			CU_ASSERT_TRUE(wf_org_record_equal(
			    wf_org_at(organisation, kind, number), record));
			CU_ASSERT_EQUAL(wf_org_find_name(organisation, kind,
					    wf_org_name(record)),
			    number);
		}
		CU_ASSERT_EQUAL(wf_org_count(organisation, kind), count);
	}
	for (uint32_t role = 0; role < wf_org_count(organisation, WF_ORG_ROLE);
	     role++) {
		uint64_t *set = wf_people_new(organisation, arena);

		wf_people_add_role(organisation, set, role);
		for (uint32_t i = 0;
		     i < wf_org_count(organisation, WF_ORG_PARTICIPANT); i++)
			CU_ASSERT_EQUAL(wf_bitset_has(set, i),
			    model_has_role(model,
				wf_participant_at(organisation, i),
				wf_org_at(organisation, WF_ORG_ROLE, role)
				    ->id));
	}
	wf_arena_free(&arena);
}

/* Changes that the check accepts are made; the others are not. */
static void test_random_changes(void)
{
	struct wf_random random = { test_seed("people", 7) };
	struct wf_arena *arena = wf_arena_new();
	struct wf_organisation *organisation =
	    wf_organisation_new(NULL, NULL, 0, 0);
	struct model model = { { { NULL } } };
	unsigned made = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		enum wf_org_kind kind =
		    (enum wf_org_kind)wf_random_below(&random, WF_ORG_KINDS);
		struct wf_org_record *record =
		    random_record(&random, arena, kind);
		struct wf_org_change change = { kind, record->id,
			wf_random_below(&random, 5) == 0 ? NULL : record };
		struct wf_organisation *after;

		if (wf_organisation_check(organisation, &change, NULL) != WF_OK)
			continue;
		made++;
		after =
		    wf_organisation_new(organisation, &change, 1, round + 1);
		wf_organisation_unref(&organisation);
		organisation = after;
		model.records[kind][number_of(record->id)] = change.record;
		CU_ASSERT_EQUAL(
		    wf_organisation_version(organisation), round + 1);
		compare(organisation, &model);
	}
	CU_ASSERT_TRUE(made > ROUNDS / 10);
	wf_organisation_unref(&organisation);
	wf_arena_free(&arena);
}

/* --- circles -------------------------------------------------------------- */

static struct wf_org_record *role(
    struct wf_arena *arena, const char *id, const char *above)
{
	struct wf_org_record *record =
	    wf_org_record_new(arena, WF_ORG_ROLE, id);

	((struct wf_org_role *)record)->name = id;
	((struct wf_org_role *)record)->belongs_to = above;
	return record;
}

static void test_circles(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_change changes[] = { { WF_ORG_ROLE, "d",
					       role(arena, "d", "b") },
		{ WF_ORG_ROLE, "a", role(arena, "a", "b") },
		{ WF_ORG_ROLE, "b", role(arena, "b", "c") },
		{ WF_ORG_ROLE, "c", role(arena, "c", "") } };
	struct wf_org_change closing = { WF_ORG_ROLE, "c",
		role(arena, "c", "a") };
	struct wf_org_change self = { WF_ORG_ROLE, "c", role(arena, "c", "c") };
	struct wf_error err = { .rc = WF_OK };
	struct wf_organisation *before =
	    wf_organisation_new(NULL, changes, 4, 1);
	struct wf_organisation *after;
	size_t links = 0;

	CU_ASSERT_EQUAL(
	    wf_organisation_check(before, &closing, &err), WF_INVALID);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "circle"));
	CU_ASSERT_EQUAL(wf_organisation_check(before, &self, NULL), WF_INVALID);
	/* Two nodes may each have made a part of it. */
	after = wf_organisation_new(before, &closing, 1, 2);
	for (uint32_t i = 0; i < 4; i++)
		links += wf_org_targets(after, WF_ROLE_belongs_to, i).count;
	CU_ASSERT_EQUAL(links, 3);
	wf_organisation_unref(&before);
	wf_organisation_unref(&after);
	wf_arena_free(&arena);
}

/* --- backup files --------------------------------------------------------- */

#define BACKUP                                                                 \
	"<orgdata><participants>"                                              \
	"<participant id='PA-1'><userid>anna b</userid><firstname>R&amp;amp;D" \
	"</firstname><isAdministrator>true</isAdministrator><roles>"           \
	"<role>RO-1</role><role>RO-9</role></roles>"                           \
	"<privileges>101</privileges></participant>"                           \
	"<participant id='PA-2'><userid>anna_b</userid></participant>"         \
	"</participants><roles><role id='RO-1'><name>Clerk</name>"             \
	"<belongsToID>RO-2</belongsToID></role><role id='RO-2'>"               \
	"<name>CLERK</name></role><role id='RO-3'><name>Up</name>"             \
	"<belongsToID>RO-4</belongsToID></role><role id='RO-4'>"               \
	"<name>Down</name><belongsToID>RO-3</belongsToID></role></roles>"      \
	"</orgdata>"

static void test_import(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_organisation *nothing = wf_organisation_new(NULL, NULL, 0, 0);
	struct wf_org_import import;
	struct wf_org_list list;
	const struct wf_participant *anna;

	CU_ASSERT_EQUAL_FATAL(
	    wf_backup_read(arena, BACKUP, strlen(BACKUP), &list, NULL), WF_OK);
	CU_ASSERT_EQUAL(list.count, 6);
	CU_ASSERT_FALSE(list.has[WF_ORG_POSITION]);
	wf_org_import(nothing, &list, false, arena, &import);
	CU_ASSERT_EQUAL(import.counts[WF_ORG_ROLE][WF_ORG_ADDED], 3);
	CU_ASSERT_EQUAL(import.counts[WF_ORG_ROLE][WF_ORG_SKIPPED], 1);
	CU_ASSERT_EQUAL(import.counts[WF_ORG_PARTICIPANT][WF_ORG_ADDED], 1);
	CU_ASSERT_EQUAL_FATAL(
	    wf_org_count(import.after, WF_ORG_PARTICIPANT), 1);
	anna = wf_participant_at(import.after, 0);
	CU_ASSERT_STRING_EQUAL(anna->user, "anna_b");
	CU_ASSERT_STRING_EQUAL(anna->first_name, "R&D");
	CU_ASSERT_TRUE(anna->is_administrator);
	CU_ASSERT_EQUAL(anna->roles.count, 1);
	CU_ASSERT_EQUAL(
	    anna->privileges, 1U << WF_USER_CHOOSE | 1U << WF_USER_REORDER);
	for (size_t i = 0; i < import.note_count; i++)
		if (strcmp(import.notes[i].record->id, "RO-4") == 0 ||
		    strcmp(import.notes[i].record->id, "RO-3") == 0)
			CU_ASSERT_TRUE(import.notes[i].text[0] == '\0' ||
				       strstr(import.notes[i].text, "circle"));
	wf_organisation_unref(&import.after);
	wf_organisation_unref(&nothing);
	wf_arena_free(&arena);
}

/* What is written is read as it was, and writing it again gives the same. */
static void test_round_trip(void)
{
	struct wf_random random = { test_seed("backup", 8) };
	struct wf_arena *arena = wf_arena_new();
	struct wf_organisation *organisation =
	    wf_organisation_new(NULL, NULL, 0, 0);
	struct wf_buffer first;
	struct wf_buffer second;
	struct wf_org_import import;
	struct wf_org_list list = { .count = 0 };

	for (unsigned i = 0; i < 60; i++)
		wf_org_list_add(arena, &list,
		    random_record(
			&random, arena, (enum wf_org_kind)(i % WF_ORG_KINDS)));
	wf_org_import(organisation, &list, false, arena, &import);
	wf_buffer_init(&first, SIZE_MAX / 2);
	wf_buffer_init(&second, SIZE_MAX / 2);
	wf_backup_write(import.after, &first);
	wf_organisation_unref(&import.after);
	CU_ASSERT_EQUAL_FATAL(wf_backup_read(arena, wf_buffer_text(&first),
				  first.length, &list, NULL),
	    WF_OK);
	wf_org_import(organisation, &list, true, arena, &import);
	wf_backup_write(import.after, &second);
	CU_ASSERT_TRUE(list.count > 20);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&first), wf_buffer_text(&second));
	wf_organisation_unref(&import.after);
	wf_organisation_unref(&organisation);
	wf_buffer_free(&first);
	wf_buffer_free(&second);
	wf_arena_free(&arena);
}

static void test_broken_backups(void)
{
	static const struct {
		const char *text;
		const char *part;
	} rows[] = {
		{ "", "no XML" },
		{ "<orgdata>", "no XML" },
		{ "<orgdata><roles><role><name>a</name></role></roles>"
		  "</orgdata>",
		    "has no attribute \"id\"" },
		{ "<others/>", "found <others>" },
	};
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_org_list list;

		CU_ASSERT_EQUAL(wf_backup_read(arena, rows[i].text,
				    strlen(rows[i].text), &list, &err),
		    WF_INVALID);
		if (strstr(err.message, rows[i].part) == NULL)
			printf("\n%s\n", err.message);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, rows[i].part));
	}
	wf_arena_free(&arena);
}

/* --- filters -------------------------------------------------------------- */

static const char *no_variable(
    void *context, const char *name, struct wf_arena *arena)
{
	(void)arena;
	return strcmp(name, "v") == 0 ? context : NULL;
}

/* Time and memory grow with its length, not with a power of it. */
static void check_long_filter(
    const struct wf_organisation *organisation, struct wf_arena *arena)
{
	const size_t size = 100001; /* "A|A|..|A" */
	char *expression = wf_arena_alloc(arena, size + 1);
	struct wf_resource_filter filter = { .capability = expression };
	struct wf_resource_case about = { "", no_variable, NULL };
	uint64_t *set = wf_people_new(organisation, arena);

	for (size_t i = 0; i < size; i++)
		expression[i] = i % 2 == 0 ? 'A' : '|';
	wf_people_add_all(organisation, set);
	wf_filter_apply(organisation, &filter, &about, set, arena);
	CU_ASSERT_EQUAL(__builtin_popcountll(set[0]), 1);
}

/* Anna can A, B; Ben can B, $Ben; Cy can C, R & D. */
static void test_filters(void)
{
	static const struct {
		const char *expression;
		const char *who;
	} rows[] = {
		{ "A", "a" },
		{ "B", "ab" },
		{ " A & B ", "a" },
		{ "A | C", "ac" },
		{ "A | C & B", "a" },
		{ "C & B | A", "a" },
		{ "none", "" },
		{ "none | C", "c" },
		{ "A &", "a" },
		{ "& A", "" },
		{ "| A", "a" },
		{ "A && B", "" },
		{ "", "" },
		{ "${v}", "b" },
		{ "${v} & A", "" },
		{ "${w} | A", "a" },
		{ "${v", "" },
		{ "$v}", "" },
		{ "${", "" },
		{ "R & D", "c" },
		{ "A | R & D & C", "c" },
		{ "R & D2", "" },
		{ "$Ben", "b" },
		{ "A | $Ben", "ab" },
	};
	struct wf_arena *arena = wf_arena_new();
	struct wf_resource_case about = { "$Ben", no_variable, NULL };
	struct wf_org_change changes[8];
	static const char *const capabilities[] = { "A", "B", "C", "$Ben",
		"R & D" };
	static const char *const people[] = { "a", "b", "c" };
	static const char *const can[][2] = { { "A", "B" }, { "B", "$Ben" },
		{ "C", "R & D" } };
	struct wf_organisation *organisation;

	for (size_t i = 0; i < 8; i++) {
		enum wf_org_kind kind =
		    i < 5 ? WF_ORG_CAPABILITY : WF_ORG_PARTICIPANT;
		const char *id = i < 5 ? capabilities[i] : people[i - 5];
		struct wf_org_record *record =
		    wf_org_record_new(arena, kind, id);

		*wf_org_text(record, wf_org_layouts[kind].fields) = id;
		for (size_t k = 0; i >= 5 && k < 2; k++)
			wf_org_texts_add(arena,
			    &((struct wf_participant *)record)->capabilities,
			    can[i - 5][k]);
		changes[i] = (struct wf_org_change){ kind, id, record };
	}
	organisation = wf_organisation_new(NULL, changes, 8, 1);
	check_long_filter(organisation, arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wf_resource_filter filter = { .capability =
							 rows[i].expression };
		uint64_t *set = wf_people_new(organisation, arena);
		char who[4] = "";

		wf_people_add_all(organisation, set);
		wf_filter_apply(organisation, &filter, &about, set, arena);
		WF_BITSET_EACH (k, set, wf_people_words(organisation))
			strcat(who, wf_org_at(organisation, WF_ORG_PARTICIPANT,
					(uint32_t)k)
					->id);
		if (strcmp(who, rows[i].who) != 0)
			printf("\n%s: %s\n", rows[i].expression, who);
		CU_ASSERT_STRING_EQUAL(who, rows[i].who);
	}
	wf_organisation_unref(&organisation);
	wf_arena_free(&arena);
}

/* --- many people ---------------------------------------------------------- */

#define MANY 10000U
#define BYTES_FOR_ONE 4096U

static void put_many(struct wf_buffer *text, unsigned count)
{
	wf_buffer_reset(text);
	wf_buffer_puts(text, "user,lastName,email,roles\n");
	for (unsigned i = 0; i < count; i++)
		wf_buffer_printf(text,
		    "user%u,Name %u,user%u@example.org,R%u;R%u\n", i, i, i,
		    i % 7, i % 5);
}

/* In use, of the heap; without meaning with sanitizers. */
static size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static struct wf_organisation *import_text(const struct wf_organisation *into,
    const struct wf_buffer *text, size_t counts[WF_ORG_FATES])
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_import import;
	struct wf_org_list list;

	CU_ASSERT_EQUAL_FATAL(
	    wf_org_file_read(arena, into, WF_ORG_CSV, WF_ORG_PARTICIPANT,
		wf_buffer_text(text), text->length, &list, NULL),
	    WF_OK);
	wf_org_import(into, &list, true, arena, &import);
	memcpy(counts, import.counts[WF_ORG_PARTICIPANT],
	    sizeof(import.counts[WF_ORG_PARTICIPANT]));
	CU_ASSERT_EQUAL(
	    import.change_count, counts[WF_ORG_ADDED] + counts[WF_ORG_CHANGED]);
	wf_arena_free(&arena);
	return import.after;
}

/* The memory of a participant is bounded, and nothing is left behind. */
static void test_many(void)
{
	struct wf_organisation *nothing = wf_organisation_new(NULL, NULL, 0, 0);
	struct wf_organisation *organisation;
	struct wf_organisation *again;
	size_t counts[WF_ORG_FATES];
	struct wf_buffer text;
	size_t before;

	wf_buffer_init(&text, SIZE_MAX / 2);
	put_many(&text, MANY);
	before = heap_bytes();
	organisation = import_text(nothing, &text, counts);
	CU_ASSERT_EQUAL(counts[WF_ORG_ADDED], MANY);
	CU_ASSERT_TRUE(heap_bytes() - before < MANY * BYTES_FOR_ONE);
	again = import_text(organisation, &text, counts);
	CU_ASSERT_EQUAL(counts[WF_ORG_UNCHANGED], MANY);
	wf_organisation_unref(&again);
	wf_organisation_unref(&organisation);
	CU_ASSERT_TRUE(heap_bytes() - before < MANY * BYTES_FOR_ONE / 10);
	wf_organisation_unref(&nothing);
	wf_buffer_free(&text);
}

/* --- mistakes in rules ---------------------------------------------------- */

static const char before_rule[] =
    "<specificationSet xmlns='http://www.yawlfoundation.org/yawlschema'"
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' version='4.0'>"
    "<specification uri='S'><metaData><version>0.1</version>"
    "<identifier>UID_1</identifier></metaData>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<localVariable><index>0</index><name>who</name><type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
    "</localVariable><processControlElements><inputCondition id='i'>"
    "<flowsInto><nextElementRef id='T'/></flowsInto></inputCondition>"
    "<task id='T'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/>";
static const char after_rule[] =
    "<decomposesTo id='D'/></task><outputCondition id='o'/>"
    "</processControlElements></decomposition><decomposition id='D'"
    " xsi:type='WebServiceGatewayFactsType'/></specification>"
    "</specificationSet>";

#define SET(set)                                                               \
	"<resourcing>\n<offer initiator='system'><distributionSet>\n"          \
	"<initialSet><role>R1</role></initialSet>" set                         \
	"</distributionSet></offer><allocate initiator='user'/>"               \
	"<start initiator='user'/></resourcing>"
#define FILTER(name, key, value)                                               \
	SET("<filters>\n<filter><name>" name "</name><params>\n"               \
	    "<param><key>" key "</key><value>" value                           \
	    "</value></param></params></filter></filters>")
#define CONSTRAINT(name, params)                                               \
	SET("<constraints>\n<constraint><name>" name "</name>" params          \
	    "</constraint></constraints>")
#define TASK_PARAM(task)                                                       \
	"<params>\n<param><key>familiarTask</key><value>" task                 \
	"</value></param></params>"
#define OFFER(offer)                                                           \
	"<resourcing>\n<offer initiator='system'>" offer "</offer>"            \
	"<allocate initiator='user'/><start initiator='user'/></resourcing>"
#define ALLOCATE(who, name)                                                    \
	"<resourcing><offer initiator='user'/>\n<allocate initiator='" who     \
	"'><allocator><name>" name "</name></allocator></allocate>"            \
	"<start initiator='user'/></resourcing>"
#define MORE(more)                                                             \
	"<resourcing><offer initiator='user'/><allocate initiator='user'/>"    \
	"<start initiator='user'/>\n" more "</resourcing>"

/*
 * Of one rule, which the schema allows: "LINE: what" of each warning; a line is
 * counted from 1.
 */
static const struct {
	const char *rule;
	const char *warnings[3]; /* parts of them */
} mistakes[] = {
	{ SET(""), { NULL } },
	{ OFFER(""), { "2: task T, <offer>: the element <distributionSet> is "
		       "missing" } },
	{ OFFER("<distributionSet>\n<initialSet/></distributionSet>"),
	    { "3: task T, <initialSet>: it is empty, so the item is" } },
	{ OFFER("<distributionSet><initialSet>\n<participant>P1,,P2"
		"</participant>\n<param><name>x</name><refers>role</refers>"
		"</param></initialSet></distributionSet>"),
	    { "3: task T, <participant>: it is empty",
		"4: task T, <param>: <name>: the net N has no variable "
		"\"x\"" } },
	{ FILTER("org.x.OrgFilter", "Position", "A | ${who} &amp; B"),
	    { NULL } },
	{ FILTER("OrgFilter", "Position", "${who"),
	    { "5: task T, <param>: Position: \"${who\": expected } at its" } },
	{ FILTER("OrgFilter", "OrgGroup", "A &amp; | B"),
	    { "OrgGroup: an operand of & or | is missing" } },
	{ FILTER("OrgFilter", "Position", "${x} | ${who}"),
	    { "Position: the net N has no variable \"x\"" } },
	{ FILTER("OrgFilter", "position", "A"),
	    { "OrgFilter has no parameter \"position\"; expected: Position "
	      "OrgGroup",
		"<filter>: OrgFilter has no parameter; expected" } },
	{ FILTER("GroupFilter", "Position", "A"),
	    { "4: task T, <filter>: there is no filter \"GroupFilter\": "
	      "expected CapabilityFilter or OrgFilter" } },
	{ CONSTRAINT("SeparationOfDuties", TASK_PARAM("T")), { NULL } },
	{ CONSTRAINT("PiledExecution", ""), { NULL } },
	{ CONSTRAINT("SeparationOfDuties", TASK_PARAM("U")),
	    { "5: task T, <param>: familiarTask: no net has a task with the id "
	      "\"U\"" } },
	{ CONSTRAINT("SeparationOfDuties", ""),
	    { "SeparationOfDuties has no parameter; expected: familiarTask" } },
	{ CONSTRAINT("FourEyes", ""),
	    { "there is no constraint \"FourEyes\": expected "
	      "SeparationOfDuties or PiledExecution" } },
	{ OFFER("<distributionSet><initialSet/></distributionSet>"
		"<familiarParticipant taskID='U'/>"),
	    { "taskID: no net has a task with the id \"U\"" } },
	{ ALLOCATE("system", "Fair"),
	    { "2: task T, <allocator>: there is no allocator \"Fair\"" } },
	{ ALLOCATE("user", "Fair"), { NULL } },
	{ MORE("<privileges><privilege><name>canPile</name><allowall>1"
	       "</allowall></privilege></privileges>"),
	    { "<allowall>: \"1\" counts as false: expected true or" } },
};

static void compare_warnings(const struct wf_diagnostics *found,
    const char *const *warnings, size_t most)
{
	size_t count = wf_diagnostics_count(found);
	size_t i = 0;

	for (; i < count && i < most && warnings[i] != NULL; i++) {
		const struct wf_diagnostic *one = wf_diagnostics_at(found, i);
		char text[800];

		snprintf(text, sizeof(text), "%d: %s: %s", one->line,
		    one->element, one->message);
		CU_ASSERT_EQUAL(one->severity, WF_WARNING);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, warnings[i]));
		if (strstr(text, warnings[i]) == NULL)
			printf("\n%s\nis not: %s\n", text, warnings[i]);
	}
	CU_ASSERT_EQUAL(i, count);
	CU_ASSERT_TRUE(i == most || warnings[i] == NULL);
}

/* The specification with the rule; freed by the caller. */
static struct wf_spec_file *read_with(const char *rule)
{
	struct wf_diagnostics *found = wf_diagnostics_new("S");
	struct wf_spec_file *file = NULL;
	struct wf_buffer text;

	wf_buffer_init(&text, SIZE_MAX / 2);
	wf_buffer_printf(&text, "%s%s%s", before_rule, rule, after_rule);
	if (wf_spec_read(&file, wf_buffer_text(&text), text.length, found) !=
	    WF_OK)
		wf_diagnostics_print(found, stdout);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	wf_buffer_free(&text);
	wf_diagnostics_free(&found);
	return file;
}

static void test_mistakes(void)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct wf_diagnostics *found = wf_diagnostics_new("S");
		struct wf_spec_file *file = read_with(mistakes[i].rule);

		wf_resourcing_check(file->specs[0], found);
		compare_warnings(found, mistakes[i].warnings, 3);
		wf_spec_file_free(&file);
		wf_diagnostics_free(&found);
	}
}

/* Ids that the organisation does not have. */
static void test_unknown_names(void)
{
	static const char rule[] =
	    "<resourcing><offer initiator='system'><distributionSet>"
	    "<initialSet><participant>P1</participant><role>R1, R2</role>"
	    "</initialSet></distributionSet></offer>"
	    "<allocate initiator='user'/><start initiator='user'/>"
	    "<secondary><nonHumanCategory>C1</nonHumanCategory></secondary>"
	    "<privileges><privilege><name>canPile</name><set><role>R3</role>"
	    "</set></privilege></privileges></resourcing>";
	static const char *const warnings[] = {
		"<role>: the organisation has no role with the id \"R2\"",
		"has no role with the id \"R3\"",
		"has no category with the id \"C1\"",
	};
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_record *role =
	    wf_org_record_new(arena, WF_ORG_ROLE, "R1");
	struct wf_org_record *person =
	    wf_org_record_new(arena, WF_ORG_PARTICIPANT, "P1");
	const struct wf_org_change changes[] = {
		{ WF_ORG_ROLE, "R1", role },
		{ WF_ORG_PARTICIPANT, "P1", person },
	};
	struct wf_diagnostics *found = wf_diagnostics_new("S");
	struct wf_spec_file *file = read_with(rule);
	struct wf_organisation *organisation;

	((struct wf_org_role *)role)->name = "Clerk";
	((struct wf_participant *)person)->user = "ann";
	organisation = wf_organisation_new(NULL, changes, 2, 1);
	wf_resourcing_check(file->specs[0], found);
	CU_ASSERT_EQUAL(wf_diagnostics_count(found), 0);
	wf_resourcing_check_names(file->specs[0], organisation, found);
	compare_warnings(found, warnings, 3);
	wf_organisation_unref(&organisation);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&found);
	wf_arena_free(&arena);
}

/* --- what items need ------------------------------------------------------ */

struct asking {
	unsigned count; /* of those who were asked */
	uint64_t asked[4];
};

/* Nobody is free. */
static bool ask(void *context, enum wf_org_kind kind, const char *id)
{
	struct asking *asking = context;
	unsigned number = 0;

	(void)kind;
	CU_ASSERT_EQUAL(sscanf(id, "PA-%u", &number), 1);
	wf_bitset_add(asking->asked, number);
	asking->count++;
	return false;
}

/* Of a large role some are asked, in the course of time all. */
static void test_many_members(void)
{
	const size_t members = 4 * WF_NEED_TRIES;
	struct wf_secondary need = { WF_ORG_ROLE, "RO-all", "" };
	const struct wf_needs needs = { &need, 1 };
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_change *changes =
	    wf_arena_array(arena, members + 1, sizeof(*changes));
	struct wf_org_record *role =
	    wf_org_record_new(arena, WF_ORG_ROLE, "RO-all");
	struct asking asking = { .count = 0 };
	struct wf_organisation *organisation;

	((struct wf_org_role *)role)->name = "All";
	changes[0] = (struct wf_org_change){ WF_ORG_ROLE, role->id, role };
	for (unsigned i = 0; i < members; i++) {
		const char *id = wf_arena_printf(arena, "PA-%u", i);
		struct wf_org_record *person =
		    wf_org_record_new(arena, WF_ORG_PARTICIPANT, id);

		((struct wf_participant *)person)->user = id;
		wf_org_texts_add(
		    arena, &((struct wf_participant *)person)->roles, role->id);
		changes[1 + i] =
		    (struct wf_org_change){ WF_ORG_PARTICIPANT, id, person };
	}
	organisation = wf_organisation_new(NULL, changes, members + 1, 1);
	for (unsigned seed = 0; seed < members; seed += WF_NEED_TRIES) {
		struct wf_needs_found found;

		wf_needs_find(organisation, &needs, "", seed, ask, &asking,
		    arena, &found);
		CU_ASSERT_EQUAL(asking.count, seed + WF_NEED_TRIES);
		CU_ASSERT_EQUAL(found.missing.count, 1);
	}
	CU_ASSERT_EQUAL(wf_bitset_count(asking.asked, 4), members);
	wf_organisation_unref(&organisation);
	wf_arena_free(&arena);
}

CU_TestInfo wf_tests_people[] = {
	{ "random changes", test_random_changes },
	{ "circles", test_circles },
	{ "import", test_import },
	{ "backup files, written and read", test_round_trip },
	{ "backup files that are broken", test_broken_backups },
	{ "expressions of filters", test_filters },
	{ "many people", test_many },
	{ "mistakes in rules", test_mistakes },
	{ "unknown names in rules", test_unknown_names },
	{ "members of a large role", test_many_members },
	CU_TEST_INFO_NULL,
};
