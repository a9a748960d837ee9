/* SPDX-License-Identifier: MIT */
/* Tests the rules by which files of people are read: those of other products, and our own. */
#include <string.h>

#include "import/import.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "tests/cli/news.h"

NEWS_SUITE(import);

/* Runs the import of a file of tests/cli/imports. */
static void
expect_import(
    const char *name, const char *options, int status, const char *output, const char *errors)
{
	g_autofree char *line = g_strdup_printf(
	    "contact import News '%s/tests/cli/imports/%s' %s", TEST_SRCDIR, name, options);

	program_expect(news->config, line, status, output, errors);
}

/* Each file is as the product writes it, but for its people, who are made up. */
Test(import, takes_the_exports_of_others)
{
	static const struct {
		const char *file, *options;
		int status;
		const char *errors; /* NULL: none */
		const char *want;
	} cases[] = {
	    {"mailchimp.csv", "", 0,
		"posthouse: unused columns: \"Address\", \"Phone Number\", *\n",
		"3/0 ann@example.com Ann Lee 1; bo@example.org Bo - 1; cy@example.net Cy Núñez 1"},
	    {"mailchimp_cleaned.csv", "--unsubscribed", 0, "posthouse: unused columns: *\n",
		"2/2 gone@example.org - - 0; old@example.com Old Address 0"},
	    {"mailchimp_cleaned.csv", "", 0, "posthouse: unused columns: *\n",
		"2/2 gone@example.org - - 0; old@example.com Old Address 0"},
	    {"mailchimp_unsubscribed.csv", "", 0,
		"posthouse: unused columns: *\"LEID\", \"EUID\", \"UNSUB_CAMPAIGN_TITLE\", *\n",
		"2/2 bye@example.com Bye - 0; left@example.org - - 0"},
	    {"mailchimp_fields.csv", "", 0, NULL,
		"2/0 ann@example.com Ann Lee 1; bo@example.org Bo - 1"},
	    {"hubspot.csv", "", 0, "posthouse: unused columns: \"Record ID\", *\n",
		"3/1 ann@example.com Ann Lee 1; bo@example.org Bo Ek 0; cy@example.net Cy - 1"},
	    {"brevo.csv", "", 0,
		"posthouse: unused columns: \"CONTACT ID\", \"SMS\", \"ADDED_TIME\"\n",
		"3/1 ann@example.com Ann Lee, PhD 1; bo@example.org Bo - 0; cy@example.net - - 1"},
	    {"google.csv", "", 0, "posthouse: unused columns: \"Name\", *\"E-mail 2 - Value\", *\n",
		"2/0 ann@example.com Ann Lee 1; bo@example.org Bo Ek 1"},
	    {"outlook.csv", "--encoding windows-1252", 0, "posthouse: unused columns: *\n",
		"2/0 ann@example.com Ann Lee 1; joerg@example.org Jörg Müller 1"},
	    {"outlook.csv", "", 65,
		"posthouse: unused columns: *\n"
		"posthouse: line 3: it is not UTF-8: name the encoding of the file with "
		"--encoding\nposthouse: invalid lines: 1; all others are stored\n",
		"1/0 ann@example.com Ann Lee 1"},
	    {"outlook_german.csv", "--encoding latin1", 0, "posthouse: unused columns: *\n",
		"2/0 ann@example.com Ann Lee 1; joerg@example.org Jörg Müller 1"},
	    {"outlook_spanish.csv", "--encoding windows-1252", 0, "posthouse: unused columns: *\n",
		"2/0 ann@example.com Ann Lee 1; jose@example.org José Núñez 1"},
	    {"excel.csv", "--column Newsletter=subscribed", 0,
		"posthouse: unused columns: \"Umsatz\"\n",
		"3/1 ann@example.com Ann Lee 1; bo@example.org Bo - 0; cy@example.net Cy Özil 1"},
	    {"excel_unicode.txt", "--subscribed ABONNIERT", 0, NULL,
		"3/1 ann@example.com Ann Lee 1; bo@example.org Bo Ek; Sr. 0; cy@example.net Žofie "
		"Жук 1"},
	    {"resend.csv", "", 0, "posthouse: unused columns: \"id\", \"created_at\"\n",
		"2/1 ann@example.com Ann Lee 1; bo@example.org Bo - 0"},
	    {"listmonk.csv", "--column name=ignore", 0,
		"posthouse: unused columns: \"uuid\", \"attributes\", \"status\", *\n",
		"2/0 ann@example.com - - 1; bo@example.org - - 1"},
	    {"klaviyo.csv", "", 65,
		"posthouse: unused columns: *\n"
		"posthouse: line 4: is_subscribed must be true or false\n"
		"posthouse: invalid lines: 1; all others are stored\n",
		"2/1 ann@example.com Ann Lee 1; bo@example.org Bo - 0"},
	    {"sendgrid.csv", "", 0, "posthouse: unused columns: \"ADDRESS_LINE_1\", *\n",
		"2/0 ann@example.com Ann Lee 1; bo@example.org Bo - 1"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		news_empty(news);
		expect_import(cases[i].file, cases[i].options, cases[i].status,
		    "* new, 0 changed, *", cases[i].errors);
		news_expect_state(news, cases[i].file, cases[i].want);
	}
}

Test(import, takes_properties_of_the_exports_of_others)
{
	expect_import("mailchimp.csv",
	    "--column TAGS=properties.tags --column address=properties.a", 0, "3 new, *",
	    "posthouse: unused columns: *\n");
	program_expect(news->config, "person show ann@example.com --json", 0,
	    "*\"time_zone\":\"Europe/Vienna\"*{\"a\":\"1 Main St\\r\\nVienna, AT\","
	    "\"tags\":\"\\\"vip\\\",\\\"paying\\\"\"}*",
	    NULL);
}

/* Words for yes and no, in columns of both kinds: 1, 0, - for a line that is refused. */
Test(import, reads_words_for_yes_and_no)
{
	static const struct {
		const char *word;
		char want, inverse;
	} cases[] = {{"true", '1', '0'}, {"FALSE", '0', '1'}, {"Yes", '1', '0'}, {"no", '0', '1'},
	    {"y", '1', '0'}, {"N", '0', '1'}, {"1", '1', '0'}, {"0", '0', '1'}, {"Ja", '1', '0'},
	    {"nein", '0', '1'}, {"WAHR", '1', '0'}, {"falsch", '0', '1'}, {"oui", '1', '0'},
	    {"Non", '0', '1'}, {"on", '1', '0'}, {"OFF", '0', '1'}, {"subscribed", '1', '1'},
	    {"UNSUBSCRIBED", '0', '0'}, {" yes\xc2\xa0", '1', '0'}, {"", '1', '1'}, {" ", '1', '1'},
	    {"maybe", '-', '-'}, {"2", '-', '-'}, {"never_subscribed", '-', '-'}, {"x", '-', '-'}};
	static const char *const headers[] = {"subscribed", "unsubscribed",
	    "Unsubscribed from all email", "BLOCKLISTED", "opt_out", "cleaned"};

	for (gsize h = 0; h < G_N_ELEMENTS(headers); h++) {
		g_autoptr(GString) content = g_string_new(NULL), want = g_string_new(NULL);

		g_string_printf(content, "email,%s\n", headers[h]);
		for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
			char mark = h == 0 ? cases[i].want : cases[i].inverse;

			g_string_append_printf(content, "w%02zu@x.org,%s\n", i, cases[i].word);
			if (mark != '-')
				g_string_append_printf(want, "%02zu%c ", i, mark);
		}
		news_empty(news);
		news_put(news, content->str);
		news_expect(news, "import", "", 65, "21 new, *, 4 bad lines.\n",
		    h == 0 ? "posthouse: line 23: is_subscribed must be true or false\n*"
			   : "posthouse: line 23: unsubscribed must be true or false\n*");
		g_autofree char *got = test_db_text(news->db,
		    "SELECT CONCAT(GROUP_CONCAT(SUBSTR(address, 2, 2), is_subscribed"
		    " ORDER BY address SEPARATOR ' '), ' ') FROM contact");
		cr_expect_str_eq(got, want->str, "%s: got %s, want %s", headers[h], got, want->str);
	}
}

/* A No of either column is one; --unsubscribed outweighs both. */
Test(import, takes_one_no_for_an_answer)
{
	news_put(news, "email,subscribed,unsubscribed\na@x.org,yes,no\nb@x.org,no,no\n"
		       "c@x.org,yes,yes\nd@x.org,,yes\ne@x.org,yes,\n");
	news_expect(news, "import", "", 0, "5 new, *", NULL);
	news_expect_state(news, "both",
	    "5/3 a@x.org - - 1; b@x.org - - 0; c@x.org - - 0; d@x.org - - 0; e@x.org - - 1");
	news_empty(news);
	news_expect(news, "import", "--unsubscribed", 0, "5 new, *", NULL);
	news_expect_state(news, "the whole file",
	    "5/5 a@x.org - - 0; b@x.org - - 0; c@x.org - - 0; d@x.org - - 0; e@x.org - - 0");
}

/* A date says when somebody unsubscribed. A column that is named after one counts where no other
   column has the use. */
Test(import, takes_a_date_for_a_no)
{
	news_put(news, "email,unsubscribed_at\na@x.org,2024-05-01 10:00:00\nb@x.org,\n"
		       "c@x.org,1.5.2024\nd@x.org,05/01/2024\ne@x.org,2024\nf@x.org,5-x\n");
	news_expect(news, "import", "", 65, "4 new, *, 2 bad lines.\n",
	    "posthouse: line 6: unsubscribed must be true or false\n"
	    "posthouse: line 7: unsubscribed must be true or false\n*");
	news_expect_state(
	    news, "dates", "4/3 a@x.org - - 0; b@x.org - - 1; c@x.org - - 0; d@x.org - - 0");
	news_empty(news);
	news_put(news, "email,unsubscribed,unsubscribed_at\na@x.org,no,2024-05-01\n");
	news_expect(news, "import", "", 0, "1 new, *", "posthouse: unused columns: *\n");
	news_expect_state(news, "another column", "1/0 a@x.org - - 1");
	news_empty(news);
	news_put(news, "email,subscribed\na@x.org,2024-05-01\n");
	news_expect(news, "import", "", 65, "0 new, *, 1 bad line.\n", "*");
}

/* A value that does not fit is left out, and the rest is stored. */
Test(import, may_be_lenient)
{
	g_free(program_line(news->config, "property add age number"));
	news_put(news, "email,language,time_zone,age,subscribed\n"
		       "a@x.org,Deutsch,Vienna,old,no\n"
		       "b@x.org,de,UTC,5,\n"
		       "c@x.org,,,,perhaps\n");
	news_expect(news, "import", "--lenient --column age=properties.age", 65,
	    "2 new, 0 changed, *, 1 bad line.\n",
	    "posthouse: line 2: language must be a BCP 47 language tag: it is left out\n"
	    "posthouse: line 2: time_zone must be an IANA time zone: it is left out\n"
	    "posthouse: line 2: properties.age must be a number: it is left out\n"
	    "posthouse: line 4: is_subscribed must be true or false\n"
	    "posthouse: invalid lines: 1; all others are stored\n");
	news_expect_state(news, "lenient", "2/1 a@x.org - - 0; b@x.org - - 1");
	program_expect(news->config, "person show a@x.org --json", 0,
	    "*\"language\":null,\"time_zone\":null,\"properties\":{}*", NULL);
	/* The people who were there stay. */
	news_put(news, "email,language,age\nb@x.org,Deutsch,old\n");
	news_expect(news, "import", "--lenient --properties --json", 0,
	    "{*\"unchanged\":1,*\"bad\":0,\"unused_columns\":[],\"warnings\":2}\n",
	    "{\"line\":2,\"warning\":\"language *\"}\n{\"line\":2,\"warning\":\"properties.age "
	    "*\"}\n");
	program_expect(news->config, "person show b@x.org --json", 0,
	    "*\"language\":\"de\",*\"properties\":{\"age\":5}*", NULL);
}

/* A dry run says what an import would do, and does nothing. */
Test(import, may_be_dry)
{
	news_put(news, "email,first_name\na@x.org,A\nb@x.org,B\nc@x.org,C\n");
	news_expect(news, "import", "", 0, "*", NULL);
	news_put(
	    news, "E-Mail;Vorname;Plan;Note\na@x.org;A;;\nb@x.org;Bo;;x\nd@x.org;D;pro;\nd;;;\n");
	news_expect(news, "import", "--dry-run --column Plan=properties.plan", 65,
	    "Column 1, \"E-Mail\": email\nColumn 2, \"Vorname\": first_name\n"
	    "Column 3, \"Plan\": properties.plan\nColumn 4, \"Note\": unused\n"
	    "Line 2: [\"a@x.org\",\"A\",\"\",\"\"]\nLine 3: [\"b@x.org\",\"Bo\",\"\",\"x\"]\n"
	    "Line 4: [\"d@x.org\",\"D\",\"pro\",\"\"]\n"
	    "Nothing is stored. 1 new, 1 changed, 1 unchanged, 0 skipped, 1 bad line.\n",
	    "posthouse: unused columns: \"Note\"\nposthouse: line 5: email *\n"
	    "posthouse: invalid lines: 1; all others can be stored\n");
	news_expect(news, "import", "--dry-run --duplicates refuse --json", 65,
	    "{\"id\":\"*\",\"created\":1,\"updated\":0,\"unchanged\":0,\"skipped\":0,"
	    "\"unsubscribed\":0,\"bad\":3,\"unused_columns\":[\"Plan\",\"Note\"],\"warnings\":0,"
	    "\"dry_run\":true,\"columns\":[{\"name\":\"E-Mail\",\"use\":\"email\"},*],"
	    "\"first_lines\":[[\"a@x.org\",\"A\",\"\",\"\"],*]}\n",
	    "{\"line\":5,*}\n{\"line\":2,\"error\":\"Contact already exists\"}\n{\"line\":3,*}\n*");
	news_expect_state(news, "dry", "3/0 a@x.org A - 1; b@x.org B - 1; c@x.org C - 1");
	g_autofree char *counts = test_db_text(news->db,
	    "SELECT CONCAT((SELECT COUNT(*) FROM person), ' ', (SELECT COUNT(*) FROM "
	    "consent))");
	cr_expect_str_eq(counts, "3 0");
	g_autofree char *people = g_strdup_printf("person import '%s' --dry-run", news->file);
	news_put(news, "email,subscribed\na@x.org,no\nb@x.org,yes\ne@x.org,no\n");
	program_expect(news->config, people, 0, "*1 new, 2 changed, 0 unchanged, *", NULL);
	program_expect(
	    news->config, "person show a@x.org --json", 0, "*\"subscribed\":true*", NULL);
}

/* Lines are counted as an editor does, and nothing shifts. */
Test(import, tells_lines_by_number)
{
	news_put(news, "sep=,\r\n\r\nemail,first_name\r\n,\r\n\"a@x.org\",\"A\r\nA\"\r\n"
		       "b@x.org,B,\r\n \r\nc@x.org\r\nd@x.org,D\r\ne@x.org,\"E\r\nf@x.org,F\r\n");
	news_expect(news, "import", "", 65, SAID("2", "0", "0", "0", "3"),
	    "posthouse: line 7: it has 3 fields, and the first line 2\n"
	    "posthouse: line 9: it has 1 field, and the first line 2\n"
	    "posthouse: line 11: its quote is never closed\n"
	    "posthouse: invalid lines: 3; all others are stored\n");
	news_expect_state(news, "lines", "2/0 a@x.org A\r\nA - 1; d@x.org D - 1");
}

/* Texts that are read as another value, or that a table changes, unless they are guarded. */
static const char *const nasty[] = {"", "x", "5", "-5", "1e5", "1.0", "true", "false", "null",
    "[1]", "{}", "{\"a\":1}", "\"", "\"x\"", "\"x", "=1+1", "'=1", "'", "''x", "@a", "\t", "\r",
    " 5", "5 ", " x ", "a,b", "a;b", "two\r\nlines", "ö€😀", "\xc2\xa0", "NaN", "01", "+1", "-",
    "sep=;"};
static const char *const values[] = {"0", "-1", "1.50", "1e3", "12345678901234567890", "true",
    "false", "[]", "[1,\"a\",null,{\"b\":[true]}]", "{}", "{\"a\":{\"b\":\"=1\"}}", "\"\\u0000\"",
    "[\"\"]"};
/* Sorted, as an export sorts them. */
static const char *const keys[] = {"", "1", "=x", "a b", "a,b\"c", "address", "email",
    "is_subscribed", "language", "plan", "properties.x", "two\nlines", "unsubscribed", "x=y", "ö"};

#define PICK(rand, table) (table)[g_rand_int_range(rand, 0, G_N_ELEMENTS(table))]

/* Random properties; most people have few. The caller frees them. */
static struct json *
make_properties(GRand *rand)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
		const char *value = PICK(rand, values);

		if (g_rand_int_range(rand, 0, 3) > 0)
			continue;
		if (g_rand_boolean(rand))
			json_writer_string(writer, keys[i], PICK(rand, nasty));
		else
			json_writer_raw(writer, keys[i], value, strlen(value));
	}
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	struct json *properties = json_parse(text, strlen(text), NULL);
	cr_assert(properties, "%s", text);
	return properties;
}

static const char *
import_name_of(GRand *rand)
{
	const char *name = PICK(rand, nasty);

	return *name ? name : NULL;
}

static void
import_make_people(
    struct service *service, const struct base_id *audience, GRand *rand, guint count)
{
	static const char *const languages[] = {NULL, "de", "de-AT", "pt-BR"};
	static const char *const zones[] = {NULL, "Europe/Vienna", "UTC"};
	const struct import_options options = {.existing = EXISTING_UPDATE};
	struct base_id workspace;
	g_autoptr(GError) error = NULL;

	AUTO(store_workspace) found = store_workspace_find(service->db, "One", &error);
	cr_assert(found);
	workspace = found->id;
	AUTO(import) import = import_new(service, &workspace, audience, &options);
	for (guint i = 0; i < count; i++) {
		AUTO(json) properties = make_properties(rand);
		g_autofree char *email =
		    g_strdup_printf("%s%u@x.org", i % 5 == 0 ? "+" : "Person", i);
		const struct import_contact contact = {
		    .fields = {email, import_name_of(rand), import_name_of(rand)},
		    .first_name_given = true,
		    .last_name_given = true,
		    .language_given = true,
		    .time_zone_given = true,
		    .language = PICK(rand, languages),
		    .time_zone = PICK(rand, zones),
		    .is_subscribed_given = true,
		    .is_subscribed = g_rand_boolean(rand),
		    .values = properties,
		};

		cr_assert(import_add(import, &contact, &error), "%s", error->message);
	}
	cr_assert(import_flush(import, &error));
}

/* An export of random people is read into an empty workspace, and exported again: both files are
   equal, as are the people. */
static void
import_expect_back(const char *export_line, const char *import_line, const char *options)
{
	g_autofree char *other = g_strconcat(news->file, ".2", NULL);
	g_autofree char *first =
	    g_strdup_printf("%s '%s' %s --workspace One", export_line, news->file, options);
	g_autofree char *import =
	    g_strdup_printf("%s '%s' %s --workspace Two", import_line, news->file, options);
	g_autofree char *second =
	    g_strdup_printf("%s '%s' %s --workspace Two", export_line, other, options);
	g_autofree char *one = NULL, *two = NULL;

	program_expect(news->config, first, 0, "*", NULL);
	program_expect(news->config, import, 0, "300 new, *, 0 bad lines.\n", NULL);
	program_expect(news->config, second, 0, "*", NULL);
	cr_assert(g_file_get_contents(news->file, &one, NULL, NULL));
	cr_assert(g_file_get_contents(other, &two, NULL, NULL));
	cr_expect(strcmp(one, two) == 0, "%s: the files differ", export_line);
	program_expect(news->config, import, 0, "0 new, 0 changed, 300 unchanged, *", NULL);
	g_autofree char *differing = test_db_text(news->db,
	    "SELECT GROUP_CONCAT(one.address) FROM person one JOIN person two ON two.address ="
	    " one.address AND two.workspace_id <> one.workspace_id"
	    " WHERE one.properties <> two.properties COLLATE utf8mb4_bin");
	cr_expect_null(differing, "%s: %s differ", export_line, differing);
	test_db_plain(news->db, "DELETE FROM contact");
	test_db_plain(news->db, "DELETE FROM person");
	test_db_plain(news->db, "DELETE FROM choice");
	test_db_plain(news->db, "DELETE FROM suppression");
}

Test(import, reads_its_own_exports_back_unchanged)
{
	AUTO(service) service = service_open(news->settings);
	struct base_id audience;

	cr_assert(service_ensure(service, NULL));
	g_free(program_line(news->config, "workspace create Two"));
	g_free(program_line(news->config, "audience create News --workspace Two"));
	g_autofree char *id = test_db_text(news->db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(a.id), 1, 8), SUBSTR(HEX(a.id), 9, 4),"
	    " SUBSTR(HEX(a.id), 13, 4), SUBSTR(HEX(a.id), 17, 4), SUBSTR(HEX(a.id), 21)))"
	    " FROM audience a JOIN workspace w ON w.id = a.workspace_id WHERE w.name = 'One'");
	cr_assert(base_id_parse(id, &audience));
	for (guint seed = 1; seed <= 2; seed++) {
		g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

		import_make_people(service, &audience, rand, 300);
		import_expect_back(
		    "contact export News", "contact import News", seed == 2 ? "--raw" : "");
		import_make_people(service, NULL, rand, 300);
		import_expect_back("person export", "person import", seed == 2 ? "--raw" : "");
	}
}
