/* SPDX-License-Identifier: MIT */
/* Splits messages from outside into parts, and decodes fields and contents. */
#include "mail/part.h"

#include <gmime/gmime.h>
#include <string.h>

#include "base/limits/report.h"

char *
mail_part_text(const void *data, gsize size, gsize *size_r)
{
	const char *from = data, *end = from + size;
	char *text = g_malloc(size + 1), *to = text;

	while (from < end) {
		const char *cr = memchr(from, '\r', (gsize)(end - from));
		gsize length = (gsize)((cr ? cr : end) - from);

		to = mempcpy(to, from, length);
		from += length + (cr != NULL);
		if (cr && (from == end || *from != '\n'))
			*to++ = '\n';
	}
	*size_r = (gsize)(to - text);
	for (char *nul = text; (nul = memchr(nul, '\0', (gsize)(to - nul)));)
		*nul = ' ';
	*to = '\0';
	return text;
}

bool
mail_part_line(struct mail_slice *rest, struct mail_slice *line_r)
{
	if (rest->size == 0)
		return false;
	const char *end = memchr(rest->text, '\n', rest->size);
	gsize length = end ? (gsize)(end - rest->text) : rest->size;

	*line_r = (struct mail_slice){rest->text, length};
	rest->text += length + (end != NULL);
	rest->size -= length + (end != NULL);
	return true;
}

struct mail_part
mail_part_split(const char *text, gsize size)
{
	struct mail_slice rest = {text, size}, line;
	struct mail_part part = {.header = {text, size}, .body = {text + size, 0}};

	while (mail_part_line(&rest, &line)) {
		/* mbox files and some pipes put this line in front. */
		if (line.text == text && line.size > 5 && memcmp(line.text, "From ", 5) == 0)
			continue;
		if (line.size > 0)
			continue;
		part.header.size = (gsize)(line.text - text);
		part.body = rest;
		break;
	}
	return part;
}

static bool
part_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The length of the name of the field that begins here; 0: none does. */
static gsize
name_length(const struct mail_slice *line)
{
	gsize length = 0;

	while (length < line->size && line->text[length] > ' ' && line->text[length] != ':' &&
	       line->text[length] != 0x7f)
		length++;
	gsize colon = length;
	while (colon < line->size && part_is_blank(line->text[colon]))
		colon++;
	return colon < line->size && line->text[colon] == ':' ? length : 0;
}

static void
part_append_value(GString *value, const char *text, gsize size)
{
	gsize room = value->len < LIMIT_FIELD_BYTES ? LIMIT_FIELD_BYTES - value->len : 0;

	g_string_append_len(value, text, (gssize)MIN(size, room));
}

static char *
finish_value(const GString *value)
{
	return g_strstrip(g_utf8_make_valid(value->str, (gssize)value->len));
}

/* Reads the next field; name_r is a slice, value_r its text, unless it is NULL. */
static bool
part_next_field(struct mail_slice *rest, struct mail_slice *name_r, GString *value)
{
	struct mail_slice line;

	while (mail_part_line(rest, &line)) {
		gsize length = name_length(&line);

		if (length == 0)
			continue;
		const char *colon = memchr(line.text + length, ':', line.size - length);
		gsize used = (gsize)(colon - line.text) + 1;
		*name_r = (struct mail_slice){line.text, length};
		g_string_truncate(value, 0);
		part_append_value(value, line.text + used, line.size - used);
		while (rest->size > 0 && part_is_blank(*rest->text) && mail_part_line(rest, &line))
			part_append_value(value, line.text, line.size);
		return true;
	}
	return false;
}

static bool
part_is_named(const struct mail_slice *name, const char *wanted)
{
	return name->size == strlen(wanted) &&
	       g_ascii_strncasecmp(name->text, wanted, name->size) == 0;
}

char *
mail_part_field(const struct mail_slice *header, const char *name)
{
	struct mail_slice rest = *header, found;
	g_autoptr(GString) value = g_string_new(NULL);

	while (part_next_field(&rest, &found, value))
		if (part_is_named(&found, name))
			return finish_value(value);
	return NULL;
}

void
mail_part_fields(const struct mail_slice *header,
    bool (*each)(const char *name, const char *value, void *context), void *context)
{
	struct mail_slice rest = *header, found;
	g_autoptr(GString) value = g_string_new(NULL);
	bool more = true;

	while (more && part_next_field(&rest, &found, value)) {
		g_autofree char *name = g_strndup(found.text, MIN(found.size, LIMIT_FIELD_BYTES));
		g_autofree char *text = finish_value(value);

		more = each(name, text, context);
	}
}

/* Whether a Content-Type names a type and a subtype. Without one it is that of a message without
   the field (RFC 2045 section 5.2). */
static bool
part_has_subtype(const char *field)
{
	const char *slash = strchr(field, '/');

	return slash && slash > field && (gsize)(slash - field) < strcspn(field, ";");
}

char *
mail_part_type(const struct mail_part *part, char **charset_r, char **boundary_r)
{
	g_autofree char *field = mail_part_field(&part->header, "Content-Type");
	char *name = NULL, *charset = NULL, *boundary = NULL;

	mail_gmime_use();
	GMimeContentType *type = field ? g_mime_content_type_parse(NULL, field) : NULL;
	if (type) {
		g_autofree char *full = g_mime_content_type_get_mime_type(type);
		name = part_has_subtype(field) ? g_ascii_strdown(full, -1) : NULL;
		charset = g_strdup(g_mime_content_type_get_parameter(type, "charset"));
		boundary = g_strdup(g_mime_content_type_get_parameter(type, "boundary"));
		g_object_unref(type);
	}
	if (charset_r)
		*charset_r = g_steal_pointer(&charset);
	if (boundary_r)
		*boundary_r = g_steal_pointer(&boundary);
	g_free(charset);
	g_free(boundary);
	return name ? name : g_strdup("text/plain");
}

/* The line behind the one with begin, where uuencoded data are; NULL: there is none. */
static const char *
part_uuencoded(const char *data, gsize size)
{
	const char *end = data + size, *line = data;

	while (line < end) {
		const char *stop = memchr(line, '\n', (gsize)(end - line));

		if (!stop)
			return NULL;
		if (stop - line > 6 && memcmp(line, "begin ", 6) == 0)
			return stop + 1;
		line = stop + 1;
	}
	return NULL;
}

/* The end of a chunk of base64: that of its padding. */
static const char *
part_chunk_end(const char *p, const char *end)
{
	const char *padding = memchr(p, '=', (gsize)(end - p));

	for (p = padding ? padding : end; p < end && *p == '=';)
		p++;
	return p;
}

/* Whether a text is base64 in whole groups of four, and nothing else. */
static bool
part_is_base64(const char *p, const char *end)
{
	guint at = 0; /* within a group */

	for (; p < end; p++) {
		if (*p == '\r' || *p == '\n')
			continue;
		if (!g_ascii_isalnum(*p) && *p != '+' && *p != '/' && (*p != '=' || at < 2))
			return false;
		at = (at + 1) % 4;
	}
	return at == 0;
}

/* Decodes base64. Some programs pad each chunk of it, and GMime ends at the first padding. More
   chunks must have all the rest: a text behind the padding may be the foot of a list. Without
   padding the decoder would keep the last bytes to itself. */
static gsize
part_unpack_base64(struct mail_slice body, char *bytes)
{
	const char *end = body.text + body.size, *next;
	bool is_chunked = part_is_base64(part_chunk_end(body.text, end), end);
	GMimeEncoding decoder;
	gsize size = 0;

	for (const char *p = body.text; p < end; p = next) {
		next = is_chunked ? part_chunk_end(p, end) : end;
		g_mime_encoding_init_decode(&decoder, GMIME_CONTENT_ENCODING_BASE64);
		size += g_mime_encoding_step(&decoder, p, (gsize)(next - p), bytes + size);
		size += g_mime_encoding_flush(&decoder, "==", 2, bytes + size);
	}
	return size;
}

char *
mail_part_unpack(struct mail_slice body, const char *name, gsize *size_r)
{
	GMimeEncoding decoder;

	mail_gmime_use();
	GMimeContentEncoding encoding =
	    name ? g_mime_content_encoding_from_string(name) : GMIME_CONTENT_ENCODING_DEFAULT;
	g_mime_encoding_init_decode(&decoder, encoding);
	char *bytes = g_malloc(g_mime_encoding_outlen(&decoder, body.size + strlen("==")) + 1);
	if (encoding == GMIME_CONTENT_ENCODING_BASE64) {
		*size_r = part_unpack_base64(body, bytes);
		return bytes;
	}
	const char *first = encoding == GMIME_CONTENT_ENCODING_UUENCODE
				? part_uuencoded(body.text, body.size)
				: NULL;
	if (first) {
		body.size -= (gsize)(first - body.text);
		body.text = first;
		decoder.state |= GMIME_UUDECODE_STATE_BEGIN;
	}
	gsize size = g_mime_encoding_step(&decoder, body.text, body.size, bytes);
	size += g_mime_encoding_flush(&decoder, "", 0, bytes + size);
	*size_r = size;
	return bytes;
}

char *
mail_part_bytes(const struct mail_part *part, gsize *size_r)
{
	g_autofree char *encoding = mail_part_field(&part->header, "Content-Transfer-Encoding");

	return mail_part_unpack(part->body, encoding, size_r);
}

char *
mail_part_decode(const struct mail_part *part, gsize *size_r)
{
	gsize size;
	g_autofree char *bytes = mail_part_bytes(part, &size);

	return mail_part_text(bytes, size, size_r);
}

/* iconv loads a library for each charset, and some of these had faults. Reports use these
   charsets; no other name is common. */
static const char *const charsets[] = {"us-ascii", "ascii", "ansi_x3.4-1968", "iso-8859-1",
    "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7",
    "iso-8859-8", "iso-8859-9", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15",
    "iso-8859-16", "latin1", "windows-874", "windows-1250", "windows-1251", "windows-1252",
    "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258",
    "cp1251", "cp1252", "koi8-r", "koi8-u", "tis-620", "gb2312", "gbk", "gb18030", "big5", "euc-jp",
    "iso-2022-jp", "shift_jis", "euc-kr", "big5-hkscs", "cp932", "cp949", NULL};

static bool
is_allowed(const char *charset)
{
	for (const char *const *allowed = charsets; *allowed; allowed++)
		if (g_ascii_strcasecmp(charset, *allowed) == 0)
			return true;
	return false;
}

char *
mail_part_to_utf8(const char *text, gsize size, const char *charset)
{
	const char *const names[] = {charset, "windows-1252", "iso-8859-1"};
	char *converted = NULL;

	if (g_utf8_validate_len(text, size, NULL))
		return g_strndup(text, size);
	for (gsize i = 0; !converted && i < G_N_ELEMENTS(names); i++)
		if (names[i] && is_allowed(names[i]))
			converted =
			    g_convert(text, (gssize)size, "UTF-8", names[i], NULL, NULL, NULL);
	return converted ? converted : g_utf8_make_valid(text, (gssize)size);
}

char *
mail_part_decode_text(const struct mail_part *part)
{
	g_autofree char *charset = NULL;
	g_autofree char *type = mail_part_type(part, &charset, NULL);
	gsize size, converted;
	g_autofree char *bytes = mail_part_bytes(part, &size);
	g_autofree char *text = NULL;

	if (charset && is_allowed(charset))
		text = g_convert(bytes, (gssize)size, "UTF-8", charset, NULL, &converted, NULL);
	g_autofree char *plain =
	    text ? mail_part_text(text, converted, &size) : mail_part_text(bytes, size, &size);
	return g_utf8_make_valid(plain, (gssize)size);
}

/* A level of nested multiparts: its unread rest, and its delimiter. */
struct level {
	struct mail_slice rest;
	char *delimiter; /* "--boundary" */
	bool open;	 /* the first part has begun */
	bool is_digest;	 /* of messages (RFC 2046 section 5.1.5) */
};

/* Whether the line ends a part. *last_r: it is the last part. */
static bool
part_is_delimiter(const struct level *level, const struct mail_slice *line, bool *last_r)
{
	gsize length = strlen(level->delimiter);

	if (line->size < length || memcmp(line->text, level->delimiter, length) != 0)
		return false;
	gsize at = length;
	*last_r = line->size >= length + 2 && memcmp(line->text + length, "--", 2) == 0;
	for (at += *last_r ? 2 : 0; at < line->size; at++)
		if (!part_is_blank(line->text[at]))
			return false;
	return true;
}

/* Reads the next part of a multipart; false without one. A part that is cut off counts. */
static bool
part_next_part(struct level *level, struct mail_part *part_r)
{
	struct mail_slice line;
	bool last = false, delimited = false;

	while (!level->open) {
		if (!mail_part_line(&level->rest, &line))
			return false;
		level->open = part_is_delimiter(level, &line, &last);
	}
	if (last)
		return false;
	const char *begin = level->rest.text, *end = begin + level->rest.size;
	while (!delimited && mail_part_line(&level->rest, &line)) {
		delimited = part_is_delimiter(level, &line, &last);
		end = delimited ? line.text : line.text + line.size;
	}
	*part_r = mail_part_split(begin, (gsize)(end - begin));
	if (last)
		level->rest.size = 0;
	return delimited || end > begin;
}

#define BOUNDARY_GUESSED 70 /* RFC 2046 section 5.1.1 */

/* The boundary that a line may be the delimiter of; NULL: it is none, but a line that someone drew,
   or the mark of a signature. The caller owns it. */
static char *
part_boundary_of(const struct mail_slice *line)
{
	gsize size = line->size;
	bool has_letter = false;

	while (size > 0 && part_is_blank(line->text[size - 1]))
		size--;
	if (size < 3 || size > 2 + BOUNDARY_GUESSED || memcmp(line->text, "--", 2) != 0)
		return NULL;
	for (gsize i = 2; i < size; i++) {
		if (line->text[i] <= ' ')
			return NULL;
		has_letter = has_letter || g_ascii_isalnum(line->text[i]);
	}
	return has_letter ? g_strndup(line->text + 2, size - 2) : NULL;
}

/* Whether this delimiter stands in a text, and at least so many times. */
static bool
part_has_delimiter(struct mail_slice text, const char *boundary, guint times)
{
	g_autofree char *delimiter = g_strconcat("--", boundary, NULL);
	const struct level level = {.delimiter = delimiter};
	struct mail_slice line;
	bool last;

	while (times > 0 && mail_part_line(&text, &line))
		times -= part_is_delimiter(&level, &line, &last);
	return times == 0;
}

/* The boundary of a multipart. One that it does not name, or that stands nowhere, is that of the
   first line that looks like a delimiter, if it stands there twice. It takes the named one over.
   NULL: there are no parts; a reader sees text then. The caller owns it. */
static char *
part_find_boundary(const struct mail_part *part, char *named)
{
	struct mail_slice rest = part->body, line;
	char *found = NULL;

	if (named && part_has_delimiter(part->body, named, 1))
		return named;
	g_free(named);
	while (!found && mail_part_line(&rest, &line))
		found = part_boundary_of(&line);
	if (found && !part_has_delimiter(part->body, found, 2))
		g_clear_pointer(&found, g_free);
	return found;
}

/* Whether a text has nothing but white space. */
static bool
part_is_empty(const struct mail_slice *text)
{
	gsize i = 0;

	while (i < text->size && g_ascii_isspace(text->text[i]))
		i++;
	return i == text->size;
}

/* The type of a part, and of a multipart with parts their boundary, which else is NULL. NULL: a
   multipart with nothing in it. */
static char *
part_read_type(const struct mail_part *part, bool in_digest, char **boundary_r)
{
	char *named, *type = mail_part_type(part, NULL, &named);

	*boundary_r = NULL;
	if (g_str_has_prefix(type, "multipart/")) {
		*boundary_r = part_find_boundary(part, named);
		if (!*boundary_r) {
			g_free(type);
			type = part_is_empty(&part->body) ? NULL : g_strdup("text/plain");
		}
		return type;
	}
	g_free(named);
	g_autofree char *field = in_digest ? mail_part_field(&part->header, "Content-Type") : NULL;
	if (!in_digest || field)
		return type;
	g_free(type);
	return g_strdup("message/rfc822");
}

/* Calls leaf for each part of the first most entities. False when some are left out. */
static bool
part_walk_some(const struct mail_part *message, guint most,
    void (*leaf)(const struct mail_part *part, const char *type, void *context), void *context)
{
	struct level levels[LIMIT_PART_DEPTH];
	struct mail_part part = *message;
	guint depth = 0, count = 0;
	bool more = true, whole = true;

	while (more && count++ < most) {
		bool in_digest = depth > 0 && levels[depth - 1].is_digest;
		g_autofree char *boundary = NULL;
		g_autofree char *type = part_read_type(&part, in_digest, &boundary);

		if (boundary && depth < LIMIT_PART_DEPTH)
			levels[depth++] = (struct level){
			    .rest = part.body,
			    .delimiter = g_strconcat("--", boundary, NULL),
			    .is_digest = strcmp(type, "multipart/digest") == 0,
			};
		else if (boundary)
			whole = false;
		else if (type)
			leaf(&part, type, context);
		while ((more = depth > 0) && !part_next_part(&levels[depth - 1], &part))
			g_free(levels[--depth].delimiter);
	}
	while (depth > 0)
		g_free(levels[--depth].delimiter);
	return whole && !more;
}

void
mail_part_walk(const struct mail_part *message,
    void (*leaf)(const struct mail_part *part, const char *type, void *context), void *context)
{
	part_walk_some(message, LIMIT_PARTS, leaf, context);
}

bool
mail_part_walk_whole(const struct mail_part *message,
    void (*leaf)(const struct mail_part *part, const char *type, void *context), void *context)
{
	return part_walk_some(message, LIMIT_PARTS + 1, leaf, context);
}

void
mail_gmime_use(void)
{
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		g_mime_init();
		g_once_init_leave(&ready, 1);
	}
}
