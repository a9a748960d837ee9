/* SPDX-License-Identifier: MIT */
/* Changes streams. */
#include "stream/stream.h"

#include "base/clock.h"
#include "base/error.h"

static struct json_view_value
stream_read_name(const void *row)
{
	const struct store_stream_row *stream = row;

	return (struct json_view_value){
	    VIEW_TEXT, .text = store_stream_name((enum store_stream)stream->stream)};
}

static const struct json_view_member members[] = {
    {"name", VIEW_MADE, .read = stream_read_name},
    JSON_VIEW_MEMBER("paused", VIEW_TRUTH, struct store_stream_row, paused),
    JSON_VIEW_MEMBER("per_hour", VIEW_INTEGER, struct store_stream_row, per_hour),
    JSON_VIEW_MEMBER("reason", VIEW_TEXT, struct store_stream_row, reason),
    JSON_VIEW_MEMBER("changed", VIEW_TIME, struct store_stream_row, changed),
    JSON_VIEW_MEMBER("waiting", VIEW_INTEGER, struct store_stream_row, waiting),
};
const struct json_view stream_view = JSON_VIEW(members);

struct store_stream_row *
stream_change(struct db *db, const struct base_id *workspace, const char *name,
    const struct store_stream_change *change, GError **error)
{
	enum store_stream stream = store_stream_find(name);
	struct store_stream_change wish = *change;

	if (!stream) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Stream not found");
		return NULL;
	}
	if (wish.reason && !*wish.reason)
		wish.reason = NULL;
	if ((wish.paused || wish.per_hour || wish.has_reason) &&
	    !store_stream_change(db, workspace, stream, &wish, base_clock_now(), error))
		return NULL;
	g_autoptr(GPtrArray) streams = store_stream_list(db, workspace, error);
	return streams ? g_ptr_array_steal_index(streams, stream - 1) : NULL;
}
