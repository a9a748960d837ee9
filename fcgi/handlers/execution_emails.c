/* SPDX-License-Identifier: MIT */
/* The emails that workflows sent. */
#include "fcgi/handlers/execution_emails.h"

#include "base/limits.h"
#include "core/core.h"
#include "fcgi/call.h"
#include "fcgi/handlers/page.h"
#include "json/writer.h"
#include "store/execution.h"
#include "store/execution_email.h"
#include "store/workflow.h"

static void
write_events(struct json_writer *writer, const GArray *events)
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
write_email(struct json_writer *writer, const struct store_execution_email *email, bool recipient)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "email_id", base_id_format(&email->email_id, id));
	json_writer_string(writer, "subject", email->subject);
	if (recipient)
		json_writer_string(writer, "recipient", email->recipient);
	json_writer_integer(writer, "created_at", email->created);
	json_writer_integer(writer, "updated_at", email->updated);
	write_events(writer, email->events);
	json_writer_string(writer, "workflow_id", base_id_format(&email->workflow_id, id));
	json_writer_string(writer, "execution_id", base_id_format(&email->execution_id, id));
	json_writer_end_object(writer);
}

static bool
reply_page(struct fcgi_call *call, const struct base_id *workflow, const struct base_id *before,
    GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autoptr(GPtrArray) emails = store_execution_email_list(
	    call->core->db, &call->key.workspace_id, workflow, before, LIMIT_PAGE + 1, error);

	if (!emails)
		return false;
	guint count = MIN(emails->len, LIMIT_PAGE);
	fcgi_page_begin(writer, "emails");
	for (guint i = 0; i < count; i++)
		write_email(writer, emails->pdata[i], true);
	fcgi_page_end(call, writer, true, count,
	    emails->len > count
		? &((const struct store_execution_email *)emails->pdata[count - 1])->email_id
		: NULL);
	return true;
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
	return store_workflow_check(call->core->db, &call->key.workspace_id, &workflow, error) &&
	       reply_page(call, &workflow, given ? &before : NULL, error);
}

bool
fcgi_execution_emails_list(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	const struct base_id *workspace = &call->key.workspace_id;
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_execution_missing(error);
	AUTO(store_execution)
	execution = store_execution_get(call->core->db, workspace, &id, error);
	if (!execution)
		return false;
	g_autoptr(GPtrArray) emails =
	    store_execution_email_of(call->core->db, workspace, &id, error);
	if (!emails)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "emails");
	for (guint i = 0; i < emails->len; i++)
		write_email(writer, emails->pdata[i], false);
	json_writer_end_array(writer);
	json_writer_integer(writer, "count", emails->len);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
