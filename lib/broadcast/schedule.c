/* SPDX-License-Identifier: MIT */
/* Checks that a draft is complete, and schedules it. */
#include "broadcast/schedule.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/broadcast.h"
#include "broadcast/attachments.h"
#include "broadcast/content.h"
#include "broadcast/draft_check.h"
#include "broadcast/model.h"
#include "broadcast/source.h"
#include "broadcast/state.h"
#include "person/person.h"
#include "store/email/email.h"

/* The first moment of a local time anywhere: UTC+14. */
#define FIRST_ZONE_MS (14LL * 60 * 60 * 1000)

/* The emails of the variants, and the ids that a plan refers to. */
struct outfit {
	GPtrArray *models;	       /* struct store_email */
	GArray *model_ids, *audiences; /* struct base_id */
	struct base_id topic;
};

static void
outfit_begin(struct outfit *outfit)
{
	outfit->models = g_ptr_array_new_with_free_func(store_email_destroy);
	outfit->model_ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	outfit->audiences = g_array_new(FALSE, FALSE, sizeof(struct base_id));
}

static void
outfit_clear(struct outfit *outfit)
{
	g_ptr_array_unref(outfit->models);
	g_array_unref(outfit->model_ids);
	g_array_unref(outfit->audiences);
}

static bool
schedule_is_empty(const char **list)
{
	return !list || !*list;
}

/* Checks the sources of all variants, and that there is a list, in the order of the fields. */
static bool
schedule_check_sources(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	bool unsubscribes = true;

	for (guint i = 0; i < broadcast_variant_count(content); i++) {
		AUTO(broadcast_source)
		source = broadcast_source_read(service, workspace, content, i, error);

		if (!source || !broadcast_source_is_whole(source, error))
			return false;
		unsubscribes = unsubscribes && broadcast_source_unsubscribes(source);
	}
	if (schedule_is_empty(content->audiences) && schedule_is_empty(content->segments))
		return base_invalid(error, "audiences or segments are required");
	return unsubscribes || base_invalid(error, BROADCAST_UNSUBSCRIBES);
}

static bool
schedule_make_models(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, struct outfit *outfit, GError **error)
{
	g_autoptr(GPtrArray) attachments =
	    broadcast_attachments_read(service, workspace, content, error);

	if (!attachments)
		return false;
	for (guint i = 0; i < broadcast_variant_count(content); i++) {
		struct store_email *model =
		    broadcast_model_new(service, workspace, content, i, error);

		if (!model)
			return false;
		broadcast_attachments_add(attachments, model);
		g_ptr_array_add(outfit->models, model);
		g_array_append_val(outfit->model_ids, model->id);
	}
	return true;
}

/* Checks that a content is complete, and makes the outfit with which it is sent. */
static bool
schedule_complete(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, struct outfit *outfit, GError **error)
{
	struct base_id id;

	if (!content->from)
		return base_invalid(error, "from is required");
	if (!schedule_check_sources(service, workspace, content, error) ||
	    !schedule_make_models(service, workspace, content, outfit, error))
		return false;
	for (guint i = 0; content->audiences && content->audiences[i]; i++)
		if (base_id_parse(content->audiences[i], &id))
			g_array_append_val(outfit->audiences, id);
	return true;
}

static bool
schedule_plan_local(
    const struct broadcast_time *time, struct store_broadcast_plan *plan, GError **error)
{
	g_autofree char *utc = g_strconcat(time->local_time, "Z", NULL);
	gint64 moment;

	if (strlen(time->local_time) != strlen("YYYY-MM-DDTHH:MM") ||
	    time->local_time[strlen("YYYY-MM-DD")] != 'T' || !base_clock_parse(utc, &moment))
		return base_invalid(error, "local_time must be a time YYYY-MM-DDTHH:MM");
	plan->local_time = time->local_time;
	plan->time_zone = time->time_zone ? time->time_zone : "UTC";
	plan->due = moment - FIRST_ZONE_MS;
	return true;
}

gint64
broadcast_time_given(gint64 time)
{
	return time ? time : 1;
}

static bool
schedule_plan(const struct broadcast_time *time, struct store_broadcast_plan *plan, GError **error)
{
	gint64 now = base_clock_now();

	*plan = (struct store_broadcast_plan){.scheduled_at = time->scheduled_at,
	    .spread = time->spread,
	    .due = time->scheduled_at ? time->scheduled_at : now};
	if (!person_check_time_zone(time->time_zone, error))
		return false;
	if (time->local_time && time->scheduled_at)
		return base_invalid(error, "scheduled_at is not allowed together with local_time");
	if (time->scheduled_at && time->scheduled_at < now - LIMIT_BROADCAST_PAST_MS)
		return base_invalid(error, "scheduled_at must not be in the past");
	if (time->local_time && !schedule_plan_local(time, plan, error))
		return false;
	if (plan->due <= now + LIMIT_BROADCAST_AHEAD_MS)
		return true;
	return base_invalid(error, "%s must be at most 400 days ahead",
	    time->local_time ? "local_time" : "scheduled_at");
}

/* Stores the plan of a broadcast, and its content. */
static bool
schedule_store(struct db *db, const struct store_broadcast *broadcast,
    struct store_broadcast_plan *plan, const struct broadcast_content *content,
    struct outfit *outfit, GError **error)
{
	bool has_topic = content->topic_id && base_id_parse(content->topic_id, &outfit->topic);

	plan->topic = has_topic ? &outfit->topic : NULL;
	plan->audiences = (const struct base_id *)(void *)outfit->audiences->data;
	plan->audience_count = outfit->audiences->len;
	plan->models = (const struct base_id *)(void *)outfit->model_ids->data;
	plan->model_count = outfit->model_ids->len;
	return store_email_insert(db, (const struct store_email *const *)outfit->models->pdata,
		   outfit->models->len, error) &&
	       store_broadcast_schedule(db, broadcast, plan, error);
}

/* A draft that is to be scheduled. */
struct scheduling {
	struct service *service;
	const struct base_id *workspace;
	struct store_broadcast_plan plan;
};

static bool
schedule_apply(
    struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	struct scheduling *scheduling = context;
	struct service *service = scheduling->service;
	const struct base_id *workspace = scheduling->workspace;
	struct broadcast_content content = {0};
	struct outfit outfit;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);

	outfit_begin(&outfit);
	bool done = document && broadcast_check_draft(service, workspace, &content, error) &&
		    schedule_complete(service, workspace, &content, &outfit, error) &&
		    schedule_store(db, broadcast, &scheduling->plan, &content, &outfit, error);
	outfit_clear(&outfit);
	broadcast_clear(&content);
	return done;
}

bool
broadcast_send(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct broadcast_time *time, GError **error)
{
	struct scheduling scheduling = {service, workspace, {0}};

	return schedule_plan(time, &scheduling.plan, error) &&
	       broadcast_lock(service,
		   &(struct broadcast_locking){
		       workspace, id, BROADCAST_BIT(BROADCAST_DRAFT), schedule_apply, &scheduling},
		   error);
}
