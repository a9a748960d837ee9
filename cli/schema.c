/* posthouse schema: the tables of the database, and whether they are ours. */
#include "cli/call.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "store/schema.h"

static void
tell(int version, const char *name, void *context)
{
	struct call *call = context;

	cli_output_progress(call->output, "%04d-%s", version, name);
}

static bool
migrate(struct call *call, GError **error)
{
	int before;

	if (!store_schema_version(call->db, &before, error) ||
	    !store_schema_migrate(call->db, tell, call, error))
		return false;
	int after = store_schema_latest();
	cli_output_say(call->output,
	    FIELDS(cli_number("version", after), cli_truth("changed", before != after)),
	    before == after ? "The schema is up to date: version %d."
			    : "The schema has version %d.",
	    after);
	return true;
}

static bool
show_status(struct call *call, GError **error)
{
	int version, latest = store_schema_latest();

	if (!store_schema_version(call->db, &version, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_number("version", version), cli_number("latest", latest),
		cli_truth("up_to_date", version == latest)),
	    "The database has schema version %d, this program %d.", version, latest);
	return store_schema_check(call->db, error);
}

static const struct command commands[] = {
    {"migrate",
	"Bring the database to the schema of this program. To run it twice does no harm, nor does "
	"breaking it off.",
	NEED_DATABASE, .run = migrate},
    {"status",
	"Compare the schema of the database with that of this program. Unless they are the same, "
	"it fails.",
	NEED_DATABASE, .run = show_status},
};

const struct noun cli_noun_schema = {"schema", commands, G_N_ELEMENTS(commands)};
