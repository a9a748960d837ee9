/* SPDX-License-Identifier: MIT */
/* Reads and checks the data of nodes that change the contact. */
#include "automation/node_update.h"

#include <string.h>

#include "automation/node.h"
#include "automation/node_given.h"
#include "base/id.h"
#include "base/limits/workflow.h"
#include "json/strict.h"
#include "person/contact.h"
#include "rule/properties.h"

/* Fails when a member's name is no path of a property. The caller owns the patch that sets them. */
static char *
node_update_patch(const char *member, const struct json *set, GError **error)
{
	const char *bad = NULL;
	char *patch = rule_properties_patch(set, &bad);

	if (!patch)
		automation_node_fail(error,
		    "data.%s names \"%s\", which is no property: parts with dots between them, at "
		    "most %d",
		    member, bad, LIMIT_PROPERTY_PARTS);
	return patch;
}

static bool
node_update_check_copy(const struct json *copy, GError **error)
{
	g_autofree char *patch = node_update_patch("copy", copy, error);
	struct json_iterator members = json_members(copy);
	const struct json *value;
	const char *name;

	if (!patch)
		return false;
	while (json_iterator_next(&members, &name, &value))
		if (!json_string(value, NULL) || !*json_string(value, NULL))
			return automation_node_fail(
			    error, "data.copy.%s must be the path of a property", name);
	return true;
}

static bool
node_update_check_names(const struct json *names, GError **error)
{
	struct json_iterator members = json_members(names);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		bool is_first = strcmp(name, "first_name") == 0;
		const char *text = json_string(value, NULL);
		const struct person_contact_fields fields = {
		    .first_name = is_first ? text : NULL, .last_name = is_first ? NULL : text};
		char *address;

		if (!is_first && strcmp(name, "last_name") != 0)
			return automation_node_fail(
			    error, "data.names has first_name and last_name alone");
		if (value && !text && !json_string(json_member_get(value, "var"), NULL))
			return automation_node_fail(
			    error, "data.names.%s must be a string, null or {\"var\": path}", name);
		if (!person_contact_check(&fields, &address, error)) {
			g_prefix_error(error, "data.names.");
			return false;
		}
	}
	return true;
}

/* The path of {"var": path}; NULL: the value is nothing of that kind. */
static const char *
node_update_var(const struct json *value)
{
	const char *path = json_kind(value) == JSON_OBJECT && json_member_count(value) == 1
			       ? json_string(json_member_get(value, "var"), NULL)
			       : NULL;

	return path && *path && g_utf8_strlen(path, -1) <= LIMIT_PROPERTY_LENGTH ? path : NULL;
}

static bool
node_update_check_subscribed(const struct json *value, GError **error)
{
	const struct json *turned =
	    json_member_count(value) == 1 ? json_member_get(value, "not") : NULL;

	return !value || json_kind(value) == JSON_BOOLEAN ||
	       node_update_var(turned ? turned : value) ||
	       automation_node_fail(error,
		   "data.subscribed must be true, false, {\"var\": path} or {\"not\": "
		   "{\"var\": path}}");
}

static bool
node_update_check_topics(const struct json *topics, GError **error)
{
	struct json_iterator members = json_members(topics);
	const struct json *value;
	struct base_id topic;
	const char *id;

	while (json_iterator_next(&members, &id, &value)) {
		if (!base_id_parse(id, &topic))
			return automation_node_fail(error, "data.topics.%s is not a topic", id);
		if (json_kind(value) != JSON_BOOLEAN)
			return automation_node_fail(
			    error, "data.topics.%s must be true or false", id);
	}
	return true;
}

static bool
node_update_check_audiences(const struct json *audiences, GError **error)
{
	struct json_iterator members = json_members(audiences);
	const struct json *value;
	struct base_id audience;
	const char *id;

	while (json_iterator_next(&members, &id, &value)) {
		if (!base_id_parse(id, &audience))
			return automation_node_fail(
			    error, "data.audiences.%s is not an audience", id);
		if (value && json_kind(value) != JSON_BOOLEAN)
			return automation_node_fail(
			    error, "data.audiences.%s must be true, false or null", id);
	}
	return true;
}

static bool
node_update_read_consent(
    struct automation_node_update *update, const struct automation_node_given *data, GError **error)
{
	update->subscribed = data->subscribed;
	update->topics = data->topics;
	update->audiences = data->audiences;
	return node_update_check_subscribed(data->subscribed, error) &&
	       node_update_check_topics(data->topics, error) &&
	       node_update_check_audiences(data->audiences, error);
}

bool
automation_node_read_update(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	g_autofree char *patch = NULL;

	if (!data->set && !data->copy && !data->names && !data->subscribed && !data->topics &&
	    !data->audiences)
		return automation_node_fail(error, "data.set is required");
	if (!(patch = node_update_patch("set", data->set, error)) ||
	    !node_update_check_copy(data->copy, error) ||
	    !node_update_check_names(data->names, error) ||
	    !node_update_read_consent(&node->update, data, error))
		return false;
	if (json_member_count(data->set) + json_member_count(data->copy) +
		    json_member_count(data->names) + json_member_count(data->topics) +
		    json_member_count(data->audiences) ==
		0 &&
	    !data->subscribed)
		return automation_node_fail(error, "data.set is empty: give it a property to set");
	node->update.names = data->names;
	node->update.copy = data->copy;
	node->update.patch = json_parse_as("data.set", patch, strlen(patch), error);
	return node->update.patch != NULL;
}
