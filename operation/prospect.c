/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/prospect.h"

#include <pthread.h>
#include <string.h>

#include "base/bitset.h"
#include "base/clock.h"
#include "base/codec.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/panic.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "verify/completion.h"

#define TEXT_BYTES 100000U
/* For so long the nets of a case are examined; more are not known then. */
#define EXAMINED_US 5000000
/* Answers that are kept; then they are forgotten, all of them. */
#define ANSWERS_MOST 10000U

struct answer {
	enum wf_soundness possible;
	enum wf_soundness endangered;
	const char *ending; /* in words; NULL: none */
	const char *failing;
};

struct wf_prospects {
	pthread_mutex_t lock; /* of the answers; one thread adds and forgets */
	struct wf_arena *arena;
	struct wf_map *answers; /* by key_of() */
	size_t count;		/* of them */
	size_t asked;		/* since the beginning */
	int64_t spent;		/* microseconds of a processor, examining */
};

struct wf_prospects *wf_prospects_new(void)
{
	struct wf_prospects *made = wf_calloc(1, sizeof(*made));

	pthread_mutex_init(&made->lock, NULL);
	made->arena = wf_arena_new();
	made->answers = wf_map_new();
	return made;
}

void wf_prospects_free(struct wf_prospects **prospects)
{
	if (*prospects == NULL)
		return;
	pthread_mutex_destroy(&(*prospects)->lock);
	wf_map_free(&(*prospects)->answers);
	wf_arena_free(&(*prospects)->arena);
	wf_free(*prospects);
	*prospects = NULL;
}

int64_t wf_prospects_spent(const struct wf_prospects *prospects)
{
	return prospects->spent;
}

size_t wf_prospects_count(const struct wf_prospects *prospects)
{
	return prospects->asked;
}

static void forget(struct wf_prospects *prospects)
{
	pthread_mutex_lock(&prospects->lock);
	wf_map_free(&prospects->answers);
	wf_arena_reset(prospects->arena);
	prospects->answers = wf_map_new();
	prospects->count = 0;
	pthread_mutex_unlock(&prospects->lock);
}

/* The net and its marking as text: "KEY NET 1:2 4:1 b3". */
static void put_key(
    const struct wf_net_view *view, const uint64_t *busy, struct wf_buffer *key)
{
	wf_buffer_printf(key, "%016llx %s",
	    (unsigned long long)view->net->spec->key,
	    view->net->decomposition->id);
	for (uint32_t i = 0; i < view->net->condition_count; i++)
		if (view->tokens[i] > 0)
			wf_buffer_printf(key, " %u:%u", i, view->tokens[i]);
	WF_BITSET_EACH (i, busy, wf_bitset_words(view->net->task_count))
		wf_buffer_printf(key, " b%zu", i);
}

static const char *words_of(struct wf_arena *arena, const struct wf_net *net,
    const struct wf_witness *witness)
{
	const char *words = NULL;
	struct wf_buffer text;

	if (witness == NULL)
		return NULL;
	wf_buffer_init(&text, TEXT_BYTES);
	wf_witness_sentence(net, witness, &text);
	words = wf_arena_strdup(arena, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return words;
}

static struct answer *examine(struct wf_prospects *prospects,
    const struct wf_net_view *view, const uint64_t *busy)
{
	struct wf_completion_question question = { view->net, view->tokens,
		busy };
	int64_t began = wf_thread_us();
	struct wf_completion *c = wf_completion_new(&question);
	struct wf_arena *arena = prospects->arena;
	struct answer *answer = wf_arena_alloc(arena, sizeof(*answer));

	answer->possible = c->possible;
	answer->endangered = c->endangered;
	answer->ending = words_of(arena, view->net, c->ending);
	answer->failing = words_of(arena, view->net, c->failing);
	wf_completion_free(&c);
	prospects->spent += wf_thread_us() - began;
	return answer;
}

static struct answer *not_known(struct wf_arena *arena)
{
	struct answer *answer = wf_arena_alloc(arena, sizeof(*answer));

	*answer = (struct answer){ WF_OPEN, WF_OPEN, NULL, NULL };
	return answer;
}

static void add(
    struct wf_prospects *prospects, const char *key, struct answer *answer)
{
	pthread_mutex_lock(&prospects->lock);
	wf_map_add(prospects->answers, key, answer);
	prospects->count++;
	prospects->asked++;
	pthread_mutex_unlock(&prospects->lock);
}

/* Valid until the next question.  end: 0 for NULL where it is not known. */
static const struct answer *ask(
    struct wf_prospects *prospects, const struct wf_net_view *view, int64_t end)
{
	size_t words = wf_bitset_words(view->net->task_count) + 1;
	uint64_t *busy = wf_calloc(words, sizeof(*busy));
	struct answer *answer;
	struct wf_buffer key;

	for (uint32_t i = 0; i < view->net->task_count; i++)
		if (wf_net_view_is_busy(view, i))
			wf_bitset_add(busy, i);
	wf_buffer_init(&key, (size_t)1 << 24);
	put_key(view, busy, &key);
	answer = wf_map_get(prospects->answers, wf_buffer_text(&key));
	if (answer == NULL && end != 0) {
		if (prospects->count == ANSWERS_MOST)
			forget(prospects);
		answer = prospects->spent < end ? examine(prospects, view, busy)
						: not_known(prospects->arena);
		add(prospects, wf_buffer_text(&key), answer);
	}
	wf_buffer_free(&key);
	wf_free(busy);
	return answer;
}

/* --- of a case ------------------------------------------------------------ */

struct asking {
	struct wf_prospects *prospects;
	enum wf_soundness possible;
	bool examines;		/* else: only what is known */
	int64_t end;		/* of prospects->spent */
	bool is_unknown;	/* of some net */
	struct wf_buffer *text; /* of the first net that cannot; or NULL */
	json_t *nets;		/* or NULL */
};

static const char *name_of(enum wf_soundness answer)
{
	return answer == WF_YES ? "yes" : answer == WF_NO ? "no" : "unknown";
}

static void put_net(
    json_t *nets, const struct wf_net_view *view, const struct answer *answer)
{
	json_t *net = json_pack("{s:s,s:s,s:s,s:s}", "net", view->case_id,
	    "name", view->net->decomposition->id, "possible",
	    name_of(answer->possible), "endangered",
	    name_of(answer->endangered));

	if (answer->ending != NULL)
		json_object_set_new(net, "ending", json_string(answer->ending));
	if (answer->failing != NULL)
		json_object_set_new(
		    net, "failing", json_string(answer->failing));
	json_array_append_new(nets, net);
}

static void ask_net(void *argument, const struct wf_net_view *view)
{
	struct asking *asking = argument;
	const struct answer *answer = ask(asking->prospects, view, asking->end);

	if (answer == NULL) {
		asking->is_unknown = true;
		return;
	}
	if (asking->nets != NULL)
		put_net(asking->nets, view, answer);
	if (answer->possible == WF_NO && asking->possible != WF_NO &&
	    asking->text != NULL) {
		wf_buffer_printf(
		    asking->text, "net %s cannot complete", view->case_id);
		if (answer->failing != NULL)
			wf_buffer_printf(asking->text, ": %s", answer->failing);
	}
	if (answer->possible == WF_NO ||
	    (answer->possible == WF_OPEN && asking->possible == WF_YES))
		asking->possible = answer->possible;
}

static enum wf_soundness ask_all(struct asking *asking,
    struct wf_prospects *prospects, const struct wf_case *instance)
{
	struct wf_prospects *own = NULL;

	if (prospects == NULL)
		prospects = own = wf_prospects_new();
	asking->prospects = prospects;
	asking->end = asking->examines ? prospects->spent + EXAMINED_US : 0;
	asking->possible = WF_YES;
	/* One that has ended cannot fail any more. */
	if (wf_case_status(instance) == WF_CASE_RUNNING ||
	    wf_case_status(instance) == WF_CASE_SUSPENDED ||
	    wf_case_status(instance) == WF_CASE_DEADLOCKED)
		wf_case_nets(instance, ask_net, asking);
	wf_prospects_free(&own);
	return asking->possible;
}

enum wf_soundness wf_prospect(struct wf_prospects *prospects,
    const struct wf_case *instance, struct wf_buffer *text)
{
	struct asking asking = { .text = text, .examines = true };

	return ask_all(&asking, prospects, instance);
}

bool wf_prospect_known(struct wf_prospects *prospects,
    const struct wf_case *instance, enum wf_soundness *answer_out,
    struct wf_buffer *text)
{
	struct asking asking = { .text = text };

	pthread_mutex_lock(&prospects->lock);
	*answer_out = ask_all(&asking, prospects, instance);
	pthread_mutex_unlock(&prospects->lock);
	return !asking.is_unknown;
}

json_t *wf_prospect_json(
    struct wf_prospects *prospects, const struct wf_case *instance)
{
	struct asking asking = { .nets = json_array(), .examines = true };

	(void)ask_all(&asking, prospects, instance);
	return asking.nets;
}
