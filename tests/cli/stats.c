/* SPDX-License-Identifier: MIT */
/* posthouse stats: a chart, comma-separated values, the API's objects. */
#include "tests/cli/office.h"

OFFICE_SUITE(stats);

#define DAYS "stats --from 2026-11-01 --to 2026-12-01"

static void
stats_expect(const char *line, int status, const char *output, const char *errors)
{
	program_expect(config, line, status, output, errors);
}

Test(stats, refuses_what_it_does_not_know)
{
	stats_expect(
	    "stats --group-by size", 65, NULL, "posthouse: group_by must be one of day, *");
	stats_expect("stats --group-by node", 65, NULL, "posthouse: workflow_id is required*");
	stats_expect("stats --from never", 64, NULL, "posthouse: --from *");
}

Test(stats, shows_figures)
{
	g_setenv("LC_ALL", "C", TRUE);
	stats_expect("stats", 0, "Nothing happened in these days.\n", NULL);
	test_db_plain(db,
	    "INSERT INTO figure (workspace_id, dimension, owner, name, day, stripe, accepted, sent)"
	    " SELECT id, 1, REPEAT('\\0', 16), 'gmail', DATEDIFF('2026-11-20', '1970-01-01'), 1, 4,"
	    " 2 FROM workspace");
	stats_expect(DAYS, 0, "day *sent *delivered *replied\n2026-11-20 * 2 *##*\n", NULL);
	stats_expect(DAYS " --csv", 0,
	    "\"key\",\"day\",\"accepted\",\"sent\",*\n\"\",\"2026-11-20\",\"4\",\"2\",*\n", NULL);
	stats_expect(DAYS " --group-by provider --json", 0,
	    "{\"stats\":*{\"key\":\"gmail\",\"day\":null,\"accepted\":4,\"sent\":2,*}*\n", NULL);
	g_setenv("LC_ALL", "C.UTF-8", TRUE);
	stats_expect(
	    DAYS " --group-by provider,day", 0, "key *day *\ngmail 2026-11-20 *\u2588*\n", NULL);
}
