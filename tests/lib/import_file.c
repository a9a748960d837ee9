/* SPDX-License-Identifier: MIT */
/* Tests the reading of files of people, without a database. */
#include <criterion/criterion.h>
#include <string.h>

#include "import/file.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/property_text.h"

static struct import_file *
open_text(const char *text, const struct import_file_options *options, GError **error)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));

	return import_file_open_bytes(bytes, "file", options, error);
}

/* The uses of all columns, separated by blanks. */
static char *
uses_of(const struct import_file *file)
{
	const GArray *columns = import_file_columns(file);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < columns->len; i++) {
		g_autofree char *word =
		    import_column_word(&g_array_index(columns, struct import_column, i));

		g_string_append_printf(text, "%s%s", i > 0 ? " " : "", word);
	}
	return g_string_free(text, FALSE);
}

/* The headers that the exports of each product have, in its language. */
Test(import_file, knows_the_columns_of_many_products)
{
	static const struct {
		const char *header, *want;
	} cases[] = {
	    {"E-Mail", "email"},
	    {"Email Address,First Name,Last Name,Address,TIMEZONE,TAGS",
		"email first_name last_name unused time_zone unused"},
	    {"EMAIL,FNAME,LNAME", "email first_name last_name"},
	    {"E-Mail-Adresse,Vorname,Nachname,Sprache,Zeitzone",
		"email first_name last_name language time_zone"},
	    {"Adresse e-mail,Prénom,Nom", "email first_name last_name"},
	    {"EMAIL;PRENOM;NOM;BLOCKLISTED", "email first_name last_name unsubscribed"},
	    {"Given Name,Family Name,E-mail 1 - Value,E-mail 2 - Value,Address 1 - Street",
		"first_name last_name email unused unused"},
	    {"First Name\tSurname\tE-mail Address\tE-mail 2 Address\tE-mail Display Name",
		"first_name last_name email unused unused"},
	    {"email,Unsubscribed from all email,Preferred language", "email unsubscribed language"},
	    {"id,first_name,email,unsubscribed", "unused first_name email unsubscribed"},
	    {"Email,Email Marketing Consent", "email subscribed"},
	    {"uuid,email,name,status", "unused email unused unused"},
	    {"EMAIL,OPT_IN,opt_out", "email subscribed unsubscribed"},
	    {"email,cleaned", "email unsubscribed"},
	    {"email,properties.email,properties.is_subscribed,properties.",
		"email properties.email properties.is_subscribed properties."},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(import_file)
		file = open_text(cases[i].header, &(struct import_file_options){0}, &error);

		cr_assert(file, "%s: %s", cases[i].header, error->message);
		g_autofree char *got = uses_of(file);
		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].header, got);
	}
}

/* The messages for a document, which has no options of a command line. */
Test(import_file, tells_of_what_is_wrong_in_a_document)
{
	static const struct {
		const char *text, *name, *use, *want;
	} cases[] = {
	    {"", NULL, NULL, "file is empty"},
	    {"Address\n", NULL, NULL,
		"no column of the first line is the email: name it in columns"},
	    {"Mail,E-Mail\n", NULL, NULL,
		"two columns may be the email, \"Mail\" and \"E-Mail\": name one in columns"},
	    {"email\n", "Plan", "ignore", "columns: the first line has no column \"Plan\""},
	    {"email\n", "email", "mail",
		"columns: the use of \"email\" must be email, first_name, last_name, subscribed, "
		"unsubscribed, language, time_zone, properties.KEY or ignore, not \"mail\""},
	    {"email\n", "email", "properties.",
		"columns: the use of \"email\" must be email, first_name, last_name, subscribed, "
		"unsubscribed, language, time_zone, properties.KEY or ignore, not \"properties.\""},
	    {"email,a\n", "a", "properties.p", NULL},
	    {"email,properties.p\n", "email", "properties.p",
		"no column of the first line is the email: name it in columns"},
	    {"a,properties.p,email\n", "a", "properties.p",
		"two columns are the property \"p\", \"a\" and \"properties.p\""},
	    {"email,J\xf6rg\n", NULL, NULL,
		"line 1: it is not UTF-8: name the encoding of the file with encoding"},
	    {"email,\"x\n", NULL, NULL, "line 1: its quote is never closed"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GArray) columns = import_columns_new();
		const struct import_file_options options = {.columns = columns, .dashes = ""};
		g_autoptr(GError) error = NULL;
		bool added = !cases[i].name || import_columns_add(columns, "columns", cases[i].name,
						   cases[i].use, &error);
		struct import_file *file =
		    added ? open_text(cases[i].text, &options, &error) : NULL;

		cr_expect_str_eq(error ? error->message : "", cases[i].want ? cases[i].want : "",
		    "%s: got %s", cases[i].text, error ? error->message : "none");
		g_clear_pointer(&file, import_file_free);
	}
}

/* Reading goes on at the place of another reader, with the same numbers of lines. */
Test(import_file, goes_on_at_a_place)
{
	static const char text[] =
	    "E-Mail;Vorname;Off\r\na@x.org;A;\r\n;;\r\n\"b@x.org\";\"B\r\nB\";yes\r\n"
	    "c@x.org\r\nd@x.org;;no";
	static const struct {
		guint64 line;
		const char *email; /* NULL: a fault */
		bool is_given, is_subscribed;
	} want[] = {{2, "a@x.org", false, false}, {4, "b@x.org", true, false},
	    {6, NULL, false, false}, {7, "d@x.org", true, true}};
	g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
	g_autoptr(GArray) columns = import_columns_new();
	const struct import_file_options options = {.columns = columns, .dashes = ""};
	struct text_csv_place place = {0, 0};
	struct import_line line;

	cr_assert(import_columns_add(columns, "columns", "off", "unsubscribed", NULL));
	for (guint i = 0; i <= G_N_ELEMENTS(want); i++) {
		AUTO(import_file)
		file = import_file_open_bytes(bytes, "file", &options, NULL);

		cr_assert(file);
		if (i > 0)
			import_file_seek(file, &place);
		bool more = import_file_next(file, &line, NULL);
		cr_assert_eq(more, i < G_N_ELEMENTS(want), "line %u", i);
		if (!more)
			break;
		cr_expect_eq(line.line, want[i].line);
		cr_expect_eq(line.fault != NULL, want[i].email == NULL, "%u: %s", i, line.fault);
		cr_expect_eq(line.contact.is_subscribed_given, want[i].is_given);
		cr_expect_eq(line.contact.is_subscribed, want[i].is_subscribed);
		if (want[i].email)
			cr_expect_str_eq(line.contact.fields.email, want[i].email);
		place = import_file_place(file);
	}
}

/* A value is written as a text, by which it is read again. */
Test(property_text, is_read_as_it_was_written)
{
	static const struct {
		const char *json, *want;
	} cases[] = {{"\"x\"", "x"}, {"\"\"", "\"\""}, {"5", "5"}, {"\"5\"", "\"5\""},
	    {"-0.50", "-0.50"}, {"\"-\"", "-"}, {"true", "true"}, {"\"true\"", "\"true\""},
	    {"\"TRUE\"", "TRUE"}, {"\"null\"", "null"}, {"[1, 2]", NULL}, {"\"[1]\"", "\"[1]\""},
	    {"\"[1\"", "[1"}, {"{\"a\":[]}", "{\"a\":[]}"}, {"\"\\\"x\\\"\"", "\"\\\"x\\\"\""},
	    {"\"\\\"x\"", "\"x"}, {"\" 5\"", " 5"}, {"\"5 \"", "\"5 \""},
	    {"\"1,\\\"v\\\":2\"", "1,\"v\":2"}, {"\"a\\u0000b\"", "\"a\\u0000b\""}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *object = g_strdup_printf("{\"v\":%s}", cases[i].json);
		AUTO(json) document = json_parse(object, strlen(object), NULL);
		g_autofree char *buffer = NULL;
		const char *text = person_property_text(json_member_get(document, "v"), &buffer);
		g_autofree char *value = person_property_value(text);
		g_autofree char *again = g_strdup_printf("{\"v\":%s}", value);
		AUTO(json) read = json_parse(again, strlen(again), NULL);
		g_autofree char *one = json_print(document), *two = json_print(read);

		if (cases[i].want)
			cr_expect_str_eq(text, cases[i].want, "%s: got %s", cases[i].json, text);
		cr_expect_str_eq(one, two);
	}
}
