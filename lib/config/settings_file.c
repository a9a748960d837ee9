/* SPDX-License-Identifier: MIT */
/* Reads the settings file: its sections and keys with their lines, and the texts of settings. */
#include "config/settings_file.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/domain.h"

static const struct config_setting_row *
describe_relay(guint key)
{
	return config_relay_describe(key);
}

static const struct config_setting_row *
describe_pace(guint key)
{
	return config_pace_describe(key);
}

static const struct config_setting_row *
describe_source(guint key)
{
	return config_source_describe(key);
}

static const struct {
	const char *prefix; /* of its sections */
	guint keys;
	const struct config_setting_row *(*describe)(guint key);
	bool (*is_name)(const char *name);
	const char *form;
} kinds[] = {
    [SECTION_RELAY] = {"relay ", RELAY_KEY_COUNT, describe_relay, config_relay_is_name,
	"names its relay with 1 to 32 of a-z, 0-9, - and _"},
    [SECTION_SOURCE] = {"source ", SOURCE_KEY_COUNT, describe_source, config_source_is_name,
	"names an IPv4 address of this machine"},
    [SECTION_PACE] = {"pace ", PACE_KEY_COUNT, describe_pace, config_pace_is_name,
	"names its destination with a domain in lower case, or default"},
};
G_STATIC_ASSERT(G_N_ELEMENTS(kinds) == SECTION_KINDS);
G_STATIC_ASSERT(LIMIT_RELAY_NAME_LENGTH == 32);

static void
free_section(void *data)
{
	struct config_settings_section *own = data;

	g_free(own->section);
	g_free(own);
}

void
config_settings_file_free(struct config_settings_file *file)
{
	for (guint i = 0; i < SECTION_KINDS; i++)
		g_ptr_array_unref(file->sections[i]);
	g_key_file_unref(file->keys);
	g_free(file->path);
	g_free(file);
}

bool
config_settings_file_fault(
    const struct config_settings_file *file, GError **error, guint line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	return base_invalid(error, "%s:%u: %s", file->path, line, text);
}

/* Whether users outside the owner and the group of the file have any right to it. */
static bool
is_exposed(const char *path)
{
	GStatBuf st;

	return g_stat(path, &st) == 0 && (st.st_mode & 007);
}

/* GKeyFile does not name the line of a syntax error, so parse ever more lines until the error
   comes. GKeyFile's own message is not passed on, because it would show a password on a damaged
   line. */
static bool
check_syntax(const struct config_settings_file *file, const char *text, GError **error)
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
	return config_settings_file_fault(file, error, line,
	    "this line cannot be read: settings are [section] lines, each with key = value lines "
	    "below it, and # begins a comment line");
}

/* The kind of a section; SECTION_KINDS: none. */
static enum config_settings_kind
settings_file_kind_of(const char *section)
{
	enum config_settings_kind kind = 0;

	while (kind < SECTION_KINDS && !g_str_has_prefix(section, kinds[kind].prefix))
		kind++;
	return kind;
}

static struct config_settings_section *
find_section(const struct config_settings_file *file, const char *section)
{
	enum config_settings_kind kind = settings_file_kind_of(section);

	for (guint i = 0; kind < SECTION_KINDS && i < file->sections[kind]->len; i++) {
		struct config_settings_section *own = file->sections[kind]->pdata[i];

		if (!strcmp(own->section, section))
			return own;
	}
	return NULL;
}

/* Notes a section with a name. */
static bool
note_named(struct config_settings_file *file, const char *section, guint line, GError **error)
{
	enum config_settings_kind kind = settings_file_kind_of(section);

	if (!kinds[kind].is_name(section + strlen(kinds[kind].prefix)))
		return config_settings_file_fault(
		    file, error, line, "[%s] %s", section, kinds[kind].form);
	if (find_section(file, section))
		return true;
	struct config_settings_section *own = g_new0(struct config_settings_section, 1);
	own->kind = kind;
	own->section = g_strdup(section);
	own->name = own->section + strlen(kinds[kind].prefix);
	own->line = line;
	for (guint i = 0; i < kinds[kind].keys; i++) {
		own->places[i].row = kinds[kind].describe(i);
		own->places[i].section = own->section;
	}
	g_ptr_array_add(file->sections[kind], own);
	return true;
}

static bool
note_section(struct config_settings_file *file, const char *section, guint line, GError **error)
{
	if (settings_file_kind_of(section) < SECTION_KINDS)
		return note_named(file, section, line, error);
	for (int i = 0; i < SETTING_COUNT; i++)
		if (!strcmp(config_settings_describe(i)->section, section))
			return true;
	return config_settings_file_fault(file, error, line, "there is no section [%s]", section);
}

/* The place for the line number of a key; NULL if there is no such setting. */
static guint *
settings_file_find_place(struct config_settings_file *file, const char *section, const char *key)
{
	struct config_settings_section *own = find_section(file, section);
	struct config_settings_place *places = own ? own->places : file->places;
	guint count = own ? kinds[own->kind].keys : (guint)SETTING_COUNT;

	for (guint i = 0; i < count; i++) {
		struct config_settings_place *place = &places[i];

		if (strcmp(place->section, section))
			continue;
		if (!strcmp(place->row->key, key))
			return &place->line;
		if (place->row->secret && g_str_has_prefix(key, place->row->key) &&
		    !strcmp(key + strlen(place->row->key), "_file"))
			return &place->file_line;
	}
	return NULL;
}

/* The name by which messages call a setting. The caller owns it. */
static char *
settings_file_name_of(const char *section, const char *key)
{
	return g_strdup_printf("[%s] %s", section, key);
}

/* Notes the line of each key. The text is one that GKeyFile has parsed. */
static bool
note_lines(struct config_settings_file *file, char *const *lines, GError **error)
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
			if (!note_section(file, section, i + 1, error))
				return false;
			continue;
		}
		key = g_strchomp(g_strndup(line, strcspn(line, "=")));
		g_autofree char *name = settings_file_name_of(section, key);
		guint *place = settings_file_find_place(file, section, key);
		if (!place)
			return config_settings_file_fault(
			    file, error, i + 1, "there is no setting %s", name);
		if (*place)
			return config_settings_file_fault(
			    file, error, i + 1, "%s is given twice, on line %u too", name, *place);
		*place = i + 1;
	}
	return true;
}

static bool
settings_file_read_file(struct config_settings_file *file, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) failure = NULL;
	gsize size;

	if (!g_file_get_contents(file->path, &text, &size, &failure)) {
		bool missing = g_error_matches(failure, G_FILE_ERROR, G_FILE_ERROR_NOENT);

		return base_fail(error, missing ? PH_ERROR_NOT_FOUND : PH_ERROR_FAILED,
		    "the settings file cannot be read: %s", failure->message);
	}
	if (strlen(text) != size) {
		return base_invalid(error, "%s: this is not a text file", file->path);
	}

	/* GKeyFile would keep white space at the end of a line, which is never intended. */
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++)
		g_strchomp(lines[i]);
	g_autofree char *clean = g_strjoinv("\n", lines);
	return check_syntax(file, clean, error) && note_lines(file, lines, error);
}

struct config_settings_file *
config_settings_file_read(const char *path, GError **error)
{
	AUTO(config_settings_file) file = g_new0(struct config_settings_file, 1);

	file->path = g_strdup(path);
	file->keys = g_key_file_new();
	for (guint i = 0; i < SECTION_KINDS; i++)
		file->sections[i] = g_ptr_array_new_with_free_func(free_section);
	for (int i = 0; i < SETTING_COUNT; i++) {
		file->places[i].row = config_settings_describe(i);
		file->places[i].section = file->places[i].row->section;
	}
	return settings_file_read_file(file, error) ? g_steal_pointer(&file) : NULL;
}

void
config_settings_file_prefix(const struct config_settings_file *file,
    const struct config_settings_place *place, guint section_line, GError **error)
{
	guint line = MAX(place->line, place->file_line);
	bool is_file = place->file_line && !place->line;
	g_autofree char *key = g_strconcat(place->row->key, is_file ? "_file" : NULL, NULL);
	g_autofree char *name = settings_file_name_of(place->section, key);

	g_prefix_error(error, "%s ", name);
	if (line || section_line)
		g_prefix_error(error, "%s:%u: ", file->path, line ? line : section_line);
	else
		g_prefix_error(error, "%s: ", file->path);
}

/* A value of the file with its escapes resolved. NULL on error. */
static char *
settings_file_read_string(GKeyFile *keys, const char *section, const char *key, GError **error)
{
	g_autoptr(GError) failure = NULL;
	g_autofree char *text = g_key_file_get_string(keys, section, key, &failure);

	/* For a bad escape GKeyFile sets an error and also returns a text. */
	if (!failure)
		return g_steal_pointer(&text);
	base_invalid(
	    error, "cannot be read: it is UTF-8 text, and a backslash in it is written \\\\");
	return NULL;
}

char *
config_settings_file_secret(const char *path, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) failure = NULL;
	gsize size;

	if (!g_path_is_absolute(path))
		base_invalid(
		    error, "names its file with a path from the root (/...), not '%s'", path);
	else if (!g_file_get_contents(path, &text, &size, &failure))
		base_invalid(error, "cannot be read: %s", failure->message);
	else if (is_exposed(path))
		base_invalid(error,
		    "is a secret, but everybody on this machine can use its file: run chmod o= "
		    "'%s'",
		    path);
	else if (strlen(text) != size)
		base_invalid(error, "is no text: %s has NUL bytes", path);
	else
		return g_steal_pointer(&text);
	return NULL;
}

/* The secret in the file that KEY_file names, which is the file's first line. NULL on error. */
static char *
read_key_file(GKeyFile *keys, const struct config_settings_place *place, GError **error)
{
	g_autofree char *key = g_strconcat(place->row->key, "_file", NULL);
	g_autofree char *path = settings_file_read_string(keys, place->section, key, error);
	g_autofree char *text = path ? config_settings_file_secret(path, error) : NULL;

	if (!text)
		return NULL;
	text[strcspn(text, "\r\n")] = '\0';
	if (*text)
		return g_steal_pointer(&text);
	base_invalid(error, "is empty: %s has no first line", path);
	return NULL;
}

/* A value from the settings file itself. NULL on error. */
static char *
settings_file_read_own(const struct config_settings_file *file,
    const struct config_settings_place *place, GError **error)
{
	const struct config_setting_row *row = place->row;
	g_autofree char *text =
	    settings_file_read_string(file->keys, place->section, row->key, error);

	if (!text || !row->secret || !*text || !is_exposed(file->path))
		return g_steal_pointer(&text);
	base_invalid(error,
	    "is a secret, but everybody on this machine can use this file: run chmod o= '%s', or "
	    "give %s_file",
	    file->path, row->key);
	return NULL;
}

char *
config_settings_file_text(const struct config_settings_file *file,
    const struct config_settings_place *place, GError **error)
{
	const struct config_setting_row *row = place->row;
	char *text;

	if (place->line && place->file_line) {
		base_invalid(error, "is given both as %s and as %s_file", row->key, row->key);
		return NULL;
	}
	if (place->file_line)
		return read_key_file(file->keys, place, error);
	if (place->line) {
		text = settings_file_read_own(file, place, error);
		if (!text || *text || row->may_be_empty)
			return text;
		g_free(text);
	}
	if (!row->required)
		return g_strdup(row->fallback ? row->fallback : "");
	base_invalid(error, "is missing");
	return NULL;
}
