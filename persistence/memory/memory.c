/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: opening, closing, its table of functions. */
#include "persistence/memory/memory_priv.h"

#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "persistence/migrations.h"

/* All stores; a second handle finds one by its name. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory *all;

static void free_memory(struct memory *m)
{
	wf_memory_free_tables(m);
	wf_latches_free(&m->latches);
	pthread_cond_destroy(&m->notified);
	pthread_mutex_destroy(&m->lock);
	wf_free(m->name);
	wf_free(m);
}

static struct memory *new_memory(const char *name)
{
	struct memory *m = wf_calloc(1, sizeof(*m));

	m->name = wf_strdup(name);
	m->latches = wf_latches_new();
	pthread_mutex_init(&m->lock, NULL);
	wf_condition_init(&m->notified);
	wf_memory_init_tables(m);
	/* Always the same, so that simulations reproduce. */
	memset(m->identity, '0', sizeof m->identity - 1);
	return m;
}

static struct memory *find_memory(const char *name)
{
	struct memory *m = all;

	while (m != NULL && (name[0] == '\0' || strcmp(m->name, name) != 0))
		m = m->next;
	if (m == NULL) {
		m = new_memory(name);
		m->next = all;
		all = m;
	}
	m->handles++;
	return m;
}

static void release_memory(struct memory *m)
{
	struct memory **link = &all;

	wf_assert(m->handles > 0);
	if (--m->handles > 0)
		return;
	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	free_memory(m);
}

static void memory_close(struct wf_store *store)
{
	pthread_mutex_lock(&all_lock);
	release_memory(((struct memory_store *)store)->memory);
	pthread_mutex_unlock(&all_lock);
	wf_free(store);
}

static const struct wf_store_ops memory_ops = {
	.close = memory_close,
	.abort = wf_memory_abort,
#define WF_CONTRACT(name, arguments) .name = wf_memory_##name,
#include "persistence/contract.def"
#undef WF_CONTRACT
};

enum wf_rc wf_memory_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err)
{
	struct memory_store *handle = wf_calloc(1, sizeof(*handle));

	(void)flags; /* there is nothing that could be missing or old */
	(void)err;
	wf_store_init(&handle->store, &memory_ops, url, true);
	handle->store.version = wf_migration_count("postgresql");
	pthread_mutex_lock(&all_lock);
	handle->memory = find_memory(rest);
	handle->store.version_found =
	    handle->memory->handles > 1 ? handle->store.version : 0;
	pthread_mutex_unlock(&all_lock);
	(void)wf_memory_take_notification(handle);
	memcpy(handle->store.identity, handle->memory->identity,
	    sizeof handle->store.identity);
	*store_out = &handle->store;
	return WF_OK;
}
