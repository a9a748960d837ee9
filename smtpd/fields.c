/* SPDX-License-Identifier: MIT */
/* Reads the header fields that steer, by a table of their names. */
#include "smtpd/fields.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/request.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/incoming.h"
#include "mail/message.h"

#define TAG "tag"

/* The fields that are read so far. */
struct reading {
	struct smtpd_fields *fields;
	GPtrArray *names, *values; /* char *, of the tags, in their order */
	guint plain;		   /* tags without a name */
	const char *field; /* the name of the field in hand, as the table or the client has it */
	const char *rest;  /* of that name, behind the part that the table has */
};

static bool
fields_has_tag(const struct reading *reading, const char *name)
{
	return g_ptr_array_find_with_equal_func(reading->names, name, g_str_equal, NULL);
}

/* The first of several tags with one name counts, and the first LIMIT_TAGS. */
static void
fields_add_tag(struct reading *reading, const char *name, const char *value)
{
	if (reading->names->len >= LIMIT_TAGS || fields_has_tag(reading, name))
		return;
	g_ptr_array_add(reading->names, g_utf8_make_valid(name, -1));
	g_ptr_array_add(reading->values, g_utf8_make_valid(value, -1));
}

/* The first tag without a name is called tag, the next ones tag2, tag3. */
static void
fields_add_plain(struct reading *reading, const char *value)
{
	g_autofree char *name = g_strdup(TAG);

	while (fields_has_tag(reading, name)) {
		g_free(name);
		name = g_strdup_printf(TAG "%u", ++reading->plain + 1);
	}
	fields_add_tag(reading, name, value);
}

static bool
fields_read_key(struct reading *reading, char *value, GError **error)
{
	gsize length = strlen(value);

	if (reading->fields->key)
		return true;
	for (const char *p = value; *p; p++)
		if (*p < ' ' || *p > '~')
			length = 0;
	if (length < 1 || length > LIMIT_IDEMPOTENCY_KEY_LENGTH)
		return base_invalid(error, "%s must be 1 to %d printable characters",
		    reading->field, LIMIT_IDEMPOTENCY_KEY_LENGTH);
	reading->fields->key = g_strdup(value);
	return true;
}

static bool
fields_read_message_id(struct reading *reading, char *value, GError **error)
{
	if (!reading->fields->message_id && *value)
		reading->fields->message_id = g_strdup(value);
	return true;
}

static bool
fields_read_named_tag(struct reading *reading, char *value, GError **error)
{
	char *equals = strchr(value, '=');

	if (!equals) {
		fields_add_plain(reading, value);
		return true;
	}
	*equals = '\0';
	fields_add_tag(reading, g_strchomp(value), g_strchug(equals + 1));
	return true;
}

static bool
fields_read_plain_tag(struct reading *reading, char *value, GError **error)
{
	fields_add_plain(reading, value);
	return true;
}

static void
fields_set_time(struct reading *reading, gint64 time)
{
	/* 0 is no time; the first of 1970 is in the past, as it is. */
	if (reading->fields->scheduled_at == 0)
		reading->fields->scheduled_at = MAX(time, 1);
}

static bool
fields_read_send_at(struct reading *reading, char *value, GError **error)
{
	gint64 time;

	if (!g_ascii_string_to_signed(value, 10, 0, G_MAXINT64, &time, NULL) &&
	    !base_clock_parse(value, &time))
		return base_invalid(
		    error, "%s must be epoch milliseconds or an ISO 8601 time", reading->field);
	fields_set_time(reading, time);
	return true;
}

static bool
fields_read_deliver_by(struct reading *reading, char *value, GError **error)
{
	gint64 time;

	if (!mail_date_parse(value, &time))
		return base_invalid(error, "%s must be a date", reading->field);
	fields_set_time(reading, time);
	return true;
}

static bool
fields_read_unknown(struct reading *reading, char *value, GError **error)
{
	return base_invalid(error, "X-Posthouse-%s is not known", reading->rest);
}

static bool
fields_read_nothing(struct reading *reading, char *value, GError **error)
{
	return true;
}

static bool
fields_read_drop(struct reading *reading, char *value, GError **error)
{
	return g_ascii_strcasecmp(value, "yes") != 0 ||
	       base_invalid(error, "%s is not supported", reading->field);
}

static bool
fields_read_metadata(struct reading *reading, char *value, GError **error)
{
	if (*reading->rest)
		fields_add_tag(reading, reading->rest, value);
	return true;
}

/* A value of JSON as a text. The caller owns it. */
static char *
fields_text(const struct json *value)
{
	const char *text = json_string(value, NULL);

	return text ? g_strdup(text) : json_print(value);
}

static void
fields_add_members(struct reading *reading, const struct json *object)
{
	for (gsize i = 0; i < json_member_count(object); i++) {
		const char *name;
		const struct json *value = json_member_at(object, i, &name);
		g_autofree char *text = value ? fields_text(value) : NULL;

		if (text && *name)
			fields_add_tag(reading, name, text);
	}
}

static bool
fields_read_variables(struct reading *reading, char *value, GError **error)
{
	AUTO(json) document = json_parse_as(reading->field, value, strlen(value), error);

	if (document)
		fields_add_members(reading, document);
	return document != NULL;
}

/* "a=b, c=d" */
static bool
fields_read_list(struct reading *reading, char *value, GError **error)
{
	g_auto(GStrv) pairs = g_strsplit(value, ",", -1);

	for (char **pair = pairs; *pair; pair++)
		if (*g_strstrip(*pair))
			fields_read_named_tag(reading, *pair, error);
	return true;
}

/* The time of an X-SMTPAPI: a number, or a text that is one. */
static bool
fields_read_seconds(struct reading *reading, const struct json *value, GError **error)
{
	const char *text = json_string(value, NULL);
	gint64 seconds;

	if (json_kind(value) == JSON_NULL)
		return true;
	if (json_kind(value) == JSON_INTEGER)
		seconds = json_integer(value);
	else if (!text || !g_ascii_string_to_signed(text, 10, 0, G_MAXINT64, &seconds, NULL))
		return base_invalid(
		    error, "send_at of %s must be a time in seconds", reading->field);
	fields_set_time(reading, CLAMP(seconds, 0, G_MAXINT64 / 1000) * 1000);
	return true;
}

static bool
fields_read_smtpapi(struct reading *reading, char *value, GError **error)
{
	static const char *const steers[] = {"to", "sub", "section"};
	AUTO(json) document = json_parse_as(reading->field, value, strlen(value), error);

	if (!document)
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(steers); i++)
		if (json_member_has(document, steers[i]))
			return base_invalid(
			    error, "%s with %s is not supported", reading->field, steers[i]);
	const struct json *category = json_member_get(document, "category");
	if (json_kind(category) == JSON_STRING)
		fields_add_plain(reading, json_string(category, NULL));
	for (gsize i = 0; i < json_array_length(category); i++)
		if (json_kind(json_array_at(category, i)) == JSON_STRING)
			fields_add_plain(reading, json_string(json_array_at(category, i), NULL));
	fields_add_members(reading, json_member_get(document, "unique_args"));
	return fields_read_seconds(reading, json_member_get(document, "send_at"), error);
}

/* The first row whose name is the field's, or its beginning, counts. */
static const struct row {
	const char *name;
	bool is_start; /* the rest of the field's name may be anything */
	bool stays;    /* the field is not taken out */
	bool is_exact; /* its value has no encoded words */
	bool (*read)(struct reading *reading, char *value, GError **error);
} rows[] = {
    {"Message-ID", false, true, true, fields_read_message_id},
    {"Idempotency-Key", false, false, true, fields_read_key},
    {"Resend-Idempotency-Key", false, false, true, fields_read_key},
    {"X-Posthouse-Tag", false, false, false, fields_read_named_tag},
    {"X-Posthouse-Send-At", false, false, false, fields_read_send_at},
    {"X-Posthouse-", true, false, false, fields_read_unknown},
    {"X-PM-Tag", false, false, false, fields_read_plain_tag},
    {"X-Mailgun-Tag", false, false, false, fields_read_plain_tag},
    {"X-Mailin-Tag", false, false, false, fields_read_plain_tag},
    {"X-SMTPAPI", false, false, false, fields_read_smtpapi},
    {"X-PM-Metadata-", true, false, false, fields_read_metadata},
    {"X-Mailgun-Variables", false, false, false, fields_read_variables},
    {"X-SES-MESSAGE-TAGS", false, false, false, fields_read_list},
    {"X-Mailgun-Deliver-By", false, false, false, fields_read_deliver_by},
    {"X-Mailgun-Drop-Message", false, false, false, fields_read_drop},
    {"X-PM-", true, false, false, fields_read_nothing},
    {"X-Mailgun-", true, false, false, fields_read_nothing},
    {"X-SES-", true, false, false, fields_read_nothing},
    {"X-Mailin-", true, false, false, fields_read_nothing},
};

static const struct row *
fields_find(const char *name, gsize size)
{
	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		gsize length = strlen(rows[i].name);

		if ((size == length || (rows[i].is_start && size > length)) &&
		    g_ascii_strncasecmp(name, rows[i].name, length) == 0)
			return &rows[i];
	}
	return NULL;
}

/* The beginning of the next line: behind LF, or behind CRs that no LF follows. */
static const char *
fields_next_line(const char *line, const char *end)
{
	while (line < end && *line != '\r' && *line != '\n')
		line++;
	while (line < end && *line == '\r')
		line++;
	return line < end && *line == '\n' ? line + 1 : line;
}

/* The end of the field that begins here, with the lines that it is folded into. */
static const char *
fields_end(const char *field, const char *end)
{
	do
		field = fields_next_line(field, end);
	while (field < end && (*field == ' ' || *field == '\t'));
	return field;
}

/* The value on one line, without blanks around it. The caller owns it. */
static char *
fields_unfold(const char *value, const char *end)
{
	GString *text = g_string_sized_new((gsize)(end - value));

	for (; value < end; value++)
		if (*value != '\r' && *value != '\n')
			g_string_append_c(text, *value ? *value : ' ');
	return g_strstrip(g_string_free(text, FALSE));
}

/* Reads the field from begin to end. *stays_r: it is to stay in the message. */
static bool
fields_read_one(
    struct reading *reading, const char *begin, const char *end, bool *stays_r, GError **error)
{
	const char *p = begin;

	while (p<end && * p> ' ' && *p < 0x7f && *p != ':')
		p++;
	const struct row *row = fields_find(begin, (gsize)(p - begin));
	*stays_r = !row || row->stays;
	if (!row)
		return true;
	g_autofree char *name = g_strndup(begin, (gsize)(p - begin));
	while (p < end && *p != ':')
		p++;
	g_autofree char *value = fields_unfold(MIN(p + 1, end), end);
	if (!row->is_exact && strstr(value, "=?")) {
		char *plain = mail_incoming_text(value);
		g_free(value);
		value = plain;
	}
	reading->field = row->is_start ? name : row->name;
	reading->rest = name + strlen(row->name);
	return row->read(reading, value, error);
}

/* Whether a field begins here. The first line may be that of an mbox. */
static bool
fields_is_field(const char *line, const char *end)
{
	const char *p = line;

	while (p<end && * p> ' ' && *p < 0x7f && *p != ':')
		p++;
	bool has_name = p > line;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return has_name && p < end && *p == ':';
}

static bool
fields_read_header(struct reading *reading, const char *data, const char *end, GError **error)
{
	GByteArray *message = reading->fields->message;
	const char *field = data, *kept = data, *next;

	if (end - field > 5 && memcmp(field, "From ", 5) == 0)
		field = fields_next_line(field, end);
	for (; fields_is_field(field, end); field = next) {
		bool stays;

		next = fields_end(field, end);
		if (!fields_read_one(reading, field, next, &stays, error))
			return false;
		if (stays)
			continue;
		g_byte_array_append(message, (const guint8 *)kept, (guint)(field - kept));
		kept = next;
	}
	g_byte_array_append(message, (const guint8 *)kept, (guint)(end - kept));
	return true;
}

static struct json *
fields_make_tags(const struct reading *reading, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	gsize size;

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < reading->names->len; i++)
		json_writer_string(writer, reading->names->pdata[i], reading->values->pdata[i]);
	json_writer_end_object(writer);
	char *text = json_writer_take(writer, &size);
	return json_parse_take(text, size, error);
}

bool
smtpd_fields_read(const void *data, gsize size, struct smtpd_fields *fields_r, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	struct reading reading = {.fields = fields_r, .names = names, .values = values};

	*fields_r = (struct smtpd_fields){.message = g_byte_array_sized_new((guint)size + 1)};
	if (!fields_read_header(&reading, data, (const char *)data + size, error))
		return false;
	if (names->len == 0)
		return true;
	fields_r->tags = fields_make_tags(&reading, error);
	return fields_r->tags != NULL;
}

void
smtpd_fields_clear(struct smtpd_fields *fields)
{
	g_byte_array_unref(fields->message);
	g_free(fields->key);
	g_free(fields->message_id);
	json_free(fields->tags);
}
