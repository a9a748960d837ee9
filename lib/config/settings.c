/* SPDX-License-Identifier: MIT */
/* Reads the values of the settings, and of the relays, and returns them. */
#include "config/settings.h"

#include <string.h>

#include "base/error.h"
#include "base/secret.h"
#include "config/settings_file.h"

/* The value of one setting. */
struct value {
	char *text;
	gint64 number; /* also of switches and choices */
	char **list;
};

/* A section [relay NAME] with its values, or a host of [smtp]. */
struct relay {
	struct config_relay relay;
	char *name, *host;
	struct value values[RELAY_KEY_COUNT];
};

/* A section [source ADDRESS] with its values. */
struct source {
	struct config_source source;
	char *address;
	struct value values[SOURCE_KEY_COUNT];
};

/* A section [pace DOMAIN] with its values. */
struct pace {
	struct config_pace pace;
	char *domain;
	struct value values[PACE_KEY_COUNT];
};

struct config_settings {
	struct value values[SETTING_COUNT];
	struct base_secret *secret;
	GPtrArray *relays;  /* struct relay */
	bool has_relays;    /* they are sections, not hosts of [smtp] */
	GPtrArray *sources; /* struct source */
	GPtrArray *paces;   /* struct pace */
	char *path;
};

static bool
settings_read_number(const struct config_setting_row *row, struct value *value, GError **error)
{
	return g_ascii_string_to_signed(
		   value->text, 10, row->min, row->max, &value->number, NULL) ||
	       base_invalid(error,
		   "is a number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", not '%s'",
		   row->min, row->max, value->text);
}

static bool
read_switch(const struct config_setting_row *row, struct value *value, GError **error)
{
	static const char *const no[] = {"no", "false", "off", NULL};
	static const char *const yes[] = {"yes", "true", "on", NULL};

	value->number = g_strv_contains(yes, value->text);
	return value->number || g_strv_contains(no, value->text) ||
	       base_invalid(error, "is yes or no, not '%s'", value->text);
}

static bool
settings_read_choice(const struct config_setting_row *row, struct value *value, GError **error)
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
settings_read_path(const struct config_setting_row *row, struct value *value, GError **error)
{
	return g_path_is_absolute(value->text) ||
	       base_invalid(error, "is a path from the root (/...), not '%s'", value->text);
}

static bool
check_entry(const struct config_setting_row *row, char *entry, GError **error)
{
	g_autofree char *given = g_strdup(entry);

	return !row->check || row->check(entry) ||
	       base_invalid(error, "takes %s, not '%s'", row->form, given);
}

static bool
settings_read_list(const struct config_setting_row *row, struct value *value, GError **error)
{
	g_auto(GStrv) parts = g_strsplit_set(value->text, ", \t\r\n\f\v", -1);
	g_autoptr(GStrvBuilder) entries = g_strv_builder_new();
	const char *last = NULL;

	for (guint i = 0; parts[i]; i++) {
		if (!*parts[i])
			continue;
		if (!check_entry(row, parts[i], error))
			return false;
		if (row->rises && last &&
		    g_ascii_strtod(parts[i], NULL) <= g_ascii_strtod(last, NULL))
			return base_invalid(
			    error, "takes rising numbers, not '%s' after '%s'", parts[i], last);
		last = parts[i];
		g_strv_builder_add(entries, parts[i]);
	}
	value->list = g_strv_builder_end(entries);
	return true;
}

/* Converts value->text to the type of the row. INVALID with the end of a sentence that begins with
   the name of the setting ("is yes or no, not 'x'"). */
static bool
settings_read_value(const struct config_setting_row *row, struct value *value, GError **error)
{
	if (row->type == SETTING_TYPE_LIST)
		return settings_read_list(row, value, error);
	if (!*value->text)
		return true;
	switch (row->type) {
	case SETTING_TYPE_NUMBER:
		return settings_read_number(row, value, error);
	case SETTING_TYPE_SWITCH:
		return read_switch(row, value, error);
	case SETTING_TYPE_CHOICE:
		return settings_read_choice(row, value, error);
	case SETTING_TYPE_PATH:
		return settings_read_path(row, value, error);
	default:
		return check_entry(row, value->text, error);
	}
}

/* The secrets in secret_file. NULL on error. */
static struct base_secret *
read_secrets(const char *path, GError **error)
{
	g_autofree char *text = config_settings_file_secret(path, error);
	struct base_secret *secret = text ? base_secret_parse(text, error) : NULL;

	if (text && !secret)
		g_prefix_error(error, "cannot use %s: ", path);
	return secret;
}

static bool
read_setting(const struct config_settings_file *file, struct config_settings *settings,
    enum config_setting setting, GError **error)
{
	struct value *value = &settings->values[setting];

	value->text = config_settings_file_text(file, &file->places[setting], error);
	if (!value->text || !settings_read_value(config_settings_describe(setting), value, error))
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
settings_free_relay(void *data)
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
new_relay(const struct config_settings *settings, char *name)
{
	struct relay *relay = g_new0(struct relay, 1);

	relay->name = name;
	relay->relay = (struct config_relay){
	    .name = name,
	    .unverified = !config_settings_switch(settings, SETTING_SMTP_TLS_VERIFY),
	    .dsn = config_settings_switch(settings, SETTING_SMTP_DSN),
	    .provider_headers =
		config_settings_switch(settings, SETTING_SMTP_ALLOW_PROVIDER_HEADERS),
	    .final = config_settings_switch(settings, SETTING_SMTP_FINAL),
	    .timeout_s = (guint)config_settings_number(settings, SETTING_SMTP_TIMEOUT),
	    .connect_timeout_s =
		(guint)config_settings_number(settings, SETTING_SMTP_CONNECT_TIMEOUT),
	    .data_timeout_s = (guint)config_settings_number(settings, SETTING_SMTP_DATA_TIMEOUT),
	    .helo = config_settings_text(settings, SETTING_SMTP_HELO),
	    .return_path = config_settings_text(settings, SETTING_SMTP_RETURN_PATH),
	};
	return relay;
}

/* Reads a section [relay NAME]. */
static bool
read_relay(const struct config_settings_file *file, const struct config_settings_section *places,
    struct config_settings *settings, GError **error)
{
	struct relay *relay = new_relay(settings, g_strdup(places->name));
	struct config_relay_values values;
	enum config_relay_key key = 0;
	bool done = true;

	g_ptr_array_add(settings->relays, relay);
	for (int i = 0; done && i < RELAY_KEY_COUNT; i++) {
		struct value *value = &relay->values[i];

		key = i;
		value->text = config_settings_file_text(file, &places->places[i], error);
		done = value->text && settings_read_value(places->places[i].row, value, error);
		values.text[i] = value->text;
		values.number[i] = value->number;
		values.list[i] = (const char *const *)value->list;
	}
	done = done && config_relay_fill(&relay->relay, &values, &key, error);
	if (!done)
		config_settings_file_prefix(file, &places->places[key], places->line, error);
	return done;
}

/* Refuses keys of [smtp] that each [relay NAME] has for itself. */
static bool
check_conflicts(
    const struct config_settings_file *file, const struct config_settings *settings, GError **error)
{
	static const enum config_setting own[] = {SETTING_SMTP_HOST, SETTING_SMTP_PORT,
	    SETTING_SMTP_TLS, SETTING_SMTP_TLS_CA, SETTING_SMTP_USER, SETTING_SMTP_PASSWORD,
	    SETTING_SMTP_CONNECTIONS, SETTING_SMTP_RATE};
	const struct config_settings_section *first = file->sections[SECTION_RELAY]->pdata[0];

	for (gsize i = 0; i < G_N_ELEMENTS(own); i++) {
		const struct config_settings_place *place = &file->places[own[i]];
		guint line = MAX(place->line, place->file_line);

		if (line && *settings->values[own[i]].text)
			return config_settings_file_fault(file, error, line,
			    "[smtp] %s cannot stand beside [%s]: each relay has its own",
			    place->row->key, first->section);
	}
	return true;
}

/* The limit that a setting gives for the relay at index; 0: none. */
static guint
settings_limit_of(const struct config_settings *settings, enum config_setting setting, guint index)
{
	const char *const *limits = config_settings_list(settings, setting);
	guint count = g_strv_length((char **)limits);

	return count == 0 ? 0 : (guint)g_ascii_strtoull(limits[MIN(index, count - 1)], NULL, 10);
}

/* Makes a relay of the host of [smtp] at index. */
static void
add_host(struct config_settings *settings, const char *host, guint index)
{
	static const char *const none[] = {NULL};
	const char *colon = strchr(host, ':');
	guint port = colon ? (guint)g_ascii_strtoull(colon + 1, NULL, 10)
			   : (guint)config_settings_number(settings, SETTING_SMTP_PORT);
	g_autofree char *name = g_strndup(host, colon ? (gsize)(colon - host) : strlen(host));
	struct relay *own = new_relay(settings, g_strdup_printf("%s:%u", name, port));
	struct config_relay *relay = &own->relay;

	own->host = g_steal_pointer(&name);
	relay->host = relay->tls_name = own->host;
	relay->port = port;
	relay->tls = (enum config_setting_tls)config_settings_choice(settings, SETTING_SMTP_TLS);
	relay->tls_ca = config_settings_text(settings, SETTING_SMTP_TLS_CA);
	relay->user = config_settings_text(settings, SETTING_SMTP_USER);
	relay->password = config_settings_text(settings, SETTING_SMTP_PASSWORD);
	relay->verifies = !relay->unverified && relay->tls != TLS_NONE &&
			  (relay->tls != TLS_OPPORTUNISTIC || *relay->user);
	relay->tls_cert = relay->tls_key = relay->token_command = relay->source = relay->provider =
	    "";
	relay->sources = none;
	relay->connections = settings_limit_of(settings, SETTING_SMTP_CONNECTIONS, index);
	relay->rate = settings_limit_of(settings, SETTING_SMTP_RATE, index);
	relay->order = index + 1;
	relay->weight = 1;
	relay->is_default = true;
	g_ptr_array_add(settings->relays, own);
}

static bool
read_relays(
    const struct config_settings_file *file, struct config_settings *settings, GError **error)
{
	const char *const *hosts = config_settings_list(settings, SETTING_SMTP_HOST);
	const GPtrArray *sections = file->sections[SECTION_RELAY];

	settings->has_relays = sections->len > 0;
	if (settings->has_relays && !check_conflicts(file, settings, error))
		return false;
	for (guint i = 0; i < sections->len; i++)
		if (!read_relay(file, sections->pdata[i], settings, error))
			return false;
	for (guint i = 0; !settings->has_relays && hosts[i]; i++)
		add_host(settings, hosts[i], i);
	return true;
}

static void
free_source(void *data)
{
	struct source *source = data;

	for (int i = 0; i < SOURCE_KEY_COUNT; i++)
		free_value(&source->values[i]);
	g_free(source->address);
	g_free(source);
}

/* Reads a section [source ADDRESS]. */
static bool
read_source(const struct config_settings_file *file, const struct config_settings_section *places,
    struct config_settings *settings, GError **error)
{
	struct source *source = g_new0(struct source, 1);

	g_ptr_array_add(settings->sources, source);
	source->address = g_strdup(places->name);
	for (int i = 0; i < SOURCE_KEY_COUNT; i++) {
		struct value *value = &source->values[i];

		value->text = config_settings_file_text(file, &places->places[i], error);
		if (!value->text || !settings_read_value(places->places[i].row, value, error)) {
			config_settings_file_prefix(file, &places->places[i], places->line, error);
			return false;
		}
	}
	source->source = (struct config_source){source->address, source->values[SOURCE_HELO].text,
	    (const char *const *)source->values[SOURCE_WARMUP].list};
	return true;
}

static bool
read_sources(
    const struct config_settings_file *file, struct config_settings *settings, GError **error)
{
	const GPtrArray *sections = file->sections[SECTION_SOURCE];

	for (guint i = 0; i < sections->len; i++)
		if (!read_source(file, sections->pdata[i], settings, error))
			return false;
	return true;
}

const struct config_source *
config_settings_source_of(const struct config_settings *settings, const char *address)
{
	for (guint i = 0; i < settings->sources->len; i++) {
		const struct source *source = settings->sources->pdata[i];

		if (strcmp(source->address, address) == 0)
			return &source->source;
	}
	return NULL;
}

static void
free_pace(void *data)
{
	struct pace *pace = data;

	for (int i = 0; i < PACE_KEY_COUNT; i++)
		free_value(&pace->values[i]);
	g_free(pace->domain);
	g_free(pace);
}

/* Reads a section [pace DOMAIN]. */
static bool
read_pace(const struct config_settings_file *file, const struct config_settings_section *places,
    struct config_settings *settings, GError **error)
{
	struct pace *pace = g_new0(struct pace, 1);

	g_ptr_array_add(settings->paces, pace);
	pace->domain = g_strdup(places->name);
	for (int i = 0; i < PACE_KEY_COUNT; i++) {
		struct value *value = &pace->values[i];

		value->text = config_settings_file_text(file, &places->places[i], error);
		if (!value->text || !settings_read_value(places->places[i].row, value, error)) {
			config_settings_file_prefix(file, &places->places[i], places->line, error);
			return false;
		}
	}
	pace->pace.domain = pace->domain;
	pace->pace.connections = (guint)pace->values[PACE_CONNECTIONS].number;
	return config_pace_read_rate(pace->values[PACE_RATE].text, &pace->pace.rate);
}

static bool
read_paces(
    const struct config_settings_file *file, struct config_settings *settings, GError **error)
{
	const GPtrArray *sections = file->sections[SECTION_PACE];

	for (guint i = 0; i < sections->len; i++)
		if (!read_pace(file, sections->pdata[i], settings, error))
			return false;
	return true;
}

/* Refuses one of two settings that are given both, or neither. */
static bool
check_pairs(
    const struct config_settings_file *file, const struct config_settings *settings, GError **error)
{
	static const enum config_setting pairs[][2] = {
	    {SETTING_SMTPD_TLS_CERT, SETTING_SMTPD_TLS_KEY},
	    {SETTING_SMTPD_TLS_KEY, SETTING_SMTPD_TLS_CERT},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++) {
		const struct config_settings_place *place = &file->places[pairs[i][0]];

		if (!*settings->values[pairs[i][0]].text || *settings->values[pairs[i][1]].text)
			continue;
		base_invalid(error, "needs %s", config_settings_describe(pairs[i][1])->key);
		config_settings_file_prefix(file, place, 0, error);
		return false;
	}
	return true;
}

struct config_settings *
config_settings_load(const char *path, GError **error)
{
	AUTO(config_settings_file) file = config_settings_file_read(path, error);
	AUTO(config_settings) settings = NULL;

	if (!file)
		return NULL;
	settings = g_new0(struct config_settings, 1);
	settings->path = g_strdup(path);
	settings->relays = g_ptr_array_new_with_free_func(settings_free_relay);
	settings->sources = g_ptr_array_new_with_free_func(free_source);
	settings->paces = g_ptr_array_new_with_free_func(free_pace);
	for (int i = 0; i < SETTING_COUNT; i++)
		if (!read_setting(file, settings, i, error)) {
			config_settings_file_prefix(file, &file->places[i], 0, error);
			return NULL;
		}
	return check_pairs(file, settings, error) && read_relays(file, settings, error) &&
		       read_sources(file, settings, error) && read_paces(file, settings, error)
		   ? g_steal_pointer(&settings)
		   : NULL;
}

void
config_settings_free(struct config_settings *settings)
{
	if (!settings)
		return;
	for (int i = 0; i < SETTING_COUNT; i++)
		free_value(&settings->values[i]);
	if (settings->relays)
		g_ptr_array_unref(settings->relays);
	if (settings->sources)
		g_ptr_array_unref(settings->sources);
	if (settings->paces)
		g_ptr_array_unref(settings->paces);
	base_secret_free(settings->secret);
	g_free(settings->path);
	g_free(settings);
}

const char *
config_settings_source(const struct config_settings *settings)
{
	return settings->path;
}

const char *
config_settings_path(const char *argument)
{
	const char *variable = g_getenv("POSTHOUSE_CONFIG");

	if (argument)
		return argument;
	return variable && *variable ? variable : SYSCONFDIR "/posthouse/posthouse.conf";
}

bool
config_settings_given(const struct config_settings *settings, enum config_setting setting)
{
	return *settings->values[setting].text != '\0';
}

static const struct value *
settings_get(const struct config_settings *settings, enum config_setting setting, unsigned types)
{
	g_assert(types & 1u << config_settings_describe(setting)->type);
	return &settings->values[setting];
}

const char *
config_settings_text(const struct config_settings *settings, enum config_setting setting)
{
	return settings_get(settings, setting, 1 << SETTING_TYPE_TEXT | 1 << SETTING_TYPE_PATH)
	    ->text;
}

gint64
config_settings_number(const struct config_settings *settings, enum config_setting setting)
{
	return settings_get(settings, setting, 1 << SETTING_TYPE_NUMBER)->number;
}

int
config_settings_choice(const struct config_settings *settings, enum config_setting setting)
{
	return (int)settings_get(settings, setting, 1 << SETTING_TYPE_CHOICE)->number;
}

bool
config_settings_switch(const struct config_settings *settings, enum config_setting setting)
{
	return settings_get(settings, setting, 1 << SETTING_TYPE_SWITCH)->number;
}

const char *const *
config_settings_list(const struct config_settings *settings, enum config_setting setting)
{
	return (const char *const *)settings_get(settings, setting, 1 << SETTING_TYPE_LIST)->list;
}

const struct base_secret *
config_settings_secret(const struct config_settings *settings)
{
	return settings->secret;
}

bool
config_settings_has_relays(const struct config_settings *settings)
{
	return settings->has_relays;
}

guint
config_settings_relay_count(const struct config_settings *settings)
{
	return settings->relays->len;
}

const struct config_relay *
config_settings_relay(const struct config_settings *settings, guint index)
{
	return &((const struct relay *)settings->relays->pdata[index])->relay;
}

guint
config_settings_pace_count(const struct config_settings *settings)
{
	return settings->paces->len;
}

const struct config_pace *
config_settings_pace(const struct config_settings *settings, guint index)
{
	return &((const struct pace *)settings->paces->pdata[index])->pace;
}
