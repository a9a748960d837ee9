/* SPDX-License-Identifier: MIT */
/* Checks and stores topics of mailings. */
#include "topic/topic.h"

#include "base/error.h"
#include "mail/header.h"

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_topic, id),
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_topic, name),
    JSON_VIEW_MEMBER("description", VIEW_TEXT, struct store_topic, description),
    JSON_VIEW_MEMBER("public", VIEW_TRUTH, struct store_topic, is_public),
    JSON_VIEW_MEMBER("opt_in", VIEW_TRUTH, struct store_topic, is_opt_in),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_topic, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_topic, updated),
};
const struct json_view topic_view = JSON_VIEW(members);

bool
topic_id(const char *text, struct base_id *id_r, GError **error)
{
	return base_id_parse(text, id_r) || store_topic_missing(error);
}

/* The name stands in a header field. */
static bool
topic_check(const struct topic_input *input, GError **error)
{
	return !input->name ||
	       mail_check_text(input->what ? input->what : "name", input->name, error);
}

static void
topic_take_text(char **slot, const char *given)
{
	if (!given)
		return;
	g_free(*slot);
	*slot = g_strdup(given);
}

static void
topic_take(struct store_topic *topic, const struct topic_input *input)
{
	topic_take_text(&topic->name, input->name);
	topic_take_text(&topic->description, input->description);
	if (input->is_public)
		topic->is_public = input->is_public == TOPIC_YES;
}

struct store_topic *
topic_create(
    struct db *db, const struct base_id *workspace, const struct topic_input *input, GError **error)
{
	AUTO(store_topic) topic = g_new0(struct store_topic, 1);

	topic->workspace_id = *workspace;
	topic->description = g_strdup("");
	topic->is_public = true;
	topic->is_opt_in = input->is_opt_in == TOPIC_YES;
	topic_take(topic, input);
	if (!topic_check(input, error) || !store_topic_create(db, topic, error))
		return NULL;
	return g_steal_pointer(&topic);
}

struct store_topic *
topic_change(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct topic_input *input, GError **error)
{
	if (!topic_check(input, error))
		return NULL;
	AUTO(store_topic) topic = store_topic_get(db, workspace, id, error);
	if (!topic)
		return NULL;
	if (input->is_opt_in && (input->is_opt_in == TOPIC_YES) != topic->is_opt_in) {
		base_fail(error, PH_ERROR_INVALID, "opt_in cannot be changed");
		return NULL;
	}
	topic_take(topic, input);
	return store_topic_change(db, topic, error) ? g_steal_pointer(&topic) : NULL;
}
