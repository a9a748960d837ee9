/* SPDX-License-Identifier: MIT */
/* Checks what the draft of a broadcast names. */
#include "broadcast/draft_check.h"

#include "base/error.h"
#include "base/limits/broadcast.h"
#include "broadcast/content.h"
#include "broadcast/source.h"
#include "email/submission.h"
#include "json/fields.h"
#include "json/place.h"
#include "json/value.h"
#include "sending/rules.h"
#include "service/service.h"
#include "store/broadcast/segment.h"
#include "store/common/found.h"
#include "store/consent/topic.h"
#include "store/person/audience.h"
#include "store/template/template.h"

static bool
check_utm(const struct json *utm, GError **error)
{
	for (gsize i = 0; i < broadcast_utm.count; i++) {
		const char *name = broadcast_utm.fields[i].name;
		const struct json *value = json_member_get(utm, name);

		if (value && json_kind(value) != JSON_STRING)
			return base_invalid(error, "utm.%s must be a string", name);
	}
	return true;
}

static bool
check_sending(const struct broadcast_content *content, GError **error)
{
	const struct json_place hours_place = {NULL, "hours", 0},
				priority_place = {NULL, "priority", 0};
	enum sending_priority priority;
	struct sending_hours hours;

	return sending_hours_read(content->hours, &hours_place, true, &hours, error) &&
	       sending_priority_read(content->priority, &priority_place, &priority, error);
}

static guint
check_length_of(const char *const *list)
{
	return list ? g_strv_length((char **)list) : 0;
}

/* Reads a thing of the workspace. *is_there_r: it is there. */
typedef bool (*look_up)(struct service *service, const struct base_id *workspace,
    const struct base_id *id, bool *is_there_r, GError **error);

static bool
look_up_audience(struct service *service, const struct base_id *workspace, const struct base_id *id,
    bool *is_there_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_audience) audience = store_audience_get(service->db, workspace, id, &failure);

	return store_found(failure, is_there_r, error);
}

static bool
look_up_segment(struct service *service, const struct base_id *workspace, const struct base_id *id,
    bool *is_there_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_segment) segment = store_segment_get(service->db, workspace, id, &failure);

	return store_found(failure, is_there_r, error);
}

static bool
look_up_topic(struct service *service, const struct base_id *workspace, const struct base_id *id,
    bool *is_there_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_topic) topic = store_topic_get(service->db, workspace, id, &failure);

	return store_found(failure, is_there_r, error);
}

/* The ids of a field. */
struct id_list {
	const char *field;
	const char **ids; /* NULL: none */
	look_up look;
	const char *noun; /* "an audience" */
};

/* Checks that each is the id of a thing of the workspace. */
static bool
check_ids(struct service *service, const struct base_id *workspace, const struct id_list *list,
    GError **error)
{
	const char **ids = list->ids;

	for (guint i = 0; ids && ids[i]; i++) {
		bool is_there = false;
		struct base_id id;

		if (base_id_parse(ids[i], &id) &&
		    !list->look(service, workspace, &id, &is_there, error))
			return false;
		if (!is_there)
			return base_invalid(error, "%s[%u] is not %s", list->field, i, list->noun);
	}
	return true;
}

static bool
check_topic(
    struct service *service, const struct base_id *workspace, const char *topic, GError **error)
{
	bool is_there = false;
	struct base_id id;

	if (!topic)
		return true;
	if (base_id_parse(topic, &id) && !look_up_topic(service, workspace, &id, &is_there, error))
		return false;
	return is_there || base_invalid(error, "Topic not found");
}

static bool
check_template(struct service *service, const struct base_id *workspace, const char *template_id,
    GError **error)
{
	bool found = false, has_subject;

	if (!template_id)
		return true;
	if (!store_template_find(service->db, workspace, template_id, &found, &has_subject, error))
		return false;
	return found || base_invalid(error, "Template not found");
}

/* Checks that the templates of the broadcast and of its variants are there. */
static bool
check_templates(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	const struct broadcast_variant *variants =
	    content->variants ? (void *)content->variants->data : NULL;

	for (guint i = 0; variants && i < content->variants->len; i++)
		if (!check_template(service, workspace, variants[i].template_id, error))
			return false;
	return check_template(service, workspace, content->template_id, error);
}

bool
broadcast_check_count(const struct broadcast_content *content, GError **error)
{
	guint count = check_length_of(content->audiences) + check_length_of(content->segments) +
		      check_length_of(content->exclude_segments);

	return count <= LIMIT_BROADCAST_LISTS ||
	       base_invalid(error,
		   "audiences, segments and exclude_segments must have at most %d ids together",
		   LIMIT_BROADCAST_LISTS);
}

bool
broadcast_check_lists(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	const struct id_list lists[] = {
	    {"audiences", content->audiences, look_up_audience, "an audience"},
	    {"segments", content->segments, look_up_segment, "a segment"},
	    {"exclude_segments", content->exclude_segments, look_up_segment, "a segment"},
	};

	if (!broadcast_check_count(content, error))
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
		if (!check_ids(service, workspace, &lists[i], error))
			return false;
	return true;
}

bool
broadcast_check_draft(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	static const char *const ways[] = {"opens", "clicks", "manual", NULL};
	g_autofree char *tags = NULL;

	if (!g_strv_contains(ways, content->winner_by))
		return base_invalid(error, "winner_by must be one of opens, clicks, manual");
	return check_utm(content->utm, error) && check_sending(content, error) &&
	       email_submission_tags(content->tags, &tags, error) &&
	       broadcast_source_check(service, workspace, content, error) &&
	       check_templates(service, workspace, content, error) &&
	       check_topic(service, workspace, content->topic_id, error) &&
	       broadcast_check_lists(service, workspace, content, error);
}
