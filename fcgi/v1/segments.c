/* SPDX-License-Identifier: MIT */
/* Segments: rules that choose people (/v1/segments). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/view.h"
#include "segment/rules.h"
#include "segment/segment.h"
#include "segment/turn.h"
#include "service/service.h"
#include "store/person/people.h"

struct input {
	const char *name;
	const struct json *rules;
};

/* clang-format off */
#define RULES(...) JSON_FIELD("rules", FIELD_OBJECT, struct input, rules, SEGMENT_RULES_BELOW, __VA_ARGS__)
static const struct json_field fields[] = {FIELDS_NEW_SEGMENT(struct input), RULES(.required = true)};
static const struct json_field change_fields[] = {FIELDS_SEGMENT_CHANGE(struct input), RULES()};
static const struct json_field preview_fields[] = {
	RULES(.required = true),
};
static const struct json_field freeze_fields[] = {FIELDS_SEGMENT_NAME(struct input)};
/* clang-format on */

const struct json_table fcgi_segments_body = JSON_TABLE(fields);
const struct json_table fcgi_segments_change = JSON_TABLE(change_fields);
const struct json_table fcgi_segments_preview_body = JSON_TABLE(preview_fields);
const struct json_table fcgi_segments_freeze_body = JSON_TABLE(freeze_fields);

static bool
segments_read_input(
    struct fcgi_call *call, const struct json_table *table, struct input *input, GError **error)
{
	return json_fields_read(call->json, table->fields, table->count, input, error);
}

/* Replies with a segment. False when it is NULL; error is set then. */
static bool
segments_reply(struct fcgi_call *call, const struct store_segment *segment)
{
	if (!fcgi_page_reply_view(call, &segment_view, segment))
		return false;
	fcgi_edit_tag_time(call->reply, segment->updated);
	return true;
}

bool
fcgi_segments_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!segments_read_input(call, &fcgi_segments_body, &input, error))
		return false;
	g_autofree char *rules = json_print(input.rules);
	AUTO(store_segment) segment =
	    segment_create(call->service, &call->key.workspace_id, input.name, rules, error);
	return segments_reply(call, segment);
}

bool
fcgi_segments_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) segments = store_segment_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"segments", segments, LIMIT_PAGE, true,
		offsetof(struct store_segment, id), .view = &segment_view},
	    error);
}

/* The segment of the path. The caller frees it. */
static struct store_segment *
segments_find(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (base_id_parse(call->arguments[0], &id))
		return store_segment_get(call->service->db, &call->key.workspace_id, &id, error);
	store_segment_missing(error);
	return NULL;
}

bool
fcgi_segments_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_segment) segment = segments_find(call, error);

	return segments_reply(call, segment);
}

bool
fcgi_segments_patch(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_read(call, error);
	struct input input = {0};
	struct base_id id = {{0}}; /* no segment has it */

	if (!edit || !segments_read_input(call, &fcgi_segments_change, &input, error))
		return false;
	base_id_parse(call->arguments[0], &id);
	g_autofree char *rules = input.rules ? json_print(input.rules) : NULL;
	const struct segment_edit change = {input.name, rules, &edit->edit};
	AUTO(store_segment) segment =
	    segment_change(call->service, &call->key.workspace_id, &id, &change, error);
	return segments_reply(call, segment);
}

bool
fcgi_segments_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_segment_missing(error);
	if (!store_segment_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Segment deleted");
	return true;
}

/* A number that was cut off says nothing. */
static void
write_count(struct json_writer *writer, const struct segment_count *count)
{
	if (count->is_cut_off) {
		json_writer_null(writer, "count");
		json_writer_null(writer, "reachable");
		return;
	}
	json_writer_integer(writer, "count", (gint64)count->people);
	json_writer_integer(writer, "reachable", (gint64)count->reachable);
}

bool
fcgi_segments_count(struct fcgi_call *call, GError **error)
{
	AUTO(store_segment) segment = segments_find(call, error);
	AUTO(segment_turn)
	turn = segment ? segment_turn_take(call->service, &call->key.workspace_id, error) : NULL;
	AUTO(json_writer) writer = json_writer_new();
	struct segment_count count;

	if (!turn || !segment_count(call->service, segment, turn, &count, error))
		return false;
	json_writer_begin_object(writer, NULL);
	write_count(writer, &count);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

/* Writes the people with these ids into the array that the writer has begun. *count_r: their
   number, without those that have just been removed. */
static bool
write_people(struct fcgi_call *call, struct json_writer *writer, const GArray *ids, guint *count_r,
    GError **error)
{
	g_autoptr(GPtrArray) people = store_people_of(call->service->db, &call->key.workspace_id,
	    (const struct base_id *)(void *)ids->data, ids->len, error);

	if (!people)
		return false;
	*count_r = people->len;
	return person_view_write_rows(call->service, people, people->len, writer, error);
}

bool
fcgi_segments_people(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id after, cursor;
	bool given, more;
	guint count;

	if (!fcgi_page_cursor(call, true, &after, &given, error))
		return false;
	AUTO(store_segment) segment = segments_find(call, error);
	if (!segment)
		return false;
	g_autoptr(GArray) ids = segment_people(call->service, segment,
	    &(struct segment_page){given ? &after : NULL, LIMIT_PAGE, LIMIT_LOOK_NS}, &cursor,
	    &more, error);
	if (!ids)
		return false;
	fcgi_page_begin(writer, "people");
	if (!write_people(call, writer, ids, &count, error))
		return false;
	fcgi_page_end(call, writer, true, count, more ? &cursor : NULL);
	return true;
}

bool
fcgi_segments_preview(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct input input = {0};
	struct segment_count count;
	guint shown;

	if (!segments_read_input(call, &fcgi_segments_preview_body, &input, error))
		return false;
	g_autofree char *rules = json_print(input.rules);
	g_autoptr(GArray) ids =
	    segment_preview(call->service, &call->key.workspace_id, rules, &count, error);
	if (!ids)
		return false;
	json_writer_begin_object(writer, NULL);
	write_count(writer, &count);
	if (count.is_cut_off)
		json_writer_boolean(writer, "more", true);
	json_writer_begin_array(writer, "people");
	if (!write_people(call, writer, ids, &shown, error))
		return false;
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_segments_freeze(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!segments_read_input(call, &fcgi_segments_freeze_body, &input, error))
		return false;
	AUTO(store_segment) segment = segments_find(call, error);
	AUTO(store_segment) frozen =
	    segment ? segment_freeze(call->service, segment, input.name, error) : NULL;
	return segments_reply(call, frozen);
}
