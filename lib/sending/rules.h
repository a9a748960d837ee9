/* SPDX-License-Identifier: MIT */
/* The rules by which mailings leave: those of a workspace or a topic, and those that a broadcast or
   a workflow brings along. */
#ifndef SENDING_RULES_H
#define SENDING_RULES_H

#include <glib.h>
#include <stdbool.h>

#include "sending/cap.h"
#include "sending/hours.h"

/* The rules of a workspace or a topic. */
struct sending_rules {
	struct sending_hours hours;
	struct sending_cap cap;
};

/* The fields of a body that gives them. */
extern const struct json_table sending_rules_body;

/* Reads them from the object {hours, cap}. INVALID, naming the member. */
bool sending_rules_read(const struct json *object, struct sending_rules *rules_r, GError **error);

/* Writes the object. */
void sending_rules_write(struct json_writer *writer, const struct sending_rules *rules);

/* The same as text, as they are stored: hours and cap apart, NULL where there are none. The caller
   owns them. Parse takes such texts; FAILED when one is damaged. */
char *sending_rules_print_hours(const struct sending_hours *hours);
char *sending_rules_print_cap(const struct sending_cap *cap);
bool sending_rules_parse(
    const char *hours, const char *cap, struct sending_rules *rules_r, GError **error);

/* Which of the mailings that wait for a place are due first. */
enum sending_priority { PRIORITY_HIGH, PRIORITY_NORMAL, PRIORITY_LOW };

/* Reads a word at place; NULL: normal. INVALID. */
bool sending_priority_read(const char *word, const struct json_place *place,
    enum sending_priority *priority_r, GError **error);
const char *sending_priority_name(enum sending_priority priority);

/* The ms that a mailing is due behind the moment at which its place is free. */
gint64 sending_priority_delay(enum sending_priority priority);

/* The rules of a broadcast or a workflow email. */
struct sending_own {
	struct sending_hours hours;
	bool ignores_cap;
	enum sending_priority priority;
};

/* The text {hours, ignore_cap, priority}; NULL: nothing is set. The caller owns it. Parse takes it;
   FAILED when it is damaged. */
char *sending_own_print(const struct sending_own *own);
bool sending_own_parse(const char *text, struct sending_own *own_r, GError **error);

/* "hours: may leave from 2026-12-01T08:00:00.000Z". The caller owns it. */
char *sending_hours_text(gint64 opening);

#endif
