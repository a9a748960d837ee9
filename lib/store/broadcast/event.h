/* SPDX-License-Identifier: MIT */
/* The recipients of a broadcast to whom one kind of thing happened. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_BROADCAST_EVENT_H
#define STORE_BROADCAST_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;
struct store_page;

enum store_broadcast_deed {
	DEED_SENT,
	DEED_DELIVERED,
	DEED_OPENED, /* by people, as clicks are */
	DEED_CLICKED,
	DEED_BOUNCED,
	DEED_COMPLAINED,
	DEED_UNSUBSCRIBED, /* by the link of this broadcast */
	DEED_SUPPRESSED,
};

struct store_broadcast_link {
	char *url;
	gint64 clicks; /* by people */
};

struct store_broadcast_doer {
	struct base_id person_id;
	bool is_gone;	  /* the person has been deleted */
	char *email;	  /* "" when nothing has it any more */
	gint64 count;	  /* of opens or clicks */
	int bounce;	  /* enum store_bounce_type; of one who bounced */
	GPtrArray *links; /* of struct store_broadcast_link, most clicks first; of clicks */
};

struct store_broadcast_doing {
	struct base_id workspace, broadcast;
	enum store_broadcast_deed deed;
	const struct base_id *person; /* this one alone; NULL: all */
	const char *email_part;	      /* those alone whose email has it, in any case; NULL: all */
	int bounce;		      /* those of this enum store_bounce_type alone; -1: all */
};

/* A page of such recipients in the order of their ids, the last ones first, as an array of struct
   store_broadcast_doer. The caller owns it. */
GPtrArray *store_broadcast_doers(struct db *db, const struct store_broadcast_doing *doing,
    const struct store_page *page, GError **error);

#endif
