/* SPDX-License-Identifier: MIT */
/* Reads the values of arguments and options by their types. */
#include "cli/value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/process.h"
#include "cli/grammar.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/address.h"
#include "store/workspace/limit.h"

/* Sets the error "NAME sentence", and returns false. */
static bool G_GNUC_PRINTF(4, 5) refuse(const struct cli_parameter *parameter, enum ph_error code,
    GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, PH_ERROR, code, "%s %s", parameter->name, text);
	return false;
}

static bool
value_has_control(const char *text)
{
	for (; *text; text = g_utf8_next_char(text))
		if (g_unichar_iscntrl(g_utf8_get_char(text)))
			return true;
	return false;
}

static bool
value_read_text(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	glong length = g_utf8_strlen(given, -1), min = MAX(parameter->min, 1);

	if (length == 0 && parameter->min >= 0)
		return refuse(parameter, PH_ERROR_INVALID, error, "must not be empty");
	if (length > 0 && parameter->max && (length < min || length > parameter->max))
		return refuse(parameter, PH_ERROR_INVALID, error,
		    "must be %ld to %ld characters, not %ld", min, parameter->max, length);
	if (value_has_control(given))
		return refuse(
		    parameter, PH_ERROR_INVALID, error, "must not contain control characters");
	value->text = g_strdup(given);
	return true;
}

static bool
value_read_address(const struct cli_parameter *parameter, const char *given,
    struct cli_value *value, GError **error)
{
	return mail_address_valid(given, &value->text) ||
	       refuse(parameter, PH_ERROR_INVALID, error,
		   "must be an email address such as ada@example.com, not \"%s\"", given);
}

static bool
value_read_sender(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(mail_address) address = mail_address_parse(given, &failure);

	if (!address)
		return refuse(parameter, PH_ERROR_INVALID, error, "%s", failure->message);
	g_autofree char *text = mail_address_format(address);
	return value_read_text(parameter, text, value, error);
}

static bool
read_url(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	g_autoptr(GUri) uri = g_uri_parse(given, G_URI_FLAGS_NONE, NULL);
	const char *scheme = uri ? g_uri_get_scheme(uri) : "";

	if ((strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) && g_uri_get_host(uri) &&
	    *g_uri_get_host(uri))
		return value_read_text(parameter, given, value, error);
	return refuse(parameter, PH_ERROR_INVALID, error,
	    "must be an absolute http or https URL, not \"%s\"", given);
}

static bool
value_read_time(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	value->text = g_strdup(given);
	return base_clock_parse(given, &value->number) ||
	       g_ascii_string_to_signed(given, 10, 0, CLOCK_LAST, &value->number, NULL) ||
	       refuse(parameter, PH_ERROR_INVALID, error,
		   "must be an ISO 8601 time such as 2030-01-31 or 2030-01-31T12:00:00Z, or epoch "
		   "milliseconds, not \"%s\"",
		   given);
}

static bool
value_read_choice(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	for (guint i = 0; parameter->choices[i]; i++)
		if (strcmp(parameter->choices[i], given) == 0) {
			value->text = g_strdup(given);
			value->number = i;
			return true;
		}
	g_autofree char *all = g_strjoinv(", ", (char **)parameter->choices);
	return refuse(
	    parameter, PH_ERROR_INVALID, error, "must be one of %s, not \"%s\"", all, given);
}

static bool
value_read_number(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	value->text = g_strdup(given);
	return g_ascii_string_to_signed(
		   given, 10, parameter->min, parameter->max, &value->number, NULL) ||
	       refuse(parameter, PH_ERROR_INVALID, error,
		   "must be a whole number from %ld to %ld, not \"%s\"", parameter->min,
		   parameter->max, given);
}

static bool
value_read_id(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	value->text = g_strdup(given);
	return base_id_parse(given, &value->id) ||
	       refuse(parameter, PH_ERROR_INVALID, error,
		   "must be a UUID, 36 characters, not \"%s\"", given);
}

bool
cli_value_limit(const char *given, enum config_setting *limit_r, gint64 *value_r)
{
	const char *value = strchr(given, '=');
	g_autofree char *name = value ? g_strndup(given, (gsize)(value - given)) : NULL;

	*limit_r = name ? store_limit_find(name) : SETTING_COUNT;
	*value_r = -1;
	return *limit_r != SETTING_COUNT &&
	       (strcmp(value + 1, "default") == 0 ||
		   g_ascii_string_to_signed(value + 1, 10, 0, LIMIT_OF_LIMITS, value_r, NULL));
}

static bool
value_read_limit(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	enum config_setting limit;

	value->text = g_strdup(given);
	if (cli_value_limit(given, &limit, &value->number))
		return true;
	if (limit == SETTING_COUNT)
		return refuse(parameter, PH_ERROR_INVALID, error,
		    "must be the name of a limit and its value, such as emails_per_hour=100, not "
		    "\"%s\"",
		    given);
	return refuse(parameter, PH_ERROR_INVALID, error,
	    "must have a whole number from 0 to %d as its value, or default, not \"%s\"",
	    LIMIT_OF_LIMITS, given);
}

static bool
value_take(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	value->text = g_strdup(given);
	value->number = 1;
	return *given || refuse(parameter, PH_ERROR_INVALID, error, "must not be empty");
}

static bool
take_any(const struct cli_parameter *parameter, const char *given, struct cli_value *value,
    GError **error)
{
	value->text = g_strdup(given);
	return true;
}

bool
cli_value_read(const struct cli_parameter *parameter, const char *given, struct cli_value *value_r,
    GError **error)
{
	static bool (*const readers[])(
	    const struct cli_parameter *, const char *, struct cli_value *, GError **) = {
	    [PARAMETER_TEXT] = value_read_text,
	    [PARAMETER_ADDRESS] = value_read_address,
	    [PARAMETER_SENDER] = value_read_sender,
	    [PARAMETER_URL] = read_url,
	    [PARAMETER_TIME] = value_read_time,
	    [PARAMETER_CHOICE] = value_read_choice,
	    [PARAMETER_NUMBER] = value_read_number,
	    [PARAMETER_ID] = value_read_id,
	    [PARAMETER_FILE] = value_take,
	    [PARAMETER_LIMIT] = value_read_limit,
	    [PARAMETER_ANY] = take_any,
	    [PARAMETER_FLAG] = value_take,
	};

	*value_r = (struct cli_value){0};
	if (parameter->type != PARAMETER_FILE && parameter->type != PARAMETER_ANY &&
	    !g_utf8_validate(given, -1, NULL))
		return refuse(parameter, PH_ERROR_INVALID, error, "must be UTF-8 text");
	if (readers[parameter->type](parameter, given, value_r, error))
		return true;
	g_clear_pointer(&value_r->text, g_free);
	return false;
}

/* Reads a file, but stops above max bytes: the file may be endless. */
static GByteArray *
value_read_some(FILE *file, gsize max)
{
	GByteArray *content = g_byte_array_new();
	guint8 piece[65536];
	gsize got;

	while (content->len <= max && (got = fread(piece, 1, sizeof(piece), file)) > 0)
		g_byte_array_append(content, piece, (guint)got);
	return content;
}

GBytes *
cli_value_read_bytes(
    const struct cli_parameter *parameter, const char *path, gsize max, GError **error)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : fopen(path, "re");

	if (!file) {
		refuse(parameter, base_file_code(errno), error, "cannot be read: %s: %s", path,
		    g_strerror(errno));
		return NULL;
	}
	g_autoptr(GByteArray) content = value_read_some(file, max);
	int failure = ferror(file) ? errno : 0;
	if (!standard)
		fclose(file);
	if (failure)
		refuse(parameter, base_file_code(failure), error, "cannot be read: %s: %s", path,
		    g_strerror(failure));
	else if (content->len > max)
		refuse(parameter, PH_ERROR_TOO_LARGE, error,
		    "must be at most %zu bytes: %s is more", max, path);
	else
		return g_byte_array_free_to_bytes(g_steal_pointer(&content));
	return NULL;
}

GBytes *
cli_value_read_file(
    const struct cli_parameter *parameter, const char *path, gsize max, GError **error)
{
	g_autoptr(GBytes) content = cli_value_read_bytes(parameter, path, max, error);
	gsize size;
	const char *text = content ? g_bytes_get_data(content, &size) : NULL;

	if (!content || !text || g_utf8_validate(text, (gssize)size, NULL))
		return g_steal_pointer(&content);
	refuse(parameter, PH_ERROR_INVALID, error,
	    "must be UTF-8 text without NUL bytes: %s is not", path);
	return NULL;
}

void
cli_value_write(struct json_writer *writer, const char *key, const char *text)
{
	g_autofree char *object = g_strconcat("{\"v\":", text, "}", NULL);
	AUTO(json) json = json_parse(object, strlen(object), NULL);

	/* Refuse a text that closes the object and adds members of its own. */
	if (json && json_member_count(json) == 1)
		json_writer_value(writer, key, json_member_get(json, "v"));
	else
		json_writer_string(writer, key, text);
}
