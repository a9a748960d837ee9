/* SPDX-License-Identifier: MIT */
/* When mailings may leave, and how many a person gets (/v1/sending, /v1/topics/{id}/sending). */
#include "fcgi/v1/handlers.h"

#include "base/clock.h"
#include "fcgi/api/context.h"
#include "json/writer.h"
#include "sending/rules.h"
#include "service/service.h"
#include "store/outbox/sending.h"
#include "topic/topic.h"

static void
write_rules(struct json_writer *writer, const struct service *service, const void *row)
{
	sending_rules_write(writer, row);
}

/* Answers with the rules of the workspace, or of a topic. */
static bool
sending_show(struct fcgi_call *call, const struct base_id *topic, GError **error)
{
	AUTO(store_sending)
	stored = store_sending_get(call->service->db, &call->key.workspace_id, topic, error);
	struct sending_rules rules;

	return stored && sending_rules_parse(stored->hours, stored->cap, &rules, error) &&
	       fcgi_page_reply_row(call, write_rules, &rules);
}

/* Sets the rules of the workspace, or of a topic. */
static bool
sending_put(struct fcgi_call *call, const struct base_id *topic, GError **error)
{
	AUTO(store_sending) stored = g_new0(struct store_sending, 1);
	struct sending_rules rules;

	if (!sending_rules_read(call->json, &rules, error))
		return false;
	stored->hours = sending_rules_print_hours(&rules.hours);
	stored->cap = sending_rules_print_cap(&rules.cap);
	stored->has_topic = topic;
	if (topic)
		stored->topic_id = *topic;
	return store_sending_put(
		   call->service->db, &call->key.workspace_id, stored, base_clock_now(), error) &&
	       fcgi_page_reply_row(call, write_rules, &rules);
}

bool
fcgi_sending_get(struct fcgi_call *call, GError **error)
{
	return sending_show(call, NULL, error);
}

bool
fcgi_sending_put(struct fcgi_call *call, GError **error)
{
	return sending_put(call, NULL, error);
}

bool
fcgi_sending_get_topic(struct fcgi_call *call, GError **error)
{
	struct base_id topic;

	return topic_id(call->arguments[0], &topic, error) && sending_show(call, &topic, error);
}

bool
fcgi_sending_put_topic(struct fcgi_call *call, GError **error)
{
	struct base_id topic;

	return topic_id(call->arguments[0], &topic, error) && sending_put(call, &topic, error);
}
