/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pages of incidents with what is known of their cases. */
#include "operation/incidents_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/codec.h"

/* Rows of one statement. */
#define PAGE 1000U
/* Of a text, what a group is made of. */
#define REASON_BYTES 300U

struct choosing {
	struct wf_store *store;
	const struct wf_incident_choice *choice;
	struct wf_arena *arena; /* of what is chosen */
	const struct wf_specification_list *processes;
	struct wf_chosen_incidents *out;
	size_t capacity;
	struct wf_error *err;
};

/* Whether it chooses by more than id, case and code. */
static bool compares(const struct wf_incident_choice *choice)
{
	return choice->specifications.count > 0 || choice->task != NULL ||
	       choice->service != NULL || choice->text != NULL ||
	       choice->group != 0 || choice->failed_before != 0;
}

/* --- what a text says, whichever case it is about ------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80) != 0;
}

/* The length of the item, or of the id of the case, that the text begins with.
 */
static size_t id_at(const char *text, const char *item, const char *name)
{
	const char *ids[] = { item, name };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		size_t length = strlen(ids[i]);

		if (length > 0 && strncmp(text, ids[i], length) == 0 &&
		    !is_word(text[length]))
			return length;
	}
	return 0;
}

/* The length of a number, or of a long hexadecimal one. */
static size_t number_at(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	size_t hexadecimal = strspn(text, "0123456789abcdefABCDEF-");

	if (hexadecimal >= 12 && digits < hexadecimal &&
	    strcspn(text, "0123456789") < hexadecimal &&
	    !is_word(text[hexadecimal]))
		return hexadecimal;
	return digits;
}

static const char *reason_of(
    struct wf_arena *arena, const struct wf_incident_row *row, const char *name)
{
	struct wf_buffer out;
	const char *reason;
	bool begins = true; /* a word */

	wf_buffer_init(&out, REASON_BYTES + 8);
	for (const char *at = row->text;
	     *at != '\0' && !out.full && out.length < REASON_BYTES;) {
		size_t id = begins ? id_at(at, row->item, name) : 0;
		size_t number = begins && id == 0 ? number_at(at) : 0;

		begins = !is_word(*at);
		wf_buffer_putc(&out, id > 0 || number > 0 ? '#' : *at);
		at += id > 0 ? id : number > 0 ? number : 1;
	}
	/* A character that was cut. */
	while (out.length >= REASON_BYTES && out.length > 0 &&
	       (out.data[out.length - 1] & 0x80) != 0)
		out.length--;
	reason = wf_arena_strndup(arena, wf_buffer_text(&out), out.length);
	wf_buffer_free(&out);
	return reason;
}

/* "Pack" of "7.2:Pack" and of "7.2:Pack/3". */
static const char *task_of(struct wf_arena *arena, const char *item)
{
	const char *colon = strchr(item, ':');

	if (colon == NULL)
		return "";
	return wf_arena_strndup(arena, colon + 1, strcspn(colon + 1, "/"));
}

/* A failed delivery begins with where it went. */
static const char *service_of(
    struct wf_arena *arena, const struct wf_incident_row *row)
{
	const size_t unserved = sizeof(WF_UNSERVED_TEXT) - 1;
	const char *end = strstr(row->text, ": ");

	if (strncmp(row->text, WF_UNSERVED_TEXT, unserved) == 0)
		return wf_arena_strdup(arena, row->text + unserved);

	if (end == NULL || (strcmp(row->code, "delivery") != 0 &&
			       strcmp(row->code, "refused") != 0))
		return "";
	return wf_arena_strndup(arena, row->text, (size_t)(end - row->text));
}

static uint64_t group_of(const struct wf_chosen_incident *chosen)
{
	const char *parts[] = { chosen->process, chosen->task, chosen->row.code,
		chosen->reason };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		hash = wf_hash(hash, parts[i], strlen(parts[i]) + 1);
	return hash == 0 ? 1 : hash;
}

/* --- what is known of their cases ----------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* Each of them once. */
static size_t numbers_of(
    const struct wf_incident_list *list, uint64_t *numbers_out)
{
	size_t count = 0;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].number != 0)
			numbers_out[count++] = list->rows[i].number;
	if (count > 1)
		qsort(
		    numbers_out, count, sizeof(*numbers_out), compare_numbers);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || numbers_out[kept - 1] != numbers_out[i])
			numbers_out[kept++] = numbers_out[i];
	return kept;
}

static int compare_case(const void *key, const void *row)
{
	const struct wf_stored_case *stored = row;

	return compare_numbers(key, &stored->row.number);
}

static const struct wf_case_row *case_of(
    const struct wf_case_list *cases, uint64_t number)
{
	const struct wf_stored_case *found =
	    cases->count == 0 ? NULL
			      : bsearch(&number, cases->rows, cases->count,
				    sizeof(*cases->rows), compare_case);

	return found == NULL ? NULL : &found->row;
}

static int compare_specifications(const void *a, const void *b)
{
	const struct wf_specification_row *x = a;
	const struct wf_specification_row *y = b;

	return compare_numbers(&x->key, &y->key);
}

enum wf_rc wf_incident_processes(struct wf_store *store, uint32_t namespace_id,
    struct wf_arena *arena, struct wf_specification_list *processes_out,
    struct wf_error *err)
{
	const struct wf_specification_filter all = {
		.namespace_id = namespace_id, .removed = true
	};
	enum wf_rc rc =
	    wf_store_specifications(store, &all, arena, processes_out, err);

	if (rc == WF_OK && processes_out->count > 1)
		qsort(processes_out->rows, processes_out->count,
		    sizeof(*processes_out->rows), compare_specifications);
	return rc;
}

static const char *process_of(const struct choosing *c, uint64_t key)
{
	const struct wf_specification_row wanted = { .key = key };
	const struct wf_specification_row *found =
	    c->processes->count == 0
		? NULL
		: bsearch(&wanted, c->processes->rows, c->processes->count,
		      sizeof(wanted), compare_specifications);

	return found == NULL ? "" : found->uri;
}

/* --- choosing ------------------------------------------------------------- */

/* Of letters of ASCII, upper and lower case are one. */
static bool contains(const char *text, const char *part)
{
	size_t length = part == NULL ? 0 : strlen(part);

	if (length == 0)
		return true;
	while (*text != '\0' && strncasecmp(text, part, length) != 0)
		text++;
	return *text != '\0';
}

static bool is_or_any(const char *text, const char *wanted)
{
	return wanted == NULL || strcmp(text, wanted) == 0;
}

static bool is_chosen(
    const struct choosing *c, const struct wf_chosen_incident *chosen)
{
	const struct wf_incident_choice *choice = c->choice;

	return (choice->specifications.count == 0 ||
		   (chosen->specification != 0 &&
		       wf_is_specification(
			   &choice->specifications, chosen->specification))) &&
	       is_or_any(chosen->task, choice->task) &&
	       is_or_any(chosen->service, choice->service) &&
	       contains(chosen->row.text, choice->text) &&
	       (choice->failed_before == 0 ||
		   chosen->row.last_at < choice->failed_before) &&
	       (choice->group == 0 || chosen->group == choice->group);
}

/* In the arena of what is chosen. */
static void keep(struct choosing *c, const struct wf_chosen_incident *chosen)
{
	struct wf_chosen_incidents *out = c->out;
	struct wf_chosen_incident *kept;
	struct wf_incident_row *row;

	out->rows = wf_arena_grow(
	    c->arena, out->rows, out->count, &c->capacity, sizeof(*out->rows));
	kept = &out->rows[out->count++];
	*kept = *chosen;
	kept->name = wf_arena_strdup(c->arena, chosen->name);
	kept->task = wf_arena_strdup(c->arena, chosen->task);
	kept->service = wf_arena_strdup(c->arena, chosen->service);
	kept->reason = wf_arena_strdup(c->arena, chosen->reason);
	row = &kept->row;
	row->item = wf_arena_strdup(c->arena, row->item);
	row->code = wf_arena_strdup(c->arena, row->code);
	row->text = wf_arena_strdup(c->arena, row->text);
	row->dropped_by = wf_arena_strdup(c->arena, row->dropped_by);
	row->reason = wf_arena_strdup(c->arena, row->reason);
}

/* Whether there is room for more. */
static bool examine(struct choosing *c, const struct wf_incident_row *row,
    const struct wf_case_row *of, struct wf_arena *arena)
{
	struct wf_chosen_incidents *out = c->out;
	struct wf_chosen_incident chosen = { .row = *row,
		.name = of == NULL ? "" : of->name,
		.specification = of == NULL ? 0 : of->specification,
		.set_aside = of != NULL && of->set_aside };

	out->examined++;
	chosen.process = of == NULL ? "" : process_of(c, chosen.specification);
	chosen.task = task_of(arena, row->item);
	chosen.service = service_of(arena, row);
	chosen.reason = reason_of(arena, row, chosen.name);
	chosen.group = group_of(&chosen);
	if (!is_chosen(c, &chosen))
		return true;
	keep(c, &chosen);
	return out->count < c->choice->limit;
}

/* How many rows one statement reads. */
static size_t page_of(const struct wf_incident_choice *choice)
{
	return compares(choice) || choice->limit > PAGE ? PAGE : choice->limit;
}

/* Incidents behind that one, and their cases. */
static enum wf_rc read_rows(struct choosing *c, uint64_t after,
    struct wf_arena *arena, struct wf_incident_list *list,
    struct wf_case_list *cases)
{
	const struct wf_incident_choice *choice = c->choice;
	const struct wf_incident_filter filter = { .which = choice->which,
		.namespace_id = choice->namespace_id,
		.number = choice->number,
		.code = choice->code,
		.light = true,
		.after = after,
		.limit = page_of(choice) };
	uint64_t *numbers;
	size_t count;
	enum wf_rc rc =
	    wf_store_incidents(c->store, &filter, arena, list, c->err);

	if (rc != WF_OK || list->count == 0)
		return rc;
	numbers = wf_arena_array(arena, list->count, sizeof(*numbers));
	count = numbers_of(list, numbers);
	return count == 0 ? WF_OK
			  : wf_store_numbered_cases(
				c->store, numbers, count, arena, cases, c->err);
}

/* One statement's rows; *more_out: there may be others. */
static enum wf_rc choose_page(
    struct choosing *c, uint64_t after, struct wf_arena *arena, bool *more_out)
{
	struct wf_incident_list list = { .count = 0 };
	struct wf_case_list cases = { .count = 0 };
	enum wf_rc rc = read_rows(c, after, arena, &list, &cases);

	*more_out = false;
	c->out->next = 0;
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		const struct wf_incident_row *row = &list.rows[i];
		bool goes_on =
		    examine(c, row, case_of(&cases, row->number), arena);

		c->out->next = row->id;
		if (!goes_on)
			return rc;
	}
	*more_out = list.count == page_of(c->choice);
	if (!*more_out)
		c->out->next = 0;
	return rc;
}

enum wf_rc wf_incidents_choose_named(struct wf_store *store,
    const struct wf_incident_choice *choice,
    const struct wf_specification_list *processes, struct wf_arena *arena,
    struct wf_chosen_incidents *chosen_out, struct wf_error *err)
{
	struct choosing c = { .store = store,
		.choice = choice,
		.processes = processes,
		.arena = arena,
		.out = chosen_out,
		.err = err };
	struct wf_arena *page = wf_arena_new();
	uint64_t after = choice->after;
	bool more = true;
	enum wf_rc rc = WF_OK;

	memset(chosen_out, 0, sizeof(*chosen_out));
	while (rc == WF_OK && more) {
		wf_arena_reset(page);
		rc = choose_page(&c, after, page, &more);
		after = chosen_out->next;
		if (chosen_out->examined >= WF_INCIDENTS_EXAMINED)
			break;
	}
	wf_arena_free(&page);
	return rc;
}

enum wf_rc wf_incidents_choose(struct wf_store *store,
    const struct wf_incident_choice *choice, struct wf_arena *arena,
    struct wf_chosen_incidents *chosen_out, struct wf_error *err)
{
	struct wf_specification_list processes;
	enum wf_rc rc = wf_incident_processes(
	    store, choice->namespace_id, arena, &processes, err);

	memset(chosen_out, 0, sizeof(*chosen_out));
	return rc != WF_OK ? rc
			   : wf_incidents_choose_named(store, choice,
				 &processes, arena, chosen_out, err);
}
