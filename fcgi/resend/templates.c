/* SPDX-License-Identifier: MIT */
/* Templates under /resend: drafts, which are published; create, read, change and remove them. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "base/limits/template.h"
#include "content/template.h"
#include "content/template_draft.h"
#include "content/template_use.h"
#include "content/template_variables.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/template/draft.h"
#include "store/template/template.h"

#define OBJECT "template"

struct variable {
	const char *key, *type;
};

struct input {
	const char *name, *html, *text, *subject, *from, *alias;
	const char **reply_to;
	GArray *variables; /* of struct variable */
};

/* clang-format off */
static const struct json_field variable_fields[] = {
	JSON_FIELD("key", FIELD_STRING, struct variable, key, .required = true, .min = 1),
	JSON_FIELD("type", FIELD_STRING, struct variable, type, .required = true, .min = 1),
	JSON_KNOWN_AS("fallback_value", JSON_KIND(JSON_STRING)),
};

/* is_new: name and html must be given. */
#define FIELDS(is_new) { \
	JSON_FIELD("name", FIELD_STRING, struct input, name, .required = (is_new), .min = 1, .max = LIMIT_NAME_LENGTH), \
	JSON_FIELD("html", FIELD_STRING, struct input, html, .required = (is_new), .bytes = true, .min = 1, .max = LIMIT_HTML_BYTES), \
	JSON_FIELD("text", FIELD_STRING, struct input, text, .bytes = true, .max = LIMIT_TEXT_BYTES), \
	JSON_FIELD("subject", FIELD_STRING, struct input, subject, .max = LIMIT_TEMPLATE_SUBJECT_LENGTH), \
	JSON_FIELD("from", FIELD_STRING, struct input, from, .max = LIMIT_TEMPLATE_FROM_LENGTH), \
	JSON_FIELD("alias", FIELD_STRING, struct input, alias), \
	JSON_FIELD("reply_to", FIELD_STRINGS, struct input, reply_to, .max = LIMIT_RECIPIENTS), \
	JSON_FIELD("variables", FIELD_LIST, struct input, variables, .max = LIMIT_TEMPLATE_VARIABLES, \
	    JSON_ELEMENTS(variable_fields, struct variable)), \
}
/* clang-format on */

static const struct json_field new_fields[] = FIELDS(true), fields[] = FIELDS(false);

const struct json_table fcgi_resend_templates_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_templates_body = JSON_TABLE(fields);

/* The service has texts and numbers alone. */
static bool
check_types(const GArray *variables, GError **error)
{
	for (guint i = 0; variables && i < variables->len; i++) {
		const char *type = g_array_index(variables, struct variable, i).type;

		if (strcmp(type, "string") != 0 && strcmp(type, "number") != 0) {
			g_autofree char *field = g_strdup_printf("variables[%u].type", i);
			return fcgi_resend_refuse(error, field);
		}
	}
	return true;
}

/* A sender has an error of its own. */
static bool
templates_fail(GError *failure, GError **error)
{
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID) &&
	    g_str_has_prefix(failure->message, "Invalid `from` field.")) {
		fcgi_resend_fail(error, RESEND_INVALID_FROM, "%s", failure->message);
		g_error_free(failure);
	} else {
		g_propagate_error(error, failure);
	}
	return false;
}

static void
templates_reply(struct fcgi_call *call, guint status, const char *id, bool is_deleted)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	json_writer_string(writer, "id", id);
	if (is_deleted)
		json_writer_boolean(writer, "deleted", true);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, status, writer);
}

/* Creates a template, or changes the one that the path names. */
static bool
templates_store(struct fcgi_call *call, const struct input *input, char **id_r, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	const struct content_template_input given = {input->name, input->html, input->text,
	    input->subject, input->from, input->alias, input->reply_to,
	    json_member_get(call->json, "variables")};

	return call->arguments[0]
		   ? content_template_draft_change(
			 call->service, workspace, call->arguments[0], &given, id_r, error)
		   : content_template_draft_create(call->service, workspace, &given, id_r, error);
}

static bool
read_and_store(struct fcgi_call *call, const struct json_table *table, guint status, GError **error)
{
	struct input input = {0};
	g_autofree char *id = NULL;
	GError *failure = NULL;

	if (!fcgi_resend_read(call->json, table, &input, error))
		return false;
	bool done =
	    check_types(input.variables, &failure) && templates_store(call, &input, &id, &failure);
	json_fields_free(table->fields, table->count, &input);
	if (!done)
		return templates_fail(failure, error);
	templates_reply(call, status, id, false);
	return true;
}

bool
fcgi_resend_templates_post(struct fcgi_call *call, GError **error)
{
	return read_and_store(call, &fcgi_resend_templates_new, 201, error);
}

bool
fcgi_resend_templates_patch(struct fcgi_call *call, GError **error)
{
	return read_and_store(call, &fcgi_resend_templates_body, 200, error);
}

/* The members that a row of the list has, too. */
static const struct fcgi_resend_member members[] = {
    {"id"},
    {"alias"},
    {"name"},
    {"status"},
    {"published_at"},
    {"created_at", "created"},
    {"updated_at", "updated"},
};

static void
templates_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	fcgi_resend_write_view(writer, &content_template_view, members, G_N_ELEMENTS(members), row);
}

static void
templates_write_variables(
    struct json_writer *writer, const struct content_template_variables *variables)
{
	json_writer_begin_array(writer, "variables");
	for (guint i = 0; i < variables->list->len; i++) {
		const struct content_template_variable *variable =
		    &g_array_index(variables->list, struct content_template_variable, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "key", variable->key);
		json_writer_string(writer, "type", variable->is_number ? "number" : "string");
		json_writer_value(writer, "fallback_value", variable->fallback);
		fcgi_resend_write_time(writer, "created_at", variable->created);
		fcgi_resend_write_time(writer, "updated_at", variable->updated);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
templates_write_reply_to(struct json_writer *writer, char *const *addresses)
{
	if (!addresses[0]) {
		json_writer_null(writer, "reply_to");
		return;
	}
	json_writer_begin_array(writer, "reply_to");
	for (gsize i = 0; addresses[i]; i++)
		json_writer_string(writer, NULL, addresses[i]);
	json_writer_end_array(writer);
}

static void
templates_write_template(struct json_writer *writer, const struct store_template *template,
    const struct content_template_variables *variables, char *const *reply_to)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	templates_write_members(writer, NULL, template);
	fcgi_resend_write_id(writer, "current_version_id", &template->version);
	json_writer_boolean(writer, "has_unpublished_versions", template->has_draft);
	json_writer_string(writer, "from", template->sender);
	json_writer_string(writer, "subject", template->subject);
	templates_write_reply_to(writer, reply_to);
	json_writer_bytes(writer, "html", template->html);
	json_writer_bytes(writer, "text", template->text);
	templates_write_variables(writer, variables);
	json_writer_end_object(writer);
}

bool
fcgi_resend_templates_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_template) template = store_template_draft_get(
	    call->service->db, &call->key.workspace_id, call->arguments[0], error);

	if (!template)
		return false;
	AUTO(content_template_variables) variables =
	    content_template_variables_read(template, error);
	if (!variables)
		return false;
	g_auto(GStrv) reply_to = content_template_draft_addresses(template->reply_to, error);
	if (!reply_to)
		return false;
	templates_write_template(writer, template, variables, reply_to);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

static bool
templates_find_place(
    struct fcgi_call *call, const char *id, struct base_id *place_r, bool *found_r, GError **error)
{
	return store_template_draft_place(
	    call->service->db, &call->key.workspace_id, id, place_r, found_r, error);
}

bool
fcgi_resend_templates_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page_of(call, RESEND_ROWS_SOME, templates_find_place, &page, error))
		return false;
	g_autoptr(GPtrArray) templates =
	    store_template_draft_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, templates, templates_write_members);
}

bool
fcgi_resend_templates_publish(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	g_autofree char *id = NULL;

	if (!store_template_draft_publish(call->service->db, &call->key.workspace_id,
		call->arguments[0], &edit->edit, &id, error))
		return false;
	templates_reply(call, 200, id, false);
	return true;
}

bool
fcgi_resend_templates_duplicate(struct fcgi_call *call, GError **error)
{
	g_autofree char *id = NULL;

	if (!content_template_draft_duplicate(
		call->service, &call->key.workspace_id, call->arguments[0], &id, error))
		return false;
	templates_reply(call, 200, id, false);
	return true;
}

static bool
templates_check_unused(
    struct fcgi_call *call, const struct store_template *template, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (content_template_unused(
		call->service->db, &call->key.workspace_id, template->id, NULL, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return fcgi_resend_fail(error, RESEND_IN_USE, "%s", failure->message);
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

bool
fcgi_resend_templates_delete(struct fcgi_call *call, GError **error)
{
	struct db *db = call->service->db;
	const struct base_id *workspace = &call->key.workspace_id;
	g_autofree char *id = NULL;
	AUTO(store_template)
	template = store_template_draft_get(db, workspace, call->arguments[0], error);

	if (!template || !templates_check_unused(call, template, error) ||
	    !store_template_draft_remove(db, workspace, call->arguments[0], &id, error))
		return false;
	templates_reply(call, 200, id, true);
	return true;
}
