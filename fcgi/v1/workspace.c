/* SPDX-License-Identifier: MIT */
/* The workspace of the client: read and change it (/v1/workspace). */
#include "fcgi/v1/handlers.h"

#include "api/fields.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "service/workspace.h"
#include "store/workspace/workspace.h"

struct change {
	const char *name, *sender;
};

static const struct json_field fields[] = {FIELDS_WORKSPACE_CHANGE(struct change)};

const struct json_table fcgi_workspace_change = JSON_TABLE(fields);

static void
workspace_write_limits(struct json_writer *writer, const struct service_workspace *workspace)
{
	json_writer_begin_array(writer, "limits");
	for (guint i = 0; i < STORE_LIMIT_COUNT; i++) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(
		    writer, "name", config_settings_describe(STORE_LIMIT_FIRST + i)->key);
		json_writer_integer(writer, "value", workspace->limits.values[i]);
		if (workspace->used[i] >= 0)
			json_writer_integer(writer, "used", workspace->used[i]);
		else
			json_writer_null(writer, "used");
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

bool
fcgi_workspace_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE];
	AUTO(service_workspace) found =
	    service_workspace_get(call->service, &call->key.workspace_id, error);

	if (!found)
		return false;
	const struct store_workspace *workspace = found->workspace;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&workspace->id, id));
	json_writer_string(writer, "name", workspace->name);
	json_writer_string(writer, "default_sender", workspace->default_sender);
	json_writer_integer(writer, "created", workspace->created);
	workspace_write_limits(writer, found);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_workspace_patch(struct fcgi_call *call, GError **error)
{
	struct change change = {NULL};

	return json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &change, error) &&
	       service_workspace_change(
		   call->service, &call->key.workspace_id, change.name, change.sender, error) &&
	       fcgi_workspace_get(call, error);
}
