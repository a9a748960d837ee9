/* SPDX-License-Identifier: MIT */
/* Checks the shape of steps and connections. */
#include "fcgi/resend/steps.h"

#include <stdarg.h>
#include <string.h>

#include "base/limits/workflow.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/steps_words.h"
#include "json/value.h"
#include "json/writer.h"

static bool G_GNUC_PRINTF(3, 4)
    fail_shape(GError **error, const char *field, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return fcgi_resend_fail(
	    error, RESEND_INVALID, "Invalid `%s` field. %s%s.", field, field, text);
}

static bool
check_step(const struct json *given, gsize place, GError **error)
{
	gsize size;
	const struct json *config = json_member_get(given, "config");
	const char *key = json_string(json_member_get(given, "key"), &size);
	guint type = fcgi_resend_step_find(fcgi_resend_step_text(given, "type"));

	if (json_kind(given) != JSON_OBJECT)
		return fail_shape(error, "steps", "[%" G_GSIZE_FORMAT "] must be an object", place);
	if (!key || size == 0 || strlen(key) != size ||
	    g_utf8_strlen(key, -1) > LIMIT_NODE_ID_LENGTH)
		return fail_shape(error, "steps",
		    "[%" G_GSIZE_FORMAT "].key must be a string of 1 to %d characters", place,
		    LIMIT_NODE_ID_LENGTH);
	if (type == RESEND_STEPS)
		return fcgi_resend_step_fail(error, key, "must be of a known `type`");
	return !config || json_kind(config) == JSON_OBJECT ||
	       fcgi_resend_step_fail(error, key, "must have an object as `config`");
}

static bool
steps_check_check_connection(const struct json *given, gsize place, GError **error)
{
	const struct json *type = json_member_get(given, "type");

	if (!fcgi_resend_step_text(given, "from") || !fcgi_resend_step_text(given, "to"))
		return fail_shape(error, "connections",
		    "[%" G_GSIZE_FORMAT "] must have a string as from and as to", place);
	if (type && fcgi_resend_handle_find(json_string(type, NULL)) == RESEND_HANDLES)
		return fail_shape(error, "connections",
		    "[%" G_GSIZE_FORMAT "].type must be default, condition_met, condition_not_met, "
		    "timeout or event_received",
		    place);
	return true;
}

bool
fcgi_resend_steps_check(const struct json *steps, const struct json *connections, GError **error)
{
	if (json_array_length(steps) > LIMIT_DESIGN_NODES)
		return fail_shape(
		    error, "steps", " must have at most %d elements", LIMIT_DESIGN_NODES);
	for (gsize i = 0; i < json_array_length(steps); i++)
		if (!check_step(json_array_at(steps, i), i, error))
			return false;
	for (gsize i = 0; i < json_array_length(connections); i++)
		if (!steps_check_check_connection(json_array_at(connections, i), i, error))
			return false;
	return true;
}

/* Writes an object as it is given, with one member that it may lack. */
static void
steps_check_write_whole(struct json_writer *writer, const struct json *object, const char *member,
    const char *otherwise)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &name, &value))
		if (value || strcmp(name, member) != 0)
			json_writer_value(writer, name, value);
	if (!json_member_get(object, member))
		json_writer_raw(writer, member, otherwise, strlen(otherwise));
	json_writer_end_object(writer);
}

char *
fcgi_resend_steps_form(const struct json *steps, const struct json *connections)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "steps");
	for (gsize i = 0; i < json_array_length(steps); i++)
		steps_check_write_whole(writer, json_array_at(steps, i), "config", "{}");
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "connections");
	for (gsize i = 0; i < json_array_length(connections); i++)
		steps_check_write_whole(
		    writer, json_array_at(connections, i), "type", "\"default\"");
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}
