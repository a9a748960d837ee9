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

static struct json_view_value
template_read_preview(const void *row)
{
	const struct store_template *template = row;

	return (struct json_view_value){
	    .type = template->preview ? VIEW_TEXT : VIEW_ABSENT, .text = template->preview};
}

static struct json_view_value
template_read_status(const void *row)
{
	const struct store_template *template = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = template->published ? "published" : "draft"};
}

static const struct json_view_member template_members[] = {
    JSON_VIEW_MEMBER("id", VIEW_TEXT, struct store_template, id),
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_template, name),
    JSON_VIEW_MEMBER("subject", VIEW_TEXT, struct store_template, subject),
    JSON_VIEW_MEMBER("html", VIEW_BYTES, struct store_template, html, .is_long = true),
    JSON_VIEW_MEMBER("text", VIEW_BYTES, struct store_template, text, .is_long = true),
    {"preview_text", VIEW_MADE, .read = template_read_preview, .is_long = true},
    JSON_VIEW_MEMBER("variables", VIEW_JSON, struct store_template, variables),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_template, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_template, updated),
    JSON_VIEW_MEMBER("alias", VIEW_TEXT, struct store_template, alias, .is_apart = true),
    {"status", VIEW_MADE, .read = template_read_status, .is_apart = true},
    JSON_VIEW_MEMBER("published_at", VIEW_TIME, struct store_template, published, .is_apart = true),
};
const struct json_view content_template_view = JSON_VIEW(template_members);
const struct json_view content_template_list = {
    template_members, G_N_ELEMENTS(template_members), .is_list = true};

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
