/* SPDX-License-Identifier: MIT */
/* Makes drafts of broadcasts of what requests give, checks them before they are sent, and changes
   their states. */
#include "broadcast/draft.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/broadcast.h"
#include "broadcast/attachments.h"
#include "broadcast/model.h"
#include "broadcast/source.h"
#include "db/transaction.h"
#include "email/submission.h"
#include "json/fields.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/person.h"
#include "sending/rules.h"
#include "service/service.h"
#include "store/broadcast/attachment.h"
#include "store/broadcast/segment.h"
#include "store/broadcast/version.h"
#include "store/consent/topic.h"
#include "store/email/email.h"
#include "store/person/audience.h"
#include "store/template/template.h"

/* The first moment of a local time anywhere: UTC+14. */
#define FIRST_ZONE_MS (14LL * 60 * 60 * 1000)

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
draft_length_of(const char *const *list)
{
	return list ? g_strv_length((char **)list) : 0;
}

/* Reads a thing of the workspace. *is_there_r: it is there. */
typedef bool (*look_up)(struct service *service, const struct base_id *workspace,
    const struct base_id *id, bool *is_there_r, GError **error);

/* Whether a thing was read; *is_there_r is false for NOT_FOUND. Takes the failure. */
static bool
draft_note(bool found, GError *failure, bool *is_there_r, GError **error)
{
	*is_there_r = found;
	if (found)
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_error_free(failure);
	return true;
}

static bool
look_up_audience(struct service *service, const struct base_id *workspace, const struct base_id *id,
    bool *is_there_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_audience) audience = store_audience_get(service->db, workspace, id, &failure);

	return draft_note(audience, failure, is_there_r, error);
}

static bool
look_up_segment(struct service *service, const struct base_id *workspace, const struct base_id *id,
    bool *is_there_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_segment) segment = store_segment_get(service->db, workspace, id, &failure);

	return draft_note(segment, failure, is_there_r, error);
}

static bool
look_up_topic(struct service *service, const struct base_id *workspace, const struct base_id *id,
    bool *is_there_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_topic) topic = store_topic_get(service->db, workspace, id, &failure);

	return draft_note(topic, failure, is_there_r, error);
}

/* Checks that each is the id of a thing of the workspace; noun: "an audience". */
static bool
draft_check_ids(struct service *service, const struct base_id *workspace, const char *field,
    const char *const *ids, look_up look, const char *noun, GError **error)
{
	for (guint i = 0; ids && ids[i]; i++) {
		bool is_there = false;
		struct base_id id;

		if (base_id_parse(ids[i], &id) && !look(service, workspace, &id, &is_there, error))
			return false;
		if (!is_there)
			return base_invalid(error, "%s[%u] is not %s", field, i, noun);
	}
	return true;
}

static bool
draft_check_topic(
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
draft_check_template(struct service *service, const struct base_id *workspace,
    const char *template_id, GError **error)
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
draft_check_templates(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	const struct broadcast_variant *variants =
	    content->variants ? (void *)content->variants->data : NULL;

	for (guint i = 0; variants && i < content->variants->len; i++)
		if (!draft_check_template(service, workspace, variants[i].template_id, error))
			return false;
	return draft_check_template(service, workspace, content->template_id, error);
}

static bool
draft_check_count(const struct broadcast_content *content, GError **error)
{
	guint count = draft_length_of(content->audiences) + draft_length_of(content->segments) +
		      draft_length_of(content->exclude_segments);

	return count <= LIMIT_BROADCAST_LISTS ||
	       base_invalid(error,
		   "audiences, segments and exclude_segments must have at most %d ids together",
		   LIMIT_BROADCAST_LISTS);
}

bool
broadcast_check_lists(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	return draft_check_count(content, error) &&
	       draft_check_ids(service, workspace, "audiences",
		   (const char *const *)content->audiences, look_up_audience, "an audience",
		   error) &&
	       draft_check_ids(service, workspace, "segments",
		   (const char *const *)content->segments, look_up_segment, "a segment", error) &&
	       draft_check_ids(service, workspace, "exclude_segments",
		   (const char *const *)content->exclude_segments, look_up_segment, "a segment",
		   error);
}

static bool
check_content(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	static const char *const ways[] = {"opens", "clicks", "manual", NULL};
	g_autofree char *tags = NULL;

	if (!g_strv_contains(ways, content->winner_by))
		return base_invalid(error, "winner_by must be one of opens, clicks, manual");
	return check_utm(content->utm, error) && check_sending(content, error) &&
	       email_submission_tags(content->tags, &tags, error) &&
	       broadcast_source_check(service, workspace, content, error) &&
	       draft_check_templates(service, workspace, content, error) &&
	       draft_check_topic(service, workspace, content->topic_id, error) &&
	       broadcast_check_lists(service, workspace, content, error);
}

static bool
is_body(const char *key)
{
	return strcmp(key, "html") == 0 || strcmp(key, "text") == 0;
}

static void
write_brief_variants(struct json_writer *writer, const struct json *variants)
{
	json_writer_begin_array(writer, "variants");
	for (gsize i = 0; i < json_array_length(variants); i++) {
		struct json_iterator members = json_members(json_array_at(variants, i));
		const struct json *value;
		const char *key;

		json_writer_begin_object(writer, NULL);
		while (json_iterator_next(&members, &key, &value))
			if (!is_body(key))
				json_writer_value(writer, key, value);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* The content without html and text. */
static char *
print_brief(const struct json *content)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(content);
	const struct json *value;
	const char *key;

	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &key, &value))
		if (strcmp(key, "variants") == 0)
			write_brief_variants(writer, value);
		else if (!is_body(key))
			json_writer_value(writer, key, value);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Writes the members of utm that are known. */
static void
write_utm(struct json_writer *writer, const struct json *utm)
{
	json_writer_begin_object(writer, "utm");
	for (gsize i = 0; i < broadcast_utm.count; i++) {
		const char *name = broadcast_utm.fields[i].name;

		if (json_member_has(utm, name))
			json_writer_value(writer, name, json_member_get(utm, name));
	}
	json_writer_end_object(writer);
}

/* The members that are given, and those of the content before where they are not; null takes one
   away. attachments: in place of those before; NULL: these stay. */
static char *
draft_merge(const struct json *before, const struct json *given, const GPtrArray *attachments)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < broadcast_body.count; i++) {
		const char *name = broadcast_body.fields[i].name;
		const struct json *value =
		    json_member_get(json_member_has(given, name) ? given : before, name);

		if (attachments && strcmp(name, "attachments") == 0)
			broadcast_attachments_write(writer, attachments);
		else if (value && strcmp(name, "utm") == 0)
			write_utm(writer, value);
		else if (value)
			json_writer_value(writer, name, value);
	}
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Checks what a request gives for a broadcast with this id. *attachments_r: those that it stores;
   NULL: none are given. The caller owns them. INVALID, naming the field. */
static bool
check_given(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct json *given, GPtrArray **attachments_r, GError **error)
{
	struct broadcast_content content = {0};
	bool good = broadcast_read_object(given, &content, error) &&
		    check_content(service, workspace, &content, error);

	*attachments_r = NULL;
	if (good && json_member_has(given, "attachments")) {
		*attachments_r =
		    broadcast_attachments_make(service, workspace, id, &content, error);
		good = *attachments_r;
	}
	broadcast_clear(&content);
	return good;
}

/* The texts of a draft, to be stored. The caller owns both. INVALID. */
struct texts {
	char *content, *brief;
};

static bool
make_texts(const struct json *before, const struct json *given, const GPtrArray *attachments,
    struct texts *texts_r, GError **error)
{
	struct broadcast_content content = {0};
	g_autofree char *text = draft_merge(before, given, attachments);
	AUTO(json) merged = json_parse(text, strlen(text), error);
	bool good = merged && broadcast_read_object(merged, &content, error) &&
		    draft_check_count(&content, error);

	broadcast_clear(&content);
	if (!good)
		return false;
	texts_r->brief = print_brief(merged);
	texts_r->content = g_steal_pointer(&text);
	return true;
}

static void
clear_texts(struct texts *texts)
{
	g_free(texts->content);
	g_free(texts->brief);
}

/* A draft that is stored for the first time. */
struct creation {
	const struct base_id *workspace, *id;
	const struct texts *texts;
	const GPtrArray *attachments;
	struct broadcast_origin origin;
};

static bool
create_draft(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	const struct texts *texts = creation->texts;

	return store_broadcast_create(db, creation->workspace, creation->id, texts->content,
		   texts->brief, creation->origin.compat_tests, error) &&
	       store_broadcast_version_add(
		   db, creation->workspace, creation->id, creation->origin.edit, error) &&
	       (!creation->attachments || creation->attachments->len == 0 ||
		   store_broadcast_attachments_put(
		       db, creation->workspace, creation->id, creation->attachments, error));
}

/* Stores a new draft. */
static bool
draft_create(struct service *service, struct creation *creation, const struct json *before,
    const struct json *given, GError **error)
{
	struct texts texts = {0};

	creation->texts = &texts;
	bool done = make_texts(before, given, creation->attachments, &texts, error) &&
		    db_transact(service->db, create_draft, creation, error);
	clear_texts(&texts);
	return done;
}

bool
broadcast_create(struct service *service, const struct base_id *workspace, const struct json *given,
    const struct broadcast_origin *origin, struct base_id *id_r, GError **error)
{
	g_autoptr(GPtrArray) attachments = NULL;

	*id_r = base_id_new();
	if (!check_given(service, workspace, id_r, given, &attachments, error))
		return false;
	struct creation creation = {workspace, id_r, NULL, attachments,
	    origin ? *origin : (struct broadcast_origin){false, NULL}};
	return draft_create(service, &creation, NULL, given, error);
}

/* A change of state: what it needs, and what it does with the locked broadcast. */
struct change {
	struct service *service;
	const struct base_id *workspace, *id;
	unsigned allowed; /* BROADCAST_BIT of each status */
	bool (*apply)(struct db *db, struct change *change, struct store_broadcast *broadcast,
	    GError **error);
	const struct json *given;
	GPtrArray *attachments; /* given; NULL: those before stay */
	const struct store_edit *edit;
	struct store_broadcast_plan *plan;
	gint64 variant;
};

static bool
change_locked(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	AUTO(store_broadcast) broadcast =
	    store_broadcast_lock(db, change->workspace, change->id, change->allowed, error);

	return broadcast && change->apply(db, change, broadcast, error);
}

static bool
write_draft(struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	if (!store_edit_check_time(change->edit, broadcast->updated, error))
		return false;
	AUTO(json) before = json_parse(broadcast->content, strlen(broadcast->content), error);
	struct texts texts = {0};
	bool done =
	    before && make_texts(before, change->given, change->attachments, &texts, error) &&
	    store_broadcast_version_keep(db, change->workspace, change->id, error) &&
	    store_broadcast_write(db, broadcast, texts.content, texts.brief, error) &&
	    store_broadcast_version_add(db, change->workspace, change->id, change->edit, error) &&
	    (!change->attachments || store_broadcast_attachments_put(db, change->workspace,
					 change->id, change->attachments, error));

	clear_texts(&texts);
	return done;
}

bool
broadcast_change(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct json *given, const struct store_edit *edit, GError **error)
{
	struct change change = {.service = service,
	    .workspace = workspace,
	    .id = id,
	    .allowed = BROADCAST_BIT(BROADCAST_DRAFT),
	    .apply = write_draft,
	    .given = given,
	    .edit = edit};
	/* Lists and templates of an old version may be gone: that is for the one who sends it. */
	bool done = ((edit && edit->is_restore) ||
			check_given(service, workspace, id, given, &change.attachments, error)) &&
		    db_transact(service->db, change_locked, &change, error);

	g_clear_pointer(&change.attachments, g_ptr_array_unref);
	return done;
}

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

/* Checks the sources of all variants, and that there is a list, in the order of the fields. */
static bool
check_sources(struct service *service, const struct base_id *workspace,
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
	if (draft_length_of(content->audiences) + draft_length_of(content->segments) == 0)
		return base_invalid(error, "audiences or segments are required");
	return unsubscribes || base_invalid(error, BROADCAST_UNSUBSCRIBES);
}

static bool
make_models(struct service *service, const struct base_id *workspace,
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
draft_complete(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, struct outfit *outfit, GError **error)
{
	struct base_id id;

	if (!content->from)
		return base_invalid(error, "from is required");
	if (!check_sources(service, workspace, content, error) ||
	    !make_models(service, workspace, content, outfit, error))
		return false;
	for (guint i = 0; i < draft_length_of(content->audiences); i++)
		if (base_id_parse(content->audiences[i], &id))
			g_array_append_val(outfit->audiences, id);
	return true;
}

static bool
plan_local(const struct broadcast_time *time, struct store_broadcast_plan *plan, GError **error)
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
plan_time(const struct broadcast_time *time, struct store_broadcast_plan *plan, GError **error)
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
	if (time->local_time && !plan_local(time, plan, error))
		return false;
	if (plan->due <= now + LIMIT_BROADCAST_AHEAD_MS)
		return true;
	return base_invalid(error, "%s must be at most 400 days ahead",
	    time->local_time ? "local_time" : "scheduled_at");
}

/* Stores the plan of a broadcast, and its content. */
static bool
store_plan(struct db *db, const struct store_broadcast *broadcast,
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

static bool
draft_schedule(
    struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	struct broadcast_content content = {0};
	struct outfit outfit;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);

	outfit_begin(&outfit);
	bool done = document &&
		    check_content(change->service, change->workspace, &content, error) &&
		    draft_complete(change->service, change->workspace, &content, &outfit, error) &&
		    store_plan(db, broadcast, change->plan, &content, &outfit, error);
	outfit_clear(&outfit);
	broadcast_clear(&content);
	return done;
}

bool
broadcast_send(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct broadcast_time *time, GError **error)
{
	struct store_broadcast_plan plan;
	struct change change = {.service = service,
	    .workspace = workspace,
	    .id = id,
	    .allowed = BROADCAST_BIT(BROADCAST_DRAFT),
	    .apply = draft_schedule,
	    .plan = &plan};

	return plan_time(time, &plan, error) &&
	       db_transact(service->db, change_locked, &change, error);
}

#define COPY " (copy)"

/* The name of a copy, within the limit of names. The caller owns it. */
static char *
draft_name_copy(const struct broadcast_content *content)
{
	const char *name = broadcast_name(content);
	glong room = LIMIT_BROADCAST_NAME_LENGTH - (glong)strlen(COPY);
	g_autofree char *begin = g_utf8_substring(name, 0, MIN(g_utf8_strlen(name, -1), room));

	return g_strconcat(begin, COPY, NULL);
}

bool
broadcast_duplicate(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct store_edit *edit, struct base_id *copy_r, GError **error)
{
	AUTO(store_broadcast) broadcast = store_broadcast_get(service->db, workspace, id, error);
	AUTO(json_writer) writer = json_writer_new();
	struct broadcast_content content = {0};

	if (!broadcast)
		return false;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	if (!document)
		return false;
	*copy_r = base_id_new();
	g_autofree char *name = draft_name_copy(&content);
	g_autoptr(GPtrArray) attachments =
	    broadcast_attachments_make(service, workspace, copy_r, &content, error);
	broadcast_clear(&content);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "name", name);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	AUTO(json) given = attachments ? json_parse(text, strlen(text), error) : NULL;
	struct creation creation = {
	    workspace, copy_r, NULL, attachments, {broadcast->compat_tests, edit}};
	return given && draft_create(service, &creation, document, given, error);
}

static bool
draft_unschedule(
    struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	return store_broadcast_unschedule(db, broadcast, error);
}

static bool
pause_leaving(
    struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	return store_broadcast_pause(db, broadcast, BROADCAST_PAUSED_BY_HAND, error);
}

static bool
resume_paused(
    struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	return store_broadcast_resume(db, broadcast, error);
}

static bool
draft_cancel(
    struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	return store_broadcast_cancel(db, broadcast, error);
}

static bool
remove_broadcast(
    struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	return store_broadcast_remove(db, broadcast, error);
}

static bool
draft_decide(
    struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	struct broadcast_content content = {0};
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	guint count = document && content.variants ? content.variants->len : 1;

	broadcast_clear(&content);
	if (!document)
		return false;
	if (change->variant < 0 || change->variant >= count)
		return base_invalid(error, "variant must be between 0 and %u", count - 1);
	return store_broadcast_decide(db, broadcast, (int)change->variant, error);
}

/* Changes a broadcast whose status is one of allowed. */
static bool
draft_move(struct service *service, const struct base_id *workspace, const struct base_id *id,
    unsigned allowed,
    bool (*apply)(struct db *, struct change *, struct store_broadcast *, GError **),
    GError **error)
{
	struct change change = {.service = service,
	    .workspace = workspace,
	    .id = id,
	    .allowed = allowed,
	    .apply = apply};

	return db_transact(service->db, change_locked, &change, error);
}

bool
broadcast_unschedule(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	return draft_move(
	    service, workspace, id, BROADCAST_BIT(BROADCAST_SCHEDULED), draft_unschedule, error);
}

#define LEAVING (BROADCAST_BIT(BROADCAST_SENDING) | BROADCAST_BIT(BROADCAST_TESTING))

bool
broadcast_pause(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return draft_move(service, workspace, id, LEAVING, pause_leaving, error);
}

bool
broadcast_resume(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return draft_move(
	    service, workspace, id, BROADCAST_BIT(BROADCAST_PAUSED), resume_paused, error);
}

bool
broadcast_cancel(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return draft_move(service, workspace, id,
	    LEAVING | BROADCAST_BIT(BROADCAST_PAUSED) | BROADCAST_BIT(BROADCAST_SCHEDULED),
	    draft_cancel, error);
}

bool
broadcast_remove(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return draft_move(service, workspace, id,
	    BROADCAST_BIT(BROADCAST_DRAFT) | BROADCAST_BIT(BROADCAST_SENT) |
		BROADCAST_BIT(BROADCAST_CANCELLED) | BROADCAST_BIT(BROADCAST_FAILED),
	    remove_broadcast, error);
}

bool
broadcast_decide(struct service *service, const struct base_id *workspace, const struct base_id *id,
    gint64 variant, GError **error)
{
	struct change change = {.service = service,
	    .workspace = workspace,
	    .id = id,
	    .allowed = BROADCAST_BIT(BROADCAST_TESTING),
	    .apply = draft_decide,
	    .variant = variant};

	return db_transact(service->db, change_locked, &change, error);
}
