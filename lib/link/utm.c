/* SPDX-License-Identifier: MIT */
/* Puts UTM parameters into URLs. */
#include "link/utm.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "base/limits/email.h"
#include "json/value.h"

char *
link_utm_read(const struct json *object)
{
	GString *text = g_string_new(NULL);
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value)) {
		const char *plain = value ? json_string(value, NULL) : NULL;

		if (!plain || !*plain)
			continue;
		g_autofree char *escaped = g_uri_escape_string(plain, NULL, false);
		g_string_append_printf(text, "%sutm_%s=%s", text->len > 0 ? "&" : "", key, escaped);
	}
	return g_string_free(text, text->len == 0);
}

/* Whether a query has a parameter of this name; size: of the name. */
static bool
utm_has_parameter(const char *query, gsize query_size, const char *name, gsize size)
{
	const char *end = query + query_size;

	for (const char *p = query; p < end; p++) {
		if ((gsize)(end - p) >= size && g_ascii_strncasecmp(p, name, size) == 0 &&
		    (p + size == end || p[size] == '=' || p[size] == '&'))
			return true;
		p = memchr(p, '&', (gsize)(end - p));
		if (!p)
			return false;
	}
	return false;
}

char *
link_utm_add(const char *url, const char *parameters)
{
	gsize path = strcspn(url, "?#"), size = path + strcspn(url + path, "#");
	GString *text = g_string_new_len(url, (gssize)size);

	while (*parameters) {
		gsize length = strcspn(parameters, "&"), name = strcspn(parameters, "=");

		if (!utm_has_parameter(url + path + (path < size), size - path - (path < size),
			parameters, name)) {
			if (path == size && text->len == size)
				g_string_append_c(text, '?');
			else if (!strchr("?&", text->str[text->len - 1]))
				g_string_append_c(text, '&');
			g_string_append_len(text, parameters, (gssize)length);
		}
		parameters += length + (parameters[length] == '&');
	}
	g_string_append(text, url + size);
	if (text->len <= LIMIT_LINK_BYTES)
		return g_string_free(text, FALSE);
	g_string_free(text, TRUE);
	return g_strdup(url);
}
