/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_EVENT_NAME_H
#define AUTOMATION_EVENT_NAME_H

#include <glib.h>
#include <stdbool.h>

/* What became of emails that workflows sent is told in events whose names begin so. */
#define EVENT_NAME_RESERVED "email."

/* The form in which names of events are kept and compared: without white space around it, in lower
   case, 1 to LIMIT_EVENT_NAME_LENGTH characters, none of them a control character. Else INVALID,
   with a sentence that begins with field. The caller owns the result. */
char *automation_event_name(const char *field, const char *given, GError **error);

/* Whether a name in that form is one of the reserved ones. */
bool automation_event_name_reserved(const char *name);

#endif
