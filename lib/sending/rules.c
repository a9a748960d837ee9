/* SPDX-License-Identifier: MIT */
/* Reads rules, and writes them. */
#include "sending/rules.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"

#define MINUTE_MS (60LL * 1000)

static const struct json_place hours_place = {NULL, "hours", 0}, cap_place = {NULL, "cap", 0},
			       priority_place = {NULL, "priority", 0};

static const char *const priority_names[] = {
    [PRIORITY_HIGH] = "high", [PRIORITY_NORMAL] = "normal", [PRIORITY_LOW] = "low"};

static const struct json_field fields[] = {
    {.name = "hours", .type = FIELD_KNOWN, JSON_MEMBERS(sending_hours_fields)},
    {.name = "cap", .type = FIELD_KNOWN, JSON_MEMBERS(sending_cap_fields)},
};
const struct json_table sending_rules_body = JSON_TABLE(fields);

bool
sending_rules_read(const struct json *object, struct sending_rules *rules_r, GError **error)
{
	return sending_hours_read(
		   json_member_get(object, "hours"), &hours_place, false, &rules_r->hours, error) &&
	       sending_cap_read(json_member_get(object, "cap"), &cap_place, &rules_r->cap, error);
}

void
sending_rules_write(struct json_writer *writer, const struct sending_rules *rules)
{
	json_writer_begin_object(writer, NULL);
	sending_hours_write(writer, "hours", &rules->hours);
	sending_cap_write(writer, "cap", &rules->cap);
	json_writer_end_object(writer);
}

char *
sending_rules_print_hours(const struct sending_hours *hours)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!sending_hours_are_set(hours))
		return NULL;
	sending_hours_write(writer, NULL, hours);
	return json_writer_take(writer, NULL);
}

char *
sending_rules_print_cap(const struct sending_cap *cap)
{
	AUTO(json_writer) writer = json_writer_new();

	if (cap->mailings == 0)
		return NULL;
	sending_cap_write(writer, NULL, cap);
	return json_writer_take(writer, NULL);
}

/* A document that was stored; NULL where there is none. *is_good_r: it could be read. */
static struct json *
rules_parse(const char *text, bool *is_good_r, GError **error)
{
	struct json *document = text ? json_parse(text, strlen(text), error) : NULL;

	*is_good_r = document || !text;
	return document;
}

static bool
rules_damaged(GError **error)
{
	g_prefix_error(error, "stored rules of sending: ");
	return false;
}

bool
sending_rules_parse(
    const char *hours, const char *cap, struct sending_rules *rules_r, GError **error)
{
	bool hours_good, cap_good;
	AUTO(json) hours_json = rules_parse(hours, &hours_good, error);
	AUTO(json) cap_json = hours_good ? rules_parse(cap, &cap_good, error) : NULL;

	return (hours_good && cap_good &&
		   sending_hours_read(hours_json, &hours_place, false, &rules_r->hours, error) &&
		   sending_cap_read(cap_json, &cap_place, &rules_r->cap, error)) ||
	       rules_damaged(error);
}

bool
sending_priority_read(const char *word, const struct json_place *place,
    enum sending_priority *priority_r, GError **error)
{
	*priority_r = PRIORITY_NORMAL;
	for (guint i = 0; word && i < G_N_ELEMENTS(priority_names); i++)
		if (strcmp(priority_names[i], word) == 0) {
			*priority_r = i;
			return true;
		}
	return !word || json_place_fail(place, error, "must be one of high, normal, low");
}

const char *
sending_priority_name(enum sending_priority priority)
{
	return priority_names[priority];
}

gint64
sending_priority_delay(enum sending_priority priority)
{
	return priority * MINUTE_MS;
}

char *
sending_own_print(const struct sending_own *own)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!sending_hours_are_set(&own->hours) && !own->ignores_cap &&
	    own->priority == PRIORITY_NORMAL)
		return NULL;
	json_writer_begin_object(writer, NULL);
	sending_hours_write(writer, "hours", &own->hours);
	json_writer_boolean(writer, "ignore_cap", own->ignores_cap);
	json_writer_string(writer, "priority", sending_priority_name(own->priority));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

bool
sending_own_parse(const char *text, struct sending_own *own_r, GError **error)
{
	bool is_good;
	AUTO(json) document = rules_parse(text, &is_good, error);

	*own_r = (struct sending_own){.priority = PRIORITY_NORMAL};
	if (!text)
		return true;
	own_r->ignores_cap = json_boolean(json_member_get(document, "ignore_cap"));
	return (is_good &&
		   sending_hours_read(json_member_get(document, "hours"), &hours_place, true,
		       &own_r->hours, error) &&
		   sending_priority_read(json_string(json_member_get(document, "priority"), NULL),
		       &priority_place, &own_r->priority, error)) ||
	       rules_damaged(error);
}

char *
sending_hours_text(gint64 opening)
{
	char time[CLOCK_ISO_SIZE];

	return g_strdup_printf("hours: may leave from %s", base_clock_format(opening, time));
}
