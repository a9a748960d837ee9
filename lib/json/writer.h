/* SPDX-License-Identifier: MIT */
/* Writes JSON, compact: for answers, and for values to store. */
#ifndef JSON_WRITER_H
#define JSON_WRITER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;

/* One value that is being written, from its first byte to its last. Inside an object each value
   takes a key; inside an array, and outermost, key is NULL. Wrong nesting, a key too many or too
   few and a second outermost value end the program. */
struct json_writer;

struct json_writer *json_writer_new(void);
void json_writer_free(struct json_writer *writer);
DEFINE_AUTO(json_writer, json_writer_free)

/* At most 64 levels. */
void json_writer_begin_object(struct json_writer *writer, const char *key);
void json_writer_end_object(struct json_writer *writer);
void json_writer_begin_array(struct json_writer *writer, const char *key);
void json_writer_end_array(struct json_writer *writer);

/* Texts and keys are UTF-8 (which is not checked); what must be escaped is, and no more: '/' and
   letters of other scripts stay as they are. NULL is null. */
void json_writer_string(struct json_writer *writer, const char *key, const char *text);

/* The same of a text that is not NUL-terminated, or holds NULs. */
void json_writer_string_sized(
    struct json_writer *writer, const char *key, const char *text, gsize size);

void json_writer_integer(struct json_writer *writer, const char *key, gint64 number);
void json_writer_boolean(struct json_writer *writer, const char *key, bool truth);
void json_writer_null(struct json_writer *writer, const char *key);

/* A value that is JSON already, taken over as it is; NULL is null. */
void json_writer_raw(struct json_writer *writer, const char *key, const char *json, gsize size);

/* A value of a document and all below it, numbers as they were written. */
void json_writer_value(struct json_writer *writer, const char *key, const struct json *value);

/* The value, complete; size_r (may be NULL) takes its size without the NUL. The caller owns it.
   The writer is then empty, for another value. */
char *json_writer_take(struct json_writer *writer, gsize *size_r);
GBytes *json_writer_take_bytes(struct json_writer *writer);

/* The compact text of a value. The caller owns it. */
char *json_print(const struct json *value);

#endif
