/* SPDX-License-Identifier: MIT */
/* Reads the settings file, checks it against the table of settings, and returns the values. */
#include "base/settings.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"

/* The value of one setting. */
struct value {
	char *text;
	gint64 number; /* also of switches and choices */
	char **list;
};

/* A section [relay NAME] with its values, or a host of [smtp]. */
struct relay {
	struct base_relay relay;
	char *name, *host;
	struct value values[RELAY_KEY_COUNT];
};

struct base_settings {
	struct value values[SETTING_COUNT];
	struct base_secret *secret;
	GPtrArray *relays; /* struct relay */
	bool has_relays;   /* they are sections, not hosts of [smtp] */
};

/* The place of a setting in the file. */
struct place {
	const struct base_setting_row *row;
	const char *section;
	guint line;	 /* of the setting, from 1; 0: it is not in the file */
	guint file_line; /* of KEY_file, likewise */
};

/* The places of a section [relay NAME]. */
struct relay_places {
	char *section;
	guint line;
	struct place places[RELAY_KEY_COUNT];
};

/* A settings file while it is read. */
struct file {
	char *path;
	GKeyFile *keys;
	struct place places[SETTING_COUNT];
	GPtrArray *relays; /* struct relay_places */
};

static void
free_relay_places(void *data)
{
	struct relay_places *relay = data;

	g_free(relay->section);
	g_free(relay);
}

static void
free_file(struct file *file)
{
	g_ptr_array_unref(file->relays);
	g_key_file_unref(file->keys);
	g_free(file->path);
	g_free(file);
}

DEFINE_AUTO(file, free_file)

static bool
read_number(const struct base_setting_row *row, struct value *value, GError **error)
{
	return g_ascii_string_to_signed(
		   value->text, 10, row->min, row->max, &value->number, NULL) ||
	       base_invalid(error,
		   "is a number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", not '%s'",
		   row->min, row->max, value->text);
}

static bool
read_switch(const struct base_setting_row *row, struct value *value, GError **error)
{
	static const char *const no[] = {"no", "false", "off", NULL};
	static const char *const yes[] = {"yes", "true", "on", NULL};

	value->number = g_strv_contains(yes, value->text);
	return value->number || g_strv_contains(no, value->text) ||
	       base_invalid(error, "is yes or no, not '%s'", value->text);
}

static bool
read_choice(const struct base_setting_row *row, struct value *value, GError **error)
{
	g_autofree char *choices = g_strjoinv(", ", (char **)row->choices);

	for (int i = 0; row->choices[i]; i++) {
		value->number = i;
		if (!strcmp(row->choices[i], value->text))
			return true;
	}
	return base_invalid(error, "is one of %s, not '%s'", choices, value->text);
}

static bool
read_path(const struct base_setting_row *row, struct value *value, GError **error)
{
	return g_path_is_absolute(value->text) ||
	       base_invalid(error, "is a path from the root (/...), not '%s'", value->text);
}

static bool
check_entry(const struct base_setting_row *row, char *entry, GError **error)
{
	g_autofree char *given = g_strdup(entry);

	return !row->check || row->check(entry) ||
	       base_invalid(error, "takes %s, not '%s'", row->form, given);
}

static bool
read_list(const struct base_setting_row *row, struct value *value, GError **error)
{
	g_auto(GStrv) parts = g_strsplit_set(value->text, ", \t\r\n\f\v", -1);
	g_autoptr(GStrvBuilder) entries = g_strv_builder_new();

	for (guint i = 0; parts[i]; i++) {
		if (!*parts[i])
			continue;
		if (!check_entry(row, parts[i], error))
			return false;
		g_strv_builder_add(entries, parts[i]);
	}
	value->list = g_strv_builder_end(entries);
	return true;
}

/* Converts value->text to the type of the row. INVALID with the end of a sentence that begins with
   the name of the setting ("is yes or no, not 'x'"). */
static bool
read_value(const struct base_setting_row *row, struct value *value, GError **error)
{
	if (row->type == SETTING_TYPE_LIST)
		return read_list(row, value, error);
	if (!*value->text)
		return true;
	switch (row->type) {
	case SETTING_TYPE_NUMBER:
		return read_number(row, value, error);
	case SETTING_TYPE_SWITCH:
		return read_switch(row, value, error);
	case SETTING_TYPE_CHOICE:
		return read_choice(row, value, error);
	case SETTING_TYPE_PATH:
		return read_path(row, value, error);
	default:
		return check_entry(row, value->text, error);
	}
}

/* Sets INVALID with "FILE:LINE: sentence" and returns false. */
static bool G_GNUC_PRINTF(4, 5)
    fault(const struct file *file, GError **error, guint line, const char *format, ...)
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
check_syntax(const struct file *file, const char *text, GError **error)
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

#define RELAY_SECTION "relay "

static bool
is_relay(const char *section)
{
	return g_str_has_prefix(section, RELAY_SECTION);
}

static struct relay_places *
find_relay(const struct file *file, const char *section)
{
	for (guint i = 0; i < file->relays->len; i++) {
		struct relay_places *relay = file->relays->pdata[i];

		if (!strcmp(relay->section, section))
			return relay;
	}
	return NULL;
}

/* Notes a section [relay NAME]. */
static bool
note_relay(struct file *file, const char *section, guint line, GError **error)
{
	if (!base_relay_is_name(section + strlen(RELAY_SECTION)))
		return fault(file, error, line,
		    "[%s] names its relay with 1 to %d of a-z, 0-9, - and _", section,
		    LIMIT_RELAY_NAME_LENGTH);
	if (find_relay(file, section))
		return true;
	struct relay_places *relay = g_new0(struct relay_places, 1);
	relay->section = g_strdup(section);
	relay->line = line;
	for (int i = 0; i < RELAY_KEY_COUNT; i++) {
		relay->places[i].row = base_relay_describe(i);
		relay->places[i].section = relay->section;
	}
	g_ptr_array_add(file->relays, relay);
	return true;
}

static bool
note_section(struct file *file, const char *section, guint line, GError **error)
{
	if (is_relay(section))
		return note_relay(file, section, line, error);
	for (int i = 0; i < SETTING_COUNT; i++)
		if (!strcmp(base_settings_describe(i)->section, section))
			return true;
	return fault(file, error, line, "there is no section [%s]", section);
}

/* The place for the line number of a key; NULL if there is no such setting. */
static guint *
find_place(struct file *file, const char *section, const char *key)
{
	struct relay_places *relay = is_relay(section) ? find_relay(file, section) : NULL;
	struct place *places = relay ? relay->places : file->places;

	for (int i = 0; i < (relay ? (int)RELAY_KEY_COUNT : (int)SETTING_COUNT); i++) {
		struct place *place = &places[i];

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

/* How messages call a setting. The caller owns the name. */
static char *
name_of(const char *section, const char *key)
{
	return is_relay(section) ? g_strdup_printf("[%s] %s", section, key)
				 : g_strdup_printf("%s.%s", section, key);
}

/* Notes the line of each key. The text is one that GKeyFile has parsed. */
static bool
note_lines(struct file *file, char *const *lines, GError **error)
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
		g_autofree char *name = name_of(section, key);
		guint *place = find_place(file, section, key);
		if (!place)
			return fault(file, error, i + 1, "there is no setting %s", name);
		if (*place)
			return fault(
			    file, error, i + 1, "%s is given twice, on line %u too", name, *place);
		*place = i + 1;
	}
	return true;
}

static bool
read_file(struct file *file, GError **error)
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

/* Reads a file of known sections and keys, each key once. Does not read the values. Errors as of
   base_settings_load. */
static struct file *
read_settings_file(const char *path, GError **error)
{
	AUTO(file) file = g_new0(struct file, 1);

	file->path = g_strdup(path);
	file->keys = g_key_file_new();
	file->relays = g_ptr_array_new_with_free_func(free_relay_places);
	for (int i = 0; i < SETTING_COUNT; i++) {
		file->places[i].row = base_settings_describe(i);
		file->places[i].section = file->places[i].row->section;
	}
	return read_file(file, error) ? g_steal_pointer(&file) : NULL;
}

/* Puts "FILE:LINE: section.key " in front of an error about a setting; without LINE if the setting
   is not in the file. section_line: that of its section; 0: not known. */
static void
prefix_place(const struct file *file, const struct place *place, guint section_line, GError **error)
{
	guint line = MAX(place->line, place->file_line);
	g_autofree char *name = name_of(place->section, place->row->key);

	g_prefix_error(error, "%s ", name);
	if (line || section_line)
		g_prefix_error(error, "%s:%u: ", file->path, line ? line : section_line);
	else
		g_prefix_error(error, "%s: ", file->path);
}

/* A value of the file with its escapes resolved. NULL on error. */
static char *
read_string(GKeyFile *keys, const char *section, const char *key, GError **error)
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

/* The text of a file of secrets, which other users must not be able to read. NULL on error. */
static char *
read_secret_file(const char *path, GError **error)
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
read_key_file(GKeyFile *keys, const struct place *place, GError **error)
{
	g_autofree char *key = g_strconcat(place->row->key, "_file", NULL);
	g_autofree char *path = read_string(keys, place->section, key, error);
	g_autofree char *text = path ? read_secret_file(path, error) : NULL;

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
read_own(const struct file *file, const struct place *place, GError **error)
{
	const struct base_setting_row *row = place->row;
	g_autofree char *text = read_string(file->keys, place->section, row->key, error);

	if (!text || !row->secret || !*text || !is_exposed(file->path))
		return g_steal_pointer(&text);
	base_invalid(error,
	    "is a secret, but everybody on this machine can use this file: run chmod o= '%s', or "
	    "give %s_file",
	    file->path, row->key);
	return NULL;
}

/* The text of a setting: from the file or from KEY_file, else the default or "". NULL on error. */
static char *
read_text(const struct file *file, const struct place *place, GError **error)
{
	const struct base_setting_row *row = place->row;
	char *text;

	if (place->line && place->file_line) {
		base_invalid(error, "is given both as %s and as %s_file", row->key, row->key);
		return NULL;
	}
	if (place->file_line)
		return read_key_file(file->keys, place, error);
	if (place->line) {
		text = read_own(file, place, error);
		if (!text || *text)
			return text;
		g_free(text);
	}
	if (!row->required)
		return g_strdup(row->fallback ? row->fallback : "");
	base_invalid(error, "is missing");
	return NULL;
}

/* The secrets in secret_file. NULL on error. */
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
read_setting(const struct file *file, struct base_settings *settings, enum base_setting setting,
    GError **error)
{
	struct value *value = &settings->values[setting];

	value->text = read_text(file, &file->places[setting], error);
	if (!value->text || !read_value(base_settings_describe(setting), value, error))
		return false;
	if (setting == SETTING_SERVICE_SECRET_FILE)
		settings->secret = read_secrets(value->text, error);
	return setting != SETTING_SERVICE_SECRET_FILE || settings->secret;
}

static void
free_value(struct value *value)
{
	g_free(value->text);
	g_strfreev(value->list);
}

static void
free_relay(void *data)
{
	struct relay *relay = data;

	for (int i = 0; i < RELAY_KEY_COUNT; i++)
		free_value(&relay->values[i]);
	g_free(relay->name);
	g_free(relay->host);
	g_free(relay);
}

/* A relay with what [smtp] gives for all. */
static struct relay *
new_relay(const struct base_settings *settings, char *name)
{
	struct relay *relay = g_new0(struct relay, 1);

	relay->name = name;
	relay->relay = (struct base_relay){
	    .name = name,
	    .unverified = !base_settings_switch(settings, SETTING_SMTP_TLS_VERIFY),
	    .dsn = base_settings_switch(settings, SETTING_SMTP_DSN),
	    .final = base_settings_switch(settings, SETTING_SMTP_FINAL),
	    .timeout_s = (guint)base_settings_number(settings, SETTING_SMTP_TIMEOUT),
	    .connect_timeout_s =
		(guint)base_settings_number(settings, SETTING_SMTP_CONNECT_TIMEOUT),
	    .data_timeout_s = (guint)base_settings_number(settings, SETTING_SMTP_DATA_TIMEOUT),
	    .helo = base_settings_text(settings, SETTING_SMTP_HELO),
	    .return_path = base_settings_text(settings, SETTING_SMTP_RETURN_PATH),
	};
	return relay;
}

/* Reads a section [relay NAME]. */
static bool
read_relay(const struct file *file, const struct relay_places *places,
    struct base_settings *settings, GError **error)
{
	struct relay *relay =
	    new_relay(settings, g_strdup(places->section + strlen(RELAY_SECTION)));
	struct base_relay_values values;
	enum base_relay_key key = 0;
	bool done = true;

	g_ptr_array_add(settings->relays, relay);
	for (int i = 0; done && i < RELAY_KEY_COUNT; i++) {
		struct value *value = &relay->values[i];

		key = i;
		value->text = read_text(file, &places->places[i], error);
		done = value->text && read_value(places->places[i].row, value, error);
		values.text[i] = value->text;
		values.number[i] = value->number;
	}
	done = done && base_relay_fill(&relay->relay, &values, &key, error);
	if (!done)
		prefix_place(file, &places->places[key], places->line, error);
	return done;
}

/* Refuses keys of [smtp] that each [relay NAME] has for itself. */
static bool
check_conflicts(const struct file *file, const struct base_settings *settings, GError **error)
{
	static const enum base_setting own[] = {SETTING_SMTP_HOST, SETTING_SMTP_PORT,
	    SETTING_SMTP_TLS, SETTING_SMTP_TLS_CA, SETTING_SMTP_USER, SETTING_SMTP_PASSWORD,
	    SETTING_SMTP_CONNECTIONS, SETTING_SMTP_RATE};
	const struct relay_places *first = file->relays->pdata[0];

	for (gsize i = 0; i < G_N_ELEMENTS(own); i++) {
		const struct place *place = &file->places[own[i]];
		guint line = MAX(place->line, place->file_line);

		if (line && *settings->values[own[i]].text)
			return fault(file, error, line,
			    "[smtp] %s cannot stand beside [%s]: each relay has its own",
			    place->row->key, first->section);
	}
	return true;
}

/* The limit that a setting gives for the relay at index; 0: none. */
static guint
limit_of(const struct base_settings *settings, enum base_setting setting, guint index)
{
	const char *const *limits = base_settings_list(settings, setting);
	guint count = g_strv_length((char **)limits);

	return count == 0 ? 0 : (guint)g_ascii_strtoull(limits[MIN(index, count - 1)], NULL, 10);
}

/* Makes a relay of the host of [smtp] at index. */
static void
add_host(struct base_settings *settings, const char *host, guint index)
{
	const char *colon = strchr(host, ':');
	guint port = colon ? (guint)g_ascii_strtoull(colon + 1, NULL, 10)
			   : (guint)base_settings_number(settings, SETTING_SMTP_PORT);
	g_autofree char *name = g_strndup(host, colon ? (gsize)(colon - host) : strlen(host));
	struct relay *own = new_relay(settings, g_strdup_printf("%s:%u", name, port));
	struct base_relay *relay = &own->relay;

	own->host = g_steal_pointer(&name);
	relay->host = relay->tls_name = own->host;
	relay->port = port;
	relay->tls = (enum base_setting_tls)base_settings_choice(settings, SETTING_SMTP_TLS);
	relay->tls_ca = base_settings_text(settings, SETTING_SMTP_TLS_CA);
	relay->user = base_settings_text(settings, SETTING_SMTP_USER);
	relay->password = base_settings_text(settings, SETTING_SMTP_PASSWORD);
	relay->verifies = !relay->unverified && relay->tls != TLS_NONE &&
			  (relay->tls != TLS_OPPORTUNISTIC || *relay->user);
	relay->tls_cert = relay->tls_key = relay->token_command = relay->source = relay->provider =
	    "";
	relay->connections = limit_of(settings, SETTING_SMTP_CONNECTIONS, index);
	relay->rate = limit_of(settings, SETTING_SMTP_RATE, index);
	relay->order = index + 1;
	relay->weight = 1;
	relay->is_default = true;
	g_ptr_array_add(settings->relays, own);
}

static bool
read_relays(const struct file *file, struct base_settings *settings, GError **error)
{
	const char *const *hosts = base_settings_list(settings, SETTING_SMTP_HOST);

	settings->has_relays = file->relays->len > 0;
	if (settings->has_relays && !check_conflicts(file, settings, error))
		return false;
	for (guint i = 0; i < file->relays->len; i++)
		if (!read_relay(file, file->relays->pdata[i], settings, error))
			return false;
	for (guint i = 0; !settings->has_relays && hosts[i]; i++)
		add_host(settings, hosts[i], i);
	return true;
}

struct base_settings *
base_settings_load(const char *path, GError **error)
{
	AUTO(file) file = read_settings_file(path, error);
	AUTO(base_settings) settings = NULL;

	if (!file)
		return NULL;
	settings = g_new0(struct base_settings, 1);
	settings->relays = g_ptr_array_new_with_free_func(free_relay);
	for (int i = 0; i < SETTING_COUNT; i++)
		if (!read_setting(file, settings, i, error)) {
			prefix_place(file, &file->places[i], 0, error);
			return NULL;
		}
	return read_relays(file, settings, error) ? g_steal_pointer(&settings) : NULL;
}

void
base_settings_free(struct base_settings *settings)
{
	if (!settings)
		return;
	for (int i = 0; i < SETTING_COUNT; i++)
		free_value(&settings->values[i]);
	if (settings->relays)
		g_ptr_array_unref(settings->relays);
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

static const struct value *
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

bool
base_settings_has_relays(const struct base_settings *settings)
{
	return settings->has_relays;
}

guint
base_settings_relay_count(const struct base_settings *settings)
{
	return settings->relays->len;
}

const struct base_relay *
base_settings_relay(const struct base_settings *settings, guint index)
{
	return &((const struct relay *)settings->relays->pdata[index])->relay;
}
