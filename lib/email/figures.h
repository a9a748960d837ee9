/* SPDX-License-Identifier: MIT */
/* Figures: under which tags they are counted, and which ones are asked for. */
#ifndef EMAIL_FIGURES_H
#define EMAIL_FIGURES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct service;
struct store_email;
struct store_figure_query;

/* Sets counted_tags of an email that has tags: the first LIMIT_TAG_VALUES values of a name have
   figures of their own. Errors of db/statement.h. */
bool email_figures_set_tags(struct service *service, struct store_email *email, GError **error);

/* The figures that somebody asks for, in words; NULL: not given. */
struct email_figures_wish {
	const char *group_by;	  /* a group, also with ",day" behind it; default day */
	const char *from, *to;	  /* dates, times, or epoch ms: days in UTC */
	const char *broadcast_id; /* for variants and links */
	const char *workflow_id;  /* for nodes */
};

/* Reads a wish; without to, the days end with today, and without from, there are
   DEFAULT_FIGURE_DAYS before the last one. INVALID, with the name of the parameter. */
#define DEFAULT_FIGURE_DAYS 30
bool email_figures_read(
    const struct email_figures_wish *wish, struct store_figure_query *query_r, GError **error);

/* The same for the days alone, which are at most so many apart. They are counted since 1970. */
bool email_figures_read_days(
    const char *from, const char *to, gint64 most, gint64 *from_r, gint64 *to_r, GError **error);

/* A day since 1970 as 2026-11-20. The caller owns it. */
char *email_figures_date(gint64 day);

#endif
