/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/change/migrate.h"

#include "base/panic.h"
#include "kernel/change/migrate.h"
#include "runtime/shard.h"

/* A migration that is made of a copy. */
struct copying {
	struct cached *cached;
	struct kept_spec *to;
	struct wf_migration *migration;
	struct wf_step step;
	struct wf_case *made;
};

static enum wf_rc make_plan(struct copying *c, struct wf_engine *engine,
    struct wf_store *store, const struct wf_command *command,
    struct wf_error *err)
{
	uint64_t target =
	    wf_migration_target_key(command->data, command->length);
	enum wf_rc rc;

	if (target == 0)
		return wf_fail(err, WF_INVALID, "a migration needs a plan");
	if (target == c->cached->spec->key)
		return wf_fail(
		    err, WF_CONFLICT, "the case is of that version already");
	rc = wf_specs_use_present(
	    engine->specs, store, c->cached->namespace_id, target, &c->to, err);
	if (rc != WF_OK)
		return rc;
	return wf_migration_new(&c->migration, c->cached->spec->spec,
	    c->to->spec, command->data, command->length, err);
}

static enum wf_rc make_steps(struct copying *c,
    const struct wf_command *command, struct wf_inspection *how,
    struct wf_error *err)
{
	struct wf_command own = *command;
	enum wf_rc rc;

	own.migration = c->migration;
	if (how->problem != NULL)
		(void)wf_migration_check(c->migration, c->cached->instance,
		    how->problem, how->context);
	c->step.work_maximum = how->maximum;
	rc = wf_case_step(c->cached->instance, &own, &c->step, err);
	how->work = c->step.work;
	if (rc == WF_OK)
		rc = wf_case_migrate(c->cached->instance, c->migration, &own,
		    &c->step, &c->made, err);
	how->work += c->step.work;
	return rc;
}

enum wf_rc wf_migrate_copy(struct wf_engine *engine, struct wf_store *store,
    struct cached *cached, const struct wf_command *command,
    struct wf_inspection *how, struct wf_error *err)
{
	struct copying c = { .cached = cached };
	enum wf_rc rc = make_plan(&c, engine, store, command, err);

	wf_step_init(&c.step);
	if (rc == WF_OK)
		rc = make_steps(&c, command, how, err);
	if (rc == WF_OK) {
		wf_assert(c.made != NULL && c.to != NULL);
		wf_case_free(&cached->instance);
		wf_specs_drop(engine->specs, &cached->spec);
		cached->instance = c.made;
		cached->spec = c.to;
		c.to = NULL;
	}
	wf_step_free(&c.step);
	wf_migration_free(&c.migration);
	wf_specs_drop(engine->specs, &c.to);
	return rc;
}
