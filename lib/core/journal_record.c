/* SPDX-License-Identifier: MIT */
/* How a journal's records are written and read. */
#include "core/journal_record.h"

#include <string.h>

#include "base/id.h"
#include "base/secret.h"
#include "smtp/session.h"

/* In the machine's own order: a journal never leaves its machine. */
struct head {
	guint32 type;
	guint32 size; /* of what follows, checksum included */
	struct base_id copy;
	gint64 token;
};

struct reply {
	guint16 number;
	guint8 outcome, stage;
	gint16 code;
	guint16 text_size;
	char enhanced[SMTP_ENHANCED_SIZE];
};

#define SUM_SIZE 8

G_STATIC_ASSERT(sizeof(struct head) + SUM_SIZE == JOURNAL_MARK_SIZE);

static GByteArray *
begin(enum core_record_type type, const struct base_id *copy, gint64 token)
{
	struct head head = {.type = type, .copy = *copy, .token = token};
	GByteArray *record = g_byte_array_new();

	return g_byte_array_append(record, (const guint8 *)&head, sizeof(head));
}

static GByteArray *
end(GByteArray *record)
{
	guint32 size = (guint32)(record->len - sizeof(struct head) + SUM_SIZE);
	guint8 sum[SHA256_SIZE];

	memcpy(record->data + offsetof(struct head, size), &size, sizeof(size));
	base_secret_sha256(record->data, record->len, sum);
	return g_byte_array_append(record, sum, SUM_SIZE);
}

GByteArray *
core_journal_record(enum core_record_type type, const struct base_id *copy, gint64 token)
{
	return end(begin(type, copy, token));
}

GByteArray *
core_journal_record_done(const struct base_id *copy, gint64 token, gint64 finished,
    const struct smtp_message *message, const guint16 *numbers)
{
	GByteArray *record = begin(RECORD_DONE, copy, token);

	g_byte_array_append(record, (const guint8 *)&finished, sizeof(finished));
	for (guint i = 0; i < message->count; i++) {
		const struct smtp_recipient *recipient = &message->recipients[i];
		struct reply reply = {
		    .number = numbers[i],
		    .outcome = (guint8)recipient->outcome,
		    .stage = (guint8)recipient->stage,
		    .code = (gint16)recipient->code,
		    .text_size = recipient->text ? (guint16)strlen(recipient->text) : 0,
		};

		memcpy(reply.enhanced, recipient->enhanced, sizeof(reply.enhanced));
		g_byte_array_append(record, (const guint8 *)&reply, sizeof(reply));
		if (recipient->text)
			g_byte_array_append(
			    record, (const guint8 *)recipient->text, reply.text_size);
	}
	return end(record);
}

static void
clear_reply(void *reply)
{
	g_free(((struct core_journal_reply *)reply)->text);
}

static void
free_entry(void *data)
{
	struct core_journal_entry *entry = data;

	g_array_unref(entry->replies);
	g_free(entry);
}

static struct core_journal_entry *
entry_of(GPtrArray *entries, const struct head *head)
{
	for (guint i = entries->len; i > 0; i--) {
		struct core_journal_entry *entry = entries->pdata[i - 1];

		if (entry->token == head->token && base_id_equal(&entry->copy, &head->copy))
			return entry;
	}
	struct core_journal_entry *entry = g_new0(struct core_journal_entry, 1);
	entry->copy = head->copy;
	entry->token = head->token;
	entry->replies = g_array_new(FALSE, TRUE, sizeof(struct core_journal_reply));
	g_array_set_clear_func(entry->replies, clear_reply);
	g_ptr_array_add(entries, entry);
	return entry;
}

static void
read_done(struct core_journal_entry *entry, const guint8 *bytes, gsize size)
{
	gsize at = sizeof(entry->finished);

	if (size < at)
		return;
	memcpy(&entry->finished, bytes, at);
	entry->done = true;
	while (at + sizeof(struct reply) <= size) {
		struct reply stored;

		memcpy(&stored, bytes + at, sizeof(stored));
		at += sizeof(stored);
		if (stored.text_size > size - at)
			break;
		struct core_journal_reply reply = {
		    stored.number, stored.outcome, stored.stage, stored.code, "", NULL};
		memcpy(reply.enhanced, stored.enhanced, sizeof(reply.enhanced) - 1);
		reply.text = g_strndup((const char *)bytes + at, stored.text_size);
		at += stored.text_size;
		g_array_append_val(entry->replies, reply);
	}
}

/* What a record says of its copy. */
static void
read_record(GPtrArray *entries, const struct head *head, const guint8 *payload, gsize size)
{
	if (head->type == RECORD_IDLE)
		return;
	struct core_journal_entry *entry = entry_of(entries, head);
	entry->composing = entry->composing || head->type == RECORD_COMPOSE;
	entry->stepping = entry->stepping || head->type == RECORD_STEP;
	entry->data = entry->data || head->type == RECORD_DATA;
	if (head->type == RECORD_DONE)
		read_done(entry, payload, size);
}

GPtrArray *
core_journal_record_read(const guint8 *bytes, gsize size)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func(free_entry);
	struct head head;

	for (gsize at = 0; size - at >= sizeof(head); at += sizeof(head) + head.size) {
		guint8 sum[SHA256_SIZE];

		memcpy(&head, bytes + at, sizeof(head));
		if (head.size < SUM_SIZE || head.size > size - at - sizeof(head))
			break;
		gsize payload = head.size - SUM_SIZE;
		const guint8 *start = bytes + at + sizeof(head);
		base_secret_sha256(bytes + at, sizeof(head) + payload, sum);
		if (memcmp(sum, start + payload, SUM_SIZE) == 0)
			read_record(entries, &head, start, payload);
		else if (at > 0 || head.type < RECORD_IDLE)
			break;
	}
	return entries;
}
