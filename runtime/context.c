/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all parts of an engine need of it: its clock, the shard that owns a
 * case, handles on the store for reading, the wake-up of the thread for due
 * commands, and which version of the store may be written.  Below all users, so
 * that none of them needs engine.c.
 */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/panic.h"
#include "persistence/nodes.h"
#include "runtime/shard.h"

/* --- clock and owner ------------------------------------------------------ */

int32_t wf_engine_timezone(const struct wf_engine *engine)
{
	return engine->settings.timezone;
}

int64_t wf_engine_now(const struct wf_engine *engine)
{
	if (engine->settings.now != NULL)
		return engine->settings.now(engine->settings.context);
	return wf_time_ms();
}

/* The parts are divided among the shards in contiguous ranges. */
struct shard *wf_shard_of(struct wf_engine *engine, uint64_t number)
{
	unsigned index = wf_part(number) * engine->shard_count / WF_PARTS;

	wf_assert(index < engine->shard_count);
	return &engine->shards[index];
}

/* --- handles for reading -------------------------------------------------- */

enum wf_rc wf_engine_borrow(
    struct wf_engine *engine, struct wf_store **store_out, struct wf_error *err)
{
	wf_assert(engine->magic == WF_ENGINE_MAGIC);
	*store_out = NULL;
	pthread_mutex_lock(&engine->lock);
	if (engine->handle_count > 0)
		*store_out = engine->handles[--engine->handle_count];
	pthread_mutex_unlock(&engine->lock);
	if (*store_out != NULL)
		return WF_OK;
	return wf_store_open(
	    store_out, engine->url, engine->settings.flags, err);
}

void wf_engine_give_back(struct wf_engine *engine, struct wf_store *store)
{
	wf_assert(store != NULL);
	pthread_mutex_lock(&engine->lock);
	wf_assert(engine->handle_count <= WF_ENGINE_HANDLES);
	if (engine->handle_count < WF_ENGINE_HANDLES) {
		engine->handles[engine->handle_count++] = store;
		store = NULL;
	}
	pthread_mutex_unlock(&engine->lock);
	wf_store_close(&store);
}

/* --- waking --------------------------------------------------------------- */

void wf_due_wake(struct wf_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	engine->due_changed = true;
	pthread_cond_signal(&engine->due_wake);
	pthread_mutex_unlock(&engine->lock);
}

uint64_t wf_engine_node(const struct wf_engine *engine)
{
	return engine->opening;
}

void wf_engine_describe_node(
    const struct wf_engine *engine, char *host, struct wf_node *node_out)
{
	memset(host, 0, WF_HOST_NAME_BYTES);
	(void)gethostname(host, WF_HOST_NAME_BYTES - 1);
	*node_out = (struct wf_node){ .number = engine->opening,
		.version = wf_store_known_version(),
		.started_at = engine->opened_at,
		.seen_at = wf_engine_now(engine),
		.host = host,
		.program = PACKAGE_VERSION };
}

/* --- versions of the store ------------------------------------------------ */

enum wf_rc wf_node_write(
    struct wf_engine *engine, struct wf_store *store, struct wf_error *err)
{
	char host[WF_HOST_NAME_BYTES];
	struct wf_node node;
	uint32_t finished = 0;
	enum wf_rc rc;

	wf_engine_describe_node(engine, host, &node);
	if (wf_store_is_shared(store))
		rc = wf_store_put_node(store, &node, &finished, err);
	else
		rc = wf_store_finished_version(store, &finished, err);
	if (rc == WF_OK) {
		engine->seen_at = node.seen_at;
		atomic_store(&engine->finished, finished);
	}
	return rc;
}

enum wf_rc wf_engine_may_write(
    struct wf_engine *engine, uint32_t version, struct wf_error *err)
{
	unsigned finished = atomic_load(&engine->finished);

	if (version <= finished)
		return WF_OK;
	return wf_fail(err, WF_CONFLICT,
	    "the store is finished for version %u of its tables, and this "
	    "needs version %u: when all nodes have the new program, \"weft db "
	    "migrate --finish\"",
	    finished, version);
}
