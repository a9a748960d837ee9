/* SPDX-License-Identifier: MIT */
/* Topics under /resend: create, list, read, change and remove them. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "service/service.h"
#include "topic/topic.h"

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

static enum topic_choice
topics_choice(const char *word, const char *yes)
{
	return !word ? TOPIC_NOT_GIVEN : strcmp(word, yes) == 0 ? TOPIC_YES : TOPIC_NO;
}

static bool
topics_check(const struct input *input, GError **error)
{
	return check_word("default_subscription", input->default_subscription, "opt_in", "opt_out",
		   error) &&
	       check_word("visibility", input->visibility, "public", "private", error);
}

/* opt_in means here that all are in the topic until they leave. */
static struct topic_input
topics_input(const struct input *input)
{
	return (struct topic_input){
	    .name = input->name,
	    .description = input->description,
	    .is_public = topics_choice(input->visibility, "public"),
	    .is_opt_in = topics_choice(input->default_subscription, "opt_out"),
	};
}

bool
fcgi_resend_topics_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	GError *failure = NULL;

	if (!fcgi_resend_read(call->json, &fcgi_resend_topics_new, &input, error) ||
	    !topics_check(&input, error))
		return false;
	struct topic_input given = topics_input(&input);
	if (!given.is_public)
		given.is_public = TOPIC_NO;
	AUTO(store_topic)
	topic = topic_create(call->service->db, &call->key.workspace_id, &given, &failure);
	if (!topic)
		return fcgi_resend_invalid(failure, error);
	fcgi_resend_reply_id(call, 201, OBJECT, &topic->id, false);
	return true;
}

static const struct fcgi_resend_member members[] = {
    {"id"},
    {"name"},
    {"description", .blank_is_null = true},
    {"default_subscription", "opt_in", {"opt_in", "opt_out"}},
    {"visibility", "public", {"private", "public"}},
    {"created_at", "created"},
};

static void
topics_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	fcgi_resend_write_view(writer, &topic_view, members, G_N_ELEMENTS(members), row);
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

bool
fcgi_resend_topics_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	AUTO(store_topic)
	topic = store_topic_get(call->service->db, &call->key.workspace_id, &id, error);
	return fcgi_resend_reply_row(call, OBJECT, topics_write_members, topic);
}

bool
fcgi_resend_topics_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_topics_change, &input, error) ||
	    !topics_check(&input, error) || !fcgi_resend_id(call, 0, &id, error))
		return false;
	const struct topic_input given = topics_input(&input);
	AUTO(store_topic)
	topic = topic_change(call->service->db, &call->key.workspace_id, &id, &given, &failure);
	if (!topic)
		return fcgi_resend_invalid(failure, error);
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
