/* SPDX-License-Identifier: MIT */
/* Reads messages that another program has composed, and makes them ready to be sent. */
#include "mail/raw.h"

#include <gmime/gmime.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/report.h"
#include "mail/charset.h"
#include "mail/part.h"
#include "mail/steering.h"
#include "mail/structured.h"
#include "mail/words.h"

/* A field: its name, and its value with the CRLF at the end, which may be folded. */
struct field {
	struct mail_slice name, value;
};

struct mail_raw {
	GString *text; /* all lines end in CRLF */
	GArray *fields;
	struct mail_slice body; /* behind the empty line, where there is one */
	char *charset;		/* of its Content-Type; NULL: none */
};

void
mail_raw_free(struct mail_raw *raw)
{
	g_string_free(raw->text, TRUE);
	g_array_unref(raw->fields);
	g_free(raw->charset);
	g_free(raw);
}

/* Appends a line that ended in LF, or the last one. */
static void
append_line(GString *text, const char *line, gsize size)
{
	const char *cr;

	while (size > 0 && line[size - 1] == '\r')
		size--;
	while ((cr = memchr(line, '\r', size))) {
		g_string_append_len(text, line, cr - line);
		g_string_append(text, "\r\n");
		size -= (gsize)(cr - line) + 1;
		line = cr + 1;
	}
	g_string_append_len(text, line, (gssize)size);
	g_string_append(text, "\r\n");
}

static GString *
normalize(const char *data, gsize size)
{
	GString *text = g_string_sized_new(size + size / 32 + 2);
	struct mail_slice rest = {data, size}, line;
	bool first = true;

	for (; mail_part_line(&rest, &line); first = false)
		if (!first || line.size < 5 || memcmp(line.text, "From ", 5) != 0)
			append_line(text, line.text, line.size);
	return text;
}

/* The length of the name of the field that begins here, and in *colon_r the place of its colon; 0:
   none does. */
static gsize
raw_name_size(const struct mail_slice *line, gsize *colon_r)
{
	gsize size = 0;

	while (size < line->size && line->text[size] > ' ' && line->text[size] < 0x7f &&
	       line->text[size] != ':')
		size++;
	*colon_r = size;
	while (
	    *colon_r < line->size && (line->text[*colon_r] == ' ' || line->text[*colon_r] == '\t'))
		(*colon_r)++;
	return *colon_r < line->size && line->text[*colon_r] == ':' ? size : 0;
}

/* Takes a line into the header. False when it is no part of it. */
static bool
raw_take_line(GArray *fields, const struct mail_slice *line)
{
	gsize colon, name = raw_name_size(line, &colon);
	const char *end = line->text + line->size + 1;

	if (name > 0) {
		const char *value = line->text + colon + 1;
		const struct field field = {{line->text, name}, {value, (gsize)(end - value)}};
		g_array_append_val(fields, field);
		return true;
	}
	if (fields->len == 0 || (*line->text != ' ' && *line->text != '\t'))
		return false;
	struct field *last = &g_array_index(fields, struct field, fields->len - 1);
	last->value.size = (gsize)(end - last->value.text);
	return true;
}

static void
raw_split(struct mail_raw *raw)
{
	struct mail_slice rest = {raw->text->str, raw->text->len}, line;

	for (raw->body = rest; mail_part_line(&rest, &line); raw->body = rest) {
		if (raw_take_line(raw->fields, &line))
			continue;
		if (line.size == 1)
			raw->body = rest;
		break;
	}
}

static bool
raw_is_named(const struct field *field, const char *name)
{
	return field->name.size == strlen(name) &&
	       g_ascii_strncasecmp(field->name.text, name, field->name.size) == 0;
}

static const struct field *
field_at(const struct mail_raw *raw, guint i)
{
	return &g_array_index(raw->fields, struct field, i);
}

bool
mail_raw_has(const struct mail_raw *raw, const char *name)
{
	for (guint i = 0; i < raw->fields->len; i++)
		if (raw_is_named(field_at(raw, i), name))
			return true;
	return false;
}

static gboolean
same_name(const void *a, const void *b)
{
	return g_ascii_strcasecmp(a, b) == 0;
}

char *
mail_raw_steering(const struct mail_raw *raw)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < raw->fields->len && names->len < 10; i++) {
		const struct mail_slice *given = &field_at(raw, i)->name;
		g_autofree char *name =
		    g_strndup(given->text, MIN(given->size, LIMIT_HEADER_NAME_LENGTH));

		if (mail_steering_has(given->text, given->size) &&
		    !g_ptr_array_find_with_equal_func(names, name, same_name, NULL))
			g_ptr_array_add(names, g_steal_pointer(&name));
	}
	if (names->len == 0)
		return NULL;
	g_ptr_array_add(names, NULL);
	return g_strjoinv(", ", (char **)names->pdata);
}

/* One line of valid UTF-8 without control characters and without white space around it. A fold
   goes (RFC 5322 section 2.2.3). */
static char *
make_line(const char *text, gsize size)
{
	char *line = g_utf8_make_valid(text, (gssize)size), *to = line;

	for (const char *from = line; *from; from++)
		if (from[0] == '\r' && from[1] == '\n')
			from++;
		else
			*to++ = g_ascii_iscntrl(*from) ? ' ' : *from;
	*to = '\0';
	return g_strstrip(line);
}

/* The charset that the message names for itself, as a program that composes names it. */
static char *
raw_find_charset(const struct mail_raw *raw)
{
	const struct mail_slice *value = NULL;

	for (guint i = 0; i < raw->fields->len && !value; i++)
		if (raw_is_named(field_at(raw, i), "Content-Type"))
			value = &field_at(raw, i)->value;
	if (!value)
		return NULL;
	g_autofree char *line = make_line(value->text, MIN(value->size, LIMIT_FIELD_BYTES));
	mail_gmime_use();
	GMimeContentType *type = g_mime_content_type_parse(NULL, line);
	char *charset = type ? g_strdup(g_mime_content_type_get_parameter(type, "charset")) : NULL;
	g_clear_object(&type);
	return charset;
}

struct mail_raw *
mail_raw_read(const void *data, gsize size, GError **error)
{
	AUTO(mail_raw) raw = g_new0(struct mail_raw, 1);

	raw->text = normalize(data, size);
	raw->fields = g_array_new(FALSE, FALSE, sizeof(struct field));
	raw_split(raw);
	if (size > 0 && memchr(data, '\0', size))
		base_invalid(error, "the message has a NUL byte");
	else if (raw->fields->len == 0)
		base_invalid(error, "the message has no header: its first line is no header field");
	else {
		raw->charset = raw_find_charset(raw);
		return g_steal_pointer(&raw);
	}
	return NULL;
}

/* A value as make_line gives it, at most so many bytes of it. Bytes that are no UTF-8 are read as
   mail/wire.h reads them. */
static char *
raw_read_value(const struct mail_raw *raw, const struct field *field, gsize most)
{
	const struct mail_slice *value = &field->value;
	g_autofree char *text = mail_part_to_utf8(value->text, value->size, raw->charset);

	return make_line(text, MIN(strlen(text), most));
}

/* Takes the groups of a list apart: "staff: a@x.org, b@x.org;, c@x.org" becomes
   "a@x.org, b@x.org,, c@x.org". */
static char *
dissolve_groups(const char *list)
{
	GString *text = g_string_new(NULL);
	gsize element = 0;
	const char *next;

	for (const char *p = list; *p; p = next) {
		next = *p == '"' || *p == '(' ? mail_structured_pass(p) : p + 1;
		if (*p == ':')
			g_string_truncate(text, element);
		else if (*p == ';')
			g_string_append_c(text, ',');
		else
			g_string_append_len(text, p, next - p);
		if (*p == ',' || *p == ';')
			element = text->len;
	}
	return g_string_free(text, FALSE);
}

char *
mail_raw_list(const struct mail_raw *raw, const char *name)
{
	g_autoptr(GString) list = g_string_new(NULL);
	bool found = false;

	for (guint i = 0; i < raw->fields->len; i++) {
		const struct field *field = field_at(raw, i);

		if (!raw_is_named(field, name))
			continue;
		g_autofree char *value = raw_read_value(raw, field, G_MAXSIZE);
		g_string_append_printf(list, "%s%s", found ? ", " : "", value);
		found = true;
	}
	return found ? dissolve_groups(list->str) : NULL;
}

char *
mail_raw_subject(const struct mail_raw *raw)
{
	for (guint i = 0; i < raw->fields->len; i++) {
		const struct field *field = field_at(raw, i);

		if (!raw_is_named(field, "Subject"))
			continue;
		g_autofree char *value = raw_read_value(raw, field, LIMIT_FIELD_BYTES);
		g_autofree char *decoded = mail_words_decode(value);
		return make_line(decoded, strlen(decoded));
	}
	return g_strdup("");
}

/* The first html and text of a message. */
struct bodies {
	const char *whole; /* where the message begins */
	char *html, *text;
};

/* The text of a part. Bytes that the given charset does not have, or that are in none and not
   UTF-8, are those of another, as old programs write them, unless it is Unicode. The caller owns
   it. */
static char *
raw_read_text(const struct mail_part *part)
{
	g_autofree char *text = mail_part_decode_text(part);
	g_autofree char *charset = NULL;
	g_autofree char *type = mail_part_type(part, &charset, NULL);
	gsize size;

	if (!strstr(text, "\xef\xbf\xbd") ||
	    (charset && g_ascii_strncasecmp(charset, "utf", 3) == 0))
		return g_steal_pointer(&text);
	g_autofree char *bytes = mail_part_decode(part, &size);
	return mail_part_to_utf8(bytes, size, charset ? mail_charset_real(charset) : NULL);
}

static void
raw_take_body(const struct mail_part *part, const char *type, void *context)
{
	struct bodies *bodies = context;
	char **body = strcmp(type, "text/html") == 0	? &bodies->html
		      : strcmp(type, "text/plain") == 0 ? &bodies->text
							: NULL;
	g_autofree char *disposition = mail_part_field(&part->header, "Content-Disposition");

	if (!body || *body ||
	    (disposition && g_ascii_strncasecmp(disposition, "attachment", 10) == 0))
		return;
	/* The line end in front of a delimiter belongs to it (RFC 2046 section 5.1.1). */
	struct mail_part own = *part;
	bool is_part = part->header.text != bodies->whole;
	if (is_part && own.body.size > 0 && own.body.text[own.body.size - 1] == '\n')
		own.body.size--;
	*body = raw_read_text(&own);
}

void
mail_raw_bodies(const struct mail_raw *raw, char **html_r, char **text_r)
{
	g_autoptr(GBytes) whole = mail_raw_compose(raw, "", false);
	gsize size;
	const void *data = g_bytes_get_data(whole, &size);
	g_autofree char *text = mail_part_text(data, size, &size);
	const struct mail_part message = mail_part_split(text, size);
	struct bodies bodies = {message.header.text, NULL, NULL};

	mail_part_walk(&message, raw_take_body, &bodies);
	*html_r = bodies.html;
	*text_r = bodies.text;
}

/* The parts of a value that count: without white space around it. */
static struct mail_slice
raw_trim(struct mail_slice value)
{
	while (value.size > 0 && g_ascii_isspace(*value.text)) {
		value.text++;
		value.size--;
	}
	while (value.size > 0 && g_ascii_isspace(value.text[value.size - 1]))
		value.size--;
	return value;
}

/* Writes a value without its lines of blanks, which a reader may take for the end of the header. */
static void
raw_write_value(GString *out, struct mail_slice value)
{
	const char *end = value.text + value.size;
	struct mail_slice line;

	for (bool first = true; mail_part_line(&value, &line); first = false)
		if (first || raw_trim(line).size > 0)
			g_string_append_len(
			    out, line.text, MIN((gssize)line.size + 1, end - line.text));
}

static void
raw_write_field(GString *out, const struct field *field)
{
	g_string_append_len(out, field->name.text, (gssize)field->name.size);
	g_string_append_c(out, ':');
	raw_write_value(out, field->value);
}

/* Writes all addresses of this field and of the later ones of its name. */
static void
write_joined(GString *out, const struct mail_raw *raw, guint number)
{
	const struct field *first = field_at(raw, number);
	g_autofree char *name = g_strndup(first->name.text, first->name.size);
	bool any = raw_trim(first->value).size > 0;

	raw_write_field(out, first);
	for (guint i = number + 1; i < raw->fields->len; i++) {
		struct mail_slice more = raw_trim(field_at(raw, i)->value);

		if (!raw_is_named(field_at(raw, i), name) || more.size == 0)
			continue;
		g_string_truncate(out, out->len - strlen("\r\n"));
		g_string_append(out, any ? ",\r\n\t" : "\r\n\t");
		raw_write_value(out, more);
		g_string_append(out, "\r\n");
		any = true;
	}
}

enum treatment {
	KEPT,
	LEFT_OUT,
	JOINED, /* addresses: all in the first field */
	SINGLE, /* the first one stays */
};

/* By name or, with a - at the end, by the beginning of the name. */
static const struct {
	const char *name;
	enum treatment treatment;
} treated[] = {
    {"Bcc", LEFT_OUT}, {"Resent-Bcc", LEFT_OUT}, {"Return-Path", LEFT_OUT},
    {"DKIM-Signature", LEFT_OUT},
    /* libesmtp does not send these two. */
    {"Original-Recipient", LEFT_OUT}, {"Resent-Reply-To", LEFT_OUT}, {"To", JOINED}, {"Cc", JOINED},
    {"Reply-To", JOINED}, {"From", SINGLE}, {"Sender", SINGLE}, {"Date", SINGLE},
    {"Message-ID", SINGLE}, {"Disposition-Notification-To", SINGLE}, {"Subject", SINGLE},
    {"In-Reply-To", SINGLE}, {"References", SINGLE}, {"MIME-Version", SINGLE}, {"Content-", SINGLE},
    {"List-", SINGLE}, /* RFC 2369 section 2, RFC 2919 section 3 */
};

/* The treatment of a field. name is in lower case. */
static enum treatment
treatment_of(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(treated); i++) {
		gsize size = strlen(treated[i].name);

		if (g_ascii_strncasecmp(name, treated[i].name, size) == 0 &&
		    (!name[size] || treated[i].name[size - 1] == '-'))
			return treated[i].treatment;
	}
	return KEPT;
}

static void
raw_write_header(GString *out, const struct mail_raw *raw, bool without_from)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < raw->fields->len; i++) {
		const struct field *field = field_at(raw, i);
		g_autofree char *name = g_ascii_strdown(field->name.text, (gssize)field->name.size);
		enum treatment treatment = treatment_of(name);

		if (treatment == LEFT_OUT || (without_from && raw_is_named(field, "From")))
			continue;
		if (treatment != KEPT && !g_hash_table_add(seen, g_steal_pointer(&name)))
			continue;
		if (treatment == JOINED)
			write_joined(out, raw, i);
		else
			raw_write_field(out, field);
	}
}

GBytes *
mail_raw_compose(const struct mail_raw *raw, const char *added, bool from_is_added)
{
	GString *out = g_string_sized_new(raw->text->len + strlen(added) + 3);

	raw_write_header(out, raw, from_is_added);
	g_string_append(out, added);
	g_string_append(out, "\r\n");
	g_string_append_len(out, raw->body.text, (gssize)raw->body.size);
	return g_string_free_to_bytes(out);
}
