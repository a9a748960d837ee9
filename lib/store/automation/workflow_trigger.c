/* SPDX-License-Identifier: MIT */
/* The triggers of workflows: finds the workflows that an event starts and the executions that
   wait for it. */
#include "store/automation/workflow.h"

#include <string.h>

#include "db/statement.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"
#include "store/workspace/limit.h"

/* A transaction that pauses or changes a workflow waits for the events that start it. */
#define WORKFLOWS_OF(names)                                                                        \
	"SELECT workflow_id, version, EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(      \
	    "?", "20") "), event_name FROM workflow_trigger t"                                     \
		       " WHERE t.workspace_id = ? AND t.event_name " names " LOCK IN SHARE MODE"

/* The traces of contacts in workflows: the workflows that they entered, and the executions that
   wait for events of these names. */
#define LEFT_OF(contacts, names)                                                                   \
	"(SELECT contact_id, workflow_id, event_name, started, NULL AS id, NULL AS version,"       \
	" NULL AS step_id, NULL AS step_time, NULL AS wait_until"                                  \
	" FROM workflow_entry WHERE contact_id " contacts ")"                                      \
	" UNION ALL (SELECT w.contact_id, x.workflow_id, w.event_name, NULL, x.id, x.version,"     \
	" x.step_id, x.step_time, x.wait_until FROM execution_wait w JOIN execution x"             \
	" ON x.id = w.execution_id WHERE w.contact_id " contacts " AND w.event_name " names ")"
#define FEW_MARKS "?, ?, ?, ?"
#define MANY_MARKS DB_MARKS_8 ", " DB_MARKS_8

enum { SET, CLEAR, WORKFLOWS, WORKFLOWS_MANY, LEFT, LEFT_FEW, LEFT_MANY, ENTER_FIRST, ENTER, OPEN };
/* By checked ids: CLEAR, LEFT, LEFT_FEW, LEFT_MANY. The caller has locked the workflow or the
   contact, or has the contact from its workspace. */
static const char *const sql[] = {
    [SET] = "INSERT INTO workflow_trigger (workspace_id, event_name, workflow_id, version)"
	    " VALUES (?, ?, ?, ?)",
    [CLEAR] = "DELETE FROM workflow_trigger WHERE workflow_id = ?",
    [WORKFLOWS] = WORKFLOWS_OF("= ?"),
    [WORKFLOWS_MANY] = WORKFLOWS_OF("IN (" MANY_MARKS ")"),
    [LEFT] = LEFT_OF("= ?", "= ?"),
    [LEFT_FEW] = LEFT_OF("IN (" FEW_MARKS ")", "IN (" FEW_MARKS ")"),
    [LEFT_MANY] = LEFT_OF("IN (" MANY_MARKS ")", "IN (" MANY_MARKS ")"),
    [ENTER_FIRST] = "INSERT INTO workflow_entry"
		    " (workflow_id, contact_id, workspace_id, event_name, started)"
		    " VALUES (?, ?, ?, ?, ?)",
    [ENTER] = "INSERT INTO workflow_entry"
	      " (workflow_id, contact_id, workspace_id, event_name, started)"
	      " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	      " event_name = IF(VALUES(started) < started, event_name, VALUES(event_name)),"
	      " started = GREATEST(started, VALUES(started))",
    [OPEN] = "INSERT IGNORE INTO workflow_opened (workflow_id, email_id, status, workspace_id)"
	     " VALUES (?, ?, ?, ?)",
};

/* The columns of WORKFLOWS_OF. */
enum { WORKFLOWS_ID, WORKFLOWS_VERSION, WORKFLOWS_TOLD, WORKFLOWS_EVENT };

#define MANY 16 /* the number of names that WORKFLOWS_MANY takes */
#define WORKFLOWS_VALUES (2 + MANY)

/* The columns of LEFT_OF. */
enum {
	LEFT_CONTACT,
	LEFT_WORKFLOW,
	LEFT_EVENT,
	LEFT_STARTED,
	LEFT_EXECUTION,
	LEFT_VERSION,
	LEFT_STEP,
	LEFT_STEP_TIME,
	LEFT_WAIT_UNTIL
};

bool
store_workflow_trigger_clear(struct db *db, const struct base_id *workflow, GError **error)
{
	return db_run(db, sql[CLEAR], DB_VALUES(db_id(workflow)), NULL, error);
}

bool
store_workflow_trigger_set(
    struct db *db, const struct store_workflow *workflow, const char *event_name, GError **error)
{
	return store_workflow_trigger_clear(db, &workflow->id, error) &&
	       store_limit_hold_event(db, &workflow->workspace_id, event_name, error) &&
	       db_run(db, sql[SET],
		   DB_VALUES(db_id(&workflow->workspace_id), db_text(event_name),
		       db_id(&workflow->id), db_int(workflow->active_version)),
		   NULL, error);
}

static void
clear_target(void *data)
{
	struct store_target *target = data;

	g_free(target->last_event);
	g_free(target->step_id);
}

static GArray *
no_targets(void)
{
	GArray *targets = g_array_new(FALSE, TRUE, sizeof(struct store_target));

	g_array_set_clear_func(targets, clear_target);
	return targets;
}

/* Gives the query of the workflows that events of these names start, each name once. */
static struct db_query
ask_workflows(const struct base_id *workspace, const char *const *names, guint count,
    struct db_value values[WORKFLOWS_VALUES])
{
	guint marks = count == 1 ? 1 : MANY;

	values[0] = values[1] = db_id(workspace);
	for (guint i = 0; i < marks; i++)
		values[2 + i] = db_text(names[MIN(i, count - 1)]);
	return (struct db_query){sql[count == 1 ? WORKFLOWS : WORKFLOWS_MANY], values, 2 + marks};
}

static void
add_workflow(GArray *targets, const struct db_rows *rows)
{
	struct store_target target = {.version = (guint)db_rows_int(rows, WORKFLOWS_VERSION),
	    .is_told = db_rows_int(rows, WORKFLOWS_TOLD)};

	db_rows_id(rows, WORKFLOWS_ID, &target.workflow_id);
	g_array_append_val(targets, target);
}

static void
workflow_trigger_add_entry(
    GArray *targets, const struct base_id *workflow, const struct db_rows *rows)
{
	for (guint i = 0; i < targets->len; i++) {
		struct store_target *target = &g_array_index(targets, struct store_target, i);

		if (target->is_wait || !base_id_equal(&target->workflow_id, workflow))
			continue;
		target->last_event = g_strdup(db_rows_text(rows, LEFT_EVENT));
		target->last_time = db_rows_int(rows, LEFT_STARTED);
	}
}

/* Reads an entry into workflows, or an execution that waits. */
static void
add_left(GArray *targets, const struct db_rows *rows)
{
	struct store_target wait = {.is_wait = true};

	db_rows_id(rows, LEFT_WORKFLOW, &wait.workflow_id);
	if (!db_rows_id(rows, LEFT_EXECUTION, &wait.execution_id)) {
		workflow_trigger_add_entry(targets, &wait.workflow_id, rows);
		return;
	}
	wait.version = (guint)db_rows_int(rows, LEFT_VERSION);
	wait.step_id = g_strdup(db_rows_text(rows, LEFT_STEP));
	wait.step_time = db_rows_int(rows, LEFT_STEP_TIME);
	wait.wait_until = db_rows_int(rows, LEFT_WAIT_UNTIL);
	g_array_append_val(targets, wait);
}

GArray *
store_workflow_trigger_targets(
    struct db *db, const struct store_person *contact, const char *event_name, GError **error)
{
	struct db_value id = db_id(&contact->id), name = db_text(event_name);
	struct db_value values[WORKFLOWS_VALUES];
	const struct db_query queries[] = {
	    ask_workflows(&contact->workspace_id, &event_name, 1, values),
	    {sql[LEFT], DB_VALUES(id, id, name)},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return NULL;
	GArray *targets = no_targets();
	while (db_rows_next(rows[0]))
		add_workflow(targets, rows[0]);
	while (db_rows_next(rows[1]))
		add_left(targets, rows[1]);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return targets;
}

/* Gives a row to the event that it is for: the contact's, and of this name where it waits. */
static void
give_left(struct store_workflow_sought *const *sought, guint count, const struct db_rows *rows)
{
	bool waits = !db_rows_is_null(rows, LEFT_EXECUTION);
	struct base_id contact;

	db_rows_id(rows, LEFT_CONTACT, &contact);
	for (guint i = 0; i < count; i++)
		if (base_id_equal(&sought[i]->contact->id, &contact) &&
		    (!waits || strcmp(db_rows_text(rows, LEFT_EVENT), sought[i]->event_name) == 0))
			add_left(sought[i]->targets, rows);
}

/* Reads what at most MANY contacts have left. */
static bool
workflow_trigger_read_left(
    struct db *db, struct store_workflow_sought *const *sought, guint count, GError **error)
{
	static const struct {
		int statement;
		guint marks;
	} sizes[] = {{LEFT, 1}, {LEFT_FEW, 4}, {LEFT_MANY, MANY}};
	struct db_value values[3 * MANY];
	guint size = 0;

	while (sizes[size].marks < count)
		size++;
	guint marks = sizes[size].marks;
	for (guint i = 0; i < marks; i++) {
		const struct store_workflow_sought *one = sought[MIN(i, count - 1)];

		values[i] = values[marks + i] = db_id(&one->contact->id);
		values[2 * marks + i] = db_text(one->event_name);
	}
	AUTO(db_rows) rows =
	    db_select(db, sql[sizes[size].statement], values, 3 * (gsize)marks, error);
	while (rows && db_rows_next(rows))
		give_left(sought, count, rows);
	return rows != NULL;
}

/* A contact that never entered a workflow has left nothing. */
static bool
read_all_left(struct db *db, struct store_workflow_sought *sought, guint count, GError **error)
{
	struct store_workflow_sought *entered[MANY];
	guint found = 0;

	for (guint i = 0; i < count; i++) {
		if (sought[i].contact && sought[i].contact->entered)
			entered[found++] = &sought[i];
		if (found == 0 || (found < MANY && i + 1 < count))
			continue;
		if (!workflow_trigger_read_left(db, entered, found, error))
			return false;
		found = 0;
	}
	return true;
}

static void
clear_sought(struct store_workflow_sought *sought, guint count)
{
	for (guint i = 0; i < count; i++) {
		g_clear_pointer(&sought[i].contact, store_person_free);
		g_clear_pointer(&sought[i].targets, g_array_unref);
	}
}

/* Events of one workspace that are read together. */
struct share {
	struct store_workflow_sought *sought;
	guint count;
	struct db_value people[PERSON_LOCK_VALUES], workflows[WORKFLOWS_VALUES];
};

G_STATIC_ASSERT(MANY == PERSON_LOCK_MOST);

/* The number of events, from the first on, of the same workspace. */
static guint
workflow_trigger_count_same(const struct store_workflow_sought *sought, guint count)
{
	guint same = 1;

	while (same < MIN(count, MANY) && base_id_equal(sought->workspace, sought[same].workspace))
		same++;
	return same;
}

/* Gives the two queries of a share: of the contacts and of the workflows. */
static void
workflow_trigger_ask(struct share *share, struct db_query queries_r[2])
{
	const struct base_id *workspace = share->sought->workspace;
	const char *addresses[MANY] = {NULL}, *names[MANY];
	guint different = 0;

	for (guint i = 0; i < share->count; i++) {
		const struct store_workflow_sought *sought = &share->sought[i];
		guint known = 0;

		addresses[i] = sought->address;
		while (known < different && strcmp(names[known], sought->event_name) != 0)
			known++;
		if (known == different)
			names[different++] = sought->event_name;
	}
	queries_r[0] = store_person_ask(workspace, addresses, share->count, share->people);
	queries_r[1] = ask_workflows(workspace, names, different, share->workflows);
}

static void
take_contact(const struct share *share, struct store_person *contact)
{
	for (guint i = 0; i < share->count; i++)
		if (strcmp(share->sought[i].address, contact->address) == 0) {
			share->sought[i].contact = contact;
			return;
		}
	store_person_free(contact);
}

static void
read_share(const struct share *share, struct db_rows *const rows[2])
{
	struct store_person *contact;

	for (guint i = 0; i < share->count; i++)
		share->sought[i].targets = no_targets();
	while ((contact = store_person_read(rows[0], share->sought->workspace)))
		take_contact(share, contact);
	while (db_rows_next(rows[1])) {
		const char *name = db_rows_text(rows[1], WORKFLOWS_EVENT);

		for (guint i = 0; i < share->count; i++)
			if (strcmp(share->sought[i].event_name, name) == 0)
				add_workflow(share->sought[i].targets, rows[1]);
	}
}

bool
store_workflow_trigger_lock(
    struct db *db, struct store_workflow_sought *sought, guint count, GError **error)
{
	g_autofree struct share *shares = g_new(struct share, count);
	g_autofree struct db_query *queries = g_new(struct db_query, 2 * (gsize)count);
	g_autofree struct db_rows **rows = g_new0(struct db_rows *, 2 * (gsize)count);
	guint shared = 0;

	for (guint i = 0; i < count; i += shares[shared++].count) {
		shares[shared].sought = sought + i;
		shares[shared].count = workflow_trigger_count_same(sought + i, count - i);
		workflow_trigger_ask(&shares[shared], queries + 2 * (gsize)shared);
	}
	gsize asked = 2 * (gsize)shared;
	if (!db_select_together(db, queries, asked, rows, error))
		return false;
	for (guint i = 0; i < shared; i++)
		read_share(&shares[i], rows + 2 * (gsize)i);
	db_rows_free_all(rows, asked);
	if (read_all_left(db, sought, count, error))
		return true;
	clear_sought(sought, count);
	return false;
}

bool
store_workflow_trigger_enter(
    struct db *db, const struct store_workflow_entry *entry, GError **error)
{
	const struct db_value values[] = {db_id(entry->workflow), db_id(entry->contact),
	    db_id(entry->workspace), db_text(entry->event_name), db_int(entry->time)};

	return db_defer_row(
	    db, sql[entry->first ? ENTER_FIRST : ENTER], values, G_N_ELEMENTS(values), error);
}

bool
store_workflow_trigger_open(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *email, int status, bool *first_r,
    GError **error)
{
	guint64 added = 0;
	bool done = db_run(db, sql[OPEN],
	    DB_VALUES(db_id(workflow), db_id(email), db_int(status), db_id(workspace)), &added,
	    error);

	*first_r = added > 0;
	return done;
}
