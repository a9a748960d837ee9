/* SPDX-License-Identifier: MIT */
/* Automations under /resend, which are workflows: create, read, change, copy, stop and remove them.
 */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "automation/workflow.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/steps.h"
#include "fcgi/resend/steps_words.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/workflow.h"

#define OBJECT "automation"
#define COPY " (Copy)"
/* The design of an automation whose steps are not valid yet. */
#define NO_DESIGN "{\"nodes\":[],\"edges\":[]}"

struct input {
	const char *name, *status;
	const struct json *steps, *connections;
};

/* clang-format off */
#define FIELDS(is_new) { \
	JSON_FIELD("name", FIELD_STRING, struct input, name, .required = (is_new), .min = 1, .max = LIMIT_NAME_LENGTH), \
	JSON_FIELD("status", FIELD_STRING, struct input, status), \
	JSON_FIELD("steps", FIELD_JSON, struct input, steps, .required = (is_new), .kinds = JSON_KIND(JSON_ARRAY), \
	    .elements = fcgi_resend_step_fields, .element_count = RESEND_STEP_FIELDS), \
	JSON_FIELD("connections", FIELD_JSON, struct input, connections, .kinds = JSON_KIND(JSON_ARRAY)), \
}
/* clang-format on */

static const struct json_field new_fields[] = FIELDS(true), fields[] = FIELDS(false);

const struct json_table fcgi_resend_automations_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_automations_body = JSON_TABLE(fields);

/* An error that calls the automation a workflow. */
static bool
automations_fail(GError *local, GError **error)
{
	if (g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_error_free(local);
		return fcgi_resend_missing(error, "Automation");
	}
	if (g_error_matches(local, PH_ERROR, PH_ERROR_INVALID))
		g_prefix_error(&local, "Invalid `steps` field. ");
	g_propagate_error(error, local);
	return false;
}

bool
fcgi_resend_automations_find(
    struct fcgi_call *call, struct store_workflow **workflow_r, GError **error)
{
	GError *local = NULL;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	*workflow_r = store_workflow_get(call->service->db, &call->key.workspace_id, &id, &local);
	return *workflow_r || automations_fail(local, error);
}

/* The form of a version (fcgi/resend/steps.h): the one that it was made of, or else one that means
   its design. NOT_IMPLEMENTED when there is none. The caller owns it. */
static char *
automations_form(const char *design, const char *form, GError **error)
{
	return form ? g_strdup(form) : fcgi_resend_steps_of(design ? design : NO_DESIGN, error);
}

static bool
automations_read_input(
    struct fcgi_call *call, const struct json_table *table, struct input *input, GError **error)
{
	if (!fcgi_resend_read(call->json, table, input, error))
		return false;
	if (input->status && strcmp(input->status, "enabled") != 0 &&
	    strcmp(input->status, "disabled") != 0)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `status` field. status must be enabled or disabled.");
	if (input->steps && json_array_length(input->steps) == 0)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `steps` field.");
	return fcgi_resend_steps_check(input->steps, input->connections, error);
}

/* Translates a form. As long as the automation is disabled, steps that are not valid are kept
   without a design. The caller owns the result. */
static char *
translate(const char *form, bool is_enabled, GError **error)
{
	AUTO(json) document = json_parse_as("steps", form, strlen(form), error);
	GError *local = NULL;

	if (!document)
		return NULL;
	char *design = fcgi_resend_steps_design(document, &local);
	if (design)
		return design;
	if (!is_enabled && g_error_matches(local, FCGI_RESEND_ERROR, RESEND_INVALID)) {
		g_error_free(local);
		return g_strdup(NO_DESIGN);
	}
	g_propagate_error(error, local);
	return NULL;
}

static const char *
automations_status_of(const char *status)
{
	return !status ? NULL : strcmp(status, "enabled") == 0 ? "active" : "draft";
}

static bool
automations_create(
    struct fcgi_call *call, const struct automation_workflow_change *change, GError **error)
{
	char key[ID_TEXT_SIZE];
	const struct automation_workflow_author author = fcgi_call_author(call, key);
	GError *local = NULL;
	struct base_id id;

	if (!automation_workflow_create(
		call->service, &call->key.workspace_id, &author, change, &id, &local))
		return automations_fail(local, error);
	fcgi_resend_reply_id(call, 201, OBJECT, &id, false);
	return true;
}

bool
fcgi_resend_automations_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!automations_read_input(call, &fcgi_resend_automations_new, &input, error))
		return false;
	const char *status = automations_status_of(input.status);
	g_autofree char *form = fcgi_resend_steps_form(input.steps, input.connections);
	g_autofree char *design = translate(form, g_strcmp0(status, "active") == 0, error);
	if (!design)
		return false;
	const struct automation_workflow_change change = {
	    input.name, status, design, strlen(design), form};
	return automations_create(call, &change, error);
}

/* The form after the change; NULL when it could not be read. The caller owns it. */
static char *
changed_form(const struct store_workflow *workflow, const struct input *input, GError **error)
{
	g_autofree char *form = input->steps && input->connections
				    ? g_strdup("{}")
				    : automations_form(workflow->design, workflow->form, error);
	AUTO(json) before = form ? json_parse_as("steps", form, strlen(form), error) : NULL;

	if (!before)
		return NULL;
	return fcgi_resend_steps_form(
	    input->steps ? input->steps : json_member_get(before, "steps"),
	    input->connections ? input->connections : json_member_get(before, "connections"));
}

/* Sets the design of change, which borrows *form_r and *design_r, where there is a new one: other
   steps, or an automation whose steps are to be valid from now on. A workflow of /v1 that is only
   enabled keeps its design. */
static bool
change_design(const struct store_workflow *workflow, const struct input *input,
    struct automation_workflow_change *change, char **form_r, char **design_r, GError **error)
{
	bool is_enabled = change->status ? strcmp(change->status, "active") == 0
					 : workflow->status == WORKFLOW_ACTIVE;
	bool is_given = input->steps || input->connections;

	if (!is_given && (!change->status || !is_enabled || !workflow->form))
		return true;
	if (!(*form_r = changed_form(workflow, input, error)) ||
	    !(*design_r = translate(*form_r, is_enabled, error)))
		return false;
	if (!is_given && g_strcmp0(*design_r, workflow->design) == 0)
		return true;
	change->form = *form_r;
	change->design = *design_r;
	change->design_size = strlen(*design_r);
	return true;
}

bool
fcgi_resend_automations_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	AUTO(store_workflow) workflow = NULL;
	g_autofree char *form = NULL, *design = NULL;
	GError *local = NULL;

	if (!automations_read_input(call, &fcgi_resend_automations_body, &input, error) ||
	    !fcgi_resend_automations_find(call, &workflow, error))
		return false;
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	struct automation_workflow_change change = {
	    .name = input.name, .status = automations_status_of(input.status), .edit = &edit->edit};
	if (!change_design(workflow, &input, &change, &form, &design, error))
		return false;
	if (!automation_workflow_change(
		call->service, &call->key.workspace_id, &workflow->id, &change, &local))
		return automations_fail(local, error);
	fcgi_resend_reply_id(call, 200, OBJECT, &workflow->id, false);
	return true;
}

/* The name of a copy, cut so that it fits. The caller owns it. */
static char *
copy_name(const char *name)
{
	glong most = LIMIT_NAME_LENGTH - (glong)strlen(COPY);
	g_autofree char *beginning = g_utf8_substring(name, 0, MIN(g_utf8_strlen(name, -1), most));

	return g_strconcat(beginning, COPY, NULL);
}

bool
fcgi_resend_automations_duplicate(struct fcgi_call *call, GError **error)
{
	AUTO(store_workflow) workflow = NULL;

	if (!fcgi_resend_automations_find(call, &workflow, error))
		return false;
	g_autofree char *name = copy_name(workflow->name);
	const char *design = workflow->design ? workflow->design : NO_DESIGN;
	const struct automation_workflow_change change = {
	    name, "draft", design, strlen(design), workflow->form};
	return automations_create(call, &change, error);
}

bool
fcgi_resend_automations_stop(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	GError *local = NULL;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	if (!automation_workflow_stop(call->service, &call->key.workspace_id, &id, &local))
		return automations_fail(local, error);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	fcgi_resend_write_id(writer, "id", &id);
	json_writer_string(writer, "status", "disabled");
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_resend_automations_delete(struct fcgi_call *call, GError **error)
{
	GError *local = NULL;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	if (!automation_workflow_remove(call->service, &call->key.workspace_id, &id, &local))
		return automations_fail(local, error);
	fcgi_resend_reply_id(call, 200, OBJECT, &id, true);
	return true;
}

static void
automations_write_members(
    struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_workflow *workflow = row;
	fcgi_resend_write_id(writer, "id", &workflow->id);
	json_writer_string(writer, "name", workflow->name);
	json_writer_string(
	    writer, "status", workflow->status == WORKFLOW_ACTIVE ? "enabled" : "disabled");
	fcgi_resend_write_time(writer, "created_at", workflow->created);
	fcgi_resend_write_time(writer, "updated_at", workflow->updated);
}

bool
fcgi_resend_automations_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_workflow) workflow = NULL;
	AUTO(json_writer) writer = json_writer_new();

	if (!fcgi_resend_automations_find(call, &workflow, error))
		return false;
	g_autofree char *text = automations_form(workflow->design, workflow->form, error);
	AUTO(json) form = text ? json_parse_as("steps", text, strlen(text), error) : NULL;
	if (!form)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	automations_write_members(writer, call->service, workflow);
	json_writer_value(writer, "steps", json_member_get(form, "steps"));
	json_writer_value(writer, "connections", json_member_get(form, "connections"));
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_resend_automations_list(struct fcgi_call *call, GError **error)
{
	struct store_workflow_wanted wanted = {true, true};
	struct store_page page;
	const char *status;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !fcgi_resend_query(call, "status", &status, error))
		return false;
	if (status && *status) {
		wanted.active = strcmp(status, "enabled") == 0;
		wanted.other = strcmp(status, "disabled") == 0;
		if (!wanted.active && !wanted.other)
			return fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `status` field. status must be enabled or disabled.");
	}
	g_autoptr(GPtrArray) workflows =
	    store_workflow_page(call->service->db, &call->key.workspace_id, &page, wanted, error);
	return fcgi_resend_list(call, &page, workflows, automations_write_members);
}
