/* SPDX-License-Identifier: MIT */
/* The history of a person: consent, memberships, emails and events, merged by time. */
#ifndef PERSON_HISTORY_H
#define PERSON_HISTORY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/person/person.h"

struct service;
struct json_writer;

/* The kinds of rows that a client may ask for, as flags. */
enum person_history_kind {
	HISTORY_CONSENT = 1, /* and memberships */
	HISTORY_EMAIL = 2,
	HISTORY_EVENT = 4,
	HISTORY_ALL = 7,
};

/* Reads the word consent, email or event; NULL means all. INVALID "kind must be one of ...". */
bool person_history_kind(const char *word, enum person_history_kind *kind_r, GError **error);

/* A place in the history: the last row shown of each source. */
struct person_history_place {
	struct base_id consent, event;
	gint64 member_time, email_time;
	struct base_id member, email;
};

/* The text of a place, for cursors; and back. The caller owns the text. INVALID "cursor is
   malformed". */
char *person_history_print(const struct person_history_place *place);
bool person_history_read(const char *text, struct person_history_place *place_r, GError **error);

/* A page that is asked for. */
struct person_history_page {
	enum person_history_kind kind;
	const struct person_history_place *before; /* it begins behind it; NULL: with the newest */
	guint limit;				   /* of rows */
};

/* The end of one that was written. */
struct person_history_end {
	guint count;			   /* of its rows */
	struct person_history_place after; /* the place of the last one */
	bool more;			   /* more rows follow */
};

/* Writes a page into the array that the writer has begun, newest first. */
bool person_history_write(struct service *service, const struct store_person *person,
    const struct person_history_page *page, struct json_writer *writer,
    struct person_history_end *end_r, GError **error);

#endif
