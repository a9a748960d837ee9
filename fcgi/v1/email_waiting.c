/* SPDX-License-Identifier: MIT */
/* The messages of an email that have not left, and the release of held ones
   (/v1/emails/{id}/waiting, /v1/emails/{id}/release). */
#include "fcgi/v1/handlers.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/transaction.h"
#include "fcgi/api/audit.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/outbox/outbox.h"
#include "store/outbox/queue.h"

static enum store_queue_state
email_waiting_state_of(const struct store_outbox_waiting *waiting, gint64 now)
{
	if (waiting->ready_at == 0)
		return QUEUE_HELD;
	if (waiting->claimed)
		return QUEUE_SENDING;
	if (waiting->attempts > 0 || waiting->reason)
		return QUEUE_DELAYED;
	return waiting->ready_at <= now ? QUEUE_DUE : QUEUE_SCHEDULED;
}

static void
email_waiting_write_recipients(struct json_writer *writer, const GPtrArray *recipients)
{
	json_writer_begin_array(writer, "recipients");
	for (guint i = 0; i < recipients->len; i++) {
		const char *address = recipients->pdata[i];

		if (address && *address)
			json_writer_string(writer, NULL, address);
	}
	json_writer_end_array(writer);
}

static void
write_waiting(struct json_writer *writer, const struct store_outbox_waiting *waiting, gint64 now)
{
	enum store_queue_state state = email_waiting_state_of(waiting, now);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "state", store_queue_state_name(state));
	json_writer_string(writer, "reason", waiting->reason);
	json_writer_integer(writer, "attempts", waiting->attempts);
	json_writer_integer(writer, "since", waiting->since);
	fcgi_write_time(writer, "next_attempt", state == QUEUE_SENDING ? 0 : waiting->ready_at);
	email_waiting_write_recipients(writer, waiting->recipients);
	json_writer_end_object(writer);
}

/* Reads the id of the path. NOT_FOUND when there is no such email. */
static bool
email_waiting_find(struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	if (!base_id_parse(call->arguments[0], id_r))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Email not found");
	g_autoptr(GPtrArray) recipients =
	    store_email_recipients(call->service->db, &call->key.workspace_id, id_r, error);
	return recipients != NULL;
}

bool
fcgi_email_waiting_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	gint64 now = base_clock_now();
	struct base_id id;

	if (!email_waiting_find(call, &id, error))
		return false;
	g_autoptr(GPtrArray) list =
	    store_outbox_list_of(call->service->db, &call->key.workspace_id, &id, error);
	if (!list)
		return false;
	fcgi_page_begin(writer, "waiting");
	for (guint i = 0; i < list->len; i++)
		write_waiting(writer, list->pdata[i], now);
	fcgi_page_end_text(call, writer, list->len, NULL);
	return true;
}

struct releasing {
	const struct base_id *workspace, *email;
	const struct store_audit *audit;
};

static bool
email_waiting_release(struct db *db, void *context, GError **error)
{
	const struct releasing *releasing = context;
	guint count;

	if (!store_outbox_release(
		db, releasing->workspace, releasing->email, base_clock_now(), &count, error))
		return false;
	if (count == 0)
		return base_fail(error, PH_ERROR_CONFLICT, "Email is not held");
	return store_audit_add(db, releasing->audit, error);
}

bool
fcgi_email_waiting_release(struct fcgi_call *call, GError **error)
{
	char address[ADDRESS_TEXT_SIZE];
	struct store_audit audit = fcgi_audit_client(call, call->route->audit, address);
	struct base_id id;

	if (!email_waiting_find(call, &id, error))
		return false;
	audit.target_type = "email";
	audit.target_id = call->arguments[0];
	if (!db_transact(call->service->db, email_waiting_release,
		&(struct releasing){&call->key.workspace_id, &id, &audit}, error))
		return false;
	fcgi_reply_message(call->reply, "Email released");
	return true;
}
