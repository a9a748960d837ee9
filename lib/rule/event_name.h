/* SPDX-License-Identifier: MIT */
/* The normal form of event names. */
#ifndef RULE_EVENT_NAME_H
#define RULE_EVENT_NAME_H

#include <glib.h>
#include <stdbool.h>

/* Events about workflow emails (delivered, opened, ...) have names that begin so. */
#define EVENT_NAME_RESERVED "email."

/* Returns the normal form, in which event names are stored and compared: no white space around it,
   lower case, 1 to LIMIT_EVENT_NAME_LENGTH characters, no control character. INVALID, with a
   sentence that begins with field, when given has no such form. The caller owns the result. */
char *rule_event_name(const char *field, const char *given, GError **error);

/* The event that starts a workflow by hand. */
#define EVENT_NAME_STARTED "workflow.started"

/* Those of segments, dates and schedules. */
#define EVENT_NAME_ENTERED "segment.entered"
#define EVENT_NAME_LEFT "segment.left"
#define EVENT_NAME_DATE "date.reached"
#define EVENT_NAME_SCHEDULE "schedule.due"

/* Returns whether Posthouse itself tells events of this name, which is in normal form: clients do
   not record them. */
bool rule_event_name_is_own(const char *name);

/* Returns whether such an event is told to the one workflow that it starts, so that nothing else
   can wait for it. */
bool rule_event_name_is_start(const char *name);

/* Returns whether a name in normal form begins with EVENT_NAME_RESERVED. */
bool rule_event_name_reserved(const char *name);

#endif
