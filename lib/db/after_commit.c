/* SPDX-License-Identifier: MIT */
/* Keeps what follows a transaction until its COMMIT has answered. */
#include "db/after_commit.h"

#include <string.h>

#include "db/handle.h"

/* A call that follows a transaction. */
struct follow_up {
	void (*function)(void *data);
	void *data;
	GDestroyNotify destroy;
};

struct db_after_commit {
	gint64 open[DB_TALLIES];   /* the tallies of this transaction */
	gint64 stored[DB_TALLIES]; /* of those that are stored */
	GPtrArray *follow_ups;	   /* struct follow_up */
};

static void
free_follow_up(void *pointer)
{
	struct follow_up *follow_up = pointer;

	if (follow_up->destroy)
		follow_up->destroy(follow_up->data);
	g_free(follow_up);
}

struct db_after_commit *
db_after_commit_new(void)
{
	struct db_after_commit *after = g_new0(struct db_after_commit, 1);

	after->follow_ups = g_ptr_array_new_with_free_func(free_follow_up);
	return after;
}

void
db_after_commit_free(struct db_after_commit *after)
{
	g_ptr_array_unref(after->follow_ups);
	g_free(after);
}

void
db_after_commit(struct db *db, void (*function)(void *data), void *data, GDestroyNotify destroy)
{
	struct follow_up *follow_up = g_new(struct follow_up, 1);

	*follow_up = (struct follow_up){function, data, destroy};
	g_ptr_array_add(db->on->after->follow_ups, follow_up);
	if (!db->on->in_transaction)
		db_after_commit_run(db);
}

void
db_tally(struct db *db, guint place, gint64 more)
{
	if (db->on->in_transaction)
		db->on->after->open[place] += more;
	else
		db->on->after->stored[place] += more;
}

gint64
db_tally_take(struct db *db, guint place)
{
	gint64 sum = db->on->after->stored[place];

	db->on->after->stored[place] = 0;
	return sum;
}

bool
db_tally_is_any(const struct db *db)
{
	for (guint i = 0; i < DB_TALLIES; i++)
		if (db->on->after->stored[i] != 0)
			return true;
	return false;
}

void
db_after_commit_begin(struct db *db)
{
	memset(db->on->after->open, 0, sizeof(db->on->after->open));
	g_ptr_array_set_size(db->on->after->follow_ups, 0);
}

void
db_after_commit_run(struct db *db)
{
	for (guint i = 0; i < DB_TALLIES; i++)
		db->on->after->stored[i] += db->on->after->open[i];
	for (guint i = 0; i < db->on->after->follow_ups->len; i++) {
		const struct follow_up *follow_up = db->on->after->follow_ups->pdata[i];

		follow_up->function(follow_up->data);
	}
	db_after_commit_begin(db);
}
