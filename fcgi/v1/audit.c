/* SPDX-License-Identifier: MIT */
/* The audit: the changes, and who made them (/v1/audit). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/workspace/audit.h"

static void
write_actor(struct json_writer *writer, const struct store_audit_row *row)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, "actor");
	json_writer_string(writer, "type", store_audit_actor_name(row->actor));
	json_writer_string(
	    writer, "id", row->has_actor ? base_id_format(&row->actor_id, id) : NULL);
	json_writer_string(writer, "name", row->actor_name);
	json_writer_end_object(writer);
}

static void
audit_write_row(struct json_writer *writer, const struct service *service, const void *data)
{
	const struct store_audit_row *row = data;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&row->id, id));
	json_writer_integer(writer, "timestamp", base_id_time(&row->id));
	write_actor(writer, row);
	json_writer_string(writer, "action", row->action);
	json_writer_begin_object(writer, "target");
	json_writer_string(writer, "type", row->target_type);
	json_writer_string(writer, "id", row->target_id);
	json_writer_string(writer, "name", row->target_name);
	json_writer_end_object(writer);
	json_writer_string(writer, "address", row->address);
	json_writer_string(writer, "request_id", row->request_id);
	json_writer_end_object(writer);
}

bool
fcgi_audit_list(struct fcgi_call *call, GError **error)
{
	const char *action, *actor;
	struct base_id before, actor_id = {{0}};
	bool given;

	if (!fcgi_request_query(call->request, "action", &action, error) ||
	    !fcgi_request_query(call->request, "actor", &actor, error) ||
	    !fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	/* An id that is none is all zero, which no actor has. */
	if (actor)
		base_id_parse(actor, &actor_id);
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	const char *known = action && !g_str_is_ascii(action) ? "" : action;
	g_autoptr(GPtrArray) rows = store_audit_page(call->service->db, &call->key.workspace_id,
	    &(struct store_audit_search){
		known, actor ? &actor_id : NULL, given ? &before : NULL, LIMIT_PAGE + 1},
	    error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"audit", rows, LIMIT_PAGE, true,
		offsetof(struct store_audit_row, id), .write = audit_write_row},
	    error);
}
