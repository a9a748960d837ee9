/* SPDX-License-Identifier: MIT */
/* Notes of a user in a workspace, which nobody else sees: drafts of what is not saved yet, and the
   filters of lists. They go with the user. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_WORKSPACE_NOTE_H
#define STORE_WORKSPACE_NOTE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* The thing that a note is about. Stored as number. */
enum store_note_kind {
	NOTE_TEMPLATE = 1,
	NOTE_BROADCAST = 2,
	NOTE_SEGMENT = 3,
	NOTE_WORKFLOW = 4,
	NOTE_FILTERS = 5,
};
/* Its number in the text of a statement; tests/sql.py compares it. */
#define NOTE_FILTERS_SQL "5"

/* The word of the API; store_note_kind_read gives the kind of a word, 0 for an unknown one. */
const char *store_note_kind_name(enum store_note_kind kind);
enum store_note_kind store_note_kind_read(const char *name);

/* A note. Times are epoch ms. */
struct store_note {
	enum store_note_kind kind;
	char *name; /* the id of the thing, "new", or the name of a list */
	char *data; /* JSON text; NULL in lists */
	gint64 created, updated;
};
void store_note_free(struct store_note *note);
DEFINE_AUTO(store_note, store_note_free)

/* Sets NOT_FOUND "Note not found" and returns false. */
bool store_note_missing(GError **error);

/* The user whose notes they are. */
struct store_note_owner {
	const struct base_id *workspace, *user;
};

/* All notes of a user, the one that was changed last first, as an array of struct store_note. The
   caller owns it. */
GPtrArray *store_note_list(struct db *db, const struct store_note_owner *owner, GError **error);

/* A note. NOT_FOUND "Note not found". The caller frees it. */
struct store_note *store_note_get(struct db *db, const struct store_note_owner *owner,
    enum store_note_kind kind, const char *name, GError **error);

/* Stores a note in place of the one of this kind and name. CONFLICT when the user has LIMIT_NOTES
 * others. */
bool store_note_put(struct db *db, const struct store_note_owner *owner,
    const struct store_note *note, GError **error);

/* NOT_FOUND. */
bool store_note_remove(struct db *db, const struct store_note_owner *owner,
    enum store_note_kind kind, const char *name, GError **error);

/* Inside a transaction: removes all notes of a user. */
bool store_note_remove_all(struct db *db, const struct store_note_owner *owner, GError **error);

/* Removes some drafts that were last changed before a time (epoch ms). */
bool store_note_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
