/* SPDX-License-Identifier: MIT */
/* Imports of contacts that requests have asked for: their files, their states, and how far they
   are. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_PERSON_IMPORT_H
#define STORE_PERSON_IMPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_page;

/* Stored as number. */
enum store_contact_import_status {
	CONTACT_IMPORT_QUEUED = 1,
	CONTACT_IMPORT_IN_PROGRESS = 2,
	CONTACT_IMPORT_COMPLETED = 3,
	CONTACT_IMPORT_FAILED = 4,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define CONTACT_IMPORT_QUEUED_SQL "1"
#define CONTACT_IMPORT_IN_PROGRESS_SQL "2"
#define CONTACT_IMPORT_COMPLETED_SQL "3"
#define CONTACT_IMPORT_FAILED_SQL "4"

/* The kinds of imports, each with lists of its own. Stored as number. */
enum store_contact_import_front {
	/* With a map of columns, segments and topics (import/contacts.h). */
	CONTACT_IMPORT_MAPPED = 1,
	CONTACT_IMPORT_MAIN = 2, /* /v1 */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define CONTACT_IMPORT_MAPPED_SQL "1"
#define CONTACT_IMPORT_MAIN_SQL "2"

/* Records of the file by what became of them, and the people of all of them whose own choice
   stood. */
struct store_contact_import_counts {
	gint64 created, updated, same, skipped, failed, kept;
};

/* A bit for each record of a part. */
#define STORE_CONTACT_IMPORT_BITS 64 /* bytes */

struct store_contact_import {
	struct base_id id, workspace_id;
	enum store_contact_import_status status;
	struct store_contact_import_counts counts;
	gint64 completed; /* epoch ms; 0: not yet */
	enum store_contact_import_front front;
	bool has_audience, is_dry; /* dry: nothing is stored but counts and faults */
	struct base_id audience_id;
	char *filename; /* NULL: none */
	char *error;	/* why it failed; NULL: it did not */
	gint64 faults;	/* that are kept */

	char *plan; /* JSON (import/contacts.h); of lists of CONTACT_IMPORT_MAIN too */

	/* For the spool. */
	struct base_id token;
	gint64 place;				    /* bytes of the file that are done */
	gint64 line;				    /* of the file, from 1, at that place */
	bool is_put;				    /* the people of the next part are stored */
	guint8 left_out[STORE_CONTACT_IMPORT_BITS]; /* records of that part which are not */
};

void store_contact_import_free(struct store_contact_import *import);
DEFINE_AUTO(store_contact_import, store_contact_import_free)

/* A line that was refused, or taken with a value less. */
struct store_contact_import_fault {
	gint64 line;
	bool is_refused;
	char *message;
	char *record; /* JSON, the fields of the line; NULL: too large */
};
void store_contact_import_fault_free(struct store_contact_import_fault *fault);
DEFINE_AUTO(store_contact_import_fault, store_contact_import_fault_free)

/* Stores an import that is queued, with its file. import has workspace, front, plan, place,
   line, has_audience, audience_id, is_dry and filename; sets id.
   LIMITED when the workspace has LIMIT_IMPORTS that are not done. */
bool store_contact_import_create(
    struct db *db, struct store_contact_import *import, GBytes *file, GError **error);

/* An import of this front. NOT_FOUND "Contact import not found", of CONTACT_IMPORT_MAIN "Import not
   found". The caller frees it. */
struct store_contact_import *store_contact_import_get(struct db *db,
    const struct base_id *workspace, enum store_contact_import_front front,
    const struct base_id *id, GError **error);
bool store_contact_import_missing(GError **error); /* "Import not found" */

/* A page of CONTACT_IMPORT_MAPPED, newest first, of this status (0: of any), as an array of struct
   store_contact_import without plans. The caller owns it. */
GPtrArray *store_contact_import_page(struct db *db, const struct base_id *workspace,
    enum store_contact_import_status status, const struct store_page *page, GError **error);

/* The same of /v1, with plans, before an id (NULL: from the newest on). */
GPtrArray *store_contact_import_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The faults of an import behind a line, in the order of lines, as an array of struct
   store_contact_import_fault. refused: those alone that were refused. The caller owns it. */
GPtrArray *store_contact_import_faults(struct db *db, const struct store_contact_import *import,
    gint64 after, bool refused, guint limit, GError **error);

/* Removes imports that were made before a time (epoch ms) and are done, with their faults, some at
   once. */
bool store_contact_import_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

/* Inside a transaction: removes the faults whose message or line has this address, which is in
   lower case. */
bool store_contact_import_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* The functions below are for the spool. */

/* Claims the import that has waited longest, until lease ms from now; it is in progress then. The
   other ones of its workspace have waited since now, so workspaces take turns.
 *import_r is NULL when none is due; the caller frees it. */
bool store_contact_import_claim(
    struct db *db, gint64 lease, struct store_contact_import **import_r, GError **error);

/* The whole file. The caller owns it. */
GBytes *store_contact_import_file(
    struct db *db, const struct store_contact_import *import, GError **error);

/* The functions below fail with CONFLICT when another process has claimed the import, and keep the
   claim until lease ms from now. */

/* Inside a transaction, with the people: those of the next part are stored but for left_out, and
   counted. */
bool store_contact_import_put(struct db *db, const struct store_contact_import *import,
    const struct store_contact_import_counts *counts, const guint8 *left_out, gint64 lease,
    GError **error);

/* A part of an import that is done. */
struct store_contact_import_part {
	struct store_contact_import_counts counts;
	const GPtrArray *faults; /* of struct store_contact_import_fault */
	gint64 place, line;	 /* its end */
};

/* Inside a transaction, with the people: a part is done and counted. Its faults are kept up to
   LIMIT_IMPORT_FAULTS, which import->faults counts. */
bool store_contact_import_step(struct db *db, const struct store_contact_import *import,
    const struct store_contact_import_part *part, gint64 lease, GError **error);
/* How many of these faults are kept. */
guint store_contact_import_room(const struct store_contact_import *import, const GPtrArray *faults);

/* The part up to this place, which is at this line, is done. */
bool store_contact_import_advance(struct db *db, const struct store_contact_import *import,
    gint64 place, gint64 line, gint64 lease, GError **error);

/* Ends the import, and removes its file. why: of one that failed, else NULL. */
bool store_contact_import_finish(struct db *db, const struct store_contact_import *import,
    enum store_contact_import_status status, const char *why, GError **error);

#endif
