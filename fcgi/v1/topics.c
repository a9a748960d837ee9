/* SPDX-License-Identifier: MIT */
/* Topics of mailings (/v1/topics). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/value.h"
#include "service/service.h"
#include "topic/topic.h"

struct input {
	const char *name, *description;
	const struct json *is_public, *is_opt_in; /* NULL: null, or not given */
};

static const struct json_field fields[] = {FIELDS_NEW_TOPIC(struct input)};
static const struct json_field change_fields[] = {FIELDS_TOPIC_CHANGE(struct input)};

const struct json_table fcgi_topics_body = JSON_TABLE(fields);
const struct json_table fcgi_topics_change = JSON_TABLE(change_fields);

static enum topic_choice
topics_choice(const struct json *given)
{
	return !given ? TOPIC_NOT_GIVEN : json_boolean(given) ? TOPIC_YES : TOPIC_NO;
}

static bool
topics_read_input(const struct fcgi_call *call, const struct json_table *table,
    struct topic_input *input_r, GError **error)
{
	struct input input = {0};

	if (!json_fields_read(call->json, table->fields, table->count, &input, error))
		return false;
	*input_r = (struct topic_input){input.name, input.description,
	    topics_choice(input.is_public), topics_choice(input.is_opt_in)};
	return true;
}

bool
fcgi_topics_post(struct fcgi_call *call, GError **error)
{
	struct topic_input input;

	if (!topics_read_input(call, &fcgi_topics_body, &input, error))
		return false;
	AUTO(store_topic)
	topic = topic_create(call->service->db, &call->key.workspace_id, &input, error);
	return fcgi_page_reply_view(call, &topic_view, topic);
}

bool
fcgi_topics_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) topics = store_topic_list(call->service->db, &call->key.workspace_id,
	    given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"topics", topics, LIMIT_PAGE, true,
		offsetof(struct store_topic, id), .view = &topic_view},
	    error);
}

bool
fcgi_topics_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!topic_id(call->arguments[0], &id, error))
		return false;
	AUTO(store_topic)
	topic = store_topic_get(call->service->db, &call->key.workspace_id, &id, error);
	return fcgi_page_reply_view(call, &topic_view, topic);
}

bool
fcgi_topics_patch(struct fcgi_call *call, GError **error)
{
	struct topic_input input;
	struct base_id id;

	if (!topics_read_input(call, &fcgi_topics_change, &input, error) ||
	    !topic_id(call->arguments[0], &id, error))
		return false;
	AUTO(store_topic)
	topic = topic_change(call->service->db, &call->key.workspace_id, &id, &input, error);
	return fcgi_page_reply_view(call, &topic_view, topic);
}

bool
fcgi_topics_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!topic_id(call->arguments[0], &id, error) ||
	    !store_topic_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Topic deleted");
	return true;
}
