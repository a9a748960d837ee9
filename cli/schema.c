/* SPDX-License-Identifier: MIT */
/* posthouse schema: migrates the database's tables, and compares their version with the program's.
 */
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/common/schema.h"

struct migration {
	struct cli_call *call;
	bool is_new; /* all tables come at once, so that single steps tell nothing */
	guint steps;
};

static void
schema_tell(int version, const char *name, void *context)
{
	struct migration *migration = context;

	migration->steps++;
	if (!migration->is_new)
		cli_output_progress(migration->call->output, "%04d-%s", version, name);
}

struct planning {
	struct cli_output *output;
	bool finishes; /* late steps, too */
	guint changes, lates;
	gint64 seconds;
};

/* Tells of the steps that older programs do not work with. */
#define LEFT                                                                                       \
	"%u %s left that older programs do not work with: once none of them runs, run "            \
	"\"posthouse schema migrate --finish\"."

static void
schema_tell_left(struct cli_output *output, guint lates)
{
	if (lates > 0)
		cli_output_progress(output, LEFT, lates, lates == 1 ? "change is" : "changes are");
}

static void
show_change(const struct store_schema_change *change, void *context)
{
	static const char *const works[SCHEMA_WORKS] = {
	    [SCHEMA_CREATE] = "makes a table",
	    [SCHEMA_INSTANT] = "changes columns, at once",
	    [SCHEMA_INDEX] = "makes an index, online",
	    [SCHEMA_REBUILD] = "writes the table anew",
	    [SCHEMA_ROWS] = "changes rows",
	    [SCHEMA_BATCHES] = "changes rows in batches, online",
	};
	struct planning *planning = context;

	if (change->is_late && !planning->finishes) {
		planning->lates++;
		return;
	}
	g_autofree char *step = g_strdup_printf("%04d-%s", change->version, change->name);

	planning->changes++;
	planning->seconds += change->seconds;
	cli_output_row(planning->output,
	    FIELDS(cli_text("step", step), cli_text("table", change->table),
		cli_text("work", works[change->work]), cli_number("rows", change->rows),
		cli_number("seconds", change->seconds)));
}

/* Shows what migrate would do. */
static bool
show_plan(struct cli_call *call, bool finishes, GError **error)
{
	struct planning planning = {call->output, finishes, 0, 0, 0};
	bool is_new;

	if (!store_schema_is_new(call->db, &is_new, error))
		return false;
	planning.finishes = finishes || is_new;
	cli_output_list_begin(call->output, "steps", "The schema is up to date.");
	if (!store_schema_plan(call->db, show_change, &planning, error))
		return false;
	cli_output_list_end(call->output);
	if (is_new)
		cli_output_progress(call->output,
		    "This is a new installation: the tables are made at once as these steps leave "
		    "them.");
	if (planning.changes > 0)
		cli_output_progress(call->output,
		    "This takes about %" G_GINT64_FORMAT
		    " s. Nothing was changed; the rows are MariaDB's estimates.",
		    MAX(planning.seconds, 1));
	schema_tell_left(call->output, planning.lates);
	return true;
}

static void
schema_count_late(const struct store_schema_change *change, void *context)
{
	guint *lates = context;

	*lates += change->is_late;
}

enum { MIGRATE_DRY_RUN, MIGRATE_FINISH };
static const struct cli_parameter migrate_parameters[] = {
    [MIGRATE_DRY_RUN] = {"--dry-run",
	"change nothing; show the statements to come, the rows that they go through, and about how "
	"long they take",
	.type = PARAMETER_FLAG},
    [MIGRATE_FINISH] = {"--finish",
	"also make the changes that older programs do not work with; none of them may run any more",
	.type = PARAMETER_FLAG},
};

static bool
schema_migrate_run(struct cli_call *call, GError **error)
{
	struct migration migration = {call, false, 0};
	bool finishes = call->values[MIGRATE_FINISH].number != 0;
	guint lates = 0;
	int version;

	if (call->values[MIGRATE_DRY_RUN].number != 0)
		return show_plan(call, finishes, error);
	if (!store_schema_is_new(call->db, &migration.is_new, error) ||
	    !(finishes ? store_schema_migrate : store_schema_prepare)(
		call->db, schema_tell, &migration, error) ||
	    !store_schema_version(call->db, &version, error) ||
	    !store_schema_plan(call->db, schema_count_late, &lates, error))
		return false;
	if (migration.is_new)
		cli_output_progress(call->output, "The tables of a new installation are made.");
	cli_output_say(call->output,
	    FIELDS(cli_number("version", version), cli_truth("changed", migration.steps > 0)),
	    migration.steps == 0 ? "The schema is up to date: version %d."
				 : "The schema now has version %d.",
	    version);
	schema_tell_left(call->output, lates);
	return true;
}

static bool
show_status(struct cli_call *call, GError **error)
{
	int version;
	g_autoptr(GError) fault = NULL;

	if (!store_schema_version(call->db, &version, error))
		return false;
	bool fits = store_schema_check(call->db, &fault);
	cli_output_say(call->output,
	    FIELDS(cli_number("version", version), cli_number("latest", store_schema_latest()),
		cli_truth("up_to_date", fits)),
	    "The database has schema version %d, this program %d.", version, store_schema_latest());
	if (!fits)
		g_propagate_error(error, g_steal_pointer(&fault));
	return fits;
}

static const struct cli_command commands[] = {
    {"migrate",
	"Upgrade the database to the schema of this program. It may be run twice, and may be "
	"interrupted.",
	NEED_DATABASE, PARAMETERS(migrate_parameters), .run = schema_migrate_run},
    {"status",
	"Compare the schema of the database with that of this program. Unless they are the same, "
	"it fails.",
	NEED_DATABASE, .run = show_status},
};

const struct cli_noun cli_noun_schema = {"schema", commands, G_N_ELEMENTS(commands)};
