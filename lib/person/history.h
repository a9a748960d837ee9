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

/* Writes a page of at most limit rows into the array that the writer has begun, newest first.
   before: the place behind which it begins; NULL: the newest row. *count_r: the number of rows.
   *after_r: the place of the last row; *more_r: more rows follow. */
bool person_history_write(struct service *service, const struct store_person *person,
    enum person_history_kind kind, const struct person_history_place *before, guint limit,
    struct json_writer *writer, guint *count_r, struct person_history_place *after_r, bool *more_r,
    GError **error);

#endif
