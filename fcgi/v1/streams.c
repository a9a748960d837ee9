/* SPDX-License-Identifier: MIT */
/* Streams of a workspace's mail (/v1/streams). */
#include "fcgi/v1/handlers.h"

#include "api/fields.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/value.h"
#include "service/service.h"
#include "stream/stream.h"

struct input {
	const struct json *paused; /* NULL: null, or not given */
	gint64 per_hour;	   /* -1: not given */
	const char *reason;
	bool reason_given;
};

static const struct json_field fields[] = {FIELDS_STREAM_CHANGE(struct input)};

const struct json_table fcgi_streams_change = JSON_TABLE(fields);

bool
fcgi_streams_list(struct fcgi_call *call, GError **error)
{
	if (!fcgi_page_whole(call, error))
		return false;
	g_autoptr(GPtrArray) streams =
	    store_stream_list(call->service->db, &call->key.workspace_id, error);

	return fcgi_page_reply(call,
	    &(struct fcgi_page){"streams", streams, STORE_STREAMS, .view = &stream_view}, error);
}

bool
fcgi_streams_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {.per_hour = -1};

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error))
		return false;
	bool paused = input.paused && json_boolean(input.paused);
	const struct store_stream_change change = {input.paused ? &paused : NULL,
	    input.per_hour >= 0 ? &input.per_hour : NULL, input.reason_given, input.reason};
	AUTO(store_stream_row)
	row = stream_change(
	    call->service->db, &call->key.workspace_id, call->arguments[0], &change, error);
	return fcgi_page_reply_view(call, &stream_view, row);
}
