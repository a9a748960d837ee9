/* SPDX-License-Identifier: MIT */
/* Fills variables into templates that declare them. */
#include "content/template_fill.h"

#include <string.h>

#include "base/error.h"
#include "content/template_draft.h"
#include "content/template_link.h"
#include "content/template_render.h"
#include "content/template_variables.h"
#include "json/value.h"
#include "service/service.h"
#include "store/template/draft.h"
#include "store/template/template.h"
#include "template/template.h"

/* Composing replaces this reference, but only where it searches for variables. */
#define UNSUBSCRIBE "unsubscribe_url"

struct values {
	const struct content_template_variables *declared;
	const struct json *given;
	bool any_type;
	bool unsubscribe;
};

void
content_template_email_free(struct content_template_email *email)
{
	g_free(email->id);
	g_free(email->from);
	g_free(email->subject);
	g_free(email->html);
	g_free(email->text);
	g_strfreev(email->reply_to);
	g_free(email);
}

/* A string or a number, as text; NULL for anything else. */
static const char *
template_fill_scalar(const struct json *value)
{
	return json_kind(value) == JSON_STRING ? json_string(value, NULL) : json_number_text(value);
}

static const char *
template_fill_look_up(const char *name, void *context)
{
	struct values *values = context;
	const struct content_template_variable *variable =
	    content_template_variables_find(values->declared, name);
	const struct json *given = variable || content_template_variables_is_field(name)
				       ? json_member_get(values->given, name)
				       : NULL;

	if (given)
		return template_fill_scalar(given);
	if (variable && variable->fallback)
		return template_fill_scalar(variable->fallback);
	values->unsubscribe |= strcmp(name, UNSUBSCRIBE) == 0;
	return NULL;
}

static bool
template_fill_check_value(const struct content_template_variable *variable,
    const struct json *given, bool any_type, GError **error)
{
	bool is_number = json_number_text(given) != NULL, is_string = json_string(given, NULL);

	if (!given)
		return variable->fallback ||
		       base_invalid(error,
			   "Invalid `template.variables` field. The variable '%s' has no fallback "
			   "and is missing.",
			   variable->key);
	if (any_type ? is_number || is_string : variable->is_number ? is_number : is_string)
		return true;
	return base_invalid(error,
	    "Invalid `template.variables` field. The variable '%s' must be a %s.", variable->key,
	    variable->is_number ? "number" : "string");
}

static bool
template_fill_check(const struct values *values, GError **error)
{
	if (values->given && json_kind(values->given) != JSON_OBJECT)
		return base_invalid(
		    error, "Invalid `template.variables` field. It must be an object.");
	for (guint i = 0; i < values->declared->list->len; i++) {
		const struct content_template_variable *variable =
		    &g_array_index(values->declared->list, struct content_template_variable, i);

		if (!template_fill_check_value(variable,
			json_member_get(values->given, variable->key), values->any_type, error))
			return false;
	}
	return true;
}

static bool
template_fill_fill(
    const struct template_source *source, struct values *values, char **text_r, GError **error)
{
	*text_r = template_plain_render(source, template_fill_look_up, values, NULL, error);
	if (!*text_r)
		g_prefix_error(error, "Invalid `%s` field of the template: ", source->part);
	return *text_r;
}

static bool
fill_bytes(const char *field, GBytes *bytes, enum template_kind kind, struct values *values,
    char **text_r, GError **error)
{
	gsize size = 0;
	const char *source = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	return !bytes || template_fill_fill(
			     &(struct template_source){source ? source : "", size, kind, field},
			     values, text_r, error);
}

static bool
refuse_unsubscribe(GError **error)
{
	return base_invalid(error, "Invalid `template.variables` field. The variable '" UNSUBSCRIBE
				   "' has no fallback and is missing.");
}

static bool
template_fill_fill_all(const struct store_template *template, struct values *values,
    struct content_template_email *email, GError **error)
{
	const char *text = template->subject;
	const struct template_source subject = {
	    text, text ? strlen(text) : 0, TEMPLATE_HEADER, "subject"};

	if ((text && !template_fill_fill(&subject, values, &email->subject, error)) ||
	    !fill_bytes("html", template->html, TEMPLATE_HTML, values, &email->html, error) ||
	    !fill_bytes("text", template->text, TEMPLATE_TEXT, values, &email->text, error))
		return false;
	return !values->unsubscribe || refuse_unsubscribe(error);
}

static bool
template_fill_refers(GBytes *source)
{
	gsize size = 0;
	const char *text = source ? g_bytes_get_data(source, &size) : NULL;

	return text && template_refers(text, size, UNSUBSCRIBE);
}

/* Fills a template of /v1, which need not declare what it uses, and has more than references. */
static bool
fill_with_tags(struct service *service, struct store_template *template, struct values *values,
    struct content_template_email *email, GError **error)
{
	if (!content_template_link(service->db, template, error))
		return false;
	if ((template_fill_refers(template->html) || template_fill_refers(template->text)) &&
	    !template_fill_look_up(UNSUBSCRIBE, values))
		return refuse_unsubscribe(error);
	AUTO(content_template_rendered) rendered =
	    content_template_render(service->db, template, values->given, error);
	if (!rendered)
		return false;
	email->subject = g_steal_pointer(&rendered->subject);
	email->html = g_steal_pointer(&rendered->html);
	email->text = g_steal_pointer(&rendered->text);
	return true;
}

static struct content_template_email *
template_fill_make(struct service *service, struct store_template *template,
    const struct json *given, bool any_type, GError **error)
{
	AUTO(content_template_email) email = g_new0(struct content_template_email, 1);
	AUTO(content_template_variables) declared =
	    content_template_variables_read(template, error);
	struct values values = {declared, given, any_type || !template->declared, false};

	if (!declared || !template_fill_check(&values, error) ||
	    !(template->declared ? template_fill_fill_all(template, &values, email, error)
				 : fill_with_tags(service, template, &values, email, error)) ||
	    !(email->reply_to = content_template_draft_addresses(template->reply_to, error)))
		return NULL;
	email->id = g_strdup(template->id);
	email->from = g_strdup(template->sender);
	return g_steal_pointer(&email);
}

struct content_template_email *
content_template_fill(struct service *service, const struct base_id *workspace, const char *name,
    const struct json *variables, bool any_type, GError **error)
{
	AUTO(store_template) template =
	    store_template_draft_published(service->db, workspace, name, error);

	if (!template)
		return NULL;
	if (template->published)
		return template_fill_make(service, template, variables, any_type, error);
	base_invalid(error, "The template is not published. Publish it before you send with it.");
	return NULL;
}
