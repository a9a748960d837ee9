/* SPDX-License-Identifier: MIT */
/* Compares posthouse.conf(5) with the table of settings: every row, in the same order. */
#include <criterion/criterion.h>
#include <string.h>

#include "config/settings_pace.h"
#include "config/settings_relay.h"
#include "config/settings_table.h"
#include "tests/support/manual.h"

static void
add_type(GString *text, const struct config_setting_row *row)
{
	static const char *const names[] = {
	    [SETTING_TYPE_TEXT] = "Text",
	    [SETTING_TYPE_PATH] = "Path",
	    [SETTING_TYPE_NUMBER] = "Number",
	    [SETTING_TYPE_SWITCH] = "Yes or no",
	    [SETTING_TYPE_CHOICE] = "One of ",
	    [SETTING_TYPE_LIST] = "List; each entry ",
	};

	g_string_append(text, names[row->type]);
	if (row->type == SETTING_TYPE_NUMBER)
		g_string_append_printf(
		    text, " from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, row->min, row->max);
	for (guint i = 0; row->choices[i]; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", row->choices[i]);
	if (row->form)
		g_string_append_printf(
		    text, "%s%s", row->type == SETTING_TYPE_TEXT ? ": " : "", row->form);
}

/* The first sentence of the page on a setting: type, range, form and default. */
static char *
facts_of(const struct config_setting_row *row)
{
	GString *text = g_string_new(NULL);

	add_type(text, row);
	if (row->secret)
		g_string_append_printf(text, "; secret, or %s_file names a file with it", row->key);
	if (row->required)
		g_string_append(text, "; required");
	if (row->fallback)
		g_string_append_printf(text, "; %s if not given", row->fallback);
	g_string_append_c(text, '.');
	return g_string_free(text, FALSE);
}

/* The lines of text from there to the next macro, as one. */
static char *
prose_at(char *const *line)
{
	GString *text = g_string_new(NULL);

	for (; *line && **line != '.'; line++)
		g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", *line);
	return g_string_free(text, FALSE);
}

/* The next line of the page that begins with prefix: what follows that, and in *line_r the line
   behind it. */
static const char *
settings_manual_next(char *const **line_r, const char *prefix)
{
	for (char *const *line = *line_r; *line; line++)
		if (g_str_has_prefix(*line, prefix)) {
			*line_r = line + 1;
			return *line + strlen(prefix);
		}
	return NULL;
}

/* Checks what the page tells of a row, from *line on. */
static void
check_row(char *const **line, const struct config_setting_row *row)
{
	const char *key = settings_manual_next(line, ".It Ic ");

	cr_assert(key && strcmp(key, row->key) == 0, "%s.%s: got %s", row->section, row->key, key);
	g_autofree char *prose = prose_at(*line);
	g_autofree char *facts = facts_of(row);
	cr_expect(g_str_has_prefix(prose, facts), "%s.%s: got \"%s\", want \"%s ...\"",
	    row->section, row->key, prose, facts);
	cr_expect_gt(strlen(prose), strlen(facts) + 10, "%s.%s: does not say what for",
	    row->section, row->key);
}

static void
check_named(char *const **line)
{
	cr_assert_str_eq(settings_manual_next(line, ".Ss Section "), "relay NAME");
	for (int i = 0; i < RELAY_KEY_COUNT; i++)
		check_row(line, config_relay_describe(i));
	cr_assert_str_eq(settings_manual_next(line, ".Ss Section "), "pace DOMAIN");
	for (int i = 0; i < PACE_KEY_COUNT; i++)
		check_row(line, config_pace_describe(i));
}

Test(settings_manual, tells_of_each_setting)
{
	g_autofree char *page = test_manual_read("posthouse.conf.5");
	g_auto(GStrv) lines = g_strsplit(page, "\n", -1);
	char *const *line = lines;
	const char *section = "";

	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct config_setting_row *row = config_settings_describe(i);

		if (i == SETTING_SMTP_RATE + 1)
			check_named(&line);
		if (strcmp(row->section, section) != 0)
			section = settings_manual_next(&line, ".Ss Section ");
		cr_assert(section && strcmp(section, row->section) == 0, "[%s]: got [%s]",
		    row->section, section);
		check_row(&line, row);
	}
	cr_expect_null(settings_manual_next(&line, ".It Ic "), "it tells of more");
}
