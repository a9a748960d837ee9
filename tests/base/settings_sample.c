/* SPDX-License-Identifier: MIT */
/* That apache/posthouse.conf shows every setting, with its default or an example that would do. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/settings_table.h"

/* The sample with every setting in force. */
static GKeyFile *
sample(void)
{
	const char *source = g_getenv("srcdir");
	g_autofree char *path =
	    g_build_filename(source ? source : ".", "apache", "posthouse.conf", NULL);
	g_autofree char *text = NULL, *active = NULL;
	g_autoptr(GRegex) commented = g_regex_new("^#([a-z_]+ = )", G_REGEX_MULTILINE, 0, NULL);
	GKeyFile *file = g_key_file_new();

	cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s cannot be read", path);
	active = g_regex_replace(commented, text, -1, 0, "\\1", 0, NULL);
	cr_assert(g_key_file_load_from_data(file, active, strlen(active), G_KEY_FILE_NONE, NULL));
	return file;
}

static bool
would_do(const struct base_setting_row *row, const char *value)
{
	g_auto(GStrv) entries =
	    row->type == SETTING_TYPE_LIST ? g_strsplit_set(value, ", ", -1) : NULL;
	g_autofree char *text = g_strdup(value);

	if (!row->check)
		return *value != '\0';
	if (!entries)
		return row->check(text);
	for (guint i = 0; entries[i]; i++)
		if (!row->check(entries[i]))
			return false;
	return true;
}

Test(settings_sample, shows_each_setting)
{
	g_autoptr(GKeyFile) file = sample();

	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct base_setting_row *row = base_settings_describe(i);
		g_autofree char *value = g_key_file_get_value(file, row->section, row->key, NULL);

		cr_expect(value, "%s.%s: missing", row->section, row->key);
		if (!value)
			continue;
		if (row->fallback)
			cr_expect_str_eq(value, row->fallback,
			    "%s.%s: got \"%s\", want the default \"%s\"", row->section, row->key,
			    value, row->fallback);
		cr_expect(would_do(row, value), "%s.%s: \"%s\" would be refused", row->section,
		    row->key, value);
	}
}

Test(settings_sample, shows_nothing_else)
{
	g_autoptr(GKeyFile) file = sample();
	g_auto(GStrv) sections = g_key_file_get_groups(file, NULL);
	gsize got = 0, want = SETTING_COUNT;

	for (int i = 0; i < SETTING_COUNT; i++)
		if (base_settings_describe(i)->secret)
			want++; /* KEY_file */
	for (guint i = 0; sections[i]; i++) {
		gsize count;
		g_auto(GStrv) keys = g_key_file_get_keys(file, sections[i], &count, NULL);
		got += count;
	}
	cr_expect_eq(got, want, "keys: got %zu, want %zu", got, want);
}
