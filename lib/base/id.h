/* SPDX-License-Identifier: MIT */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <glib.h>
#include <stdbool.h>

/* A UUID, bytes in network order (RFC 9562). */
struct base_id {
	guint8 bytes[16];
};

#define ID_TEXT_SIZE 37 /* 36 characters and the NUL */

/* A new version 7 id: the time of base/clock.h in front, strictly increasing within the process. */
struct base_id base_id_new(void);

/* The same with this time (epoch ms) in front, and in no order with those of the same one. */
struct base_id base_id_at(gint64 epoch_ms);

/* The least version 7 id of a time (epoch ms): all made before are less, all others greater. */
struct base_id base_id_floor(gint64 epoch_ms);

/* Writes the lower-case text form into text_r and returns it. */
const char *base_id_format(const struct base_id *id, char text_r[ID_TEXT_SIZE]);

/* Reads the 36 character form, either case. False if it is anything else; *id_r is then untouched.
 */
bool base_id_parse(const char *text, struct base_id *id_r);

bool base_id_equal(const struct base_id *a, const struct base_id *b);

#endif
