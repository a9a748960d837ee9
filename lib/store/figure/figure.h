/* SPDX-License-Identifier: MIT */
/* Figures: how often something happened on a day to the emails that have something in common.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_FIGURE_FIGURE_H
#define STORE_FIGURE_FIGURE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/email/stream.h"
#include "store/figure/sum.h"

struct db;
struct db_rows;

/* The origin of an email: what its figures are counted for, besides the recipient's provider. The
   contents belong to the one who holds it. */
struct store_figure_origin {
	struct base_id domain_id;
	char *template_id; /* NULL: none */
	struct base_id workflow_id;
	char *step_id;		  /* the workflow's node; NULL: no workflow */
	enum store_stream stream; /* 0: not known */
	GBytes *counted_tags;	  /* texts that each end in a NUL: name:value, or name:* for a value
				     without figures of its own; NULL: none; STORE_FIGURE_UNCOUNTED */
	bool has_broadcast;
	struct base_id broadcast_id; /* if has_broadcast: that it is a part of, */
	int variant;		     /* and its variant; FIGURE_NO_VARIANT: not known yet */
};
#define FIGURE_NO_VARIANT (-1)

/* In place of tags: one empty text, in an email that no figure counts. */
#define STORE_FIGURE_UNCOUNTED ""

/* The columns of the origin of an email e in a SELECT (db/columns.h), and the origin of a row whose
   columns begin at from. The caller clears it. */
#define FIGURE_ORIGIN_COLUMNS(FIRST, NEXT)                                                         \
	FIRST(domain_id, "e.domain_id")                                                            \
	NEXT(template_id, "e.template_id")                                                         \
	NEXT(workflow_id, "e.workflow_id")                                                         \
	NEXT(step_id, "e.step_id")                                                                 \
	NEXT(counted_tags, "e.counted_tags")                                                       \
	NEXT(stream, STORE_EMAIL_STREAM("e"))
#define STORE_FIGURE_ORIGIN                                                                        \
	DB_COLUMNS_SQL(FIGURE_ORIGIN_COLUMNS)                                                      \
	", (SELECT CONCAT(b.broadcast_id, CHAR(b.variant USING binary)) FROM broadcast_part b"     \
	" WHERE e.type = " EMAIL_BROADCAST_SQL " AND b.email_id = e.id)"
void store_figure_origin_read(
    const struct db_rows *rows, guint from, struct store_figure_origin *origin_r);
void store_figure_origin_clear(struct store_figure_origin *origin);

/* Something that happened. */
struct store_figure_change {
	enum store_figure figure;
	gint64 time; /* epoch ms */
	gint more;   /* how often; it may be below 0 */
};

/* Inside a transaction: counts something that happened to a recipient of an email of this origin.
   Written before COMMIT, in the same round trip. */
void store_figure_count(struct db *db, const struct base_id *workspace,
    const struct store_figure_origin *origin, const char *address,
    const struct store_figure_change *change);

/* The same for what is known of the variant alone, once it is known: variant and template. */
void store_figure_count_variant(struct db *db, const struct base_id *workspace,
    const struct store_figure_origin *origin, const struct store_figure_change *change);

/* The same for a link of an email, if that is a part of a broadcast. */
void store_figure_count_link(struct db *db, const struct base_id *workspace,
    const struct store_figure_origin *origin, const char *link,
    const struct store_figure_change *change);

/* Counts a stored event that has an origin. */
void store_figure_count_event(struct db *db, const struct store_event *event);

/* Inside a transaction: counts something that happened at a time (epoch ms) to executions of a
   workflow, or to steps of a node of it. Written before COMMIT. */
void store_figure_count_run(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, enum store_figure_run figure, gint64 time, gint more);
void store_figure_count_step(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const char *step, enum store_figure_step figure, gint64 time);

/* In one transaction: folds some rows of days before this one (epoch ms) into one for each day.
 *count_r: their number. */
bool store_figure_fold(struct db *db, gint64 before, guint *count_r, GError **error);

/* How the figures of a list are joined. The order is that of store_figure_group_names. */
enum store_figure_group {
	FIGURES_BY_DAY,
	FIGURES_BY_BROADCAST,
	FIGURES_BY_VARIANT,
	FIGURES_BY_TEMPLATE,
	FIGURES_BY_WORKFLOW,
	FIGURES_BY_NODE,
	FIGURES_BY_TAG,
	FIGURES_BY_DOMAIN,
	FIGURES_BY_PROVIDER,
	FIGURES_BY_LINK,
	FIGURES_BY_EXECUTION,
	FIGURES_BY_STEP,
	FIGURES_BY_STREAM,
};

/* NULL-terminated. */
extern const char *const store_figure_group_names[];

/* The names of a group's figures, in the order of the columns. */
const char *const *store_figure_names_of(enum store_figure_group group, guint *count_r);

/* The figures that are asked for. */
struct store_figure_query {
	enum store_figure_group group;
	bool by_day; /* a row for each day, too; FIGURES_BY_DAY does so by itself */
	struct base_id
	    owner;	 /* the broadcast or workflow of variants, nodes, steps and links; else 0 */
	gint64 from, to; /* from <= day < to, days since 1970 */
	const char *after; /* go on behind the row of this key, */
	gint64 after_day;  /* and of this day, if rows have days; after NULL: from the start */
};

struct store_figure_row {
	char *key;  /* an id, a word or a name; "" when rows have days alone */
	gint64 day; /* since 1970; -1: the row has none */
	gint64 figures[FIGURES];
};

/* The rows in the order of keys and days, at most limit, those without any figure left out, as an
   array of struct store_figure_row. The caller owns it. */
GPtrArray *store_figure_list(struct db *db, const struct base_id *workspace,
    const struct store_figure_query *query, guint limit, GError **error);

#endif
