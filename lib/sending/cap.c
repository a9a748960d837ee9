/* SPDX-License-Identifier: MIT */
/* Reads caps, and writes them. */
#include "sending/cap.h"

#include "base/limits/sending.h"
#include "json/place.h"
#include "json/value.h"
#include "json/writer.h"

#define DAY_MS (24LL * 60 * 60 * 1000)

static const struct json_field wait_fields[] = {JSON_KNOWN("duration"), JSON_KNOWN("unit")};
const struct json_field sending_cap_fields[3] = {JSON_KNOWN("mailings"), JSON_KNOWN("days"),
    {.name = "wait", .type = FIELD_KNOWN, JSON_MEMBERS(wait_fields)}};

static const struct {
	const char *name;
	gint64 ms;
} units[] = {
    {"minutes", 60LL * 1000}, {"hours", 60LL * 60 * 1000}, {"days", DAY_MS}, {"weeks", 7 * DAY_MS}};

static bool
cap_read_number(const struct json *cap, const char *name, const struct json_place *parent,
    gint64 most, gint64 *number_r, GError **error)
{
	const struct json_place place = {parent, name, 0};

	*number_r = json_integer(json_member_get(cap, name));
	return (*number_r >= 1 && *number_r <= most) ||
	       json_place_fail(&place, error, "must be 1 to %" G_GINT64_FORMAT, most);
}

static bool
cap_read_wait(const struct json *given, const struct json_place *parent, struct sending_cap *cap,
    GError **error)
{
	const struct json_place place = {parent, "wait", 0}, duration = {&place, "duration", 0},
				unit = {&place, "unit", 0};
	const struct json *wait = json_member_get(given, "wait");
	const char *name = json_string(json_member_get(wait, "unit"), NULL);
	gint64 ms = 0;

	if (!wait)
		return true;
	if (json_kind(wait) != JSON_OBJECT)
		return json_place_fail(&place, error, "must be an object");
	for (guint i = 0; i < G_N_ELEMENTS(units); i++)
		if (g_strcmp0(units[i].name, name) == 0) {
			cap->wait_unit = units[i].name;
			ms = units[i].ms;
		}
	if (ms == 0)
		return json_place_fail(&unit, error, "must be minutes, hours, days or weeks");
	cap->wait_number = json_integer(json_member_get(wait, "duration"));
	if (cap->wait_number < 1)
		return json_place_fail(&duration, error, "must be a whole number from 1");
	if (cap->wait_number > LIMIT_CAP_WAIT_MS / ms)
		return json_place_fail(&place, error, "must be at most 30 days");
	cap->wait = cap->wait_number * ms;
	return true;
}

bool
sending_cap_read(const struct json *value, const struct json_place *place,
    struct sending_cap *cap_r, GError **error)
{
	*cap_r = (struct sending_cap){.mailings = 0};
	if (!value)
		return true;
	if (json_kind(value) != JSON_OBJECT)
		return json_place_fail(place, error, "must be an object");
	return cap_read_number(
		   value, "mailings", place, LIMIT_CAP_MAILINGS, &cap_r->mailings, error) &&
	       cap_read_number(value, "days", place, LIMIT_CAP_DAYS, &cap_r->days, error) &&
	       cap_read_wait(value, place, cap_r, error);
}

void
sending_cap_write(struct json_writer *writer, const char *key, const struct sending_cap *cap)
{
	if (cap->mailings == 0) {
		json_writer_null(writer, key);
		return;
	}
	json_writer_begin_object(writer, key);
	json_writer_integer(writer, "mailings", cap->mailings);
	json_writer_integer(writer, "days", cap->days);
	if (cap->wait == 0) {
		json_writer_null(writer, "wait");
	} else {
		json_writer_begin_object(writer, "wait");
		json_writer_integer(writer, "duration", cap->wait_number);
		json_writer_string(writer, "unit", cap->wait_unit);
		json_writer_end_object(writer);
	}
	json_writer_end_object(writer);
}

gint64
sending_cap_length(const struct sending_cap *cap)
{
	return cap->days * DAY_MS;
}

char *
sending_cap_text(const struct sending_cap *cap)
{
	return g_strdup_printf("cap: at most %" G_GINT64_FORMAT " in %" G_GINT64_FORMAT " days",
	    cap->mailings, cap->days);
}
