/* SPDX-License-Identifier: MIT */
/* The appearance of the page on which people choose what they get (/v1/page). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "fcgi/public/choices.h"
#include "fcgi/public/sheet.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/workspace/preference_page.h"
#include "text/hostname.h"

struct input {
	const char *title, *colour, *logo_url, *address;
	const struct json *text;
	bool title_given, colour_given, logo_url_given, address_given, text_given;
};

/* clang-format off */
static const struct json_field text_fields[] = {
	JSON_KNOWN("en"), JSON_KNOWN("de"), JSON_KNOWN("fr"), JSON_KNOWN("es"), JSON_KNOWN("pt"),
};
static const struct json_field fields[] = {FIELDS_PAGE_CHANGE(struct input),
	JSON_FIELD("text", FIELD_OBJECT, struct input, text, JSON_MEMBERS(text_fields), .given = offsetof(struct input, text_given))};
/* clang-format on */

const struct json_table fcgi_branding_change = JSON_TABLE(fields);

static bool
check_colour(const char *colour, GError **error)
{
	bool good = !colour || !*colour || (colour[0] == '#' && strlen(colour) == 7);

	for (const char *p = colour ? colour + (*colour ? 1 : 0) : ""; good && *p; p++)
		good = g_ascii_isxdigit(*p);
	return good || base_invalid(error, "colour must be #rrggbb");
}

static bool
check_logo(const char *url, GError **error)
{
	if (!url || !*url)
		return true;
	g_autofree char *origin = text_hostname_origin(url, false);
	return origin || base_invalid(error, "logo_url must be an https URL");
}

static bool
check_languages(const struct json *given, GError **error)
{
	struct json_iterator members = json_members(given);
	const struct json *text;
	const char *language;

	while (json_iterator_next(&members, &language, &text)) {
		guint i = 0;

		while (i < CHOICES_LANGUAGES && strcmp(fcgi_choices_languages[i], language) != 0)
			i++;
		if (i == CHOICES_LANGUAGES)
			return base_invalid(error,
			    "text.%s is not a language of the page: en, de, fr, es, pt", language);
	}
	return true;
}

/* Takes the texts of the languages that are given; null removes one. The caller owns the result. */
static char *
merge_texts(const char *stored, const struct json *given, GError **error)
{
	AUTO(json) now = json_parse(*stored ? stored : "{}", strlen(*stored ? stored : "{}"), NULL);
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < CHOICES_LANGUAGES; i++) {
		const char *language = fcgi_choices_languages[i];
		const struct json *change = json_member_get(given, language);
		const char *text = json_string(
		    json_member_has(given, language) ? change : json_member_get(now, language),
		    NULL);

		if (change && !text) {
			base_invalid(error, "text.%s must be a string", language);
			return NULL;
		}
		if (text && g_utf8_strlen(text, -1) > LIMIT_PAGE_TEXT_LENGTH) {
			base_invalid(error, "text.%s must be at most %d characters", language,
			    LIMIT_PAGE_TEXT_LENGTH);
			return NULL;
		}
		if (text && *text)
			json_writer_string(writer, language, text);
	}
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static void
branding_write_text(struct json_writer *writer, const char *key, const char *text)
{
	json_writer_string(writer, key, *text ? text : NULL);
}

static void
write_branding(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_preference_page *branding = row;
	const char *text = *branding->text ? branding->text : "{}";

	json_writer_begin_object(writer, NULL);
	branding_write_text(writer, "title", branding->title);
	json_writer_raw(writer, "text", text, strlen(text));
	branding_write_text(writer, "colour", branding->colour);
	branding_write_text(writer, "logo_url", branding->logo_url);
	branding_write_text(writer, "address", branding->address);
	json_writer_end_object(writer);
}

bool
fcgi_branding_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_preference_page) branding =
	    store_preference_page_get(call->service->db, &call->key.workspace_id, error);

	return fcgi_page_reply_row(call, write_branding, branding);
}

static void
branding_set_text(char **slot, bool given, const char *text)
{
	if (!given)
		return;
	g_free(*slot);
	*slot = g_strdup(text ? text : "");
}

static bool
set_texts(struct store_preference_page *branding, const struct input *input, GError **error)
{
	if (!input->text_given)
		return true;
	if (!check_languages(input->text, error))
		return false;
	char *text = input->text ? merge_texts(branding->text, input->text, error) : g_strdup("");
	if (!text)
		return false;
	g_free(branding->text);
	branding->text = text;
	return true;
}

bool
fcgi_branding_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !check_colour(input.colour, error) || !check_logo(input.logo_url, error))
		return false;
	AUTO(store_preference_page) branding =
	    store_preference_page_get(call->service->db, &call->key.workspace_id, error);
	if (!branding || !set_texts(branding, &input, error))
		return false;
	branding_set_text(&branding->title, input.title_given, input.title);
	branding_set_text(&branding->colour, input.colour_given, input.colour);
	branding_set_text(&branding->logo_url, input.logo_url_given, input.logo_url);
	branding_set_text(&branding->address, input.address_given, input.address);
	return store_preference_page_put(call->service->db, branding, error) &&
	       fcgi_page_reply_row(call, write_branding, branding);
}
