/* SPDX-License-Identifier: MIT */
/* Reads batches of emails, and tells which emails are bad. */
#include "fcgi/api/batch.h"

#include "fcgi/api/context.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "submit/batch.h"

/* Adds the emails. False with error, or after the reply to a batch that is refused. */
static bool
batch_fill(struct fcgi_call *call, struct submit_batch *batch, const struct json *emails,
    guint most_bad, const struct fcgi_batch_form *form, GError **error)
{
	gsize count = json_array_length(emails);

	for (gsize i = 0; i < count; i++)
		if (!form->add(call, batch, json_array_at(emails, i), error))
			return false;
	if (batch->bad > most_bad) {
		form->refuse(call, batch);
		return false;
	}
	return submit_batch_check(call->service, batch, error);
}

struct service_once *
fcgi_batch_check(struct fcgi_call *call, const struct service_idempotency *key,
    const struct json *emails, guint most_bad, const struct fcgi_batch_form *form, GError **error)
{
	struct submit_batch *batch =
	    submit_batch_new(call->service, &call->key.workspace_id, key, error);
	AUTO(service_once) request = batch ? &batch->request : NULL;

	if (!batch ||
	    (!request->replayed && !batch_fill(call, batch, emails, most_bad, form, error)))
		return NULL;
	g_clear_pointer(&call->json, json_free);
	return g_steal_pointer(&request);
}

void
fcgi_batch_write_errors(struct json_writer *writer, const struct submit_batch *batch,
    GError *(*tell)(const GError *fault))
{
	json_writer_begin_array(writer, "errors");
	for (guint i = 0; i < batch->emails->len; i++) {
		if (!submit_batch_at(batch, i)->fault)
			continue;
		g_autoptr(GError) fault = tell(submit_batch_at(batch, i)->fault);
		json_writer_begin_object(writer, NULL);
		json_writer_integer(writer, "index", i);
		json_writer_string(writer, "message", fault->message);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* Checking up to 100 emails takes so long that nobody shares its transaction. */
static bool
batch_waits(const struct fcgi_call *call)
{
	return true;
}

const struct fcgi_gathering fcgi_batch_gathering = {batch_waits, NULL};
