/* SPDX-License-Identifier: MIT */
/* A noun's JSON as a table of its members, which stands in the room of the noun. Every door writes
   the noun from it: /v1 as it stands, others with fewer members, or other names. */
#ifndef JSON_VIEW_H
#define JSON_VIEW_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

struct base_id;
struct json;
struct json_writer;

/* The type of a member, with that of the struct's. */
enum json_view_type {
	VIEW_ID,      /* struct base_id */
	VIEW_TEXT,    /* char *; NULL is null */
	VIEW_INTEGER, /* gint64 */
	VIEW_COUNT,   /* guint */
	VIEW_TIME,    /* gint64, epoch ms; 0 is null */
	VIEW_TRUTH,   /* bool */
	VIEW_JSON,    /* char *, JSON; NULL is null */
	VIEW_BYTES,   /* GBytes *, a text; NULL is null */
	VIEW_TEXTS,   /* char **, NULL-terminated; NULL is an empty array */
	VIEW_VALUE,   /* struct json *; NULL is null */
	VIEW_WORD,    /* an enumeration from 1 on, shown as that one of words */
	VIEW_MADE,    /* read makes its value of the struct */
	VIEW_PART,    /* write writes it, with its key */
	VIEW_NULL,    /* these two are of a value alone */
	VIEW_ABSENT,  /* the member is left out */
};

/* The value of a member. Borrows from the struct. */
struct json_view_value {
	enum json_view_type type; /* none of VIEW_COUNT, VIEW_WORD, VIEW_MADE and VIEW_PART */
	const char *text;	  /* of VIEW_TEXT and VIEW_JSON; NULL: none */
	char *made;    /* the text, where it was made; whoever reads the value frees it */
	GBytes *bytes; /* of VIEW_BYTES */
	const char *const *texts; /* of VIEW_TEXTS */
	const struct json *value; /* of VIEW_VALUE */
	gint64 number;		  /* of VIEW_INTEGER, VIEW_TIME and VIEW_TRUTH */
	const struct base_id *id; /* of VIEW_ID */
};

struct json_view_member {
	const char *name;
	enum json_view_type type;
	gsize offset; /* of the struct's member */
	const char *const *words;
	struct json_view_value (*read)(const void *row);
	void (*write)(struct json_writer *writer, const char *key, const void *row,
	    const void *context); /* context: as given to json_view_write */
	char *(*make)(const void *row, const void *context); /* of VIEW_TEXT and VIEW_JSON: makes
								the text; NULL: it is stored */
	bool is_apart;					     /* only doors that name it write it */
	bool is_long;					     /* lists leave it out */
};

struct json_view {
	const struct json_view_member *members;
	guint count;
	bool is_list; /* without members that lists leave out */
};

/* A row of a table of members, and the view of a whole table. */
#define JSON_VIEW_MEMBER(name, type, structure, member, ...)                                       \
	{                                                                                          \
		name, type, offsetof(structure, member), __VA_ARGS__                               \
	}
#define JSON_VIEW(table)                                                                           \
	{                                                                                          \
		table, G_N_ELEMENTS(table)                                                         \
	}

/* Reads a member of row by its name, which the view must have; no VIEW_PART. */
struct json_view_value json_view_value(
    const struct json_view *view, const char *name, const void *row, const void *context);

/* Whether a member is one of those that json_view_write writes. */
bool json_view_has(const struct json_view *view, const struct json_view_member *member);

/* Writes a value. */
void json_view_write_value(
    struct json_writer *writer, const char *key, const struct json_view_value *value);

/* Writes the members of row, in the order of the table, into the object that has begun. */
void json_view_write_members(
    struct json_writer *writer, const struct json_view *view, const void *row, const void *context);

/* The same as an object of its own, an item of an array or the outermost value. */
void json_view_write(
    struct json_writer *writer, const struct json_view *view, const void *row, const void *context);

#endif
