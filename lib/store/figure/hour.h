/* SPDX-License-Identifier: MIT */
/* Figures by the hour, which are counted from events when somebody asks. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_FIGURE_HOUR_H
#define STORE_FIGURE_HOUR_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/figure/figure.h"

struct db;

struct store_figure_hours {
	enum store_figure_group group; /* FIGURES_BY_DAY for none, FIGURES_BY_DOMAIN,
					  FIGURES_BY_BROADCAST */
	gint64 from, until;	       /* epoch ms: of events; until is one of them */
};

/* Counts the events of emails behind this id, STORE_FIGURE_HOUR_EMAILS of them, and moves the id to
   the last of them; *more_r: others may follow. FIGURE_ACCEPTED, FIGURE_REPLIED and those of
   machines are left 0. Returns an array of struct store_figure_row, whose day is the hour since
   1970; a key and an hour may have several rows. Emails of no broadcast are left out of
   FIGURES_BY_BROADCAST. The caller owns it. */
#define STORE_FIGURE_HOUR_EMAILS 2000
GPtrArray *store_figure_hour_list(struct db *db, const struct base_id *workspace,
    const struct store_figure_hours *query, struct base_id *after, bool *more_r, GError **error);

#endif
