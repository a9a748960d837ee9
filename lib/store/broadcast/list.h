/* SPDX-License-Identifier: MIT */
/* Lists the recipients of a broadcast. */
#ifndef STORE_BROADCAST_LIST_H
#define STORE_BROADCAST_LIST_H

#include "store/broadcast/broadcast.h"

/* The words of the API for what became of a recipient, NULL-terminated. */
extern const char *const store_broadcast_statuses[];

/* A recipient. Times are epoch ms, 0: not yet. */
struct store_broadcast_row {
	struct base_id person_id;
	char *email;	    /* NULL: the person is gone */
	const char *status; /* of store_broadcast_statuses */
	const char *reason; /* NULL unless it is skipped */
	int variant;	    /* -1: not known before the winner is */
	gint64 due, sent, opened, clicked;
};

/* A page of recipients behind a person (NULL: from the first on), at most limit, in the order of
   the people's ids, as an array of struct store_broadcast_row. status: those of this one, NULL:
   all. It looks at LIMIT_BROADCAST_LOOKED at most, and for ns, as of base_scan_budget
   (LIMIT_LOOK_NS). *cursor_r is where the next page begins, if *more_r is true: there may be more.
   The caller owns the array. */
GPtrArray *store_broadcast_rows(struct db *db, const struct store_broadcast *broadcast,
    const char *status, const struct base_id *after, guint limit, gint64 ns,
    struct base_id *cursor_r, bool *more_r, GError **error);

#endif
