/* SPDX-License-Identifier: MIT */
/* Makes the messages of other programs fit for SMTP, part by part. */
#include "mail/wire.h"

#include <gmime/gmime.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/report.h"
#include "mail/encoding.h"
#include "mail/field.h"

#define BOUNDARY 990 /* so long that its lines fit; RFC 2046 section 5.1.1 allows 70 */
#define TYPE 100
#define QUOTED_LINE 76 /* RFC 2045 sections 6.7 and 6.8 */

/* A message that is being written anew. Its parts are read in their order, each line once to find
   where the part ends. */
struct fitting {
	struct mail_slice rest; /* what is not read yet */
	GString *out;
	char *delimiters[LIMIT_PART_DEPTH]; /* "--boundary" of the multiparts around this place */
	guint depth;
	guint messages; /* around this place, that are parts themselves */
	bool eight_bit;
	GError **error;
};

/* The header of a message or part. */
struct entity {
	struct mail_slice header; /* all its fields, without the empty line */
	struct mail_slice gap;	  /* the empty line; no bytes where there is none */
	bool lacks_version;	  /* a message without MIME-Version */
	bool has_type;
	char *type, *charset, *boundary;
	GMimeContentEncoding encoding;
};

static void
entity_clear(struct entity *entity)
{
	g_free(entity->type);
	g_free(entity->charset);
	g_free(entity->boundary);
}

/* Whether a line without its LF fits; eight_bit: 8 bit may be in it. */
static bool
line_fits(const struct mail_slice *line, bool eight_bit)
{
	return line->size <= MAIL_LINE_LENGTH_MAX + strlen("\r") &&
	       (eight_bit || mail_encoding_is_7bit(line->text, line->size));
}

static bool
text_fits(struct mail_slice text, bool eight_bit)
{
	struct mail_slice line;

	while (mail_part_line(&text, &line))
		if (!line_fits(&line, eight_bit))
			return false;
	return true;
}

static void
wire_append(GString *out, const struct mail_slice *text)
{
	g_string_append_len(out, text->text, (gssize)text->size);
}

/* Whether a line without its LF is a delimiter of one of the multiparts; *level_r tells of which,
   and *last_r whether it ends it. */
static bool
wire_is_delimiter(
    const struct fitting *fitting, const struct mail_slice *line, guint *level_r, bool *last_r)
{
	gsize size = line->size;

	if (size < 2 || line->text[0] != '-' || line->text[1] != '-')
		return false;
	while (size > 0 && g_ascii_isspace(line->text[size - 1]))
		size--;
	for (guint level = fitting->depth; level-- > 0;) {
		const char *delimiter = fitting->delimiters[level];
		gsize length = strlen(delimiter);

		*level_r = level;
		*last_r = size == length + 2 && memcmp(line->text + length, "--", 2) == 0;
		if ((size == length || *last_r) && memcmp(line->text, delimiter, length) == 0)
			return true;
	}
	return false;
}

/* Reads up to the next delimiter or the end. True when a delimiter follows. */
static bool
read_content(struct fitting *fitting, struct mail_slice *content_r)
{
	const char *begin = fitting->rest.text;
	struct mail_slice next = fitting->rest, line;
	bool last, delimited = false;
	guint level;

	while (!delimited && mail_part_line(&next, &line)) {
		delimited = wire_is_delimiter(fitting, &line, &level, &last);
		if (!delimited)
			fitting->rest = next;
	}
	*content_r = (struct mail_slice){begin, (gsize)(fitting->rest.text - begin)};
	return delimited;
}

/* Reads the fields of a message or part, and the empty line behind them. */
static void
wire_read_header(struct fitting *fitting, struct entity *entity)
{
	struct mail_slice next = fitting->rest, line;
	bool last;
	guint level;

	entity->header = (struct mail_slice){next.text, 0};
	entity->gap = (struct mail_slice){NULL, 0};
	while (mail_part_line(&next, &line)) {
		if (wire_is_delimiter(fitting, &line, &level, &last))
			return;
		fitting->rest = next;
		if (line.size == strlen("\r")) {
			entity->gap = (struct mail_slice){line.text, strlen("\r\n")};
			return;
		}
		entity->header.size += line.size + 1;
	}
}

static void
read_entity(
    struct fitting *fitting, struct entity *entity, const char *default_type, bool is_message)
{
	wire_read_header(fitting, entity);
	struct mail_part part = {{NULL, 0}, {NULL, 0}};
	g_autofree char *header =
	    mail_part_text(entity->header.text, entity->header.size, &part.header.size);
	part.header.text = header;
	g_autofree char *type = mail_part_field(&part.header, "Content-Type");
	g_autofree char *encoding = mail_part_field(&part.header, "Content-Transfer-Encoding");
	g_autofree char *version = mail_part_field(&part.header, "MIME-Version");

	entity->has_type = type != NULL;
	entity->lacks_version = is_message && !version;
	entity->type = mail_part_type(&part, &entity->charset, &entity->boundary);
	if (!type && default_type) {
		g_free(entity->type);
		entity->type = g_strdup(default_type);
	}
	entity->encoding = encoding ? g_mime_content_encoding_from_string(encoding)
				    : GMIME_CONTENT_ENCODING_DEFAULT;
}

/* Whether the content stands as it is. A word that is no encoding counts as none. */
static bool
is_identity(GMimeContentEncoding encoding)
{
	return encoding != GMIME_CONTENT_ENCODING_BASE64 &&
	       encoding != GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE &&
	       encoding != GMIME_CONTENT_ENCODING_UUENCODE;
}

/* Reads the next field, all its lines; *name_size_r is 0 for a line that is none. */
static bool
wire_next_field(struct mail_slice *rest, struct mail_slice *field_r, gsize *name_size_r)
{
	struct mail_slice line;
	gsize size = 0;

	if (!mail_part_line(rest, &line))
		return false;
	field_r->text = line.text;
	while (size < line.size && line.text[size] > ' ' && line.text[size] < 0x7f &&
	       line.text[size] != ':')
		size++;
	*name_size_r = memchr(line.text, ':', line.size) ? size : 0;
	while (rest->size > 0 && (*rest->text == ' ' || *rest->text == '\t'))
		mail_part_line(rest, &line);
	field_r->size = (gsize)(rest->text - field_r->text);
	return true;
}

static bool
wire_is_named(const struct mail_slice *field, gsize name_size, const char *name)
{
	return name_size == strlen(name) && g_ascii_strncasecmp(field->text, name, name_size) == 0;
}

/* Writes the header, whose fields are re-encoded where they do not fit. encoding NULL: that of the
   content stays; else it is this one now. */
static bool
wire_write_header(struct fitting *fitting, const struct entity *entity, const char *encoding)
{
	struct mail_slice rest = entity->header, field;
	bool eight_bit = fitting->eight_bit && fitting->messages > 0;
	gsize name_size;

	while (wire_next_field(&rest, &field, &name_size)) {
		if (encoding && wire_is_named(&field, name_size, "Content-Transfer-Encoding"))
			continue;
		if (text_fits(field, eight_bit))
			wire_append(fitting->out, &field);
		else if (!mail_wire_field(
			     fitting->out, &field, name_size, entity->charset, fitting->error))
			return false;
	}
	if (encoding)
		g_string_append_printf(fitting->out, "Content-Transfer-Encoding: %s\r\n", encoding);
	return true;
}

/* Writes what no reader looks at. */
static void
write_ignored(struct fitting *fitting, struct mail_slice text)
{
	struct mail_slice line;

	while (mail_part_line(&text, &line)) {
		gsize begin = fitting->out->len;

		g_string_append_len(
		    fitting->out, line.text, (gssize)MIN(line.size, MAIL_LINE_LENGTH_MAX));
		if (line.size > MAIL_LINE_LENGTH_MAX)
			g_string_append_c(fitting->out, '\r');
		g_string_append_c(fitting->out, '\n');
		for (gsize i = begin; !fitting->eight_bit && i < fitting->out->len; i++)
			if (fitting->out->str[i] & 0x80)
				fitting->out->str[i] = '?';
	}
}

/* Whether a delimiter stands in text that was written. */
static bool
has_delimiter(const struct fitting *fitting, gsize begin)
{
	struct mail_slice rest = {fitting->out->str + begin, fitting->out->len - begin}, line;
	bool last;
	guint level;

	while (mail_part_line(&rest, &line))
		if (wire_is_delimiter(fitting, &line, &level, &last))
			return true;
	return false;
}

static bool
is_octet(const char *text, gsize size)
{
	return size > 2 && text[0] == '=' && g_ascii_isxdigit(text[1]) && g_ascii_isxdigit(text[2]);
}

/* Breaks a line of quoted-printable anew, and encodes its 8 bit. */
static void
quote_line(GString *out, const char *text, gsize size)
{
	for (gsize i = 0, column = 0, used; i < size; i += used) {
		bool is_hyphen = text[i] == '-' && column == 0 && i > 0;
		char octet[4] = {text[i], '\0'};

		used = is_octet(text + i, size - i) ? 3 : 1;
		if (used == 3)
			memcpy(octet, text + i, 3);
		else if ((text[i] & 0x80) || is_hyphen)
			g_snprintf(octet, sizeof(octet), "=%02X", (guchar)text[i]);
		if (column + strlen(octet) > QUOTED_LINE - (i + used < size)) {
			g_string_append(out, "=\r\n");
			column = 0;
			used = 0;
			continue;
		}
		g_string_append(out, octet);
		column += strlen(octet);
	}
	g_string_append(out, "\r\n");
}

/* Breaks a line of base64 anew, and leaves out what is none (RFC 2045 section 6.8). */
static void
break_line(GString *out, const char *text, gsize size)
{
	gsize column = 0;

	for (gsize i = 0; i < size; i++) {
		if (!g_ascii_isalnum(text[i]) && text[i] != '+' && text[i] != '/' && text[i] != '=')
			continue;
		if (column == QUOTED_LINE) {
			g_string_append(out, "\r\n");
			column = 0;
		}
		g_string_append_c(out, text[i]);
		column++;
	}
	if (column > 0)
		g_string_append(out, "\r\n");
}

/* Writes content that is encoded already: the lines that do not fit are broken anew. */
static void
wire_write_encoded(struct fitting *fitting, struct mail_slice content,
    void (*write)(GString *out, const char *text, gsize size))
{
	struct mail_slice line;

	while (mail_part_line(&content, &line)) {
		if (!line_fits(&line, fitting->eight_bit)) {
			write(fitting->out, line.text, line.size - strlen("\r"));
			continue;
		}
		wire_append(fitting->out, &line);
		g_string_append_c(fitting->out, '\n');
	}
}

/* Writes the fields that tell a reader how to read content that had none. */
static void
write_missing(
    struct fitting *fitting, const struct entity *entity, const struct mail_slice *content)
{
	if (entity->lacks_version)
		g_string_append(fitting->out, "MIME-Version: 1.0\r\n");
	if (entity->has_type || mail_encoding_is_7bit(content->text, content->size))
		return;
	/* RFC 1428 section 3. */
	g_string_append_printf(fitting->out, "Content-Type: text/plain; charset=%s\r\n",
	    g_utf8_validate_len(content->text, content->size, NULL) ? "utf-8" : "unknown-8bit");
}

/* Writes a part whose content, which stands as it is, is to be encoded. delimited: its last line
   end belongs to the delimiter behind it (RFC 2046 section 5.1.1). */
static bool
write_leaf(
    struct fitting *fitting, const struct entity *entity, struct mail_slice content, bool delimited)
{
	bool is_text = g_str_has_prefix(entity->type, "text/");
	gsize begin = fitting->out->len;

	if (delimited)
		content.size -= strlen("\r\n");
	for (;; is_text = false) {
		g_string_truncate(fitting->out, begin);
		if (!wire_write_header(fitting, entity, is_text ? "quoted-printable" : "base64"))
			return false;
		write_missing(fitting, entity, &content);
		g_string_append(fitting->out, "\r\n");
		gsize body = fitting->out->len;
		if (is_text)
			mail_encoding_text(fitting->out, MAIL_ENCODING_QUOTED_PRINTABLE,
			    content.text, content.size);
		else
			mail_encoding_bytes(fitting->out, content.text, content.size);
		/* A soft line break may come before what looks like a delimiter then. */
		if (!is_text || !has_delimiter(fitting, body))
			break;
	}
	if (delimited || !is_text)
		g_string_append(fitting->out, "\r\n");
	return true;
}

/* Whether a type can stand in an error. */
static bool
wire_is_word(const char *type)
{
	gsize size = strlen(type);

	return size <= TYPE && strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789+-./") == size;
}

static bool
fit_leaf(struct fitting *fitting, const struct entity *entity)
{
	struct mail_slice content;
	bool delimited = read_content(fitting, &content);
	bool fits = text_fits(content, fitting->eight_bit);
	bool is_composite = g_str_has_prefix(entity->type, "message/") ||
			    g_str_has_prefix(entity->type, "multipart/");

	if (!fits && is_identity(entity->encoding) && !is_composite)
		return write_leaf(fitting, entity, content, delimited);
	if (!fits &&
	    (is_identity(entity->encoding) || entity->encoding == GMIME_CONTENT_ENCODING_UUENCODE))
		return base_invalid(fitting->error,
		    "a part of type %s has lines of more than %d bytes or 8-bit characters, "
		    "and cannot be encoded",
		    wire_is_word(entity->type) ? entity->type : "message", MAIL_LINE_LENGTH_MAX);
	if (!wire_write_header(fitting, entity, NULL))
		return false;
	wire_append(fitting->out, &entity->gap);
	if (fits)
		wire_append(fitting->out, &content);
	else
		wire_write_encoded(fitting, content,
		    entity->encoding == GMIME_CONTENT_ENCODING_BASE64 ? break_line : quote_line);
	return true;
}

/* Writes a part that must not be changed, with its header. */
static bool
fit_signed(struct fitting *fitting)
{
	struct mail_slice content;

	read_content(fitting, &content);
	if (!text_fits(content, fitting->eight_bit))
		return base_invalid(fitting->error,
		    "a signed part (multipart/signed) has lines of more than %d bytes or 8-bit "
		    "characters, and must not be changed",
		    MAIL_LINE_LENGTH_MAX);
	wire_append(fitting->out, &content);
	return true;
}

/* The encoding that a multipart or a message names for its parts, which have 7 bit now; NULL: it
   stays. */
static const char *
encoding_of_parts(const struct fitting *fitting, const struct entity *entity)
{
	return !fitting->eight_bit && (entity->encoding == GMIME_CONTENT_ENCODING_8BIT ||
					  entity->encoding == GMIME_CONTENT_ENCODING_BINARY)
		   ? "7bit"
		   : NULL;
}

static bool fit_entity(struct fitting *fitting, const char *default_type, bool is_message);

/* Writes the parts of a multipart, whose header is written, up to its last delimiter. */
static bool
fit_parts(struct fitting *fitting, const char *type)
{
	const char *default_type = strcmp(type, "multipart/digest") == 0 ? "message/rfc822" : NULL;
	bool is_signed = strcmp(type, "multipart/signed") == 0, last = false;
	guint level = 0;
	struct mail_slice content, line;

	bool more = read_content(fitting, &content);
	write_ignored(fitting, content);
	for (bool first = true; more && !last; first = false) {
		struct mail_slice next = fitting->rest;

		if (!mail_part_line(&next, &line) ||
		    !wire_is_delimiter(fitting, &line, &level, &last) || level + 1 < fitting->depth)
			return true;
		fitting->rest = next;
		/* Blanks may follow a delimiter, but not needlessly many. */
		g_string_append_len(fitting->out, line.text,
		    (gssize)MIN(line.size - strlen("\r"), MAIL_LINE_LENGTH_MAX));
		g_string_append(fitting->out, "\r\n");
		if (!last && !(is_signed && first ? fit_signed(fitting)
						  : fit_entity(fitting, default_type, false)))
			return false;
	}
	return true;
}

static bool
fit_multipart(struct fitting *fitting, const struct entity *entity)
{
	struct mail_slice content;

	if (!mail_encoding_is_7bit(entity->boundary, strlen(entity->boundary)) ||
	    strlen(entity->boundary) > BOUNDARY)
		return base_invalid(fitting->error, "the boundary of a multipart is not ASCII, or "
						    "is too long");
	if (!wire_write_header(fitting, entity, encoding_of_parts(fitting, entity)))
		return false;
	wire_append(fitting->out, &entity->gap);
	fitting->delimiters[fitting->depth++] = g_strconcat("--", entity->boundary, NULL);
	bool done = fit_parts(fitting, entity->type);
	g_free(fitting->delimiters[--fitting->depth]);
	if (!done)
		return false;
	read_content(fitting, &content);
	write_ignored(fitting, content);
	return true;
}

static bool
fit_message(struct fitting *fitting, const struct entity *entity)
{
	if (!wire_write_header(fitting, entity, encoding_of_parts(fitting, entity)))
		return false;
	wire_append(fitting->out, &entity->gap);
	fitting->messages++;
	bool done = fit_entity(fitting, NULL, true);
	fitting->messages--;
	return done;
}

static bool
fit_entity(struct fitting *fitting, const char *default_type, bool is_message)
{
	struct entity entity = {0};
	bool done;

	read_entity(fitting, &entity, default_type, is_message);
	if (g_str_has_prefix(entity.type, "multipart/") && entity.boundary &&
	    fitting->depth < LIMIT_PART_DEPTH && is_identity(entity.encoding))
		done = fit_multipart(fitting, &entity);
	else if (strcmp(entity.type, "message/rfc822") == 0 && is_identity(entity.encoding) &&
		 fitting->messages < LIMIT_PART_DEPTH)
		done = fit_message(fitting, &entity);
	else
		done = fit_leaf(fitting, &entity);
	entity_clear(&entity);
	return done;
}

GBytes *
mail_wire_fit(GBytes *message, bool eight_bit, GError **error)
{
	struct mail_slice whole;

	whole.text = g_bytes_get_data(message, &whole.size);
	if (text_fits(whole, false))
		return g_bytes_ref(message);
	struct fitting fitting = {
	    .rest = whole,
	    .out = g_string_sized_new(whole.size + whole.size / 8),
	    .eight_bit = eight_bit,
	    .error = error,
	};
	mail_gmime_use();
	if (fit_entity(&fitting, NULL, true))
		return g_string_free_to_bytes(fitting.out);
	g_string_free(fitting.out, TRUE);
	return NULL;
}
