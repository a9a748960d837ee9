/* SPDX-License-Identifier: MIT */
/* The parts in which a broadcast is sent: emails to some of its recipients. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_BROADCAST_PART_H
#define STORE_BROADCAST_PART_H

#include "base/scope.h"
#include "store/broadcast/recipient.h"

/* A recipient whose turn has come. */
struct store_broadcast_turn {
	struct base_id person_id;
	char *email; /* as first given; NULL: the person is gone */
};
void store_broadcast_turn_free(struct store_broadcast_turn *turn);
DEFINE_AUTO(store_broadcast_turn, store_broadcast_turn_free)

/* The functions below run inside a transaction that has locked the broadcast. */

/* Finds recipients in a queue (a variant, or BROADCAST_REST) whose turn has come, at most limit, as
   an array of struct store_broadcast_turn. The caller owns it. */
GPtrArray *store_broadcast_turns(struct db *db, const struct store_broadcast *broadcast, int queue,
    gint64 now, guint limit, GError **error);

/* When the next recipient in a queue is due, epoch ms; 0: nobody waits there. */
bool store_broadcast_next(struct db *db, const struct store_broadcast *broadcast, int queue,
    gint64 *due_r, GError **error);

/* Whether messages of the broadcast have not been tried yet. */
bool store_broadcast_is_under_way(
    struct db *db, const struct store_broadcast *broadcast, bool *is_r, GError **error);

/* How many people a variant was sent to, and how many of them opened it and clicked in it. */
struct store_broadcast_score {
	gint64 sent, opened, clicked;
};

/* Reads the scores of the first count variants. */
bool store_broadcast_scores(struct db *db, const struct store_broadcast *broadcast,
    struct store_broadcast_score *scores_r, guint count, GError **error);

/* A part to be made. */
struct store_broadcast_making {
	const struct store_broadcast *broadcast;
	struct base_id email_id;
	int variant;
	gint64 created;		      /* epoch ms */
	const struct base_id *people; /* count ids, */
	const char *const *addresses; /* and their addresses, as envelopes have them */
	guint count;
};

/* Stores a part: a copy of the variant's model with these recipients, whose turn is over. Nothing
   more than the outbox entries is missing. Deferred. */
bool store_broadcast_part_make(
    struct db *db, const struct store_broadcast_making *making, GError **error);

/* Somebody to be skipped. */
struct store_broadcast_skip {
	struct base_id person_id;
	enum store_broadcast_reason reason;
};

/* Skips people whose turn has come. Deferred. */
bool store_broadcast_part_skip(struct db *db, const struct store_broadcast *broadcast, int variant,
    const struct store_broadcast_skip *skips, guint count, GError **error);

/* The functions below need no transaction. */

/* A person to whom a message of a part goes, as templates see it. */
struct store_broadcast_reader {
	struct base_id id;
	enum store_broadcast_reason reason; /* why it does not want it; 0: it does */
	char *email, *first_name, *last_name, *language, *time_zone, *properties; /* or NULL */
	gint64 created;								  /* epoch ms */
	gint64 due; /* when its turn came, epoch ms */
};

/* A part that is to leave. */
struct store_broadcast_part {
	struct base_id workspace_id, broadcast_id;
	int variant;
	enum store_broadcast_status status; /* of the broadcast; 0: it is gone */
	struct base_id list_id;		    /* its first audience, else the broadcast itself; */
	char *list;			    /* its name */
	char *utm;			    /* JSON object; NULL: none */
	char *sending;			    /* its rules (sending/rules.h), JSON; NULL: none */
	GArray *people;			    /* struct base_id, in the order of the recipients */
	GPtrArray *readers; /* struct store_broadcast_reader, for those asked for; NULL: gone */
};

/* Reads the part that an email is, and the people with these numbers. NOT_FOUND "The broadcast is
   gone" when it is none. The caller frees it. */
struct store_broadcast_part *store_broadcast_part_read(struct db *db,
    const struct base_id *workspace, const struct base_id *email, const guint *numbers, guint count,
    GError **error);
void store_broadcast_part_free(struct store_broadcast_part *part);
DEFINE_AUTO(store_broadcast_part, store_broadcast_part_free)

#endif
