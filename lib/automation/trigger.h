/* SPDX-License-Identifier: MIT */
/* The parts of a trigger, and of a wait, that go with some names of events alone: segments, dates
   and schedules. */
#ifndef AUTOMATION_TRIGGER_H
#define AUTOMATION_TRIGGER_H

#include <glib.h>
#include <stdbool.h>

struct automation_node_trigger;
struct automation_rules_scope;
struct base_id;
struct json;

/* The members of a node's data; NULL where they are not given. */
struct automation_trigger_given {
	const char *segment, *audience, *include;
	const struct json *date, *schedule;
};

/* Reads segmentId of an event of this name; zeros where the event has none. INVALID "data.…". */
bool automation_trigger_segment(
    const char *event_name, const char *given, struct base_id *segment_r, GError **error);

/* Reads the members that go with the name of a trigger, and refuses the others. The trigger borrows
   from date and schedule. INVALID "data.…". */
bool automation_trigger_read(struct automation_node_trigger *trigger,
    const struct automation_trigger_given *given, GError **error);

/* Whether an event of a segment is about this one (zeros: any). */
bool automation_trigger_is_about(
    const struct base_id *segment, const struct automation_rules_scope *scope);

#endif
