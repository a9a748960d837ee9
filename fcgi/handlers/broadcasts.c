/* SPDX-License-Identifier: MIT */
/* Broadcasts: create, list, read, change and delete drafts, send them, and move them on
   (/v1/broadcasts). */
#include "fcgi/handlers/handlers.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "broadcast/draft.h"
#include "core/core.h"
#include "fcgi/call.h"
#include "json/writer.h"
#include "store/broadcast_list.h"

/* The id in the path. One that is no id is all zero, which no broadcast has. */
static struct base_id
id_of(const struct fcgi_call *call)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[0], &id);
	return id;
}

static void
write_texts(struct json_writer *writer, const char *key, const char *const *texts)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; texts && texts[i]; i++)
		json_writer_string(writer, NULL, texts[i]);
	json_writer_end_array(writer);
}

static void
write_variants(struct json_writer *writer, const GArray *variants, bool brief)
{
	json_writer_begin_array(writer, "variants");
	for (guint i = 0; variants && i < variants->len; i++) {
		const struct broadcast_variant *variant =
		    &g_array_index(variants, struct broadcast_variant, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "subject", variant->subject);
		if (!brief) {
			json_writer_string(writer, "html", variant->html);
			json_writer_string(writer, "text", variant->text);
		}
		json_writer_string(writer, "template_id", variant->template_id);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* An object that was given, or {}. */
static void
write_object(struct json_writer *writer, const char *key, const struct json *object)
{
	if (object)
		json_writer_value(writer, key, object);
	else
		json_writer_raw(writer, key, "{}", 2);
}

static void
write_content(struct json_writer *writer, const struct broadcast_content *content, bool brief)
{
	json_writer_string(writer, "name", broadcast_name(content));
	json_writer_string(writer, "from", content->from);
	write_texts(writer, "reply_to", (const char *const *)content->reply_to);
	json_writer_string(writer, "subject", content->subject);
	if (!brief) {
		json_writer_string(writer, "html", content->html);
		json_writer_string(writer, "text", content->text);
	}
	json_writer_string(writer, "template_id", content->template_id);
	json_writer_string(writer, "topic_id", content->topic_id);
	write_texts(writer, "audiences", (const char *const *)content->audiences);
	write_texts(writer, "segments", (const char *const *)content->segments);
	write_texts(writer, "exclude_segments", (const char *const *)content->exclude_segments);
	json_writer_value(writer, "utm", content->utm);
	write_object(writer, "tags", content->tags);
	write_variants(writer, content->variants, brief);
	json_writer_integer(writer, "test_share", content->test_share);
	json_writer_string(writer, "winner_by", content->winner_by);
	json_writer_integer(writer, "decide_after", content->decide_after);
}

static void
write_counts(struct json_writer *writer, const struct store_broadcast_counts *counts)
{
	json_writer_begin_object(writer, "counts");
	json_writer_integer(writer, "recipients", counts->recipients);
	json_writer_integer(writer, "excluded", counts->excluded);
	json_writer_integer(writer, "pending",
	    counts->recipients - counts->sent - counts->skipped - counts->failed -
		counts->cancelled);
	json_writer_integer(writer, "sent", counts->sent);
	json_writer_integer(writer, "skipped", counts->skipped);
	json_writer_integer(writer, "failed", counts->failed);
	json_writer_integer(writer, "cancelled", counts->cancelled);
	json_writer_end_object(writer);
}

static void
write_state(struct json_writer *writer, const struct store_broadcast *broadcast)
{
	json_writer_string(writer, "status", store_broadcast_status_name(broadcast->status));
	json_writer_string(writer, "pause_reason", store_broadcast_pause_name(broadcast->pause));
	json_writer_string(writer, "error", broadcast->error);
	if (broadcast->winner >= 0)
		json_writer_integer(writer, "winner", broadcast->winner);
	else
		json_writer_null(writer, "winner");
	fcgi_write_time(writer, "scheduled_at", broadcast->scheduled_at);
	json_writer_string(writer, "local_time", broadcast->local_time);
	json_writer_string(writer, "time_zone", broadcast->time_zone);
	json_writer_integer(writer, "spread", broadcast->spread);
	fcgi_write_time(writer, "started_at", broadcast->started_at);
	fcgi_write_time(writer, "completed_at", broadcast->completed_at);
	json_writer_integer(writer, "created", broadcast->created);
	json_writer_integer(writer, "updated", broadcast->updated);
	write_counts(writer, &broadcast->counts);
}

/* Writes a broadcast, brief without html and text. A content that cannot be read is left out. */
static void
write_broadcast(struct json_writer *writer, const struct store_broadcast *broadcast, bool brief)
{
	struct broadcast_content content = {0};
	char id[ID_TEXT_SIZE];
	AUTO(json) document = broadcast_read(broadcast->content, &content, NULL);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&broadcast->id, id));
	write_content(writer, &content, brief);
	write_state(writer, broadcast);
	json_writer_end_object(writer);
	broadcast_clear(&content);
}

static void
write_whole(struct json_writer *writer, const struct core *core, const void *row)
{
	write_broadcast(writer, row, false);
}

static void
write_row(struct json_writer *writer, const struct core *core, const void *row)
{
	write_broadcast(writer, row, true);
}

/* Replies with the broadcast as it is now, after what was done; not if that failed. */
static bool
reply_now(struct fcgi_call *call, bool done, const struct base_id *id, GError **error)
{
	if (!done)
		return false;
	AUTO(store_broadcast) broadcast =
	    store_broadcast_get(call->core->db, &call->key.workspace_id, id, error);
	return fcgi_page_reply_row(call, write_whole, broadcast);
}

bool
fcgi_broadcasts_post(struct fcgi_call *call, GError **error)
{
	struct base_id id;
	bool done = broadcast_create(call->core, &call->key.workspace_id, call->json, &id, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) broadcasts = store_broadcast_list(
	    call->core->db, &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"broadcasts", broadcasts, LIMIT_PAGE, false,
		offsetof(struct store_broadcast, id), .write = write_row},
	    error);
}

bool
fcgi_broadcasts_get(struct fcgi_call *call, GError **error)
{
	struct base_id id = id_of(call);

	return reply_now(call, true, &id, error);
}

bool
fcgi_broadcasts_patch(struct fcgi_call *call, GError **error)
{
	struct base_id id = id_of(call);
	bool done = broadcast_change(call->core, &call->key.workspace_id, &id, call->json, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id = id_of(call);

	if (!broadcast_remove(call->core, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Broadcast deleted");
	return true;
}

/* clang-format off */
static const struct json_field time_fields[] = {
	JSON_FIELD("scheduled_at", FIELD_TIME, struct broadcast_time, scheduled_at),
	JSON_FIELD("local_time", FIELD_STRING, struct broadcast_time, local_time),
	JSON_FIELD("time_zone", FIELD_STRING, struct broadcast_time, time_zone),
	JSON_FIELD("spread", FIELD_INTEGER, struct broadcast_time, spread, .max = LIMIT_BROADCAST_SPREAD_MS),
};
/* clang-format on */

const struct json_table fcgi_broadcasts_time = {
    time_fields, G_N_ELEMENTS(time_fields), .optional = true};

bool
fcgi_broadcasts_send(struct fcgi_call *call, GError **error)
{
	struct broadcast_time time = {0};
	struct base_id id = id_of(call);
	bool done =
	    json_fields_read(call->json, time_fields, G_N_ELEMENTS(time_fields), &time, error) &&
	    broadcast_send(call->core, &call->key.workspace_id, &id, &time, error);

	return reply_now(call, done, &id, error);
}

struct winner_input {
	gint64 variant;
};

/* clang-format off */
static const struct json_field winner_fields[] = {
	JSON_FIELD("variant", FIELD_INTEGER, struct winner_input, variant, .required = true),
};
/* clang-format on */

const struct json_table fcgi_broadcasts_winner_body = JSON_TABLE(winner_fields);

bool
fcgi_broadcasts_winner(struct fcgi_call *call, GError **error)
{
	struct winner_input input = {0};
	struct base_id id = id_of(call);
	bool done =
	    json_fields_read(
		call->json, winner_fields, G_N_ELEMENTS(winner_fields), &input, error) &&
	    broadcast_decide(call->core, &call->key.workspace_id, &id, input.variant, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_duplicate(struct fcgi_call *call, GError **error)
{
	struct base_id id = id_of(call), copy;
	bool done = broadcast_duplicate(call->core, &call->key.workspace_id, &id, &copy, error);

	return reply_now(call, done, &copy, error);
}

/* An operation that takes nothing but the broadcast. */
static bool
act(struct fcgi_call *call,
    bool (*operation)(struct core *, const struct base_id *, const struct base_id *, GError **),
    GError **error)
{
	struct base_id id = id_of(call);
	bool done = operation(call->core, &call->key.workspace_id, &id, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_unschedule(struct fcgi_call *call, GError **error)
{
	return act(call, broadcast_unschedule, error);
}

bool
fcgi_broadcasts_pause(struct fcgi_call *call, GError **error)
{
	return act(call, broadcast_pause, error);
}

bool
fcgi_broadcasts_resume(struct fcgi_call *call, GError **error)
{
	return act(call, broadcast_resume, error);
}

bool
fcgi_broadcasts_cancel(struct fcgi_call *call, GError **error)
{
	return act(call, broadcast_cancel, error);
}

/* Reads the filter "status". *status_r is NULL when there is none. */
static bool
read_status(struct fcgi_call *call, const char **status_r, GError **error)
{
	if (!fcgi_request_query(call->request, "status", status_r, error))
		return false;
	if (!*status_r || !**status_r) {
		*status_r = NULL;
		return true;
	}
	if (g_strv_contains(store_broadcast_statuses, *status_r))
		return true;
	g_autofree char *all = g_strjoinv(", ", (char **)store_broadcast_statuses);
	return base_invalid(error, "status must be one of %s", all);
}

static void
write_recipient(struct json_writer *writer, const struct store_broadcast_row *row)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "email", row->email);
	json_writer_string(writer, "status", row->status);
	json_writer_string(writer, "reason", row->reason);
	if (row->variant >= 0)
		json_writer_integer(writer, "variant", row->variant);
	else
		json_writer_null(writer, "variant");
	fcgi_write_time(writer, "due", row->due);
	fcgi_write_time(writer, "sent_at", row->sent);
	fcgi_write_time(writer, "opened_at", row->opened);
	fcgi_write_time(writer, "clicked_at", row->clicked);
	json_writer_end_object(writer);
}

bool
fcgi_broadcasts_recipients(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id = id_of(call), after, cursor;
	const char *status;
	bool given, more;

	if (!fcgi_page_cursor(call, true, &after, &given, error) ||
	    !read_status(call, &status, error))
		return false;
	AUTO(store_broadcast)
	broadcast = store_broadcast_get(call->core->db, &call->key.workspace_id, &id, error);
	g_autoptr(GPtrArray) rows =
	    broadcast ? store_broadcast_rows(call->core->db, broadcast, status,
			    given ? &after : NULL, LIMIT_PAGE, &cursor, &more, error)
		      : NULL;
	if (!rows)
		return false;
	fcgi_page_begin(writer, "recipients");
	for (guint i = 0; i < rows->len; i++)
		write_recipient(writer, rows->pdata[i]);
	fcgi_page_end(call, writer, true, rows->len, more ? &cursor : NULL);
	return true;
}
