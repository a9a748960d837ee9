/* SPDX-License-Identifier: MIT */
/* Makes, changes and removes workflows, checks designs before they become active, and runs the
   tasks that a change leaves for the executions. */
#include "automation/workflow.h"

#include <string.h>

#include "automation/design.h"
#include "automation/design_check.h"
#include "automation/heard.h"
#include "automation/schedule.h"
#include "rule/event_name.h"
#include "automation/node.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "json/view.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/heard.h"
#include "store/automation/tick.h"
#include "store/automation/start.h"
#include "store/automation/workflow.h"
#include "store/common/edit.h"
#include "store/workspace/limit.h"
#include "store/workspace/workspace.h"

static struct json_view_value
workflow_read_status(const void *row)
{
	const struct store_workflow *workflow = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_workflow_status_name(workflow->status)};
}

static struct json_view_value
workflow_read_author(const void *row)
{
	const struct store_workflow *workflow = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_workflow_author_name(workflow->created_by_type)};
}

/* A path that names the design, as if it were a file. */
static char *
workflow_make_data(const void *row, const void *context)
{
	const struct store_workflow *workflow = row;
	bool active = workflow->current_version == workflow->active_version;
	char id[ID_TEXT_SIZE];

	return g_strdup_printf(
	    "workflows/%s/%s.json", base_id_format(&workflow->id, id), active ? "active" : "draft");
}

#define WORKFLOW_MEMBER(name, type, member, ...)                                                   \
	JSON_VIEW_MEMBER(name, type, struct store_workflow, member, __VA_ARGS__)

#define WORKFLOW_HEAD                                                                              \
	WORKFLOW_MEMBER("workflow_id", VIEW_ID, id),                                               \
	    WORKFLOW_MEMBER("workspace_id", VIEW_ID, workspace_id),                                \
	    WORKFLOW_MEMBER("name", VIEW_TEXT, name),                                              \
	{                                                                                          \
		"status", VIEW_MADE, .read = workflow_read_status                                  \
	}

#define WORKFLOW_TAIL                                                                              \
	WORKFLOW_MEMBER("created", VIEW_TIME, created),                                            \
	    WORKFLOW_MEMBER("updated", VIEW_TIME, updated),                                        \
	    WORKFLOW_MEMBER("created_by", VIEW_TEXT, created_by),                                  \
	{                                                                                          \
		"created_by_type", VIEW_MADE, .read = workflow_read_author                         \
	}

/* A list has the name of the design in place of the versions and the design itself. */
static const struct json_view_member members[] = {
    WORKFLOW_HEAD,
    WORKFLOW_MEMBER("current_version", VIEW_COUNT, current_version),
    WORKFLOW_MEMBER("active_version", VIEW_COUNT, active_version),
    WORKFLOW_MEMBER("design", VIEW_TEXT, design),
    WORKFLOW_TAIL,
};
static const struct json_view_member list_members[] = {
    WORKFLOW_HEAD,
    {"data", VIEW_TEXT, .make = workflow_make_data},
    WORKFLOW_TAIL,
};
const struct json_view automation_workflow_view = JSON_VIEW(members);
const struct json_view automation_workflow_list = JSON_VIEW(list_members);

struct edit {
	struct service *service;
	const struct base_id *workspace, *id;
	const struct automation_workflow_author *author;
	const struct automation_workflow_change *change;
	enum store_workflow_status status; /* the new status; 0: unchanged */
	struct automation_design *design;  /* the new design; NULL: unchanged */
};

static bool
workflow_invalid(GError **error, const char *text)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

static bool
workflow_check_name(const char *name, GError **error)
{
	glong length = g_utf8_strlen(name, -1);

	return (length >= 1 && length <= LIMIT_NAME_LENGTH) ||
	       base_invalid(error, "name must be 1 to %d characters", LIMIT_NAME_LENGTH);
}

static bool
workflow_check(struct edit *edit, GError **error)
{
	const struct automation_workflow_change *change = edit->change;

	if (change->name && !workflow_check_name(change->name, error))
		return false;
	if (change->status) {
		edit->status = store_workflow_status(change->status);
		if (!edit->status)
			return workflow_invalid(error, "status must be draft, active or paused");
	}
	if (!change->design)
		return true;
	edit->design = automation_design_parse_strict(change->design, change->design_size, error);
	return edit->design;
}

static bool
check_design(struct edit *edit, const struct automation_design *design, GError **error)
{
	struct automation_design_store store = {edit->service->db, edit->workspace,
	    {config_settings_list(edit->service->settings, SETTING_FETCH_ALLOW),
		config_settings_list(edit->service->settings, SETTING_FETCH_PORTS)}};
	g_autofree char *sender = NULL;

	if (!store_workspace_sender(edit->service->db, edit->workspace, &sender, error))
		return false;
	const struct automation_design_lookup lookup = {
	    .template_find = automation_design_template,
	    .published_find = automation_design_published,
	    .domain_find = automation_design_domain,
	    .topic_find = automation_design_topic,
	    .audience_find = automation_design_audience,
	    .segment_find = automation_design_segment,
	    .url_check = automation_design_url,
	    .secret_find = automation_design_secret,
	    .segment_frozen = automation_design_frozen,
	    .context = &store,
	    .sender = sender,
	};
	return automation_design_check(design, &lookup, error);
}

/* Returns the design of a version. The caller frees it. */
static struct automation_design *
workflow_read_design(
    struct edit *edit, const struct base_id *workflow, guint version, GError **error)
{
	struct store_workflow_design stored;

	if (!store_workflow_design(edit->service->db, workflow, version, &stored, error))
		return NULL;
	g_autofree char *text = stored.text;
	return automation_design_parse(text ? text : "", stored.size, error);
}

/* Makes the start of a tick that has passed, which the change of the workflow would lose. */
static bool
workflow_catch_up(struct edit *edit, GError **error)
{
	struct store_tick schedule;
	gint64 now = base_clock_now(), next;
	bool found;

	if (!store_tick_get(edit->service->db, edit->id, &schedule, &found, error))
		return false;
	if (!found || schedule.next_at > now)
		return true;
	AUTO(automation_design)
	design = workflow_read_design(edit, edit->id, schedule.version, error);
	if (!design)
		return false;
	const struct automation_node_schedule *plan = &automation_design_trigger(design)->schedule;
	return automation_schedule_start(edit->service->db, &schedule, plan,
	    automation_schedule_latest(&schedule, plan, now, &next), now, error);
}

/* Starts the workflow for the people who are in its segment when it becomes active with it for the
   first time. */
static bool
workflow_include(struct edit *edit, const struct store_workflow *workflow,
    const struct automation_node_trigger *trigger, GError **error)
{
	char text[ID_TEXT_SIZE];
	bool is_first;

	if (!trigger->includes_all)
		return true;
	if (!store_tick_include(edit->service->db, edit->workspace, &workflow->id,
		&trigger->segment_id, &is_first, error))
		return false;
	g_autofree char *properties =
	    g_strdup_printf("{\"segment_id\":\"%s\"}", base_id_format(&trigger->segment_id, text));
	const struct store_start start = {.id = base_id_new(),
	    .workspace_id = *edit->workspace,
	    .workflow_id = workflow->id,
	    .source = START_SEGMENT,
	    .status = START_PENDING,
	    .has_segment = true,
	    .segment_id = trigger->segment_id,
	    .properties = properties,
	    .created = base_clock_now()};
	return !is_first || automation_schedule_store(edit->service->db, &start, error);
}

/* Stores when the schedule of the trigger comes next, and whom its segment takes in. Ticks before
   now never come. */
static bool
workflow_plan(struct edit *edit, const struct store_workflow *workflow,
    const struct automation_node_trigger *trigger, GError **error)
{
	struct store_tick schedule = {.workflow_id = workflow->id,
	    .workspace_id = *edit->workspace,
	    .version = workflow->active_version};

	if (strcmp(trigger->event_name, EVENT_NAME_SCHEDULE) == 0) {
		schedule.next_at = text_cron_next(
		    &trigger->schedule.cron, trigger->schedule.zone, base_clock_now());
		return store_tick_set(edit->service->db, &schedule, error);
	}
	return store_tick_clear(edit->service->db, &workflow->id, error) &&
	       workflow_include(edit, workflow, trigger, error);
}

/* Makes the current version the active one, which events start. */
static bool
automation_workflow_activate(struct edit *edit, struct store_workflow *workflow, GError **error)
{
	AUTO(automation_design) stored = NULL;
	const struct automation_design *design = edit->design;

	if (!design)
		design = stored =
		    workflow_read_design(edit, &workflow->id, workflow->current_version, error);
	if (!design || !check_design(edit, design, error))
		return false;
	workflow->active_version = workflow->current_version;
	g_autoptr(GArray) heard = automation_heard(design);
	if (!store_heard_set(
		edit->service->db, edit->workspace, &workflow->id, heard, base_clock_now(), error))
		return false;
	const struct automation_node_trigger *trigger = automation_design_trigger(design);
	const char *name = trigger->event_name;
	if (!workflow_plan(edit, workflow, trigger, error))
		return false;
	/* No event of this name is looked for: each is told to its workflow. */
	if (rule_event_name_is_start(name))
		return store_workflow_trigger_clear(edit->service->db, &workflow->id, error);
	return store_workflow_trigger_set(edit->service->db, workflow, name, error);
}

/* Updates trigger and tasks after a change of status or version. */
static bool
turn(struct edit *edit, struct store_workflow *workflow, enum store_workflow_status before,
    GError **error)
{
	struct db *db = edit->service->db;
	bool active = workflow->status == WORKFLOW_ACTIVE;

	if (before == WORKFLOW_ACTIVE && (!active || edit->design) &&
	    !workflow_catch_up(edit, error))
		return false;
	if (active && (edit->status || edit->design) &&
	    !automation_workflow_activate(edit, workflow, error))
		return false;
	if (!active && before == WORKFLOW_ACTIVE &&
	    (!store_workflow_trigger_clear(db, &workflow->id, error) ||
		!store_tick_clear(db, &workflow->id, error)))
		return false;
	if (!active &&
	    !(workflow->status == WORKFLOW_PAUSED ? store_heard_pause : store_heard_clear_trigger)(
		db, &workflow->id, error))
		return false;
	return before != WORKFLOW_PAUSED || workflow->status == WORKFLOW_PAUSED ||
	       store_workflow_task_add(db, edit->workspace, &workflow->id, TASK_UNPARK, error);
}

static bool
save_design(struct edit *edit, struct store_workflow *workflow, GError **error)
{
	if (!edit->design)
		return true;
	workflow->current_version++;
	const struct store_workflow_saved saved = {
	    .design = edit->change->design,
	    .size = edit->change->design_size,
	    .form = edit->change->form,
	    .created_by = edit->author ? edit->author->name : store_edit_author(edit->change->edit),
	};
	return store_workflow_version_insert(edit->service->db, workflow, &saved, error);
}

static bool
workflow_create_edit(struct db *db, void *context, GError **error)
{
	struct edit *edit = context;
	gint64 now = base_clock_now();
	struct store_workflow workflow = {
	    .id = *edit->id,
	    .workspace_id = *edit->workspace,
	    .name = (char *)edit->change->name,
	    .status = edit->status ? edit->status : WORKFLOW_DRAFT,
	    .created_by = (char *)edit->author->name,
	    .created_by_type = edit->author->type,
	    .created = now,
	    .updated = now,
	};

	return store_limit_hold(db, edit->workspace, SETTING_LIMITS_WORKFLOWS, error) &&
	       save_design(edit, &workflow, error) &&
	       turn(edit, &workflow, WORKFLOW_DRAFT, error) &&
	       store_workflow_insert(db, &workflow, error);
}

static bool
workflow_change_one(struct db *db, void *context, GError **error)
{
	struct edit *edit = context;
	AUTO(store_workflow) workflow = store_workflow_lock(db, edit->workspace, edit->id, error);

	if (!workflow || !store_edit_check_time(edit->change->edit, workflow->updated, error))
		return false;
	enum store_workflow_status before = workflow->status;
	workflow->updated = store_edit_time(workflow->updated);
	if (edit->change->name) {
		g_free(workflow->name);
		workflow->name = g_strdup(edit->change->name);
	}
	if (edit->status)
		workflow->status = edit->status;
	return save_design(edit, workflow, error) && turn(edit, workflow, before, error) &&
	       store_workflow_update(db, workflow, error);
}

bool
automation_workflow_create(struct service *service, const struct base_id *workspace,
    const struct automation_workflow_author *author,
    const struct automation_workflow_change *change, struct base_id *id_r, GError **error)
{
	struct edit edit = {.service = service,
	    .workspace = workspace,
	    .id = id_r,
	    .author = author,
	    .change = change};

	*id_r = base_id_new();
	bool done = workflow_check(&edit, error) &&
		    db_transact(service->db, workflow_create_edit, &edit, error);
	g_clear_pointer(&edit.design, automation_design_free);
	return done;
}

bool
automation_workflow_change(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct automation_workflow_change *change, GError **error)
{
	struct edit edit = {.service = service, .workspace = workspace, .id = id, .change = change};
	bool done = workflow_check(&edit, error) &&
		    db_transact(service->db, workflow_change_one, &edit, error);

	g_clear_pointer(&edit.design, automation_design_free);
	return done;
}

static bool
automation_workflow_remove_one(struct db *db, void *context, GError **error)
{
	const struct edit *edit = context;
	AUTO(store_workflow) workflow = store_workflow_lock(db, edit->workspace, edit->id, error);

	return workflow && store_workflow_delete(db, edit->id, base_clock_now(), error) &&
	       store_workflow_trigger_clear(db, edit->id, error) &&
	       store_heard_clear(db, edit->id, error) && store_tick_clear(db, edit->id, error) &&
	       store_workflow_task_add(db, edit->workspace, edit->id, TASK_CANCEL, error);
}

bool
automation_workflow_remove(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	struct edit edit = {.service = service, .workspace = workspace, .id = id};

	return db_transact(service->db, automation_workflow_remove_one, &edit, error);
}

#define TASK_BATCH 500
#define STOP_BATCHES 20 /* at once; the spool runs the others */

struct task_run {
	const struct store_workflow_task *task;
	guint cancelled; /* executions */
	guint count;
};

/* Removes the task when no execution is left. Batches skip rows that other transactions have
   locked, so an empty batch does not prove that none is left. */
static bool
workflow_finish(struct db *db, struct task_run *run,
    bool (*has)(struct db *db, const struct base_id *workflow, bool *has_r, GError **error),
    GError **error)
{
	bool more;

	if (run->count > 0)
		return true;
	return has(db, &run->task->workflow_id, &more, error) &&
	       (more || store_workflow_task_done(db, run->task, error));
}

static bool
unpark(
    struct db *db, struct task_run *run, const struct store_workflow_state *state, GError **error)
{
	/* A workflow that is paused again keeps its executions parked; its next change adds a task.
	 */
	if (state->deleted || state->status == WORKFLOW_PAUSED)
		return store_workflow_task_done(db, run->task, error);
	return store_execution_unpark(
		   db, &run->task->workflow_id, TASK_BATCH, &run->count, error) &&
	       workflow_finish(db, run, store_execution_has_parked, error);
}

/* They end when the workflow was deleted: requests have read that time before the task runs. */
static bool
workflow_cancel(
    struct db *db, struct task_run *run, const struct store_workflow_state *state, GError **error)
{
	const struct base_id *workflow = &run->task->workflow_id;
	guint swept;

	if (!store_execution_cancel_workflow(db,
		&(struct store_execution_cancelling){
		    workflow, CANCELLATION_WORKFLOW_DELETED, state->deleted, TASK_BATCH},
		&run->count, error))
		return false;
	run->cancelled = run->count;
	if (run->count == 0) {
		if (!store_workflow_task_sweep(db, workflow, TASK_BATCH, &swept, error))
			return false;
		run->count = swept;
	}
	return workflow_finish(db, run, store_execution_has_running, error);
}

/* Executions that began after the workflow became active again are not to be cancelled, and cannot
   be distinguished from the others: then none is. */
static bool
workflow_stop(
    struct db *db, struct task_run *run, const struct store_workflow_state *state, GError **error)
{
	if (state->deleted || state->status == WORKFLOW_ACTIVE)
		return store_workflow_task_done(db, run->task, error);
	if (!store_execution_cancel_workflow(db,
		&(struct store_execution_cancelling){
		    &run->task->workflow_id, CANCELLATION_MANUAL, base_clock_now(), TASK_BATCH},
		&run->count, error))
		return false;
	run->cancelled = run->count;
	return workflow_finish(db, run, store_execution_has_running, error);
}

static bool
run_task(struct db *db, void *context, GError **error)
{
	struct task_run *run = context;
	struct store_workflow_state state = {.id = run->task->workflow_id};
	bool taken;

	run->count = run->cancelled = 0;
	/* Lock the workflow before its task, in the order in which changes lock them. */
	if (!store_workflow_states(db, &state, 1, error) ||
	    !store_workflow_task_take(db, run->task, &taken, error))
		return false;
	if (!taken)
		return true;
	return run->task->kind == TASK_UNPARK ? unpark(db, run, &state, error)
	       : run->task->kind == TASK_STOP ? workflow_stop(db, run, &state, error)
					      : workflow_cancel(db, run, &state, error);
}

/* Runs a batch of a task, and counts what it has cancelled. */
static bool
workflow_run_batch(struct service *service, struct task_run *run, GError **error)
{
	if (!db_transact(service->db, run_task, run, error))
		return false;
	if (run->cancelled > 0)
		service_metrics_add(METRIC_EXECUTIONS_ENDED, run->cancelled, "cancelled", NULL);
	return true;
}

static bool
stop_one(struct db *db, void *context, GError **error)
{
	struct edit *edit = context;
	AUTO(store_workflow) workflow = store_workflow_lock(db, edit->workspace, edit->id, error);

	if (!workflow)
		return false;
	enum store_workflow_status before = workflow->status;
	workflow->updated = store_edit_time(workflow->updated);
	workflow->status = WORKFLOW_DRAFT;
	return turn(edit, workflow, before, error) && store_workflow_update(db, workflow, error) &&
	       store_workflow_task_add(db, edit->workspace, edit->id, TASK_STOP, error);
}

bool
automation_workflow_stop(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	const struct store_workflow_task task = {*id, TASK_STOP};
	struct edit edit = {.service = service, .workspace = workspace, .id = id};
	struct task_run run = {&task, 0, 0};

	if (!db_transact(service->db, stop_one, &edit, error))
		return false;
	for (guint i = 0; i < STOP_BATCHES && (i == 0 || run.count > 0); i++)
		if (!workflow_run_batch(service, &run, error))
			return false;
	return true;
}

bool
automation_workflow_run_tasks(struct service *service, guint *count_r, GError **error)
{
	g_autoptr(GArray) tasks = store_workflow_task_list(service->db, error);

	*count_r = 0;
	if (!tasks)
		return false;
	for (guint i = 0; i < tasks->len; i++) {
		struct task_run run = {&g_array_index(tasks, struct store_workflow_task, i), 0, 0};

		if (!workflow_run_batch(service, &run, error))
			return false;
		*count_r += run.count;
	}
	return true;
}
