/* SPDX-License-Identifier: MIT */
/* The content of a broadcast, as requests give it and as it is stored. */
#ifndef BROADCAST_CONTENT_H
#define BROADCAST_CONTENT_H

#include <glib.h>
#include <stdbool.h>

#include "json/value.h"

struct base_id;
struct db;
struct json_table;

#define BROADCAST_VARIANTS 5

/* One of several contents; NULL: the broadcast's own. */
struct broadcast_variant {
	const char *subject, *html, *text, *template_id;
	const char *preview_text; /* of the broadcast; variants have none of their own */
};

/* An attachment. A request gives an id or a content, a stored content has id and size. */
struct broadcast_attachment {
	const char *id, *filename, *content, *content_type, *content_id;
	gint64 size;
};

/* The content of a broadcast. Texts are NULL and lists NULL or empty where nothing is given. */
struct broadcast_content {
	const char *name, *from, *subject, *html, *text, *template_id, *topic_id, *winner_by;
	const char *preview_text; /* that mail programs show beside the subject, with variables */
	const char **reply_to, **audiences, **segments, **exclude_segments; /* NULL-terminated */
	const struct json *utm, *tags;					    /* objects */
	GArray *variants;    /* of struct broadcast_variant */
	GArray *attachments; /* of struct broadcast_attachment */
	gint64 test_share, decide_after;
	const struct json *hours; /* an object, or "any" (sending/hours.h); NULL: none */
	const char *priority;	  /* sending/rules.h; NULL: normal */
	bool ignore_cap;
};

/* The fields of a request that gives such a content. */
extern const struct json_table broadcast_body;

/* The members of a file that gives such a content, and may give the id of a draft. */
extern const struct json_table broadcast_file;

/* The members of utm. */
extern const struct json_table broadcast_utm;

/* Checks what a request gives against these fields. INVALID, naming the field. */
bool broadcast_check_body(const struct json *given, GError **error);

/* Reads a stored content. content borrows from the document that it returns, and is cleared before
   that is freed. FAILED when it is damaged. */
struct json *broadcast_read(const char *text, struct broadcast_content *content_r, GError **error);
void broadcast_clear(struct broadcast_content *content);

/* The name, else the subject, else "Broadcast". */
const char *broadcast_name(const struct broadcast_content *content);

/* Finds the domain of the workspace from which it is sent. False: there is none, or it could not be
   read. */
bool broadcast_domain(struct db *db, const struct base_id *workspace,
    const struct broadcast_content *content, struct base_id *domain_r);

/* Reads a content from an object, with the lengths that any front allows
   (LIMIT_STORED_SUBJECT_LENGTH). Borrows from it. INVALID, naming the field. */
bool broadcast_read_object(
    const struct json *object, struct broadcast_content *content_r, GError **error);

/* The number of variants, at least 1, and the contents of one: each part is by default the
   broadcast's. A template takes the place of html, and html that of a template. */
guint broadcast_variant_count(const struct broadcast_content *content);
struct broadcast_variant broadcast_variant(const struct broadcast_content *content, guint number);

#endif
