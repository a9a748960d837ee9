/* SPDX-License-Identifier: MIT */
/* Stored templates: create, list, read, change, delete and fill them (/v1/templates). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "content/template.h"
#include "content/template_link.h"
#include "content/template_preview.h"
#include "content/template_render.h"
#include "content/template_use.h"
#include "content/variables.h"
#include "db/connection.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/template/template.h"
#include "store/template/use.h"

struct input {
	const char *id, *name, *html, *text, *subject, *layout, *preview;
	const struct json *variables;
	bool text_given, subject_given, layout_given, preview_given, variables_given;
};

static const struct json_field fields[] = {FIELDS_TEMPLATE_CHANGE(struct input)};

static const struct json_field render_fields[] = {FIELDS_TEMPLATE_VALUES(struct input)};

static const struct json_field draft_fields[] = {FIELDS_TEMPLATE_DRAFT(struct input)};

const struct json_table fcgi_templates_body = JSON_TABLE(fields);
const struct json_table fcgi_templates_draft = JSON_TABLE(draft_fields);
const struct json_table fcgi_templates_values = JSON_TABLE(render_fields);

static void
templates_set_bytes(GBytes **member, const char *text)
{
	g_clear_pointer(member, g_bytes_unref);
	if (text)
		*member = g_bytes_new(text, strlen(text));
}

static void
templates_set_text(char **member, const char *text)
{
	g_free(*member);
	*member = g_strdup(text);
}

/* Applies the fields that the request gives to the template; null clears an optional one. */
static void
templates_apply(const struct input *input, struct store_template *template)
{
	if (input->name)
		templates_set_text(&template->name, input->name);
	if (input->html)
		templates_set_bytes(&template->html, input->html);
	if (input->text_given)
		templates_set_bytes(&template->text, input->text);
	if (input->subject_given)
		templates_set_text(&template->subject, input->subject);
	if (template->subject)
		g_strdelimit(template->subject, "\t", ' ');
	if (input->layout_given)
		templates_set_text(&template->layout, input->layout);
	if (input->preview_given)
		templates_set_text(
		    &template->preview, input->preview && *input->preview ? input->preview : NULL);
	if (input->variables) {
		g_free(template->variables);
		template->variables = json_print(input->variables);
	} else if (input->variables_given || !template->variables) {
		templates_set_text(&template->variables, "{}");
	}
}

static void
reply_template(struct fcgi_call *call, const struct store_template *template)
{
	AUTO(json_writer) writer = json_writer_new();
	char version[ID_TEXT_SIZE];

	json_view_write(writer, &content_template_view, template, NULL);
	fcgi_reply_json(call->reply, 200, writer);
	fcgi_edit_tag(call->reply, base_id_format(&template->version, version));
}

/* Reads the fields of a template. */
static bool
templates_read_template(struct fcgi_call *call, struct input *input_r, GError **error)
{
	return json_fields_read(call->json, fields, G_N_ELEMENTS(fields), input_r, error) &&
	       content_variables_check(input_r->variables, error);
}

bool
fcgi_templates_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	AUTO(store_template) template = g_new0(struct store_template, 1);
	g_autoptr(GError) local = NULL;
	char id[ID_TEXT_SIZE];

	if (!templates_read_template(call, &input, error))
		return false;
	template->edit = &edit->edit;
	template->sequence = base_id_new();
	template->workspace_id = call->key.workspace_id;
	template->id = g_strdup(input.id ? input.id : base_id_format(&template->sequence, id));
	templates_apply(&input, template);
	if (!content_template_check(template, error) ||
	    !content_template_link_check(call->service->db, template, error))
		return false;
	if (store_template_create(call->service->db, template, &local)) {
		reply_template(call, template);
		return true;
	}
	if (g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT) &&
	    db_cause(call->service->db) != DB_CAUSE_NONE)
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Template already exists");
	else
		g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

bool
fcgi_templates_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_template) template = store_template_get(
	    call->service->db, &call->key.workspace_id, call->arguments[0], error);

	if (!template)
		return false;
	reply_template(call, template);
	return true;
}

bool
fcgi_templates_layout(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_template) template = store_template_get(
	    call->service->db, &call->key.workspace_id, call->arguments[0], error);

	if (!template)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", template->id);
	json_writer_string(writer, "layout", template->layout);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_templates_patch(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_read(call, error);
	AUTO(store_template) change = g_new0(struct store_template, 1);
	struct input input = {0};

	if (!edit || !templates_read_template(call, &input, error))
		return false;
	templates_apply(&input, change);
	if (!content_template_check_change(change, error))
		return false;
	AUTO(store_template) template = store_template_get(
	    call->service->db, &call->key.workspace_id, call->arguments[0], error);
	if (!template)
		return false;
	templates_apply(&input, template);
	template->edit = &edit->edit;
	if (!content_template_link_check(call->service->db, template, error) ||
	    !store_template_replace(call->service->db, template, error))
		return false;
	reply_template(call, template);
	return true;
}

/* Refuses to delete a template, and names what needs it. */
static void
reply_uses(struct fcgi_call *call, const GPtrArray *uses)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", CONTENT_TEMPLATE_IN_USE);
	json_writer_begin_array(writer, "used_by");
	for (guint i = 0; i < uses->len; i++) {
		const struct store_template_use *use = uses->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "type", use->type);
		json_writer_string(writer, "id", use->id);
		json_writer_string(writer, "name", use->name);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 409, writer);
}

bool
fcgi_templates_delete(struct fcgi_call *call, GError **error)
{
	g_autoptr(GPtrArray) uses = NULL;
	g_autoptr(GError) failure = NULL;

	if (!content_template_unused(
		call->service->db, &call->key.workspace_id, call->arguments[0], &uses, &failure)) {
		if (!uses) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		reply_uses(call, uses);
		return true;
	}
	if (!store_template_remove(
		call->service->db, &call->key.workspace_id, call->arguments[0], error))
		return false;
	fcgi_reply_message(call->reply, "Template deleted");
	return true;
}

static void
write_rendered(struct json_writer *writer, const struct content_template_rendered *rendered)
{
	json_writer_string(writer, "subject", rendered->subject);
	json_writer_string(writer, "html", rendered->html);
	json_writer_string(writer, "text", rendered->text);
}

static void
reply_preview(struct fcgi_call *call, const struct content_template_preview *preview)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	write_rendered(writer, preview->rendered);
	json_writer_begin_array(writer, "problems");
	for (guint i = 0; i < preview->problems->len; i++) {
		const struct content_template_problem *problem = preview->problems->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "part", problem->part);
		json_writer_string(writer, "message", problem->message);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

bool
fcgi_templates_preview(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	AUTO(store_template) template = g_new0(struct store_template, 1);

	if (!json_fields_read(call->json, draft_fields, G_N_ELEMENTS(draft_fields), &input, error))
		return false;
	const struct json *values = input.variables;
	input.variables = NULL;
	template->workspace_id = call->key.workspace_id;
	templates_apply(&input, template);
	AUTO(content_template_preview)
	preview = content_template_preview(call->service->db, template, values, error);
	if (!preview)
		return false;
	reply_preview(call, preview);
	return true;
}

bool
fcgi_templates_render(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!json_fields_read(
		call->json, render_fields, G_N_ELEMENTS(render_fields), &input, error))
		return false;
	AUTO(store_template) template = content_template_read(
	    call->service->db, &call->key.workspace_id, call->arguments[0], NULL, error);
	if (!template)
		return false;
	AUTO(content_template_rendered) rendered =
	    content_template_render(call->service->db, template, input.variables, error);
	if (!rendered)
		return false;
	AUTO(json_writer) writer = json_writer_new();
	json_writer_begin_object(writer, NULL);
	write_rendered(writer, rendered);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_templates_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) templates = store_template_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"templates", templates, LIMIT_PAGE, true,
		offsetof(struct store_template, sequence), .view = &content_template_list},
	    error);
}
