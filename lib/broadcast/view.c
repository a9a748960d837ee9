/* SPDX-License-Identifier: MIT */
/* Writes broadcasts as clients see them. */
#include "broadcast/view.h"

#include <string.h>

#include "broadcast/content.h"
#include "broadcast/report.h"
#include "json/writer.h"
#include "sending/rules.h"
#include "store/broadcast/broadcast.h"

/* A time in epoch ms; null for 0. */
static void
view_write_time(struct json_writer *writer, const char *key, gint64 time)
{
	if (time)
		json_writer_integer(writer, key, time);
	else
		json_writer_null(writer, key);
}

static void
view_write_texts(struct json_writer *writer, const char *key, const char *const *texts)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; texts && texts[i]; i++)
		json_writer_string(writer, NULL, texts[i]);
	json_writer_end_array(writer);
}

static void
write_variants(struct json_writer *writer, const GArray *variants, bool brief)
{
	json_writer_begin_array(writer, "variants");
	for (guint i = 0; variants && i < variants->len; i++) {
		const struct broadcast_variant *variant =
		    &g_array_index(variants, struct broadcast_variant, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "subject", variant->subject);
		if (!brief) {
			json_writer_string(writer, "html", variant->html);
			json_writer_string(writer, "text", variant->text);
		}
		json_writer_string(writer, "template_id", variant->template_id);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
view_write_attachments(struct json_writer *writer, const GArray *attachments)
{
	json_writer_begin_array(writer, "attachments");
	for (guint i = 0; attachments && i < attachments->len; i++) {
		const struct broadcast_attachment *attachment =
		    &g_array_index(attachments, struct broadcast_attachment, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "id", attachment->id);
		json_writer_string(writer, "filename", attachment->filename);
		json_writer_string(writer, "content_type", attachment->content_type);
		json_writer_string(writer, "content_id", attachment->content_id);
		json_writer_integer(writer, "size", attachment->size);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* An object that was given, or {}. */
static void
view_write_object(struct json_writer *writer, const char *key, const struct json *object)
{
	if (object)
		json_writer_value(writer, key, object);
	else
		json_writer_raw(writer, key, "{}", 2);
}

static void
write_content(struct json_writer *writer, const struct broadcast_content *content, bool brief)
{
	json_writer_string(writer, "name", broadcast_name(content));
	json_writer_string(writer, "from", content->from);
	view_write_texts(writer, "reply_to", (const char *const *)content->reply_to);
	json_writer_string(writer, "subject", content->subject);
	json_writer_string(writer, "preview_text", content->preview_text);
	if (!brief) {
		json_writer_string(writer, "html", content->html);
		json_writer_string(writer, "text", content->text);
	}
	json_writer_string(writer, "template_id", content->template_id);
	json_writer_string(writer, "topic_id", content->topic_id);
	view_write_texts(writer, "audiences", (const char *const *)content->audiences);
	view_write_texts(writer, "segments", (const char *const *)content->segments);
	view_write_texts(
	    writer, "exclude_segments", (const char *const *)content->exclude_segments);
	json_writer_value(writer, "utm", content->utm);
	view_write_object(writer, "tags", content->tags);
	write_variants(writer, content->variants, brief);
	json_writer_integer(writer, "test_share", content->test_share);
	json_writer_string(writer, "winner_by", content->winner_by);
	json_writer_integer(writer, "decide_after", content->decide_after);
	json_writer_value(writer, "hours", content->hours);
	json_writer_boolean(writer, "ignore_cap", content->ignore_cap);
	json_writer_string(writer, "priority",
	    content->priority ? content->priority : sending_priority_name(PRIORITY_NORMAL));
}

static void
view_write_counts(struct json_writer *writer, const struct store_broadcast_counts *counts)
{
	json_writer_begin_object(writer, "counts");
	json_writer_integer(writer, "recipients", counts->recipients);
	json_writer_integer(writer, "excluded", counts->excluded);
	json_writer_integer(writer, "pending",
	    counts->recipients - counts->sent - counts->skipped - counts->failed -
		counts->cancelled);
	json_writer_integer(writer, "sent", counts->sent);
	json_writer_integer(writer, "skipped", counts->skipped);
	json_writer_integer(writer, "failed", counts->failed);
	json_writer_integer(writer, "cancelled", counts->cancelled);
	json_writer_end_object(writer);
}

static void
view_write_state(struct json_writer *writer, const struct store_broadcast *broadcast)
{
	json_writer_string(writer, "status", store_broadcast_status_name(broadcast->status));
	json_writer_string(writer, "pause_reason", store_broadcast_pause_name(broadcast->pause));
	json_writer_string(writer, "error", broadcast->error);
	json_writer_string(writer, "warning", broadcast->lacks_link ? STORE_BROADCAST_LACKS : NULL);
	if (broadcast->winner >= 0)
		json_writer_integer(writer, "winner", broadcast->winner);
	else
		json_writer_null(writer, "winner");
	view_write_time(writer, "scheduled_at", broadcast->scheduled_at);
	json_writer_string(writer, "local_time", broadcast->local_time);
	json_writer_string(writer, "time_zone", broadcast->time_zone);
	json_writer_integer(writer, "spread", broadcast->spread);
	view_write_time(writer, "started_at", broadcast->started_at);
	view_write_time(writer, "completed_at", broadcast->completed_at);
	json_writer_integer(writer, "created", broadcast->created);
	json_writer_integer(writer, "updated", broadcast->updated);
	view_write_counts(writer, &broadcast->counts);
}

void
broadcast_view_write(
    struct json_writer *writer, const struct store_broadcast *broadcast, bool brief)
{
	struct broadcast_content content = {0};
	char id[ID_TEXT_SIZE];
	AUTO(json) document = broadcast_read(broadcast->content, &content, NULL);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&broadcast->id, id));
	write_content(writer, &content, brief);
	view_write_attachments(writer, content.attachments);
	view_write_state(writer, broadcast);
	json_writer_end_object(writer);
	broadcast_clear(&content);
}

void
broadcast_view_version(struct json_writer *writer, const char *text)
{
	struct broadcast_content content = {0};
	AUTO(json) document = broadcast_read(text, &content, NULL);

	write_content(writer, &content, false);
	broadcast_clear(&content);
}

static void
write_score(struct json_writer *writer, const struct broadcast_report *report)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (!report->has_score) {
		json_writer_null(writer, "spam_score");
		return;
	}
	g_ascii_formatd(text, sizeof(text), "%.10g", report->score);
	json_writer_raw(writer, "spam_score", text, strlen(text));
}

void
broadcast_view_report(struct json_writer *writer, const struct broadcast_report *report)
{
	json_writer_begin_object(writer, NULL);
	json_writer_boolean(writer, "ok", report->ok);
	if (report->recipients < 0)
		json_writer_null(writer, "recipients");
	else
		json_writer_integer(writer, "recipients", report->recipients);
	json_writer_integer(writer, "size", (gint64)report->size);
	write_score(writer, report);
	json_writer_begin_array(writer, "findings");
	for (guint i = 0; i < report->findings->len; i++) {
		const struct broadcast_finding *finding = report->findings->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "level", finding->level);
		json_writer_string(writer, "code", finding->code);
		json_writer_string(writer, "message", finding->message);
		json_writer_integer(writer, "count", finding->count);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
}
