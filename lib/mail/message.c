/* SPDX-License-Identifier: MIT */
/* Composes messages: the header, and the parts with the boundaries between them. */
#include "mail/message.h"

#include <stdlib.h>
#include <string.h>

#include <gmime/gmime.h>

#include "base/limits/email.h"
#include "mail/address.h"
#include "mail/cid.h"
#include "mail/encoding.h"
#include "mail/field.h"
#include "mail/header.h"
#include "mail/structured.h"

/* The wrappers, each by the letter that ends its boundaries. */
enum wrapper { WRAPPER_MIXED = 'm', WRAPPER_ALTERNATIVE = 'a', WRAPPER_RELATED = 'r' };

struct text_part {
	const char *subtype; /* of text/ */
	const char *data;    /* NULL for none */
	gsize size;
	enum mail_encoding encoding;
};

/* The wrapper that an attachment stands in. */
enum place {
	PLACE_MIXED,	   /* an attachment */
	PLACE_RELATED,	   /* a part of the html */
	PLACE_ALTERNATIVE, /* another form of the texts */
};

struct composer {
	const struct mail_message *message;
	enum place *places; /* of each attachment */
	char stem[35];	    /* the prefix of all boundaries; it occurs in no unencoded part */
	struct text_part html;
	struct text_part text;
	guint counts[PLACE_ALTERNATIVE + 1]; /* of attachments, by their place */
	char *own_html; /* with completed references to parts; NULL: as given */
	GString *out;
};

#define TYPE_UNKNOWN "application/octet-stream"

/* Checks that no value of it breaks out of its place in the message. INVALID otherwise; the
   message continues the attachment's name: "filename must ...". */
static bool
message_check_attachment(const struct mail_attachment *attachment, GError **error)
{
	const char *filename = attachment->filename ? attachment->filename : "";
	const char *type = attachment->content_type;
	const char *id = attachment->content_id;

	if (!mail_check_text("filename", filename, error))
		return false;
	if (g_utf8_strlen(filename, -1) > LIMIT_FILENAME_LENGTH)
		return mail_check_fault(
		    error, "filename must not be longer than %d", LIMIT_FILENAME_LENGTH);
	if (type && (strlen(type) > LIMIT_CONTENT_TYPE_LENGTH || !mail_header_content_type(type)))
		return mail_check_fault(error,
		    "content_type must be a media type of at most %d characters",
		    LIMIT_CONTENT_TYPE_LENGTH);
	if (id && (strlen(id) > LIMIT_CONTENT_ID_LENGTH || !mail_header_id(id, strlen(id))))
		return mail_check_fault(error,
		    "content_id must be 1 to %d ASCII characters without spaces",
		    LIMIT_CONTENT_ID_LENGTH);
	return true;
}

static bool
is_composite(const char *type)
{
	return g_ascii_strncasecmp(type, "message/", 8) == 0 ||
	       g_ascii_strncasecmp(type, "multipart/", 10) == 0;
}

/* The only composite content that is sent under its own type, since it needs no encoding. */
static bool
is_plain_message(const struct mail_attachment *attachment, const char *reserved)
{
	gsize size;

	return attachment->content_type &&
	       g_ascii_strncasecmp(attachment->content_type, "message/", 8) == 0 &&
	       mail_encoding_choose(attachment->data, attachment->size, reserved, &size) ==
		   MAIL_ENCODING_7BIT;
}

/* Whether a type has this parameter. */
static bool
message_has_parameter(const char *type, const char *name)
{
	for (const char *p = strchr(type, ';'); p; p = strchr(p + 1, ';')) {
		const char *own = p + 1 + strspn(p + 1, " \t");
		gsize size = strlen(name);

		if (g_ascii_strncasecmp(own, name, size) == 0 && own[size] == '=')
			return true;
	}
	return false;
}

static bool
is_text(const char *type)
{
	return type && g_ascii_strncasecmp(type, "text/", 5) == 0;
}

/* The name belongs in Content-Disposition; older readers look for it here. A type with parameters
   is left as it is, but for another form of the texts, which has no disposition. */
static void
write_type(GString *out, const struct mail_attachment *attachment, bool plain)
{
	const char *type = attachment->content_type;
	bool is_named = attachment->filename && *attachment->filename;
	struct mail_field field;

	if (!type || (is_composite(type) && !plain))
		type = TYPE_UNKNOWN;
	mail_field_begin(&field, out, "Content-Type");
	mail_field_words(&field, type);
	if (attachment->alternative && is_text(type) && !message_has_parameter(type, "charset") &&
	    g_utf8_validate(attachment->data, (gssize)attachment->size, NULL))
		g_string_append(out, "; charset=utf-8");
	if (is_named &&
	    (attachment->alternative ? !message_has_parameter(type, "name") : !strchr(type, ';')))
		mail_field_parameter_words(&field, "name", attachment->filename);
	mail_field_end(&field);
}

static void
message_write_id(const struct composer *composer, const struct mail_attachment *attachment)
{
	if (!attachment->content_id)
		return;
	g_autofree char *id =
	    mail_cid_full(attachment->content_id, mail_address_domain(composer->message->from));
	g_string_append_printf(composer->out, "Content-ID: <%s>\r\n", id);
}

static void
write_disposition(GString *out, const struct mail_attachment *attachment, enum place place)
{
	struct mail_field field;

	if (place == PLACE_ALTERNATIVE)
		return;
	mail_field_begin(&field, out, "Content-Disposition");
	mail_field_word(&field, " ", place == PLACE_RELATED ? "inline" : "attachment");
	if (attachment->filename && *attachment->filename)
		mail_field_parameter(&field, "filename", attachment->filename);
	mail_field_end(&field);
}

/* Appends an attachment as a part: header, empty line, content, without a final CRLF. */
static void
write_attachment(
    const struct composer *composer, const struct mail_attachment *attachment, enum place place)
{
	bool plain = is_plain_message(attachment, composer->stem);

	write_type(composer->out, attachment, plain);
	mail_encoding_field(composer->out, plain ? MAIL_ENCODING_7BIT : MAIL_ENCODING_BASE64);
	message_write_id(composer, attachment);
	write_disposition(composer->out, attachment, place);
	g_string_append(composer->out, "\r\n");
	if (plain)
		mail_encoding_text(
		    composer->out, MAIL_ENCODING_7BIT, attachment->data, attachment->size);
	else
		mail_encoding_bytes(composer->out, attachment->data, attachment->size);
}

char *
mail_date_format(gint64 epoch_ms)
{
	/* Not g_date_time_format, whose names follow the locale. */
	static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	static const char *const months[] = {
	    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	gint64 seconds = epoch_ms / 1000 - (epoch_ms % 1000 < 0);
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);

	if (!time)
		return NULL;
	return g_strdup_printf("%s, %02d %s %04d %02d:%02d:%02d +0000",
	    days[g_date_time_get_day_of_week(time) - 1], g_date_time_get_day_of_month(time),
	    months[g_date_time_get_month(time) - 1], g_date_time_get_year(time),
	    g_date_time_get_hour(time), g_date_time_get_minute(time), g_date_time_get_second(time));
}

bool
mail_date_valid(const char *text)
{
	static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	static GRegex *form;
	g_autoptr(GMatchInfo) match = NULL;

	if (g_once_init_enter(&form)) {
		GRegex *made = g_regex_new(
		    "^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?(\\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|"
		    "Jul|Aug|Sep|Oct|Nov|Dec) (\\d{4}) (?:[01]\\d|2[0-3]):[0-5]\\d(?::(?:[0-5]\\d|"
		    "60))? (?:[+-](?:0\\d|1[0-4])[0-5]\\d|GMT|UTC?)\\z",
		    G_REGEX_CASELESS, 0, NULL);
		g_once_init_leave(&form, made);
	}
	if (!g_regex_match(form, text, 0, &match))
		return false;
	g_autofree char *day = g_match_info_fetch(match, 1), *word = g_match_info_fetch(match, 2),
			*year = g_match_info_fetch(match, 3);
	g_autofree char *month = g_ascii_strdown(word, -1);
	return g_date_valid_dmy((GDateDay)atoi(day),
	    (GDateMonth)((strstr(months, month) - months) / 3 + 1), (GDateYear)atoi(year));
}

bool
mail_date_parse(const char *text, gint64 *epoch_ms_r)
{
	g_autoptr(GDateTime) time =
	    mail_date_valid(text) ? g_mime_utils_header_decode_date(text) : NULL;

	if (time)
		*epoch_ms_r = g_date_time_to_unix(time) * 1000;
	return time != NULL;
}

static void
message_write_addresses(GString *out, const char *name, const GPtrArray *addresses)
{
	struct mail_field field;

	if (!addresses || addresses->len == 0)
		return;
	mail_field_begin(&field, out, name);
	for (guint i = 0; i < addresses->len; i++)
		mail_field_address(&field, addresses->pdata[i], i + 1 < addresses->len);
	mail_field_end(&field);
}

static void
write_subject(GString *out, const char *subject)
{
	struct mail_field field;

	mail_field_begin(&field, out, "Subject");
	mail_field_text(&field, subject);
	mail_field_end(&field);
}

static void
message_write_headers(GString *out, const struct mail_header *headers, guint count)
{
	struct mail_field field;

	for (guint i = 0; i < count; i++) {
		mail_field_begin(&field, out, headers[i].name);
		mail_structured_write(&field, &headers[i]);
		mail_field_end(&field);
	}
}

static void
write_message_id(GString *out, const char *id)
{
	struct mail_field field;

	mail_field_begin(&field, out, "Message-ID");
	mail_field_word(&field, " ", id);
	mail_field_end(&field);
}

static void
message_write_header(const struct composer *composer, const char *date)
{
	const struct mail_message *message = composer->message;
	GString *out = composer->out;
	gpointer from[] = {(gpointer)message->from};
	GPtrArray authors = {.pdata = from, .len = 1};

	g_string_append_printf(
	    out, "Date: %s\r\n", message->given_date ? message->given_date : date);
	message_write_addresses(out, "From", &authors);
	message_write_addresses(out, "To", message->to);
	message_write_addresses(out, "Cc", message->cc);
	message_write_addresses(out, "Reply-To", message->reply_to);
	write_subject(out, message->subject);
	write_message_id(out, message->message_id);
	message_write_headers(out, message->headers, message->header_count);
	message_write_headers(out, message->extra, message->extra_count);
	g_string_append(out, "MIME-Version: 1.0\r\n");
}

static void
open_wrapper(const struct composer *composer, enum wrapper wrapper, const char *type)
{
	struct mail_field field;
	char boundary[sizeof(composer->stem) + 2];

	g_snprintf(boundary, sizeof(boundary), "%s_%c", composer->stem, wrapper);
	mail_field_begin(&field, composer->out, "Content-Type");
	mail_field_word(&field, " ", type);
	mail_field_parameter(&field, "boundary", boundary);
	if (wrapper == WRAPPER_RELATED)
		mail_field_parameter(&field, "type", "text/html");
	mail_field_end(&field);
}

/* The line break before it belongs to it (RFC 2046 section 5.1.1); before the first part, that is
 * the empty line that ends the header. */
static void
write_boundary(const struct composer *composer, enum wrapper wrapper)
{
	g_string_append_printf(composer->out, "\r\n--%s_%c\r\n", composer->stem, wrapper);
}

static void
close_wrapper(const struct composer *composer, enum wrapper wrapper)
{
	g_string_append_printf(composer->out, "\r\n--%s_%c--", composer->stem, wrapper);
}

static void
message_write_attachments(const struct composer *composer, enum wrapper wrapper, enum place place)
{
	const struct mail_message *message = composer->message;

	for (guint i = 0; i < message->attachment_count; i++) {
		if (composer->places[i] != place)
			continue;
		write_boundary(composer, wrapper);
		write_attachment(composer, &message->attachments[i], place);
	}
}

static void
message_write_text(GString *out, const struct text_part *text)
{
	g_string_append_printf(out, "Content-Type: text/%s; charset=utf-8\r\n", text->subtype);
	mail_encoding_field(out, text->encoding);
	g_string_append(out, "\r\n");
	mail_encoding_text(out, text->encoding, text->data, text->size);
}

static void
message_write_html(const struct composer *composer)
{
	if (composer->counts[PLACE_RELATED] == 0) {
		message_write_text(composer->out, &composer->html);
		return;
	}
	open_wrapper(composer, WRAPPER_RELATED, "multipart/related");
	write_boundary(composer, WRAPPER_RELATED);
	message_write_text(composer->out, &composer->html);
	message_write_attachments(composer, WRAPPER_RELATED, PLACE_RELATED);
	close_wrapper(composer, WRAPPER_RELATED);
}

/* The forms of the text, the plainest first (RFC 2046 section 5.1.4). */
static void
message_write_texts(const struct composer *composer)
{
	const struct mail_message *message = composer->message;
	bool has_text = message->text || !message->html;

	if (composer->counts[PLACE_ALTERNATIVE] == 0 && !(message->html && message->text)) {
		if (message->html)
			message_write_html(composer);
		else
			message_write_text(composer->out, &composer->text);
		return;
	}
	open_wrapper(composer, WRAPPER_ALTERNATIVE, "multipart/alternative");
	if (has_text) {
		write_boundary(composer, WRAPPER_ALTERNATIVE);
		message_write_text(composer->out, &composer->text);
	}
	if (message->html) {
		write_boundary(composer, WRAPPER_ALTERNATIVE);
		message_write_html(composer);
	}
	message_write_attachments(composer, WRAPPER_ALTERNATIVE, PLACE_ALTERNATIVE);
	close_wrapper(composer, WRAPPER_ALTERNATIVE);
}

static void
write_parts(const struct composer *composer)
{
	if (composer->counts[PLACE_MIXED] == 0) {
		message_write_texts(composer);
		return;
	}
	open_wrapper(composer, WRAPPER_MIXED, "multipart/mixed");
	write_boundary(composer, WRAPPER_MIXED);
	message_write_texts(composer);
	message_write_attachments(composer, WRAPPER_MIXED, PLACE_MIXED);
	close_wrapper(composer, WRAPPER_MIXED);
}

static void
plan_text(struct text_part *text, const char *subtype, const char *data, gsize size,
    const char *stem, gsize *total)
{
	gsize encoded = 0;

	if (data)
		text->encoding = mail_encoding_choose(data, size, stem, &encoded);
	text->subtype = subtype;
	text->data = data;
	text->size = size;
	*total += encoded;
}

/* "=_" occurs neither in quoted-printable nor in base64 (RFC 2045 section 6.7), and the digest
   only in a text made for this very message, for which mail_encoding_choose looks. */
static void
plan_stem(struct composer *composer)
{
	g_autofree char *digest =
	    g_compute_checksum_for_string(G_CHECKSUM_SHA256, composer->message->message_id, -1);

	g_snprintf(composer->stem, sizeof(composer->stem), "=_%.32s", digest);
}

/* Html names the parts that belong to it; those that it does not name, and all where there is no
   html, are attachments. */
static void
plan_places(struct composer *composer, const char **html, gsize *size)
{
	const struct mail_message *message = composer->message;
	guint count = message->attachment_count;
	g_autofree const char **ids = g_new0(const char *, count);
	g_autofree bool *named = g_new0(bool, count);

	composer->places = g_new0(enum place, count);
	bool has_ids = false;
	for (guint i = 0; i < count && message->html; i++) {
		ids[i] =
		    message->attachments[i].alternative ? NULL : message->attachments[i].content_id;
		has_ids = has_ids || ids[i];
	}
	if (has_ids)
		composer->own_html = mail_cid_complete(message->html, message->html_size, ids,
		    count, mail_address_domain(message->from), named, size);
	if (composer->own_html)
		*html = composer->own_html;
	for (guint i = 0; i < count; i++) {
		composer->places[i] = message->attachments[i].alternative ? PLACE_ALTERNATIVE
				      : named[i]			  ? PLACE_RELATED
									  : PLACE_MIXED;
		composer->counts[composer->places[i]]++;
	}
}

/* Chooses the encodings, and allocates the whole message at once. */
static void
message_plan(struct composer *composer)
{
	const struct mail_message *message = composer->message;
	const char *html = message->html;
	gsize total = 2048, html_size = message->html_size;

	plan_stem(composer);
	plan_places(composer, &html, &html_size);
	plan_text(&composer->html, "html", html, html_size, composer->stem, &total);
	plan_text(
	    &composer->text, "plain", message->text, message->text_size, composer->stem, &total);
	for (guint i = 0; i < message->attachment_count; i++)
		total += 1024 + mail_encoding_bytes_size(message->attachments[i].size);
	composer->out = g_string_sized_new(total);
}

static bool
check_attachments(const struct mail_message *message, GError **error)
{
	for (guint i = 0; i < message->attachment_count; i++) {
		if (!message_check_attachment(&message->attachments[i], error)) {
			g_prefix_error(error, "attachments[%u].", i);
			return false;
		}
	}
	return true;
}

static bool
message_check(const struct mail_message *message, GError **error)
{
	return mail_check_address("from", message->from, error) &&
	       mail_check_addresses("to", message->to, error) &&
	       mail_check_addresses("cc", message->cc, error) &&
	       mail_check_addresses("reply_to", message->reply_to, error) &&
	       mail_check_text("subject", message->subject, error) &&
	       mail_check_message_id(message->message_id, error) &&
	       (!message->given_date || mail_date_valid(message->given_date) ||
		   mail_check_fault(error, "date must be a date")) &&
	       check_attachments(message, error) &&
	       mail_check_headers(message->headers, message->header_count, false, error) &&
	       mail_check_headers(message->extra, message->extra_count, true, error);
}

GBytes *
mail_message_compose(const struct mail_message *message, GError **error)
{
	struct composer composer = {.message = message};
	g_autofree char *date = mail_date_format(message->date);

	if (!message_check(message, error))
		return NULL;
	if (!date) {
		mail_check_fault(error, "date must be in the years 1 to 9999");
		return NULL;
	}
	message_plan(&composer);
	message_write_header(&composer, date);
	write_parts(&composer);
	if (!g_str_has_suffix(composer.out->str, "\r\n"))
		g_string_append(composer.out, "\r\n");
	g_free(composer.places);
	g_free(composer.own_html);
	return g_string_free_to_bytes(composer.out);
}
