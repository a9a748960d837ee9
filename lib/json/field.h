/* SPDX-License-Identifier: MIT */
/* One declared field of an input: a row of the tables that json/fields.h reads by. */
#ifndef JSON_FIELD_H
#define JSON_FIELD_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

struct json;

/* Each with the type of the struct's member. "Borrowed" lives as long as the document; "owned" is
   freed by json_fields_free. No string, at any depth of what a field takes, may hold U+0000. */
enum json_field_type {
	FIELD_STRING,  /* const char *, borrowed. min, max: its length */
	FIELD_STRINGS, /* const char **, owned, NULL-terminated, the texts borrowed: an array of
			  strings, or one string. min, max: how many */
	FIELD_BOOLEAN, /* bool */
	FIELD_INTEGER, /* gint64, written without fraction or exponent. min, max: its range; both 0:
			  any */
	FIELD_TIME,    /* gint64, epoch ms, of the years 1 to 9999: an integer, or a string that
			  base_clock_parse reads */
	FIELD_OBJECT,  /* const struct json *, borrowed. max: how many members */
	FIELD_LIST,    /* GArray *, owned: an array of objects, each read by the table elements into
			  a struct that is zero before. min, max: how many */
	FIELD_JSON,    /* const struct json *, borrowed: any of kinds. max: as of FIELD_OBJECT */
	FIELD_KNOWN,   /* not read: its name is known, and whoever needs it reads it; no member */
};

#define JSON_KIND(kind) (1U << (kind)) /* for kinds; JSON_NUMBER takes integers too */

struct json_field {
	const char *name;
	enum json_field_type type;
	gsize offset;	   /* of the member */
	gsize given;	   /* of a bool that tells whether the field is there, null included; 0:
			      none, so it cannot be the first member */
	bool required;	   /* not absent, not null; with min >= 1 not empty either */
	bool bytes;	   /* min and max of FIELD_STRING count bytes, not Unicode code points */
	gint64 min, max;   /* inclusive; max 0: no limit (but see FIELD_INTEGER) */
	unsigned kinds;	   /* of FIELD_JSON */
	const char *above; /* said when a FIELD_LIST has more than max elements, before they are
			      read, instead of our own sentence: {count} and {max} are filled in */
	const struct json_field *elements; /* of FIELD_LIST: its table, */
	gsize element_count;		   /* its rows, */
	gsize element_size;		   /* and the size of the struct they fill. Of any other
					      type: the names that json/unknown.h looks for in
					      it; NULL: it may hold anything */
};

/* All rows of an object. */
struct json_table {
	const struct json_field *fields;
	gsize count;
};

#define JSON_TABLE(rows)                                                                           \
	{                                                                                          \
		rows, G_N_ELEMENTS(rows)                                                           \
	}

/* A row: JSON_FIELD("subject", FIELD_STRING, struct email_input, subject, .max = 100). It does not
   compile (division by zero) if the member has not the size that the type needs. */
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

/* A row of FIELD_KNOWN. */
#define JSON_KNOWN(name_)                                                                          \
	{                                                                                          \
		.name = name_, .type = FIELD_KNOWN                                                 \
	}

/* The columns of a FIELD_LIST that belong together. */
#define JSON_ELEMENTS(table, record)                                                               \
	.elements = table, .element_count = G_N_ELEMENTS(table), .element_size = sizeof(record)

#endif
