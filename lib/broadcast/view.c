/* SPDX-License-Identifier: MIT */
/* Writes broadcasts as clients see them. */
#include "broadcast/view.h"

#include <string.h>

#include "broadcast/report.h"
#include "json/writer.h"
#include "sending/rules.h"

/* context: whether it is for a list, without html and text. */
static void
view_write_variants(
    struct json_writer *writer, const char *key, const void *data, const void *context)
{
	const GArray *variants = ((const struct broadcast_view_row *)data)->content.variants;
	const bool *is_brief = context;

	json_writer_begin_array(writer, key);
	for (guint i = 0; variants && i < variants->len; i++) {
		const struct broadcast_variant *variant =
		    &g_array_index(variants, struct broadcast_variant, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "subject", variant->subject);
		if (!*is_brief) {
			json_writer_string(writer, "html", variant->html);
			json_writer_string(writer, "text", variant->text);
		}
		json_writer_string(writer, "template_id", variant->template_id);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
view_write_attachments(
    struct json_writer *writer, const char *key, const void *data, const void *context)
{
	const GArray *attachments = ((const struct broadcast_view_row *)data)->content.attachments;

	json_writer_begin_array(writer, key);
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

static void
view_write_counts(
    struct json_writer *writer, const char *key, const void *data, const void *context)
{
	const struct store_broadcast_counts *counts =
	    &((const struct broadcast_view_row *)data)->stored.counts;

	json_writer_begin_object(writer, key);
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

static struct json_view_value
view_text(const char *text)
{
	return (struct json_view_value){.type = VIEW_TEXT, .text = text};
}

static struct json_view_value
view_read_name(const void *data)
{
	return view_text(broadcast_name(&((const struct broadcast_view_row *)data)->content));
}

/* The object that was given, or {}. */
static struct json_view_value
view_read_tags(const void *data)
{
	const struct json *tags = ((const struct broadcast_view_row *)data)->content.tags;

	return tags ? (struct json_view_value){.type = VIEW_VALUE, .value = tags}
		    : (struct json_view_value){.type = VIEW_JSON, .text = "{}"};
}

static struct json_view_value
view_read_priority(const void *data)
{
	const char *priority = ((const struct broadcast_view_row *)data)->content.priority;

	return view_text(priority ? priority : sending_priority_name(PRIORITY_NORMAL));
}

static struct json_view_value
broadcast_view_read_status(const void *data)
{
	const struct broadcast_view_row *row = data;

	return view_text(store_broadcast_status_name(row->stored.status));
}

static struct json_view_value
view_read_pause(const void *data)
{
	const struct broadcast_view_row *row = data;

	return view_text(store_broadcast_pause_name(row->stored.pause));
}

static struct json_view_value
view_read_warning(const void *data)
{
	const struct broadcast_view_row *row = data;

	return view_text(row->stored.lacks_link ? STORE_BROADCAST_LACKS : NULL);
}

static struct json_view_value
view_read_winner(const void *data)
{
	const int winner = ((const struct broadcast_view_row *)data)->stored.winner;

	return (struct json_view_value){
	    .type = winner < 0 ? VIEW_NULL : VIEW_INTEGER, .number = winner};
}

/* clang-format off */
#define CONTENT(name, type, ...) JSON_VIEW_MEMBER(#name, type, struct broadcast_view_row, content.name, __VA_ARGS__)
#define STORED(name, type) JSON_VIEW_MEMBER(#name, type, struct broadcast_view_row, stored.name)
#define CONTENTS \
	{"name", VIEW_MADE, .read = view_read_name}, \
	CONTENT(from, VIEW_TEXT), \
	CONTENT(reply_to, VIEW_TEXTS), \
	CONTENT(subject, VIEW_TEXT), \
	CONTENT(preview_text, VIEW_TEXT), \
	CONTENT(html, VIEW_TEXT, .is_long = true), \
	CONTENT(text, VIEW_TEXT, .is_long = true), \
	CONTENT(template_id, VIEW_TEXT), \
	CONTENT(topic_id, VIEW_TEXT), \
	CONTENT(audiences, VIEW_TEXTS), \
	CONTENT(segments, VIEW_TEXTS), \
	CONTENT(exclude_segments, VIEW_TEXTS), \
	CONTENT(utm, VIEW_VALUE), \
	{"tags", VIEW_MADE, .read = view_read_tags}, \
	{"variants", VIEW_PART, .write = view_write_variants}, \
	CONTENT(test_share, VIEW_INTEGER), \
	CONTENT(winner_by, VIEW_TEXT), \
	CONTENT(decide_after, VIEW_INTEGER), \
	CONTENT(hours, VIEW_VALUE), \
	CONTENT(ignore_cap, VIEW_TRUTH), \
	{"priority", VIEW_MADE, .read = view_read_priority}
static const struct json_view_member members[] = {
	STORED(id, VIEW_ID),
	CONTENTS,
	{"attachments", VIEW_PART, .write = view_write_attachments},
	{"status", VIEW_MADE, .read = broadcast_view_read_status},
	{"pause_reason", VIEW_MADE, .read = view_read_pause},
	STORED(error, VIEW_TEXT),
	{"warning", VIEW_MADE, .read = view_read_warning},
	{"winner", VIEW_MADE, .read = view_read_winner},
	STORED(scheduled_at, VIEW_TIME),
	STORED(local_time, VIEW_TEXT),
	STORED(time_zone, VIEW_TEXT),
	STORED(spread, VIEW_INTEGER),
	STORED(started_at, VIEW_TIME),
	STORED(completed_at, VIEW_TIME),
	STORED(created, VIEW_TIME),
	STORED(updated, VIEW_TIME),
	{"counts", VIEW_PART, .write = view_write_counts},
};
static const struct json_view_member version_members[] = {CONTENTS};
/* clang-format on */

const struct json_view broadcast_view = JSON_VIEW(members);
static const struct json_view list = {members, G_N_ELEMENTS(members), .is_list = true};
static const struct json_view version = JSON_VIEW(version_members);

struct broadcast_view_row *
broadcast_view_row_new(const struct store_broadcast *broadcast)
{
	struct broadcast_view_row *row = g_new0(struct broadcast_view_row, 1);

	row->stored = *broadcast;
	row->document = broadcast_read(broadcast->content, &row->content, NULL);
	return row;
}

void
broadcast_view_row_free(struct broadcast_view_row *row)
{
	broadcast_clear(&row->content);
	g_clear_pointer(&row->document, json_free);
	g_free(row);
}

void
broadcast_view_write(
    struct json_writer *writer, const struct store_broadcast *broadcast, bool brief)
{
	AUTO(broadcast_view_row) row = broadcast_view_row_new(broadcast);

	json_view_write(writer, brief ? &list : &broadcast_view, row, &brief);
}

void
broadcast_view_version(struct json_writer *writer, const char *text)
{
	const struct store_broadcast broadcast = {.content = (char *)text};
	AUTO(broadcast_view_row) row = broadcast_view_row_new(&broadcast);
	const bool brief = false;

	json_view_write_members(writer, &version, row, &brief);
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
