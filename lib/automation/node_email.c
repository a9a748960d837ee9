/* SPDX-License-Identifier: MIT */
/* Reads and checks the data of nodes that send email. */
#include "automation/node_email.h"

#include <string.h>

#include "automation/node.h"
#include "automation/node_given.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/template.h"
#include "json/fields.h"
#include "json/place.h"
#include "mail/address.h"
#include "mail/header.h"

static bool
node_email_fail(GError **error, const char *message)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, message);
	return false;
}

/* Editors save empty strings for fields that were left empty. */
static void
node_email_drop_empty(const char **text)
{
	if (*text && !**text)
		*text = NULL;
}

static bool
node_email_check_sender(const char *from, GError **error)
{
	AUTO(mail_address) address = from ? mail_address_parse(from, error) : NULL;

	if (!from || address)
		return true;
	g_prefix_error(error, "data.from ");
	return false;
}

static bool
node_email_check_reply_to(const char **lists, GError **error)
{
	for (; lists && *lists; lists++) {
		g_autoptr(GPtrArray) addresses = mail_address_parse_list(*lists, error);

		if (!addresses) {
			g_prefix_error(error, "data.replyTo ");
			return false;
		}
	}
	return true;
}

static void
node_email_drop_empty_reply_to(struct automation_node_email *email)
{
	const char **kept = email->reply_to;

	for (const char **list = email->reply_to; list && *list; list++)
		if (**list)
			*kept++ = *list;
	if (kept)
		*kept = NULL;
	if (email->reply_to && !email->reply_to[0])
		g_clear_pointer(&email->reply_to, g_free);
}

static bool
node_email_read_kind(struct automation_node_email *email, GError **error)
{
	struct base_id topic;

	email->is_transactional = g_strcmp0(email->kind, "transactional") == 0;
	if (email->kind && !email->is_transactional && strcmp(email->kind, "marketing") != 0)
		return node_email_fail(error, "data.kind must be one of marketing, transactional");
	return !email->topic_id || base_id_parse(email->topic_id, &topic) ||
	       node_email_fail(error, "data.topicId is not a topic");
}

/* Sets empty members to NULL, and checks that the rest can be sent. INVALID, with the fault and the
   remedy; reply_to still belongs to the caller then. */
static bool
node_email_check(struct automation_node_email *email, GError **error)
{
	node_email_drop_empty(&email->template_id);
	node_email_drop_empty(&email->subject);
	node_email_drop_empty(&email->html);
	node_email_drop_empty(&email->text);
	node_email_drop_empty(&email->from);
	node_email_drop_empty(&email->kind);
	node_email_drop_empty(&email->topic_id);
	node_email_drop_empty_reply_to(email);
	if (!node_email_read_kind(email, error))
		return false;
	if (email->published && (email->template_id || email->html || email->text))
		return node_email_fail(error,
		    "has data.template and another content: leave data.templateId, data.html and "
		    "data.text out");
	if (email->template_id && email->html)
		return node_email_fail(
		    error, "has both data.templateId and data.html: leave one of them out");
	if (!email->template_id && !email->html && !email->published)
		return node_email_fail(error,
		    "has nothing to send: give data.templateId, or data.subject and "
		    "data.html");
	if (!email->template_id && !email->subject && !email->published)
		return node_email_fail(error, "has no data.subject: give one");
	return (!email->subject || mail_check_text("data.subject", email->subject, error)) &&
	       node_email_check_sender(email->from, error) &&
	       node_email_check_reply_to(email->reply_to, error);
}

const struct json_field automation_template_fields[] = {
    JSON_FIELD("id", FIELD_STRING, struct automation_node_email, published, .required = true,
	.min = 1, .max = LIMIT_TEMPLATE_ID_LENGTH),
    JSON_FIELD("variables", FIELD_OBJECT, struct automation_node_email, variables,
	.max = LIMIT_TEMPLATE_VARIABLES),
};

/* A variable's value is a text, a number or a boolean, or the path of one. */
static bool
node_email_check_variables(const struct json *variables, GError **error)
{
	struct json_iterator members = json_members(variables);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		if (json_kind(value) < JSON_ARRAY ||
		    (json_kind(value) == JSON_OBJECT && json_member_count(value) == 1 &&
			json_string(json_member_get(value, "var"), NULL)))
			continue;
		return automation_node_fail(error,
		    "data.template.variables.%s must be a string, a number, true, false or "
		    "{\"var\": path}",
		    name);
	}
	return true;
}

static bool
node_email_read_template(
    struct automation_node_email *email, const struct json *template, GError **error)
{
	if (!template)
		return true;
	if (!json_fields_read(template, automation_template_fields,
		G_N_ELEMENTS(automation_template_fields), email, error)) {
		g_prefix_error(error, "data.template.");
		return false;
	}
	return node_email_check_variables(email->variables, error);
}

bool
automation_node_read_email(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error)
{
	const struct json_place priority = {&automation_place_data, "priority", 0};

	node->email = data->email; /* takes over reply_to, the only member that is owned */
	return sending_priority_read(data->priority, &priority, &node->email.priority, error) &&
	       node_email_read_template(&node->email, data->template, error) &&
	       node_email_check(&node->email, error);
}
