/* SPDX-License-Identifier: MIT */
/* Checks templates before they are stored. */
#include "content/template.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/template.h"
#include "json/strict.h"
#include "json/value.h"
#include "store/template/template.h"
#include "template/template.h"

#define NO_HTML "html is required"

static bool
template_invalid(GError **error, const char *text)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return false;
}

static bool
template_is_id(const char *id)
{
	gsize length = strlen(id);

	return length >= 1 && length <= LIMIT_TEMPLATE_ID_LENGTH &&
	       strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
		   length;
}

bool
content_template_check_part(const char *field, GBytes *bytes, GError **error)
{
	gsize size;
	const char *source = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	if (!source || template_check(source, size, error))
		return true;
	g_prefix_error(error, "%s: ", field);
	return false;
}

bool
content_template_check_subject(const char *subject, GError **error)
{
	for (const char *p = subject; p && *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			return template_invalid(
			    error, "subject must not contain control characters");
	if (!subject || template_check_subject(subject, strlen(subject), error))
		return true;
	g_prefix_error(error, "subject: ");
	return false;
}

bool
content_template_check_preview(const char *preview, GError **error)
{
	if (!preview || template_check_subject(preview, strlen(preview), error))
		return true;
	g_prefix_error(error, "preview_text: ");
	return false;
}

static bool
template_check_variables(const char *text, GError **error)
{
	AUTO(json) variables = json_parse_as("variables", text, strlen(text), error);
	struct json_iterator members = json_members(variables);
	const struct json *value;
	const char *name;

	if (!variables)
		return false;
	while (json_iterator_next(&members, &name, &value)) {
		if (json_kind(value) == JSON_STRING || json_number_text(value))
			continue;
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "variables.%s must be a string or a number", name);
		return false;
	}
	return true;
}

bool
content_template_check(const struct store_template *template, GError **error)
{
	if (!template_is_id(template->id))
		return template_invalid(error, "id must be 1 to 64 letters, digits, - and _");
	if (!template->name)
		return template_invalid(error, "name is required");
	if (!template->html)
		return template_invalid(error, NO_HTML);
	return content_template_check_change(template, error);
}

bool
content_template_check_change(const struct store_template *change, GError **error)
{
	if (change->html && g_bytes_get_size(change->html) == 0)
		return template_invalid(error, NO_HTML);
	return content_template_check_part("html", change->html, error) &&
	       content_template_check_part("text", change->text, error) &&
	       content_template_check_subject(change->subject, error) &&
	       content_template_check_preview(change->preview, error) &&
	       template_check_variables(change->variables, error);
}
