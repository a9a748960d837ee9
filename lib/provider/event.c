/* SPDX-License-Identifier: MIT */
/* Reads the parts that the events of several providers have. */
#include "provider/event.h"

#include <string.h>

#include "base/secret.h"
#include "json/value.h"
#include "json/writer.h"

struct provider_batch *
provider_batch_new(void)
{
	struct provider_batch *batch = g_new(struct provider_batch, 1);

	batch->events = g_ptr_array_new_with_free_func(g_free);
	batch->trees = g_ptr_array_new_with_free_func(json_destroy);
	batch->texts = g_string_chunk_new(4096);
	return batch;
}

void
provider_batch_free(struct provider_batch *batch)
{
	g_ptr_array_unref(batch->events);
	g_ptr_array_unref(batch->trees);
	g_string_chunk_free(batch->texts);
	g_free(batch);
}

struct provider_event *
provider_event_add(struct provider_batch *batch)
{
	struct provider_event *event = g_new0(struct provider_event, 1);

	g_ptr_array_add(batch->events, event);
	return event;
}

const struct json *
provider_value(const struct json *root, const char *path)
{
	g_auto(GStrv) names = g_strsplit(path, "/", -1);

	for (char **name = names; *name && root; name++)
		root = json_member_get(root, *name);
	return root;
}

static const char *
event_text_of(const struct json *value)
{
	const char *text = json_string(value, NULL);

	if (!text)
		text = json_number_text(value);
	return text && *text ? text : NULL;
}

const char *
provider_text(const struct json *root, const char *path)
{
	return event_text_of(provider_value(root, path));
}

const char *
provider_member(const struct json *object, const char *name)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *key;

	while (json_iterator_next(&members, &key, &value))
		if (g_ascii_strcasecmp(key, name) == 0)
			return event_text_of(
			    json_kind(value) == JSON_ARRAY ? json_array_at(value, 0) : value);
	return NULL;
}

const char *
provider_field(const struct json *fields, const char *name)
{
	for (gsize i = 0; i < json_array_length(fields); i++) {
		const struct json *field = json_array_at(fields, i);
		const char *own = provider_member(field, "name");

		if (own && g_ascii_strcasecmp(own, name) == 0)
			return provider_member(field, "value");
	}
	return provider_member(fields, name);
}

gint64
provider_time_iso(const char *text)
{
	g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
	g_autoptr(GDateTime) time = text ? g_date_time_new_from_iso8601(text, utc) : NULL;

	return time ? g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000
		    : 0;
}

gint64
provider_time_seconds(const char *text)
{
	char *end;
	double seconds = text ? g_ascii_strtod(text, &end) : 0;

	return text && !*end && seconds > 0 && seconds < 1e11 ? (gint64)(seconds * 1000 + 0.5) : 0;
}

/* Copies an enhanced status code (RFC 3463 section 2) that begins here; NULL: none does. */
static const char *
code_at(struct provider_batch *batch, const char *text)
{
	const char *end = text;

	if (!*text || !strchr("245", *text) || text[1] != '.')
		return NULL;
	for (guint part = 0; part < 3; part++) {
		gsize digits = strspn(end, "0123456789");

		if (digits < 1 || digits > 3 || (part < 2 && end[digits] != '.'))
			return NULL;
		end += digits + (part < 2);
	}
	if (*end == '.' && g_ascii_isdigit(end[1]))
		return NULL;
	return g_string_chunk_insert_len(batch->texts, text, end - text);
}

static const char *
find_code(struct provider_batch *batch, const char *text)
{
	const char *code;

	for (const char *at = text; *at; at++)
		if ((at == text || !(g_ascii_isdigit(at[-1]) || at[-1] == '.')) &&
		    (code = code_at(batch, at)))
			return code;
	return NULL;
}

void
provider_event_respond(struct provider_batch *batch, struct provider_event *event,
    const char *status, const char *text)
{
	if (text && g_ascii_strncasecmp(text, "smtp;", 5) == 0)
		text += 5;
	while (text && g_ascii_isspace(*text))
		text++;
	event->response = text && *text ? text : NULL;
	event->enhanced = status ? code_at(batch, status) : NULL;
	if (!event->enhanced && event->response)
		event->enhanced = find_code(batch, event->response);
}

void
provider_event_sum(
    struct provider_batch *batch, struct provider_event *event, const struct json *json)
{
	g_autofree char *text = json_print(json);
	guint8 digest[SHA256_SIZE];

	base_secret_sha256(text, strlen(text), digest);
	g_autofree char *sum = base_secret_base64url(digest, sizeof(digest));
	event->key = g_string_chunk_insert(batch->texts, sum);
}

bool
provider_each(struct provider_batch *batch, const struct json *json,
    void (*read)(struct provider_batch *batch, const struct json *event))
{
	bool single = json_kind(json) == JSON_OBJECT;
	gsize count = single ? 1 : json_array_length(json);

	for (gsize i = 0; i < count && !single; i++)
		if (json_kind(json_array_at(json, i)) != JSON_OBJECT)
			return false;
	for (gsize i = 0; i < count; i++)
		read(batch, single ? json : json_array_at(json, i));
	return single || json_kind(json) == JSON_ARRAY;
}

enum provider_kind
provider_kind_of(const struct provider_word *table, const char *word)
{
	for (; word && table->word; table++)
		if (strcmp(table->word, word) == 0)
			return table->kind;
	return PROVIDER_OTHER;
}
