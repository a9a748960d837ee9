/* SPDX-License-Identifier: MIT */
/* The text of a settings file: its syntax, and on which line each key stands. */
#include "base/settings_file.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"

/* Sets INVALID with "FILE:LINE: sentence" and returns false. */
static bool G_GNUC_PRINTF(4, 5) fault(
    const struct base_settings_file *file, GError **error, guint line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s:%u: %s", file->path, line, text);
	return false;
}

bool
base_settings_file_is_exposed(const char *path)
{
	GStatBuf st;

	return g_stat(path, &st) == 0 && (st.st_mode & 007);
}

/* GKeyFile does not say where its complaint is: it is the line with which the text stops being
   good. Its message is not passed on, since that would show a password on a damaged line. */
static bool
check_syntax(const struct base_settings_file *file, const char *text, GError **error)
{
	const char *end = text;
	guint line = 0;

	if (g_key_file_load_from_data(file->keys, text, strlen(text), G_KEY_FILE_NONE, NULL))
		return true;
	do {
		g_autoptr(GKeyFile) keys = g_key_file_new();

		line++;
		end += strcspn(end, "\n");
		end += *end == '\n';
		if (!g_key_file_load_from_data(
			keys, text, (gsize)(end - text), G_KEY_FILE_NONE, NULL))
			break;
	} while (*end);
	return fault(file, error, line,
	    "this line cannot be read: settings are [section] lines, each with key = value lines "
	    "below it, and # begins a comment line");
}

static bool
is_section(const char *section)
{
	for (int i = 0; i < SETTING_COUNT; i++)
		if (!strcmp(base_settings_describe(i)->section, section))
			return true;
	return false;
}

/* Where the line of a key is to be noted; NULL for a key that there is not. */
static guint *
find_place(struct base_settings_file *file, const char *section, const char *key)
{
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct base_setting_row *row = base_settings_describe(i);

		if (strcmp(row->section, section))
			continue;
		if (!strcmp(row->key, key))
			return &file->line[i];
		if (row->secret && g_str_has_prefix(key, row->key) &&
		    !strcmp(key + strlen(row->key), "_file"))
			return &file->file_line[i];
	}
	return NULL;
}

/* The lines of a text that GKeyFile found good. */
static bool
note_lines(struct base_settings_file *file, char *const *lines, GError **error)
{
	g_autofree char *section = NULL;

	for (guint i = 0; lines[i]; i++) {
		const char *line = lines[i] + strspn(lines[i], " \t\r\f\v");
		g_autofree char *key = NULL;

		if (!*line || *line == '#')
			continue;
		if (*line == '[') {
			g_free(section);
			section = g_strndup(line + 1, strcspn(line, "]") - 1);
			if (!is_section(section))
				return fault(
				    file, error, i + 1, "there is no section [%s]", section);
			continue;
		}
		key = g_strchomp(g_strndup(line, strcspn(line, "=")));
		guint *place = find_place(file, section, key);
		if (!place)
			return fault(file, error, i + 1, "there is no setting %s.%s", section, key);
		if (*place)
			return fault(file, error, i + 1, "%s.%s is given twice, on line %u too",
			    section, key, *place);
		*place = i + 1;
	}
	return true;
}

static bool
read_file(struct base_settings_file *file, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) failure = NULL;
	gsize size;

	if (!g_file_get_contents(file->path, &text, &size, &failure)) {
		bool missing = g_error_matches(failure, G_FILE_ERROR, G_FILE_ERROR_NOENT);

		g_set_error(error, PH_ERROR, missing ? PH_ERROR_NOT_FOUND : PH_ERROR_FAILED,
		    "the settings file cannot be read: %s", failure->message);
		return false;
	}
	if (strlen(text) != size) {
		g_set_error(
		    error, PH_ERROR, PH_ERROR_INVALID, "%s: this is no text file", file->path);
		return false;
	}

	/* White space at a line's end is nobody's intention; GKeyFile would keep it. */
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++)
		g_strchomp(lines[i]);
	g_autofree char *clean = g_strjoinv("\n", lines);
	return check_syntax(file, clean, error) && note_lines(file, lines, error);
}

struct base_settings_file *
base_settings_file_read(const char *path, GError **error)
{
	AUTO(base_settings_file) file = g_new0(struct base_settings_file, 1);

	file->path = g_strdup(path);
	file->keys = g_key_file_new();
	return read_file(file, error) ? g_steal_pointer(&file) : NULL;
}

void
base_settings_file_free(struct base_settings_file *file)
{
	if (!file)
		return;
	g_key_file_unref(file->keys);
	g_free(file->path);
	g_free(file);
}

void
base_settings_file_blame(
    const struct base_settings_file *file, enum base_setting setting, GError **error)
{
	const struct base_setting_row *row = base_settings_describe(setting);
	guint line = MAX(file->line[setting], file->file_line[setting]);

	g_prefix_error(error, "%s.%s ", row->section, row->key);
	if (line)
		g_prefix_error(error, "%s:%u: ", file->path, line);
	else
		g_prefix_error(error, "%s: ", file->path);
}
