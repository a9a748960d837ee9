/* SPDX-License-Identifier: MIT */
/* The rows of the figures, and sums that are added to them together. Errors that a function does
   not name are those of db/statement.h. */
#ifndef STORE_FIGURE_SUM_H
#define STORE_FIGURE_SUM_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* In the order of the table's columns and of answers. */
enum store_figure {
	FIGURE_ACCEPTED,
	FIGURE_SENT,
	FIGURE_DELIVERED,
	FIGURE_BOUNCED,
	FIGURE_COMPLAINED,
	FIGURE_OPENED, /* times by people */
	FIGURE_OPENED_PEOPLE,
	FIGURE_OPENED_MACHINE,
	FIGURE_CLICKED,
	FIGURE_CLICKED_PEOPLE,
	FIGURE_CLICKED_MACHINE,
	FIGURE_UNSUBSCRIBED,
	FIGURE_REPLIED, /* recipients who did, each once a message */
};
#define FIGURES 13

extern const char *const store_figure_names[FIGURES];

/* The kinds of things that have figures, with the owner and the name of the rows. Stored as number.
   An email has one provider for each recipient and at most one node, so days are the sums of
   providers, and workflows those of their nodes. */
enum store_figure_dimension {
	FIGURE_OF_PROVIDER = 1,	 /* no owner; the word of text/mailbox.h */
	FIGURE_OF_DOMAIN = 2,	 /* the sending domain; no name */
	FIGURE_OF_TEMPLATE = 3,	 /* no owner; its id */
	FIGURE_OF_NODE = 4,	 /* the workflow; the node's id in the design */
	FIGURE_OF_TAG = 5,	 /* no owner; name:value */
	FIGURE_OF_VARIANT = 6,	 /* the broadcast; the variant's number */
	FIGURE_OF_LINK = 7,	 /* the broadcast; the link */
	FIGURE_OF_BROADCAST = 8, /* the broadcast; no name. Also of those without a variant yet */
	FIGURE_OF_EXECUTION = 9, /* the workflow; no name. The columns hold enum store_figure_run */
	FIGURE_OF_STEP = 10,	 /* the workflow; the node's id; enum store_figure_step */
	FIGURE_OF_STREAM = 11,	 /* no owner; its word */
};

/* The figures of executions and of steps, by the columns in which they stand. */
enum store_figure_run {
	RUN_STARTED = FIGURE_ACCEPTED,
	RUN_COMPLETED = FIGURE_SENT,
	RUN_GOALS = FIGURE_DELIVERED,
	RUN_EXITED = FIGURE_BOUNCED,
	RUN_CANCELLED = FIGURE_COMPLAINED,
	RUN_FAILED = FIGURE_OPENED,
};
enum store_figure_step {
	STEP_ENTERED = FIGURE_ACCEPTED,
	STEP_SKIPPED = FIGURE_SENT,
	STEP_FAILED = FIGURE_DELIVERED,
};

/* The columns of the figures (db/columns.h), of any struct that has them as figures; most
   transactions change those of one of the first three lists alone. */
#define FIGURE_ACCEPTED_COLUMNS(FIRST, NEXT) FIRST(figures[FIGURE_ACCEPTED], "accepted")
#define FIGURE_ARRIVED_COLUMNS(FIRST, NEXT)                                                        \
	FIRST(figures[FIGURE_SENT], "sent")                                                        \
	NEXT(figures[FIGURE_DELIVERED], "delivered")                                               \
	NEXT(figures[FIGURE_BOUNCED], "bounced")                                                   \
	NEXT(figures[FIGURE_COMPLAINED], "complained")
#define FIGURE_READ_COLUMNS(FIRST, NEXT)                                                           \
	FIRST(figures[FIGURE_OPENED], "opened")                                                    \
	NEXT(figures[FIGURE_OPENED_PEOPLE], "opened_people")                                       \
	NEXT(figures[FIGURE_OPENED_MACHINE], "opened_machine")                                     \
	NEXT(figures[FIGURE_CLICKED], "clicked")                                                   \
	NEXT(figures[FIGURE_CLICKED_PEOPLE], "clicked_people")                                     \
	NEXT(figures[FIGURE_CLICKED_MACHINE], "clicked_machine")                                   \
	NEXT(figures[FIGURE_UNSUBSCRIBED], "unsubscribed")                                         \
	NEXT(figures[FIGURE_REPLIED], "replied")
#define FIGURE_COLUMNS(FIRST, NEXT)                                                                \
	FIGURE_ACCEPTED_COLUMNS(FIRST, NEXT)                                                       \
	FIGURE_ARRIVED_COLUMNS(NEXT, NEXT)                                                         \
	FIGURE_READ_COLUMNS(NEXT, NEXT)

/* The amounts that are added to one row. */
struct store_figure_sum {
	struct base_id workspace_id, owner;
	guint dimension; /* enum store_figure_dimension */
	gint64 day;	 /* since 1970 */
	char *name;
	gint64 figures[FIGURES];
};

/* An empty set of sums. g_hash_table_unref frees it with them. */
GHashTable *store_figure_sums_new(void);

/* The sum of the row with this key, the figures of which do not matter; made if it is missing. The
   set owns it. */
struct store_figure_sum *store_figure_sum_of(GHashTable *sums, const struct store_figure_sum *row);

/* Inside a transaction: adds the sums to the rows of a stripe, in the order in which every
   transaction takes their locks. Deferred (db_defer). */
bool store_figure_sums_write(struct db *db, GHashTable *sums, guint stripe, GError **error);

/* The figures that count on days that are past stand in this stripe. */
#define FIGURE_FOLDED 0

#endif
