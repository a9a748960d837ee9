/* SPDX-License-Identifier: MIT */
/* Reads the contents that requests give, and signs the downloads of attachments. */
#include "email/attachment.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits/email.h"
#include "base/secret.h"
#include "config/settings.h"
#include "json/value.h"
#include "link/token.h"
#include "service/service.h"
#include "store/email/attachment.h"
#include "store/email/body.h"

/* The bytes of an array of numbers. NULL when one is no number from 0 to 255. */
static GBytes *
read_numbers(const struct json *array)
{
	gsize count = json_array_length(array);

	if (json_array_bytes(array))
		return g_bytes_new(json_array_bytes(array), count);
	g_autofree guint8 *bytes = g_malloc(count + 1);

	for (gsize i = 0; i < count; i++) {
		const struct json *number = json_array_at(array, i);
		gint64 byte = json_integer(number);

		if (json_kind(number) != JSON_INTEGER || byte < 0 || byte > G_MAXUINT8)
			return NULL;
		bytes[i] = (guint8)byte;
	}
	return g_bytes_new_take(g_steal_pointer(&bytes), count);
}

GBytes *
email_attachment_base64(const char *text, gsize size)
{
	GBytes *bytes = base_secret_base64_decode(text, size);

	if (bytes)
		return bytes;
	g_autoptr(GString) dense = g_string_sized_new(size + 2);
	for (gsize i = 0; i < size; i++)
		if (!g_ascii_isspace(text[i]))
			g_string_append_c(dense, text[i]);
	gsize digits = strcspn(dense->str, "="), missing = (4 - digits % 4) % 4;
	if (dense->len > digits + missing)
		return NULL;
	g_string_append_len(dense, "==", (gssize)(digits + missing - dense->len));
	return base_secret_base64_decode(dense->str, dense->len);
}

/* Whether there is a blank between two characters of a line. */
static bool
has_words(const char *text)
{
	for (const char *blank = text; (blank = strpbrk(blank, " \t")); blank++)
		if (blank > text && g_ascii_isgraph(blank[-1]) &&
		    g_ascii_isgraph(blank[strspn(blank, " \t")]))
			return true;
	return false;
}

static gsize
count_digits(const char *text)
{
	gsize count = 0;

	for (; *text; text++)
		count += !g_ascii_isspace(*text);
	return count;
}

/* Words are base64 only with all of the padding: few sentences have such a length. */
static GBytes *
attachment_read_text(const char *text, gsize size)
{
	GBytes *bytes = base_secret_base64_decode(text, size);

	if (bytes)
		return bytes;
	g_autofree char *digits = g_strndup(text, size);
	if (!strpbrk(digits, "+/"))
		g_strdelimit(g_strdelimit(digits, "-", '+'), "_", '/');
	if (!has_words(digits) || count_digits(digits) % 4 == 0)
		bytes = email_attachment_base64(digits, size);
	return bytes ? bytes : g_bytes_new(text, size);
}

GBytes *
email_attachment_content(const struct json *given)
{
	gsize size;
	const char *text = json_string(given, &size);

	if (text)
		return attachment_read_text(text, size);
	if (json_kind(given) == JSON_OBJECT) {
		if (g_strcmp0(json_string(json_member_get(given, "type"), NULL), "Buffer") != 0)
			return NULL;
		given = json_member_get(given, "data");
	}
	return json_kind(given) == JSON_ARRAY ? read_numbers(given) : NULL;
}

/* The types of the files that people attach, by ending (IANA). */
static const struct {
	const char *ending, *type;
} types[] = {
    {"7z", "application/x-7z-compressed"},
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"eml", "message/rfc822"},
    {"epub", "application/epub+zip"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"heic", "image/heic"},
    {"htm", "text/html"},
    {"html", "text/html"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ics", "text/calendar"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript"},
    {"json", "application/json"},
    {"m4a", "audio/mp4"},
    {"md", "text/markdown"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"ogg", "audio/ogg"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"ppt", "application/vnd.ms-powerpoint"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"rtf", "application/rtf"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"txt", "text/plain"},
    {"vcf", "text/vcard"},
    {"wav", "audio/wav"},
    {"webm", "video/webm"},
    {"webp", "image/webp"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"zip", "application/zip"},
};

const char *
email_attachment_type(const char *filename)
{
	const char *dot = strrchr(filename, '.');

	for (gsize i = 0; dot && i < G_N_ELEMENTS(types); i++)
		if (g_ascii_strcasecmp(dot + 1, types[i].ending) == 0)
			return types[i].type;
	return "application/octet-stream";
}

char *
email_attachment_filename(const char *url)
{
	const char *host = strstr(url, "://");
	const char *begin = host ? host + strlen("://") : url;
	g_autofree char *path = g_strndup(begin, strcspn(begin, "?#"));
	const char *slash = strrchr(path, '/');
	g_autofree char *name = slash ? g_uri_unescape_string(slash + 1, NULL) : NULL;

	if (!name || !*name || !g_utf8_validate(name, -1, NULL))
		return g_strdup("attachment");
	return g_utf8_substring(
	    name, 0, MIN(g_utf8_strlen(name, -1), (glong)LIMIT_FILENAME_LENGTH));
}

/* A UUID of version 8 (RFC 9562 section 5.8), made of a digest. */
struct base_id
email_attachment_id(const struct base_id *email, guint number)
{
	guint8 named[sizeof(*email) + 1], digest[SHA256_SIZE];
	struct base_id id;

	memcpy(named, email, sizeof(*email));
	named[sizeof(*email)] = (guint8)number;
	base_secret_sha256(named, sizeof(named), digest);
	memcpy(id.bytes, digest, sizeof(id.bytes));
	id.bytes[6] = (id.bytes[6] & 0x0f) | 0x80;
	id.bytes[8] = (id.bytes[8] & 0x3f) | 0x80;
	return id;
}

char *
email_attachment_url(
    const struct service *service, const struct base_id *email, guint number, gint64 expires)
{
	const struct link_token token = {TOKEN_ATTACHMENT, *email, number, 0};

	return link_token_file_url(service->settings, 'a', &token, expires);
}

bool
email_attachment_allowed(const struct service *service, const char *token, const char *expires,
    struct link_token *token_r)
{
	gint64 end;

	return g_ascii_string_to_signed(expires, 10, 0, G_MAXINT64, &end, NULL) &&
	       link_token_read(config_settings_secret(service->settings), TOKEN_ATTACHMENT, token,
		   expires, token_r) &&
	       base_clock_now() < end;
}

GBytes *
email_attachment_read(
    struct service *service, const struct store_attachment *attachment, GError **error)
{
	return store_body_get(service->db, &attachment->workspace_id, attachment->hash, error);
}
