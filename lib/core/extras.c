/* SPDX-License-Identifier: MIT */
/* What a submission may bring besides: header fields of its own, and tags. */
#include "core/extras.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/header.h"

static bool
fault(GError **error, const char *field, const char *name, const char *text)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s.%.*s %s", field,
	    LIMIT_HEADER_NAME_LENGTH, name, text);
	return false;
}

static bool
check_header(const char *name, const char *value, GHashTable *seen, GError **error)
{
	struct mail_header header = {name, value};

	if (mail_header_reserved(name))
		return fault(error, "headers", name, "is set by the service");
	if (g_utf8_strlen(value, -1) > LIMIT_HEADER_VALUE_LENGTH) {
		g_autofree char *text =
		    g_strdup_printf("must be at most %d characters", LIMIT_HEADER_VALUE_LENGTH);
		return fault(error, "headers", name, text);
	}
	if (!g_hash_table_add(seen, g_ascii_strdown(name, -1)))
		return fault(error, "headers", name, "is given twice");
	if (mail_header_check(&header, error))
		return true;
	g_prefix_error(error, "headers.%.*s ", LIMIT_HEADER_NAME_LENGTH, name);
	return false;
}

bool
core_extras_headers(const struct json *given, char **text_r, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct json_iterator members = json_members(given);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		if (json_kind(value) != JSON_STRING)
			return fault(error, "headers", name, "must be a string");
		if (!check_header(name, json_string(value, NULL), seen, error))
			return false;
	}
	*text_r = json_member_count(given) > 0 ? json_print(given) : NULL;
	return true;
}

static bool
tag_fits(const char *text)
{
	return g_utf8_strlen(text, -1) <= LIMIT_TAG_LENGTH;
}

bool
core_extras_tags(const struct json *given, char **text_r, GError **error)
{
	struct json_iterator members = json_members(given);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		if (json_kind(value) != JSON_STRING)
			return fault(error, "tags", name, "must be a string");
		if (!tag_fits(name) || !tag_fits(json_string(value, NULL))) {
			g_autofree char *text = g_strdup_printf(
			    "must be at most %d characters, in name and value", LIMIT_TAG_LENGTH);
			return fault(error, "tags", name, text);
		}
	}
	*text_r = json_member_count(given) > 0 ? json_print(given) : NULL;
	return true;
}

GArray *
core_extras_read_headers(const char *text, struct json **document_r, GError **error)
{
	GArray *headers = g_array_new(FALSE, FALSE, sizeof(struct mail_header));

	*document_r = text ? json_parse_as("stored headers", text, strlen(text), error) : NULL;
	if (text && !*document_r) {
		g_array_unref(headers);
		return NULL;
	}
	struct json_iterator members = json_members(*document_r);
	const struct json *value;
	struct mail_header header;
	while (json_iterator_next(&members, &header.name, &value)) {
		header.value = json_string(value, NULL);
		g_array_append_val(headers, header);
	}
	return headers;
}
