/* SPDX-License-Identifier: MIT */
/* Loads the settings as the table says, and serves them. */
#include "base/settings.h"

#include <string.h>

#include "base/error.h"
#include "base/secret.h"
#include "base/settings_file.h"
#include "base/settings_value.h"

struct base_settings {
	struct base_setting_value values[SETTING_COUNT];
	struct base_secret *secret;
};

/* A value as the file has it, its escapes resolved. NULL on error. */
static char *
read_string(GKeyFile *keys, const char *section, const char *key, GError **error)
{
	g_autoptr(GError) failure = NULL;
	g_autofree char *text = g_key_file_get_string(keys, section, key, &failure);

	/* With a bad escape there is an error and a text. */
	if (!failure)
		return g_steal_pointer(&text);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "cannot be read: it is UTF-8 text, and a backslash in it is written \\\\");
	return NULL;
}

/* The text of a file of secrets, which nobody else may read. NULL on error. */
static char *
read_secret_file(const char *path, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) failure = NULL;
	gsize size;

	if (!g_path_is_absolute(path))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "names its file with a path from the root (/...), not '%s'", path);
	else if (!g_file_get_contents(path, &text, &size, &failure))
		g_set_error(
		    error, PH_ERROR, PH_ERROR_INVALID, "cannot be read: %s", failure->message);
	else if (base_settings_file_is_exposed(path))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "is a secret, but everybody on this machine can use its file: run chmod o= "
		    "'%s'",
		    path);
	else if (strlen(text) != size)
		g_set_error(
		    error, PH_ERROR, PH_ERROR_INVALID, "is no text: %s has NUL bytes", path);
	else
		return g_steal_pointer(&text);
	return NULL;
}

/* A secret given as KEY_file: the first line of that file. NULL on error. */
static char *
read_key_file(GKeyFile *keys, const struct base_setting_row *row, GError **error)
{
	g_autofree char *key = g_strconcat(row->key, "_file", NULL);
	g_autofree char *path = read_string(keys, row->section, key, error);
	g_autofree char *text = path ? read_secret_file(path, error) : NULL;

	if (!text)
		return NULL;
	text[strcspn(text, "\r\n")] = '\0';
	if (*text)
		return g_steal_pointer(&text);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "is empty: %s has no first line", path);
	return NULL;
}

/* A value that stands in the settings file itself. NULL on error. */
static char *
read_own(const struct base_settings_file *file, const struct base_setting_row *row, GError **error)
{
	g_autofree char *text = read_string(file->keys, row->section, row->key, error);

	if (!text || !row->secret || !*text || !base_settings_file_is_exposed(file->path))
		return g_steal_pointer(&text);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "is a secret, but everybody on this machine can use this file: run chmod o= '%s', or "
	    "give %s_file",
	    file->path, row->key);
	return NULL;
}

/* The text of a setting: from the file, from KEY_file, the default, or "". NULL on error. */
static char *
read_text(const struct base_settings_file *file, enum base_setting setting, GError **error)
{
	const struct base_setting_row *row = base_settings_describe(setting);
	char *text;

	if (file->line[setting] && file->file_line[setting]) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "is given both as %s and as %s_file",
		    row->key, row->key);
		return NULL;
	}
	if (file->file_line[setting])
		return read_key_file(file->keys, row, error);
	if (file->line[setting]) {
		text = read_own(file, row, error);
		if (!text || *text)
			return text;
		g_free(text);
	}
	if (!row->required)
		return g_strdup(row->fallback ? row->fallback : "");
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "is missing");
	return NULL;
}

/* What secret_file names. */
static struct base_secret *
read_secrets(const char *path, GError **error)
{
	g_autofree char *text = read_secret_file(path, error);
	struct base_secret *secret = text ? base_secret_parse(text, error) : NULL;

	if (text && !secret)
		g_prefix_error(error, "cannot use %s: ", path);
	return secret;
}

static bool
read_setting(const struct base_settings_file *file, struct base_settings *settings,
    enum base_setting setting, GError **error)
{
	struct base_setting_value *value = &settings->values[setting];

	value->text = read_text(file, setting, error);
	if (!value->text ||
	    !base_settings_value_read(base_settings_describe(setting), value, error))
		return false;
	if (setting == SETTING_SERVICE_SECRET_FILE)
		settings->secret = read_secrets(value->text, error);
	return setting != SETTING_SERVICE_SECRET_FILE || settings->secret;
}

struct base_settings *
base_settings_load(const char *path, GError **error)
{
	AUTO(base_settings_file) file = base_settings_file_read(path, error);
	AUTO(base_settings) settings = NULL;

	if (!file)
		return NULL;
	settings = g_new0(struct base_settings, 1);
	for (int i = 0; i < SETTING_COUNT; i++)
		if (!read_setting(file, settings, i, error)) {
			base_settings_file_blame(file, i, error);
			return NULL;
		}
	return g_steal_pointer(&settings);
}

void
base_settings_free(struct base_settings *settings)
{
	if (!settings)
		return;
	for (int i = 0; i < SETTING_COUNT; i++) {
		g_free(settings->values[i].text);
		g_strfreev(settings->values[i].list);
	}
	base_secret_free(settings->secret);
	g_free(settings);
}

const char *
base_settings_path(const char *argument)
{
	const char *variable = g_getenv("POSTHOUSE_CONFIG");

	if (argument)
		return argument;
	return variable && *variable ? variable : SYSCONFDIR "/posthouse/posthouse.conf";
}

bool
base_settings_given(const struct base_settings *settings, enum base_setting setting)
{
	return *settings->values[setting].text != '\0';
}

static const struct base_setting_value *
get(const struct base_settings *settings, enum base_setting setting, unsigned types)
{
	g_assert(types & 1u << base_settings_describe(setting)->type);
	return &settings->values[setting];
}

const char *
base_settings_text(const struct base_settings *settings, enum base_setting setting)
{
	return get(settings, setting, 1 << SETTING_TYPE_TEXT | 1 << SETTING_TYPE_PATH)->text;
}

gint64
base_settings_number(const struct base_settings *settings, enum base_setting setting)
{
	return get(settings, setting, 1 << SETTING_TYPE_NUMBER)->number;
}

int
base_settings_choice(const struct base_settings *settings, enum base_setting setting)
{
	return (int)get(settings, setting, 1 << SETTING_TYPE_CHOICE)->number;
}

bool
base_settings_switch(const struct base_settings *settings, enum base_setting setting)
{
	return get(settings, setting, 1 << SETTING_TYPE_SWITCH)->number;
}

const char *const *
base_settings_list(const struct base_settings *settings, enum base_setting setting)
{
	return (const char *const *)get(settings, setting, 1 << SETTING_TYPE_LIST)->list;
}

const struct base_secret *
base_settings_secret(const struct base_settings *settings)
{
	return settings->secret;
}
