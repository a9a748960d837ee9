/* SPDX-License-Identifier: MIT */
/* Translates the nodes of a design into steps of an automation. */
#include "fcgi/resend/steps.h"

#include <string.h>

#include "fcgi/resend/error.h"
#include "fcgi/resend/steps_words.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

/* Whether the object has no member but these. */
static bool
has_only(const struct json *object, const char *const *names)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value))
		if (value && strcmp(name, "label") != 0 && !g_strv_contains(names, name))
			return false;
	return true;
}

static void
write_back_path(struct json_writer *writer, const char *key, const char *path)
{
	g_autofree char *text =
	    g_str_has_prefix(path, RESEND_EVENT) || g_str_has_prefix(path, RESEND_CONTACT)
		? g_strdup(path)
		: g_strconcat(RESEND_CONTACT, path, NULL);

	json_writer_string(writer, key, text);
}

static bool
back_trigger(struct json_writer *writer, const struct json *data)
{
	static const char *const known[] = {"eventName", "reentry", "dedupe_window", NULL};
	const char *reentry = fcgi_resend_step_text(data, "reentry");

	json_writer_string(writer, "event_name", fcgi_resend_step_text(data, "eventName"));
	return has_only(data, known) && (!reentry || strcmp(reentry, "every") == 0);
}

static void
back_var(struct json_writer *writer, const char *name, const char *path)
{
	json_writer_begin_object(writer, name);
	write_back_path(writer, "var", path);
	json_writer_end_object(writer);
}

static void
write_back_variables(struct json_writer *writer, const struct json *variables)
{
	struct json_iterator members = json_members(variables);
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, "variables");
	while (json_iterator_next(&members, &name, &value)) {
		const char *path = fcgi_resend_step_text(value, "var");

		if (path)
			back_var(writer, name, path);
		else
			json_writer_value(writer, name, value);
	}
	json_writer_end_object(writer);
}

static bool
back_email(struct json_writer *writer, const struct json *data)
{
	static const char *const known[] = {
	    "template", "templateId", "subject", "from", "topicId", "replyTo", NULL};
	const struct json *template = json_member_get(data, "template");
	const char *id =
	    fcgi_resend_step_text(template ? template : data, template ? "id" : "templateId");

	json_writer_begin_object(writer, "template");
	json_writer_string(writer, "id", id);
	if (json_member_get(template, "variables"))
		write_back_variables(writer, json_member_get(template, "variables"));
	json_writer_end_object(writer);
	fcgi_resend_step_write(writer, "subject", fcgi_resend_step_text(data, "subject"));
	fcgi_resend_step_write(writer, "from", fcgi_resend_step_text(data, "from"));
	fcgi_resend_step_write(writer, "topic_id", fcgi_resend_step_text(data, "topicId"));
	if (json_member_get(data, "replyTo"))
		json_writer_value(writer, "reply_to", json_member_get(data, "replyTo"));
	return id && *id && has_only(data, known);
}

static bool
back_duration(struct json_writer *writer, const char *key, const struct json *data)
{
	gint64 number = json_integer(json_member_get(data, "duration"));
	const char *unit = fcgi_resend_step_text(data, "unit");

	for (guint i = 0; i < RESEND_UNITS; i++)
		if (g_strcmp0(fcgi_resend_units[i].unit, unit) == 0) {
			g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT " %s", number,
			    fcgi_resend_units[i].words[number == 1 ? 0 : 1]);
			json_writer_string(writer, key, text);
			return true;
		}
	return false;
}

static bool
back_delay(struct json_writer *writer, const struct json *data)
{
	static const char *const known[] = {"duration", "unit", NULL};

	return has_only(data, known) && back_duration(writer, "duration", data);
}

static bool back_rules(struct json_writer *writer, const struct json *rules);

static bool
back_rule(struct json_writer *writer, const struct json *rule)
{
	const char *name = fcgi_resend_step_text(rule, "operator"),
		   *path = fcgi_resend_step_text(rule, "property");
	bool is_missing = g_strcmp0(name, "not_exists") == 0;
	guint i = 0;

	if (json_member_get(rule, "rules"))
		return back_rules(writer, rule);
	while (i < RESEND_OPERATORS && (fcgi_resend_operators[i].second ||
					   g_strcmp0(fcgi_resend_operators[i].first, name) != 0))
		i++;
	if (!path || (i == RESEND_OPERATORS && !is_missing))
		return false;
	json_writer_string(writer, "type", "rule");
	write_back_path(writer, "field", path);
	json_writer_string(writer, "operator", is_missing ? "eq" : fcgi_resend_operators[i].name);
	if (is_missing)
		json_writer_null(writer, "value");
	else if (fcgi_resend_operators[i].value != COMPARED_NONE)
		json_writer_value(writer, "value", json_member_get(rule, "value"));
	return true;
}

/* Writes the members of a rule. */
static bool
back_rules(struct json_writer *writer, const struct json *rules)
{
	const struct json *list = json_member_get(rules, "rules");
	bool is_any = g_strcmp0(fcgi_resend_step_text(rules, "match"), "any") == 0;

	if (json_array_length(list) == 1)
		return back_rule(writer, json_array_at(list, 0));
	json_writer_string(writer, "type", is_any ? "or" : "and");
	json_writer_begin_array(writer, "rules");
	for (gsize i = 0; i < json_array_length(list); i++) {
		json_writer_begin_object(writer, NULL);
		if (!back_rule(writer, json_array_at(list, i)))
			return false;
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	return true;
}

static bool
back_condition(struct json_writer *writer, const struct json *data)
{
	return back_rules(writer, data);
}

static bool
back_wait(struct json_writer *writer, const struct json *data)
{
	static const char *const known[] = {"eventName", "timeout", "filter", NULL};
	const struct json *timeout = json_member_get(data, "timeout");
	const struct json *filter = json_member_get(data, "filter");

	json_writer_string(writer, "event_name", fcgi_resend_step_text(data, "eventName"));
	if (timeout && !back_duration(writer, "timeout", timeout))
		return false;
	if (!filter || json_array_length(json_member_get(filter, "rules")) == 0)
		return has_only(data, known);
	json_writer_begin_object(writer, "filter_rule");
	if (!back_rules(writer, filter))
		return false;
	json_writer_end_object(writer);
	return has_only(data, known);
}

/* Writes values, each of them a scalar or null, or, with paths, {"var": path}. */
static bool
back_values(struct json_writer *writer, const struct json *values, bool paths)
{
	struct json_iterator members = json_members(values);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		const char *path = paths ? fcgi_resend_step_text(value, "var") : NULL;

		if (path)
			back_var(writer, name, path);
		else if (!value || fcgi_resend_step_is_scalar(value))
			json_writer_value(writer, name, value);
		else
			return false;
	}
	return true;
}

/* Writes the contrary of subscribed. */
static bool
back_subscribed(struct json_writer *writer, const struct json *subscribed)
{
	const char *path = fcgi_resend_step_text(json_member_get(subscribed, "not"), "var");

	if (path)
		back_var(writer, "unsubscribed", path);
	else if (json_kind(subscribed) == JSON_BOOLEAN)
		json_writer_boolean(writer, "unsubscribed", !json_boolean(subscribed));
	return path || !subscribed || json_kind(subscribed) == JSON_BOOLEAN;
}

static bool
back_update(struct json_writer *writer, const struct json *data)
{
	static const char *const known[] = {"names", "set", "copy", "subscribed", NULL};
	struct json_iterator copies = json_members(json_member_get(data, "copy"));
	const struct json *path;
	const char *name;

	if (!has_only(data, known) || !back_values(writer, json_member_get(data, "names"), true) ||
	    !back_subscribed(writer, json_member_get(data, "subscribed")))
		return false;
	json_writer_begin_object(writer, "properties");
	if (!back_values(writer, json_member_get(data, "set"), false))
		return false;
	while (json_iterator_next(&copies, &name, &path))
		back_var(writer, name, json_string(path, NULL));
	json_writer_end_object(writer);
	return true;
}

/* The audience in which a node of type update_contact subscribes the contact, if it does nothing
   else; NULL: it is no such node. */
static const char *
back_audience(const struct json *data)
{
	static const char *const known[] = {"audiences", NULL};
	const struct json *audiences = json_member_get(data, "audiences");
	struct json_iterator members = json_members(audiences);
	const struct json *value;
	const char *id;

	return has_only(data, known) && json_member_count(audiences) == 1 &&
		       json_iterator_next(&members, &id, &value) && json_boolean(value)
		   ? id
		   : NULL;
}

static bool
back_segment(struct json_writer *writer, const struct json *data)
{
	json_writer_string(writer, "segment_id", back_audience(data));
	return true;
}

static bool
back_delete(struct json_writer *writer, const struct json *data)
{
	return has_only(data, NULL);
}

/* Write the config of a step. */
static bool (*const readers[])(struct json_writer *writer, const struct json *data) = {
    [RESEND_STEP_TRIGGER] = back_trigger,
    [RESEND_STEP_EMAIL] = back_email,
    [RESEND_STEP_DELAY] = back_delay,
    [RESEND_STEP_WAIT] = back_wait,
    [RESEND_STEP_CONDITION] = back_condition,
    [RESEND_STEP_UPDATE] = back_update,
    [RESEND_STEP_DELETE] = back_delete,
    [RESEND_STEP_SEGMENT] = back_segment,
};

/* names_only: without the config. */
static bool
back_node(struct json_writer *writer, const struct json *node, bool names_only)
{
	const char *type = fcgi_resend_step_text(node, "type");
	guint i = 0;

	while (i < RESEND_STEPS && (!type || g_strcmp0(fcgi_resend_step_types[i].node, type) != 0))
		i++;
	if (i == RESEND_STEPS || !fcgi_resend_step_text(node, "id"))
		return false;
	if (i == RESEND_STEP_UPDATE && back_audience(json_member_get(node, "data")))
		i = RESEND_STEP_SEGMENT;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "key", fcgi_resend_step_text(node, "id"));
	json_writer_string(writer, "type", fcgi_resend_step_types[i].name);
	if (!names_only) {
		json_writer_begin_object(writer, "config");
		if (!readers[i](writer, json_member_get(node, "data")))
			return false;
		json_writer_end_object(writer);
	}
	json_writer_end_object(writer);
	return true;
}

static void
back_edge(struct json_writer *writer, const struct json *edge)
{
	const char *handle = fcgi_resend_step_text(edge, "sourceHandle");
	guint i = RESEND_HANDLES - 1;

	while (i > 0 && g_strcmp0(fcgi_resend_handles[i].handle, handle) != 0)
		i--;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "from", fcgi_resend_step_text(edge, "source"));
	json_writer_string(writer, "to", fcgi_resend_step_text(edge, "target"));
	json_writer_string(writer, "type", fcgi_resend_handles[i].name);
	json_writer_end_object(writer);
}

static bool
back_all(struct json_writer *writer, const struct json *design, bool names_only)
{
	const struct json *nodes = json_member_get(design, "nodes");
	const struct json *edges = json_member_get(design, "edges");

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "steps");
	for (gsize i = 0; i < json_array_length(nodes); i++)
		if (!back_node(writer, json_array_at(nodes, i), names_only))
			return false;
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "connections");
	for (gsize i = 0; i < json_array_length(edges); i++)
		back_edge(writer, json_array_at(edges, i));
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	return true;
}

static char *
back_design(const char *design, bool names_only, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(json) document = json_parse_as("design", design, strlen(design), error);

	if (!document)
		return NULL;
	if (back_all(writer, document, names_only))
		return json_writer_take(writer, NULL);
	fcgi_resend_fail(error, RESEND_NOT_IMPLEMENTED,
	    "The workflow has nodes that are no steps of an automation. Read it under /v1.");
	return NULL;
}

char *
fcgi_resend_steps_of(const char *design, GError **error)
{
	return back_design(design, false, error);
}

char *
fcgi_resend_steps_names(const char *design, GError **error)
{
	return back_design(design, true, error);
}
