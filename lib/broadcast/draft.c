/* SPDX-License-Identifier: MIT */
/* Makes drafts of broadcasts of what requests give, checks them before they are sent, and changes
   their states. */
#include "broadcast/draft.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/content.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/submission.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/writer.h"
#include "store/audience.h"
#include "store/email.h"

/* clang-format off */
static const struct json_field variant_fields[] = {
	JSON_FIELD("subject", FIELD_STRING, struct broadcast_variant, subject, .max = LIMIT_SUBJECT_LENGTH),
	JSON_FIELD("html", FIELD_STRING, struct broadcast_variant, html, .bytes = true, .max = LIMIT_HTML_BYTES),
	JSON_FIELD("text", FIELD_STRING, struct broadcast_variant, text, .bytes = true, .max = LIMIT_TEXT_BYTES),
	JSON_FIELD("template_id", FIELD_STRING, struct broadcast_variant, template_id),
};

static const struct json_field fields[] = {
	JSON_FIELD("name", FIELD_STRING, struct broadcast_content, name, .min = 1, .max = LIMIT_BROADCAST_NAME_LENGTH),
	JSON_FIELD("from", FIELD_STRING, struct broadcast_content, from, .min = 1, .max = LIMIT_FROM_LENGTH),
	JSON_FIELD("reply_to", FIELD_STRINGS, struct broadcast_content, reply_to),
	JSON_FIELD("subject", FIELD_STRING, struct broadcast_content, subject, .max = LIMIT_SUBJECT_LENGTH),
	JSON_FIELD("html", FIELD_STRING, struct broadcast_content, html, .bytes = true, .max = LIMIT_HTML_BYTES),
	JSON_FIELD("template_id", FIELD_STRING, struct broadcast_content, template_id),
	JSON_FIELD("text", FIELD_STRING, struct broadcast_content, text, .bytes = true, .max = LIMIT_TEXT_BYTES),
	JSON_FIELD("topic_id", FIELD_STRING, struct broadcast_content, topic_id),
	JSON_FIELD("audiences", FIELD_STRINGS, struct broadcast_content, audiences),
	JSON_FIELD("segments", FIELD_STRINGS, struct broadcast_content, segments),
	JSON_FIELD("exclude_segments", FIELD_STRINGS, struct broadcast_content, exclude_segments),
	JSON_FIELD("utm", FIELD_OBJECT, struct broadcast_content, utm),
	JSON_FIELD("tags", FIELD_OBJECT, struct broadcast_content, tags, .max = LIMIT_TAGS),
	JSON_FIELD("variants", FIELD_LIST, struct broadcast_content, variants, .min = 2, .max = BROADCAST_VARIANTS,
		JSON_ELEMENTS(variant_fields, struct broadcast_variant)),
	JSON_FIELD("test_share", FIELD_INTEGER, struct broadcast_content, test_share, .min = 1, .max = 100),
	JSON_FIELD("winner_by", FIELD_STRING, struct broadcast_content, winner_by),
	JSON_FIELD("decide_after", FIELD_INTEGER, struct broadcast_content, decide_after,
		.min = LIMIT_BROADCAST_DECIDE_LEAST_MS, .max = LIMIT_BROADCAST_DECIDE_MS),
};
/* clang-format on */

const struct json_table broadcast_body = JSON_TABLE(fields);

#define TEST_SHARE 100
#define WINNER_BY "opens"
#define DECIDE_AFTER_MS (4LL * 60 * 60 * 1000)
/* The first moment of a local time anywhere: UTC+14. */
#define FIRST_ZONE_MS (14LL * 60 * 60 * 1000)

static bool
read_object(const struct json *object, struct broadcast_content *content_r, GError **error)
{
	*content_r = (struct broadcast_content){
	    .test_share = TEST_SHARE, .winner_by = WINNER_BY, .decide_after = DECIDE_AFTER_MS};
	return json_fields_read(object, fields, G_N_ELEMENTS(fields), content_r, error);
}

struct json *
broadcast_read(const char *text, struct broadcast_content *content_r, GError **error)
{
	AUTO(json) document = json_parse(text, strlen(text), error);

	if (!document || !read_object(document, content_r, error)) {
		g_prefix_error(error, "a stored broadcast: ");
		return NULL;
	}
	return g_steal_pointer(&document);
}

void
broadcast_clear(struct broadcast_content *content)
{
	json_fields_free(fields, G_N_ELEMENTS(fields), content);
}

const char *
broadcast_name(const struct broadcast_content *content)
{
	return content->name			       ? content->name
	       : content->subject && *content->subject ? content->subject
						       : "Broadcast";
}

static bool
check_utm(const struct json *utm, GError **error)
{
	static const char *const names[] = {"source", "medium", "campaign", "term", "content"};
	struct json_iterator members = json_members(utm);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value)) {
		bool known = false;

		for (guint i = 0; i < G_N_ELEMENTS(names); i++)
			known |= strcmp(names[i], key) == 0;
		if (known && value && json_kind(value) != JSON_STRING)
			return base_invalid(error, "utm.%s must be a string", key);
		if (!known)
			return base_invalid(error,
			    "utm must have members source, medium, campaign, term, content only");
	}
	return true;
}

static guint
length_of(const char *const *list)
{
	return list ? g_strv_length((char **)list) : 0;
}

/* Checks that each is the id of an audience of the workspace. */
static bool
check_audiences(
    struct core *core, const struct base_id *workspace, const char *const *ids, GError **error)
{
	for (guint i = 0; ids && ids[i]; i++) {
		g_autoptr(GError) local = NULL;
		struct base_id id;
		AUTO(store_audience) audience =
		    base_id_parse(ids[i], &id)
			? store_audience_get(core->db, workspace, &id, &local)
			: NULL;

		if (audience)
			continue;
		if (!local || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
			return base_invalid(error, "audiences[%u] is not an audience", i);
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	return true;
}

static bool
check_lists(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	guint count = length_of(content->audiences) + length_of(content->segments) +
		      length_of(content->exclude_segments);

	if (count > LIMIT_BROADCAST_LISTS)
		return base_invalid(error,
		    "audiences, segments and exclude_segments must have at most %d ids together",
		    LIMIT_BROADCAST_LISTS);
	return check_audiences(core, workspace, (const char *const *)content->audiences, error);
}

static bool
check_content(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	static const char *const ways[] = {"opens", "clicks", "manual", NULL};
	g_autofree char *tags = NULL;

	if (!g_strv_contains(ways, content->winner_by))
		return base_invalid(error, "winner_by must be one of opens, clicks, manual");
	return check_utm(content->utm, error) &&
	       core_submission_tags(content->tags, &tags, error) &&
	       check_lists(core, workspace, content, error);
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

/* The members that are given, and those of the content before where they are not; null takes one
   away. */
static char *
merge(const struct json *before, const struct json *given)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
		const char *name = fields[i].name;
		const struct json *value =
		    json_member_get(json_member_has(given, name) ? given : before, name);

		if (value)
			json_writer_value(writer, name, value);
	}
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* The texts of a draft, to be stored. The caller owns both. INVALID. */
struct texts {
	char *content, *brief;
};

static bool
make_texts(struct core *core, const struct base_id *workspace, const struct json *before,
    const struct json *given, struct texts *texts_r, GError **error)
{
	struct broadcast_content content = {0};
	g_autofree char *text = merge(before, given);
	AUTO(json) merged = json_parse(text, strlen(text), error);
	bool good = merged && read_object(merged, &content, error) &&
		    check_content(core, workspace, &content, error);

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

bool
broadcast_create(struct core *core, const struct base_id *workspace, const struct json *given,
    struct base_id *id_r, GError **error)
{
	struct texts texts = {0};

	*id_r = base_id_new();
	bool done =
	    make_texts(core, workspace, NULL, given, &texts, error) &&
	    store_broadcast_create(core->db, workspace, id_r, texts.content, texts.brief, error);
	clear_texts(&texts);
	return done;
}

/* A change of state: what it needs, and what it does with the locked broadcast. */
struct change {
	struct core *core;
	const struct base_id *workspace, *id;
	unsigned allowed; /* BROADCAST_BIT of each status */
	bool (*apply)(struct db *db, struct change *change, struct store_broadcast *broadcast,
	    GError **error);
	const struct json *given;
	const struct broadcast_time *time;
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
	AUTO(json) before = json_parse(broadcast->content, strlen(broadcast->content), error);
	struct texts texts = {0};
	bool done =
	    before &&
	    make_texts(change->core, change->workspace, before, change->given, &texts, error) &&
	    store_broadcast_write(db, broadcast, texts.content, texts.brief, error);

	clear_texts(&texts);
	return done;
}

bool
broadcast_change(struct core *core, const struct base_id *workspace, const struct base_id *id,
    const struct json *given, GError **error)
{
	struct change change = {.core = core,
	    .workspace = workspace,
	    .id = id,
	    .allowed = BROADCAST_BIT(BROADCAST_DRAFT),
	    .apply = write_draft,
	    .given = given};

	return db_transact(core->db, change_locked, &change, error);
}

/* Checks a content as an email to a test address would be. */
static bool
check_email(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, const struct broadcast_variant *variant,
    GError **error)
{
	const char *to[] = {"delivered@test.posthouse.invalid", NULL};
	const struct core_submission submission = {.from = content->from,
	    .to = to,
	    .reply_to = content->reply_to,
	    .subject = variant->subject,
	    .html = variant->html,
	    .text = variant->text,
	    .template_id = variant->template_id,
	    .tags = content->tags};
	AUTO(core_draft) draft = core_draft_new(core, workspace, &submission, error);

	if (!draft)
		return false;
	return core_content_unsubscribes(draft->email) ||
	       base_invalid(error, "html must have {{unsubscribe_url}}");
}

/* The parts of a variant, each by default the broadcast's. A template takes the place of html, and
   html that of a template. */
static struct broadcast_variant
variant_of(const struct broadcast_content *content, const struct broadcast_variant *own)
{
	bool has_content = own && (own->html || own->template_id);

	return (struct broadcast_variant){
	    .subject = own && own->subject ? own->subject : content->subject,
	    .html = has_content ? own->html : content->html,
	    .text = own && own->text ? own->text : content->text,
	    .template_id = has_content ? own->template_id : content->template_id,
	};
}

static bool
check_complete(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	guint count = content->variants ? content->variants->len : 0;

	if (!content->from)
		return base_invalid(error, "from is required");
	for (guint i = 0; i < MAX(count, 1); i++) {
		const struct broadcast_variant *own =
		    count > 0 ? &g_array_index(content->variants, struct broadcast_variant, i)
			      : NULL;
		struct broadcast_variant variant = variant_of(content, own);

		if (!check_email(core, workspace, content, &variant, error))
			return false;
	}
	if (length_of(content->audiences) + length_of(content->segments) > 0)
		return true;
	return base_invalid(error, "audiences or segments are required");
}

static bool
plan_local(const struct broadcast_time *time, struct store_broadcast_plan *plan, GError **error)
{
	g_autofree char *utc = g_strconcat(time->local_time, "Z", NULL);
	gint64 moment;

	if (strlen(time->local_time) != strlen("YYYY-MM-DDTHH:MM") ||
	    !base_clock_parse(utc, &moment))
		return base_invalid(error, "local_time must be a time YYYY-MM-DDTHH:MM");
	g_autoptr(GTimeZone) zone =
	    g_time_zone_new_identifier(time->time_zone ? time->time_zone : "UTC");
	if (!zone)
		return base_invalid(error, "time_zone must be an IANA time zone");
	plan->local_time = time->local_time;
	plan->time_zone = time->time_zone ? time->time_zone : "UTC";
	plan->due = moment - FIRST_ZONE_MS;
	return true;
}

static bool
plan_time(const struct broadcast_time *time, struct store_broadcast_plan *plan, GError **error)
{
	gint64 now = base_clock_now();

	*plan = (struct store_broadcast_plan){.scheduled_at = time->scheduled_at,
	    .spread = time->spread,
	    .due = time->scheduled_at ? time->scheduled_at : now};
	if (time->local_time && time->scheduled_at)
		return base_invalid(error, "scheduled_at is not allowed together with local_time");
	if (time->local_time && !plan_local(time, plan, error))
		return false;
	if (plan->due <= now + LIMIT_BROADCAST_AHEAD_MS)
		return true;
	return base_invalid(error, "%s must be at most 400 days ahead",
	    time->local_time ? "local_time" : "scheduled_at");
}

static bool
schedule(struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
{
	struct broadcast_content content = {0};
	struct store_broadcast_plan plan;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	bool done = document && check_content(change->core, change->workspace, &content, error) &&
		    check_complete(change->core, change->workspace, &content, error) &&
		    plan_time(change->time, &plan, error) &&
		    store_broadcast_schedule(db, broadcast, &plan, error);

	broadcast_clear(&content);
	return done;
}

bool
broadcast_send(struct core *core, const struct base_id *workspace, const struct base_id *id,
    const struct broadcast_time *time, GError **error)
{
	struct change change = {.core = core,
	    .workspace = workspace,
	    .id = id,
	    .allowed = BROADCAST_BIT(BROADCAST_DRAFT),
	    .apply = schedule,
	    .time = time};

	return db_transact(core->db, change_locked, &change, error);
}

#define COPY " (copy)"

/* The name of a copy, within the limit of names. The caller owns it. */
static char *
name_copy(const struct broadcast_content *content)
{
	const char *name = broadcast_name(content);
	glong room = LIMIT_BROADCAST_NAME_LENGTH - (glong)strlen(COPY);
	g_autofree char *begin = g_utf8_substring(name, 0, MIN(g_utf8_strlen(name, -1), room));

	return g_strconcat(begin, COPY, NULL);
}

bool
broadcast_duplicate(struct core *core, const struct base_id *workspace, const struct base_id *id,
    struct base_id *copy_r, GError **error)
{
	AUTO(store_broadcast) broadcast = store_broadcast_get(core->db, workspace, id, error);
	AUTO(json_writer) writer = json_writer_new();
	struct broadcast_content content = {0};

	if (!broadcast)
		return false;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	if (!document)
		return false;
	g_autofree char *name = name_copy(&content);
	broadcast_clear(&content);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "name", name);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	AUTO(json) given = json_parse(text, strlen(text), error);
	struct texts texts = {0};
	*copy_r = base_id_new();
	bool done =
	    given && make_texts(core, workspace, document, given, &texts, error) &&
	    store_broadcast_create(core->db, workspace, copy_r, texts.content, texts.brief, error);
	clear_texts(&texts);
	return done;
}

static bool
unschedule(struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
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
cancel(struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
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
decide(struct db *db, struct change *change, struct store_broadcast *broadcast, GError **error)
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
move(struct core *core, const struct base_id *workspace, const struct base_id *id, unsigned allowed,
    bool (*apply)(struct db *, struct change *, struct store_broadcast *, GError **),
    GError **error)
{
	struct change change = {
	    .core = core, .workspace = workspace, .id = id, .allowed = allowed, .apply = apply};

	return db_transact(core->db, change_locked, &change, error);
}

bool
broadcast_unschedule(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return move(core, workspace, id, BROADCAST_BIT(BROADCAST_SCHEDULED), unschedule, error);
}

#define LEAVING (BROADCAST_BIT(BROADCAST_SENDING) | BROADCAST_BIT(BROADCAST_TESTING))

bool
broadcast_pause(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return move(core, workspace, id, LEAVING, pause_leaving, error);
}

bool
broadcast_resume(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return move(core, workspace, id, BROADCAST_BIT(BROADCAST_PAUSED), resume_paused, error);
}

bool
broadcast_cancel(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return move(core, workspace, id,
	    LEAVING | BROADCAST_BIT(BROADCAST_PAUSED) | BROADCAST_BIT(BROADCAST_SCHEDULED), cancel,
	    error);
}

bool
broadcast_remove(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return move(core, workspace, id,
	    BROADCAST_BIT(BROADCAST_DRAFT) | BROADCAST_BIT(BROADCAST_SENT) |
		BROADCAST_BIT(BROADCAST_CANCELLED) | BROADCAST_BIT(BROADCAST_FAILED),
	    remove_broadcast, error);
}

bool
broadcast_decide(struct core *core, const struct base_id *workspace, const struct base_id *id,
    gint64 variant, GError **error)
{
	struct change change = {.core = core,
	    .workspace = workspace,
	    .id = id,
	    .allowed = BROADCAST_BIT(BROADCAST_TESTING),
	    .apply = decide,
	    .variant = variant};

	return db_transact(core->db, change_locked, &change, error);
}
