/* SPDX-License-Identifier: MIT */
/* Tests posthouse person, and the columns of contact import and export, on a real database. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/clock.h"
#include "tests/cli/news.h"
#include "tests/support/db.h"

NEWS_SUITE(person);

struct line {
	const char *line;
	int status;
	const char *output, *errors;
};

static void
person_expect_all(const struct line *lines, gsize count)
{
	for (gsize i = 0; i < count; i++)
		program_expect(
		    news->config, lines[i].line, lines[i].status, lines[i].output, lines[i].errors);
}

#define EXPECT_LINES(lines) person_expect_all(lines, G_N_ELEMENTS(lines))

Test(person, is_made_shown_changed_and_removed)
{
	static const struct line lines[] = {
	    {"person list", 0, "There are no people yet.\n", NULL},
	    {"person show ada@x.org", 66, NULL, "*Person not found*"},
	    {"property add age number", 0, "*", NULL},
	    {"person set Ada@X.org first_name=Ada language=de-AT plan=pro age=36 tags='[1]' --json",
		0,
		"{\"id\":\"*\",\"email\":\"Ada@*.org\",\"first_name\":\"Ada\",\"last_name\":null,"
		"\"language\":\"de-AT\",\"time_zone\":null,"
		"\"properties\":{\"plan\":\"pro\",\"age\":36,\"tags\":*1*},\"subscribed\":true,"
		"\"suppressed\":null,\"audiences\":*,\"topics\":*,\"created\":*,\"updated\":*}\n",
		NULL},
	    {"person set ada@x.org age=old", 65, NULL, "*properties.age must be a number*"},
	    {"person set ada@x.org language=de_AT", 65, NULL, "*must be a BCP 47 language tag*"},
	    {"person set ada@x.org plan", 65, NULL, "*must have a key and a =*"},
	    {"person set ada@x.org plan= age=37 first_name=", 0,
		"*first_name*-\n*properties*\"age\":37*", NULL},
	    {"person show ADA@x.org --json", 0, "*\"first_name\":null*\"age\":37*", NULL},
	    {"person list --json", 0, "{\"people\":*\"email\":\"Ada@*\"suppressed\":null,*}\n",
		NULL},
	    {"person list", 0, "*EMAIL*Ada@*", NULL},
	    {"person history ada@x.org", 0, "Nothing has happened yet.\n", NULL},
	    {"person history ada@x.org --kind x", 65, NULL, "*kind must be one of*"},
	    {"person remove ada@x.org", 0, "Person removed: ada@x.org\n", NULL},
	    {"person remove ada@x.org", 66, NULL, "*Person not found*"},
	};

	EXPECT_LINES(lines);
}

Test(person, is_snoozed_and_woken)
{
	static const struct line lines[] = {
	    {"person snooze ada@x.org", 66, NULL, "*Person not found*"},
	    {"person snooze ada@x.org --end", 66, NULL, "*Person not found*"},
	    {"person set ada@x.org", 0, "*", NULL},
	    {"person snooze ada@x.org", 0, "ada@x.org has not snoozed.\n", NULL},
	    {"person snooze ada@x.org --json", 0, "{\"until\":null,\"by\":null}\n", NULL},
	    {"person snooze ada@x.org --until 2020-01-01", 65, NULL,
		"*until must be a time in the next 366 days*"},
	    {"person snooze ada@x.org --until 9999-01-01", 65, NULL,
		"*until must be a time in the next 366 days*"},
	    {"person snooze ada@x.org --until soon", 64, NULL, "*"},
	    {"person snooze ada@x.org --until 9999-01-01 --end", 64, NULL,
		"*--until and --end cannot be given together*"},
	    {"person snooze ada@x.org --end", 0, "ada@x.org gets mailings again.\n", NULL},
	    {"person snooze ada@x.org --end --json", 0, "{\"message\":\"Snooze ended\"}\n", NULL},
	};
	gint64 week = base_clock_now() + (gint64)7 * 24 * 60 * 60 * 1000;
	char time[CLOCK_ISO_SIZE];
	g_autofree char *until =
	    g_strdup_printf("person snooze ada@x.org --until %s", base_clock_format(week, time));
	g_autofree char *shorter = g_strdup_printf(
	    "person snooze ada@x.org --json --until %" G_GINT64_FORMAT, week - 1000);
	g_autofree char *forced = g_strconcat(shorter, " --override='by phone'", NULL);
	g_autofree char *said = g_strdup_printf("ada@x.org gets no mailings until %s.\n", time);
	g_autofree char *json =
	    g_strdup_printf("{\"until\":%" G_GINT64_FORMAT ",\"by\":\"operator\"}\n", week - 1000);

	EXPECT_LINES(lines);
	program_expect(news->config, until, 0, said, NULL);
	program_expect(news->config, "person snooze ada@x.org", 0, said, NULL);
	test_db_plain(news->db, "UPDATE snooze SET author = 1");
	program_expect(
	    news->config, shorter, 73, NULL, "*This person has snoozed; override is required*");
	program_expect(news->config, "person snooze ada@x.org --end", 73, NULL,
	    "*This person has snoozed; override is required*");
	program_expect(news->config, forced, 0, json, NULL);
	test_db_plain(news->db, "UPDATE snooze SET author = 1");
	program_expect(news->config, "person snooze ada@x.org --end --override", 0,
	    "ada@x.org gets mailings again.\n", NULL);
	program_expect(news->config, "person history ada@x.org --json", 0,
	    "*\"type\":\"unsnoozed\"*\"type\":\"override\"*", NULL);
}

/* Exports the audience to standard output. */
static void
expect_export(const char *want)
{
	program_expect(news->config, "contact export News", 0, want, NULL);
}

Test(person, has_columns_that_become_properties)
{
	static const struct line define[] = {
	    {"property add age number", 0, "*", NULL},
	    {"property add vip boolean", 0, "*", NULL},
	};

	EXPECT_LINES(define);
	news_put(news, "email,Years,vip,City,language,Zone\n"
		       "a@x.org,36,yes,Wien,de-AT,Europe/Vienna\n"
		       "b@x.org,,no,,,\n"
		       "c@x.org,old,,,,\n"
		       "d@x.org,1,maybe,,,\n"
		       "e@x.org,1,,,de_AT,\n"
		       "f@x.org,1,,,,../etc\n");
	news_expect(news, "import", "--property Years=age --properties --time-zone Zone", 65,
	    SAID("2", "0", "0", "0", "4"),
	    "posthouse: line 4: properties.age must be a number: correct it, or leave it out with "
	    "--lenient\n"
	    "posthouse: line 5: properties.vip must be a boolean: correct it, or leave it out with "
	    "--lenient\n"
	    "posthouse: line 6: language must be a BCP 47 language tag: write one like de-AT, or "
	    "leave it out with --lenient\n"
	    "posthouse: line 7: time_zone must be an IANA time zone: write one like Europe/Vienna, "
	    "or leave it out with --lenient\n"
	    "posthouse: invalid lines: 4; all others are stored\n");
	expect_export("\"email\",\"first_name\",\"last_name\",\"is_subscribed\",\"language\","
		      "\"time_zone\",\"properties.City\",\"properties.age\",\"properties.vip\"\r\n"
		      "\"a@x.org\",\"\",\"\",\"true\",\"de-AT\",\"Europe/Vienna\",\"Wien\",\"36\","
		      "\"true\"\r\n"
		      "\"b@x.org\",\"\",\"\",\"true\",\"\",\"\",\"\",\"\",\"false\"\r\n");
	news_put(news, "email,City,age\na@x.org,,37\n");
	news_expect(news, "import", "--properties", 0, SAID("0", "1", "0", "0", "0"), NULL);
	news_expect(news, "import", "--properties", 0, SAID("0", "0", "1", "0", "0"), NULL);
	program_expect(news->config, "person show a@x.org --json", 0,
	    "*\"properties\":{\"age\":37,\"vip\":true}*\"source\":\"import\"*", NULL);
	news_expect(news, "import", "--property age=a --property City=a", 65, NULL,
	    "*two columns are the property \"a\"*");
	news_expect(news, "import", "--property age", 65, NULL, "*must be COLUMN=KEY*");
	news_expect(
	    news, "import", "--properties --no-header", 65, NULL, "*needs the names of a header*");
}

Test(person, joins_an_audience_with_what_it_has)
{
	static const struct line make[] = {
	    {"person set a@x.org first_name=Ann plan=pro age=1", 0, "*", NULL},
	    {"person set b@x.org first_name=Bob plan=pro age=1", 0, "*", NULL},
	};

	EXPECT_LINES(make);
	news_put(news, "email,first_name,plan,city\na@x.org,Anna,free,Wien\n");
	news_expect(news, "import", "--properties", 0, SAID("1", "0", "0", "0", "0"), NULL);
	program_expect(news->config, "person show a@x.org --json", 0,
	    "*\"first_name\":\"Anna\"*{\"plan\":\"free\",\"age\":1,\"city\":\"Wien\"}*", NULL);
	news_put(news, "email,first_name,plan,city\nb@x.org,Robert,free,Wien\n");
	news_expect(news, "import", "--properties --duplicates skip", 0,
	    SAID("1", "0", "0", "0", "0"), NULL);
	program_expect(news->config, "person show b@x.org --json", 0,
	    "*\"first_name\":\"Bob\"*\"plan\":\"pro\"*\"age\":1*", NULL);
	program_expect(news->config, "person show b@x.org --json", 0, "*\"city\":\"Wien\"*", NULL);
}

Test(person, exists_and_is_refused_by_line)
{
	news_put(news, "email\na@x.org\n");
	news_expect(news, "import", "", 0, SAID("1", "0", "0", "0", "0"), NULL);
	news_put(news, "email,first_name\nb@x.org,B\nA@x.org,A\nb@x.org,C\n");
	news_expect(news, "import", "--duplicates refuse", 65, SAID("1", "0", "0", "0", "2"),
	    "posthouse: line 3: Contact already exists\n"
	    "posthouse: line 4: Contact already exists\n"
	    "posthouse: invalid lines: 2; all others are stored\n");
	news_expect_state(news, "refused", "2/0 a@x.org - - 1; b@x.org B - 1");
}

Test(person, comes_back_from_an_export)
{
	g_autofree char *path = g_build_filename(news->dir, "people.csv", NULL);
	g_autofree char *import = g_strdup_printf("person import '%s' --properties", path);
	g_autofree char *refuse =
	    g_strdup_printf("person import '%s' --properties --duplicates refuse", path);
	g_autofree char *export = g_strdup_printf("person export '%s'", path);
	static const struct line make[] = {
	    {"property add age number", 0, "*", NULL},
	    {"person set a@x.org first_name=Ann language=en plan=pro age=1", 0, "*", NULL},
	    {"person set b@x.org time_zone=UTC", 0, "*", NULL},
	};
	static const struct line drop[] = {
	    {"person remove a@x.org", 0, "*", NULL},
	};

	EXPECT_LINES(make);
	program_expect(news->config, export, 0, "People written to *: 2.\n", NULL);
	program_expect(news->config, import, 0, SAID("0", "0", "2", "0", "0"), NULL);
	EXPECT_LINES(drop);
	program_expect(news->config, import, 0, SAID("1", "0", "1", "0", "0"), NULL);
	program_expect(news->config, "person show a@x.org --json", 0,
	    "*\"first_name\":\"Ann\"*\"language\":\"en\"*\"plan\":\"pro\"*", NULL);
	program_expect(news->config, refuse, 65, SAID("0", "0", "0", "0", "2"),
	    "*line 2: Person already exists*");
}

/* An import's word on all mailings is an operator's choice; the person's own outweighs it.
 */
Test(person, leaves_and_comes_back_by_an_import)
{
	g_autofree char *import = g_strdup_printf("person import '%s'", news->file);
	g_autofree char *override = g_strdup_printf("%s --override 'asked by phone'", import);
	g_autofree char *skip = g_strdup_printf("%s --duplicates skip", import);
	static const struct line own[] = {
	    {"person show b@x.org --json", 0,
		"*\"subscribed\":false,\"suppressed\":{\"reason\":\"unsubscribed\","
		"\"scope\":\"automation\"}*",
		NULL},
	    {"person history b@x.org --json", 0,
		"*\"type\":\"unsubscribed\"*\"source\":\"import\",\"by\":\"operator\"*", NULL},
	    {"person show a@x.org --json", 0, "*\"subscribed\":true,\"suppressed\":null*", NULL},
	};
	static const struct line ended[] = {
	    {"person show b@x.org --json", 0, "*\"subscribed\":true,\"suppressed\":null*", NULL},
	};
	static const struct line remove[] = {
	    {"person set c@x.org subscribed=false", 0, "*", NULL},
	    {"person remove c@x.org", 0, "*", NULL},
	};

	news_put(news, "email,subscribed\na@x.org,true\nb@x.org,no\n");
	program_expect(news->config, import, 0, SAID("2", "0", "0", "0", "0"), NULL);
	EXPECT_LINES(own);
	program_expect(news->config, import, 0, SAID("0", "0", "2", "0", "0"), NULL);
	news_put(news, "email,subscribed\na@x.org,\nb@x.org,yes\n");
	program_expect(news->config, skip, 0, SAID("0", "0", "0", "2", "0"), NULL);
	program_expect(news->config, import, 0, SAID("0", "1", "1", "0", "0"), NULL);
	EXPECT_LINES(ended);
	/* The person's own choice. */
	news_put(news, "email,subscribed\nb@x.org,no\n");
	program_expect(news->config, import, 0, SAID("0", "1", "0", "0", "0"), NULL);
	test_db_plain(news->db, "UPDATE choice SET author = 1");
	news_put(news, "email,subscribed,first_name\nb@x.org,yes,Bob\n");
	program_expect(news->config, import, 0, "0 new, 1 changed, 0 unchanged, 0 skipped, 0 bad*",
	    "posthouse: 1 kept their own choice\n");
	EXPECT_LINES(own);
	program_expect(news->config, override, 0, SAID("0", "1", "0", "0", "0"), NULL);
	EXPECT_LINES(ended);
	program_expect(news->config, "person history b@x.org --json", 0,
	    "*\"type\":\"override\"*\"reason\":\"asked by phone\"*", NULL);
	/* An address that has left and comes again. */
	EXPECT_LINES(remove);
	news_put(news, "email\nc@x.org\n");
	program_expect(news->config, import, 0, SAID("1", "0", "0", "0", "0"), NULL);
	program_expect(
	    news->config, "person show c@x.org --json", 0, "*\"subscribed\":false*", NULL);
}

/* The tables of people and of choices agree, although an import makes thousands of both. */
Test(person, are_imported_by_the_thousands)
{
	g_autofree char *import = g_strdup_printf("person import '%s'", news->file);
	GString *content = g_string_new("email,subscribed\n");

	for (guint i = 0; i < 3000; i++)
		g_string_append_printf(
		    content, "user%u@x.org,%s\n", i * 7 % 3000, i % 50 ? "true" : "false");
	news_put_bytes(news, content->str, content->len);
	g_string_free(content, TRUE);
	for (guint turn = 0; turn < 2; turn++) {
		program_expect(news->config, import, 0,
		    turn == 0 ? SAID("3000", "0", "0", "0", "0") : SAID("0", "0", "3000", "0", "0"),
		    NULL);
		g_autofree char *got = test_db_text(news->db,
		    "SELECT CONCAT(COUNT(*), ' ', SUM(is_subscribed = 0), ' ',"
		    " (SELECT COUNT(*) FROM choice), ' ', (SELECT COUNT(*) FROM consent)) FROM "
		    "person");
		cr_expect_str_eq(got, "3000 60 60 60", "got %s", got);
	}
}

/* Own events are told to who hears them. */
Test(person, starts_workflows_by_an_import_if_asked)
{
	g_autofree char *plain = g_strdup_printf("person import '%s'", news->file);
	g_autofree char *asked = g_strdup_printf("%s --start-workflows", plain);
	g_autofree char *contacts = g_strdup_printf("contact import News '%s'", news->file);
	g_autofree char *contacts_asked = g_strdup_printf("%s --start-workflows", contacts);
	const struct {
		const char *command, *content, *want;
	} cases[] = {
	    {plain, "email\na@x.org\n", ""},
	    {asked, "email\nb@x.org\n", "person.created b@x.org"},
	    {contacts, "email\nc@x.org\n", ""},
	    {contacts_asked, "email\nd@x.org\n", "contact.created d@x.org,person.created d@x.org"},
	};

	test_db_plain(news->db,
	    "INSERT INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id,"
	    " is_trigger, since) SELECT w.id, n.name, REPEAT(X'00', 16), w.id, 1, 0 FROM workspace"
	    " w, (SELECT 'person.created' AS name UNION SELECT 'contact.created') n");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		news_put(news, cases[i].content);
		program_expect(
		    news->config, cases[i].command, 0, SAID("1", "0", "0", "0", "0"), NULL);
		g_autofree char *told = test_db_text(news->db,
		    "SELECT COALESCE(GROUP_CONCAT(f.name, ' ', p.address ORDER BY f.name), '')"
		    " FROM automation_feedback f JOIN person p ON p.id = f.contact_id");
		cr_expect_str_eq(told, cases[i].want, "%s: got %s, want %s", cases[i].command, told,
		    cases[i].want);
		test_db_plain(news->db, "DELETE FROM automation_feedback");
	}
}
