/* SPDX-License-Identifier: MIT */
/* Each row of config/settings.def stands in the sample and in posthouse.conf(5). */
#include <criterion/criterion.h>
#include <string.h>

#include "config/settings_pace.h"
#include "config/settings_relay.h"
#include "config/settings_table.h"
#include "tests/support/manual.h"

/* A document, and how it shows sections and keys. */
struct fixture {
	const char *text;
	struct {
		const char *before, *after;
	} section, key;	 /* around a name */
	const char *end; /* the beginning of the next section */
};

/* Expects the key on a line of the section, once. */
static void
doc_expect(const struct fixture *doc, const char *section, const char *key)
{
	g_autofree char *head = g_strconcat(doc->section.before, section, doc->section.after, NULL);
	g_autofree char *line = g_strconcat(doc->key.before, key, doc->key.after, NULL);
	const char *start = strstr(doc->text, head);

	cr_assert(start, "[%s] is missing", section);
	const char *end = strstr(start + strlen(head), doc->end);
	g_autofree char *part = end ? g_strndup(start, (gsize)(end - start)) : g_strdup(start);
	const char *got = strstr(part, line);
	cr_expect(got, "[%s] %s is missing", section, key);
	cr_expect(!got || !strstr(got + 1, line), "[%s] %s stands twice", section, key);
}

static void
doc_expect_all(const struct fixture *doc, const char *relay, const char *pace)
{
	for (int i = 0; i < SETTING_COUNT; i++)
		doc_expect(
		    doc, config_settings_describe(i)->section, config_settings_describe(i)->key);
	for (int i = 0; i < RELAY_KEY_COUNT; i++)
		doc_expect(doc, relay, config_relay_describe(i)->key);
	for (int i = 0; i < PACE_KEY_COUNT; i++)
		doc_expect(doc, pace, config_pace_describe(i)->key);
}

static char *
doc_read_sample(void)
{
	const char *build = g_getenv("builddir");
	g_autofree char *path =
	    g_build_filename(build ? build : ".", "apache", "posthouse.conf", NULL);
	char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s cannot be read", path);
	return text;
}

Test(settings_doc, shows_each_setting_in_the_manual)
{
	g_autofree char *text = test_manual_read("posthouse.conf.5");
	struct fixture doc = {text, {"\n.Ss Section ", "\n"}, {"\n.It Ic ", "\n"}, "\n.Ss "};

	doc_expect_all(&doc, "relay NAME", "pace DOMAIN");
	cr_expect(strstr(text, ".It Ic host\nText: a host name or an IPv4 address, without a port; "
			       "required.\nThe relay's address.\n.It Ic port\n"),
	    "type, form and text are not shown together");
}

Test(settings_doc, shows_each_setting_in_the_sample)
{
	g_autofree char *text = doc_read_sample();
	struct fixture doc = {text, {"[", "]\n"}, {"\n#", " = "}, "\n\n"};

	doc_expect_all(&doc, "relay example", "pace example.com");
	doc_expect(&doc, "relay example", "password_file");
}

/* Whether the parser takes the value that the sample shows for the row. */
static bool
doc_is_value(const struct config_setting_row *row)
{
	const char *value = row->fallback ? row->fallback : row->example;
	bool is_list = row->type == SETTING_TYPE_LIST;
	g_auto(GStrv) entries = g_strsplit_set(value, is_list ? ", " : "", -1);

	if (row->type == SETTING_TYPE_NUMBER)
		return g_ascii_string_to_signed(value, 10, row->min, row->max, NULL, NULL);
	if (row->type == SETTING_TYPE_CHOICE)
		return g_strv_contains(row->choices, value);
	for (guint i = 0; row->check && entries[i]; i++)
		if (!row->check(entries[i]))
			return false;
	return *value != '\0';
}

static void
doc_expect_value(const struct config_setting_row *row)
{
	cr_expect(doc_is_value(row), "%s.%s: what the sample shows would be refused", row->section,
	    row->key);
}

Test(settings_doc, shows_values_that_are_taken)
{
	for (int i = 0; i < SETTING_COUNT; i++)
		doc_expect_value(config_settings_describe(i));
	for (int i = 0; i < RELAY_KEY_COUNT; i++)
		doc_expect_value(config_relay_describe(i));
	for (int i = 0; i < PACE_KEY_COUNT; i++)
		doc_expect_value(config_pace_describe(i));
}
