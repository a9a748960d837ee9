/* SPDX-License-Identifier: MIT */
/* Tests posthouse property on a real database. */
#include <glib/gstdio.h>

#include "tests/cli/office.h"

OFFICE_SUITE(property);

Test(property, is_defined_listed_and_removed)
{
	static const struct {
		const char *line;
		int status;
		const char *output, *errors;
	} cases[] = {
	    {"property list", 0, "There are no definitions yet.\n", NULL},
	    {"property add plan string --default 'a \"b\"'", 0, "Property defined: plan\n", NULL},
	    {"property add plan number", 73, NULL, "*Property already exists*"},
	    {"property add 1a string", 65, NULL, "*key must be 1 to 50 letters*"},
	    {"property add age number --default old", 65, NULL, "*--default must be a number*"},
	    {"property add age number --default 18.5 --json", 0,
		"{\"key\":\"age\",\"type\":\"number\",\"default\":18.5,\"created\":*", NULL},
	    {"property add vip boolean --default yes", 0, "Property defined: vip\n", NULL},
	    {"property add born date --default 2026-13-01", 65, NULL, "*--default must be a date*"},
	    {"property add age number --default ''", 65, NULL, "*--default must be a number*"},
	    {"property add note string --default '' --json", 0,
		"{\"key\":\"note\",\"type\":\"string\",\"default\":\"\",*", NULL},
	    {"property remove note", 0, "Property removed: note\n", NULL},
	    {"property add born date", 0, "Property defined: born\n", NULL},
	    {"property list --json", 0,
		"{\"properties\":[{\"key\":\"age\",*\"default\":18.5,*},{\"key\":\"born\",*"
		"\"default\":null,*},{\"key\":\"plan\",*\"default\":\"a *b*\",*},"
		"{\"key\":\"vip\",*\"default\":true,*}]}\n",
		NULL},
	    {"property remove age --json", 0,
		"{\"key\":\"age\",\"message\":\"Property deleted\"}\n", NULL},
	    {"property remove age", 66, NULL, "*Property not found*"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		program_expect(
		    config, cases[i].line, cases[i].status, cases[i].output, cases[i].errors);
	g_autofree char *audit = test_mariadb_sql(NULL,
	    "SELECT GROUP_CONCAT(target_id ORDER BY id SEPARATOR ' ') FROM test_%d.audit"
	    " WHERE target_type = 'property'",
	    (int)getpid());
	cr_expect_str_eq(g_strchomp(audit), "plan age vip note note born age", "%s", audit);
}
