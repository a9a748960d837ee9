/* SPDX-License-Identifier: MIT */
/* The result of a digest: the events that it has gathered. */
#ifndef AUTOMATION_DIGEST_H
#define AUTOMATION_DIGEST_H

#include <glib.h>

struct json;

/* An event of a digest: the properties of one (an object; NULL: none), with timestamp, its time in
   epoch ms, where they have none. JSON text, which the caller owns. */
char *automation_digest_event(const struct json *properties, gint64 time);

/* The result {"events": [...], "count": count}, JSON text, of events (char *), oldest first: the
   newest LIMIT_DIGEST_EVENTS of them, as far as they take LIMIT_DIGEST_BYTES. The caller owns it.
 */
char *automation_digest_result(const GPtrArray *events, guint count);

#endif
