/* SPDX-License-Identifier: MIT */
/* Translates steps of automations into the nodes of a design. */
#include "fcgi/resend/steps.h"

#include <string.h>

#include "fcgi/resend/error.h"
#include "fcgi/resend/limits.h"
#include "fcgi/resend/steps_words.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/contact_field.h"

#define PROPERTIES "properties."
#define DAY_MINUTES (24 * 60)

/* A step on its way to a node. */
struct step {
	const char *key;
	const struct json *config;
};

/* Reads a text of the config; *text_r is NULL when there is none. */
static bool
steps_read_text(
    const struct step *step, const char *name, bool required, const char **text_r, GError **error)
{
	const struct json *value = json_member_get(step->config, name);

	*text_r = json_string(value, NULL);
	if (value && !*text_r)
		return fcgi_resend_step_fail(error, step->key, "must have a string as `%s`", name);
	if (required && (!*text_r || !**text_r))
		return fcgi_resend_step_fail(error, step->key, "has no `%s`", name);
	return true;
}

/* The path of a `var` or a `field` in designs: of a contact's property without a prefix, unless it
   may also be a field of the contact. *path_r is NULL when it has another form. */
static bool
steps_read_path(const struct step *step, const char *given, const char **path_r, GError **error)
{
	static const char *const lacking[] = {
	    "id", "unsubscribed", "created_at", "audience_id", "segments", "topics"};

	*path_r = NULL;
	if (g_str_has_prefix(given, RESEND_EVENT) && given[strlen(RESEND_EVENT)]) {
		*path_r = given;
		return true;
	}
	if (!g_str_has_prefix(given, RESEND_CONTACT) || !given[strlen(RESEND_CONTACT)])
		return true;
	*path_r = given + strlen(RESEND_CONTACT);
	for (guint i = 0; i < G_N_ELEMENTS(lacking); i++)
		if (strcmp(*path_r, lacking[i]) == 0)
			return fcgi_resend_step_refuse(error, step->key, given);
	if (person_contact_field_is_short(*path_r))
		*path_r = given;
	else if (g_str_has_prefix(*path_r, PROPERTIES) && (*path_r)[strlen(PROPERTIES)])
		*path_r += strlen(PROPERTIES);
	return true;
}

/* Reads {var: "event.x"} or {var: "contact.x"}; *path_r is NULL for anything else. */
static bool
read_var(const struct step *step, const struct json *value, const char **path_r, GError **error)
{
	const char *given = fcgi_resend_step_text(value, "var");

	*path_r = NULL;
	if (!given)
		return true;
	if (!steps_read_path(step, given, path_r, error))
		return false;
	return *path_r || fcgi_resend_step_fail(
			      error, step->key, "must begin its `var` with event. or contact.");
}

static void
write_var(struct json_writer *writer, const char *name, const char *path)
{
	json_writer_begin_object(writer, name);
	json_writer_string(writer, "var", path);
	json_writer_end_object(writer);
}

/* Designs have no seconds: 90 seconds are refused, and 120 are 2 minutes. */
static bool
take_seconds(const char **word, gint64 *number)
{
	static const char *const words[] = {"second", "seconds", "s", "sec", "secs", NULL};

	if (!g_strv_contains(words, *word))
		return true;
	if (*number % 60 != 0)
		return false;
	*number /= 60;
	*word = fcgi_resend_units[0].words[0];
	return true;
}

/* Writes "3 days" as a number and a unit of designs. most: minutes, 0 = no limit of its own. */
static bool
write_duration(struct json_writer *writer, const struct step *step, const char *name,
    const char *text, gint64 most, GError **error)
{
	g_autofree char *given = g_strstrip(g_ascii_strdown(text, -1));
	char *rest = given;
	gint64 number = g_ascii_isdigit(*given) ? g_ascii_strtoll(given, &rest, 10) : 0;
	const char *word = g_strchug(rest);

	if (number > 0 && !take_seconds(&word, &number))
		return fcgi_resend_step_refuse(error, step->key, name);
	for (guint i = 0; number > 0 && i < RESEND_UNITS; i++) {
		if (!g_strv_contains(fcgi_resend_units[i].words, word))
			continue;
		if (most && number > most / fcgi_resend_units[i].minutes)
			return fcgi_resend_step_fail(error, step->key,
			    "must have a `%s` of at most %d days", name, (int)(most / DAY_MINUTES));
		json_writer_integer(writer, "duration", number);
		json_writer_string(writer, "unit", fcgi_resend_units[i].unit);
		return true;
	}
	return fcgi_resend_step_fail(
	    error, step->key, "must have a `%s` such as 30 minutes, 1 hour or 3 days", name);
}

static bool
write_trigger(struct json_writer *writer, const struct step *step, GError **error)
{
	const char *name;

	if (!steps_read_text(step, "event_name", true, &name, error))
		return false;
	json_writer_string(writer, "eventName", name);
	/* Each event counts. */
	json_writer_integer(writer, "dedupe_window", 0);
	return true;
}

static bool
write_delay(struct json_writer *writer, const struct step *step, GError **error)
{
	const char *duration;

	return steps_read_text(step, "duration", true, &duration, error) &&
	       write_duration(writer, step, "duration", duration,
		   LIMIT_RESEND_DELAY_DAYS * DAY_MINUTES, error);
}

static bool
steps_write_variables(struct json_writer *writer, const struct step *step,
    const struct json *variables, GError **error)
{
	struct json_iterator members = json_members(variables);
	const struct json *value;
	const char *name, *path;

	json_writer_begin_object(writer, "variables");
	while (json_iterator_next(&members, &name, &value)) {
		const char *given = fcgi_resend_step_text(value, "var");

		if (!value)
			continue;
		if (!read_var(step, value, &path, error))
			return false;
		/* An email knows the other fields without a prefix, too, behind the properties. */
		if (path && path == given && g_str_has_prefix(path, RESEND_CONTACT) &&
		    strcmp(path, "contact.email") != 0)
			path += strlen(RESEND_CONTACT);
		if (path) {
			write_var(writer, name, path);
		} else if (fcgi_resend_step_is_scalar(value)) {
			json_writer_value(writer, name, value);
		} else {
			g_autofree char *member = g_strconcat("variables.", name, NULL);
			return fcgi_resend_step_refuse(error, step->key, member);
		}
	}
	json_writer_end_object(writer);
	return true;
}

static bool
steps_write_email(struct json_writer *writer, const struct step *step, GError **error)
{
	const struct json *template = json_member_get(step->config, "template");
	const struct json *reply_to = json_member_get(step->config, "reply_to");
	const struct json *variables = json_member_get(template, "variables");
	const char *subject, *from, *topic, *id = fcgi_resend_step_text(template, "id");

	if (!id || !*id)
		return fcgi_resend_step_fail(error, step->key, "has no `template.id`");
	if (variables && json_kind(variables) != JSON_OBJECT)
		return fcgi_resend_step_fail(
		    error, step->key, "must have an object as `template.variables`");
	if (!steps_read_text(step, "subject", false, &subject, error) ||
	    !steps_read_text(step, "from", false, &from, error) ||
	    !steps_read_text(step, "topic_id", false, &topic, error))
		return false;
	json_writer_begin_object(writer, "template");
	json_writer_string(writer, "id", id);
	if (variables && !steps_write_variables(writer, step, variables, error))
		return false;
	json_writer_end_object(writer);
	fcgi_resend_step_write(writer, "subject", subject);
	fcgi_resend_step_write(writer, "from", from);
	fcgi_resend_step_write(writer, "topicId", topic);
	if (reply_to)
		json_writer_value(writer, "replyTo", reply_to);
	return true;
}

static bool steps_write_rules(
    struct json_writer *writer, const struct step *step, const struct json *rule, GError **error);

static void
write_comparison(struct json_writer *writer, const char *path, const char *name,
    const struct json *value, bool is_empty)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "property", path);
	json_writer_string(writer, "operator", name);
	if (is_empty)
		json_writer_string(writer, "value", "");
	else if (value)
		json_writer_value(writer, "value", value);
	json_writer_end_object(writer);
}

static bool
steps_check_value(const struct step *step, enum fcgi_resend_compared kind, const struct json *value,
    GError **error)
{
	if (kind == COMPARED_NUMBER && !json_number_text(value))
		return fcgi_resend_step_fail(error, step->key, "must compare with a number");
	if (kind == COMPARED_TEXT && !json_string(value, NULL))
		return fcgi_resend_step_fail(error, step->key, "must compare with a string");
	return kind != COMPARED_SCALAR || !value || fcgi_resend_step_is_scalar(value) ||
	       fcgi_resend_step_fail(
		   error, step->key, "must compare with a string, a number, a boolean or null");
}

/* Writes a rule as an element of rules. Nothing equals null here: such a property is missing. */
static bool
write_rule(
    struct json_writer *writer, const struct step *step, const struct json *rule, GError **error)
{
	const char *field = fcgi_resend_step_text(rule, "field"),
		   *name = fcgi_resend_step_text(rule, "operator"), *path = NULL;
	const struct json *value = json_member_get(rule, "value");
	guint i = 0;

	if (field && !steps_read_path(step, field, &path, error))
		return false;
	if (!path)
		return fcgi_resend_step_fail(error, step->key,
		    "must have a rule whose `field` begins with event. or "
		    "contact.");
	while (i < RESEND_OPERATORS && g_strcmp0(fcgi_resend_operators[i].name, name) != 0)
		i++;
	if (i == RESEND_OPERATORS)
		return fcgi_resend_step_fail(
		    error, step->key, "has a rule whose `operator` is unknown");
	if (!steps_check_value(step, fcgi_resend_operators[i].value, value, error))
		return false;
	const char *first = fcgi_resend_operators[i].first;
	if (fcgi_resend_operators[i].value == COMPARED_SCALAR && !value)
		first = strcmp(first, "equals") == 0 ? "not_exists" : "exists";
	if (fcgi_resend_operators[i].value == COMPARED_NONE)
		value = NULL;
	if (fcgi_resend_operators[i].second) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "match", "any");
		json_writer_begin_array(writer, "rules");
	}
	write_comparison(writer, path, first, value, false);
	if (fcgi_resend_operators[i].second) {
		write_comparison(writer, path, fcgi_resend_operators[i].second, value,
		    fcgi_resend_operators[i].value == COMPARED_NONE);
		json_writer_end_array(writer);
		json_writer_end_object(writer);
	}
	return true;
}

static bool
write_element(
    struct json_writer *writer, const struct step *step, const struct json *rule, GError **error)
{
	const char *type = fcgi_resend_step_text(rule, "type");

	if (g_strcmp0(type, "and") != 0 && g_strcmp0(type, "or") != 0)
		return write_rule(writer, step, rule, error);
	json_writer_begin_object(writer, NULL);
	if (!steps_write_rules(writer, step, rule, error))
		return false;
	json_writer_end_object(writer);
	return true;
}

/* Writes the members match and rules. */
static bool
steps_write_rules(
    struct json_writer *writer, const struct step *step, const struct json *rule, GError **error)
{
	const char *type = fcgi_resend_step_text(rule, "type");
	bool is_or = g_strcmp0(type, "or") == 0;
	const struct json *rules = json_member_get(rule, "rules");

	if (!type || (!is_or && strcmp(type, "and") != 0 && strcmp(type, "rule") != 0))
		return fcgi_resend_step_fail(
		    error, step->key, "must have a rule whose `type` is rule, and or or");
	json_writer_string(writer, "match", is_or ? "any" : "all");
	json_writer_begin_array(writer, "rules");
	if (strcmp(type, "rule") == 0 && !write_rule(writer, step, rule, error))
		return false;
	if (strcmp(type, "rule") != 0 && json_array_length(rules) == 0)
		return fcgi_resend_step_fail(
		    error, step->key, "must have `rules` that are not empty");
	for (gsize i = 0; strcmp(type, "rule") != 0 && i < json_array_length(rules); i++)
		if (!write_element(writer, step, json_array_at(rules, i), error))
			return false;
	json_writer_end_array(writer);
	return true;
}

static bool
write_condition(struct json_writer *writer, const struct step *step, GError **error)
{
	return steps_write_rules(writer, step, step->config, error);
}

static bool
write_wait(struct json_writer *writer, const struct step *step, GError **error)
{
	const struct json *rule = json_member_get(step->config, "filter_rule");
	const char *name, *timeout;

	if (!steps_read_text(step, "event_name", true, &name, error) ||
	    !steps_read_text(step, "timeout", false, &timeout, error))
		return false;
	json_writer_string(writer, "eventName", name);
	if (timeout && *timeout) {
		json_writer_begin_object(writer, "timeout");
		if (!write_duration(writer, step, "timeout", timeout, 0, error))
			return false;
		json_writer_end_object(writer);
	}
	if (!rule)
		return true;
	json_writer_begin_object(writer, "filter");
	if (!steps_write_rules(writer, step, rule, error))
		return false;
	json_writer_end_object(writer);
	return true;
}

static bool
steps_write_names(struct json_writer *writer, const struct step *step, GError **error)
{
	static const char *const names[] = {"first_name", "last_name"};
	const char *path;

	if (!json_member_has(step->config, names[0]) && !json_member_has(step->config, names[1]))
		return true;
	json_writer_begin_object(writer, "names");
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		const struct json *value = json_member_get(step->config, names[i]);

		if (!json_member_has(step->config, names[i]))
			continue;
		if (!read_var(step, value, &path, error))
			return false;
		if (value && !path && !json_string(value, NULL))
			return fcgi_resend_step_fail(error, step->key,
			    "must set `%s` to a string, null or a `var`", names[i]);
		if (path)
			write_var(writer, names[i], path);
		else
			json_writer_value(writer, names[i], value);
	}
	json_writer_end_object(writer);
	return true;
}

/* Writes what contact_update sets, or, with paths, what it copies. */
static bool
steps_write_change(struct json_writer *writer, const struct step *step, const char *name,
    const struct json *value, bool paths, GError **error)
{
	const char *path;

	if (!read_var(step, value, &path, error))
		return false;
	if (!path && value && !fcgi_resend_step_is_scalar(value))
		return fcgi_resend_step_fail(error, step->key,
		    "must set `%s` to a string, a number, a boolean, null or "
		    "a `var`",
		    name);
	if (path && paths)
		json_writer_string(writer, name, path);
	else if (!path && !paths)
		json_writer_value(writer, name, value);
	return true;
}

static bool
steps_write_changes(struct json_writer *writer, const struct step *step, bool paths, GError **error)
{
	struct json_iterator members = json_members(json_member_get(step->config, "properties"));
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, paths ? "copy" : "set");
	while (json_iterator_next(&members, &name, &value))
		if (!steps_write_change(writer, step, name, value, paths, error))
			return false;
	json_writer_end_object(writer);
	return true;
}

/* Writes the contrary of unsubscribed. */
static bool
write_subscribed(struct json_writer *writer, const struct step *step, GError **error)
{
	const struct json *value = json_member_get(step->config, "unsubscribed");
	const char *path;

	if (!read_var(step, value, &path, error))
		return false;
	if (!path && value && json_kind(value) != JSON_BOOLEAN)
		return fcgi_resend_step_fail(
		    error, step->key, "must set `unsubscribed` to true, false or a `var`");
	if (path) {
		json_writer_begin_object(writer, "subscribed");
		write_var(writer, "not", path);
		json_writer_end_object(writer);
	} else if (value) {
		json_writer_boolean(writer, "subscribed", !json_boolean(value));
	}
	return true;
}

static bool
write_update(struct json_writer *writer, const struct step *step, GError **error)
{
	const struct json *properties = json_member_get(step->config, "properties");

	if (properties && json_kind(properties) != JSON_OBJECT)
		return fcgi_resend_step_fail(
		    error, step->key, "must have an object as `properties`");
	return steps_write_names(writer, step, error) && write_subscribed(writer, step, error) &&
	       steps_write_changes(writer, step, false, error) &&
	       steps_write_changes(writer, step, true, error);
}

static bool
write_segment(struct json_writer *writer, const struct step *step, GError **error)
{
	const char *id;

	if (!steps_read_text(step, "segment_id", true, &id, error))
		return false;
	json_writer_begin_object(writer, "audiences");
	json_writer_boolean(writer, id, true);
	json_writer_end_object(writer);
	return true;
}

static bool
write_delete(struct json_writer *writer, const struct step *step, GError **error)
{
	return true;
}

/* One below the other, for editors that draw them. */
static void
write_position(struct json_writer *writer, gsize place)
{
	json_writer_begin_object(writer, "position");
	json_writer_integer(writer, "x", 0);
	json_writer_integer(writer, "y", (gint64)place * 100);
	json_writer_end_object(writer);
}

/* Write the data of a node. */
static bool (*const writers[])(
    struct json_writer *writer, const struct step *step, GError **error) = {
    [RESEND_STEP_TRIGGER] = write_trigger,
    [RESEND_STEP_EMAIL] = steps_write_email,
    [RESEND_STEP_DELAY] = write_delay,
    [RESEND_STEP_WAIT] = write_wait,
    [RESEND_STEP_CONDITION] = write_condition,
    [RESEND_STEP_UPDATE] = write_update,
    [RESEND_STEP_DELETE] = write_delete,
    [RESEND_STEP_SEGMENT] = write_segment,
};

static bool
steps_write_one(struct json_writer *writer, const struct json *given, gsize place, GError **error)
{
	const struct step step = {
	    fcgi_resend_step_text(given, "key"), json_member_get(given, "config")};
	guint type = fcgi_resend_step_find(fcgi_resend_step_text(given, "type"));

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", step.key);
	json_writer_string(writer, "type", fcgi_resend_step_types[type].node);
	write_position(writer, place);
	json_writer_begin_object(writer, "data");
	if (!writers[type](writer, &step, error))
		return false;
	json_writer_end_object(writer);
	json_writer_end_object(writer);
	return true;
}

static void
write_edge(struct json_writer *writer, const struct json *given, gsize place)
{
	const char *handle =
	    fcgi_resend_handles[fcgi_resend_handle_find(fcgi_resend_step_text(given, "type"))]
		.handle;
	g_autofree char *id = g_strdup_printf("c%" G_GSIZE_FORMAT, place);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", id);
	json_writer_string(writer, "source", fcgi_resend_step_text(given, "from"));
	json_writer_string(writer, "target", fcgi_resend_step_text(given, "to"));
	if (handle)
		json_writer_string(writer, "sourceHandle", handle);
	json_writer_end_object(writer);
}

char *
fcgi_resend_steps_design(const struct json *form, GError **error)
{
	const struct json *steps = json_member_get(form, "steps");
	const struct json *connections = json_member_get(form, "connections");
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "nodes");
	for (gsize i = 0; i < json_array_length(steps); i++)
		if (!steps_write_one(writer, json_array_at(steps, i), i, error))
			return NULL;
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "edges");
	for (gsize i = 0; i < json_array_length(connections); i++)
		write_edge(writer, json_array_at(connections, i), i);
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}
