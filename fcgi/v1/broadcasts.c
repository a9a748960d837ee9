/* SPDX-License-Identifier: MIT */
/* Broadcasts: create, list, read, change and delete drafts, send them, and move them on
   (/v1/broadcasts). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "broadcast/draft.h"
#include "broadcast/schedule.h"
#include "broadcast/state.h"
#include "broadcast/view.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/broadcast/list.h"

/* The id in the path. One that is no id is all zero, which no broadcast has. */
static struct base_id
broadcasts_id_of(const struct fcgi_call *call)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[0], &id);
	return id;
}

static void
broadcasts_write_whole(struct json_writer *writer, const struct service *service, const void *row)
{
	broadcast_view_write(writer, row, false);
}

static void
v1_broadcasts_write_row(struct json_writer *writer, const struct service *service, const void *row)
{
	broadcast_view_write(writer, row, true);
}

/* Replies with the broadcast as it is now, after what was done; not if that failed. */
static bool
reply_now(struct fcgi_call *call, bool done, const struct base_id *id, GError **error)
{
	if (!done)
		return false;
	AUTO(store_broadcast) broadcast =
	    store_broadcast_get(call->service->db, &call->key.workspace_id, id, error);
	if (!fcgi_page_reply_row(call, broadcasts_write_whole, broadcast))
		return false;
	fcgi_edit_tag_time(call->reply, broadcast->updated);
	return true;
}

bool
fcgi_broadcasts_post(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	const struct broadcast_origin origin = {false, &edit->edit};
	struct base_id id;
	bool done = broadcast_check_body(call->json, error) &&
		    broadcast_create(
			call->service, &call->key.workspace_id, call->json, &origin, &id, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) broadcasts = store_broadcast_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"broadcasts", broadcasts, LIMIT_PAGE, true,
		offsetof(struct store_broadcast, id), .write = v1_broadcasts_write_row},
	    error);
}

bool
fcgi_broadcasts_get(struct fcgi_call *call, GError **error)
{
	struct base_id id = broadcasts_id_of(call);

	return reply_now(call, true, &id, error);
}

bool
fcgi_broadcasts_patch(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_read(call, error);
	struct base_id id = broadcasts_id_of(call);
	bool done = edit && broadcast_check_body(call->json, error) &&
		    broadcast_change(call->service, &call->key.workspace_id, &id, call->json,
			&edit->edit, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id = broadcasts_id_of(call);

	if (!broadcast_remove(call->service, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Broadcast deleted");
	return true;
}

#define NO_TIME G_MAXINT64 /* scheduled_at where the request gives none */

static const struct json_field time_fields[] = {FIELDS_BROADCAST_TIME(struct broadcast_time)};

const struct json_table fcgi_broadcasts_time = {
    time_fields, G_N_ELEMENTS(time_fields), .optional = true};

bool
fcgi_broadcasts_send(struct fcgi_call *call, GError **error)
{
	struct broadcast_time time = {.scheduled_at = NO_TIME};
	struct base_id id = broadcasts_id_of(call);

	if (!json_fields_read(call->json, time_fields, G_N_ELEMENTS(time_fields), &time, error))
		return false;
	time.scheduled_at =
	    time.scheduled_at == NO_TIME ? 0 : broadcast_time_given(time.scheduled_at);
	bool done = broadcast_send(call->service, &call->key.workspace_id, &id, &time, error);
	return reply_now(call, done, &id, error);
}

struct winner_input {
	gint64 variant;
};

static const struct json_field winner_fields[] = {FIELDS_BROADCAST_WINNER(struct winner_input)};

const struct json_table fcgi_broadcasts_winner_body = JSON_TABLE(winner_fields);

bool
fcgi_broadcasts_winner(struct fcgi_call *call, GError **error)
{
	struct winner_input input = {0};
	struct base_id id = broadcasts_id_of(call);
	bool done =
	    json_fields_read(
		call->json, winner_fields, G_N_ELEMENTS(winner_fields), &input, error) &&
	    broadcast_decide(call->service, &call->key.workspace_id, &id, input.variant, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_duplicate(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	struct base_id id = broadcasts_id_of(call), copy;
	bool done = broadcast_duplicate(
	    call->service, &call->key.workspace_id, &id, &edit->edit, &copy, error);

	return reply_now(call, done, &copy, error);
}

/* An operation that takes nothing but the broadcast. */
static bool
broadcasts_act(struct fcgi_call *call,
    bool (*operation)(struct service *, const struct base_id *, const struct base_id *, GError **),
    GError **error)
{
	struct base_id id = broadcasts_id_of(call);
	bool done = operation(call->service, &call->key.workspace_id, &id, error);

	return reply_now(call, done, &id, error);
}

bool
fcgi_broadcasts_unschedule(struct fcgi_call *call, GError **error)
{
	return broadcasts_act(call, broadcast_unschedule, error);
}

bool
fcgi_broadcasts_pause(struct fcgi_call *call, GError **error)
{
	return broadcasts_act(call, broadcast_pause, error);
}

bool
fcgi_broadcasts_resume(struct fcgi_call *call, GError **error)
{
	return broadcasts_act(call, broadcast_resume, error);
}

bool
fcgi_broadcasts_cancel(struct fcgi_call *call, GError **error)
{
	return broadcasts_act(call, broadcast_cancel, error);
}

/* Reads a filter that is one of some words. *word_r is NULL when there is none. */
static bool
broadcasts_read_word(struct fcgi_call *call, const char *name, const char *const *words,
    const char **word_r, GError **error)
{
	if (!fcgi_request_query(call->request, name, word_r, error))
		return false;
	if (!*word_r || !**word_r) {
		*word_r = NULL;
		return true;
	}
	if (g_strv_contains(words, *word_r))
		return true;
	g_autofree char *all = g_strjoinv(", ", (char **)words);
	return base_invalid(error, "%s must be one of %s", name, all);
}

/* Reads a filter by what recipients did, as 1 << DEED_...; 0: there is none. */
static bool
broadcasts_read_deed(struct fcgi_call *call, const char *name, guint *deeds_r, GError **error)
{
	const char *word;

	if (!broadcasts_read_word(call, name, store_broadcast_deeds, &word, error))
		return false;
	*deeds_r = 0;
	for (guint i = 0; word && i < DEEDS; i++)
		if (strcmp(word, store_broadcast_deeds[i]) == 0)
			*deeds_r = 1U << i;
	return true;
}

static bool
broadcasts_read_filter(
    struct fcgi_call *call, struct store_broadcast_filter *filter_r, GError **error)
{
	return broadcasts_read_word(
		   call, "status", store_broadcast_statuses, &filter_r->status, error) &&
	       broadcasts_read_deed(call, "did", &filter_r->did, error) &&
	       broadcasts_read_deed(call, "did_not", &filter_r->did_not, error);
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
	struct base_id id = broadcasts_id_of(call), after, cursor;
	struct store_broadcast_filter filter;
	bool given, more;

	if (!fcgi_page_cursor(call, true, &after, &given, error) ||
	    !broadcasts_read_filter(call, &filter, error))
		return false;
	bool filters = filter.status || filter.did || filter.did_not;
	AUTO(store_broadcast)
	broadcast = store_broadcast_get(call->service->db, &call->key.workspace_id, &id, error);
	g_autoptr(GPtrArray) rows =
	    broadcast ? store_broadcast_rows(call->service->db, broadcast,
			    &(struct store_broadcast_page){filters ? &filter : NULL,
				given ? &after : NULL, LIMIT_PAGE, LIMIT_LOOK_NS},
			    &cursor, &more, error)
		      : NULL;
	if (!rows)
		return false;
	fcgi_page_begin(writer, "recipients");
	for (guint i = 0; i < rows->len; i++)
		write_recipient(writer, rows->pdata[i]);
	fcgi_page_end(call, writer, true, rows->len, more ? &cursor : NULL);
	return true;
}
