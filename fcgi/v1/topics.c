/* SPDX-License-Identifier: MIT */
/* Topics of mailings (/v1/topics). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/choose.h"
#include "service/service.h"
#include "store/consent/topic.h"

struct input {
	const char *name, *description;
	const struct json *is_public, *is_opt_in; /* NULL: null, or not given */
};

static const struct json_field fields[] = {FIELDS_NEW_TOPIC(struct input)};
static const struct json_field change_fields[] = {FIELDS_TOPIC_CHANGE(struct input)};

const struct json_table fcgi_topics_body = JSON_TABLE(fields);
const struct json_table fcgi_topics_change = JSON_TABLE(change_fields);

/* The name stands in a header field. */
static bool
topics_read_input(const struct fcgi_call *call, const struct json_field *table, gsize count,
    struct input *input, GError **error)
{
	return json_fields_read(call->json, table, count, input, error) &&
	       (!input->name || person_choose_check_name("name", input->name, error));
}

static void
topics_write_topic(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_topic *topic = row;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&topic->id, id));
	json_writer_string(writer, "name", topic->name);
	json_writer_string(writer, "description", topic->description);
	json_writer_boolean(writer, "public", topic->is_public);
	json_writer_boolean(writer, "opt_in", topic->is_opt_in);
	json_writer_integer(writer, "created", topic->created);
	json_writer_integer(writer, "updated", topic->updated);
	json_writer_end_object(writer);
}

static bool
topics_read_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	return base_id_parse(call->arguments[0], id_r) || store_topic_missing(error);
}

static void
v1_topics_set_text(char **slot, const char *given)
{
	if (!given)
		return;
	g_free(*slot);
	*slot = g_strdup(given);
}

bool
fcgi_topics_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	AUTO(store_topic) topic = g_new0(struct store_topic, 1);

	if (!topics_read_input(call, fields, G_N_ELEMENTS(fields), &input, error))
		return false;
	topic->workspace_id = call->key.workspace_id;
	topic->name = g_strdup(input.name);
	topic->description = g_strdup(input.description ? input.description : "");
	topic->is_public = !input.is_public || json_boolean(input.is_public);
	topic->is_opt_in = json_boolean(input.is_opt_in);
	return store_topic_create(call->service->db, topic, error) &&
	       fcgi_page_reply_row(call, topics_write_topic, topic);
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
		offsetof(struct store_topic, id), .write = topics_write_topic},
	    error);
}

bool
fcgi_topics_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!topics_read_id(call, &id, error))
		return false;
	AUTO(store_topic)
	topic = store_topic_get(call->service->db, &call->key.workspace_id, &id, error);
	return fcgi_page_reply_row(call, topics_write_topic, topic);
}

bool
fcgi_topics_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct base_id id;

	if (!topics_read_input(call, change_fields, G_N_ELEMENTS(change_fields), &input, error) ||
	    !topics_read_id(call, &id, error))
		return false;
	AUTO(store_topic)
	topic = store_topic_get(call->service->db, &call->key.workspace_id, &id, error);
	if (!topic)
		return false;
	if (input.is_opt_in && json_boolean(input.is_opt_in) != topic->is_opt_in)
		return base_fail(error, PH_ERROR_INVALID, "opt_in cannot be changed");
	v1_topics_set_text(&topic->name, input.name);
	v1_topics_set_text(&topic->description, input.description);
	if (input.is_public)
		topic->is_public = json_boolean(input.is_public);
	return store_topic_change(call->service->db, topic, error) &&
	       fcgi_page_reply_row(call, topics_write_topic, topic);
}

bool
fcgi_topics_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!topics_read_id(call, &id, error) ||
	    !store_topic_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Topic deleted");
	return true;
}
