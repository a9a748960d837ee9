/* SPDX-License-Identifier: MIT */
/* Things that the parts of a transaction gather, and that are written once before COMMIT. */
#ifndef DB_BEFORE_COMMIT_H
#define DB_BEFORE_COMMIT_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Something that the parts of a transaction gather, and that is written once, before COMMIT. */
struct db_before_commit_kind {
	void *(*make)(void);
	bool (*write)(struct db *db, void *gathered, GError **error); /* best by db_defer */
	void (*free)(void *gathered);
};

/* Inside a transaction: gives what it has gathered of this kind, made by the first call. write is
   called after the body, and its failure is one of the body. A run that is rolled back leaves
   nothing. kind lives as long as the process. */
void *db_before_commit(struct db *db, const struct db_before_commit_kind *kind);

/* For this room: what struct db keeps. db_before_commit_free frees it. */
struct db_before_commit *db_before_commit_new(void);
void db_before_commit_free(struct db_before_commit *before);

/* For transaction.c: forgets what was gathered, and writes it. */
void db_before_commit_begin(struct db *db);
bool db_before_commit_write(struct db *db, GError **error);

#endif
