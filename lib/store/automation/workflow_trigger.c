/* SPDX-License-Identifier: MIT */
/* The triggers of workflows: finds the workflows that an event starts and the executions that
   wait for it. */
#include "store/automation/workflow.h"

#include <string.h>

#include "db/statement.h"
#include "store/common/rows.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"
#include "store/workspace/limit.h"

/* A transaction that pauses or changes a workflow waits for the events that start it. */
#define WORKFLOWS_OF(names)                                                                        \
	"SELECT workflow_id, version, EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(      \
	    "?", "20") "), event_name FROM workflow_trigger t"                                     \
		       " WHERE t.workspace_id = ? AND t.event_name " names " LOCK IN SHARE MODE"

/* The traces of contacts in workflows: the workflows that they entered, the executions that wait
   for events of these names, and those that have them as goal or exit. */
#define OF_WAIT                                                                                    \
	"SELECT w.contact_id, x.workflow_id, w.event_name, NULL, x.id, x.version, x.step_id,"      \
	" x.step_time, x.wait_until, "
#define OF_WATCH                                                                                   \
	OF_WAIT                                                                                    \
	"w.kind, NULL, x.status, x.goal_at, x.event_id, w.until, x.step_count FROM "               \
	"execution_watch w"                                                                        \
	" FORCE INDEX (PRIMARY) JOIN execution x ON x.id = w.execution_id WHERE w.contact_id "
#define LEFT_OF(contacts, names, marks)                                                            \
	"(SELECT contact_id, workflow_id, event_name, started, NULL AS id, NULL AS version,"       \
	" NULL AS step_id, NULL AS step_time, NULL AS wait_until, NULL AS kind, NULL AS property," \
	" NULL AS status, NULL AS goal_at, NULL AS event_id, NULL AS until, NULL AS step_count"    \
	" FROM workflow_entry WHERE contact_id " contacts ")"                                      \
	" UNION ALL (" OF_WAIT WATCH_WAIT_SQL ", NULL, NULL, NULL, NULL, NULL, NULL"               \
	" FROM execution_wait w JOIN execution x"                                                  \
	" ON x.id = w.execution_id WHERE w.contact_id " contacts " AND w.event_name " names ")"    \
	" UNION ALL (" OF_WATCH contacts " AND w.event_name IN (" marks                            \
	", '') AND w.property = '')"
#define FEW_MARKS "?, ?, ?, ?"
#define MANY_MARKS DB_MARKS_8 ", " DB_MARKS_8

enum {
	SET,
	CLEAR,
	WORKFLOWS,
	WORKFLOWS_MANY,
	LEFT,
	LEFT_FEW,
	LEFT_MANY,
	WATCHING,
	PROPERTY,
	ENTER_FIRST,
	ENTER,
	OPEN
};
/* By checked ids: CLEAR, LEFT, LEFT_FEW, LEFT_MANY, WATCHING, PROPERTY. The caller has locked the
   workflow or the contact, or has the contact from its workspace. */
static const char *const sql[] = {
    [SET] = "INSERT INTO workflow_trigger (workspace_id, event_name, workflow_id, version)"
	    " VALUES (?, ?, ?, ?)",
    [CLEAR] = "DELETE FROM workflow_trigger WHERE workflow_id = ?",
    [WORKFLOWS] = WORKFLOWS_OF("= ?"),
    [WORKFLOWS_MANY] = WORKFLOWS_OF("IN (" MANY_MARKS ")"),
    [LEFT] = LEFT_OF("= ?", "= ?", "?"),
    [LEFT_FEW] = LEFT_OF("IN (" FEW_MARKS ")", "IN (" FEW_MARKS ")", FEW_MARKS),
    [LEFT_MANY] = LEFT_OF("IN (" MANY_MARKS ")", "IN (" MANY_MARKS ")", MANY_MARKS),
    [WATCHING] = OF_WATCH "= ? AND w.event_name = ? AND w.property = ? AND w.hash = ?",
    /* The next property by whose values executions are found that wait for events of a name. One
       entry is read, however many wait; GROUP BY reads them all where the database's figures are
       old. */
    [PROPERTY] =
	"SELECT contact_id, NULL, event_name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, property,"
	" NULL, NULL, NULL, NULL, NULL FROM execution_watch FORCE INDEX (PRIMARY)"
	" WHERE contact_id = ? AND event_name = ? AND property > ? ORDER BY property LIMIT 1",
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
	LEFT_WAIT_UNTIL,
	LEFT_KIND,
	LEFT_PROPERTY,
	LEFT_STATUS,
	LEFT_GOAL_AT,
	LEFT_EVENT_ID,
	LEFT_UNTIL,
	LEFT_STEP_COUNT
};

/* The values of LEFT_OF: contacts, then contacts and names of each of the two kinds of watches. */
#define LEFT_LISTS 5

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
	g_free(target->property);
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

		if (target->kind != TARGET_WORKFLOW ||
		    !base_id_equal(&target->workflow_id, workflow))
			continue;
		target->last_event = g_strdup(db_rows_text(rows, LEFT_EVENT));
		target->last_time = db_rows_int(rows, LEFT_STARTED);
	}
}

/* Reads an entry into workflows, an execution that waits or that has the event as goal or exit, or
   a property. */
static void
add_left(GArray *targets, const struct db_rows *rows)
{
	struct store_target target = {.kind = TARGET_WAIT};
	gint64 kind = db_rows_int(rows, LEFT_KIND);

	if (!db_rows_is_null(rows, LEFT_PROPERTY)) {
		target.kind = TARGET_PROPERTY;
		target.property = g_strdup(db_rows_text(rows, LEFT_PROPERTY));
		g_array_append_val(targets, target);
		return;
	}
	db_rows_id(rows, LEFT_WORKFLOW, &target.workflow_id);
	if (!db_rows_id(rows, LEFT_EXECUTION, &target.execution_id)) {
		workflow_trigger_add_entry(targets, &target.workflow_id, rows);
		return;
	}
	if (kind != WATCH_WAIT)
		target.kind = kind == WATCH_GOAL ? TARGET_GOAL : TARGET_EXIT;
	target.version = (guint)db_rows_int(rows, LEFT_VERSION);
	target.step_id = g_strdup(db_rows_text(rows, LEFT_STEP));
	target.step_time = db_rows_int(rows, LEFT_STEP_TIME);
	target.wait_until = db_rows_int(rows, LEFT_WAIT_UNTIL);
	target.status = (enum store_execution_status)db_rows_int(rows, LEFT_STATUS);
	target.goal_at = db_rows_int(rows, LEFT_GOAL_AT);
	target.until = db_rows_int(rows, LEFT_UNTIL);
	target.step_count = (guint)db_rows_int(rows, LEFT_STEP_COUNT);
	db_rows_id(rows, LEFT_EVENT_ID, &target.event_id);
	g_array_append_val(targets, target);
}

GArray *
store_workflow_trigger_targets(
    struct db *db, const struct store_person *contact, const char *event_name, GError **error)
{
	struct db_value id = db_id(&contact->id), name = db_text(event_name);
	struct db_value values[WORKFLOWS_VALUES];
	const struct db_query queries[] = {
	    ask_workflows(&contact->workspace_id, &event_name, 1, values),
	    {sql[LEFT], DB_VALUES(id, id, name, id, name)},
	    {sql[PROPERTY], DB_VALUES(id, name, db_text(""))},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return NULL;
	GArray *targets = no_targets();
	while (db_rows_next(rows[0]))
		add_workflow(targets, rows[0]);
	for (guint i = 1; i < G_N_ELEMENTS(rows); i++)
		while (db_rows_next(rows[i]))
			add_left(targets, rows[i]);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return targets;
}

bool
store_workflow_trigger_watching(
    struct db *db, const struct store_watch *watch, GArray *targets, GError **error)
{
	struct db_value contact = db_id(watch->contact), name = db_text(watch->event_name),
			property = db_text(watch->property);
	const struct db_query queries[] = {
	    {sql[WATCHING], DB_VALUES(contact, name, property,
				db_bytes((const char *)watch->hash, WATCH_HASH_SIZE))},
	    {sql[PROPERTY], DB_VALUES(contact, name, property)},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
		while (db_rows_next(rows[i]))
			add_left(targets, rows[i]);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return true;
}

/* Gives a row to the event that it is for: the contact's, and of this name where it waits. */
static void
give_left(struct store_workflow_sought *const *sought, guint count, const struct db_rows *rows)
{
	bool is_named = !db_rows_is_null(rows, LEFT_EXECUTION);
	const char *name = db_rows_text(rows, LEFT_EVENT);
	struct base_id contact;

	db_rows_id(rows, LEFT_CONTACT, &contact);
	for (guint i = 0; i < count; i++)
		if (base_id_equal(&sought[i]->contact->id, &contact) &&
		    (!is_named || !*name || strcmp(name, sought[i]->event_name) == 0))
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
	struct db_value values[LEFT_LISTS * MANY], properties[MANY][3];
	struct db_query queries[1 + MANY];
	struct db_rows *rows[G_N_ELEMENTS(queries)];
	guint size = 0;

	while (sizes[size].marks < count)
		size++;
	guint marks = sizes[size].marks;
	for (guint i = 0; i < marks; i++) {
		const struct store_workflow_sought *one = sought[MIN(i, count - 1)];

		values[i] = db_id(&one->contact->id);
		for (guint list = 1; list < LEFT_LISTS; list += 2) {
			values[list * marks + i] = values[i];
			values[(list + 1) * marks + i] = db_text(one->event_name);
		}
	}
	queries[0] =
	    (struct db_query){sql[sizes[size].statement], values, LEFT_LISTS * (gsize)marks};
	for (guint i = 0; i < count; i++) {
		properties[i][0] = db_id(&sought[i]->contact->id);
		properties[i][1] = db_text(sought[i]->event_name);
		properties[i][2] = db_text("");
		queries[1 + i] =
		    (struct db_query){sql[PROPERTY], properties[i], G_N_ELEMENTS(properties[i])};
	}
	guint asked = 1 + count;
	if (!db_select_together(db, queries, asked, rows, error))
		return false;
	while (db_rows_next(rows[0]))
		give_left(sought, count, rows[0]);
	for (guint i = 0; i < count; i++)
		while (db_rows_next(rows[1 + i]))
			add_left(sought[i]->targets, rows[1 + i]);
	db_rows_free_all(rows, asked);
	return true;
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

#define ENTER_COLUMNS 5

bool
store_workflow_trigger_enter(
    struct db *db, const struct store_workflow_entry *entries, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)ENTER_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_workflow_entry *entry = &entries[i];
		const struct db_value row[ENTER_COLUMNS] = {db_id(entry->workflow),
		    db_id(entry->contact), db_id(entry->workspace), db_text(entry->event_name),
		    db_int(entry->time)};

		memcpy(values + (gsize)ENTER_COLUMNS * i, row, sizeof(row));
	}
	return count == 0 || store_rows_insert(db, sql[entries[0].first ? ENTER_FIRST : ENTER],
				 values, ENTER_COLUMNS, count, error);
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
