/* SPDX-License-Identifier: MIT */
/* Translates steps of automations into the nodes of a design, and back. */
#include "fcgi/resend/steps.h"

#include <stdarg.h>
#include <string.h>

#include "base/limits.h"
#include "fcgi/resend/error.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

#define EVENT "event."
#define CONTACT "contact."
#define PROPERTIES "properties."
#define DAY_MINUTES (24 * 60)

/* A step on its way to a node. */
struct step {
	const char *key;
	const struct json *config;
};

/* Writes the data of the node, or the config of the step. */
typedef bool write_node(struct json_writer *writer, const struct step *step, GError **error);
typedef bool write_step(struct json_writer *writer, const struct json *data);

static write_node write_trigger, write_email, write_delay, write_wait, write_condition,
    write_update;
static write_step back_trigger, back_email, back_delay, back_wait, back_condition, back_update;

/* The types. A type without a node is one that the service does not have. */
static const struct {
	const char *name, *node;
	write_node *write;
	write_step *back;
} types[] = {
    {"trigger", "trigger", write_trigger, back_trigger},
    {"send_email", "send_email", write_email, back_email},
    {"delay", "wait", write_delay, back_delay},
    {"wait_for_event", "wait_for_event", write_wait, back_wait},
    {"condition", "condition", write_condition, back_condition},
    {"contact_update", "update_contact", write_update, back_update},
    {"contact_delete", NULL, NULL, NULL},
    {"add_to_segment", NULL, NULL, NULL},
};

/* The types of connections, and the handles of edges. */
static const struct {
	const char *name, *handle;
} handles[] = {
    {"default", NULL},
    {"condition_met", "yes"},
    {"condition_not_met", "no"},
    {"event_received", "event"},
    {"timeout", "timeout"},
};

enum value_kind { VALUE_SCALAR, VALUE_NUMBER, VALUE_TEXT, VALUE_NONE };

/* The operators of rules. With two of ours, either holds. */
static const struct {
	const char *name, *first, *second;
	enum value_kind value;
} operators[] = {
    {"eq", "equals", NULL, VALUE_SCALAR}, {"neq", "not_equals", NULL, VALUE_SCALAR},
    {"gt", "greater_than", NULL, VALUE_NUMBER}, {"gte", "equals", "greater_than", VALUE_NUMBER},
    {"lt", "less_than", NULL, VALUE_NUMBER}, {"lte", "equals", "less_than", VALUE_NUMBER},
    {"contains", "contains", NULL, VALUE_TEXT}, {"starts_with", "begins_with", NULL, VALUE_TEXT},
    {"ends_with", "ends_with", NULL, VALUE_TEXT}, {"exists", "exists", NULL, VALUE_NONE},
    {"is_empty", "not_exists", "equals", VALUE_NONE}, /* or it equals "" */
};

/* The units of durations, with the words for them and the word of designs. */
static const struct {
	const char *const words[6];
	const char *unit;
	gint64 minutes;
} units[] = {
    {{"minute", "minutes", "m", "min", "mins"}, "minutes", 1},
    {{"hour", "hours", "h", "hr", "hrs"}, "hours", 60},
    {{"day", "days", "d"}, "days", DAY_MINUTES},
    {{"week", "weeks", "w"}, "weeks", 7 * DAY_MINUTES},
};

/* Names the step and the fault. */
static bool G_GNUC_PRINTF(3, 4)
    fail(GError **error, const struct step *step, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return fcgi_resend_fail(
	    error, RESEND_INVALID, "Invalid `steps` field. The step `%s` %s.", step->key, text);
}

static bool
refuse(GError **error, const struct step *step, const char *member)
{
	return fcgi_resend_fail(error, RESEND_NOT_IMPLEMENTED,
	    "`%s` of the step `%s` is not implemented by this service.", member, step->key);
}

static const char *
text_at(const struct json *object, const char *name)
{
	return json_string(json_member_get(object, name), NULL);
}

/* Reads a text of the config; *text_r is NULL when there is none. */
static bool
read_text(
    const struct step *step, const char *name, bool required, const char **text_r, GError **error)
{
	const struct json *value = json_member_get(step->config, name);

	*text_r = json_string(value, NULL);
	if (value && !*text_r)
		return fail(error, step, "must have a string as `%s`", name);
	if (required && (!*text_r || !**text_r))
		return fail(error, step, "has no `%s`", name);
	return true;
}

static void
write_given(struct json_writer *writer, const char *key, const char *text)
{
	if (text && *text)
		json_writer_string(writer, key, text);
}

static bool
is_scalar(const struct json *value)
{
	return value && json_kind(value) < JSON_ARRAY;
}

/* The path of a `var` or a `field` in designs: of a contact's property without a prefix. *path_r is
   NULL when it has another form. */
static bool
read_path(const struct step *step, const char *given, const char **path_r, GError **error)
{
	static const char *const lacking[] = {
	    "id", "email", "unsubscribed", "created_at", "audience_id", "segments", "topics"};

	*path_r = NULL;
	if (g_str_has_prefix(given, EVENT) && given[strlen(EVENT)]) {
		*path_r = given;
		return true;
	}
	if (!g_str_has_prefix(given, CONTACT) || !given[strlen(CONTACT)])
		return true;
	*path_r = given + strlen(CONTACT);
	for (guint i = 0; i < G_N_ELEMENTS(lacking); i++)
		if (strcmp(*path_r, lacking[i]) == 0)
			return refuse(error, step, given);
	if (g_str_has_prefix(*path_r, PROPERTIES) && (*path_r)[strlen(PROPERTIES)])
		*path_r += strlen(PROPERTIES);
	return true;
}

/* Reads {var: "event.x"} or {var: "contact.x"}; *path_r is NULL for anything else. */
static bool
read_var(const struct step *step, const struct json *value, const char **path_r, GError **error)
{
	const char *given = text_at(value, "var");

	*path_r = NULL;
	if (!given)
		return true;
	if (!read_path(step, given, path_r, error))
		return false;
	return *path_r || fail(error, step, "must begin its `var` with event. or contact.");
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
	*word = units[0].words[0];
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
		return refuse(error, step, name);
	for (guint i = 0; number > 0 && i < G_N_ELEMENTS(units); i++) {
		if (!g_strv_contains(units[i].words, word))
			continue;
		if (most && number > most / units[i].minutes)
			return fail(error, step, "must have a `%s` of at most %d days", name,
			    (int)(most / DAY_MINUTES));
		json_writer_integer(writer, "duration", number);
		json_writer_string(writer, "unit", units[i].unit);
		return true;
	}
	return fail(error, step, "must have a `%s` such as 30 minutes, 1 hour or 3 days", name);
}

static bool
write_trigger(struct json_writer *writer, const struct step *step, GError **error)
{
	const char *name;

	if (!read_text(step, "event_name", true, &name, error))
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

	return read_text(step, "duration", true, &duration, error) &&
	       write_duration(writer, step, "duration", duration,
		   LIMIT_RESEND_DELAY_DAYS * DAY_MINUTES, error);
}

static bool
write_variables(struct json_writer *writer, const struct step *step, const struct json *variables,
    GError **error)
{
	struct json_iterator members = json_members(variables);
	const struct json *value;
	const char *name, *path;

	json_writer_begin_object(writer, "variables");
	while (json_iterator_next(&members, &name, &value)) {
		const char *given = text_at(value, "var");

		if (!value)
			continue;
		/* An email knows the address of its contact. */
		path = given;
		if (g_strcmp0(given, "contact.email") != 0 && !read_var(step, value, &path, error))
			return false;
		if (path) {
			json_writer_begin_object(writer, name);
			json_writer_string(writer, "var", path);
			json_writer_end_object(writer);
		} else if (is_scalar(value)) {
			json_writer_value(writer, name, value);
		} else {
			g_autofree char *member = g_strconcat("variables.", name, NULL);
			return refuse(error, step, member);
		}
	}
	json_writer_end_object(writer);
	return true;
}

static bool
write_email(struct json_writer *writer, const struct step *step, GError **error)
{
	const struct json *template = json_member_get(step->config, "template");
	const struct json *reply_to = json_member_get(step->config, "reply_to");
	const struct json *variables = json_member_get(template, "variables");
	const char *subject, *from, *id = text_at(template, "id");

	if (!id || !*id)
		return fail(error, step, "has no `template.id`");
	if (variables && json_kind(variables) != JSON_OBJECT)
		return fail(error, step, "must have an object as `template.variables`");
	if (!read_text(step, "subject", false, &subject, error) ||
	    !read_text(step, "from", false, &from, error))
		return false;
	json_writer_begin_object(writer, "template");
	json_writer_string(writer, "id", id);
	if (variables && !write_variables(writer, step, variables, error))
		return false;
	json_writer_end_object(writer);
	write_given(writer, "subject", subject);
	write_given(writer, "from", from);
	if (reply_to)
		json_writer_value(writer, "replyTo", reply_to);
	return true;
}

static bool write_rules(
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
check_value(const struct step *step, enum value_kind kind, const struct json *value, GError **error)
{
	if (kind == VALUE_NUMBER && !json_number_text(value))
		return fail(error, step, "must compare with a number");
	if (kind == VALUE_TEXT && !json_string(value, NULL))
		return fail(error, step, "must compare with a string");
	return kind != VALUE_SCALAR || !value || is_scalar(value) ||
	       fail(error, step, "must compare with a string, a number, a boolean or null");
}

/* Writes a rule as an element of rules. Nothing equals null here: such a property is missing. */
static bool
write_rule(
    struct json_writer *writer, const struct step *step, const struct json *rule, GError **error)
{
	const char *field = text_at(rule, "field"), *name = text_at(rule, "operator"), *path = NULL;
	const struct json *value = json_member_get(rule, "value");
	guint i = 0;

	if (field && !read_path(step, field, &path, error))
		return false;
	if (!path)
		return fail(error, step,
		    "must have a rule whose `field` begins with event. or "
		    "contact.");
	while (i < G_N_ELEMENTS(operators) && g_strcmp0(operators[i].name, name) != 0)
		i++;
	if (i == G_N_ELEMENTS(operators))
		return fail(error, step, "has a rule whose `operator` is unknown");
	if (!check_value(step, operators[i].value, value, error))
		return false;
	const char *first = operators[i].first;
	if (operators[i].value == VALUE_SCALAR && !value)
		first = strcmp(first, "equals") == 0 ? "not_exists" : "exists";
	if (operators[i].value == VALUE_NONE)
		value = NULL;
	if (operators[i].second) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "match", "any");
		json_writer_begin_array(writer, "rules");
	}
	write_comparison(writer, path, first, value, false);
	if (operators[i].second) {
		write_comparison(
		    writer, path, operators[i].second, value, operators[i].value == VALUE_NONE);
		json_writer_end_array(writer);
		json_writer_end_object(writer);
	}
	return true;
}

static bool
write_element(
    struct json_writer *writer, const struct step *step, const struct json *rule, GError **error)
{
	const char *type = text_at(rule, "type");

	if (g_strcmp0(type, "and") != 0 && g_strcmp0(type, "or") != 0)
		return write_rule(writer, step, rule, error);
	json_writer_begin_object(writer, NULL);
	if (!write_rules(writer, step, rule, error))
		return false;
	json_writer_end_object(writer);
	return true;
}

/* Writes the members match and rules. */
static bool
write_rules(
    struct json_writer *writer, const struct step *step, const struct json *rule, GError **error)
{
	const char *type = text_at(rule, "type");
	bool is_or = g_strcmp0(type, "or") == 0;
	const struct json *rules = json_member_get(rule, "rules");

	if (!type || (!is_or && strcmp(type, "and") != 0 && strcmp(type, "rule") != 0))
		return fail(error, step, "must have a rule whose `type` is rule, and or or");
	json_writer_string(writer, "match", is_or ? "any" : "all");
	json_writer_begin_array(writer, "rules");
	if (strcmp(type, "rule") == 0 && !write_rule(writer, step, rule, error))
		return false;
	if (strcmp(type, "rule") != 0 && json_array_length(rules) == 0)
		return fail(error, step, "must have `rules` that are not empty");
	for (gsize i = 0; strcmp(type, "rule") != 0 && i < json_array_length(rules); i++)
		if (!write_element(writer, step, json_array_at(rules, i), error))
			return false;
	json_writer_end_array(writer);
	return true;
}

static bool
write_condition(struct json_writer *writer, const struct step *step, GError **error)
{
	return write_rules(writer, step, step->config, error);
}

static bool
write_wait(struct json_writer *writer, const struct step *step, GError **error)
{
	const struct json *rule = json_member_get(step->config, "filter_rule");
	const char *name, *timeout;

	if (!read_text(step, "event_name", true, &name, error) ||
	    !read_text(step, "timeout", false, &timeout, error))
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
	if (!write_rules(writer, step, rule, error))
		return false;
	json_writer_end_object(writer);
	return true;
}

/* Writes what contact_update sets, or, with paths, what it copies. */
static bool
write_change(struct json_writer *writer, const struct step *step, const char *name,
    const struct json *value, bool paths, GError **error)
{
	const char *path;

	if (!read_var(step, value, &path, error))
		return false;
	if (!path && value && !is_scalar(value))
		return fail(error, step,
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
write_changes(struct json_writer *writer, const struct step *step, bool paths, GError **error)
{
	static const char *const names[] = {"first_name", "last_name"};
	struct json_iterator members = json_members(json_member_get(step->config, "properties"));
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, paths ? "copy" : "set");
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (json_member_has(step->config, names[i]) &&
		    !write_change(writer, step, names[i], json_member_get(step->config, names[i]),
			paths, error))
			return false;
	while (json_iterator_next(&members, &name, &value))
		if (!write_change(writer, step, name, value, paths, error))
			return false;
	json_writer_end_object(writer);
	return true;
}

static bool
write_update(struct json_writer *writer, const struct step *step, GError **error)
{
	const struct json *properties = json_member_get(step->config, "properties");

	if (properties && json_kind(properties) != JSON_OBJECT)
		return fail(error, step, "must have an object as `properties`");
	return write_changes(writer, step, false, error) &&
	       write_changes(writer, step, true, error);
}

static guint
find_type(const char *name)
{
	guint i = 0;

	while (i < G_N_ELEMENTS(types) && g_strcmp0(types[i].name, name) != 0)
		i++;
	return i;
}

static guint
find_connection(const char *name)
{
	guint i = 0;

	while (i < G_N_ELEMENTS(handles) && g_strcmp0(handles[i].name, name) != 0)
		i++;
	return i;
}

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

/* Members of steps that the service does not have. */
static bool
check_members(const struct step *step, const char *type, GError **error)
{
	static const struct {
		const char *type, *member;
	} lacking[] = {{"send_email", "topic_id"}, {"contact_update", "unsubscribed"}};

	for (guint i = 0; i < G_N_ELEMENTS(lacking); i++)
		if (strcmp(type, lacking[i].type) == 0 &&
		    json_member_get(step->config, lacking[i].member))
			return refuse(error, step, lacking[i].member);
	return true;
}

static bool
check_step(const struct json *given, gsize place, GError **error)
{
	gsize size;
	const struct json *config = json_member_get(given, "config");
	const struct step step = {json_string(json_member_get(given, "key"), &size), config};
	guint type = find_type(text_at(given, "type"));

	if (json_kind(given) != JSON_OBJECT)
		return fail_shape(error, "steps", "[%" G_GSIZE_FORMAT "] must be an object", place);
	if (!step.key || size == 0 || strlen(step.key) != size ||
	    g_utf8_strlen(step.key, -1) > LIMIT_NODE_ID_LENGTH)
		return fail_shape(error, "steps",
		    "[%" G_GSIZE_FORMAT "].key must be a string of 1 to %d characters", place,
		    LIMIT_NODE_ID_LENGTH);
	if (type == G_N_ELEMENTS(types))
		return fail(error, &step, "must be of a known `type`");
	if (!types[type].node)
		return refuse(error, &step, types[type].name);
	if (config && json_kind(config) != JSON_OBJECT)
		return fail(error, &step, "must have an object as `config`");
	return check_members(&step, types[type].name, error);
}

static bool
check_connection(const struct json *given, gsize place, GError **error)
{
	const struct json *type = json_member_get(given, "type");

	if (!text_at(given, "from") || !text_at(given, "to"))
		return fail_shape(error, "connections",
		    "[%" G_GSIZE_FORMAT "] must have a string as from and as to", place);
	if (type && find_connection(json_string(type, NULL)) == G_N_ELEMENTS(handles))
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
		if (!check_connection(json_array_at(connections, i), i, error))
			return false;
	return true;
}

/* Writes an object as it is given, with one member that it may lack. */
static void
write_whole(struct json_writer *writer, const struct json *object, const char *member,
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
		write_whole(writer, json_array_at(steps, i), "config", "{}");
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "connections");
	for (gsize i = 0; i < json_array_length(connections); i++)
		write_whole(writer, json_array_at(connections, i), "type", "\"default\"");
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
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

static bool
write_one(struct json_writer *writer, const struct json *given, gsize place, GError **error)
{
	const struct step step = {text_at(given, "key"), json_member_get(given, "config")};
	guint type = find_type(text_at(given, "type"));

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", step.key);
	json_writer_string(writer, "type", types[type].node);
	write_position(writer, place);
	json_writer_begin_object(writer, "data");
	if (!types[type].write(writer, &step, error))
		return false;
	json_writer_end_object(writer);
	json_writer_end_object(writer);
	return true;
}

static void
write_edge(struct json_writer *writer, const struct json *given, gsize place)
{
	const char *handle = handles[find_connection(text_at(given, "type"))].handle;
	g_autofree char *id = g_strdup_printf("c%" G_GSIZE_FORMAT, place);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", id);
	json_writer_string(writer, "source", text_at(given, "from"));
	json_writer_string(writer, "target", text_at(given, "to"));
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
		if (!write_one(writer, json_array_at(steps, i), i, error))
			return NULL;
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "edges");
	for (gsize i = 0; i < json_array_length(connections); i++)
		write_edge(writer, json_array_at(connections, i), i);
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

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
	g_autofree char *text = g_str_has_prefix(path, EVENT) || g_str_has_prefix(path, CONTACT)
				    ? g_strdup(path)
				    : g_strconcat(CONTACT, path, NULL);

	json_writer_string(writer, key, text);
}

static bool
back_trigger(struct json_writer *writer, const struct json *data)
{
	static const char *const known[] = {"eventName", "reentry", "dedupe_window", NULL};
	const char *reentry = text_at(data, "reentry");

	json_writer_string(writer, "event_name", text_at(data, "eventName"));
	return has_only(data, known) && (!reentry || strcmp(reentry, "every") == 0);
}

static void
write_back_variables(struct json_writer *writer, const struct json *variables)
{
	struct json_iterator members = json_members(variables);
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, "variables");
	while (json_iterator_next(&members, &name, &value)) {
		const char *path = text_at(value, "var");

		if (!path) {
			json_writer_value(writer, name, value);
			continue;
		}
		json_writer_begin_object(writer, name);
		write_back_path(writer, "var", path);
		json_writer_end_object(writer);
	}
	json_writer_end_object(writer);
}

static bool
back_email(struct json_writer *writer, const struct json *data)
{
	static const char *const known[] = {
	    "template", "templateId", "subject", "from", "replyTo", NULL};
	const struct json *template = json_member_get(data, "template");
	const char *id = text_at(template ? template : data, template ? "id" : "templateId");

	json_writer_begin_object(writer, "template");
	json_writer_string(writer, "id", id);
	if (json_member_get(template, "variables"))
		write_back_variables(writer, json_member_get(template, "variables"));
	json_writer_end_object(writer);
	write_given(writer, "subject", text_at(data, "subject"));
	write_given(writer, "from", text_at(data, "from"));
	if (json_member_get(data, "replyTo"))
		json_writer_value(writer, "reply_to", json_member_get(data, "replyTo"));
	return id && *id && has_only(data, known);
}

static bool
back_duration(struct json_writer *writer, const char *key, const struct json *data)
{
	gint64 number = json_integer(json_member_get(data, "duration"));
	const char *unit = text_at(data, "unit");

	for (guint i = 0; i < G_N_ELEMENTS(units); i++)
		if (g_strcmp0(units[i].unit, unit) == 0) {
			g_autofree char *text = g_strdup_printf(
			    "%" G_GINT64_FORMAT " %s", number, units[i].words[number == 1 ? 0 : 1]);
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
	const char *name = text_at(rule, "operator"), *path = text_at(rule, "property");
	bool is_missing = g_strcmp0(name, "not_exists") == 0;
	guint i = 0;

	if (json_member_get(rule, "rules"))
		return back_rules(writer, rule);
	while (i < G_N_ELEMENTS(operators) &&
	       (operators[i].second || g_strcmp0(operators[i].first, name) != 0))
		i++;
	if (!path || (i == G_N_ELEMENTS(operators) && !is_missing))
		return false;
	json_writer_string(writer, "type", "rule");
	write_back_path(writer, "field", path);
	json_writer_string(writer, "operator", is_missing ? "eq" : operators[i].name);
	if (is_missing)
		json_writer_null(writer, "value");
	else if (operators[i].value != VALUE_NONE)
		json_writer_value(writer, "value", json_member_get(rule, "value"));
	return true;
}

/* Writes the members of a rule. */
static bool
back_rules(struct json_writer *writer, const struct json *rules)
{
	const struct json *list = json_member_get(rules, "rules");
	bool is_any = g_strcmp0(text_at(rules, "match"), "any") == 0;

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

	json_writer_string(writer, "event_name", text_at(data, "eventName"));
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

/* Writes the changes that are names, or those that are properties. */
static bool
back_changes(struct json_writer *writer, const struct json *changes, bool are_paths, bool names)
{
	struct json_iterator members = json_members(changes);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		bool is_name = strcmp(name, "first_name") == 0 || strcmp(name, "last_name") == 0;

		if (is_name != names)
			continue;
		if (value && !is_scalar(value))
			return false;
		if (are_paths) {
			json_writer_begin_object(writer, name);
			write_back_path(writer, "var", json_string(value, NULL));
			json_writer_end_object(writer);
		} else {
			json_writer_value(writer, name, value);
		}
	}
	return true;
}

static bool
back_update(struct json_writer *writer, const struct json *data)
{
	const struct json *set = json_member_get(data, "set"),
			  *copy = json_member_get(data, "copy");

	if (!back_changes(writer, set, false, true) || !back_changes(writer, copy, true, true))
		return false;
	json_writer_begin_object(writer, "properties");
	if (!back_changes(writer, set, false, false) || !back_changes(writer, copy, true, false))
		return false;
	json_writer_end_object(writer);
	return true;
}

static bool
back_node(struct json_writer *writer, const struct json *node)
{
	const char *type = text_at(node, "type");
	guint i = 0;

	while (i < G_N_ELEMENTS(types) && (!type || g_strcmp0(types[i].node, type) != 0))
		i++;
	if (i == G_N_ELEMENTS(types) || !text_at(node, "id"))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "key", text_at(node, "id"));
	json_writer_string(writer, "type", types[i].name);
	json_writer_begin_object(writer, "config");
	if (!types[i].back(writer, json_member_get(node, "data")))
		return false;
	json_writer_end_object(writer);
	json_writer_end_object(writer);
	return true;
}

static void
back_edge(struct json_writer *writer, const struct json *edge)
{
	const char *handle = text_at(edge, "sourceHandle");
	guint i = G_N_ELEMENTS(handles) - 1;

	while (i > 0 && g_strcmp0(handles[i].handle, handle) != 0)
		i--;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "from", text_at(edge, "source"));
	json_writer_string(writer, "to", text_at(edge, "target"));
	json_writer_string(writer, "type", handles[i].name);
	json_writer_end_object(writer);
}

static bool
back_all(struct json_writer *writer, const struct json *design)
{
	const struct json *nodes = json_member_get(design, "nodes");
	const struct json *edges = json_member_get(design, "edges");

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "steps");
	for (gsize i = 0; i < json_array_length(nodes); i++)
		if (!back_node(writer, json_array_at(nodes, i)))
			return false;
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "connections");
	for (gsize i = 0; i < json_array_length(edges); i++)
		back_edge(writer, json_array_at(edges, i));
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	return true;
}

char *
fcgi_resend_steps_of(const char *design, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(json) document = json_parse_as("design", design, strlen(design), error);

	if (!document)
		return NULL;
	if (back_all(writer, document))
		return json_writer_take(writer, NULL);
	fcgi_resend_fail(error, RESEND_NOT_IMPLEMENTED,
	    "The workflow has nodes that are no steps of an automation. Read it under /v1.");
	return NULL;
}
