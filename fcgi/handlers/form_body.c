/* SPDX-License-Identifier: MIT */
/* Reads bodies of submitted forms. */
#include "fcgi/handlers/form_body.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "fcgi/request.h"
#include "json/strict.h"

void
fcgi_form_body_free(struct fcgi_form_body *body)
{
	g_hash_table_unref(body->values);
	g_ptr_array_unref(body->topics);
	g_free(body);
}

/* Takes name and value, which are UTF-8 without NUL. */
static void
put(struct fcgi_form_body *body, const char *name, const char *value)
{
	if (strcmp(name, "topic") == 0)
		g_ptr_array_add(body->topics, g_strdup(value));
	else
		g_hash_table_replace(body->values, g_strdup(name), g_strdup(value));
}

/* Decodes a part of a form-encoded body; NULL when it cannot be read. The caller owns it. */
static char *
decode(const char *text, gsize size)
{
	g_autofree char *copy = g_strndup(text, size);
	g_autofree char *plain = g_uri_unescape_string(g_strdelimit(copy, "+", ' '), NULL);

	return plain && g_utf8_validate(plain, -1, NULL) ? g_steal_pointer(&plain) : NULL;
}

/* https://url.spec.whatwg.org/#urlencoded-parsing */
static void
read_encoded(struct fcgi_form_body *body, const char *data, gsize size)
{
	g_autofree char *text = g_strndup(data, size);
	g_auto(GStrv) pairs = g_strsplit(text, "&", -1);

	for (guint i = 0; pairs[i]; i++) {
		gsize length = strcspn(pairs[i], "=");
		const char *behind = pairs[i] + length;
		g_autofree char *name = decode(pairs[i], length);
		g_autofree char *value = *behind ? decode(behind + 1, strlen(behind + 1)) : NULL;

		if (name && value)
			put(body, name, value);
	}
}

/* The value of a parameter (RFC 2045 section 5.1, RFC 7578): text or "text". The caller owns it. */
static char *
parameter_of(const char *header, const char *name)
{
	for (const char *p = header; (p = strchr(p, ';'));) {
		p += 1 + strspn(p + 1, " \t");
		if (g_ascii_strncasecmp(p, name, strlen(name)) != 0 || p[strlen(name)] != '=')
			continue;
		p += strlen(name) + 1;
		return *p == '"' ? g_strndup(p + 1, strcspn(p + 1, "\""))
				 : g_strndup(p, strcspn(p, "; \t\r\n"));
	}
	return NULL;
}

/* The name in the header fields of a part. The caller owns it; NULL: none. */
static char *
name_of(const char *header)
{
	g_auto(GStrv) lines = g_strsplit(header, "\r\n", -1);

	for (guint i = 0; lines[i]; i++)
		if (g_ascii_strncasecmp(lines[i], "content-disposition:", 20) == 0)
			return parameter_of(lines[i], "name");
	return NULL;
}

/* Reads a part: header fields, an empty line, the value. */
static void
read_part(struct fcgi_form_body *body, const char *part, gsize size)
{
	const char *end = g_strstr_len(part, (gssize)size, "\r\n\r\n");

	if (!end || !g_utf8_validate(part, (gssize)size, NULL))
		return;
	g_autofree char *header = g_strndup(part, (gsize)(end - part));
	g_autofree char *name = name_of(header);
	g_autofree char *value = g_strndup(end + 4, size - (gsize)(end + 4 - part));
	if (name)
		put(body, name, value);
}

/* Reads the parts between delimiters (RFC 2046 section 5.1.1). */
static void
read_multipart(struct fcgi_form_body *body, const char *data, gsize size, const char *boundary)
{
	g_autofree char *delimiter = g_strdup_printf("\r\n--%s", boundary);
	gsize length = strlen(delimiter);
	const char *p = data, *stop = data + size;

	/* The first delimiter may lack the line break before it. */
	if (size >= length - 2 && memcmp(data, delimiter + 2, length - 2) == 0)
		p += length - 2;
	else if ((p = memmem(data, size, delimiter, length)))
		p += length;
	while (p && stop - p > 2 && memcmp(p, "--", 2) != 0) {
		const char *part = p;

		p = memmem(part, (gsize)(stop - part), delimiter, length);
		if (!p)
			return;
		/* The line break of the delimiter's line belongs to no part. */
		if (p - part >= 2)
			read_part(body, part, (gsize)(p - part));
		p += length;
	}
}

static void
put_json(struct fcgi_form_body *body, const char *name, const struct json *value)
{
	if (json_kind(value) == JSON_ARRAY && strcmp(name, "topic") == 0) {
		for (gsize i = 0; i < json_array_length(value); i++)
			if (json_kind(json_array_at(value, i)) == JSON_STRING)
				put(body, name, json_string(json_array_at(value, i), NULL));
		return;
	}
	const char *text = json_kind(value) == JSON_BOOLEAN ? json_boolean(value) ? "true" : "false"
			   : json_kind(value) == JSON_STRING ? json_string(value, NULL)
							     : json_number_text(value);
	if (text)
		put(body, name, text);
}

static bool
read_json(struct fcgi_form_body *body, const char *data, gsize size, GError **error)
{
	AUTO(json) object = json_parse(data, size, error);
	const struct json *value;
	const char *name;

	if (!object)
		return false;
	if (json_kind(object) != JSON_OBJECT)
		return base_invalid(error, "The body must be a JSON object");
	struct json_iterator members = json_members(object);
	while (json_iterator_next(&members, &name, &value))
		put_json(body, name, value);
	return true;
}

static bool
begins_with(const char *type, const char *prefix)
{
	return g_ascii_strncasecmp(type, prefix, strlen(prefix)) == 0;
}

struct fcgi_form_body *
fcgi_form_body_read(struct fcgi_request *request, GError **error)
{
	const char *given = fcgi_request_header(request, "CONTENT_TYPE");
	g_autofree char *type = g_strdup(given ? given : "");
	g_autoptr(GBytes) bytes = fcgi_request_body(request, LIMIT_FORM_BYTES, error);
	gsize size;

	if (!bytes)
		return NULL;
	const char *data = g_bytes_get_data(bytes, &size);
	g_autofree char *boundary =
	    begins_with(type, "multipart/form-data") ? parameter_of(type, "boundary") : NULL;
	AUTO(fcgi_form_body) body = g_new0(struct fcgi_form_body, 1);
	body->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	body->topics = g_ptr_array_new_with_free_func(g_free);
	if (!data)
		data = "";
	if (boundary && *boundary)
		read_multipart(body, data, size, boundary);
	else if (!begins_with(type, "application/json"))
		read_encoded(body, data, size);
	else if (!read_json(body, data, size, error))
		return NULL;
	return g_steal_pointer(&body);
}
