/* SPDX-License-Identifier: MIT */
/* Lists the recipients of a broadcast. */
#ifndef STORE_BROADCAST_LIST_H
#define STORE_BROADCAST_LIST_H

#include "store/broadcast/broadcast.h"

/* The words of the API for what became of a recipient, NULL-terminated. */
extern const char *const store_broadcast_statuses[];

/* Deeds by which recipients are found, in the words of the API, NULL-terminated. */
enum store_broadcast_deed {
	DEED_DELIVERED,
	DEED_OPENED,
	DEED_CLICKED,
	DEED_BOUNCED,
	DEED_COMPLAINED,
	DEED_UNSUBSCRIBED,
	DEEDS
};
extern const char *const store_broadcast_deeds[];

/* The recipients of a list. */
struct store_broadcast_filter {
	const char *status; /* of store_broadcast_statuses; NULL: any */
	guint did, did_not; /* 1 << DEED_...: whoever has done all of these, and whoever was sent
			       the message and has done none of those */
};

/* A recipient. Times are epoch ms, 0: not yet. */
struct store_broadcast_row {
	struct base_id person_id;
	char *email;	    /* NULL: the person is gone */
	const char *status; /* of store_broadcast_statuses */
	const char *reason; /* NULL unless it is skipped */
	int variant;	    /* -1: not known before the winner is */
	gint64 due, sent, opened, clicked;
};

/* A page of recipients. */
struct store_broadcast_page {
	const struct store_broadcast_filter *filter; /* NULL: all */
	const struct base_id *after; /* behind this person; NULL: from the first on */
	guint limit;
	gint64 ns; /* how long it looks, as of base_scan_budget (LIMIT_LOOK_NS) */
};

/* Reads it in the order of the people's ids, as an array of struct store_broadcast_row. It looks at
   LIMIT_BROADCAST_LOOKED at most. *cursor_r is where the next page begins, if *more_r is true:
   there may be more. The caller owns the array. */
GPtrArray *store_broadcast_rows(struct db *db, const struct store_broadcast *broadcast,
    const struct store_broadcast_page *page, struct base_id *cursor_r, bool *more_r,
    GError **error);

#endif
