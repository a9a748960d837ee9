/* SPDX-License-Identifier: MIT */
/* The messages of a workspace that have not left, and the relays that its mail takes
   (/v1/waiting). */
#include "fcgi/v1/handlers.h"

#include "base/clock.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/writer.h"
#include "relay/route.h"
#include "service/service.h"
#include "store/outbox/queue.h"
#include "store/outbox/route.h"

static void
write_reason(struct json_writer *writer, const struct store_queue_reason *reason)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "state", store_queue_state_name(reason->state));
	json_writer_string(writer, "reason", reason->reason);
	json_writer_integer(writer, "messages", reason->messages);
	json_writer_integer(writer, "oldest", reason->oldest);
	fcgi_write_time(writer, "next_attempt", reason->next_attempt);
	json_writer_string(
	    writer, "email_id", reason->is_part ? NULL : base_id_format(&reason->email_id, id));
	json_writer_end_object(writer);
}

/* The earlier of two times, of which 0 is none. */
static gint64
waiting_earlier(gint64 one, gint64 other)
{
	return one == 0 ? other : other == 0 ? one : MIN(one, other);
}

static void
waiting_write_times(struct json_writer *writer, const GPtrArray *reasons)
{
	gint64 oldest = 0, next = 0;

	for (guint i = 0; i < reasons->len; i++) {
		const struct store_queue_reason *reason = reasons->pdata[i];

		next = waiting_earlier(next, reason->next_attempt);
		if (reason->state != QUEUE_HELD)
			oldest = waiting_earlier(oldest, reason->oldest);
	}
	fcgi_write_time(writer, "oldest", oldest);
	fcgi_write_time(writer, "next_attempt", next);
}

static void
write_queue(struct json_writer *writer, const struct store_queue *queue)
{
	json_writer_integer(writer, "messages", queue->messages);
	json_writer_boolean(writer, "more", queue->has_more);
	json_writer_integer(writer, "held", queue->held);
	waiting_write_times(writer, queue->reasons);
	json_writer_begin_array(writer, "reasons");
	for (guint i = 0; i < MIN(queue->reasons->len, LIMIT_QUEUE_REASONS); i++)
		write_reason(writer, queue->reasons->pdata[i]);
	json_writer_end_array(writer);
}

void
fcgi_waiting_write_relays(
    struct json_writer *writer, const struct service *service, const GPtrArray *routes)
{
	g_autoptr(GPtrArray) relays = relay_route_relays(service->settings, routes);

	json_writer_begin_array(writer, "relays");
	for (guint i = 0; i < relays->len; i++) {
		const struct relay_route_relay *relay = relays->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "relay", relay->name);
		fcgi_write_time(writer, "rests_until", relay->rests_until);
		json_writer_string(writer, "reason", relay->reason);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

bool
fcgi_waiting_get(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_queue)
	queue = store_queue_read(call->service->db, workspace, base_clock_now(), error);
	g_autoptr(GPtrArray) routes =
	    queue ? store_route_list(call->service->db, workspace, error) : NULL;

	if (!routes)
		return false;
	json_writer_begin_object(writer, NULL);
	write_queue(writer, queue);
	fcgi_waiting_write_relays(writer, call->service, routes);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
