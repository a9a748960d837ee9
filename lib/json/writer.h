/* SPDX-License-Identifier: MIT */
/* Writing compact JSON, for responses and for stored values. */
#ifndef JSON_WRITER_H
#define JSON_WRITER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;

/* Writes one JSON value. Inside an object every value needs a key; inside an array, and for the
   outermost value, key is NULL. Wrong nesting, a missing or superfluous key and a second outermost
   value are programming errors and end the process. */
struct json_writer;

/* A writer that has written nothing. The caller frees it. */
struct json_writer *json_writer_new(void);
void json_writer_free(struct json_writer *writer);
DEFINE_AUTO(json_writer, json_writer_free)

/* Objects and arrays; at most 64 levels. */
void json_writer_begin_object(struct json_writer *writer, const char *key);
void json_writer_end_object(struct json_writer *writer);
void json_writer_begin_array(struct json_writer *writer, const char *key);
void json_writer_end_array(struct json_writer *writer);

/* Writes a string; NULL is written as null. Texts and keys must be UTF-8, which is not checked.
   Only the characters that JSON requires are escaped, so '/' and letters of other scripts are not.
 */
void json_writer_string(struct json_writer *writer, const char *key, const char *text);

/* Writes a string that is not NUL-terminated, or that contains NULs. */
void json_writer_string_sized(
    struct json_writer *writer, const char *key, const char *text, gsize size);

/* Writes the bytes of a text; NULL is written as null. */
void json_writer_bytes(struct json_writer *writer, const char *key, GBytes *text);

/* Write a number, true or false, and null. */
void json_writer_integer(struct json_writer *writer, const char *key, gint64 number);
void json_writer_boolean(struct json_writer *writer, const char *key, bool truth);
void json_writer_null(struct json_writer *writer, const char *key);

/* Writes a text that already is JSON, without checking it; NULL is written as null. */
void json_writer_raw(struct json_writer *writer, const char *key, const char *json, gsize size);

/* Writes a value of a document with everything in it; numbers stay as they were written. */
void json_writer_value(struct json_writer *writer, const char *key, const struct json *value);

/* Returns the complete value, which the caller owns, and empties the writer for another value.
 *size_r (may be NULL) is the size without the NUL. */
char *json_writer_take(struct json_writer *writer, gsize *size_r);
/* The same as bytes. The caller owns them. */
GBytes *json_writer_take_bytes(struct json_writer *writer);

/* The compact text of a value of a document. The caller owns it. */
char *json_print(const struct json *value);

#endif
