/* SPDX-License-Identifier: MIT */
/* posthouse schema: migrates the database's tables, and compares their version with the program's.
 */
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/schema.h"

struct migration {
	struct cli_call *call;
	guint steps;
};

static void
tell(int version, const char *name, void *context)
{
	struct migration *migration = context;

	migration->steps++;
	cli_output_progress(migration->call->output, "%04d-%s", version, name);
}

static bool
migrate(struct cli_call *call, GError **error)
{
	struct migration migration = {call, 0};

	if (!store_schema_migrate(call->db, tell, &migration, error))
		return false;
	int version = store_schema_latest();
	cli_output_say(call->output,
	    FIELDS(cli_number("version", version), cli_truth("changed", migration.steps > 0)),
	    migration.steps == 0 ? "The schema is up to date: version %d."
				 : "The schema now has version %d.",
	    version);
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
	NEED_DATABASE, .run = migrate},
    {"status",
	"Compare the schema of the database with that of this program. Unless they are the same, "
	"it fails.",
	NEED_DATABASE, .run = show_status},
};

const struct cli_noun cli_noun_schema = {"schema", commands, G_N_ELEMENTS(commands)};
