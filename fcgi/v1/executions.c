/* SPDX-License-Identifier: MIT */
/* Executions of workflows, and the emails that they sent. */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "automation/execution.h"
#include "automation/execution_view.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"

bool
fcgi_executions_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_execution_missing(error);
	AUTO(store_execution) execution =
	    store_execution_get(call->service->db, &call->key.workspace_id, &id, error);
	return fcgi_page_reply_view(call, &automation_execution_view, execution);
}

bool
fcgi_executions_cancel(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_execution_missing(error);
	if (!automation_execution_cancel(call->service, workspace, &id, error))
		return false;
	AUTO(store_execution) execution =
	    store_execution_get(call->service->db, workspace, &id, error);
	return fcgi_page_reply_view(call, &automation_execution_view, execution);
}

static bool
executions_read_status(
    struct fcgi_call *call, enum store_execution_status *status_r, GError **error)
{
	const char *text;

	*status_r = 0;
	if (!fcgi_request_query(call->request, "status", &text, error))
		return false;
	if (!text || !*text)
		return true;
	for (guint i = 0; store_execution_statuses[i]; i++)
		if (strcmp(store_execution_statuses[i], text) == 0)
			*status_r = (enum store_execution_status)(i + 1);
	if (*status_r)
		return true;
	g_autofree char *all = g_strjoinv(", ", (char **)store_execution_statuses);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "status must be one of %s", all);
	return false;
}

/* Reads cursor and status. The filter borrows *before. */
static bool
executions_read_filter(struct fcgi_call *call, struct store_execution_filter *filter,
    struct base_id *before, GError **error)
{
	bool given;

	if (!fcgi_page_cursor(call, true, before, &given, error) ||
	    !executions_read_status(call, &filter->status, error))
		return false;
	filter->before = given ? before : NULL;
	return true;
}

static bool
executions_reply_page(
    struct fcgi_call *call, const struct store_execution_filter *filter, GError **error)
{
	g_autoptr(GPtrArray) executions = store_execution_list(
	    call->service->db, &call->key.workspace_id, filter, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"executions", executions, LIMIT_PAGE, true,
		offsetof(struct store_execution, id), .view = &automation_execution_list},
	    error);
}

bool
fcgi_executions_list_of_workflow(struct fcgi_call *call, GError **error)
{
	struct base_id workflow, before;
	struct store_execution_filter filter = {.workflow_id = &workflow};

	if (!executions_read_filter(call, &filter, &before, error))
		return false;
	if (!base_id_parse(call->arguments[0], &workflow))
		return store_workflow_missing(error);
	return store_workflow_check(call->service->db, &call->key.workspace_id, &workflow, error) &&
	       executions_reply_page(call, &filter, error);
}

bool
fcgi_executions_list_of_contact(struct fcgi_call *call, GError **error)
{
	struct base_id contact, before;
	struct store_execution_filter filter = {.contact_id = &contact};

	return executions_read_filter(call, &filter, &before, error) &&
	       fcgi_automation_contacts_find(call, &contact, error) &&
	       executions_reply_page(call, &filter, error);
}

static void
executions_write_events(struct json_writer *writer, const GArray *events)
{
	json_writer_begin_array(writer, "events");
	for (guint i = 0; i < events->len; i++) {
		const struct store_execution_email_event *event =
		    &g_array_index(events, struct store_execution_email_event, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "status", store_event_name(event->status));
		json_writer_integer(writer, "timestamp", event->timestamp);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
executions_write_email(
    struct json_writer *writer, const struct store_execution_email *email, bool recipient)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "email_id", base_id_format(&email->email_id, id));
	json_writer_string(writer, "subject", email->subject);
	if (recipient)
		json_writer_string(writer, "recipient", email->recipient);
	json_writer_integer(writer, "created_at", email->created);
	json_writer_integer(writer, "updated_at", email->updated);
	executions_write_events(writer, email->events);
	json_writer_string(writer, "workflow_id", base_id_format(&email->workflow_id, id));
	json_writer_string(writer, "execution_id", base_id_format(&email->execution_id, id));
	json_writer_end_object(writer);
}

static void
write_email_of_workflow(struct json_writer *writer, const struct service *service, const void *row)
{
	executions_write_email(writer, row, true);
}

static bool
reply_emails(struct fcgi_call *call, const struct base_id *workflow, const struct base_id *before,
    GError **error)
{
	g_autoptr(GPtrArray) emails = store_execution_email_list(
	    call->service->db, &call->key.workspace_id, workflow, before, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"emails", emails, LIMIT_PAGE, true,
		offsetof(struct store_execution_email, email_id), .write = write_email_of_workflow},
	    error);
}

bool
fcgi_execution_emails_list_of_workflow(struct fcgi_call *call, GError **error)
{
	struct base_id workflow, before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	if (!base_id_parse(call->arguments[0], &workflow))
		return store_workflow_missing(error);
	return store_workflow_check(call->service->db, &call->key.workspace_id, &workflow, error) &&
	       reply_emails(call, &workflow, given ? &before : NULL, error);
}

bool
fcgi_execution_emails_list(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	const struct base_id *workspace = &call->key.workspace_id;
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_execution_missing(error);
	AUTO(store_execution) execution =
	    store_execution_get(call->service->db, workspace, &id, error);
	if (!execution)
		return false;
	g_autoptr(GPtrArray) emails =
	    store_execution_email_of(call->service->db, workspace, &id, error);
	if (!emails)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "emails");
	for (guint i = 0; i < emails->len; i++)
		executions_write_email(writer, emails->pdata[i], false);
	json_writer_end_array(writer);
	json_writer_integer(writer, "count", emails->len);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
