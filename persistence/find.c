/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding cases: a page of those that a filter selects.
 *
 *   filter ──► candidates: numbers of cases, from indexes, or none are known
 *                 │                        │
 *                 ▼                        ▼
 *          the cases with these     the cases of the specifications, or all,
 *          numbers                  by number
 *                 └───────► each is checked ◄───────┘
 *
 * A condition with an index gives a set of numbers: all cases that can have it,
 * or the first ones behind the page before, or it is not known because the
 * index has too many.  Sets are joined as the conditions are; what they leave
 * open, the check of each row decides.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/panic.h"
#include "persistence/backend.h"
#include "persistence/columns.h"
#include "xquery/text/unicode.h"

/* Rows that are read at once, at first and at most. */
#define CHUNK_ROWS 64U
#define CHUNK_MAXIMUM 1000U
/* A set that is so small makes the search for a smaller one too expensive. */
#define SMALL_SET 64U

struct set {
	bool is_known;
	bool is_cut;	   /* there may be others behind the last one */
	uint64_t *numbers; /* in the order of the page, each once */
	size_t count;
};

struct finding {
	struct wf_store *store;
	const struct wf_case_filter *filter;
	struct wf_arena *arena;
	struct wf_case_list *list;
	size_t capacity; /* of the list */
	struct wf_arena *sets;
	struct wf_arena *scratch; /* of a chunk */
	const char *title;	  /* in lower case; NULL: any */
	size_t examined;
	uint64_t last; /* the last case that was examined */
	struct wf_error *err;
};

static bool has_conditions(const struct wf_case_filter *filter)
{
	return filter->statuses != 0 || filter->set_aside ||
	       filter->participant != NULL || filter->words != NULL ||
	       filter->title != NULL || filter->launched_from != 0 ||
	       filter->launched_before != 0 || filter->changed_before != 0 ||
	       filter->ended_from != 0 || filter->incident != NULL ||
	       filter->where != NULL;
}

/* --- sets ----------------------------------------------------------------- */

static bool comes_before(const struct finding *f, uint64_t a, uint64_t b)
{
	return f->filter->descending ? a > b : a < b;
}

static int compare_up(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static int compare_down(const void *a, const void *b)
{
	return compare_up(b, a);
}

/* Those behind the page before, in order, each once. */
static void order(const struct finding *f, struct set *set)
{
	uint64_t after = f->filter->after;
	size_t count = 0;

	if (set->count > 1)
		qsort(set->numbers, set->count, sizeof(set->numbers[0]),
		    f->filter->descending ? compare_down : compare_up);
	for (size_t i = 0; i < set->count; i++) {
		uint64_t number = set->numbers[i];

		if ((after != 0 && !comes_before(f, after, number)) ||
		    (count > 0 && set->numbers[count - 1] == number))
			continue;
		set->numbers[count++] = number;
	}
	set->count = count;
}

static void begin_set(const struct finding *f, struct set *set)
{
	*set =
	    (struct set){ .numbers = wf_arena_array(f->sets,
			      WF_CASES_EXAMINED + 1, sizeof(*set->numbers)) };
}

/* One more was asked for than a page examines. */
static void end_ordered(struct set *set)
{
	set->is_known = true;
	set->is_cut = set->count > WF_CASES_EXAMINED;
	if (set->is_cut)
		set->count = WF_CASES_EXAMINED;
}

static enum wf_rc find_range(
    const struct finding *f, const struct wf_term_range *range, struct set *set)
{
	enum wf_rc rc;

	begin_set(f, set);
	rc = f->store->ops->find_terms(f->store, range, f->filter->after,
	    f->filter->descending, WF_CASES_EXAMINED + 1, set->numbers,
	    &set->count, f->err);
	if (rc != WF_OK)
		return rc;
	if (range->end_field == NULL) {
		end_ordered(set);
	} else {
		set->is_known = set->count <= WF_CASES_EXAMINED;
		if (set->is_known)
			order(f, set);
	}
	return WF_OK;
}

static enum wf_rc find_incidents(const struct finding *f, struct set *set)
{
	const char *code = f->filter->incident;
	enum wf_rc rc;

	begin_set(f, set);
	rc = f->store->ops->incident_cases(f->store,
	    code[0] == '\0' ? NULL : code, f->filter->after,
	    f->filter->descending, WF_CASES_EXAMINED + 1, set->numbers,
	    &set->count, f->err);
	end_ordered(set);
	return rc;
}

static enum wf_rc find_ended(const struct finding *f, struct set *set)
{
	enum wf_rc rc;

	begin_set(f, set);
	rc = f->store->ops->ended_since(f->store, f->filter->ended_from,
	    WF_CASES_EXAMINED + 1, set->numbers, &set->count, f->err);
	set->is_known = set->count <= WF_CASES_EXAMINED;
	if (rc == WF_OK && set->is_known)
		order(f, set);
	return rc;
}

/* Behind any other character of a text. */
#define LAST_CHARACTER "\xF4\x8F\xBF\xBF"

static enum wf_rc find_word(
    const struct finding *f, const char *word, bool is_whole, struct set *set)
{
	const char *field = wf_arena_printf(f->sets, ":%s", word);
	struct wf_term_range range = { .namespace_id = f->filter->namespace_id,
		.field = field,
		.text = "" };
	uint64_t number = 0;
	enum wf_rc rc;

	if (!is_whole) {
		range.end_field =
		    wf_arena_printf(f->sets, "%s" LAST_CHARACTER, field);
		range.end_text = "";
	}
	rc = find_range(f, &range, set);
	if (rc != WF_OK || !set->is_known || is_whole || !wf_is_number(word))
		return rc;
	/* A name that is a number is no word. */
	rc = f->store->ops->find(
	    f->store, f->filter->namespace_id, &word, 1, &number, f->err);
	if (rc == WF_OK && number != 0 && set->count < WF_CASES_EXAMINED) {
		set->numbers[set->count++] = number;
		order(f, set);
	}
	return rc;
}

/* Both conditions hold: which cases can be known from either. */
static void meet(
    const struct finding *f, struct set *set, const struct set *with)
{
	size_t count = 0;
	size_t k = 0;

	if (!with->is_known)
		return;
	if (!set->is_known || (set->is_cut && !with->is_cut)) {
		*set = *with;
		return;
	}
	if (with->is_cut)
		return;
	for (size_t i = 0; i < set->count; i++) {
		while (k < with->count &&
		       comes_before(f, with->numbers[k], set->numbers[i]))
			k++;
		if (k < with->count && with->numbers[k] == set->numbers[i])
			set->numbers[count++] = set->numbers[i];
	}
	set->count = count;
}

/* One of the conditions holds. */
static void join(
    const struct finding *f, struct set *set, const struct set *with)
{
	size_t total = set->count + with->count;
	uint64_t *numbers;
	bool is_cut = set->is_cut || with->is_cut;
	uint64_t end = 0; /* what is behind it is not known */

	if (!set->is_known || !with->is_known) {
		set->is_known = false;
		return;
	}
	if (set->is_cut)
		end = set->numbers[set->count - 1];
	if (with->is_cut &&
	    (end == 0 || comes_before(f, with->numbers[with->count - 1], end)))
		end = with->numbers[with->count - 1];
	numbers = wf_arena_array(f->sets, total, sizeof(*numbers));
	if (set->count > 0)
		memcpy(numbers, set->numbers, set->count * sizeof(*numbers));
	if (with->count > 0)
		memcpy(numbers + set->count, with->numbers,
		    with->count * sizeof(*numbers));
	*set = (struct set){ true, is_cut, numbers, total };
	order(f, set);
	while (end != 0 && set->count > 0 &&
	       comes_before(f, end, set->numbers[set->count - 1]))
		set->count--;
	if (set->count > WF_CASES_EXAMINED) {
		set->count = WF_CASES_EXAMINED;
		set->is_cut = true;
	}
}

/* --- conditions with an index --------------------------------------------- */

/*
 * The values that a comparison is true of are one range, as no text has the
 * character 1.
 */
static enum wf_rc find_comparison(
    const struct finding *f, const struct wf_where_node *where, struct set *set)
{
	const char mark = where->text[0];
	const char *type = wf_arena_printf(f->sets, "%c", mark);
	const char *next_type = wf_arena_printf(f->sets, "%c", mark + 1);
	const char *behind = wf_arena_printf(f->sets, "%s\x01", where->text);
	struct wf_term_range range = { f->filter->namespace_id, where->field,
		where->text, where->field, next_type };

	switch (where->comparison) {
	case WF_COMPARISON_EQUAL:
		range.end_field = NULL;
		break;
	case WF_COMPARISON_UNEQUAL:
		return WF_OK;
	case WF_COMPARISON_LESS:
		range.text = type;
		range.end_text = where->text;
		break;
	case WF_COMPARISON_AT_MOST:
		range.text = type;
		range.end_text = behind;
		break;
	case WF_COMPARISON_GREATER:
		range.text = behind;
		break;
	case WF_COMPARISON_AT_LEAST:
		break;
	}
	return find_range(f, &range, set);
}

static bool is_small(const struct set *set)
{
	return set->is_known && !set->is_cut && set->count <= SMALL_SET;
}

static enum wf_rc find_where(
    const struct finding *f, const struct wf_where_node *where, struct set *set)
{
	struct set right = { false };
	enum wf_rc rc;

	*set = (struct set){ false };
	if (where->kind == WF_WHERE_NOT)
		return WF_OK;
	if (where->kind == WF_WHERE_COMPARISON)
		return find_comparison(f, where, set);
	rc = find_where(f, where->left, set);
	if (rc != WF_OK ||
	    (where->kind == WF_WHERE_AND ? is_small(set) : !set->is_known))
		return rc;
	rc = find_where(f, where->right, &right);
	if (rc == WF_OK)
		(where->kind == WF_WHERE_AND ? meet : join)(f, set, &right);
	return rc;
}

static enum wf_rc find_words(const struct finding *f,
    const struct wf_word_set *words, bool are_whole, struct set *set)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < words->count && !is_small(set);
	     i++) {
		struct set with;

		rc = find_word(f, words->rows[i], are_whole, &with);
		if (rc == WF_OK)
			meet(f, set, &with);
	}
	return rc;
}

static enum wf_rc find_candidates(const struct finding *f, struct set *set)
{
	const struct wf_case_filter *filter = f->filter;
	struct wf_word_set title = { 0 };
	struct set with;
	enum wf_rc rc = WF_OK;

	*set = (struct set){ false };
	if (filter->words != NULL)
		rc = find_words(f, filter->words, false, set);
	if (rc == WF_OK && filter->title != NULL) {
		wf_words_add(&title, filter->title);
		rc = find_words(f, &title, true, set);
	}
	if (rc == WF_OK && filter->where != NULL && !is_small(set)) {
		rc = find_where(f, filter->where, &with);
		if (rc == WF_OK)
			meet(f, set, &with);
	}
	if (rc == WF_OK && filter->incident != NULL && !is_small(set)) {
		rc = find_incidents(f, &with);
		if (rc == WF_OK)
			meet(f, set, &with);
	}
	if (rc == WF_OK && filter->ended_from != 0 && !is_small(set)) {
		rc = find_ended(f, &with);
		if (rc == WF_OK)
			meet(f, set, &with);
	}
	return rc;
}

/* --- checking rows -------------------------------------------------------- */

static bool begins(const struct wf_word_set *words, const char *with)
{
	size_t length = strlen(with);

	for (size_t i = 0; i < words->count; i++)
		if (strncmp(words->rows[i], with, length) == 0)
			return true;
	return false;
}

static bool has_words(
    const struct wf_word_set *wanted, const struct wf_case_row *row)
{
	struct wf_word_set words;

	wf_words_of_case(&words, row);
	for (size_t i = 0; i < wanted->count; i++)
		if (!begins(&words, wanted->rows[i]) &&
		    strcmp(wanted->rows[i], row->name) != 0)
			return false;
	return true;
}

static bool has_title(const struct finding *f, const struct wf_case_row *row)
{
	struct wf_buffer lower;
	bool is;

	wf_buffer_init(&lower, (size_t)1 << 20);
	wf_unicode_lower(&lower, row->title, strlen(row->title));
	is = strcmp(wf_buffer_text(&lower), f->title) == 0;
	wf_buffer_free(&lower);
	return is;
}

static bool row_fits(
    const struct finding *f, const struct wf_stored_case *stored)
{
	const struct wf_case_filter *filter = f->filter;
	const struct wf_case_row *row = &stored->row;

	return (filter->live == filter->ended ||
		   stored->ended == filter->ended) &&
	       (filter->namespace_id == 0 ||
		   row->namespace_id == filter->namespace_id) &&
	       wf_is_specification(
		   &filter->specifications, row->specification) &&
	       (filter->statuses == 0 ||
		   (filter->statuses >> row->status & 1) != 0) &&
	       (!filter->set_aside || row->set_aside) &&
	       row->launched_at >= filter->launched_from &&
	       (filter->launched_before == 0 ||
		   row->launched_at < filter->launched_before) &&
	       (filter->changed_before == 0 ||
		   row->changed_at < filter->changed_before) &&
	       (filter->ended_from == 0 ||
		   (stored->ended && row->changed_at >= filter->ended_from)) &&
	       (filter->words == NULL || has_words(filter->words, row)) &&
	       (f->title == NULL || has_title(f, row));
}

/* What rows do not show of those that fit so far. */
struct more {
	struct wf_stored_case **rows;
	uint64_t *numbers;
	size_t count;
	struct wf_term_list terms;
	size_t read; /* of the terms, those of rows before */
	struct wf_open_incident *open;
};

/* Called for one row after the other: the terms are in their order. */
static bool where_fits(
    const struct finding *f, struct more *more, uint64_t number)
{
	const struct wf_term_list *terms = &more->terms;
	size_t first = more->read;

	if (f->filter->where == NULL)
		return true;
	while (more->read < terms->count &&
	       terms->rows[more->read].number == number)
		more->read++;
	return wf_where_holds(
	    f->filter->where, terms->rows + first, more->read - first);
}

static enum wf_rc read_more(const struct finding *f, struct more *more)
{
	const char *code = f->filter->incident;
	enum wf_rc rc = WF_OK;

	if (more->count > 0 && f->filter->where != NULL)
		rc = f->store->ops->variables(f->store, more->numbers,
		    more->count, f->scratch, &more->terms, f->err);
	if (rc != WF_OK || more->count == 0 || code == NULL)
		return rc;
	more->open =
	    wf_arena_array(f->scratch, more->count, sizeof(more->open[0]));
	return f->store->ops->open_incidents(f->store, more->numbers,
	    more->count, code[0] == '\0' ? NULL : code, f->scratch, more->open,
	    f->err);
}

static void add(struct finding *f, const struct wf_stored_case *stored)
{
	struct wf_case_list *list = f->list;
	struct wf_stored_case *to;

	list->rows = wf_arena_grow(f->arena, list->rows, list->count,
	    &f->capacity, sizeof(list->rows[0]));
	to = &list->rows[list->count++];
	memset(to, 0, sizeof(*to));
	to->ended = stored->ended;
	wf_row_copy_to(&wf_layout_case, &to->row, &stored->row, f->arena);
}

/* Adds the rows of a chunk that the filter selects. */
static enum wf_rc check(struct finding *f, const struct wf_case_list *chunk)
{
	struct more more = { .open = NULL };
	enum wf_rc rc;

	more.rows =
	    wf_arena_array(f->scratch, chunk->count, sizeof(more.rows[0]));
	more.numbers =
	    wf_arena_array(f->scratch, chunk->count, sizeof(more.numbers[0]));
	for (size_t i = 0; i < chunk->count; i++) {
		if (!row_fits(f, &chunk->rows[i]))
			continue;
		more.rows[more.count] = &chunk->rows[i];
		more.numbers[more.count++] = chunk->rows[i].row.number;
	}
	rc = read_more(f, &more);
	for (size_t i = 0;
	     rc == WF_OK && i < more.count && f->list->count < f->filter->limit;
	     i++) {
		f->last = more.numbers[i];
		if (where_fits(f, &more, more.numbers[i]) &&
		    (more.open == NULL || more.open[i].id != 0))
			add(f, more.rows[i]);
	}
	return rc;
}

static size_t next_chunk(const struct finding *f, size_t chunk)
{
	size_t left = WF_CASES_EXAMINED - f->examined;

	chunk = chunk == 0 ? CHUNK_ROWS : chunk * 4;
	if (chunk > CHUNK_MAXIMUM)
		chunk = CHUNK_MAXIMUM;
	return chunk < left ? chunk : left;
}

static bool is_full(const struct finding *f)
{
	return f->list->count == f->filter->limit ||
	       f->examined == WF_CASES_EXAMINED;
}

static enum wf_rc check_candidates(struct finding *f, const struct set *set)
{
	struct wf_case_list chunk;
	enum wf_rc rc = WF_OK;

	for (size_t size = 0;
	     rc == WF_OK && f->examined < set->count && !is_full(f);) {
		const uint64_t *numbers = set->numbers + f->examined;

		size = next_chunk(f, size);
		if (size > set->count - f->examined)
			size = set->count - f->examined;
		memset(&chunk, 0, sizeof(chunk));
		wf_arena_reset(f->scratch);
		rc = f->store->ops->numbered_cases(
		    f->store, numbers, size, f->scratch, &chunk, f->err);
		if (rc == WF_OK)
			rc = check(f, &chunk);
		f->examined += size;
		if (f->list->count < f->filter->limit)
			f->last = numbers[size - 1];
	}
	if (rc == WF_OK && set->count > 0 &&
	    (set->is_cut || f->last != set->numbers[set->count - 1]))
		f->list->next = f->last;
	return rc;
}

/* Without conditions: all, or those of the participant. */
static enum wf_rc read_chunk(struct finding *f,
    const struct wf_case_filter *filter, struct wf_case_list *chunk)
{
	const struct wf_involved_filter involved = { .participant =
							 filter->participant,
		.ascending = !filter->descending,
		.after = filter->after,
		.limit = filter->limit };

	memset(chunk, 0, sizeof(*chunk));
	wf_arena_reset(f->scratch);
	if (filter->participant != NULL)
		return wf_store_involved_cases(
		    f->store, &involved, f->scratch, chunk, f->err);
	return f->store->ops->cases(
	    f->store, filter, f->scratch, chunk, f->err);
}

static enum wf_rc check_all(struct finding *f)
{
	struct wf_case_filter filter = *f->filter;
	struct wf_case_list chunk;
	enum wf_rc rc = WF_OK;
	bool ends = false;

	for (filter.limit = 0; rc == WF_OK && !ends && !is_full(f);) {
		filter.limit = next_chunk(f, filter.limit);
		rc = read_chunk(f, &filter, &chunk);
		if (rc == WF_OK)
			rc = check(f, &chunk);
		f->examined += chunk.count;
		ends = chunk.count < filter.limit;
		if (chunk.count > 0)
			filter.after = chunk.rows[chunk.count - 1].row.number;
		if (f->list->count < f->filter->limit)
			f->last = filter.after;
	}
	if (rc == WF_OK && (!ends || f->last != filter.after))
		f->list->next = f->last;
	return rc;
}

static enum wf_rc find(struct finding *f)
{
	struct set set = { .is_known = false };
	enum wf_rc rc = WF_OK;

	if (f->filter->participant == NULL)
		rc = find_candidates(f, &set);
	if (rc != WF_OK)
		return rc;
	return set.is_known ? check_candidates(f, &set) : check_all(f);
}

static char *lower(const char *text, struct wf_arena *arena)
{
	struct wf_buffer lower;
	char *copy;

	wf_buffer_init(&lower, (size_t)1 << 20);
	wf_unicode_lower(&lower, text, strlen(text));
	copy = wf_arena_strdup(arena, wf_buffer_text(&lower));
	wf_buffer_free(&lower);
	return copy;
}

enum wf_rc wf_store_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct finding f = { .store = store,
		.filter = filter,
		.arena = arena,
		.list = list_out,
		.err = err };
	enum wf_rc rc;

	wf_assert(store != NULL && store->magic == WF_STORE_MAGIC);
	wf_assert(store->batch == WF_BATCH_IDLE);
	wf_assert(filter->specifications.count <= WF_LIST_VERSIONS);
	wf_assert(filter->limit >= 1);
	memset(list_out, 0, sizeof(*list_out));
	if (!has_conditions(filter)) {
		rc = store->ops->cases(store, filter, arena, list_out, err);
		if (rc == WF_OK && list_out->count == filter->limit)
			list_out->next =
			    list_out->rows[list_out->count - 1].row.number;
		return rc;
	}
	wf_assert(filter->namespace_id != 0 ||
		  (filter->words == NULL && filter->title == NULL &&
		      filter->where == NULL));
	if (filter->title != NULL)
		f.title = lower(filter->title, arena);
	f.sets = wf_arena_new();
	f.scratch = wf_arena_new();
	rc = find(&f);
	wf_arena_free(&f.sets);
	wf_arena_free(&f.scratch);
	return rc;
}
