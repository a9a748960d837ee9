/* SPDX-License-Identifier: MIT */
/* Steps of the schema that go through the rows of a table by an id, page by page, while the service
   works. */
#ifndef STORE_COMMON_PAGES_H
#define STORE_COMMON_PAGES_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

struct store_pages {
	/* SELECTs ids in their order. Values: of, the id behind which the page begins, a limit. */
	const char *read;
	/* Changes the rows of a page. Values: of, that id, and the last one of the page. */
	const char *change;
	const struct base_id *of; /* NULL: the statements have no such value */
	guint size;		  /* rows of a page */
};

/* Changes all pages, each by itself. Rows with one id belong to one page. Errors are those of
   db/statement.h. */
bool store_pages_run(struct db *db, const struct store_pages *pages, GError **error);

#endif
