/* SPDX-License-Identifier: MIT */
/* Reading an object into a struct by a table of declared fields. */
#ifndef JSON_FIELDS_H
#define JSON_FIELDS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "json/value.h"

struct json;

/* The type of a field, with that of the struct's member. "Borrowed" data lives as long as the
   document; "owned" data is freed by json_fields_free. No string in a field, at any depth, may
   contain U+0000. */
enum json_field_type {
	FIELD_STRING,  /* const char *, borrowed. min, max: the length */
	FIELD_STRINGS, /* const char **, owned, NULL-terminated, with borrowed texts: an array of
			  strings, or one string. min, max: the number of strings */
	FIELD_BOOLEAN, /* bool */
	FIELD_INTEGER, /* gint64, written without fraction and exponent. min, max: the range; any
			  integer if both are 0 */
	FIELD_TIME,    /* gint64, epoch ms, in the years 1 to 9999: an integer, or a string for
			  base_clock_parse */
	FIELD_OBJECT,  /* const struct json *, borrowed. max: the number of members */
	FIELD_LIST,    /* GArray *, owned: an array of objects, each read by the table elements into
			  a zeroed struct. min, max: the number of elements */
	FIELD_JSON,    /* const struct json *, borrowed: a value of one of kinds. max: as for
			  FIELD_OBJECT */
	FIELD_KNOWN,   /* only the name is declared; the field is not read and has no member */
};

#define JSON_KIND(kind) (1U << (kind)) /* for kinds; JSON_NUMBER includes integers */

struct json_table;

/* A row of the table. */
struct json_field {
	const char *name;
	enum json_field_type type;
	gsize offset;	 /* of the struct's member */
	gsize given;	 /* offset of a bool that is set if the field is present, even as null; 0:
			    none, so the bool cannot be the first member */
	bool required;	 /* not missing and not null; with min >= 1 also not empty */
	bool blank;	 /* as absent are: ""; an array of nothing but "" (FIELD_STRINGS); an empty
			    array, alone (FIELD_LIST) */
	bool bytes;	 /* min and max of FIELD_STRING count bytes, not Unicode code points */
	gint64 min, max; /* inclusive; max 0: no limit (except for FIELD_INTEGER) */
	unsigned kinds;	 /* for FIELD_JSON: flags of JSON_KIND; for FIELD_KNOWN: see
			    json/lenient.h */
	const char *above; /* for FIELD_LIST: the error message for more than max elements, in place
			      of the default; {count} and {max} in it are replaced */
	const struct json_field *elements;  /* for FIELD_LIST: the table of the elements; for other
					       types: the members that json/unknown.h and
					       json/lenient.h know, NULL if the field may
					       contain any */
	gsize element_count;		    /* rows of that table */
	gsize element_size;		    /* size of the struct for an element */
	const struct json_table *documents; /* for FIELD_KNOWN: an array of objects with this table,
					       each of which its reader judges by itself; see
					       json/unknown.h. NULL: none */
};

/* The table of an object. */
struct json_table {
	const struct json_field *fields;
	gsize count;
	gsize bytes;   /* the largest document that has it as its object; 0: no limit of its own */
	bool optional; /* there may be no document at all, which is as {} */
};

#define JSON_TABLE(rows)                                                                           \
	{                                                                                          \
		rows, G_N_ELEMENTS(rows), 0, false                                                 \
	}

/* A row: JSON_FIELD("subject", FIELD_STRING, struct email_input, subject, .max = 100). If the
   member has the wrong size for the type, it does not compile (division by zero). */
/* clang-format off */
#define JSON_FIELD(name_, type_, record, member, ...)                                              \
	{                                                                                          \
		.name = name_, .type = type_,                                                      \
		.offset = offsetof(record, member) +                                               \
		    0 / (sizeof(((record *)0)->member) == JSON_FIELD_SIZE(type_)),                 \
		__VA_ARGS__                                                                        \
	}
#define JSON_FIELD_SIZE(type)                                                                      \
	((type) == FIELD_BOOLEAN ? sizeof(bool) :                                                  \
	(type) == FIELD_INTEGER || (type) == FIELD_TIME ? sizeof(gint64) : sizeof(void *))
/* clang-format on */

/* A row with the type FIELD_KNOWN. */
#define JSON_KNOWN(name_)                                                                          \
	{                                                                                          \
		.name = name_, .type = FIELD_KNOWN                                                 \
	}

/* A row with the type FIELD_KNOWN, for an array of documents. */
#define JSON_DOCUMENTS(name_, table)                                                               \
	{                                                                                          \
		.name = name_, .type = FIELD_KNOWN, .documents = table                             \
	}

/* A row with the type FIELD_KNOWN, whose values have these kinds (json/lenient.h). */
#define JSON_KNOWN_AS(name_, kinds_, ...)                                                          \
	{                                                                                          \
		.name = name_, .type = FIELD_KNOWN, .kinds = kinds_, __VA_ARGS__                   \
	}

/* The members of a row that describe the object in a field, or those in its array, of another type
   than FIELD_LIST. */
#define JSON_MEMBERS(table) .elements = table, .element_count = G_N_ELEMENTS(table)

/* The three members of a row that describe the elements of a FIELD_LIST. */
#define JSON_ELEMENTS(table, record)                                                               \
	.elements = table, .element_count = G_N_ELEMENTS(table), .element_size = sizeof(record)

struct json_place;

/* Reads the fields in the order of the table. Other members of the object are ignored; see
   json/unknown.h for them. A field that is missing or null leaves the member of *out unchanged, so
   set the defaults before the call, and owned members to NULL. On the first error, returns false
   and frees the owned members. The error is INVALID with a sentence that begins with the path of
   the field:

	subject is required
	to must be a string or an array of strings
	to[3] must be a string
	attachments[2].filename must be at most 255 characters
	name must be 4 to 192 characters
	text must be at most 10MB             MB is 2^20 bytes; other limits of bytes: "... bytes"
	level must be between 1 and 5         also: must be at least 1
	variables must have at most 100 properties        lists: elements
	scheduled_at must be epoch milliseconds or an ISO 8601 time
	html must not contain the character U+0000
 */
bool json_fields_read(const struct json *object, const struct json_field *fields, gsize count,
    void *out, GError **error);

/* Checks that no string in the value at place, at any depth, contains U+0000. INVALID otherwise. */
bool json_fields_check_texts(
    const struct json *value, const struct json_place *place, GError **error);

/* Frees the owned members and sets them to NULL. */
void json_fields_free(const struct json_field *fields, gsize count, void *out);

#endif
