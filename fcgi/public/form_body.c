/* SPDX-License-Identifier: MIT */
/* Reads bodies of submitted forms. */
#include "fcgi/public/form_body.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/request.h"
#include "fcgi/http/multipart.h"
#include "fcgi/http/request.h"
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
form_body_put(struct fcgi_form_body *body, const char *name, const char *value)
{
	if (strcmp(name, "topic") == 0)
		g_ptr_array_add(body->topics, g_strdup(value));
	else
		g_hash_table_replace(body->values, g_strdup(name), g_strdup(value));
}

/* Decodes a part of a form-encoded body; NULL when it cannot be read. The caller owns it. */
static char *
form_body_decode(const char *text, gsize size)
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
		g_autofree char *name = form_body_decode(pairs[i], length);
		g_autofree char *value =
		    *behind ? form_body_decode(behind + 1, strlen(behind + 1)) : NULL;

		if (name && value)
			form_body_put(body, name, value);
	}
}

static void
put_part(const struct fcgi_multipart_part *part, void *context)
{
	g_autofree char *value = g_strndup(part->data, part->size);

	if (g_utf8_validate(part->data, (gssize)part->size, NULL))
		form_body_put(context, part->name, value);
}

static void
put_json(struct fcgi_form_body *body, const char *name, const struct json *value)
{
	if (json_kind(value) == JSON_ARRAY && strcmp(name, "topic") == 0) {
		for (gsize i = 0; i < json_array_length(value); i++)
			if (json_kind(json_array_at(value, i)) == JSON_STRING)
				form_body_put(
				    body, name, json_string(json_array_at(value, i), NULL));
		return;
	}
	const char *text = json_kind(value) == JSON_BOOLEAN ? json_boolean(value) ? "true" : "false"
			   : json_kind(value) == JSON_STRING ? json_string(value, NULL)
							     : json_number_text(value);
	if (text)
		form_body_put(body, name, text);
}

static bool
form_body_read_json(struct fcgi_form_body *body, const char *data, gsize size, GError **error)
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
form_body_begins_with(const char *type, const char *prefix)
{
	return g_ascii_strncasecmp(type, prefix, strlen(prefix)) == 0;
}

/* Bodies of another type that begin as an object does are JSON, too: a form that is encoded does
   not begin so. */
static bool
form_body_is_json(const char *type, const char *data, gsize size)
{
	gsize at = 0;

	while (at < size && strchr(" \t\r\n", data[at]) && data[at] != '\0')
		at++;
	return form_body_begins_with(type, "application/json") || (at < size && data[at] == '{');
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
	g_autofree char *boundary = fcgi_multipart_boundary(type);
	AUTO(fcgi_form_body) body = g_new0(struct fcgi_form_body, 1);
	body->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	body->topics = g_ptr_array_new_with_free_func(g_free);
	if (!data)
		data = "";
	if (boundary)
		fcgi_multipart_read(data, size, boundary, put_part, body);
	else if (!form_body_is_json(type, data, size))
		read_encoded(body, data, size);
	else if (!form_body_read_json(body, data, size, error))
		return NULL;
	return g_steal_pointer(&body);
}
