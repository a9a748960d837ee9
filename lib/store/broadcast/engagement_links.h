/* SPDX-License-Identifier: MIT */
/* The links of a broadcast's email that a reader has clicked: figures count people by link. Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_BROADCAST_ENGAGEMENT_LINKS_H
#define STORE_BROADCAST_ENGAGEMENT_LINKS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_id;
struct db;
struct store_event;
struct store_figure_origin;

/* A reader, whose rows the transaction has locked. */
struct store_reader_links_of {
	const struct base_id *workspace, *email;
	guint number;
	const struct store_figure_origin *origin;
};

/* Inside a transaction: reads the first time of each link's clicks by people, as the figures have
   counted them. has_any: there are some. Borrows from of. The caller frees the result. */
struct store_reader_links *store_reader_links_read(
    struct db *db, const struct store_reader_links_of *of, bool has_any, GError **error);

/* Reads them again, as they are now, after stored clicks were found to be by programs. */
bool store_reader_links_reread(struct db *db, struct store_reader_links *links, GError **error);

/* Counts the difference that this and the new events make. */
void store_reader_links_count(struct db *db, const struct store_reader_links *links,
    const struct store_event *events, guint count);

void store_reader_links_free(struct store_reader_links *links);
DEFINE_AUTO(store_reader_links, store_reader_links_free)

#endif
