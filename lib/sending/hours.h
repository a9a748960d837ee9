/* SPDX-License-Identifier: MIT */
/* The hours in which mailings may leave, on the clock of each person. */
#ifndef SENDING_HOURS_H
#define SENDING_HOURS_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits/person.h"
#include "base/limits/sending.h"
#include "json/fields.h"

struct json;
struct json_place;
struct json_writer;

/* From a time of day on some days until another; over midnight where from is behind to. */
struct sending_window {
	guint days;	/* on which it begins; bit 0 is Monday */
	guint from, to; /* minutes of the day; to is at most 1440 */
};

/* The hours of a workspace, a topic, a workflow or a broadcast. */
struct sending_hours {
	bool is_any; /* at any time, without the members below */
	guint count; /* 0, and not is_any: there are none */
	struct sending_window windows[LIMIT_HOURS_WINDOWS];
	char zone[LIMIT_TIME_ZONE_LENGTH + 1]; /* of people without one */
};

/* The members of the object. */
extern const struct json_field sending_hours_fields[2];

/* Reads hours at place. NULL: there are none. takes_any: "any" may stand in their place. INVALID,
   naming the member. */
bool sending_hours_read(const struct json *value, const struct json_place *place, bool takes_any,
    struct sending_hours *hours_r, GError **error);

/* Whether there are hours, or "any". */
bool sending_hours_are_set(const struct sending_hours *hours);

/* Writes them with all members; "any"; null where there are none. */
void sending_hours_write(
    struct json_writer *writer, const char *key, const struct sending_hours *hours);

/* The first moment, epoch ms, not before now, at which a person's mailing may leave. zone: the
   person's; NULL: none. A time that the clock skips is as much later; of one that it has twice, the
   first counts. */
gint64 sending_hours_opening(const struct sending_hours *hours, const char *zone, gint64 now);

#endif
