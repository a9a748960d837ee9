/* SPDX-License-Identifier: MIT */
/* posthouse contact export and erase, run as an operator runs them. */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/cli/news.h"

NEWS_SUITE(contact);

/* Export, import into another audience, export: the same file. */
Test(contact, come_back_from_an_export_as_they_were)
{
	g_autofree char *second = g_build_filename(news->dir, "second.csv", NULL);
	g_autofree char *into = g_strdup_printf("contact import Other '%s'", news->file);
	g_autofree char *again = g_strdup_printf("contact export Other '%s'", second);
	g_autofree char *first_text = NULL, *second_text = NULL;

	news_put(news, "email,first_name,last_name,is_subscribed\n"
		       "\"Ann@X.org\",\" A \"\"n\"\" n \",\"=cmd|'/C calc'!A0\",true\n"
		       "'+a@x.org,'t Hooft,''=1,false\n"
		       "b@bücher.example,\"two\r\nlines, and a comma\",Ärger,\n"
		       "\"c@x.org\",\t,\" \",false\n");
	news_expect(news, "import", "", 0, SAID("4", "0", "0", "0", "0"), NULL);
	news_expect(news, "export", "", 0, "Contacts written to *: 4.\n", NULL);
	g_free(program_line(news->config, "audience create Other"));
	program_expect(news->config, into, 0, SAID("4", "0", "0", "0", "0"), NULL);
	program_expect(news->config, again, 0, "Contacts written to *: 4.\n", NULL);
	cr_assert(g_file_get_contents(news->file, &first_text, NULL, NULL));
	cr_assert(g_file_get_contents(second, &second_text, NULL, NULL));
	cr_expect_str_eq(second_text, first_text);
	cr_expect(strstr(first_text, "\"'=cmd|'/C calc'!A0\",\"true\"\r\n"), "%s", first_text);
	news_expect(news, "import", "", 0, SAID("0", "0", "4", "0", "0"), NULL);
	news_expect(news, "export", "--raw", 0, "*", NULL);
	news_expect(news, "import", "--raw", 0, SAID("0", "0", "4", "0", "0"), NULL);
	news_expect(news, "export", "--json", 0, "{\"id\":\"*\",\"contacts\":4}\n", NULL);
}

Test(contact, are_exported_as_a_whole_or_not_at_all)
{
	g_autofree char *nowhere =
	    g_strdup_printf("contact export News '%s/none/x.csv'", news->dir);
	GStatBuf st;

	program_expect(news->config, "contact export News -", 0, "\"email\",*\n", NULL);
	program_expect(news->config, "contact export News", 0,
	    "\"email\",\"first_name\",\"last_name\",\"is_subscribed\"\r\n", NULL);
	program_expect(news->config, "contact export Nobody", 66, NULL, "*no audience*");
	program_expect(news->config, nowhere, 70, NULL, "posthouse: * cannot be written: *\n");
	news_put(news, "email\na@x.org\n");
	news_expect(news, "import", "", 0, "*", NULL);
	news_put(news, "something old");
	news_expect(news, "export", "", 0, "Contacts written to *: 1.\n", NULL);
	cr_assert_eq(g_stat(news->file, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600u, "got %o", (unsigned)st.st_mode & 0777);
	program_expect(news->config, "contact export News", 0,
	    "\"email\",*\r\n\"a@x.org\",\"\",\"\",\"true\"\r\n", NULL);
	g_autoptr(GDir) folder = g_dir_open(news->dir, 0, NULL);
	cr_expect_str_eq(g_dir_read_name(folder), "contacts.csv");
	cr_expect_null(g_dir_read_name(folder), "a draft is left");
}

Test(contact, are_of_their_workspace)
{
	g_autofree char *id = test_db_text(news->db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))) FROM audience");
	g_autofree char *import =
	    g_strdup_printf("contact import %s '%s' --workspace Two", id, news->file);
	g_autofree char *export = g_strdup_printf("contact export %s --workspace Two", id);

	g_free(program_line(news->config, "workspace create Two"));
	news_put(news, "email\na@x.org\n");
	program_expect(news->config, import, 66, NULL, "posthouse: Audience not found\n");
	program_expect(news->config, export, 66, NULL, "posthouse: Audience not found\n");
	program_expect(
	    news->config, "contact export News --workspace Two", 66, NULL, "*no audience*");
	news_expect_state(news, "another workspace", "0/0 ");
}

Test(contact, are_erased)
{
	g_free(program_line(news->config, "workspace create Two"));
	news_put(news, "email,first_name,is_subscribed\nAda@x.org,Ada,false\nb@x.org,B,true\n");
	news_expect(news, "import", "--workspace One", 0, "2 new*", NULL);
	program_expect(news->config, "contact erase ADA@x.org --workspace Two --json", 0,
	    "{\"contacts\":0,*}\n", NULL);
	news_expect_state(news, "another workspace", "2/1 Ada@x.org Ada - 0; b@x.org B - 1");
	program_expect(news->config, "contact erase ADA@x.org --workspace One --json", 0,
	    "{\"contacts\":1,\"emails\":0,\"shared_emails\":0,\"events\":0,"
	    "\"waiting_messages\":0,\"leaving_messages\":0,\"automation_contacts\":0,"
	    "\"automation_events\":0,\"executions\":0}\n",
	    NULL);
	news_expect_state(news, "erased", "1/0 b@x.org B - 1");
	program_expect(news->config, "contact erase b@x.org --workspace One", 0,
	    "Removed: 1 contact, 0 emails, *. 0 messages were just being sent. A hash of the "
	    "address stands on the suppression "
	    "list.\n",
	    NULL);
	program_expect(news->config, "suppression export --workspace One", 0,
	    "*\r\n\"\",\"manual\",\"all\",\"????????????????????????????????????????????????????"
	    "????????????\"\r\n\"\",*",
	    NULL);
	program_expect(
	    news->config, "contact erase b --workspace One", 64, NULL, "*EMAIL must be an email*");
}
