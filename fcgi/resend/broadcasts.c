/* SPDX-License-Identifier: MIT */
/* Broadcasts under /resend: drafts for one segment, their sending, and their states. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/broadcast.h"
#include "base/limits/email.h"
#include "broadcast/draft.h"
#include "broadcast/schedule.h"
#include "broadcast/state.h"
#include "broadcast/unknown.h"
#include "broadcast/view.h"
#include "email/submission.h"
#include "fcgi/api/context.h"
#include "fcgi/api/edit.h"
#include "fcgi/resend/email.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/limits.h"
#include "fcgi/resend/preview.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/broadcast/segment.h"
#include "store/consent/topic.h"
#include "store/person/audience.h"

#define OBJECT "broadcast"

struct input {
	const char *name, *from, *subject, *html, *text, *preview_text, *segment_id, *audience_id,
	    *topic_id, *scheduled_at;
	const char **reply_to;
	const struct json *send; /* NULL: not given */
};

/* clang-format off */
#define TEXT(name, ...) JSON_FIELD(#name, FIELD_STRING, struct input, name, __VA_ARGS__)
#define CONTENT \
	TEXT(name, .min = 1, .max = LIMIT_BROADCAST_NAME_LENGTH), \
	TEXT(html, .bytes = true, .max = LIMIT_HTML_BYTES), \
	TEXT(text, .bytes = true, .max = LIMIT_TEXT_BYTES), \
	TEXT(preview_text, .max = LIMIT_RESEND_SUBJECT_LENGTH), \
	TEXT(segment_id, .min = 1), \
	TEXT(audience_id, .min = 1), \
	TEXT(topic_id, .min = 1), \
	JSON_FIELD("reply_to", FIELD_STRINGS, struct input, reply_to, .max = LIMIT_RECIPIENTS)
static const struct json_field new_fields[] = {
	TEXT(from, .required = true, .min = 1, .max = LIMIT_RESEND_FROM_LENGTH),
	TEXT(subject, .required = true, .min = 1, .max = LIMIT_RESEND_SUBJECT_LENGTH),
	CONTENT,
	JSON_FIELD("send", FIELD_JSON, struct input, send, .kinds = JSON_KIND(JSON_BOOLEAN)),
	TEXT(scheduled_at, .min = 1),
};
static const struct json_field change_fields[] = {
	TEXT(from, .min = 1, .max = LIMIT_RESEND_FROM_LENGTH),
	TEXT(subject, .min = 1, .max = LIMIT_RESEND_SUBJECT_LENGTH),
	CONTENT,
};
static const struct json_field send_fields[] = {
	TEXT(scheduled_at, .min = 1),
};
/* clang-format on */

const struct json_table fcgi_resend_broadcasts_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_broadcasts_change = JSON_TABLE(change_fields);
const struct json_table fcgi_resend_broadcasts_time = JSON_TABLE(send_fields);

/* Turns an error of lib/broadcast. Returns false. */
static bool
broadcasts_fail(GError *failure, GError **error)
{
	static const char link[] = "html must have {{unsubscribe_url}}";

	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID) ||
	    strcmp(failure->message, link) != 0)
		return fcgi_resend_email_fail(failure, error);
	g_error_free(failure);
	return fcgi_resend_fail(error, RESEND_INVALID,
	    "Invalid `html` field. html must have {{{RESEND_UNSUBSCRIBE_URL}}}.");
}

/* The segment that a request names. */
struct target {
	const char *id; /* NULL: it names none */
	bool has_rules; /* it is no audience */
};

static bool
check_segment(
    struct fcgi_call *call, const struct input *input, struct target *target_r, GError **error)
{
	const char *field = input->segment_id ? "segment_id" : "audience_id";
	const struct base_id *workspace = &call->key.workspace_id;
	struct base_id id;

	*target_r =
	    (struct target){input->segment_id ? input->segment_id : input->audience_id, false};
	if (!target_r->id)
		return true;
	if (!base_id_parse(target_r->id, &id))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `%s` field. %s must be a valid UUID.", field, field);
	AUTO(store_audience) audience = store_audience_get(call->service->db, workspace, &id, NULL);
	AUTO(store_segment)
	rules = audience ? NULL : store_segment_get(call->service->db, workspace, &id, NULL);
	target_r->has_rules = rules != NULL;
	return audience || rules || fcgi_resend_missing(error, "Segment");
}

/* A draft of ours may hold any text; a client of theirs hears at once of what is no address. */
static bool
check_addresses(const struct input *input, GError **error)
{
	const struct email_submission submission = {
	    .from = input->from, .reply_to = input->reply_to};
	GError *failure = NULL;

	return email_submission_check_sender(&submission, &failure) ||
	       fcgi_resend_email_fail(failure, error);
}

/* Checks that the segment and the topic exist. */
static bool
check_targets(
    struct fcgi_call *call, const struct input *input, struct target *target_r, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	struct base_id id;

	if (!check_segment(call, input, target_r, error))
		return false;
	if (!input->topic_id)
		return true;
	AUTO(store_topic)
	topic = base_id_parse(input->topic_id, &id)
		    ? store_topic_get(call->service->db, workspace, &id, NULL)
		    : NULL;
	return topic || fcgi_resend_fail(
			    error, RESEND_INVALID, "Invalid `topic_id` field. Topic not found.");
}

static void
write_given(struct json_writer *writer, const char *key, const char *text)
{
	if (text)
		json_writer_string(writer, key, text);
}

static void
broadcasts_write_ids(struct json_writer *writer, const char *key, const char *id)
{
	json_writer_begin_array(writer, key);
	if (id)
		json_writer_string(writer, NULL, id);
	json_writer_end_array(writer);
}

/* The members of the draft that the request gives. html: as it is stored, NULL: not given. */
static struct json *
broadcasts_make_draft(const struct fcgi_call *call, const struct input *input,
    const struct target *target, const char *html, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *text = fcgi_resend_preview_text(input->text, true);

	json_writer_begin_object(writer, NULL);
	write_given(writer, "name", input->name);
	write_given(writer, "from", input->from);
	write_given(writer, "subject", input->subject);
	write_given(writer, "html", html);
	write_given(writer, "text", text);
	write_given(writer, "topic_id", input->topic_id);
	if (!input->topic_id && json_member_has(call->json, "topic_id"))
		json_writer_null(writer, "topic_id");
	if (input->reply_to) {
		json_writer_begin_array(writer, "reply_to");
		for (guint i = 0; input->reply_to[i]; i++)
			json_writer_string(writer, NULL, input->reply_to[i]);
		json_writer_end_array(writer);
	}
	if (target->id) {
		broadcasts_write_ids(writer, "audiences", target->has_rules ? NULL : target->id);
		broadcasts_write_ids(writer, "segments", target->has_rules ? target->id : NULL);
	}
	json_writer_end_object(writer);
	g_autofree char *draft = json_writer_take(writer, NULL);
	return json_parse(draft, strlen(draft), error);
}

/* Sends a draft at a time as people write it; NULL: now. */
static bool
send_draft(
    struct fcgi_call *call, const struct base_id *id, const char *scheduled_at, GError **error)
{
	struct broadcast_time time = {0};
	gint64 now = base_clock_now();
	GError *failure = NULL;

	if (scheduled_at) {
		if (!fcgi_resend_email_time(call, scheduled_at, &time.scheduled_at, error))
			return false;
		time.scheduled_at = broadcast_time_given(time.scheduled_at);
	}
	if (time.scheduled_at > now + LIMIT_SCHEDULE_MS)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `scheduled_at` field. scheduled_at must be at most 30 days ahead.");
	if (time.scheduled_at <= now && time.scheduled_at >= now - LIMIT_BROADCAST_PAST_MS)
		time.scheduled_at = 0;
	return broadcast_send(call->service, &call->key.workspace_id, id, &time, &failure) ||
	       broadcasts_fail(failure, error);
}

/* Replies with the id, and with warnings of variables that nobody has. */
static void
reply_id(struct fcgi_call *call, guint status, const struct base_id *id)
{
	const struct base_id *workspace = &call->key.workspace_id;
	AUTO(store_broadcast) broadcast =
	    store_broadcast_get(call->service->db, workspace, id, NULL);
	AUTO(json_writer) writer = json_writer_new();
	struct broadcast_content content = {0};
	AUTO(json)
	document = broadcast ? broadcast_read(broadcast->content, &content, NULL) : NULL;
	g_autoptr(GPtrArray) warnings =
	    document ? broadcast_unknown(call->service, workspace, &content, NULL) : NULL;

	json_writer_begin_object(writer, NULL);
	fcgi_resend_write_id(writer, "id", id);
	if (warnings && warnings->len > 0) {
		json_writer_begin_array(writer, "warnings");
		for (guint i = 0; i < warnings->len; i++)
			json_writer_string(writer, NULL, warnings->pdata[i]);
		json_writer_end_array(writer);
	}
	json_writer_end_object(writer);
	broadcast_clear(&content);
	fcgi_reply_json(call->reply, status, writer);
}

/* Checks what belongs together in a new broadcast. */
static bool
check_new(const struct input *input, GError **error)
{
	bool sends = input->send && json_boolean(input->send);

	if (!input->segment_id && !input->audience_id)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `segment_id` field.");
	if ((!input->html || !*input->html) && (!input->text || !*input->text))
		return fcgi_resend_fail(
		    error, RESEND_MISSING_FIELD, "Missing `html` or `text` field.");
	return sends || !input->scheduled_at ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `scheduled_at` field. scheduled_at needs send to be true.");
}

static bool
broadcasts_create(struct fcgi_call *call, const struct input *input, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	g_autofree char *html = fcgi_resend_preview_put(input->html, input->preview_text);
	GError *failure = NULL;
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	const struct broadcast_origin origin = {true, &edit->edit};
	struct target target;
	struct base_id id;

	if (!check_new(input, error) || !check_addresses(input, error) ||
	    !check_targets(call, input, &target, error))
		return false;
	AUTO(json) draft = broadcasts_make_draft(call, input, &target, html, error);
	if (!draft)
		return false;
	if (!broadcast_create(call->service, workspace, draft, &origin, &id, &failure))
		return broadcasts_fail(failure, error);
	/* One that cannot be sent is not kept. */
	if (input->send && json_boolean(input->send) &&
	    !send_draft(call, &id, input->scheduled_at, error)) {
		broadcast_remove(call->service, workspace, &id, NULL);
		return false;
	}
	reply_id(call, 201, &id);
	return true;
}

bool
fcgi_resend_broadcasts_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	bool done = fcgi_resend_read(call->json, &fcgi_resend_broadcasts_new, &input, error) &&
		    broadcasts_create(call, &input, error);

	json_fields_free(new_fields, G_N_ELEMENTS(new_fields), &input);
	return done;
}

/* The word for a status. One that was cancelled or failed is sent, if some of it has left. */
static const char *
broadcasts_status_of(const struct store_broadcast *broadcast)
{
	switch (broadcast->status) {
	case BROADCAST_DRAFT:
		return "draft";
	case BROADCAST_SCHEDULED:
	case BROADCAST_SENDING:
	case BROADCAST_TESTING:
	case BROADCAST_PAUSED:
		return "queued";
	case BROADCAST_SENT:
		return "sent";
	case BROADCAST_CANCELLED:
	case BROADCAST_FAILED:
	case BROADCAST_REMOVED:
		break;
	}
	return broadcast->started_at ? "sent" : "draft";
}

static struct json_view_value
broadcasts_read_status(const void *data)
{
	const struct broadcast_view_row *row = data;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = broadcasts_status_of(&row->stored)};
}

static struct json_view_value
broadcasts_read_audience(const void *data)
{
	const char **audiences = ((const struct broadcast_view_row *)data)->content.audiences;

	return (struct json_view_value){.type = VIEW_TEXT, .text = audiences ? audiences[0] : NULL};
}

/* An audience, or a segment with rules. */
static struct json_view_value
broadcasts_read_segment(const void *data)
{
	const char **segments = ((const struct broadcast_view_row *)data)->content.segments;
	struct json_view_value value = broadcasts_read_audience(data);

	if (!value.text && segments)
		value.text = segments[0];
	return value;
}

static struct json_view_value
broadcasts_read_sent(const void *data)
{
	const struct store_broadcast *broadcast =
	    &((const struct broadcast_view_row *)data)->stored;

	return (struct json_view_value){.type = VIEW_TIME,
	    .number = broadcast->status == BROADCAST_SENT ? broadcast->completed_at : 0};
}

static struct json_view_value
broadcasts_read_preview(const void *data)
{
	const struct broadcast_view_row *row = data;
	char *preview = NULL;
	g_autofree char *html = fcgi_resend_preview_take(row->content.html, &preview);

	return (struct json_view_value){.type = VIEW_TEXT, .text = preview, .made = preview};
}

static struct json_view_value
broadcasts_read_html(const void *data)
{
	const struct broadcast_view_row *row = data;
	g_autofree char *preview = NULL;
	char *html = fcgi_resend_preview_take(row->content.html, &preview);

	return (struct json_view_value){.type = VIEW_TEXT, .text = html, .made = html};
}

static struct json_view_value
broadcasts_read_text(const void *data)
{
	const struct broadcast_view_row *row = data;
	char *text = fcgi_resend_preview_text(row->content.text, false);

	return (struct json_view_value){.type = VIEW_TEXT, .text = text, .made = text};
}

/* Those of a list come first. */
static const struct fcgi_resend_member members[] = {
    {"id"},
    {"name"},
    {"audience_id", .read = broadcasts_read_audience},
    {"segment_id", .read = broadcasts_read_segment},
    {"status", .read = broadcasts_read_status},
    {"created_at", "created"},
    {"scheduled_at"},
    {"sent_at", .read = broadcasts_read_sent},
    {"from"},
    {"subject"},
    {"reply_to"},
    {"preview_text", .read = broadcasts_read_preview},
    {"topic_id"},
    {"html", .read = broadcasts_read_html},
    {"text", .read = broadcasts_read_text},
};
#define LISTED 8

static void
broadcasts_write_row(struct json_writer *writer, const struct service *service, const void *data)
{
	AUTO(broadcast_view_row) row = broadcast_view_row_new(data);

	fcgi_resend_write_view(writer, &broadcast_view, members, LISTED, row);
}

bool
fcgi_resend_broadcasts_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error))
		return false;
	g_autoptr(GPtrArray) broadcasts =
	    store_broadcast_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, broadcasts, broadcasts_write_row);
}

static void
broadcasts_write_members(
    struct json_writer *writer, const struct service *service, const void *data)
{
	AUTO(broadcast_view_row) row = broadcast_view_row_new(data);

	fcgi_resend_write_view(writer, &broadcast_view, members, G_N_ELEMENTS(members), row);
}

/* The broadcast of the path. */
static struct store_broadcast *
broadcasts_find(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return fcgi_resend_id(call, 0, &id, error)
		   ? store_broadcast_get(call->service->db, &call->key.workspace_id, &id, error)
		   : NULL;
}

bool
fcgi_resend_broadcasts_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_broadcast) broadcast = broadcasts_find(call, error);

	return fcgi_resend_reply_row(call, OBJECT, broadcasts_write_members, broadcast);
}

/* The html after a change of html or of the text for previews; NULL: it stays. */
static char *
change_html(const struct store_broadcast *broadcast, const struct input *input)
{
	struct broadcast_content content = {0};

	if (!input->html && !input->preview_text)
		return NULL;
	AUTO(json) document = broadcast_read(broadcast->content, &content, NULL);
	g_autofree char *preview = NULL;
	g_autofree char *html = fcgi_resend_preview_take(content.html, &preview);
	broadcast_clear(&content);
	return fcgi_resend_preview_put(
	    input->html ? input->html : html, input->preview_text ? input->preview_text : preview);
}

/* The fields are checked also for a broadcast that is not there. */
static bool
broadcasts_change(struct fcgi_call *call, const struct input *input, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	GError *failure = NULL;
	struct target target;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) || !check_addresses(input, error) ||
	    !check_targets(call, input, &target, error))
		return false;
	AUTO(store_broadcast)
	broadcast = store_broadcast_get(call->service->db, workspace, &id, &failure);
	if (!broadcast && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_clear_error(&failure);
	g_autofree char *html = broadcast ? change_html(broadcast, input) : g_strdup(input->html);
	AUTO(json) draft = broadcasts_make_draft(call, input, &target, html, error);
	if (!draft)
		return false;
	if (!broadcast_change(call->service, workspace, &id, draft, &edit->edit, &failure))
		return broadcasts_fail(failure, error);
	reply_id(call, 200, &id);
	return true;
}

bool
fcgi_resend_broadcasts_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	bool done = fcgi_resend_read(call->json, &fcgi_resend_broadcasts_change, &input, error) &&
		    broadcasts_change(call, &input, error);

	json_fields_free(change_fields, G_N_ELEMENTS(change_fields), &input);
	return done;
}

/* One that is scheduled does not leave any more. */
bool
fcgi_resend_broadcasts_delete(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	broadcast_unschedule(call->service, workspace, &id, NULL);
	if (!broadcast_remove(call->service, workspace, &id, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &id, true);
	return true;
}

bool
fcgi_resend_broadcasts_send(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct base_id id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_broadcasts_time, &input, error) ||
	    !fcgi_resend_id(call, 0, &id, error) ||
	    !send_draft(call, &id, input.scheduled_at, error))
		return false;
	reply_id(call, 200, &id);
	return true;
}

/* It is a draft again. */
bool
fcgi_resend_broadcasts_cancel(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !broadcast_unschedule(call->service, &call->key.workspace_id, &id, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &id, false);
	return true;
}

bool
fcgi_resend_broadcasts_duplicate(struct fcgi_call *call, GError **error)
{
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	struct base_id id, copy;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !broadcast_duplicate(
		call->service, &call->key.workspace_id, &id, &edit->edit, &copy, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &copy, false);
	return true;
}
