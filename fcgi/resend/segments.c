/* SPDX-License-Identifier: MIT */
/* Segments under /resend, which are audiences: create, list, read, rename and remove them. */
#include "fcgi/resend/handlers.h"

#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "fcgi/call.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/front.h"
#include "json/fields.h"
#include "json/writer.h"
#include "store/audience.h"

#define OBJECT "segment"

struct input {
	const char *name;
};

static const struct json_field fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct input, name, .required = true, .min = 1,
	.max = LIMIT_NAME_LENGTH),
};

const struct json_table fcgi_resend_segments_body = JSON_TABLE(fields);

bool
fcgi_resend_segments_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	return fcgi_resend_id(call, 0, id_r, error);
}

/* Whether the audience is missing, and not the contact in it. */
static bool
is_missing(const GError *failure)
{
	return g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND) &&
	       g_str_has_prefix(failure->message, "Audience");
}

bool
fcgi_resend_segments_fail(const struct fcgi_call *call, GError *failure, GError **error)
{
	bool is_segment = g_str_has_prefix(call->route->pattern, "/segments");

	if (!is_missing(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_error_free(failure);
	return fcgi_resend_missing(error, is_segment ? "Segment" : "Audience");
}

bool
fcgi_resend_segments_post(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct input input = {0};
	struct base_id id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_segments_body, &input, error) ||
	    !store_audience_create(call->core->db, &call->key.workspace_id, &call->key.user_id,
		input.name, &id, error))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	fcgi_resend_write_id(writer, "id", &id);
	json_writer_string(writer, "name", input.name);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 201, writer);
	return true;
}

static void
write_members(struct json_writer *writer, const struct core *core, const void *row)
{
	const struct store_audience *audience = row;
	fcgi_resend_write_id(writer, "id", &audience->id);
	json_writer_string(writer, "name", audience->name);
	fcgi_resend_write_time(writer, "created_at", audience->created);
}

bool
fcgi_resend_segments_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error))
		return false;
	g_autoptr(GPtrArray) audiences =
	    store_audience_page(call->core->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, audiences, write_members);
}

bool
fcgi_resend_segments_get(struct fcgi_call *call, GError **error)
{
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_segments_id(call, &id, error))
		return false;
	AUTO(store_audience) audience =
	    store_audience_get(call->core->db, &call->key.workspace_id, &id, &failure);
	if (!audience)
		return fcgi_resend_segments_fail(call, failure, error);
	return fcgi_resend_reply_row(call, OBJECT, write_members, audience);
}

bool
fcgi_resend_segments_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_segments_id(call, &id, error) ||
	    !fcgi_resend_read(call->json, &fcgi_resend_segments_body, &input, error))
		return false;
	if (!store_audience_rename(
		call->core->db, &call->key.workspace_id, &id, input.name, &failure))
		return fcgi_resend_segments_fail(call, failure, error);
	fcgi_resend_reply_id(call, 200, OBJECT, &id, false);
	return true;
}

/* One that is not there is removed, too. */
bool
fcgi_resend_segments_delete(struct fcgi_call *call, GError **error)
{
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_segments_id(call, &id, error))
		return false;
	if (!store_audience_remove(call->core->db, &call->key.workspace_id, &id, &failure) &&
	    !is_missing(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_clear_error(&failure);
	fcgi_resend_reply_id(call, 200, OBJECT, &id, true);
	return true;
}
