/* SPDX-License-Identifier: MIT */
/* The properties of events that Posthouse tells by itself. */
#ifndef AUTOMATION_OWN_H
#define AUTOMATION_OWN_H

/* The properties of person.updated: {"changed": [path], "from": {}, "to": {}}, the values at these
   paths before and after; from and to are left out, and "truncated" is true, where they would be
   more than LIMIT_EVENT_PROPERTIES_BYTES. before and after are JSON of people as
   store/automation/own.h stores them. Fields of a person are contact.first_name and so on, paths of
   properties as rules write them; objects are entered, arrays are not. The caller owns it. NULL:
   nothing has changed. */
char *automation_own_changed(const char *before, const char *after);

#endif
