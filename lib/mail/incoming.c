/* SPDX-License-Identifier: MIT */
/* Reads messages that came in: fields, bodies, attachments, and whether a program wrote them. */
#include "mail/incoming.h"

#include <gmime/gmime.h>
#include <string.h>

#include "base/limits/received.h"
#include "base/limits/report.h"
#include "mail/address.h"
#include "mail/charset.h"
#include "mail/part.h"
#include "mail/structured.h"
#include "mail/words.h"

#define ADDRESSES_MOST 1000	/* of a field that are shown */
#define REPLACED "\xef\xbf\xbd" /* U+FFFD, in place of a byte that is no UTF-8 */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static void
incoming_field_free(void *data)
{
	struct mail_incoming_field *field = data;

	g_free(field->name);
	g_free(field->value);
	g_free(field);
}

static void
incoming_part_free(void *data)
{
	struct mail_incoming_part *part = data;

	g_free(part->filename);
	g_free(part->type);
	g_free(part->disposition);
	g_free(part->content_id);
	g_free(part->encoding);
	g_free(part);
}

void
mail_incoming_free(struct mail_incoming *incoming)
{
	g_free(incoming->from);
	g_free(incoming->from_address);
	g_ptr_array_unref(incoming->to);
	g_ptr_array_unref(incoming->cc);
	g_ptr_array_unref(incoming->reply_to);
	g_ptr_array_unref(incoming->references);
	g_free(incoming->subject);
	g_free(incoming->message_id);
	g_free(incoming->in_reply_to);
	g_free(incoming->text);
	g_free(incoming->html);
	g_ptr_array_unref(incoming->headers);
	g_ptr_array_unref(incoming->parts);
	g_ptr_array_unref(incoming->loops);
	g_free(incoming);
}

/* One line of valid UTF-8 without control characters. It takes the text over. */
static char *
incoming_line(char *text)
{
	for (char *p = text; *p; p++)
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	char *valid = g_utf8_make_valid(g_strstrip(text), -1);
	g_free(text);
	return valid;
}

char *
mail_incoming_text(const char *value)
{
	return incoming_line(mail_words_decode(value));
}

/* Whether the line begins a field; *name_r is the size of its name. */
static bool
incoming_is_field(const struct mail_slice *line, gsize *name_r, gsize *value_r)
{
	gsize size = 0;

	while (size < line->size && line->text[size] > ' ' && line->text[size] != ':' &&
	       line->text[size] < 0x7f)
		size++;
	*name_r = size;
	while (size < line->size && (line->text[size] == ' ' || line->text[size] == '\t'))
		size++;
	*value_r = size + 1;
	return *name_r > 0 && size < line->size && line->text[size] == ':';
}

static void
incoming_add_field(GPtrArray *fields, const struct mail_slice *name, const GString *value)
{
	struct mail_incoming_field *field = g_new0(struct mail_incoming_field, 1);

	field->name = g_strndup(name->text, name->size);
	field->value = g_strstrip(mail_part_to_utf8(value->str, value->len, NULL));
	g_ptr_array_add(fields, field);
}

/* All fields in order, unfolded, still encoded. */
static GPtrArray *
incoming_split_fields(const struct mail_slice *header)
{
	GPtrArray *fields = g_ptr_array_new_with_free_func(incoming_field_free);
	struct mail_slice rest = *header, line, name = {NULL, 0};
	g_autoptr(GString) value = g_string_new(NULL);
	gsize size, begin;

	while (mail_part_line(&rest, &line)) {
		bool goes_on = line.size > 0 && (*line.text == ' ' || *line.text == '\t');

		if (goes_on && name.text) {
			g_string_append_len(value, line.text, (gssize)line.size);
			continue;
		}
		if (name.text)
			incoming_add_field(fields, &name, value);
		name.text = NULL;
		if (!incoming_is_field(&line, &size, &begin))
			continue;
		name = (struct mail_slice){line.text, size};
		g_string_truncate(value, 0);
		g_string_append_len(value, line.text + begin, (gssize)(line.size - begin));
	}
	if (name.text)
		incoming_add_field(fields, &name, value);
	return fields;
}

/* The value of the first field of this name; NULL: none. Borrowed. */
static const char *
incoming_value(const GPtrArray *fields, const char *name)
{
	for (guint i = 0; i < fields->len; i++) {
		const struct mail_incoming_field *field = fields->pdata[i];

		if (g_ascii_strcasecmp(field->name, name) == 0)
			return field->value;
	}
	return NULL;
}

/* A field of a part; NULL: none. Bytes that are no UTF-8 are those of another charset. The caller
   owns it. */
static char *
incoming_part_field(const struct mail_slice *header, const char *name)
{
	g_autofree char *value = mail_part_field(header, name);

	if (!value || !strstr(value, REPLACED) || header->size > LIMIT_RECEIVED_HEADER_BYTES)
		return g_steal_pointer(&value);
	g_autoptr(GPtrArray) fields = incoming_split_fields(header);
	const char *whole = incoming_value(fields, name);
	return whole ? g_utf8_make_valid(whole, (gssize)MIN(strlen(whole), LIMIT_FIELD_BYTES))
		     : NULL;
}

/* The text between the last < and its >; NULL: none. The caller owns it. */
static char *
incoming_bracketed(const char *text)
{
	const char *open = strrchr(text, '<');
	const char *close = open ? strchr(open, '>') : NULL;

	return close ? g_strndup(open + 1, (gsize)(close - open - 1)) : NULL;
}

/* Whether a text is nothing but comments and blanks, which are no element of a list. */
static bool
incoming_is_remark(const char *text)
{
	while (*text == '(' || *text == ' ' || *text == '\t')
		text = *text == '(' ? mail_structured_pass(text) : text + 1;
	return !*text;
}

/* Adds one address of a list, with its name; what is none as it stands. */
static void
incoming_add_address(GPtrArray *list, const char *text, gsize size, char **address_r)
{
	g_autofree char *raw = g_strndup(text, size);

	g_strstrip(raw);
	if (incoming_is_remark(raw) || list->len >= ADDRESSES_MOST)
		return;
	AUTO(mail_address) address = mail_address_parse(raw, NULL);
	if (address) {
		g_ptr_array_add(list, mail_address_format(address));
		if (address_r && !*address_r)
			*address_r = g_strdup(address->address);
		return;
	}
	g_ptr_array_add(list, mail_incoming_text(raw));
	if (address_r && !*address_r) {
		g_autofree char *bare = incoming_bracketed(raw);
		*address_r = mail_address_normal(bare ? bare : raw, MAIL_LOCAL_ANY, NULL);
	}
}

/* Reads a list of addresses; groups are dissolved. *address_r (may be NULL): the first address. */
static void
incoming_read_list(GPtrArray *list, const char *value, char **address_r)
{
	const char *begin = value, *next;
	bool in_brackets = false;

	for (const char *p = value; value && *p; p = next) {
		next = *p == '"' || *p == '(' ? mail_structured_pass(p) : p + 1;
		in_brackets = *p == '<' || (in_brackets && *p != '>');
		if (*p == ':' && !in_brackets) {
			begin = next; /* the name of a group */
		} else if ((*p == ',' || *p == ';') && !in_brackets) {
			incoming_add_address(list, begin, (gsize)(p - begin), address_r);
			begin = next;
		}
	}
	if (value)
		incoming_add_address(list, begin, strlen(begin), address_r);
}

/* Reads the lists of all fields of this name: programs write one for each recipient. */
static void
incoming_read_lists(GPtrArray *list, const GPtrArray *fields, const char *name)
{
	for (guint i = 0; i < fields->len; i++) {
		const struct mail_incoming_field *field = fields->pdata[i];

		if (g_ascii_strcasecmp(field->name, name) == 0)
			incoming_read_list(list, field->value, NULL);
	}
}

/* The ids between < and > in a value, without them; a value without any is one id as it stands. */
static void
incoming_read_ids(GPtrArray *ids, const char *value)
{
	const char *rest = value, *open, *close;

	while (rest && (open = strchr(rest, '<')) && (close = strchr(open, '>'))) {
		g_ptr_array_add(ids, g_strstrip(g_strndup(open + 1, (gsize)(close - open - 1))));
		rest = close + 1;
	}
	if (rest == value && value && *value)
		g_ptr_array_add(ids, g_strdup(value));
}

static char *
incoming_first_id(const char *value)
{
	g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);

	incoming_read_ids(ids, value);
	return ids->len > 0 ? g_strdup(ids->pdata[0]) : NULL;
}

static gint64
incoming_date(const char *value)
{
	g_autoptr(GDateTime) date = value ? g_mime_utils_header_decode_date(value) : NULL;

	return date ? g_date_time_to_unix(date) * 1000 : 0;
}

static bool
incoming_begins(const char *text, const char *const *beginnings)
{
	/* Some programs write letters and their accents as characters of their own. */
	g_autofree char *composed = text ? g_utf8_normalize(text, -1, G_NORMALIZE_NFC) : NULL;
	g_autofree char *folded = composed ? g_utf8_casefold(composed, -1) : NULL;

	for (; folded && *beginnings; beginnings++) {
		g_autofree char *wanted = g_utf8_casefold(*beginnings, -1);

		if (g_str_has_prefix(folded, wanted))
			return true;
	}
	return false;
}

static bool
incoming_is_report(const GPtrArray *fields, const char *type, const char *sender)
{
	return (sender && !*sender) || strcmp(type, "multipart/report") == 0 ||
	       strcmp(type, "message/disposition-notification") == 0;
}

static bool
incoming_is_bulk(const GPtrArray *fields)
{
	static const char *const words[] = {"bulk", "junk", "list", NULL};
	g_autofree char *precedence =
	    g_ascii_strdown(incoming_value(fields, "Precedence") ?: "", -1);

	return incoming_value(fields, "List-Id") || g_strv_contains(words, precedence);
}

static bool
incoming_is_auto_reply(const GPtrArray *fields, const char *subject)
{
	static const char *const subjects[] = {"Automatic reply:", "Out of Office:", "Autoreply:",
	    "Automatische Antwort:", "Abwesenheitsnotiz:", "Réponse automatique",
	    "Respuesta automática", "Resposta automática", "Risposta automatica",
	    "Automatisch antwoord", NULL};
	const char *submitted = incoming_value(fields, "Auto-Submitted");
	const char *precedence = incoming_value(fields, "Precedence");
	gsize word = submitted ? strcspn(submitted, " \t;(") : 0;

	return (submitted && word > 0 &&
		   !(word == 2 && g_ascii_strncasecmp(submitted, "no", 2) == 0)) ||
	       incoming_value(fields, "X-Autoreply") || incoming_value(fields, "X-Autorespond") ||
	       (precedence && g_ascii_strcasecmp(precedence, "auto_reply") == 0) ||
	       incoming_begins(subject, subjects);
}

static enum mail_incoming_automatic
incoming_judge(const struct mail_incoming *incoming, const GPtrArray *fields, const char *type,
    const char *sender)
{
	if (incoming_is_report(fields, type, sender))
		return MAIL_INCOMING_REPORT;
	if (incoming_is_bulk(fields))
		return MAIL_INCOMING_BULK;
	return incoming_is_auto_reply(fields, incoming->subject) ? MAIL_INCOMING_REPLY
								 : MAIL_INCOMING_PERSON;
}

static void
incoming_show_headers(struct mail_incoming *incoming, const GPtrArray *fields)
{
	for (guint i = 0; i < fields->len; i++) {
		const struct mail_incoming_field *field = fields->pdata[i];

		if (g_ascii_strcasecmp(field->name, "X-Loop") == 0)
			g_ptr_array_add(incoming->loops, g_strdup(field->value));
		if (i >= LIMIT_RECEIVED_HEADERS)
			continue;
		struct mail_incoming_field *shown = g_new0(struct mail_incoming_field, 1);
		shown->name = g_utf8_make_valid(field->name, -1);
		shown->value = mail_incoming_text(field->value);
		g_ptr_array_add(incoming->headers, shown);
	}
}

static void
incoming_read_header(struct mail_incoming *incoming, const GPtrArray *fields)
{
	g_autoptr(GPtrArray) from = g_ptr_array_new_with_free_func(g_free);
	const char *subject = incoming_value(fields, "Subject");

	incoming_read_list(from, incoming_value(fields, "From"), &incoming->from_address);
	if (from->len > 0)
		incoming->from = g_strdup(from->pdata[0]);
	incoming_read_lists(incoming->to, fields, "To");
	incoming_read_lists(incoming->cc, fields, "Cc");
	incoming_read_lists(incoming->reply_to, fields, "Reply-To");
	incoming->subject = subject ? mail_incoming_text(subject) : NULL;
	incoming->message_id = incoming_first_id(incoming_value(fields, "Message-ID"));
	incoming->in_reply_to = incoming_first_id(incoming_value(fields, "In-Reply-To"));
	incoming_read_ids(incoming->references, incoming_value(fields, "References"));
	incoming->date = incoming_date(incoming_value(fields, "Date"));
	incoming_show_headers(incoming, fields);
}

/* A message whose parts are being read. */
struct incoming_walk {
	struct mail_incoming *incoming;
	const char *text; /* the message, with LF */
	const char *data; /* as it came */
	gsize size;
	gsize at, from; /* the same place in text and in data */
};

/* The place in the bytes of a place in the text, which is not in front of the one before. */
static gsize
incoming_place(struct incoming_walk *walk, gsize at)
{
	while (walk->at < at && walk->from < walk->size) {
		bool pair = walk->data[walk->from] == '\r' && walk->from + 1 < walk->size &&
			    walk->data[walk->from + 1] == '\n';

		walk->from += pair ? 2 : 1;
		walk->at++;
	}
	return walk->from;
}

static char *
incoming_parameter(const char *given, bool is_disposition, const char *name)
{
	g_autofree char *field = given ? mail_words_repair(given) : NULL;
	g_autofree char *found = NULL;

	if (!field)
		return NULL;
	if (is_disposition) {
		GMimeContentDisposition *disposition =
		    g_mime_content_disposition_parse(NULL, field);
		found = disposition
			    ? g_strdup(g_mime_content_disposition_get_parameter(disposition, name))
			    : NULL;
		g_clear_object(&disposition);
	} else {
		GMimeContentType *type = g_mime_content_type_parse(NULL, field);
		found = type ? g_strdup(g_mime_content_type_get_parameter(type, name)) : NULL;
		g_clear_object(&type);
	}
	return found && *found ? mail_incoming_text(found) : NULL;
}

/* The first word of a Content-Disposition, in lower case. */
static char *
incoming_disposition(const char *field)
{
	gsize size = field ? strcspn(field, " \t;") : 0;

	return size > 0 ? g_ascii_strdown(field, (gssize)size) : NULL;
}

static char *
incoming_content_id(const struct mail_part *part)
{
	g_autofree char *field = mail_part_field(&part->header, "Content-ID");
	g_autofree char *id = field ? incoming_first_id(field) : NULL;

	return id && *id ? g_steal_pointer(&id) : NULL;
}

/* The charset of text: one that begins with the mark of UTF-16 is in that, if it names none or
 * UTF-8. */
static const char *
incoming_charset(const char *bytes, gsize size, const char *charset)
{
	bool has_mark =
	    size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);

	return has_mark && (!charset || mail_charset_is_utf8(charset)) ? "utf-16" : charset;
}

/* The text of a part in UTF-8. Bytes without a charset that is known, and those that it does not
   have, are of another, as old programs write them, unless it is Unicode. The caller owns it. */
static char *
incoming_body(const struct mail_part *part)
{
	g_autofree char *named = NULL;
	g_autofree char *type = mail_part_type(part, &named, NULL);
	gsize size, length;
	g_autofree char *bytes = mail_part_bytes(part, &size);
	const char *charset = incoming_charset(bytes, size, named);
	bool is_utf8 = mail_charset_is_utf8(charset);
	bool is_ascii = charset && g_ascii_strcasecmp(charset, "us-ascii") == 0;
	char *text = charset && !is_utf8 && !is_ascii
			 ? mail_charset_decode(bytes, size, charset, LIMIT_RECEIVED_TEXT_BYTES + 1)
			 : NULL;

	if (text)
		return text;
	g_autofree char *plain = mail_part_text(bytes, size, &length);
	char *begin =
	    g_str_has_prefix(plain, BYTE_ORDER_MARK) ? plain + strlen(BYTE_ORDER_MARK) : plain;
	length -= (gsize)(begin - plain);
	return is_utf8 ? g_utf8_make_valid(begin, (gssize)length)
		       : mail_part_to_utf8(begin, length, NULL);
}

/* Takes a text or html that is no attachment, if it is the first. */
static bool
incoming_take_body(
    struct mail_incoming *incoming, const struct mail_part *part, const char *type, bool attached)
{
	char **body = strcmp(type, "text/html") == 0	? &incoming->html
		      : strcmp(type, "text/plain") == 0 ? &incoming->text
							: NULL;

	if (!body || *body || attached)
		return false;
	char *text = incoming_body(part);
	if (strlen(text) > LIMIT_RECEIVED_TEXT_BYTES) {
		text[LIMIT_RECEIVED_TEXT_BYTES] = '\0';
		/* The last character may be cut. */
		const char *end;
		g_utf8_validate(text, -1, &end);
		text[end - text] = '\0';
		incoming->truncated = true;
	}
	*body = text;
	return true;
}

static void
incoming_take_part(const struct mail_part *given, const char *type, void *context)
{
	struct incoming_walk *walk = context;
	struct mail_part own = *given;
	g_autofree char *disposition = incoming_part_field(&own.header, "Content-Disposition");
	g_autofree char *content_type = incoming_part_field(&own.header, "Content-Type");
	g_autofree char *word = incoming_disposition(disposition);
	bool attached = word && strcmp(word, "attachment") == 0;

	/* The line end in front of a delimiter belongs to it (RFC 2046 section 5.1.1). */
	if (own.header.text != walk->text && own.body.size > 0 &&
	    own.body.text[own.body.size - 1] == '\n')
		own.body.size--;
	if (incoming_take_body(walk->incoming, &own, type, attached))
		return;
	struct mail_incoming_part *part = g_new0(struct mail_incoming_part, 1);
	part->begin = incoming_place(walk, (gsize)(own.body.text - walk->text));
	part->end = incoming_place(walk, (gsize)(own.body.text - walk->text) + own.body.size);
	part->type = g_strdup(type);
	part->disposition = g_steal_pointer(&word);
	part->filename = incoming_parameter(disposition, true, "filename");
	if (!part->filename)
		part->filename = incoming_parameter(content_type, false, "name");
	part->content_id = incoming_content_id(&own);
	part->encoding = mail_part_field(&own.header, "Content-Transfer-Encoding");
	g_autoptr(GBytes) encoded =
	    g_bytes_new_static(walk->data + part->begin, part->end - part->begin);
	g_autoptr(GBytes) content = mail_incoming_decode(encoded, part->encoding);
	part->size = g_bytes_get_size(content);
	g_ptr_array_add(walk->incoming->parts, part);
}

GBytes *
mail_incoming_decode(GBytes *encoded, const char *encoding)
{
	gsize size;
	const char *data = g_bytes_get_data(encoded, &size);
	char *bytes =
	    mail_part_unpack((struct mail_slice){data ? data : "", size}, encoding, &size);

	return g_bytes_new_take(bytes, size);
}

static struct mail_incoming *
incoming_new(void)
{
	struct mail_incoming *incoming = g_new0(struct mail_incoming, 1);

	incoming->to = g_ptr_array_new_with_free_func(g_free);
	incoming->cc = g_ptr_array_new_with_free_func(g_free);
	incoming->reply_to = g_ptr_array_new_with_free_func(g_free);
	incoming->references = g_ptr_array_new_with_free_func(g_free);
	incoming->headers = g_ptr_array_new_with_free_func(incoming_field_free);
	incoming->parts = g_ptr_array_new_with_free_func(incoming_part_free);
	incoming->loops = g_ptr_array_new_with_free_func(g_free);
	return incoming;
}

/* Drops what was read of the bodies. */
static void
incoming_give_up(struct mail_incoming *incoming, const char *error)
{
	incoming->error = error;
	g_clear_pointer(&incoming->text, g_free);
	g_clear_pointer(&incoming->html, g_free);
	incoming->truncated = false;
	g_ptr_array_set_size(incoming->parts, 0);
}

struct mail_incoming *
mail_incoming_read(const void *data, gsize size, const char *sender)
{
	struct mail_incoming *incoming = incoming_new();
	gsize length;
	g_autofree char *text = mail_part_text(data, size, &length);
	const struct mail_part message = mail_part_split(text, length);
	struct mail_slice header = message.header;
	struct incoming_walk walk = {incoming, message.header.text, data, size, 0, 0};
	g_autofree char *type = NULL;

	mail_gmime_use();
	header.size = MIN(header.size, LIMIT_RECEIVED_HEADER_BYTES);
	g_autoptr(GPtrArray) fields = incoming_split_fields(&header);
	const struct mail_part limited = {header, message.body};
	type = mail_part_type(&limited, NULL, NULL);
	incoming_read_header(incoming, fields);
	incoming->automatic = incoming_judge(incoming, fields, type, sender);
	if (message.header.size > LIMIT_RECEIVED_HEADER_BYTES)
		incoming_give_up(incoming, "The header is larger than 256 KiB");
	else if (!mail_part_walk_whole(&message, incoming_take_part, &walk))
		incoming_give_up(incoming, "The message has more than 64 parts, or parts more than "
					   "8 deep");
	return incoming;
}
