/* SPDX-License-Identifier: MIT */
/* Ids: UUID version 7 (RFC 9562), which sort by the time at which they were made. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <glib.h>
#include <stdbool.h>

/* A UUID (RFC 9562); the bytes are in network order. */
struct base_id {
	guint8 bytes[16];
};

#define ID_TEXT_SIZE 37 /* 36 characters and the NUL */

/* A new version 7 id. It begins with the time of base_clock_now, in steps of a quarter of a
   microsecond: ids of one process are strictly increasing, and those that processes of one machine
   make one after the other are too. */
struct base_id base_id_new(void);

/* A new version 7 id that begins with the given time (epoch ms). Ids with the same time are in
   random order. */
struct base_id base_id_at(gint64 epoch_ms);

/* The smallest version 7 id with this time (epoch ms): ids of earlier times are smaller, all others
   are greater. */
struct base_id base_id_floor(gint64 epoch_ms);

/* The smallest id that is greater; the last one of all has none and stays. */
struct base_id base_id_next(const struct base_id *id);

/* The time with which a version 7 id begins, epoch ms. */
gint64 base_id_time(const struct base_id *id);

/* Writes the lower-case text form into text_r and returns text_r. */
const char *base_id_format(const struct base_id *id, char text_r[ID_TEXT_SIZE]);

/* Reads the form with 36 characters, in either case. Returns false for other text and leaves *id_r
   unchanged. */
bool base_id_parse(const char *text, struct base_id *id_r);

/* Whether two ids are the same, byte for byte. */
bool base_id_equal(const struct base_id *a, const struct base_id *b);

#endif
