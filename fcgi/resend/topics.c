/* SPDX-License-Identifier: MIT */
/* Topics under /resend: create, list, read, change and remove them. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/choose.h"
#include "service/service.h"
#include "store/consent/topic.h"

#define OBJECT "topic"

struct input {
	const char *name, *description, *default_subscription, *visibility;
};

/* clang-format off */
#define TEXTS \
	JSON_FIELD("description", FIELD_STRING, struct input, description, .max = LIMIT_TOPIC_DESCRIPTION_LENGTH), \
	JSON_FIELD("visibility", FIELD_STRING, struct input, visibility, .min = 1)
static const struct json_field new_fields[] = {
	JSON_FIELD("name", FIELD_STRING, struct input, name, .required = true, .min = 1, .max = LIMIT_NAME_LENGTH),
	JSON_FIELD("default_subscription", FIELD_STRING, struct input, default_subscription, .required = true, .min = 1),
	TEXTS,
};
static const struct json_field change_fields[] = {
	JSON_FIELD("name", FIELD_STRING, struct input, name, .min = 1, .max = LIMIT_NAME_LENGTH),
	TEXTS,
};
/* clang-format on */

const struct json_table fcgi_resend_topics_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_topics_change = JSON_TABLE(change_fields);

/* Whether it is one of two words, or NULL. */
static bool
check_word(const char *field, const char *word, const char *yes, const char *no, GError **error)
{
	return !word || strcmp(word, yes) == 0 || strcmp(word, no) == 0 ||
	       fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s must be %s or %s.",
		   field, field, yes, no);
}

static bool
topics_check(const struct input *input, GError **error)
{
	GError *failure = NULL;

	/* The name stands in a header field. */
	if (input->name && !person_choose_check_name("name", input->name, &failure))
		return fcgi_resend_invalid(failure, error);
	return check_word("default_subscription", input->default_subscription, "opt_in", "opt_out",
		   error) &&
	       check_word("visibility", input->visibility, "public", "private", error);
}

static void
topics_set_text(char **slot, const char *given)
{
	if (!given)
		return;
	g_free(*slot);
	*slot = g_strdup(given);
}

/* Gives a topic what the request gives. opt_in means that all are in the topic until they leave. */
static void
topics_take(struct store_topic *topic, const struct input *input)
{
	if (input->default_subscription)
		topic->is_opt_in = strcmp(input->default_subscription, "opt_out") == 0;
	if (input->visibility)
		topic->is_public = strcmp(input->visibility, "public") == 0;
	topics_set_text(&topic->name, input->name);
	topics_set_text(&topic->description, input->description);
}

bool
fcgi_resend_topics_post(struct fcgi_call *call, GError **error)
{
	AUTO(store_topic) topic = g_new0(struct store_topic, 1);
	struct input input = {0};

	topic->workspace_id = call->key.workspace_id;
	topic->description = g_strdup("");
	if (!fcgi_resend_read(call->json, &fcgi_resend_topics_new, &input, error) ||
	    !topics_check(&input, error))
		return false;
	topics_take(topic, &input);
	if (!store_topic_create(call->service->db, topic, error))
		return false;
	fcgi_resend_reply_id(call, 201, OBJECT, &topic->id, false);
	return true;
}

static void
topics_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_topic *topic = row;

	fcgi_resend_write_id(writer, "id", &topic->id);
	json_writer_string(writer, "name", topic->name);
	json_writer_string(writer, "description", *topic->description ? topic->description : NULL);
	json_writer_string(writer, "default_subscription", topic->is_opt_in ? "opt_out" : "opt_in");
	json_writer_string(writer, "visibility", topic->is_public ? "public" : "private");
	fcgi_resend_write_time(writer, "created_at", topic->created);
}

bool
fcgi_resend_topics_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	g_autoptr(GPtrArray) topics =
	    store_topic_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, topics, topics_write_members);
}

/* The topic of the path. */
static struct store_topic *
topics_find(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return fcgi_resend_id(call, 0, &id, error)
		   ? store_topic_get(call->service->db, &call->key.workspace_id, &id, error)
		   : NULL;
}

bool
fcgi_resend_topics_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_topic) topic = topics_find(call, error);

	return fcgi_resend_reply_row(call, OBJECT, topics_write_members, topic);
}

bool
fcgi_resend_topics_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!fcgi_resend_read(call->json, &fcgi_resend_topics_change, &input, error) ||
	    !topics_check(&input, error))
		return false;
	AUTO(store_topic) topic = topics_find(call, error);
	if (!topic)
		return false;
	topics_take(topic, &input);
	if (!store_topic_change(call->service->db, topic, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &topic->id, false);
	return true;
}

bool
fcgi_resend_topics_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !store_topic_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &id, true);
	return true;
}
