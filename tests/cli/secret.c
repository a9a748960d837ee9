/* SPDX-License-Identifier: MIT */
/* Tests posthouse secret on a real database. */
#include <string.h>

#include "tests/cli/news.h"

NEWS_SUITE(secret);

static void
secret_expect(const char *line, int status, const char *output, const char *errors)
{
	program_expect(news->config, line, status, output, errors);
}

Test(secret, is_set_listed_and_removed)
{
	news_put(news, "Bearer 1\n");
	g_autofree char *set = g_strdup_printf("secret set crm --file %s", news->file);

	secret_expect("secret list", 0, "There are no secrets yet.\n", NULL);
	secret_expect(set, 0, "Secret set: crm\n", NULL);
	secret_expect("secret set signing", 0, "Secret set: signing, whsec_*=\n", NULL);
	secret_expect("secret set signing --json", 0,
	    "{\"name\":\"signing\",\"created\":*,\"updated\":*,\"value\":\"whsec_*\"}\n", NULL);
	secret_expect("secret list --json", 0,
	    "{\"secrets\":[{\"name\":\"crm\",\"created\":*,\"updated\":*},"
	    "{\"name\":\"signing\",*}]}\n",
	    NULL);
	secret_expect("secret set 'a b'", 65, NULL, "*name must be 1 to 64 letters*");
	news_put(news, "");
	secret_expect(set, 65, NULL, "*value must be 1 to 4096 printable ASCII characters*");
	secret_expect("secret set crm --file /nowhere", 66, NULL, "*/nowhere*");
	secret_expect("secret remove signing --json", 0,
	    "{\"name\":\"signing\",\"message\":\"Secret deleted\"}\n", NULL);
	secret_expect("secret remove crm", 0, "Secret removed: crm\n", NULL);
	secret_expect("secret remove crm", 66, NULL, "*Secret not found*");
	secret_expect("secret remove café", 66, NULL, "*Secret not found*");
	cr_expect_eq(
	    test_db_number(news->db, "SELECT COUNT(*) FROM audit WHERE action LIKE 'secret.%'"
				     " AND target_id IN ('crm', 'signing')"),
	    5);
}
