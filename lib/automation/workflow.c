/* SPDX-License-Identifier: MIT */
/* Makes, changes and removes workflows, and sees to it that only checked designs are active. */
#include "automation/workflow.h"

#include <string.h>

#include "automation/design.h"
#include "automation/design_check.h"
#include "automation/design_store.h"
#include "automation/node.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/limit.h"
#include "store/workflow_task.h"
#include "store/workflow_trigger.h"
#include "store/workflow_write.h"
#include "store/workspace.h"

#define NAME_FAULT "name must be 1 to 100 letters, digits, spaces, \"-\" and \"_\""

struct work {
	struct core *core;
	const struct base_id *workspace, *id;
	const struct automation_author *author;
	const struct automation_workflow_change *change;
	enum store_workflow_status status; /* wanted; 0: as it is */
	struct automation_design *design;  /* given; NULL: none */
};

static bool
invalid(GError **error, const char *text)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

static bool
check_name(const char *name, GError **error)
{
	glong length = g_utf8_strlen(name, -1);
	bool fits = length >= 1 && length <= LIMIT_NAME_LENGTH;

	for (const char *p = name; fits && *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		fits =
		    g_unichar_isalnum(c) || g_unichar_ismark(c) || c == ' ' || c == '-' || c == '_';
	}
	return fits || invalid(error, NAME_FAULT);
}

static bool
check(struct work *work, GError **error)
{
	const struct automation_workflow_change *change = work->change;

	if (change->name && !check_name(change->name, error))
		return false;
	if (change->status) {
		work->status = store_workflow_status(change->status);
		if (!work->status)
			return invalid(error, "status must be draft, active or paused");
	}
	if (!change->design)
		return true;
	work->design = automation_design_take(change->design, change->design_size, error);
	return work->design;
}

static bool
check_design(struct work *work, const struct automation_design *design, GError **error)
{
	struct automation_design_store store = {work->core->db, work->workspace};
	g_autofree char *sender = NULL;

	if (!store_workspace_sender(work->core->db, work->workspace, &sender, error))
		return false;
	const struct automation_design_world world = {
	    .template_find = automation_design_template,
	    .domain_find = automation_design_domain,
	    .context = &store,
	    .sender = sender,
	};
	return automation_design_check(design, &world, error);
}

/* The design of the current version, which the caller frees where it is not the given one. */
static struct automation_design *
current_design(struct work *work, const struct store_workflow *workflow, GError **error)
{
	g_autofree char *text = NULL;
	gsize size;

	if (!store_workflow_design(
		work->core->db, &workflow->id, workflow->current_version, &text, &size, error))
		return NULL;
	return automation_design_parse(text ? text : "", size, error);
}

/* Makes the current version the one that events start. */
static bool
activate(struct work *work, struct store_workflow *workflow, GError **error)
{
	AUTO(automation_design) stored = NULL;
	const struct automation_design *design = work->design;

	if (!design)
		design = stored = current_design(work, workflow, error);
	if (!design || !check_design(work, design, error))
		return false;
	workflow->active_version = workflow->current_version;
	return store_workflow_trigger_set(
	    work->core->db, workflow, automation_design_trigger(design)->event_name, error);
}

/* From one status to the next, or from a version to the next. */
static bool
turn(struct work *work, struct store_workflow *workflow, enum store_workflow_status before,
    GError **error)
{
	struct db *db = work->core->db;
	bool active = workflow->status == WORKFLOW_ACTIVE;

	if (active && (work->status || work->design) && !activate(work, workflow, error))
		return false;
	if (!active && before == WORKFLOW_ACTIVE &&
	    !store_workflow_trigger_clear(db, &workflow->id, error))
		return false;
	return before != WORKFLOW_PAUSED || workflow->status == WORKFLOW_PAUSED ||
	       store_workflow_task_add(db, work->workspace, &workflow->id, TASK_UNPARK, error);
}

static bool
save_design(struct work *work, struct store_workflow *workflow, GError **error)
{
	if (!work->design)
		return true;
	workflow->current_version++;
	return store_workflow_version_insert(work->core->db, workflow, workflow->current_version,
	    work->change->design, work->change->design_size, error);
}

static bool
create(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	gint64 now = base_clock_now();
	struct store_workflow workflow = {
	    .id = *work->id,
	    .workspace_id = *work->workspace,
	    .name = (char *)work->change->name,
	    .status = work->status ? work->status : WORKFLOW_DRAFT,
	    .created_by = (char *)work->author->name,
	    .created_by_type = work->author->type,
	    .created = now,
	    .updated = now,
	};

	return store_limit_hold(db, work->workspace, SETTING_LIMITS_WORKFLOWS, error) &&
	       save_design(work, &workflow, error) &&
	       turn(work, &workflow, WORKFLOW_DRAFT, error) &&
	       store_workflow_insert(db, &workflow, error);
}

static bool
change_one(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(store_workflow) workflow = store_workflow_lock(db, work->workspace, work->id, error);

	if (!workflow)
		return false;
	enum store_workflow_status before = workflow->status;
	workflow->updated = base_clock_now();
	if (work->change->name) {
		g_free(workflow->name);
		workflow->name = g_strdup(work->change->name);
	}
	if (work->status)
		workflow->status = work->status;
	return save_design(work, workflow, error) && turn(work, workflow, before, error) &&
	       store_workflow_update(db, workflow, error);
}

bool
automation_workflow_create(struct core *core, const struct base_id *workspace,
    const struct automation_author *author, const struct automation_workflow_change *change,
    struct base_id *id_r, GError **error)
{
	struct work work = {
	    .core = core, .workspace = workspace, .id = id_r, .author = author, .change = change};

	*id_r = base_id_new();
	bool done = check(&work, error) && db_transact(core->db, create, &work, error);
	g_clear_pointer(&work.design, automation_design_free);
	return done;
}

bool
automation_workflow_change(struct core *core, const struct base_id *workspace,
    const struct base_id *id, const struct automation_workflow_change *change, GError **error)
{
	struct work work = {.core = core, .workspace = workspace, .id = id, .change = change};
	bool done = check(&work, error) && db_transact(core->db, change_one, &work, error);

	g_clear_pointer(&work.design, automation_design_free);
	return done;
}

static bool
remove_one(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	AUTO(store_workflow) workflow = store_workflow_lock(db, work->workspace, work->id, error);

	return workflow && store_workflow_delete(db, work->id, base_clock_now(), error) &&
	       store_workflow_trigger_clear(db, work->id, error) &&
	       store_workflow_task_add(db, work->workspace, work->id, TASK_CANCEL, error);
}

bool
automation_workflow_remove(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	struct work work = {.core = core, .workspace = workspace, .id = id};

	return db_transact(core->db, remove_one, &work, error);
}
