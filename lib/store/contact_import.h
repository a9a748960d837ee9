/* SPDX-License-Identifier: MIT */
/* Imports of contacts that requests have asked for: their files, their states, and how far they
   are. */
#ifndef STORE_CONTACT_IMPORT_H
#define STORE_CONTACT_IMPORT_H

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

/* Records of the file by what became of them. */
struct store_contact_import_counts {
	gint64 created, updated, skipped, failed;
};

/* A bit for each record of a part. */
#define STORE_CONTACT_IMPORT_BITS 64 /* bytes */

struct store_contact_import {
	struct base_id id, workspace_id;
	enum store_contact_import_status status;
	struct store_contact_import_counts counts;
	gint64 completed; /* epoch ms; 0: not yet */

	/* For the spool. */
	char *plan; /* JSON (core/contact_import.h) */
	struct base_id token;
	gint64 place;				    /* bytes of the file that are done */
	bool is_put;				    /* the people of the next part are stored */
	guint8 left_out[STORE_CONTACT_IMPORT_BITS]; /* records of that part which are not */
};

void store_contact_import_free(struct store_contact_import *import);
DEFINE_AUTO(store_contact_import, store_contact_import_free)

/* Stores an import that is queued, with its file. import has workspace, plan and place; sets id.
   LIMITED when the workspace has LIMIT_RESEND_IMPORTS that are not done. */
bool store_contact_import_create(
    struct db *db, struct store_contact_import *import, GBytes *file, GError **error);

/* NOT_FOUND "Contact import not found". The caller frees it. */
struct store_contact_import *store_contact_import_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* A page of imports, newest first, of this status (0: of any), as an array of struct
   store_contact_import without plans. The caller owns it. */
GPtrArray *store_contact_import_page(struct db *db, const struct base_id *workspace,
    enum store_contact_import_status status, const struct store_page *page, GError **error);

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

/* The part up to this place is done. */
bool store_contact_import_advance(struct db *db, const struct store_contact_import *import,
    gint64 place, gint64 lease, GError **error);

/* Ends the import, and removes its file. */
bool store_contact_import_finish(struct db *db, const struct store_contact_import *import,
    enum store_contact_import_status status, GError **error);

#endif
